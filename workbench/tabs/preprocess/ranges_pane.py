"""Discretization of one numeric attribute: method, number of ranges or cut points, and a preview with counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from algorithms.core.errors import DataError
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.filters.discretize import (
    MOST_RANGES,
    Cuts,
    Distribution,
    equal_frequency,
    equal_width,
    range_counts,
    range_labels,
    typed_cuts,
)
from algorithms.text.names import shortened
from algorithms.text.numbers import percent, significant
from algorithms.text.sentences import counted, typeset
from workbench.jobs.jobs import LatestTask
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, set_property, themes
from workbench.widgets.buttons import accent_button, quiet_button, switch
from workbench.widgets.fields import ElidedComboBox, NumberField, with_room
from workbench.widgets.labels import label
from workbench.widgets.layouts import add_items, flowing, named, row_widget
from workbench.widgets.painting import pen_and_brush, saved
from workbench.widgets.panes import Pane
from workbench.widgets.tables import Index, set_row_height, show_as_list

FREQUENCY, WIDTH, TYPED = "equal-frequency", "equal-width", "typed"
WAYS: Final = ((FREQUENCY, "equal frequency"), (WIDTH, "equal width"), (TYPED, "custom cut points"))
USUAL: Final = 3
SHARE_ROLE: Final = Qt.ItemDataRole.UserRole
ROW: Final = 24
CONTROL: Final = 30
MOST_ROWS: Final = 6
FEW: Final = 5
"""A range with fewer records gets a warning."""


class RangesPane(Pane):
    """Form for the cuts of one attribute; the data changes only on ``cut_asked``."""

    cut_asked = Signal(str, tuple, bool, bool)
    """Name, cuts, whether to keep the numeric attribute, whether the cuts come from the data."""
    opened = Signal()
    closed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Discretize", parent=parent)
        self._session = session
        self._data: Dataset | None = None
        self._index = -1
        self._distribution: Distribution | None = None
        self._task = LatestTask(session.jobs)
        self.setObjectName("preprocess.ranges")
        self._build()
        self.hide()

    def open(self, name: str) -> None:
        data = self._session.data
        if data is None or data.schema.attributes[data.schema.index_of(name)].kind is not AttributeKind.NUMERIC:
            return
        self._data, self._index = data, data.schema.index_of(name)
        is_class = self._index == data.schema.class_index
        self.set_title(f"Discretize {shortened(name, 40, data.schema.names)}")
        self.setToolTip(name)
        self.set_facts("each range becomes a class" if is_class else "each range becomes one value")
        self._way.setCurrentIndex(0)
        self._count.setValue(USUAL)
        self._points.clear()
        self._keep.setChecked(True)
        self._distribution = None
        self._show_way()
        self.opened.emit()
        self.show()
        self._way.setFocus(Qt.FocusReason.OtherFocusReason)
        self._look(data)

    @property
    def is_open(self) -> bool:
        return self._data is not None

    def close_pane(self) -> None:
        self._task.stop()
        self._data, self._distribution = None, None
        self.hide()
        self.closed.emit()

    def follow(self, data: Dataset | None) -> None:
        """Follow a change of the data; close if the attribute is gone or not numeric any more."""
        if self._data is None:
            return
        name = self._data.schema.names[self._index]
        now = -1 if data is None or name not in data.schema else data.schema.index_of(name)
        if data is None or now < 0 or data.schema.attributes[now].kind is not AttributeKind.NUMERIC:
            self.close_pane()
            return
        is_same = data.same_column(now, self._data, self._index)
        self._data, self._index = data, now
        if not is_same:
            self._look(data)

    def _look(self, data: Dataset) -> None:
        """Sort the values in a job, then update the preview."""
        index = self._index

        def done(distribution: Distribution) -> None:
            self._distribution = distribution
            self._preview()

        what = "Sorting the numbers"
        self._task.run(what, lambda _context: Distribution.of(data.column(index)), on_done=done, says=what)
        self._preview()

    def _cuts(self) -> Cuts:
        """Cut points by the chosen method; raises :class:`DataError` if there are none."""
        if self._way.currentData() == TYPED:
            return typed_cuts(self._points.text())
        assert self._distribution is not None
        make = equal_width if self._way.currentData() == WIDTH else equal_frequency
        return make(self._distribution, self._count.value())

    def _preview(self) -> None:
        if self._distribution is None:
            self._refuse("Reading the values…", "")
            return
        try:
            cuts = self._cuts()
        except DataError as error:
            is_empty = self._way.currentData() == TYPED and not self._points.text().strip()
            self._refuse(self._span() if is_empty else str(error), "" if is_empty else "warning")
            return
        counts = range_counts(self._distribution, cuts)
        self._fill(range_labels(cuts), counts.tolist() if len(cuts) else ())
        self._say(*self._remark(counts))
        self._cut.setEnabled(len(cuts) > 0)

    def _remark(self, counts: IntArray) -> tuple[str, str]:
        assert self._distribution is not None
        few = int((counts < FEW).sum())
        if few:
            hold = counted(few, "range holds", "ranges hold")
            return f"{hold} fewer than {FEW} records: too few for a test.", "warning"
        if self._way.currentData() != TYPED and len(counts) < self._count.value():
            return f"Only {len(counts)} ranges are possible: too many records share a value.", ""
        missing = self._distribution.n_missing
        without = f" Missing: {counted(missing, 'record')}." if missing else ""
        return f"A value on a cut point belongs to the upper range.{without}", ""

    def _span(self) -> str:
        assert self._distribution is not None
        values = self._distribution.values
        ends = " to ".join(map(significant, values[[0, -1]] if len(values) else ()))
        return f"The numbers go from {ends}." if ends else "There is no number."

    def _refuse(self, words: str, tone: str) -> None:
        self._fill((), ())
        self._say(words, tone)
        self._cut.setEnabled(False)

    def _say(self, words: str, tone: str) -> None:
        self._words.setText(words)
        set_property(self._words, "tone", tone)

    def _fill(self, labels: tuple[str, ...], counts: Sequence[int]) -> None:
        table, most, total = self._table, max([1, *counts]), max(1, sum(counts))
        table.setRowCount(len(labels))
        for row, (name, count) in enumerate(zip(labels, counts, strict=True)):
            table.setItem(row, 0, QTableWidgetItem(typeset(name)))
            held = QTableWidgetItem(f"{counted(count, 'record')} · {percent(count / total, total)}")
            held.setData(SHARE_ROLE, count / most)
            table.setItem(row, 1, held)
        self._measure()

    def _show_way(self) -> None:
        is_typed = self._way.currentData() == TYPED
        self._points.setVisible(is_typed)
        self._count.setVisible(not is_typed)
        self._preview()

    def _cut_now(self) -> None:
        data = self._data
        if data is None or not self._cut.isEnabled():
            return
        name, cuts = data.schema.attributes[self._index].name, self._cuts()
        keep, is_from_data = self._keep.isChecked(), self._way.currentData() != TYPED
        self.close_pane()
        self.cut_asked.emit(name, cuts, keep, is_from_data)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_pane()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        ways = ElidedComboBox(choices=[(text, way) for way, text in WAYS])
        self._way = named(ways, "preprocess.ranges.how", "How to cut", "Where the borders of the ranges lie")
        self._count = named(NumberField(), "preprocess.ranges.count", "Number of ranges", "Into how many ranges")
        self._count.setRange(2, MOST_RANGES)
        self._count.setSuffix(" ranges")
        with_room(self._count)
        self._points = named(
            QLineEdit(),
            "preprocess.ranges.points",
            "Cut points",
            "Cut points, separated by commas; with semicolons, a comma is a decimal mark",
        )
        self._points.setPlaceholderText("for example 20.5, 31")
        self._keep = named(
            switch("Keep the numeric attribute (unused)"),
            "preprocess.ranges.keep",
            tip="Otherwise the ranges replace it. A used numeric attribute would reveal the ranges.",
        )
        self._cut = accent_button(
            "Discretize", "preprocess.ranges.cut", "Discretize now; undo takes it back", self._cut_now
        )
        cancel = quiet_button("Cancel", "preprocess.ranges.cancel", "Close without a change", self.close_pane)
        self._way.currentIndexChanged.connect(lambda _at: self._show_way())
        self._count.valueChanged.connect(lambda _n: self._preview())
        self._points.textChanged.connect(lambda _text: self._preview())
        self._points.returnPressed.connect(self._cut_now)
        fields = (self._way, self._count, self._points, self._keep)
        buttons = row_widget(self._cut, cancel, spacing=SPACE_2)
        asked = flowing(*fields, buttons, spacing=SPACE_2, least_height=CONTROL)
        self._words = named(label("", "small", wrap=True), "preprocess.ranges.words")
        self._table = self._made_table()
        add_items(self.body, asked, self._table, self._words)
        themes.follow(self._measure)

    def _made_table(self) -> QTableWidget:
        table = named(PreviewTable(0, 2), "preprocess.ranges.preview", "The ranges and how many records each holds")
        table.setHorizontalHeaderLabels(["Range", "Records"])
        table.setItemDelegateForColumn(1, ShareDelegate(table))
        header = show_as_list(table, several=True)
        header.hide()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        return table

    def _measure(self) -> None:
        set_row_height(self._table, themes.px(ROW))
        rows = min(MOST_ROWS, self._table.rowCount())
        self._table.setFixedHeight(rows * themes.px(ROW) + 2 * self._table.frameWidth())
        self._table.setVisible(rows > 0)


class PreviewTable(QTableWidget):
    """Table that Ctrl+C copies whole."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            cells = [[self.item(row, column) for column in (0, 1)] for row in range(self.rowCount())]
            lines = ["\t".join(cell.text() if cell is not None else "" for cell in line) for line in cells]
            QGuiApplication.clipboard().setText("\n".join(["Range\tRecords", *lines]))
        else:
            super().keyPressEvent(event)


class ShareDelegate(QStyledItemDelegate):
    """Paints the count of a range as a bar relative to the largest range, and as text."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, area = current_theme(), QRectF(option.rect)
        share = float(index.data(SHARE_ROLE) or 0.0)
        text = str(index.data())
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            room = max(0.0, min(area.width() - themes.px(150), themes.px(320)))
            bar = QRectF(area.left() + 8, area.center().y() - themes.px(6), max(2.0, room * share), themes.px(12))
            pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("accent"))
            painter.drawRoundedRect(bar, 2, 2)
            painter.setPen(theme.color("dim"))
            painter.setFont(themes.font(12))
            painter.drawText(area.adjusted(room + 18, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)
