"""Manual edits of the rules in view: move, drop, change or write a rule."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem

from algorithms.core.model_editing import EditedModel
from algorithms.core.plain_json import typed_number
from algorithms.data.schema import Attribute, Schema
from algorithms.learners.rules.edits import EditedCondition, RuleChange, RuleEdit, RuleName, asked_of, name_in, rule_at
from algorithms.learners.rules.words import name_of
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet
from workbench.forms.editors import CalmComboBox
from workbench.session.runs import Run, structure_of
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.edit_outcome import EditOutcome
from workbench.widgets.buttons import accent_button, link_button, quiet_button
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout

if TYPE_CHECKING:
    from workbench.viewers.rules.rules_view import RuleSetView


ROWS: Final = 4
UP_TO, MORE, LEAST, BETWEEN, ABOVE = "up to", "more than", "at least", "between", "above"
WAYS: Final = ((UP_TO, "<="), (MORE, ">"), (LEAST, ">="), (BETWEEN, "from ... to"), (ABOVE, "above ... to"))
TWO_ENDS: Final = (BETWEEN, ABOVE)


class ConditionForm(ClearWidget):
    """Fields for one condition; :attr:`asked` is the condition, None while it is incomplete."""

    changed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._schema: Schema | None = None
        self._missing = False
        self.attribute = _combo("visualize.rule-edit.attribute", "Attribute of the condition")
        self.attribute.setMinimumWidth(themes.px(220))
        self.way = _combo("visualize.rule-edit.way", "How the number is compared")
        for way, words in WAYS:
            self.way.addItem(words, way)
        self.number = _number("visualize.rule-edit.number", "Number to compare with")
        self.upper = _number("visualize.rule-edit.upper", "The end of the range, which belongs to it")
        self.values = named(
            QListWidget(),
            "visualize.rule-edit.values",
            "Values that meet the condition",
            "Tick the values that meet the condition",
        )
        self.values.setFixedHeight(themes.px(24 * ROWS))
        column_layout(
            row_layout(self.attribute, self.way, self.number, self.upper, 1, spacing=6),
            self.values,
            inside=self,
            spacing=4,
        )
        self.attribute.currentIndexChanged.connect(self._attribute_chosen)
        self.way.currentIndexChanged.connect(self._arrange)
        self.values.itemChanged.connect(self.changed)
        for field in (self.number, self.upper):
            field.textChanged.connect(self.changed)
            field.returnPressed.connect(self.entered)

    def set_schema(self, schema: Schema | None) -> None:
        if schema is self._schema:
            return
        self._schema = schema
        with QSignalBlocker(self.attribute):
            self.attribute.clear()
            for index in () if schema is None else schema.predictors:
                assert schema is not None
                self.attribute.addItem(schema.attributes[index].name, index)
        self._attribute_chosen()

    def show_condition(self, asked: EditedCondition) -> None:
        self.attribute.setCurrentIndex(max(0, self.attribute.findText(asked.attribute)))
        self._attribute_chosen()
        self._missing = asked.missing
        if asked.low is not None and asked.high is not None:
            way = ABOVE if asked.low_is_open else BETWEEN
        elif asked.low is not None:
            way = MORE if asked.low_is_open else LEAST
        else:
            way = UP_TO
        self.way.setCurrentIndex(self.way.findData(way))
        first = asked.high if asked.low is None else asked.low
        for field, value in ((self.number, first), (self.upper, asked.high)):
            field.setText("" if value is None else _exactly(value))
            field.setCursorPosition(0)
        for row in range(self.values.count()):
            item = self.values.item(row)
            chosen = item.text() in asked.values
            item.setCheckState(Qt.CheckState.Checked if chosen else Qt.CheckState.Unchecked)
        self._arrange()

    def clear(self) -> None:
        for field in (self.number, self.upper):
            with QSignalBlocker(field):
                field.clear()
        self._attribute_chosen()

    @property
    def asked(self) -> EditedCondition | None:
        """The condition in the fields; None while it is incomplete."""
        attribute = self._attribute()
        if attribute is None:
            return None
        if attribute.kind.is_coded:
            values = tuple(
                self.values.item(row).text()
                for row in range(self.values.count())
                if self.values.item(row).checkState() == Qt.CheckState.Checked
            )
            return EditedCondition(attribute.name, values=values, missing=self._missing) if values else None
        first, last, way = _read(self.number.text()), _read(self.upper.text()), self.way.currentData()
        if first is None:
            return None
        if way in TWO_ENDS and (last is None or last < first or (way == ABOVE and last == first)):
            return None
        if way == UP_TO:
            return EditedCondition(attribute.name, None, first, missing=self._missing)
        high = last if way in TWO_ENDS else None
        return EditedCondition(attribute.name, first, high, way in (MORE, ABOVE), missing=self._missing)

    def _attribute(self) -> Attribute | None:
        index = self.attribute.currentData()
        return None if self._schema is None or index is None else self._schema.attributes[index]

    def _attribute_chosen(self) -> None:
        attribute = self._attribute()
        self._missing = False
        with QSignalBlocker(self.values):
            self.values.clear()
            for value in attribute.values if attribute is not None and attribute.kind.is_coded else ():
                item = QListWidgetItem(value)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Unchecked)
                self.values.addItem(item)
        self._arrange()

    def _arrange(self) -> None:
        attribute = self._attribute()
        coded = attribute is not None and attribute.kind.is_coded
        self.values.setVisible(coded)
        self.way.setVisible(not coded)
        self.number.setVisible(not coded)
        self.upper.setVisible(not coded and self.way.currentData() in TWO_ENDS)
        self.changed.emit()


def _combo(name: str, tip: str) -> CalmComboBox:
    box = named(CalmComboBox(), name, tip, tip)
    box.setSizeAdjustPolicy(CalmComboBox.SizeAdjustPolicy.AdjustToContents)  # as the line has room
    box.setMaximumWidth(themes.px(260))
    return box


def _number(name: str, tip: str) -> QLineEdit:
    field = named(QLineEdit(), name, tip, tip)
    field.setPlaceholderText("number")
    field.setFixedWidth(themes.px(150))
    return field


def _exactly(value: float) -> str:
    """The shortest text that reads back as this number."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _read(text: str) -> float | None:
    try:
        number = typed_number(text.replace(",", ".")) if text.strip() else None
    except ValueError:
        return None
    return number if number is None or isfinite(number) else None


