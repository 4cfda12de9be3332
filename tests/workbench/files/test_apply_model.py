"""A model is used on a file of records whose class nobody knows, as it is decided now, by keys and mouse only."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QFileDialog, QLabel, QMessageBox, QPushButton, QTableView, QTreeView

from algorithms.core.run_control import RunContext
from algorithms.data.schema import nominal
from algorithms.evaluation.compare.ranking import By, Ranking
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, rule_words
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import train
from algorithms.filters.arrange_attributes import RemoveAttributes
from algorithms.filters.second_table import JoinTable
from algorithms.io.reading import read
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.stump import DecisionStump
from tests.expected_texts import core as core_wording
from tests.expected_texts import files as wording
from tests.workbench.person import Person
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, Wait, activate, drop, judged, part, small_data, type_path
from workbench.app.main_window import MainWindow
from workbench.files.apply_model import LONGEST_CELL, MOST_COLUMNS
from workbench.session.learner_comparison import Trial
from workbench.widgets.tables import TextModel


@pytest.fixture
def window(stage: Stage, wait_until: Wait) -> MainWindow:
    """A window with a judged model that decides by least expected cost: taking a yes for a no is dear."""
    window = stage.window()
    session = window.session
    stage.open(session, small_data(240, seed=5))
    run = judged(session, wait_until, NaiveBayes(), CrossValidation(folds=5))
    session.set_costs(CostMatrix(session.classes, ((0.0, 20.0), (1.0, 0.0))))
    session.decisions.choose(run, ByCost())
    return window


@pytest.fixture
def unknown(tmp_path: Path) -> Path:
    """Forty records without a class; one value is missing, and a column is new."""
    random, path = np.random.default_rng(9), tmp_path / "new ones.csv"
    rows = [f"{each:.4f},{random.normal():.4f},{at}" for at, each in enumerate(random.normal(0.5, 0.6, 40))]
    rows[7] = ",0.5,7"
    path.write_text("\n".join(["first,second,ward", *rows]) + "\n", encoding="utf-8")
    return path


def expected(window: MainWindow, path: Path) -> tuple[list[str], list[str]]:
    """What should be decided of each record of a file by least expected cost, and what the model itself says."""
    run = window.session.runs[0]
    assert run.trained is not None
    data = read(str(path), RunContext())
    shares, classes = run.trained.predict_proba(data), run.trained.classes
    costs = np.array([[0.0, 20.0], [1.0, 0.0]])
    order = [("yes", "no").index(label) for label in classes]
    by_cost = (np.asarray(shares, dtype=np.float64) @ costs[np.ix_(order, order)]).argmin(axis=1)
    return [classes[code] for code in by_cost], [classes[code] for code in run.trained.predict(data)]


def saved_from_the_question(person: Person, path: Path, wait_until: Wait) -> list[dict[str, str]]:
    """The rows of the file that the question's first button writes."""
    person.click("using.save")
    type_path(person.see(QFileDialog, "file_dialog"), path, wait_until)
    messages = person.window.session.messages
    wait_until(lambda: any(wording.saved_40(path.name) in message.text for message in messages.history))
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def test_the_model_in_view_decides_the_records_of_a_file_as_it_is_decided_now(
    window: MainWindow, unknown: Path, tmp_path: Path, wait_until: Wait
) -> None:
    person = Person(window, wait_until)
    by_cost, itself = expected(window, unknown)
    assert by_cost != itself
    activate(window, wait_until)
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL)
    type_path(person.see(QFileDialog, "file_dialog"), unknown, wait_until)
    box = person.see(QMessageBox, "question_box")
    assert box.text() == wording.WHAT_RUN_1_SAYS
    said = box.informativeText()
    for label, n in Counter(by_cost).items():
        assert f"{label} {n} times" in said
    positive = window.session.positive_label
    assert wording.decides_by_cost_at({"yes": "4.8%", "no": "95.2%"}[positive], positive) in said
    assert wording.NO_PREDICTED_YES_1 in said and wording.YES_PREDICTED_NO_20 in said
    assert wording.WARD_IS_NEW in said
    assert wording.ONE_INCOMPLETE in said
    table = person.see(QTableView, "using.answers").model()
    assert table.headerData(1, Qt.Orientation.Horizontal) == "predicted"
    answers = [[table.index(row, column).data() for column in range(3)] for row in range(table.rowCount())]
    assert [said for _number, said, _sure in answers] == by_cost
    rows = saved_from_the_question(person, tmp_path / "answers.csv", wait_until)
    positive = window.session.classes[window.session.class_of_interest]
    assert table.headerData(2, Qt.Orientation.Horizontal) == f"probability {positive}"
    shares = [float(row[f"probability {positive}"]) for row in rows]
    assert [f"{share:.3f}" for share in shares] == [sure for _number, _said, sure in answers]
    assert {row["predicted by"] for row in rows} == {wording.SAID_BY_RUN_1}
    assert [row["predicted"] for row in rows] == by_cost
    assert [row["ward"] for row in rows] == [str(at) for at in range(40)]
    by = {row["decision rule"] for row in rows}
    assert len(by) == 1 and sorted(by.pop().removeprefix(wording.DECIDED_BY_COST_WITH).split(", ")) == [
        wording.NO_PREDICTED_YES_1,
        wording.YES_PREDICTED_NO_20,
    ]
    assert all(abs(float(row["probability yes"]) + float(row["probability no"]) - 1) < 1e-5 for row in rows)


