"""A model that decides by costs or at a threshold, from the probabilities of the one inside it."""

from __future__ import annotations

from typing import ClassVar, Final, Self

from algorithms.core.array_state import ArrayState, numbers
from algorithms.core.columns import FloatArray
from algorithms.core.costs import cheapest_decisions, expected_costs
from algorithms.core.learner import Judgement, Model, Probabilities, State
from algorithms.core.plain_json import finite_number
from algorithms.core.thresholds import at_threshold, reaches
from algorithms.costs.within import Arrays, ModelWithin, Values
from algorithms.ensembles.packing import damaged

_STATE: Final = ArrayState("The saved costs are", {"costs": numbers("classes", "classes")})


class CheapestModel(ModelWithin):
    """Decides for what is expected to cost least under ``costs`` (k, k), the inner model's own among equals."""

    id: ClassVar[str] = "cheapest"
    decides_otherwise: ClassVar[bool] = True

    def __init__(self, inner: Model, name: str, costs: FloatArray) -> None:
        super().__init__(inner, name)
        self.costs = costs

    def revised(self, said: Judgement) -> Judgement:
        decisions = cheapest_decisions(said.probabilities, said.decisions, self.costs)
        return Judgement(decisions, said.probabilities, said.undecided)

    def words(self) -> str:
        return (
            f"{self.name} says how probable each class is; what is then expected to cost least is decided "
            "(TSKK Eq. 5.82)."
        )

    def rows(self) -> tuple[tuple[str, ...], ...]:
        costs = [tuple(f"{cost:g}" for cost in row) for row in self.costs.tolist()]
        heading = ("cost where it is", *(f"said {label}" for label in self.classes))
        return (heading, *((label, *row) for label, row in zip(self.classes, costs, strict=True)))

    def steps(self, before: Probabilities, after: Probabilities, decision: int) -> tuple[str, ...]:
        expected = expected_costs(after[None], self.costs)[0]
        each = (f"{label} {cost:.4g}" for label, cost in zip(self.classes, expected.tolist(), strict=True))
        return (f"expected cost of saying {', '.join(each)}", f"so {self.classes[decision]} is said")

    def own_state(self) -> State:
        return State({}, {"costs": self.costs})

    @classmethod
    def around(cls, inner: Model, name: str, values: Values, arrays: Arrays) -> Self:
        return cls(inner, name, _STATE.read(arrays, classes=len(inner.classes))["costs"])


class ThresholdModel(ModelWithin):
    """Decides for one class from a threshold of its probability on, for the likeliest of the others below it.

    Without a threshold (there was nothing to choose it by) it decides as the inner model does.
    """

    id: ClassVar[str] = "at-threshold"
    decides_otherwise: ClassVar[bool] = True

    def __init__(self, inner: Model, name: str, code: int, threshold: float | None, aim: str) -> None:
        super().__init__(inner, name)
        self.code, self.threshold, self.aim = code, threshold, aim

    def revised(self, said: Judgement) -> Judgement:
        if self.threshold is None:
            return said
        decisions = at_threshold(said.probabilities, self.code, self.threshold)
        return Judgement(decisions, said.probabilities, said.undecided)

    def words(self) -> str:
        if self.threshold is None:
            return f"There was nothing to choose a threshold by: {self.name} decides."
        return (
            f"{self.name} says how probable each class is; {self.classes[self.code]} is decided from a probability of "
            f"{self.threshold:.4g} on, chosen for {self.aim} on records that were held out."
        )

    def rows(self) -> tuple[tuple[str, ...], ...]:
        chosen = "" if self.threshold is None else f"{self.threshold:.6g}"
        return (("class", "decided from"), (self.classes[self.code], chosen))

    def steps(self, before: Probabilities, after: Probabilities, decision: int) -> tuple[str, ...]:
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
