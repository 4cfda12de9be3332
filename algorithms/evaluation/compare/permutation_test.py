"""Permutation test: would the run score as well if attributes and class were independent?

Recipe, learner and method run again on tables with permuted class labels. A method with groups permutes whole groups; a
method by time shifts the labels in time. The p-value is the share of permutations with at least the score of the run.
The score is by default the ranking measure (AUC if the baseline may be as accurate, else accuracy). Sources: Good,
Permutation Tests (1994); Ojala and Garriga, Permutation tests for studying classifier performance (2010), test 1; TSKK
second edition, section 10.2.2 (randomizing class labels).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.parameters import Configurable, Option, choice
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.measure import Measure, PermutationWords, Unit
from algorithms.evaluation.measures.metrics import ranking_measure, report, report_without_intervals
from algorithms.evaluation.measures.registry import MEASURES, of_permutation_test
from algorithms.evaluation.methods.by_column import ByGroup, TimeHoldout
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.text.numbers import p_words

ALPHA: Final = 0.05
USUAL: Final = 99
"""Default number of permutations; the smallest possible p-value is 0.01."""
_AS_GOOD: Final = 1e-9
"""Scores that differ by less are equal but for rounding."""


ACCURACY: Final = "accuracy"
RANKING: Final = "ranking"
"""Id for the measure that ranks runs, whichever it is."""


@dataclass(frozen=True)
class ShuffleOptions(Configurable):
    """Options of the permutation test on the command line."""

    id = "shuffle"
    name = "Permutation test"
    sentence = "Makes the same run on tables with shuffled classes."
    measure: str = choice(
        RANKING,
        Option(RANKING, "The one that ranks", "AUC where always guessing may be right as often, else accuracy."),
        *(
            Option(measure.id, measure.in_sentence[:1].upper() + measure.in_sentence[1:])
            for measure in of_permutation_test()
        ),
        label="Measure",
        help="By which figure a shuffled table does as well as the run.",
    )


def measures_of(result: EvaluationResult, checkpoint: Callable[[], object] = lambda: None) -> dict[str, float]:
    """All measures of a run by id; an undefined measure has its value under guessing."""
    report = report_without_intervals(result, checkpoint)
    values = {measure.id: measure.value(report) for measure in of_permutation_test()}
    return {id: MEASURES.get(id).chance or 0.0 if value is None else value for id, value in values.items()}


@dataclass(frozen=True, eq=False)
class ShuffleTest:
    """Result of a permutation test: score ``own`` of the run and ``scores`` (b,) of its permutations so far.

    ``planned`` is the number of permutations to make. ``every`` has both for all measures by id. Tests saved by older
    versions have accuracy alone.
    """

    own: float
    scores: FloatArray
    planned: int
    measure: str = ACCURACY
    every: Mapping[str, tuple[float, FloatArray]] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[str, ...]:
        """Ids of the available measures."""
        return tuple(self.every) or (self.measure,)

    @property
    def by(self) -> Measure:
        """The measure that decides."""
        return MEASURES.get(self.measure)

    @property
    def words(self) -> PermutationWords:
        """Texts of the measure for this test."""
        words = self.by.permutation
        assert words is not None
        return words

    def judged_by(self, measure: str) -> ShuffleTest:
        """The same test by another measure; unchanged if that measure is not available."""
        if measure == self.measure or measure not in self.every:
            return self
        own, scores = self.every[measure]
        return replace(self, own=own, scores=scores, measure=measure)

    @property
    def n_as_good(self) -> int:
        """Number of permutations with at least the score of the run."""
        return int(np.count_nonzero(self.scores >= self.own - _AS_GOOD))

    @property
    def p_value(self) -> float:
        """(b + 1) / (m + 1) for b of m permutations as good: the run itself is one of them (Phipson and Smyth 2010)."""
        return (self.n_as_good + 1) / (len(self.scores) + 1)

    @property
    def is_whole(self) -> bool:
        return len(self.scores) >= self.planned

    @property
    def is_real(self) -> bool:
        """Whether the result is significant."""
        return self.p_value <= ALPHA

    def chance_words(self) -> str:
        """The p-value: "p = 0.050"."""
        return p_words(self.p_value)

    def sentences(self) -> tuple[str, str]:
        """The result of the test and its meaning."""
        m, as_good = len(self.scores), self.n_as_good
        if not m:
            return "No permutation tested yet", ""
        tables = "permutation" if m == 1 else "permutations"
        did = f"{as_good if as_good else 'none'} of {m:,} {tables} did as well by {self.by.in_sentence}"
        mean = self.words.text(float(self.scores.mean()))
        typical = f"On permuted classes {self.words.typical.format(mean)} on average"
        if self.is_real:
            meaning = f"{typical}: the result is significant."
        elif 1 / (m + 1) > ALPHA:
            meaning = f"{typical}. So few permutations cannot reach p = 0.05: use 19 at least, usually 99."
        else:
            meaning = f"{typical}: the result is not significant."
        return f"Permutation test: {self.chance_words()} ({did})", meaning


def with_shuffled_classes(
    data: Dataset,
    random: np.random.Generator,
    groups: IntArray | None = None,
    moments: FloatArray | IntArray | None = None,
) -> Dataset:
    """The same records with permuted classes; records without a class keep none.

    With ``groups`` (n,) each group takes the classes of another group, so that groups stay homogeneous. With
    ``moments`` (n,), NaN if unknown, the classes are shifted circularly in time, which keeps their order.
    """
    index = data.schema.class_index
    if index is None:
        raise DataError("There is no class to shuffle.", remedy="Choose the column to predict.")
    codes = data.class_codes.copy()
    rows = np.flatnonzero(codes >= 0)
    if groups is not None:
        codes[rows] = _permute_groups(codes[rows], groups[rows], random)
    elif moments is not None and len(rows) > 1:
        order = rows[np.argsort(moments[rows], kind="stable")]
        codes[order] = np.roll(codes[order], int(random.integers(1, len(rows))))
    else:
        codes[rows] = codes[random.permutation(rows)]
    return data.with_column(index, data.schema.attributes[index], codes)


def _permute_groups(codes: NDArray[np.integer], groups: IntArray, random: np.random.Generator) -> NDArray[np.integer]:
    """Classes (n,) after each group took those of another group in random order, repeated if it is larger."""
    places = np.unique(groups, return_inverse=True)[1]
    order = np.argsort(places, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(places))[:-1])
    dealt = codes.copy()
    for own, other in zip(members, random.permutation(len(members)).tolist(), strict=True):
        dealt[own] = np.resize(random.permutation(codes[members[other]]), len(own))
    return dealt


def shuffle_test(
    result: EvaluationResult,
    data: Dataset,
    context: RunContext,
    *,
    planned: int = USUAL,
    test_data: Dataset | None = None,
    before: ShuffleTest | None = None,
    measure: str = RANKING,
) -> ShuffleTest:
    """Run ``result`` again on ``planned`` tables with permuted classes of ``data``.

    Publishes a :class:`ShuffleTest` after each permutation. An early finish returns the complete ones. ``before`` is an
    earlier test with the same seed to continue. ``measure`` decides; all others are computed too. The numbers depend
    only on the seed of the context. With a test file the training classes are permuted. Raises :class:`DataError` if
    ``data`` are not the data of the result, and :class:`Cancelled`.
    """
    n_known = int(np.count_nonzero(data.class_codes >= 0)) if data.schema.class_index is not None else 0
    if n_known != result.n_training:
        raise DataError(
            "The run was not made of the records that are here, so it cannot be made again on them.",
            remedy="Evaluate the learner on this table.",
        )
    if measure == RANKING:
        measure = ranking_measure(report(result, checkpoint=context.checkpoint))
    shuffles = _Shuffles(result, data, test_data, planned, context, before, measure)
    context.spread(shuffles.make, range(shuffles.n_before, planned))
    context.checkpoint()
    return shuffles.so_far()


class _Shuffles:
    """Runs on permuted tables in several threads, collected in order."""

    def __init__(
        self,
        result: EvaluationResult,
        data: Dataset,
        test_data: Dataset | None,
        planned: int,
        context: RunContext,
        before: ShuffleTest | None,
        measure: str,
    ) -> None:
        self._result, self._data, self._test_data = result, data, test_data
        self._planned, self._context = planned, context
        self._measure, self._own = measure, measures_of(result, context.checkpoint)
        self._lock = threading.Lock()
        self._scores: dict[int, dict[str, float]] = {}
        if before is not None and set(before.every) == set(self._own):  # other measures: start over
            by_measure = {id: scores.tolist() for id, (_, scores) in before.every.items()}
            self._scores = {
                number: {id: by_measure[id][number] for id in by_measure} for number in range(len(before.scores))
            }
        self.n_before = len(self._scores)

    def make(self, number: int) -> None:
        """Permute and evaluate table ``number``; does nothing after an early finish."""
        if self._context.finishing:
            return
        part = self._context.child(1 / self._planned, number, finish_cancels=True, listener=lambda _: None)
        own = self._result
        try:
            scores = part.call(_scores_of_permutation, own.learner, own.recipe, own.method, self._data, self._test_data)
        except Cancelled:
            self._context.checkpoint()
            return
        part.complete()
        with self._lock:
            self._scores[number] = scores
            test = self.so_far()
            self._context.say(f"{len(test.scores)} of {self._planned} shuffled tables tested")
        self._context.publish(test)

    def so_far(self) -> ShuffleTest:
        """The complete permutations up to the first gap, so that their number suffices to continue."""
        complete: list[dict[str, float]] = []
        for number in range(self._planned):
            if number not in self._scores:
                break
            complete.append(self._scores[number])
        every = {id: (self._own[id], np.array([of[id] for of in complete], dtype=np.float64)) for id in self._own}
        own, scores = every[self._measure]
        return ShuffleTest(own, scores, self._planned, self._measure, every)


def _scores_of_permutation(
    learner: Learner, recipe: Recipe, method: Method, data: Dataset, test_data: Dataset | None, part: RunContext
) -> dict[str, float]:
    """All measures on a table whose classes are permuted by the seed of the part."""
    groups = method.groups(data) if isinstance(method, ByGroup) else None
    in_time = isinstance(method, TimeHoldout) and method.column is not None
    moments = data.column(data.schema.index_of(method.values()["column"])) if in_time else None
    random = np.random.default_rng(part.seeds.spawn(1)[0])
    shuffled = with_shuffled_classes(data, random, groups, moments)
    result = evaluate(learner, shuffled, method, part, recipe=recipe, test_data=test_data)
    return measures_of(result, part.checkpoint)


def histogram(test: ShuffleTest, bins: int = 20) -> tuple[FloatArray, FloatArray]:
    """Edges (n + 1,) and counts (n,) of the permuted scores; the edges include the score of the run."""
    every = np.append(test.scores, test.own)
    low, high = float(every.min()), float(every.max())
    if high - low < _AS_GOOD:
        low, high = low - 0.01, high + 0.01
    counts, edges = np.histogram(test.scores, bins=bins, range=(low, high))
    return edges, counts.astype(np.float64)


def rows_of(test: ShuffleTest) -> list[list[str]]:
    """Table of all scores with a heading, the run itself first."""

    def written(score: float) -> str:
        return f"{100 * score:.4f}" if test.words.unit is Unit.PERCENT else f"{score:.6f}"

    rows = [["table", test.words.axis], ["the run itself", written(test.own)]]
    return rows + [[f"shuffled {number + 1}", written(score)] for number, score in enumerate(test.scores.tolist())]
