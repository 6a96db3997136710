"""How many requests of one process can wait: of one client, of all, and of bots with turns pending."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from api.http.places import AddressBusy, Busy, Places, TooManyConnections
from arena.store.waits import MayNotWait


def never() -> bool:
    return False


def always() -> bool:
    return True


def fill(
    places: Places, owner: str, address: str, has_turns: Callable[[], bool] = never
) -> tuple[int, type[MayNotWait]]:
    """How many places a client gets, and the error after that."""
    count = 0
    while True:
        try:
            places.take(owner, address, has_turns)
        except MayNotWait as error:
            return count, type(error)
        count += 1


def test_an_address_without_a_token_gets_its_share() -> None:
    places = Places(1000, 20)
    assert fill(places, "", "192.0.2.1") == (100, TooManyConnections)
    assert fill(places, "", "192.0.2.2") == (100, TooManyConnections)


def test_many_addresses_without_a_token_leave_room_for_tokens() -> None:
    places = Places(1000, 20)
    counts = [fill(places, "", f"192.0.2.{number}") for number in range(5)]
    assert counts == [(100, TooManyConnections)] * 4 + [(0, Busy)]
    assert fill(places, "ana", "192.0.2.9") == (200, TooManyConnections)


def test_an_owner_gets_its_share_from_wherever_its_bots_come() -> None:
    places = Places(1000, 20)
    for number in range(200):
        places.take("ana", f"192.0.2.{number}", always)
    with pytest.raises(TooManyConnections):
        places.take("ana", "192.0.2.250", always)


def test_many_owners_at_one_address_leave_room_for_others() -> None:
    places = Places(1000, 20)
    counts = [fill(places, owner, "192.0.2.1") for owner in ("ana", "ben", "cid")]
    assert counts == [(200, TooManyConnections)] * 2 + [(0, AddressBusy)]
    assert fill(places, "dan", "192.0.2.2") == (200, TooManyConnections)


def test_room_is_kept_for_bots_with_turns_pending() -> None:
    places = Places(1000, 20)
    for number in range(4):
        assert fill(places, f"owner-{number}", f"192.0.2.{number}") == (200, TooManyConnections)
    assert fill(places, "ana", "192.0.2.9") == (0, Busy)
    assert fill(places, "ana", "192.0.2.9", always) == (100, Busy)


def test_a_place_that_is_given_back_can_be_taken_again() -> None:
    places = Places(1000, 20)
    give_back = places.take("ana", "192.0.2.1", never)
    assert fill(places, "ana", "192.0.2.1") == (199, TooManyConnections)
    give_back()
    assert fill(places, "ana", "192.0.2.1") == (1, TooManyConnections)


def test_an_operator_can_give_all_to_one_owner() -> None:
    places = Places(1000, 100)
    assert fill(places, "ana", "192.0.2.1") == (800, Busy)
    assert fill(places, "ana", "192.0.2.1", always) == (100, TooManyConnections)


def test_with_few_connections_everybody_gets_some() -> None:
    places = Places(10, 20)
    assert fill(places, "", "192.0.2.1") == (4, TooManyConnections)
    assert fill(places, "ana", "192.0.2.1") == (4, TooManyConnections)
    assert fill(places, "ben", "192.0.2.1") == (0, AddressBusy)
