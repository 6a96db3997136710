"""Turns and results as ``text/plain``, for programs that read text, such as language models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flask import Response
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from api.http.edge import Environ
from api.news import NewsTexts
from arena.games import game_of
from arena.games.kernel import Turn
from arena.operations.operation import JSON
from arena.play.turn_texts import legal_lines

TEXT: Final = "text/plain"


def wants_text(environ: Environ) -> bool:
    """Return whether the request prefers text to JSON."""
    accept = environ.get("HTTP_ACCEPT", "")
    if TEXT not in accept:
        return False
    return parse_accept_header(accept, MIMEAccept).best_match((JSON, TEXT)) == TEXT


def page_text(
    results: Sequence[Mapping[str, Any]],
    kinds: Mapping[str, str],
    turns: Sequence[Turn],
    cursor: str,
    legal: str,
    news: NewsTexts,
) -> Response:
    """Return a text with the results, then the ends of games and the turns in the texts of ``news``, and the
    cursor in the last line. ``kinds`` maps the turns of the results to the kinds of their games.
    """
    parts = ["\n".join(result_lines(result, kinds, legal)) + "\n" for result in results]
    known = {turn["turn"] for turn in turns}
    fresh = [found for result in results if (found := result.get("fresh")) and found["turn"] not in known]
    parts += news.page([*fresh, *turns], legal)
    if not turns:
        parts.append("No new turn.\n")
    parts.append(f"cursor: {cursor}\n")
    return Response("\n".join(parts), content_type=f"{TEXT}; charset=utf-8")


def result_lines(result: Mapping[str, Any], kinds: Mapping[str, str], legal: str) -> list[str]:
    """Return the lines for the result of one answer. If the answer was refused as illegal, they list the
    legal actions.
    """
    status, turn = result["status"], result["turn"] or "?"
    if status == "accepted":
        again = " (again)" if result["repeated"] else ""
        return [f"answer {turn}: accepted {result['action']}{again}"]
    lines = [f"answer {turn}: {status}, {result['message']}"]
    if "faults" in result:
        lines.append(f"Faults: {result['faults']}{', forfeited' if result['forfeited'] else ''}")
    if status in ("illegal_action", "malformed") and turn in kinds:
        legal_actions = result.get("legal_actions", ())
        is_list = legal == "list" and legal_actions
        lines += legal_lines(legal_actions, "list" if is_list else "grammar", game_of(kinds[turn]))
    return lines
