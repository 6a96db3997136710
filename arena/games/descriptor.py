"""Game descriptors, through which the rest of the service uses games. Each game has one :class:`Game`, in its
``game.py``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from arena.errors import InvalidOption, UnknownBot, UnknownPreset
from arena.games.features import Features
from arena.games.guides import Guide
from arena.games.kernel import Event, GameRules, State, Turn
from arena.games.options import OptionSet, Rules
from arena.games.panels import Panel
from arena.games.pictures import Picture
from arena.games.shapes import ActionForm, EventShape, ObjectShape
from arena.games.texts import News, TurnText


class SeatPlayer(Protocol):
    """The player that a house bot uses for one seat of one game."""

    def choose(self, turn: Turn) -> str | None:
        """Choose an answer; see :meth:`arena.bots.base.Bot.choose`."""
        ...


class Narrator(Protocol):
    """Narrates one game for human readers. Events must be passed in order, always to the same method."""

    def line(self, event: Event) -> list[str]:
        """Return the lines for ``event`` (a full event tuple from ``State.apply``), usually just one.

        The lines reveal all cards, so use this only for games that are public.
        """

    def seen_lines(self, seen: Any) -> list[str]:
        """Return the lines for an event, given as a viewer sees it (``GameRules.view_event``). The lines
        contain only cards that the event contains.
        """


class NarratorOf(Protocol):
    """Creates the narrator of one game from the names of the seats and the complete rules. ``you`` is the
    seat of the reader, whose name is ``You``, or None.
    """

    def __call__(self, names: Sequence[str], rules: Rules, you: int | None = None) -> Narrator:
        """Return the narrator."""


@dataclass(frozen=True, kw_only=True)
class HouseVersion:
    """A house bot for one game. ``version`` changes only when its play changes, because each version has its
    own rating.
    """

    player: Callable[[random.Random], SeatPlayer]
    version: str


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A named, versioned set of rules that has a leaderboard per division. ``title`` is its name for people.
    ``rules`` lists the options that differ from the defaults. The meaning of a preset never changes: the
    default of an option added later preserves the old behaviour. ``apart`` marks a preset that counts as a
    separate game, for which bots must qualify separately. ``recurring`` means that a new service holds
    recurring tournaments with this preset, in addition to those with the ``duel_rules`` of the game.
    """

    name: str
    title: str
    doc: str
    rules: Rules = field(default_factory=dict)
    apart: bool = False
    recurring: bool = False


@dataclass(frozen=True, kw_only=True)
class Award:
    """A title on the leaderboard for the bot with the highest ``value``, provided that it is above zero.

    ``value`` computes the result from the totals of a bot's tallies, or returns None if the bot is not
    eligible. If ``settled`` is set, only bots with enough groups for a settled rating are eligible.
    """

    title: str
    measure: str
    value: Callable[[Mapping[str, int]], float | None]
    settled: bool = False


@dataclass(frozen=True, kw_only=True)
class Awards:
    """What a game counts about the playing style of its players, and the titles that it awards for style.

    ``styles(events, seats)`` returns one tuple of numbers per seat of a game, which is stored with the
    result. ``tally(style)`` converts a tuple into named counts that can be added up over games. ``given_up``
    and ``could_give_up`` are the names of two counts: how often a player gave up a hand, and how often it
    could have.
    """

    styles: Callable[[Iterable[Event], int], tuple[tuple[int, ...], ...]]
    tally: Callable[[Sequence[int]], Mapping[str, int]]
    given_up: str
    could_give_up: str
    awards: tuple[Award, ...]


@dataclass(frozen=True)
class Figure:
    """A statistic about the playing style of players. ``of`` describes the total of which it is a share, and
    ``meaning`` describes what is counted. Both are texts for readers.
    """

    name: str
    title: str
    of: str
    meaning: str


