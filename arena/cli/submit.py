"""``botequim bot submit``: hand in a bot, and see it qualify."""

from __future__ import annotations

import base64
import hashlib
import time
from pathlib import Path
from typing import Any, Final

import click

from arena.client import Client
from arena.client.http import ApiError
from arena.errors import ArenaError
from arena.games import GAMES

_PAUSE: Final = 0.5


class NotQualified(ArenaError):
    """The bot did not qualify."""

    code = "not_qualified"


def submit_bot(
    client: Client, file: Path, name: str, label: str | None, kinds: tuple[str, ...], seconds: float
) -> None:
    """Register the bot of ``file``, or add it as a version, wait until it has qualified, and print how that
    went. Without ``kinds`` one game in which it qualifies is enough.

    Raises :class:`NotQualified`, or what the client raises.
    """
    version = _upload(client, file, name, label)
    path = f"/v1/bots/{name}/versions/{version}/qualifications"
    wanted = kinds or tuple(GAMES)
    for kind in wanted:
        client.request("POST", path, {"kind": kind})
    states = _wait(client, path, wanted, seconds)
    failed = []
    for kind in wanted:
        told = states[kind]
        if told["state"] == "qualified":
            click.echo(f"{kind}: qualified; watch {client.url}/leaderboards/{kind}/sealed")
            continue
        why = told["reason"] or "it is not over yet"
        failed.append(f"{kind}: {why}" + (f" ({told['detail']})" if told["detail"] else ""))
    if len(failed) > (0 if kinds else len(wanted) - 1):
        raise NotQualified(f"{name} {version} did not qualify: " + " | ".join(failed))
    for line in failed:
        click.echo(f"{line}; it will not play that game")


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
    path = f"/v1/bots/{name}/versions"
    client.request("POST", path, {"label": version, **body}, repeatable=False)
    click.echo(f"{name} {version}: added")
    return version


def _known(client: Client, name: str) -> dict[str, Any] | None:
    try:
        known: dict[str, Any] = client.request("GET", f"/v1/bots/{name}")
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
    until = time.monotonic() + seconds
    while True:
        told = client.request("GET", path)["qualifications"]
        states = {one["kind"]: one for one in told if one["kind"] in kinds}
        if all(one["state"] != "qualifying" for one in states.values()) or time.monotonic() > until:
            return states
        time.sleep(_PAUSE)
