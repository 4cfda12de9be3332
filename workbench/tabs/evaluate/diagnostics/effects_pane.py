"""How the model's probability changes along one attribute or two, and a small tree that imitates the whole model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from pyqtgraph.functions import arrayToQPolygonF
from PySide6.QtCore import QPointF, QRect, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from algorithms.data.columns import FloatArray
from algorithms.data.schema import Schema
from algorithms.evaluation.attribute_effects import MOST_OF_PAIR, MOST_RECORDS, PAIR_PLACES, PLACES
from algorithms.evaluation.learner_effects import LEAST_JOINT, AttributeEffects, Interaction, PairEffects
from algorithms.evaluation.methods.methods import LeaveOneOut
from algorithms.evaluation.surrogate_tree import DEPTH, MOST_DEPTH, SurrogateTree
from algorithms.structures.tree import Tree
from algorithms.text.names import shortened
from algorithms.text.numbers import coefficient, interval_words, percent, points, tick_text
from algorithms.text.sentences import counted, quoted
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.layout.points import AxisScale
from workbench.layout.ticks import nice_step, roundest_first, ticks
from workbench.session.decision_rules import code_among
from workbench.session.run_analyses import EffectQuestion, EffectRuns, SurrogateRuns
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, current_theme, themes
from workbench.tabs.evaluate.diagnostics.started_analyses import forecast_label, show_end, show_forecast
from workbench.viewers.charts.chart_base import ExportedChart, PaintedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.pair_charts import HeatMap, HeatMatrix
from workbench.viewers.tree.tree_view import TreeView
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.examples import FaintExample
from workbench.widgets.fields import ElidedComboBox, SearchableComboBox
from workbench.widgets.keyboard_focus import set_enabled, swap
from workbench.widgets.labels import WholeLabel, elided, elided_at_end, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, flow_of, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, KeptPicture, draw_text, pen_and_brush, saved
from workbench.widgets.panes import FailureNote, Pane
from workbench.widgets.status_line import StopButton
from workbench.widgets.tables import PictureOrTable, TextTable

DEPENDENCE, LINES, LOCAL = range(3)
KINDS: Final = (
    ("Partial dependence", DEPENDENCE),
    ("Individual lines (ICE)", LINES),
    ("Accumulated local effects", LOCAL),
)
ALONE: Final = "no second attribute"
WHAT_DEPENDENCE_IS: Final = (
    "Partial dependence: the mean probability if all tested records had this value. Where attributes are correlated, "
    "it asks for records that cannot be."
)
WHAT_LINES_ARE: Final = (
    "A thin line is the probability of one tested record with its value replaced (individual conditional expectation); "
    "the thick line is their mean. Lines that are not parallel show an interaction."
)
WHAT_LOCAL_IS: Final = (
    "Accumulated local effects: changes of the probability between neighbouring values, of the records that lie there, "
    "added up. The mean over the records is 0."
)
WHAT_LOCAL_OF_TWO_IS: Final = (
    "Accumulated local effects of second order: what both attributes do together beyond the sum of what each does."
)
HATCHED: Final = "Hatched: no record has such values."
EMPTY_RANGES: Final = "The bars below count all records: where there are few, the model has learned little."
WHAT_H_IS: Final = (
    "Friedman's H, from 0 to about 1: H² is the share of the variance of the joint effect of two attributes that is no "
    "sum of their single effects"
)
SMALL_LAST: Final = f"Pairs below {100 * LEAST_JOINT:.1f} points come last. "
ONE_DECIMAL: Final = 0.1
"""Range of the probabilities of a map below which its numbers have a decimal."""
MOST_DRAWN: Final = 120
"""Most individual lines in the picture."""
MOST_INTERACTING: Final = 8
"""Number of attributes, the most important, all pairs of which are tested for interaction."""
LEFT, RIGHT, TOP, STRIP, BOTTOM = 52, 14, 26, 34, 40
BETWEEN: Final = 6
"""Pixels between the picture and the strip of records below it."""
TICK_ROOM: Final = 36
TICK_WIDTH: Final = 80
WIDEST_LABEL: Final = 110
MEASURED: Final = 50
"""Number of the longest names whose widths are measured."""
MARGIN: Final = 0.05
LEAST_RANGE: Final = 0.02
WIDEST_CHOOSER: Final = 210
SIDE: Final = 270
"""Most width of the list of interactions."""
LEAST_SIDE: Final = 190
PREDICTING: Final = 0.002
"""Seconds that predicting a few records takes."""
SIDE_BY_SIDE: Final = 2
"""Number of folds that are computed at once."""
SURROGATE_FITS: Final = 1.3
"""Time of the surrogate's folds as a multiple of the time of the run."""


