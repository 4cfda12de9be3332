"""The page of experiments: from nothing to an exported table; stop and continue; failed cells; a cell as a run."""

from __future__ import annotations

import csv
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QListWidget, QPushButton

from algorithms.catalogue import builtin
from algorithms.core.files import Lock
from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import CrossValidation, RepeatedHoldout
from algorithms.experiments import SUFFIX
from algorithms.experiments.experiment import Experiment, ExperimentData
from algorithms.experiments.experiment_file import CellState, ExperimentFile, FailureKind
from algorithms.experiments.running import Reader, read_declared, run_experiment
from algorithms.filters.scale import Scale
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.person import Person
from tests.workbench.window_helpers import Wait, click, drop, part, type_path
from workbench.app.main_window import MainWindow
from workbench.jobs.messages import Message
from workbench.session import experiments as session_experiments
from workbench.session.experiments import Experiments
from workbench.tabs.evaluate.experiment_page import CELLS, ExperimentPage

LEARNERS = (ZeroR(), DecisionStump(), NaiveBayes())


def written(folder: Path, name: str, n: int = 40, shift: float = 0.0) -> Path:
    """A small table, of which the first column tells the class with a few errors."""
    lines = ["x,y,kind"]
    lines += [f"{i + shift},{(i * 7) % 11},{'ab'[(i >= n // 2) != (i % 9 == 0)]}" for i in range(n)]
    path = folder / name
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    return [written(tmp_path, f"t{number}.csv", 40 + 4 * number, number) for number in range(3)]


def declared(tables: list[Path]) -> Experiment:
    data = tuple(ExperimentData(str(path), "kind") for path in tables)
    return Experiment(data, LEARNERS, methods=(CrossValidation(folds=3),))


def dialog(wait_until: Wait) -> QFileDialog:
    def shown() -> list[QFileDialog]:
        return [top for top in QApplication.topLevelWidgets() if isinstance(top, QFileDialog) and top.isVisible()]

    wait_until(shown)
    return shown()[0]


def page_of(window: MainWindow) -> ExperimentPage:
    return next(page for page in window.findChildren(ExperimentPage) if page.isVisible())


def has_ended(experiments: Experiments) -> bool:
    return experiments.experiment is not None and not experiments.is_running and not experiments.is_reading


def ran(window: MainWindow, tables: list[Path], path: Path, wait_until: Wait) -> ExperimentPage:
    """The page of an experiment that was run."""
    experiments = window.session.experiments
    experiments.create(str(path), declared(tables))
    wait_until(lambda: has_ended(experiments) and not experiments.counts[CellState.WAITING])
    experiments.show_page()
    wait_until(lambda: any(page.isVisible() for page in window.findChildren(ExperimentPage)))
    return page_of(window)


def from_a_stranger(tables: list[Path], folder: Path) -> Path:
    """An experiment in a folder of its own, whose tables lie elsewhere."""
    folder.mkdir()
    ExperimentFile.create(path := folder / f"letter{SUFFIX}", declared(tables), builtin()).close()
    return path


def question(window: MainWindow) -> Message | None:
    """The question whether files may be opened."""
    return next((m for m in window.session.messages.open if m.action_text.startswith("Allow")), None)


def choose_cell(page: ExperimentPage, row: int, column: int) -> None:
    grid = page.cells.grid
    grid.selectionModel().setCurrentIndex(
        grid.cells.index(row, column), QItemSelectionModel.SelectionFlag.ClearAndSelect
    )


