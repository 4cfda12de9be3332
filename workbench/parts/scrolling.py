"""Panes whose content may be higher than the window."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QScrollArea, QWidget


class UprightScrollArea(QScrollArea):
    """Scrolls up and down only: never narrower than what it holds."""

    def __init__(self, inside: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inside)
        self._inside = inside

    def minimumSizeHint(self) -> QSize:
        inner = self._inside.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(inner, 80)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)
