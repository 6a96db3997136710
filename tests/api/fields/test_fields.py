"""Each field of each request: set by API, command and page, described once, alike everywhere, in the docs."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.fields.gaps import Gap, gaps
from tests.api.fields.pages import controls_of
from tests.api.pages import Browser


@pytest.fixture
def found(app: Flask, browser: Browser, owner: Account, admin: ContractClient) -> list[Gap]:
    """All gaps."""
    response = admin.put(f"/v1/admin/owners/{owner.name}/admin", json={"admin": True})
    assert response.status_code == 200, response.text
    c = controls_of(app, browser, owner)
    import pickle; pickle.dump(c, open("/tmp/controls.pickle", "wb"))
    return list(gaps(c))


def test_print(found: list[Gap]) -> None:
    import collections
    with open("/tmp/gaps.txt", "w") as f:
        for kind, n in collections.Counter(k for k, _ in {(g.kind, g.where) for g in found}).items():
            f.write(f"{kind}: {n}\n")
        for g in sorted(set(found)):
            f.write(f"{g.kind} | {g.where} | {g.what}\n")
