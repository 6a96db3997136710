"""High card keeps the contract of all games."""

from tests.contract.test_contract import *  # noqa: F403
from tests.contract.test_secrets import *  # noqa: F403
