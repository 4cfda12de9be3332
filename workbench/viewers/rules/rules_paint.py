"""How a rule is painted: words, a bar of the records it decides, a bar of how right it is, the classes in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet
from workbench.style.structure_colors import Look, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.style.wording import BRIEF_NAMES, in_brief
from workbench.viewers.rules.rules_table import Part, RulesTable
from workbench.widgets.elision import elided

ROW: Final = 30
GAP: Final = 8
BAR: Final = 10
NEAR: Final = 12
"""A rule that is cut is told from so many before it and behind."""
TWO_LINES: Final = 40
"""A row so high has two lines of conditions."""
AND: Final = " and "
BRIEFER_NAMES: Final = (12, 10, 8)
"""In two lines that are narrow names may be so short: what is asked of them stays whole."""
NUMBERS: Final = 62
"""Room for the number beside a bar."""


class RulesPainter:
    """Paints cells of a :class:`RulesTable` in the theme worn now."""

    def __init__(self, table: RulesTable) -> None:
        self._table = table
        self._heaviest: tuple[RuleSet | None, float] = (None, 1.0)
        self.dress()

    def dress(self) -> None:
        """Take the colours and fonts of the theme."""
        self._look = Look(current_theme())
        self._font, self._bold = themes.font(13), themes.font(13, bold=True)
        self._small = themes.font(12)

    def _most(self, rules: RuleSet) -> float:
        """The most records that any rule covers: the length of a whole bar."""
        if self._heaviest[0] is not rules:
            sums = np.append(rules.covered.sum(axis=1), rules.default_counts.sum())
            self._heaviest = rules, float(sums.max(initial=1.0)) or 1.0
        return self._heaviest[1]

    def paint_row(
        self, painter: QPainter, rule: int, cells: Sequence[tuple[int, QRect]], *, chosen: bool, focused: bool = False
    ) -> None:
        """Paint the cells of a rule, each a column and its room."""
        rules = self._table.rules
        if rules is None or not cells:
            return
        look, first, last = self._look, cells[0][1], cells[-1][1]
        whole = QRectF(first.left(), first.top(), last.right() - first.left() + 1, first.height())
        fires = rule in self._table.fired
        if chosen or fires:
            painter.fillRect(whole, look.accent_soft if chosen else look.found_soft)
        if fires:
            painter.fillRect(QRectF(whole.left(), whole.top(), themes.px(3), whole.height()), look.found)
        painter.setPen(QPen(look.line, 1))
        painter.drawLine(whole.bottomLeft(), whole.bottomRight())
        for part, room in cells:
            self._paint_cell(painter, rules, rule, part, QRectF(room).adjusted(GAP, 0, -GAP, 0))
        if focused:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(look.accent, 2))
            painter.drawRect(whole.adjusted(1, 1, -1, -1))

    def _paint_cell(self, painter: QPainter, rules: RuleSet, rule: int, part: int, room: QRectF) -> None:
        look, text = self._look, self._table.text(rule, part)
        if part == Part.NUMBER:
            fires = rule in self._table.fired
            self._words(painter, room, text, self._bold if fires else self._small, look.text if fires else look.dim)
        elif part == Part.CONDITIONS:
            colour = look.dim if rule == DEFAULT_RULE else look.text
            lines = self.lines(rule, room.width(), 2 if room.height() >= themes.px(TWO_LINES) else 1)
            height = QFontMetricsF(self._font).height()
            top = room.center().y() - height * len(lines) / 2
            for at, words in enumerate(lines):
                line = QRectF(room.left(), top + at * height, room.width(), height)
                self._words(painter, line, words, self._font, colour)
        elif part == Part.CLASS:
            radius = themes.px(4.5)
            draw_symbol(
                painter, look, rules.decision_of(rule), QPointF(room.left() + radius, room.center().y()), radius
            )
            beside = room.adjusted(2 * radius + 6, 0, 0, 0)
            brief = elided(QFontMetricsF(self._font), text, beside.width(), rules.schema.classes)
            self._words(painter, beside, brief, self._font, look.text)
        elif part == Part.RECORDS:
            decided = float(rules.decided_by(rule).sum())
            covered = decided if rule == DEFAULT_RULE else float(rules.covered[rule].sum())
            most = self._most(rules)
            faint = QColor(look.accent)
            faint.setAlpha(70)
            self._bar(painter, room, text, ((covered / most, faint), (decided / most, look.accent)))
        elif part == Part.RIGHT:
            share = self._table.right_share(rule)
            self._bar(painter, room, text, ((share, look.class_color(rules.decision_of(rule))),))
        else:
            self._classes(painter, rules, rule, room)

    def lines(self, rule: int, width: float, most: int) -> tuple[str, ...]:
        """A rule's conditions in at most so many lines (1 or 2) of so many pixels, parted between two conditions."""
        whole, metrics = self.brief_conditions(rule, width), QFontMetricsF(self._font)
        text = self._table.text(rule, Part.CONDITIONS)
        if most == 1 or whole == text or AND not in text or self._table.rules is None:
            return (whole,)
        names = self._table.rules.schema.names
        first, rest = whole, ""
        for brief in (text, *(in_brief(text, names, length) for length in (*BRIEF_NAMES, *BRIEFER_NAMES))):
            conditions = brief.split(AND)
            for at in range(len(conditions) - 1, 0, -1):
                first, rest = f"{AND.join(conditions[:at])}{AND.rstrip()}", AND.join(conditions[at:])
                if metrics.horizontalAdvance(first) <= width:
                    break
            if max(metrics.horizontalAdvance(first), metrics.horizontalAdvance(rest)) <= width:
                break
        return first, rest

    def brief_conditions(self, rule: int, width: float) -> str:
        """A rule's conditions in so many pixels: with short names, and cut where it is told from the rules around."""
        rules, text = self._table.rules, self._table.text(rule, Part.CONDITIONS)
        if rules is None:
            return text
        metrics, names = QFontMetricsF(self._font), rules.schema.names
        for words in (text, *(in_brief(text, names, most) for most in BRIEF_NAMES)):
            if metrics.horizontalAdvance(words) <= width:
                return words
        near = [each for each in range(rule - NEAR, rule + NEAR + 1) if 0 <= each < rules.n_rules and each != rule]
        others = (in_brief(self._table.text(each, Part.CONDITIONS), names, BRIEF_NAMES[-1]) for each in near)
        return elided(metrics, words, width, tuple(others))

    def _words(self, painter: QPainter, room: QRectF, text: str, font: QFont, color: QColor) -> None:
        painter.setFont(font)
        painter.setPen(color)
        elided = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), elided)

    def _bar(self, painter: QPainter, room: QRectF, text: str, shares: Sequence[tuple[float, QColor]]) -> None:
        """A number, and bars of these shares of the rest of the room on each other."""
        numbers = min(float(themes.px(NUMBERS)), room.width())
        painter.setFont(self._small)
        painter.setPen(self._look.text)
        elided = QFontMetricsF(self._small).elidedText(text, Qt.TextElideMode.ElideRight, numbers)
        at = QRectF(room.left(), room.top(), numbers, room.height())
        painter.drawText(at, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), elided)
        height = themes.px(BAR)
        bar = QRectF(room.left() + numbers + GAP, room.center().y() - height / 2, room.width() - numbers - GAP, height)
        if bar.width() < 8:
            return
        painter.fillRect(bar, self._look.soft)
        for share, color in shares:
            painter.fillRect(QRectF(bar.left(), bar.top(), bar.width() * min(1.0, share), height), color)

    def _classes(self, painter: QPainter, rules: RuleSet, rule: int, room: QRectF) -> None:
        """The shares of the classes in what the rule decides, beside each other."""
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
