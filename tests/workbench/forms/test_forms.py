"""Forms made from parameters: every kind shown, changed by mouse and keys, and refused in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from time import perf_counter

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QPushButton,
    QStyle,
    QStyleOptionFrame,
    QWidget,
)

from algorithms.catalogue import builtin
from algorithms.core.parameters import ParameterKind, column
from algorithms.core.registry import Registry
from algorithms.data.dataset import Dataset
from algorithms.data.formula_functions import FUNCTIONS
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.data.summary import summarize
from algorithms.filters.computed_columns import DateDifference, FormulaColumn
from algorithms.filters.discretize import Discretize
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.chaid import Chaid
from tests.expected_texts import tabs_classify as tabs_classify_wording
from tests.expected_texts import widgets as wording
from tests.workbench.stage import Stage
from tests.workbench.toy import Everything, Plain, ToyModel
from tests.workbench.window_helpers import W, part
from workbench.forms.costs import CostModel, CostTable
from workbench.forms.editors import ROWS_SHOWN, CalmComboBox, FormulaEditor, SteppingLineEdit
from workbench.forms.form import ParameterForm
from workbench.style.theme import LIGHT_NAME, themes
from workbench.widgets.keyboard_focus import is_taken_away
from workbench.widgets.labels import TermLabel

NARROW = 253
"""As wide as the form is in a window of 1280 by 720."""
ARROW = 40
"""What the frame of a choice and its arrow take."""


@dataclass(frozen=True)
class Weighed(Plain):
    """A toy with an expert's option that names a column."""

    by: str | None = column(None, label="By", help="One column.", advanced=True)


@pytest.fixture
def registry() -> Registry:
    registry = Registry()
    registry.add_learner(Plain, ToyModel)
    registry.add_learner(Everything)
    return registry


@pytest.fixture
def form(qapp: QApplication, registry: Registry) -> ParameterForm:
    form = ParameterForm(Everything, registry=registry, columns=("a", "b", "c"), classes=("yes", "no"))
    form.show()
    return form


def find(form: ParameterForm, kind: type[W], name: str) -> W:
    return part(form, kind, f"classify.option.{name}")


def unfold(form: ParameterForm) -> None:
    more = form.findChild(QPushButton, "classify.more")
    assert more is not None
    QTest.mouseClick(more, Qt.MouseButton.LeftButton)


def type_over(line: QLineEdit, text: str) -> None:
    line.setFocus()
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Backspace)
    QTest.keyClicks(line, text)


def test_untouched_form_yields_the_defaults(form: ParameterForm) -> None:
    assert form.value() == Everything()
    assert form.error() == ""


def test_every_parameter_has_a_named_and_explained_editor(form: ParameterForm) -> None:
    assert {p.kind for p in Everything.parameters()} == set(ParameterKind)
    for parameter in Everything.parameters():
        control = form.editor(parameter.name).control
        assert control.objectName() == f"classify.option.{parameter.name}"
        assert control.accessibleName().startswith(parameter.label)
        assert parameter.help in control.accessibleDescription()
        assert control.toolTip()


def test_typed_number_arrives_in_the_value(form: ParameterForm) -> None:
    seen: list[object] = []
    form.changed.connect(lambda: seen.append(form.value()))
    type_over(find(form, QLineEdit, "confidence"), "0.1")
    assert form.value() == Everything(confidence=0.1)
    assert seen and seen[-1] == Everything(confidence=0.1)


@pytest.mark.parametrize("text", ["7", "abc", "", "-0.1"])
def test_wrong_number_stays_as_typed_and_is_refused_in_place(form: ParameterForm, text: str) -> None:
    line = find(form, QLineEdit, "confidence")
    type_over(line, text)
    assert line.text() == text
    assert form.value() is None
    assert form.error().startswith("Confidence ")
    assert form._rows["confidence"].error.isVisible()
    assert form._rows["confidence"].error.text() == form.error()
    type_over(line, "0.2")
    assert form.error() == ""
    assert not form._rows["confidence"].error.isVisible()


def test_emptied_optional_number_means_no_limit(form: ParameterForm) -> None:
    line = find(form, QLineEdit, "depth")
    type_over(line, "")
    assert line.placeholderText() == "no limit"
    assert form.value() == Everything(depth=None)


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
def test_what_an_empty_line_means_is_shown_whole_in_the_narrowest_form(qapp: QApplication, scale: float) -> None:
    themes.install(qapp, LIGHT_NAME, scale)
    form = ParameterForm(Chaid, registry=builtin(), columns=("a",), classes=("yes", "no"))
    form.resize(form.minimumSizeHint().width(), 600)
    form.show()
    line, option = find(form, SteppingLineEdit, "max_depth"), QStyleOptionFrame()
    line.initStyleOption(option)
    room = line.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, line).width()
    assert room >= line.fontMetrics().horizontalAdvance(line.placeholderText())
    themes.install(qapp, LIGHT_NAME)


