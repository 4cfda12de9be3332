"""Tables of very many classes: what would make a model of each pair says so before, or tells each from the rest."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, UnsuitableDataError
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.learners.multiclass.codes import bch, random_code
from algorithms.learners.multiclass.reductions import OneVsOne
from algorithms.learners.svm.model import SupportVectorModel
from algorithms.learners.svm.support_vector_machine import (
    MANY_CLASSES,
    LinearSupportVectorMachine,
    SupportVectorMachine,
)
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import core as wording


def of_classes(k: int, each: int = 2, unused: int = 0) -> Dataset:
    """Two numbers, and so many records of each of k classes; ``unused`` more classes have none."""
    codes = np.repeat(np.arange(k), each)
    random = np.random.default_rng(1)
    columns = [random.normal(size=len(codes)) + codes, random.normal(size=len(codes))]
    classes = nominal("class", [f"c{i}" for i in range(k + unused)])
    return Dataset(Schema((numeric("x"), numeric("y"), classes), 2), [*columns, codes])


@pytest.mark.parametrize("kind", [LinearSupportVectorMachine, SupportVectorMachine])
def test_machines_tell_each_class_from_the_rest_where_there_are_very_many(kind: type[Learner]) -> None:
    few, many = of_classes(5), of_classes(MANY_CLASSES + 1, 1)
    for data, machines in ((few, 10), (many, MANY_CLASSES + 1)):
        model = kind().fit(data, RunContext(seed=1))
        assert isinstance(model, SupportVectorModel)
        assert model.held.n_machines == machines


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (OneVsOne(base=ZeroR()), "50,000 models are the most. Choose one-vs-rest"),
        (LinearSupportVectorMachine(several="one-vs-one"), "50,000 machines are the most. Tell each class from"),
        (SupportVectorMachine(several="one-vs-one"), "50,000 machines are the most."),
    ],
)
def test_more_pairs_of_classes_than_memory_holds_are_refused_before_the_work(learner: Learner, words: str) -> None:
    data = of_classes(1000, 1)
    assert learner.check(summarize(data))
    with pytest.raises(UnsuitableDataError, match=wording.pairs_of_classes(words)):
        learner.fit(data, RunContext(seed=1))


def test_classes_without_records_have_no_pairs() -> None:
    data = of_classes(4, 5, unused=20_000)
    model = OneVsOne(base=ZeroR()).fit(data, RunContext(seed=1))
    assert model.facts()["members"] == 6
    assert model.predict_proba(data).shape == (20, 20_004)


def test_choosing_code_words_heeds_a_stop() -> None:
    def stop() -> None:
        raise Cancelled

    for make in (bch, random_code):
        with pytest.raises(Cancelled):
            make(300, 255, np.random.default_rng(1), checkpoint=stop)


def test_the_number_of_models_is_said_while_they_are_made() -> None:
    data, context, said = of_classes(50, 2), RunContext(seed=1), set[str]()
    work = threading.Thread(target=lambda: OneVsOne(base=ZeroR()).fit(data, context))
    work.start()
    while work.is_alive():
        said.add(context.message)
        work.join(0.001)
    assert wording.MODELS_OF_50_CLASSES in said
