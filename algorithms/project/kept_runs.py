"""Serialisation of runs: settings, tested records, models, curves, analyses and evaluated folds.

The parts of a run are those of :attr:`algorithms.core.run_control.RunContext.kept`: folds, and settings tried in them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import ModelFileError
from algorithms.core.filters import Filter, Recipe, RecipeStep, Steps, recipe_of
from algorithms.core.learner import Learner, State
from algorithms.core.plain_json import a_flag, a_list, a_number, a_text, an_integer, an_object, strings_in
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method, Split
from algorithms.core.run_control import Kept
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.attribute_importance import AttributeImportance, importance_measures
from algorithms.evaluation.bias_variance import BiasVariance, BoundaryPlane, Decomposition
from algorithms.evaluation.compare.permutation_test import ACCURACY, ShuffleTest
from algorithms.evaluation.curves.learning_curves import ErrorCurve, MemberErrors, Sweep
from algorithms.evaluation.error_groups import ErrorGroups
from algorithms.evaluation.measures.registry import MEASURES, of_permutation_test
from algorithms.evaluation.regions import RegionAxis, Regions
from algorithms.evaluation.result import EvaluationResult, FoldFailure, PhaseSeconds
from algorithms.evaluation.runner import FoldDone, FoldOutcome, FoldWeights
from algorithms.project.archive import ArchiveContent
from algorithms.project.models import (
    choice_from_json,
    choice_to_json,
    configurable_from,
    content_of,
    search_from_json,
    search_to_json,
    trained_of,
)
from algorithms.project.run_record import KeptAnalyses, RunRecord, RunState
from algorithms.project.shared_storage import CollectingSink, SharedReader, SharedWriter, read_collected

if TYPE_CHECKING:
    from algorithms.evaluation.learner_effects import LearnerEffects
    from algorithms.evaluation.surrogate_tree import SurrogateTree

_FOLD: Final = "fold"
_SETTING: Final = re.compile(r"setting (\d{1,9})")
_OF_RECORDS: Final = {"tested": "i8", "truth": "i4", "decision": "i4", "probabilities": "f8"}
SINGLE: Final = {"probabilities": "f4"}
"""Arrays that older programs stored in single precision."""
_CLOSE: Final = 1e-4
_N_NUMBERS: Final = 5
"""Number of integers per fold: number of tested records, repeat, fold, resubstitution (0 or 1), undecided records."""


def parts_to_json(kept: Kept, seed: int, writer: SharedWriter) -> list[dict[str, Any]]:
    """The parts of a run with this seed as JSON values; arrays are referenced by their numbers in ``writer``."""
    settings: dict[int, list[tuple[list[int], tuple[float, float, str]]]] = {}
    folds: dict[int, list[tuple[list[int], FoldOutcome]]] = {}
    for (entropy, place, name), part in kept.items():
        tried = _SETTING.fullmatch(name)
        if entropy == seed and tried is not None:
            settings.setdefault(len(place), []).append(([*place, int(tried[1])], part))
        elif entropy == seed and name == _FOLD and isinstance(part, FoldOutcome):
            folds.setdefault(len(place), []).append(([*place], part))
    return [
        *(_judged_folds_to_json(rows, writer) for rows in folds.values()),
        *(_settings_to_json(rows, writer) for rows in settings.values()),
    ]


def parts_from_json(stored: Any, seed: int, k: int, reader: SharedReader) -> dict[Any, Any]:
    """The parts of a run with ``k`` classes; raises :class:`CoppiceError` or one of ``NONSENSE``."""
    parts: dict[Any, Any] = {}
    for part in stored or ():
        if a_text(part, "part") == _FOLD:
            parts.update(((seed, place, _FOLD), result) for place, result in _folds(part, k, reader))
        else:
            parts.update(((seed, place, name), result) for place, name, result in _settings(part, reader))
    return parts


def _settings_to_json(rows: list[tuple[list[int], tuple[float, float, str]]], writer: SharedWriter) -> dict[str, Any]:
    """Tried settings, whose seed keys have equal length: the keys, and the loss and size of each."""
    places = np.array([place for place, _ in rows], dtype=np.int64)
    numbers = np.array([(loss, size) for _, (loss, size, _) in rows], dtype=np.float64)
    failures = {str(row): why for row, (_, (_, _, why)) in enumerate(rows) if why}
    return {
        "part": "settings",
        "places": writer.array(places),
        "numbers": writer.array(numbers),
        "failures": failures,
    }


def _settings(part: Mapping[str, Any], reader: SharedReader) -> Iterator[tuple[tuple[int, ...], str, Any]]:
    places, numbers = _array(part, "places", "i8", reader), _array(part, "numbers", "f8", reader)
    failures = an_object(part, "failures")
    if places.ndim != 2 or places.shape[1] < 1 or numbers.shape != (len(places), 2):
        raise _damaged()
    for row, (place, (loss, size)) in enumerate(zip(places.tolist(), numbers.tolist(), strict=True)):
        yield tuple(place[:-1]), f"setting {place[-1]}", (loss, size, str(failures.get(str(row), "")))


def _joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """The arrays one after the other; a single one itself, since that of a fold of millions is large."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _judged_folds_to_json(rows: list[tuple[list[int], FoldOutcome]], writer: SharedWriter) -> dict[str, Any]:
    """JSON form of judged folds; requires seed keys of equal length, since keys and records are stored concatenated."""
    outcomes = [outcome for _, outcome in rows]
    numbers = [
        (len(o.tested), o.split.repeat, o.split.fold, int(o.split.resubstitution), o.undecided) for o in outcomes
    ]
    searches = [
        None if o.search is None else search_to_json(o.search, lambda _, array: writer.array(array)) for o in outcomes
    ]
    joined = {
        name: _joined([getattr(o, name) for o in outcomes]).astype(kind, copy=False)
        for name, kind in _OF_RECORDS.items()
    }
    return {
        "part": _FOLD,
        "places": writer.array(np.array([place for place, _ in rows], dtype=np.int64)),
        "numbers": writer.array(np.array(numbers, dtype=np.int64)),
        "seconds": writer.array(np.array([(o.fit_seconds, o.predict_seconds) for o in outcomes])),
        "class_weights": writer.array(np.stack([o.class_weights for o in outcomes])),
        "arrays": {name: writer.array(array) for name, array in joined.items()},
        "searches": searches,
        "left_out": [o.left_out for o in outcomes],
        "differences": [list(o.differences) for o in outcomes],
    }


