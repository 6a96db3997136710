"""Game records: writing, hashing and reading them. The format is documented in ``docs/records.md``."""

from __future__ import annotations

import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, NoReturn, TypedDict, cast

import fastjsonschema

from arena.errors import ArenaError
from arena.games.options import RuleValue
from arena.inputs.files import BOM, in_utf_8
from arena.inputs.reading import MOST_VALUES, has_too_many_values
from arena.play.dealing import commitment
from arena.play.outcomes import StoredOutcome
from arena.play.table import Table
from arena.text import printable

RECORD_VERSION: Final = 1
DETAIL_LIMIT: Final = 200
"""The number of characters of a fault's detail that a record keeps."""

MAX_RECORD_BYTES: Final = 16 << 20
"""The maximum length of a line, so that it cannot exhaust memory. The longest games take a few megabytes."""

_MOST_EXPANSION: Final = 100
"""How many times its size a gzipped file can contain, beyond one record. Records take a tenth as gzip."""

_MOST_EMPTY: Final = 1 << 20
"""The maximum size of all empty lines of a file: compressed, they take next to no space."""

GZIP_MAGIC: Final = b"\x1f\x8b"


class RecordedPlayer(TypedDict):
    """The player at a seat."""

    name: str
    version: str


class RecordedGroup(TypedDict):
    """The place of a game in its group."""

    id: str
    attempt: int
    index: int
    size: int
    mirrored: bool


class RecordedFault(TypedDict):
    """A fault, and the number of actions before it."""

    seat: int
    type: str
    after: int


class RecordedResignation(TypedDict):
    """A resignation, and the number of actions before it."""

    seat: int
    after: int


class Canonical(TypedDict):
    """The hashed part of a record. Each entry of ``actions`` contains the seat, the action and, if the table
    chose it, its mark.
    """

    v: int
    game: str
    kind: str
    rules_version: int
    rules: dict[str, RuleValue]
    players: list[RecordedPlayer]
    seed: str
    nonces: list[str]
    commitment: str
    group: RecordedGroup | None
    actions: list[list[Any]]
    faults: list[RecordedFault]
    resigned: list[RecordedResignation]
    outcome: StoredOutcome


class Record(TypedDict):
    """A record. ``info`` contains the values that are not hashed."""

    canonical: Canonical
    hash: str
    info: dict[str, Any]


class InvalidRecord(ArenaError):
    """The JSON is not a record of this format; ``field`` is the location of the error."""

    code = "invalid_record"


class UnreadableRecord(ArenaError):
    """The text is not JSON, or a file cannot be read."""

    code = "unreadable_record"


