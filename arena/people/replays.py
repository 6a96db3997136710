"""Replay pages of the service: prepared once by a worker, on first demand, and kept in the cache of pages.

The process that asks for a page hands the record to the worker, which might have no access to the archive.
What surrounds the moves (:class:`~arena.replays.page.Frame`) is there at once; the sheets with the moves
follow.
"""

from __future__ import annotations

import time
import zlib
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from typing import Final, Protocol

import orjson

from arena.accounts.allowances import BudgetExceeded
from arena.accounts.payers import Payers
from arena.errors import ArenaError
from arena.play.time_limits import OutOfTime, processor_time_limit
from arena.records.record import Record, parse_record
from arena.replays.page import Frame, Luck, embedded_json, frame_of, game_html, page_script, static
from arena.replays.sheets import sheets, with_remarks
from arena.store.notifications import Notifier, page_topic
from arena.store.prepared import PreparedPages

PREPARE_SECONDS: Final = 60.0
"""The processor time that the preparation of one page may take. The longest live game takes about five."""

_BUSY_SECONDS: Final = 120
"""How long other workers leave a page to the one that has begun to prepare it."""

_PUT_BYTES: Final = 1 << 20
"""The approximate size of the sheets that are stored together."""


class ReplayJobs(Protocol):
    """Requests the job that prepares replay pages."""

    def prepare_replay(self, game_id: str, account: str) -> None:
        """Prepare a page when it is the turn of ``account``."""


@dataclass(frozen=True)
class Replay:
    """A replay page. ``players`` are the names in the record, and ``shown`` the names that the page shows
    instead. ``hands`` holds the first hand and the first move of each sheet, and is empty until the page is
    prepared. ``failed`` says why the moves cannot be shown, if they cannot.
    """

    frame: Frame
    players: Sequence[str]
    shown: Sequence[str]
    hands: Sequence[tuple[int, int]] = ()
    failed: str = ""


