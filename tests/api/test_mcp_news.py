"""Agents lose no news: however calls are repeated, mixed or spread over processes, every event that a seat
could see is in the texts, in order.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask

from api.app import create_app
from arena.games import GAMES
from arena.ops.jobs import InlineJobs
from arena.ops.settings import Settings
from tests.agents.log import FORCED, lines_of, lines_read
from tests.agents.thumb import thumb
from tests.api.test_mcp import Agent

PRESETS = [(kind, preset.name) for kind, game in GAMES.items() for preset in game.presets]


def new_app(settings: Settings) -> Flask:
    """An app whose house bots move when a request is over."""
    jobs = InlineJobs()
    app = create_app(settings, jobs)
    app.extensions["jobs"] = jobs
    return app


@pytest.fixture(scope="module")
def one_app(settings: Settings) -> Flask:
    """The app of this module."""
    return new_app(settings)


@pytest.fixture
def owner(app: Flask) -> dict[str, str]:
    """The headers of an owner."""
    token = app.test_client().post("/v1/owners", json={"name": "ana"}).json["token"]
    return {"Authorization": f"Bearer {token}"}


def agent_of(app: Flask, owner: dict[str, str], name: str = "ana-agent") -> tuple[Agent, str]:
    """A new bot of the owner as an agent, and its token."""
    token = app.test_client().post("/v1/bots", json={"name": name}, headers=owner).json["token"]
    return Agent(app, token, True), token


@pytest.fixture
def agent(app: Flask, owner: dict[str, str]) -> Agent:
    """An agent."""
    return agent_of(app, owner)[0]


def joined(agent: Agent, kind: str, preset: str | None = None) -> str:
    """A new game."""
    return agent.text("join", kind=kind, preset=preset).split()[1].rstrip(":")


def forced_game(app: Flask, owner: dict[str, str], bot: str) -> str:
    """A new game in which many turns have one legal action."""
    seats = [{"bot": bot}, {"house": "rookie"}]
    body = {"kind": "toepen", "seats": seats, "rules": FORCED}
    game: str = app.test_client().post("/v1/games", json=body, headers=owner).json["game"]
    return game


def finish(agents: list[Agent], game: str, texts: list[str], **options: Any) -> list[str]:
    """Play to the end, a call by each of the agents in turn; return the texts."""
    while f"game {game} is finished" not in texts[-1]:
        agent = agents[len(texts) % len(agents)]
        found = thumb(texts[-1])
        if found is None:
            texts.append(agent.text("observe", game=game, wait=0, **options))
        else:
            texts.append(agent.text("act", turn=found[0], action=found[1], wait=0, **options))
    return texts


def record_of(app: Flask, game: str) -> Any:
    """The record of a finished game."""
    app.extensions["botequim"].live.finish(game)
    return app.test_client().get(f"/v1/games/{game}/record").json


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize(("kind", "preset"), PRESETS)
def test_every_event_is_read_once_and_in_order(
    app: Flask, agent: Agent, kind: str, preset: str, forced: bool
) -> None:
    game = joined(agent, kind, preset)
    texts = finish([agent], game, [agent.text("observe", game=game, wait=0, forced=forced)], forced=forced)
    assert lines_read(texts) == lines_of(record_of(app, game), "ana-agent")


def test_processes_share_what_was_read(app: Flask, settings: Settings, owner: dict[str, str]) -> None:
    agent, token = agent_of(app, owner)
    other_app = new_app(settings)
    other = Agent(other_app, token, True)
    game = forced_game(app, owner, "ana-agent")
    texts = finish([agent, other], game, [agent.text("observe", game=game, wait=0, forced=True)], forced=True)
    assert lines_read(texts) == lines_of(record_of(app, game), "ana-agent")
    other_app.extensions["botequim"].close()


def test_a_reply_that_did_not_arrive_is_made_up_for(app: Flask, owner: dict[str, str]) -> None:
    agent, _ = agent_of(app, owner)
    game = forced_game(app, owner, "ana-agent")
    texts = ["No decision for you yet."]
    forced = 0
    while f"game {game} is finished" not in texts[-1]:
        call: dict[str, Any] = {"name": "observe", "game": game}
        if (found := thumb(texts[-1])) is not None:
            call = {"name": "act", "turn": found[0], "action": found[1]}
        lost = agent.text(**call, wait=0, forced=True)
        texts.append(agent.text(**call, wait=0, forced=True))
        assert lines_read(texts[-1:])[: len(lines_read([lost]))] == lines_read([lost])
        forced += "played for you" in lost + texts[-1]
    assert forced > 0
    assert lines_read(texts) == lines_of(record_of(app, game), "ana-agent")
    # The end can be read again.
    assert lines_read([agent.text("observe", game=game)]) == lines_read(texts[-1:])


def test_turns_that_were_answered_elsewhere_leave_no_gap(app: Flask, owner: dict[str, str]) -> None:
    agent, token = agent_of(app, owner)
    game = joined(agent, "toepen")
    texts = [agent.text("observe", game=game, wait=0)]
    client, headers = app.test_client(), {"Authorization": f"Bearer {token}"}
    for _ in range(4):
        # The agent did not read these.
        (turn,) = client.get("/v1/turns", headers=headers).json["turns"]
        body = {"answers": [{"turn": turn["turn"], "action": turn["default_action"]}]}
        client.post("/v1/turns", json=body, headers=headers)
        app.extensions["jobs"].run_pending(app.extensions["botequim"])
    again = agent.text("observe", game=game, wait=0)
    assert lines_read([again])[: len(lines_read(texts))] == lines_read(texts)
    texts = finish([agent], game, [again])
    assert lines_read(texts) == lines_of(record_of(app, game), "ana-agent")


def test_what_happens_between_a_text_and_its_answer_is_not_lost(app: Flask, owner: dict[str, str]) -> None:
    (one, _), (two, token) = agent_of(app, owner, "ana-one"), agent_of(app, owner, "ana-two")
    seats = [{"bot": "ana-one"}, {"bot": "ana-two"}, {"house": "rookie"}, {"house": "rookie"}]
    rules = {"cut": "none", "signals": "table"}
    body = {"kind": "truco", "seats": seats, "rules": rules}
    game = app.test_client().post("/v1/games", json=body, headers=owner).json["game"]
    app.extensions["jobs"].run_pending(app.extensions["botequim"])
    agents = {"ana-one": one, "ana-two": two}
    texts: dict[str, list[str]] = {name: [] for name in agents}
    signals = 0
    while not all(found and "is finished" in found[-1] for found in texts.values()):
        for name, agent in agents.items():
            text = agent.text("observe", game=game, wait=0)
            if (found := thumb(text)) is None:
                if "is finished" in text and "is finished" not in "".join(texts[name]):
                    texts[name].append(text)
                continue
            texts[name].append(text)
            if name == "ana-one":
                signals += _signal(app, token, game)
            agent.text("act", turn=found[0], action=found[1], wait=0)
    assert signals > 0
    record = record_of(app, game)
    for name, read in texts.items():
        assert lines_read(read) == lines_of(record, name)


def _signal(app: Flask, token: str, game: str) -> bool:
    """Make a gesture, if that is possible."""
    client, headers = app.test_client(), {"Authorization": f"Bearer {token}"}
    turns = client.get("/v1/turns?rights=true", headers=headers).json["turns"]
    for turn in turns:
        if turn["game"] == game and turn["optional"]:
            body = {"answers": [{"turn": turn["turn"], "action": turn["legal_actions"][0]}]}
            (result,) = client.post("/v1/turns", json=body, headers=headers).json["results"]
            return bool(result["status"] == "accepted")
    return False


def test_the_end_has_the_last_events_the_score_and_the_reason(app: Flask, agent: Agent) -> None:
    game = joined(agent, "truco", "mineiro-2@1")
    *_, last = finish([agent], game, [agent.text("observe", game=game, wait=0)])
    news = lines_read([last])
    assert news[0].startswith("you: ")
    assert news[-2].startswith("hand over, ")
    assert news[-1].startswith("game over at 12 points, won by ")
    assert re.search(
        rf"^game {game} is finished. ana-agent place (1|2), rookie place (1|2). You (won|lost) \d+ to \d+.$",
        last,
        re.MULTILINE,
    )
    # Once the live data are gone, the result remains.
    store = app.extensions["botequim"].store
    record_of(app, game)
    store.games._connection.run([("DEL", f"{{g:{game}}}:events")])
    assert agent.text("observe", game=game) == last.splitlines()[-1] + "\n"


def test_an_end_is_repeated_until_the_next_turn_is_answered(app: Flask, agent: Agent) -> None:
    # With three games, a decision follows the first end.
    games = {joined(agent, kind) for kind in ("toepen", "toepen", "truco")}
    texts = [agent.text("observe", wait=0)]
    over = _until_one_is_over(agent, games, texts)
    turn = thumb(texts[-1])
    assert turn is not None
    assert lines_of(record_of(app, over), "ana-agent")[-1] in lines_read(texts[-1:])
    assert f"game {over} is finished" in agent.text("observe", wait=0)
    texts.append(agent.text("act", turn=turn[0], action=turn[1], wait=0, tournaments=True))
    games.discard(over)
    while games:
        assert f"game {over} is finished" not in texts[-1]
        games.discard(_until_one_is_over(agent, games, texts))
    # The end of the last game comes without a turn, once.
    assert texts[-1].endswith("No decision for you yet. Nothing is lost: observe again.")
    assert agent.text("observe", wait=0) == "No decision for you yet. Nothing is lost: observe again."


def _until_one_is_over(agent: Agent, games: set[str], texts: list[str]) -> str:
    """Play in all games until one of these is over; return it."""
    while True:
        for game in games:
            if f"game {game} is finished" in texts[-1]:
                return game
        found = thumb(texts[-1])
        if found is None:
            texts.append(agent.text("observe", wait=0))
        else:
            texts.append(agent.text("act", turn=found[0], action=found[1], wait=0, tournaments=True))


@pytest.mark.parametrize(("kind", "preset"), [("toepen", "duel@1"), ("truco", "paulista@1")])
def test_turns_as_text_have_every_event_too(
    app: Flask, owner: dict[str, str], kind: str, preset: str
) -> None:
    _, token = agent_of(app, owner)
    rules = GAMES[kind].preset(preset).rules
    others = GAMES[kind].seats(GAMES[kind].options.complete(rules)) - 1
    seats = [{"bot": "ana-agent"}, *[{"house": "rookie"}] * others]
    client, headers = app.test_client(), {"Authorization": f"Bearer {token}", "Accept": "text/plain"}
    body = {"kind": kind, "seats": seats, "rules": rules}
    game = client.post("/v1/games", json=body, headers=owner).json["game"]
    texts = [client.get("/v1/turns?rights=false", headers=headers).text]
    while f"game {game} is finished" not in texts[-1]:
        app.extensions["jobs"].run_pending(app.extensions["botequim"])
        found = thumb(texts[-1])
        answers = [] if found is None else [{"turn": found[0], "action": found[1]}]
        page = client.post("/v1/turns?rights=false", json={"answers": answers}, headers=headers)
        texts.append(page.text)
    assert lines_read(texts) == lines_of(record_of(app, game), "ana-agent")
    assert "is finished" not in client.get("/v1/turns?rights=false", headers=headers).text


def test_readings_are_kept_only_as_long_as_they_are_needed(app: Flask, agent: Agent) -> None:
    readings = app.extensions["botequim"].store.readings
    first = joined(agent, "truco", "mineiro-2@1")
    finish([agent], first, [agent.text("observe", game=first, wait=0)])
    (reading,) = readings.of("ana-agent").values()
    assert reading.is_over
    app.extensions["botequim"].store.games._connection.run([("DEL", f"{{g:{first}}}")])
    second = joined(agent, "toepen")
    agent.text("observe", game=second, wait=0)
    assert list(readings.of("ana-agent")) == [f"{second}.0"]
    readings.forget("ana-agent")
    assert readings.of("ana-agent") == {}


def test_a_reading_keeps_the_first_number_of_a_turn(app: Flask) -> None:
    readings = app.extensions["botequim"].store.readings
    readings.offer("bob", "g.0.1", {"g.0": 5})
    readings.offer("bob", "g.0.1", {"g.0": 9})
    assert readings.of("bob") == {"g.0": (0, 5, "g.0.1")}
    readings.offer("bob", "g.0.2", {"g.0": 9, "h.1": 30})
    assert readings.of("bob") == {"g.0": (0, 9, "g.0.2"), "h.1": (0, 30, "g.0.2")}
    readings.confirm("bob", ["g.0.1", "x"])
    assert readings.of("bob")["g.0"].since == 0
    readings.confirm("bob", ["g.0.2"])
    assert readings.of("bob") == {"g.0": (9, 9, "")}
    readings.confirm("bob", ["", "over"])
    assert readings.of("bob") == {"g.0": (9, 9, "")}
