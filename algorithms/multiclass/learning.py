"""Learning the members of a code: one learner, on each way of dividing the classes in two."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.held_out import held_out
from algorithms.core.learner import Learner, Model, Problem
from algorithms.core.params import boolean
from algorithms.core.params import learner as learner_parameter
from algorithms.core.summary import Summary
from algorithms.ensembles.bootstrap import weighty
from algorithms.ensembles.side_by_side import side_by_side
from algorithms.multiclass.codes import Code
from algorithms.multiclass.model import CodedModel, two_sided
from algorithms.trees.c45 import C45

MANY = 1000
"""So many members take so long that their number is said."""
_FOLDS = 5


@dataclass(frozen=True, kw_only=True)
class ByCode(Learner):
    """A learner that has another one tell classes apart two sides at a time."""

    base: Learner = learner_parameter(
        C45(), label="Members are", help="The learner that tells two sides apart; one for two classes will do."
    )
    test_members: bool = boolean(
        False,
        label="Test each member",
        help="How often each member is right is found on folds of the training records that it did not learn from; "
        "takes six times as long. Otherwise it is found on its own training records, which flatters it.",
        advanced=True,
    )

    @property
    def resamples(self) -> bool:
        return self.base.resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(_of_two_sides(summary))

    def summary(self) -> str:
        more = [f"{self.parameter(k).label.lower()} {v}" for k, v in self.changed().items() if k != "base"]
        return ", ".join([self.name, self.base.summary(), *more])


def _of_two_sides(summary: Summary) -> Summary:
    """What a member learns from, as a summary: the most frequent class on one side, all others on the other."""
    at = summary.schema.class_index
    if at is None or summary.class_counts is None or len(summary.schema.classes) <= 2:
        return summary
    most = float(summary.class_counts.max())
    attribute = replace(summary.schema.class_attribute, values=("one side", "other side"))
    attributes = list(summary.attributes)
    attributes[at] = attributes[at].under(attribute)
    return replace(
        summary,
        schema=summary.schema.with_attribute(at, attribute),
        attributes=tuple(attributes),
        class_counts=np.array([most, float(summary.class_counts.sum()) - most]),
    )


@dataclass(frozen=True)
class _Learned:
    """The member of a column, what its records weigh, and how often it is right."""

    column: int
    model: Model
    weight: float
    accuracy: float


def coded_model(learner: ByCode, data: Dataset, code: Code, by: str, context: RunContext) -> CodedModel:
    """The members of a code (k, L) whose rows are the classes of the data; those without records take no part.

    Columns with records on one side only have no member.
    """
    data = weighty(data)
    codes = data.class_codes.astype(np.int64)
    class_weights = np.bincount(codes, data.weights, minlength=len(code)).astype(np.float64)
    there = np.bincount(codes, minlength=len(code)) > 0
    code = np.where(there[:, None], code, 0).astype(np.int8)
    code = code[:, (code == 1).any(axis=0) & (code == -1).any(axis=0)]

    def make(column: int, part: RunContext) -> _Learned:
        return _member(learner, data, code, column, part)

    n = code.shape[1]
    if n > MANY:
        context.say(f"{int(there.sum()):,} classes: {n:,} models")
    found = side_by_side(make, n, context, lambda *_: None) if n else []
    context.say("")
    return CodedModel(
        data.schema,
        [each.model for each in found],
        code=np.ascontiguousarray(code[:, [each.column for each in found]]),
        by=by,
        class_weights=class_weights,
        member_weights=np.array([each.weight for each in found], dtype=np.float64),
        accuracy=np.array([each.accuracy for each in found], dtype=np.float64),
        tested=learner.test_members,
        partial=len(found) < n or context.finishing,
    )


def _member(learner: ByCode, data: Dataset, code: Code, column: int, part: RunContext) -> _Learned:
    sides = code[data.class_codes.astype(np.int64), column]
    own = data if sides.all() else data.take(sides != 0)
    at = data.schema.class_index
    assert at is not None
    attribute = two_sided(data.schema, code, column).class_attribute
    own = own.with_column(at, attribute, (sides[sides != 0] == 1).astype(np.int64))
    model = learner.base.fit(own, part.child(0.2 if learner.test_members else 1.0, 0))
    judged = held_out(learner.base, own, _FOLDS, part.child(0.8, 1)) if learner.test_members else None
    weights = own.weight_array
    accuracy = None if judged is None else judged.accuracy(own)
    if accuracy is None:
        right = model.decided(own, part) == own.class_codes
        accuracy = float(weights[right].sum() / weights.sum()) if weights.sum() > 0 else 1.0
    return _Learned(column, model, float(weights.sum()), accuracy)
