"""The luck of the cards: what a hand would have brought if the same house bot had played all seats
(``docs/luck.md``).
"""
