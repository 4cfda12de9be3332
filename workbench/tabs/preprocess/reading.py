"""Bar that shows the import options of the table, and the form that corrects them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QWidget

from algorithms.data.convert_kind import cell_texts
from algorithms.io.reading import FORMATS, SheetList
from algorithms.io.servers import source_name
from algorithms.io.text.options import MOST_MINUTES
from algorithms.project.recipes import SUFFIX
from algorithms.text.sentences import counted
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.session.document import ImportSource
from workbench.session.session import Session
from workbench.style.theme import SPACE_2
from workbench.widgets.buttons import accent_button, link_button, switch
from workbench.widgets.fields import NumberField, drop_down, with_room
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import ElidedLabel, LinkLabel, WholeLabel, label, link, show_text, strong
from workbench.widgets.layouts import ClearWidget, FlowFrame, column_layout, named, row_layout, row_widget
from workbench.widgets.tables import Rows, TextTable

if TYPE_CHECKING:
    from algorithms.data.dataset import Dataset
    from algorithms.io.reading import RawRows
    from algorithms.io.text.options import Guess, ReadOptions

LOOK: Final = "Look at the file"
MOST_GUESSES: Final = 3
"""Number of guesses that stand below the line; the form lists all."""
MOST_LISTED: Final = 12
MOST_ROWS: Final = 12
"""Number of rows of the file in its preview: the first ones, and those that guesses are about."""
MOST_COLUMNS: Final = 30
ROLES: Final = {
    "table": "other table",
    "first row": "title",
    "names": "names",
    "units": "units",
    "totals": "total",
    "notes": "note",
}
"""What a row of the file is taken for, by the guess about it; any other row is a record."""
_SHEET_WIDTH: Final = 24
PREVIEW_HEIGHT: Final = 190
TYPED: Final = "columns with the types that the file gives them"

_FIXED_WIDTH: Final = "fixed width"
"""What stands for no delimiter: columns by position."""
_DELIMITERS: Final = (
    *((",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "bar  |"), (" ", "blanks")),
    (_FIXED_WIDTH, _FIXED_WIDTH),
)
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


class ImportOptionsBar(MadeInPieces, ClearWidget):
    """Line "Read as ..." of a file; its form corrects options and reads the file again."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__(parent)
        self._session = session
        self._reading: ImportSource | None = None
        self._recognised: ReadOptions | None = None
        self._sheets: tuple[str, ...] = ()
        self._task = LatestTask(session.jobs)
        self._rows_task = LatestTask(session.jobs)
        self._corrected: ReadOptions | None = None
        self.hide()
        self._make_by(self._make(), in_pieces)

    def _replaced(self) -> None:
        data = self._session.data
        path = None if data is None else data.origin.path
        self._task.stop()
        self._rows_task.stop()
        self._corrected = None
        self._panel.hide()
        self._preview.hide()
        self._guesses.hide()
        self._listed.hide()
        self.hide()
        self._reading = reading = self._session.reading or (None if path is None else ImportSource(path=path))
        if reading is None or any(each.is_named(reading.path or "") and not each.has_options for each in FORMATS):
            self._reading = None
            return
        self._recognised = None
        self._words.setText("")
        self._show_guesses("" if data is None else data.origin.description)
        self._change.setEnabled(False)
        self.show()  # at once, so that the table below does not move later
        if reading.path in self._session.jobs.unread_files:
            self._show_as_kept(reading)
            return
        self._task.run(LOOK, reading.look, partial(self._show, reading), lambda _error: self.hide(), self.hide)

    def _show_as_kept(self, reading: ImportSource) -> None:
        """Show the options kept in a project whose file must not be opened without permission."""
        from algorithms.io.text.options import describe

        kept = reading.read_as
        name = source_name(reading.path or "")
        self._say(f"Read from {name}" if kept is None else f"Read as: {describe(_corrected(kept, reading.options))}")
        self._change.setEnabled(True)

    # ---- guesses -------------------------------------------------------------------------------------------------

    def _all_guesses(self) -> tuple[Guess, ...]:
        """The guesses of the reading; first whether it follows that of another file."""
        reading = self._reading
        if reading is None:
            return ()
        own = () if reading.read_as is None else reading.read_as.guesses
        return (*([_remembered(reading.read_like, source_name(reading.path or ""))] if reading.read_like else []), *own)

    def _show_guesses(self, description: str) -> None:
        """Show guesses that are not usual, questions first, with links to their corrections; and all other remarks."""
        guesses = self._all_guesses()
        shown = sorted((each for each in guesses if not each.is_usual), key=lambda each: not each.is_question)
        for guess in shown:
            description = description.replace(guess.sentence, "")
        show_text(self._remarks, " ".join(description.split()))
        self._guesses.setText("<br>".join(_lines_of(shown, guesses, MOST_GUESSES)))
        self._guesses.setVisible(bool(shown))
        self._listed.setText("<br>".join(_lines_of(guesses, guesses, MOST_LISTED)))

    def _correct(self, target: str) -> None:
        """Read the file again with a correction; edits that this would discard are asked about first."""
        reading, (guess, choice) = self._reading, map(int, target.split("."))
        if reading is None:
            return
        correction = self._all_guesses()[guess].corrections[choice]
        from algorithms.io.text.options import ReadOptions

        options = correction.applied(reading.options or ReadOptions()) if correction.changes else ReadOptions()
        if self._session.saving.is_unsaved and self._corrected != options:
            self._corrected = options
            if not self._panel.isVisible():
                self._toggle()
            return
        self._open_again(options)

    def _show_preview(self, rows: RawRows, other: ReadOptions | None = None) -> None:
        """Show the first rows as they stand beside the first records as they were read.

        ``other`` are the recognised options of a sheet that is chosen but not read yet, so it has no records.
        """
        data = self._session.data
        if data is None or not rows:
            self._preview.hide()
            return
        recognised = other or self._recognised
        role_of = _roles(rows, self._all_guesses() if other is None else other.guesses, recognised)
        marked = [row for row in rows if row[0] in role_of]
        first = [row for row in rows if row not in marked][: max(4, MOST_ROWS - len(marked))]
        chosen = sorted({*marked[:MOST_ROWS], *first})[:MOST_ROWS]
        width = min(MOST_COLUMNS, max(len(cells) for _, cells in chosen))
        heading = ("Row", "Taken for", *(f"{place + 1}" for place in range(width)))
        padded = [
            (f"{number:,}", role_of.get(number, "record"), *cells[:width], *[""] * (width - len(cells)))
            for number, cells in chosen
        ]
        self._raw.show_rows((heading, *padded))
        self._read.show_rows(_first_records(data))
        self._read_part.setVisible(other is None)
        self._preview.show()

    def _preview_sheet(self) -> None:
        """Show the rows of the sheet that is chosen in the form; the records only if it is the sheet that was read."""
        reading, sheet, recognised = self._reading, self._sheet.currentData(), self._recognised
        if reading is None or recognised is None or reading.path in self._session.jobs.unread_files:
            return
        if recognised.query is None and sheet == recognised.sheet:
            self._rows_task.run(LOOK, reading.first_rows, self._show_preview, lambda _error: None)
            return

        def done(found: tuple[ReadOptions, RawRows]) -> None:
            self._show_preview(found[1], found[0])

        self._rows_task.run(LOOK, partial(reading.look_at_sheet, str(sheet)), done, lambda _error: self._preview.hide())

    def _sheet_picked(self) -> None:
        """The choice of a table replaces the query, which undo brings back; then show the rows of the table."""
        if self._query.text():
            index = self._sheet.currentIndex()
            self._query.selectAll()
            self._query.del_()
            self._sheet.setCurrentIndex(index)
        self._preview_sheet()

    def _query_edited(self, query: str) -> None:
        """A query replaces the table; without one the table that was read is chosen, or else the first."""
        if query.strip():
            self._sheet.setCurrentIndex(-1)
        elif self._sheet.currentIndex() < 0:
            read = None if self._recognised is None else self._recognised.sheet
            self._sheet.setCurrentIndex(max(0, self._sheet.findData(read)))

    def _open_again(self, options: ReadOptions) -> None:
        reading = self._reading
        if reading is None:
            return
        if reading.path is None:
            self._session.open_text(reading.text or "", options)
        else:
            allows_http = reading.options is not None and reading.options.allows_http
            options = replace(options.sampled_as(reading.options), allows_http=allows_http)
            self._session.open_file(reading.path, options, again=True)

    # ---- the form ------------------------------------------------------------------------------------------------

    def _look_and_open(self, reading: ImportSource) -> None:
        """Inspect the file, then open the form; errors go to the messages."""

        def done(looked: tuple[ReadOptions, SheetList]) -> None:
            self._show(reading, looked)
            self._toggle()

        self._task.run(LOOK, reading.look, on_done=done)

    def _say(self, words: str) -> None:
        self._words.setText(words)
        self._words.setAccessibleName(" ".join(filter(None, (f"{words}.", self._remarks.text()))))

    def _show(self, reading: ImportSource, looked: tuple[ReadOptions, SheetList]) -> None:
        from algorithms.io.text.options import describe

        read_as, (recognised, sheets) = reading.read_as, looked
        if read_as is not None and (reading.options is None or reading.options.missing is None):
            missing = read_as.missing  # they come from all records, not from the first ones
            recognised = replace(recognised, missing=missing)
        self._recognised, self._sheets = recognised, sheets.names
        shown_by_field = (_between_fields(recognised), recognised.encoding, recognised.header)
        for part, value in zip(self._parts_of_text, shown_by_field, strict=True):
            set_visible(value is not None, part)
        for part in self._parts_of_cells:
            set_visible(recognised.timeout is None, part)
        set_visible(recognised.timeout is not None, self._timeout_part)
        self._sheet_part.setVisible(len(sheets.names) > 1)
        self._sheet_title.setText(f"{sheets.word.capitalize()}{' or view' if sheets.views else ''}")
        set_visible(sheets.takes_query, self._query_part)
        self._sheet.clear()
        self._query.setText(" ".join((recognised.query or "").split()))
        for name in sheets.names:
            self._sheet.addItem(f"{name} {sheets.details(name)}".rstrip(), name)
        if recognised.query is None:
            _choose(self._sheet, recognised.sheet)
        else:
            self._sheet.setCurrentIndex(-1)
        shown = _corrected(recognised, reading.options)
        n_sheets = len(sheets.names)
        if n_sheets and shown.query is None:
            shown = replace(shown, sheet=f"{shown.sheet} (one of {n_sheets})" if n_sheets > 1 else None)
        self._say(f"Read as: {describe(shown, sheets.word_of(recognised.sheet)) or TYPED}")
        _choose(self._delimiter, _between_fields(shown))
        self._widths.setText(", ".join(map(str, shown.widths or ())))
        self._show_widths()
        _choose(self._decimal, shown.decimal or ".")
        _choose(self._encoding, _plain(shown.encoding))
        self._header.setChecked(shown.header is not False)
        self._missing.setText(", ".join(mark for mark in shown.missing or () if mark))
        self._timeout.setValue(round(shown.timeout or 0))
        self._change.setEnabled(True)

    def options(self) -> ReadOptions:
        """Options that differ from the recognised ones; the others are None."""
        from algorithms.io.text.options import ReadOptions, widths_in

        recognised = self._recognised or ReadOptions()
        if self._sheets:
            return self._options_of_sheet(recognised)
        if recognised.timeout is not None:
            return ReadOptions(timeout=self._timeout_given(recognised))
        delimiter, decimal = self._delimiter.currentData(), self._decimal.currentData()
        widths = widths_in(self._widths.text()) if delimiter == _FIXED_WIDTH else None
        if widths is not None and widths == recognised.widths and not self._are_widths_given():
            widths = None
        encoding, header = self._encoding.currentData(), self._header.isChecked()
        marks = self._marks()
        old_marks = tuple(mark for mark in recognised.missing or () if mark)
        is_as_before = delimiter == _between_fields(recognised)
        is_as_recognised = decimal == recognised.decimal and not is_as_before
        return ReadOptions(
            delimiter=None if is_as_before or delimiter == _FIXED_WIDTH else delimiter,
            widths=widths,
            decimal=None if is_as_recognised else decimal,  # an explicit mark settles ambiguous numbers
            encoding=None if encoding == _plain(recognised.encoding) else encoding,
            header=None if recognised.header in (None, header) else header,
            missing=None if marks == old_marks else ("", *marks),
        )

    def _options_of_sheet(self, recognised: ReadOptions) -> ReadOptions:
        """Options of a file with sheets: another sheet is recognised again, the same sheet keeps the form."""
        from algorithms.io.text.options import ReadOptions

        sheet, marks, query = self._sheet.currentData(), self._marks(), self._query.text().strip() or None
        if query is not None:
            is_same = query == " ".join((recognised.query or "").split())
            return ReadOptions(query=recognised.query if is_same else query)
        if sheet != recognised.sheet or recognised.query is not None:
            return ReadOptions(sheet=sheet)
        if recognised.timeout is not None:
            return ReadOptions(sheet=sheet, timeout=self._timeout_given(recognised))
        missing = None if marks == recognised.missing else ("", *marks)
        decimal = self._decimal.currentData()
        header = None if recognised.header is None else self._header.isChecked()
        return ReadOptions(sheet=sheet, header=header, missing=missing, decimal=decimal)

    def _are_widths_given(self) -> bool:
        given = None if self._reading is None else self._reading.options
        return given is not None and given.widths is not None

    def _show_widths(self) -> None:
        of_fixed_width = self._delimiter.currentData() == _FIXED_WIDTH
        set_visible(of_fixed_width and not self._parts_of_text[0].isHidden(), self._widths_part)

    def _timeout_given(self, recognised: ReadOptions) -> float | None:
        return None if self._timeout.value() == recognised.timeout else self._timeout.value()

    def _marks(self) -> tuple[str, ...]:
        return tuple(mark.strip() for mark in self._missing.text().split(",") if mark.strip())

    def _read_again(self) -> None:
        reading = self._reading
        if reading is None:
            return
        given = reading.options
        options = self.options() if self._corrected is None else self._corrected
        if given is not None and self._corrected is None and options.sheet in (None, given.sheet):
            rows = ("first_row", "head_rows", "units", "table", "totals", "notes", "dates", "missing_in", "kinds")
            options = replace(options, **{name: getattr(given, name) for name in rows})
        self._open_again(options)

    def _toggle(self) -> None:
        if self._recognised is None:
            if self._reading is not None:
                self._look_and_open(self._reading)
            return
        self._drops.setVisible(self._session.saving.is_unsaved)
        self._panel.setVisible(not self._panel.isVisible())
        self._guesses.setVisible(self._panel.isHidden() and bool(self._guesses.text()))
        self._listed.setVisible(self._panel.isVisible() and bool(self._listed.text()))
        self._preview.setVisible(False)
        if self._panel.isVisible():
            self._preview_sheet()
            first = next(w for w in (self._sheet, self._delimiter, self._missing, self._timeout) if w.isVisible())
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _make(self) -> Iterator[bool]:
        self._words = named(ElidedLabel("", "small"), "preprocess.read_as")
        self._change = link_button("change", "preprocess.read_as.change", "Correct how the file is read", self._toggle)
        self._change.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._remarks = named(WholeLabel("", "small"), "preprocess.read_as.remarks")
        self._remarks.hide()
        self._panel = FlowFrame(self)
        self._panel.hide()
        self._guesses = named(LinkLabel("", "small"), "preprocess.guesses", "What was taken from the file, and why")
        self._guesses.linkActivated.connect(self._correct)
        self._guesses.hide()
        self._listed = named(LinkLabel("", "small"), "preprocess.all_guesses", "All that was taken from the file")
        self._listed.linkActivated.connect(self._correct)
        self._listed.hide()
        self._preview = ClearWidget(self)
        self._preview.setFixedHeight(PREVIEW_HEIGHT)
        self._preview.hide()
        line = row_layout(self._words, self._change, 1, spacing=SPACE_2)
        parts = (self._remarks, self._guesses, self._panel, self._preview, self._listed)
        column_layout(line, *parts, inside=self, spacing=SPACE_2)
        yield True
        self._raw = TextTable("preprocess.raw_rows", "The first rows as they stand in the file")
        self._read = TextTable("preprocess.read_rows", "The first records as they were read")
        self._read_part = _titled("As it was read", self._read, self._preview)
        raw_part = _titled("In the file", self._raw, self._preview)
        row_layout(raw_part, self._read_part, inside=self._preview, spacing=SPACE_2)
        yield True
        yield from self._fill_panel()
        self._session.document_replaced.connect(self._replaced)

    def _fill_panel(self) -> Iterator[bool]:
        self._delimiter = _combo("preprocess.delimiter", "Between fields", _DELIMITERS)
        self._delimiter.currentIndexChanged.connect(self._show_widths)
        self._widths = named(
            QLineEdit(),
            "preprocess.widths",
            "Widths of the columns in characters",
            "Characters of each column, commas between them. The last column reaches to the end of the line. "
            "Empty: the columns of blanks in the file are the borders.",
        )
        self._widths.setPlaceholderText("10, 5, 8")
        self._widths.setFixedWidth(150)
        self._widths_part = _pair("Widths", self._widths)
        self._decimal = _combo("preprocess.decimal", "Decimal mark", _DECIMALS)
        self._encoding = _combo("preprocess.encoding", "Encoding", _ENCODINGS)
        self._header = named(switch("Names in the first row"), "preprocess.header")
        self._missing = named(
            QLineEdit(),
            "preprocess.missing",
            "Marks of missing values, besides an empty field",
            "Marks that stand for a missing value, commas between them. An empty field always is.",
        )
        self._missing.setFixedWidth(120)
        yield True
        self._sheet = drop_down("preprocess.sheet", "Sheet or table of the file", "", _SHEET_WIDTH)
        self._sheet.setMaxVisibleItems(20)
        self._sheet.setPlaceholderText("the query")
        self._sheet.activated.connect(self._sheet_picked)
        self._query = named(
            QLineEdit(),
            "preprocess.query",
            "Query of the database",
            "One SELECT statement; its result is read instead of the table. It cannot change the database.",
        )
        self._query.setPlaceholderText("SELECT ...")
        self._query.textChanged.connect(self._query_edited)
        self._query.setFixedWidth(260)
        self._query_part = _pair("Query", self._query)
        self._query_part.hide()
        self._sheet_title = label("Sheet", "small", of=self._sheet)
        self._sheet_part = row_widget(self._sheet_title, self._sheet, spacing=6)
        delimiter, encoding = _pair("Between fields", self._delimiter), _pair("Encoding", self._encoding)
        self._parts_of_text = (delimiter, encoding, self._header)
        decimal, missing = _pair("Decimal", self._decimal), _pair("Missing", self._missing)
        self._parts_of_cells = (decimal, missing)
        self._timeout = named(
            NumberField(),
            "preprocess.timeout",
            "Session timeout in minutes",
            "A session ends after so many minutes without a request of its visitor.",
        )
        self._timeout.setRange(1, MOST_MINUTES)
        self._timeout.setSuffix(" min")
        with_room(self._timeout)
        self._timeout_part = _pair("Session timeout", self._timeout)
        again = accent_button("Read again", "preprocess.read_again", "", self._read_again)
        self._drops = label("All changes so far are discarded.", "small")
        texts = (self._sheet_part, self._query_part, delimiter, self._widths_part, decimal, encoding)
        for part in (*texts, missing, self._header, self._timeout_part, again, self._drops):
            self._panel.flow.addWidget(part)


