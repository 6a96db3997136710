"""Toepen, section 8: observations, late seats, skipped decisions; and the forms of a state."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from arena.errors import CorruptState, IllegalAction
from arena.games.kernel import CHANCE, Chance
from arena.games.toepen.cards import PACK, cards_of
from arena.games.toepen.state import TOEPEN, ToepenState
from arena.games.toepen.view import InconsistentHidden
from arena.play.dealing import Dealer
from tests.contract.playouts import playout, random_rules
from tests.games.toepen_tables import FOUR, Table, exchanging, playing

STOCK = "AC AH AS AD KC KH KS KD QC QH QS QD JC JH JS JD"


def busy_hand() -> Table:
    """A bluff trusted, a bluff found out, a knock, a fold, and a card on the table; seat 1 is to play."""
    table = exchanging(*FOUR, stock=STOCK, whistling=True)
    table.do("0 exchange", "1 trust", "2 trust", "3 trust", "0 keep", "1 exchange", "2 challenge", "1 keep")
    table.do("2 keep", "3 keep", "2 knock:2", "3 fold:1", "0 stay:2", "1 stay:2")
    return table.do("0 play:AC")


@pytest.mark.rule("TP-8.1")
def test_spectator_observation() -> None:
    assert busy_hand().seen() == {
        "game": "toepen",
        "seat": None,
        "phase": "play",
        "awaiting": [1],
        "to_answer": [],
        "turn": 1,
        "hand_number": 1,
        "dealer": 3,
        "leader": 0,
        "value": 2,
        "knocker": 2,
        "lives": [10, 9, 10, 9],
        "lost": [0, 1, 0, 1],
        "in_game": [True, True, True, True],
        "in_hand": [True, True, True, False],
        "out_in_hand": [None, None, None, None],
        "hand": [],
        "held": [3, 4, 4, 4],
        "stock": 8,
        "exchanges": [1, 1, 0, 0],
        "announcements": ["none", "none", "none", "none"],
        "laid_away": [
            {"seat": 0, "cards": None, "challenger": None, "loser": None},
            {"seat": 1, "cards": ["8C", "TH", "9S", "7D"], "challenger": 2, "loser": 1},
        ],
        "pelt": [],
        "trick": [{"seat": 0, "card": "AC"}],
        "tricks": [],
        "calls": [
            {"seat": 2, "said": "knock", "value": 2, "trick": 0, "on_table": 0},
            {"seat": 3, "said": "fold", "value": 1, "trick": 0, "on_table": 0},
            {"seat": 0, "said": "stay", "value": 2, "trick": 0, "on_table": 0},
            {"seat": 1, "said": "stay", "value": 2, "trick": 0, "on_table": 0},
        ],
        "hands_won": [0, 0, 0, 0],
        "rubber": 1,
        "drinks": [0, 0, 0, 0],
    }


@pytest.mark.rule("TP-8.1")
def test_who_knocked_before_the_last_one_is_seen_and_before_which_card() -> None:
    def knocked_by(*seats: int, first: str = "") -> list[dict[str, Any]]:
        table = playing(*FOUR)
        if first:
            table.play(first)
        for value, knocker in enumerate(seats, 2):
            table.do(f"{knocker} knock:{value}")
            table.do(*(f"{(knocker + step) % 4} stay:{value}" for step in (1, 2, 3)))
        seen = table.seen()
        if not first:
            table.play("7C")
            assert table.seen()["calls"] == seen["calls"]
        calls: list[dict[str, Any]] = seen.pop("calls")
        others.append(seen)
        return calls

    others: list[dict[str, Any]] = []
    one, other = knocked_by(1, 2, 3), knocked_by(2, 1, 3)
    assert others[0] == others[1]
    assert [call["seat"] for call in one if call["said"] == "knock"] == [1, 2, 3]
    assert [call["seat"] for call in other if call["said"] == "knock"] == [2, 1, 3]
    later = knocked_by(1, 2, 3, first="7C")
    assert [(call["trick"], call["on_table"]) for call in later] == [(0, 1)] * 12
    assert [{**call, "on_table": 0} for call in later] == one


@pytest.mark.rule("TP-8.1")
def test_a_seat_sees_its_own_cards_besides_and_nothing_else() -> None:
    table = busy_hand()
    public = table.seen()
    own = {0: ["AH", "AS", "AD"], 1: ["KC", "KH", "KS", "KD"], 2: ["TC", "8H", "8S", "9D"]}
    for seat, cards in own.items():
        laid_away = json.loads(json.dumps(public["laid_away"]))
        if seat == 0:
            laid_away[0]["cards"] = ["7C", "9H", "TS", "8D"]
        assert table.seen(seat) == {**public, "seat": seat, "hand": cards, "laid_away": laid_away}


@pytest.mark.rule("TP-8.1")
def test_only_the_owner_sees_cards_dealt_to_it() -> None:
    table = exchanging(*FOUR, stock=STOCK)
    for viewer in (None, 0, 1, 2, 3):
        dealt = [view for view in table.views(viewer) if view["type"] == "dealt"]
        assert [view["count"] for view in dealt] == [4, 4, 4, 4]
        shown = {view["seat"]: view["cards"] for view in dealt if view["cards"] is not None}
        assert shown == ({viewer: FOUR[viewer].split()} if viewer is not None else {})
    table.do("0 exchange", "1 challenge")
    new_cards = {"type": "new_cards", "seat": 0, "count": 4}
    assert table.views(0)[-1] == {**new_cards, "cards": ["AC", "AH", "AS", "AD"]}
    for viewer in (None, 1, 2, 3):
        assert table.views(viewer)[-1] == {**new_cards, "cards": None}


@pytest.mark.rule("TP-8.1")
def test_views_of_public_events() -> None:
    table = exchanging(*FOUR[:2], dealer=1, lives=3, stock=STOCK, end="rubber", rubbers=1)
    table.do("0 exchange", "1 trust", "0 exchange", "1 challenge", "0 keep", "1 keep")
    history = list(table.events)
    table.do("0 knock:2", "1 stay:2", "0 play:KC", "1 play:8C", "1 play:9S", "0 play:KS")
    history += table.events
    for _ in range(2):
        table.do(f"{table.asked} {table.legal(table.asked)[0]}")
        history += table.events
    table.events = history
    for viewer in (None, 0, 1):
        seen = table.views(viewer)
        assert {"type": "trust", "seat": 1, "exchanger": 0} in seen
        assert {
            "type": "challenge",
            "seat": 1,
            "exchanger": 0,
            "cards": ["AC", "AH", "AS", "AD"],
            "loser": 1,
        } in seen
        assert {"type": "keep", "seat": 0, "announcement": "none"} in seen
        assert {"type": "knock", "seat": 0, "value": 2} in seen
        assert {"type": "stay", "seat": 1, "value": 2} in seen
        assert {"type": "trick", "seat": 1, "trick": 1} in seen


@pytest.mark.rule("TP-8.1", "TP-7.2")
def test_how_the_end_of_a_rubber_looks() -> None:
    table = playing(*FOUR[:2], dealer=1, lives=1, end="rubber", rubbers=1)
    assert table.views(1)[0] == {
        "type": "hand",
        "seat": 1,
        "hand": 1,
        "rubber": 1,
        "value": 1,
        "lives": [1, 1],
    }
    assert table.views(None)[-1] == {"type": "poverty", "seat": 0, "pelt": [0, 1], "value": 2}
    table.play("TS", "9S", "9H", "TH", "8C", "7C")
    assert table.views(None)[-5:] == [
        {"type": "trick", "seat": 0, "trick": 4},
        {"type": "result", "seat": 0, "value": 2, "lost": [0, 1], "lives": [1, 0]},
        {"type": "out", "seat": 1},
        {"type": "drinks", "seat": 1, "rubber": 1, "drinks": 1},
        {"type": "over", "seat": 0, "places": [1, 2], "scores": [0, -1]},
    ]


@pytest.mark.rule("TP-8.2")
def test_the_seed_reveals_every_hand() -> None:
    seed, nonces = bytes(range(32)), ["", "", "luck", ""]
    state = TOEPEN.new_state(TOEPEN.options.complete())
    for _ in range(2):
        chance = state.chance()
        assert chance is not None
        state.apply(CHANCE, Dealer(seed, nonces).action(chance))
    revealed = Dealer(seed, nonces).action(Chance("deal", 1, PACK)).removeprefix("deal:")
    for seat in range(4):
        block = revealed[8 * seat : 8 * seat + 8]
        assert {block[i : i + 2] for i in range(0, 8, 2)} == set(state.observation(seat)["hand"])


@pytest.mark.rule("TP-8.3")
def test_late_in_the_exchange_keeps_and_trusts() -> None:
    table = exchanging(*FOUR)
    assert table.state.default_action(0) == "keep"
    table.do("0 exchange")
    assert table.state.default_action(1) == "trust"


@pytest.mark.rule("TP-8.3", "TP-3.2")
@pytest.mark.parametrize(
    ("hand", "default"),
    [
        ("TC TH TD 9S", "keep_whistle"),
        ("TC TH TD TS", "keep_stand"),
        ("JC JH JD 9S", "keep"),
        ("JC JH JD JS", "keep"),
        ("7C 7H AD KS", "keep"),
    ],
)
@pytest.mark.parametrize("exchanges", [0, 6])
def test_late_with_an_announcement_that_is_forced(hand: str, default: str, exchanges: int) -> None:
    table = exchanging(hand, "8C 8H 8D 8S", dealer=1, whistling=True, max_exchanges=exchanges)
    assert table.state.default_action(0) == default


@pytest.mark.rule("TP-8.3")
def test_late_with_an_answer_folds() -> None:
    table = playing(*FOUR, lives=2).do("0 knock:2")
    assert table.state.default_action(1) == "fold:1"
    table.do("1 fold:1", "2 fold:1", "3 fold:1").deal(*FOUR)
    assert table.phase == "poverty"
    assert table.state.default_action(0) == "fold:1"


@pytest.mark.rule("TP-8.3")
@pytest.mark.parametrize(
    ("hand", "lowest"),
    [
        ("TS 9H 8D JC", "JC"),
        ("7C AH KD QS", "QS"),
        ("QC QH QS QD", "QD"),
        ("QC QH QS TD", "QS"),
        ("QC QH TS TD", "QH"),
        ("TC 9C 8C 7C", "7C"),
    ],
)
def test_late_in_turn_plays_the_lowest_card_and_does_not_knock(hand: str, lowest: str) -> None:
    table = playing(hand, "7H 8H AC KC", dealer=1)
    assert table.legal(0)[-1] == "knock:2"
    assert table.state.default_action(0) == f"play:{lowest}"


@pytest.mark.rule("TP-8.3", "TP-4.1")
def test_late_in_turn_follows_suit() -> None:
    table = playing("TS 9H 8D 7C", "9S 8S JH JD", dealer=1).play("TS")
    assert table.state.default_action(1) == "play:8S"


@pytest.mark.rule("TP-8.3")
def test_only_an_awaited_seat_is_late() -> None:
    table = playing(*FOUR)
    for seat in (1, 4, CHANCE):
        with pytest.raises(IllegalAction):
            table.state.default_action(seat)
    with pytest.raises(IllegalAction):
        Table(0).state.default_action(CHANCE)


@pytest.mark.rule("TP-8.4")
def test_the_last_trick_plays_itself_when_no_seat_may_knock() -> None:
    table = playing(*FOUR, lives=1).play("TS", "9S", "8S", "7S", "9H", "TH", "8H", "7H", "8C", "TC", "9C")
    table.play("7C")
    assert [event[2] for event in table.of_type("play")] == ["7C", "9D", "TD", "8D", "7D"]
    assert [event[1] for event in table.of_type("play")] == [0, 2, 3, 0, 1]
    assert table.log[-1] == (0, "play:7C")
    assert table.outcome is not None


@pytest.mark.rule("TP-8.4")
def test_the_last_trick_has_turns_while_a_seat_may_knock() -> None:
    table = playing(*FOUR[:2], lives=2, dealer=1).play("TS", "9S", "9H", "TH", "8C", "7C")
    assert table.legal(1) == ["play:7D", "knock:2"]
    assert table.legal(0) == ["knock:2"]
    table.do("1 play:7D")
    assert table.legal(0) == ["play:8D", "knock:2"]
    before = table.copy()
    table.do("1 knock:2", "0 stay:2")
    assert [event[0] for event in table.events] == ["knock", "stay", "play", "trick", "result", "out", "over"]
    before.do("0 knock:2", "1 stay:2")
    assert before.events[2] == ("play", 0, "8D")


@pytest.mark.rule("TP-8.4")
def test_the_rest_of_the_last_trick_follows_when_only_the_player_in_turn_might_knock() -> None:
    table = playing(*FOUR[:2], lives=2, dealer=1, knocking="on_turn")
    table.play("TS", "9S", "9H", "TH", "8C", "7C")
    assert table.legal(1) == ["play:7D", "knock:2"]
    assert table.play("7D").phase == "play"
    table.play("8D")
    poor = playing(*FOUR[:3], lives=2, dealer=2, knocking="on_turn").do("0 knock:2", "1 fold:1", "2 stay:2")
    poor.play("TS", "8S", "9H", "8H", "8D", "9D")
    assert poor.of_type("play")[-2:] == [("play", 2, "TC"), ("play", 0, "7C")]


@pytest.mark.rule("TP-8.4")
def test_a_single_card_that_only_its_holder_can_know_is_a_turn() -> None:
    table = playing("TS 9H 8D 7C", "9S 8H 8C 7D", dealer=1, lives=1).play("TS")
    assert table.asked == 1
    assert table.legal(1) == ["play:9S"]


# The forms of a state


@pytest.mark.parametrize("seed", range(20))
def test_a_state_follows_from_an_observation_and_what_it_hides(seed: int) -> None:
    random = Random(seed)
    rules = random_rules(TOEPEN, random)
    for number, (state, *_) in enumerate(playout(TOEPEN, rules, random)):
        assert isinstance(state, ToepenState)
        if number % 7 == seed % 7 and number < 400:
            for viewer in (None, random.randrange(rules["seats"])):
                observation = json.loads(json.dumps(state.observation(viewer)))
                back = TOEPEN.from_observation(rules, observation, hidden_from(state, viewer))
                assert back.serialise() == state.serialise()


def hidden_from(state: ToepenState, viewer: int | None) -> dict[str, Any]:
    """All that the viewer does not see, as ``from_observation`` takes it."""
    laid_away: dict[int, list[list[str]]] = {}
    for seat, mask, challenger, _ in state.laid:
        if seat != viewer and challenger < 0:
            laid_away.setdefault(seat, []).append(cards_of(mask))
    return {
        "hands": {seat: cards_of(hand) for seat, hand in enumerate(state.hands) if seat != viewer and hand},
        "laid_away": laid_away,
        "stock": [state.stock[place : place + 2] for place in range(0, len(state.stock), 2)],
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda hidden: hidden["hands"].pop(1),
        lambda hidden: hidden["hands"][1].pop(),
        lambda hidden: hidden["hands"][1].append("AC"),
        lambda hidden: hidden["hands"].update({1: ["JC", "JC", "JH", "JS"]}),
        lambda hidden: hidden["hands"].update({1: ["1C", "JC", "JH", "JS"]}),
        lambda hidden: hidden["laid_away"].pop(0),
        lambda hidden: hidden["stock"].pop(),
        lambda hidden: hidden.pop("stock"),
    ],
)
def test_a_hidden_assignment_that_does_not_fit_is_refused(change: Any) -> None:
    table = busy_hand()
    hidden = hidden_from(table.state, 2)
    TOEPEN.from_observation(table.rules, table.seen(2), hidden)
    change(hidden)
    with pytest.raises(InconsistentHidden):
        TOEPEN.from_observation(table.rules, table.seen(2), hidden)


def test_a_clone_is_independent() -> None:
    table = busy_hand()
    before = table.state.serialise()
    clone = table.state.clone()
    while clone.awaiting():
        seat = clone.awaiting()[0]
        clone.apply(seat, clone.default_action(seat) if seat >= 0 else "deal:" + "".join(PACK))
    assert table.state.serialise() == before


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["kind"], "truco"),
        (["version"], 0),
        (["rules"], None),
        (["rules", "seats"], 9),
        (["rules", "seats"], 5),
        (["rules", "colour"], 1),
        (["numbers"], [1, 2]),
        (["numbers", 0], 8),
        (["numbers", 1], 4),
        (["numbers", 2], -1),
        (["numbers", 3], 16),
        (["numbers", 5], "3"),
        (["numbers", 8], 0),
        (["seats"], []),
        (["seats", 0, 1], -1),
        (["seats", 0, 1], 31),
        (["seats", 0, 1], 0),
        (["seats", 1, 0], 11),
        (["seats", 4, 0], 4),
        (["seats", 5], [1, 2, 3]),
        (["stock"], None),
        (["stock"], "TSX"),
        (["stock"], "1S2S"),
        (["laid"], [[1, 2]]),
        (["laid"], [[0, 1, -1, -1]]),
        (["laid"], [[9, 15, -1, -1]]),
        (["trick"], [128]),
        (["trick"], "TS"),
        (["tricks"], [[0, [1], 7]]),
        (["tricks"], [1]),
        (["calls"], [1]),
        (["calls"], [[4, 0, 2, 0, 0]]),
        (["calls"], [[0, 3, 2, 0, 0]]),
        (["calls"], "stay"),
    ],
)
def test_a_corrupted_state_is_refused(path: list[Any], value: Any) -> None:
    content = json.loads(busy_hand().state.serialise())
    place = content
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(CorruptState):
        TOEPEN.deserialise(json.dumps(content).encode())


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"kind": "toepen"}'])
def test_bytes_that_are_not_a_state_are_refused(data: bytes) -> None:
    with pytest.raises(CorruptState):
        TOEPEN.deserialise(data)


@pytest.mark.parametrize("seat", [-2, -1, 4, 100])
def test_seats_that_do_not_exist_may_do_nothing(seat: int) -> None:
    for table in (playing(*FOUR), exchanging(*FOUR), playing(*FOUR).do("0 knock:2")):
        assert table.legal(seat) == []
        for action in ("keep", "trust", "knock:2", "play:TS", "nonsense", ""):
            with pytest.raises(IllegalAction):
                table.state.apply(seat, action)
