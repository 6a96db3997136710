"""The step to format 3: versions that are components are modules that have failed; kills lose nothing."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
import pytest

from arena.accounts.uploads import ReceivedUpload
from arena.accounts.versions import Version, pack_version, unpack_version
from arena.events.qualification import Discipline, Qualification, Qualifications, disciplines
from arena.store.accounts import AccountStore, StoredUpload
from arena.store.amounts import Stored
from arena.store.embedded import EmbeddedStore
from arena.store.repositories import Store, open_store
from arena.store.rows import write_row
from arena.upgrade import upgrade
from arena.upgrade.step_3 import REASON
from tests.dying import KILLED, counted_to, in_child, status_of

TRUCO, *APART, TOEPEN = disciplines()
DIGEST = "a" * 64


def version(label: str, language: str) -> str:
    return pack_version(Version(label, "uploaded", 5, language=language, digest=DIGEST, size=8))


@pytest.fixture
def former(clean_store: EmbeddedStore) -> Iterator[Store]:
    """A bot with a Python version, a component, and another component that is being checked, in format 2."""
    store = open_store(clean_store.url)
    store.accounts.create_owner("olga", "hash", {})
    store.accounts.create_bot("old", "olga", "hash", {"state": "active"}, "1", version("1", "python"))
    row = ReceivedUpload("u1", "old", "olga", "3", "component", DIGEST, 8, 5, 6)  # type: ignore[arg-type]
    upload = StoredUpload("u1", write_row(row), "b" * 64, b"\0asm\x0d\0\x01\0")
    store.accounts.add_version("old", "3", "", Stored(1, 50, 1 << 20), upload)
    store.accounts.add_version("old", "2", version("2", "component"), Stored(1, 50, 1 << 20))
    for label, discipline in (("1", TRUCO), ("2", TRUCO), ("2", TOEPEN)):
        store.qualifications.add(discipline.row("old", label), [*Qualification("qualified", "q-1", 2, 7)])
    store.identity.register()
    store.identity.set_format(2)
    yield store
    store.close()


def known(store: Store, label: str, discipline: Discipline) -> Qualification | None:
    (found,) = Qualifications(store, None).known(discipline, [("old", label)])  # type: ignore[arg-type]
    return found


def check_upgraded(store: Store) -> None:
    versions = {label: unpack_version(text) for label, text in store.accounts.versions("old").items()}
    assert {label: one.language for label, one in versions.items()} == {"1": "python", "2": "module"}
    assert (versions["2"].digest, versions["2"].size, versions["2"].created_ms) == (DIGEST, 8, 5)
    assert known(store, "1", TRUCO) == Qualification("qualified", "q-1", 2, 7)
    for discipline in (TRUCO, TOEPEN):
        assert known(store, "2", discipline) == Qualification("failed", "q-1", 2, 7, REASON)
    assert all(known(store, "2", discipline) is None for discipline in APART)
    row = store.uploads.unsettled("old", "u1")
    assert row is not None
    assert orjson.loads(row)["language"] == "module"


def test_components_become_modules_that_are_not_qualified(former: Store) -> None:
    assert upgrade(former, None) == [3, 4, 5, 6, 7, 8, 9]
    check_upgraded(former)
    assert upgrade(former, None) == []


def test_a_killed_step_is_completed(
    former: Store, clean_store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed() -> None:
        monkeypatch.setattr(AccountStore, "replace_version", counted_to(1)(AccountStore.replace_version))
        upgrade(open_store(clean_store.url), None)

    assert status_of(in_child(killed)) == KILLED
    assert former.identity.format() == 2
    assert upgrade(former, None) == [3, 4, 5, 6, 7, 8, 9]
    check_upgraded(former)
