"""Golden playthroughs of Brazilian Truco: at least one per option, and one per thing worth seeing."""

from __future__ import annotations

from random import Random
from typing import Any

from arena.games.truco.cards import PACK, PACKS
from arena.games.truco.state import TRUCO
from tests.games.truco_play import hands, pack_of
from tests.golden.case import Case

WEAK = ("4D5D6D", "4H5H6H", "4S5S6S", "5C6CQC")
CARDS = set(PACK)
CLEAN = PACKS["clean"].cards


def case(name: str, about: str, *steps: str, dealer: int = 3, **rules: Any) -> Case:
    """A case from steps: an action of the awaited seat (``4C`` plays it, ``x4C`` hides it), or
    ``"2 signal:wink"`` for a seat out of turn. Nobody cuts unless ``cut`` says so.
    """
    rules = {"cut": "none", **rules}
    state = TRUCO.new_state(TRUCO.options.complete(rules))
    log = []
    for step in (f"dealer:{dealer}", *steps):
        seat, action = state.awaiting()[0], step
        if step[0].isdecimal() and step[1] == " ":
            seat, action = int(step[0]), step[2:]
        elif step in CARDS:
            action = "play:" + step
        elif step[0] == "x" and step[1:] in CARDS:
            action = "hide:" + step[1:]
        state.apply(seat, action)
        log.append((seat, action))
    return Case("truco", name, about, rules, log)


def raised(dealer: int, winners: str) -> list[str]:
    """Short hands, one per digit, the first dealt by ``dealer``: ``6`` is six points for the forehand's team,
    ``3`` three for the others, ``1`` one for the forehand's.
    """
    calls = {
        "6": ["truco", "raise:6", "raise:9", "run:6"],
        "3": ["truco", "raise:6", "run:3"],
        "1": ["truco", "run:1"],
    }
    steps = []
    for number, letter in enumerate(winners):
        steps += [hands(*WEAK, dealer=(dealer + number) % 4), "keep", *calls[letter]]
    return steps


def paulista_raised(dealer: int, winners: str) -> list[str]:
    """The same with a card turned and without choices before play."""
    return [
        pack_of(*WEAK) if step.startswith("deal:") else step
        for step in raised(dealer, winners)
        if step != "keep"
    ]


def whole_game(seed: int) -> list[str]:
    """A game of default rules between four players who mostly just play."""
    draw = Random(seed).random
    state = TRUCO.new_state(TRUCO.options.complete())
    steps = []
    while state.awaiting():
        chance = state.chance()
        if chance is not None:
            items = sorted(chance.items, key=lambda _: draw())
            step = "dealer:0" if chance.kind == "dealer" else "deal:" + "".join(items)
        else:
            legal = state.legal_actions(state.awaiting()[0])
            likely = [action for action in legal if action.startswith(("play", "accept", "keep"))]
            choices = likely if likely and draw() < 0.8 else legal
            step = choices[int(draw() * len(choices))]
        state.apply(state.awaiting()[0], step)
        steps.append(step)
    return steps[1:]


