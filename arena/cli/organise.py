"""``botequim tournament edit`` and other commands with which organisers manage an announced tournament."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.commands import Command
from arena.cli.derived import fields_of, options
from arena.cli.online import online
from arena.cli.output import show, when
from arena.cli.params import KIND, clock_options, future, preset_in_place, rules_option
from arena.client import Client
from arena.client.http import given
from arena.games import game_of
from arena.tournaments.settings import HouseBots, OneOffSettings

if TYPE_CHECKING:
    from arena.client.types import Guests, Subscription

OPTIONS: Final = {
    "invited": "--invite BOT",
    "invited_owners": "--invite-owner OWNER",
    "house": "--house BOT",
    "baseline": "--baseline BOT",
    "tie_breaks": "--tie-break",
    "rated": "--rated/--unrated",
    "hidden": "--hidden/--public",
    "locks_ms": "--starts",
}
"""The options for settings whose names differ from those of the options."""


@click.command(
    cls=Command,
    examples=(
        'botequim tournament edit TOURNAMENT --name "Great cup" --starts +2h',
        'botequim tournament edit TOURNAMENT --description "Bring cards." --max-entries 100',
    ),
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@options(OneOffSettings, HouseBots, names=OPTIONS, edits=True)
@click.option("--kind", type=KIND, help="The kind of game.")
@rules_option
@preset_in_place
@clock_options
@online("an organiser, or an admin")
def edit(
    tournament_id: str, client: Client, as_json: bool, rules: tuple[str, ...], **settings: object
) -> None:
    """Change settings of TOURNAMENT, and print what has changed.

    After a bot has entered, you can change only its name, description and link, move --starts to a later
    time, and increase --max-entries.
    """
    changes = fields_of(settings)
    if not (changes or rules):
        raise click.UsageError("nothing to change; expected an option such as --name or --starts")
    before = client.tournament(tournament_id)
    assert before is not None
    if rules:
        changes["rules"] = game_of(changes.get("kind", before["kind"])).options.parse(rules)
    edited = client.edit_tournament(tournament_id, **changes)
    changed = edited["edits"][len(before["edits"]) :]
    lines = [f"{one['field']}: {one['old']!r} -> {one['new']!r}\n" for one in changed]
    show(edited, as_json, "".join(lines) or "nothing has changed")


@click.command(
    cls=Command,
    examples=("botequim tournament clone TOURNAMENT --starts +7d",),
    fields={"locks_ms": "--starts", "opens_ms": "--opens", "ends_ms": "--ends"},
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.option(
    "--starts", type=future, default="+5m", show_default=True, help="When entry is locked and play begins."
)
@click.option("--opens", type=future, help="When entry opens. [default: now]")
@click.option(
    "--ends", type=future, help="When it ends, if its format has an end time. [default: same duration]"
)
@click.option("--name", help="The display name. [default: unchanged]")
@click.option("--description", help="A plain-text description. [default: unchanged]")
@click.option("--link", help="The URL of a web page about it. [default: unchanged]")
@online("an organiser, or an admin")
def clone(
    tournament_id: str,
    client: Client,
    as_json: bool,
    starts: int,
    opens: int | None,
    ends: int | None,
    **texts: str | None,
) -> None:
    """Announce a tournament with the settings of TOURNAMENT and a new seed, and print its id."""
    changes: dict[str, Any] = given(opens_ms=opens, ends_ms=ends, **texts)
    made = client.clone_tournament(tournament_id, starts, **changes)
    show(made, as_json, made["id"])


@click.command(cls=Command, examples=("botequim tournament results TOURNAMENT > results.csv",))
@click.argument("tournament_id", metavar="TOURNAMENT")
@online("an owner who can see it", required=False, json=False)
def results(tournament_id: str, client: Client) -> None:
    """Print the results of TOURNAMENT as CSV, one line per entry, by owner."""
    click.echo(client.results(tournament_id), nl=False)


@click.command(
    cls=Command,
    examples=(
        "botequim tournament invite TOURNAMENT ana bia",
        "botequim tournament invite TOURNAMENT --link --expires +7d",
    ),
    fields={"expires_ms": "--expires"},
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.argument("owners", nargs=-1)
@click.option("--remove", multiple=True, metavar="OWNER", help="Withdraw an invitation; repeatable.")
@click.option("--link", is_flag=True, help="Create and print a link that invites everyone who has it.")
@click.option("--expires", type=future, help="When the link expires. [default: when entry is locked]")
@click.option("--revoke", multiple=True, metavar="LINK", help="Revoke a link by its id; repeatable.")
@online("an organiser, or an admin")
def invite(
    tournament_id: str,
    owners: tuple[str, ...],
    remove: tuple[str, ...],
    link: bool,
    expires: int | None,
    revoke: tuple[str, ...],
    client: Client,
    as_json: bool,
) -> None:
    """Invite OWNERS to TOURNAMENT, so that their bots can enter. Without OWNERS or options, list who is
    invited.
    """
    if owners:
        client.invite_owners(tournament_id, list(owners))
    for owner in remove:
        client.uninvite_owner(tournament_id, owner)
    for old in revoke:
        client.revoke_invitation_link(tournament_id, old)
    if link:
        made = client.create_invitation_link(tournament_id, expires)
        show(made, as_json, made["url"])
    elif as_json or not (owners or remove or revoke):
        found = client.guests(tournament_id)
        show(found, as_json, lambda: _guests_text(found))


def _guests_text(found: Guests) -> str:
    links = (
        f"link {one['id']}, accepted by {one['accepted']}, expires {when(one['expires_ms'])}"
        for one in found["links"]
    )
    asked = (f"{owner} is invited to organise" for owner in found["organisers"])
    return "\n".join([*found["owners"], *asked, *links])


@click.command(
    cls=Command,
    examples=("botequim tournament accept TOURNAMENT CODE", "botequim tournament accept TOURNAMENT"),
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.argument("code", required=False)
@online("the owner")
def accept(tournament_id: str, code: str | None, client: Client, as_json: bool) -> None:
    """Accept the invitation to TOURNAMENT with the CODE of its link, or, without CODE, your invitation by
    name.
    """
    view = client.accept_invitation(tournament_id, code)
    show(view, as_json, view["name"])


@click.command(
    cls=Command,
    examples=(
        "botequim tournament invitations",
        "botequim tournament invitations --decline TOURNAMENT",
        "botequim tournament invitations --refuse",
    ),
    fields={"invitable": "--allow"},
)
@click.option("--decline", multiple=True, metavar="TOURNAMENT", help="Decline an invitation; repeatable.")
@click.option(
    "--allow/--refuse",
    "invitable",
    default=None,
    help="Whether others can invite the owner to share bots, and to enter and organise tournaments.",
)
@online("the owner")
def invitations(decline: tuple[str, ...], invitable: bool | None, client: Client, as_json: bool) -> None:
    """List your invitations to tournaments, decline them, or refuse those of everybody."""
    me = client.me() if invitable is None else client.change_me(invitable)
    for one in me["tournament_invitations"]:
        if one["tournament"] in decline:
            leave = client.remove_organiser if one["role"] == "organiser" else client.uninvite_owner
            leave(one["tournament"], me["name"])
    left = [one for one in me["tournament_invitations"] if one["tournament"] not in decline]
    lines = [f"{one['tournament']} by {one['by'] or 'the service'}, as {one['role']}" for one in left]
    if not me["invitable"]:
        lines = ["you accept no invitations"]
    value = {"invitable": me["invitable"], "tournament_invitations": left}
    show(value, as_json, "\n".join(lines) or "no invitations")


@click.command(
    cls=Command,
    examples=(
        "botequim tournament organisers TOURNAMENT bia",
        "botequim tournament organisers TOURNAMENT --accept",
    ),
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.argument("owners", nargs=-1)
@click.option("--remove", multiple=True, metavar="OWNER", help="Remove a co-organiser; repeatable.")
@click.option("--accept", is_flag=True, help="Accept the invitation to organise it.")
@online("the owner who announced it, an invited owner, or an admin")
def organisers(
    tournament_id: str,
    owners: tuple[str, ...],
    remove: tuple[str, ...],
    accept: bool,
    client: Client,
    as_json: bool,
) -> None:
    """Invite OWNERS to organise TOURNAMENT with you. Who accepts can edit it, invite owners and cancel it."""
    for owner in (*owners, client.me()["name"]) if accept else owners:
        client.add_organiser(tournament_id, owner)
    for owner in remove:
        client.remove_organiser(tournament_id, owner)
    if as_json or not (owners or remove or accept):
        view = client.tournament(tournament_id)
        assert view is not None
        names = [view["created_by"] or "admin", *view["organisers"]]
        value = {"created_by": view["created_by"], "organisers": view["organisers"]}
        show(value, as_json, "\n".join(names))


@click.command(
    cls=Command,
    examples=(
        "botequim tournament follow TOURNAMENT https://example.org/hook",
        "botequim tournament follow TOURNAMENT",
        "botequim tournament follow TOURNAMENT --test ID",
    ),
    fields={"url": "URL", "subscription": "ID"},
)
@click.argument("tournament_id", metavar="TOURNAMENT")
@click.argument("hook", metavar="[URL]", required=False)
@click.option("--secret", help="The signing secret. [default: generated]")
@click.option("--remove", multiple=True, metavar="ID", help="Delete a subscription; repeatable.")
@click.option("--test", multiple=True, metavar="ID", help="Post a ping to a subscription's URL; repeatable.")
@online("the owner")
def follow(
    tournament_id: str,
    hook: str | None,
    secret: str | None,
    remove: tuple[str, ...],
    test: tuple[str, ...],
    client: Client,
    as_json: bool,
) -> None:
    """Subscribe URL to the announcements of TOURNAMENT, and print the signing secret.

    The secret is shown only once. Without URL, the command lists your subscriptions. A failed subscription
    resumes when its URL answers a --test.
    """
    for old in remove:
        client.unsubscribe(tournament_id, old)
    for one in test:
        client.ping_subscription(tournament_id, one)
    if hook is not None:
        made = client.subscribe(tournament_id, hook, secret)
        show(made, as_json, made["secret"])
    elif as_json or not remove:
        found = client.subscriptions(tournament_id)
        show({"subscriptions": found}, as_json, lambda: "\n".join(map(_subscription_text, found)))


def _subscription_text(one: Subscription) -> str:
    error = f": {one['error']}" if one["error"] else ""
    return f"{one['id']} {one['url']} {one['state']}{error}"
