"""``botequim verify --replay-bots``: replays the decisions of uploaded bots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import click

from arena.bots import BotSpec, HostFailure, InvalidBot
from arena.bots.loader import source_of
from arena.errors import ArenaError
from arena.installation import not_installed
from arena.records.record import record_texts
from arena.records.verify import verify_text

SUFFIXES = (".py", ".wasm")


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
        summary = f"{self.games} games played again, {self.decisions} decisions of uploaded bots compared"
        return (
            f"{summary}, {self.different} games differ" if self.different else f"{summary}, all as recorded"
        )


def sources(given: Iterable[str], folder: str | None) -> dict[tuple[str, str], BotSpec]:
    """Return the bots given as ``name@version=FILE`` texts, and those in the files ``name@version.py`` (or
    ``.wasm``) of a folder.

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
            "no bot source was given",
            code="missing_source",
            field="source",
            expected="--source name@version=FILE, or --sources FOLDER with files such as name@version.py",
        )
    return found


def replay_files(files: Iterable[str], specs: Mapping[tuple[str, str], BotSpec]) -> BotTally:
    """Replay the uploaded bots of all verified records of ``files``, and print differences."""
    from arena.sandbox.replaying import replay_bots
    from arena.sandbox.runtime import runtime_id

    tally = BotTally()
    for file in files:
        for where, text in record_texts(file):
            record, problems = verify_text(text)
            if record is None or problems or "sandbox" not in record["info"]:
                continue
            try:
                replayed = replay_bots(record, specs)
            except HostFailure as error:
                raise ArenaError(f"{where}: {error}", code="host_failure") from None
            tally.missing.update(replayed.missing)
            tally.games += replayed.decisions > 0
            tally.decisions += replayed.decisions
            if record["info"]["sandbox"] != runtime_id():
                tally.runtimes.add(record["info"]["sandbox"])
            if replayed.difference:
                tally.different += 1
                click.echo(f"{where}: game {record['canonical']['game']}: {replayed.difference}")
    for name in sorted(tally.missing):
        click.echo(f"not played again, because its source is missing: {name}", err=True)
    for name in sorted(tally.runtimes):
        click.echo(f"some games were played with the sandbox {name}, this one is {runtime_id()}", err=True)
    return tally


def _spec(label: str, path: Path) -> BotSpec:
    try:
        from arena.sandbox.bot import sandboxed_spec
    except ModuleNotFoundError as error:
        raise not_installed("the sandbox", str(error.name)) from None
    try:
        source = path.read_bytes() if path.suffix == ".wasm" else source_of(path)
    except OSError as error:
        raise InvalidBot(f"{path} cannot be read: {error.strerror}", field="source") from None
    return sandboxed_spec(*_named(label), source)


def _named(label: str) -> tuple[str, str]:
    name, separator, version = label.partition("@")
    if not (name and separator and version):
        raise _not_a_source(label)
    return name, version


def _not_a_source(text: str) -> ArenaError:
    return ArenaError(
        f"{text!r} is not a valid source of a version",
        code="missing_source",
        field="source",
        expected="name@version=FILE, or in a folder a file name@version.py or name@version.wasm",
    )
