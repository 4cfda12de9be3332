"""Charts of an ensemble: error by members, attribute importance, map of records by proximity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPen, QResizeEvent

from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.structures.members import Committee, Members
from algorithms.text.numbers import percent, points, tick_text
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs
from workbench.layout.points import ScatterPoints
from workbench.layout.ticks import nice_step
from workbench.session.selection import SelectionMode
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.band_plot import NOWHERE, BandLine, Bands
from workbench.viewers.charts.chart_base import PaintedChart
from workbench.viewers.ensemble.members import ROUND_ERROR
from workbench.viewers.scatter.scatter_paint import wrong_words
from workbench.viewers.scatter.scatter_view import RecordTable, ScatterTableData, ScatterView
from workbench.widgets.labels import elided, label
from workbench.widgets.layouts import ClearWidget, column_layout, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, draw_text

if TYPE_CHECKING:
    from algorithms.evaluation.curves.learning_curves import MemberErrors


MOST_PLACES: Final = 150
"""The most points drawn per curve; the table has all."""
ENOUGH_JUDGED: Final = 0.95
"""Share of the records from which an out-of-bag error is drawn; the table has all."""
STEPS: Final = 41
"""Number of error rates, from 0 to 1, at which independent members are drawn."""


def error_bands(members: Members, tested: MemberErrors | None) -> Bands | None:
    """Errors by number of members, thinned evenly for many members; None if none are known."""
    record = members.known
    curves: list[tuple[str, FloatArray]] = []
    if record.is_tested:
        curves.append(("out of bag", np.where(few_judged(record), np.nan, record.out_of_bag_error)))
    m = len(record.training_error)
    if m and not record.is_tested and len(record.member_errors) == m:
        curves.append((ROUND_ERROR, record.member_errors))
        if len(record.training_bound) == m:
            curves.append(("bound on the training error", np.minimum(record.training_bound, 1.0)))
    if tested is not None and np.isfinite(tested.together[:-1]).any():
        curves.append(("tested", tested.together))
    if len(record.training_error):
        curves.insert(1, ("training", record.training_error))  # second, so that it is dashed for every ensemble
    m = max((len(values) for _, values in curves), default=0)
    if not m:
        return None
    places = np.unique(np.linspace(1, m, min(m, MOST_PLACES)).round().astype(np.int64))
    none = np.zeros(len(places))
    filled = ((name, np.append(values, np.full(m - len(values), np.nan))) for name, values in curves)
    lines = tuple(BandLine(name, values[places - 1], none) for name, values in filled)
    return Bands("Members", "error rate (%)", tuple(map(str, places.tolist())), places.astype(np.float64), True, lines)


def few_judged(record: Committee) -> Mask:
    """Where (m,) too few records are out of bag for their error to mean much, except for all members together."""
    few = np.zeros(len(record.out_of_bag_error), dtype=np.bool_)
    if len(record.out_of_bag_share) == len(few):
        few[:-1] = record.out_of_bag_share[:-1] < ENOUGH_JUDGED
    return few


def independent_bands(tested: MemberErrors, members: int, classes: int) -> Bands | None:
    """Error of independent and of identical members by the error of each (TSKK Figure 5.30), with the ensemble's point.

    None if members make no predictions of their own. With more than two classes, the first curve is how often most
    members are wrong; the vote may still be right.
    """
    from algorithms.evaluation.curves.learning_curves import independent_error

    own = tested.mean_alone
    if not np.isfinite(own):
        return None
    places = np.unique(np.append(np.linspace(0.0, 1.0, STEPS), own))
    index = int(np.searchsorted(places, own))
    point = np.full(len(places), np.nan)
    point[index] = tested.error
    none = np.zeros(len(places))
    return Bands(
        across="Error rate of a single member (%)",
        upward="error rate of the ensemble (%)",
        values=tuple(f"{100 * place:.4g}" for place in places.tolist()),
        places=places,
        is_number=True,
        lines=(
            BandLine(
                f"{members} that err independently" if classes == 2 else f"most of {members} wrong, independently",
                independent_error(places, members),
                none,
            ),
            BandLine("all err alike", places, none),
            BandLine("this ensemble", point, none),
        ),
        chosen=index,
        mark="this ensemble",
        marks=tuple((tenth / 10, f"{10 * tenth}") for tenth in range(11)),
    )


def independent_words(tested: MemberErrors, members: int, classes: int) -> str:
    """A sentence on the ensemble's error and mean member error, its point in the chart of independent members."""
    from algorithms.evaluation.curves.learning_curves import independent_error

    own, error = tested.mean_alone, tested.error
    alone = float(independent_error(own, members))
    words = f"{tested.method.described()}: mean error rate of a member {percent(own)}, of the ensemble "
    words += f"{percent(error)}. "
    if own >= 0.5 and classes > 2:
        return words + "With several classes the vote can be correct where most members are wrong."
    if own >= 0.5:
        return words + "Members with an error rate of 50% or more do not correct each other by majority vote."
    words += f"{counted(members, 'member').capitalize()} with independent errors would have {percent(alone)}"
    return words + ("; the errors of these are correlated." if error > alone + 0.005 else ".")


