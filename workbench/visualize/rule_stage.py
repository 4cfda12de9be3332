"""The viewer of rules with all that is asked of the rules in view and done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.core.trained import TrainedClassifier
from workbench.runs import Run
from workbench.session import Session
from workbench.theme import themes
from workbench.visualize.rule_editor import RuleEditor
from workbench.visualize.rule_files import RuleFiles
from workbench.visualize.rule_logic import RuleLogic
from workbench.visualize.rule_records import RuleRecords, rules_of

if TYPE_CHECKING:
    from workbench.views.rules import RuleSetView


LEAST_HEIGHT: Final = 520
"""With less, the rules get all the room of the tab while they are edited."""


class RuleStage(QWidget):
    """``record_asked`` wants a record of these values, by name, to be looked at, ``room_wanted`` more room
    for a while."""

    record_asked = Signal(object)
    room_wanted = Signal(bool)

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self.setObjectName("visualize.rules.stage")
        self._session, self._view = session, view
        self._run: Run | None = None
        self._records = RuleRecords(session, view)
        self._logic = RuleLogic(session, view)
        self._logic.record_asked.connect(self.record_asked)
        self.editor = RuleEditor(session, view)
        self._files = RuleFiles(view, self._trained)
        self.editor.room_wanted.connect(self._want_room)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.editor)
        column.addWidget(view, 1)

    def show_run(self, run: Run | None) -> None:
        """The rules in view are those of this run; it may have none."""
        self._run = run if rules_of(run) is not None else None
        self._records.show_run(self._run)
        self._logic.show_run(self._run)
        self.editor.set_run(self._run)

    def _want_room(self, wanted: bool) -> None:
        if not wanted or self.height() < themes.px(LEAST_HEIGHT):
            self.room_wanted.emit(wanted)

    def _trained(self) -> TrainedClassifier | None:
        return None if self._run is None else self._run.trained
