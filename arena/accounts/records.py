"""The owner's statements about a bot, each declared once (:mod:`arena.declarations`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from arena.declarations import DECIMAL, NUMBER, TRUTH, declared, setting, settings_of


@declared
class BotSettings:
    """The statements of an owner about a bot."""

    description: str = setting(
        "A short public description of the bot.",
        label="Description",
        max_length=500,
        lines=True,
        default="",
        response="The owner's description of the bot.",
    )
    tournaments: bool | None = setting(
        "Whether the bot is entered in scheduled tournaments while it is online. By default an uploaded bot "
        "is, and others are if they say so when they ask for turns; switched off, it is not, whatever it "
        "says.",
        label="Takes part in scheduled tournaments",
        default=None,
    )
    people: bool = setting(
        "Whether people may play with the bot at the pages of the service. It must be online, or have a "
        "webhook.",
        label="People may play with it",
        default=False,
    )
    datasets: bool = setting(
        "Whether the bot's decisions may be in data sets, which `botequim dataset` makes of the public "
        "records.",
        label="Decisions may be in data sets",
        default=True,
    )
    model: str = setting(
        "If the bot is a language model, which one; public. Only such bots enter tournaments of the division "
        "`models`. Empty: it is none.",
        label="Language model",
        max_length=60,
        default="",
        response="The language model that the bot is, as its owner says; empty if it is none.",
    )
    game_cost: float | None = setting(
        "What a game costs the bot, in US dollars, as its owner says; public. By default it is unknown.",
        label="Dollars per game",
        minimum=0,
        maximum=1000,
        nullable=True,
        default=None,
        response="What a game costs it in US dollars, as its owner says, or null.",
    )


NOT_AT_FIRST: Final = ("people", "datasets")
"""What an owner says about a bot only once it is registered."""

_FROM_TEXT: Final[Mapping[str, Callable[[str], Any]]] = {NUMBER: int, DECIMAL: float, TRUTH: "1".__eq__}


def pack_settings(settings: Mapping[str, object]) -> dict[str, str]:
    """Return the fields of a bot's row, without those that are None."""
    given = {name: value for name, value in settings.items() if value is not None}
    return {name: str(int(value) if isinstance(value, bool) else value) for name, value in given.items()}


def unpack_settings(fields: Mapping[str, str]) -> dict[str, Any]:
    """Invert :func:`pack_settings`, adding the defaults of what is not stored. Raises ValueError."""
    return {
        name: _FROM_TEXT.get(one.kind, str)(fields[name]) if name in fields else one.default
        for name, one in settings_of(BotSettings).items()
    }
