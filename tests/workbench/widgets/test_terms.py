"""Terms of the glossary: labels and heads of columns lead to its entries, which show the values of the run in view."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QWhatsThisClickedEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem, QTextBrowser, QWidget

from algorithms.catalogue import builtin
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.structures.tree import Tree
from algorithms.text.numbers import significant
from tests.expected_texts import widgets as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, small_data
from workbench.app.main_window import MainWindow
from workbench.forms.form import OptionRow, ParameterForm
from workbench.session.runs import structure_of
from workbench.style.theme import current_theme
from workbench.tabs.evaluate.numbers import lines, workings_of_terms
from workbench.widgets.help import HelpWindow
from workbench.widgets.help_pages import term_in, with_values
from workbench.widgets.labels import TERM, TermHeader, TermLabel, term_link


class Asked(QWidget):
    """A window that notes the terms it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.terms: list[str] = []

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WhatsThisClicked and isinstance(event, QWhatsThisClickedEvent):
            self.terms.append(event.href())
            return True
        return super().event(event)


@pytest.fixture
def window(stage: Stage) -> Asked:
    return stage.show(Asked(), 400, 300, active=True)


def test_most_options_of_learners_are_terms() -> None:
    labels = {parameter.label for learner in builtin().learners for parameter in learner.parameters()}
    known = {label for label in labels if term_in(label)}
    assert len(known) > 0.6 * len(labels)
    assert {"Confidence factor", "Split criterion", "Penalty C", "Smoothing", "k"} <= known


def test_a_label_names_the_term_before_a_comma_or_a_bracket() -> None:
    assert term_in(wording.RECALL_MACRO) == "Recall" and term_in("Specificity (TNR)") == "Specificity"
    assert term_in("Recall\nmore") == "Recall" and term_in("xyzzy, Recall") == ""
    assert f'"{TERM}Recall"' in term_link("Recall") and term_link("a < b") == "a &lt; b"


def test_a_click_or_enter_on_a_term_asks_for_it_and_other_labels_take_no_focus(window: Asked) -> None:
    term, other = TermLabel(wording.RECALL_MACRO, "small"), TermLabel("xyzzy")
    for label in (term, other):
        label.setParent(window)
        label.show()
    QTest.mouseClick(term, Qt.MouseButton.LeftButton)
    term.setFocus()
    QTest.keyClick(term, Qt.Key.Key_Return)
    QTest.mouseClick(term, Qt.MouseButton.RightButton)
    QTest.mouseClick(other, Qt.MouseButton.LeftButton)
    assert window.terms == ["Recall", "Recall"]
    assert other.focusPolicy() is Qt.FocusPolicy.NoFocus and not other.term


def head_of(window: Asked, *, sorts: bool) -> TermHeader:
    table = QTableWidget(1, 2, window)
    header = TermHeader(table)
    table.setHorizontalHeader(header)
    for column, title in enumerate(("Class", "Recall")):
        table.setHorizontalHeaderItem(column, QTableWidgetItem(title))
        table.setItem(0, column, QTableWidgetItem("1"))
    table.setSortingEnabled(sorts)
    table.resize(300, 200)
    table.show()
    return header


def press_head(header: TermHeader, section: int, *, at_mark: bool) -> None:
    area = header.link_area(section)
    left = header.sectionViewportPosition(section)
    x = area.center().x() if at_mark else left + header.sectionSize(section) - 5
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, header.height() // 2))


def test_a_head_that_does_not_sort_leads_to_its_term(window: Asked) -> None:
    header = head_of(window, sorts=False)
    press_head(header, 1, at_mark=False)
    press_head(header, 0, at_mark=False)
    assert window.terms == ["Recall"]


def test_a_head_that_sorts_leads_to_its_term_by_its_mark_only(window: Asked) -> None:
    header = head_of(window, sorts=True)
    press_head(header, 1, at_mark=False)
    assert window.terms == [] and header.sortIndicatorSection() == 1
    order = header.sortIndicatorOrder()
    press_head(header, 1, at_mark=True)
    assert window.terms == ["Recall"] and header.sortIndicatorOrder() == order


