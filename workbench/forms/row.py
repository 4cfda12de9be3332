"""A few declared parameters side by side, on as many lines as they need, where there is no room for a form."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from algorithms.core.errors import ParameterError
from algorithms.core.parameters import Configurable, Parameter, ParameterKind
from workbench.forms.editors import ChoiceEditor, Editor, LineEditor
from workbench.style.theme import SPACE_1, SPACE_3, themes
from workbench.widgets.chips import FlowLayout
from workbench.widgets.labels import label
from workbench.widgets.visibility import is_taken_away, set_there

CHARACTERS = 5
"""So many digits a field of numbers shows."""


class OptionRow(QWidget):
    """Choices and numbers of ``subject``; what is typed wrongly is marked, and its sentence is the field's tooltip.

    The editor of parameter ``bins`` is named ``<prefix>.bins``. ``changed`` comes when :meth:`value` is another.
    Where one line has no room for all, they continue on the next: the row never asks its neighbours for room.
    """

    changed = Signal()

    def __init__(self, subject: Configurable, prefix: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._value = subject
        self._editors: dict[str, tuple[QWidget, Editor]] = {}
        self._flow = FlowLayout(self, SPACE_3)
        for parameter in subject.parameters():
            editor = self._editor(parameter)
            editor.control.setObjectName(f"{prefix}.{parameter.name}")
            editor.control.setAccessibleName(parameter.label)
            editor.control.setAccessibleDescription(parameter.help)
            editor.show_value(getattr(subject, parameter.name))
            editor.changed.connect(self._edited)
            words = label(parameter.label, "dim")
            words.setBuddy(editor.control)
            words.setToolTip(parameter.help)
            self._editors[parameter.name] = (self._side_by_side(words, editor), editor)
        themes.follow(self._measure)
        self._measure()
        self._show_those_that_count()

    def value(self) -> Configurable:
        """The last values that were right."""
        return self._value

    def sizeHint(self) -> QSize:
        """One line for all of them; what is narrower than that wraps."""
        shown = [holder.sizeHint() for holder, _ in self._editors.values() if not is_taken_away(holder)]
        gaps = self._flow.spacing() * max(0, len(shown) - 1)
        return QSize(sum(size.width() for size in shown) + gaps, max((size.height() for size in shown), default=0))

    def _side_by_side(self, words: QLabel, editor: Editor) -> QWidget:
        holder = QWidget(self)
        holder.setProperty("part", "clear")
        row = QHBoxLayout(holder)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_1)
        row.addWidget(words)
        row.addWidget(editor)
        self._flow.addWidget(holder)
        return holder

    def _editor(self, parameter: Parameter) -> Editor:
        if parameter.kind is ParameterKind.CHOICE:
            return ChoiceEditor(parameter, self)
        return LineEditor(parameter, self)

    def _edited(self) -> None:
        values: dict[str, Any] = {}
        for name, (_, editor) in self._editors.items():
            wrong = ""
            try:
                values[name] = editor.value()
            except ParameterError as error:
                wrong = error.sentence
            editor.mark(bool(wrong))
            if isinstance(editor, LineEditor):
                editor.control.setToolTip(wrong or editor.parameter.help)
                editor.control.setAccessibleDescription(wrong or editor.parameter.help)
        found = self._value.with_values(**values)
        if found != self._value:
            self._value = found
            self._show_those_that_count()
            self.changed.emit()

    def _show_those_that_count(self) -> None:
        for name, (holder, _) in self._editors.items():
            set_there(holder, self._value.enabled(name))

    def _measure(self) -> None:
        for _, editor in self._editors.values():
            metrics = editor.fontMetrics()
            if editor.parameter.kind is ParameterKind.CHOICE:
                words = max(metrics.horizontalAdvance(option.label) for option in editor.parameter.options)
                editor.setFixedWidth(words + themes.px(44))
            else:
                editor.setFixedWidth(metrics.horizontalAdvance("0") * CHARACTERS + themes.px(12))
