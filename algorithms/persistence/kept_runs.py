"""Runs of the ledger on disk: what was judged and how, every tested record, the model, the note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.context import Kept
from algorithms.core.data import Dataset
from algorithms.core.errors import ModelFileError
from algorithms.core.filters import Filter, Recipe
from algorithms.core.learner import Learner
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.core.schema import Schema
from algorithms.core.steps import Aside
from algorithms.core.trained import TrainedClassifier
from algorithms.evaluation.choices import Choice
from algorithms.evaluation.result import EvaluationResult, Failure, Timings
from algorithms.evaluation.runner import FoldDone, FoldWeights
from algorithms.evaluation.shuffling import ACCURACY, MEASURES, ShuffleTest
from algorithms.persistence.archive import Content
from algorithms.persistence.choices import choice_from_json, choice_to_json
from algorithms.persistence.findings import Findings, findings_from_json, findings_to_json, n_classes_of
from algorithms.persistence.judged_parts import SINGLE, are_shares, parts_from_json, parts_to_json
from algorithms.persistence.models import configurable_from, content_of, trained_of
from algorithms.persistence.searches import search_from_json, search_to_json
from algorithms.persistence.shared import Reader, Writer
from algorithms.persistence.stored import a_flag, a_list, a_number, a_text, an_integer, an_object, strings_in
from algorithms.persistence.sweeps import Sweeps, sweeps_from_json, sweeps_to_json

_ARRAYS: Final = {
    "row_ids": "i8",
    "repeats": "i4",
    "folds": "i4",
    "truth": "i4",
    "decision": "i4",
    "probabilities": "f8",
    "weights": "f8",
}


@dataclass(frozen=True, eq=False)
class KeptRun:
    """One run as it was at some moment; ``state`` is one of the window's words for how far it is."""

    number: int
    learner: Learner
    method: Method
    recipe: Recipe
    seed: int
    data_name: str
    data: Dataset
    state: str
    result: EvaluationResult | None = None
    trained: TrainedClassifier | None = None
    folds: tuple[FoldDone, ...] = ()
    note: str = ""
    message: str = ""
    seconds: float = 0.0
    choice: Choice | None = None
    """What a person decided by in place of the model."""
    shuffle: ShuffleTest | None = None
    sweeps: Sweeps = field(default_factory=dict)
    """Its learning and complexity curves, as far as they were drawn."""
    findings: Findings | None = None
    """How its members err and where its error comes from, as far as somebody asked."""
    parts: Kept = field(default_factory=dict)
    """What was judged of it when it was stopped, for the same run started once more."""


def recipe_to_json(recipe: Recipe) -> list[dict[str, Any]]:
    return [step.to_json() for step in recipe]


def recipe_from_json(stored: Any, name: str, registry: Registry) -> Recipe:
    return tuple(configurable_from(Filter, step, registry) for step in a_list(stored, name))


def aside_to_json(aside: Sequence[Aside]) -> list[dict[str, Any]]:
    return [{"place": each.place, "step": each.filter.to_json()} for each in aside]


def aside_from_json(stored: Sequence[Any], registry: Registry) -> tuple[Aside, ...]:
    return tuple(
        Aside(an_integer(each, "place"), configurable_from(Filter, an_object(each, "step"), registry))
        for each in stored
    )


def run_to_json(run: KeptRun, writer: Writer) -> dict[str, Any]:
    """A run as JSON values, its arrays and data sets by their numbers."""
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


def shuffle_to_json(test: ShuffleTest | None, writer: Writer) -> dict[str, Any] | None:
    """A shuffle test, its scores by their number."""
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


def shuffle_from_json(stored: Any, reader: Reader) -> ShuffleTest | None:
    """The test again, of older files by accuracy alone; raises one of ``NONSENSE`` or :class:`CoppiceError`."""
    if stored is None:
        return None
    measure, every = stored.get("measure", ACCURACY), dict(stored.get("every", {}))
    if measure not in MEASURES or set(every) - set(MEASURES):
        raise ModelFileError("The file is damaged: a shuffle test has a measure that there is not.")
    own, scores = _scores_from_json(stored, measure, reader)
    found = {id: _scores_from_json(every[id], id, reader) for id in MEASURES if id in every}
    if any(len(of) != len(scores) for _, of in found.values()):
        raise ModelFileError("The file is damaged: a shuffle test has scores of different numbers of tables.")
    return ShuffleTest(own, scores, an_integer(stored, "planned"), measure, found)


def _scores_from_json(stored: Any, measure: str, reader: Reader) -> tuple[float, FloatArray]:
    scores: FloatArray = reader.get(stored["scores"], np.ndarray)
    least = MEASURES[measure].least
    if scores.dtype != np.float64 or scores.ndim != 1 or not np.all((scores >= least) & (scores <= 1)):
        raise ModelFileError("The file is damaged: a shuffle test has no scores of its measure.")
    return a_number(stored, "own"), scores


