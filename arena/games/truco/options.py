"""The rule options of Brazilian Truco and their meaning (docs/rules/truco-variants.md, TV-x.y)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from arena.games.options import Option, OptionSet, Refusal, Rules, RuleValue
from arena.games.truco.cards import FIXED, LADDERS, PACKS, TARGET, Order, Pack

_PER_VARIANT: Final = "variant"

OPTIONS: Final = OptionSet(
    "truco",
    (
        Option(
            "variant",
            "base",
            "the variant that sets the defaults of the other options (TV-1.1)",
            ("base", "paulista", "mineiro"),
            later=True,
        ),
        Option("seats", 4, "the number of players, two or four (TV-2.1)", low=2, high=4, later=True),
        Option(
            "pack",
            "full",
            "the pack: 40 cards, or the 24 cards with ranks from Q to 3 (TV-3.1)",
            ("full", "clean"),
            later=True,
        ),
        Option(
            "manilhas",
            "fixed",
            "which cards are the manilhas: fixed cards, or determined by a turned card (TV-3.2, TV-3.3)",
            ("fixed", "turned"),
            follows=_PER_VARIANT,
            defaults={"paulista": "turned"},
            later=True,
        ),
        Option(
            "cut",
            "player",
            "who cuts the pack: the cutting seat, or nobody (BT-2.2)",
            ("player", "none"),
            follows=_PER_VARIANT,
            defaults={"paulista": "none", "mineiro": "none"},
        ),
        Option(
            "exchange",
            True,
            "whether the forehand can pass and burn hands (BT-2.3, TV-4.3)",
            follows=_PER_VARIANT,
            defaults={"paulista": False, "mineiro": False},
            later=True,
        ),
        Option(
            "max_burns",
            3,
            "the maximum number of hands that the forehand can burn (BT-2.4)",
            low=0,
            high=9,
            follows="exchange",
            defaults={False: 0},
        ),
        Option(
            "stakes",
            LADDERS[0],
            "the possible values of a hand, in ascending steps (TV-6.1)",
            LADDERS,
            follows=_PER_VARIANT,
            defaults={"mineiro": LADDERS[1]},
            later=True,
        ),
        Option(
            "truco_scope",
            "trick",
            "whether the trick under truco alone decides the hand, or all its tricks (BT-4.5, TV-6.8)",
            ("trick", "hand"),
            follows=_PER_VARIANT,
            defaults={"paulista": "hand", "mineiro": "hand"},
            later=True,
        ),
        Option(
            "truco_from",
            "any",
            "the first trick in which truco can be called (TV-6.10)",
            ("any", "after_first_trick"),
            later=True,
        ),
        Option(
            "raise_limit",
            "none",
            "who cannot raise because the stake is enough to win: nobody, a team that would win with it, or "
            "both teams if even the one behind would win with it (TV-6.9)",
            ("none", "own", "both"),
            later=True,
        ),
        Option(
            "face_down",
            "any",
            "when a card can be played face down (BT-3.2)",
            ("any", "after_first_trick", "never"),
            follows=_PER_VARIANT,
            defaults={"paulista": "after_first_trick", "mineiro": "after_first_trick"},
        ),
        Option(
            "tie_lead",
            "first_best",
            "who leads after a tied trick: the player of the first of the best cards, or its leader (TV-5.4)",
            ("first_best", "opener"),
            later=True,
        ),
        Option(
            "all_tied",
            "nobody",
            "who scores if all three tricks are tied (TV-5.5)",
            ("nobody", "forehand"),
            later=True,
        ),
        Option(
            "both_eleven",
            "blind",
            "how the hand is played if both teams are one hand from winning (TV-7.5)",
            ("blind", "open"),
            later=True,
        ),
        Option("signals", "off", "whether gestures are part of the game (BT-6.2)", ("off", "table")),
        Option("max_hands", 100, "the number of hands after which the game ends (BT-1.7)", low=1, high=1000),
    ),
    refused=(
        Refusal({"seats": (3,)}, "Truco is for two or four players"),
        Refusal({"exchange": (True,), "seats": (2,)}, "there is no partner to pass to"),
        Refusal(
            {"exchange": (True,), "manilhas": ("turned",)},
            "the rules do not say whether the forehand chooses before or after a card is turned",
        ),
        Refusal({"exchange": (True,), "pack": ("clean",)}, "24 cards are not enough to burn hands"),
        Refusal({"max_burns": range(1, 10), "exchange": (False,)}, "there is nothing to burn"),
        Refusal(
            {"pack": ("clean",), "manilhas": ("fixed",)}, "three of the four manilhas are not in that pack"
        ),
        Refusal({"signals": ("table",), "seats": (2,)}, "there is nobody to signal to"),
    ),
)
"""The combinations that are refused (TV-1.3)."""


class TrucoRules:
    """The options of one game in a form that is quick to use. They never change, so copies of a state share
    them.

    ``seats`` is two or four. Seat numbers wrap around with ``mask``. Shifting the index of a card on the
    table by ``shift`` gives the index of its trick. A hand is worth ``low`` at first, or ``threshold_stake``
    if only one team has ``threshold`` points. ``next_stake`` is the ladder of further stakes. ``answers``
    lists the answers to a call, by the value of the hand if the team runs. ``eleven_answers`` lists the
    answers of a team with ``threshold`` points.
    """

    __slots__ = (
        "all_tied_to_forehand",
        "answers",
        "blind",
        "call_words",
        "cut",
        "eleven_answers",
        "exchange",
        "face_down_from",
        "first_calls",
        "limit",
        "low",
        "mask",
        "max_burns",
        "max_hands",
        "next_stake",
        "opener_leads",
        "options",
        "pack",
        "seats",
        "shift",
        "signals",
        "stakes",
        "step_of",
        "stored",
        "threshold",
        "threshold_stake",
        "truco_from",
        "turned",
        "whole_hand",
    )

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options: dict[str, RuleValue] = dict(options)
        self.stored: dict[str, RuleValue] = OPTIONS.stored(self.options)
        self.seats: int = options["seats"]
        self.mask: int = self.seats - 1
        self.shift: int = self.seats >> 1
        self.pack: Pack = PACKS[options["pack"]]
        self.turned: bool = options["manilhas"] == "turned"
        self.cut: bool = options["cut"] == "player"
        self.exchange: bool = options["exchange"]
        self.max_burns: int = options["max_burns"]
        self.max_hands: int = options["max_hands"]
        self.face_down_from: int = {"any": 1, "after_first_trick": 2, "never": 4}[options["face_down"]]
        """The number of the first trick in which a card can be hidden."""
        self.truco_from: int = {"any": 1, "after_first_trick": 2}[options["truco_from"]]
        """The number of the first trick in which truco can be called."""
        self.signals: bool = options["signals"] == "table"
        self.whole_hand: bool = options["truco_scope"] == "hand"
        self.limit: str = options["raise_limit"].replace("none", "")
        self.opener_leads: bool = options["tie_lead"] == "opener"
        self.all_tied_to_forehand: bool = options["all_tied"] == "forehand"
        self.blind: bool = options["both_eleven"] == "blind"
        self._read_stakes([int(value) for value in options["stakes"].split("-")])

    def _read_stakes(self, stakes: list[int]) -> None:
        partner = ("defer",) if self.seats > 2 else ()
        self.stakes: tuple[int, ...] = tuple(stakes)
        self.low: int = stakes[0]
        self.threshold_stake: int = stakes[1]
        self.threshold: int = TARGET - self.low
        self.step_of: dict[int, int] = {stake: step for step, stake in enumerate(stakes)}
        self.next_stake: dict[int, int] = dict(pairwise(stakes))
        self.call_words: dict[int, str] = {
            stake: f"raise:{value}" if stake > self.low else "truco"
            for stake, value in self.next_stake.items()
        }
        """The action with which a seat proposes the next stake on its turn, by the value of the hand
        (TV-6.3).
        """
        self.first_calls: tuple[str, str] = ("truco", "truco") if self.truco_from == 1 else ("", "")
        """The calls that each team can make at the first lead of a hand."""
        self.answers: dict[int, tuple[str, ...]] = {}
        for stake, value in self.next_stake.items():
            higher = (f"raise:{self.next_stake[value]}",) if value in self.next_stake else ()
            self.answers[stake] = (f"run:{stake}", f"accept:{value}", *higher, *partner)
        self.eleven_answers: tuple[str, ...] = (f"run:{self.low}", f"accept:{self.threshold_stake}", *partner)

    def order(self, vira: int) -> Order:
        """Return the order of the cards with this vira, or with fixed manilhas if there is no vira."""
        return self.pack.orders.get(vira, FIXED) if self.turned else FIXED


@lru_cache(maxsize=64)
def _cached_rules(options: tuple[tuple[str, RuleValue], ...]) -> TrucoRules:
    return TrucoRules(dict(options))


def rules_from(options: Rules) -> TrucoRules:
    """Return the rules for complete and valid options; see ``OPTIONS.complete``."""
    return _cached_rules(tuple(options.items()))
