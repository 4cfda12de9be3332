"""Damages saved models in every way a stranger could, and looks at what comes of it.

``python -m tests.fuzz models`` does so without end, in a child process, so that a fault of compiled code is seen.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from algorithms.core.errors import CoppiceError
from algorithms.core.filters import Filter, FittedRecipe, fit_recipe
from algorithms.core.learner import Learner
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.project.archive import ArchiveContent
from algorithms.project.models import NONSENSE, content_of, trained_of
from tests.algorithms.battery import suiting
from tests.algorithms.battery_data import mixed
from tests.algorithms.filter_battery import variants

Array = NDArray[Any]
_FLOATS: Final = (
    np.nan, np.inf, -np.inf, -1.0, 0.0, -0.0, 0.5, 1.0, 2.0, 1e-320, 1e-300, 1e16, 1e150, 1e300, 1.7e308, -1.7e308,
)  # fmt: skip
_PLAIN: Final[tuple[Any, ...]] = (
    None, True, False, -1, 0, 1, 2, 7, 2**31 - 1, 2**31, -(2**31), 2**63, 10**400, 1e308, -1e308, 1e-320, 0.5,
    float("inf"), "", "x", "\ud800", [], {}, [0], ["x"], {"x": 1},
)  # fmt: skip
VARIANTS: Final[dict[str, tuple[dict[str, Any], ...]]] = {
    "c4.5": ({"soft_thresholds": True}, {"numeric_splits": "entropy"}, {"nominal_splits": "grouped"}),
    "naive-bayes": ({"numbers": "kernel-density"}, {"numbers": "entropy"}),
    "k-nearest-neighbors": (
        {"distance": "cosine"}, {"distance": "value-difference"}, {"votes": "kernel"}, {"distance": "minkowski"},
    ),
    "svm": (
        {"kernel": "linear"}, {"kernel": "polynomial"}, {"several": "one-vs-rest"}, {"kernel": "sigmoid"},
        {"probabilities": "platt"},
    ),
    "neural-network": (
        {"loss": "squared"}, {"activation": "relu"}, {"output": "linear", "loss": "squared"}, {"inputs": "binary"},
        {"hidden": (3, 3, 3), "activation": "linear"},
    ),
    "sequential-covering": ({"order": "unordered"},),
}  # fmt: skip
"""Settings whose models hold other arrays than those of the defaults."""


_NO_STATE: Final = ("select-attributes", "wrapper")
"""Filters that leave behind what others of the list do."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A saved model to damage, and records that it is asked about."""

    name: str
    content: ArchiveContent
    records: Dataset


def names(registry: Registry) -> list[str]:
    """What can be damaged: each learner with the variants above, and each variant of each filter of columns."""
    found = []
    for kind in registry.learners:
        found += [f"{kind.id}/{number}" for number in range(1 + len(VARIANTS.get(kind.id, ())))]
    for step in registry.filters:
        if not step.only_training and step.id not in _NO_STATE:
            found += [f"filter:{step.id}/{number}" for number in range(len(variants(step)))]
    return found


def subject_of(name: str, registry: Registry) -> Subject:
    """A model of the learner, or one after the filter, that :func:`names` calls so."""
    id, _, number = name.removeprefix("filter:").partition("/")
    if name.startswith("filter:"):
        return _filtered(name, variants(registry.filters.get(id))[int(number)], registry)
    kind = registry.learners.get(id)
    return _learned(name, few(kind, **({}, *VARIANTS.get(id, ()))[int(number)]))


def few(learner: type[Learner], **values: Any) -> Learner:
    """The learner with these values, of few members and few epochs, whose models are as good to damage."""
    small = {"members": 3, "epochs": 20, "hidden": (4,)}
    return learner(**{**{name: small[name] for name in small if name in learner().values()}, **values})


