"""Calibrated classifiers: probabilities by Platt's sigmoid or isotonic regression (Zadrozny and Elkan 2002)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArraySpec, ArrayState, finite, indices, weights
from algorithms.core.learner import Learner, Model, Predictions, Probabilities, State, WrappingLearner
from algorithms.core.parameters import Option, choice, integer, learner_parameter
from algorithms.core.run_control import RunContext
from algorithms.core.training import held_out
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.learners.costs.wrapped_models import Arrays, Values, WrappedModel
from algorithms.learners.ensembles.member_training import heaviest, places, weighty
from algorithms.learners.ensembles.model import damaged
from algorithms.learners.probability_scaling import normalised, platt, platt_curve
from algorithms.learners.trees.c45 import C45

_LEAST: Final = 1e-3
"""Probabilities are clipped this far from 0 and 1 before their log odds are taken."""


def log_odds(probabilities: FloatArray) -> FloatArray:
    """Log odds of clipped probabilities (n,)."""
    p = np.clip(probabilities, _LEAST, 1 - _LEAST)
    return np.asarray(np.log(p / (1 - p)))


def isotonic(
    probabilities: FloatArray, of_class: NDArray[np.bool_], weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Isotonic regression of membership on probabilities (n,): ends (s,) of steps and shares (s,); linear between."""
    from scipy.optimize import isotonic_regression

    values, place = np.unique(probabilities, return_inverse=True)
    weight = np.bincount(place, weights)
    there = weight > 0
    share = np.bincount(place, weights * of_class)[there] / weight[there]
    steps = np.asarray(isotonic_regression(share, weights=weight[there]).x)
    values = values[there]
    inner = np.zeros(len(steps), dtype=np.bool_)
    inner[1:-1] = (steps[1:-1] == steps[:-2]) & (steps[1:-1] == steps[2:])
    return values[~inner], np.clip(steps[~inner], 0.0, 1.0)


PLATT: Final = "platt"
ISOTONIC: Final = "isotonic"
_SHOWN: Final = 11
_CLOSE: Final = 1e-9
_STATE: Final = ArrayState("The saved curves are", {
    "curves": finite("points", 2),
    "sizes": ArraySpec(dtype=np.int64, shape=("curves",), lowest=1, highest=2**53),
    "codes": indices("classes", "curves", dtype=np.int64),
    "class_weights": weights("classes"),
})  # fmt: skip

Curve = FloatArray
"""Slope and offset of Platt's curve (1, 2), or step ends and shares of an isotonic one (s, 2)."""


class CalibratedModel(WrappedModel):
    """Applies a curve to the inner probabilities of each class (of two, the second) and normalises them."""

    id: ClassVar[str] = "calibrated"

    def __init__(
        self, inner: Model, name: str, by: str, codes: Sequence[int], curves: Sequence[Curve], class_weights: FloatArray
    ) -> None:
        super().__init__(inner, name)
        self.by, self.codes, self.curves = by, tuple(codes), tuple(curves)
        self.class_weights = class_weights

    def revised(self, predictions: Predictions, data: Dataset) -> Predictions:
        if not self.curves:
            return predictions
        shares = self.calibrated(predictions.probabilities)
        return Predictions(heaviest(shares, places(self.class_weights)), shares, predictions.undecided)

    def calibrated(self, probabilities: Probabilities) -> Probabilities:
        """Calibrated probabilities (n, k)."""
        shares = np.zeros_like(probabilities)
        for code, curve in zip(self.codes, self.curves, strict=True):
            shares[:, code] = read_off(curve, probabilities[:, code], self.by)
        if len(self.codes) == 1:
            other = np.flatnonzero((self.class_weights > 0) & (np.arange(probabilities.shape[1]) != self.codes[0]))
            shares[:, other[0]] = 1 - shares[:, self.codes[0]]
        return normalised(shares, probabilities)

    def words(self) -> str:
        if not self.curves:
            return f"There were too few records to calibrate: the probabilities are those of {self.name}."
        how = "Platt scaling" if self.by == PLATT else "Isotonic regression"
        return (
            f"{how} maps the probabilities of {self.name} to calibrated ones, fitted to held-out training records: "
            "of the records predicted with 70%, about 70% are of the class."
        )

    def rows(self) -> tuple[tuple[str, ...], ...]:
        grid = np.linspace(0, 1, _SHOWN)
        columns = [read_off(curve, grid, self.by) for curve in self.curves]
        heading = ("probability", *(f"calibrated, {self.classes[code]}" for code in self.codes))
        return (heading, *((f"{p:.1f}", *(f"{c[row]:.3f}" for c in columns)) for row, p in enumerate(grid.tolist())))

    def steps(self, before: Probabilities, after: Probabilities, decision: int, record: Dataset) -> tuple[str, ...]:
        if not self.curves:
            return ()
        label = self.classes[decision]
        return (f"calibrated, the probability of {label} is {after[decision]:.4g} in place of {before[decision]:.4g}",)

    def own_state(self) -> State:
        empty: Curve = np.zeros((0, 2))
        arrays = {
            "curves": np.concatenate([empty, *self.curves]),
            "sizes": np.array([len(curve) for curve in self.curves], dtype=np.int64),
            "codes": np.array(self.codes, dtype=np.int64),
            "class_weights": self.class_weights,
        }
        return State({"by": self.by}, arrays)

    @classmethod
    def around(cls, inner: Model, name: str, values: Values, arrays: Arrays) -> Self:
        read = _STATE.read(arrays, classes=len(inner.classes))
        curves, sizes, codes, by = read["curves"], read["sizes"].tolist(), read["codes"].tolist(), values.get("by")
        if by not in (PLATT, ISOTONIC) or sum(sizes) != len(curves) or len(set(codes)) < len(codes):
            raise damaged()
        parts = np.split(curves, np.cumsum(sizes)[:-1]) if sizes else []
        if len(codes) == 1 and not np.any(np.delete(read["class_weights"] > 0, codes[0])):
            raise damaged()
        if by == PLATT and any(size != 1 for size in sizes):
            raise damaged()
        if by == ISOTONIC:
            are_rising = all(np.all(np.diff(part[:, 0]) >= 0) for part in parts)
            if not are_rising or np.any((curves[:, 1] < 0) | (curves[:, 1] > 1 + _CLOSE)):
                raise damaged()
        return cls(inner, name, str(by), codes, parts, read["class_weights"])


