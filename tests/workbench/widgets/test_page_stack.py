"""Pages: only the one in view says how much room is needed."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget

from workbench.widgets.panes import CurrentPageStack


def test_a_wide_hidden_page_takes_no_room_from_the_neighbours(qapp: QApplication) -> None:
    pages, narrow, wide = CurrentPageStack(), QWidget(), QWidget()
    narrow.setMinimumWidth(200)
    wide.setMinimumWidth(900)
    for page in (narrow, wide):
        pages.addWidget(page)
    for page, least in ((narrow, 200), (wide, 900), (narrow, 200)):
        pages.setCurrentWidget(page)
        assert pages.minimumSizeHint().width() == least
    pages.deleteLater()
