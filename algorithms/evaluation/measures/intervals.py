"""Confidence intervals of accuracy (score), AUC (DeLong), kappa and F (posterior) and PR area (bootstrap).

All use the number of distinct records, or Kish's effective number if weighted. ``resources/docs/coverage.md`` is the
table of coverage; ``python -m tests.benchmarks.interval_coverage`` measures it. Sources: DeLong, DeLong and
Clarke-Pearson, Comparing the areas under two or more correlated ROC curves (1988); Efron and Tibshirani, An
introduction to the bootstrap (1993), section 13.3 (percentiles); Rubin, The Bayesian bootstrap (1981), for kappa and F;
Jeffreys, An invariant form for the prior probability (1946), and Sethuraman, A constructive definition of Dirichlet
priors (1994), for their prior; Kottas, Kuss and Zapf, A modified Wald interval for the area under the ROC curve (AUC)
in diagnostic case-control studies (2014), for AUC on the logit scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.resampling import Method
from algorithms.core.scores import FormulaWorking, Term, normal_quantile
from algorithms.data.columns import FloatArray
from algorithms.evaluation.curves.roc import OperatingPoints, ScoredClass
from algorithms.evaluation.methods.by_column import ByGroup
from algorithms.evaluation.result import EvaluationResult, kish

KISH: Final = "effective number of records, (Σ w)² / Σ w² (Kish 1965)"


@dataclass(frozen=True)
class IntervalCoverage:
    """Measured coverage (%) of 95% intervals: of the final ``model``, and of the fold models' mean (``learning``)."""

    model: int
    learning: int


ONE_PART: Final = IntervalCoverage(96, 96)
"""Single holdout, which tests the model itself."""
BY_FOLDS: Final[Mapping[int, IntervalCoverage]] = {
    2: IntervalCoverage(88, 95),
    3: IntervalCoverage(88, 96),
    5: IntervalCoverage(89, 93),
    10: IntervalCoverage(89, 92),
}
"""Cross-validation without repeats, by number of folds."""
MEASURED: Final[Mapping[str, tuple[Mapping[str, object], IntervalCoverage]]] = {
    "cross-validation": ({"folds": 10, "repeats": 3}, IntervalCoverage(93, 95)),
    "repeated-holdout": ({"percent": 66.0, "repeats": 10}, IntervalCoverage(93, 96)),
    "leave-one-out": ({}, IntervalCoverage(83, 84)),
    "group-cross-validation": ({"folds": 10, "repeats": 1}, IntervalCoverage(83, 85)),
    "complete-cross-validation": ({"size": 2}, IntervalCoverage(89, 91)),
    "bootstrap-632": ({"samples": 30}, IntervalCoverage(60, 52)),
    "bootstrap-632-plus": ({"samples": 30}, IntervalCoverage(87, 82)),
}
"""Measured settings and coverage by method id; bootstraps with the fewest samples."""
MUCH_TOO_NARROW: Final = frozenset({"bootstrap-632"})
"""Methods with a biased estimate. Their interval is far too narrow with all settings."""


def accuracy_interval(accuracy: float, n: float) -> tuple[float, float]:
    """95% score interval of an accuracy measured on ``n`` records (TSKK Eq. 3.16); 0 to 1 if n is 0."""
    low, high = (bound.value for bound in interval_bounds(accuracy, n))
    return (0.0 if low is None else low), (1.0 if high is None else high)


def interval_bounds(accuracy: float, n: float, *, fewer: bool = False) -> tuple[FormulaWorking, FormulaWorking]:
    """Worked bounds of the 95% interval (TSKK Eq. 3.16), 0 and 1 if n is 0; with ``fewer``, n is Kish's effective N."""
    value = Term("acc", accuracy, "accuracy")
    count = Term("N", n, KISH if fewer else "records tested")
    return _score_bounds(("Lower bound", "Upper bound"), value, count)


