"""The nomogram of naive Bayes, driven by mouse and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAction, QFont, QFontMetricsF, QGuiApplication, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QSpinBox

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import Holdout
from algorithms.filters.discretize import brief_range_labels
from algorithms.learners.bayes.evidence import Evidence
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.structures.bayes_network import Conditionals
from algorithms.text.numbers import MINUS
from algorithms.text.sentences import likeliest
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import viewers as wording
from tests.workbench.window_helpers import choose_entry, judged, part, show_page
from workbench.app.main_window import MainWindow
from workbench.layout.row_layouts import NomogramRows, log_odds_reach, room_for_names
from workbench.session.selection import SelectionMode
from workbench.style.structure_colors import StructureColors
from workbench.style.theme import current_theme, themes
from workbench.tabs.preprocess.table.records_view import RecordsView
from workbench.viewers.nomogram_canvas import (
    AIR_AT_NAMES,
    LABEL_GAP,
    NAME_SIZE,
    SHARES,
    NomogramCanvas,
    _paint_curve,
    _paint_names,
    ends_to_the_right,
    label_step,
    number_words,
    paint_sum,
    range_ends,
)
from workbench.viewers.nomogram_view import NomogramView

Wait = Callable[..., None]
VISUALIZE = 3


def learned(data: Dataset, **values: object) -> Conditionals:
    found = NaiveBayes(**{"numbers": "gaussian", **values}).fit(data, RunContext()).structure()  # type: ignore[arg-type]
    assert isinstance(found, Conditionals)
    return found


@pytest.fixture
def view(qapp: QApplication) -> Iterator[NomogramView]:
    """The nomogram of the ten borrowers, without smoothing."""
    made = NomogramView()
    made.controls.setParent(made)
    made.resize(1000, 500)
    made.set_structure(learned(sample("loan-1"), smoothing="none"))
    made.show()
    yield made
    made.hide()
    made.deleteLater()


def row_of(canvas: NomogramCanvas, name: str) -> int:
    return next(row for row in range(len(canvas.order)) if canvas.line(row).name == name)


def at(canvas: NomogramCanvas, name: str, position: int) -> QPoint:
    return canvas.point(row_of(canvas, name), position).toPoint()


def label_at(canvas: NomogramCanvas, name: str, label: str) -> QPoint:
    return at(canvas, name, canvas.line(row_of(canvas, name)).labels.index(label))


def words(view: NomogramView) -> str:
    found = view.findChild(QLabel, "visualize.nomogram.words")
    assert isinstance(found, QLabel)
    return found.text()


def click(canvas: NomogramCanvas, where: QPoint) -> None:
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, where)


def test_at_first_nothing_is_known_and_the_shares_are_said(view: NomogramView) -> None:
    assert words(view).startswith(wording.NOTHING_KNOWN_IN_NOMOGRAM)
    assert view.sum.total == pytest.approx(np.log(3 / 7))
    assert view.facts() == wording.NOMOGRAM_FACTS


def test_a_click_on_a_value_says_that_it_is_known(view: NomogramView) -> None:
    canvas = view.canvas
    click(canvas, label_at(canvas, "Marital Status", "Divorced"))
    assert canvas.value_words(row_of(canvas, "Marital Status")) == "Divorced"
    assert view.sum.total == pytest.approx(0.0, abs=1e-12)  # the exact tie of the book
    assert words(view) == wording.SHARES_WITH_VALUES
    click(canvas, label_at(canvas, "Home Owner", "No"))
    assert view.sum.total == pytest.approx(np.log(0.1 / (0.1 * 4 / 7)))


def test_a_value_is_dragged_and_the_sum_follows_at_once(view: NomogramView) -> None:
    canvas = view.canvas
    seen = list[float]()
    canvas.moved.connect(lambda: seen.append(view.sum.total))
    click(canvas, at(canvas, "Annual Income", 0))
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at(canvas, "Annual Income", 0))
    for position in (10, 20, 30):
        QTest.mouseMove(canvas, at(canvas, "Annual Income", position))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier,
                       at(canvas, "Annual Income", 30))  # fmt: skip
    row = row_of(canvas, "Annual Income")
    assert len(seen) >= 4
    assert canvas.values[canvas.order[row]] > 60_000
    added = canvas.added(row)
    assert added is not None
    assert seen[-1] == pytest.approx(np.log(3 / 7) + added)


def test_keys_choose_rows_and_values_and_take_them_back(view: NomogramView) -> None:
    canvas = view.canvas
    canvas.setFocus()
    target = row_of(canvas, "Home Owner")
    for _ in range(len(canvas.order)):
        QTest.keyClick(canvas, Qt.Key.Key_Up)
    for _ in range(target):
        QTest.keyClick(canvas, Qt.Key.Key_Down)
    assert canvas.row == target
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    first = canvas.value_words(target)
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.value_words(target) != first
    assert "Home Owner" in canvas.accessibleDescription()
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert canvas.value_words(target) == "not known"
    assert words(view).startswith(wording.NOTHING_KNOWN_YET)


def test_values_that_rule_out_every_class_are_said_to(view: NomogramView) -> None:
    data = sample("loan-1")
    view.set_structure(learned(data.take([0, 1, 2, 3, 4, 5, 7, 8, 9]), smoothing="none"))
    canvas = view.canvas
    click(canvas, label_at(canvas, "Home Owner", "Yes"))
    click(canvas, label_at(canvas, "Marital Status", "Divorced"))
    assert words(view).startswith(wording.EVERY_CLASS_RULED_OUT)
    forget = view.controls.findChild(QAction, "visualize.nomogram.forget")
    assert forget.isEnabled()
    forget.trigger()
    assert canvas.values == {} and not forget.isEnabled(), "nothing is left to clear"


def test_another_class_turns_the_picture_round(view: NomogramView) -> None:
    canvas = view.canvas
    before = canvas.odds(row_of(canvas, "Home Owner")).copy()
    box = view.controls.findChild(QComboBox, "visualize.nomogram.class")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Up)
    assert (canvas.code, canvas.other) == (0, 1)
    assert view.controls.findChild(QComboBox, "visualize.nomogram.against").currentIndex() == 1
    assert canvas.odds(row_of(canvas, "Home Owner")).tolist() == pytest.approx((-before).tolist())


def test_the_table_has_every_share_and_the_record(view: NomogramView) -> None:
    canvas = view.canvas
    click(canvas, label_at(canvas, "Home Owner", "No"))
    choose_entry(view, "visualize.nomogram.as-table")
    assert view.table.isVisible()
    rows = view.table_rows()
    assert rows[0][:3] == ["Attribute", "Value", wording.LOG_ODDS_OF_YES]
    assert ["Marital Status", "Single", _4(np.log((2 / 3) / (2 / 7))), _4(2 / 7), _4(2 / 3)] in rows
    assert ["Annual Income", "average", "", "1.1e+05", "9e+04"] in rows
    assert ["Home Owner", wording.NO_OF_THIS_RECORD, _4(np.log(7 / 4)), _4(4 / 7), "1"] in rows
    view.table.setFocus()
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[0] == "\t".join(rows[0])


def _4(value: float) -> str:
    return f"{value:.4g}"


def test_the_picture_is_copied_and_saved(view: NomogramView, tmp_path: Path) -> None:
    view.export.copy_picture()
    assert not QGuiApplication.clipboard().image().isNull()
    view.export.save_picture(str(tmp_path / "n.png"))
    assert QImage(str(tmp_path / "n.png")).width() > 500
    view.export.save_picture(str(tmp_path / "n.svg"))
    assert "Total" in (tmp_path / "n.svg").read_text(encoding="utf-8")
    view.export.save_csv(str(tmp_path / "n.csv"))
    assert (tmp_path / "n.csv").read_text(encoding="utf-8").startswith("Attribute,Value,")


@pytest.mark.parametrize("numbers_as", ["kernel-density", "equal-width", "entropy"])
def test_any_way_of_taking_numbers_is_drawn(view: NomogramView, numbers_as: str) -> None:
    view.set_structure(learned(sample("iris"), numbers=numbers_as))
    canvas = view.canvas
    assert len(canvas.order) == 4
    click(canvas, canvas.point(0, len(canvas.line(0).values) - 1).toPoint())
    assert len(canvas.values) == 1
    assert not view.grab().isNull()


def test_many_attributes_long_names_and_many_classes(view: NomogramView) -> None:
    random = np.random.default_rng(1)
    names = [f"{'a very long name of an attribute that nobody would type ' * 2}{i}" for i in range(300)]
    schema = Schema((*(numeric(name) for name in names), nominal("class", [f"class {c}" for c in range(26)])), 300)
    data = Dataset(schema, [*random.normal(size=(300, 400)), random.integers(0, 26, 400)])
    view.set_structure(learned(data))
    assert len(view.canvas.order) == 300
    assert view.canvas.height() >= 300 * 40
    assert names[0] in view.canvas.tip_at(view.canvas.point(view.canvas.order.index(0), 5))


def test_what_is_certain_stands_at_the_edge() -> None:
    rows = NomogramRows(2, 500.0, 50.0, 100.0, 60.0, log_odds_reach([0.4, 3.2, 90.0]))
    assert rows.reach == 10.0
    assert rows.x(-np.inf) == rows.left
    assert rows.x(np.inf) == rows.right
    assert rows.x(0.0) == (rows.left + rows.right) / 2
    assert [rows.row_at(y) for y in (-1, 0, 49, 50, 100)] == [-1, 0, 0, 1, -1]
    assert log_odds_reach([]) == 1.0


def test_lines_and_sums_are_those_of_the_model() -> None:
    data = sample("iris")
    model = NaiveBayes(numbers="gaussian").fit(data, RunContext())
    held = model.structure()
    assert isinstance(held, Conditionals)
    weighing = Evidence(held)
    for row in (0, 70, 149):
        values = {place: float(data.column(int(i))[row]) for place, i in enumerate(held.attribute)}
        assert weighing.probabilities(values)[0] == pytest.approx(model.predict_proba(data)[row])


def test_the_window_shows_the_selected_record_on_it(window: MainWindow, wait_until: Wait) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    window.session.start_run(NaiveBayes(numbers="gaussian"), Holdout(), 1)
    run = window.session.current_run
    assert run is not None
    wait_until(lambda: not run.is_running and not window.session.jobs.running, 120)
    window.show_tab(VISUALIZE)
    wait_until(lambda: any(found.isVisible() for found in window.findChildren(NomogramView)), 60)
    view = next(found for found in window.findChildren(NomogramView) if found.isVisible())
    window.session.selection.select(run.data, np.array([70]), SelectionMode.REPLACE, "a record")
    wait_until(lambda: words(view).startswith("Record 71: "), 60)
    assert len(view.canvas.values) == 4
    window.session.set_class_of_interest(0)
    wait_until(lambda: view.canvas.code == 0, 30)
    assert view.of.currentIndex() == 0


def test_in_a_narrow_pane_names_give_way_and_nothing_is_beyond_the_edge(view: NomogramView) -> None:
    wide = view.canvas.rows
    view.resize(400, 400)
    QApplication.sendPostedEvents()
    rows = view.canvas.rows
    assert rows.width <= 400 and rows.names < wide.names and view.canvas.minimumWidth() <= 300
    assert rows.right - rows.left >= 100


def test_names_that_are_longer_than_usual_have_room_where_the_pane_is_wide(view: NomogramView) -> None:
    random, name = np.random.default_rng(1), "concentration of metabolite 7"
    schema = Schema((numeric(name), numeric("b"), nominal("class", ("yes", "no"))), 2)
    data = Dataset(schema, [*random.normal(size=(2, 60)), np.arange(60) % 2])
    view.resize(1000, 400)
    view.set_structure(learned(data))
    rows = view.canvas.rows
    assert QFontMetricsF(themes.font(NAME_SIZE, bold=True)).horizontalAdvance(name) + AIR_AT_NAMES <= rows.names
    assert rows.names <= 0.37 * rows.width
    assert room_for_names(900.0, 190.0, 96.0, 1000.0) == 360.0
    assert room_for_names(80.0, 190.0, 96.0, 1000.0) == 190.0
    assert room_for_names(900.0, 190.0, 96.0, 200.0) == 96.0


def test_of_many_classes_the_likeliest_are_named_and_the_others_counted() -> None:
    assert likeliest(("a", "b", "c"), (0.2, 0.5, 0.3), 3) == "b 50.0%, c 30.0%, a 20.0%"
    assert likeliest(("a", "b", "c", "d"), (0.25, 0.25, 0.4, 0.1), 2) == wording.LIKELIEST_OF_4


def is_in_view(window: MainWindow, record: int) -> bool:
    """Whether both the nomogram and the card show this record, and name it."""
    views = window.findChildren(NomogramView)
    card = window.findChild(QLabel, "visualize.what-if.actual")
    return (
        any(words(view).startswith(f"Record {record}: ") for view in views)
        and card is not None
        and f"Record {record}, actual" in card.text()
    )


def test_of_several_selected_every_pane_shows_the_same_record(window: MainWindow, wait_until: Wait) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    run = judged(window.session, wait_until, NaiveBayes(numbers="gaussian"), Holdout())
    window.session.selection.select(run.data, np.arange(20, 141), SelectionMode.REPLACE, "the test")
    window.show_tab(3)
    window.session.turns.finish()
    show_page(window, "explain")
    wait_until(lambda: is_in_view(window, 21), 60)
    number = part(window, QSpinBox, "visualize.what-if.record")
    number.setFocus()
    number.selectAll()
    QTest.keyClicks(number, "5")  # it is none of those selected
    QTest.keyClick(number, Qt.Key.Key_Return)
    wait_until(lambda: is_in_view(window, 5), 60)
    window.session.selection.select(run.data, np.array([4, 70]), SelectionMode.REPLACE, "the test")
    wait_until(lambda: is_in_view(window, 5), 60)
    window.show_tab(0)
    window.session.selection.select(run.data, np.array([70, 110]), SelectionMode.REPLACE, "the test")
    window.show_tab(3)
    wait_until(lambda: is_in_view(window, 71), 60)


def test_why_takes_the_record_at_the_top_of_the_sorted_list_and_every_pane_shows_it(
    window: MainWindow, wait_until: Wait
) -> None:
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    first = judged(window.session, wait_until, NaiveBayes(numbers="kernel-density"), Holdout())
    run = judged(window.session, wait_until, NaiveBayes(numbers="gaussian"), Holdout())
    window.session.selection.select(run.data, np.array([20, 70, 110]), SelectionMode.REPLACE, "the test")
    choose_entry(window, "selection.show")
    listed = part(window, RecordsView, "preprocess.records")
    wait_until(lambda: listed.model().rowCount() == 3)

    def top() -> str:
        return str(listed.model().headerData(0, Qt.Orientation.Vertical))

    header = listed.horizontalHeader()
    for expected in ("21", "111"):  # by the length of the petals, upwards and downwards
        where = QPoint(header.sectionViewportPosition(2) + 12, header.height() // 2)
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=where)
        wait_until(lambda expected=expected: top() == expected)
    choose_entry(window, "selection.why")

    wait_until(lambda: is_in_view(window, 111), 60)
    number = part(window, QSpinBox, "visualize.what-if.record")
    number.setFocus()
    number.selectAll()
    QTest.keyClicks(number, "71")
    QTest.keyClick(number, Qt.Key.Key_Return)
    wait_until(lambda: is_in_view(window, 71), 60)
    show_page(window, "model")
    view = next(view for view in window.findChildren(NomogramView) if view.isVisible())
    choose_entry(view.window(), "visualize.nomogram.forget")
    assert words(view).startswith(wording.NOTHING_KNOWN_YET)
    window.session.ledger.set_current(first)
    show_page(window, "explain")
    wait_until(lambda: is_in_view(window, 71), 60)


def test_the_value_at_the_end_of_a_line_stands_where_the_line_does_not_go() -> None:
    bent = [QPointF(380, 362), QPointF(330, 366), QPointF(318, 372), QPointF(862, 397)]
    assert ends_to_the_right(bent, 0, 405.0) and ends_to_the_right(bent, 3, 405.0)
    upright = [QPointF(20, 10), QPointF(20, 4), QPointF(800, 0), QPointF(800, 8)]
    assert not ends_to_the_right(upright, 0, 405.0) and ends_to_the_right(upright, 3, 405.0)


def test_labels_of_ticks_stay_apart() -> None:
    metrics = QFontMetricsF(QFont())
    wide = metrics.horizontalAdvance("+4")
    assert label_step(["0", "+4"], wide + LABEL_GAP, metrics) == 1
    assert label_step(["0", "+4"], wide / 2, metrics) > 2


def test_the_boxes_of_classes_are_as_wide_as_their_names(view: NomogramView) -> None:
    def wide(*classes: str) -> int:
        schema = Schema((numeric("x"), nominal("class", classes)), 1)
        data = Dataset(schema, [np.arange(20.0), np.arange(20) % 2])
        view.set_structure(learned(data))
        return view.of.sizeHint().width()

    long = "diagnosis not confirmed"
    least, most = wide("a", "b"), wide(long, "diagnosis confirmed")
    assert most > least and most > view.of.fontMetrics().horizontalAdvance(long)


def test_the_outer_ranges_are_named_outside_their_ends_in_rounded_numbers(view: NomogramView) -> None:
    random = np.random.default_rng(3)
    schema = Schema((numeric("a"), numeric("b"), nominal("class", ("yes", "no"))), 2)
    codes = np.arange(400) % 2
    data = Dataset(schema, [random.normal(size=400) + codes, random.normal(size=400) - codes, codes])
    view.set_structure(learned(data, numbers="equal-frequency"))
    canvas, metrics = view.canvas, QFontMetricsF(themes.font(11))
    line = canvas.line(0)
    n, rows = len(line.values), canvas.rows
    xs = np.linspace(rows.left + 90, rows.right - 90, n).tolist()
    (left, low), (right, high) = range_ends(line, xs, rows, 0, metrics)
    assert left.x() + metrics.horizontalAdvance(low) < xs[0] and xs[-1] < right.x()
    assert {low, high} <= set(brief_range_labels(line.values[1:].tolist()))
    assert brief_range_labels([-1.84713, -1.221315]) == wording.BRIEF_RANGES
    assert brief_range_labels([2019.5, 1.2341, 1.2349])[1:3] == ("2,020 to 1.234", "1.234 to 1.235")
    near = range_ends(line, np.linspace(rows.left, rows.right, n).tolist(), rows, 0, metrics)
    assert all(place.y() < rows.middle(0) - 8 for place, _ in near)


def test_a_sum_that_is_rounded_to_zero_has_no_sign() -> None:
    assert number_words(-0.004) == number_words(0.004) == "0.00"


class NotingPainter(QPainter):
    """Notes each text with the box that it fills."""

    def __init__(self, image: QImage) -> None:
        super().__init__(image)
        self.texts: list[tuple[str, QRectF]] = []

    def drawText(self, *placed: Any) -> None:  # noqa: N802
        if len(placed) == 2:
            place, text = placed
            self.texts.append((text, QFontMetricsF(self.font()).boundingRect(text).translated(place)))
        else:
            box, _flags, text = placed
            self.texts.append((text, box))


@pytest.mark.parametrize("width", [420, 560, 760, 1000, 1400])
def test_no_percentage_lies_over_the_words_beside_the_sum(view: NomogramView, width: int) -> None:
    random = np.random.default_rng(3)
    codes = np.arange(60) % 2
    schema = Schema((numeric("x"), nominal("class", ("benign", "malignant"))), 1)
    view.set_structure(learned(Dataset(schema, [codes + random.normal(0, 2, 60), codes])))
    view.resize(width, 500)
    image = QImage(width, 200, QImage.Format.Format_RGB32)
    painter = NotingPainter(image)
    paint_sum(view.canvas, painter, 0.5)
    painter.end()
    ((_against, words_box),) = [one for one in painter.texts if " against " in one[0]]
    boxes = [box for text, box in painter.texts if text.endswith("%")]
    assert len(boxes) >= 2 and not any(box.intersects(words_box) for box in boxes)


def test_no_value_at_the_end_of_a_line_lies_over_the_name_of_its_row(view: NomogramView) -> None:
    random, codes = np.random.default_rng(1), np.arange(60) % 2
    columns = [np.where(codes == 1, 0.03, 1.0) * random.normal(size=60) for _ in range(2)]  # far out it is class 0
    schema = Schema((numeric("concentration of metabolite 7"), numeric("b"), nominal("class", ("yes", "no"))), 2)
    themes.set_scale(1.5)
    view.set_structure(learned(Dataset(schema, [*columns, codes])))
    view.resize(1400, 700)
    image = QImage(1400, 400, QImage.Format.Format_RGB32)
    canvas, painter = view.canvas, NotingPainter(image)
    look, n_left = StructureColors(current_theme()), 0
    for row in range(len(canvas.order)):
        painter.texts.clear()
        _paint_names(canvas, painter, look, canvas.rows, row)
        _paint_curve(canvas, painter, look, row)
        (_name, name), _value, *ends = painter.texts
        assert len(ends) == 2 and not any(box.intersects(name) for _text, box in ends), painter.texts
        n_left += sum(box.right() < canvas.rows.left for _text, box in ends)
    painter.end()
    themes.set_scale(1.0)
    assert n_left, "they stand at the left of the axis where a name leaves room"


def sum_texts(view: NomogramView, total: float) -> dict[str, QRectF]:
    """The texts at the line of the sum, with their boxes."""
    image = QImage(1000, 200, QImage.Format.Format_RGB32)
    painter = NotingPainter(image)
    paint_sum(view.canvas, painter, total)
    painter.end()
    return dict(painter.texts)


@pytest.mark.parametrize(("total", "shown"), [(-10.13, "<0.1%"), (9.0, ">99.9%")])
def test_a_probability_near_0_or_1_is_written_as_beyond(view: NomogramView, total: float, shown: str) -> None:
    view.set_structure(learned(sample("iris"), numbers="entropy"))
    view.resize(1000, 500)
    assert shown in sum_texts(view, total) and shown not in sum_texts(view, 0.5)
    assert {"50%", "0.1%", "99.9%"} <= set(sum_texts(view, 0.5))
    view.set_structure(learned(sample("breast-cancer"), numbers="entropy"))
    view.resize(600, 500)
    assert {"50%", "<0.1%", ">99.9%"} <= set(sum_texts(view, 0.5)), "of 30 attributes the line is long"


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("table", ["iris", "breast-cancer"])
def test_probabilities_are_marked_on_both_sides_or_on_neither(view: NomogramView, table: str, scale: float) -> None:
    """0.1% stood beside 50% with no 99.9% at the right, and >99.9% at the right end with nothing at the left."""
    themes.set_scale(scale)
    view.set_structure(learned(sample(table), numbers="entropy"))
    for width in range(300, 1500, 40):
        view.resize(width, 500)
        shown, (low, high) = sum_texts(view, 0.5), view.canvas.total_range
        for pair in SHARES:
            on_line = [share for share in pair if low <= np.log(share / (1 - share)) <= high]
            assert len({f"{100 * share:g}%" in shown for share in on_line}) <= 1, (width, shown)
        if len(on_line) == 2 and min(-low, high) > 7:
            assert ("<0.1%" in shown) is (">99.9%" in shown), (width, shown)
    themes.set_scale(1.0)


def test_the_line_of_the_total_is_as_long_as_all_lines_and_the_prior(view: NomogramView) -> None:
    """It ended where the axis of points does, with probabilities alone: two scales looked as one."""
    view.set_structure(learned(sample("iris"), numbers="entropy"))
    view.resize(1000, 500)
    canvas = view.canvas
    spans = [(canvas.odds(row).min(), canvas.odds(row).max()) for row in range(len(canvas.order))]
    low, high = canvas.total_range
    assert (low, high) == pytest.approx((sum(low for low, _ in spans), sum(high for _, high in spans)))
    reach = canvas.rows.reach
    assert -low > 2 * reach and high > 2 * reach, "in iris the shares of the classes are equal"
    far = f"\N{MINUS SIGN}{10 * int(-low // 10)}"
    assert far in sum_texts(view, 0.0) and wording.PRIOR_OF_NOTHING in sum_texts(view, 0.0)
    canvas.show_named("petal")
    assert canvas.total_range == (low, high), "hidden attributes count"


def far_apart(n_attributes: int) -> Dataset:
    """Numbers that tell two classes apart beyond the axis, each by itself."""
    codes, random = np.arange(40) % 2, np.random.default_rng(0)
    schema = Schema((*(numeric(f"x{i}") for i in range(n_attributes)), nominal("class", ("no", "yes"))), n_attributes)
    return Dataset(schema, [*(50 * codes + random.normal(size=40) for _ in range(n_attributes)), codes])


@pytest.mark.parametrize("total", [-1200.0, -np.inf, np.inf])
def test_a_total_of_a_hundred_attributes_is_painted_without_overflow(view: NomogramView, total: float) -> None:
    view.set_structure(learned(far_apart(100)))
    view.resize(1000, 500)
    assert view.canvas.total_range == pytest.approx((-1000.0, 1000.0)), "each line ends with the axis of points, at 10"
    with np.errstate(over="raise"):
        shown = sum_texts(view, total)
    assert ("<0.1%" if total < 0 else ">99.9%") in shown
    assert {"+1,000", f"{MINUS}1,000"} <= set(shown), "not 1e+03"


@pytest.mark.parametrize(("width", "scale"), [(290, 1.0), (420, 1.5)])
def test_labels_of_the_line_of_the_total_do_not_meet(view: NomogramView, width: int, scale: float) -> None:
    themes.set_scale(scale)
    view.set_structure(learned(sample("breast-cancer"), numbers="entropy"))
    view.resize(width, 500)
    metrics = QFontMetricsF(themes.font(11))
    labels = [(box.center().x(), metrics.horizontalAdvance(text)) for text, box in sum_texts(view, 0.5).items()
              if text.lstrip(f"+{MINUS}").isdecimal()]  # fmt: skip
    themes.set_scale(1.0)
    labels.sort()
    assert len(labels) >= 3
    assert all(there - half / 2 > here + wide / 2 for (here, wide), (there, half) in pairwise(labels))


def test_the_total_is_the_log_odds_of_the_models_own_probabilities(view: NomogramView) -> None:
    data = sample("iris")
    model = NaiveBayes(numbers="gaussian").fit(data, RunContext())
    view.set_structure(learned(data))
    canvas, shares = view.canvas, model.predict_proba(data)
    for row in range(0, len(data), 10):
        canvas.set_values({line.place: float(data.column(line.name)[row]) for line in canvas.weighing.lines})
        odds = np.log(shares[row, canvas.code] / shares[row, canvas.other])
        figures = canvas.prior + sum(canvas.added(place) for place in range(len(canvas.order)))
        assert view.sum.total == pytest.approx(odds, abs=1e-3) and figures == pytest.approx(odds, abs=1e-3)


def test_the_total_names_the_prior_and_says_where_figures_do_not_add_up(view: NomogramView) -> None:
    canvas, prior = view.canvas, float(np.log(3 / 7))
    low, high = canvas.total_range
    spans = [(canvas.odds(row).min(), canvas.odds(row).max()) for row in range(len(canvas.order))]
    ends = [
        prior + sum(end(span) for span in np.clip(spans, -canvas.rows.reach, canvas.rows.reach)) for end in (min, max)
    ]
    assert low < prior < high and (low, high) == pytest.approx(tuple(ends)), "the prior moves both ends"
    assert canvas.prior_words(prior) == wording.PRIOR_OF_LOANS
    row = row_of(canvas, "Home Owner")
    click(canvas, label_at(canvas, "Home Owner", "No"))
    added = canvas.added(row)
    assert added is not None and canvas.prior_words(prior + added + 0.01) == wording.PRIOR_OF_LOANS_ROUNDED


def test_the_controls_leave_each_other_room_in_a_small_window_with_large_text(view: NomogramView) -> None:
    """The button "View" lay over the end of the field "Find…"."""
    assert view.search.minimumWidth() <= themes.px(85)
