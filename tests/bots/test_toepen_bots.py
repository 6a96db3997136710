"""The house bots at Toepen."""

from __future__ import annotations

import json
import random
from hashlib import sha256
from statistics import mean
from typing import Any

import pytest

from arena.bots import HOUSE_BOTS, bot_spec
from arena.games import game_of
from arena.games.kernel import Turn, turn_in
from arena.games.toepen.bots.habits import Habits
from arena.games.toepen.bots.history import History, Reading
from arena.games.toepen.bots.laundry import NEW_HAND, Laundry, weakest
from arena.games.toepen.bots.model import knock_chance
from arena.games.toepen.bots.odds import chances
from arena.games.toepen.bots.playout import ToepenPlayout
from arena.games.toepen.bots.sight import ToepenSight
from arena.games.toepen.bots.spot import Spot
from arena.games.toepen.bots.worth import Stakes, Worth
from arena.games.toepen.cards import CLEAN, PACK, TENS, WHOLE_PACK, mask_of
from arena.games.toepen.redeal import ToepenRedealer
from arena.games.toepen.view import view
from arena.play.match import play, seat_bot
from arena.play.table import Table
from arena.tournaments.local_run import margins, play_group
from benchmarks.ladder import LadderStep
from tests.contract.playouts import random_rules
from tests.games.toepen_tables import Table as StatedTable

GAME = game_of("toepen")
THINKING = ("rookie", "regular", "shark")

LAST_CARD = ("JC JH JS TC", "QC QH QS TH")
"""Hands of which each plays its last card at the end: the ten of the leader cannot be beaten."""
THREE_TRICKS = ("JC", "QC", "QS", "JS", "QH", "JH")
"""Seat 1 wins them and leads the last one."""


def turn_of(table: StatedTable) -> dict[str, Any]:
    """The turn of the awaited seat after JSON, for a bot that has played this hand from its start."""
    seat = table.asked
    events = [{**view(event, seat), "n": number} for number, event in enumerate(table.history)]
    turn = {**turn_in(table.state, "toepen", table.rules, seat), "events": events}
    copied: dict[str, Any] = json.loads(json.dumps(turn))
    return copied


def choice(level: str, table: StatedTable, seed: int = 1) -> str | None:
    return bot_spec(level).make(seed).choose(turn_of(table))


def two(*hands: str, **options: Any) -> StatedTable:
    """Two seats that have kept these hands; seat 0 leads."""
    return StatedTable(1, seats=2, **options).deal(*hands).keep()


def four(*hands: str, **options: Any) -> StatedTable:
    """Four seats that have kept these hands; seat 0 leads."""
    return StatedTable(3, **options).deal(*hands).keep()


@pytest.mark.parametrize("level", ["rookie", "regular"])
def test_they_play_by_the_rules_whatever_the_options(level: str) -> None:
    chooser = random.Random(level)
    for number in range(15):
        rules = random_rules(GAME, chooser)
        rules["lives"] = min(rules["lives"], 6)
        table = Table(f"g{number}", "toepen", rules, chooser.randbytes(32))
        levels = (level, "random") if number % 2 else (level,)
        play(table, [seat_bot(bot_spec(levels[s % len(levels)]), s) for s in range(rules["seats"])])
        assert table.faults == []


def test_the_shark_plays_by_the_rules_whatever_the_options() -> None:
    chooser = random.Random(2)
    for number in range(4):
        rules = random_rules(GAME, chooser)
        rules["lives"], rules["rubbers"] = min(rules["lives"], 3), 1
        table = Table(f"g{number}", "toepen", rules, chooser.randbytes(32))
        levels = ("shark", "regular", "random")
        play(table, [seat_bot(bot_spec(levels[s % 3]), s) for s in range(rules["seats"])])
        assert table.faults == []


def test_the_shark_knows_the_cards_that_the_rules_play_by_themselves() -> None:
    """TP-8.4: in the last trick a card may lie on the table that no seat chose to play."""
    chooser = random.Random(3)
    rules = GAME.options.complete({"seats": 3, "lives": 3, "knocking": "on_turn"})
    for number in range(3):
        table = Table(f"g{number}", "toepen", rules, chooser.randbytes(32))
        play(table, [seat_bot(bot_spec(level), 1) for level in ("shark", "regular", "shark")])
        assert table.faults == []


