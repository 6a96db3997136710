"""The games of a bot: tournament games that the arena itself played, and games played over HTTP."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import orjson

from arena.accounts.accounts import Accounts
from arena.events.house_entries import house_source
from arena.events.moderation import Moderation
from arena.events.rights import Rights
from arena.events.tournament import PlannedGroup, Tournament
from arena.games import game_of
from arena.live.header import ANYBODY, Viewer
from arena.live.service import LiveGames
from arena.play.bot_results import GAMES_MOST
from arena.play.game_ids import game_id, tournament_of
from arena.store.bot_games import BotGameStore, BotGroup
from arena.store.records import RecordStore
from arena.store.repositories import Store
from arena.store.rows import reading, shown_or_left_out

_Item = dict[str, Any]


class OverGroup(NamedTuple):
    """A finished group. ``records`` is its row of records (:mod:`arena.store.records`), or None if it was
    live.
    """

    group: PlannedGroup
    records: bytes | None


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
        # Archived groups have been added before.
        local = [
            _bot_group(tournament, group, records)
            for group, records in over
            if records is not None and not RecordStore.is_archived(records)
        ]
        self._store.add(local, private=not tournament.is_public)


def _bot_group(tournament: Tournament, group: PlannedGroup, records: bytes) -> BotGroup:
    """The group with the data for its row. If two workers played the group, only their times can differ, and
    only the first worker's records are stored.
    """
    entries = [tournament.playing[player] for player in group.players]
    places = {(entry.name, entry.version): place for place, entry in enumerate(entries)}
    rules = tournament.rules_of(group)
    game = tournament.spec.game
    games = []
    at_ms = 0
    for line in gzip.decompress(records).splitlines():
        record = orjson.loads(line)
        canonical, outcome = record["canonical"], record["canonical"]["outcome"]
        at_ms = max(at_ms, record["info"]["finished_ms"])
        seats = [places[player["name"], player["version"]] for player in canonical["players"]]
        games.append([seats, outcome["places"], outcome["scores"], outcome["forfeits"]])
    row = [
        *(tournament.id, group.id, tournament.spec.kind, game.preset_of(rules), at_ms),
        *(tournament.board_of(group) is not None, game.teams(rules)),
        [[entry.name, entry.version, bool(entry.source)] for entry in entries],
        games,
    ]
    return BotGroup(tuple(entry.name for entry in entries), at_ms, orjson.dumps(row))


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

        found = [*self._of_arena(bot, against, viewer), *self._over_http(bot, kind, viewer)]
        newest = sorted(filter(fits, found), key=lambda item: (item["at_ms"], item["game"]), reverse=True)
        return self._moderation.apply(self._with_tournaments(newest[:limit]))

    def _is_against(self, item: _Item, name: str) -> bool:
        """Whether a bot with this real or displayed name is an opponent."""
        others = (seat["name"] for seat in item["seats"] if seat["seat"] not in item["team"])
        return any(
            other is not None and name in (other, self._moderation.name("bot", other)) for other in others
        )

    def _of_arena(self, bot: str, against: str | None, viewer: Viewer) -> Iterator[_Item]:
        """Yield the games that the arena played. Games against ``against`` can be missing from one bot's list
        and still be on the other's.
        """
        seen: set[str] = set()
        may_see = self._visibility(viewer)
        for private in (False, True) if viewer != ANYBODY else (False,):
            for name in (bot, against) if against and against != bot else (bot,):
                for row in self._store.bot_games.groups(name, private=private):
                    items = shown_or_left_out(f"a group of {name}", partial(_items, bot, row)) or []
                    for item in items:
                        if item["game"] not in seen and (not private or may_see(item["tournament"])):
                            seen.add(item["game"])
                            yield item

    def _visibility(self, viewer: Viewer) -> Callable[[str], bool]:
        """Return a function that tells whether the viewer may see a private tournament."""
        known: dict[str, bool] = {}
        sight = self._rights.sight(viewer)

        def may_see(event: str) -> bool:
            if event not in known:
                found = self._tournaments([event]).get(event)
                known[event] = found is not None and not sight.hides(found)
            return known[event]

        return may_see

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

    def _with_tournaments(self, items: Sequence[_Item]) -> Sequence[_Item]:
        """The games, with the names of their tournaments and whether they were annulled."""
        events = {item["tournament"] for item in items} - {None}
        found = self._tournaments(sorted(events))
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

    def _tournaments(self, events: Sequence[str]) -> dict[str, Tournament]:
        rows = zip(events, self._store.tournaments.load(events), strict=True)
        found = {
            event: shown_or_left_out(f"tournament {event}", partial(Tournament.loads, row.meta))
            for event, row in rows
            if row is not None
        }
        return {event: one for event, one in found.items() if one is not None}

    def _name_of(self, tournament: Tournament | None) -> dict[str, str] | None:
        if tournament is None:
            return None
        spec = tournament.spec
        shown = self._moderation.apply({"id": tournament.id, "name": spec.name, "format": spec.format})
        return {"id": shown["id"], "name": shown["name"]}


def games_of_arena(store: BotGameStore, bot: str) -> Iterator[str]:
    """Yield the ids of all games of a bot that the arena played in any tournament and that are still kept."""
    for private in (False, True):
        for row in store.groups(bot, private=private):
            items = shown_or_left_out(f"a group of {bot}", partial(_items, bot, row))
            yield from (item["game"] for item in items or ())


_SEAT: Final = ("seat", "type", "name", "version")


def _items(bot: str, row: bytes) -> list[_Item]:
    """The games of a row in which the bot plays. A row from another bot's list can have none."""
    with reading("a group of a bot"):
        event, group, kind, preset, at_ms, rated, teams, players, games, *_ = orjson.loads(row)
        group_id = f"{event}-{group}"
        items = []
        for number, (places, *outcome) in enumerate(game[:4] for game in games):
            seats = [
                {"seat": seat, "type": "house" if is_house else "bot", "name": name, "version": version}
                for seat, (name, version, is_house) in enumerate(players[place][:3] for place in places)
            ]
            own = next((seat["seat"] for seat in seats if seat["name"] == bot), None)
            if own is None:
                continue
            result = dict(zip(("places", "scores", "forfeits"), outcome, strict=True))
            items.append(
                {
                    "game": game_id(group_id, number),
                    "kind": kind,
                    "preset": preset,
                    "rated": rated,
                    "state": "finished",
                    "seat": own,
                    "team": _team(teams, own),
                    "sides": len(teams),
                    "seats": seats,
                    "outcome": result,
                    "result": _result("finished", result, own),
                    "tournament": event,
                    "group": group_id,
                    "at_ms": at_ms,
                }
            )
        return items


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
