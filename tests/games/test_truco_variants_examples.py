"""The worked examples of the variants of Truco, by the real rules and the reference."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.kernel import CHANCE
from tests.games.truco_reference import completed
from tests.games.truco_tables import Table, check_refusal, clash

PAULISTA = {"variant": "paulista"}
MINEIRO = {"variant": "mineiro"}
TIES = ("3S2SAS", "3H2HAH", "4H7SKC", "JCJDJH")
THIRD = ("KS6H6C", "6S7C4S", "JSJC3S", "QSQC4H")
HIDERS = ("KD4C7S", "3H4H7C", "3S6D4S", "ACJCQC")
TWICE_TIED = "0:3S 1:3H 2:4H 3:JC 0:2S 1:2H 2:7S 3:JD "
ELEVEN = {**PAULISTA, "points": (11, 9), "dealer": 0}

EXAMPLES: list[tuple[str, dict[str, Any], tuple[str, ...], str, str]] = [
    (
        "1 the manilha after a 3 is the 4",
        PAULISTA,
        ("3S", "4D", "2C", "4C"),
        "3D",
        "vira=3D manilhas=4C4H4S4D 0:3S 1:4D 2:2C 3:4C 3?",
    ),
    (
        "2 the clean pack begins again at Q",
        {**PAULISTA, "pack": "clean"},
        ("3S", "QD", "AC", "2H"),
        "3H",
        "manilhas=QCQHQSQD 0:3S 1:QD 2:AC 3:2H 1?",
    ),
    ("3 the manilha after a 7 is the Q", PAULISTA, ("JS", "QS", "QH", "3D"), "7C", "0:JS 1:QS 2:QH 3:3D 2?"),
    (
        "4 the old manilhas mean nothing",
        PAULISTA,
        ("4C", "4H", "7H", "5S"),
        "KD",
        "manilhas=ACAHASAD 0:4C 1:4H 2:7H 3:5S 2?",
    ),
    ("4 plain sevens tie", PAULISTA, ("4C", "7D", "7H", "5S"), "KD", "0:4C 1:7D 2:7H 3:5S 1?"),
    ("5 no tie with a manilha", PAULISTA, ("3S", "3H", "6D", "3C"), "5D", "0:3S 1:3H 2:6D 3:3C 2?"),
    ("6 the first of the best leads", PAULISTA, ("KD", "3H", "3S", "AC"), "5D", "0:KD 1:3H 2:3S 3:AC 1?"),
    (
        "6 the opener leads",
        {**PAULISTA, "tie_lead": "opener"},
        ("KD", "3H", "3S", "AC"),
        "5D",
        "0:KD 1:3H 2:3S 3:AC 0?",
    ),
    (
        "7 two equal cards of one team",
        {**PAULISTA, "tie_lead": "opener"},
        ("KD2C", "3H2H", "7S4S", "3CKS"),
        "5D",
        "0:KD 1:3H 2:7S 3:3C 1? 1:2H 2:4S 3:KS 0:2C score=0-1",
    ),
    (
        "8 two ties, then a trick",
        PAULISTA,
        ("3S2S4S", *TIES[1:]),
        "5D",
        TWICE_TIED + "0:4S 1:AH 2:KC 3:JH score=0-1",
    ),
    ("8 a tie, then a trick", PAULISTA, TIES, "5D", "0:3S 1:3H 2:4H 3:JC 0:2S 1:AH 2:7S 3:JD score=1-0"),
    ("9 a trick, then a tie", PAULISTA, TIES, "5D", "0:2S 1:AH 2:4H 3:JC 0:3S 1:3H 2:7S 3:JD score=1-0"),
    (
        "9 a trick each, then a tie",
        PAULISTA,
        ("3S2S4S", "3H2HAH", "5H7SKC", "JCJDJH"),
        "5D",
        "0:2S 1:AH 2:5H 3:JC 0:4S 1:2H 2:7S 3:JD 1:3H 2:KC 3:JH 0:3S score=1-0",
    ),
    (
        "10 all tied",
        PAULISTA,
        TIES,
        "5D",
        "0:truco 1:accept:3 " + TWICE_TIED + "0:AS 1:AH 2:KC 3:JH score=0-0 deal 1?",
    ),
    (
        "10 all tied, the forehand's",
        {**PAULISTA, "all_tied": "forehand"},
        TIES,
        "5D",
        "0:truco 1:accept:3 " + TWICE_TIED + "0:AS 1:AH 2:KC 3:JH score=3-0 deal 1?",
    ),
    (
        "11 nothing hidden in the first trick",
        PAULISTA,
        ("6C4S7D", "4C", "4H", "4D"),
        "5D",
        "0?play:6C,play:4S,play:7D,truco 0:6C 1:4C 2:4H 3:4D 0?play:4S,play:7D,hide:4S,hide:7D,truco",
    ),
    (
        "12 a hidden zap",
        PAULISTA,
        THIRD,
        "5D",
        "0:KS 1:6S 2:JS 3:QS 1:7C 2:JC 3:QC 0:6H 0:x6C 1:4S 2:x3S 3:4H score=0-1",
    ),
    (
        "13 everybody hides after a won trick",
        PAULISTA,
        HIDERS,
        "5D",
        "0:KD 1:3H 2:6D 3:AC 2:x3S 3:xJC 0:x4C 1:x4H score=1-0",
    ),
    (
        "13 everybody hides after a tie",
        PAULISTA,
        HIDERS,
        "5D",
        "0:KD 1:3H 2:3S 3:AC 1:x4H 2:x4S 3:xJC 0:x4C 1? 1:7C 2:6D 3:QC 0:7S score=1-0",
    ),
    (
        "14 call and run",
        PAULISTA,
        (),
        "",
        "0:truco 1?run:1,accept:3,raise:6,defer 1:defer 3?run:1,accept:3,raise:6 3:run:1 score=1-0",
    ),
    (
        "15 a call does not cut the hand short",
        PAULISTA,
        ("4C", "6C", "4H", "4S"),
        "5D",
        "0:truco 1:accept:3 stake=3 0:4C 1:6C 2:4H 3:4S 1? stake=3 score=0-0",
    ),
    (
        "15 in the base game it does",
        {},
        ("4D", "3C", "4H", "4S"),
        "",
        "0:keep 0:truco 1:accept:3 0:4D 1:3C 2:4H 3:4S score=0-3",
    ),
    (
        "16 and 34 raise answered by raise",
        PAULISTA,
        (),
        "",
        "right=either 0:truco right=1 1:raise:6 right=0 2:raise:9 right=1 3:raise:12 right=null stake=9 "
        "0?run:9,accept:12,defer 0:defer 2?run:9,accept:12 2:run:9 score=0-9",
    ),
    (
        "17 and 34 the right to raise changes hands",
        PAULISTA,
        ("4C5C7C", "4H5H7H", "4S5S7S", "4D5D7D"),
        "3D",
        "right=either 0:truco right=1 1:accept:3 right=1 0:5C 1?play:4H,play:5H,play:7H,raise:6 1:5H "
        "2?play:4S,play:5S,play:7S 2:5S 3?play:4D,play:5D,play:7D,raise:6 3:raise:6 right=0 stake=3 "
        "0?run:3,accept:6,raise:9,defer 0:accept:6 right=0 stake=6 3?play:4D,play:5D,play:7D 3:7D "
        "3?play:4D,play:5D,hide:4D,hide:5D 3:5D 0?play:4C,play:7C,hide:4C,hide:7C,raise:9",
    ),
    (
        "18 accept, then call on the same turn",
        PAULISTA,
        ("4C5C7C",),
        "3D",
        "0:truco 1:raise:6 2:accept:6 0?play:4C,play:5C,play:7C,raise:9 0:raise:9 1:run:6 score=6-0",
    ),
    (
        "19 twelve in force",
        PAULISTA,
        THIRD,
        "5D",
        "0:truco 1:raise:6 2:raise:9 3:raise:12 0:accept:12 right=null 0:KS 1:6S 2:JS 3:QS 1:7C 2:JC 3:QC "
        "0:6H 0?play:6C,hide:6C 0:6C score=0-0 1?play:4S,hide:4S 1:4S 2:3S 3:4H score=12-0 over",
    ),
    (
        "20 more than is needed",
        {**PAULISTA, "points": (10, 9)},
        (),
        "",
        "0:truco 1?run:1,accept:3,raise:6,defer",
    ),
    (
        "20 limit own",
        {**PAULISTA, "points": (10, 9), "raise_limit": "own"},
        (),
        "",
        "0:truco 1?run:1,accept:3,defer",
    ),
    (
        "20 limit both",
        {**PAULISTA, "points": (10, 9), "raise_limit": "both"},
        (),
        "",
        "0:truco 1?run:1,accept:3,defer",
    ),
    (
        "20 limit own at 10-8",
        {**PAULISTA, "points": (10, 8), "raise_limit": "own"},
        ("4C5C7C", "6C6H6S"),
        "5D",
        "0:truco 1:raise:6 2?run:3,accept:6,defer 2:accept:6 0:4C 1:6C 2? 2:late 3:late 1:6H 2:late 3:late "
        "0:late score=10-12 over",
    ),
    (
        "21 and 22 eleven",
        ELEVEN,
        ("4C5C7C",),
        "3D",
        "vira=3D right=null stake=3 2?accept:3,run:1,defer 2:accept:3 1?play:4C,play:5C,play:7C 1:4C 2:late "
        "3:late 0:late score=11-9 right=null stake=3",
    ),
    ("22 eleven, refused", ELEVEN, (), "", "2:defer 0?accept:3,run:1 0:run:1 score=11-10 deal 2?"),
    (
        "23 eleven, lost",
        ELEVEN,
        ("6C6H",),
        "5D",
        "2:accept:3 1:6C 2:late 3:late 0:late 1:6H 2:late 3:late 0:late score=11-12 over",
    ),
    (
        "24 both at eleven",
        {**PAULISTA, "points": (11, 11)},
        ("5CKD7S", "4HAD2S", "6H6SJC", "3DQH4C"),
        "5H",
        "score=12-11 over",
    ),
    (
        "24 both at eleven, open",
        {**PAULISTA, "points": (11, 11), "both_eleven": "open"},
        ("5CKD7S", "4HAD2S", "6H6SJC", "3DQH4C"),
        "5H",
        "stake=1 right=null vira=5H 0?play:5C,play:KD,play:7S 0:5C 1?play:4H,play:AD,play:2S",
    ),
    (
        "25 the ladder of mineiro",
        MINEIRO,
        (),
        "",
        "stake=2 vira=null manilhas=4C7HAS7D 0:truco 1?run:2,accept:4,raise:6,defer 1:raise:6 "
        "2?run:4,accept:6,raise:10,defer 2:raise:10 3?run:6,accept:10,raise:12,defer 3:raise:12 "
        "0?run:10,accept:12,defer 0:accept:12 stake=12",
    ),
    (
        "26 mineiro at ten, refused",
        {**MINEIRO, "points": (10, 8)},
        (),
        "",
        "stake=4 0?accept:4,run:2,defer 0:run:2 score=10-10 stake=2 deal over",
    ),
    (
        "26 mineiro at ten, lost",
        {**MINEIRO, "points": (10, 8)},
        ("5C5H5S", "4C7HAS"),
        "",
        "0:accept:4 0:late 1:4C 2:late 3:late 1:7H 2:late 3:late 0:late score=10-12 over",
    ),
    (
        "27 two seats",
        {**PAULISTA, "seats": 2, "dealer": 1},
        ("AS3D", "AH3H"),
        "2C",
        "manilhas=3C3H3S3D 0:AS 1:AH 0? 0:truco 1?run:1,accept:3,raise:6 1:accept:3 0:3D 1:3H score=0-3",
    ),
    (
        "27 two seats at eleven",
        {**PAULISTA, "seats": 2, "dealer": 1, "points": (11, 4)},
        (),
        "",
        "0?accept:3,run:1 0:run:1 score=11-5",
    ),
    ("28 a late seat", PAULISTA, ("4D5S5H",), "3C", "late=play:5S 0:late"),
    (
        "30 the base game is untouched",
        {},
        ("3S", "3H", "4D", "5D"),
        "",
        "0:keep 0:3S 1:truco 2:accept:3 1:3H 2:4D 3:5D score=3-0",
    ),
    (
        "30 a tie after a call in paulista",
        PAULISTA,
        ("3S", "3H", "4D", "5D"),
        "6D",
        "0:3S 1:truco 2:accept:3 1:3H 2:4D 3:5D 0? score=0-0 stake=3",
    ),
    (
        "31 skipped last cards",
        {**PAULISTA, "face_down": "never"},
        THIRD,
        "5D",
        "0:truco 1:accept:3 0:KS 1:6S 2:JS 3:QS 1:7C 2:JC 3:QC 0:6H 1?play:4S,raise:6",
    ),
    (
        "33 trick scope with other stakes",
        {**MINEIRO, "truco_scope": "trick"},
        ("5C", "4C", "5H", "5S"),
        "",
        "right=either 0:truco right=1 1?run:2,accept:4,raise:6,defer 1:accept:4 right=null 0:5C 1:4C 2:5H "
        "3:5S score=0-4 deal 1?",
    ),
    (
        "36 limit both with level scores",
        {**PAULISTA, "points": (9, 9), "raise_limit": "both"},
        (),
        "",
        "0:truco 1?run:1,accept:3,defer",
    ),
    (
        "36 limit both with 10-0",
        {**PAULISTA, "points": (10, 0), "raise_limit": "both"},
        (),
        "",
        "0:truco 1?run:1,accept:3,raise:6,defer",
    ),
    (
        "TV-6.10 no call in the first trick",
        {**PAULISTA, "truco_from": "after_first_trick"},
        ("6C4S7D", "4C", "4H", "4D"),
        "5D",
        "0?play:6C,play:4S,play:7D 0:6C 1:4C 2:4H 3:4D 0?play:4S,play:7D,hide:4S,hide:7D,truco",
    ),
]


@pytest.mark.parametrize(
    ("given", "hands", "vira", "script"),
    [example[1:] for example in EXAMPLES],
    ids=[example[0] for example in EXAMPLES],
)
def test_worked_examples(given: dict[str, Any], hands: tuple[str, ...], vira: str, script: str) -> None:
    """The examples of the specification. Hands come in the order of the deal; in the script ``0:4C`` is the
    play of seat 0, ``0:x4C`` face down, and ``0?`` says who is awaited, with which actions if any follow.
    """
    given = {"cut": "none", **given}
    ours, theirs = given.pop("points", (0, 0))
    dealer = given.pop("dealer", 3)
    table = Table(given)
    table.start(ours, theirs, dealer)
    table.deal(*hands, vira=vira)
    for step in script.split():
        public = table.reference.public()
        if step == "deal":
            table.deal()
        elif step == "over":
            assert table.reference.over
        elif "=" in step:
            name, value = step.split("=")
            seen = {
                **public,
                "late": table.reference.late() if name == "late" else "",
                "score": "-".join(map(str, public["score"])),
                "manilhas": "".join(public["manilhas"] or []),
                "right": "null" if public["right"] is None else public["right"],
                "vira": public["vira"] or "null",
            }
            assert str(seen[name]) == value, step
        elif "?" in step:
            seat, actions = step.split("?")
            assert table.awaited == int(seat), step
            if actions:
                assert table.reference.legal(int(seat)) == set(actions.split(",")), step
        else:
            seat, action = step.split(":", 1)
            assert table.awaited == int(seat), step
            if action == "late":
                action = table.reference.late()
            elif action.removeprefix("x") in table.pack:
                action = ("hide:" if action[0] == "x" else "play:") + action.removeprefix("x")
            table.apply(int(seat), action)


@pytest.mark.parametrize(("seats", "place"), [(4, 13), (2, 7)])
def test_the_vira_after_a_cut(seats: int, place: int) -> None:
    """Example 32."""
    given = {**PAULISTA, "pack": "clean", "cut": "player", "seats": seats}
    for lifted in range(1, 24):
        for end in ("top", "bottom"):
            table = Table(given)
            table.apply(CHANCE, "dealer:0")
            table.deal()
            assert table.awaited == seats - 1
            assert "cut:24:top" not in table.reference.options
            table.apply(seats - 1, f"cut:{lifted}:{end}")
            cards = table.log[1][1][5:]
            pack = [cards[i : i + 2] for i in range(0, 48, 2)]
            pack = pack[lifted:] + pack[:lifted]
            assert table.reference.vira == (pack if end == "top" else pack[::-1])[place - 1]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({**PAULISTA, "exchange": True}, "exchange"),
        ({**MINEIRO, "pack": "clean"}, "pack"),
        ({**PAULISTA, "seats": 2, "signals": "table"}, "signals"),
        ({"variant": "base", "seats": 2}, "exchange"),
        ({**MINEIRO, "max_burns": 3}, "max_burns"),
        ({"seats": 3}, "seats"),
        ({**PAULISTA, "manilhas": "fixed"}, None),
        ({**MINEIRO, "manilhas": "turned", "pack": "clean"}, None),
        ({"variant": "base", "exchange": False, "seats": 2}, None),
        ({**MINEIRO, "exchange": True}, None),
    ],
)
def test_refused_rules_of_the_examples(given: dict[str, Any], field: str | None) -> None:
    """Examples 29 and 35."""
    assert [option.split("=")[0] for option in clash(given)[:1]] == ([field] if field else [])
    check_refusal(given)
    if field is None:
        assert completed(given)["max_burns"] == (3 if completed(given)["exchange"] else 0)
