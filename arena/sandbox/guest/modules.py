"""The modules that bots may import. There is no file system, so a module that is not imported here does not
exist.
"""

STANDARD_LIBRARY = (
    "abc",
    "array",
    "ast",
    "base64",
    "binascii",
    "bisect",
    "calendar",
    "cmath",
    "collections",
    "collections.abc",
    "colorsys",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "gc",
    "graphlib",
    "hashlib",
    "heapq",
    "hmac",
    "importlib",
    "inspect",
    "io",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "logging",
    "math",
    "numbers",
    "operator",
    "os",
    "pickle",
    "pprint",
    "queue",
    "random",
    "re",
    "reprlib",
    "secrets",
    "statistics",
    "string",
    "struct",
    "sys",
    "textwrap",
    "time",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "uuid",
    "warnings",
    "weakref",
    "zlib",
)

SDK = ("botequim", "botequim.cards", "botequim.toepen", "botequim.truco", "arena.bots", "arena.bots.redeal")
"""Of ``botequim`` the names of ``__all__``; ``arena.bots`` as before there was ``botequim``."""

# What those import only when they are used.
_LATE = ("_strptime", "_pydatetime", "annotationlib", "_colorize", "codeop", "tokenize", "encodings.ascii")

MODULES = (*STANDARD_LIBRARY, *SDK, *_LATE)

LIST_OF_OBJECTS = b"the objects of the image: "
"""What the list of the image's objects begins with; then come, as 32-bit numbers, how many objects there are,
the address of None, and the addresses of all of them (``arena.sandbox.guest.image``).
"""
