"""Bot files for the tests: good ones and bad ones."""

from __future__ import annotations

from pathlib import Path

SOURCES = {
    "first": """
from arena.bots import Bot

class First(Bot):
    def choose(self, turn):
        return turn["legal_actions"][0]
""",
    "plain": """
def choose(turn):
    return turn["legal_actions"][-1]
""",
    "raises": """
class Bot:
    def choose(self, turn):
        raise RuntimeError("no idea")
""",
    "raises_twice": """
import random
class Bot:
    def choose(self, turn):
        if turn["seat"]:
            return self.pick(f"[red]{turn['turn']}\\x1b")
        raise ValueError("odd")
    def pick(self, what):
        return {}[what] or random.choice([])
""",
    "not_made": """
class Bot:
    def __init__(self):
        raise RuntimeError("not today")
    def choose(self, turn):
        return turn["legal_actions"][0]
""",
    "illegal": """
class Bot:
    def choose(self, turn):
        return "play:ZZ"
""",
    "malformed": """
class Bot:
    def choose(self, turn):
        return {"action": turn["legal_actions"][0]}
""",
    "hangs": """
class Bot:
    def choose(self, turn):
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass
""",
    "hangs_deaf": """
import signal
class Bot:
    def choose(self, turn):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        while True:
            pass
""",
    "exits": """
import os
class Bot:
    def choose(self, turn):
        os._exit(3)
""",
    "prints": """
class Bot:
    def choose(self, turn):
        print("thinking aloud")
        return turn["legal_actions"][0]
""",
}


def write(folder: Path, name: str) -> str:
    """The path of the bot file ``name`` in ``folder``."""
    path = folder / f"{name}.py"
    path.write_text(SOURCES[name])
    return str(path)
