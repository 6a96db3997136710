"""Bots whose results look arranged: a report for people to investigate, not a verdict.

*Dumping*: a version gains far more from some other owners' bots than its strength explains, or more in one
tournament than in others (:mod:`arena.integrity.dumping`). *Signalling*: two players at one table or in one
team gain far more from the others than their strengths predict (:mod:`arena.integrity.signalling`). Bots are
named only if the probability of such results, corrected for all tests of the same kind, is below ``LEVEL``.
Every group counts as a single game, so that dependence between the games of a group raises no suspicion.
House bots help nobody and are never named.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import fsum
from typing import Final, NamedTuple

from arena.games import game_of
from arena.integrity.dumping import dumping_gains
from arena.integrity.encounters import Encounter, Gain
from arena.integrity.signalling import signalling_gains, team_partners
from arena.play.board_names import BoardName
from arena.play.game_ids import tournament_of
from arena.play.players import SEALED, PlayerId
from arena.ratings.results import GroupResult
from arena.ratings.standings import group_points

LEVEL: Final = 0.01
"""The maximum probability, for each kind of test, that the report names any bot in an honest field."""

DUMPING: Final = "dumping"
SIGNALLING: Final = "signalling"

_SHOWN_GROUPS: Final = 20


class Helper(NamedTuple):
    """A helper. ``groups`` is the number of groups that the gainer played against it (or with it), and
    ``score`` is the gainer's mean score in them.

    ``fold_rate`` is the share of its opportunities to fold that the helper took in these groups, and
    ``fold_rate_elsewhere`` is the same for its other groups; both are None without opportunities.
    ``forfeits`` is the number of groups with the gainer that the helper forfeited; ``groups`` does not
    include them.
    """

    player: PlayerId
    owner: str | None
    groups: int
    score: float
    fold_rate: float | None
    fold_rate_elsewhere: float | None
    forfeits: int

    def as_json(self) -> dict[str, object]:
        """Return the helper in the form shown to admins."""
        values = self._asdict()
        return {**values.pop("player")._asdict(), **values}


@dataclass(frozen=True)
class Suspicion:
    """A suspicion: ``gainer`` scored ``score`` per group in ``groups`` groups, when ``expected`` was
    predicted. For ``dumping``, it scored against the ``helpers``; for ``signalling``, it scored together with
    its only helper against the others, and the two are in alphabetical order. ``owner`` is the owner of the
    gainer, or None if the gainer no longer exists. ``tournament`` is the tournament in which this happened,
    or None for all. ``chance`` is the probability that any bot in an honest field deviates as much.
    ``group_ids`` lists at most 20 of the groups, strongest evidence first.
    """

    what: str
    kind: str
    division: str
    tournament: str | None
    gainer: PlayerId
    owner: str | None
    helpers: tuple[Helper, ...]
    groups: int
    score: float
    expected: float
    chance: float
    group_ids: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """Return the suspicion in the form shown to admins."""
        values = dict(vars(self))
        gainer = {**self.gainer._asdict(), "owner": values.pop("owner")}
        helpers = [helper.as_json() for helper in self.helpers]
        return {**values, "gainer": gainer, "helpers": helpers, "group_ids": list(self.group_ids)}


def suspicions(groups: Iterable[GroupResult], owners: Mapping[str, str]) -> list[Suspicion]:
    """Return the suspicions on every board, smallest chance first.

    ``owners`` maps bot names to owners, which are empty for house bots.
    """
    boards: dict[BoardName, list[GroupResult]] = defaultdict(list)
    for group in groups:
        if group.counts_for and group.board is not None:
            boards[group.board].append(group)
    found = [
        one for own in boards.values() for one in _of_board(sorted(own, key=lambda group: group.id), owners)
    ]
    return sorted(found, key=lambda one: (one.chance, one.what, one.gainer))


def _of_board(groups: Sequence[GroupResult], owners: Mapping[str, str]) -> list[Suspicion]:
    signalling, left = signalling_gains(groups, owners, LEVEL)
    meetings: dict[tuple[str, PlayerId, PlayerId], Encounter] = {}
    for group in left:
        if group.forfeiters:
            continue
        partners = team_partners(group)
        for one, other in permutations(group.players, 2):
            score = group_points(group, one, other)
            if score is not None and frozenset((one, other)) not in partners:
                tournament = tournament_of(group.id) or group.id
                meetings[group.id, one, other] = Encounter(group.id, tournament, one, other, score)
    sealed = groups[0].division == SEALED
    dumping = dumping_gains(meetings.values(), owners, LEVEL, by_tournament=sealed)
    return [_suspicion(SIGNALLING, gain, groups, owners) for gain in signalling] + [
        _suspicion(DUMPING, gain, groups, owners) for gain in dumping
    ]


def _suspicion(what: str, gain: Gain, groups: Sequence[GroupResult], owners: Mapping[str, str]) -> Suspicion:
    scores = defaultdict(list)
    for meeting in gain.meetings:
        scores[meeting.other].append(meeting)
    strongest = sorted(gain.meetings, key=lambda one: (-one.score, one.group))
    return Suspicion(
        what,
        groups[0].kind,
        groups[0].division,
        gain.tournament,
        gain.gainer,
        owners.get(gain.gainer.name),
        tuple(_helper(gain.gainer, own, groups, owners) for _, own in sorted(scores.items())),
        gain.groups,
        round(gain.score, 4),
        round(gain.expected, 4),
        gain.chance,
        tuple(one.group for one in strongest)[:_SHOWN_GROUPS],
    )


def _helper(
    gainer: PlayerId, meetings: Sequence[Encounter], groups: Sequence[GroupResult], owners: Mapping[str, str]
) -> Helper:
    player = meetings[0].other
    own = {meeting.group for meeting in meetings}
    theirs = [group for group in groups if player in group.players]
    return Helper(
        player,
        owners.get(player.name),
        len(meetings),
        round(fsum(meeting.score for meeting in meetings) / len(meetings), 4),
        _fold_rate((group for group in theirs if group.id in own), player),
        _fold_rate((group for group in theirs if group.id not in own), player),
        sum(gainer in group.players and player in group.forfeiters for group in theirs),
    )


def _fold_rate(groups: Iterable[GroupResult], player: PlayerId) -> float | None:
    given_up = opportunities = 0
    for group in groups:
        awards = game_of(group.kind).awards
        for game in group.games:
            if awards is not None and game.styles:
                for name, style in zip(game.players, game.styles, strict=True):
                    if name == player:
                        tally = awards.tally(style)
                        given_up += tally[awards.given_up]
                        opportunities += tally[awards.could_give_up]
    return round(given_up / opportunities, 4) if opportunities else None
