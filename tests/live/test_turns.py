"""One turn, whatever comes: stale, repeated, conflicting, illegal, malformed and foreign answers."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from arena.live.service import LiveGames
from arena.store.paging import InvalidCursor
from tests.live.conftest import MakeGames
from tests.live.playing import (
    BOTS,
    SEATS,
    answer,
    awaited_turn,
    bot_loop,
    checked_record,
    new_game,
    play_out,
    quiet,
    random_player,
)
from tests.waiting import PATIENCE, wait_until


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_games_are_played_to_the_end(games: LiveGames, kind: str) -> None:
    ids = [new_game(games, kind) for _ in range(3)]
    play_out(games, ids)
    for game in ids:
        record = checked_record(games, game)
        assert [player["name"] for player in record["canonical"]["players"]] == list(BOTS)
        assert record["canonical"]["outcome"] == games.summary(game)["outcome"]
    for bot in BOTS:
        assert games.turns(bot).turns == []


def test_a_repeated_answer_gets_the_first_result(games: LiveGames, make_games: MakeGames) -> None:
    game = new_game(games)
    bot, turn = awaited_turn(games, game)
    action = quiet(turn)
    first = answer(games, bot, turn["turn"], action)
    assert first["status"] == "accepted"
    assert first["repeated"] is False
    for other in (games, make_games()):
        again = answer(other, bot, turn["turn"], action)
        assert again["status"] == "accepted"
        assert again["repeated"] is True
        assert again["after"] == first["after"]


def test_an_old_answer_can_be_repeated(games: LiveGames, make_games: MakeGames) -> None:
    game = new_game(games)
    given: list[tuple[str, str, str, int]] = []
    for _ in range(60):
        bot, turn = awaited_turn(games, game)
        action = quiet(turn)
        given.append((bot, turn["turn"], action, answer(games, bot, turn["turn"], action)["after"]))
    bot, turn_id, action, after = given[0]
    for other in (games, make_games()):
        again = answer(other, bot, turn_id, action)
        assert (again["status"], again["repeated"], again["after"]) == ("accepted", True, after)
        conflicting = answer(other, bot, turn_id, "play:" + "XX")
        assert conflicting["status"] == "turn_already_answered"


def test_a_conflicting_answer_is_rejected(games: LiveGames) -> None:
    game = new_game(games, "truco")
    bot, turn = awaited_turn(games, game)
    one, other = turn["legal_actions"][:2]
    assert answer(games, bot, turn["turn"], one)["status"] == "accepted"
    refused = answer(games, bot, turn["turn"], other)
    assert refused["status"] == "turn_already_answered"
    assert one in refused["message"]
    assert games.view(game)["faults"] == []  # type: ignore[index]


def test_an_answer_to_a_stale_turn_returns_the_fresh_one(games: LiveGames) -> None:
    """A seat's right to knock ends when somebody else knocks."""
    game = new_game(games, "toepen", rules={"max_exchanges": 0})
    rights = {bot: page.turns[0] for bot in BOTS if (page := games.turns(bot)).turns}
    knockers = [
        bot for bot, turn in rights.items() if any(a.startswith("knock") for a in turn["legal_actions"])
    ]
    first, second = knockers[:2]
    assert answer(games, first, rights[first]["turn"], "knock:2")["status"] == "accepted"
    stale = answer(games, second, rights[second]["turn"], "knock:2")
    assert stale["status"] == "stale_turn"
    assert stale["reason"] == "superseded"
    view = games.view(game)
    assert view is not None
    asked = view["awaiting"][0]
    if asked == rights[second]["seat"]:
        assert stale["fresh"]["legal_actions"] == ["stay:2", "fold:1"]
    else:
        assert stale["fresh"] is None


def test_an_optional_turn_survives_moves_of_other_seats(games: LiveGames) -> None:
    """A knock sent while somebody else plays a card still counts."""
    game = new_game(games, "toepen", rules={"max_exchanges": 0})
    player, turn = awaited_turn(games, game)
    knocker, right = next(
        (bot, t) for bot in BOTS for t in games.turns(bot).turns if t["optional"] and bot != player
    )
    assert right["legal_actions"] == ["knock:2"]
    assert answer(games, player, turn["turn"], quiet(turn))["status"] == "accepted"
    later = answer(games, knocker, right["turn"], "knock:2")
    if later["status"] == "stale_turn":
        # It is the knocker's own turn now, and the right is part of it.
        assert "knock:2" in later["fresh"]["legal_actions"]
        later = answer(games, knocker, later["fresh"]["turn"], "knock:2")
    assert later["status"] == "accepted"


