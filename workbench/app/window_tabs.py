"""The four tabs, made when first needed; the runs beside them; the initial keyboard focus of each tab."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Final

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

from workbench.app.top_line import TAB_NAMES
from workbench.session.session import Session
from workbench.style.motion import slide_in
from workbench.style.theme import SPACE_3, themes
from workbench.tabs.tab import Step, Tab
from workbench.widgets.keyboard_focus import first_view
from workbench.widgets.layouts import laid_out_once, named
from workbench.widgets.panes import CurrentPageStack

CORNER: Final = QRect(0, 0, 1, 1)
"""What is painted first of a page ahead: Qt styles and lays out all of the page for it."""
WHOLE: Final = QRect(0, 0, -1, -1)


class Tabs(CurrentPageStack):
    """The tabs by their index in :data:`TAB_NAMES`; complete ones are pages."""

    page_turns = Signal()
    """Comes from a tab."""
    selecting_changed = Signal()
    """What a click selects may have changed: another tab is shown, or another page of it."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._tabs: list[Tab | None] = [None] * len(TAB_NAMES)
        self.currentChanged.connect(self.selecting_changed)

    def tab(self, index: int) -> Tab:
        tab = self._begun(index)
        tab.complete()
        if self.indexOf(tab) < 0:
            self.addWidget(tab)
        return tab

    def show_page(self, page: QWidget, make_room: Callable[[], object]) -> None:
        """Show a page after ``make_room``, so that it is not laid out for the old room."""
        self._session.turns.paint_once(self, partial(self._show_page, page, make_room))

    def _show_page(self, page: QWidget, make_room: Callable[[], object]) -> None:
        with laid_out_once(self):
            make_room()
            page.setGeometry(self.contentsRect())
            self.setCurrentWidget(page)

    def how_to_select(self) -> Sequence[str]:
        """How to select records in the tab in view; empty where nothing can be."""
        tab = self.currentWidget()
        return tab.how_to_select() if isinstance(tab, Tab) and tab.is_complete else ()

    def is_whole(self, index: int) -> bool:
        tab = self._tabs[index]
        return tab is not None and tab.is_complete

    def made(self) -> dict[str, Tab | None]:
        """The complete tabs by name, None for the others: a tab in pieces has not all its parts yet."""
        complete = [tab if tab is not None and tab.is_complete else None for tab in self._tabs]
        return dict(zip(TAB_NAMES, complete, strict=True))

    def _begun(self, index: int) -> Tab:
        tab = self._tabs[index]
        if tab is None:
            name = TAB_NAMES[index]
            make: Callable[..., Tab] = getattr(import_module(f"workbench.tabs.{name.lower()}.tab"), f"{name}Tab")
            tab = self._tabs[index] = make(self._session, self, in_pieces=True)
            tab.setAccessibleName(name)
            tab.page_turns.connect(self.page_turns)
            tab.selecting_changed.connect(self.selecting_changed)
            tab.hide()
        return tab

    def steps(self, index: int) -> Iterator[Step]:
        """Steps that make a tab, and paint it and its pages hidden once, as the first paint is slow."""
        yield from self.pieces(index)
        yield partial(self.tab, index)
        yield from self._begun(index).steps()
        for page in (self.tab(index), *self.tab(index).hidden_pages()):
            yield partial(self._rehearse, index, page, CORNER)
            yield partial(self._rehearse, index, page)

    def pieces(self, index: int) -> Iterator[Step]:
        yield partial(import_module, f"workbench.tabs.{TAB_NAMES[index].lower()}.tab")
        for step in self._begun(index).steps():
            if self.is_whole(index):
                return
            yield step

    def _rehearse(self, index: int, page: QWidget, part: QRect = WHOLE) -> None:
        if not self.tab(index).isVisible():
            page.resize(self.size())
            page.grab(part)


