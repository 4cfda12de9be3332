"""The pages of Visualize: one at a time, under one toolbar, kept in the settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, show_page
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.tabs.visualize.tab import DATA, EXPLAIN, MODEL, Pages
from workbench.widgets.panes import Pane


def _session(folder: Path) -> Session:
    return Session(settings=Settings(folder / "settings.json"))


@pytest.fixture
def pages(stage: Stage, tmp_path: Path) -> Pages:
    """Pages whose Data has a pane with a button in its heading."""
    made = Pages(_session(tmp_path), QLineEdit())
    button = QPushButton("of records")
    button.setObjectName("records")
    pane = Pane("Records", actions=[button])
    made.add_page(DATA, pane)
    made.set_pane(DATA, pane)
    made.add_page(EXPLAIN, Pane("Explain"))
    return stage.show(made, 900, 500)


def button(pages: Pages, page: str) -> QPushButton:
    return next(found for found in pages.findChildren(QPushButton, f"visualize.page.{page}"))


def test_one_page_is_shown_with_the_heading_of_its_pane_as_toolbar(pages: Pages) -> None:
    pages.set_available(DATA, True)
    records = next(found for found in pages.findChildren(QPushButton, "records"))
    assert pages.shown == MODEL and not records.isVisible()
    show_page(pages, DATA)
    assert pages.shown == DATA and records.isVisible()
    assert abs(records.mapTo(pages, records.rect().center()).y() - button(pages, DATA).geometry().center().y()) <= 4
    show_page(pages, MODEL)
    assert pages.shown == MODEL and not records.isVisible()


def test_a_page_without_content_cannot_be_chosen_and_gives_way_to_the_model(pages: Pages) -> None:
    pages.set_available(DATA, True)
    show_page(pages, DATA)
    pages.set_available(DATA, False)
    assert pages.shown == MODEL and not button(pages, DATA).isEnabled()
    pages.set_available(DATA, True)
    assert pages.shown == DATA, "the page that was chosen comes back"
    QTest.mouseClick(button(pages, EXPLAIN), LEFT)
    assert pages.shown == DATA


def test_the_page_is_kept(pages: Pages, stage: Stage, tmp_path: Path) -> None:
    pages.set_available(DATA, True)
    show_page(pages, DATA)
    assert Pages(_session(tmp_path), QWidget()).wanted == DATA


def test_the_inspector_is_beside_the_model_unless_it_lends_its_room(pages: Pages) -> None:
    inspector = QLineEdit()
    pages.add_inspector(inspector)
    assert not inspector.isVisible()
    pages.inspect(True)
    assert inspector.isVisible()
    pages.lend(True)
    assert not inspector.isVisible()
    pages.lend(False)
    pages.set_available(DATA, True)
    show_page(pages, DATA)
    assert not inspector.isVisible()
