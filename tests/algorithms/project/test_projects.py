"""Projects on disk: nothing is lost on the way, what is shared is stored once, and no stranger's file does harm."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import ModelFileError
from algorithms.core.filters import RecipeStep
from algorithms.core.registry import Registry
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.costs.mean_cost import costs_of_tests
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.tuning.parameter_search import Tuned
from algorithms.filters.scale import Scale
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.project import archive
from algorithms.project.archive import ArchiveContent
from algorithms.project.changes import Project
from algorithms.project.kept_runs import KeptAnalyses, resubstitution_from_json
from algorithms.project.models import search_from_json, search_to_json
from algorithms.project.projects import RULES, VERSION, load_project, save_project
from algorithms.project.run_record import DocumentStep, TableSource
from algorithms.project.shared_storage import SharedReader
from tests.algorithms.project import made_projects
from tests.algorithms.project.made_projects import assert_same, assert_same_data, project, step, steps, table
from tests.expected_texts import core as core_wording
from tests.expected_texts import project as wording


@pytest.fixture(scope="module")
def registry() -> Registry:
    return builtin()


@pytest.fixture(scope="module")
def made() -> Project:
    return project()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory, made: Project) -> Path:
    path = tmp_path_factory.mktemp("projects") / "made.coppice"
    save_project(path, made)
    return path


def test_a_project_comes_back_whole(saved: Path, made: Project, registry: Registry) -> None:
    found = load_project(saved, registry)
    assert_same(found, made)
    assert found.path == str(saved) and found.is_saved


def test_documents_that_differ_in_costs_or_rules_alone_are_not_the_same(made: Project) -> None:
    document = made.steps[0].document
    priced = replace(document, costs=CostMatrix(("a", "b"), ((0.0, 2.0), (1.0, 0.0))))
    ruled = document.with_rule(7, AtThreshold("b", 0.25))
    assert document.is_same_as(replace(document)) and ruled.is_same_as(replace(ruled))
    assert not any(document.is_same_as(other) or document.differs_from(other) for other in (priced, ruled))


def test_what_an_older_program_would_lose_makes_a_file_of_a_later_version_and_nothing_else_does(
    tmp_path: Path, registry: Registry, saved: Path
) -> None:
    assert archive.read(saved).values["version"] == 3, "its runs have probabilities in double precision"
    data, path = table(), tmp_path / "small.coppice"
    costs = CostMatrix(("a", "b", "c"), ((0, 1, 2), (3.5, 0, 1), (1, 1, 0)), "EUR")
    found = replace(made_projects.run(1, ZeroR(), data), findings=KeptAnalyses())
    for of, version in (
        (Project(steps=[step("", data, costs=costs)]), 1),
        (Project(steps=[step("", data, costs=costs.times("size"))]), 4),
        (
            Project(
                steps=[
                    step("", data),
                    step("Off", data, (RecipeStep(Scale(), on=False),)),
                ]
            ),
            2,
        ),
        (Project(steps=[step("", data)], runs={1: replace(found, result=None)}), 2),
        (Project(steps=[step("", data)], runs={1: found}), 3),
    ):
        save_project(path, of)
        assert archive.read(path).values["version"] == version
        again = load_project(path, registry)
        made_projects.assert_same(again, of)


def test_costs_are_kept_with_each_step_of_the_history(tmp_path: Path, registry: Registry) -> None:
    data, path = table(), tmp_path / "costs.coppice"
    costs = CostMatrix(("a", "b", "c"), ((0, 1, 2), (3.5, 0, 1), (1, 1, 0)), "EUR")
    history = (None, costs, costs, costs.times("size"), None, costs)
    for index, first in ((1, 0), (4, 0), (0, 1)):
        steps = [step(f"{place}", data, costs=now) for place, now in enumerate(history[first:])]
        save_project(path, Project(steps=steps, index=index))
        assert archive.read(path).values["version"] == 5
        made_projects.assert_same(load_project(path, registry), Project(steps=steps, index=index))


def test_decision_rules_are_kept_with_each_step_of_the_history(tmp_path: Path, registry: Registry) -> None:
    data, path = table(), tmp_path / "rules.coppice"
    one, other = AtThreshold("a", 0.25), ByCost()
    history = ((), ((1, one),), ((1, one), (2, other)), ((2, other),))
    runs = {number: made_projects.run(number, ZeroR(), data) for number in (1, 2)}
    for index, first in ((0, 0), (2, 0), (2, 1)):
        rules = history[first:]
        steps = [
            DocumentStep(f"{place}", replace(step("", data).document, rules=now)) for place, now in enumerate(rules)
        ]
        chosen = dict(rules[index])
        kept = {number: replace(run, choice=chosen.get(number)) for number, run in runs.items()}
        save_project(path, Project(steps=steps, index=index, runs=kept))
        assert archive.read(path).values["version"] == RULES == 6
        again = load_project(path, registry)
        assert [step.document.rules for step in again.steps] == list(rules)
        assert {number: run.choice for number, run in again.runs.items()} == {1: chosen.get(1), 2: chosen.get(2)}
        assert again.last_number == 2
    removed = [DocumentStep(text, step("", data).document.with_rule(9, rule)) for text, rule in (("", None), ("", one))]
    assert Project(steps=removed, runs=runs).last_number == 9, "a new run must not get the rule of a removed one"


def test_a_rule_that_never_changed_needs_no_later_version_and_holds_after_all_steps(
    tmp_path: Path, registry: Registry
) -> None:
    """As programs before version 6 wrote it: with the run alone."""
    data, path, rules = table(), tmp_path / "rules.coppice", ((1, AtThreshold("a", 0.25)),)
    run = replace(made_projects.run(1, ZeroR(), data), choice=rules[0][1])
    steps = [DocumentStep(text, replace(step("", data).document, rules=rules)) for text in ("", "Off")]
    save_project(path, Project(steps=steps, index=1, runs={1: run}))
    content = archive.read(path)
    assert content.values["version"] == 3 and "rules" not in json.dumps(content.values)
    again = load_project(path, registry)
    assert [step.document.rules for step in again.steps] == [rules, rules] and again.runs[1].choice == rules[0][1]


def test_costs_of_older_files_hold_after_all_steps(tmp_path: Path, registry: Registry) -> None:
    data, path = table(), tmp_path / "old.coppice"
    costs = CostMatrix(("a", "b", "c"), ((0, 1, 2), (3.5, 0, 1), (1, 1, 0)), "EUR")
    save_project(path, Project(steps=[step("", data, costs=costs), step("Off", data, costs=costs)], index=1))
    content = archive.read(path)
    assert content.values["version"] == 1
    for entry in content.values["entries"]:
        if entry.get("do") in ("open", "edit"):
            entry.pop("costs", None)
    archive.write(path, content)
    assert [kept.document.costs for kept in load_project(path, registry).steps] == [costs, costs]


def test_a_project_with_a_column_of_amounts_opens_with_formulas_and_the_same_total(
    tmp_path: Path, registry: Registry
) -> None:
    """As programs before version 4 of the file wrote it: every cost was multiplied by the record's amount."""
    scaled = "3.5 * size"
    path, data, rows = tmp_path / "old.coppice", table(), [[0.0, 1.0, 2.0], [3.5, 0.0, 1.0], [1.0, 1.0, 0.0]]
    run = made_projects.run(1, ZeroR(), data)
    numbers = CostMatrix(("a", "b", "c"), tuple(map(tuple, rows)), "EUR")
    save_project(path, Project(steps=[step("", data, costs=numbers)], runs={1: run}))
    content = archive.read(path)
    for entry in content.values["entries"]:
        if entry.get("do") == "choose" and entry["costs"] is not None:
            entry["costs"]["amounts"] = "size"
    archive.write(path, content)
    costs = load_project(path, registry).costs
    assert costs is not None and costs == numbers.times("size")
    assert costs.costs[1] == (scaled, 0.0, "size")
    assert run.result is not None
    place = run.result.row_ids - data.row_ids[0]
    sizes = np.asarray(data.column(data.schema.index_of("size")), dtype=float)[place]
    sizes = np.where(np.isfinite(sizes), sizes, np.nanmean(sizes))
    each = sizes * np.array(rows)[run.result.truth, run.result.decision]
    found = report(run.result, costs_of_tests(costs, run.result, data)).cost
    assert found is not None and found.total == pytest.approx(each.sum())


