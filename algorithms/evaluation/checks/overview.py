"""An overview of a whole table: missing values, outliers, association of every pair, change over the records.

Pairs of nominal attributes get Cramér's V, numeric pairs Pearson's r and Spearman's rank correlation, mixed pairs the
correlation ratio; every pair gets its mutual information. V and the correlation ratio are corrected for the bias that
many values bring (Bergsma, A bias-correction for Cramér's V and Tschuprow's T, 2013; Kelley, An unbiased correlation
ratio measure, 1935). A pair is described over the records in which neither value is missing. Each record counts once,
whatever its weight. The p-values of all pairs are corrected by Holm.

Numbers are put into at most 16 ranges of equally many records for mutual information, and the rarest values of a
nominal attribute with many are taken as one. Its bias is subtracted (Miller, Note on the bias of information estimates,
1955).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.column_statistics import quantiles
from algorithms.data.columns import Column, FloatArray, IntArray, missing_mask, read_only
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.data.summary import count_distinct
from algorithms.evaluation.checks.data_quality_checks import Drift, drifts, resolution
from algorithms.evaluation.compare.significance_tests import holm

KERNELS: Final = "algorithms.evaluation.checks.overview_kernels"
SAMPLE: Final = 20_000
"""Records of the coarse overview of a larger table."""
MOST_COLUMNS: Final = 400
"""So many columns at most are paired: the class and the first ones."""
LEVELS: Final = 16
"""Most ranges of numbers; fewer where two attributes would have less than five records for each pair of ranges."""
MOST_LEVELS: Final = 100
"""Values of a nominal attribute; the rarest of more count as one."""
PARTS: Final = 20
"""Parts of the record order (or of the time) for which missing values and means are given."""
MOST_PATTERNS: Final = 10
FAR_OUT: Final = 3.0
"""Interquartile ranges beyond the quartiles at which extreme values are capped (Tukey 1977)."""
FENCE: Final = 1.5
"""Tukey's inner fences lie so many interquartile ranges beyond the quartiles."""
ROBUST_Z: Final = 3.5
"""Limit of the robust z-score, by Iglewicz and Hoaglin (1993)."""
TAIL_ALPHA: Final = 0.01
FEWEST_FOR_TAILS: Final = 30
MOST_STEPS: Final = 1_000
"""Distinct values up to which the step between numbers is looked for."""
_BLOCK: Final = 16_384
_VISITS: Final = 50_000_000
"""Cells that one call of a compiled loop visits, so that a stop is heard within a moment."""

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Outliers:
    """Outliers of a numeric attribute, by three rules.

    ``beyond_fences`` lie more than 1.5 interquartile ranges outside the quartiles (``fences``; Tukey 1977).
    ``robust`` have a robust z-score |x - median| / (1.4826 MAD) above 3.5. ``extreme`` lie outside ``limits``: even an
    exponential tail through the outer eighths would reach that far with a probability of 1% at most, over all numeric
    attributes together (Bonferroni). Only these are a finding: skewed attributes have many of the others.
    """

    quartiles: tuple[float, float, float]
    fences: tuple[float, float]
    beyond_fences: int
    robust: int
    limits: tuple[float, float]
    extreme: int
    extreme_below: int
    """How many of the extreme ones lie below the lower limit."""
    far_out: int
    """How many lie more than :data:`FAR_OUT` interquartile ranges outside the quartiles."""


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """What the overview says of one column.

    ``missing_parts`` (p,) is the share missing in each part of the record order. ``trend`` (p,) is the mean in each,
    or the share of the most frequent value ``trend_of``; NaN without values. ``outliers`` only of numeric attributes.
    """

    name: str
    kind: AttributeKind
    n_missing: int
    n_distinct: int
    missing_parts: FloatArray
    trend: FloatArray
    trend_of: str = ""
    outliers: Outliers | None = None


