"""The rules of a model as a painted list: rows, order, cells and keys."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from math import ceil
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView

from algorithms.data.columns import FloatArray, IntArray
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet, if_words
from algorithms.text.numbers import UNDEFINED, percent, weight_text
from algorithms.text.sentences import BRIEF_NAMES, in_brief, typeset, without_thousands
from workbench.session.selection import how_by_keys
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.original_units import TableNumbers, rules_in_own_units, written_rules
from workbench.widgets.labels import elided, elided_at_end
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT, draw_text, pen_and_brush
from workbench.widgets.tables import CellsModel, PaintedTable, VisibleCells, set_row_height, show_as_list

_ALIKE: Final = 0.5
"""Least share of equal conditions between a rule set and its edit, because edits change one thing at a time."""


def is_edit_of(new: RuleSet, old: RuleSet) -> bool:
    """Whether rules are likely an edit of the old ones, not those of another run."""
    if new.schema != old.schema or abs(new.n_rules - old.n_rules) > 1 or new.is_ordered != old.is_ordered:
        return False
    some, more = sorted((_conditions(new), _conditions(old)), key=len)
    return len(some) == 0 or float(np.isin(some, more).mean()) >= _ALIKE


def places_now(old: RuleSet, new: RuleSet, rules: Iterable[int]) -> set[int]:
    """The places in ``new`` of some rules of ``old``; rules that are gone are left out."""
    places = set[int]()
    own, other = _conditions(old), _conditions(new)
    for rule in rules:
        if rule == DEFAULT_RULE:
            places.add(rule)
            continue
        own_conditions = own[list(old.conditions(rule))]
        alike = (new.decision == old.decision[rule]) & (np.diff(new.rule_start) == len(own_conditions))
        for place in np.flatnonzero(alike).tolist():
            if place not in places and np.array_equal(other[list(new.conditions(place))], own_conditions):
                places.add(place)
                break
    return places


def _conditions(rules: RuleSet) -> NDArray[np.void]:
    columns: list[FloatArray] = [
        rules.attribute.astype(np.float64),
        np.nan_to_num(rules.low),
        np.nan_to_num(rules.high),
        rules.low_is_open.astype(np.float64),
        rules.takes_missing.astype(np.float64),
        _values(rules),
    ]
    table = np.ascontiguousarray(np.column_stack(columns))
    return table.view(np.dtype((np.void, table.dtype.itemsize * table.shape[1]))).ravel()


def _values(rules: RuleSet) -> FloatArray:
    """A number for the values that each condition lists; different lists get different numbers, but for rare chance."""
    keys = np.zeros(rules.n_conditions)
    listed = np.flatnonzero(rules.offset >= 0)
    if len(listed):
        starts = rules.offset[listed].astype(np.int64)
        own = np.append(rules.value_in, 0)
        offset = np.arange(len(own)) - np.repeat(starts, np.diff(np.append(starts, len(own))))
        keys[listed] = np.add.reduceat(own * np.random.default_rng(1).random(len(own))[offset], starts)
    return keys


def _compared(words: str) -> str:
    """Words in the form in which a search compares them."""
    return without_thousands(typeset(words.casefold()))


class RulesColumn(IntEnum):
    NUMBER = 0
    CONDITIONS = 1
    CLASS = 2
    RECORDS = 3
    RIGHT = 4
    CLASSES = 5


HEADS: Final = {
    RulesColumn.NUMBER: (
        "Rule",
        "The place in the list: the first rule that fires decides. A later one that fires for another class conflicts",
    ),
    RulesColumn.CONDITIONS: ("If", "The conditions, which must all hold; a missing value fails them"),
    RulesColumn.CLASS: ("Then", "The class that the rule predicts"),
    RulesColumn.RECORDS: (
        "Decides",
        "The training records that it decides; the faint part meets it, but an earlier rule decides it",
    ),
    RulesColumn.RIGHT: (
        "Precision",
        "How many of the training records that it decides are of the class that it predicts",
    ),
    RulesColumn.CLASSES: ("Classes", "The classes of the training records that it decides"),
}
VOTING: Final = {
    RulesColumn.NUMBER: ("Rule", "All rules that fire vote"),
    RulesColumn.RECORDS: ("Covers", "The training records that meet its conditions"),
    RulesColumn.RIGHT: (
        "Precision",
        "How many of the training records that it covers are of the class that it predicts",
    ),
    RulesColumn.CLASSES: ("Classes", "The classes of the training records that it covers"),
}


class RulesTable(CellsModel):
    """A row per rule, the default rule last until sorted; text is made for visible rows only."""

    def __init__(self) -> None:
        super().__init__()
        self.rules: RuleSet | None = None
        self.worded: RuleSet | None = None
        """The rules with numbers in original units, and thresholds of few digits."""
        self.is_rescaled = False
        self._order: IntArray = np.zeros(0, dtype=np.int64)
        self._shown: IntArray = self._order
        self._words: dict[int, str] = {}
        self._looked_for = ""
        self._class: int | None = None
        self._least = 0.0
        self._hidden: set[int] = set()
        self._sorted = (int(RulesColumn.NUMBER), Qt.SortOrder.AscendingOrder)
        self.is_edited = False
        """Whether the rules are an edit of those shown before."""
        self.fired: tuple[int, ...] = ()
        self._in_parts = False
        """The rules that fire for the record in question, the deciding one first."""

    def set_rules(self, rules: RuleSet | None, numbers: TableNumbers | None = None) -> None:
        """Shows these rules; an edit keeps hiding and sorting; ``numbers`` says how they are written.

        If that takes long, bounds have all digits until :meth:`set_words`.
        """
        before, sorted_by = self.rules, self._sorted
        is_edit = before is not None and rules is not None and is_edit_of(rules, before)
        hidden = places_now(before, rules, self._hidden) if is_edit and before and rules else set[int]()
        worded = None if rules is None else rules_in_own_units(rules, None if numbers is None else numbers.unscaled)
        self.is_rescaled = worded is not rules
        if rules is not None and worded is not None and not (numbers is not None and numbers.take_long):
            worded = written_rules(rules, worded, numbers)
        self._show_anew(rules, worded)
        self.is_edited = is_edit
        if is_edit:
            self._hidden = hidden
            self._choose()
            self.sort(*sorted_by)

    def _show_anew(self, rules: RuleSet | None, worded: RuleSet | None) -> None:
        self.beginResetModel()
        self.rules, self.worded = rules, worded
        self._words, self._looked_for, self.fired = {}, "", ()
        self._class, self._least, self._hidden = None, 0.0, set()
        self._sorted = (int(RulesColumn.NUMBER), Qt.SortOrder.AscendingOrder)
        self._order = (
            np.zeros(0, dtype=np.int64) if rules is None else np.append(np.arange(rules.n_rules), DEFAULT_RULE)
        )
        self._shown = self._order
        self.endResetModel()

    def set_words(self, worded: RuleSet, words: Sequence[str]) -> None:
        """Takes the rules as written, and the conditions of all of them in words, made in a job."""
        is_new, self.worded, self._words = worded is not self.worded, worded, dict(enumerate(words))
        if is_new and self.n_shown:
            self.dataChanged.emit(self.index(0, 0), self.index(self.n_shown - 1, len(RulesColumn) - 1))
        if self._looked_for:
            self._choose()

    def look_for(self, text: str, code: int | None = None, least: float = 0.0) -> None:
        """Shows only rules that contain the text, predict the class, and decide at least this weight."""
        self._looked_for, self._class, self._least = _compared(text.strip()), code, least
        self._choose()

    def hide(self, rule: int) -> None:
        self._hidden.add(rule)
        self._choose()

    def show_hidden(self) -> None:
        self._hidden.clear()
        self._choose()

    @property
    def n_hidden(self) -> int:
        return len(self._hidden)

    def _choose(self) -> None:
        rules = self.rules
        if rules is None:
            return
        self.beginResetModel()
        shown_rules = self._order
        if self._class is not None:
            shown_rules = shown_rules[np.append(rules.decision, rules.default_decision)[shown_rules] == self._class]
        if self._least > 0:
            shown_rules = shown_rules[
                np.append(rules.decided.sum(axis=1), rules.default_counts.sum())[shown_rules] >= self._least
            ]
        kept = shown_rules.tolist()
        if self._hidden:
            kept = [rule for rule in kept if rule not in self._hidden]
        if self._looked_for:
            kept = [rule for rule in kept if self._looked_for in _compared(self.sentence(rule))]
        self._shown = np.array(kept, dtype=np.int64)
        self.endResetModel()

    @property
    def n_shown(self) -> int:
        return len(self._shown)

    def rule_of(self, row: int) -> int:
        return int(self._shown[row])

    def row_of(self, rule: int) -> int | None:
        rows = np.flatnonzero(self._shown == rule)
        return int(rows[0]) if len(rows) else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts the rules by a column; ties keep their own order, and the focus stays on its rule."""
        rules = self.rules
        if rules is None or (column, order) == self._sorted:
            return
        self._sorted = column, order
        own = np.append(np.arange(rules.n_rules), DEFAULT_RULE)
        keys = self._keys(rules, column)
        by = np.argsort(keys if order == Qt.SortOrder.AscendingOrder else -keys, kind="stable")
        self.layoutAboutToBeChanged.emit()
        self._order = own[by]
        kept = set(self._shown.tolist())
        before, held = self._shown, self.persistentIndexList()
        self._shown = np.array([rule for rule in self._order.tolist() if rule in kept], dtype=np.int64)
        places = {rule: row for row, rule in enumerate(self._shown.tolist())}
        moved = [self.index(places[int(before[index.row()])], index.column()) for index in held]
        self.changePersistentIndexList(held, moved)
        self.layoutChanged.emit()

    def _keys(self, rules: RuleSet, column: int) -> FloatArray:
        decided = np.vstack([rules.decided, rules.default_counts])
        if column == RulesColumn.CONDITIONS:
            starts, sizes = rules.rule_start[:-1], np.diff(rules.rule_start)
            first = np.append(rules.attribute, [-1])[np.where(sizes > 0, starts, -1)]
            return np.append(first, len(rules.schema)).astype(np.float64)
        if column in (RulesColumn.CLASS, RulesColumn.CLASSES):
            return np.append(rules.decision, rules.default_decision).astype(np.float64)
        if column == RulesColumn.RECORDS:
            return np.asarray(decided.sum(axis=1))
        if column == RulesColumn.RIGHT:
            return np.array([self.right_share(rule) for rule in (*range(rules.n_rules), DEFAULT_RULE)])
        return np.arange(rules.n_rules + 1, dtype=np.float64)

    def right_share(self, rule: int) -> float:
        """The share of a rule's training decisions that are right; 0 without decisions."""
        assert self.rules is not None
        counts = self.rules.decided_by(rule)
        total = float(counts.sum())
        return float(counts[self.rules.decision_of(rule)]) / total if total > 0 else 0.0

    def conditions(self, rule: int) -> str:
        assert self.worded is not None
        if rule not in self._words:
            self._words[rule] = typeset(if_words(self.worded, rule))
        return self._words[rule]

    def sentence(self, rule: int) -> str:
        """A whole rule: its conditions and its class."""
        assert self.rules is not None
        return f"{self.conditions(rule)} then {self.rules.schema.classes[self.rules.decision_of(rule)]}"

    def place_words(self, rule: int) -> str:
        """The number of a rule, and whether it fires, decides or conflicts for the record in question."""
        number = "else" if rule == DEFAULT_RULE else f"{rule + 1:,}"
        if rule not in self.fired:
            return number
        assert self.rules is not None
        if self._in_parts:
            return f"{number}: in part"
        decides = rule == self.fired[0] and self.rules.is_ordered
        return f"{number}: {'decides' if decides else 'conflicts' if self.conflicts(rule) else 'fires'}"

    def conflicts(self, rule: int) -> bool:
        """Whether the rule fires for the record in question after one that decides another class."""
        rules = self.rules
        if rules is None or not rules.is_ordered or self._in_parts or rule not in self.fired:
            return False
        return rules.decision_of(rule) != rules.decision_of(self.fired[0])

    def rule_text(self, rule: int, part: int) -> str:
        rules = self.rules
        assert rules is not None
        counts = rules.decided_by(rule)
        if part == RulesColumn.NUMBER:
            return self.place_words(rule)
        if part == RulesColumn.CONDITIONS:
            return self.conditions(rule)
        if part == RulesColumn.CLASS:
            return rules.schema.classes[rules.decision_of(rule)]
        if part == RulesColumn.RECORDS:
            return weight_text(float(counts.sum()))
        if part == RulesColumn.RIGHT:
            return percent(self.right_share(rule), float(counts.sum())) if counts.sum() > 0 else UNDEFINED
        by_class = [(float(n), name) for n, name in zip(counts, rules.schema.classes, strict=True) if n > 0]
        return ", ".join(f"{name} {weight_text(n)}" for n, name in sorted(by_class, key=lambda pair: -pair[0]))

    def rule_tip(self, rule: int, part: int) -> str:
        rules = self.rules
        assert rules is not None
        if part == RulesColumn.RIGHT and not rules.decided_by(rule).sum():
            return "It decides no training record"
        if part != RulesColumn.RECORDS or rule == DEFAULT_RULE or not rules.is_ordered:
            return self.rule_text(rule, part)
        covered, decided = float(rules.covered[rule].sum()), float(rules.decided[rule].sum())
        before = f", {weight_text(covered - decided)} of them are decided by earlier rules" if covered > decided else ""
        return f"{weight_text(covered)} training records meet its conditions{before}"

    def size(self) -> tuple[int, int]:
        return len(self._shown), len(RulesColumn)

    def heading(self, column: int) -> str:
        return self._head(column)[0]

    def heading_tip(self, column: int) -> str:
        return f"{self._head(column)[1]}. Click to sort by it."

    def _head(self, column: int) -> tuple[str, str]:
        votes = self.rules is not None and not self.rules.is_ordered
        return (VOTING if votes else {}).get(RulesColumn(column), HEADS[RulesColumn(column)])

    def text(self, row: int, column: int) -> str:
        return self.rule_text(self.rule_of(row), column)

    def tip(self, row: int, column: int) -> str | None:
        return self.rule_tip(self.rule_of(row), column)

    def value(self, row: int, column: int, role: int) -> Any:
        return self.text(row, column) if role == Qt.ItemDataRole.AccessibleTextRole else None

    def set_fired(self, fired: Sequence[int], *, in_parts: bool = False) -> None:
        """Marks the rules that fire, the deciding one first, or ``in_parts`` all; empty for none."""
        self.fired, self._in_parts = tuple(fired), in_parts
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, 0))


