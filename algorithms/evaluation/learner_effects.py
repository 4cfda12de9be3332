"""Effects of attributes and pairs over the folds of an evaluation: what is shown, written, and kept with a run.

:mod:`algorithms.evaluation.attribute_effects` computes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, Final, Self

import numpy as np

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.data.columns import FloatArray
from algorithms.data.convert_kind import date_labels
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.evaluation.compare.significance_tests import paired_t
from algorithms.text.numbers import OWN_DIGITS, data_number, in_hundredths, percent, percent_range, points, significant

BINS: Final = 60
"""Number of equal intervals in which the records of a numeric attribute are counted."""
MOST_STORED: Final = 30
"""Largest number of attributes, and of pairs, whose effects are kept with a run."""
LEAST_JOINT: Final = 0.005
"""Standard deviation of a joint effect below which its interaction is ranked last."""
DAMAGED: Final = "The file is damaged: effects of attributes do not fit together."


@dataclass(frozen=True, eq=False)
class LocalChanges:
    """Changes of the probabilities of k classes between neighbouring values, of the records of a fold.

    ``sums`` (v - 1, k), or (v - 1, w - 1, k) of two attributes, are summed over the ``counts`` records of each interval
    or cell. ``records`` (v,) or (v, w) are the records at the values. Of two attributes ``along`` (v - 1, w) and
    ``across`` (w - 1, v) are the records in the intervals of one at the values of the other.
    """

    sums: FloatArray
    counts: FloatArray
    records: FloatArray
    along: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    across: FloatArray = field(default_factory=lambda: np.empty((0, 0)))


@dataclass(frozen=True, eq=False)
class FoldEffects:
    """The effects of one attribute or of two on all k classes in a fold.

    ``dependence`` (v, k), or (v, w, k) of two, is the partial dependence at the values of the grid. ``local`` of the
    same shape has the accumulated local effects, centred. ``lines`` (n, v, k) is the partial dependence of some
    records, none for two attributes. ``n`` is the number of records. ``changes`` are those of which ``local`` is made,
    None if read from a file.
    """

    dependence: FloatArray
    local: FloatArray
    lines: FloatArray
    n: int
    changes: LocalChanges | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class _EffectsOverFolds:
    """Effects of one attribute or two on all classes in the tested folds; ``n_folds`` were planned.

    ``grids`` has the numbers of each attribute, or its codes in the order of the picture. ``counts`` are all records as
    of the subclasses. Those that are coarse are of one fold and few values.
    """

    attributes: tuple[Attribute, ...]
    grids: tuple[FloatArray, ...]
    counts: FloatArray
    classes: tuple[str, ...]
    folds: tuple[FoldEffects, ...]
    n_folds: int
    test_share: float
    failures: tuple[str, ...] = ()
    is_coarse: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def texts(self) -> list[list[str]]:
        """The values of each grid as text."""
        return list(map(_texts, self.attributes, self.grids))

    @property
    def plain(self) -> list[list[object]]:
        """The values of each grid: labels of codes and dates, other numbers as they are."""
        pairs = zip(self.attributes, self.grids, self.texts, strict=True)
        return [list(grid.tolist()) if one.kind is AttributeKind.NUMERIC else list(texts) for one, grid, texts in pairs]

    def dependence(self, code: int) -> FloatArray:
        """Partial dependence (v,) or (v, w) of a class: the mean over the folds."""
        return np.asarray(np.mean([fold.dependence[..., code] for fold in self.folds], axis=0))

    def local(self, code: int) -> FloatArray:
        """Accumulated local effects (v,) or (v, w) of a class: the mean over the folds."""
        return np.asarray(np.mean([fold.local[..., code] for fold in self.folds], axis=0))

    def intervals(self, code: int, *, is_local: bool = False) -> FloatArray | None:
        """95% confidence interval (2, v) or (2, v, w) over the folds, as of the corrected resampled t test.

        None for one fold.
        """
        if len(self.folds) < 2:
            return None
        curves = np.array([(fold.local if is_local else fold.dependence)[..., code] for fold in self.folds])
        columns = curves.reshape(len(curves), -1).T
        ends = [paired_t(column, test_share=self.test_share).interval for column in columns]
        return np.array(ends).T.reshape(2, *curves.shape[1:])

    @cached_property
    def stacked(self) -> dict[str, FloatArray]:
        """The arrays of all folds, one below the other; the same objects each time, so that they are stored once."""
        names = "dependence", "local", "lines"
        return {name: np.concatenate([getattr(fold, name) for fold in self.folds]) for name in names}

    @property
    def n_records(self) -> int:
        return sum(fold.n for fold in self.folds)

    @property
    def is_whole(self) -> bool:
        return not self.is_coarse and len(self.folds) + len(self.failures) >= self.n_folds

    @property
    def remark(self) -> str:
        """What is missing, in a sentence; empty if the effects are whole."""
        if self.is_coarse:
            return f"First answer: one of {self.n_folds:,} folds, {self.n_records:,} records, few values."
        return "" if self.is_whole else f"{len(self.folds):,} of {self.n_folds:,} test parts were tested."

    def replaces(self, older: _EffectsOverFolds) -> bool:
        """Whether these are of at least as many folds as older effects of the same attributes."""
        if self.is_coarse or older.is_coarse:
            return older.is_coarse
        return len(self.folds) >= len(older.folds)

    def curve(self, code: int, *, is_local: bool = False) -> FloatArray:
        """Partial dependence or local effects with the ends of their interval: (3, v) or (3, v, w); NaN if unknown."""
        mean = (self.local if is_local else self.dependence)(code)
        ends = self.intervals(code, is_local=is_local)
        return np.concatenate([mean[None], np.full((2, *mean.shape), np.nan) if ends is None else ends])

    def numbers(self, code: int) -> FloatArray:
        """Both curves: (6, v) or (6, v, w)."""
        return np.concatenate([self.curve(code), self.curve(code, is_local=True)])

    def _classes_to_json(self) -> dict[str, Any]:
        by_class = {}
        for code, label in enumerate(self.classes):
            ends = [self.intervals(code), self.intervals(code, is_local=True)]
            by_class[label] = {
                "partial_dependence": self.dependence(code).tolist(),
                "partial_dependence_interval": None if ends[0] is None else ends[0].tolist(),
                "ale": self.local(code).tolist(),
                "ale_interval": None if ends[1] is None else ends[1].tolist(),
            }
        parts = {"parts": len(self.folds), "planned_parts": self.n_folds, "whole": self.is_whole}
        return {"classes": by_class, "records": self.n_records, **parts, "failures": list(self.failures)}


NUMBERS: Final = ("partial_dependence", "low_95", "high_95", "ale", "low_95", "high_95")


HEADINGS: Final = ("partial dependence", "95% CI", "accumulated local effect", "95% CI")


def _written(numbers: FloatArray) -> list[str]:
    """The :data:`NUMBERS` (6,) as texts of four columns."""
    mean, low, high, local, local_low, local_high = numbers.tolist()
    between = "" if low != low else percent_range(low, high)
    beside = "" if local_low != local_low else f"{points(local_low).removesuffix(' points')} to {points(local_high)}"
    return [percent(mean), between, points(local), beside]


def _filled(numbers: FloatArray) -> list[object]:
    return ["" if value != value else value for value in numbers.tolist()]


@dataclass(frozen=True, eq=False, kw_only=True)
class AttributeEffects(_EffectsOverFolds):
    """Effects of an attribute over folds.

    ``counts`` are the records at each code of the grid, or in equal intervals from its first number to its last.
    """

    @property
    def attribute(self) -> Attribute:
        return self.attributes[0]

    @property
    def grid(self) -> FloatArray:
        return self.grids[0]

    @property
    def values(self) -> list[str]:
        """The values of the grid as text."""
        return self.texts[0]

    def lines(self, code: int) -> FloatArray:
        """Individual lines (n, v) of a class, of some test records of each fold."""
        return np.concatenate([fold.lines[:, :, code] for fold in self.folds])

    def rows(self, code: int) -> list[list[object]]:
        """Header and a row for each value with plain numbers."""
        numbers = self.numbers(code)
        rows = [[value, *_filled(numbers[:, place])] for place, value in enumerate(self.plain[0])]
        return [[self.attribute.name, *NUMBERS], *rows]

    def written_rows(self, code: int) -> list[list[str]]:
        """Header and rows as a person reads them."""
        numbers = self.numbers(code)
        rows = [[value, *_written(numbers[:, place])] for place, value in enumerate(self.values)]
        return [[self.attribute.name, *HEADINGS], *rows]

    def to_json(self) -> dict[str, Any]:
        """The curves of all classes."""
        return {"attribute": self.attribute.name, "values": self.plain[0], **self._classes_to_json()}


@dataclass(frozen=True, eq=False, kw_only=True)
class PairEffects(_EffectsOverFolds):
    """Effects of two attributes over folds, at all pairs of their values.

    ``counts`` (v, w) are all records by the values nearest to theirs: a number counts half for either end of its
    interval. The model has learned nothing where they are 0.
    """

    def rows(self, code: int) -> list[list[object]]:
        """Header and a row for each pair of values with plain numbers."""
        numbers = self.numbers(code)
        rows: list[list[object]] = [[*self.names, *NUMBERS, "records"]]
        for i, first in enumerate(self.plain[0]):
            for j, second in enumerate(self.plain[1]):
                rows.append([first, second, *_filled(numbers[:, i, j]), float(self.counts[i, j])])
        return rows

    def written_rows(self, code: int) -> list[list[str]]:
        """Header and rows as a person reads them."""
        numbers, places = self.numbers(code), np.ndindex(self.counts.shape)
        firsts, seconds = self.texts
        rows = [[firsts[i], seconds[j], *_written(numbers[:, i, j]), f"{self.counts[i, j]:,.0f}"] for i, j in places]
        return [[*self.names, *HEADINGS, "records"], *rows]

    def to_json(self) -> dict[str, Any]:
        """The surfaces of all classes; the values of the first attribute number their rows."""
        records = self.counts.tolist()
        return {"attributes": list(self.names), "values": self.plain, "counts": records, **self._classes_to_json()}


def _texts(attribute: Attribute, grid: FloatArray) -> list[str]:
    """The values of a grid as text: numbers with as few digits as distinguish them."""
    if attribute.kind.is_coded:
        return [attribute.values[int(code)] for code in grid]
    if attribute.kind is AttributeKind.DATE:
        return [str(text) for text in date_labels(grid)]
    texts = [data_number(value) for value in grid.tolist()]
    for digits in range(OWN_DIGITS - 1, 1, -1):
        fewer = [significant(value, digits) for value in grid.tolist()]
        if len(set(fewer)) < len(set(texts)):
            break
        texts = fewer
    return texts


@dataclass(frozen=True)
class Interaction:
    """Friedman's H of two attributes on the probability of a class: mean over the folds, and their values.

    ``joint`` is the mean standard deviation of their joint partial dependence, NaN if an older file has none.
    """

    names: tuple[str, str]
    h: float
    by_fold: tuple[float, ...]
    joint: float

    @property
    def is_small(self) -> bool:
        """Whether the joint effect is too small for its share to tell anything."""
        return self.joint < LEAST_JOINT

    @property
    def written_joint(self) -> str:
        """The joint effect in percentage points."""
        return "" if self.joint != self.joint else in_hundredths(self.joint, 1)


@dataclass(frozen=True, eq=False)
class LearnerEffects:
    """Effects of some attributes and pairs, and Friedman's H ``h`` (f, p, k) of the pairs of ``interacting``.

    ``joint`` (f, p, k) are the standard deviations of their joint partial dependence, NaN where unknown.
    """

    effects: tuple[AttributeEffects, ...] = ()
    pairs: tuple[PairEffects, ...] = ()
    interacting: tuple[str, ...] = ()
    h: FloatArray = field(default_factory=lambda: np.empty((0, 0, 0)))
    joint: FloatArray = field(default_factory=lambda: np.empty((0, 0, 0)))

    def interactions(self, code: int) -> tuple[Interaction, ...]:
        """The pairs with their H on a class, the strongest first; those with a small joint effect come last."""
        if not len(self.h):
            return ()
        columns = self.h[:, :, code].T, self.joint[:, :, code].T
        every = [
            Interaction(pair, float(np.mean(values)), tuple(values.tolist()), float(np.mean(sizes)))
            for pair, values, sizes in zip(combinations(self.interacting, 2), *columns, strict=True)
        ]
        return tuple(sorted(every, key=lambda one: (one.is_small, -one.h)))

    def of(self, names: Sequence[str]) -> AttributeEffects | PairEffects | None:
        """The effects of this attribute or of this pair, if known."""
        return next((one for one in self.every if one.names == tuple(names)), None)

    def with_new(self, newer: LearnerEffects) -> LearnerEffects:
        """These and ``newer`` ones, the latest :data:`MOST_STORED` only.

        Newer ones replace those of the same names, unless these are of more folds.
        """
        known = {one.names: one for one in self.every}
        fresh = {one.names for one in newer.every if one.names not in known or one.replaces(known[one.names])}
        effects = (
            *(one for one in self.effects if one.names not in fresh),
            *(one for one in newer.effects if one.names in fresh),
        )
        pairs = (
            *(one for one in self.pairs if one.names not in fresh),
            *(one for one in newer.pairs if one.names in fresh),
        )
        is_fuller = newer.interacting != self.interacting or len(newer.h) >= len(self.h)
        latest = newer if newer.interacting and is_fuller else self
        return LearnerEffects(effects[-MOST_STORED:], pairs[-MOST_STORED:], latest.interacting, latest.h, latest.joint)

    def to_state(self) -> State:
        """The effects that are not coarse, as plain values and arrays."""
        values, arrays = [], {"h": self.h, "joint": self.joint}
        for place, one in enumerate(one for one in self.every if not one.is_coarse):
            named = [(each.name, each.kind.value, list(each.values)) for each in one.attributes]
            folds = [(fold.n, len(fold.lines)) for fold in one.folds]
            rest = [one.n_folds, one.test_share, list(one.failures)]
            values.append([named, list(one.classes), folds, *rest])
            arrays |= {f"{place}.grid.{axis}": grid for axis, grid in enumerate(one.grids)}
            arrays |= {f"{place}.{name}": array for name, array in one.stacked.items()}
            arrays[f"{place}.counts"] = one.counts
        return State({"effects": values, "interacting": list(self.interacting)}, arrays)

    @classmethod
    def from_state(cls, state: State) -> Self:
        """Raises :class:`ModelFileError` or one of ``NONSENSE`` for a state that is none."""
        every = [_from_state(place, stored, state.arrays) for place, stored in enumerate(state.values["effects"])]
        interacting, h = tuple(map(str, state.values["interacting"])), state.arrays["h"]
        joint = state.arrays["joint"] if "joint" in state.arrays else np.full(h.shape, np.nan)
        n_pairs = len(interacting) * (len(interacting) - 1) // 2
        if h.dtype != np.float64 or h.ndim != 3 or not np.isfinite(h).all() or (len(h) and h.shape[1] != n_pairs):
            raise ModelFileError(DAMAGED)
        if joint.dtype != np.float64 or joint.shape != h.shape or np.any(joint < 0) or np.isinf(joint).any():
            raise ModelFileError(DAMAGED)
        effects = tuple(one for one in every if isinstance(one, AttributeEffects))
        return cls(effects, tuple(one for one in every if isinstance(one, PairEffects)), interacting, h, joint)

    @property
    def every(self) -> list[AttributeEffects | PairEffects]:
        """The effects of the attributes, then those of the pairs."""
        return [*self.effects, *self.pairs]


def _from_state(place: int, stored: Any, arrays: Mapping[str, Any]) -> AttributeEffects | PairEffects:
    named, classes, sizes, n_folds, share, failures = stored
    attributes = tuple(Attribute(str(name), AttributeKind(kind), tuple(values)) for name, kind, values in named)
    grids = tuple(arrays[f"{place}.grid.{axis}"] for axis in range(len(attributes)))
    shape, n, counts = tuple(map(len, grids)), len(sizes), arrays[f"{place}.counts"]
    whole, local, lines = (arrays[f"{place}.{field}"] for field in ("dependence", "local", "lines"))
    n_lines = [int(one) for _size, one in sizes]
    is_pair, k = len(grids) == 2, len(classes)
    if (
        any(
            array.dtype != np.float64 or not np.isfinite(array).all() for array in (*grids, counts, whole, local, lines)
        )
        or not 1 <= len(grids) <= 2
        or any(grid.ndim != 1 or not len(grid) for grid in grids)
        or any(
            attribute.kind.is_coded and not np.all((grid >= 0) & (grid < len(attribute.values)))
            for attribute, grid in zip(attributes, grids, strict=True)
        )
        or not 1 <= n <= int(n_folds)
        or counts.shape != (shape if is_pair or attributes[0].kind.is_coded else (BINS,))
        or not whole.shape == local.shape == (n * shape[0], *shape[1:], k)
        or lines.shape != (sum(n_lines), shape[0], k)
        or min(n_lines) < 0
        or not 0 <= float(share) < np.inf
    ):
        raise ModelFileError(DAMAGED)
    blocks = zip(np.split(whole, n), np.split(local, n), np.split(lines, np.cumsum(n_lines)[:-1]), sizes, strict=True)
    made = PairEffects if is_pair else AttributeEffects
    return made(
        attributes=attributes,
        grids=grids,
        counts=counts,
        classes=tuple(map(str, classes)),
        folds=tuple(FoldEffects(mean, change, some, int(size)) for mean, change, some, (size, _n) in blocks),
        n_folds=int(n_folds),
        test_share=float(share),
        failures=tuple(map(str, failures)),
    )
