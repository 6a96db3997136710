"""``botequim login``, ``logout`` and ``whoami``, and what goes before a profile."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path

import pytest

from tests.api.server import ADMIN_TOKEN, Server
from tests.cli.conftest import Owner, Terminal


def log_in(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, token: str, *arguments: str) -> str:
    """Log in with a token on standard input."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(token + "\n"))
    return terminal("login", *arguments)


def test_a_profile_is_used_by_the_commands_to_come(
    service: Server, config: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = service.client().sign_up("profiled")
    said = log_in(terminal, monkeypatch, token, "--url", service.url)
    assert said == f"profile default: owner profiled at {service.url}, in {config}\n"
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    assert stat.S_IMODE(config.parent.stat().st_mode) == 0o700
    assert terminal.json("whoami")["name"] == "profiled"
    assert "owner profiled" in terminal("whoami")
    bot = terminal("bot", "register", "profiled-bot").strip()
    log_in(terminal, monkeypatch, bot, "--url", service.url, "--profile", "bot")
    me = terminal.json("whoami", "--profile", "bot")
    assert (me["scope"], me["name"], me["profiles"]) == ("bot", "profiled-bot", ["default", "bot"])
    monkeypatch.setenv("BOTEQUIM_PROFILE", "bot")
    assert terminal.json("whoami")["name"] == "profiled-bot"
    monkeypatch.delenv("BOTEQUIM_PROFILE")
    assert "removed profile bot" in terminal("logout", "--profile", "bot")
    assert terminal.json("whoami")["profiles"] == ["default"]
    terminal("logout")
    assert "run 'botequim login'" in terminal.error("whoami")


def test_the_environment_goes_before_a_profile(
    service: Server, owner: Owner, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BOTEQUIM_URL")
    monkeypatch.delenv("BOTEQUIM_TOKEN")
    log_in(terminal, monkeypatch, owner.token, "--url", service.url)
    other = service.client().sign_up(f"{owner.name}-too")
    monkeypatch.setenv("BOTEQUIM_TOKEN", other)
    assert terminal.json("whoami")["name"] == f"{owner.name}-too"
    assert terminal.errors == ""
    assert terminal.json("whoami", "--profile", "default")["name"] == f"{owner.name}-too"
    assert terminal.errors == "botequim: BOTEQUIM_TOKEN is set and takes precedence over profile 'default'\n"
    assert terminal.json("whoami", "--token", owner.token)["name"] == owner.name


def test_the_token_of_a_profile_goes_to_its_service_only(
    service: Server, owner: Owner, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BOTEQUIM_TOKEN")
    log_in(terminal, monkeypatch, owner.token, "--url", service.url)
    error = terminal.error("whoami", "--url", "http://127.0.0.1:9")
    assert f"the one in profile 'default' is for {service.url}" in error


def test_the_admin_of_the_service(
    service: Server, config: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = log_in(terminal, monkeypatch, ADMIN_TOKEN, "--url", service.url)
    assert "the admin of the service" in said
    assert terminal("admin", "health") == "alive: ok\nready: ok\n"


def test_a_wrong_token_is_not_stored(
    service: Server, config: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    for token in ("btq_o_nobody_xxxx", "btq_b_nobody_xxxx"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(token))
        assert "the token is not valid" in terminal.error("login", "--url", service.url)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert "no token on standard input" in terminal.error("login", "--url", service.url)
    assert not config.exists()


def test_the_file_of_others_stays(
    service: Server, owner: Owner, config: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.parent.mkdir(parents=True)
    config.write_text("[mine]\nurl = http://127.0.0.1:1\ntoken = 100%%\ncolour = green\n")
    config.chmod(0o644)
    log_in(terminal, monkeypatch, owner.token)
    assert "colour = green" in config.read_text()
    assert "token = 100%%" in config.read_text()
    assert stat.S_IMODE(config.stat().st_mode) == 0o600
    monkeypatch.delenv("BOTEQUIM_TOKEN")
    config.chmod(0o644)
    terminal("whoami")
    assert "other users can read" in terminal.errors


def test_mistakes_with_profiles(config: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    error = terminal.error("whoami", "--profile", "ana")
    assert error.startswith(f"there is no profile 'ana' in {config}")
    assert "'botequim login --profile ana' first" in error
    config.parent.mkdir(parents=True)
    config.write_text("[anna]\nurl = http://127.0.0.1:1\ntoken = t\n")
    assert "did you mean 'anna'?" in terminal.error("whoami", "--profile", "ana")
    assert "there is no profile 'ana'" in terminal.error("logout", "--profile", "ana")
    config.write_text("url = x\n")
    assert f"{config}: the file cannot be read" in terminal.error("tournament", "list")
    config.write_text("[default]\nurl = http://127.0.0.1:1\n")
    assert "profile 'default' has no token" in terminal.error("tournament", "list")
    os.remove(config)
    monkeypatch.setattr(sys, "stdin", io.StringIO("t"))
    assert terminal.error("login", "--url", "ftp://x").startswith("'ftp://x' is not a valid service URL")


@pytest.mark.parametrize(
    "url",
    ["http://a b", "http://a\x7f", "http://x/\N{LATIN SMALL LETTER U WITH DIAERESIS}", "file:///etc/passwd"],
)
def test_the_url_of_a_profile_is_none(url: str, config: Path, terminal: Terminal) -> None:
    config.parent.mkdir(parents=True)
    config.write_text(f"[default]\nurl = {url}\ntoken = t\n")
    config.chmod(0o600)
    assert "is not a valid service URL" in terminal.error("tournament", "list")