def test_runs_kept_in_single_precision_open_and_stay_so(tmp_path: Path, registry: Registry) -> None:
    """As programs before version 3 of the file wrote them."""
    path, run = tmp_path / "old.coppice", made_projects.run(1, ZeroR(), table())
    assert run.result is not None and run.result.probabilities.dtype == np.float64
    single = replace(run.result, probabilities=run.result.probabilities.astype(np.float32))
    save_project(path, Project(steps=[step("", run.data)], runs={1: replace(run, result=single)}))
    assert archive.read(path).values["version"] == 1
    found = load_project(path, registry).runs[1].result
    assert found is not None and found.probabilities.dtype == np.float32
    assert np.array_equal(found.probabilities, single.probabilities)
    assert report(found).accuracy == report(run.result).accuracy


def test_bootstrap_runs_of_older_files_keep_their_estimate() -> None:
    """They held the share of the training records that was right, and nothing else of them."""
    found = resubstitution_from_json({"resubstitution_accuracy": 0.75}, SharedReader(), 3)
    assert found is not None
    assert float(np.trace(found) / found.sum()) == 0.75


def test_what_data_sets_shared_they_share_again(saved: Path, registry: Registry) -> None:
    found = load_project(saved, registry)
    opened, edited = found.steps[0].document.data, found.steps[1].document.data
    assert edited.same_column(1, opened, 1) and not edited.same_column(0, opened, 0)
    assert found.runs[1].data is opened


