"""Files larger than memory: detected by their size, and trees grown from pieces of them."""

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
from algorithms.io.reading import is_named_as_text
from algorithms.text.names import shortened
from workbench.forms.editors import CalmComboBox
from workbench.jobs.jobs import Job
from workbench.session.runs import Run, RunState

if TYPE_CHECKING:
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.out_of_core import OutOfCoreTree
    from algorithms.evaluation.result import EvaluationResult
    from workbench.session.session import Session

NEEDED: Final = 2.5
"""Peak memory for reading a text table, per byte of the file."""
PACKED: Final = 8
"""Bytes of text per byte of a compressed file."""
USABLE: Final = 0.75
"""Largest share of the free memory for one table."""

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


@dataclass(frozen=True)
class OversizedFile:
    """A file that exceeds the memory: its size, the memory needed and the free memory, in bytes."""

    size: int
    needed: int
    free: int

    def sentence(self, name: str) -> str:
        return (
            f"{name} has {_gigabytes(self.size)}. As a table it would take about {_gigabytes(self.needed)} of memory; "
            f"{_gigabytes(self.free)} are free."
        )


def too_large(path: str, free: int | None) -> OversizedFile | None:
    """Sizes of a file that exceeds the memory; None where it fits or that is unknown."""
    file = Path(path)
    try:
        size = file.stat().st_size
    except OSError:  # opening it reports the error
        return None
    if free is None or not is_named_as_text(file):
        return None
    needed = int(size * NEEDED * (PACKED if file.suffix.lower() == ".gz" else 1))
    return OversizedFile(size, needed, free) if needed > USABLE * free else None


def _gigabytes(n: int) -> str:
    return f"{n / 1e9:.1f} GB" if n >= 1e8 else f"{max(1, round(n / 1e6)):,} MB"


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
    name = f"{tree.sample.origin.name}, a sample"
    description = f"{len(tree.sample):,} of the {tree.n_records:,} records of {Path(path).name}, drawn at random."
    data = tree.sample.with_origin(replace(tree.sample.origin, name=name, path=None, description=description))
    return _Opened(tree, data, tree.result.learner, method, result, report(result, checkpoint=context.checkpoint))


GUESS: Final = "the one named class, else the last nominal attribute"
LONGEST: Final = 48


class PiecesForm(QWidget):
    """Choices of class and learner below a question; :meth:`wish` returns them."""

    def __init__(self, columns: Sequence[str], learners: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._columns = tuple(columns)
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
        rows = (
            (self._class, "class", "&Predict", "The class (target) of the tree"),
            (self._learner, "learner", "&Grown by", "The learner that grows the tree"),
        )
        for widget, purpose, label, tip in rows:
            widget.setObjectName(f"question_box.{purpose}")
            widget.setAccessibleName(tip)
            widget.setToolTip(tip)
            form.addRow(label, widget)

    def wish(self) -> TrainingRequest:
        index = self._class.currentIndex()
        return TrainingRequest(self._columns[index - 1] if index > 0 else None, str(self._learner.currentData()))
