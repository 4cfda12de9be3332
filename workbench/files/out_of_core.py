"""Files larger than memory: recognised by their size, and a tree grown from pieces of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.io.text.options import NOT_TEXT
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
"""Memory that reading a text table takes at its peak, for each byte of the file."""
PACKED: Final = 8
"""Bytes of text in a byte of a packed file."""
USABLE: Final = 0.75
"""The part of the free memory that one table may take."""

LEAST_BRANCH: Final = 50
LEARNERS: Final[Mapping[str, Mapping[str, object]]] = {"c4.5": {}, "cart": {"pruning": "pessimistic"}}
"""The learners that can grow from a file in pieces, the first unless another is chosen, and how they differ there from
their defaults: testing inside the training records needs them in memory."""


@dataclass(frozen=True)
class TrainingRequest:
    """What to grow from a file: the column to predict, None for the best guess, and the learner's id."""

    class_name: str | None = None
    learner: str = next(iter(LEARNERS))


@dataclass(frozen=True)
class OversizedFile:
    """A file that does not fit: its size, the memory its table would take and the memory that is free, in bytes."""

    size: int
    needed: int
    free: int

    def sentence(self, name: str) -> str:
        """What a person is told before anything is read."""
        return (
            f"{name} has {_gigabytes(self.size)}. As a table it would take about {_gigabytes(self.needed)} of memory; "
            f"{_gigabytes(self.free)} are free."
        )


def too_large(path: str, free: int | None) -> OversizedFile | None:
    """What is too large about a file for a table in memory; None where it fits, or that cannot be told."""
    file = Path(path)
    try:
        size = file.stat().st_size
    except OSError:  # opening it will say so
        return None
    if free is None or file.suffix.lower() in NOT_TEXT:
        return None
    needed = int(size * NEEDED * (PACKED if file.suffix.lower() == ".gz" else 1))
    return OversizedFile(size, needed, free) if needed > USABLE * free else None


def free_memory() -> int | None:
    """Bytes of memory that programs can still have; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, ValueError, StopIteration):
        pass
    try:  # no system but Linux says what is free: all there is
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return None


def _gigabytes(n: int) -> str:
    return f"{n / 1e9:.1f} GB" if n >= 1e8 else f"{max(1, round(n / 1e6)):,} MB"


@dataclass(frozen=True, eq=False)
class _Opened:
    """What is shown of a file grown in pieces: the tree judged on the held-out records of the sample."""

    found: OutOfCoreTree
    data: Dataset
    learner: Learner
    method: Method
    result: EvaluationResult
    report: Report


def open_in_pieces(session: Session, path: str, wish: TrainingRequest, seed: int = 1) -> Job:
    """Grow a tree from a file in the background and show it as a run, a sample of the records as the table."""
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
    """In a worker: grow, judge on what is in the sample, and prepare what is shown."""
    from algorithms.evaluation.measures.metrics import report
    from algorithms.evaluation.out_of_core import grow_in_pieces

    found = grow_in_pieces(learner, path, method, context, class_name=class_name)
    result = found.on_sample()
    name = f"{found.sample.origin.name}, a sample"
    told = f"{len(found.sample):,} of the {found.n_records:,} records of {Path(path).name}, chosen by chance."
    data = found.sample.with_origin(replace(found.sample.origin, name=name, path=None, description=told))
    return _Opened(found, data, found.result.learner, method, result, report(result, checkpoint=context.checkpoint))


GUESS: Final = "the one named class, else the last list of values"
LONGEST: Final = 48


class PiecesForm(QWidget):
    """Two choices below a question; :meth:`wish` is what they say."""

    def __init__(self, columns: Sequence[str], learners: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._class = CalmComboBox()
        self._class.addItem(GUESS)
        for at, name in enumerate(self._columns):
            self._class.addItem(shortened(name, LONGEST))
            self._class.setItemData(at + 1, name, Qt.ItemDataRole.ToolTipRole)
        self._learner = CalmComboBox()
        for id, name in learners:
            self._learner.addItem(name, id)
        self._learner.setCurrentIndex(max(0, self._learner.findData(next(iter(LEARNERS)))))
        form = QFormLayout(self)
        form.setContentsMargins(0, 8, 0, 8)
        rows = (
            (self._class, "class", "&Predict", "The column whose values the tree is to predict"),
            (self._learner, "learner", "&Grown by", "The learner that grows the tree"),
        )
        for widget, purpose, label, tip in rows:
            widget.setObjectName(f"question_box.{purpose}")
            widget.setAccessibleName(tip)
            widget.setToolTip(tip)
            form.addRow(label, widget)

    def wish(self) -> TrainingRequest:
        """What is chosen."""
        at = self._class.currentIndex()
        return TrainingRequest(self._columns[at - 1] if at > 0 else None, str(self._learner.currentData()))