ROW: Final = 30
GAP: Final = 8
BAR: Final = 10
NEAR: Final = 12
"""Number of rules before and after, from which an elided rule must differ."""
TWO_LINES: Final = 40
"""Height of a row with two lines of conditions."""
AND: Final = " and "
BRIEFER_NAMES: Final = (12, 10, 8)
"""Lengths of names in two narrow lines, to keep the conditions whole."""
TICK: Final = 3
"""How far the mark at the end of a full bar stands out above and below it."""
NUMBERS: Final = 62
"""Width of the number beside a bar."""


class RulesPainter:
    """Paints cells of a :class:`RulesTable` in the current theme."""

    def __init__(self, table: RulesTable) -> None:
        self._table = table
        self._heaviest: tuple[RuleSet | None, float] = (None, 1.0)
        self.dress()

    def dress(self) -> None:
        self._look = StructureColors(current_theme())
        self._font, self._bold = themes.font(13), themes.font(13, bold=True)
        self._small = themes.font(12)

    def most(self, rules: RuleSet) -> float:
        """The largest coverage of any rule: the length of a full bar."""
        if self._heaviest[0] is not rules:
            sums = np.append(rules.covered.sum(axis=1), rules.default_counts.sum())
            self._heaviest = rules, float(sums.max(initial=1.0)) or 1.0
        return self._heaviest[1]

    def paint_row(
        self, painter: QPainter, rule: int, cells: Sequence[tuple[int, QRect]], *, chosen: bool, focused: bool = False
    ) -> None:
        """Paints the cells of a rule, each with its column and rectangle."""
        rules = self._table.rules
        if rules is None or not cells:
            return
        look, first, last = self._look, cells[0][1], cells[-1][1]
        whole = QRectF(first.left(), first.top(), last.right() - first.left() + 1, first.height())
        fires, conflicts = rule in self._table.fired, self._table.conflicts(rule)
        if chosen or conflicts:
            painter.fillRect(whole, look.accent_soft if chosen else look.found_soft)
        if fires:
            edge = QRectF(whole.left(), whole.top(), themes.px(3), whole.height())
            painter.fillRect(edge, look.found if conflicts else look.accent)
        painter.setPen(QPen(look.line, 1))
        painter.drawLine(whole.bottomLeft(), whole.bottomRight())
        for part, room in cells:
            self._paint_cell(painter, rules, rule, part, QRectF(room).adjusted(GAP, 0, -GAP, 0))
        if focused:
            pen_and_brush(painter, QPen(look.accent, 2))
            painter.drawRect(whole.adjusted(1, 1, -1, -1))

    def _paint_cell(self, painter: QPainter, rules: RuleSet, rule: int, part: int, room: QRectF) -> None:
        look, text = self._look, self._table.rule_text(rule, part)
        if part == RulesColumn.NUMBER:
            fires = rule in self._table.fired
            self._words(painter, room, text, self._bold if fires else self._small, look.text if fires else look.dim)
        elif part == RulesColumn.CONDITIONS:
            colour = look.dim if rule == DEFAULT_RULE else look.text
            lines = self.lines(rule, room.width(), 2 if room.height() >= themes.px(TWO_LINES) else 1)
            height = QFontMetricsF(self._font).height()
            top = room.center().y() - height * len(lines) / 2
            for line_number, words in enumerate(lines):
                line = QRectF(room.left(), top + line_number * height, room.width(), height)
                self._words(painter, line, words, self._font, colour)
        elif part == RulesColumn.CLASS:
            radius = themes.px(4.5)
            draw_symbol(
                painter, look, rules.decision_of(rule), QPointF(room.left() + radius, room.center().y()), radius
            )
            beside = room.adjusted(2 * radius + 6, 0, 0, 0)
            brief = elided(QFontMetricsF(self._font), text, beside.width(), rules.schema.classes)
            self._words(painter, beside, brief, self._font, look.text)
        elif part == RulesColumn.RECORDS:
            decided = float(rules.decided_by(rule).sum())
            covered = decided if rule == DEFAULT_RULE else float(rules.covered[rule].sum())
            most = self.most(rules)
            faint = QColor(look.accent)
            faint.setAlpha(70)
            self._bar(painter, room, text, ((covered / most, faint), (decided / most, look.accent)))
        elif part == RulesColumn.RIGHT:
            share = self._table.right_share(rule)
            code = rules.decision_of(rule)
            self._bar(painter, room, text, ((share, look.class_color(code)),), look.pattern(code))
        else:
            self._classes(painter, rules, rule, room)

    def lines(self, rule: int, width: float, most: int) -> tuple[str, ...]:
        """A rule's conditions in at most ``most`` lines (1 or 2) of ``width`` pixels, split between two conditions."""
        whole, metrics = self.brief_conditions(rule, width), QFontMetricsF(self._font)
        text = self._table.rule_text(rule, RulesColumn.CONDITIONS)
        if most == 1 or whole == text or AND not in text or self._table.rules is None:
            return (whole,)
        names = self._table.rules.schema.names
        first, rest = whole, ""
        for brief in (text, *(in_brief(text, names, length) for length in (*BRIEF_NAMES, *BRIEFER_NAMES))):
            conditions = brief.split(AND)
            for split in range(len(conditions) - 1, 0, -1):
                first, rest = f"{AND.join(conditions[:split])}{AND.rstrip()}", AND.join(conditions[split:])
                if metrics.horizontalAdvance(first) <= width:
                    break
            if max(metrics.horizontalAdvance(first), metrics.horizontalAdvance(rest)) <= width:
                break
        return first, rest

    def is_cut(self, rule: int, width: float) -> bool:
        """Whether a rule's whole conditions need more than ``width`` pixels."""
        text = self._table.rule_text(rule, RulesColumn.CONDITIONS)
        return QFontMetricsF(self._font).horizontalAdvance(text) > width

    def class_width(self) -> int:
        """Width of the column of classes with whole names."""
        rules, metrics = self._table.rules, QFontMetricsF(self._font)
        names = () if rules is None else rules.schema.classes
        longest = max(map(metrics.horizontalAdvance, names), default=0.0)
        return max(themes.px(LEAST_CLASS), ceil(2 * GAP + 2 * themes.px(4.5) + 6 + longest) + 1)

    def brief_conditions(self, rule: int, width: float) -> str:
        """A rule's conditions in ``width`` pixels: with short names, or elided to differ from nearby rules."""
        rules, text = self._table.rules, self._table.rule_text(rule, RulesColumn.CONDITIONS)
        if rules is None:
            return text
        metrics, names = QFontMetricsF(self._font), rules.schema.names
        for words in (text, *(in_brief(text, names, most) for most in BRIEF_NAMES)):
            if metrics.horizontalAdvance(words) <= width:
                return words
        near = [other for other in range(rule - NEAR, rule + NEAR + 1) if 0 <= other < rules.n_rules and other != rule]
        others = (
            in_brief(self._table.rule_text(other, RulesColumn.CONDITIONS), names, BRIEF_NAMES[-1]) for other in near
        )
        return elided(metrics, words, width, tuple(others))

    def _words(
        self,
        painter: QPainter,
        room: QRectF,
        text: str,
        font: QFont,
        color: QColor,
        align: Qt.AlignmentFlag = MIDDLE_LEFT,
    ) -> None:
        elided = elided_at_end(QFontMetricsF(font), text, room.width())
        draw_text(painter, room, elided, color, font, align)

    def _bar(
        self,
        painter: QPainter,
        room: QRectF,
        text: str,
        shares: Sequence[tuple[float, QColor]],
        pattern: QBrush | None = None,
    ) -> None:
        """Paints a number, and bars of these shares over each other, with the pattern of a class.

        A tick marks the end of a full bar."""
        numbers = min(float(themes.px(NUMBERS)), room.width())
        number_box = QRectF(room.left(), room.top(), numbers, room.height())
        self._words(painter, number_box, text, self._small, self._look.text, MIDDLE_RIGHT)
        height = themes.px(BAR)
        bar = QRectF(room.left() + numbers + GAP, room.center().y() - height / 2, room.width() - numbers - GAP, height)
        if bar.width() < 8:
            return
        painter.fillRect(bar, self._look.soft)
        for share, color in shares:
            part = QRectF(bar.left(), bar.top(), bar.width() * min(1.0, share), height)
            painter.fillRect(part, color)
            if pattern is not None:
                painter.fillRect(part, pattern)
        tick = themes.px(TICK)
        painter.fillRect(QRectF(bar.right() - 1, bar.top() - tick, 1, height + 2 * tick), self._look.dim)

    def _classes(self, painter: QPainter, rules: RuleSet, rule: int, room: QRectF) -> None:
        counts = rules.decided_by(rule)
        total, height = float(counts.sum()), float(themes.px(BAR))
        bar = QRectF(room.left(), room.center().y() - height / 2, room.width(), height)
        painter.fillRect(bar, self._look.soft)
        left = bar.left()
        for code in np.flatnonzero(counts > 0).tolist() if total > 0 else []:
            piece = QRectF(left, bar.top(), bar.width() * float(counts[code]) / total, height)
            painter.fillRect(piece, self._look.class_color(code))
            pattern = self._look.pattern(code)
            if pattern is not None:
                painter.fillRect(piece, pattern)
            left = piece.right()


