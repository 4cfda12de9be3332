"""How the records spread over the classes: a bar a class."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.theme import current_theme, themes
from workbench.views.figures import amount, in_100

LINE = 26
MOST = 12
"""With more classes the most frequent ones are drawn and the rest is counted together."""


class ClassShares(QWidget):
    """Labels, bars and counts of the classes, in the classes' colours."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Classes")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._lines: list[tuple[int, str, float]] = []
        self._total = 0.0
        themes.changed.connect(self.updateGeometry)

    def set_counts(self, classes: Sequence[str], counts: Sequence[float]) -> None:
        """Show how many records each class has."""
        order = sorted(range(len(classes)), key=lambda code: -counts[code])
        shown = sorted(order if len(order) <= MOST else order[: MOST - 1])
        self._lines = [(code, classes[code], float(counts[code])) for code in shown]
        self._total = float(sum(counts))
        if len(order) > MOST:
            rest = order[MOST - 1 :]
            self._lines.append((-1, f"{len(rest)} more classes", float(sum(counts[code] for code in rest))))
        self.setAccessibleDescription("; ".join(f"{name}: {amount(n)}" for _, name, n in self._lines))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, themes.px(LINE) * len(self._lines))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme, line = current_theme(), themes.px(LINE)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(themes.font(12))
        metrics = painter.fontMetrics()
        names = min(max((metrics.horizontalAdvance(n) for _, n, _ in self._lines), default=0) + 2, self.width() // 3)
        figures = max((metrics.horizontalAdvance(self._figure(n)) for _, _, n in self._lines), default=0)
        room = min(self.width() - names - figures - 28, themes.px(320))
        most = max((n for _, _, n in self._lines), default=0.0)
        middle = Qt.AlignmentFlag.AlignVCenter
        for i, (code, name, n) in enumerate(self._lines):
            top = i * line
            painter.setPen(theme.color("text"))
            shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, names)
            painter.drawText(QRectF(0, top, names, line), middle | Qt.AlignmentFlag.AlignLeft, shown)
            bar = QRectF(names + 12, top + line * 0.28, max(2.0, room * n / most) if most else 0.0, line * 0.44)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.class_color(code))
            painter.drawRoundedRect(bar, 2, 2)
            painter.setPen(theme.color("dim"))
            painter.drawText(QRectF(bar.right() + 8, top, figures + 8, line), middle, self._figure(n))

    def _figure(self, n: float) -> str:
        return f"{amount(n)} · {in_100(n / self._total)}%" if self._total else amount(n)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            at = event.pos().y() // themes.px(LINE)
            inside = 0 <= at < len(self._lines)
            text = f"{self._lines[at][1]}: {self._figure(self._lines[at][2])}" if inside else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)
