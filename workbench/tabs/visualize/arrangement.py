"""How the panes of the Visualize tab share its room: the model above, the records below, or one of them alone."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QSplitter, QVBoxLayout, QWidget

from workbench.session.settings import Settings
from workbench.widgets.buttons import IconButton

BOTH: Final = "both"
MODEL: Final = "model"
RECORDS: Final = "records"
WHY: Final = "why"
_SAYS: Final = {
    MODEL: "Show only the model",
    RECORDS: "Show only the records",
    WHY: "Show only why the tree asks this",
}
SETTING: Final = "visualize.shown"
SIZES: Final = "visualize.sizes"


class Arrangement(QWidget):
    """The pane MODEL and, under it, a row of others; all of them or one alone, which the settings remember."""

    def __init__(self, settings: Settings, above: QWidget) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._settings = settings
        self._buttons: list[tuple[str, IconButton]] = []
        self._above = above
        self._below: dict[str, QWidget] = {}
        self._wanted: set[str] = set()
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
        self._shown = shown if shown in (BOTH, *_SAYS) else BOTH
        self._lent: str | None = None
        self._arrange()

    @property
    def shown(self) -> str:
        """What is to be seen: BOTH, or one pane alone."""
        return self._shown

    def add_below(self, name: str, pane: QWidget, stretch: int) -> None:
        """A pane in the lower row, right of those there are; hidden until it is wanted."""
        self._below[name] = pane
        pane.hide()
        self._side.addWidget(pane)
        self._side.setStretchFactor(self._side.count() - 1, stretch)
        self._restore_sizes()

    def want(self, name: str, wanted: bool) -> None:
        """Whether this pane of the lower row has anything to show."""
        if wanted != (name in self._wanted):
            self._wanted ^= {name}
            self._arrange()

    def button(self, alone: str) -> IconButton:
        """For a pane's heading: gives it all the room, and shows both again."""
        made = IconButton("expand", _SAYS[alone], f"visualize.only-{alone}", plain=True)
        made.setCheckable(True)
        made.setChecked(self._shown == alone)
        made.clicked.connect(lambda checked: self._pressed(made, alone if checked else BOTH))
        self._buttons.append((alone, made))
        return made

    def _pressed(self, button: IconButton, which: str) -> None:
        """Show what is asked for; what is hidden by that gives the keyboard to the button, which brings it back."""
        before = QApplication.focusWidget()
        self.show_only(which)
        if before is not None and self.isAncestorOf(before) and not before.isVisible():
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_only(self, which: str) -> None:
        """Show one pane alone, or BOTH."""
        self._shown, self._lent = which, None
        self._settings.set(SETTING, which)
        self._arrange()

    def reveal(self, which: str) -> None:
        """See that this pane can be seen: where another one has all the room, it shares it."""
        if self._shown not in (BOTH, which):
            self.show_only(BOTH)

    def lend(self, which: str | None) -> None:
        """Give one pane all the room for a while, which is not remembered; None takes it back."""
        self._lent = which
        self._arrange()

    def _arrange(self) -> None:
        shown = self._lent or self._shown
        alone = shown if shown == MODEL or shown in self._wanted else BOTH
        self._above.setVisible(alone in (BOTH, MODEL))
        for name, pane in self._below.items():
            pane.setVisible(name in self._wanted and alone in (BOTH, name))
        self._side.setVisible(bool(self._wanted) and alone != MODEL)
        for which, button in self._buttons:
            says = "Show both again" if shown == which else _SAYS[which]
            button.setChecked(shown == which)
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
            self._whole.setSizes([560, 440])
            self._side.setSizes([620, 380][: self._side.count()])
