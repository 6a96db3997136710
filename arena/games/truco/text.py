"""The text of a turn of Brazilian Truco."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.kernel import Turn
from arena.games.texts import TurnText, counted, in_order, seat_names
from arena.games.truco.options import TrucoRules, rules_from
from arena.games.truco.panel import panel
from arena.games.truco.seen import TrucoNews, TrucoObservation, TrucoPlay, TrucoSaid

_REASONS = {
    "run": "the others ran",
    "tricks": "by tricks",
    "truco": "by the trick under truco",
    "tied_before_call": "a tied card lay before the call",
}


def turn_text(turn: Turn) -> TurnText:
    """Return the text of a turn; see :class:`~arena.games.descriptor.Game`."""
    return _Writer(turn).text()


class _Writer:
    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.seen: TrucoObservation = turn["observation"]
        self.rules: TrucoRules = rules_from(turn["rules"])
        self.own: int = turn["seat"]
        self.names = seat_names(self.rules.seats, self.own)
        if self.rules.seats > 2:
            self.names[(self.own + 2) % 4] += " (partner)"

    def text(self) -> TurnText:
        seen = self.seen
        blind = self.rules.blind and len(seen["elevens"]) == 2
        hand = "not to be looked at" if blind else " ".join(seen["hand"])
        news = tuple(line for event in self.turn["events"] if (line := self._event(event)))
        return TurnText(panel(self.turn, self.names).question, tuple(self._standing()), news, hand)

    # Where the game stands

    def _standing(self) -> list[str]:
        seen = self.seen
        lines = [
            f"Hand {seen['hand_number']}. P{self._points(seen['score'])[1:]}; 12 win.",
            f"Dealer: {self._seat(seen['dealer'])}. First to play: {self._seat(seen['forehand'])}.",
            f"Worth: {counted(seen['stake'], 'point')}. {self._right()}",
        ]
        if seen["vira"] is not None:
            lines.append(f"Turned: {seen['vira']}.")
        if seen["manilhas"] is not None:
            lines.append(f"Manilhas, strongest first: {' '.join(seen['manilhas'])}.")
        if seen["elevens"]:
            who = " and ".join(self._team(team) for team in seen["elevens"])
            lines.append(f"One hand from the end: {who}.")
        if seen["passed_cards"]:
            lines.append(f"Passed to the partner: {' '.join(seen['passed_cards'])}.")
        if seen["partner_dealt"]:
            lines.append(f"Your partner was dealt: {' '.join(seen['partner_dealt'])}.")
        lines += [f"Burned: {' '.join(cards)}." for cards in seen["burned"]]
        lines.append("Cards held: " + self._per_seat(seen["held"]) + ".")
        return lines + self._tricks()

    def _right(self) -> str:
        call, right = self.seen["truco"], self.seen["right"]
        if call is not None and call["pending"]:
            return f"{self._name(call['proposer'])} called for {call['value']}."
        if right is None:
            return "Nobody may raise it."
        return "Either side may raise it." if right == "either" else f"May be raised by: {self._team(right)}."

    def _tricks(self) -> list[str]:
        tricks = self.seen["tricks"]
        lines = in_order([trick["plays"] for trick in tricks], self.seen["calls"])
        written = []
        for number, line in enumerate(lines):
            acts = ", ".join(self._act(act) for act in line)
            end = ""
            if number < len(tricks) and tricks[number]["over"]:
                winner = tricks[number]["winner"]
                end = "; tied" if winner is None else f"; won by {self._team(winner)}"
            if acts:
                written.append(f"Trick {number + 1}: {acts}{end}.")
        if self.seen["extra_trick"]:
            written.append("This trick decides, after a tie under truco.")
        return written

    def _act(self, act: TrucoPlay | TrucoSaid) -> str:
        who = self._name(act["seat"])
        if "said" not in act:
            return f"{who} {self._card(act)}"
        said, value = act["said"], act["value"]
        if said == "cut":
            return f"{who} cut {value} {act['from']}"
        if said == "signal":
            return f"{who} signal {act['gesture']}"
        return f"{who} {said}" + (f" {value}" if value is not None else "")

    def _card(self, play: TrucoPlay) -> str:
        card = play["card"] or "a card"
        return f"hide {card}" if play["face_down"] else f"play {card}"

    # What has happened

    def _event(self, event: TrucoNews) -> str:
        kind = event["type"]
        if kind == "hand":
            dealer = self._name(event["dealer"])
            return f"hand {event['number']}, dealt by {dealer}: {self._points(event['score'])}"
        if kind == "vira":
            return f"turned: {event['card']}"
        if kind == "trick":
            winner = event["winner"]
            result = "tied" if winner is None else f"won by {self._team(winner)}"
            return f"trick {event['number']}: {result}"
        if kind == "hand_over":
            return self._hand_over(event)
        if kind == "game_over":
            winner = event["winner"]
            result = "a draw" if winner is None else f"won by {self._team(winner)}"
            return f"game over, {result}: {self._points(event['score'])}"
        return self._said(event)

    def _said(self, event: TrucoNews) -> str:
        kind, who = event["type"], self._name(event["seat"])
        cards = " ".join(event.get("cards") or ())
        if kind == "dealer":
            return f"first dealer: {who}"
        if kind == "dealt":
            return f"{who}: dealt {cards}" if cards else ""
        if kind == "cut":
            return f"{who}: cut {event['lifted']} {event['from']}" if event["lifted"] else f"{who}: no cut"
        if kind in ("passed", "burned", "shown"):
            word = {"passed": "pass", "burned": "burn", "shown": "show the partner"}[kind]
            return f"{who}: {word} {cards}".rstrip()
        if kind in ("truco", "raise", "accept"):
            return f"{who}: {kind} {event['value']}"
        if kind == "run":
            return f"{who}: run {event['points']}"
        if kind in ("play", "hide"):
            play: TrucoPlay = {"seat": event["seat"], "card": event["card"], "face_down": kind == "hide"}
            return f"{who}: {self._card(play)}"
        if kind == "signal":
            return f"{who}: signal {event['gesture']}"
        return f"{who}: {'keep' if kind == 'kept' else kind}"

    def _hand_over(self, event: TrucoNews) -> str:
        score = self._points(event["score"])
        if event["winner"] is None:
            return f"hand over, nobody wins: {score}"
        points = counted(event["points"], "point")
        return f"hand over, {points} for {self._team(event['winner'])}, {_REASONS[event['reason']]}: {score}"

    # Words

    def _name(self, seat: int) -> str:
        return "you" if seat == self.own else f"seat {seat}"

    def _seat(self, seat: int | None) -> str:
        return "nobody" if seat is None else self.names[seat]

    def _team(self, team: int) -> str:
        if self.rules.seats == 2:
            return self._name(team)
        return "your team" if team == self.own % 2 else "the other team"

    def _points(self, score: Sequence[int]) -> str:
        own = self.own % 2
        return f"points: you {score[own]}, others {score[1 - own]}"

    def _per_seat(self, values: Sequence[int]) -> str:
        return ", ".join(f"{name} {value}" for name, value in zip(self.names, values, strict=True))
