"""Golden playthroughs of Toepen: at least one per option, and one per thing worth seeing."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.games.toepen_tables import FOUR, Table
from tests.golden.case import Case

STOCK = "AC AH AS AD KC KH KS KD QC QH QS QD JC JH JS JD"
LAUNDRY = ("AS KS QS JS", "TH 9H 8H 7H", "TC 9C 8C 7C", "TD 9D 8D 7D")


def dealt(*hands: str, dealer: int = 3, stock: str = "", **options: Any) -> Table:
    """A table for as many players as there are hands, unless ``seats`` says otherwise."""
    options.setdefault("seats", len(hands))
    return Table(dealer, **options).deal(*hands, stock=stock)


def told(name: str, about: str, table: Table) -> Case:
    """The case of what happened at a table."""
    return Case("toepen", name, about, table.options, table.log)


def trio(**options: Any) -> Table:
    """Three players with three lives; Ana, who holds four aces, has lost two by bluffs."""
    table = dealt(*FOUR[:3], stock="7S 7H 9C TD AC AH AS AD", dealer=2, lives=3, max_exchanges=2, **options)
    return table.do("0 exchange", "1 challenge", "0 exchange", "1 challenge", "1 keep", "2 keep")


def whole_game(seed: int, dealer: int, **options: Any) -> Table:
    """A game between players who rarely exchange or knock, and challenge or fold now and then."""
    random = Random(seed)
    table = Table(dealer, **options)
    state = table.state
    likely = {"exchange": 0.15, "challenge": 0.25, "fold": 0.35, "knock": 0.12}
    while state.awaiting():
        chance = state.chance()
        if chance is not None:
            table.deal(*sorted(chance.items, key=lambda _: random.random()))
            continue
        moves = [(seat, action) for seat in range(state.rules.seats) for action in state.legal_actions(seat)]
        weights = [likely.get(action.partition(":")[0], 1.0) for _, action in moves]
        seat, action = random.choices(moves, weights)[0]
        table.do(f"{seat} {action}")
    return table


def folding_round(table: Table, knocker: int) -> Table:
    """One more hand, in which everybody folds to a first knock."""
    table.deal(*FOUR).do(f"{knocker} knock:2")
    while table.phase == "knock":
        table.do(f"{table.asked} fold:1")
    return table


def elimination_in_two_hands() -> Table:
    """Ana goes out in the first hand, Carla in the second."""
    table = dealt(*FOUR[:3], dealer=2, lives=2, max_exchanges=0)
    table.do("0 knock:2", "1 fold:1", "2 stay:2").play("TS", "8S", "9H", "8H", "8D", "9D")
    return table.deal(*FOUR[:2]).do("2 stay:2").play("TS", "9S", "9H", "TH", "8C", "7C")


def kings() -> Table:
    """Three hands in a row for Bruno."""
    table = Table(3, max_exchanges=0, lives=15)
    for _ in range(3):
        folding_round(table, 1)
    return table


def rubber_shared() -> Table:
    """One rubber; two players lose it, and the others have won a hand each."""
    table = dealt(*FOUR, lives=2, end="rubber", rubbers=1, max_exchanges=0)
    table.do("2 knock:2", "3 fold:1", "0 fold:1", "1 fold:1").deal(*FOUR).do("2 fold:1")
    return table.play("7S", "TS", "9S", "9H", "TH", "7H", "7D", "TD", "8D")


CASES = [
    told(
        "hand",
        "a hand without exchanges or knocks: only the last trick counts (TP-4.2)",
        dealt(*FOUR)
        .keep()
        .play("TS", "9S", "8S", "7S", "9H", "TH", "8H", "7H", "8C", "TC", "9C", "7C", "9D", "TD", "8D", "7D"),
    ),
    told(
        "exchange",
        "exchanges go round from the dealer's left; all are trusted, until the stock is used up (TP-2.3)",
        dealt(*FOUR, dealer=1, stock=STOCK).do(
            *("2 exchange", "3 trust", "0 trust", "1 trust", "2 exchange", "3 trust", "0 trust", "1 trust"),
            *("2 keep", "3 keep", "0 exchange", "1 trust", "2 trust", "3 trust"),
            *("0 exchange", "1 trust", "2 trust", "3 trust", "2 play:KC"),
        ),
    ),
    told(
        "bluff",
        "a bluff is found out: the bluffer pays and keeps the new hand (TP-2.5)",
        dealt(*FOUR, stock=STOCK).do("0 exchange", "1 trust", "2 challenge", "0 keep", "1 keep"),
    ),
    told(
        "honest",
        "a challenge of real dirty laundry costs the challenger a life (TP-2.5)",
        dealt(*LAUNDRY).do("0 exchange", "1 challenge", "0 keep"),
    ),
    told(
        "out-in-the-exchange",
        "a bluffer and a challenger lose their last lives; the others play on for 2 (TP-2.5, TP-6.3)",
        dealt(*LAUNDRY, lives=1).do(
            *("0 exchange", "1 trust", "2 challenge", "0 keep"), *("1 exchange", "3 challenge", "3 keep")
        ),
    ),
    told(
        "one-exchange",
        "with max_exchanges 1 nobody is asked twice (TP-2.3)",
        dealt(*FOUR, max_exchanges=1, stock=STOCK).do(
            "0 exchange", "1 trust", "2 trust", "3 trust", "1 keep"
        ),
    ),
    told(
        "eight",
        "eight players use the whole pack: nobody can exchange, and nobody is asked (TP-2.1)",
        dealt(*FOUR, stock=STOCK, seats=8, dealer=7).do("0 play:TS", "5 knock:2", "6 fold:1", "7 stay:2"),
    ),
    told(
        "whistling",
        "three tens whistle, four jacks may stand up, three jacks may keep still (TP-3.1)",
        dealt("TC TH TD 9S", "JC JH JD JS", "7C 7H 7D 7S", whistling=True, dealer=2).do(
            "0 keep_whistle", "1 keep_stand", "2 keep"
        ),
    ),
    told(
        "whistling-without-exchange",
        "with whistling everybody is asked, even if nobody can exchange (TP-3.2)",
        dealt("TC TH TD TS", "JC JH JD 9S", whistling=True, max_exchanges=0, dealer=1).do(
            "0 keep_stand", "1 keep"
        ),
    ),
    told(
        "knock",
        "knocks in turn and out of turn; staying, folding, and the lives at the end (TP-5.1, TP-5.2)",
        dealt(*FOUR, max_exchanges=0)
        .do("2 knock:2", "3 stay:2", "0 stay:2", "1 fold:1", "0 play:TS", "0 knock:3", "2 stay:3", "3 stay:3")
        .play("8S", "7S", "9H", "8H", "7H", "8D", "9D", "TD", "9C", "7C", "TC"),
    ),
    told(
        "all-fold",
        "everybody folds, and the knocker wins (TP-5.3)",
        dealt(*FOUR, max_exchanges=0).do("0 play:TS", "3 knock:2", "0 fold:1", "1 fold:1", "2 fold:1"),
    ),
    told(
        "folded-leader",
        "the leader folds with a card on the table that nobody can follow: the next player takes it (TP-4.3)",
        dealt("TS 9S 8S 7S", "TH 9H 8H 7H", "TC 9C 8C 7C", "TD 9D 8D 7D", max_exchanges=0)
        .play("TS")
        .do("3 knock:2", "0 fold:1", "1 stay:2", "2 stay:2")
        .play("7H", "TC", "TD"),
    ),
    told(
        "on-turn",
        "with knocking on_turn the knock belongs to the player in turn (TP-5.6)",
        dealt(*FOUR, max_exchanges=0, knocking="on_turn").do(
            "0 knock:2", "1 stay:2", "2 fold:1", "3 stay:2", "0 play:TS", "1 knock:3", "3 fold:2", "0 fold:2"
        ),
    ),
    told(
        "last-lives",
        "who has fewer lives than are due loses what is left (TP-5.7)",
        trio()
        .do("1 stay:2", "2 stay:2", "2 knock:3", "0 fold:1", "1 stay:3")
        .play("9S", "8S", "TH", "8H", "8C", "TC"),
    ),
    told(
        "poverty",
        "a player with one life leads, and the others decide first: one stays, one leaves (TP-6.1)",
        trio().do("1 fold:1", "2 stay:2", "0 play:AC"),
    ),
    told(
        "poverty-won", "all others leave the player with one life (TP-6.2)", trio().do("1 fold:1", "2 fold:1")
    ),
    told(
        "poverty-of-all",
        "everybody has one life: nobody is asked, and the last trick plays itself (TP-6.3, TP-8.4)",
        dealt(*FOUR, lives=1, max_exchanges=0).play(
            "TS", "9S", "8S", "7S", "9H", "TH", "8H", "7H", "8C", "TC", "9C", "7C"
        ),
    ),
    told("elimination", "places by the order of going out (TP-7.1)", elimination_in_two_hands()),
    told("toepkoning", "three hands in a row (TP-7.3)", kings()),
    told(
        "rubber-in-the-exchange",
        "a last life lost in the exchange ends the rubber at once; the same player deals (TP-7.2)",
        dealt(*FOUR, lives=1, end="rubber").do("0 exchange", "1 challenge").deal(*FOUR).do("0 keep"),
    ),
    told("rubber-shared", "one rubber; equal drinks and equal hands share places (TP-7.2)", rubber_shared()),
    told(
        "rubbers",
        "three rubbers of three players with three lives",
        whole_game(5, 0, seats=3, lives=3, end="rubber"),
    ),
    told("duel", "a whole game of two players", whole_game(2, 1, seats=2, lives=5)),
    told("game", "a whole game of the default rules", whole_game(1, 2)),
]
