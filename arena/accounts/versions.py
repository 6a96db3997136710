"""Registered bots and their versions, and the stored form of a version."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from arena.accounts.records import BotSettings, unpack_settings
from arena.accounts.uploads import ReceivedUpload
from arena.bots.games import check_game
from arena.bots.transports import UPLOADED, Runner, transport_of
from arena.declarations import declared
from arena.errors import ArenaError
from arena.store.accounts import Sharing
from arena.store.rows import check_types, reading
from arena.text import printable

OF_OWNER: Final = "owner_suspended"
"""The field that holds a bot's suspension if its owner is suspended."""

RANKED_SINCE: Final = "ranked_since"
"""The field that holds from when on a bot has been ranked, in Unix milliseconds; it is missing for 0."""

BotState = Literal["active", "withdrawn"]


class NoSource(ArenaError):
    """The version was not uploaded, so there is no source."""

    code = "no_source"


class VersionNotFound(ArenaError):
    """The bot has no version with that label."""

    code = "version_not_found"


@dataclass(frozen=True)
class Version:
    """One immutable version of a bot.

    ``created_ms`` is in Unix milliseconds. For a webhook, ``url`` is where turns are posted, and ``rights``
    is whether optional turns are posted too. For an upload, ``language`` is ``python``, ``javascript`` or
    ``module``, ``digest`` its SHA-256, ``size`` its number of bytes, ``games`` the games that it declares it
    plays (empty: all), and ``published`` is whether everyone can read it.
    """

    label: str
    transport: str
    created_ms: int
    url: str = ""
    rights: bool = False
    language: str | None = None
    digest: str | None = None
    size: int = 0
    games: tuple[str, ...] = ()
    published: bool = False

    @property
    def runner(self) -> Runner:
        """The runner of this version. Raises :class:`~arena.bots.transports.UnknownTransport` for a transport
        that only a newer release supports.
        """
        return transport_of(self.transport).runner


@dataclass(frozen=True)
class Suspension:
    """The suspension of a bot: its reason, when it began (Unix milliseconds), and the group that the bot was
    playing.
    """

    reason: str
    at_ms: int
    tournament: str
    group: str


@declared
class BotAccount(BotSettings):
    """A registered bot.

    ``co_owners`` are listed in the order in which they joined. ``version`` is the label of the current
    version, which plays new games; it is empty until the first upload has been checked. ``versions``
    holds all of them, oldest first; it is empty in lists that omit them. ``tournaments`` is None if the owner
    has not set it. While ``suspended`` is set, the bot is not seated, whatever its ``state``.
    ``owner_suspended`` is whether it is suspended because its owner is. ``deleted`` is whether the bot was
    deleted and is listed only because it is on a leaderboard. ``ranked_since_ms`` is from when on its groups
    count for its rating (Unix milliseconds), because its owner switched ``ranked`` on, or 0 for all groups.
    """

    name: str
    owner: str
    state: BotState
    version: str
    created_ms: int
    versions: tuple[Version, ...] = ()
    suspended: Suspension | None = None
    owner_suspended: bool = False
    co_owners: tuple[str, ...] = ()
    deleted: bool = False
    ranked_since_ms: int = 0

    @property
    def owners(self) -> tuple[str, ...]:
        """The bot's owner and co-owners."""
        return (self.owner, *self.co_owners)

    @property
    def is_active(self) -> bool:
        """Whether the bot can be seated in new games."""
        return self.state == "active" and self.suspended is None

    @property
    def takes_part(self) -> bool:
        """Whether the bot takes part in scheduled tournaments automatically when it is online.

        Uploading a bot implies consent, unless its owner switches this off.
        """
        if self.tournaments is not None:
            return self.tournaments
        uploads = [one.label for one in self.versions if one.transport == UPLOADED.name]
        return not self.version or self.version in uploads

    def find(self, label: str) -> Version:
        """Return the version with a label. Raises :class:`VersionNotFound`."""
        for version in self.versions:
            if version.label == label:
                return version
        if not self.version:
            raise VersionNotFound(
                f"{self.name} has no version yet; its first upload is being checked",
                field="version",
                expected="to try again when the upload has been checked",
            )
        raise VersionNotFound(
            f"{self.name} has no version {printable(label, 40)!r}",
            field="version",
            expected="one of " + ", ".join(version.label for version in self.versions[-20:]),
        )

    @property
    def current(self) -> Version:
        """The version that plays new games."""
        return self.find(self.version)

    def check_game(self, label: str, kind: str, field: str) -> None:
        """Raise :class:`~arena.bots.GameNotPlayed` if the version declares that it does not play ``kind``,
        and :class:`VersionNotFound` if there is no such version. ``field`` is the request field to report in
        the error.
        """
        check_game(f"{self.name} {label}", self.find(label).games, kind, field)


def version_of(upload: ReceivedUpload) -> Version:
    """Return the version that an upload becomes."""
    return Version(
        upload.label,
        UPLOADED.name,
        upload.received_ms,
        language=upload.language,
        digest=upload.digest,
        size=upload.size,
        games=tuple(upload.games),
    )


def pack_version(version: Version) -> str:
    """Return the stored form of a version, which is different for every call."""
    # The random part distinguishes a second call from a repetition of the same command.
    values: list[object] = [
        version.label,
        version.transport,
        version.created_ms,
        secrets.token_hex(4),
    ]
    if version.digest is not None:
        values += ["", False, version.language, version.digest, version.size]
        if version.games:
            values.append(version.games)
    elif version.url:
        values += [version.url, version.rights]
    return json.dumps(values)


def unpack_version(text: str) -> Version:
    """Return the version stored by :func:`pack_version`. Raises TypeError or ValueError."""
    # A newer version of the program may have added fields to the row.
    label, transport, created, _, *more = json.loads(text)[:10]
    if len(more) > 5:
        more[5] = tuple(more[5])
    version = Version(label, transport, created, *more)
    check_types(Version, vars(version))
    return version


def pack_suspension(suspension: Suspension) -> str:
    """Return the stored form of a suspension."""
    return json.dumps(list(vars(suspension).values()))


def unpack_suspension(text: str | None) -> Suspension | None:
    """Return the suspension in its stored form, or None for None. Raises TypeError or ValueError."""
    if text is None:
        return None
    # A newer version of the program may have added fields.
    suspension = Suspension(*json.loads(text)[:4])
    check_types(Suspension, vars(suspension))
    return suspension


def unpack_bot(fields: Mapping[str, str] | None) -> BotAccount | None:
    """Return the bot with these stored fields, without its versions, or None if the bot does not exist or
    was deleted and is no longer listed.

    Raises :class:`~arena.errors.CorruptState`.
    """
    if fields is None:
        return None
    with reading("a bot", fields):
        deleted = fields["state"] == "deleted"
        if deleted and "owner" not in fields:
            return None
        settings = unpack_settings(fields)
        if deleted:
            settings |= {"tournaments": False, "datasets": False, "ranked": False}
        if "hidden" in fields:
            # Hidden by an admin.
            settings |= {"description": "", "model": "hidden" if settings["model"] else ""}
        return BotAccount(
            name=fields["name"],
            owner=fields["owner"],
            state="active" if fields["state"] == "active" else "withdrawn",
            version=fields["version"],
            created_ms=int(fields["created"]),
            suspended=unpack_suspension(fields.get(OF_OWNER, fields.get("suspended"))),
            owner_suspended=OF_OWNER in fields,
            co_owners=Sharing.of(fields).co_owners,
            deleted=deleted,
            ranked_since_ms=int(fields.get(RANKED_SINCE, 0)),
            **settings,
        )
