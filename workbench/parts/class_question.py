"""After a table is opened: which column do you want to predict?"""

from __future__ import annotations

from html import escape

from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QVBoxLayout, QWidget

from algorithms.core.data import Kind
from workbench.parts.buttons import accent_button
from workbench.parts.labels import label
from workbench.session import Session
from workbench.theme import SPACE_2, SPACE_3, SPACE_4

NOTHING = "nothing yet"


class ClassQuestion(QWidget):
    """A calm bar with the best guess chosen; it goes when it is answered."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setObjectName("question")
        bar = QFrame()
        bar.setProperty("part", "question")
        outside = QVBoxLayout(self)
        outside.setContentsMargins(SPACE_4, SPACE_2, SPACE_4, 0)
        outside.addWidget(bar)
        row = QHBoxLayout(bar)
        row.setContentsMargins(SPACE_4, SPACE_2, SPACE_2, SPACE_2)
        row.setSpacing(SPACE_3)
        asked = label("Which column do you want to predict?", "heading")
        row.addWidget(asked)
        self.columns = QComboBox()
        self.columns.setObjectName("question.class")
        self.columns.setAccessibleName("Column to predict")
        self.columns.setMinimumWidth(160)
        self.columns.setMaximumWidth(300)
        self.columns.activated.connect(self._chosen)
        row.addWidget(self.columns)
        self._words = label("", "dim", wrap=True, rich=True)
        row.addWidget(self._words, 1)
        self.done = accent_button("That is it", "question.done", "Take this column", self.hide)
        row.addWidget(self.done)
        session.data_changed.connect(self._refresh)
        session.summary_changed.connect(self._explain)
        session.document_replaced.connect(self.show)
        self._refresh()
        self.hide()

    def _chosen(self, at: int) -> None:
        data = self._session.data
        if data is None:
            return
        name = None if at == 0 else data.schema.names[at - 1]
        current = None if data.schema.class_index is None else data.schema.class_attribute.name
        if name != current:
            self._session.set_class(name)

    def _refresh(self) -> None:
        data = self._session.data
        names = () if data is None else data.schema.names
        self.columns.blockSignals(True)
        shown = tuple(self.columns.itemText(i) for i in range(1, self.columns.count()))
        if shown != names:
            self.columns.clear()
            self.columns.addItems([NOTHING, *names])
        at = None if data is None else data.schema.class_index
        self.columns.setCurrentIndex(0 if at is None else at + 1)
        self.columns.blockSignals(False)
        self._explain()

    def _explain(self) -> None:
        self._words.setText(self._explained())

    def _explained(self) -> str:
        data, summary = self._session.data, self._session.summary
        if data is None or data.schema.class_index is None:
            return "Choose the column that is known for these records and wanted for others."
        attribute = data.schema.class_attribute
        if attribute.kind in (Kind.NUMERIC, Kind.DATE):
            return "These are numbers: a class needs a few values. Change the column's kind below, or choose another."
        if not attribute.kind.is_coded:
            return (
                f"This column is {attribute.kind.value}: a class needs a few values. Choose another, or its kind below."
            )
        if summary is None or summary.class_counts is None or len(summary.class_counts) != len(attribute.values):
            return f"{len(attribute.values)} classes"
        counts = sorted(zip(summary.class_counts, attribute.values, strict=True), key=lambda pair: -pair[0])
        named = ", ".join(f"{escape(value)} {count:,.0f}" for count, value in counts[:4])
        more = f" and {len(counts) - 4} more" if len(counts) > 4 else ""
        return f"{len(counts)} classes: {named}{more}"