def test_from_nothing_to_an_exported_table(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    part(window, QLabel, "welcome.experiment").linkActivated.emit("experiment")
    page = page_of(window)
    start = part(window, QPushButton, "experiment.run")
    assert not start.isEnabled()
    page.form.add([str(path) for path in tables])
    wait_until(lambda: all(data.is_read for data in page.form.data.offered))
    assert [data.class_name for data in page.form.data.offered] == ["kind"] * 3
    offered = [page.form.data.item(row, 0).text() for row in range(3)]
    wanted = {learner.name for learner in LEARNERS}
    for row in range(page.form.learners.count()):
        item = page.form.learners.item(row)
        if item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            item.setCheckState(Qt.CheckState.Checked if item.text() in wanted else Qt.CheckState.Unchecked)
    assert page.form.n_cells.text() == wording.NINE_CELLS and start.isEnabled()
    click(start)
    type_path(dialog(wait_until), path := tmp_path / f"three{SUFFIX}", wait_until)
    experiments = window.session.experiments
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.DONE] == 9)
    assert path.exists() and experiments.experiment is not None
    assert [data.source for data in experiments.experiment.data] == ["t0.csv", "t1.csv", "t2.csv"]
    cells = page.cells.grid.cells
    assert cells.size() == (3, 4)
    assert [cells.text(row, 0) for row in range(3)] == offered, "one name for a table, in the form and in the grid"
    assert all(cells.text(row, column).endswith("%") for row in range(3) for column in range(1, 4))

    person.click("experiment.view.results")
    names = [page.results.table.item(row, 0).text() for row in range(page.results.table.rowCount())]
    assert sorted(names) == sorted(wanted) and page.results.headline.text()
    assert page.results.diagram.overall is not None
    experiments.choose(baseline=ZeroR.name)
    wait_until(lambda: bool(experiments.results.against))
    assert page.results.table.columnCount() == 9
    window.findChild(QAction, "experiment.export.scores").trigger()
    type_path(dialog(wait_until), exported := tmp_path / "scores.tex", wait_until)
    wait_until(exported.exists)
    assert "t2" in exported.read_text(encoding="utf-8")
    assert window.session.settings.recent_files[0] == str(path.resolve())


def test_stop_keeps_what_is_done_and_continue_computes_the_rest(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    experiments = window.session.experiments
    experiments.show_page()
    experiments.create(str(tmp_path / f"stopped{SUFFIX}"), declared(tables))
    wait_until(lambda: experiments.counts[CellState.DONE] > 0)
    experiments.stop()
    wait_until(lambda: has_ended(experiments))
    first = {place: record for place, record in experiments.records.items() if record.state is CellState.DONE}
    assert first and not experiments.failure
    if len(first) < 9:
        person.click("experiment.continue")
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.DONE] == 9)
    for place, record in first.items():
        assert experiments.records[place].measures == record.measures
        assert experiments.records[place].fit_seconds == record.fit_seconds


def test_a_cell_that_fails_says_why_and_is_repeated_or_left_out(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    content = tables[1].read_text()
    tables[1].write_text("x,y\n1,2\n3,4\n")
    page = ran(window, tables, tmp_path / f"failing{SUFFIX}", wait_until)
    experiments = window.session.experiments
    assert experiments.counts[CellState.FAILED] == 3 and experiments.counts[CellState.DONE] == 6
    assert page.start.text() == wording.REPEAT_FAILED and not page.left_words.isVisible(), "no time is left"
    choose_cell(page, 1, 1)
    assert page.cells.grid.cells.text(1, 1) == "failed"
    assert wording.WHERE_THE_CLASS_IS in page.cells.words.text()
    assert wording.NO_COLUMN_KIND in page.cells.words.text() and wording.NO_COLUMN_KIND in page.cells.grid.cells.tip(
        1, 1
    )
    person.click("experiment.leave-out")
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.LEFT_OUT] == 1)
    choose_cell(page, 1, 1)
    person.click("experiment.leave-out")  # use it again
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.LEFT_OUT] == 0)
    tables[1].write_text(content)
    person.click("experiment.continue")
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.DONE] == 9)


