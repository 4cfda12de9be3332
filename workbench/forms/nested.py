"""A parameter that is a learner: which one, and that one's own form below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.core.learner import Learner
from algorithms.core.parameters import Parameter
from algorithms.core.registry import Registry
from workbench.forms.editors import CalmComboBox, Editor
from workbench.forms.form import ParameterForm


class LearnerEditor(Editor):
    """A combo box of all learners and the form of the chosen one."""

    wide = True

    def __init__(
        self,
        parameter: Parameter,
        *,
        registry: Registry,
        columns: Sequence[str],
        classes: Sequence[str],
        prefix: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parameter, parent)
        self._registry, self._columns, self._classes, self._prefix = registry, columns, classes, prefix
        self._box = QVBoxLayout()
        self._box.setSpacing(6)
        self._row.addLayout(self._box, 1)
        self.combo = CalmComboBox(self)
        for learner in (learner for family in registry.families().values() for learner in family):
            self.combo.addItem(learner.name, learner.id)
            self.combo.setItemData(self.combo.count() - 1, learner.sentence, Qt.ItemDataRole.ToolTipRole)
        self.combo.currentIndexChanged.connect(self._chosen)
        self._box.addWidget(self.combo)
        self.form: ParameterForm | None = None
        self._tried: frozenset[str] = frozenset()

    @property
    def control(self) -> QWidget:
        return self.combo

    def value(self) -> Any:
        made = None if self.form is None else self.form.value()
        if made is None:
            raise self.parameter.error("has an option that cannot be used" if self.form else "is not chosen")
        return self.parameter.validated(made)

    def show_value(self, value: Any) -> None:
        self.combo.blockSignals(True)
        self.combo.setCurrentIndex(-1 if value is None else self.combo.findData(value.id))
        self.combo.blockSignals(False)
        self._show_form(value)

    def set_tried(self, within: frozenset[str], is_tried: bool) -> None:
        super().set_tried(within, is_tried)
        self._tried = within
        if self.form is not None:
            self.form.set_tried(within)

    def _chosen(self) -> None:
        self._show_form(self._registry.learners.get(self.combo.currentData()))
        self.changed.emit()

    def _show_form(self, subject: type[Learner] | Learner | None) -> None:
        if self.form is not None:
            self.form.hide()
            self._box.removeWidget(self.form)
            self.form.deleteLater()
            self.form = None
        if subject is None:
            return
        self.form = ParameterForm(
            subject,
            registry=self._registry,
            columns=self._columns,
            classes=self._classes,
            prefix=self._prefix,
            parent=self,
        )
        self.form.set_tried(self._tried)
        self.form.setContentsMargins(12, 0, 0, 0)
        self.form.changed.connect(self.changed)
        self._box.addWidget(self.form)
