"""How the probability of a class changes along one or two attributes, on records that the models did not learn from.

Three views of a model and its whole recipe:

- **Partial dependence** (Friedman, Greedy function approximation, 2001): the mean probability if all records had this
  value. Its lines, one for each record, are the individual conditional expectation (ICE; Goldstein et al. 2015).
- **Accumulated local effects** (ALE; Apley and Zhu, Visualizing the effects of predictor variables in black box
  supervised learning models, 2020): changes of the probability between neighbouring values, of records that lie there,
  added up and centred. Unlike partial dependence it asks for no record that cannot be, where attributes are correlated.
  Of two attributes it is what their joint effect adds to the effects of each alone (second order).
- **Friedman's H** (Friedman and Popescu, Predictive learning via rule ensembles, 2008): the share of the joint effect
  of two attributes that is no sum of their single effects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final, NamedTuple, Self

import numpy as np

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner, State
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.convert_kind import date_labels
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.evaluation.compare.significance_tests import paired_t
from algorithms.evaluation.fold_models import FoldTask, answers, apart, drawn_rows, each_fold, tested_rows
from algorithms.text.numbers import OWN_DIGITS, data_number, percent, percent_range, points, significant

PLACES: Final = 20
"""Usual number of intervals of a numeric attribute, with about as many records in each."""
MOST_LINES: Final = 200
"""About the most individual lines of all folds."""
MOST_RECORDS: Final = 1_000
"""Largest number of test records of a fold for the means. The fold's seed draws them."""
MOST_PAIRED: Final = 60
"""Largest number of test records of a fold for Friedman's H. The work grows with its square."""
PAIR_PLACES: Final = 10
"""Usual number of intervals of each numeric attribute of a pair."""
MOST_OF_PAIR: Final = 300
"""Largest number of test records of a fold for the partial dependence on two attributes."""
BINS: Final = 60
"""Number of equal intervals in which the records of a numeric attribute are counted."""
COARSER: Final = 4
"""The first answer has every so many-th value of the grid."""
MOST_STORED: Final = 30
"""Largest number of attributes, and of pairs, whose effects are kept with a run."""
DAMAGED: Final = "The file is damaged: effects of attributes do not fit together."
COARSE_RECORDS: Final = 100
"""Largest number of records of the first answer."""


