"""The cards of Truco. Strength of a card: ``order_seen(turn["observation"]).strength[CARD_NUMBER[card]]``."""

from __future__ import annotations

from arena.games.truco.cards import CARD_NUMBER as CARD_NUMBER
from arena.games.truco.cards import CLEAN_RANKS as CLEAN_RANKS
from arena.games.truco.cards import MANILHAS as MANILHAS
from arena.games.truco.cards import PACK as PACK
from arena.games.truco.cards import RANKS as RANKS
from arena.games.truco.cards import Order as Order
from arena.games.truco.view import order_seen as order_seen
