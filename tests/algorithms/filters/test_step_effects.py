"""What a step says of itself: what it does, before and after, and what it learned."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.filters import Filter
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.filters.arrange_attributes import MoveAttributes
from algorithms.filters.discretize import Discretize
from algorithms.filters.nominal_values import Encode, MergeValues
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import Scale
from algorithms.filters.select_attributes import relief
from algorithms.filters.step_effects import StepEffect, effect_on_columns
from tests.expected_texts import filters as wording
from tests.expected_texts import learners as learners_wording


def never() -> None:
    return None


def table() -> Dataset:
    """Six records: a number with a hole, one that is missing everywhere, a town with a rare value, the class."""
    schema = Schema((numeric("x"), numeric("nothing"), nominal("town", ("Bern", "Uri", "Chur")), nominal("y", "ab")), 3)
    x, town = np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan]), np.array([0, 0, 1, 1, 2, -1])
    return Dataset(schema, [x, np.full(6, np.nan), town, np.array([0, 0, 0, 1, 1, 1])])


def effect(step: Filter) -> StepEffect:
    return effect_on_columns(table(), step.fit(table(), RunContext(seed=1)).transform(table()), never)


def found(step: Filter) -> list[list[str]]:
    return step.fit(table(), RunContext(seed=1)).learned_rows()


def test_missing_values_that_a_step_leaves_are_counted_with_the_others() -> None:
    assert effect(ReplaceMissing()).sentence == wording.missing_now(8, 6)
    assert effect(ReplaceMissing(columns=("x",))).sentence == wording.missing_now(8, 7)
    assert effect(ReplaceMissing(numeric="constant")).sentence == wording.missing_now(8, 0)


def test_columns_in_another_order_are_a_change_and_one_value_is_no_values() -> None:
    assert effect(MoveAttributes(to="name")).sentence == wording.OTHER_ORDER
    assert wording.NUMBERS_TO_1_VALUE in effect(Discretize(by="equal-width", ranges=2)).lines


@pytest.mark.parametrize(
    ("step", "rows"),
    [
        (Scale(by="range"), [["Column", wording.stands_for(0), wording.stands_for(1)], ["x", "1", "5"]]),
        (Scale(by="range", low=-1.0), [["Column", wording.stands_for(-1), wording.stands_for(1)], ["x", "1", "5"]]),
        (Scale(by="robust"), [["Column", wording.stands_for(0), wording.stands_for(1)], ["x", "3", "5"]]),
        (Scale(by="rank"), [["Column", "Lowest", "Middle", "Highest"], ["x", "1", "3", "5"]]),
        (Scale(by="log"), []),
        (Encode(by="one-of-k"), []),
        (
            Encode(by="ordinal"),
            [
                ["Value", "Number"],
                [learners_wording.equals("town", "Bern"), "0"],
                [learners_wording.equals("town", "Uri"), "1"],
                [learners_wording.equals("town", "Chur"), "2"],
                [learners_wording.is_missing("town"), "missing"],
            ],
        ),
        (
            Encode(by="target", smoothing="m-estimate", records=0.0),
            [
                ["Value", wording.SHARE_OF_B],
                [learners_wording.equals("town", "Bern"), "0"],
                [learners_wording.equals("town", "Uri"), "0.5"],
                [learners_wording.equals("town", "Chur"), "1"],
                [learners_wording.is_missing("town"), "1"],
            ],
        ),
        (MergeValues(by="rare", at_least=3), [["Column", "Values", "Became"], ["town", wording.THREE_TOWNS, "other"]]),
        (
            ReplaceMissing(numeric="nearest", k=2),
            [["Column", "Filled with"], ["x", wording.WHAT_2_SIMILAR_HAVE], ["town", "Bern"]],
        ),
    ],
)
def test_what_a_step_learned_can_be_read(step: Filter, rows: list[list[str]]) -> None:
    assert found(step) == rows


def test_a_column_without_any_value_is_worth_nothing_by_relieff() -> None:
    random = np.random.default_rng(2)
    schema = Schema((numeric("x"), numeric("nothing"), nominal("y", "abc")), 2)
    data = Dataset(schema, [random.normal(size=90), np.full(90, np.nan), random.integers(0, 3, 90)])
    worth = relief(data, [0, 1], 7, 90, random, never)
    assert worth[1] == 0 and worth[0] != 0
