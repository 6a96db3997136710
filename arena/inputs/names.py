"""The rules for names of owners, bots and versions, and the texts that an admin can hide. This module imports
no server library, because the commands for bot authors use it.
"""

from __future__ import annotations

from typing import Final, Literal

LABEL_PATTERN: Final = r"^[0-9A-Za-z][0-9A-Za-z.+-]{0,31}$"
LABEL_RULE: Final = "1 to 32 letters, digits, dots, plus signs and hyphens, beginning with a letter or digit"
NAME_PATTERN: Final = r"^[a-z][a-z0-9-]{1,30}[a-z0-9]$"
NAME_RULE: Final = "3 to 32 of a-z, 0-9 and, inside, hyphens, beginning with a letter"

Of = Literal["owner", "bot", "tournament"]
Text = Literal["name", "description"]

OF: Final = ("owner", "bot", "tournament")
TEXTS: Final = ("name", "description")