def test_shift_f1_on_a_cell_asks_for_the_term_of_its_column(window: Asked) -> None:
    table = head_of(window, sorts=True).parentWidget()
    assert isinstance(table, QTableWidget)
    table.setFocus()
    for column in (0, 1):
        table.setCurrentCell(0, column)
        QTest.keyClick(table, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    assert window.terms == ["Recall"]


def test_the_label_of_an_option_leads_to_its_term_and_its_help_has_the_link(window: Asked) -> None:
    form = ParameterForm(C45, registry=builtin(), parent=window)
    form.show()
    row = form._rows["confidence"]
    QTest.mouseClick(row.label, Qt.MouseButton.LeftButton)
    assert window.terms == ["Confidence factor"] and row.label.focusPolicy() is Qt.FocusPolicy.NoFocus
    row.info.setChecked(True)
    assert f"color:{current_theme().accent}" in row.help.text()
    row.help.linkActivated.emit(re.findall('href="([^"]+)"', row.help.text())[0])
    assert window.terms == ["Confidence factor"] * 2


def test_shift_f1_on_an_option_in_a_row_asks_for_its_term(window: Asked) -> None:
    row = OptionRow(CrossValidation(), "row", window)
    row.show()
    field = row.findChild(QWidget, "row.folds")
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    assert window.terms == [term_in("Folds")]


def test_values_of_a_run_stand_below_their_entry_only() -> None:
    text = with_values("# G\n\n## Recall\n\nA.\n\n## Kappa\n\nB.", ("Run 1", {"Recall": ["r=1"]}))
    assert text.split("\n\n") == ["# G", "## Recall", "A.", "> *Run 1*\n>\n> r=1", "## Kappa", "B."]


def test_the_glossary_shows_the_values_of_the_run_in_view_with_their_workings(stage: Stage, wait_until: Wait) -> None:
    window = stage.show(MainWindow(stage.session(small_data())), 1000, 700)
    assert "Run 1" not in glossary(window)
    run = judged(window.session, wait_until, C45(), CrossValidation(folds=3))
    shown = glossary(window)
    assert run.report is not None
    metrics = run.report.per_class[window.session.class_of_interest]
    label, counts = metrics.label, metrics.counts
    tp, fn = (f"{count:g}" for count in (counts.tp, counts.fn))
    assert wording.recall_worked_out(label, tp, fn) in shown
    for line in (wording.CONFIDENCE_OF_THE_RUN, wording.SEED_OF_THE_RUN, wording.ENTROPY_OF_THE_ROOT):
        assert line in shown


@pytest.mark.parametrize(
    ("criterion", "name"), [("gain-ratio", "Gain ratio"), ("information-gain", "Information gain"), ("gini", "")]
)
@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize("edited", [True, False])
def test_the_gain_of_the_root_is_the_one_that_its_tree_holds(
    stage: Stage, wait_until: Wait, criterion: str, name: str, corrected: bool, edited: bool
) -> None:
    """Only that of the criterion; one after the MDL correction has another name."""
    window = stage.show(MainWindow(stage.session(small_data())), 1000, 700)
    learner = C45(criterion=criterion, numeric_correction=corrected)
    run = judged(window.session, wait_until, EditedTree(base=learner) if edited else learner, CrossValidation(folds=3))
    shown, tree = glossary(window), structure_of(run, Tree)
    assert tree is not None and tree.gain[0] > 0
    assert shown.count(wording.OF_THE_ROOTS_SPLIT) == bool(name)
    name += " (MDL)" if name and corrected else ""
    assert not name or wording.gain_of_the_root(name, significant(float(tree.gain[0]))) in shown


def test_each_value_of_the_glossary_has_the_name_of_its_row_and_says_which_classes_it_is_of(
    stage: Stage, wait_until: Wait
) -> None:
    run = judged(stage.session(small_data(90, ("yes", "no", "maybe"))), wait_until, C45(), CrossValidation(folds=3))
    assert run.report is not None
    label, values = run.report.per_class[0].label, dict[str, float | None]()
    for row in lines(run.report, 0, None):
        values[wording.of_all_classes(row.name)] = row.whole.value
        values[wording.of_the_class(row.name, label)] = row.of_class.value
    by_entry = workings_of_terms(run.report, 0, None)
    workings = [working for entry, group in by_entry.items() if "95% CI" not in entry for working in group]
    assert len(workings) > 20 and len({working.name for working in workings}) == len(workings)
    assert {working.name: working.value for working in workings} == pytest.approx(
        {working.name: values[working.name] for working in workings}
    )


def glossary(window: MainWindow) -> str:
    """The text of the glossary when a term is asked for."""
    label = TermLabel("Recall")
    label.setParent(window)
    label.show()
    QTest.mouseClick(label, Qt.MouseButton.LeftButton)
    helper = window.findChild(HelpWindow)
    text = helper.findChild(QTextBrowser, "help.page").toPlainText()
    helper.close()
    return text
