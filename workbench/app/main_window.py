"""Main window: top line, warnings, tabs with the runs beside them, status line, and the window's actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QResizeEvent,
    QShortcut,
    QWhatsThisClickedEvent,
)
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QGridLayout,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QStackedWidget,
    QWidget,
)
from shiboken6 import isValid

from algorithms.core.errors import CoppiceError
from workbench.app.background_preparation import (
    ImportWarmUp,
    PreparationQueue,
    chart_imports,
    first_imports,
    imports,
    load_for_workers,
)
from workbench.app.selection_bar import SelectionBar
from workbench.app.start_page import ProjectLoadingPage, StartPages
from workbench.app.top_line import PROGRAM, TAB_NAMES, TopBar, shown_name
from workbench.app.window_tabs import Enter, RunsBeside, Tabs, enter, go_on_in
from workbench.files.opening_and_saving import Files
from workbench.jobs.jobs import Job
from workbench.jobs.messages import MessageTone
from workbench.session.session import Session
from workbench.session.settings import CLUSTER
from workbench.style.theme import DARK_NAME, LIGHT_NAME, SPACE_2, SPACE_3, SPACE_4, SYSTEM, themes
from workbench.tabs.evaluate.numbers import glossary_values
from workbench.tabs.tab import Step, Tab
from workbench.warnings.warning_drawer import WarningBadge, WarningDrawer, WarningList
from workbench.widgets.buttons import SegmentTrack
from workbench.widgets.dialogs import ask
from workbench.widgets.fields import SearchField
from workbench.widgets.help import HelpWindow
from workbench.widgets.help_pages import Keys, as_plain_text
from workbench.widgets.keyboard_focus import move_focus, take_typed
from workbench.widgets.layouts import column_layout, filled, named
from workbench.widgets.status_line import JobStrip, MessageBar

AFTER_OPENING_MS: Final = 500
"""The other tabs are prepared only after this time, when an opened table is shown."""


class MainWindow(QMainWindow):
    """The window of one session. Tabs are made when first needed, or while idle."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session: Session = session
        self._loading: Job | None = None
        self._agreed_to_close = False
        self._enter_in: Enter = enter
        self._focus_before: QWidget | None = None
        self._help: HelpWindow | None = None
        self._warm_up = ImportWarmUp(self)
        self._warm_up.done.connect(self._warm)
        self._first_tab = 0
        self._pieces: Iterator[Step] = iter(())
        self._charts = PreparationQueue(chart_imports(), self)
        self._preparation = PreparationQueue(self._steps(), self, lambda: self.session.turns.is_busy)
        self.setObjectName("main")
        self.setWindowTitle(PROGRAM)
        self.setAcceptDrops(True)
        self.setMinimumSize(960, 560)
        menu = named(QMenu(self), "menu.items")
        self.files = Files(session, self)
        self.files.opening.connect(self._make_way)
        self.files.settled.connect(self.prepare)
        self.actions_ = Actions(self, menu)
        self.warnings = WarningList(session, self)
        self.badge = WarningBadge(self.warnings)
        whole = named(QWidget(self), "window")
        self.top = TopBar(session, menu, self.badge, whole)
        self.top.tabs.currentChanged.connect(self._show_tab)
        self.top.ledger_toggled.connect(self._toggle_ledger)
        self.top.palette_asked.connect(self.show_palette)
        self._lay_out(whole)
        session.document_replaced.connect(self._document_replaced)
        session.document_replaced.connect(self.strip.begin_anew)
        session.data_changed.connect(self._data_changed)
        for changed in (session.saving.changed, session.undo_stack.indexChanged):
            changed.connect(self._title)
        session.tab_asked.connect(self._show_tab_named)
        session.selected_asked.connect(lambda: self.show_tab(0, go_on_in))
        self.tabs.page_turns.connect(self._page_turns)
        session.file_asked.connect(self.files.open_file)
        session.database_asked.connect(self.files.choose_database)
        session.experiment_asked.connect(self._show_experiment)
        session.replacing_asked.connect(self.files.unless_lost)
        session.saving_asked.connect(self.files.choose_where_to_save)
        themes.changed.connect(self._fit_ledger)
        self._show_place()
        kept = self.session.settings.get("geometry", "")
        if not (kept and self.restoreGeometry(QByteArray.fromBase64(QByteArray(kept.encode("ascii"))))):
            available = self.screen().availableGeometry()
            self.resize(min(1440, available.width() - 40), min(900, available.height() - 60))

    @property
    def folder(self) -> str:
        """Folder of the last opened or saved file, where file dialogs start."""
        return self.session.settings.folder

    @folder.setter
    def folder(self, folder: str) -> None:
        self.session.settings.folder = folder

    def _lay_out(self, whole: QWidget) -> None:
        """Each part is made inside its place: Qt styles all that a widget holds again when it gets another parent."""
        below = QWidget(whole)
        column_layout(self.top, (below, 1), inside=whole, spacing=0)
        self.messages = MessageBar(self.session.messages, below)
        middle = QWidget(below)
        self.strip = JobStrip(self.session.jobs, self.session.messages, self.session.undo_stack, below)
        column_layout(self.messages, (middle, 1), self.strip, inside=below, spacing=0)
        self.selection_bar = SelectionBar(self.session, self.strip)
        self.selection_bar.keep_asked.connect(self.files.open_selected)
        self.selection_bar.save_asked.connect(self.files.choose_where_to_save_selected)
        self._place = QStackedWidget(middle)
        self._start = start = StartPages(self.session, self.files.begun, self._place)
        self.welcome = start.welcome
        self.welcome.open_asked.connect(self.files.choose_file)
        self.welcome.database_asked.connect(lambda: self.files.choose_database())
        self.welcome.web_asked.connect(self.files.choose_web_address)
        self.welcome.paste_asked.connect(self.files.paste)
        self.welcome.file_asked.connect(self.files.open_file)
        self.welcome.sample_asked.connect(self.files.open_sample)
        self.welcome.guide_asked.connect(self.start_guide)
        self.welcome.experiment_asked.connect(self.new_experiment)
        document = QWidget(self._place)
        filled(self._place, start, document)
        self._beside = RunsBeside(self.session, document)
        self.tabs = Tabs(self.session, self._beside)
        self.tabs.selecting_changed.connect(lambda: self.selection_bar.show_how(self.tabs.how_to_select()))
        self._beside.addWidget(self.tabs)
        column_layout(self._beside, inside=document, margins=(SPACE_4, SPACE_2, SPACE_4, SPACE_3))
        self.settling = ProjectLoadingPage(self.session, middle)
        self.settling.changed.connect(self.strip.show_settling)
        page = QGridLayout(middle)
        page.setContentsMargins(0, 0, 0, 0)
        page.addWidget(self._place, 0, 0)
        page.addWidget(self.settling, 0, 0)
        self.drawer = WarningDrawer(self.warnings, self.badge, middle)
        self.strip.add_part(self.selection_bar)
        self.selection_bar.left.connect(self._go_on_without_selection)
        session = self.session
        session.selection.changed.connect(self._share_last_line)
        changes = session.current_run_changed, session.decisions.changed, session.selection.changed
        for signal in (*changes, self.top.tabs.currentChanged):
            signal.connect(self.strip.forget_step)
        self.top.tabs.currentChanged.connect(lambda _index: self.drawer.hide())
        self.setCentralWidget(whole)

    def _share_last_line(self) -> None:
        self.strip.share_line(len(self.session.selection) > 0)

    # ---- the page shown --------------------------------------------------------------------------------------------

    def _show_place(self) -> None:
        is_open = self.session.data is not None
        self._place.setCurrentIndex(1 if is_open else 0)
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
        self._charts.begin()

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

    def show_tab(self, index: int, enter_in: Enter = enter) -> None:
        """Show a tab, if a table is open; ``enter_in`` gives one of its views the keyboard focus."""
        if self.session.data is None:
            return
        self._enter_in = enter_in
        if index == self.top.tabs.currentIndex():
            self._ask_for_focus()
        else:
            self.top.tabs.setCurrentIndex(index)

    def _show_tab_named(self, name: str) -> None:
        self.show_tab([tab.lower() for tab in TAB_NAMES].index(name))

    def _show_tab(self, index: int) -> None:
        if self.session.data is None or self._warm_up.is_running:
            return
        self.tabs.show_page(self.tabs.tab(index), self._show_ledger)
        self.session.set_place(tab=TAB_NAMES[index], ledger=self.top.ledger.isChecked())
        if not self.top.tabs.hasFocus():  # arrow keys along the tabs keep the focus there
            self._ask_for_focus()

    def _ask_for_focus(self) -> None:
        """Focus the main view once the tab is filled, unless the focus moves until then."""
        self._focus_before = self.focusWidget()
        self.session.turns.later(self._focus_main_view)

    def _focus_main_view(self) -> None:
        if self.session.turns.is_busy:  # the tab is still being filled
            self.session.turns.later(self._focus_main_view)
            return
        enter_in, self._enter_in = self._enter_in, enter
        if not self._keyboard_is_led():
            enter_in(self._tab_name, self.tabs.tab(self.top.tabs.currentIndex()))

    def _keyboard_is_led(self) -> bool:
        """Whether the focus has moved since the main view was to have it, or the guide or the palette leads it."""
        focus, before = self.focusWidget(), self._focus_before
        if focus is not None and focus is not before:
            stays = before is not None and isValid(before) and before.isVisible()
            if stays or ".find." in focus.objectName():  # what is hidden loses the focus to anything else
                return True
        leading = (*self.findChildren(QWidget, "guide"), *self.findChildren(QWidget, "palette"))
        return any(widget.isVisible() for widget in leading)

    def _page_turns(self) -> None:
        """Keeps the keyboard focus in a tab whose page goes; arrow keys along the pages keep it there."""
        focus, tab = self.focusWidget(), self.tabs.currentWidget()
        is_inside = focus is None or (tab is not None and tab.isAncestorOf(focus))
        if is_inside and (focus is None or not isinstance(focus.parentWidget(), SegmentTrack)):
            self._ask_for_focus()

    def _go_on_without_selection(self) -> None:
        go_on_in(self._tab_name, self.tabs.tab(self.top.tabs.currentIndex()))

    def _warm(self) -> None:
        if self.session.data is not None:
            self._document_replaced()
        else:
            self.prepare()

    def prepare(self) -> None:
        """Prepare in steps, while idle, what is needed soon; the worker imports after this thread, never beside it."""
        if self._loading is not None:
            self._load_for_workers()
        self._prepare()

    def _load_for_workers(self) -> None:
        self._loading = self.session.jobs.start("", load_for_workers)

    def _prepare(self) -> None:
        """Continue preparing, unless another thread imports modules or the user waits for a table to load."""
        if not self._warm_up.is_running and not self._only_waits:
            self._preparation.begin()

    @property
    def _only_waits(self) -> bool:
        """Whether the user waits for a table, and only reading is left to do."""
        return self.files.is_opening and self.tabs.is_whole(0)

    def _steps(self) -> Iterator[Step]:
        yield from first_imports()
        yield from self.tabs.pieces(0)
        yield self._make_first
        yield from imports()
        yield self._load_for_workers
        for index in range(len(TAB_NAMES)):
            yield from self.tabs.steps(index)
        yield lambda: self._beside.make(self.width())

    def _make_first(self) -> None:
        self.tabs.tab(0)
        if self._only_waits:
            self._preparation.stop()

    # ---- the ledger ------------------------------------------------------------------------------------------------

    def _show_ledger(self) -> None:
        self.top.ledger.setChecked(self._beside.show_in(self._tab_name, self.width()))

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
        self._beside.slide_in()

    # ---- the selection ---------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """An unused Escape clears or leaves a search; elsewhere, except in text, it clears the selection."""
        field = self.focusWidget()
        if event.key() == Qt.Key.Key_Escape and isinstance(field, SearchField):
            (field.clear if field.text() else self.focusNextChild)()
            event.accept()
        elif event.key() == Qt.Key.Key_Escape and self.session.selection.n_chosen and not self._typed():
            self.session.selection.clear()
            event.accept()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on no control takes what is typed."""
        take_typed(self.focusWidget())
        super().mousePressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        """Lets Tab follow the page as it is shown."""
        return move_focus(self, next)

    def _typed(self) -> str:
        field = self.focusWidget()
        if isinstance(field, (QLineEdit, QAbstractSpinBox)):
            return field.text()
        return field.toPlainText() if isinstance(field, QPlainTextEdit) else ""

    # ---- opening ---------------------------------------------------------------------------------------------------

    def open_file(self, path: str) -> None:
        self.files.open_file(path)

    def open_sample(self, id: str) -> None:
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
        self.files.open_files([url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()])

    # ---- looks and help --------------------------------------------------------------------------------------------

    def choose_theme(self, choice: str) -> None:
        themes.choose(choice)
        self.session.settings.set("theme", choice)

    def choose_cluster(self) -> None:
        """Ask for the workers that jobs give their parts to."""
        from algorithms.core.cluster import check_usable  # few need it

        tip = "processes:4 for four processes of this computer, or tcp://HOST:PORT of a Dask scheduler"
        line = named(QLineEdit(self.session.settings.get(CLUSTER, "")), "question_box.cluster", "Cluster", tip)
        line.setPlaceholderText("processes:4 or tcp://HOST:PORT")

        def use() -> None:
            address = line.text().strip()
            try:
                if address:
                    check_usable(address)
            except CoppiceError as error:
                self.session.messages.error(error, CLUSTER)
                return
            self.session.settings.set(CLUSTER, address)
            self.session.jobs.use_cluster(address)
            self.session.messages.mended(CLUSTER)
            self.session.messages.note(f"Work goes to {address}." if address else "Work is done in this program.")

        ask(
            self,
            "Which workers do the work?",
            "Folds, cells of experiments, members of ensembles, settings of a search and permutations go to them. "
            "The numbers stay the same. Workers run what they are sent, so use only machines that you trust. "
            "Leave the line empty to work in this program.",
            [("question_box.use", "Use them", use)],
            line,
            stay="Cancel",
        )
        line.setFocus()

    def step_text(self, steps: int) -> None:
        themes.step_scale(steps)
        self.session.settings.set("text_scale", themes.scale)

    def set_text_scale(self, scale: float) -> None:
        themes.set_scale(scale)
        self.session.settings.set("text_scale", scale)

    def show_help(self) -> None:
        is_open = self.session.data is not None
        tab = self.tabs.tab(self.top.tabs.currentIndex()) if is_open else None
        chapter = tab.chapter() if isinstance(tab, Tab) and tab.is_complete else ""
        self._help_with_keys().show_page(self._tab_name.lower() if is_open else "start", chapter)

    def event(self, event: QEvent) -> bool:
        """Shows the entry of the term that a label or a head of a column asks for."""
        if event.type() == QEvent.Type.WhatsThisClicked and isinstance(event, QWhatsThisClickedEvent):
            self._help_with_keys().show_term(event.href())
            return True
        return super().event(event)

    def show_palette(self) -> None:
        from workbench.app.command_palette import CommandPalette, entries_of, record_entries  # not needed at the start

        shown = [palette for palette in self.findChildren(CommandPalette) if palette.isVisible()]
        if shown:
            shown[0].close()
        else:
            self.actions_.refresh()
            entries = entries_of(self.session, self.actions_.named, self.tabs, self.show_tab, self._help_with_keys)
            CommandPalette(self, entries, partial(record_entries, self.session, self.tabs, self.show_tab))

    def start_guide(self) -> None:
        from workbench.app.guided_run import GuidedRun  # not needed at the start

        for guide in self.findChildren(GuidedRun):
            guide.close()
        GuidedRun(self, self.session, self.top.tabs)

    def new_experiment(self) -> None:
        self.session.experiments.show_page(is_declaring=True)

    def _show_experiment(self) -> None:
        """Shows the page of experiments: in Evaluate, or in place of the welcome page while no table is open."""
        if self.session.data is None:
            self._start.show_experiment()
        else:
            self.tabs.tab(TAB_NAMES.index("Evaluate"))
            self.session.ask_for_page("experiment")

    def show_messages(self) -> None:
        """Show all messages since the start, the latest first."""
        lines = [f"- {m.time:%H:%M:%S} {as_plain_text(m.text)}" for m in reversed(self.session.messages.history)]
        self.help_window().show_text("\n".join(["# Notifications", "", *(lines or ["No notifications yet."])]))

    def _help_with_keys(self) -> HelpWindow:
        window = self.help_window()
        window.keys = keys_of(self.actions_, self.tabs.made())
        return window

    def help_window(self) -> HelpWindow:
        if self._help is None:
            self._help = HelpWindow(self)
            self._help.values = partial(glossary_values, self.session)
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
        self._charts.stop()
        self._preparation.stop()
        self.session.left.emit()
        self.session.close()
        event.accept()

    def _close_now(self) -> None:
        self._agreed_to_close = True
        QTimer.singleShot(0, self, self.close)


class Actions:
    """The window's actions, by name in :attr:`named`, and the menu of those without a button."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        self._window, self._menu = window, menu
        self.named: dict[str, QAction] = {}
        session, files, add = window.session, window.files, self._add
        add("open", "Open...", files.choose_file, "Ctrl+O")
        add("open_database", "Open a database...", lambda: files.choose_database())
        add("open_web", "Open a web address...", files.choose_web_address)
        add("paste", "Paste a table", files.paste)
        add("save_project", "Save project", files.save_project, "Ctrl+S")
        add("save_project_as", "Save project as...", files.choose_where_to_save_project, "Ctrl+Shift+S")
        add("save_data", "Save data as...", files.choose_where_to_save_data, "Ctrl+Shift+D")
        add("save_to_database", "Save data to a database...", files.choose_database_to_save_data)
        add("save_model", "Save model...", files.choose_where_to_save_model, "Ctrl+M")
        add("copy_model", "Copy model as text", files.copy_model)
        add("save_predictions", "Save test predictions...", files.choose_where_to_save_predictions)
        add("use_model", "Predict new data...", files.using.choose_file_for_model_in_view, "Ctrl+P")
        add("use_saved", "Predict new data by a saved model...", files.using.choose_model)
        add("new_experiment", "New experiment...", window.new_experiment)
        add("undo_action", "Undo", session.undo_stack.undo, "Ctrl+Z")
        add("redo_action", "Redo", session.undo_stack.redo, "Ctrl+Shift+Z", "Ctrl+Y")
        add("history_action", "History", lambda: window.top.show_history(), "Ctrl+Alt+Z")
        add("cluster", "Cluster...", window.choose_cluster)
        add("help_action", "Help", window.show_help, "F1", "?")
        add("guide", "Guided run", window.start_guide)
        add("past_messages", "Notifications", window.show_messages)
        add("about", "About Coppice", lambda: window.help_window().show_page("about"))
        add("larger", "Larger text", lambda: window.step_text(1), "Ctrl++", "Ctrl+=")
        add("smaller", "Smaller text", lambda: window.step_text(-1), "Ctrl+-")
        add("usual", "Reset text size", lambda: window.set_text_scale(1.0), "Ctrl+0")
        add("palette", "Search or run...", window.show_palette, "Ctrl+K")
        add("quit", "Close", window.close, "Ctrl+Q")
        for index, name in enumerate(TAB_NAMES):
            add(f"show.{name.lower()}", name, partial(window.show_tab, index), f"Ctrl+{index + 1}")
        self._fill()

    def _add(self, name: str, text: str, act: Callable[[], object], *keys: str) -> None:
        action = self.named[name] = QAction(text, self._window)
        action.setObjectName(name)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _checked=False: act())
        self._window.addAction(action)

    def _fill(self) -> None:
        menu = self._menu

        def part(*names: str) -> None:
            menu.addActions([self.named[name] for name in names])

        part("palette", "open", "open_database", "open_web", "paste")
        self._recent = named(menu.addMenu("Open recent"), "menu.recent")
        samples = named(menu.addMenu("Open a sample"), "menu.samples")
        for sample in self._window.session.registry.samples:
            action = samples.addAction(sample.name)
            action.setToolTip(sample.sentence)
            action.triggered.connect(lambda _checked=False, id=sample.id: self._window.files.open_sample(id))
        samples.setToolTipsVisible(True)
        menu.addSeparator()
        part(
            "save_project",
            "save_project_as",
            "save_data",
            "save_to_database",
            "save_model",
            "copy_model",
            "save_predictions",
        )
        menu.addSeparator()
        part("use_model", "use_saved")
        menu.addSeparator()
        part("new_experiment")
        part("history_action")
        themes_menu = menu.addMenu("Theme")
        group = QActionGroup(themes_menu)
        for choice, text in ((SYSTEM, "As the system"), (LIGHT_NAME, "Light"), (DARK_NAME, "Dark")):
            action = self.named[f"theme.{choice}"] = themes_menu.addAction(text)
            action.setObjectName(f"theme.{choice}")
            action.setToolTip(f"Theme: {text.lower()}")
            action.setCheckable(True)
            action.setChecked(themes.choice == choice)
            action.triggered.connect(lambda _checked=False, choice=choice: self._window.choose_theme(choice))
            group.addAction(action)
        part("larger", "smaller", "usual", "cluster")
        menu.addSeparator()
        part("help_action", "guide", "past_messages", "about")
        menu.addSeparator()
        part("quit")
        menu.aboutToShow.connect(self.refresh)

    def refresh(self) -> None:
        """Enable the actions that are possible now, and list the recent files."""
        session, files = self._window.session, self._window.files
        run, has_data = session.current_run, session.data is not None
        possible = {
            "save_project": has_data,
            "save_project_as": has_data,
            "save_data": has_data,
            "save_to_database": has_data,
            "save_model": run is not None and run.trained is not None,
            "copy_model": files.can_copy_model,
            "use_model": files.using.is_possible,
            "save_predictions": run is not None and run.result is not None,
            "undo_action": session.undo_stack.canUndo(),
            "redo_action": session.undo_stack.canRedo(),
            "history_action": session.undo_stack.count() > 0,
        }
        for name, is_possible in possible.items():
            self.named[name].setEnabled(is_possible)
        self._recent.clear()
        for path in session.settings.recent_files:
            action = self._recent.addAction(Path(path).name.replace("&", "&&"))
            action.setToolTip(path)
            action.triggered.connect(lambda _checked=False, path=path: files.open_file(path))
        self._recent.setToolTipsVisible(True)
        self._recent.setEnabled(not self._recent.isEmpty())


def keys_of(actions: Actions, tabs: Mapping[str, QWidget | None]) -> Keys:
    """Shortcuts of the window and of the existing tabs, with their descriptions."""
    shortcuts: dict[str, list[tuple[str, str]]] = {"In the window": [], **{name: [] for name in tabs}}
    for action in actions.named.values():
        keys = [key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts()]
        if keys:
            shortcuts["In the window"].append((", ".join(keys), action.text().removesuffix("...").replace("&", "")))
    for name, tab in tabs.items():
        for shortcut in [] if tab is None else tab.findChildren(QShortcut):
            if shortcut.whatsThis():
                shortcuts[name].append((shortcut.key().toString(), shortcut.whatsThis()))
    return {place: lines for place, lines in shortcuts.items() if lines}