def test_a_right_is_sent_again_only_after_new_events(games: LiveGames) -> None:
    game = new_game(games, "toepen", rules={"max_exchanges": 0})
    player, turn = awaited_turn(games, game)
    # The seat before the player keeps its right while the others play.
    last = BOTS[(turn["seat"] - 1) % 4]
    page = games.turns(last)
    (right,) = page.turns
    assert right["optional"]
    assert games.turns(last, page.cursor).turns == []
    assert games.turns(last, page.cursor, rights=False).turns == []
    assert answer(games, player, turn["turn"], quiet(turn))["status"] == "accepted"
    news = games.turns(last, page.cursor)
    (again,) = news.turns
    assert again["turn"] == right["turn"]
    assert len(again["events"]) > len(right["events"])
    assert games.turns(last, news.cursor).turns == []


def test_without_a_cursor_all_pending_turns_are_returned(games: LiveGames) -> None:
    ids = [new_game(games, "truco") for _ in range(5)]
    bot, _ = awaited_turn(games, ids[0])
    mine = [game for game in ids if awaited_turn(games, game)[0] == bot]
    page = games.turns(bot, rights=False)
    assert [turn["game"] for turn in page.turns] == mine
    assert games.turns(bot, page.cursor, rights=False).turns == []
    assert [turn["game"] for turn in games.turns(bot, rights=False).turns] == mine
    first = games.turns(bot, rights=False, limit=1)
    rest = games.turns(bot, first.cursor, rights=False)
    assert [turn["game"] for turn in (*first.turns, *rest.turns)] == mine


def test_illegal_answers_are_faults_and_the_third_forfeits(games: LiveGames) -> None:
    game = new_game(games, "truco")
    bot, turn = awaited_turn(games, game)
    for count in (1, 2):
        refused = answer(games, bot, turn["turn"], "play:XX")
        assert refused["status"] == "illegal_action"
        assert refused["legal_actions"] == turn["legal_actions"]
        assert (refused["faults"], refused["forfeited"]) == (count, False)
    assert awaited_turn(games, game)[1]["turn"] == turn["turn"]
    assert answer(games, bot, turn["turn"], 7)["status"] == "malformed"
    view = games.view(game)
    assert view is not None
    assert view["taken_over"] == [{"seat": turn["seat"], "reason": "forfeit"}]
    assert [fault["type"] for fault in view["faults"]] == ["illegal", "illegal", "malformed"]
    assert answer(games, bot, turn["turn"], turn["legal_actions"][0])["status"] == "stale_turn"
    play_out(games, [game])
    outcome = checked_record(games, game)["canonical"]["outcome"]
    assert outcome["forfeits"] == [turn["seat"]]
    assert outcome["places"][turn["seat"]] == 2


@pytest.mark.parametrize(
    "bad", [None, 7, "x", [], {}, {"turn": 3, "action": "run:1"}, {"action": "run:1"}, [["a"]]]
)
def test_invalid_answers_are_malformed(games: LiveGames, bad: Any) -> None:
    game = new_game(games)
    bot, turn = awaited_turn(games, game)
    results = games.answer(bot, [bad, {"turn": turn["turn"], "action": quiet(turn)}])
    assert [result["status"] for result in results] == ["malformed", "accepted"]
    assert games.view(game)["faults"] == []  # type: ignore[index]


def test_turns_of_other_bots_are_unknown(games: LiveGames) -> None:
    game = new_game(games)
    bot, turn = awaited_turn(games, game)
    other = next(name for name in BOTS if name != bot)
    game_id, seat, number = turn["turn"].rsplit(".", 2)
    foreign = [
        turn["turn"],
        f"{game_id}.9.1",
        f"nogame.{seat}.{number}",
        "{g:x}.1.1",
        "a b.0.1",
        "\ud800.0.1",
        "nonsense",
        f"{game_id}.{seat}.-1",
        "." * 50,
    ]
    for text in foreign:
        result = answer(games, other, text, quiet(turn))
        assert result["status"] == "unknown_turn"
        assert result["message"] == answer(games, other, "nogame.0.1", "x")["message"]
    assert answer(games, bot, f"{game_id}.{seat}.{int(number) + 1}", quiet(turn))["status"] == "unknown_turn"
    assert games.view(game)["faults"] == []  # type: ignore[index]


