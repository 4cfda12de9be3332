"""A file is cleaned in the window once; the files of later months are cleaned and predicted by themselves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.run_control import RunContext
from algorithms.data.conditions import CellSearch, find_cells
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.export.recipe_script import write_recipe_script
from algorithms.filters.cleaning_rules import RenameColumn
from algorithms.filters.computed_columns import FormulaColumn
from algorithms.io.reading import read
from algorithms.io.text.options import FileReading, ReadOptions
from algorithms.io.writing import write_table
from algorithms.learners.trees.c45 import C45
from algorithms.project.models import save_model
from algorithms.project.projects import VERSION, load_project
from algorithms.project.recipes import load_reading, load_rules, save_recipe
from tests.algorithms.export.test_recipe_script import rows, run_python
from tests.expected_texts import files as wording
from tests.workbench.person import Person
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, Wait, activate, judged, part, type_path
from workbench.files.apply_model import used_on
from workbench.session.session import Session
from workbench.tabs.preprocess.attribute_edits import Changes
from workbench.tabs.preprocess.recipe_pane import RecipePane
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.tabs.preprocess.table.record_edits import RecordEdits
from workbench.widgets.labels import LinkLabel

COLUMNS = ("Kunde", "Stadt code", "Ort", "Umsatz", "Alter", "Note", "kauft")


def month(path: Path, n: int, seed: int, ort: str = "", without: str = "") -> Path:
    """A messy file: amounts with commas and a currency in texts, marks for missing values, two spellings of a town."""
    random = np.random.default_rng(seed)
    lines = []
    for record in range(n):
        amount = random.uniform(900, 9000)
        town = ort if ort and record % 10 == 0 else random.choice(["BE", "Bern", "ZH", "Zurich", "GE"])
        written = f"{amount:,.2f}".replace(",", "'").replace(".", ",").replace("'", ".") + " EUR"
        cells = {
            "Kunde": f"K{record}",
            "Stadt code": str(random.integers(1, 6)),
            "Ort": str(town),
            "Umsatz": "tbd" if record == 3 else written,
            "Alter": random.choice(["leer", "xx"]) if record % 5 == 0 else str(random.integers(18, 80)),
            "Note": f"{random.integers(1, 7)} / 6",
            "kauft": "ja" if (amount > 4000) != (town == "GE") else "nein",
        }
        lines.append(";".join(text for name, text in cells.items() if name != without))
    head = ";".join(name for name in COLUMNS if name != without)
    path.write_text("\n".join([head, *lines]) + "\n", "utf-8")
    return path


def clean(session: Session, wait_until: Wait) -> int:
    """The edits of a person; returns their number. Each is one step that can be undone."""
    changes, records = Changes(session, session), RecordEdits(session, session)
    before = session.undo_stack.index()

    def replace_all(text: str, by: str, column: str, whole: bool) -> None:
        search = CellSearch(text, (column,), whole)
        assert session.data is not None
        assert records.replace(find_cells(session.data, search), search, by, everywhere=True)

    changes.relabel("Ort", {"BE": "Bern"})
    changes.relabel("Ort", {"ZH": "Zurich"})
    replace_all("leer", "", "Alter", True)
    replace_all("xx", "", "Alter", True)
    changes.change_kind(["Alter"], AttributeKind.NUMERIC)
    replace_all(" / 6", "", "Note", False)
    changes.change_kind(["Note"], AttributeKind.NUMERIC)
    replace_all("tbd", "", "Umsatz", True)
    assert session.data is not None
    if session.data.schema.attributes[session.data.schema.index_of("Umsatz")].kind is not AttributeKind.NUMERIC:
        changes.change_kind(["Umsatz"], AttributeKind.NUMERIC)
    changes.rename("Stadt code", "district")
    changes.remove(["Kunde"])
    session.set_recipe((FormulaColumn(to="per mark", formula="Umsatz / Note"),), "Add a formula")
    wait_until(lambda: session.history.summaries.prepared is not None)
    changes.make_permanent(0)
    wait_until(lambda: session.recipe == ())
    session.set_class("kauft")
    return session.undo_stack.index() - before


def opened(session: Session, path: Path, wait_until: Wait) -> None:
    session.open_file(path)
    wait_until(lambda: session.data is not None and session.data.origin.path == str(path))


def same(first: Dataset, second: Dataset) -> bool:
    names = first.schema.names
    kinds = [[a.kind for a in data.schema.attributes] for data in (first, second)]
    return names == second.schema.names and kinds[0] == kinds[1]


def test_a_month_is_cleaned_once_and_the_next_ones_need_no_click(
    stage: Stage, tmp_path: Path, wait_until: Wait, capsys: pytest.CaptureFixture[str]
) -> None:
    january, february = month(tmp_path / "january.csv", 200, 1), month(tmp_path / "february.csv", 150, 2)
    window = stage.window()
    session = window.session
    opened(session, january, wait_until)
    raw = session.data
    n_edits = clean(session, wait_until)
    assert raw is not None and session.data is not None
    rules = session.data.origin.cleaning
    assert n_edits >= len(rules) >= 11
    for step in range(session.undo_stack.index(), 0, -1):
        session.undo_stack.undo()
        assert rules[: len(session.data.origin.cleaning)] == session.data.origin.cleaning, step
    assert session.data is raw and raw.origin.cleaning == ()
    while session.undo_stack.canRedo():
        session.undo_stack.redo()
    assert session.data.origin.cleaning == rules
    assert session.history.before_cleaning() is raw
    script = tmp_path / "steps.py"
    fitted = write_recipe_script(script, session.recipe, session.data, RunContext(), session.history.before_cleaning())
    write_table(tmp_path / "raw.csv", raw)
    write_table(tmp_path / "want.csv", fitted.transform(session.data))
    done = run_python(str(script), str(tmp_path / "raw.csv"), str(tmp_path / "got.csv"))
    assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "got.csv") == rows(tmp_path / "want.csv")
    run = judged(session, wait_until, C45(), CrossValidation(folds=3))
    assert run.trained is not None and run.trained.cleaning == rules
    model = tmp_path / "model.coppice-model"
    save_model(model, run.trained)

    by_hand = stage.session()
    opened(by_hand, february, wait_until)
    clean(by_hand, wait_until)
    assert by_hand.data is not None and same(by_hand.data, session.data)
    expected = run.trained.predict_proba(by_hand.data)

    used = used_on(run.trained, "January", str(february), RunContext())
    shares = np.column_stack([used.predicted.column(f"probability {label}") for label in run.trained.classes])
    assert np.allclose(shares, expected, atol=1e-6) and used.notes == tuple(n for n in used.notes if "Column" not in n)
    capsys.readouterr()
    assert main(["predict", str(model), str(february), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    by_command = [[record["probabilities"][label] for label in run.trained.classes] for record in told["records"]]
    assert np.allclose(by_command, expected, atol=1e-6)

    activate(window, wait_until)
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL)
    person = Person(window, wait_until)
    type_path(person.see(QFileDialog, "file_dialog"), february, wait_until)
    box = person.see(QMessageBox, "question_box")
    assert wording.FEBRUARY_PREDICTED in box.text()
    QTest.keyClick(box, Qt.Key.Key_Escape)


def test_what_does_not_fit_a_month_is_listed_with_its_remedy_and_the_rest_is_predicted(
    stage: Stage, tmp_path: Path, wait_until: Wait, capsys: pytest.CaptureFixture[str]
) -> None:
    session = stage.session()
    opened(session, month(tmp_path / "january.csv", 200, 1), wait_until)
    clean(session, wait_until)
    run = judged(session, wait_until, C45(), CrossValidation(folds=3))
    assert run.trained is not None
    march = month(tmp_path / "march.csv", 100, 3, ort="Basel", without="Note")
    text = march.read_text("utf-8").replace("K7;", "K7;", 1).replace(" EUR", " Taler", 1)
    march.write_text(text, "utf-8")
    used = used_on(run.trained, "January", str(march), RunContext(), absent_as_missing=True)
    assert len(used.predicted) == 100 and set(used.absent) <= {"Note", "per mark"}
    listed = " ".join(used.notes)
    assert "'Note'" in listed and "Basel" in listed and "Taler" in listed
    model = tmp_path / "model.coppice-model"
    save_model(model, run.trained)
    capsys.readouterr()
    assert main(["predict", str(model), str(march)]) == 1
    refused = capsys.readouterr().err
    assert "'Note'" in refused and "--absent-as-missing" in refused
    assert main(["predict", str(model), str(march), "--absent-as-missing", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["records"]) == 100


def test_rules_stand_before_the_steps_and_can_be_removed_moved_changed_and_undone(
    stage: Stage, tmp_path: Path, wait_until: Wait
) -> None:
    session = stage.session()
    tab = stage.show(PreprocessTab(session), 1280, 800)
    opened(session, month(tmp_path / "january.csv", 60, 1), wait_until)
    clean(session, wait_until)
    pane = tab.findChildren(RecipePane)[0]
    assert session.data is not None
    rules = session.data.origin.cleaning
    assert [line.rule for line in pane._lines] == list(rules)
    place = next(place for place, rule in enumerate(rules) if isinstance(rule, RenameColumn))
    pane.remove_rule(place)
    wait_until(lambda: session.data is not None and "Stadt code" in session.data.schema)
    assert session.data.origin.cleaning == (*rules[:place], *rules[place + 1 :])
    assert session.data.schema.class_attribute.name == "kauft"
    pane.move_rule(1, -1)
    wait_until(lambda: session.data is not None and session.data.origin.cleaning[:2] == (rules[1], rules[0]))
    session.undo_stack.undo()
    session.undo_stack.undo()
    assert session.data.origin.cleaning == rules and len(pane._lines) == len(rules)
    pane.change_rule(place, RenameColumn(column="Stadt code", to="area"))
    wait_until(lambda: session.data is not None and "area" in session.data.schema)
    pane.toggle_rule(place)
    change = part(pane, QPushButton, f"preprocess.rule.{place}.change")
    wait_until(lambda: change.isVisibleTo(pane))
    edits, refusals = RecordEdits(session, session), list[object]()
    tab._changes.refused.connect(refusals.append)
    edits.set_cell(0, 0, "5")
    now = session.data
    pane.remove_rule(0)
    assert len(refusals) == 1 and session.data is now, "the edited cell would be lost"


def test_rules_come_back_with_a_project_and_go_to_another_table_by_a_recipe(
    stage: Stage, tmp_path: Path, wait_until: Wait
) -> None:
    session = stage.session()
    tab = stage.show(PreprocessTab(session), 1280, 800)
    opened(session, month(tmp_path / "january.csv", 60, 1), wait_until)
    clean(session, wait_until)
    assert session.data is not None
    rules, recipe = session.data.origin.cleaning, tmp_path / "r.coppice-recipe"
    pane = tab.findChildren(RecipePane)[0]
    pane.save(str(recipe))
    wait_until(recipe.exists)
    assert load_rules(recipe) == rules
    project = tmp_path / "p.coppice"
    session.saving.save_project(project)
    wait_until(project.exists)
    kept = load_project(project, builtin())
    assert VERSION == 7 and kept.steps[kept.index].document.data.origin.cleaning == rules
    opened(session, month(tmp_path / "february.csv", 50, 2), wait_until)
    session.set_recipe((), "nothing")
    pane.use(str(recipe))
    wait_until(lambda: session.data is not None and session.data.origin.cleaning == rules)
    assert "district" in session.data.schema and "per mark" in session.data.schema
    n = session.undo_stack.index()
    pane.use(str(recipe))
    wait_until(lambda: not session.jobs.running)
    assert session.undo_stack.index() == n


def report(path: Path, n: int, seed: int) -> Path:
    """A file with a title, a mark 999 and days that could be months, of which nothing is recognised by itself."""
    random = np.random.default_rng(seed)
    rows = [f"{random.integers(1, 900)};0{n % 9 + 1}/02/2024;{'ja' if n % 3 else 'nein'}" for n in range(n)]
    path.write_text("\n".join(["Bericht;;", "Betrag;Tag;kauft", *rows, "999;03/04/2024;ja", ""]), "utf-8")
    return path


def test_a_recipe_reads_a_new_table_as_the_one_it_was_saved_from(
    stage: Stage, tmp_path: Path, wait_until: Wait, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ReadOptions(first_row=2, dates={"Tag": "dmy"}, missing_in={"Betrag": ("999",)})
    first, recipe = stage.session(), tmp_path / "report.coppice-recipe"
    first.settings.set("readings", [])
    tab = stage.show(PreprocessTab(first), 1280, 800)
    first.open_file(report(tmp_path / "january.csv", 40, 1), options)
    wait_until(lambda: first.data is not None)
    Changes(first, first).rename("Betrag", "Summe")
    tab.findChildren(RecipePane)[0].save(str(recipe))
    wait_until(recipe.exists)
    kept = load_reading(recipe)
    assert kept is not None and kept.options.first_row == 2 and kept.kinds["Tag"] is AttributeKind.DATE

    second = stage.session()
    second.settings.set("readings", [])
    tab = stage.show(PreprocessTab(second), 1280, 800)
    other = report(tmp_path / "another.csv", 30, 2)
    opened(second, other, wait_until)
    assert second.data is not None and second.data.missing(0).sum() == 0
    tab.findChildren(RecipePane)[0].use(str(recipe))
    wait_until(lambda: second.data is not None and second.data.origin.cleaning != ())
    data = second.data
    assert data.schema.names == ("Summe", "Tag", "kauft") and data.missing(0).tolist() == [False] * 30 + [True]
    assert data.schema.attributes[1].kind is AttributeKind.DATE
    guesses = part(tab, LinkLabel, "preprocess.guesses")
    wait_until(lambda: wording.READ_AS_RECIPE in guesses.text())

    by_command = tmp_path / "clean.csv"
    assert main(["convert", str(other), "--recipe", str(recipe), "--out", str(by_command)]) == 0
    again = read(by_command, RunContext())
    assert again.schema.names == data.schema.names and again.missing(0).sum() == 1
    own = tmp_path / "own.coppice-recipe"
    words = ["--read", "first-row=2", "--read", "missing:Betrag=999", "--read", "dates:Tag=dmy"]
    words += ["--clean", "rename-column:column=Betrag,to=Summe", "--save-recipe", str(own)]
    capsys.readouterr()
    assert main(["convert", str(tmp_path / "january.csv"), *words]) == 0
    assert "own.coppice-recipe" in capsys.readouterr().out
    assert main(["convert", str(other), "--clean", str(own), "--out", str(tmp_path / "same.csv")]) == 0
    assert (tmp_path / "same.csv").read_bytes() == by_command.read_bytes()


def test_a_recipe_on_a_changed_table_says_how_to_read_it_right(stage: Stage, tmp_path: Path, wait_until: Wait) -> None:
    first, recipe = stage.session(), tmp_path / "report.coppice-recipe"
    first.settings.set("readings", [])
    tab = stage.show(PreprocessTab(first), 1280, 800)
    opened(first, report(tmp_path / "january.csv", 40, 1), wait_until)
    assert first.data is not None
    like = FileReading(ReadOptions(delimiter=",", decimal="."), {"Preis": AttributeKind.NUMERIC})
    save_recipe(recipe, (), None, (RenameColumn(column="Preis", to="Summe"),), like)
    Changes(first, first).rename("kauft", "Kauf")
    tab.findChildren(RecipePane)[0].use(str(recipe))
    wait_until(lambda: any(wording.OPEN_AGAIN_FOR_RECIPE in message.sentence for message in first.messages.history))
    assert first.data is not None and "Kauf" in first.data.schema
