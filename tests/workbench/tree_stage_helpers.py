"""A tree in view, and the panels beside it that take it apart."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSlider

from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.structures.tree import Tree
from tests.workbench.person import Person
from tests.workbench.window_helpers import judged
from workbench.tabs.visualize.tree.replays import GrowthReplay, PruningReplay, TreeStage
from workbench.viewers.tree.tree_view import TreeView


def tree_of(person: Person, sample: str, learner: Learner, method: Method | None = None) -> Tree:
    """The tree of a learner on a sample, in view in Visualize."""
    session = person.window.session
    person.window.open_sample(sample)
    person.wait(lambda: session.summary is not None, 60)
    judged(session, person.wait, learner, method or CrossValidation(folds=5))
    person.go_to("Visualize")
    view = person.see(TreeView, "")
    person.wait(lambda: view.drawing is not None)
    assert view.tree is not None
    return view.tree


def view_of(person: Person) -> TreeView:
    """The tree that is seen."""
    return next(view for view in person.window.findChildren(TreeView) if view.isVisible())


def settle(person: Person) -> None:
    """Wait until all that was asked for is done and shown."""
    session, stages = person.window.session, person.window.findChildren(TreeStage)
    person.wait(lambda: not (session.jobs.running or any(stage.parts.is_busy for stage in stages)), 180)


def slide_to(person: Person, key: Qt.Key, name: str = "visualize.growth") -> None:
    """Go to the first (Home) or last step (End) of a replay."""
    slider = person.see(QSlider, f"{name}.slider")
    slider.setFocus()
    QTest.keyClick(slider, key)


def grown(person: Person) -> GrowthReplay:
    """The panel of the steps, opened by its entry."""
    person.choose_entry("visualize.growth")
    panel = person.see(GrowthReplay, "visualize.growth.panel")
    person.wait(lambda: panel.result is not None, 60)
    settle(person)
    return panel


def pruned(person: Person) -> PruningReplay:
    """The panel of the sizes, opened by its entry."""
    person.choose_entry("visualize.pruning")
    panel = person.see(PruningReplay, "visualize.pruning.panel")
    person.wait(lambda: panel.plot.sizes is not None, 60)
    settle(person)
    return panel
