"""Binary machines of a multiclass problem: feature space, training, and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import offsets_of
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.sparse_matrix import sparse_matrix
from algorithms.learners.design_matrix import DesignRecords, SparseDesign, learned_terms, sparse_terms
from algorithms.learners.probability_scaling import coupled, platt, platt_curve
from algorithms.learners.svm.kernel_functions import LINEAR, Similarity, lowest_share
from algorithms.learners.svm.smo import BinaryProblem, SmoSolution
from algorithms.structures.design_terms import IS_NUMBER, Int32Array, Terms
from algorithms.structures.hyperplanes import REST, UNMET, UNSETTLED, SupportVectors

STANDARD: Final = "standard"
RANGE: Final = "range"
AS_THEY_ARE: Final = "none"
FARTHEST: Final = 1e6
"""Numbers are clipped to this many deviations from the mean, beyond which sums of squares lose precision."""
_BITS: Final = 36
_MADE_AT_ONCE: Final = 1 << 18
"""Numbers computed between two checks for a stop, chosen to fit the processor cache."""


def blocks_of(x: FloatArray) -> Iterator[slice]:
    """Blocks of the rows of ``x`` (n, t)."""
    step = max(1, _MADE_AT_ONCE // max(1, x.shape[1]))
    return (slice(start, start + step) for start in range(0, len(x), step))


@dataclass(frozen=True, eq=False)
class ScaledTerms:
    """Feature space: standardised terms times ``factor`` plus ``offset``, each (t,)."""

    terms: Terms
    factor: FloatArray
    offset: FloatArray

    def of_all(self, data: Dataset, checkpoint: Callable[[], None]) -> FloatArray:
        """Features of all records (n, t), with a ``checkpoint`` before each block."""
        values = np.empty((len(data), len(self.terms)))
        for rows in blocks_of(values):
            checkpoint()
            values[rows] = self.of(data, rows)
        return values

    def of(self, data: Dataset, rows: Any = slice(None)) -> FloatArray:
        """Features (rows, t) of some records under the same schema."""
        values = self.terms.of(data, rows)
        np.clip(values, -FARTHEST, FARTHEST, out=values)
        values *= self.factor[:, None]
        values += self.offset[:, None]
        listed = self.terms.value != IS_NUMBER
        values[listed] = np.rint(values[listed])
        return np.ascontiguousarray(values.T)


@dataclass(frozen=True, eq=False)
class SparseFeatures:
    """Features (n, t) of records as ``entries`` (a csr array of scipy) less ``shift`` (t,)."""

    entries: Any
    shift: FloatArray

    @classmethod
    def of(cls, space: ScaledTerms, data: Dataset, checkpoint: Callable[[], None]) -> SparseFeatures:
        """The features of all records, from sparse columns and other terms."""
        from scipy.sparse import diags_array, vstack  # late: a list of learners needs none of it

        terms, factor = space.terms, space.factor
        design = SparseDesign(data, terms, from_zero=True)
        parts = []
        for start in design:
            checkpoint()
            parts.append(design.block(start).raw)
        stored, listed = sparse_terms(terms, data), terms.value != IS_NUMBER
        scale = np.where(stored, factor / terms.unit, np.where(listed, 1.0, factor))
        shift = np.where(stored, terms.centre * factor / terms.unit, 0.0) - np.where(listed, 0.0, space.offset)
        raw = vstack(parts, format="csr")[:, : len(terms)]
        return cls((raw @ diags_array(scale)).tocsr(), shift)

    @property
    def shape(self) -> tuple[int, int]:
        return (self.entries.shape[0], self.entries.shape[1])

    def __len__(self) -> int:
        return int(self.entries.shape[0])

    def __getitem__(self, rows: Any) -> SparseFeatures:
        return SparseFeatures(self.entries[rows], self.shift)

    def __matmul__(self, weight: FloatArray) -> FloatArray:
        return np.asarray(self.entries @ weight - self.shift @ weight)

    def __rmatmul__(self, beta: FloatArray) -> FloatArray:
        return np.asarray(self.entries.T @ beta - float(beta.sum()) * self.shift)

    __array_ufunc__ = None

    def dense(self) -> FloatArray:
        return np.asarray(self.entries.toarray() - self.shift)


def sparse_units(x: SparseFeatures, records: DesignRecords) -> Units:
    """The records as they are, without rows of features; equal records are not merged."""
    codes = np.asarray(records.codes, dtype=np.int32)
    return Units(np.zeros((0, x.shape[1])), codes, records.weight_array, np.arange(len(x)), x)


def _rounded(terms: Terms) -> Terms:
    """Terms with means and deviations of 36 bits, so that weights and repeated records give equal features."""
    unit = np.ldexp(np.rint(np.ldexp(np.frexp(terms.unit)[0], _BITS)), np.frexp(terms.unit)[1] - _BITS)
    step = np.ldexp(1.0, np.maximum(np.frexp(unit)[1] - _BITS, -1000))
    with np.errstate(over="ignore"):
        turns = terms.centre / step
    centre = np.where(np.isfinite(turns), np.rint(turns) * step, terms.centre)
    return replace(terms, centre=centre, unit=unit)


def learned_space(data: Dataset, weights: FloatArray | None, scaling: str, context: RunContext) -> ScaledTerms:
    """Feature space under a scaling of numbers; nominal values stay 0 and 1, so that rare ones count as much."""
    terms = _rounded(learned_terms(data, weights, context))
    factor, offset = np.ones(len(terms)), np.zeros(len(terms))
    listed = terms.value != IS_NUMBER
    factor[listed], offset[listed] = terms.unit[listed], terms.centre[listed]
    numbers = np.flatnonzero(~listed)
    if scaling == AS_THEY_ARE:
        factor[numbers] = np.minimum(terms.unit[numbers], 1e100)
        offset[numbers] = np.clip(terms.centre[numbers], -1e100, 1e100)
    elif scaling == RANGE and len(numbers):
        low, high = np.empty(len(numbers)), np.empty(len(numbers))
        stored = sparse_terms(terms, data)[numbers]
        if stored.any():
            indices, matrix = sparse_matrix(data, context.checkpoint)
            own = matrix[:, np.searchsorted(indices, terms.attribute[numbers[stored]])]
            ends = (own.min(axis=0).toarray().ravel(), own.max(axis=0).toarray().ravel())
            centre, unit = terms.centre[numbers[stored]], terms.unit[numbers[stored]]
            low[stored], high[stored] = ((end - centre) / unit for end in ends)
        if not stored.all():
            others = np.zeros(len(terms), dtype=np.bool_)
            others[numbers[~stored]] = True
            values = np.clip(terms.chosen(others).of(data), -FARTHEST, FARTHEST)
            low[~stored], high[~stored] = values.min(axis=1), values.max(axis=1)
        factor[numbers] = 1.0 / np.maximum(high - low, 1e-12)
        offset[numbers] = -low * factor[numbers]
    return ScaledTerms(terms, factor, offset)


Places = NDArray[np.int64]
PLAIN: Final = (2.0, 0.0)
"""Slope and offset of Platt's curve if none was fitted: 0.5 on the boundary, 0.88 on the margin."""
_CELLS: Final = 2_000_000
_SURE: Final = 1e-7


