"""Chooses one record and words its path through the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.core.learner import Explanation
from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.structures.tree import Tree
from algorithms.text.sentences import BRIEF_NAMES, in_brief
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.explain.record_prediction import TestedPrediction, own_explained, true_class, when_tested
from workbench.tabs.visualize.explain.selected_record import RecordNumber
from workbench.viewers.original_units import unscaled_by
from workbench.viewers.tree.tree_words import HighlightedPath, highlighted_path
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout

DELAY_MS = 120
TWO_MODELS: Final = (
    "The model explained is the one learned from all records, this one among them; the one that tested it had not "
    "learned from it."
)


@dataclass(frozen=True)
class _Followed:
    explanation: Explanation
    path: HighlightedPath
    truth: str | None
    tested: TestedPrediction | None = None
    decision: int = -1
    """The class decided by what decides now, where that is not the model itself."""


def with_steps(first: str, steps: Sequence[str]) -> list[str]:
    """Texts of a prediction with its steps, each shorter: the last step stays, the first as long as possible."""
    ends = [f"… {' '.join(steps[start:])}" for start in range(1, len(steps))]
    kept = [f"{steps[0]} {end}" for end in ends[1:]]
    return [f"{first} · {words}".rstrip() for words in (" ".join(steps), *kept, *ends)]


class RecordPath(ClearWidget):
    """The number of a record and its path through the model as text, seen while ``switch`` is on.

    The record is the only selected one, the first of several, or any by its number. ``path_changed`` carries its
    :class:`HighlightedPath`, ``record_changed`` its row in the run's data or None.
    """

    path_changed = Signal(object)
    record_changed = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._run: Run | None = None
        self._task = LatestTask(session.jobs)
        self._wait = single_shot(self, DELAY_MS, self._follow)
        self.switch = quiet_button(
            "Follow a record",
            "visualize.follow",
            "Light the way of a record through the tree: the selected one, or any",
            checkable=True,
        )
        self._record = named(
            RecordNumber(self._chosen),
            "visualize.record",
            "Number of the record to follow",
            "The record to follow; where several are selected, the arrows go from one to the next",
        )
        self._record.setFixedWidth(themes.px(150))
        self._words = named(ElidedLabel("", "dim"), "visualize.record.way")
        self._words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._models = named(ElidedLabel(TWO_MODELS, "small"), "visualize.record.models")
        self._models.hide()
        column_layout(row_layout(self._record, (self._words, 1), spacing=8), self._models, inside=self, spacing=2)
        self.hide()
        self.switch.toggled.connect(self._switched)
        session.selection.changed.connect(self._selection_changed)
        session.decisions.reports.decided_anew.connect(self._decided_otherwise)
        self._record.valueChanged.connect(self._number_changed)

    def set_run(self, run: Run | None) -> None:
        if run is self._run:
            return
        self._run = run
        self.switch.setChecked(False)
        if run is not None:
            self._record.setMaximum(max(1, len(run.data)))
            self._record.setSuffix(f" of {len(run.data):,}" if len(run.data) < 100_000 else "")

    def follow(self, row: int | None = None) -> None:
        """Follows the record in this row, else the first selected one."""
        if not self.switch.isEnabled() or self._run is None:
            return
        self.switch.setChecked(True)
        if row is None:
            self._begin_with_selected()
        else:
            self.show_row(row)

    def show_row(self, row: int) -> None:
        """Goes on with the record in this row, if records are followed."""
        if self.switch.isChecked():
            self._record.setValue(row + 1)

    @property
    def row(self) -> int | None:
        """The row of the record that is followed; None for none."""
        return self._record.value() - 1 if self.switch.isChecked() else None

    def _chosen(self) -> IntArray:
        """Rows of the selected records in the run's data, ascending."""
        run = self._run
        return np.empty(0, dtype=np.int64) if run is None else np.sort(self._session.selection.rows_of(run.data))

    def _begin_with_selected(self) -> None:
        """Follows the first selected record, unless a selected one is followed already."""
        chosen = self._chosen()
        if len(chosen) and self._record.value() - 1 not in chosen:
            self._record.setValue(int(chosen[0]) + 1)

    def _number_changed(self) -> None:
        self._wait.start()
        if self.switch.isChecked():
            self.record_changed.emit(self._record.value() - 1)

    def _switched(self, wanted: bool) -> None:
        self.setVisible(wanted)
        if wanted:
            self._begin_with_selected()
            self._number_changed()
            self._record.setFocus()
        else:
            self.record_changed.emit(None)
            self._drop()
            self._words.setText("")
            self._words.set_note("")
            self.path_changed.emit(HighlightedPath())

    def _selection_changed(self) -> None:
        run, selection = self._run, self._session.selection
        if run is None or len(selection) != 1 or not self.switch.isChecked():
            return
        rows = selection.rows_of(run.data)
        if len(rows) == 1:
            self._record.setValue(int(rows[0]) + 1)

    def _decided_otherwise(self) -> None:
        """Words the prediction again: another decision rule may predict another class."""
        if self.switch.isChecked():
            self._wait.start()

    def _drop(self) -> None:
        self._wait.stop()
        self._task.stop()

    def _follow(self) -> None:
        self._drop()
        run, row = self._run, self._record.value() - 1
        if run is None or run.trained is None or not self.switch.isChecked() or not 0 <= row < len(run.data):
            return
        trained, data = run.trained, run.data
        asked = None if run.report is None else self._session.decisions.asked(run)
        decide = None if asked is None else asked.rule.for_classes(trained.classes)

        def work(context: RunContext) -> _Followed:
            context.say(f"Following record {row + 1}")
            explanation, tree = trained.explain(data, row), trained.structure()
            if not isinstance(tree, Tree):
                path = HighlightedPath(sentences=own_explained(trained, explanation, data.take([row])).steps)
            else:
                raw, unscaled = data.take([row]), unscaled_by(trained.recipe)
                path = highlighted_path(tree, trained.prepared(raw), explanation.parts, unscaled=unscaled, raw=raw)
            decision = -1 if decide is None else decide.decide_one(explanation.probabilities, explanation.decision)
            tested = when_tested(run, row, asked) if run.of_fold is None else None
            return _Followed(explanation, path, true_class(run, row), tested, decision)

        self._task.run(
            f"Follow record {row + 1}", work, on_done=lambda followed: self._followed(row, trained.classes, followed)
        )

    def _followed(self, row: int, classes: tuple[str, ...], followed: _Followed) -> None:
        own, tested = followed.explanation.decision, followed.tested
        decided = own if followed.decision < 0 else followed.decision
        label, sure = classes[decided], 100 * followed.explanation.probabilities[decided]
        truth = (
            "" if followed.truth is None else f" · it is {followed.truth}" + (" ✓" if followed.truth == label else " ✗")
        )
        itself = "" if followed.decision < 0 else ", as decided now"
        itself += "" if decided == own else f"; itself {classes[own]}"
        prediction = f"says {label} ({sure:.0f} in 100{itself}){truth}"
        missed = tested is not None and followed.truth == label != tested.said
        of_fold = None if self._run is None else self._run.of_fold
        model = "the model of all records" if of_fold is None else of_fold.name
        learned = missed if of_fold is None else row in of_fold.rows
        first = f"{model} {'learned from it and ' if learned else ''}{prediction}"
        (whole, *ends), (bare, *_) = (with_steps(begin, followed.path.sentences) for begin in (first, prediction))
        names = () if self._run is None else (*self._run.data.schema.names, *classes)
        briefly = f"{first} · the rest if you point here"
        short = [in_brief(words, names, most) for words in (whole, bare, *ends, briefly) for most in BRIEF_NAMES]
        self._words.set_wordings(
            whole, *short, in_brief(f"{prediction}; more if you point here", names, BRIEF_NAMES[-1])
        )
        self._words.set_note(TWO_MODELS if tested is not None else "")
        self._models.setVisible(tested is not None)
        when = f"W{str(tested)[1:]}{' ✗' if missed else ''}"
        if tested is not None:
            shorter = f"{when}, by a model that had not learned from it."
            brief = [in_brief(shorter, names, most) for most in BRIEF_NAMES]
            self._models.set_wordings(f"{when}. {TWO_MODELS}", shorter, *brief)
        self.path_changed.emit(followed.path)