def test_an_edit_costs_what_it_changed_not_what_the_table_weighs(tmp_path: Path) -> None:
    data = table(20_000)
    history = [step("", data)]
    save_project(tmp_path / "before.coppice", Project(steps=list(history)))
    for row in range(50):
        history.append(step(f"Change {row}", history[-1].document.data.with_cells(0, [row], [1.0])))
    save_project(tmp_path / "after.coppice", Project(steps=history))
    grown = (tmp_path / "after.coppice").stat().st_size - (tmp_path / "before.coppice").stat().st_size
    assert grown < 50 * 2500 + 50 * 51 * 16


def test_records_added_after_reopening_get_ids_that_none_ever_had(saved: Path, registry: Registry) -> None:
    found = load_project(saved, registry)
    used = {int(number) for kept in found.steps for number in kept.document.data.row_ids}
    new = found.steps[3].document.data.with_new_rows(2).row_ids[-2:]
    assert used.isdisjoint(int(number) for number in new) and len(set(new.tolist())) == 2


def test_every_part_of_a_data_set_is_kept() -> None:
    """A new field of Dataset or its base must be stored by algorithms/data/dataset.py, or be computed again."""
    kept = {"schema", "origin", "_base", "_rows", "_weights"}
    computed = {"_n", "_parent", "_is_sample", "_made_from", "_lock", "_materialised", "_derived"}
    kept_of_base, computed_of_base = {"columns", "patches", "stored_ids", "added_ids"}, {"fresh_ids"}
    for data in (table(), steps()[-1].document.data):
        assert set(vars(data)) == kept | computed | {"recipe_input"} and data.recipe_input is None
        assert set(vars(data._base)) == kept_of_base | computed_of_base


