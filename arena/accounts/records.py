"""The settings of a bot that its owner chooses, each declared once (:mod:`arena.declarations`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from arena.declarations import DECIMAL, NUMBER, TRUTH, declared, setting, settings_of


@declared
class BotSettings:
    """The settings of a bot that its owner chooses."""

    description: str = setting(
        "A short public description of the bot.",
        label="Description",
        max_length=500,
        lines=True,
        default="",
        response="The owner's description of the bot.",
    )
    tournaments: bool | None = setting(
        "Whether the bot is entered in scheduled tournaments while it is online. By default, uploaded bots "
        "are, and other bots are if they ask for it when requesting turns. If this is off, the bot is never "
        "entered, even if it asks for it, and has no rank.",
        label="Takes part in scheduled tournaments",
        default=None,
    )
    ranked: bool = setting(
        "Whether the bot has a rank on leaderboards. At most three bots of an owner, or of owners who share "
        "bots, can have one for each game. New bots do as long as there are fewer than three. Switching it "
        "on counts from the next midnight (UTC), when the bot's rating begins anew.",
        label="Has a rank on leaderboards",
        default=True,
    )
    people: bool = setting(
        "Whether people may play with the bot on the service's pages. The bot must be online or have a "
        "webhook.",
        label="People may play with it",
        default=False,
    )
    datasets: bool = setting(
        "Whether data sets, which `botequim dataset` builds from public records, may include the bot's "
        "decisions.",
        label="Decisions may be in data sets",
        default=True,
    )
    model: str = setting(
        "The name of the bot's language model, which is public; empty if it is not a language model. Only "
        "language models enter tournaments of the division `models`.",
        label="Language model",
        max_length=60,
        default="",
        response="The bot's language model, as declared by its owner; empty if it is not a language model.",
    )
    game_cost: float | None = setting(
        "The bot's cost per game in US dollars, which is public. By default it is unknown.",
        label="Dollars per game",
        minimum=0,
        maximum=1000,
        nullable=True,
        default=None,
        response="The bot's cost per game in US dollars, as declared by its owner, or null.",
    )


NOT_AT_FIRST: Final = ("ranked", "people", "datasets")
"""The settings that an owner can choose only after the bot is registered."""

_FROM_TEXT: Final[Mapping[str, Callable[[str], Any]]] = {NUMBER: int, DECIMAL: float, TRUTH: "1".__eq__}


def pack_settings(settings: Mapping[str, object]) -> dict[str, str]:
    """Return the fields for a bot's row, leaving out settings that are None."""
    given = {name: value for name, value in settings.items() if value is not None}
    return {name: str(int(value) if isinstance(value, bool) else value) for name, value in given.items()}


def unpack_settings(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings in a bot's row, with defaults for those that are missing. Raises ValueError."""
    return {
        name: _FROM_TEXT.get(one.kind, str)(fields[name]) if name in fields else one.default
        for name, one in settings_of(BotSettings).items()
    }
