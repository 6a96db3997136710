"""Uploads of bots: Python sources and components, which are checked but never run here."""

from __future__ import annotations

import ast
import hashlib
import warnings
from dataclasses import dataclass, field
from typing import Literal

from arena.errors import ArenaError
from arena.sandbox.limits import COMPONENT_MAGIC, DEFAULT_LIMITS
from arena.text import printable

Language = Literal["python", "component"]


class InvalidSource(ArenaError):
    """The upload cannot be a bot; ``extra['line']`` is the line of a syntax error."""

    code = "invalid_source"


@dataclass(frozen=True)
class Upload:
    """The upload of one version: a Python source in UTF-8, or a WebAssembly component."""

    language: Language
    data: bytes = field(repr=False)

    @property
    def digest(self) -> str:
        """Its SHA-256, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def source(self) -> str | bytes:
        """The source as the sandbox takes it."""
        return self.data.decode() if self.language == "python" else self.data


def python_upload(source: str) -> Upload:
    """A Python source. Raises :class:`InvalidSource` if it is too long or is not Python."""
    try:
        data = source.encode()
    except UnicodeEncodeError:
        raise InvalidSource("the source is not text", field="source", expected="text in UTF-8") from None
    most = DEFAULT_LIMITS.source_bytes
    if len(data) > most:
        raise InvalidSource(
            f"the source has {len(data)} bytes", field="source", expected=f"at most {most} bytes"
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError as error:
        line = error.lineno or 1
        raise InvalidSource(
            f"line {line}: {printable(error.msg, 200)}",
            field="source",
            expected="Python",
            extra={"line": line},
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        why = "it is nested too deeply" if isinstance(error, (RecursionError, MemoryError)) else str(error)
        raise InvalidSource(printable(why, 200), field="source", expected="Python") from None
    if not tree.body:
        raise InvalidSource("the source is empty", field="source", expected="a class with choose(self, turn)")
    return Upload("python", data)


def component_upload(data: bytes) -> Upload:
    """A WebAssembly component. Raises :class:`InvalidSource` if it is too long or not a component; the
    compiler checks that it fits the world of ``arena/sandbox/guest/bot.wit``.
    """
    most = DEFAULT_LIMITS.component_bytes
    if len(data) > most:
        raise InvalidSource(
            f"the component has {len(data)} bytes", field="component", expected=f"at most {most} bytes"
        )
    if not data.startswith(COMPONENT_MAGIC):
        raise InvalidSource(
            "this is not a WebAssembly component", field="component", expected="a component in binary form"
        )
    return Upload("component", data)
