"""What a committee of few training records keeps of them, so that its vote can be looked at round by round."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from algorithms.core.array_state import ArrayState, index, weights
from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.learner import State
from algorithms.core.members import Rounds
from algorithms.core.schema import Kind
from algorithms.ensembles.packing import DAMAGED, damaged

MOST_RECORDS: Final = 40
MOST_MEMBERS: Final = 200
_STATE: Final = ArrayState(DAMAGED, {
    "counted": weights("members", "records"),
    "votes": weights("members", "records", "classes"),
    "truth": index("classes", "records"),
})  # fmt: skip


def can_be_seen(data: Dataset, members: int) -> bool:
    """Whether there are few enough records and members."""
    return 0 < len(data) <= MOST_RECORDS and 0 < members <= MOST_MEMBERS


def rounds_of(data: Dataset, counted: Sequence[FloatArray], votes: Iterable[FloatArray]) -> Rounds:
    """What each member learned from these records (n,), and says of them (n, k), as :class:`Rounds` has it."""
    learned_from = np.stack(counted).astype(np.float64)
    return Rounds(learned_from, np.stack(list(votes)), data.class_codes.astype(np.int32), _names(data))


def _names(data: Dataset) -> tuple[str, ...]:
    """The value of the only number learned from, or the record's number."""
    numbers = [index for index in data.schema.predictors if data.schema.attributes[index].kind is Kind.NUMERIC]
    if len(data.schema.predictors) == 1 and numbers:
        return tuple(f"{value:g}" for value in data.column(numbers[0]).tolist())
    return tuple(str(number + 1) if number >= 0 else "made up" for number in data.row_ids.tolist())


def rounds_state(rounds: Rounds | None) -> State:
    """The same to keep."""
    if rounds is None:
        return State({}, {})
    arrays: dict[str, Any] = {name: getattr(rounds, name) for name in ("counted", "votes", "truth")}
    return State({"names": list(rounds.names)}, arrays)


def rounds_from(state: State, members: int, classes: int) -> Rounds | None:
    """The same again, None where nothing was kept; raises :class:`ModelFileError` where it makes no sense."""
    names = state.values.get("names")
    if names is None:
        return None
    if not isinstance(names, list) or not 0 < len(names) <= MOST_RECORDS:
        raise damaged()
    read = _STATE.read(state.arrays, members=members, classes=classes, records=len(names))
    return Rounds(read["counted"], read["votes"], read["truth"], tuple(str(name) for name in names))