def test_the_dialogs_for_files_and_predictions_cut_nothing(
    window: MainWindow, unknown: Path, tmp_path: Path, wait_until: Wait
) -> None:
    person, wide = Person(window, wait_until), tmp_path / "wide.csv"
    table = read(str(unknown), RunContext())
    names = [f"measurement {number}" for number in range(5)]
    rows = [",".join(("first", "second", *names)), *(",".join(["0.5"] * 7) for _ in range(len(table)))]
    wide.write_text("\n".join(rows) + "\n", encoding="utf-8")
    activate(window, wait_until)
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL)
    dialog = person.see(QFileDialog, "file_dialog")
    kinds, files = part(dialog, QComboBox, "fileTypeCombo"), part(dialog, QTreeView, "treeView")
    assert kinds.fontMetrics().horizontalAdvance(kinds.currentText()) < kinds.width() - 40
    wait_until(lambda: all(files.columnWidth(column) >= files.sizeHintForColumn(column) for column in range(1, 4)))
    type_path(dialog, wide, wait_until)
    answers = person.see(QTableView, "using.answers")
    header = answers.horizontalHeader()
    ends = [header.sectionViewportPosition(column) + header.sectionSize(column) for column in range(header.count())]
    assert answers.viewport().width() >= ends[-1] or answers.viewport().width() in ends


def test_where_costs_are_set_and_not_decided_by_the_answers_say_so(
    window: MainWindow, unknown: Path, wait_until: Wait
) -> None:
    person, session = Person(window, wait_until), window.session
    by_cost, itself = expected(window, unknown)
    session.decisions.choose(session.runs[0], None)
    activate(window, wait_until)
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL)
    type_path(person.see(QFileDialog, "file_dialog"), unknown, wait_until)
    box = person.see(QMessageBox, "question_box")
    assert box.windowTitle() == wording.predictions_for(unknown.name)
    said = box.informativeText()
    for label, n in Counter(itself).items():
        assert f"{label} {n} times" in said
    assert wording.DECIDES_AS_MODEL_THOUGH_COSTS in said and wording.DEFAULT_AT_HALF in said
    assert by_cost != itself


def test_a_compared_run_takes_the_rule_that_ranked_it_once_a_file_is_chosen(
    window: MainWindow, unknown: Path, wait_until: Wait
) -> None:
    person, session = Person(window, wait_until), window.session
    run, comparison = session.runs[0], session.analyses.comparison
    by_cost, _ = expected(window, unknown)
    session.decisions.choose(run, None)
    comparison.current = Trial((), run.method, run.seed, ranking=Ranking((), False, By.COST), costs=session.costs)
    session.saving_asked.emit("ranked-file")
    dialog = person.see(QFileDialog, "file_dialog")
    dialog.reject()
    wait_until(lambda: window.findChild(QFileDialog, "file_dialog") is None)
    assert session.decisions.chosen(run) is None, "cancelled: nothing has changed"
    session.saving_asked.emit("file")
    type_path(person.see(QFileDialog, "file_dialog"), unknown, wait_until)
    person.see(QMessageBox, "question_box").reject()
    wait_until(lambda: window.findChild(QMessageBox, "question_box") is None)
    assert session.decisions.chosen(run) is None, "not taken from the ranking: by the rule of the run itself"
    session.saving_asked.emit("ranked-file")
    type_path(person.see(QFileDialog, "file_dialog"), unknown, wait_until)
    said = person.see(QMessageBox, "question_box").informativeText()
    assert session.decisions.chosen(run) == ByCost() and wording.DECIDES_BY_COST in said
    assert all(f"{label} {n} times" in said for label, n in Counter(by_cost).items())


