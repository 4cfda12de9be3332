"""The room of the whole tab, which the records take where too few of them could be seen, and give back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from workbench.parts import IconButton
    from workbench.preprocess.records_view import RecordsView


class RecordsRoom(QObject):
    """Presses ``expand`` where the table is too low. What a person pressed there is never taken back."""

    def __init__(self, expand: IconButton, view: RecordsView) -> None:
        super().__init__(expand)
        self._expand, self._view = expand, view
        self._is_taken = False
        expand.toggled.connect(self._pressed)

    def take_for(self, n_records: int, taken: int = 0) -> None:
        """Take the room unless so many records can be seen in what is left of the table by ``taken`` pixels."""
        needed = n_records * self._view.verticalHeader().defaultSectionSize()
        if self._view.viewport().height() - taken < needed and not self._expand.isChecked():
            self._expand.setChecked(True)
            self._is_taken = True

    def give_back(self) -> None:
        """Give back what was taken here."""
        if self._is_taken:
            self._expand.setChecked(False)

    def _pressed(self) -> None:
        self._is_taken = False
