"""Public contract: documents, runs and the source of a table, as the window shows them and projects contain them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from algorithms.core.filters import Recipe, Steps, recipe_of
from algorithms.core.learner import Learner
from algorithms.core.model_editing import ModelEdits
from algorithms.core.resampling import Method
from algorithms.core.run_control import Kept
from algorithms.data.dataset import Dataset

if TYPE_CHECKING:
    from algorithms.core.training import TrainedClassifier
    from algorithms.evaluation.attribute_importance import AttributeImportance
    from algorithms.evaluation.bias_variance import BiasVariance
    from algorithms.evaluation.compare.permutation_test import ShuffleTest
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.evaluation.costs.decision_rules import Choice
    from algorithms.evaluation.curves.learning_curves import MemberErrors, Sweep
    from algorithms.evaluation.error_groups import ErrorGroups
    from algorithms.evaluation.learner_effects import LearnerEffects
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.runner import FoldDone
    from algorithms.evaluation.surrogate_tree import SurrogateTree
    from algorithms.io.text.options import ReadOptions


@dataclass(frozen=True, eq=False)
class Document:
    """The edited data, the preprocessing steps including disabled ones, the models edited by hand, costs and rules.

    ``costs`` is None while every mistake counts the same. ``rules`` are the decision rules that the user set, by run
    number in ascending order; a run without one decides by default.
    """

    data: Dataset
    steps: Steps = ()
    trees: tuple[ModelEdits, ...] = ()
    costs: CostMatrix | None = None
    rules: tuple[tuple[int, Choice], ...] = ()

    def with_rule(self, run: int, choice: Choice | None) -> Document:
        """The document with another decision rule of the run with this number; None for the default."""
        others = {number: rule for number, rule in self.rules if number != run}
        return replace(self, rules=tuple(sorted({**others, **({} if choice is None else {run: choice})}.items())))

    @property
    def recipe(self) -> Recipe:
        """The steps that are switched on; they are fitted inside each fold."""
        return recipe_of(self.steps)

    def is_same_as(self, other: Document) -> bool:
        """Whether nothing differs, neither what :meth:`differs_from` compares nor the costs and the decision rules."""
        return not self.differs_from(other) and (self.costs, self.rules) == (other.costs, other.rules)

    def differs_from(self, other: Document) -> bool:
        """Whether more than the costs and the decision rules differ."""
        return self.data is not other.data or (self.steps, self.trees) != (other.steps, other.trees)


class DocumentStep(NamedTuple):
    """The document after one named change: "Change kind of zip to nominal"."""

    text: str
    document: Document


class RunState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    PARTIAL = "partial"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, eq=False)
class KeptAnalyses:
    """Results of analyses so far; None for an analysis that was never started."""

    members: MemberErrors | None = None
    leaning: BiasVariance | None = None
    permuted: AttributeImportance | None = None
    dropped: AttributeImportance | None = None
    effects: LearnerEffects | None = None
    surrogate: SurrogateTree | None = None
    errors: ErrorGroups | None = None


@dataclass(eq=False)
class RunRecord:
    """A learner evaluated on ``data``, as edited when the run started; ``message`` says why it failed."""

    number: int
    learner: Learner
    method: Method
    recipe: Recipe
    seed: int
    data_name: str
    data: Dataset
    state: RunState = RunState.RUNNING
    result: EvaluationResult | None = None
    trained: TrainedClassifier | None = None
    folds: Sequence[FoldDone] = ()
    note: str = ""
    message: str = ""
    seconds: float = 0.0
    choice: Choice | None = None
    """The decision rule that the user set; None for the model's default."""
    shuffle: ShuffleTest | None = None
    """The permutation test so far; None if it was not started."""
    sweeps: Mapping[tuple[str, str], Sweep] = field(default_factory=dict)
    """Learning and complexity curves so far, by parameter and typed values; never changed in place."""
    findings: KeptAnalyses | None = None
    """Member errors, bias and variance so far; None if not requested."""
    parts: Kept = field(default_factory=dict)
    """Evaluated parts of a stopped run, which an equal run reuses; empty once done."""


class ComparisonMember(NamedTuple):
    """A learner of a comparison: its displayed name, the complexity rank of its models, and its run number."""

    name: str
    burden: int
    run: int


@dataclass(frozen=True)
class ComparisonRecord:
    """Learners compared on the same tests.

    ``unfinished`` says why some were not evaluated, ``is_away`` whether the user closed the ranking. ``waiting`` are
    the learners that had not started, with their complexity ranks; None where they are unknown, as in older projects.
    ``time_limit`` is in seconds.
    """

    entries: tuple[ComparisonMember, ...]
    unfinished: str = ""
    is_away: bool = False
    waiting: tuple[tuple[int, Learner], ...] | None = None
    time_limit: float | None = None


@dataclass(eq=False)
class TableSource:
    """The source of a table: a file (``path``, ``size`` in bytes, ``modified`` in ns), a pasted ``text``, or none.

    ``options`` are the import options set by the user, ``read_as`` the ones used. Size and time are 0 while unknown.
    """

    path: str | None = None
    size: int = 0
    modified: int = 0
    text: str | None = None
    options: ReadOptions | None = None
    read_as: ReadOptions | None = None

    @property
    def can_be_looked_at(self) -> bool:
        """Whether it is a local file that existed; opening a network path could contact an unknown machine."""
        return self.path is not None and bool(self.modified) and not self.path.replace("\\", "/").startswith("//")

    def what_became_of_it(self) -> str:
        """A sentence if the file has changed or is gone, else empty. Call it only on the user's request."""
        if self.path is None or not self.can_be_looked_at:
            return ""
        name = Path(self.path).name
        try:
            status = Path(self.path).stat()
        except OSError:
            return f"{name} is no longer where it was; the project has the values of its own."
        if (status.st_size, status.st_mtime_ns) == (self.size, self.modified):
            return ""
        return f"{name} has changed since; the project has the values that were read then."
