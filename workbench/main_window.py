"""The window: top line, honesty strip, the tabs with the ledger beside them, the job strip; or the welcome page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from algorithms.core.errors import CoppiceError
from workbench.actions import Actions
from workbench.honesty import HonestyStrip
from workbench.jobs import Job
from workbench.messages import Tone
from workbench.parts.help import HelpWindow, as_plain_text
from workbench.parts.job_strip import JobStrip
from workbench.parts.message_bar import MessageBar
from workbench.parts.top_line import PROGRAM, TAB_NAMES, TopLine, shown_name
from workbench.preparing import Preparation, Step, imports, load_for_workers
from workbench.questions import Answer, ask
from workbench.saving import KINDS_OF_TABLE
from workbench.session import Session
from workbench.theme import SPACE_2, SPACE_3, SPACE_4, themes
from workbench.views.figures import counted
from workbench.warm_up import WarmUp
from workbench.welcome import Welcome

READABLE: Final = (
    "Tables (*.csv *.tsv *.tab *.txt *.data *.dat *.gz *.arff *.xlsx *.xlsm *.xls *.xlsb *.ods);;"
    "Excel and OpenDocument (*.xlsx *.xlsm *.xls *.xlsb *.ods);;Text (*.csv *.tsv *.tab *.txt *.data *.dat *.gz);;"
    "ARFF (*.arff);;All files (*)"
)
LEDGER_SHARE: Final = 0.255
LEDGER_WIDTHS: Final = (310, 440)
"""The ledger's share of the window's width, and what it is at least and at most, at usual text size."""
ROOM_FOR_LEDGER: Final = 1060
"""In narrower windows, at usual text size, the ledger is shown only when it is asked for."""
TABS_WITH_LEDGER: Final = ("Classify", "Evaluate")


MAIN_VIEWS: Final = {"Evaluate": "evaluate.confusion", "Visualize": "visualize.tree"}
"""What has the keyboard on entering these tabs, where it is there."""


def _preprocess(session: Session) -> QWidget:
    from workbench.preprocess.tab import PreprocessTab

    return PreprocessTab(session)


def _classify(session: Session) -> QWidget:
    from workbench.classify.tab import ClassifyTab

    return ClassifyTab(session)


def _evaluate(session: Session) -> QWidget:
    from workbench.evaluate.tab import EvaluateTab

    return EvaluateTab(session)


def _visualize(session: Session) -> QWidget:
    from workbench.visualize.tab import VisualizeTab

    return VisualizeTab(session)


TAB_MAKERS: Final[tuple[Callable[[Session], QWidget], ...]] = (_preprocess, _classify, _evaluate, _visualize)


class MainWindow(QMainWindow):
    """Everything a person sees of one session. Tabs are made when they are first needed, or when nothing else is."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._opening: Job | None = None
        self._loading: Job | None = None
        self._agreed_to_close = False
        self._help: HelpWindow | None = None
        self._warm_up = WarmUp(self)
        self._warm_up.done.connect(self._warm)
        self._tabs: list[QWidget | None] = [None] * len(TAB_MAKERS)
        self._ledger: QWidget | None = None
        self._is_width_chosen = False
        self._preparation = Preparation(self._steps(), self)
        self.setObjectName("main")
        self.setWindowTitle(PROGRAM)
        self.setAcceptDrops(True)
        self.setMinimumSize(960, 560)
        menu = QMenu(self)
        menu.setObjectName("menu.items")
        self.actions_ = Actions(self, session)
        self.actions_.fill(menu)
        self.top = TopLine(session, menu)
        self.top.tabs.currentChanged.connect(self._show_tab)
        self.top.open_asked.connect(self.choose_file)
        self.top.ledger_toggled.connect(self._toggle_ledger)
        self.top.help.clicked.connect(lambda _checked=False: self.show_help())
        self._lay_out()
        session.document_replaced.connect(self._document_replaced)
        session.data_changed.connect(self._data_changed)
        session.undo_stack.cleanChanged.connect(self._title)
        session.tab_asked.connect(self._show_tab_named)
        session.saving_asked.connect(self._choose_where_to_save)
        themes.changed.connect(self._fit_ledger)
        self._show_place()
        self._restore_geometry()

    def _lay_out(self) -> None:
        self.honesty = HonestyStrip(self.session)
        self.messages = MessageBar(self.session.messages)
        self.strip = JobStrip(self.session.jobs, self.session.messages)
        self.welcome = Welcome(self.session)
        self.welcome.open_asked.connect(self.choose_file)
        self.welcome.paste_asked.connect(self.paste)
        self.welcome.file_asked.connect(self.open_file)
        self.welcome.sample_asked.connect(self.open_sample)
        self._stack = QStackedWidget()
        self._beside = QSplitter(Qt.Orientation.Horizontal)
        self._beside.setChildrenCollapsible(False)
        self._beside.setHandleWidth(SPACE_3)
        self._beside.addWidget(self._stack)
        self._beside.splitterMoved.connect(self._width_chosen)
        document = QWidget()
        inside = QVBoxLayout(document)
        inside.setContentsMargins(SPACE_4, SPACE_2, SPACE_4, SPACE_3)
        inside.addWidget(self._beside)
        self._place = QStackedWidget()
        self._place.addWidget(self.welcome)
        self._place.addWidget(document)
        whole = QWidget()
        whole.setObjectName("window")
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.top, self.messages, self.honesty):
            column.addWidget(part)
        column.addWidget(self._place, 1)
        column.addWidget(self.strip)
        self.setCentralWidget(whole)

    # ---- where the person is ---------------------------------------------------------------------------------------

    def _show_place(self) -> None:
        is_open = self.session.data is not None
        self._place.setCurrentIndex(1 if is_open else 0)
        self.top.show_open(is_open)
        if not is_open:
            self.welcome.setFocus()
        self._title()

    def _data_changed(self) -> None:
        self._tab(0)  # it must be there before it hears that the document was replaced
        self._title()

    def _title(self, _value: object = None) -> None:
        data = self.session.data
        edited = " *" if self.session.is_edited else ""
        self.setWindowTitle(PROGRAM if data is None else f"{shown_name(data)}{edited} - {PROGRAM}")

    def warm_up(self) -> None:
        """Import what the tabs need beside the window, then make them while the welcome page stands."""
        self._warm_up.begin()

    def _document_replaced(self) -> None:
        if self._warm_up.is_running:
            return
        for message in self.session.messages.open:
            if message.tone is Tone.ERROR:  # it was about what is no longer there; past messages keep it
                self.session.messages.dismiss(message)
        self._show_place()
        self.top.tabs.setCurrentIndex(0)
        self._show_tab(0)
        self._preparation.begin()

    def show_tab(self, at: int) -> None:
        """Bring a tab into view, where a table is open."""
        if self.session.data is not None:
            self.top.tabs.setCurrentIndex(at)

    def _show_tab_named(self, name: str) -> None:
        self.show_tab([tab.lower() for tab in TAB_NAMES].index(name))

    def _show_tab(self, at: int) -> None:
        if self.session.data is None or self._warm_up.is_running:
            return
        self._stack.setCurrentWidget(self._tab(at))
        self._show_ledger()
        if not self.top.tabs.hasFocus():  # who walks along the tabs with the arrow keys stays there
            self._focus_main_view(at)

    def _focus_main_view(self, at: int) -> None:
        view = self._tab(at).findChild(QWidget, MAIN_VIEWS.get(TAB_NAMES[at], ""))
        if view is not None and view.isVisible():
            view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _tab(self, at: int) -> QWidget:
        tab = self._tabs[at]
        if tab is None:
            tab = TAB_MAKERS[at](self.session)
            tab.setAccessibleName(TAB_NAMES[at])
            self._tabs[at] = tab
            self._stack.addWidget(tab)
        return tab

    def _warm(self) -> None:
        if self.session.data is not None:
            self._document_replaced()
        else:
            self._prepare()

    def prepare(self) -> None:
        """Make what is needed soon, in steps, while nobody waits for it."""
        self._prepare()
        self._load_for_workers()

    def _prepare(self) -> None:
        """Go on preparing unless the window would wait for an import of another thread, or a person for a table."""
        if not self._warm_up.is_running and self._opening is None:
            self._preparation.begin()

    def _load_for_workers(self) -> None:
        self._loading = self.session.jobs.start("", load_for_workers)

    def _steps(self) -> Iterator[Step]:
        yield from imports()
        for at in range(len(TAB_MAKERS)):
            yield partial(self._tab, at)
            yield partial(self._rehearse, at)
        yield self._make_ledger

    def _rehearse(self, at: int) -> None:
        """Lay out and paint a tab unseen: the first time is the slow one."""
        tab = self._tab(at)
        if not tab.isVisible():
            tab.resize(self._stack.size())
            tab.grab()

    # ---- the ledger ------------------------------------------------------------------------------------------------

    def _ledger_setting(self) -> str:
        return f"ledger.{TAB_NAMES[self.top.tabs.currentIndex()].lower()}"

    def _show_ledger(self) -> None:
        name = TAB_NAMES[self.top.tabs.currentIndex()]
        usual = name in TABS_WITH_LEDGER and self.width() >= themes.px(ROOM_FOR_LEDGER)
        wanted = self.session.settings.get(self._ledger_setting(), usual)
        self.top.ledger.setChecked(wanted)
        if wanted:
            self._make_ledger()
        if self._ledger is not None:
            self._ledger.setVisible(wanted)

    def _make_ledger(self) -> None:
        if self._ledger is not None:
            return
        from workbench.classify.ledger import Ledger

        self._ledger = Ledger(self.session)
        self._ledger.setObjectName("ledger.pane")
        self._ledger.hide()
        self._beside.addWidget(self._ledger)
        self._beside.setStretchFactor(0, 1)
        self._beside.setStretchFactor(1, 0)
        self._fit_ledger()

    def _fit_ledger(self) -> None:
        """Show or hide it as there is room, at its width for this window unless a person chose one."""
        if self._ledger is None:
            return
        self._show_ledger()
        if self._is_width_chosen:
            return
        least, most = (themes.px(width) for width in LEDGER_WIDTHS)
        wide = min(most, max(least, round(self.width() * LEDGER_SHARE)))
        self._beside.setSizes([max(1, self._beside.width() - wide), wide])

    def _width_chosen(self, _at: int, _index: int) -> None:
        self._is_width_chosen = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_ledger()

    def _toggle_ledger(self) -> None:
        self.session.settings.set(self._ledger_setting(), self.top.ledger.isChecked())
        self._show_ledger()

    # ---- opening and saving ----------------------------------------------------------------------------------------

    def choose_file(self) -> None:
        """Ask for a table and open it."""
        self._choose(QFileDialog.AcceptMode.AcceptOpen, "Open a table", READABLE, "", self.open_file)

    def choose_where_to_save_data(self) -> None:
        """Ask for a name and save the edited data as CSV."""
        self._save_data_and(None)

    def _save_data_and(self, then: Callable[[], object] | None) -> None:
        data = self.session.data
        if data is None:
            return

        def save(path: str) -> None:
            job = self.session.save_data(path)
            if then is not None:
                job.done.connect(lambda _value: then())

        name = f"{Path(data.origin.name).stem}.csv"
        self._choose(QFileDialog.AcceptMode.AcceptSave, "Save data", "CSV (*.csv)", name, save)

    def choose_where_to_save_model(self) -> None:
        """Ask for a name and save the model in view."""
        run = self.session.current_run
        if run is None or run.trained is None:
            self.session.messages.warn("There is no trained model in view.", "Start a run in Classify first.")
            return
        name = f"{run.learner.id}-{Path(run.data_name).stem}.coppice-model"
        self._choose(
            QFileDialog.AcceptMode.AcceptSave,
            "Save model",
            "Models (*.coppice-model)",
            name,
            lambda path: self.session.save_model(run, path),
        )

    def _choose_where_to_save(self, what: str) -> None:
        choose = {"model": self.choose_where_to_save_model, "predictions": self.choose_where_to_save_predictions}
        choose[what]()

    def choose_where_to_save_predictions(self) -> None:
        """Ask for a name and save the records that the run in view judged."""
        run = self.session.current_run
        if run is None or run.result is None:
            self.session.messages.warn("There are no predictions in view.", "Start a run in Classify first.")
            return
        name = f"{Path(run.data_name).stem}-{run.learner.id}-predictions.csv"
        self._choose(
            QFileDialog.AcceptMode.AcceptSave,
            "Save predictions",
            KINDS_OF_TABLE,
            name,
            lambda path: self.session.save_predictions(run, path),
        )

    def _choose(
        self, mode: QFileDialog.AcceptMode, title: str, kinds: str, name: str, act: Callable[[str], object]
    ) -> None:
        dialog = QFileDialog(self, title, self.session.settings.get("folder", ""), kinds)
        dialog.setObjectName("file_dialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(mode)
        if mode is QFileDialog.AcceptMode.AcceptSave:
            dialog.setFileMode(QFileDialog.FileMode.AnyFile)
            dialog.setDefaultSuffix(name.rpartition(".")[2])
            dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(kind.rpartition(".")[2].rstrip(")")))
            dialog.selectFile(name)
        else:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self._chosen(path, act))
        dialog.open()

    def _chosen(self, path: str, act: Callable[[str], object]) -> None:
        self.session.settings.set("folder", str(Path(path).parent))
        act(path)

    def open_file(self, path: str) -> None:
        """Open a table, after asking where edits would be lost."""
        self._unless_lost(lambda: self._open(lambda: self.session.open_file(path)))

    def paste(self) -> None:
        """Open the table in the clipboard, after asking where edits would be lost; a copied file is opened."""
        copied = QGuiApplication.clipboard().mimeData()
        files = [url.toLocalFile() for url in copied.urls() if url.isLocalFile()]
        if files:
            self.open_file(files[0])
        elif copied.hasText() and copied.text().strip():
            text = copied.text()
            self._unless_lost(lambda: self._open(lambda: self.session.open_text(text)))
        else:
            self.session.messages.warn(
                "There is no table in the clipboard.", "Copy cells in a spreadsheet first, with their row of names."
            )

    def open_sample(self, id: str) -> None:
        """Open a sample, after asking where edits would be lost."""
        self._unless_lost(lambda: self._open(lambda: self.session.open_sample(id)))

    def _open(self, start: Callable[[], Job]) -> None:
        if self._opening is not None:
            self._opening.stop()
        self._warm_up.give_way()
        self._preparation.stop()
        if self._loading is not None:
            self._loading.stop()
        try:
            self._opening = start()
        except CoppiceError as error:
            self._opening = None
            self.session.messages.error(error)
            self._load_for_workers()
            self._prepare()
        else:
            self._opening.over.connect(self._opened)

    def _opened(self, job: Job) -> None:
        if job is self._opening:
            self._opening = None
            self._load_for_workers()
            self._prepare()

    def _unless_lost(self, act: Callable[[], object]) -> None:
        """Do it, after one question where edits or runs would be lost."""
        unsaved, n_runs = self.session.unsaved, len(self.session.runs)
        if not unsaved and not n_runs:
            act()
            return
        runs = counted(n_runs, "run")
        answers: list[Answer] = []
        if unsaved:
            answers.append(("question_box.save", "Save data...", lambda: self._save_data_and(act)))
        answers.append(("question_box.go_on", "Open without saving" if unsaved else "Open another table", act))
        drops = " and ".join(filter(None, ("them" if unsaved else "", f"the {runs} of the ledger" if n_runs else "")))
        ask(
            self,
            unsaved or f"The ledger holds {runs} of this table.",
            f"Opening another table drops {drops}.",
            answers,
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and event.mimeData().urls()[0].isLocalFile():
            event.acceptProposedAction()
            self.welcome.drop.show_over(True)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        self.welcome.drop.show_over(False)

    def dropEvent(self, event: QDropEvent) -> None:
        self.welcome.drop.show_over(False)
        event.acceptProposedAction()
        self.open_file(event.mimeData().urls()[0].toLocalFile())

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
        """The page of help, in a window of its own."""
        self._beside_window().show_page("start")

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
        if not self._agreed_to_close and (running or self.session.is_edited):
            event.ignore()
            self._ask_before_closing(running)
            return
        self.session.settings.set("geometry", bytes(self.saveGeometry().toBase64().data()).decode("ascii"))
        self._preparation.stop()
        self.session.close()
        event.accept()

    def _ask_before_closing(self, running: list[Job]) -> None:
        answers: list[Answer] = []
        if self.session.unsaved:
            answers.append(("question_box.save", "Save data...", lambda: self._save_data_and(self._close_now)))
        words = "Stop and close" if running else "Close without saving"
        answers.append(("question_box.close", words, self._close_now))
        sentences = []
        if running:
            names = ", ".join(job.title for job in running[:3])
            sentences.append("Something is still running." if len(running) == 1 else "Some things are still running.")
            sentences.append(f"Closing stops: {names}.")
        if self.session.unsaved:
            sentences.append(self.session.unsaved)
        ask(self, sentences[0], " ".join(sentences[1:]), answers)

    def _close_now(self) -> None:
        self._agreed_to_close = True
        QTimer.singleShot(0, self, self.close)

    def _restore_geometry(self) -> None:
        kept = self.session.settings.get("geometry", "")
        if not (kept and self.restoreGeometry(QByteArray.fromBase64(QByteArray(kept.encode("ascii"))))):
            available = self.screen().availableGeometry()
            self.resize(min(1440, available.width() - 40), min(900, available.height() - 60))
