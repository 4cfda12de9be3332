"""The shuffle test: would the same run do as well if attributes and class had nothing to do with each other?

The classes of the records are dealt out anew at random, many times, and the whole run is made again on each such table:
recipe, learner and method. Where the method keeps groups together, the classes are dealt group by group; where it goes
by time, they are shifted in time. How often that does as well as the run itself, by one measure, is the chance that its
result is luck. All measures are computed of every table; the one that counts is, unless somebody chooses, the one that
ranks runs: AUC where always guessing one class may be right as often, else accuracy.
Sources: Good, Permutation Tests (1994); Ojala and Garriga, Permutation tests for studying classifier performance
(2010), test 1; TSKK second edition, section 10.2.2 (randomizing class labels).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.errors import Cancelled, DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.parameters import Configurable, Option, choice
from algorithms.core.resampling import Method
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.measure import Measure, PermutationWords, Unit
from algorithms.evaluation.measures.metrics import ranking_measure, report, report_without_intervals
from algorithms.evaluation.measures.registry import MEASURES, of_permutation_test
from algorithms.evaluation.methods.by_column import ByGroup, TimeHoldout
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate
from algorithms.text.numbers import in_100

ALPHA: Final = 0.05
USUAL: Final = 99
"""With so many the smallest possible chance is 1 in 100."""
_AS_GOOD: Final = 1e-9
"""Scores closer than this are the same but for rounding."""


ACCURACY: Final = "accuracy"
RANKING: Final = "ranking"
"""In the place of a measure: the one that ranks runs."""


@dataclass(frozen=True)
class ShuffleOptions(Configurable):
    """What may be chosen of a shuffle test, for the command line."""

    id = "shuffle"
    name = "Shuffle test"
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


def _nothing() -> None:
    pass


def measures_of(result: EvaluationResult, checkpoint: Callable[[], object] = _nothing) -> dict[str, float]:
    """Every measure of a run by its id; an undefined one is what chance reaches."""
    report = report_without_intervals(result, checkpoint)
    values = {measure.id: measure.value(report) for measure in of_permutation_test()}
    return {id: MEASURES.get(id).chance or 0.0 if value is None else value for id, value in values.items()}


@dataclass(frozen=True, eq=False)
class ShuffleTest:
    """A measure of a run, ``own``, beside that of the same run on shuffled classes, ``scores`` (b,), of ``planned``.

    ``every`` has the same by all measures, by their ids; of tests kept by older versions there is accuracy alone.
    """

    own: float
    scores: FloatArray
    planned: int
    measure: str = ACCURACY
    every: Mapping[str, tuple[float, FloatArray]] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[str, ...]:
        """Ids of the measures that it can be judged by."""
        return tuple(self.every) or (self.measure,)

    @property
    def by(self) -> Measure:
        """The measure that it is judged by."""
        return MEASURES.get(self.measure)

    @property
    def words(self) -> PermutationWords:
        """What the measure is called in this test."""
        words = self.by.permutation
        assert words is not None
        return words

    def judged_by(self, measure: str) -> ShuffleTest:
        """The same tables by another measure; as it is where that was not computed."""
        if measure == self.measure or measure not in self.every:
            return self
        own, scores = self.every[measure]
        return replace(self, own=own, scores=scores, measure=measure)

    @property
    def n_as_good(self) -> int:
        """How many of them did as well or better."""
        return int(np.count_nonzero(self.scores >= self.own - _AS_GOOD))

    @property
    def p_value(self) -> float:
        """(b + 1) / (m + 1), b of m as good: the run itself is one of the ways to deal (Phipson and Smyth 2010)."""
        return (self.n_as_good + 1) / (len(self.scores) + 1)

    @property
    def is_whole(self) -> bool:
        return len(self.scores) >= self.planned

    @property
    def is_real(self) -> bool:
        """Whether it does better than luck explains."""
        return self.p_value <= ALPHA

    def chance_words(self) -> str:
        """How often a table whose classes mean nothing does as well: "5.0 times in 100"."""
        return f"{in_100(self.p_value)} times in 100"

    def sentences(self) -> tuple[str, str]:
        """What was found, and what that means."""
        m, as_good = len(self.scores), self.n_as_good
        if not m:
            return "No shuffled table was judged yet", ""
        tables = "shuffled table" if m == 1 else "shuffled tables"
        did = f"{as_good if as_good else 'None'} of {m:,} {tables} did as well by {self.by.in_sentence}"
        most = "" if as_good else "at most "
        mean = self.words.text(float(self.scores.mean()))
        typical = f"On shuffled classes {self.words.typical.format(mean)} on average"
        if self.is_real:
            meaning = f"{typical}: what it knows of the classes is no luck."
        elif 1 / (m + 1) > ALPHA:
            meaning = f"{typical}. So few tables can never rule out luck: 19 are the least, 99 the usual."
        else:
            meaning = f"{typical}: that it does as well as it does may be luck."
        return f"{did}: chance does {most}{self.chance_words()}", meaning


def with_shuffled_classes(
    data: Dataset,
    random: np.random.Generator,
    groups: IntArray | None = None,
    moments: FloatArray | IntArray | None = None,
) -> Dataset:
    """The same records with their known classes dealt out anew; records without a class stay without.

    Records that belong together are alike, and what chance does to them is found only where that stays so. With
    ``groups`` (n,) each group takes over the classes of another one: dealt among records they would be far more even
    than those of as few groups as there are. With ``moments`` (n,), NaN where unknown, the classes keep their order in
    time and begin at another moment (a circular shift): what follows upon what stays as it was.
    """
    index = data.schema.class_index
    if index is None:
        raise DataError("There is no class to shuffle.", remedy="Choose the column to predict.")
    codes = data.class_codes.copy()
    known = np.flatnonzero(codes >= 0)
    if groups is not None:
        codes[known] = _dealt_to_groups(codes[known], groups[known], random)
    elif moments is not None and len(known) > 1:
        order = known[np.argsort(moments[known], kind="stable")]
        codes[order] = np.roll(codes[order], int(random.integers(1, len(known))))
    else:
        codes[known] = codes[random.permutation(known)]
    return data.with_column(index, data.schema.attributes[index], codes)


def _dealt_to_groups(codes: NDArray[np.integer], groups: IntArray, random: np.random.Generator) -> NDArray[np.integer]:
    """The classes (n,) where every group has those of another one, in any order; over and over where it is larger."""
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
    """Make the run of ``result`` on ``data`` again on ``planned`` shuffled tables.

    Publishes the :class:`ShuffleTest` so far after each. Where the run is finished early, those that are complete are
    returned; ``before`` is what an earlier test found with the same seed, to go on with. It is judged by ``measure``,
    and can be judged by any other without being made again. The numbers depend on the
    context's seed alone. With a test file the classes of the training records are shuffled. Raises :class:`DataError`
    where this is not the data of the result, :class:`Cancelled`.
    """
    n_known = int(np.count_nonzero(data.class_codes >= 0)) if data.schema.class_index is not None else 0
    if n_known != result.n_training:
        raise DataError(
            "The run was not made of the records that are here, so it cannot be made again on them.",
            remedy="Judge the learner on this table.",
        )
    if measure == RANKING:
        measure = ranking_measure(report(result, checkpoint=context.checkpoint))
    made = _Shuffles(result, data, test_data, planned, context, before, measure)
    context.map(made.make, range(made.n_before, planned))
    context.checkpoint()
    return made.so_far()


class _Shuffles:
    """Runs on shuffled tables, made by whichever thread; kept in their own order."""

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
        method = result.method
        self._groups = method.groups(data) if isinstance(method, ByGroup) else None
        in_time = isinstance(method, TimeHoldout) and method.column is not None
        self._moments = data.column(data.schema.index_of(method.values()["column"])) if in_time else None
        self._measure, self._own = measure, measures_of(result, context.checkpoint)
        self._lock = threading.Lock()
        self._scores: dict[int, dict[str, float]] = {}
        if before is not None and set(before.every) == set(self._own):  # else the tables are made again
            known = {id: scores.tolist() for id, (_, scores) in before.every.items()}
            self._scores = {at: {id: known[id][at] for id in known} for at in range(len(before.scores))}
        self.n_before = len(self._scores)

    def make(self, number: int) -> None:
        """Shuffle and judge table ``number``; nothing where the test is finished early meanwhile."""
        if self._context.finishing:
            return
        part = self._context.child(1 / self._planned, number, finish_cancels=True, listener=_nobody)
        random = np.random.default_rng(part.seeds.spawn(1)[0])
        shuffled = with_shuffled_classes(self._data, random, self._groups, self._moments)
        try:
            scores = judged(
                self._result.learner, shuffled, self._result.method, self._result.recipe, part, self._test_data
            )
        except Cancelled:
            self._context.checkpoint()
            return
        part.complete()
        with self._lock:
            self._scores[number] = scores
            found = self.so_far()
            self._context.say(f"{len(found.scores)} of {self._planned} shuffled tables judged")
        self._context.publish(found)

    def so_far(self) -> ShuffleTest:
        """Those that are complete without a gap, so that going on needs no more than their number."""
        found: list[dict[str, float]] = []
        for at in range(self._planned):
            if at not in self._scores:
                break
            found.append(self._scores[at])
        every = {id: (self._own[id], np.array([of[id] for of in found], dtype=np.float64)) for id in self._own}
        own, scores = every[self._measure]
        return ShuffleTest(own, scores, self._planned, self._measure, every)


def judged(
    learner: Learner, data: Dataset, method: Method, recipe: Recipe, context: RunContext, test_data: Dataset | None
) -> dict[str, float]:
    """Every measure of one run."""
    result = evaluate(learner, data, method, context, recipe=recipe, test_data=test_data)
    return measures_of(result, context.checkpoint)


def _nobody(_event: object) -> None:
    """Folds of shuffled tables are nobody's news."""


def histogram(test: ShuffleTest, bins: int = 20) -> tuple[FloatArray, FloatArray]:
    """Edges (n + 1,) and counts (n,) of the scores on shuffled classes; the edges reach over the run's own as well."""
    every = np.append(test.scores, test.own)
    low, high = float(every.min()), float(every.max())
    if high - low < _AS_GOOD:
        low, high = low - 0.01, high + 0.01
    counts, edges = np.histogram(test.scores, bins=bins, range=(low, high))
    return edges, counts.astype(np.float64)


def rows_of(test: ShuffleTest) -> list[list[str]]:
    """The score of every table as a line of text under a heading, the run's own first."""

    def written(score: float) -> str:
        return f"{100 * score:.4f}" if test.words.unit is Unit.PERCENT else f"{score:.6f}"

    rows = [["table", test.words.axis], ["the run itself", written(test.own)]]
    return rows + [[f"shuffled {at + 1}", written(score)] for at, score in enumerate(test.scores.tolist())]
