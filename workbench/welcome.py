"""What the window shows with nothing open: a place to drop a file, recent files, samples with a question each."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from algorithms.core.registry import Sample
from workbench.parts.buttons import accent_button, link_button, quiet_button
from workbench.parts.labels import label
from workbench.session import Session
from workbench.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4, set_property

COLUMNS: Final = 4
WIDTH: Final = 980
RECENT_SHOWN: Final = 5


class SampleCard(QPushButton):
    """A sample's question, what it is made of, and its size; a click opens it."""

    def __init__(self, sample: Sample) -> None:
        super().__init__()
        self.setProperty("part", "card")
        self.setObjectName(f"welcome.sample.{sample.id}")
        self.setAccessibleName(f"{sample.question} {sample.sentence}")
        self.setToolTip(f"{sample.name}: {sample.sentence}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(SPACE_4, SPACE_3, SPACE_4, SPACE_3)
        inside.setSpacing(SPACE_1)
        size = f"{sample.n_records:,} records" + (" · generated" if sample.generated else "")
        for text, part in ((sample.question, "heading"), (sample.sentence, "dim"), (size, "small")):
            words = label(text, part, wrap=True)
            words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            inside.addWidget(words)
        inside.addStretch(1)

    def sizeHint(self) -> QSize:
        inside = self.layout()
        return super().sizeHint() if inside is None else inside.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())


class DropArea(QFrame):
    """Where a file can be dropped, and the buttons that open one or paste a table."""

    open_asked = Signal()
    paste_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "drop")
        self.setObjectName("welcome.drop")
        self.setMinimumHeight(110)
        row = QHBoxLayout(self)
        row.setSpacing(SPACE_2)
        row.addStretch(1)
        row.addWidget(label("Drop a file here"))
        row.addWidget(label("CSV, Excel, ARFF, projects", "dim"))
        row.addSpacing(SPACE_2)
        row.addWidget(label("or"))
        row.addSpacing(SPACE_2)
        self.open = accent_button("Open...", "welcome.open", "Open a table (Ctrl+O)", self.open_asked.emit)
        row.addWidget(self.open)
        tip = "Open what was copied from a spreadsheet (Ctrl+V)"
        row.addWidget(quiet_button("Paste a table", "welcome.paste", tip, self.paste_asked.emit))
        row.addStretch(1)

    def show_over(self, over: bool) -> None:
        """Light up while a file hangs over the window."""
        set_property(self, "over", over)


class Welcome(QScrollArea):
    """The welcome page."""

    open_asked = Signal()
    paste_asked = Signal()
    file_asked = Signal(str)
    sample_asked = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setObjectName("welcome")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        page = QWidget()
        page.setProperty("part", "clear")
        self.setWidget(page)
        across = QHBoxLayout(page)
        across.addStretch(1)
        column = QWidget()
        column.setProperty("part", "clear")
        column.setMaximumWidth(WIDTH)
        across.addWidget(column, 100)
        across.addStretch(1)
        self._inside = QVBoxLayout(column)
        self._inside.setSpacing(SPACE_3)
        self._inside.addStretch(2)
        self._fill()
        self._inside.addStretch(3)
        self.setFocusProxy(self.drop.open)
        paste = QShortcut(QKeySequence(QKeySequence.StandardKey.Paste), self)
        paste.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        paste.activated.connect(self.paste_asked)

    def _fill(self) -> None:
        self._inside.addWidget(label("What would you like to predict?", "title"))
        self._inside.addWidget(
            label(
                "Open a table with a row for each case, such as a customer or a patient, and a column to predict "
                "from the others. A minute later you know how well that works.",
                "dim",
                wrap=True,
            )
        )
        self.drop = DropArea()
        self.drop.open_asked.connect(self.open_asked)
        self.drop.paste_asked.connect(self.paste_asked)
        self._inside.addWidget(self.drop)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(SPACE_1)
        self._inside.addLayout(self._recent)
        self._fill_recent()
        samples = [sample for sample in self._session.registry.samples if sample.on_welcome]
        if samples:
            self._inside.addSpacing(SPACE_2)
            self._inside.addWidget(label("Or try one of these", "heading"))
            self._inside.addLayout(self._cards(samples))

    def _cards(self, samples: list[Sample]) -> QGridLayout:
        grid = QGridLayout()
        grid.setSpacing(SPACE_3)
        for at, sample in enumerate(samples):
            card = SampleCard(sample)
            card.clicked.connect(lambda _checked=False, id=sample.id: self.sample_asked.emit(id))
            grid.addWidget(card, at // COLUMNS, at % COLUMNS)
        for column in range(COLUMNS):
            grid.setColumnStretch(column, 1)
        return grid

    def _fill_recent(self) -> None:
        paths = self._session.settings.recent_files[:RECENT_SHOWN]
        if not paths:
            return
        self._recent.addSpacing(SPACE_2)
        self._recent.addWidget(label("Recent", "heading"))
        for path in paths:
            row = QHBoxLayout()
            row.setSpacing(SPACE_3)
            name = link_button(Path(path).name, "welcome.recent", path)
            name.clicked.connect(lambda _checked=False, path=path: self.file_asked.emit(path))
            row.addWidget(name)
            row.addWidget(label(str(Path(path).parent), "small"))
            row.addStretch(1)
            self._recent.addLayout(row)
