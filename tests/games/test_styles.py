"""What is counted about how seats play, on hands that are written down."""

from __future__ import annotations

from arena.games import GAMES
from arena.games.toepen import style as toepen
from arena.games.truco import style as truco

DEAL = [
    ("hand", 3, 1, 0, 0),
    ("dealt", 0, ("4D", "5D", "6D"), False),
    ("kept", 0),
    ("dealt", 1, ("3C", "5C", "6C"), False),
    ("dealt", 2, ("4C", "5S", "6S"), False),
    ("dealt", 3, ("KC", "QC", "JC"), False),
]


def of(module: object, events: list[tuple[object, ...]], seats: int = 4) -> list[dict[str, tuple[int, int]]]:
    """The counts by seat and name, without those that are 0 of 0."""
    game = GAMES[module.__name__.split(".")[-2]]  # type: ignore[attr-defined]
    rules = game.options.complete(game.rules_for({}, seats))
    return [
        {
            figure.name: (counts[0], counts[1])
            for figure, counts in zip(module.FIGURES, own, strict=True)  # type: ignore[attr-defined]
            if counts[1]
        }
        for own in module.count(events, rules)  # type: ignore[attr-defined]
    ]


def test_a_bluff_that_the_others_believe() -> None:
    caller, runner, *_ = of(
        truco, [*DEAL, ("truco", 0, 3), ("run", 1, 1), ("hand_over", -1, 0, 1, 1, 0, "run")]
    )
    assert caller == {"calls": (1, 1), "wins_after_call": (1, 1), "bluffs": (1, 1)}
    assert runner == {"calls": (0, 1), "runs": (1, 1), "raises": (0, 1)}


def test_a_raise_is_an_answer_and_a_call() -> None:
    events = [("truco", 0, 3), ("raise", 1, 6), ("defer", 0), ("accept", 2, 6)]
    first, second, third, _ = of(truco, [*DEAL, *events, ("hand_over", -1, 0, 6, 6, 0, "tricks")])
    assert second == {
        "calls": (0, 1),
        "runs": (0, 1),
        "raises": (1, 1),
        "wins_after_call": (0, 1),
        "bluffs": (0, 1),
    }
    assert third == {"calls": (0, 1), "runs": (0, 1), "raises": (0, 1)}
    assert "runs" not in first


def test_who_has_a_trick_or_a_high_card_does_not_bluff() -> None:
    def bluffs(*events: tuple[object, ...]) -> tuple[int, int]:
        return of(truco, [*DEAL, *events, ("truco", events[-1][1], 3)])[int(str(events[-1][1]))]["bluffs"]

    assert bluffs(("play", 0, "4D")) == (1, 1)
    assert bluffs(("trick", 0, 1, 0), ("play", 0, "4D")) == (0, 1)
    assert bluffs(("trick", 0, 1, 1), ("play", 0, "4D")) == (1, 1)
    assert bluffs(("play", 1, "5C")) == (0, 1), "it holds a three"
    assert bluffs(("play", 1, "3C")) == (1, 1), "the three is played"
    assert bluffs(("hide", 2, "5S")) == (0, 1), "it holds the zap"


def test_the_decision_at_eleven_is_no_answer() -> None:
    counts = of(truco, [*DEAL, ("run", 0, 1), ("hand_over", -1, 1, 1, 11, 1, "run")])
    assert counts == [{"calls": (0, 1)}] * 4


def test_cards_that_are_passed_are_the_partners() -> None:
    events = [*DEAL[:2], ("passed", 0, ("4D", "5D", "6D")), ("dealt", 0, ("AS", "5H", "6H"), False), DEAL[2]]
    assert of(truco, [*events, ("truco", 0, 3)])[0]["bluffs"] == (0, 1)
    assert of(truco, [*events, ("truco", 2, 3)])[2]["bluffs"] == (1, 1)


def test_bluffs_at_toepen_are_of_cards() -> None:
    hand = [("hand", 0, 1, 1, 1, (10, 10)), ("dealt", 0, "TSJSQSKS"), ("dealt", 1, "JHQHKHAH")]
    events = [
        ("exchange", 0, "TSJSQSKS"),
        ("challenge", 1, 0, "TSJSQSKS", 0),
        ("exchange", 1, "JHQHKHAH"),
        ("challenge", 0, 1, "JHQHKHAH", 0),
        ("exchange", 0, "7SJDQDKD"),
        ("trust", 1, 0),
        ("knock", 1, 2),
        ("stay", 0, 2),
        ("knock", 0, 3),
        ("fold", 1, 2),
        ("knock", 0, 4),
    ]
    first, second = of(toepen, [*hand, *events], 2)
    assert first == {
        "knocks": (1, 1),
        "folds": (0, 1),
        "exchanges": (1, 1),
        "bluffs": (2, 2),
        "bluffs_caught": (1, 2),
        "catches": (0, 1),
    }
    assert second == {
        "knocks": (1, 1),
        "folds": (1, 1),
        "exchanges": (1, 1),
        "bluffs": (0, 1),
        "catches": (1, 1),
    }
