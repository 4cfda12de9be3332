"""The viewer of rule sets: the list, its filter, overlaps and gaps, and export."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Final

from PySide6.QtCore import QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.learners.rules.rule_logic import (
    CellSpace,
    CounterExample,
    DataOverlap,
    WholeSpaceFindings,
    example_words,
    exclusive_words,
    exhaustive_words,
    inherited,
    inherited_words,
)
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet, if_words, name_of
from algorithms.text.numbers import percent, records_words, weight_text
from algorithms.text.sentences import counted, typeset
from workbench.jobs.jobs import Jobs, LatestTask, give_way
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import Export, ExportedDrawing, Table, rows_written
from workbench.viewers.original_units import IN_SHORT, TableNumbers, units_note, written_rules
from workbench.viewers.rules_list import (
    NARROW,
    ROW,
    RulesColumn,
    RulesList,
    RulesPainter,
    RulesTable,
)
from workbench.widgets.fields import ElidedComboBox, NumberField, SearchField, with_room
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import LinkLabel, WholeLabel, label, link, show_text
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, draw_text
from workbench.widgets.panes import ClearRow

FEW = 8
"""Up to this many rules need no search."""
MOST = 1_000_000_000
EVERY = "every class"
SELECT, EXAMPLE, HIDDEN = "select", "example", "hidden"
"""Where links lead."""


class RulesFilter(ClearWidget):
    """The filter of the rules: ``changed`` follows every change."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.search = SearchField("Find a rule: an attribute, a value, a class", "visualize.rules.find")
        self.search.setToolTip("Shows only the rules in whose words this stands")
        tip = "Shows only the rules that predict this class"
        self.classes = named(ElidedComboBox(), "visualize.rules.class", "Rules for this class", tip)
        self.classes.setMinimumWidth(themes.px(110))
        self.classes.setMaximumWidth(themes.px(220))
        self.least = named(
            NumberField(),
            "visualize.rules.least",
            "Records that a rule must decide to be shown",
            "Shows only the rules that decide at least so many training records",
        )
        with_room(self.least)
        self.least.setRange(0, MOST)
        self.least.setSuffix(" or more records")
        self.least.setSpecialValueText("any number of records")
        row_layout((self.search, 1), self.classes, self.least, 0, inside=self, spacing=6)
        self.search.textChanged.connect(self.changed)
        self.classes.currentIndexChanged.connect(self.changed)
        self.least.valueChanged.connect(self.changed)

    def set_rules(self, rules: RuleSet, *, are_edited: bool = False) -> None:
        """Resets the filter without a signal; keeps it if the rules are an edit."""
        if not are_edited:
            self.classes.offer([EVERY, *rules.schema.classes])
            with QSignalBlocker(self.search), QSignalBlocker(self.least):
                self.search.clear()
                self.least.setValue(0)
        set_visible(rules.n_rules > FEW, self.search, self.classes, self.least)
        self.least.setSuffix(f" or more {'decided' if rules.is_ordered else 'covered'}")

    @property
    def asked_class(self) -> int | None:
        """The code of the class filtered for; None for all."""
        return self.classes.currentIndex() - 1 if self.classes.currentIndex() > 0 else None

    @property
    def is_on(self) -> bool:
        return bool(self.search.text().strip()) or self.asked_class is not None or self.least.value() > 0

    @property
    def has_something(self) -> bool:
        return not self.search.isHidden()