def sigmoid_probabilities(scores: FloatArray, sigmoid: FloatArray) -> FloatArray:
    """Probabilities (n, m) of the first class of each machine from its sums (n, m) and curve (m, 2)."""
    return platt_curve(scores, sigmoid[:, 0], sigmoid[:, 1])


def coupled_probabilities(pairs: FloatArray, first: Places, second: Places, k: int) -> FloatArray:
    """Probabilities of k classes (n, k), coupled from those of the first class of each pair (n, m)."""
    shares = np.empty((len(pairs), k))
    step = max(1, _CELLS // ((k + 1) * (k + 1)))
    for start in range(0, len(pairs), step):
        part = np.clip(pairs[start : start + step], _SURE, 1.0 - _SURE)
        sides = np.full((len(part), k, k), 0.5)
        sides[:, first, second], sides[:, second, first] = part, 1.0 - part
        shares[start : start + step] = coupled(sides)
    return shares


def vote_scores(scores: FloatArray, first: Places, second: Places, k: int) -> FloatArray:
    """Votes (n, k) of the sums of pairwise machines (n, m); the sums add below half a vote, which breaks ties."""
    votes, clear = np.zeros((len(scores), k)), np.zeros((len(scores), k))
    for machine, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        f = scores[:, machine]
        votes[:, i] += f > 0
        votes[:, j] += f <= 0
        clear[:, i] += f
        clear[:, j] -= f
    return np.asarray(votes + clear / (3.0 * (np.abs(clear) + 1.0)))


HARD: Final = "hard"
SOFT: Final = "soft"
SQUARED: Final = "soft-squared"
FOLDS: Final = 5
MANY: Final = 1000
"""From this number of machines on, a message states it."""
MOST_KEPT: Final = 20_000
"""Largest number of support vectors stored with a linear kernel."""

Solver = Callable[[BinaryProblem, RunContext], SmoSolution]


@dataclass(frozen=True, eq=False)
class Units:
    """Distinct training records as sorted features (n, t) with summed weights; ``source`` (n,) is the first of each."""

    x: FloatArray
    codes: Int32Array
    weights: FloatArray
    source: NDArray[np.int64]
    sparse: SparseFeatures | None = None
    """The features in place of ``x``, which has no rows then."""

    @property
    def features(self) -> Any:
        return self.x if self.sparse is None else self.sparse

    @classmethod
    def of(cls, x: FloatArray, codes: Int32Array, weights: FloatArray, checkpoint: Callable[[], None]) -> Units:
        """From rows (n, t) with codes and weights (n,)."""
        direction: FloatArray = np.random.default_rng(0).normal(size=(x.shape[1],))
        key = np.zeros(len(x))
        for rows in blocks_of(x):
            checkpoint()
            for column in range(x.shape[1]):  # by column, so that equal rows have exactly equal keys
                key[rows] += x[rows, column] * direction[column]
        order = np.lexsort((key, codes))
        key, codes = key[order], codes[order]
        alike = np.flatnonzero((key[1:] == key[:-1]) & (codes[1:] == codes[:-1]))
        alike = alike[np.all(x[order[alike]] == x[order[alike + 1]], axis=1)] if len(alike) else alike
        begins = np.ones(len(x), dtype=np.bool_)
        begins[alike + 1] = False
        starts = np.flatnonzero(begins)
        summed = np.add.reduceat(weights[order], starts) if len(starts) else weights
        source = order[starts]
        different = np.empty((len(source), x.shape[1]))
        for rows in blocks_of(different):
            checkpoint()
            different[rows] = x[source[rows]]
        return cls(different, codes[starts], summed, source)

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True)
class MachinePlan:
    """Settings of all machines: margin, cost of slack by class, reduction, calibration, kernel."""

    margin: str
    c: float
    class_cost: tuple[float, ...]
    against_rest: bool
    calibrated: bool
    similarity: Similarity