CASES = [
    case(
        "hand",
        "a hand without truco: a trick each, then the third decides (BT-3.5)",
        hands("3C4C5D", "2C3D5H", "6D6H6S", "QCQDQH"),
        *("keep", "3C", "2C", "6D", "QC", "5D", "3D", "6H", "QD", "5H", "6S", "QH", "4C"),
    ),
    case(
        "ties",
        "equal best cards: of one team, of both, and who leads then (BT-3.3, BT-3.5)",
        hands("3C2CKC", "3D2DKD", "4D3HQC", "5D4HQD"),
        *("keep", "3C", "3D", "4D", "5D", "2C", "2D", "3H", "4H"),
        hands("4D5D6D", "KCKD2C", "4S3C3D", "5H6HKH", dealer=0),
        *("keep", "KC", "4S", "KH", "4D", "KD", "3C", "5H", "5D", "3D", "6H", "6D", "2C"),
    ),
    case(
        "nobody",
        "three tied tricks: nobody scores and the deal passes on (BT-3.5, BT-3.6)",
        hands("3C2CKC", "3D2DKD", "4D5D6D", "4H5H6H"),
        *("keep", "3C", "3D", "4D", "4H", "2C", "2D", "5D", "5H", "KC", "KD", "6D", "6H"),
        hands(*WEAK, dealer=0),
    ),
    case(
        "cut",
        "the cut: from the top, from the bottom, and none (BT-2.2)",
        pack_of("4C7HAS", "7D3C3D"),
        *("cut:3:top", "keep", "truco", "run:1"),
        pack_of("4C7HAS", "7D3C3D"),
        *("cut:3:bottom", "keep", "truco", "run:1"),
        pack_of("4C7HAS", "7D3C3D"),
        *("no_cut", "keep"),
        cut="player",
    ),
    case(
        "pass-and-burn",
        "one pass, then burns up to the limit; the last keep goes without saying (BT-2.4, BT-7.4)",
        pack_of("4D5D6D", "7C7SQC", "4H5H6H", "3C3D3H", "2C2D2H", "ACADAH"),
        *("pass", "burn", "burn", "3C", "2C", "4D", "AC"),
        max_burns=2,
    ),
    case(
        "no-burns",
        "without burns the forehand keeps once it has passed (BT-2.4)",
        pack_of("4D5D6D", "7C7SQC", "4H5H6H", "3C3D3H"),
        "pass",
        max_burns=0,
    ),
    case(
        "face-down",
        "cards face down: they never win, and four of them tie (BT-3.2, BT-3.4)",
        hands("4C5D6D", "4H5H6H", "4S5S6S", "5C6CQC"),
        *("keep", "x4C", "x4H", "x4S", "x5C", "5D", "x5H", "x5S", "x6C"),
    ),
    case(
        "face-down-after-first-trick",
        "nothing may be hidden in the first trick (BT-3.2)",
        hands("3C5D6D", "2C5H6H", "4S5S6S", "5C6CQC"),
        *("keep", "3C", "2C", "4S", "5C", "x5D", "5H", "x5S", "x6C", "6H", "x6S", "xQC", "6D"),
        face_down="after_first_trick",
    ),
    case(
        "face-down-never",
        "nothing may be hidden, so after truco the last cards play themselves (BT-7.4)",
        hands("3C5D6D", "2C5H6H", "4S5S6S", "5C6CQC"),
        *("keep", "3C", "2C", "4S", "5C", "5D", "5H", "5S", "6C", "QC", "truco", "accept:3"),
        face_down="never",
    ),
    case(
        "truco",
        "truco accepted: the trick in progress decides, whatever came before (BT-4.1, BT-4.6)",
        hands("3C5D6D", "2C4C6H", "4S5S6S", "5C6CQC"),
        *("keep", "3C", "2C", "4S", "5C", "5D", "truco", "accept:3", "4C", "5S", "6C"),
    ),
    case(
        "run",
        "running from truco and from every raise (BT-4.2)",
        *raised(3, "1"),
        *(hands(*WEAK, dealer=0), "keep", "truco", "raise:6", "run:3"),
        *(hands(*WEAK, dealer=1), "keep", "truco", "raise:6", "raise:9", "defer", "run:6"),
        *(hands(*WEAK, dealer=2), "keep", "truco", "raise:6", "raise:9", "raise:12", "run:9"),
    ),
    case(
        "ladder",
        "3, 6, 9, 12: all on one trick (BT-4.4)",
        hands("3C5D6D", "2C5H6H", "4S5S6S", "5C6CQC"),
        *("keep", "truco", "raise:6", "raise:9", "defer", "raise:12", "defer", "accept:12"),
        *("3C", "2C", "4S", "5C"),
    ),
    case(
        "tied-before-the-call",
        "a tied card was there before the call: the callers lose (BT-4.7)",
        hands("3C5D6D", "2C5H6H", "4S5S6S", "3D6CQC"),
        *("keep", "3C", "truco", "accept:3", "2C", "4S", "3D"),
    ),
    case(
        "extra-trick",
        "tied by cards after the call: one more trick for all of it (BT-4.7)",
        hands("3C5D6D", "3DKCKD", "4S5S6S", "5C6CQC"),
        *("keep", "truco", "raise:6", "accept:6", "3C", "3D", "4S", "5C", "5D", "KC", "5S", "6C"),
    ),
    case(
        "extra-trick-tied",
        "the one more trick tied, too: nobody scores (BT-4.7)",
        hands("3CKH6D", "3DKCKD", "4S5S6S", "5C6CQC"),
        *("keep", "truco", "accept:3", "3C", "3D", "4S", "5C", "KH", "KC", "5S", "6C"),
    ),
    case(
        "last-trick-tied",
        "tied after the call with no cards left: nobody scores (BT-4.7)",
        hands("3C2CAC", "2D3DAD", "4D5D6D", "4H5H6H"),
        *("keep", "3C", "2D", "4D", "4H", "2C", "3D", "5D", "5H", "truco", "accept:3"),
        *("AD", "6D", "6H", "AC"),
    ),
    case(
        "all-hidden-under-truco",
        "no best card, so nothing lay there before the call (BT-4.7)",
        hands("3C5D6D", "3DKCKD", "4S5S6S", "5C6CQC"),
        *("keep", "x3C", "truco", "accept:3", "x3D", "x4S", "x5C", "5D", "KC", "5S", "6C"),
    ),
    case(
        "eleven",
        "one team has 11: it sees both hands, defers, plays and loses; then runs (BT-5.1, BT-5.2)",
        *raised(3, "63111"),
        *(hands("4D5D6D", "3C3D3H", "4S5S6S", "5C6CQC", dealer=0), "defer", "accept:3"),
        *("3C", "4S", "5C", "4D", "3D", "5S", "6C", "5D"),
        *(hands(*WEAK, dealer=1), "run:1"),
    ),
    case(
        "both-at-eleven",
        "both teams have 11: the hand plays itself (BT-5.3)",
        *raised(0, "6633111"),
        *(hands(*WEAK, dealer=3), "run:1"),
        pack_of("4D3C5D", "2C4H6D", "5H5S4S", "6H6SAC"),
        dealer=0,
    ),
    case(
        "signals",
        "gestures: one per player and trick, in turn or not (BT-6.2)",
        hands("3C5D6D", "2C5H6H", "4S5S6S", "5C6CQC"),
        *("2 signal:wink", "keep", "1 signal:nose", "3C", "3 signal:cheek", "2C", "4S", "5C"),
        *("2 signal:eyebrow", "truco", "3 signal:tongue", "1 signal:shoulder", "run:1"),
        signals="table",
    ),
    case(
        "max-hands",
        "the game ends after two hands, a draw (BT-1.7)",
        *(hands(*WEAK), "keep", "truco", "run:1"),
        *(hands(*WEAK, dealer=0), "keep", "truco", "run:1"),
        max_hands=2,
    ),
    case(
        "paulista",
        "the card turned makes the manilhas; a call is for the hand, and only the asked may raise it later "
        "(TV-3.3, TV-6.6, TV-6.8)",
        pack_of("4C5C7C", "4H5H7H", "4S5S7S", "4D5D7D", "3D"),
        *("truco", "accept:3", "5C", "5H", "5S", "raise:6", "accept:6", "7D"),
        *("4D", "raise:9", "accept:9", "4C", "7H", "7S", "7C", "4H", "4S", "5D"),
        variant="paulista",
    ),
    case(
        "paulista-eleven",
        "eleven with a card turned: the team plays for 3 and loses (TV-7.2)",
        *paulista_raised(3, "63111"),
        pack_of("6C6H4D", "4S5S7S", "5H7H7C", "4H5C7D", "5D"),
        *("accept:3", "6C", "7S", "7H", "7D", "6H", "5S", "7C", "5C"),
        variant="paulista",
    ),
    case(
        "paulista-two",
        "two seats and the clean pack: a tie, and the same seat leads again (TV-2.1, TV-5.4)",
        pack_of("ASKDQC", "AHKHQH", "3C", cards=CLEAN),
        *("AS", "AH", "truco", "accept:3", "xKD", "KH"),
        pack_of("ASKDQC", "AHKHQH", "2C", cards=CLEAN),
        *("truco", "run:1"),
        dealer=1,
        variant="paulista",
        seats=2,
        pack="clean",
    ),
    case(
        "paulista-both-at-eleven",
        "both have 11 and look at their cards: nobody may call (TV-7.5)",
        *paulista_raised(0, "6633111"),
        *(pack_of(*WEAK), "run:1"),
        pack_of("5CKD7S", "4HAD2S", "6H6SJC", "3DQH4C", "5H"),
        *("KD", "2S", "6S", "3D", "6H", "QH", "5C", "4H"),
        dealer=0,
        variant="paulista",
        both_eleven="open",
    ),
    case(
        "opener-leads",
        "the opener leads after a tie, and three ties are the forehand's (TV-5.4, TV-5.5)",
        pack_of("KS2S4S", "3H2H4H", "3S2C5H", "ACJC4D", "5S"),
        *("KS", "3H", "3S", "AC", "2S", "2H", "2C", "JC", "4S", "4H", "5H", "4D"),
        pack_of("3S2SAS", "3H2HAH", "4H7SKC", "JCJDJH", "5D"),
        *("3S", "3H", "4H", "JC", "2S", "2H", "7S", "JD", "AS", "AH", "KC", "JH"),
        variant="paulista",
        tie_lead="opener",
        all_tied="forehand",
    ),
    case(
        "mineiro",
        "stakes from 2, and no card is turned (TV-3.2, TV-6.1)",
        hands("4C5D6D", "7H5H6H", "AS5S6S", "7D6CQC"),
        *("truco", "raise:6", "raise:10", "defer", "accept:10", "4C", "7H", "AS", "7D"),
        *("5D", "5H", "6S", "QC", "6C", "6D"),
        variant="mineiro",
    ),
    case(
        "no-call-in-the-first-trick",
        "truco from the second trick on, and no raise that is enough already (TV-6.9, TV-6.10)",
        hands("3C4C6D", "2C5H6H", "4S5S6S", "5C6CQC"),
        *("3C", "2C", "4S", "5C", "truco", "accept:4", "4C", "5H", "5S", "6C"),
        *(hands("3C4C6D", "2C5H6H", "4S5S6S", "5C6CQC", dealer=0), "2C", "4S", "5C", "3C"),
        *("truco", "raise:8", "accept:8", "4C", "5H", "5S", "6C"),
        variant="mineiro",
        stakes="2-4-8-12",
        truco_from="after_first_trick",
        raise_limit="own",
    ),
    case(
        "raise-limit-of-both",
        "a raise that can change nothing for either team is not there (TV-6.9)",
        *(hands(*WEAK), "truco", "raise:8", "run:4"),
        *(hands(*WEAK, dealer=0), "truco", "raise:8", "run:4"),
        *(hands(*WEAK, dealer=1), "truco", "raise:8", "accept:8"),
        variant="mineiro",
        stakes="2-4-8-10-12",
        raise_limit="both",
    ),
    case("game", "a whole game with the default rules", *whole_game(2), dealer=0, cut="player"),
]
