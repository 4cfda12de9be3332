"""What the window can do, as actions with their keys, and the menu that lists them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from workbench.app.top_line import TAB_NAMES
from workbench.session.session import Session
from workbench.style.theme import DARK_NAME, LIGHT_NAME, SYSTEM, themes
from workbench.widgets.help import Keys

if TYPE_CHECKING:
    from workbench.app.main_window import MainWindow

Act = Callable[[], object]


class Actions(QObject):
    """The window's actions by name; :meth:`fill` puts those that have no button of their own into a menu."""

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
        for at, name in enumerate(TAB_NAMES):
            self._made(f"show.{name.lower()}", name, _shower(window, at), f"Ctrl+{at + 1}")

    def _made(self, name: str, text: str, act: Act, *keys: str) -> QAction:
        action = QAction(text, self._window)
        action.setObjectName(name)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _checked=False: act())
        self._window.addAction(action)
        return action

    def window_actions(self) -> list[QAction]:
        """Every action that has a name of its own."""
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
        menu.addAction(self.save_project)
        menu.addAction(self.save_project_as)
        menu.addAction(self.save_data)
        menu.addAction(self.save_model)
        menu.addAction(self.copy_model)
        menu.addAction(self.save_predictions)
        menu.addSeparator()
        menu.addAction(self.use_model)
        menu.addAction(self.use_saved)
        menu.addSeparator()
        menu.addMenu(self._theme_menu(menu))
        for action in (self.larger, self.smaller, self.usual):
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction(self.help)
        menu.addAction(self.past)
        menu.addAction(self.about)
        menu.addSeparator()
        menu.addAction(self.quit)
        menu.aboutToShow.connect(self.refresh)

    def refresh(self) -> None:
        """Grey out what leads nowhere now."""
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
    """The keys of the window, and of the tabs that are made, each with what it does."""
    found: dict[str, list[tuple[str, str]]] = {"In the window": [], **{name: [] for name in tabs}}
    for action in actions.window_actions():
        keys = [key.toString(QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts()]
        if keys:
            found["In the window"].append((", ".join(keys), action.text().removesuffix("...").replace("&", "")))
    for name, tab in tabs.items():
        for shortcut in [] if tab is None else tab.findChildren(QShortcut):
            if shortcut.whatsThis():
                found[name].append((shortcut.key().toString(), shortcut.whatsThis()))
    return {place: lines for place, lines in found.items() if lines}


def _shower(window: MainWindow, at: int) -> Act:
    return lambda: window.show_tab(at)
