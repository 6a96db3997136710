"""The published schema is the one in the package, and a second validator agrees with ours."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from games_played import RULES, group, record_line

from arena.play.faults import FAULTS
from arena.records.record import InvalidRecord, check_structure, record_schema

PUBLISHED = Path(__file__).parents[2] / "docs" / "record-v1.schema.json"
OTHER = jsonschema.Draft7Validator(json.loads(PUBLISHED.read_text(encoding="utf-8")))

BREAK: dict[str, Callable[[dict[str, Any]], Any]] = {
    "unknown key": lambda r: r.update(more=1),
    "unknown canonical key": lambda r: r["canonical"].update(more=1),
    "no info": lambda r: r.pop("info"),
    "no seed": lambda r: r["canonical"].pop("seed"),
    "short seed": lambda r: r["canonical"].update(seed="00"),
    "upper-case hash": lambda r: r.update(hash="A" * 64),
    "other version": lambda r: r["canonical"].update(v=2),
    "rules as a list": lambda r: r["canonical"].update(rules=[]),
    "a rule that is null": lambda r: r["canonical"]["rules"].update(cut=None),
    "a seat below chance": lambda r: r["canonical"]["actions"][0].__setitem__(0, -2),
    "a seat that is true": lambda r: r["canonical"]["actions"][0].__setitem__(0, True),
    "an action with a line break": lambda r: r["canonical"]["actions"][0].__setitem__(1, "play:4C\n"),
    "an unknown mark": lambda r: r["canonical"]["actions"][0].append("server"),
    "an action of four": lambda r: r["canonical"]["actions"].append([0, "play:4C", "clock", 1]),
    "an action of one": lambda r: r["canonical"]["actions"].append([0]),
    "an unknown fault": lambda r: r["canonical"]["faults"].append({"seat": 0, "type": "server", "after": 0}),
    "a negative count": lambda r: r["canonical"]["resigned"].append({"seat": 0, "after": -1}),
    "place 0": lambda r: r["canonical"]["outcome"]["places"].__setitem__(0, 0),
    "a nonce with a space": lambda r: r["canonical"]["nonces"].__setitem__(0, "a b"),
    "a name with a tab": lambda r: r["canonical"]["players"][0].update(name="a\tb"),
    "a game id with a space": lambda r: r["canonical"].update(game="a b"),
    "a group without size": lambda r: r["canonical"].update(group={"id": "g", "index": 0}),
    "a long detail": lambda r: r["info"].update(fault_details=["x" * 201]),
}


def test_the_published_schema_is_the_packages() -> None:
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == record_schema()
    jsonschema.Draft7Validator.check_schema(record_schema())


def test_the_schema_has_the_faults_and_marks_of_the_table() -> None:
    canonical = record_schema()["definitions"]["canonical"]["properties"]
    assert canonical["faults"]["items"]["properties"]["type"]["enum"] == list(FAULTS)
    marks = canonical["actions"]["items"]["items"][2]["enum"]
    assert set(marks) - {"resigned", "forfeit"} == set(FAULTS.values()) - {None}


@pytest.mark.parametrize("kind", sorted(RULES))
def test_real_records_have_the_shape(kind: str) -> None:
    records = [json.loads(record_line(kind, variant, 1, 0.05)) for variant in range(4)] + group(kind)
    for record in records:
        OTHER.validate(record)
        check_structure(record)


@pytest.mark.parametrize("name", BREAK)
def test_both_validators_refuse(name: str) -> None:
    record = json.loads(record_line("truco"))
    broken = copy.deepcopy(record)
    BREAK[name](broken)
    assert broken != record
    with pytest.raises(InvalidRecord):
        check_structure(broken)
    # Draft 7 leaves a trailing line break to the dialect of the regular expressions.
    if "line break" not in name:
        with pytest.raises(jsonschema.ValidationError):
            OTHER.validate(broken)