SHARE: Final = 0.265
WIDTHS: Final = (310, 440)
"""Share of the window's width for the runs, and its least and largest width at normal text size."""
ROOM: Final = 1060
"""In windows narrower than this, at normal text size, the runs are shown only on request."""
TABS: Final = ("Classify", "Evaluate")
"""Tabs that show the runs by default."""


class RunsBeside(QSplitter):
    """A page, added first, with the list of runs at its right, made when first needed."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._session = session
        self._ledger: QWidget | None = None
        self._is_width_chosen = False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(SPACE_3)
        self.splitterMoved.connect(self._width_chosen)

    @property
    def is_made(self) -> bool:
        """Whether the list of runs exists, visible or not."""
        return self._ledger is not None

    def choose(self, tab: str, wanted: bool) -> None:
        self._session.settings.set(f"ledger.{tab.lower()}", wanted)

    def show_in(self, tab: str, width: int) -> bool:
        """Show or hide the runs for this tab of a window ``width`` wide; returns whether they are shown."""
        usual = tab in TABS and width >= themes.px(ROOM)
        wanted = bool(self._session.settings.get(f"ledger.{tab.lower()}", usual))
        if wanted:
            self.make(width)
        if self._ledger is not None:
            self._ledger.setVisible(wanted)
            self.refresh()  # else the handle moves later, and the content is laid out twice
            self._fit(width)
        return wanted

    def slide_in(self) -> None:
        """Let the list of runs come in, which the user has asked for."""
        if self._ledger is not None:
            slide_in(self._ledger, self.refresh)  # the window may have got another size meanwhile

    def make(self, width: int) -> None:
        """Make the list of runs, hidden, unless it exists."""
        if self._ledger is not None:
            return
        from workbench.tabs.classify.runs_pane import RunsPane

        self._ledger = named(RunsPane(self._session, self), "ledger.pane")
        self._ledger.hide()
        self.addWidget(self._ledger)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self._fit(width)

    def _fit(self, width: int) -> None:
        if self._is_width_chosen:
            return
        least, most = (themes.px(width) for width in WIDTHS)
        wide = min(most, max(least, round(width * SHARE)))
        self.setSizes([max(1, self.width() - wide), wide])

    def _width_chosen(self, _at: int, _index: int) -> None:
        self._is_width_chosen = True


Enter = Callable[[str, QWidget], object]
"""Gives a view of the tab of this name the keyboard focus."""
MAIN_VIEWS: Final = {
    "Preprocess": ("preprocess.predict.onward", "preprocess.attributes"),
    "Classify": ("classify.learners",),
    "Evaluate": (
        *("evaluate.metrics", "evaluate.confusion", "evaluate.comparison.forest", "evaluate.board.costs"),
        *("evaluate.sweep.start", "evaluate.leaning.start", "evaluate.shuffle.start"),
    ),
    "Visualize": ("visualize.what-if.record", "visualize.tree"),
}
"""Views that get the focus on entering a tab: the first visible one, else the leftmost view."""
VIEWS_TO_GO_ON_IN: Final = {**MAIN_VIEWS, "Preprocess": ("preprocess.records",)}
"""Views that get the focus once the selection used before is gone."""


def enter(name: str, tab: QWidget) -> None:
    _focus_one_of(MAIN_VIEWS, name, tab)


def go_on_in(name: str, tab: QWidget) -> None:
    """Focus the main view of this tab, which can be used even if nothing is selected."""
    _focus_one_of(VIEWS_TO_GO_ON_IN, name, tab)


def _focus_one_of(views: Mapping[str, Sequence[str]], name: str, tab: QWidget) -> None:
    names = views.get(name, ())
    views_here = (tab.findChild(QWidget, view_name) for view_name in names)
    view = next((view for view in views_here if view is not None and view.isVisible()), None)
    if view is None and names:
        view = first_view(tab)
    if view is not None:
        view.setFocus(Qt.FocusReason.OtherFocusReason)
