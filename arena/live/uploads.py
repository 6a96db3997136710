"""What owners hand in: Python sources and components, looked at but never run here."""

from __future__ import annotations

import ast
import hashlib
import warnings
from dataclasses import dataclass, field
from typing import Final, Literal

from arena.errors import ArenaError
from arena.sandbox.limits import COMPONENT_MAGIC, DEFAULT_LIMITS
from arena.text import printable

MAX_STORED: Final = 64 << 20
"""Bytes of all versions of one bot together."""

Language = Literal["python", "component"]


class InvalidSource(ArenaError):
    """Something that cannot be a bot; ``extra['line']`` is where, if it is Python that cannot be read."""

    code = "invalid_source"


@dataclass(frozen=True)
class Upload:
    """What was handed in for one version: a Python source in UTF-8, or a WebAssembly component."""

    language: Language
    data: bytes = field(repr=False)

    @property
    def digest(self) -> str:
        """Its SHA-256, in hexadecimal."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def source(self) -> str | bytes:
        """As the sandbox takes it."""
        return self.data.decode() if self.language == "python" else self.data


def python_upload(source: str) -> Upload:
    """A Python source. Raises :class:`InvalidSource` if it is too long or is not Python."""
    try:
        data = source.encode()
    except UnicodeEncodeError:
        raise InvalidSource("the source is no text", field="source", expected="text in UTF-8") from None
    most = DEFAULT_LIMITS.source_bytes
    if len(data) > most:
        raise InvalidSource(
            f"a source of {len(data)} bytes", field="source", expected=f"at most {most} bytes"
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
        why = "it nests too deep" if isinstance(error, (RecursionError, MemoryError)) else str(error)
        raise InvalidSource(printable(why, 200), field="source", expected="Python") from None
    if not tree.body:
        raise InvalidSource("the source is empty", field="source", expected="a class with choose(self, turn)")
    return Upload("python", data)


def component_upload(data: bytes) -> Upload:
    """A component of the world in ``arena/sandbox/guest/bot.wit``. Raises :class:`InvalidSource` if it is
    too long or no component; whether it fits that world is seen where it is compiled.
    """
    most = DEFAULT_LIMITS.component_bytes
    if len(data) > most:
        raise InvalidSource(
            f"a component of {len(data)} bytes", field="component", expected=f"at most {most} bytes"
        )
    if not data.startswith(COMPONENT_MAGIC):
        raise InvalidSource(
            "this is no WebAssembly component", field="component", expected="a component in binary form"
        )
    return Upload("component", data)
