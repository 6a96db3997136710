"""The pictures of a replay agree with what the rules say, and show no seat more than it may know."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.games import game_of
from arena.games.kernel import CHANCE, Event, State
from arena.games.truco.cards import FIXED, PACK, TURNED
from arena.games.truco.options import TrucoRules
from arena.games.truco.state import TrucoState
from arena.records.record import Record
from arena.records.tell import tell
from arena.replays import moves
from arena.replays.moves import OPEN, View, new_pictures, open_view, read_moves
from tests.replays.games import NAMES, RULES, played


def steps(record: Record) -> Iterator[tuple[State, dict[View, dict[str, Any]]]]:
    """The state and the pictures of every view after every action."""
    canonical = record["canonical"]
    game = game_of(canonical["kind"])
    rules = game.options.complete(canonical["rules"])
    names = NAMES[: game.seats(rules)]
    pictures = new_pictures(game, names, rules)
    state = game.new_state(rules)
    for seat, action in canonical["actions"]:
        for event in state.apply(seat, action):
            for view, picture in pictures.items():
                seen = open_view(game, event, len(names)) if view == OPEN else game.view_event(event, view)  # type: ignore[arg-type]
                if seen is not None:
                    picture.take(seen)
        yield state, {view: picture.shown(state.awaiting()) for view, picture in pictures.items()}


def check_truco(shown: Mapping[str, Any], seen: Mapping[str, Any]) -> None:
    assert shown["score"] == seen["score"]
    if seen["phase"] in ("dealer", "deal", "over"):
        return
    call = seen["truco"]
    assert shown["stake"] == seen["stake"]
    assert shown["asked"] == (call["value"] if call and call["pending"] else None)
    tricks = [trick for trick in seen["tricks"] if trick["plays"]]
    assert shown["trick"] == len(tricks)
    plays = tricks[-1]["plays"] if tricks else []
    assert shown["lying"] == [
        [play["seat"], play["card"] or "", "down" if play["face_down"] else ""] for play in plays
    ]
    over = [trick for trick in tricks if trick["over"]]
    assert [seat if seat is None else seat % 2 for seat in shown["tricks"]] == [one["winner"] for one in over]
    turned = shown["turned"] or {"card": None, "titles": {}}
    assert turned["card"] == seen["vira"]
    assert list(turned["titles"]) == (seen["manilhas"] or [] if seen["vira"] else [])
    check_order(shown, seen)
    burned = [card for hand in seen["burned"] for card in hand]
    notes = {note["label"]: note["cards"] for note in shown["notes"]}
    assert notes.get("Burned", []) == burned
    assert ("Passed to the partner" in notes) == seen["passed"]


def check_order(shown: Mapping[str, Any], seen: Mapping[str, Any]) -> None:
    """The titles and the ranks are the order of the rules; they say what beats what, and not who holds it."""
    order = FIXED if seen["vira"] is None else TURNED[seen["manilhas"][0][0]]
    if seen["manilhas"] is None:
        assert shown["order"] == []
        return
    strengths = [
        {order.strength[PACK.index(rank + suit)] for suit in "CHSD" if rank + suit not in order.manilhas}
        for rank in shown["order"]
    ]
    assert all(len(strength) == 1 for strength in strengths)
    assert strengths == sorted(strengths, key=max, reverse=True)


def check_toepen(shown: Mapping[str, Any], seen: Mapping[str, Any]) -> None:
    if seen["phase"] == "dealer" or shown["hand"] != seen["hand_number"]:
        return
    if seen["phase"] != "deal":
        assert shown["score"] == seen["lives"]
        assert shown["stake"] == seen["value"]
        assert [not shown[f"state{seat}"] for seat in range(len(seen["held"]))] == seen["in_hand"]
        trick = seen["trick"] or (seen["tricks"][-1]["cards"] if seen["tricks"] else [])
        assert shown["lying"] == [[play["seat"], play["card"], ""] for play in trick]
        assert (shown["question"] != "") == (bool(seen["to_answer"]) or seen["phase"] == "exchange")
        assert shown["order"] == list("T987AKQJ")
        assert shown["turned"] is None
        assert shown["tricks"] == [trick["winner"] for trick in seen["tricks"]]
        laid = [note["cards"] for note in shown["notes"] if note["label"].startswith("Laid")]
        assert laid == [exchange["cards"] or [""] * 4 for exchange in seen["laid_away"][-2:]]
        assert shown["notes"][-1]["text"].split()[1] == str(seen["stock"])


CHECKS = {"truco": check_truco, "toepen": check_toepen}


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_pictures_agree_with_the_observations(kind: str, rules: dict[str, Any]) -> None:
    for number in range(3):
        for state, shown in steps(played(kind, rules, number)):
            for view, picture in shown.items():
                viewer = None if view == OPEN else int(view)  # type: ignore[arg-type]
                seen = state.observation(viewer)
                assert picture["awaiting"] == [seat for seat in seen["awaiting"] if seat >= 0]
                assert picture["dealer"] == seen["dealer"] or picture["ended"]
                if seen["phase"] in ("dealer", "deal", "over"):
                    continue
                held = [len(picture[f"cards{seat}"]) for seat in range(len(seen["held"]))]
                assert held == seen["held"]
                if viewer is not None:
                    CHECKS[kind](picture, seen)
                    assert picture[f"cards{viewer}"] == seen["hand"]
                else:
                    for seat in range(len(held)):
                        assert picture[f"cards{seat}"] == state.observation(seat)["hand"]


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_a_seat_sees_no_card_that_it_may_not(kind: str, rules: dict[str, Any]) -> None:
    """All cards of a seat's pictures are in what the events show this seat, in this hand."""
    record = played(kind, rules)
    replayed = read_moves(record)
    game = game_of(kind)
    for seat in range(len(replayed.names)):
        state = game.new_state(replayed.rules)
        seen_events: list[dict[str, Any]] = []
        for actor, action in record["canonical"]["actions"]:
            seen_events += [game.view_event(event, seat) or {} for event in state.apply(actor, action)]
        known: dict[int, set[str]] = {}
        hand = 0
        for event in seen_events:
            hand = (
                event.get("number" if kind == "truco" else "hand", hand) if event["type"] == "hand" else hand
            )
            cards = {event["card"]} if event.get("card") else set(event.get("cards") or ())
            known.setdefault(hand, set()).update(cards)
        for picture in replayed.pictures[seat]:
            shown = {card for other in range(len(replayed.names)) for card in picture[f"cards{other}"]}
            shown |= {card for _, card, _ in picture["lying"]}
            shown |= {card for note in picture["notes"] for card in note["cards"]}
            shown |= {picture["turned"]["card"]} if picture["turned"] else set()
            assert shown - {""} <= known[picture["hand"]]


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_a_spectator_sees_no_hand(kind: str, rules: dict[str, Any]) -> None:
    """Pictures of a game in progress are made of what a spectator sees."""
    record = played(kind, rules)
    game = game_of(kind)
    complete = game.options.complete(record["canonical"]["rules"])
    names = NAMES[: game.seats(complete)]
    assert game.picture is not None
    picture = game.picture(names, complete)
    state = game.new_state(complete)
    for actor, action in record["canonical"]["actions"]:
        for event in state.apply(actor, action):
            seen = game.view_event(event, None)
            if seen is not None:
                picture.take(seen)
        shown = picture.shown(state.awaiting())
        seen = state.observation(None)
        assert not any(card for seat in range(len(names)) for card in shown[f"cards{seat}"])
        if seen["phase"] not in ("dealer", "deal", "over"):
            assert [len(shown[f"cards{seat}"]) for seat in range(len(names))] == seen["held"]
            CHECKS[kind](shown, seen)