def _folds(part: Mapping[str, Any], k: int, reader: SharedReader) -> Iterator[tuple[tuple[int, ...], FoldOutcome]]:
    places, numbers = _array(part, "places", "i8", reader), _array(part, "numbers", "i8", reader)
    seconds, class_weights = _array(part, "seconds", "f8", reader), _array(part, "class_weights", "f8", reader)
    stored = an_object(part, "arrays")
    arrays = {name: _array(stored, name, kind, reader, SINGLE.get(name, kind)) for name, kind in _OF_RECORDS.items()}
    n, searches = len(places), a_list(part, "searches")
    left_out = a_list(part, "left_out") if "left_out" in part else [""] * n
    differences = a_list(part, "differences") if "differences" in part else [[]] * n
    fit = numbers.shape == (n, _N_NUMBERS) and seconds.shape == (n, 2) and class_weights.shape == (n, k)
    if not fit or places.ndim != 2 or len(searches) != n or bool((numbers < 0).any()):
        raise _damaged()
    if len(left_out) != n or len(differences) != n or not all(isinstance(sentences, list) for sentences in differences):
        raise _damaged()
    m = int(numbers[:, 0].sum())
    if any(array.shape != ((m, k) if name == "probabilities" else (m,)) for name, array in arrays.items()):
        raise _damaged()
    if m and any(not 0 <= arrays[name].min() <= arrays[name].max() < k for name in ("truth", "decision")):
        raise _damaged()
    weighed = bool(np.isfinite(class_weights).all() and (class_weights >= 0).all())
    if not are_probabilities(arrays["probabilities"]) or not weighed or not np.isfinite(seconds).all():
        raise _damaged()
    nothing, starts = np.zeros(0, dtype=np.int64), np.cumsum(numbers[:, 0]) - numbers[:, 0]
    for row, (size, repeat, fold, corrects, undecided) in enumerate(numbers.tolist()):
        own = {name: array[starts[row] : starts[row] + size] for name, array in arrays.items()}
        search = searches[row]
        yield (
            tuple(places[row].tolist()),
            FoldOutcome(
                split=Split(nothing, own["tested"], repeat, fold, bool(corrects)),
                **own,
                undecided=undecided,
                class_weights=class_weights[row],
                fit_seconds=float(seconds[row, 0]),
                predict_seconds=float(seconds[row, 1]),
                partial=False,
                left_out=str(left_out[row]),
                differences=tuple(map(str, differences[row])),
                search=None
                if search is None
                else search_from_json(search, lambda number: reader.get(number, np.ndarray)),
            ),
        )


def are_probabilities(probabilities: NDArray[Any]) -> bool:
    """Whether each record's probabilities (m, k) lie in 0 to 1 and sum to 1, within single precision."""
    return bool(np.all(probabilities >= 0) and np.all(np.abs(probabilities.sum(axis=1) - 1.0) <= _CLOSE))


