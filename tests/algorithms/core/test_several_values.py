"""Several values of one parameter: what is typed, and which are worth trying."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import ParameterError
from algorithms.evaluation.tuning.search_space import can_be_several, several, suggested
from algorithms.learners.trees.c45 import C45
from tests.expected_texts import core as wording


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("min_leaf", "1, 2,5", (1, 2, 5)),
        ("min_leaf", "5,1,5", (5, 1)),
        ("min_leaf", "1..4", (1, 2, 3, 4)),
        ("min_leaf", "1..1000", (1, 3, 10, 32, 100, 316, 1000)),
        ("min_leaf", "10..70/4", (10, 30, 50, 70)),
        ("max_depth", "none, 1..3", (None, 1, 2, 3)),
        ("confidence", "0.1..0.5/5", (0.1, 0.2, 0.3, 0.4, 0.5)),
        ("criterion", "gini,error", ("gini", "error")),
        ("raising", "yes, no", (True, False)),
    ],
)
def test_values_are_read_as_they_are_typed(name, text, expected):
    assert several(C45.parameter(name), text).grid() == expected


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("min_leaf", "1,x", "whole number"),
        ("min_leaf", "", wording.NEEDS_THE_VALUES),
        ("min_leaf", "5..1", wording.SMALLER_TO_LARGER),
        ("min_leaf", "1..5/0", wording.NUMBER_OF_VALUES),
        ("confidence", "0.1, 0.9", "to 0.5"),
        ("criterion", "gini..error", "no ranges"),
        ("criterion", "beauty", "one of"),
        ("class_shares", "1", wording.ONE_VALUE_ONLY),
        ("seed", "1,2", wording.ONE_VALUE_ONLY),
    ],
)
def test_what_makes_no_values_is_refused_in_a_sentence(name, text, says):
    with pytest.raises(ParameterError, match=says):
        several(C45.parameter(name), text)


def test_numbers_are_drawn_from_the_whole_range_and_large_ones_by_factors():
    random = np.random.default_rng(1)
    whole = several(C45.parameter("min_leaf"), "1..6")
    assert {whole.draw(random) for _ in range(200)} == {1, 2, 3, 4, 5, 6}
    wide = several(C45.parameter("min_leaf"), "1..10000")
    drawn = np.array([wide.draw(random) for _ in range(2000)])
    assert 80 < np.median(drawn) < 125  # by factors the middle is 100, by steps it would be 5000


THINGS = [*builtin().learners, *builtin().filters, *builtin().methods]


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.id)
def test_every_parameter_suggests_values_that_it_takes(thing):
    for parameter in thing.parameters():
        if can_be_several(parameter):
            values = several(parameter, suggested(parameter)).grid()
            assert len(values) >= 2, parameter.name