def independent_rows(bands: Bands) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("error rate of a member (%)", *(line.name for line in bands.lines))]
    for index, value in enumerate(bands.values):
        cells = (float(100 * line.mean[index]) for line in bands.lines)
        rows.append((value, *("" if np.isnan(cell) else f"{cell:.6g}" for cell in cells)))
    return rows


def importance_bands(members: Members) -> Bands | None:
    """Vote weight by error in the round of boosting (TSKK Figure 5.37), with the rounds; None without boosting."""
    errors = members.known.member_errors
    m = len(errors)
    if not m or m != members.n_members or members.how != "members":
        return None
    law = _law(errors, members.weights, len(members.schema.classes))
    top = max(0.5, float(errors.max()) + 0.02, 0.0 if law is None else _guessing(law))
    law_at = np.unique(np.append(np.arange(1, int(100 * min(0.99, top)) + 1) / 100, min(0.99, top)))
    places = np.unique(np.concatenate([law_at, np.clip(errors, 1e-6, 1.0)]))
    rounds, numbers = np.full(len(places), np.nan), [""] * len(places)
    for number, index in enumerate(np.searchsorted(places, np.clip(errors, 1e-6, 1.0)).tolist(), 1):
        rounds[index] = members.weights[number - 1]
        numbers[index] += f", {number}" if numbers[index] else f"{number}"
    none = np.zeros(len(places))
    lines = [BandLine("rounds of this ensemble", rounds, none, numbers=tuple(numbers))]
    if law is not None:
        divided, classes = law
        counted_as = np.clip(places / divided, 1e-10, 1 - 1e-10)
        curve = 0.5 * (np.log((1 - counted_as) / counted_as) + np.log(classes - 1))
        lines.insert(0, BandLine("weight by error", curve, none, is_smooth=True))
    return Bands(
        across="Weighted error of the member (%)",
        upward="vote weight (α)",
        values=tuple(f"{100 * place:.3g}" for place in places.tolist()),
        places=places,
        is_number=True,
        lines=tuple(lines),
        chosen=NOWHERE,
        scale=1.0,
        by_factors=False,
        marks=tuple((tenth / 10, f"{10 * tenth}") for tenth in range(1, int(10 * law_at[-1] + 1e-9) + 1)),
    )


def importance_words(members: Members) -> str:
    errors, weights = members.known.member_errors, members.weights
    most, least = int(np.argmax(weights)), int(np.argmin(weights))
    law = _law(errors, weights, len(members.schema.classes))
    words = "The less a member is wrong in its round, the more its vote weighs"
    if law is not None and law[0] == 1:
        words += f"; one that is no better than guessing (error {percent(_guessing(law))}) weighs nothing"
    words += "."
    words += f" Largest weight: round {most + 1} ({weights[most]:.3g}, error {percent(errors[most])})"
    if most == least:
        return f"{words}."
    return f"{words}, smallest: round {least + 1} ({weights[least]:.3g}, error {percent(errors[least])})."


def round_words(members: Members, round_index: int) -> str:
    """One round, and what the scatter plot shows of it, in words."""
    error, weight = float(members.known.member_errors[round_index]), float(members.weights[round_index])
    subject = f"the prediction of {'the first round' if round_index == 0 else f'the first {round_index + 1} rounds'}"
    return (
        f"Round {round_index + 1} of {members.n_members}: weighted error {percent(error)}, vote weight {weight:.3g}. "
        f"In the scatter plot the size of a record is its weight; the background shows {subject}."
    )


