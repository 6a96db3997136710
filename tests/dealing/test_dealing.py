"""Properties of deals, seeds and seatings."""

from __future__ import annotations

import random
from collections import Counter
from hashlib import sha256
from itertools import permutations
from math import factorial

import pytest

from arena.games.cards import pack, split_cards
from arena.games.kernel import Chance
from arena.play.dealing import (
    Dealer,
    Entry,
    InvalidNonce,
    InvalidSeed,
    bot_seed,
    commitment,
    entries_hash,
    game_seed,
    group_seed,
)
from arena.play.seatings import seatings

SEED = sha256(b"a seed").digest()
PACK = pack("4567QJKA23")


def deal(seed: bytes = SEED, nonces: tuple[str, ...] = ("", "", "", ""), hand: int = 1) -> str:
    return Dealer(seed, nonces).action(Chance("deal", hand, PACK))


def chi_square(counts: Counter[str], categories: int) -> float:
    mean = counts.total() / categories
    seen = sum((count - mean) ** 2 / mean for count in counts.values())
    return seen + (categories - len(counts)) * mean


def test_a_deal_is_a_permutation_of_the_pack() -> None:
    action = deal()
    assert action.startswith("deal:")
    assert sorted(split_cards(action.removeprefix("deal:"))) == sorted(PACK)


def test_a_dealer_is_stateless() -> None:
    dealer = Dealer(SEED, ["", "", "", ""])
    later = dealer.action(Chance("deal", 7, PACK))
    assert dealer.action(Chance("deal", 1, PACK)) == deal()
    assert dealer.action(Chance("deal", 7, PACK)) == later


def test_everything_that_a_deal_depends_on_changes_it() -> None:
    variants = [
        deal(),
        deal(hand=2),
        deal(seed=bytes(32)),
        deal(nonces=("", "", "", "x")),
        deal(nonces=("x", "", "", "")),
        deal(nonces=("", "", "")),
        deal(nonces=("ab", "c", "", "")),
        deal(nonces=("a", "bc", "", "")),
        deal(nonces=("abc", "", "", "")),
    ]
    assert len(set(variants)) == len(variants)


def test_all_orders_of_a_small_pack_are_equally_likely() -> None:
    dealer = Dealer(SEED, ["", ""])
    items = ["4C", "5C", "6C", "7C", "QC"]
    counts = Counter(dealer.action(Chance("deal", hand, items)) for hand in range(1, 24_001))
    assert set(counts) == {"deal:" + "".join(order) for order in permutations(items)}
    # 119 degrees of freedom: mean 119, standard deviation 15.4.
    assert 119 - 5 * 15.4 < chi_square(counts, factorial(5)) < 119 + 5 * 15.4


def test_every_card_is_equally_likely_in_every_position() -> None:
    dealer = Dealer(SEED, ["", "", "", ""])
    deals = [split_cards(dealer.action(Chance("deal", hand, PACK))[5:]) for hand in range(1, 8_001)]
    for position in range(40):
        counts = Counter(cards[position] for cards in deals)
        # 39 degrees of freedom: mean 39, standard deviation 8.8; forty positions are looked at.
        assert chi_square(counts, 40) < 39 + 5.5 * 8.8


def test_every_seat_is_equally_likely_to_deal_first() -> None:
    for seats in (3, 4, 7):
        items = [str(seat) for seat in range(seats)]
        dealers = (Dealer(SEED, [str(game), *[""] * (seats - 1)]) for game in range(6_000))
        counts = Counter(dealer.action(Chance("dealer", 1, items)) for dealer in dealers)
        assert set(counts) == {f"dealer:{seat}" for seat in range(seats)}
        assert chi_square(counts, seats) < 30


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_a_seed_has_32_bytes(seed: bytes) -> None:
    calls = (
        lambda: Dealer(seed, []),
        lambda: commitment(seed),
        lambda: group_seed(seed, bytes(32), "g"),
        lambda: group_seed(SEED, seed, "g"),
        lambda: game_seed(seed, 0, True),
        lambda: game_seed(seed, 0, False),
        lambda: bot_seed(seed, 0),
    )
    for call in calls:
        with pytest.raises(InvalidSeed, match="32 bytes"):
            call()


@pytest.mark.parametrize("nonce", ["a b", "é", "\n", "a\n", "\ud800", "x" * 65])
def test_a_nonce_is_visible_ascii(nonce: str) -> None:
    with pytest.raises(InvalidNonce, match=r"nonces\[1\]"):
        Dealer(SEED, ["fine", nonce])
    with pytest.raises(InvalidNonce, match="nonce of ann"):
        entries_hash([Entry("ann", "1", nonce)])


def test_the_entries_hash_ignores_order_and_nothing_else() -> None:
    entries = [Entry("ann", "1", "n"), Entry("bob", "2"), Entry("cy", "1", "m")]
    shuffled = random.Random(1).sample(entries, k=3)
    assert shuffled != entries
    assert entries_hash(shuffled) == entries_hash(entries)
    others = [
        entries[:2],
        [*entries, entries[0]],
        [Entry("ann", "1", "x"), *entries[1:]],
        [Entry("ann", "3", "n"), *entries[1:]],
        [Entry("ann1", "", "n"), *entries[1:]],
    ]
    assert len({entries_hash(other) for other in [entries, *others]}) == len(others) + 1


def test_seeds_of_groups_games_and_bots_are_all_different() -> None:
    entries = entries_hash([Entry("ann", "1")])
    group = group_seed(SEED, entries, "g1")
    seeds = [
        SEED,
        group,
        group_seed(SEED, entries, "g1", attempt=1),
        group_seed(SEED, entries, "g2"),
        group_seed(SEED, entries_hash([]), "g1"),
        *(game_seed(group, index, mirrored=False) for index in range(4)),
        *(bot_seed(group, seat).to_bytes(32) for seat in range(4)),
    ]
    assert len(set(seeds)) == len(seeds)


def test_games_of_a_mirrored_group_have_its_seed_so_its_commitment_is_theirs() -> None:
    assert {game_seed(SEED, index, mirrored=True) for index in range(4)} == {SEED}


def test_two_teams_are_swapped() -> None:
    assert seatings(((0, 2), (1, 3)), ["a1", "b1", "a2", "b2"]) == [
        ["a1", "b1", "a2", "b2"],
        ["b1", "a1", "b2", "a2"],
    ]


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_lone_players_sit_on_every_seat_once(seats: int) -> None:
    players = [f"p{n}" for n in range(seats)]
    games = seatings([(seat,) for seat in range(seats)], players)
    assert len(games) == seats
    assert games[0] == players
    assert all(sorted(column) == players for column in zip(*games, strict=True))
    neighbours = {frozenset(zip(game, game[1:] + game[:1], strict=True)) for game in games}
    assert len(neighbours) == 1