def share_bounds(name: str, value: float, n: float, counted: str) -> tuple[FormulaWorking, FormulaWorking]:
    """Worked bounds of a measure without variance as a proportion of n ``counted`` records (TSKK Eq. 3.16)."""
    names = f"Lower bound of {name}", f"Upper bound of {name}"
    share = Term(name, value, f"taken as a share of the {counted}")
    return _score_bounds(names, share, Term("N", n, counted))


def _score_bounds(names: tuple[str, str], share: Term, count: Term) -> tuple[FormulaWorking, FormulaWorking]:
    """Both bounds of the 95% score interval of a proportion."""
    assert share.value is not None and count.value is not None
    z, n, value = normal_quantile(0.95), count.value, share.value
    middle = 2 * n * value + z * z
    spread = z * math.sqrt(max(0.0, z * z + 4 * n * value - 4 * n * value * value))
    whole = 2 * (n + z * z)
    terms = (count, share, Term("Z", z, "bound of the standard normal distribution at 95%"))

    def bound(name: str, sign: str, end: float) -> FormulaWorking:
        x = f"{{{share.symbol}}}"
        root = f"√({{Z}}² + 4·{{N}}·{x} − 4·{{N}}·{x}²)"
        formula = f"(2·{{N}}·{x} + {{Z}}² {sign} {{Z}}·{root}) / (2·({{N}} + {{Z}}²))"
        return FormulaWorking(name, formula, terms, min(1.0, max(0.0, end)), source="TSKK Eq. 3.16")

    return bound(names[0], "−", (middle - spread) / whole), bound(names[1], "+", (middle + spread) / whole)


def coverage_of(method: Method) -> IntervalCoverage | None:
    """Measured coverage of a method's intervals; None if its settings were not measured."""
    values = method.values()
    if method.id == "cross-validation" and values["repeats"] == 1:
        return BY_FOLDS.get(values["folds"])
    settings, measured = MEASURED.get(method.id, ({}, None))
    fits = all(
        values[name] >= least if name == "samples" else values[name] == least for name, least in settings.items()
    )
    return measured if fits else None


def narrowness(result: EvaluationResult) -> str:
    """A sentence on why the interval of this result is too narrow; empty if it is not.

    One test part tests one model, and its interval is right. With several models the interval assumes independent
    tests, but their training records overlap, and the final model was not tested.
    """
    if result.test_is_training or result.n_judged < 2:
        return ""
    measured = coverage_of(result.method)
    much = "much too" if result.method.id in MUCH_TOO_NARROW else "slightly"
    alike = ", and records of a group are alike" if isinstance(result.method, ByGroup) else ""
    if measured is None:
        return f"The interval is {much} narrow: folds share training records{alike}."
    is_much = result.method.id in MUCH_TOO_NARROW
    of = "The interval is much too narrow: its true coverage" if is_much else "The true coverage of this 95% CI"
    return f"{of} is about {measured.model}%, as folds share training records{alike}."


