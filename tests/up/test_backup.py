"""``botequim backup`` and ``botequim restore`` on the data folder of a real service."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest

from arena.store.connection import connect
from arena.store.embedded import EmbeddedStore
from tests.service import Service, botequim, environment
from tests.waiting import PATIENCE, wait_until

pytestmark = pytest.mark.system


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """The exit code of the command, and what it printed."""
    command = botequim(*arguments)
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.nightly("kills")
def test_a_running_service_is_backed_up_and_restored(tmp_path: Path) -> None:
    with Service(tmp_path) as service:
        token = service.client().sign_up("olga")
        owner = service.client(token)
        game = owner.create_game("truco", [{"house": "random"}] * 4)["game"]
        record = owner.record(game, wait=True)
        wait_until(lambda: (service.data / "archive" / "archive.json").exists())
        code, said = run(tmp_path, "backup", "--to", "backup", "--data", str(service.data))
        assert code == 0, said
        assert " keys, " in said
        assert run(tmp_path, "restore", "--from", "backup", "--data", str(service.data)) == (
            2,
            f"botequim: error: the data folder {service.data} is in use by process {service.process.pid}; "
            "at --data; expected another folder; or stop that process first\n",
        )
    assert service.stop(signal.SIGTERM) == 0
    # Of a stopped service too.
    code, said = run(tmp_path, "backup", "--to", "second", "--data", str(service.data))
    assert code == 0, said
    code, said = run(tmp_path, "restore", "--from", "backup", "--data", str(service.data))
    assert code == 2
    assert "the database already holds data of the service " in said
    assert run(tmp_path, "backup", "--to", "third", "--data", str(tmp_path / "nowhere"))[0] == 2
    assert not (tmp_path / "nowhere").exists()

    for name in ("appendonlydir", "store.json"):
        path = service.data / name
        path.rename(tmp_path / f"lost-{name}")
    code, said = run(tmp_path, "restore", "--from", "backup", "--data", str(service.data))
    assert code == 0, said
    assert (
        "from the archive: 0 games and 0 groups that ended after the backup; 0 tournaments are lost" in said
    )
    with Service(tmp_path) as again:
        assert again.client(token).record(game) == record


def test_up_does_not_serve_a_database_that_is_half_restored(tmp_path: Path) -> None:
    with EmbeddedStore(tmp_path / "data") as store:
        connection = connect(store.url, ())
        connection.run([("HSET", "{arena}:store", "restoring", 1)])
        connection.close()
    service = Service(tmp_path)
    assert service.process.wait(PATIENCE) == 2
    assert service.stop() == 2
    assert service.said.startswith("botequim: error: a backup is being restored into the database")
