"""``botequim bot submit``: uploads a bot and waits for its qualification."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import click

from arena.cli.ranks import Situation, await_ranks, board_page, shown, words
from arena.client import Client
from arena.client.bots import UploadPending
from arena.client.http import DEFAULT_URL, ApiError
from arena.errors import ArenaError, UnknownPreset
from arena.games import GAMES, game_of
from arena.inputs.reading import read_file
from arena.play.board_names import BoardName
from arena.play.players import SEALED, PlayerId
from arena.records.decisions import decisions
from arena.records.record import Record
from arena.records.verify import verify
from arena.tournaments.outlook import RESTS, BoardStanding

if TYPE_CHECKING:
    from arena.client.types import Bot, Qualification, Upload

_PAUSE: Final = 0.5
_LONG: Final = 20.0
"""Seconds of waiting after which a line explains the wait."""

_STATES: Final = {
    "received": "received; waiting for a worker to compile and load it",
    "compiled": "compiled; being loaded",
    "loaded": "loaded; being added",
}
_REFUSED: Final = ("compile_failed", "load_failed", "upload_not_checked")


QUALIFYING: Final = 600.0
RANKING: Final = 120.0
"""The default time limits, in seconds, for the check of an upload and the qualification, and then for a
rank.
"""


class Patience:
    """The total time limit of a command: by default :data:`QUALIFYING`, and then :data:`RANKING`."""

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.given = QUALIFYING if seconds is None else seconds
        self._ranking = RANKING if seconds is None else None
        self._clock = clock
        self._start = clock()

    @property
    def qualifying(self) -> float:
        """The seconds left for the qualification."""
        return max(0.0, self.given - (self._clock() - self._start))

    @property
    def ranking(self) -> float:
        """The seconds left for the rank of a bot that has just qualified."""
        return self.qualifying if self._ranking is None else self._ranking


class Submitted(NamedTuple):
    """A qualified version and its situations on boards."""

    version: str
    situations: Mapping[BoardName, Situation]

    @property
    def ranks(self) -> Sequence[Mapping[str, object]]:
        """The situations as a JSON value."""
        return [
            {
                "kind": board.kind,
                "preset": board.preset,
                "state": following.state,
                "says": following.words,
                "tournament": following.tournament,
                **(dict.fromkeys(BoardStanding._fields) if place is None else place._asdict()),
            }
            for board, (place, following) in self.situations.items()
        ]


class _UnreadableSource(ArenaError):
    """The file of the bot cannot be read."""

    code = "invalid_source"


class NotQualified(ArenaError):
    """The bot did not qualify. If ``over``, nothing is in progress any longer."""

    code = "not_qualified"
    over = True


def submit_bot(
    client: Client,
    file: Path,
    name: str,
    label: str | None,
    kinds: tuple[str, ...],
    patience: Patience,
    tournaments: bool | None = None,
    preset: str | None = None,
) -> Submitted:
    """Register the bot in ``file``, or add it as a version, and wait for its qualification and then its rank.
    Print both, or what the rank is waiting for.

    Without ``kinds``, the bot qualifies in the games that it plays, and one of them is enough.
    ``tournaments`` sets whether the bot takes part in scheduled tournaments; None leaves that unchanged.
    ``preset`` requires a single kind; the bot then qualifies for this preset instead of the game. Raises
    :class:`NotQualified` and the errors of the client.
    """
    if preset is not None and len(kinds) != 1:
        raise UnknownPreset("--preset requires a single game", field="preset", expected="exactly one --kind")
    # This comes before the upload, so that an unknown preset is refused at once.
    _boards(kinds, preset)
    version, is_new = _upload(client, file, name, label, patience.qualifying, tournaments)
    bot = client.bot(name)
    takes_part = bot["tournaments"]
    boards = _boards(kinds or _games(bot, version), preset)
    # A new version qualifies automatically; an existing one can try again.
    known = _states(client, name, version, boards)
    for board in boards:
        if board not in known or (known[board]["state"] == "failed" and not is_new):
            known[board] = client.qualify(name, version, board.kind, preset=board.preset)
    begun = [shown(board) for board in boards if known[board]["state"] == "qualifying"]
    if begun:
        click.echo(f"{name} {version}: qualifying in {' and '.join(begun)}")
    states = _wait(client, name, version, boards, patience.qualifying)
    failed = {
        board: _why(states[board], patience) for board in boards if states[board]["state"] != "qualified"
    }
    if len(failed) <= (0 if kinds else len(boards) - 1):
        for board, why in failed.items():
            out = "; the bot will not play this game" if states[board]["state"] == "failed" else ""
            click.echo(f"{shown(board)}: {why}{out}")
        qualified = [board for board in boards if board not in failed]
        player = PlayerId(name, version)
        return Submitted(version, _echo_standing(client, player, qualified, takes_part, patience.ranking))
    for board in failed:
        again = _again(client, states[board], name, file)
        if again:
            click.echo(f"{shown(board)}: to repeat this decision, with your token in BOTEQUIM_TOKEN: {again}")
    over = any(states[board]["state"] == "failed" for board in failed)
    raise _not_qualified(name, version, failed, over)


def qualify_bot(
    client: Client, name: str, kind: str, preset: str | None, label: str | None, patience: Patience
) -> Submitted:
    """Start the qualification of a version of a bot (by default the current one), wait for the outcome, and
    print it. For an uploaded bot, also wait for its rank.

    Raises :class:`NotQualified` and the errors of the client.
    """
    (board,) = _boards((kind,), preset)
    bot = client.bot(name)
    version = label or bot["version"]
    if version is None:
        raise NotQualified(f"the first upload of {name} has not been checked yet")
    state = client.qualify(name, version, kind, preset=board.preset)
    if state["state"] == "qualifying":
        click.echo(f"{name} {version}: qualifying in {shown(board)}")
        state = _wait(client, name, version, (board,), patience.qualifying)[board]
    if state["state"] != "qualified":
        over = state["state"] == "failed"
        raise _not_qualified(name, version, {board: _why(state, patience)}, over)
    if version == bot["version"] and _is_uploaded(bot):
        takes_part = bot["tournaments"]
        player = PlayerId(name, version)
        return Submitted(version, _echo_standing(client, player, (board,), takes_part, patience.ranking))
    click.echo(f"{shown(board)}: qualified; watch {board_page(client, board)}")
    return Submitted(version, {})


def _is_uploaded(bot: Bot) -> bool:
    """Return whether the arena runs the current version of the bot."""
    return any(one["label"] == bot["version"] and one["transport"] == "uploaded" for one in bot["versions"])


def _games(bot: Bot, label: str) -> tuple[str, ...]:
    """Return the games that a version plays."""
    named = next((one["games"] for one in bot["versions"] if one["label"] == label), ())
    return tuple(kind for kind in GAMES if not named or kind in named)


def _boards(kinds: Iterable[str], preset: str | None) -> tuple[BoardName, ...]:
    """Return the boards for which a bot qualifies: those of the games' first presets, or of ``preset``.
    Raises :class:`~arena.errors.UnknownPreset`.
    """
    found = []
    for kind in kinds:
        game = game_of(kind)
        found.append(BoardName.of(kind, SEALED, game.discipline(game.preset(preset).rules).name))
    return tuple(found)


def _echo_standing(
    client: Client, player: PlayerId, boards: Sequence[BoardName], takes_part: bool, seconds: float
) -> dict[BoardName, Situation]:
    """Wait for the ranks of a version that has qualified for the boards. Print them, or what they are waiting
    for. An interrupt ends the wait and is re-raised.
    """
    for board in boards:
        click.echo(f"{shown(board)}: qualified; watch {board_page(client, board)}")
    if not takes_part:
        click.echo(f"{player.name}: {RESTS}; use --tournaments to change that")
        return {}
    found: dict[BoardName, Situation] = {}
    try:
        await_ranks(client, boards, player, seconds, found)
    finally:
        for board, (place, following) in found.items():
            if place is not None:
                so_far = " so far" if following.state == "plays" and place.rank is not None else ""
                click.echo(f"{shown(board)}: {place.words}{so_far}: {board_page(client, board)}")
            if place is None or place.rank is None or following.state == "plays":
                click.echo(f"{shown(board)}: {words(following, client.url)}")
        if any(following.state in ("plays", "waits") for _, following in found.values()):
            click.echo("the service continues by itself; to continue waiting, repeat the command")
    return found


def _why(state: Qualification, patience: Patience) -> str:
    """Return why a version has not qualified."""
    if state["state"] == "failed":
        return str(state["reason"]) + (f" ({state['detail']})" if state["detail"] else "")
    return f"not over after {patience.given:g} s; to continue waiting, repeat the command"


def _not_qualified(name: str, version: str, failed: Mapping[BoardName, str], over: bool) -> NotQualified:
    what = "did not qualify" if over else "has not qualified yet"
    explained = " | ".join(f"{shown(board)}: {why}" for board, why in failed.items())
    message = f"{name} {version} {what}: {explained}"
    return NotQualified(message) if over else _pending(message)


def _pending(message: str) -> NotQualified:
    pending = NotQualified(message)
    pending.over = False
    return pending


def _again(client: Client, state: Qualification, name: str, file: Path) -> str:
    """Return the command that runs the bot again at the decision where it forfeited, or an empty text if the
    decision is unknown.
    """
    if state["state"] != "failed":
        return ""
    groups = client.groups(state["tournament"])
    for game in [game for group in groups if group["forfeits"] for game in group["games"]]:
        record = client.record(game)
        canonical = record["canonical"]
        if verify(record):
            continue
        for seat in canonical["outcome"]["forfeits"]:
            if canonical["players"][seat]["name"] != name:
                continue
            *_, last = [one for one in decisions(cast(Record, record)) if one.seat == seat]
            service = "" if client.url == DEFAULT_URL else f" --url {shlex.quote(client.url)}"
            bot = shlex.quote(str(file))
            return (
                f"botequim game record {game}{service} | "
                f"botequim bot debug - --turn {last.id} --bot {bot} --sandbox"
            )
    return ""


def _upload(
    client: Client, file: Path, name: str, label: str | None, seconds: float, tournaments: bool | None
) -> tuple[str, bool]:
    """Return the label of the version with this file, and whether it is new. Raises :class:`NotQualified` if
    the upload is refused or not checked in time.
    """
    data = read_file(file, "file", _UnreadableSource)
    body: dict[str, Any] = {"transport": "uploaded"}
    body[{".wasm": "module", ".js": "javascript"}.get(file.suffix, "source")] = data
    body |= {"wait": seconds, "on_upload": _show}
    known = _known(client, name)
    version = label or "1"
    try:
        if known is None:
            if tournaments is not None:
                body["tournaments"] = str(tournaments).lower()
            client.create_bot(name, version=version, **body)
            click.echo(f"{name} {version}: registered")
            return version, True
        if tournaments is not None:
            client.change_bot(name, tournaments=tournaments)
        taken = [one["label"] for one in known["versions"]]
        taken += [one["version"] for one in client.uploads(name)]
        version = label or _next_label(taken)
        made = client.add_version(name, version, **body)
        version = str(made["label"])
    except UploadPending as error:
        raise _pending(f"{error.message}; to continue waiting, repeat the command") from None
    except ApiError as error:
        if error.code not in _REFUSED:
            raise
        raise NotQualified(f"{name} {version} was refused: {error.message} ({error.code})") from None
    is_new = bool(made["added"])
    click.echo(f"{name} {version}: {'added' if is_new else 'already has this source'}")
    return version, is_new


def _show(upload: Upload) -> None:
    click.echo(f"{upload['bot']} {upload['version']}: {_STATES[upload['state']]}", err=True)


def _known(client: Client, name: str) -> Bot | None:
    try:
        return client.bot(name)
    except ApiError as error:
        if error.matches("bot_not_found"):
            return None
        raise


def _next_label(labels: list[str]) -> str:
    numbers = [int(label) for label in labels if label.isascii() and label.isdecimal()]
    return str(max([*numbers, len(labels)]) + 1)


def _states(
    client: Client, name: str, version: str, boards: Collection[BoardName]
) -> dict[BoardName, Qualification]:
    """Return the qualifications of a version for ``boards``."""
    found = {
        BoardName(one["kind"], SEALED, one["preset"]): one for one in client.qualifications(name, version)
    }
    return {board: found[board] for board in boards if board in found}


def _wait(
    client: Client, name: str, version: str, boards: Collection[BoardName], seconds: float
) -> dict[BoardName, Qualification]:
    """Wait until no qualification for ``boards`` is in progress, and return them."""
    start = time.monotonic()
    explained = False
    while True:
        states = _states(client, name, version, boards)
        waited = time.monotonic() - start
        if all(one["state"] != "qualifying" for one in states.values()) or waited > seconds:
            return states
        if waited > _LONG and not explained:
            explained = True
            click.echo(
                "still waiting; a new service first builds its sandbox, which takes a minute or two", err=True
            )
        time.sleep(_PAUSE)
