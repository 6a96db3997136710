"""The cards of Toepen: of one suit, the card with the higher ``CARD_NUMBER`` wins."""

from __future__ import annotations

from arena.games.toepen.cards import CARD_NUMBER as CARD_NUMBER
from arena.games.toepen.cards import PACK as PACK
from arena.games.toepen.cards import RANKS as RANKS
