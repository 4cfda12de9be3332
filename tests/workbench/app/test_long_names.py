"""Words that are longer than their place: broken, counted or left away, never pushed beyond an edge."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QHeaderView, QLabel, QSpinBox, QToolTip, QVBoxLayout, QWidget
from shiboken6 import delete

from tests.expected_texts import app as wording
from tests.expected_texts import tabs_evaluate as tabs_evaluate_wording
from tests.expected_texts import viewers as viewers_wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, small_data
from workbench.app.top_line import ClassBox
from workbench.forms.costs import CostTable, _heading_font
from workbench.style.theme import themes
from workbench.tabs.evaluate.figure_table import FigureTable
from workbench.tabs.evaluate.numbers import MetricFigure
from workbench.tabs.preprocess.attributes.attribute_pane import StatisticsLabels
from workbench.viewers.charts.chart_base import FloatingCard
from workbench.widgets.fields import ElidedComboBox, with_room
from workbench.widgets.labels import ElidedLabel, label, lines_of

NAME = "the_attribute_with_a_very_long_name_" + "a" * 44


def test_a_long_name_in_rich_text_is_broken_and_its_markup_is_not() -> None:
    html = (
        f"because <span style='color:#123456;background-color:#ffffffffffffffffffffff'>{NAME}&amp;{NAME}</span> &lt; 1"
    )
    words = label(html, wrap=True, rich=True)
    assert words.text() == html
    box = QWidget()
    QVBoxLayout(box).addWidget(words)
    assert box.minimumSizeHint().width() < 200 < QFontMetrics(words.font()).horizontalAdvance(NAME)
    assert "&amp;" in words.property("text") and "#ffffffffffffffffffffff" in words.property("text")


def test_facts_are_left_away_whole_and_the_tooltip_has_them_all() -> None:
    facts = ElidedLabel("97 nodes · 49 leaves · 60 selected", "facts")
    across = facts.fontMetrics().horizontalAdvance
    facts.resize(across("97 nodes · 49 leaves · 60") + 4, 20)
    facts.show()
    assert facts.shown() == viewers_wording.tree_facts(97, 49)
    assert "60 selected" in facts.toolTip()
    facts.resize(across("97 nodes · 49 leaves · 60 selected") + 4, 20)
    assert facts.shown() == facts.text()


def test_a_card_says_less_until_it_is_no_higher_than_its_picture() -> None:
    picture = QWidget()
    picture.resize(500, 120)
    card = FloatingCard(picture, "card")
    lines = [f"{NAME} is {at}" for at in range(12)]
    card.show_what_fits(("<br>".join(lines[:n]) for n in (12, 3, 1)), QRectF(200, 40, 40, 20))
    assert card.html in ("<br>".join(lines[:3]), lines[0])
    assert picture.rect().contains(card.geometry())


def test_the_tabs_are_whole_beside_long_names_of_classes_each_time_the_text_gets_larger(
    stage: Stage, wait_until: Wait
) -> None:
    """The second time the positive class took the width of the last tab, as the line was fitted to the old tabs."""
    window = stage.window(1280, 720)
    names = ("diagnosis confirmed by a second reader", "sent away without any diagnosis at all")
    stage.open(window.session, small_data(40, classes=names))
    tabs = window.top.tabs
    for scale in (1.5, 1.0, 1.5):
        window.set_text_scale(scale)
        wait_until(lambda: tabs.width() >= tabs.sizeHint().width())
    wait_until(lambda: window.top.layout().totalMinimumSize().width() <= window.top.width())
    window.set_text_scale(1.0)


def test_the_text_of_a_field_with_arrows_begins_where_that_of_others_does() -> None:
    box = QSpinBox()
    with_room(box)
    assert box.lineEdit().textMargins().left() >= 6


def test_a_long_value_has_a_row_of_its_own_once_the_pane_is_too_narrow_for_two() -> None:
    numbers = StatisticsLabels()
    numbers.show_pairs([("Distinct", "467"), ("Quartiles", "-0.607123 to 0.689712")], 700)
    numbers.show()
    rows = {}
    for width in (640, 280):
        numbers.resize(width, 60)
        grid = numbers.layout()
        assert isinstance(grid, QGridLayout)
        rows[width] = [grid.getItemPosition(at)[0] for at in range(grid.count())]
    assert rows == {640: [0, 0, 0, 0], 280: [0, 0, 1, 1]}


def test_beside_a_plot_each_value_has_a_line_of_its_own_and_room_to_be_whole() -> None:
    numbers = StatisticsLabels()
    numbers.show_pairs([("Distinct", "467"), ("Quartiles", "5.1 to 6.4"), ("Missing", "0")], 700)
    numbers.set_single(True)
    numbers.show()
    numbers.resize(numbers.single_width(), 80)
    grid = numbers.layout()
    assert isinstance(grid, QGridLayout)
    assert [grid.getItemPosition(at)[:2] for at in range(6)] == [(row, column) for row in range(3) for column in (0, 1)]
    assert all(words.shown() == words.text() for words in numbers.findChildren(ElidedLabel))
    assert abs(numbers.sizeHint().height() - numbers.height_of(True, 80)) <= 6


def test_the_name_of_a_run_is_broken_between_words_before_it_is_cut() -> None:
    metrics = QFontMetrics(themes.font())
    room = metrics.horizontalAdvance("Support vector ma")
    assert lines_of("CART", room, metrics) == ["CART"]
    assert lines_of(wording.SUPPORT_VECTOR_MACHINE, room, metrics) == ["Support vector", "machine"]
    cut = lines_of("Nearest neighbours, choose their number", room, metrics)
    assert cut[0] == "Nearest" and cut[1].endswith("…")
    assert len(lines_of(NAME, room, metrics)) <= 2


def test_over_narrow_columns_of_costs_the_class_stands_below_the_word_predicted() -> None:
    table = CostTable(("setosa", "versicolor", "virginica"))
    across = Qt.Orientation.Horizontal
    table.show()
    for width, said in ((360, "predicted\nversicolor"), (700, "predicted versicolor")):
        table.resize(width, 200)
        assert table.model().headerData(1, across) == said
        assert table.model().headerData(1, across, Qt.ItemDataRole.ToolTipRole) == "predicted versicolor"


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_a_long_positive_class_stands_in_two_lines_that_are_cut_once_at_most(qapp: QApplication, scale: float) -> None:
    """At large text the line at the top showed "dia…confi…" and "sent…"."""
    themes.set_scale(scale)
    box, ink = ClassBox(), qapp.palette().text().color()
    classes = ("diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis")
    box.addItems(classes)
    box.setMaximumWidth(themes.px(106))
    box.resize(themes.px(106), box.height_within(themes.px(106)))
    box.show()
    assert box.height() >= 2 * QFontMetrics(themes.font(11)).height()
    for index, name in enumerate(classes):
        box.setCurrentIndex(index)
        first, second = box._elided(name, themes.px(74)).split("\n")
        assert name.startswith(first) and second.count("…") <= 1
        image = box.grab().toImage()
        columns = range(themes.px(16), themes.px(80))
        rows = [y for y in range(box.height()) if any(image.pixelColor(x, y) == ink for x in columns)]
        assert rows and rows[0] >= 2 and rows[-1] <= box.height() - 3, "no line is clipped"
    delete(box)
    themes.set_scale(1.0)


def test_the_tooltip_of_a_combo_box_begins_with_a_text_that_is_cut(qapp: QApplication) -> None:
    """So a long positive class can be read in the line at the top."""
    box = ElidedComboBox(None, [("diagnosis confirmed by a second reader", 0), ("no", 1)])
    box.setToolTip("The class")
    box.resize(120, 30)
    box.show()
    for index, tip in ((0, f"{box.itemText(0)}\nThe class"), (1, "The class")):
        box.setCurrentIndex(index)
        qapp.sendEvent(box, QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), box.mapToGlobal(QPoint(5, 5))))
        assert QToolTip.text() == tip
    QToolTip.hideText()
    delete(box)


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_where_long_classes_leave_no_room_the_corner_alone_says_predicted_and_actual(
    qapp: QApplication, scale: float
) -> None:
    """ "predicted" stood over each column, and the rows had lost the word "actual" for their middles."""
    themes.set_scale(scale)
    classes = ("diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis")
    table = CostTable(classes)
    table.show()
    (corner,) = (child for child in table.findChildren(QLabel) if child.parent() is table)
    metrics, across, down = QFontMetrics(_heading_font()), Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    for width, is_tight in ((320, True), (440, True), (1200, False)):
        table.resize(int(width * scale), 200)
        qapp.processEvents()
        assert corner.isVisible() is is_tight
        titles = [table.model().headerData(at, way) for way in (across, down) for at in range(3)]
        assert all(("predicted" in title or "actual" in title) is not is_tight for title in titles)
        if is_tight:
            assert len(set(titles[:3])) == len(set(titles[3:])) == 3
            rooms = [table.horizontalHeader().sectionSize(0)] * 3 + [table.verticalHeader().width()] * 3
            for title, room in zip(titles, rooms, strict=True):
                assert all(metrics.horizontalAdvance(line) <= room for line in title.split("\n"))
            if width > 320:
                assert abs(rooms[0] - rooms[-1]) < 5, "rows are cut no more than columns"
                assert titles[1].replace("\n", " ") == titles[4].replace("\n", " ") == classes[1]
        assert table.model().headerData(1, down, Qt.ItemDataRole.ToolTipRole) == f"actual {classes[1]}"
    themes.set_scale(1.0)
    delete(table)


def test_columns_of_costs_with_long_names_fit_and_are_told_apart_anew_at_each_width() -> None:
    """Three classes need no scrolling beside their names; what one column is given later counts too."""
    table = CostTable(tuple(f"a class label that is rather long {colour}xxxxxx" for colour in ("blue", "green", "red")))
    across, said = Qt.Orientation.Horizontal, []
    table.show()
    for width in (345, 1100, 345):
        table.resize(width, 240)
        assert not table.horizontalScrollBar().maximum()
        said.append(table.model().headerData(0, across))
    assert "blue" in said[0] and len(said[0]) + 12 < len(said[1]) and said[2] == said[0]
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    table.horizontalHeader().resizeSection(0, 500)
    assert len(table.model().headerData(0, across)) > len(said[0]) + 12


def test_averages_by_class_give_up_what_is_in_brackets_before_they_are_cut() -> None:
    table = FigureTable((("Class", ""), ("Found", "")), "table", "A table")
    table.set_rows(
        [
            [MetricFigure("versicolor"), MetricFigure("94.7")],
            [MetricFigure("by records (average)", is_last=True), MetricFigure("9")],
        ]
    )
    table.show()
    for width, said in ((150, "by records"), (400, tabs_evaluate_wording.AVERAGE_BY_RECORDS)):
        table.resize(width, 120)
        assert [table.item(row, 0).text() for row in range(2)] == ["versicolor", said]


def test_figures_stand_near_their_names_and_names_are_cut_only_where_there_is_no_room() -> None:
    table = FigureTable((("Class", ""), ("Found", "")), "table", "A table")
    table.show()
    for name, width, least, most in (("a", 1200, 300, 500), (NAME, 1200, 500, 1100), (NAME, 130, 40, 110)):
        table.set_rows([[MetricFigure(name), MetricFigure("94.7")]])
        table.resize(width, 90)
        assert least < table.columnWidth(0) < most


def test_a_value_that_has_no_room_in_larger_text_gets_a_row_of_its_own(qapp) -> None:
    themes.install(qapp, "light")
    numbers = StatisticsLabels()
    numbers.resize(449, 120)
    numbers.show_pairs([("Distinct", "200,000"), ("Quartiles", "-1.314 to 1.394")], 483)
    numbers.show()
    try:
        themes.set_scale(1.5)
        qapp.processEvents()
        assert all(value.shown() == value.text() for value in numbers.findChildren(ElidedLabel) if value.isVisible())
    finally:
        themes.set_scale(1.0)
        delete(numbers)