def _array(stored: Mapping[str, Any], name: str, kind: str, reader: SharedReader, older: str = "") -> NDArray[Any]:
    array: NDArray[Any] = reader.get(stored[name], np.ndarray)
    if array.dtype not in (np.dtype(kind), np.dtype(older or kind)):
        raise _damaged()
    return array


def _damaged() -> ModelFileError:
    return ModelFileError("The file is damaged: the results of a stopped run do not fit together.")


Sweeps = Mapping[tuple[str, str], Sweep]
"""Curves by parameter and its typed values; two empty texts stand for the number of training records."""


def sweeps_to_json(sweeps: Sweeps, writer: SharedWriter) -> list[dict[str, Any]]:
    """Learning and complexity curves as JSON values; arrays are referenced by their numbers in ``writer``."""
    return [
        {
            "over": list(wanted),
            "what": sweep.what,
            "values": list(sweep.values),
            "places": writer.array(sweep.places),
            "is_number": sweep.is_number,
            "lines": [[line.name, writer.array(line.errors)] for line in sweep.lines],
            "method": sweep.method.to_json(),
            "seed": sweep.seed,
            "failures": list(sweep.failures),
        }
        for wanted, sweep in sweeps.items()
    ]


def sweeps_from_json(stored: Any, reader: SharedReader, registry: Registry) -> Sweeps:
    """The curves from their JSON form; raises :class:`CoppiceError` or one of ``NONSENSE``."""
    sweeps = {}
    for sweep in stored or ():
        name, values = strings_in(sweep, "over")
        sweeps[name, values] = _sweep(sweep, reader, registry)
    return sweeps


