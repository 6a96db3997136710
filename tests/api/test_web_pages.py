"""The pages for people: complete, escaped, readable without a script, strict about what they load."""

from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from api.app import create_app
from api.pages import filters
from api.schemas.tournaments import TABS
from arena.ops.service import Service
from arena.ops.settings import HttpSettings, Limit, Settings
from arena.play.board_names import rank_text
from arena.store.embedded import EmbeddedStore
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client
from tests.live.snapshots import made_once

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
VOID = {"meta", "link", "br", "hr", "img", "input"}
NASTY = "<script>alert('1')</script> & \"co\""


class Page(HTMLParser):
    """A page as a screen reader has it, without drawings: its text, links, tables. It must be well formed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.tags: list[str] = []
        self.links: list[str] = []
        self.not_followed: set[str] = set()
        self.attributes: dict[str, dict[str, str | None]] = {}
        self.headings: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.captions: list[str] = []
        self.items: list[str] = []
        self.title = ""
        self._open: list[str] = []
        self._unread = 0
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.setdefault(tag, dict(attrs))
        self.links += [value for name, value in attrs if name in ("href", "src") and value]
        if ("rel", "nofollow") in attrs:
            self.not_followed.add(self.links[-1])
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
        elif tag == "caption":
            self.captions.append("")
        elif tag == "li":
            self.items.append("")
        elif tag in ("h1", "h2"):
            self.headings.append("")
        if tag not in VOID:
            self._open.append(tag)
            if not self._unread and ("aria-hidden", "true") in attrs:
                self._unread = len(self._open)

    def handle_endtag(self, tag: str) -> None:
        if self._unread == len(self._open):
            self._unread = 0
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._unread:
            return
        if "title" in self._open:
            self.title += data
        if "li" in self._open:
            self.items[-1] += data
        if "caption" in self._open:
            self.captions[-1] += data
        elif "td" in self._open or "th" in self._open:
            self.tables[-1][-1][-1] += data
        elif {"h1", "h2"} & set(self._open):
            self.headings[-1] += data

    def rows(self, caption: str) -> list[dict[str, str]]:
        """The rows of the table whose caption begins so, by heading."""
        (table,) = [
            table for table, own in zip(self.tables, self.captions, strict=True) if own.startswith(caption)
        ]
        return [
            {name.strip(): " ".join(cell.split()) for name, cell in zip(table[0], row, strict=True)}
            for row in table[1:]
        ]


def read(client: ContractClient, path: str, status: int = 200) -> Page:
    response = client.get(path, headers=BROWSER)
    assert response.status_code == status, response.text
    return check_page(response)


def check_page(response: TestResponse) -> Page:
    """What holds for every page."""
    assert response.content_type == "text/html; charset=utf-8"
    policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["style-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["form-action"] == "'self'"
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    page = Page(response.text)
    assert page.html.startswith("<!doctype html>")
    assert page.attributes["html"]["lang"] == "en"
    assert "viewport" in page.html
    assert page.title.endswith("– Botequim")
    assert page.tags.count("h1") == 1
    assert len(page.captions) == len(page.tables)
    assert not {"style", "iframe"} & set(page.tags)
    assert page.html.count('name="csrf_token"') == page.html.count('<form method="post"')
    scripts = page.html.count('<script type="module" src="/static/')
    data = page.html.count('<script type="application/json" id="data">')
    assert page.tags.count("script") == scripts + data
    assert "style=" not in page.html
    assert "onload=" not in page.html
    # Only links that somebody has written lead elsewhere.
    written = set(re.findall(r'href="([^"]*)" rel="nofollow noopener ugc"', page.html))
    assert all(not urlsplit(link).netloc or link in written for link in page.links)
    return page


def whole(value: float) -> str:
    """A number as pages show it."""
    return f"{value:.0f}".replace("-", "\N{MINUS SIGN}")


@pytest.fixture
def played(services: Service, admin: ContractClient) -> str:
    """A finished tournament of house bots whose board is published; its id."""
    body = {
        "name": NASTY,
        "kind": "toepen",
        "format": "round_robin",
        "preset": "duel@1",
        "groups": 2,
        "house": ["rookie", "random", "rookie+2"],
    }

    def make() -> str:
        event = announce(admin, body)
        play(services, event)
        assert services.boards.publish("toepen", "sealed")
        return event

    return made_once(services, "a cup with a nasty name", make)


def later(**fields: Any) -> dict[str, Any]:
    """A tournament to come."""
    times = {
        "opens_ms": time.time_ns() // 1_000_000 + 60_000,
        "locks_ms": time.time_ns() // 1_000_000 + 90_000,
    }
    return {"name": "Later", "kind": "truco", "format": "round_robin", **times, **fields}


# On an empty database


@pytest.mark.parametrize("path", ["/", "/leaderboards/truco", "/leaderboards/toepen", "/tournaments"])
def test_pages_before_anything_has_happened(anybody: ContractClient, path: str) -> None:
    page = read(anybody, path)
    assert "No rated group has been played yet." in page.html or "No past cups." in page.html


def test_style_sheets_and_scripts(anybody: ContractClient) -> None:
    page = read(anybody, "/")
    for address in (link for link in page.links if link.startswith("/static/")):
        asset = anybody.get(address)
        assert asset.status_code == 200
        assert "immutable" in asset.headers["Cache-Control"]
        assert "://" not in asset.text.replace("http://www.w3.org/2000/svg", "")
        assert "@import" not in asset.text
        # Another version may come under the address without one.
        assert "immutable" not in anybody.get(address.split("?")[0]).headers["Cache-Control"]


@pytest.mark.parametrize("name", ["nothing.css", "../app.py", "%2e%2e/app.py", "/etc/passwd"])
def test_only_assets_are_served(anybody: ContractClient, name: str) -> None:
    assert anybody.get(f"/static/{name}").status_code in (404, 308)


@pytest.mark.parametrize(("cookie", "shown"), [("dark", "dark"), ("light", "light"), ("<b>", None)])
def test_the_chosen_colours(anybody: ContractClient, cookie: str, shown: str | None) -> None:
    anybody.set_cookie("theme", cookie)
    page = read(anybody, "/")
    assert page.attributes["html"].get("data-theme") == shown


# With a tournament that was played


def test_the_front_page(played: str, owner: Account, admin: ContractClient, anybody: ContractClient) -> None:
    cup = {"name": "Hourly", "kind": "truco", "format": "swiss"}
    schedule = {"id": "hourly", "cron": "0 * * * *", "tournament": cup}
    assert admin.post("/v1/schedules", json=schedule).status_code == 201
    made = owner.client.post("/v1/tournaments", json=later()).json["id"]
    page = read(anybody, "/")
    coming, hourly = (" ".join(item.split()) for item in page.items)
    assert coming.endswith("Later Truco · round robin · announced")
    assert f"/tournaments/{made}" in page.links
    assert re.fullmatch(
        r"in (\d+ min|an hour|1 h|less than a minute) Hourly Truco · swiss · announced then", hourly
    ), hourly
    assert "* * *" not in page.html
    best = page.rows("Toepen for two, uploaded bots: the best 3")
    assert {row["bot"] for row in best} == {"rookie", "random", "rookie+2"}
    for shown, row in zip(best, anybody.get("/v1/leaderboards/toepen/sealed").json["rows"], strict=True):
        rating = "–" if row["provisional"] else whole(row["rating"])
        assert (shown["bot"], shown["rating"]) == (row["name"], rating)
    assert {"/bring", "/bring#any", "/tournaments", "/leaderboards/toepen/sealed"} <= set(page.links)


def test_the_front_page_shows_the_most_active_boards(
    played: str,
    admin: ContractClient,
    services: Service,
    anybody: ContractClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    body = {"name": "Cup", "kind": "truco", "format": "round_robin", "groups": 3}
    play(services, announce(admin, {**body, "house": ["rookie", "random", "rookie+2"]}))
    assert services.boards.publish("truco", "sealed")
    assert [caption.split(",")[0] for caption in read(anybody, "/").captions] == [
        "Truco",
        "Toepen for two",
    ]
    monkeypatch.setattr("api.pages.home.BOARDS_MOST", 1)
    assert [caption.split(",")[0] for caption in read(anybody, "/").captions] == ["Truco"]


@pytest.mark.system
def test_the_page_for_authors_shows_the_address(settings: Settings, anybody: ContractClient) -> None:
    def shown(public_url: str, host: str) -> str:
        http = HttpSettings(limits=settings.http.limits, public_url=public_url)
        client = contract_client(create_app(Settings(settings.redis_url, http=http)))
        html = client.get("/bring", headers={"Host": host}).text
        return html.partition("export BOTEQUIM_URL=")[2].partition("\n")[0]

    assert shown("https://bar.example", "evil.test") == "https://bar.example"
    assert shown("", "bar.example:8000") == "http://bar.example:8000"
    assert shown("", "[::1]:8000") == "http://[::1]:8000"
    assert shown("", "evil.test$(id)") == "ADDRESS"


@pytest.mark.parametrize("query", ["", "?columns=all"])
def test_a_leaderboard_page(query: str, played: str, anybody: ContractClient) -> None:
    page = read(anybody, f"/leaderboards/toepen{query}")
    board = anybody.get("/v1/leaderboards/toepen/sealed").json
    provisional = page.rows("Provisional in Toepen for two, uploaded bots")
    assert {row["rank"] for row in provisional} == {"–"}
    shown_rows = page.rows("Toepen for two, uploaded bots: 6 groups") + provisional
    ranked = [row for row in board["rows"] if not row["provisional"]]
    unranked = [row for row in board["rows"] if row["provisional"]]
    assert ranked
    assert unranked
    for shown, row in zip(shown_rows, ranked + unranked, strict=True):
        is_fixed = row["name"] == board["anchor"]["name"]
        interval = "fixed" if is_fixed else f"{whole(row['low'])} to {whole(row['high'])}"
        rating = whole(row["rating"])
        if row["provisional"]:
            rating, interval = "–", f"not rated yet: {30 - row['groups']} more groups"
        assert (shown["bot"], shown["owner"], shown["rank"]) == (
            row["name"],
            "the house",
            rank_text(row["rank"], row["worst_rank"], "–") or "–",
        )
        assert (shown["rating"], shown["interval"]) == (rating, interval)
        assert shown["games"] == str(row["games"])
        # All else is behind the switch.
        assert ("version" in shown) == ("95%" in shown) == ("groups" in shown) == bool(query)
        if query:
            half = "fixed" if is_fixed else f"±{whole((row['high'] - row['low']) / 2)}"
            half = "–" if row["provisional"] else half
            assert (shown["version"], shown["95%"]) == (row["version"], half)
            assert shown["groups"] == str(row["groups"])
    played_here = page.rows("Played in Toepen for two, uploaded bots") if query else []
    assert [(row["bot"], row["version"], row["games"], row["faults"]) for row in played_here] == [
        (row["name"], row["version"], str(row["games"]), str(row["faults"])) for row in board["rows"] if query
    ]
    assert page.html.count('<svg class="interval"') == len(ranked)
    for name, title in board["titles"].items():
        assert name in page.html
        assert all(holder in page.html for holder in title["holders"])
    assert {
        "/v1/leaderboards/toepen/sealed",
        "/v1/leaderboards/toepen/sealed?format=csv",
        "/v1/records/all?kind=toepen",
    } <= set(page.links)
    others = {"/leaderboards/toepen", "/leaderboards/toepen/sealed", "/leaderboards/toepen/open"}
    assert {path + query for path in others} <= set(page.links)
    assert board["records_hash"] in page.html
    other = read(anybody, "/leaderboards/toepen?preset=table-4@1")
    assert "<h1>Toepen for four</h1>" in other.html
    assert "No rated group has been played yet." in other.html
    assert "/leaderboards/toepen" in other.links
    assert read(anybody, "/leaderboards/toepen/sealed?preset=duel@1").rows("Toepen for two, uploaded bots")
    assert (
        "/leaderboards/toepen/sealed?preset=table-4@1" in read(anybody, "/leaderboards/toepen/sealed").links
    )
    assert anybody.get("/leaderboards/toepen?preset=base@1").status_code == 404


def test_a_tournament_page(played: str, anybody: ContractClient) -> None:
    page = read(anybody, f"/tournaments/{played}")
    assert NASTY in page.title
    assert NASTY in page.headings
    standings = anybody.get(f"/v1/tournaments/{played}/standings").json
    rows = page.rows("Final standings, after 6 groups")
    assert [(row["place"], row["bot"], row["points"]) for row in rows] == [
        (str(row["place"]), row["name"], filters.points(row["points"])) for row in standings["rows"]
    ]
    figures = page.rows("All figures, final standings, after 6 groups")
    assert [row["version"] for row in figures] == [row["version"] for row in standings["rows"]]
    first = [row["name"] for row in standings["rows"] if row["place"] == 1]
    assert first[0] in page.html.partition('class="podium"')[2].partition("</li>")[0]
    assert anybody.get(f"/v1/tournaments/{played}").json["winners"] == first
    past = {row["tournament"]: row["winner"] for row in read(anybody, "/tournaments").rows("Newest first")}
    assert past[NASTY] == ", ".join(first)
    tabs = [f"/tournaments/{played}{query}" for query in ("", *(f"?tab={tab}" for tab in TABS[1:]))]
    assert [link for link in page.links if link in tabs] == tabs
    page = read(anybody, f"/tournaments/{played}?tab=crosstable")
    cross = page.rows("Share of the points of the bot in the row")
    names = [row["name"] for row in standings["rows"]]
    for number, (row, meetings) in enumerate(zip(cross, standings["crosstable"], strict=True), 1):
        assert row["bot"] == f"{number} {names[number - 1]}"
        assert row[str(number)] == ""
        for other, meeting in enumerate(meetings, 1):
            if meeting is not None:
                share = meeting["points"] / meeting["groups"]
                assert row[str(other)] == f"{share:.2f}".removeprefix("0")
                against = f"{names[number - 1]} against {names[other - 1]}: {meeting['points']:g} of"
                assert f'title="{against} {meeting["groups"]} groups, {share:.2f}, from ' in page.html
    groups = read(anybody, f"/tournaments/{played}?tab=groups").rows("All groups")
    assert [group["state"] for group in groups] == ["done"] * 6
    view = anybody.get(f"/v1/tournaments/{played}").json
    assert view["seed"] in page.html
    assert view["commitment"] in page.html


def test_the_rounds_of_a_tournament(
    app: Flask, admin: ContractClient, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"name": "Cup", "kind": "toepen", "format": "knockout", "preset": "duel@1", "groups": 2}
    event = announce(admin, {**body, "house": ["rookie", "random", "rookie+2", "random+2"]})
    play(app.extensions["botequim"], event)
    page = read(anybody, f"/tournaments/{event}")
    groups = anybody.get(f"/v1/tournaments/{event}/groups").json["groups"]
    shown = [" ".join(item.split()) for item in page.items if " : " in item]
    pairings = {(group["round"], group["pairing"]) for group in groups}
    assert len(shown) == len(pairings) >= 3
    for number, pairing in pairings:
        own = [group for group in groups if (group["round"], group["pairing"]) == (number, pairing)]
        first, second = sorted(own[0]["players"])
        points = [sum(group["score"][name] for group in own) for name in (first, second)]
        met = f"{first} {filters.points(points[0])} : {filters.points(points[1])} {second}"
        assert any(item.removesuffix(" for third place") == met for item in shown)
    assert "Bracket" in page.headings
    monkeypatch.setattr("api.pages.tournaments.ROUNDS_MOST_GROUPS", 3)
    assert "Bracket" not in read(anybody, f"/tournaments/{event}").headings


def test_a_crosstable_too_wide_for_a_page(
    played: str, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.pages.tournaments.CROSSTABLE_MOST", 2)
    page = read(anybody, f"/tournaments/{played}?tab=crosstable")
    assert "With more than 2 bots, the crosstable is available only as" in page.html
    assert not [caption for caption in page.captions if caption.startswith("Share of the points")]


def test_a_tournament_with_more_bots_than_a_page_has_rows(
    played: str, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.pages.tournaments.ROWS_MOST", 2)
    page = read(anybody, f"/tournaments/{played}")
    standings = anybody.get(f"/v1/tournaments/{played}/standings").json
    count = len(standings["rows"])
    assert count > 2
    rows = page.rows("Final standings, after 6 groups")
    assert [row["bot"] for row in rows] == [row["name"] for row in standings["rows"][:2]]
    assert f"These are the first 2 of {count} bots" in page.html
    entries = read(anybody, f"/tournaments/{played}?tab=entries")
    assert len(entries.rows(f"{count} of at most")) == 2
    assert f"These are the first 2 of {count} entries" in entries.html


@pytest.mark.system
def test_links_of_pages_lead_somewhere(played: str, anybody: ContractClient) -> None:
    seen: set[str] = set()
    ahead = ["/"]
    while ahead:
        path = ahead.pop()
        if path in seen or path.startswith(("#", "data:")):
            continue
        seen.add(path)
        response = anybody.get(path, headers=BROWSER)
        assert response.status_code == 200, path
        if response.mimetype == "text/html" and not path.startswith("/docs"):
            found = check_page(response)
            # Every combination of filters would be a page.
            ahead += [link for link in found.links if link not in found.not_followed]
        response.close()
    assert f"/tournaments/{played}" in seen
    assert "/bots/rookie+2" in seen
    assert f"/v1/tournaments/{played}/records?group=r1-p1-g1" in seen
    assert len(seen) > 15


def test_groups_come_in_pages(played: str, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.pages.tournaments.GROUPS_AT_ONCE", 4)
    page = read(anybody, f"/tournaments/{played}?tab=groups")
    assert len(page.rows("A page of the groups")) == 4
    (more,) = [link for link in page.links if "cursor=" in link]
    assert len(read(anybody, more).rows("A page of the groups")) == 2


def test_tournaments_come_in_pages(
    owner: Account, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        event = owner.client.post("/v1/tournaments", json=later(name=f"Cup {number}")).json["id"]
        assert owner.client.post(f"/v1/tournaments/{event}/cancel", json={"reason": NASTY}).status_code == 200
    monkeypatch.setattr("api.pages.tournaments.TOURNAMENTS_AT_ONCE", 2)
    page = read(anybody, "/tournaments")
    assert [row["tournament"] for row in page.rows("Newest first")] == ["Cup 2", "Cup 1"]
    (more,) = [link for link in page.links if "cursor=" in link]
    assert [row["tournament"] for row in read(anybody, more).rows("Newest first")] == ["Cup 0"]
    assert NASTY not in read(anybody, f"/tournaments/{event}").html


# Errors


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nothing", 404),
        ("/tournaments/nothing", 404),
        ("/tournaments/<script>", 404),
        ("/leaderboards/chess", 404),
        ("/bots/nobody", 404),
        ("/bots/<script>", 404),
        ("/tournaments/", 404),
        ("/tournaments?cursor=nonsense", 422),
        ("/tournaments?limit=x", 422),
    ],
)
def test_errors_for_people_and_for_programs(anybody: ContractClient, path: str, status: int) -> None:
    page = read(anybody, path, status)
    assert "<script>" not in page.html
    assert f"Error {status}" in page.html
    for accept in ("*/*", "application/json", "text/html;q=0.5, application/problem+json", ""):
        response = anybody.get(path, headers={"Accept": accept})
        assert response.status_code == status
        assert response.content_type == "application/problem+json"
        assert response.json["status"] == status


def test_errors_of_the_api_are_never_pages(anybody: ContractClient) -> None:
    for path in ("/v1/nothing", "/v1", "/v1/bots/nobody", "/v1/tournaments/nothing"):
        response = anybody.get(path, headers=BROWSER)
        assert response.status_code == 404
        assert response.content_type == "application/problem+json"


def test_a_page_that_takes_no_post(anybody: ContractClient) -> None:
    response = anybody.post("/tournaments", headers=BROWSER)
    assert response.status_code == 405
    assert set(response.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS"}
    assert "Error 405" in response.text


def test_pages_count_against_the_limit(settings: Settings, clean_store: EmbeddedStore) -> None:
    limits = {**settings.http.limits, "requests_per_address": Limit(2, 600)}
    client = create_app(Settings(settings.redis_url, http=HttpSettings(limits=limits))).test_client()
    answers = [client.get("/", headers=BROWSER) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    check_page(answers[-1])
    assert int(answers[-1].headers["Retry-After"]) > 0


def test_pages_while_the_store_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.store.connection._PATIENCE", (0.0,))
    client = create_app(Settings(f"unix://{tmp_path}/nothing.sock")).test_client()
    response = client.get("/", headers=BROWSER)
    assert response.status_code == 503
    check_page(response)


def test_a_page_is_sent_again_when_it_has_changed(
    app: Flask, admin: ContractClient, anybody: ContractClient
) -> None:
    body = {"name": "Cup", "kind": "toepen", "format": "round_robin", "preset": "duel@1", "groups": 1}
    event = announce(admin, {**body, "house": ["rookie", "random"]})
    address = f"/tournaments/{event}"
    first = anybody.get(address, headers=BROWSER)
    known = {**BROWSER, "If-None-Match": first.headers["ETag"]}
    again = anybody.get(address, headers=known)
    assert (again.status_code, again.get_data()) == (304, b"")
    assert 'data-refresh="30"' in first.text
    play(app.extensions["botequim"], event)
    changed = anybody.get(address, headers=known)
    assert changed.status_code == 200
    assert changed.headers["ETag"] != first.headers["ETag"]
    # What is over has no news.
    assert "data-refresh" not in changed.text
    assert "live.js" not in changed.text


def test_a_head_request(anybody: ContractClient) -> None:
    response = anybody.head("/", headers=BROWSER)
    assert (response.status_code, response.get_data()) == (200, b"")
