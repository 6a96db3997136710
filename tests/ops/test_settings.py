"""Settings: every variable is read once, and one that cannot be used is named."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

import pytest

from arena.accounts.default_limits import DEFAULT_BUDGET, Quotas
from arena.live.retention import Retention
from arena.ops.settings import (
    HttpSettings,
    InvalidSetting,
    Limit,
    ProviderSettings,
    Settings,
    maxmemory,
    own_environment,
)
from arena.webhooks.addresses import Policy

URL = {"REDIS_URL": "redis://somewhere"}
OIDC = {
    "BOTEQUIM_OIDC_ISSUER": "https://school.example/realm/",
    "BOTEQUIM_OIDC_CLIENT_ID": "bar",
    "BOTEQUIM_OIDC_CLIENT_SECRET": "hush",
}


def test_an_empty_environment_gives_the_defaults() -> None:
    assert Settings.from_environment(URL) == Settings("redis://somewhere")


def test_every_variable_reaches_its_setting() -> None:
    settings = Settings.from_environment(
        {
            **URL,
            "BOTEQUIM_ADMIN_TOKEN": "x" * 32,
            "BOTEQUIM_JOBS_URL": "unix:///jobs",
            "BOTEQUIM_POOL": "3",
            "BOTEQUIM_RECORD_DAYS": "30",
            "BOTEQUIM_BUDGET": "groups=7,guest_fuel_ms=9",
            "BOTEQUIM_QUOTAS": "owner_bots=2, service_bytes=5000000000",
            "BOTEQUIM_WEBHOOK_HTTP": "1",
            "BOTEQUIM_WEBHOOK_NETWORKS": "10.1.0.0/16, fd00:1::/32",
            "BOTEQUIM_SEED": "1",
            "BOTEQUIM_BIND": ":80",
            "BOTEQUIM_WORKERS": "4",
            "BOTEQUIM_CONNECTIONS": "5",
            "BOTEQUIM_GRACE": "6",
            "BOTEQUIM_HEAD": "7",
            "BOTEQUIM_BODY": "8.5",
            "BOTEQUIM_PUBLIC_URL": "https://bar.example/",
            "BOTEQUIM_SECURITY_CONTACT": "mailto:security@bar.example",
            **OIDC,
            "BOTEQUIM_OIDC_NAME": "School",
            "BOTEQUIM_OIDC_PROVES_PERSONS": "1",
            "BOTEQUIM_LIMITS": "off",
            "BOTEQUIM_MAX_WAIT": "0.5",
            "BOTEQUIM_PING": "1.5",
            "BOTEQUIM_SEND": "2.5",
            "BOTEQUIM_STREAM": "3.5",
            "BOTEQUIM_PROXIES": "2",
            "BOTEQUIM_SWEEP": "0",
            "BOTEQUIM_LOG_LEVEL": "warning",
        }
    )
    assert settings == Settings(
        "redis://somewhere",
        admin_token="x" * 32,
        jobs_url="unix:///jobs",
        pool=3,
        retention=Retention(record_s=30 * 86_400),
        budget=DEFAULT_BUDGET._replace(groups=7),
        guest_ms=9,
        quotas=Quotas(Quotas().owner._replace(bots=2), Quotas().service._replace(bytes=5_000_000_000)),
        webhooks=Policy(True, (ip_network("10.1.0.0/16"), ip_network("fd00:1::/32"))),
        initial_data=True,
        log_level="WARNING",
        http=HttpSettings(
            bind=":80",
            processes=4,
            connections=5,
            grace_seconds=6,
            head_seconds=7,
            body_seconds=8.5,
            public_url="https://bar.example",
            security_contact="mailto:security@bar.example",
            provider=ProviderSettings("https://school.example/realm/", "bar", "hush", "School", True),
            limits=dict.fromkeys(HttpSettings().limits),
            max_wait=0.5,
            ping_seconds=1.5,
            send_seconds=2.5,
            stream_seconds=3.5,
            proxies=2,
            sweep=False,
        ),
    )
    assert settings.queue_url == "unix:///jobs"


def test_limits_are_changed_one_by_one() -> None:
    text = "games_per_owner=5/60, requests_per_token=off"
    limits = Settings.from_environment({**URL, "BOTEQUIM_LIMITS": text}).http.limits
    assert limits["games_per_owner"] == Limit(5, 60)
    assert limits["requests_per_token"] is None
    assert limits["sign_ups_per_address"] == Limit(20, 3600)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REDIS_URL", ""),
        ("BOTEQUIM_ADMIN_TOKEN", "short"),
        ("BOTEQUIM_JOBS_URL", "redis+cluster://127.0.0.1:1"),
        ("BOTEQUIM_BUDGET", "fuel=5"),
        ("BOTEQUIM_BUDGET", "groups=many"),
        ("BOTEQUIM_QUOTAS", "bots=5"),
        ("BOTEQUIM_QUOTAS", "owner_bots=-1"),
        ("BOTEQUIM_LIMITS", "games=5/60"),
        ("BOTEQUIM_LIMITS", "games_per_owner=many"),
        ("BOTEQUIM_LIMITS", "games_per_owner=0/5"),
        ("BOTEQUIM_LOG_LEVEL", "loud"),
        ("BOTEQUIM_PING", "nan"),
        ("BOTEQUIM_PROXIES", "-1"),
        ("BOTEQUIM_PUBLIC_URL", "bar.example"),
        ("BOTEQUIM_PUBLIC_URL", "https://bar.example;id"),
        ("BOTEQUIM_SECURITY_CONTACT", "security@bar.example"),
        ("BOTEQUIM_SECURITY_CONTACT", "mailto:a@bar.example\nExpires: never"),
        ("BOTEQUIM_RECORD_DAYS", "long"),
        ("BOTEQUIM_SWEEP", "yes"),
        ("BOTEQUIM_WEBHOOK_NETWORKS", "10.0.0.1/8"),
        ("BOTEQUIM_WEBHOOK_NETWORKS", "10.0.0.0/99"),
        ("BOTEQUIM_WEBHOOK_NETWORKS", "localhost"),
        ("BOTEQUIM_WEBHOOK_NETWORKS", "*"),
        ("BOTEQUIM_WORKERS", "0"),
    ],
)
def test_a_value_that_cannot_be_used_is_an_error_of_its_variable(name: str, value: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        Settings.from_environment({**URL, name: value})
    assert caught.value.code == "invalid_setting"
    assert caught.value.field == name


@pytest.mark.parametrize(
    ("text", "size"), [("2gb", 2 << 30), ("512MB", 512 << 20), ("3kb", 3072), ("70000", 70_000), ("0", 0)]
)
def test_the_memory_of_the_embedded_database(text: str, size: int) -> None:
    assert maxmemory({"BOTEQUIM_MAXMEMORY": text}) == size


@pytest.mark.parametrize("text", ["much", "2tb", "gb", "-1", "2gb2"])
def test_what_is_no_memory_is_refused(text: str) -> None:
    with pytest.raises(InvalidSetting) as caught:
        maxmemory({"BOTEQUIM_MAXMEMORY": text})
    assert caught.value.field == "BOTEQUIM_MAXMEMORY"


def test_the_cache_of_pages_has_a_size() -> None:
    url = {"REDIS_URL": "redis://127.0.0.1:1/0"}
    assert Settings.from_environment(url).page_cache == 256 << 20
    assert Settings.from_environment({**url, "BOTEQUIM_PAGE_CACHE": "64mb"}).page_cache == 64 << 20
    for text in ("1mb", "much"):
        with pytest.raises(InvalidSetting) as caught:
            Settings.from_environment({**url, "BOTEQUIM_PAGE_CACHE": text})
        assert caught.value.field == "BOTEQUIM_PAGE_CACHE"


def test_half_of_the_memory_is_the_default() -> None:
    total = int(Path("/proc/meminfo").read_text().split()[1]) * 1024
    assert abs(maxmemory({}) - total // 2) < total / 100


def test_a_process_gets_only_the_secrets_that_it_reads() -> None:
    common = {"PATH": "/bin", "BOTEQUIM_LIMITS": "off", **URL}
    of_api = {"BOTEQUIM_ADMIN_TOKEN": "x", "BOTEQUIM_SOME_SECRET": "x", **OIDC}
    of_archive = {"BOTEQUIM_ARCHIVE": "x", "BOTEQUIM_ARCHIVE_URL": "x", "AWS_REGION": "x", "AWS_PROFILE": "x"}
    of_nobody = dict.fromkeys(
        (
            "BOTEQUIM_TOKEN",
            "BOTEQUIM_WEBHOOK_SECRET",
            "GITHUB_TOKEN",
            "Db_Password",
            "SSH_AUTH_SOCK",
            "API_KEY",
        ),
        "x",
    )
    every = {**common, **of_api, **of_archive, **of_nobody}
    assert own_environment(every) == common
    assert own_environment(every, archive=True) == {**common, **of_archive}
    assert own_environment(every, archive=True, api=True) == {**common, **of_api, **of_archive}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"BOTEQUIM_OIDC_ISSUER": "school.example"}, "BOTEQUIM_OIDC_ISSUER"),
        ({"BOTEQUIM_OIDC_ISSUER": "http://school.example"}, "BOTEQUIM_OIDC_ISSUER"),
        ({"BOTEQUIM_OIDC_ISSUER": "https://school.example/?tenant=1"}, "BOTEQUIM_OIDC_ISSUER"),
        ({"BOTEQUIM_OIDC_ISSUER": "https://"}, "BOTEQUIM_OIDC_ISSUER"),
        ({"BOTEQUIM_OIDC_ISSUER": "https://[school"}, "BOTEQUIM_OIDC_ISSUER"),
        ({"BOTEQUIM_OIDC_CLIENT_ID": ""}, "BOTEQUIM_OIDC_CLIENT_ID"),
        ({"BOTEQUIM_PUBLIC_URL": ""}, "BOTEQUIM_PUBLIC_URL"),
    ],
)
def test_a_provider_that_cannot_work(changed: dict[str, str], field: str) -> None:
    public = {"BOTEQUIM_PUBLIC_URL": "https://bar.example"}
    with pytest.raises(InvalidSetting) as caught:
        Settings.from_environment({**URL, **OIDC, **public, **changed})
    assert caught.value.field == field
    assert "hush" not in str(caught.value)


def test_a_provider_is_named_after_its_host_and_may_be_on_this_machine() -> None:
    given = {**OIDC, "BOTEQUIM_PUBLIC_URL": "https://bar.example"}
    provider = Settings.from_environment({**URL, **given}).http.provider
    assert provider is not None
    assert provider.name == "school.example"
    local = {**given, "BOTEQUIM_OIDC_ISSUER": "http://127.0.0.1:8080", "BOTEQUIM_OIDC_CLIENT_SECRET": ""}
    assert Settings.from_environment({**URL, **local}).http.provider is not None
