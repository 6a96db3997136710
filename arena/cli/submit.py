"""``botequim bot submit``: hand in a bot, and see it qualify."""

from __future__ import annotations

import base64
import hashlib
import json
import shlex
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import click

from arena.asked import asked
from arena.client import Client
from arena.client.http import DEFAULT_URL, ApiError
from arena.errors import ArenaError
from arena.games import GAMES
from arena.ratings.results import SEALED, Player
from arena.tournaments.spec import DEFAULT_ENTRY_S, scheduled_id
from arena.verify import verify

_PAUSE: Final = 0.5
_LONG: Final = 20.0
"""Seconds after which the waiting is explained."""

_LOOKED_AT: Final = 50


class NotQualified(ArenaError):
    """The bot did not qualify."""

    code = "not_qualified"


def submit_bot(
    client: Client, file: Path, name: str, label: str | None, kinds: tuple[str, ...], seconds: float
) -> None:
    """Register the bot of ``file``, or add it as a version, wait until it has qualified, and print how that
    went, and when it plays next. Without ``kinds`` one game in which it qualifies is enough.

    Raises :class:`NotQualified`, or what the client raises.
    """
    version = _upload(client, file, name, label)
    path = f"{_path(name)}/versions/{quote(version, safe='')}/qualifications"
    wanted = kinds or tuple(GAMES)
    begun = [kind for kind in wanted if client.request("POST", path, {"kind": kind})["state"] == "qualifying"]
    if begun:
        click.echo(f"{name} {version}: qualifies in {' and '.join(begun)}")
    states = _wait(client, path, wanted, seconds)
    failed = {}
    for kind in wanted:
        told = states[kind]
        if told["state"] == "qualified":
            click.echo(f"{kind}: qualified; watch {client.url}/leaderboards/{kind}")
            for line in outlook(client, kind, Player(name, version)):
                click.echo(f"{kind}: {line}")
        elif told["state"] == "failed":
            failed[kind] = told["reason"] + (f" ({told['detail']})" if told["detail"] else "")
        else:
            failed[kind] = f"not over after {seconds:g} s; the same command goes on waiting for it"
    if len(failed) <= (0 if kinds else len(wanted) - 1):
        for kind, why in failed.items():
            out = "; it will not play that game" if states[kind]["state"] == "failed" else ""
            click.echo(f"{kind}: {why}{out}")
        return
    for kind in failed:
        again = _again(client, states[kind], name, file)
        if again:
            click.echo(f"{kind}: to ask it again: {again}")
    over = any(states[kind]["state"] == "failed" for kind in failed)
    what = "did not qualify" if over else "has not qualified yet"
    told_why = " | ".join(f"{kind}: {why}" for kind, why in failed.items())
    raise NotQualified(f"{name} {version} {what}: {told_why}")


def outlook(client: Client, kind: str, player: Player) -> Iterator[str]:
    """Where a qualified version stands, if it has played enough for that, and when it plays next."""
    rank = _rank(client, kind, player)
    if rank:
        yield rank
    page = f"{client.url}/tournaments/"
    event = _open_event(client, kind)
    if event is not None:
        yield f"{_plays(event['name'], event['locks_ms'])}: {page}{event['id']}"
        return
    schedule = _next_schedule(client, kind)
    if schedule is None:
        yield (
            "no tournament is planned that uploaded bots enter by themselves; "
            "'botequim tournament list' shows what there is"
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


def _rank(client: Client, kind: str, player: Player) -> str:
    """The rank of a version whose rating is not provisional."""
    rows = json.loads(client.leaderboard(kind, SEALED))["rows"]
    for row in rows:
        if (row["name"], row["version"]) == player and not row["provisional"]:
            interval = f"{row['low']}-{row['high']}"
            return f"rank {row['rank']} of {len(rows)}, {row['rating']} ({interval}), {row['groups']} groups"
    return ""


def _open_event(client: Client, kind: str) -> dict[str, Any] | None:
    """The tournament that locks next and that uploaded bots enter by themselves."""
    found = [
        one
        for state in ("entry", "announced")
        for one in client.tournaments(state=state, kind=kind, limit=_LOOKED_AT)
        if _takes_all(one)
    ]
    return min(found, key=lambda one: one["locks_ms"], default=None)


def _next_schedule(client: Client, kind: str) -> dict[str, Any] | None:
    """The schedule that is due next and whose tournaments uploaded bots enter by themselves."""
    found = [
        one
        for one in client.schedules()
        if one["enabled"]
        and one["next_ms"] is not None
        and one["tournament"]["kind"] == kind
        and _takes_all(one["tournament"])
    ]
    return min(found, key=lambda one: one["next_ms"], default=None)


def _takes_all(settings: Mapping[str, Any]) -> bool:
    """Whether qualified uploaded bots enter a tournament of these settings by themselves."""
    return (
        settings.get("division") == SEALED
        and bool(settings.get("auto_enter"))
        and settings.get("who", "anyone") == "anyone"
    )


def _plays(name: str, locks_ms: int) -> str:
    minutes = (locks_ms / 1000 - time.time()) / 60
    soon = "in less than a minute" if minutes < 1 else f"in {minutes:.0f} min"
    return f"plays in {name!r} at {_clock(locks_ms)}, {soon}"


def _clock(ms: int) -> str:
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%H:%M:%S} UTC"


