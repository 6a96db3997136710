"""Exports of accounts: a worker writes them, and the API reads them piece by piece, whatever their size."""

from __future__ import annotations

import os
import zlib
from base64 import b64decode
from hashlib import sha256
from typing import Any

import orjson
import pytest
from flask import Flask

from api.app import create_app
from arena.accounts.versions import Version, pack_version
from arena.events import exports as module
from arena.events.exports import Log, Source, pieces_of
from arena.ops.jobs import InlineJobs
from arena.ops.service import Service
from arena.ops.settings import DEFAULT_LIMITS, HttpSettings, Settings
from arena.store.connection import SingleRedis
from arena.store.embedded import EmbeddedStore
from arena.store.journals import GameJournal
from tests.api.contract import ContractClient, contract_client
from tests.api.pages import Browser
from tests.api.server import ADMIN_TOKEN

PATH = "/v1/owners/me/export"


@pytest.fixture
def jobs() -> InlineJobs:
    return InlineJobs()


@pytest.fixture
def app(clean_store: EmbeddedStore, jobs: InlineJobs) -> Flask:
    """An app whose requests do not wait for workers."""
    http = HttpSettings(limits=dict.fromkeys(DEFAULT_LIMITS), upload_wait=0)
    return create_app(Settings(clean_store.url, admin_token=ADMIN_TOKEN, http=http), jobs)


@pytest.fixture
def services(app: Flask) -> Service:
    found: Service = app.extensions["botequim"]
    return found


@pytest.fixture
def token(services: Service) -> str:
    return services.accounts.sign_up("ana")[1]


@pytest.fixture
def ana(app: Flask, token: str) -> ContractClient:
    return contract_client(app, token)


