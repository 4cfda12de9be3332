"""Sequential minimal optimization (SMO) with a bounded cache of kernel rows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.learners.svm.kernel_functions import KernelPoints, Similarity
from algorithms.structures.hyperplanes import DualityGap

EXACT_UP_TO: Final = 3000
"""Largest number of records with kernel rows in double precision."""
_FIRST_CELLS: Final = 5_000_000
_AT_HAND: Final = 40_000


class KernelRows:
    """Cache of kernel rows (c, n) of n points, of at most ``megabytes``.

    ``slot`` (n,) is the place of a record's row, or -1; ``stamp`` (c,) the time of its last use. Most rows are used
    once, and fresh memory costs more than computing a row again. The cache therefore starts small and grows only when
    an evicted row is requested again.
    """

    def __init__(self, points: KernelPoints, diagonal: FloatArray, megabytes: float) -> None:
        self.points, self.diagonal = points, diagonal
        n = len(points)
        kept = np.float64 if n <= EXACT_UP_TO else np.float32
        room = int(megabytes * 1e6) // np.dtype(kept).itemsize
        self._room: Any = np.empty(max(2 * n, min(n * n, room)), dtype=kept)
        self._lay_out(n)

    def _lay_out(self, n: int) -> None:
        capacity = max(2, min(n, len(self._room) // max(1, n)))
        self.table: Any = self._room[: capacity * n].reshape(capacity, n)
        self.slot = np.full(n, -1, dtype=np.int32)
        self.owner = np.full(capacity, -1, dtype=np.int32)
        self.stamp = np.zeros(capacity, dtype=np.int64)
        self._was_kept = np.zeros(n, dtype=np.bool_)
        self._used = 0
        self._open = min(capacity, max(2, _FIRST_CELLS // max(1, n)))

    def fetch(self, wanted: int, clock: int, likely: NDArray[np.int64]) -> None:
        """Compute the rows of a record and of ``likely`` others (-1: none); the least recently used are evicted."""
        others = dict.fromkeys(r for r in likely.tolist() if r >= 0 and r != wanted)
        new = np.array([wanted, *others])
        places = self._places(len(new), again=bool(self._was_kept[wanted]))
        new = new[: len(places)]
        self._work_out(new, places)
        self.owner[places], self.slot[new], self.stamp[places] = new, places, clock
        self._was_kept[new] = True

    def _places(self, m: int, *, again: bool) -> NDArray[np.int64]:
        """Between one and m places for rows: unused ones, else the least recently used."""
        if again and self._used == self._open:
            self._open = min(len(self.owner), self._open + m)
        if self._used < self._open:
            places = np.arange(self._used, min(self._used + m, self._open))
            self._used += len(places)
            return places
        m = max(1, min(m, self._open // 2))
        places = np.argpartition(self.stamp[: self._open], m - 1)[:m]
        self.slot[self.owner[places]] = -1
        return places

    def _work_out(self, new: NDArray[np.int64], places: NDArray[np.int64]) -> None:
        """Compute rows of records into their places, in blocks of columns that fit the processor cache."""
        left = self.points.left[new]
        step = max(256, _AT_HAND // len(new))
        for start in range(0, len(self.points), step):
            self.table[places, start : start + step] = self.points.rows(left, slice(start, start + step))
        self.table[places, new] = self.diagonal[new]

    def keep(self, chosen: Any) -> None:
        """Restrict the cache to these records (ascending positions) and keep their rows."""
        old, owners, stamps, used = self.table, self.owner, self.stamp, self._used
        new_place = np.full(len(self.points), -1, dtype=np.int32)
        new_place[chosen] = np.arange(len(chosen))
        self.points, self.diagonal = self.points.take(chosen), self.diagonal[chosen]
        self._lay_out(len(chosen))
        for place in range(used):  # rows become shorter, so none is overwritten before it is read
            owner = new_place[owners[place]]
            if owner >= 0 and self._used < len(self.owner):
                np.take(old[place], chosen, out=self.table[self._used], mode="clip")
                self.owner[self._used], self.slot[owner], self.stamp[self._used] = owner, self._used, stamps[place]
                self._used += 1
        self._open = min(len(self.owner), max(self._open, self._used))
        self._was_kept[self.owner[: self._used]] = True


MOST_POINTS: Final = 400
"""Largest number of evenly spread points of the history."""
BETWEEN: Final = 0.08
"""Least seconds between two progress events of a machine."""
_MOST_ROUNDS: Final = 10
_LIKELY: Final = 4
_FIRST_LOOK: Final = 8
_WORTH_LEAVING: Final = 0.15
_FIRST_PART: Final = 4
_MANY: Final = 5000
"""Larger tables are first solved on every ``_FIRST_PART``-th record."""
_ROUGHLY: Final = 0.1
_NEAR: Final = 0.05
"""Tolerance on the first part, and the distance from the margin within which records are solved again."""


@dataclass(frozen=True, eq=False)
class BinaryProblem:
    """Binary problem: features (n, t), an array or ``SparseFeatures``, sides (n,) of 1 or -1, and costs of slack (n,).

    ``power`` is the exponent of the slacks: 1 bounds the multipliers by the cost, 2 adds a ridge to the kernel.
    An infinite cost allows no slack.
    """

    x: Any
    y: FloatArray
    cost: FloatArray
    power: int

    @property
    def upper(self) -> FloatArray:
        """Largest multiplier of each record (n,)."""
        return self.cost if self.power == 1 else np.full(len(self.y), np.inf)

    @property
    def ridge(self) -> FloatArray:
        """Ridge on the diagonal of the kernel (n,)."""
        return np.zeros(len(self.y)) if self.power == 1 else 0.5 / self.cost

    def loss(self, slack: FloatArray) -> float:
        """Total cost of slacks (n,)."""
        return float(self.cost @ slack) if self.power == 1 else float(self.cost @ np.square(slack))

    def with_cost(self, cost: FloatArray) -> BinaryProblem:
        return replace(self, cost=cost)

    def take(self, rows: Any) -> BinaryProblem:
        return replace(self, x=self.x[rows], y=self.y[rows], cost=self.cost[rows])


@dataclass(eq=False)
class DualityGapHistory:
    """History of steps, primal and dual objective, thinned to at most :data:`MOST_POINTS` points."""

    points: list[tuple[float, float, float]] = field(default_factory=list)
    _stride: int = 1
    _met: int = 0
    _told: float = field(default_factory=monotonic)

    def note(self, steps: int, primal: float, dual: float, context: RunContext, *, last: bool = False) -> None:
        """Record a point unless it is thinned out; publish the history at most every :data:`BETWEEN` seconds."""
        self._met += 1
        if last or not self._met % self._stride:
            if last and self.points and self.points[-1][0] >= steps:
                self.points.pop()
            self.points.append((float(steps), primal, dual))
            if len(self.points) > MOST_POINTS:
                self.points, self._stride = self.points[::2], 2 * self._stride
        if monotonic() - self._told >= BETWEEN:
            context.publish(DualityGap(np.array(self.points), self, context.can_finish))
            self._told = monotonic()


@dataclass(frozen=True, eq=False)
class SmoSolution:
    """Solution of a binary problem: coefficients y times multiplier (n,), bias, slacks (n,), and history.

    ``violation`` is the violation of optimality by the worst pair of records (Keerthi et al. 2001). Linear solvers give
    the ``weight`` (t,) of each feature. ``unmet`` says that the problem has no hard margin.
    """

    beta: FloatArray
    bias: float
    slack: FloatArray
    course: DualityGapHistory
    violation: float
    is_whole: bool
    weight: FloatArray | None = None
    unmet: bool = False


@dataclass(frozen=True)
class SmoLimits:
    """Limits of SMO: tolerated violation, kernel cache, shrinking, number of steps."""

    tolerance: float = 1e-3
    megabytes: float = 500.0
    shrinking: bool = True
    most_steps: int = 10_000_000


class Smo:
    """Solver of one binary problem."""

    def __init__(
        self,
        task: BinaryProblem,
        similarity: Similarity,
        effort: SmoLimits,
        context: RunContext,
        begun: Smo | None = None,
    ) -> None:
        """``begun`` is a solver for the same records with lower costs, whose solution is the start."""
        self.task, self.effort, self.context = task, effort, context
        n = len(task.y)
        self._points = KernelPoints(similarity, task.x, single=n > EXACT_UP_TO)
        self._diagonal = similarity.diagonal(task.x)
        self.beta, self.error = np.zeros(n), task.y.astype(np.float64)
        self.course = DualityGapHistory()
        self._steps = 0
        if begun is not None:
            self.beta, self.error, self.course, self._steps = begun.beta, begun.error, begun.course, begun._steps
        self._primal, self._dual = np.inf, 0.0
        self._most_steps = self._steps + effort.most_steps

    def solve(self) -> SmoSolution:
        """Solve the problem; raises :class:`Cancelled`. A run finished early gives a solution that is not whole."""
        n = len(self.beta)
        low, high = self._ends()
        self._note()
        active, tolerance = np.arange(n), self.effort.tolerance
        if n > _MANY and not self._steps:
            active, tolerance = np.arange(0, n, _FIRST_PART), max(tolerance, _ROUGHLY)
        for again in range(_MOST_ROUNDS):
            beta, error = self.beta.copy(), self.error.copy()
            shrinking = self.effort.shrinking and again < _MOST_ROUNDS - 1
            done, left = self._on(active, low, high, tolerance, shrinking=shrinking)
            if len(left) < n:
                self._catch_up(left, beta, error)
                self._note()
            violation, wanted = self._judged(low, high)
            if not done or violation <= self.effort.tolerance or len(left) == n:
                break
            active = wanted if again < _MOST_ROUNDS // 2 else np.arange(n)
            tolerance = self.effort.tolerance
        self._note(last=True)
        bias = self._bias(low, high)
        slack = np.maximum(0.0, self.task.y * (self.error + self.task.ridge * self.beta - bias))
        slack[slack < 2 * self.effort.tolerance] = 0.0
        return SmoSolution(self.beta, bias, slack, self.course, violation, done)

    def _ends(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest coefficient of each record (n,)."""
        upper = self.task.upper
        return np.where(self.task.y > 0, 0.0, -upper), np.where(self.task.y > 0, upper, 0.0)

    def _on(self, active: Any, low: FloatArray, high: FloatArray, tolerance: float, *, shrinking: bool
            ) -> tuple[bool, Any]:  # fmt: skip
        """Optimise some records with shrinking; returns whether it converged, and the records left after shrinking."""
        from algorithms.learners.svm import kernels

        ridge = self.task.ridge
        points = self._points if len(active) == len(low) else self._points.take(active)
        rows = KernelRows(points, self._diagonal[active], self.effort.megabytes)
        chosen = active
        real, whole = np.zeros(2), np.array([self._steps, 0, 0], dtype=np.int64)
        period = int(min(max(len(active), 100), 1000))
        limit = self._next_look(period)
        diagonal = self._diagonal[chosen] + ridge[chosen]
        ends: Any = [diagonal, ridge[chosen], self.beta[chosen], low[chosen], high[chosen]]
        side, error = _sides(*ends[2:]), self.error[chosen]
        try:
            while True:
                status = kernels.pair_steps(
                    rows.table, rows.slot, rows.stamp, ends[0], ends[1], ends[2], ends[3], ends[4], side, error, whole,
                    real, tolerance, limit, self.context.control,
                )  # fmt: skip
                if status == kernels.DONE:
                    return True, chosen
                self.context.checkpoint()
                if status == kernels.WANTS:
                    likely = kernels.likely(rows.slot, side, error, _LIKELY)
                    rows.fetch(int(whole[kernels.WANTED]), int(whole[kernels.CLOCK]), likely)
                    continue
                self._steps = int(whole[kernels.STEPS])
                limit = self._next_look(period)
                self._dual += 0.5 * float((ends[2] - self.beta[chosen]) @ (error + self.error[chosen]))
                self.beta[chosen], self.error[chosen] = ends[2], error
                self._note(exact=len(chosen) == len(low))
                if status == kernels.STOPPED or self._steps >= self._most_steps:
                    return False, chosen
                kept = _staying(side, error, real) if shrinking and self._steps >= period else None
                if kept is not None:
                    rows.keep(kept)
                    chosen, side, error, ends = chosen[kept], side[kept], error[kept], [values[kept] for values in ends]
        finally:
            self._steps = int(whole[kernels.STEPS])
            self.beta[chosen], self.error[chosen] = ends[2], error

    def _next_look(self, period: int) -> int:
        """Step of the next history point; points are dense at the start, where most changes."""
        return self._steps + min(period, max(_FIRST_LOOK, self._steps))

    def _catch_up(self, left: Any, beta: FloatArray, error: FloatArray) -> None:
        """Update the errors of shrunk records, all but ``left``, from earlier coefficients and errors (n,)."""
        out = np.ones(len(self.beta), dtype=np.bool_)
        out[left] = False
        step = self.beta - beta
        away, moved = np.flatnonzero(out), np.flatnonzero(step)
        sums = self._points.take(away).sums(self._points.left[moved], step[moved], self.context.checkpoint)
        self.error[away] = error[away] - sums - self.task.ridge[away] * step[away]

    def _judged(self, low: FloatArray, high: FloatArray) -> tuple[float, NDArray[np.int64]]:
        """Violation of the worst pair, and the records that are free, violate, or nearly do."""
        up, down = self.beta < high, self.beta > low
        best = float(self.error[up].max()) if up.any() else -np.inf
        worst = float(self.error[down].min()) if down.any() else np.inf
        middle = self._bias(low, high)
        wanted = (up & down) | (up & (self.error > middle - _NEAR)) | (down & (self.error < middle + _NEAR))
        return max(0.0, best - worst), np.flatnonzero(wanted)

    def _bias(self, low: FloatArray, high: FloatArray) -> float:
        """Mean error of the free records, else the middle of the feasible interval."""
        free = (self.beta > low) & (self.beta < high)
        if free.any():
            return float(self.error[free].mean())
        up, down = self.error[self.beta < high], self.error[self.beta > low]
        ends = [float(up.max())] * bool(len(up)) + [float(down.min())] * bool(len(down))
        return float(np.mean(ends)) if ends else 0.0

    def _note(self, *, exact: bool = True, last: bool = False) -> None:
        """Record a history point: the least primal objective so far, or the final one with ``last``.

        While errors of shrunk records are outdated (not ``exact``), earlier objectives are used.
        """
        if exact:
            primal, self._dual = objectives(self.task, self.beta, self.error, self._bias(*self._ends()))
            self._primal = primal if last else min(primal, self._primal)
        self.course.note(self._steps, self._primal, self._dual, self.context, last=last)


