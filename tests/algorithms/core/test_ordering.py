"""The order to look at records in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.sorting import sorted_rows


def one(attribute: Attribute, values: object) -> Dataset:
    return Dataset(Schema((attribute,)), [values])


def test_numbers_go_by_size_and_missing_ones_come_last_either_way() -> None:
    data = one(numeric("x"), [3, np.nan, 1, np.inf, 2, np.nan, -np.inf])
    assert sorted_rows(data, 0).tolist() == [6, 2, 4, 0, 3, 1, 5]
    assert sorted_rows(data, 0, descending=True).tolist() == [3, 0, 4, 2, 6, 1, 5]


def test_equal_values_keep_their_order_either_way() -> None:
    data = one(numeric("x"), [1, 0, 1, 0])
    assert sorted_rows(data, 0).tolist() == [1, 3, 0, 2]
    assert sorted_rows(data, 0, descending=True).tolist() == [0, 2, 1, 3]


def test_labels_go_by_the_alphabet_and_ordinal_values_by_rank() -> None:
    codes = [0, 1, 2, -1]
    assert sorted_rows(one(nominal("c", ("low", "High", "mid")), codes), 0).tolist() == [1, 0, 2, 3]
    ordinal = nominal("c", ("low", "mid", "high"), ordinal=True)
    assert sorted_rows(one(ordinal, codes), 0, descending=True).tolist() == [2, 1, 0, 3]


def test_the_order_is_that_of_the_rows_in_view() -> None:
    data = one(numeric("x"), [5, 4, 3, 2]).take([0, 2, 3])
    assert sorted_rows(data, 0).tolist() == [2, 1, 0]


@pytest.mark.parametrize("descending", [False, True])
@given(texts=st.lists(st.one_of(st.none(), st.text("aB c", max_size=3), st.text("ab", min_size=30, max_size=40))))
def test_texts_go_by_the_alphabet_however_long(texts: list[str | None], descending: bool) -> None:
    column = np.array([np.nan if text is None else text for text in texts], dtype=STRING)
    data = one(Attribute("t", AttributeKind.TEXT), column)
    present = [(row, text.casefold()) for row, text in enumerate(texts) if text is not None]
    wanted = [row for row, _ in sorted(present, key=lambda pair: pair[1], reverse=descending)]
    wanted += [row for row, text in enumerate(texts) if text is None]
    found = sorted_rows(data, 0, descending).tolist()
    folded = ["" if text is None else text.casefold() for text in texts]
    assert [folded[row] for row in found] == [folded[row] for row in wanted]
    assert sorted(found) == list(range(len(texts)))
    if not any(len(text or "") > 30 for text in texts):
        assert found == wanted


def test_many_long_texts_that_begin_alike_are_sorted_in_blocks_that_can_be_stopped() -> None:
    n = 20_000
    numbers = np.random.default_rng(3).integers(0, 5000, n)
    texts = [f"https://www.example.org/a/long/way/to/{number:05}" for number in numbers]
    data = Dataset(Schema((Attribute("address", AttributeKind.TEXT),)), [np.array(texts, dtype=STRING)])
    asked: list[int] = []
    assert (
        sorted_rows(data, 0, checkpoint=lambda: asked.append(1)).tolist() == np.argsort(numbers, kind="stable").tolist()
    )
    assert len(asked) > 6