def test_one_request_answers_several_games_independently(games: LiveGames) -> None:
    ids = [new_game(games, "truco", seats=[{"bot": "solo"}] * 4) for _ in range(12)]
    turns = [turn for turn in games.turns("solo").turns if not turn["optional"]]
    assert sorted(turn["game"] for turn in turns) == sorted(ids)
    answers = [{"turn": turn["turn"], "action": quiet(turn)} for turn in turns]
    answers[3]["action"] = "play:XX"
    answers[5]["turn"] = "nogame.0.1"
    results = games.answer("solo", answers)
    expected = ["accepted"] * 12
    expected[3], expected[5] = "illegal_action", "unknown_turn"
    assert [result["status"] for result in results] == expected
    assert [result["turn"] for result in results] == [given["turn"] for given in answers]


def test_answered_turns_are_not_sent_again_and_do_not_shorten_a_page(games: LiveGames) -> None:
    answered = 0
    while answered < 6:
        bot, turn = awaited_turn(games, new_game(games, "truco"))
        if bot == "ann":
            answered += answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"
    while awaited_turn(games, game := new_game(games, "truco"))[0] != "ann":
        pass
    for limit in (1, 2, 6, 100):
        assert [turn["game"] for turn in games.turns("ann", limit=limit, rights=False).turns] == [game]


def test_answers_to_one_game_apply_in_order(games: LiveGames) -> None:
    new_game(games, "toepen", seats=[{"bot": "solo"}] * 4, rules={"max_exchanges": 0})
    turns = games.turns("solo").turns
    knocks = [t for t in turns if "knock:2" in t["legal_actions"]]
    assert len(knocks) == 4
    results = games.answer("solo", [{"turn": t["turn"], "action": "knock:2"} for t in knocks])
    assert [result["status"] for result in results] == ["accepted"] + ["stale_turn"] * 3
    assert sum(result.get("fresh") is not None for result in results) == 1


@pytest.mark.parametrize("cursor", ["", "x", "1", "-", "zz-1", "0-x", "0-1-1", "0" * 17 + "-1"])
def test_an_invalid_cursor_is_rejected(games: LiveGames, cursor: str) -> None:
    with pytest.raises(InvalidCursor):
        games.turns("ann", cursor)


def test_a_wait_ends_when_a_turn_comes(make_games: MakeGames) -> None:
    games, elsewhere = make_games(), make_games()
    game = new_game(games, "truco")
    bot, turn = awaited_turn(games, game)
    elsewhere.notifier.start()
    cursors = {name: elsewhere.turns(name).cursor for name in BOTS}
    woken: set[str] = set()

    def wait(name: str) -> None:
        elsewhere.turns(name, cursors[name], wait=600)
        woken.add(name)

    threads = [threading.Thread(target=wait, args=(name,)) for name in BOTS if name != bot]
    for thread in threads:
        thread.start()
    time.sleep(0.4)
    assert answer(games, bot, turn["turn"], quiet(turn))["status"] == "accepted"
    next_bot, _ = awaited_turn(games, game)
    wait_until(lambda: next_bot == bot or next_bot in woken)
    games.close()
    elsewhere.close()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), "closing ends every wait"


@pytest.mark.parametrize("kind", ["truco", "toepen"])
def test_bots_in_separate_processes(make_games: MakeGames, kind: str) -> None:
    """Two loops per bot, all with stores of their own, race through the same games with knocks."""
    games = make_games()
    ids = [new_game(games, kind) for _ in range(3)]
    results: list[dict[str, Any]] = []

    def is_over() -> bool:
        return all(games.summary(game)["state"] == "finished" for game in ids)

    threads = [
        threading.Thread(
            target=bot_loop,
            args=(make_games(), bot, random_player(seed * 10 + number, 0.05), is_over),
            kwargs={"wait": 0.2, "results": results},
        )
        for number, bot in enumerate(BOTS)
        for seed in (1, 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    statuses = {result["status"] for result in results}
    assert statuses <= {"accepted", "stale_turn", "turn_already_answered"}
    accepted = {(r["turn"], r["action"], r["after"]) for r in results if r["status"] == "accepted"}
    logged = 0
    for game in ids:
        actions = checked_record(games, game)["canonical"]["actions"]
        logged += sum(len(entry) == 2 and entry[0] >= 0 for entry in actions)
        for turn, action, after in accepted:
            if turn.startswith(game):
                assert actions[after - 1][:2] == [int(turn.split(".")[1]), action]
    assert len(accepted) == logged


def test_seats_of_one_bot_at_one_table(games: LiveGames) -> None:
    game = new_game(games, "truco", seats=[{"bot": "ann"}, SEATS[1], {"bot": "ann"}, SEATS[3]])
    play_out(games, [game], bots=("ann", "bob", "dee"))
    checked_record(games, game)
