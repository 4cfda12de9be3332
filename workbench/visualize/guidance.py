"""What the Visualize tab says where there is no model to look at."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from workbench.parts import Pane, label
from workbench.runs import Run
from workbench.session import Session


def empty_pane() -> tuple[Pane, QLabel, QLabel]:
    """A pane in whose middle a title and a sentence stand, which are empty."""
    pane = Pane()
    title, text = label("", "verdict"), label("", "dim", wrap=True)
    for line in (title, text):
        line.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    pane.body.addStretch(2)
    pane.body.addWidget(title)
    pane.body.addWidget(text)
    pane.body.addStretch(3)
    return pane, title, text


def guidance(session: Session, run: Run | None) -> tuple[str, str]:
    """What to do to see something here: a title and a sentence."""
    if session.data is None:
        return "Nothing to look at yet", "Open a table in Preprocess first."
    if run is None:
        return (
            "No model yet",
            "Choose a learner in Classify and press Start: what it has learned appears here.",
        )
    if run.is_running:
        return f"{run.learner.name} is learning", "The model appears here when it is done."
    if run.message:
        return f"{run.learner.name} left no model", run.message
    return (
        f"{run.learner.name} left no model",
        "This run was stopped before the model was trained. Start it again in Classify.",
    )
