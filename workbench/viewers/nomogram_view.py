"""The viewer of naive Bayes: a nomogram, the probability of one record, and the overlap of two classes.

The overlap of the densities of two classes is the Bayes error of one numeric attribute.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from algorithms.learners.bayes.evidence import ClassOverlap, Densities, Evidence, densities, is_density
from algorithms.structures.bayes_network import Conditionals, DistributionForm
from algorithms.text.numbers import data_number, percent, tick_text
from algorithms.text.sentences import confused, counted, likeliest, quoted
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.layout.ticks import nice_step
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export, ExportedPicture
from workbench.viewers.charts.legend import LegendChart
from workbench.viewers.nomogram_canvas import SCALE, SUM, NomogramCanvas, paint_scale, paint_sum
from workbench.viewers.viewer import RecordShown
from workbench.widgets.buttons import add_check, add_entry, menu_button, quiet_button
from workbench.widgets.fields import (
    SEARCHED_FROM,
    ElidedComboBox,
    SearchableComboBox,
    SearchField,
    Slider,
    drop_down,
)
from workbench.widgets.labels import WholeLabel, elided, label
from workbench.widgets.layouts import ClearWidget, as_high_as_needed, column_layout, named, row_layout
from workbench.widgets.painting import draw_text, pen_and_brush
from workbench.widgets.panes import ClearRow, over_canvas
from workbench.widgets.tables import PictureOrTable, TextTable

MOST_NAMED: Final = 6
"""The most classes named with their probabilities."""
LEAST_OF_A_CLASS: Final = 10
MOST_OF_A_CLASS: Final = 32
"""Width of the boxes of classes, in characters."""
AROUND: Final = 16
"""Pixels between the picture and the words below it, and a little more."""


class NomogramSum(QWidget):
    """The sum of the log odds on a line of probabilities."""

    def __init__(self, canvas: NomogramCanvas) -> None:
        super().__init__()
        named(self, "visualize.nomogram.sum-line", "Sum of the points, as a probability")
        self._canvas = canvas
        self.total = 0.0
        themes.follow_now(self._measure)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._canvas.weighing is not None:
            with QPainter(self) as painter:
                paint_sum(self._canvas, painter, self.total)

    def _measure(self) -> None:
        self.setFixedHeight(themes.px(SUM))


class NomogramScale(QWidget):
    """The axis of points, the log odds, above the lines of a nomogram."""

    def __init__(self, canvas: NomogramCanvas) -> None:
        super().__init__()
        named(self, "visualize.nomogram.scale", "Points: log odds")
        self._canvas = canvas
        themes.follow_now(self._measure)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._canvas.weighing is not None:
            with QPainter(self) as painter:
                paint_scale(self._canvas, painter)

    def _measure(self) -> None:
        self.setFixedHeight(themes.px(SCALE))


class NomogramView(QWidget):
    """The viewer of a nomogram: a line for each attribute, with draggable points at a record's values."""

    title = "Nomogram"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self._held: Conditionals | None = None
        self._record = RecordShown()
        self.canvas = NomogramCanvas()
        self.scale, self.sum = NomogramScale(self.canvas), NomogramSum(self.canvas)
        self._words = named(label("", "", wrap=True), "visualize.nomogram.words")
        tip = "The class of positive points, to the right"
        self.of = drop_down("visualize.nomogram.class", "Class", tip, kind=SearchableComboBox)
        tip = "The class it is compared with: that of negative points, to the left"
        self.against = drop_down("visualize.nomogram.against", "Other class", tip, kind=SearchableComboBox)
        self.table = TextTable("visualize.nomogram-table", "Nomogram as a table")
        picture = ClearWidget()
        column_layout(self.scale, (over_canvas(self.canvas), 1), self.sum, inside=picture, spacing=0)
        self._stack = PictureOrTable(picture, self.table, "visualize.nomogram.as-table", self.table_rows)
        self.overlap = OverlapView(jobs)
        self._stack.addWidget(self.overlap)
        self._rather = label("against", "dim")
        self.search = SearchField("Find an attribute", "visualize.nomogram.find")
        self.search.setMinimumWidth(themes.px(80))
        self.search.setMaximumWidth(themes.px(200))
        self.search.textChanged.connect(self.canvas.show_named)
        column_layout((self._stack, 1), self._words, inside=self, spacing=8)
        exported = ExportedPicture("nomogram", self.title, self._size, self._paint, self.table_rows)
        self.export = Export(exported, jobs, self)
        view = menu_button("View", "visualize.nomogram.view", "How two classes overlap; no values known")
        tip = "Take all values as not known"
        self._overlapping = add_check(view.menu(), "Overlap", False, lambda: None)
        self._overlapping.setObjectName("visualize.nomogram.overlap")
        self._overlapping.toggled.connect(self._show_overlap)
        self._clear = add_entry(view.menu(), "visualize.nomogram.forget", "Clear values", tip, self._forget)
        self.export.offer(self._stack.switch)
        save = self.export.button("visualize.nomogram.save")
        self._of_picture = (self._clear, save)
        between = (label("Log odds of", "dim"), self.of, self._rather, self.against)
        self.controls = ClearRow(*between, self.search, view, save)
        self.canvas.moved.connect(self._say)
        self.of.activated.connect(self._chosen)
        self.against.activated.connect(self._other_chosen)

    def _size(self) -> QSize:
        rows = self.canvas.rows
        return (
            QSize()
            if self.canvas.weighing is None
            else QSize(round(rows.width), round(rows.height) + themes.px(SUM) + themes.px(SCALE))
        )

    def _paint(self, painter: QPainter) -> None:
        paint_scale(self.canvas, painter)
        painter.translate(0, themes.px(SCALE))
        self.canvas.paint(painter)
        painter.translate(0, self.canvas.rows.height)
        paint_sum(self.canvas, painter, self.sum.total)

    def set_structure(self, structure: Conditionals) -> None:
        """Shows these distributions without a record."""
        self._held, self._record = structure, RecordShown()
        self.search.clear()
        self.search.setVisible(structure.n_attributes > SEARCHED_FROM)
        classes = structure.schema.classes
        for box in (self.of, self.against):
            box.setMinimumContentsLength(max(LEAST_OF_A_CLASS, *(min(len(name), MOST_OF_A_CLASS) for name in classes)))
            box.offer(classes)
        for widget in (self._rather, self.against):
            widget.setVisible(len(classes) > 1)
        has_any = OverlapView.has_any(structure)
        self._overlapping.setChecked(has_any and self._overlapping.isChecked())
        self._overlapping.setEnabled(has_any)
        self._overlapping.setToolTip(
            "How two classes overlap in one number, and how often whoever knows only that number is wrong at least"
            if has_any
            else "There is no number whose density was learned: no overlap to show"
        )
        order = np.argsort(-structure.prior, kind="stable").tolist()
        self.canvas.weighing = None
        self._show(Evidence(structure), order[min(1, len(order) - 1)], order[0])
        self.facts_changed.emit()

    def set_interest(self, code: int) -> None:
        held, weighing = self._held, self.canvas.weighing
        if held is None or weighing is None or code == self.canvas.code or not 0 <= code < held.n_classes:
            return
        self._show(weighing, code, self._other_of(code, self.canvas.other))

    def set_record(self, values: Mapping[int, float], name: str) -> None:
        """Shows a record: its known values by position in the schema."""
        if self._held is not None:
            places = {int(index): place for place, index in enumerate(self._held.attribute.tolist())}
            self._record = RecordShown(name, {places[i]: value for i, value in values.items() if i in places})
            self.canvas.set_values(self._record.values)

    def forget_record(self) -> None:
        """Clears the values if they still are those of a record."""
        if self._record.name_of(self.canvas.values):
            self._forget()

    def facts(self) -> str:
        if self._held is None:
            return ""
        return f"{counted(self._held.n_attributes, 'attribute')} · {self._held.n_classes} classes"

    def compared_words(self) -> str:
        held, canvas = self._held, self.canvas
        if held is None or held.n_classes < 3:
            return ""
        names, n_others = held.schema.classes, held.n_classes - 2
        pair = f"{quoted(names[canvas.code])} against {quoted(names[canvas.other])}"
        left_out = counted(n_others, "other class", "other classes")
        return f"Log odds of {pair}. {left_out} {'is' if n_others == 1 else 'are'} not shown."

    def whole_height(self) -> int:
        words = 2 * QFontMetrics(themes.font(13)).lineSpacing()  # the label may get its font later
        return round(self.canvas.rows.height) + themes.px(SUM) + themes.px(SCALE) + words + themes.px(AROUND)

    def _other_of(self, code: int, wanted: int) -> int:
        assert self._held is not None
        if wanted != code:
            return wanted
        others = [c for c in np.argsort(-self._held.prior, kind="stable").tolist() if c != code]
        return others[0] if others else code

    def _show(self, weighing: Evidence, code: int, other: int) -> None:
        self.of.setCurrentIndex(code)
        self.against.setCurrentIndex(other)
        self.canvas.show_weighing(weighing, code, other)
        self.overlap.show_classes(weighing.held, code, other)
        self._say()

    def _chosen(self, code: int) -> None:
        if self.canvas.weighing is not None:
            self._show(self.canvas.weighing, code, self._other_of(code, self.canvas.other))

    def _other_chosen(self, other: int) -> None:
        if self.canvas.weighing is not None:
            code = self.canvas.code if other != self.canvas.code else self._other_of(other, self.canvas.other)
            self._show(self.canvas.weighing, code, other)

    def _forget(self) -> None:
        self._record = RecordShown()
        self.canvas.set_values({})

    def _say(self) -> None:
        weighing, canvas = self.canvas.weighing, self.canvas
        if weighing is None:
            return
        classes = weighing.held.schema.classes
        joint = weighing.joint(canvas.values)
        probabilities, none = weighing.probabilities(canvas.values)
        ours, theirs = joint[canvas.code], joint[canvas.other]
        total = float(ours - theirs) if np.isfinite(ours) or np.isfinite(theirs) else 0.0
        shares = likeliest(classes, probabilities.tolist(), MOST_NAMED)
        self._clear.setEnabled(bool(canvas.values))
        if not canvas.values:
            words = f"Nothing is known yet: {shares}. Choose a value or drag a ring."
        elif none:
            words = f"Every class rules out one of these values, so the shares of the classes decide: {shares}."
        else:
            words = f"{self._record.name_of(canvas.values) or 'With these values'}: {shares}."
        self._words.setText(words)
        self.sum.total = total
        self.sum.setAccessibleDescription(words)
        self.sum.update()
        self._stack.refresh()

    def _show_overlap(self, wanted: bool) -> None:
        for part in (*self._of_picture, self._words):
            part.setVisible(not wanted)
        self.search.setEnabled(not wanted)
        self._stack.setCurrentIndex(2 if wanted else int(self._stack.switch.isChecked()))

    def table_rows(self) -> list[list[str]]:
        """The heading, and rows for values or ranges, for mean and deviation of numbers, and for the record."""
        weighing, canvas = self.canvas.weighing, self.canvas
        if weighing is None:
            return []
        held = weighing.held
        classes = held.schema.classes
        odds = f"{classes[canvas.code]} against {classes[canvas.other]} (log odds)"
        rows = [["Attribute", "Value", odds, *classes]]
        prior = weighing.likelihoods.log_prior
        with np.errstate(invalid="ignore"):
            rows.append(["(before)", "shares", _figure(float(prior[canvas.code] - prior[canvas.other])),
                         *map(_figure, held.prior.tolist())])  # fmt: skip
        for row, place in enumerate(canvas.order):
            rows += self._rows_of(weighing, row, place)
        return rows

    def _rows_of(self, weighing: Evidence, row: int, place: int) -> list[list[str]]:
        held, canvas = weighing.held, self.canvas
        line = canvas.line(row)
        rows: list[list[str]] = []
        if line.is_curve:
            width = "standard deviation" if int(held.form[place]) == DistributionForm.NORMAL else "width of the bells"
            for what, figures in (("average", held.mean[place]), (width, held.deviation[place])):
                rows.append([line.name, what, "", *map(_figure, figures.tolist())])
        else:
            table = held.table[held.rows_of(place)]
            for index, words in enumerate(line.labels):
                figures = table[index].tolist()
                rows.append([line.name, words, _figure(float(canvas.odds(row)[index])), *map(_figure, figures)])
        added = canvas.added(row)
        if added is not None:
            logs = weighing.logs_of(place, canvas.values[place])
            rows.append([line.name, f"{canvas.value_words(row)} (this record)", _figure(added),
                          *map(_figure, np.exp(logs).tolist())])  # fmt: skip
        return rows


