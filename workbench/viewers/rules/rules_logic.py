"""Whether rules are mutually exclusive and exhaustive: two sentences over them, with the records that show it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from algorithms.learners.rules.rule_logic import (
    Anywhere,
    Example,
    OnData,
    example_words,
    exclusive_words,
    exhaustive_words,
)
from algorithms.structures.rule_set import RuleSet
from workbench.style.wording import counted
from workbench.widgets.buttons import link_button
from workbench.widgets.labels import ElidedLabel


class _Line(QWidget):
    """A sentence, a button for the records of the table that show it, one for a record that could be."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self.words = ElidedLabel("", "dim")
        self.words.setObjectName(f"visualize.rules.{name}")
        self.select = link_button("", f"visualize.rules.{name}.select", f"Select the records that {what}")
        self.example = link_button("Show one", f"visualize.rules.{name}.example", f"A record that could {what}")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.words, 1)
        row.addWidget(self.select)
        row.addWidget(self.example)

    def show_words(self, words: str, n: int, rules: RuleSet, example: Example | None) -> None:
        self.words.setText(words)
        self.select.setText(f"Select {counted(n, 'record')}")
        self.select.setAccessibleName(self.select.text())
        self.select.setVisible(n > 0)
        self.example.setVisible(n == 0 and example is not None)
        if example is not None:
            self.example.setToolTip(f"{example_words(rules, example)}. Click to look at it.")


class RulesLogic(QWidget):
    """``select_asked`` comes with the positions of records and by what they were chosen, ``example_asked`` with a
    record that could be (:class:`Example`)."""

    select_asked = Signal(object, str)
    example_asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._here: OnData | None = None
        self._there: Anywhere | None = None
        self.is_put_away = False
        self.exclusive = _Line("exclusive", "meet more than one rule")
        self.exhaustive = _Line("exhaustive", "meet no rule")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.exclusive)
        column.addWidget(self.exhaustive)
        self.exclusive.select.clicked.connect(self._select_several)
        self.exhaustive.select.clicked.connect(self._select_none)
        self.exclusive.example.clicked.connect(self._show_overlap)
        self.exhaustive.example.clicked.connect(self._show_gap)
        self.hide()

    def show_answer(self, rules: RuleSet, here: OnData, there: Anywhere) -> None:
        """Say what holds for these rules among the records of the table, and at all."""
        self._here, self._there = here, there
        self.exclusive.show_words(exclusive_words(rules, here, there), len(here.several), rules, there.overlap)
        self.exhaustive.show_words(exhaustive_words(rules, here, there), len(here.none), rules, there.gap)
        self.setVisible(not self.is_put_away)

    def drop(self) -> None:
        """Say nothing, as the rules are others or there is no data to ask."""
        self._here = self._there = None
        self.hide()

    @property
    def answer(self) -> tuple[OnData, Anywhere] | None:
        """What was found; None while it is not known."""
        return None if self._here is None or self._there is None else (self._here, self._there)

    def _select_several(self) -> None:
        if self._here is not None:
            self.select_asked.emit(self._here.several, "meeting several rules")

    def _select_none(self) -> None:
        if self._here is not None:
            self.select_asked.emit(self._here.none, "meeting no rule")

    def _show_overlap(self) -> None:
        if self._there is not None and self._there.overlap is not None:
            self.example_asked.emit(self._there.overlap)

    def _show_gap(self) -> None:
        if self._there is not None and self._there.gap is not None:
            self.example_asked.emit(self._there.gap)
