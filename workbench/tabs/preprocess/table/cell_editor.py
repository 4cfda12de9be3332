"""One cell while it is typed into: what is refused is said under it, a nominal cell offers its values there."""

from __future__ import annotations

from enum import Enum
from typing import Final

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from algorithms.core.errors import DataError
from algorithms.data.editing import UnknownValueError, read_cell
from algorithms.data.schema import Attribute, AttributeKind
from workbench.style.theme import SPACE_1, SPACE_2, set_property, themes
from workbench.widgets.labels import label

MOST_OFFERED: Final = 200
ROWS_OFFERED: Final = 8
WIDEST: Final = 380


class CursorStep(Enum):
    """Where the cursor goes after a cell: rows down, columns to the right."""

    STAY = (0, 0)
    DOWN = (1, 0)
    UP = (-1, 0)
    RIGHT = (0, 1)
    LEFT = (0, -1)


class _Beneath(QFrame):
    """Under the cell, over whatever is there: a sentence and the values to choose from."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("part", "popover")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.says = label("", "cell", wrap=True)
        self.says.setObjectName("preprocess.cell.says")
        self.offered = QListWidget()
        self.offered.setObjectName("preprocess.cell.values")
        self.offered.setAccessibleName("Values to choose from")
        self.offered.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.offered.setUniformItemSizes(True)
        self.offered.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.offered.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(SPACE_1, SPACE_1, SPACE_1, SPACE_1)
        inside.setSpacing(SPACE_1)
        inside.addWidget(self.says)
        inside.addWidget(self.offered)
        self.hide()

    def fit(self, cell: QWidget) -> None:
        """Stand under the cell, or over it where there is more room."""
        has_words, n = bool(self.says.text()), self.offered.count()
        self.says.setVisible(has_words)
        self.offered.setVisible(n > 0)
        if not (has_words or n):
            self.hide()
            return
        width = max(cell.width(), themes.px(260 if has_words else 160))
        if n:
            width = max(width, min(themes.px(WIDEST), self.offered.sizeHintForColumn(0) + themes.px(28)))
        self.says.setFixedWidth(width - 2 * SPACE_2)
        height = 2 * SPACE_1 + (self.says.heightForWidth(width - 2 * SPACE_2) + SPACE_1 if has_words else 0)
        if n:
            row = max(1, self.offered.sizeHintForRow(0))
            self.offered.setFixedHeight(min(n, ROWS_OFFERED) * row + 2)
            height += self.offered.height()
        self.resize(width, height + 2)
        window = self._window
        at = cell.mapTo(window, QPoint(0, cell.height() + 2))
        if at.y() + self.height() > window.height():
            at.setY(max(0, at.y() - cell.height() - self.height() - 4))
        at.setX(max(0, min(at.x(), window.width() - self.width())))
        self.move(at)
        self.raise_()
        self.show()


class CellEditor(QLineEdit):
    """A line in a cell. Enter and Tab take what is typed, where it has a meaning in the column; Esc gives it up."""

    taken = Signal(object)
    """With the :class:`CursorStep` to go on by: the text is fit to be kept."""
    given_up = Signal()

    def __init__(self, attribute: Attribute, parent: QWidget) -> None:
        super().__init__(parent)
        self.attribute = attribute
        self.may_add = False
        self._before = ""
        self._asked: str | None = None
        self.setObjectName("preprocess.cell")
        self.setAccessibleName(f"{attribute.name}, {attribute.kind.value}")
        self.setProperty("part", "cell")
        self.setFrame(False)
        numeric = attribute.kind.is_float
        self.setAlignment(Qt.AlignmentFlag.AlignRight if numeric else Qt.AlignmentFlag.AlignLeft)
        self._beneath = _Beneath(parent.window())
        self._beneath.offered.itemClicked.connect(self._pick)
        self.textEdited.connect(self._typed)

    def begin(self, text: str) -> None:
        """Start from the cell as it is."""
        self._before = text
        self.setText(text)
        self._offer("")

    def go(self) -> None:
        """The cell is left: what stands under it goes."""
        self._beneath.hide()
        self._beneath.deleteLater()

    @property
    def is_changed(self) -> bool:
        return self.text() != self._before

    def fault(self) -> DataError | None:
        """Why the text cannot be kept as it is; None where it can."""
        if not self.is_changed:
            return None
        try:
            read_cell(self.attribute, self.text())
        except UnknownValueError as unknown:
            return None if self.may_add else unknown
        except DataError as error:
            return error
        return None

    # ---- keys ------------------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._acts_on(event):
            return True
        return super().event(event)

    def _acts_on(self, event: QKeyEvent) -> bool:
        key, shift = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.take(CursorStep.UP if shift else CursorStep.DOWN)
        elif key == Qt.Key.Key_Tab:
            self.take(CursorStep.LEFT if shift else CursorStep.RIGHT)
        elif key == Qt.Key.Key_Backtab:
            self.take(CursorStep.LEFT)
        elif key == Qt.Key.Key_Escape:
            self.given_up.emit()
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self._beneath.offered.count():
            self._mark(1 if key == Qt.Key.Key_Down else -1)
        else:
            return False
        return True

    def take(self, step: CursorStep) -> None:
        """Take the value that is marked, or the text; refuse what has no meaning, ask before a value is new."""
        marked = self._beneath.offered.currentItem()
        if marked is not None and not marked.isHidden():
            self.setText(marked.text())
        fault = self.fault()
        if isinstance(fault, UnknownValueError) and self._asked == self.text():
            self.may_add, fault = True, None
        if fault is None:
            self.taken.emit(step)
            return
        if isinstance(fault, UnknownValueError):
            self._asked = self.text()
            ordinal = " as the highest" if self.attribute.kind is AttributeKind.ORDINAL else ""
            self._say(f"{fault.sentence} Press Enter once more to add it{ordinal}, or Esc.", "warning")
        else:
            self._say(f"{fault.sentence} {fault.remedy}".strip(), "bad")

    def _say(self, words: str, tone: str) -> None:
        self._beneath.says.setText(words)
        set_property(self._beneath.says, "tone", tone)
        set_property(self, "invalid", bool(words))
        self.setAccessibleDescription(words)
        self._beneath.fit(self)

    # ---- the values offered ----------------------------------------------------------------------------------------

    def _typed(self, text: str) -> None:
        self._asked = None
        self._offer(text)
        self._say("", "")

    def _offer(self, text: str) -> None:
        """List the values that begin with the text, then those that hold it; mark the one it can only mean."""
        offered = self._beneath.offered
        offered.clear()
        if not self.attribute.kind.is_coded:
            return
        wanted = text.strip().casefold()
        folded = [(value.casefold(), value) for value in self.attribute.values]
        first = [value for fold, value in folded if fold.startswith(wanted)]
        rest = [value for fold, value in folded if wanted in fold and not fold.startswith(wanted)]
        for value in (first + rest)[:MOST_OFFERED]:
            item = QListWidgetItem(value)
            item.setToolTip(value)
            offered.addItem(item)
        if wanted and len(first) == 1:
            offered.setCurrentRow(0)
        self._beneath.fit(self)

    def _mark(self, by: int) -> None:
        offered = self._beneath.offered
        at = offered.currentRow() + by
        if at < 0:
            offered.clearSelection()
            offered.setCurrentRow(-1)
        elif at < offered.count():
            offered.setCurrentRow(at)

    def _pick(self, item: QListWidgetItem) -> None:
        self.setText(item.text())
        self._beneath.offered.setCurrentItem(item)
        self.take(CursorStep.STAY)

    def place(self) -> None:
        """The cell moved: what stands under it follows."""
        if self._beneath.isVisible():
            self._beneath.fit(self)
