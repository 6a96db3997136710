"""The values that an error names as right, so that they can be sent back."""

from __future__ import annotations

import json
import re
from typing import Any, Final

_NUMBER: Final = r"-?\d+(?:\.\d+)?"
_TIME: Final = r"\d{4}-\d\d-\d\d[T ][\d:]+(?:Z| UTC)"


def examples(expected: str) -> list[Any]:
    """The values that ``expected`` names: choices, both ends of a range, texts of the least and the greatest
    length, examples and JSON; none of what is only described.
    """
    if found := re.match(r"one of:? (.+?)(?: for .*)?$", expected):
        return re.split(r", | or ", found[1])
    if found := re.match(rf"({_TIME}) to ({_TIME})", expected):
        return list(found.groups())
    if found := re.search(rf"(?:^|from )({_NUMBER} s) to ({_NUMBER} s)$", expected):
        return list(found.groups())
    if found := re.search(rf"(?:^|from )({_NUMBER}) to ({_NUMBER})$", expected):
        return [json.loads(number) for number in found.groups()]
    if found := re.match(
        r"(\d+) to (\d+) (?:characters|of a-z|letters)|a length between (\d+) and (\d+)$", expected
    ):
        least, most = (int(number) for number in found.groups() if number)
        return ["x" * max(least, 1), "x" * most]
    if found := re.match(r"at most (\d+) characters", expected):
        return ["", "x" * int(found[1])]
    if found := re.search(r"such as (.+)$", expected):
        return re.split(r", | or ", found[1])
    if found := re.search(r"'([^']+)' is every", expected):
        return [found[1]]
    if expected in ("true or false", "a valid boolean"):
        return [True, False]
    if expected == "true" or expected.startswith("{"):
        return [json.loads(expected)]
    if found := re.match(rf"greater than ({_NUMBER}) and less than ({_NUMBER})$", expected):
        low, high = (float(number) for number in found.groups())
        return [low + (high - low) / 1000, high - (high - low) / 1000]
    return []