@dataclass(frozen=True, kw_only=True)
class StyleFigures:
    """Statistics of playing style, which are published but decide nothing.

    ``count(events, rules)``, with the complete rules, returns two numbers per seat and figure of a game: how
    often something was done, and how often it could have been done. ``version`` is increased when the
    counting changes; all records are then counted again.
    """

    figures: tuple[Figure, ...]
    count: Callable[[Iterable[Event], Rules], Sequence[Sequence[Sequence[int]]]]
    version: int


class Standing(NamedTuple):
    """The score between two hands of a game of two teams: the points or lives of ``team`` (one of ``teams``),
    then those of the other team. The rules determine which team comes first, for example the dealer's.
    """

    team: int
    own: int
    other: int


@dataclass(frozen=True, kw_only=True)
class LuckModel:
    """The method of measuring luck in games of two teams (:mod:`arena.luck`).

    ``level`` and ``version`` identify the house bot that plays out the packs. ``player`` returns a function
    that chooses for one seat of one hand as that bot does, from states in which the seat is awaited.
    ``plays`` is how often it plays each pack of a game. ``weight`` is the factor of the luck that is
    subtracted from a result. ``hand`` is the number of cards of a hand. ``rules`` takes complete rules and
    removes everything that makes no difference between two hands, so that rules with the same equity table
    become equal. ``standings`` returns all values ``(own, other)`` of an undecided game; in a decided game,
    the team with the higher value has won. ``start`` returns a state that has the given values and waits for
    a deal. ``standing`` returns the values of a state between two hands or after the last one. ``is_blind``
    returns whether nobody has yet seen a card of the hand that was dealt; until then, actions are part of its
    luck.
    """

    level: str
    version: str
    player: Callable[[random.Random], Callable[[State], str]]
    plays: int
    weight: float
    hand: int
    rules: Callable[[Rules], Rules]
    standings: Callable[[Rules], Sequence[tuple[int, int]]]
    start: Callable[[Rules, int, int], State]
    standing: Callable[[State], Standing]
    is_blind: Callable[[State], bool]


