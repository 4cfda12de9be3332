"""Deciding otherwise in the Evaluate tab: threshold, expected cost, several curves; by mouse and keys."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QListWidget, QPushButton, QSlider, QWidget

from algorithms.core.scores import at_threshold
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, by_expected_cost
from algorithms.evaluation.curves.curve_base import Role
from algorithms.evaluation.curves.curve_kinds import CURVES
from algorithms.evaluation.methods.methods import Bootstrap632, CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import coefficient
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, Wait, choose, choose_entry, judged, part, press
from workbench.session import decision_rules
from workbench.session.decision_rules import choice_words
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import current_theme, style_sheet, themes
from workbench.tabs.evaluate.costs.decision_changes import rule_name
from workbench.tabs.evaluate.curve_pane import DEFAULT_RULE
from workbench.tabs.evaluate.figure_table import WorkedLabel
from workbench.tabs.evaluate.runs_checklist import FADES, MARK, NO_THRESHOLD, NUMBER, PEN, SECOND, UNSET
from workbench.tabs.evaluate.tab import EvaluateTab
from workbench.viewers.charts.curve_plot import guide_pen
from workbench.widgets.keyboard_focus import move_focus
from workbench.widgets.labels import NamingLabel

FIVE = CrossValidation(folds=5)


@pytest.fixture
def tab(session: Session, stage: Stage) -> EvaluateTab:
    return stage.show(EvaluateTab(session), 1100, 760)


@pytest.fixture
def run(tab: EvaluateTab, session: Session, wait_until: Wait) -> Run:
    return judged(session, wait_until, C45(), FIVE)


def text(tab: EvaluateTab, name: str) -> str:
    shown = tab.findChild(QLabel, name)
    return shown.plain if isinstance(shown, WorkedLabel) else shown.text()


def matrix(tab: EvaluateTab) -> np.ndarray:
    return tab.confusion.view.counts


def use(tab: EvaluateTab) -> None:
    """Decide by least expected cost."""
    tab.deciding.choose(ByCost())
    tab.following.finish()


def shown_metric(tab: EvaluateTab, name: str) -> str:
    tab.all_metrics.setChecked(True)
    rows = [tab.metrics.item(row, 0).text() for row in range(tab.metrics.rowCount())]
    return tab.metrics.item(rows.index(name), 1).text()


def counted(run: Run, decision: np.ndarray) -> np.ndarray:
    assert run.result is not None
    found = np.zeros((2, 2))
    np.add.at(found, (run.result.truth, decision), 1)
    return found


def test_keys_on_the_slider_move_matrix_numbers_and_words(
    tab: EvaluateTab, run: Run, session: Session, wait_until: Wait
) -> None:
    slider = tab.findChild(QSlider, "evaluate.threshold")
    before = matrix(tab).copy()
    wait_until(lambda: text(tab, "evaluate.threshold.value") == "50%")
    slider.setFocus()
    for _ in range(4):
        QTest.keyClick(slider, Qt.Key.Key_PageDown)
    tab.following.finish()
    assert run.result is not None
    assert tab.deciding.threshold == pytest.approx(0.1)
    code = session.class_of_interest
    assert matrix(tab).tolist() == counted(run, at_threshold(run.result.probabilities, code, 0.1)).tolist()
    assert shown_metric(tab, "Accuracy") == f"{100 * np.trace(matrix(tab)) / 240:.1f}%"
    assert tab.confusion._facts.text() == wording.DECIDED_AT_THRESHOLD_10
    assert text(tab, "evaluate.threshold.value") == "10%"
    value = part(tab, QLabel, "evaluate.threshold.value")
    value.setText("88.8888%")
    assert value.sizeHint().width() <= value.width(), "18.657% was cut beside the slider"
    QTest.keyClick(slider, Qt.Key.Key_Home)
    tab.following.finish()
    assert matrix(tab)[:, code].sum() == 240
    assert matrix(tab).tolist() != before.tolist()


def test_undo_takes_a_decision_rule_back_and_redo_makes_it_again(tab: EvaluateTab, run: Run, session: Session) -> None:
    """Ctrl+Z took back an edit of the table instead, or nothing."""
    stack, label = session.undo_stack, session.positive_label
    own = matrix(tab).copy()
    rules = [AtThreshold(label, 0.1), ByCost(), None, AtThreshold(label, 0.9)]
    for rule in rules:
        session.decisions.choose(run, rule)
    assert [stack.text(step) for step in range(stack.count())] == list(wording.RULE_STEPS)
    for rule in (None, ByCost(), rules[0], None):
        stack.undo()
        assert session.decisions.chosen(run) == rule
    tab.following.finish()
    assert matrix(tab).tolist() == own.tolist() and not stack.canUndo()
    for rule in rules:
        stack.redo()
        assert session.decisions.chosen(run) == rule
    assert not session.saving.is_edited, "the table is as it was opened"


def test_a_threshold_that_is_moved_is_one_step_to_undo(tab: EvaluateTab, run: Run, session: Session) -> None:
    stack, label = session.undo_stack, session.positive_label
    session.decisions.choose(run, AtThreshold(label, 0.3))
    for value in (400, 500, 600):
        tab.curve.slider.setValue(value)
    assert stack.count() == 2 and session.decisions.chosen(run) == AtThreshold(label, 0.6)
    assert stack.undoText() == wording.USE_60_IN_RUN_1
    stack.undo()
    assert session.decisions.chosen(run) == AtThreshold(label, 0.3)
    stack.redo()
    assert session.decisions.chosen(run) == AtThreshold(label, 0.6)


def test_a_threshold_that_is_moved_back_leaves_no_step(tab: EvaluateTab, run: Run, session: Session) -> None:
    """An empty step stayed, and undoing it did nothing."""
    stack, label, slider = session.undo_stack, session.positive_label, tab.curve.slider
    document = session.history.document
    for value in (550, 600, 700):
        slider.setValue(value)
    assert stack.count() == 1
    slider.setValue(500)
    assert session.decisions.chosen(run) is None and stack.count() == 0 and not stack.canUndo()
    assert session.history.document is document
    session.decisions.choose(run, AtThreshold(label, 0.3))
    for value in (400, 600, 300):
        slider.setValue(value)
    assert stack.count() == 1 and session.decisions.chosen(run) == AtThreshold(label, 0.3)
    stack.undo()
    assert session.decisions.chosen(run) is None


def test_thresholds_of_two_runs_that_are_moved_are_steps_of_their_own(
    tab: EvaluateTab, run: Run, session: Session, wait_until: Wait
) -> None:
    other, label, chosen = judged(session, wait_until, ZeroR(), FIVE), session.positive_label, session.decisions.chosen
    for moved, thresholds in ((run, (0.2, 0.3)), (other, (0.4, 0.5)), (run, (0.6, 0.7))):
        for threshold in thresholds:
            session.decisions.choose(moved, AtThreshold(label, threshold), is_moved=True)
    assert session.undo_stack.count() == 3
    session.undo_stack.undo()
    assert (chosen(run), chosen(other)) == (AtThreshold(label, 0.3), AtThreshold(label, 0.5))
    session.undo_stack.undo()
    assert (chosen(run), chosen(other)) == (AtThreshold(label, 0.3), None)


def test_a_removed_run_that_comes_back_has_the_rule_of_the_history(
    tab: EvaluateTab, run: Run, session: Session
) -> None:
    session.decisions.choose(run, AtThreshold(session.positive_label, 0.3))
    put_back = session.ledger.take_out(run)
    session.undo_stack.undo()
    put_back()
    assert session.decisions.chosen(run) is None
    session.undo_stack.redo()
    assert session.decisions.chosen(run) == AtThreshold(session.positive_label, 0.3)


def test_own_decision_comes_back(tab: EvaluateTab, run: Run) -> None:
    own = matrix(tab).copy()
    reset = tab.findChild(QPushButton, "evaluate.threshold.reset")
    assert not reset.isVisible()
    tab.curve.slider.setValue(0)
    assert matrix(tab)[:, 1].sum() == 240
    press(tab, "evaluate.threshold.reset")
    tab.following.finish()
    assert matrix(tab).tolist() == own.tolist()
    assert tab.confusion._facts.text() == wording.matrix_of(240)
    assert not reset.isVisible()


def test_operating_point_is_dragged_with_the_mouse(tab: EvaluateTab, run: Run) -> None:
    plot = tab.findChild(QWidget, "evaluate.roc")
    before = matrix(tab).copy()
    start = plot.to_view(*plot.point).toPoint()
    QTest.mousePress(plot.viewport(), LEFT, pos=start)
    QTest.mouseMove(plot.viewport(), plot.to_view(1.0, 1.0).toPoint() + QPoint(-1, 1))
    QTest.mouseRelease(plot.viewport(), LEFT, pos=plot.to_view(1.0, 1.0).toPoint())
    tab.following.finish()
    assert plot.point == (1.0, 1.0)
    assert matrix(tab).tolist() != before.tolist()
    assert tab.curve.slider.value() == round(1000 * (tab.deciding.threshold or 0))


def test_point_lies_where_the_matrix_says(tab: EvaluateTab, run: Run, session: Session) -> None:
    code = session.class_of_interest
    for value in (0, 300, 700, 1000):
        tab.curve.slider.setValue(value)
        tab.following.finish()
        counts = matrix(tab)
        found, alarms = counts[code, code] / counts[code].sum(), counts[1 - code, code] / counts[1 - code].sum()
        assert tab.curve.view.plot.point == pytest.approx((alarms, found))


def test_a_slider_that_is_dragged_fast_is_followed_by_what_holds_in_the_end(
    tab: EvaluateTab, run: Run, session: Session, wait_until: Wait
) -> None:
    for value in range(100, 900, 8):
        tab.curve.slider.setValue(value)
        in_force = None if value == 500 else pytest.approx(value / 1000)  # by default it decides at 50%
        assert tab.deciding.threshold == in_force and tab.curve.slider.value() == value
    wait_until(lambda: not tab.following.is_busy, 5)
    assert run.result is not None and text(tab, "evaluate.threshold.value") == "89.2%"
    assert (
        matrix(tab).tolist()
        == counted(run, at_threshold(run.result.probabilities, session.class_of_interest, 0.892)).tolist()
    )


def test_deciding_by_least_expected_cost_moves_matrix_and_slider(tab: EvaluateTab, run: Run, session: Session) -> None:
    costs = CostMatrix(("yes", "no"), ((0.0, 1.0), (10.0, 0.0)))
    session.set_costs(costs)
    assert run.result is not None
    expected = by_expected_cost(run.result, costs.ordered(run.result.classes))
    use(tab)
    assert matrix(tab).tolist() == expected.confusion.tolist()
    assert tab.confusion._facts.text().startswith(wording.DECIDED_BY_COST_AT_THRESHOLD)
    assert tab.curve.slider.value() == 91


def test_the_reset_of_the_threshold_leaves_the_keyboard_on_the_slider(tab: EvaluateTab, run: Run) -> None:
    tab.curve.slider.setValue(300)
    reset = tab.curve.bar.reset
    reset.setFocus()
    QTest.keyClick(reset, Qt.Key.Key_Space)
    tab.following.finish()
    assert tab.deciding.choice is None and tab.curve.slider.hasFocus()


def test_decisions_by_cost_follow_the_costs(tab: EvaluateTab, run: Run, session: Session) -> None:
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (10.0, 0.0))))
    use(tab)
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (1e6, 0.0))))
    assert run.result is not None
    assert matrix(tab)[1, 0] == 0 or tab.deciding.threshold == pytest.approx(1e-6, rel=1e-3)
    own = counted(run, run.result.decision)
    session.set_costs(None)
    assert matrix(tab).tolist() == own.tolist()


def test_by_what_is_decided_is_said_whole_however_narrow_the_matrix_is(
    tab: EvaluateTab, run: Run, session: Session
) -> None:
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (10.0, 0.0))))
    use(tab)
    tab.following.finish()
    facts, across = tab.confusion._facts, tab.confusion._facts.fontMetrics().horizontalAdvance
    facts.resize(across(wording.DECIDED_BY_EXPECTED_COST) + 4, facts.height())
    assert facts.shown() == wording.DECIDED_BY_EXPECTED_COST


def test_the_cheapest_row_of_the_curves_table_says_so_and_is_in_sight(
    tab: EvaluateTab, run: Run, session: Session
) -> None:
    choose_entry(tab, "evaluate.curve.as-table")
    table = tab.curve.view.table
    model = table.model()
    last = model.columnCount() - 1

    def words() -> list[str]:
        return [model.index(row, last).data() for row in range(model.rowCount())]

    assert set(words()) == {"sometimes", "never"}
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (10.0, 0.0))))
    offer = tab.deciding.offer()
    assert offer is not None and words().count("now") == 1
    row = words().index("now")
    assert table.viewport().rect().intersects(table.visualRect(model.index(row, 0)))
    table.setCurrentIndex(model.index(row, 0))
    QTest.keyClick(table, Qt.Key.Key_Return)
    tab.following.finish()
    assert float((matrix(tab) * np.array([[0, 1], [10, 0]])).sum()) == pytest.approx(offer.cheapest.total)


def test_equal_cost_line_is_there_only_with_costs(tab: EvaluateTab, run: Run, session: Session) -> None:
    assert legend(tab) == [C45.name, "chance", wording.CONVEX_HULL]
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (1000.0, 0.0))))
    assert legend(tab)[1:4] == ["least cost", "equal cost", wording.BY_EXPECTED_COST], "in sight before other runs"
    (touch,) = tab.curve.view.plot.touches  # a square, and no other line is drawn so
    assert touch.opts["symbol"] == "s" and guide_pen(Role.LEAST).style() != guide_pen(Role.BEST).style()
    least, guide = tab.curve.view.plot._guides
    x, y = tab.curve.view.plot.point
    for line in (least, guide):
        assert np.diff(line.y) / np.diff(line.x) == pytest.approx(0.001)
    assert np.interp(x, guide.x, guide.y) == pytest.approx(y)
    made = tab.deciding.curve()
    assert made is not None
    above = np.interp(made.points.fpr, least.x, least.y) - made.points.tpr
    assert above.min() == pytest.approx(0, abs=1e-9)  # a tangent: it touches the curve and no point is beyond
    offer = tab.deciding.offer()
    assert offer is not None
    tab.deciding.decide_at(offer.cheapest.threshold)
    tab.following.finish()
    assert legend(tab)[1] == "equal cost" and "least cost" not in legend(tab)
    assert not tab.curve.view.plot.touches


def legend(tab: EvaluateTab) -> list[str]:
    return [tab.curve.runs.item(row).text() for row in range(tab.curve.runs.count())]


def test_several_runs_are_laid_over_one_another(tab: EvaluateTab, run: Run, session: Session, wait_until: Wait) -> None:
    second = judged(session, wait_until, ZeroR(), FIVE)
    grown, frequent = f"{C45.name} (run 1)", f"{ZeroR.name} (run 2)"
    plot, runs = tab.curve.view.plot, tab.findChild(QListWidget, "evaluate.curve.runs")
    assert session.current_run is second
    assert [line.label for line in plot.lines] == [frequent]
    assert legend(tab) == [ZeroR.name, DEFAULT_RULE[0], "chance", wording.CONVEX_HULL, C45.name], (
        "runs that are off come last"
    )
    assert (runs.item(4).data(PEN), runs.item(4).data(SECOND)) == (None, wording.NOT_DRAWN), "no sample of no curve"
    runs.setFocus()
    runs.setCurrentRow(4)
    QTest.keyClick(runs, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert [line.label for line in plot.lines] == [frequent, grown]
    looks = {line.label: line.look for line in plot.lines}
    session.set_current_run(run)
    session.turns.finish()
    assert plot.lines[0].label == grown
    assert looks[plot.lines[0].label] == plot.lines[0].look
    assert len(plot.lines) == 1
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (10.0, 0.0))))
    wait_until(lambda: wording.BY_EXPECTED_COST in legend(tab))
    below = legend(tab).index(ZeroR.name)
    assert legend(tab).index(wording.BY_EXPECTED_COST) < below, (
        "what the marks are is said before what can be laid over"
    )
    runs.setFocus()
    runs.setCurrentRow(below)
    QTest.keyClick(runs, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert [line.label for line in plot.lines] == [grown, frequent]


def shown_lines(tab: EvaluateTab) -> list[int]:
    """The numbers of the runs whose curves are drawn and not faded."""
    lines, runs = tab.curve.view.plot.lines, tab.curve.runs
    rows = [runs.item(row) for row in range(runs.count())]
    shown = [row.data(NUMBER) for row in rows if row.data(NUMBER) and not row.data(FADES)]
    assert sorted(line.look + 1 for line in lines if not line.fades) == sorted(shown), "legend and plot agree"
    return shown


def test_the_legend_of_the_curves_isolates_runs(tab: EvaluateTab, run: Run, session: Session, wait_until: Wait) -> None:
    for _ in range(2):
        judged(session, wait_until, ZeroR(), FIVE)
    runs, plot, ctrl = tab.curve.runs, tab.curve.view.plot, Qt.KeyboardModifier.ControlModifier
    rows = {runs.item(row).data(NUMBER): row for row in range(runs.count())}

    def click(number: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> list[int]:
        place = runs.visualItemRect(runs.item(rows[number])).center()
        runs.scrollToItem(runs.item(rows[number]))
        place = runs.visualItemRect(runs.item(rows[number])).center()
        QTest.mouseClick(runs.viewport(), Qt.MouseButton.LeftButton, keys, place)
        wait_until(lambda: len(plot.lines) == len(shown_lines(tab)) + plot.lines[0].fades)
        return shown_lines(tab)

    assert not any(runs.item(row).data(Qt.ItemDataRole.CheckStateRole) for row in range(runs.count()))
    assert shown_lines(tab) == [3], "the run in view is isolated at first"
    assert click(1) == [1] and plot.lines[0].fades, "the run in view keeps the operating point"
    assert min(item.opacity() for item in plot._items) < 0.5
    assert click(1) == [3, 1, 2]
    assert click(2, ctrl) == [3, 1]
    assert session.place["overlaid"] == [1]
    runs.setFocus()
    QTest.keyClick(runs, Qt.Key.Key_Escape)
    assert shown_lines(tab) == [3, 1, 2]
    QTest.keyClick(runs, Qt.Key.Key_3)
    assert shown_lines(tab) == [2]
    session.set_current_run(run)
    session.turns.finish()
    assert shown_lines(tab) == [1, 2], "another run that comes into view is shown"


def test_tab_key_leads_through_the_curve_pane(tab: EvaluateTab, run: Run) -> None:
    tab.curve.slider.setValue(100)
    names = []
    tab.curve.view.plot.setFocus()
    for _ in range(4):
        names.append(QApplication.focusWidget().objectName())
        move_focus(tab, forward=True)  # what Tab does in the window
    assert names == ["evaluate.roc", "evaluate.curve.runs", "evaluate.threshold", "evaluate.threshold.reset"]


def test_bootstrap_is_not_corrected_at_a_threshold_and_says_so(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    session.start_run(C45(), Bootstrap632(samples=5), 1)
    run = session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running, 90)
    assert tab.deciding.caution() == ""
    tab.curve.slider.setValue(300)
    assert wording.BOOTSTRAP_NOT_CORRECTED in tab.strip.toolTip()
    assert shown_metric(tab, "Accuracy") == f"{100 * np.trace(matrix(tab)) / matrix(tab).sum():.1f}%"


def test_each_run_keeps_its_own_threshold(tab: EvaluateTab, run: Run, session: Session, wait_until: Wait) -> None:
    tab.curve.slider.setValue(200)
    judged(session, wait_until, ZeroR(), FIVE)
    assert tab.deciding.choice is None
    session.set_current_run(run)
    assert tab.deciding.threshold == pytest.approx(0.2)


def test_without_a_threshold_the_slider_is_empty_and_the_diamond_has_a_name(
    tab: EvaluateTab, run: Run, wait_until: Wait
) -> None:
    def marks() -> list[str]:
        model = tab.curve.runs.model()
        rows = [model.index(row, 0) for row in range(model.rowCount())]
        return [row.data() for row in rows if row.data(MARK) == "diamond"]

    slider = tab.curve.slider
    wait_until(lambda: text(tab, "evaluate.threshold.value") == "50%")
    assert marks() == [] and not slider.property("part"), "the default rule decides as a threshold does"
    tab.curve.bar.show_threshold(None, True, "ill")
    tab.curve.view.plot.show_point(None, (0.2, 0.5))
    tab.curve._relist()
    assert marks() == [DEFAULT_RULE[0]]
    assert slider.property("part") == UNSET and text(tab, "evaluate.threshold.value") == NO_THRESHOLD
    bar = tab.curve.bar
    assert bar.width() - slider.width() < themes.px(250), "the room beside it was as long as the slider at 1280 x 720"
    slider.setStyleSheet(style_sheet(current_theme(), 1.0))  # that of the window
    grab = slider.grab().toImage()
    row = {grab.pixelColor(x, grab.height() // 2).name() for x in range(10, grab.width() // 3)}
    assert current_theme().color("accent").name() not in row
    middle = slice(grab.width() // 2 - themes.px(6), grab.width() // 2 + themes.px(6))
    above = [grab.pixelColor(x, grab.height() // 2 - themes.px(5)).name() for x in range(grab.width())]
    assert len(set(above[middle])) == 1, "a handle in the middle looked like a threshold of 50%"


def test_threshold_belongs_to_its_class(tab: EvaluateTab, run: Run, session: Session) -> None:
    tab.curve.slider.setValue(200)
    other = 1 - session.class_of_interest
    session.set_class_of_interest(other)
    assert tab.deciding.choice is None
    assert tab.deciding.curve().points.positives == 120
    assert tab.curve._facts.text() == wording.positive(session.classes[other])


def test_precision_recall_is_chosen_by_keys(tab: EvaluateTab, run: Run, session: Session) -> None:
    kind = tab.findChild(QComboBox, "evaluate.curve.kind")
    kind.setFocus()
    QTest.keyClick(kind, Qt.Key.Key_Down)
    plot, code = tab.curve.view.plot, session.class_of_interest
    assert plot.accessibleName() == "Precision-recall curve"
    counts = matrix(tab)
    recall, precision = counts[code, code] / counts[code].sum(), counts[code, code] / counts[:, code].sum()
    assert plot.point == pytest.approx((recall, precision))


def test_many_records_are_put_in_order_beside_the_window(
    tab: EvaluateTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decision_rules, "AT_ONCE", 0)
    run = judged(session, wait_until, C45(), FIVE)
    wait_until(lambda: tab.deciding.curve() is not None)
    assert tab.curve.bar.isEnabled()
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (10.0, 0.0))))
    wait_until(lambda: tab.deciding.offer() is not None)
    use(tab)
    decided = session.decisions.asked(run).decisions()
    assert matrix(tab).tolist() == counted(run, decided).tolist()


def test_run_that_was_removed_leaves_the_list(tab: EvaluateTab, run: Run, session: Session, wait_until: Wait) -> None:
    judged(session, wait_until, ZeroR(), FIVE)
    runs = tab.findChild(QListWidget, "evaluate.curve.runs")
    assert (runs.item(4).text(), runs.item(4).data(SECOND)) == (C45.name, wording.NOT_DRAWN)
    session.remove_runs(run)
    session.turns.finish()
    assert not any("C4.5" in runs.item(row).text() for row in range(runs.count()))


def choose_curve(tab: EvaluateTab, id: str) -> None:
    kind = part(tab, QComboBox, "evaluate.curve.kind")
    choose(kind, kind.findData(id))


def test_every_kind_of_curve_says_how_it_is_read_and_is_saved(tab: EvaluateTab, run: Run, session: Session) -> None:
    seen = set()
    for kind in CURVES:
        choose_curve(tab, kind.id)
        plot = tab.curve.view.plot
        assert plot.kind == kind()
        said = tab.findChild(QLabel, "evaluate.curve.reading").text()
        assert said == kind.sentence and said not in seen
        assert tab.curve.bar.isVisible() is not kind.is_of_all_classes
        positive = wording.positive(session.classes[session.class_of_interest])
        of = "all classes" if kind.is_of_all_classes else positive
        assert tab.curve._facts.text() == of
        seen.add(said)
        trace = plot.lines[0].trace
        below = tab.curve.runs.item(0).data(SECOND)
        assert below == wording.below_a_run(trace.value_words, coefficient(trace.value), run.number)
        table = tab.curve.view.export.exported.table()
        assert table is not None
        assert table(",").startswith("Run," + plot.lines[0].trace.columns[0].name)


def test_options_of_a_curve_are_typed_and_what_is_wrong_is_marked(tab: EvaluateTab, run: Run) -> None:
    choose_curve(tab, "calibration")
    bins = tab.findChild(QLineEdit, "evaluate.curve.calibration.bins")
    rows = [tab.curve.runs.item(row).text() for row in range(tab.curve.runs.count())]
    assert rows[-1] == wording.HOW_MANY_RECORDS, "what the bars at the foot are stands in the list of the lines"
    bins.selectAll()
    QTest.keyClicks(bins, "4")
    trace = tab.curve.view.plot.lines[0].trace
    assert 1 <= len(trace) <= 4 and trace.amounts is not None and trace.amounts.sum() == 240
    QTest.keyClick(bins, Qt.Key.Key_Backspace)
    QTest.keyClicks(bins, "1")
    assert bins.property("invalid") is True and "2" in bins.toolTip()
    assert tab.curve.view.plot.lines[0].trace is trace
    choose_curve(tab, "threshold")
    measure = tab.findChild(QComboBox, "evaluate.curve.threshold.measure")
    beta = tab.findChild(QLineEdit, "evaluate.curve.threshold.beta")
    assert measure.isVisible() and not beta.isVisible() and not bins.isVisible()
    measure.setFocus()
    for _ in range(measure.findData("f")):
        QTest.keyClick(measure, Qt.Key.Key_Down)
    assert beta.isVisible()
    assert tab.curve.view.plot.lines[0].trace.up.words == "F-measure"


def test_threshold_moves_along_its_curve_and_the_cost_line_follows_it(tab: EvaluateTab, run: Run) -> None:
    choose_curve(tab, "threshold")
    tab.curve.slider.setValue(300)
    tab.following.finish()
    right = np.trace(matrix(tab)) / matrix(tab).sum()
    assert tab.curve.view.plot.point == pytest.approx((0.3, right))
    choose_curve(tab, "cost")
    before = tab.curve.view.plot._guides[0]
    tab.curve.slider.setValue(1000)
    tab.following.finish()
    assert legend(tab)[1] == wording.DECIDING_AS_NOW
    assert tab.curve.view.plot._guides[0].y.tolist() != before.y.tolist()


def test_cost_against_the_threshold_follows_the_costs(tab: EvaluateTab, run: Run, session: Session) -> None:
    choose_curve(tab, "threshold")
    measure = tab.findChild(QComboBox, "evaluate.curve.threshold.measure")
    measure.setFocus()
    QTest.keyClick(measure, Qt.Key.Key_End)
    before = tab.curve.view.plot.lines[0].trace
    session.set_costs(CostMatrix(("yes", "no"), ((0.0, 1.0), (10.0, 0.0))))
    after = tab.curve.view.plot.lines[0].trace
    offer = tab.deciding.offer()
    assert offer is not None and after is not before
    assert after.value == pytest.approx(offer.cheapest.total / 240)


def test_curve_has_the_room_of_the_matrix_where_it_is_wanted(tab: EvaluateTab, run: Run, wait_until: Wait) -> None:
    before = tab.curve.width()
    choose_entry(tab, "evaluate.curve.larger")
    assert not tab.confusion.isVisible()
    wait_until(lambda: tab.curve.width() > 1.5 * before)
    choose_entry(tab, "evaluate.curve.larger")
    assert tab.confusion.isVisible()
    choose_entry(tab, "evaluate.confusion.larger")
    assert tab.confusion.isVisible() and not tab.curve.isVisible()


def test_names_of_runs_are_read_whole_beside_the_curve(tab: EvaluateTab, run: Run, session: Session) -> None:
    runs, metrics = tab.curve.runs, tab.fontMetrics()
    assert metrics.horizontalAdvance(C45.name) < runs.viewport().width() - 24


def test_beta_and_weights_are_chosen_and_the_numbers_follow(tab: EvaluateTab, run: Run, session: Session) -> None:
    def shown(name: str) -> str:
        rows = [tab.metrics.item(row, 0).text() for row in range(tab.metrics.rowCount())]
        return tab.metrics.item(rows.index(name), 2).text()

    tab.all_metrics.setChecked(True)
    names = [tab.metrics.item(row, 0).text() for row in range(tab.metrics.rowCount())]
    assert len(set(names)) == len(names) and "F2" in names and wording.f_of_beta(2) not in names
    press(tab, "evaluate.measures")
    beta = tab.findChild(QLineEdit, "evaluate.measures.beta")
    assert beta.isVisible()
    beta.setFocus()
    beta.selectAll()
    QTest.keyClicks(beta, "3")
    assert shown(wording.f_of_beta(3)) != shown("F2")
    assert shown("Weighted accuracy") == shown_metric(tab, "Accuracy")
    for name in ("alarm", "cleared"):
        weight = tab.findChild(QLineEdit, f"evaluate.measures.{name}")
        weight.selectAll()
        QTest.keyClicks(weight, "0")
    assert shown("Weighted accuracy") == shown(wording.RECALL)


def test_a_rule_for_a_long_class_name_keeps_the_word_that_tells_it_from_another_class() -> None:
    names = ("diagnosis that a second reader has confirmed", "diagnosis that a second reader has not confirmed")
    never = AtThreshold(names[1], 1.1)
    other = AtThreshold(names[0], 1.1)
    label = NamingLabel()
    label.resize(label.fontMetrics().horizontalAdvance(names[0]) * 3 // 4, 100)
    shown = []
    for choice in (never, other):
        label.set_sentence(partial(rule_name, choice), names)
        assert "…" in label.text() and label.toolTip() == rule_name(choice, str)
        shown.append((choice_words(choice, names), label.text()))
    assert all("not" in words and words != of_other for words, of_other in zip(*shown, strict=True))
    label.resize(2000, 100)
    assert (label.text(), label.toolTip()) == (rule_name(other, str), ""), "whole where there is room"
