"""Runs compared: what can be said in words, and below it every test as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.evaluation.compare import PartScores
from algorithms.evaluation.comparing import Comparison, Judged, compared_runs
from algorithms.evaluation.result import EvaluationResult
from workbench.evaluate.comparison_words import HEADERS, rows_of
from workbench.evaluate.figure_table import FigureTable
from workbench.jobs import Job, Jobs
from workbench.parts import label
from workbench.parts.scrolling import UprightScrollArea
from workbench.runs import Run
from workbench.theme import SPACE_2, themes

ROWS_IN_SIGHT, HOLM = 6, 3


class ComparisonView(QWidget):
    """Compares runs in the background; of several wishes the latest counts."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("evaluate.comparison")
        self.setAccessibleName("The chosen runs compared")
        self._jobs = jobs
        self._job: Job | None = None
        self._wanted: tuple[EvaluationResult, ...] = ()
        self._headline = label("", "verdict", wrap=True)
        self._headline.setObjectName("evaluate.comparison.headline")
        self._words = label("", wrap=True)
        self._words.setObjectName("evaluate.comparison.words")
        self.table = FigureTable(HEADERS, "evaluate.comparison.tests", "Every test of the difference")
        inside = QWidget()
        inside.setProperty("part", "clear")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_2)
        for widget in (self._headline, self._words):
            column.addWidget(widget)
        column.addWidget(self.table, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(UprightScrollArea(inside))
        themes.follow(self._measure)
        self._measure()

    def compare(self, runs: Sequence[Run]) -> None:
        """Compare these judged runs, the one in view first."""
        named = [(f"{run.learner.name} (run {run.number})", run.result) for run in runs if run.result is not None]
        wanted = tuple(result for _, result in named)
        if wanted == self._wanted and wanted:
            return
        self._wanted = wanted
        if self._job is not None:
            self._job.stop()
            self._job = None
        if len(wanted) < 2:
            self._say("Which runs?", "Tick one or more runs in the list at the right: they are compared with this one.")
            return
        self._say("Comparing…", "")

        def work(context: RunContext) -> Comparison | CoppiceError:
            judged = []
            for name, result in named:
                context.checkpoint()
                judged.append(Judged(name, PartScores.of(result)))
            try:
                return compared_runs(judged)
            except CoppiceError as error:  # these runs cannot be compared, which is said in the place of the words
                return error

        self._job = self._jobs.start("", work, on_done=self._show)

    def _show(self, found: object) -> None:
        self._job = None
        if isinstance(found, CoppiceError):
            self._say("These cannot be compared", f"{found.sentence} {found.remedy}".strip())
            return
        comparison = cast(Comparison, found)
        self._say(comparison.headline, " ".join(comparison.sentences))
        rows = rows_of(comparison)
        self.table.setVisible(True)
        self.table.setColumnHidden(HOLM, len(comparison.pairs) < 2)
        self.table.set_rows([figures for figures, _ in rows], [tip for _, tip in rows])

    def _say(self, headline: str, words: str) -> None:
        self._headline.setText(headline)
        self._words.setText(words)
        self.table.setVisible(False)

    def _measure(self) -> None:
        self.table.setMinimumHeight(themes.px(24 * (ROWS_IN_SIGHT + 1)))