DRAWS: Final = 1000
FEWER_DRAWS: Final = 400
FEWEST_DRAWS: Final = 200
MOST_CELLS: Final = 100
"""Above this number of non-empty cells of a confusion matrix fewer draws are made."""
MANY_CELLS: Final = 25_000
"""From this number on the fewest."""
_BLOCK: Final = 1 << 16
"""Number of tests whose influences are computed at a time."""
CELLS_AT_ONCE: Final = 1 << 20
"""Numbers drawn between two checkpoints: about 30 ms and 8 MB."""
QUICK: Final = 10_000
"""Numbers drawn within a few milliseconds, as for two or three classes."""
STEPS: Final = 64
"""Curves with more than four times as many points are binned into this many steps."""
PRIOR_RECORDS: Final = 2.0
"""Weight of the prior of a confusion matrix, in records."""
STICKS: Final = 16
"""Parts into which stick-breaking splits the prior; the last has a mean share of 1/400."""
SEED: Final = 1
"""Seed of the draws, so that equal inputs have equal intervals."""
ALIKE: Final = 1e-12
Z: Final = normal_quantile(0.95)
WIDEST: Final = 700.0
"""Largest margin on the logit scale; beyond it a bound is 0 or 1."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval, with its standard ``error`` or number of ``draws`` if it has one.

    With neither, the measure has no sampling variance and the interval is that of a proportion of ``n`` records, named
    by ``counted``. ``is_posterior`` marks draws from the posterior of a confusion matrix instead of a bootstrap;
    without draws it marks quantiles of the posterior of F.
    """

    low: float
    high: float
    value: float
    n: float
    error: float | None = None
    draws: int = 0
    counted: str = "records tested"
    is_posterior: bool = False

    @property
    def ends(self) -> tuple[float, float]:
        return self.low, self.high

    def worked(self, name: str) -> tuple[FormulaWorking, FormulaWorking]:
        """Worked formulas of both bounds; ``name`` is that of the measure."""
        if self.draws:
            of = f"of {self.draws:,} bootstrap samples of {self.n:,.6g} records each"
            if self.is_posterior:
                of = f"of {self.draws:,} draws from the posterior of the confusion matrix, {self.n:,.6g} records,"
            ends = (("Lower", "p₂.₅", self.low, "2.5%"), ("Upper", "p₉₇.₅", self.high, "97.5%"))
            lower, upper = (
                FormulaWorking(
                    f"{end} bound of {name}",
                    f"{{{symbol}}}",
                    (Term(symbol, value, f"{share} {of} have a lower one"),),
                    value,
                    source="Rubin 1981, Jeffreys 1946" if self.is_posterior else "Efron and Tibshirani 1993",
                )
                for end, symbol, value, share in ends
            )
            return lower, upper
        if self.is_posterior:
            return self._f_bound("Lower", name, self.low), self._f_bound("Upper", name, self.high)
        if self.error is None:
            return share_bounds(name, self.value, self.n, self.counted)
        terms = (
            Term(name, self.value),
            Term("e", math.e, "base of the natural logarithm"),
            Term("z", Z, "for 95% of a normal distribution"),
            Term("SE", self.error, "standard error by DeLong's variance"),
        )
        odds = f"{{e}}^(SIGN{{z}}·{{SE}} / ({{{name}}}·(1 − {{{name}}})))"
        lower, upper = (
            FormulaWorking(
                f"{end} bound of {name}",
                f"{{{name}}} / ({{{name}}} + (1 − {{{name}}})·{odds.replace('SIGN', sign)})",
                terms,
                value,
                source="DeLong, DeLong and Clarke-Pearson 1988; on the logit scale: Kottas, Kuss and Zapf 2014",
            )
            for end, sign, value in (("Lower", "", self.low), ("Upper", "−", self.high))
        )
        return lower, upper

    def _f_bound(self, end: str, name: str, value: float) -> FormulaWorking:
        """Worked formula of a bound of F from that of the Jaccard index."""
        quantile = "2.5%" if end == "Lower" else "97.5%"
        meaning = f"{quantile} quantile of Beta(TP + 1/2, FN + FP + 1), the posterior of TP / (TP + FN + FP)"
        if value == self.value:
            meaning = "TP / (TP + FN + FP) as it was seen"
        jaccard = (Term("J", value / (2 - value), meaning),)
        return FormulaWorking(f"{end} bound of {name}", "2·{J} / (1 + {J})", jaccard, value, source="Jeffreys 1946")


def _proportion_interval(value: float, n: float, counted: str) -> Interval | None:
    """Score interval of a measure equal in every sample, as a proportion (TSKK Eq. 3.16); None if n is 0."""
    if n <= 0:
        return None
    low, high = (bound.value for bound in interval_bounds(value, n))
    return None if low is None or high is None else Interval(low, high, value, n, counted=counted)


# ---- AUC -------------------------------------------------------------------------------------------------------------