def _figure(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.4g}"


SIDE, TOP, BOTTOM = 14.0, 46.0, 40.0
LINES: Final = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine)
AREAS: Final = (Qt.BrushStyle.BDiagPattern, Qt.BrushStyle.FDiagPattern)
"""Line and hatching of each class, so that colour alone never distinguishes two."""
_MARKS: Final = 8


class OverlapPlot(LegendChart):
    hint, least, frame = (480, 260), (220, 140), 1.5

    def __init__(self) -> None:
        super().__init__("visualize.overlap.plot", "How two classes overlap in one number", expands=True)
        self.overlap: ClassOverlap | None = None
        self.names = ("", "")
        self.codes = (0, 1)
        """The codes of both classes."""
        self.across = ""

    @property
    def is_empty(self) -> bool:
        return self.overlap is None

    def table_rows(self) -> list[list[str]]:
        return overlap_rows(self)

    def show_overlap(
        self, overlap: ClassOverlap | None, names: tuple[str, str], codes: tuple[int, int], across: str, words: str
    ) -> None:
        """Draws the overlap of two classes with these names and codes; None draws nothing."""
        self.overlap, self.names, self.codes, self.across = overlap, names, codes, across
        self.setAccessibleDescription(words)
        self.update()

    def x_of(self, value: float) -> float:
        assert self.overlap is not None
        area, low, high = self._area(), float(self.overlap.values[0]), float(self.overlap.values[-1])
        return area.left() + (value - low) / ((high - low) or 1.0) * area.width()

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        overlap, area = self.overlap, self._area()
        assert overlap is not None
        self._paint_scale(painter, overlap, area)
        xs = [self.x_of(value) for value in overlap.values.tolist()]
        most = float(overlap.curves.max()) or 1.0
        heights = (area.bottom() - overlap.curves / most * area.height()).tolist()
        loses = overlap.curves.argmin(axis=0)
        for which in (0, 1):
            ys = np.where(loses == which, heights[which], area.bottom()).tolist()
            with self.entry(painter, which):
                self._paint_wrong(painter, which, xs, ys, area)
        for which in (0, 1):
            with self.entry(painter, which):
                painter.setPen(self._pen(which))
                painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in zip(xs, heights[which], strict=True)]))
        self._paint_boundaries(painter, overlap, area)
        self._paint_legend(painter, area)

    def _area(self) -> QRectF:
        side, top, bottom = (float(themes.px(pixels)) for pixels in (SIDE, TOP, BOTTOM))
        return QRectF(side, top, max(1.0, self.width() - 2 * side), max(1.0, self.height() - top - bottom))

    def color(self, which: int) -> QColor:
        """The colour of the first (0) or second (1) class."""
        return current_theme().class_color(self.codes[which])

    def _pen(self, which: int) -> QPen:
        return QPen(self.color(which), 2.2, LINES[which])

    def _paint_wrong(self, painter: QPainter, which: int, xs: list[float], ys: list[float], area: QRectF) -> None:
        color = self.color(which)
        veil = QPolygonF([QPointF(xs[0], area.bottom()), *map(QPointF, xs, ys), QPointF(xs[-1], area.bottom())])
        pen_and_brush(painter, Qt.PenStyle.NoPen, QBrush(color, AREAS[which]))
        painter.drawPolygon(veil)
        color.setAlpha(50)
        painter.setBrush(color)
        painter.drawPolygon(veil)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_scale(self, painter: QPainter, overlap: ClassOverlap, area: QRectF) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        low, high = float(overlap.values[0]), float(overlap.values[-1])
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(theme.color("dim"))
        step = nice_step((high - low) / _MARKS)
        for value in np.arange(np.ceil(low / step), np.floor(high / step) + 1).tolist() if step else []:
            text, x = tick_text(value * step, step), self.x_of(value * step)
            painter.drawText(
                QPointF(x - metrics.horizontalAdvance(text) / 2, area.bottom() + metrics.ascent() + 4), text
            )
        below = QRectF(area.left(), area.bottom() + metrics.height() + 4, area.width(), metrics.height() + 2)
        across = elided(metrics, self.across, area.width())
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, across)

    def _paint_boundaries(self, painter: QPainter, overlap: ClassOverlap, area: QRectF) -> None:
        theme, metrics, reached = current_theme(), QFontMetricsF(painter.font()), -1e9
        for value in overlap.boundaries.tolist():
            x, text = self.x_of(value), data_number(value)
            painter.setPen(QPen(theme.color("text"), 1.2, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            left = x - metrics.horizontalAdvance(text) / 2
            if left > reached:
                draw_text(painter, QPointF(left, area.top() - 4), text, theme.color("text"))
                reached = left + metrics.horizontalAdvance(text) + 6

    def _paint_legend(self, painter: QPainter, area: QRectF) -> None:
        metrics, x = QFontMetricsF(painter.font()), area.left()
        room = area.width() / 2 - themes.px(40)
        for which, name in enumerate(self.names):
            y, text = metrics.height() / 2 + 2, elided(metrics, name, room, tuple(self.names))
            wide = themes.px(32) + metrics.horizontalAdvance(text)
            with self.entry(painter, which):
                painter.setPen(self._pen(which))
                painter.drawLine(QPointF(x, y), QPointF(x + themes.px(26), y))
                at = QPointF(x + themes.px(32), y + metrics.ascent() / 2 - 1)
                draw_text(painter, at, text, current_theme().color("text"))
            self.put(QRectF(x, 2, wide, metrics.height()), which)
            x += wide + themes.px(18)


def overlap_rows(plot: OverlapPlot) -> list[list[str]]:
    """The heading, and a row for each value drawn."""
    overlap = plot.overlap
    rows = [[plot.across, *(f"{name} (density times share)" for name in plot.names), "Likelier"]]
    if overlap is None:
        return rows
    for value, ours, theirs in zip(overlap.values.tolist(), *overlap.curves.tolist(), strict=True):
        likelier = "either" if value in overlap.boundaries else plot.names[int(theirs > ours)]
        rows.append([f"{value:.6g}", f"{ours:.4g}", f"{theirs:.4g}", likelier])
    return rows


STEPS: Final = 1000


class OverlapView(ClearWidget):
    """The overlap of two classes in one numeric attribute of a naive Bayes model."""

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.setObjectName("visualize.overlap")
        self._task = LatestTask(jobs)
        self._held: Conditionals | None = None
        self._codes = (0, 0)
        self._densities: Densities | None = None
        self._places: list[int] = []
        self.plot = OverlapPlot()
        self.table = TextTable("visualize.overlap-table", "How two classes overlap, as a table")
        tip = "The number by which alone the two classes are to be told apart"
        self.number = named(ElidedComboBox(), "visualize.overlap.number", "Number", tip)
        self.number.setMinimumContentsLength(10)
        self.number.activated.connect(self._ask)
        self.share = named(Slider(), "visualize.overlap.share")
        self.share.setRange(1, STEPS - 1)
        self.share.setSingleStep(STEPS // 100)
        self.share.setPageStep(STEPS // 10)
        self.share.valueChanged.connect(self._show)
        self._share_words = named(label("", "small"), "visualize.overlap.share-words")
        self.words = named(WholeLabel(), "visualize.overlap.words")
        as_high_as_needed(self.words)
        self.export = Export(ExportedChart(self.plot, "overlap", "How two classes overlap"), jobs, self)
        own = quiet_button(
            "As in training", "visualize.overlap.own", "The shares that the two classes have in training", self._own
        )
        self._stack = PictureOrTable(
            self.plot, self.table, "visualize.overlap.as-table", lambda: overlap_rows(self.plot)
        )
        self.export.offer(self._stack.switch)
        save = self.export.button("visualize.overlap.save")
        above = row_layout(label("Told apart by", "dim"), (self.number, 1), save)
        below = row_layout(label("How frequent they are", "dim"), (self.share, 1), self._share_words, own)
        column_layout(above, self.words, (self._stack, 1), below, inside=self, spacing=8)

    @staticmethod
    def has_any(held: Conditionals) -> bool:
        return held.n_classes > 1 and any(is_density(held, place) for place in range(held.n_attributes))

    def show_classes(self, held: Conditionals, code: int, other: int) -> None:
        """Shows two classes of this model, with their shares in training."""
        if held is not self._held:
            self._held = held
            self._places = [place for place in range(held.n_attributes) if is_density(held, place)]
            self.number.offer(held.schema.attributes[int(held.attribute[place])].name for place in self._places)
        self._codes, self._densities = (code, other), None
        self._own()
        if self.isVisible():
            self._ask()

    def showEvent(self, event: QShowEvent) -> None:
        """Updates after changes while hidden."""
        super().showEvent(event)
        self._ask()

    def _ask(self) -> None:
        held, codes = self._held, self._codes
        self._task.stop()
        if held is None or not self._places or codes[0] == codes[1]:
            self._on_computed(None)
            return
        place = self._places[max(0, self.number.currentIndex())]
        self._task.run("", lambda _context: densities(held, place, codes), on_done=self._on_computed)

    def _on_computed(self, result: Densities | None) -> None:
        self._densities = result
        self._show()

    def _own(self) -> None:
        if self._held is not None:
            ours, theirs = (float(self._held.prior[code]) for code in self._codes)
            self.share.setValue(round(STEPS * ours / ((ours + theirs) or 1.0)))

    def _show(self) -> None:
        held, share = self._held, self.share.value() / STEPS
        if held is None:
            return
        classes = held.schema.classes
        names = (classes[self._codes[0]], classes[self._codes[1]])
        self._share_words.setText(f"{percent(share)} : {percent(1 - share)}")
        says = f"Prior of {names[0]} {percent(share)}, of {names[1]} {percent(1 - share)}"
        self.share.setAccessibleName("Class priors")
        self.share.setAccessibleDescription(says)
        self.share.setToolTip(f"{says}. Drag to see how the boundary and the errors follow")
        overlap = None if self._densities is None else self._densities.overlap(share)
        across = self.number.currentText()
        words = (
            "One of these classes has no density of this number."
            if overlap is None
            else overlap_words(overlap, names, across)
        )
        self.words.setText(words)
        self.plot.show_overlap(overlap, names, self._codes, across, words)
        self._stack.refresh()


def overlap_words(overlap: ClassOverlap, names: tuple[str, str], across: str) -> str:
    """The Bayes error and the likelier class of each range, in words."""
    error = (
        f"Bayes error with {across} alone: {percent(overlap.bayes_error)}. Of all records {percent(overlap.wrong[0])} "
        f"are {confused(*names)}, {percent(overlap.wrong[1])} the reverse."
    )
    if not len(overlap.boundaries):
        return f"{names[overlap.likelier[0]]} is the likelier one everywhere. {error}"
    first = f"{names[overlap.likelier[0]]} is the likelier one below {overlap.boundaries[0]:.5g}"
    parts = [
        f"{names[code]} from {start:.5g}{f' to {end:.5g}' if end is not None else ' on'}"
        for code, start, end in zip(
            overlap.likelier[1:], overlap.boundaries.tolist(), [*overlap.boundaries.tolist()[1:], None], strict=True
        )
    ]
    if len(parts) > 3:
        return f"The likelier one changes at {len(parts)} places. {error}"
    return f"{first}, {', '.join(parts)}. {error}"