def test_arrow_keys_step_a_whole_number_within_its_bounds(form: ParameterForm) -> None:
    line = find(form, QLineEdit, "depth")
    type_over(line, "8")
    QTest.keyClick(line, Qt.Key.Key_Up)
    assert line.text() == "9"
    QTest.keyClick(line, Qt.Key.Key_Up)
    assert line.text() == "9"
    QTest.keyClick(line, Qt.Key.Key_Down)
    assert form.value() == Everything(depth=8)


def test_half_a_record_is_no_whole_number(form: ParameterForm) -> None:
    type_over(find(form, QLineEdit, "depth"), "2.5")
    assert form.value() is None
    assert "whole number" in form.error()


@pytest.mark.parametrize("id", ["svm", "linear-svm", "neural-network", "perceptron", "k-nearest-neighbors"])
def test_every_label_of_a_choice_can_be_read_in_a_narrow_form(
    qapp: QApplication, wait_until: Callable[..., None], id: str
) -> None:
    themes.install(qapp, LIGHT_NAME)
    registry = builtin()
    form = ParameterForm(registry.learners.get(id), registry=registry, classes=("yes", "no"))
    unfold(form)
    form.resize(NARROW, 800)
    form.show()
    wait_until(lambda: form.width() == max(NARROW, form.minimumSizeHint().width()))
    for box in form.findChildren(CalmComboBox):
        room = box.width() - ARROW
        labels = [box.itemText(at) for at in range(box.count())]
        assert box.isHidden() or all(box.fontMetrics().horizontalAdvance(label) <= room for label in labels), labels


def test_choice_is_shown_by_label_and_kept_as_word(form: ParameterForm) -> None:
    combo = find(form, QComboBox, "criterion")
    assert combo.currentText() == "Gini index"
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Down)
    assert form.value() == Everything(criterion="entropy")
    assert "Quinlan" in combo.toolTip()


def test_option_without_effect_leaves_the_form_at_once_and_is_not_checked(form: ParameterForm) -> None:
    penalty = find(form, QLineEdit, "penalty")
    type_over(penalty, "nonsense")
    assert form.value() is None
    box = find(form, QCheckBox, "pruning")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert form.editor("penalty").isHidden()
    assert form.value() == Everything(pruning=False)
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert not form.editor("penalty").isHidden()
    assert form.value() is None


@pytest.fixture
def c45_form(qapp: QApplication) -> Iterator[ParameterForm]:
    form = ParameterForm(C45, registry=builtin())
    form.show()
    yield form
    shiboken6.delete(form)


@pytest.mark.parametrize("width", [240, 253, 280])
def test_the_labels_of_the_first_options_are_not_cut(qapp: QApplication, width: int) -> None:
    """A label a little longer than its column was broken into two lines, of which one half was seen."""
    form = ParameterForm(C45, registry=builtin())
    form.resize(width, 600)
    form.show()
    labels = [words for words in form.findChildren(TermLabel) if words.isVisible()]
    assert labels and all(words.height() >= words.heightForWidth(words.width()) for words in labels)


def test_each_method_of_pruning_brings_its_own_options(c45_form: ParameterForm) -> None:
    form = c45_form
    own = {
        "none": set(),
        "error-based": {"confidence", "raising", "bound"},
        "pessimistic": {"penalty", "with_raising"},
        "reduced-error": {"held_out", "seed", "with_raising"},
        "description-length": {"with_raising"},
        "cost-complexity": {"folds", "standard_errors"},
        "minimum-error": {"added_records", "with_raising"},
        "critical-value": {"critical_value", "folds", "standard_errors"},
    }
    conditional = {p.name for p in C45.parameters() if "pruning" in str(p.enabled_if)}
    combo = find(form, QComboBox, "pruning")
    combo.setFocus()
    QTest.keyClick(combo, Qt.Key.Key_Home)
    for word, names in own.items():
        while combo.currentData() != word:
            before = combo.currentIndex()
            QTest.keyClick(combo, Qt.Key.Key_Down)
            assert combo.currentIndex() == before + 1
        value = form.value()
        assert isinstance(value, C45) and value.pruning == word
        assert {name for name in conditional if not form.editor(name).isHidden()} == names
    unfold(form)
    stopping = find(form, QCheckBox, "early_stopping")
    stopping.setFocus()
    QTest.keyClick(stopping, Qt.Key.Key_Space)
    assert find(form, QLineEdit, "held_out").isVisible()


