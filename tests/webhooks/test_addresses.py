"""Which URLs and addresses may be called."""

from __future__ import annotations

import time
from collections.abc import Sequence
from ipaddress import ip_network

import pytest

from arena.webhook_messages.errors import AddressNotAllowed, InvalidUrl, NameNotFound
from arena.webhooks.addresses import Policy
from arena.webhooks.resolving import system_resolve
from tests.webhooks.parts import LOOPBACK, until

PUBLIC = Policy()

FORBIDDEN = {
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"],
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "link-local": ["169.254.1.1", "fe80::1", "fe80::1%eth0", "febf::1"],
    "metadata": ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "192.0.0.192", "168.63.129.16"],
    "multicast": ["224.0.0.1", "239.255.255.250", "ff02::1", "ff0e::1"],
    "reserved": ["0.0.0.0", "0.1.2.3", "240.0.0.1", "255.255.255.255", "::", "fec0::1"],
    "shared": ["100.64.0.1", "100.127.255.255"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1"],
    "benchmarking": ["198.18.0.1", "198.19.255.255"],
    "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "::ffff:168.63.129.16"],
    "IPv4-compatible": ["::127.0.0.1", "::8.8.8.8"],
    "6to4": ["2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:0a00:0001::"],
    "Teredo": ["2001:0:7f00:1::1", "2001:0:4136:e378:8000:63bf:80ff:fffe"],
    "NAT64": ["64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::c0a8:101", "64:ff9b:1::8.8.8.8"],
    "nonsense": ["", "localhost", "127.1", "0x7f.0.0.1"],
}


@pytest.mark.parametrize("address", [each for group in FORBIDDEN.values() for each in group])
def test_addresses_that_are_not_public_are_not_called(address: str) -> None:
    assert not PUBLIC.allows(address)


@pytest.mark.parametrize(
    "address",
    ["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"],
)
def test_public_addresses_are_called(address: str) -> None:
    assert PUBLIC.allows(address)


def test_an_admin_allows_networks_and_no_more() -> None:
    policy = Policy(networks=(ip_network("10.1.0.0/16"), ip_network("fd00:1::/32")))
    assert policy.allows("10.1.2.3")
    assert policy.allows("::ffff:10.1.2.3")
    assert policy.allows("fd00:1::5")
    assert policy.allows("8.8.8.8")
    assert not policy.allows("10.2.0.1")
    assert not policy.allows("127.0.0.1")
    assert not policy.allows("fd00:2::5")
    assert not policy.http


def test_a_url_in_parts() -> None:
    target = PUBLIC.target("https://Bot.Example:8443/truco/turn?key=1&x=%20")
    assert (target.scheme, target.host, target.port) == ("https", "bot.example", 8443)
    assert target.path == "/truco/turn?key=1&x=%20"
    bare = PUBLIC.target("https://bot.example")
    assert (bare.port, bare.path) == (443, "/")
    assert PUBLIC.target("https://[2606:4700::1]/x").host == "2606:4700::1"
    assert LOOPBACK.target("http://bot.example/").port == 80


@pytest.mark.parametrize(
    "url",
    [
        "http://bot.example/",
        "ftp://bot.example/",
        "file:///etc/passwd",
        "gopher://bot.example/",
        "//bot.example/",
        "bot.example",
        "",
        "https://",
        "https:///path",
        "https://user@bot.example/",
        "https://user:word@bot.example/",
        "https://bot.example/#part",
        "https://bot.example:0/",
        "https://bot.example:99999/",
        "https://bot.example:x/",
        "https://bot.example/ HTTP/1.1\r\nHost: other",
        "https://bot.example/\n",
        "https://bot.example/☃",
        "https://[fe80::1%25eth0]/",
        "https://[::1/",
        "https://" + "a" * 64 + ".example/",
        "https://bot.example/" + "a" * 2000,
    ],
)
def test_invalid_urls_are_rejected(url: str) -> None:
    with pytest.raises(InvalidUrl) as caught:
        PUBLIC.target(url)
    assert caught.value.code == "invalid_webhook_url"


@pytest.mark.parametrize(
    "url", ["https://127.1/", "https://2130706433/", "https://0x7f.0.0.1/", "https://[::1]/"]
)
def test_no_spelling_of_an_address_bypasses_the_check(url: str) -> None:
    target = PUBLIC.target(url)
    with pytest.raises((AddressNotAllowed, NameNotFound)):
        PUBLIC.addresses(target, time.monotonic() + 20)


def test_localhost_is_not_called() -> None:
    assert system_resolve("localhost", 80)
    with pytest.raises(AddressNotAllowed):
        PUBLIC.addresses(PUBLIC.target("https://localhost/"), time.monotonic() + 20)


def test_one_bad_address_among_good_ones_is_enough() -> None:
    def resolve(host: str, port: int) -> Sequence[str]:
        assert (host, port) == ("bot.example", 443)
        return answers

    target = PUBLIC.target("https://bot.example/")
    answers = ["8.8.8.8", "8.8.8.8", "1.1.1.1"]
    assert PUBLIC.addresses(target, time.monotonic() + 20, resolve) == ["8.8.8.8", "1.1.1.1"]
    answers = ["8.8.8.8", "10.0.0.1"]
    with pytest.raises(AddressNotAllowed) as caught:
        PUBLIC.addresses(target, time.monotonic() + 20, resolve)
    assert "10.0.0.1" not in str(caught.value)
    answers = []
    with pytest.raises(NameNotFound):
        PUBLIC.addresses(target, time.monotonic() + 20, resolve)


def test_a_hanging_resolver_times_out() -> None:
    let_go = False

    def resolve(host: str, port: int) -> Sequence[str]:
        until(lambda: let_go)
        return ["8.8.8.8"]

    try:
        with pytest.raises(NameNotFound):
            PUBLIC.addresses(PUBLIC.target("https://bot.example/"), time.monotonic() + 0.05, resolve)
    finally:
        let_go = True