@dataclass(frozen=True, eq=False)
class _Machine:
    first: int
    second: int
    chosen: NDArray[np.int64]
    task: BinaryProblem
    solution: SmoSolution
    unmet: int
    sigmoid: tuple[float, float]


def train_machines(records: DesignRecords, space: ScaledTerms, units: Units, plan: MachinePlan, solve: Solver,
                context: RunContext) -> tuple[SupportVectors, bool]:  # fmt: skip
    """Machines of all classes with records, and whether all of them converged or reached their limit.

    A run finished early returns the current machines. Raises :class:`Cancelled`.
    """
    k = len(records.active)
    sides = [(i, REST) for i in range(k)] if plan.against_rest and k > 2 else list(combinations(range(k), 2))
    lowest = lowest_share(plan.similarity, units.x) if sides else 0.0

    def learn(number: int) -> _Machine:
        part = context.child(1.0 / len(sides), number)
        machine = _train_machine(units, *sides[number], records.active, plan, solve, part)
        part.complete()
        return machine

    if len(sides) > MANY:
        context.say(f"{len(records.active):,} classes: {len(sides):,} machines")
    machines = context.map(learn, range(len(sides)))
    context.say("")
    is_whole = not context.finishing or all(machine.solution.is_whole for machine in machines)
    return _assemble(records, space, units, plan, machines, lowest), is_whole


def _train_machine(units: Units, first: int, second: int, active: Int32Array, plan: MachinePlan, solve: Solver,
             context: RunContext) -> _Machine:  # fmt: skip
    chosen = np.arange(len(units))
    if second != REST:
        chosen = np.flatnonzero((units.codes == first) | (units.codes == second))
    codes = units.codes[chosen]
    y = np.where(codes == first, 1.0, -1.0)
    cost = plan.c * units.weights[chosen] * np.array(plan.class_cost)[codes]
    x = units.features
    if len(chosen) != len(units):
        x = x[chosen] if units.sparse is not None else np.ascontiguousarray(x[chosen])
    task = BinaryProblem(x, y, cost, 2 if plan.margin == SQUARED else 1)
    solution = solve(task, context.child(0.0 if plan.calibrated else 1.0, 0))
    sigmoid = PLAIN
    if plan.calibrated and not context.finishing:
        sigmoid = _sigmoid(task, units.weights[chosen], plan, solve, context)
    named = [REST if side == REST else int(active[side]) for side in (first, second)]
    unsettled = not solution.is_whole and not context.finishing
    lacks = UNMET if solution.unmet else UNSETTLED if unsettled else 0
    return _Machine(named[0], named[1], chosen, task, solution, lacks, sigmoid)