def test_a_run_whose_learner_is_unknown_is_left_out_in_words(tmp_path: Path, registry: Registry, saved: Path) -> None:
    path = changed(saved, tmp_path, lambda entries: [_renamed(entry) for entry in entries])
    found = load_project(path, registry)
    assert 2 not in found.runs and 1 in found.runs and [run.number for run in found.shown_runs] == [3]
    assert len(found.remarks) == 1 and "Run 2" in found.remarks[0] and "c4.6" in found.remarks[0]


def _renamed(entry: Any) -> Any:
    if entry.get("do") == "run" and entry["learner"]["id"] == "c4.5":
        return {**entry, "learner": {"id": "c4.6", "parameters": {}}}
    return entry


def test_a_file_that_changed_or_vanished_is_said_in_words(tmp_path: Path) -> None:
    path = tmp_path / "loans.csv"
    path.write_text("a,b\n1,2\n")
    source = TableSource(str(path), path.stat().st_size, path.stat().st_mtime_ns)
    assert source.what_became_of_it() == ""
    path.write_text("a,b\n1,2\n3,4\n")
    assert wording.LOANS_HAS_CHANGED in source.what_became_of_it()
    path.unlink()
    assert "no longer" in source.what_became_of_it()


# ---- files from strangers --------------------------------------------------------------------------------------------


def changed(saved: Path, folder: Path, change: Callable[[list[Any]], list[Any]]) -> Path:
    """A project file with other entries."""
    content = archive.read(saved)
    values = {**content.values, "entries": change(list(content.values["entries"]))}
    path = folder / "changed.coppice"
    archive.write(path, ArchiveContent(values, content.arrays))
    return path


def refused(path: Path, registry: Registry, words: str = "") -> None:
    with pytest.raises(ModelFileError) as caught:
        load_project(path, registry)
    assert words in str(caught.value) and "Traceback" not in str(caught.value)


def test_another_file_is_no_project(tmp_path: Path, registry: Registry) -> None:
    path = tmp_path / "table.coppice"
    path.write_text("a,b\n1,2\n")
    refused(path, registry, wording.NOT_A_SAVED_FILE)
    archive.write(path, ArchiveContent({"format": "coppice-model", "version": 1}))
    refused(path, registry, wording.NOT_A_SAVED_PROJECT)
    archive.write(path, ArchiveContent({"format": "coppice-project", "version": VERSION + 1, "entries": []}))
    refused(path, registry, wording.UPDATE_THE_PROGRAM)
    archive.write(path, ArchiveContent({"format": "coppice-project", "version": 1, "entries": []}))
    refused(path, registry, wording.HOLDS_NO_TABLE)
    refused(tmp_path / "absent.coppice", registry, core_wording.CANNOT_BE_READ)


def test_a_file_cut_short_anywhere_is_refused(saved: Path, tmp_path: Path, registry: Registry) -> None:
    whole = saved.read_bytes()
    path = tmp_path / "cut.coppice"
    for size in np.linspace(0, len(whole) - 1, 25).astype(int):
        path.write_bytes(whole[:size])
        refused(path, registry)


def test_a_file_with_bytes_changed_anywhere_is_refused_or_read_never_a_bug(
    saved: Path, tmp_path: Path, registry: Registry
) -> None:
    whole = bytearray(saved.read_bytes())
    path, random = tmp_path / "bent.coppice", np.random.default_rng(1)
    n_refused = 0
    for _ in range(60):
        bent = bytearray(whole)
        for at in random.integers(0, len(bent), 3):
            bent[at] ^= 1 << int(random.integers(8))
        path.write_bytes(bytes(bent))
        try:
            load_project(path, registry)
        except ModelFileError:
            n_refused += 1
    assert n_refused > 50


