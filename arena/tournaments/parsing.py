"""Reads the settings of a tournament from a request and checks them, in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from arena.games import game_of
from arena.games.descriptor import Game
from arena.inputs.text import read_line, read_lines
from arena.inputs.times import in_utc, times_between
from arena.play.clocks import ClockSettings
from arena.play.players import DIVISIONS
from arena.ratings.standings import TIE_BREAKS
from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.format import TournamentFormat
from arena.tournaments.spec import (
    DEFAULT_ENTRY_S,
    DEFAULT_PER_OWNER,
    MAX_ENTRIES,
    MAX_GROUPS,
    MIXED,
    PARTNERS,
    SPEC_FIELDS,
    WHO,
    Spec,
    check_entrants,
    invalid,
)

SETTINGS: Final = (*SPEC_FIELDS, "preset")
"""The names that :func:`parse_spec` takes."""

_DAY_MS: Final = 86_400_000
_MAX_MS: Final = 366 * _DAY_MS
_MAX_OPEN_MS: Final = 31 * _DAY_MS
_NAME_LENGTH: Final = 80

MAX_DESCRIPTION: Final = 2000
MAX_LINK: Final = 300
"""The maximum characters of the texts of a tournament."""


def parse_spec(given: Mapping[str, Any], now_ms: int) -> Spec:
    """The settings of a request with defaults filled in.

    ``name``, ``kind`` and ``format`` are required, for ``open`` also ``ends_ms``. ``preset`` names rules in
    place of ``rules``. Without ``opens_ms`` entry opens now, without ``locks_ms`` it is open for a minute.
    Only rules that are those of a preset may be ``rated``, and are by default.

    Raises :class:`~arena.errors.ArenaError` ``invalid_tournament``, ``too_few_entrants``,
    ``kind_not_found``, ``preset_not_found``, ``invalid_option`` or ``invalid_clock``, each with the field.
    """
    for key in given:
        if key not in SETTINGS:
            raise invalid(f"a tournament has no setting {key!r}", key, "one of " + ", ".join(SETTINGS))
    read = _Reader(given)
    kind = read.required("kind", str, "the name of a game")
    game = game_of(kind)
    rules = _rules(read, game)
    format = FORMATS[read.choice("format", tuple(FORMATS), None)]
    partners = read.choice("partners", PARTNERS, Spec.partners)
    opens_ms = read.time("opens_ms", 0, latest_ms(now_ms), now_ms)
    starts_ms = max(opens_ms, now_ms)
    locks_ms = read.time("locks_ms", starts_ms, latest_ms(starts_ms), starts_ms + 1000 * DEFAULT_ENTRY_S)
    max_entries = read.number("max_entries", 2, MAX_ENTRIES, Spec.max_entries)
    single = format.one_per_owner_at_tables and len(game.teams(rules)) > 2
    spec = Spec(
        **parse_texts(given),
        kind=kind,
        rules=rules,
        format=format.name,
        groups=read.number("groups", 1, 1000, Spec.groups),
        rounds=_rounds(read, format),
        partners=partners,
        clock=ClockSettings.parse(read.mapping("clock")).as_json(),
        opens_ms=opens_ms,
        locks_ms=locks_ms,
        ends_ms=_ends_ms(read, format, locks_ms),
        max_entries=max_entries,
        per_owner=read.number(
            "per_owner", 1, max_entries, 1 if single else min(DEFAULT_PER_OWNER, max_entries)
        ),
        who=read.choice("who", WHO, Spec.who),
        invited=read.names("invited", ()),
        auto_enter=read.truth("auto_enter", False),
        rated=_rated(read, game, rules),
        games_per_bot=read.number("games_per_bot", 1, 64, Spec.games_per_bot),
        max_repeats=read.number("max_repeats", 1, 10_000, Spec.max_repeats),
        tie_breaks=read.names("tie_breaks", Spec.tie_breaks),
        division=read.choice("division", DIVISIONS, Spec.division),
        hidden=read.truth("hidden", False),
        baseline=read.names("baseline", ()),
    )
    check_together(spec)
    check_entrants(spec, spec.max_entries)
    return spec


def latest_ms(now_ms: int) -> int:
    """The latest time until which a tournament may be planned."""
    return now_ms + _MAX_MS


def parse_texts(given: Mapping[str, Any]) -> dict[str, str]:
    """The ``name``, ``description`` and ``link`` of a request. Raises ``invalid_tournament``."""
    read = _Reader(given)
    return {
        "name": read_line(read.required("name", str, "text"), "name", _NAME_LENGTH, least=1, error=invalid),
        "description": read_lines(read.text("description"), "description", MAX_DESCRIPTION, error=invalid),
        "link": _link(read),
    }


def without_rating(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of somebody whose tournaments do not count for the leaderboards: the creator chooses who
    meets whom. Raises :class:`~arena.errors.ArenaError` ``invalid_tournament`` if they say that it counts.
    """
    if given.get("rated", False) is not False:
        raise invalid(
            "only tournaments of the arena count for the leaderboards", "rated", "false, or nothing"
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
            "bots are invited, but anyone may enter", "invited", 'who "invited" beside it, or nobody invited'
        )
    if spec.baseline and format.ranks_by_elimination:
        others = ", ".join(name for name, other in FORMATS.items() if not other.ranks_by_elimination)
        raise invalid(
            f"in a {format.name} a baseline bot would put others out",
            "baseline",
            f"none, or the format {others}",
        )
    if len(set(spec.baseline)) < len(spec.baseline):
        raise invalid("a baseline bot occurs twice", "baseline", "each once")
    if spec.hidden and spec.who == "anyone":
        raise invalid("a hidden tournament is for those who are invited", "who", "invited or house")
    if spec.hidden and spec.invited:
        raise invalid("bots cannot see a hidden tournament", "invited", "none; invite their owners")
    unknown = [rule for rule in spec.tie_breaks if rule not in TIE_BREAKS]
    if unknown or len(set(spec.tie_breaks)) < len(spec.tie_breaks):
        what = f"there is no tie-break {unknown[0]!r}" if unknown else "a tie-break occurs twice"
        raise invalid(what, "tie_breaks", "each once of " + ", ".join(TIE_BREAKS))
    groups = format.most_groups(spec, spec.max_entries)
    if groups > MAX_GROUPS:
        raise invalid(
            f"up to {groups} groups",
            "max_entries",
            f"at most {MAX_GROUPS} groups: fewer entries, groups or rounds",
        )