def _remembered(file: str, own: str) -> Guess:
    """The guess that the choices for a file fit this one, which is called ``own``."""
    from algorithms.io.text.options import Guess, OtherReading

    if file.endswith(SUFFIX):
        sentence = f"Read as the table from which {file} was saved."
    elif file == own:
        sentence = f"Read as you chose for {file} before: the file name and the columns are the same."
    else:
        alike = "the name differs in digits or months only, and the columns are the same"
        sentence = f"Read as you chose for {file}: {alike}."
    return Guess("remembered", sentence, (OtherReading("Read without these choices", {}, ""),))


def _lines_of(shown: Sequence[Guess], among: Sequence[Guess], most: int) -> list[str]:
    """Guesses as rich text, each with links to its corrections: number of the guess and of the correction."""
    lines = []
    for guess in shown[:most]:
        number = among.index(guess)
        links = [link(f"{number}.{choice}", each.label) for choice, each in enumerate(guess.corrections)]
        mark = strong("To decide: ") if guess.is_question else ""
        lines.append(f"{mark}{escape(guess.sentence)} {' · '.join(links)}")
    if len(shown) > most:
        lines.append(f"{counted(len(among) - most, 'more guess', 'more guesses')} in the form under “change”.")
    return lines


def _roles(rows: RawRows, guesses: Sequence[Guess], options: ReadOptions | None) -> dict[int, str]:
    """What rows of the file are taken for, by their number; those not in it are records."""
    role_of = {number: ROLES[each.key] for each in guesses if each.key in ROLES for number in each.rows}
    first = None if options is None else options.first_row
    if options is not None and first is not None and options.header is not False:
        for number in range(first, first + (options.head_rows or 1)):
            role_of.setdefault(number, ROLES["names"])
    for number, cells in rows:
        if not any(cell.strip() for cell in cells):
            role_of.setdefault(number, "empty")
    return role_of


