"""docker-compose.yml, Dockerfile and .dockerignore: valid, and true to what the documentation promises."""

from __future__ import annotations

import json
import re
import shlex
from itertools import pairwise

import jsonschema
import pytest

from arena.accounts.default_limits import Quotas
from tests.deploy.files import (
    PASSWORD,
    compose,
    copied,
    health_command,
    instructions,
    interpolated,
    is_sent,
    last_stage,
    services,
)
from tests.service import ROOT

OURS = ("api", "worker", "live", "checks", "scheduler", "webhooks", "archiver")


def test_it_is_valid_by_the_schema_of_compose() -> None:
    schema = json.loads((ROOT / "tests/vendor/compose-spec.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    assert [error.message for error in validator.iter_errors(compose())] == []
    # The validator notices what is wrong.
    assert not validator.is_valid({"services": {"api": {"comand": "x"}}})


@pytest.mark.parametrize("name", OURS)
def test_ours_run_in_several_copies(name: str) -> None:
    service = services()[name]
    assert service["deploy"]["replicas"] >= 2
    # A name or a port of the host can belong to one copy only.
    assert "container_name" not in service
    assert "ports" not in service


def test_only_the_proxy_is_reached_from_outside() -> None:
    found = services()
    assert [name for name, service in found.items() if "ports" in service] == ["proxy"]
    assert found["proxy"]["ports"][0] == "8000:8000"
    assert services({"BOTEQUIM_PORT": "9000"})["proxy"]["ports"][0] == "9000:8000"
    site = "./deploy/Caddyfile:/etc/caddy/Caddyfile:ro"
    assert site in found["proxy"]["volumes"]
    assert (ROOT / "deploy/Caddyfile").is_file()


@pytest.mark.parametrize("name", [*OURS, "redis", "proxy"])
def test_all_run_without_rights_and_with_limits(name: str) -> None:
    service = services()[name]
    assert service["cap_drop"] == ["ALL"]
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"] is True
    assert "privileged" not in service
    assert service["pids_limit"] <= 1000
    # A host with one core refuses more.
    assert service["cpus"] <= 1
    assert size(service["mem_limit"]) <= 4 << 30


def test_live_workers_and_the_api_come_before_other_workers() -> None:
    shares = {name: services()[name].get("cpu_shares", 1024) for name in OURS}
    assert {name for name, share in shares.items() if share < 1024} == {"worker", "checks", "archiver"}


def size(text: str) -> int:
    """Bytes of ``2gb``, ``512m`` and so on."""
    number, unit = re.fullmatch(r"(\d+)([mg])b?", text).groups()  # type: ignore[union-attr]
    return int(number) << {"m": 20, "g": 30}[unit]


def test_the_database_can_be_reached_with_its_password_by_ours_only() -> None:
    found = services()
    networks = {name: set(service["networks"]) for name, service in found.items()}
    assert networks == {
        "redis": {"back"},
        "worker": {"back"},
        "live": {"back"},
        "checks": {"back"},
        "scheduler": {"back"},
        "api": {"front", "back"},
        "webhooks": {"back", "out"},
        "archiver": {"back", "store"},
        "proxy": {"front"},
    }
    declared = compose()["networks"]
    assert [name for name, network in declared.items() if (network or {}).get("internal")] == ["back"]
    assert f"--requirepass {PASSWORD}" in found["redis"]["command"]
    assert found["redis"]["environment"]["REDISCLI_AUTH"] == PASSWORD
    assert {found[name]["environment"]["REDIS_URL"] for name in OURS} == {f"redis://:{PASSWORD}@redis:6379/0"}
    # There is no password by default: without one, compose says so and starts nothing.
    assert "${BOTEQUIM_REDIS_PASSWORD:?" in compose()["services"]["redis"]["command"]


@pytest.mark.parametrize("name", OURS)
def test_ours_run_as_the_user_of_the_image(name: str) -> None:
    assert "user" not in services()[name]
    user, _, group = last_stage()["USER"].partition(":")
    assert int(user) > 0
    assert int(group) > 0


def test_every_part_has_a_health_check() -> None:
    found = services()
    assert found["redis"]["healthcheck"]["test"] == ["CMD-SHELL", "valkey-cli ping | grep -q PONG"]
    assert "healthcheck" not in found["api"]
    assert "/readyz" in health_command()[-1]
    assert found["worker"]["healthcheck"]["test"] == ["CMD", "python", "-m", "workers", "--check"]
    for name in ("live", "checks", "scheduler", "webhooks", "archiver"):
        assert found[name]["healthcheck"]["test"] == ["CMD", "python", "-m", "workers", "--check", name]
    for name in OURS:
        assert found[name]["depends_on"]["redis"] == {"condition": "service_healthy"}
    assert found["proxy"]["depends_on"] == {"api": {"condition": "service_healthy"}}


def test_the_database_keeps_what_it_is_told() -> None:
    redis = services()["redis"]
    words = shlex.split(redis["command"])
    options = {name: value for name, value in pairwise(words) if name.startswith("--")}
    assert options["--appendonly"] == "yes"
    assert options["--appendfsync"] == "everysec"
    assert options["--maxmemory-policy"] == "noeviction"
    # Rewriting the file needs room beside the data, and the uploads are only a part of them.
    assert size(options["--maxmemory"]) * 2 <= size(redis["mem_limit"])
    assert Quotas().service.bytes * 2 <= size(options["--maxmemory"])
    assert redis["user"] == "valkey"
    assert redis["volumes"] == ["data:/data"]
    assert "data" in compose()["volumes"]


def test_only_the_archiver_writes_to_the_archive() -> None:
    found = services()
    place = found["archiver"]["environment"]["BOTEQUIM_ARCHIVE"]
    mounts = {name: service.get("volumes", []) for name, service in found.items()}
    assert mounts["archiver"] == [f"archive:{place}"]
    assert mounts["api"] == [f"archive:{place}:ro"]
    assert found["api"]["environment"]["BOTEQUIM_ARCHIVE"] == place
    assert "archive" in compose()["volumes"]
    # The image makes the folder, so that the volume belongs to its user.
    assert any(rest.startswith("install") and place in rest.split() for _, rest in instructions())
    # What runs the bots of strangers, or talks to their hosts, gets neither the archive nor credentials.
    for name in ("worker", "live", "checks", "scheduler", "webhooks", "proxy", "redis"):
        assert not [volume for volume in mounts[name] if volume.startswith("archive:")]
        assert not [
            key for key in found[name].get("environment", ()) if key.startswith(("BOTEQUIM_ARCHIVE", "AWS_"))
        ]


def test_everything_starts_again_by_itself() -> None:
    assert {service["restart"] for service in services().values()} == {"unless-stopped"}


def test_every_variable_is_explained() -> None:
    page = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"`([A-Z_]+)`", "".join(line for line in page.splitlines() if line[:3] == "| `")))
    given = {name for service in OURS for name in services()[service]["environment"]}
    assert given <= rows
    assert interpolated() <= set(re.findall(r"`([A-Z_]+)`", page))
    caddyfile = (ROOT / "deploy/Caddyfile").read_text(encoding="utf-8")
    assert set(re.findall(r"\{\$(\w+)", caddyfile)) == services()["proxy"]["environment"].keys()


def test_what_is_copied_is_there_and_reaches_the_builder() -> None:
    assert len(copied()) > 5
    for source, _ in copied():
        path = ROOT / source
        assert path.exists(), source
        files = [path] if path.is_file() else [inner for inner in path.rglob("*") if inner.is_file()]
        sources = [file for file in files if "__pycache__" not in file.parts and file.suffix != ".so"]
        assert sources
        assert [file for file in sources if not is_sent(file.relative_to(ROOT).as_posix())] == []


@pytest.mark.parametrize(
    "path",
    [
        ".git/config",
        ".env",
        "tests/service.py",
        "botequim-data/store.sock",
        "arena/__pycache__/text.cpython-312.pyc",
        "arena/games/truco.cpython-311-x86_64-linux-gnu.so",
    ],
)
def test_nothing_else_reaches_the_builder(path: str) -> None:
    assert not is_sent(path)


def test_the_image_ends_with_the_installed_package_alone() -> None:
    names = [name for name, _ in instructions()]
    last = names[len(names) - names[::-1].index("FROM") - 1 :]
    copies = [rest for name, rest in instructions()[-len(last) :] if name == "COPY"]
    assert copies == ["--from=build /opt/botequim /opt/botequim"]