def _rules(read: _Reader, game: Game) -> dict[str, Any]:
    preset = read.given.get("preset")
    if preset is None:
        return game.options.complete(read.mapping("rules"))
    if read.given.get("rules") is not None:
        raise invalid("rules and preset both say what is played", "preset", "one of the two")
    return game.options.complete(game.preset(read.required("preset", str, "the name of a preset")).rules)


def _rated(read: _Reader, game: Game, rules: Mapping[str, Any]) -> bool:
    hidden = read.truth("hidden", False)
    has_board = game.preset_of(rules) is not None and not hidden
    rated = read.truth("rated", has_board)
    if rated and hidden:
        raise invalid("a hidden tournament has no leaderboard", "rated", "false, or nothing")
    if rated and not has_board:
        presets = ", ".join(preset.name for preset in game.presets)
        raise invalid(
            "rules that match no preset have no leaderboard", "rated", f"false, nothing, or one of {presets}"
        )
    return rated


def _rounds(read: _Reader, format: TournamentFormat) -> int | None:
    if read.given.get("rounds") is None:
        return format.default_rounds
    if not format.rounds:
        raise invalid(f"{format.name} has no number of rounds", "rounds", "none")
    return read.number("rounds", 1, 100, 1)


def _ends_ms(read: _Reader, format: TournamentFormat, locks_ms: int) -> int | None:
    if format.ends_by_time:
        read.required("ends_ms", int, "when it ends")
        return read.time("ends_ms", locks_ms + 1, locks_ms + _MAX_OPEN_MS, 0)
    if read.given.get("ends_ms") is not None:
        raise invalid(f"{format.name} ends when it has been played", "ends_ms", "none")
    return None


