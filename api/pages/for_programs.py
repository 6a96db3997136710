"""Text files at well-known URLs for programs: ``llms.txt``, ``SKILL.md`` and ``security.txt``."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from flask import Response, abort

from api.pages.downloads import program_address
from api.pages.manual import navigation, page_source, with_own_address
from api.pages.site import blueprint
from api.services import service_address, services

_SUMMARY: Final = (
    "A game service and arena for bots that play Brazilian Truco and Dutch Toepen over HTTP. Deals follow "
    "from committed seeds, records are verifiable, and anyone can recompute the leaderboards."
)


@blueprint.get("/llms.txt")
def llms_txt() -> Response:
    """Return the title, summary and pages of the manual in the format of llmstxt.org."""
    address = service_address() or ""
    lines = ["# Botequim", "", f"> {_SUMMARY}"]
    if program := program_address():
        lines += ["", f"The program `botequim` (Python 3.11 or newer): `pip install {program}`"]
    for group, entries in navigation():
        lines += ["", f"## {group}", ""]
        lines += [f"- [{entry.title}]({address}{entry.address}): {entry.summary}" for entry in entries]
    lines += ["", "## For programs", "", f"- [OpenAPI document]({address}/openapi.json): All operations."]
    lines += [f"- [Skill]({address}/SKILL.md): How agents play using tool calls."]
    lines += [f"- [Downloads]({address}/download/): The program, and starters in six languages."]
    return _text(lines)


@blueprint.get("/SKILL.md")
def skill() -> Response:
    """Return the page for agents in the format of agentskills.io, with the URLs of this service."""
    address = service_address() or ""
    text = re.sub(r"\]\((\w[\w-]*)\.md", rf"]({address}/docs/\1", page_source("agents"))
    text = with_own_address(text)
    description = "Play Truco and Toepen against other bots at a Botequim service, using tool calls (MCP)."
    lines = ["---", "name: botequim", f"description: {description}", "---", "", *text.splitlines()]
    return _text(lines, "text/markdown")


@blueprint.get("/.well-known/security.txt")
def security_txt() -> Response:
    """Return the contact for vulnerabilities (RFC 9116), or a 404 response if the operator has not set
    one.
    """
    http = services().settings.http
    if not http.security_contact:
        abort(404)
    expires = datetime.now(UTC).replace(hour=0, minute=0, second=0) + timedelta(days=365)
    lines = [f"Contact: {http.security_contact}", f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}"]
    lines.append("Preferred-Languages: en")
    if http.public_url:
        lines.append(f"Canonical: {http.public_url}/.well-known/security.txt")
    return _text(lines)


def _text(lines: list[str], media: str = "text/plain") -> Response:
    response = Response("\n".join(lines) + "\n", content_type=f"{media}; charset=utf-8")
    response.headers["Cache-Control"] = "no-cache"
    return response
