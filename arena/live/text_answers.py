"""Text answers: finds the actions that they name, depending on the games of their turns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, TypeGuard

from arena.errors import ArenaError
from arena.games import game_of
from arena.live.header import GameHeader, check_game_id
from arena.live.service import LiveGames
from arena.play.table import parse_turn_id
from arena.play.turn_texts import read_action


class _TextAnswer(TypedDict):
    """The relevant parts of an answer."""

    turn: str
    action: str


def read_answers(live: LiveGames, answers: Sequence[object]) -> list[object]:
    """Convert answers to the form that :meth:`LiveGames.exchange` accepts, with the actions that their texts
    name. A text that names no action is left unchanged, and is later rejected as illegal. Answers without a
    turn or text are also left unchanged. Whether the turns exist and belong to the bot is not checked here.
    """
    kinds = kinds_of(live, (answer["turn"] for answer in answers if _is_text(answer)))
    return [_read(answer, kinds) if _is_text(answer) else answer for answer in answers]


def _is_text(answer: object) -> TypeGuard[_TextAnswer]:
    return (
        isinstance(answer, Mapping)
        and isinstance(answer.get("turn"), str)
        and isinstance(answer.get("action"), str)
    )


def _read(answer: _TextAnswer, kinds: Mapping[str, str]) -> _TextAnswer:
    kind = kinds.get(answer["turn"])
    action = None if kind is None else read_action(game_of(kind), answer["action"])
    return answer if action is None else {**answer, "action": action}


def kinds_of(live: LiveGames, turns: Iterable[str]) -> dict[str, str]:
    """Return the kind of game for each turn id. Turns whose game does not exist are left out."""
    games = {turn: game for turn in turns if (game := _game_id(turn))}
    wanted = sorted(set(games.values()))
    headers = zip(wanted, live.index.headers(wanted) if wanted else (), strict=True)
    kinds = {game: GameHeader.loads(header).kind for game, header in headers if header is not None}
    return {turn: kinds[game] for turn, game in games.items() if game in kinds}


def _game_id(turn: str) -> str:
    try:
        return check_game_id(parse_turn_id(turn)[0])
    except ArenaError:
        return ""
