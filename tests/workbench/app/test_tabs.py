"""A tab is made piece by piece, unseen, in its place; who wants it earlier has it whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import pytest
from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QLabel, QSplitter, QWidget
from shiboken6 import Shiboken

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from tests.workbench.window_helpers import full, judged, small_data
from workbench.app.background_preparation import PreparationQueue
from workbench.app.main_window import MainWindow
from workbench.app.top_line import TAB_NAMES
from workbench.jobs.ui_scheduling import MadeAhead, MadeInPieces
from workbench.session.session import Session
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.classify.run_summary import VerdictPane
from workbench.tabs.classify.tab import ClassifyTab
from workbench.tabs.evaluate.confusion_pane import ConfusionPane
from workbench.tabs.evaluate.costs.cost_board import CostBoard
from workbench.tabs.evaluate.tab import COSTS, EvaluateTab
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.tabs.preprocess.table.records_pane import RecordsPane
from workbench.tabs.tab import Step, Tab
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.widgets.keyboard_focus import is_taken_away

Wait = Callable[..., None]


class InThree(Tab):
    """Made in three pieces, with two more besides."""

    def _make(self) -> Iterator[bool]:
        self.made = ["first"]
        yield True
        self.made.append("second")
        yield True
        self.made.append("third")

    def _steps_besides(self) -> Iterator[Step]:
        yield partial(self.made.append, "fourth")
        yield partial(self.made.append, "fifth")


def test_a_tab_is_whole_where_nobody_asks_for_pieces(session: Session) -> None:
    tab = InThree(session)
    assert tab.is_complete and tab.made == ["first", "second", "third"]


def test_nothing_is_made_ahead_while_something_is_shown_piece_by_piece(session: Session, wait_until: Wait) -> None:
    """A step made between two turns would make the wait for what was asked for longer."""
    order: list[str] = []
    preparation = PreparationQueue(
        (partial(order.append, "ahead") for _ in range(3)), is_awaited=lambda: session.turns.is_busy
    )
    session.turns.later(*(partial(order.append, f"asked for {nth}") for nth in range(30)))
    preparation.begin(0)
    wait_until(lambda: len(order) == 33)
    assert order[:30] == [f"asked for {nth}" for nth in range(30)]


def test_a_tab_is_made_piece_by_piece(session: Session) -> None:
    tab = InThree(session, in_pieces=True)
    seen = []
    for step in tab.steps():
        step()
        seen.append(len(tab.made))
    assert seen == [1, 2, 3, 4, 5] and tab.is_complete


@pytest.mark.parametrize("kind", [PreprocessTab, ClassifyTab, EvaluateTab, VisualizeTab])
def test_a_tab_that_is_resized_or_shown_before_it_is_whole_takes_its_place_later(
    kind: type[Tab], session: Session, qapp: QApplication
) -> None:
    """The window may be resized while its tabs are made. What goes wrong in an event is told to who sends it."""
    tab = kind(session, in_pieces=True)
    size = QSize(900, 700)
    for step in tab.steps():
        for event in (QResizeEvent(size, QSize()), QShowEvent(), QResizeEvent(size, size)):
            QApplication.sendEvent(tab, event)
        step()
        if tab.is_complete:
            break
    assert tab.is_complete
    tab.deleteLater()


def test_a_tab_that_is_wanted_early_is_completed_and_no_piece_is_made_twice(session: Session) -> None:
    tab = InThree(session, in_pieces=True)
    steps = tab.steps()
    next(steps)()
    tab.complete()
    tab.complete()
    for step in steps:
        step()
    assert tab.made == ["first", "second", "third", "fourth", "fifth"]


def test_nothing_of_a_tab_that_is_being_made_is_seen(session: Session, qapp: QApplication, wait_until: Wait) -> None:
    window = MainWindow(session)
    window.show()
    window.open_sample("iris")
    wait_until(lambda: session.summary is not None and window.tabs.tab(0).isVisible())
    n_steps = 0
    for at, kind in ((1, ClassifyTab), (2, EvaluateTab), (3, VisualizeTab)):
        for step in window.tabs.pieces(at):
            step()
            n_steps += 1
            assert not any(made.isVisible() for made in window.findChildren(kind))
        assert window.tabs.is_whole(at) and window.tabs.currentWidget() is window.tabs.tab(0)
    assert n_steps > 12
    wait_until(lambda: not session.jobs.running, 60)
    window.close()
    window.deleteLater()


def test_the_first_tab_is_made_while_a_table_is_read(session: Session, wait_until: Wait) -> None:
    window = MainWindow(session)
    window.show()
    assert not window.tabs.is_whole(0)
    window.open_sample("iris")
    window._prepare()
    wait_until(lambda: window.tabs.is_whole(0) and session.summary is not None)
    wait_until(lambda: window.tabs.tab(0).isVisible())
    window.close()
    window.deleteLater()


class Dressed(QObject):
    """Counts how often Qt tells a widget that it wears another style."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.n = 0
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.n += event.type() == QEvent.Type.StyleChange
        return False


