"""One service for the starters, and one place where they are built."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.service import Service

ADMIN_TOKEN: Final = "the-admin-token-of-the-starters-0123456789"


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service"), BOTEQUIM_ADMIN_TOKEN=ADMIN_TOKEN) as service:
        yield service


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all starters are built, so that the second one of a language reuses what the first one built."""
    return tmp_path_factory.mktemp("workshop")