def influence(scored: ScoredClass, points: OperatingPoints) -> NDArray[np.float32] | None:
    """Influence of each test (m,), in the order of the result, on the AUC of a class.

    ``points`` are all points of the class. The sum of squares is DeLong's variance, (Σ (V10 - A)²) / (m (m - 1)) for
    the m records of the class plus the same for the others. V10 is the share of the others ranked below a record, ties
    as half. Weights multiply the terms. None if either kind has fewer than two records.
    """
    positives, negatives = points.positives, points.negatives
    of_class, weight = scored.is_of_class, scored.weights
    if weight is None:
        n = [float(np.count_nonzero(of_class)), float(np.count_nonzero(~of_class))]
    else:
        n = [float(w.sum()) if scored.weights_are_counts else kish(w) for w in (weight[of_class], weight[~of_class])]
    if min(n) <= 1 or points.pairs.auc is None:
        return None
    area, last = points.pairs.auc, -1
    factor = [math.sqrt(n[0] / (n[0] - 1)) / positives, math.sqrt(n[1] / (n[1] - 1)) / negatives]
    in_rows = np.empty(len(scored), dtype=np.float32)
    for start in range(0, len(scored), _BLOCK):
        rows = slice(start, start + _BLOCK)
        place, own = last + np.cumsum(scored.begins[rows]), of_class[rows]
        last = int(place[-1])
        alarms, found = (ends[place] + ends[place + 1] for ends in (points.alarms, points.found))
        share = np.where(own, (negatives - alarms / 2) / negatives, found / (2 * positives)) - area
        of_tests: FloatArray = share * np.where(own, factor[0], factor[1])
        if weight is not None:
            of_tests *= np.sqrt(weight[rows]) if scored.weights_are_counts else weight[rows]
        in_rows[scored.rows[rows]] = of_tests
    return in_rows


def influence_of_records(
    result: EvaluationResult, influences: Sequence[tuple[float, NDArray[np.float32]]]
) -> FloatArray:
    """Influence of each record (n,) on a mean of AUCs: weight and influence (m,) of each class are summed.

    In the order of the tests if each tests another record, else of the ids.
    """
    tests = np.zeros(len(result.truth), dtype=np.float64)
    for share, values in influences:
        tests += share * values
    if result.n_records < len(tests):
        tests = np.bincount(np.unique(result.row_ids, return_inverse=True)[1], tests).astype(np.float64)
    return tests


def area_interval(
    result: EvaluationResult, area: float | None, influences: Sequence[tuple[float, NDArray[np.float32]]], n: float
) -> Interval | None:
    """Interval of an AUC, or of a mean AUC of several classes with the given weights.

    ``influences`` are those of :func:`influence_of_records`. The interval is symmetric on the logit scale, since the
    plain one covers too rarely with few records of a class (81% with five of fifty). ``n`` is the size of the smaller
    kind: with perfect ranking there is no variance, and the interval is that of a proportion of ``n``. None if the AUC
    is undefined.
    """
    if area is None or not influences:
        return None
    of_records = influence_of_records(result, influences)
    error = math.sqrt(float(of_records @ of_records))
    if error < ALIKE or not 0 < area < 1:
        return _proportion_interval(area, n, "records of the class, or of the others where they are fewer")
    margin = min(Z * error / (area * (1 - area)), WIDEST)
    low, high = (area / (area + (1 - area) * math.exp(sign * margin)) for sign in (1, -1))
    return Interval(low, high, area, n, error)


# ---- PR area ---------------------------------------------------------------------------------------------------------


def pr_area_interval(points: OperatingPoints, n: float) -> Interval | None:
    """Interval of the average precision of a class in ``n`` records; None without records of the class.

    Percentiles of a weighted bootstrap over records. Curves with many points are binned first.
    """
    area = points.average_precision()
    if area is None or points.total <= 0:
        return None
    drawn_from = points.thinned(STEPS)
    hits, alarms = -np.diff(drawn_from.found), -np.diff(drawn_from.alarms)
    g, cells = len(hits), np.concatenate([hits, alarms]).astype(np.float64)
    filled = np.flatnonzero(cells > 0)
    counts = np.zeros((FEWER_DRAWS, 2 * g), dtype=np.float64)
    shares = cells[filled] / cells[filled].sum()
    counts[:, filled] = np.random.default_rng(SEED).multinomial(max(1, round(n)), shares, FEWER_DRAWS)
    areas = _average_precisions(counts[:, :g], counts[:, g:])
    coarse = float(_average_precisions(hits[None], alarms[None])[0])
    interval = _percentiles(areas + (area - coarse), area, n)
    if interval is not None and interval.high - interval.low < ALIKE:
        return _proportion_interval(area, n * points.positives / points.total, "records of the class")
    return interval