@dataclass(frozen=True)
class RulesPage:
    """A page of numbered rules. ``path`` is relative to ``docs/``, without the suffix. ``prefix`` is the
    prefix of its rule numbers. ``title`` is the display name of the game whose rules they are.
    """

    path: str
    prefix: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Game:
    """One game: its rules and everything that belongs to it.

    ``title`` is its display name. ``rules_pages`` lists the pages of its rules, the main page first.
    ``seating`` is a sentence that describes the seating. The first of the ``presets`` is the default.
    ``duel_rules`` are the rules of qualification duels and of the tournaments that a new service starts,
    except for presets apart. ``ladder_rules`` are the sets of rules for the ladder of house bots.
    ``house_bots`` are listed by level, weakest first. For ``redeal``, see :mod:`arena.bots.redeal`.

    ``narrator`` creates a :class:`Narrator`. ``picture`` takes the names of the seats and the complete rules;
    without it, the game has no replay page. ``text`` returns the text of a turn, and needs only the turn.
    ``news`` takes complete rules, a seat and events as that seat sees them, and returns a line for each event
    that tells the seat something. ``summary`` takes complete rules and returns them in short, in paragraphs.
    ``style`` defines the statistics of playing style. ``panel`` returns the panel for a person, from a turn
    and the names of the seats; without it, people cannot play the game. ``guide`` explains the game to them.
    ``features`` takes complete rules and returns an encoding of actions as numbers and of observations as
    vectors; without it, there are no environments or data sets. ``luck`` is the method of measuring luck, for
    games of two teams.

    ``usual_moves`` takes complete rules and returns how many moves, deals included, a game by these rules
    usually has; without it, no rules are refused because games would be too long. ``length_options`` lists
    the options of which smaller numbers make games shorter.
    """

    game_rules: GameRules
    title: str
    seating: str
    presets: tuple[Preset, ...]
    duel_rules: Rules
    ladder_rules: tuple[Rules, ...]
    house_bots: Mapping[str, HouseVersion]
    redeal: Callable[[Turn, random.Random], State]
    narrator: NarratorOf
    text: Callable[[Turn], TurnText]
    news: Callable[[Rules, int, Sequence[News]], tuple[str, ...]]
    summary: Callable[[Rules], tuple[str, ...]]
    observation: ObjectShape
    events: tuple[EventShape, ...]
    actions: tuple[ActionForm, ...]
    rules_pages: tuple[RulesPage, ...] = ()
    awards: Awards | None = None
    picture: Callable[[Sequence[str], Rules], Picture] | None = None
    style: StyleFigures | None = None
    panel: Callable[[Turn, Sequence[str]], Panel] | None = None
    guide: Guide | None = None
    features: Callable[[Rules], Features] | None = None
    luck: LuckModel | None = None
    usual_moves: Callable[[Rules], int] | None = None
    length_options: tuple[str, ...] = ()

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
        """Return the numbers of seats that are possible with ``rules``."""
        low, high = self.seat_range
        return [
            seats
            for seats in range(low, high + 1)
            if self._is_allowed({**rules, **self.rules_for({}, seats)})
        ]

    @property
    def has_partners(self) -> bool:
        """Whether some team has more than one seat."""
        return any(len(team) > 1 for team in self.teams(self.options.complete()))

    def preset(self, name: str | None = None) -> Preset:
        """Return the preset with this name, or the first preset if the name is None. Raises
        :class:`~arena.errors.UnknownPreset`.
        """
        if name is None:
            return self.presets[0]
        for preset in self.presets:
            if preset.name == name:
                return preset
        known = [preset.name for preset in self.presets]
        raise UnknownPreset.among(f"{self.title} has no preset", name, known)

    def preset_of(self, rules: Rules) -> str | None:
        """Return the name of the preset with the same complete rules, or None if there is no such preset.
        Raises :class:`~arena.errors.InvalidOption`.
        """
        complete = self.options.complete(rules)
        for preset in self.presets:
            if self.options.complete(preset.rules) == complete:
                return preset.name
        return None

    def title_of(self, rules: Rules) -> str:
        """Return the title of the preset with these rules, or that of the game if there is no such preset."""
        preset = self.preset_of(rules)
        return self.title if preset is None else self.preset(preset).title

    def rules_of(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the rules in the settings of a tournament, which can specify ``rules`` or ``preset`` or
        neither. Raises :class:`~arena.errors.UnknownPreset`.
        """
        rules, preset = settings.get("rules"), settings.get("preset")
        return self.preset(preset).rules if rules is None and preset is not None else rules or {}

    @property
    def disciplines(self) -> tuple[Preset, ...]:
        """The presets for which bots qualify: the first one, which represents the game itself, and the
        presets apart.
        """
        first, *others = self.presets
        return first, *(preset for preset in others if preset.apart)

    def discipline(self, rules: Rules) -> Preset:
        """Return the preset for which a bot must qualify to play by ``rules``. This is the preset apart that
        agrees with them on every option that any preset apart sets; otherwise it is the first preset. Raises
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
        """Return the rules for qualification in one of :attr:`disciplines`."""
        return discipline.rules if discipline.apart else self.duel_rules

    def _is_allowed(self, rules: Rules) -> bool:
        try:
            self.options.complete(rules)
        except InvalidOption:
            return False
        return True

    def house_bot(self, level: str) -> HouseVersion:
        """Return the house bot of this level. Raises :class:`~arena.errors.UnknownBot`."""
        bot = self.house_bots.get(level)
        if bot is None:
            raise UnknownBot(
                f"{self.title} has no house bot {level!r}",
                field="house",
                expected="one of " + ", ".join(self.house_bots),
            )
        return bot

    def rules_for(self, rules: Rules, seats: int) -> Rules:
        """Return ``rules`` with the option ``seats`` set, if the game has this option and ``rules`` does not
        set it.
        """
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