def test_a_cell_opens_as_a_run_on_its_own_table_and_a_second_one_beside_it(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    page, session = ran(window, tables, tmp_path / f"run{SUFFIX}", wait_until), window.session
    accuracy = session.experiments.records[0, 1, 0, 0, 1].measures["accuracy"]
    choose_cell(page, 0, 2)
    person.click("experiment.open-cell")
    wait_until(lambda: session.current_run is not None)
    run = session.current_run
    assert run is not None and run.report is not None and run.trained is not None
    assert run.learner == DecisionStump() and run.report.accuracy == pytest.approx(accuracy)
    assert session.data is run.data and window.top.tabs.currentIndex() == 2
    session.ask_for_page("experiment")
    wait_until(lambda: any(page.isVisible() for page in window.findChildren(ExperimentPage)))
    page = page_of(window)
    choose_cell(page, 0, 3)
    person.click("experiment.open-cell")
    wait_until(lambda: len(session.runs) == 2)
    assert session.runs[1].data is run.data and session.current_run is session.runs[1]


def test_an_experiment_is_opened_by_dropping_its_file_and_a_wrong_one_is_said(
    window: MainWindow, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    path = tmp_path / f"dropped{SUFFIX}"
    ran(window, tables, path, wait_until)
    experiments = window.session.experiments
    experiments.choose(measure="kappa")
    wait_until(lambda: has_ended(experiments))
    drop(window, path)
    wait_until(lambda: experiments.choice.measure == "accuracy")
    assert page_of(window)._stack.currentIndex() == CELLS
    wrong = tmp_path / f"wrong{SUFFIX}"
    wrong.write_text("no experiment")
    drop(window, wrong)
    wait_until(lambda: bool(window.session.messages.open))
    assert wording.NO_EXPERIMENT in window.session.messages.open[-1].text
    assert experiments.path == path


def test_tables_that_only_the_experiment_names_are_read_once_the_user_allows_it(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    experiments = window.session.experiments
    drop(window, path := from_a_stranger(tables, tmp_path / "mail"))
    wait_until(lambda: has_ended(experiments) and experiments.path == path)
    person.click("experiment.continue")
    wait_until(lambda: question(window) is not None and has_ended(experiments))
    asked = question(window)
    assert asked is not None and asked.action is not None and asked.action_text == "Allow them"
    assert all(str(table) in asked.text for table in tables)
    page = page_of(window)
    assert wording.ONLY_THE_EXPERIMENT in page.failure.words.text() and page.failure.isVisible()
    assert experiments.counts[CellState.WAITING] == 9
    person.click("experiment.again")
    wait_until(lambda: has_ended(experiments) and bool(experiments.failure) and question(window) not in (None, asked))
    assert sum(m.action_text == "Allow them" for m in window.session.messages.open) == 1
    asked.action()
    person.click("experiment.continue")
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.DONE] == 9)
    assert question(window) is None and not experiments.failure


def test_tables_that_the_user_opened_or_that_lie_beside_the_experiment_are_read_at_once(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    experiments = window.session.experiments
    path = from_a_stranger(tables[:1], tmp_path / "mail")
    beside = replace(declared(tables[1:]).data[0], source=written(path.parent, "beside.csv", 60).name)
    with ExperimentFile.open(path, builtin(), write=True) as file:
        file.extend(file.experiment.extended(replace(file.experiment, data=(beside,))))
    window.session.open_file(tables[0])
    wait_until(lambda: window.session.data is not None)
    drop(window, path)
    wait_until(lambda: has_ended(experiments) and experiments.path == path)
    person.click("experiment.continue")
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.DONE] == 6)
    assert question(window) is None


