"""The description of a game for the rest of the service: one :class:`Game` per game, in its ``game.py``."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from arena.errors import InvalidOption, UnknownBot, UnknownPreset
from arena.games.features import Features
from arena.games.kernel import Event, GameRules, State, Turn
from arena.games.options import OptionSet, Rules
from arena.games.panels import Panel
from arena.games.pictures import Picture
from arena.games.shapes import ActionForm, EventShape, ObjectShape
from arena.games.texts import TurnText


class SeatPlayer(Protocol):
    """How a house bot plays one seat of one game."""

    def choose(self, turn: Turn) -> str | None:
        """Choose an answer like :meth:`arena.bots.base.Bot.choose`."""
        ...


class Narrator(Protocol):
    """Narrates one game for people."""

    def line(self, event: Event) -> list[str]:
        """Return the lines for ``event`` (a full event tuple from ``State.apply``), usually one.

        Events are passed in order. All cards are shown, so this is only for games that are public.
        """


@dataclass(frozen=True, kw_only=True)
class HouseVersion:
    """A house bot for one game. ``version`` changes only when its play changes, because every version has its
    own rating.
    """

    player: Callable[[random.Random], SeatPlayer]
    version: str


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A named, versioned rule set, which has a leaderboard per division. ``rules`` lists where it differs
    from the defaults. Its meaning never changes: an option that is added later keeps the old play by default.
    ``apart`` marks a preset that is a game of its own, for which bots qualify separately. ``recurring`` says
    that a new service holds recurring tournaments of it, besides those by the ``duel_rules`` of the game.
    """

    name: str
    doc: str
    rules: Rules = field(default_factory=dict)
    apart: bool = False
    recurring: bool = False


@dataclass(frozen=True, kw_only=True)
class Award:
    """A title on the leaderboard for the bot with the highest ``value``, if that is above zero.

    ``value`` takes the sums of a bot's tallies and returns None for a bot that cannot hold the title. If
    ``settled``, only bots with enough groups for a settled rating can hold it.
    """

    title: str
    measure: str
    value: Callable[[Mapping[str, int]], float | None]
    settled: bool = False


@dataclass(frozen=True, kw_only=True)
class Awards:
    """What a game counts about the style of its players, and the titles that it awards for it.

    ``styles(events, seats)`` returns one tuple of numbers per seat of a game; they are stored with its
    result. ``tally(style)`` turns one tuple into named counts that can be added up over games. ``given_up``
    and ``could_give_up`` name the counts of how often a player gave a hand up, and how often it could have.
    """

    styles: Callable[[Iterable[Event], int], tuple[tuple[int, ...], ...]]
    tally: Callable[[Sequence[int]], Mapping[str, int]]
    given_up: str
    could_give_up: str
    awards: tuple[Award, ...]


@dataclass(frozen=True)
class Figure:
    """Something that is counted about the style of players. ``of`` names what it is a share of, and
    ``meaning`` says what is counted; both are for people.
    """

    name: str
    title: str
    of: str
    meaning: str


@dataclass(frozen=True, kw_only=True)
class StyleFigures:
    """How players play, in figures that are published but decide nothing.

    ``count(events, rules)``, with the complete rules, returns per seat and figure of a game how often
    something was done, and out of how many times. ``version`` changes when the counting changes; then all
    records are counted again.
    """

    figures: tuple[Figure, ...]
    count: Callable[[Iterable[Event], Rules], Sequence[Sequence[Sequence[int]]]]
    version: int


class Standing(NamedTuple):
    """The score of a game of two teams between two hands: the points or lives of ``team`` (one of ``teams``),
    then those of the other team. The rules determine which team comes first, for example the dealer's.
    """

    team: int
    own: int
    other: int


