"""Settings that have a name: one choice that sets several options, and says which of them are set now."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from algorithms.core.parameters import Configurable
from workbench.forms.editors import CalmComboBox
from workbench.widgets.labels import label

LABEL: Final = "Known as"
USUAL, OWN = "", "own"
_HELP: Final = "Settings that have a name in the field. Choosing one sets the options below; each can still be changed."


class PresetRow(QWidget):
    """The named settings of a learner; ``chosen`` comes with the learner that is wished."""

    chosen = Signal(object)

    def __init__(self, kind: type[Configurable], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = kind
        self.combo = CalmComboBox(self)
        self.combo.setObjectName(name)
        self.combo.setAccessibleName(f"{LABEL}: settings with a name")
        self.combo.setAccessibleDescription(_HELP)
        self._add("the usual settings", USUAL, "Every option as it is at first.")
        for preset in kind.presets:
            self._add(preset.name, preset.word, preset.help)
        self._add("your own settings", OWN, "Options are set as no named setting has them.")
        model = self.combo.model()
        assert isinstance(model, QStandardItemModel)
        model.item(self.combo.count() - 1).setEnabled(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        words = label(LABEL)
        words.setBuddy(self.combo)
        words.setToolTip(_HELP)
        row.addWidget(words)
        row.addWidget(self.combo, 1)
        self.combo.activated.connect(self._choose)
        self.show_in_force(kind())

    def show_in_force(self, value: Configurable | None) -> None:
        """Show by which name these settings go; None where they are none that can be."""
        preset = None if value is None else value.preset_in_force()
        is_usual = value is not None and not value.changed()
        self.combo.setCurrentIndex(self.combo.findData(USUAL if is_usual else OWN if preset is None else preset.word))
        said = self.combo.currentData(Qt.ItemDataRole.ToolTipRole)
        self.combo.setToolTip("\n".join((self.combo.currentText(), str(said), _HELP)))

    def _add(self, name: str, word: str, said: str) -> None:
        self.combo.addItem(name, word)
        self.combo.setItemData(self.combo.count() - 1, said, Qt.ItemDataRole.ToolTipRole)

    def _choose(self, at: int) -> None:
        word = self.combo.itemData(at)
        if word != OWN:
            self.chosen.emit(self._kind(**(self._kind.preset(word).values if word else {})))