def test_a_long_list_of_columns_shows_whole_rows_at_each_text_size(qapp: QApplication, registry: Registry) -> None:
    themes.install(qapp, LIGHT_NAME)
    names = tuple(f"column {i}" for i in range(30))
    form = ParameterForm(Everything, registry=registry, columns=names, classes=("yes", "no"))
    form.show()
    unfold(form)
    columns = find(form, QListWidget, "subset")
    try:
        for scale in (1.0, 1.5, 1.0):
            themes.set_scale(scale)
            rows, rest = divmod(columns.viewport().height(), columns.sizeHintForRow(0))
            assert (rows, rest) == (ROWS_SHOWN, 0)
    finally:
        themes.set_scale(1.0)
        qapp.setStyleSheet("")


def test_the_info_mark_stands_beside_its_label_at_each_text_size(qapp: QApplication, registry: Registry) -> None:
    """A label made at a larger size kept that width, so that the marks stood far from smaller labels."""
    themes.install(qapp, LIGHT_NAME)
    try:
        themes.set_scale(1.5)
        form = ParameterForm(C45, registry=registry)
        form.resize(600, 600)
        form.show()
        for scale in (1.5, 1.0):
            themes.set_scale(scale)
            for row in form._rows.values():
                if row.label.isVisible():
                    words = row.label.fontMetrics().horizontalAdvance(row.label.text())
                    assert row.label.minimumWidth() <= words + 6, (scale, row.label.text())
    finally:
        themes.set_scale(1.0)
        qapp.setStyleSheet("")


def test_columns_are_ticked_in_a_list(form: ParameterForm) -> None:
    view = find(form, QListWidget, "subset")
    view.setCurrentRow(1)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert form.value() == Everything(subset=("b",))


def test_columns_of_other_kinds_are_not_offered_but_named_if_chosen(stage: Stage) -> None:
    """Discretize offered nominal attributes, which it then refused."""
    columns = {"age": AttributeKind.NUMERIC, "town": AttributeKind.NOMINAL, "born": AttributeKind.DATE}
    form = stage.show(ParameterForm(Discretize(columns=("town",)), registry=builtin(), columns=columns), 400, 700)
    view = form.findChild(QListWidget)
    assert [view.item(row).text() for row in range(view.count())] == ["age", wording.TOWN_IS_NOMINAL]
    form = stage.show(ParameterForm(DateDifference(end="town"), registry=builtin(), columns=columns), 400, 700)
    combo = next(box for box in form.findChildren(QComboBox) if box.findText("born") >= 0)
    assert combo.currentText() == wording.TOWN_IS_NOMINAL and combo.findText("age") < 0
    assert "nominal" in form.error()


def test_every_filter_declares_the_kinds_of_the_columns_that_it_refuses() -> None:
    attributes = tuple(Attribute(kind.value, kind, ("a", "b") * kind.is_coded) for kind in AttributeKind)
    summary = summarize(Dataset(Schema(attributes), [[0, 0]] * 4 + [["a", "b"]] * 2))
    for kind in builtin().filters:
        declared = next((p for p in kind.parameters() if p.name == "columns"), None)
        if declared is None:
            continue
        problems = kind().with_values(columns=tuple(AttributeKind)).check(summary)
        refused = {AttributeKind(problem.column) for problem in problems if problem.column in set(AttributeKind)}
        assert set(declared.kinds or AttributeKind) == set(AttributeKind) - refused, kind.id


def test_column_that_the_data_lacks_is_kept_and_named(form: ParameterForm) -> None:
    form.set_value(Everything(subset=("a", "gone"), group="vanished"))
    assert "vanished" in form.error()
    combo = find(form, QComboBox, "group")
    assert combo.currentText() == wording.NOT_IN_THE_DATA
    combo.setCurrentIndex(0)
    assert form.value() == Everything(subset=("a", "gone"))


def test_list_of_whole_numbers_is_typed_with_commas(form: ParameterForm) -> None:
    type_over(find(form, QLineEdit, "sizes"), "16, 8, 2")
    assert form.value() == Everything(sizes=(16, 8, 2))
    type_over(find(form, QLineEdit, "sizes"), "16, zero")
    assert form.value() is None


