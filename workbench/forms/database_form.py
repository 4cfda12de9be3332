"""The dialog that opens a table, a view or a query of a database on a server, and the form for a web address."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QStackedWidget,
    QWidget,
)

from algorithms.core.errors import CoppiceError, DataError, PasswordNeededError
from algorithms.core.run_control import RunContext
from algorithms.data.convert_kind import cell_texts
from algorithms.io.reading import SheetList, sheet_list
from algorithms.io.servers import SERVERS, ServerAddress, remember_password, remembered_password
from algorithms.io.text.options import ReadOptions
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.session.settings import Settings
from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4, themes
from workbench.widgets.buttons import SegmentTrack, accent_button, quiet_button, segment_button, set_caption, switch
from workbench.widgets.fields import NumberField, SearchField, drop_down
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, named, row_layout
from workbench.widgets.panes import FailureNote
from workbench.widgets.tables import TextTable

CONNECTIONS: Final = "connections"
"""Name of the setting with the addresses of databases opened last, none with its password."""
MOST_CONNECTIONS: Final = 10
PREVIEW: Final = 50
"""Number of records that a preview shows."""
WIDTH, HEIGHT = 760, 600
_NEW: Final = "New connection"
_EXISTING: Final = (("Write nothing", "refuse"), ("Append the records", "append"), ("Replace the table", "replace"))


class WebAddressForm(QWidget):
    """A line for an address on the web below a question, and whether it may be without encryption."""

    def __init__(self) -> None:
        super().__init__()
        self.line = named(QLineEdit(), "question_box.address", "Web address", "The address of a table on the web")
        self.line.setPlaceholderText("https://")
        self.line.setMinimumWidth(themes.px(420))
        tip = "Others on the network could read or change the file on its way."
        self.allows_http = named(switch("Allow an address without encryption (http)"), "question_box.http", tip=tip)
        column_layout(self.line, self.allows_http, inside=self, spacing=SPACE_2, margins=(0, SPACE_2, 0, SPACE_2))
        self.setFocusProxy(self.line)

    def address(self) -> str:
        """What was typed; https stands in front of an address without a scheme."""
        typed = self.line.text().strip()
        return typed if "://" in typed or not typed else f"https://{typed}"


Opened = Callable[[ServerAddress, ReadOptions], object]


def connections(settings: Settings) -> list[ServerAddress]:
    """The connections opened last, the latest first."""
    addresses = []
    for text in settings.get(CONNECTIONS, []):
        try:
            addresses.append(ServerAddress.of(str(text)))
        except DataError:
            continue
    return addresses


def remember_connection(settings: Settings, address: ServerAddress) -> None:
    others = [str(other) for other in connections(settings) if str(other) != str(address)]
    settings.set(CONNECTIONS, [str(address), *others][:MOST_CONNECTIONS])


class DatabaseForm(QDialog):
    """Server, database and user, then a list of tables or a query; ``on_open`` gets the address and what is read.

    With ``saves``, the name of a table, it asks where a table is written, and what becomes of one of that name.
    """

    def __init__(
        self,
        parent: QWidget,
        jobs: Jobs,
        settings: Settings,
        on_open: Opened,
        address: str | None = None,
        saves: str = "",
    ) -> None:
        super().__init__(parent)
        self._jobs, self._settings, self._on_open = jobs, settings, on_open
        self._task, self._looking = LatestTask(jobs), LatestTask(jobs)
        self._connected: ServerAddress | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._saves = bool(saves)
        self.setWindowTitle("Save data to a database" if saves else "Open a database")
        named(self, "database", self.windowTitle())
        self._build()
        self.table.setText(saves)
        self.resize(themes.px(WIDTH), themes.px(HEIGHT))
        known = connections(settings)
        if address is not None:
            self._show_address(ServerAddress.of(address))
        elif known:
            self._known.setCurrentIndex(1)
        self._show_step()
        (self.password if self.database.text() else self.host).setFocus()

    # ---- building --------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        choices = [(_NEW, None), *((f"{a.label} ({a.user})", str(a)) for a in connections(self._settings))]
        self._known = drop_down("database.connection", "Connection", "Connections opened last", 30, choices)
        self._known.currentIndexChanged.connect(self._choose_known)
        kinds = [(kind.name, scheme) for scheme, kind in SERVERS.items()]
        self.kind = drop_down("database.kind", "Kind of database", "", 16, kinds)
        self.kind.currentIndexChanged.connect(self._kind_changed)
        self.host = self._line("server", "Server", "The name or address of the server", "localhost")
        self.port = named(NumberField(), "database.port", "Port", "The port of the server")
        self.port.setRange(1, 65535)
        self.port.setGroupSeparatorShown(False)
        self.port.setValue(SERVERS[self.kind.currentData()].port)
        self.port.valueChanged.connect(self._changed)
        self.database = self._line("database", "Database", "The name of the database; of Oracle, of the service", "")
        self.user = self._line("user", "User", "The name of the user at the database", "")
        self.password = self._line("password", "Password", "It is kept in no file of the program", "")
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.keep = named(
            switch("Remember the password in the key ring"),
            "database.keep",
            tip="The key ring of the system keeps it. Otherwise it is asked for again after the program was closed.",
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_3)
        grid.setVerticalSpacing(SPACE_2)
        grid.setColumnStretch(1, 1)
        rows: tuple[tuple[tuple[str, QWidget], ...], ...] = (
            (("Connection", self._known), ("Kind", self.kind)),
            (("Server", self.host), ("Port", self.port)),
            (("Database", self.database), ("User", self.user)),
            (("Password", self.password),),
        )
        for row, pairs in enumerate(rows):
            for column, (words, widget) in enumerate(pairs):
                grid.addWidget(label(words, of=widget), row, 2 * column)
                grid.addWidget(widget, row, 2 * column + 1)
        grid.addWidget(self.keep, 3, 2, 1, 2)
        self._main = accent_button("Connect", "database.connect", "", self._go_on)
        self._main.setDefault(True)
        self._stop = quiet_button("Stop", "database.stop", "", self._stop_work)
        self._state = named(label("", "small"), "database.state")
        self._note = FailureNote("database")
        close = quiet_button("Cancel", "database.cancel", "", self.reject)
        buttons = row_layout((self._state, 1), self._stop, close, self._main, spacing=SPACE_2)
        margins = (SPACE_4, SPACE_4, SPACE_4, SPACE_4)
        self._chooser = self._choices()
        column_layout(grid, self._note, (self._chooser, 1), buttons, inside=self, spacing=SPACE_3, margins=margins)

    def _line(self, purpose: str, says: str, tip: str, hint: str) -> QLineEdit:
        line = named(QLineEdit(), f"database.{purpose}", says, tip)
        line.setPlaceholderText(hint)
        line.textChanged.connect(self._changed)
        return line

    def _choices(self) -> QWidget:
        """The list of tables and the query, one of which is shown."""
        self._by_table = segment_button("Table or view", "database.by_table", "", partial(self._choose_way, 0))
        self._by_query = segment_button("Query", "database.by_query", "", partial(self._choose_way, 1))
        self._look = quiet_button("Preview", "database.preview", f"The first {PREVIEW} records", self._preview)
        self._filter = SearchField("Find a table", "database.find")
        self._filter.textChanged.connect(self._find)
        self.tables = named(QListWidget(), "database.tables", "Tables and views")
        self.tables.itemSelectionChanged.connect(self._show_step)
        if not self._saves:
            self.tables.itemDoubleClicked.connect(lambda _item: self._open())
        self.query = named(QPlainTextEdit(), "database.query", "Query, one SELECT statement")
        self.query.setPlaceholderText("SELECT ... FROM ... WHERE ...")
        self.query.setTabChangesFocus(True)
        self.query.textChanged.connect(self._show_step)
        self._ways = QStackedWidget()
        self._ways.addWidget(self.tables)
        self._ways.addWidget(self.query)
        self.records = TextTable("database.records", "The first records")
        self.records.hide()
        self.table = named(QLineEdit(), "database.table", "Table", "The name of the table that is written")
        self.table.textChanged.connect(self._show_step)
        tip = "What is done if the database has a table of this name. All is one transaction."
        self.existing = drop_down("database.existing", "If it exists", tip, 18, _EXISTING)
        self.tables.itemClicked.connect(lambda item: self.table.setText(str(item.data(Qt.ItemDataRole.UserRole))))
        around = QWidget()
        self._unused: tuple[QWidget, ...]
        if self._saves:
            words = label("Table", of=self.table), label("If it exists", of=self.existing)
            head = row_layout(words[0], (self.table, 1), words[1], self.existing, spacing=SPACE_2)
            self._unused = SegmentTrack(self._by_table, self._by_query), self._filter, self._look
        else:
            track = SegmentTrack(self._by_table, self._by_query)
            head = row_layout(track, 1, self._filter, self._look, spacing=SPACE_2)
            self._unused = self.table, self.existing
        column_layout(head, (self._ways, 2), (self.records, 3), inside=around, spacing=SPACE_2)
        self._choose_way(0)
        return around

    # ---- the connection --------------------------------------------------------------------------------------------

    def _choose_known(self) -> None:
        text = self._known.currentData()
        if text is not None:
            self._show_address(ServerAddress.of(text))

    def _show_address(self, address: ServerAddress) -> None:
        self.kind.setCurrentIndex(self.kind.findData(address.kind.scheme))
        self.host.setText(address.host)
        self.port.setValue(address.port or address.kind.port)
        self.database.setText(address.database)
        self.user.setText(address.user)
        self._parameters = address.parameters
        self.password.clear()

    _parameters: tuple[tuple[str, str], ...] = ()

    def address(self) -> ServerAddress:
        """The address in the fields."""
        kind = SERVERS[self.kind.currentData()]
        host, database = self.host.text().strip() or "localhost", self.database.text().strip()
        address = ServerAddress(kind, host, database, self.user.text().strip(), self.port.value(), self._parameters)
        return ServerAddress.of(str(address))

    def _kind_changed(self) -> None:
        self.port.setValue(SERVERS[self.kind.currentData()].port)
        self._changed()

    def _changed(self) -> None:
        """Another connection is typed: what the one before listed is gone."""
        if self._connected is not None:
            self._connected = None
            self.tables.clear()
        self._show_step()

    def _go_on(self) -> None:
        if self._connected is None:
            self._connect()
        else:
            self._open()

    def _connect(self) -> None:
        try:
            address = self.address()
        except DataError as error:
            self._failed(error)
            return
        password, keep = self.password.text(), self.keep.isChecked()
        if password:
            self._jobs.passwords[str(address)] = password

        def work(context: RunContext) -> tuple[SheetList, bool]:
            found = sheet_list(str(address), context)
            if keep and password:
                return found, remember_password(address, password)
            return found, bool(password) or remembered_password(address) is not None or not address.user

        self._note.show_failure("")
        self._task.run("", work, partial(self._list, address, keep), self._failed, self._show_step)
        self._show_step(f"Connecting to {address.host}")

    def _list(self, address: ServerAddress, keep: bool, found: tuple[SheetList, bool]) -> None:
        listed, is_kept = found
        self._connected = address
        self.tables.clear()
        for name in listed.names:
            item = QListWidgetItem(f"{name}   {listed.details(name)}".rstrip(), self.tables)
            item.setData(Qt.ItemDataRole.UserRole, name)
        if self.tables.count():
            self.tables.setCurrentRow(0)
        if keep and not is_kept:
            self._note.show_failure("This system has no key ring that can keep the password.", "", is_stop=True)
        self._show_step()
        self.tables.setFocus()

    def _failed(self, error: object) -> None:
        """Show an error in its place; anything else is a bug."""
        self._show_step()
        if not isinstance(error, CoppiceError):
            self._jobs.report_bug(error)
            return
        if not isinstance(error, PasswordNeededError):
            self._note.show_failure(f"{error.sentence} {error.remedy}", "")
        else:
            self._note.show_failure(error.sentence, "")
            self._jobs.passwords.pop(error.address, None)
            self.password.setFocus()
            self.password.selectAll()

    # ---- what is read ----------------------------------------------------------------------------------------------

    def _choose_way(self, way: int) -> None:
        self._by_table.setChecked(way == 0)
        self._by_query.setChecked(way == 1)
        self._ways.setCurrentIndex(way)
        if not self._saves:
            self._filter.setVisible(way == 0)
        self.records.hide()
        self._show_step()

    def _find(self, words: str) -> None:
        for row in range(self.tables.count()):
            item = self.tables.item(row)
            item.setHidden(words.casefold() not in str(item.data(Qt.ItemDataRole.UserRole)).casefold())

    def options(self) -> ReadOptions | None:
        """What is read: the query or the chosen table, or the table that is written; None without one."""
        if self._saves:
            name = self.table.text().strip()
            return ReadOptions(sheet=name) if name else None
        if self._ways.currentWidget() is self.query:
            query = self.query.toPlainText().strip()
            return ReadOptions(query=query) if query else None
        item = self.tables.currentItem()
        return None if item is None else ReadOptions(sheet=str(item.data(Qt.ItemDataRole.UserRole)))

    def _preview(self) -> None:
        address, options = self._connected, self.options()
        if address is None or options is None:
            return

        def work(context: RunContext) -> list[list[str]]:
            from algorithms.io.databases import first_records

            data = first_records(str(address), context, options, PREVIEW)
            texts = [cell_texts(a, data.column(i)) for i, a in enumerate(data.schema.attributes)]
            rows = [["" if cell is None else cell for cell in row] for row in zip(*texts, strict=True)]
            return [list(data.schema.names), *rows]

        self._note.show_failure("")
        self._looking.run("", work, self._show_records, self._failed, self._show_step)
        self._show_step("Reading the first records")

    def _show_records(self, rows: list[list[str]]) -> None:
        self.records.show_rows(rows)
        self.records.show()
        self._show_step()

    def _open(self) -> None:
        address, options = self._connected, self.options()
        if address is None or options is None:
            return
        remember_connection(self._settings, address)
        self.accept()
        self._on_open(address, options)

    # ---- state -----------------------------------------------------------------------------------------------------

    def _show_step(self, doing: str = "") -> None:
        """Enable what can be done now; ``doing`` says what runs."""
        if not hasattr(self, "_chooser"):  # while it is built
            return
        is_busy = self._task.is_running or self._looking.is_running
        is_connected = self._connected is not None
        self._state.setText(doing if is_busy else "")
        self._stop.setVisible(is_busy)
        self._chooser.setEnabled(is_connected)
        self._look.setEnabled(not is_busy and self.options() is not None)
        set_caption(self._main, "Connect" if not is_connected else "Save" if self._saves else "Open")
        is_ready = self.options() is not None if is_connected else bool(self.database.text().strip())
        self._main.setEnabled(is_ready and not self._task.is_running)

    def _stop_work(self) -> None:
        self._task.stop()
        self._looking.stop()
        self._show_step()

    def done(self, result: int) -> None:
        self._stop_work()
        super().done(result)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.query.hasFocus():
            return  # a line of the query, not the button
        super().keyPressEvent(event)
