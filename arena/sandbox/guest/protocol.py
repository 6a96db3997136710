"""What the two ends of the world ``python`` (``bot.wit``) have in common; both import it."""

DONE = 0
NOTHING = 1
RIGHTS = 1
NO_ACTION = 2
FAILED = 3
"""Kinds of answers. :data:`RIGHTS` is of ``load``: the bot wants to be offered rights."""

MARSHAL_VERSION = 2
"""The last in which equal values have equal bytes, whoever else holds them: fuel depends on the bytes."""
