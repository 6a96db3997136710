"""Builds the pip command that adds the libraries of an extra to this installation."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distributions, requires
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import url2pathname

import arena
from arena.errors import ArenaError

PACKAGE: Final = "botequim"

_OF_EXTRA: Final = re.compile(r"""(.+?) *; *extra *== *["'](.+)["']""").fullmatch
_OWN_EXTRA: Final = re.compile(rf"{PACKAGE}\[(.+)\]").fullmatch


def not_installed(what: str, library: str, extra: str = "server") -> ArenaError:
    """Return the error for a feature ``what`` that is unusable because ``library``, a dependency of
    ``extra``, is missing.
    """
    return ArenaError(
        f"{what} needs the library {library}, which is not installed",
        code="not_installed",
        expected=install_command(extra),
    )


def install_command(extra: str, address: str = "") -> str:
    """Return the command that installs the package with an extra. ``address`` is the URL of a wheel.

    Without ``address``, the command uses the origin of the current installation: a URL, a file or a folder.
    If the origin is unknown or no longer exists, the command lists the libraries instead, because the package
    may not be on any index.
    """
    if address:
        return f"pip install {_from_url(extra, address)}"
    return f"pip install {_origin(extra) or _libraries(extra)}"


def _from_url(extra: str, url: str) -> str:
    # A requirement ends at a space, and pip records spaces in URLs unescaped.
    return shlex.quote(f"{PACKAGE}[{extra}] @ {url.replace(' ', '%20')}")


def _from_path(extra: str, path: Path, *, editable: bool) -> str:
    return ("--editable " if editable else "") + shlex.quote(f"{path}[{extra}]")


def _origin(extra: str) -> str:
    """Return a requirement for the origin that pip recorded (PEP 610), else for the source tree. It is empty
    if there is neither.
    """
    for found in distributions(name=PACKAGE):
        if noted := found.read_text("direct_url.json"):
            return _noted(extra, json.loads(noted))
    tree = Path(arena.__file__).parent.parent
    return _from_path(extra, tree, editable=True) if (tree / "pyproject.toml").is_file() else ""


def _noted(extra: str, origin: Mapping[str, Any]) -> str:
    url = str(origin["url"])
    if url.startswith("file:"):
        path = Path(url2pathname(urlsplit(url).path))
        editable = origin.get("dir_info", {}).get("editable", False)
        return _from_path(extra, path, editable=editable) if path.exists() else ""
    if version := origin.get("vcs_info"):
        url = f"{version['vcs']}+{url}@{version['commit_id']}"
    folder = origin.get("subdirectory")
    return _from_url(extra, f"{url}#subdirectory={folder}" if folder else url)


def _libraries(extra: str) -> str:
    try:
        lines = requires(PACKAGE) or []
    except PackageNotFoundError:
        # The user must run the command in the source folder.
        return shlex.quote(f".[{extra}]")
    return " ".join(map(shlex.quote, _required(lines, extra)))


def _required(lines: list[str], extra: str) -> Iterator[str]:
    for line in lines:
        found = _OF_EXTRA(line)
        if found is None or found[2] != extra:
            continue
        own = _OWN_EXTRA(found[1])
        if own is None:
            yield found[1]
        else:
            for other in own[1].split(","):
                yield from _required(lines, other)