@dataclass(frozen=True, kw_only=True)
class LuckModel:
    """How the luck of the hands of two teams is measured (:mod:`arena.luck`).

    ``level`` and ``version`` identify the house bot that plays the packs on. ``weight`` says how much of the
    luck is subtracted from a result. ``rules`` takes complete rules and removes what makes no difference
    between two hands, so that rules that share an equity table are equal. ``standings`` returns all values
    ``(own, other)`` of an undecided game; in a decided one, the team with the higher value has won. ``start``
    returns a state that waits for a deal, at such values. ``standing`` returns the values of a state between
    two hands, or after the last one. ``is_blind`` says whether nobody has seen a card of the hand that was
    dealt, so that what is done now is a part of its luck.
    """

    level: str
    version: str
    weight: float
    rules: Callable[[Rules], Rules]
    standings: Callable[[Rules], Sequence[tuple[int, int]]]
    start: Callable[[Rules, int, int], State]
    standing: Callable[[State], Standing]
    is_blind: Callable[[State], bool]


@dataclass(frozen=True)
class RulesPage:
    """A page of numbered rules. ``path`` is relative to ``docs/``, without the suffix. ``prefix`` holds the
    letters before the numbers of its rules. ``title`` names the game whose rules they are, for people.
    """

    path: str
    prefix: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Game:
    """One game: its rules and everything that belongs to them.

    ``title`` is its name for people. ``rules_pages`` lists the pages of its rules, the main page first.
    ``seating`` is one sentence on who sits where. Of the ``presets``, the first one is meant where none is
    named. ``duel_rules`` are the rules of the tournaments that a new service starts, and of qualification
    duels, except for presets apart. ``ladder_rules`` are the rule sets of the house bots' ladder.
    ``house_bots`` are listed by level, weakest first. For ``redeal``, see :mod:`arena.bots.redeal`.
    ``narrator`` creates a narrator from the names of the seats and the complete rules. ``text`` returns the
    words of a turn, from the turn alone. ``picture`` takes the same as ``narrator``; without it, the game has
    no replay page. ``style`` is what is counted about how bots play. ``panel`` returns what a person is
    asked, from a turn and the names of the seats; without it, people do not play the game. ``features`` takes
    complete rules and returns actions as numbers and observations as vectors; without it, there are no
    environments and data sets. ``luck`` says how the luck of hands is measured, for games of two teams.
    """

    game_rules: GameRules
    title: str
    seating: str
    presets: tuple[Preset, ...]
    duel_rules: Rules
    ladder_rules: tuple[Rules, ...]
    house_bots: Mapping[str, HouseVersion]
    redeal: Callable[[Turn, random.Random], State]
    narrator: Callable[[Sequence[str], Rules], Narrator]
    text: Callable[[Turn], TurnText]
    observation: ObjectShape
    events: tuple[EventShape, ...]
    actions: tuple[ActionForm, ...]
    rules_pages: tuple[RulesPage, ...] = ()
    awards: Awards | None = None
    picture: Callable[[Sequence[str], Rules], Picture] | None = None
    style: StyleFigures | None = None
    panel: Callable[[Turn, Sequence[str]], Panel] | None = None
    features: Callable[[Rules], Features] | None = None
    luck: LuckModel | None = None

    @property
    def kind(self) -> str:
        """The name of the game in records and requests."""
        return self.game_rules.kind

    @property
    def version(self) -> int:
        """See :class:`~arena.games.kernel.GameRules`."""
        return self.game_rules.version

    @property
    def options(self) -> OptionSet:
        """The rule options."""
        return self.game_rules.options

    @property
    def seat_range(self) -> tuple[int, int]:
        """The minimum and maximum number of seats."""
        option = self.options.by_name.get("seats")
        if option is not None:
            return option.low, option.high
        seats = self.seats(self.options.complete())
        return seats, seats

    def seat_counts(self, rules: Rules) -> list[int]:
        """Return the numbers of seats with which ``rules`` make a game."""
        low, high = self.seat_range
        return [
            seats
            for seats in range(low, high + 1)
            if self._is_allowed({**rules, **self.rules_for({}, seats)})
        ]

    @property
    def has_partners(self) -> bool:
        """Whether teams have several seats."""
        return any(len(team) > 1 for team in self.teams(self.options.complete()))

    def preset(self, name: str | None = None) -> Preset:
        """Return the preset of that name, or the first one if the name is None. Raises
        :class:`~arena.errors.UnknownPreset`.
        """
        if name is None:
            return self.presets[0]
        for preset in self.presets:
            if preset.name == name:
                return preset
        raise UnknownPreset(
            f"{self.title} has no preset {name[:80]!r}",
            field="preset",
            expected="one of " + ", ".join(preset.name for preset in self.presets),
        )

    def preset_of(self, rules: Rules) -> str | None:
        """Return the name of the preset with the same complete rules, or None if there is none. Raises
        :class:`~arena.errors.InvalidOption`.
        """
        complete = self.options.complete(rules)
        for preset in self.presets:
            if self.options.complete(preset.rules) == complete:
                return preset.name
        return None

    def rules_of(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the rules that the settings of a tournament name by ``rules``, by ``preset``, or not at all.
        Raises :class:`~arena.errors.UnknownPreset`.
        """
        rules, preset = settings.get("rules"), settings.get("preset")
        return self.preset(preset).rules if rules is None and preset is not None else rules or {}

    @property
    def disciplines(self) -> tuple[Preset, ...]:
        """The presets for which bots qualify: the first one, which stands for the game, and those apart."""
        first, *others = self.presets
        return first, *(preset for preset in others if preset.apart)

    def discipline(self, rules: Rules) -> Preset:
        """Return the preset for which a bot that plays by ``rules`` qualifies: the preset apart that agrees
        with them on every option that any preset apart names, otherwise the first preset. Raises
        :class:`~arena.errors.InvalidOption`.
        """
        first, *apart = self.disciplines
        complete = self.options.complete(rules)
        names = {name for preset in apart for name in preset.rules}
        for preset in apart:
            own = self.options.complete(preset.rules)
            if all(own[name] == complete[name] for name in names):
                return preset
        return first

    def qualifying_rules(self, discipline: Preset) -> Rules:
        """Return the rules of the qualification for one of :attr:`disciplines`."""
        return discipline.rules if discipline.apart else self.duel_rules

    def _is_allowed(self, rules: Rules) -> bool:
        try:
            self.options.complete(rules)
        except InvalidOption:
            return False
        return True

    def house_bot(self, level: str) -> HouseVersion:
        """Return the house bot of that level. Raises :class:`~arena.errors.UnknownBot`."""
        bot = self.house_bots.get(level)
        if bot is None:
            raise UnknownBot(
                f"there is no house bot {level!r} at {self.title}",
                field="house",
                expected="one of " + ", ".join(self.house_bots),
            )
        return bot

    def rules_for(self, rules: Rules, seats: int) -> Rules:
        """Return ``rules`` with the option ``seats`` set, if the game has it and it is not given."""
        if "seats" in self.options.by_name:
            return {"seats": seats, **rules}
        return rules

    def seats(self, rules: Rules) -> int:
        """See :class:`~arena.games.kernel.GameRules`."""
        return self.game_rules.seats(rules)

    def teams(self, rules: Rules) -> tuple[tuple[int, ...], ...]:
        """See :class:`~arena.games.kernel.GameRules`."""
        return self.game_rules.teams(rules)

    def new_state(self, rules: Rules) -> State:
        """See :class:`~arena.games.kernel.GameRules`."""
        return self.game_rules.new_state(rules)

    def deserialise(self, data: bytes) -> State:
        """See :class:`~arena.games.kernel.GameRules`."""
        return self.game_rules.deserialise(data)

    def view_event(self, event: Event, seat: int | None) -> dict[str, object] | None:
        """See :class:`~arena.games.kernel.GameRules`."""
        return self.game_rules.view_event(event, seat)

    def from_observation(self, rules: Rules, observation: Any, hidden: Any) -> State:
        """See :class:`~arena.games.kernel.GameRules`."""
        return self.game_rules.from_observation(rules, observation, hidden)