@dataclass(frozen=True, eq=False)
class FoldEffects:
    """The effects of one attribute or of two on all k classes in a fold.

    ``dependence`` (v, k), or (v, w, k) of two, is the partial dependence at the values of the grid. ``local`` of the
    same shape has the accumulated local effects, centred. ``lines`` (n, v, k) is the partial dependence of some
    records, none for two attributes. ``n`` is the number of records.
    """

    dependence: FloatArray
    local: FloatArray
    lines: FloatArray
    n: int


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
        return {"classes": by_class, "records": self.n_records, "failures": list(self.failures)}


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
    """Friedman's H of two attributes on the probability of a class: mean over the folds, and their values."""

    names: tuple[str, str]
    h: float
    by_fold: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class LearnerEffects:
    """Effects of some attributes and pairs, and Friedman's H ``h`` (f, p, k) of the pairs of ``interacting``."""

    effects: tuple[AttributeEffects, ...] = ()
    pairs: tuple[PairEffects, ...] = ()
    interacting: tuple[str, ...] = ()
    h: FloatArray = field(default_factory=lambda: np.empty((0, 0, 0)))

    def interactions(self, code: int) -> tuple[Interaction, ...]:
        """The pairs with their H on a class, the strongest first."""
        by_pair = zip(combinations(self.interacting, 2), self.h[:, :, code].T, strict=True) if len(self.h) else ()
        every = [Interaction(pair, float(np.mean(values)), tuple(values.tolist())) for pair, values in by_pair]
        return tuple(sorted(every, key=lambda one: -one.h))

    def of(self, names: Sequence[str]) -> AttributeEffects | PairEffects | None:
        """The effects of this attribute or of this pair, if known."""
        return next((one for one in self.every if one.names == tuple(names)), None)

    def with_new(self, newer: LearnerEffects) -> LearnerEffects:
        """These and ``newer`` ones, which replace those of the same names; the latest :data:`MOST_STORED` only."""
        fresh = {one.names for one in newer.every}
        effects = *(one for one in self.effects if one.names not in fresh), *newer.effects
        pairs = *(one for one in self.pairs if one.names not in fresh), *newer.pairs
        known = newer if newer.interacting else self
        return LearnerEffects(effects[-MOST_STORED:], pairs[-MOST_STORED:], known.interacting, known.h)

    def to_state(self) -> State:
        """The effects that are not coarse, as plain values and arrays."""
        values, arrays = [], {"h": self.h}
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
        n_pairs = len(interacting) * (len(interacting) - 1) // 2
        if h.dtype != np.float64 or h.ndim != 3 or not np.isfinite(h).all() or (len(h) and h.shape[1] != n_pairs):
            raise ModelFileError(DAMAGED)
        effects = tuple(one for one in every if isinstance(one, AttributeEffects))
        return cls(effects, tuple(one for one in every if isinstance(one, PairEffects)), interacting, h)

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


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked of the model of each fold: attributes and pairs by index with their grids, and interactions."""

    indices: tuple[int, ...]
    grids: tuple[FloatArray, ...]
    pairs: tuple[tuple[int, int], ...]
    pair_grids: tuple[tuple[FloatArray, FloatArray], ...]
    interacting: tuple[int, ...]
    most_lines: int

    @property
    def coarser(self) -> _Question:
        """The same at fewer values, without interactions."""
        pairs = tuple((_thinned(first), _thinned(second)) for first, second in self.pair_grids)
        return replace(self, grids=tuple(map(_thinned, self.grids)), pair_grids=pairs, interacting=())


class _FoldAnswer(NamedTuple):
    """The effects of a fold, and Friedman's H (p, k) of its pairs."""

    question: _Question
    effects: tuple[FoldEffects, ...]
    pairs: tuple[FoldEffects, ...]
    h: FloatArray


