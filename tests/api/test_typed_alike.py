"""The same text, time or table is the same value by the API, a form and a command."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from arena.cli import botequim
from arena.inputs.times import in_utc
from tests.api.arenas import now_ms
from tests.api.conftest import Account
from tests.api.contract import ContractClient
from tests.api.pages import Browser
from tests.inputs.test_tables import READ as TABLES
from tests.inputs.test_texts import READ, REFUSED

HOUR = 3_600_000
CUP = {"kind": "toepen", "format": "round_robin", "preset": "duel@1"}
Doors = dict[str, Callable[..., Any]]
"""By the API, a form and a command: announce a tournament; its view, or the only line of the error."""


@pytest.fixture
def doors(owner: Account, browser: Browser, online: list[str]) -> Doors:
    def view(id: str) -> Any:
        return owner.client.get(f"/v1/tournaments/{id}").json

    def by_api(**values: Any) -> Any:
        sent = owner.client.post("/v1/tournaments", json={**CUP, "name": "Cup", **values})
        return view(sent.json["id"]) if sent.status_code == 201 else sent.json["detail"]

    def by_form(**values: Any) -> Any:
        given = {key.replace("_offset", ".offset"): value for key, value in values.items()}
        sent = browser.send("/tournaments/new", {**CUP, "name": "Cup", "draft": str(now_ms()), **given})
        if sent.status_code == 303:
            return view(str(sent.location).rpartition("/")[2])
        found = re.search(r'<p class="problem" role="alert">(.*?)</p>', sent.text, re.DOTALL)
        assert found is not None, sent.text
        return unescape(found[1])

    def by_command(name: str = "Cup", locks_ms: str = "+2h", **values: str) -> Any:
        options = [part for key, value in values.items() for part in (f"--{key}", value)]
        call = ["tournament", "create", name, "toepen", "--preset", "duel@1", "--starts", locks_ms, *options]
        done = CliRunner().invoke(botequim, [*call, "--token", owner.token, *online])
        if done.exit_code == 0:
            return view(done.output.strip())
        return getattr(done.exception, "message", None) or done.output.strip().splitlines()[-1]

    return {"api": by_api, "form": by_form, "command": by_command}


@pytest.mark.parametrize("door", ["api", "form", "command"])
def test_texts(doors: Doors, door: str) -> None:
    for title in ("a no-break space", "letters and accents", "an emoji of several", "a soft hyphen", "a tab"):
        given, read = READ[title]
        view = doors[door](name=given, description=f"{given}\r\n{given} ")
        assert (view["name"], view["description"]) == (read, f"{read}\n{read}"), title
    for title in ("an override", "a bell", "a next line inside"):
        given, said = REFUSED[title]
        assert said in doors[door](name=given), title
    for title in ("blanks only", "too long"):
        assert "length must be between 1 and 80" in doors[door](name=REFUSED[title][0]), title


@pytest.fixture
def at_three_behind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "America/Sao_Paulo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("at_three_behind")
def test_times(doors: Doors) -> None:
    due = (now_ms() // HOUR + 5) * HOUR
    utc, local = in_utc(due), in_utc(due - 3 * HOUR)[:16]
    exact = (utc, utc.replace("Z", ".000Z"), f"{local}:00-03:00", f"{local}:00.0-03:00".replace("T", " "))
    typed = (local, local.replace("T", " "), local[-5:], f"{utc[:16]} UTC", f"{local}-03", str(due))
    for text in exact:
        assert [doors[door](locks_ms=text)["locks_ms"] for door in doors] == 3 * [due], text
    for text in typed:
        assert "is not a valid time" in doors["api"](locks_ms=text) or "RFC 3339" in doors["api"](
            locks_ms=text
        )
        assert doors["form"](locks_ms=text, locks_ms_offset="-180")["locks_ms"] == due, text
        assert doors["command"](locks_ms=text)["locks_ms"] == due, text
    # Without a script a form is in UTC, as its label says; and an offset that is typed counts more.
    assert doors["form"](locks_ms=utc[:16])["locks_ms"] == due
    assert doors["form"](locks_ms=utc, locks_ms_offset="330")["locks_ms"] == due
    for text in ("soon", "18h", "31/12/2026 20:00", "18:00 BRT"):
        for door in ("form", "command"):
            assert "a time such as 2" in doors[door](locks_ms=text), (door, text)
        assert "RFC 3339 such as 2" in doors["api"](locks_ms=text)


def test_tables(
    owner: Account, admin: ContractClient, browser: Browser, online: list[str], tmp_path: Path
) -> None:
    admin.put("/v1/admin/owners/ana/invitations", json={"most": 500})

    def people(roster: str) -> list[tuple[str, ...]]:
        found = owner.client.get(f"/v1/invitations?roster={roster}").json["invitations"]
        return [(one["name"], one["handle"], one["email"]) for one in found]

    path = tmp_path / "class.csv"
    for number, (title, data) in enumerate(TABLES.items()):
        path.write_bytes(data)
        call = ["roster", "import", str(path), "--roster", f"c{number}", "--token", owner.token, *online]
        done = CliRunner().invoke(botequim, call)
        assert done.exit_code == 0, (title, done.output)
        assert ("Windows-1252" in done.stderr) is (title == "Windows-1252")
        read = people(f"c{number}")
        assert read == [("João Sá", "joao", "joao@school.example")], title
        if not title.startswith(("UTF-16", "Windows")):
            sent = {"people": data.decode(), "roster": f"f{number}", "draft": str(number)}
            assert browser.send("/account/invitations", sent).status_code == 200, title
            assert people(f"f{number}") == read, title
    person = {"name": " João\xa0Sa\u0301\u200b", "email": "joao@school.example\n"}
    made = owner.client.post("/v1/invitations", json={"people": [person], "roster": "7b\u200b"})
    assert made.status_code == 201
    assert people("7b") == [("João Sá", None, "joao@school.example")]
