"""A global surrogate: a small tree that imitates a model, and its fidelity on records not used in fitting it.

The tree is a CART tree of limited depth on the raw attributes (Craven and Shavlik, Extracting tree-structured
representations of trained networks, 1996). It is taught the probabilities of the model: each training record stands
there once for each class, weighted by its probability. Then the Gini gain is the fall of the squared differences
between the probabilities of model and leaf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import ModelFileError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner, State
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel, TrainedClassifier, learn, suited_to
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.compare.significance_tests import paired_t
from algorithms.evaluation.fold_models import FoldTask, answers, apart, drawn_rows, each_fold, tested_rows
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.learners.trees.cart import Cart
from algorithms.text.numbers import coefficient, interval_words, percent
from algorithms.text.sentences import counted, quoted

DEPTH: Final = 3
MOST_DEPTH: Final = 8
MOST_TAUGHT: Final = 20_000
"""Largest number of training records that a tree is taught. The seed draws them."""
MOST_SHARES: Final = 2_000_000
"""Largest number of these records times classes."""
MOST_TESTED: Final = 5_000
"""Largest number of test records of a fold. The seed draws them."""
LEAST_SHARE: Final = 1e-3
"""A class of a smaller probability is not taught for a record."""
UNIT: Final = 1 << 30
"""Probabilities are taught in whole multiples of 1 / UNIT, so that the weights of a record add up to 1 exactly."""
MIN_LEAF: Final = 5

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class SurrogateTree:
    """A surrogate tree ``trained`` on the model of all records, and the fidelity of those of the tested folds.

    ``agreement`` (f,) is the share of the test records for which tree and model decide alike, ``constant`` (f,) that
    for which the model decides as it most often does in training. ``determination`` (f, k) is R^2 of the probability of
    each class, NaN where the model's is constant. ``sizes`` (f,) are the numbers of test records.
    """

    depth: int
    n_folds: int
    test_share: float
    agreement: FloatArray
    constant: FloatArray
    usual: IntArray
    """The code (f,) of the model's most frequent decision in training."""
    determination: FloatArray
    sizes: IntArray
    trained: TrainedClassifier | None = None
    failures: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        return self.trained is not None and len(self.sizes) + len(self.failures) >= self.n_folds

    @property
    def mean_agreement(self) -> float:
        return float(self.agreement.mean())

    @property
    def interval(self) -> Interval:
        """95% CI of the agreement: of the corrected resampled t test over folds, or the score interval of one fold."""
        if len(self.agreement) < 2:
            return accuracy_interval(self.mean_agreement, float(self.sizes.sum()))
        low, high = paired_t(self.agreement, test_share=self.test_share).interval
        return max(0.0, low), high

    @property
    def baseline(self) -> float:
        """Agreement of a model that always decides as the models most often do."""
        return float(self.constant.mean())

    def r_squared(self, code: int) -> float:
        """Mean over the folds; NaN where the models' probability is constant in all."""
        known = self._known(code)
        return float(known.mean()) if len(known) else float("nan")

    def r_squared_interval(self, code: int) -> Interval | None:
        """95% CI of R^2 over the folds; None for fewer than two."""
        known = self._known(code)
        if len(known) < 2:
            return None
        low, high = paired_t(known, test_share=self.test_share, limit=float("inf")).interval
        return low, min(1.0, high)

    def _known(self, code: int) -> FloatArray:
        column = self.determination[:, code]
        return np.asarray(column[np.isfinite(column)])

    def sentence(self, classes: Sequence[str]) -> str:
        """The fidelity with interval and baseline, in words."""
        n, usual = int(self.sizes.sum()), np.unique(self.usual)
        always = quoted(classes[usual[0]]) if len(usual) == 1 else "the most frequent decision in each fold's training"
        return (
            f"A tree of depth at most {self.depth} decides as the model for {percent(self.mean_agreement, n)} of "
            f"{counted(n, 'test prediction')} ({interval_words(*self.interval, n)}). Always {always} would agree for "
            f"{percent(self.baseline, n)}."
        )

    def rows(self, classes: Sequence[str]) -> list[list[object]]:
        """Header and a row for each measure of fidelity with plain numbers; unknown ones are empty."""
        rows: list[list[object]] = [
            ["measure", "class", "value", "low_95", "high_95"],
            ["agreement", "", self.mean_agreement, *self.interval],
            ["baseline", "", self.baseline, "", ""],
        ]
        for code, label in enumerate(classes):
            mean, between = self.r_squared(code), self.r_squared_interval(code)
            rows.append(["r_squared", label, "" if mean != mean else mean, *(between or ("", ""))])
        return rows

    def written_rows(self, classes: Sequence[str]) -> list[list[str]]:
        """Header and rows on R^2 of the probabilities, as a person reads them."""
        rows = [["class", "R² of the probability", "95% CI"]]
        for code, label in enumerate(classes):
            between = self.r_squared_interval(code)
            ends = "" if between is None else f"{coefficient(between[0])} to {coefficient(between[1])}"
            rows.append([label, coefficient(self.r_squared(code)), ends])
        return rows

    def to_state(self) -> State:
        """All but ``trained`` as plain values and arrays."""
        values = {"depth": self.depth, "planned": self.n_folds, "share": self.test_share}
        arrays = {name: getattr(self, name) for name in ("agreement", "constant", "usual", "determination", "sizes")}
        return State({**values, "failures": list(self.failures)}, arrays)

    @classmethod
    def from_state(cls, state: State, k: int, trained: TrainedClassifier | None) -> Self:
        """Raises :class:`ModelFileError` or one of ``NONSENSE`` for a state that is none for ``k`` classes."""
        values, arrays = state.values, state.arrays
        agreement, constant, determination = (arrays[name] for name in ("agreement", "constant", "determination"))
        usual, sizes, n = arrays["usual"], arrays["sizes"], len(agreement)
        if (
            any(array.dtype != np.float64 for array in (agreement, constant, determination))
            or any(array.dtype != np.int64 for array in (usual, sizes))
            or not agreement.shape == constant.shape == usual.shape == sizes.shape == (n,)
            or determination.shape != (n, k)
            or not 1 <= n <= int(values["planned"])
            or not np.all((agreement >= 0) & (agreement <= 1) & (constant >= 0) & (constant <= 1) & (sizes > 0))
            or not np.all((usual >= 0) & (usual < k))
            or np.any(determination > 1)
            or not 1 <= int(values["depth"]) <= MOST_DEPTH
            or not 0 <= float(values["share"]) < np.inf
        ):
            raise ModelFileError("The file is damaged: the fidelity of a surrogate tree does not fit.")
        settings = int(values["depth"]), int(values["planned"]), float(values["share"])
        failures = tuple(map(str, values["failures"]))
        return cls(*settings, agreement, constant, usual, determination, sizes, trained, failures)

    def to_json(self, classes: Sequence[str]) -> dict[str, Any]:
        """All numbers; unknown ones are NaN."""
        tree = None if self.trained is None else self.trained.structure()
        by_class = {
            label: {"r_squared": self.r_squared(code), "interval": self.r_squared_interval(code)}
            for code, label in enumerate(classes)
        }
        return {
            "surrogate": "cart",
            "max_depth": self.depth,
            "agreement": self.mean_agreement,
            "interval": list(self.interval),
            "baseline": self.baseline,
            "by_part": self.agreement.tolist(),
            "classes": by_class,
            "test_predictions": int(self.sizes.sum()),
            "parts": len(self.sizes),
            "planned_parts": self.n_folds,
            "whole": self.is_whole,
            "tree": None if tree is None else tree.info.facts,
            "failures": list(self.failures),
        }