def run_from_json(stored: Mapping[str, Any], reader: Reader, registry: Registry) -> KeptRun:
    """The run again; raises :class:`CoppiceError` or one of ``NONSENSE``."""
    learner = configurable_from(Learner, stored["learner"], registry)
    method = configurable_from(Method, stored["method"], registry)
    recipe = recipe_from_json(stored, "recipe", registry)
    result, trained = stored.get("result"), stored.get("trained")
    data, seed = reader.get(stored.get("data"), Dataset), an_integer(stored, "seed")
    return KeptRun(
        number=an_integer(stored, "number"),
        learner=learner,
        method=method,
        recipe=recipe,
        seed=seed,
        data_name=a_text(stored, "data_name"),
        data=data,
        state=a_text(stored, "state"),
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


# ---- results ---------------------------------------------------------------------------------------------------------


def _result_to_json(result: EvaluationResult, writer: Writer) -> dict[str, Any]:
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
        "searches": [search_to_json(each, lambda _, array: writer.array(array)) for each in result.searches],
    }


def _result_from_json(
    stored: Any, reader: Reader, learner: Learner, method: Method, recipe: Recipe
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
        timings=Timings(a_number(timings, "fit"), a_number(timings, "predict"), a_number(timings, "load")),
        failures=tuple(Failure(int(r), int(f), str(s)) for r, f, s in a_list(stored, "failures")),
        partial=a_flag(stored, "partial"),
        resubstitution=resubstitution_from_json(stored, reader, len(schema.classes)),
        warnings=tuple(strings_in(stored, "warnings")),
        marks=tuple(strings_in(stored, "marks")),
        searches=tuple(
            search_from_json(each, lambda number: reader.get(number, np.ndarray)) for each in stored.get("searches", ())
        ),
    )


def resubstitution_from_json(stored: Any, reader: Reader, k: int) -> FloatArray | None:
    """The matrix (k, k) of the model on its own training records; older files have but the share on its diagonal."""
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


def _tested(numbers: Mapping[str, Any], reader: Reader, k: int) -> dict[str, Any]:
    """The arrays over the m tested records, of one length and their types, codes below ``k``."""
    found: dict[str, NDArray[Any]] = {}
    for name, number in numbers.items():
        found[name] = reader.get(number, np.ndarray)
        if found[name].dtype not in (np.dtype(_ARRAYS[name]), np.dtype(SINGLE.get(name, _ARRAYS[name]))):
            raise ModelFileError("The file is damaged: the records of a run are not numbers of their kind.")
    m = len(reader.column(numbers.get("truth")))
    for name, array in found.items():
        if array.shape != ((m, k) if name == "probabilities" else (m,)):
            raise ModelFileError("The file is damaged: the records of a run do not fit together.")
    for name in ("truth", "decision"):
        codes = reader.column(numbers.get(name))
        if m and not 0 <= int(codes.min()) <= int(codes.max()) < k:
            raise ModelFileError("The file is damaged: a run speaks of a class that is none.")
    if not are_shares(found["probabilities"]):
        raise ModelFileError("The file is damaged: the probabilities of a run are none.")
    weights = found.get("weights", np.zeros(0))
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ModelFileError("The file is damaged: the records of a run have weights that are none.")
    return {name: found.get(name) if name == "weights" else found[name] for name in _ARRAYS}


# ---- models and folds ------------------------------------------------------------------------------------------------


def _trained_to_json(trained: TrainedClassifier, writer: Writer) -> dict[str, Any]:
    content = content_of(trained)
    arrays = {name: writer.array(np.asarray(array)) for name, array in content.arrays.items()}
    return {"values": dict(content.values), "arrays": arrays}


def _trained_from_json(stored: Any, reader: Reader, registry: Registry) -> TrainedClassifier:
    arrays = {name: reader.get(number, np.ndarray) for name, number in an_object(stored, "arrays").items()}
    return trained_of(Content(an_object(stored, "values"), arrays), registry)


def _folds_to_json(folds: tuple[FoldDone, ...], writer: Writer) -> dict[str, Any]:
    numbers = [(f.index, f.n_folds, f.repeat, f.fold, f.n_tested, f.n_right) for f in folds]
    table = np.array(numbers, dtype=np.int64).reshape(len(folds), 6)
    failed = [[at, fold.failed] for at, fold in enumerate(folds) if fold.failed is not None]
    weighted = [[at, asdict(fold.weights)] for at, fold in enumerate(folds) if fold.weights is not None]
    return {"table": writer.array(table), "failed": failed, **({"weights": weighted} if weighted else {})}


def _fold_weights(stored: Any) -> FoldWeights:
    found = FoldWeights(*(a_number(stored, name) for name in ("tested", "right", "squares")))
    if not (0 <= found.right <= found.tested and found.squares >= 0):
        raise ModelFileError("The file is damaged: the weights of a fold do not fit.")
    return found


def _folds_from_json(stored: Mapping[str, Any], reader: Reader) -> tuple[FoldDone, ...]:
    table = reader.get(stored.get("table"), np.ndarray)
    if table.dtype != np.int64 or table.ndim != 2 or table.shape[1] != 6:
        raise ModelFileError("The file is damaged: the folds of a run are none.")
    failed = {int(at): str(why) for at, why in a_list(stored, "failed")}
    if not np.all((table[:, 5] >= 0) & (table[:, 5] <= table[:, 4])):
        raise ModelFileError("The file is damaged: more records of a fold are right than were tested.")
    weights = {int(at): _fold_weights(sums) for at, sums in stored.get("weights", [])}
    return tuple(
        FoldDone(index, n_folds, repeat, fold, n_tested, n_right, failed.get(at), weights.get(at))
        for at, (index, n_folds, repeat, fold, n_tested, n_right) in enumerate(table.tolist())
    )
