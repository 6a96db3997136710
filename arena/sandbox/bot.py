"""Uploaded bots, with the interface that all bots share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from arena.bots import Bot, BotFailure, BotSpec, InvalidBot, Turn
from arena.bots.loader import check_imports, checked_games
from arena.play.time_limits import deferred_alarms
from arena.sandbox.javascript import javascript_program
from arena.sandbox.limits import DEFAULT_LIMITS, FUEL_PER_MS, SandboxLimits
from arena.sandbox.meter import OutOfFuel, Usage
from arena.sandbox.module_thread import OutOfProcessorTime
from arena.sandbox.modules import module_program
from arena.sandbox.program import Failed, NoAction, Program, ProgramInstance, Trapped
from arena.sandbox.runtime import python_program
from arena.text import printable

Language = Literal["python", "javascript", "module"]

_SUMMARY: Final = 200
_REPORT: Final = 8_000


@dataclass(slots=True)
class LoggedDecision:
    """A decision, as shown to the bot's owner: the turn's id, the milliseconds of fuel, the number of actions
    in the game before it, where the output of the decision starts in that of the game, and the fault, if any.
    """

    turn: str
    ms: float
    after: int
    output_start: int
    fault: str = ""
    detail: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the decision as a dictionary without empty fields."""
        decision: dict[str, object] = {
            "turn": self.turn,
            "ms": round(self.ms, 3),
            "after": self.after,
            "output_start": self.output_start,
        }
        return {**decision, "fault": self.fault, "detail": self.detail} if self.fault else decision


@dataclass
class Journal:
    """The journal of one game for the bot's owner: printed text, and decisions."""

    limit: int
    output: str = ""
    cut: bool = False
    """Whether the output was truncated."""
    load_ms: float = 0.0
    after: int = 0
    """The number of actions in the game so far."""
    decisions: list[LoggedDecision] = field(default_factory=list)

    def print(self, text: str) -> None:
        """Append text, up to the size limit."""
        room = self.limit - len(self.output)
        self.cut = self.cut or len(text) > room
        self.output += text[:room]

    def as_json(self) -> dict[str, object]:
        """Return the journal as stored with the game. Only the bot's owner and admins can see it."""
        return {
            "output": self.output,
            "cut": self.cut,
            "load_ms": round(self.load_ms, 3),
            "decisions": [decision.as_json() for decision in self.decisions],
        }


class SandboxedBot(Bot):
    """One seat of one game, played by a new instance.

    :meth:`choose` raises :class:`~arena.bots.BotFailure` for faults of the bot and
    :class:`~arena.bots.HostFailure` for server faults. For the next decision, an instance that ran out of
    fuel or trapped is replaced with a new one, with the same seed and the game's remaining fuel.

    Limits on fuel and processor time end every call, so an alarm (``arena.play.time_limits``) is raised only
    after a call.
    """

    def __init__(
        self, program: Program, source: str, seed: int, limits: SandboxLimits = DEFAULT_LIMITS
    ) -> None:
        """Prepare a seat. ``source`` is empty if the program itself is the bot."""
        self.journal = Journal(limits.output_chars)
        self.failure: BotFailure | None = None
        """The error from loading the bot, which then plays no turn."""
        self._program = program
        self._source = source
        self._seed = seed
        self._limits = limits
        self.usage = Usage()
        self._instance: ProgramInstance | None = None
        with deferred_alarms:
            try:
                self._start()
            except BotFailure as failure:
                # The error's traceback would keep this bot and its memory alive until the garbage collector
                # runs.
                self.failure = failure.with_traceback(None)
                self.failure.__context__ = None
                self.journal.print(f"{failure}\n")

    def choose(self, turn: Turn) -> str | None:
        """Choose an answer like :meth:`arena.bots.Bot.choose`. It can be any string."""
        before = self.usage.fuel
        decision = LoggedDecision(turn["turn"], 0.0, self.journal.after, len(self.journal.output))
        self.journal.decisions.append(decision)
        with deferred_alarms:
            try:
                if self.failure is not None:
                    raise self.failure
                return self._decide(turn)
            except BotFailure as failure:
                decision.fault, decision.detail = failure.type, str(failure)
                raise
            finally:
                decision.ms = (self.usage.fuel - before) / FUEL_PER_MS

    def named_games(self) -> tuple[str, ...]:
        """Return the games that the bot says it plays; an empty result means all games. Raises
        :class:`~arena.bots.BotFailure`, :class:`~arena.bots.HostFailure` or :class:`~arena.bots.InvalidBot`.
        """
        if self.failure is not None:
            raise self.failure
        with deferred_alarms:
            named = self._decide(None) or ""
        # The code in the sandbox is not trusted to have checked them.
        return checked_games(named.split(), "the bot")

    def close(self) -> None:
        """Free the instance's memory. This also happens when the object is garbage-collected."""
        if self._instance is None:
            return
        with deferred_alarms:
            self._instance.close()
            self._instance = None

    def _start(self) -> None:
        before = self.usage.fuel
        fuel = self._fuel(self._limits.load_ms)
        try:
            code = self._code()
            self._instance = self._program.instance(self._limits, self._seed, self.journal.print, self.usage)
            self.wants_rights = self._instance.load(self._source, code, fuel)
        except Failed as error:
            self.close()
            raise self._crashed(str(error)) from None
        except (OutOfFuel, OutOfProcessorTime, Trapped) as error:
            raise self._lost(error, self._limits.load_ms) from None
        finally:
            self.journal.load_ms += (self.usage.fuel - before) / FUEL_PER_MS

    def _code(self) -> bytes:
        """Return the compiled source. Compiling does not use the game's fuel."""
        prepared = self._program.prepared(self._source, self._limits)
        if prepared.output:
            self.journal.print(prepared.output)
        if prepared.error:
            raise Failed(prepared.error)
        return prepared.code

    def _decide(self, turn: Turn | None) -> str | None:
        if self._instance is None:
            self._start()
        assert self._instance is not None
        fuel = self._fuel(self._limits.decision_ms)
        try:
            return self._instance.choose(turn, fuel)
        except Failed as error:
            raise self._crashed(str(error)) from None
        except NoAction as error:
            raise BotFailure("malformed", f"{printable(str(error), 80)} is not an action") from None
        except (OutOfFuel, OutOfProcessorTime, Trapped) as error:
            raise self._lost(error, self._limits.decision_ms) from None

    def _left(self) -> int:
        """Return the fuel that is left for the game."""
        used = self.usage.charged if self._program.limits_processor_time else self.usage.fuel
        return self._limits.game_ms * FUEL_PER_MS - used

    def _fuel(self, ms: int) -> int:
        left = self._left()
        if left <= 0:
            raise self._used_up()
        return min(ms * FUEL_PER_MS, left)

    def _used_up(self) -> BotFailure:
        return BotFailure("late", f"the {self._limits.game_ms} ms of thinking for the game are used up")

    def _crashed(self, report: str) -> BotFailure:
        summary, _, rest = report.partition("\n")
        if rest:
            self.journal.print(rest[:_REPORT])
        return BotFailure("crashed", printable(summary, _SUMMARY), rest[:_REPORT])

    def _lost(self, error: Exception, ms: int) -> BotFailure:
        self.close()
        if isinstance(error, OutOfFuel):
            if self._left() <= 0:
                return self._used_up()
            return BotFailure("late", f"no answer within {ms} ms of thinking (fuel)")
        if isinstance(error, OutOfProcessorTime):
            return BotFailure("late", f"no answer within {error.seconds:.3g} s of processor time")
        return BotFailure("crashed", f"it ended itself: {printable(str(error), _SUMMARY)}")


