"""``botequim leaderboard``: shows ratings that are computed from records or published by a service."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from arena.cli.board_details import published_history, published_matchups, published_styles, show_matchups
from arena.cli.commands import Command
from arena.cli.online import service, url_option
from arena.cli.output import fitting
from arena.cli.params import KIND
from arena.cli.progress import progress_bar
from arena.cli.records import read_state
from arena.client import Client
from arena.errors import UnknownPreset
from arena.games import GAMES, game_of
from arena.games.descriptor import Game
from arena.inputs.reading import json_value, read_file
from arena.installation import not_installed
from arena.play.board_names import BoardName
from arena.play.players import DIVISIONS
from arena.ratings.results import GroupResult, Results
from arena.ratings.supplement import NO_SUPPLEMENT, Supplement

if TYPE_CHECKING:
    from arena.client.types import BoardSummary
    from arena.ratings.board import Board

Wanted = Callable[[str, str, str], bool]
"""Returns whether to show a board (see :class:`~arena.play.board_names.BoardName`)."""


@click.command(
    cls=Command,
    examples=(
        "botequim leaderboard records.jsonl",
        "botequim leaderboard records.jsonl --kind toepen --supplement supplement.json",
        "botequim leaderboard --online --kind truco --json",
        "botequim leaderboard --history --bot my-bot --kind truco --division sealed",
    ),
)
@click.argument("files", nargs=-1, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--kind", type=KIND, help="Only this game.")
@click.option("--preset", help="Only this preset of rules, such as duel@1.")
@click.option("--division", type=click.Choice(DIVISIONS), help="Only this division.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "csv"]), default="text", show_default=True
)
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
@click.option(
    "--online",
    is_flag=True,
    help="Show the boards published by the service or, with FILEs, compare the computed boards with them.",
)
@click.option(
    "--supplement",
    "supplements",
    multiple=True,
    metavar="FILE",
    type=click.Path(),
    help="The supplement of a board, downloaded from a service; can be repeated.",
)
@click.option("--luck", is_flag=True, help="With FILEs: also show ratings without the luck of the cards.")
@click.option("--matchups", is_flag=True, help="Show the matchups of the boards instead.")
@click.option("--history", is_flag=True, help="Show the daily ratings published by the service instead.")
@click.option("--bot", help="With --history: only this bot.")
@click.option(
    "--styles", is_flag=True, help="Show playing-style statistics for the service's boards instead."
)
@url_option
def leaderboard(
    files: tuple[str, ...],
    kind: str | None,
    preset: str | None,
    division: str | None,
    form: str,
    as_json: bool,
    online: bool,
    supplements: tuple[str, ...],
    luck: bool,
    matchups: bool,
    history: bool,
    bot: str | None,
    styles: bool,
    url: str,
) -> int:
    """Rate the bots in the game records of the FILEs (JSON lines, also gzipped; - is stdin).

    The command prints one leaderboard per preset and division, equal to that of an arena with these records,
    and the hash of the records. Games whose rules match no preset are on none. The order of records does not
    matter, and duplicates are ignored. Hashes are checked; 'botequim verify' checks everything else.
    'botequim records' downloads the records of a service.

    The command reports incomplete records: if games of a group are missing, if a download was interrupted, or
    if the board that the service published at that time was based on other records. With --online, it
    compares the boards with those that the service publishes now; the exit code is 1 if a board differs.

    A service also publishes a supplement of each board: which bots were withdrawn, and so have no rank. It is
    downloaded with --online, or read from the files given by --supplement.

    --luck measures the luck in every game, which takes a few milliseconds each, and also shows ratings
    without it. A service always publishes these as well.

    --matchups covers the best 50 ranked bots of boards with two sides. It shows the score share of every pair
    with its interval, whether the ratings fit it, the worst opponent of each bot, and Nash averaging.
    --history and --styles show more data that a service publishes for its boards.
    """
    games = GAMES.values() if kind is None else [game_of(kind)]
    if preset is not None:
        _check_preset(preset, games)

    def wanted(own_kind: str, own_division: str, own_preset: str) -> bool:
        is_it = kind in (None, own_kind) and division in (None, own_division)
        return is_it and preset in (None, own_preset)

    form = "json" if as_json else form
    if matchups + history + styles > 1:
        raise click.UsageError("use only one of --matchups, --history and --styles")
    if bot is not None and not history:
        raise click.UsageError("--bot requires --history")
    if (history or styles) and files:
        raise click.UsageError("--history and --styles read from a service and cannot be used with FILE")
    if supplements and not files:
        raise click.UsageError("--supplement requires FILE")
    if not files:
        if not (online or history or styles):
            raise click.UsageError(
                "Missing argument 'FILE...'. To show the boards of a service, use --online."
            )
        client = service(url)
        names = _published_names(client, wanted)
        if history:
            click.echo(published_history(client, names, form, bot), nl=False)
        elif styles:
            click.echo(published_styles(client, names, form), nl=False)
        else:
            published = published_matchups if matchups else _published
            click.echo(published(client, names, form), nl=False)
        return 0
    if find_spec("numpy") is None:
        raise not_installed("'botequim leaderboard'", "numpy", "ratings")
    if matchups and find_spec("scipy") is None:
        raise not_installed("'botequim leaderboard --matchups'", "scipy", "ratings")
    from arena.ratings.board import boards_csv, ledger_board, ledgers

    results = Results(luck=luck)
    with progress_bar("reading", len(files), "files") as progress:
        for number, file in enumerate(files, start=1):
            results.add_file(file)
            progress(number)
    groups = [group for group in results.groups() if wanted(group.kind, group.division, group.preset or "")]
    counted = ledgers(groups)
    publisher = service(url) if online else None
    known = dict(map(_read_supplement, supplements))
    if publisher is not None:
        known |= _published_supplements(publisher, [one.board for one in counted if one.board not in known])
    found = [ledger_board(ledger, known.get(ledger.board, NO_SUPPLEMENT)) for ledger in counted]
    remarks, complete = _downloads(files, found, wanted)
    differences: list[str] = []
    if publisher is not None:
        differences = _differences(publisher.leaderboards(), found, wanted, f"{url} publishes")
        remarks += differences
        complete = complete or not differences
    if not complete:
        remarks = [*_incomplete(groups), *remarks]
    if matchups:
        others = show_matchups(counted, found, known, form, remarks, publisher)
        return 1 if differences or others else 0
    if form == "json":
        shown: dict[str, Any] = {"boards": [board.as_json() for board in found]}
        if remarks:
            shown["partial"] = remarks
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
    elif form == "csv":
        click.echo(boards_csv(found), nl=False)
        for remark in remarks:
            click.echo(f"botequim: {remark}", err=True)
    else:
        text = "\n".join(board.as_text() for board in found)
        click.echo(fitting(text, lambda: boards_csv(found)), nl=False)
        if online and not differences:
            click.echo(f"These are the boards published by {url}.")
        for remark in remarks:
            click.echo(f"ONLY A PART: {remark}")
        counting = [group for group in groups if group.counts_for]
        free = sum(group.board is None for group in counting)
        click.echo(
            f"{results.games} records; left out: {results.unrated} games that are not rated, "
            f"{len(groups) - len(counting)} groups that do not count, "
            f"{free} groups whose rules match no preset"
        )
    return 1 if differences else 0


def _check_preset(name: str, games: Collection[Game]) -> None:
    presets = dict.fromkeys(preset.name for game in games for preset in game.presets)
    if name not in presets:
        raise UnknownPreset.among("there is no preset", name, list(presets))


def _name(board: BoardSummary) -> BoardName:
    """Return the name of a board in a service's list."""
    return BoardName(board["kind"], board["division"], board["preset"])


