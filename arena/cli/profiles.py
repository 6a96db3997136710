"""Profiles: services and tokens stored by ``botequim login`` in one file per user.

The file is ``botequim/config.ini`` in ``$XDG_CONFIG_HOME`` (``~/.config`` by default), readable only by its
user. Each section is a profile with ``url`` and ``token``; other keys and sections are kept.
"""

from __future__ import annotations

import os
import tempfile
from configparser import ConfigParser, Error
from pathlib import Path
from typing import Final, NamedTuple

from arena.cli.messages import did_you_mean
from arena.errors import ArenaError
from arena.inputs.reading import read_file

DEFAULT: Final = "default"
"""The profile that is used by default."""

_OTHERS: Final = 0o077
_MOST_BYTES: Final = 1 << 20
_NAMES: Final = "a name without spaces, ] or line breaks"


class Profile(NamedTuple):
    """A service and a token for it."""

    name: str
    url: str
    token: str


def config_path() -> Path:
    """Return the path of the configuration file."""
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(home) / "botequim" / "config.ini"


def is_set(variable: str) -> bool:
    """Return whether this environment variable is set. If it is, it takes precedence over a profile."""
    return bool(os.environ.get(variable))


def profiles() -> list[Profile]:
    """Return all profiles. Raises ``invalid_config``."""
    parser = _read()
    return [_profile(parser, name) for name in parser.sections()]


def find_profile(name: str | None) -> Profile | None:
    """Return the profile ``name``, or the default profile, or None if that does not exist. Raises
    ``profile_not_found``.
    """
    parser = _read()
    if name is None:
        return _profile(parser, DEFAULT) if parser.has_section(DEFAULT) else None
    if not parser.has_section(name):
        raise unknown_profile(name, parser.sections())
    return _profile(parser, name)


def save_profile(profile: Profile) -> Path:
    """Write a profile to the file, replacing any of the same name. Return the path of the file."""
    if not profile.name or any(char.isspace() or char == "]" for char in profile.name):
        raise ArenaError(
            f"{profile.name!r} is not a valid profile name",
            code="invalid_config",
            field="profile",
            expected=_NAMES,
        )
    parser = _read()
    if not parser.has_section(profile.name):
        parser.add_section(profile.name)
    parser[profile.name].update({"url": profile.url, "token": profile.token})
    return _write(parser)


def remove_profile(name: str) -> Path:
    """Remove a profile from the file. Raises ``profile_not_found``."""
    parser = _read()
    if not parser.remove_section(name):
        raise unknown_profile(name, parser.sections())
    return _write(parser)


def is_open_to_others() -> bool:
    """Return whether other users of this machine can read the file."""
    path = config_path()
    return path.exists() and bool(path.stat().st_mode & _OTHERS)


def unknown_profile(name: str, known: list[str]) -> ArenaError:
    """Return the error for a profile that does not exist."""
    expected = "one of " + ", ".join(known) if known else f"to run 'botequim login --profile {name}' first"
    meant = did_you_mean(name, known)
    return ArenaError(
        f"there is no profile {name!r} in {config_path()}" + (f"; {meant}" if meant else ""),
        code="profile_not_found",
        field="profile",
        expected=expected,
    )


def _profile(parser: ConfigParser, name: str) -> Profile:
    section = parser[name]
    missing = [key for key in ("url", "token") if not section.get(key)]
    if missing:
        raise _invalid(f"profile {name!r} has no {missing[0]}")
    return Profile(name, section["url"], section["token"])


def _read() -> ConfigParser:
    # Without defaults for all sections, and without interpolation, because tokens can contain a percent sign.
    parser = ConfigParser(default_section="", interpolation=None)
    path = config_path()
    try:
        if path.exists():
            text = read_file(path, "config", most=_MOST_BYTES).decode()
            parser.read_string(text, source=str(path))
    except (Error, UnicodeDecodeError) as error:
        reason = str(error).partition("\n")[0] if not isinstance(error, Error) else type(error).__name__
        raise _invalid(f"the file cannot be read ({reason})") from None
    return parser


def _invalid(why: str) -> ArenaError:
    return ArenaError(
        f"{config_path()}: {why}",
        code="invalid_config",
        expected="sections [profile] with url = ... and token = ..., or no file",
    )


def _write(parser: ConfigParser) -> Path:
    """Atomically replace the file, making it readable only by its user."""
    path = config_path()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".config-")
    try:
        os.fchmod(descriptor, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            parser.write(file)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path
