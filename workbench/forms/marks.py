"""The small round mark beside an option that explains it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from workbench.theme import current_theme, themes

SIZE = 15


class InfoMark(QAbstractButton):
    """An "i" in a circle: pointing at it shows the help, pressing it keeps the help open.

    Tab passes it by, or every option would be two stops: Shift+F1 on the option presses it.
    """

    def __init__(self, subject: str, help: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCheckable(True)
        self.setText("i")
        self.setToolTip(help)
        self.setAccessibleName(f"What is {subject.lower()}?")
        self.setAccessibleDescription(help)
        self.setCursor(Qt.CursorShape.WhatsThisCursor)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        themes.changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        size = themes.px(SIZE) + 2
        return QSize(size, size)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        lively = self.isChecked() or self.underMouse()
        size = themes.px(SIZE)
        circle = QRectF((self.width() - size) / 2, (self.height() - size) / 2, size, size)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("accent" if lively else "line"))
        painter.setBrush(theme.color("accent_soft" if self.isChecked() else "pane"))
        painter.drawEllipse(circle)
        painter.setPen(theme.color("accent" if lively else "dim"))
        painter.setFont(themes.font(10, bold=True))
        painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, "i")
