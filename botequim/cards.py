"""Cards as two characters, rank then suit: ``4C`` ``7H`` ``AS`` ``TD``."""

from __future__ import annotations

from arena.games.cards import RANK_NAMES as RANK_NAMES
from arena.games.cards import SUIT_NAMES as SUIT_NAMES
from arena.games.cards import SUIT_SYMBOLS as SUIT_SYMBOLS
from arena.games.cards import SUITS as SUITS
from arena.games.cards import pack as pack
from arena.games.cards import pretty as pretty
from arena.games.cards import split_cards as split_cards
from arena.games.cards import spoken as spoken