@dataclass(frozen=True)
class SandboxedSpec(BotSpec):
    """The specification of a sandboxed bot that any process can create; see :func:`sandboxed_spec`."""

    language: Language = "python"
    module: bytes | None = field(default=None, repr=False)
    limits: SandboxLimits = DEFAULT_LIMITS

    def make(self, seed: int) -> SandboxedBot:
        """Return a new instance whose random numbers are derived from ``seed``.

        An error while loading the bot is stored in ``failure`` and raised by its first decision. Raises
        :class:`~arena.bots.InvalidBot` for a module that is not a bot.
        """
        if self.module is not None:
            return SandboxedBot(module_program(self.module), "", seed, self.limits)
        if self.language == "javascript":
            return SandboxedBot(javascript_program(self.source), "", seed, self.limits)
        return SandboxedBot(python_program(), self.source, seed, self.limits)


def sandboxed_spec(
    name: str,
    version: str,
    source: str | bytes,
    limits: SandboxLimits = DEFAULT_LIMITS,
    language: Language = "python",
) -> SandboxedSpec:
    """Return the specification of a bot that runs in the sandbox. ``source`` is the text of a source in
    ``language``, or the bytes of a WebAssembly module for WASI preview 1.

    Raises :class:`~arena.bots.InvalidBot` if the source is too long. The bot is not run: for that, see
    :func:`check_bot`.
    """
    size, most = len(source), limits.module_bytes
    if isinstance(source, str):
        size, most = len(source.encode("utf-8", "surrogatepass")), limits.source_bytes
    if size > most:
        raise InvalidBot(f"the bot has {size} bytes", field="source", expected=f"at most {most} bytes")
    if isinstance(source, bytes):
        return SandboxedSpec(name, version, "", module=source, limits=limits)
    return SandboxedSpec(name, version, source, language=language, limits=limits)


def compile_bot(spec: SandboxedSpec) -> None:
    """Compile the bot for all processes that share the cache. Raises :class:`~arena.bots.InvalidBot` with the
    error.
    """
    if spec.module is not None:
        module_program(spec.module)
        return
    if spec.language == "javascript":
        # It is compiled whenever it is loaded, which takes less than a millisecond.
        javascript_program(spec.source)
        return
    summary, _, _ = python_program().prepared(spec.source, spec.limits).error.partition("\n")
    if summary:
        raise InvalidBot(printable(summary, _SUMMARY), field="source")


def check_bot(spec: SandboxedSpec) -> tuple[str, ...]:
    """Load the bot once in the sandbox, and return the games that it says it plays; an empty result means all
    games. Raises :class:`~arena.bots.InvalidBot` with the error.
    """
    if spec.module is None and spec.language == "python":
        # Check this here instead of during play, so that a version checked by an earlier release can still
        # play.
        check_imports(spec.source, "bot.py")
    bot = spec.make(0)
    try:
        return bot.named_games()
    except BotFailure as failure:
        raise InvalidBot(str(failure), field="source") from None
    finally:
        bot.close()
