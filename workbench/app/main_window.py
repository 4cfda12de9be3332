"""Main window: top line, warnings, tabs with the runs beside them, status line, and the window's actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QObject, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShortcut,
)
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

from workbench.app.preparation import ImportWarmUp, PreparationQueue, imports, load_for_workers
from workbench.app.selection_bar import SelectionBar
from workbench.app.start_page import ProjectLoadingPage, StartPages, WelcomePage
from workbench.app.top_line import PROGRAM, TAB_NAMES, TopBar, shown_name
from workbench.app.window_tabs import RunsBeside, Tabs, enter, go_on_in
from workbench.files.files import Files
from workbench.jobs.jobs import Job
from workbench.jobs.messages import MessageTone
from workbench.session.session import Session
from workbench.style.theme import DARK_NAME, LIGHT_NAME, SPACE_2, SPACE_3, SPACE_4, SYSTEM, themes
from workbench.tabs.tab import Step
from workbench.warnings.warning_list import WarningList
from workbench.widgets.help import HelpWindow, Keys, as_plain_text
from workbench.widgets.status_line import JobStrip, MessageBar

AFTER_OPENING_MS: Final = 500
"""The other tabs are prepared only after this time, when an opened table is shown."""


class MainWindow(QMainWindow):
    """The window of one session. Tabs are made when first needed, or while idle."""

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
        """Folder of the last opened or saved file, where file dialogs start."""
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

    # ---- the page shown --------------------------------------------------------------------------------------------

    def _show_place(self) -> None:
        is_open = self.session.data is not None
        self._place.setCurrentIndex(1 if is_open else 0)
        self.honesty.setVisible(is_open)  # together with the page, so that neither moves the other
        self.top.show_open(is_open)
        if not is_open:
            self.welcome.setFocus()
        self._title()

    def _data_changed(self) -> None:
        self.tabs.tab(0)  # it must exist before the signal that the document was replaced
        self._title()

    def _title(self, _value: object = None) -> None:
        name = shown_name(self.session)
        edited = " *" if self.session.saving.is_unsaved else ""
        self.setWindowTitle(f"{name}{edited} - {PROGRAM}" if name else PROGRAM)

    def warm_up(self, then: Callable[[], object] = lambda: None) -> None:
        """Import in a thread what the tabs need, call ``then``, and make the tabs while the welcome page is shown."""
        self._warm_up.done.connect(then)
        self._warm_up.begin()

    def _document_replaced(self) -> None:
        self.settling.begin()
        if self._warm_up.is_running:
            return
        for message in self.session.messages.open:
            if message.tone is MessageTone.ERROR:  # about the previous document; past messages keep it
                self.session.messages.dismiss(message)
        self._first_tab = self._place_of_document()
        self._pieces = self.tabs.pieces(self._first_tab)
        self.session.turns.later(self._make_first_tab)
        self._preparation.begin(AFTER_OPENING_MS)

    def _make_first_tab(self) -> None:
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
        """Index of the tab in which the document was left, whose runs are shown as then; 0 for a new document."""
        tab, ledger = self.session.place.get("tab"), self.session.place.get("ledger")
        index = TAB_NAMES.index(tab) if tab in TAB_NAMES else 0
        if isinstance(ledger, bool):
            self._beside.choose(TAB_NAMES[index], ledger)
        return index

    @property
    def _tab_name(self) -> str:
        return TAB_NAMES[self.top.tabs.currentIndex()]

    def show_tab(self, index: int) -> None:
        """Show a tab, if a table is open."""
        if self.session.data is not None:
            self.top.tabs.setCurrentIndex(index)

    def _show_tab_named(self, name: str) -> None:
        self.show_tab([tab.lower() for tab in TAB_NAMES].index(name))

    def _show_tab(self, index: int) -> None:
        if self.session.data is None or self._warm_up.is_running:
            return
        self.honesty.make_room()
        self.tabs.show_page(self.tabs.tab(index), self._show_ledger)
        self.session.set_place(tab=TAB_NAMES[index], ledger=self.top.ledger.isChecked())
        if not self.top.tabs.hasFocus():  # arrow keys along the tabs keep the focus there
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
        """Prepare in steps, while idle, what is needed soon."""
        self._load_for_workers()
        self._prepare()

    def _prepare(self) -> None:
        """Continue preparing, unless another thread imports or the user only waits for a table."""
        if not self._warm_up.is_running and not self._only_waits:
            self._preparation.begin()

    @property
    def _only_waits(self) -> bool:
        """Whether the user waits for a table, and only reading is left to do."""
        return self.files.is_opening and self.tabs.is_whole(0)

    def _load_for_workers(self) -> None:
        self._loading = self.session.jobs.start("", load_for_workers)

    def _steps(self) -> Iterator[Step]:
        yield from self.tabs.pieces(0)
        yield self._make_first
        yield from imports()
        for index in range(len(TAB_NAMES)):
            yield from self.tabs.steps(index)
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
        """Clear the selection on an unused Escape, except in a field with text."""
        if event.key() == Qt.Key.Key_Escape and self.session.selection.n_chosen and not self._typed():
            self.session.selection.clear()
            event.accept()
        else:
            super().keyPressEvent(event)

    def _typed(self) -> str:
        field = self.focusWidget()
        if isinstance(field, (QLineEdit, QAbstractSpinBox)):
            return field.text()
        return field.toPlainText() if isinstance(field, QPlainTextEdit) else ""

    # ---- opening ---------------------------------------------------------------------------------------------------

    def open_file(self, path: str) -> None:
        """Open a file, after asking if something would be lost."""
        self.files.open_file(path)

    def open_sample(self, id: str) -> None:
        """Open a sample, after asking if something would be lost."""
        self.files.open_sample(id)

    def _make_way(self) -> None:
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
        """Show the help page of the current tab in its own window."""
        is_open = self.session.data is not None
        name = self._tab_name.lower() if is_open else "start"
        window = self._beside_window()
        window.set_keys(keys_of(self.actions_, self.tabs.made()))
        window.show_page(name)

    def show_about(self) -> None:
        self._beside_window().show_page("about")

    def show_messages(self) -> None:
        """Show all messages since the start, the latest first."""
        lines = [f"- {m.time:%H:%M:%S} {as_plain_text(m.text)}" for m in reversed(self.session.messages.history)]
        self._beside_window().show_text("\n".join(["# Past messages", "", *(lines or ["Nothing was said yet."])]))

    def _beside_window(self) -> HelpWindow:
        if self._help is None:
            self._help = HelpWindow(self)
        return self._help

    # ---- the end ---------------------------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask if something would be lost; then stop the jobs and end their threads."""
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


