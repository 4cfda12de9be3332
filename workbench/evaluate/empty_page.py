"""What the Evaluate tab says where the run in view was not judged, or none is there."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from workbench.parts import Pane, accent_button, label
from workbench.session import Session


class EmptyPage(Pane):
    """Why there is nothing to see, and the way to where something is judged."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._session = session
        self.head = label("", "verdict", wrap=True)
        self.words = label("", "dim", wrap=True)
        self._to_classify = accent_button(
            "Go to Classify", "evaluate.to-classify", on_click=lambda: session.ask_for_tab("classify")
        )
        self.body.addWidget(self.head)
        self.body.addWidget(self.words)
        self.body.addWidget(self._to_classify, 0, Qt.AlignmentFlag.AlignLeft)
        self.body.addStretch(1)

    def refresh(self) -> None:
        """Follow the session; of a judged run, whose parts are only on their way here, say what it is."""
        run = self._session.current_run
        is_judged = run is not None and run.report is not None
        self._to_classify.setVisible(self._session.data is not None and not is_judged)
        if run is not None and is_judged:
            head, words = f"Run {run.number}, {run.learner.name}", "Working it out…"
        elif self._session.data is None:
            head, words = "No table is open", "Open one and judge a learner; what it gets right and wrong stands here."
        elif run is not None and run.is_running:
            head = f"Judging {run.learner.name}"
            words = "What it gets right and wrong stands here as soon as its folds are judged."
        elif run is not None:
            head = f"Run {run.number}, {run.learner.name}, was not judged"
            words = run.message or "It was stopped. Choose another run in the ledger, or start again."
        else:
            head = "Nothing judged yet"
            words = "Start a learner in Classify; what it gets right and wrong stands here."
        self.head.setText(head)
        self.words.setText(words)
