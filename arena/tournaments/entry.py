"""Entrants, their seeding order, and validation of entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hmac import digest

from arena.bots.transports import HOUSE, OWNER_RUN, Runner
from arena.errors import ArenaError
from arena.play.dealing import Entry
from arena.play.players import MODELS, OPEN, SEALED, PlayerId
from arena.tournaments.spec import Spec


@dataclass(frozen=True)
class Entrant:
    """One version of a bot in one tournament. ``owner`` is empty for house bots. ``co_owners`` share the bot
    with the owner. A ``baseline`` entrant takes no place.

    ``withdrawn`` is None or, if the entrant has withdrawn, the last round in which it takes part: the round
    that was being played, or 0 if it never plays. ``entered_ms`` is Unix time in milliseconds. ``model``:
    whether its owner has declared it to be a language model.
    """

    name: str
    version: str
    owner: str = ""
    runner: Runner = OWNER_RUN
    nonce: str = ""
    entered_ms: int = 0
    withdrawn: int | None = None
    model: bool = False
    baseline: bool = False
    co_owners: tuple[str, ...] = ()

    @property
    def owners(self) -> tuple[str, ...]:
        """The owner and co-owners; empty for house bots."""
        return (self.owner, *self.co_owners) if self.owner else ()

    @property
    def player(self) -> PlayerId:
        """The id of the entrant in results, ratings and standings."""
        return PlayerId(self.name, self.version)

    @property
    def entry(self) -> Entry:
        """The entrant's contribution to the hash of the entries."""
        return Entry(self.name, self.version, self.nonce)

    def plays(self, round: int) -> bool:
        """Return whether the entrant takes part in a round."""
        return self.withdrawn is None or round <= self.withdrawn


def parties(bots: Sequence[Collection[str]]) -> list[str]:
    """Return the party of each bot, given the owners of each bot. Bots that share an owner, directly or
    through a chain of other bots, belong to one party. The name of a party lists all of its owners, such as
    ``ana+bia``; it is empty for a bot without an owner.
    """
    joined: dict[str, set[str]] = {}
    for owners in bots:
        party = set(owners).union(*(joined.get(owner, ()) for owner in owners))
        joined.update(dict.fromkeys(party, party))
    return ["+".join(sorted(joined[owner])) if (owner := next(iter(owners), "")) else "" for owners in bots]


def by_party(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return the entrants with ``owner`` replaced by their party, so that formats treat all bots of a party
    as bots of one owner.
    """
    found = parties([entrant.owners for entrant in entrants])
    return [
        replace(entrant, owner=party, co_owners=()) for entrant, party in zip(entrants, found, strict=True)
    ]


def beyond_limit(spec: Spec, entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return the entrants that exceed the limit: those after the first ``per_owner`` of their party, in the
    order of entry.
    """
    counted = by_party([entrant for entrant in entrants if entrant.owner and not entrant.baseline])
    taken: Counter[str] = Counter()
    late = set()
    for entrant in counted:
        taken[entrant.owner] += 1
        if taken[entrant.owner] > spec.per_owner:
            late.add(entrant.player)
    return [entrant for entrant in entrants if entrant.player in late]


def rivals(one: Entrant, other: Entrant) -> bool:
    """Return whether two entrants from :func:`by_party` may meet. Entrants with the same owner may not, but
    house bots, which have no owner, may.
    """
    return not one.owner or one.owner != other.owner


def check_entry(spec: Spec, entrants: Iterable[Entrant], new: Entrant, guests: Collection[str] = ()) -> None:
    """Check that ``new`` may enter a tournament that ``entrants`` have entered. ``guests`` are the invited
    owners. A baseline bot needs no invitation and does not count towards its owner's limit. Bots that share
    an owner count as bots of one owner.

    Raises :class:`~arena.errors.ArenaError` with the code ``not_invited``, ``wrong_division``,
    ``already_entered`` (with this or another version of the bot), ``too_many_of_owner`` or
    ``tournament_full``.
    """
    present = list(entrants)
    if spec.who == "house" and new.runner is not HOUSE and not new.baseline:
        raise ArenaError(
            "only house bots may enter this tournament",
            code="not_invited",
            field="bot",
            expected="a house bot",
        )
    is_invited = new.baseline or new.name in spec.invited or any(one in guests for one in new.owners)
    if spec.who == "invited" and new.runner is not HOUSE and not is_invited:
        raise ArenaError(
            f"{new.name} is not invited",
            code="not_invited",
            field="bot",
            expected="one of " + ", ".join([*spec.invited, "the bots of invited owners"]),
        )
    if new.runner.sealed not in (None, spec.division == SEALED):
        where = f"division {SEALED if new.runner.sealed else OPEN}"
        raise ArenaError(
            f"{new.name} cannot enter: {new.runner.bots} play only in tournaments of the {where}",
            code="wrong_division",
            field="bot",
            expected=f"a tournament of the {where}",
        )
    if spec.division == MODELS and new.runner is not HOUSE and not new.model:
        raise ArenaError(
            f"{new.name} cannot enter: its owner has not declared it to be a language model",
            code="wrong_division",
            field="bot",
            expected=f"a bot declared to be a language model, or a tournament of the division {OPEN}",
        )
    same = next((entrant for entrant in present if entrant.name == new.name), None)
    if same is not None:
        raise ArenaError(
            f"{new.name} has already entered with version {same.version}",
            code="already_entered",
            field="bot",
            expected="one version per bot; to enter another version, withdraw this one first",
        )
    if new.owner and not new.baseline:
        *others, party = parties([one.owners for one in (*present, new) if not one.baseline])
        if others.count(party) >= spec.per_owner:
            raise ArenaError(
                f"{party} {'have' if '+' in party else 'has'} already entered {others.count(party)} bots",
                code="too_many_of_owner",
                field="bot",
                expected=f"at most {spec.per_owner} per owner"
                + (", or per group of owners who share bots" if "+" in party else ""),
            )
    if len(present) >= spec.max_entries:
        raise ArenaError(
            "this tournament is full",
            code="tournament_full",
            field="bot",
            expected=f"at most {spec.max_entries} entries",
        )


def seed_order(entrants: Sequence[Entrant], ratings: Mapping[PlayerId, float], seed: bytes) -> list[Entrant]:
    """Return the entrants from first to last seed: by rating, with unrated entrants last. Ties are broken by
    lot, which is derived from ``seed``.
    """

    def key(entrant: Entrant) -> tuple[float, bytes]:
        return -ratings.get(entrant.player, float("-inf")), lot(seed, "seeding", *entrant.player)

    return sorted(entrants, key=key)


def lot(seed: bytes, *what: str | int) -> bytes:
    """Return 32 bytes for ordering things at random; the same arguments always give the same bytes."""
    return digest(seed, "\0".join(["botequim lot v1", *map(str, what)]).encode(), "sha256")
