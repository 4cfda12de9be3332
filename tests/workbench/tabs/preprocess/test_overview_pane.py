"""The overview of the table in Preprocess: findings with remedies and undo, the map of pairs, missing values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QPushButton

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.filters.scale import CapOutliers
from tests.algorithms.evaluation.test_overview import noise, planted
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, Wait, press
from workbench.session.session import Session
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes
from workbench.tabs.preprocess.overview_pane import ATTRIBUTES, FINDINGS, MISSING, PAIRS
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.warnings.warning_drawer import WarningCard, WarningList
from workbench.widgets.tables import TextTable


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1280, 720)
    stage.open(session, planted())
    return tab


@pytest.fixture
def opened(tab: PreprocessTab, wait_until: Wait) -> PreprocessTab:
    press(tab, "preprocess.overview.open")
    wait_until(lambda: tab.overview.checks is not None, 60)
    return tab


def findings(tab: PreprocessTab) -> list[str]:
    return [card.fact.name for card in tab.overview.findChildren(WarningCard) if card.isVisible()]


def remedy(tab: PreprocessTab, name: str) -> None:
    press(tab, f"preprocess.overview.finding.{name}.remedy")


def test_the_overview_stands_in_place_of_attributes_and_records(opened: PreprocessTab) -> None:
    assert opened.overview.isVisible()
    assert not opened.attributes.isVisible() and not opened.records.isVisible() and not opened.attribute.isVisible()
    assert "giveaway" in findings(opened) and "duplicates" in findings(opened)
    assert sum(not button.visibleRegion().isEmpty() for button in opened.findChildren(QAbstractButton)) <= 15
    QTest.keyClick(opened.overview, Qt.Key.Key_Escape)
    assert opened.attributes.isVisible() and opened.records.isVisible() and opened.attribute.isVisible()


@pytest.mark.parametrize("name", ["repeated", "constant", "mostly-missing"])
def test_a_remedy_leaves_attributes_out_and_undo_brings_them_back(
    opened: PreprocessTab, session: Session, wait_until: Wait, name: str
) -> None:
    card = next(card for card in opened.overview.findChildren(WarningCard) if card.fact.name == name)
    assert card.fact.act is not None
    before = session.data
    remedy(opened, name)
    assert session.data is not before
    wait_until(lambda: opened.overview.checks is not None and name not in findings(opened), 60)
    session.undo_stack.undo()
    wait_until(lambda: opened.overview.checks is not None and name in findings(opened), 60)


def test_duplicates_are_removed_with_undo(opened: PreprocessTab, session: Session, wait_until: Wait) -> None:
    assert session.data is not None and len(session.data) == 602
    remedy(opened, "duplicates")
    assert len(session.data) == 600
    wait_until(lambda: opened.overview.checks is not None and "duplicates" not in findings(opened), 60)
    session.undo_stack.undo()
    assert len(session.data) == 602


def test_imputing_is_a_step_of_the_recipe_and_the_overview_is_not_computed_again(
    opened: PreprocessTab, session: Session
) -> None:
    checks = opened.overview.checks
    remedy(opened, "missing-values")
    assert [step.id for step in session.recipe] == ["replace-missing"]
    assert opened.overview.checks is checks
    assert "missing-values" not in findings(opened)
    session.undo_stack.undo()
    assert "missing-values" in findings(opened)


def test_extreme_values_are_capped_by_a_step_with_undo(opened: PreprocessTab, session: Session) -> None:
    remedy(opened, "outliers")
    assert session.recipe == (CapOutliers(k=3.0, columns=("extreme",)),)
    assert "outliers" not in findings(opened)
    session.undo_stack.undo()
    assert "outliers" in findings(opened) and not session.recipe


def test_records_that_are_asked_for_take_the_place_of_the_overview(opened: PreprocessTab, session: Session) -> None:
    session.show_selected()
    assert opened.records.isVisible() and not opened.overview.isVisible()


def test_the_form_of_the_ranges_takes_the_place_of_the_link(opened: PreprocessTab, session: Session) -> None:
    """A page with both had 17 buttons in view."""
    data = session.data
    assert data is not None
    name = next(attribute.name for attribute in data.schema.attributes if attribute.kind.is_float)
    opened.attribute.ranges_asked.emit(name)
    assert opened.ranges.is_open and opened.attributes.overview.isHidden()
    opened.ranges.close_pane()
    assert not opened.attributes.overview.isHidden()


def test_drawer_and_overview_say_the_same(session: Session, stage: Stage, wait_until: Wait) -> None:
    warnings = WarningList(session)
    opened = stage.show(PreprocessTab(session), 1280, 720)
    stage.open(session, planted())
    opened.open_overview()
    wait_until(lambda: opened.overview.checks is not None, 60)
    wait_until(lambda: session.analyses.checks.is_data_checked, 60)
    warnings.refresh()
    drawer = {fact.name: fact.sentence for fact in warnings.warnings}
    cards = {card.fact.name: card.fact.sentence for card in opened.overview.findChildren(WarningCard)}
    assert drawer and drawer.items() <= cards.items()
    tab = opened.findChild(QPushButton, "preprocess.overview.findings")
    assert tab.text().split()[-1] == str(len(cards)), "the tab counted some of the findings that it lists"


def test_a_cell_opens_its_pair_by_mouse_and_keys(opened: PreprocessTab) -> None:
    overview = opened.overview
    overview.show_page(PAIRS)
    box = overview.map._box(0, 1)
    QTest.mouseClick(overview.map, LEFT, pos=box.center().toPoint())
    assert overview.pair == ("width", "again")
    words = overview.findChild(QLabel, "preprocess.overview.pair.words")
    assert wording.PEARSON_OF_A_COPY in words.text()
    QTest.keyClick(overview.map, Qt.Key.Key_Right)
    assert overview.pair == ("width", "extreme")
    assert overview.map.tip_at(QPointF(box.center())).startswith(wording.WIDTH_AND_AGAIN)
    assert overview.map.accessibleDescription().startswith(wording.WIDTH_AND_EXTREME)


def test_the_search_keeps_the_rows_that_match_and_the_chosen_pair(opened: PreprocessTab) -> None:
    overview = opened.overview
    overview.show_page(PAIRS)
    overview.map.choose(1, 0)
    overview.findChild(QLineEdit, "preprocess.overview.search").setText("AGA")
    assert overview.map.matrix is not None
    assert list(overview.map.matrix.rows) == ["again"]
    assert overview.pair == ("again", "width")
    overview.map.choose(0, 2)
    assert overview.pair == ("again", "extreme")


def test_every_measure_of_the_map_has_its_figures_and_the_table_the_strongest_pairs(opened: PreprocessTab) -> None:
    overview = opened.overview
    overview.show_page(PAIRS)
    figures = []
    for index in range(3):
        overview._measure.setCurrentIndex(index)
        assert overview.map.matrix is not None
        figures.append(overview.map.matrix.number(0, 1))
    assert figures[0] == "1.000" and figures[2] == "0.0%"
    assert overview._pair_rows()[1][:2] == ["width", "again"]


def test_missing_values_are_shown_along_the_records(opened: PreprocessTab) -> None:
    overview = opened.overview
    overview.show_page(MISSING)
    matrix = overview._missing.matrix
    assert matrix is not None and [name.split()[0] for name in matrix.rows] == ["mostly", "entered"]
    assert np.nanmean(matrix.values[0]) == pytest.approx(0.78, abs=0.05)
    assert len(overview._missing.table_rows()) == 3


def test_a_large_table_shows_its_sample_and_can_be_stopped(
    session: Session, stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("algorithms.evaluation.checks.overview.SAMPLE", 100)
    tab = stage.show(PreprocessTab(session), 1280, 720)
    stage.open(session, noise(3))
    words = []
    monkeypatch.setattr(tab.overview, "_say", words.append)
    tab.open_overview()
    wait_until(lambda: tab.overview.checks is not None, 60)
    assert any(wording.FROM_A_SAMPLE_OF_100 in line for line in words)
    assert findings(tab) == [] or all(not card.fact.is_warning for card in tab.overview.findChildren(WarningCard))
    stage.open(session, planted())
    tab.overview._look()
    for job in session.jobs.running:
        job.stop()
    wait_until(lambda: tab.overview.findChild(QPushButton, "preprocess.overview.again").isVisible(), 60)
    press(tab, "preprocess.overview.again")
    wait_until(lambda: tab.overview.checks is not None, 60)


def wide(d: int = 300, n: int = 60) -> Dataset:
    random = np.random.default_rng(1)
    names = [f"serum alpha-hydroxybutyrate concentration measured at week {k} of the trial" for k in range(d)]
    classes = nominal("class", tuple("abcdefghijklmnopqrstuvwxyz"))
    columns = [random.normal(size=n) for _ in names]
    return Dataset(Schema((*map(numeric, names), classes), d), [*columns, np.arange(n) % 26])


@pytest.mark.parametrize(("theme", "scale"), [(LIGHT_NAME, 1.0), (DARK_NAME, 1.5)])
def test_300_attributes_and_26_classes_are_painted(
    session: Session, stage: Stage, wait_until: Wait, theme: str, scale: float
) -> None:
    themes.choose(theme)
    themes.set_scale(scale)
    tab = stage.show(PreprocessTab(session), 1280, 720)
    stage.open(session, wide())
    tab.open_overview()
    wait_until(lambda: tab.overview.checks is not None, 60)
    for page in (FINDINGS, PAIRS, MISSING):
        tab.overview.show_page(page)
        assert not tab.grab().isNull()
    tab.overview.map.choose(299, 300)
    assert tab.overview.pair is not None and tab.overview.pair[1] == "class"
    shown = tab.overview.map.grab().toImage()
    area = tab.overview.map._grid()
    colors = {
        shown.pixelColor(int(area.left() + x), int(area.top() + y)).name() for x in range(2, 200) for y in (9, 50)
    }
    assert len(colors) > 10


def test_without_a_table_there_is_no_overview(session: Session, stage: Stage) -> None:
    tab = stage.show(PreprocessTab(session), 1280, 720)
    assert not tab.attributes.overview.isEnabled()
    tab.open_overview()
    assert not tab.overview.isVisible()


def test_the_map_is_copied_as_a_picture(opened: PreprocessTab) -> None:
    overview = opened.overview
    overview.show_page(PAIRS)
    overview.map.setFocus()
    QTest.keyClick(overview.map, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert not QGuiApplication.clipboard().image().isNull()


def test_each_kind_of_pair_has_its_chart_with_numbers(opened: PreprocessTab, wait_until: Wait) -> None:
    overview = opened.overview
    overview.show_page(PAIRS)
    names = list(overview.overview.pairs.names) if overview.overview is not None else []
    rows = {}
    for first, second in (("width", "extreme"), ("width", "label"), ("leak", "label")):
        overview.map.choose(names.index(first), names.index(second))
        wait_until(lambda: not overview._picture_task.is_running, 60)
        assert not overview.card.chart.is_empty
        assert not overview.card.grab().isNull()
        rows[first, second] = overview.card.chart.table_rows()
        assert overview.card.chart.accessibleDescription() == overview.card.chart.sentence()
    assert rows["width", "extreme"][0] == ["width", "extreme", "Class"] and len(rows["width", "extreme"]) == 603
    assert [row[0] for row in rows["width", "label"]] == ["label", "v0", "v1"]
    assert rows["leak", "label"][0] == ["leak", "v0", "v1"]
    tiles = overview.card.chart._tiles(overview.card.chart.picture, overview.card.chart._area())  # type: ignore[arg-type]
    assert "100.0%" in overview.card.chart.tip_at(tiles[0][2].center())


def test_a_pair_of_an_attribute_with_itself_has_no_chart(opened: PreprocessTab) -> None:
    overview = opened.overview
    overview.show_page(PAIRS)
    overview.map.choose(0, 0)
    assert not overview.card.views.isVisible()
    assert overview.card.chart.picture is None


def test_names_of_columns_stand_upright_where_they_do_not_fit_side_by_side(opened: PreprocessTab) -> None:
    heat_map = opened.overview.map
    assert heat_map.matrix is not None
    opened.overview.show_page(PAIRS)
    line, wide = QFontMetricsF(themes.font(11)).height(), heat_map._widest_names()[1]
    room = (wide + 6) * len(heat_map.matrix.columns)
    assert heat_map._height_of_names(room) == line < heat_map._height_of_names(room - 1) <= heat_map.height()
    in_order = replace(heat_map.matrix, is_in_order=True)
    heat_map.show_matrix(in_order)
    assert heat_map._height_of_names(10.0) == line


def test_cells_without_a_measure_are_hatched(opened: PreprocessTab) -> None:
    """On a plain ground they looked like an association of 0."""
    opened.overview.show_page(PAIRS)
    heat_map = opened.overview.map
    picture = heat_map.grab().toImage()
    inside = heat_map._box(0, 0).toRect().adjusted(2, 2, -2, -2)
    places = [(x, y) for x in range(inside.left(), inside.right()) for y in range(inside.top(), inside.bottom())]
    colors = {picture.pixelColor(x, y).name() for x, y in places}
    assert len(colors) > 1 and themes.current.pane in colors


def test_heads_of_outliers_are_whole_and_say_what_they_count(opened: PreprocessTab) -> None:
    opened.overview.show_page(ATTRIBUTES)
    table = opened.overview.findChild(TextTable, "preprocess.overview.table")
    header, model = table.horizontalHeader(), table.model()
    for column in range(model.columnCount()):
        head = str(model.headerData(column, Qt.Orientation.Horizontal))
        tip = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        assert header.sectionSize(column) >= header.sectionSizeHint(column)
        assert tip != head.replace("\n", " ") or column < 2


def test_a_chosen_page_takes_the_focus_of_the_one_before(opened: PreprocessTab) -> None:
    """The focus on another page than the chosen one made both look chosen."""
    pages = opened.overview._pages
    pages[FINDINGS].setFocus()
    opened.overview.show_page(ATTRIBUTES)
    assert pages[ATTRIBUTES].hasFocus() and pages[ATTRIBUTES].isChecked()
