"""How steady each question of the tree in view is over the folds of its run, found when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from algorithms.core.context import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.structures.tree import Tree
from workbench.jobs.jobs import Job
from workbench.jobs.worker_threads import give_way
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.widgets.buttons import quiet_button

if TYPE_CHECKING:
    from workbench.viewers.tree.tree_view import TreeView

TIP: Final = "How often each question comes at its place in the trees of the folds: 7/10 says in 7 of 10"
NO_FOLDS: Final = "This run has no folds to compare. Judge by cross-validation to see how steady its questions are."


@dataclass(frozen=True, eq=False)
class SteadinessNotes:
    """By node: a few words for its corner, and the whole in a sentence."""

    badges: Mapping[int, str]
    sentences: Mapping[int, str]


NOTHING: Final = SteadinessNotes({}, {})


class TreeSteadiness(QObject):
    """A button in the foot of the tree's view; ``told`` comes with what is shown (:class:`SteadinessNotes`)."""

    told = Signal(object)

    def __init__(self, session: Session, view: TreeView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._job: Job | None = None
        self._known: WeakKeyDictionary[TrainedClassifier, SteadinessNotes] = WeakKeyDictionary()
        self.switch = quiet_button("How steady", "visualize.steady", TIP)
        self.switch.setCheckable(True)
        self.switch.toggled.connect(lambda _on: self._show())
        view.foot.addWidget(self.switch)
        view.drawn.connect(self._mark)

    def show_run(self, run: Run | None) -> None:
        """The tree in view is that of this run; None where it is of none, or taken apart."""
        self._run = run
        able = run is not None and run.trained is not None and run.result is not None and run.result.n_folds > 1
        self.switch.setEnabled(able)
        self.switch.setToolTip(TIP if able or run is None or run.is_running else NO_FOLDS)
        self._show()

    @property
    def _shown(self) -> SteadinessNotes:
        trained = None if self._run is None else self._run.trained
        known = None if trained is None else self._known.get(trained)
        return known if known is not None and self.switch.isChecked() else NOTHING

    def _show(self) -> None:
        run = self._run
        if self._job is not None:
            self._job.stop()
            self._job = None
        wanted = self.switch.isChecked() and self.switch.isEnabled()
        if wanted and run is not None and run.trained is not None and run.trained not in self._known:
            self._find(run, run.trained)
        self._mark()
        self.told.emit(self._shown)

    def _mark(self) -> None:
        """Show it in the picture and its table, where these are of the run's tree."""
        run = self._run
        tree = None if run is None or run.trained is None else run.trained.structure()
        shown = self._shown if tree is self._view.tree else NOTHING
        if self._view.canvas.item.marks.badges is not shown.badges:
            self._view.set_badges(shown.badges, shown.sentences)

    def _find(self, run: Run, trained: TrainedClassifier) -> None:
        tree = trained.structure()
        if not isinstance(tree, Tree):
            return

        def work(context: RunContext) -> SteadinessNotes:
            return found(run, tree, context)

        def done(told: SteadinessNotes) -> None:
            self._job = None
            self._known[trained] = told
            self._mark()
            self.told.emit(self._shown)

        def ended() -> None:
            self._job = None
            self.switch.setChecked(False)

        self._job = self._session.jobs.start(
            "Grow the trees of the folds again", work, on_done=done, on_stopped=ended, seed=run.seed
        )


def found(run: Run, tree: Tree, context: RunContext) -> SteadinessNotes:
    """In a worker: the trees of the run's folds, grown again, beside its tree."""
    from algorithms.evaluation.fold_models import fold_models
    from algorithms.learners.trees.explain.steadiness import steadiness

    context.say("Growing the trees of the folds again")
    judging = context.child(0.9, 0, same_seed=True)
    models = fold_models(run.learner, run.data, run.method, judging, run.recipe)
    judging.complete()
    context.say("Comparing")
    structures = [each.model.structure() for each in models]

    def breathe() -> None:
        context.checkpoint()
        give_way()

    others = [structure for structure in structures if isinstance(structure, Tree)]
    steady = steadiness(tree, others, breathe)
    badges, sentences = {}, {}
    for node in range(tree.n_nodes):
        if node % 50 == 0:
            breathe()
        badges[node], sentences[node] = steady.badge(node), steady.sentence(node, run.method.part_name)
    return SteadinessNotes(badges, sentences)
