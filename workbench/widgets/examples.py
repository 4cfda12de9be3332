"""Empty pages, with faint examples of what will be shown there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from math import tanh
from typing import Final, Literal

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.style.theme import current_theme, themes
from workbench.widgets.buttons import accent_button, set_caption
from workbench.widgets.labels import label
from workbench.widgets.layouts import add_items
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush, saved
from workbench.widgets.panes import Pane

Kind = Literal[
    "performance",
    "result",
    "model",
    "comparison",
    "curve",
    "histogram",
    "bars",
    "boundary",
    "runs",
    "importance",
    "effects",
    "groups",
]
Sketch = Literal["any", "tree", "rules", "star", "layers", "boundary", "neighbors"]
SKETCHES: Final[Mapping[str, Sketch]] = {
    "Trees": "tree",
    "Rules": "rules",
    "Bayes": "star",
    "Linear": "boundary",
    "Networks": "layers",
    "Margins": "boundary",
    "Neighbours": "neighbors",
}
"""The sketch of a model by the family of its learner; those of other families may be of any kind."""
MODELS: Final[Mapping[Sketch, str]] = {
    "any": "From attributes through the model to a class",
    "tree": "Tests of attributes, then the class",
    "rules": "Conditions of each rule, then its class",
    "star": "The class and the attributes that depend on it",
    "layers": "From attributes through hidden units to a class",
    "boundary": "One attribute",
    "neighbors": "A record and its nearest neighbours",
}
"""What a sketch of a model shows, in words below it."""
WIDTH: Final = 420
HEIGHT: Final = 170
"""Size at normal text size."""
LARGEST: Final = 2
"""Multiple of that size up to which an example grows."""
CURVE: Final = ((0.0, 0.0), (0.04, 0.55), (0.1, 0.8), (0.25, 0.92), (0.55, 0.97), (1.0, 1.0))
"""A curve from the lower left to the upper right corner, as shares of both axes."""
TREE: Final = (((0.5, 0.0), ((0.25, 0.42), (0.75, 0.42))), ((0.75, 0.42), ((0.58, 0.84), (0.92, 0.84))))
"""Inner nodes of a tree and their children, as shares of width and height."""
RULES: Final = ((0.2, 0.3), (0.34, 0.0), (0.16, 0.24))
"""Lengths of the conditions of rules, as shares of the width."""
Layers = Sequence[Sequence[tuple[float, float]]]
STAR: Final[Layers] = (((0.5, 0.0),), ((0.05, 1.0), (0.35, 1.0), (0.65, 1.0), (0.95, 1.0)))
"""Places of the class and of attributes below it, as shares of width and height."""
LAYERS: Final[Layers] = (((0.0, 0.0), (0.0, 0.5), (0.0, 1.0)), ((0.5, 0.25), (0.5, 0.75)), ((1.0, 0.5),))
"""Places of attributes, hidden units and an output."""
NEAREST: Final = 0.4
"""Radius of the circle around the nearest neighbours, as a share of the height."""
NEAR: Final = ((-0.6, -0.3), (0.5, -0.5), (0.15, 0.65))
"""Places of these neighbours, as shares of the radius."""
FOREST: Final = ((0.86, 0.05), (0.8, 0.08), (0.66, 0.1), (0.36, 0.06))
"""Means of a forest plot and half the width of their intervals, as shares of the width."""
LEARNING: Final = ((0.0, 0.9), (0.12, 0.58), (0.3, 0.38), (0.6, 0.26), (1.0, 0.2))
"""Error rate on tested records by the number of training records; that on training records rises to meet it."""
DOTS: Final = (
    (0.12, 0.3),
    (0.2, 0.62),
    (0.3, 0.2),
    (0.36, 0.48),
    (0.52, 0.75),
    (0.62, 0.4),
    (0.74, 0.66),
    (0.86, 0.24),
)
"""Places of points of a scatter plot; the first half belong to one class."""
RUNS: Final = ((0.62, 0.9), (0.5, 0.84), (0.7, 0.78))
"""Lengths of the names of listed runs, and the ends of their accuracies, as shares of the width."""
COUNTS: Final = (0.1, 0.35, 0.8, 1.0, 0.55, 0.2, 0.05)
"""Heights of the bars of a histogram, which fill half the width."""
PARTS: Final = ((0.3, 0.12), (0.42, 0.26), (0.56, 0.38))
"""Lengths of the two pieces of stacked bars."""
LEARNERS: Final = ("one learner", "another learner", "a third learner")
"""What each of these bars is of."""
MARKS: Final = 0.6
"""Opacity of bars and curves."""
EXAMPLE: Final = "Example"
TITLE: Final = 15
"""Size of this word, at normal text size."""
OBSERVED: Final = 0.62
"""Place of the accuracy without permutation in the histogram, as a share of the width."""
ERROR_RATE: Final = "Error rate (%)"
AXES: Final[Mapping[Kind, tuple[str, str]]] = {
    "comparison": ("Accuracy", "Learner"),
    "result": ("Accuracy", ""),
    "importance": ("Fall of accuracy", "Attribute"),
    "groups": (ERROR_RATE, "Group"),
    "curve": ("Training records", ERROR_RATE),
    "effects": ("Value of the attribute", "Probability of a class"),
    "histogram": ("Accuracy", "Permutations"),
    "bars": ("Bias and variance, share of the records", ""),
    "boundary": ("One attribute", "Another attribute"),
    "performance": ("Confusion matrix and curve", ""),
    "runs": ("Learner and accuracy of each run", ""),
}
"""Names of the axis across and of the upward one."""


def _of_marks() -> QColor:
    """Colour of bars and curves: at least 2.5:1 against the page, yet fainter than the words."""
    color = current_theme().color("dim")
    color.setAlphaF(MARKS)
    return color


class FaintExample(QWidget):
    """What a page will show, without values and in the colour of lines: a matrix beside a curve, a tree, a chart."""

    def __init__(self, kind: Kind, *, grows: bool = False) -> None:
        """One that ``grows`` takes the room of a large window."""
        super().__init__()
        self._kind, self._most = kind, LARGEST if grows else 1
        if grows:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.sketch: Sketch = "any"
        """The kind of model that is sketched."""
        self.setAccessibleName("Example of what will be shown here")
        themes.follow_now(self._dress)

    def show_family(self, family: str) -> None:
        """Sketches a model of this family of learners; one of any kind for other names."""
        self.sketch = SKETCHES.get(family, "any")
        self.update()

    def _dress(self) -> None:
        if self._most > 1:
            self.setMaximumHeight(themes.px(self._most * HEIGHT))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(WIDTH), themes.px(HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(themes.px(WIDTH) // 2, 0)

    def paintEvent(self, _event: QPaintEvent) -> None:
        wanted = QSize(themes.px(WIDTH), themes.px(HEIGHT))
        if self.height() < wanted.height() // 2:  # too low to be made out
            return
        size = wanted.scaled(self.size(), Qt.AspectRatioMode.KeepAspectRatio).boundedTo(wanted * self._most)
        whole = QRectF((self.width() - size.width()) / 2, 0, size.width(), size.height())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            area = self._paint_words(painter, whole)
            charts: dict[Kind, Callable[[QPainter, QRectF], None]] = {
                "model": self._paint_model,
                "comparison": partial(self._paint_forest, FOREST[0][0]),
                "importance": partial(self._paint_forest, FOREST[-1][0]),
                "groups": partial(self._paint_forest, FOREST[-1][0]),
                "curve": self._paint_learning,
                "effects": self._paint_effects,
                "histogram": self._paint_histogram,
                "bars": self._paint_bars,
                "result": self._paint_result,
                "boundary": self._paint_boundary,
                "runs": self._paint_runs,
            }
            if self._kind in charts:
                charts[self._kind](painter, area)
            else:
                half = area.width() / 2 - themes.px(16)
                self._paint_matrix(painter, QRectF(area.left(), area.top(), half, area.height()))
                self._paint_curve(painter, QRectF(area.right() - half, area.top(), half, area.height()))

    def _paint_words(self, painter: QPainter, whole: QRectF) -> QRectF:
        dim, middle = current_theme().color("dim"), Qt.AlignmentFlag.AlignCenter
        painter.setFont(themes.font(11))
        line, title = QFontMetricsF(painter.font()).height() + 2, themes.font(TITLE, bold=True)
        head = QFontMetricsF(title).height() + 2
        with saved(painter):
            draw_text(painter, QRectF(whole.left(), 0, whole.width(), head), EXAMPLE, dim, title)
        across, upward = AXES.get(self._kind, (MODELS[self.sketch], ""))
        if self._kind == "model" and self.sketch == "boundary":
            across, upward = AXES["boundary"]
        area = whole.adjusted(line + 4 if upward else 2, head + 4, -2, -line - 4 if across else -2)
        if across:
            draw_text(painter, QRectF(area.left(), area.bottom() + 2, area.width(), line), across, dim, align=middle)
        if upward:
            with saved(painter):
                painter.translate(whole.left(), area.bottom())
                painter.rotate(-90)
                draw_text(painter, QRectF(0, 0, area.height(), line), upward, dim, align=middle)
        return area

    @staticmethod
    def _paint_matrix(painter: QPainter, area: QRectF) -> None:
        theme, side = current_theme(), (area.width() - 4) / 2
        for row in (0, 1):
            for column in (0, 1):
                fill = theme.color("line" if row == column else "soft")
                pen_and_brush(painter, Qt.PenStyle.NoPen, fill)
                height = (area.height() - 4) / 2
                box = QRectF(area.left() + column * (side + 4), area.top() + row * (height + 4), side, height)
                painter.drawRoundedRect(box, 4, 4)

    @staticmethod
    def _paint_curve(painter: QPainter, area: QRectF) -> None:
        theme = current_theme()
        corners = area.topLeft(), area.bottomLeft(), area.bottomRight()
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawPolyline(QPolygonF(corners))
        painter.setPen(QPen(theme.color("line"), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(area.bottomLeft(), area.topRight())
        points = [QPointF(area.left() + x * area.width(), area.bottom() - y * area.height()) for x, y in CURVE]
        painter.setPen(QPen(theme.color("control"), 2.2))
        painter.drawPolyline(QPolygonF(points))

    @staticmethod
    def _paint_learning(painter: QPainter, area: QRectF) -> None:
        theme = current_theme()
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawPolyline(QPolygonF((area.topLeft(), area.bottomLeft(), area.bottomRight())))
        high = QFontMetricsF(painter.font()).height()
        for way, style, name in ((1, Qt.PenStyle.SolidLine, "test"), (-1, Qt.PenStyle.DashLine, "training")):
            painter.setPen(QPen(_of_marks(), 2.2, style))
            heights = ((x, y if way > 0 else 0.16 * (1.0 - y)) for x, y in LEARNING)
            points = [QPointF(area.left() + x * area.width(), area.bottom() - y * area.height()) for x, y in heights]
            painter.drawPolyline(QPolygonF(points))
            box = QRectF(points[-1].x() - area.width() / 3, points[-1].y() - high - 2, area.width() / 3, high)
            if way < 0:
                box.moveLeft(area.left() + 6)
                box.moveBottom(area.bottom() - 0.16 * 0.4 * area.height() - high / 4)
            draw_text(painter, box, name, theme.color("dim"), align=MIDDLE_RIGHT if way > 0 else MIDDLE_LEFT)

    @staticmethod
    def _paint_effects(painter: QPainter, area: QRectF) -> None:
        theme = current_theme()
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawPolyline(QPolygonF((area.topLeft(), area.bottomLeft(), area.bottomRight())))
        for shift, width in ((-0.14, 1.0), (0.12, 1.0), (0.0, 2.2)):
            heights = ((x, 0.5 + 0.34 * tanh(6 * (x - 0.45)) + shift) for x in (i / 40 for i in range(41)))
            points = [QPointF(area.left() + x * area.width(), area.bottom() - y * area.height()) for x, y in heights]
            painter.setPen(QPen(_of_marks(), width))
            painter.drawPolyline(QPolygonF(points))

    @staticmethod
    def _paint_histogram(painter: QPainter, area: QRectF) -> None:
        theme, wide = current_theme(), area.width() / 2 / len(COUNTS)
        for place, count in enumerate(COUNTS):
            corner = QPointF(area.left() + (place + 0.5) * wide, area.bottom() - count * area.height())
            painter.fillRect(QRectF(corner, QSizeF(wide - 2, count * area.height())), _of_marks())
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(QPen(theme.color("dim"), 2.2))
        x = area.left() + OBSERVED * area.width()
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        box = QRectF(x + 6, area.top(), area.right() - x - 6, QFontMetricsF(painter.font()).height())
        draw_text(painter, box, "not permuted", theme.color("dim"), align=MIDDLE_LEFT)

    @staticmethod
    def _paint_bars(painter: QPainter, area: QRectF) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        left = area.left() + max(map(metrics.horizontalAdvance, LEARNERS)) + 8
        top = area.top() + metrics.height()
        width, high = area.right() - left, (area.bottom() - top) / len(PARTS)
        for row, (first, second) in enumerate(PARTS):
            y, x = top + (row + 0.2) * high, left + first * width
            beside = QRectF(area.left(), y, left - area.left() - 8, 0.6 * high)
            draw_text(painter, beside, LEARNERS[row], theme.color("dim"), align=MIDDLE_RIGHT)
            painter.fillRect(QRectF(left, y, first * width, 0.6 * high), _of_marks())
            pen_and_brush(painter, QPen(_of_marks(), 1.5), theme.color("soft"))
            painter.drawRect(QRectF(x, y, second * width, 0.6 * high))
            for start, name in ((left, "bias"), (x, "variance")):
                if not row:
                    draw_text(painter, QRectF(start, area.top(), width, metrics.height()), name, theme.color("dim"))

    @staticmethod
    def _paint_forest(dashed: float, painter: QPainter, area: QRectF) -> None:
        theme, x = current_theme(), area.left() + dashed * area.width()
        painter.setPen(QPen(_of_marks(), 1.2, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        pen_and_brush(painter, QPen(_of_marks(), 2.2), current_theme().color("dim"))
        for row, (mean, half) in enumerate(FOREST):
            middle = QPointF(area.left() + mean * area.width(), area.top() + (row + 0.5) / len(FOREST) * area.height())
            across = QPointF(half * area.width(), 0)
            painter.drawLine(middle - across, middle + across)
            painter.drawEllipse(middle, 3, 3)

    def _paint_model(self, painter: QPainter, area: QRectF) -> None:
        sketches: Mapping[Sketch, Callable[[QPainter, QRectF], None]] = {
            "any": self._paint_any,
            "tree": self._paint_tree,
            "rules": self._paint_rules,
            "star": partial(self._paint_graph, STAR),
            "layers": partial(self._paint_graph, LAYERS),
            "boundary": self._paint_boundary,
            "neighbors": self._paint_neighbors,
        }
        with saved(painter):
            sketches[self.sketch](painter, area)

    def _paint_result(self, painter: QPainter, area: QRectF) -> None:
        """An accuracy with its interval on an axis, below the model."""
        self._paint_model(painter, area.adjusted(0, 0, 0, -area.height() * 0.36))
        theme, line = current_theme(), area.bottom() - area.height() * 0.1
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        pen_and_brush(painter, QPen(theme.color("control"), 2.2), theme.color("control"))
        mean, half = FOREST[0]
        middle, across = QPointF(area.left() + mean * area.width(), line), QPointF(half * area.width(), 0)
        painter.drawLine(middle - across, middle + across)
        painter.drawEllipse(middle, 3, 3)

    @staticmethod
    def _paint_boundary(painter: QPainter, area: QRectF) -> None:
        theme = current_theme()
        top, bottom = (
            QPointF(area.left() + x * area.width(), y) for x, y in ((0.56, area.top()), (0.4, area.bottom()))
        )
        painter.setClipRect(area)
        pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("soft"))
        painter.drawPolygon(QPolygonF((top, area.topRight(), area.bottomRight(), bottom)))
        painter.setPen(QPen(theme.color("control"), 2.2))
        painter.drawLine(top, bottom)
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawPolyline(QPolygonF((area.topLeft(), area.bottomLeft(), area.bottomRight())))
        high = QFontMetricsF(painter.font()).height()
        for side, name in ((MIDDLE_LEFT, "one class"), (MIDDLE_RIGHT, "another class")):
            box = QRectF(area.left() + 6, area.bottom() - high - 2, area.width() - 12, high)
            draw_text(painter, box, name, theme.color("dim"), align=side)
        for place, (x, y) in enumerate(DOTS):
            fill = theme.color("dim" if place < len(DOTS) // 2 else "soft")
            pen_and_brush(painter, QPen(theme.color("dim"), 1.5), fill)
            painter.drawEllipse(QPointF(area.left() + x * area.width(), area.top() + y * area.height()), 3, 3)

    @staticmethod
    def _paint_runs(painter: QPainter, area: QRectF) -> None:
        theme, high = current_theme(), area.height() / len(RUNS)
        side = min(high * 0.4, area.width() * 0.1)
        for row, (name, accuracy) in enumerate(RUNS):
            y = area.top() + (row + 0.5) * high
            pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("line"))
            painter.drawRoundedRect(QRectF(area.left(), y - side / 2, side, side), 4, 4)
            left = area.left() + side * 1.5
            painter.fillRect(QRectF(left, y - 3, (name - 0.16) * area.width() - side, 6), theme.color("soft"))
            right = area.left() + accuracy * area.width()
            painter.fillRect(QRectF(right - 0.16 * area.width(), y - 3, 0.16 * area.width(), 6), theme.color("control"))
            painter.setPen(QPen(theme.color("line"), 1.0))
            painter.drawLine(QPointF(area.left(), y + high / 2), QPointF(area.right(), y + high / 2))

    @staticmethod
    def _paint_any(painter: QPainter, area: QRectF) -> None:
        """Attributes at the left, the model in the middle, a class at the right."""
        theme, middle = current_theme(), area.center()
        model = QRectF(0, 0, area.width() * 0.28, area.height() * 0.6)
        model.moveCenter(middle)
        wide, high = area.width() * 0.2, area.height() * 0.16
        decided = QRectF(area.right() - wide, middle.y() - high / 2, wide, high)
        painter.setPen(QPen(theme.color("line"), 1.5))
        painter.drawLine(QPointF(model.right(), middle.y()), QPointF(decided.left(), middle.y()))
        for place in (0.0, 0.5, 1.0):
            y = model.top() + high / 2 + place * (model.height() - high)
            painter.fillRect(QRectF(area.left(), y - high / 2, wide, high), theme.color("soft"))
            painter.drawLine(QPointF(area.left() + wide, y), QPointF(model.left(), y))
        pen_and_brush(painter, QPen(theme.color("control"), 1.2), theme.color("pane"))
        painter.drawRoundedRect(model, 5, 5)
        pen_and_brush(painter, QPen(theme.color("control"), 1.2), theme.color("soft"))
        painter.drawRoundedRect(decided, 5, 5)

    @staticmethod
    def _paint_rules(painter: QPainter, area: QRectF) -> None:
        theme, high, wide = current_theme(), area.height() / len(RULES), area.width() * 0.2
        for row, lengths in enumerate(RULES):
            y, x = area.top() + (row + 0.5) * high, area.left()
            for length in lengths:
                painter.fillRect(QRectF(x, y - high * 0.2, length * area.width(), high * 0.4), theme.color("soft"))
                x += (length + 0.03) * area.width() if length else 0.0
            painter.setPen(QPen(theme.color("line"), 1.5))
            painter.drawLine(QPointF(x, y), QPointF(area.right() - wide, y))
            pen_and_brush(painter, QPen(theme.color("control"), 1.2), theme.color("soft"))
            painter.drawRoundedRect(QRectF(area.right() - wide, y - high * 0.25, wide, high * 0.5), 5, 5)

    @staticmethod
    def _paint_graph(layers: Layers, painter: QPainter, area: QRectF) -> None:
        """Circles in layers, each joined with all of the next layer."""
        theme, radius = current_theme(), area.height() * 0.1
        inner = area.adjusted(area.width() * 0.15, radius + 1, -area.width() * 0.15, -radius - 1)
        points = [
            [QPointF(inner.left() + x * inner.width(), inner.top() + y * inner.height()) for x, y in layer]
            for layer in layers
        ]
        painter.setPen(QPen(theme.color("line"), 1.5))
        for layer, following in pairwise(points):
            for start in layer:
                for end in following:
                    painter.drawLine(start, end)
        pen_and_brush(painter, QPen(theme.color("control"), 1.2), theme.color("soft"))
        for point in chain.from_iterable(points):
            painter.drawEllipse(point, radius, radius)

    @staticmethod
    def _paint_neighbors(painter: QPainter, area: QRectF) -> None:
        theme, middle, radius = current_theme(), area.center(), NEAREST * area.height()
        pen_and_brush(painter, QPen(theme.color("line"), 1.5, Qt.PenStyle.DashLine), theme.color("soft"))
        painter.drawEllipse(middle, radius, radius)
        pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("control"))
        others = (QPointF(area.left() + x * area.width(), area.top() + y * area.height()) for x, y in DOTS)
        far = (point for point in others if QLineF(point, middle).length() > radius + 3)
        for point in (*far, *(middle + QPointF(x, y) * radius for x, y in NEAR)):
            painter.drawEllipse(point, 3, 3)
        pen_and_brush(painter, QPen(theme.color("control"), 2.2), theme.color("pane"))
        painter.drawEllipse(middle, 5, 5)

    @staticmethod
    def _paint_tree(painter: QPainter, area: QRectF) -> None:
        theme = current_theme()
        wide, high = area.width() * 0.2, area.height() * 0.16

        def box(place: tuple[float, float]) -> QRectF:
            middle = area.left() + wide / 2 + place[0] * (area.width() - wide)
            return QRectF(middle - wide / 2, area.top() + place[1] * area.height(), wide, high)

        painter.setPen(QPen(theme.color("line"), 1.5))
        for parent, children in TREE:
            for child in children:
                start, end = box(parent), box(child)
                painter.drawLine(QPointF(start.center().x(), start.bottom()), QPointF(end.center().x(), end.top()))
        inner = {parent for parent, _children in TREE}
        for place in [TREE[0][0], *(child for _parent, children in TREE for child in children)]:
            fill = theme.color("pane" if place in inner else "soft")
            pen_and_brush(painter, QPen(theme.color("control"), 1.2), fill)
            painter.drawRoundedRect(box(place), 5, 5)


class EmptyPage(Pane):
    """A page without content: an example of it, why there is none, and the one button that makes it."""

    def __init__(self, kind: Kind, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.head, self.words = label("", "verdict", wrap=True), label("", "dim", wrap=True)
        self.make = accent_button("", f"{name}.make", on_click=self._press)
        self._act: Callable[[], object] = lambda: None
        middle = Qt.AlignmentFlag.AlignHCenter
        for line in (self.head, self.words):
            line.setAlignment(middle)
        self.example = FaintExample(kind)
        add_items(self.body, 2, self.example, self.head, self.words, (self.make, 0, middle), 3)

    def show_words(self, head: str, words: str, caption: str = "", act: Callable[[], object] = lambda: None) -> None:
        """Shows a heading and a sentence, and a button with this caption, if any."""
        self.head.setText(head)
        self.words.setText(words)
        set_caption(self.make, caption)
        self.make.setVisible(bool(caption))
        self._act = act

    def _press(self) -> None:
        self._act()
