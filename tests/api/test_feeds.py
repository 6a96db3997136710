"""The feeds: valid Atom, escaped, with ids that stay."""

from __future__ import annotations

from datetime import datetime
from xml.etree import ElementTree

import pytest
from flask import Flask

from api.app import create_app
from arena.ops.service import Service
from arena.ops.settings import HttpSettings, Settings
from tests.api.arenas import announce, play
from tests.api.conftest import Account
from tests.api.contract import ContractClient, contract_client

NAME = '<b>Cup</b> & "co" ]]>'
ATOM = "{http://www.w3.org/2005/Atom}"
CUP = {"name": NAME, "kind": "toepen", "format": "round_robin", "preset": "duel@1", "groups": 1}


def read(client: ContractClient, name: str, **headers: str) -> ElementTree.Element:
    """The feed, with what every feed and entry must have (RFC 4287)."""
    response = client.get(f"/feeds/{name}.atom", headers=headers)
    assert response.status_code == 200
    assert response.content_type == "application/atom+xml; charset=utf-8"
    feed = ElementTree.fromstring(response.get_data())
    assert feed.tag == f"{ATOM}feed"
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Botequim"
    ids = [part.findtext(f"{ATOM}id", "") for part in (feed, *entries(feed))]
    assert all(one.startswith("urn:uuid:") for one in ids)
    assert len(set(ids)) == len(ids)
    for part in (feed, *entries(feed)):
        assert len(part.findall(f"{ATOM}title")) == 1
        assert datetime.fromisoformat(part.findtext(f"{ATOM}updated", "")).tzinfo is not None
        assert len([link for link in part.iter(f"{ATOM}link") if link.get("rel") == "alternate"]) >= 1
    return feed


def entries(feed: ElementTree.Element) -> list[ElementTree.Element]:
    return feed.findall(f"{ATOM}entry")


@pytest.mark.parametrize("name", ["results", "announcements"])
def test_feeds_before_anything_has_happened(anybody: ContractClient, name: str) -> None:
    assert entries(read(anybody, name)) == []


def test_a_tournament_in_the_feeds(app: Flask, admin: ContractClient, anybody: ContractClient) -> None:
    event = announce(admin, {**CUP, "house": ["rookie", "random"]})
    (entry,) = entries(read(anybody, "announcements"))
    assert entry.findtext(f"{ATOM}title") == NAME
    assert entry.findtext(f"{ATOM}summary", "").startswith("Toepen, round robin; entry until 20")
    assert entries(read(anybody, "results")) == []
    play(app.extensions["botequim"], event)
    assert entries(read(anybody, "announcements")) == []
    (result,) = entries(read(anybody, "results"))
    rows = anybody.get(f"/v1/tournaments/{event}/standings").json["rows"]
    shown = ", ".join(f"{row['place']}. {row['name']}" for row in rows)
    assert len(rows) == 2
    assert result.findtext(f"{ATOM}summary") == f"Toepen, round robin, {shown}"
    link = result.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == f"http://localhost/tournaments/{event}"
    assert result.findtext(f"{ATOM}id") != entry.findtext(f"{ATOM}id")


def test_ids_do_not_depend_on_the_address(admin: ContractClient, anybody: ContractClient) -> None:
    announce(admin, CUP)
    one = read(anybody, "announcements")
    two = read(anybody, "announcements", Host="bar.example")
    strange = read(anybody, "announcements", Host="bar.example$(id)")
    ids = [[part.text for part in feed.iter(f"{ATOM}id")] for feed in (one, two, strange)]
    assert ids[0] == ids[1] == ids[2]
    assert "$(id)" not in ElementTree.tostring(strange, encoding="unicode")


def test_feeds_have_the_configured_address(settings: Settings, admin: ContractClient) -> None:
    announce(admin, CUP)
    http = HttpSettings(limits=settings.http.limits, public_url="https://bar.example")
    client = contract_client(create_app(Settings(settings.redis_url, http=http)))
    links = [link.get("href", "") for link in read(client, "announcements").iter(f"{ATOM}link")]
    assert len(links) == 3
    assert all(link.startswith("https://bar.example/") for link in links)


def test_the_feed_of_one_tournament(services: Service, owner: Account, anybody: ContractClient) -> None:
    body = {"name": "Cup <1>", "kind": "toepen", "format": "round_robin", "rules": {"seats": 2, "lives": 1}}
    event = announce(owner.client, {**body, "house": ["rookie", "random"]})
    owner.client.patch(f"/v1/tournaments/{event}", json={"groups": 2, "description": "Hi"})
    before = [
        (one.find(f"{ATOM}id"), one.find(f"{ATOM}summary"))
        for one in entries(read(anybody, f"tournaments/{event}"))
    ]
    play(services, event)
    after = [
        (one.find(f"{ATOM}id"), one.find(f"{ATOM}summary"))
        for one in entries(read(anybody, f"tournaments/{event}"))
    ]
    texts = [summary.text for _, summary in after if summary is not None]
    assert texts[:2] == ["It is finished.", "Entry is locked, and play has started."]
    assert "Edited: description, groups." in texts
    assert {"Entry is open.", "The tournament was announced."} <= set(texts)
    known = [name.text for name, _ in after if name is not None]
    assert len(set(known)) == len(known) == 5
    assert {name.text for name, _ in before if name is not None} < set(known)
    assert f'href="/feeds/tournaments/{event}.atom"' in anybody.get(f"/tournaments/{event}").text
    assert anybody.get("/feeds/tournaments/nothing.atom").status_code == 404
    hidden = announce(owner.client, {**body, "hidden": True, "who": "invited"})
    assert anybody.get(f"/feeds/tournaments/{hidden}.atom").status_code == 404
