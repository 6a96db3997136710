"""deploy/grafana.json and deploy/prometheus-alerts.yml: what they ask for is there."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
import yaml

from tests.service import ROOT, Service
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system

NAME = re.compile(r"botequim_\w+")
PAGE = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
DASHBOARD = json.loads((ROOT / "deploy/grafana.json").read_text(encoding="utf-8"))
RULES = yaml.safe_load((ROOT / "deploy/prometheus-alerts.yml").read_text(encoding="utf-8"))["groups"][0][
    "rules"
]


def used(text: str) -> set[str]:
    return set(NAME.findall(text))


@pytest.fixture(scope="module")
def exposed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[set[str]]:
    """The names in ``/metrics`` of a service that has played a tournament."""
    with Service(tmp_path_factory.mktemp("service")) as service:
        owner = service.client(service.client().sign_up("olga"))
        made = owner.create_tournament(
            name="Cup",
            kind="truco",
            format="round_robin",
            house=["random", "rookie"],
            locks_ms=time.time_ns() // 1_000_000 + 1500,
        )
        wait_until(lambda: (owner.tournament(made["id"]) or made)["state"] == "finished")

        def metrics() -> str:
            with urlopen(f"{service.url}/metrics", timeout=PATIENCE) as reply:
                return str(reply.read().decode())

        # Ticks, and the first run of the archiver.
        wait_until(lambda: "botequim_tick_age_seconds" in metrics() and "archive_age_seconds" in metrics())
        yield set(re.findall(r"^(botequim_\w+)", metrics(), re.MULTILINE)) | set(
            re.findall(r"^# TYPE (botequim_\w+)", metrics(), re.MULTILINE)
        )


def test_every_expression_of_the_dashboard_has_its_metrics(exposed: set[str]) -> None:
    expressions = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    assert len(expressions) > 20
    assert all(used(expression) for expression in expressions)
    asked = {name for expression in expressions for name in used(expression)}
    assert asked - exposed == {"botequim_archive_failure_age_seconds"}, "which is there after a failure"


def test_every_alert_has_its_metrics_and_its_place_on_the_page(exposed: set[str]) -> None:
    alarms = (ROOT / "docs/alarms.md").read_text(encoding="utf-8")
    for rule in RULES:
        assert used(rule["expr"]) - exposed == set()
        file, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert file == "docs/alarms.md"
        assert not anchor or anchor == rule["alert"]
    anchors = re.findall(r'<a id="([\w-]+)"></a>', alarms)
    assert set(anchors) == {rule["alert"] for rule in RULES} - {"server-errors"}


def test_every_metric_is_explained_and_shown(exposed: set[str]) -> None:
    table = {name for line in PAGE.splitlines() if line.startswith("| `botequim_") for name in used(line)}
    plain = {re.sub("_(created|bucket|count|sum)$", "", name) for name in exposed}
    plain = {f"{name}_total" if f"{name}_total" in plain else name for name in plain}
    assert plain == table - {"botequim_archive_failure_age_seconds"}, "which is there after a failure"
    shown = {
        name for panel in DASHBOARD["panels"] for target in panel["targets"] for name in used(target["expr"])
    }
    assert table - {re.sub("_bucket$", "", name) for name in shown} == set()


def test_panels_do_not_overlap() -> None:
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]}
    assert len(places) == len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
