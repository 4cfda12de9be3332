"""Whatever values a declaration accepts, work with them ends in a result, in one plain error, or at a stop."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import Cancelled, CoppiceError, ParameterError, UnsuitableDataError
from algorithms.core.filters import Filter
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.by_column import ByColumn
from algorithms.evaluation.runner import evaluate
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.battery import sound, suiting
from tests.algorithms.battery_data import mixed
from tests.algorithms.extreme_values import extreme_settings
from tests.expected_texts import core as wording

SECONDS: Final = 0.05
"""After so long the work with one setting is stopped."""
STOPPING: Final = 2.0
"""Seconds that a stop may last, also on a machine that has other work."""
MOST_BYTES: Final = 3_000_000_000
"""Memory that a setting may ask for, above what there was before."""


@pytest.fixture
def bounded_memory() -> Iterator[None]:
    """Makes what asks for very much memory fail; changes nothing where the system has no such limit."""
    if sys.platform != "linux":
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MOST_BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@contextmanager
def stopped_soon() -> Iterator[RunContext]:
    """A run that is stopped after a while; a stop and a plain error are both fit ends of what is done with it."""
    context, stops = RunContext(seed=1), list[float]()

    def stop() -> None:
        stops.append(perf_counter())
        context.cancel()

    timer = threading.Timer(SECONDS, stop)
    timer.start()
    try:
        yield context
    except CoppiceError as error:
        assert error.sentence.endswith(".")
    except Cancelled:
        pass
    finally:
        timer.cancel()
        timer.join()
    assert not stops or perf_counter() - stops[0] < STOPPING


def learn(learner: Learner, context: RunContext) -> None:
    data = suiting(learner, 60, missing=0.1)
    sound(learner.fit(data, context), data)


def change(filter: Filter, context: RunContext) -> None:
    filter.learn(mixed(60, missing=0.1), context)


def judge(method: Method, context: RunContext) -> None:
    evaluate(ZeroR(), mixed(60), method, context)


def works_or_says_why_not(cls: type[Any], work: Callable[[Any, RunContext], None], **more: Any) -> None:
    if extremes := list(extreme_settings(cls)):
        work(cls(**more), RunContext(seed=1))  # what is imported late is there then
    for name, values in extremes:
        try:
            with stopped_soon() as context:
                work(cls(**{**more, **values}), context)
        except Exception as error:
            raise AssertionError(f"{cls.id} with {name}: {error!r}") from error


@pytest.mark.parametrize("learner", builtin().learners, ids=lambda cls: cls.id)
def test_no_value_that_a_learner_accepts_ends_in_anything_but_a_model_or_a_plain_error(
    learner: type[Learner], bounded_memory: None
) -> None:
    works_or_says_why_not(learner, learn, **({"folds": 2} if "folds" in learner().values() else {}))


@pytest.mark.parametrize("filter", builtin().filters, ids=lambda cls: cls.id)
def test_no_value_that_a_filter_accepts_ends_in_anything_but_data_or_a_plain_error(
    filter: type[Filter], bounded_memory: None
) -> None:
    works_or_says_why_not(filter, change)


@pytest.mark.parametrize(
    "method", [method for method in builtin().methods if not method.needs_test_data], ids=lambda cls: cls.id
)
def test_no_value_that_a_method_accepts_ends_in_anything_but_folds_or_a_plain_error(
    method: type[Method], bounded_memory: None
) -> None:
    more: dict[str, Any] = {}
    if issubclass(method, ByColumn):
        more["column"] = "Day" if method.id == "time-holdout" else "Colour"
    if method.id == "group-cross-validation":
        more["folds"] = 3
    works_or_says_why_not(method, judge, **more)


def test_numbers_that_cannot_be_squared_or_divided_by_are_refused() -> None:
    for number in (1e101, 1e300, 5e-324):
        with pytest.raises(ParameterError, match=re.escape(wording.OUT_OF_BOUNDS_IN_SIZE)):
            NaiveBayes(m=number)


def test_a_network_that_does_not_fit_into_memory_is_refused_before_it_is_made() -> None:
    data = mixed(60)
    with pytest.raises(UnsuitableDataError, match=wording.TOO_MANY_WEIGHTS):
        NeuralNetwork(hidden=(1_000_000,)).fit(data, RunContext(seed=1))
    with pytest.raises(UnsuitableDataError, match=wording.TOO_MANY_HIDDEN_LAYERS):
        NeuralNetwork(hidden=(1,) * 101).fit(data, RunContext(seed=1))
    with pytest.raises(ParameterError, match="to 1e\\+06"):
        NeuralNetwork(hidden=(2**63 - 1,))