def _sweep(stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Sweep:
    values = tuple(strings_in(stored, "values"))
    places = _numbers(stored["places"], reader, (len(values),))
    lines = tuple(
        ErrorCurve(str(name), _numbers(number, reader, (len(values), -1))) for name, number in a_list(stored, "lines")
    )
    if len({line.errors.shape for line in lines}) != 1 or not all(np.isfinite(places)):
        raise ModelFileError("The file is damaged: the lines of a curve do not fit together.")
    return Sweep(
        a_text(stored, "what"),
        values,
        places,
        a_flag(stored, "is_number"),
        lines,
        configurable_from(Method, stored["method"], registry),
        an_integer(stored, "seed"),
        tuple(strings_in(stored, "failures")),
    )


def _numbers(number: Any, reader: SharedReader, shape: tuple[int, ...]) -> FloatArray:
    """The float array with this number; its shape must match, where -1 stands for any length."""
    array: FloatArray = reader.get(number, np.ndarray)
    fits = array.ndim == len(shape) and all(n in (-1, m) for n, m in zip(shape, array.shape, strict=True))
    if array.dtype != np.float64 or not fits:
        raise ModelFileError("The file is damaged: a curve has no numbers.")
    return array


DAMAGED: Final = "The file is damaged: what was found about a run does not fit together."
MOST_FALL: Final = 1e6
"""No measure falls by more."""


def n_classes_of(data: Dataset) -> int:
    """The number of classes; 0 without a nominal class."""
    schema = data.schema
    return 0 if schema.class_index is None else len(schema.class_attribute.values)


def findings_to_json(findings: KeptAnalyses, writer: SharedWriter) -> dict[str, Any]:
    """The results of a run's analyses as JSON values; arrays are referenced by their numbers in ``writer``."""
    members, leaning = findings.members, findings.leaning
    importances = {"permuted": findings.permuted, "dropped": findings.dropped}
    return {
        **({} if members is None else {"members": _members_to_json(members, writer)}),
        **({} if leaning is None else {"leaning": _leaning_to_json(leaning, writer)}),
        **{name: _importance_to_json(found, writer) for name, found in importances.items() if found is not None},
        **({} if findings.effects is None else {"effects": _state_to_json(findings.effects.to_state(), writer)}),
        **({} if findings.surrogate is None else {"surrogate": _surrogate_to_json(findings.surrogate, writer)}),
        **({} if findings.errors is None else {"errors": findings.errors.to_state()}),
    }


def findings_from_json(
    stored: Any, reader: SharedReader, registry: Registry, k: int, n_attributes: int
) -> KeptAnalyses | None:
    """A run's analyses for ``k`` classes and ``n_attributes``; raises :class:`CoppiceError` or one of ``NONSENSE``."""
    if not stored:
        return None
    members, leaning = stored.get("members"), stored.get("leaning")
    permuted, dropped, effects, surrogate = (
        stored.get(name) for name in ("permuted", "dropped", "effects", "surrogate")
    )
    return KeptAnalyses(
        None if members is None else _members(members, reader, registry),
        None if leaning is None else _leaning(leaning, reader, k, n_attributes),
        None if permuted is None else _importance(permuted, reader, is_dropped=False),
        None if dropped is None else _importance(dropped, reader, is_dropped=True),
        None if effects is None else _effects(effects, reader),
        None if surrogate is None else _surrogate(surrogate, reader, registry, k),
        ErrorGroups.from_state(stored["errors"]) if stored.get("errors") is not None else None,
    )


def _state_to_json(state: State, writer: SharedWriter) -> dict[str, Any]:
    arrays = {name: writer.array(np.asarray(array)) for name, array in state.arrays.items()}
    return {"values": dict(state.values), "arrays": arrays}


def _state_from_json(stored: Any, reader: SharedReader) -> State:
    arrays = {name: reader.get(number, np.ndarray) for name, number in an_object(stored, "arrays").items()}
    return State(an_object(stored, "values"), arrays)


def _effects(stored: Mapping[str, Any], reader: SharedReader) -> LearnerEffects:
    from algorithms.evaluation.learner_effects import LearnerEffects  # not needed at the start

    return LearnerEffects.from_state(_state_from_json(stored, reader))


def _surrogate_to_json(found: SurrogateTree, writer: SharedWriter) -> dict[str, Any]:
    tree = None if found.trained is None else _trained_to_json(found.trained, writer)
    return {**_state_to_json(found.to_state(), writer), "tree": tree}


def _surrogate(stored: Mapping[str, Any], reader: SharedReader, registry: Registry, k: int) -> SurrogateTree:
    from algorithms.evaluation.surrogate_tree import SurrogateTree  # not needed at the start

    tree = None if stored.get("tree") is None else _trained_from_json(stored["tree"], reader, registry)
    return SurrogateTree.from_state(_state_from_json(stored, reader), k, tree)


def _importance_to_json(found: AttributeImportance, writer: SharedWriter) -> dict[str, Any]:
    n_groups = len(found.associations)
    return {
        "measures": [measure.id for measure in importance_measures()],
        "measure": found.measure.id,
        "planned": found.n_folds,
        "repeats": found.n_repeats,
        "test_share": found.test_share,
        "attributes": [name for names in found.changed[: len(found.changed) - n_groups] for name in names],
        "groups": [[least, *names] for names, least in found.associations.items()],
        "parts": writer.array(found.parts),
        "bases": writer.array(found.bases),
        "falls": writer.array(found.falls),
        "tallies": writer.array(found.tallies),
        "errors": [[number, sentence] for number, sentence in found.errors.items()],
        "failures": list(found.failures),
        "notes": list(found.notes),
    }


def _importance(stored: Mapping[str, Any], reader: SharedReader, *, is_dropped: bool) -> AttributeImportance | None:
    """The importances; None if a version with other measures wrote them."""
    if strings_in(stored, "measures") != [measure.id for measure in importance_measures()]:
        return None
    names, groups = strings_in(stored, "attributes"), a_list(stored, "groups")
    associations = {tuple(str(name) for name in group[1:]): float(group[0]) for group in groups}
    changed = (*((name,) for name in names), *associations)
    arrays = (
        _optional_array(stored[name], reader, "f8", n) for name, n in (("bases", 2), ("falls", 4), ("tallies", 2))
    )
    bases, falls, tallies = arrays
    parts = _optional_array(stored["parts"], reader, "i8", 1)
    repeats, planned, share = (
        an_integer(stored, "repeats"),
        an_integer(stored, "planned"),
        a_number(stored, "test_share"),
    )
    errors = {int(number): str(sentence) for number, sentence in a_list(stored, "errors")}
    if (
        falls.shape != (*bases.shape, len(changed), repeats)
        or not 1 <= len(bases) == len(parts) == len(tallies) == len(np.unique(parts)) <= planned
        or bases.shape[1] != len(importance_measures())
        or tallies.shape[1] < 4
        or not 0 <= int(parts.min()) <= int(parts.max()) < planned
        or len(set(changed)) != len(names) + len(groups)
        or share < 0
        or any(np.any(np.isinf(array) | (np.abs(array) > MOST_FALL)) for array in (bases, falls))
        or not np.all(np.isfinite(tallies))
        or a_text(stored, "measure") not in [measure.id for measure in importance_measures()]
        or not all(0 <= number < len(changed) for number in errors)
    ):
        raise ModelFileError(DAMAGED)
    return AttributeImportance(
        measure=MEASURES.get(a_text(stored, "measure")),
        is_dropped=is_dropped,
        n_folds=planned,
        n_repeats=repeats,
        test_share=share,
        changed=changed,
        associations=associations,
        parts=parts,
        bases=bases,
        falls=falls,
        tallies=tallies,
        errors=errors,
        failures=tuple(strings_in(stored, "failures")),
        notes=tuple(strings_in(stored, "notes")),
    )


def _members_to_json(members: MemberErrors, writer: SharedWriter) -> dict[str, Any]:
    return {
        "together": writer.array(members.together),
        "alone": writer.array(members.alone),
        "tested": members.tested,
        "parts": members.parts,
        "planned": members.planned,
        "method": members.method.to_json(),
    }


def _members(stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> MemberErrors:
    together, alone = (_optional_array(stored[name], reader, "f8", 1) for name in ("together", "alone"))
    errors = np.concatenate([together, alone])
    errors = errors[np.isfinite(errors)]
    if not len(together) or len(together) != len(alone) or np.any((errors < 0) | (errors > 1 + 1e-9)):
        raise ModelFileError(DAMAGED)
    return MemberErrors(
        together,
        alone,
        a_number(stored, "tested"),
        an_integer(stored, "parts"),
        an_integer(stored, "planned"),
        configurable_from(Method, stored["method"], registry),
    )


def _leaning_to_json(leaning: BiasVariance, writer: SharedWriter) -> dict[str, Any]:
    """Bias and variance as JSON values; decision counts are stored, from which the shares follow exactly."""
    counts = np.rint(leaning.decomposition.shares * leaning.sets).astype(np.uint32)
    values: dict[str, Any] = {
        "counts": writer.array(counts.astype(np.uint16) if leaning.sets < 1 << 16 else counts),
        "truth": writer.array(leaning.decomposition.truth),
        "sets": leaning.sets,
        "planned": leaning.planned,
        "records": leaning.records,
    }
    if leaning.plane is not None:
        axes = (leaning.plane.across, leaning.plane.up)
        values["plane"] = [[axis.index, axis.low, axis.high] for axis in axes]
    if leaning.ground is not None:
        arrays = leaning.ground.decision, leaning.ground.probability
        values["ground"] = [writer.array(array) for array in arrays]
    for name, codes in (("best", leaning.best), ("best_drawn", leaning.best_drawn)):
        if codes is not None:
            values[name] = writer.array(codes)
    return values


def _leaning(stored: Mapping[str, Any], reader: SharedReader, k: int, n_attributes: int) -> BiasVariance:
    sets, truth = an_integer(stored, "sets"), _codes(stored["truth"], reader, k, 1)
    counts = _optional_array(stored["counts"], reader, "u", 2)
    if counts.shape != (len(truth), k) or sets < 1 or not np.all(counts.sum(axis=1, dtype=np.int64) == sets):
        raise ModelFileError(DAMAGED)
    shares = counts.astype(np.float64) / sets
    plane = None
    if "plane" in stored:
        across, up = (RegionAxis(int(i), float(low), float(high)) for i, low, high in a_list(stored, "plane"))
        if not all(0 <= axis.index < n_attributes for axis in (across, up)):
            raise ModelFileError(DAMAGED)
        plane = BoundaryPlane(across, up)
    ground = None
    if "ground" in stored:
        decision, probability = a_list(stored, "ground")
        ground = Regions(_codes(decision, reader, k, 2), _optional_array(probability, reader, "f4", 2))
        if ground.decision.shape != ground.probability.shape or plane is None:
            raise ModelFileError(DAMAGED)
    best, drawn = (_codes(stored[name], reader, k, 2) if name in stored else None for name in ("best", "best_drawn"))
    main = counts.argmax(axis=1).astype(np.int32)
    decomposition = Decomposition(shares, main, truth)
    records, planned = an_integer(stored, "records"), an_integer(stored, "planned")
    return BiasVariance(decomposition, sets, planned, records, plane, ground, best, drawn)


def _optional_array(number: Any, reader: SharedReader, kind: str, n_dimensions: int) -> NDArray[Any]:
    """The array with this number, of this type ("u": unsigned integers of any width) and dimension."""
    array: NDArray[Any] = reader.get(number, np.ndarray)
    fits = array.dtype.kind == "u" if kind == "u" else array.dtype == np.dtype(kind)
    if not fits or array.ndim != n_dimensions:
        raise ModelFileError(DAMAGED)
    return array


def _codes(number: Any, reader: SharedReader, k: int, n_dimensions: int) -> NDArray[np.int32]:
    codes = _optional_array(number, reader, "i4", n_dimensions)
    if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < k:
        raise ModelFileError("The file is damaged: a run speaks of a class that is none.")
    return codes


_ARRAYS: Final = {
    "row_ids": "i8",
    "repeats": "i4",
    "folds": "i4",
    "truth": "i4",
    "decision": "i4",
    "probabilities": "f8",
    "weights": "f8",
}


def recipe_to_json(recipe: Recipe) -> list[dict[str, Any]]:
    return [step.to_json() for step in recipe]


def recipe_from_json(stored: Any, name: str, registry: Registry) -> Recipe:
    return tuple(configurable_from(Filter, step, registry) for step in a_list(stored, name))


def steps_to_json(steps: Steps) -> dict[str, Any]:
    """The recipe, and the disabled steps with their places among all steps."""
    aside = [{"place": place, "step": step.filter.to_json()} for place, step in enumerate(steps) if not step.on]
    return {"recipe": recipe_to_json(recipe_of(steps)), **({"aside": aside} if aside else {})}


def steps_from_json(stored: Mapping[str, Any], registry: Registry) -> Steps:
    steps = [RecipeStep(filter) for filter in recipe_from_json(stored, "recipe", registry)]
    aside = [
        (an_integer(each, "place"), configurable_from(Filter, an_object(each, "step"), registry))
        for each in (a_list(stored, "aside") if "aside" in stored else ())
    ]
    for place, filter in sorted(aside, key=itemgetter(0)):
        steps.insert(place, RecipeStep(filter, on=False))
    return tuple(steps)


def run_to_json(run: RunRecord, writer: SharedWriter) -> dict[str, Any]:
    """A run as JSON values; arrays and data sets are referenced by their numbers in ``writer``."""
    return {
        "number": run.number,
        "learner": run.learner.to_json(),
        "method": run.method.to_json(),
        "recipe": recipe_to_json(run.recipe),
        "seed": run.seed,
        "data_name": run.data_name,
        "data": writer.data(run.data),
        "state": run.state,
        "result": None if run.result is None else _result_to_json(run.result, writer),
        "trained": None if run.trained is None else _trained_to_json(run.trained, writer),
        "folds": _folds_to_json(run.folds, writer),
        "note": run.note,
        "message": run.message,
        "seconds": run.seconds,
        **({} if run.choice is None else {"choice": choice_to_json(run.choice)}),
        **({} if run.shuffle is None else {"shuffle": shuffle_to_json(run.shuffle, writer)}),
        **({"sweeps": sweeps_to_json(run.sweeps, writer)} if run.sweeps else {}),
        **({} if run.findings is None else {"findings": findings_to_json(run.findings, writer)}),
        **({"parts": parts_to_json(run.parts, run.seed, writer)} if run.parts else {}),
    }


def shuffle_to_json(test: ShuffleTest | None, writer: SharedWriter) -> dict[str, Any] | None:
    """A permutation test as JSON values; its scores are referenced by number."""
    if test is None:
        return None
    every = {id: {"own": own, "scores": writer.array(scores)} for id, (own, scores) in test.every.items()}
    return {
        "own": test.own,
        "planned": test.planned,
        "scores": writer.array(test.scores),
        "measure": test.measure,
        "every": every,
    }


def shuffle_from_json(stored: Any, reader: SharedReader) -> ShuffleTest | None:
    """The permutation test, of accuracy alone in older files; raises one of ``NONSENSE`` or :class:`CoppiceError`."""
    if stored is None:
        return None
    measure, every = stored.get("measure", ACCURACY), dict(stored.get("every", {}))
    measures = [measure_kind.id for measure_kind in of_permutation_test()]
    if measure not in measures or set(every) - set(measures):
        raise ModelFileError("The file is damaged: a permutation test has a measure that there is not.")
    own, scores = _scores_from_json(stored, measure, reader)
    scores_by_measure = {id: _scores_from_json(every[id], id, reader) for id in measures if id in every}
    if any(len(of) != len(scores) for _, of in scores_by_measure.values()):
        raise ModelFileError("The file is damaged: a permutation test has scores of different numbers of tables.")
    return ShuffleTest(own, scores, an_integer(stored, "planned"), measure, scores_by_measure)


def _scores_from_json(stored: Any, measure: str, reader: SharedReader) -> tuple[float, FloatArray]:
    scores: FloatArray = reader.get(stored["scores"], np.ndarray)
    least = MEASURES.get(measure).lowest
    if scores.dtype != np.float64 or scores.ndim != 1 or not np.all((scores >= least) & (scores <= 1)):
        raise ModelFileError("The file is damaged: a permutation test has no scores of its measure.")
    return a_number(stored, "own"), scores


def run_from_json(stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> RunRecord:
    """The run from its JSON form; raises :class:`CoppiceError` or one of ``NONSENSE``."""
    learner = configurable_from(Learner, stored["learner"], registry)
    method = configurable_from(Method, stored["method"], registry)
    recipe = recipe_from_json(stored, "recipe", registry)
    result, trained = stored.get("result"), stored.get("trained")
    data, seed = reader.get(stored.get("data"), Dataset), an_integer(stored, "seed")
    return RunRecord(
        number=an_integer(stored, "number"),
        learner=learner,
        method=method,
        recipe=recipe,
        seed=seed,
        data_name=a_text(stored, "data_name"),
        data=data,
        state=_state(stored),
        result=None if result is None else _result_from_json(result, reader, learner, method, recipe),
        trained=None if trained is None else _trained_from_json(trained, reader, registry),
        folds=_folds_from_json(an_object(stored, "folds"), reader),
        note=a_text(stored, "note"),
        message=a_text(stored, "message"),
        seconds=a_number(stored, "seconds"),
        choice=choice_from_json(stored.get("choice")),
        shuffle=shuffle_from_json(stored.get("shuffle"), reader),
        sweeps=sweeps_from_json(stored.get("sweeps"), reader, registry),
        findings=findings_from_json(stored.get("findings"), reader, registry, n_classes_of(data), len(data.schema)),
        parts=parts_from_json(stored["parts"], seed, len(data.schema.classes), reader) if stored.get("parts") else {},
    )


def _state(stored: Mapping[str, Any]) -> RunState:
    """The state of the run; an unknown state of a newer version counts as stopped."""
    state = a_text(stored, "state")
    return RunState(state) if state in tuple(RunState) else RunState.STOPPED


# ---- results ---------------------------------------------------------------------------------------------------------


def _result_to_json(result: EvaluationResult, writer: SharedWriter) -> dict[str, Any]:
    arrays = {name: getattr(result, name) for name in _ARRAYS}
    return {
        "seed": result.seed,
        "schema": writer.schema(result.schema),
        "arrays": {name: writer.array(array) for name, array in arrays.items() if array is not None},
        "baseline_class": result.baseline_class,
        "n_training": result.n_training,
        "n_without_class": result.n_without_class,
        "test_is_training": result.test_is_training,
        "n_folds": result.n_folds,
        "timings": {"fit": result.timings.fit, "predict": result.timings.predict, "load": result.timings.load},
        "failures": [[f.repeat, f.fold, f.sentence] for f in result.failures],
        "partial": result.partial,
        "resubstitution": None if result.resubstitution is None else writer.array(result.resubstitution),
        "warnings": list(result.warnings),
        "marks": list(result.marks),
        "searches": [search_to_json(search, lambda _, array: writer.array(array)) for search in result.searches],
    }


def archived_result(result: EvaluationResult, checkpoint: Callable[[], object] = int) -> ArchiveContent:
    """A result without learner, method and recipe, as the content of an archive of its own."""
    sink = CollectingSink()
    values = _result_to_json(result, SharedWriter(sink, checkpoint))
    return ArchiveContent({"entries": sink.entries, "result": values}, sink.arrays)


def result_of_archive(content: ArchiveContent, learner: Learner, method: Method, recipe: Recipe) -> EvaluationResult:
    """The result of :func:`archived_result`; raises :class:`CoppiceError` or one of ``NONSENSE``."""
    reader = SharedReader()
    read_collected(a_list(content.values, "entries"), content.arrays, reader, reader.definition)
    return _result_from_json(an_object(content.values, "result"), reader, learner, method, recipe)


def _result_from_json(
    stored: Any, reader: SharedReader, learner: Learner, method: Method, recipe: Recipe
) -> EvaluationResult:
    schema = reader.get(stored.get("schema"), Schema)
    timings = an_object(stored, "timings")
    return EvaluationResult(
        learner=learner,
        method=method,
        recipe=recipe,
        seed=an_integer(stored, "seed"),
        schema=schema,
        classes=schema.classes,
        **_tested(an_object(stored, "arrays"), reader, len(schema.classes)),
        baseline_class=_code(stored, "baseline_class", len(schema.classes)),
        n_training=an_integer(stored, "n_training"),
        n_without_class=an_integer(stored, "n_without_class"),
        test_is_training=a_flag(stored, "test_is_training"),
        n_folds=an_integer(stored, "n_folds"),
        timings=PhaseSeconds(a_number(timings, "fit"), a_number(timings, "predict"), a_number(timings, "load")),
        failures=tuple(FoldFailure(int(r), int(f), str(s)) for r, f, s in a_list(stored, "failures")),
        partial=a_flag(stored, "partial"),
        resubstitution=resubstitution_from_json(stored, reader, len(schema.classes)),
        warnings=tuple(strings_in(stored, "warnings")),
        marks=tuple(strings_in(stored, "marks")),
        searches=tuple(
            search_from_json(search, lambda number: reader.get(number, np.ndarray))
            for search in stored.get("searches", ())
        ),
    )


def resubstitution_from_json(stored: Any, reader: SharedReader, k: int) -> FloatArray | None:
    """The confusion matrix (k, k) on the training records; older files have only its accuracy."""
    if stored.get("resubstitution") is not None:
        matrix: FloatArray = reader.get(stored["resubstitution"], np.ndarray)
        if matrix.dtype != np.float64 or matrix.shape != (k, k) or not np.all(matrix >= 0) or not matrix.sum() > 0:
            raise ModelFileError("The file is damaged: a run does not say how it fits its training records.")
        return matrix
    if stored.get("resubstitution_accuracy") is None:
        return None
    share = a_number(stored, "resubstitution_accuracy")
    matrix = np.zeros((k, k))
    matrix[0, 0], matrix[0, -1] = share, 1 - share
    return matrix


def _code(stored: Any, name: str, k: int) -> int:
    code = an_integer(stored, name)
    if not 0 <= code < k:
        raise ModelFileError("The file is damaged: a run speaks of a class that is none.")
    return code


def _tested(numbers: Mapping[str, Any], reader: SharedReader, k: int) -> dict[str, Any]:
    """The arrays over the m tested records, checked for type, equal length, and codes below ``k``."""
    tested: dict[str, NDArray[Any]] = {}
    for name, number in numbers.items():
        tested[name] = reader.get(number, np.ndarray)
        if tested[name].dtype not in (np.dtype(_ARRAYS[name]), np.dtype(SINGLE.get(name, _ARRAYS[name]))):
            raise ModelFileError("The file is damaged: the records of a run are not numbers of their kind.")
    m = len(reader.column(numbers.get("truth")))
    for name, array in tested.items():
        if array.shape != ((m, k) if name == "probabilities" else (m,)):
            raise ModelFileError("The file is damaged: the records of a run do not fit together.")
    for name in ("truth", "decision"):
        codes = reader.column(numbers.get(name))
        if m and not 0 <= int(codes.min()) <= int(codes.max()) < k:
            raise ModelFileError("The file is damaged: a run speaks of a class that is none.")
    if not are_probabilities(tested["probabilities"]):
        raise ModelFileError("The file is damaged: the probabilities of a run are none.")
    weights = tested.get("weights", np.zeros(0))
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ModelFileError("The file is damaged: the records of a run have weights that are none.")
    return {name: tested.get(name) if name == "weights" else tested[name] for name in _ARRAYS}


# ---- models and folds ------------------------------------------------------------------------------------------------


def _trained_to_json(trained: TrainedClassifier, writer: SharedWriter) -> dict[str, Any]:
    content = content_of(trained)
    return _state_to_json(State(content.values, content.arrays), writer)


def _trained_from_json(stored: Any, reader: SharedReader, registry: Registry) -> TrainedClassifier:
    state = _state_from_json(stored, reader)
    return trained_of(ArchiveContent(state.values, state.arrays), registry)


def _folds_to_json(folds: Sequence[FoldDone], writer: SharedWriter) -> dict[str, Any]:
    numbers = [(f.index, f.n_folds, f.repeat, f.fold, f.n_tested, f.n_right) for f in folds]
    table = np.array(numbers, dtype=np.int64).reshape(len(folds), 6)
    failed = [[row, fold.failed] for row, fold in enumerate(folds) if fold.failed is not None]
    weighted = [[row, asdict(fold.weights)] for row, fold in enumerate(folds) if fold.weights is not None]
    return {"table": writer.array(table), "failed": failed, **({"weights": weighted} if weighted else {})}


def _fold_weights(stored: Any) -> FoldWeights:
    weights = FoldWeights(*(a_number(stored, name) for name in ("tested", "right", "squares")))
    if not (0 <= weights.right <= weights.tested and weights.squares >= 0):
        raise ModelFileError("The file is damaged: the weights of a fold do not fit.")
    return weights


def _folds_from_json(stored: Mapping[str, Any], reader: SharedReader) -> tuple[FoldDone, ...]:
    table = reader.get(stored.get("table"), np.ndarray)
    if table.dtype != np.int64 or table.ndim != 2 or table.shape[1] != 6:
        raise ModelFileError("The file is damaged: the folds of a run are none.")
    failed = {int(row): str(why) for row, why in a_list(stored, "failed")}
    if not np.all((table[:, 5] >= 0) & (table[:, 5] <= table[:, 4])):
        raise ModelFileError("The file is damaged: more records of a fold are right than were tested.")
    weights = {int(row): _fold_weights(sums) for row, sums in stored.get("weights", [])}
    return tuple(
        FoldDone(index, n_folds, repeat, fold, n_tested, n_right, failed.get(row), weights.get(row))
        for row, (index, n_folds, repeat, fold, n_tested, n_right) in enumerate(table.tolist())
    )
