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


def _program(name: str, build: str, run: str, old: str) -> tuple[str, str, str, str]:
    """Return the first four commands of a program that plays by JSON lines."""
    return (
        f"botequim new my-bot --game {{kind}} --language {name} && cd my-bot && {build}",
        f'botequim play {{kind}} "cmd:{run} --stdio" rookie',
        f'botequim bot test "cmd:{run} --stdio"',
        f'botequim compare "cmd:{run} --stdio" "cmd:{old} --stdio" --kind {{kind}}',
    )


_MODULE: Final = "a WebAssembly module (WASI preview 1)"

LANGUAGE_TABLE: Final = (
    Language(
        "python",
        "Python",
        (
            "botequim new my_bot --game {kind} && cd my_bot",
            "botequim play {kind} my_bot.py rookie",
            "botequim bot test my_bot.py",
            "botequim compare my_bot.py ../old/my_bot.py --kind {kind}",
            "botequim bot submit my_bot.py --name my-bot",
        ),
        "Python 3.11 or newer",
        "the file, by CPython in the sandbox",
        "0.06 ms; its code runs at a third of its speed at home",
    ),
    Language(
        "javascript",
        "JavaScript",
        (
            "botequim new my-bot --game {kind} --language javascript && cd my-bot",
            "botequim play {kind} my-bot.js rookie",
            "botequim bot test my-bot.js",
            "botequim compare my-bot.js ../old/my-bot.js --kind {kind}",
            "botequim bot submit my-bot.js --name my-bot",
        ),
        "Node 18 or newer",
        "the file, by QuickJS in the sandbox",
        "0.3 ms; for the same fuel it computes about as much as Python",
    ),
    Language(
        "go",
        "Go",
        (
            *_program("go", "go build", "./my-bot", "../old/my-bot"),
            "GOOS=wasip1 GOARCH=wasm go build -o bot.wasm && botequim bot submit bot.wasm --name my-bot",
        ),
        "Go 1.21 or newer",
        _MODULE,
        "0.3 ms; compiled code, like that of C",
    ),
    Language(
        "rust",
        "Rust",
        (
            *_program("rust", "cargo build", "target/debug/my-bot", "../old/target/debug/my-bot"),
            "cargo build --release --target wasm32-wasip1 && "
            "botequim bot submit target/wasm32-wasip1/release/my-bot.wasm --name my-bot",
        ),
        "Cargo",
        _MODULE,
        "0.2 ms; compiled code, like that of C",
    ),
    Language(
        "java",
        "Java",
        (
            *_program("java", "javac -d build *.java", "java -cp build Main", "java -cp ../old/build Main"),
            "java -cp build Main",
        ),
        "JDK 17 or newer",
        "not yet: it plays online from your own machine, in the division open",
        "nothing",
    ),
    Language(
        "c",
        "C",
        (
            *_program("c", "make", "./my-bot", "../old/my-bot"),
            "make bot.wasm && botequim bot submit bot.wasm --name my-bot",
        ),
        "a C compiler and make",
        _MODULE,
        "0.2 ms; for the same fuel it computes about 200 times as much as Python",
    ),
)
"""All languages, in the order in which pages show them."""
