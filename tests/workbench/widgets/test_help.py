"""Help: a page for every tab, linked, searched, with the keys that the window really has."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAction, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget, QPushButton, QTextBrowser

from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures.metrics import report as report_of
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import widgets as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, activate, small_data
from workbench.app.main_window import MainWindow
from workbench.app.top_line import TAB_NAMES
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.evaluate.numbers import class_headers, lines
from workbench.widgets.help import FOLDER, HelpWindow, Page, entry_of, links, meaning, page, page_names, pages_with


@pytest.fixture
def window(stage: Stage, wait_until: Wait) -> MainWindow:
    window = stage.window()
    window.open_sample("iris")
    wait_until(lambda: window.session.summary is not None, 60)
    for at in range(4):
        window.show_tab(at)
    wait_until(lambda: not window.session.jobs.running, 60)
    return window


def opened(window: MainWindow, wait_until: Wait) -> tuple[HelpWindow, QTextBrowser]:
    activate(window, wait_until)
    QTest.keyClick(window, Qt.Key.Key_F1)
    helper = window.findChild(HelpWindow)
    assert helper.isVisible()
    return helper, helper.findChild(QTextBrowser, "help.page")


def test_every_tab_has_a_page_and_every_link_leads_to_one() -> None:
    names = page_names()
    assert {name.lower() for name in TAB_NAMES} <= set(names)
    for name in names:
        shown = page(name)
        assert shown.title
        assert "<" not in shown.text.replace("<->", "")
        for link in links(shown.text):
            assert (FOLDER / link).is_file(), f"{name}: {link}"


def test_every_page_is_reached_from_the_start() -> None:
    found, ahead = set(), ["start"]
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead += [link.removesuffix(".md") for link in links(page(name).text)]
    assert found >= set(page_names()) - {"about"}


def test_words_of_the_window_are_explained_in_a_sentence_of_the_help() -> None:
    assert meaning("seed").startswith(wording.MEANING_OF_SEED)
    assert wording.ZERO_IS_CHANCE in meaning("Kappa")
    for word in ("AUC", "F", "fold", "runs", "bit", "gain", "gain ratio", "recipe", "class of interest"):
        said = meaning(word)
        assert said[0].isupper() and said.endswith(".") and "|" not in said
    with pytest.raises(KeyError):
        meaning("xyzzy")


def test_f1_opens_the_page_of_the_tab_in_view(window: MainWindow, wait_until: Wait) -> None:
    for at, name in enumerate(TAB_NAMES):
        window.show_tab(at)
        helper, browser = opened(window, wait_until)
        assert browser.toPlainText().startswith(name)
        assert helper.findChild(QListWidget, "help.pages").currentItem().text() == name
        helper.close()


def test_links_are_followed_and_the_way_back_is_kept(window: MainWindow, wait_until: Wait) -> None:
    window.show_tab(1)
    helper, browser = opened(window, wait_until)
    browser.anchorClicked.emit(QUrl("evaluate.md"))
    assert browser.toPlainText().startswith("Evaluate")
    back = helper.findChild(QPushButton, "help.back")
    QTest.mouseClick(back, Qt.MouseButton.LeftButton)
    assert browser.toPlainText().startswith("Classify")
    assert not back.isEnabled()


def test_search_lists_the_pages_and_marks_the_words(window: MainWindow, wait_until: Wait) -> None:
    window.show_tab(0)
    helper, browser = opened(window, wait_until)
    field, pages = helper.findChild(QLineEdit, "help.search"), helper.findChild(QListWidget, "help.pages")
    QTest.keyClicks(field, "DeLong")
    assert browser.toPlainText().startswith("Evaluate")
    assert pages.item(0).text().startswith("Evaluate  (")
    assert browser.extraSelections()
    assert browser.textCursor().selectedText() == "DeLong"
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert helper.isVisible()
    QTest.keyClicks(field, "xyzzy")
    assert pages.item(0).text() == "Nothing found"
    field.clear()
    assert pages.count() == len(page_names())
    assert not browser.extraSelections()


def terms_of_the_measures() -> list[str]:
    """What the tables of numbers call their measures: each name, and each of the field's terms in brackets."""
    report = report_of(evaluate(ZeroR(), small_data(20), TrainingSet(), RunContext(seed=1)))
    costs = CostMatrix(report.classes, ((0.0, 2.0), (1.0, 0.0)))
    names = [line.name for line in lines(report, 0, costs)] + [head for head, _ in class_headers()[2:]]
    found = []
    for name in names:
        plain, _, terms = name.rstrip(")").partition(" (")
        found += [plain, *(terms.split(", ") if terms else ())]
    return [each for each in found if not each.startswith(("95% CI of ", "Baseline", "always "))]


@pytest.mark.parametrize("term", ["AUC", "recall", "kappa", "leak", "p-value", "baseline", "95% interval", "fold"])
def test_a_term_in_the_search_lands_on_its_definition(window: MainWindow, wait_until: Wait, term: str) -> None:
    helper, browser = opened(window, wait_until)
    QTest.keyClicks(helper.findChild(QLineEdit, "help.search"), term)
    assert browser.toPlainText().startswith("Glossary")
    assert term.lower() in browser.textCursor().selectedText().lower().split(" · ")
    at = browser.cursorRect()
    bar = browser.verticalScrollBar()
    assert 0 <= at.top() <= 3 * at.height() or bar.value() == bar.maximum(), "the entry stands at the upper edge"
    assert browser.viewport().rect().contains(at)


