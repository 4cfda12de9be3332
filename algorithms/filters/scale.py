"""Scaling of numeric attributes: range, z-score, robust, logarithm, ranks; outlier capping; records of unit length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

import numpy as np

from algorithms.core.errors import DataError, ParameterError
from algorithms.core.filters import Filter, FittedFilter
from algorithms.core.learner import Problem, State
from algorithms.core.parameters import Option, boolean, choice, columns, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import deviation, mean, quantiles
from algorithms.data.columns import CompressedColumns, FloatArray, SparseColumn
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.sparse_matrix import MOST_DENSE_CELLS
from algorithms.data.summary import Summary
from algorithms.filters.checks import StoredState, chosen, problems_of_choice

_BLOCK: Final = 1 << 16
_NEAR: Final = 1e-7
"""Distance from the training extremes within which a number gets the extreme's normal rank (as in scikit-learn)."""


def _straight(x: FloatArray, learned: FloatArray) -> FloatArray:
    """Linear map with clipping; halves avoid overflow of differences."""
    centre, half, factor, shift, lowest, highest = learned
    moved = (x / 2 - centre / 2) / half
    return np.asarray(np.clip(moved * factor + shift, lowest, highest))


def _logarithm(x: FloatArray, learned: FloatArray) -> FloatArray:
    """Signed log(1 + |x|); NaN for negative numbers if these are refused."""
    logs = np.copysign(np.log1p(np.abs(x)), x)
    return np.asarray(np.where(x < 0, np.nan, logs) if learned[0] else logs)


def _even_rank(x: FloatArray, learned: FloatArray) -> FloatArray:
    """The share of training numbers below, interpolated between quantiles; ties get the middle."""
    shares = np.linspace(0, 1, len(learned))
    # averaging ascending and descending interpolation gives tied numbers their middle rank
    half, places = x / 2, learned / 2  # halves avoid overflow of differences
    rank = 0.5 * (np.interp(half, places, shares) - np.interp(-half, -places[::-1], -shares[::-1]))
    rank[x == learned[-1]] = 1.0
    rank[x == learned[0]] = 0.0
    return rank


def _bell_rank(x: FloatArray, learned: FloatArray) -> FloatArray:
    from scipy.special import ndtri

    rank = _even_rank(x, learned)
    rank[x + _NEAR > learned[-1]] = 1.0
    rank[x - _NEAR < learned[0]] = 0.0
    ends = ndtri(_NEAR - np.spacing(1)), ndtri(1 - (_NEAR - np.spacing(1)))
    return np.asarray(np.clip(ndtri(rank), *ends))


def _unranked(value: float, learned: FloatArray, places: FloatArray, ranks: FloatArray, is_bell: bool) -> float:
    """The number at a rank, interpolated between the quantiles around it; ``places`` (p,) are distinct quantiles."""
    from scipy.special import ndtr

    place = int(np.searchsorted(ranks, value, side="right")) - 1
    if place < 0:
        return float(np.nextafter(places[0], -np.inf))
    if place == len(places) - 1:
        return float(places[-1])
    share = float(ndtr(value)) if is_bell else value
    number = float(np.interp(share, np.linspace(0, 1, len(learned)), learned))
    low, high = float(places[place]), float(places[place + 1])
    return max(low, number) if number < high else low / 2 + high / 2


_WAYS: Final[Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]]] = {
    "line": _straight,
    "log": _logarithm,
    "rank": _even_rank,
    "bell": _bell_rank,
}
_LENGTHS: Final[Mapping[str, int]] = {"line": 6, "log": 1}


def _short(number: float) -> str:
    return f"{number:.6g}"


def _finite(data: Dataset, index: int) -> tuple[FloatArray, FloatArray | None]:
    """The finite numbers (m,) of a column that have a weight, and their weights (m,) or None."""
    column = data.column(index)
    counts = np.isfinite(column)
    if data.weights is not None:
        counts &= data.weights > 0
    values = column if bool(np.all(counts)) else column[counts]
    return values, None if data.weights is None else data.weights[counts]


