"""The rules of paulista and mineiro, number by number: stakes, threshold, and what is seen."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from arena.bots.redeal import redeal
from arena.errors import IllegalAction
from arena.games.truco.options import OPTIONS
from arena.games.truco.state import TRUCO
from arena.games.truco.view import unplaced_cards
from tests.games.truco_play import (
    MINEIRO,
    PAULISTA,
    THIRD,
    TWO,
    TWO_TRICKS,
    deck,
    do,
    first_hand,
    game_at,
    last_result,
    legal,
    new_game,
    of_type,
    pack_of,
    score,
    seen,
)

# 6. The stakes


@pytest.mark.rule("TV-6.1")
@pytest.mark.parametrize("stakes", OPTIONS.by_name["stakes"].choices)
def test_the_stakes_are_those_of_the_ladder(stakes: str) -> None:
    ladder = [int(stake) for stake in stakes.split("-")]
    state = first_hand(stakes=stakes, **PAULISTA)
    assert seen(state)["stake"] == ladder[0]
    do(state, "truco")
    for stake, proposed, higher in zip(ladder, ladder[1:], [*ladder[2:], 0], strict=False):
        more = [f"raise:{higher}"] if higher else []
        assert legal(state) == [f"run:{stake}", f"accept:{proposed}", *more, "defer"]
        assert seen(state)["stake"] == stake
        do(state, more[0] if more else f"accept:{proposed}")
    assert seen(state)["stake"] == 12
    one = first_hand(points=(12 - ladder[0], 0), stakes=stakes, **PAULISTA)
    assert seen(one)["stake"] == ladder[1]


@pytest.mark.rule("TV-6.2", "TV-8.1")
def test_whose_the_right_to_raise_is() -> None:
    state = first_hand("4C5C7C", "4H5H7H", "4S5S7S", "4D5D7D", vira="3D", **PAULISTA)

    def rights(*steps: str) -> list[Any]:
        found = []
        for step in steps:
            do(state, step)
            found.append(seen(state)["right"])
        return found

    assert seen(state)["right"] == "either"
    assert rights("truco", "accept:3", "5C", "5H", "5S") == [1, 1, 1, 1, 1]
    assert rights("raise:6", "accept:6") == [0, 0]
    assert rights("7D") == [0]
    state = first_hand(**PAULISTA)
    assert rights("truco", "raise:6", "raise:9", "raise:12", "accept:12") == [1, 0, 1, None, None]
    assert seen(first_hand(points=(11, 9), **PAULISTA))["right"] is None
    assert seen(new_game(**PAULISTA))["right"] is None
    state = first_hand(truco_scope="trick", **MINEIRO)
    assert seen(state)["right"] == "either"
    assert rights("truco", "raise:6", "accept:6") == [1, 0, None]
    cutting = new_game(cut="player", **PAULISTA)
    do(cutting, pack_of())
    assert seen(cutting)["right"] == "either"
    late = first_hand(truco_from="after_first_trick", **PAULISTA)
    assert seen(late)["right"] == "either"


@pytest.mark.rule("TV-6.3")
def test_who_may_call_on_the_own_turn() -> None:
    state = first_hand("4C5C7C", "4H5H7H", "4S5S7S", "4D5D7D", vira="3D", **PAULISTA)
    assert legal(state)[-1] == "truco"
    assert state.legal_actions(1) == ()
    with pytest.raises(IllegalAction):
        state.apply(1, "truco")
    do(state, "truco", "accept:3", "5C")
    assert legal(state)[-1] == "raise:6"
    do(state, "5H")
    assert not any(action.startswith(("truco", "raise")) for action in legal(state))
    for call in ("truco", "raise:6", "raise:9"):
        with pytest.raises(IllegalAction):
            do(state.clone(), call)
    do(state, "5S")
    for call in ("truco", "raise:9"):
        with pytest.raises(IllegalAction):
            do(state.clone(), call)
    assert do(state, "raise:6") == [("raise", 3, 6)]


@pytest.mark.rule("TV-6.4")
def test_the_other_team_answers_and_nobody_plays() -> None:
    state = first_hand(**PAULISTA)
    assert do(state, "truco") == [("truco", 0, 3)]
    assert legal(state) == ["run:1", "accept:3", "raise:6", "defer"]
    with pytest.raises(IllegalAction):
        state.apply(0, "play:" + seen(state, 0)["hand"][0])
    do(state, "defer")
    assert state.awaiting() == (3,)
    assert legal(state) == ["run:1", "accept:3", "raise:6"]
    do(state, "raise:6")
    assert state.awaiting() == (0,)
    do(state, "defer")
    assert state.awaiting() == (2,)


@pytest.mark.rule("TV-6.5")
def test_running_gives_the_value_in_force() -> None:
    state = first_hand(**PAULISTA)
    events = do(state, "truco", "run:1")
    assert last_result(events) == (0, 1)
    assert events[-1][-1] == "run"
    state = first_hand(**PAULISTA)
    assert last_result(do(state, "truco", "raise:6", "raise:9", "raise:12", "run:9")) == (1, 9)


@pytest.mark.rule("TV-6.6")
def test_accepting_brings_the_turn_and_the_right() -> None:
    state = first_hand("4C5C7C", vira="3D", **PAULISTA)
    do(state, "truco", "accept:3")
    assert state.awaiting() == (0,)
    assert legal(state) == ["play:4C", "play:5C", "play:7C"]
    # Its own team accepted last: it may call again at once.
    state = first_hand("4C5C7C", vira="3D", **PAULISTA)
    do(state, "truco", "raise:6", "accept:6")
    assert legal(state) == ["play:4C", "play:5C", "play:7C", "raise:9"]
    assert last_result(do(state, "raise:9", "run:6")) == (0, 6)


@pytest.mark.rule("TV-6.7")
def test_raising_puts_the_proposal_in_force() -> None:
    state = first_hand(**PAULISTA)
    do(state, "truco")
    assert seen(state)["stake"] == 1
    assert do(state, "raise:6") == [("raise", 1, 6)]
    assert (seen(state)["stake"], state.awaiting()) == (3, (2,))
    do(state, "raise:9", "raise:12")
    assert legal(state) == ["run:9", "accept:12", "defer"]


@pytest.mark.rule("TV-6.8")
def test_a_call_changes_the_value_and_nothing_else() -> None:
    cards = ("4C", "6C", "4H", "4S")
    state = first_hand(*cards, vira="5D", **PAULISTA)
    do(state, "truco", "accept:3", *cards)
    assert (score(state), state.awaiting(), seen(state)["stake"]) == ([0, 0], (1,), 3)
    assert seen(state)["extra_trick"] is False
    # With the trick as scope the hand is over.
    trick = first_hand(*cards, vira="5D", truco_scope="trick", **PAULISTA)
    assert last_result(do(trick, "truco", "accept:3", *cards)) == (1, 3)
    # A tie means what it means without a call (BT-4.7 does not apply).
    tied = first_hand("3S", "3H", "4D", "5D", vira="6D", **PAULISTA)
    do(tied, "3S", "truco", "accept:3", "3H", "4D", "5D")
    assert (score(tied), tied.awaiting()) == ([0, 0], (0,))


@pytest.mark.rule("TV-6.9")
@pytest.mark.parametrize(
    ("limit", "points", "raises"),
    [
        ("none", (10, 9), True),
        ("own", (10, 9), False),
        ("own", (10, 8), True),
        ("both", (10, 9), False),
        ("both", (9, 9), False),
        ("both", (10, 0), True),
        ("own", (0, 9), False),
        ("both", (0, 9), True),
    ],
)
def test_limits_of_raising(limit: str, points: tuple[int, int], raises: bool) -> None:
    state = first_hand(points=points, raise_limit=limit, **PAULISTA)
    assert "truco" in legal(state)
    do(state, "truco")
    assert ("raise:6" in legal(state)) == raises
    assert legal(state)[-1] == "defer"


@pytest.mark.rule("TV-6.9")
def test_the_limit_concerns_calls_too() -> None:
    hands = ("4C5C7C", "6C6H6S")
    state = first_hand(*hands, vira="5D", points=(6, 6), raise_limit="own", **PAULISTA)
    do(state, "truco", "raise:6", "accept:6")
    # 6 + 6 is enough for team 0, whose right it is.
    assert legal(state) == ["play:4C", "play:5C", "play:7C"]
    free = first_hand(*hands, vira="5D", points=(5, 6), raise_limit="own", **PAULISTA)
    do(free, "truco", "raise:6", "accept:6")
    assert legal(free)[-1] == "raise:9"


@pytest.mark.rule("TV-6.10")
def test_truco_from_the_second_trick() -> None:
    rules = {**PAULISTA, "truco_from": "after_first_trick"}
    state = first_hand("6C4S7D", "4C", "4H", "4D", vira="5D", **rules)
    for card in ("6C", "4C", "4H", "4D"):
        assert "truco" not in legal(state)
        with pytest.raises(IllegalAction):
            do(state.clone(), "truco")
        do(state, card)
    assert legal(state)[-1] == "truco"
    do(state, "truco", "raise:6")
    scope = first_hand("6C4S7D", "4C", "4H", "4D", vira="5D", truco_scope="trick", **rules)
    assert "truco" not in legal(scope)
    do(scope, "6C", "4C", "4H", "4D")
    assert "truco" in legal(scope)


@pytest.mark.rule("TV-6.11")
def test_the_order_of_actions() -> None:
    state = first_hand("7D6C4S", "4C", "4H", "4D", vira="5D", signals="table", **PAULISTA)
    assert legal(state)[:4] == ["play:6C", "play:4S", "play:7D", "truco"]
    assert all(action.startswith("signal:") for action in legal(state)[4:])
    do(state, "6C", "4C", "4H", "4D")
    assert legal(state)[:5] == ["play:4S", "play:7D", "hide:4S", "hide:7D", "truco"]
    do(state, "truco")
    assert legal(state)[:4] == ["run:1", "accept:3", "raise:6", "defer"]
    assert legal(first_hand(points=(11, 9), **PAULISTA)) == ["run:1", "accept:3", "defer"]


# 7. The threshold


@pytest.mark.rule("TV-7.1")
def test_the_threshold_is_eleven_or_ten() -> None:
    assert seen(first_hand(points=(11, 0), **PAULISTA))["elevens"] == [0]
    assert seen(first_hand(points=(10, 0), **PAULISTA))["elevens"] == []
    assert seen(first_hand(points=(0, 10), **MINEIRO))["elevens"] == [1]
    assert seen(first_hand(points=(0, 8), **MINEIRO))["elevens"] == []


@pytest.mark.rule("TV-7.2")
def test_the_team_at_the_threshold_decides() -> None:
    state = first_hand(
        "4C5C7C", "QSJS6C", "KHKS6D", "KDKC6S", dealer=0, points=(11, 9), vira="3D", **PAULISTA
    )
    assert state.awaiting() == (2,)
    assert legal(state) == ["run:1", "accept:3", "defer"]
    assert set(seen(state, 0)["partner_dealt"]) == {"QS", "JS", "6C"} == set(seen(state, 2)["hand"])
    assert set(seen(state, 2)["partner_dealt"]) == set(seen(state, 0)["hand"])
    assert seen(state, 1)["partner_dealt"] == seen(state, 3)["partner_dealt"] == []
    do(state, "defer")
    assert (state.awaiting(), legal(state)) == ((0,), ["run:1", "accept:3"])
    done = state.clone()
    events = do(done, "run:1")
    assert (last_result(events), score(done)) == ((1, 1), [11, 10])
    do(state, "accept:3")
    assert (state.awaiting(), seen(state)["stake"]) == ((1,), 3)
    mineiro = first_hand(points=(10, 8), **MINEIRO)
    assert legal(mineiro) == ["run:2", "accept:4", "defer"]


@pytest.mark.rule("TV-7.3")
def test_nobody_raises_at_the_threshold() -> None:
    state = first_hand(*THIRD, vira="5D", points=(11, 9), **PAULISTA)
    do(state, "accept:3")
    for card in (*TWO_TRICKS, "6C", "4S", "3S", "4H"):
        assert {action.split(":")[0] for action in legal(state)} <= {"play", "hide"}
        for call in ("truco", "raise:6"):
            with pytest.raises(IllegalAction):
                do(state.clone(), call)
        do(state, card)
        if state.chance() is not None or state.outcome() is not None:
            break


@pytest.mark.rule("TV-7.4")
def test_running_never_ends_the_game_and_losing_may() -> None:
    for rules, low, threshold in ((PAULISTA, 1, 11), (MINEIRO, 2, 10)):
        points = (threshold, threshold - low)
        state = first_hand(points=points, **rules)
        do(state, f"run:{low}")
        assert state.outcome() is None
        assert score(state) == [threshold, threshold]
    state = first_hand("4D5S5H", "6C6H7C", vira="5D", points=(11, 9), **PAULISTA)
    do(state, "accept:3")
    do(state, "4D", "6C")
    while state.outcome() is None:
        seat = state.awaiting()[0]
        do(state, "6H" if "6H" in seen(state, seat)["hand"] else state.default_action(seat))
    assert score(state) == [11, 12]


@pytest.mark.rule("TV-7.5")
def test_both_at_the_threshold_blind() -> None:
    hands = ("5CKD7S", "4HAD2S", "6H6SJC", "3DQH4C")
    for rules in (PAULISTA, {**PAULISTA, "signals": "table"}):
        state = first_hand(*hands, vira="5H", points=(11, 11), **rules)
        # 5C 4H 6H 3D goes to the six, then 6S QH KD AD: nobody was asked anything.
        assert score(state) == [12, 11]
        assert state.outcome() is not None
    events = do(game_at(11, 11, **PAULISTA), pack_of())
    assert [event[3] for event in of_type(events, "dealt")] == [True] * 4
    assert of_type(events, "shown") == []
    played = [event for event in events if event[0] == "play"]
    first = {event[1]: event[2][0] for event in of_type(events, "dealt")}
    assert {event[1]: event[2] for event in played[:4]} == first


@pytest.mark.rule("TV-7.5")
def test_both_at_the_threshold_open() -> None:
    hands = ("5CKD7S", "4HAD2S", "6H6SJC", "3DQH4C")
    rules = {**PAULISTA, "both_eleven": "open", "signals": "table"}
    state = first_hand(*hands, vira="5H", points=(11, 11), **rules)
    assert legal(state)[:3] == ["play:5C", "play:7S", "play:KD"]
    assert all(action.startswith("signal:") for action in legal(state)[3:])
    assert len(legal(state)) > 3
    assert seen(state)["elevens"] == [0, 1]
    assert set(seen(state, 1)["hand"]) == {"4H", "AD", "2S"}
    assert not any(seen(state, seat)["partner_dealt"] for seat in range(4))
    assert (seen(state)["stake"], seen(state)["right"]) == (1, None)
    dealt = of_type(do(game_at(11, 11, both_eleven="open", **PAULISTA), pack_of()), "dealt")
    assert [event[3] for event in dealt] == [False] * 4
    do(state, "5C", "4H", "6H", "3D")
    assert any(action.startswith("hide:") for action in legal(state))
    assert "truco" not in legal(state)


@pytest.mark.rule("TV-7.6")
def test_the_forehand_keeps_at_the_threshold() -> None:
    state = first_hand(points=(10, 0), exchange=True, **MINEIRO)
    # Keeping was the only choice, so it was made for the forehand (TV-9.2).
    assert seen(state)["phase"] == "eleven"
    state = first_hand(points=(10, 0), exchange=True, signals="table", **MINEIRO)
    assert (seen(state)["phase"], legal(state)[0]) == ("choose", "keep")
    assert "burn" not in legal(state)
    assert "pass" not in legal(state)


# 8. What is seen


@pytest.mark.rule("TV-8.1", "TV-8.2")
def test_everybody_sees_the_vira_and_the_stakes() -> None:
    state = first_hand(vira="5D", **PAULISTA)
    do(state, "truco")
    for viewer in (None, 0, 1, 2, 3):
        view = seen(state, viewer)
        assert view["vira"] == "5D"
        assert view["manilhas"] == ["6C", "6H", "6S", "6D"]
        assert (view["stake"], view["right"]) == (1, 1)
        assert (view["truco"]["value"], view["truco"]["pending"]) == (3, True)
        assert TRUCO.view_event(("vira", -1, "5D"), viewer) == {"type": "vira", "card": "5D"}
    do(state, "run:1")
    assert (seen(state)["vira"], seen(state)["manilhas"], seen(state)["right"]) == (None, None, None)


@pytest.mark.rule("TV-8.2")
def test_the_latest_exchange_is_seen() -> None:
    state = first_hand("4C5C7C", "4H5H7H", "4S5S7S", "4D5D7D", vira="3D", **PAULISTA)
    assert seen(state)["truco"] is None
    do(state, "truco", "accept:3", "5C", "5H", "5S")
    assert seen(state)["truco"] == {
        "seat": 0,
        "team": 0,
        "trick": 0,
        "on_table": 0,
        "proposer": 0,
        "value": 3,
        "pending": False,
        "deferred": False,
    }
    do(state, "raise:6", "defer")
    assert seen(state)["truco"] == {
        "seat": 3,
        "team": 1,
        "trick": 0,
        "on_table": 3,
        "proposer": 3,
        "value": 6,
        "pending": True,
        "deferred": True,
    }


@pytest.mark.rule("TV-8.3")
def test_cards_of_unknown_place() -> None:
    rules = OPTIONS.complete({**PAULISTA, "pack": "clean"})
    state = first_hand("QCJCKC", "QHJHKH", "QSJSKS", "QDJDKD", vira="2D", pack="clean", **PAULISTA)
    do(state, "QC", "QH", "QS", "QD")
    do(state, next(action for action in legal(state) if action.startswith("hide:")))
    mine = set(seen(state, 0)["hand"])
    unknown = set(unplaced_cards(rules, seen(state, 0)))
    leader = seen(state)["tricks"][1]["leader"]
    own_hidden = {seen(state, 0)["tricks"][1]["plays"][0]["card"]} if leader == 0 else set()
    assert unknown == set(deck(new_game(pack="clean", **PAULISTA))) - mine - own_hidden - {
        "QC",
        "QH",
        "QS",
        "QD",
        "2D",
    }
    cutting = new_game(cut="player", **PAULISTA)
    do(cutting, pack_of())
    assert len(unplaced_cards(OPTIONS.complete({**PAULISTA, "cut": "player"}), seen(cutting, 3))) == 40


@pytest.mark.rule("TV-8.3")
@pytest.mark.parametrize("given", [PAULISTA, TWO, MINEIRO, {**PAULISTA, "pack": "clean"}])
def test_redeals_show_what_was_observed(given: dict[str, Any]) -> None:
    rng = Random(8)
    state = first_hand(dealer=1, **given)
    do(state, "truco")
    for _ in range(20):
        seat = state.awaiting()[0]
        turn = {
            "kind": "truco",
            "rules": OPTIONS.complete({**given, "cut": "none"}),
            "seat": seat,
            "observation": seen(state, seat),
            "legal_actions": list(state.legal_actions(seat)),
        }
        again = redeal(turn, rng)
        assert again.observation(seat) == seen(state, seat)
        assert again.legal_actions(seat) == state.legal_actions(seat)
        actions = [action for action in state.legal_actions(seat) if not action.startswith("run:")]
        do(state, rng.choice(actions))
        if state.chance() is not None or state.outcome() is not None:
            break


# 9. Late and forced


@pytest.mark.rule("TV-9.1")
def test_what_the_table_does_for_a_late_seat() -> None:
    assert first_hand("4D5S5H", vira="3C", **PAULISTA).default_action(0) == "play:5S"
    assert first_hand("5C5S5D", vira="3C", **PAULISTA).default_action(0) == "play:5D"
    assert first_hand("4D5S5H", **MINEIRO).default_action(0) == "play:4D"
    called = first_hand(**PAULISTA)
    do(called, "truco")
    assert called.default_action(1) == "run:1"
    do(called, "raise:6")
    assert called.default_action(2) == "run:3"
    assert first_hand(points=(11, 0), **PAULISTA).default_action(0) == "run:1"
    cutting = new_game(cut="player", **PAULISTA)
    do(cutting, pack_of())
    assert cutting.default_action(2) == "no_cut"
    choosing = new_game(exchange=True, **MINEIRO)
    do(choosing, pack_of())
    assert choosing.default_action(0) == "keep"


@pytest.mark.rule("TV-9.2")
def test_only_proven_decisions_are_skipped() -> None:
    # With 12 in force the last card may still be hidden: the seat is asked.
    state = first_hand(*THIRD, vira="5D", **PAULISTA)
    do(state, "truco", "raise:6", "raise:9", "raise:12", "accept:12", *TWO_TRICKS)
    assert (state.awaiting(), legal(state)) == ((0,), ["play:6C", "hide:6C"])
    # It may not: the card is played at once. The next seat may raise, so it is asked.
    state = first_hand(*THIRD, vira="5D", face_down="never", **PAULISTA)
    do(state, "truco", "accept:3", *TWO_TRICKS)
    assert (state.awaiting(), legal(state)) == ((1,), ["play:4S", "raise:6"])
    # A limit that forbids the call proves it as well.
    limited = first_hand(*THIRD, vira="5D", face_down="never", raise_limit="own", points=(10, 10), **PAULISTA)
    events = do(limited, "truco", "accept:3", *TWO_TRICKS)
    assert limited.outcome() is not None
    assert of_type(events, "trick")[-1][2] == 3
