"""The languages of the starters: the five commands from a new bot to a rank, and what a decision costs.

The page for authors, the manual and the tests read this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Language:
    """A language of ``botequim new``.

    ``steps`` are the commands that create, play, test, compare and submit a bot of the game ``{kind}``, in
    this order. ``home`` says what runs the bot on its author's machine, ``arena`` what runs it in the arena,
    and ``cost`` what a decision costs there besides the bot's own thinking.
    """

    name: str
    title: str
    steps: tuple[str, str, str, str, str]
    home: str
    arena: str
    cost: str

    def commands(self, kind: str) -> list[str]:
        """Return the five commands for a bot of the game ``kind``."""
        return [step.replace("{kind}", kind) for step in self.steps]


def _built(name: str, title: str, build: str, home: str, cost: str) -> Language:
    """Return a language that is compiled: to a program at home and to a module for the arena."""
    return Language(
        name,
        title,
        (
            f"botequim new my-bot --game {{kind}} --language {name} && cd my-bot && {build}",
            'botequim play {kind} "cmd:./my-bot --stdio" rookie',
            'botequim bot test "cmd:./my-bot --stdio" --kind {kind}',
            'botequim compare "cmd:./my-bot --stdio" "cmd:./old --stdio" --kind {kind}',
            "make module && botequim bot submit my-bot.wasm --name my-bot",
        ),
        home,
        "a WebAssembly module (WASI preview 1)",
        cost,
    )


LANGUAGE_TABLE: Final = (
    Language(
        "python",
        "Python",
        (
            "botequim new my_bot --game {kind} && cd my_bot",
            "botequim play {kind} my_bot.py rookie",
            "botequim bot test my_bot.py --kind {kind}",
            "botequim compare my_bot.py old.py --kind {kind}",
            "botequim bot submit my_bot.py --name my-bot",
        ),
        "Python 3.11 or newer",
        "the file, by CPython in the sandbox",
        "0.05 ms; its code runs at a third of its speed at home",
    ),
    Language(
        "javascript",
        "JavaScript",
        (
            "botequim new my-bot --game {kind} --language javascript && cd my-bot",
            "botequim play {kind} my-bot.js rookie",
            "botequim bot test my-bot.js --kind {kind}",
            "botequim compare my-bot.js old.js --kind {kind}",
            "botequim bot submit my-bot.js --name my-bot",
        ),
        "Node 18 or newer",
        "the file, by QuickJS in the sandbox",
        "0.1 ms; for the same fuel it computes about as much as Python",
    ),
    _built("go", "Go", "make", "Go 1.21 or newer", "0.3 ms; compiled code, like that of C"),
    _built("rust", "Rust", "make", "Cargo", "0.15 ms; compiled code, like that of C"),
    Language(
        "java",
        "Java",
        (
            "botequim new my-bot --game {kind} --language java && cd my-bot",
            'botequim play {kind} "cmd:java Main.java --stdio" rookie',
            'botequim bot test "cmd:java Main.java --stdio" --kind {kind}',
            'botequim compare "cmd:java Main.java --stdio" rookie --kind {kind}',
            "java Main.java",
        ),
        "JDK 17 or newer",
        "not yet: it plays online from your own machine, in the division open",
        "nothing",
    ),
    _built("c", "C", "make", "any compiler of C99", "0.15 ms; for the same fuel it computes about 200 times as much as Python"),
)
"""All languages, in the order in which pages show them."""