@pytest.mark.parametrize("level", [level for level in HOUSE_BOTS if level != "random"])
def test_the_same_seed_gives_the_same_game(level: str) -> None:
    logs = []
    for _ in range(2):
        table = Table("g", "toepen", {"seats": 3, "lives": 3}, bytes(32))
        play(table, [seat_bot(bot_spec(level), seat) for seat in range(3)])
        logs.append(table.actions)
    assert logs[0] == logs[1]


@pytest.mark.parametrize("level", THINKING)
def test_a_hopeless_hand_folds_and_three_tens_stay(level: str) -> None:
    table = four("TC TH 9S 9D", "JC QH KS AD", "TS TD 9C 8H", "JS QD KC AH").do("0 knock:2")
    assert choice(level, table) == "fold:1"
    assert choice(level, table.do("1 fold:1")) == "stay:2"


@pytest.mark.parametrize("level", THINKING)
def test_a_bot_that_cannot_lose_knocks_and_stays(level: str) -> None:
    table = two(*LAST_CARD).play(*THREE_TRICKS)
    assert choice(level, table) == "knock:2"
    table.play("TH").do("0 knock:2")
    assert choice(level, table) == "stay:2"


@pytest.mark.parametrize("level", ["regular", "shark"])
def test_a_bot_that_has_lost_folds_and_does_not_knock(level: str) -> None:
    table = two(*LAST_CARD).play(*THREE_TRICKS, "TH")
    assert choice(level, table) == "play:TC"
    table = two(*LAST_CARD).play(*THREE_TRICKS, "TH").do("1 knock:2")
    assert choice(level, table) == "fold:1"


@pytest.mark.parametrize("level", ["regular", "shark"])
def test_between_two_a_poor_hand_does_not_knock(level: str) -> None:
    answer = choice(level, two("JC QH KS 7D", "TC TH TS TD"))
    assert answer is not None
    assert answer.startswith("play:")


def test_shark_waits_where_regular_knocks_with_three_tens() -> None:
    table = two("TC TH TS 9D", "JC QH KS 7D")
    assert choice("regular", table) == "knock:2"
    assert choice("shark", table) == "play:9D"


@pytest.mark.parametrize("level", THINKING)
def test_the_third_trick_is_taken_with_the_lead_of_the_last_in_mind(level: str) -> None:
    """Seat 1 has the nine and the jack; if it lets the eight win, only a club lower than nine helps it."""
    table = two("QH QS 8C QD", "JH JS 9C 7C").play("QH", "JH", "QS", "JS", "8C")
    answer = choice(level, table)
    assert answer in ("play:9C", "knock:2")


@pytest.mark.parametrize("level", THINKING)
def test_a_ten_is_kept_for_the_last_trick(level: str) -> None:
    table = two("QH QS 8H QD", "JH JS TC JD").play("QH", "JH", "QS", "JS", "8H")
    answer = choice(level, table)
    assert answer in ("play:JD", "knock:2")


@pytest.mark.parametrize("level", THINKING)
def test_dirty_laundry_is_laid_away_and_tens_are_not(level: str) -> None:
    table = StatedTable(3).deal("JC QH KS AD", "TC TH TS TD", "9C 9H 9S 9D", "8C 8H 8S 8D")
    assert choice(level, table) == "exchange"
    assert choice(level, table.do("0 keep")) == "keep"


def test_decisions_depend_only_on_the_turn() -> None:
    """Worlds that look alike to the seat are answered alike."""
    mine, theirs = "9C 8H QS JD", "TC TH TS TD"
    one = turn_of(four(mine, theirs, "9H 9S 9D 8C", "8S 8D 7C 7H"))
    other = turn_of(four(mine, "JC JH JS QC", theirs, "QH QD KC KH"))
    assert one == other
    for level in THINKING:
        bots = [bot_spec(level).make(5) for _ in range(2)]
        assert bots[0].choose(one) == bots[1].choose(other)


def expected_tens(turn: Turn) -> tuple[float, float]:
    """The mean number of tens of seat 0 in re-deals for seat 1, weighted by its reading, and plain."""
    history = History(1, 2)
    history.note(turn)
    sight = ToepenSight(turn)
    reading = Reading(history, sight.in_hand, ToepenPlayout(turn, sight).stakes)
    redealer, rng = ToepenRedealer(turn, stock=False), random.Random(1)
    deals = [redealer.hands(redealer.deal(rng)) for _ in range(300)]
    weights = [reading.likelihood(hands) for hands in deals]
    tens = [(hands[0] & TENS).bit_count() for hands in deals]
    return sum(w * t for w, t in zip(weights, tens, strict=True)) / sum(weights), mean(tens)