def boosting_round_rows(members: Members) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("round", "error in its round", "vote weighs")]
    pairs = zip(members.known.member_errors.tolist(), members.weights.tolist(), strict=True)
    return rows + [(str(index + 1), f"{error:.6g}", f"{weight:.6g}") for index, (error, weight) in enumerate(pairs)]


def _law(errors: FloatArray, weights: FloatArray, k: int) -> tuple[float, int] | None:
    """The constants with which the vote weights follow from the errors by AdaBoost's or SAMME's formula.

    They are the total weight that divides the errors and the number of classes (Eqs. 5.68 and 5.69). None if the
    weights do not follow the formula.
    """
    sure = (errors > 1e-9) & (errors < 1)
    if not sure.any():
        return (1.0, 2)
    e, w = errors[sure], weights[sure]
    for classes in range(2, max(2, k) + 1):
        records = float(np.round(e[0] * (1 + np.exp(2 * w[0]) / (classes - 1))))
        for divided in (1.0, records):
            expected = 0.5 * (np.log((divided - e) / e) + np.log(classes - 1)) if divided >= 1 else np.inf
            if np.allclose(expected, w, rtol=1e-6, atol=1e-9):
                return divided, classes
    return None


def _guessing(law: tuple[float, int]) -> float:
    divided, classes = law
    return divided * (1 - 1 / classes)


ROW: Final = 30
BAR: Final = 14
HEAD: Final = 50
"""Height in pixels of the headings and axes above the bars."""
MARGIN: Final = 12
WIDEST: Final = 420
FIGURE: Final = 56
"""Room in pixels for the number beside a bar."""
NAMED: Final = 20
"""The most attributes named to screen readers; the table has all."""


def known_importances(members: Members) -> list[tuple[str, FloatArray]]:
    """The known kinds of importance, the least biased first: name, and a value per attribute of the schema."""
    record = members.known
    both = [("permutation", record.permutation_importance), ("impurity", record.impurity_importance)]
    return [(name, values) for name, values in both if len(values)]


def importance_rows(members: Members) -> list[tuple[str, ...]]:
    """The importances as a table, the heading first, the most important attribute first."""
    importances = known_importances(members)
    rows = [("attribute", *(f"importance by {name}" for name, _ in importances))]
    for index in order_of(members):
        rows.append((members.schema.attributes[index].name, *(f"{values[index]:.6g}" for _, values in importances)))
    return rows


def order_of(members: Members) -> list[int]:
    importances = known_importances(members)
    if not importances:
        return []
    return sorted(members.schema.predictors, key=lambda index: -float(importances[0][1][index]))


IMPORTANCE_AXES: Final = {"permutation": "Permutation importance (points)", "impurity": "Share of the total gain (%)"}


@dataclass(frozen=True, eq=False)
class ImportanceAxis:
    """The axis of one kind of importance: values (a,) of the attributes, from ``least`` <= 0 to ``most`` > 0."""

    kind: str
    values: FloatArray
    left: float
    width: float
    least: float
    most: float

    def x(self, value: float) -> float:
        return self.left + (value - self.least) / (self.most - self.least) * self.width


def attribute_words(members: Members) -> str:
    meanings = {
        "permutation": "Permutation importance: how many points the out-of-bag error rises if the attribute's values "
        "are shuffled.",
        "impurity": "Share of the total gain: how much of the gain of all splits comes from the attribute.",
    }
    return " ".join(meanings[kind] for kind, _ in known_importances(members))


