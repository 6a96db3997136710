"""Verifies that a record is consistent with its seed, its rules and its actions.

Nothing but the record is needed. ``docs/records.md`` lists the checks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, Final, NamedTuple

from arena.errors import ArenaError, IllegalAction
from arena.games import game_of
from arena.games.descriptor import Game
from arena.games.kernel import CHANCE, Chance, State
from arena.games.options import Rules, RuleValue
from arena.play.dealing import Dealer
from arena.play.faults import FAULT_LIMIT, FAULTS
from arena.play.outcomes import FinalOutcome, final_outcome
from arena.records.record import (
    Canonical,
    InvalidRecord,
    Record,
    canonical_hash,
    check_structure,
    parse_record,
)
from arena.text import printable

MOST_PROBLEMS: Final = 100
"""The maximum number of problems of a record that are listed."""


class Problem(NamedTuple):
    """One error in a record: a stable ``code``, its location, and a one-line message."""

    code: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def verify(record: object) -> list[Problem]:
    """Return the errors of a record; there are none if it is verified. Never raises for invalid records."""
    try:
        checked = check_structure(record)
    except InvalidRecord as error:
        return [_structure_problem(error)]
    return _verify(checked)


def verify_text(text: bytes | str) -> tuple[Record | None, list[Problem]]:
    """Return the record in a JSON text, or None if it is not a record, and its errors.

    Raises :class:`~arena.records.record.UnreadableRecord` for text that is not JSON.
    """
    try:
        record = parse_record(text)
    except InvalidRecord as error:
        return None, [_structure_problem(error)]
    return record, _verify(record)


def _structure_problem(error: InvalidRecord) -> Problem:
    return Problem("structure", error.field or "the record", error.message)


def _verify(record: Record) -> list[Problem]:
    canonical = record["canonical"]
    problems = list(_check_sums(canonical, record["hash"]))
    try:
        game = game_of(canonical["kind"])
        rules = _complete_rules(game, canonical)
    except ArenaError as error:
        expected = f"; expected {error.expected}" if error.expected else ""
        where = printable(error.field or "rules", 80)
        return [*problems, Problem(error.code, where, printable(error.message + expected))]
    misfits = list(islice(_check_sizes(canonical, game.seats(rules)), MOST_PROBLEMS))
    if misfits:
        return problems + misfits
    return problems + _Replay(game, rules, canonical).problems()


def _check_sums(canonical: Canonical, claimed: str) -> Iterator[Problem]:
    actual = canonical_hash(canonical)
    if actual != claimed:
        yield Problem(
            "hash", "hash", f"the hash is {claimed[:12]}…, but that of the canonical part is {actual[:12]}…"
        )
    if sha256(bytes.fromhex(canonical["seed"])).hexdigest() != canonical["commitment"]:
        yield Problem("commitment", "commitment", "the commitment is not the SHA-256 of the seed")
    group = canonical["group"]
    if group is not None and group["index"] >= group["size"]:
        yield Problem(
            "group",
            "group",
            f"index {group['index']} is outside a group of {group['size']} games (counted from 0)",
        )


def _complete_rules(game: Game, canonical: Canonical) -> dict[str, RuleValue]:
    if canonical["rules_version"] != game.version:
        raise ArenaError(
            f"version {canonical['rules_version']} of the rules of {game.kind} cannot be replayed here",
            code="rules_version",
            field="rules_version",
            expected=f"version {game.version}",
        )
    given = canonical["rules"]
    rules = game.options.complete(given)
    missing = game.options.missing(given)
    if missing:
        raise ArenaError(f"missing options: {', '.join(missing)}", code="incomplete_rules", field="rules")
    return rules


def _check_sizes(canonical: Canonical, size: int) -> Iterator[Problem]:
    per_seat: dict[str, Sequence[object]] = {
        "players": canonical["players"],
        "nonces": canonical["nonces"],
        "outcome.places": canonical["outcome"]["places"],
        "outcome.scores": canonical["outcome"]["scores"],
    }
    for where, items in per_seat.items():
        if len(items) != size:
            yield Problem("seats", where, f"expected {size} items, one per seat, but found {len(items)}")
    seats = [("faults", fault["seat"]) for fault in canonical["faults"]]
    seats += [("resigned", entry["seat"]) for entry in canonical["resigned"]]
    for where, seat in seats:
        if seat >= size:
            yield Problem("seats", where, f"seat {seat} does not exist in a game with {size} seats")


class _Stop(Exception):
    """The replay cannot continue."""


class _Replay:
    """Replays a game and checks who acted for each seat."""

    def __init__(self, game: Game, rules: Rules, canonical: Canonical) -> None:
        self.canonical = canonical
        self.actions: list[list[Any]] = canonical["actions"]
        self.size = game.seats(rules)
        self.teams = game.teams(rules)
        self.state: State = game.new_state(rules)
        self.dealer = Dealer(bytes.fromhex(canonical["seed"]), canonical["nonces"])
        self.errors: list[Problem] = []
        self.deals = 0
        self.wrong_deals: list[tuple[int, Chance]] = []
        self.fault_counts: Counter[int] = Counter()
        self.taken: dict[int, str] = {}
        """The seats that the table plays, with the mark of the table's actions."""
        self.due: tuple[int, str] | None = None
        """The seat for which the table must act next because of a fault, with the mark of the action."""
        self.incidents = self._incidents()

    def problems(self) -> list[Problem]:
        try:
            for index, (seat, action, *mark) in enumerate(self.actions):
                self._note_incidents(index)
                self._act(index, seat, action, mark[0] if mark else None)
            self._check_end()
        except _Stop:
            pass
        self._report_deals()
        return self.errors

    def _problem(self, code: str, where: str, message: str) -> None:
        if len(self.errors) < MOST_PROBLEMS:
            self.errors.append(Problem(code, where, printable(message)))

    def _incidents(self) -> dict[int, list[tuple[str, str, int]]]:
        """Return faults and resignations as ``(where, type, seat)``, by the number of actions before them."""
        incidents: dict[int, list[tuple[str, str, int]]] = {}
        listed: dict[str, Sequence[Mapping[str, Any]]] = {
            "faults": self.canonical["faults"],
            "resigned": self.canonical["resigned"],
        }
        for field, entries in listed.items():
            before = 0
            for number, entry in enumerate(entries):
                where = f"{field}[{number}]"
                after = entry["after"]
                if after < before:
                    self._problem(
                        "order",
                        where,
                        f"out of order: after {after} actions, but the previous entry is after {before}",
                    )
                if after >= len(self.actions):
                    self._problem(
                        "order", where, f"after {after} of {len(self.actions)} actions, no turn was open"
                    )
                before = after
                incident = (where, entry.get("type", "resigned"), entry["seat"])
                incidents.setdefault(after, []).append(incident)
        return incidents

    def _note_incidents(self, index: int) -> None:
        self.due = None
        for where, kind, seat in self.incidents.get(index, ()):
            if seat in self.taken:
                self._problem(
                    "after_end_of_seat",
                    where,
                    f"{kind} for seat {seat}, which the table is already playing ({self.taken[seat]})",
                )
            elif kind == "resigned":
                self.taken[seat] = "resigned"
            else:
                if not self._has_turn(seat):
                    self._problem(
                        "no_turn", where, f"{kind} for seat {seat}, which had no turn at that point"
                    )
                self.fault_counts[seat] += 1
                mark = FAULTS[kind]
                if self.fault_counts[seat] == FAULT_LIMIT:
                    self.taken[seat] = "forfeit"
                elif mark is not None and seat in self.state.awaiting():
                    self.due = (seat, mark)

    def _has_turn(self, seat: int) -> bool:
        """Return whether the table had an open turn for ``seat``, which it does not play itself. The table
        opens no turns while chance or a seat that it plays must act.
        """
        awaited = self.state.awaiting()
        if self.due is not None or any(other == CHANCE or other in self.taken for other in awaited):
            return False
        return bool(self.state.legal_actions(seat))

    def _act(self, index: int, seat: int, action: str, mark: str | None) -> None:
        where = f"actions[{index}]"
        if seat == CHANCE:
            self._check_chance(index, action, mark)
        else:
            self._check_mark(where, seat, action, mark)
        try:
            if seat >= self.size:
                raise self.state.illegal(seat, action)
            self.state.apply(seat, action)
        except IllegalAction as error:
            awaited = self.state.awaiting()
            if not awaited:
                left = len(self.actions) - index
                self._problem("extra", where, f"the game is over before this action and {left - 1} more")
            elif CHANCE in (seat, *awaited) and seat not in awaited:
                self._problem("turn", where, f"{_who(seat)} acts, but the game waits for {_who(awaited[0])}")
            else:
                legal = f"expected {error.expected}" if error.expected else "it is not legal"
                self._problem("illegal", where, f"{_who(seat)} cannot play {action!r} now; {legal}")
            raise _Stop from None

    def _check_chance(self, index: int, action: str, mark: str | None) -> None:
        if mark is not None:
            self._problem(
                "mark", f"actions[{index}]", f"an action of chance cannot have a mark, but has {mark!r}"
            )
        chance = self.state.chance()
        if chance is None:
            return
        self.deals += chance.kind == "deal"
        if action != self.dealer.action(chance):
            self.wrong_deals.append((index, chance))

    def _check_mark(self, where: str, seat: int, action: str, mark: str | None) -> None:
        if self.due is not None and self.due != (seat, mark):
            due_seat, due_mark = self.due
            self._problem(
                "mark",
                where,
                f"the table must act here for seat {due_seat} ({due_mark}), which had a fault",
            )
            return
        expected = self.taken.get(seat)
        if expected is not None and mark != expected:
            by = "its player" if mark is None else repr(mark)
            self._problem(
                "mark", where, f"seat {seat} is played by the table ({expected}), but the action is by {by}"
            )
        elif expected is None and mark is not None and self.due is None:
            why = "it has not resigned" if mark == "resigned" else "there is no such fault"
            self._problem("mark", where, f"seat {seat} is marked {mark!r}, but {why}")
        if mark is not None:
            self._check_default(where, seat, action, mark)

    def _check_default(self, where: str, seat: int, action: str, mark: str) -> None:
        """Check a default action (BT-7.3, TP-8.3)."""
        if seat not in self.state.awaiting():
            self._problem(
                "default", where, f"the table acts ({mark}) for seat {seat}, which does not have to act"
            )
            return
        default = self.state.default_action(seat)
        if action != default:
            self._problem(
                "default",
                where,
                f"the default action ({mark}) for seat {seat} is {default!r}, not {action!r}",
            )

    def _check_end(self) -> None:
        outcome = self.state.outcome()
        if outcome is None:
            awaited = ", ".join(_who(seat) for seat in self.state.awaiting())
            self._problem(
                "unfinished",
                "actions",
                f"the game is not over after all {len(self.actions)} actions; it is waiting for {awaited}",
            )
            return
        forfeits = [seat for seat, mark in self.taken.items() if mark == "forfeit"]
        self._compare(final_outcome(outcome, self.teams, forfeits))

    def _compare(self, actual: FinalOutcome) -> None:
        claimed = self.canonical["outcome"]
        for field, value in actual.as_json().items():
            if claimed[field] != value:
                self._problem(
                    field,
                    f"outcome.{field}",
                    f"the record has {claimed[field]}, but the game ended with {value}",
                )

    def _report_deals(self) -> None:
        wrong = [(index, chance) for index, chance in self.wrong_deals if chance.kind == "deal"]
        if self.deals > 1 and len(wrong) == self.deals:
            self._problem(
                "deals", "nonces", f"none of the {self.deals} deals follows from the seed and the nonces"
            )
            return
        for index, chance in self.wrong_deals:
            what = "first dealer" if chance.kind == "dealer" else f"deal of hand {chance.hand}"
            self._problem(
                "deal", f"actions[{index}]", f"the {what} does not follow from the seed and the nonces"
            )


def _who(seat: int) -> str:
    return "chance" if seat == CHANCE else f"seat {seat}"
