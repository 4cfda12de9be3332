"""Taking rules away: the list as it stands, drawn, and as a table."""

from __future__ import annotations

from typing import ClassVar, Final

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter

from algorithms.core.errors import DataError
from algorithms.learners.rules.words import if_words, name_of
from algorithms.structures.rule_set import RuleSet
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import ExportedDrawing, Table, rows_written
from workbench.viewers.original_units import told_in
from workbench.viewers.rules.rules_paint import ROW, RulesPainter
from workbench.viewers.rules.rules_table import Part, RulesTable

MOST_DRAWN: Final = 500
WIDTHS: Final = {
    Part.NUMBER: 64,
    Part.CONDITIONS: 560,
    Part.CLASS: 150,
    Part.RECORDS: 170,
    Part.RIGHT: 150,
    Part.CLASSES: 150,
}
LARGE: Final = 300


class ExportedRules(ExportedDrawing):
    """The rules that are shown, in the order in which they stand; the table has all of them in their own order."""

    name: ClassVar[str] = "rules"
    title: ClassVar[str] = "Rules"

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
        self._cells_of_heads(painter, row)
        for at in range(self._table.n_shown):
            cells = _cells((at + 1) * row, row)
            self._painter.paint_row(painter, self._table.rule_of(at), cells, chosen=False)

    def _cells_of_heads(self, painter: QPainter, row: int) -> None:
        painter.setFont(themes.font(12, bold=True))
        painter.setPen(current_theme().color("dim"))
        for part, room in _cells(0, row):
            words = self._table.headerData(part, Qt.Orientation.Horizontal)
            painter.drawText(room.adjusted(8, 0, -8, 0), int(Qt.AlignmentFlag.AlignVCenter), str(words))

    def table(self) -> Table | None:
        rules, told = self._table.worded, told_in(self._table.worded is not self._table.rules)
        return None if rules is None else lambda delimiter: rows_written(rows_of(rules, told))(delimiter)


def _cells(top: int, height: int) -> list[tuple[int, QRect]]:
    left, cells = 0, []
    for part, room in WIDTHS.items():
        cells.append((int(part), QRect(left, top, themes.px(room), height)))
        left += themes.px(room)
    return cells


def rows_of(rules: RuleSet, told: str = "") -> list[list[str]]:
    """All rules and the default one as rows of text, the head first: conditions, class and the weights of records;
    ``told`` says in the head in which units numbers are."""
    classes = rules.schema.classes
    rows = [["rule", f"if{told}", "then", "covers", "decides", "right", *(f"decides {label}" for label in classes)]]
    for rule in (*range(rules.n_rules), -1):
        decided = rules.decided_by(rule)
        covered = float(decided.sum()) if rule < 0 else float(rules.covered[rule].sum())
        right = float(decided[rules.decision_of(rule)])
        numbers = [f"{value:.12g}" for value in (covered, float(decided.sum()), right, *decided.tolist())]
        number = name_of(rule) if rule < 0 else str(rule + 1)
        rows.append([number, if_words(rules, rule, at_most=10_000), classes[rules.decision_of(rule)], *numbers])
    return rows
