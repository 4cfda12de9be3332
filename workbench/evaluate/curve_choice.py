"""Which curve is shown: its kind, its options, and in a sentence how it is read."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.evaluation.curve_kind import CurveKind
from algorithms.evaluation.curve_kinds import ALL
from workbench.forms.row import OptionRow
from workbench.parts import ElidedLabel, label
from workbench.parts.fields import ElidedComboBox


class CurveChoice(QObject):
    """A list of the kinds, a row for the options of the chosen one, and the sentence. The pane lays them out.

    ``changed`` comes when another kind is chosen, or an option of it has another value.
    """

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._given: dict[str, CurveKind] = {kind.id: kind() for kind in ALL}
        self.kinds = ElidedComboBox()
        self.kinds.setObjectName("evaluate.curve.kind")
        self.kinds.setAccessibleName("Which curve")
        self.kinds.setMaxVisibleItems(len(ALL))
        for kind in ALL:
            self.kinds.addItem(kind.name, kind.id)
            self.kinds.setItemData(self.kinds.count() - 1, kind.sentence, Qt.ItemDataRole.ToolTipRole)
        self.options = QWidget()
        self.options.setProperty("part", "clear")
        self._holder = QVBoxLayout(self.options)
        self._holder.setContentsMargins(0, 0, 0, 0)
        self._forms: dict[str, OptionRow] = {}
        self.reading = label("", "dim", wrap=True)
        self.reading.setObjectName("evaluate.curve.reading")
        self.brief = ElidedLabel("", "dim")
        self.brief.setObjectName("evaluate.curve.reading.brief")
        self.kinds.currentIndexChanged.connect(self._chosen)
        self._show()

    @property
    def kind(self) -> CurveKind:
        """The chosen kind with its options."""
        return self._given[self.kinds.currentData()]

    @property
    def has_options(self) -> bool:
        return bool(self.kind.parameters())

    def choose(self, id: str) -> None:
        """Choose a kind by its id."""
        self.kinds.setCurrentIndex(self.kinds.findData(id))

    def _chosen(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        kind = self.kind
        if self.has_options and kind.id not in self._forms:
            form = OptionRow(kind, f"evaluate.curve.{kind.id}", self.options)
            form.changed.connect(self._edited)
            self._forms[kind.id] = form
            self._holder.addWidget(form)
        for id, form in self._forms.items():
            form.setVisible(id == kind.id)
        self.options.setVisible(self.has_options)
        self.reading.setText(kind.sentence)
        self.reading.setToolTip(f"Source: {kind.source}")
        self.kinds.setToolTip(kind.sentence)

    def _edited(self) -> None:
        found = self._forms[self.kind.id].value()
        if isinstance(found, CurveKind) and found != self.kind:
            self._given[found.id] = found
            self.changed.emit()
