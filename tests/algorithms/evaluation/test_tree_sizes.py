"""The overfitting curve: each point beside growing, cutting back and testing by hand, and beside the run itself."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.curves.learning_curves import TreeSizes, tree_sizes
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, LeaveOneOut, TrainingSet
from algorithms.evaluation.runner import evaluate
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.pruning_sequence import shrinking
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed


def sample(id: str) -> Dataset:
    return next(s for s in samples() if s.id == id).make(None, 1, RunContext(seed=1))


def sizes(data: Dataset, method: Method, seed: int = 5, learner: C45 | Chaid | None = None) -> TreeSizes:
    return tree_sizes(learner or C45(), data, (), method, RunContext(seed=seed))


def test_each_point_is_that_of_cutting_back_and_testing_by_hand() -> None:
    data, method = sample("iris"), CrossValidation(folds=4)
    found = sizes(data, method)
    splits = method.splits(data, np.random.default_rng(RunContext(seed=5).seeds))
    for step, leaves in enumerate(found.leaves.tolist()):
        wrong = 0
        for split in splits:
            assert split.test is not None
            tree = C45(pruning="none").fit(data.take(split.train), RunContext()).structure()
            assert isinstance(tree, Tree)
            shrunk = shrinking(tree)
            model, tested = TreeModel(shrunk.subtree(shrunk.step_of(leaves))), data.take(split.test)
            wrong += int(np.count_nonzero(model.predict(tested) != tested.class_codes))
        assert found.unseen[step] == pytest.approx(wrong / 150)
        model = TreeModel(found.shrinking.subtree(step))
        assert found.training[step] == pytest.approx(np.mean(model.predict(data) != data.class_codes))
    assert found.is_own and found.n_tested == 150 and found.n_training == 150
    assert found.spread == pytest.approx(np.sqrt(found.unseen * (1 - found.unseen) / 150))
    assert found.unseen[found.best] == found.unseen.min()


def test_a_record_tested_twice_makes_nothing_surer() -> None:
    found = sizes(sample("iris"), CrossValidation(folds=3, repeats=4))
    assert found.n_tested == 600
    assert found.spread == pytest.approx(np.sqrt(found.unseen * (1 - found.unseen) / 150))


@pytest.mark.parametrize("method", [CrossValidation(folds=5), Holdout(percent=70)])
def test_the_whole_tree_is_judged_as_by_a_run_of_its_own(method: Method) -> None:
    data = sample("wine")
    run = evaluate(C45(pruning="none"), data, method, RunContext(seed=9))
    found = sizes(data, method, seed=9)
    assert found.unseen[0] == pytest.approx(1 - np.mean(run.truth == run.decision))
    assert found.n_tested == len(run)


def test_training_error_only_rises_and_the_root_guesses() -> None:
    found = sizes(mixed(200, 1), CrossValidation(folds=5))
    assert np.all(np.diff(found.training) >= -1e-12)
    assert found.leaves[-1] == 1


@pytest.mark.parametrize("method", [TrainingSet(), LeaveOneOut()])
def test_a_method_that_flatters_or_has_many_parts_gives_way_to_ten_folds(method: Method) -> None:
    found = sizes(sample("iris"), method)
    assert found.method == CrossValidation(folds=10) and not found.is_own


def test_ten_records_are_enough() -> None:
    found = sizes(sample("loan"), CrossValidation(folds=10))
    assert found.leaves[0] > 1 and found.n_tested == 10


def test_a_learner_without_pruning_is_cut_back_as_well() -> None:
    found = sizes(sample("wine"), CrossValidation(folds=3), learner=Chaid())
    assert found.leaves[-1] == 1 and found.leaves[0] > 1


def test_a_test_file_is_what_is_tested() -> None:
    from algorithms.evaluation.methods.methods import TestFile

    data = sample("iris")
    tested = data.take(np.arange(0, 150, 3))
    found = tree_sizes(C45(), data, (), TestFile(path="x.csv"), RunContext(seed=1), tested)
    assert found.n_tested == 50 and found.is_own
    with pytest.raises(DataError):
        tree_sizes(C45(), data, (), TestFile(path="x.csv"), RunContext(seed=1))


def test_what_grows_no_tree_says_so() -> None:
    with pytest.raises(DataError):
        tree_sizes(ZeroR(), sample("iris"), (), CrossValidation(), RunContext())