def test_a_term_that_is_asked_for_opens_the_glossary_at_its_entry(window: MainWindow) -> None:
    window.session.term_asked.emit("Recall")
    helper = window.findChild(HelpWindow)
    browser = helper.findChild(QTextBrowser, "help.page")
    assert helper.isVisible() and browser.textCursor().selectedText() == entry_of("Recall")


def test_every_measure_has_an_entry_in_the_glossary() -> None:
    text, terms = page("glossary").text, terms_of_the_measures()
    assert len(terms) > 45
    for term in terms:
        entry = entry_of(term.partition(", one-vs-rest")[0])
        assert entry is not None, term
        assert len(text.partition(f"## {entry}\n\n")[2].partition("\n\n")[0]) > 40, term
    assert entry_of("xyzzy") is None


def test_search_wants_all_the_words() -> None:
    pages = [page(name) for name in page_names()]
    searched = "roc threshold costs"
    assert pages_with(searched, pages)[0][0].name == "evaluate"
    assert pages_with("roc xyzzy", pages) == []


def test_search_finds_beginnings_of_words_and_not_their_middles() -> None:
    pages = [Page("a", "A", "All is sown anew."), Page("b", "B", "New ones, (newer) and F1.")]
    assert pages_with("new", pages) == [(pages[1], 2)]
    assert pages_with("new f1", pages) == [(pages[1], 3)]


def test_what_is_typed_in_help_is_searched_the_page_scrolls_and_the_list_is_not_cut(
    window: MainWindow, wait_until: Wait
) -> None:
    window.show_tab(2)
    helper, browser = opened(window, wait_until)
    field, pages = helper.findChild(QLineEdit, "help.search"), helper.findChild(QListWidget, "help.pages")
    activate(helper, wait_until)
    assert helper.focusWidget() is field
    QTest.keyClick(field, Qt.Key.Key_PageDown)
    assert browser.verticalScrollBar().value() > 0
    QTest.keyClicks(field, "the")
    assert pages.sizeHintForColumn(0) <= pages.viewport().width()


def test_arrows_in_the_search_go_through_the_pages_and_a_title_leads(window: MainWindow, wait_until: Wait) -> None:
    window.show_tab(2)
    helper, browser = opened(window, wait_until)
    field, pages = helper.findChild(QLineEdit, "help.search"), helper.findChild(QListWidget, "help.pages")
    activate(helper, wait_until)
    QTest.keyClicks(field, "keys")
    assert pages.item(0).text().startswith("Keys  (") and browser.toPlainText().startswith("Keys")
    assert set(TAB_NAMES) <= set(browser.toPlainText().splitlines())
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert pages.currentRow() == 1 and pages.item(1).text().startswith(browser.toPlainText().splitlines()[0])
    assert browser.textCursor().selectedText().lower() == "keys"
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert browser.toPlainText().startswith("Keys") and field.hasFocus()
    QTest.keyClicks(field, "xyzzy")
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert browser.toPlainText().startswith("Keys")


def test_page_of_keys_lists_every_key_of_the_window(window: MainWindow, wait_until: Wait) -> None:
    helper, browser = opened(window, wait_until)
    helper.findChild(QListWidget, "help.pages").setCurrentRow(page_names().index("keys"))
    text = browser.toPlainText()
    actions = [action for action in window.findChildren(QAction) if action.objectName() and action.shortcuts()]
    assert len(actions) > 12
    for action in actions:
        assert action.text().removesuffix("...") in text, action.objectName()
        assert action.shortcuts()[0].toString() in text
    for said in ("Train", wording.FIND_IN_RECORDS, "Ctrl+Return"):
        assert said in text
    assert "{keys}" not in text


def test_paragraphs_and_headings_of_help_stand_apart_and_no_sentence_is_taken_for_a_list(qapp: QApplication) -> None:
    window = HelpWindow()
    window.show_page("visualize")
    document = window.findChild(QTextBrowser, "help.page").document()
    block, headings = document.begin(), 0
    while block.isValid():
        headings += bool(block.blockFormat().headingLevel())
        assert block.blockFormat().bottomMargin() > 0 or QTextCursor(block).currentTable() is not None
        assert not block.text().startswith(wording.OPENS_ITS_BRANCHES)
        block = block.next()
    assert headings > 3
    window.close()


def test_no_page_is_scrolled_sideways_however_wide_the_window(
    window: MainWindow, wait_until: Wait, qapp: QApplication
) -> None:
    """As where the upright scroll bar came in only after the lines were broken for the room without it."""
    themes.install(qapp, LIGHT_NAME)
    helper, shown = opened(window, wait_until)
    for width in (560, 652, 767, 860, 1020, 1227):
        helper.resize(width, 960)
        for name in ("classify", "visualize"):
            helper.show_page(name)
            wait_until(lambda width=width: helper.width() == width)
            assert shown.horizontalScrollBar().maximum() == 0, (width, name)
    qapp.setStyleSheet("")
