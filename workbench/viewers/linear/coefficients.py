"""The viewer of models that weigh a sum: what each term does to the odds of a class, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

import numpy as np
from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from algorithms.learners.linear.coefficient_table import (
    INTERCEPT,
    Effect,
    Order,
    attribute_tests,
    effect_words,
    effects,
    no_p_words,
    ordered,
    p_text,
)
from algorithms.structures.hyperplanes import Hyperplanes
from workbench.jobs.jobs import Jobs
from workbench.style.theme import themes
from workbench.style.wording import counted
from workbench.viewers.charts.export import Export, ExportedDrawing, Table, rows_written
from workbench.viewers.linear.forest_canvas import ForestCanvas
from workbench.widgets.buttons import quiet_button
from workbench.widgets.chips import FlowLayout
from workbench.widgets.fields import SearchField, drop_down
from workbench.widgets.labels import label
from workbench.widgets.panes import clear_row, over_canvas
from workbench.widgets.text_table import TextTable

_RATIOS, _LOGS = "as odds ratios", "as coefficients"
_DEVIATION, _ONE = "for one standard deviation", "for one more"
HOLDS: Final = {
    "ridge": "The coefficients are held a little small (ridge), and their intervals with them; p is not defined then.",
    "lasso": "Those that tell little were made zero (lasso); how sure the others are cannot be said then.",
    "none": "",
    "firth": "Firth's penalty keeps the coefficients finite.",
}
AWAY: Final = (
    "The classes can be told apart without error, so some coefficients grow without end: their figures say only how "
    "long the learner went on. Firth's penalty (for two classes) or ridge gives figures that mean something."
)


class ExportedCoefficients(ExportedDrawing):
    """All rows that are shown, and the figures of the table."""

    name: ClassVar[str] = "coefficients"
    title: ClassVar[str] = "Coefficients"

    def __init__(self, view: CoefficientsView) -> None:
        self._view = view

    def size(self) -> QSize:
        return self._view.canvas.whole if self._view.planes is not None else QSize()

    def paint(self, painter: QPainter) -> None:
        canvas = self._view.canvas
        part = canvas.rect()
        part.setSize(canvas.whole)
        canvas.paint(painter, part)

    def table(self) -> Table | None:
        return None if self._view.planes is None else rows_written(self._view.table_rows())


class CoefficientsView(QWidget):
    """A row for each coefficient with its interval: sorted, searched, for one class rather than another."""

    title = "What each attribute does"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.planes: Hyperplanes | None = None
        self.canvas = ForestCanvas()
        self._words = label("", "", wrap=True)
        self._words.setObjectName("visualize.coefficients.words")
        name = "visualize.coefficients."
        self.of = drop_down(f"{name}class", "Class", "The class whose odds grow to the right")
        self.against = drop_down(f"{name}against", "Other class", "The class it is compared with, to the left")
        self.scale = drop_down(f"{name}scale", "Scale", "Times as likely (odds ratios), or their logarithms", 13)
        tip = "By how much a number changes: comparable with the others, or by one in its own unit"
        self.step = drop_down(f"{name}step", "Step", tip, 20)
        self.order = drop_down(f"{name}order", "Order", "Which come first", 15)
        self.scale.addItems([_RATIOS, _LOGS])
        self.step.addItems([_DEVIATION, _ONE])
        self.order.addItems([each.value for each in Order])
        self.search = SearchField("Find an attribute", f"{name}find")
        self.search.setToolTip("Shows only what has these letters in its name")
        self.table = TextTable("visualize.coefficients-table", "The coefficients as a table")
        self._rather = label("rather than", "dim")
        self._stack = QStackedWidget()
        self._scroll = over_canvas(self.canvas)
        self._stack.addWidget(self._scroll)
        self._stack.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._made_question())
        column.addWidget(self._words)
        column.addWidget(self._stack, 1)
        self.export = Export(ExportedCoefficients(self), jobs, self)
        self.controls = self._made_controls()
        self.canvas.chosen.connect(self._row_chosen)
        self.canvas.copy_asked.connect(self.export.copy_table)
        self.of.activated.connect(self._class_chosen)
        self.against.activated.connect(self._other_chosen)
        for box in (self.scale, self.step, self.order):
            box.currentIndexChanged.connect(self._again)
        self.search.textChanged.connect(self._again)

    def _made_question(self) -> QWidget:
        question = QWidget()
        question.setProperty("part", "clear")
        flow = FlowLayout(question, 8)
        for widgets in (
            (label("What speaks for", "dim"), self.of),
            (self._rather, self.against),
            (self.scale,),
            (self.step,),
            (self.order,),
            (self.search,),
        ):
            held = QWidget()
            held.setProperty("part", "clear")
            line = QHBoxLayout(held)
            line.setContentsMargins(0, 0, 0, 0)
            for widget in widgets:
                line.addWidget(widget)
            flow.addWidget(held)
        self.search.setMinimumWidth(themes.px(160))
        return question

    def _made_controls(self) -> QWidget:
        row, line = clear_row()
        as_table = quiet_button("As table", "visualize.coefficients.as-table", "The same as a table")
        as_table.setCheckable(True)
        as_table.toggled.connect(self._show_table)
        line.addWidget(as_table)
        line.addWidget(self.export.button("visualize.coefficients.save"))
        return row

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def set_structure(self, structure: Hyperplanes) -> None:
        """Show these coefficients: for the second most frequent class rather than the most frequent one."""
        self.planes = structure
        classes = structure.schema.classes
        for box in (self.of, self.against):
            box.clear()
            box.addItems(list(classes))
        for widget in (self._rather, self.against):
            widget.setVisible(len(classes) > 1)
        most = np.argsort(-structure.class_weight, kind="stable").tolist()
        self.of.setCurrentIndex(most[min(1, len(most) - 1)])
        self.against.setCurrentIndex(most[0])
        self.search.clear()
        self._again()
        self.facts_changed.emit()

    def set_interest(self, code: int) -> None:
        """The class of interest is shown, against the most frequent other one."""
        if self.planes is not None and 0 <= code < self.planes.n_classes and code != self.of.currentIndex():
            self.of.setCurrentIndex(code)
            self._class_chosen(code)

    def facts(self) -> str:
        """How many terms and classes there are, in words."""
        if self.planes is None:
            return ""
        return f"{counted(self.planes.n_terms, 'term')} · {self.planes.n_classes} classes"

    @property
    def codes(self) -> tuple[int, int]:
        """The class in view and the one it is compared with."""
        return self.of.currentIndex(), self.against.currentIndex()

    def _class_chosen(self, code: int) -> None:
        if self.planes is not None and self.against.currentIndex() == code and self.planes.n_classes > 1:
            most = np.argsort(-self.planes.class_weight, kind="stable").tolist()
            self.against.setCurrentIndex(next(each for each in most if each != code))
        self._again()

    def _other_chosen(self, other: int) -> None:
        if self.planes is not None and self.of.currentIndex() == other and self.planes.n_classes > 1:
            most = np.argsort(-self.planes.class_weight, kind="stable").tolist()
            self.of.setCurrentIndex(next(each for each in most if each != other))
        self._again()

    def _shown(self) -> list[Effect]:
        assert self.planes is not None
        by_deviation = self.step.currentText() == _DEVIATION
        found = effects(self.planes, *self.codes, by_deviation=by_deviation)
        wanted = self.search.text().casefold()
        order = list(Order)[max(0, self.order.currentIndex())]
        return [each for each in ordered(found, order) if wanted in each.name.casefold()]

    def _again(self) -> None:
        if self.planes is None or min(self.codes) < 0:
            return
        shown, classes = self._shown(), self._classes()
        words = [effect_words(each, classes) for each in shown]
        self.canvas.as_ratios = self.scale.currentText() == _RATIOS
        self.canvas.show_effects(shown, words, classes, self.codes)
        self._say()
        if self._stack.currentIndex() == 1:
            self.table.show_rows(self.table_rows())

    def _classes(self) -> tuple[str, str]:
        assert self.planes is not None
        names = self.planes.schema.classes
        return names[self.codes[0]], names[self.codes[1]]

    def _row_chosen(self, row: int) -> None:
        rows = self.canvas.rows
        self._scroll.ensureVisible(0, round(rows.middle(max(0, row)) + rows.row), 0, round(rows.row * 2))
        self._say()

    def _say(self) -> None:
        """The row in focus in a sentence, else how to read the picture."""
        planes, canvas = self.planes, self.canvas
        if planes is None:
            return
        if 0 <= canvas.row < len(canvas.words):
            self._words.setText(canvas.words[canvas.row])
            return
        if not canvas.effects:
            self._words.setText("Nothing has these letters in its name.")
            return
        ours, theirs = self._classes()
        told = f"Right of the line speaks for {ours}, left for {theirs}; the further, the more."
        if planes.has_intervals:
            told += " The bars hold the truth 95 times in 100: one that crosses the line may mean nothing."
        held = HOLDS[planes.penalty] if planes.kind == "logistic" else ""
        if planes.is_separated:
            held = AWAY
        elif not held:
            held = no_p_words(planes)
        self._words.setText(f"{told} {held}".strip())

    def _show_table(self, wanted: bool) -> None:
        if wanted and self.planes is not None:
            self.table.show_rows(self.table_rows())
        self._stack.setCurrentIndex(int(wanted))

    # ---- as a table --------------------------------------------------------------------------------------------------

    def table_rows(self) -> Sequence[Sequence[str]]:
        """The heading and a row for each coefficient shown: coefficient, standard error, z and p, odds ratio, the ends
        of its interval, and the p of the likelihood-ratio test of its attribute."""
        ours, theirs = self._classes()
        shown = self._shown()
        has_values = any(each.usual for each in shown)
        heading = ["Term", *(["rather than"] if has_values else []), "step"]
        assert self.planes is not None
        tests = {each.index: each.p for each in attribute_tests(self.planes)}
        errors = ["std. error"] if self.planes.has_intervals else []
        errors += ["z", "p"] if self.planes.has_p else []
        tested = ["likelihood-ratio p (attribute)"] if tests else []
        log_odds = f"log odds of {ours} rather than {theirs}"
        rows = [[*heading, log_odds, *errors, "odds ratio", "95% from", "to", *tested]]
        for each in shown:
            ends = (_ratio(each.low), _ratio(each.high)) if each.has_interval else ("", "")
            own = [_figure(each.error), _figure(each.z), p_text(each.p)][: len(errors)]
            figures = f"{each.step:.4g}", f"{each.log_odds:.6g}", *own, _ratio(each.log_odds)
            place = int(self.planes.terms.attribute[each.place]) if each.place != INTERCEPT else -1
            of_attribute = [p_text(tests.get(place, np.nan))] if tests else []
            rows.append([each.name, *([each.usual or "–"] if has_values else []), *figures, *ends, *of_attribute])
        return rows


def _figure(value: float) -> str:
    return f"{value:.4g}" if np.isfinite(value) else ""


def _ratio(log_odds: float) -> str:
    return f"{np.exp(np.clip(log_odds, -700, 700)):.4g}"
