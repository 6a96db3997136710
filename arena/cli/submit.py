"""``botequim bot submit``: upload a bot and wait for its qualification."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click

from arena.client import Client
from arena.client.bots import UploadPending
from arena.client.http import DEFAULT_URL, ApiError
from arena.errors import ArenaError, InvalidOption, UnknownPreset
from arena.games import GAMES, game_of
from arena.play.board_names import BoardName
from arena.play.players import SEALED, PlayerId
from arena.records.decisions import decisions
from arena.records.verify import verify
from arena.tournaments.spec import DEFAULT_ENTRY_S, scheduled_id

_PAUSE: Final = 0.5
_LONG: Final = 20.0
"""Seconds after which the wait is explained."""

_LOOKED_AT: Final = 50

_STATES: Final = {
    "received": "received; waits for a worker, which compiles and loads it",
    "compiled": "compiled; is being loaded",
    "loaded": "loaded; is being added",
}
_RESTS: Final = "takes part in no scheduled tournament; --tournaments changes that"
_REFUSED: Final = ("compile_failed", "load_failed", "upload_not_checked")


class NotQualified(ArenaError):
    """The bot did not qualify. ``over``: nothing is under way any more."""

    code = "not_qualified"
    over = True


def submit_bot(
    client: Client,
    file: Path,
    name: str,
    label: str | None,
    kinds: tuple[str, ...],
    seconds: float,
    tournaments: bool | None = None,
    preset: str | None = None,
) -> str:
    """Register the bot of ``file``, or add it as a version, wait for its qualification, and print the result
    and when it plays next. Returns the version. Without ``kinds`` it qualifies in the games that it plays,
    of which one is enough.
    ``tournaments``: whether the bot takes part in scheduled tournaments, None to leave that as it is.
    ``preset``: of the only one of ``kinds``, for which it qualifies in place of the game.

    Raises :class:`NotQualified` and the errors of the client.
    """
    if preset is not None and len(kinds) != 1:
        raise UnknownPreset("--preset is one of a game", field="preset", expected="one --kind with it")
    # Before the upload, so that an unknown preset is refused at once.
    _boards(kinds, preset)
    start = time.monotonic()
    version, is_new = _upload(client, file, name, label, seconds, tournaments)
    bot = client.bot(name)
    takes_part = bot.get("tournaments", True)
    boards = _boards(kinds or _games(bot, version), preset)
    seconds = max(0.0, seconds - (time.monotonic() - start))
    # A new version qualifies by itself; another may try again.
    known = _states(client, name, version, boards)
    for board in boards:
        if board not in known or (known[board]["state"] == "failed" and not is_new):
            known[board] = client.qualify(name, version, board.kind, preset=_named(board))
    begun = [_shown(board) for board in boards if known[board]["state"] == "qualifying"]
    if begun:
        click.echo(f"{name} {version}: qualifies in {' and '.join(begun)}")
    states = _wait(client, name, version, boards, seconds)
    failed = {}
    for board in boards:
        state = states[board]
        if state["state"] == "qualified":
            _echo_qualified(client, board, PlayerId(name, version), takes_part)
        else:
            failed[board] = _why(state, seconds)
    if len(failed) <= (0 if kinds else len(boards) - 1):
        for board, why in failed.items():
            out = "; it will not play that game" if states[board]["state"] == "failed" else ""
            click.echo(f"{_shown(board)}: {why}{out}")
        return version
    for board in failed:
        again = _again(client, states[board], name, file)
        if again:
            click.echo(f"{_shown(board)}: to run it again there, with your token in BOTEQUIM_TOKEN: {again}")
    over = any(states[board]["state"] == "failed" for board in failed)
    raise _not_qualified(name, version, failed, over)


def qualify_bot(
    client: Client, name: str, kind: str, preset: str | None, label: str | None, seconds: float
) -> str:
    """Let a version of a bot qualify, by default the current one, wait until that is over, and print the
    result. Returns the version. Raises :class:`NotQualified` and the errors of the client.
    """
    (board,) = _boards((kind,), preset)
    version = label or client.bot(name)["version"]
    if version is None:
        raise NotQualified(f"the first upload of {name} has not been checked yet")
    state = client.qualify(name, version, kind, preset=_named(board))
    if state["state"] == "qualifying":
        click.echo(f"{name} {version}: qualifies in {_shown(board)}")
        state = _wait(client, name, version, (board,), seconds)[board]
    if state["state"] != "qualified":
        over = state["state"] == "failed"
        raise _not_qualified(name, version, {board: _why(state, seconds)}, over)
    click.echo(f"{_shown(board)}: qualified; watch {_page(client, board)}")
    return str(version)


def _games(bot: Mapping[str, Any], label: str) -> tuple[str, ...]:
    """The games that a version plays. Earlier releases do not say so."""
    named = next((one.get("games", ()) for one in bot["versions"] if one["label"] == label), ())
    return tuple(kind for kind in GAMES if not named or kind in named)


def _boards(kinds: Iterable[str], preset: str | None) -> tuple[BoardName, ...]:
    """The boards of the first presets of games, or of ``preset``, for which a bot qualifies. Raises
    :class:`~arena.errors.UnknownPreset`.
    """
    found = []
    for kind in kinds:
        game = game_of(kind)
        found.append(BoardName.of(kind, SEALED, game.discipline(game.preset(preset).rules).name))
    return tuple(found)


def _named(board: BoardName) -> str | None:
    """The preset of a request: earlier releases have none."""
    return None if board.is_first else board.preset


def _shown(board: BoardName) -> str:
    return board.kind if board.is_first else f"{board.kind}/{board.preset}"


def _page(client: Client, board: BoardName) -> str:
    preset = "" if board.is_first else f"?preset={board.preset}"
    return f"{client.url}/leaderboards/{board.kind}{preset}"


def _echo_qualified(client: Client, board: BoardName, player: PlayerId, takes_part: bool) -> None:
    click.echo(f"{_shown(board)}: qualified; watch {_page(client, board)}")
    for line in outlook(client, board, player) if takes_part else (_RESTS,):
        click.echo(f"{_shown(board)}: {line}")


def _why(state: Mapping[str, Any], seconds: float) -> str:
    """Why a version has not qualified."""
    if state["state"] == "failed":
        return str(state["reason"]) + (f" ({state['detail']})" if state["detail"] else "")
    return f"not over after {seconds:g} s; repeat the command to go on waiting"


def _not_qualified(name: str, version: str, failed: Mapping[BoardName, str], over: bool) -> NotQualified:
    what = "did not qualify" if over else "has not qualified yet"
    explained = " | ".join(f"{_shown(board)}: {why}" for board, why in failed.items())
    message = f"{name} {version} {what}: {explained}"
    return NotQualified(message) if over else _pending(message)


def _pending(message: str) -> NotQualified:
    pending = NotQualified(message)
    pending.over = False
    return pending


def outlook(client: Client, board: BoardName, player: PlayerId) -> Iterator[str]:
    """The rank of a qualified version, if it has played enough, and when it plays next."""
    rank = _rank(client, board, player)
    if rank:
        yield rank
    page = f"{client.url}/tournaments/"
    event = _open_event(client, board)
    if event is not None:
        yield f"{_plays(event['name'], event['locks_ms'])}: {page}{event['id']}"
        return
    schedule = _next_schedule(client, board)
    if schedule is None:
        yield (
            "no tournament is planned that enters uploaded bots automatically; "
            "'botequim tournament list' lists all tournaments"
        )
        return
    template = schedule["tournament"]
    locks_ms = schedule["next_ms"] + 1000 * template.get("entry_s", DEFAULT_ENTRY_S)
    if rank:
        yield f"plays on in {template['name']!r} when there is one, at {_clock(locks_ms)} at the earliest"
        return
    event_id = scheduled_id(schedule["id"], schedule["next_ms"])
    begins = _clock(schedule["next_ms"])
    yield f"{_plays(template['name'], locks_ms)}: {page}{event_id} (from {begins} on)"


def _rank(client: Client, board: BoardName, player: PlayerId) -> str:
    """The rank of a version, empty if it has none."""
    rows = json.loads(client.leaderboard(board.kind, SEALED, preset=_named(board)))["rows"]
    ranked = [row for row in rows if row["rank"] is not None and not row["provisional"]]
    for row in ranked:
        if (row["name"], row["version"]) == player:
            interval = f"{row['low']}-{row['high']}"
            return (
                f"rank {row['rank']} of {len(ranked)}, {row['rating']} ({interval}), {row['groups']} groups"
            )
    return ""


def _open_event(client: Client, board: BoardName) -> dict[str, Any] | None:
    """The tournament that locks next and that enters uploaded bots automatically."""
    found = [
        one
        for state in ("entry", "announced")
        for one in client.tournaments(state=state, kind=board.kind, limit=_LOOKED_AT)
        if _takes_all(one, board)
    ]
    return min(found, key=lambda one: one["locks_ms"], default=None)


def _next_schedule(client: Client, board: BoardName) -> dict[str, Any] | None:
    """The schedule that fires next and whose tournaments enter uploaded bots automatically."""
    found = [
        one
        for one in client.schedules()
        if one["enabled"] and one["next_ms"] is not None and _takes_all(one["tournament"], board)
    ]
    return min(found, key=lambda one: one["next_ms"], default=None)


def _takes_all(settings: Mapping[str, Any], board: BoardName) -> bool:
    """Whether a tournament with these settings automatically enters uploaded bots that have qualified for
    ``board``.
    """
    return (
        settings.get("division") == SEALED
        and bool(settings.get("auto_enter"))
        and settings.get("who", "anyone") == "anyone"
        and settings["kind"] == board.kind
        and _discipline(settings) == board.preset
    )


def _discipline(settings: Mapping[str, Any]) -> str | None:
    """The preset for which bots qualify in a tournament; None if only a later release knows its rules."""
    game = game_of(settings["kind"])
    with suppress(InvalidOption, UnknownPreset):
        return game.discipline(game.rules_of(settings)).name
    return None


def _plays(name: str, locks_ms: int) -> str:
    minutes = (locks_ms / 1000 - time.time()) / 60
    soon = "in less than a minute" if minutes < 1 else f"in {minutes:.0f} min"
    return f"plays in {name!r} at {_clock(locks_ms)}, {soon}"


def _clock(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%H:%M:%S} UTC"


def _again(client: Client, state: Mapping[str, Any], name: str, file: Path) -> str:
    """The command that runs the bot at the decision where it forfeited; empty if that is unknown."""
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
            *_, last = [one for one in decisions(record) if one.seat == seat]
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
    """The label of the version that holds the file, and whether it is new. Raises :class:`NotQualified` if it
    is refused, or not checked in time.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ArenaError(
            f"{file} cannot be read: {error.strerror}", code="invalid_source", field="file"
        ) from None
    body: dict[str, Any] = {"transport": "uploaded"}
    body["component" if file.suffix == ".wasm" else "source"] = data
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
        raise _pending(f"{error.message}; repeat the command to go on waiting") from None
    except ApiError as error:
        if error.code not in _REFUSED:
            raise
        raise NotQualified(f"{name} {version} is refused: {error.message} ({error.code})") from None
    # A service of an earlier release adds every upload.
    is_new = bool(made.get("added", True))
    click.echo(f"{name} {version}: {'added' if is_new else 'already has this source'}")
    return version, is_new