def _learned(name: str, learner: Learner) -> Subject:
    data = suiting(learner, 60, missing=0.1)
    model = learner.fit(data, RunContext(seed=1))
    trained = TrainedClassifier(data.schema, FittedRecipe(), model, learner)
    return Subject(name, content_of(trained), _asked(suiting(learner, 12, seed=5, missing=0.2)))


def _filtered(name: str, step: Filter, registry: Registry) -> Subject:
    data = mixed(60, missing=0.1)
    recipe, changed = fit_recipe((step,), data, RunContext(seed=1))
    learner = registry.learners.get("zero-r")()
    trained = TrainedClassifier(data.schema, recipe, learner.fit(changed, RunContext(seed=1)), learner, (step,))
    return Subject(name, content_of(trained), _asked(mixed(12, seed=5, missing=0.2)))


def _asked(records: Dataset) -> Dataset:
    """Records to ask about: ordinary ones, some with missing values, the last with nothing known."""
    columns = {
        i: (a, np.append(records.column(i)[:-1], np.nan if a.kind.is_float else -1).astype(records.column(i).dtype))
        for i, a in enumerate(records.schema.attributes)
        if i != records.schema.class_index and not a.kind.is_string
    }
    return records.with_columns(columns)


# ---- damage ----------------------------------------------------------------------------------------------------------


def damaged(content: ArchiveContent, random: Generator) -> tuple[ArchiveContent, str]:
    """The content with one to three things changed, and which."""
    values, arrays = copy.deepcopy(dict(content.values)), dict(content.arrays)
    told = []
    for _ in range(int(random.choice([1, 1, 1, 2, 3]))):
        if arrays and random.random() < 0.75:
            told.append(_damage_array(arrays, random))
        else:
            told.append(_damage_value(values, random))
    return ArchiveContent(values, arrays), "; ".join(told)


def _damage_array(arrays: dict[str, Array], random: Generator) -> str:
    name = str(random.choice(sorted(arrays)))
    array, how = np.array(arrays[name]), _way(random)
    if how == "exchanged":
        other = str(random.choice(sorted(arrays)))
        arrays[name], arrays[other] = arrays[other], arrays[name]
        return f"{name} exchanged for {other}"
    arrays[name] = _WAYS[how](array, random)
    return f"{name} {how}"


def damaged_array(array: Array, random: Generator) -> Array:
    """Another array in the place of this one, which may be written to."""
    return _WAYS[_way(random)](array, random)


def _way(random: Generator) -> str:
    return str(
        random.choice(["with extremes", "filled", "nudged", "permuted"] if random.random() < 0.6 else list(_WAYS))
    )


def _extreme(array: Array, random: Generator) -> Any:
    """A number that arrays of this type can hold and should not."""
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            return array.dtype.type(random.choice(_FLOATS))
    bounds = np.iinfo(array.dtype) if array.dtype.kind in "iu" else np.iinfo(np.int8)
    low, high, n = int(bounds.min), int(bounds.max), max(1, array.size)
    known = (low, low + 1, -2, -1, 0, 1, 2, n - 1, n, n + 1, high - 1, high)
    return array.dtype.type(min(max(known[int(random.integers(len(known)))], low), high))


def _some(array: Array, random: Generator) -> Array:
    flat = array.reshape(-1)
    for _ in range(int(random.integers(1, 4))):
        if flat.size:
            flat[random.integers(flat.size)] = _extreme(array, random)
    return flat.reshape(array.shape)


def _nudged(array: Array, random: Generator) -> Array:
    flat = array.reshape(-1)
    if flat.size and array.dtype.kind != "b":
        at = random.integers(flat.size)
        with np.errstate(all="ignore"):
            flat[at] = flat[at] + array.dtype.type(random.choice([-1, 1]))
    return flat.reshape(array.shape)


def _reshaped(array: Array, random: Generator) -> Array:
    shapes: list[tuple[int, ...]] = [(-1,), (1, -1), (-1, 1), (*array.shape, 1), array.shape[::-1]]
    return array.reshape(shapes[int(random.integers(len(shapes)))]) if array.size else array.reshape(*array.shape, 1)