@dataclass(frozen=True, eq=False)
class Associations:
    """Every pair of the paired columns as matrices (c, c), NaN where undefined; ``columns`` (c,) index the schema.

    ``strength`` is what the picture shows: bias-corrected Cramér's V, |Spearman's rank correlation|, or bias-corrected
    correlation ratio. ``plain`` is V or the ratio without correction. ``information`` is in bits, bias-corrected.
    ``plain_information`` is not. ``p_values`` come
    from the chi-square test, the t test of the rank correlation, and the F test, corrected by Holm.
    ``missing_together`` counts records in which both are missing.
    """

    columns: IntArray
    names: tuple[str, ...]
    is_numeric: NDArray[np.bool_]
    strength: FloatArray
    plain: FloatArray
    pearson: FloatArray
    spearman: FloatArray
    information: FloatArray
    plain_information: FloatArray
    n: FloatArray
    levels: FloatArray
    """(c, c): levels of the row's attribute that occur among the records of the pair."""
    chi_square: FloatArray
    between: FloatArray
    """Sum of squares between the values of a nominal attribute, as a share of the total: the squared ratio."""
    covariance: FloatArray
    """(c, c): of the standardized numbers over the records of the pair, as the three below."""
    variance: FloatArray
    """(c, c): of the row's attribute."""
    rank_covariance: FloatArray
    rank_variance: FloatArray
    p_values: FloatArray
    missing_together: FloatArray
    n_left_out: int = 0

    def place(self, name: str) -> int | None:
        """The row of a column in the matrices; None if it is not paired."""
        return self.names.index(name) if name in self.names else None

    def measure(self, i: int, j: int) -> str:
        """The name of the measure of a pair."""
        if self.is_numeric[i] != self.is_numeric[j]:
            return "Correlation ratio η"
        return "Spearman's ρ" if self.is_numeric[i] else "Cramér's V"

    def value(self, i: int, j: int) -> float:
        """The measure of a pair: the strength, with the sign of the rank correlation; NaN if undefined."""
        is_signed = self.is_numeric[i] and self.is_numeric[j]
        return float(self.spearman[i, j] if is_signed else self.strength[i, j])

    def workings(self, i: int, j: int) -> list[FormulaWorking]:
        """The measures of a pair with their formulas; empty without records that have both values."""
        n = float(self.n[i, j])
        if n < 2 or np.isnan(self.strength[i, j]):
            return []
        records = Term("n", n, "records with both values")
        information = FormulaWorking(
            "Mutual information",
            "max(0, {I} - ({a} - 1) * ({b} - 1) / (2 * {n} * {ln 2}))",
            (
                Term("I", float(self.plain_information[i, j]), "mean of log2 p(x, y) / (p(x) p(y))"),
                Term("a", float(self.levels[i, j]), "values or ranges of the first"),
                Term("b", float(self.levels[j, i]), "values or ranges of the second"),
                records,
                Term("ln 2", float(np.log(2)), "one bit in nats"),
            ),
            float(self.information[i, j]),
            source="Miller 1955",
        )
        if self.is_numeric[i] != self.is_numeric[j]:
            groups = Term("k", float(self.levels[j, i] if self.is_numeric[i] else self.levels[i, j]), "values")
            squared = Term("η²", float(self.between[i, j]), "variance between the values / whole variance")
            ratio = FormulaWorking(
                "Correlation ratio η",
                "sqrt(max(0, 1 - (1 - {η²}) * ({n} - 1) / ({n} - {k})))",
                (squared, records, groups),
                float(self.strength[i, j]),
                source="Kelley 1935",
            )
            return [ratio, information]
        if self.is_numeric[i]:
            spearman = _correlation(self.rank_covariance, self.rank_variance, i, j, "ranks")
            pearson = _correlation(self.covariance, self.variance, i, j, "standardized values")
            formula = "{cov} / sqrt({var 1} * {var 2})"
            of_ranks, of_values = float(self.spearman[i, j]), float(self.pearson[i, j])
            return [
                FormulaWorking("Spearman's ρ", formula, (*spearman, records), of_ranks, source="Spearman 1904"),
                FormulaWorking("Pearson's r", formula, (*pearson, records), of_values, source="Pearson 1895"),
                information,
            ]
        rows, columns = float(self.levels[i, j]), float(self.levels[j, i])
        statistic = Term("χ²", float(self.chi_square[i, j]), "Pearson's chi-square")
        sizes = Term("r", rows, "values of the first"), Term("c", columns, "values of the second")
        terms = (statistic, records, *sizes)
        excess = "max(0, {χ²} / {n} - ({r} - 1) * ({c} - 1) / ({n} - 1))"
        least = "min({r} - ({r} - 1)**2 / ({n} - 1) - 1, {c} - ({c} - 1)**2 / ({n} - 1) - 1)"
        formula = f"sqrt({excess} / {least})"
        v = FormulaWorking("Cramér's V", formula, terms, float(self.strength[i, j]), source="Bergsma 2013")
        return [v, information]


