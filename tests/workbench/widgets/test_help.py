"""Help: a page for every tab, linked, searched, with the keys that the window really has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAction, QImage, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListWidget, QPushButton, QTextBrowser

from algorithms.core.run_control import RunContext
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures.metrics import report as report_of
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import widgets as wording
from tests.house import ROOT
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, activate, small_data
from workbench.app.main_window import MainWindow
from workbench.app.top_line import TAB_NAMES
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes
from workbench.tabs.evaluate.numbers import class_headers, lines
from workbench.widgets import help_pages
from workbench.widgets.help import HelpWindow
from workbench.widgets.help_pages import (
    DARK_PICTURE,
    FOLDER,
    PICTURE,
    PICTURES,
    Page,
    entry_of,
    meaning,
    page,
    page_names,
    pages_with,
    picture_file,
)
from workbench.widgets.labels import ask_for_term

MOST_BYTES: Final = 80_000
"""Most bytes of a picture: every copy of the program has all of them."""


def links(text: str) -> list[str]:
    return re.findall(r"\]\(([^)]+)\)", text)


@pytest.fixture
def bare_window(stage: Stage) -> MainWindow:
    """The window with nothing open, where the page that the help opens with does not matter."""
    return stage.window()


@pytest.fixture
def window(stage: Stage, wait_until: Wait) -> MainWindow:
    """The window with all its tabs shown."""
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
            ahead += [link.removesuffix(".md") for link in links(page(name).text) if link.endswith(".md")]
    assert found >= set(page_names()) - {"about"}


def pictures(browser: QTextBrowser) -> dict[str, QImage]:
    """The pictures of the page in view by their names, as it shows them."""
    document = browser.document()
    names = {form.toImageFormat().name() for form in document.allFormats() if form.isImageFormat()}
    return {name: document.resource(QTextDocument.ResourceType.ImageResource, QUrl(name)) for name in names}


def test_every_picture_is_on_a_page_with_its_words_and_is_small() -> None:
    shown = [match for name in page_names() for match in PICTURE.findall(page(name).text)]
    names = [Path(file).stem for _, file in shown]
    files = {path.stem.removesuffix(DARK_PICTURE) for path in PICTURES.iterdir()}
    assert set(names) == files and len(set(names)) == len(names) >= 9
    assert {name.lower() for name in TAB_NAMES} < files
    for words, file in shown:
        assert len(words.split()) > 4, file
        assert picture_file(file, True) != picture_file(file, False), file
    assert max(path.stat().st_size for path in PICTURES.iterdir()) < MOST_BYTES


@pytest.mark.parametrize("width", [700, 1200, 1700])
def test_pictures_are_as_wide_as_the_page_at_most_and_never_larger_than_they_are(
    qapp: QApplication, wait_until: Wait, width: int
) -> None:
    helper = HelpWindow()
    helper.show_page("evaluate")
    helper.resize(width, 600)
    wait_until(lambda: helper.width() == width)
    browser = helper.findChild(QTextBrowser, "help.page")
    room = browser.viewport().width() - 2 * browser.document().documentMargin()
    shown = {name: image.deviceIndependentSize().width() for name, image in pictures(browser).items()}
    assert len(shown) == 3
    for name, shown_width in shown.items():
        assert shown_width == pytest.approx(min(room, QImage(str(FOLDER / name)).width()), abs=1), name
    assert browser.horizontalScrollBar().maximum() == 0
    helper.close()


def test_pictures_follow_the_theme(qapp: QApplication, wait_until: Wait) -> None:
    themes.install(qapp, LIGHT_NAME)
    helper = HelpWindow()
    helper.show_page("evaluate")
    browser = helper.findChild(QTextBrowser, "help.page")
    for theme in (LIGHT_NAME, DARK_NAME, LIGHT_NAME):
        themes.choose(theme)
        assert pictures(browser)
        for image in pictures(browser).values():
            assert (image.pixelColor(3, 3).lightness() > 128) == (theme == LIGHT_NAME)
    helper.close()
    qapp.setStyleSheet("")


def test_a_missing_picture_leaves_its_words_and_a_broken_one_nothing(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.png").write_bytes(b"no picture")
    text = "# A\n\n![its words](missing.png)\n\n![of this](broken.png)\n\nThe end."
    (tmp_path / "start.md").write_text(text)
    monkeypatch.setattr(help_pages, "FOLDER", tmp_path)
    help_pages._read.cache_clear()
    helper = HelpWindow()
    helper.show_page("start")
    browser = helper.findChild(QTextBrowser, "help.page")
    assert [line.strip("\ufffc") for line in browser.toPlainText().splitlines()] == ["A", "its words", "", "The end."]
    assert [image.isNull() for image in pictures(browser).values()] == [True]
    helper.resize(500, 400)
    helper.close()
    help_pages._read.cache_clear()


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


TERMS_OF_THE_WINDOW: Final = (
    *("AUC", "recall", "kappa", "leak", "p-value", "baseline", "95% interval", "fold", "slightly narrow", "Laplace"),
    *("pessimistic", "provisional", "optimistic", "positive class", "default rule", "exhaustive", "decision rule"),
    *("least expected cost", "CPT", "log-odds", "description length", "significantly worse"),
)


@pytest.mark.parametrize("term", TERMS_OF_THE_WINDOW)
def test_a_term_in_the_search_lands_on_its_definition(bare_window: MainWindow, wait_until: Wait, term: str) -> None:
    helper, browser = opened(bare_window, wait_until)
    QTest.keyClicks(helper.findChild(QLineEdit, "help.search"), term)
    assert browser.toPlainText().startswith("Glossary")
    assert term.lower() in browser.textCursor().selectedText().lower().split(" · ")
    at = browser.cursorRect()
    bar = browser.verticalScrollBar()
    assert 0 <= at.top() <= 3 * at.height() or bar.value() == bar.maximum(), "the entry stands at the upper edge"
    assert browser.viewport().rect().contains(at)


def test_a_match_out_of_view_comes_near_the_top_and_one_in_view_scrolls_nothing(
    bare_window: MainWindow, wait_until: Wait
) -> None:
    helper, browser = opened(bare_window, wait_until)
    field, bar = helper.findChild(QLineEdit, "help.search"), browser.verticalScrollBar()
    QTest.keyClicks(field, "the")
    tops, moved = [], []
    for _ in range(40):
        before = bar.value()
        QTest.keyClick(field, Qt.Key.Key_Return)
        tops.append(browser.cursorRect().top())
        moved.append(bar.value() != before and bar.value() != bar.maximum())
    assert any(moved) and not all(moved)
    assert {True} == {
        0 <= top < browser.viewport().height() / 3 for top, is_moved in zip(tops, moved, strict=True) if is_moved
    }


def test_the_help_opens_inside_the_screen_with_its_frame(bare_window: MainWindow, wait_until: Wait) -> None:
    helper, _browser = opened(bare_window, wait_until)
    assert helper.screen().availableGeometry().contains(helper.frameGeometry())


def test_a_term_that_is_asked_for_opens_the_glossary_at_its_entry(window: MainWindow) -> None:
    ask_for_term(window.top, "Recall")
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


def entries() -> list[tuple[str, str]]:
    """Each heading of the glossary with its text."""
    parts = page("glossary").text.split("\n## ")[1:]
    return [(head, " ".join(text.split())) for head, _, text in (part.partition("\n") for part in parts)]


SECTIONS: Final = {
    "2.2.1": "Measurement and Data Collection Issues",
    "2.3.3": "Dimensionality Reduction",
    "2.3.6": "Discretization and Binarization",
    "2.3.7": "Variable Transformation",
    "2.4": "Measures of Similarity and Dissimilarity",
    "3.2": "General Framework for Classification",
    "3.3.2": "Methods for Expressing Attribute Test Conditions",
    "3.3.3": "Measures for Selecting an Attribute Test Condition",
    "3.4": "Model Overfitting",
    "3.5.1": "Using a Validation Set",
    "3.5.2": "Incorporating Model Complexity",
    "3.5.3": "Estimating Statistical Bounds",
    "3.5.4": "Model Selection for Decision Trees",
    "3.6.1": "Holdout Method",
    "3.6.2": "Cross-Validation",
    "3.7": "Presence of Hyper-parameters",
    "3.8": "Pitfalls of Model Selection and Evaluation",
    "3.9": "Model Comparison",
    "4.6": "Logistic Regression",
    "5.1": "Rule-Based Classifier",
    "5.1.4": "Direct Methods for Rule Extraction",
    "5.2": "Nearest-Neighbor Classifiers",
    "5.3": "Bayesian Classifiers",
    "5.3.3": "Naive Bayes Classifier",
    "5.3.5": "Bayesian Belief Networks",
    "5.4": "Artificial Neural Network (ANN)",
    "5.4.1": "Perceptron",
    "5.4.2": "Multilayer Artificial Neural Network",
    "5.5": "Support Vector Machine (SVM)",
    "5.5.4": "Nonlinear SVM",
    "5.6": "Ensemble Methods",
    "5.6.3": "Bias-Variance Decomposition",
    "5.6.4": "Bagging",
    "5.6.5": "Boosting",
    "5.6.6": "Random Forests",
    "5.7": "Class Imbalance Problem",
    "5.8": "Multiclass Problem",
}
"""Sections of the textbook that the glossary names: 2 and 5 of the first edition, 3 and 4 of the second."""
EQUATIONS: Final = {
    "3.13": "upper bound of an error rate",
    "3.16": "confidence interval of an accuracy",
    "3.19": ".632 bootstrap",
}
"""Equations of the second edition that the glossary names."""


def test_every_entry_has_words_and_a_section_of_the_textbook_or_another_source() -> None:
    assert len(entries()) > 100
    sections, equations = set[str](), set[str]()
    for head, text in entries():
        source = re.search(r"\*(TSKK, |Source: |A term of this program)[^*]+\*$", text)
        assert source is not None, head
        assert len(text) - len(source[0]) > 40, head
        numbers = re.findall(r"(Eq\. |)(\d\.\d+(?:\.\d+)*)", source[0])
        assert not source[0].startswith("*TSKK") or numbers, head
        sections |= {number for kind, number in numbers if not kind}
        equations |= {number for kind, number in numbers if kind}
    assert sections == set(SECTIONS) and equations == set(EQUATIONS)


def test_no_line_of_the_glossary_begins_like_a_list() -> None:
    assert [line for line in page("glossary").text.splitlines() if re.match(r"([-+*]|\d+[.)])\s", line)] == []


def test_no_two_entries_of_the_glossary_have_a_name_in_common() -> None:
    names = [name.lower() for head, _ in entries() for name in head.split(" · ")]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("term", ["Entropy", "Information gain", "Gini index", "Gain ratio", "Pruning"])
def test_the_terms_of_trees_have_entries_of_their_own(term: str) -> None:
    head = entry_of(term)
    assert head is not None and head.startswith(term)


def test_names_and_words_of_pictures_are_not_searched() -> None:
    pages = [Page("a", "A", "![costs](pictures/costs.png) One text.")]
    assert pages_with("costs", pages) == pages_with("png", pages) == []


LABEL: Final = re.compile(r"(?<![\w*])\*(?![\s*])([^*]+?)\*(?![\w*])")
"""Words in italics: what the window shows, or a term of the glossary."""
HOLE: Final = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for what a text of the program leaves open."""