def test_list_of_numbers_is_typed_with_commas(form: ParameterForm) -> None:
    type_over(find(form, QLineEdit, "shares"), "90, 9.5")
    assert form.value() == Everything(shares=(90.0, 9.5))
    type_over(find(form, QLineEdit, "shares"), "90, -1")
    assert form.value() is None
    assert form.error() == wording.SHARES_FROM_0


def test_no_form_refuses_its_own_defaults_once_all_its_options_are_seen(qapp: QApplication) -> None:
    registry = builtin()
    refused = {}
    for kind in (*registry.learners, *registry.filters, *registry.methods):
        form = ParameterForm(kind, registry=registry, columns=("a", "b", "c"), classes=("yes", "no"))
        as_folded = form.error()
        if more := form.findChild(QPushButton, "classify.more"):
            more.setChecked(True)
        if form.error() != as_folded:
            refused[kind.id] = form.error()
    assert refused == {}


def test_an_emptied_list_of_numbers_is_the_empty_one_where_that_is_the_default(qapp: QApplication) -> None:
    form = ParameterForm(NaiveBayes, registry=builtin(), classes=("yes", "no"))
    unfold(form)
    type_over(find(form, QLineEdit, "priors"), "3, 1")
    assert form.value() == NaiveBayes(priors=(3.0, 1.0))
    type_over(find(form, QLineEdit, "priors"), "")
    assert form.value() == NaiveBayes() and form.error() == ""


def test_learner_inside_has_its_own_form(form: ParameterForm) -> None:
    type_over(find(form, QLineEdit, "base.confidence"), "0.3")
    assert form.value() == Everything(base=Plain(confidence=0.3))
    type_over(find(form, QLineEdit, "base.confidence"), "3")
    assert form.value() is None


def test_another_learner_inside_brings_its_own_options(form: ParameterForm) -> None:
    combo = find(form, QComboBox, "base")
    combo.setCurrentIndex(combo.findText("Toy of everything"))
    assert form.value() == Everything(base=Everything())
    assert form.findChild(QLineEdit, "classify.option.base.base.depth") is not None


def test_costs_are_typed_into_a_table(form: ParameterForm) -> None:
    table = find(form, CostTable, "costs")
    assert form.value() == Everything()
    table.type_in(0, 1, "10")
    assert form.value() == Everything(costs=((0.0, 10.0), (1.0, 0.0)))
    table.type_in(0, 1, "ten")
    assert form.value() is None
    assert "actual yes" in form.error()


def test_experts_options_wait_under_more(form: ParameterForm) -> None:
    assert form.findChild(QWidget, "classify.option.secret") is None
    unfold(form)
    assert find(form, QLineEdit, "secret").isVisible()
    unfold(form)
    assert not find(form, QLineEdit, "secret").isVisible()


def test_what_is_not_seen_yet_keeps_its_value(qapp: QApplication, registry: Registry) -> None:
    given = Everything(secret=7, pruning=False, penalty=0.25)
    form = ParameterForm(given, registry=registry, columns=("a",), classes=("yes", "no"))
    form.show()
    assert form.value() == given
    unfold(form)
    assert find(form, QLineEdit, "secret").text() == "7"
    box = find(form, QCheckBox, "pruning")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Space)
    assert find(form, QLineEdit, "penalty").text() == "0.25" and form.value() == replace(given, pruning=True)


def test_an_option_that_is_seen_late_stands_at_its_place_for_the_keyboard_too(
    qapp: QApplication, registry: Registry, wait_until: Callable[..., None]
) -> None:
    only = ("pruning", "penalty", "title", "secret")
    form = ParameterForm(Everything(pruning=False), registry=registry, only=only)
    form.show()
    box = find(form, QCheckBox, "pruning")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Space)
    unfold(form)
    wait_until(lambda: find(form, QLineEdit, "penalty").isVisible())
    box.setFocus()
    passed: list[QWidget] = []
    while (found := form.focusWidget()) is not None and found not in passed:
        passed.append(found)
        QTest.keyClick(found, Qt.Key.Key_Tab)
    names = [widget.objectName().removeprefix("classify.option.") for widget in passed]
    assert names == ["pruning", "penalty", "title", "classify.more", "secret"]


