"""Parsing and validation of the settings of a tournament in a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeVar
from urllib.parse import urlsplit

from arena.declarations import read_settings, settings_of
from arena.errors import ArenaError
from arena.games import game_of
from arena.games.descriptor import Game
from arena.games.options import Rules
from arena.inputs.times import in_utc, times_between
from arena.play.clocks import ClockSettings
from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.settings import MIXED, OneOffSettings, TemplateSettings
from arena.tournaments.spec import (
    DEFAULT_PER_OWNER,
    MAX_GROUPS,
    SPEC_FIELDS,
    Spec,
    check_entrants,
    invalid,
)

T = TypeVar("T")

SETTINGS: Final = (*SPEC_FIELDS, "preset")
"""The names of the settings that :func:`parse_spec` accepts."""

_THING: Final = "a tournament"
_DAY_MS: Final = 86_400_000
_MAX_MS: Final = 366 * _DAY_MS
_MAX_OPEN_MS: Final = 31 * _DAY_MS
_SHOWN: Final = 80


def parse_spec(given: Mapping[str, object], now_ms: int) -> Spec:
    """Return the settings in a request, with defaults filled in.

    ``name``, ``kind`` and ``format`` are required, and for ``open`` also ``ends_ms``. ``preset`` can be used
    instead of ``rules``. Without ``opens_ms``, entry opens now; without ``locks_ms``, it is open for a
    minute. Tournaments can be ``rated``, and are by default, only if their rules match a preset.

    Raises :class:`~arena.errors.ArenaError` with the code ``invalid_tournament``, ``too_few_entrants``,
    ``kind_not_found``, ``preset_not_found``, ``invalid_option`` or ``invalid_clock``. Each error names the
    field.
    """
    for key in given:
        if key not in SETTINGS:
            raise invalid(f"a tournament has no setting {key!r}", key, "one of " + ", ".join(SETTINGS))
    game = game_of(_required(given, "kind", str, "the name of a game"))
    rules = _rules(given, game)
    format = _format(given)
    values = read_settings(OneOffSettings, given, invalid, _THING, without=("format",))
    opens_ms = _time(values["opens_ms"], "opens_ms", 0, latest_ms(now_ms), now_ms)
    starts_ms = max(opens_ms, now_ms)
    entry_ms = 1000 * TemplateSettings.entry_s
    locks_ms = _time(values["locks_ms"], "locks_ms", starts_ms, latest_ms(starts_ms), starts_ms + entry_ms)
    values |= {
        "link": _checked_link(values["link"]),
        "rounds": _rounds(values["rounds"], format),
        "opens_ms": opens_ms,
        "locks_ms": locks_ms,
        "ends_ms": _ends_ms(values["ends_ms"], format, locks_ms),
        "per_owner": _per_owner(
            values["per_owner"], values["max_entries"], format, len(game.teams(rules)) > 2
        ),
        "rated": _rated(values["rated"], values["hidden"], game, rules),
    }
    clock = ClockSettings.parse(_object(given, "clock")).as_json()
    spec = Spec(**values, kind=game.kind, format=format.name, rules=rules, clock=clock)
    check_together(spec)
    check_entrants(spec, spec.max_entries)
    return spec


def latest_ms(now_ms: int) -> int:
    """Return the latest time for which a tournament may be planned."""
    return now_ms + _MAX_MS


def parse_texts(given: Mapping[str, object]) -> dict[str, str]:
    """Return the ``name``, ``description`` and ``link`` in a request. Raises ``invalid_tournament``."""
    known = settings_of(OneOffSettings)
    texts: dict[str, str] = {
        name: known[name].read(given[name], invalid) for name in ("name", "description", "link")
    }
    return {**texts, "link": _checked_link(texts["link"])}


def without_rating(given: Mapping[str, object]) -> dict[str, object]:
    """Return the settings with ``rated`` set to False. Tournaments of owners do not count for the
    leaderboards, because their creators choose who meets whom. Raises :class:`~arena.errors.ArenaError` with
    the code ``invalid_tournament`` if ``rated`` is given and not False.
    """
    if given.get("rated", False) is not False:
        raise invalid(
            "only the arena's own tournaments count for the leaderboards", "rated", "false, or no value"
        )
    return {**given, "rated": False}


def check_together(spec: Spec) -> None:
    """Check combinations of fields. Raises the errors of :func:`parse_spec`."""
    format = FORMATS[spec.format]
    if spec.partners == MIXED and all(len(team) == 1 for team in spec.teams):
        raise invalid(f"{spec.kind} has no partners", "partners", "same")
    conflict = format.conflict(spec)
    if conflict is not None:
        raise conflict
    if format.one_per_owner_at_tables and not spec.duels and spec.per_owner != 1:
        raise invalid(f"a {format.name} at tables cannot keep bots of one owner apart", "per_owner", "1")
    if spec.who != "invited" and spec.invited:
        raise invalid(
            "bots are invited, but anyone may enter", "invited", 'who "invited" as well, or no invited bots'
        )
    if spec.baseline and format.ranks_by_elimination:
        others = ", ".join(name for name, other in FORMATS.items() if not other.ranks_by_elimination)
        raise invalid(
            f"in a {format.name} a baseline bot would eliminate others",
            "baseline",
            f"none, or the format {others}",
        )
    if len(set(spec.baseline)) < len(spec.baseline):
        raise invalid("a baseline bot is listed twice", "baseline", "each bot once")
    if spec.hidden and spec.who == "anyone":
        raise invalid("a hidden tournament cannot be open to everybody", "who", "invited or house")
    if spec.hidden and spec.invited:
        raise invalid("bots cannot see a hidden tournament", "invited", "none; invite their owners")
    if len(set(spec.tie_breaks)) < len(spec.tie_breaks):
        raise invalid(
            "a tie-break is listed twice", "tie_breaks", settings_of(OneOffSettings)["tie_breaks"].allowed
        )
    groups = format.most_groups(spec, spec.max_entries)
    if groups > MAX_GROUPS:
        raise invalid(
            f"the tournament could have {groups} groups, which is too many",
            "max_entries",
            f"at most {MAX_GROUPS} groups: fewer entries, groups or rounds",
        )


def _rules(given: Mapping[str, object], game: Game) -> Rules:
    if given.get("preset") is None:
        return game.options.complete(_object(given, "rules"))
    if given.get("rules") is not None:
        raise invalid("rules and preset cannot be used together", "preset", "one of the two")
    return game.options.complete(game.preset(_required(given, "preset", str, "the name of a preset")).rules)


def _format(given: Mapping[str, object]) -> TournamentFormat:
    allowed = "one of " + ", ".join(FORMATS)
    name = _required(given, "format", str, allowed)
    if name not in FORMATS:
        raise _refused("format", name, allowed)
    return FORMATS[name]


def _rated(given: bool | None, hidden: bool, game: Game, rules: Rules) -> bool:
    has_board = game.preset_of(rules) is not None and not hidden
    rated = has_board if given is None else given
    if rated and hidden:
        raise invalid("a hidden tournament cannot be rated", "rated", "false, or no value")
    if rated and not has_board:
        presets = ", ".join(preset.name for preset in game.presets)
        raise invalid(
            "a tournament whose rules match no preset cannot be rated",
            "rated",
            f"false, no value, or one of {presets}",
        )
    return rated


def _per_owner(per_owner: int | None, most: int, format: TournamentFormat, at_tables: bool) -> int:
    if per_owner is None:
        return 1 if at_tables and format.one_per_owner_at_tables else min(DEFAULT_PER_OWNER, most)
    if per_owner > most:
        raise _refused("per_owner", per_owner, f"a whole number from 1 to {most}")
    return per_owner


def _rounds(rounds: int | None, format: TournamentFormat) -> int | None:
    if rounds is not None and not format.has_rounds:
        raise invalid(f"the format {format.name} does not take a number of rounds", "rounds", "none")
    return format.default_rounds if rounds is None else rounds


def _ends_ms(ends_ms: int | None, format: TournamentFormat, locks_ms: int) -> int | None:
    if format.ends_by_time:
        if ends_ms is None:
            raise invalid(
                "a tournament of this format requires ends_ms", "ends_ms", "the time at which play ends"
            )
        return _time(ends_ms, "ends_ms", locks_ms + 1, locks_ms + _MAX_OPEN_MS, 0)
    if ends_ms is not None:
        raise invalid(f"the format {format.name} does not take an end time", "ends_ms", "none")
    return None


def _checked_link(text: str) -> str:
    try:
        parts = urlsplit(text)
        # A user name in an address can make it look like that of another host.
        right = parts.scheme in ("http", "https") and parts.hostname and parts.username is None
    except ValueError:
        right = False
    if text and not (right and not set(text) & set(' "<>\\')):
        raise invalid(
            f"{text[:_SHOWN]!r} is not a valid web address",
            "link",
            "a web address such as https://example.org/cup",
        )
    return text


def _time(value: int | None, key: str, low: int, high: int, default: int) -> int:
    """Return a time in Unix milliseconds."""
    if value is None:
        return default
    if not low <= value <= high:
        seconds = ": give it in milliseconds, not seconds" if low <= 1000 * value <= high else ""
        side = "early" if value < low else "late"
        message = f"{value} ({in_utc(value)}) is too {side} for {key}{seconds}"
        raise invalid(message, key, times_between(low, high))
    return value


def _required(given: Mapping[str, object], key: str, kind: type[T], allowed: str) -> T:
    value = given.get(key)
    if value is None:
        raise invalid(f"{_THING} requires {key}", key, allowed)
    if not isinstance(value, kind):
        raise _refused(key, value, allowed)
    return value


def _object(given: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = given.get(key)
    if value is not None and not isinstance(value, Mapping):
        raise _refused(key, value, "an object")
    return value or {}


def _refused(key: str, value: object, allowed: str) -> ArenaError:
    return invalid(f"{repr(value)[:60]} is not a valid value for {key}", key, allowed)
