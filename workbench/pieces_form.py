"""What to grow from a file too large for memory: the column to predict, and the learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QWidget

from workbench.forms.editors import CalmComboBox
from workbench.in_pieces import LEARNERS, Wish
from workbench.wording import shortened

GUESS: Final = "the one named class, else the last list of values"
LONGEST: Final = 48


class PiecesForm(QWidget):
    """Two choices below a question; :meth:`wish` is what they say."""

    def __init__(self, columns: Sequence[str], learners: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._class = CalmComboBox()
        self._class.addItem(GUESS)
        for at, name in enumerate(self._columns):
            self._class.addItem(shortened(name, LONGEST))
            self._class.setItemData(at + 1, name, Qt.ItemDataRole.ToolTipRole)
        self._learner = CalmComboBox()
        for id, name in learners:
            self._learner.addItem(name, id)
        self._learner.setCurrentIndex(max(0, self._learner.findData(next(iter(LEARNERS)))))
        form = QFormLayout(self)
        form.setContentsMargins(0, 8, 0, 8)
        rows = (
            (self._class, "class", "&Predict", "The column whose values the tree is to predict"),
            (self._learner, "learner", "&Grown by", "The learner that grows the tree"),
        )
        for widget, purpose, label, tip in rows:
            widget.setObjectName(f"question_box.{purpose}")
            widget.setAccessibleName(tip)
            widget.setToolTip(tip)
            form.addRow(label, widget)

    def wish(self) -> Wish:
        """What is chosen."""
        at = self._class.currentIndex()
        return Wish(self._columns[at - 1] if at > 0 else None, str(self._learner.currentData()))
