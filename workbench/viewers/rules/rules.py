"""The viewer of rules: a row each, with what it says, how much it decides and how right it is."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.learners.rules.rule_logic import Space, inherited, inherited_words
from algorithms.learners.rules.words import if_words, name_of
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet
from workbench.jobs.jobs import Job, Jobs
from workbench.jobs.worker_threads import give_way
from workbench.style.theme import themes
from workbench.style.wording import counted, typeset
from workbench.viewers.charts.export import Export
from workbench.viewers.original_units import IN_SHORT, Unscaled
from workbench.viewers.rules.rules_export import ExportedRules
from workbench.viewers.rules.rules_filter import RulesFilter
from workbench.viewers.rules.rules_list import NARROW, RulesList
from workbench.viewers.rules.rules_logic import RulesLogic
from workbench.viewers.rules.rules_paint import RulesPainter
from workbench.viewers.rules.rules_table import NUMBERS_READ, Part, RulesTable
from workbench.viewers.tree.tree_words import amount, percent, records_words
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import WholeLabel, label
from workbench.widgets.panes import clear_row

AT_ONCE: Final = 200
"""The words of so many rules are made without a job."""
INHERITS_HEIGHT: Final = 110


class RuleSetView(QWidget):
    """The rules of a model; ``rule_chosen`` asks for a rule's records to be selected, in a way (:class:`How`)."""

    title = "Rules"
    facts_changed = Signal()
    rule_chosen = Signal(int, object)

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._unscaled: Unscaled | None = None
        self._jobs = jobs
        self._job: Job | None = None
        self._record, self._example, self._divided, self._selects = "", "", "", False
        self.table = RulesTable()
        self._painter = RulesPainter(self.table)
        self.list = RulesList(self.table, self._painter)
        self._how = label("", "dim", wrap=True)
        self._how.setObjectName("visualize.rules.how")
        self._detail = WholeLabel()
        self._detail.setObjectName("visualize.rules.detail")
        self._detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.filter = RulesFilter()
        self.search = self.filter.search
        self._space: tuple[RuleSet, Space] | None = None
        self._inheriting: Job | None = None
        self._found = label("", "small")
        self._found.setObjectName("visualize.rules.found")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.logic = RulesLogic()
        for widget in (self._how, self.logic, self.filter, self._found):
            column.addWidget(widget)
        column.addWidget(self.list, 1)
        column.addWidget(self._detail)
        self._inherits = QPlainTextEdit()
        self._inherits.setObjectName("visualize.rules.inherits")
        self._inherits.setAccessibleName("What the rule in focus inherits from the rules before it")
        self._inherits.setReadOnly(True)
        self._inherits.setTabChangesFocus(True)
        self._inherits.setMaximumHeight(themes.px(INHERITS_HEIGHT))
        self._inherits.hide()
        column.addWidget(self._inherits)
        self.export = Export(ExportedRules(self.table, self._painter), jobs, self)
        self.controls = self._made_controls()
        self.filter.changed.connect(self._look)
        self.filter.hide_asked.connect(self._hide_rule)
        self.filter.show_all_asked.connect(self._show_hidden)
        self.list.hide_asked.connect(self._hide_rule)
        self.list.chosen.connect(self.rule_chosen)
        self.list.copy_asked.connect(self.export.copy_table)
        for changed in (self.list.selectionModel().currentRowChanged, self.table.modelReset):
            changed.connect(self._say_detail)
            changed.connect(self._say_inherits)

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def set_unscaled(self, unscaled: Unscaled | None) -> None:
        """Word numbers of rescaled columns as the table has them, from the next rules on."""
        self._unscaled = unscaled

    def set_structure(self, structure: RuleSet) -> None:
        """Show these rules."""
        if self._job is not None:
            self._job.stop()
            self._job = None
        self.table.set_rules(structure, self._unscaled)
        self.filter.set_rules(structure, are_edited=self.table.is_edited)
        self._found.hide()
        self._record = self._example = self._divided = ""
        if not self.table.is_edited:
            self.list.horizontalHeader().setSortIndicator(int(Part.NUMBER), Qt.SortOrder.AscendingOrder)
        self._whole.setVisible(structure.is_ordered and structure.n_rules > 1)
        self._show_search()
        self._say_how()
        self._make_words(self.table.worded or structure)
        if self.table.is_edited:
            self._look()
        self.facts_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_search()

    def _show_search(self) -> None:
        rules = self.table.rules
        wide = self.width() >= themes.px(NARROW)
        self.filter.setVisible(rules is not None and self.filter.has_something and wide)

    def _make_words(self, rules: RuleSet) -> None:
        """Find the words of many rules in a job: searching asks for all of them at once."""
        self.search.setEnabled(True)
        if rules.n_rules <= AT_ONCE or self._jobs is None:
            return

        def work(context: RunContext) -> list[str]:
            words = []
            for rule in range(rules.n_rules):
                if rule % 50 == 0:
                    context.checkpoint()
                    give_way()
                words.append(if_words(rules, rule, digits=NUMBERS_READ))
            return words

        self.search.setEnabled(False)
        self._job = self._jobs.start("", work, on_done=self._worded)

    def _worded(self, words: list[str]) -> None:
        self._job = None
        self.table.set_words(words)
        self.search.setEnabled(True)
        if self.filter.is_on:
            self._look()

    def facts(self) -> str:
        """How many rules and conditions there are, in words."""
        rules = self.table.rules
        if rules is None:
            return ""
        words = f"{counted(rules.n_rules, 'rule')} · {counted(rules.n_conditions, 'condition')}"
        return words if self.table.worded is rules else f"{words} · {IN_SHORT}"

    def _look(self) -> None:
        text = self.search.text() if self.search.isEnabled() else ""  # the words of many rules are yet to be made
        self.table.look_for(text, self.filter.asked_class, float(self.filter.least.value()))
        self._say_found()

    def _say_found(self) -> None:
        rules = self.table.rules
        self._found.setVisible(self.filter.is_on)
        self.filter.say_hidden(self.table.n_hidden)
        self._show_search()
        if rules is not None:
            found = f"{self.table.n_shown:,} of {rules.n_rules + 1:,} rules"
            self._found.setText(found if self.table.n_shown else "No rule says so.")

    @property
    def focused_rule(self) -> int | None:
        """The rule in focus; None where there is none."""
        index = self.list.currentIndex()
        return self.table.rule_of(index.row()) if index.isValid() and index.row() < self.table.n_shown else None

    def focus_rule(self, rule: int) -> None:
        """Put the focus on a rule, where it is shown."""
        row = self.table.row_of(rule)
        if row is not None:
            self.list.setCurrentIndex(self.table.index(row, int(Part.CONDITIONS)))

    def _hide_rule(self) -> None:
        """Put the rule in focus out of sight; the one after it has the focus then."""
        rule, row = self.focused_rule, self.list.currentIndex().row()
        if rule is None:
            return
        self.table.hide(rule)
        self._say_found()
        if self.table.n_shown:
            self.list.setCurrentIndex(self.table.index(min(row, self.table.n_shown - 1), int(Part.CONDITIONS)))

    def _show_hidden(self) -> None:
        self.table.show_hidden()
        self._say_found()

    def offer_selecting(self) -> None:
        """Say that a click selects the records of a rule."""
        self._selects = True
        self._say_how()

    def make_room(self, wanted: bool) -> None:
        """Whether only the rules themselves are shown, as something else is done with them beside."""
        self._how.setVisible(not wanted)
        self.logic.is_put_away = wanted
        self.logic.setVisible(not wanted and self.logic.answer is not None)

    def show_example(self, fired: tuple[int, ...], words: str) -> None:
        """Mark the rules that fire for a record that could be, and say which record it is."""
        self._example = words
        self.set_fired(fired or (DEFAULT_RULE,))

    def set_fired(self, fired: tuple[int, ...], record: str = "", *, divided: str = "") -> None:
        """Mark the rules that fire for a record, called so; None where empty. The one that decides is the first, and
        has the focus, unless another of them has it. ``divided`` says which part each decides, where several do."""
        self._record, self._divided = record, divided
        if record or not fired:
            self._example = ""
        self.table.set_fired(fired, in_parts=bool(divided))
        self.list.arrange()
        self.list.viewport().update()
        self._say_how()
        if not fired:
            return
        if self.focused_rule not in fired:
            self.focus_rule(fired[0])
        row = self.table.row_of(fired[0])
        if row is not None and not self.list.hasFocus():
            self.list.scrollTo(self.table.index(row, 0))

    # ---- words -------------------------------------------------------------------------------------------------------

    def _say_how(self) -> None:
        """How the rules are read, or what they say of the record in question."""
        rules, fired = self.table.rules, self.table.fired
        if rules is None:
            self._how.setText("")
        elif self._example:
            self._how.setText(f"For example {self._example}.")
        elif self._record and fired:
            self._how.setText(self._record_words(rules, fired))
        elif rules.is_ordered:
            click = " Click a rule to select the records that it decides." if self._selects else ""
            parts = " Several rules decide a part of a record without a value." if rules.divides else ""
            self._how.setText(f"Read from the top: the first rule whose conditions all hold decides.{parts}{click}")
        else:
            click = " Click a rule to select the records that it covers." if self._selects else ""
            self._how.setText(f"All rules whose conditions hold vote.{click}")

    def _record_words(self, rules: RuleSet, fired: tuple[int, ...]) -> str:
        classes = rules.schema.classes
        if self._divided:
            return f"{self._record}: {self._divided}."
        if not rules.is_ordered:
            named = ", ".join(f"{name_of(rule)} ({classes[rules.decision_of(rule)]})" for rule in fired[:6])
            return f"{self._record}: {named} {'votes' if len(fired) == 1 else 'vote'}."
        words = f"{self._record}: {name_of(fired[0])} decides, {classes[rules.decision_of(fired[0])]}."
        others = [rule for rule in fired[1:] if rule != DEFAULT_RULE]
        against = [rule for rule in others if rules.decision_of(rule) != rules.decision_of(fired[0])]
        if others:
            named = ", ".join(f"{rule + 1}" for rule in others[:6]) + (", ..." if len(others) > 6 else "")
            words += f" Further down {'rule' if len(others) == 1 else 'rules'} {named} would fire too"
            words += f", {len(against)} of them for another class." if against else ", for the same class."
        return words

    def _say_detail(self, *_changed: object) -> None:
        """The rule in focus, whole."""
        rules, index = self.table.worded, self.list.currentIndex()
        if rules is None or not index.isValid() or index.row() >= self.table.n_shown:
            self._detail.hide()
            return
        rule = self.table.rule_of(index.row())
        said, counts = rules.schema.classes[rules.decision_of(rule)], rules.decided_by(rule)
        total, right = float(counts.sum()), float(counts[rules.decision_of(rule)])
        start = name_of(rule)
        words = f"{start[0].upper()}{start[1:]}: {typeset(if_words(rules, rule, at_most=30))}, then {said}."
        if total > 0:
            verb = "decides" if rules.is_ordered else "covers"
            words += f" It {verb} {records_words(total, 'training record')} and is right about {amount(right)}"
            words += f" ({percent(right / total)})."
        if rules.is_ordered and rule > 0:
            before = "the rule before does not fire" if rule == 1 else f"none of the {rule:,} rules before fires"
            words += (
                " It decides what the rules before leave." if rules.divides else f" It is asked only where {before}."
            )
        self._detail.setText(words)
        self._detail.show()

    def _say_inherits(self, *_changed: object) -> None:
        """What the rule in focus inherits, found in a job, where that is asked for."""
        if self._inheriting is not None:
            self._inheriting.stop()
            self._inheriting = None
        rules, rule = self.table.worded, self.focused_rule
        asked = (
            self._whole.isChecked()
            and not self._whole.isHidden()
            and rules is not None
            and rules.is_ordered
            and rule is not None
        )
        self._inherits.setVisible(asked)
        self._detail.setVisible(rule is not None and not asked)
        if not asked or rules is None or rule is None:
            return
        said = self._detail.text()
        known = self._space[1] if self._space is not None and self._space[0] is rules else None

        def work(context: RunContext | None) -> tuple[Space, str]:
            def pause() -> None:
                if context is not None:
                    context.checkpoint()
                    give_way()

            space = known or Space.of(rules, with_missing=not rules.divides, pause=pause)
            start = ["Where no value is missing:"] if rules.divides else []
            return space, "\n".join([said, *start, *inherited_words(rules, inherited(space, rule))])

        if self._jobs is None:
            self._inherited((rules, *work(None)))
        else:
            self._inheriting = self._jobs.start("", lambda context: (rules, *work(context)), on_done=self._inherited)

    def _inherited(self, found: tuple[RuleSet, Space, str]) -> None:
        self._inheriting = None
        self._space = found[0], found[1]
        self._inherits.setPlainText(found[2])

    # ---- widgets -----------------------------------------------------------------------------------------------------

    def _made_controls(self) -> QWidget:
        row, line = clear_row()
        self._whole = quiet_button(
            "What it inherits",
            "visualize.rules.whole",
            "Say of the rule in focus what it really says: that no rule before it fired",
        )
        self._whole.setCheckable(True)
        self._whole.toggled.connect(self._say_inherits)
        line.addWidget(self._whole)
        line.addWidget(self.export.button("visualize.rules.save"))
        return row
