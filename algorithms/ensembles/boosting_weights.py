"""What the records weighed before each round of a boosted committee, found again from its members.

Source: TSKK Algorithm 5.7 and Eq. 5.69; a reset is told by the error that the member had in its round.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.ensembles.model import CommitteeModel, seen_by

_SAME = 1e-6


def was_boosted(model: object) -> TypeGuard[CommitteeModel]:
    """Whether this is a committee whose rounds left weights to the next."""
    return isinstance(model, CommitteeModel) and 0 < len(model.known.member_errors) == len(model.members)


def weights_by_round(model: CommitteeModel, data: Dataset, context: RunContext) -> Iterator[FloatArray]:
    """The weights (n,) before each round, and after the last, adding up to one; ``data`` is what training had.

    A record without a class, or without weight, has 0. Where a member's error is not that of the weights that the round
    before left, the weights had begun anew. Raises :class:`Cancelled`.
    """
    known = data.class_codes >= 0
    own = np.where(known, data.weight_array, 0.0)
    begin = own / own.sum() if own.sum() > 0 else own
    weights, truth = begin, data.class_codes
    for member, error, alpha in zip(model.members, model.known.member_errors, model.weights, strict=True):
        context.checkpoint()
        wrong = known & (member.decided(seen_by(member, data), context) != truth)
        if abs(float(weights[wrong].sum()) - error) > _SAME and abs(float(begin[wrong].sum()) - error) <= _SAME:
            weights = begin
        yield weights
        left = weights * np.where(wrong, np.exp(alpha), np.exp(-alpha))
        total = float(left.sum())
        weights = left / total if total > 0 else weights
    yield weights


def first_members(model: CommitteeModel, n: int) -> CommitteeModel:
    """The committee of the first so many members."""
    return CommitteeModel(
        model.schema,
        model.members[:n],
        weights=model.weights[:n],
        averaged=model.averaged,
        class_weights=model.class_weights,
        names=model.names[:n],
    )
