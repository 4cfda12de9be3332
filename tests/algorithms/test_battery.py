"""Every registered learner and filter runs the battery; so does a toy that one registration adds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
import pytest
from numpy.typing import NDArray

from algorithms.catalogue import builtin
from algorithms.core.errors import CoppiceError, ModelFileError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Learner, State
from algorithms.core.parameters import Option, choice, configured
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.summary import summarize
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.multiclass.reductions import OneVsRest
from algorithms.learners.trees.zero_r import PriorModel
from tests.algorithms.battery import LEARNER_CHECKS, LearnerCheck, all_hold, learns_mixed_data
from tests.algorithms.battery_data import mixed
from tests.algorithms.filter_battery import FILTER_CHECKS, title, variants


@dataclass(frozen=True, kw_only=True)
class ToyLearner(Learner):
    """Believes every class that occurs as much as its square root."""

    id: ClassVar[str] = "toy"
    name: ClassVar[str] = "Toy"
    sentence: ClassVar[str] = "Guesses."
    family: ClassVar[str] = "Toys"
    mood: str = choice("calm", Option("calm", "calm"), Option("bold", "bold"), label="Mood", help="How it guesses.")

    def _fit(self, data: Dataset, context: RunContext) -> PriorModel:
        counts = np.bincount(data.class_codes, data.weights, minlength=len(data.schema.classes))
        return PriorModel(data.schema, np.sqrt(counts))


class ToyFitted(FittedFilter):
    """Changes nothing."""

    id: ClassVar[str] = "toy-fitted"

    def transform(self, data: Dataset) -> Dataset:
        return data

    def to_state(self) -> State:
        return State({"toy": True}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        if state.values.get("toy") is not True:
            raise ModelFileError("This is no toy.")
        return cls()


@dataclass(frozen=True, kw_only=True)
class ToyFilter(Filter):
    """Changes nothing."""

    id: ClassVar[str] = "toy-filter"
    name: ClassVar[str] = "Toy filter"
    sentence: ClassVar[str] = "Leaves everything as it is."
    family: ClassVar[str] = "Toys"
    fitted: ClassVar[type[FittedFilter]] = ToyFitted

    def fit(self, data: Dataset, context: RunContext) -> ToyFitted:
        return ToyFitted()


def registry_with_toys() -> Registry:
    registry = builtin()
    registry.add_learner(ToyLearner, PriorModel)
    registry.add_filter(ToyFilter)
    return registry


REGISTRY = registry_with_toys()
LEARNERS = list(REGISTRY.learners)


def few(learner: type[Learner], **values: object) -> Learner:
    """The learner with these values, of few members, epochs, folds and starts: as good for awkward data as many."""
    small = {"members": 3, "epochs": 30, "folds": 2, "restarts": 2, "jumps": 2}
    return learner(**{**{name: small[name] for name in small if name in learner().values()}, **values})


FILTERS = [variant for filter in REGISTRY.filters for variant in variants(filter)]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.id)
def test_learner(learner: type[Learner]) -> None:
    all_hold(LEARNER_CHECKS, few(learner), REGISTRY)


DATA_CHECKS = [
    check for check in LEARNER_CHECKS if check.__name__.startswith(("takes_", "weight", "is_saved", "learns"))
]
WEIGHT_CHECKS = [check for check in DATA_CHECKS if check.__name__.startswith("weight")]


def unusual(learner: type[Learner]) -> list[tuple[Learner, list[LearnerCheck]]]:
    """The learner with each word of each of its choices, and each of its truths turned round, and its checks.

    Where its pruning splits the records, its weights are checked without: only then are they repetition.
    """
    found = []
    whole = {"pruning": "none"} if learner().resamples and "pruning" in learner().values() else {}
    for parameter in learner.parameters():
        others = [option.word for option in parameter.options if option.word != parameter.default]
        if isinstance(parameter.default, bool):
            others.append(not parameter.default)
        found += [(for_many_classes(few(learner, **{parameter.name: other})), DATA_CHECKS) for other in others]
        if whole and parameter.name != "pruning":
            found += [(few(learner, **whole, **{parameter.name: other}), WEIGHT_CHECKS) for other in others]
    return found


def for_many_classes(learner: Learner) -> Learner:
    """The learner, within one against the rest where this choice of it takes two classes alone."""
    return OneVsRest(base=learner) if learner.values().get("penalty") == "firth" else learner


UNUSUAL = [
    (learner, checks)
    for known in LEARNERS
    for learner, checks in unusual(known)
    if learner.values().get("numbers") != "multinomial"  # it takes counts only; test_text_counts.py has them
]


@pytest.mark.parametrize(
    ("learner", "checks"), UNUSUAL, ids=[f"{learner.id} {learner.changed()}" for learner, _ in UNUSUAL]
)
def test_learner_with_another_choice(learner: Learner, checks: list[LearnerCheck]) -> None:
    if learner.values().get(
        "printed_error"
    ):  # as printed, weights swing so far that a few rounds may be worse than none
        checks = [check for check in checks if check is not learns_mixed_data]
    all_hold(checks, learner, REGISTRY)


NESTED = configured(
    Bagging,
    {"base": "cost-sensitive", "base.base": "one-vs-one", "base.base.base": "c4.5", "members": "3"},
    REGISTRY.resolve,
)
"""Learners over learners over learners."""


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.id)
def test_without_a_class_a_learner_says_what_is_missing(learner: type[Learner]) -> None:
    data = mixed()
    bare = Dataset(replace(data.schema, class_index=None), [data.column(index) for index in range(len(data.schema))])
    assert learner().check(summarize(bare))


def test_a_learner_suggests_what_it_declares_so_and_nothing_else() -> None:
    data, suggested = mixed(120, 3), 0
    for learner in LEARNERS:
        for parameter in learner.parameters():
            if parameter.suggested:
                found = learner().suggested(parameter.name, data, RunContext(seed=1))
                asked = learner(**{parameter.name: found.text})
                assert found.words and asked.check(summarize(data)) == []
                suggested += 1
        with pytest.raises(ValueError, match="suggests no"):
            Learner.suggested(learner(), "nothing", data, RunContext())
    assert suggested > 0


def test_nested_learner() -> None:
    assert isinstance(NESTED, Learner)
    all_hold(LEARNER_CHECKS, NESTED, REGISTRY)


@pytest.mark.parametrize("filter", FILTERS, ids=title)
def test_filter(filter: Filter) -> None:
    all_hold(FILTER_CHECKS, filter, REGISTRY)


class Forgetful(PriorModel):
    """Saves its counts rounded, and forgets to make shares of them."""

    id: ClassVar[str] = "forgetful"

    def _predict_proba(self, data: Dataset) -> NDArray[np.float64]:
        return np.tile(self.counts, (len(data), 1))


@dataclass(frozen=True, kw_only=True)
class Careless(ToyLearner):
    """Breaks rules: weights, records without class, probabilities."""

    id: ClassVar[str] = "careless"

    def fit(self, data: Dataset, context: RunContext) -> Forgetful:
        codes = data.class_codes.astype(int)
        return Forgetful(data.schema, np.bincount(codes + 1, minlength=len(data.schema.classes) + 1)[:-1] + 0.5)


def test_every_check_that_fails_is_named_and_those_after_it_are_run() -> None:
    with pytest.raises(BaseExceptionGroup) as failed:
        all_hold(LEARNER_CHECKS, Careless(), REGISTRY)
    names = {note.rpartition(" ")[2] for failure in failed.value.exceptions for note in failure.__notes__}
    assert names >= {"learns_mixed_data", "says_what_it_cannot_take"} and "predicts_no_records" not in names


@pytest.mark.parametrize(
    "name", ["learns_mixed_data", "weights_are_repetition", "cancelled_before_it_began", "says_what_it_cannot_take"]
)
def test_battery_notices_a_careless_learner(name: str) -> None:
    check = next(check for check in LEARNER_CHECKS if check.__name__ == name)
    with pytest.raises((AssertionError, pytest.fail.Exception, CoppiceError)):
        check(Careless(), REGISTRY)


def test_toys_are_found_like_everything_else() -> None:
    assert REGISTRY.families()["Toys"] == [ToyLearner]
    assert REGISTRY.resolve("toy-filter") is ToyFilter
