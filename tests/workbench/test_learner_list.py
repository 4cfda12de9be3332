"""The list of learners asks which of them can take the data when somebody sees it, and not before."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QFontMetrics

from tests.workbench.window_helpers import small_data
from workbench.classify.learner_list import LearnerList, reason_in_few_lines
from workbench.session import Session
from workbench.theme import themes


class Asked(QObject):
    """Counts how often the list was drawn anew."""

    def __init__(self, learners: LearnerList) -> None:
        super().__init__()
        self.n = 0
        learners.model.dataChanged.connect(self._count)

    def _count(self) -> None:
        self.n += 1


def test_a_list_that_nobody_sees_asks_nothing_until_it_is_seen(session: Session) -> None:
    learners = LearnerList(session)
    asked = Asked(learners)
    session.set_document(small_data())
    session.data_changed.emit()
    session.summary_changed.emit()
    assert asked.n == 0
    learners.show()
    assert asked.n == 1
    session.data_changed.emit()
    assert asked.n == 2
    learners.hide()
    learners.show()
    assert asked.n == 2
    learners.close()
    learners.deleteLater()


def test_a_reason_without_room_ends_with_its_first_sentence() -> None:
    metrics = QFontMetrics(themes.font(11))
    first = "Sepal Length is a number, and ID3 asks only about lists of values."
    assert reason_in_few_lines(metrics, 140, f"{first} Cut it into ranges, which a step does, or take C4.5.") == first
    assert reason_in_few_lines(metrics, 900, "Too few. Add some.") == "Too few. Add some."
