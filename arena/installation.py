"""Where this program was installed from, and the command that adds the libraries of an extra to it."""

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
    """Return the error that ``what`` raises if a library of ``extra`` is missing."""
    return ArenaError(
        f"{what} needs the library {library}, which is not installed",
        code="not_installed",
        expected=install_command(extra),
    )


def install_command(extra: str, address: str = "") -> str:
    """Return the command that installs the package with an extra from ``address``, the URL of a wheel.

    Without ``address``, it installs from where the present package came: a URL, a file or a folder. Where
    that is not known or no longer exists, the command names the libraries, because no index is known to have
    the package.
    """
    if address:
        return f"pip install {_from_url(extra, address)}"
    return f"pip install {_origin(extra) or _libraries(extra)}"


def _from_url(extra: str, url: str) -> str:
    # Requirements end at a space, which pip notes as one.
    return shlex.quote(f"{PACKAGE}[{extra}] @ {url.replace(' ', '%20')}")


def _from_path(extra: str, path: Path, *, editable: bool) -> str:
    return ("--editable " if editable else "") + shlex.quote(f"{path}[{extra}]")


def _origin(extra: str) -> str:
    """Return the origin that pip has noted (PEP 610), or the tree of the sources, or an empty text if there
    is neither.
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
        # In the folder of the sources, wherever that is.
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