def _too_many_dense(n_columns: int, n_records: int) -> DataError:
    gigabytes = 8e-9 * n_columns * n_records
    return DataError(
        f"{n_columns:,} sparse columns of words would become dense by this step, which takes {gigabytes:,.1f} GB.",
        remedy="Scale them in another way, choose other columns, or keep fewer words.",
    )


class Scaled(FittedFilter):
    """Scales columns by ``way`` of ``_WAYS`` and parameters ``learned`` (d, m), where NaN changes nothing.

    Sparse columns whose zeros stay zeros are scaled by their entries and stay sparse.
    """

    id: ClassVar[str] = "scaled"

    def __init__(self, way: str, names: Sequence[str], learned: FloatArray) -> None:
        self.way, self.names, self.learned = way, tuple(names), learned
        self._ranks: dict[str, tuple[FloatArray, FloatArray]] = {}

    def transform(self, data: Dataset) -> Dataset:
        rows = {
            index: row
            for name, row in zip(self.names, self.learned, strict=True)
            if name in data.schema and not np.isnan(row[0])
            for index in [data.schema.index_of(name)]
            if data.schema.attributes[index].kind is AttributeKind.NUMERIC
        }
        sparse = {index: row for index, row in rows.items() if self._stays_sparse(data, index, row)}
        n_dense = sum(data.sparse_column(index) is not None for index in rows if index not in sparse)
        if n_dense * len(data) > MOST_DENSE_CELLS:
            raise _too_many_dense(n_dense, len(data))
        replaced: dict[int, tuple[Attribute, Any]] = {
            index: (data.schema.attributes[index], self._mapped(data.column(index), row))
            for index, row in rows.items()
            if index not in sparse
        }
        changed = data.with_columns(replaced) if replaced else data
        if not sparse:
            return changed
        contents = [changed.content(index) for index in range(len(changed.schema))]
        for index, column in zip(sparse, self._sparse_columns(data, sparse), strict=True):
            contents[index] = column
        return changed.remade(changed.schema.attributes, contents, changed.schema.class_index)

    def _stays_sparse(self, data: Dataset, index: int, row: FloatArray) -> bool:
        is_sparse = data.has_all_positions and data.sparse_column(index) is not None
        return is_sparse and not self._mapped(np.zeros(1), row)[0]

    def _sparse_columns(self, data: Dataset, rows: Mapping[int, FloatArray]) -> list[SparseColumn]:
        """The scaled columns with these indices, as one block."""
        entries = [column.entries() for index in rows if (column := data.sparse_column(index)) is not None]
        values = [self._mapped(values, row) for (_, values), row in zip(entries, rows.values(), strict=True)]
        starts = np.concatenate([[0], np.cumsum([len(part) for part in values])]).astype(np.int64)
        places = np.concatenate([places for places, _ in entries])
        return CompressedColumns(len(data), starts, places, np.concatenate(values)).columns()

    def _mapped(self, column: FloatArray, learned: FloatArray) -> FloatArray:
        way, mapped = _WAYS[self.way], np.empty(len(column))
        with np.errstate(over="ignore"):
            for start in range(0, len(column), _BLOCK):  # blocks that fit the cache halve the time
                mapped[start : start + _BLOCK] = way(column[start : start + _BLOCK], learned)
        mapped[np.isnan(column)] = np.nan
        return mapped

    def unscaled(self, name: str, value: float) -> float | None:
        """The number, or threshold, that is scaled to ``value``; None if the scale is constant."""
        row = self.learned[self.names.index(name)] if name in self.names else None
        if row is None or np.isnan(row[0]):
            return value
        if self.way == "line":
            centre, half, factor, shift, *_ = (float(part) for part in row)
            return centre + 2 * half * ((value - shift) / factor) if factor else None
        if self.way == "log":
            return float(np.copysign(np.expm1(abs(value)), value))
        places, ranks = self._ranked(name, row)
        return _unranked(value, row, places, ranks, self.way == "bell")

    def _ranked(self, name: str, row: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The distinct quantiles of a column (p,) and their ranks (p,), cached for trees with many thresholds."""
        if name not in self._ranks:
            places = np.unique(row)
            self._ranks[name] = places, _WAYS[self.way](places, row)
        return self._ranks[name]

    def learned_rows(self) -> list[list[str]]:
        """The original numbers at reference points of the scale, as a table; empty for logarithms."""
        learned = [(name, row) for name, row in zip(self.names, self.learned, strict=True) if not np.isnan(row[0])]
        if self.way == "log" or not learned:
            return []
        if self.way == "line":
            _, _, factor, shift, *_ = learned[0][1]
            rows = [[name, _short(centre), _short(centre + 2 * half)] for name, (centre, half, *_) in learned]
            return [["Column", f"{_short(shift)} stands for", f"{_short(shift + factor)} stands for"], *rows]
        rows = [[name, *map(_short, (row[0], np.median(row), row[-1]))] for name, row in learned]
        return [["Column", "Lowest", "Middle", "Highest"], *rows]

    def to_state(self) -> State:
        return State({"way": self.way, "names": list(self.names)}, {"learned": self.learned})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "scales")
        way, names = stored.text("way", _WAYS), stored.names("names")
        learned = stored.numbers("learned", len(names), _LENGTHS.get(way))
        rows = learned[~np.isnan(learned).all(axis=1)]
        if learned.shape[1] == 0 or np.any(np.isnan(rows)):
            raise stored.damaged()
        if (way == "line" and np.any(rows[:, 1] <= 0)) or (way in ("rank", "bell") and np.any(np.diff(rows) < 0)):
            raise stored.damaged()
        return cls(way, names, learned)


@dataclass(frozen=True, kw_only=True)
class Scale(Filter):
    """Scales numbers to a range, by z-score, by median and quartiles, by logarithm, or to ranks.

    Infinite numbers are ignored in training. A constant column becomes the lower end of the range, or zero. Deviations
    are divided by n. Ranks are piecewise linear between training quantiles. Sparse columns are not centred, so that
    they stay sparse: z-scores and robust scores keep 0, and the range divides by the largest absolute number. Normal
    ranks of them are dense.
    """

    id: ClassVar[str] = "scale"
    name: ClassVar[str] = "Normalize / standardize"
    sentence: ClassVar[str] = (
        "Brings numeric attributes to one scale, so that none dominates because of its unit. The scale is "
        "learned from the training records alone."
    )
    family: ClassVar[str] = "Numbers"
    fitted: ClassVar[type[FittedFilter]] = Scaled

    by: str = choice(
        "z-score",
        Option("range", "Range (min-max)", "The smallest training value becomes the minimum, the largest the maximum."),
        Option(
            "z-score", "Standardize (z-score)", "Mean 0, standard deviation 1. Word counts are not centred: 0 stays 0."
        ),
        Option("robust", "Robust", "Median 0, interquartile range 1. For outliers."),
        Option("log", "Logarithm", "ln(1 + value): shortens a long tail. 0 stays 0."),
        Option("rank", "Rank", "Share of the training records below: only the order counts."),
        label="Method",
        help="How the values are scaled.",
    )
    low: float = real(
        0.0, label="Minimum", help="The value that the smallest training value becomes.", enabled_if=when("by", "range")
    )
    high: float = real(
        1.0, label="Maximum", help="The value that the largest training value becomes.", enabled_if=when("by", "range")
    )
    clip: bool = boolean(
        False,
        label="Clip",
        help="Values outside the range of the training records become its ends.",
        enabled_if=when("by", "range"),
    )
    below_zero: str = choice(
        "signed",
        Option("signed", "Signed logarithm", "−ln(1 + size): symmetric around 0."),
        Option("refuse", "Refuse", "The step refuses such attributes; in new records they count as missing."),
        label="Negative values",
        help="A negative value has no logarithm.",
        enabled_if=when("by", "log"),
    )
    shape: str = choice(
        "even",
        Option("even", "Uniform", "Equally many records in each part."),
        Option("bell", "Normal", "Normal distribution with mean 0 and standard deviation 1."),
        label="Distribution",
        help="The distribution of the ranks.",
        enabled_if=when("by", "rank"),
    )
    quantiles: int = integer(
        1000,
        lo=2,
        hi=10_000,
        label="Quantiles",
        help="Number of quantiles that are learned; ranks are interpolated between them.",
        enabled_if=when("by", "rank"),
        advanced=True,
    )
    columns: tuple[str, ...] = columns(
        (),
        label="Attributes",
        help="Only these are scaled",
        without="all numeric attributes",
        kinds=(AttributeKind.NUMERIC,),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by == "range" and self.low >= self.high:
            raise ParameterError("The upper end must be larger than the lower.", place="high")

    def check(self, summary: Summary) -> list[Problem]:
        only = "only numbers can be scaled"
        kinds = (AttributeKind.NUMERIC,)
        problems = problems_of_choice(summary, self.columns, kinds, do="scale", done="scaled", only=only)
        if (
            self.by == "rank"
            and self.shape == "bell"
            and not self.columns
            and summary.n_sparse_cells > MOST_DENSE_CELLS
        ):
            error = _too_many_dense(summary.n_sparse_cells // max(1, summary.n_records), summary.n_records)
            problems.append(Problem(error.sentence, error.remedy))
        return problems

    def fit(self, data: Dataset, context: RunContext) -> Scaled:
        """Learn the scale of each chosen column; raises :class:`DataError` for a refused negative number."""
        names, rows = [], []
        way = {"log": "log", "rank": "rank" if self.shape == "even" else "bell"}.get(self.by, "line")
        length = _LENGTHS.get(way) or max(1, min(self.quantiles, len(data)))
        for index in chosen(data.schema, self.columns, (AttributeKind.NUMERIC,)):
            context.checkpoint()
            name = data.schema.attributes[index].name
            names.append(name)
            rows.append(self._learned(name, data, index, length))
        return Scaled(way, names, np.array(rows, dtype=np.float64).reshape(len(names), length))

    def _learned(self, name: str, data: Dataset, index: int, length: int) -> FloatArray:
        column = data.column(index)
        if self.by == "log":
            refuses = self.below_zero == "refuse"
            if refuses and np.any(column < 0):
                remedy = "Let them keep their sign, or leave the column out."
                raise DataError(f"{name} has numbers below 0, which have no logarithm.", remedy=remedy, place=name)
            return np.array([float(refuses)])
        values, weights = _finite(data, index)
        if len(values) == 0:
            return np.full(length, np.nan)
        is_sparse = data.sparse_column(index) is not None
        if self.by == "rank":
            places = quantiles(values, weights, np.linspace(0, 1, length))
            return np.maximum.accumulate(places)
        factor, shift, bounds = 1.0, 0.0, (-np.inf, np.inf)
        if self.by == "range":
            centre, top = float(values.min()), float(values.max())
            half = top / 2 - centre / 2
            factor, shift = self.high - self.low, self.low
            bounds = (self.low, self.high) if self.clip else bounds
        elif self.by == "robust":
            low, centre, top = quantiles(values, weights, (0.25, 0.5, 0.75)).tolist()
            half = top / 2 - low / 2
        else:
            centre = float(values[0]) if values.min() == values.max() else mean(values, weights)
            half = deviation(values, weights, centre) / 2
        if is_sparse:
            centre, shift = 0.0, 0.0
            if self.by == "range":
                half, factor = float(np.abs(values).max()) / 2, max(abs(self.low), abs(self.high))
                bounds = (-factor, factor) if self.clip else bounds
        return np.array([centre, half or 0.5, factor, shift, *bounds])


class Capped(Scaled):
    """Clips columns to limits: the identity line of :class:`Scaled` with learned bounds."""

    id: ClassVar[str] = "capped"

    def unscaled(self, name: str, value: float) -> float | None:
        return value

    def learned_rows(self) -> list[list[str]]:
        """The limits of each column, as a table."""
        learned = [(name, row) for name, row in zip(self.names, self.learned, strict=True) if not np.isnan(row[0])]
        rows = [[name, *(_short(end) if np.isfinite(end) else "none" for end in row[4:6])] for name, row in learned]
        return [["Column", "Lower limit", "Upper limit"], *rows] if rows else []

    @classmethod
    def from_state(cls, state: State) -> Self:
        fitted = super().from_state(state)
        limits = fitted.learned[~np.isnan(fitted.learned).all(axis=1)] if fitted.way == "line" else None
        if limits is None or np.any(limits[:, 4] > limits[:, 5]) or np.any(limits[:, :4] != _UNCHANGED):
            raise StoredState(state, "limits").damaged()
        return fitted


_UNCHANGED: Final = (0.0, 0.5, 1.0, 0.0)
"""Centre, half, factor and shift of the line that keeps each number."""


@dataclass(frozen=True, kw_only=True)
class CapOutliers(Filter):
    """Replaces numbers beyond a limit by the limit.

    Limits are quantiles of the training records (winsorizing, Dixon 1960), or the fences of Tukey (1977):
    Q1 - k * IQR and Q3 + k * IQR, with the interquartile range IQR = Q3 - Q1. Quantiles are interpolated (definition 7
    of Hyndman and Fan 1996). Without a spread (IQR = 0) there are no fences: they would make all numbers equal. So a
    constant column stays as it is, as does a missing number.
    """

    id: ClassVar[str] = "cap-outliers"
    name: ClassVar[str] = "Cap outliers"
    sentence: ClassVar[str] = (
        "Replaces values beyond a limit by the limit (winsorizing), so that a few extreme values do not dominate. The "
        "limits are learned from the training records alone."
    )
    family: ClassVar[str] = "Numbers"
    fitted: ClassVar[type[FittedFilter]] = Capped

    by: str = choice(
        "fences",
        Option(
            "fences",
            "IQR fences (Tukey)",
            "First quartile − k × IQR and third quartile + k × IQR; none where the quartiles are equal.",
        ),
        Option("quantiles", "Quantiles (winsorize)", "Two quantiles of the training records."),
        label="Limits",
        help="How the limits are found.",
    )
    k: float = real(
        1.5,
        lo=0,
        label="k",
        help="1.5 for outliers, 3 for far outliers (Tukey).",
        unit="IQR",
        enabled_if=when("by", "fences"),
    )
    lower: float = real(
        1.0,
        lo=0,
        hi=100,
        label="Lower quantile",
        help="Lower values become this quantile.",
        unit="%",
        enabled_if=when("by", "quantiles"),
    )
    upper: float = real(
        99.0,
        lo=0,
        hi=100,
        label="Upper quantile",
        help="Higher values become this quantile.",
        unit="%",
        enabled_if=when("by", "quantiles"),
    )
    columns: tuple[str, ...] = columns(
        (),
        label="Attributes",
        help="Only these are capped",
        without="all numeric attributes",
        kinds=(AttributeKind.NUMERIC,),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.by == "quantiles" and self.lower >= self.upper:
            raise ParameterError("The upper quantile must be larger than the lower.", place="upper")

    def check(self, summary: Summary) -> list[Problem]:
        only = "only numbers have outliers"
        return problems_of_choice(summary, self.columns, (AttributeKind.NUMERIC,), do="cap", done="capped", only=only)

    def fit(self, data: Dataset, context: RunContext) -> Capped:
        """Learn the limits of each chosen column from its finite numbers."""
        names, rows = [], []
        for index in chosen(data.schema, self.columns, (AttributeKind.NUMERIC,)):
            context.checkpoint()
            names.append(data.schema.attributes[index].name)
            values, weights = _finite(data, index)
            rows.append((*_UNCHANGED, *self._limits(values, weights)) if len(values) else (np.nan,) * 6)
        return Capped("line", names, np.array(rows, dtype=np.float64).reshape(len(names), 6))

    def _limits(self, values: FloatArray, weights: FloatArray | None) -> tuple[float, float]:
        if self.by == "quantiles":
            low, high = quantiles(values, weights, (self.lower / 100, self.upper / 100)).tolist()
            return low, max(low, high)
        low, high = quantiles(values, weights, (0.25, 0.75)).tolist()
        if low == high:
            return -np.inf, np.inf
        reach = self.k * (high / 2 - low / 2) * 2
        return low - reach, high + reach


class DividedByNorm(FittedFilter):
    """Divides the numbers of each record by their norm (``way``)."""

    id: ClassVar[str] = "divided-by-norm"

    def __init__(self, way: str, names: Sequence[str]) -> None:
        self.way, self.names = way, tuple(names)

    def transform(self, data: Dataset) -> Dataset:
        schema = data.schema
        there = [schema.index_of(name) for name in self.names if name in schema]
        there = [index for index in there if schema.attributes[index].kind is AttributeKind.NUMERIC]
        if not there:
            return data
        largest, length = _record_norms([data.column(index) for index in there], self.way)
        with np.errstate(invalid="ignore"):
            made = {index: (schema.attributes[index], data.column(index) / largest / length) for index in there}
        return data.with_columns(made)

    def unscaled(self, name: str, value: float) -> float | None:
        """None for a column of the step, since the length differs by record."""
        return None if name in self.names else value

    def to_state(self) -> State:
        return State({"way": self.way, "names": list(self.names)}, {})

    @classmethod
    def from_state(cls, state: State) -> Self:
        stored = StoredState(state, "names of columns")
        return cls(stored.text("way", ("l1", "l2", "max")), stored.names("names"))


def _record_norms(columns: Sequence[FloatArray], way: str) -> tuple[FloatArray, FloatArray]:
    """The norm of each record over columns (n,) as two factors (n,), since their product may overflow.

    The first is the largest absolute number. Missing numbers count as 0, and a factor of 0 becomes 1.
    """
    largest = np.zeros(len(columns[0]))
    for column in columns:
        np.fmax(largest, np.abs(column), out=largest)
    largest[largest == 0] = 1.0
    if way == "max":
        return largest, np.ones(len(largest))
    total = np.zeros(len(largest))
    with np.errstate(invalid="ignore", under="ignore", over="ignore"):
        for column in columns:  # shares of the largest number avoid overflow of squares
            share = np.nan_to_num(np.abs(column) / largest)
            total += share if way == "l1" else share * share
        total[total == 0] = 1.0
        return largest, np.asarray(total if way == "l1" else np.sqrt(total))


@dataclass(frozen=True, kw_only=True)
class UnitLength(Filter):
    """Divides the numbers of each record by their Euclidean (L2), absolute (L1) or maximum norm.

    Learns nothing. A missing number counts as 0 and stays missing; a record of zeros stays as it is.
    """

    id: ClassVar[str] = "unit-length"
    name: ClassVar[str] = "Unit length"
    sentence: ClassVar[str] = (
        "Divides the numbers of each record by their norm, so that only their proportions count, not their size."
    )
    family: ClassVar[str] = "Numbers"
    looks_at_records: ClassVar[bool] = False
    fitted: ClassVar[type[FittedFilter]] = DividedByNorm

    norm: str = choice(
        "l2",
        Option("l2", "L2 (Euclidean)", "The square root of the sum of squares becomes 1."),
        Option("l1", "L1 (absolute)", "The sum of absolute values becomes 1."),
        Option("max", "Maximum", "The largest absolute value becomes 1."),
        label="Norm",
        help="What becomes 1 in each record.",
    )
    columns: tuple[str, ...] = columns(
        (),
        label="Attributes",
        help="Only these are divided",
        without="all numeric attributes",
        kinds=(AttributeKind.NUMERIC,),
    )

    def check(self, summary: Summary) -> list[Problem]:
        kinds, only = (AttributeKind.NUMERIC,), "only numbers have a length"
        return problems_of_choice(summary, self.columns, kinds, do="divide", done="divided", only=only)

    def fit(self, data: Dataset, context: RunContext) -> DividedByNorm:
        indices = chosen(data.schema, self.columns, (AttributeKind.NUMERIC,))
        return DividedByNorm(self.norm, [data.schema.attributes[index].name for index in indices])