def _published_names(client: Client, wanted: Wanted) -> list[BoardName]:
    """Return the published boards of a service."""
    return [
        name
        for board in client.leaderboards()
        if board["published_ms"] is not None and wanted(*(name := _name(board)))
    ]


def _published(client: Client, names: Sequence[BoardName], form: str) -> str:
    """Return the published boards of a service."""
    if form == "json":
        boards = [
            json.loads(client.leaderboard(name.kind, name.division, preset=name.preset)) for name in names
        ]
        for board in boards:
            del board["cursor"]
        return json.dumps({"boards": boards}, indent=2, ensure_ascii=False) + "\n"
    texts = [client.leaderboard(name.kind, name.division, form, preset=name.preset) for name in names]
    if form == "text":
        text = "\n".join(texts) if texts else "no board has been published\n"
        return fitting(text, lambda: _published(client, names, "csv"))
    # All boards share one header line.
    return "".join(text if number == 0 else text.partition("\n")[2] for number, text in enumerate(texts))


def _read_supplement(path: str) -> tuple[BoardName, Supplement]:
    """Return the board and its supplement in a file. Raises :class:`~arena.errors.ArenaError`."""
    return Supplement.from_json(json_value(read_file(path, "supplement"), path, "supplement"))


def _published_supplements(client: Client, names: Sequence[BoardName]) -> dict[BoardName, Supplement]:
    """Return the supplements that a service publishes."""
    return dict(
        Supplement.from_json(client.supplement(name.kind, name.division, preset=name.preset))
        for name in names
    )


def _incomplete(groups: Sequence[GroupResult]) -> list[str]:
    count = sum(group.lacks_games for group in groups)
    return [f"games of {count} groups are missing, which do not count"] if count else []


def _downloads(files: Sequence[str], found: Sequence[Board], wanted: Wanted) -> tuple[list[str], bool]:
    """Return what downloaded files lack according to their state files, and whether any of them is
    complete.
    """
    states = [
        (file, state) for file in files if file != "-" and (state := read_state(Path(file))) is not None
    ]
    remarks = [
        f"the download of {file} is not complete; 'botequim records --out {file}' continues it"
        for file, state in states
        if not state.finished
    ]
    if len(files) == 1 and states and states[0][1].finished:
        ((_, state),) = states
        remarks += _differences(state.boards, found, wanted, f"{state.url} had published")
        return remarks, not remarks
    return remarks, False


def _differences(
    published: Sequence[BoardSummary], found: Sequence[Board], wanted: Wanted, who: str
) -> list[str]:
    """Return what the computed boards lack compared to the published ones. ``who`` begins a phrase that says
    who published them.

    A computed board without a published one is not a difference, because boards are published some seconds
    after the records.
    """
    computed = {BoardName(board.kind, board.division, board.preset): board for board in found}
    remarks = []
    for other in published:
        place = _name(other)
        if not wanted(*place) or not other["records"]:
            continue
        own = computed.get(place)
        records, digest = (0, "") if own is None else (own.records, own.records_hash)
        if digest != other["records_hash"] and records <= other["records"]:
            remarks.append(
                f"{place.title}: {records} records count here, but {who} the board of "
                f"{other['records']} records with the hash {other['records_hash']}"
            )
        elif (
            own is not None
            and digest == other["records_hash"]
            and own.supplement_hash != other["supplement_hash"]
        ):
            remarks.append(
                f"{place.title}: the supplement has the hash {own.supplement_hash} here, but {who} the board "
                f"with the supplement {other['supplement_hash']}"
            )
    return remarks
