"""Downloads into a file: whatever interrupts them and changes meanwhile, the file is that of one download."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from arena.cli import records as downloads
from arena.cli import run
from arena.cli.records import opened_download, state_path
from arena.client import Client
from arena.client.games import RecordsPage
from arena.errors import ArenaError
from arena.records.record import dumps
from tests.client.conftest import Table

PAGE = 3


class Records:
    """A service with records of groups that can be annulled. ``at``: which one, by the number of the page."""

    url = "http://arena"

    def __init__(self, count: int = 8) -> None:
        self.annulled: dict[str, str] = {}
        self.count = count
        self.at: dict[int, str] = {}
        self.pages = 0

    def lines(self) -> list[str]:
        found = []
        for number in range(self.count):
            group = f"cup-g{number // 2}"
            info: dict[str, Any] = {"finished_ms": number}
            if group in self.annulled:
                info["annulled"] = self.annulled[group]
            canonical = {"game": f"{group}-{number % 2}", "group": {"id": group}, "name": "zé"}
            found.append(dumps(cast(Any, {"canonical": canonical, "hash": "", "info": info})))
        return found

    def whole(self) -> bytes:
        return "".join(line + "\n" for line in self.lines()).encode()

    def records_page(self, kind: str | None, after: str | None) -> RecordsPage:
        self.pages += 1
        if self.pages in self.at:
            self.annulled[self.at[self.pages]] = "fire"
        start = int(after or 0)
        lines = self.lines()[start : start + PAGE]
        return RecordsPage(lines, str(start + len(lines)))

    def record_changes(self) -> Iterator[dict[str, Any]]:
        for group, reason in self.annulled.items():
            yield {"group": group, "info": {"annulled": reason}, "at_ms": 1}

    def leaderboards(self) -> list[dict[str, Any]]:
        return []


def download(service: Records, path: Path, kind: str | None = None) -> int:
    """Run a download, and return how many records are new."""
    with opened_download(cast(Client, service), path, kind) as opened:
        before = opened.state.records
        opened.run(lambda count: None)
        return opened.state.records - before


def test_a_later_download_adds_what_is_new_and_what_changed(tmp_path: Path) -> None:
    service, path = Records(), tmp_path / "all.jsonl"
    assert download(service, path) == 8
    assert path.read_bytes() == service.whole()
    service.count = 13
    service.annulled["cup-g1"] = "the hall was on fire"
    assert download(service, path) == 5
    assert path.read_bytes() == service.whole()
    assert download(service, path) == 0
    assert path.read_bytes() == service.whole()
    assert {own.name for own in tmp_path.iterdir()} == {"all.jsonl", "all.jsonl.state"}


def test_a_change_during_the_download_is_in_the_file(tmp_path: Path) -> None:
    service, path = Records(), tmp_path / "all.jsonl"
    service.at = {3: "cup-g0"}
    download(service, path)
    assert path.read_bytes() == service.whole()
    assert path.read_bytes().count(b"annulled") == 2


@pytest.mark.parametrize("step", ["_flush", "_flush_folder", "replace", "records_page"])
def test_an_interruption_at_any_moment_neither_loses_nor_doubles(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for moment in range(1, 100):
        service, path = Records(), tmp_path / f"{moment}.jsonl"
        download(service, path)
        # What was there is to be changed, something is new, and something changes on the way.
        service.count = 13
        service.annulled["cup-g1"] = "fire"
        service.pages, service.at = 0, {3: "cup-g2"}
        calls = 0

        def interrupt(original: Any, after: bool, at: int = moment) -> Any:
            def call(*arguments: Any, **named: Any) -> Any:
                nonlocal calls
                calls += 1
                if calls == at and not after:
                    raise KeyboardInterrupt
                result = original(*arguments, **named)
                if calls == at:
                    raise KeyboardInterrupt
                return result

            return call

        place: Any = service if step == "records_page" else downloads.os if step == "replace" else downloads
        with monkeypatch.context() as patch:
            patch.setattr(place, step, interrupt(getattr(place, step), after=moment % 2 == 0))
            try:
                download(service, path)
                interrupted = False
            except KeyboardInterrupt:
                interrupted = True
        if not interrupted:
            assert moment >= 3
            break
        for _ in range(2):
            download(service, path)
            assert path.read_bytes() == service.whole(), (step, moment)
    else:
        raise AssertionError("it never came to its end")


def test_what_was_half_written_is_written_again(tmp_path: Path) -> None:
    service, path = Records(4), tmp_path / "all.jsonl"
    download(service, path)
    with path.open("ab") as out:
        out.write(b'{"canonical": {"ga')
    service.count = 8
    download(service, path)
    assert path.read_bytes() == service.whole()


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    service, path = Records(), tmp_path / "all.jsonl"

    def refused(kind: str | None = None) -> str:
        with pytest.raises(ArenaError) as error:
            download(service, path, kind)
        assert error.value.code == "invalid_state"
        return error.value.message

    path.write_text("mine\n")
    assert refused().endswith("exists, but is not from an earlier download")
    assert path.read_text() == "mine\n"
    path.unlink()
    download(service, path)
    assert refused("truco").endswith("contains all records of http://arena")
    with opened_download(cast(Client, service), path, None):
        assert refused().startswith("another process is downloading to")
    service.url = "http://elsewhere"
    assert refused().endswith("contains all records of http://arena")
    service.url = "http://arena"
    path.write_bytes(path.read_bytes()[:50])
    assert "has 50 bytes, but" in refused()
    path.unlink()
    assert download(service, path) == 8
    state_path(path).write_text("{")
    assert "is not a valid state of a download" in refused()


def test_the_command_downloads_from_a_service(
    table: Table, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(3):
        table.new_game(clock={"per_turn_ms": 100, "bank_ms": 0})
    table.await_records()
    whole = table.owner.all_records("toepen")
    assert whole.splitlines() == list(table.owner.records("toepen"))
    path, url = tmp_path / "all.jsonl", table.owner.url
    assert run(["records", "--url", url, "--kind", "toepen", "--out", str(path)]) == 0
    out, err = capsys.readouterr()
    assert path.read_text(encoding="utf-8") == whole
    count = len(whole.splitlines())
    assert out.splitlines()[0] == f"{path}: {count} records, {count} of them new"
    assert "\x1b" not in err
    assert json.loads(state_path(path).read_text())["finished"] is True
    assert run(["records", "--url", url, "--kind", "toepen"]) == 0
    assert capsys.readouterr().out == whole
    assert run(["records", "--url", url, "--kind", "poker"]) == 2
    assert "there is no game 'poker'" in capsys.readouterr().err
