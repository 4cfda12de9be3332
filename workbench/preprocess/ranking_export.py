"""Taking a ranking away: a bar for each of the best attributes, and the whole table."""

from __future__ import annotations

from typing import ClassVar, Final

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter

from algorithms.preprocess.attribute_ranking import place_words
from workbench.parts.elision import elided
from workbench.preprocess.ranking_table import RankingModel
from workbench.theme import current_theme, themes
from workbench.views.export import ExportedDrawing, Table

MOST: Final = 60
"""So many of the best are drawn; the table has all."""
NAMES, BARS, FIGURES, LINE, MARGIN = 260, 240, 190, 22, 14


class ExportedRanking(ExportedDrawing):
    """The best attributes: the share of the folds that keep each as a bar, its place and how much that changes."""

    name: ClassVar[str] = "ranking"
    title: ClassVar[str] = "Ranking of columns"

    def __init__(self, model: RankingModel) -> None:
        self._model = model

    def size(self) -> QSize:
        ranking = self._model.ranking
        if ranking is None:
            return QSize()
        return QSize(NAMES + BARS + FIGURES + 2 * MARGIN, LINE * (1 + min(MOST, len(ranking.names))) + 2 * MARGIN)

    def paint(self, painter: QPainter) -> None:
        ranking, theme = self._model.ranking, current_theme()
        if ranking is None:
            return
        painter.setFont(themes.font(12))
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        lines = [("Column", "kept in so many folds", "place, average ± spread", -1.0)]
        lines += [
            (
                ranking.names[at],
                f"{100 * ranking.share[at]:.0f}%",
                f"{place_words(ranking, at)}, {ranking.mean_place[at]:.1f} ± {ranking.spread[at]:.1f}",
                float(ranking.share[at]),
            )
            for at in ranking.order[:MOST]
        ]
        metrics = painter.fontMetrics()
        for row, (name, share_words, place, share) in enumerate(lines):
            top = float(MARGIN + row * LINE)
            painter.setPen(theme.color("dim" if share < 0 else "text"))
            short = elided(metrics, name, NAMES - 12, tuple(line[0] for line in lines))
            painter.drawText(QRectF(MARGIN, top, NAMES, LINE), left, short)
            bar = QRectF(MARGIN + NAMES, top, BARS, LINE)
            if share >= 0:
                painter.fillRect(bar.adjusted(0, 5, -60, -5), theme.color("soft"))
                painter.fillRect(QRectF(bar.left(), top + 5, (BARS - 60) * share, LINE - 10), theme.color("accent"))
                bar.setLeft(bar.right() - 52)
            painter.drawText(bar, left, share_words)
            painter.drawText(QRectF(MARGIN + NAMES + BARS, top, FIGURES, LINE), left, place)

    def table(self) -> Table | None:
        return self._model.table()