HARM: dict[str, Callable[[list[Any]], list[Any]]] = {
    "nothing is defined": lambda entries: [entry for entry in entries if "define" not in entry],
    "an array is missing": lambda entries: [
        entry for at, entry in enumerate(entries) if "array" not in entry or "array" in entries[at - 1]
    ],
    "numbers run backwards": lambda entries: entries[::-1],
    "an entry is a list": lambda entries: [[], *entries],
    "an entry is a number": lambda entries: [*entries, 3],
    "an unknown change": lambda entries: [*entries, {"do": "format the disk"}],
    "an unknown definition": lambda entries: [*entries, {"define": "function", "number": 10**6}],
    "a step beyond the end": lambda entries: [*entries, {"do": "edit", "kept": 1, "steps": [], "index": 5}],
    "steps from nowhere": lambda entries: [*entries, {"do": "edit", "kept": 10**9, "steps": [], "index": 0}],
    "a negative step": lambda entries: [*entries, {"do": "edit", "kept": -1, "steps": [], "index": -1}],
    "costs of a string": lambda entries: [*entries, {"do": "choose", "interest": {}, "costs": "free"}],
    "a cost that is no formula": lambda entries: [
        *entries,
        {"do": "choose", "interest": {}, "costs": {"classes": ["a"], "costs": [["x +"]]}},
    ],
    "a schema for an array": lambda entries: [_bent(entry, "columns", 0) for entry in entries],
    "rows far away": lambda entries: [_bent(entry, "rows", 3) for entry in entries],
    "another schema": lambda entries: [_bent(entry, "schema", 1) for entry in entries],
    "weights of words": lambda entries: [_bent(entry, "weights", 7) for entry in entries],
}


def _bent(entry: Any, name: str, value: Any) -> Any:
    return {**entry, name: value} if entry.get("define") == "data" else entry


@pytest.mark.parametrize("harm", HARM)
def test_nonsense_is_refused_in_words(saved: Path, tmp_path: Path, registry: Registry, harm: str) -> None:
    refused(changed(saved, tmp_path, HARM[harm]), registry)


def test_a_project_with_a_number_that_no_array_can_hold_is_refused(
    saved: Path, tmp_path: Path, registry: Registry
) -> None:
    entries = [*archive.read(saved).values["entries"], {"do": "notes", "notes": [[10**400, "x"]]}]
    refused(changed(saved, tmp_path, lambda _: entries), registry, "too large")


ARRAYS: dict[str, Callable[[Any], Any]] = {
    "codes beyond the values": lambda a: np.full_like(a, 100) if a.dtype == np.int8 else a,
    "ids that repeat without end": lambda a: a - 2**62 if a.dtype == np.int64 else a,
    "one record less": lambda a: a[:-1] if a.ndim == 1 else a,
    "other types": lambda a: a.astype(np.float32),
    "a dimension more": lambda a: a[..., None],
    "letters that are none": lambda a: np.full_like(a, 255) if a.dtype == np.uint8 else a,
}


@pytest.mark.parametrize("harm", ARRAYS)
def test_arrays_that_do_not_fit_are_refused_in_words(
    saved: Path, tmp_path: Path, registry: Registry, harm: str
) -> None:
    content = archive.read(saved)
    path = tmp_path / "bent.coppice"
    archive.write(path, ArchiveContent(content.values, {name: ARRAYS[harm](a) for name, a in content.arrays.items()}))
    refused(path, registry)


@pytest.mark.parametrize("harm", [np.nan, np.inf, -0.5, 1.5])
def test_a_run_whose_probabilities_break_the_rules_is_refused(
    tmp_path: Path, made: Project, registry: Registry, harm: float
) -> None:
    run = replace(made.runs[1], trained=None)
    assert run.result is not None
    probabilities = run.result.probabilities.copy()
    probabilities[3, 0] = harm
    path = tmp_path / "bent.coppice"
    bent = replace(run, result=replace(run.result, probabilities=probabilities))
    save_project(path, replace(made, runs={1: bent}, ledger=[1], view=1))
    refused(path, registry, "probabilities")


