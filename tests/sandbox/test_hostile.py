"""Hostile modules: each call ends with the bot's fault after a bounded amount of processor time, which is
charged, and the next game of the process is played as if nothing had happened.
"""

from __future__ import annotations

import multiprocessing
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from arena.bots import BotFailure, InvalidBot
from arena.play.match import Unfit, seat_bot
from arena.sandbox.bot import SandboxedBot, check_bot, sandboxed_spec
from arena.sandbox.limits import FUEL_PER_MS, MOST_TEXT, SandboxLimits, processor_seconds
from tests.sandbox import hostile, modules
from tests.sandbox.conftest import bot_of as python_bot
from tests.sandbox.conftest import turn

pytestmark = pytest.mark.system

SMALL = SandboxLimits(load_ms=50, decision_ms=50, game_ms=2_000, memory_bytes=128 << 20)

MOST_SECONDS = 2 * processor_seconds(50 * FUEL_PER_MS) + 0.5
"""Of processor time, for one bot: the limits of loading and deciding, and what this process does itself."""


def bot_of(wasm: bytes, limits: SandboxLimits = SMALL) -> SandboxedBot:
    return sandboxed_spec("mine", "1", wasm, limits).make(1)


def fault_of(wasm: bytes, limits: SandboxLimits = SMALL) -> tuple[str, str]:
    bot = bot_of(wasm, limits)
    with pytest.raises(BotFailure) as caught:
        bot.choose(turn())
    bot.close()
    return caught.value.type, str(caught.value)


@contextmanager
def little_processor_time() -> Iterator[None]:
    start = time.process_time()
    yield
    assert time.process_time() - start < MOST_SECONDS


def play_honestly() -> None:
    assert bot_of(modules.PLAYS).choose(turn()) == turn()["legal_actions"][0]  # type: ignore[index]
    source = "def choose(turn): return turn['legal_actions'][0]"
    assert python_bot(source).choose(turn()) == turn()["legal_actions"][0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("fault", "detail", "make"),
    [*hostile.DECIDING.values(), *hostile.STARTING.values()],
    ids=[*hostile.DECIDING, *hostile.STARTING],
)
def test_a_hostile_module_ends_with_its_own_fault_and_pays(
    fault: str, detail: str, make: Callable[[], bytes]
) -> None:
    spec = sandboxed_spec("mine", "1", make(), SMALL)
    spec.make(1).close()
    start = time.process_time()
    with little_processor_time():
        bot = spec.make(1)
        with pytest.raises(BotFailure) as caught:
            bot.choose(turn())
        bot.close()
    spent = time.process_time() - start
    assert (caught.value.type, detail in str(caught.value)) == (fault, True), str(caught.value)
    charged = bot.usage.charged / FUEL_PER_MS / 1000
    assert charged > 0.7 * spent - 0.02, (charged, spent)
    play_honestly()


def test_the_processor_time_of_a_call_is_eight_times_its_fuel_and_limited() -> None:
    assert processor_seconds(100 * FUEL_PER_MS) == 0.8
    assert processor_seconds(2_000 * FUEL_PER_MS) == 6.0
    assert processor_seconds(1) == 0.25


def test_a_table_of_128_mib_plays_without_a_fault() -> None:
    """Each look-up is a cache miss. What a bot does with it costs several instructions."""
    bot = bot_of(hostile.hashes(400_000, work=8), SandboxLimits())
    for _ in range(5):
        assert bot.choose(turn()) == turn()["legal_actions"][0]  # type: ignore[index]
    bot.close()
    assert bot.usage.charged >= bot.usage.fuel


