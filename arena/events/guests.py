"""Invitations to tournaments, for owners by name and for holders of a link."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, TypedDict

from arena.accounts.accounts import Accounts, Forbidden, OwnerNotFound, Principal
from arena.accounts.allowances import QuotaExceeded
from arena.accounts.links import LinkExpired, digest_of, is_code, new_code
from arena.accounts.owners import InvitationsOff
from arena.errors import ArenaError
from arena.events.house_entries import entry_source, house_choices
from arena.events.lifecycle import TournamentLifecycle
from arena.events.rights import Rights, check_organises, viewer_of
from arena.events.tournament import OVER, Link, Tournament, TournamentNotFound
from arena.inputs.times import times_between
from arena.play.clocks import ServiceClock
from arena.store.amounts import DAY_MS
from arena.store.rows import reading, shown_or_left_out
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


class TournamentInvitation(TypedDict):
    """An invitation of an owner to enter (``guest``) or to organise (``organiser``) a tournament."""

    tournament: str
    by: str
    role: str


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
        rights: Rights,
        lifecycle: TournamentLifecycle,
        accounts: Accounts,
        clock: Callable[[], ServiceClock],
    ) -> None:
        self._store = store
        self._rights = rights
        self._lifecycle = lifecycle
        self._accounts = accounts
        self._clock = clock

    def check_known(self, bots: Sequence[str], owners: Sequence[str]) -> None:
        """Check that the invited bots and owners exist, and that the owners accept invitations. Raises
        ``invalid_tournament``.
        """
        named = [bot for bot in bots if entry_source(bot) is None]
        known = {bot.name for bot in self._accounts.listed(named)}
        for bot in named:
            if bot not in known:
                raise invalid(f"there is no bot {printable(bot, 80)!r}", "invited", "names of bots")
        for owner in owners:
            try:
                self._accounts.check_invitable(owner, "invited_owners")
            except (InvitationsOff, OwnerNotFound) as error:
                raise invalid(error.message, "invited_owners", "names of owners") from None

    def invitable(self, owners: Sequence[str]) -> list[str]:
        """Return those of the ``owners`` who may be invited."""
        found = []
        for owner in owners:
            with suppress(OwnerNotFound, InvitationsOff):
                self._accounts.check_invitable(owner, "owners")
                found.append(owner)
        return found

    def owned(self, bots: Sequence[str], owners: Collection[str]) -> set[str]:
        """Return the bots of which one of the ``owners`` is the owner or a co-owner."""
        return {bot.name for bot in self._accounts.listed(bots) if not set(owners).isdisjoint(bot.owners)}

    def check_baseline(self, bots: Sequence[str], organisers: Collection[str], kind: str) -> None:
        """Check that these are bots of the ``organisers``, or house bots that play games of ``kind``.
        Raises ``invalid_tournament``.
        """
        own = self.owned(bots, organisers)
        house = house_choices(kind)
        for bot in bots:
            if bot not in own and entry_source(bot) not in house:
                raise invalid(
                    f"{printable(bot, 80)!r} cannot be a baseline bot of this tournament",
                    "baseline",
                    "bots of an organiser, or house bots",
                )

    def view(self, tournament_id: str, by: Principal) -> dict[str, object]:
        """Return the invited owners and co-organisers, and the links without their codes."""
        self._rights.check_visible(tournament_id, viewer_of(by))
        tournament, _ = self._lifecycle.load(tournament_id)
        check_organises(tournament, by)
        with reading(f"tournament {tournament_id}"):
            links = [_shown(link) for link in tournament.links]
        return {"owners": tournament.guests, "organisers": tournament.asked, "links": links}

    def is_guest(self, tournament_id: str, owner: str) -> bool:
        """Return whether the owner is invited."""
        return owner in self._lifecycle.load(tournament_id)[0].guests

    def of(self, owner: str) -> list[TournamentInvitation]:
        """Return the newest invitations to tournaments that an owner has not accepted, without any texts of
        those who invite; none if the owner accepts no invitations.
        """
        names = self._store.invitations(owner) if self._accounts.owner(owner).invitable else []
        found: list[TournamentInvitation] = []
        for name, row in zip(names, self._store.load(names), strict=True):
            tournament = row and shown_or_left_out(f"tournament {name}", partial(Tournament.loads, row.meta))
            if not tournament or tournament.state in OVER:
                continue
            for role, invited in (("organiser", tournament.asked), ("guest", tournament.pending)):
                if owner in invited:
                    found.append({"tournament": name, "by": tournament.created_by, "role": role})
        return found

    def invite(self, tournament_id: str, owners: Sequence[str], by: Principal) -> None:
        """Invite owners."""
        for owner in owners:
            self._accounts.check_exists(owner, "owners")
        new: list[str] = []

        def act(tournament: Tournament) -> bool:
            _check_invites(tournament)
            new[:] = [owner for owner in dict.fromkeys(owners) if owner not in tournament.guests]
            for owner in new:
                self._accounts.check_invitable(owner, "owners")
            tournament.pending += [owner for owner in new if owner != by.owner]
            return _add_guests(tournament, new)

        self._change(tournament_id, act, by)
        self._note(new, tournament_id)

    def _note(self, owners: Sequence[str], tournament_id: str) -> None:
        now_ms = self._clock().now_ms
        for owner in owners:
            self._store.note_invitation(owner, tournament_id, now_ms)

    def uninvite(self, tournament_id: str, owner: str, by: Principal) -> None:
        """Withdraw the invitation of an owner, or decline one's own. The owner's entries stay."""

        def act(tournament: Tournament) -> bool:
            if owner not in tournament.guests:
                raise _not_there(f"the owner {owner!r} is not invited", "an owner in the list of invitations")
            tournament.guests.remove(owner)
            tournament.pending = [one for one in tournament.pending if one != owner]
            return True

        self._change(tournament_id, act, by, own=_is(by, owner))
        self._store.forget_invitation(owner, tournament_id)

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

    def accept(self, tournament_id: str, code: str | None, by: Principal) -> None:
        """Accept the invitation of a link with its code or, without a code, that of the owner ``by`` by name.
        A link also accepts the invitation by name. Safe to repeat.
        """

        def act(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            if code is None:
                return self._accept_own(tournament, by)
            link = self._link(tournament, code, by)
            was_pending = by.owner in tournament.pending
            if was_pending:
                tournament.pending.remove(by.owner)
            if not _add_guests(tournament, [by.owner]) and not was_pending:
                return None
            link["accepted"] += 1
            return ()

        self._lifecycle.change(tournament_id, act)

    def _accept_own(self, tournament: Tournament, by: Principal) -> Sequence[NewGroup] | None:
        self._rights.check_sees(tournament, viewer_of(by))
        if by.owner not in tournament.guests:
            raise _not_there(f"the owner {by.owner!r} is not invited", "the code of a link")
        if by.owner not in tournament.pending:
            return None
        tournament.pending.remove(by.owner)
        return ()

    def _link(self, tournament: Tournament, code: str, by: Principal) -> Link:
        now_ms = self._clock().now_ms
        for link in tournament.links:
            if is_code(code, link["hash"]) and link["expires_ms"] > now_ms:
                return link
        if self._rights.visibility(viewer_of(by)).hides(tournament):
            raise TournamentNotFound(f"there is no tournament {tournament.id!r}", field="tournament")
        raise LinkExpired("a new link from the organiser")

    # Co-organisers

    def add_organiser(self, tournament_id: str, owner: str, by: Principal) -> None:
        """Invite an owner to organise the tournament, or, if ``owner`` is ``by``, accept the invitation. Only
        the owner who announced the tournament, and admins, may invite.
        """
        self._accounts.check_exists(owner, "owner")

        def act(tournament: Tournament) -> bool:
            if tournament.is_organised_by(owner):
                return False
            if _is(by, owner) and owner in tournament.asked:
                tournament.asked.remove(owner)
                tournament.organisers.append(owner)
                return True
            _check_owns(tournament, by)
            if owner in tournament.asked:
                return False
            self._accounts.check_invitable(owner, "owner")
            used = len(tournament.organisers) + len(tournament.asked)
            _check_count("organisers", used + 1, MAX_ORGANISERS)
            tournament.asked.append(owner)
            return True

        self._change(tournament_id, act, by, own=_is(by, owner))
        self._note([owner], tournament_id)

    def remove_organiser(self, tournament_id: str, owner: str, by: Principal) -> None:
        """Remove a co-organiser or withdraw the invitation. Co-organisers and invited owners may remove only
        themselves.
        """

        def act(tournament: Tournament) -> bool:
            if owner == tournament.created_by:
                raise Forbidden(
                    f"{owner} cannot be removed because they announced tournament {tournament.id}",
                    field="owner",
                    expected="a co-organiser",
                )
            if not _is(by, owner):
                _check_owns(tournament, by)
            if owner not in (*tournament.organisers, *tournament.asked):
                raise _not_there(f"the owner {owner!r} is not a co-organiser", "a co-organiser")
            for names in (tournament.organisers, tournament.asked):
                if owner in names:
                    names.remove(owner)
            return True

        self._change(tournament_id, act, by, own=_is(by, owner))

    def _change(self, tournament_id: str, act: Act, by: Principal, *, own: bool = False) -> None:
        """Apply ``act`` for an organiser or, if ``own``, for an invited owner who accepts or declines."""

        def checked(tournament: Tournament, row: TournamentRow) -> Sequence[NewGroup] | None:
            if not (own and by.owner in (*tournament.asked, *tournament.guests)):
                check_organises(tournament, by)
            return () if act(tournament) else None

        self._rights.check_visible(tournament_id, viewer_of(by))
        self._lifecycle.change(tournament_id, checked)


def _is(by: Principal, owner: str) -> bool:
    return by.scope == "owner" and by.owner == owner


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
