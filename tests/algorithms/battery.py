"""What every learner must do, whatever it learns: checks that take any learner.

A test of a new learner runs them all: ``for check in LEARNER_CHECKS: check(learner, registry)``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, TypeVar

import numpy as np
import pytest

from algorithms.core.cluster import SentData
from algorithms.core.errors import Cancelled, CoppiceError, UnsuitableDataError
from algorithms.core.extras import CLUSTER
from algorithms.core.learner import Learner, Model
from algorithms.core.parameters import from_json
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from tests.algorithms.battery_data import (
    CLASS_AT,
    all_missing,
    constant,
    contents,
    doubled,
    mixed,
    ranged,
    same_bits,
    same_state,
    through_disk,
    with_codes,
)

T = TypeVar("T")
LearnerCheck = Callable[[Learner, Registry], None]


def all_hold(checks: Iterable[Callable[[T, Registry], None]], tested: T, registry: Registry) -> None:
    """Run every check, also after one that fails; raises the failures together, each with the name of its check. A
    test of its own for each check would take longer to report than to run."""
    failures: list[BaseException] = []
    for check in checks:
        try:
            check(tested, registry)
        except (Exception, pytest.fail.Exception) as failure:
            failure.add_note(f"in the check {check.__name__}")
            failures.append(failure)
    if failures:
        names = ", ".join(note.rpartition(" ")[2] for failure in failures for note in failure.__notes__[-1:])
        raise BaseExceptionGroup(f"fails {names}", failures)


def context(seed: int = 1) -> RunContext:
    return RunContext(seed=seed)


def fitted(learner: Learner, data: Dataset) -> Model:
    """The model, after checking that it classifies its own training data soundly."""
    model = learner.fit(data, context())
    sound(model, data)
    return model


def travels(learner: Learner, registry: Registry) -> None:
    """Workers of a cluster are sent a learner with data; they send the model back."""
    if not CLUSTER.is_installed:
        return
    from distributed.protocol.pickle import dumps, loads

    data = mixed()
    sent = loads(dumps((learner, SentData(data))))
    assert sent[0] == learner and contents(sent[1].data) == contents(data)
    try:
        model = learner.fit(data, context())
    except CoppiceError:
        return
    again = loads(dumps(model))
    assert again.predict_proba(data).tobytes() == model.predict_proba(data).tobytes()


def sound(model: Model, data: Dataset) -> None:
    """Shapes and types of predictions, probabilities that are some, decisions among the likeliest classes."""
    probabilities, decisions = model.predict_proba(data), model.predict(data)
    assert probabilities.shape == (len(data), len(model.classes))
    assert probabilities.dtype == np.float64
    assert decisions.shape == (len(data),)
    assert decisions.dtype == np.int32
    assert np.all(np.isfinite(probabilities))
    assert np.all(probabilities >= 0)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(data)))
    if len(data) and not model.decides_otherwise:
        chosen = probabilities[np.arange(len(data)), decisions]
        assert np.allclose(chosen, probabilities.max(axis=1), atol=1e-9)


# ---- what it says of itself ------------------------------------------------------------------------------------------


def describes_itself(learner: Learner, registry: Registry) -> None:
    assert learner.id == learner.id.lower()
    assert " " not in learner.id
    assert learner.name
    assert learner.family
    assert learner.sentence.endswith(".")
    for parameter in learner.parameters():
        assert parameter.label
        assert parameter.help.endswith("."), parameter.name
    assert registry.learners.get(learner.id) is type(learner)


def is_the_same_after_json(learner: Learner, registry: Registry) -> None:
    assert from_json(json.loads(json.dumps(learner.to_json())), registry.resolve) == learner


def suiting(learner: Learner, n: int = 120, seed: int = 0, *, missing: float = 0.0, weighted: bool = False) -> Dataset:
    """Mixed data as the learner takes it: with numbers cut into ranges where it refuses numbers."""
    data = mixed(n, seed, missing=missing, weighted=weighted)
    columns = [problem.column for problem in learner.check(summarize(mixed(30)))]
    return ranged(data, [name for name in columns if name is not None])


# ---- awkward data ----------------------------------------------------------------------------------------------------


def learns_mixed_data(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, missing=0.1)
    model = fitted(learner, data)
    baseline = np.bincount(data.class_codes).max() / len(data)
    assert np.mean(model.predict(data) == data.class_codes) >= baseline - 0.05
    sound(model, suiting(learner, 50, seed=9, missing=0.3))


def takes_one_class(learner: Learner, registry: Registry) -> None:
    model = fitted(learner, with_codes(suiting(learner, 40), np.full(40, 1)))
    assert set(model.predict(suiting(learner, 20, seed=2)).tolist()) == {1}


def takes_one_record(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 1)
    assert fitted(learner, data).predict(data).tolist() == data.class_codes.tolist()


def takes_two_records(learner: Learner, registry: Registry) -> None:
    fitted(learner, with_codes(suiting(learner, 2), [0, 1]))


def takes_nothing_but_missing_values(learner: Learner, registry: Registry) -> None:
    model = fitted(learner, all_missing(suiting(learner, 60)))
    sound(model, suiting(learner, 10))


def takes_constant_columns(learner: Learner, registry: Registry) -> None:
    model = fitted(learner, constant(suiting(learner, 60)))
    sound(model, suiting(learner, 10))


def takes_identical_columns(learner: Learner, registry: Registry) -> None:
    fitted(learner, doubled(suiting(learner, 60)))


def takes_no_predictors(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 30).select_columns([4, CLASS_AT])
    problems = learner.check(summarize(data))
    if not problems:
        fitted(learner, data)


def predicts_unseen_values(learner: Learner, registry: Registry) -> None:
    model = learner.fit(suiting(learner, 60, missing=0.05), context())
    other = suiting(learner, 12, seed=4)
    length, numbers = other.schema.attributes[0], [1e300, -1e300, 1e-300, np.inf, -np.inf]
    strange = other.with_columns(
        {
            0: (length, [2, 0, 1, 1, 0, -1] * 2 if length.kind.is_coded else [*numbers, np.nan] * 2),
            2: (nominal("Colour", ("violet", "red", "")), [0, 1, 2, -1] * 3),
        }
    )
    sound(model, strange)


def predicts_no_records(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 30)
    sound(learner.fit(data, context()), data.take([]))


def finds_columns_by_name(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 60)
    model = learner.fit(data, context())
    turned = data.select_columns([3, 6, 1, 5, 0, 2, 4]).with_new_column(numeric("More"), np.zeros(60))
    assert same_bits(model.predict_proba(turned), model.predict_proba(data))
    assert same_bits(model.predict(data.select_columns([0, 1, 2, 3])), model.predict(data))


# ---- weights and records without class -------------------------------------------------------------------------------


def weights_are_repetition(learner: Learner, registry: Registry) -> None:
    if learner.resamples:
        return
    data = suiting(learner, 80, weighted=True, missing=0.05)
    repeated = data.with_weights(None).take(np.repeat(np.arange(80), data.weight_array.astype(int)))
    by_weight, by_repetition = fitted(learner, data), fitted(learner, repeated)
    other = suiting(learner, 60, seed=5, missing=0.1)
    assert by_weight.predict_proba(other) == pytest.approx(by_repetition.predict_proba(other), abs=1e-9)


def weightless_records_count_as_absent(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 80, missing=0.05)
    weights = np.ones(80)
    weights[::3] = 0
    light, absent = fitted(learner, data.with_weights(weights)), fitted(learner, data.take(weights > 0))
    other = suiting(learner, 60, seed=5, missing=0.1)
    assert light.predict_proba(other) == pytest.approx(absent.predict_proba(other), abs=1e-9)


def takes_no_weight_at_all(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 20).with_weights(np.zeros(20))
    try:
        model = learner.fit(data, context())
    except UnsuitableDataError:
        return
    sound(model, data)


def records_without_class_are_not_learned_from(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 80)
    codes = data.class_codes.astype(int).copy()
    codes[::4] = -1
    found = learner.fit(with_codes(data, codes), context())
    expected = learner.fit(data.take(codes >= 0), context())
    assert same_state(found.to_state(), expected.to_state())


# ---- manners ---------------------------------------------------------------------------------------------------------


def same_seed_same_model(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 100, missing=0.1)
    one, other = (learner.fit(data, context(7)).to_state() for _ in range(2))
    assert same_state(one, other)


def leaves_its_input_alone(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 60, missing=0.1, weighted=True)
    before = contents(data)
    learner.fit(data, context()).predict_proba(data)
    assert contents(data) == before
    assert contents(suiting(learner, 60, missing=0.1, weighted=True)) == before


def is_saved_and_loaded_bit_for_bit(learner: Learner, registry: Registry) -> None:
    data, other = suiting(learner, 100, missing=0.1), suiting(learner, 60, seed=5, missing=0.2)
    model = learner.fit(data, context())
    state = replace(through_disk(model.to_state()), kinds=registry.models.get)
    loaded = registry.models.get(model.id).from_state(model.schema, state)
    assert same_state(loaded.to_state(), model.to_state())
    assert same_bits(loaded.predict_proba(other), model.predict_proba(other))
    assert same_bits(loaded.predict(other), model.predict(other))
    assert loaded.facts() == model.facts()


def cancelled_before_it_began(learner: Learner, registry: Registry) -> None:
    stopped = context()
    stopped.cancel()
    with pytest.raises(Cancelled):
        learner.fit(suiting(learner, 60), stopped)


def cancelled_while_it_learns(learner: Learner, registry: Registry) -> None:
    data, running, ends = suiting(learner, 60_000, missing=0.02), context(), list[str]()

    def learn() -> None:
        try:
            learner.fit(data, running)
            ends.append("done")
        except Cancelled:
            ends.append("cancelled")

    learner.fit(suiting(learner, 30, missing=0.1), context())
    thread = threading.Thread(target=learn)
    thread.start()
    thread.join(0.02)
    running.cancel()
    thread.join(2.0)
    assert ends in (["done"], ["cancelled"])


def finished_early_it_still_yields_a_model(learner: Learner, registry: Registry) -> None:
    finishing, data = context(), suiting(learner, 60)
    finishing.finish()
    sound(learner.fit(data, finishing), data)


def explains_what_it_decides(learner: Learner, registry: Registry) -> None:
    data = suiting(learner, 60, missing=0.2)
    model = learner.fit(data, context())
    probabilities, decisions = model.predict_proba(data), model.predict(data)
    for row in range(0, 60, 7):
        found = model.explain(data, row)
        assert found.decision == decisions[row]
        assert found.probabilities == pytest.approx(probabilities[row].tolist())
        assert all(isinstance(step, str) for step in found.steps)
    json.dumps(model.facts())
    assert model.structure() is not None


def says_what_it_cannot_take(learner: Learner, registry: Registry) -> None:
    data = mixed(30)
    nothing = Dataset(Schema(()), [])
    for unsuitable in (data.with_class(None), data.with_class("Length"), with_codes(data, np.full(30, -1)), nothing):
        problems = learner.check(summarize(unsuitable))
        assert problems
        assert problems[0].sentence.endswith(".")
        with pytest.raises(UnsuitableDataError):
            learner.fit(unsuitable, context())
    empty = data.take([])
    assert learner.check(summarize(empty))


LEARNER_CHECKS: Final[Sequence[LearnerCheck]] = (
    describes_itself,
    is_the_same_after_json,
    learns_mixed_data,
    takes_one_class,
    takes_one_record,
    takes_two_records,
    takes_nothing_but_missing_values,
    takes_constant_columns,
    takes_identical_columns,
    takes_no_predictors,
    predicts_unseen_values,
    predicts_no_records,
    finds_columns_by_name,
    weights_are_repetition,
    weightless_records_count_as_absent,
    takes_no_weight_at_all,
    records_without_class_are_not_learned_from,
    same_seed_same_model,
    leaves_its_input_alone,
    is_saved_and_loaded_bit_for_bit,
    travels,
    cancelled_before_it_began,
    cancelled_while_it_learns,
    finished_early_it_still_yields_a_model,
    explains_what_it_decides,
    says_what_it_cannot_take,
)
