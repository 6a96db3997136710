"""A picture in the descriptor is all that the replay page of a game needs."""

from __future__ import annotations

import json
import random
from hashlib import sha256

from arena.play.table import Table
from arena.records.record import build_record, dumps
from arena.records.verify import verify
from arena.replays.moves import OPEN, read_moves
from arena.replays.page import replay_page


def test_a_further_game_has_a_replay_page() -> None:
    rng = random.Random(1)
    table = Table("hc-1", "highcard", {"seats": 3}, sha256(b"1").digest())
    table.start()
    while not table.is_over():
        seat = table.awaited()[0]
        table.submit(seat, table.turn_number(seat), rng.choice(table.legal_actions(seat)))
    record = json.loads(dumps(build_record(table, players=[("ana", "1"), ("bia", "1"), ("caio", "1")])))
    assert verify(record) == []
    replayed = read_moves(record)
    scores = record["canonical"]["outcome"]["scores"]
    assert replayed.pictures[OPEN][-1]["score"] == scores
    assert [deal[:2] for deal in replayed.deals] == [("deal", 1), ("deal", 2), ("deal", 3)]
    dealt = replayed.pictures[1][0]
    assert dealt["cards0"] == dealt["cards2"] == [""] * 3
    assert "" not in dealt["cards1"]
    html = replay_page(record)
    assert "<h1>ana – bia – caio</h1>" in html
    assert '"unit":["trick","tricks"]' in html
