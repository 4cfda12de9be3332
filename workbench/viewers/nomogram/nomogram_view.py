"""The viewer of naive Bayes: a nomogram, and the probability of one record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from algorithms.learners.bayes.evidence import Evidence
from algorithms.structures.bayes_network import Conditionals, DistributionForm
from algorithms.text.sentences import counted, likeliest, quoted
from workbench.jobs.jobs import Jobs
from workbench.style.theme import themes
from workbench.viewers.charts.density_overlap import OverlapView
from workbench.viewers.charts.export import Export, ExportedPicture
from workbench.viewers.nomogram.nomogram_canvas import SCALE, SUM, NomogramCanvas, paint_scale, paint_sum
from workbench.viewers.viewer import RecordShown
from workbench.widgets.buttons import add_check, add_entry, menu_button
from workbench.widgets.fields import SEARCHED_FROM, SearchField, drop_down
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, column_layout, named
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
        self.of = drop_down("visualize.nomogram.class", "Class", "The class of positive points, to the right")
        self.against = drop_down(
            "visualize.nomogram.against",
            "Other class",
            "The class it is compared with: that of negative points, to the left",
        )
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