def test_a_column_that_this_table_has_not_is_told_while_its_option_is_folded_away(
    qapp: QApplication, registry: Registry
) -> None:
    form = ParameterForm(Weighed(by="b"), registry=registry, columns=("a",))
    form.show()
    assert form.value() is None and wording.NOT_A_COLUMN in form.error()
    assert find(form, QComboBox, "by").isVisible()


def test_form_shows_what_an_instance_says_and_can_be_set_to_another(qapp: QApplication, registry: Registry) -> None:
    form = ParameterForm(Plain(depth=None, confidence=0.125), registry=registry)
    assert form.value() == Plain(depth=None, confidence=0.125)
    form.set_value(Plain(depth=7))
    assert form.value() == Plain(depth=7)


def test_value_survives_the_way_through_text(qapp: QApplication, registry: Registry) -> None:
    tiny = Plain(confidence=0.1 + 0.2)
    assert ParameterForm(tiny, registry=registry).value() == tiny


def test_part_of_a_form_keeps_the_other_values(qapp: QApplication, registry: Registry) -> None:
    form = ParameterForm(Plain(depth=7, confidence=0.1), registry=registry, only=("depth",), prefix="x")
    type_over(form.findChild(QLineEdit, "x.option.depth") or pytest.fail(), "5")
    assert form.findChild(QLineEdit, "x.option.confidence") is None
    assert form.value() == Plain(depth=5, confidence=0.1)


def test_pressing_the_mark_opens_the_help(form: ParameterForm) -> None:
    row = form._rows["confidence"]
    assert not row.help.isVisible()
    QTest.mouseClick(row.info, Qt.MouseButton.LeftButton)
    assert row.help.isVisible()
    assert row.help.text() == "How sure."


