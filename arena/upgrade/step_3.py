"""Format 3: uploads are Python sources and modules for WASI preview 1.

In format 2, an upload could be a WebAssembly component (``language``: ``component``). The arena runs none
now. Such a version stays stored and can be downloaded, but it is no longer qualified.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from arena.records.archive.objects import ObjectStore
from arena.store.repositories import Store

_LANGUAGE: Final = 6
"""The index of the language in the stored form of a version."""

_STATE: Final = 0
_REASON: Final = 4
"""The indexes of the state and the reason in the row of a qualification."""

REASON: Final = (
    "the arena does not run WebAssembly components; upload a module for WASI preview 1 (docs/sandbox.md)"
)


def upgrade(store: Store, objects: ObjectStore | None) -> None:
    """Mark versions that are components as modules that have failed their qualifications."""
    qualifications = list(store.qualifications.all())
    for bot in store.accounts.uploaded_names():
        for upload, row in store.uploads.all_unsettled(bot).items():
            received = json.loads(row)
            if received.get("language") == "component":
                after = json.dumps({**received, "language": "module"}).encode()
                store.uploads.replace(bot, upload, row, after)
        for label, text in store.accounts.versions(bot).items():
            values = json.loads(text)
            if len(values) > _LANGUAGE and values[_LANGUAGE] == "component":
                for name in qualifications:
                    # The kind, the bot, the version and perhaps the preset.
                    if name.split("/")[1:3] == [bot, label]:
                        store.qualifications.change(name, _failed)
                values[_LANGUAGE] = "module"
                # This comes last: if the step is killed, it finds the version again.
                store.accounts.replace_version(bot, label, json.dumps(values))


def _failed(row: Any) -> Sequence[object] | None:
    if row is None:
        return None
    failed = list(row)
    failed[_STATE], failed[_REASON] = "failed", REASON
    return failed