def _first_records(data: Dataset) -> Rows:
    """The names with the kinds, and the first records as text."""
    n = min(MOST_COLUMNS, len(data.schema))
    attributes = data.schema.attributes[:n]
    first = data.take(np.arange(min(MOST_ROWS, len(data))))
    columns = [cell_texts(attribute, first.column(index)) for index, attribute in enumerate(attributes)]
    heading = tuple(f"{attribute.name}\n{attribute.kind.value}" for attribute in attributes)
    return (heading, *(tuple("?" if cell is None else cell for cell in row) for row in zip(*columns, strict=True)))


def _corrected(recognised: ReadOptions, given: ReadOptions | None) -> ReadOptions:
    """Recognised options, overridden by the ones the user gave."""
    if given is not None and (given.delimiter is not None or given.widths is not None):
        recognised = replace(recognised, delimiter=None, widths=None)
    places = ("first_row", "head_rows", "units", "table")
    fields = (*places, "delimiter", "widths", "decimal", "encoding", "header", "missing", "timeout")
    corrected = {name: getattr(given, name) for name in fields if getattr(given, name, None) is not None}
    return replace(recognised, **corrected)


def _between_fields(options: ReadOptions) -> str | None:
    """The choice that shows what parts the fields: a delimiter or fixed width; None for no text."""
    return options.delimiter if options.widths is None else _FIXED_WIDTH


def _combo(name: str, says: str, choices: tuple[tuple[str, str], ...]) -> QComboBox:
    width = max(4, min(9, max(len(text) for _, text in choices)))
    return drop_down(name, says, "", width, [(text, value) for value, text in choices])


def _choose(combo: QComboBox, value: str | None) -> None:
    index = combo.findData(value)
    if index < 0 and value is not None:
        combo.addItem(value, value)
        index = combo.count() - 1
    combo.setCurrentIndex(index)


def _plain(encoding: str | None) -> str | None:
    return {"utf-8-sig": "utf-8", "ascii": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(
        encoding or "", encoding
    )


def _titled(title: str, table: TextTable, parent: QWidget) -> QWidget:
    widget = ClearWidget(parent)
    column_layout(label(title, "small", of=table), table, inside=widget, spacing=4)
    return widget


def _pair(title: str, widget: QWidget) -> QWidget:
    return row_widget(label(title, "small", of=widget), widget, spacing=6)
