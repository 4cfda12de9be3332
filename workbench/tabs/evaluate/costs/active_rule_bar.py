"""What is in force for the run in view and what it costs; what other decisions would cost, with a button for each."""

from __future__ import annotations

from html import escape
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.style.theme import SPACE_1, SPACE_2, SPACE_4, themes
from workbench.tabs.evaluate.cheaper import DecisionActions
from workbench.tabs.evaluate.deciding import RunDecisions
from workbench.widgets.labels import WholeLabel, strong

LINES: Final = 4
"""So many lines of words have their room always: what is below stays where it is while costs are typed."""


class ActiveRuleBar(QFrame):
    """A line over the cost board: nothing there is decided so before it is put into force here."""

    def __init__(self, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "pane")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._deciding = deciding
        self._words = WholeLabel()
        self._words.setTextFormat(Qt.TextFormat.RichText)
        self._words.setObjectName("evaluate.board.force")
        self._ways = DecisionActions(deciding, "evaluate.board", self)
        self.use, self.try_it = self._ways.use, self._ways.try_it
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_4, SPACE_1, SPACE_4, SPACE_1)
        row.setSpacing(SPACE_2)
        row.addWidget(self._words, 1)
        buttons = QVBoxLayout()
        buttons.setSpacing(SPACE_1)
        buttons.addWidget(self.use)
        buttons.addWidget(self.try_it)
        policy = self.try_it.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.try_it.setSizePolicy(policy)
        row.addLayout(buttons)
        themes.follow(self._measure)
        self._measure()

    def _measure(self) -> None:
        self._ways.measure()
        self._words.reserve(LINES)

    def show_force(self, n_run: int, words: str) -> None:
        """Say what holds for this run; ``words`` is what :func:`~cost_board_words.in_force` makes."""
        offer = self._deciding.offer()
        self._words.setText(f"{strong(f'In force for run {n_run}:')} {escape(words)}")
        self.use.setEnabled(self._deciding.costs() is not None)
        self.try_it.setVisible(offer is not None)
        self._ways.show_offer(offer)