CHOOSE: Final = "Click a rule, or walk to one with the arrow keys."
CHANGE: Final = "change"
WRITE: Final = "write"
NEW_CONDITION: Final = "a further condition"


class RuleEditor(ClearWidget):
    """Edits rules, while ``switch`` is on; ``room_wanted`` says whether it is open."""

    room_wanted = Signal(bool)

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__()
        self._session, self._view = session, view
        self._run: Run | None = None
        self._rules: RuleSet | None = None
        self._mode = ""
        self._written: tuple[EditedCondition, ...] = ()
        self._back_to: tuple[RuleSet, int] | None = None
        self._make_widgets()
        self._lay_out()
        self.switch.toggled.connect(self._switched)
        view.list.selectionModel().currentRowChanged.connect(self._show_rule)
        view.table.modelReset.connect(self._show_rule)
        self._condition.currentIndexChanged.connect(self._condition_chosen)
        self.form.changed.connect(self._check)
        self._class.currentIndexChanged.connect(self._check)
        self.form.entered.connect(self._do)
        self.hide()

    def _make_widgets(self) -> None:
        self.switch = quiet_button(
            "Edit", "visualize.rule-edit", "Change the rules by hand: drop, move, write", checkable=True
        )
        self._where = named(ElidedLabel(CHOOSE, "dim"), "visualize.rule-edit.where")
        self._up = quiet_button("Up", "visualize.rule-edit.up", "Read this rule before the one above it", self.move_up)
        self._down = quiet_button("Down", "visualize.rule-edit.down", "Read it after the next one", self.move_down)
        self._remove = quiet_button("Remove", "visualize.rule-edit.remove", "Take this rule away", self.remove)
        self._change = quiet_button(
            "Change",
            "visualize.rule-edit.change",
            "Drop a condition of this rule, change it, or add one; or the default rule's class",
        )
        self._write = quiet_button("Write a rule", "visualize.rule-edit.write", "Put together a new rule")
        for button in (self._change, self._write):
            button.setCheckable(True)
            button.clicked.connect(self._open)
        self._restore = quiet_button(
            "Restore all", "visualize.rule-edit.restore", "Take back all changes: the learner's rules are there again"
        )
        self._restore.clicked.connect(self._restore_all)
        self._condition = named(
            CalmComboBox(),
            "visualize.rule-edit.condition",
            "Condition to change",
            "The condition that is changed or dropped",
        )
        self._condition.setMinimumWidth(themes.px(260))
        self._condition.setMaximumWidth(themes.px(460))
        self._drop = quiet_button("Drop it", "visualize.rule-edit.drop", "Ask this no more", self.drop)
        self._class = named(
            CalmComboBox(), "visualize.rule-edit.class", "Class that the rule says", "The class that the rule says"
        )
        self._class.setSizeAdjustPolicy(CalmComboBox.SizeAdjustPolicy.AdjustToContents)
        self._class.setMaximumWidth(themes.px(200))
        self._so_far = named(ElidedLabel("", ""), "visualize.rule-edit.so-far")
        self._and = quiet_button("And", "visualize.rule-edit.and", "Ask this too, and then something more", self._add)
        self._clear = link_button("Begin anew", "visualize.rule-edit.anew", "Forget these conditions", self._begin)
        self._button = accent_button("Change it", "visualize.rule-edit.do", "Make this change", self._do)
        self.form = ConditionForm()
        self._outcome = EditOutcome(self._session, "visualize.rule-edit.outcome")

    def _lay_out(self) -> None:
        line = row_layout(
            (self._where, 1), self._up, self._down, self._remove, self._change, self._write, self._restore, spacing=6
        )
        self._box = ClearWidget()
        column_layout(
            row_layout(self._condition, self._drop, 1, spacing=6),
            self.form,
            row_layout(self._class, (self._so_far, 1), self._clear, self._and, self._button, spacing=6),
            inside=self._box,
            spacing=4,
        )
        self._box.hide()
        column_layout(line, self._box, self._outcome, inside=self, spacing=4)

    def set_run(self, run: Run | None) -> None:
        rules = structure_of(run, RuleSet)
        if rules is not self._rules:
            self._rules = rules
            self.form.set_schema(None if rules is None else rules.schema)
            self._class.clear()
            self._class.addItems([] if rules is None else list(rules.schema.classes))
            self._begin()
        is_same = run is self._run  # whoever puts the editor away while a run is judged does not want it back
        if not is_same and self._run is not None and self._session.analyses.edits.hand_tree(run) is not None:
            self.switch.setChecked(True)
        self._run = run
        self.switch.setVisible(rules is not None)
        self.setVisible(rules is not None and self.switch.isChecked())
        self._outcome.set_run(run)
        self._outcome.set_wanted(not self.isHidden())
        self._restore.setEnabled(self._session.analyses.edits.hand_tree(run) is not None)
        self._go_back()
        self._show_rule()

    def _go_back(self) -> None:
        """Moves the focus to the rule that was edited."""
        back, rules = self._back_to, self._rules
        if back is not None and rules is not None and rules is not back[0] and self._view.table.rules is rules:
            self._back_to = None
            if rules.n_rules or back[1] == DEFAULT_RULE:
                self._view.focus_rule(min(back[1], rules.n_rules - 1))

    @property
    def _rule(self) -> int | None:
        """The rule in focus; None for the default rule."""
        rule, rules = self._view.focused_rule, self._rules
        is_shown = rule is not None and rules is not None and self._view.table.rules is rules
        return rule if is_shown and rule != DEFAULT_RULE else None

    @property
    def _is_default(self) -> bool:
        is_shown = self._rules is not None and self._view.table.rules is self._rules
        return is_shown and self._view.focused_rule == DEFAULT_RULE

    def _show_rule(self, *_changed: object) -> None:
        rule, rules = self._rule, self._rules
        if rules is not None and self._view.table.rules is not rules:
            return  # others are about to be shown: set_run follows
        has_rule = rule is not None and rules is not None
        self._remove.setEnabled(has_rule)
        self._change.setEnabled(has_rule or self._is_default)
        ordered = rules is not None and rules.is_ordered
        self._up.setEnabled(has_rule and ordered and rule != 0)
        self._down.setEnabled(bool(has_rule and ordered and rules and rule != rules.n_rules - 1))
        with QSignalBlocker(self._condition):
            self._condition.clear()
            if self._is_default and rules is not None:
                label = rules.schema.classes[rules.default_decision]
                self._where.setText(f"Where no rule fires: {label}")
                if self._mode != WRITE:
                    self._class.setCurrentIndex(rules.default_decision)
            elif rule is None or rules is None:
                self._where.setText(CHOOSE)
            else:
                parts = [asked_of(rules.schema, condition) for condition in rule_at(rules, rule).conditions]
                words = " and ".join(part.words() for part in parts) or "always"
                self._where.setText(f"R{name_of(rule)[1:]}: {words}")
                self._condition.addItems([*(part.words() for part in parts), NEW_CONDITION])
        if rules is not None and not (has_rule or self._is_default) and self._mode == CHANGE:
            self._show_mode("")  # while a changed list is judged there are no rules: the change goes on after that
        self._show_parts()
        self._condition_chosen()

    def _switched(self, wanted: bool) -> None:
        self._view.make_room(wanted)
        self.room_wanted.emit(wanted)
        self.setVisible(wanted and self._rules is not None)
        self._outcome.set_wanted(wanted)

    def _open(self) -> None:
        wanted = CHANGE if self.sender() is self._change else WRITE
        self._show_mode("" if wanted == self._mode else wanted)

    def _show_mode(self, mode: str) -> None:
        self._mode = mode
        self._change.setChecked(mode == CHANGE)
        self._write.setChecked(mode == WRITE)
        self._box.setVisible(bool(mode))
        self._show_parts()
        self._begin()
        self._condition_chosen()
        if mode:
            first = self._class if self._is_otherwise else self._condition if mode == CHANGE else self.form.attribute
            first.setFocus()

    @property
    def _is_otherwise(self) -> bool:
        """Whether the class of the default rule is being changed."""
        return self._mode == CHANGE and self._is_default

    def _show_parts(self) -> None:
        """Shows the fields that the current edit needs."""
        otherwise = self._is_otherwise
        for widget in (self._condition, self._drop):
            widget.setVisible(self._mode == CHANGE and not otherwise)
        for widget in (self._and, self._clear):
            widget.setVisible(self._mode == WRITE)
        self._class.setVisible(self._mode == WRITE or otherwise)
        self.form.setVisible(not otherwise)
        if otherwise and self._rules is not None:
            self._class.setCurrentIndex(self._rules.default_decision)

    def _condition_chosen(self) -> None:
        part = self._part
        if self._mode == CHANGE and part is not None:
            self.form.show_condition(part)
        elif self._mode == CHANGE:
            self.form.clear()
        self._drop.setEnabled(part is not None)
        self._check()

    @property
    def _part(self) -> EditedCondition | None:
        """The condition being changed; None for a further one."""
        rule, rules, index = self._rule, self._rules, self._condition.currentIndex()
        if rule is None or rules is None or not 0 <= index < len(rules.conditions(rule)):
            return None
        return asked_of(rules.schema, rule_at(rules, rule).conditions[index])

    def _begin(self) -> None:
        self._written = ()
        self.form.clear()

    def _add(self) -> None:
        asked = self.form.asked
        if asked is not None:
            self._written = (*self._written, asked)
            self.form.clear()

    def _check(self) -> None:
        """Updates text and state of the buttons."""
        asked = self.form.asked
        self._and.setEnabled(asked is not None)
        self._clear.setEnabled(bool(self._written) or asked is not None)
        if self._mode == WRITE:
            conditions = self._conditions
            words = " and ".join(condition.words() for condition in conditions) or "always"
            self._so_far.setText(f"if {words}")
            self._button.setText("Put it there")
            rule = self._rule
            self._button.setToolTip(f"A new rule, {'at the end' if rule is None else f'before {name_of(rule)}'}")
            self._button.setEnabled(bool(conditions))
        elif self._is_otherwise and self._rules is not None:
            self._so_far.setText("where no rule fires")
            self._button.setText("Change it")
            self._button.setToolTip("Say this class where no rule fires")
            self._button.setEnabled(self._class.currentIndex() != self._rules.default_decision)
        else:
            self._so_far.setText("")
            part = self._part
            self._button.setText("Add it" if part is None else "Change it")
            self._button.setToolTip("Make this change")
            self._button.setEnabled(asked is not None and asked != part and self._rule is not None)

    @property
    def _conditions(self) -> tuple[EditedCondition, ...]:
        asked = self.form.asked
        return (*self._written, asked) if asked is not None else self._written

    @property
    def _n_rules(self) -> int:
        return 0 if self._rules is None else self._rules.n_rules

    def _name(self, rule: int) -> RuleName:
        assert self._rules is not None
        return name_in(self._rules, rule)

    def _push(self, edit: RuleEdit, place: int) -> None:
        """Makes an edit and remembers the rule to focus afterwards."""
        if self._run is not None and self._rules is not None:
            self._back_to = self._rules, place
            self._session.analyses.edits.change(self._run, edit)

    def remove(self) -> None:
        rule = self._rule
        if rule is not None:
            self._push(RuleEdit(RuleChange.REMOVE, self._name(rule), said=name_of(rule)), rule)

    def move_up(self) -> None:
        rule = self._rule
        if rule:
            self._push(
                RuleEdit(RuleChange.MOVE, self._name(rule), before=self._name(rule - 1), said=f"{name_of(rule)} up"),
                rule - 1,
            )

    def move_down(self) -> None:
        rule = self._rule
        if rule is not None and rule + 1 < self._n_rules:
            before = self._name(rule + 2) if rule + 2 < self._n_rules else None
            self._push(
                RuleEdit(RuleChange.MOVE, self._name(rule), before=before, said=f"{name_of(rule)} down"), rule + 1
            )

    def drop(self) -> None:
        rule, part = self._rule, self._part
        if rule is not None and part is not None:
            self._push(RuleEdit(RuleChange.DROP, self._name(rule), part, said=name_of(rule)), rule)

    def _do(self) -> None:
        rule, asked = self._rule, self.form.asked
        if not self._button.isEnabled():
            return
        if self._mode == WRITE:
            new = RuleName(self._class.currentText(), self._conditions)
            before = None if rule is None else self._name(rule)
            self._push(RuleEdit(RuleChange.WRITE, new=new, before=before), self._n_rules if rule is None else rule)
            self._show_mode("")
        elif self._is_otherwise:
            new = RuleName(self._class.currentText(), ())
            self._push(RuleEdit(RuleChange.OTHERWISE, new=new, said="the default rule"), DEFAULT_RULE)
        elif rule is not None and asked is not None:
            self._push(RuleEdit(RuleChange.SET, self._name(rule), self._part, asked, said=name_of(rule)), rule)

    def _restore_all(self) -> None:
        if self._run is not None and isinstance(self._run.learner, EditedModel):
            self._session.analyses.edits.restore_all(self._run)
