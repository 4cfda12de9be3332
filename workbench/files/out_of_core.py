"""Files larger than memory: trees grown from pieces of them, and the choice between them and a sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QWidget

from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.io.text.large_files import FEWEST
from algorithms.text.names import shortened
from workbench.forms.editors import CalmComboBox
from workbench.jobs.jobs import Job
from workbench.session.runs import Run, RunState
from workbench.widgets.fields import NumberField, with_room

if TYPE_CHECKING:
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.out_of_core import OutOfCoreTree
    from algorithms.evaluation.result import EvaluationResult
    from workbench.session.session import Session

LEAST_BRANCH: Final = 50
LEARNERS: Final[Mapping[str, Mapping[str, object]]] = {"c4.5": {}, "cart": {"pruning": "pessimistic"}}
"""Learners that can grow from a file in pieces, the first by default, with options other than their defaults.

Pruning that tests inside the training records would need them in memory.
"""


@dataclass(frozen=True)
class TrainingRequest:
    """The column to predict, None for the best guess, and the id of the learner."""

    class_name: str | None = None
    learner: str = next(iter(LEARNERS))


@dataclass(frozen=True, eq=False)
class _Opened:
    """A tree grown in pieces, evaluated on the held-out records of its sample."""

    found: OutOfCoreTree
    data: Dataset
    learner: Learner
    method: Method
    result: EvaluationResult
    report: Report


def open_in_pieces(session: Session, path: str, wish: TrainingRequest, seed: int = 1) -> Job:
    """Grow a tree from a file in the background and show it as a run on a sample of the records."""
    name = Path(path).name
    values: dict[str, object] = {"min_leaf": LEAST_BRANCH, "split_search": "binned", **LEARNERS[wish.learner]}
    learner = session.registry.learners.get(wish.learner)().with_values(**values)
    method: Method = session.registry.methods.get("holdout")()

    def done(opened: _Opened) -> None:
        session.settings.remember_file(path)
        session.set_document(opened.data)
        state = RunState.PARTIAL if opened.result.partial else RunState.DONE
        run = Run(
            number=0,
            learner=opened.learner,
            method=opened.method,
            recipe=(),
            seed=seed,
            data_name=opened.data.origin.name,
            data=opened.data,
            result=opened.result,
            report=opened.report,
            trained=opened.found.trained,
            state=state,
            seconds=job.seconds,
        )
        session.ledger.enter(run)
        session.ledger.set_current(run)
        session.ask_for_tab("classify")

    job = session.jobs.start(
        f"Grow a tree from {name}",
        lambda context: _work(path, learner, method, wish.class_name, context),
        done,
        can_finish=True,
        worth_asking=True,
        seed=seed,
    )
    return job


def _work(path: str, learner: Learner, method: Method, class_name: str | None, context: RunContext) -> _Opened:
    from algorithms.evaluation.measures.metrics import report
    from algorithms.evaluation.out_of_core import grow_in_pieces

    tree = grow_in_pieces(learner, path, method, context, class_name=class_name)
    result = tree.on_sample()
    data = tree.with_totals()
    data = data.with_origin(replace(data.origin, path=None))
    return _Opened(tree, data, tree.result.learner, method, result, report(result, checkpoint=context.checkpoint))


GUESS: Final = "the one named class, else the last nominal attribute"
LONGEST: Final = 48


class PartForm(QWidget):
    """Choices below a question: records of a sample and, with ``columns``, class and learner of a tree."""

    def __init__(self, n_usual: int, n_most: int, columns: Sequence[str], learners: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._records = NumberField()
        self._records.setRange(min(FEWEST, n_most), n_most)
        self._records.setGroupSeparatorShown(True)
        self._records.setValue(n_usual)
        with_room(self._records)
        self._class = CalmComboBox()
        self._class.addItem(GUESS)
        for index, name in enumerate(self._columns):
            self._class.addItem(shortened(name, LONGEST))
            self._class.setItemData(index + 1, name, Qt.ItemDataRole.ToolTipRole)
        self._learner = CalmComboBox()
        for id, name in learners:
            self._learner.addItem(name, id)
        self._learner.setCurrentIndex(max(0, self._learner.findData(next(iter(LEARNERS)))))
        form = QFormLayout(self)
        form.setContentsMargins(0, 8, 0, 8)
        rows: tuple[tuple[QWidget, str, str, str], ...] = (
            (self._records, "records", "&Records in the sample", "Records in the sample; so many fit into memory"),
            (self._class, "class", "&Predict", "The class (target) of the tree"),
            (self._learner, "learner", "&Grown by", "The learner that grows the tree"),
        )
        for widget, purpose, label, tip in rows if self._columns else rows[:1]:
            widget.setObjectName(f"question_box.{purpose}")
            widget.setAccessibleName(tip)
            widget.setToolTip(tip)
            form.addRow(label, widget)

    @property
    def n_records(self) -> int:
        """Number of records in the sample."""
        return self._records.value()

    def wish(self) -> TrainingRequest:
        index = self._class.currentIndex()
        return TrainingRequest(self._columns[index - 1] if index > 0 else None, str(self._learner.currentData()))
