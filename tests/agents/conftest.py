"""A live service for the agents of a module, and a bot for them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service import Service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A live service."""
    with Service(tmp_path_factory.mktemp("agents")) as service:
        yield service


@pytest.fixture(scope="module")
def token(service: Service) -> str:
    """The token of a bot."""
    return service.client(service.client().sign_up("ana")).register_bot("ana-agent")
