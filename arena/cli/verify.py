"""``botequim verify``: verifies game records without a server."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple

import click

from arena.bots import BotSpec, HostFailure
from arena.bots.loader import data_of, source_of
from arena.cli.commands import Command
from arena.cli.output import json_option, redirected, show
from arena.cli.params import jobs_option
from arena.cli.progress import progress_bar
from arena.errors import ArenaError
from arena.installation import not_installed
from arena.play.javascript import ENDING, script_of
from arena.records.group_checks import GroupChecks, GroupFacts, group_facts
from arena.records.record import RecordText, UnreadableRecord, record_texts, source_name
from arena.records.verify import verify_text

CHUNK: Final = 100
"""The maximum number of records that a process checks at a time."""

CHUNK_BYTES: Final = 4 << 20
"""The size of such records after which no more are added."""

MOST_WRONG: Final = 10_000
"""The number of records with problems after which the command stops."""


class Checked(NamedTuple):
    """One checked record: its position, its problems as lines, whether it was valid JSON, and its facts."""

    where: str
    problems: list[str]
    readable: bool
    facts: GroupFacts | None


@dataclass
class VerifyTally:
    """The results of a run so far."""

    records: int = 0
    wrong: int = 0
    unreadable: int = 0
    incomplete_groups: int = 0

    def summary(self, seconds: float) -> str:
        """Return the last line of the output."""
        findings = [
            f"{count} {what}"
            for count, what in (
                (self.wrong, "wrong"),
                (self.unreadable, "unreadable"),
                (self.incomplete_groups, "incomplete group" + "s" * (self.incomplete_groups != 1)),
            )
            if count
        ]
        records = f"{self.records} record" + "s" * (self.records != 1)
        verdict = ", ".join(findings) or "all verified"
        speed = self.records / max(seconds, 1e-3)
        return f"{records}, {verdict} ({seconds:.1f} s, {speed:,.0f} per second)"

    def exit_code(self) -> int:
        """Return the exit code of the command."""
        if self.unreadable:
            return 2
        return 1 if self.wrong or self.incomplete_groups else 0


@click.command(
    cls=Command,
    examples=(
        "botequim verify out.jsonl",
        "botequim tournament records TOURNAMENT | botequim verify -",
        "botequim verify records.jsonl --replay-bots --source my-bot@1=my_bot.py",
    ),
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@jobs_option
@click.option("--partial", is_flag=True, help="Accept incomplete groups, because the files are extracts.")
@click.option("--replay-bots", is_flag=True, help="Also replay uploaded bots in the sandbox.")
@click.option(
    "--source", "given", multiple=True, metavar="NAME@VERSION=FILE", help="The source of an uploaded bot."
)
@click.option(
    "--sources",
    "folder",
    type=click.Path(exists=True, file_okay=False),
    help="A folder of sources named name@version.py or name@version.wasm.",
)
@json_option
def verify(
    files: tuple[str, ...],
    jobs: int,
    partial: bool,
    replay_bots: bool,
    given: tuple[str, ...],
    folder: str | None,
    as_json: bool,
) -> int:
    """Verify the game records in the FILEs (JSON lines or one record, also gzipped; - is stdin).

    The command checks hashes, commitments, every deal and action, who acted, faults and outcomes. Across the
    records of a file, it also checks that groups are complete and seated fairly, mirrored groups have one
    seed, and no game or seed occurs twice. With --replay-bots, every decision of the uploaded bots whose
    sources are provided is repeated and compared. The command prints the problems and a summary. The exit
    code is 0 if all records are verified, 1 if there are problems, and 2 if the input is unreadable.
    """
    if (given or folder) and not replay_bots:
        raise click.UsageError("--source and --sources require --replay-bots")
    if replay_bots and "-" in files:
        raise click.UsageError("--replay-bots reads the files twice, so it cannot read stdin")
    specs = sources(given, folder) if replay_bots else {}
    start = perf_counter()
    tally = VerifyTally()
    errors = []
    problems: list[str] = []
    with progress_bar("verify", None, "records") as shown:
        for file in files:
            try:
                for line in _verify_file(file, jobs, partial, tally, shown):
                    if as_json:
                        problems.append(line)
                    else:
                        click.echo(line)
            except UnreadableRecord as error:
                errors.append(str(error))
    seconds = perf_counter() - start
    if tally.records and not as_json:
        click.echo(tally.summary(seconds))
    if errors:
        raise UnreadableRecord(" | ".join(errors))
    found: dict[str, Any] = {**vars(tally), "problems": problems, "seconds": round(seconds, 3)}
    if not replay_bots:
        show(found, as_json)
        return tally.exit_code()
    with redirected(as_json):
        bots = replay_files(files, specs)
        click.echo(bots.summary())
    found["bots"] = {"games": bots.games, "decisions": bots.decisions, "different": bots.different}
    show(found, as_json)
    return tally.exit_code() or int(bots.different > 0)


def _verify_file(
    file: str, jobs: int, partial: bool, tally: VerifyTally, shown: Callable[[int], None]
) -> Iterator[str]:
    """Yield the problems of a file, one per line."""
    checks = GroupChecks()
    records = 0
    for checked in _check_all(record_texts(file), jobs):
        records += 1
        tally.records += 1
        shown(tally.records)
        lines = list(checked.problems)
        if checked.facts is not None:
            lines += [str(problem) for problem in checks.add(checked.facts)]
        for line in lines:
            yield f"{checked.where}: {line}"
        if not checked.readable:
            tally.unreadable += 1
        elif lines:
            tally.wrong += 1
        if tally.unreadable + tally.wrong >= MOST_WRONG:
            raise UnreadableRecord(f"{checked.where}: stopped after {MOST_WRONG} records with problems")
    if not records:
        raise UnreadableRecord(f"there is no record in {source_name(file)}")
    # A single record is always an extract.
    if records > 1 and not partial:
        for problem in checks.missing():
            tally.incomplete_groups += 1
            yield f"{source_name(file)}: {problem} (--partial allows extracts)"


def _check(texts: list[RecordText]) -> list[Checked]:
    results = []
    for where, text in texts:
        try:
            record, problems = verify_text(text)
        except UnreadableRecord as error:
            results.append(Checked(where, [str(error)], False, None))
            continue
        game = f"game {record['canonical']['game']}: " if record else ""
        facts = group_facts(record) if record else None
        results.append(Checked(where, [f"{game}{problem}" for problem in problems], True, facts))
    return results


def _check_all(texts: Iterable[RecordText], jobs: int) -> Iterator[Checked]:
    """Yield the checked records in order. The first chunk is checked in this process, so that small files
    need no other processes.
    """
    chunks = _chunks(texts)
    yield from _check(next(chunks, []))
    second = next(chunks, None)
    if jobs == 1 or second is None:
        for chunk in chain([second or []], chunks):
            yield from _check(chunk)
        return
    pending: deque[Future[list[Checked]]] = deque()
    failure: UnreadableRecord | None = None
    with ProcessPoolExecutor(
        jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
    ) as pool:
        try:
            for chunk in chain([second], chunks):
                pending.append(pool.submit(_check, chunk))
                if len(pending) > 2 * jobs:
                    yield from pending.popleft().result()
        except UnreadableRecord as error:
            failure = error
        while pending:
            yield from pending.popleft().result()
    if failure is not None:
        raise failure


def _chunks(texts: Iterable[RecordText]) -> Iterator[list[RecordText]]:
    chunk: list[RecordText] = []
    size = 0
    try:
        for text in texts:
            chunk.append(text)
            size += len(text.text)
            if len(chunk) == CHUNK or size > CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
    except UnreadableRecord:
        # Records before a damaged part are still checked.
        yield chunk
        raise
    yield chunk


SUFFIXES = (".py", ".js", ".wasm")


@dataclass
class BotTally:
    """The results of replaying bots in all files."""

    games: int = 0
    decisions: int = 0
    different: int = 0
    missing: set[str] = field(default_factory=set)
    runtimes: set[str] = field(default_factory=set)

    def summary(self) -> str:
        """Return the last line of the output."""
        summary = f"{self.games} games replayed, {self.decisions} decisions of uploaded bots compared"
        return (
            f"{summary}, {self.different} games differ" if self.different else f"{summary}, all as recorded"
        )


def sources(given: Iterable[str], folder: str | None) -> dict[tuple[str, str], BotSpec]:
    """Return the bots given as ``name@version=FILE``, and those in files named ``name@version.py``,
    ``.js`` or ``.wasm`` in a folder.

    Raises :class:`~arena.errors.ArenaError`.
    """
    found: dict[tuple[str, str], BotSpec] = {}
    for text in given:
        label, separator, file = text.partition("=")
        if not separator:
            raise _not_a_source(text)
        found[_named(label)] = _spec(label, Path(file))
    for path in sorted(Path(folder).iterdir()) if folder is not None else ():
        if path.suffix in SUFFIXES:
            found[_named(path.stem)] = _spec(path.stem, path)
    if not found:
        raise ArenaError(
            "there are no bot sources",
            code="missing_source",
            field="source",
            expected="--source name@version=FILE, or --sources FOLDER with files such as name@version.py",
        )
    return found


def replay_files(files: Iterable[str], specs: Mapping[tuple[str, str], BotSpec]) -> BotTally:
    """Replay the uploaded bots in all verified records of ``files``, and print the differences."""
    from arena.sandbox.replaying import replay_bots
    from arena.sandbox.runtime import runtime_id

    tally = BotTally()
    for file in files:
        for where, text in record_texts(file):
            record, problems = verify_text(text)
            runtime = None if record is None or problems else record["info"].get("sandbox")
            if record is None or not isinstance(runtime, str):
                continue
            try:
                replayed = replay_bots(record, specs)
            except HostFailure as error:
                raise ArenaError(f"{where}: {error}", code="host_failure") from None
            tally.missing.update(replayed.missing)
            tally.games += replayed.decisions > 0
            tally.decisions += replayed.decisions
            if runtime != runtime_id():
                tally.runtimes.add(runtime)
            if replayed.difference:
                tally.different += 1
                click.echo(f"{where}: game {record['canonical']['game']}: {replayed.difference}")
    for name in sorted(tally.missing):
        click.echo(f"not replayed, because its source is missing: {name}", err=True)
    for name in sorted(tally.runtimes):
        click.echo(
            f"some games were played with the sandbox {name}, but this one is {runtime_id()}", err=True
        )
    return tally


def _spec(label: str, path: Path) -> BotSpec:
    try:
        from arena.sandbox.bot import sandboxed_spec
    except ModuleNotFoundError as error:
        raise not_installed("the sandbox", str(error.name)) from None
    is_script = path.suffix == ENDING
    read = script_of if is_script else source_of
    source = data_of(path) if path.suffix == ".wasm" else read(path)
    name, version = _named(label)
    return sandboxed_spec(name, version, source, language="javascript" if is_script else "python")


def _named(label: str) -> tuple[str, str]:
    name, separator, version = label.partition("@")
    if not (name and separator and version):
        raise _not_a_source(label)
    return name, version


def _not_a_source(text: str) -> ArenaError:
    return ArenaError(
        f"{text!r} is not a valid bot source",
        code="missing_source",
        field="source",
        expected="name@version=FILE, or a file in a folder named name@version.py, .js or .wasm",
    )