@cache
def record_schema() -> dict[str, Any]:
    """Return the JSON Schema of a record (draft 7)."""
    text = files("arena.records").joinpath("record-v1.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def _validator() -> Callable[[Any], Any]:
    return fastjsonschema.compile(record_schema())


@cache
def _is_label() -> Callable[[str], re.Match[str] | None]:
    pattern: str = record_schema()["definitions"]["label"]["pattern"]
    return re.compile(pattern.replace("$", r"\Z")).match


def canonical_bytes(canonical: Mapping[str, object]) -> bytes:
    """Return the canonical JSON form: sorted keys, no white space, UTF-8 without unnecessary escapes."""
    return json.dumps(canonical, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def canonical_hash(canonical: Mapping[str, object]) -> str:
    """Return the hash of a record: the SHA-256 of its canonical part as canonical JSON, in hexadecimal."""
    return sha256(canonical_bytes(canonical)).hexdigest()


def build_record(
    table: Table,
    *,
    players: Sequence[tuple[str, str]],
    actions: Iterable[tuple[int, str, str | None]] | None = None,
    group: Mapping[str, Any] | None = None,
    info: Mapping[str, object] | None = None,
) -> Record:
    """Build the record of the finished game at ``table``.

    ``players`` contains the name and version for each seat. ``actions`` is the complete log as ``(seat,
    action, mark)``, required if the table was restored during the game. ``group`` contains ``id``, ``index``,
    ``size``, ``mirrored`` and, if it is not 0, ``attempt``. ``info`` contains values that are not hashed.

    Raises :class:`InvalidRecord` if the game is not over or an argument is inconsistent with it.
    """
    outcome = table.outcome()
    if outcome is None:
        raise InvalidRecord(f"game {table.game_id} is not over", field="outcome")
    if len(players) != table.size:
        raise InvalidRecord(
            f"the game has {table.size} seats, but {len(players)} players were given",
            field="players",
            expected=f"{table.size} players",
        )
    logged = list(table.actions if actions is None else actions)
    if len(logged) != table.logged:
        raise InvalidRecord(
            f"the game has {table.logged} logged actions, but {len(logged)} were given",
            field="actions",
            expected="the complete log",
        )
    place: Any = None if group is None else {"attempt": 0, **group}
    canonical: Canonical = {
        "v": RECORD_VERSION,
        "game": table.game_id,
        "kind": table.game.kind,
        "rules_version": table.game.version,
        "rules": dict(table.rules),
        "players": [_player(seat, *player) for seat, player in enumerate(players)],
        "seed": table.seed.hex(),
        "nonces": list(table.nonces),
        "commitment": commitment(table.seed),
        "group": place,
        "actions": [
            [seat, action] if mark is None else [seat, action, mark] for seat, action, mark in logged
        ],
        "faults": [{"seat": f.seat, "type": f.type, "after": f.after} for f in table.faults],
        "resigned": [{"seat": seat, "after": after} for seat, after in table.resigned],
        "outcome": outcome.as_json(),
    }
    unhashed = dict(info or {})
    if any(fault.detail for fault in table.faults):
        unhashed["fault_details"] = [printable(fault.detail, DETAIL_LIMIT) for fault in table.faults]
    return {"canonical": canonical, "hash": canonical_hash(canonical), "info": unhashed}


def _player(seat: int, name: str, version: str) -> RecordedPlayer:
    for field, text in (("name", name), ("version", version)):
        if not _is_label()(text):
            raise InvalidRecord(
                f"invalid player {field} {printable(text, 80)!r}",
                field=f"players[{seat}].{field}",
                expected="1 to 64 characters on one line",
            )
    return {"name": name, "version": version}


def seat_flags(record: Record, name: str) -> list[bool]:
    """Return the flag of each seat that ``info`` contains under a name, such as ``people``; False for all
    seats if it is absent. Raises :class:`InvalidRecord`: ``info`` can contain anything.
    """
    seats = len(record["canonical"]["players"])
    flags = record["info"].get(name, [False] * seats)
    if not isinstance(flags, list) or len(flags) != seats or not all(type(flag) is bool for flag in flags):
        raise InvalidRecord(
            f"game {record['canonical']['game']} has an invalid list of {name}",
            field=f"info.{name}",
            expected=f"{seats} values, true or false, one per seat",
        )
    return flags


def dumps(record: Mapping[str, object]) -> str:
    """Return ``record`` as one line of JSON, without a line end."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def check_structure(record: object) -> Record:
    """Return ``record`` if its structure matches the schema of records. Raises :class:`InvalidRecord`.

    Whether numbers and actions make sense is checked by :func:`arena.records.verify.verify`.
    """
    try:
        checked: Record = _validator()(record)
    except fastjsonschema.JsonSchemaValueException as error:
        where = (error.name or "data").removeprefix("data").lstrip(".")
        what = error.message.removeprefix(error.name or "data").strip()
        raise InvalidRecord(
            f"not a record: {printable(what, 200)}", field=printable(where, 80) or "the top"
        ) from None
    canonical = checked["canonical"]
    if _has_float(canonical):
        raise InvalidRecord(
            "not a record: it contains a number with a fraction or an exponent", field="canonical"
        )
    try:
        canonical_bytes({"players": canonical["players"], "rules": canonical["rules"]})
    except UnicodeEncodeError:
        raise InvalidRecord(
            "not a record: it contains text with an unpaired surrogate", field="canonical"
        ) from None
    return checked


def parse_record(text: bytes | str) -> Record:
    """Return the record in a JSON text after checking its structure.

    Raises :class:`UnreadableRecord` if the text is not JSON, and :class:`InvalidRecord` if it is not a
    record.
    """
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
        if has_too_many_values(decoded):
            raise UnreadableRecord(f"unreadable JSON: more than {MOST_VALUES} values")
        value = json.loads(decoded, object_pairs_hook=_object, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise UnreadableRecord(f"not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise UnreadableRecord(f"not JSON: {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError):
        raise UnreadableRecord(
            "unreadable JSON: a number has too many digits, or the nesting is too deep"
        ) from None
    return check_structure(value)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise InvalidRecord("not a record: an object has a duplicate key")
    return result


def _no_constant(name: str) -> NoReturn:
    raise InvalidRecord(f"not a record: {name} is not a JSON number")


def _has_float(value: Any) -> bool:
    """Return whether ``value`` contains a float: 1.0 satisfies the schema but is not canonical."""
    for item in value.values() if isinstance(value, dict) else value:
        kind = type(item)
        if kind is float or ((kind is list or kind is dict) and _has_float(item)):
            return True
    return False


class RecordText(NamedTuple):
    """The JSON text of one record in a file, and its location (``file:line``)."""

    where: str
    text: bytes


def source_name(path: str | Path) -> str:
    """Return the name of a file for use in messages."""
    return "standard input" if str(path) == "-" else printable(str(path))


def record_texts(path: str | Path) -> Iterator[RecordText]:
    """Yield the records of a file as texts. The file contains JSON lines or one JSON document, optionally
    gzipped.
    ``-`` means standard input. Empty lines and byte order marks are skipped. Raises
    :class:`UnreadableRecord`.
    """
    name = source_name(path)
    try:
        with ExitStack() as stack:
            source = sys.stdin.buffer if str(path) == "-" else stack.enter_context(open(path, "rb"))
            raw = cast(io.BufferedReader, source)
            if not raw.peek(2).startswith(GZIP_MAGIC):
                yield from _split(name, in_utf_8(raw))
                return
            packed = _Packed(raw)
            lines = stack.enter_context(gzip.GzipFile(fileobj=cast(IO[bytes], packed)))
            yield from _split(name, in_utf_8(lines), packed)
    except UnicodeDecodeError as error:
        raise UnreadableRecord(f"{name}: damaged UTF-16 at byte {error.start}") from None
    except (OSError, EOFError, zlib.error) as error:
        # gzip's own errors have no strerror.
        why = getattr(error, "strerror", None) or f"damaged gzip data ({error})"
        raise UnreadableRecord(f"cannot read {name}: {why}") from None


def load_records(path: str | Path) -> Iterator[Record]:
    """Yield the records of a file after checking their structure; for file formats, see :func:`record_texts`.

    Raises :class:`UnreadableRecord` or :class:`InvalidRecord`, with the file and line in the message.
    """
    for where, text in record_texts(path):
        try:
            yield parse_record(text)
        except (InvalidRecord, UnreadableRecord) as error:
            raise type(error)(
                f"{where}: {error.message}", field=error.field, expected=error.expected
            ) from None


class _Packed:
    """A gzipped file that counts the bytes that are read from it."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.size += len(data)
        return data


def _split(name: str, lines: io.BufferedIOBase, packed: _Packed | None = None) -> Iterator[RecordText]:
    number = empty = size = 0
    first = True
    while line := lines.readline(MAX_RECORD_BYTES + 1):
        number += 1
        start = number
        size += len(line)
        if packed is not None and size > MAX_RECORD_BYTES + _MOST_EXPANSION * packed.size:
            raise UnreadableRecord(
                f"{name}:{start}: the file contains more than {_MOST_EXPANSION} times its size",
                expected="records, which gzip packs to about a tenth",
            )
        # Files with byte order marks may have been concatenated.
        line = line.removeprefix(BOM)
        stripped = line.strip()
        if not stripped:
            empty += len(line)
            if empty > _MOST_EMPTY:
                raise UnreadableRecord(
                    f"{name}:{start}: more than {_MOST_EMPTY >> 20} MiB of empty lines",
                    expected="one record per line",
                )
            continue
        if first and not stripped.endswith(b"}"):
            # The file has one JSON document over several lines, such as a single record.
            line += lines.read(MAX_RECORD_BYTES + 1 - len(line))
        first = False
        if len(line) > MAX_RECORD_BYTES:
            raise UnreadableRecord(
                f"{name}:{start}: the record exceeds {MAX_RECORD_BYTES >> 20} MiB",
                expected="one record per line",
            )
        yield RecordText(f"{name}:{start}", line)
