"""How fast the starters are in the sandbox: as WebAssembly modules and as sources.

    python -m benchmarks.modules [--groups N]

builds the starters in C, Rust and Go as their READMEs say, if their compilers are installed, and plays
mirrored matches of Truco between two of each, in one process. Prints, by language, the size of the source or
module, games per second of processor time, medians per decision and instance, and the memory of an instance.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time as cpu
from typing import Final

from arena.bots import BotSpec
from arena.cli.new import write_starter
from arena.games import game_of
from arena.sandbox.bot import SandboxedSpec, sandboxed_spec
from arena.sandbox.limits import FUEL_PER_MS
from arena.tournaments.local_run import Plan, play_group
from benchmarks.sandbox import RULES, overhead_of, turns_of

KIND: Final = "truco"
BUILDS: Final = {
    "c": ("make bot.wasm", "bot.wasm"),
    "rust": ("wasm32-wasip1", "target/wasm32-wasi*/release/*.wasm"),
    "go": ("GOOS=wasip1", "bot.wasm"),
}
"""A part of the command in the README that builds the module, and its file."""

_INSTANCES: Final = 50


class NotBuilt(Exception):
    """The compiler of a language cannot build the module."""


def starters(folder: Path) -> Iterator[tuple[str, str | bytes]]:
    """Yield the languages, and the source or module of the starter in each. What cannot be built is left out,
    with a line that says why.
    """
    write_starter(folder / "my_bot", KIND, "python")
    yield "python", (folder / "my_bot" / "my_bot.py").read_text()
    write_starter(folder / "my-bot", KIND, "javascript")
    yield "javascript", (folder / "my-bot" / "my-bot.js").read_text()
    for language in BUILDS:
        try:
            yield language, built(folder / f"{language}_bot", language)
        except NotBuilt as error:
            print(f"{language}: not built: {error}")


def built(folder: Path, language: str) -> bytes:
    """Write a starter and build its module. Raises :class:`NotBuilt`."""
    words, file = BUILDS[language]
    write_starter(folder, KIND, language)
    readme = (folder / "README.md").read_text()
    command = next(line for line in re.findall(r"^    (.+)$", readme, re.MULTILINE) if words in line)
    # Rust before 1.78 calls the target wasm32-wasi.
    for one in (command, command.replace("wasm32-wasip1", "wasm32-wasi")):
        done = subprocess.run(["bash", "-c", one], cwd=folder, capture_output=True, text=True)
        if done.returncode == 0:
            break
    else:
        raise NotBuilt((done.stderr.strip().splitlines() or ["no message"])[-1])
    (module,) = folder.glob(file)
    return module.read_bytes()


def speed(spec: SandboxedSpec, groups: int) -> float:
    """Games per second of processor time of a match between two of the same bot."""
    specs: tuple[BotSpec, ...] = tuple(replace(spec, name=name) for name in ("one", "two"))
    plan = Plan(KIND, game_of(KIND).options.complete(RULES[KIND]), specs, groups, "modules")
    every = list(plan.all_groups())
    play_group(plan, 0, every[0])
    games, start = 0, cpu()
    for index, group in enumerate(every):
        result = play_group(plan, index, group)
        assert not result.void, result.void
        games += len(result.records)
    return games / (cpu() - start)


def fuel(spec: SandboxedSpec) -> float:
    """Milliseconds of fuel per decision."""
    bot, turns = spec.make(1), turns_of(KIND)
    loaded = bot.usage.fuel
    for turn in turns:
        bot.choose(turn)
    bot.close()
    return (bot.usage.fuel - loaded) / FUEL_PER_MS / len(turns)


def memory(spec: SandboxedSpec) -> float:
    """Kilobytes of memory of an instance that has made a decision."""
    first, *_ = turns_of(KIND)
    before, bots = _resident(), []
    for number in range(_INSTANCES):
        bots.append(spec.make(number))
        bots[-1].choose(first)
    used = _resident() - before
    for bot in bots:
        bot.close()
    return used / _INSTANCES


def _resident() -> int:
    return int(re.findall(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """See the top of this file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.modules")
    parser.add_argument("--groups", type=int, default=20, help="mirrored groups per language")
    groups = parser.parse_args(arguments).groups
    names = ("size KB", "games/s", "ms a decision", "ms of fuel", "ms an instance", "KB")
    print(f"{'':10}" + "".join(f"{name:>15}" for name in names))
    with tempfile.TemporaryDirectory() as folder:
        for language, source in starters(Path(folder)):
            spec = sandboxed_spec(
                "bot", "1", source, language="javascript" if language == "javascript" else "python"
            )
            spec.make(1).close()
            rate = speed(spec, groups)
            decision, instance = overhead_of(spec, KIND)
            found = (len(source) / 1000, rate, decision, fuel(spec), instance, memory(spec))
            print(f"{language:10}" + "".join(f"{number:15.3g}" for number in found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
