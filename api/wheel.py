"""The wheel of this program, built from the running files, so that a service distributes exactly itself."""

from __future__ import annotations

import io
import time
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any, Final

import arena
from arena.installation import PACKAGE

_TAG: Final = "py3-none-any"
_OF_ONE_INSTALLATION: Final = frozenset({"RECORD", "WHEEL", "INSTALLER", "REQUESTED", "direct_url.json"})
_MADE_HERE: Final = (".pyc", ".so", ".pyd")
"""What Python or a compiler has made; the modules that were compiled run without it, too."""


def wheel_name() -> str | None:
    """Return the name of the file, or None if this program runs from files that were not installed."""
    found = _installation()
    return None if found is None else f"{PACKAGE}-{found.version}-{_TAG}.whl"


@cache
def _installation() -> Distribution | None:
    """Return what was installed. The running files are its own or, if it is editable, those of its tree."""
    found = next((one for one in distributions(name=PACKAGE) if one.read_text("RECORD")), None)
    if found is None or _is_running(found) or (_tree() / "pyproject.toml").is_file():
        return found
    return None


def _is_running(found: Distribution) -> bool:
    return Path(str(found.locate_file("arena"))) == Path(arena.__file__).parent


def _tree() -> Path:
    return Path(arena.__file__).parent.parent


def make_wheel() -> bytes:
    """Make the file, which must have a name."""
    found = _installation()
    assert found is not None, "nothing is installed"
    about = f"{PACKAGE}-{found.version}.dist-info"
    record = []
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _contents(found, about):
            add_file(archive, name, content)
            digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(content)}")
            # Other requests of the process go on.
            time.sleep(0)
        record.append(f"{about}/RECORD,,")
        add_file(archive, f"{about}/RECORD", "\n".join([*record, ""]).encode())
    return made.getvalue()


def add_file(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a file without a time, so that the same contents make the same archive."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = 0o100644 << 16
    archive.writestr(entry, content, zipfile.ZIP_DEFLATED)


def _contents(found: Distribution, about: str) -> Iterator[tuple[str, bytes]]:
    installed = {
        file.as_posix(): Path(str(file.locate()))
        for file in found.files or ()
        if file.parts[0] != ".." and file.suffix not in _MADE_HERE
    }
    described = {
        name: path
        for name, path in installed.items()
        if name.startswith(f"{about}/") and path.name not in _OF_ONE_INSTALLATION
    }
    if _is_running(found):
        code = {name: path for name, path in installed.items() if not name.startswith(f"{about}/")}
    else:
        code = _sources(_tree())
    for files in (code, described):
        for name, path in sorted(files.items()):
            yield name, path.read_bytes()
    lines = ("Wheel-Version: 1.0", f"Generator: {PACKAGE} {found.version}", "Root-Is-Purelib: true")
    yield f"{about}/WHEEL", "\n".join([*lines, f"Tag: {_TAG}", ""]).encode()


def _sources(tree: Path) -> dict[str, Path]:
    """Return the files of a tree that belong to the package, as ``pyproject.toml`` and ``setup.py`` say."""
    text = (tree / "pyproject.toml").read_text(encoding="utf-8")
    settings: Mapping[str, Any] = tomllib.loads(text)["tool"]["setuptools"]
    found = [
        path
        for top in settings["packages"]["find"]["include"]
        for pattern in ("*.py", *settings["package-data"]["*"])
        for path in tree.glob(f"{top}/**/{pattern}")
    ]
    for package, patterns in settings["package-data"].items():
        if package != "*":
            folder = tree / package.replace(".", "/")
            found += [path for pattern in patterns for path in folder.glob(pattern) if path.is_file()]
    files = {path.relative_to(tree).as_posix(): path for path in found}
    manual = tree / "docs"
    return files | {
        f"api/manual/{page.relative_to(manual).as_posix()}": page for page in manual.rglob("*.md")
    }
