"""From records to groups: every game once, whole groups only, and no contradiction unseen."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError, InvalidOption, UnknownGame
from arena.play.players import PlayerId
from arena.ratings.results import GroupResult, Results, collect, record_set_hash
from arena.records.record import InvalidRecord, Record, UnreadableRecord, dumps
from tests.ratings.made_up import group
from tests.ratings.real_records import changed, forfeited, group_records

ANA, BEN, CEES = PlayerId("ana", "1"), PlayerId("ben", "1"), PlayerId("cees", "1")
TABLE = "ana ben cees"
DUEL = "ana ben ana ben"


def one(records: Iterable[Record]) -> GroupResult:
    (found,) = collect(records)
    return found


def groups_of(path: Path) -> list[GroupResult]:
    results = Results()
    results.add_file(path)
    return results.groups()


def facts(groups: Iterable[GroupResult]) -> list[Any]:
    return [(own.as_json(), own.counts_for) for own in groups]


def test_a_group_holds_what_its_records_say() -> None:
    records = group_records("toepen", TABLE, "final/1")
    found = one(records)
    assert (found.kind, found.id, found.size, found.division) == ("toepen", "final/1", 3, "sealed")
    assert found.players == found.counts_for == (ANA, BEN, CEES)
    assert found.teams == ((0,), (1,), (2,))
    assert found.forfeiters == frozenset()
    for number, (game, record) in enumerate(zip(found.games, records, strict=True)):
        assert (game.number, game.hash) == (number, record["hash"])
        assert [player.name for player in game.players] == [p["name"] for p in record["canonical"]["players"]]
        assert list(game.places) == record["canonical"]["outcome"]["places"]
    assert [game.players for game in found.games[:2]] == [(ANA, BEN, CEES), (BEN, CEES, ANA)]


def test_a_group_that_is_not_mirrored_is_of_the_open_division() -> None:
    assert one(group_records("truco", DUEL, mirrored=False)).division == "open"
    assert one(group_records("truco", DUEL)).division == "sealed"


def test_neither_order_nor_copies_change_anything() -> None:
    records = [
        *group_records("toepen", TABLE, "g2"),
        *group_records("toepen", "cees ben dirk", "g10"),
        *group_records("truco", DUEL, "g2"),
        *group_records("truco", "ana cees ana cees", "g3", mirrored=False)[:1],
    ]
    plain = collect(records)
    assert [(own.kind, own.id) for own in plain] == [
        ("toepen", "g10"),
        ("toepen", "g2"),
        ("truco", "g2"),
        ("truco", "g3"),
    ]
    for seed in range(5):
        shuffled = records + records[:4]
        random.Random(seed).shuffle(shuffled)
        assert facts(collect(shuffled)) == facts(plain)


def test_a_group_with_a_missing_game_does_not_count() -> None:
    found = one(group_records("toepen", TABLE)[1:])
    assert len(found.games) == 2
    assert found.counts_for == ()


def test_a_group_of_one_player_does_not_count() -> None:
    assert one(group_records("truco", "ana ana ana ana")).counts_for == ()


def test_two_versions_of_a_bot_are_two_players() -> None:
    found = one(group_records("truco", "ana@1 ana@2 ana@1 ana@2"))
    assert found.counts_for == (PlayerId("ana", "1"), PlayerId("ana", "2"))


def test_games_without_group_and_games_that_are_not_rated_are_left_out() -> None:
    duel = group_records("truco", DUEL)
    results = Results()
    for record in (changed(duel[0], {"group": None}), changed(duel[1], info={"rated": False})):
        results.add(record)
    assert results.groups() == []
    assert (results.games, results.unrated) == (2, 2)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_unhashed_info_of_one_copy_holds_for_all_copies(order: tuple[int, ...]) -> None:
    first, second = group_records("truco", DUEL)
    for info, counts in (({"annulled": True}, False), ({"rated": False}, False), ({"rated": True}, True)):
        three = [first, changed(first, info=info), second]
        assert bool(one(three[number] for number in order).counts_for) == counts, info


def test_an_annulled_group_does_not_count_even_with_a_forfeit() -> None:
    duel = group_records("truco", DUEL)
    spoiled = changed(duel[0], {"outcome": {**duel[0]["canonical"]["outcome"], "forfeits": [1, 3]}})
    assert one([spoiled, duel[1]]).counts_for == (ANA, BEN)
    assert one([spoiled]).counts_for == (BEN,)
    found = one([changed(spoiled, info={"annulled": True}), duel[1]])
    assert found.annulled
    assert found.counts_for == ()


def test_only_the_last_attempt_of_a_group_is_kept() -> None:
    first, again = (group_records("truco", DUEL, attempt=attempt) for attempt in (0, 1))
    for records in ([*first, *again], [*again, *first]):
        assert facts(collect(records)) == facts(collect(again))
    # An attempt that is not whole takes the place of the one before all the same.
    assert one([*first, again[0]]).counts_for == ()


def test_a_forfeited_group_is_lost_by_the_forfeiter_and_its_finished_games_count_for_the_others() -> None:
    records = group_records("toepen", TABLE)
    found = one([forfeited(records[0], "ben", after=0), *records[1:]])
    assert found.forfeiters == {BEN}
    assert found.counts_for == found.players
    assert found.finished == found.games[1:]
    assert (found.games_for(BEN), found.games_for(ANA)) == (found.games, found.finished)
    assert (found.share(BEN), found.share(ANA)) == (1, 2 / 3)
    assert found.score(BEN) == 0.0
    later = [
        GroupResult(own.kind, own.id, 1, True, own.teams, [game], preset=own.preset).score(ANA)
        for own in (one(records),)
        for game in own.games[1:]
    ]
    assert found.score(ANA) == pytest.approx(sum(later) / 2)
    for game in found.games:
        assert found.places_for(game, BEN)[game.players.index(BEN)] == 3
        assert found.places_for(game, ANA) == game.places
    assert [sum(game.faults) for game in found.games] == [3, 0, 0]


def test_a_group_that_a_forfeit_ended_early_counts_for_the_forfeiter() -> None:
    first = forfeited(group_records("toepen", TABLE)[0], "ana", after=0)
    assert one([first]).counts_for == (ANA,)


def test_a_game_forfeited_after_its_first_hand_counts_for_the_others() -> None:
    """Who quits when a game is lost cannot take it away from the winner."""
    record = group_records("toepen", TABLE)[0]
    actions = record["canonical"]["actions"]
    second = [number for number, (_, action, *_) in enumerate(actions) if action.startswith("deal:")][1]
    for after, counts in ((second, False), (second + 1, True), (len(actions), True)):
        found = one([forfeited(record, "ana", after=after)])
        assert found.counts_for == (found.players if counts else (ANA,))
        assert GroupResult.from_json(json.loads(json.dumps(found.as_json()))).finished == found.finished


def test_a_forfeited_game_does_not_count_for_a_partner() -> None:
    lost = group("g", "a b c d", "1212", "2121", kind="truco", forfeits=[(0,), ()], late=True)
    assert lost.finished == lost.games[1:]
    alone = group("g", "a b a b", "1212", "2121", kind="truco", forfeits=[(0, 2), ()], late=True)
    assert alone.finished == alone.games


def test_the_score_is_the_mean_share_of_opponents_beaten() -> None:
    played = group("g", "a b c d", "1234", "1224", "2111", "4123")
    a, b, _, d = (PlayerId(name, "1") for name in "abcd")
    assert played.score(a) == pytest.approx((1 + 1 + 0 + 0) / 4)
    assert played.score(b) == pytest.approx((2 / 3 + 0.5 + 2 / 3 + 1) / 4)
    assert played.score(d) == pytest.approx((0 + 0 + 2 / 3 + 1 / 3) / 4)


def swapped(record: Record) -> Record:
    outcome = record["canonical"]["outcome"]
    return changed(record, {"outcome": {**outcome, "places": outcome["places"][::-1]}})


def in_group(record: Record, **group: Any) -> Record:
    return changed(record, {"group": {**record["canonical"]["group"], **group}})


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda duel: swapped(duel[1]), "group g1 has two different records of its game 1"),
        (lambda duel: in_group(duel[1], size=3), "the games of group g1 differ in size"),
        (lambda duel: in_group(duel[1], mirrored=False), "the games of group g1 differ in size"),
        (lambda duel: changed(duel[1], {"rules": {"cut": "player"}}), "differ in size, mirroring, rules"),
        (lambda duel: group_records("truco", "ana cees ana cees")[1], "rules or players"),
    ],
)
def test_contradictions_are_reported_in_any_order(
    other: Callable[[list[Record]], Record], message: str
) -> None:
    duel = group_records("truco", DUEL)
    for records in ([*duel, other(duel)], [other(duel), *duel]):
        with pytest.raises(InvalidRecord, match=message):
            collect(records)


BAD: list[tuple[Callable[[Record], Record], type[ArenaError], str]] = [
    (lambda r: {**r, "hash": "0" * 64}, InvalidRecord, "the hash does not match the canonical part"),
    (lambda r: changed(r, {"kind": "poker"}), UnknownGame, "poker"),
    (lambda r: changed(r, {"rules": {"cut": "twice"}}), InvalidOption, "cut"),
    (
        lambda r: changed(r, {"players": r["canonical"]["players"][:3]}),
        InvalidRecord,
        "the record has 3 players and 4 places",
    ),
    (lambda r: in_group(r, index=2), InvalidRecord, "a group of size 2 cannot have a game with index 2"),
    (
        lambda r: changed(r, {"faults": [{"seat": 4, "type": "late", "after": 1}]}),
        InvalidRecord,
        "a listed seat does not exist",
    ),
    (
        lambda r: changed(r, {"outcome": {**r["canonical"]["outcome"], "forfeits": [7]}}),
        InvalidRecord,
        "a listed seat does not exist",
    ),
]


@pytest.mark.parametrize(("spoil", "error", "message"), BAD)
def test_a_record_that_contradicts_itself_is_refused(
    spoil: Callable[[Record], Record], error: type[ArenaError], message: str
) -> None:
    results = Results()
    with pytest.raises(error, match=message):
        results.add(spoil(group_records("truco", DUEL)[0]))
    assert results.games == 0


def test_titles_follow_from_the_replayed_game() -> None:
    found = one(group_records("toepen", TABLE))
    for game, record in zip(found.games, group_records("toepen", TABLE), strict=True):
        actions = [(seat, text.partition(":")[0]) for seat, text, *_ in record["canonical"]["actions"]]
        assert sum(style.hands_won for style in game.styles) > 0
        for seat, style in enumerate(game.styles):
            assert style.folds == actions.count((seat, "fold"))
            assert style.fold_opportunities == style.folds + actions.count((seat, "stay"))
    assert sum(style.folds for game in found.games for style in game.styles) > 0
    assert one(group_records("truco", DUEL)).games[0].styles == ()


@pytest.mark.parametrize("action", [[0, "play:AS"], [2, "nonsense"], [7, "fold:1"]])
def test_a_game_of_toepen_that_cannot_be_replayed_is_refused(action: list[Any]) -> None:
    record = group_records("toepen", TABLE)[0]
    spoiled = changed(record, {"actions": [action, *record["canonical"]["actions"]]})
    with pytest.raises(InvalidRecord, match="the game cannot be replayed"):
        Results().add(spoiled)


def test_time_used_is_what_passed_before_each_action_of_a_seat() -> None:
    records = group_records("truco", DUEL)
    actions = records[0]["canonical"]["actions"]
    times = [1000 + 10 * number * number for number in range(len(actions))]
    expected = [0] * 4
    for number, (seat, *_) in enumerate(actions):
        if seat >= 0:
            expected[seat] += times[number] - times[number - 1]
    timed = changed(records[0], info={"action_ms": times, "finished_ms": 5000})
    game = one([timed, records[1]]).games[0]
    assert sum(expected) > 0
    assert list(game.used_ms) == expected
    assert game.finished_ms == 5000
    # A copy without times takes nothing away.
    for copies in ([records[0], timed, records[1]], [timed, *records]):
        assert one(copies).games[0] == game


@pytest.mark.parametrize("times", [None, "soon", [1, 2, 3], {"0": 1}])
def test_times_that_do_not_fit_are_ignored(times: object) -> None:
    records = [changed(r, info={"action_ms": times}) for r in group_records("truco", DUEL)]
    assert [game.used_ms for game in one(records).games] == [(), ()]


@pytest.mark.parametrize("moment", ["yesterday", None, True, 1.5, -1, 10**4000, [3]])
def test_invalid_times_of_finishing_are_unknown(moment: object) -> None:
    records = [changed(r, info={"finished_ms": moment}) for r in group_records("truco", DUEL)]
    assert [game.finished_ms for game in one(records).games] == [0, 0]


def test_a_group_goes_through_json_unchanged() -> None:
    for kind, names in (("toepen", "ana@1 ana@2 ben"), ("truco", "ana ben cees ben")):
        found = one(group_records(kind, names))
        again = GroupResult.from_json(json.loads(json.dumps(found.as_json())))
        assert facts([again]) == facts([found])
        assert again.games == found.games
        assert again.teams == found.teams


def test_the_hash_of_a_set_is_that_of_the_sorted_hashes() -> None:
    groups = collect([*group_records("truco", DUEL, "g1"), *group_records("truco", DUEL, "g2")])
    hashes = sorted(bytes.fromhex(game.hash) for own in groups for game in own.games)
    assert len(hashes) == 4
    assert record_set_hash(groups) == record_set_hash(groups[::-1]) == sha256(b"".join(hashes)).digest()


def test_errors_of_files_name_file_and_line(tmp_path: Path) -> None:
    duel = group_records("truco", DUEL)
    path = tmp_path / "r.jsonl"

    def message(*lines: str) -> str:
        path.write_text("\n".join(lines) + "\n")
        with pytest.raises(ArenaError) as raised:
            groups_of(path)
        return str(raised.value)

    good = dumps(duel[0])
    assert message(good, "", "{").startswith(f"{path}:3: not JSON")
    assert message(good, '{"canonical": 1}').startswith(f"{path}:2: not a record")
    assert message(good, dumps({**duel[1], "hash": "0" * 64})).startswith(
        f"{path}:2: the hash does not match"
    )
    assert message(good, dumps(changed(duel[1], {"kind": "poker"}))).startswith(f"{path}:2: there is no game")
    told = message(dumps(duel[1]), good, dumps(swapped(duel[1])))
    assert told == (
        f"{path}:3: group g1 has two different records of its game 1 (the other is {path}:1); at group"
    )
    with pytest.raises(UnreadableRecord, match="cannot read"):
        Results().add_file(tmp_path / "missing.jsonl")
