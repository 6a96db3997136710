"""The limits of what a test case may cost."""

from __future__ import annotations

import pytest

from tests import durations


@pytest.fixture
def item(request: pytest.FixtureRequest) -> pytest.Item:
    case = request.node
    assert isinstance(case, pytest.Item)
    return case


@pytest.mark.parametrize(("reference", "factor"), [(0.1, 1.0), (0.25, 1.0), (0.75, 3.0)])
def test_a_slow_machine_raises_the_limit(
    item: pytest.Item, reference: float, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durations, "_reference", lambda: reference)
    monkeypatch.setattr("sys.gettrace", lambda: None)
    assert durations.highest(item) == pytest.approx(6.0 * 2.0 * factor)
    monkeypatch.setattr("sys.gettrace", lambda: "a tracer")
    assert durations.highest(item) == pytest.approx(6.0 * 2.0 * 3.5 * factor)


@pytest.mark.costly(5, "a limit of its own")
def test_an_exception_has_its_own_limit(item: pytest.Item) -> None:
    assert durations.budget(item) == 5.0
