"""Saved models: predictions bit for bit, and no file that can do harm."""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.cli.sources import with_class
from algorithms.core.errors import AbsentColumnsError, DataError, ModelFileError
from algorithms.core.record_costs import RecordCosts
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.core.scores import cheapest_decisions
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, DecisionRule
from algorithms.evaluation.runner import train
from algorithms.filters.arrange_attributes import RemoveAttributes
from algorithms.filters.discretize import discretize_column
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.io.reading import read
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.project import archive
from algorithms.project.archive import ArchiveContent
from algorithms.project.models import (
    decision_rule_from_json,
    decision_rule_to_json,
    load_model,
    save_model,
    schema_from_json,
    schema_to_json,
)
from tests.algorithms.evaluation.toys import Centre, Means, NearestMean, two_classes
from tests.algorithms.project.damaged_models import few
from tests.expected_texts import core as core_wording
from tests.expected_texts import project as wording

REGISTRY = builtin()
LABELS = ("a", "b")


def mixed(n: int = 300, seed: int = 4) -> Dataset:
    """Numeric, nominal and ordinal attributes with missing values, weights, and three classes."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n), rng.integers(0, 5, n).astype(np.float64)
    x[rng.random(n) < 0.1] = np.nan
    colour = rng.integers(-1, 3, n).astype(np.int8)
    size = rng.integers(0, 4, n).astype(np.int8)
    codes = ((np.nan_to_num(x) > 0).astype(int) + (colour == 1) * (size > 1)).astype(np.int8)
    schema = Schema(
        (
            numeric("x"),
            nominal("colour", ("red", "grün", "blue, dark")),
            numeric("y"),
            nominal("size", ("S", "M", "L", "XL"), ordinal=True),
            nominal("class", ("a", "b", "c")),
        ),
        4,
    )
    return Dataset(schema, [x, colour, y, size, codes], weights=rng.uniform(0.5, 2, n))


def in_ranges(data: Dataset) -> Dataset:
    for index in (0, 2):
        data = discretize_column(data, index, (0.0, 1.5), keep=False, found_in_data=False)
    return data


@pytest.mark.parametrize("learner", [few(each) for each in REGISTRY.learners], ids=lambda each: each.id)
@pytest.mark.parametrize("recipe", [(), (ReplaceMissing(), RemoveAttributes(columns=("y",)))], ids=["plain", "recipe"])
def test_every_learner_predicts_the_same_bits_after_loading(tmp_path, learner, recipe):
    data, fresh = mixed(), mixed(200, seed=8)
    if learner.check(summarize(data)):  # some take no numbers
        data, fresh = in_ranges(data), in_ranges(fresh)
    trained = train(learner, data, recipe, RunContext(seed=3))
    save_model(tmp_path / "m", trained)
    again = load_model(tmp_path / "m", builtin())
    assert trained.predict_proba(fresh).tobytes() == again.predict_proba(fresh).tobytes()
    assert trained.predict(fresh).tobytes() == again.predict(fresh).tobytes()
    assert (again.learner, again.filters) == (trained.learner, trained.filters)
    assert again.input_schema == trained.input_schema
    assert again.model.facts() == trained.model.facts()
    assert again.explain(fresh, 5) == trained.explain(fresh, 5)
    assert (again.created, again.data_name, again.marks) == (trained.created, trained.data_name, trained.marks)


def test_a_model_names_the_file_that_it_was_trained_on_as_the_window_does(tmp_path):
    """It was "trained on flowers" where the window had "flowers.csv" in its first line."""
    path = tmp_path / "flowers.csv"
    path.write_text("x,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(9)), encoding="utf-8")
    data = with_class(read(path, RunContext(seed=1)), None)
    assert train(ZeroR(), data, (), RunContext(seed=1)).data_name == "flowers.csv"
    assert train(ZeroR(), mixed(), (), RunContext(seed=1)).data_name == "untitled"


def test_parameters_of_the_learner_come_back(tmp_path):
    learner = C45(confidence=0.1, min_leaf=7)
    save_model(tmp_path / "m", train(learner, mixed(), (), RunContext(seed=1)))
    assert load_model(tmp_path / "m", REGISTRY).learner == learner


def test_loaded_model_finds_columns_by_name_and_values_by_label(tmp_path):
    data = mixed()
    save_model(tmp_path / "m", train(Cart(pruning="none"), data, (), RunContext(seed=1)))
    again = load_model(tmp_path / "m", REGISTRY)
    colours = ("violet", "blue, dark", "grün", "red")
    recoded = np.array([3, 2, 1, -1], dtype=np.int8)[data.column("colour")]
    schema = Schema((nominal("colour", colours), *(data.schema.attributes[i] for i in (3, 2, 0))))
    moved = Dataset(schema, [recoded, *(data.column(i) for i in (3, 2, 0))])
    assert again.predict_proba(moved).tobytes() == again.predict_proba(data).tobytes()
    with pytest.raises(DataError, match=core_wording.column_is_missing("x")):
        again.predict(data.select_columns([1, 2, 3]))


def test_a_filter_and_a_learner_of_an_extension_need_it_for_loading(tmp_path):
    registry = Registry()
    registry.add_learner(Means, NearestMean)
    registry.add_filter(Centre)
    data = two_classes()
    trained = train(Means(), data, (Centre(),), RunContext(seed=1))
    save_model(tmp_path / "m", trained)
    again = load_model(tmp_path / "m", registry)
    assert again.predict_proba(data).tobytes() == trained.predict_proba(data).tobytes()
    with pytest.raises(ModelFileError, match=wording.NO_KIND_OF_MODEL) as caught:
        load_model(tmp_path / "m", REGISTRY)
    assert "extension" in caught.value.remedy


def test_schema_comes_back():
    schema = mixed().schema
    assert schema_from_json(json.loads(json.dumps(schema_to_json(schema)))) == schema
    assert schema_from_json(schema_to_json(Schema(()))) == Schema(())


def test_the_description_of_an_attribute_is_kept_where_it_has_one() -> None:
    described = Attribute("length", AttributeKind.NUMERIC, description="in cm")
    stored = schema_to_json(Schema((described, Attribute("width", AttributeKind.NUMERIC))))
    assert [attribute.description for attribute in schema_from_json(stored).attributes] == ["in cm", ""]
    assert "description" not in stored["attributes"][1]
    with pytest.raises(ModelFileError):
        schema_from_json({**stored, "attributes": [{**stored["attributes"][0], "description": "\ud800"}]})


# ---- hostile and damaged files ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model"
    recipe = (ReplaceMissing(),)
    save_model(path, train(C45(), mixed(), recipe, RunContext(seed=1)))
    return path


@pytest.mark.parametrize(
    "decide",
    [
        DecisionRule(("a", "b", "c"), AtThreshold("b", 0.2), None),
        DecisionRule(
            ("a", "b", "c"), ByCost(), RecordCosts(np.array([[0.0, 1.0, 2.0], [9.0, 0.0, 1.0], [0.5, 4.0, 0.0]]))
        ),
    ],
)
def test_what_decides_in_the_place_of_a_model_is_saved_with_it(tmp_path, decide):
    data = mixed()
    itself = train(C45(min_leaf=40), data, (ReplaceMissing(),), RunContext(seed=1))
    assert itself.classes == decide.classes
    save_model(tmp_path / "model", replace(itself, deciding=decide))
    again = load_model(tmp_path / "model", REGISTRY)
    said, own = again.judged(data, RunContext()), itself.judged(data, RunContext())
    np.testing.assert_array_equal(said.probabilities, own.probabilities)
    np.testing.assert_array_equal(said.decisions, decide(own.probabilities, own.decisions))
    np.testing.assert_array_equal(said.decisions, again.predict(data))
    assert (said.decisions != own.decisions).any()


def test_a_threshold_read_from_a_file_decides_as_before_whatever_costs_there_were():
    rule = DecisionRule(LABELS, AtThreshold("a", 0.2), RecordCosts(1 - np.eye(2)))
    again = decision_rule_from_json(decision_rule_to_json(rule), LABELS)
    assert again.decides_as(rule) and rule.decides_as(again)
    assert not again.decides_as(DecisionRule(LABELS, AtThreshold("a", 0.3), None))
    assert not again.decides_as(DecisionRule(LABELS, None, None))


def test_a_rule_whose_costs_are_formulas_is_saved_and_reads_the_columns_of_new_records(tmp_path):
    """Predicting a for b costs the more, the larger the record: a large one is a b even where a is more probable."""
    data = mixed()
    name = next(a.name for a in data.schema.attributes if a.kind is AttributeKind.NUMERIC)
    trained = train(C45(min_leaf=40), data, (ReplaceMissing(),), RunContext(seed=1))
    rows: tuple = ((0.0, 1.0, 1.0), (f"4 * abs([{name}])", 0.0, 1.0), (1.0, 1.0, 0.0))
    costs = CostMatrix(trained.classes, rows).of_records(trained.classes, data)
    rule = DecisionRule(trained.classes, ByCost(), costs)
    save_model(tmp_path / "model", replace(trained, deciding=rule))
    assert archive.read(tmp_path / "model").values["version"] == 3
    again = load_model(tmp_path / "model", REGISTRY)
    assert again.deciding.decides_as(rule) and rule.decides_as(again.deciding)
    assert again.deciding.decides_as(load_model(tmp_path / "model", REGISTRY).deciding)
    for changed in ((rows[0], (f"4 * [{name}]", 0.0, 1.0), rows[2]), (rows[0], (2.0, 0.0, 1.0), rows[2])):
        other = CostMatrix(trained.classes, changed).of_records(trained.classes, data)
        assert not again.deciding.decides_as(DecisionRule(trained.classes, ByCost(), other))
    judged = again.judged(data, RunContext())
    own = trained.judged(data, RunContext())
    wanted = cheapest_decisions(own.probabilities, own.decisions, costs)
    assert judged.decisions.tolist() == wanted.tolist() != own.decisions.tolist()
    assert judged.decisions.tolist() != cheapest_decisions(own.probabilities, own.decisions, costs.table).tolist()
    index = data.schema.index_of(name)
    kept = [i for i in range(len(data.schema)) if i != index]
    left = Schema(tuple(data.schema.attributes[i] for i in kept), kept.index(data.schema.class_index))
    with pytest.raises(AbsentColumnsError, match=name):
        again.deciding(own.probabilities, own.decisions, data=Dataset(left, [data.column(i) for i in kept]))


def test_what_decides_for_other_classes_is_refused(tmp_path):
    trained = train(C45(), mixed(), (), RunContext(seed=1))
    choice, costs = {"label": "b", "threshold": 0.2}, [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    save_model(
        tmp_path / "model", replace(trained, deciding=DecisionRule(trained.classes, AtThreshold("b", 0.2), None))
    )
    for wrong in (
        {"choice": {**choice, "label": "z"}, "costs": None},
        {"choice": {**choice, "threshold": "x"}, "costs": None},
        {"choice": {}, "costs": costs[:2]},
        {"choice": {}, "costs": [*costs[:2], [1.0, 1.0, "x"]]},
        {"choice": {}, "costs": [*costs[:2], [1.0, 1.0, {"formula": "size", "mean": "x"}]]},
        {"choice": {}, "costs": [*costs[:2], [1.0, 1.0, {"formula": "size +", "mean": 1.0}]]},
        {"choice": {}, "costs": None},
        {"choice": None, "costs": None},
        [],
    ):

        def change(values: dict[str, Any], _arrays: dict[str, Any], wrong: Any = wrong) -> None:
            values["deciding"] = wrong

        with pytest.raises(ModelFileError):
            load_model(tampered(tmp_path / "model", tmp_path, change), REGISTRY)


def tampered(saved: Path, folder: Path, change: Callable[[dict[str, Any], dict[str, Any]], None]) -> Path:
    """A copy of the saved model with its values and arrays changed in place."""
    content = archive.read(saved)
    values, arrays = json.loads(json.dumps(content.values)), dict(content.arrays)
    change(values, arrays)
    archive.write(folder / "tampered", ArchiveContent(values, arrays))
    return folder / "tampered"


def put(path: str, value: Any) -> Callable[[dict[str, Any], dict[str, Any]], None]:
    """Sets the value at "a/0/b"; removes it where the value is ``...``."""

    def change(values: dict[str, Any], arrays: dict[str, Any]) -> None:
        *way, last = [int(p) if p.isdigit() else p for p in path.split("/")]
        place: Any = values
        for step in way:
            place = place[step]
        if value is ...:
            del place[last]
        else:
            place[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", "other", wording.NOT_A_SAVED_MODEL),
        ("format", ..., wording.NOT_A_SAVED_MODEL),
        ("version", 5, wording.format_version(5)),
        ("version", 2, wording.DO_NOT_FIT),
        ("version", True, "format version"),
        ("version", "1", wording.format_version("'1'")),
        ("model", ..., "model"),
        ("model/id", "../evil", wording.NO_KIND_OF_MODEL_AT_ALL),
        ("model/id", 7, "id"),
        ("model/schema/class", 99, wording.NO_COLUMN_NUMBER),
        ("model/schema/class", None, "No class"),
        ("model/schema/class", True, "class"),
        ("model/schema/class", 0, "no values"),
        ("model/schema/attributes", "x", "attributes"),
        ("model/schema/attributes/0/kind", "magic", wording.DO_NOT_FIT),
        ("model/schema/attributes/1/values", ["a", "a"], wording.MAKES_NO_SENSE),
        ("model/schema/attributes/1/values", ["a", 3], "words"),
        ("model/schema/attributes/0/values", ["a"], wording.MAKES_NO_SENSE),
        ("model/schema/attributes/1/name", "x", "Two columns"),
        ("model/schema/attributes/1/used", 1, "used"),
        ("model/arrays", ["nowhere"], "missing"),
        ("model/arrays", [], "damaged"),
        ("model/values", [], "values"),
        ("input_schema", None, "input_schema"),
        ("learner/id", "evil", "unknown here"),
        ("learner/id", "cross-validation", "no parameter"),
        ("learner", {"id": "training-set"}, wording.NOT_A_LEARNER),
        ("learner/parameters/confidence", 9, "Confidence factor"),
        ("learner/parameters/confidence", [1], "Confidence factor"),
        ("learner/parameters/unheard", 1, "no parameter"),
        ("learner/parameters", [], "named values"),
        ("filters/0/id", "c4.5", "no parameter"),
        ("filters/0", {"id": "zero-r"}, wording.NOT_A_FILTER),
        ("filters", {}, "filters"),
        ("fitted_filters/0/id", "evil", "unknown here"),
        ("fitted_filters/0", 3, "id"),
        ("marks", [1], "words"),
        ("note", None, "note"),
    ],
)
def test_descriptions_that_make_no_sense_are_refused(saved, tmp_path, path, value, message):
    with pytest.raises(ModelFileError) as caught:
        load_model(tampered(saved, tmp_path, put(path, value)), REGISTRY)
    assert message in str(caught.value)
    assert "tampered" in str(caught.value)


def test_arrays_out_of_range_or_of_another_type_are_refused(saved, tmp_path):
    names = [name for name in archive.read(saved).arrays if name.startswith("model/")]
    assert names
    for name in names:
        for change in (
            lambda a: a[:-1],
            lambda a: np.empty((0, *a.shape[1:]), dtype=a.dtype),
            lambda a: a.astype(np.float32),
            lambda a: a.reshape(-1, 1) if a.ndim == 1 else a.ravel(),
        ):
            old = archive.read(saved).arrays[name]
            if change(old).shape == old.shape and change(old).dtype == old.dtype:
                continue  # of nothing, nothing can be cut off

            def swap(values: dict[str, Any], arrays: dict[str, Any], name=name, change=change) -> None:
                arrays[name] = change(arrays[name])

            with pytest.raises(ModelFileError):
                load_model(tampered(saved, tmp_path, swap), REGISTRY)


@pytest.mark.parametrize(
    "name",
    ["test", "attribute", "first_child", "n_children", "parent", "offset", "branch_of", "decision", "missing_to"],
)
@pytest.mark.parametrize("value", [-9, 99, -128, 127])
def test_whole_numbers_out_of_range_are_refused(saved, tmp_path, name, value):
    def change(values: dict[str, Any], arrays: dict[str, Any]) -> None:
        array = arrays[f"model/{name}"].copy()
        array[0] = value
        arrays[f"model/{name}"] = array

    path = tampered(saved, tmp_path, change)
    with pytest.raises(ModelFileError):
        load_model(path, REGISTRY)


def test_flipped_bytes_and_cut_files_only_ever_raise_model_file_errors(saved, tmp_path):
    raw, generator = saved.read_bytes(), random.Random(5)
    path = tmp_path / "damaged"
    refused = 0
    for _ in range(400):
        damaged = bytearray(raw)
        if generator.random() < 0.3:
            damaged = damaged[: generator.randrange(len(raw))]
        for _ in range(generator.choice((1, 1, 2, 20))):
            if damaged:
                damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        path.write_bytes(damaged)
        try:
            load_model(path, REGISTRY)
        except ModelFileError:
            refused += 1
    assert refused > 300


def test_scrambled_parts_behind_right_checksums_only_ever_raise_model_file_errors(saved, tmp_path):
    """A hostile file has right checksums: the members themselves are scrambled and packed anew."""
    with zipfile.ZipFile(saved) as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    generator, path, data = random.Random(6), tmp_path / "scrambled", mixed(50)
    for _ in range(400):
        name = generator.choice(list(members))
        damaged = bytearray(members[name])
        for _ in range(generator.choice((1, 2, 8))):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        with zipfile.ZipFile(path, "w") as made:
            for each, content in members.items():
                made.writestr(each, bytes(damaged) if each == name else content)
        try:
            trained = load_model(path, REGISTRY)
        except ModelFileError:
            continue
        try:
            trained.predict_proba(data)
        except DataError:  # a column's name or kind was hit: the data differs from the schema
            continue


def test_saving_over_a_model_replaces_it(tmp_path):
    data = mixed()
    save_model(tmp_path / "m", train(C45(), data, (), RunContext(seed=1)))
    save_model(tmp_path / "m", train(ZeroR(), data, (), RunContext(seed=1)))
    assert load_model(tmp_path / "m", REGISTRY).learner == ZeroR()
    with pytest.raises(ModelFileError, match=core_wording.CANNOT_BE_WRITTEN):
        save_model(tmp_path / "nowhere" / "m", train(ZeroR(), data, (), RunContext(seed=1)))


def test_a_saved_model_is_not_taken_for_a_table_and_it_is_said_where_it_is_used(tmp_path: Path) -> None:
    save_model(tmp_path / "a.coppice-model", train(ZeroR(), mixed(), (), RunContext()))
    with pytest.raises(DataError, match=wording.IS_A_MODEL) as refused:
        read(tmp_path / "a.coppice-model", RunContext())
    assert wording.USE_A_MODEL_ON_A_FILE in refused.value.remedy


def test_a_column_whose_name_no_file_can_hold_is_refused() -> None:
    stored = {"attributes": [{"name": "a\ud800", "kind": "numeric", "values": [], "used": True}], "class": None}
    with pytest.raises(ModelFileError, match=wording.MAKES_NO_SENSE):
        schema_from_json(stored)
