"""Real records verify; each kind of tampering has its own code."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from games_played import RULES, group, play, record_line, record_of, rehash

from arena.games import game_of
from arena.play.faults import FAULTS
from arena.records.group_checks import GroupChecks, group_facts
from arena.records.record import Record
from arena.records.verify import verify, verify_text

KINDS = sorted(RULES)
Canonical = dict[str, Any]


def codes(record: object) -> list[str]:
    return [problem.code for problem in verify(record)]


def clean(kind: str) -> Record:
    loaded: Record = json.loads(record_line(kind))
    return loaded


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", range(4))
@pytest.mark.parametrize("trouble", [0.0, 0.05])
def test_real_records_verify(kind: str, variant: int, trouble: float) -> None:
    for number in range(6):
        line = record_line(kind, variant, number, trouble)
        assert verify_text(line) == (json.loads(line), [])


def test_the_troubled_records_hold_every_mark_and_fault() -> None:
    records = [
        json.loads(record_line(kind, variant, number, 0.05))["canonical"]
        for kind in KINDS
        for variant in range(4)
        for number in range(6)
    ]
    marks = {entry[2] for canonical in records for entry in canonical["actions"] if len(entry) == 3}
    faults = {fault["type"] for canonical in records for fault in canonical["faults"]}
    assert marks == {"clock", "crashed", "resigned", "forfeit"}
    assert faults == set(FAULTS)


@pytest.mark.parametrize("kind", KINDS)
def test_nonces_are_part_of_the_deal(kind: str) -> None:
    plain = record_of(play(kind))
    with_nonces = record_of(play(kind, nonces=("a", "", "Zz~", "!" * 64)))
    assert verify(with_nonces) == []
    assert with_nonces["canonical"]["actions"][1] != plain["canonical"]["actions"][1]


# One change each, hashed anew as a forger would


def deals(canonical: Canonical) -> list[int]:
    return [index for index, entry in enumerate(canonical["actions"]) if entry[1].startswith("deal:")]


def swap_undealt_cards(c: Canonical) -> None:
    action = c["actions"][deals(c)[1]]
    action[1] = action[1][:-4] + action[1][-2:] + action[1][-4:-2]


def other_dealer(c: Canonical) -> None:
    c["actions"][0][1] = f"dealer:{(int(c['actions'][0][1][7:]) + 1) % 4}"


def last_play(c: Canonical) -> list[Any]:
    entry: list[Any] = next(entry for entry in reversed(c["actions"]) if entry[1].startswith("play:"))
    return entry


def card_not_held(c: Canonical) -> None:
    last_play(c)[1] = next(entry[1] for entry in c["actions"] if entry[1].startswith("play:"))


def other_seed(c: Canonical) -> None:
    c["seed"] = "0" * 64


def other_seed_and_commitment(c: Canonical) -> None:
    c["seed"] = "0" * 64
    c["commitment"] = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"


def mark_first_player_action(mark: str) -> Callable[[Canonical], None]:
    def change(c: Canonical) -> None:
        next(entry for entry in c["actions"] if entry[0] >= 0).append(mark)

    return change


TAMPERED: dict[str, tuple[Callable[[Canonical], Any], set[str]]] = {
    "a card": (swap_undealt_cards, {"deal"}),
    "the first dealer": (other_dealer, {"deal"}),
    "an action": (card_not_held, {"illegal"}),
    "who acted": (lambda c: last_play(c).__setitem__(0, (last_play(c)[0] + 1) % 4), {"illegal"}),
    "a seat that is not there": (lambda c: last_play(c).__setitem__(0, 7), {"illegal"}),
    "a deal gone": (lambda c: c["actions"].pop(deals(c)[1]), {"turn"}),
    "a deal too many": (lambda c: c["actions"].insert(deals(c)[1] + 1, c["actions"][1]), {"turn"}),
    "a mark of chance": (lambda c: c["actions"][1].append("clock"), {"mark"}),
    "the last action gone": (lambda c: c["actions"].pop(), {"unfinished"}),
    "no actions": (lambda c: c["actions"].clear(), {"unfinished"}),
    "an action too many": (lambda c: c["actions"].append(c["actions"][-1]), {"extra"}),
    "the scores": (lambda c: c["outcome"]["scores"].__setitem__(0, 99), {"scores"}),
    "the places": (lambda c: c["outcome"]["places"].reverse(), {"places"}),
    "the forfeits": (lambda c: c["outcome"]["forfeits"].append(2), {"forfeits"}),
    "the seed": (other_seed, {"commitment", "deals"}),
    "the seed and its commitment": (other_seed_and_commitment, {"deals"}),
    "the commitment": (lambda c: c.update(commitment="0" * 64), {"commitment"}),
    "a nonce": (lambda c: c["nonces"].__setitem__(3, "x"), {"deals"}),
    "a mark of the clock": (mark_first_player_action("clock"), {"mark"}),
    "a mark of resignation": (mark_first_player_action("resigned"), {"mark"}),
    "a mark of forfeit": (mark_first_player_action("forfeit"), {"mark"}),
    "a fault after the end": (
        lambda c: c["faults"].append({"seat": 0, "type": "illegal", "after": len(c["actions"])}),
        {"order"},
    ),
    "faults out of order": (
        lambda c: c["faults"].extend({"seat": s, "type": "illegal", "after": 9 - s} for s in (0, 1)),
        {"order"},
    ),
    "a fault of nobody": (
        lambda c: c["faults"].append({"seat": 5, "type": "illegal", "after": 1}),
        {"seats"},
    ),
    "a nonce too few": (lambda c: c["nonces"].pop(), {"seats"}),
    "a player too many": (lambda c: c["players"].append(c["players"][0]), {"seats"}),
    "a rule": (lambda c: c["rules"].update(cut="maybe", lives=99), {"invalid_option"}),
    "a rule that is not there": (lambda c: c["rules"].popitem(), {"incomplete_rules"}),
    "an unknown rule": (lambda c: c["rules"].update(bluff=True), {"invalid_option"}),
    "the version of the rules": (lambda c: c.update(rules_version=999), {"rules_version"}),
    "the kind": (lambda c: c.update(kind="bridge"), {"kind_not_found"}),
    "the place in the group": (
        lambda c: c.update(group={"id": "g", "attempt": 0, "index": 2, "size": 2, "mirrored": True}),
        {"group"},
    ),
    "a number": (lambda c: c.update(rules_version=1.0), {"structure"}),
}

FOLLOWING: dict[str, set[str]] = {
    "the first dealer": {"illegal", "turn"},
    "a mark of the clock": {"default"},
    "a mark of resignation": {"default"},
    "a mark of forfeit": {"default"},
    "faults out of order": {"no_turn"},
}
"""What may be found besides, because it follows from the change."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("what", TAMPERED)
def test_kinds_of_tampering_have_different_codes(kind: str, what: str) -> None:
    change, expected = TAMPERED[what]
    record = clean(kind)
    change(record["canonical"])
    if what != "a number":
        assert "hash" in codes(record)
    found = codes(rehash(record))
    assert expected <= set(found) <= expected | FOLLOWING.get(what, set())
    assert all("\n" not in str(problem) for problem in verify(record))


