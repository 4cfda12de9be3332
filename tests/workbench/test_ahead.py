"""What a tab is made of can be made before it, piece by piece, unseen, and is used by it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QSplitter, QWidget

from workbench.classify.tab import PIECES, ClassifyTab
from workbench.classify.verdict import VerdictPane
from workbench.main_window import MainWindow
from workbench.parts.ahead import Ahead
from workbench.preprocess.records_pane import RecordsPane
from workbench.preprocess.tab import PreprocessTab
from workbench.session import Session
from workbench.theme import LIGHT_NAME, themes

Wait = Callable[..., None]


class Showy(QWidget):
    """Shows itself, as what has something to say at once does."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.show()


def test_a_piece_is_made_once_and_taken_once(session: Session) -> None:
    ahead, holder = Ahead(session), QWidget()
    ahead.make(Showy)
    ahead.make(Showy)
    first, second = ahead.take(Showy, holder), ahead.take(Showy, holder)
    assert first is not second and first.parentWidget() is second.parentWidget() is holder


def test_what_is_made_ahead_is_no_window(session: Session, qapp: QApplication) -> None:
    ahead = Ahead(session)
    ahead.make(Showy)
    assert not any(isinstance(window, Showy) or window.isVisible() for window in qapp.topLevelWidgets())


def test_a_tab_takes_what_was_made_for_it(session: Session) -> None:
    ahead = Ahead(session)
    for maker in PIECES:
        ahead.make(maker)
    learners = ahead._made[PIECES[0]]
    tab = ClassifyTab(session, ahead)
    assert tab.learners is learners and not ahead._made
    tab.deleteLater()


def test_the_first_tab_is_made_while_a_table_is_read(session: Session, wait_until: Wait) -> None:
    window = MainWindow(session)
    window.show()
    assert window._tabs[0] is None
    window.open_sample("iris")
    window._prepare()
    wait_until(lambda: isinstance(window._tabs[0], PreprocessTab) and session.summary is not None)
    shown = window._tabs[0]
    wait_until(lambda: shown is not None and shown.isVisible())
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


@pytest.mark.parametrize(("at", "piece"), [(0, RecordsPane), (1, VerdictPane)])
def test_what_was_made_ahead_goes_straight_to_its_place(
    session: Session, qapp: QApplication, at: int, piece: type[QWidget]
) -> None:
    """Each time that it is put from one widget into another, Qt dresses all that is in it anew."""
    themes.install(qapp, LIGHT_NAME)
    window = MainWindow(session)
    window.show()
    window._ahead.make(piece)
    made = window._ahead._made[piece]
    dressed = Dressed(made.findChildren(QLabel)[0])
    assert window._tab(at).isAncestorOf(made)
    assert dressed.n <= 2
    window.close()
    window.deleteLater()
    qapp.setStyleSheet("")


def test_the_attributes_stretch_more_than_the_chosen_one(session: Session) -> None:
    tab = PreprocessTab(session)
    upper = tab.attributes.parentWidget()
    assert isinstance(upper, QSplitter)
    shares = [tab.attributes.sizePolicy().horizontalStretch(), tab.attribute.sizePolicy().horizontalStretch()]
    assert shares == [3, 2] and upper.indexOf(tab.attributes) == 0
    tab.deleteLater()
