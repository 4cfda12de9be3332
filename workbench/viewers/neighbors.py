"""The viewer of nearest neighbours: the training records that vote, their distances and weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSignalBlocker, QSize, Signal
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from algorithms.data.columns import IntArray
from algorithms.learners.neighbors.k_nearest import distance_words, votes_words
from algorithms.structures.prototypes import EXACT, Prototypes
from algorithms.text.numbers import percent
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs
from workbench.style.structure_colors import StructureColors, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import Export, ExportedPicture
from workbench.widgets.buttons import link_button, quiet_button
from workbench.widgets.fields import RecordField, Slider
from workbench.widgets.labels import elided, label
from workbench.widgets.layouts import column_layout, named
from workbench.widgets.painting import MIDDLE_LEFT, draw_text
from workbench.widgets.panes import ClearRow
from workbench.widgets.tables import TextTable

MOST_BY_SLIDER: Final = 50
"""Largest k of the slider, unless the learned one is larger."""
MOST_ROWS: Final = 500
"""The most neighbours listed; ties may add more."""
HEADS: Final = ("Training record", "Class", "Distance", "Votes")
ROW: Final = 28
WIDE: Final = 560


@dataclass(frozen=True)
class NeighborVote:
    """Name, class code, distance, vote share and ``row`` in the run's table (None: not there)."""

    name: str
    label: int
    distance: float
    share: float
    row: int | None


@dataclass(frozen=True)
class Vote:
    """The neighbours of the record of this name, and their vote: the class and its share."""

    record: str
    voters: tuple[NeighborVote, ...]
    decision: int
    share: float
    truth: int = -1
    n_voters: int = 0
    """Number of neighbours that vote, if not all are listed."""


SHARE_IS_PROBABILITY: Final = "Their votes are the model's probability."