def test_missing_costs_and_the_threshold_of_each_record_are_told(
    window: MainWindow, unknown: Path, tmp_path: Path, wait_until: Wait
) -> None:
    person, session = Person(window, wait_until), window.session
    session.set_costs(CostMatrix(session.classes, ((0.0, "first * first + 1"), (1.0, 0.0))))
    session.decisions.choose(session.runs[0], ByCost())
    activate(window, wait_until)
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL)
    type_path(person.see(QFileDialog, "file_dialog"), unknown, wait_until)
    words = person.see(QMessageBox, "question_box").informativeText()
    assert wording.MISSING_FOR_1_RECORD in words
    table = person.see(QTableView, "using.answers").model()
    positive = session.classes[session.class_of_interest]
    assert wording.own_threshold_for(positive) in words
    assert table.headerData(3, Qt.Orientation.Horizontal) == wording.from_percent(positive)
    answers = [[table.index(row, column).data() for column in range(4)] for row in range(table.rowCount())]
    assert all((label == positive) == (float(p) >= float(least)) for _n, label, p, least in answers if p != least)
    rows = saved_from_the_question(person, tmp_path / "answers.csv", wait_until)
    saved = [f"{float(row[f'threshold {positive}']):.3f}" for row in rows]
    assert saved == [least for *_others, least in answers] and len(set(saved)) > 1


def test_a_saved_model_keeps_what_decides_and_is_used_like_a_table_is_opened(
    window: MainWindow, stage: Stage, unknown: Path, tmp_path: Path, wait_until: Wait
) -> None:
    by_cost, _itself = expected(window, unknown)
    kept = tmp_path / "kept.coppice-model"
    session = window.session
    session.saving.save_model(session.runs[0], kept)
    words = wording.SAVED_MODEL_DECIDES_BY_COST
    wait_until(lambda: any(words in message.text for message in session.messages.history))

    empty = stage.window()
    person = Person(empty, wait_until)
    drop(empty, kept)
    box = person.see(QMessageBox, "question_box")
    assert wording.NAIVE_BAYES_OF_SMALL in box.text() and wording.BY_LEAST_EXPECTED_COST in box.informativeText()
    person.click("using.choose_file")
    type_path(person.see(QFileDialog, "file_dialog"), unknown, wait_until)
    person.see(QMessageBox, "question_box")
    rows = saved_from_the_question(person, tmp_path / "answers.csv", wait_until)
    assert [row["predicted"] for row in rows] == by_cost
    assert empty.session.data is None  # nothing was opened


def test_the_saved_column_names_the_threshold_that_decided_or_the_model_itself(window: MainWindow) -> None:
    session = window.session
    run = session.runs[0]
    session.set_class_of_interest(0)
    label = session.classes[0]
    for choice, words in (
        (AtThreshold(label, 0.0912345678), wording.from_probability(label)),
        (AtThreshold(label, float("inf")), f"never {label}"),
        (AtThreshold(label, 0.0), f"always {label}"),
        (None, wording.DEFAULT_RULE),
    ):
        session.decisions.choose(run, choice)
        trained = session.decisions.classifier_of(run)
        assert trained is not None and rule_words(trained.deciding) == words


def test_a_file_without_a_column_that_the_model_needs_is_refused_with_its_name(
    window: MainWindow, tmp_path: Path, wait_until: Wait
) -> None:
    lacking, session = tmp_path / "lacking.csv", window.session
    lacking.write_text("third\n0.5\n0.7\n", encoding="utf-8")
    trained = session.runs[0].trained
    assert trained is not None
    window.files.using.use(trained, "a model", str(lacking))
    wait_until(lambda: any("first" in message.text for message in session.messages.history))
    assert any(wording.CANNOT_BE_USED in message.text for message in session.messages.history)
    assert window.findChild(QMessageBox, "question_box") is None


