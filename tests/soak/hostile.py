"""``python -m tests.soak.hostile``: uploaded modules that let the host work for them.

Real workers with their watchdogs qualify hostile modules of every kind, again and again, while an honest
bot plays tournaments before, meanwhile and after. Prints what the calls of each kind took and what ended
them, and memory, cache and speed of the workers.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import combinations, cycle
from pathlib import Path
from typing import Final

import click

from arena.accounts.uploads import Upload, module_upload, python_upload
from arena.ops.service import open_service
from arena.ops.settings import Settings
from arena.sandbox.building import digest_of, python_component
from arena.sandbox.limits import PROCESSOR_FACTOR
from arena.store.amounts import Compute
from arena.store.embedded import EmbeddedStore
from queues.rq_jobs import RqJobs
from tests.conftest import register
from tests.sandbox import hostile, modules
from tests.service import Process, descendants

KINDS: Final[dict[str, Callable[[], bytes]]] = {
    **{name: make for name, (_, _, make) in {**hostile.DECIDING, **hostile.STARTING}.items()},
    # What the limits on memory and fuel end.
    "memory.fill of 60 MB": lambda: modules.FILLS,
    "loop": lambda: modules.LOOPS,
    "recursion": lambda: modules.RECURSES,
    "much memory": lambda: modules.MUCH_MEMORY,
    "giant answer": lambda: modules.GIANT_ANSWER,
    **{
        f"proposal: {name}": lambda core=core: modules.module(core=core)  # type: ignore[misc]
        for name, core in hostile.PROPOSALS.items()
    },
}
"""Hostile modules: those of ``tests/sandbox/hostile.py``, and more."""

HONEST: Final = "honest"
PYTHON: Final = "def choose(turn):\n    return turn['legal_actions'][0]\n"
_AT_ONCE: Final = 3
"""Qualifications of hostile modules that are under way at the same time."""

_MOST_LINES: Final = 40


@dataclass(frozen=True)
class Call:
    """A noted call: its worker and bot, when (seconds since 1970), its processor seconds, its fault."""

    worker: str
    bot: str
    begun: float
    ended: float
    seconds: float
    fault: str


@dataclass
class HostileBench:
    """A database, a scheduler and workers, whose uploaded bots have small limits."""

    folder: Path
    stack: ExitStack
    groups: int
    """Of an honest tournament."""

    workers: list[Process] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    """Those of the hostile bots."""

    refused: dict[str, str] = field(default_factory=dict)
    """The other kinds, with the reasons why their uploads were refused."""

    _calls: list[Call] = field(default_factory=list)
    _read: dict[Path, int] = field(default_factory=dict)

    def start(self, workers: int, least: float, decision_ms: int) -> None:
        """Start everything, with a cache that has the runtime and nothing else."""
        self.cache = self.folder / "cache" / "botequim"
        self.cache.mkdir(mode=0o700, parents=True)
        runtime = python_component()
        for wasm in runtime.parent.glob(f"{runtime.stem}*.wasm"):
            for path in (wasm, *runtime.parent.glob(f"{digest_of(wasm)[:32]}*.cwasm")):
                shutil.copy2(path, self.cache)
        self.notes = self.folder / "notes"
        self.notes.mkdir()
        store = self.stack.enter_context(EmbeddedStore(self.folder / "store"))
        register(store.url)
        budget = Compute(10**9, 10**12)
        self.service = open_service(Settings(store.url, budget=budget), RqJobs(store.url))
        self.stack.callback(self.service.close)
        options = {
            "REDIS_URL": store.url,
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "BOTEQUIM_BUDGET": ",".join(f"{name}={value}" for name, value in budget._asdict().items()),
        }
        python = [sys.executable, "-m"]
        arguments = [str(least), str(decision_ms), str(self.notes)]
        commands = [[*python, "tests.soak.hostile_worker", *arguments]] * workers
        self.workers = [
            self.stack.enter_context(Process(command, self.folder, **options)) for command in commands
        ]
        self.stack.enter_context(Process([*python, "workers", "--scheduler"], self.folder, **options))
        self.service.accounts.sign_up("olga")
        assert self._upload(HONEST, python_upload(PYTHON)) == ""
        while self.qualify(HONEST) != "qualified":
            time.sleep(0.2)
        for number, (kind, make) in enumerate(KINDS.items()):
            reason = self._upload(f"hostile-{number}", module_upload(make()))
            if reason:
                self.refused[kind] = reason
            else:
                self.kinds[f"hostile-{number}"] = kind
        # Uploads qualify by themselves.
        while any(map(self._is_qualifying, self.kinds)):
            time.sleep(0.2)

    def _is_qualifying(self, name: str) -> bool:
        known = self.service.tournaments.qualifications(name, "1")
        return any(one["state"] == "qualifying" for one in known)

    def _upload(self, name: str, upload: Upload) -> str:
        """Upload a bot, which the workers check. Why it is refused, empty if it is not."""
        _, _, received = self.service.uploads.register("olga", name, "1", upload, tournaments=name == HONEST)
        settled = self.service.uploads.wait(received, 600)
        assert settled.is_settled, settled
        return settled.reason

    def qualify(self, name: str) -> str:
        """Start the qualification of a bot if none is under way; its state."""
        return str(self.service.tournaments.qualify("toepen", name, "1")["state"])

    def calls(self) -> list[Call]:
        """All calls that the workers have noted so far."""
        for path in self.notes.iterdir():
            with path.open("rb") as file:
                file.seek(self._read.get(path, 0))
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._read[path] = self._read.get(path, 0) + len(line)
                    self._calls.append(Call(path.stem, **json.loads(line)))
        return self._calls

    def play_honestly(self, name: str) -> None:
        """Announce a tournament of the honest bot."""
        self.service.tournaments.create(
            {
                "name": "Honest",
                "kind": "toepen",
                "rules": {"seats": 2},
                "format": "round_robin",
                "division": "sealed",
                "house": ["random"],
                "auto_enter": True,
                "max_entries": 3,
                "groups": self.groups,
                "locks_ms": time.time_ns() // 1_000_000 + 2_000,
            },
            "olga",
            tournament_id=name,
        )

    def is_over(self, name: str) -> bool:
        """Whether a tournament is over."""
        return bool(self.service.tournaments.progress(name)["state"] in ("finished", "cancelled"))

    def honest_phase(self, name: str) -> tuple[float, float]:
        """Play one honest tournament and nothing else; when it began and ended."""
        begun = time.time()
        self.play_honestly(name)
        while not self.is_over(name):
            time.sleep(0.1)
        return begun, time.time()

    def hostile_phase(self, count: int) -> tuple[float, float]:
        """Qualify hostile bots until ``count`` of their calls have ended, beside honest tournaments."""
        begun = time.time()
        waiting = cycle(self.kinds)
        under_way: dict[str, None] = {}
        cups = 0
        before = self._hostile_calls()
        while True:
            done = self._hostile_calls() - before
            if not cups or self.is_over(f"meanwhile-{cups}"):
                if done >= count:
                    return begun, time.time()
                cups += 1
                self.play_honestly(f"meanwhile-{cups}")
            for name in list(under_way):
                if not self._is_qualifying(name):
                    del under_way[name]
            while len(under_way) < _AT_ONCE and done < count:
                name = next(waiting)
                if name not in under_way:
                    self.qualify(name)
                    under_way[name] = None
            time.sleep(0.2)

    def _hostile_calls(self) -> int:
        return sum(call.bot != HONEST for call in self.calls())

    def resident(self) -> str:
        """The resident memory of each worker."""
        found = []
        for worker in self.workers:
            status = Path(f"/proc/{descendants(worker.process.pid)[0]}/status").read_text()
            found.append(f"{int(status.partition('VmRSS:')[2].split()[0]) / 1024:.0f} MB")
        return ", ".join(found)

    def cached(self) -> str:
        """The size of the cache, and of its uploads."""
        sizes = [(path.stat().st_size, path) for path in self.cache.rglob("*") if path.is_file()]
        uploads = [size for size, path in sizes if path.parent.name == "uploads"]
        total = sum(size for size, _ in sizes)
        return f"{total / 1e6:.1f} MB, of which uploads {sum(uploads) / 1e6:.2f} MB in {len(uploads)} files"


def rate(calls: Iterable[Call], phase: tuple[float, float]) -> str:
    """The honest decisions per second of each worker, and per processor second of their calls."""
    begun, ended = phase
    per_worker: dict[str, list[float]] = defaultdict(list)
    for call in calls:
        if call.bot == HONEST and begun <= call.begun < ended:
            per_worker[call.worker].append(call.seconds)
    each = [f"{len(found) / (ended - begun):.0f}" for found in per_worker.values()]
    every = [seconds for found in per_worker.values() for seconds in found]
    return (
        f"{len(every) / (ended - begun):.0f} a second (by worker {', '.join(each)}), "
        f"{1e6 * sum(every) / len(every):.0f} us of processor time each"
    )


def beside(calls: Sequence[Call]) -> str:
    """The honest decisions per second of a worker, while the other one is in a call of a hostile bot."""
    busy = [call for call in calls if call.bot != HONEST]
    seconds = sum(call.ended - call.begun for call in busy)
    count = 0
    for call in calls:
        if call.bot == HONEST:
            count += sum(one.worker != call.worker and one.begun <= call.begun < one.ended for one in busy)
    # While both are in a call of a hostile bot, neither plays for the other.
    both = sum(
        max(0.0, min(one.ended, other.ended) - max(one.begun, other.begun))
        for one, other in combinations(busy, 2)
        if one.worker != other.worker
    )
    free = seconds - 2 * both
    return f"{count / free:.0f} a second, in {free:.0f} s" if free > 0 else "never"


def told(fault: str) -> str:
    """A fault without what differs from call to call."""
    return re.sub(r"\b0x[0-9a-f]+|\b\d{5,}\b", "N", fault)[:70] or "nothing: it answered"


def play(
    folder: Path,
    count: int,
    say: Callable[[str], None],
    *,
    groups: int = 300,
    workers: int = 2,
    least: float = 0.1,
    decision_ms: int = 30,
) -> list[Call]:
    """``count`` calls of hostile bots beside honest tournaments of ``groups`` groups. Returns all calls.

    ``least``: the processor seconds that a call may use at least; ``decision_ms``: the fuel of a decision.
    """
    with ExitStack() as stack:
        bench = HostileBench(folder, stack, groups)
        bench.start(workers, least, decision_ms)
        limit = max(least, PROCESSOR_FACTOR * decision_ms / 1000)
        say(f"limits: {decision_ms} ms of fuel and {limit:g} s of processor time per call")
        say(f"kinds that are refused at the upload: {len(bench.refused)}")
        for kind, reason in bench.refused.items():
            say(f"    {kind}: {told(reason)}")
        # So that what is loaded once is not counted.
        bench.honest_phase("first")
        before = bench.honest_phase("before")
        say(f"at the start: workers {bench.resident()}; cache {bench.cached()}")
        meanwhile = bench.hostile_phase(count)
        say(f"at the end of the hostile calls: workers {bench.resident()}; cache {bench.cached()}")
        after = bench.honest_phase("after")
        calls = list(bench.calls())
        show(calls, bench.kinds, meanwhile, say)
        say(f"at the end: workers {bench.resident()}; cache {bench.cached()}")
        for name, phase in (("before", before), ("meanwhile", meanwhile), ("after", after)):
            say(f"honest decisions {name}: {rate(calls, phase)}")
        say(f"of one worker while the other is in a hostile call: {beside(calls)}")
        lines = [line for worker in bench.workers for line in worker.lines]
        say(f"lines that the workers logged: {len(lines)}")
        for line in lines[:_MOST_LINES]:
            say(f"    {line}")
        assert bench.service.suspensions.bots() == []
        assert {call.fault for call in calls if call.bot == HONEST} == {""}
        return calls


@click.command()
@click.option("--count", default=1000, show_default=True, help="Calls of hostile bots.")
@click.option("--groups", default=300, show_default=True, help="Groups of an honest tournament.")
@click.option("--least", default=0.1, show_default=True, help="Least processor seconds of a call.")
@click.option("--decision-ms", default=30, show_default=True, help="Fuel of a decision, and of loading.")
@click.option("--workers", default=2, show_default=True)
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for data and notes, to be kept.")
def main(count: int, groups: int, least: float, decision_ms: int, workers: int, keep: Path | None) -> None:
    """Play, and say what was measured."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        play(folder, count, click.echo, groups=groups, workers=workers, least=least, decision_ms=decision_ms)


def show(
    calls: Sequence[Call], kinds: Mapping[str, str], phase: tuple[float, float], say: Callable[[str], None]
) -> None:
    """Print what the calls of each kind took, and what ended them."""
    per_kind: dict[str, list[Call]] = {kind: [] for kind in kinds.values()}
    for call in calls:
        if call.bot != HONEST:
            per_kind[kinds[call.bot]].append(call)
    say(f"\n{'kind':28}{'calls':>6}{'mean s':>8}{'max s':>8}  ended by")
    per_kind["all"] = [call for found in per_kind.values() for call in found]
    for kind, found in per_kind.items():
        seconds = [call.seconds for call in found] or [0.0]
        ends = Counter(told(call.fault) for call in found)
        text = "; ".join(f"{count} x {end}" for end, count in ends.most_common(3))
        if kind == "all":
            text = f"in {phase[1] - phase[0]:.0f} s"
        mean = sum(seconds) / len(seconds)
        say(f"{kind:28}{len(found):6}{mean:8.3f}{max(seconds):8.3f}  {text}")


if __name__ == "__main__":
    main()