class AttributeEffectChart(PaintedChart):
    """The effect of an attribute on the probability of a class, with intervals, lines, and the records below."""

    hint, least, frame = (420, 260), (220, 150), 2

    def __init__(self, name: str) -> None:
        super().__init__(name, "Probability of a class along an attribute", expands=True, takes_keys=False)
        self.effects: AttributeEffects | None = None
        self.code, self.kind = 0, DEPENDENCE
        self._curve: FloatArray = np.empty((3, 0))
        """Mean and ends of its interval (3, v); NaN without interval."""
        self._lines: FloatArray = np.empty((0, 0))
        self._span = 0.0, 1.0
        self._picture = KeptPicture()
        self._shown: object = None

    def show_effects(self, effects: AttributeEffects | None, code: int, kind: int) -> None:
        """Shows the effects on a class; None shows nothing."""
        key = effects, code, kind
        if key == self._shown:
            return
        self._shown = key
        self.effects, self.code, self.kind = effects, code, kind
        if effects is not None:
            self._curve = effects.curve(code, is_local=kind == LOCAL)
            lines = effects.lines(code) if kind == LINES else np.empty((0, len(effects.grid)))
            self._lines = lines[:: max(1, -(-len(lines) // MOST_DRAWN))]
            self._span = self._ends()
            ends = [self.words(place) for place in (0, len(effects.grid) - 1)]
            self.setAccessibleDescription("; ".join(dict.fromkeys(ends)))
        self.update()

    def _ends(self) -> tuple[float, float]:
        """The range of the vertical axis."""
        if self.kind == LINES:
            return 0.0, 1.0
        known = self._curve[np.isfinite(self._curve)]
        low, high = float(known.min()), float(known.max())
        margin = max(MARGIN * (high - low), LEAST_RANGE / 2)
        if self.kind == LOCAL:
            return min(0.0, low) - margin, max(0.0, high) + margin
        return max(0.0, low - margin), min(1.0, high + margin)

    @property
    def is_empty(self) -> bool:
        return self.effects is None

    @property
    def title(self) -> str:
        """The name of the vertical axis."""
        effects = self.effects
        if effects is None:
            return ""
        of = quoted(effects.classes[self.code])
        what = f"Change of the probability of {of}, points" if self.kind == LOCAL else f"Probability of {of}"
        n = len(effects.folds)
        return f"{what}: mean of {counted(n, 'fold')} with 95% CI" if n > 1 else what

    def words(self, place: int) -> str:
        """A value in words: "Petal Length 4.9: probability of “virginica” 61.2% (95% CI 50.1–72.3)"."""
        effects = self.effects
        if effects is None:
            return ""
        mean, low, high = self._curve[:, place].tolist()
        of, value = quoted(effects.classes[self.code]), effects.values[place]
        if self.kind == LOCAL:
            between = "" if low != low else f" (95% CI {points(low).removesuffix(' points')} to {points(high)})"
            return f"{effects.attribute.name} {value}: effect on the probability of {of} {points(mean)}{between}"
        between = "" if low != low else f" ({interval_words(low, high)})"
        return f"{effects.attribute.name} {value}: probability of {of} {percent(mean)}{between}"

    def table_rows(self) -> list[list[str]]:
        return [] if self.effects is None else self.effects.written_rows(self.code)

    def _height_of_names(self) -> float:
        """Height of the names of nominal values below the strip: more than a line where they stand upright."""
        effects, metrics = self.effects, QFontMetricsF(themes.font(11))
        if effects is None or not effects.attribute.kind.is_coded:
            return metrics.height()
        wide = max(map(metrics.horizontalAdvance, sorted(effects.values, key=len)[-MEASURED:]))
        room = (self.width() - themes.px(LEFT) - themes.px(RIGHT)) / len(effects.values)
        upright = min(wide, float(themes.px(WIDEST_LABEL)), self.height() / 4)
        return metrics.height() if wide + 8 <= room else max(metrics.height(), upright)

    def _area(self) -> QRectF:
        left, right, top, strip, bottom = (float(themes.px(side)) for side in (LEFT, RIGHT, TOP, STRIP, BOTTOM))
        bottom += self._height_of_names() - QFontMetricsF(themes.font(11)).height()
        high = self.height() - top - strip - bottom - themes.px(BETWEEN)
        return QRectF(left, top, max(1.0, self.width() - left - right), max(1.0, high))

    def _scale(self) -> AxisScale:
        assert self.effects is not None
        return AxisScale(self.effects.attribute, float(self.effects.grid[0]), float(self.effects.grid[-1]))

    def _xs(self, area: QRectF) -> FloatArray:
        """Places of the values of the grid in pixels."""
        effects = self.effects
        assert effects is not None
        v = len(effects.grid)
        shares = (np.arange(v) + 0.5) / v if effects.attribute.kind.is_coded else self._scale().units(effects.grid)
        return np.asarray(area.left() + shares * area.width(), dtype=np.float64)

    def _y(self, area: QRectF, values: FloatArray) -> FloatArray:
        low, high = self._span
        return np.asarray(area.bottom() - (values - low) / (high - low) * area.height(), dtype=np.float64)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._picture.draw(painter, self.size(), (self._shown,), self.paint)

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        effects, theme, area = self.effects, current_theme(), self._area()
        assert effects is not None
        xs, color = self._xs(area), theme.color("accent")
        self._paint_scales(painter, area, xs)
        self._paint_records(painter, area, xs)
        mean, low, high = (self._y(area, row) for row in self._curve)
        is_apart = effects.attribute.kind.is_coded and effects.attribute.kind.value != "ordinal"
        with saved(painter):
            painter.setClipRect(area.adjusted(-2, -2, 2, 2))
            thin = theme.color("dim")
            thin.setAlpha(70)
            pen_and_brush(painter, QPen(thin, 1), Qt.BrushStyle.NoBrush)
            for line in self._lines:
                painter.drawPolyline(arrayToQPolygonF(xs, self._y(area, line)))
            has_interval = bool(np.isfinite(low).all())
            if has_interval and not is_apart:
                veil = theme.color("accent")
                veil.setAlpha(44)
                pen_and_brush(painter, Qt.PenStyle.NoPen, veil)
                ends = [*zip(xs, high, strict=True), *reversed(list(zip(xs, low, strict=True)))]
                painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in ends]))
            pen_and_brush(painter, QPen(color, 2.2), Qt.BrushStyle.NoBrush)
            if not is_apart:
                painter.drawPolyline(arrayToQPolygonF(xs, mean))
            for x, y, bottom, top in zip(xs, mean, low, high, strict=True):
                if has_interval and is_apart:
                    painter.setPen(QPen(color, 1.6))
                    painter.drawLine(QPointF(x, bottom), QPointF(x, top))
                pen_and_brush(painter, Qt.PenStyle.NoPen, color)
                size = 4.0 if is_apart else 2.6
                painter.drawEllipse(QPointF(x, y), size, size)

    def _paint_scales(self, painter: QPainter, area: QRectF, xs: FloatArray) -> None:
        theme, metrics, (low, high) = current_theme(), QFontMetricsF(painter.font()), self._span
        font = themes.font(11, bold=True)
        room = QRectF(float(themes.px(6)), 2, self.width() - themes.px(12), metrics.height())
        shown = elided_at_end(QFontMetricsF(font), self.title, room.width())
        with saved(painter):
            draw_text(painter, room, shown, theme.color("text"), font, MIDDLE_LEFT)
        step = nice_step(100 * (high - low) / max(2.0, area.height() / themes.px(TICK_ROOM)))
        first, last = int(np.ceil(100 * low / step - 1e-9)), int(np.floor(100 * high / step + 1e-9))
        for value in (step * multiple for multiple in range(first, last + 1)):
            (y,) = self._y(area, np.array([value / 100]))
            painter.setPen(QPen(theme.color("dim" if value == 0 and self.kind == LOCAL else "line"), 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            box = QRectF(0, y - metrics.height() / 2, area.left() - 6, metrics.height())
            words = f"{tick_text(value, step)}{'' if self.kind == LOCAL else '%'}"
            draw_text(painter, box, words, theme.color("dim"), align=MIDDLE_RIGHT)

    def _paint_records(self, painter: QPainter, area: QRectF, xs: FloatArray) -> None:
        """The numbers of all records below the picture, then the values and the name of the attribute."""
        effects, theme, metrics = self.effects, current_theme(), QFontMetricsF(painter.font())
        assert effects is not None
        strip = QRectF(area.left(), area.bottom() + themes.px(BETWEEN), area.width(), themes.px(STRIP))
        counts, n = effects.counts, len(effects.counts)
        wide = strip.width() / n
        gap = min(1.0, wide * 0.1) if n > len(xs) else wide * 0.3
        fill = theme.color("control")
        for place, share in enumerate((counts / max(1.0, float(counts.max(initial=0.0)))).tolist()):
            high = max(1.0, share * strip.height()) if share else 0.0
            bar = QRectF(strip.left() + place * wide + gap / 2, strip.bottom() - high, wide - gap, high)
            painter.fillRect(bar, fill)
        painter.setPen(QPen(theme.color("control"), 1))
        painter.drawLine(strip.bottomLeft(), strip.bottomRight())
        box = QRectF(0, strip.center().y() - metrics.height() / 2, strip.left() - 6, metrics.height())
        draw_text(painter, box, elided(metrics, "Records", box.width()), theme.color("dim"), align=MIDDLE_RIGHT)
        height = self._height_of_names()
        if height > metrics.height():
            self._paint_upright_names(painter, xs, strip.bottom() + 3, height)
        else:
            self._paint_values(painter, xs, strip)
        unit = f" ({effects.attribute.unit})" if effects.attribute.unit else ""
        below = QRectF(strip.left(), strip.bottom() + height + 4, strip.width(), metrics.height() + 2)
        name = elided(metrics, f"{effects.attribute.name}{unit}", below.width())
        draw_text(painter, below, name, theme.color("dim"), align=Qt.AlignmentFlag.AlignCenter)

    def _paint_upright_names(self, painter: QPainter, xs: FloatArray, top: float, height: float) -> None:
        """Names of nominal values that read upwards, as many as have room."""
        effects, theme, metrics = self.effects, current_theme(), QFontMetricsF(painter.font())
        assert effects is not None
        last = -np.inf
        for x, words in zip(xs.tolist(), effects.values, strict=True):
            if x - last < metrics.height() - 1:
                continue
            last = x
            with saved(painter):
                painter.translate(x - metrics.height() / 2, top + height)
                painter.rotate(-90)
                text = elided(metrics, words, height, tuple(effects.values))
                draw_text(painter, QRectF(0, 0, height, metrics.height()), text, theme.color("dim"), align=MIDDLE_RIGHT)

    def _paint_values(self, painter: QPainter, xs: FloatArray, strip: QRectF) -> None:
        """Ticks of numbers, or names of nominal values side by side, where they have room."""
        effects, theme, metrics = self.effects, current_theme(), QFontMetricsF(painter.font())
        assert effects is not None
        if effects.attribute.kind.is_coded:
            marks = list(zip(xs.tolist(), effects.values, strict=True))
        else:
            places = ticks(self._scale(), 0.0, 1.0, round(strip.width() / themes.px(TICK_WIDTH)))
            marks = [(strip.left() + place * strip.width(), words) for place, words in places]
        taken: list[tuple[float, float]] = []
        for index in roundest_first([words for _x, words in marks]):
            x, words = marks[index]
            text = elided(metrics, words, themes.px(WIDEST_LABEL), tuple(effects.values))
            across = metrics.horizontalAdvance(text)
            left = min(max(0.0, x - across / 2), self.width() - across)
            if all(left >= end + 8 or left + across + 8 <= start for start, end in taken):
                draw_text(painter, QPointF(left, strip.bottom() + metrics.ascent() + 3), text, theme.color("dim"))
                taken.append((left, left + across))

    def tip_at(self, point: QPointF) -> str:
        effects, area = self.effects, self._area()
        if effects is None or not area.left() - 8 <= point.x() <= area.right() + 8:
            return ""
        place = int(np.abs(self._xs(area) - point.x()).argmin())
        n = effects.counts[place] if effects.attribute.kind.is_coded else None
        return escape(self.words(place) + ("" if n is None else f"; {counted(int(n), 'record')}"))


def heat_matrix(effects: PairEffects, code: int, kind: int) -> HeatMatrix:
    """The effects of two attributes as a heat map, the first across and the second upwards."""
    surface, low, high = (np.flipud(block.T) for block in effects.curve(code, is_local=kind == LOCAL))
    counts = np.flipud(effects.counts.T)
    across, upwards = effects.texts
    of, (first, second) = quoted(effects.classes[code]), effects.names
    known = surface[counts > 0] if (counts > 0).any() else surface
    least, most = float(known.min()), float(known.max())
    shares = (surface - least) / (most - least) if most > least else np.zeros_like(surface)
    write = points if kind == LOCAL else percent
    rows = upwards[::-1]

    def number(row: int, column: int) -> str:
        share = float(surface[row, column])
        if kind == LOCAL:
            return points(share).removesuffix(" points")
        return percent(share, decimals=int(most - least < ONE_DECIMAL)).removesuffix("%")

    def sentence(row: int, column: int) -> str:
        value, ends = float(surface[row, column]), (float(low[row, column]), float(high[row, column]))
        between = f" (95% CI {write(ends[0])} to {write(ends[1])})" if np.isfinite(ends).all() else ""
        what = "joint effect on the probability" if kind == LOCAL else "probability"
        n = counted(round(float(counts[row, column])), "record")
        return f"{first} {across[column]}, {second} {rows[row]}: {what} of {of} {write(value)}{between}; about {n}"

    return HeatMatrix(
        rows=rows,
        columns=across,
        values=np.where(counts > 0, shares, np.nan),
        sentence=sentence,
        number=number,
        titles=(second, first),
        scale=f"Joint effect on the probability of {of}, points" if kind == LOCAL else f"Probability of {of}, %",
        ends=(write(least).removesuffix(" points"), write(most).removesuffix(" points")),
        is_in_order=not effects.attributes[0].kind.is_coded,
    )


class EffectsPane(MadeInPieces, Pane):
    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Attribute effects", parent=parent)
        self._session = session
        self._offered: object = None
        self._chosen_class = ""
        self._mapped: object = None
        self._listed: tuple[Interaction, ...] = ()
        self._important: WeakKeyDictionary[Run, tuple[object, tuple[str, ...]]] = WeakKeyDictionary()
        self.effects = EffectRuns(session.jobs, session.ledger)
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session, name = self._session, "evaluate.effects"
        self._headline = named(WholeLabel("", "verdict"), f"{name}.headline")
        self._words = named(WholeLabel("", "dim"), f"{name}.words")
        self.chart = AttributeEffectChart(f"{name}.chart")
        self.heat = HeatMap(f"{name}.map", "Probability of a class along two attributes")
        self.table = TextTable(f"{name}.table", "The effects at every value", parent=self)
        yield True
        self._exported = ExportedChart(self.chart, "attribute-effects", "Attribute effects")
        self.export = Export(self._exported, session.jobs, self)
        self._save = self.export.button(f"{name}.save")
        self._charts = filled(QStackedWidget(self), self.chart, self.heat)
        self._pages = PictureOrTable(self._charts, self.table, f"{name}.as-table", self._rows, self)
        self.export.offer(self._pages.switch)
        self.add_action(self._save)
        self._example = FaintExample("effects", grows=True)
        self.failure = FailureNote(name)
        yield True
        side = self._interactions_list()
        shown = column_layout((self._example, 1), (self._pages, 1))
        last = self.failure, (row_layout((shown, 1), side, spacing=SPACE_3), 1)
        add_items(self.body, self._headline, self._words, self._controls(), *last)
        self.heat.copy_asked.connect(self.export.copy_table)
        self.effects.changed.connect(self._changed)
        session.current_run_changed.connect(self.refresh)
        session.class_of_interest_changed.connect(self._follow_class)
        self.refresh()

    def _controls(self) -> ClearWidget:
        name = "evaluate.effects"
        self.attribute = self._chooser(f"{name}.attribute", "Attribute", "The attribute along which values change")
        self.second = self._chooser(f"{name}.second", "And", "A second attribute, whose values change too")
        self.of_class = self._chooser(f"{name}.class", "Class", "The class whose probability is shown")
        for box in (self.attribute, self.second):
            box.activated.connect(self._attributes_chosen)
        self.of_class.activated.connect(self._choose_class)
        kinds = ElidedComboBox(choices=KINDS)
        self.kind = named(kinds, f"{name}.kind", "What is shown", f"{WHAT_DEPENDENCE_IS} {WHAT_LOCAL_IS}")
        self.kind.currentIndexChanged.connect(self.refresh)
        tip = "Train the models of the folds again and change the values of their test records"
        self._start = accent_button("Start", f"{name}.start", tip, self.start)
        self._stop = StopButton(f"{name}.stop", "Stop; the finished folds stay", self.effects.end_early)
        self._forecast = forecast_label(f"{name}.forecast")
        self._forecast.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        asked = self.attribute, label("and", "dim"), self.second
        of_class, acts = (label("class", "dim"), self.of_class), (self._start, self._stop, self._forecast)
        return flow_of(asked, of_class, (self.kind,), acts)

    def _chooser(self, name: str, says: str, tip: str) -> SearchableComboBox:
        box = named(SearchableComboBox(), name, says, tip)
        box.setSizeAdjustPolicy(SearchableComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        themes.set_length(QWidget.setMinimumWidth, box, 84)
        themes.set_length(QWidget.setMaximumWidth, box, WIDEST_CHOOSER)
        return box

    def _interactions_list(self) -> ClearWidget:
        name = "evaluate.interactions"
        self._side = ClearWidget(self)
        title = label("Strongest interactions", "heading")
        title.setToolTip(WHAT_H_IS)
        self._pairs_words = named(label("", "dim", wrap=True), f"{name}.words")
        tip = f"Friedman's H of all pairs of the {MOST_INTERACTING} most important attributes"
        self._find = quiet_button("Find interactions", f"{name}.start", tip)
        self._find.clicked.connect(self.find_interactions)
        self.pairs = TextTable(f"{name}.table", "Pairs of attributes by Friedman's H", parent=self._side)
        self.pairs.clicked.connect(lambda index: self._show_pair(index.row()))
        self.pairs.activated.connect(lambda index: self._show_pair(index.row()))
        column_layout(title, self._pairs_words, self._find, (self.pairs, 1), 0, inside=self._side, spacing=SPACE_2)
        themes.set_length(QWidget.setMinimumWidth, self._side, LEAST_SIDE)
        themes.set_length(QWidget.setMaximumWidth, self._side, SIDE)
        return self._side

    # ---- what is asked ---------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The chosen attribute, or both."""
        first, second = str(self.attribute.currentData() or ""), str(self.second.currentData() or "")
        return tuple(name for name in dict.fromkeys((first, second)) if name)

    def start(self) -> None:
        run = self._session.ledger.judged
        if run is not None and self._start.isEnabled() and self.names:
            self.effects.start(run, EffectQuestion(self.names))

    def find_interactions(self) -> None:
        """Computes Friedman's H of all pairs of the most important attributes."""
        run = self._session.ledger.judged
        if run is not None and not self._why_not(run):
            self.effects.start(run, EffectQuestion(interacting=self.important(run)))

    def important(self, run: Run) -> tuple[str, ...]:
        """The attributes of :func:`important_attributes`, computed once."""
        permuted = None if run.findings is None else run.findings.permuted
        known = self._important.get(run)
        if known is None or known[0] is not permuted:
            known = self._important[run] = permuted, important_attributes(run)
        return known[1]

    def show_names(self, first: str, second: str = "") -> None:
        """Chooses these attributes, and computes them if that needs no training."""
        for box, name in ((self.attribute, first), (self.second, second)):
            box.setCurrentIndex(max(0, box.findData(name)))
        self._attributes_chosen()

    def _attributes_chosen(self) -> None:
        run = self._session.ledger.judged
        if run is None:
            return
        found = self._found(run)
        is_new = (found is None or not found.is_whole) and not self._why_not(run)
        if is_new and (self.effects.has_models(run) or self.effects.job_of(run) is not None):
            self.effects.start(run, EffectQuestion(self.names))
        self.refresh()

    def _show_pair(self, row: int) -> None:
        run = self._session.ledger.judged
        known = None if run is None else self.effects.result_of(run)
        if run is not None and known is not None and 0 <= row < len(pairs := known.interactions(self._code(run))):
            self.show_names(*pairs[row].names)

    def _choose_class(self) -> None:
        self._chosen_class = str(self.of_class.currentData())
        self.refresh()

    def _follow_class(self) -> None:
        self._chosen_class = ""
        self.refresh()

    def _changed(self, run: object) -> None:
        if run is self._session.ledger.judged:
            self.refresh()

    def _code(self, run: Run) -> int:
        """The chosen class, else the positive one."""
        return code_of_class(run, self._chosen_class or self._session.positive_label)

    def _found(self, run: Run) -> AttributeEffects | PairEffects | None:
        known = self.effects.result_of(run)
        return None if known is None else known.of(self.names) or known.of(self.names[::-1])

    def _offer(self, run: Run) -> None:
        """Offers the attributes and classes of a run."""
        schema = run.data.schema
        if schema == self._offered:
            return
        self._offered, kept = schema, (self.attribute.currentData(), self.second.currentData())
        usable = usable_attributes(schema)
        for box, first, chosen in ((self.attribute, [], kept[0]), (self.second, [(ALONE, "")], kept[1])):
            with QSignalBlocker(box):
                box.clear()
                for text, data in [*first, *((name, name) for name in usable)]:
                    box.addItem(text, data)
                box.setCurrentIndex(max(0, box.findData(chosen)))
        with QSignalBlocker(self.of_class):
            self.of_class.clear()
            for name in schema.classes:
                self.of_class.addItem(name, name)
        if kept[0] is None and usable:
            self.attribute.setCurrentIndex(max(0, self.attribute.findData(self.important(run)[0])))

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        run = self._session.ledger.judged
        if run is None:
            return
        self._offer(run)
        code, kind, found = self._code(run), int(self.kind.currentData()), self._found(run)
        with QSignalBlocker(self.of_class):
            self.of_class.setCurrentIndex(code)
        job, why = self.effects.job_of(run), self._why_not(run)
        is_running = job is not None
        self._headline.setText(self._headline_of(found, code, kind, is_running))
        is_pair = len(self.names) == 2
        about = WHAT_LOCAL_OF_TWO_IS if is_pair else WHAT_LOCAL_IS
        about = about if kind == LOCAL else WHAT_LINES_ARE if kind == LINES and not is_pair else WHAT_DEPENDENCE_IS
        more = "" if found is None else EMPTY_RANGES
        if isinstance(found, PairEffects):
            more = HATCHED if (found.counts == 0).any() else ""
        failed = "" if found is None else " ".join(found.failures)
        first = found.remark if found is not None and found.is_coarse else ""
        self._words.setText(" ".join(filter(None, (first, why or about, more, failed))))
        self._show(found, code, kind)
        n, planned = (0, 0) if found is None or found.is_coarse else (len(found.folds), found.n_folds)
        so_far = f" · {n:,} of {planned:,} {run.method.part_name}s" if planned else ""
        self.set_facts(f"run {run.number}, {run.learner.name}{so_far}")
        is_done = found is not None and found.is_whole
        show_end(self.failure, self._start, "Start", self.effects.end_of(run))
        self._start.setEnabled(run.result is not None and not is_done and not why and bool(self.names))
        self._stop.follow(job)
        swap(self._start, self._stop, is_running)
        show_forecast(self._forecast, 0.0 if is_running or is_done or why else self._seconds(run))
        self._show_pairs(run, code, is_running, why)
        self._save.setEnabled(found is not None)

    def _show(self, found: AttributeEffects | PairEffects | None, code: int, kind: int) -> None:
        is_pair = isinstance(found, PairEffects)
        self.chart.show_effects(found if isinstance(found, AttributeEffects) else None, code, kind)
        if self._mapped != (found, code, kind):
            self._mapped = found, code, kind
            self.heat.show_matrix(heat_matrix(found, code, kind) if isinstance(found, PairEffects) else None)
        self._charts.setCurrentWidget(self.heat if is_pair else self.chart)
        self._exported.chart = self.heat if is_pair else self.chart
        self._pages.setVisible(found is not None)
        self._example.setVisible(found is None)
        self._pages.refresh()

    def _rows(self) -> list[list[str]]:
        run = self._session.ledger.judged
        found = None if run is None else self._found(run)
        return [] if run is None or found is None else found.written_rows(self._code(run))

    def _headline_of(self, found: AttributeEffects | PairEffects | None, code: int, kind: int, is_running: bool) -> str:
        if found is None:
            return "Testing other values…" if is_running else "How does the probability change along an attribute?"
        of, names = quoted(found.classes[code]), " and ".join(map(shortened, found.names))
        seen = found.counts > 0 if isinstance(found, PairEffects) else slice(None)
        if kind == LOCAL:
            curve = found.local(code)[seen]
            low, high = float(curve.min()), float(curve.max())
            if isinstance(found, PairEffects):
                both = f"{points(low).removesuffix(' points')} to {points(high)}"
                return f"Beyond their single effects, {names} change the probability of {of} by {both}."
            change = points(high - low).lstrip("+")
            return f"Along {names}, the probability of {of} changes by {change} where the records lie."
        curve = found.dependence(code)[seen]
        low, high = float(curve.min()), float(curve.max())
        return f"Along {names}, the mean probability of {of} lies between {percent(low)} and {percent(high)}."

    def _show_pairs(self, run: Run, code: int, is_running: bool, why: str) -> None:
        known = self.effects.result_of(run)
        pairs = () if known is None else known.interactions(code)
        n = len(self.important(run))
        self._side.setVisible(n > 1 and not why)
        is_whole = known is not None and run.result is not None and len(known.h) >= run.result.n_folds
        self._find.setVisible(not is_whole)
        self._find.setEnabled(run.result is not None and not is_running)
        self.pairs.setVisible(bool(pairs))
        self._pairs_words.setText(
            f"Friedman's H on the probability of {quoted(run.data.schema.classes[code])}, and the SD of the joint "
            f"effect in points. {SMALL_LAST if pairs[-1].is_small else ''}A click shows the pair."
            if pairs
            else f"Which pairs of attributes act together? {WHAT_H_IS}."
        )
        if pairs != self._listed:  # else the chosen row stays
            self._listed = pairs
            self.pairs.show_rows(
                [
                    ["Attribute", "And", "H", "SD"],
                    *([*one.names, coefficient(one.h), one.written_joint] for one in pairs),
                ]
            )

    def _why_not(self, run: Run) -> str:
        """Why the run has no effects, in a sentence; empty if it can have them."""
        if run.method.needs_test_data:
            return "The run tests a separate file. Attribute effects need folds of one table."
        if isinstance(run.method, LeaveOneOut):
            return "Leave-one-out tests one record at a time. Attribute effects need folds of several records."
        return "" if usable_attributes(run.data.schema) else "No attribute is a number or has a list of values."

    def _seconds(self, run: Run) -> float:
        """How long the effects take: training, if no models are kept, and predictions of changed records."""
        result = run.result
        if result is None:
            return run.seconds
        n = max(1, len(result.truth) // max(1, result.n_folds))
        is_pair = len(self.names) == 2
        calls, records = ((PAIR_PLACES + 1) ** 2, MOST_OF_PAIR) if is_pair else (PLACES + 1, MOST_RECORDS)
        predicting = result.timings.predict * calls * min(1.0, records / n) / SIDE_BY_SIDE
        predicting += PREDICTING * calls * result.n_folds
        return predicting + (0.0 if self.effects.has_models(run) else run.seconds)


def code_of_class(run: Run, name: str) -> int:
    """The code of the class of this name, else of the positive class of a tested run."""
    counts = [1.0] * len(run.data.schema.classes) if run.report is None else [one.n for one in run.report.per_class]
    return code_among(run.data.schema.classes, name, counts)


def usable_attributes(schema: Schema) -> list[str]:
    """The names of the numbers and nominal attributes that learners use."""
    attributes = [schema.attributes[index] for index in schema.predictors]
    return [one.name for one in attributes if one.used and (one.kind.is_coded or one.kind.is_float)]


def important_attributes(run: Run) -> tuple[str, ...]:
    """The most important attributes: by permutation importance if it is known, else as the model uses them."""
    usable = usable_attributes(run.data.schema)
    permuted = None if run.findings is None else run.findings.permuted
    ranked: Sequence[str] = ()
    if permuted is not None:
        ranked = [one.names[0] for one in permuted.attributes]
    elif run.trained is not None:
        structure = run.trained.structure()
        ranked = [structure.schema.attributes[index].name for index in structure.info.attributes_used()]
    every = dict.fromkeys([*(name for name in ranked if name in set(usable)), *usable])
    return tuple(every)[:MOST_INTERACTING]


WHAT_SURROGATE_IS: Final = (
    "A CART tree is fitted to the probabilities that the model gives its training records. Its fidelity is measured on "
    "the test records of the folds, where neither was fitted."
)
MOST_NAMED: Final = 3
"""Most classes whose R² is said; all are in the tooltip."""


class SurrogatePane(MadeInPieces, Pane):
    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Surrogate tree", parent=parent)
        self._session = session
        self.surrogates = SurrogateRuns(session.jobs, session.ledger)
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session, name = self._session, "evaluate.surrogate"
        self._headline = named(WholeLabel("", "verdict"), f"{name}.headline")
        self._words = named(WholeLabel("", "dim"), f"{name}.words")
        yield True
        self.view = TreeView(session.jobs, has_histograms=False)
        self.view.put_legend_above()
        self.add_action(self.view.controls)
        yield True
        self._example = FaintExample("model", grows=True)
        self._example.sketch = "tree"
        self.failure = FailureNote(name)
        depths = [(f"Depth {depth}", depth) for depth in range(1, MOST_DEPTH + 1)]
        tip = "The tree has at most this many splits between its root and a leaf"
        self.levels = named(ElidedComboBox(choices=depths), f"{name}.depth", "Maximum depth", tip)
        self.levels.setCurrentIndex(self.levels.findData(DEPTH))
        self.levels.currentIndexChanged.connect(self.refresh)
        about = "Fit a tree to the predictions of this run's model"
        self._start = accent_button("Start", f"{name}.start", about, self.start)
        self._stop = StopButton(f"{name}.stop", "Stop; the finished folds stay", self.surrogates.end_early)
        self._forecast = forecast_label(f"{name}.forecast")
        controls = row_layout(self.levels, self._start, self._stop, (self._forecast, 1), spacing=SPACE_2)
        last = self.failure, self._example, (self.view, 1), 0
        add_items(self.body, self._headline, self._words, controls, *last)
        self.surrogates.changed.connect(self._changed)
        session.current_run_changed.connect(self.refresh)
        session.class_of_interest_changed.connect(self.refresh)
        self.refresh()

    def start(self) -> None:
        run = self._session.ledger.judged
        if run is not None and self._start.isEnabled():
            self.surrogates.start(run, int(self.levels.currentData()))

    def _changed(self, run: object) -> None:
        if run is self._session.ledger.judged:
            self.refresh()

    def refresh(self) -> None:
        run = self._session.ledger.judged
        if run is None:
            return
        found, job, why = self.surrogates.result_of(run), self.surrogates.job_of(run), self._why_not(run)
        is_running, classes = job is not None, run.data.schema.classes
        asks = "Fitting trees to the model…" if is_running else "Which small tree decides as the model does?"
        self._headline.setText(asks if found is None else found.sentence(classes))
        every = [] if found is None else self._r_squared(found, classes)
        self._words.setText(why or (WHAT_SURROGATE_IS if found is None else self._fidelity(run, found, every)))
        self._words.setToolTip("\n".join(every))
        tree = None if found is None or found.trained is None else found.trained.structure()
        if tree is None:
            self.view.set_tree(None)
        elif isinstance(tree, Tree) and tree is not self.view.tree:
            self.view.set_structure(tree)
            self.view.set_interest(code_of_class(run, self._session.positive_label))
        self.view.setVisible(tree is not None)
        self.view.controls.setVisible(tree is not None)
        self._example.setVisible(tree is None)
        so_far = "" if found is None else f" · {len(found.sizes):,} of {found.n_folds:,} {run.method.part_name}s"
        self.set_facts(f"run {run.number}, {run.learner.name}{so_far}")
        is_done = found is not None and found.is_whole and found.depth == int(self.levels.currentData())
        show_end(self.failure, self._start, "Start", self.surrogates.end_of(run))
        self._start.setEnabled(run.result is not None and not is_done and not why)
        self._stop.follow(job)
        swap(self._start, self._stop, is_running)
        show_forecast(self._forecast, 0.0 if is_running or is_done or why else SURROGATE_FITS * run.seconds)
        set_enabled(not is_running, self.levels)

    def _r_squared(self, found: SurrogateTree, classes: Sequence[str]) -> list[str]:
        rows = found.written_rows(classes)[1:]
        return [f"{name} {mean}{f' (95% CI {ends})' if ends else ''}" for name, mean, ends in rows]

    def _fidelity(self, run: Run, found: SurrogateTree, every: Sequence[str]) -> str:
        """R² of the probabilities in words, of the positive class if there are many."""
        classes = run.data.schema.classes
        is_few = 2 < len(classes) <= MOST_NAMED
        shown = every if is_few else [every[code_of_class(run, self._session.positive_label)]]
        failed = " ".join(found.failures)
        tree = "" if found.trained is None else " The tree below was fitted to the model of all records."
        return f"R² of the probability: {', '.join(shown)}.{tree} {failed}".rstrip()

    def _why_not(self, run: Run) -> str:
        """Why the run has no surrogate tree, in a sentence; empty if it can have one."""
        return (
            "The run tests a separate file. A surrogate tree needs folds of one table."
            if run.method.needs_test_data
            else ""
        )
