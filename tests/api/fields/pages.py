"""The forms of all pages, by the operations that they stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flask import Flask

from arena.games import GAMES
from tests.api.arenas import now_ms
from tests.api.conftest import Account
from tests.api.fields.forms import Control, Form, forms_in, templates_forms
from tests.api.pages import Browser

OPERATIONS: Final = {
    "sign_up": "signUp",
    "recover": "recoverOwner",
    "delete_account": "deleteOwner",
    "make_invitations": "createInvitations",
    "submit_bot": "registerBot",
    "change_bot_settings": "changeBot",
    "submit_version": "addVersion",
    "publish_source": "publishVersion",
    "qualify_version": "qualify",
    "publish_bot_notes": "publishNotes",
    "replace_webhook_secret": "replaceWebhookSecret",
    "announce_tournament": "createTournament",
    "edit_tournament": "editTournament",
    "clone_tournament": "cloneTournament",
    "cancel_game": "cancelGame",
    "cancel_tournament": "cancelTournament",
    "enter_tournament": "enterTournament",
    "invite_owners": "inviteOwners",
    "create_invitation_link": "createInvitationLink",
    "accept_invitation": "acceptInvitation",
    "subscribe": "subscribeToTournament",
    "create_series": "createSeries",
    "change_series": "changeSeries",
    "create_schedule": "createSchedule",
    "edit_schedule": "changeSchedule",
    "change_own_schedule": "changeSchedule",
}
"""The operations of the views that take forms."""

OTHERS: Final = {
    *("sign_in", "end_session", "link_elsewhere", "replace_own_token", "change_me", "make_current"),
    *("replace_recovery_code", "link_identity", "unlink_identity"),
    *("replace_bot_token", "delete_bot", "invite_co_owner", "remove_co_owner", "accept_co_ownership"),
    *("revoke_invitations", "uninvite_owner", "revoke_invitation_link", "add_organiser", "remove_organiser"),
    *("withdraw_from_tournament", "unsubscribe", "ping_subscription"),
    *("open_table", "play_again", "join_table", "new_link", "act", "leave_table", "try_again"),
    *(
        "challenge_friend",
        "play_challenge",
        "publish_game",
        "review_game",
        "review_losses",
        "play_pasted",
        "submit_pasted",
    ),
}
"""Views that take forms without a field of a request: their operation has none, or there is no operation."""

_MORE: Final = {
    "file": ("source", "javascript", "module"),
    "people": ("people.name", "people.handle", "people.email"),
}
"""The fields that a control gives beside that of its name."""


def controls_of(app: Flask, browser: Browser, owner: Account) -> dict[str, dict[str, Control]]:
    """The controls of all forms, by operation and field. ``owner``: an admin, whose ``browser`` it is."""
    found: dict[str, dict[str, Control]] = {}
    for view, form in _forms(app, browser, owner):
        if view in OPERATIONS:
            known = found.setdefault(OPERATIONS[view], {})
            for name, control in form.controls.items():
                first = known.setdefault(name, control)
                first.choices = [*first.choices, *control.choices]
    for known in found.values():
        for name in [*known]:
            for field in ("rules",) if name.startswith("rules.") else _MORE.get(name, ()):
                known.setdefault(field, Control(field, "part"))
    return found


def _forms(app: Flask, browser: Browser, owner: Account) -> Iterator[tuple[str, Form]]:
    """All forms with their views: those of pages first, which have made controls."""
    routes = app.url_map.bind("localhost")
    for page in _pages(owner):
        response = browser.get(page)
        assert response.status_code == 200, f"{page}: {response.text}"
        for form in forms_in(response.text):
            (to,) = form.to
            if to.startswith("/"):
                endpoint, _ = routes.match(to, method="POST")
                yield endpoint.removeprefix("pages."), form
    for form in templates_forms():
        for view in form.to:
            yield view, form


def _pages(owner: Account) -> Iterator[str]:
    """Pages with forms that are made of controls, of things that there are."""
    client = owner.client
    made = [
        client.post("/v1/bots", json={"name": "anas-bot"}),
        client.post(
            "/v1/tournaments",
            json={
                "name": "Cup",
                "kind": "truco",
                "format": "open",
                "who": "invited",
                "locks_ms": now_ms() + 3_600_000,
                "ends_ms": now_ms() + 7_200_000,
            },
        ),
        client.post("/v1/series", json={"name": "Autumn"}),
        *(
            client.post(
                "/v1/schedules",
                json={
                    "id": f"weekly-{kind}",
                    "cron": "0 20 * * 1",
                    "tournament": {"name": "Cup", "kind": kind, "format": "swiss"},
                },
            )
            for kind in GAMES
        ),
    ]
    for response in made:
        assert response.status_code == 201, response.text
    _, cup, series, *_ = (response.json.get("id") for response in made)
    yield from ("/sign-up", "/recover", "/account/delete", "/account/invitations")
    yield from ("/series/new", f"/series/{series}")
    for way in ("uploaded", "remote", "webhook"):
        yield f"/account/bots/new?transport={way}"
        yield f"/bots/anas-bot/versions/new?transport={way}"
    yield "/bots/anas-bot/settings"
    for kind in GAMES:
        yield f"/tournaments/new?kind={kind}"
        yield f"/account/schedules/new?kind={kind}"
        yield f"/account/schedules/weekly-{kind}/edit"
    for page in ("", "/edit", "/invitations", "/subscriptions"):
        yield f"/tournaments/{cup}{page}"
