"""Checks of a run that take time: leaks, duplicates, and drift of tested records.

Drift compares the distribution of each attribute and of the class between tested and training records. Numeric values
use the two-sample Kolmogorov-Smirnov test, nominal values the chi-square test of homogeneity. Missing values use
chi-square too, or Fisher's exact test if expected counts are small. All p-values are corrected by Holm. A difference
must also be large, because among very many records every difference is significant.

Columns with few values make different records equal by chance. The expected share of such duplicates is the larger of
two estimates. The first assumes independent columns within each class. The second uses a dependence tree (Chow and Liu,
Approximating discrete probability distributions with dependence trees, 1968) and counts each distinct record once, so
that duplicates do not explain themselves. A numeric column of mostly distinct values has a resolution, such as 0.1. The
share of possible values that occur near a value estimates the records expected at each (occupancy of cells, Feller
1968, section II.5).

A leaking attribute alone predicts the class almost perfectly, often because it is known only after the class. Each
attribute is tested on unseen records by a one-rule classifier (Holte, Very simple classification rules perform well,
1993). The rule predicts the most frequent class of each value, or of each interval of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.learner import Codes
from algorithms.core.resampling import fold_numbers
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import Column, FloatArray, IntArray, code_counts, group_numbers, is_ascending, missing_mask
from algorithms.data.dataset import Dataset, Derivation
from algorithms.data.schema import Attribute
from algorithms.evaluation.compare.significance_tests import holm
from algorithms.evaluation.methods.methods import Holdout
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.numbers import percent

ALPHA: Final = 0.01
LEAST: Final = 0.1
"""Smallest relevant distance: Kolmogorov-Smirnov statistic or total variation distance."""
MOST_DRIFT_RECORDS: Final = 20_000
FEWEST: Final = 20
LEAST_EXPECTED: Final = 5.0
"""Minimum expected count per cell of the chi-square test; rarer values are pooled."""


@dataclass(frozen=True)
class Drift:
    """An attribute with different distributions in training and test data.

    ``distance`` is between 0 and 1; ``p_value`` is corrected for the number of attributes.
    """

    name: str
    distance: float
    p_value: float
    is_missing: bool = False
    """Whether the shares of missing values differ, rather than the values."""
    is_class: bool = False

    def words(self) -> str:
        """The name with the share of its distribution that differs: "width (31.2%)"."""
        what = f"missing values of {self.name}" if self.is_missing else self.name
        return f"{what} ({percent(self.distance)})"


def drifts(
    training: Dataset, tested: Dataset, checkpoint: Callable[[], None] = lambda: None, *, left_out: Collection[str] = ()
) -> list[Drift]:
    """Significant differences of two data sets, the largest first, without ``left_out``; none with few records."""
    if min(len(training), len(tested)) < FEWEST:
        return []
    one, other = _sampled(training), _sampled(tested)
    schema = training.schema
    found = []
    for index in (*schema.predictors, *(() if schema.class_index is None else (schema.class_index,))):
        checkpoint()
        attribute = schema.attributes[index]
        if attribute.name in left_out:
            continue
        for distance, p, is_missing in _column_differences(attribute, one.column(index), other.column(index)):
            found.append(Drift(attribute.name, distance, p, is_missing, index == schema.class_index))
    corrected = holm([each.p_value for each in found])
    sure = [
        replace(each, p_value=p)
        for each, p in zip(found, corrected, strict=True)
        if p <= ALPHA and each.distance >= LEAST
    ]
    return sorted(sure, key=lambda each: -each.distance)


def drifts_of(
    result: EvaluationResult,
    data: Dataset,
    tested: Dataset | None,
    checkpoint: Callable[[], None] = lambda: None,
    *,
    left_out: Collection[str] = (),
) -> list[Drift]:
    """Drift between the training records of a run on ``data`` and its tested records.

    ``tested`` is the test file, if any. Empty for several test parts or a random one. The column that defines the split
    and the columns ``left_out`` by the recipe are not compared.
    """
    if tested is not None:
        known = aligned(data.schema, tested).labelled()
        return drifts(data.labelled(), known, checkpoint, left_out=left_out)
    if result.test_is_training or result.n_judged != 1 or isinstance(result.method, Holdout):
        return []
    known = data.labelled()
    is_tested = np.isin(known.row_ids, result.row_ids)
    found = drifts(known.take(~is_tested), known.take(is_tested), checkpoint, left_out=left_out)
    return [each for each in found if each.name != result.method.values().get("column")]


def _column_differences(attribute: Attribute, one: Column, other: Column) -> Iterator[tuple[float, float, bool]]:
    """Distances and p-values of a column in two tables: of the share missing (third value True), then of the values."""
    gone = [missing_mask(attribute, column) for column in (one, other)]
    known = [column[~missing] for column, missing in zip((one, other), gone, strict=True)]
    if min(map(len, known)) >= FEWEST:
        if attribute.kind.is_coded:
            k = len(attribute.values)
            counts = np.array([np.bincount(values.astype(np.int64), minlength=k) for values in known])
            yield (*compare_counts(counts.astype(np.float64)), False)
        else:
            yield (*_compare_numbers(*known), False)
    if any(missing.any() for missing in gone):
        counts = np.array([[missing.sum(), len(missing) - missing.sum()] for missing in gone])
        yield (*compare_counts(counts.astype(np.float64)), True)


def _compare_numbers(one: Column, other: Column) -> tuple[float, float]:
    from scipy.stats import ks_2samp

    found = ks_2samp(one, other, method="asymp")
    return float(found.statistic), float(found.pvalue)


def compare_counts(counts: FloatArray) -> tuple[float, float]:
    """Total variation distance and chi-square p-value of counts (2, k)."""
    from scipy.special import chdtrc

    counts = counts[:, counts.sum(axis=0) > 0]
    if counts.shape[1] < 2:
        return 0.0, 1.0
    sizes = counts.sum(axis=1, keepdims=True)
    shares = counts / sizes
    distance = float(np.abs(shares[0] - shares[1]).sum() / 2)
    pooled = _with_pooled_values(counts)
    expected = sizes * pooled.sum(axis=0) / pooled.sum()
    if expected.min() < LEAST_EXPECTED:
        from scipy.stats import fisher_exact

        return distance, float(fisher_exact(pooled.astype(np.int64))[1])
    statistic = float(((pooled - expected) ** 2 / expected).sum())
    return distance, float(chdtrc(pooled.shape[1] - 1, statistic))


def _with_pooled_values(counts: FloatArray) -> FloatArray:
    """Counts (2, k) with the rarest values merged until each expected count is at least five or two values remain.

    With smaller expected counts the statistic does not follow the chi-square distribution (Cochran 1954), and many rare
    values would look like drift.
    """
    share = counts.sum(axis=1).min() / counts.sum()
    order = np.argsort(counts.sum(axis=0), kind="stable")
    expected = np.cumsum(counts.sum(axis=0)[order]) * share
    own = counts.sum(axis=0)[order] * share
    rare = int(np.count_nonzero(own < LEAST_EXPECTED))
    if not rare:
        return counts
    rare = min(rare, len(order) - 1)
    while rare < len(order) - 1 and expected[rare - 1] < LEAST_EXPECTED:
        rare += 1
    return np.column_stack([counts[:, order[:rare]].sum(axis=1), counts[:, order[rare:]]])


def _sampled(data: Dataset) -> Dataset:
    if len(data) <= MOST_DRIFT_RECORDS:
        return data
    return data.take(np.sort(np.random.default_rng(1).choice(len(data), MOST_DRIFT_RECORDS, replace=False)))


def check_run(
    result: EvaluationResult,
    data: Dataset,
    test_data: Dataset | None,
    context: RunContext,
    left_out: tuple[str, ...] = (),
) -> RunChecks:
    """Compare tested with training records; drift and leaks ignore ``left_out`` columns. ``test_data`` is unaligned."""
    if not data.schema.predictors:
        return NOTHING
    context.say("Comparing tested records with those that trained")
    leaks = tuple(leak for leak in giveaways(data, context.checkpoint) if leak.name not in left_out)
    drifts = tuple(drifts_of(result, data, test_data, context.checkpoint, left_out=left_out))
    if test_data is None:
        return RunChecks(_duplicate_records(result, data, context), None, drifts, leaks)
    tested = aligned(data.schema, test_data).labelled()
    return RunChecks(None, _test_file_overlap(data, tested, context), drifts, leaks)


def _test_file_overlap(data: Dataset, tested: Dataset, context: RunContext) -> TestFileOverlap:
    """Overlap of a test file with the training records; never natural if both are the same records."""
    share, others = shared_with(data, tested, context.checkpoint)
    if share < LEAST_SHARED or have_the_same_records(data, tested, context.checkpoint):
        return TestFileOverlap(share, 0.0, False, others)
    rows = _labelled(data)
    by_chance = share_by_chance(rows, tested, _class_counts(rows)[tested.class_codes], context.checkpoint)
    return TestFileOverlap(share, by_chance, is_natural(share, by_chance, len(tested)), others)


def _duplicate_records(result: EvaluationResult, data: Dataset, context: RunContext) -> DuplicateRecords | None:
    """Duplicates of tested records among the training records; None if the method has no held-out records."""
    if _has_no_training_part(result):
        return None
    groups = groups_of_equals(data, context.checkpoint)
    share = twin_share(result, data, groups)
    if share is None:
        return None
    if share < LEAST_TWINS:
        return DuplicateRecords(share, 0.0, False, first_of_each(groups))
    rows = _labelled(data)
    tests_at_once = float(np.mean(np.bincount(_models_of_tests(result))[_models_of_tests(result)]))
    training = 1.0 - tests_at_once / len(rows)
    others = np.rint(_class_counts(rows)[rows.class_codes] * training).astype(np.int64)
    by_chance = share_by_chance(rows, None, others, context.checkpoint)
    return DuplicateRecords(
        share, by_chance, is_natural(share, by_chance, len(np.unique(result.row_ids))), first_of_each(groups)
    )


@dataclass(frozen=True, eq=False)
class TableDuplicates:
    """Records of a table that repeat an earlier one: ``n_copies``, and the first row of each distinct record.

    ``share`` of the records have an equal one; ``by_chance`` is the share expected, ``natural`` if that explains it.
    """

    n_copies: int
    share: float
    by_chance: float
    natural: bool
    first_rows: IntArray


def table_duplicates(data: Dataset, checkpoint: Callable[[], None]) -> TableDuplicates | None:
    """Duplicates among all records of a table, judged as those of a run; None without any."""
    if not data.schema.predictors or not len(data):
        return None
    groups = groups_of_equals(data, checkpoint)
    n_groups = int(groups.max()) + 1
    n_copies = len(data) - n_groups
    if not n_copies:
        return None
    first_rows, share = first_of_each(groups), float(np.mean(code_counts(groups, n_groups)[groups] > 1))
    index = data.schema.class_index
    if index is None or not data.schema.attributes[index].kind.is_coded:
        rows = data.with_class(None)
        others = np.full(len(rows), len(rows) - 1)
    else:
        rows = _labelled(data)
        others = _class_counts(rows)[rows.class_codes] - 1 if len(rows) else np.zeros(0, dtype=np.int64)
    by_chance = share_by_chance(rows, None, others, checkpoint) if len(rows) else 0.0
    return TableDuplicates(n_copies, share, by_chance, is_natural(share, by_chance, len(data)), first_rows)


def _models_of_tests(result: EvaluationResult) -> IntArray:
    """Index of the model that tested each record (n,)."""
    return result.repeats.astype(np.int64) * (int(result.folds.max()) + 1) + result.folds


def _labelled(data: Dataset) -> Dataset:
    rows = np.flatnonzero(data.class_codes >= 0)
    return data if len(rows) == len(data) else data.take(rows)


def _class_counts(data: Dataset) -> IntArray:
    """Number of records of each class (c,)."""
    return np.bincount(data.class_codes, minlength=len(data.schema.classes)).astype(np.int64)


LEAST_TWINS: Final = 0.01
LEAST_SHARED: Final = 0.01
"""Smallest share of duplicates that is reported."""


@dataclass(frozen=True, eq=False)
class DuplicateRecords:
    """The share of tested records that duplicate a training record, and the first row of each distinct record.

    ``by_chance`` is the share expected from the frequencies of the values; ``natural`` if that explains ``share``.
    """

    share: float
    by_chance: float
    natural: bool
    first_rows: IntArray


@dataclass(frozen=True, eq=False)
class TestFileOverlap:
    """The share of test records that are training records, and the training rows absent from the file."""

    share: float
    by_chance: float
    natural: bool
    other_rows: IntArray


@dataclass(frozen=True, eq=False)
class RunChecks:
    """Results of the checks of a run; None or empty without a finding."""

    twins: DuplicateRecords | None = None
    overlap: TestFileOverlap | None = None
    drifts: tuple[Drift, ...] = ()
    giveaways: tuple[LeakingAttribute, ...] = ()
    """Predictors of the run that alone predict the class."""


NOTHING: Final = RunChecks()


Hashes = NDArray[np.uint64]

_BLOCK: Final = 65_536
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)
_SHIFTS: Final = (np.uint64(30), np.uint64(27), np.uint64(31))


def record_hashes(data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Hashes:
    """Hash (n,) of each record's predictors and class; equal records have equal hashes."""
    schema = data.schema
    hashes = np.full(len(data), 0x9E3779B97F4A7C15, dtype=np.uint64)
    for index in (*schema.predictors, *(() if schema.class_index is None else (schema.class_index,))):
        column = data.passing_column(index)
        for start in range(0, len(data), _BLOCK):
            checkpoint()
            block = slice(start, start + _BLOCK)
            hashes[block] = _mix_bits(hashes[block] ^ _bits(column[block]))
    return hashes


