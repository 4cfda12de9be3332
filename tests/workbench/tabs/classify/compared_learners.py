"""Learners to compare, and the tab that compares them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtWidgets import QLabel, QTableView

from algorithms.catalogue import builtin
from algorithms.core.learner import Variant
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.zero_r import PriorModel, ZeroR
from tests.workbench.stage import Stage
from tests.workbench.toy import Picky, Plain, ToyModel
from tests.workbench.window_helpers import press, small_data
from workbench.session.session import Session
from workbench.tabs.classify.tab import ClassifyTab

GATE = threading.Semaphore(0)
WORK = 0.04
Tried = tuple[Session, ClassifyTab]
OpenTab = Callable[..., Tried]
"""Opens a session with some learners and the baseline, and the tab that compares them."""


@dataclass(frozen=True, kw_only=True)
class Knowing(Plain):
    """Decides by the first attribute; waits for the gate where it is told to."""

    id = "knowing"
    name = "Knowing"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(2),)

    def _fit(self, data: Dataset, context: RunContext) -> ToyModel:
        return KnowingModel(data.schema, super()._fit(data, context).counts)


class KnowingModel(ToyModel):
    id = "knowing-model"

    def _predict_proba(self, data):
        found = super()._predict_proba(data)
        high = data.column("first") > 0.5
        found[:, 0], found[:, 1] = ~high, high
        return found


@dataclass(frozen=True, kw_only=True)
class Slow(Plain):
    """Fits one model for each time the gate was opened, and stops when asked."""

    id = "slow"
    name = "Slow"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(4),)

    def _fit(self, data: Dataset, context: RunContext) -> ToyModel:
        while not GATE.acquire(timeout=0.005):
            context.checkpoint()
        return super()._fit(data, context)


@dataclass(frozen=True, kw_only=True)
class Last(Knowing):
    id = "last"
    name = "Last"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(5),)


@dataclass(frozen=True, kw_only=True)
class Steady(Plain):
    """Works a known time on each model."""

    id = "steady"
    name = "Steady"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(2),)

    def _fit(self, data: Dataset, context: RunContext) -> ToyModel:
        end = time.monotonic() + WORK
        while time.monotonic() < end:
            context.checkpoint()
        return super()._fit(data, context)


@dataclass(frozen=True, kw_only=True)
class Unable(Picky):
    id = "unable"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(1),)


@dataclass(frozen=True, kw_only=True)
class Many(Knowing):
    id = "many"
    tried_with_several: ClassVar[tuple[Variant, ...]] = tuple(Variant(5 + i) for i in range(14))


def opened(stage: Stage, *learners: type[Plain]) -> Session:
    """A session over a small table with these learners and the baseline."""
    while GATE.acquire(blocking=False):
        pass
    registry = Registry()
    registry.add_learner(ZeroR, PriorModel)
    for method in builtin().methods:
        registry.add_method(method)
    return stage.session(small_data(120), *learners, registry=registry)


def tab_of(session: Session, stage: Stage) -> ClassifyTab:
    return stage.show(ClassifyTab(session), 1200, 800)


def compare(tab: ClassifyTab) -> None:
    """Train the ticked learners, as a person does."""
    if not tab.is_comparing:
        press(tab, "classify.compare")
    press(tab, "classify.several.start")


def words(tab: ClassifyTab, name: str) -> str:
    return tab.findChild(QLabel, f"classify.several.{name}").text()


def table(tab: ClassifyTab) -> QTableView:
    return tab.findChild(QTableView, "classify.several.table")


def names(tab: ClassifyTab) -> list[str]:
    model = table(tab).model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def is_over(session: Session) -> bool:
    trial = session.analyses.comparison.current
    return trial is not None and not trial.is_running