def _average_precisions(hits: FloatArray, alarms: FloatArray) -> FloatArray:
    """Average precision of true and false positives by rank (b, g), the most probable last; NaN without any."""
    tp = np.cumsum(hits[:, ::-1], axis=1)
    taken = tp + np.cumsum(alarms[:, ::-1], axis=1)
    precision = np.divide(tp, taken, out=np.zeros_like(tp), where=taken > 0)
    with np.errstate(invalid="ignore"):
        areas: FloatArray = (hits[:, ::-1] * precision).sum(axis=1) / tp[:, -1]
    return areas


def _percentiles(values: FloatArray, value: float, n: float, *, is_posterior: bool = False) -> Interval | None:
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None
    low, high = np.quantile(finite, (0.025, 0.975)).tolist()
    ends = min(low, value), min(1.0, max(high, value))
    return Interval(*ends, value, max(1, round(n)), draws=len(finite), is_posterior=is_posterior)


# ---- of a confusion matrix -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatrixIntervals:
    """Intervals of kappa, of each class's F, and of the weighted mean F; None if undefined."""

    kappa: Interval | None
    f: tuple[Interval | None, ...]
    mean_f: Interval | None


@dataclass(frozen=True)
class _Margins:
    """Diagonals, row sums and column sums (b, k) of b confusion matrices, from which kappa and F follow."""

    right: FloatArray
    rows: FloatArray
    columns: FloatArray


def draws_of(matrix: FloatArray) -> int:
    """Number of posterior draws for a confusion matrix."""
    filled = int(np.count_nonzero(matrix > 0))
    return DRAWS if filled <= MOST_CELLS else FEWER_DRAWS if filled <= MANY_CELLS else FEWEST_DRAWS


def is_quick(matrix: FloatArray) -> bool:
    """Whether :func:`matrix_intervals` takes only a few milliseconds."""
    return draws_of(matrix) * int(np.count_nonzero(matrix > 0)) <= QUICK


def matrix_intervals(matrix: FloatArray, n: float, checkpoint: Callable[[], object] = lambda: None) -> MatrixIntervals:
    """Posterior percentiles for a confusion matrix (k, k), row true, of ``n`` effective records.

    Cell shares have a Dirichlet prior worth :data:`PRIOR_RECORDS` records, spread evenly: 1/2 per cell for two classes,
    as Jeffreys has it. So an empty cell is not impossible. F of a class has Jeffreys' prior of the class against the
    others. Time and memory grow with the non-empty cells; ``checkpoint`` is called every few ten milliseconds.
    """
    k, total = len(matrix), float(matrix.sum())
    if total <= 0 or n <= 0:
        return MatrixIntervals(None, (None,) * k, None)
    samples, own = (
        _drawn_margins(matrix, n, checkpoint),
        _Margins(np.diagonal(matrix)[None], matrix.sum(axis=1)[None], matrix.sum(axis=0)[None]),
    )

    def interval(values: FloatArray, value: float) -> Interval | None:
        return None if math.isnan(value) else _percentiles(values, value, n, is_posterior=True)

    f, own_f = _f_measures(samples), _f_measures(own)[0]
    return MatrixIntervals(
        interval(_kappas(samples), float(_kappas(own)[0])),
        _f_intervals(own, own_f, n),
        interval(_mean_f(samples, f), float(_mean_f(own, own_f[None])[0])),
    )


