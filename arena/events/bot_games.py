"""The games of a bot: tournament games that the arena itself played, and games played over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from heapq import merge
from itertools import islice
from typing import Any, Final, NamedTuple

from arena.accounts.accounts import Accounts
from arena.events.group_results import read_results, results_of
from arena.events.house_entries import house_source
from arena.events.moderation import Moderation
from arena.events.rights import Rights
from arena.events.tournament import PlannedGroup, Tournament
from arena.games import game_of
from arena.live.header import ANYBODY, Viewer
from arena.live.service import LiveGames
from arena.play.bot_results import GAMES_MOST
from arena.play.game_ids import game_id, place_of, tournament_of
from arena.play.players import PlayerId
from arena.ratings.results import GroupResult
from arena.store.amounts import DAY_MS
from arena.store.bot_games import BotGroup
from arena.store.paging import Cursor
from arena.store.repositories import Store
from arena.store.rows import shown_or_left_out
from arena.store.tournaments import TournamentStore

_Item = dict[str, Any]


class OverGroup(NamedTuple):
    """A finished group. ``result`` is its stored result, or None if it was live."""

    group: PlannedGroup
    result: bytes | None


class GamesAround(NamedTuple):
    """Where a tournament game belongs: its tournament (id and name), the id of its group in the tournament,
    and the players and the games of the group. ``same_deals``: whether all games of the group have the same
    deals. ``bot`` is the player whose games ``previous`` and ``following`` are (None: there is none, or it is
    no longer listed). All names are as displayed.
    """

    tournament: Mapping[str, str]
    group: str
    players: Sequence[str]
    games: Sequence[str]
    same_deals: bool
    bot: str
    previous: str | None
    following: str | None


class PlayedGames:
    """Adds finished groups to the lists of bots' games. Every method is safe to repeat."""

    def __init__(self, store: Store) -> None:
        self._store = store.bot_games

    def add(self, tournament: Tournament, over: Sequence[OverGroup]) -> None:
        """Add finished groups of a tournament to the lists of their bots. Qualifications and comparisons are
        not added, because they have their own pages.
        """
        if tournament.purpose or not over:
            return
        bots = {tournament.playing[player].name for own in over for player in own.group.players}
        self._store.add_tournament(tournament.id, tournament.created_ms, sorted(bots))
        results = read_results(tournament.id, {own.group.id: own.result for own in over})
        self._store.add(map(listed_group, results), private=not tournament.is_public)


def listed_group(result: GroupResult) -> BotGroup:
    """Return the group of a result for the lists of its bots."""
    ended_ms = max(game.finished_ms for game in result.games)
    return BotGroup(result.id, ended_ms, frozenset(player.name for player in result.players))


