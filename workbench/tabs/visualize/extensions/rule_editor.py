"""Manual edits of the rules in view: move, drop, change or write a rule."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLineEdit

from algorithms.learners.rules.edited_rules import (
    EditedCondition,
    RuleChange,
    RuleEdit,
    RuleName,
    asked_of,
    name_in,
    rule_at,
)
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet, name_of
from algorithms.text.sentences import BRIEF_NAMES, in_brief, typeset
from workbench.forms.editors import CalmComboBox
from workbench.session.runs import Run, structure_of
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.model_editor import AttributeForm, ModelEditor, editor_combo, number_in
from workbench.widgets.buttons import accent_button, add_entry, menu_button, quiet_button
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import ElidedLabel, LinkLabel, label, link
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout

if TYPE_CHECKING:
    from workbench.viewers.rules_view import RuleSetView


UP_TO, MORE, LEAST, BETWEEN, ABOVE = "up to", "more than", "at least", "between", "above"
WAYS: Final = (("≤", UP_TO), (">", MORE), ("≥", LEAST), ("from ... to", BETWEEN), ("above ... to", ABOVE))


class ConditionForm(AttributeForm):
    """Fields for one condition; :attr:`asked` is the condition, None while it is incomplete."""

    changed = Signal()
    entered = Signal()

    def __init__(self) -> None:
        super().__init__(
            "visualize.rule-edit.attribute",
            "Attribute of the condition",
            ("visualize.rule-edit.values", "Values that meet the condition", "Tick the values that meet the condition"),
        )
        self._missing = False
        self.attribute.setMinimumWidth(themes.px(220))
        self.attribute.setMaximumWidth(themes.px(260))
        self.way = editor_combo("visualize.rule-edit.way", "How the number is compared", 260, WAYS)
        self.number = _number("visualize.rule-edit.number", "Number to compare with")
        self.upper = _number("visualize.rule-edit.upper", "The end of the range, which belongs to it")
        line = row_layout(self.attribute, self.way, self.number, self.upper, 1, spacing=6)
        column_layout(line, self.values, inside=self, spacing=4)
        self.way.currentIndexChanged.connect(self._arrange)
        self.values.itemChanged.connect(self.changed)
        for field in (self.number, self.upper):
            field.textChanged.connect(self.changed)
            field.returnPressed.connect(self.entered)

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
        attribute = self._chosen()
        if attribute is None:
            return None
        if attribute.kind.is_coded:
            values = self._ticked()
            return EditedCondition(attribute.name, values=values, missing=self._missing) if values else None
        first, last, way = number_in(self.number.text()), number_in(self.upper.text()), self.way.currentData()
        has_two_ends = way in (BETWEEN, ABOVE)
        if first is None or (has_two_ends and (last is None or last < first or (way == ABOVE and last == first))):
            return None
        if way == UP_TO:
            return EditedCondition(attribute.name, None, first, missing=self._missing)
        high = last if has_two_ends else None
        return EditedCondition(attribute.name, first, high, way in (MORE, ABOVE), missing=self._missing)

    def _attribute_chosen(self) -> None:
        attribute = self._chosen()
        self._missing = False
        self._offer_values(attribute.values if attribute is not None and attribute.kind.is_coded else ())
        self._arrange()

    def _arrange(self) -> None:
        attribute = self._chosen()
        coded = attribute is not None and attribute.kind.is_coded
        self.values.setVisible(coded)
        set_visible(not coded, self.way, self.number)
        self.upper.setVisible(not coded and self.way.currentData() in (BETWEEN, ABOVE))
        self.changed.emit()


def _number(name: str, tip: str) -> QLineEdit:
    field = named(QLineEdit(), name, tip, tip)
    field.setPlaceholderText("number")
    field.setFixedWidth(themes.px(150))
    return field


def _exactly(value: float) -> str:
    """The shortest text that reads back as this number."""
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


CHOOSE: Final = "Choose a rule."
CHANGE: Final = "change"
WRITE: Final = "write"
DROP, AND, CLEAR = "drop", "and", "clear"
"""Where links lead."""
NEW_CONDITION: Final = "a further condition"


class RuleEditor(ModelEditor):
    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__(
            session,
            "visualize.rule-edit",
            "Change the rules by hand: drop, move, write",
        )
        self._view = view
        self._rules: RuleSet | None = None
        self._mode = ""
        self._written: tuple[EditedCondition, ...] = ()
        self._back_to: tuple[RuleSet, int] | None = None
        self._make_widgets()
        self._lay_out()
        self.switch.toggled.connect(self._switched)
        view.list.addActions(self._more.menu().actions())
        self._switched(False)
        view.list.selectionModel().currentRowChanged.connect(self._show_rule)
        view.table.modelReset.connect(self._show_rule)
        self._condition.currentIndexChanged.connect(self._condition_chosen)
        self.form.changed.connect(self._check)
        self._class.currentIndexChanged.connect(self._check)
        self.form.entered.connect(self._do)

    def _make_widgets(self) -> None:
        name = "visualize.rule-edit"
        self._where = named(ElidedLabel(CHOOSE, "dim"), f"{name}.where")
        self._more = menu_button("More", f"{name}.more", "Write a rule, move or remove the rule in focus")
        menu, opened = self._more.menu(), partial(self._open, WRITE)
        self._write = add_entry(menu, f"{name}.write", "Write a rule…", "Put together a new rule", opened)
        self._write.setCheckable(True)
        menu.addSeparator()
        tip = "Read this rule before the one above it"
        self._up = add_entry(menu, f"{name}.up", "Move the rule up", tip, self.move_up)
        tip = "Read this rule after the next one"
        self._down = add_entry(menu, f"{name}.down", "Move the rule down", tip, self.move_down)
        self._remove = add_entry(menu, f"{name}.remove", "Remove the rule", "Take this rule away", self.remove)
        tip = "Drop a condition of this rule, change it, or add one; or the default rule's class"
        self._change = quiet_button("Change", f"{name}.change", tip, partial(self._open, CHANGE), checkable=True)
        tip = "The condition that is changed or dropped"
        self._condition = named(CalmComboBox(), f"{name}.condition", "Condition to change", tip)
        self._condition.setMinimumWidth(themes.px(260))
        self._condition.setMaximumWidth(themes.px(460))
        self._drop = named(LinkLabel(), f"{name}.drop", tip="Ask this no more")
        self._drop.linkActivated.connect(lambda _link: self.drop())
        self._class = editor_combo(f"{name}.class", "The class that the rule predicts", 200)
        self._class.setAccessibleName("Class that the rule predicts")
        self._then = label("then", "dim")
        self._so_far = named(ElidedLabel("", ""), f"{name}.so-far")
        self._further = named(LinkLabel(), f"{name}.further", tip="Ask something more too, or forget these conditions")
        self._further.linkActivated.connect(lambda way: self._add() if way == AND else self._begin())
        self._button = accent_button("Apply", f"{name}.do", "Make this change", self._do)
        self.form = ConditionForm()

    def _lay_out(self) -> None:
        line = row_layout((self._where, 1), self._change, self._more, spacing=6)
        self._box = ClearWidget()
        what = row_layout((self._condition, 2), (self._drop, 1), spacing=6)
        then = self._then, self._class, (self._so_far, 2), (self._further, 1)
        do = row_layout(*then, self._button, spacing=6)
        column_layout(what, self.form, do, inside=self._box, spacing=4)
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
        self._follow(run, rules is not None)
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
                number, schema = f"R{name_of(rule)[1:]}", rules.schema
                words = f"{number}: {self._view.table.conditions(rule)}"
                brief = (in_brief(words, (*schema.names, *schema.classes), most) for most in BRIEF_NAMES)
                self._where.set_wordings(words, *brief, number)
                self._condition.addItems([*(typeset(part.words()) for part in parts), NEW_CONDITION])
        if rules is not None and not (has_rule or self._is_default) and self._mode == CHANGE:
            self._show_mode("")  # while a changed list is judged there are no rules: the change goes on after that
        self._show_parts()
        self._condition_chosen()

    def _switched(self, wanted: bool) -> None:
        self._view.make_room(wanted)
        for entry in self._more.menu().actions():  # the menu of a rule has them too
            entry.setVisible(wanted)
        self.setVisible(wanted and self._rules is not None)
        self._outcome.set_wanted(wanted)

    def _open(self, wanted: str) -> None:
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
        otherwise = self._is_otherwise
        set_visible(self._mode == CHANGE and not otherwise, self._condition, self._drop)
        self._further.setVisible(self._mode == WRITE)
        set_visible(self._mode == WRITE or otherwise, self._then, self._class)
        self.form.setVisible(not otherwise)
        if otherwise and self._rules is not None:
            self._class.setCurrentIndex(self._rules.default_decision)

    def _condition_chosen(self) -> None:
        part = self._part
        if self._mode == CHANGE and part is not None:
            self.form.show_condition(part)
        elif self._mode == CHANGE:
            self.form.clear()
        self._drop.setText("" if part is None else link(DROP, "Drop this condition"))
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
        asked, rule = self.form.asked, self._rule
        further = [link(AND, "Add another condition")] if asked is not None else []
        further += [link(CLEAR, "Clear")] if self._written or asked is not None else []
        self._further.setText(" · ".join(further))
        if self._mode == WRITE:
            conditions = self._conditions
            asked_so_far = " and ".join(condition.words() for condition in conditions)
            so_far = typeset(f"if {asked_so_far}") if conditions else "Write a condition above to insert the rule"
            where = "at the end" if rule is None else f"before {name_of(rule)}"
            text, tip, can_do = "Insert rule", f"A new rule, {where}", bool(conditions)
        elif self._is_otherwise and self._rules is not None:
            so_far, text, tip = "where no rule fires", "Apply", "Predict this class where no rule fires"
            can_do = self._class.currentIndex() != self._rules.default_decision
        else:
            part = self._part
            so_far, text, tip = "", "Add condition" if part is None else "Apply", "Make this change"
            can_do = asked is not None and asked != part and rule is not None
        self._so_far.setText(so_far)
        self._button.setText(text)
        self._button.setToolTip(tip)
        self._button.setEnabled(can_do)

    @property
    def _conditions(self) -> tuple[EditedCondition, ...]:
        asked = self.form.asked
        return (*self._written, asked) if asked is not None else self._written

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
            self._move(rule, self._name(rule - 1), "up", rule - 1)

    def move_down(self) -> None:
        rule, n_rules = self._rule, 0 if self._rules is None else self._rules.n_rules
        if rule is not None and rule + 1 < n_rules:
            self._move(rule, self._name(rule + 2) if rule + 2 < n_rules else None, "down", rule + 1)

    def _move(self, rule: int, before: RuleName | None, way: str, place: int) -> None:
        edit = RuleEdit(RuleChange.MOVE, self._name(rule), before=before, said=f"{name_of(rule)} {way}")
        self._push(edit, place)

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
            n_rules = 0 if self._rules is None else self._rules.n_rules
            self._push(RuleEdit(RuleChange.WRITE, new=new, before=before), n_rules if rule is None else rule)
            self._show_mode("")
        elif self._is_otherwise:
            new = RuleName(self._class.currentText(), ())
            self._push(RuleEdit(RuleChange.OTHERWISE, new=new, said="the default rule"), DEFAULT_RULE)
        elif rule is not None and asked is not None:
            self._push(RuleEdit(RuleChange.SET, self._name(rule), self._part, asked, said=name_of(rule)), rule)