Act = Callable[[], object]


class Actions(QObject):
    """The window's actions by name; :meth:`fill` puts those without a button into a menu."""

    def __init__(self, window: MainWindow, session: Session) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self.open = self._made("open", "Open...", window.files.choose_file, "Ctrl+O")
        self.paste = self._made("paste", "Paste a table", window.files.paste)
        self.save_project = self._made("save_project", "Save project", window.files.save_project, "Ctrl+S")
        self.save_project_as = self._made(
            "save_project_as", "Save project as...", window.files.choose_where_to_save_project, "Ctrl+Shift+S"
        )
        self.save_data = self._made(
            "save_data", "Save data as CSV...", window.files.choose_where_to_save_data, "Ctrl+E"
        )
        self.save_model = self._made("save_model", "Save model...", window.files.choose_where_to_save_model, "Ctrl+M")
        self.copy_model = self._made("copy_model", "Copy model as text", window.files.copy_model)
        self.save_predictions = self._made(
            "save_predictions", "Save predictions...", window.files.choose_where_to_save_predictions
        )
        self.use_model = self._made(
            "use_model", "Use this model on a file...", window.files.using.choose_file_for_model_in_view, "Ctrl+U"
        )
        self.use_saved = self._made("use_saved", "Use a saved model on a file...", window.files.using.choose_model)
        self.undo = self._made("undo_action", "Undo", session.undo_stack.undo, "Ctrl+Z")
        self.redo = self._made("redo_action", "Redo", session.undo_stack.redo, "Ctrl+Shift+Z", "Ctrl+Y")
        self.history = self._made("history_action", "History", lambda: window.top.history.click(), "Ctrl+Alt+Z")
        self.help = self._made("help_action", "Help", window.show_help, "F1", "?")
        self.past = self._made("past_messages", "Past messages", window.show_messages)
        self.about = self._made("about", "About Coppice", window.show_about)
        self.larger = self._made("larger", "Larger text", lambda: window.step_text(1), "Ctrl++", "Ctrl+=")
        self.smaller = self._made("smaller", "Smaller text", lambda: window.step_text(-1), "Ctrl+-")
        self.usual = self._made("usual", "Usual text size", lambda: window.set_text_scale(1.0), "Ctrl+0")
        self.quit = self._made("quit", "Close", window.close, "Ctrl+Q")
        for index, name in enumerate(TAB_NAMES):
            self._made(f"show.{name.lower()}", name, _shower(window, index), f"Ctrl+{index + 1}")

    def _made(self, name: str, text: str, act: Act, *keys: str) -> QAction:
        action = QAction(text, self._window)
        action.setObjectName(name)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _checked=False: act())
        self._window.addAction(action)
        return action

    def window_actions(self) -> list[QAction]:
        """All actions with a name."""
        return [action for action in self._window.actions() if action.objectName()]

    def fill(self, menu: QMenu) -> None:
        """Everything in one menu."""
        menu.addAction(self.open)
        menu.addAction(self.paste)
        self._recent = menu.addMenu("Open recent")
        self._recent.setObjectName("menu.recent")
        samples = menu.addMenu("Open a sample")
        samples.setObjectName("menu.samples")
        for sample in self._session.registry.samples:
            action = samples.addAction(sample.name)
            action.setToolTip(sample.sentence)
            action.triggered.connect(lambda _checked=False, id=sample.id: self._window.open_sample(id))
        samples.setToolTipsVisible(True)
        menu.addSeparator()
        project = [self.save_project, self.save_project_as]
        menu.addActions([*project, self.save_data, self.save_model, self.copy_model, self.save_predictions])
        menu.addSeparator()
        menu.addActions([self.use_model, self.use_saved])
        menu.addSeparator()
        menu.addMenu(self._theme_menu(menu))
        menu.addActions([self.larger, self.smaller, self.usual])
        menu.addSeparator()
        menu.addActions([self.help, self.past, self.about])
        menu.addSeparator()
        menu.addAction(self.quit)
        menu.aboutToShow.connect(self.refresh)

    def refresh(self) -> None:
        """Enable the actions that are possible now."""
        run = self._session.current_run
        self._list_recent()
        for action in (self.save_project, self.save_project_as, self.save_data):
            action.setEnabled(self._session.data is not None)
        self.save_model.setEnabled(run is not None and run.trained is not None)
        self.copy_model.setEnabled(self._window.files.can_copy_model)
        self.use_model.setEnabled(self._window.files.using.is_possible)
        self.save_predictions.setEnabled(run is not None and run.result is not None)

    def _list_recent(self) -> None:
        self._recent.clear()
        for path in self._session.settings.recent_files:
            action = self._recent.addAction(Path(path).name.replace("&", "&&"))
            action.setToolTip(path)
            action.triggered.connect(lambda _checked=False, path=path: self._window.open_file(path))
        self._recent.setToolTipsVisible(True)
        self._recent.setEnabled(not self._recent.isEmpty())

    def _theme_menu(self, parent: QMenu) -> QMenu:
        menu = QMenu("Colours", parent)
        group = QActionGroup(menu)
        for choice, text in ((SYSTEM, "As the system"), (LIGHT_NAME, "Light"), (DARK_NAME, "Dark")):
            action = menu.addAction(text)
            action.setObjectName(f"theme.{choice}")
            action.setCheckable(True)
            action.setChecked(themes.choice == choice)
            action.triggered.connect(lambda _checked=False, choice=choice: self._window.choose_theme(choice))
            group.addAction(action)
        return menu


def keys_of(actions: Actions, tabs: Mapping[str, QWidget | None]) -> Keys:
    """Shortcuts of the window and of the existing tabs, with their descriptions."""
    shortcuts: dict[str, list[tuple[str, str]]] = {"In the window": [], **{name: [] for name in tabs}}
    for action in actions.window_actions():
        keys = [key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts()]
        if keys:
            shortcuts["In the window"].append((", ".join(keys), action.text().removesuffix("...").replace("&", "")))
    for name, tab in tabs.items():
        for shortcut in [] if tab is None else tab.findChildren(QShortcut):
            if shortcut.whatsThis():
                shortcuts[name].append((shortcut.key().toString(), shortcut.whatsThis()))
    return {place: lines for place, lines in shortcuts.items() if lines}


def _shower(window: MainWindow, index: int) -> Act:
    return lambda: window.show_tab(index)