class _Fidelity(NamedTuple):
    """Numbers of a fold, as of :class:`SurrogateTree`."""

    agreement: float
    constant: float
    usual: int
    determination: FloatArray
    size: int


def surrogate_tree(
    learner: Learner,
    data: Dataset,
    method: Method,
    context: RunContext,
    depth: int = DEPTH,
    *,
    recipe: Recipe = (),
    model: LearnedModel | None = None,
) -> SurrogateTree:
    """The surrogate tree of the model of all records, and its fidelity in the folds of a method.

    ``model`` is that of all records if it is known. Publishes :class:`SurrogateTree` after each fold.
    """
    labelled = data.labelled()
    task = FoldTask.of(learner, recipe, method, labelled, context)
    n, share = task.n_folds(labelled), task.test_share(labelled)

    def made(
        done: Mapping[int, _Fidelity], failures: Sequence[str], trained: TrainedClassifier | None = None
    ) -> SurrogateTree:
        folds = list(done.values())
        return SurrogateTree(
            depth,
            n,
            share,
            np.array([fold.agreement for fold in folds]),
            np.array([fold.constant for fold in folds]),
            np.array([fold.usual for fold in folds], dtype=np.int64),
            np.array([fold.determination for fold in folds]),
            np.array([fold.size for fold in folds], dtype=np.int64),
            trained,
            tuple(failures),
        )

    def keep(done: Mapping[int, _Fidelity], failures: Sequence[str]) -> None:
        context.publish(made(done, failures))

    done, failures = each_fold(_fold_fidelity, task, labelled, context, depth, keep=keep)
    if model is None:
        model = learn(suited_to(learner, method), recipe, labelled, context.child(0.05, 0))
    rows = drawn_rows(np.arange(len(labelled)), most_taught(labelled), context)
    taught = taught_tree(model, apart(labelled, rows), depth, context.child(0.05, 1))
    tree = TrainedClassifier(
        data.schema, taught.recipe, taught.model, taught.learner, (), f"predictions of {learner.name}"
    )
    return made(done, failures, tree)


