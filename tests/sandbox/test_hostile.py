"""Hostile components: each call ends with the bot's fault after a bounded amount of processor time, and the
next game of the process is played as if nothing had happened.
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

from arena.bots import BotFailure, HostFailure, InvalidBot
from arena.play.match import Unfit, seat_bot
from arena.sandbox.bot import SandboxedBot, check_bot, sandboxed_spec
from arena.sandbox.building import python_component
from arena.sandbox.components import PlainEngine
from arena.sandbox.limits import LEAST_PROCESSOR_SECONDS, MOST_TEXT, SandboxLimits, processor_seconds
from tests.sandbox import components, hostile
from tests.sandbox.conftest import bot_of as python_bot
from tests.sandbox.conftest import turn

pytestmark = pytest.mark.system

SMALL = SandboxLimits(load_ms=50, decision_ms=50, game_ms=2_000, memory_bytes=128 << 20)

MOST_SECONDS = 5 * LEAST_PROCESSOR_SECONDS
"""Of processor time, for one call: the limit, the operation that it interrupts, and making the instance."""


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
    start = time.thread_time()
    yield
    assert time.thread_time() - start < MOST_SECONDS


def play_honestly() -> None:
    assert bot_of(components.PLAYS).choose(turn()) == "play:4C"
    source = "def choose(turn): return turn['legal_actions'][0]"
    assert python_bot(source).choose(turn()) == turn()["legal_actions"][0]  # type: ignore[index]


@pytest.mark.parametrize(
    ("fault", "detail", "make"),
    [*hostile.DECIDING.values(), *hostile.STARTING.values()],
    ids=[*hostile.DECIDING, *hostile.STARTING],
)
def test_a_hostile_component_ends_with_its_own_fault(
    fault: str, detail: str, make: Callable[[], bytes]
) -> None:
    bot = sandboxed_spec("mine", "1", make(), SMALL)
    bot.make(1).close()
    with little_processor_time():
        found, why = fault_of(make())
    assert (found, detail in why) == (fault, True), why
    play_honestly()


def test_a_component_with_nested_components_plays() -> None:
    patient = SandboxLimits(decision_ms=2_000)
    for encoding in ("utf8", "utf16", "latin1+utf16"):
        assert bot_of(hostile.transcodes(encoding, 100_000, once=True), patient).choose(turn()) is None


def test_the_processor_time_of_a_call_is_three_times_its_fuel() -> None:
    assert processor_seconds(2_000 * 2_000_000) == 6.0
    assert processor_seconds(1) == LEAST_PROCESSOR_SECONDS


def test_the_processor_time_of_a_game_is_limited() -> None:
    grows = hostile.DECIDING["memory.grow"][2]()
    bot = bot_of(grows, SandboxLimits(load_ms=50, decision_ms=50, game_ms=100))
    for why in ("no answer within 0.5 s of processor time", "the 0.3 s of processor time for the game"):
        with pytest.raises(BotFailure, match=why) as caught:
            bot.choose(turn())
        assert caught.value.type == "late"
    play_honestly()


def test_the_wall_clock_ends_a_call_with_a_server_fault() -> None:
    limits = SandboxLimits(decision_ms=60_000, backstop_seconds=0.1)
    with pytest.raises(HostFailure, match=r"more than 0\.1 s on this machine"):
        bot_of(hostile.DECIDING["memory.grow"][2](), limits).choose(turn())
    play_honestly()


def test_a_hostile_component_does_not_end_the_call_of_another_thread() -> None:
    end = threading.Event()

    def play() -> set[object]:
        answers: set[object] = set()
        while not end.is_set():
            bot = bot_of(components.PLAYS)
            # The component frees no turn, and has memory for some fifty.
            answers.update(bot.choose(turn()) for _ in range(10))
            bot.close()
        return answers

    play_honestly()
    with ThreadPoolExecutor(1) as pool:
        honest = pool.submit(play)
        try:
            assert fault_of(hostile.DECIDING["memory.grow"][2]())[0] == "late"
        finally:
            end.set()
        assert honest.result() <= {"play:4C"}


def _in_child(wasm: bytes) -> None:
    assert fault_of(wasm)[0] == "late"
    play_honestly()


def test_a_forked_process_ends_calls_too() -> None:
    wasm = hostile.DECIDING["UTF-16"][2]()
    assert fault_of(wasm)[0] == "late"
    child = multiprocessing.get_context("fork").Process(target=_in_child, args=(wasm,))
    child.start()
    child.join(120)
    assert child.exitcode == 0


@pytest.mark.parametrize("core", hostile.PROPOSALS.values(), ids=hostile.PROPOSALS)
def test_proposals_that_bots_do_not_need_are_refused(core: str) -> None:
    spec = sandboxed_spec("mine", "1", components.component(choose=components.text(16, 4), core=core), SMALL)
    with pytest.raises(InvalidBot, match="the component is not a bot: ") as caught:
        check_bot(spec)
    assert "time or memory" not in str(caught.value)
    # In a game it is its own fault, in each decision.
    bot = seat_bot(spec, 1)
    assert isinstance(bot, Unfit)
    with pytest.raises(InvalidBot):
        bot.choose(turn())


def test_a_type_that_is_long_when_written_out_is_refused_when_compiled() -> None:
    with (
        little_processor_time(),
        pytest.raises(InvalidBot, match=r"get-random-u64 of wasi:random.* but not as func\(\) -> u64"),
    ):
        check_bot(sandboxed_spec("mine", "1", hostile.type_bomb(17)))


def test_a_component_that_imports_thousands_of_functions_is_refused() -> None:
    functions = "".join(f'(export "f{number}" (func))' for number in range(2_001))
    wasm = components.component(
        choose=components.text(16, 4), imports=f'(import "wasi:io/streams@0.2.0" (instance {functions}))'
    )
    with pytest.raises(InvalidBot, match="imports more than 2000 functions and types"):
        check_bot(sandboxed_spec("mine", "1", wasm))


@pytest.mark.parametrize(
    "wasm", [hostile.long_error(40_000_000), components.GIANT_ANSWER, hostile.printing(40_000_000)]
)
def test_python_copies_no_long_text(wasm: bytes) -> None:
    bot = bot_of(wasm)
    tracemalloc.start()
    try:
        with pytest.raises(BotFailure):
            bot.choose(turn())
        assert tracemalloc.get_traced_memory()[1] < 20 * MOST_TEXT
    finally:
        tracemalloc.stop()


def test_the_beginning_of_a_long_print_is_kept() -> None:
    bot = bot_of(hostile.printing(MOST_TEXT + 1), SandboxLimits(decision_ms=50, output_chars=2 * MOST_TEXT))
    with pytest.raises(BotFailure, match="fuel"):
        bot.choose(turn())
    assert len(bot.journal.output) == 2 * MOST_TEXT
    assert bot.journal.cut


def test_the_plain_engine_ends_calls_too() -> None:
    engine = PlainEngine(python_component())
    for name in ("memory.grow", "UTF-16", "post-return", "long error"):
        fault, _, make = hostile.DECIDING[name]
        bot = SandboxedBot(engine.component(make()), "", 1, SMALL)
        with little_processor_time(), pytest.raises(BotFailure) as caught:
            bot.choose(turn())
        assert caught.value.type == fault
    assert SandboxedBot(engine.component(components.PLAYS), "", 1, SMALL).choose(turn()) == "play:4C"