def test_key_opens_the_help_of_the_option_in_focus(form: ParameterForm) -> None:
    row = form._rows["confidence"]
    assert row.info.focusPolicy() is Qt.FocusPolicy.NoFocus
    row.editor.control.setFocus()
    QTest.keyClick(row.editor.control, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    assert row.help.isVisible()
    QTest.keyClick(row.editor.control, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    assert not row.help.isVisible()


def test_an_option_of_a_learner_inside_of_which_several_values_are_tried_takes_no_part(form: ParameterForm) -> None:
    inside = find(form, QLineEdit, "base.confidence")
    form.set_tried(frozenset({"base.confidence"}))
    assert not inside.isEnabled() and tabs_classify_wording.TAKES_NO_PART in inside.toolTip()
    assert find(form, QLineEdit, "confidence").isEnabled()
    form.set_tried(frozenset())
    assert inside.isEnabled() and tabs_classify_wording.TAKES_NO_PART not in inside.toolTip()


def test_a_named_setting_sets_its_options_and_is_named_until_one_of_them_changes(
    qapp: QApplication, registry: Registry
) -> None:
    form = ParameterForm(SequentialCovering, registry=registry, classes=("yes", "no"))
    form.show()
    known_as = part(form, QComboBox, "classify.preset")
    assert known_as.currentText() == wording.USUAL_SETTINGS
    known_as.setFocus()
    QTest.keyClick(known_as, Qt.Key.Key_Down)
    made = form.value()
    assert isinstance(made, SequentialCovering)
    assert (made.order, made.measure, made.significance) == ("by-rule", "entropy", 0.01)
    assert find(form, QComboBox, "order").currentData() == "by-rule"
    assert known_as.currentText() == wording.CN2_A_LIST
    type_over(find(form, QLineEdit, "beam"), "7")
    assert known_as.currentText() == wording.YOUR_OWN_SETTINGS
    kept = form.value()
    assert isinstance(kept, SequentialCovering) and kept.beam == 7 and kept.order == "by-rule"
    form.deleteLater()


def test_what_mistakes_cost_is_asked_only_where_classes_come_by_it(qapp: QApplication, registry: Registry) -> None:
    form = ParameterForm(SequentialCovering, registry=registry, classes=("yes", "no"))
    form.show()
    unfold(form)
    form.set_value(SequentialCovering(class_order="by-cost", costs=((0.0, 1.0), (5.0, 0.0))))
    table = find(form, CostTable, "costs")
    assert not is_taken_away(form.editor("costs")) and table.text(1, 0) == "5"
    table.type_in(0, 1, "9")
    made = form.value()
    assert isinstance(made, SequentialCovering) and made.costs == ((0.0, 9.0), (5.0, 0.0))
    form.set_value(SequentialCovering(class_order="by-cost", costs=((0.0, 1.0, 1.0),) * 3))
    assert table.text(1, 0) == "1"  # costs of other classes say nothing about these
    form.set_value(SequentialCovering())
    assert is_taken_away(form.editor("costs"))
    form.deleteLater()


def test_unit_behind_one_is_of_one(qapp: QApplication) -> None:
    for unit, of_one in (
        ("questions", "question"),
        ("leaves", "leaf"),
        ("standard errors", "standard error"),
        ("%", "%"),
    ):
        line = SteppingLineEdit(unit)
        line.setText("2")
        assert line.unit == unit
        line.setText("1")
        assert line.unit == of_one


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_of_many_classes_the_costs_show_whole_columns_and_rows_only(stage: Stage, scale: float) -> None:
    themes.set_scale(scale)
    table = stage.show(CostTable([chr(65 + at) for at in range(26)]), 359, 265)
    for width, height in ((359, 265), (590, 400), (1213, 426)):
        table.resize(round(width * scale), round(height * scale))
        view = table.viewport()
        for end, size in ((table.columnAt, view.width()), (table.rowAt, view.height())):
            assert 1 < end(size - 1) - end(0) < 25
        assert table.columnAt(view.width() - 1) >= (width - 120) // 60, "three columns of 84 pixels were in view"
        assert [table.costs_model.headerData(0, way) for way in Qt.Orientation] == ["A", "A"]
        beside = 6  # of the next cell only air may be in view
        last, row = table.columnAt(view.width() - beside), table.rowAt(view.height() - beside)
        assert table.columnViewportPosition(last) + table.columnWidth(last) <= view.width()
        assert table.rowViewportPosition(row) + table.rowHeight(row) <= view.height()
    themes.set_scale(1.0)


def test_the_columns_of_hundreds_of_classes_are_measured_without_reading_each_cell(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A resize of 400 classes read 160,000 cells several times and took more than a second."""
    table = stage.show(CostTable([f"class {at}" for at in range(120)]), 500, 300)
    table.type_in(0, 1, "123456.5")
    table.type_in(2, 1, "amount*2")
    model, n = table.costs_model, range(120)
    assert model.texts() == {model.text(row, column) for row in n for column in n} == {"0", "1", "123456.5", "amount*2"}
    table.type_in(2, 1, "1")
    assert "amount*2" not in model.texts()
    assert table.columnWidth(0) > table.fontMetrics().horizontalAdvance("123456.5")
    read: list[tuple[int, int]] = []
    monkeypatch.setattr(CostModel, "text", lambda _model, row, column: read.append((row, column)) or "1")
    table.resize(620, 340)
    assert len(read) < 120 * 120


def test_a_formula_completes_columns_and_functions_and_explains_the_one_in_hand(
    stage: Stage, registry: Registry
) -> None:
    form = ParameterForm(FormulaColumn, registry=registry, columns=("loan amount", "town"), prefix="preprocess")
    stage.show(form, NARROW, 300)
    editor = form.editor("formula")
    assert isinstance(editor, FormulaEditor) and editor.usage.isHidden()
    offers = {
        "tri": ["trim("],
        "[loan": ["[loan amount]"],
        "1 + upp": ["1 + upper("],
        'upper("to': [],
        "a and tow": ["a and town"],
    }
    for typed, completions in offers.items():
        editor.completer.setCompletionPrefix(typed)
        entries = [
            editor.completer.completionModel().index(row, 0) for row in range(editor.completer.completionCount())
        ]
        assert [editor.completer.pathFromIndex(entry) for entry in entries] == completions, typed
    begun = perf_counter()
    editor.line.setText("a" * 30_000 + "(" + " " * 2_000)  # a pasted page
    assert len(editor.completer.splitPath(editor.line.text())) == 1 and editor.usage.isHidden()
    assert perf_counter() - begun < 2, "it took the window 8 s"
    editor.line.clear()
    entry = next(iter(FUNCTIONS))
    editor.completer.setCompletionPrefix(entry)
    assert editor.completer.completionModel().index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == FUNCTIONS[entry].help
    QTest.keyClicks(editor.line, 'upper(split(town, "(')
    assert not editor.usage.isHidden() and FUNCTIONS["split"].usage in editor.usage.text()
    QTest.keyClicks(editor.line, '", 1)')
    assert FUNCTIONS["upper"].help in editor.usage.text()
    QTest.keyClicks(editor.line, ")")
    assert editor.usage.isHidden()
    assert form.value() == FormulaColumn(formula=editor.line.text())
    form.set_value(FormulaColumn(formula="age(town"))
    assert FUNCTIONS["age"].usage in editor.usage.text()
