"""Sequential minimal optimization, and rows of the kernel matrix kept up to a bound."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray
from algorithms.learners.svm.kernel_functions import KernelPoints, Similarity
from algorithms.structures.support_vectors import DualityGap

EXACT_UP_TO: Final = 3000
"""Up to so many records the kernel is kept in double precision."""
_FIRST_CELLS: Final = 5_000_000
_AT_HAND: Final = 40_000


class KernelRows:
    """The rows (c, n) of the kernel of n points, of which at most ``megabytes`` are kept.

    ``slot`` (n,) says where a record's row is, -1 where it is not kept; ``stamp`` (c,) when a row was last used. Memory
    that was never written to costs more than a row that is worked out twice, and most rows are wanted once, for the
    two steps that take a multiplier to its bound. So there are few places at first, and more only when a row is wanted
    that was there before: at most as many rows are worked out again as there are places in the end.
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
        """Work out the row of a record, and with it those of others that are likely to be wanted (positions, -1 for
        none) as far as there is room: several at once take little longer than one.

        Where there is no room the rows that were not used for longest make it.
        """
        others = dict.fromkeys(r for r in likely.tolist() if r >= 0 and r != wanted)
        new = np.array([wanted, *others])
        places = self._places(len(new), again=bool(self._was_kept[wanted]))
        new = new[: len(places)]
        self._work_out(new, places)
        self.owner[places], self.slot[new], self.stamp[places] = new, places, clock
        self._was_kept[new] = True

    def _places(self, m: int, *, again: bool) -> NDArray[np.int64]:
        """Up to m places for rows, one at least: unused ones, else those not used for longest."""
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
        """The rows of some records, into their places: so many columns at once as the processor holds at hand."""
        left = self.points.left[new]
        step = max(256, _AT_HAND // len(new))
        for at in range(0, len(self.points), step):
            self.table[places, at : at + step] = self.points.rows(left, slice(at, at + step))
        self.table[places, new] = self.diagonal[new]

    def keep(self, chosen: Any) -> None:
        """Only these records (positions, ascending) count from now on; their rows are kept as far as they are known."""
        old, owners, stamps, used = self.table, self.owner, self.stamp, self._used
        new_place = np.full(len(self.points), -1, dtype=np.int32)
        new_place[chosen] = np.arange(len(chosen))
        self.points, self.diagonal = self.points.take(chosen), self.diagonal[chosen]
        self._lay_out(len(chosen))
        for place in range(used):  # each row becomes shorter, so that none is written over before it was read
            owner = new_place[owners[place]]
            if owner >= 0 and self._used < len(self.owner):
                self.table[self._used] = old[place, chosen]
                self.owner[self._used], self.slot[owner], self.stamp[self._used] = owner, self._used, stamps[place]
                self._used += 1
        self._open = min(len(self.owner), max(self._open, self._used))
        self._was_kept[self.owner[: self._used]] = True


MOST_POINTS: Final = 400
"""So many points of the course of learning are kept, evenly spread."""
BETWEEN: Final = 0.08
"""So many seconds, at least, lie between two times that a machine says how it goes."""
_MOST_ROUNDS: Final = 10
_LIKELY: Final = 4
_FIRST_LOOK: Final = 8
_WORTH_LEAVING: Final = 0.15
_FIRST_PART: Final = 4
_MANY: Final = 5000
"""Of more records than this one in so many is learned from first."""
_ROUGHLY: Final = 0.1
_NEAR: Final = 0.05
"""How far a pair may err among the first records, and how near to the margin a record is looked at once more."""


@dataclass(frozen=True, eq=False)
class BinaryProblem:
    """Two classes to be separated: rows (n, t), which side each is on (n,), 1 or -1, and what a slack costs (n,).

    ``power`` is that of the slacks: 1 makes the cost a bound on the multiplier, 2 a ridge on the kernel's diagonal.
    An infinite cost allows no slack.
    """

    x: FloatArray
    y: FloatArray
    cost: FloatArray
    power: int

    @property
    def upper(self) -> FloatArray:
        """The largest multiplier of each record (n,)."""
        return self.cost if self.power == 1 else np.full(len(self.y), np.inf)

    @property
    def ridge(self) -> FloatArray:
        """What is added to the diagonal of the kernel (n,)."""
        return np.zeros(len(self.y)) if self.power == 1 else 0.5 / self.cost

    def loss(self, slack: FloatArray) -> float:
        """What these slacks (n,) cost together."""
        return float(self.cost @ slack) if self.power == 1 else float(self.cost @ np.square(slack))

    def with_cost(self, cost: FloatArray) -> BinaryProblem:
        """The same with other costs."""
        return replace(self, cost=cost)

    def take(self, rows: Any) -> BinaryProblem:
        """Only some of the records."""
        return replace(self, x=self.x[rows], y=self.y[rows], cost=self.cost[rows])


@dataclass(eq=False)
class DualityGapHistory:
    """How learning went: steps, primal and dual objective, at most so many points as are worth drawing."""

    points: list[tuple[float, float, float]] = field(default_factory=list)
    _stride: int = 1
    _met: int = 0
    _told: float = field(default_factory=monotonic)

    def note(self, steps: int, primal: float, dual: float, *, last: bool = False) -> bool:
        """Keep a point where it is one of those to keep; whether it was."""
        self._met += 1
        if not last and self._met % self._stride:
            return False
        if last and self.points and self.points[-1][0] >= steps:
            self.points.pop()
        self.points.append((float(steps), primal, dual))
        if len(self.points) > MOST_POINTS:
            self.points, self._stride = self.points[::2], 2 * self._stride
        return True

    def tell(self, context: RunContext) -> None:
        """Say to whoever watches how it goes, unless that was said just before."""
        if monotonic() - self._told >= BETWEEN:
            context.publish(DualityGap(np.array(self.points), self, context.can_finish))
            self._told = monotonic()


@dataclass(frozen=True, eq=False)
class SmoSolution:
    """What was found: coefficients y times multiplier (n,), the constant, the slacks (n,), and how it went.

    ``violation`` is by how much the worst pair of records still errs (Keerthi et al. 2001).
    """

    beta: FloatArray
    bias: float
    slack: FloatArray
    course: DualityGapHistory
    violation: float
    is_whole: bool


@dataclass(frozen=True)
class SmoLimits:
    """How hard to try: the violation that is small enough, memory for the kernel, and whether to shrink."""

    tolerance: float = 1e-3
    megabytes: float = 500.0
    shrinking: bool = True
    most_steps: int = 10_000_000


class Smo:
    """One machine under way."""

    def __init__(
        self,
        task: BinaryProblem,
        similarity: Similarity,
        effort: SmoLimits,
        context: RunContext,
        begun: Smo | None = None,
    ) -> None:
        """``begun`` is a machine for the same records with lower costs, which ended as this one begins."""
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
        """The best coefficients; raises :class:`Cancelled` on a stop, and is not whole where it was finished early."""
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
        """The least and the largest coefficient of each record (n,)."""
        upper = self.task.upper
        return np.where(self.task.y > 0, 0.0, -upper), np.where(self.task.y > 0, upper, 0.0)

    def _on(self, active: Any, low: FloatArray, high: FloatArray, tolerance: float, *, shrinking: bool
            ) -> tuple[bool, Any]:  # fmt: skip
        """Work on some of the records until none of them err by more than the tolerance, leaving out those that settle.

        Whether it was done, and the records that were left at the end.
        """
        from algorithms.learners.svm import kernels

        ridge = self.task.ridge
        points = self._points if len(active) == len(low) else self._points.take(active)
        rows = KernelRows(points, self._diagonal[active], self.effort.megabytes)
        chosen = active
        real, whole = np.zeros(2), np.array([self._steps, 0, 0], dtype=np.int64)
        period = int(min(max(len(active), 100), 1000))
        limit = self._next_look(period)
        ends: Any = [
            self._diagonal[chosen] + ridge[chosen],
            ridge[chosen],
            self.beta[chosen],
            low[chosen],
            high[chosen],
        ]
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
                    chosen, side, error, ends = chosen[kept], side[kept], error[kept], [each[kept] for each in ends]
        finally:
            self._steps = int(whole[kernels.STEPS])
            self.beta[chosen], self.error[chosen] = ends[2], error

    def _next_look(self, period: int) -> int:
        """The step after which the course is looked at again: often at the beginning, where it changes most."""
        return self._steps + min(period, max(_FIRST_LOOK, self._steps))

    def _catch_up(self, left: Any, beta: FloatArray, error: FloatArray) -> None:
        """Work out the errors of the records that were left out, all but those ``left``, from what the coefficients and
        errors (n,) were before."""
        out = np.ones(len(self.beta), dtype=np.bool_)
        out[left] = False
        step = self.beta - beta
        away, moved = np.flatnonzero(out), np.flatnonzero(step)
        sums = self._points.take(away).sums(self._points.left[moved], step[moved], self.context.checkpoint)
        self.error[away] = error[away] - sums - self.task.ridge[away] * step[away]

    def _judged(self, low: FloatArray, high: FloatArray) -> tuple[float, NDArray[np.int64]]:
        """By how much the worst pair errs, and the records that are free, err or are near to it."""
        up, down = self.beta < high, self.beta > low
        best = float(self.error[up].max()) if up.any() else -np.inf
        worst = float(self.error[down].min()) if down.any() else np.inf
        middle = self._bias(low, high)
        wanted = (up & down) | (up & (self.error > middle - _NEAR)) | (down & (self.error < middle + _NEAR))
        return max(0.0, best - worst), np.flatnonzero(wanted)

    def _bias(self, low: FloatArray, high: FloatArray) -> float:
        """The mean error of the records on the margins, else the middle of what is possible."""
        free = (self.beta > low) & (self.beta < high)
        if free.any():
            return float(self.error[free].mean())
        up, down = self.error[self.beta < high], self.error[self.beta > low]
        ends = [float(up.max())] * bool(len(up)) + [float(down.min())] * bool(len(down))
        return float(np.mean(ends)) if ends else 0.0

    def _note(self, *, exact: bool = True, last: bool = False) -> None:
        """Keep how far it came. The primal objective is the least that was met, but in the end that of what was found:
        it is not known while errors of records that were left out are not."""
        if exact:
            primal, self._dual = objectives(self.task, self.beta, self.error, self._bias(*self._ends()))
            self._primal = primal if last else min(primal, self._primal)
        self.course.note(self._steps, self._primal, self._dual, last=last)
        self.course.tell(self.context)


def _staying(side: Any, error: FloatArray, real: FloatArray) -> Any | None:
    """Which records stay: not those that lie at an end and pull towards it; None where too few would go."""
    from algorithms.learners.svm import kernels

    best, worst = float(real[kernels.HIGHEST]), float(real[kernels.LOWEST])
    gone = ((side == kernels.DOWN) & (error > best)) | ((side == kernels.UP) & (error < worst))
    return np.flatnonzero(~gone) if np.count_nonzero(gone) > _WORTH_LEAVING * len(gone) else None


def objectives(task: BinaryProblem, beta: FloatArray, error: FloatArray, bias: float) -> tuple[float, float]:
    """The primal objective at a constant, and the dual one, from coefficients (n,) and errors (n,).

    Half the squared length of the weights plus what the slacks cost, and the sum of the multipliers less what they
    weigh (TSKK Eq. 5.46 and 5.43).
    """
    ridge = task.ridge
    product = float(beta @ (task.y - error))  # weights squared, with the ridge
    held = product - float(ridge @ np.square(beta))
    slack = np.maximum(0.0, task.y * (error + ridge * beta - bias))
    return 0.5 * held + task.loss(slack), float(task.y @ beta) - 0.5 * product


def _sides(beta: FloatArray, low: FloatArray, high: FloatArray) -> NDArray[np.int8]:
    from algorithms.learners.svm import kernels

    found = np.where(beta < high, kernels.UP, 0) | np.where(beta > low, kernels.DOWN, 0)
    return found.astype(np.int8)
