"""Naive Bayes learned from the parts of a table: the model of memory, bit for bit, for any parts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import Cancelled, ParameterError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.bayes.naive_bayes import NaiveBayes, NaiveBayesModel
from algorithms.learners.bayes.partitioned import naive_bayes_from_parts, suited_naive_bayes
from tests.algorithms.learners.trees.test_binned import wide_data
from tests.algorithms.learners.trees.test_partitioned import evenly, in_parts
from tests.expected_texts import learners as wording


def identical(one: NaiveBayesModel, other: Any) -> None:
    for field in fields(one.conditionals):
        own, twin = getattr(one.conditionals, field.name), getattr(other.conditionals, field.name)
        if isinstance(own, np.ndarray):
            np.testing.assert_array_equal(own, twin, err_msg=field.name)
        else:
            assert own == twin


LEARNERS = [
    NaiveBayes(),
    NaiveBayes(numbers="equal-width", ranges=7),
    NaiveBayes(smoothing="m-estimate", m=2.0, ranges=3),
    NaiveBayes(smoothing="none", priors=(0.2, 0.3, 0.5)),
]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("n_parts", [1, 8, 23])
def test_the_model_is_that_of_memory_bit_for_bit(tmp_path: Path, learner: NaiveBayes, n_parts: int) -> None:
    data = wide_data(5, n=1500, missing=0.1)
    with ThreadPoolExecutor(2) as threads:
        context = RunContext(executor=threads)
        model = naive_bayes_from_parts(learner, in_parts(data, tmp_path, evenly(1500, n_parts)), context)
    twin = learner.fit(data, RunContext())
    identical(model, twin)
    np.testing.assert_array_equal(model.predict_proba(data), twin.predict_proba(data))


values: Any = st.one_of(
    st.lists(st.floats(allow_nan=True, allow_infinity=False), min_size=1, max_size=60),
    st.lists(st.sampled_from([-1.5, -0.0, 0.0, 5e-324, 1.0, 1.0000000000000002, 2.0]), min_size=1, max_size=60),
)


@settings(max_examples=40, deadline=None)
@given(numbers=values, cuts=st.lists(st.integers(0, 60), max_size=5), learner=st.sampled_from(LEARNERS[:3]))
def test_any_parts_give_the_same_model(numbers: list[float], cuts: list[int], learner: NaiveBayes) -> None:
    n = len(numbers)
    schema = Schema((numeric("x"), nominal("class", "abc")), 1)
    data = Dataset(schema, [np.array(numbers), np.arange(n, dtype=np.int8) % 3])
    with TemporaryDirectory() as folder:
        table = in_parts(data, Path(folder), sorted(min(cut, n) for cut in cuts))
        model = naive_bayes_from_parts(learner, table, RunContext())
    identical(model, learner.fit(data, RunContext()))


@pytest.mark.parametrize("numbers", ["gaussian", "kernel-density", "entropy", "multinomial"])
def test_what_needs_all_records_is_refused(numbers: str) -> None:
    with pytest.raises(ParameterError, match=wording.NUMBERS_NEED_ALL_RECORDS) as raised:
        suited_naive_bayes(NaiveBayes(numbers=numbers))
    assert "equal-width" in raised.value.remedy


def test_a_stop_is_heeded(tmp_path: Path) -> None:
    cancelled = RunContext()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        naive_bayes_from_parts(NaiveBayes(), in_parts(wide_data(1), tmp_path, [100]), cancelled)