def _sigmoid(task: BinaryProblem, weights: FloatArray, plan: MachinePlan, solve: Solver, context: RunContext
             ) -> tuple[float, float]:  # fmt: skip
    """Platt's slope and offset from cross-validated sums of the training records."""
    fold, random = np.zeros(len(task.y), dtype=np.int64), context.random()
    for side in (1.0, -1.0):
        own = np.flatnonzero(task.y == side)
        if len(own) < 2:
            return PLAIN
        fold[random.permutation(own)] = np.arange(len(own)) % FOLDS
    scores = np.full(len(task.y), np.nan)

    def judge(number: int) -> None:
        inside, tested = fold != number, np.flatnonzero(fold == number)
        if len(tested) and len(np.unique(task.y[inside])) == 2:
            part, x = task.take(inside), task.x[tested]
            solution = solve(part, context.child(1.0 / FOLDS, 1 + number))
            if solution.weight is not None:
                scores[tested] = x @ solution.weight + solution.bias
            else:
                used = np.flatnonzero(solution.beta)
                kernel = plan.similarity.between(x, part.x[used])
                scores[tested] = kernel @ solution.beta[used] + solution.bias

    context.map(judge, range(FOLDS))
    is_scored = np.isfinite(scores)
    if context.finishing or len(np.unique(task.y[is_scored])) < 2:
        return PLAIN
    return platt(scores[is_scored], task.y[is_scored] > 0, weights[is_scored])


def _assemble(
    records: DesignRecords, space: ScaledTerms, units: Units, plan: MachinePlan, machines: list[_Machine], lowest: float
) -> SupportVectors:
    m, linear = len(machines), plan.similarity.kind == LINEAR
    used = [np.flatnonzero(machine.solution.beta) for machine in machines]
    members = [machine.chosen[own] for machine, own in zip(machines, used, strict=True)]
    kept = np.unique(np.concatenate([*members, np.zeros(0, dtype=np.int64)])).astype(np.int64)
    if linear and (len(kept) > MOST_KEPT or units.sparse is not None):
        kept = kept[:0]
        used = [own[:0] for own in used]
        members = [own[:0] for own in members]
    ceilings = [machine.task.upper[own] for machine, own in zip(machines, used, strict=True)]
    courses = [np.insert(np.array(machine.solution.course.points).reshape(-1, 3), 0, number, axis=1)
               for number, machine in enumerate(machines)]  # fmt: skip
    weights = [
        machine.solution.beta @ machine.task.x if machine.solution.weight is None else machine.solution.weight
        for machine in (machines if linear else [])
    ]
    source = records.data.row_ids[units.source[kept]]
    ceiling = _concatenate(ceilings)
    return SupportVectors(
        records.data.schema,
        space.terms,
        records.class_weight,
        space.factor,
        space.offset,
        np.ascontiguousarray(units.x[kept]),
        np.asarray(source, dtype=np.int64),
        records.active[units.codes[kept]].astype(np.int32),
        np.array([machine.first for machine in machines], dtype=np.int32),
        np.array([machine.second for machine in machines], dtype=np.int32),
        offsets_of([len(own) for own in used]),
        np.searchsorted(kept, _concatenate(members)).astype(np.int32),
        _concatenate([machine.solution.beta[own] for machine, own in zip(machines, used, strict=True)]),
        _concatenate([machine.solution.slack[own] for machine, own in zip(machines, used, strict=True)]),
        np.where(np.isfinite(ceiling) & (plan.margin != HARD), ceiling, 0.0),
        np.array([machine.solution.bias for machine in machines]),
        np.array(weights).T.reshape(len(space.terms), m).copy() if linear else np.zeros((0, 0)),
        np.array([machine.sigmoid for machine in machines]).reshape(m, 2),
        np.array([np.count_nonzero(machine.solution.beta) for machine in machines], dtype=np.int64),
        np.array([machine.unmet for machine in machines], dtype=np.int8),
        np.concatenate([*courses, np.zeros((0, 4))]),
        plan.similarity.kind,
        plan.similarity.gamma,
        plan.similarity.degree,
        plan.similarity.constant,
        plan.margin,
        plan.c,
        plan.calibrated,
        lowest,
    )


def _concatenate(parts: list[Any]) -> Any:
    return np.concatenate([*parts, np.zeros(0)])