def _show(upload: Mapping[str, Any]) -> None:
    click.echo(f"{upload['bot']} {upload['version']}: {_STATES[upload['state']]}", err=True)


def _known(client: Client, name: str) -> dict[str, Any] | None:
    try:
        known: dict[str, Any] = client.bot(name)
    except ApiError as error:
        if error.matches("bot_not_found"):
            return None
        raise
    return known


def _next_label(labels: list[str]) -> str:
    numbers = [int(label) for label in labels if label.isascii() and label.isdecimal()]
    return str(max([*numbers, len(labels)]) + 1)


def _states(
    client: Client, name: str, version: str, boards: Collection[BoardName]
) -> dict[BoardName, dict[str, Any]]:
    """The qualifications of a version for ``boards``. Those of an earlier release have no preset, and are for
    the first one.
    """
    found = {}
    for one in client.qualifications(name, version):
        if one["kind"] in GAMES:
            first = BoardName.of(one["kind"], SEALED)
            found[first._replace(preset=one.get("preset", first.preset))] = one
    return {board: found[board] for board in boards if board in found}


def _wait(
    client: Client, name: str, version: str, boards: Collection[BoardName], seconds: float
) -> dict[BoardName, dict[str, Any]]:
    """Wait until no qualification for ``boards`` is under way; returns them."""
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
                "still waiting: a new service builds its sandbox first, which takes a minute or two", err=True
            )
        time.sleep(_PAUSE)
