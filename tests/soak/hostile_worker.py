"""``python -m tests.soak.hostile_worker LEAST DECISION_MS FOLDER``: modules have small limits.

``LEAST``: the processor seconds that a call with little fuel may use; ``DECISION_MS``: the fuel of a decision
and of loading. Notes in ``FOLDER`` what each call of an uploaded bot took, one JSON object per line.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.sandbox.bot import Language


def note_calls(folder: Path) -> None:
    """Note every decision from now on, and every loading that fails."""
    from arena.sandbox.bot import SandboxedBot, SandboxedSpec

    notes = (folder / f"{os.getpid()}.jsonl").open("w", buffering=1)
    choose, make = SandboxedBot.choose, SandboxedSpec.make

    def noted(bot: str, act: Callable[[], Any], *, always: bool) -> Any:
        begun, used = time.time(), time.process_time()
        fault = ""
        try:
            result = act()
            failure = getattr(result, "failure", None)
            fault = "" if failure is None else f"{failure.type}: {failure}"
            return result
        except Exception as error:
            fault = f"{getattr(error, 'type', type(error).__name__)}: {error}"
            raise
        finally:
            seconds = time.process_time() - used
            line = {"bot": bot, "begun": begun, "ended": time.time(), "seconds": seconds, "fault": fault}
            if fault or always:
                notes.write(json.dumps(line) + "\n")

    def noted_make(spec: SandboxedSpec, seed: int) -> SandboxedBot:
        bot: SandboxedBot = noted(spec.name, lambda: make(spec, seed), always=False)
        bot.noted_as = spec.name  # type: ignore[attr-defined]
        return bot

    def noted_choose(bot: SandboxedBot, turn: Any) -> Any:
        if bot.failure is not None:
            # It could not be loaded, and nothing runs.
            return choose(bot, turn)
        return noted(bot.noted_as, lambda: choose(bot, turn), always=True)  # type: ignore[attr-defined]

    SandboxedSpec.make = noted_make  # type: ignore[assignment, method-assign]
    SandboxedBot.choose = noted_choose  # type: ignore[assignment, method-assign]


def main(least: float, decision_ms: int, folder: Path) -> None:
    """Work as ``python -m workers`` does."""
    from workers.watchdog import watch

    ended = watch()
    from arena.events import uploaded_bots
    from arena.sandbox import limits
    from arena.sandbox.bot import SandboxedSpec, sandboxed_spec
    from queues.rq_jobs import QUEUES
    from workers.worker import work

    limits.LEAST_PROCESSOR_SECONDS = least  # type: ignore[misc]
    small = limits.SandboxLimits(load_ms=decision_ms, decision_ms=decision_ms)

    def spec(name: str, version: str, source: str | bytes, *, language: Language) -> SandboxedSpec:
        if isinstance(source, str):
            return sandboxed_spec(name, version, source, language=language)
        return sandboxed_spec(name, version, source, small)

    uploaded_bots.sandboxed_spec = spec  # type: ignore[assignment, attr-defined]
    note_calls(folder)
    work(QUEUES, ended)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
