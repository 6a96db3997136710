"""The errors raised for bad input, regardless of transport."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class ArenaError(Exception):
    """Bad input or a refused request, described in one line.

    ``code`` is stable, so programs can match it. ``message`` tells people what is wrong, ``field`` where (a
    dotted path or a file position), and ``expected`` what is allowed.
    """

    code: ClassVar[str] = "invalid"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        field: str | None = None,
        expected: str | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(message)
        if code is not None:
            # Set on this instance only; the class keeps its own code.
            vars(self)["code"] = code
        self.message = message
        self.field = field
        self.expected = expected
        self.extra: dict[str, Any] = dict(extra or {})

    def __str__(self) -> str:
        parts = [self.message]
        if self.field:
            parts.append(f"at {self.field}")
        if self.expected:
            parts.append(f"expected {self.expected}")
        return "; ".join(parts)


class UnknownGame(ArenaError):
    """A game kind that this program does not play."""

    code = "kind_not_found"


class UnknownPreset(ArenaError):
    """A preset that the game does not have."""

    code = "preset_not_found"

    @classmethod
    def among(cls, text: str, name: str, known: Sequence[str]) -> UnknownPreset:
        """Return the error for a name that is not in ``known``. ``text`` is the beginning of the message."""
        return cls(f"{text} {name[:80]!r}", field="preset", expected="one of " + ", ".join(known))


class UnknownBot(ArenaError):
    """No bot exists with that name or at that path."""

    code = "bot_not_found"


class InvalidOption(ArenaError):
    """A rule option that does not exist, has the wrong type or is out of range."""

    code = "invalid_option"


class IllegalAction(ArenaError):
    """An action that is illegal now; ``extra['legal_actions']`` lists the legal ones."""

    code = "illegal_action"


class CorruptState(ArenaError):
    """A serialised state that this version cannot read."""

    code = "corrupt_state"


class NewerFormat(CorruptState):
    """A serialised state or stored row written by a newer version. Only newer processes handle it."""