def test_a_cell_of_a_stranger_opens_as_a_run_once_its_table_is_allowed(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    path, session = from_a_stranger(tables[:1], tmp_path / "mail"), window.session
    with ExperimentFile.open(path, builtin(), write=True) as file:
        run_experiment(file, RunContext(), read_declared(builtin(), file.folder))
    drop(window, path)
    wait_until(lambda: has_ended(session.experiments) and session.experiments.path == path)
    choose_cell(page_of(window), 0, 2)
    person.click("experiment.open-cell")
    wait_until(lambda: question(window) is not None)
    asked = question(window)
    assert asked is not None and asked.action is not None
    assert asked.place == str(tables[0]) and session.data is None
    asked.action()
    person.click("experiment.open-cell")
    wait_until(lambda: session.current_run is not None)
    assert session.data is not None and session.data.origin.path == str(tables[0])
    assert not session.experiments.failure


def test_a_locked_file_is_said_on_the_page(
    window: MainWindow, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    path = tmp_path / f"locked{SUFFIX}"
    page, experiments = ran(window, tables, path, wait_until), window.session.experiments
    lock = Lock(path.with_name(f"{path.name}.lock"))
    assert lock.acquire()
    experiments.repeat([experiments.records[0, 0, 0, 0, 1].cell])
    wait_until(lambda: bool(experiments.failure) and has_ended(experiments))
    assert wording.RUN_BY_ANOTHER_PROCESS in page.failure.words.text() and page.failure.isVisible()
    lock.release()
    assert experiments.counts[CellState.DONE] == 9


def test_results_and_exports_do_not_wait_for_the_run(
    window: MainWindow, tables: list[Path], tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = threading.Event()

    def held(file: ExperimentFile, context: RunContext, read: Reader, *, cells: None) -> None:
        first = [cell for cell in file.experiment.cells() if cell.data == 0]
        run_experiment(file, context.child(0.5, 0), read, cells=first)
        while not goes_on.wait(0.01):
            context.checkpoint()
        run_experiment(file, context.child(0.5, 1), read, cells=cells)

    monkeypatch.setattr(session_experiments, "run_experiment", held)
    experiments = window.session.experiments
    experiments.create(str(tmp_path / f"held{SUFFIX}"), declared(tables))

    def has_scores() -> bool:
        table = experiments.results.table
        return table is not None and bool(np.isfinite(table.scores).any())

    wait_until(has_scores)
    assert experiments.is_computing and experiments.counts[CellState.DONE] == 3
    experiments.choose(measure="kappa")
    wait_until(lambda: experiments.results.table is not None and experiments.results.table.measure.id == "kappa")
    experiments.export(str(exported := tmp_path / "cells.csv"), "cells")
    wait_until(lambda: any(exported.name in message.text for message in window.session.messages.open))
    assert NaiveBayes.id in exported.read_text(encoding="utf-8")
    assert experiments.is_computing and experiments.counts[CellState.WAITING] == 6
    goes_on.set()
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.DONE] == 9)
    assert experiments.results.overall is not None and not experiments.failure


def test_repeat_computes_the_chosen_cells_only_and_leaving_out_computes_none(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    content = tables[1].read_text()
    tables[1].write_text("x,y\n1,2\n3,4\n")
    page = ran(window, tables, tmp_path / f"chosen{SUFFIX}", wait_until)
    experiments = window.session.experiments
    tables[1].write_text(content)
    heard: list[bool] = []
    experiments.changed.connect(lambda: heard.append(experiments.is_computing or page.stop.isVisible()))
    choose_cell(page, 1, 2)
    person.click("experiment.leave-out")
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.LEFT_OUT] == 1)
    assert heard and not any(heard) and experiments.counts[CellState.FAILED] == 2
    choose_cell(page, 1, 1)
    person.click("experiment.repeat")
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.DONE] == 7)
    assert any(heard) and experiments.records[1, 0, 0, 0, 1].state is CellState.DONE
    assert experiments.counts[CellState.FAILED] == 1 and experiments.counts[CellState.LEFT_OUT] == 1


