"""Parts of tournaments as they are published."""

from __future__ import annotations

from typing import Any

import orjson

from arena.events.lifecycle import read_result
from arena.events.tournament import PlannedGroup, Tournament
from arena.play.game_ids import game_id
from arena.store.chunks import StoredGroup


def places_view(tournament: Tournament) -> list[dict[str, Any]] | None:
    """The places of a finished knockout, None where points decide."""
    if tournament.places is None:
        return None
    ordered = sorted(tournament.places, key=lambda placed: placed[2])
    return [{"name": name, "version": version, "place": place} for name, version, place in ordered]


def read_edit(edit: Any) -> dict[str, Any]:
    """A change of a setting, as published."""
    if not isinstance(edit["at_ms"], int):
        raise TypeError(f"at_ms is {edit['at_ms']!r}")
    return {name: edit[name] for name in ("at_ms", "by", "field", "old", "new")}


def read_void(data: bytes) -> dict[str, Any]:
    """A published void."""
    void = orjson.loads(data)
    for name, kind in (("group", str), ("attempt", int), ("reason", str), ("at_ms", int)):
        if not isinstance(void[name], kind):
            raise TypeError(f"{name} is {void[name]!r}")
    return void  # type: ignore[no-any-return]


def group_view(tournament: Tournament, stored: StoredGroup) -> dict[str, Any]:
    """A group with its state and result."""
    group = PlannedGroup.loads(stored.id, stored.row)
    data, voided = stored.result, stored.voided
    result = None if data is None else read_result(data)
    players = [tournament.playing[number] for number in group.players]
    # In a comparison they are versions of one bot.
    versions = len({entry.name for entry in players}) < len(players)
    names = [f"{entry.name} {entry.version}" if versions else entry.name for entry in players]
    attempt = 0 if group.mirrored else voided
    return {
        "id": group.id,
        "round": group.round,
        "pairing": group.pairing,
        "players": names,
        "state": "planned" if data is None else "void" if result is None or result.annulled else "done",
        "mirrored": group.mirrored,
        "commitment": group.commitment,
        "voids": voided,
        "score": None
        if result is None
        else {name: round(result.score(entry.player), 9) for name, entry in zip(names, players, strict=True)},
        "forfeits": [] if result is None else sorted(player.name for player in result.forfeiters),
        "games": [
            game_id(tournament.group_id(group.id), number, attempt) for number in range(len(group.seats))
        ],
    }
