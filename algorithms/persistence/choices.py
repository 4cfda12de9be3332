"""By what is decided, on disk: a threshold of a class, or the expected cost with its costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.core.errors import ModelFileError
from algorithms.evaluation.choices import AtThreshold, ByCost, Choice, Decide
from algorithms.persistence.stored import a_list, a_number, a_text


def choice_to_json(choice: Choice | None) -> dict[str, Any] | None:
    """By what is decided: a threshold with its class, the costs, or None for the model itself."""
    if choice is None:
        return None
    return {"label": choice.label, "threshold": choice.threshold} if isinstance(choice, AtThreshold) else {}


def choice_from_json(stored: Any) -> Choice | None:
    """The choice again; raises one of ``NONSENSE`` or :class:`CoppiceError`."""
    if stored is None:
        return None
    return AtThreshold(a_text(stored, "label"), a_number(stored, "threshold")) if stored else ByCost()


def decide_to_json(decide: Decide) -> dict[str, Any]:
    """What decides instead of a model, with its costs (k, k) in the order of the model's classes."""
    costs = None if decide.costs is None else decide.costs.tolist()
    return {"choice": choice_to_json(decide.choice), "costs": costs}


def decide_from_json(stored: Any, classes: tuple[str, ...]) -> Decide:
    """What decides again; raises :class:`ModelFileError` or one of ``NONSENSE`` where it is not for these classes."""
    choice, costs = choice_from_json(stored["choice"]), None
    if isinstance(choice, ByCost):
        costs = np.array(a_list(stored, "costs"), dtype=np.float64)
        if costs.shape != (len(classes), len(classes)) or not np.isfinite(costs).all():
            raise ModelFileError("The file is damaged: its costs are not for its classes.")
    elif choice is None or choice.label not in classes:
        raise ModelFileError("The file is damaged: it decides for a class that it has not.")
    return Decide(classes, choice, costs)