class Replays:
    """The replay pages. ``shown_name`` returns the displayed name of a bot, ``check_payer`` raises
    :class:`~arena.accounts.allowances.BudgetExceeded` if an account cannot pay now, and ``charge_to`` charges
    the running job to an account.
    """

    def __init__(
        self,
        pages: PreparedPages,
        notifier: Notifier,
        jobs: ReplayJobs,
        payers: Payers,
        shown_name: Callable[[str], str],
        check_payer: Callable[[str], None],
        charge_to: Callable[[str], None],
    ) -> None:
        self._pages = pages
        self._notifier = notifier
        self._jobs = jobs
        self._payers = payers
        self._shown_name = shown_name
        self._check_payer = check_payer
        self._charge_to = charge_to

    def find(self, game: str) -> Replay | None:
        """Return the page of a game, whether or not it is prepared, or None if nobody has asked for it or if
        it shows other names than it should now. The caller checks who may see the game.
        """
        frame, index = self._pages.parts(_page(game), ("frame", "index"))
        if frame is None:
            return None
        values = orjson.loads(frame)
        if values["version"] != _version() or self._names(values["players"]) != values["shown"]:
            return None
        found = Replay(Frame(**values["frame"]), values["players"], values["shown"])
        if index is None:
            return found
        made = orjson.loads(index)
        return Replay(found.frame, found.players, found.shown, made["hands"], made["failed"])

    def draft(self, line: bytes) -> Replay:
        """Return the page of a record without its moves."""
        record: Record = orjson.loads(line)
        players = [player["name"] for player in record["canonical"]["players"]]
        shown = self._names(players)
        source = f"{record['canonical']['game']}.json"
        return Replay(frame_of(_renamed(record, shown), source=source), players, shown)

    def request(self, game: str, line: bytes, draft: Replay, payer: str) -> None:
        """Request the preparation of a game's page, for which ``payer`` pays. Can be repeated. A job that
        prepares the page as it was requested before requests this one when it ends.

        Raises :class:`~arena.accounts.allowances.BudgetExceeded`.
        """
        self._check_payer(payer)
        row = {
            "version": _version(),
            "players": draft.players,
            "shown": draft.shown,
            "frame": asdict(draft.frame),
        }
        parts = {"frame": orjson.dumps(row), "record": zlib.compress(line, 1), "payer": payer.encode()}
        self._pages.put(_page(game), {**parts, "index": b""})
        self._jobs.prepare_replay(game, self._payers.in_charge(payer))

    def repeat(self, game: str) -> bool:
        """Request the job again, in case it was lost. Return False if the page must be requested anew."""
        record, payer = self._pages.parts(_page(game), ("record", "payer"))
        if record is None or payer is None:
            return False
        self._jobs.prepare_replay(game, self._payers.in_charge(payer.decode()))
        return True

    def wait(self, game: str, seconds: float) -> Replay | None:
        """Wait until the page is prepared, for at most ``seconds``, and return it as :meth:`find` does."""
        until = time.monotonic() + seconds
        with self._notifier.waiting(page_topic(_page(game))) as subscription:
            while True:
                found = self.find(game)
                left = until - time.monotonic()
                if found is None or found.hands or found.failed or left <= 0 or self._notifier.is_stopped:
                    return found
                subscription.wait(left)

    def html(self, game: str, replay: Replay, number: int, remarks: Mapping[int, str]) -> str | None:
        """Return the sheet ``number`` (from 0) of a prepared page as HTML, with remarks by the indexes of the
        actions in the record, or None if the cache has dropped it.
        """
        hand, _ = replay.hands[number]
        luck, sheet = self._pages.parts(_page(game), ("luck", _sheet(hand)))
        if luck is None or sheet is None:
            return None
        moves, data = orjson.loads(zlib.decompress(sheet))
        links = _links([hand for hand, _ in replay.hands], number)
        return game_html(replay.frame, with_remarks(moves, remarks), data, luck.decode(), links)

    def data(self, game: str, replay: Replay, number: int) -> str | None:
        """Return the data of the sheet ``number`` (from 0) of a prepared page for a script, or None if the
        cache has dropped it.
        """
        hand, _ = replay.hands[number]
        (sheet,) = self._pages.parts(_page(game), (_sheet(hand),))
        if sheet is None:
            return None
        _, data = orjson.loads(zlib.decompress(sheet))
        return str(data)

    # The job

    def prepare(self, game: str) -> None:
        """Prepare a page, unless that has been done. It is safe to do this twice. If the payer's budget was
        used up while the job waited, the request is forgotten, so that the page can be requested again. If
        the page was requested with other names meanwhile, the job deletes what it stored, and requests itself
        again.
        """
        frame, packed, payer, busy = self._pages.parts(_page(game), ("frame", "record", "payer", "busy"))
        now = time.time()
        if frame is None or packed is None or payer is None or float(busy or 0) > now:
            return
        own = {"frame": frame, "busy": str(now + _BUSY_SECONDS).encode()}
        if not self._pages.put(_page(game), own, where={"frame": frame, "busy": busy or b""}):
            return
        self._charge_to(payer.decode())
        try:
            self._check_payer(payer.decode())
        except BudgetExceeded:
            self._finish(game, own, {"frame": b""}, [])
            return
        record = _renamed(parse_record(zlib.decompress(packed)), orjson.loads(frame)["shown"])
        try:
            with processor_time_limit(PREPARE_SECONDS):
                hands = self._put_sheets(game, record, own)
            failed = ""
        except ArenaError as error:
            hands, failed = [], error.message
        except OutOfTime:
            hands, failed = [], "the game is too long to be shown move by move"
        index = orjson.dumps({"hands": hands, "failed": failed})
        self._finish(game, own, {"index": index}, hands)

    def _finish(
        self,
        game: str,
        own: Mapping[str, bytes],
        parts: Mapping[str, bytes],
        hands: Sequence[tuple[int, int]],
    ) -> None:
        """Store the last parts of the job that has the parts ``own``, or let the job of a newer request do
        it all.
        """
        page = _page(game)
        if self._pages.put(page, {**parts, "record": b"", "busy": b""}, where=own):
            self._pages.announce(page)
            return
        stored = dict.fromkeys(("luck", *(_sheet(hand) for hand, _ in hands)), b"")
        if self._pages.put(page, {**stored, "busy": b""}, where={"busy": own["busy"]}):
            self.repeat(game)

    def _put_sheets(self, game: str, record: Record, own: Mapping[str, bytes]) -> list[tuple[int, int]]:
        """Store the sheets as long as the page has the parts ``own``, and return the first hand and the first
        move of each.
        """
        luck = Luck(record)
        hands: list[tuple[int, int]] = []
        first_moves: dict[int, int] = {}
        parts: dict[str, bytes] = {}
        for sheet in sheets(record, f"{game}.json", luck.texts):
            hands.append(next(iter(sheet.first_moves.items())))
            first_moves |= sheet.first_moves
            shown = orjson.dumps((sheet.html, embedded_json(sheet.data)))
            parts[_sheet(hands[-1][0])] = zlib.compress(shown)
            if sum(map(len, parts.values())) > _PUT_BYTES:
                self._pages.put(_page(game), parts, where=own)
                parts = {}
        # A part without a value would be deleted.
        parts["luck"] = luck.section(first_moves).encode() or b" "
        self._pages.put(_page(game), parts, where=own)
        return hands

    def _names(self, players: Sequence[str]) -> list[str]:
        return [self._shown_name(name) for name in players]


def sheet_number(replay: Replay, hand: int | None, move: int | None) -> int:
    """Return the number of the sheet (from 0) that shows a hand or else a move, or the nearest one."""
    place, value = (0, hand) if hand is not None else (1, move or 1)
    found = bisect_right([one[place] for one in replay.hands], value or 1)
    return max(0, found - 1)


def _renamed(record: Record, names: Sequence[str]) -> Record:
    canonical = record["canonical"]
    players = [{**one, "name": name} for one, name in zip(canonical["players"], names, strict=True)]
    renamed: Record = {**record, "canonical": {**canonical, "players": players}}  # type: ignore[typeddict-item]
    return renamed


def _links(hands: Sequence[int], number: int) -> str:
    """Return the links to the other sheets, as HTML; nothing if there is only one."""
    if len(hands) == 1:
        return ""
    back = f'<a id="sheet-back" rel="prev" href="?hand={hands[number - 1]}">Hand back</a>' if number else ""
    more = number + 1 < len(hands)
    on = f'<a id="sheet-on" rel="next" href="?hand={hands[number + 1]}">Hand on</a>' if more else ""
    return (
        '<nav class="sheets" id="sheets" aria-label="Hands"><form method="get">'
        f'<label for="hand">Hand</label> <input id="hand" name="hand" type="number" min="{hands[0]}" '
        f'max="{hands[-1]}" value="{hands[number]}"> of {hands[-1]} '
        f"<button>Show</button> {back} {on}</form></nav>"
    )


@cache
def _version() -> str:
    """Return a text that changes when the template or the script of the page does."""
    return sha256((static("game.html") + page_script()).encode()).hexdigest()[:16]


def _page(game: str) -> str:
    return f"replay:{game}"


def _sheet(hand: int) -> str:
    return f"hand:{hand}"