class BotGames:
    """Lists the games of bots, with names and texts as the viewer sees them."""

    def __init__(
        self, store: Store, live: LiveGames, accounts: Accounts, moderation: Moderation, rights: Rights
    ) -> None:
        self._moderation = moderation
        self._rights = rights
        self._store = store
        self._live = live
        self._accounts = accounts

    @property
    def most_groups(self) -> int:
        """The maximum number of groups kept per bot, separately for public and for private tournaments."""
        return self._store.bot_games.most_groups

    def list(
        self,
        bot: str,
        *,
        kind: str | None = None,
        preset: str | None = None,
        against: str | None = None,
        result: str | None = None,
        day: date | None = None,
        limit: int = 50,
        viewer: Viewer = ANYBODY,
    ) -> Sequence[_Item]:
        """Return the latest games of a bot that the viewer may see, newest first: all that are kept of the
        games that the arena played, and the last 100 over HTTP. ``preset``: a preset of the rules.
        ``against``: the name of an opponent. ``result``: one of :data:`~arena.play.bot_results.RESULTS`.
        ``day``: the day (UTC) on which the groups of the games were over.

        Raises :class:`~arena.accounts.accounts.BotNotFound` and :class:`~arena.errors.UnknownGame`.
        """
        if kind is not None:
            game_of(kind)
        if house_source(bot) is None:
            self._accounts.bot(bot)

        number = None if day is None else day.toordinal() - _FIRST_DAY

        def fits(item: _Item) -> bool:
            return (
                number in (None, item["at_ms"] // DAY_MS)
                and kind in (None, item["kind"])
                and preset in (None, item["preset"])
                and result in (None, item["result"])
                and (against is None or self._is_against(item, against))
            )

        tournaments = _Tournaments(self._store.tournaments)
        found = merge(
            self._of_arena(bot, against, number, limit, viewer, tournaments),
            sorted(self._over_http(bot, kind, viewer), key=_newness, reverse=True),
            key=_newness,
            reverse=True,
        )
        newest = list(islice(filter(fits, found), limit))
        return self._moderation.apply(self._with_tournaments(newest, tournaments))

    def latest(self, bots: Collection[str], limit: int, viewer: Viewer = ANYBODY) -> Sequence[_Item]:
        """Return the latest games of several bots in public tournaments and over HTTP that the viewer may
        see, newest first, each from the point of view of one of the bots.
        """
        tournaments = _Tournaments(self._store.tournaments)
        items: list[_Item] = []
        for bot in bots:
            groups = self._store.bot_games.groups(bot, private=False, most=limit)
            items += islice(self._games_of(bot, groups, viewer, tournaments), limit)
            items += self._over_http(bot, None, viewer, limit)
        newest = sorted(items, key=_newness, reverse=True)[:limit]
        return self._moderation.apply(self._with_tournaments(newest, tournaments))

    def around(self, game: str, of: str | None) -> GamesAround | None:
        """Return where a finished game belongs, or None for a game outside tournaments. ``of`` is the real or
        displayed name of the player whose games are before and after it, by default the first that is no
        house bot. The caller checks that the viewer may see the game.
        """
        place = place_of(game)
        if place is None:
            return None
        tournament = _Tournaments(self._store.tournaments).of([place.tournament]).get(place.tournament)
        result = next(results_of(self._store.tournaments, [(place.tournament, place.group)]), None)
        name = self._name_of(tournament)
        if tournament is None or name is None or result is None:
            return None
        seated = dict.fromkeys(player.name for one in result.games for player in one.players)
        shown = {bot: self._moderation.name("bot", bot) for bot in seated}
        bot = next(
            (bot for bot in seated if of in (bot, shown[bot])),
            next((bot for bot in seated if house_source(bot) is None), next(iter(seated))),
        )
        # Later attempts have a suffix, which all games of the group share.
        suffix = game[len(game_id(result.id, place.number)) :]
        games = [game_id(result.id, number) + suffix for number in range(result.size)]
        at = place.number
        before = after = None
        if tournament.is_public:
            before, after = self._neighbours(bot, result.id)
        return GamesAround(
            name,
            place.group,
            list(shown.values()),
            games,
            result.mirrored,
            shown[bot],
            games[at - 1] if at else before,
            games[at + 1] if at + 1 < len(games) else after,
        )

    def _neighbours(self, bot: str, group: str) -> tuple[str | None, str | None]:
        """Return the last game of the group before a group of a bot, and the first game of the one after it,
        if they are on the list of the bot.
        """
        groups = [own.name for own in self._store.bot_games.groups(bot, private=False)]
        if group not in groups:
            return None, None
        at = groups.index(group)
        older, newer = (
            next(results_of(self._store.tournaments, _split(some)), None)
            for some in (groups[at + 1 : at + 2], groups[max(0, at - 1) : at])
        )
        return (
            None if older is None else game_id(older.id, older.games[-1].number),
            None if newer is None else game_id(newer.id, newer.games[0].number),
        )

    def _is_against(self, item: _Item, name: str) -> bool:
        """Whether a bot with this real or displayed name is an opponent."""
        others = (seat["name"] for seat in item["seats"] if seat["seat"] not in item["team"])
        return any(
            other is not None and name in (other, self._moderation.name("bot", other)) for other in others
        )

    def _of_arena(
        self,
        bot: str,
        against: str | None,
        day: int | None,
        limit: int,
        viewer: Viewer,
        tournaments: _Tournaments,
    ) -> Iterator[_Item]:
        """Yield the games that the arena played, newest first, of one day (since 1970) or of all."""
        groups: set[Cursor] = set()
        for private in (False, True) if viewer != ANYBODY else (False,):
            groups |= self._groups(bot, against, day, private)
        newest = sorted(groups, reverse=True)
        # Most groups have two games or more, so the first half of this number is usually enough.
        at_once = -(-limit // 2)
        for start in range(0, len(newest), at_once):
            yield from self._games_of(bot, newest[start : start + at_once], viewer, tournaments)

    def _groups(self, bot: str, against: str | None, day: int | None, private: bool) -> set[Cursor]:
        """Return the groups of a bot, of one day or the most recent ones, and possibly some in which it does
        not play. If ``against`` is given, some in which that bot does not play can be left out.
        """
        store = self._store.bot_games
        if day is None:
            lists = [store.groups(name, private=private) for name in {bot, against or bot}]
            return set().union(*lists)
        own, *others = (
            store.groups_of_day(name, day, private=private) for name in dict.fromkeys((bot, against or bot))
        )
        found = set(own)
        for other in others:
            # A list that is not full has all groups of its bot.
            is_full, other_is_full = len(own) >= store.most_of_day, len(other) >= store.most_of_day
            if not is_full and not other_is_full:
                found &= set(other)
            elif is_full:
                found = found.union(other) if other_is_full else set(other)
        return found

    def days(self, bot: str) -> dict[date, int]:
        """Return the days (UTC) in the last weeks on which public groups of a bot that the arena played were
        over, and how many, newest first.
        """
        found = self._store.bot_games.days(bot, self._store.clock().now_ms)
        return {date.fromordinal(day + _FIRST_DAY): count for day, count in found.items()}

    def _games_of(
        self, bot: str, groups: Sequence[Cursor], viewer: Viewer, tournaments: _Tournaments
    ) -> Sequence[_Item]:
        """Return the games of groups in which the bot plays and which the viewer may see, newest first."""
        ended = {group.name: group.score for group in groups}
        ids = list(_split(ended))
        visibility = self._rights.visibility(viewer)
        seen = {
            event: (tournament, {entry.player for entry in tournament.playing if entry.source})
            for event, tournament in tournaments.of(event for event, _ in ids).items()
            if not visibility.hides(tournament)
        }
        items: list[_Item] = []
        for result in results_of(self._store.tournaments, (own for own in ids if own[0] in seen)):
            items += _items(bot, *seen[tournament_of(result.id) or ""], result, ended[result.id])
        return sorted(items, key=_newness, reverse=True)

    def _over_http(
        self, bot: str, kind: str | None, viewer: Viewer, limit: int = GAMES_MOST
    ) -> Iterator[_Item]:
        shown = self._moderation.name("bot", bot)
        for game in self._live.list(bot=bot, kind=kind, limit=limit, viewer=viewer).items:
            seats = [{name: seat[name] for name in _SEAT} for seat in game["seats"]]
            own = next((seat["seat"] for seat in game["seats"] if seat["name"] == shown), None)
            if own is None:
                continue
            rules, group, outcome = game["rules"], game["group"], game["outcome"]
            teams = game_of(game["kind"]).teams(rules)
            yield {
                "game": game["game"],
                "kind": game["kind"],
                "preset": game_of(game["kind"]).preset_of(rules),
                "rated": game["rated"],
                "state": game["state"],
                "seat": own,
                "team": _team(teams, own),
                "sides": len(teams),
                "seats": seats,
                "outcome": outcome,
                "result": _result(game["state"], outcome, own),
                "tournament": None if group is None else tournament_of(group["id"]),
                "group": None if group is None else group["id"],
                "at_ms": game["finished_ms"] or game["started_ms"] or game["created_ms"],
            }

    def _with_tournaments(self, items: Sequence[_Item], tournaments: _Tournaments) -> Sequence[_Item]:
        """The games, with the names of their tournaments and whether they were annulled."""
        found = tournaments.of({item["tournament"] for item in items} - {None})
        groups = {item["group"] for item in items} - {None}
        annulled = dict(zip(groups, self._store.annulments.many(list(groups)), strict=True))
        return [
            {
                **{name: value for name, value in item.items() if name != "group"},
                "tournament": self._name_of(found.get(item["tournament"])),
                "annulled": annulled.get(item["group"]) is not None,
            }
            for item in items
        ]

    def _name_of(self, tournament: Tournament | None) -> dict[str, str] | None:
        if tournament is None:
            return None
        spec = tournament.spec
        shown = self._moderation.apply({"id": tournament.id, "name": spec.name, "format": spec.format})
        return {"id": shown["id"], "name": shown["name"]}


class _Tournaments:
    """Loads tournaments, each once."""

    def __init__(self, store: TournamentStore) -> None:
        self._store = store
        self._known: dict[str, Tournament | None] = {}

    def of(self, events: Iterable[str]) -> dict[str, Tournament]:
        """Return the tournaments that exist and can be read."""
        wanted = set(events)
        missing = sorted(wanted - self._known.keys())
        for event, row in zip(missing, self._store.load(missing), strict=True):
            self._known[event] = None
            if row is not None:
                loads = partial(Tournament.loads, row.meta)
                self._known[event] = shown_or_left_out(f"tournament {event}", loads)
        return {event: found for event in wanted if (found := self._known[event]) is not None}


def games_of_arena(store: Store, bot: str) -> Iterator[str]:
    """Yield the ids of all games of a bot that the arena played in any tournament and that are still kept."""
    for private in (False, True):
        groups = store.bot_games.groups(bot, private=private)
        for result in results_of(store.tournaments, _split(group.name for group in groups)):
            yield from (game_id(result.id, game.number) for game in result.games)


def _split(groups: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the tournament and the id in the tournament of each group, given its id in records."""
    for group in groups:
        event = tournament_of(group)
        if event is not None:
            yield event, group[len(event) + 1 :]


_FIRST_DAY: Final = date(1970, 1, 1).toordinal()
_SEAT: Final = ("seat", "type", "name", "version")


def _items(
    bot: str, tournament: Tournament, house: Collection[PlayerId], result: GroupResult, at_ms: int
) -> Iterator[_Item]:
    """Yield the games of a group in which the bot plays: none if the group is from another bot's list."""
    for game in result.games:
        seats = [
            {"seat": seat, "type": "house" if player in house else "bot", **player._asdict()}
            for seat, player in enumerate(game.players)
        ]
        own = next((seat["seat"] for seat in seats if seat["name"] == bot), None)
        if own is None:
            return
        outcome = {name: list(getattr(game, name)) for name in ("places", "scores", "forfeits")}
        yield {
            "game": game_id(result.id, game.number),
            "kind": result.kind,
            "preset": result.preset or None,
            "rated": tournament.spec.rated and bool(result.preset),
            "state": "finished",
            "seat": own,
            "team": _team(result.teams, own),
            "sides": len(result.teams),
            "seats": seats,
            "outcome": outcome,
            "result": _result("finished", outcome, own),
            "tournament": tournament.id,
            "group": result.id,
            "at_ms": at_ms,
        }


def _newness(item: _Item) -> tuple[int, str]:
    return item["at_ms"], item["game"]


def _team(teams: Iterable[Sequence[int]], seat: int) -> list[int]:
    return next(list(team) for team in teams if seat in team)


def _result(state: str, outcome: Mapping[str, Sequence[float]] | None, seat: int) -> str | None:
    """One of :data:`~arena.play.bot_results.RESULTS`, or None for a game that was not played to the end."""
    if outcome is None:
        return "running" if state == "running" else None
    places = outcome["places"]
    if places[seat] > 1:
        return "lost"
    return "won" if max(places) > 1 else "drawn"