def _correlation(covariance: FloatArray, variance: FloatArray, i: int, j: int, what: str) -> tuple[Term, ...]:
    """The terms of a correlation of two columns."""
    return (
        Term("cov", float(covariance[i, j]), f"covariance of the {what}"),
        Term("var 1", float(variance[i, j]), f"variance of the {what} of the first"),
        Term("var 2", float(variance[j, i]), f"variance of the {what} of the second"),
    )


def strongest_pairs(pairs: Associations) -> list[tuple[int, int]]:
    """All pairs with a measure, the strongest first."""
    rows, columns = np.triu_indices(len(pairs.names), 1)
    strength = pairs.strength[rows, columns]
    order = np.argsort(-strength, kind="stable")[: int(np.count_nonzero(~np.isnan(strength)))]
    return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class MissingPattern:
    """Columns that are missing together, without others, in ``n`` records."""

    names: tuple[str, ...]
    n: int


@dataclass(frozen=True, eq=False)
class TableOverview:
    """An overview of ``n_records``; ``n_used`` of them were looked at, fewer only in the coarse one.

    ``order_by`` is the date attribute that orders the records, "" for the order of the table. ``drifts`` compares the
    first with the second half of that order.
    """

    schema: Schema
    n_records: int
    n_used: int
    columns: tuple[ColumnProfile, ...]
    patterns: tuple[MissingPattern, ...]
    pairs: Associations
    order_by: str = ""
    drifts: tuple[Drift, ...] = ()

    @property
    def is_exact(self) -> bool:
        return self.n_used == self.n_records

    def column(self, name: str) -> ColumnProfile:
        return self.columns[self.schema.index_of(name)]


@dataclass(eq=False)
class _Prepared:
    """Levels of each column (d, n) and their number, and what :class:`_Ranked` holds of the numeric ones."""

    codes: Bytes
    levels: IntArray
    ranked: dict[int, _Ranked]


@dataclass(frozen=True, eq=False)
class _Ranked:
    """Average ranks (n,) of a numeric column, places among its distinct values (n,), mean and standard deviation."""

    ranks: NDArray[np.float32]
    places: NDArray[np.int32]
    n_known: int
    n_distinct: int
    centre: float
    unit: float


def coarse_rows(n: int, seed: int = 1) -> IntArray:
    """Ascending rows of a random sample of :data:`SAMPLE` records."""
    return np.sort(np.random.default_rng(seed).choice(n, SAMPLE, replace=False)).astype(np.int64)


def look_over(data: Dataset, context: RunContext) -> TableOverview:
    """The exact overview of a table; that of a sample is published first if the table is large."""
    if len(data) > 2 * SAMPLE:
        context.say("Looking at a sample")
        rows = coarse_rows(len(data))
        context.publish(overview_of(data.take(rows), context.child(0.0, 0), n_records=len(data)))
    return overview_of(data, context.child(1.0, 1))


