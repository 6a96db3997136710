"""What can be set from outside, all of it in the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeVar

from arena.errors import ArenaError
from arena.webhooks.addresses import Policy


class InvalidSetting(ArenaError):
    """An environment variable that cannot be used."""

    code = "invalid_setting"


class Limit(NamedTuple):
    """At most ``most`` in ``seconds``, and as many at once."""

    most: int
    seconds: float

    @property
    def rate(self) -> float:
        """How many a second."""
        return self.most / self.seconds


DEFAULT_LIMITS: Final[Mapping[str, Limit]] = {
    "sign_ups_per_address": Limit(20, 3600),
    "bots_per_owner": Limit(100, 3600),
    "games_per_owner": Limit(2000, 3600),
    "tournaments_per_owner": Limit(100, 3600),
    "webhook_checks_per_owner": Limit(100, 3600),
    "uploads_per_owner": Limit(60, 3600),
    "qualifications_per_owner": Limit(100, 3600),
    "requests_per_token": Limit(10_000, 10),
    "requests_per_address": Limit(2000, 10),
}


@dataclass(frozen=True)
class Config:
    """The settings of one API process.

    ``limits``: by name, None for no limit. ``max_body``: bytes of a request body. ``max_depth``:
    how deep its JSON may nest. ``max_wait``: seconds that a request may wait for something to happen,
    whatever it asks for. ``ping_seconds``: how often a quiet stream says that it lives.
    ``send_seconds``: how long a stream's reader may take nothing before it is dropped.
    ``stream_seconds``: how long a stream lives before its reader is asked to come back, so that
    processes share the load. ``proxies``: how many proxies in front may be believed about the caller's
    address. ``pool``: connections to the store. ``sweep``: whether this process serves the games'
    clocks. ``jobs_url``: the database of the job queues, if it is not the store's. ``record_days``: how long
    the records of finished games are kept, 0 for good. ``webhooks``: where webhooks may be.
    """

    redis_url: str
    admin_token: str | None = None
    limits: Mapping[str, Limit | None] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    max_body: int = 1_000_000
    max_depth: int = 32
    max_wait: float = 60.0
    ping_seconds: float = 15.0
    send_seconds: float = 20.0
    stream_seconds: float = 3600.0
    proxies: int = 0
    pool: int = 64
    sweep: bool = True
    jobs_url: str = ""
    record_days: int = 0
    webhooks: Policy = field(default_factory=Policy)
    log_level: str = "INFO"

    @property
    def queue_url(self) -> str:
        """Where the job queues are."""
        return self.jobs_url or self.redis_url

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Config:
        """The settings in ``environment``. Raises :class:`InvalidSetting`."""
        url = environment.get("REDIS_URL", "")
        if not url:
            raise InvalidSetting(
                "there is no database", field="REDIS_URL", expected="redis://host:port/0 or unix:///path"
            )
        admin_token = environment.get("BOTEQUIM_ADMIN_TOKEN") or None
        if admin_token is not None and len(admin_token) < 32:
            raise InvalidSetting(
                "the admin token is too short", field="BOTEQUIM_ADMIN_TOKEN", expected="32 or more characters"
            )
        return cls(
            redis_url=url,
            admin_token=admin_token,
            limits=_limits(environment.get("BOTEQUIM_LIMITS", "")),
            proxies=_number(environment, "BOTEQUIM_PROXIES", 0),
            pool=_number(environment, "BOTEQUIM_POOL", 64),
            sweep=environment.get("BOTEQUIM_SWEEP", "1") != "0",
            jobs_url=environment.get("BOTEQUIM_JOBS_URL", ""),
            record_days=_number(environment, "BOTEQUIM_RECORD_DAYS", 0),
            webhooks=Policy.from_environment(environment),
            ping_seconds=_number(environment, "BOTEQUIM_PING", 15.0),
            send_seconds=_number(environment, "BOTEQUIM_SEND", 20.0),
            stream_seconds=_number(environment, "BOTEQUIM_STREAM", 3600.0),
            max_wait=_number(environment, "BOTEQUIM_MAX_WAIT", 60.0),
            log_level=environment.get("BOTEQUIM_LOG_LEVEL", "INFO").upper(),
        )


Number = TypeVar("Number", int, float)


def _number(environment: Mapping[str, str], name: str, default: Number) -> Number:
    text = environment.get(name, "")
    if not text:
        return default
    try:
        number = type(default)(text)
    except ValueError:
        number = type(default)(-1)
    if not 0 <= number < 2**31:
        raise InvalidSetting(f"{text!r} is not a number for this", field=name, expected="a number from 0")
    return number


def _limits(text: str) -> dict[str, Limit | None]:
    """``name=count/seconds`` or ``name=off`` by commas, over the defaults; ``off`` alone for none at all."""
    limits: dict[str, Limit | None] = dict(DEFAULT_LIMITS)
    if text == "off":
        return dict.fromkeys(limits)
    for part in filter(None, text.split(",")):
        name, _, value = part.strip().partition("=")
        count, _, seconds = value.partition("/")
        if name not in limits:
            raise InvalidSetting(
                f"there is no limit {name!r}", field="BOTEQUIM_LIMITS", expected="one of " + ", ".join(limits)
            )
        if value == "off":
            limits[name] = None
        elif count.isdecimal() and seconds.isdecimal() and int(count) > 0 and int(seconds) > 0:
            limits[name] = Limit(int(count), int(seconds))
        else:
            raise InvalidSetting(
                f"{value!r} is not a limit", field="BOTEQUIM_LIMITS", expected="<count>/<seconds> or off"
            )
    return limits
