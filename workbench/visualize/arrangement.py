"""How the panes of the Visualize tab share its room: the model above, the records below, or one of them alone."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from workbench.parts import IconButton
from workbench.settings import Settings

BOTH: Final = "both"
MODEL: Final = "model"
RECORDS: Final = "records"
_SAYS: Final = {MODEL: "Show only the model", RECORDS: "Show only the records"}
SETTING: Final = "visualize.shown"
SIZES: Final = "visualize.sizes"


class Arrangement(QWidget):
    """``above`` and, under it, ``below`` with room for another pane at its right; remembered in the settings."""

    def __init__(self, settings: Settings, above: QWidget) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._settings = settings
        self._buttons: list[tuple[str, IconButton]] = []
        self._has_below = False
        self._above = above
        self._side = QSplitter(Qt.Orientation.Horizontal)
        self._side.setChildrenCollapsible(False)
        self._side.setHandleWidth(12)
        self._whole = QSplitter(Qt.Orientation.Vertical)
        self._whole.setChildrenCollapsible(False)
        self._whole.setHandleWidth(12)
        self._whole.addWidget(above)
        self._whole.addWidget(self._side)
        self._whole.splitterMoved.connect(self._remember_sizes)
        self._side.splitterMoved.connect(self._remember_sizes)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._whole)
        shown = settings.get(SETTING, BOTH)
        self._shown = shown if shown in (BOTH, MODEL, RECORDS) else BOTH
        self._arrange()

    @property
    def shown(self) -> str:
        """What is seen: BOTH, MODEL or RECORDS."""
        return self._shown

    def add_below(self, pane: QWidget, stretch: int) -> None:
        """A pane in the lower row, right of those there are."""
        self._side.addWidget(pane)
        self._side.setStretchFactor(self._side.count() - 1, stretch)
        self._restore_sizes()

    def set_has_below(self, has: bool) -> None:
        """Whether there is anything to show below; where not, the upper pane has all the room."""
        if has != self._has_below:
            self._has_below = has
            self._arrange()

    def button(self, alone: str) -> IconButton:
        """For a pane's heading: gives it all the room, and shows both again."""
        made = IconButton("expand", _SAYS[alone], f"visualize.only-{alone}", plain=True)
        made.setCheckable(True)
        made.setChecked(self._shown == alone)
        made.clicked.connect(lambda checked: self.show_only(alone if checked else BOTH))
        self._buttons.append((alone, made))
        return made

    def show_only(self, which: str) -> None:
        """Show MODEL or RECORDS alone, or BOTH."""
        self._shown = which
        self._settings.set(SETTING, which)
        self._arrange()

    def _arrange(self) -> None:
        self._above.setVisible(self._shown != RECORDS or not self._has_below)
        self._side.setVisible(self._shown != MODEL and self._has_below)
        for alone, button in self._buttons:
            says = "Show both again" if self._shown == alone else _SAYS[alone]
            button.setChecked(self._shown == alone)
            button.setToolTip(says)
            button.setAccessibleName(says)

    def _remember_sizes(self) -> None:
        self._settings.set(SIZES, [self._whole.sizes(), self._side.sizes()])

    def _restore_sizes(self) -> None:
        known = self._settings.get(SIZES, [])
        if len(known) == 2 and all(isinstance(part, list) and all(type(n) is int for n in part) for part in known):
            self._whole.setSizes(known[0])
            if len(known[1]) == self._side.count():
                self._side.setSizes(known[1])
        else:
            self._whole.setSizes([500, 500])
            self._side.setSizes([620, 380][: self._side.count()])
