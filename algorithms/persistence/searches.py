"""Searches on disk: what was tried, and what each setting lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError
from algorithms.core.learned import Search
from algorithms.evaluation.losses import LOSSES
from algorithms.persistence.stored import a_flag, a_list, a_text, an_integer, an_object, strings_in

Put = Callable[[str, NDArray[Any]], Any]
"""Stores an array under a name and says how it is found again."""
Get = Callable[[Any], NDArray[Any]]
"""The array that was stored."""

_ARRAYS = {"losses": ("f8", 2), "weights": ("f8", 1), "n_train": ("i8", 1)}


def search_to_json(search: Search, put: Put) -> dict[str, Any]:
    """A search as JSON values, its arrays as ``put`` names them."""
    return {
        "names": list(search.names),
        "labels": list(search.labels),
        "settings": [list(values) for values in search.settings],
        **({"said": [list(values) for values in search.said]} if search.said else {}),
        "arrays": {name: put(name, getattr(search, name)) for name in _ARRAYS},
        "chosen": search.chosen,
        "measure": search.measure,
        "strategy": search.strategy,
        "n_records": search.n_records,
        "failures": {str(at): why for at, why in enumerate(search.failures) if why},
        "partial": search.partial,
    }


def search_from_json(stored: Any, get: Get) -> Search:
    """The search again; raises :class:`ModelFileError` or one of ``NONSENSE`` where it is none."""
    arrays = {name: get(where) for name, where in an_object(stored, "arrays").items() if name in _ARRAYS}
    if any(arrays[n].dtype != np.dtype(kind) or arrays[n].ndim != d for n, (kind, d) in _ARRAYS.items()):
        raise ModelFileError("The file is damaged: the numbers of a search are none.")
    names, labels = tuple(strings_in(stored, "names")), tuple(strings_in(stored, "labels"))
    settings = tuple(tuple(map(str, values)) for values in a_list(stored, "settings"))
    said = tuple(tuple(map(str, values)) for values in stored.get("said", ()))
    c, chosen, measure = len(settings), an_integer(stored, "chosen"), a_text(stored, "measure")
    fit = arrays["losses"].shape == (c, len(arrays["weights"])) and arrays["n_train"].shape == (c,)
    named = len(labels) == len(names) and all(len(values) == len(names) for values in settings)
    named = named and (not said or [len(each) for each in said] == [len(names)] * c)
    if not fit or not named or not 0 <= chosen < c or measure not in LOSSES:
        raise ModelFileError("The file is damaged: the parts of a search do not fit together.")
    failures = an_object(stored, "failures")
    return Search(
        names=names,
        labels=labels,
        settings=settings,
        losses=arrays["losses"],
        weights=arrays["weights"],
        n_train=arrays["n_train"],
        chosen=chosen,
        measure=measure,
        strategy=a_text(stored, "strategy"),
        n_records=an_integer(stored, "n_records"),
        failures=tuple(str(failures.get(str(at), "")) for at in range(c)),
        partial=a_flag(stored, "partial"),
        said=said,
    )
