"""The public API for authors of bots and programs; all other modules are internal.

Names are loaded on first use, so that importing this package is cheap and a bot needs no server library. The
names in ``__all__`` are for bots and are also available in the sandbox, as are :mod:`botequim.cards`,
:mod:`botequim.toepen` and :mod:`botequim.truco`. The other names are for programs. ``docs/bots.md`` lists
them all.
"""

from __future__ import annotations

TYPE_CHECKING = False
"""Type checkers recognise this name. Importing ``typing`` would take longer than the rest of this module."""

if TYPE_CHECKING:
    from arena import __version__ as __version__
    from arena.bots.barfly import BarflyBot as BarflyBot
    from arena.bots.base import Bot as Bot
    from arena.bots.base import BotFailure as BotFailure
    from arena.bots.base import HostFailure as HostFailure
    from arena.bots.base import Turn as Turn
    from arena.bots.loader import BotSpec as BotSpec
    from arena.bots.loader import InvalidBot as InvalidBot
    from arena.bots.loader import bot_spec as bot_spec
    from arena.bots.random_bot import RandomBot as RandomBot
    from arena.bots.redeal import redeal as redeal
    from arena.bots.regular import RegularBot as RegularBot
    from arena.bots.rookie import RookieBot as RookieBot
    from arena.bots.shark import SharkBot as SharkBot
    from arena.client import ApiError as ApiError
    from arena.client import Client as Client
    from arena.client import OnlinePlayer as OnlinePlayer
    from arena.client import ServerEvent as ServerEvent
    from arena.client import Unreachable as Unreachable
    from arena.client import run as run
    from arena.errors import ArenaError as ArenaError
    from arena.errors import IllegalAction as IllegalAction
    from arena.games import features_of as features_of
    from arena.games.features import DECLINE as DECLINE
    from arena.games.features import Features as Features
    from arena.games.features import Layout as Layout
    from arena.games.kernel import CHANCE as CHANCE
    from arena.games.kernel import Chance as Chance
    from arena.games.kernel import Outcome as Outcome
    from arena.games.kernel import State as State
    from arena.play.players import PlayerId as PlayerId
    from arena.ratings.board import ledger_board as ledger_board
    from arena.ratings.ledger import Ledger as Ledger
    from arena.ratings.results import collect as collect
    from arena.ratings.standings import standings as standings
    from arena.ratings.supplement import Supplement as Supplement
    from arena.records.record import Record as Record
    from arena.records.record import load_records as load_records
    from arena.records.record import parse_record as parse_record
    from arena.records.verify import Problem as Problem
    from arena.records.verify import verify as verify
    from arena.records.verify import verify_text as verify_text
    from arena.replays.moves import read_moves as read_moves
    from arena.research import spiel as spiel
    from arena.research import toepen_v0 as toepen_v0
    from arena.research import truco_v0 as truco_v0
    from arena.sandbox.bot import check_bot as check_bot
    from arena.sandbox.bot import sandboxed_spec as sandboxed_spec

_FOR_BOTS = {
    "arena.bots.barfly": ("BarflyBot",),
    "arena.bots.base": ("Bot", "Turn"),
    "arena.bots.random_bot": ("RandomBot",),
    "arena.bots.redeal": ("redeal",),
    "arena.bots.regular": ("RegularBot",),
    "arena.bots.rookie": ("RookieBot",),
    "arena.bots.shark": ("SharkBot",),
    "arena.errors": ("ArenaError", "IllegalAction"),
    "arena.games": ("features_of",),
    "arena.games.features": ("DECLINE", "Features", "Layout"),
    "arena.games.kernel": ("CHANCE", "Chance", "Outcome", "State"),
}
"""The names by module."""

_FOR_PROGRAMS = {
    "arena": ("__version__",),
    "arena.bots.base": ("BotFailure", "HostFailure"),
    "arena.bots.loader": ("BotSpec", "InvalidBot", "bot_spec"),
    "arena.client": ("ApiError", "Client", "OnlinePlayer", "ServerEvent", "Unreachable", "run"),
    "arena.play.players": ("PlayerId",),
    "arena.ratings.board": ("ledger_board",),
    "arena.ratings.ledger": ("Ledger",),
    "arena.ratings.results": ("collect",),
    "arena.ratings.standings": ("standings",),
    "arena.ratings.supplement": ("Supplement",),
    "arena.records.record": ("Record", "load_records", "parse_record"),
    "arena.records.verify": ("Problem", "verify", "verify_text"),
    "arena.replays.moves": ("read_moves",),
    "arena.research": ("spiel", "toepen_v0", "truco_v0"),
    "arena.sandbox.bot": ("check_bot", "sandboxed_spec"),
}

_MODULES = {
    name: module for table in (_FOR_BOTS, _FOR_PROGRAMS) for module, names in table.items() for name in names
}

__all__ = sorted(name for names in _FOR_BOTS.values() for name in names)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})


if not TYPE_CHECKING:
    # A type checker would conclude that every name exists.

    def __getattr__(name):
        """Load a name. Raises ImportError if its dependencies are not installed."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            # Like "from module import name", this also works if the name is a module.
            found = getattr(__import__(_MODULES[name], fromlist=[name]), name)
        except ModuleNotFoundError as error:
            raise ImportError(f"{name} of botequim is not available here: {error}", name=__name__) from None
        globals()[name] = found
        return found