def test_a_click_on_a_name_chooses_the_cells_of_its_row(
    window: MainWindow, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    page = ran(window, tables, tmp_path / f"row{SUFFIX}", wait_until)
    grid = page.cells.grid
    place = grid.visualRect(grid.cells.index(1, 0)).center()
    QTest.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert sorted(grid.chosen()) == [(1, 1), (1, 2), (1, 3)]
    assert page.cells.repeat.isEnabled()


def test_several_methods_recipes_and_seeds_are_declared_in_the_form(
    window: MainWindow, person: Person, tables: list[Path], wait_until: Wait
) -> None:
    window.session.experiments.show_page(is_declaring=True)
    wait_until(lambda: any(page.isVisible() for page in window.findChildren(ExperimentPage)))
    form = page_of(window).form
    form.add([str(path) for path in tables])
    wait_until(lambda: all(data.is_read for data in form.data.offered))

    def tick(rows: QListWidget, name: str) -> None:
        (item,) = rows.findItems(name, Qt.MatchFlag.MatchExactly)
        item.setCheckState(Qt.CheckState.Checked)

    assert not form.methods.findItems(RepeatedHoldout.name, Qt.MatchFlag.MatchExactly)
    part(window, QLabel, "experiment.methods.more").linkActivated.emit("more")
    tick(form.methods, RepeatedHoldout.name)
    tick(form.recipes, Scale.name)
    form.seeds.show_value((1, 2))
    form.seeds.changed.emit()
    declared = form.experiment()
    assert [type(method) for method in declared.methods] == [CrossValidation, RepeatedHoldout]
    assert declared.recipes == ((), (Scale(),)) and declared.seeds == (1, 2)
    assert declared.n_cells == 3 * 5 * 2 * 2 * 2 and wording.CELLS_120 in form.n_cells.text()
    form.methods.setCurrentRow(0)
    person.type("experiment.settings.option.folds", "4")
    assert form.experiment().methods[0] == CrossValidation(folds=4)
    assert form.methods.item(0).text() == f"{CrossValidation.name} *"


def test_a_moved_file_is_pointed_to_and_its_cells_stay(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    page = ran(window, tables, tmp_path / f"moved{SUFFIX}", wait_until)
    experiments = window.session.experiments
    before = {place: record.measures for place, record in experiments.records.items()}
    (tmp_path / "elsewhere").mkdir()
    moved = tables[1].rename(tmp_path / "elsewhere" / "other name.csv")
    experiments.repeat([experiments.records[1, 0, 0, 0, 1].cell])
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.FAILED] == 1)
    choose_cell(page, 0, 1)
    assert not page.cells.locate.isVisible()
    choose_cell(page, 1, 1)
    person.click("experiment.locate")
    type_path(dialog(wait_until), moved, wait_until)
    wait_until(lambda: has_ended(experiments) and page.cells.grid.cells.text(1, 0) == "other name")
    assert experiments.experiment is not None
    assert experiments.experiment.data[1].source == str(Path("elsewhere") / "other name.csv")
    person.click("experiment.continue")
    wait_until(lambda: has_ended(experiments) and experiments.counts[CellState.DONE] == 9)
    assert {place: record.measures for place, record in experiments.records.items()} == before


