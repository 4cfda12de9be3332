"""Wrapped models: decisions of least expected cost, or at a threshold, around another model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from algorithms.core.array_state import ArrayState, numbers
from algorithms.core.errors import DataError
from algorithms.core.learner import Explanation, Model, Predictions, Probabilities, State, WatchedModel
from algorithms.core.plain_json import a_flag, a_list, a_number, a_text, finite_number
from algorithms.core.record_costs import AnyCosts, FormulaCosts, RecordCosts, parse_cost, record_costs
from algorithms.core.run_control import RunContext
from algorithms.core.scores import at_threshold, cheapest_decisions, expected_costs, reaches
from algorithms.data.alignment import aligned
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.ensembles.model import damaged, packed, prefixed, saved_members, under
from algorithms.structures.members import WrappedStructure

Values = Mapping[str, Any]
Arrays = Mapping[str, NDArray[Any]]


class WrappedModel(WatchedModel):
    """Model that revises the predictions of an inner model; ``name`` is that of the inner learner."""

    def __init__(self, inner: Model, name: str) -> None:
        super().__init__(inner.schema, partial=inner.partial)
        self.inner, self.name = inner, name

    @abstractmethod
    def revised(self, predictions: Predictions, data: Dataset) -> Predictions:
        """Revised predictions of the inner model for these records."""

    @abstractmethod
    def words(self) -> str:
        """Sentences that describe the revision."""

    @abstractmethod
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The revision as a table, heading first."""

    @abstractmethod
    def own_state(self) -> State:
        """State besides that of the inner model."""

    @classmethod
    @abstractmethod
    def around(cls, inner: Model, name: str, values: Values, arrays: Arrays) -> Self:
        """Model from a saved state around its inner model; raises :class:`ModelFileError` if damaged."""

    def _judged(self, data: Dataset, context: RunContext) -> Predictions:
        return self.revised(self.inner.judged(data, context), data)

    def structure(self) -> WrappedStructure:
        return self._structure

    @cached_property
    def _structure(self) -> WrappedStructure:
        return WrappedStructure.around(self.schema, self.inner.structure(), self.name, self.words(), self.rows())

    def facts(self) -> dict[str, int | float]:
        return self.inner.facts()

    def explain(self, data: Dataset, row: int) -> Explanation:
        one = aligned(self.schema, data).take([row])
        inner, revised = self.inner.explain(one, 0), self._judged(one, RunContext())
        decision = int(revised.decisions[0])
        steps = (*inner.steps, *self.steps(np.array(inner.probabilities), revised.probabilities[0], decision, one))
        return Explanation(decision, tuple(revised.probabilities[0].tolist()), steps, inner.parts)

    @abstractmethod
    def steps(self, before: Probabilities, after: Probabilities, decision: int, record: Dataset) -> tuple[str, ...]:
        """Sentences about the revision of the probabilities (k,) of one record."""

    def to_state(self) -> State:
        inside, own = packed([self.inner]), self.own_state()
        values = {"inner": dict(inside.values), "name": self.name, "own": dict(own.values)}
        return State(values, prefixed("inner", inside) | prefixed("own", own))

    @classmethod
    def from_state(cls, schema: Schema, state: State) -> Self:
        members, own = saved_members(schema, state, "inner"), state.values.get("own")
        if len(members) != 1 or not isinstance(own, dict):
            raise damaged()
        return cls.around(members[0], str(state.values.get("name", "")), own, under("own", state))


_STATE: Final = ArrayState("The saved costs are", {"costs": numbers("classes", "classes")})