def _groups(data: Dataset, checkpoint: Callable[[], None]) -> Codes:
    hashes = record_hashes(data, checkpoint)
    checkpoint()
    return group_numbers(hashes)


GROUPS = Derivation[Codes]("groups of equal records", _groups)


def groups_of_equals(data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Codes:
    """Group number (n,) of each record: equal records, predictors and class, share one. Cached with the data.

    Groups compare 64-bit hashes. A table of a million distinct records has a collision once in 37 million tables.
    """
    return data.derived(GROUPS, checkpoint)


def first_of_each(groups: Codes) -> IntArray:
    """Ascending rows of the first record of each group; the groups are numbered from 0."""
    first = np.full(int(groups.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups) - 1, -1, -1)
    first.sort()
    return first


def _has_no_training_part(result: EvaluationResult) -> bool:
    """Whether the table of the tested records contains no training records."""
    return result.method.needs_test_data or result.test_is_training or not len(result)


def twin_share(result: EvaluationResult, data: Dataset, groups: Codes) -> float | None:
    """Share of tested records with a duplicate (by ``groups``) in their training part; None without such parts."""
    if _has_no_training_part(result):
        return None
    if is_ascending(data.row_ids):
        rows = np.searchsorted(data.row_ids, result.row_ids)
    else:
        order = np.argsort(data.row_ids, kind="stable")
        rows = order[np.searchsorted(data.row_ids, result.row_ids, sorter=order)]
    tested, n_groups = groups[rows], int(groups.max()) + 1
    trainable = code_counts(groups[data.class_codes >= 0], n_groups)
    if result.n_judged == 1:
        return float(np.mean(trainable[tested] > code_counts(tested, n_groups)[tested]))
    part = result.repeats.astype(np.int64) * (int(result.folds.max()) + 1) + result.folds
    _, which, counts = np.unique(part * len(trainable) + tested, return_inverse=True, return_counts=True)
    return float(np.mean(trainable[tested] > counts[which]))


def shared_with(training: Dataset, tested: Dataset, checkpoint: Callable[[], None]) -> tuple[float, IntArray]:
    """The share of tested records that are training records, and the training rows not tested; of one schema."""
    mine, theirs = record_hashes(training, checkpoint), record_hashes(tested, checkpoint)
    checkpoint()
    share = float(np.isin(theirs, mine).mean()) if len(theirs) else 0.0
    return share, np.flatnonzero(~np.isin(mine, theirs))


def have_the_same_records(first: Dataset, second: Dataset, checkpoint: Callable[[], None]) -> bool:
    """Whether both data sets are equal as multisets of records."""
    if len(first) != len(second):
        return False
    return np.array_equal(np.sort(record_hashes(first, checkpoint)), np.sort(record_hashes(second, checkpoint)))


def _bits(column: Column) -> Hashes:
    """Each value as 64 bits, equal for equal values, for 0 and -0, and for all missing values."""
    if column.dtype == np.float64:
        plain = column + 0.0
        plain[np.isnan(plain)] = np.nan
        return plain.view(np.uint64)
    return column.astype(np.int64).view(np.uint64)


def _mix_bits(hashes: Hashes) -> Hashes:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): each input bit changes half of the output bits."""
    hashes = (hashes ^ (hashes >> _SHIFTS[0])) * _FIRST
    hashes = (hashes ^ (hashes >> _SHIFTS[1])) * _SECOND
    return hashes ^ (hashes >> _SHIFTS[2])


Checkpoint = Callable[[], None]

TIMES: Final = 2.0
"""Duplicates are natural up to this multiple of the share expected by chance."""
SURE: Final = 0.001
"""Beyond :data:`TIMES`, they are natural unless the Poisson p-value of their number is at most this."""
MOST_COLUMNS: Final = 40
"""Wider tables use only the first estimate, since the second is quadratic in the number of columns."""
FEWEST_NEAR: Final = 10
"""Minimum number of distinct values on either side of a value that estimate its density."""
MOST_DIGITS: Final = 12
"""Numbers with more decimal digits are too finely resolved to recur by chance."""
MOST_RECORDS: Final = 5_000
"""Sample of distinct records from which the dependence tree is learned."""


def share_by_chance(data: Dataset, tested: Dataset | None, n_others: IntArray, checkpoint: Checkpoint) -> float:
    """Expected share of records equal to one of ``n_others`` (m,) of their class, by frequencies in ``data``.

    Without a class all records are of one.
    """
    index = data.schema.class_index
    codes = np.zeros(len(data) + (0 if tested is None else len(tested)), dtype=np.int64)
    if index is not None:
        codes, _ = next(_coded(data, tested, (index,), checkpoint))
    coded = list(_coded(data, tested, data.schema.predictors, checkpoint))
    columns = [column for column, _ in coded]
    n, is_own = len(data), tested is None
    distinct = np.unique(record_hashes(data, checkpoint), return_index=True)[1]
    estimates = [_independent(coded, codes, n, is_own, distinct, checkpoint)]
    if 1 < len(columns) <= MOST_COLUMNS:
        estimates.append(_dependent(columns, codes, n, is_own, distinct, checkpoint))
    return max(float(np.mean(_at_least_one(each, n_others))) for each in estimates)


def is_natural(share: float, by_chance: float, n: int) -> bool:
    """Whether chance explains the share: up to :data:`TIMES` the expected one, or not significant (Poisson)."""
    from scipy.special import gammainc

    if share <= TIMES * by_chance:
        return True
    pairs = max(1.0, float(np.floor(share * n / 2)))
    return bool(gammainc(pairs, by_chance * n / 2) > SURE)


def _at_least_one(matches: FloatArray, n_others: IntArray) -> FloatArray:
    """Probability (m,) of at least one match among ``n_others`` records, each matching with ``matches`` (m,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        share: FloatArray = -np.expm1(n_others * np.log1p(-np.minimum(matches, 1.0)))
    return np.where(n_others > 0, share, 0.0)


def _coded(
    data: Dataset, tested: Dataset | None, indices: tuple[int, ...], checkpoint: Checkpoint
) -> Iterator[tuple[IntArray, FloatArray | None]]:
    """Integer codes of each column, missing values included: rows of ``data``, then those of ``tested``.

    Numeric columns also yield their distinct values in ascending order, nominal ones None.
    """
    for index in indices:
        checkpoint()
        column: Column = data.column(index)
        if tested is not None:
            column = np.concatenate([column, tested.column(index)])
        if column.dtype != np.float64:
            yield column.astype(np.int64) - min(0, int(column.min(initial=0))), None
        else:
            levels, column_codes = np.unique(column, return_inverse=True)
            yield column_codes.astype(np.int64), levels


def _independent(
    columns: list[tuple[IntArray, FloatArray | None]],
    codes: IntArray,
    n: int,
    is_own: bool,
    distinct: IntArray,
    checkpoint: Checkpoint,
) -> FloatArray:
    """Probability (m,) that a record of the same class equals each tested record, with independent columns.

    ``columns`` and ``codes`` hold ``n`` reference records, then the tested ones unless these are the same (``is_own``).
    A tested record does not count for itself. In a column of mostly distinct values, duplicates would explain
    themselves. There only the ``distinct`` records count, or the occupancy estimate if that is larger.
    """
    asked = slice(0, n) if is_own else slice(n, None)
    every = np.arange(n)
    matches = np.ones(len(codes[asked]))
    for column, levels in columns:
        checkpoint()
        cells = codes * (int(column.max(initial=0)) + 1) + column
        is_fine = len(np.unique(column[:n])) > n / 2
        counted, own = (distinct, 1) if is_fine else (every, int(is_own))
        of_class = np.bincount(codes[counted], minlength=int(codes.max(initial=0)) + 1)[codes[asked]] - own
        of_value = np.bincount(cells[counted], minlength=int(cells.max(initial=0)) + 1)[cells[asked]] - own
        shares = np.maximum(of_value, 0) / np.maximum(of_class, 1)
        if is_fine and levels is not None:
            shares = np.maximum(shares, _by_occupancy(column, levels, codes, n, asked))
        matches *= shares
    return matches


def _by_occupancy(column: IntArray, levels: FloatArray, codes: IntArray, n: int, asked: slice) -> FloatArray:
    """Probability (m,) that a record of the class has each ``asked`` record's value, from occupied values nearby.

    ``column`` indexes ``levels``; the first ``n`` records are the reference. If D of W possible values in a window
    occur, each has -ln(1 - D / W) records on average (Poisson). How often a value occurs is ignored. 0 without a
    resolution and for missing values.
    """
    values, of_class = levels[column], codes[asked]
    shares = np.zeros(len(of_class))
    step = resolution(levels[np.isfinite(levels)])
    if step == 0:
        return shares
    for code in np.unique(of_class).tolist():
        occupied = np.unique(values[:n][codes[:n] == code])
        occupied = occupied[np.isfinite(occupied)]
        near = max(FEWEST_NEAR, int(np.sqrt(len(occupied))))
        if len(occupied) <= near:
            continue
        place = np.arange(len(occupied))
        first, last = np.maximum(place - near, 0), np.minimum(place + near, len(occupied) - 1)
        possible = np.rint((occupied[last] - occupied[first]) / step)
        filled = np.minimum((last - first) / possible, 1 - 1 / (2 * possible))
        rates = -np.log1p(-filled)
        records = float((rates / filled).sum())
        mine = np.flatnonzero(of_class == code)
        wanted = values[asked][mine]
        nearest = np.minimum(np.searchsorted(occupied, wanted), len(occupied) - 1)
        is_within = (wanted >= occupied[0]) & (wanted <= occupied[-1])
        shares[mine] = np.where(is_within, rates[nearest] / records, 0.0)
    return shares


def resolution(values: FloatArray) -> float:
    """The largest number that divides every difference; 0 without one, or beyond :data:`MOST_DIGITS` digits."""
    for digits in range(MOST_DIGITS + 1):
        scaled = values * 10.0**digits
        whole = np.rint(scaled)
        if not len(values) or float(np.abs(whole).max()) > 10.0**MOST_DIGITS:
            return 0.0
        if np.all(np.abs(scaled - whole) <= 1e-15 * (1 + np.abs(whole))):
            return float(np.gcd.reduce(np.diff(whole.astype(np.int64)))) / 10.0**digits
    return 0.0


def _dependent(
    columns: list[IntArray], codes: IntArray, n: int, is_own: bool, distinct: IntArray, checkpoint: Checkpoint
) -> FloatArray:
    """As :func:`_independent`, but with a dependence tree and each distinct record counted once.

    A tested record counts neither for itself nor for its duplicates.
    """
    asked = slice(0, n) if is_own else slice(n, None)
    of_class = np.bincount(codes[distinct], minlength=int(codes.max(initial=0)) + 1)[codes[asked]]
    matches = np.ones(len(of_class))
    for child, parent in _dependence_tree(columns, codes, distinct[:MOST_RECORDS], checkpoint):
        checkpoint()
        given = codes if parent is None else np.unique(_joint_codes(codes, columns[parent]), return_inverse=True)[1]
        both = np.unique(_joint_codes(given, columns[child]), return_inverse=True)[1]
        n_given = np.bincount(given[distinct], minlength=int(given.max(initial=0)) + 1)[given[asked]] - 1
        n_both = np.bincount(both[distinct], minlength=int(both.max(initial=0)) + 1)[both[asked]] - 1
        matches *= np.maximum(n_both, 0) / np.maximum(n_given, 1)
    return matches


def _dependence_tree(
    columns: list[IntArray], codes: IntArray, rows: IntArray, checkpoint: Checkpoint
) -> list[tuple[int, int | None]]:
    """Pairs (column, parent or None), parents first: maximum conditional mutual information tree given the class."""
    classes = codes[rows]
    parts = [column[rows] for column in columns]
    alone = [_entropy(_joint_codes(classes, part)) for part in parts]
    best = np.full(len(parts), -np.inf)
    nearest: list[int | None] = [None] * len(parts)
    best[0] = np.inf
    waiting, tree = set(range(len(parts))), list[tuple[int, int | None]]()
    while waiting:
        checkpoint()
        chosen = max(sorted(waiting), key=lambda each: best[each])
        waiting.remove(chosen)
        tree.append((chosen, nearest[chosen]))
        for other in waiting:
            both = _joint_codes(_joint_codes(classes, parts[chosen]), parts[other])
            shared = alone[chosen] + alone[other] - _entropy(both)
            if shared > best[other]:
                best[other], nearest[other] = shared, chosen
    return tree


def _joint_codes(first: IntArray, second: IntArray) -> IntArray:
    """One integer code (n,) for each pair of values."""
    return np.unique(first, return_inverse=True)[1] * (int(second.max(initial=0)) + 1) + second


def _entropy(values: IntArray) -> float:
    """The entropy of these values in nats."""
    shares = np.unique(values, return_counts=True)[1] / len(values)
    return float(-(shares * np.log(shares)).sum())


LEAK_FOLDS: Final = 3
MOST_LEAK_RECORDS: Final = 20_000
"""Sample size for larger tables; enough to estimate an accuracy near 97%."""
LEAST_LEAK_RECORDS: Final = 30
MOST_RANGES: Final = 256
SMALLEST_RANGE: Final = 6
"""Minimum number of training records in an interval, as in Holte."""
MOST_CLASSES: Final = 30
SCREENED: Final = 2_000
SCREEN: Final = 0.6
"""In large tables :data:`SCREENED` records select the attributes that remove this share of baseline errors."""
NEARLY_ALWAYS: Final = 0.97
SHARE_OF_ERRORS_GONE: Final = 0.9
"""Minimum share of the baseline's errors removed: 97% accuracy means nothing if the baseline has it too."""


@dataclass(frozen=True)
class LeakingAttribute:
    """An attribute and the accuracy of its one-rule classifier on unseen records."""

    name: str
    accuracy: float


def giveaways(data: Dataset, checkpoint: Checkpoint, seed: int = 1) -> list[LeakingAttribute]:
    """The attributes that alone nearly determine the class, by accuracy; none with few records or predictors."""
    rows = np.flatnonzero(data.class_codes >= 0)
    if len(rows) > MOST_LEAK_RECORDS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_LEAK_RECORDS, replace=False))
    predictors = data.schema.predictors
    if len(rows) < LEAST_LEAK_RECORDS or len(predictors) < 2:
        return []
    random = np.random.default_rng(seed)
    if len(rows) > 2 * SCREENED:
        few = np.sort(random.choice(rows, SCREENED, replace=False))
        predictors = tuple(
            i for i, _, gone in _one_rule_results(data, predictors, few, random, checkpoint) if gone >= SCREEN
        )
    leaking = [
        LeakingAttribute(data.schema.attributes[index].name, right)
        for index, right, gone in _one_rule_results(data, predictors, rows, random, checkpoint)
        if right >= NEARLY_ALWAYS and gone >= SHARE_OF_ERRORS_GONE
    ]
    return sorted(leaking, key=lambda attribute: -attribute.accuracy)


