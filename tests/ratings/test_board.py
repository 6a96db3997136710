"""Leaderboards: the digits, who is ranked how, versions, titles, and their forms."""

from __future__ import annotations

import csv
import io
import itertools
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from arena.games.toepen.titles import Style
from arena.play.board_names import lacking
from arena.play.players import PlayerId
from arena.ratings.board import (
    ANCHOR_RATING,
    CSV_HEADINGS,
    METHOD,
    RETIRED_DAYS,
    SETTLED_GROUPS,
    Board,
    Row,
    Title,
    board,
    boards,
    boards_csv,
)
from arena.ratings.results import GroupResult
from arena.ratings.supplement import PROVEN_PARTIES, BotFacts, Party, Supplement, name_digest
from tests.ratings.made_up import group, league
from tests.ratings.recompute import Found, rated, recompute

FAST = 60


def made(groups: Sequence[GroupResult], kind: str = "toepen", replicates: int = FAST) -> Board:
    return board(groups, kind, "sealed", replicates=replicates)


def row(found: Board, name: str) -> Row:
    (own,) = [own for own in found.rows if own.name == name]
    return own


def duels(count: int, first: str, second: str, won: int, **keywords: int) -> list[GroupResult]:
    """``count`` groups of two games, of which ``first`` wins ``won`` and the others are shared."""
    return [
        group(f"{first}-{second}-{number}", [first, second], "12", "12" if number < won else "21", **keywords)
        for number in range(count)
    ]


# The digits


def tables_with_everything() -> list[GroupResult]:
    """Tables of 2, 3 and 4, ties, forfeits by one and by two, versions, a bot with few groups."""
    rng = random.Random(7)
    groups = league(12)
    for number in range(30):
        seats = ["rookie@2", "a", "b", "c@2"]
        rng.shuffle(seats)
        digits = ["".join(rng.choice("1234") for _ in range(4)) for _ in range(4)]
        places = ["".join(str(1 + sum(x < y for x in row)) for y in row) for row in digits]
        groups.append(group(f"t{number}", seats, *places))
        groups.append(group(f"s{number}", ["a", "b", "c"], "123", "213", rng.choice(["321", "111"])))
    for number in range(4):
        groups.append(group(f"f{number}", ["b", "rookie"], "12", "12", forfeits=[(), (1,)]))
        groups.append(group(f"g{number}", ["b", "a"], "21", "12", forfeits=[(0,), ()], late=number > 1))
        groups.append(group(f"h{number}", ["d", "a", "c"], "231", "132", "123", forfeits=[(0,), (1,), ()]))
    # a2 is current again since the groups of a10, which ended no later than some of a2's.
    for number, (version, moment) in enumerate([("2", 100), ("10", 200), ("2", 200), ("2", 300)] * 4):
        forfeits = [(0,), (1,)] if number in (3, 8) else [(), (0,)] if number == 7 else []
        pair = [f"v@{version}", "a"]
        groups.append(group(f"v{number}", pair, "12", "21", forfeits=forfeits, finished_ms=moment))
    return [*groups, group("e0", ["e", "a"], "11", "12")]


def pairs_with_everything() -> list[GroupResult]:
    """Partners who are one bot and partners who are not, and forfeits."""
    rng = random.Random(8)
    groups = []
    for number in range(60):
        first, second, third = rng.sample(["rookie", "a", "b", "c"], 3)
        for names in ([first, second] * 2, [first, second, third, second]):
            places = rng.choice(["1212", "2121", "1111"]), rng.choice(["1212", "2121"])
            key = f"{number} {' '.join(names)}"
            forfeits: list[tuple[int, ...]] = [(1,), ()] if number % 15 == 0 else []
            groups.append(group(key, names, *places, kind="truco", forfeits=forfeits))
    return groups


