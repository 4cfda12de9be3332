"""The classes over the attribute that a node splits: counted from the records that reach it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QImage, QPainter, QTransform
from PySide6.QtWidgets import QApplication

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.evaluation.runner import train
from algorithms.learners.costs.cost_sensitive import CostSensitive
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.routing import arrivals, rows_reaching
from algorithms.structures.tree import SplitTest, Tree
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged
from workbench.style.structure_colors import StructureColors
from workbench.style.theme import current_theme
from workbench.tabs.classify.tab import ClassifyTab
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.viewers.tree import split_histograms as histograms_of
from workbench.viewers.tree import tree_paint
from workbench.viewers.tree.split_histograms import (
    BINS,
    SplitHistogram,
    axis_numbers,
    class_histogram,
    pixel_rows,
    split_histograms,
)
from workbench.viewers.tree.tree_drawing import Marks, View, draw_tree, plan_tree
from workbench.viewers.tree.tree_paint import Bars, TreePainter, paint_bins
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.viewer import WrappedStructureView


def steps_of(n: int = 300, missing: int = 0) -> tuple[Tree, Dataset]:
    """A tree over two numbers and a nominal attribute, and its records; some values of the first are missing."""
    random = np.random.default_rng(4)
    x, y, color = random.uniform(size=n), random.uniform(size=n), random.integers(0, 3, n)
    codes = (x > 0.5).astype(int) + ((x > 0.5) & (y > 0.8))
    x[:missing] = np.nan
    schema = Schema(
        (numeric("x"), numeric("y"), nominal("color", ("r", "g", "b")), nominal("class", ("a", "b", "c"))), 3
    )
    data = Dataset(schema, [x, y, color, codes])
    tree = train(C45(), data, (), RunContext(seed=1)).structure()
    assert isinstance(tree, Tree)
    return tree, data


def test_a_histogram_counts_the_records_that_reach_its_node_by_class() -> None:
    tree, data = steps_of()
    counted = split_histograms(tree, data, arrivals(tree, data))
    numeric_nodes = np.flatnonzero(tree.test == SplitTest.NUMERIC).tolist()
    assert len(numeric_nodes) >= 2 and sorted(counted) == numeric_nodes
    for node in numeric_nodes:
        rows = rows_reaching(tree, node, data)
        values = data.column(int(tree.attribute[node]))[rows]
        histogram = counted[node]
        assert histogram.ends == (values.min(), values.max()) and histogram.border == tree.threshold[node]
        n_bins, axis = len(histogram.counts), (histogram.low, histogram.high)
        assert BINS <= n_bins <= BINS + 1
        for code in range(3):
            expected, _edges = np.histogram(values[data.class_codes[rows] == code], n_bins, axis)
            assert np.abs(np.cumsum(histogram.counts[:, code]) - np.cumsum(expected)).max() <= 1


@pytest.mark.parametrize("values", [np.arange(16.0), np.arange(43, 80) / 10, np.arange(0.0, 150.0, 5.0)])
def test_values_of_one_step_leave_no_holes(values: FloatArray) -> None:
    codes, weights = np.zeros(len(values), dtype=np.int64), np.ones(len(values))
    histogram = class_histogram(values, codes, weights, 1)
    assert histogram is not None and histogram.ends == (values[0], values[-1])
    assert len(set(histogram.counts[:-1, 0].tolist())) == 1, "all intervals hold equally many values"
    step = (values[1] - values[0]) / 2
    assert histogram.low == pytest.approx(values[0] - step) and histogram.share(values[0]) > 0


@pytest.mark.parametrize(
    ("values", "threshold"),
    [
        ([1.4, 1.5, 1.5, 1.6, 1.7], 1.5),  # bars of single values
        ([0.0, 0.0, 1.0], 0.0),
        ([1.0, 2.0, 6.0], 3.5),
        (list(range(43)), 16.0),  # three values a bar
        ([14.2, 14.95, 14.99123, 15.3, 18.1], 14.96),  # continuous
        ([14.2, 14.95, 14.99123, 15.3, 18.1], 14.2),
        ([7.0, 7.0], 7.0),
        ([7.0, 7.0], 6.0),
    ],
)
def test_no_bar_holds_values_of_both_sides_of_the_threshold(values: list[float], threshold: float) -> None:
    column = np.array(values)
    codes = np.zeros(len(column), dtype=np.int64)
    histogram = class_histogram(column, codes, np.ones(len(column)), 1, threshold)
    assert histogram is not None and histogram.border is not None
    edge = histogram.share(histogram.border) * len(histogram.counts)
    assert edge == pytest.approx(round(edge)), "the line stands between two bars"
    assert histogram.counts[: round(edge)].sum() == (column <= threshold).sum()
    assert histogram.counts.sum() == len(column) and histogram.ends == (column.min(), column.max())


def test_each_number_of_the_axis_stands_once_under_its_value() -> None:
    def numbers(values: list[float], threshold: float) -> list[tuple[float, str]]:
        column = np.array(values)
        histogram = class_histogram(column, np.zeros(len(column), dtype=np.int64), np.ones(len(column)), 1, threshold)
        assert histogram is not None
        placed = axis_numbers(histogram, (threshold, f"{threshold:g}"), (0.0, 400.0), lambda _: 20.0, has_ends=True)
        return [(round(place, 6), words) for place, words in placed]

    assert numbers([1.4, 1.5, 1.6, 1.7], 1.5) == [(140.0, "1.5"), (40.0, "1.4"), (340.0, "1.7")]
    assert numbers([0.0, 1.0], 0.0) == [(90.0, "0"), (290.0, "1")]
    words = [text for _place, text in numbers([14.2, 14.95, 14.99123, 15.3, 18.1], 14.96)]
    assert words == ["14.96", "14.2", "18.1"]


def test_one_value_fills_its_histogram() -> None:
    histogram = class_histogram(np.full(3, 7.0), np.zeros(3, dtype=np.int64), np.ones(3), 1)
    assert histogram is not None and histogram.counts.tolist() == [[3.0]] and histogram.share(7.0) == 0.5


@pytest.mark.parametrize("ratio", [1.0, 1.5])
def test_bars_leave_gaps_of_one_width_or_none(ratio: float, qapp: QApplication) -> None:
    look = StructureColors(current_theme())
    for wide in (57.3, 91.0):
        image = QImage(round(100 * ratio), round(40 * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(current_theme().color("pane"))
        with QPainter(image) as painter:
            paint_bins(painter, look, QRectF(3.4, 0, wide, 38), np.ones((16, 1)))
        own, y = look.class_color(0).name(), image.height() // 2
        line = "".join("x" if image.pixelColor(x, y).name() == own else " " for x in range(image.width())).strip()
        assert {len(gap) for gap in line.replace("x", "|").split("|") if gap} <= {1}
        assert line.count(" ") == (15 if wide / 16 * ratio > 4 else 0)


def test_a_divided_record_counts_with_its_shares() -> None:
    tree, data = steps_of(missing=10)
    reached = arrivals(tree, data)
    counted = split_histograms(tree, data, reached)
    root = counted[0]
    assert root.counts.sum() == pytest.approx(290), "a record without the value has no place on the axis"
    below = next(node for node in counted if node and int(tree.attribute[node]) == 1)
    assert counted[below].counts.sum() == pytest.approx(reached.tally(data.weight_array)[below, 0])
    assert counted[below].counts.sum() % 1 > 1e-9


def test_only_the_nodes_with_the_most_records_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    tree, data = steps_of()
    monkeypatch.setattr(histograms_of, "MOST_NODES", 1)
    assert list(split_histograms(tree, data, arrivals(tree, data))) == [0]


def test_a_node_shows_its_histogram_and_a_long_name_in_two_lines(qapp: QApplication) -> None:
    tree, _data = steps_of()
    drawing = draw_tree(plan_tree(tree, len), np.zeros(tree.n_nodes, dtype=np.bool_))
    view, look = View(1.0, 1.0, 20.0, 20.0, 900.0, 700.0), StructureColors(current_theme())
    counts = np.zeros((BINS, 3))
    counts[: BINS // 2, 0], counts[BINS // 2 :, 1] = 5.0, 10.0

    def painted(marks: Marks) -> QImage:
        image = QImage(900, 700, QImage.Format.Format_RGB32)
        image.fill(current_theme().color("pane"))
        with QPainter(image) as painter:
            TreePainter(drawing, look, QFont()).paint(painter, view, marks)
        return image

    image = painted(Marks(histograms={0: SplitHistogram(0.0, 1.0, counts)}))
    left, top, right, _bottom = drawing.box(0)
    y = round(top + 20 + 72)
    seen = {image.pixelColor(round(left + 20 + share * (right - left)), y).name() for share in (0.12, 0.2, 0.8, 0.9)}
    assert {look.class_color(0).name(), look.class_color(1).name()} <= seen
    assert image != painted(Marks())


def test_bars_are_computed_anew_only_in_another_view(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[QRectF] = []
    bin_bars = tree_paint.bin_bars

    def counted(device: QTransform, look: StructureColors, plot: QRectF, counts: FloatArray) -> Bars:
        computed.append(plot)
        return bin_bars(device, look, plot, counts)

    monkeypatch.setattr(tree_paint, "bin_bars", counted)
    tree, _data = steps_of()
    drawing = draw_tree(plan_tree(tree, len), np.zeros(tree.n_nodes, dtype=np.bool_))
    look = StructureColors(current_theme())
    marks = Marks(histograms={0: SplitHistogram(0.0, 1.0, np.array([[30.0, 0, 0], [0, 40, 2]]))})

    def painted(painter: TreePainter, left: float) -> QImage:
        image = QImage(900, 700, QImage.Format.Format_RGB32)
        image.fill(current_theme().color("pane"))
        with QPainter(image) as on_image:
            painter.paint(on_image, View(1.0, 1.0, left, 20, 900, 700), marks)
        return image

    painter = TreePainter(drawing, look, QFont())
    first, again, moved = (painted(painter, left) for left in (20, 20, 30.4))
    assert len(computed) == 2 and first == again
    assert moved == painted(TreePainter(drawing, look, QFont()), 30.4)
    marks.histograms = {0: SplitHistogram(0.0, 1.0, np.array([[3.0, 0, 0], [0, 40, 2]]))}
    assert painted(painter, 30.4) != moved and len(computed) == 4


def test_the_bars_of_classes_without_a_colour_are_grey_and_stand_on_the_others(qapp: QApplication) -> None:
    look = StructureColors(current_theme().only(frozenset({3, 25})))
    image = QImage(40, 100, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        paint_bins(painter, look, QRectF(0, 0, 40, 99), np.ones((1, 26)))
    column = [image.pixelColor(20, y).name() for y in range(98)]
    classes = [look.class_color(code).name() for code in (25, 3)]
    assert list(dict.fromkeys(column)) == [current_theme().others, *classes]
    assert column.count(current_theme().others) > 80


def test_a_bin_with_one_record_among_many_is_seen_in_full_colour(qapp: QApplication) -> None:
    look = StructureColors(current_theme())
    image = QImage(40, 51, QImage.Format.Format_RGB32)
    counts = np.array([[2000.0, 0.0], [0.0, 1.0]])
    with QPainter(image) as painter:
        paint_bins(painter, look, QRectF(0, 0, 40, 50), counts)
    assert look.class_color(1).name() in {image.pixelColor(30, y).name() for y in range(50)}


def test_a_low_bar_of_many_classes_is_no_higher_than_their_records(qapp: QApplication) -> None:
    look = StructureColors(current_theme())
    image = QImage(40, 101, QImage.Format.Format_RGB32)
    image.fill(current_theme().color("pane"))
    counts = np.zeros((2, 9))
    counts[0, 0], counts[1] = 1000.0, 1.0
    with QPainter(image) as painter:
        paint_bins(painter, look, QRectF(0, 0, 40, 100), counts)
    colors = {look.class_color(code).name() for code in range(9)}
    assert sum(image.pixelColor(30, y).name() in colors for y in range(100)) == 1


@pytest.mark.parametrize("bottom", [50.0, 50.3, 50.5, 50.7])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_bar_of_one_pixel_has_the_class_of_most_of_its_records(
    bottom: float, ratio: float, qapp: QApplication
) -> None:
    look = StructureColors(current_theme())
    counts = np.array([[20_000.0, 0.0], [3.0, 5.0], [5.0, 3.0]])
    image = QImage(round(90 * ratio), round(60 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(current_theme().color("pane"))
    with QPainter(image) as painter:
        paint_bins(painter, look, QRectF(0, 0, 90, bottom), counts)
    colors = {look.class_color(code).name(): code for code in (0, 1)}
    for x, code in ((45, 1), (75, 0)):
        column = [image.pixelColor(round(x * ratio), y).name() for y in range(image.height())]
        assert [colors[name] for name in column if name in colors] == [code]


def test_a_bar_divides_its_pixels_by_largest_remainder() -> None:
    counts = np.array([[50.0, 30.0, 20.0], [98.0, 1.0, 1.0], [1.0, 2.0, 3.0], [7.0, 7.0, 0.0], [0.0, 0.0, 0.0]])
    rows = pixel_rows(counts, np.array([10.0, 10.0, 2.0, 1.0, 0.0]))
    assert rows.tolist() == [[5, 3, 2], [8, 1, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]]


def test_a_name_is_broken_between_words() -> None:
    tree, _data = steps_of()
    drawing = draw_tree(plan_tree(tree, len), np.zeros(tree.n_nodes, dtype=np.bool_))
    painter = TreePainter(drawing, StructureColors(current_theme()), QFont())
    _font, metrics = painter._sized(13, 1.0, bold=True)
    room = metrics.horizontalAdvance("concave points")
    assert painter._lines("concave", room, room, metrics) == ["concave"]
    name = "concave points worst"
    assert painter._lines(name, room + 1, room, metrics) == ["concave points", "worst"]
    name = "concave measurement of the left ventricle after 3 hours"
    first, second = painter._lines(name, room, room, metrics)
    assert first == "concave" and "…" in second and metrics.horizontalAdvance(second) <= room + 1


def test_the_nodes_of_a_tree_within_another_model_show_their_histograms(stage: Stage, wait_until: Wait) -> None:
    session = stage.session(steps_of()[1])
    classify, visualize = stage.show(ClassifyTab(session), 1200, 800), stage.show(VisualizeTab(session), 1200, 800)
    costs = ((0.0, 1.0, 1.0), (5.0, 0.0, 1.0), (5.0, 1.0, 0.0))
    judged(session, wait_until, CostSensitive(base=C45(), costs=costs), TrainingSet())
    for tab in (classify, visualize):
        view = tab.findChild(WrappedStructureView)
        assert view is not None and isinstance(view.viewer, TreeView)
        wait_until(lambda view=view: bool(view.viewer.canvas.item.marks.histograms))  # a layout makes the marks anew
