"""Series: an owner's season tables over several tournaments."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any, Final

from arena.accounts.accounts import Forbidden, Principal
from arena.declarations import settings_of
from arena.errors import ArenaError
from arena.events.moderation import Moderation
from arena.events.rights import Visibility, viewer_of
from arena.events.service import Tournaments
from arena.events.tournament import PRIVATE_PREFIX, Entered, Tournament
from arena.live.header import Viewer
from arena.ratings.series import FinalPlaces, SeriesTable, series_table
from arena.ratings.series_rules import MAX_TOURNAMENTS, InvalidSeries, SeriesContents, SeriesRules
from arena.store.paging import Page
from arena.store.repositories import Store
from arena.store.rows import read_row, row_values
from arena.text import printable
from arena.tournaments.entry import parties

MOST_OF_OWNER: Final = 50
_ID_BYTES: Final = 6
_KEPT: Final = 500


class SeriesNotFound(ArenaError):
    """The series does not exist."""

    code = "series_not_found"


class SeriesDone(ArenaError):
    """The series is done and can no longer be changed."""

    code = "series_done"


@dataclass(frozen=True)
class StoredSeries:
    """A series. ``tournaments``: the ids of its tournaments, in the order of the season. ``final``: the
    inputs of the table, stored once the series is ``done``; until then the inputs are read from the finished
    tournaments.
    """

    id: str
    name: str
    owner: str
    created_ms: int
    tournaments: list[str] = field(default_factory=list)
    rules: dict[str, Any] = field(default_factory=dict)
    done: bool = False
    final: list[Any] = field(default_factory=list)
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)


class SeasonTables:
    """All series. A series is visible to viewers who may see all of its tournaments."""

    def __init__(self, store: Store, tournaments: Tournaments, moderation: Moderation) -> None:
        self._moderation = moderation
        self._rows = store.series
        self._clock = store.clock
        self._tournaments = tournaments
        self._kept: OrderedDict[tuple[str, int, int, str], FinalPlaces] = OrderedDict()

    def create(self, fields: Mapping[str, object], by: Principal) -> dict[str, object]:
        """Create a series and return it. ``fields``: ``name``, ``tournaments`` and the settings of
        :class:`~arena.ratings.series_rules.SeriesRules`.

        Raises :class:`~arena.ratings.series_rules.InvalidSeries` or
        :class:`~arena.events.tournament.TournamentNotFound`.
        """
        if sum(one.owner == by.owner for one in self._all()) >= MOST_OF_OWNER:
            raise InvalidSeries(
                f"you already have {MOST_OF_OWNER} series, the maximum",
                field="name",
                expected="an existing series to be deleted first",
            )
        made = StoredSeries(secrets.token_hex(_ID_BYTES), "", by.owner, self._clock().now_ms)
        made = self._changed(replace(made, rules=SeriesRules().as_json()), fields, by)
        self._rows.add(made.id, row_values(made))
        return self._view(made)

    def change(self, series: str, fields: Mapping[str, object], by: Principal) -> dict[str, object]:
        """Change the given fields and return the series. Setting ``done`` ends it permanently. Raises the
        errors of :meth:`create`, :class:`SeriesNotFound`, :class:`SeriesDone` or
        :class:`~arena.accounts.accounts.Forbidden`.
        """
        self._load(series, viewer_of(by))

        def act(row: dict[str, object] | None) -> dict[str, object]:
            known = self._mine(series, row, by)
            if known.done:
                raise SeriesDone(f"series {known.name} is done", field="series", expected="a new series")
            made = self._changed(known, fields, by)
            if fields.get("done"):
                made = replace(made, done=True, final=[one.as_json() for one in self._inputs(made)])
            return row_values(made)

        return self._view(read_row(StoredSeries, self._rows.change(series, act)))

    def delete(self, series: str, by: Principal) -> None:
        """Delete a series but not its tournaments. Raises :class:`SeriesNotFound` or
        :class:`~arena.accounts.accounts.Forbidden`.
        """

        def act(row: dict[str, object] | None) -> None:
            self._mine(series, row, by)

        self._load(series, viewer_of(by))
        self._rows.change(series, act)

    def view(self, series: str, viewer: Viewer) -> dict[str, Any]:
        """Return a series. Raises :class:`SeriesNotFound`."""
        return self._view(self._load(series, viewer))

    def table(self, series: str, viewer: Viewer) -> SeriesTable:
        """Return the current table of a series. Raises :class:`SeriesNotFound`."""
        found = self._load(series, viewer)
        inputs = [FinalPlaces.from_json(one) for one in found.final] if found.done else self._inputs(found)
        return series_table(SeriesRules.from_json(found.rules), list(map(self._as_shown, inputs)))

    def _as_shown(self, places: FinalPlaces) -> FinalPlaces:
        """Replace the names in stored inputs, which are those in use when the series ended, with the
        displayed ones.
        """
        name = self._moderation.name
        rows = (
            (place, name("bot", bot), version, name("owner", owner))
            for place, bot, version, owner in places.rows
        )
        return replace(places, rows=tuple(rows))

    def listed(
        self, viewer: Viewer, start: int = 0, limit: int = 50, owner: str | None = None
    ) -> Page[dict[str, object]]:
        """Return the series that the viewer may see, newest first."""
        hidden: dict[str, bool] = {}
        visibility = self._tournaments.rights.visibility(viewer)
        seen = (
            one
            for one in sorted(self._all(), key=lambda one: (-one.created_ms, one.id))
            if owner in (None, one.owner) and self._is_seen(one, visibility, hidden)
        )
        found = list(islice(seen, start, start + limit + 1))
        return Page(
            [self._view(one) for one in found[:limit]], str(start + limit) if len(found) > limit else None
        )

    def _all(self) -> Sequence[StoredSeries]:
        return list(self._rows.all(partial(read_row, StoredSeries)).values())

    def _load(self, series: str, viewer: Viewer | None) -> StoredSeries:
        row = self._rows.find(series)
        found = None if row is None else read_row(StoredSeries, row)
        if found is None or not self._is_seen(found, self._tournaments.rights.visibility(viewer)):
            raise _not_found(series)
        return found

    def _mine(self, series: str, row: dict[str, object] | None, by: Principal) -> StoredSeries:
        if row is None:
            raise _not_found(series)
        found = read_row(StoredSeries, row)
        if not by.admin and by.owner != found.owner:
            raise Forbidden(f"series {found.id} is not yours", field="series")
        return found

    def _is_seen(
        self, found: StoredSeries, visibility: Visibility, hidden: dict[str, bool] | None = None
    ) -> bool:
        """Whether the viewer may see all tournaments of the series. ``hidden`` caches the answer for each
        tournament.
        """
        hidden = {} if hidden is None else hidden
        names = [name for name in found.tournaments if name.startswith(PRIVATE_PREFIX)]
        new = [name for name in names if name not in hidden]
        for name, row in zip(new, self._tournaments.store.load(new) if new else [], strict=True):
            hidden[name] = row is not None and visibility.hides(Tournament.loads(row.meta))
        return not any(hidden[name] for name in names)

    def _changed(self, known: StoredSeries, fields: Mapping[str, Any], by: Principal) -> StoredSeries:
        name, chosen = fields.get("name", known.name), list(fields.get("tournaments", known.tournaments))
        name = settings_of(SeriesContents)["name"].read(name, InvalidSeries)
        if len(chosen) > MAX_TOURNAMENTS or len(set(chosen)) < len(chosen):
            raise InvalidSeries(
                "there are too many tournaments, or one is listed twice",
                field="tournaments",
                expected=f"at most {MAX_TOURNAMENTS} different tournaments",
            )
        viewer = viewer_of(by)
        for tournament in chosen:
            if tournament not in known.tournaments:
                self._tournaments.view(tournament, viewer)
        values = {**known.rules, **{key: fields[key] for key in settings_of(SeriesRules) if key in fields}}
        rules = SeriesRules.from_json(values)
        rules.check()
        return replace(known, name=name, tournaments=chosen, rules=rules.as_json())

    def _inputs(self, found: StoredSeries) -> list[FinalPlaces]:
        """The final standings of the series' finished tournaments."""
        made = []
        for name in found.tournaments:
            tournament, row = self._tournaments.lifecycle.load(name)
            if tournament.state != "finished":
                continue
            key = (name, row.version, row.changes, self._moderation.mark)
            if key not in self._kept:
                final = self._tournaments.standings(name)
                rows = [
                    (one["place"], one["name"], one["version"]) for one in final.rows if not one["baseline"]
                ]
                owners = _credited(
                    {self._moderation.name("bot", entry.name): entry for entry in tournament.entries},
                    [bot for _, bot, _ in rows],
                )
                self._kept[key] = FinalPlaces(
                    name,
                    tournament.spec.name,
                    tournament.final_hash or str((tournament.final or {}).get("records_hash", "")),
                    tuple((*shown, owners.get(shown[1], "")) for shown in rows),
                )
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            made.append(self._kept[key])
        return made

    def _view(self, found: StoredSeries) -> dict[str, object]:
        return {
            "id": found.id,
            "name": found.name,
            "owner": self._moderation.name("owner", found.owner),
            "created_ms": found.created_ms,
            "tournaments": list(found.tournaments),
            "done": found.done,
            **SeriesRules.from_json(found.rules).as_json(),
        }


def _credited(entries: Mapping[str, Entered], ranked: Sequence[str]) -> dict[str, str]:
    """The owner credited with each bot. Bots that share an owner are all credited to the owner of the
    highest-placed one; ``ranked`` is in the order of the standings.
    """
    known = [bot for bot in ranked if bot in entries]
    first: dict[str, str] = {}
    found = {}
    for bot, party in zip(known, parties([entries[bot].owners for bot in known]), strict=True):
        found[bot] = first.setdefault(party, entries[bot].owner)
    return found


def _not_found(series: str) -> SeriesNotFound:
    return SeriesNotFound(f"there is no series {printable(series, 80)!r}", field="series")
