"""The four tabs, each made when it is first wanted, or piece by piece while nobody waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Final

from PySide6.QtWidgets import QWidget

from workbench.parts.pages import Pages
from workbench.parts.tab import Step, Tab
from workbench.parts.top_line import TAB_NAMES
from workbench.session import Session


def _preprocess(session: Session, parent: QWidget) -> Tab:
    from workbench.preprocess.tab import PreprocessTab

    return PreprocessTab(session, parent, in_pieces=True)


def _classify(session: Session, parent: QWidget) -> Tab:
    from workbench.classify.tab import ClassifyTab

    return ClassifyTab(session, parent, in_pieces=True)


def _evaluate(session: Session, parent: QWidget) -> Tab:
    from workbench.evaluate.tab import EvaluateTab

    return EvaluateTab(session, parent, in_pieces=True)


def _visualize(session: Session, parent: QWidget) -> Tab:
    from workbench.visualize.tab import VisualizeTab

    return VisualizeTab(session, parent, in_pieces=True)


MAKERS: Final[tuple[Callable[[Session, QWidget], Tab], ...]] = (_preprocess, _classify, _evaluate, _visualize)


class Tabs(Pages):
    """The tabs by their number in :data:`TAB_NAMES`; those that are whole are pages."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._tabs: list[Tab | None] = [None] * len(MAKERS)

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
            tab = self._tabs[at] = MAKERS[at](self._session, self)
            tab.setAccessibleName(TAB_NAMES[at])
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
        yield partial(import_module, f"workbench.{TAB_NAMES[at].lower()}.tab")
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
