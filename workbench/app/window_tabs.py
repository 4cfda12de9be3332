"""The four tabs, made when first wanted; the runs beside them; where the keyboard goes in each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from workbench.app.top_line import TAB_NAMES
from workbench.session.session import Session
from workbench.style.theme import SPACE_3, themes
from workbench.tabs.tab import Step, Tab
from workbench.widgets.focus import first_view
from workbench.widgets.panes import CurrentPageStack


class Tabs(CurrentPageStack):
    """The tabs by their number in :data:`TAB_NAMES`; those that are whole are pages."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._tabs: list[Tab | None] = [None] * len(TAB_NAMES)

    def tab(self, at: int) -> Tab:
        """The tab, whole."""
        tab = self._begun(at)
        tab.complete()
        if self.indexOf(tab) < 0:
            self.addWidget(tab)
        return tab

    def show_page(self, page: QWidget, make_room: Callable[[], object]) -> None:
        """Bring a page into view after ``make_room`` has changed what is beside it: so neither this page nor the one
        before is laid out for the room that there was."""
        layout = self.layout()
        assert layout is not None
        layout.setEnabled(False)
        try:
            make_room()
            page.setGeometry(self.contentsRect())
            self.setCurrentWidget(page)
        finally:
            layout.setEnabled(True)

    def is_whole(self, at: int) -> bool:
        """Whether the tab is made already."""
        tab = self._tabs[at]
        return tab is not None and tab.is_complete

    def made(self) -> dict[str, QWidget | None]:
        """The tabs by their names, None where nothing of one is made yet."""
        return dict(zip(TAB_NAMES, self._tabs, strict=True))

    def _begun(self, at: int) -> Tab:
        tab = self._tabs[at]
        if tab is None:
            name = TAB_NAMES[at]
            make: Callable[..., Tab] = getattr(import_module(f"workbench.tabs.{name.lower()}.tab"), f"{name}Tab")
            tab = self._tabs[at] = make(self._session, self, in_pieces=True)
            tab.setAccessibleName(name)
            tab.hide()
        return tab

    # ---- made while nobody waits -----------------------------------------------------------------------------------

    def steps(self, at: int) -> Iterator[Step]:
        """Make a tab piece by piece, and look at it unseen: the first time is the slow one."""
        yield from self.pieces(at)
        yield partial(self.tab, at)
        yield from self._begun(at).steps()
        yield partial(self._lay_out, at)
        yield partial(self._rehearse, at)

    def pieces(self, at: int) -> Iterator[Step]:
        """What it takes for a tab to be whole."""
        yield partial(import_module, f"workbench.tabs.{TAB_NAMES[at].lower()}.tab")
        for step in self._begun(at).steps():
            if self.is_whole(at):
                return
            yield step

    def _lay_out(self, at: int) -> None:
        tab, layout = self.tab(at), self.tab(at).layout()
        if not tab.isVisible() and layout is not None:
            tab.resize(self.size())
            layout.activate()

    def _rehearse(self, at: int) -> None:
        tab = self.tab(at)
        if not tab.isVisible():
            tab.grab()


SHARE: Final = 0.265
WIDTHS: Final = (310, 440)
"""The ledger's share of the window's width, and what it is at least and at most, at usual text size."""
ROOM: Final = 1060
"""In narrower windows, at usual text size, the ledger is shown only when it is asked for."""
TABS: Final = ("Classify", "Evaluate")
"""Where it is shown unasked."""


class RunsBeside(QSplitter):
    """``content`` and, made when it is first wanted, the ledger at its right."""

    def __init__(self, session: Session, content: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._session = session
        self._ledger: QWidget | None = None
        self._is_width_chosen = False
        self.setChildrenCollapsible(False)
        self.setHandleWidth(SPACE_3)
        self.addWidget(content)
        self.splitterMoved.connect(self._width_chosen)

    @property
    def is_made(self) -> bool:
        """Whether the ledger is there, seen or not."""
        return self._ledger is not None

    def choose(self, tab: str, wanted: bool) -> None:
        """Whether it is wanted in this tab from now on."""
        self._session.settings.set(f"ledger.{tab.lower()}", wanted)

    def show_in(self, tab: str, width: int) -> bool:
        """Show or hide it as it is wanted in this tab of a window so wide; returns which."""
        usual = tab in TABS and width >= themes.px(ROOM)
        wanted = bool(self._session.settings.get(f"ledger.{tab.lower()}", usual))
        if wanted:
            self.make(width)
        if self._ledger is not None:
            self._ledger.setVisible(wanted)
            self.refresh()  # else the handle goes later, and what is beside the ledger is laid out twice
            self._fit(width)
        return wanted

    def make(self, width: int) -> None:
        """Make it, hidden, where it is not there yet."""
        if self._ledger is not None:
            return
        from workbench.tabs.classify.runs_pane import RunsPane

        self._ledger = RunsPane(self._session)
        self._ledger.setObjectName("ledger.pane")
        self._ledger.hide()
        self.addWidget(self._ledger)
        self.setStretchFactor(0, 1)
        self.setStretchFactor(1, 0)
        self._fit(width)

    def _fit(self, width: int) -> None:
        """As wide as suits the window, unless a person chose a width."""
        if self._is_width_chosen:
            return
        least, most = (themes.px(width) for width in WIDTHS)
        wide = min(most, max(least, round(width * SHARE)))
        self.setSizes([max(1, self.width() - wide), wide])

    def _width_chosen(self, _at: int, _index: int) -> None:
        self._is_width_chosen = True


MAIN_VIEWS: Final = {
    "Preprocess": ("preprocess.predict.onward", "preprocess.attributes"),
    "Evaluate": ("evaluate.confusion",),
    "Visualize": ("visualize.tree",),
}
"""What has the keyboard on entering these tabs: the first of these in view; where none is, the leftmost view."""
VIEWS_TO_GO_ON_IN: Final = {
    **MAIN_VIEWS,
    "Preprocess": ("preprocess.records",),
    "Classify": ("classify.start",),
}
"""What has the keyboard after the selection it was used on is gone."""


def enter(name: str, tab: QWidget) -> None:
    """Give the keyboard to what this tab is mainly for."""
    _focus_one_of(MAIN_VIEWS, name, tab)


def go_on_in(name: str, tab: QWidget) -> None:
    """Give the keyboard to where a person goes on in this tab without a selection."""
    _focus_one_of(VIEWS_TO_GO_ON_IN, name, tab)


def _focus_one_of(views: Mapping[str, Sequence[str]], name: str, tab: QWidget) -> None:
    names = views.get(name, ())
    known = (tab.findChild(QWidget, each) for each in names)
    view = next((view for view in known if view is not None and view.isVisible()), None)
    if view is None and names:
        view = first_view(tab)
    if view is not None:
        view.setFocus(Qt.FocusReason.OtherFocusReason)