WIDEST_CONDITIONS: Final = 1000
"""The most pixels of the conditions, so that the eye finds the class of a rule in a wide window."""
NARROW: Final = 420
"""Width below which conditions get two lines."""
HIGH_ROW: Final = 44
LEAST_ROWS: Final = 2
MARKED: Final = 112
"""Width of a rule's number with the note that it fires."""
WIDTHS: Final = {
    RulesColumn.NUMBER: 56,
    RulesColumn.CLASS: 130,
    RulesColumn.RECORDS: 170,
    RulesColumn.RIGHT: 150,
    RulesColumn.CLASSES: 130,
}
LEAST_CLASS: Final = 84
MOST_OF_CLASS: Final = 0.24
"""Part of the width of the list that whole class names may take."""
LEAST_CONDITIONS: Final = 260
ROOMY_CONDITIONS: Final = 420
"""Width of conditions beside long class names, for which the bars shrink."""
CLOSER: Final = 0.75
"""Share of the width of columns with bars before any is hidden."""
LEAST_IN_TWO_LINES: Final = 150
"""Width of conditions in two lines, beside columns with numbers but no bars."""
GIVEN_UP: Final = (RulesColumn.CLASSES, RulesColumn.RIGHT, RulesColumn.RECORDS)
"""The columns hidden, in this order, when the conditions lack width; the latter two lose their bars before."""