@pytest.fixture
def largest_reply(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The size of the largest reply of the database, in a list."""
    largest = [0]
    run = SingleRedis.run

    def measured(self: SingleRedis, commands: Any) -> list[Any]:
        replies = run(self, commands)
        largest[0] = max(largest[0], sum(len(one) for one in replies if isinstance(one, bytes)))
        return replies

    monkeypatch.setattr(SingleRedis, "run", measured)
    return largest


def upload(services: Service, name: str, language: str, data: bytes) -> None:
    """Add a bot with an uploaded version, as if it had been checked."""
    services.accounts.register_bot("ana", name)
    digest = sha256(data).hexdigest()
    version = Version("2", "uploaded", 1, language=language, digest=digest, size=len(data))
    services.store._connection.run(
        [
            ("HSET", f"{{b:{name}}}:sources", digest, data),
            ("HSET", f"{{b:{name}}}:versions", "2", pack_version(version)),
        ]
    )


def uploaded(bot: dict[str, Any]) -> dict[str, Any]:
    """The uploaded version in an export."""
    (version,) = [one for one in bot["versions"] if one["label"] == "2"]
    return dict(version)


def test_a_worker_writes_the_export(
    services: Service, ana: ContractClient, jobs: InlineJobs, app: Flask
) -> None:
    for _ in range(2):
        waits = ana.get(PATH)
        assert (waits.status_code, waits.json) == (202, {"state": "preparing"})
        assert waits.headers["Location"] == PATH
        assert int(waits.headers["Retry-After"]) > 0
    assert len(jobs.pending) == 1
    jobs.run_pending(services)
    reply = ana.get(PATH)
    assert (reply.status_code, reply.json["owner"]["name"], reply.json["bots"]) == (200, "ana", [])
    # The next one is a new one.
    services.accounts.register_bot("ana", "anas-bot")
    assert ana.get(PATH).status_code == 202
    jobs.run_pending(services)
    assert [bot["name"] for bot in ana.get(PATH).json["bots"]] == ["anas-bot"]
    assert services.store.prepared.bytes() < 1000


def test_no_piece_of_a_large_export_is_large(
    services: Service, ana: ContractClient, jobs: InlineJobs, largest_reply: list[int]
) -> None:
    modules = [b"\0asm" + os.urandom(5_000_000), b"\0asm" + os.urandom(3 << 18), b"\0asm"]
    for number, data in enumerate(modules):
        upload(services, f"bot-{number}", "module", data)
    text = "def choose(turn): return '\u00e9'\n"
    upload(services, "texts", "python", text.encode())
    seats = [{"seat": 1, "log": "x" * 10_000}]
    services.store.journals.keep(GameJournal("texts", f"g{number}", seats) for number in range(100))
    ana.get(PATH)
    largest_reply[0] = 0
    jobs.run_pending(services)
    assert largest_reply[0] < 10_000, "the job reads no source and no log"
    assert services.store.prepared.bytes() < 20_000, "and copies none"
    pieces = list(services.exports.read("ana"))
    assert max(map(len, pieces)) <= 1 << 20
    assert largest_reply[0] <= 3 << 18
    document = orjson.loads(b"".join(pieces))
    by_name = {bot["name"]: bot for bot in document["bots"]}
    for number, data in enumerate(modules):
        version = uploaded(by_name[f"bot-{number}"])
        assert version["source"] is None
        assert b64decode(version["module"]) == data
    assert uploaded(by_name["texts"])["source"] == text
    assert [log["seats"] for log in by_name["texts"]["logs"]] == [seats] * 100


def test_what_goes_after_the_export_was_written_is_left_out(
    services: Service, ana: ContractClient, jobs: InlineJobs
) -> None:
    upload(services, "gone", "module", b"\0asm")
    services.store.journals.keep([GameJournal("gone", "g1", [])])
    ana.get(PATH)
    jobs.run_pending(services)
    services.store.journals.forget("gone")
    services.accounts.delete_bot("gone")
    (bot,) = ana.get(PATH).json["bots"]
    assert (uploaded(bot)["module"], bot["logs"]) == ("", [{"game": "g1", "seats": []}])


def test_an_export_goes_with_its_account_and_when_it_is_too_large(
    services: Service, ana: ContractClient, jobs: InlineJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana.get(PATH)
    jobs.run_pending(services)
    assert services.store.prepared.bytes() > 0
    services.exports.forget("ana")
    assert services.store.prepared.bytes() == 0
    monkeypatch.setattr(module, "MOST_BYTES", 10)
    ana.get(PATH)
    jobs.run_pending(services)
    refused = ana.get(PATH)
    assert (refused.status_code, refused.json["code"]) == (409, "export_too_large")
    assert services.store.prepared.bytes() == 0
    monkeypatch.undo()
    ana.get(PATH)
    jobs.run_pending(services)
    services.account_data.delete("ana", "ana")
    assert services.store.prepared.bytes() == 0


def test_an_export_is_not_stored_once_its_request_has_gone(
    services: Service, ana: ContractClient, jobs: InlineJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = services.exports._document
    monkeypatch.setattr(module, "_PART_BYTES", 10)

    def forgotten(owner: str, again: bool, at: int) -> Any:
        for number in range(4):
            if number == at:
                services.exports.forget(owner)
                if again:
                    services.exports.request(owner)
            yield f"old {number}".ljust(20)

    for again in (False, True):
        for at in range(4):
            monkeypatch.setattr(
                services.exports, "_document", lambda owner, again=again, at=at: forgotten(owner, again, at)
            )
            services.exports.request("ana")
            jobs._pending.clear()
            services.exports.write("ana")
            assert services.store.prepared.parts("export:ana", ("parts", "part:0", "busy")) == [None] * 3
            assert services.exports.is_requested("ana") == again
            assert (services.store.prepared.bytes() > 0) == again
            if again:
                monkeypatch.setattr(services.exports, "_document", document)
                jobs.run_pending(services)
                assert ana.get(PATH).json["owner"]["name"] == "ana"


def test_a_job_writes_nothing_when_its_request_goes_before_the_last_step(
    services: Service, ana: ContractClient, jobs: InlineJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_parts = services.exports._put_parts

    def deleted(*arguments: Any) -> Any:
        made = put_parts(*arguments)
        services.account_data.delete("ana", "ana")
        return made

    monkeypatch.setattr(services.exports, "_put_parts", deleted)
    ana.get(PATH)
    jobs.run_pending(services)
    assert services.store.prepared.bytes() == 0


def test_a_document_without_its_request_is_not_served(
    services: Service, ana: ContractClient, jobs: InlineJobs
) -> None:
    stale = {"parts": b"1", "part:0": zlib.compress(b'["{}"]')}
    services.store.prepared.put("export:ana", stale)
    assert not services.exports.wait("ana", 0)
    with pytest.raises(module.ExportGone):
        next(services.exports.read("ana"))
    assert ana.get(PATH).status_code == 202
    assert services.store.prepared.parts("export:ana", ("parts", "part:0")) == [None, None]
    jobs.run_pending(services)
    assert ana.get(PATH).json["owner"]["name"] == "ana"


def test_an_export_that_goes_between_waiting_and_reading_is_gone(
    services: Service, ana: ContractClient, jobs: InlineJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = services.exports.wait

    def read_by_another(owner: str, seconds: float) -> bool:
        ready = wait(owner, seconds)
        assert b"".join(services.exports.read(owner))
        services.exports.request(owner)
        return ready

    ana.get(PATH)
    jobs.run_pending(services)
    monkeypatch.setattr(services.exports, "wait", read_by_another)
    gone = ana.get(PATH)
    assert (gone.status_code, gone.json["code"]) == (409, "export_gone")
    monkeypatch.undo()
    assert services.exports.is_requested("ana"), "the newer request is kept"
    jobs.run_pending(services)
    # A reader that is overtaken in the middle neither mixes two exports nor deletes the newer one.
    pieces = services.exports.read("ana")
    next(pieces)
    services.exports.forget("ana")
    services.exports.request("ana")
    jobs.run_pending(services)
    list(pieces)
    assert services.exports.wait("ana", 0)


def test_a_dropped_part_ends_the_export(services: Service, ana: ContractClient, jobs: InlineJobs) -> None:
    ana.get(PATH)
    jobs.run_pending(services)
    services.store.prepared.put("export:ana", {"part:0": b""})
    gone = ana.get(PATH)
    assert (gone.status_code, gone.json["code"]) == (409, "export_gone")


def test_whoever_has_no_budget_gets_no_export(
    services: Service, ana: ContractClient, jobs: InlineJobs
) -> None:
    services.budgets.charge("ana", 1e9)
    refused = ana.get(PATH)
    assert (refused.status_code, refused.json["code"]) == (429, "budget_exceeded")
    assert jobs.pending == []


def test_the_page_waits_for_the_file(
    app: Flask, services: Service, token: str, jobs: InlineJobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.pages.account.EXPORT_SECONDS", 0)
    browser = Browser(app)
    browser.sign_in(token)
    assert browser.get("/account/export/file").status_code == 303
    waits = browser.get("/account/export").text
    assert "is being written" in waits
    assert 'http-equiv="refresh"' in waits
    jobs.run_pending(services)
    ready = browser.get("/account/export").text
    assert '<a class="button primary" href="/account/export/file">' in ready
    assert "refresh" not in ready
    file = browser.get("/account/export/file")
    assert file.headers["Content-Disposition"] == 'attachment; filename="botequim-ana.json"'
    assert file.json["owner"]["name"] == "ana"


def test_pieces_are_those_of_the_document() -> None:
    document = {"a": iter([1, {"b": iter([])}, None]), 'c"': {"d": [1, "\u00e9"]}, "e": iter("x")}
    assert (
        "".join(map(str, pieces_of(document)))
        == '{"a":[1,{"b":[]},null],"c\\"":{"d":[1,"\u00e9"]},"e":["x"]}'
    )
    source = Source("b", "d", "python")
    assert list(pieces_of({"s": source, "l": iter([Log("b", "g")])})) == [
        *("{", '"s":', source, ',"l":', "[", Log("b", "g"), "]", "}")
    ]


def test_parts_are_bounded() -> None:
    parts = list(module._parts(pieces_of(iter(range(200_000)))))
    assert max(len("".join(map(str, part))) for part in parts) < 2 * (256 << 10)
    assert orjson.loads("".join(str(piece) for part in parts for piece in part)) == list(range(200_000))
