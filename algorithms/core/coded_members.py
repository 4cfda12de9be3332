"""What there is to look at where members tell sides of classes apart and a code makes one decision of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.members import Members


@dataclass(frozen=True, eq=False)
class CodedMembers(Members):
    """Members that each tell some classes from others.

    ``code`` (k, m) has 1 where a class is on a member's one side, -1 where it is on the other, 0 where the member never
    saw it. ``accuracy`` (m,) is how often each was right about its side: where ``tested`` on records it did not learn
    from, else on its own training records. ``decoding`` says in words how one class comes out of it.
    """

    code: NDArray[np.int8]
    accuracy: FloatArray
    tested: bool
    decoding: str

    def failed_bits(self, read: NDArray[np.bool_], label: int) -> NDArray[np.bool_]:
        """Which members (m,) decided for the side that the class with this code is not on; ``read`` (m,) as decided."""
        word = self.code[label]
        return np.asarray((word != 0) & (read != (word == 1)))
