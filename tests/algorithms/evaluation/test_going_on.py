"""A run that was stopped and is made again goes on from what was judged, and says what it would have said."""

from __future__ import annotations

import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate, train
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.filters.replace_missing import ReplaceMissing
from tests.algorithms.evaluation.toys import hooked, two_classes

TRIED = "digits=0,1,2,3"


def counted(stop_after: int | None = None):
    """A learner that counts its fits, and stops its run after so many."""
    fits: list[RunContext] = []

    def hook(_data, context):
        fits.append(context)
        if stop_after is not None and len(fits) > stop_after:
            running[0].cancel()
            context.cancel()
            context.checkpoint()

    running: list[RunContext] = []
    return hooked(hook), fits, running


@pytest.mark.parametrize("is_search", [False, True])
def test_nothing_is_learned_twice_and_the_numbers_are_those_of_one_go(is_search):
    def judged(stop_after, kept):
        base, fits, running = counted(stop_after)
        learner = Tuned(base=base, tried=TRIED, folds=3) if is_search else base
        context = RunContext(seed=5)
        context.kept = kept
        running.append(context)
        try:
            return evaluate(learner, two_classes(), CrossValidation(folds=4), context), len(fits)
        except Cancelled:
            return None, len(fits)

    whole, n = judged(None, None)
    kept: dict = {}
    half, n_before = judged(n // 2, kept)
    assert half is None and kept
    rest, n_after = judged(None, kept)
    allowed = 1 + is_search  # the one that was under way, and a model whose settings were chosen already
    assert n <= n_before + n_after - 1 <= n + allowed
    assert rest.probabilities.tolist() == whole.probabilities.tolist()
    assert [each.losses.tolist() for each in rest.searches] == [each.losses.tolist() for each in whole.searches]


def test_another_seed_takes_nothing_over():
    kept: dict = {}
    found = []
    for seed in (1, 2):
        base, fits, _ = counted()
        context = RunContext(seed=seed)
        context.kept = kept
        evaluate(base, two_classes(), CrossValidation(folds=4), context)
        found.append(len(fits))
    assert found == [4, 4]


def test_a_part_that_was_shortened_is_made_again():
    context = RunContext(seed=1)
    context.kept = {}
    assert context.once("a", lambda: 1, lambda made: made > 1) == 1
    assert context.once("a", lambda: 2) == 2
    assert context.once("a", lambda: 3) == 2
    assert context.child(0.5, 0).once("a", lambda: 4) == 4


def test_predicting_can_be_stopped_while_missing_values_are_filled():
    data = two_classes()
    data = data.with_cells(0, [3, 4], [float("nan")] * 2)
    trained = train(hooked(lambda _data, _context: None), data, (ReplaceMissing(),), RunContext())

    context = RunContext()
    assert len(trained.with_judgement(data, trained.judged(data, context))) == len(data)
    context.cancel()
    with pytest.raises(Cancelled):
        trained.judged(data, context)
