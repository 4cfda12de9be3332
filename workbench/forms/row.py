"""A few declared parameters side by side on one line, where there is no room for a form."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from algorithms.core.errors import ParameterError
from algorithms.core.parameters import Configurable, Parameter, ParameterKind
from workbench.forms.editors import ChoiceEditor, Editor, LineEditor
from workbench.style.theme import SPACE_1, SPACE_2, themes
from workbench.widgets.labels import label
from workbench.widgets.visibility import set_there

CHARACTERS = 5
"""So many digits a field of numbers shows."""


class OptionRow(QWidget):
    """Choices and numbers of ``subject``; what is typed wrongly is marked, and its sentence is the field's tooltip.

    The editor of parameter ``bins`` is named ``<prefix>.bins``. ``changed`` comes when :meth:`value` is another.
    """

    changed = Signal()

    def __init__(self, subject: Configurable, prefix: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._value = subject
        self._editors: dict[str, tuple[QLabel, Editor]] = {}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_1)
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
            if self._editors:
                row.addSpacing(SPACE_2)
            row.addWidget(words)
            row.addWidget(editor)
            self._editors[parameter.name] = (words, editor)
        themes.follow(self._measure)
        self._measure()
        self._show_those_that_count()

    def value(self) -> Configurable:
        """The last values that were right."""
        return self._value

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
        for name, widgets in self._editors.items():
            for widget in widgets:
                set_there(widget, self._value.enabled(name))

    def _measure(self) -> None:
        for _, editor in self._editors.values():
            metrics = editor.fontMetrics()
            if editor.parameter.kind is ParameterKind.CHOICE:
                words = max(metrics.horizontalAdvance(option.label) for option in editor.parameter.options)
                editor.setFixedWidth(words + themes.px(44))
            else:
                editor.setFixedWidth(metrics.horizontalAdvance("0") * CHARACTERS + themes.px(12))