def _one_rule_results(
    data: Dataset, predictors: Sequence[int], rows: IntArray, random: np.random.Generator, checkpoint: Checkpoint
) -> Iterator[tuple[int, float, float]]:
    """Each predictor's index, one-rule accuracy and removed share of the baseline's errors."""
    codes = data.class_codes[rows].astype(np.int64)
    folds = fold_numbers(codes, len(codes), LEAK_FOLDS, random)
    wrong = 1 - float(np.bincount(codes).max() / len(codes))
    for index in predictors if wrong > 0 else ():
        checkpoint()
        right = one_rule_accuracy(data, index, rows, codes, folds)
        yield index, right, 1 - (1 - right) / wrong


def one_rule_accuracy(data: Dataset, index: int, rows: IntArray, codes: IntArray, folds: IntArray) -> float:
    """Cross-validated accuracy of one rule on an attribute; ``codes`` and ``folds`` (m,) are those of ``rows`` (m,)."""
    attribute = data.schema.attributes[index]
    column = data.cells(index, rows)
    missing = missing_mask(attribute, column)
    n_classes, right = int(codes.max()) + 1, 0
    for fold in range(LEAK_FOLDS):
        tested = folds == fold
        if attribute.kind.is_coded:
            cells, n_cells = column.astype(np.int64), len(attribute.values)
        else:
            trains = ~tested & ~missing
            edges = _interval_bounds(column[trains], codes[trains])
            cells, n_cells = np.searchsorted(edges, column, side="right"), len(edges) + 1
        cells = np.where(missing, n_cells, cells)
        rule = _rule(cells[~tested], codes[~tested], n_cells + 1, n_classes)
        right += int(np.count_nonzero(rule[cells[tested]] == codes[tested]))
    return right / len(rows)