def _staying(side: Any, error: FloatArray, real: FloatArray) -> Any | None:
    """Records that stay after shrinking those held at a bound; None if too few would go."""
    from algorithms.learners.svm import kernels

    best, worst = float(real[kernels.HIGHEST]), float(real[kernels.LOWEST])
    gone = ((side == kernels.DOWN) & (error > best)) | ((side == kernels.UP) & (error < worst))
    return np.flatnonzero(~gone) if np.count_nonzero(gone) > _WORTH_LEAVING * len(gone) else None


def objectives(task: BinaryProblem, beta: FloatArray, error: FloatArray, bias: float) -> tuple[float, float]:
    """Primal objective at a bias, and dual objective, from coefficients and errors (n,) (TSKK Eq. 5.46 and 5.43)."""
    ridge = task.ridge
    product = float(beta @ (task.y - error))  # weights squared, with the ridge
    held = product - float(ridge @ np.square(beta))
    slack = np.maximum(0.0, task.y * (error + ridge * beta - bias))
    return 0.5 * held + task.loss(slack), float(task.y @ beta) - 0.5 * product


def _sides(beta: FloatArray, low: FloatArray, high: FloatArray) -> NDArray[np.int8]:
    from algorithms.learners.svm import kernels

    sides = np.where(beta < high, kernels.UP, 0) | np.where(beta > low, kernels.DOWN, 0)
    return sides.astype(np.int8)