def test_a_column_that_a_file_lacks_counts_as_missing_when_that_is_asked_for(
    window: MainWindow, person: Person, tmp_path: Path, wait_until: Wait
) -> None:
    lacking, session = tmp_path / "lacking.csv", window.session
    lacking.write_text("second\n0.5\n0.7\n", encoding="utf-8")
    trained = session.runs[0].trained
    assert trained is not None
    window.files.using.use(trained, "a model", str(lacking))
    wait_until(lambda: window.findChild(QMessageBox, "question_box") is not None)
    box = part(window, QMessageBox, "question_box")
    assert core_wording.column_is_missing("first") in box.text() and wording.TREAT_AS_MISSING in box.informativeText()
    assert wording.CANNOT_BE_USED not in box.text() and box.text().startswith("lacking.csv: ")
    person.click("using.missing")
    wait_until(lambda: window.findChild(QPushButton, "using.save") is not None)
    box = next(each for each in window.findChildren(QMessageBox) if each.findChild(QPushButton, "using.save"))
    assert wording.FIRST_IS_MISSING_IN_BOTH in box.informativeText()
    assert "2 records" in box.text()
    person.click("using.save")
    answers = tmp_path / "answers.csv"
    type_path(person.see(QFileDialog, "file_dialog"), answers, wait_until)
    wait_until(lambda: any("Saved answers.csv" in message.text for message in session.messages.history))
    with answers.open(encoding="utf-8") as lines:
        decided = {row["decision rule"].partition("; ")[2] for row in csv.DictReader(lines)}
    assert decided == {wording.DECIDED_WITHOUT_FIRST}


def test_where_the_file_knows_the_class_it_is_said_how_often_the_model_is_right_and_when_that_says_little(
    window: MainWindow, tmp_path: Path, wait_until: Wait
) -> None:
    person, session = Person(window, wait_until), window.session
    run = session.runs[0]
    assert run.trained is not None and session.data is not None
    learned_from = tmp_path / "small.csv"
    first, second, codes = (session.data.column(at) for at in range(3))
    rows = [f"{a},{b},{('yes', 'no')[int(c)]}" for a, b, c in zip(first, second, codes, strict=True)]
    learned_from.write_text("\n".join(["first,second,class", *rows]) + "\n", encoding="utf-8")
    right = int(np.count_nonzero(run.trained.predict(session.data) == codes))
    session.decisions.choose(run, None)
    window.files.using.use(run.trained, "run 1", str(learned_from))
    said = person.see(QMessageBox, "question_box").informativeText()
    assert wording.right_on(right) in said and wording.OPTIMISTIC_FOR_TRAINING in said


def test_a_file_from_elsewhere_with_known_classes_is_told_its_costs_and_not_called_optimistic(
    window: MainWindow, tmp_path: Path, wait_until: Wait
) -> None:
    """Only the correct predictions were counted, though the rule decides by least expected cost."""
    person, session = Person(window, wait_until), window.session
    run = session.runs[0]
    trained = session.decisions.classifier_of(run)
    assert run.trained is not None and trained is not None and session.data is not None
    elsewhere = tmp_path / "elsewhere.csv"
    first, second, codes = (session.data.column(at) for at in range(3))
    rows = [f"{a},{b},{('yes', 'no')[int(c)]}" for a, b, c in zip(first, second, codes, strict=True)]
    elsewhere.write_text("\n".join(["first,second,class", *rows]) + "\n", encoding="utf-8")
    costs = np.array([[0.0, 20.0], [1.0, 0.0]])
    totals = [float(costs[codes, decided.predict(session.data)].sum()) for decided in (trained, run.trained)]
    assert totals[0] < totals[1]
    window.files.using.use(trained, "run 1", str(elsewhere))
    said = person.see(QMessageBox, "question_box").informativeText()
    assert wording.costs_in_total(*totals) in said and wording.OPTIMISTIC_FOR_TRAINING not in said


def test_what_is_saved_has_the_columns_letter_by_letter_as_the_file_had_them(
    window: MainWindow, tmp_path: Path, wait_until: Wait
) -> None:
    person, session, path = Person(window, wait_until), window.session, tmp_path / "more.csv"
    lines = ["first;second;id;day", "0,50;247,0;007;2026-01-05", "1,00;NA;008;5.1.2026", "0,25;1,0;009;"]
    path.write_text("\n".join([lines[0], *lines[1:] * 10]) + "\n", encoding="utf-8")
    trained = session.runs[0].trained
    assert trained is not None
    window.files.using.use(trained, "run 1", str(path))
    person.see(QMessageBox, "question_box")
    target = tmp_path / "answers.csv"
    person.click("using.save")
    type_path(person.see(QFileDialog, "file_dialog"), target, wait_until)
    wait_until(lambda: any(wording.SAVED_30_ANSWERS in message.text for message in session.messages.history))
    saved = target.read_text(encoding="utf-8-sig").splitlines()
    assert [line.split(";")[:4] for line in saved] == [line.split(";") for line in (lines[0], *lines[1:] * 10)]
    assert len(read(str(target), RunContext())) == 30


