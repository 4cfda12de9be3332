"""Bias and variance in the window: started, watched and read by mouse and keys, beside the averaged boundary."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QSpinBox

from algorithms.evaluation.methods.methods import Holdout
from algorithms.evaluation.regions import Regions
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.stump import DecisionStump
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, Wait, choose_entry, judged, part, press
from workbench.layout.grid_regions import chained
from workbench.style.theme import current_theme, themes
from workbench.tabs.evaluate.diagnostics.bias_variance_page import (
    BAR,
    FOOT,
    HEAD,
    MOST_ROW,
    ROW,
    BiasVarianceBars,
    BiasVariancePage,
    BiasVarianceRow,
    border,
)
from workbench.tabs.evaluate.tab import BIAS_VARIANCE, EvaluateTab
from workbench.widgets.labels import ElidedLabel


def test_two_learners_are_measured_compared_and_seen_beside_the_true_boundary(
    stage: Stage, wait_until: Wait, tmp_path: Path
) -> None:
    session = stage.session(sample("skewed-gaussians").take(np.arange(160)))
    tab = stage.show(EvaluateTab(session), 1230, 560)
    for learner in (Cart(pruning="none"), DecisionStump()):
        judged(session, wait_until, learner, Holdout())
    tab.pages.show_view(BIAS_VARIANCE)
    page = tab.findChild(BiasVariancePage)
    assert isinstance(page, BiasVariancePage)
    forecast = part(page, ElidedLabel, "evaluate.leaning.forecast")
    for width in (880, 1230):
        tab.resize(width, 560)
        wait_until(lambda: forecast.shown().startswith("about "))  # beside both fields it had no room
    sets = part(page, QSpinBox, "evaluate.leaning.sets")
    sets.setFocus()
    sets.selectAll()
    QTest.keyClicks(sets, "8")
    QTest.keyClick(sets, Qt.Key.Key_Tab)
    headline = part(page, QLabel, "evaluate.leaning.headline")
    for run in session.runs:
        session.set_current_run(run)
        press(page, "evaluate.leaning.start")
        wait_until(lambda run=run: page.leanings.job_of(run) is None and not session.jobs.running, 60)
        found = page.leanings.result_of(run)
        assert found is not None and (found.sets, found.records) == (8, page.records.value())
        assert headline.text().startswith(wording.wrong_so_often(found.records, 100 * found.parts[0]))
    assert [row.name[:1] for row in page.bars.learners] == ["1", "2"] and page.bars.row == 1
    assert len(page.boundary.view.canvas.scene.outlines) == 2
    assert wording.BAYES_BOUNDARY in part(page, QLabel, "evaluate.leaning.boundary-words").text()
    page.bars.setFocus()
    QTest.keyClick(page.bars, Qt.Key.Key_Home)
    assert session.current_run is session.runs[0]
    wait_until(lambda: page.bars.row == 0)
    assert page.bars.accessibleDescription() == page.bars.learners[0].words()
    height = next(y for y in range(page.bars.height()) if page.bars.row_at(y) == 1)
    QTest.mouseClick(page.bars, LEFT, pos=QPoint(20, height + 5))
    wait_until(lambda: page.bars.row == 1)
    QTest.keyClick(page.bars, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    wrong, bias, adds, takes = (float(cell) for cell in lines[2][1:5])
    assert wrong == pytest.approx(bias + adds - takes, abs=1e-3)
    choose_entry(page, "evaluate.leaning.as-table")
    assert page.table.isVisible()
    page.export.save_picture(str(tmp_path / "bars.svg"))
    wait_until(part(page, QAbstractButton, "evaluate.leaning.boundary-save").isEnabled)
    page.boundary.view.export.save_picture(str(tmp_path / "boundary.svg"))
    wait_until(lambda: (tmp_path / "bars.svg").exists() and (tmp_path / "boundary.svg").exists())
    assert "takes off" in (tmp_path / "bars.svg").read_text() and "<path" in (tmp_path / "boundary.svg").read_text()


def test_bias_and_added_variance_are_as_long_as_their_figures_below_what_is_taken_off(stage: Stage) -> None:
    bars = stage.show(BiasVarianceBars(), 414, 100)
    row = BiasVarianceRow("tree", 0.075, 0.079, 0.007, 0.011, 30, 75)
    bars.show_rows([row], -1)
    image, theme = bars.grab().toImage(), current_theme()
    rows = range(themes.px(HEAD), themes.px(HEAD + ROW))
    lines = [[image.pixelColor(x, y).name() for x in range(image.width())] for y in rows]

    def reach(code: int) -> tuple[int, int]:
        found = [x for line in lines for x, name in enumerate(line) if name == theme.run_color(code).name()]
        return min(found, default=0), max(found, default=0)

    per_share = (bars.width() - 16) / (row.bias + row.unbiased)
    assert reach(3)[1] - reach(3)[0] == pytest.approx(row.bias * per_share, abs=4)
    assert reach(2)[1] - reach(2)[0] == pytest.approx(row.unbiased * per_share, abs=4)
    assert reach(2)[0] >= reach(3)[1] - 1


def test_the_border_runs_between_the_classes_and_its_pieces_are_strung_together() -> None:
    decision = (np.add.outer(np.arange(8), np.arange(8)) > 7).astype(np.int32)
    found = border(Regions(decision, np.ones((8, 8), dtype=np.float32)), (0.0, 1.0, 0.0, 1.0))
    assert len(found) > 5 and np.all(np.abs(found[:, 0] + found[:, 1] - 1.0) < 0.1)
    line = chained(found)
    assert len(line) == len(found)
    assert all(a[2:] == b[:2] for a, b in pairwise(line))
    assert len(border(Regions(np.zeros((8, 8), dtype=np.int32), np.ones((8, 8), dtype=np.float32)), (0, 1, 0, 1))) == 0


def test_a_row_of_bars_grows_with_the_window_up_to_a_maximum(stage: Stage) -> None:
    bars = stage.show(BiasVarianceBars(), 414, 100)
    bars.show_rows([BiasVarianceRow(f"C4.5 {at}", 0.1, 0.06, 0.05, 0.01, 50, 100) for at in range(2)], 0)
    for height, row in ((100, ROW), (HEAD + 150 + FOOT, 75), (2000, MOST_ROW)):
        bars.resize(414, height)
        assert [bars.row_at(HEAD + at * row + 2) for at in range(3)] == [0, 1, -1]
        assert [bars.row_at(HEAD + at * row - 2) for at in range(3)] == [-1, 0, 1]
        image, bias = bars.grab().toImage(), current_theme().run_color(3)
        n_painted = sum(image.pixelColor(12, y) == bias for y in range(HEAD, HEAD + row))
        assert BAR + row - ROW - 1 <= n_painted <= BAR + row - ROW, "the bar has what the row has more"
