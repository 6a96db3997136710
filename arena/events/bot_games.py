"""The games of a bot: tournament games that the arena itself played, and games played over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from arena.play.game_ids import game_id, tournament_of
from arena.play.players import PlayerId
from arena.ratings.results import GroupResult
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
        local = [
            BotGroup(
                result.id,
                max(game.finished_ms for game in result.games),
                frozenset(player.name for player in result.players),
            )
            for result in read_results(tournament.id, {own.group.id: own.result for own in over})
        ]
        self._store.add(local, private=not tournament.is_public)


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
        limit: int = 50,
        viewer: Viewer = ANYBODY,
    ) -> Sequence[_Item]:
        """Return the latest games of a bot that the viewer may see, newest first: all that are kept of the
        games that the arena played, and the last 100 over HTTP. ``preset``: a preset of the rules.
        ``against``: the name of an opponent. ``result``: one of :data:`~arena.play.bot_results.RESULTS`.

        Raises :class:`~arena.accounts.accounts.BotNotFound` and :class:`~arena.errors.UnknownGame`.
        """
        if kind is not None:
            game_of(kind)
        if house_source(bot) is None:
            self._accounts.bot(bot)

        def fits(item: _Item) -> bool:
            return (
                kind in (None, item["kind"])
                and preset in (None, item["preset"])
                and result in (None, item["result"])
                and (against is None or self._is_against(item, against))
            )

        tournaments = _Tournaments(self._store.tournaments)
        found = merge(
            self._of_arena(bot, against, limit, viewer, tournaments),
            sorted(self._over_http(bot, kind, viewer), key=_newness, reverse=True),
            key=_newness,
            reverse=True,
        )
        newest = list(islice(filter(fits, found), limit))
        return self._moderation.apply(self._with_tournaments(newest, tournaments))

    def _is_against(self, item: _Item, name: str) -> bool:
        """Whether a bot with this real or displayed name is an opponent."""
        others = (seat["name"] for seat in item["seats"] if seat["seat"] not in item["team"])
        return any(
            other is not None and name in (other, self._moderation.name("bot", other)) for other in others
        )

    def _of_arena(
        self, bot: str, against: str | None, limit: int, viewer: Viewer, tournaments: _Tournaments
    ) -> Iterator[_Item]:
        """Yield the games that the arena played, newest first. Games against ``against`` can be missing from
        one bot's list and still be on the other's.
        """
        groups = {
            group.name: group
            for private in ((False, True) if viewer != ANYBODY else (False,))
            for name in {bot, against or bot}
            for group in self._store.bot_games.groups(name, private=private)
        }
        newest = sorted(groups.values(), reverse=True)
        # Most groups have two games or more, so the first half of this number is usually enough.
        half = -(-limit // 2)
        for some in (newest[:half], newest[half:]):
            yield from self._games_of(bot, some, viewer, tournaments)

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

    def _over_http(self, bot: str, kind: str | None, viewer: Viewer) -> Iterator[_Item]:
        shown = self._moderation.name("bot", bot)
        for game in self._live.list(bot=bot, kind=kind, limit=GAMES_MOST, viewer=viewer).items:
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
