"""The viewer of a code, driven by mouse and keys: its words, the weakest member, the bits of a selected record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton

from algorithms.core.run_control import RunContext
from algorithms.evaluation.methods.methods import Holdout
from algorithms.learners.multiclass.reductions import CodedModel, ErrorCorrectingCodes
from algorithms.learners.trees.stump import DecisionStump
from tests.expected_texts import viewers as wording
from tests.workbench.stage import Stage
from workbench.style.theme import themes
from workbench.viewers.ensemble.code_matrix import CELL, HOW_TO_SEE_BITS, NAMES, CodeView
from workbench.viewers.tree.tree_view import TreeView

Wait = Callable[..., None]
VISUALIZE = 3


def test_the_code_shows_which_bits_of_a_record_failed(stage: Stage, wait_until: Wait, tmp_path: Path) -> None:
    window = stage.window(1400, 900)
    session = window.session
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None, 60)
    session.start_run(ErrorCorrectingCodes(base=DecisionStump(), decode="hamming"), Holdout(), 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not session.jobs.running, 120)
    window.show_tab(VISUALIZE)

    def shown() -> list[CodeView]:
        return [each for each in window.findChildren(CodeView) if each.isVisible() and each.canvas.members is not None]

    wait_until(lambda: bool(shown()), 60)
    view = shown()[-1]
    assert view.record_words.text() == HOW_TO_SEE_BITS
    assert view.canvas.rows()[1] == ("setosa", "1", "1", "1")
    assert run.trained is not None
    model = run.trained.model
    assert isinstance(model, CodedModel)
    read, members = model.read(run.data, RunContext()) >= 0.5, model.structure()
    failed = np.array([members.failed_bits(r, d).any() for r, d in zip(read, model.predict(run.data), strict=True)])
    row = int(np.flatnonzero(failed)[0])
    session.selection.select(run.data, np.array([row]))
    wait_until(lambda: view.canvas.read is not None, 30)
    bit = int(np.flatnonzero(members.failed_bits(read[row], int(model.predict(run.data)[row])))[0]) + 1
    assert f"though member {bit}" in view.record_words.text()
    assert wording.read_of_record(row + 1) in view.canvas.rows()[-1]
    column = QPoint(themes.px(NAMES) + 2 * themes.px(CELL) + 5, 10)
    QTest.mouseClick(view.canvas, Qt.MouseButton.LeftButton, pos=column)
    assert view.canvas.accessibleDescription().startswith(wording.MEMBER_3_DIVIDES)
    QTest.keyClick(view.canvas, Qt.Key.Key_Return)
    assert isinstance(view.one._stack.currentWidget(), TreeView)
    view.findChild(QPushButton, "visualize.member.all").click()  # type: ignore[union-attr]
    view.export.save_csv(str(tmp_path / "code.csv"))
    view.export.save_picture(str(tmp_path / "code.svg"))
    wait_until(lambda: (tmp_path / "code.csv").exists() and not session.jobs.running, 30)
    assert (tmp_path / "code.csv").read_text().splitlines()[2].startswith("versicolor,0,0,1")
    assert "svg" in (tmp_path / "code.svg").read_text()