class NeighboursView(QWidget):
    """The viewer of kept records: counts by class, and the vote about one record if :meth:`offer_asking` was called.

    ``record_wanted(row)`` asks for the neighbours of another record, ``k_wanted(k)`` for another k (0: the learned
    one). ``voter_chosen(row)`` asks to select a neighbour, ``all_wanted`` to select all of them and the record.
    """

    title = "Neighbours"
    facts_changed = Signal()
    record_wanted = Signal(int)
    k_wanted = Signal(int)
    voter_chosen = Signal(int)
    all_wanted = Signal()

    def __init__(self, jobs: Jobs | None = None) -> None:
        super().__init__()
        self.kept: Prototypes | None = None
        self.vote: Vote | None = None
        self._is_asked = False
        self._how = named(label("", "dim", wrap=True), "visualize.neighbours.how")
        self._sentence = named(label("", "heading", wrap=True), "visualize.neighbours.said")
        self.table = TextTable("visualize.neighbours", "The neighbours of the record")
        self.record = named(
            RecordField(),
            "visualize.neighbours.record",
            "Number of the record whose neighbours are shown",
            "The record whose neighbours are shown; a record selected anywhere, the first of several, comes here too",
        )
        self.record.setPrefix("record ")
        self.select = quiet_button(
            "Select them", "visualize.neighbours.select", "Select the record and its neighbours everywhere"
        )
        self.slider = named(
            Slider(),
            "visualize.neighbours.k",
            "Number of neighbours that vote",
            "Another number of neighbours (k): the votes and the regions in the plot follow",
        )
        self.slider.setMinimum(1)
        self.slider.setPageStep(5)
        self._number = named(label("", ""), "visualize.neighbours.number")
        self._learned = link_button(
            "as learned", "visualize.neighbours.learned", "Back to the number of neighbours that was learned"
        )
        exported = ExportedPicture("neighbours", "Neighbours of a record", self._size, self._paint, self.rows)
        self.export = Export(exported, jobs, self)
        self._asked = ClearRow(self.record, self.select, 1)
        self._asked.hide()
        self._tries = ClearRow(self._number, (self.slider, 1), self._learned, spacing=None)
        column_layout(self._how, self._asked, self._tries, self._sentence, (self.table, 1), inside=self, spacing=8)
        self.controls = self.export.button("visualize.neighbours.save")
        self.record.valueChanged.connect(lambda number: self.record_wanted.emit(number - 1))
        self.slider.valueChanged.connect(self._slid)
        self._learned.clicked.connect(self._as_learned)
        self.select.clicked.connect(self.all_wanted)
        self.table.clicked.connect(self._clicked)
        self.table.activated.connect(self._clicked)

    def offer_asking(self) -> None:
        """Enables questions about single records."""
        self._is_asked = True
        self._asked.show()
        self._tries.setVisible(self.kept is not None and self.kept.distance != EXACT)
        self.table.setToolTip("Choose a neighbour to select it everywhere")
        self._show()

    def set_structure(self, structure: Prototypes) -> None:
        """Shows these kept records with the learned k."""
        self.kept, self.vote = structure, None
        most = max(structure.k, min(MOST_BY_SLIDER, structure.n_records), 1)
        with QSignalBlocker(self.slider):
            self.slider.setMaximum(most)
            self.slider.setValue(min(structure.k, most))
        self._tries.setVisible(self._is_asked and structure.distance != EXACT)
        self._say_number()
        if structure.distance == EXACT:
            self._how.setText("Only a training record with exactly the same values decides.")
        else:
            self._how.setText(f"{votes_words(structure)} {distance_words(structure)} {SHARE_IS_PROBABILITY}")
        self._show()
        self.facts_changed.emit()

    def set_records(self, ids: IntArray) -> None:
        """Sets the ids (n,) of the records to ask about."""
        with QSignalBlocker(self.record):
            self.record.show_ids(ids)

    def show_record(self, row: int) -> None:
        """Shows the number of the record without a signal."""
        with QSignalBlocker(self.record):
            self.record.setValue(row + 1)

    def show_vote(self, vote: Vote | None) -> None:
        """Shows how the neighbours of the record voted; None removes the vote."""
        self.vote = vote
        self._show()

    @property
    def k(self) -> int:
        """The chosen k; 0 for the learned one."""
        return 0 if self.kept is None or self.slider.value() == self.kept.k else self.slider.value()

    def facts(self) -> str:
        return "" if self.kept is None else self.kept.info.facts

    def verdict(self) -> str:
        kept, vote = self.kept, self.vote
        if kept is None or vote is None:
            return ""
        classes = kept.schema.classes
        truth = f" It is {classes[vote.truth]}." if vote.truth >= 0 else ""
        if not vote.voters:
            return f"{vote.record}: no training record is like it.{truth}"
        more = f" {vote.n_voters:,} records vote." if vote.n_voters > len(vote.voters) else ""
        return f"{vote.record}: {classes[vote.decision]}, with {percent(vote.share)} of the votes.{more}{truth}"

    def rows(self) -> list[list[str]]:
        """The neighbours as rows of text, the heading first; without questions, the counts of the classes."""
        kept, vote = self.kept, self.vote
        if kept is not None and not self._is_asked:
            counts = np.bincount(kept.labels, minlength=len(kept.schema.classes)).tolist()
            return [
                ["Class", "Records kept"],
                *([name, f"{n:,}"] for name, n in zip(kept.schema.classes, counts, strict=True)),
            ]
        rows = [list(HEADS)]
        if kept is not None and vote is not None:
            rows += [
                [voter.name, kept.schema.classes[voter.label], f"{voter.distance:.6g}", percent(voter.share)]
                for voter in vote.voters
            ]
        return rows

    def _show(self) -> None:
        self.table.show_rows(self.rows())
        self._sentence.setText(self.verdict())
        self._sentence.setVisible(self._is_asked)
        self.select.setEnabled(self.vote is not None)

    def _say_number(self) -> None:
        asked = self.slider.value()
        self._number.setText(counted(asked, "neighbour"))
        self._learned.setVisible(self.k != 0)

    def _slid(self, _value: int) -> None:
        self._say_number()
        self.k_wanted.emit(self.k)

    def _as_learned(self) -> None:
        if self.kept is not None:
            self.slider.setValue(self.kept.k)

    def _clicked(self, index: object) -> None:
        index_chosen = self.table.currentIndex().row()
        if self.vote is not None and 0 <= index_chosen < len(self.vote.voters):
            row = self.vote.voters[index_chosen].row
            if row is not None:
                self.voter_chosen.emit(row)

    def _size(self) -> QSize:
        return QSize() if self.vote is None else QSize(themes.px(WIDE), themes.px(ROW) * (len(self.vote.voters) + 2))

    def _paint(self, painter: QPainter) -> None:
        """Paints the neighbours as rows with bars of their votes."""
        kept, vote = self.kept, self.vote
        if kept is None or vote is None:
            return
        look, row = StructureColors(current_theme()), themes.px(ROW)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRectF(8, 0, themes.px(WIDE) - 16, row)
        draw_text(painter, room, self.verdict(), look.text, themes.font(13, bold=True), MIDDLE_LEFT)
        for place, voter in enumerate(vote.voters):
            self._paint_voter(painter, look, kept, voter, (place + 1) * row)

    def _paint_voter(
        self, painter: QPainter, look: StructureColors, kept: Prototypes, voter: NeighborVote, top: int
    ) -> None:
        row, font = themes.px(ROW), themes.font(12)
        metrics = QFontMetricsF(font)
        draw_symbol(painter, look, voter.label, QPointF(14, top + row / 2), themes.px(5))
        parts = (voter.name, kept.schema.classes[voter.label], f"{voter.distance:.4g}")
        for place, text in enumerate(parts):
            room = QRectF(28 + place * themes.px(130), top, themes.px(122), row)
            shown = elided(metrics, text, room.width(), kept.schema.classes)
            draw_text(painter, room, shown, look.text, font, MIDDLE_LEFT)
        bar = QRectF(28 + 3 * themes.px(130), top + row * 0.3, themes.px(80) * voter.share, row * 0.4)
        painter.fillRect(bar, look.class_color(voter.label))
        at = QPointF(bar.right() + 6, top + row / 2 + metrics.ascent() / 2 - 1)
        draw_text(painter, at, percent(voter.share), look.dim)
