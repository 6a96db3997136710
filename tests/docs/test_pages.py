"""The guides do what they say, block by block, against a real service; and their tables are complete."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from random import Random

import pytest

from api.openapi.game_page import game_page
from arena.games import GAMES
from arena.games.kernel import CHANCE
from arena.ops import costs
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Limit, Settings
from arena.sandbox.runtime import python_program
from arena.store.amounts import Compute
from tests.blocks import ROOT, follow
from tests.contract.playouts import playout, random_rules

needs_curl_and_jq = pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("jq")), reason="needs curl and jq"
)


@pytest.mark.nightly("guides")
@needs_curl_and_jq
def test_a_bot_in_five_minutes(tmp_path: Path) -> None:
    said = follow("docs/five-minutes.md", tmp_path)
    assert "1 record, all verified" in said
    # Three games of the guide; a bot that is online is also asked to qualify for a tournament.
    assert len(re.findall(r"seat \d: place \d, score -?\d+", said)) >= 3
    results = [json.loads(line) for line in said.splitlines() if line.startswith('{"turn"')]
    assert {result["status"] for result in results} == {"accepted"}
    (outcome,) = [json.loads(line) for line in said.splitlines() if line.startswith('{"forfeits"')]
    assert outcome["forfeits"] == []


@pytest.mark.nightly("guides")
@needs_curl_and_jq
def test_operating(tmp_path: Path) -> None:
    said = follow("docs/operating.md", tmp_path)
    # One game, and those of the tournaments that a new service makes for itself.
    assert re.search(r"^\d+ records?, all verified", said, re.MULTILINE)
    assert '"operation":"listGames"' in said
    assert "botequim_requests_total" in said
    assert '{"admin":"admin","action":"issue owner token","subject":"owner olga"}' in said


@pytest.mark.nightly("guides")
@needs_curl_and_jq
def test_tournaments(tmp_path: Path) -> None:
    said = follow("docs/tournaments.md", tmp_path)
    assert "Olga's cup: finished, 6 of 6 groups" in said
    assert re.search(r"^\d +olgas-bot +1 ", said, re.MULTILINE)
    assert re.search(r"^\d+ records, all verified", said, re.MULTILINE)
    assert (tmp_path / "standings.csv").read_text().startswith("place,name,version,")
    events = (tmp_path / "events.txt").read_text()
    assert '"state":"finished"' in events
    assert '"enabled":false' in said
    assert '"reason":"Fire alarm."' in said
    assert '{"suspicions":[],"copies":[]}' in said
    assert "toepen/duel@1, open: " in said


@pytest.mark.nightly("guides")
@needs_curl_and_jq
def test_a_class(tmp_path: Path) -> None:
    said = follow("docs/classes.md", tmp_path)
    assert "teacher: 0 of 100 invitations" in said
    assert re.search(r"7b +Maria Lima +maria +used +maria\n", said)
    assert (tmp_path / "codes.csv").read_text().count("btq_i_teacher_") == 2 * 2
    assert "Autumn: 1 tournament, done" in said


@pytest.mark.nightly("guides")
@needs_curl_and_jq
def test_submitting(tmp_path: Path) -> None:
    python_program()
    said = follow("docs/sandbox.md", tmp_path)
    assert "my-bot 1: registered" in said
    assert "toepen: qualified; watch http://" in said
    assert re.search(r'^\{"seat":[01],"faults":\[\],"decisions":[1-9]\d*\}$', said, re.MULTILINE)
    assert '"published":true' in said
    assert "2 records, all verified" in said
    assert re.search(r"2 games replayed, \d+ decisions of uploaded bots compared, all as recorded", said)


def variables(text: str) -> set[str]:
    return set(re.findall(r"\b(?:BOTEQUIM_[A-Z_]+|REDIS_URL|PROMETHEUS_[A-Z_]+)\b", text))


def test_every_setting_is_in_the_table() -> None:
    page = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    rows = "".join(line for line in page.splitlines() if line.startswith("| `"))
    sources = [
        path for folder in ("api", "arena", "queues", "workers") for path in (ROOT / folder).rglob("*.py")
    ]
    used = {name for path in sources for name in variables(path.read_text(encoding="utf-8"))}
    assert variables(rows) == used


def test_every_limit_is_in_the_table_with_its_default() -> None:
    page = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    found = dict(re.findall(r"^\| `(\w+_per_\w+)` \| (\d+/\d+) \|", page, re.MULTILINE))
    assert found == {name: f"{limit.most}/{limit.seconds:g}" for name, limit in DEFAULT_LIMITS.items()}


def test_every_metric_is_in_the_table() -> None:
    page = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^\| `(botequim_\w+)` \|", page, re.MULTILINE))
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "api").rglob("*.py"))
    made = re.findall(
        r'(CounterMetricFamily|Counter|Gauge|Histogram|MetricFamily)\(\s*"(botequim_\w+)"', source
    )
    # The family of a counter gets its ending when it is written.
    assert shown == {name + "_total" * (kind == "CounterMetricFamily") for kind, name in made}


def test_the_page_of_costs_is_current() -> None:
    """Run ``python -m arena.ops.costs > docs/costs.md`` after changing a limit, without settings in the
    environment.
    """
    text = (ROOT / "docs/costs.md").read_text(encoding="utf-8")
    assert text == costs.page(Settings(""))
    # Every limit that bounds work is in it, with its value.
    found = dict(re.findall(r"`(\w+_per_\w+)` (\d+/\d+)", text))
    free = {"links_per_owner", "bots_per_owner", "webhook_checks_per_owner"}
    free |= {"recoveries_per_address", "provider_sign_ins_per_address"}
    assert found == {
        name: f"{limit.most}/{limit.seconds:g}" for name, limit in DEFAULT_LIMITS.items() if name not in free
    }


def test_the_page_of_costs_follows_the_settings() -> None:
    limits = {**DEFAULT_LIMITS, "sign_ups_per_address": Limit(2, 86_400), "requests_per_token": None}
    changed = Settings("", budget=Compute(5, 7_000), guest_ms=300, http=HttpSettings(limits=limits))
    account = {row.work.split()[0]: row for row in costs.account_rows(changed)}
    address = {row.work: row for row in costs.address_rows(changed)}
    assert account["all"].day == "7"
    assert account["requests"].day == "without a bound"
    assert address["all jobs of all guests"].day == "3"
    # Two at once, and two in the course of the day.
    assert address["accounts that the address signs up"].day == "28: the budgets of them all"
    assert address["reviews"].day == "the budget, and one more: 23"


@pytest.mark.parametrize("kind", GAMES)
def test_the_page_of_a_game_is_current(kind: str) -> None:
    """Run ``python -m api.openapi.game_page <kind> > docs/<kind>.md`` after changing a descriptor."""
    page = ROOT / "docs" / f"{kind}.md"
    assert page.read_text(encoding="utf-8") == game_page(GAMES[kind])
    assert f"]({page.name})" in (ROOT / "docs/turns.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", GAMES)
def test_the_page_of_a_game_has_everything_that_is_shown(kind: str) -> None:
    """Read as a person would read it: every cell of the first columns, against real games."""
    page = (ROOT / "docs" / f"{kind}.md").read_text(encoding="utf-8")
    actions, observation, events = page.split("\n## ")[2:5]
    patterns = re.findall(r"^\| `[^`]+` \| `([^`]+)` \|", actions.split("Chance")[0], re.MULTILINE)
    patterns = [pattern.replace("\\|", "|") for pattern in patterns]
    game = GAMES[kind]
    fields = {name for line in re.findall(r"^\| `(\w+)` \|", observation, re.MULTILINE) for name in [line]}
    of_event = {
        (type, name)
        for types, name in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| `(\w+)` \|", events, re.MULTILINE)
        for type in re.findall(r"`(\w+)`", types)
    }
    for seed in range(12):
        random = Random(seed)
        rules = random_rules(game, random)
        for state, seat, action, happened in playout(game, rules, random):
            if seat != CHANCE:
                assert sum(bool(re.fullmatch(one, action)) for one in patterns) == 1, action
            assert names_in(state.observation(random.randrange(game.seats(rules)))) <= fields
            for event in happened:
                view = game.view_event(event, None) or {"type": ""}
                assert {(view["type"], name) for name in view.keys() - {"type"}} <= of_event


def names_in(value: object) -> set[str]:
    """The names of all fields in ``value``."""
    if isinstance(value, dict):
        return set(value).union(*map(names_in, value.values()))
    return set().union(*map(names_in, value)) if isinstance(value, list) else set()