def bare(text: str) -> str:
    """A label without the marks around its words."""
    return " ".join(re.sub(r"\.\.\.|[…▸▾◂+]|&(?=\w)", "", text).split()).strip(" .:")


def texts_of_the_program() -> Iterator[str]:
    """All texts of the window and of learners, filters and methods, but for docstrings."""
    for top in ("workbench", "algorithms"):
        for path in (ROOT / top).rglob("*.py"):
            nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
            parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
            parts |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
            for node in nodes:
                if isinstance(node, ast.JoinedStr):
                    yield "".join(part.value if isinstance(part, ast.Constant) else HOLE for part in node.values)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
                    yield re.sub(r"\{\w*\}", HOLE, node.value)


def labels_of_the_program() -> tuple[set[str], re.Pattern[str]]:
    """Labels as they are, and a pattern for those with a number or a name in them."""
    labels = {bare(part) for text in texts_of_the_program() for part in (text, re.split(r" \(|, ", text)[0])}
    open_labels = [label for label in labels if HOLE in label and len(label.replace(HOLE, "").split()) > 1]
    return labels, re.compile("|".join(re.escape(label).replace(HOLE, ".+") for label in open_labels))


def labels_of_the_help(name: str) -> Iterator[str]:
    """What a page has in italics, but for sources and books."""
    for words in LABEL.findall(re.sub(r"`[^`]*`|!\[[^]]*]|\*\*", "", page(name).text)):
        label = " ".join(words.split())
        if not re.match(r"TSKK|Source: |A term of this program|Introduction to Data Mining", label):
            yield from map(bare, label.split(" → "))


def test_every_label_that_the_help_names_is_one_of_the_program_or_a_term() -> None:
    labels, open_labels = labels_of_the_program()
    named = [(name, label) for name in page_names() for label in labels_of_the_help(name)]
    assert len(named) > 250
    for name, label in named:
        assert label in labels or entry_of(label) is not None or open_labels.fullmatch(label), f"{name}: {label}"


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
    bare_window: MainWindow, wait_until: Wait, qapp: QApplication
) -> None:
    """As where the upright scroll bar came in only after the lines were broken for the room without it."""
    themes.install(qapp, LIGHT_NAME)
    helper, shown = opened(bare_window, wait_until)
    for width in (560, 652, 767, 860, 1020, 1227):
        helper.resize(width, 960)
        for name in ("classify", "visualize"):
            helper.show_page(name)
            wait_until(lambda width=width: helper.width() == width)
            assert shown.horizontalScrollBar().maximum() == 0, (width, name)
    qapp.setStyleSheet("")