def test_a_knock_makes_tens_likelier() -> None:
    """Re-deals in which the knocker holds more tens explain its knock better."""
    read, plain = expected_tens(turn_of(two("TC TH TS 9D", "JC QH 8S 8D").do("0 knock:2")))
    assert read > 1.4 * plain


def test_silence_is_no_sign_of_weakness() -> None:
    """Who leads a nine keeps tens. ``shark`` 0.2.0 believed half of that of a seat that had not knocked."""
    read, plain = expected_tens(turn_of(two("9C TH TS 9D", "JC QH 8S 8D").play("9C")))
    assert read > 1.25 * plain


def test_chances_count_cards() -> None:
    """With one card left to lead it wins unless the other holds a higher one of its suit."""
    hand, nine, ten = mask_of(["9C"]), mask_of(["9C"]).bit_length() - 1, mask_of(["TC"])
    unseen = WHOLE_PACK & ~hand
    spot = Spot(0, hand, unseen, 2, (3, 3, 3, 3), leads=True, after=2)
    assert spot.card_chance(nine) == pytest.approx(30 / 31)
    spot = Spot(0, hand, unseen & ~ten, 2, (3, 3, 3, 3), leads=True, after=2)
    assert spot.card_chance(nine) == 1.0


def test_stakes_are_what_lives_are_worth() -> None:
    turn = turn_of(two("TC TH TS TD", "9C 9H 9S 9D"))
    worth = Worth(turn)
    assert worth.of(0, [4, 4]) == 0.5
    assert worth.of(0, [3, 0]) == 1.0
    assert worth.of(0, [2, 5]) < worth.of(0, [3, 5]) < worth.of(0, [3, 4])
    assert Stakes(worth, [5, 5], 3).to_stay(0, 2) == pytest.approx(0.25, abs=0.1)
    # TP-5.7: with one life left to fold costs as much as to lose.
    assert Stakes(worth, [1, 5], 3).to_stay(0, 2) == 0.0


@pytest.mark.parametrize(("level", "groups"), [("rookie", 12), ("regular", 12), ("shark", 4)])
def test_each_beats_random_over_mirrored_groups(level: str, groups: int) -> None:
    plan = LadderStep("toepen", {"seats": 2, "lives": 5}, level, "random", groups).plan(seed="a small match")
    results = [play_group(plan, index, group) for index, group in enumerate(plan.all_groups())]
    assert mean(margins(results)) > 0.3
    assert not any(tally.faults for result in results for tally in result.tallies.values())


def test_the_anchor_plays_as_it_always_has() -> None:
    """``rookie`` is the anchor of all ratings; its version is 0.1.0 as long as this holds."""
    digest = sha256()
    for seats in (2, 3, 4, 6):
        table = Table("g", "toepen", {"seats": seats}, bytes([seats]) * 32)
        play(table, [seat_bot(bot_spec("rookie"), seat) for seat in range(seats)])
        digest.update(repr([tuple(action) for action in table.actions]).encode())
    assert digest.hexdigest()[:16] == "038fc5dc5ca7358f"


def exchange_of(seats: int, lives: list[int] | None = None) -> Laundry:
    """An exchange of seat 0, everybody being in the hand."""
    lives = lives or [10] * seats
    turn = turn_of(StatedTable(seats - 1, seats=seats).deal(*WEAK_HANDS[:seats]))
    everybody = (1 << seats) - 1
    return Laundry(Stakes(Worth(turn), lives, everybody), lives, everybody, 0)


WEAK_HANDS = ("JC QH KS 7D", "JH JS QC KC", "JD QD QS KD", "KH AC AD AS")


def test_a_challenge_has_to_be_right_more_often_the_more_players_share_in_it() -> None:
    assert exchange_of(2).usual_honesty == pytest.approx(1 / 2)
    assert exchange_of(4).usual_honesty == pytest.approx(1 / 4, abs=0.01)
    # Who has one life left risks more than it can win.
    assert exchange_of(4, [10, 1, 10, 10]).fair_honesty(1) < exchange_of(4).fair_honesty(1)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_challenges_cost_a_bluffer_what_a_new_hand_gains_it(seats: int) -> None:
    laundry = exchange_of(seats)
    lives = [10] * seats
    turn = turn_of(StatedTable(seats - 1, seats=seats).deal(*WEAK_HANDS[:seats]))
    stakes = Stakes(Worth(turn), lives, (1 << seats) - 1)
    costs = stakes.worth.of(0, lives) - stakes.worth.of(0, stakes.without(0))
    gains = NEW_HAND[seats] * (stakes.won(0, 1) - stakes.lost(0, 1))
    assert laundry.challenges * costs == pytest.approx(gains)
    habits = Habits(seats)
    keenest = max(range(1, seats), key=laundry.fair_honesty)
    assert laundry.challenge_chance(keenest, habits) == pytest.approx(laundry.challenges_each)
    assert 1 - (1 - laundry.challenges_each) ** (seats - 1) == pytest.approx(laundry.challenges)


