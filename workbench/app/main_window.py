"""The window: top line, honesty strip, the tabs with the ledger beside them, the job strip; or the welcome page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from PySide6.QtCore import QByteArray, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QGridLayout,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.app.actions import Actions, keys_of
from workbench.app.preparation import ImportWarmUp, PreparationQueue, imports, load_for_workers
from workbench.app.selection_bar import SelectionBar
from workbench.app.start_page import ProjectLoadingPage, StartPages, WelcomePage
from workbench.app.top_line import PROGRAM, TAB_NAMES, TopBar, shown_name
from workbench.app.window_tabs import RunsBeside, Tabs, enter, go_on_in
from workbench.files.files import Files
from workbench.jobs.jobs import Job
from workbench.jobs.messages import MessageTone
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4, themes
from workbench.tabs.tab import Step
from workbench.warnings.warning_list import WarningList
from workbench.widgets.help import HelpWindow, as_plain_text
from workbench.widgets.job_strip import JobStrip
from workbench.widgets.message_bar import MessageBar

AFTER_OPENING_MS: Final = 500
"""A table that was opened is in view by then; only after that the other tabs are prepared."""


class MainWindow(QMainWindow):
    """Everything a person sees of one session. Tabs are made when they are first needed, or when nothing else is."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._loading: Job | None = None
        self._agreed_to_close = False
        self._help: HelpWindow | None = None
        self._warm_up = ImportWarmUp(self)
        self._warm_up.done.connect(self._warm)
        self._first_tab = 0
        self._pieces: Iterator[Step] = iter(())
        self._preparation = PreparationQueue(self._steps(), self, lambda: self.session.turns.is_busy)
        self.setObjectName("main")
        self.setWindowTitle(PROGRAM)
        self.setAcceptDrops(True)
        self.setMinimumSize(960, 560)
        menu = QMenu(self)
        menu.setObjectName("menu.items")
        self.files = Files(session, self)
        self.files.opening.connect(self._make_way)
        self.files.settled.connect(self.prepare)
        self.actions_ = Actions(self, session)
        self.actions_.fill(menu)
        self.top = TopBar(session, menu)
        self.top.tabs.currentChanged.connect(self._show_tab)
        self.top.open_asked.connect(self.files.choose_file)
        self.top.ledger_toggled.connect(self._toggle_ledger)
        self.top.help.clicked.connect(lambda _checked=False: self.show_help())
        self._lay_out()
        session.document_replaced.connect(self._document_replaced)
        session.document_replaced.connect(self.strip.begin_anew)
        session.data_changed.connect(self._data_changed)
        session.saving.changed.connect(self._title)
        session.tab_asked.connect(self._show_tab_named)
        session.saving_asked.connect(self.files.choose_where_to_save)
        themes.changed.connect(self._fit_ledger)
        self._show_place()
        self._restore_geometry()

    @property
    def folder(self) -> str:
        """Where the person last opened or saved a file: every question for one begins there."""
        return self.session.settings.folder

    @folder.setter
    def folder(self, folder: str) -> None:
        self.session.settings.folder = folder

    def _lay_out(self) -> None:
        self.honesty = WarningList(self.session)
        self.messages = MessageBar(self.session.messages)
        self.strip = JobStrip(self.session.jobs, self.session.messages, self.session.undo_stack)
        self.selection_bar = SelectionBar(self.session)
        self.selection_bar.keep_asked.connect(self.files.open_selected)
        self.selection_bar.save_asked.connect(self.files.choose_where_to_save_selected)
        self.welcome = WelcomePage(self.session)
        self.welcome.open_asked.connect(self.files.choose_file)
        self.welcome.paste_asked.connect(self.files.paste)
        self.welcome.file_asked.connect(self.files.open_file)
        self.welcome.sample_asked.connect(self.files.open_sample)
        self.tabs = Tabs(self.session)
        self._beside = RunsBeside(self.session, self.tabs)
        document = QWidget()
        inside = QVBoxLayout(document)
        inside.setContentsMargins(SPACE_4, SPACE_2, SPACE_4, SPACE_3)
        inside.addWidget(self._beside)
        self.settling = ProjectLoadingPage(self.session)
        self.settling.changed.connect(self.strip.show_settling)
        self._place = QStackedWidget()
        self._place.addWidget(StartPages(self.welcome, self.files.begun))
        self._place.addWidget(document)
        whole = QWidget()
        whole.setObjectName("window")
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        column.addWidget(self.messages)
        page, beneath = QGridLayout(), QVBoxLayout()
        beneath.addWidget(self.honesty)
        beneath.addWidget(self._place, 1)
        page.addLayout(beneath, 0, 0)
        page.addWidget(self.settling, 0, 0)
        column.addLayout(page, 1)
        column.addWidget(self.strip)
        self.strip.add_part(self.selection_bar)
        self.selection_bar.left.connect(self._go_on_without_selection)
        self.session.selection.changed.connect(self._share_last_line)
        self.setCentralWidget(whole)

    def _share_last_line(self) -> None:
        self.strip.share_line(len(self.session.selection) > 0)

    # ---- where the person is ---------------------------------------------------------------------------------------

    def _show_place(self) -> None:
        is_open = self.session.data is not None
        self._place.setCurrentIndex(1 if is_open else 0)
        self.honesty.setVisible(is_open)  # with the page, so that neither moves the other
        self.top.show_open(is_open)
        if not is_open:
            self.welcome.setFocus()
        self._title()

    def _data_changed(self) -> None:
        self.tabs.tab(0)  # it must be there before it hears that the document was replaced
        self._title()

    def _title(self, _value: object = None) -> None:
        name = shown_name(self.session)
        edited = " *" if self.session.saving.is_unsaved else ""
        self.setWindowTitle(f"{name}{edited} - {PROGRAM}" if name else PROGRAM)

    def warm_up(self, then: Callable[[], object] = lambda: None) -> None:
        """Import what the tabs need beside the window, do what is to be done ``then``, and make the tabs while the
        welcome page stands."""
        self._warm_up.done.connect(then)
        self._warm_up.begin()

    def _document_replaced(self) -> None:
        self.settling.begin()
        if self._warm_up.is_running:
            return
        for message in self.session.messages.open:
            if message.tone is MessageTone.ERROR:  # it was about what is no longer there; past messages keep it
                self.session.messages.dismiss(message)
        self._first_tab = self._place_of_document()
        self._pieces = self.tabs.pieces(self._first_tab)
        self.session.turns.later(self._make_first_tab)
        self._preparation.begin(AFTER_OPENING_MS)

    def _make_first_tab(self) -> None:
        """Make the tab in which the document was left piece by piece, then show it."""
        step = next(self._pieces, None)
        if step is not None:
            step()
            self.session.turns.later(self._make_first_tab)
        else:
            self.session.turns.later(self._show_place, self._show_first_tab, self.settling.show_behind)

    def _show_first_tab(self) -> None:
        self.top.tabs.setCurrentIndex(self._first_tab)
        self._show_tab(self._first_tab)

    def _place_of_document(self) -> int:
        """The tab in which the document was left, with its ledger as it was; the first for a new one."""
        tab, ledger = self.session.place.get("tab"), self.session.place.get("ledger")
        at = TAB_NAMES.index(tab) if tab in TAB_NAMES else 0
        if isinstance(ledger, bool):
            self._beside.choose(TAB_NAMES[at], ledger)
        return at

    @property
    def _tab_name(self) -> str:
        return TAB_NAMES[self.top.tabs.currentIndex()]

    def show_tab(self, at: int) -> None:
        """Bring a tab into view, where a table is open."""
        if self.session.data is not None:
            self.top.tabs.setCurrentIndex(at)

    def _show_tab_named(self, name: str) -> None:
        self.show_tab([tab.lower() for tab in TAB_NAMES].index(name))

    def _show_tab(self, at: int) -> None:
        if self.session.data is None or self._warm_up.is_running:
            return
        self.honesty.make_room()
        self.tabs.show_page(self.tabs.tab(at), self._show_ledger)
        self.session.set_place(tab=TAB_NAMES[at], ledger=self.top.ledger.isChecked())
        if not self.top.tabs.hasFocus():  # who walks along the tabs with the arrow keys stays there
            self.session.turns.later(self._focus_main_view)

    def _focus_main_view(self) -> None:
        if self.session.turns.is_busy:  # the tab is still being filled
            self.session.turns.later(self._focus_main_view)
        else:
            enter(self._tab_name, self.tabs.tab(self.top.tabs.currentIndex()))

    def _go_on_without_selection(self) -> None:
        go_on_in(self._tab_name, self.tabs.tab(self.top.tabs.currentIndex()))

    def _warm(self) -> None:
        if self.session.data is not None:
            self._document_replaced()
        else:
            self._prepare()

    def prepare(self) -> None:
        """Make what is needed soon, in steps, while nobody waits for it."""
        self._load_for_workers()
        self._prepare()

    def _prepare(self) -> None:
        """Go on preparing unless the window would wait for an import of another thread, or a person for a table: then
        only what the table is shown in is made."""
        if not self._warm_up.is_running and not self._only_waits:
            self._preparation.begin()

    @property
    def _only_waits(self) -> bool:
        """Whether somebody waits for a table, and nothing is left to do for it but to read it."""
        return self.files.is_opening and self.tabs.is_whole(0)

    def _load_for_workers(self) -> None:
        self._loading = self.session.jobs.start("", load_for_workers)

    def _steps(self) -> Iterator[Step]:
        yield from self.tabs.pieces(0)
        yield self._make_first
        yield from imports()
        for at in range(len(TAB_NAMES)):
            yield from self.tabs.steps(at)
        yield self._make_ledger

    def _make_first(self) -> None:
        self.tabs.tab(0)
        if self._only_waits:
            self._preparation.stop()

    # ---- the ledger ------------------------------------------------------------------------------------------------

    def _show_ledger(self) -> None:
        self.top.ledger.setChecked(self._beside.show_in(self._tab_name, self.width()))

    def _make_ledger(self) -> None:
        self._beside.make(self.width())

    def _fit_ledger(self) -> None:
        """The window or the text has another size."""
        if self._beside.is_made:
            self._show_ledger()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_ledger()

    def _toggle_ledger(self) -> None:
        self._beside.choose(self._tab_name, self.top.ledger.isChecked())
        self.session.set_place(ledger=self.top.ledger.isChecked())
        self._show_ledger()

    # ---- the selection ---------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape that nothing else wanted selects nothing; where something was typed, it means that."""
        if event.key() == Qt.Key.Key_Escape and self.session.selection.n_chosen and not self._typed():
            self.session.selection.clear()
            event.accept()
        else:
            super().keyPressEvent(event)

    def _typed(self) -> str:
        """What stands in the field that has the keyboard; empty where it is none."""
        field = self.focusWidget()
        if isinstance(field, (QLineEdit, QAbstractSpinBox)):
            return field.text()
        return field.toPlainText() if isinstance(field, QPlainTextEdit) else ""

    # ---- opening ---------------------------------------------------------------------------------------------------

    def open_file(self, path: str) -> None:
        """Open a file, after asking where something would be lost."""
        self.files.open_file(path)

    def open_sample(self, id: str) -> None:
        """Open a sample, after asking where something would be lost."""
        self.files.open_sample(id)

    def _make_way(self) -> None:
        """Somebody waits for a table: nothing is prepared meanwhile."""
        self._warm_up.give_way()
        if self.tabs.is_whole(0):
            self._preparation.stop()
        if self._loading is not None:
            self._loading.stop()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and event.mimeData().urls()[0].isLocalFile():
            event.acceptProposedAction()
            self.welcome.drop.show_over(True)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self.welcome.drop.show_over(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self.welcome.drop.show_over(False)
        event.acceptProposedAction()
        self.files.open_file(event.mimeData().urls()[0].toLocalFile())

    # ---- looks and help --------------------------------------------------------------------------------------------

    def choose_theme(self, choice: str) -> None:
        themes.choose(choice)
        self.session.settings.set("theme", choice)

    def step_text(self, steps: int) -> None:
        themes.step_scale(steps)
        self.session.settings.set("text_scale", themes.scale)

    def set_text_scale(self, scale: float) -> None:
        themes.set_scale(scale)
        self.session.settings.set("text_scale", scale)

    def show_help(self) -> None:
        """The page of help about the tab in view, in a window of its own."""
        is_open = self.session.data is not None
        name = self._tab_name.lower() if is_open else "start"
        window = self._beside_window()
        window.set_keys(keys_of(self.actions_, self.tabs.made()))
        window.show_page(name)

    def show_about(self) -> None:
        self._beside_window().show_page("about")

    def show_messages(self) -> None:
        """What was said since the start, the latest first."""
        said = [f"- {m.time:%H:%M:%S} {as_plain_text(m.text)}" for m in reversed(self.session.messages.history)]
        self._beside_window().show_text("\n".join(["# Past messages", "", *(said or ["Nothing was said yet."])]))

    def _beside_window(self) -> HelpWindow:
        if self._help is None:
            self._help = HelpWindow(self)
        return self._help

    # ---- the end ---------------------------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask where something would be lost; then stop the jobs and end their threads."""
        running = [job for job in self.session.jobs.running if job.worth_asking]
        if not self._agreed_to_close and (running or self.session.saving.is_unsaved):
            event.ignore()
            self.files.ask_before_closing(running, self._close_now)
            return
        self.session.settings.set("geometry", bytes(self.saveGeometry().toBase64().data()).decode("ascii"))
        self._preparation.stop()
        self.session.left.emit()
        self.session.close()
        event.accept()

    def _close_now(self) -> None:
        self._agreed_to_close = True
        QTimer.singleShot(0, self, self.close)

    def _restore_geometry(self) -> None:
        kept = self.session.settings.get("geometry", "")
        if not (kept and self.restoreGeometry(QByteArray.fromBase64(QByteArray(kept.encode("ascii"))))):
            available = self.screen().availableGeometry()
            self.resize(min(1440, available.width() - 40), min(900, available.height() - 60))