def _again(client: Client, told: Mapping[str, Any], name: str, file: Path) -> str:
    """The command that asks the bot again where it forfeited; empty if that is not known."""
    if told["state"] != "failed":
        return ""
    groups = client.request("GET", f"/v1/tournaments/{told['tournament']}/groups")["groups"]
    for game in [game for group in groups if group["forfeits"] for game in group["games"]]:
        record = client.record(game)
        canonical = record["canonical"]
        if verify(record):
            continue
        for seat in canonical["outcome"]["forfeits"]:
            if canonical["players"][seat]["name"] != name:
                continue
            *_, last = [one for one in asked(record) if one.seat == seat]
            service = "" if client.url == DEFAULT_URL else f" --url {shlex.quote(client.url)}"
            bot = shlex.quote(str(file))
            return (
                f"botequim game record {game}{service} | "
                f"botequim bot debug - --turn {last.turn['turn']} --bot {bot} --sandbox"
            )
    return ""


def _upload(client: Client, file: Path, name: str, label: str | None) -> str:
    """The label of the version that holds the file."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ArenaError(
            f"{file} cannot be read: {error.strerror}", code="invalid_source", field="file"
        ) from None
    if file.suffix == ".wasm":
        sent = {"component": base64.b64encode(data).decode()}
    else:
        try:
            sent = {"source": data.decode()}
        except UnicodeDecodeError:
            raise ArenaError(
                f"{file} is no text", code="invalid_source", field="file", expected="Python in UTF-8"
            ) from None
    body: dict[str, Any] = {"transport": "uploaded", **sent}
    known = _known(client, name)
    if known is None:
        version = label or "1"
        client.request("POST", "/v1/bots", {"name": name, "version": version, **body}, repeatable=False)
        click.echo(f"{name} {version}: registered")
        return version
    digest = hashlib.sha256(data).hexdigest()
    current = next(one for one in known["versions"] if one["label"] == known["version"])
    if current["digest"] == digest and label in (None, current["label"]):
        click.echo(f"{name} {current['label']}: has this source already")
        return str(current["label"])
    version = label or _next_label([one["label"] for one in known["versions"]])
    path = f"{_path(name)}/versions"
    client.request("POST", path, {"label": version, **body}, repeatable=False)
    click.echo(f"{name} {version}: added")
    return version


def _path(name: str) -> str:
    return f"/v1/bots/{quote(name, safe='')}"


def _known(client: Client, name: str) -> dict[str, Any] | None:
    try:
        known: dict[str, Any] = client.request("GET", _path(name))
    except ApiError as error:
        if error.code == "unknown_bot":
            return None
        raise
    return known


def _next_label(labels: list[str]) -> str:
    numbers = [int(label) for label in labels if label.isascii() and label.isdecimal()]
    return str(max([*numbers, len(labels)]) + 1)


def _wait(client: Client, path: str, kinds: tuple[str, ...], seconds: float) -> dict[str, dict[str, Any]]:
    """The qualifications by game, as soon as none is under way."""
    start = time.monotonic()
    told_why = False
    while True:
        told = client.request("GET", path)["qualifications"]
        waited = time.monotonic() - start
        states = {one["kind"]: one for one in told if one["kind"] in kinds}
        if all(one["state"] != "qualifying" for one in states.values()) or waited > seconds:
            return states
        if waited > _LONG and not told_why:
            told_why = True
            click.echo(
                "still waiting: a new service builds its sandbox first, which takes a minute or two", err=True
            )
        time.sleep(_PAUSE)
