"""What owners say about bots that are language models."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import fields, validate

from api.schemas.fields import TypedLine

MAX_MODEL: Final = 60
"""The maximum characters of the name of a language model."""
MAX_COST: Final = 1000
"""The maximum of what a game may be said to cost, in US dollars."""


def model(**options: Any) -> TypedLine:
    """The name of the model. ``options``: of the field."""
    return TypedLine(
        MAX_MODEL,
        **options,
        metadata={
            "description": "If the bot is a language model, which one; public. Only such bots enter "
            "tournaments of the division `models`. Empty: it is none."
        },
    )


def game_cost(**options: Any) -> fields.Float:
    """The cost of a game. ``options``: of the field; with ``allow_none``, null removes it."""
    description = "What a game costs the bot, in US dollars, as its owner says; public."
    if options.get("allow_none"):
        description += " Null removes it."
    return fields.Float(
        **options, validate=validate.Range(0, MAX_COST), metadata={"description": description}
    )