def _link(read: _Reader) -> str:
    text = read_line(read.text("link"), "link", MAX_LINK, error=invalid)
    try:
        parts = urlsplit(text)
        # An address with a user's name may pretend to be that of another host.
        right = parts.scheme in ("http", "https") and parts.hostname and parts.username is None
    except ValueError:
        right = False
    if text and not (right and not set(text) & set(' "<>\\')):
        raise invalid(
            f"{text[:_NAME_LENGTH]!r} is not the address of a web page",
            "link",
            "an address such as https://example.org/cup",
        )
    return text


class _Reader:
    """Reads fields of a request; None counts as missing."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given

    def required(self, key: str, type: type, what: str) -> Any:
        value = self.given.get(key)
        if value is None:
            raise invalid(f"a tournament needs its {key}", key, what)
        return self._typed(key, value, lambda: isinstance(value, type), what)

    def text(self, key: str) -> str:
        value = self.given.get(key)
        return "" if value is None else str(self._typed(key, value, lambda: isinstance(value, str), "text"))

    def choice(self, key: str, choices: Sequence[str], default: str | None) -> str:
        value = self.given.get(key)
        if value is None and default is not None:
            return default
        allowed = "one of " + ", ".join(choices)
        if value is None:
            raise invalid(f"a tournament needs its {key}", key, allowed)
        return str(self._typed(key, value, lambda: isinstance(value, str) and value in choices, allowed))

    def number(self, key: str, low: int, high: int, default: int) -> int:
        value = self.given.get(key)
        if value is None:
            return default
        whole = isinstance(value, int) and not isinstance(value, bool)
        allowed = f"a whole number from {low} to {high}"
        return int(self._typed(key, value, lambda: whole and low <= value <= high, allowed))

    def time(self, key: str, low: int, high: int, default: int) -> int:
        """A time in Unix milliseconds."""
        value = self.given.get(key)
        if value is None:
            return default
        allowed = times_between(low, high)
        if not isinstance(value, int) or isinstance(value, bool):
            raise invalid(f"{repr(value)[:60]} is not a time", key, allowed)
        if not low <= value <= high:
            seconds = ": milliseconds are needed, not seconds" if low <= 1000 * value <= high else ""
            side = "early" if value < low else "late"
            raise invalid(f"{value} ({in_utc(value)}) is too {side} for {key}{seconds}", key, allowed)
        return value

    def truth(self, key: str, default: bool) -> bool:
        value = self.given.get(key)
        if value is None:
            return default
        return bool(self._typed(key, value, lambda: isinstance(value, bool), "true or false"))

    def mapping(self, key: str) -> Mapping[str, Any]:
        value = self.given.get(key)
        if value is None:
            return {}
        found: Mapping[str, Any] = self._typed(key, value, lambda: isinstance(value, Mapping), "an object")
        return found

    def names(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self.given.get(key)
        if value is None:
            return default
        self._typed(
            key,
            value,
            lambda: (
                isinstance(value, (list, tuple))
                and len(value) <= MAX_ENTRIES
                and all(isinstance(item, str) and 0 < len(item) <= _NAME_LENGTH for item in value)
            ),
            f"a list of at most {MAX_ENTRIES} names",
        )
        return tuple(value)

    def _typed(self, key: str, value: Any, accepts: Callable[[], bool], allowed: str) -> Any:
        if not accepts():
            shown = repr(value)
            raise invalid(f"{shown[:60]} is not a value for {key}", key, allowed)
        return value
