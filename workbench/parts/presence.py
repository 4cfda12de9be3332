"""Whether a widget is there: shown with what it stands in, or taken away on purpose."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def is_taken_away(widget: QWidget) -> bool:
    """Whether it was hidden on purpose, rather than not shown yet."""
    return widget.isHidden() and widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)


def set_there(widget: QWidget, wanted: bool) -> None:
    """Take it away or let it be there. What is there already is left alone: to show what stands in something hidden
    would dress and measure it before anybody sees it."""
    if wanted is is_taken_away(widget):
        widget.setVisible(wanted)
