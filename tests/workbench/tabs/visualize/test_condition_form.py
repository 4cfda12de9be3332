"""The menus that put a condition of a rule together, and what they begin with."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.rules.edited_rules import EditedCondition
from tests.workbench.stage import Stage
from workbench.tabs.visualize.extensions.rule_editor import ConditionForm

SCHEMA = Schema((numeric("age"), nominal("colour", ("red", "green")), nominal("class", ("no", "yes"))), 2)


@pytest.fixture
def form(stage: Stage) -> ConditionForm:
    form = stage.show(ConditionForm(), 700, 200)
    form.set_schema(SCHEMA)
    return form


@pytest.mark.parametrize(
    "asked",
    [
        EditedCondition("age", None, 40.0),
        EditedCondition("age", 40.0, low_is_open=True),
        EditedCondition("age", 40.0),
        EditedCondition("age", 40.0, 60.0),
        EditedCondition("age", 40.0, 60.0, low_is_open=True),
        EditedCondition("age", 40.0, 60.0, low_is_open=True, missing=True),
        EditedCondition("colour", values=("green",), missing=True),
    ],
    ids=lambda asked: asked.words(),
)
def test_a_condition_that_is_only_looked_at_stays_what_it_is(form: ConditionForm, asked: EditedCondition) -> None:
    form.show_condition(asked)
    assert form.asked == asked


def test_a_range_whose_lower_end_does_not_belong_to_it_needs_room_above_it(form: ConditionForm) -> None:
    form.show_condition(EditedCondition("age", 40.0, 60.0, low_is_open=True))
    form.upper.setText("40")
    assert form.asked is None
    form.way.setCurrentText("from ... to")
    assert form.asked == EditedCondition("age", 40.0, 40.0)


def test_what_was_ticked_and_that_missing_values_meet_it_is_forgotten_at_once(form: ConditionForm) -> None:
    form.show_condition(EditedCondition("colour", values=("green",), missing=True))
    form.clear()
    assert form.asked is None
    form.values.item(0).setCheckState(Qt.CheckState.Checked)
    assert form.asked == EditedCondition("colour", values=("red",))
