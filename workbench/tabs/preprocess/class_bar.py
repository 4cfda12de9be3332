"""Bar that asks for the class attribute after loading, and while the class is missing or unsuitable."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import Summary
from algorithms.evaluation.checks.warnings import FEW_NUMBERS, class_kind_words
from algorithms.text.names import shortened
from workbench.style.theme import set_property
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.fields import drop_down
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import row_layout

MOST_CLASSES: Final = 50
"""Up to this number of distinct numbers, one class per number is offered."""


def best_guess(data: Dataset) -> str | None:
    """The probable class: the last coded attribute with two values or more, else the last learnable attribute."""
    attributes = data.schema.attributes
    categories = [a.name for a in attributes if a.kind.is_coded and len(a.values) >= 2]
    names = categories or [a.name for a in attributes if a.kind.is_learnable]
    return names[-1] if names else None


WHICH: Final = "Which attribute is the class (target)?"
NONE_NOMINAL: Final = "No attribute is nominal. A numeric class (target) must be discretized: each range is a class."
NONE_NOMINAL_BRIEFLY: Final = "No attribute is nominal: the class must be discretized."
LETTERS: Final = (14, 22)
"""Least and greatest width of the list of columns, in letters."""
WIDE_LETTERS: Final = 0.8
"""Mean width of a letter, as a share of the widest letter."""


class ClassBar(QFrame):
    """Question above the attributes, hidden once it is answered."""

    predict_asked = Signal(str)
    nominal_asked = Signal(str)
    onward_asked = Signal()
    """The class is confirmed, and the user wants to go to Classify."""
    ranges_asked = Signal(str)
    """The numeric class shall be discretized; with its name."""
    asking_changed = Signal()
    """The question is shown, or hidden."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preprocess.class_bar")
        self.setProperty("part", "chip")
        self.setProperty("tone", "accent")
        self._data: Dataset | None = None
        self._listed: tuple[str, ...] = ()
        self._is_new = self._is_put_off = False
        self._is_guess = True
        self._n_distinct: int | None = None
        self._words = label("", wrap=True)
        self._question = ElidedLabel()
        self._question.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._columns = drop_down("preprocess.predict", "Class (target)", "", LETTERS[0])
        self._columns.activated.connect(self._picked)
        self._predict = accent_button("Predict it", "preprocess.predict.accept", "", self._accept)
        self._ranges = accent_button(
            "Discretize…",
            "preprocess.predict.ranges",
            "Each range of numbers becomes a class",
            lambda: self._answer_for_class(self.ranges_asked),
        )
        self._nominal = quiet_button(
            "Use values as classes",
            "preprocess.predict.nominal",
            "Each distinct value becomes a class",
            lambda: self._answer_for_class(self.nominal_asked),
        )
        self._onward = accent_button(
            "Continue to Classify",
            "preprocess.predict.onward",
            "Use this attribute as the class and go on to Classify",
            self._close,
        )
        self._onward.clicked.connect(self.onward_asked)
        self._fine = quiet_button(
            "Stay here",
            "preprocess.predict.fine",
            "Use this attribute as the class and stay in Preprocess",
            self._close,
        )
        row_layout(
            (self._words, 1),
            (self._question, 1),
            self._columns,
            self._predict,
            self._ranges,
            self._nominal,
            self._onward,
            self._fine,
            inside=self,
            spacing=8,
            margins=(12, 6, 8, 6),
        )
        self.hide()

    def ask(self, is_answered: bool = False) -> None:
        """Ask for the class of a new table, unless it is answered already, as in a project with runs."""
        self._is_new = self._is_guess = not is_answered
        self.show_data(self._data)

    def settle(self) -> None:
        """Close the question: the user has gone on with the guessed class."""
        if self._is_new:
            self._is_new = self._is_guess = False
            self.show_data(self._data)

    def setVisible(self, visible: bool) -> None:
        is_other = visible is self.isHidden()
        super().setVisible(visible)
        if is_other:
            self.asking_changed.emit()

    def put_off(self, is_put_off: bool) -> None:
        self._is_put_off = is_put_off
        self.show_data(self._data)

    def show_data(self, data: Dataset | None) -> None:
        """Show the question that this data raises; hide if it raises none."""
        if data is not self._data:
            self._n_distinct = None
        self._data = data
        if data is None or not len(data.schema):
            self.hide()
            return
        if data.schema.class_index is None:
            self._ask_for_class(data)
        elif not data.schema.class_attribute.kind.is_coded:
            self._fill(data)
            self._ask_for_nominal(data.schema.class_attribute)
        elif self._is_new:
            self._fill(data)
            self._confirm(data.schema.class_attribute)
        else:
            self.hide()
        self._columns.setToolTip(self._chosen or "")

    def show_summary(self, summary: Summary | None) -> None:
        """Show the number of distinct values of a numeric class, once they are counted."""
        data = self._data
        if summary is None or data is None or data.schema.class_index is None or summary.schema is not data.schema:
            return
        if not data.schema.class_attribute.kind.is_coded:
            self._n_distinct = summary.of(data.schema.class_index).n_distinct
            self._ask_for_nominal(data.schema.class_attribute)

    def _fill(self, data: Dataset) -> None:
        names = data.schema.names
        if names != self._listed:
            self._listed = names
            self._columns.offer(shortened(name, 48, names) for name in names)
            longest = round(WIDE_LETTERS * max(map(len, names), default=0))
            self._columns.setMinimumContentsLength(min(max(longest, LETTERS[0]), LETTERS[1]))

    def _ask_for_class(self, data: Dataset) -> None:
        self._fill(data)
        guess = best_guess(data)
        is_nominal = guess is None or data.schema.attributes[data.schema.index_of(guess)].kind.is_coded
        self._say(*((WHICH, "accent") if is_nominal else (NONE_NOMINAL, "accent", NONE_NOMINAL_BRIEFLY)))
        self._columns.setCurrentIndex(-1 if guess is None else data.schema.index_of(guess))
        self._offer(self._predict)

    def _ask_for_nominal(self, attribute: Attribute) -> None:
        n = self._n_distinct
        self._point_at_class()
        self._say(class_kind_words(attribute, n), "warning")
        if attribute.kind is not AttributeKind.NUMERIC:
            self._offer(self._nominal)
        elif n is None or n > MOST_CLASSES:
            self._offer(self._ranges)
        elif n > FEW_NUMBERS:
            self._offer(self._ranges, self._nominal)
        else:
            self._offer(self._nominal, self._ranges)

    def _confirm(self, attribute: Attribute) -> None:
        labels = ", ".join(shortened(value, 20, attribute.values) for value in attribute.values[:4])
        more = f" and {len(attribute.values) - 4:,} more" if len(attribute.values) > 4 else ""
        name = shortened(attribute.name, 40)
        if self._is_guess:
            question = WHICH
            guess = f"Best guess: {name}"
            briefer = f"{question} {guess}.", question, "Which is the class?"
            self._say(f"{question} {guess} ({labels}{more}).", "accent", *briefer)
        else:
            self._say(f"Class: {name} ({labels}{more}).", "accent", f"Class: {name}.")
        self._point_at_class()
        self._offer(self._onward, self._fine)

    def _say(self, words: str, tone: str, *shorter: str) -> None:
        """Show a warning wrapped, a question on one line; ``shorter`` wordings serve narrow bars."""
        is_warning = tone == "warning"
        self._words.setText(words if is_warning else "")
        self._question.set_wordings(*("",) if is_warning else (words, *shorter))
        self._words.setVisible(is_warning)
        self._question.setVisible(not is_warning)
        self.setAccessibleName(words)
        set_property(self, "tone", tone)
        set_property(self._words, "tone", tone if is_warning else "")

    def _point_at_class(self) -> None:
        if self._data is not None and self._data.schema.class_index is not None:
            self._columns.setCurrentIndex(self._data.schema.class_index)

    def _offer(self, first: QWidget, *others: QWidget) -> None:
        for button in (self._predict, self._ranges, self._nominal, self._onward, self._fine):
            button.setVisible(button is first or button in others)
        for button in (self._ranges, self._nominal):
            set_property(button, "part", "accent" if button is first else "quiet")
        self.setVisible(not self._is_put_off)

    @property
    def _chosen(self) -> str | None:
        index = self._columns.currentIndex()
        names = () if self._data is None else self._data.schema.names
        return names[index] if 0 <= index < len(names) else None  # the list may still hold those of an earlier table

    def _picked(self) -> None:
        if self._chosen is not None:
            self._is_guess = False
            self.predict_asked.emit(self._chosen)

    def _accept(self) -> None:
        self._is_new = True
        self._picked()

    def _answer_for_class(self, asked: SignalInstance) -> None:
        """Emit the name of the present class, whose kind does not suit; the way on is offered once it does."""
        if self._data is not None and self._data.schema.class_index is not None:
            self._is_new, self._is_guess = True, False
            asked.emit(self._data.schema.class_attribute.name)

    def _close(self) -> None:
        self._is_new = False
        self.hide()
