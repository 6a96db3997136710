"""The file of a replay page: complete, escaped, readable without a script, strict about what it loads."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import arena.cli
from arena.cli import play as play_command
from arena.records.record import dumps
from arena.records.verify import verify
from arena.replays.moves import OPEN, read_moves
from arena.replays.page import replay_page
from tests.replays.games import RULES, forged, played

NASTY = ("</script><script>alert(1)</script>", "<!--", "{{seed}}", "\"'&amp;")


class ReadPage(HTMLParser):
    """A page as a browser reads it: elements, and the text of scripts, styles and moves."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag in ("script", "style", "h1", "title"):
            self.inside.append(tag if tag != "script" else attributes["type"] or "")
            self.text.setdefault(self.inside[-1], []).append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("script", "style", "h1", "title"):
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.text[self.inside[-1]][-1] += data

    def data(self) -> Any:
        (text,) = self.text["application/json"]
        return json.loads(text)


def digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_the_policy_allows_the_script_and_the_style_alone(kind: str, rules: dict[str, Any]) -> None:
    page = ReadPage(replay_page(played(kind, rules)))
    (policy,) = [a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    (script,) = page.text["module"]
    (style,) = page.text["style"]
    assert policy is not None
    assert policy.split("; ") == [
        "default-src 'none'",
        f"script-src {digest(script)}",
        f"style-src {digest(style)}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    for tag, attributes in page.elements:
        assert not any(name == "style" or name.startswith("on") for name in attributes), tag
        for name in ("src", "href", "action"):
            assert (attributes.get(name) or "#").startswith(("#", "data:,")), tag


def test_names_are_text() -> None:
    html = replay_page(played("truco", {}, names=NASTY), source="</script>.json")
    page = ReadPage(html)
    assert page.data()["fair"]["command"] == "botequim verify '</script>.json'"
    assert [kind for kind in page.text if "/" in kind or kind == "module"] == ["application/json", "module"]
    assert len(page.text["module"]) == 1
    assert page.data()["names"] == list(NASTY)
    assert "<!--" not in html
    assert page.text["h1"] == [f"{NASTY[0]} and {NASTY[2]} – {NASTY[1]} and {NASTY[3]}"]
    assert "<" not in html.partition('id="data">')[2].partition("</script>")[0]


@pytest.mark.parametrize(
    ("kind", "rules", "names", "title"),
    [
        ("truco", {}, ("ana", "bia", "ana", "bia"), "ana – bia"),
        ("truco", {}, ("ana", "bia", "ana", "caio"), "ana – bia and caio"),
        ("toepen", {"seats": 2}, ("ana", "bia"), "ana – bia"),
        ("toepen", {"seats": 8}, ("ana",) * 8, "Eight at the table"),
    ],
)
def test_the_title_names_the_sides(
    kind: str, rules: dict[str, Any], names: tuple[str, ...], title: str
) -> None:
    page = ReadPage(replay_page(played(kind, rules, names=names)))
    assert page.text["h1"] == [title]
    assert page.text["title"] == [f"{title} – Botequim"]


def test_the_script_takes_no_markup() -> None:
    (script,) = ReadPage(replay_page(played("truco", {}))).text["module"]
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval(", "fetch(", "import("):
        assert word not in script


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_the_data_unfold_to_the_pictures(kind: str, rules: dict[str, Any]) -> None:
    record = played(kind, rules)
    data = ReadPage(replay_page(record)).data()
    replayed = read_moves(record)

    def unfolded(changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        last: dict[str, Any] = {}
        return [last := {**last, **change} for change in changes]

    opened = unfolded(data["open"])
    assert opened == replayed.pictures[OPEN]
    for seat, changes in enumerate(data["seen"]):
        seen = [{**one, **other} for one, other in zip(opened, unfolded(changes), strict=True)]
        assert seen == replayed.pictures[seat]
    assert [last for _, _, last in data["hands"]][-1] == len(opened)


@pytest.mark.parametrize(("kind", "rules"), RULES)
def test_the_moves_can_be_read_without_a_script(kind: str, rules: dict[str, Any]) -> None:
    record = played(kind, rules)
    html = replay_page(record)
    items = re.findall(r'<li id="move-(\d+)"[^>]*><a href="#move-(\d+)">(.*?)</a></li>', html)
    replayed = read_moves(record)
    assert [(number, target) for number, target, _ in items] == [
        (str(n), str(n)) for n in range(1, len(replayed.moves) + 1)
    ]
    words = [re.sub("<[^>]*>", "", text).split() for *_, text in items]
    for move, said in zip(replayed.moves, words, strict=True):
        narration = " ".join(line.text for line in move.lines)
        for symbol, name in zip("♣♥♠♦", ("clubs", "hearts", "spades", "diamonds"), strict=True):
            narration = narration.replace(symbol, f" of {name}")
        assert said == narration.split()
    assert html.count("<details open>") == replayed.moves[-1].hand


def test_what_bots_wrote_is_not_in_the_page() -> None:
    record = played("toepen", {"seats": 2})
    record["info"]["fault_details"] = ["a message of a bot"]
    assert "a message of a bot" not in replay_page(record)


# The commands


def run(*arguments: str) -> int:
    return arena.cli.run(list(arguments))


def test_replay_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    records = [played("truco", {}, number) for number in range(2)]
    Path("games.jsonl").write_text("".join(dumps(record) + "\n" for record in records))
    assert run("replay", "--html", "games.jsonl", "--number", "2") == 0
    assert capsys.readouterr().out == "wrote games.html\n"
    assert Path("games.html").read_text(encoding="utf-8") == replay_page(records[1], source="games.jsonl")
    assert run("replay", "--html", "games.jsonl", "--number", "1", "--out", "one.html") == 0
    assert "botequim verify games.jsonl" in Path("one.html").read_text(encoding="utf-8")
    assert run("replay", "--html", "games.jsonl") == 2
    assert run("replay", "games.jsonl", "--number", "1", "--out", "one.html") == 2
    assert "--out requires --html" in capsys.readouterr().err
    assert (
        run("replay", "--html", "games.jsonl", "--number", "1", "--out", str(tmp_path / "no/one.html")) == 2
    )


def test_a_record_that_does_not_verify_is_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = forged(played("toepen", {"seats": 3}))
    path, page = tmp_path / "forged.json", tmp_path / "forged.html"
    path.write_text(dumps(record))
    assert run("replay", "--html", str(path), "--out", str(page)) == 1
    captured = capsys.readouterr()
    assert captured.out == f"wrote {page}\n"
    assert captured.err.startswith("not verified: ")
    html = page.read_text(encoding="utf-8")
    assert "This record does not verify" in html
    assert str(verify(record)[0]).split(":")[0] in html
    assert "This record does not verify" not in replay_page(played("toepen", {"seats": 3}))


@pytest.mark.parametrize("fault", ["illegal", "unfinished", "seats", "kind"])
def test_a_record_that_cannot_be_played_is_refused(
    fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = played("toepen", {"seats": 3})
    canonical = record["canonical"]
    if fault == "illegal":
        canonical["actions"][3][1] = "play:XX"
    elif fault == "unfinished":
        del canonical["actions"][-1]
    elif fault == "seats":
        canonical["players"].pop()
    else:
        canonical["kind"] = "whist"
    path, page = tmp_path / "bad.json", tmp_path / "bad.html"
    path.write_text(dumps(record))
    assert run("replay", "--html", str(path), "--out", str(page)) == 2
    assert "does not verify" in capsys.readouterr().err
    assert not page.exists()


def test_play_opens_the_last_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(play_command.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(play_command.webbrowser, "open", lambda url: opened.append(url) or False)
    arguments = ("random", "random", "--groups", "1", "--jobs", "1", "--seed", "5", "--browser")
    assert run("play", "toepen", *arguments, "--rule", "seats=2", "--rule", "lives=2") == 0
    (page,) = tmp_path.glob("botequim-*.html")
    assert opened == [page.as_uri()]
    assert "-g1-2<" in page.read_text(encoding="utf-8"), "the last of two games"
    captured = capsys.readouterr()
    assert str(page) in captured.out
    assert "no browser was found" in captured.err
