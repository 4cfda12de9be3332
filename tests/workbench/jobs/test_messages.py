"""Messages are kept, shown and dismissed."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QLabel, QToolButton

from algorithms.core.errors import DataError
from tests.expected_texts import session as wording
from workbench.jobs.messages import Message, Messages, MessageTone
from workbench.widgets.status_line import MessageBar


def test_a_dismissed_message_stays_in_the_history(qapp: QApplication) -> None:
    messages = Messages()
    message = messages.warn("Careful.", "Look twice.")
    messages.dismiss(message)
    assert messages.open == ()
    assert messages.history == (message,)


def test_an_error_keeps_place_sentence_and_remedy(qapp: QApplication) -> None:
    messages = Messages()
    shown = messages.error(DataError("Row 3 has 4 cells.", remedy="Mend it.", place="a.csv, line 3"))
    assert shown.tone is MessageTone.ERROR
    assert shown.text == wording.ROW_3_HAS_4_CELLS


def test_the_bar_shows_errors_and_warnings_but_not_notes(qapp: QApplication) -> None:
    messages = Messages()
    bar = MessageBar(messages)
    messages.note("All is well.")
    assert bar.isHidden()
    messages.error(DataError("Broken <b>.", remedy="Mend it."))
    assert not bar.isHidden()
    assert "Broken &lt;b&gt;." in bar.findChildren(QLabel, "messages.text")[0].text()


def test_the_cross_dismisses(qapp: QApplication) -> None:
    messages = Messages()
    bar = MessageBar(messages)
    messages.warn("Careful.")
    bar.findChildren(QToolButton, "messages.dismiss")[0].click()
    assert messages.open == ()
    assert bar.isHidden()


def test_many_messages_are_counted_not_piled_up(qapp: QApplication) -> None:
    messages = Messages()
    bar = MessageBar(messages)
    for number in range(7):
        messages.warn(f"Careful {number}.")
    rows = bar.layout()
    assert rows is not None
    shown = [rows.itemAt(at).widget().accessibleName() for at in range(rows.count() - 1)]
    assert shown == ["Careful 6.", "Careful 5."]
    assert any(found.text() == wording.and_more(5) for found in bar.findChildren(QLabel))


def test_the_history_does_not_grow_without_end(qapp: QApplication) -> None:
    messages = Messages()
    for number in range(Messages.KEPT + 50):
        messages.add(Message(str(number)))
    assert len(messages.history) == Messages.KEPT
