"""A project with a bit of everything, and the question whether another one says the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.core.filters import RecipeStep, Steps
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.curves.learning_curves import ErrorCurve, Sweep
from algorithms.evaluation.methods.methods import Bootstrap632Plus, CrossValidation
from algorithms.evaluation.runner import FoldDone, FoldWeights, evaluate, train
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import Scale
from algorithms.io.text.options import ReadOptions
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.project.changes import Project
from algorithms.project.run_record import (
    ComparisonMember,
    ComparisonRecord,
    Document,
    DocumentStep,
    RunRecord,
    RunState,
    TableSource,
)


def table(n: int = 60) -> Dataset:
    random = np.random.default_rng(3)
    names = np.array([f"Zoë {i}" if i % 7 else np.nan for i in range(n)], dtype=object)
    attributes = (
        numeric("size"),
        nominal("class", ["a", "b", "c"]),
        Attribute("name", AttributeKind.TEXT),
        Attribute("day", AttributeKind.DATE),
    )
    size = np.where(np.arange(n) % 9 == 4, np.nan, np.arange(n) % 3 + random.normal(0, 0.2, n))
    columns = [size, np.arange(n) % 3, names, np.arange(n) * 86400.0]
    return Dataset(Schema(attributes, 1), columns, origin=DataOrigin("made", "/nowhere/made.csv", marks=("A mark.",)))


def step(text: str, data: Dataset, steps: Steps = (), costs: CostMatrix | None = None) -> DocumentStep:
    return DocumentStep(text, Document(data, steps, costs=costs))


def steps() -> list[DocumentStep]:
    """The table, and a history of every way in which a data set is made from another."""
    data, many = table(), tuple(f"value {i}" for i in range(400))
    found = [step("", data)]

    def add(text: str, made: Dataset) -> Dataset:
        found.append(step(text, made, found[-1].document.steps))
        return made

    data = add("Change a cell", data.with_cells(0, [3, 5], [np.nan, 7.5]))
    data = add("Change a name", data.with_cells(2, [1], np.array(["ß\t\n"], dtype=np.dtypes.StringDType())))
    data = add("Add records", data.with_new_rows(2).with_cells(1, [60, 61], [0, 2]))
    data = add("Keep some", data.take(np.arange(62) % 5 != 0))
    data = add("Repeat some", data.take([0, 0, *range(len(data))]))
    data = add("Weigh", data.with_weights(np.linspace(0, 2, len(data))))
    codes = np.arange(len(data)) % 401 - 1
    data = add("New column", data.with_new_column(nominal("many", many), codes, at=1))
    data = add("Another kind", data.with_column(3, nominal("name", ["x", "y"]), codes % 2))
    data = add("Leave a column out", data.select_columns([0, 1, 2, 4]))
    schema = data.schema.with_attribute(0, replace(data.schema.attributes[0], used=False))
    data = add("Do not use size", data.with_schema(schema))
    data = add("Predict nothing", data.with_class(None))
    found.append(step("Impute missing values", data, (RecipeStep(Scale(), on=False), RecipeStep(ReplaceMissing()))))
    return found


FOUR_FOLDS = CrossValidation(folds=4)


def run(
    number: int, learner: Learner, data: Dataset, state: RunState = RunState.DONE, method: Method = FOUR_FOLDS
) -> RunRecord:
    context = RunContext(seed=5)
    recipe = (ReplaceMissing(),)
    result = evaluate(learner, data, method, context, recipe=recipe)
    weights = (None, FoldWeights(30.5, 24.25, 80.0), None, None)
    folds = tuple(FoldDone(i, 4, 0, i, 15, 12, "It failed." if i == 2 else None, weights[i]) for i in range(4))
    return RunRecord(
        number=number,
        learner=learner,
        method=method,
        recipe=recipe,
        seed=5,
        data_name="made",
        data=data,
        state=state,
        result=result,
        trained=train(learner, data, recipe, RunContext(seed=5)),
        folds=folds,
        note="Is it the size?",
        seconds=1.25,
        sweeps=curves(),
    )


def curves() -> dict[tuple[str, str], Sweep]:
    """A whole learning curve, and one over words of which little was judged."""
    errors = np.array([[0.5, 0.25], [0.25, 0.125]])
    sizes = Sweep(
        "Training records", ("10", "40"), np.array([10.0, 40.0]), True, (ErrorCurve("test", errors),), FOUR_FOLDS, 5
    )
    begun = np.array([[0.5, np.nan], [np.nan, np.nan]])
    words = Sweep(
        "Cuts", ("each as wide", "none"), np.arange(2.0), False, (ErrorCurve("test", begun),), FOUR_FOLDS, 5, ("No.",)
    )
    return {("", ""): sizes, ("recipe.1.by", "equal-width,class"): words}


def project() -> Project:
    made = Project(steps=steps(), index=9)
    first = made.steps[0].document.data
    options = ReadOptions(delimiter=";", missing=("", "?"), kinds={"name": AttributeKind.TEXT}, header=True)
    made.source = TableSource(
        "/nowhere/made.csv", 120, 77, "a;b\n1;2\n", options, replace(options, decimal=",", timeout=12.5, widths=(3, 4))
    )
    stopped = RunRecord(
        3, ZeroR(), CrossValidation(), (), 1, "made", made.steps[1].document.data, RunState.STOPPED, message="Why."
    )
    made.runs = {
        1: run(1, ZeroR(), first, method=Bootstrap632Plus(samples=4)),
        2: run(2, C45(min_leaf=3.0), made.steps[1].document.data),
        3: stopped,
    }
    made.runs[1] = replace(made.runs[1], choice=AtThreshold("b", 0.125))
    made.runs[2] = replace(made.runs[2], choice=ByCost())
    made.tried = ComparisonRecord(
        (ComparisonMember("ZeroR (majority class)", 0, 1), ComparisonMember("Some tree", 3, 2)),
        "Stopped.",
        waiting=((4, C45(min_leaf=5.0)),),
        time_limit=2.5,
    )
    made.ledger, made.view = [2, 3], 2
    made.interest = {"class": "b"}
    costs = CostMatrix(("a", "b", "c"), ((0, 1, 2), (3.5, 0, 1), (1, 1, 0)), "EUR")
    made.steps = [DocumentStep(text, replace(document, costs=costs)) for text, document in made.steps]
    made.place = {"tab": "Classify", "ledger": True}
    return made


def assert_same_data(found: Dataset, wanted: Dataset) -> None:
    """Bit for bit, kinds and names and all."""
    assert found.schema == wanted.schema and found.origin == wanted.origin
    np.testing.assert_array_equal(found.row_ids, wanted.row_ids)
    np.testing.assert_array_equal(found.positions, wanted.positions)
    np.testing.assert_array_equal(found.weight_array, wanted.weight_array)
    for index in range(len(wanted.schema)):
        ours, theirs = found.column(index), wanted.column(index)
        assert ours.dtype == theirs.dtype and not ours.flags.writeable
        np.testing.assert_array_equal(ours, theirs)


def assert_same_run(found: RunRecord, wanted: RunRecord) -> None:
    for name in ("number", "learner", "method", "recipe", "seed", "data_name", "state", "folds", "note", "message"):
        assert getattr(found, name) == getattr(wanted, name), name
    assert found.choice == wanted.choice
    assert list(found.sweeps) == list(wanted.sweeps)
    for ours, theirs in zip(found.sweeps.values(), wanted.sweeps.values(), strict=True):
        for name in ("what", "values", "is_number", "method", "seed", "failures"):
            assert getattr(ours, name) == getattr(theirs, name), name
        np.testing.assert_array_equal(ours.places, theirs.places)
        for line, other in zip(ours.lines, theirs.lines, strict=True):
            assert line.name == other.name
            np.testing.assert_array_equal(line.errors, other.errors)
    assert found.seconds == wanted.seconds
    assert_same_data(found.data, wanted.data)
    assert (found.result is None) == (wanted.result is None) and (found.trained is None) == (wanted.trained is None)
    if found.result is not None and wanted.result is not None:
        for name in ("row_ids", "repeats", "folds", "truth", "decision", "probabilities", "weights"):
            np.testing.assert_array_equal(getattr(found.result, name), getattr(wanted.result, name))
        for name in ("schema", "classes", "seed", "timings", "failures", "warnings", "marks", "n_folds", "n_training"):
            assert getattr(found.result, name) == getattr(wanted.result, name), name
        assert found.result.baseline_class == wanted.result.baseline_class
        assert found.result.estimate == wanted.result.estimate
    if found.trained is not None and wanted.trained is not None:
        np.testing.assert_array_equal(
            found.trained.predict_proba(wanted.data), wanted.trained.predict_proba(wanted.data)
        )
        np.testing.assert_array_equal(found.trained.predict(wanted.data), wanted.trained.predict(wanted.data))
        assert found.trained.created == wanted.trained.created


def assert_same(found: Project, wanted: Project) -> None:
    """Everything but the file's name."""
    assert [step.text for step in found.steps] == [step.text for step in wanted.steps]
    for ours, theirs in zip(found.steps, wanted.steps, strict=True):
        assert (ours.document.steps, ours.document.costs) == (theirs.document.steps, theirs.document.costs)
    for ours, theirs in zip(found.steps, wanted.steps, strict=True):
        assert_same_data(ours.document.data, theirs.document.data)
    assert found.index == wanted.index
    assert vars(found.source) == vars(wanted.source)
    assert list(found.runs) == list(wanted.runs) and found.ledger == wanted.ledger and found.view == wanted.view
    for number in wanted.runs:
        assert_same_run(found.runs[number], wanted.runs[number])
    assert found.interest == wanted.interest and found.place == wanted.place
    assert found.tried == wanted.tried and found.remarks == wanted.remarks