def _fold_fidelity(task: FoldTask, data: Dataset, fold: int, depth: int, context: RunContext) -> _Fidelity:
    """Trains a fold's model and its surrogate, and compares both on test records."""
    split = task.fold(data, fold)
    learned = task.trained(data, fold, context.child(0.7, 0))
    context.checkpoint()
    rows = drawn_rows(split.train, most_taught(data), context)
    training = apart(data, rows)
    tree = taught_tree(learned, training, depth, context.child(0.3, 1))
    usual = int(np.bincount(answers(learned, training, context).decisions).argmax())
    records = apart(data, drawn_rows(tested_rows(split), MOST_TESTED, context))
    asked, own = answers(learned, records, context), answers(tree, records, context)
    return _Fidelity(
        float(np.mean(asked.decisions == own.decisions)),
        float(np.mean(asked.decisions == usual)),
        usual,
        r_squared(asked.probabilities, own.probabilities),
        len(records),
    )


def taught_tree(model: LearnedModel, records: Dataset, depth: int, context: RunContext) -> LearnedModel:
    """A tree with at most ``depth`` levels of splits that learned the model's probabilities on these raw records."""
    tree = Cart(pruning="none", max_depth=depth, min_leaf=MIN_LEAF)
    ensure_compiled(tree.kernels, context)
    shares = np.asarray(answers(model, records, context).probabilities, dtype=np.float64)
    parts = np.rint(np.where(shares < LEAST_SHARE, 0.0, shares) * UNIT)
    parts[np.arange(len(parts)), shares.argmax(axis=1)] += UNIT - parts.sum(axis=1)
    rows, codes = np.nonzero(parts > 0)
    index = records.schema.class_index
    assert index is not None
    answered = apart(records, rows).with_column(index, records.schema.class_attribute, codes)
    return learn(tree, (), answered.with_weights(parts[rows, codes] / UNIT), context)


def most_taught(data: Dataset) -> int:
    """Largest number of training records that a tree is taught."""
    return min(MOST_TAUGHT, MOST_SHARES // len(data.schema.classes))


def r_squared(shares: FloatArray, own_shares: FloatArray) -> FloatArray:
    """R^2 (k,) of probabilities ``own_shares`` (n, k) that stand for ``shares`` (n, k); NaN where these are constant.

    1 - sum (p - q)^2 / sum (p - mean p)^2.
    """
    rest = ((shares - own_shares) ** 2).sum(axis=0)
    total = ((shares - shares.mean(axis=0)) ** 2).sum(axis=0)
    is_constant = total < 1e-12
    return np.asarray(np.where(is_constant, np.nan, 1 - rest / np.where(is_constant, 1.0, total)))