def test_a_call_that_answers_after_too_much_processor_time_is_late() -> None:
    """It answers in time for its fuel, and nothing interrupted it."""
    count = "(local.set $i (i32.add (local.get $i) (i32.const 1)))"
    # Nearly the most fuel with the least limit of processor time, so that a fast machine is late as well.
    again = f"{hostile.GROWS * 20} {count} (br_if $next (i32.lt_u (local.get $i) (i32.const 1200000)))"
    core = f"(func $grow (local $i i32) (loop $next {again}))"
    bot = bot_of(modules.module(core=core, decide="(call $grow)"), SandboxLimits())
    with pytest.raises(BotFailure, match=r"no answer within 0\.\d+ s of processor time") as caught:
        bot.choose(turn())
    assert caught.value.type == "late"
    assert bot.usage.charged > 4 * bot.usage.fuel
    bot.close()


def test_a_game_is_charged_its_processor_time() -> None:
    limits = SandboxLimits(load_ms=50, decision_ms=50, game_ms=300)
    bot = bot_of(hostile.DECIDING["memory.grow that fails"][2](), limits)
    for why in (
        "no answer within 0.4 s of processor time",
        "the 300 ms of thinking for the game",
    ):
        with pytest.raises(BotFailure, match=why) as caught:
            bot.choose(turn())
        assert caught.value.type == "late"
    assert bot.usage.fuel < 300 * FUEL_PER_MS < bot.usage.charged
    play_honestly()


def test_a_hostile_module_does_not_end_the_call_of_another_thread() -> None:
    end = threading.Event()

    def play() -> set[object]:
        answers: set[object] = set()
        while not end.is_set():
            bot = bot_of(modules.PLAYS)
            answers.update(bot.choose(turn()) for _ in range(10))
            bot.close()
        return answers

    play_honestly()
    with ThreadPoolExecutor(1) as pool:
        honest = pool.submit(play)
        try:
            assert fault_of(hostile.DECIDING["memory.grow that fails"][2]())[0] == "late"
        finally:
            end.set()
        assert honest.result() <= {turn()["legal_actions"][0]}  # type: ignore[index]


def _in_child(wasm: bytes) -> None:
    assert fault_of(wasm)[0] == "late"
    play_honestly()


def test_a_forked_process_ends_calls_too() -> None:
    wasm = hostile.DECIDING["memory.fill of nothing"][2]()
    assert fault_of(wasm)[0] == "late"
    child = multiprocessing.get_context("fork").Process(target=_in_child, args=(wasm,))
    child.start()
    child.join(120)
    assert child.exitcode == 0


@pytest.mark.parametrize("core", hostile.PROPOSALS.values(), ids=hostile.PROPOSALS)
def test_proposals_that_bots_do_not_need_are_refused(core: str) -> None:
    spec = sandboxed_spec("mine", "1", modules.module(core=core), SMALL)
    with pytest.raises(InvalidBot, match="the module is not a bot: ") as caught:
        check_bot(spec)
    assert "time or memory" not in str(caught.value)
    # In a game it is its own fault, in each decision.
    bot = seat_bot(spec, 1)
    assert isinstance(bot, Unfit)
    with pytest.raises(InvalidBot):
        bot.choose(turn())


@pytest.mark.parametrize("file", [1, 2])
def test_python_copies_no_long_text(file: int) -> None:
    bot = bot_of(modules.module(decide=modules.looping(modules.printing(file, 40_000_000)), memory="1000"))
    tracemalloc.start()
    try:
        with pytest.raises(BotFailure):
            bot.choose(turn())
        assert tracemalloc.get_traced_memory()[1] < 20 * MOST_TEXT
    finally:
        tracemalloc.stop()


def test_the_beginning_of_a_long_log_is_kept() -> None:
    wasm = modules.module(decide=modules.looping(modules.printing(2, MOST_TEXT)))
    bot = bot_of(wasm, SandboxLimits(decision_ms=50, output_chars=2 * MOST_TEXT))
    with pytest.raises(BotFailure, match="fuel"):
        bot.choose(turn())
    assert len(bot.journal.output) == 2 * MOST_TEXT
    assert bot.journal.cut