def test_challenges_follow_the_habits_of_the_exchanger() -> None:
    laundry = exchange_of(2)
    honest, bluffer, stranger = Habits(2), Habits(2), Habits(2)
    honest.kept[0], honest.exchanged[0], honest.honest[0] = 30, 2, 1
    bluffer.kept[0], bluffer.exchanged[0], bluffer.caught[0] = 15, 15, 3
    rates = [laundry.challenge_chance(1, habits) for habits in (honest, stranger, bluffer)]
    assert rates[0] < 0.6 * rates[1]
    assert rates[2] > 0.9


def test_who_is_never_challenged_bluffs_more() -> None:
    trusting, accusing = Habits(4), Habits(4)
    trusting.trusted = [0, 20, 20, 20]
    accusing.challenged = [0, 5, 5, 5]
    laid = dict.fromkeys(("trusting", "stranger", "accusing"), 0)
    laundry, chooser = exchange_of(4), random.Random(4)
    for _ in range(400):
        hand = mask_of(chooser.sample(PACK, 4))
        if not hand & CLEAN:
            continue
        spot = Spot(0, hand, WHOLE_PACK & ~hand, 14, (15, 15, 15, 15), after=14)
        for name, habits in (("trusting", trusting), ("stranger", Habits(4)), ("accusing", accusing)):
            laid[name] += laundry.lays_away(spot, habits)
    assert 0 < laid["accusing"] < laid["stranger"] < laid["trusting"] < 150
    assert 35 < laid["stranger"] < 85, "about 15% of the clean hands"


def test_a_last_life_is_not_bluffed_away() -> None:
    laundry = exchange_of(4, [1, 10, 10, 10])
    hand = mask_of(["JC", "QH", "KS", "7D"])
    spot = Spot(0, hand, WHOLE_PACK & ~hand, 14, (15, 15, 15, 15), after=14)
    assert not laundry.lays_away(spot, Habits(4))


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7])
def test_the_weakest_hands_are_as_many_as_the_table_says(players: int) -> None:
    chooser = random.Random(players)
    below = clean = 0
    for number in range(3000):
        hand = mask_of(chooser.sample(PACK, 4))
        if hand & CLEAN:
            clean += 1
            leads = number % players == 0
            follows = chances(hand, WHOLE_PACK & ~hand, (players - 1,) * 4)
            below += follows[leads] < weakest(players, 0.2)
    assert below / clean == pytest.approx(0.2, abs=0.03)


@pytest.mark.parametrize(("seats", "low", "high"), [(2, 0.01, 0.25), (4, 0.05, 0.4)])
def test_regular_does_not_knock_on_every_hand(seats: int, low: float, high: float) -> None:
    """Of its first turns of a hand that no one has knocked in."""
    knocked = asked = 0
    for number in range(8):
        table = Table(f"g{number}", "toepen", {"seats": seats}, bytes([number]) * 32)
        bots = [seat_bot(bot_spec("regular"), seat) for seat in range(seats)]
        play(table, bots)
        again = Table(f"g{number}", "toepen", {"seats": seats}, bytes([number]) * 32)
        again.start()
        while not again.is_over():
            seat, action, *_ = table.actions[again.logged]
            turn = again.turn(seat)
            assert turn is not None
            seen = turn["observation"]
            if seen["phase"] == "play" and not seen["tricks"] and "knock:2" in turn["legal_actions"]:
                asked += 1
                knocked += action == "knock:2"
            again.submit(seat, again.turn_number(seat), action)
    assert low < knocked / asked < high


def test_a_hopeless_hand_knocks_at_times_where_others_fold() -> None:
    assert knock_chance(0.1, 0.5) == 1.0
    assert 0.1 < knock_chance(0.1, 0.0) < 0.5
    assert knock_chance(-0.5, 0.5) < 0.01