def test_infinite_numbers_in_a_project_are_missing(tmp_path: Path, registry: Registry) -> None:
    data = Dataset(Schema((numeric("x"),)), [np.array([1.0, np.inf, -np.inf, np.nan])])
    path = tmp_path / "infinite.coppice"
    save_project(
        path,
        Project(steps=[step("", data), step("Edit", data.with_cells(0, [0], [np.inf]))]),
    )
    found = load_project(path, registry)
    np.testing.assert_array_equal(found.steps[0].document.data.column(0), [1.0, np.nan, np.nan, np.nan])
    assert np.isnan(found.steps[1].document.data.column(0)).all()


def test_a_file_leaves_nothing_outside_its_own_place(saved: Path, tmp_path: Path, registry: Registry) -> None:
    path = tmp_path / "inside" / "far.coppice"
    path.parent.mkdir()
    path.write_bytes(saved.read_bytes())
    with zipfile.ZipFile(path, "a") as extended:
        extended.writestr(zipfile.ZipInfo("../outside.npy"), b"x")
    refused(path, registry)
    assert [found.name for found in tmp_path.iterdir()] == ["inside"]
    assert json.loads(zipfile.ZipFile(path).read("content.json"))["format"] == "coppice-project"


def test_saving_over_a_project_leaves_it_whole_where_that_fails(
    saved: Path, tmp_path: Path, registry: Registry
) -> None:
    path = tmp_path / "kept.coppice"
    path.write_bytes(saved.read_bytes())
    broken = project()
    broken.place = {"tab": float("nan")}
    with pytest.raises(ValueError, match=wording.OUT_OF_RANGE):
        save_project(path, broken)
    assert path.read_bytes() == saved.read_bytes() and [p.name for p in tmp_path.iterdir()] == ["kept.coppice"]


def test_an_empty_table_comes_back(tmp_path: Path, registry: Registry) -> None:
    data: Dataset = table().take([])
    save_project(tmp_path / "empty.coppice", Project(steps=[step("", data)]))
    assert_same_data(load_project(tmp_path / "empty.coppice", registry).steps[0].document.data, data)


@pytest.mark.parametrize("path", ["\\\\host\\share\\a.csv", "//host/share/a.csv", "\\/host/share/a.csv"])
def test_a_strangers_project_makes_the_program_call_upon_no_machine(path: str) -> None:
    assert TableSource(path, size=3, modified=5).what_became_of_it() == ""


def test_what_a_run_tried_comes_back_and_nonsense_in_its_place_is_refused(tmp_path: Path, registry: Registry) -> None:
    data = made_projects.steps()[0].document.data
    kept = made_projects.run(
        1, Tuned(base=C45(pruning="none"), tried="min_leaf=1,9; recipe.1.numeric=mean,mode", folds=2), data
    )
    project = Project(steps=[step("", data)], runs={1: kept}, ledger=[1], view=1)
    save_project(tmp_path / "tried.coppice", project)
    found = load_project(tmp_path / "tried.coppice", registry).runs[1]
    made_projects.assert_same_run(found, kept)
    assert found.result is not None and kept.result is not None and found.trained is not None
    assert kept.trained is not None and kept.trained.search is not None and found.trained.search is not None
    pairs = [*zip(found.result.searches, kept.result.searches, strict=True)]
    assert len(pairs) == 4
    for mine, theirs in (*pairs, (found.trained.search, kept.trained.search)):
        assert mine.losses.tobytes() == theirs.losses.tobytes()
        for name in ("names", "labels", "settings", "chosen", "measure", "strategy", "n_records", "failures"):
            assert getattr(mine, name) == getattr(theirs, name), name
    search = kept.trained.search
    arrays: dict[str, Any] = {}

    def put(name: str, array: Any) -> str:
        arrays[name] = array
        return name

    stored = search_to_json(search, put)
    assert search_from_json(stored, arrays.__getitem__).words(0) == search.words(0)
    for harm in (
        {"chosen": 99},
        {"measure": "luck"},
        {"labels": []},
        {"settings": [["1", "1"]]},
        {"arrays": {**stored["arrays"], "losses": "weights"}},
    ):
        with pytest.raises(ModelFileError):
            search_from_json({**stored, **harm}, arrays.__getitem__)
