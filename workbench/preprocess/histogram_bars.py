"""The bars of a histogram, painted as one object: stacked by class, the selected records in full colour before the
others."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyqtgraph
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.statistics import BinKind, Histogram
from workbench.preprocess.facts import class_code
from workbench.theme import class_color, current_theme

FADED: Final = 0.3
"""How strongly a bar is painted while some records are selected; the selected ones are painted over it in full."""
LEAST: Final = 3.0
"""Pixels that a bar with any record is high at least."""
TALL: Final = 3 * LEAST
"""Pixels of a bar from which on its selected records are ``LEAST`` high at least, however many others there are: in a
lower one that would look as if most of it were selected, so they have whole pixels by their share, or none."""
CAP: Final = 2.0
"""Pixels of the line on top of the selected records."""
WIDE: Final = 4.0
"""Pixels of a bin from which on its bar stands on whole pixels."""


class Bars(pyqtgraph.GraphicsObject):
    """All bars of a histogram, bin i from x = i to i + 1, one record one unit high.

    ``hovered`` is the bin under the mouse, ``focus`` the one that the keys walked to, ``band`` the first and the last
    that are being dragged over.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown: Histogram | None = None
        self._selected: IntArray | None = None
        self._highest = 1.0
        self.hovered: int | None = None
        self.focus: int | None = None
        self.band: tuple[int, int] | None = None

    def show_histogram(self, shown: Histogram | None) -> None:
        self.prepareGeometryChange()
        self._shown, self._selected = shown, None
        self._highest = 1.0 if shown is None else max(1.0, float(shown.counts.sum(axis=1).max()))
        self.hovered = self.focus = self.band = None
        self.update()

    def show_selected(self, counts: IntArray | None) -> None:
        """Show how many records of each bin and class (b, c) are selected; None where none is selected anywhere."""
        self._selected = counts
        self.update()

    @property
    def highest(self) -> float:
        return self._highest

    def boundingRect(self) -> QRectF:
        n = 1 if self._shown is None else len(self._shown.labels)
        return QRectF(0.0, 0.0, max(1, n), 1.08 * self._highest)

    def paint(self, painter: QPainter, *_: object) -> None:
        shown = self._shown
        if shown is None:
            return
        gap = 0.04 if shown.kind is BinKind.VALUE else 0.02
        theme = current_theme()
        painter.setPen(Qt.PenStyle.NoPen)
        for first, last, token in self._grounds():
            painter.fillRect(QRectF(first, 0.0, last - first + 1, 1.08 * self._highest), theme.color(token))
        painter.setOpacity(1.0 if self._selected is None else FADED)
        self._stack(painter, shown, _seen(painter, shown.counts), gap)
        painter.setOpacity(1.0)
        if self._selected is not None:
            self._paint_selected(painter, shown, self._selected, gap)
        if self.focus is not None:
            pen = QPen(theme.color("accent"), 2)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.focus, 0.0, 1.0, 1.08 * self._highest))

    def _grounds(self) -> list[tuple[int, int, str]]:
        """What stands out behind the bars: first and last bin, colour."""
        if self.band is not None:
            return [(*self.band, "accent_soft")]
        return [] if self.hovered is None else [(self.hovered, self.hovered, "soft")]

    def _stack(self, painter: QPainter, shown: Histogram, counts: Any, gap: float) -> None:
        tops = np.cumsum(counts, axis=1)
        lefts, rights = _sides(painter, len(counts), gap)
        for column in range(counts.shape[1]):
            painter.setBrush(class_color(class_code(shown, column)))
            for at in np.flatnonzero(counts[:, column]).tolist():
                top, height = float(tops[at, column]), float(counts[at, column])
                painter.drawRect(QRectF(lefts[at], top - height, rights[at] - lefts[at], height))

    def _paint_selected(self, painter: QPainter, shown: Histogram, selected: IntArray, gap: float) -> None:
        """With a line on top of them, which covers none of their colours: colour alone would not tell them."""
        bars = _seen(painter, shown.counts).sum(axis=1)
        unit = _unit(painter)
        seen = _selected_seen(selected, shown.counts.sum(axis=1), bars, unit)
        self._stack(painter, shown, seen, gap)
        tops = seen.sum(axis=1)
        pen = QPen(current_theme().color("text"), CAP)
        pen.setCosmetic(True)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        above = CAP / 2 / unit
        hides_rest = (bars * unit < TALL) & (tops < bars)  # of a low bar the line would cover what is not selected
        tops = np.where(hides_rest, 0.0, tops)
        for at in np.flatnonzero(tops).tolist():
            top = float(tops[at]) + above
            painter.drawLine(QLineF(at + gap, top, at + 1 - gap, top))
        painter.setPen(Qt.PenStyle.NoPen)


def _unit(painter: QPainter) -> float:
    """Pixels that one record is high."""
    return abs(painter.worldTransform().m22()) or 1.0


def _seen(painter: QPainter, counts: IntArray) -> FloatArray:
    """Records of each bin and class (b, c), in bins that would be too low to be seen raised in proportion."""
    totals = counts.sum(axis=1, keepdims=True)
    return _scaled(counts, totals, np.maximum(totals, LEAST / _unit(painter)))


def _selected_seen(selected: IntArray, totals: IntArray, bars: FloatArray, unit: float) -> FloatArray:
    """How high the selected records of each bin and class (b, c) are painted, in records of ``unit`` pixels.

    ``totals`` (b,) are the records of each bin, ``bars`` (b,) how high its bar is painted: their share of that, but in
    a tall bar enough to be seen, and in a low one whole pixels, not all of them unless all are selected.
    """
    n_selected = selected.sum(axis=1)
    share = np.divide(n_selected, totals, out=np.zeros(len(totals)), where=totals > 0)
    pixels, whole = share * bars * unit, bars * unit
    tall = np.maximum(pixels, np.where(n_selected > 0, LEAST, 0.0))
    low = np.minimum(np.round(pixels), np.maximum(0.0, whole - 1.0))
    high = np.where(share >= 1.0, whole, np.where(whole >= TALL, tall, low))
    return _scaled(selected, n_selected[:, None], (high / unit)[:, None])


def _scaled(counts: IntArray, totals: IntArray, high: FloatArray) -> FloatArray:
    """The counts (b, c) in proportion, so that those of a bin, ``totals`` (b, 1) in all, are ``high`` (b, 1)."""
    return np.asarray(np.divide(counts * high, totals, out=np.zeros(counts.shape), where=totals > 0))


def _sides(painter: QPainter, n_bins: int, gap: float) -> tuple[list[float], list[float]]:
    """Where every bar begins and ends, in bins: on whole pixels, so that the space between any two is the same.

    Bars of few pixels are not moved: a pixel more or less would show as much as the space.
    """
    starts = np.arange(n_bins + 1, dtype=float)
    across = painter.deviceTransform()
    unit, origin = across.m11(), across.dx()
    if unit < WIDE:
        return (starts[:-1] + gap).tolist(), (starts[1:] - gap).tolist()
    pixels = np.round(starts * unit + origin) - origin
    space = max(1, round(2 * gap * unit))
    before = space // 2
    return ((pixels[:-1] + before) / unit).tolist(), ((pixels[1:] + before - space) / unit).tolist()
