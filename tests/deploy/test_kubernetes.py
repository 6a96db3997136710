"""deploy/kubernetes: valid by the schemas, and the same services as docker-compose.yml."""

from __future__ import annotations

import re
import shlex
from typing import Any

import kubernetes_validate
import pytest
import yaml

from tests.deploy.files import PASSWORD, services
from tests.service import ROOT

VERSION = "1.33"
FOLDER = ROOT / "deploy" / "kubernetes"
OURS = ("api", "worker", "live", "checks", "scheduler", "webhooks", "archiver")

MANIFESTS: list[dict[str, Any]] = [
    manifest
    for path in sorted(FOLDER.glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text(encoding="utf-8"))
]


def one(kind: str, name: str) -> dict[str, Any]:
    (found,) = (it for it in MANIFESTS if (it["kind"], it["metadata"]["name"]) == (kind, name))
    return found


def pod(name: str) -> dict[str, Any]:
    kind = "StatefulSet" if name == "redis" else "Deployment"
    found: dict[str, Any] = one(kind, name)["spec"]["template"]["spec"]
    return found


def containers(name: str) -> list[dict[str, Any]]:
    return [*pod(name).get("initContainers", []), *pod(name)["containers"]]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda it: f"{it['kind']}-{it['metadata']['name']}")
def test_it_is_valid_by_the_schemas_of_kubernetes(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, VERSION, strict=True)
    # The validator notices what is wrong.
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**manifest, "metadata": {"nme": "x"}}, VERSION, strict=True)


def test_every_file_says_that_it_has_not_been_run() -> None:
    files = list(FOLDER.iterdir())
    assert len(files) > 5
    assert all("has not been run on a cluster" in path.read_text().splitlines()[0] for path in files)


@pytest.mark.parametrize("kind", ["live", "checks"])
def test_workers_differ_only_in_their_kind(kind: str) -> None:
    """A manifest cannot include another one, so a change of one must be made in all three. Live workers also
    have another weight.
    """
    worker = (FOLDER / "worker.yaml").read_text()
    if kind == "live":
        worker = re.sub("            # A tenth of .*\n(.*cpu: )50m", r"\g<1>500m", worker)
    expected = re.sub(r"\bworker\b", kind, worker).replace("workers]", f"workers, --{kind}]")
    assert (FOLDER / f"{kind}.yaml").read_text() == expected


def test_live_tables_come_first() -> None:
    """Nice values do not count between containers."""

    def weight(name: str) -> int:
        (container,) = pod(name)["containers"]
        return int(container["resources"]["requests"]["cpu"].removesuffix("m"))

    assert {weight(name) for name in ("api", "live")} == {500}
    assert {weight(name) for name in ("worker", "checks", "archiver")} == {50}


@pytest.mark.parametrize("name", OURS)
def test_each_service_is_that_of_compose(name: str) -> None:
    (container,) = pod(name)["containers"]
    compose = services()[name]
    assert " ".join(container["args"]) == compose["command"]
    assert one("Deployment", name)["spec"]["replicas"] == compose["deploy"]["replicas"]
    given = {entry["name"] for entry in container["env"]}
    assert "REDIS_URL" in given
    archive = {name for name in given if name.startswith(("BOTEQUIM_ARCHIVE", "AWS_"))}
    assert given - {"REDIS_PASSWORD"} - archive <= compose["environment"].keys()
    # Only they have the archive and its credentials.
    assert bool(archive) == ("BOTEQUIM_ARCHIVE" in compose["environment"]) == (name in ("api", "archiver"))


def test_the_database_is_that_of_compose() -> None:
    (container,) = pod("redis")["containers"]
    program, *options = shlex.split(services()["redis"]["command"])
    assert container["command"] == [program]
    assert [word.replace("$(REDISCLI_AUTH)", PASSWORD) for word in container["args"]] == options
    assert container["image"] == services()["redis"]["image"]


@pytest.mark.parametrize("name", [*OURS, "redis"])
def test_all_run_without_rights_and_with_limits(name: str) -> None:
    assert pod(name)["automountServiceAccountToken"] is False
    security = pod(name)["securityContext"]
    assert security["runAsNonRoot"] is True
    assert security["runAsUser"] > 0
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in containers(name):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["limits"].keys() == {"cpu", "memory"}
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}


@pytest.mark.parametrize("name", [*OURS, "redis"])
def test_all_have_probes(name: str) -> None:
    (container,) = pod(name)["containers"]
    assert "startupProbe" in container
    if name == "api":
        assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
        assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    elif name == "redis":
        assert "livenessProbe" not in container, "a database that is loading is not to be killed"
    else:
        command = ["python", "-m", "workers", "--check", name]
        assert container["livenessProbe"]["exec"]["command"] == command


def test_secrets_are_given_by_reference() -> None:
    keys = one("Secret", "botequim")["stringData"]
    assert set(keys.values()) == {""}
    for name in (*OURS, "redis"):
        for container in containers(name):
            for entry in container.get("env", []):
                if re.search("PASSWORD|TOKEN|AUTH|_KEY", entry["name"]):
                    reference = entry["valueFrom"]["secretKeyRef"]
                    assert (reference["name"], reference["key"] in keys) == ("botequim", True)
                elif "@" in entry.get("value", ""):
                    assert "$(REDIS_PASSWORD)@" in entry["value"]


def test_only_the_api_is_reached_and_workers_do_not_get_out() -> None:
    policies = {it["metadata"]["name"]: it["spec"] for it in MANIFESTS if it["kind"] == "NetworkPolicy"}
    assert policies["nothing"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    out = [
        spec["podSelector"]
        for spec in policies.values()
        for rule in spec.get("egress", [])
        if any("ipBlock" in peer for peer in rule["to"])
    ]
    assert [selector["matchExpressions"][0]["values"] for selector in out] == [
        ["api", "webhooks", "archiver"]
    ]
    reached = {name for name, spec in policies.items() if spec.get("ingress")}
    assert reached == {"api", "redis"}
    assert policies["redis"]["ingress"][0]["from"] == [{"podSelector": {"matchLabels": {"app": "botequim"}}}]
