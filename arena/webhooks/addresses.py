"""The URLs and addresses that webhooks are allowed to have.

A service that calls its users' URLs can be tricked into calling its internal network (request forgery).
Therefore, a host name is resolved here, every address is checked, and the connection is made to a checked
address, regardless of what the name resolves to later.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from arena.webhook_messages.errors import AddressNotAllowed, InvalidUrl
from arena.webhooks.resolving import Resolve, resolvers, system_resolve

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

MAX_URL: Final = 2000
URL_RULE: Final = "https://host[:port]/path without user, password or fragment"

_PRINTABLE: Final = re.compile(r"[!-~]+").fullmatch
_PORTS: Final = {"https": 443, "http": 80}

_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_REFUSED: Final[tuple[Network, ...]] = tuple(
    map(
        ipaddress.ip_network,
        (
            # A public address at which machines in a cloud (Azure) reach their host.
            "168.63.129.16/32",
            # NAT64 prefixes for local use (RFC 8215): the addresses behind them are unknown here.
            "64:ff9b:1::/48",
            # IPv4-compatible addresses (RFC 4291, deprecated).
            "::/96",
            # Special addresses in the registries, but not in every version of Python: protocol assignments,
            # 6to4 relays,
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


@dataclass(frozen=True)
class Target:
    """The parts of a URL. ``host`` is in ASCII, without brackets. ``path`` includes the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The value of the header ``Host``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True)
class Policy:
    """What the operator allows besides public https URLs: ``http`` URLs, and addresses in ``networks``."""

    http: bool = False
    networks: tuple[Network, ...] = ()

    def target(self, url: str) -> Target:
        """Split ``url`` into its parts. Raises :class:`InvalidUrl`."""
        if len(url) > MAX_URL or not _PRINTABLE(url):
            raise _invalid("the URL is too long or contains characters that are not allowed")
        try:
            parts = urlsplit(url)
            port = parts.port
            host = (parts.hostname or "").encode("idna").decode()
        except ValueError:
            raise _invalid("the URL is invalid") from None
        if parts.scheme not in _PORTS or (parts.scheme == "http" and not self.http):
            raise _invalid(f"the scheme {parts.scheme[:20]!r} is not allowed here")
        if not host or port == 0:
            raise _invalid("the URL has no host, or its port is invalid")
        if "@" in parts.netloc or "#" in url or "%" in host:
            raise _invalid("the URL must not have a user, a fragment or a scope")
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return Target(parts.scheme, host, port or _PORTS[parts.scheme], path)

    def allows(self, text: str) -> bool:
        """Return whether calls to the address ``text`` are allowed."""
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return False
        inner = _inner(address)
        if any(_within(each, self.networks) for each in (address, *inner)):
            return True
        return all(map(_is_public, inner)) if inner else _is_public(address)

    def addresses(
        self, target: Target, deadline: float, resolve: Resolve | None = None, *, owner: str = ""
    ) -> list[str]:
        """Return the checked addresses of ``target``, which ``owner`` registered. ``deadline`` is on the
        monotonic clock.

        Raises the errors of :meth:`~arena.webhooks.resolving.Resolvers.resolve`, and
        :class:`AddressNotAllowed` if calls to any of the addresses are not allowed.
        """
        ask = resolve or system_resolve
        found = resolvers().resolve(owner, target.host, target.port, deadline, ask)
        if not all(map(self.allows, found)):
            raise AddressNotAllowed(
                "the host has an address to which calls are not allowed",
                field="url",
                expected="a public address",
            )
        return found


def _inner(address: Address) -> list[Address]:
    """Return the IPv4 addresses embedded in an IPv6 address, since packets to it are delivered to them."""
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
    """Return whether an address is public according to the registries of special addresses (RFC 6890), not
    multicast, and not in ``_REFUSED``.
    """
    site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    special = address.is_multicast or address.is_reserved or site_local
    return address.is_global and not special and not _within(address, _REFUSED)


def _invalid(why: str) -> InvalidUrl:
    return InvalidUrl(why, field="url", expected=URL_RULE)