@pytest.mark.parametrize(("at", "piece"), [(0, RecordsPane), (1, VerdictPane), (2, ConfusionPane)])
def test_what_is_made_in_pieces_is_made_in_its_place(
    session: Session, qapp: QApplication, at: int, piece: type[QWidget]
) -> None:
    """Each time that it is put from one widget into another, Qt dresses all that is in it anew."""
    themes.install(qapp, LIGHT_NAME)
    window = MainWindow(session)
    window.show()
    dressed = None
    for step in window.tabs.pieces(at):
        step()
        if dressed is None and (made := window.findChild(piece)) is not None:
            dressed = Dressed(made.findChildren(QLabel)[0])
    assert dressed is not None and dressed.n <= 1
    window.close()
    window.deleteLater()
    qapp.setStyleSheet("")


class Painted(QObject):
    """Counts how often the whole of a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.n = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QPaintEvent) and isinstance(watched, QWidget):
            self.n += event.region().boundingRect() == watched.rect()
        return False


def test_a_tab_is_painted_once_when_it_is_shown(window: MainWindow, wait_until: Wait) -> None:
    full(window, wait_until)
    shown = Painted(window.tabs.tab(0))
    for tab in (0, 1, 0):
        is_over = iter(range(20))
        shown.n = 0
        window.show_tab(tab)
        wait_until(lambda over=is_over: not window.session.turns.is_busy and next(over, None) is None)
    assert shown.n == 1


def test_the_attributes_stretch_more_than_the_chosen_one(session: Session) -> None:
    tab = PreprocessTab(session)
    upper = tab.attributes.parentWidget()
    assert isinstance(upper, QSplitter)
    shares = [tab.attributes.sizePolicy().horizontalStretch(), tab.attribute.sizePolicy().horizontalStretch()]
    assert shares == [3, 2] and upper.indexOf(tab.attributes) == 0
    tab.deleteLater()


MOST_WIDGETS: Final = 70
"""A step that makes more is to be divided; an empty plot of pyqtgraph alone has about 50."""


def test_no_step_makes_many_widgets(session: Session, qapp: QApplication) -> None:
    """The window answers between two steps only, and nearly all of their time goes into widgets and their style."""
    window, n_made = MainWindow(session), dict[str, int]()
    for at in range(len(TAB_NAMES)):
        for number, step in enumerate(window.tabs.steps(at)):
            before = len(qapp.allWidgets())
            step()
            n_made[f"{TAB_NAMES[at]}, step {number}: {step}"] = len(qapp.allWidgets()) - before
    assert len(n_made) > 150
    assert [step for step, n in n_made.items() if n > MOST_WIDGETS] == []
    window.close()
    window.deleteLater()


def test_a_window_can_be_resized_and_restyled_while_its_pages_are_made(session: Session, qapp: QApplication) -> None:
    """A part that is not there yet must not be asked: after an error there the bindings free the method they call."""
    window, resized = MainWindow(session), set[type[QWidget]]()
    for at in range(len(TAB_NAMES)):
        for step in window.tabs.steps(at):
            step()
            for part in window.findChildren(QWidget):
                if isinstance(part, MadeInPieces) and not part.is_complete:
                    resized.add(type(part))
                    qapp.sendEvent(part, QResizeEvent(QSize(900, 600), QSize(800, 500)))
                    for kind in (QEvent.Type.StyleChange, QEvent.Type.FontChange, QEvent.Type.LayoutRequest):
                        qapp.sendEvent(part, QEvent(kind))
                    part.minimumSizeHint()
    assert len(resized) > 15
    window.close()
    window.deleteLater()


def bear_any_size(window: MainWindow, qapp: QApplication) -> None:
    """Sizes that no layout gives, one after another, for all parts of the complete window."""
    for at in range(len(TAB_NAMES)):
        for step in window.tabs.steps(at):
            step()
    parts = window.findChildren(QWidget)
    assert len(parts) > 1000
    for size in (QSize(1, 1), QSize(100, 30), QSize(60, 400), QSize(900, 20)):
        for part in filter(Shiboken.isValid, parts):
            before = part.size()
            part.resize(size)
            qapp.sendEvent(part, QResizeEvent(size, before))
            part.sizeHint()


def test_every_part_of_an_empty_window_bears_any_size(session: Session, qapp: QApplication) -> None:
    """An error while Qt hands out sizes is more than a message: the bindings may crash at it."""
    window = MainWindow(session)
    bear_any_size(window, qapp)
    window.close()
    window.deleteLater()


def test_every_part_of_a_window_with_a_run_bears_any_size(
    session: Session, qapp: QApplication, wait_until: Wait
) -> None:
    window = MainWindow(session)
    session.set_document(small_data(60))
    wait_until(lambda: session.summary is not None)
    judged(session, wait_until, C45(), CrossValidation(folds=3))
    bear_any_size(window, qapp)
    session.turns.finish()
    window.close()
    window.deleteLater()


class InTwo(MadeInPieces, QLabel):
    def __init__(self) -> None:
        super().__init__()
        self._make_by(self._make(), in_pieces=True)

    def _make(self) -> Iterator[bool]:
        self.setText("first")
        yield True
        self.setText("second")


def test_a_part_made_ahead_is_begun_once_and_used_when_it_is_complete(qapp: QApplication) -> None:
    used: list[str] = []
    ahead = MadeAhead(InTwo, lambda part: used.append(part.text()))
    steps = ahead.steps()
    next(steps)()
    next(steps)()
    assert not ahead.is_made and used == []
    part = ahead.make()  # who needs it does not wait for the rest of the steps
    assert part.text() == "second" and used == ["second"]
    for step in steps:
        step()
    assert ahead.make() is part and used == ["second"]
    part.deleteLater()


def test_a_page_that_is_wanted_while_it_is_made_is_completed(session: Session, qapp: QApplication) -> None:
    tab = EvaluateTab(session)
    steps = tab.pages.ahead(COSTS, tab).steps()
    next(steps)()
    next(steps)()
    assert COSTS not in tab.pages.further and not tab.findChildren(CostBoard)[0].is_complete
    tab.pages.show_view(COSTS)
    for step in steps:
        step()
    boards = tab.findChildren(CostBoard)
    assert boards == [tab.pages.further[COSTS]] and boards[0].is_complete
    tab.deleteLater()


@pytest.mark.parametrize("at", [2, 3])
def test_the_pages_of_a_tab_are_painted_before_they_are_wanted(session: Session, qapp: QApplication, at: int) -> None:
    window = MainWindow(session)
    window.show()
    for step in window.tabs.steps(at):
        step()
    pages = window.tabs.tab(at).hidden_pages()
    assert len(pages) >= 3
    for page in pages:
        inside = page.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
        here = [page, *(widget for widget in inside if not (widget.isWindow() or is_taken_away(widget)))]
        assert all(widget.testAttribute(Qt.WidgetAttribute.WA_WState_Polished) for widget in here)
        assert not page.isVisible()
    window.close()
    window.deleteLater()