def lucky(own: GroupResult) -> GroupResult:
    """The group with made-up luck, mostly of the winners, if it is one of two teams; in some games it was not
    measured.
    """
    if len(own.teams) != 2:
        return own
    games = []
    for game in own.games:
        luck = int.from_bytes(bytes.fromhex(game.hash)[:3]) - (1 << 23)
        won = 200_000 if game.places[own.teams[0][0]] == 1 else -200_000
        games.append(game._replace(luck=None if luck % 50 == 0 else won + luck // 64))
    return GroupResult(
        own.kind, own.id, own.size, own.mirrored, own.teams, games, own.annulled, preset=own.preset
    )


def ranked_players(board: Board) -> list[PlayerId]:
    return [rated(PlayerId(own.name, own.rating.version)) for own in board.rows if not own.rating.provisional]


def check_ranks(board: Board, again: Mapping[PlayerId, Found]) -> None:
    ranked = ranked_players(board)
    for own in board.rows:
        player = rated(PlayerId(own.name, own.rating.version))
        worse = sum(player in again[other].better for other in ranked)
        expected = (1 + len(again[player].better), len(ranked) - worse) if player in ranked else (None, None)
        assert (own.rank, own.worst_rank) == expected, own.name


@pytest.mark.parametrize(
    ("kind", "groups"), [("toepen", tables_with_everything()), ("truco", pairs_with_everything())]
)
def test_the_page_alone_gives_the_published_digits(kind: str, groups: list[GroupResult]) -> None:
    groups = [lucky(own) for own in groups]
    found = made(groups, kind)
    again = recompute([own for own in groups if own.counts_for], FAST, ranked_players(found))
    kinds = set()
    with_luck = set()
    for own in found.rows:
        for rating in own.versions:
            expected = again[rated(PlayerId(own.name, rating.version))]
            bounds = expected.settled if rating.groups >= 30 else expected.likelihood
            assert (rating.rating, (rating.low, rating.high)) == (expected.rating, bounds), own.name
            if rating.adjusted is not None and own.name != "rookie":
                adjusted = (rating.adjusted, rating.adjusted_low, rating.adjusted_high)
                assert adjusted == expected.adjusted, own.name
                assert adjusted[0] != rating.rating
                with_luck.add(own.name)
            kinds.add((rating.groups >= 30, rating.forfeits > 0))
    check_ranks(found, again)
    assert kinds >= {(True, True), (True, False)}
    assert (kind == "truco") or kinds >= {(False, True), (False, False)}
    assert with_luck >= {"a", "b", "c"}


def test_a_rating_less_luck_is_never_less_certain() -> None:
    groups = duels(40, "a", "rookie", 26)
    with_luck = [lucky(own) for own in groups]
    for games in (with_luck, [_unlucky(own) for own in with_luck]):
        rating = row(made(games), "a").rating
        again = recompute(games, FAST, ranked_players(made(games)))[PlayerId("a", "1")]
        assert again.adjusted is not None
        narrower = again.adjusted[2] - again.adjusted[1] <= again.settled[1] - again.settled[0]
        assert narrower == (games is with_luck)
        assert (rating.adjusted is not None) == narrower


def _unlucky(own: GroupResult) -> GroupResult:
    """The group with the opposite luck."""
    games = [game._replace(luck=None if game.luck is None else -game.luck) for game in own.games]
    setting = (own.kind, own.id, own.size, own.mirrored, own.teams)
    return GroupResult(*setting, games, preset=own.preset)


def test_the_anchor_stands_at_exactly_1500_with_all_its_versions() -> None:
    groups = duels(40, "rookie@1", "a", 10, finished_ms=5) + [
        group(f"x{number}", "rookie@2 b", "12", "21", finished_ms=9) for number in range(3)
    ]
    found = made(groups)
    anchor = row(found, "rookie").rating
    assert (anchor.rating, anchor.low, anchor.high, anchor.provisional) == (1500.0, 1500.0, 1500.0, False)
    assert (anchor.version, anchor.groups, anchor.games) == ("2", 43, 86)
    assert len(row(found, "rookie").versions) == 1
    assert found.anchored


def test_neither_order_nor_copies_change_the_board() -> None:
    groups = tables_with_everything()
    expected = made(groups)
    for seed in range(3):
        shuffled = groups + groups[:20]
        random.Random(seed).shuffle(shuffled)
        assert made(shuffled) == expected


def test_the_intervals_follow_from_the_records() -> None:
    found = made(league(20))
    assert made(league(20)) == found
    assert found.records_hash != made(league(21)).records_hash
    assert made(league(20), replicates=FAST + 1).rows != found.rows


def test_a_bot_that_lost_every_game_has_a_finite_rating() -> None:
    rating = row(made(duels(60, "rookie", "a", 60)), "a").rating
    assert -100 < rating.low < rating.rating < rating.high < 1500


def test_who_loses_nearly_always_has_the_wide_interval_of_the_likelihood() -> None:
    """All of its groups are alike, so that drawing them again does not change them."""
    lost, once = (row(made(duels(60, "rookie", "a", won)), "a").rating for won in (60, 59))
    assert lost.high - lost.low > 2 * 400
    assert once.high - once.low > 2 * 200
    even = row(made(duels(60, "rookie", "a", 30)), "a").rating
    assert even.high - even.low < 2 * 80


def test_a_board_says_by_which_method_it_was_computed() -> None:
    found = made(league(5))
    assert found.as_json()["method"] == METHOD == 5
    assert Board.from_json(found.as_json()).method == METHOD


# Who counts


def test_a_board_of_nothing_is_empty() -> None:
    found = made([])
    assert (found.rows, found.groups, found.records, found.anchored) == ((), 0, 0, False)
    assert "0 groups, 0 records" in found.as_text()
    assert boards([]) == []


def test_each_game_and_division_has_its_own_board() -> None:
    groups = [
        group(1, "rookie a b c", *["1234"] * 4),
        group(2, "rookie b", "12", "12", mirrored=False),
        group(3, "rookie a rookie a", "1212", "1212", kind="truco"),
        group(4, "rookie z", "12", size=2, mirrored=False),
        group(5, "rookie z rookie z", "1212", size=2, kind="truco", mirrored=False),
    ]
    found = boards(groups, replicates=FAST)
    assert [(own.kind, own.division, own.groups, own.records) for own in found] == [
        ("toepen", "open", 1, 2),
        ("toepen", "sealed", 1, 4),
        ("truco", "sealed", 1, 2),
    ]
    assert [own.name for own in found[0].rows] == ["rookie", "b"]
    assert found[1] == made(groups)


def test_forfeits_cost_only_the_forfeiter() -> None:
    plain = league(15)
    lost = [group(f"x{number}", "a b", "12", "12", forfeits=[(0,), (1,)]) for number in range(10)]
    before, after = made(plain), made(plain + lost)
    for name in ("rookie", "b", "c"):
        assert row(after, name).rating.rating == row(before, name).rating.rating
        assert row(after, name).rating.groups == row(before, name).rating.groups
    a = row(after, "a").rating
    assert a.rating < row(before, "a").rating.rating - 20
    assert (a.forfeits, a.groups) == (10, row(before, "a").rating.groups + 10)


def test_finished_games_of_a_group_that_another_forfeited_count() -> None:
    """As if they had been a group of their own."""
    plain = league(15)
    lost = [group(f"x{number}", "a b", "21", "12", forfeits=[(), (1,)]) for number in range(10)]
    alone = [group(f"y{number}", "a b", "21") for number in range(10)]
    found, expected = made(plain + lost), made(plain + alone)
    for name in ("rookie", "b", "c"):
        assert row(found, name).rating.rating == row(expected, name).rating.rating
        assert row(found, name).rating.games == row(expected, name).rating.games
    a, b = row(found, "a").rating, row(found, "b").rating
    assert a.rating < row(expected, "a").rating.rating
    assert (a.forfeits, a.games) == (10, row(expected, "a").rating.games + 10)
    assert b.rating > row(made(plain), "b").rating.rating


def test_under_30_groups_a_rating_is_provisional_and_comes_after_the_others() -> None:
    found = made(duels(SETTLED_GROUPS, "rookie", "a", 20) + duels(SETTLED_GROUPS - 1, "b", "rookie", 29))
    assert [(own.name, own.rating.provisional) for own in found.rows] == [
        ("rookie", False),
        ("a", False),
        ("b", True),
    ]
    assert row(found, "b").rating.rating > 1600
    assert [own.rank for own in found.rows] == [1, 2, None]


def test_a_player_without_a_chain_of_games_to_the_anchor_is_provisional() -> None:
    groups = duels(40, "rookie", "a", 20) + duels(40, "b", "c", 20)
    found = made(groups)
    assert [own.rating.provisional for own in found.rows if own.name in "bc"] == [True, True]
    linked = made([*groups, group("link", "a b", "12", "21")])
    assert not any(own.rating.provisional for own in linked.rows)


def test_a_long_chain_of_games_connects_too() -> None:
    names = ["rookie", *(f"b{number}" for number in range(80))]
    random.Random(3).shuffle(names)
    groups = [
        group(f"{number} {turn}", pair, "12", "21")
        for number, pair in enumerate(itertools.pairwise(names))
        for turn in range(SETTLED_GROUPS)
    ]
    assert not any(own.rating.provisional for own in made(groups).rows)
    cut = made([own for own in groups if not own.id.startswith("40 ")])
    alone = {own.name for own in cut.rows if own.rating.provisional}
    assert alone in (set(names[:41]), set(names[41:]))


def test_without_the_anchor_the_average_bot_has_its_rating() -> None:
    found = made(duels(40, "a", "b", 20))
    assert not found.anchored
    assert all(own.rating.provisional for own in found.rows)
    assert sum(own.rating.rating for own in found.rows) / 2 == pytest.approx(ANCHOR_RATING, abs=0.1)
    assert "rookie has not played here: 1500 is the rating of the average bot." in found.as_text()


# Ranks and versions


def test_ranks_are_shared_as_long_as_differences_are_not_clear() -> None:
    found = made(league(5, names=["rookie", *"abcdefg"]))
    ranks = [own.rank for own in found.rows if own.rank is not None]
    assert len(ranks) == len(found.rows)
    assert ranks == sorted(ranks)
    assert 2 < len(set(ranks)) < len(ranks)
    ordered = [(own.rank, -own.rating.rating) for own in found.rows]
    assert ordered == sorted(ordered)


def test_two_far_from_the_anchor_are_ranked_by_what_they_know_of_each_other() -> None:
    """Both lead by the few games that the anchor won; among them there are many."""
    groups = [*duels(40, "a", "rookie", 36), *duels(40, "b", "rookie", 36), *duels(300, "a", "b", 60)]
    first, second, anchor = made(groups).rows
    assert (first.name, second.name, anchor.name) == ("a", "b", "rookie")
    assert first.rating.low < second.rating.high
    assert (first.rank, second.rank, anchor.rank) == (1, 2, 3)


def test_who_never_completed_a_game_does_not_appear() -> None:
    never = [group(f"x{number}", "b rookie", "21", "12", forfeits=[(0,), (1,)]) for number in range(40)]
    once = [group(f"y{number}", "c rookie", "12", "12", forfeits=[(0,), ()]) for number in range(40)]
    found = made(league(40, names=["rookie", "a"]) + never + once)
    assert [own.name for own in found.rows] == ["a", "rookie", "c"]
    assert row(found, "c").rating.forfeits == 40
    versions = row(
        made([group(1, "a@1 b", "12", "12", forfeits=[(0,), (1,)]), *duels(1, "a@2", "b", 1)]), "a"
    )
    assert [rating.version for rating in versions.versions] == ["2"]


@pytest.mark.parametrize("seed", range(3))
def test_the_ranks_of_a_large_board_are_those_of_all_pairs(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is left out as too far apart, and however the players are divided."""
    monkeypatch.setattr("arena.ratings.bootstrap._ROWS", 7)
    rng = random.Random(seed)
    names = ["rookie", *(f"b{number}" for number in range(40))]
    groups = []
    for number in range(900):
        i, j = sorted(rng.sample(range(41), 2))
        places = ["12" if rng.random() < 0.5 + (j - i) / 82 else "21" for _ in range(2)]
        groups.append(group(number, [names[j], names[i]], *places))
    found = made(groups)
    ranked = ranked_players(found)
    assert len(ranked) > 30
    check_ranks(found, recompute(groups, FAST, ranked))


def test_each_version_has_its_own_rating_and_the_last_seen_is_current() -> None:
    groups = [
        *duels(31, "a@1", "rookie", 31, finished_ms=1000),
        *duels(31, "rookie", "a@2", 31, finished_ms=2000),
    ]
    own = row(made(groups), "a")
    assert [rating.version for rating in own.versions] == ["2", "1"]
    assert own.rating == own.versions[0]
    assert own.rating.rating < 1500 < own.versions[1].rating
    assert own.best_version == "1"
    assert (own.rating.last_seen_ms, own.versions[1].last_seen_ms) == (2000, 1000)


def test_only_groups_since_a_version_last_became_current_count_for_it() -> None:
    """Who goes back to its luckiest version starts again; the others keep all their groups."""
    lucky = duels(40, "a@1", "rookie", 40, finished_ms=1000)
    other = duels(40, "a@2", "rookie", 20, finished_ms=2000)
    again = [
        group(f"again {number}", "a@1 rookie", "12", "21", finished_ms=3000 + number) for number in range(31)
    ]
    found = made([*again, *lucky, *other])
    own = row(found, "a")
    assert [rating.version for rating in own.versions] == ["1", "2"]
    assert (own.rating.groups, own.rating.games, own.rating.last_seen_ms) == (31, 62, 3030)
    assert own.rating.rating == pytest.approx(1500, abs=30)
    assert row(made([*lucky, *other]), "a").versions[1].rating > 1900
    assert row(found, "rookie").rating.groups == 111
    assert (own.versions_tried, own.rating.provisional) == (2, False)
    assert row(made([*again[:29], *lucky, *other]), "a").rank is None


def test_forfeits_since_a_version_became_current_are_counted() -> None:
    first = duels(3, "a@1", "b", 1, finished_ms=1000)
    middle = duels(3, "a@2", "b", 1, finished_ms=2000)
    lost = [
        group(f"x{number}", "a@1 b", "12", "12", forfeits=[(0,), ()], finished_ms=3000) for number in range(2)
    ]
    gained = [group("y", "b a@1", "12", "12", forfeits=[(0,), ()], finished_ms=3000)]
    rating = row(made([*first, *middle, *lost, *gained]), "a").rating
    assert (rating.groups, rating.games, rating.forfeits) == (3, 5, 2)


def test_a_version_that_only_crashed_does_not_interrupt_another() -> None:
    good = [group(n, "a@1 rookie", "12", "12", finished_ms=1000 + 2000 * (n % 2)) for n in range(40)]
    crashed = [group("x", "a@2 rookie", "12", "12", forfeits=[(0,), (1,)], finished_ms=2000)]
    own = row(made([*good, *crashed]), "a")
    assert (own.rating.version, own.rating.groups, own.versions_tried) == ("1", 40, 2)


def test_who_is_withdrawn_has_no_rank() -> None:
    groups = [*duels(40, "rookie", "a", 30), *duels(40, "rookie", "b", 38), *duels(40, "a", "b", 30)]
    without = made(groups)
    assert [own.name for own in without.rows if own.rank is not None] == ["rookie", "a", "b"]
    supplement = Supplement((Party(True, {name_digest("a"): BotFacts(withdrawn=True)}),))
    found = board(groups, "toepen", "sealed", supplement=supplement, replicates=FAST)
    assert (row(found, "a").retired, row(found, "a").rank) == (True, None)
    assert (row(found, "b").rank, row(found, "b").worst_rank) == (2, 2)
    # Its results still count.
    assert all(own.rating == row(without, own.name).rating for own in found.rows)
    assert (without.has_supplement, found.has_supplement) == (False, True)
    assert f"supplement hash: {supplement.hash}\n" in found.as_text()
    assert "supplement" not in without.as_text()
    assert Board.from_json(json.loads(json.dumps(found.as_json()))) == found


def owned(*proven: str, unproven: Sequence[str] = (), **facts: BotFacts) -> Supplement:
    """A party for each bot, and for ten others that are proven."""
    names = [(name, True) for name in (*proven, *(f"other {number}" for number in range(PROVEN_PARTIES)))]
    return Supplement(
        tuple(
            Party(is_proven, {name_digest(name): facts.get(name, BotFacts())})
            for name, is_proven in [*names, *((name, False) for name in unproven)]
        )
    )


def test_bots_of_owners_who_are_not_proven_move_nobody_else() -> None:
    groups = [*duels(60, "rookie", "a", 10), *duels(60, "rookie", "b", 20), *duels(60, "a", "b", 5)]
    puppets = [*duels(40, "a", "puppet", 40), *duels(40, "puppet", "rookie", 0), *duels(40, "a", "doll", 40)]
    between = duels(40, "puppet", "doll", 40)
    supplement = owned("a", "b", unproven=["puppet", "doll"])
    before = board(groups, "toepen", "sealed", supplement=supplement, replicates=FAST)
    found = board([*groups, *puppets, *between], "toepen", "sealed", supplement=supplement, replicates=FAST)
    for name in ("a", "b"):
        assert row(found, name).rating.rating == row(before, name).rating.rating
        assert row(found, name).rating.groups == row(before, name).rating.groups
    # They are rated and ranked, from their groups with the house and with proven owners.
    puppet, doll = row(found, "puppet"), row(found, "doll")
    assert (puppet.proven, puppet.rating.groups, puppet.rank is None) == (False, 80, False)
    assert doll.rating.groups == 40
    assert doll.rating.rating < row(found, "a").rating.rating - 300
    assert row(found, "a").proven
    # With fewer proven parties, everybody counts.
    few = replace(supplement, parties=supplement.parties[: PROVEN_PARTIES - 1])
    lifted = board([*groups, *puppets], "toepen", "sealed", supplement=few, replicates=FAST)
    assert not few.is_applied
    assert row(lifted, "a").rating.rating > row(before, "a").rating.rating + 30


def test_the_page_alone_gives_the_digits_with_owners_who_are_not_proven() -> None:
    groups = [lucky(own) for own in tables_with_everything()]
    proven = {player.name for own in groups for player in own.players} - {"b"}
    found = board(groups, "toepen", "sealed", supplement=owned(*proven, unproven=["b"]), replicates=FAST)
    again = recompute([own for own in groups if own.counts_for], FAST, ranked_players(found), unproven=["b"])
    for own in found.rows:
        for rating in own.versions:
            expected = again[rated(PlayerId(own.name, rating.version))]
            bounds = expected.settled if rating.groups >= 30 else expected.likelihood
            assert (rating.rating, (rating.low, rating.high)) == (expected.rating, bounds), own.name
    check_ranks(found, again)


def test_the_house_counts_as_one_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who beats one house bot far beyond its strength gains little once it has other opponents."""
    others = [own for name in "bcdef" for own in duels(20, name, "a", 0) + duels(20, name, "rookie", 0)]
    plain = [*others, *duels(100, "regular", "rookie", 50), *duels(100, "regular", "a", 50)]
    knows = [*others, *duels(100, "regular", "rookie", 50), *duels(100, "a", "regular", 50)]
    gains = [row(made(own), "a").rating.rating for own in (plain, knows)]
    own = row(made(knows), "a").rating
    assert (own.groups, own.house_groups) == (200, 100)
    assert own.without_house is not None
    assert abs(own.without_house - 1500) < 60
    assert row(made(duels(40, "rookie", "a", 20)), "a").rating.without_house is None
    monkeypatch.setattr(
        "arena.ratings.model.weights", lambda cells, party: [np.ones(len(own.counts)) for own in cells]
    )
    equal = [row(made(own), "a").rating.rating for own in (plain, knows)]
    assert 0 < gains[1] - gains[0] < 0.7 * (equal[1] - equal[0])


def test_a_bot_chosen_later_begins_anew_and_one_that_is_not_has_no_rank() -> None:
    groups = [
        *duels(40, "rookie", "a", 5, finished_ms=1000),
        *duels(40, "rookie", "b", 20, finished_ms=1000),
    ]
    later = [group(f"late {number}", "rookie a", "12", "21", finished_ms=3000) for number in range(31)]
    facts = {"a": BotFacts(since_ms=2000), "b": BotFacts(ranked=False)}
    supplement = owned(unproven=["a", "b"], **facts)
    found = board([*groups, *later], "toepen", "sealed", supplement=supplement, replicates=FAST)
    a, b = row(found, "a"), row(found, "b")
    assert a.rating.groups == 31
    assert abs(a.rating.rating - 1500) < 30
    assert (b.rank, b.retired, b.rating.provisional, b.chosen) == (None, False, False, False)


def test_who_was_not_seen_before_the_newest_group_has_retired() -> None:
    day = 86_400_000
    groups = [
        *duels(40, "a", "rookie", 40, finished_ms=day),
        *duels(40, "b", "rookie", 20, finished_ms=day + 1),
        *duels(40, "c", "rookie", 40, finished_ms=0),
        group("new", "rookie d", "12", "21", finished_ms=(RETIRED_DAYS + 1) * day + 1),
    ]
    found = made(groups)
    assert [(own.name, own.retired, own.rank) for own in found.rows] == [
        ("c", False, 1),
        ("b", False, 2),
        ("rookie", False, 3),
        ("d", False, None),
        ("a", True, None),
    ]
    assert "retired" in found.as_text().splitlines()[-1]
    assert Board.from_json(json.loads(json.dumps(found.as_json()))) == found
    (headings, *lines) = csv.reader(io.StringIO(found.as_csv()))
    assert {line[headings.index("name")] for line in lines if line[headings.index("retired")] == "1"} == {"a"}
    back = made([*groups, group("back", "a d", "12", "12", finished_ms=(RETIRED_DAYS + 1) * day)])
    assert (row(back, "a").retired, row(back, "a").rank) == (False, 1)


def test_without_times_the_highest_version_is_current() -> None:
    groups = [g for version in ("9", "10", "1.5", "beta") for g in duels(2, f"a@{version}", "rookie", 1)]
    own = row(made(groups), "a")
    assert [rating.version for rating in own.versions] == ["10", "9", "1.5", "beta"]
    assert own.rating.last_seen_ms is None


def test_a_provisional_version_is_not_the_best_beside_a_settled_one() -> None:
    groups = duels(31, "rookie", "a@1", 31) + duels(5, "a@2", "rookie", 5)
    own = row(made(groups), "a")
    assert own.versions[0].rating > own.versions[1].rating
    assert own.best_version == "1"


# Titles


def styled(number: int, names: str, *styles: Style) -> GroupResult:
    """A group of one game per seat; everybody has the same style in all of them."""
    count = len(styles)
    turned = [tuple(styles[(seat + index) % count] for seat in range(count)) for index in range(count)]
    return group(number, names, *["1234"[:count]] * count, styles=turned)


@pytest.mark.rule("TP-7.3")
def test_titles_of_toepen() -> None:
    king, runner_up = Style(hands_won=5, longest_run=4), Style(hands_won=5, longest_run=2)
    groups = [
        *(
            styled(n, "rookie a@1 b", Style(folds=1, fold_opportunities=4), king, runner_up)
            for n in range(20)
        ),
        *(
            styled(n, "rookie a@2 b", Style(), king, Style(folds=2, fold_opportunities=3))
            for n in range(20, 40)
        ),
        *(styled(n, "c rookie", Style(folds=9, fold_opportunities=9), Style()) for n in range(40, 45)),
    ]
    found = made(groups)
    # All versions of a bot together. c folds always, but has too few groups.
    assert found.titles == {
        "toepkoning": Title(("a",), 120, "games with three hands won in a row"),
        "lijntoeper": Title(("b",), round(2 / 3, 4), "share of folds when asked"),
    }
    assert "toepkoning: a (games with three hands won in a row: 120)" in found.as_text()
    assert "lijntoeper: b (share of folds when asked: 0.6667)" in found.as_text()


@pytest.mark.rule("TP-7.3")
def test_titles_are_shared_or_vacant() -> None:
    king = Style(hands_won=3, longest_run=3)
    assert made([styled(1, "rookie a b", king, king, Style())]).titles["toepkoning"].holders == (
        "a",
        "rookie",
    )
    assert made([styled(1, "rookie a b", Style(), Style(), Style())]).titles == {}
    assert made([group(1, "a b a b", "1212", "1212", kind="truco")], "truco").titles == {}


# The forms


def test_the_json_has_all_values() -> None:
    found = made(tables_with_everything())
    data = json.loads(json.dumps(found.as_json()))
    assert data["anchor"] == {"name": "rookie", "rating": 1500.0, "played": True}
    assert (data["kind"], data["division"], data["groups"]) == ("toepen", "sealed", found.groups)
    assert data["records_hash"] == found.records_hash
    assert [own["name"] for own in data["rows"]] == [own.name for own in found.rows]
    for own, expected in zip(data["rows"], found.rows, strict=True):
        assert (own["rank"], own["rating"], own["low"]) == (
            expected.rank,
            expected.rating.rating,
            expected.rating.low,
        )
        assert [version["version"] for version in own["versions"]] == [v.version for v in expected.versions]


def test_a_board_comes_back_from_its_json() -> None:
    king = Style(hands_won=3, longest_run=3)
    titled = [styled(1, "rookie a@1 b", king, king, Style()), styled(2, "rookie a@2 b", Style(), king, king)]
    for found in (made(tables_with_everything()), made(titled), made([])):
        again = Board.from_json({**json.loads(json.dumps(found.as_json())), "published_ms": 1})
        assert again == found
        assert again.as_csv() == boards_csv([found])


def test_the_csv_has_a_line_per_version() -> None:
    found = made(duels(31, "a@1", "rookie", 31, finished_ms=1000) + duels(3, "a@2", "rookie", 0))
    (headings, *lines) = csv.reader(io.StringIO(boards_csv([found])))
    assert tuple(headings) == CSV_HEADINGS
    rows = [dict(zip(headings, line, strict=True)) for line in lines]
    assert [(own["name"], own["version"], own["rank"]) for own in rows] == [
        ("a", "1", "1"),
        ("a", "2", ""),
        ("rookie", "1", "2"),
    ]
    assert rows[0]["rating"] == str(row(found, "a").rating.rating)
    assert [own["provisional"] for own in rows] == ["0", "1", "0"]
    assert [(own["current"], own["best"]) for own in rows] == [("1", "1"), ("0", "0"), ("1", "1")]
    assert [own["last_seen_ms"] for own in rows] == ["1000", "", "1000"]


def test_the_text_is_a_table() -> None:
    day = 1_700_000_000_000
    text = made(duels(31, "rookie", "a", 20, finished_ms=day) + duels(2, "=b", "a", 1)).as_text()
    first, second, _, headings, *lines = text.splitlines()
    assert first == "toepen/duel@1, sealed: 33 groups, 66 records"
    assert second.startswith("records hash: ")
    assert headings.split() == [
        "rank",
        "bot",
        "version",
        "rating",
        "95%",
        "groups",
        "games",
        "faults",
        "last",
        "seen",
    ]
    assert lines[0].split()[1:5] == ["rookie", "1", "1500.0", "1500.0-1500.0"]
    assert all("2023-11-14" in line for line in lines[:2])
    assert lines[2].split()[:8] == ["=b", "1", "-", "provisional:", "28", "more", "groups", "2"]
    assert not any("provisional" in line for line in lines[:2])
    assert len({len(line) for line in (lines[0], lines[1])}) == 1


def test_what_a_provisional_rating_lacks() -> None:
    assert (lacking(2), lacking(29)) == ("28 more groups", "1 more group")
    assert lacking(SETTLED_GROUPS) == "no chain of games to the anchor"


def test_names_are_escaped_in_text_and_csv() -> None:
    strange = 'x"y,\u0085z'
    found = made(
        [group(1, ["rookie", "=HYPERLINK(1)"], "12", "12"), group(2, ["rookie", strange], "12", "12")]
    )
    lines = list(csv.reader(io.StringIO(boards_csv([found]))))
    assert {line[5] for line in lines[1:]} == {"rookie", "'=HYPERLINK(1)", strange}
    assert "\u0085" not in found.as_text()


@pytest.mark.parametrize("moment", [1, 2**53 - 1])
def test_any_moment_can_be_shown(moment: int) -> None:
    found = made([group(1, "rookie a", "12", "12", finished_ms=moment)])
    assert found.rows[0].rating.last_seen_ms == moment
    assert found.as_text()
