"""Possible label errors: records whose given class the models of a run contradict more often than overlap explains.

**Candidates** are those of confident learning (Northcutt, Jiang and Chuang, Confident learning: estimating uncertainty
in dataset labels, 2021): out-of-fold probabilities, for each class the mean probability of its own records as its
threshold, the class above its threshold that is most probable as the suggestion, and the normalised margin as the
order. The confident joint counts given by suggested class.

**Are there any?** Where classes overlap, candidates exist without any label error. So the share of contradicted labels
is fitted as a function of the model's confidence s, the log ratio of its two most probable classes:
1 / (1 + exp(a + b s)), which is Platt's calibration (1999), with and without a floor ε that no confidence lowers. At
s = 0 two classes tie, so at least half is contradicted (a ≤ 0). Overlap vanishes as s grows, wrong labels do not
(anchor points of Liu and Tao, 2016; slips of the four-parameter logistic model). Candidates are reported if all of
these hold, and then those that the floor explains better than the overlap:

- the likelihood ratio of the floor exceeds 5.41 (1%, a chi-square mixture as ε cannot be below 0);
- ε is below 25%, and the reported records are at least a third of all that are contradicted;
- among them, contradiction does not fall by half from the less to the more confident half.

In trials one of 510 runs on clean or random classes reported any. Of 3% wrong classes, 75% to 94% are found where
classes are well apart, and 94% or more of the reported ones are wrong; where classes overlap the test stays silent
(``python -m tests.benchmarks.error_analysis``). A single tree, a rule set and few neighbours have few distinct
probabilities: they err confidently in places, which looks like a floor.

**It never shows that classes are right.** Wrong classes that all go from one class to another move the model itself,
and look like overlap: of 2,000 records in two clouds, with 20% of one class mislabelled, naive Bayes reports none.

Records that are rare, but right, look alike, as do patterns that the model misses. What is reported is to be checked,
not to be believed; a second, different kind of learner helps (:func:`agreement`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.tested_records import RecordErrors
from algorithms.evaluation.tuning.parameter_search import tuned_base
from algorithms.text.numbers import percent
from algorithms.text.sentences import counted

LIKELIHOOD_RATIO: Final = 5.41
MOST_NOISE: Final = 0.25
LEAST_SHARE: Final = 1 / 3
LEAST_RATIO: Final = 0.5
LEAST_BALANCE: Final = 0.1
LEAST_REPORTED: Final = 3
LEAST_IN_FLOOR: Final = 20
BINS: Final = 100
"""Groups of records of similar confidence to which the curve is fitted."""
LEAST_SECOND: Final = 1e-6
COARSE: Final = ("Trees", "Rules", "Neighbours")
"""Families of learners whose models give many records the same probabilities."""
STEEPEST: Final = 20.0
BY_PATTERN: Final = "A model that misses a pattern gives the same list."
NO_PROOF: Final = (
    "This does not show that the classes are right: wrong classes that all go from one class to another look like "
    "overlap to this test."
)
COARSE_WORDS: Final = (
    "trees, rules and nearest neighbours give many records the same probability, so train naive Bayes, logistic "
    "regression or a random forest, and look again"
)


@dataclass(frozen=True, eq=False)
class LabelErrors:
    """What confident learning says of r tested records. ``unmet`` names the conditions that were not met, if any.

    ``places`` (c,) are the rows of the reported records, the most certain first, with ``given`` and ``suggested`` (c,)
    class codes and the probabilities ``of_given`` and ``of_suggested`` (c,). ``joint`` (k, k) is the confident joint.
    """

    classes: tuple[str, ...]
    n_records: int
    thresholds: FloatArray
    joint: IntArray
    places: IntArray
    ids: IntArray
    given: IntArray
    suggested: IntArray
    of_given: FloatArray
    of_suggested: FloatArray
    likelihood_ratio: float
    floor: float
    """Fitted share of contradictions that no confidence lowers, whether records are reported or not."""
    unmet: tuple[str, ...] = ()
    """Why no record is reported."""
    guards: Mapping[str, float | None] = field(default_factory=dict)
    """What the conditions were checked on."""

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def n_candidates(self) -> int:
        """Off-diagonal records of the confident joint."""
        return int(self.joint.sum() - np.trace(self.joint))

    @property
    def sentence(self) -> str:
        contradicted = counted(self.n_candidates, "record is", "records are")
        if len(self):
            return (
                f"{counted(len(self), 'record is', 'records are')} contradicted by the model with more confidence than "
                f"overlap explains: check each. {BY_PATTERN}"
            )
        return f"No record is listed: {self.unmet[0]}. {contradicted} confidently contradicted. {NO_PROOF}"

    def rows(self) -> list[list[object]]:
        """Header and a row for each reported record, with plain numbers."""
        rows: list[list[object]] = [["record", "given", "suggested", "p_given", "p_suggested"]]
        arrays = self.ids, self.given, self.suggested, self.of_given, self.of_suggested
        for id, given, suggested, p, q in zip(*(array.tolist() for array in arrays), strict=True):
            rows.append([id + 1, self.classes[given], self.classes[suggested], p, q])
        return rows

    def written_rows(self, most: int | None = None) -> list[list[str]]:
        """Header and rows as a person reads them, at most so many."""
        rows = [["Record", "Given class", "Suggested class", "P(given)", "P(suggested)"]]
        for id, given, suggested, p, q in self.rows()[1 : None if most is None else most + 1]:
            rows.append([f"{id:,}", str(given), str(suggested), percent(float(str(p))), percent(float(str(q)))])
        return rows

    def to_json(self) -> dict[str, Any]:
        head, *rows = self.rows()
        return {
            "records": self.n_records,
            "classes": list(self.classes),
            "thresholds": self.thresholds.tolist(),
            "confident_joint": self.joint.tolist(),
            "candidates": self.n_candidates,
            "likelihood_ratio": self.likelihood_ratio,
            "fitted_floor": self.floor,
            "guards": dict(self.guards),
            "conditions_not_met": list(self.unmet),
            "label_errors": [dict(zip(map(str, head), row, strict=True)) for row in rows],
            "sentence": self.sentence,
        }


def label_errors(errors: RecordErrors, checkpoint: Callable[[], None] = lambda: None) -> LabelErrors:
    """Probable label errors among the tested records; raises :class:`DataError` for tests on training records."""
    result = errors.result
    if result.test_is_training:
        raise DataError(
            "The models have seen the classes of these records.", remedy="Test with cross-validation.", place="run"
        )
    k = len(result.classes)
    probabilities = np.stack([errors.of_records(result.probabilities[:, code]) for code in range(k)], axis=1)
    checkpoint()
    given = errors.truth
    thresholds, suggested = confident_classes(probabilities, given)
    joint = np.zeros((k, k), dtype=np.int64)
    is_confident = suggested >= 0
    np.add.at(joint, (given[is_confident], suggested[is_confident]), 1)
    most = probabilities.argmax(axis=1)
    is_candidate = is_confident & (suggested != given) & (suggested == most)
    checkpoint()
    curve = _Contradiction.fitted(_confidence(probabilities), most != given, checkpoint)
    reported = is_candidate & curve.is_floor
    guards, unmet = curve.checked(int(reported.sum()))
    if tuned_base(result.learner).family in COARSE:
        unmet = (COARSE_WORDS,)
    if unmet:
        reported[:] = False
    chosen = np.flatnonzero(reported)
    places = np.arange(len(given))
    of_given, of_suggested = probabilities[places, given], probabilities[places, suggested]
    chosen = chosen[np.argsort((of_given - of_suggested)[chosen], kind="stable")]
    return LabelErrors(
        classes=result.classes,
        n_records=len(errors),
        thresholds=thresholds,
        joint=joint,
        places=errors.rows[chosen],
        ids=errors.data.row_ids[errors.rows[chosen]],
        given=given[chosen],
        suggested=suggested[chosen],
        of_given=of_given[chosen],
        of_suggested=of_suggested[chosen],
        likelihood_ratio=curve.likelihood_ratio,
        floor=curve.floor,
        unmet=unmet,
        guards=guards,
    )


def agreement(found: LabelErrors, own: EvaluationResult, others: Sequence[tuple[str, EvaluationResult]] = ()) -> str:
    """How many reported records other runs on the same records predict as suggested, in a sentence for each run.

    ``others`` are the names and results of runs; those of another kind of learner count.
    """
    if not len(found):
        return ""
    sentences, kind = [], tuned_base(own.learner).family
    for name, result in others:
        if result.test_is_training or tuned_base(result.learner).family == kind:
            continue
        place = np.full(int(result.row_ids.max(initial=-1)) + 2, -1)
        place[found.ids[found.ids < len(place) - 1]] = np.flatnonzero(found.ids < len(place) - 1)
        tests = np.flatnonzero(place[result.row_ids] >= 0)
        if result.classes != found.classes or not len(tests):
            continue
        sums = np.zeros((len(found), len(found.classes)))
        np.add.at(sums, place[result.row_ids[tests]], result.probabilities[tests])
        n = int(np.count_nonzero((sums.argmax(axis=1) == found.suggested) & (sums.sum(axis=1) > 0)))
        sentences.append(f"{name} suggests the same class for {n:,} of {len(found):,}.")
    return " ".join(sentences) or "Train another kind of learner on these records to see whether it agrees."


def confident_classes(probabilities: FloatArray, given: IntArray) -> tuple[FloatArray, IntArray]:
    """The threshold (k,) of each class, and the class (r,) of each record above its threshold, -1 if none is."""
    k = probabilities.shape[1]
    n = np.bincount(given, minlength=k)
    own = np.bincount(given, probabilities[np.arange(len(given)), given], minlength=k)
    thresholds = np.where(n > 0, own / np.maximum(n, 1), np.inf)
    is_above = probabilities >= thresholds - 1e-12
    best = np.where(is_above, probabilities, -1.0).argmax(axis=1)
    return thresholds, np.where(is_above.any(axis=1), best, -1)


def _confidence(probabilities: FloatArray) -> FloatArray:
    """Log ratio (r,) of the two most probable classes; a zero counts as half of the smallest other second one."""
    ranked = np.partition(probabilities, probabilities.shape[1] - 2, axis=1)
    first, second = ranked[:, -1], ranked[:, -2]
    known = second[second > 1e-9]
    least = max(float(known.min()) / 2 if len(known) else LEAST_SECOND, LEAST_SECOND)
    return np.asarray(np.log(first / np.maximum(second, least)))


@dataclass(frozen=True, eq=False)
class _Contradiction:
    """The share of contradicted labels as a curve over confidence (r,): overlap and a floor."""

    confidence: FloatArray
    contradicted: Mask
    start: float
    slope: float
    floor: float
    likelihood_ratio: float

    @classmethod
    def fitted(cls, confidence: FloatArray, contradicted: Mask, checkpoint: Callable[[], None]) -> _Contradiction:
        """The curve of maximum likelihood."""
        from scipy.optimize import minimize  # not needed at the start

        group = _groups(confidence)
        n = np.bincount(group).astype(np.float64)
        s, share = np.bincount(group, confidence) / n, np.bincount(group, contradicted) / n

        def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
            start, slope, floor = parameters
            overlap = 1 / (1 + np.exp(np.clip(start + slope * s, -500, 500)))
            p = np.clip(floor + (1 - floor) * overlap, 1e-12, 1 - 1e-12)
            by_p = n * ((1 - share) / (1 - p) - share / p)
            by_odds = -by_p * (1 - floor) * overlap * (1 - overlap)
            gradient = np.array([by_odds.sum(), (by_odds * s).sum(), (by_p * (1 - overlap)).sum()])
            return float(-(n * (share * np.log(p) + (1 - share) * np.log1p(-p))).sum()), gradient

        def best(starts: list[list[float]], most: float) -> Any:
            checkpoint()
            bounds = [(-STEEPEST, 0), (0, STEEPEST), (0, most)]
            fits = [minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B") for start in starts]
            return min(fits, key=lambda fit: float(fit.fun))

        plain = best([[0.0, 0.2, 0.0], [0.0, 1.0, 0.0]], 0.0)
        a, b = float(plain.x[0]), max(float(plain.x[1]), 0.05)
        floored = best([[a, factor * b, floor] for factor in (1, 2) for floor in (0.01, 0.05)], 0.5)
        ratio = max(0.0, 2 * (float(plain.fun) - float(floored.fun)))
        start, slope, floor = map(float, floored.x)
        return cls(confidence, contradicted, start, slope, floor, ratio)

    @cached_property
    def is_floor(self) -> Mask:
        """Mask (r,) of the records whose contradiction the floor would explain better than the overlap."""
        overlap = 1 / (1 + np.exp(np.clip(self.start + self.slope * self.confidence, -500, 500)))
        return np.asarray(self.floor > (1 - self.floor) * overlap)

    def checked(self, reported: int) -> tuple[dict[str, float | None], tuple[str, ...]]:
        """The figures of all conditions for so many reported records, and in words the conditions that are not met.

        The floor has to be significant, plausible, flat where it rules, and explain much of what is contradicted.
        """
        ratio, contradicted = self.likelihood_ratio, int(self.contradicted.sum())
        s, in_floor = np.round(self.confidence[self.is_floor], 6), self.contradicted[self.is_floor]
        levels, level, n = np.unique(s, return_inverse=True, return_counts=True)
        balance = fall = None
        if len(levels) > 1:
            is_less = level <= int(np.abs(np.cumsum(n)[:-1] - len(s) / 2).argmin())
            balance = min(float(is_less.mean()), 1 - float(is_less.mean()))
            less, more = float(in_floor[is_less].mean()), float(in_floor[~is_less].mean())
            fall = more / less if less > 0 else None
        halves = balance is None or balance < LEAST_BALANCE
        failures = {
            f"a floor of wrong classes fits hardly better than overlap alone (likelihood ratio {ratio:.2f}, more than "
            f"{LIKELIHOOD_RATIO} needed)": ratio <= LIKELIHOOD_RATIO,
            f"the fitted floor of {percent(self.floor)} cannot be told from a model that errs (less than "
            f"{percent(MOST_NOISE)} needed)": self.floor >= MOST_NOISE,
            f"only {counted(len(s), 'record is', 'records are')} predicted with enough confidence ({LEAST_IN_FLOOR} "
            "needed)": len(s) < LEAST_IN_FLOOR,
            "too many confident records have the same probability": len(s) >= LEAST_IN_FLOOR and halves,
            "contradictions fall by more than half as confidence grows": fall is not None and fall < LEAST_RATIO,
            f"the floor explains only {reported:,} of {contradicted:,} contradicted records (a third needed, and at "
            f"least {LEAST_REPORTED})": reported < max(LEAST_REPORTED, LEAST_SHARE * contradicted),
        }
        guards = {
            "records_in_floor": len(s),
            "balance_of_halves": balance,
            "contradiction_ratio_of_halves": fall,
            "contradicted": contradicted,
            "would_be_listed": reported,
        }
        return guards, tuple(words for words, fails in failures.items() if fails)


def _groups(confidence: FloatArray) -> IntArray:
    """Group (r,) of each record: equal values, or about ``BINS`` ranges of equally many records if those are more."""
    values, group = np.unique(np.round(confidence, 6), return_inverse=True)
    if len(values) <= BINS:
        return np.asarray(group)
    place = np.empty(len(confidence), dtype=np.int64)
    place[np.argsort(confidence, kind="stable")] = np.arange(len(confidence))
    return np.unique(place * BINS // len(confidence), return_inverse=True)[1]
