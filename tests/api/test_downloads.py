"""``/download/``: the wheel, the starters, and the pages that name them; ``tests/packages`` installs it."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from flask import Flask

import api.wheel
from api.app import create_app
from api.downloads import STARTERS
from api.pages.downloads import program_address
from arena import __version__
from arena.ops.settings import HttpSettings, Settings
from tests.api.contract import ContractClient, contract_client
from tests.api.test_web_pages import read
from tests.service import ROOT

WHEEL = f"botequim-{__version__}-py3-none-any.whl"
ADDRESS = f"http://localhost/download/{WHEEL}"


def archive(client: ContractClient, path: str, host: str = "localhost") -> dict[str, bytes]:
    """The files of a zip file by name."""
    response = client.get(path, headers={"Host": host})
    assert response.status_code == 200
    with zipfile.ZipFile(io.BytesIO(response.data)) as opened:
        assert opened.testzip() is None
        return {name: opened.read(name) for name in opened.namelist()}


def test_the_wheel_is_complete_and_describes_itself(anybody: ContractClient) -> None:
    files = archive(anybody, f"/download/{WHEEL}")
    about = f"botequim-{__version__}.dist-info"
    assert {"METADATA", "WHEEL", "RECORD", "entry_points.txt"} <= {
        name.removeprefix(f"{about}/") for name in files
    }
    assert f"\nVersion: {__version__}\n" in files[f"{about}/METADATA"].decode()
    rows = list(csv.reader(io.StringIO(files[f"{about}/RECORD"].decode())))
    assert {row[0] for row in rows} == files.keys()
    for name, digest, size in rows:
        if name != f"{about}/RECORD":
            made = urlsafe_b64encode(sha256(files[name]).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={made}", str(len(files[name])))
    assert files["arena/__init__.py"] == (ROOT / "arena/__init__.py").read_bytes()
    assert files["api/manual/rules/toepen.md"] == (ROOT / "docs/rules/toepen.md").read_bytes()
    for some in ("api/templates/base.html", "arena/store/scripts/publish.lua", "arena/py.typed"):
        assert files[some] == (ROOT / some).read_bytes()


def test_the_wheel_has_nothing_that_is_no_part_of_the_package(
    anybody: ContractClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Files that lie in the tree of a developer are not for everybody."""
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    kept = ("arena/__init__.py", "arena/deep/er.py", "api/static/a/b.css", "queues/q.json", "docs/one.md")
    left = ("arena/.env", "arena/notes.txt", "arena/__pycache__/a.pyc", "arena/a.so", "other/x.py", "x.py")
    for name in (*kept, *left):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("token")
    monkeypatch.setattr("arena.__file__", str(tmp_path / "arena/__init__.py"))
    with zipfile.ZipFile(io.BytesIO(api.wheel.make_wheel())) as opened:
        names = {name for name in opened.namelist() if ".dist-info/" not in name}
    assert names == {*kept[:-1], "api/manual/one.md"}


@pytest.mark.parametrize("name", [WHEEL, "starters/python-truco.zip"])
def test_a_file_is_the_same_every_time(anybody: ContractClient, name: str, settings: Settings) -> None:
    first = anybody.get(f"/download/{name}")
    again = contract_client(create_app(settings)).get(f"/download/{name}")
    assert first.data == again.data
    etag = first.headers["ETag"]
    assert again.headers["ETag"] == etag
    known = anybody.get(f"/download/{name}", headers={"If-None-Match": etag})
    assert (known.status_code, known.data) == (304, b"")
    head = anybody.head(f"/download/{name}")
    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Length"] == str(len(first.data))


def test_the_wheel_is_made_once(app: Flask, anybody: ContractClient, monkeypatch: pytest.MonkeyPatch) -> None:
    anybody.get(f"/download/{WHEEL}")
    monkeypatch.setattr("api.downloads.make_wheel", lambda: pytest.fail("it is made again"))
    assert anybody.get(f"/download/{WHEEL}").status_code == 200
    assert anybody.get("/download/").status_code == 200


