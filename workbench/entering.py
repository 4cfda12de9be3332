"""Which part of a tab has the keyboard once the tab comes into view, or once what had it is gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from workbench.parts.focus import first_view

MAIN_VIEWS: Final = {
    "Preprocess": ("preprocess.predict.onward", "preprocess.attributes"),
    "Evaluate": ("evaluate.confusion",),
    "Visualize": ("visualize.tree",),
}
"""What has the keyboard on entering these tabs: the first of these in view; where none is, the leftmost view."""
VIEWS_TO_GO_ON_IN: Final = {
    **MAIN_VIEWS,
    "Preprocess": ("preprocess.records",),
    "Classify": ("classify.start",),
}
"""What has the keyboard after the selection it was used on is gone."""


def enter(name: str, tab: QWidget) -> None:
    """Give the keyboard to what this tab is mainly for."""
    _focus_one_of(MAIN_VIEWS, name, tab)


def go_on_in(name: str, tab: QWidget) -> None:
    """Give the keyboard to where a person goes on in this tab without a selection."""
    _focus_one_of(VIEWS_TO_GO_ON_IN, name, tab)


def _focus_one_of(views: Mapping[str, Sequence[str]], name: str, tab: QWidget) -> None:
    names = views.get(name, ())
    known = (tab.findChild(QWidget, each) for each in names)
    view = next((view for view in known if view is not None and view.isVisible()), None)
    if view is None and names:
        view = first_view(tab)
    if view is not None:
        view.setFocus(Qt.FocusReason.OtherFocusReason)