class RulesLogic(ClearWidget):
    """Overlaps and gaps of the rules; ``select_asked`` has positions, ``example_asked`` a record."""

    select_asked = Signal(object, str)
    example_asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.answer: tuple[DataOverlap, WholeSpaceFindings] | None = None
        """The last results; None while unknown."""
        self.is_put_away = False
        self.exclusive = named(LinkLabel("", "dim"), "visualize.rules.exclusive")
        self.exhaustive = named(LinkLabel("", "dim"), "visualize.rules.exhaustive")
        column_layout(self.exclusive, self.exhaustive, inside=self, spacing=2)
        for line in (self.exclusive, self.exhaustive):
            line.linkActivated.connect(partial(self._follow, line))
        self.hide()

    def show_answer(self, rules: RuleSet, here: DataOverlap, there: WholeSpaceFindings) -> None:
        """Shows whether rules overlap or leave gaps: ``here`` among the records, ``there`` for all possible records."""
        self.answer = here, there
        _say_line(self.exclusive, exclusive_words(rules, here, there), len(here.several), rules, there.overlap)
        _say_line(self.exhaustive, exhaustive_words(rules, here, there), len(here.none), rules, there.gap)
        self.setVisible(not self.is_put_away)

    def drop(self) -> None:
        """Hides the sentences, because the rules changed or there is no data."""
        self.answer = None
        self.hide()

    def _follow(self, line: LinkLabel, link: str) -> None:
        if self.answer is None:
            return
        (here, there), is_overlap = self.answer, line is self.exclusive
        example = there.overlap if is_overlap else there.gap
        if link == SELECT:
            rows, how = (here.several, "meeting several rules") if is_overlap else (here.none, "meeting no rule")
            self.select_asked.emit(rows, how)
        elif example is not None:
            self.example_asked.emit(example)


def _say_line(line: LinkLabel, words: str, n: int, rules: RuleSet, example: CounterExample | None) -> None:
    """Says this with a link to the ``n`` records that show it, else to a possible record that would."""
    tip, way = "", link(SELECT, f"Select {counted(n, 'record')}") if n else ""
    if not n and example is not None:
        tip, way = f"{typeset(example_words(rules, example))}. Click to look at it.", link(EXAMPLE, "Show one")
    line.setToolTip(tip)
    line.setText(f"{escape(typeset(words), quote=False)} {way}".rstrip())


MOST_DRAWN: Final = 500
WIDTHS: Final = {
    RulesColumn.NUMBER: 64,
    RulesColumn.CONDITIONS: 560,
    RulesColumn.CLASS: 150,
    RulesColumn.RECORDS: 170,
    RulesColumn.RIGHT: 150,
    RulesColumn.CLASSES: 150,
}
LARGE: Final = 300


class ExportedRules(ExportedDrawing):
    """Exports the rules shown, in their order; the table has all rules in their own order."""

    name, title = "rules", "Rules"

    def __init__(self, table: RulesTable, painter: RulesPainter) -> None:
        self._table, self._painter = table, painter

    @property
    def is_large(self) -> bool:
        rules = self._table.rules
        return rules is not None and rules.n_rules > LARGE

    def size(self) -> QSize:
        if self._table.rules is None:
            return QSize()
        if self._table.n_shown > MOST_DRAWN:
            raise DataError(
                f"{self._table.n_shown:,} rules are too many for one picture.",
                remedy=f"Search for some of them: up to {MOST_DRAWN} can be drawn. The table has them all.",
            )
        width = sum(themes.px(room) for room in WIDTHS.values())
        return QSize(width, themes.px(ROW) * (self._table.n_shown + 1))

    def paint(self, painter: QPainter) -> None:
        row = themes.px(ROW)
        self._painter.dress()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for part, room in _cells(0, row):
            words = str(self._table.headerData(part, Qt.Orientation.Horizontal))
            place, color = room.adjusted(8, 0, -8, 0), current_theme().color("dim")
            draw_text(painter, place, words, color, themes.font(12, bold=True), MIDDLE_LEFT)
        for row_number in range(self._table.n_shown):
            cells = _cells((row_number + 1) * row, row)
            self._painter.paint_row(painter, self._table.rule_of(row_number), cells, chosen=False)

    def table(self) -> Table | None:
        rules, units = self._table.worded, units_note(self._table.is_rescaled)
        return None if rules is None else lambda delimiter: rows_written(rows_of(rules, units))(delimiter)


def _cells(top: int, height: int) -> list[tuple[int, QRect]]:
    left, cells = 0, []
    for part, room in WIDTHS.items():
        cells.append((int(part), QRect(left, top, themes.px(room), height)))
        left += themes.px(room)
    return cells


