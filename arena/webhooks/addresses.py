"""Where a webhook may be: which URLs, and which addresses their names may stand for.

A service that calls addresses which others choose can be made to call its own neighbours (request
forgery). So a name is resolved here, every address is checked, and the connection goes to a checked
address, whatever the name stands for a moment later.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import urlsplit

from arena.errors import ArenaError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolve = Callable[[str, int], Sequence[str]]
"""The addresses of a name, as text. Raises :class:`OSError` if there are none."""

MAX_URL: Final = 2000
URL_RULE: Final = "https://host[:port]/path without user, password and fragment"

_PRINTABLE: Final = re.compile(r"[!-~]+").fullmatch
_PORTS: Final = {"https": 443, "http": 80}

_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_REFUSED: Final[tuple[Network, ...]] = tuple(
    map(
        ipaddress.ip_network,
        (
            # A public address under which a cloud's machines reach their host (Azure).
            "168.63.129.16/32",
            # NAT64 prefixes of local use (RFC 8215): what is behind them is not known here.
            "64:ff9b:1::/48",
            # IPv4-compatible addresses (RFC 4291, deprecated).
            "::/96",
            # Special in the registries, but not in every Python's: protocol assignments, relays of 6to4,
            # discard-only, documentation, segment routing.
            "192.0.0.0/24",
            "192.88.99.0/24",
            "100::/64",
            "2001::/23",
            "2001:db8::/32",
            "3fff::/20",
            "5f00::/16",
        ),
    )
)
_RESOLVERS: Final = 32


class InvalidUrl(ArenaError):
    """A URL that cannot be a webhook's."""

    code = "invalid_webhook_url"


class AddressNotAllowed(ArenaError):
    """A name that stands for an address which may not be called."""

    code = "webhook_address"


class NameNotFound(ArenaError):
    """A name that stands for no address, or not in time."""

    code = "webhook_failed"


@dataclass(frozen=True)
class Target:
    """A URL in parts. ``host``: a name in ASCII or an address without brackets; ``path``: with the query."""

    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True)
class Policy:
    """What the operator allows beyond public https: ``http`` URLs, and addresses in ``networks``."""

    http: bool = False
    networks: tuple[Network, ...] = ()

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Policy:
        """The policy of ``BOTEQUIM_WEBHOOK_HTTP`` and ``BOTEQUIM_WEBHOOK_NETWORKS``.

        Raises :class:`~arena.errors.ArenaError` with the code ``invalid_setting``.
        """
        networks = []
        for text in filter(
            None, environment.get("BOTEQUIM_WEBHOOK_NETWORKS", "").replace(" ", "").split(",")
        ):
            try:
                networks.append(ipaddress.ip_network(text))
            except ValueError:
                raise ArenaError(
                    f"{text!r} is not a network",
                    code="invalid_setting",
                    field="BOTEQUIM_WEBHOOK_NETWORKS",
                    expected="networks by commas, for instance 10.1.0.0/16,fd00::/8",
                ) from None
        return cls(environment.get("BOTEQUIM_WEBHOOK_HTTP", "0") == "1", tuple(networks))

    def target(self, url: str) -> Target:
        """``url`` in parts. Raises :class:`InvalidUrl`."""
        if len(url) > MAX_URL or not _PRINTABLE(url):
            raise _invalid("the URL has characters that it may not, or too many")
        try:
            parts = urlsplit(url)
            port = parts.port
            host = (parts.hostname or "").encode("idna").decode()
        except ValueError:
            raise _invalid("this is not a URL") from None
        if parts.scheme not in _PORTS or (parts.scheme == "http" and not self.http):
            raise _invalid(f"the scheme {parts.scheme[:20]!r} is not allowed here")
        if not host or port == 0:
            raise _invalid("the URL has no host, or no port that can be")
        if "@" in parts.netloc or "#" in url or "%" in host:
            raise _invalid("the URL has a user, a fragment or a scope")
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return Target(parts.scheme, host, port or _PORTS[parts.scheme], path)

    def allows(self, text: str) -> bool:
        """Whether the address ``text`` may be called."""
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return False
        inner = _inner(address)
        if any(_within(each, self.networks) for each in (address, *inner)):
            return True
        return all(map(_is_public, inner)) if inner else _is_public(address)

    def addresses(self, target: Target, deadline: float, resolve: Resolve | None = None) -> list[str]:
        """The addresses of ``target``, all checked. ``deadline``: by the monotonic clock.

        Raises :class:`NameNotFound`, and :class:`AddressNotAllowed` if a single one may not be called.
        """
        future: Future[Sequence[str]] = _resolvers().submit(
            resolve or system_resolve, target.host, target.port
        )
        try:
            found = list(dict.fromkeys(future.result(max(0.0, deadline - time.monotonic()))))
        except FutureTimeoutError:
            future.cancel()
            raise NameNotFound("the name of the host was not resolved in time", field="url") from None
        except (OSError, UnicodeError):
            found = []
        if not found:
            raise NameNotFound("the name of the host stands for no address", field="url")
        if not all(map(self.allows, found)):
            raise AddressNotAllowed(
                "the host has an address that may not be called", field="url", expected="a public address"
            )
        return found


def system_resolve(host: str, port: int) -> list[str]:
    """The addresses that the system has for ``host``."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def _inner(address: Address) -> list[Address]:
    """The IPv4 addresses inside an IPv6 address: packets to it end up there."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    inner: list[Address] = [each for each in (address.ipv4_mapped, address.sixtofour) if each is not None]
    inner += address.teredo or ()
    if address in _NAT64:
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return inner


def _within(address: Address, networks: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


def _is_public(address: Address) -> bool:
    """By the registries of special addresses (RFC 6890), and no multicast, and none of ``_REFUSED``."""
    site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    special = address.is_multicast or address.is_reserved or site_local
    return address.is_global and not special and not _within(address, _REFUSED)


@cache
def _resolvers() -> ThreadPoolExecutor:
    """Threads for the system's resolver, which knows no time-out."""
    return ThreadPoolExecutor(_RESOLVERS, thread_name_prefix="resolver")


def _invalid(why: str) -> InvalidUrl:
    return InvalidUrl(why, field="url", expected=URL_RULE)


__all__ = [
    "MAX_URL",
    "URL_RULE",
    "AddressNotAllowed",
    "InvalidUrl",
    "NameNotFound",
    "Policy",
    "Resolve",
    "Target",
    "system_resolve",
]
