"""The changes of a table in progress: all that is said or shown, once and in order, to every viewer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from arena.games import GAMES
from arena.games.cards import SUIT_SYMBOLS, pretty
from arena.games.descriptor import Game, Preset
from arena.replays.live_table import LiveTable
from tests.contract.playouts import LOG, beginning
from tests.replays.games import NAMES

PRESETS = [
    pytest.param(game, preset, id=f"{game.kind}-{preset.name}")
    for game in GAMES.values()
    for preset in game.presets
]
CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")
WRITTEN = re.compile(rf"(?:10|[2-9JQKA])[{''.join(SUIT_SYMBOLS.values())}]")
SAID = {
    "truco": ("cut", "kept", "passed", "burned", "truco", "raise", "accept", "run", "defer", "signal"),
    "toepen": ("exchange", "trust", "challenge", "keep", "knock", "stay", "fold"),
}
PLAYED = ("play", "hide")


def seen_events(game: Game, rules: Mapping[str, Any], log: LOG, viewer: int | None) -> Iterator[Any]:
    """For each action the numbered events that a viewer sees, and the seats that are awaited then."""
    state = game.new_state(rules)
    number = 0
    for seat, action in log:
        seen = []
        for event in state.apply(seat, action):
            view = game.view_event(event, viewer)
            if view is not None:
                seen.append({"n": number, **view})
            number += 1
        yield seen, list(state.awaiting())


def live_table(game: Game, rules: Mapping[str, Any], viewer: int | None) -> LiveTable:
    seats = [{"name": name} for name in NAMES[: game.seats(rules)]]
    return LiveTable({"kind": game.kind, "rules": rules, "seats": seats}, you=viewer)


def read(table: LiveTable, pages: list[tuple[list[Any], list[int]]]) -> list[dict[str, Any]]:
    return [change for events, awaiting in pages for change in table.take(events, awaiting)]


def joined(pages: list[tuple[list[Any], list[int]]], random: Random) -> list[tuple[list[Any], list[int]]]:
    """The same events in fewer pages, as somebody reads them who is late."""
    found: list[tuple[list[Any], list[int]]] = []
    for events, awaiting in pages:
        if found and random.random() < 0.7:
            found[-1] = ([*found[-1][0], *events], awaiting)
        else:
            found.append((events, awaiting))
    return found


def currents(changes: list[dict[str, Any]], size: int) -> list[tuple[int, int, str]]:
    """What a viewer of the changes sees as current: the event, and who said or played, in order."""
    shown: list[tuple[int, int, str]] = []
    lying: list[Any] = []
    for change in changes:
        cards = change.get("lying", lying)
        fresh = cards if cards[: len(lying)] != lying else cards[len(lying) :]
        shown += [(change["n"], seat, "played") for seat, _, _ in fresh]
        lying = cards
        said = [seat for seat in range(size) if (change.get(f"said{seat}") or (0, 0, 0, True))[3] is False]
        shown += [(change["n"], seat, "said") for seat in said]
        assert len(fresh) + len(said) <= 1, "one at a time"
    return shown


def games_of(game: Game, preset: Preset) -> Iterator[tuple[dict[str, Any], LOG, Random]]:
    """Some games of a preset with random play, by any number of players that it allows."""
    for seed in range(3):
        random = Random(f"{game.kind} {preset.name} {seed}")
        seats = random.choice(game.seat_counts(preset.rules))
        rules = game.options.complete({**preset.rules, **game.rules_for({}, seats)})
        yield rules, beginning(game, rules, random, 250), random


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_everything_said_or_played_is_shown_once(game: Game, preset: Preset) -> None:
    for rules, log, random in games_of(game, preset):
        for viewer in (None, *range(game.seats(rules))):
            pages = list(seen_events(game, rules, log, viewer))
            expected = [
                (event["n"], event["seat"], "played" if event["type"] in PLAYED else "said")
                for events, _ in pages
                for event in events
                if event["type"] in (*PLAYED, *SAID[game.kind])
            ]
            changes = read(live_table(game, rules, viewer), pages)
            assert currents(changes, game.seats(rules)) == expected
            late = read(live_table(game, rules, viewer), joined(pages, random))
            assert [without_awaiting(change) for change in late] == [
                without_awaiting(change) for change in changes
            ]


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_every_card_and_call_is_in_the_log(game: Game, preset: Preset) -> None:
    for rules, log, _ in games_of(game, preset):
        for viewer in (None, *range(game.seats(rules))):
            table = live_table(game, rules, viewer)
            hand: list[str] = []
            for events, awaiting in seen_events(game, rules, log, viewer):
                for change in table.take(events, awaiting):
                    if change.get("hand", 1) > 1:
                        hand = []
                    hand += change["lines"]
                assert table.log == hand
                for event in events:
                    if event["type"] in PLAYED:
                        who = table.form.names[event["seat"]]
                        card = pretty(event["card"]) if event["card"] else "a card face down"
                        assert any(line.startswith(f"{who} play") and card in line for line in hand)
                    elif event["type"] in ("truco", "raise", "knock", "accept", "stay", "exchange"):
                        who = table.form.names[event["seat"]]
                        assert any(line.startswith(f"{who} ") for line in table.log)


@pytest.mark.parametrize(("game", "preset"), PRESETS)
def test_the_lines_tell_no_card_that_the_viewer_does_not_see(game: Game, preset: Preset) -> None:
    for rules, log, _ in games_of(game, preset):
        for viewer in (None, *range(game.seats(rules))):
            table = live_table(game, rules, viewer)
            known: set[str] = set()
            for events, awaiting in seen_events(game, rules, log, viewer):
                known |= {pretty(card) for card in CARD.findall(json.dumps(events))}
                for change in table.take(events, awaiting):
                    # Everybody knows which cards the turned one makes strong.
                    lines = [line for line in change["lines"] if "manilhas" not in line]
                    assert set(WRITTEN.findall(" ".join(lines))) <= known


def test_the_reader_is_you() -> None:
    """No sentence has the verb, or the case, of somebody else."""
    lines: set[str] = set()
    for param in PRESETS:
        game, preset = param.values
        for rules, log, _ in games_of(game, preset):
            table = live_table(game, rules, game.seats(rules) - 1)
            for events, awaiting in seen_events(game, rules, log, game.seats(rules) - 1):
                lines.update(line for change in table.take(events, awaiting) for line in change["lines"])
    about = [line for line in lines if re.search(r"\byou\b", line, re.IGNORECASE)]
    assert len(about) > 100
    for line in about:
        assert not re.search(r"\bYou [a-z]+(?<!s)s\b|\bYou passes\b|You\'s", line), line
        # At the beginning of a sentence or of an entry in a list.
        assert not re.search(r"[a-z,;] You\b(?! \d)", line), line
        assert not re.search(r"(^|[.!] )you\b", line), line


def without_awaiting(change: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in change.items() if name not in ("awaiting", "question")}