def _f_intervals(own: _Margins, values: FloatArray, n: float) -> tuple[Interval | None, ...]:
    """Interval of each class's F = 2 J / (1 + J), with the Jaccard index J = TP / (TP + FN + FP).

    With a prior of 1/2 record per cell, the posterior of J is Beta(TP + 1/2, FN + FP + 1).
    """
    from scipy.special import betaincinv  # SciPy is not part of the measured start

    scale = n / float(own.rows.sum())
    hits = own.right[0] * scale
    misses = np.maximum((own.rows + own.columns)[0] * scale - 2 * hits, 0.0)
    ends = np.stack([betaincinv(hits + 0.5, misses + 1.0, share) for share in (0.025, 0.975)])
    lows, highs = (2 * ends / (1 + ends)).tolist()
    return tuple(
        None
        if math.isnan(value)
        else Interval(min(low, value), max(high, value), value, max(1, round(n)), is_posterior=True)
        for value, low, high in zip(values.tolist(), lows, highs, strict=True)
    )


def _drawn_margins(matrix: FloatArray, n: float, checkpoint: Callable[[], object]) -> _Margins:
    """Margins of matrices drawn from the posterior, up to a factor that cancels in kappa and F.

    A cell's share is a gamma variate of its records. The prior's share is one of :data:`PRIOR_RECORDS`, spread over
    random cells by stick-breaking. That equals a gamma variate for every cell.
    """
    k, draws = len(matrix), draws_of(matrix)
    row, column = np.nonzero(matrix > 0)
    records = n * (matrix[row, column] / matrix[row, column].sum())
    margins = _Margins(*(np.zeros((draws, k)) for _ in range(3)))
    by_column = np.argsort(column, kind="stable")
    on_diagonal = row == column
    rows, row_begins = np.unique(row, return_index=True)
    columns, column_begins = np.unique(column[by_column], return_index=True)
    random, step = np.random.default_rng(SEED), max(1, CELLS_AT_ONCE // len(records))
    for start in range(0, draws, step):
        checkpoint()
        part = slice(start, min(draws, start + step))
        shares = random.standard_gamma(records, (part.stop - start, len(records)))
        margins.right[part, row[on_diagonal]] = shares[:, on_diagonal]
        margins.rows[part, rows] = np.add.reduceat(shares, row_begins, axis=1)
        margins.columns[part, columns] = np.add.reduceat(shares[:, by_column], column_begins, axis=1)
    _add_prior(margins, random)
    return margins


def _add_prior(margins: _Margins, random: np.random.Generator) -> None:
    """Add the prior's share of each draw to the margins, in place."""
    draws, k = margins.right.shape
    left = random.standard_gamma(PRIOR_RECORDS, draws)
    every = np.arange(draws)
    for stick in range(STICKS):
        broken = left * random.beta(1, PRIOR_RECORDS, draws) if stick < STICKS - 1 else left
        left = left - broken
        row, column = random.integers(0, k, (2, draws))
        margins.rows[every, row] += broken
        margins.columns[every, column] += broken
        margins.right[every, row] += np.where(row == column, broken, 0.0)


def _kappas(matrices: _Margins) -> FloatArray:
    """Cohen's kappa of each matrix (b,); NaN if the expected agreement is 1."""
    total = matrices.rows.sum(axis=1)
    agreed = matrices.right.sum(axis=1) / total
    chance = (matrices.rows * matrices.columns).sum(axis=1) / total**2
    kappas: FloatArray = np.divide(agreed - chance, 1 - chance, out=np.full(len(total), np.nan), where=chance < 1)
    return kappas


def _f_measures(matrices: _Margins) -> FloatArray:
    """F of every class (b, k): 2 TP / (2 TP + FN + FP); NaN for a class that is neither true nor predicted."""
    whole = matrices.rows + matrices.columns
    measures: FloatArray = np.divide(2 * matrices.right, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    return measures


def _mean_f(matrices: _Margins, f: FloatArray) -> FloatArray:
    """Mean F of each matrix (b,), weighted by class size; empty classes are ignored."""
    sizes = matrices.rows
    means: FloatArray = (np.where(sizes > 0, f, 0.0) * sizes).sum(axis=1) / sizes.sum(axis=1)
    return means