def test_the_hands_of_others_are_closed() -> None:
    replayed = read_moves(played("toepen", {"seats": 4}))
    dealt = replayed.pictures[2][0]
    assert [dealt[f"cards{seat}"] for seat in (0, 1, 3)] == [[""] * 4] * 3
    assert "" not in dealt["cards2"]
    assert replayed.pictures[OPEN][0]["cards2"] == dealt["cards2"]
    secret = [line for line in replayed.moves[0].lines if line.seats is not None]
    assert [line.seats for line in secret] == [(0,), (1,), (2,), (3,)]


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_moves_tell_the_whole_game_once(kind: str, rules: dict[str, Any]) -> None:
    for number in range(3):
        record = played(kind, rules, number)
        replayed = read_moves(record)
        seen_events = [line.text for move in replayed.moves for line in move.lines]
        lines = [line for line in tell(record) if line]
        start = lines.index(seen_events[0])
        assert lines[start : start + len(seen_events)] == seen_events
        assert all(len(pictures) == len(replayed.moves) for pictures in replayed.pictures.values())
        assert all(move.lines for move in replayed.moves)
        cards = sum(len(picture["lying"]) > 0 for picture in replayed.pictures[OPEN])
        assert cards > 0
        assert [move.hand for move in replayed.moves] == sorted(move.hand for move in replayed.moves)
        # With open hands, two cards never appear on the table in one move.
        for before, after in zip(replayed.pictures[OPEN], replayed.pictures[OPEN][1:], strict=False):
            assert len({card for _, card, _ in after["lying"]} - {c for _, c, _ in before["lying"]}) <= 1