@pytest.mark.parametrize("name", STARTERS)
def test_a_starter_plays_at_this_service(anybody: ContractClient, name: str) -> None:
    files = archive(anybody, f"/download/starters/{name}", "bar.example:8000")
    assert all(path.startswith("my-bot/") for path in files)
    readme = files["my-bot/README.md"].decode()
    assert "export BOTEQUIM_URL=http://bar.example:8000\n" in readme
    assert not any(b"127.0.0.1" in content for content in files.values())
    here = archive(anybody, f"/download/starters/{name}")
    assert here.keys() == files.keys()
    assert "export BOTEQUIM_URL=http://localhost\n" in here["my-bot/README.md"].decode()


@pytest.mark.parametrize(
    "name",
    [
        *("botequim-0.0.1-py3-none-any.whl", "starters/cobol-truco.zip", "starters/", "starters/python.zip"),
        *("../app.py", "%2e%2e/app.py", "starters/../../pyproject.toml"),
    ],
)
def test_nothing_else_is_handed_out(anybody: ContractClient, name: str) -> None:
    assert anybody.get(f"/download/{name}").status_code == 404


def test_the_page_has_all_files_with_sizes(anybody: ContractClient) -> None:
    assert anybody.get("/download").headers["Location"].endswith("/download/")
    page = read(anybody, "/download/")
    files = {f"/download/{WHEEL}", *(f"/download/starters/{name}" for name in STARTERS), "/openapi.json"}
    assert files <= set(page.links)
    for link in files:
        assert anybody.get(link).status_code == 200
    assert len(re.findall(r'<span class="note">[\d.]+ [kM]B</span>', page.html)) == len(files)
    assert f"<code>pip install {ADDRESS}</code>" in page.html
    assert f"[server] @ {ADDRESS}" in page.html


@pytest.mark.parametrize("path", ["/bring", "/docs/five-minutes", "/docs/bots", "/llms.txt", "/SKILL.md"])
def test_pages_begin_with_a_command_that_works(anybody: ContractClient, path: str) -> None:
    text = anybody.get(path, headers={"Host": "bar.example:8000"}).text
    command = re.search(r"pip install (\S+?)[`<\n]", text)
    assert command
    assert command[1] == f"http://bar.example:8000/download/{WHEEL}"
    first = text.find("botequim signup")
    assert first == -1 or command.start() < first
    assert "http://127.0.0.1:8000" not in text


def test_pages_for_operators_stay_as_they_are(anybody: ContractClient) -> None:
    text = anybody.get("/docs/operating", headers={"Host": "bar.example"}).text
    assert "BOTEQUIM_URL=http://127.0.0.1:8000" in text


def test_the_public_address_counts(settings: Settings) -> None:
    http = HttpSettings(limits=settings.http.limits, public_url="https://bar.example/games")
    client = contract_client(create_app(Settings(settings.redis_url, http=http)))
    wanted = f"pip install https://bar.example/games/download/{WHEEL}"
    for path in ("/bring", "/docs/five-minutes", "/download/"):
        assert wanted in client.get(path, headers={"Host": "evil.test"}).text


def test_an_address_that_is_none_is_not_repeated(anybody: ContractClient) -> None:
    for path in ("/", "/bring", "/docs/five-minutes", "/download/", "/llms.txt"):
        assert "$(id)" not in anybody.get(path, headers={"Host": "evil.test$(id)"}).text


def test_without_an_installation_the_page_says_how(
    anybody: ContractClient, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("api.wheel._installation", lambda: None)
    with app.test_request_context():
        assert program_address() is None
    assert "<code>pip install .</code>" in read(anybody, "/download/").html
    assert "pip install ." in read(anybody, "/bring").html
    assert "pip install" not in anybody.get("/llms.txt").text
    assert anybody.get(f"/download/{WHEEL}").status_code == 404


def test_the_manual_names_the_file_of_this_version() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    found = [
        name for page in pages for name in re.findall(r"botequim-\d[\w.]*-py3\S*?\.whl", page.read_text())
    ]
    assert len(found) >= 3
    assert set(found) == {WHEEL}
