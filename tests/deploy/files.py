"""The files of the deployment as the tests read them: what compose and the image builder make of them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.service import ROOT

Services = dict[str, dict[str, Any]]

_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}")

PASSWORD = "password0of0the0tests"


def compose() -> dict[str, Any]:
    """docker-compose.yml as written."""
    return dict(yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))


def services(settings: Mapping[str, str] | None = None) -> Services:
    """The services, with the variables filled in from ``settings`` or by their defaults."""
    given = {"BOTEQUIM_REDIS_PASSWORD": PASSWORD, **(settings or {})}
    filled: Services = _filled(compose()["services"], given)
    return filled


def interpolated() -> set[str]:
    """The variables that docker-compose.yml takes from its environment."""
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    return {name for name, _ in _VARIABLE.findall(text)}


def _filled(value: Any, settings: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(inner, settings) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, settings) for inner in value]
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: settings.get(found[1]) or found[2] or "", value)
    return value


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile and what follows each, continued lines joined."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def last_stage() -> dict[str, str]:
    """The instructions of the stage that becomes the image; of a repeated one the last."""
    found = instructions()
    start = max(index for index, (name, _) in enumerate(found) if name == "FROM")
    return dict(found[start:])


def health_command() -> list[str]:
    """The command of the image's HEALTHCHECK."""
    command: list[str] = json.loads(last_stage()["HEALTHCHECK"].partition(" CMD ")[2])
    return command


def copied() -> list[tuple[str, str]]:
    """The paths that the image builder copies from this tree, each with where to (below its folder)."""
    pairs = []
    for name, rest in instructions():
        if name == "COPY" and "--from=" not in rest:
            *sources, target = shlex.split(rest)
            pairs += [(source, source if target == "./" else target) for source in sources]
    return pairs


def is_sent(path: str) -> bool:
    """Whether .dockerignore lets ``path`` (below the top, with slashes) through to the image builder.

    The last pattern that matches the path or a folder above it decides.
    """
    parts = path.split("/")
    chain = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    sent = True
    for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines():
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        matches = re.compile(_expression(pattern.lstrip("!"))).fullmatch
        if any(map(matches, chain)):
            sent = pattern.startswith("!")
    return sent


def _expression(pattern: str) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.strip("/"))
    meant = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return "".join(meant.get(part, re.escape(part)) for part in parts)


def copy_context(folder: Path) -> None:
    """Put into ``folder`` what the image builder would have there after its COPY instructions."""
    for source, target in copied():
        top = ROOT / source
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and is_sent(path.relative_to(ROOT).as_posix()):
                place = folder / target / path.relative_to(top) if path != top else folder / target
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, place)