def test_a_file_larger_than_memory_is_asked_about_and_a_project_is_called_one(
    window: MainWindow, unknown: Path, tmp_path: Path, wait_until: Wait
) -> None:
    person, session, project = Person(window, wait_until), window.session, tmp_path / "kept.coppice"
    using, trained = window.files.using, session.runs[0].trained
    assert trained is not None
    using.free_memory = lambda: 100
    using.use(trained, "run 1", str(unknown))
    assert "too large" in person.see(QMessageBox, "question_box").text() and not session.jobs.running
    person.click("question_box.stay")
    using.free_memory = lambda: None
    session.saving.save_project(str(project))
    wait_until(lambda: not session.jobs.running)
    using.use(trained, "run 1", str(project))
    wait_until(lambda: any(wording.IS_A_PROJECT in message.text for message in session.messages.history))


def test_of_a_wide_file_the_first_columns_are_shown_and_each_is_measured_once(
    window: MainWindow, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Counter[str]()

    def counted(model: TextModel, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        asked["cells"] += 1
        return told(model, index, role)

    told = TextModel.data
    monkeypatch.setattr(TextModel, "data", counted)
    path = tmp_path / "wide.csv"
    heads, more = ["first", "second", *(f"gene number {at}" for at in range(70))], ",".join(["9.25"] * 69)
    path.write_text("\n".join([",".join(heads), *(f"0.{at},1,{'long ' * 40},{more}" for at in range(90))]) + "\n")
    person = Person(window, wait_until)
    activate(window, wait_until)
    QTest.keyClick(window, Qt.Key.Key_P, CONTROL)
    type_path(person.see(QFileDialog, "file_dialog"), path, wait_until)
    table = person.see(QTableView, "using.answers")
    assert table.model().columnCount() == 3 + MOST_COLUMNS and table.model().rowCount() == 90
    words = [label.text() for label in person.see(QMessageBox, "question_box").findChildren(QLabel)]
    assert wording.ALL_SAVED_WITH_32_MORE in words
    assert asked["cells"] < 90 * (3 + MOST_COLUMNS)
    head = table.horizontalHeader()
    for column in range(6, 3 + MOST_COLUMNS):
        name = f"gene number {column - 5}"
        assert table.model().headerData(column, Qt.Orientation.Horizontal) == name
        assert table.columnWidth(column) >= head.sectionSizeHint(column) > head.fontMetrics().horizontalAdvance(name)
    assert LONGEST_CELL - 5 < len(table.model().index(0, 5).data()) <= LONGEST_CELL


def test_a_newer_second_table_can_be_chosen_for_new_records(
    window: MainWindow, person: Person, tmp_path: Path, wait_until: Wait
) -> None:
    data = small_data(60, seed=5)
    keys = nominal("town", ("t0", "t1"))
    data = data.with_new_column(keys, data.class_codes, at=0)
    towns, newer, records = tmp_path / "towns.csv", tmp_path / "newer.csv", tmp_path / "records.csv"
    towns.write_text("town,size\nt0,1\nt1,9\n", encoding="utf-8")
    newer.write_text("town,size\nt0,9\nt1,1\n", encoding="utf-8")
    records.write_text("town,first,second\nt0,0,0\nt1,0,0\n", encoding="utf-8")
    steps = (JoinTable(path=str(towns), key="town"), RemoveAttributes(columns=("town", "first", "second")))
    trained = train(DecisionStump(), data, steps, RunContext(seed=1))
    classes = data.schema.classes
    for button, expected_labels in (("using.remembered", classes), ("using.second", classes[::-1])):
        window.files.using.use(trained, "a model", str(records))
        wait_until(lambda button=button: window.findChild(QPushButton, button) is not None)
        box = part(window, QMessageBox, "question_box")
        assert box.text() == wording.COLUMNS_FROM_TOWNS
        person.click(button)
        if button == "using.second":
            type_path(person.see(QFileDialog, "file_dialog"), newer, wait_until)
        wait_until(lambda: window.findChild(QPushButton, "using.save") is not None)
        answers = person.see(QTableView, "using.answers").model()
        assert tuple(answers.index(row, 1).data() for row in range(2)) == expected_labels
        box = next(each for each in window.findChildren(QMessageBox) if each.findChild(QPushButton, "using.save"))
        box.close()
        box.deleteLater()
        wait_until(lambda: window.findChild(QPushButton, "using.save") is None)
