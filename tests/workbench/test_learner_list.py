"""The list of learners asks which of them can take the data when somebody sees it, and not before."""

from __future__ import annotations

from PySide6.QtCore import QObject

from tests.workbench.window_helpers import small_data
from workbench.classify.learner_list import LearnerList
from workbench.session import Session


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