@pytest.mark.parametrize("kind", KINDS)
def test_every_change_has_its_own_message(kind: str) -> None:
    messages: dict[tuple[str, ...], str] = {}
    for what, (change, _) in TAMPERED.items():
        record = clean(kind)
        change(record["canonical"])
        found = tuple(str(problem) for problem in verify(rehash(record)))
        # A forged commitment hides which of the two was changed.
        assert found
        assert found not in messages or {what, messages[found]} == {"a nonce", "the seed and its commitment"}
        messages[found] = what


def test_the_hash_alone() -> None:
    record = clean("truco")
    record["hash"] = "0" * 64
    (problem,) = verify(record)
    assert (problem.code, problem.where) == ("hash", "hash")
    assert problem.message.startswith("the hash is 000000000000…, but that of the canonical part is ")


def test_the_info_may_change() -> None:
    record = clean("truco")
    record["info"] = {"anything": [1.5, None]}
    assert verify(record) == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_change_of_seed_deals_or_outcome_goes_unseen(kind: str) -> None:
    rng = random.Random(5)
    original = clean(kind)["canonical"]
    for _ in range(60):
        record = clean(kind)
        canonical = record["canonical"]
        what = rng.choice(["seed", "commitment", "nonces", "deal", "places", "scores", "forfeits"])
        if what in ("seed", "commitment"):
            at = rng.randrange(64)
            old = canonical[what]
            canonical[what] = old[:at] + rng.choice("0123456789abcdef") + old[at + 1 :]
        elif what == "nonces":
            canonical["nonces"][rng.randrange(4)] = rng.choice("abc")
        elif what == "deal":
            action = canonical["actions"][rng.choice(deals(canonical))]
            one, other = sorted(rng.sample(range((len(action[1]) - 5) // 2), 2))
            cards = [action[1][5 + 2 * i : 7 + 2 * i] for i in range((len(action[1]) - 5) // 2)]
            cards[one], cards[other] = cards[other], cards[one]
            action[1] = "deal:" + "".join(cards)
        elif what == "forfeits":
            canonical["outcome"]["forfeits"] = [rng.randrange(4)]
        else:
            canonical["outcome"][what][rng.randrange(4)] = rng.randint(1, 8)
        assert (verify(rehash(record)) == []) == (canonical == original)


@pytest.mark.parametrize("kind", KINDS)
def test_invalid_values_are_reported_and_never_raise(kind: str) -> None:
    rng = random.Random(6)
    line = record_line(kind, 0, 1, 0.05)
    strange = [
        None,
        True,
        -1,
        0,
        7,
        10**30,
        "",
        "x",
        "deal:",
        "deal:4C",
        "dealer:0",
        "play:4C",
        "truco:é",
        [],
        {},
    ]
    for _ in range(250):
        record = json.loads(line)
        paths = list(all_paths(record["canonical"]))
        holder, key = rng.choice(paths)
        old = holder[key]
        if rng.random() < 0.2:
            del holder[key]
        else:
            holder[key] = rng.choice([*strange, [old], json.loads(json.dumps(rng.choice(paths)[0]))])
        if record == json.loads(line):
            continue
        assert verify(record)
        record["hash"] = rehash(record)["hash"]
        assert isinstance(verify(record), list)


def all_paths(value: Any) -> Any:
    """Every ``(container, key)`` in ``value``."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(item, (dict, list)):
            yield from all_paths(item)


@pytest.mark.parametrize("thing", [None, 1, "record", [], {}, {"canonical": {}}])
def test_input_that_is_not_a_record_is_reported(thing: object) -> None:
    (problem,) = verify(thing)
    assert problem.code == "structure"


# Who acted


def troubled(kind: str, *wanted: str) -> Record:
    """A record in which all of ``wanted`` (marks) occur."""
    for number in range(200):
        line = record_line(kind, 0, number, 0.05)
        if all(f'"{mark}"]' in line for mark in wanted):
            loaded: Record = json.loads(line)
            return loaded
    raise AssertionError(f"no record with {wanted}")


def first_marked(record: Record, mark: str) -> int:
    return next(i for i, entry in enumerate(record["canonical"]["actions"]) if entry[2:] == [mark])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mark", ["clock", "crashed", "resigned", "forfeit"])
def test_a_marked_action_is_the_default_and_marked_rightly(kind: str, mark: str) -> None:
    for wrong in ({"clock", "crashed", "resigned", "forfeit"} - {mark}) | {None}:
        record = troubled(kind, mark)
        index = first_marked(record, mark)
        record["canonical"]["actions"][index][2:] = [wrong] if wrong else []
        problems = verify(rehash(record))
        assert [(p.code, p.where) for p in problems] == [("mark", f"actions[{index}]")]


def test_a_player_cannot_pass_its_choice_off_as_the_tables() -> None:
    for number in range(200):
        record = json.loads(record_line("toepen", 0, number, 0.05))
        for index, entry in enumerate(record["canonical"]["actions"]):
            if entry[1:] == ["keep", "clock"]:
                entry[1] = "exchange"
                found = verify(rehash(record))
                assert (found[0].code, found[0].where) == ("default", f"actions[{index}]")
                assert "'keep'" in found[0].message
                return
    raise AssertionError("no late keep")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("fault", "mark"), [(fault, mark) for fault, mark in FAULTS.items() if mark])
def test_the_table_acts_after_a_fault_with_a_mark(kind: str, fault: str, mark: str) -> None:
    record, number = next(
        (record, number)
        for record in (json.loads(record_line(kind, 0, number, 0.05)) for number in range(200))
        for number, entry in enumerate(record["canonical"]["faults"])
        if entry["type"] == fault and record["canonical"]["actions"][entry["after"]][2:] == [mark]
    )
    noted = record["canonical"]["faults"][number]
    noted["type"] = "illegal"
    assert "mark" in codes(rehash(record))
    noted["type"] = fault
    assert codes(rehash(record)) == []
    entry = record["canonical"]["actions"][noted["after"]]
    del entry[2]
    (problem,) = verify(rehash(record))
    assert f"for seat {entry[0]} ({mark})" in problem.message


def positions(canonical: Canonical) -> list[tuple[tuple[int, ...], list[int]]]:
    """Before each action: who is awaited, and the seats that may act."""
    game = game_of(canonical["kind"])
    state = game.new_state(canonical["rules"])
    found = []
    for seat, action, *_ in canonical["actions"]:
        may_act = [other for other in range(len(canonical["players"])) if state.legal_actions(other)]
        found.append((state.awaiting(), may_act))
        state.apply(seat, action)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", range(4))
def test_a_seat_has_faults_only_while_it_has_a_turn(kind: str, variant: int) -> None:
    line = record_line(kind, variant)
    seats = range(len(json.loads(line)["canonical"]["players"]))
    rng = random.Random(variant)
    places = list(enumerate(positions(json.loads(line)["canonical"])))
    for after, (awaited, may_act) in rng.sample(places, 8) + places[:2]:
        for fault, seat in itertools.product(("late", "illegal", "malformed", "crashed"), seats):
            record = json.loads(line)
            record["canonical"]["faults"].append({"seat": seat, "type": fault, "after": after})
            found = codes(rehash(record))
            assert ("no_turn" in found) == (seat not in may_act), (after, seat, fault)
            if seat not in awaited and seat in may_act:
                assert found == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_winner_cannot_be_disqualified_by_invented_faults(kind: str) -> None:
    record = clean(kind)
    canonical = record["canonical"]
    places = canonical["outcome"]["places"]
    after, winner = next(
        (after, places.index(1))
        for after, (_, may_act) in reversed(list(enumerate(positions(canonical))))
        if places.index(1) not in may_act and canonical["actions"][after][0] >= 0
    )
    canonical["faults"] += [{"seat": winner, "type": "late", "after": after}] * 3
    canonical["outcome"]["forfeits"] = [winner]
    assert "no_turn" in codes(rehash(record))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mark", ["clock", "crashed", "forfeit"])
def test_nobody_has_a_fault_while_the_table_is_about_to_act(kind: str, mark: str) -> None:
    record = troubled(kind, mark)
    canonical = record["canonical"]
    after = first_marked(record, mark)
    behind = sum(fault["after"] <= after for fault in canonical["faults"])
    for seat in range(4):
        record = troubled(kind, mark)
        record["canonical"]["faults"].insert(behind, {"seat": seat, "type": "illegal", "after": after})
        assert {"no_turn", "after_end_of_seat"} & set(codes(rehash(record)))


@pytest.mark.parametrize("kind", KINDS)
def test_forfeits_come_from_three_faults(kind: str) -> None:
    record = troubled(kind, "forfeit")
    canonical = record["canonical"]
    seat = canonical["outcome"]["forfeits"][0]
    third = [i for i, fault in enumerate(canonical["faults"]) if fault["seat"] == seat][2]
    removed = canonical["faults"].pop(third)
    assert {"mark", "forfeits"} <= set(codes(rehash(record)))
    canonical["faults"].insert(third, removed)
    canonical["faults"].insert(third + 1, removed)
    assert codes(rehash(record)) == ["after_end_of_seat"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_resigned_seat_is_played_by_the_table(kind: str) -> None:
    record = troubled(kind, "resigned")
    canonical = record["canonical"]
    gone = canonical["resigned"].pop()
    assert set(codes(rehash(record))) == {"mark"}
    canonical["resigned"] += [gone, gone]
    assert codes(rehash(record)) == ["after_end_of_seat"]


def test_a_forfeiting_team_is_last() -> None:
    outcomes = (
        json.loads(record_line("truco", 0, number, 0.05))["canonical"]["outcome"] for number in range(200)
    )
    outcome = next(outcome for outcome in outcomes if len(outcome["forfeits"]) == 1)
    loser = outcome["forfeits"][0] % 2
    assert outcome["places"] == [2 if seat % 2 == loser else 1 for seat in range(4)]


# Records of one file together


def copy_of(records: list[Record]) -> list[Record]:
    copied: list[Record] = json.loads(json.dumps(records))
    return copied


def check_together(records: list[Record]) -> list[str]:
    checks = GroupChecks()
    found = [problem.code for record in records for problem in checks.add(group_facts(record))]
    return found + [problem.code for problem in checks.missing()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mirrored", [True, False])
def test_whole_groups_are_fine_in_any_order(kind: str, mirrored: bool) -> None:
    records = group(kind, mirrored=mirrored) + group(kind, "g2", mirrored=mirrored, first=9) + [clean(kind)]
    assert all(verify(record) == [] for record in records)
    random.Random(1).shuffle(records)
    assert check_together(records) == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_players_of_a_group_move_on_by_one_team(kind: str) -> None:
    whole = group(kind)
    same = copy_of(whole)
    for record in same:
        record["canonical"]["players"] = same[0]["canonical"]["players"]
    assert check_together(same) == ["group_seatings"] * (len(whole) - 1)
    if kind == "truco":
        partners = copy_of(whole)
        players = partners[1]["canonical"]["players"]
        players[0], players[2] = players[2], players[0]
        assert check_together(partners) == ["group_seatings"]
    else:
        exchanged = copy_of(whole)
        first, second = exchanged[1]["canonical"], exchanged[2]["canonical"]
        first["group"]["index"], second["group"]["index"] = 2, 1
        assert check_together(exchanged) == ["group_seatings"] * 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_mirrored_group_has_one_list_of_nonces(kind: str) -> None:
    other = copy_of(group(kind))
    other[1]["canonical"]["nonces"][0] = "x"
    assert check_together(other) == ["group_nonces"]
    independent = copy_of(group(kind, mirrored=False))
    independent[1]["canonical"]["nonces"][0] = "x"
    assert check_together(independent) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mirrored", [True, False])
def test_a_group_copied_under_another_id_is_found(kind: str, mirrored: bool) -> None:
    whole = group(kind, mirrored=mirrored)
    copied = copy_of(whole)
    for number, record in enumerate(copied):
        record["canonical"]["group"]["id"] = "copied"
        record["canonical"]["game"] = f"copied-{number}"
    assert check_together(whole + copied) == ["repeated_seed"] * len(whole)


def test_groups_of_bots_that_have_several_teams_are_fine() -> None:
    records = copy_of(group("toepen"))[:2]
    for index, record in enumerate(records):
        canonical = record["canonical"]
        canonical["group"]["size"] = 2
        canonical["players"] = [{"name": "AB"[(seat + index) % 2], "version": "1"} for seat in range(4)]
    assert check_together(records) == []


def test_groups_of_unknown_games_are_compared_all_the_same() -> None:
    records = copy_of(group("truco"))
    for record in records:
        record["canonical"]["kind"] = "bridge"
    assert check_together(records) == []
    records[1]["canonical"]["rules"] = {}
    assert check_together(records) == ["group_mismatch"]


def test_errors_of_groups() -> None:
    whole = group("toepen")
    assert len(whole) == 4

    def changed(which: int, **group_fields: Any) -> list[Record]:
        records: list[Record] = json.loads(json.dumps(whole))
        records[which]["canonical"]["group"].update(group_fields)
        return records

    assert check_together(whole[:3]) == ["missing_games"]
    assert check_together([*whole, whole[2]]) == ["repeated_game"]
    assert check_together(changed(3, index=2)) == ["repeated_index", "missing_games"]
    assert check_together(changed(3, size=5)) == ["group_mismatch"]
    assert check_together(changed(3, mirrored=False)) == ["group_mismatch"]
    assert check_together(changed(3, attempt=1)) == ["repeated_seed", "missing_games", "missing_games"]
    seeds = changed(0)
    seeds[3]["canonical"]["seed"] = "0" * 64
    assert check_together(seeds) == ["group_seeds"]
    same_seeds = [record for index in range(4) for record in [changed(index, mirrored=False)[index]]]
    assert check_together(same_seeds) == ["group_seeds"] * 3
    players = changed(0)
    players[2]["canonical"]["players"][0] = {"name": "somebody", "version": "else"}
    assert check_together(players) == ["group_mismatch"]
    renamed = json.loads(json.dumps(whole))
    renamed.append(json.loads(json.dumps(whole[1])))
    renamed[-1]["canonical"]["game"] = "another-name"
    assert check_together(renamed) == ["repeated_index"]


def test_missing_games_of_a_huge_group_are_not_all_listed() -> None:
    record = group("truco")[0]
    record["canonical"]["group"]["size"] = 1_000_000
    checks = GroupChecks()
    assert list(checks.add(group_facts(record))) == []
    (problem,) = checks.missing()
    assert problem.message == "999999 of its 1000000 games are missing: 1, 2, 3, 4, 5, 6, 7, 8 …"
