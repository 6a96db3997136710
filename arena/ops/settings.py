"""The settings of a process. No other module reads them from the environment."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

from arena.accounts.default_limits import (
    DEFAULT_BUDGET,
    DEFAULT_DAILY,
    DEFAULT_EXHIBITION_MS,
    DEFAULT_GUEST_MS,
    DayBytes,
    Quotas,
)
from arena.errors import ArenaError
from arena.live.retention import Retention
from arena.records.archive.places import SCHEMES
from arena.store.amounts import Compute, Stored
from arena.store.embedded import running_url
from arena.webhooks.addresses import Policy

LOG_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


MOST_GRACE: Final = 30
"""The maximum number of seconds added to the grace period at shutdown, depending on the number of open
connections.
"""


class InvalidSetting(ArenaError):
    """An environment variable has an invalid value."""

    code = "invalid_setting"


class Limit(NamedTuple):
    """A limit of ``most`` requests in ``seconds``, which can come in one burst."""

    most: int
    seconds: float

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.most / self.seconds


DEFAULT_LIMITS: Final[Mapping[str, Limit]] = {
    "sign_ups_per_address": Limit(20, 3600),
    "recoveries_per_address": Limit(20, 3600),
    "provider_sign_ins_per_address": Limit(200, 3600),
    "guests_per_address": Limit(60, 3600),
    "links_per_owner": Limit(60, 3600),
    "exports_per_owner": Limit(20, 3600),
    "tables_per_address": Limit(200, 86_400),
    "tables_at_once_per_address": Limit(10, 1),
    "house_games_at_once_per_owner": Limit(100, 1),
    "reviews_per_address": Limit(30, 86_400),
    "trial_games_per_address": Limit(100, 86_400),
    "trial_games_in_a_row_per_address": Limit(10, 60),
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
class ProviderSettings:
    """An OpenID Connect provider at which owners can sign in. ``issuer`` is its URL, ``client_id`` and
    ``client_secret`` are what it assigned to this service (a public client has no secret), and ``name`` is
    what pages call it. If ``proves_persons``, each of its accounts belongs to a known person.
    """

    issuer: str
    client_id: str
    client_secret: str
    name: str
    proves_persons: bool = False


@dataclass(frozen=True)
class HttpSettings:
    """The settings that only the HTTP API reads.

    ``bind`` is the address and port. ``processes`` is the number of server processes, and ``connections``
    the maximum number of open connections per process. ``share`` is the percentage of them on which
    requests of one owner can wait. ``grace_seconds`` is the time that requests have to finish at
    shutdown. ``limits`` are by name, with None for no limit. ``head_seconds`` is the time limit for
    receiving the head of a request from its first byte, or for the first request from the start of the
    connection. ``body_seconds`` is the time limit for receiving a small body. ``body_memory`` is the
    maximum size, in bytes, of all larger bodies being received; one address gets a quarter of it.
    ``max_depth`` limits the nesting of JSON in a body. ``max_wait`` limits the seconds that a request can
    wait. ``upload_wait`` is the number of seconds that a request with an upload waits for its outcome.
    ``ping_seconds`` is the pause between pings on a quiet stream. ``send_seconds`` is the time limit for
    accepting each part of a response, after which its reader is disconnected. ``stream_seconds`` is the
    lifetime of a stream; its reader then reconnects, which spreads the load over processes. ``proxies``
    is the number of trusted proxies in front of the server. ``hosts`` are the names for which the service
    answers, or empty for all. ``public_url`` is the service's address for its users, or empty to use the
    address in each request. ``security_contact`` is a URL for vulnerability reports, or empty for none.
    ``provider`` is the OpenID Connect provider, or None. If ``sweep`` is set, this process serves the
    clocks of games.
    """

    bind: str = "127.0.0.1:8000"
    processes: int = 1
    connections: int = 10_000
    share: int = 20
    grace_seconds: int = 5
    limits: Mapping[str, Limit | None] = field(default_factory=lambda: dict(DEFAULT_LIMITS))
    head_seconds: float = 10.0
    body_seconds: float = 10.0
    body_memory: int = 128 << 20
    max_depth: int = 32
    max_wait: float = 60.0
    upload_wait: float = 10.0
    ping_seconds: float = 15.0
    send_seconds: float = 20.0
    stream_seconds: float = 3600.0
    proxies: int = 0
    hosts: frozenset[str] = frozenset()
    public_url: str = ""
    security_contact: str = ""
    provider: ProviderSettings | None = None
    sweep: bool = True


@dataclass(frozen=True)
class Settings:
    """The settings of one process of the service.

    ``jobs_url`` is the database of the job queues, or empty for the one at ``redis_url``. ``pool`` is the
    maximum number of connections to the database. ``archive`` is the folder or URL of the archive, or empty
    for processes that do not use it. ``retention`` is how long games and their records are kept. ``quotas``
    limits how much is stored. ``budget`` is the computation that an owner can start per day, and ``guest_ms``
    the milliseconds of processor time of a guest. ``daily`` is what daily play can use per day, and
    ``exhibition_ms`` what exhibition games can. ``webhooks`` says which addresses a webhook may have.
    ``page_cache`` is the maximum number of bytes of prepared pages. If ``initial_data`` is set, a new
    database gets schedules and first tournaments. If ``own_runtime`` is set, a worker that cannot run the
    service's runtime replaces it with the one of its own installation.
    ``log_level`` is one of :data:`LOG_LEVELS`.
    """

    redis_url: str
    admin_token: str | None = None
    jobs_url: str = ""
    archive: str = ""
    pool: int = 64
    retention: Retention = field(default_factory=Retention)
    quotas: Quotas = field(default_factory=Quotas)
    budget: Compute = DEFAULT_BUDGET
    guest_ms: int = DEFAULT_GUEST_MS
    daily: Compute = DEFAULT_DAILY
    exhibition_ms: int = DEFAULT_EXHIBITION_MS
    day_bytes: DayBytes = field(default_factory=DayBytes)
    webhooks: Policy = field(default_factory=Policy)
    page_cache: int = 256 << 20
    initial_data: bool = False
    own_runtime: bool = False
    log_level: str = "INFO"
    http: HttpSettings = field(default_factory=HttpSettings)

    def check_archive(self) -> None:
        """Check that an archive is configured, for a process that uses it. Raises :class:`InvalidSetting`."""
        if not self.archive:
            raise InvalidSetting(
                "no archive is configured",
                field="BOTEQUIM_ARCHIVE",
                expected="a folder, or BOTEQUIM_ARCHIVE_URL with s3://bucket/folder",
            )

    @property
    def queue_url(self) -> str:
        """The URL of the database of the job queues."""
        return self.jobs_url or self.redis_url

    @classmethod
    def of_running(cls, data: Path, environ: Mapping[str, str] = os.environ) -> Settings:
        """Return the settings in ``environ``. Without ``REDIS_URL``, use the database of the service that is
        running on the data folder.

        Raises :class:`InvalidSetting`, and :class:`~arena.store.server.StoreFailed` if no service is running
        there.
        """
        return cls.from_environment({**environ, "REDIS_URL": redis_url(environ) or running_url(data)})

    @classmethod
    def of_embedded(cls, url: str, data: Path, environ: Mapping[str, str] = os.environ) -> Settings:
        """Return the settings in ``environ``, with the embedded database at ``url``, which uses the data
        folder.

        Raises :class:`InvalidSetting`.
        """
        values = {**environ, "REDIS_URL": url}
        set_archive(values, data)
        return cls.from_environment(values)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Settings:
        """Return the settings in ``environ``. Raises :class:`InvalidSetting`, with the name of the variable
        as its ``field``.
        """
        url = redis_url(environ)
        if not url:
            raise InvalidSetting(
                "no database is configured", field="REDIS_URL", expected="redis://host:port/0 or unix:///path"
            )
        admin_token = environ.get("BOTEQUIM_ADMIN_TOKEN") or None
        if admin_token is not None and len(admin_token) < 32:
            raise InvalidSetting(
                "the admin token is too short", field="BOTEQUIM_ADMIN_TOKEN", expected="32 or more characters"
            )
        http = HttpSettings
        budget, guest_ms, day_bytes, daily, exhibition_ms = _budget(environ.get("BOTEQUIM_BUDGET", ""))
        settings = cls(
            redis_url=url,
            admin_token=admin_token,
            jobs_url=environ.get("BOTEQUIM_JOBS_URL", ""),
            archive=_archive(environ),
            pool=_number(environ, "BOTEQUIM_POOL", cls.pool, least=1),
            retention=Retention(record_s=86_400 * _number(environ, "BOTEQUIM_RECORD_DAYS", 0) or None),
            quotas=_quotas(environ.get("BOTEQUIM_QUOTAS", "")),
            budget=budget,
            guest_ms=guest_ms,
            daily=daily,
            exhibition_ms=exhibition_ms,
            day_bytes=day_bytes,
            webhooks=Policy(_flag(environ, "BOTEQUIM_WEBHOOK_HTTP", Policy.http), _networks(environ)),
            page_cache=_page_cache(environ),
            initial_data=_flag(environ, "BOTEQUIM_SEED", cls.initial_data),
            own_runtime=_flag(environ, "BOTEQUIM_OWN_RUNTIME", cls.own_runtime),
            log_level=_log_level(environ),
            http=HttpSettings(
                bind=environ.get("BOTEQUIM_BIND") or http.bind,
                processes=_number(environ, "BOTEQUIM_WORKERS", http.processes, least=1),
                connections=_number(environ, "BOTEQUIM_CONNECTIONS", http.connections, least=1),
                share=_number(environ, "BOTEQUIM_SHARE", http.share, least=1, most=100),
                grace_seconds=_number(environ, "BOTEQUIM_GRACE", http.grace_seconds),
                head_seconds=_number(environ, "BOTEQUIM_HEAD", http.head_seconds),
                body_seconds=_number(environ, "BOTEQUIM_BODY", http.body_seconds),
                limits=_limits(environ.get("BOTEQUIM_LIMITS", "")),
                max_wait=_number(environ, "BOTEQUIM_MAX_WAIT", http.max_wait),
                ping_seconds=_number(environ, "BOTEQUIM_PING", http.ping_seconds),
                send_seconds=_number(environ, "BOTEQUIM_SEND", http.send_seconds),
                stream_seconds=_number(environ, "BOTEQUIM_STREAM", http.stream_seconds),
                proxies=_number(environ, "BOTEQUIM_PROXIES", http.proxies),
                hosts=_hosts(environ),
                public_url=_public_url(environ),
                security_contact=_security_contact(environ),
                provider=_provider(environ),
                sweep=_flag(environ, "BOTEQUIM_SWEEP", http.sweep),
            ),
        )
        if urlsplit(settings.queue_url).scheme not in ("redis", "rediss", "unix"):
            raise InvalidSetting(
                "the job queues cannot use a cluster",
                field="BOTEQUIM_JOBS_URL",
                expected="redis://host:port/0 or unix:///path",
            )
        return settings


def redis_url(environ: Mapping[str, str] = os.environ) -> str:
    """Return the URL of the database, or an empty text for the embedded one."""
    return environ.get("REDIS_URL", "")


def maxmemory(environ: Mapping[str, str] = os.environ) -> int:
    """Return the memory limit of the embedded database in bytes, by default half of the machine's memory. 0
    means no limit.

    Raises :class:`InvalidSetting`.
    """
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return _memory(environ, "BOTEQUIM_MAXMEMORY", most)


def _page_cache(environ: Mapping[str, str]) -> int:
    found = _memory(environ, "BOTEQUIM_PAGE_CACHE", Settings.page_cache)
    if found < _LEAST_PAGE_CACHE:
        raise InvalidSetting(
            "the cache of pages is too small",
            field="BOTEQUIM_PAGE_CACHE",
            expected=f"at least {_LEAST_PAGE_CACHE >> 20}mb",
        )
    return found


def _memory(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name, "").lower()
    if not text:
        return default
    number, unit = text.rstrip("kmgb"), text.lstrip("0123456789")
    if not number.isdecimal() or unit not in _UNITS:
        raise InvalidSetting(
            f"{text!r} is not a valid amount of memory", field=name, expected="an amount such as 2gb or 512mb"
        )
    return int(number) * _UNITS[unit]


_LEAST_PAGE_CACHE: Final = 16 << 20
_UNITS: Final = {"": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}


def set_archive(environ: MutableMapping[str, str], data: Path) -> None:
    """Set the archive of an embedded database to a folder in its data folder, unless another archive is
    configured.
    """
    if not environ.get("BOTEQUIM_ARCHIVE") and not environ.get("BOTEQUIM_ARCHIVE_URL"):
        environ["BOTEQUIM_ARCHIVE"] = str(data.absolute() / "archive")


_SECRET: Final = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|KEY", re.IGNORECASE)
_OF_ARCHIVE: Final = ("BOTEQUIM_ARCHIVE", "AWS_")
_OF_API: Final = (
    *("BOTEQUIM_OIDC_ISSUER", "BOTEQUIM_OIDC_CLIENT_ID", "BOTEQUIM_OIDC_NAME"),
    "BOTEQUIM_OIDC_PROVES_PERSONS",
)
_OF_COMMANDS: Final = ("BOTEQUIM_TOKEN", "BOTEQUIM_PROFILE", "BOTEQUIM_WEBHOOK_SECRET")


def own_environment(
    environ: Mapping[str, str], *, archive: bool = False, api: bool = False
) -> dict[str, str]:
    """Return the environment of a process without the secrets that it does not read.

    Secrets are the location and the credentials of the archive, which only a process with ``archive`` gets;
    the settings of the OpenID Connect provider, which only the ``api`` gets; and variables with names such as
    ``TOKEN``, of which the ``api`` gets those of the service, and other processes get none. All processes get
    the URLs of the databases.
    """

    def is_own(name: str) -> bool:
        if name.startswith(_OF_ARCHIVE):
            return archive
        if name in _OF_COMMANDS:
            return False
        if name in _OF_API:
            return api
        return not _SECRET.search(name) or (api and name.startswith("BOTEQUIM_"))

    return {name: value for name, value in environ.items() if is_own(name)}


def _archive(environ: Mapping[str, str]) -> str:
    folder, url = environ.get("BOTEQUIM_ARCHIVE", ""), environ.get("BOTEQUIM_ARCHIVE_URL", "")
    if url and not url.startswith(SCHEMES):
        raise InvalidSetting(
            f"{url!r} is not a valid archive URL",
            field="BOTEQUIM_ARCHIVE_URL",
            expected="s3://bucket/folder",
        )
    if folder and url:
        raise InvalidSetting(
            "two archives are configured",
            field="BOTEQUIM_ARCHIVE_URL",
            expected="only one of BOTEQUIM_ARCHIVE and BOTEQUIM_ARCHIVE_URL",
        )
    if "://" in folder:
        raise InvalidSetting(
            f"{folder!r} is not a folder",
            field="BOTEQUIM_ARCHIVE",
            expected="a folder; BOTEQUIM_ARCHIVE_URL is for s3://bucket/folder",
        )
    if folder == "off":
        raise InvalidSetting(
            "the archive cannot be turned off, because only it keeps finished records",
            field="BOTEQUIM_ARCHIVE",
            expected="a folder",
        )
    return url or folder


Number = TypeVar("Number", int, float)


def _number(
    environ: Mapping[str, str], name: str, default: Number, *, least: int = 0, most: int = 2**31 - 1
) -> Number:
    text = environ.get(name, "")
    if not text:
        return default
    try:
        number = type(default)(text)
    except ValueError:
        number = type(default)(-1)
    if not least <= number <= most:
        limits = f"from {least}" if most == 2**31 - 1 else f"from {least} to {most}"
        raise InvalidSetting(f"{text!r} is not a valid number", field=name, expected=f"a number {limits}")
    return number


def _flag(environ: Mapping[str, str], name: str, default: bool) -> bool:
    text = environ.get(name, "")
    if text not in ("", "0", "1"):
        raise InvalidSetting(f"{text!r} is not a valid flag", field=name, expected="1 or 0")
    return text == "1" if text else default


def _public_url(environ: Mapping[str, str]) -> str:
    url = environ.get("BOTEQUIM_PUBLIC_URL", "").rstrip("/")
    if url and not re.fullmatch(r"https?://[A-Za-z0-9.:/_\[\]-]+", url):
        raise InvalidSetting(
            f"{url!r} is not a valid service URL",
            field="BOTEQUIM_PUBLIC_URL",
            expected="https://host or http://host:port",
        )
    return url


def _hosts(environ: Mapping[str, str]) -> frozenset[str]:
    hosts = set()
    for host in filter(None, environ.get("BOTEQUIM_HOSTS", "").lower().replace(" ", "").split(",")):
        if not re.fullmatch(r"[a-z0-9._-]+|\[[0-9a-f:.]+\]", host):
            raise InvalidSetting(
                f"{host!r} is not a valid host",
                field="BOTEQUIM_HOSTS",
                expected="names or addresses without ports, separated by commas, for example localhost,[::1]",
            )
        hosts.add(host)
    public = urlsplit(_public_url(environ)).netloc.lower()
    if hosts and public:
        hosts.add(re.sub(r":[0-9]*\Z", "", public))
    return frozenset(hosts)


def set_own_hosts(environ: MutableMapping[str, str], host: str) -> None:
    """Make a service that listens on ``host`` answer only for its own names if only this machine can reach it
    and no proxy stands in front of it, unless other names are configured.
    """
    try:
        is_local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = host == "localhost"
    if is_local and not _number(environ, "BOTEQUIM_PROXIES", 0):
        own = f"[{host}]" if ":" in host else host
        environ.setdefault("BOTEQUIM_HOSTS", f"localhost,127.0.0.1,[::1],{own}")


def _security_contact(environ: Mapping[str, str]) -> str:
    url = environ.get("BOTEQUIM_SECURITY_CONTACT", "")
    if url and not re.fullmatch(r"(mailto:[^\s@]+@|https://)[!-~]+", url):
        raise InvalidSetting(
            f"{url!r} is not a valid security contact",
            field="BOTEQUIM_SECURITY_CONTACT",
            expected="mailto:somebody@host or https://host/page",
        )
    return url


def _provider(environ: Mapping[str, str]) -> ProviderSettings | None:
    issuer = environ.get("BOTEQUIM_OIDC_ISSUER", "")
    client_id = environ.get("BOTEQUIM_OIDC_CLIENT_ID", "")
    client_secret = environ.get("BOTEQUIM_OIDC_CLIENT_SECRET", "")
    name = environ.get("BOTEQUIM_OIDC_NAME", "")
    if not issuer:
        return None
    try:
        parts = urlsplit(issuer)
    except ValueError:
        raise _not_an_issuer(issuer) from None
    if not re.fullmatch(r"https?://[!-~]+", issuer) or parts.query or parts.fragment or not parts.hostname:
        raise _not_an_issuer(issuer)
    if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise _not_an_issuer(issuer)
    if not client_id:
        raise InvalidSetting(
            "no client id of the OpenID Connect provider is configured",
            field="BOTEQUIM_OIDC_CLIENT_ID",
            expected="the client id of this service at the provider",
        )
    if not _public_url(environ):
        raise InvalidSetting(
            "sign-in by OpenID Connect needs the address of the service",
            field="BOTEQUIM_PUBLIC_URL",
            expected="the address under which the service is registered at the provider",
        )
    proves_persons = _flag(environ, "BOTEQUIM_OIDC_PROVES_PERSONS", ProviderSettings.proves_persons)
    return ProviderSettings(issuer, client_id, client_secret, name or parts.hostname, proves_persons)


def _not_an_issuer(issuer: str) -> InvalidSetting:
    return InvalidSetting(
        f"{issuer!r} is not a valid issuer",
        field="BOTEQUIM_OIDC_ISSUER",
        expected="https://host or https://host/path, or for tests http://localhost:port",
    )


def _log_level(environ: Mapping[str, str]) -> str:
    level = (environ.get("BOTEQUIM_LOG_LEVEL") or Settings.log_level).upper()
    if level not in LOG_LEVELS:
        raise InvalidSetting(
            f"{level!r} is not a valid log level",
            field="BOTEQUIM_LOG_LEVEL",
            expected="one of " + ", ".join(LOG_LEVELS),
        )
    return level


def _networks(environ: Mapping[str, str]) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    networks = []
    for text in filter(None, environ.get("BOTEQUIM_WEBHOOK_NETWORKS", "").replace(" ", "").split(",")):
        try:
            networks.append(ipaddress.ip_network(text))
        except ValueError:
            raise InvalidSetting(
                f"{text!r} is not a valid network",
                field="BOTEQUIM_WEBHOOK_NETWORKS",
                expected="networks separated by commas, for example 10.1.0.0/16,fd00::/8",
            ) from None
    return tuple(networks)


def _limits(text: str) -> dict[str, Limit | None]:
    """Parse comma-separated limits, each ``name=count/seconds`` or ``name=off``, which override the defaults.
    ``off`` alone turns all limits off.
    """
    limits: dict[str, Limit | None] = dict(DEFAULT_LIMITS)
    if text == "off":
        return dict.fromkeys(limits)
    for part in filter(None, text.split(",")):
        name, _, value = part.strip().partition("=")
        count, _, seconds = value.partition("/")
        if name not in limits:
            raise InvalidSetting(
                f"there is no limit named {name!r}",
                field="BOTEQUIM_LIMITS",
                expected="one of " + ", ".join(limits),
            )
        if value == "off":
            limits[name] = None
        elif count.isdecimal() and seconds.isdecimal() and int(count) > 0 and int(seconds) > 0:
            limits[name] = Limit(int(count), int(seconds))
        else:
            raise InvalidSetting(
                f"{value!r} is not a valid limit",
                field="BOTEQUIM_LIMITS",
                expected="<count>/<seconds> or off",
            )
    return limits


def _quotas(text: str) -> Quotas:
    """Parse comma-separated quotas, such as ``owner_bots=count``, which override the defaults."""
    defaults = Quotas()
    known = {f"{of}_{name}": most for of in _OF for name, most in getattr(defaults, of)._asdict().items()}
    known |= {_INVITATIONS: defaults.invitations, _TOURNAMENTS: defaults.tournaments}
    values = _counts(text, "BOTEQUIM_QUOTAS", known)
    owner, service = (Stored(*(values[f"{of}_{name}"] for name in Stored._fields)) for of in _OF)
    return Quotas(owner, service, values[_INVITATIONS], values[_TOURNAMENTS])


def _budget(text: str) -> tuple[Compute, int, DayBytes, Compute, int]:
    """Parse comma-separated ``groups=count``, ``fuel_ms=count``, ``bytes=count``, ``guest_fuel_ms=count``,
    ``guest_bytes=count``, ``daily_groups=count``, ``daily_fuel_ms=count`` and ``exhibition_fuel_ms=count``,
    which override the defaults. Returns the groups and the time of an owner, the milliseconds of a guest, the
    bytes of both, the groups and the time of daily play, and the milliseconds of exhibition games.
    """
    sizes = DayBytes()
    own = {**DEFAULT_BUDGET._asdict(), "bytes": sizes.owner}
    values = _counts(
        text,
        "BOTEQUIM_BUDGET",
        {
            **own,
            "guest_fuel_ms": DEFAULT_GUEST_MS,
            "guest_bytes": sizes.guest,
            "daily_groups": DEFAULT_DAILY.groups,
            "daily_fuel_ms": DEFAULT_DAILY.fuel_ms,
            "exhibition_fuel_ms": DEFAULT_EXHIBITION_MS,
        },
    )
    budget = Compute(values["groups"], values["fuel_ms"])
    daily = Compute(values["daily_groups"], values["daily_fuel_ms"])
    sizes = DayBytes(values["bytes"], values["guest_bytes"])
    return budget, values["guest_fuel_ms"], sizes, daily, values["exhibition_fuel_ms"]


def _counts(text: str, variable: str, defaults: Mapping[str, int]) -> dict[str, int]:
    values = dict(defaults)
    for part in filter(None, text.split(",")):
        name, _, value = part.strip().partition("=")
        if name not in values:
            raise InvalidSetting(
                f"{name!r} is not a valid name", field=variable, expected="one of " + ", ".join(values)
            )
        if not value.isdecimal() or int(value) > _MOST:
            raise InvalidSetting(
                f"{value!r} is not a valid count",
                field=variable,
                expected=f"a whole number from 0 to {_MOST}",
            )
        values[name] = int(value)
    return values


_OF: Final = ("owner", "service")
_INVITATIONS: Final = "owner_invitations"
_TOURNAMENTS: Final = "owner_tournaments"
_MOST: Final = 2**50
