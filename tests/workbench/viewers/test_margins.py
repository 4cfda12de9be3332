"""Support vector machines in the window: boundary, margins, multipliers and slacks over two attributes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.svm.support_vector_machine import SupportVectorMachine
from algorithms.structures.hyperplanes import SupportVectors
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import viewers as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import choose_entry, part
from workbench.layout.grid_regions import contour
from workbench.layout.points import STRAIGHT_DOWN, ViewAngle
from workbench.tabs.classify.progress import LearningCourse
from workbench.viewers.margins import MarginsView

Wait = Callable[..., None]
CLASSIFY, VISUALIZE = 1, 3


def test_lines_of_a_level_are_where_the_number_passes_it() -> None:
    y, x = np.mgrid[0:41, 0:41] / 20.0 - 1.0
    pieces = contour(np.hypot(x, y), 0.6) / 20.0 - 1.0
    assert np.hypot(pieces[:, 0], pieces[:, 1]) == pytest.approx(0.6, abs=2e-3)
    length = np.hypot(pieces[:, 2] - pieces[:, 0], pieces[:, 3] - pieces[:, 1]).sum()
    assert length == pytest.approx(2 * np.pi * 0.6, rel=5e-3)
    saddle = contour(np.array([[1.0, -1.0], [-1.0, 1.2]]), 0.0)
    assert len(saddle) == 2  # the middle is above: both corners below are cut off
    assert saddle[:, :2].tolist() == [[0.5, 0.0], [pytest.approx(1 / 2.2), 1.0]]
    assert len(contour(np.ones((5, 5)), 2.0)) == 0


def test_boundary_margins_and_support_vectors_are_seen(stage: Stage, wait_until: Wait, tmp_path: Path) -> None:
    window = stage.window(1400, 900)
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    session.start_run(SupportVectorMachine(kernel="linear", c=1.0), Holdout(), 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not session.jobs.running, 120)
    window.show_tab(VISUALIZE)

    def shown() -> list[MarginsView]:
        return [each for each in window.findChildren(MarginsView) if each.isVisible() and each.canvas.slice is not None]

    wait_until(lambda: bool(shown()), 60)
    view = shown()[-1]
    words = view.words
    assert words.text().startswith(wording.A_WEIGHED_SUM)
    assert wording.AT_AVERAGE_OR_MOST_FREQUENT in words.text()
    held = view.held
    assert isinstance(held, SupportVectors)
    wait_until(lambda: view.kernel.records is not None, 30)
    before = view.canvas.slice
    box = view.machine
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_End)
    wait_until(lambda: view.canvas.slice is not before, 30)
    seen = view.canvas.slice
    assert seen is not None
    assert held.side_names(box.currentIndex()) == ("versicolor", "virginica")
    assert len(seen.x) == held.n_support[2]
    data = run.data
    column = data.column(data.schema.index_of(view.across.currentText()))
    assert seen.x == pytest.approx(column[np.searchsorted(data.row_ids, seen.row_ids)])
    assert (seen.sums.min(), seen.sums.max()) != (0, 0)
    canvas = view.canvas
    first = canvas.order[0]
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=canvas.vector_place(first).toPoint())
    assert canvas.chosen >= 0
    assert f"Record {seen.row_ids[canvas.order[canvas.chosen]] + 1}" in words.text()
    assert wording.HOLDS_WITH_MULTIPLIER in words.text()
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert f"multiplier of {seen.multiplier[first]:.4g}" in words.text()
    assert view.controls.isAncestorOf(view.across) and view.controls.isAncestorOf(box), "one toolbar has them all"
    by_kernel = part(view.controls, QPushButton, "visualize.margins.view").menu().actions()[0]
    choose_entry(window, "visualize.margins.by-kernel")
    wait_until(lambda: view.kernel.records is not None, 30)
    raised = view.kernel.records
    assert raised is not None
    assert len(raised.x) == 100  # the two classes of this machine
    for values, low, high in ((raised.x, seen.left, seen.right), (raised.y, seen.low, seen.high)):
        assert low < values.min()
        assert values.max() < high  # also where no support vector is as far
    assert (raised.sums[raised.codes == 1] > 0).mean() > 0.9
    assert words.text().startswith(wording.BEFORE_THE_RECORDS)
    before_turn = view.kernel.sight
    view.kernel.setFocus()
    QTest.keyClick(view.kernel, Qt.Key.Key_Right)
    assert view.kernel.sight.turn == pytest.approx(before_turn.turn + 0.12)
    view.export.save_picture(str(tmp_path / "kernel.svg"))
    choose_entry(window, "visualize.margins.learning")
    assert view.gap.isVisible()
    assert not by_kernel.isChecked()
    assert wording.COULD_STILL_BE_WON in words.text()
    view.export.save_csv(str(tmp_path / "a.csv"))
    view.export.save_picture(str(tmp_path / "a.svg"))
    wait_until(lambda: not session.jobs.running, 60)
    written = (tmp_path / "a.csv").read_text().splitlines()
    assert written[0].startswith("Record,class,")
    assert len(written) == 1 + len(seen.x)
    drawn = (tmp_path / "kernel.svg").read_text()
    assert drawn.count("<polygon") + drawn.count("<path") > 300
    assert "svg" in (tmp_path / "a.svg").read_text()


def test_the_gap_is_seen_while_it_learns_and_finishing_keeps_what_there_is(stage: Stage, wait_until: Wait) -> None:
    window = stage.window(1400, 900)
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    window.show_tab(CLASSIFY)
    wait_until(lambda: window.findChild(LearningCourse) is not None, 60)
    session.start_run(SupportVectorMachine(kernel="linear", c=1e6, tolerance=1e-6), Holdout(), 1)
    run, live = session.current_run, window.findChild(LearningCourse)
    assert run is not None
    assert live is not None
    wait_until(lambda: live.gap is not None and live.gap.isVisible(), 60)
    assert live.gap is not None
    first = live.gap.course
    wait_until(lambda: live.gap.course[-1, 0] > first[-1, 0], 60)
    primal, dual = live.gap.course[:, 1:].T
    assert np.all(primal >= dual)
    assert wording.COULD_STILL_BE_WON in live.words.text()
    finish = window.findChild(QPushButton, "classify.finish")
    assert finish is not None
    wait_until(finish.isEnabled, 60)
    finish.click()  # of the machines that are judged
    wait_until(lambda: run.is_judged and finish.isEnabled(), 60)
    finish.click()  # of those that learn from all records
    wait_until(lambda: not run.is_running and not session.jobs.running, 60)
    assert not live.isVisible()
    assert run.trained is not None
    assert isinstance(run.trained.structure(), SupportVectors)


def test_two_numbers_show_their_slacks(stage: Stage, wait_until: Wait) -> None:
    view = stage.show(MarginsView(), 700, 500)
    view.controls.setParent(view)
    structure = SupportVectorMachine(c=1.0).fit(sample("circle"), RunContext(seed=1)).structure()
    assert isinstance(structure, SupportVectors)
    view.set_structure(structure)
    seen = view.canvas.slice
    assert seen is not None
    assert seen.is_whole
    assert view.gap.course[:3, 0].tolist() == [0, 8, 16]
    assert np.all(np.diff(view.gap.course[:, 2]) > -1e-9)  # the dual never falls
    assert "their slack" in view.words.text()
    at = int(np.argmax(seen.slack))
    end = view.canvas._margin_end(seen, at)
    assert end is not None
    assert {row[-1] for row in view.rows()[1:]} >= {wording.ON_ITS_MARGIN, wording.INSIDE_ITS_MARGIN}


def test_a_box_is_turned_and_never_seen_from_below() -> None:
    corner = np.array([[1.0, 0.0, 0.5]])
    assert STRAIGHT_DOWN.places(corner)[0, :2] == pytest.approx([1.0, 0.0], abs=1e-12)
    quarter = ViewAngle(np.pi / 2, np.pi / 2).places(corner)[0]
    assert quarter[:2] == pytest.approx([0.0, 1.0], abs=1e-12)
    assert ViewAngle(0.0, 0.2).places(np.array([[0.0, 0.0, 1.0]]))[0, 1] == pytest.approx(np.cos(0.2))
    assert ViewAngle(0.0, 0.2).turned(0.0, -5.0).tilt == pytest.approx(0.1)
    assert ViewAngle(0.0, 0.2).turned(0.0, 9.0).tilt == pytest.approx(np.pi / 2)
