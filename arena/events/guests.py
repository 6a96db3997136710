"""Invitations to tournaments, for owners by name and for holders of a link."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypedDict

from arena.accounts.accounts import Accounts, Forbidden, OwnerNotFound, Principal
from arena.accounts.allowances import QuotaExceeded
from arena.accounts.links import LinkExpired, digest_of, is_code, new_code
from arena.errors import ArenaError
from arena.events.house_entries import house_source
from arena.events.lifecycle import TournamentLifecycle
from arena.events.rights import check_organises, check_visible, viewer_of
from arena.events.tournament import Link, Tournament, TournamentNotFound
from arena.games import game_of
from arena.inputs.times import times_between
from arena.play.clocks import ServiceClock
from arena.store.amounts import DAY_MS
from arena.store.rows import reading
from arena.store.tournaments import NewGroup, TournamentRow, TournamentStore
from arena.text import printable
from arena.tournaments.parsing import latest_ms
from arena.tournaments.settings import MAX_GUESTS
from arena.tournaments.spec import invalid

MAX_LINKS: Final = 20
MAX_ORGANISERS: Final = 20
_ID_BYTES: Final = 6

Act = Callable[[Tournament], bool]
"""A function that changes a tournament and returns whether anything has changed."""


class NewLink(TypedDict):
    """A new link with its code."""

    id: str
    expires_ms: int
    code: str


class LinkNotFound(ArenaError):
    """The tournament has no link with this id; it might have been revoked."""

    code = "link_not_found"


class Guests:
    """Manages invitations to tournaments. The code of a link is shown only once; only its hash is stored.

    Methods raise :class:`~arena.errors.ArenaError` with the codes ``tournament_not_found``,
    ``tournament_busy``, ``forbidden``, ``owner_not_found``, ``quota_exceeded``, ``invalid_tournament``,
    ``link_expired`` and ``link_not_found``.
    """

    def __init__(
        self,
        store: TournamentStore,
        lifecycle: TournamentLifecycle,
        accounts: Accounts,
        clock: Callable[[], ServiceClock],
    ) -> None:
        self._store = store
        self._lifecycle = lifecycle
        self._accounts = accounts
        self._clock = clock

    def check_known(self, bots: Sequence[str], owners: Sequence[str]) -> None:
        """Check that the invited bots and owners exist. Raises ``invalid_tournament``."""
        named = [bot for bot in bots if house_source(bot) is None]
        known = {bot.name for bot in self._accounts.listed(named)}
        for bot in named:
            if bot not in known:
                raise invalid(f"there is no bot {printable(bot, 80)!r}", "invited", "names of bots")
        for owner in owners:
            try:
                self._accounts.owner(owner)
            except OwnerNotFound as error:
                raise invalid(error.message, "invited_owners", "names of owners") from None

    def owned(self, bots: Sequence[str], owners: Collection[str]) -> set[str]:
        """Return the bots of which one of the ``owners`` is the owner or a co-owner."""
        return {bot.name for bot in self._accounts.listed(bots) if not set(owners).isdisjoint(bot.owners)}

    def check_baseline(self, bots: Sequence[str], organisers: Collection[str], kind: str) -> None:
        """Check that these are bots of the ``organisers``, or house bots that play games of ``kind``.
        Raises ``invalid_tournament``.
        """
        own = self.owned(bots, organisers)
        house = game_of(kind).house_bots
        for bot in bots:
            if bot not in own and house_source(bot) not in house:
                raise invalid(
                    f"{printable(bot, 80)!r} cannot be a baseline bot of this tournament",
                    "baseline",
                    "bots of an organiser, or house bots",
                )

    def view(self, tournament_id: str, by: Principal) -> dict[str, object]:
        """Return the invited owners and the links, without the codes of the links."""
        check_visible(self._store, tournament_id, viewer_of(by))
        tournament, _ = self._lifecycle.load(tournament_id)
        check_organises(tournament, by)
        with reading(f"tournament {tournament_id}"):
            links = [_shown(link) for link in tournament.links]
        return {"owners": tournament.guests, "links": links}

    def is_guest(self, tournament_id: str, owner: str) -> bool:
        """Return whether the owner is invited."""
        return owner in self._lifecycle.load(tournament_id)[0].guests

    def invite(self, tournament_id: str, owners: Sequence[str], by: Principal) -> None:
        """Invite owners."""
        for owner in owners:
            self._accounts.check_exists(owner, "owners")

        def act(tournament: Tournament) -> bool:
            _check_invites(tournament)
            return _add_guests(tournament, owners)

        self._change(tournament_id, act, by)

    def uninvite(self, tournament_id: str, owner: str, by: Principal) -> None:
        """Withdraw the invitation of an owner. The owner's entries stay."""

        def act(tournament: Tournament) -> bool:
            if owner not in tournament.guests:
                raise _not_there(f"the owner {owner!r} is not invited", "an owner in the list of invitations")
            tournament.guests.remove(owner)
            return True

        self._change(tournament_id, act, by)

    def add_link(self, tournament_id: str, expires_ms: int | None, by: Principal) -> NewLink:
        """Create and return a link with its ``code``. By default, it expires at the lock or after a day."""
        now_ms = self._clock().now_ms
        code, link_id = new_code(), secrets.token_hex(_ID_BYTES)
        until_ms = 0

        def act(tournament: Tournament) -> bool:
            nonlocal until_ms
            _check_invites(tournament)
            locks_ms = tournament.spec.locks_ms
            until_ms = (
                (locks_ms if locks_ms > now_ms else now_ms + DAY_MS) if expires_ms is None else expires_ms
            )
            if not now_ms < until_ms <= latest_ms(now_ms):
                raise invalid(
                    f"{until_ms} is out of range",
                    "expires_ms",
                    times_between(now_ms, latest_ms(now_ms)),
                )
            tournament.links = [link for link in tournament.links if link["expires_ms"] > now_ms]
            _check_count("links", len(tournament.links) + 1, MAX_LINKS)
            link: Link = {
                "id": link_id,
                "expires_ms": until_ms,
                "hash": digest_of(code),
                "created_by": by.name,
                "created_ms": now_ms,
                "accepted": 0,
            }
            tournament.links.append(link)
            return True

        self._change(tournament_id, act, by)
        return {"id": link_id, "expires_ms": until_ms, "code": code}

    def revoke_link(self, tournament_id: str, link_id: str, by: Principal) -> None:
        """Revoke a link. Owners who have accepted it stay invited."""

        def act(tournament: Tournament) -> bool:
            left = [link for link in tournament.links if link["id"] != link_id]
            if len(left) == len(tournament.links):
                raise LinkNotFound(
                    f"there is no link {printable(link_id, 80)!r}",
                    field="link",
                    expected="the id of a link in the list of invitations",
                )
            tournament.links = left
            return True

        self._change(tournament_id, act, by)

    def name_of(self, tournament_id: str, code: str, by: Principal) -> str:
        """Return the name of the tournament to which a code invites, without accepting the invitation."""
        tournament, _ = self._lifecycle.load(tournament_id)
        self._link(tournament, code, by)
        return tournament.spec.name

    def accept(self, tournament_id: str, code: str, by: Principal) -> None:
        """Accept the invitation of a link with its code, as the owner ``by``. Safe to repeat."""

        def act(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            link = self._link(tournament, code, by)
            if not _add_guests(tournament, [by.owner]):
                return None
            link["accepted"] += 1
            return ()

        self._lifecycle.change(tournament_id, act)

    def _link(self, tournament: Tournament, code: str, by: Principal) -> Link:
        now_ms = self._clock().now_ms
        for link in tournament.links:
            if is_code(code, link["hash"]) and link["expires_ms"] > now_ms:
                return link
        viewer = viewer_of(by)
        if viewer is not None and tournament.is_hidden_from(viewer):
            raise TournamentNotFound(f"there is no tournament {tournament.id!r}", field="tournament")
        raise LinkExpired("a new link from the organiser")

    # Co-organisers

    def add_organiser(self, tournament_id: str, owner: str, by: Principal) -> None:
        """Make an owner a co-organiser. Only the owner who announced the tournament, and admins, may do
        this.
        """
        self._accounts.check_exists(owner, "owner")

        def act(tournament: Tournament) -> bool:
            _check_owns(tournament, by)
            if tournament.is_organised_by(owner):
                return False
            _check_count("organisers", len(tournament.organisers) + 1, MAX_ORGANISERS)
            tournament.organisers.append(owner)
            return True

        self._change(tournament_id, act, by)

    def remove_organiser(self, tournament_id: str, owner: str, by: Principal) -> None:
        """Remove a co-organiser. Co-organisers may remove only themselves."""

        def act(tournament: Tournament) -> bool:
            if owner == tournament.created_by:
                raise Forbidden(
                    f"{owner} cannot be removed because they announced tournament {tournament.id}",
                    field="owner",
                    expected="a co-organiser",
                )
            if owner != by.owner:
                _check_owns(tournament, by)
            if owner not in tournament.organisers:
                raise _not_there(f"the owner {owner!r} is not a co-organiser", "a co-organiser")
            tournament.organisers.remove(owner)
            return True

        self._change(tournament_id, act, by)

    def _change(self, tournament_id: str, act: Act, by: Principal) -> None:
        def checked(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            check_organises(tournament, by)
            return () if act(tournament) else None

        check_visible(self._store, tournament_id, viewer_of(by))
        self._lifecycle.change(tournament_id, checked)


def _shown(link: Link) -> dict[str, object]:
    return {
        "id": link["id"],
        "created_by": link["created_by"],
        "created_ms": link["created_ms"],
        "expires_ms": link["expires_ms"],
        "accepted": link["accepted"],
    }


def _not_there(message: str, expected: str) -> OwnerNotFound:
    return OwnerNotFound(printable(message, 120), field="owner", expected=expected)


def _check_invites(tournament: Tournament) -> None:
    if tournament.spec.who != "invited":
        raise invalid("this tournament does not need invitations", "who", '"invited" in its settings')


def _check_owns(tournament: Tournament, by: Principal) -> None:
    if not by.admin and by.owner != tournament.created_by:
        raise Forbidden(
            "only the owner who announced a tournament can change its co-organisers",
            field="tournament",
            expected=f"the token of {tournament.created_by or 'an admin'}",
        )


def _add_guests(tournament: Tournament, owners: Sequence[str]) -> bool:
    new = [owner for owner in dict.fromkeys(owners) if owner not in tournament.guests]
    _check_count("guests", len(tournament.guests) + len(new), MAX_GUESTS)
    tournament.guests += new
    return bool(new)


def _check_count(quota: str, count: int, most: int) -> None:
    if count > most:
        raise QuotaExceeded(
            f"a tournament can have at most {most} {quota}",
            field=quota,
            extra={"quota": quota, "most": most, "used": most, "left": 0},
        )
