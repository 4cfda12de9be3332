"""What the Preprocess tab shows, apart from its widgets: cells, attributes, steps, words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QApplication

from algorithms.core.filters import (
    Filter,
    FittedFilter,
    RecipeStep,
    moved,
    recipe_of,
    reconciled,
    removed,
    replaced,
    switched,
)
from algorithms.core.parameters import integer
from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import Histogram, histogram, statistics
from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.learners.trees.c45 import C45
from algorithms.structures.tree import Tree
from tests.expected_texts import tabs_preprocess as wording
from tests.pages.tables import TABLES
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.preprocess.attribute_edits import Changes
from workbench.tabs.preprocess.attributes.attributes_model import (
    AttributesColumn,
    AttributesModel,
    information_gain_of,
    sparkline,
)
from workbench.tabs.preprocess.attributes.attributes_pane import PADDING, AttributesPane, paint_bars
from workbench.tabs.preprocess.attributes.histogram import CountsModel
from workbench.tabs.preprocess.attributes.statistics_text import bin_words, headline, missing_share, pairs
from workbench.tabs.preprocess.class_bar import best_guess
from workbench.tabs.preprocess.table import records_model
from workbench.tabs.preprocess.table.records_model import RecordsModel, decimals_alike
from workbench.tabs.preprocess.table.records_pane import COLUMNS_A_TURN, RecordsPane
from workbench.widgets.labels import elided

pytestmark = pytest.mark.usefixtures("qapp")


def people() -> Dataset:
    text = np.array(["Ann", np.nan, "Cid"], dtype=STRING)
    schema = Schema(
        (
            numeric("age"),
            Attribute("name", AttributeKind.TEXT),
            Attribute("born", AttributeKind.DATE),
            nominal("risk", ["low", "high"]),
        ),
        3,
    )
    return Dataset(schema, [[31.0, 0.1, np.nan], text, [0.0, np.nan, 86400.0], [1, 0, -1]])


def cells(model: RecordsModel) -> list[list[str]]:
    return [[model.index(r, c).data() for c in range(model.columnCount())] for r in range(model.rowCount())]


def test_records_are_written_shortly_and_missing_ones_as_a_dot() -> None:
    model = RecordsModel()
    model.set_dataset(people())
    assert cells(model) == [
        ["31.0", "Ann", "1970-01-01", "high"],
        ["0.1", "·", "·", "low"],
        ["·", "Cid", "1970-01-02", "·"],
    ]
    assert model.text(1, 1) is None
    assert model.index(1, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "name: missing"


def test_only_cells_of_the_class_have_a_colour() -> None:
    model = RecordsModel()
    model.set_dataset(people())
    assert model.class_codes(3, [0, 1, 2]) == [1, 0, -1]
    assert model.class_codes(0, [0, 1, 2]) is None


def test_records_keep_the_number_they_had_in_the_file() -> None:
    model = RecordsModel()
    model.set_dataset(people().take([2, 0]))
    assert [model.headerData(row, Qt.Orientation.Vertical) for row in range(2)] == ["3", "1"]
    assert cells(model)[1][0] == "31"


def test_data_of_the_same_shape_is_shown_without_a_reset() -> None:
    model, resets = RecordsModel(), []
    model.set_dataset(people())
    model.modelReset.connect(lambda: resets.append(1))
    model.set_dataset(people().with_cells(0, [0], [5.0]))
    assert cells(model)[0][0] == "5.0" and not resets


def test_numbers_of_a_column_show_as_many_decimals_but_copies_are_exact() -> None:
    schema = Schema((numeric("x"), numeric("whole"), numeric("measured"), nominal("y", ["a", "b"])))
    model = RecordsModel()
    model.set_dataset(Dataset(schema, [[3.0, -3.5, 1e20], [3.0, 4.0, 5.0], [0.123456, 1.5, 2.0], [0, 1, 0]]))
    assert [[row[column] for row in cells(model)] for column in range(3)] == [
        ["3.0", "−3.5", model.whole_text(2, 0)],
        ["3", "4", "5"],
        ["0.123456", "1.500000", "2.000000"],
    ]
    assert model.whole_text(0, 0) == model.index(0, 0).data(Qt.ItemDataRole.EditRole) == "3"


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        ([5.1, 4.9, 5.0], ["5.1", "4.9", "5.0"]),
        ([0.1184, 0.08474, 0.17], ["0.1184", "0.08474", "0.1700"]),
        ([0.3001, 0.0869, 0.1974, 0.0008692], ["0.3001", "0.0869", "0.1974", "0.0008692"]),
        ([*np.arange(1, 30) / 10, 0.1 + 0.2], [f"{tenth / 10:.1f}" for tenth in (*range(1, 30), 3)]),
        ([-0.5918604025310721, -3.1816936724658347, 10.0], ["−0.59186", "−3.18169", "10.00000"]),
        ([0.12345678901234, 0.5, -0.0012345678901], ["0.123457", "0.500000", "−0.001235"]),
        ([123456.78901234567, 0.5, 1234567.25], ["123456.79", "0.50", "1234567.25"]),
        ([1 / 3, 1e-9 / 3, 1.0], ["0.3333333", "3.333333e−10", "1"]),
        ([0.12345678901, 0.0123456789012, 99999.12], ["0.1234568", "0.01234568", "99999.12"]),
        ([0.12345678901, 99999.25, 0.5], ["0.1234568", "99999.25", "0.5"]),
        ([0.001, 1e-12, 0.0], ["0.001", "1e−12", "0.000"]),
    ],
)
def test_a_column_has_one_number_of_decimals_unless_a_number_would_vanish(
    numbers: list[float], shown: list[str]
) -> None:
    model = RecordsModel()
    codes = np.zeros(len(numbers), dtype=np.int8)
    model.set_dataset(Dataset(Schema((numeric("x"), nominal("y", ["a", "b"]))), [numbers, codes]))
    assert [row[0] for row in cells(model)] == shown


def test_decimals_are_kept_when_another_cell_is_edited_or_records_go(monkeypatch: pytest.MonkeyPatch) -> None:
    data = Dataset(Schema((numeric("x"), numeric("z"))), [[0.5, 1.25], [0.125, 2.5]])
    model, measured = RecordsModel(), list[str]()

    def counted(texts: list[str | None]) -> tuple[int, bool]:
        measured.append(str(texts[0]))
        return decimals_alike(texts)

    monkeypatch.setattr(records_model, "decimals_alike", counted)
    model.set_dataset(data)
    assert cells(model)[1] == ["1.25", "2.500"] and measured == ["0.5", "0.125"]
    model.set_dataset(edited := data.with_cells(0, [0], [0.0625]))
    assert cells(model) == [["0.0625", "0.125"], ["1.2500", "2.500"]]
    model.set_dataset(edited.without([0]))
    assert cells(model) == [["1.2500", "2.500"]], "no number is written otherwise where records are removed"
    assert measured == ["0.5", "0.125", "0.0625"]


def test_the_columns_of_another_table_are_measured_a_few_a_turn(session: Session) -> None:
    pane, n = RecordsPane(session), 3 * COLUMNS_A_TURN - 1
    pane.show_data(Dataset(Schema(tuple(numeric(f"x{i}") for i in range(n))), [np.array([0.5, 12.25])] * n))
    measured = [0]
    while session.turns.is_busy:
        session.turns._next()
        measured.append(len(pane.model._longest))
    assert measured[-1] == n and max(after - before for before, after in pairwise(measured)) == COLUMNS_A_TURN
    pane.deleteLater()


def test_a_value_that_is_renamed_is_measured_anew_though_its_column_stays() -> None:
    """The codes of the records are the same arrays then: widths by the old name would cut the new one."""
    data = Dataset(Schema((nominal("k", ("a", "b")),)), [[0, 1]])
    model = RecordsModel()
    model.set_dataset(data)
    assert set(model.longest(0)) == {"a", "b"}
    names = ("a", "b" * 20)
    longer = data.with_schema(Schema((nominal("k", names),)))
    assert longer.same_column(0, data, 0)
    model.set_dataset(longer)
    assert set(model.longest(0)) == set(names) == {row[0] for row in cells(model)}


def test_of_a_million_records_only_those_asked_for_are_read() -> None:
    n = 1_000_000
    model = RecordsModel()
    model.set_dataset(
        Dataset(Schema((numeric("x"), nominal("y", ["a", "b"]))), [np.arange(float(n)), np.arange(n) % 2])
    )
    assert (model.rowCount(), model.index(n - 1, 0).data(), model.index(n - 1, 1).data()) == (n, "999999", "b")
    assert len(model._blocks) == 2 and all(len(block.whole) <= 128 for block in model._blocks.values())


def test_an_edit_leaves_the_texts_of_the_other_columns_and_reads_its_own_again() -> None:
    data = Dataset(Schema((numeric("x"), numeric("y"))), [np.arange(3.0), np.arange(3.0)])
    model = RecordsModel()
    model.set_dataset(data)
    assert cells(model)[1] == ["1", "1"]
    kept = model._blocks[1, 0]
    model.set_dataset(data.with_cells(0, [1], [7.5]))
    assert model._blocks[1, 0] is kept
    assert cells(model)[1] == ["7.5", "1"]


def test_another_order_or_other_records_change_all_texts() -> None:
    data = Dataset(Schema((numeric("x"), numeric("y"))), [np.arange(3.0), np.arange(3.0)])
    model = RecordsModel()
    model.set_dataset(data)
    cells(model)
    model.set_dataset(data, np.array([2, 1, 0]))
    assert [row[0] for row in cells(model)] == ["2", "1", "0"]
    model.set_dataset(data.take(np.array([1, 2])))
    assert [row[1] for row in cells(model)] == ["1", "2"]


def test_no_data_is_an_empty_table() -> None:
    model = RecordsModel()
    assert (model.rowCount(), model.columnCount()) == (0, 0)
    attributes = AttributesModel()
    assert attributes.rowCount() == 0
    attributes.set_summary(None)
    attributes.set_dataset(None)


def test_attributes_show_their_counts_once_they_are_known() -> None:
    model, data = AttributesModel(), people()
    model.set_dataset(data)
    assert model.index(0, AttributesColumn.MISSING).data() == "…"
    model.set_summary(summarize(data))
    assert [model.index(r, AttributesColumn.MISSING).data() for r in range(4)] == ["33.3%"] * 4
    assert [model.index(r, AttributesColumn.DISTINCT).data() for r in range(4)] == ["2", "2", "2", "2"]
    assert [model.is_class(r) for r in range(4)] == [False, False, False, True]


def test_counts_and_sparklines_of_other_columns_survive_an_edit() -> None:
    model, data = AttributesModel(), people()
    model.set_dataset(data)
    model.set_summary(summarize(data))
    model.add_sparklines(data, {r: sparkline(data, r, RunContext()) for r in range(4)})
    model.set_dataset(data.with_cells(0, [0], [7.0]))
    assert (
        model.index(0, AttributesColumn.DISTINCT).data() == "…"
        and model.index(3, AttributesColumn.DISTINCT).data() == "2"
    )
    assert model.without_sparkline(range(4)) == [0]
    model.set_dataset(data.select_columns([3, 0]))
    assert model.without_sparkline(range(2)) == [1]


def test_counts_of_other_data_are_not_shown() -> None:
    model, data = AttributesModel(), people()
    model.set_dataset(data.select_columns([0]))
    model.set_summary(summarize(data))
    assert model.index(0, AttributesColumn.MISSING).data() == "…"


@pytest.mark.parametrize(
    ("missing", "n", "words"),
    [(0, 10, "0"), (1, 3, "33.3%"), (1, 100_000, "<0.1%"), (5, 5, "100.0%"), (99_999, 100_000, ">99.9%"), (0, 0, "0")],
)
def test_missing_shares_are_never_rounded_to_none_or_all(missing: int, n: int, words: str) -> None:
    assert missing_share(missing, n) == words


def test_a_sparkline_counts_few_values_in_their_order() -> None:
    assert sparkline(people(), 3, RunContext()).tolist() == [[1], [1]]
    assert sparkline(people(), 1, RunContext()).tolist() == []


def test_small_histograms_count_by_class_unless_there_are_many() -> None:
    assert sparkline(people(), 2, RunContext()).tolist() == [[0, 1, 0], [0, 0, 1]], "the last is without a class"
    values = np.arange(24.0)
    classes = [str(code) for code in range(6)]
    many = Dataset(Schema((numeric("x"), nominal("class", classes)), 1), [values, np.arange(24) % 6])
    assert sparkline(many, 0, RunContext()).shape[1] == 1
    assert sparkline(many, 1, RunContext()).tolist() == [[4]] * 6


@pytest.mark.parametrize(
    ("width", "apart", "gaps"), [(26, True, 0), (33, True, 0), (40, True, 0), (64, True, 7), (64, False, 0)]
)
def test_the_bars_of_a_small_histogram_have_no_false_gaps(width: int, apart: bool, gaps: int) -> None:
    """Between bars of two pixels, or of ranges of numbers, a free one looked like a range without records."""
    picture = QImage(width, 18, QImage.Format.Format_RGB32)
    picture.fill(0)
    with QPainter(picture) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        paint_bars(painter, picture.rect(), np.full((8, 2), 5), [QColor("red"), QColor("blue")], apart=apart)
    is_free = [picture.pixelColor(x, 17) == QColor("black") for x in range(width - 1)]
    assert sum(is_free) == gaps
    assert (picture.pixelColor(0, 0), picture.pixelColor(0, 17)) == (QColor("blue"), QColor("red"))


def test_a_bar_of_one_pixel_has_the_class_of_most_of_its_records(qapp: QApplication) -> None:
    """Bars below half a pixel all had the colour of the last class."""
    picture = QImage(40, 18, QImage.Format.Format_RGB32)
    picture.fill(0)
    counts = np.array([[20_000, 0], [5, 3], [3, 5], [600, 500]])
    with QPainter(picture) as painter:
        painter.setPen(Qt.PenStyle.NoPen)
        paint_bars(painter, picture.rect(), counts, [QColor("red"), QColor("blue")], apart=True)
    columns = [[picture.pixelColor(x, y).name() for y in range(18)] for x in (12, 22, 32)]
    red, blue, none = "#ff0000", "#0000ff", "#000000"
    assert columns == [[none] * 17 + [color] for color in (red, blue, red)]


def test_gains_stay_with_an_edit_of_another_column_and_leave_with_the_class() -> None:
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ["a", "b"])), 2)
    model, data = AttributesModel(), Dataset(schema, [[1.0, 2.0], [3.0, 1.0], [0, 1]])
    model.set_dataset(data)
    assert model.has_gains and model.without_gain() == [], "after the summary"
    model.set_summary(summarize(data))
    pending = model.without_gain()
    model.add_gains(data, dict.fromkeys(pending, 0.5))
    model.set_dataset(data.with_cells(0, [0], [7.0]))
    model.set_summary(summarize(model.dataset))
    assert pending == [0, 1] and model.without_gain() == [0] and model.gain(1) == 0.5
    model.set_dataset(data.with_class(None))
    assert not model.has_gains and model.gain(1) is None


def test_the_gain_of_a_number_is_told_to_be_before_the_correction_that_trees_subtract(qapp: QApplication) -> None:
    """The list said 0.183 and the tree 0.156, both called information gain."""
    random = np.random.default_rng(4)
    schema = Schema((numeric("x"), nominal("colour", ["red", "blue"]), nominal("class", ["a", "b"])), 2)
    codes = random.integers(0, 2, 60)
    data = Dataset(schema, [codes + random.normal(0, 0.7, 60), codes ^ (np.arange(60) % 3 == 0), codes])
    model = AttributesModel()
    model.set_dataset(data)
    gain = information_gain_of(data, 0, RunContext())
    model.add_gains(data, {0: gain, 1: information_gain_of(data, 1, RunContext())})
    tree = C45(criterion="information-gain", pruning="none").fit(data.select_columns([0, 2]), RunContext()).structure()
    assert isinstance(tree, Tree) and gain - float(tree.gain[0]) == pytest.approx(np.log2(55) / 60), "of 55 thresholds"
    tips = [model.tip(row, AttributesColumn.GAIN) or "" for row in (0, 1)]
    assert [wording.BEFORE_CORRECTION in tip for tip in tips] == [True, False]
    assert wording.BEFORE_CORRECTION_BRIEFLY in model.heading_tip(AttributesColumn.GAIN)


@pytest.mark.parametrize("width", [540, 560, 680])
def test_figures_stand_in_whole_and_the_name_gives_way(stage: Stage, width: int) -> None:
    """Of 200,000 records, Distinct had only an ellipsis beside a wide empty name."""
    n = 200_000
    schema = Schema((numeric("x"), nominal("class", ["a", "b"])), 1)
    data = Dataset(schema, [np.arange(n, dtype=np.float64), np.arange(n) % 2])
    session = stage.session(data)
    pane = AttributesPane(session, Changes(session))
    stage.show(pane, width, 300)
    pane.show_data(data)
    pane.show_summary()
    view, text = pane.view, pane.model.text(0, AttributesColumn.DISTINCT)
    assert text == "200,000" and not view.isColumnHidden(AttributesColumn.DISTINCT)
    room = view.columnWidth(AttributesColumn.DISTINCT) - 2 * PADDING
    assert elided(QFontMetrics(themes.font()), text, room) == text


@pytest.mark.parametrize(("width", "missing"), [(352, False), (352, True), (520, True)])
def test_distinct_and_gain_stay_in_view_where_the_name_lacks_space(stage: Stage, width: int, missing: bool) -> None:
    """At 1280x720 with text at 150% both were behind a scroll bar; where nothing is missing, Missing goes."""
    names = ("Alcohol", "Malic Acid", "Total Phenols")
    schema = Schema((*map(numeric, names), nominal("class", ["a", "b"])), 3)
    columns = [np.arange(60, dtype=np.float64) + at for at in range(3)]
    columns[0][5] = np.nan if missing else 5.0
    session = stage.session(Dataset(schema, [*columns, np.arange(60) % 2]))
    pane = AttributesPane(session, Changes(session))
    stage.show(pane, width, 300)
    assert session.data is not None
    pane.show_data(session.data)
    pane.show_summary()
    view, room = pane.view, pane.view.viewport().width()

    def is_in_view(part: AttributesColumn) -> bool:
        return not view.isColumnHidden(part) and view.columnViewportPosition(part) + view.columnWidth(part) <= room

    shown = {part for part in AttributesColumn if is_in_view(part)}
    assert {AttributesColumn.NAME, AttributesColumn.DISTINCT, AttributesColumn.GAIN} <= shown
    assert (AttributesColumn.MISSING in shown) is missing
    texts = [pane.model.heading(part) for part in shown if part is not AttributesColumn.SHAPE]
    metrics = QFontMetrics(themes.font())
    for part in shown - {AttributesColumn.SHAPE, AttributesColumn.USED, AttributesColumn.NAME}:
        assert metrics.horizontalAdvance(pane.model.heading(part)) <= view.columnWidth(part) - 2 * PADDING
    assert texts and view.columnWidth(AttributesColumn.NAME) >= themes.px(60)


def test_with_missing_values_and_large_text_the_list_takes_the_width_that_its_columns_need(
    stage: Stage, wait_until: Wait, qapp: QApplication
) -> None:
    """At 1280 x 720 Distinct left the view to a scroll bar while the chosen attribute had room to spare."""
    window = stage.window(1280, 720)
    data = TABLES["breast-cancer"]()
    stage.open(window.session, data.with_cells(1, np.arange(20), np.full(20, np.nan)))
    window.set_text_scale(1.5)
    pane = window.findChild(AttributesPane)
    assert pane is not None
    view, parts = pane.view, (AttributesColumn.MISSING, AttributesColumn.DISTINCT, AttributesColumn.GAIN)

    def ends() -> list[int]:
        return [view.columnViewportPosition(part) + view.columnWidth(part) for part in parts]

    wait_until(lambda: max(ends()) <= view.viewport().width())
    window.set_text_scale(1.0)


def test_statistics_are_told_in_words() -> None:
    data = people()
    attributes = data.schema.attributes
    assert headline(attributes[0], statistics(data, 0)) == wording.numeric_from_to(0.1, 31)
    assert headline(attributes[2], statistics(data, 2)) == wording.DATE_FROM_FIRST_DAY
    assert headline(attributes[3], statistics(data, 3)) == wording.NOMINAL_OF_2
    assert dict(pairs(attributes[1], statistics(data, 1)))["Examples"] == "Ann, Cid"
    assert dict(pairs(attributes[3], statistics(data, 3)))["Missing"] == "1 (33.3%)"
    assert {"Mean", "SD"} < dict(pairs(attributes[0], statistics(data, 0))).keys()


def test_the_most_frequent_value_is_told_with_its_share_and_ties_as_ties() -> None:
    def told(codes: list[int]) -> str:
        return dict(pairs(nominal("v", "abcd"), statistics(Dataset(Schema((nominal("v", "abcd"),)), [codes]), 0)))[
            "Most frequent"
        ]

    assert told([0] * 5 + [1] * 8) == "b (61.5%)"
    assert told([2, 2, 0, 0, 1]) == wording.TWO_MOST_FREQUENT
    assert told([0, 1, 2]) == wording.THREE_ALIKE


def shown() -> Histogram:
    data = Dataset(Schema((numeric("x"), nominal("y", ["a", "b"])), 1), [[1.0, 1.0, 2.0], [0, 1, -1]])
    found = histogram(data, 0)
    assert found is not None
    return found


def test_a_bin_is_told_with_its_classes() -> None:
    assert bin_words(shown(), 0) == wording.BIN_WITH_CLASSES
    assert bin_words(shown(), 1) == wording.BIN_WITHOUT_CLASS


def test_the_table_twin_has_every_count_and_can_be_copied() -> None:
    model = CountsModel()
    model.show_histogram(shown())
    assert model.as_text() == wording.COPIED_COUNTS_WITH_NO_CLASS


def test_the_best_guess_for_the_class_is_the_last_nominal_column() -> None:
    assert best_guess(people().with_class(None)) == "risk"
    assert best_guess(people().select_columns([1, 0])) == "age"
    assert best_guess(people().select_columns([1])) is None


# ---- steps of a recipe ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Toy(Filter):
    """A step that does nothing."""

    id: ClassVar[str] = "toy"
    name: ClassVar[str] = "Toy"
    sentence: ClassVar[str] = "Does nothing."
    family: ClassVar[str] = "Toys"
    fitted: ClassVar[type[FittedFilter]] = FittedFilter

    k: int = integer(1, label="K", help="A number.")

    def fit(self, data: Dataset, context: RunContext) -> FittedFilter:
        raise NotImplementedError


A, B, C = Toy(k=1), Toy(k=2), Toy(k=3)


def test_only_steps_that_are_on_are_in_the_recipe() -> None:
    assert recipe_of((RecipeStep(A), RecipeStep(B, on=False), RecipeStep(C))) == (A, C)


def test_steps_can_be_switched_moved_replaced_and_removed() -> None:
    steps = (RecipeStep(A), RecipeStep(B))
    assert switched(steps, 1) == (RecipeStep(A), RecipeStep(B, on=False))
    assert moved(steps, 1, -1) == (RecipeStep(B), RecipeStep(A)) and moved(steps, 0, -1) == steps
    assert replaced(steps, 0, C) == (RecipeStep(C), RecipeStep(B))
    assert removed(steps, 0) == (RecipeStep(B),)


def test_undo_switches_a_step_on_again_where_it_stood() -> None:
    steps = (RecipeStep(A), RecipeStep(B, on=False), RecipeStep(C))
    assert reconciled(steps, (A, B, C)) == (RecipeStep(A), RecipeStep(B), RecipeStep(C))


def test_undo_keeps_the_steps_that_are_switched_off() -> None:
    steps = (RecipeStep(A), RecipeStep(B, on=False), RecipeStep(C))
    assert reconciled(steps, (A,)) == (RecipeStep(A), RecipeStep(B, on=False))
    assert reconciled(steps, (C,)) == (RecipeStep(B, on=False), RecipeStep(C))
    assert recipe_of(reconciled(steps, (C, A))) == (C, A)


def test_the_number_of_rows_is_told_without_the_names_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    model = AttributesModel()
    model.set_dataset(people())
    monkeypatch.setattr(AttributesModel, "names", property(lambda _: pytest.fail("all names were asked for")))
    assert model.rowCount() == len(people().schema)
    assert model.index(1, 0).isValid() and model.data(model.index(1, AttributesColumn.MISSING)) is not None