class ImportanceBars(PaintedChart):
    """A column of bars per kind of importance, each on its own axis with zero; a row per attribute."""

    def __init__(self) -> None:
        super().__init__("visualize.importance", "How much each attribute matters", takes_keys=False)
        self._members: Members | None = None
        self._order: list[int] = []
        themes.follow(self._measure)

    def show_named(self, words: str) -> None:
        """Shows the attributes with these letters in their names."""
        if self._members is not None:
            names, wanted = self._members.schema.names, words.strip().casefold()
            self._order = [index for index in order_of(self._members) if wanted in names[index].casefold()]
            self._measure()
            self.update()

    def show_members(self, members: Members) -> None:
        self._members, self._order = members, order_of(members)
        self.setAccessibleDescription("; ".join(self.words(place) for place in range(min(NAMED, len(self._order)))))
        self._measure()
        self.update()

    def words(self, place: int) -> str:
        assert self._members is not None
        index = self._order[place]
        parts = [
            f"permutation importance {points(float(values[index]))}"
            if name == "permutation"
            else f"{percent(float(values[index]))} of the total gain"
            for name, values in known_importances(self._members)
        ]
        return f"{self._members.schema.attributes[index].name}: {', '.join(parts)}"

    def _measure(self) -> None:
        self.setMinimumHeight(themes.px(HEAD) + themes.px(ROW) * len(self._order) + themes.px(MARGIN))

    def sizeHint(self) -> QSize:
        return QSize(themes.px(480), themes.px(HEAD) + themes.px(ROW) * max(1, len(self._order)))

    def axes(self) -> list[ImportanceAxis]:
        """The axis of each kind of importance, side by side right of the names."""
        if self._members is None:
            return []
        importances, margin, figure = known_importances(self._members), themes.px(MARGIN), themes.px(FIGURE)
        left = margin + self._names_width() + margin
        wide = (self.width() - left - margin) / max(1, len(importances))
        wide = min(wide, float(themes.px(WIDEST)) + 2 * figure)
        axes = []
        for column, (kind, values) in enumerate(importances):
            drawn = values[self._order]
            least, most = min(0.0, float(drawn.min(initial=0.0))), max(1e-12, float(drawn.max(initial=0.0)))
            before = figure if least < 0 else 0.0
            start = left + column * wide + before
            axes.append(ImportanceAxis(kind, values, start, max(40.0, wide - before - figure), least, most))
        return axes

    def _names_width(self) -> float:
        assert self._members is not None
        metrics = QFontMetricsF(themes.font(12))
        names = (self._members.schema.names[index] for index in self._order[:MOST_PLACES])
        return min(max(map(metrics.horizontalAdvance, names), default=0.0) + 2, 0.3 * self.width())

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        if self._members is None:
            return
        theme, row, head = current_theme(), themes.px(ROW), themes.px(HEAD)
        axes, names, room = self.axes(), self._members.schema.names, self._names_width()
        for axis in axes:
            self._paint_axis(painter, axis)
        first = max(0, (part.top() - head) // row)
        for place in range(first, min(len(self._order), (part.bottom() - head) // row + 1)):
            index, middle = self._order[place], head + (place + 0.5) * row
            font = themes.font(12)
            fits = elided(QFontMetricsF(font), names[index], room, names)
            box = QRectF(themes.px(MARGIN), middle - row / 2, room + 2, row)
            draw_text(painter, box, fits, theme.color("text"), font, MIDDLE_LEFT)
            painter.setFont(themes.font(11))
            for axis in axes:
                self._paint_bar(painter, axis, float(axis.values[index]), middle)

    def _paint_axis(self, painter: QPainter, axis: ImportanceAxis) -> None:
        theme, metrics, head = current_theme(), QFontMetricsF(painter.font()), themes.px(HEAD)
        room = QRectF(axis.left, 6, axis.width + themes.px(FIGURE), metrics.height())
        draw_text(
            painter, room, IMPORTANCE_AXES[axis.kind], theme.color("text"), themes.font(11, bold=True), MIDDLE_LEFT
        )
        painter.setFont(themes.font(11))
        bottom = head + themes.px(ROW) * len(self._order)
        step = nice_step(100 * (axis.most - axis.least) / max(2.0, axis.width / themes.px(56)))
        first, last = int(np.ceil(100 * axis.least / step)), int(np.floor(100 * axis.most / step))
        for value in (step * multiple for multiple in range(first, last + 1)) if step else (0.0,):
            x = axis.x(value / 100)
            painter.setPen(QPen(theme.color("dim" if value == 0 else "line"), 1))
            painter.drawLine(QPointF(x, head - 3), QPointF(x, bottom))
            words = tick_text(value, step)
            middle = QPointF(x - metrics.horizontalAdvance(words) / 2, head - 7)
            draw_text(painter, middle, words, theme.color("dim"))

    def _paint_bar(self, painter: QPainter, axis: ImportanceAxis, value: float, middle: float) -> None:
        theme, bar, metrics = current_theme(), themes.px(BAR), QFontMetricsF(painter.font())
        zero, end = axis.x(0.0), axis.x(value)
        box = QRectF(min(zero, end), middle - bar / 2, abs(end - zero), bar)
        color = theme.color("accent")
        painter.fillRect(box, color if axis.kind == "permutation" else QBrush(color, Qt.BrushStyle.BDiagPattern))
        words = points(value).removesuffix(" points") if axis.kind == "permutation" else percent(value)
        left = end + 6 if value >= 0 else end - 6 - metrics.horizontalAdvance(words)
        draw_text(painter, QPointF(left, middle + metrics.ascent() / 2 - 1), words, theme.color("dim"))


NONE_OUT: Final = "No record lies farther out than the others of its class."
FAR_OUT: Final = "Above 10 it may well be a mistake in the table."
FAR_TIP: Final = (
    "How few leaves a record shares with the others of its class: 0 for half of them, 1 where it is as much farther "
    "out as records are on average (Breiman's outlier measure). A click shows the record."
)
LEAST_WIDE, LEAST_MAP = 240, 320
"""The least widths of the list of outliers and of the map beside it in pixels."""


class RecordMap(ClearWidget):
    """A plane of records and a list of outliers; ``selected(rows, how)`` carries rows of the sheet's data."""

    selected = Signal(object, object)
    words_changed = Signal()

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self.words = ""
        self.scatter = ScatterView(jobs)
        self.scatter.canvas.scene.is_map = True
        self.scatter.canvas.setObjectName("visualize.committee.map")
        self.scatter.canvas.setAccessibleName("The records in a plane, as the trees see them")
        self.scatter.table.setObjectName("visualize.committee.map-table")
        self.scatter.selected.connect(lambda rows, how, _by: self.selected.emit(rows, how))
        self.far = RecordTable("visualize.committee.far-out", "The records that lie farthest out in their class")
        self.far.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.far.chosen.connect(lambda rows: self.selected.emit(rows, SelectionMode.REPLACE))
        self._heading = label("Farthest out in their class", "heading")
        self._remark = label(FAR_OUT, "dim", wrap=True)
        for widget in (self._heading, self._remark):
            widget.setToolTip(FAR_TIP)
        self._beside = ClearWidget()
        column_layout(self._heading, self._remark, (self.far, 1), inside=self._beside, spacing=4)
        row_layout((self.scatter, 1), self._beside, inside=self, spacing=16)
        self._is_table = False
        self.far.fitted.connect(self._fit_list)
        self.clear("")

    def say(self, words: str) -> None:
        """Shows a sentence above the picture."""
        self.words = words
        self.scatter.canvas.setAccessibleDescription(words)
        self.words_changed.emit()

    def clear(self, words: str) -> None:
        """Shows no records, and a sentence that says why."""
        self.scatter.set_points(None, None)
        self.far.show_records(None, np.empty(0, dtype=np.int64))
        self._remark.setText(FAR_OUT)
        self.say(words)

    def show_records(
        self,
        points: ScatterPoints,
        sheet: ScatterTableData,
        far: ScatterTableData,
        farthest: IntArray,
        words: str,
        decided: str = "",
    ) -> None:
        """Shows these records, and rows of ``far`` in this order; ``decided`` says by which rule they are wrong."""
        n_wrong = int(points.wrong.sum())
        wrong = [f"{wrong_words(n_wrong)}{decided}"] if n_wrong else []
        number = f"numbers count the records in one place{', and the wrong ones' if n_wrong else ''}"
        brief = [words.replace(" when tested", "") for words in wrong]
        wordings = " · ".join([*wrong, number]), " · ".join([*brief, "numbers count records"])
        self.scatter.remark.set_wordings(*wordings)
        self.scatter.set_points(points, sheet)
        self.far.show_records(far, farthest)
        self._remark.setText(FAR_OUT if len(farthest) else NONE_OUT)
        self.say(words)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_list()

    def _fit_list(self) -> None:
        """Gives the list the width of its columns, within limits."""
        bar = self.far.verticalScrollBar().sizeHint().width() + 2 * self.far.frameWidth()
        whole = sum(self.far.columnWidth(column) for column in range(self.far.model().columnCount())) + bar
        most = max(self.width() // 2, self.width() - themes.px(LEAST_MAP))
        self._beside.setFixedWidth(max(themes.px(LEAST_WIDE), min(whole, most)))

    def show_table(self, wanted: bool) -> None:
        if wanted != self._is_table:
            self._is_table = wanted
            self.scatter.show_table(wanted)
