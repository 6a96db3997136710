"""Real databases for the tests: one server and one cluster of three nodes per session."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import redis

from arena.live.service import LiveGames
from arena.store.embedded import find_server
from tests.conftest import register, renew
from tests.live.archived import MakeArena
from tests.live.arenas import Arena
from tests.live.playing import open_games
from tests.ports import free_port
from tests.waiting import PATIENCE, wait_until

FOLDER = Path(__file__).parent


class Server:
    """A database server of its own, on a unix socket or a TCP port, in a folder of its own."""

    def __init__(
        self, folder: Path, *options: str, port: int = 0, append_only: bool = False, fsync: str = "everysec"
    ) -> None:
        self.folder = folder
        self.port = port
        self.socket = folder / "s"
        self._arguments = [
            str(find_server()),
            *("--port", str(port), "--dir", str(folder), "--save", "", "--loglevel", "warning"),
            *("--bind", "127.0.0.1", "--unixsocket", str(self.socket)),
            *("--appendonly", "yes" if append_only else "no", "--appendfsync", fsync),
            *options,
        ]
        self.start()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    def start(self) -> None:
        self.process = subprocess.Popen(self._arguments, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if self.client().ping():
                    return
            except redis.RedisError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    self.stop()
                    raise
                time.sleep(0.01)

    def client(self) -> redis.Redis:
        return redis.Redis(unix_socket_path=str(self.socket), decode_responses=True)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("db"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster of three nodes without replicas."""
    with ExitStack() as stack:
        nodes = []
        for index in range(3):
            nodes.append(stack.enter_context(_node(tmp_path_factory.mktemp(f"node{index}"))))
        for index, node in enumerate(nodes):
            first, last = 16384 * index // 3, 16384 * (index + 1) // 3 - 1
            node.client().execute_command("CLUSTER ADDSLOTSRANGE", first, last)
            node.client().execute_command("CLUSTER SET-CONFIG-EPOCH", index + 1)
        for node in nodes[1:]:
            node.client().execute_command("CLUSTER MEET", "127.0.0.1", nodes[0].port)
        wait_until(lambda: all(_agrees(node) for node in nodes))
        yield f"redis+cluster://127.0.0.1:{nodes[0].port}"


def _node(folder: Path) -> Server:
    options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "5000")
    return Server(folder, *options, port=free_port())


def _agrees(node: Server) -> bool:
    info = node.client().execute_command("CLUSTER INFO")
    return bool(info["cluster_state"] == "ok" and info["cluster_known_nodes"] == "3")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == FOLDER and "[cluster" in item.name:
            by_day = item.path.name in ("test_games.py", "test_store.py")
            item.add_marker(pytest.mark.system if by_day else pytest.mark.nightly("cluster"))


MakeGames = Callable[..., LiveGames]


@pytest.fixture(params=["single", "cluster"])
def url(request: pytest.FixtureRequest) -> str:
    """Each kind of store in turn, with the database of a new service."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def cluster_url(cluster: str) -> str:
    """The cluster, with the database of a new service."""
    client = redis.RedisCluster.from_url(cluster.replace("redis+cluster", "redis"))
    client.flushall(target_nodes=redis.RedisCluster.PRIMARIES)
    client.close()
    register(cluster)
    return cluster


@pytest.fixture
def single_url(server: Server) -> str:
    """The single server, with the database of a new service."""
    renew(server.url)
    return server.url


@pytest.fixture
def make_games(url: str) -> Iterator[MakeGames]:
    """Makes :class:`LiveGames` as another process would have them."""
    made: list[LiveGames] = []

    def make(**options: object) -> LiveGames:
        made.append(open_games(url, **options))
        return made[-1]

    yield make
    for games in made:
        games.close()


@pytest.fixture
def games(make_games: MakeGames) -> LiveGames:
    return make_games()


@pytest.fixture
def make_arena(url: str, tmp_path: Path) -> Iterator[MakeArena]:
    """Makes arenas as other processes would have them, with the archive in ``archive``."""
    made: list[Arena] = []

    def make(archive: str = str(tmp_path / "archive"), **options: Any) -> Arena:
        made.append(Arena(url, archive=archive, **options))
        return made[-1]

    yield make
    for one in made:
        one.live.close()


@pytest.fixture
def arena(url: str) -> Iterator[Arena]:
    opened = Arena(url)
    yield opened
    opened.live.close()