def read_off(curve: Curve, probabilities: FloatArray, by: str) -> FloatArray:
    """Calibrated probabilities (n,) of a class under its curve."""
    if by == PLATT:
        return platt_curve(log_odds(probabilities), float(curve[0, 0]), float(curve[0, 1]))
    return np.asarray(np.interp(probabilities, curve[:, 0], curve[:, 1]))


@dataclass(frozen=True, kw_only=True)
class Calibrated(WrappingLearner):
    """Calibration curves fitted to cross-validated probabilities; the model is trained on all records."""

    id: ClassVar[str] = "calibrated"
    name: ClassVar[str] = "Calibrated classifier"
    sentence: ClassVar[str] = (
        "Calibrates any learner's probabilities: of the records predicted with 70% about 70% are of the class."
    )
    source: ClassVar[str] = "Platt (1999); Zadrozny and Elkan (2002)"
    family: ClassVar[str] = "Costs"
    kernels: ClassVar[tuple[str, ...]] = C45.kernels
    always_resamples: ClassVar[bool] = True

    base: Learner = learner_parameter(
        C45(), label="Base learner", help="The learner whose probabilities are calibrated."
    )
    by: str = choice(
        PLATT,
        Option(PLATT, "Platt scaling", "A logistic curve with two parameters per class; needs few records."),
        Option(ISOTONIC, "Isotonic regression", "Any non-decreasing curve; needs 1,000 records."),
        label="Calibration",
        help="The calibration curve of each class.",
    )
    folds: int = integer(
        5,
        lo=2,
        hi=100,
        label="Folds",
        help="Number of cross-validation folds inside the training records.",
        unit="folds",
        advanced=True,
    )

    def summary(self) -> str:
        return f"{self.name} by {'Platt' if self.by == PLATT else 'isotonic regression'}, {self.base.summary()}"

    def _fit(self, data: Dataset, context: RunContext) -> CalibratedModel:
        data = weighty(data)
        class_weights = data.class_weights
        there = np.flatnonzero(class_weights > 0).tolist()
        judged = held_out(self.base, data, self.folds, context.child(0.8, 0)) if len(there) > 1 else None
        curves: list[Curve] = []
        codes = there[1:] if len(there) == 2 else there
        if judged is not None and judged.tested.any():
            rows = np.flatnonzero(judged.tested)
            truth, weights = data.class_codes[rows], data.weight_array[rows]
            curves = [self._curve(judged.probabilities[rows, code], truth == code, weights) for code in codes]
        inner = self.base.fit(data, context.child(0.2, 1))
        return CalibratedModel(inner, self.base.name, self.by, codes if curves else [], curves, class_weights)

    def _curve(self, probabilities: FloatArray, of_class: np.ndarray, weights: FloatArray) -> Curve:
        if self.by == PLATT:
            return np.array([platt(log_odds(probabilities), of_class, weights)])
        return np.stack(isotonic(probabilities, of_class, weights), axis=1)
