"""Viewers of linear models: a forest plot of coefficients with intervals, and discriminant analysis.

Discriminant analysis is shown as Gaussians of the classes, and as records on discriminant axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from algorithms.learners.linear.logistic_regression import (
    INTERCEPT,
    EffectOrder,
    TermEffect,
    attribute_tests,
    effect_words,
    effects,
    no_p_words,
    ordered,
    step_text,
)
from algorithms.structures.hyperplanes import Gaussians, Hyperplanes
from algorithms.text.numbers import p_text, signed
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs
from workbench.layout.row_layouts import NomogramRows, effect_reach, log_ticks, ratio_ticks
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.viewers.charts.export import Drawing, Export, Exported, ExportedPicture, Table, rows_written
from workbench.viewers.scatter.scatter_view import ScatterView
from workbench.widgets.buttons import add_choices, choice_of, menu_button
from workbench.widgets.fields import ElidedComboBox, SearchableComboBox, SearchField, drop_down
from workbench.widgets.keyboard_focus import stepped
from workbench.widgets.labels import elided, label
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_beyond, draw_text, pen_and_brush, saved
from workbench.widgets.panes import ClearRow, over_canvas
from workbench.widgets.tables import PictureOrTable, TextTable, table_switch

ROW: Final = 36
HIGH_ROW: Final = 58
"""Height of a row whose name and figures stand above the marks."""
HEAD: Final = 44
NAMES: Final = 230
"""Width that names have where they need it, and more of it where the picture is wide."""
LEAST_NAMES: Final = 110
SHARE_OF_NAMES: Final = 0.4
"""Names wider than ``NAMES`` take at most this share of the width."""
NAME_ROOM: Final = 24
"""What stands beside a name, left and right."""
NUMBERS: Final = 224
LINES: Final = 160
"""Least width of the marks, between names and figures."""
EDGE: Final = 14
LEAST: Final = 220
LEAST_RATIO, MOST_RATIO = 0.001, 10_000
"""Odds ratios beyond these are not written out."""


class ForestCanvas(PaintedChart):
    """A row for each effect, with a sentence in ``words``; ``chosen`` carries its number, -1 for none."""

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__("visualize.coefficients", "What each term does to the odds, with intervals")
        self.effects: Sequence[TermEffect] = ()
        self.words: Sequence[str] = ()
        self.classes, self.codes = ("", ""), (0, 1)
        self.as_ratios = True
        self.row = -1
        self._reach = 1.0
        self.widest_name = 0
        """Pixels for the widest name shown since this was 0: a search that hides it moves nothing."""
        themes.follow(self._measure_anew)

    def show_effects(
        self, effects: Sequence[TermEffect], words: Sequence[str], classes: tuple[str, str], codes: tuple[int, int]
    ) -> None:
        """Shows these effects on the odds of the first of two classes against the second."""
        before = self.effects[self.row].place if 0 <= self.row < len(self.effects) else None
        self.effects, self.words, self.classes, self.codes = effects, words, classes, codes
        self.row = next((row for row, effect in enumerate(effects) if effect.place == before), -1)
        scaled = [effect for effect in effects if effect.place != INTERCEPT] or list(effects)
        self._reach = effect_reach((effect.log_odds, effect.low, effect.high) for effect in scaled)
        self._measure()
        self._say()

    @property
    def rows(self) -> NomogramRows:
        """The layout of the rows below the head."""
        px = themes.px
        n, width = len(self.effects), max(float(self.width()), float(px(LEAST)))
        if self.is_narrow:
            return NomogramRows(n, width, px(HIGH_ROW), px(EDGE), px(EDGE), self._reach)
        most = max(px(NAMES), min(width * SHARE_OF_NAMES, width - px(NUMBERS + LINES)))
        return NomogramRows(n, width, px(ROW), min(self.widest_name, most), px(NUMBERS), self._reach)

    @property
    def is_narrow(self) -> bool:
        """Whether names and figures stand above the marks, for lack of width."""
        return self.width() < min(self.widest_name, themes.px(NAMES)) + themes.px(NUMBERS + LINES)

    @property
    def whole(self) -> QSize:
        """The size of the whole picture, with the head."""
        return QSize(round(self.rows.width), round(self.rows.height) + themes.px(HEAD))

    def row_at(self, y: float) -> int:
        """The row at a height of the widget; -1 for none."""
        return self.rows.row_at(y - themes.px(HEAD))

    def choose(self, row: int) -> None:
        """Selects a row, whose sentence is then shown; -1 for none."""
        if -1 <= row < len(self.effects) and row != self.row:
            self.row = row
            self._say()
            self.chosen.emit(row)

    def figures(self, effect: TermEffect) -> str:
        middle = self._figure(effect.log_odds)
        if not effect.has_interval:
            return middle
        between = "–" if self.as_ratios else " to "
        return f"{middle}  ({self._figure(effect.low)}{between}{self._figure(effect.high)})"

    @property
    def figures_heading(self) -> str:
        """The heading of :meth:`figures`."""
        name = "Odds ratio" if self.as_ratios else "Coefficient"
        return f"{name} (95% CI)" if any(effect.has_interval for effect in self.effects) else name

    def _figure(self, value: float) -> str:
        if self.as_ratios:
            ratio = float(np.exp(np.clip(value, -700, 700)))
            if not LEAST_RATIO <= ratio < MOST_RATIO:
                return f"<{LEAST_RATIO}" if ratio < 1 else f">{MOST_RATIO:,}"
            return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:#.3g}"
        return signed(value)

    # ---- by hand -----------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.choose(self.row_at(event.position().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self.effects) - 1
        to = stepped(event, self.row, last, Qt.Key.Key_Up, Qt.Key.Key_Down)
        if to is None:
            super().keyPressEvent(event)
        else:
            self.choose(to)

    def tip_at(self, point: QPointF) -> str:
        row = self.row_at(point.y())
        return self.words[row] if row >= 0 else ""

    # ---- painting ----------------------------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        return self.whole

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        look, rows, head = StructureColors(current_theme()), self.rows, themes.px(HEAD)
        self._paint_head(painter, look, rows, head)
        with saved(painter):
            painter.translate(0, head)
            first = max(0, int((part.top() - head) // rows.row))
            last = min(rows.n, int((part.bottom() - head) // rows.row) + 1)
            for row in range(first, last):
                self._paint_row(painter, look, rows, row, focus)

    def _paint_head(self, painter: QPainter, look: StructureColors, rows: NomogramRows, head: int) -> None:
        metrics, middle, taken = QFontMetricsF(painter.font()), rows.x(0.0), 0.0
        title = "Odds ratio (log scale)" if self.as_ratios else "Coefficient (log odds)"
        below = QRectF(themes.px(8), head - 6 - metrics.height(), rows.left, metrics.height())
        if not self.is_narrow and metrics.horizontalAdvance(title) < rows.left - themes.px(30):
            draw_text(painter, below, title, look.dim, align=MIDDLE_LEFT)
        else:  # in the line of the classes, so that it is short where their names need the room
            left_name = metrics.horizontalAdvance(self.classes[1]) if len(self.classes) > 1 else 0.0
            if themes.px(8) + metrics.horizontalAdvance(title) > middle - themes.px(56) - left_name:
                title = "Odds ratio" if self.as_ratios else "Log odds"
            taken = themes.px(8) + metrics.horizontalAdvance(title)
            draw_text(painter, QPointF(themes.px(8), metrics.ascent() + 2), title, look.dim)
        if not self.is_narrow:
            above = QRectF(rows.right, below.y(), rows.width - rows.right - themes.px(8), below.height())
            draw_text(painter, above, self.figures_heading, look.dim, align=MIDDLE_RIGHT)
        written: list[QRectF] = []
        for place, text in ratio_ticks(rows.reach) if self.as_ratios else log_ticks(rows.reach):
            x, width = rows.x(place), metrics.horizontalAdvance(text)
            box = QRectF(x - width / 2, head - 6 - metrics.height(), width, metrics.height())
            if any(box.adjusted(-6, 0, 6, 0).intersects(other) for other in written):
                continue
            written.append(box)
            draw_text(painter, box, text, look.dim, align=Qt.AlignmentFlag.AlignCenter)
            painter.setPen(QPen(look.dim, 1.2, Qt.PenStyle.DashLine) if place == 0 else QPen(look.line, 1.0))
            painter.drawLine(QPointF(x, head - 4), QPointF(x, head + rows.height))
        for side, (name, code) in enumerate(zip(self.classes, self.codes, strict=True)):
            room = (rows.right - rows.left) / 2 - themes.px(34)
            room = room if side == 0 or not taken else min(room, middle - themes.px(56) - taken)
            shown = elided(metrics, name, room, tuple(self.classes))
            y, size = metrics.ascent() + 2, themes.px(5)
            width = metrics.horizontalAdvance(shown)
            left = middle + themes.px(26) if side == 0 else middle - themes.px(26) - width
            mark = left - themes.px(11) if side == 0 else left + width + themes.px(11)
            draw_text(painter, QPointF(left, y), shown, look.text)
            draw_symbol(painter, look, code, QPointF(mark, y - metrics.ascent() / 2 + 1), size)

    def _paint_row(self, painter: QPainter, look: StructureColors, rows: NomogramRows, row: int, focus: bool) -> None:
        effect, top = self.effects[row], row * rows.row
        if row == self.row:
            pen_and_brush(painter, QPen(look.accent, 1.5) if focus else Qt.PenStyle.NoPen, look.accent_soft)
            painter.drawRoundedRect(QRectF(1, top + 1, rows.width - 2, rows.row - 2), 5, 5)
        self._paint_words(painter, look, rows, row)
        y, x = top + rows.row * (0.8 if self.is_narrow else 0.5), rows.x(effect.log_odds)
        strong = effect.is_sure or not effect.has_interval
        pen = QPen(look.text if strong else look.dim, 1.8)
        if effect.has_interval:
            painter.setPen(pen)
            ends = [rows.x(effect.low), rows.x(effect.high)]
            painter.drawLine(QPointF(ends[0], y), QPointF(ends[1], y))
            for end, value, way in ((ends[0], effect.low, 1), (ends[1], effect.high, -1)):
                if abs(value) > rows.reach:
                    painter.drawLine(QPointF(end, y), QPointF(end + way * 5, y - 4))
                    painter.drawLine(QPointF(end, y), QPointF(end + way * 5, y + 4))
                else:
                    painter.drawLine(QPointF(end, y - 4), QPointF(end, y + 4))
        painter.setPen(Qt.PenStyle.NoPen)
        if abs(effect.log_odds) > rows.reach:
            way = 1 if effect.log_odds > 0 else -1
            draw_beyond(painter, QPointF(x, y), way, look.class_color(self.codes[0 if way > 0 else 1]))
        elif effect.log_odds == 0 or not strong:
            pen_and_brush(painter, pen, look.pane)
            painter.drawEllipse(QPointF(x, y), themes.px(4), themes.px(4))
        else:
            draw_symbol(painter, look, self.codes[0 if effect.log_odds > 0 else 1], QPointF(x, y), themes.px(6))

    def _paint_words(self, painter: QPainter, look: StructureColors, rows: NomogramRows, row: int) -> None:
        effect, top, edge = self.effects[row], row * rows.row, themes.px(8)
        figures, font = self.figures(effect), themes.font(12)
        taken = QFontMetricsF(font).horizontalAdvance(figures)
        lines, room = (0.44, 0.82), rows.names - themes.px(NAME_ROOM)
        box = QRectF(rows.right, top, rows.width - rows.right - edge, rows.row)
        if self.is_narrow:
            lines, room = (0.27, 0.52), rows.width - taken - 4 * edge
            box = QRectF(edge, top + edge / 2, rows.width - 2 * edge, rows.row * 0.3)
        pen = look.text if effect.is_sure or not effect.has_interval else look.dim
        draw_text(painter, box, figures, pen, font, MIDDLE_RIGHT)
        among = tuple(other.name for other in self.effects)
        for text, pen, size, share, others in (
            (effect.name, look.text, 13, lines[0], among),
            (_below(effect), look.dim, 11, lines[1], ()),
        ):
            font = themes.font(size)
            shown = elided(QFontMetricsF(font), text, room, others)
            draw_text(painter, QPointF(edge, top + rows.row * share), shown, pen, font)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.minimumHeight() != self.whole.height():
            self.setMinimumHeight(self.whole.height())

    def _measure_anew(self) -> None:
        self.widest_name = 0
        self._measure()

    def _measure(self) -> None:
        name, below = QFontMetricsF(themes.font(13)), QFontMetricsF(themes.font(11))
        words = ((name.horizontalAdvance(e.name), below.horizontalAdvance(_below(e))) for e in self.effects)
        widest = max((max(pair) for pair in words), default=0.0)
        self.widest_name = max(self.widest_name, ceil(widest) + themes.px(NAME_ROOM), themes.px(LEAST_NAMES))
        self.setMinimumHeight(self.whole.height())
        self.setMinimumWidth(themes.px(LEAST))
        self.updateGeometry()
        self.update()

    def _say(self) -> None:
        self.setAccessibleDescription(self.words[self.row] if 0 <= self.row < len(self.words) else "")
        self.update()


def _below(effect: TermEffect) -> str:
    under = f"rather than {effect.usual}" if effect.usual else ""
    if not under and effect.place != INTERCEPT:
        under = "for one more" if effect.step == 1.0 else f"for {step_text(effect.step)} more (1 SD)"
    return f"{under} · diverges" if effect.runs_away else under


_RATIOS, _LOGS = "as odds ratios", "as coefficients"
_DEVIATION, _ONE = "for one standard deviation", "for one more"
HOLDS: Final = {
    "ridge": "Ridge shrinks coefficients and intervals, so an interval without {no_effect} does not prove an effect.",
    "lasso": "The lasso made small coefficients zero; the others have no valid interval then.",
    "none": "",
    "firth": "Firth's penalty keeps the coefficients finite.",
}
AWAY: Final = (
    "The classes are linearly separable, so some coefficients diverge: their values depend on when it stopped. "
    "Firth's penalty (for two classes) or ridge keeps them finite."
)


class CoefficientsView(QWidget):
    """The viewer of coefficients with intervals: sorted, searched, for one class against another."""

    title = "Coefficients"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.planes: Hyperplanes | None = None
        self.canvas = ForestCanvas()
        self._words = named(label("", "", wrap=True), "visualize.coefficients.words")
        name = "visualize.coefficients."
        self.of = drop_down(f"{name}class", "Class", "The class whose odds grow to the right", kind=SearchableComboBox)
        tip = "The class it is compared with, to the left"
        self.against = drop_down(f"{name}against", "Other class", tip, kind=SearchableComboBox)
        tip = "Odds ratios or their logarithms; by how much a number changes; which come first"
        view = menu_button("View", f"{name}view", tip)
        self.scale = add_choices(view.menu(), f"{name}scale", (_RATIOS, _LOGS), self._again)
        self.step = add_choices(view.menu(), f"{name}step", (_DEVIATION, _ONE), self._again)
        orders = (choice.value for choice in EffectOrder)
        self.order = add_choices(view.menu(), f"{name}order", orders, self._again)
        self.search = SearchField("Find an attribute", f"{name}find")
        self.search.setToolTip("Shows only what has these letters in its name")
        self.table = TextTable("visualize.coefficients-table", "The coefficients as a table")
        self._rather = label("against", "dim")
        self._scroll = over_canvas(self.canvas)
        self._stack = PictureOrTable(self._scroll, self.table, f"{name}as-table", self.table_rows)
        self.search.setMinimumWidth(themes.px(104))
        self.search.setMaximumWidth(themes.px(200))
        column_layout((self._stack, 1), self._words, inside=self, spacing=8)
        exported = ExportedPicture(
            "coefficients",
            "Coefficients",
            lambda: self.canvas.whole if self.planes is not None else QSize(),
            self.canvas.paint,
            self.table_rows,
        )
        self.export = Export(exported, jobs, self)
        self.export.offer(self._stack.switch)
        between = (label("Odds of", "dim"), self.of, self._rather, self.against)
        self.controls = ClearRow(*between, self.search, view, self.export.button(f"{name}save"))
        self.canvas.chosen.connect(self._row_chosen)
        self.canvas.copy_asked.connect(self.export.copy_table)
        self.of.activated.connect(self._class_chosen)
        self.against.activated.connect(self._other_chosen)
        self.search.textChanged.connect(self._again)

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def set_structure(self, structure: Hyperplanes) -> None:
        """Shows these coefficients, for the second most frequent class against the most frequent one."""
        self.planes = structure
        classes = structure.schema.classes
        for box in (self.of, self.against):
            box.offer(classes)
        for widget in (self._rather, self.against):
            widget.setVisible(len(classes) > 1)
        most = np.argsort(-structure.class_weight, kind="stable").tolist()
        self.of.setCurrentIndex(most[min(1, len(most) - 1)])
        self.against.setCurrentIndex(most[0])
        self.canvas.widest_name = 0
        self.search.clear()
        self._again()
        self.facts_changed.emit()

    def set_interest(self, code: int) -> None:
        if self.planes is not None and 0 <= code < self.planes.n_classes and code != self.of.currentIndex():
            self.of.setCurrentIndex(code)
            self._class_chosen(code)

    def facts(self) -> str:
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
            self.against.setCurrentIndex(next(other for other in most if other != code))
        self._again()

    def _other_chosen(self, other: int) -> None:
        if self.planes is not None and self.of.currentIndex() == other and self.planes.n_classes > 1:
            most = np.argsort(-self.planes.class_weight, kind="stable").tolist()
            self.of.setCurrentIndex(next(own for own in most if own != other))
        self._again()

    def _shown(self) -> list[TermEffect]:
        assert self.planes is not None
        by_deviation = choice_of(self.step) == 0
        all_effects = effects(self.planes, *self.codes, by_deviation=by_deviation)
        wanted = self.search.text().casefold()
        order = list(EffectOrder)[choice_of(self.order)]
        return [effect for effect in ordered(all_effects, order) if wanted in effect.name.casefold()]

    def _again(self) -> None:
        if self.planes is None or min(self.codes) < 0:
            return
        shown, classes = self._shown(), self._classes()
        words = [effect_words(effect, classes) for effect in shown]
        self.canvas.as_ratios = choice_of(self.scale) == 0
        self.canvas.show_effects(shown, words, classes, self.codes)
        self._say()
        self._stack.refresh()

    def _classes(self) -> tuple[str, str]:
        assert self.planes is not None
        names = self.planes.schema.classes
        return names[self.codes[0]], names[self.codes[1]]

    def _row_chosen(self, row: int) -> None:
        rows = self.canvas.rows
        self._scroll.ensureVisible(0, round(rows.middle(max(0, row)) + rows.row), 0, round(rows.row * 2))
        self._say()

    def _say(self) -> None:
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
        words = f"A point to the right raises the odds of {ours}, one to the left those of {theirs}."
        if planes.has_intervals:
            words += " Bars are 95% CI"
            words += ": a bar that crosses the line is not significant." if planes.has_p else "."
        no_effect = "1" if canvas.as_ratios else "zero"
        if any(effect.has_interval and not effect.is_sure for effect in canvas.effects):
            words += f" A hollow circle: the interval contains {no_effect}."
        if any(abs(effect.log_odds) > canvas.rows.reach for effect in canvas.effects):
            words += " An arrow lies beyond the scale."
        held = HOLDS[planes.penalty].format(no_effect=no_effect) if planes.kind == "logistic" else ""
        if planes.is_separated:
            held = AWAY
        elif not held:
            held = no_p_words(planes)
        self._words.setText(f"{words} {held}".strip())

    # ---- as a table --------------------------------------------------------------------------------------------------

    def table_rows(self) -> Sequence[Sequence[str]]:
        """The heading and a row for each coefficient shown.

        Columns: coefficient, standard error, z, p, odds ratio, ends of its interval, p of the likelihood-ratio test of
        its attribute.
        """
        if self.planes is None:
            return []
        ours, theirs = self._classes()
        shown = self._shown()
        has_values = any(effect.usual for effect in shown)
        heading = ["Term", *(["rather than"] if has_values else []), "step"]
        tests = {effect.index: effect.p for effect in attribute_tests(self.planes)}
        errors = ["std. error"] if self.planes.has_intervals else []
        errors += ["z", "p"] if self.planes.has_p else []
        tested = ["likelihood-ratio p (attribute)"] if tests else []
        log_odds = f"log odds of {ours} against {theirs}"
        rows = [[*heading, log_odds, *errors, "odds ratio", "95% from", "to", *tested]]
        for effect in shown:
            ends = (_ratio(effect.low), _ratio(effect.high)) if effect.has_interval else ("", "")
            own = [_figure(effect.error), _figure(effect.z), p_text(effect.p)][: len(errors)]
            figures = f"{effect.step:.4g}", f"{effect.log_odds:.6g}", *own, _ratio(effect.log_odds)
            place = int(self.planes.terms.attribute[effect.place]) if effect.place != INTERCEPT else -1
            of_attribute = [p_text(tests.get(place, np.nan))] if tests else []
            rows.append([effect.name, *([effect.usual or "–"] if has_values else []), *figures, *ends, *of_attribute])
        return rows


def _figure(value: float) -> str:
    return f"{value:.4g}" if np.isfinite(value) else ""


def _ratio(log_odds: float) -> str:
    return f"{np.exp(np.clip(log_odds, -700, 700)):.4g}"


class ProjectionView(ClearWidget):
    """Records as points on two discriminant axes; ``axes_chosen`` comes when other axes are chosen."""

    axes_chosen = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.setObjectName("visualize.projection")
        self.scatter = ScatterView(jobs)
        self.scatter.canvas.setObjectName("visualize.projection.scatter")
        self.scatter.canvas.setAccessibleName("The records on the discriminant axes")
        self.scatter.table.setObjectName("visualize.projection.scatter-table")
        self.across = self._choice("visualize.projection.across", "Axis across")
        self.up = self._choice("visualize.projection.up", "Axis upwards")
        self.as_table = self.scatter.export.offer(table_switch("visualize.projection.as-table"))
        self.as_table.toggled.connect(self.scatter.show_table)
        self.scatter.canvas.table_wanted.connect(self.as_table.toggle)
        save = self.scatter.export.button("visualize.projection.save")
        self._words = named(label("", "", wrap=True), "visualize.projection.words")
        column_layout(
            row_layout(label("Across", "dim"), self.across, label("upwards", "dim"), self.up, 1, save),
            self._words,
            (self.scatter, 1),
            inside=self,
            spacing=8,
        )

    def _choice(self, name: str, says: str) -> ElidedComboBox:
        box = drop_down(name, says, f"{says}: the first has most of the differences between the classes", 14)
        box.activated.connect(self.axes_chosen)
        return box

    def offer(self, names: list[str], up: list[str]) -> None:
        """Offers these axes, the first two chosen."""
        self.across.offer(names)
        self.up.offer(up, min(1, len(up) - 1) if len(names) > 1 else 0)

    def say(self, words: str) -> None:
        self._words.setText(words)


class ExportedGaussians(Exported):
    name, title = "class-clouds", "Mean and spread by class"

    def __init__(self, view: GaussiansView) -> None:
        self._view = view

    def drawing(self) -> Drawing | None:
        table = self._view.table
        return table.size(), lambda painter: table.render(painter, QPoint())

    def table(self) -> Table | None:
        return None if self._view.held is None else rows_written(self._view.table_rows())


class GaussiansView(QWidget):
    """A row for each term: mean and standard deviation by class, the largest differences first."""

    title = "Mean and spread by class"
    facts_changed = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.held: Gaussians | None = None
        self._words = named(label("", "", wrap=True), "visualize.clouds.words")
        self.search = SearchField("Find an attribute", "visualize.clouds.find")
        self.search.setToolTip("Shows only what has these letters in its name")
        self.table = TextTable("visualize.clouds", "Mean and standard deviation of each attribute in each class")
        self.export = Export(ExportedGaussians(self), jobs, self)
        self.controls = ClearRow(self.export.button("visualize.clouds.save"))
        column_layout(self._words, self.search, (self.table, 1), inside=self, spacing=8)
        self.search.textChanged.connect(self._again)

    def set_structure(self, structure: Gaussians) -> None:
        self.held = structure
        self.search.clear()
        self._words.setText(
            "Each class is a cloud of records: its middle, ± one standard deviation. The attributes in which the "
            "classes differ most come first."
        )
        self._again()
        self.facts_changed.emit()

    def facts(self) -> str:
        if self.held is None:
            return ""
        return f"{counted(self.held.n_terms, 'term')} · {self.held.n_classes} classes"

    def _again(self) -> None:
        if self.held is not None:
            self.table.show_rows(self.table_rows())

    def table_rows(self) -> Sequence[Sequence[str]]:
        """The heading, the shares of the classes, and a row for each term shown."""
        held = self.held
        assert held is not None
        wanted = self.search.text().casefold()
        means = np.array([held.mean_of(code) for code in range(held.n_classes)])
        spreads = np.array([held.deviation_of(code) for code in range(held.n_classes)])
        has_records = held.class_weight > 0
        apart = np.ptp(held.mean[has_records], axis=0) if has_records.any() else np.zeros(held.n_terms)
        rows = [["Term", *held.schema.classes]]
        if not wanted:
            rows.append(["(share of all)", *(f"{share:.1%}" for share in held.prior.tolist())])
        for term in np.argsort(-apart, kind="stable").tolist():
            if wanted in held.terms.name(term).casefold():
                cells = [f"{means[code, term]:.4g} ± {spreads[code, term]:.3g}" if has_records[code] else ""
                         for code in range(held.n_classes)]  # fmt: skip
                rows.append([held.terms.name(term), *cells])
        return rows
