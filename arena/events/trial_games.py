"""Trial games: one game of a pasted source against a house bot, in the sandbox, without an account.

A trial game is found by its id, a secret of whoever pasted the source. It is not rated, nobody else sees it,
and it expires. Its limits are lower than those of uploaded bots; limits per address bound how many there are.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import orjson

from arena.accounts.allowances import BudgetExceeded
from arena.accounts.uploads import InvalidSource, python_upload
from arena.bots import HostFailure, bot_spec
from arena.errors import ArenaError
from arena.events.runtimes import OtherRuntime, RuntimeReplaced
from arena.games import GAMES, game_of
from arena.play.dealing import group_seed
from arena.play.groups import play_games
from arena.play.time_limits import OutOfTime, processor_time_limit
from arena.sandbox.bot import sandboxed_spec
from arena.sandbox.checking import Objection, check_upload
from arena.sandbox.limits import SandboxLimits
from arena.sandbox.runtime import Runtime
from arena.store.documents import ExpiringRows
from arena.store.rows import OPTIONAL, optional, read_row, write_row
from arena.tournaments.local_run import Plan
from arena.tournaments.sealed import LocalGroup, recorded

log = logging.getLogger(__name__)

AGAINST: Final = "rookie"
PASTED: Final = "my-bot"
"""The name of the pasted bot in the record."""

MOST_BYTES: Final = 48_000
"""The maximum size of a pasted source: a form of a guest is smaller than an upload."""

LIMITS: Final = SandboxLimits(load_ms=500, decision_ms=500, game_ms=5_000)
"""The limits of each seat of the pasted bot."""

GAME_SECONDS: Final = 60.0
"""The processor time that the game can take. A game that takes more is a failure of the service."""

WAIT_MS: Final = 600_000
"""How long a trial game waits for a worker before it expires."""

KEPT_MS: Final = 86_400_000
"""How long a played game is kept."""

SOURCE_KEPT_MS: Final = 3_600_000
"""How long a source is kept for whoever signs up to submit it."""

_ID_BYTES: Final = 16

TrialState = Literal["kept", "waiting", "played", "refused", "failed"]


@dataclass(frozen=True)
class TrialGame:
    """A trial game, or only a source that is ``kept`` until it is submitted.

    ``reason`` says why a source was ``refused``. ``record`` is the record of a game that was ``played``, and
    ``journals`` are those of the seats of the pasted bot. The state is ``failed`` if the service could not
    play the game; ``reason`` is then empty, or says that the budget of the account ``payer``, which pays for
    the game, is used up.
    """

    source: str
    state: TrialState
    reason: str = optional("")
    record: str = optional("")
    payer: str = optional("")
    journals: list[dict[str, Any]] = field(default_factory=list, metadata=OPTIONAL)
    format: int = 1
    unknown: dict[str, Any] = field(default_factory=dict)


class TrialGames:
    """All trial games. ``ready`` returns the runtime of the sandbox, ``request`` requests the job that plays
    a game, ``check_payer`` raises :class:`~arena.accounts.allowances.BudgetExceeded` if an account cannot pay
    now, and ``charge_to`` charges the running job to an account.
    """

    def __init__(
        self,
        rows: ExpiringRows,
        now_ms: Callable[[], int],
        ready: Callable[[], Runtime],
        request: Callable[[str, str], None],
        check_payer: Callable[[str], None],
        charge_to: Callable[[str], None],
    ) -> None:
        self._rows = rows
        self._now_ms = now_ms
        self._ready = ready
        self._request = request
        self._check_payer = check_payer
        self._charge_to = charge_to

    def keep(self, source: str) -> str:
        """Store a checked source for whoever signs up to submit it, and return its id."""
        return self._put(secrets.token_hex(_ID_BYTES), TrialGame(source, "kept"), SOURCE_KEPT_MS)

    def begin(self, source: str, payer: str) -> str:
        """Request a game of a checked source, for which ``payer`` pays, and return its id."""
        waiting = TrialGame(source, "waiting", payer=payer)
        trial = self._put(secrets.token_hex(_ID_BYTES), waiting, WAIT_MS)
        self._request(trial, payer)
        return trial

    def find(self, trial: str) -> TrialGame | None:
        """Return the trial game with this id, or None if there is none or it has expired."""
        data = self._rows.find(trial)
        return None if data is None else read_row(TrialGame, orjson.loads(data))

    def play(self, trial: str) -> None:
        """Play the game, unless it has been played or has expired.

        Raises :class:`~arena.events.runtimes.OtherRuntime` or
        :class:`~arena.events.runtimes.RuntimeReplaced`.
        """
        waiting = self.find(trial)
        if waiting is None or waiting.state != "waiting":
            return
        try:
            self._check_payer(waiting.payer)
            runtime = self._ready()
            self._charge_to(waiting.payer)
            played = self._played(waiting, trial, runtime)
        except (OtherRuntime, RuntimeReplaced):
            raise
        except BudgetExceeded as error:
            reason = f"{error.message}; try it again when the budget renews at 00:00 UTC"
            played = replace(waiting, state="failed", reason=reason)
        except (ArenaError, HostFailure, OutOfTime):
            log.warning("a trial game could not be played", exc_info=True)
            played = replace(waiting, state="failed")
        self._put(trial, played, KEPT_MS)

    def _played(self, waiting: TrialGame, trial: str, runtime: Runtime) -> TrialGame:
        source = python_upload(waiting.source).source
        assert isinstance(source, str)
        checked = check_upload(source, runtime.component, lambda step: None)
        if isinstance(checked, Objection):
            return replace(waiting, state="refused", reason=checked.detail)
        kind = checked.games[0] if checked.games else next(iter(GAMES))
        group = _group(kind, source, trial, runtime)
        with processor_time_limit(GAME_SECONDS):
            played = recorded(group, play_games(group), self._now_ms)
        journals = [one.journal for one in played.journals]
        return replace(waiting, state="played", record=played.records[0], journals=journals)

    def _put(self, trial: str, row: TrialGame, kept_ms: int) -> str:
        self._rows.put(trial, write_row(row), kept_ms)
        return trial


def check_pasted(text: str) -> str:
    """Return the source in a form's text. Raises :class:`~arena.accounts.uploads.InvalidSource`."""
    # Browsers send the lines of a text with both characters.
    source = text.replace("\r\n", "\n")
    size = len(source.encode("utf-8", "surrogatepass"))
    if size > MOST_BYTES:
        raise InvalidSource(
            f"the source has {size} bytes",
            field="source",
            expected=f"at most {MOST_BYTES} bytes, or an upload",
        )
    python_upload(source)
    return source


def _group(kind: str, source: str, trial: str, runtime: Runtime) -> LocalGroup:
    """Return a group of one game by the rules of the first leaderboard of the game."""
    game = game_of(kind)
    rules = game.options.complete(game.presets[0].rules)
    bots = (sandboxed_spec(PASTED, "1", source, LIMITS), bot_spec(AGAINST, kind))
    plan = Plan(kind, rules, bots, 1, trial, mirrored=False)
    (group,) = plan.all_groups()
    return LocalGroup(
        group.id,
        kind,
        rules,
        bots,
        group.seats[:1],
        group_seed(plan.event_seed, plan.entries, group.id),
        mirrored=False,
        rated=False,
        uploaded=frozenset({0}),
        runtime=runtime.id,
    )
