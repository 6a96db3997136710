"""The methods of the client that are generated from the table of operations; ``calls.pyi`` has
their types.
"""

from __future__ import annotations

from arena.client.operations import OperationCalls, method_of
from arena.operations import OPERATIONS


class Calls(OperationCalls):
    """A generated method for each operation in the table that has no hand-written one."""


for _name, _operation in OPERATIONS.items():
    if not _operation.by_hand:
        setattr(Calls, _operation.client or _name, method_of(_name, _operation))