def test_failed_cells_do_not_shorten_the_time_that_the_others_take(
    window: MainWindow, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    """One learner takes ten seconds a cell, another fails at once; four cells of the first are left."""
    experiments = window.session.experiments
    ran(window, tables, tmp_path / f"time{SUFFIX}", wait_until)
    waiting = {place: replace(record, state=CellState.WAITING) for place, record in experiments.records.items()}
    records = dict(waiting)
    slow, failing = [place for place in waiting if place[1] == 0], [place for place in waiting if place[1] == 1]
    records[slow[0]] = replace(waiting[slow[0]], state=CellState.DONE, fit_seconds=9.0, predict_seconds=1.0)
    of_learner = {"failure": FailureKind.LEARNER, "fit_seconds": 0.0, "predict_seconds": 0.0}
    for place in failing[:2]:
        records[place] = replace(waiting[place], state=CellState.FAILED, **of_learner)
    experiments.records = records
    assert experiments.forecast() == pytest.approx(2 * 10 + 0 + 3 * 5)  # those of an unknown learner: the mean of both
    chosen = {records[slow[1]].cell.key}
    assert experiments.forecast(chosen) == pytest.approx(10), "only one cell is repeated"
    assert experiments.seconds_left() is None, "nothing runs"


def test_closing_says_that_the_cells_that_are_done_are_kept(
    window: MainWindow, tables: list[Path], tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held(file: ExperimentFile, context: RunContext, read: Reader, *, cells: None) -> None:
        while not context.finishing:
            context.checkpoint()
            threading.Event().wait(0.01)

    monkeypatch.setattr(session_experiments, "run_experiment", held)
    experiments = window.session.experiments
    experiments.create(str(tmp_path / f"held{SUFFIX}"), declared(tables))
    wait_until(lambda: experiments.is_computing)
    window.close()
    wait_until(lambda: any(wording.CELLS_ARE_KEPT in label.text() for label in window.findChildren(QLabel)))
    experiments.stop()
    wait_until(lambda: has_ended(experiments))


def test_levels_are_named_alike_in_the_grid_the_filter_and_the_results(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    experiments = window.session.experiments
    two = replace(declared(tables[:2]), learners=LEARNERS[:2])
    two = replace(two, methods=(CrossValidation(folds=3), RepeatedHoldout(repeats=2)))
    experiments.create(str(tmp_path / f"two{SUFFIX}"), replace(two, recipes=((), (Scale(),))))
    wait_until(lambda: has_ended(experiments) and not experiments.counts[CellState.WAITING])
    experiments.show_page()
    page = page_of(window)
    person.click("experiment.view.results")
    offered = [page.only.itemText(index) for index in range(page.only.count())]
    assert f"learner {ZeroR.name}" in offered and f"method {CrossValidation.name}" in offered
    assert f"recipe {Scale.name}" in offered and wording.RECIPE_NO_STEPS in offered
    assert CrossValidation.name in page.cells.grid.cells.text(0, 0)
    page.only.setCurrentIndex(offered.index(f"learner {ZeroR.name}"))
    page._choose_only()
    wait_until(lambda: experiments.results.table is not None and len(experiments.results.table.competitors) == 4)
    methods = CrossValidation.name, RepeatedHoldout.name
    names = [f"{recipe}, {method}" for recipe in (wording.NO_STEPS, Scale.name) for method in methods]
    assert sorted(experiments.results.table.competitors) == sorted(names)


def test_times_show_each_learner_and_the_front(
    window: MainWindow, person: Person, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    page = ran(window, tables, tmp_path / f"times{SUFFIX}", wait_until)
    person.click("experiment.view.times")
    chart = page.times.chart
    assert {learner.name for learner in chart.learners} == {learner.name for learner in LEARNERS}
    table = window.session.experiments.results.table
    assert table is not None
    quickest, best = min(chart.learners, key=lambda one: one.seconds), max(chart.learners, key=lambda one: one.value)
    assert quickest.is_on_front and best.is_on_front
    places = [chart.place_of(learner) for learner in chart.learners]
    assert all(chart.rect().contains(place.toPoint()) for place in places)
    assert [place.x() for place in places] == sorted(place.x() for place in places)
    assert chart.at(places[0]) is chart.learners[0]
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_Right)
    assert page.times.words.text() == chart.learners[0].words
    assert [row[0] for row in chart.table_rows()[1:]] == [learner.name for learner in chart.learners]


def test_names_that_look_like_formulas_are_neutralised_on_request(
    window: MainWindow, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    tables[0] = tables[0].rename(tables[0].with_name("=a.csv"))
    ran(window, tables, tmp_path / f"formulas{SUFFIX}", wait_until)
    for name, is_neutral in (("as it is", False), ("neutral", True)):
        path = tmp_path / f"{name}.csv"
        window.session.experiments.export(str(path), "scores", is_neutral)
        wait_until(lambda name=path.name: any(name in message.text for message in window.session.messages.history))
        assert ("\n'=a," in path.read_text(encoding="utf-8")) == is_neutral
        assert ("\n=a," in path.read_text(encoding="utf-8")) != is_neutral


def test_exports_say_how_it_was_tested_and_why_a_value_lacks(
    window: MainWindow, tables: list[Path], tmp_path: Path, wait_until: Wait
) -> None:
    tables[1].write_text("x,y\n1,2\n3,4\n")
    ran(window, tables, tmp_path / f"gaps{SUFFIX}", wait_until)
    experiments = window.session.experiments
    for what in ("cells", "scores"):
        path = tmp_path / f"{what}.csv"
        experiments.export(str(path), what)
        wait_until(lambda name=path.name: any(name in message.text for message in window.session.messages.history))
        with path.open(encoding="utf-8", newline="") as stream:
            head, *rows = csv.reader(stream)
        by_name = [dict(zip(head, row, strict=True)) for row in rows]
        assert {row["method"] for row in by_name} == {CrossValidation(folds=3).summary()}
        assert {row.get("seed", row.get("seeds")) for row in by_name} == {"1"}
        failed = [row for row in by_name if "t1" in row.values()]
        assert failed and all(wording.NO_COLUMN_KIND in " ".join(row.values()) for row in failed)