def _retyped(array: Array, random: Generator) -> Array:
    types = ("int8", "int16", "int32", "int64", "uint8", "uint64", "float32", "float64", "bool", "float16")
    with np.errstate(all="ignore"):
        return array.astype(str(random.choice(types)))


def _repeated(array: Array, random: Generator) -> Array:
    return np.concatenate([np.atleast_1d(array)] * int(random.choice([2, 3, 1000])))


def _permuted(array: Array, random: Generator) -> Array:
    return np.asarray(random.permutation(array.reshape(-1))).reshape(array.shape)


def _shortened(array: Array, random: Generator) -> Array:
    return np.atleast_1d(array)[: int(random.integers(0, max(1, len(np.atleast_1d(array)))))]


_WAYS: Final[dict[str, Callable[[Array, Generator], Array]]] = {
    "with extremes": _some,
    "nudged": _nudged,
    "filled": lambda array, random: np.full(array.shape, _extreme(array, random), dtype=array.dtype),
    "permuted": _permuted,
    "reversed": lambda array, random: np.ascontiguousarray(np.atleast_1d(array)[::-1]),
    "shortened": _shortened,
    "repeated": _repeated,
    "reshaped": _reshaped,
    "retyped": _retyped,
    "exchanged": lambda array, random: array,
    "emptied": lambda array, random: array.reshape(-1)[:0],
}


def _damage_value(values: dict[str, Any], random: Generator) -> str:
    """One plain value, anywhere in the description, replaced, or a list of them cut, repeated or reversed."""
    places = list(_places(values, ()))
    holder, key, path = places[int(random.integers(len(places)))]
    old = holder[key]
    if isinstance(old, list) and old and random.random() < 0.5:
        holder[key] = [old[:-1], old + old, old[::-1], old[:1]][int(random.integers(4))]
    elif isinstance(old, dict) and old and random.random() < 0.5:
        del old[sorted(old)[int(random.integers(len(old)))]]
    else:
        holder[key] = copy.deepcopy(_PLAIN[int(random.integers(len(_PLAIN)))])
    return f"{'.'.join(map(str, path))} = {str(holder[key])[:40]}"


def _places(holder: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, Any, tuple[Any, ...]]]:
    keys = holder.keys() if isinstance(holder, dict) else range(len(holder))
    for key in keys:
        yield holder, key, (*path, key)
        if isinstance(holder[key], dict | list):
            yield from _places(holder[key], (*path, key))


# ---- what comes of it ------------------------------------------------------------------------------------------------


def outcome(content: ArchiveContent, records: Dataset, registry: Registry) -> str:
    """``refused`` or ``used``; anything else says what went wrong."""
    try:
        trained = trained_of(content, registry)
    except (CoppiceError, *NONSENSE):
        return "refused"
    with np.errstate(all="ignore"):
        try:
            said = trained.judged(records, RunContext(seed=1))
            again, decided = trained.predict_proba(records), trained.predict(records)
        except CoppiceError:
            return "refused when asked"
    k = len(trained.classes)
    for shares in (said.probabilities, again):
        if shares.shape != (len(records), k):
            return "probabilities of another shape"
        if not np.all(np.isfinite(shares)):
            return "probabilities that are no numbers"
        if np.any(shares < -1e-12) or not np.allclose(shares.sum(axis=1), 1.0, atol=1e-6):
            return "probabilities that do not sum to one"
    for codes in (said.decisions, decided):
        if codes.shape != (len(records),) or np.any((codes < 0) | (codes >= k)):
            return "a decision for no class"
    return "used"


GOOD: Final = ("refused", "refused when asked", "used")


def tried(subject: Subject, seed: int, registry: Registry) -> tuple[str, str]:
    """How the mutant of this seed ended, and what was changed."""
    content, told = damaged(subject.content, np.random.default_rng([seed, len(subject.name)]))
    return outcome(content, subject.records, registry), told