class CheapestModel(WrappedModel):
    """Predicts the class of least expected cost; ties keep the inner prediction.

    Costs that differ by record are evaluated on the records to predict; the mean over the training records replaces
    missing values. The records are those ``before_recipe``; models of earlier versions read them after it.
    """

    id: ClassVar[str] = "cheapest"
    decides_otherwise: ClassVar[bool] = True

    def __init__(self, inner: Model, name: str, costs: AnyCosts, *, before_recipe: bool = True) -> None:
        super().__init__(inner, name)
        self.costs, self.before_recipe = record_costs(costs), before_recipe

    def _costs_of(self, data: Dataset) -> RecordCosts:
        return self.costs.on(data if self.before_recipe else data.with_recipe_input(None))

    def revised(self, predictions: Predictions, data: Dataset) -> Predictions:
        decisions = cheapest_decisions(predictions.probabilities, predictions.decisions, self._costs_of(data))
        return Predictions(decisions, predictions.probabilities, predictions.undecided)

    def words(self) -> str:
        return f"{self.name} estimates probabilities; the class of least expected cost is predicted (TSKK Eq. 5.82)."

    def rows(self) -> tuple[tuple[str, ...], ...]:
        costs = [[f"{cost:g}" for cost in row] for row in self.costs.fixed.tolist()]
        for (i, j), cell in self.costs.formulas.items():
            costs[i][j] = cell.formula
        heading = ("actual", *(f"cost of predicting {label}" for label in self.classes))
        return (heading, *((label, *row) for label, row in zip(self.classes, costs, strict=True)))

    def steps(self, before: Probabilities, after: Probabilities, decision: int, record: Dataset) -> tuple[str, ...]:
        expected = expected_costs(after[None], self._costs_of(record))[0]
        parts = (f"{label} {cost:.4g}" for label, cost in zip(self.classes, expected.tolist(), strict=True))
        return (f"expected cost of predicting {', '.join(parts)}", f"so the prediction is {self.classes[decision]}")

    def own_state(self) -> State:
        cells = self.costs.formulas.items()
        formulas = [{"cell": list(cell), "formula": one.formula, "mean": one.usual} for cell, one in cells]
        values = {"formulas": formulas, "before_recipe": self.before_recipe} if formulas else {}
        return State(values, {"costs": self.costs.fixed})

    @classmethod
    def around(cls, inner: Model, name: str, values: Values, arrays: Arrays) -> Self:
        k = len(inner.classes)
        fixed, formulas = _STATE.read(arrays, classes=k)["costs"], {}
        for stored in a_list(values, "formulas") if "formulas" in values else ():
            cell, formula = tuple(a_list(stored, "cell")), a_text(stored, "formula")
            if len(cell) != 2 or not all(type(code) is int and 0 <= code < k for code in cell):
                raise damaged()
            try:
                parse_cost(formula)
            except DataError:
                raise damaged() from None
            formulas[cell] = FormulaCosts(formula, np.zeros(0), a_number(stored, "mean"))
        before_recipe = a_flag(values, "before_recipe") if "before_recipe" in values else False
        return cls(inner, name, RecordCosts(fixed, formulas), before_recipe=before_recipe)


class ThresholdModel(WrappedModel):
    """Predicts a class from a threshold on, else the likeliest other; without a threshold, the inner predictions."""

    id: ClassVar[str] = "at-threshold"
    decides_otherwise: ClassVar[bool] = True

    def __init__(self, inner: Model, name: str, code: int, threshold: float | None, aim: str) -> None:
        super().__init__(inner, name)
        self.code, self.threshold, self.aim = code, threshold, aim

    def revised(self, predictions: Predictions, data: Dataset) -> Predictions:
        if self.threshold is None:
            return predictions
        decisions = at_threshold(predictions.probabilities, self.code, self.threshold)
        return Predictions(decisions, predictions.probabilities, predictions.undecided)

    def words(self) -> str:
        if self.threshold is None:
            return f"There was nothing to choose a threshold by: {self.name} decides."
        return (
            f"{self.name} estimates probabilities; {self.classes[self.code]} is predicted from a probability of "
            f"{self.threshold:.4g} on, chosen for {self.aim} on held-out records."
        )

    def rows(self) -> tuple[tuple[str, ...], ...]:
        chosen = "" if self.threshold is None else f"{self.threshold:.6g}"
        return (("class", "predicted from"), (self.classes[self.code], chosen))

    def steps(self, before: Probabilities, after: Probabilities, decision: int, record: Dataset) -> tuple[str, ...]:
        if self.threshold is None:
            return ()
        sure, label = float(after[self.code]), self.classes[self.code]
        how = "reaches" if reaches(after[self.code], self.threshold) else "does not reach"
        return (f"the probability of {label}, {sure:.4g}, {how} the threshold {self.threshold:.4g}",)

    def own_state(self) -> State:
        return State({"code": self.code, "threshold": self.threshold, "aim": self.aim}, {})

    @classmethod
    def around(cls, inner: Model, name: str, values: Values, arrays: Arrays) -> Self:
        code, threshold = values.get("code"), values.get("threshold")
        if type(code) is not int or not 0 <= code < len(inner.classes):
            raise damaged()
        number = None if threshold is None else finite_number(threshold)
        if threshold is not None and number is None:
            raise damaged()
        return cls(inner, name, code, number, str(values.get("aim", "")))