class RulesList(PaintedTable):
    """The view of the rules; a click, Enter or Space ``chosen``, Ctrl+C ``copy_asked``, H ``hide_asked``."""

    chosen = Signal(int, object)
    copy_asked = Signal()
    hide_asked = Signal()
    bars_changed = Signal()

    def __init__(self, table: RulesTable, painter: RulesPainter) -> None:
        super().__init__()
        self._table, self._painter = table, painter
        self.has_bars = True
        """Whether there is room for bars beside numbers."""
        self._width_of_bars = 0
        named(self, "visualize.rules", "Rules")
        self.setModel(table)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = show_as_list(self)
        header.setSortIndicator(int(RulesColumn.NUMBER), Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.clicked.connect(self._clicked)
        table.modelReset.connect(self._start_over)
        themes.follow_now(self._dress)

    def _dress(self) -> None:
        self._painter.dress()
        self.setMinimumHeight(themes.px(ROW * LEAST_ROWS))
        self.arrange()
        self.viewport().update()

    def _clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(self._table.rule_of(index.row()), how_by_keys(QGuiApplication.keyboardModifiers()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+C copies all rules, Enter and Space choose the focused one."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.currentIndex().isValid():
            self.chosen.emit(self._table.rule_of(self.currentIndex().row()), how_by_keys(event.modifiers()))
        elif event.key() == Qt.Key.Key_H and not event.modifiers():
            self.hide_asked.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    def _start_over(self) -> None:
        self.has_bars = True
        self.arrange()

    def arrange(self) -> None:
        """Gives the conditions the remaining width; if that is too little, removes bars, then hides columns."""
        room = self.viewport().width()
        widths = {part: themes.px(width) for part, width in WIDTHS.items()}
        if self._table.fired:
            widths[RulesColumn.NUMBER] = themes.px(MARKED)
        classes, usual = self._painter.class_width(), widths[RulesColumn.CLASS]
        most = themes.px(96) if room < themes.px(NARROW) else max(usual, round(MOST_OF_CLASS * room))
        widths[RulesColumn.CLASS] = min(classes, most)
        wanted = LEAST_CONDITIONS if classes <= usual else ROOMY_CONDITIONS
        if room - sum(widths.values()) < themes.px(wanted):
            widths |= {part: round(CLOSER * widths[part]) for part in GIVEN_UP}
        gone: list[RulesColumn] = []
        least, has_bars = themes.px(LEAST_CONDITIONS), True

        def lacks_room() -> bool:
            return room - sum(width for part, width in widths.items() if part not in gone) < least

        for part in GIVEN_UP:
            if gone and has_bars and lacks_room():
                widths |= {number: self._width_of_numbers(number) for number in GIVEN_UP[1:]}
                widths[RulesColumn.NUMBER] = round(CLOSER * widths[RulesColumn.NUMBER])
                least, has_bars = themes.px(LEAST_IN_TWO_LINES), False
            if lacks_room():
                gone.append(part)
        rest = room - sum(width for part, width in widths.items() if part not in gone)
        widths[RulesColumn.CONDITIONS] = min(max(rest, themes.px(120)), themes.px(WIDEST_CONDITIONS))
        for part in RulesColumn:
            self.setColumnHidden(part, part in gone)
            self.setColumnWidth(part, widths[part])
        is_high = not has_bars or room < themes.px(NARROW) or self._has_room_for_two_lines()
        set_row_height(self, themes.px(HIGH_ROW if is_high else ROW))
        self._follow_bars(has_bars)

    def _follow_bars(self, has_bars: bool) -> None:
        """Tells that bars came or went; at one width they do not come back, or words about them could come and go."""
        if has_bars < self.has_bars or (has_bars > self.has_bars and self.width() != self._width_of_bars):
            self.has_bars, self._width_of_bars = has_bars, self.width()
            self.bars_changed.emit()

    def _width_of_numbers(self, column: RulesColumn) -> int:
        """The width of a column of numbers without bars: that of its head or its widest number."""
        rules, header = self._table.rules, self.horizontalHeader()
        most = 0.0 if rules is None else self._painter.most(rules)
        number = percent(1.0) if column == RulesColumn.RIGHT else weight_text(most)
        header.ensurePolished()
        widest = max(
            QFontMetricsF(themes.font(12)).horizontalAdvance(number),
            QFontMetricsF(header.font()).horizontalAdvance(self._table.heading(column)),
        )
        return ceil(widest) + 2 * GAP + 1

    def _has_room_for_two_lines(self) -> bool:
        """Whether all rows are in view with two lines of conditions, and some rule needs them."""
        rules, width = self._table.rules, self.columnWidth(RulesColumn.CONDITIONS) - 2 * GAP
        if rules is None or (rules.n_rules + 1) * themes.px(HIGH_ROW) > self.viewport().height():
            return False
        return any(self._painter.is_cut(rule, width) for rule in range(rules.n_rules))

    def paint_cells(self, painter: QPainter, sight: VisibleCells) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for row, chosen in zip(sight.rows, sight.has_chosen(), strict=True):
            cells = [(column.at, sight.rect(row, column)) for column in sight.columns]
            focused = self.hasFocus() and self.currentIndex().row() == row.at
            self._painter.paint_row(painter, self._table.rule_of(row.at), cells, chosen=chosen, focused=focused)