def overview_of(data: Dataset, context: RunContext, n_records: int | None = None) -> TableOverview:
    """The overview of these records, which are those of a table of ``n_records`` or a sample of them."""
    ensure_compiled([KERNELS], context)
    schema, n = data.schema, len(data)
    describing, pairing = context.child(0.4, 0), context.child(0.6, 1)
    describing.say("Describing each column")
    dates = [i for i, attribute in enumerate(schema.attributes) if attribute.kind is AttributeKind.DATE]
    by_date = dates[0] if len(dates) == 1 else None
    rows = None if by_date is None else np.argsort(data.column(by_date), kind="stable")
    prepared = _Prepared(
        np.zeros((len(schema), n), dtype=np.uint8),
        np.zeros(len(schema), dtype=np.int64),
        {},
    )
    n_numeric = sum(attribute.kind is AttributeKind.NUMERIC for attribute in schema.attributes)
    described = [0]

    def describe(index: int) -> ColumnProfile:
        profile = _profile(data, index, rows, n_numeric, prepared)
        described[0] += 1
        describing.advance(described[0], len(schema))
        return profile

    columns = tuple(describing.map(describe, range(len(schema))))
    describing.complete()
    context.checkpoint()
    patterns = _patterns(data, columns, context.checkpoint)
    pairs = _associations(data, prepared, pairing)
    pairing.complete()
    changes: tuple[Drift, ...] = ()
    if schema.predictors:
        context.say("Comparing the first with the second half")
        order = np.arange(n) if rows is None else rows
        left_out = () if by_date is None else (schema.attributes[by_date].name,)
        halves = data.take(order[: n // 2]), data.take(order[n // 2 :])
        changes = tuple(drifts(*halves, context.checkpoint, left_out=left_out))
    order_by = "" if by_date is None else schema.attributes[by_date].name
    return TableOverview(schema, n if n_records is None else n_records, n, columns, patterns, pairs, order_by, changes)


def _profile(data: Dataset, index: int, rows: IntArray | None, n_numeric: int, into: _Prepared) -> ColumnProfile:
    """Describe one column and write its levels, ranks and order."""
    from algorithms.evaluation.checks import overview_kernels as kernels

    attribute, column = data.schema.attributes[index], data.column(index)
    missing = missing_mask(attribute, column)
    n_missing = int(np.count_nonzero(missing))
    outliers = None
    if attribute.kind.is_float:
        order = np.argsort(column)[: len(column) - n_missing].astype(np.int32)
        ranks, places = np.zeros(len(column), dtype=np.float32), np.zeros(len(column), dtype=np.int32)
        plain, most = _as_loops_take(column), max(2, min(LEVELS, int(np.sqrt(len(column) / 5))))
        n_distinct = int(kernels.rank_column(plain, order, most, ranks, places, into.codes[index]))
        into.levels[index] = min(n_distinct, most)
        into.ranked[index] = _Ranked(ranks, places, len(order), n_distinct, *_scale(column))
        if attribute.kind is AttributeKind.NUMERIC:
            outliers = outliers_of(column[order], n_numeric)
    elif attribute.kind.is_coded:
        n_distinct, into.levels[index] = _nominal_levels(attribute, column, into.codes[index])
    else:
        n_distinct = count_distinct(attribute, column)
        into.codes[index], into.levels[index] = ~missing, 1
    ordered_missing = missing if rows is None else missing[rows]
    trend, trend_of = _trend(attribute, column, rows)
    parts = _by_part(ordered_missing.astype(np.float64))
    return ColumnProfile(attribute.name, attribute.kind, n_missing, n_distinct, parts, trend, trend_of, outliers)


def _nominal_levels(attribute: Attribute, column: Column, codes: Bytes) -> tuple[int, int]:
    """Write the levels of a nominal column; return the number of distinct values and that of levels."""
    counts = np.bincount(column[column >= 0], minlength=len(attribute.values))
    n_distinct = int(np.count_nonzero(counts))
    table = np.zeros(len(counts) + 1, dtype=np.uint8)  # the last place is that of code -1
    if n_distinct <= MOST_LEVELS:
        table[np.flatnonzero(counts)] = np.arange(1, n_distinct + 1)
    else:
        table[:-1] = np.where(counts > 0, MOST_LEVELS, 0)
        table[np.argsort(-counts, kind="stable")[: MOST_LEVELS - 1]] = np.arange(1, MOST_LEVELS)
    codes[:] = table[column]
    return n_distinct, min(n_distinct, MOST_LEVELS)


def outliers_of(ascending: FloatArray, n_attributes: int = 1) -> Outliers | None:
    """Outliers among ascending numbers (m,), of one of ``n_attributes``; None with fewer than eight finite ones."""
    values = ascending[np.isfinite(ascending)]
    if len(values) < 8:
        return None
    shares = quantiles(values, None, [0.125, 0.25, 0.5, 0.75, 0.875])
    octile, lower, median, upper, last_octile = (float(share) for share in shares)
    with np.errstate(over="ignore", invalid="ignore"):
        low, high = lower - FENCE * (upper - lower), upper + FENCE * (upper - lower)
        beyond = _outside(values, low, high)
        far = FAR_OUT * (upper - lower)
        far_out = _outside(values, lower - far, upper + far)
        spread = 1.4826 * float(np.median(np.abs(values - median)))
        robust = _outside(values, median - ROBUST_Z * spread, median + ROBUST_Z * spread) if spread > 0 else 0
        n_tail = len(values) / 4
        # the estimated scale of the tail is uncertain, and rounding moves the octiles by up to a step
        reach = float(np.log(2 * n_tail * max(1, n_attributes) / TAIL_ALPHA) / np.log(2)) * (1 + 3 / np.sqrt(n_tail))
        step = _step(values)
        limits = lower - reach * (lower - octile + step), upper + reach * (last_octile - upper + step)
    # no tail to measure: a spike of one value lies on the quartile and beyond
    limits = limits[0] if octile < lower else -np.inf, limits[1] if last_octile > upper else np.inf
    has_tails = len(values) >= FEWEST_FOR_TAILS
    extreme, below = (_outside(values, *limits), _outside(values, limits[0], np.inf)) if has_tails else (0, 0)
    return Outliers((lower, median, upper), (low, high), beyond, robust, limits, extreme, below, far_out)


def _step(ascending: FloatArray) -> float:
    """The step between numbers of few distinct values, such as 1 for whole ones; 0 for many."""
    distinct = ascending[np.append(True, ascending[1:] != ascending[:-1])]
    return resolution(distinct) if len(distinct) <= MOST_STEPS else 0.0


def _outside(ascending: FloatArray, low: float, high: float) -> int:
    below = int(np.searchsorted(ascending, low, side="left"))
    return below + len(ascending) - int(np.searchsorted(ascending, high, side="right"))


def _trend(attribute: Attribute, column: Column, rows: IntArray | None) -> tuple[FloatArray, str]:
    """The mean of a numeric column in each part of the order, or the share of its most frequent value, and that."""
    if attribute.kind is AttributeKind.NUMERIC:
        with np.errstate(over="ignore", invalid="ignore"):
            return _by_part(column if rows is None else column[rows]), ""
    if not attribute.kind.is_coded or not np.any(column >= 0):
        return np.full(PARTS, np.nan), ""
    code = int(np.argmax(np.bincount(column[column >= 0])))
    shares = np.where(column >= 0, (column == code).astype(np.float64), np.nan)
    return _by_part(shares if rows is None else shares[rows]), attribute.values[code]


def _by_part(values: FloatArray) -> FloatArray:
    """The mean of the finite values in each of :data:`PARTS` parts; NaN in a part without."""
    ends = np.linspace(0, len(values), PARTS + 1).astype(np.int64)
    means = np.full(PARTS, np.nan)
    for part, (start, end) in enumerate(pairwise(ends.tolist())):
        here = values[start:end]
        here = here[np.isfinite(here)]
        if len(here):
            means[part] = here.mean()
    return means


def _patterns(
    data: Dataset, columns: Sequence[ColumnProfile], checkpoint: Callable[[], None]
) -> tuple[MissingPattern, ...]:
    """The most frequent sets of columns that are missing together, most frequent first."""
    with_gaps = [index for index, profile in enumerate(columns) if profile.n_missing]
    marks = np.random.default_rng(1).integers(1, 1 << 63, size=len(with_gaps), dtype=np.uint64)
    hashes = np.zeros(len(data), dtype=np.uint64)
    for index, mark in zip(with_gaps, marks, strict=True):
        checkpoint()
        hashes[data.missing(index)] ^= mark
    kinds, first, counts = np.unique(hashes, return_index=True, return_counts=True)
    checkpoint()
    order = [place for place in np.argsort(-counts, kind="stable").tolist() if kinds[place]][:MOST_PATTERNS]
    rows = first[order].astype(np.int64)
    lacks = [missing_mask(data.schema.attributes[index], data.cells(index, rows)) for index in with_gaps]
    return tuple(
        MissingPattern(
            tuple(columns[index].name for index, gone in zip(with_gaps, lacks, strict=True) if gone[number]),
            int(counts[place]),
        )
        for number, place in enumerate(order)
    )


def _paired(schema: Schema) -> list[int]:
    """Columns that are paired: all but text and identifiers, the class and the first ones if there are too many."""
    able = [i for i, attribute in enumerate(schema.attributes) if not attribute.kind.is_string]
    if len(able) <= MOST_COLUMNS:
        return able
    own = [] if schema.class_index not in able else [schema.class_index]
    return sorted([*own, *[i for i in able if i not in own][: MOST_COLUMNS - len(own)]])


def _associations(data: Dataset, prepared: _Prepared, context: RunContext) -> Associations:
    """Describe all pairs: levels first, then numbers."""
    schema = data.schema
    columns = _paired(schema)
    able = sum(not attribute.kind.is_string for attribute in schema.attributes)
    c, n = len(columns), len(data)
    context.say(f"Comparing {c * (c - 1) // 2:,} pairs of columns")
    numeric = np.array([schema.attributes[i].kind.is_float for i in columns], dtype=np.bool_)
    blank = np.full((c, c), np.nan)
    pairs = Associations(
        columns=np.array(columns, dtype=np.int64),
        names=tuple(schema.attributes[i].name for i in columns),
        is_numeric=numeric,
        strength=blank.copy(),
        plain=blank.copy(),
        pearson=blank.copy(),
        spearman=blank.copy(),
        information=blank.copy(),
        plain_information=blank.copy(),
        n=np.zeros((c, c)),
        levels=np.zeros((c, c)),
        chi_square=blank.copy(),
        between=blank.copy(),
        covariance=blank.copy(),
        variance=blank.copy(),
        rank_covariance=blank.copy(),
        rank_variance=blank.copy(),
        p_values=blank.copy(),
        missing_together=np.zeros((c, c)),
        n_left_out=able - c,
    )
    if c < 2 or n < 2:
        return pairs
    levelled = [0]

    def row(i: int) -> None:
        _pair_levels(prepared, pairs, i, context.checkpoint)
        _pair_groups(data, prepared, pairs, i, context.checkpoint)
        _pair_ranks(prepared, pairs, i, context.checkpoint)
        levelled[0] += 1
        context.advance(levelled[0], c)

    _correlate(data, prepared, pairs, context)
    context.map(row, range(c))
    _measure(pairs)
    return pairs


def _pair_levels(prepared: _Prepared, pairs: Associations, i: int, checkpoint: Callable[[], None]) -> None:
    """Contingency of column ``i`` with each later one: counts, chi-square, mutual information."""
    from algorithms.evaluation.checks import overview_kernels as kernels

    first, later = int(pairs.columns[i]), pairs.columns[i + 1 :]
    step = max(1, _VISITS // max(1, prepared.codes.shape[1]))
    for start in range(0, len(later), step):
        checkpoint()
        others = later[start : start + step]
        tables = np.zeros((len(others), 6))
        kernels.describe_pairs(prepared.codes, prepared.levels, first, others, tables)
        j = slice(i + 1 + start, i + 1 + start + len(others))
        for matrix, which in ((pairs.missing_together, 0), (pairs.n, 1), (pairs.chi_square, 2)):
            matrix[i, j] = matrix[j, i] = tables[:, which]
        pairs.plain_information[i, j] = pairs.plain_information[j, i] = tables[:, kernels.INFORMATION] / np.log(2)
        pairs.levels[i, j], pairs.levels[j, i] = tables[:, kernels.ROWS], tables[:, kernels.COLUMNS]


def _pair_groups(
    data: Dataset, prepared: _Prepared, pairs: Associations, i: int, checkpoint: Callable[[], None]
) -> None:
    """The share of variance between the levels of nominal column ``i`` of each numeric one."""
    from algorithms.evaluation.checks import overview_kernels as kernels

    if pairs.is_numeric[i]:
        return
    first = int(pairs.columns[i])
    for j in np.flatnonzero(pairs.is_numeric).tolist():
        checkpoint()
        column = data.column(int(pairs.columns[j]))
        ranked = prepared.ranked[int(pairs.columns[j])]
        if not ranked.unit > 0:
            continue
        sums = np.zeros((int(prepared.levels[first]) + 1, 3))
        kernels.sums_by_level(prepared.codes[first], _as_loops_take(column), ranked.centre, ranked.unit, sums)
        known = sums[1:][sums[1:, 0] > 0]
        n = known[:, 0].sum()
        if n < 2:
            continue
        mean = known[:, 1].sum() / n
        whole = known[:, 2].sum() - n * mean * mean
        between = float((known[:, 0] * (known[:, 1] / known[:, 0] - mean) ** 2).sum())
        if whole > 1e-12 * n:
            pairs.between[i, j] = pairs.between[j, i] = min(1.0, between / whole)


def _pair_ranks(prepared: _Prepared, pairs: Associations, i: int, checkpoint: Callable[[], None]) -> None:
    """Spearman's rank correlation of numeric column ``i`` with later ones, where one lacks values the other has."""
    from algorithms.evaluation.checks import overview_kernels as kernels

    if not pairs.is_numeric[i]:
        return
    first = int(pairs.columns[i])
    one = prepared.ranked[first]
    for j in range(i + 1, len(pairs.columns)):
        second = int(pairs.columns[j])
        if not pairs.is_numeric[j] or one.n_known == prepared.ranked[second].n_known == prepared.codes.shape[1]:
            continue
        checkpoint()
        other = prepared.ranked[second]
        both, own, others = kernels.rank_products(
            one.places, one.n_distinct, other.places, other.n_distinct, prepared.codes[first], prepared.codes[second]
        )
        n = max(1.0, float(pairs.n[i, j]))
        pairs.rank_covariance[i, j] = pairs.rank_covariance[j, i] = both / n
        pairs.rank_variance[i, j], pairs.rank_variance[j, i] = own / n, others / n
        is_varied = own > 0 and others > 0
        value = both / np.sqrt(own * others) if is_varied else np.nan
        pairs.spearman[i, j] = pairs.spearman[j, i] = value


def _as_loops_take(column: Column) -> Column:
    """The column as the loops were compiled for it: contiguous and read-only."""
    return read_only(np.ascontiguousarray(column))


def _scale(column: Column) -> tuple[float, float]:
    """Mean and standard deviation of the finite numbers; unit 0 without any difference."""
    finite = column[np.isfinite(column)]
    if not len(finite):
        return 0.0, 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        centre = float(finite.mean())
        unit = float(finite.std())
    return (centre, unit) if np.isfinite(unit) and np.isfinite(centre) else (0.0, 0.0)


def _correlate(data: Dataset, prepared: _Prepared, pairs: Associations, context: RunContext) -> None:
    """Pearson's r of all numeric pairs, and the rank correlation of those without missing values, by products."""
    places = np.flatnonzero(pairs.is_numeric)
    columns = [int(pairs.columns[place]) for place in places]
    if len(columns) < 2:
        return
    n, cells = len(data), np.ix_(places, places)
    numbers = [prepared.ranked[index] for index in columns]
    centres = np.array([[each.centre] for each in numbers])
    units = np.array([[each.unit if each.unit > 0 else np.nan] for each in numbers])
    size = len(columns)
    counts, sums, squares, products, rank_products = np.zeros((5, size, size))
    ranked = np.flatnonzero([each.n_known == n for each in numbers])
    parts: list[tuple[FloatArray, ...]] = []

    def add(start: int) -> None:
        end = min(n, start + _BLOCK)
        block = np.stack([data.column(index)[start:end] for index in columns])
        with np.errstate(invalid="ignore", over="ignore"):
            block = (block - centres) / units
        finite = np.isfinite(block)
        block[~finite] = 0.0
        is_known = finite.astype(np.float64)
        rank_product = np.zeros((len(ranked), len(ranked)))
        if len(ranked):
            ranks = np.stack([numbers[k].ranks[start:end] for k in ranked]).astype(np.float64)
            ranks -= (n + 1) / 2
            rank_product = ranks @ ranks.T
        all_known = bool(finite.all())
        if all_known:
            ones = np.full((size, size), float(end - start))
            own = block.sum(axis=1)[:, None] + np.zeros((size, size))
            squared = (block * block).sum(axis=1)[:, None] + np.zeros((size, size))
            parts.append((ones, own, squared, block @ block.T, rank_product))
        else:
            squared = (block * block) @ is_known.T
            parts.append((is_known @ is_known.T, block @ is_known.T, squared, block @ block.T, rank_product))

    for start in range(0, n, _BLOCK * 8):
        context.checkpoint()
        context.map(add, range(start, min(n, start + _BLOCK * 8), _BLOCK))
        for part in parts:
            counts += part[0]
            sums += part[1]
            squares += part[2]
            products += part[3]
            rank_products[np.ix_(ranked, ranked)] += part[4]
        parts.clear()
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = products - sums * sums.T / counts
        spread = squares - sums * sums / counts
        spread[spread <= 1e-12 * counts] = np.nan
        pearson = np.clip(covariance / np.sqrt(spread * spread.T), -1.0, 1.0)
        own = np.diag(rank_products).copy()
        own[own <= 0] = np.nan
        spearman = np.clip(rank_products / np.sqrt(np.outer(own, own)), -1.0, 1.0)
        pairs.covariance[cells], pairs.variance[cells] = covariance / counts, spread / counts
    pairs.pearson[cells], pairs.spearman[cells] = pearson, spearman
    pairs.rank_covariance[cells] = rank_products / n
    pairs.rank_variance[cells] = np.diag(rank_products)[:, None] / n


def _measure(pairs: Associations) -> None:
    """Fill in strengths and p-values of all pairs."""
    from scipy.special import chdtrc, fdtrc, stdtr

    numeric, n = pairs.is_numeric, pairs.n
    both, mixed = np.outer(numeric, numeric), numeric[:, None] != numeric[None, :]
    neither = ~both & ~mixed
    rows, columns = pairs.levels, pairs.levels.T
    p = np.full(n.shape, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        excess = np.maximum(0.0, pairs.chi_square / n - (rows - 1) * (columns - 1) / (n - 1))
        least = np.minimum(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
        v = np.where(least > 0, np.sqrt(excess / np.where(least > 0, least, 1.0)), np.nan)
        plain_v = np.sqrt(pairs.chi_square / n / (np.minimum(rows, columns) - 1))
        k = np.where(numeric[:, None], columns, rows)
        ratio = np.sqrt(np.maximum(0.0, 1 - (1 - pairs.between) * (n - 1) / (n - k)))
        ratio[(n <= k) | (k < 2)] = np.nan
        freedom = (rows - 1) * (columns - 1)
        pairs.information[:] = np.maximum(0.0, pairs.plain_information - freedom / (2 * n * np.log(2)))
        pairs.information[n < 2] = np.nan
        p[neither] = chdtrc(freedom, pairs.chi_square)[neither]
        f = pairs.between / (k - 1) / ((1 - pairs.between) / (n - k))
        p[mixed] = fdtrc(k - 1, n - k, f)[mixed]
        t = np.abs(pairs.spearman) * np.sqrt((n - 2) / (1 - pairs.spearman**2))
        p[both] = 2 * stdtr(n - 2, -t)[both]
    pairs.strength[neither] = np.minimum(v, 1.0)[neither]
    pairs.strength[mixed], pairs.strength[both] = ratio[mixed], np.abs(pairs.spearman)[both]
    pairs.plain[neither], pairs.plain[mixed] = plain_v[neither], np.sqrt(pairs.between)[mixed]
    pairs.plain[both] = np.abs(pairs.spearman)[both]
    np.fill_diagonal(pairs.strength, np.nan)
    upper = np.triu_indices(len(n), 1)
    own = p[upper]
    tested = ~np.isnan(own) & ~np.isnan(pairs.strength[upper])
    corrected = np.full(len(own), np.nan)
    corrected[tested] = holm(own[tested].tolist())
    pairs.p_values[upper] = corrected
    pairs.p_values[upper[1], upper[0]] = corrected