def test_both_at_eleven_is_played_card_by_card() -> None:
    """BT-5.3: the whole hand follows from the deal, but people want to see it."""
    game = game_of("truco")
    rules = game.options.complete({"cut": "none"})
    state = TrucoState(TrucoRules(rules))
    state.score = [11, 11]
    state.refresh()
    picture = new_pictures(game, NAMES[:4], rules)[OPEN]
    events = [*state.apply(CHANCE, "dealer:0"), *state.apply(CHANCE, "deal:" + "".join(PACK))]
    shown = []
    for part in moves._parts(events, picture.moves):
        for event in part:
            picture.take(open_view(game, event, 4))
        shown.append(picture.shown(()))
    assert shown[0]["cards1"] == ["", "", ""], "nobody looks at these cards"
    lying = [(len(now["lying"]), len(now["cards1"])) for now in shown[1:]]
    assert lying[:5] == [(1, 2), (2, 2), (3, 2), (4, 2), (1, 1 if shown[4]["winner"] == 1 else 2)]
    assert all(card for now in shown for _, card, _ in now["lying"])
    assert shown[-1]["ended"] is not None


def test_the_calls_and_the_ends_of_hands_are_known() -> None:
    record = played("truco", {"cut": "none"})
    replayed = read_moves(record)
    actions = [action for _, action in record["canonical"]["actions"]]
    calls = sum(action == "truco" or action.startswith("raise") for action in actions)
    assert sum(move.is_call for move in replayed.moves) == calls > 0
    deals = [kind for kind, *_ in replayed.deals]
    assert deals[0] == "dealer"
    assert deals.count("deal") == len(deals) - 1 == sum(move.ends_hand for move in replayed.moves)


def test_a_game_without_a_picture_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = dataclasses.replace(game_of("truco"), picture=None)
    monkeypatch.setattr(moves, "game_of", lambda kind: bare)
    with pytest.raises(ArenaError) as raised:
        read_moves(played("truco", {}))
    assert raised.value.code == "no_picture"


def test_an_event_shows_with_open_hands_what_any_seat_sees() -> None:
    game = game_of("toepen")
    event: Event = ("dealt", 1, "JC7H8STD")
    assert open_view(game, event, 3) == game.view_event(event, 1)
    assert game.view_event(event, 0) != game.view_event(event, 1)
