"""An archive in an S3-compatible store: moto's server in a process of its own, on loopback."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from arena.cli import run
from arena.records.archive.archive import PRIVATE, PUBLIC, Archive, ArchivePlace
from arena.records.archive.checking import check_archive
from arena.records.archive.objects import ArchiveUnavailable
from arena.records.archive.places import open_objects
from tests.archive.entries import add, end_of, group_entry, members_of
from tests.archive.s3_server import credentials, s3_server
from tests.ports import free_port

PLACE = "s3://bucket/some/archive"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """A running store with an empty bucket."""
    with s3_server() as url:
        yield url


@pytest.fixture(autouse=True)
def configured(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in credentials(endpoint).items():
        monkeypatch.setenv(name, value)


def test_objects_are_written_once(endpoint: str) -> None:
    objects = open_objects("s3://bucket/objects")
    assert objects.list("a") == {}
    assert objects.get("a/1") is None
    assert objects.put("a/1", b"0123456789")
    assert not objects.put("a/1", b"other")
    assert objects.put("a/2", b"")
    assert objects.get("a/1") == b"0123456789"
    assert objects.get("a/1", 2, 3) == b"234"
    assert objects.list("a") == {"a/1": 10, "a/2": 0}
    objects.replace("a/2", b"more")
    assert objects.get("a/2") == b"more"
    objects.delete("a/1")
    objects.delete("a/1")
    assert objects.list("a") == {"a/2": 4}


def test_an_archive(endpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    archive, other = Archive(open_objects(PLACE)), Archive(open_objects(PLACE))
    archive.claim("here")
    entries = [group_entry(number) for number in range(6)]
    add(archive, PUBLIC, *entries[:3])
    add(archive, PRIVATE, *entries[3:])
    other.claim("here")
    end = end_of(other, PUBLIC)
    add(other, PUBLIC, group_entry(7))
    assert archive.add(PUBLIC, end, [group_entry(8)]) is None, "another one was faster"
    assert [member.key for member in members_of(archive, PUBLIC)] == [
        entry.key for entry in (*entries[:3], group_entry(7))
    ]
    first, second = archive.segments(PUBLIC)
    data = (archive.objects.get(first.name) or b"") + (archive.objects.get(second.name) or b"")
    archive.objects.replace(first.name, data)
    assert archive.joined(PUBLIC) == [second.name]
    assert archive.read(ArchivePlace(PUBLIC, second.start, second.size), first.start) == data[second.start :]
    assert check_archive(archive).problems == []
    assert run(["archive", "check", PLACE]) == 0
    assert "all checked" in capsys.readouterr().out


def test_a_store_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is unavailable, not empty."""
    monkeypatch.setenv("AWS_ENDPOINT", f"http://127.0.0.1:{free_port()}")
    archive = Archive(open_objects("s3://bucket/away"))
    with pytest.raises(ArchiveUnavailable, match="s3://bucket/away cannot be used"):
        archive.service()


def test_the_api_goes_on_while_it_waits_for_the_store(endpoint: str) -> None:
    """Under gevent, another greenlet runs while a call waits."""
    program = """
from gevent import monkey; monkey.patch_all()
import gevent
from api.http.archive_threads import ThreadedStore
from arena.records.archive.places import open_objects
objects = ThreadedStore(open_objects("s3://bucket/threads"))
turns = []
other = gevent.spawn(lambda: [turns.append(gevent.sleep(0)) for _ in range(3)])
assert objects.put("a/1", b"0123456789") and not objects.put("a/1", b"other")
assert len(turns) == 3, turns
assert objects.get("a/1", 2, 3) == b"234" and objects.get("a/2") is None
assert objects.list("a") == {"a/1": 10}
objects.replace("a/1", b"x")
objects.delete("a/1")
assert objects.list("a") == {}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