def rows_of(rules: RuleSet, units: str = "") -> list[list[str]]:
    """Heading, rules and default rule as rows of text; ``told`` names the units of numbers."""
    classes = rules.schema.classes
    rows = [["rule", f"if{units}", "then", "covers", "decides", "right", *(f"decides {label}" for label in classes)]]
    for rule in (*range(rules.n_rules), -1):
        decided = rules.decided_by(rule)
        covered = float(decided.sum()) if rule < 0 else float(rules.covered[rule].sum())
        right = float(decided[rules.decision_of(rule)])
        numbers = [f"{value:.12g}" for value in (covered, float(decided.sum()), right, *decided.tolist())]
        number = name_of(rule) if rule < 0 else str(rule + 1)
        rows.append([number, if_words(rules, rule, at_most=10_000), classes[rules.decision_of(rule)], *numbers])
    return rows


AT_ONCE: Final = 200
"""Up to this many rules are put into words without a job."""
INHERITS_HEIGHT: Final = 110


class RuleSetView(QWidget):
    """The viewer of rules; ``rule_chosen`` asks to select a rule's records, in a way (:class:`SelectionMode`)."""

    title = "Rules"
    facts_changed = Signal()
    rule_chosen = Signal(int, object)

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self._numbers: TableNumbers | None = None
        self._wording, self._inheriting = LatestTask(jobs), LatestTask(jobs)
        self._record, self._example, self._divided, self._selects = "", "", "", False
        self.table = RulesTable()
        self._painter = RulesPainter(self.table)
        self.list = RulesList(self.table, self._painter)
        self._how = named(label("", "dim", wrap=True), "visualize.rules.how")
        self._detail = named(WholeLabel(), "visualize.rules.detail")
        self._detail.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.filter = RulesFilter()
        self.search = self.filter.search
        self._space: tuple[RuleSet, CellSpace] | None = None
        self._match_count = named(LinkLabel("", "small"), "visualize.rules.found")
        self._match_count.linkActivated.connect(self._show_hidden)
        self.logic = RulesLogic()
        says = "The whole condition of the rule in focus, with the rules before it"
        self._inherits = named(QPlainTextEdit(), "visualize.rules.inherits", says)
        self._inherits.setReadOnly(True)
        self._inherits.setTabChangesFocus(True)
        self._inherits.setMaximumHeight(themes.px(INHERITS_HEIGHT))
        self._inherits.hide()
        above = self._how, self.logic, self.filter, self._match_count
        column_layout(*above, (self.list, 1), self._detail, self._inherits, inside=self, spacing=8)
        self.export = Export(ExportedRules(self.table, self._painter), jobs, self)
        self._whole = self._entry("whole", "Whole condition", "Also says that no rule before the rule in focus fired")
        self._whole.setCheckable(True)
        self._whole.toggled.connect(self._say_inherits)
        self._hide = self._entry("hide", "Hide the rule (H)", "Put the rule in focus out of sight")
        self._hide.triggered.connect(self._hide_rule)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.controls = ClearRow(self.export.button("visualize.rules.save"))
        self.filter.changed.connect(self._look)
        self.list.hide_asked.connect(self._hide_rule)
        self.list.bars_changed.connect(self._say_how)
        self.list.chosen.connect(self.rule_chosen)
        self.list.copy_asked.connect(self.export.copy_table)
        for changed in (self.list.selectionModel().currentRowChanged, self.table.modelReset):
            changed.connect(self._say_detail)
            changed.connect(self._say_inherits)

    def _entry(self, name: str, text: str, tip: str) -> QAction:
        """An entry about the rule in focus, in the menu of the view and that of the rule."""
        entry = QAction(text)
        entry.setObjectName(f"visualize.rules.{name}")
        entry.setToolTip(tip)
        self.list.addAction(entry)
        return self.export.offer(entry)

    def set_numbers(self, numbers: TableNumbers | None) -> None:
        self._numbers = numbers

    def set_structure(self, structure: RuleSet) -> None:
        self._wording.stop()
        self.table.set_rules(structure, self._numbers)
        self.filter.set_rules(structure, are_edited=self.table.is_edited)
        self._match_count.hide()
        self._record = self._example = self._divided = ""
        if not self.table.is_edited:
            self.list.horizontalHeader().setSortIndicator(int(RulesColumn.NUMBER), Qt.SortOrder.AscendingOrder)
        self._whole.setVisible(structure.is_ordered and structure.n_rules > 1)
        self._hide.setEnabled(structure.n_rules > 0)
        self._show_search()
        self._say_how()
        self._make_words(structure, self.table.worded or structure)
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

    def _make_words(self, structure: RuleSet, own: RuleSet) -> None:
        """Puts many rules into words in a job, because a search needs all at once; as well those of many records."""
        numbers = self._numbers
        self.search.setEnabled(True)
        if structure.n_rules <= AT_ONCE and not (numbers is not None and numbers.take_long):
            return

        def work(context: RunContext) -> tuple[RuleSet, list[str]]:
            rules, words = written_rules(structure, own, numbers, give_way), []
            for rule in range(rules.n_rules):
                if rule % 50 == 0:
                    context.checkpoint()
                    give_way()
                words.append(typeset(if_words(rules, rule)))
            return rules, words

        self.search.setEnabled(False)
        self._wording.run("", work, on_done=self._worded)

    def _worded(self, written: tuple[RuleSet, list[str]]) -> None:
        self.table.set_words(*written)
        self.search.setEnabled(True)
        if self.filter.is_on:
            self._look()

    def facts(self) -> str:
        rules = self.table.rules
        if rules is None:
            return ""
        return rules.info.facts + (f" · {IN_SHORT}" if self.table.is_rescaled else "")

    def _look(self) -> None:
        text = self.search.text() if self.search.isEnabled() else ""  # the words of many rules may not be ready
        self.table.look_for(text, self.filter.asked_class, float(self.filter.least.value()))
        self._say_found()

    def _say_found(self) -> None:
        rules = self.table.rules
        if rules is not None:
            shown, hidden = self.table.n_shown, self.table.n_hidden
            count = f"{shown:,} of {rules.n_rules + 1:,} rules" if shown else "No rule matches."
            way = link(HIDDEN, f"Show {counted(hidden, 'hidden rule')}") if hidden else ""
            show_text(self._match_count, f"{count} {way}".rstrip() if hidden or self.filter.is_on else "")

    @property
    def focused_rule(self) -> int | None:
        """The focused rule; None for none."""
        index = self.list.currentIndex()
        return self.table.rule_of(index.row()) if index.isValid() and index.row() < self.table.n_shown else None

    def focus_rule(self, rule: int) -> None:
        row = self.table.row_of(rule)
        if row is not None:
            self.list.setCurrentIndex(self.table.index(row, int(RulesColumn.CONDITIONS)))

    def _hide_rule(self) -> None:
        rule, row = self.focused_rule, self.list.currentIndex().row()
        if rule is None:
            return
        self.table.hide(rule)
        self._say_found()
        if self.table.n_shown:
            self.list.setCurrentIndex(self.table.index(min(row, self.table.n_shown - 1), int(RulesColumn.CONDITIONS)))

    def _show_hidden(self, *_link: object) -> None:
        self.table.show_hidden()
        self._say_found()

    def offer_selecting(self) -> None:
        """Says that a click selects the records of a rule."""
        self._selects = True
        self._say_how()

    def make_room(self, wanted: bool) -> None:
        """Hides all but the rules, to leave room for another pane."""
        self._how.setVisible(not wanted)
        self.logic.is_put_away = wanted
        self.logic.setVisible(not wanted and self.logic.answer is not None)

    def show_example(self, fired: tuple[int, ...], words: str) -> None:
        """Marks the rules that fire for a possible record, and describes the record."""
        self._example = words
        self.set_fired(fired or (DEFAULT_RULE,))

    def set_fired(self, fired: tuple[int, ...], record: str = "", *, divided: str = "") -> None:
        """Marks the rules that fire for this record, the deciding one first; ``divided`` says each part."""
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

    def _say_how(self) -> None:
        rules, fired = self.table.rules, self.table.fired
        if rules is None:
            self._how.setText("")
        elif self._example:
            self._how.setText(f"For example {self._example}.")
        elif self._record and fired:
            bars = self._bars_words(rules) if rules.is_ordered else ""
            self._how.setText(f"{self._record_words(rules, fired)}{bars}")
        elif rules.is_ordered:
            click = " Choose a rule to select the records that it decides." if self._selects else ""
            parts = " Several rules decide a part of a record without a value." if rules.divides else ""
            read = "Read from the top: the first rule whose conditions all hold decides."
            self._how.setText(f"{read}{parts}{click}{self._bars_words(rules)}")
        else:
            click = " Choose a rule to select the records that it covers." if self._selects else ""
            self._how.setText(f"All rules whose conditions hold vote.{click}")

    def _bars_words(self, rules: RuleSet) -> str:
        """What the bars of the column *Decides* show; empty without bars."""
        if not self.list.has_bars:
            return ""
        full = f" A full bar in Decides is {weight_text(self._painter.most(rules))} records"
        return (
            f"{full}; the faint part meets the rule, but an earlier rule decides it."
            if rules.n_rules > 1
            else f"{full}."
        )

    def _record_words(self, rules: RuleSet, fired: tuple[int, ...]) -> str:
        classes = rules.schema.classes
        if self._divided:
            return f"{self._record}: {self._divided}."
        if not rules.is_ordered:
            listed = ", ".join(f"{name_of(rule)} ({classes[rules.decision_of(rule)]})" for rule in fired[:6])
            return f"{self._record}: {listed} {'votes' if len(fired) == 1 else 'vote'}."
        words = f"{self._record}: {name_of(fired[0])} decides, {classes[rules.decision_of(fired[0])]}."
        others = [rule for rule in fired[1:] if rule != DEFAULT_RULE]
        against = [rule for rule in others if rules.decision_of(rule) != rules.decision_of(fired[0])]
        if others:
            listed = ", ".join(f"{rule + 1}" for rule in others[:6]) + (", ..." if len(others) > 6 else "")
            words += f" Further down {'rule' if len(others) == 1 else 'rules'} {listed} would fire too"
            some = "" if len(against) == len(others) else f"{len(against)} of them "
            words += f", {some}for another class (a conflict)." if against else ", for the same class."
        return words

    def _say_detail(self, *_changed: object) -> None:
        rules, index = self.table.worded, self.list.currentIndex()
        if rules is None or not index.isValid() or index.row() >= self.table.n_shown:
            self._detail.hide()
            return
        rule = self.table.rule_of(index.row())
        label, counts = rules.schema.classes[rules.decision_of(rule)], rules.decided_by(rule)
        total, right = float(counts.sum()), float(counts[rules.decision_of(rule)])
        start = name_of(rule)
        words = f"{start[0].upper()}{start[1:]}: {typeset(if_words(rules, rule, at_most=30))}, then {label}."
        if total > 0:
            verb = "decides" if rules.is_ordered else "covers"
            words += f" It {verb} {records_words(total, 'training record')}: {weight_text(right)} of"
            words += f" {weight_text(total)} correct ({percent(right / total, total)})."
        if rules.is_ordered and rule > 0:
            before = "the rule before does not fire" if rule == 1 else f"none of the {rule:,} rules before fires"
            words += (
                " It decides what the rules before leave." if rules.divides else f" It is asked only where {before}."
            )
        self._detail.setText(words)
        self._detail.show()

    def _say_inherits(self, *_changed: object) -> None:
        """Computes in a job what the focused rule inherits, if that is asked for."""
        self._inheriting.stop()
        rules, rule = self.table.worded, self.focused_rule
        asked = (
            self._whole.isChecked()
            and self._whole.isVisible()
            and rules is not None
            and rules.is_ordered
            and rule is not None
        )
        self._inherits.setVisible(asked)
        self._detail.setVisible(rule is not None and not asked)
        if not asked or rules is None or rule is None:
            return
        detail = self._detail.text()
        own_space = self._space[1] if self._space is not None and self._space[0] is rules else None

        def work(context: RunContext) -> tuple[RuleSet, CellSpace, str]:
            def pause() -> None:
                context.checkpoint()
                give_way()

            space = own_space or CellSpace.of(rules, with_missing=not rules.divides, pause=pause)
            start = ["Where no value is missing:"] if rules.divides else []
            return rules, space, "\n".join([detail, *start, *inherited_words(rules, inherited(space, rule))])

        self._inheriting.run("", work, on_done=self._inherited)

    def _inherited(self, result: tuple[RuleSet, CellSpace, str]) -> None:
        self._space = result[0], result[1]
        self._inherits.setPlainText(result[2])