def _rule(cells: IntArray, codes: IntArray, n_cells: int, n_classes: int) -> IntArray:
    """Most frequent class of each cell (n_cells,); empty cells get the most frequent class of all records."""
    counts = np.bincount(cells * n_classes + codes, minlength=n_cells * n_classes).reshape(n_cells, n_classes)
    rule: IntArray = np.argmax(counts, axis=1)
    rule[counts.sum(axis=1) == 0] = int(np.argmax(counts.sum(axis=0)))
    return rule


def _interval_bounds(values: Column, codes: IntArray) -> Column:
    """Ascending bounds (m,), midway between neighbours: quantiles, and each class's two best cut points."""
    order = np.argsort(values, kind="stable")
    ordered, classes, n = values[order], codes[order], len(values)
    counted = np.arange(1, n + 1)
    n_ranges = max(1, min(MOST_RANGES, n // SMALLEST_RANGE))
    starts = [(np.arange(1, n_ranges) * n) // n_ranges]
    changes = np.flatnonzero(ordered[1:] != ordered[:-1])
    if len(changes):
        for code in np.unique(classes)[:MOST_CLASSES].tolist():
            is_class = classes == code
            lead = (np.cumsum(is_class) - counted * is_class.mean())[changes]
            starts.append(changes[[lead.argmin(), lead.argmax()]] + 1)
    start = np.concatenate(starts)
    with np.errstate(invalid="ignore"):  # the midpoint of two infinities is NaN, and no value lies above NaN
        return np.unique(ordered[start - 1] + (ordered[start] - ordered[start - 1]) / 2)
