"""Databases and web addresses are opened by forms in the window, and a password comes into no file."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QMessageBox, QPlainTextEdit, QPushButton

from algorithms.core.run_control import RunContext
from algorithms.io import servers
from algorithms.io.reading import ReadOptions
from algorithms.project.projects import load_project
from tests.expected_texts import files as wording
from tests.postgres import PASSWORD, PostgresServer
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, click, part
from workbench.app.main_window import MainWindow
from workbench.forms.database_form import CONNECTIONS, DatabaseForm
from workbench.widgets.buttons import CheckBox
from workbench.widgets.tables import TextTable


@pytest.fixture
def key_ring(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A key ring in memory, in place of the system's."""
    kept: dict[str, str] = {}

    def remember(address: Any, password: str | None) -> bool:
        if password is not None:
            kept[str(address)] = password
        return True

    monkeypatch.setattr(servers, "remembered_password", lambda address: kept.get(str(address)))
    monkeypatch.setattr("workbench.forms.database_form.remembered_password", lambda address: kept.get(str(address)))
    monkeypatch.setattr("workbench.forms.database_form.remember_password", remember)
    for name in ("PGPASSWORD", servers.PASSWORD_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    return kept


@pytest.fixture(scope="module")
def shop(postgres: PostgresServer) -> PostgresServer:
    server = postgres.fresh("shop")
    server.run(
        "CREATE TABLE customers AS SELECT i AS number, i * 1.5::float8 AS amount, 'town ' || i % 4 AS town, "
        "CASE WHEN i % 3 = 0 THEN 'yes' ELSE 'no' END AS bought FROM generate_series(1, 90) i",
        "CREATE VIEW buyers AS SELECT * FROM customers WHERE bought = 'yes'",
    )
    return server


@pytest.fixture
def form(stage: Stage, shop: PostgresServer, key_ring: dict[str, str]) -> Iterator[DatabaseForm]:
    """The form over an empty window, filled in but for the password."""
    window = stage.window(1280, 800)
    part(window, QAction, "welcome.database").trigger()
    form = part(window, DatabaseForm, "database")
    form.port.setValue(shop.port)
    for line, text in ((form.host, "127.0.0.1"), (form.database, shop.database), (form.user, "tester")):
        line.clear()
        QTest.keyClicks(line, text)
    yield form


def window_of(form: DatabaseForm) -> MainWindow:
    window = form.parentWidget().window()
    assert isinstance(window, MainWindow)
    return window


def connect(form: DatabaseForm, wait_until: Wait, password: str = PASSWORD) -> None:
    form.password.clear()
    QTest.keyClicks(form.password, password)
    click(part(form, QPushButton, "database.connect"))
    wait_until(lambda: form.tables.count() > 0 or bool(part(form, QLabel, "database.failure").text()))


def names(window: MainWindow) -> tuple[str, ...]:
    return () if window.session.data is None else window.session.data.schema.names


def files_with(word: str, *folders: Path) -> list[str]:
    """The files, and members of zip archives, in which a word stands in any encoding."""
    found = []
    for path in (each for folder in folders for each in folder.rglob("*") if each.is_file()):
        contents = {path.name: path.read_bytes()}
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                contents |= {f"{path.name}/{name}": archive.read(name) for name in archive.namelist()}
        spelled = [word.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-32-le")]
        found += [name for name, content in contents.items() if any(each in content for each in spelled)]
    return found


def test_a_table_is_chosen_from_a_list_and_its_project_reads_it_again_without_a_password_in_any_file(
    form: DatabaseForm, wait_until: Wait, tmp_path: Path, shop: PostgresServer, key_ring: dict[str, str]
) -> None:
    window = window_of(form)
    click(part(form, CheckBox, "database.keep"))
    connect(form, wait_until)
    listed = [form.tables.item(row).text() for row in range(form.tables.count())]
    assert any(wording.CUSTOMERS_WITH_90_RECORDS in text for text in listed)
    assert key_ring == {shop.address: PASSWORD}
    form.tables.setCurrentRow(next(row for row, text in enumerate(listed) if text.startswith("customers")))
    click(part(form, QPushButton, "database.preview"))
    records = part(form, TextTable, "database.records")
    wait_until(records.isVisible)
    assert records.model().rowCount() == 50
    click(part(form, QPushButton, "database.connect"))
    wait_until(lambda: "town" in names(window))
    session = window.session
    assert session.data is not None and len(session.data) == 90
    assert session.settings.recent_files[0] == f"{shop.address}?table=customers"
    assert session.settings.get(CONNECTIONS, []) == [shop.address]
    words = part(window, QLabel, "preprocess.read_as")
    wait_until(lambda: "customers" in words.accessibleName())

    project = tmp_path / "shop.coppice"
    job = session.saving.save_project(str(project))
    wait_until(lambda: not job.is_running)
    kept = load_project(str(project), session.registry).source
    assert kept.path == shop.address and kept.read_as is not None and kept.read_as.sheet == "customers"
    folders = [tmp_path, Path.home() / ".config" / "coppice", Path.home() / ".local" / "state" / "coppice"]
    assert files_with("customers", tmp_path) and files_with(PASSWORD, *folders) == []

    shop.run("INSERT INTO customers SELECT * FROM customers LIMIT 10")
    session.jobs.passwords.clear()
    window.open_file(str(project))
    wait_until(lambda: session.saving.path == str(project) and not session.jobs.running)
    assert shop.address in session.jobs.unread_files
    session.open_file(kept.path, ReadOptions(sheet="customers"))
    wait_until(lambda: session.data is not None and len(session.data) == 100)
    assert files_with(PASSWORD, *folders) == []
    shop.run("DELETE FROM customers WHERE ctid IN (SELECT ctid FROM customers ORDER BY ctid DESC LIMIT 10)")


def test_a_query_is_previewed_and_opened(form: DatabaseForm, wait_until: Wait) -> None:
    window = window_of(form)
    connect(form, wait_until)
    click(part(form, QPushButton, "database.by_query"))
    query, look = part(form, QPlainTextEdit, "database.query"), part(form, QPushButton, "database.preview")
    wrong, right = "DELETE FROM customers", "SELECT town, amount, bought FROM customers WHERE number <= 30"
    QTest.keyClicks(query, wrong)
    click(look)
    note = part(form, QLabel, "database.failure")
    wait_until(note.isVisible)
    assert wording.NO_SELECT_STATEMENT in note.text()
    query.setPlainText(right)
    click(part(form, QPushButton, "database.connect"))
    wait_until(lambda: names(window) == ("town", "amount", "bought"))
    assert window.session.data is not None and len(window.session.data) == 30
    assert window.session.settings.recent_files == ()
    words = part(window, QLabel, "preprocess.read_as")
    wait_until(lambda: "SELECT town" in words.accessibleName())


def test_a_wrong_password_is_asked_for_again_in_its_place(form: DatabaseForm, wait_until: Wait) -> None:
    connect(form, wait_until, "not-the-one")
    note = part(form, QLabel, "database.failure")
    assert wording.REFUSED_THE_PASSWORD in note.text() and "not-the-one" not in note.text()
    assert form.isVisible() and not form.tables.isEnabled()
    connect(form, wait_until)
    wait_until(lambda: form.tables.count() == 2)
    assert not note.isVisible()
    QTest.keyClicks(form.database, "x")
    assert form.tables.count() == 0
    form.reject()


def test_reading_without_a_password_opens_the_form_for_it(
    stage: Stage, shop: PostgresServer, key_ring: dict[str, str], wait_until: Wait
) -> None:
    window = stage.window(1280, 800)
    window.open_file(f"{shop.address}?table=customers")
    wait_until(lambda: window.findChild(DatabaseForm, "database") is not None)
    form = part(window, DatabaseForm, "database")
    assert (form.host.text(), form.port.value(), form.user.text()) == ("127.0.0.1", shop.port, "tester")
    assert form.password.text() == "" and form.password.echoMode() is QLineEdit.EchoMode.Password
    form.reject()


def test_a_query_that_runs_long_is_stopped(form: DatabaseForm, wait_until: Wait, shop: PostgresServer) -> None:
    connect(form, wait_until)
    click(part(form, QPushButton, "database.by_query"))
    part(form, QPlainTextEdit, "database.query").setPlainText("SELECT pg_sleep(60)")
    click(part(form, QPushButton, "database.preview"))

    def is_busy() -> bool:
        with shop.connect() as connection:
            row = connection.execute("SELECT count(*) FROM pg_stat_activity WHERE state = 'active'").fetchone()
        return bool(row[0] > 1)

    wait_until(is_busy)
    click(part(form, QPushButton, "database.stop"))
    wait_until(lambda: not is_busy())
    assert part(form, QPushButton, "database.preview").isEnabled()
    form.reject()


def test_a_query_is_written_for_a_database_file_where_its_reading_is_corrected(
    stage: Stage, wait_until: Wait, tmp_path: Path
) -> None:
    import sqlite3

    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as base:
        base.execute("CREATE TABLE people (name TEXT, size REAL, class TEXT)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?)", [(f"n{k % 5}", k / 4, "ab"[k % 2]) for k in range(60)])
    base.close()
    window = stage.window(1280, 800)
    window.open_file(str(path))
    wait_until(lambda: names(window) == ("name", "size", "class"))
    change = part(window, QPushButton, "preprocess.read_as.change")
    wait_until(change.isEnabled)
    click(change)
    line = part(window, QLineEdit, "preprocess.query")
    wait_until(line.isVisible)
    QTest.keyClicks(line, "SELECT size, class FROM people WHERE size < 5")
    QTest.keyClick(line, Qt.Key.Key_Tab)
    click(part(window, QPushButton, "preprocess.read_again"))
    wait_until(lambda: names(window) == ("size", "class"))
    assert window.session.data is not None and len(window.session.data) == 20
    assert RunContext().passwords == {} and part(window, QComboBox, "preprocess.sheet").count() == 1


def test_the_data_are_saved_to_a_database(
    stage: Stage, shop: PostgresServer, key_ring: dict[str, str], wait_until: Wait
) -> None:
    count = "SELECT count(*) FROM flowers"
    shop.run("DROP TABLE IF EXISTS flowers")
    key_ring[shop.address] = PASSWORD
    window = stage.window(1280, 800)
    window.session.settings.set(CONNECTIONS, [shop.address])
    window.files.open_sample("iris")
    wait_until(lambda: window.session.data is not None)
    for existing, n in (("refuse", 150), ("append", 300), ("replace", 150)):
        part(window, QAction, "save_to_database").trigger()
        wait_until(lambda: len(window.findChildren(DatabaseForm, "database")) == 1)
        form = part(window, DatabaseForm, "database")
        assert form.table.text() == "Iris"
        click(part(form, QPushButton, "database.connect"))
        wait_until(lambda form=form: form.tables.isEnabled())
        form.table.setText("flowers")
        form.existing.setCurrentIndex(form.existing.findData(existing))
        click(part(form, QPushButton, "database.connect"))
        wait_until(lambda: not window.session.jobs.running)
        with shop.connect() as connection:
            assert connection.execute(count).fetchone() == (n,)
    wait_until(lambda: any(wording.FLOWERS_SAVED in message.text for message in window.session.messages.history))


def test_a_web_address_is_typed_and_its_table_opened(stage: Stage, wait_until: Wait, tmp_path: Path) -> None:
    table = "size,class\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(60))
    (tmp_path / "web table.csv").write_text(table)
    handler = partial(QuietHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{server.server_port}/web%20table.csv"
        window = stage.window(1280, 800)
        part(window, QAction, "welcome.web").trigger()
        box = part(window, QMessageBox, "question_box")
        QTest.keyClicks(part(box, QLineEdit, "question_box.address"), address)
        click(part(box, QPushButton, "question_box.open"))
        messages = window.session.messages
        wait_until(lambda: any(wording.WITHOUT_ENCRYPTION in message.text for message in messages.history))
        assert window.session.data is None
        window.files.choose_web_address()
        wait_until(lambda: len(window.findChildren(QMessageBox, "question_box")) == 1)
        box = part(window, QMessageBox, "question_box")
        wait_until(box.isVisible)
        QTest.keyClicks(part(box, QLineEdit, "question_box.address"), address)
        click(part(box, CheckBox, "question_box.http"))
        click(part(box, QPushButton, "question_box.open"))
        wait_until(lambda: names(window) == ("size", "class"))
        assert window.session.reading is not None and window.session.reading.path == address
        assert window.session.settings.recent_files == (address,)
        server.shutdown()
        thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    """A server of files that logs nothing."""

    def log_message(self, *_: Any) -> None:
        """Nothing is logged."""
