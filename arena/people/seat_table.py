"""The table as seen by a person who plays: the picture, the question and the time left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import orjson

from arena.games import game_of
from arena.games.pictures import OUT, Picture
from arena.live.finalizer import ENDED
from arena.live.header import Viewer
from arena.live.service import LiveGames
from arena.luck.games import HandEquity
from arena.people.ends import chance_line, equities, hand_rows, length_text, swing_text
from arena.people.tables import AtSeat, PeopleTables
from arena.records.results import ToldResult, told_result, told_stop
from arena.replays.live_table import LiveTable

_EVENTS_AT_ONCE: Final = 1000


def seat_table(
    live: LiveGames,
    people: PeopleTables,
    game_id: str,
    person: str,
    *,
    since: int | None = None,
    after: int | None = None,
    wait: float = 0,
) -> Mapping[str, Any] | None:
    """Return what the page of a table shows to the person, or None if it still has version ``since``::

        version   to pass as ``since``
        next      to pass as ``after``: the number of the next event
        state     of the game
        picture   see arena.games.pictures
        changes   what changed since event ``after``; see arena.replays.live_table
        log       the lines about the present hand; empty with ``after``
        turn      the id of the turn, or ""
        panel     see arena.games.panels, or null
        optional  whether the turn is a right that needs no answer
        left_ms, bank_ms  the time for this decision, and in the bank; null without a turn
        fallback  what the table does if the time runs out, in words
        paused    what to say about a pause that has just ended, or ""
        waiting   who is thinking, in words
        others_ms the time that they have left in all, null if no clock runs
        end       once the game is over, or over for this person: ``headline`` and ``detail``, what to say
                  about that, ``over``, whether it is the end for all, and for a finished game ``length``
                  and ``swing`` (see arena.people.ends), else ""; null before

    Raises ``game_not_found``, and ``events_gone`` if the game has been over for a long time.
    """
    viewer = Viewer(person)
    if people.attend(game_id, person):
        since = None
    view: Mapping[str, Any] | None = live.view(game_id, viewer, since=since, wait=wait)
    if view is None:
        return None
    seat = view["seat"]
    table = LiveTable(view, you=seat)
    events, following = _events(live, game_id, viewer)
    start = 0 if after is None else after
    table.take([event for event in events if event["n"] < start], [])
    changes = table.take([event for event in events if event["n"] >= start], view["awaiting"])
    turn = view["turn"]
    panel = game_of(view["kind"]).panel
    asked = None if turn is None or panel is None else panel(turn, table.form.names)
    now = people.at_seat(game_id, seat) if view["state"] == "running" else AtSeat()
    fallback = ""
    if turn is not None and asked is not None and not turn["optional"] and now.turn == turn["turn"]:
        fallback = f"If the time runs out, the table chooses: {asked.words(now.default_action)}."
    others = [number for number in view["awaiting"] if number != seat]
    return {
        "version": view["version"],
        "next": following,
        "state": view["state"],
        "picture": table.form.shown(view["awaiting"]),
        "changes": [] if after is None else changes,
        "log": table.log if after is None else [],
        "turn": "" if turn is None else turn["turn"],
        "panel": None if asked is None else asked.as_json(),
        "optional": turn is not None and turn["optional"],
        "left_ms": None if turn is None else turn["deadline_ms"],
        "bank_ms": None if turn is None else turn["bank_ms"],
        "fallback": fallback,
        "paused": now.paused,
        "waiting": _waiting([table.form.names[number] for number in others]),
        "others_ms": _time_of(view["clocks"], others, live.store.clock().now_ms),
        "end": _end(live, view, table.form, seat, events),
    }


def ending(view: Mapping[str, Any], form: Picture, you: int | None = None) -> ToldResult:
    """Describe how a game ended, in words. ``view`` is the result of
    :meth:`~arena.live.service.LiveGames.view`, or a summary. ``form`` is the picture of the table.
    """
    if view["outcome"] is None:
        return told_stop(view["state"], view["reason"])
    teams = game_of(view["kind"]).teams(view["rules"])
    resigned = [one["seat"] for one in view.get("taken_over", ()) if one["reason"] == "resigned"]
    return told_result(form, teams, view["outcome"], you=you, resigned=resigned)


def _end(
    live: LiveGames, view: Mapping[str, Any], form: Picture, seat: int, events: list[dict[str, Any]]
) -> Mapping[str, object] | None:
    """See :func:`seat_table`."""
    if view["state"] in ENDED:
        length = swing = ""
        hands: list[dict[str, Any]] = []
        found: list[HandEquity] = []
        if view["outcome"] is not None:
            length = length_text(view, form.hand)
            log = [orjson.loads(entry) for entry in live.store.log(view["game"])]
            found = equities(view, seat, log)
            swing, hands = swing_text(view, seat, events, found), hand_rows(view, seat, events)
        went = {"hands": hands, "chances": chance_line(view, seat, found)}
        end = ending(view, form, seat)._asdict()
        return {**end, "over": True, "length": length, "swing": swing, **went}
    played = next((one["reason"] for one in view["taken_over"] if one["seat"] == seat), None)
    if played is not None:
        headline = "You have left the table" if played == "resigned" else "Your time ran out too often"
        detail = "The table plays for you until the end. You can watch, or play another game."
    elif form.states[seat] == OUT:
        headline = "You are out; the game continues"
        detail = "You can watch the others until the end, or play again now."
    else:
        return None
    return {"headline": headline, "detail": detail, "over": False, "length": "", "swing": ""}


def _events(live: LiveGames, game_id: str, viewer: Viewer) -> tuple[list[dict[str, Any]], int]:
    """Return all events as the viewer saw them, and the number of the next event."""
    events: list[dict[str, Any]] = []
    start = 0
    while True:
        page = live.events(game_id, viewer, start=start, limit=_EVENTS_AT_ONCE)
        events += page["events"]
        read, start = page["next"] - start, page["next"]
        if read < _EVENTS_AT_ONCE:
            return events, start


def _waiting(names: list[str]) -> str:
    if not names:
        return ""
    return f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} thinking"


def _time_of(clocks: list[dict[str, Any]], seats: list[int], now_ms: int) -> int | None:
    times = [
        clock["runs_out_at_ms"] - now_ms
        for clock in clocks
        if clock["seat"] in seats and clock["runs_out_at_ms"] is not None
    ]
    return max(0, min(times)) if times else None
