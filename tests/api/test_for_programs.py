"""``llms.txt`` and ``security.txt``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from api.app import create_app
from api.pages.manual import NAMES
from arena.ops.settings import HttpSettings, Settings
from tests.api.contract import ContractClient, contract_client


def test_llms_txt_has_every_page(anybody: ContractClient) -> None:
    response = anybody.get("/llms.txt")
    assert response.content_type == "text/plain; charset=utf-8"
    title, _, summary, *_ = response.text.splitlines()
    assert title == "# Botequim"
    assert summary.startswith("> ")
    links = re.findall(r"^- \[[^\]]+\]\(http://localhost(/[^)]+)\): .+\.$", response.text, re.MULTILINE)
    others = {"/docs/api", "/openapi.json", "/SKILL.md", "/download/"}
    assert {*(f"/docs/{name}" for name in NAMES), *others} == set(links)
    assert all(anybody.get(link).status_code == 200 for link in links)
    assert "(/docs/turns)" in anybody.get("/llms.txt", headers={"Host": "a$(id)"}).text


def test_the_skill_leads_to_this_service(anybody: ContractClient) -> None:
    response = anybody.get("/SKILL.md", headers={"Host": "bar.example"})
    assert response.content_type == "text/markdown; charset=utf-8"
    assert response.text.startswith("---\nname: botequim\ndescription: ")
    assert '"url": "http://bar.example/mcp"' in response.text
    assert "127.0.0.1" not in response.text
    links = re.findall(r"\]\(([^)]+)\)", response.text)
    assert links
    assert all(link.startswith("http://bar.example/docs/") for link in links)
    assert all(anybody.get(link.removeprefix("http://bar.example")).status_code == 200 for link in links)


def test_security_txt_has_the_contact(settings: Settings) -> None:
    http = HttpSettings(
        limits=settings.http.limits,
        public_url="https://bar.example",
        security_contact="mailto:security@bar.example",
    )
    response = contract_client(create_app(Settings(settings.redis_url, http=http))).get(
        "/.well-known/security.txt"
    )
    assert response.content_type == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in response.text.splitlines())
    assert fields["Contact"] == "mailto:security@bar.example"
    assert fields["Canonical"] == "https://bar.example/.well-known/security.txt"
    left = datetime.fromisoformat(fields["Expires"]) - datetime.now(UTC)
    assert timedelta(days=363) < left <= timedelta(days=365)


def test_security_txt_without_a_contact(anybody: ContractClient) -> None:
    assert anybody.get("/.well-known/security.txt").status_code == 404
