"""Taking a runner-up: the candidate in hand, or a threshold read off its curve, asked at the node with a click."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from algorithms.core.structures import Test
from algorithms.trees.hand_edits import Question
from algorithms.trees.reasons import Candidate, NodeReasons, Verdict
from algorithms.trees.words import number
from workbench.parts import quiet_button


class Adopt(QWidget):
    """One button; ``asked(question)`` comes with what the node is to ask."""

    asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._candidate: Candidate | None = None
        self._threshold: float | None = None
        self._is_asked = False
        self._button = quiet_button("Ask this here", "visualize.why.adopt", "", self._ask)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self._button)
        line.addStretch(1)

    def show_candidate(self, reasons: NodeReasons, candidate: Candidate) -> None:
        """Offer this candidate for the node; what the node asks already is not offered."""
        self._candidate, self._threshold = candidate, None
        self._is_asked = candidate.verdict is Verdict.CHOSEN and not reasons.is_leaf
        self._say()

    def show_threshold(self, threshold: float | None) -> None:
        """Offer this threshold of the candidate instead of its best one; None: the best."""
        self._threshold = threshold
        self._say()

    def _say(self) -> None:
        candidate = self._candidate
        is_sum = candidate is not None and candidate.test == Test.LINEAR
        able = candidate is not None and candidate.is_split and not is_sum
        by_hand = candidate is not None and self._threshold is not None and candidate.test == Test.NUMERIC
        same = by_hand and candidate is not None and self._threshold == candidate.threshold
        self._button.setEnabled(able and (not self._is_asked or (by_hand and not same)))
        at = f" at {number(self._threshold)}" if by_hand and self._threshold is not None else ""
        self._button.setText(f"Ask this here{at}")
        self._button.setAccessibleName(f"Ask about {candidate.name} here{at}" if candidate is not None else "")
        self._button.setToolTip(
            "The node asks this already."
            if self._is_asked and not by_hand
            else "Sums of several numbers are found by the learner; by hand one attribute can be asked for."
            if is_sum
            else "It cannot be asked here: it does not divide the records."
            if not able
            else "Put this question at the node; the learner grows on below. Undo takes it back."
        )

    def _ask(self) -> None:
        if self._candidate is not None:
            self.asked.emit(Question(self._candidate.name, self._threshold))
