"""Numbers that show their working."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.scores import FormulaWorking, Term, compared_pairs, normal_quantile, ratio
from algorithms.text.numbers import significant
from tests.expected_texts import core as wording


def test_working_reads_as_formula_values_and_result():
    terms = (Term("a", 3), Term("b", 0.25))
    working = FormulaWorking("Share", "{a} / ({a} + {b})", terms, 3 / 3.25)
    assert working.symbolic == "a / (a + b)"
    assert working.filled == "3 / (3 + 0.25)"
    assert working.sentence() == wording.SHARE_WORKED_OUT


def test_a_symbol_without_a_value_stays_a_symbol():
    assert FormulaWorking("K", "{n} + {m}", (Term("n", None),), None).sentence() == "K = n + m = – + m = –"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (float("nan"), "–"),
        (3.0, "3"),
        (125_000.0, "125,000"),
        (0.12345, "0.1235"),
        (0.1000004, "0.1000"),
        (-2.0, "−2"),
        (-2.5, "−2.5"),
        (123456.7, "123,457"),
        (0.00001234, "1.234e−05"),
        (2.5e12 + 0.5, "2.5e+12"),
    ],
)
def test_numbers_are_shown_short(value, text):
    assert significant(value) == text


def test_ratio_of_nothing_is_undefined():
    assert ratio(1, 0) is None
    assert ratio(1, 4) == 0.25


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=30))
def test_auc_is_the_share_of_pairs_in_order(records):
    positives = [score for mark, score in records if mark]
    negatives = [score for mark, score in records if not mark]
    pairs = [1.0 if p > n else 0.5 if p == n else 0.0 for p in positives for n in negatives]
    area = compared_pairs([mark for mark, _ in records], [score for _, score in records]).auc
    assert area is None if not pairs else area == pytest.approx(np.mean(pairs), abs=1e-12)


def test_normal_quantile():
    assert normal_quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    with pytest.raises(ValueError, match=wording.BETWEEN_0_AND_1):
        normal_quantile(1.0)
