"""Classes by colour, symbol beside the name and pattern of the bars, taken from a theme."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from workbench.style.theme import Theme

_PATTERNS: Final = (
    None,
    Qt.BrushStyle.BDiagPattern,
    Qt.BrushStyle.Dense6Pattern,
    Qt.BrushStyle.VerPattern,
    Qt.BrushStyle.FDiagPattern,
    Qt.BrushStyle.DiagCrossPattern,
    Qt.BrushStyle.HorPattern,
    Qt.BrushStyle.CrossPattern,
)

_SHAPES: Final[tuple[tuple[tuple[float, float], ...], ...]] = (
    (),
    ((0.0, -1.1), (1.0, 0.75), (-1.0, 0.75)),
    ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
    ((0.0, -1.15), (1.0, 0.0), (0.0, 1.15), (-1.0, 0.0)),
    ((0.0, 1.1), (1.0, -0.75), (-1.0, -0.75)),
    ((0.0, -1.1), (1.05, -0.3), (0.65, 0.95), (-0.65, 0.95), (-1.05, -0.3)),
    (
        (-0.35, -1.0), (0.35, -1.0), (0.35, -0.35), (1.0, -0.35), (1.0, 0.35), (0.35, 0.35),
        (0.35, 1.0), (-0.35, 1.0), (-0.35, 0.35), (-1.0, 0.35), (-1.0, -0.35), (-0.35, -0.35),
    ),
    ((-1.0, -1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, 1.0)),
)  # fmt: skip
_LETTERS: Final = "●▲■◆▼⬟✚⧓○△□◇▽⬠✛⋈"
"""The shapes as letters, then as rings."""


@dataclass
class StructureColors:
    """The colours a painted structure needs, ready for the painter."""

    theme: Theme
    pane: QColor = field(init=False)
    line: QColor = field(init=False)
    text: QColor = field(init=False)
    dim: QColor = field(init=False)
    soft: QColor = field(init=False)
    accent: QColor = field(init=False)
    accent_soft: QColor = field(init=False)
    bad: QColor = field(init=False)
    edge: QColor = field(init=False)
    halo: QColor = field(init=False)
    found: QColor = field(init=False)
    found_soft: QColor = field(init=False)

    def __post_init__(self) -> None:
        for token in ("pane", "line", "text", "dim", "soft", "accent", "accent_soft", "bad"):
            setattr(self, token, self.theme.color(token))
        self.found, self.found_soft = self.theme.color("warning"), self.theme.color("warning_soft")
        self.edge = self.theme.color("control")
        self.halo = QColor(self.pane)
        self.halo.setAlpha(225)
        self._classes: dict[int, QColor] = {}
        self._brushes: dict[int, QBrush | None] = {}

    def class_color(self, code: int) -> QColor:
        color = self._classes.get(code)
        if color is None:
            color = self._classes[code] = self.theme.class_color(code)
        return color

    def pattern(self, code: int) -> QBrush | None:
        """Pattern painted over the bars of a class; None for plain bars."""
        if code not in self._brushes:
            is_grey = self.theme.colored is not None and code not in self.theme.colored
            style = None if is_grey else _PATTERNS[code % len(_PATTERNS)]
            veil = QColor(self.pane)
            veil.setAlpha(105)
            self._brushes[code] = None if style is None else QBrush(veil, style)
        return self._brushes[code]


def class_letter(code: int) -> str:
    """Symbol of a class as a letter for text."""
    return _LETTERS[code % len(_LETTERS)]


def draw_symbol(painter: QPainter, look: StructureColors, code: int, middle: QPointF, radius: float) -> None:
    """Paint the symbol of a class around a point: disc, triangle, square, diamond ..., then the same as rings."""
    shape = _SHAPES[code % len(_SHAPES)]
    color = look.class_color(code)
    ring = (code // len(_SHAPES)) % 2 == 1
    painter.setPen(QPen(color, max(1.0, radius * 0.35)) if ring else Qt.PenStyle.NoPen)
    painter.setBrush(look.pane if ring else color)
    if not shape:
        painter.drawEllipse(middle, radius, radius)
    else:
        painter.drawPolygon(QPolygonF([QPointF(middle.x() + x * radius, middle.y() + y * radius) for x, y in shape]))
