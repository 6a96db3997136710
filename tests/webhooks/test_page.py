"""``docs/webhooks.md`` does what it says."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from arena.store import webhooks as store_webhooks
from arena.webhook_messages.content import PING_SECONDS
from arena.webhooks import calling, driver
from tests.blocks import ROOT, follow

TOOLS = ("curl", "jq", "openssl", "base64", "od")


@pytest.mark.nightly("guides")
@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"needs {', '.join(TOOLS)}")
def test_the_page(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    said = follow("docs/webhooks.md", tmp_path)
    assert "\ng0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=\n" in said
    (outcome,) = [json.loads(line) for line in said.splitlines() if line.startswith('{"forfeits"')]
    assert outcome["forfeits"] == []
    (webhook,) = [json.loads(line) for line in said.splitlines() if line.startswith('{"url"')]
    assert webhook["circuit"] == "closed"
    assert webhook["last_ok_ms"] is not None
    assert webhook["last_error"] is None


def test_its_numbers_are_those_of_the_program() -> None:
    page = re.sub(r"\s+", " ", (ROOT / "docs/webhooks.md").read_text(encoding="utf-8"))
    for told in (
        f"no reply in {driver.POST_SECONDS:.0f} seconds",
        f"retried after {driver.FIRST_BACKOFF} seconds",
        f"up to {driver.LONGEST_BACKOFF:.0f} seconds",
        f"at most {driver.POSTS_PER_BOT} for one bot",
        f"posted for {store_webhooks.FIRST_PAUSE_MS // 1000} seconds",
        f"within {PING_SECONDS:.0f} seconds",
        f"{calling.MAX_HEAD >> 10} KiB of headers and {calling.MAX_REPLY >> 10} KiB of body",
    ):
        assert told in page
    assert store_webhooks.FAILURES == 5
    assert store_webhooks.LONGEST_PAUSE_MS == 60_000
    assert store_webhooks.LEASE_MS == 4000
