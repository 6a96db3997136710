"""What a tournament is: its game, its format and who may enter, checked in one place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import comb
from typing import Any, Final

from arena.errors import ArenaError
from arena.games import game_of
from arena.games.kernel import Game
from arena.live.clocks import ClockSettings
from arena.ratings.results import DIVISIONS
from arena.ratings.results import OPEN as OPEN_DIVISION
from arena.ratings.standings import TIE_BREAKS

ROUND_ROBIN: Final = "round_robin"
SWISS: Final = "swiss"
KNOCKOUT: Final = "knockout"
OPEN: Final = "open"
FORMATS: Final = (ROUND_ROBIN, SWISS, KNOCKOUT, OPEN)

SAME: Final = "same"
MIXED: Final = "mixed"
PARTNERS: Final = (SAME, MIXED)

WHO: Final = ("anyone", "house", "invited")

MAX_ENTRIES: Final = 512
MAX_TABLE_ENTRIES: Final = 64
"""The most entries of a round robin at tables, whose design takes seconds for more."""

MAX_GROUPS: Final = 200_000
"""The most groups that the entries of a tournament may lead to; an open one ends after as many."""

DEFAULT_ENTRY_S: Final = 60
"""How long entry is open if nothing is said, in seconds."""

_DAY_MS: Final = 86_400_000
_MAX_MS: Final = 366 * _DAY_MS
_MAX_OPEN_MS: Final = 31 * _DAY_MS
_NAME_LENGTH: Final = 80
_DEFAULT_PER_OWNER: Final = 4
_MIXED_TABLE: Final = 4


@dataclass(frozen=True)
class Spec:
    """The settings of a tournament, complete and checked; see ``docs/tournaments.md``.

    ``rules`` are complete. ``groups`` per pairing. ``rounds``: how often everybody meets everybody in
    a round robin, the number of rounds of a Swiss (None: as many as halve the field to one), None
    otherwise. ``partners``: who sits in a team of Truco, the same bot twice or two bots (``mixed``).
    Entry is open from ``opens_ms`` until ``locks_ms``, when play starts; ``ends_ms`` ends an ``open``
    one, None otherwise. ``division``: ``sealed`` if uploaded bots take part, which meet no bots that run
    elsewhere, else ``open``; house bots may take part in both. ``per_owner``: the most bots of one owner.
    ``games_per_bot``: the most live
    games of one bot at once. ``max_repeats``: how often two may meet in an ``open`` one.
    Times are milliseconds since 1970.
    """

    name: str
    kind: str
    rules: Mapping[str, Any]
    format: str
    locks_ms: int
    opens_ms: int
    groups: int = 1
    rounds: int | None = None
    partners: str = SAME
    clock: Mapping[str, int] = field(default_factory=lambda: ClockSettings().as_json())
    ends_ms: int | None = None
    max_entries: int = 64
    per_owner: int = _DEFAULT_PER_OWNER
    who: str = "anyone"
    invited: tuple[str, ...] = ()
    auto_enter: bool = False
    rated: bool = True
    games_per_bot: int = 4
    max_repeats: int = 10
    tie_breaks: tuple[str, ...] = ("head_to_head", "sonneborn_berger", "won")
    division: str = OPEN_DIVISION

    @property
    def game(self) -> Game:
        """The game that is played."""
        return game_of(self.kind)

    @property
    def teams(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each team."""
        return self.game.teams(self.rules)

    @property
    def table(self) -> int:
        """How many entrants meet in one pairing: 2 for duels and teams, 4 with mixed partners, 2 to 8
        for Toepen.
        """
        return _MIXED_TABLE if self.partners == MIXED else len(self.teams)

    @property
    def duels(self) -> bool:
        """Whether two entrants meet in a pairing."""
        return self.table == 2

    def rules_for(self, seats: int) -> dict[str, Any]:
        """The rules of a group with so many seats: a table that is played again without somebody who
        forfeited has fewer than ``rules`` say.
        """
        if seats == self.game.seats(self.rules):
            return dict(self.rules)
        return self.game.options.complete({**self.rules, "seats": seats})

    def as_json(self) -> dict[str, Any]:
        """As it is published and as :meth:`from_json` reads it."""
        data = {item.name: getattr(self, item.name) for item in fields(self)}
        return {
            **data,
            "rules": dict(self.rules),
            "clock": dict(self.clock),
            "invited": list(self.invited),
            "tie_breaks": list(self.tie_breaks),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Spec:
        """The settings of an :meth:`as_json`; other keys are left alone."""
        own = {item.name: data[item.name] for item in fields(cls) if item.name in data}
        return cls(**{**own, "invited": tuple(own["invited"]), "tie_breaks": tuple(own["tie_breaks"])})


SPEC_FIELDS: Final = tuple(item.name for item in fields(Spec))
"""The names that :func:`parse_spec` takes."""


def parse_spec(given: Mapping[str, Any], now_ms: int) -> Spec:
    """The tournament that a request asks for, defaults filled in.

    ``name``, ``kind`` and ``format`` are required, for ``open`` also ``ends_ms``. Without
    ``opens_ms`` entry opens now, without ``locks_ms`` it is open for a minute.

    Raises :class:`~arena.errors.ArenaError` ``invalid_tournament``, ``too_few_entrants``,
    ``unknown_game``, ``invalid_option`` or ``invalid_clock``, each with the field.
    """
    for key in given:
        if key not in SPEC_FIELDS:
            raise _invalid(f"a tournament has no {key!r}", key, "one of " + ", ".join(SPEC_FIELDS))
    read = _Reader(given)
    kind = read.required("kind", str, "the name of a game")
    game = game_of(kind)
    rules = game.options.complete(read.mapping("rules"))
    format = read.choice("format", FORMATS, None)
    partners = read.choice("partners", PARTNERS, SAME)
    opens_ms = read.number("opens_ms", 0, now_ms + _MAX_MS, now_ms)
    starts_ms = max(opens_ms, now_ms)
    locks_ms = read.number("locks_ms", starts_ms, starts_ms + _MAX_MS, starts_ms + 1000 * DEFAULT_ENTRY_S)
    max_entries = read.number("max_entries", 2, MAX_ENTRIES, 64)
    single = format == KNOCKOUT and len(game.teams(rules)) > 2
    spec = Spec(
        name=_name(read.required("name", str, f"text of 1 to {_NAME_LENGTH} characters")),
        kind=kind,
        rules=rules,
        format=format,
        groups=read.number("groups", 1, 1000, 1),
        rounds=_rounds(read, format),
        partners=partners,
        clock=ClockSettings.parse(read.mapping("clock")).as_json(),
        opens_ms=opens_ms,
        locks_ms=locks_ms,
        ends_ms=_ends_ms(read, format, locks_ms),
        max_entries=max_entries,
        per_owner=read.number(
            "per_owner", 1, max_entries, 1 if single else min(_DEFAULT_PER_OWNER, max_entries)
        ),
        who=read.choice("who", WHO, "anyone"),
        invited=read.names("invited", ()),
        auto_enter=read.truth("auto_enter", False),
        rated=read.truth("rated", True),
        games_per_bot=read.number("games_per_bot", 1, 64, 4),
        max_repeats=read.number("max_repeats", 1, 10_000, 10),
        tie_breaks=read.names("tie_breaks", Spec.tie_breaks),
        division=read.choice("division", DIVISIONS, OPEN_DIVISION),
    )
    _check_together(spec)
    check_entrants(spec, spec.max_entries)
    return spec


def _check_together(spec: Spec) -> None:
    """What no field can tell by itself."""
    if spec.partners == MIXED and all(len(team) == 1 for team in spec.teams):
        raise _invalid(f"{spec.kind} has no partners", "partners", "same")
    if spec.partners == MIXED and spec.format == KNOCKOUT:
        raise _invalid("bots that change partners cannot knock each other out", "partners", "same")
    if spec.format == KNOCKOUT and not spec.duels and spec.per_owner != 1:
        raise _invalid("a knockout at tables cannot keep bots of one owner apart", "per_owner", "1")
    if spec.who == "invited" and not spec.invited:
        raise _invalid("nobody is invited", "invited", "the names of bots")
    if spec.who != "invited" and spec.invited:
        raise _invalid("bots are invited, but others may enter too", "invited", 'none, or who "invited"')
    unknown = [rule for rule in spec.tie_breaks if rule not in TIE_BREAKS]
    if unknown or len(set(spec.tie_breaks)) < len(spec.tie_breaks):
        what = f"there is no tie-break {unknown[0]!r}" if unknown else "a tie-break is there twice"
        raise _invalid(what, "tie_breaks", "each once of " + ", ".join(TIE_BREAKS))
    if spec.format == ROUND_ROBIN and not spec.duels and spec.max_entries > MAX_TABLE_ENTRIES:
        raise _invalid(
            f"a round robin at tables of up to {spec.max_entries}",
            "max_entries",
            f"at most {MAX_TABLE_ENTRIES}",
        )
    if most_groups(spec, spec.max_entries) > MAX_GROUPS:
        raise _invalid(
            f"up to {most_groups(spec, spec.max_entries)} groups",
            "max_entries",
            f"at most {MAX_GROUPS} groups: fewer entries, groups or rounds",
        )


def scheduled_id(schedule: str, due_ms: int) -> str:
    """The id of the tournament that a schedule announces for ``due_ms`` (milliseconds since 1970)."""
    return f"{schedule}-{due_ms // 1000}"


def check_entrants(spec: Spec, entrants: int | Sequence[Any]) -> None:
    """Whether so many entrants, or these (:class:`~arena.tournaments.entry.Entrant`), can play at all.

    Raises :class:`~arena.errors.ArenaError` ``too_few_entrants``: fewer than a table, or so many of
    one owner that no table can be filled.
    """
    if isinstance(entrants, int):
        count, apart = entrants, entrants
    else:
        owners = {entrant.owner for entrant in entrants if entrant.owner}
        count = len(entrants)
        apart = len(owners) + sum(not entrant.owner for entrant in entrants)
    if min(count, apart) < spec.table:
        came = f"{count} entrants" if count < spec.table else f"{apart} owners"
        raise ArenaError(
            f"{came} cannot play {spec.format} at tables of {spec.table}",
            code="too_few_entrants",
            field="entries",
            expected=f"{spec.table} or more" + ("" if count < spec.table else ", of different owners"),
        )


def most_groups(spec: Spec, entrants: int) -> int:
    """No plan for so many ``entrants`` has more groups than about this."""
    if spec.format == ROUND_ROBIN:
        times = spec.groups * (spec.rounds or 1)
        return times * comb(entrants, 2) if spec.duels else times * 2 * max(70, entrants**2)
    if spec.format == SWISS:
        return spec.groups * swiss_rounds(spec, entrants) * (entrants // spec.table)
    if spec.format == KNOCKOUT:
        return spec.groups * 2 * entrants
    return min(MAX_GROUPS, spec.groups * spec.max_repeats * comb(entrants, 2))


def swiss_rounds(spec: Spec, entrants: int) -> int:
    """The rounds of a Swiss tournament: what is asked for, else as many as halve the field to one."""
    return spec.rounds or max(1, (entrants - 1).bit_length())


def _rounds(read: _Reader, format: str) -> int | None:
    if format == ROUND_ROBIN:
        return read.number("rounds", 1, 100, 1)
    if read.given.get("rounds") is None:
        return None
    if format == SWISS:
        return read.number("rounds", 1, 100, 1)
    raise _invalid(f"{format} has no number of rounds", "rounds", "none")


def _ends_ms(read: _Reader, format: str, locks_ms: int) -> int | None:
    if format == OPEN:
        read.required("ends_ms", int, "when it ends")
        return read.number("ends_ms", locks_ms + 1, locks_ms + _MAX_OPEN_MS, 0)
    if read.given.get("ends_ms") is not None:
        raise _invalid(f"{format} ends when it has been played", "ends_ms", "none")
    return None


def _name(text: str) -> str:
    if not 1 <= len(text) <= _NAME_LENGTH or not text.isprintable() or text != text.strip():
        raise _invalid(
            f"{text[:_NAME_LENGTH]!r} is not a name",
            "name",
            f"1 to {_NAME_LENGTH} printable characters, no space at the ends",
        )
    return text


class _Reader:
    """Takes fields out of a request; None is as good as nothing."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given

    def required(self, key: str, type: type, what: str) -> Any:
        value = self.given.get(key)
        if value is None:
            raise _invalid(f"a tournament needs its {key}", key, what)
        return self._typed(key, value, lambda: isinstance(value, type), what)

    def choice(self, key: str, choices: Sequence[str], default: str | None) -> str:
        value = self.given.get(key)
        if value is None and default is not None:
            return default
        allowed = "one of " + ", ".join(choices)
        if value is None:
            raise _invalid(f"a tournament needs its {key}", key, allowed)
        return str(self._typed(key, value, lambda: isinstance(value, str) and value in choices, allowed))

    def number(self, key: str, low: int, high: int, default: int) -> int:
        value = self.given.get(key)
        if value is None:
            return default
        whole = isinstance(value, int) and not isinstance(value, bool)
        allowed = f"a whole number from {low} to {high}"
        return int(self._typed(key, value, lambda: whole and low <= value <= high, allowed))

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
            raise _invalid(f"{shown[:60]} is not a value for {key}", key, allowed)
        return value


def _invalid(message: str, field: str, expected: str) -> ArenaError:
    return ArenaError(message, code="invalid_tournament", field=field, expected=expected)
