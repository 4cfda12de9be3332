"""How the table was read, in a line, and the place to correct it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from workbench.jobs.jobs import Job
from workbench.session.import_source import ImportSource
from workbench.session.session import Session
from workbench.style.theme import SPACE_2
from workbench.widgets.buttons import accent_button, link_button
from workbench.widgets.chips import FlowFrame
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import ElidedLabel, WholeLabel, label

if TYPE_CHECKING:
    from algorithms.io.text.options import ReadOptions

SELF_TOLD: Final = ".arff"
"""Files that say themselves how they are to be read."""
LOOK: Final = "Look at the file"
"""The job's title."""

_DELIMITERS: Final = ((",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar  |"), (" ", "blanks"))
_DECIMALS: Final = ((".", "point  1.5"), (",", "comma  1,5"))
_ENCODINGS: Final = (
    ("utf-8", "UTF-8"),
    ("cp1252", "Western European (Windows)"),
    ("latin-1", "Western European (Latin 1)"),
    ("cp1250", "Central European (Windows)"),
    ("cp1251", "Cyrillic (Windows)"),
    ("utf-16", "UTF-16"),
    ("gb18030", "Chinese"),
    ("shift_jis", "Japanese"),
)


class ImportOptionsBar(QWidget):
    """ "Read as ..." for a text or a workbook; opened, each part can be corrected and the whole read again."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._session = session
        self._reading: ImportSource | None = None
        self._recognised: ReadOptions | None = None
        self._sheets: tuple[str, ...] = ()
        self._job: Job | None = None
        self._build()
        self.hide()
        session.document_replaced.connect(self._replaced)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def _replaced(self) -> None:
        data = self._session.data
        path = None if data is None else data.origin.path
        self._panel.hide()
        self.hide()
        self._reading = reading = self._session.reading or (None if path is None else ImportSource(path=path))
        if reading is None or Path(reading.path or "").suffix.lower() == SELF_TOLD:
            self._reading = None
            return
        if self._job is not None:
            self._job.stop()
        self._recognised = None
        self._words.setText("")
        self._remarks.setText("" if data is None else data.origin.description)
        self._remarks.setVisible(bool(self._remarks.text()))
        self._change.setEnabled(False)
        self.show()  # its room is there before anything is known of the file: what is below does not move
        if reading.path in self._session.jobs.unread_files:
            self._show_as_kept(reading)
            return
        self._job = self._session.jobs.start(
            LOOK,
            lambda context: reading.look(context),
            on_done=lambda found: self._show(reading, *found),
            on_failed=lambda _: self._give_up(reading),
            on_stopped=lambda: self._give_up(reading),
        )

    def _show_as_kept(self, reading: ImportSource) -> None:
        """What a project says of a file that nothing may open before the person allows it."""
        from algorithms.io.text.options import describe

        kept = reading.read_as
        name = Path(reading.path or "").name
        self._say(f"Read from {name}" if kept is None else f"Read as: {describe(_corrected(kept, reading.options))}")
        self._change.setEnabled(True)

    def _look_and_open(self, reading: ImportSource) -> None:
        """Look at the file since the person wants to correct how it is read; an error is among the messages."""

        def done(recognised: tuple[ReadOptions, tuple[str, ...]]) -> None:
            if reading is self._reading:
                self._show(reading, *recognised)
                self._toggle()

        self._job = self._session.jobs.start(LOOK, lambda context: reading.look(context), on_done=done)

    def _say(self, words: str) -> None:
        """Show the words; to a screen reader also the remarks below them."""
        self._words.setText(words)
        self._words.setAccessibleName(" ".join(filter(None, (f"{words}.", self._remarks.text()))))

    def _give_up(self, reading: ImportSource) -> None:
        """How this file is read is not known: there is nothing to say of it, and nothing to correct."""
        if reading is self._reading:
            self.hide()

    def _show(self, reading: ImportSource, recognised: ReadOptions, sheets: tuple[str, ...]) -> None:
        from algorithms.io.text.options import describe

        if reading is not self._reading:
            return
        read_as = reading.read_as
        if read_as is not None and (reading.options is None or reading.options.missing is None):
            recognised = replace(recognised, missing=read_as.missing)  # all records were seen, not only the first
        self._recognised, self._sheets = recognised, sheets
        for part in self._parts_of_text:
            part.setVisible(not sheets)
        self._sheet_part.setVisible(len(sheets) > 1)
        self._sheet.clear()
        for name in sheets:
            self._sheet.addItem(name, name)
        _choose(self._sheet, recognised.sheet)
        shown = _corrected(recognised, reading.options)
        if len(sheets) == 1:
            shown = replace(shown, sheet=None)
        self._say(f"Read as: {describe(shown)}")
        _choose(self._delimiter, shown.delimiter)
        _choose(self._decimal, shown.decimal or ".")
        _choose(self._encoding, _plain(shown.encoding))
        self._header.setChecked(shown.header is not False)
        self._missing.setText(", ".join(mark for mark in shown.missing or () if mark))
        self._change.setEnabled(True)

    # ---- reading again ---------------------------------------------------------------------------------------------

    def options(self) -> ReadOptions:
        """What differs from what was recognised; the rest is left to be recognised."""
        from algorithms.io.text.options import ReadOptions

        found = self._recognised or ReadOptions()
        if self._sheets:
            return self._options_of_sheet(found)
        delimiter, decimal = self._delimiter.currentData(), self._decimal.currentData()
        encoding, header = self._encoding.currentData(), self._header.isChecked()
        marks = self._marks()
        known = tuple(mark for mark in found.missing or () if mark)
        is_as_found = decimal == found.decimal and delimiter != found.delimiter
        return ReadOptions(
            delimiter=None if delimiter == found.delimiter else delimiter,
            decimal=None if is_as_found else decimal,  # said outright it settles what has two readings
            encoding=None if encoding == _plain(found.encoding) else encoding,
            header=None if found.header is not None and header == found.header else header,
            missing=None if marks == known else ("", *marks),
        )

    def _options_of_sheet(self, found: ReadOptions) -> ReadOptions:
        """Another sheet is recognised anew; of the same one, what is seen is kept."""
        from algorithms.io.text.options import ReadOptions

        sheet, marks = self._sheet.currentData(), self._marks()
        if sheet != found.sheet:
            return ReadOptions(sheet=sheet)
        missing = None if marks == found.missing else ("", *marks)
        decimal = self._decimal.currentData()
        return ReadOptions(sheet=sheet, header=self._header.isChecked(), missing=missing, decimal=decimal)

    def _marks(self) -> tuple[str, ...]:
        return tuple(mark.strip() for mark in self._missing.text().split(",") if mark.strip())

    def _read_again(self) -> None:
        reading = self._reading
        if reading is None:
            return
        options = self.options()
        if reading.path is None:
            self._session.open_text(reading.text or "", options)
        else:
            self._session.open_file(reading.path, options)

    def _toggle(self) -> None:
        if self._recognised is None:
            if self._reading is not None:
                self._look_and_open(self._reading)
            return
        self._drops.setVisible(self._session.saving.is_unsaved)
        self._panel.setVisible(not self._panel.isVisible())
        if self._panel.isVisible():
            first = next(w for w in (self._sheet, self._delimiter, self._missing) if w.isVisible())
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    # ---- building --------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(SPACE_2)
        row = QHBoxLayout()
        row.setSpacing(SPACE_2)
        self._words = ElidedLabel("", "small")
        self._words.setObjectName("preprocess.read_as")
        row.addWidget(self._words, 0)
        self._change = link_button("change", "preprocess.read_as.change", "Correct how the file is read", self._toggle)
        self._change.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        row.addWidget(self._change)
        row.addStretch(1)
        whole.addLayout(row)
        self._remarks = WholeLabel("", "small")
        self._remarks.setObjectName("preprocess.read_as.remarks")
        self._remarks.hide()
        whole.addWidget(self._remarks)
        self._panel = FlowFrame()
        self._panel.hide()
        whole.addWidget(self._panel)
        self._fill_panel()

    def _fill_panel(self) -> None:
        self._delimiter = _combo("preprocess.delimiter", "Between fields", _DELIMITERS)
        self._decimal = _combo("preprocess.decimal", "Decimal mark", _DECIMALS)
        self._encoding = _combo("preprocess.encoding", "Encoding", _ENCODINGS)
        self._header = QCheckBox("Names in the first row")
        self._header.setObjectName("preprocess.header")
        self._missing = QLineEdit()
        self._missing.setObjectName("preprocess.missing")
        self._missing.setAccessibleName("Marks of missing values, besides an empty field")
        self._missing.setToolTip("Marks that stand for a missing value, commas between them. An empty field always is.")
        self._missing.setFixedWidth(120)
        flow = self._panel.flow
        self._sheet = _combo("preprocess.sheet", "Sheet of the workbook", (("", "a sheet's name"),))
        self._sheet.setMaxVisibleItems(20)
        self._sheet_part = _pair("Sheet", self._sheet)
        delimiter, encoding = _pair("Between fields", self._delimiter), _pair("Encoding", self._encoding)
        self._parts_of_text = (delimiter, encoding)
        decimal, missing = _pair("Decimal", self._decimal), _pair("Missing", self._missing)
        for part in (self._sheet_part, delimiter, decimal, encoding, missing):
            flow.addWidget(part)
        flow.addWidget(self._header)
        flow.addWidget(accent_button("Read again", "preprocess.read_again", "", self._read_again))
        self._drops = label("What was done so far is dropped.", "small")
        flow.addWidget(self._drops)


def _corrected(recognised: ReadOptions, given: ReadOptions | None) -> ReadOptions:
    """What was recognised, with what a person corrected."""
    fields = ("delimiter", "decimal", "encoding", "header", "missing")
    corrected = {name: getattr(given, name) for name in fields if getattr(given, name, None) is not None}
    return replace(recognised, **corrected)


def _combo(name: str, says: str, choices: tuple[tuple[str, str], ...]) -> QComboBox:
    made = ElidedComboBox()
    made.setObjectName(name)
    made.setAccessibleName(says)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    made.setMinimumContentsLength(max(4, min(9, max(len(text) for _, text in choices))))
    for value, text in choices:
        made.addItem(text, value)
    return made


def _choose(combo: QComboBox, value: str | None) -> None:
    """Show a value; one that is not in the list is added to it."""
    at = combo.findData(value)
    if at < 0 and value is not None:
        combo.addItem(value, value)
        at = combo.count() - 1
    combo.setCurrentIndex(at)


def _plain(encoding: str | None) -> str | None:
    return {"utf-8-sig": "utf-8", "ascii": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(
        encoding or "", encoding
    )


def _pair(title: str, widget: QWidget) -> QWidget:
    holder = QWidget()
    holder.setProperty("part", "clear")
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    words = label(title, "small")
    words.setBuddy(widget)
    row.addWidget(words)
    row.addWidget(widget)
    return holder