def attribute_effects(
    learner: Learner,
    data: Dataset,
    method: Method,
    context: RunContext,
    names: Sequence[str],
    *,
    recipe: Recipe = (),
    places: int = PLACES,
    pairs: Sequence[tuple[str, str]] = (),
    interacting: Sequence[str] = (),
) -> LearnerEffects:
    """The effects of these attributes and pairs in the models of all folds, each on its test records.

    With ``interacting`` names, the interactions of all their pairs too. Publishes :class:`LearnerEffects`: at a few
    values in the first fold, then after each fold. Raises :class:`DataError` for unusable data, or an attribute that is
    no number and has no list of values.
    """
    labelled = data.labelled()
    schema = labelled.schema
    task = FoldTask.of(learner, recipe, method, labelled, context)
    n, share = task.n_folds(labelled), task.test_share(labelled)
    indices = tuple(schema.index_of(name) for name in names)
    index_pairs = tuple((schema.index_of(first), schema.index_of(second)) for first, second in pairs)
    grids = tuple(effect_grid(labelled, index, places) for index in indices)
    small = {index: effect_grid(labelled, index, PAIR_PLACES) for pair in index_pairs for index in pair}
    question = _Question(
        indices,
        grids,
        index_pairs,
        tuple((small[first], small[second]) for first, second in index_pairs),
        tuple(schema.index_of(name) for name in interacting),
        -(-MOST_LINES // n),
    )
    counts = {
        is_coarse: [_pair_counts(labelled, *one) for one in zip(index_pairs, asked.pair_grids, strict=True)]
        for is_coarse, asked in ((True, question.coarser), (False, question))
    }
    is_begun = False

    def made(answers: Sequence[_FoldAnswer], failures: Sequence[str], *, is_coarse: bool = False) -> LearnerEffects:
        asked = answers[0].question
        known: dict[str, Any] = {"n_folds": n, "test_share": share, "failures": tuple(failures)}
        known |= {"is_coarse": is_coarse}
        effects = tuple(
            AttributeEffects(
                attributes=(schema.attributes[index],),
                classes=schema.classes,
                grids=(asked.grids[place],),
                counts=_density(labelled, index, asked.grids[place]),
                folds=tuple(answer.effects[place] for answer in answers),
                **known,
            )
            for place, index in enumerate(indices)
        )
        both = tuple(
            PairEffects(
                attributes=(schema.attributes[first], schema.attributes[second]),
                classes=schema.classes,
                grids=asked.pair_grids[place],
                counts=counts[is_coarse][place],
                folds=tuple(answer.pairs[place] for answer in answers),
                **known,
            )
            for place, (first, second) in enumerate(index_pairs)
        )
        if not asked.interacting:
            return LearnerEffects(effects, both)
        return LearnerEffects(effects, both, tuple(interacting), np.array([answer.h for answer in answers]))

    def hear(event: object) -> None:
        """Publishes the coarse answer of whichever fold has one first."""
        nonlocal is_begun
        if isinstance(event, _FoldAnswer) and not is_begun:
            is_begun = True
            context.publish(made([event], (), is_coarse=True))

    def keep(done: Mapping[int, _FoldAnswer], failures: Sequence[str]) -> None:
        nonlocal is_begun
        is_begun = True
        context.publish(made(list(done.values()), failures))

    with context.overheard(hear):
        done, failures = each_fold(_fold_answer, task, labelled, context, question, keep=keep)
    return made(list(done.values()), failures)


def _fold_answer(task: FoldTask, data: Dataset, fold: int, question: _Question, context: RunContext) -> _FoldAnswer:
    """Trains a fold's model and computes the effects on its test records; publishes a coarse answer before."""
    split = task.fold(data, fold)
    learned = task.trained(data, fold, context.child(0.4, 0))
    context.checkpoint()
    rows = tested_rows(split)
    if question.indices or question.pairs:
        few = drawn_rows(rows, COARSE_RECORDS, context)
        context.publish(_answer(learned, data, few, question.coarser, context.child(0.05, 1)))
    answering = context.child(0.55, 2)
    return _answer(learned, data, rows, question, answering)


def _answer(
    learned: LearnedModel, data: Dataset, rows: IntArray, question: _Question, context: RunContext
) -> _FoldAnswer:
    """The effects and interactions on test records of a fold."""
    n_parts = len(question.indices) + len(question.pairs) + bool(question.interacting)
    keys = iter(range(n_parts))

    def part() -> RunContext:
        return context.child(1 / n_parts, next(keys))

    records = apart(data, drawn_rows(rows, MOST_RECORDS, context))
    effects, pairs, h = [], [], np.empty((0, 0))
    for index, grid in zip(question.indices, question.grids, strict=True):
        own = part()
        effects.append(effects_on(learned, records, index, grid, own, question.most_lines))
        own.complete()
    for pair, grids in zip(question.pairs, question.pair_grids, strict=True):
        own = part()
        pairs.append(pair_effects_on(learned, records, pair, grids, own))
        own.complete()
    if question.interacting:
        own = part()
        few = apart(data, drawn_rows(rows, MOST_PAIRED, context))
        h = friedman_h(learned, few, question.interacting, own)
        own.complete()
    return _FoldAnswer(question, tuple(effects), tuple(pairs), h)


def _thinned(grid: FloatArray) -> FloatArray:
    """The first and the last value, and every :data:`COARSER` th between."""
    places = {*range(0, len(grid), COARSER), len(grid) - 1}
    return grid[sorted(places)]


def _density(data: Dataset, index: int, grid: FloatArray) -> FloatArray:
    """The numbers of records as of :class:`AttributeEffects`."""
    column = np.asarray(data.column(index))
    if data.schema.attributes[index].kind.is_coded:
        return np.array([float(np.count_nonzero(column == code)) for code in grid])
    counts = np.histogram(column[np.isfinite(column)], BINS, (float(grid[0]), float(grid[-1])))[0]
    return np.asarray(counts, dtype=np.float64)


def _pair_counts(data: Dataset, pair: tuple[int, int], grids: tuple[FloatArray, FloatArray]) -> FloatArray:
    """The numbers of records as of :class:`PairEffects`."""
    first, second = (
        _axis(np.asarray(data.column(index)), grid, data.schema.attributes[index].kind.is_coded)
        for index, grid in zip(pair, grids, strict=True)
    )
    v, w = map(len, grids)
    counts = np.zeros(v * w, dtype=np.int64)
    for one in first.ends:
        for other in second.ends:
            known = (one >= 0) & (other >= 0)
            counts += np.bincount(one[known] * w + other[known], minlength=v * w)
    return counts.reshape(v, w) / (len(first.ends) * len(second.ends))


def effect_grid(data: Dataset, index: int, places: int = PLACES) -> FloatArray:
    """The values at which an attribute's effect is computed: quantiles of a number, or the codes that occur.

    Codes of a nominal attribute are ordered so that neighbours have similar records (:func:`similarity_order`).
    """
    attribute = data.schema.attributes[index]
    column = np.asarray(data.column(index))
    if attribute.kind.is_coded:
        codes = np.unique(column[column >= 0])
        if attribute.kind.value != "ordinal":
            codes = similarity_order(data, index, codes)
        return codes.astype(np.float64)
    if not attribute.kind.is_float:
        raise DataError(f"{attribute.name} is no number and has no list of values.", place=attribute.name)
    known = column[np.isfinite(column)]
    if not len(known):
        raise DataError(f"{attribute.name} has no known value.", place=attribute.name)
    return np.unique(np.quantile(known, np.linspace(0, 1, places + 1), method="inverted_cdf"))


def similarity_order(data: Dataset, index: int, codes: IntArray) -> IntArray:
    """The codes of a nominal attribute by the first dimension of classical scaling of their distances.

    The distance of two values is summed over the other attributes: the Kolmogorov-Smirnov distance of numbers, half the
    summed difference of the shares of nominal values (Apley and Zhu 2020, appendix E).
    """
    c = len(codes)
    if c < 3:
        return codes
    own = np.asarray(data.column(index))
    distances = np.zeros((c, c))
    for other in data.schema.predictors:
        attribute = data.schema.attributes[other]
        if other == index or not (attribute.kind.is_coded or attribute.kind.is_float):
            continue
        column = np.asarray(data.column(other))
        if attribute.kind.is_coded:
            shares = np.array([_shares(column[own == code], len(attribute.values)) for code in codes])
            distances += np.abs(shares[:, None] - shares[None]).sum(axis=2) / 2
        else:
            known = column[np.isfinite(column)]
            at = np.unique(np.quantile(known, np.linspace(0, 1, 101))) if len(known) else known
            steps = np.array([_distribution(column[own == code], at) for code in codes])
            distances += np.abs(steps[:, None] - steps[None]).max(axis=2, initial=0.0)
    centre = np.eye(c) - 1 / c
    _values, vectors = np.linalg.eigh(-centre @ distances**2 @ centre / 2)
    first = vectors[:, -1]
    first = first * (1 if first[int(np.argmax(np.abs(first)))] > 0 else -1)
    return codes[np.argsort(first.round(12), kind="stable")]


def _shares(codes: IntArray, k: int) -> FloatArray:
    counts = np.bincount(codes[codes >= 0], minlength=k)
    shares: FloatArray = counts / max(1, counts.sum())
    return shares


def _distribution(column: FloatArray, at: FloatArray) -> FloatArray:
    """The empirical distribution function of the known numbers at these places."""
    known = np.sort(column[np.isfinite(column)])
    below: FloatArray = np.searchsorted(known, at, side="right") / max(1, len(known))
    return below


def effects_on(
    learned: LearnedModel,
    records: Dataset,
    index: int,
    grid: FloatArray,
    context: RunContext,
    most_lines: int = MOST_LINES,
) -> FoldEffects:
    """The effects of an attribute of a model on these records, at the ascending values or codes of ``grid`` (v,)."""
    attribute = records.schema.attributes[index]
    n, own = len(records), np.asarray(records.column(index))
    k = len(records.schema.classes)
    every = np.empty((n, len(grid), k))
    for place, value in enumerate(grid.tolist()):
        every[:, place] = predicted(learned, records.with_column(index, attribute, np.full(n, value)), context)
        context.advance(place + 1, len(grid))
    lines = every[:: max(1, -(-n // most_lines))]
    axis = _axis(own, grid, attribute.kind.is_coded)
    points, steps = axis.points(len(grid)), axis.steps(len(grid))
    means = np.einsum("ri,rik->ik", steps, np.diff(every, axis=1)) / np.maximum(steps.sum(axis=0), 1)[:, None]
    local = _accumulated(means)
    weights = points.sum(axis=0)
    centre = weights @ local / max(float(weights.sum()), 1e-300)
    return FoldEffects(every.mean(axis=0), np.asarray(local - centre), lines, n)


def pair_effects_on(
    learned: LearnedModel,
    records: Dataset,
    pair: tuple[int, int],
    grids: tuple[FloatArray, FloatArray],
    context: RunContext,
) -> FoldEffects:
    """The effects of two attributes on these records, at all pairs of the values of both grids.

    The first records up to :data:`MOST_OF_PAIR` give the partial dependence, all give the local effects.
    """
    schema = records.schema
    v, w, k = len(grids[0]), len(grids[1]), len(schema.classes)
    some = apart(records, np.linspace(0, len(records) - 1, min(len(records), MOST_OF_PAIR)).astype(np.int64))
    dependence = np.empty((v, w, k))
    for place in range(v * w):
        i, j = divmod(place, w)
        values = zip(pair, (grids[0][i], grids[1][j]), strict=True)
        replaced = {index: (schema.attributes[index], np.full(len(some), value)) for index, value in values}
        dependence[i, j] = predicted(learned, some.with_columns(replaced), context).mean(axis=0)
        context.advance(place + 1, v * w + 1)
    return FoldEffects(
        dependence, _pair_local(learned, records, pair, grids, context), np.empty((0, v, k)), len(records)
    )


def _pair_local(
    learned: LearnedModel,
    records: Dataset,
    pair: tuple[int, int],
    grids: tuple[FloatArray, FloatArray],
    context: RunContext,
) -> FloatArray:
    """Second-order accumulated local effects (v, w, k), without the effects of each attribute alone, centred.

    The change of a cell is the mean over its records of the change along one attribute at the upper end of the other,
    less that at the lower end. Empty cells take the mean of the nearest cell with records (Apley and Zhu 2020,
    section 3.2 and the package ALEPlot).
    """
    schema = records.schema
    v, w, k = len(grids[0]), len(grids[1]), len(schema.classes)
    first, second = (
        _axis(np.asarray(records.column(index)), grid, schema.attributes[index].kind.is_coded)
        for index, grid in zip(pair, grids, strict=True)
    )
    (p1, s1), (p2, s2) = ((axis.points(size), axis.steps(size)) for axis, size in ((first, v), (second, w)))
    rows, i, j = np.nonzero((s1[:, :, None] * s2[:, None, :]) > 0)
    if not len(rows):
        return np.zeros((v, w, k))
    repeated = apart(records, rows)

    def at(up: int, right: int) -> FloatArray:
        """Predictions with both values at these corners of the records' cells."""
        values = zip(pair, (grids[0][i + up], grids[1][j + right]), strict=True)
        replaced = {index: (schema.attributes[index], value) for index, value in values}
        return predicted(learned, repeated.with_columns(replaced), context)

    changes, counts = np.zeros((v - 1, w - 1, k)), np.zeros((v - 1, w - 1))
    np.add.at(changes, (i, j), at(1, 1) - at(0, 1) - (at(1, 0) - at(0, 0)))
    np.add.at(counts, (i, j), 1)
    changes /= np.maximum(counts, 1)[:, :, None]
    taken, empty = np.argwhere(counts > 0), np.argwhere(counts == 0)
    if len(empty):
        distances = (((empty[:, None] - taken[None]) * (w, v)) ** 2).sum(axis=2)
        nearest = taken[distances.argmin(axis=1)]
        changes[empty[:, 0], empty[:, 1]] = changes[nearest[:, 0], nearest[:, 1]]
    surface = np.moveaxis(_accumulated(np.moveaxis(_accumulated(changes), 1, 0)), 1, 0)
    along, across = s1.T @ p2, s2.T @ p1
    mean_along = (along[:, :, None] * np.diff(surface, axis=0)).sum(axis=1) / np.maximum(along.sum(1), 1)[:, None]
    turned = np.diff(np.moveaxis(surface, 1, 0), axis=0)
    mean_across = (across[:, :, None] * turned).sum(axis=1) / np.maximum(across.sum(1), 1)[:, None]
    rest = surface - _accumulated(mean_along)[:, None] - _accumulated(mean_across)[None]
    weights = p1.T @ p2
    return np.asarray(rest - np.tensordot(weights, rest, 2) / max(float(weights.sum()), 1e-300))


class _Axis(NamedTuple):
    """Where records lie on a grid: ``ends`` are places of the grid around a number, or that of a code; -1 if unknown.

    ``intervals`` are the intervals between neighbouring values for which a record counts, one for a number and two for
    a code; outside of the grid there is none.
    """

    ends: tuple[IntArray, ...]
    intervals: tuple[IntArray, ...]

    def points(self, v: int) -> FloatArray:
        """Share (n, v) of each record at each value of the grid."""
        shares = np.zeros((len(self.ends[0]), v + 1))
        for places in self.ends:
            shares[np.arange(len(shares)), places] += 1 / len(self.ends)
        return shares[:, :v]

    def steps(self, v: int) -> FloatArray:
        """1 (n, v - 1) for each interval for which a record counts."""
        counted = np.zeros((len(self.ends[0]), v + 1))
        for places in self.intervals:
            counted[np.arange(len(counted)), np.where((places >= 0) & (places < v - 1), places, v)] = 1.0
        return counted[:, : v - 1]


def _axis(own: FloatArray | IntArray, grid: FloatArray, is_coded: bool) -> _Axis:
    """Where the numbers or codes ``own`` (n,) lie on a grid."""
    v = len(grid)
    if is_coded:
        places = np.full(len(own), -1)
        for place, code in enumerate(grid):
            places[own == code] = place
        known = places >= 0
        return _Axis((places,), (np.where(known, places - 1, -1), np.where(known, places, -1)))
    known = np.isfinite(own)
    below = np.where(known, np.clip(np.searchsorted(grid, own, side="left") - 1, 0, max(0, v - 2)), -1)
    return _Axis((below, np.where(known, np.minimum(below + 1, v - 1), -1)), (below,))


def _accumulated(steps: FloatArray) -> FloatArray:
    """Sums (s + 1, ...) of the steps (s, ...) so far, beginning with 0."""
    return np.concatenate([np.zeros((1, *steps.shape[1:])), np.cumsum(steps, axis=0)])


def predicted(learned: LearnedModel, records: Dataset, context: RunContext) -> FloatArray:
    """Class probabilities (n, k) of raw records."""
    return np.asarray(answers(learned, records, context).probabilities, dtype=np.float64)


def friedman_h(learned: LearnedModel, records: Dataset, indices: Sequence[int], context: RunContext) -> FloatArray:
    """Friedman's H (p, k) of each pair of attributes on each class, in the order of ``itertools.combinations``.

    H^2 = sum (PD_jk - PD_j - PD_k)^2 / sum PD_jk^2 over the records, all centred (equation 44); 0 without any effect.
    """
    n = len(records)
    repeated = apart(records, np.tile(np.arange(n), n))
    pairs = list(combinations(indices, 2))
    columns = [(index,) for index in indices] + pairs

    def dependence(place: int) -> FloatArray:
        """Centred partial dependence (n, k) on these attributes at the values of each record."""
        replaced = {i: (records.schema.attributes[i], np.repeat(records.column(i), n)) for i in columns[place]}
        means = predicted(learned, repeated.with_columns(replaced), context).reshape(n, n, -1).mean(axis=1)
        context.advance(place + 1, len(columns))
        return np.asarray(means - means.mean(axis=0))

    single = {index: dependence(place) for place, index in enumerate(indices)}
    found = []
    for number, (first, second) in enumerate(pairs, len(indices)):
        both = dependence(number)
        total, rest = (both**2).sum(axis=0), ((both - single[first] - single[second]) ** 2).sum(axis=0)
        found.append(np.where(total > 1e-20, np.sqrt(rest / np.maximum(total, 1e-20)), 0.0))
    return np.array(found)
