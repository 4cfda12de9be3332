"""The contents of a project, and the sequence of changes that creates it: edits, runs, notes, decision rules.

A :class:`ProjectChange` is one step in the creation of a :class:`Project`; :func:`changes_of` returns the shortest
sequence for a project.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from typing import Any, ClassVar, Final, Self

from algorithms.core.errors import CoppiceError, ModelFileError
from algorithms.core.files import Stamp
from algorithms.core.learner import Learner
from algorithms.core.model_editing import EditedModel, ModelEdits, edits_from, edits_to_text
from algorithms.core.plain_json import (
    a_flag,
    a_list,
    a_text,
    an_integer,
    an_object,
    finite_number,
)
from algorithms.core.record_costs import CostCell
from algorithms.core.registry import Registry
from algorithms.data.dataset import Dataset
from algorithms.evaluation.compare.permutation_test import ShuffleTest
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.decision_rules import Choice
from algorithms.project.kept_runs import (
    Sweeps,
    findings_from_json,
    findings_to_json,
    n_classes_of,
    run_from_json,
    run_to_json,
    shuffle_from_json,
    shuffle_to_json,
    steps_from_json,
    steps_to_json,
    sweeps_from_json,
    sweeps_to_json,
)
from algorithms.project.models import (
    choice_from_json,
    choice_to_json,
    configurable_from,
    options_from_json,
    options_to_json,
)
from algorithms.project.run_record import (
    ComparisonMember,
    ComparisonRecord,
    Document,
    DocumentStep,
    KeptAnalyses,
    RunRecord,
    TableSource,
)
from algorithms.project.shared_storage import SharedReader, SharedWriter


def source_to_json(source: TableSource, writer: SharedWriter) -> dict[str, Any]:
    return {
        "path": source.path,
        "size": source.size,
        "modified": source.modified,
        "text": None if source.text is None else writer.words((source.text,)),
        "options": None if source.options is None else options_to_json(source.options),
        "read_as": None if source.read_as is None else options_to_json(source.read_as),
    }


def source_from_json(stored: Mapping[str, Any], reader: SharedReader) -> TableSource:
    """The source from its JSON form; raises :class:`ModelFileError` or one of ``NONSENSE``."""
    path, text = stored.get("path"), stored.get("text")
    words = () if text is None else reader.get(text, tuple)
    if words and not isinstance(words[0], str):
        raise ModelFileError("The file is damaged: what was pasted is no text.")
    return TableSource(
        path=None if path is None else a_text(stored, "path"),
        size=an_integer(stored, "size"),
        modified=an_integer(stored, "modified"),
        text=words[0] if words else None,
        options=None if stored.get("options") is None else options_from_json(an_object(stored, "options")),
        read_as=None if stored.get("read_as") is None else options_from_json(an_object(stored, "read_as")),
    )


@dataclass(eq=False)
class Project:
    """The contents of a project.

    ``steps[0]`` is the table as opened, ``index`` the current step, later steps are undone. ``runs`` are by number;
    ``ledger`` lists the displayed ones in order, ``view`` the selected one. ``interest`` is the class of interest by
    class attribute. ``place`` is the state of the window (JSON values), ``tried`` the latest comparison of learners.
    ``path`` is the project file, if any, and ``stamp`` its version when this window wrote or read it. ``is_edited``
    says whether some edits are in no file, ``is_saved`` whether the file holds everything. ``notes_aside`` are the
    notes on hand-edited trees that were undone, by run number. ``remarks`` are sentences on what could not be read.
    """

    steps: list[DocumentStep] = field(default_factory=list)
    index: int = 0
    source: TableSource = field(default_factory=TableSource)
    runs: dict[int, RunRecord] = field(default_factory=dict)
    ledger: list[int] = field(default_factory=list)
    view: int | None = None
    interest: Mapping[str, str] = field(default_factory=dict)
    place: Mapping[str, Any] = field(default_factory=dict)
    tried: ComparisonRecord | None = None
    path: str | None = None
    stamp: Stamp | None = None
    is_edited: bool = False
    is_saved: bool = False
    notes_aside: Mapping[int, str] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)

    @property
    def costs(self) -> CostMatrix | None:
        """The costs after the current step."""
        return self.steps[self.index].document.costs if self.steps else None

    @property
    def last_number(self) -> int:
        """The highest run number in use, including runs of undone trees; the next run needs a higher one."""
        by_hand = (tree.run for step in self.steps for tree in step.document.trees)
        with_rules = (number for step in self.steps for number, _ in step.document.rules)
        return max((*self.runs, *by_hand, *with_rules), default=0)

    @property
    def has_one_set_of_rules(self) -> bool:
        """Whether the decision rules are the same after every step: then the runs alone tell them."""
        return all(step.document.rules == self.steps[0].document.rules for step in self.steps)

    def with_rules_in_runs(self) -> Project:
        """The project whose steps have no decision rules, as programs before version 6 knew them."""
        steps = [DocumentStep(text, replace(document, rules=())) for text, document in self.steps]
        return replace(self, steps=steps)

    def with_rules_in_steps(self) -> Project:
        """The project whose steps and runs have the same decision rules; those of the runs if no step has any."""
        if any(document.rules for _, document in self.steps):
            rules = dict(self.steps[self.index].document.rules)
            runs = {number: replace(run, choice=rules.get(number)) for number, run in self.runs.items()}
            return replace(self, runs=runs)
        chosen = tuple(sorted((number, run.choice) for number, run in self.runs.items() if run.choice is not None))
        if not chosen:
            return self
        return replace(self, steps=[DocumentStep(t, replace(document, rules=chosen)) for t, document in self.steps])

    @property
    def notes_not_shown(self) -> dict[int, str]:
        """The notes on runs that are not displayed, including those left by an incomplete journal."""
        left = {number: run.note for number, run in self.runs.items() if run.note and number not in self.ledger}
        return {**self.notes_aside, **left}

    @property
    def shown_runs(self) -> list[RunRecord]:
        """The displayed runs, in order."""
        return [self.runs[number] for number in self.ledger if number in self.runs]


TREE: Final = "tree"


def hand_edited_to_json(models: Sequence[ModelEdits]) -> list[dict[str, Any]]:
    """The hand-edited models as JSON values; trees, the first kind supported, are stored without their kind."""
    return [
        {
            "run": model.run,
            "origin": model.origin,
            "edits": edits_to_text(model.edits),
            **({} if model.kind == TREE else {"kind": model.kind}),
        }
        for model in models
    ]


def hand_edited_from_json(stored: Any, registry: Registry) -> tuple[ModelEdits, ...]:
    """The hand-edited models from JSON values; raises :class:`CoppiceError` or one of ``NONSENSE`` if invalid."""
    return tuple(
        ModelEdits(
            an_integer(model, "run"),
            an_integer(model, "origin"),
            edits_from(EditedModel.of_kind(model.get("kind", TREE), registry).edit, a_text(model, "edits")),
        )
        for model in stored
    )


class ProjectChange(ABC):
    """One change in the sequence that creates a project."""

    do: ClassVar[str]

    @abstractmethod
    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        """The change as JSON values; shared objects are referenced by their numbers in ``writer``."""

    @classmethod
    @abstractmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        """The change from its JSON form; raises :class:`CoppiceError` or one of ``NONSENSE``."""

    @abstractmethod
    def apply(self, project: Project) -> None: ...


@dataclass(frozen=True, eq=False)
class RunChanged(ProjectChange):
    """A run started or advanced."""

    do = "run"
    run: RunRecord

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        return run_to_json(self.run, writer)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        return cls(run_from_json(stored, reader, registry))

    def apply(self, project: Project) -> None:
        project.runs[self.run.number] = self.run


@dataclass(frozen=True, eq=False)
class RunListChanged(ProjectChange):
    """The list of displayed runs, or the selected one, changed."""

    do = "ledger"
    ledger: tuple[int, ...]
    view: int | None

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        return {"ledger": list(self.ledger), "view": self.view}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        ledger = tuple(int(number) for number in a_list(stored, "ledger"))
        return cls(ledger, None if stored.get("view") is None else an_integer(stored, "view"))

    def apply(self, project: Project) -> None:
        project.ledger, project.view = list(dict.fromkeys(self.ledger)), self.view


@dataclass(frozen=True, eq=False)
class UndoneTreeNotesChanged(ProjectChange):
    """The notes on undone trees, by run number, changed."""

    do = "notes aside"
    notes: Mapping[int, str]

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        return {"notes": [[number, note] for number, note in self.notes.items()]}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        return cls({int(number): str(note) for number, note in a_list(stored, "notes")})

    def apply(self, project: Project) -> None:
        project.notes_aside = self.notes


@dataclass(frozen=True, eq=False)
class RunPartChanged(ProjectChange):
    """One attribute of a run changed; the second field of a subclass has its name and new value."""

    number: int

    def apply(self, project: Project) -> None:
        run = project.runs.get(self.number)
        if run is not None:
            part = fields(self)[1].name
            project.runs[self.number] = replace(run, **{part: getattr(self, part)})


@dataclass(frozen=True, eq=False)
class RunNoteChanged(RunPartChanged):
    """The note on a run changed."""

    do = "note"
    note: str

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        return {"number": self.number, "note": self.note}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        return cls(an_integer(stored, "number"), a_text(stored, "note"))


@dataclass(frozen=True, eq=False)
class DecisionRuleChanged(RunPartChanged):
    """The user set another decision rule for a run, or restored the default."""

    do = "decide"
    choice: Choice | None

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        return {"number": self.number, "choice": choice_to_json(self.choice)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        return cls(an_integer(stored, "number"), choice_from_json(stored.get("choice")))


@dataclass(frozen=True, eq=False)
class PermutationTestChanged(RunPartChanged):
    """The permutation test of a run changed."""

    do = "shuffle"
    shuffle: ShuffleTest | None

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        return {"number": self.number, "test": shuffle_to_json(self.shuffle, writer)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        return cls(an_integer(stored, "number"), shuffle_from_json(stored.get("test"), reader))


@dataclass(frozen=True, eq=False)
class LearningCurvesChanged(RunPartChanged):
    """The learning or complexity curves of a run changed."""

    do = "sweep"
    sweeps: Sweeps

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        return {"number": self.number, "sweeps": sweeps_to_json(self.sweeps, writer)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        return cls(an_integer(stored, "number"), sweeps_from_json(stored.get("sweeps"), reader, registry))


@dataclass(frozen=True, eq=False)
class RunAnalysesChanged(RunPartChanged):
    """The member errors, or bias and variance, of a run changed."""

    do = "find"
    findings: KeptAnalyses | None
    n_classes: int
    n_attributes: int

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        of = {"classes": self.n_classes, "attributes": self.n_attributes}
        findings = None if self.findings is None else findings_to_json(self.findings, writer)
        return {"number": self.number, "of": of, "findings": findings}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        of = an_object(stored, "of")
        k, n = an_integer(of, "classes"), an_integer(of, "attributes")
        findings = findings_from_json(stored.get("findings"), reader, registry, k, n)
        return cls(an_integer(stored, "number"), findings, k, n)

    def apply(self, project: Project) -> None:
        run = project.runs.get(self.number)
        if run is not None and (self.n_classes, self.n_attributes) != (n_classes_of(run.data), len(run.data.schema)):
            raise ModelFileError("The file is damaged: what was found about a run is of another table.")
        super().apply(project)


@dataclass(frozen=True, eq=False)
class TableOpened(ProjectChange):
    """A table was opened."""

    do = "open"
    step: DocumentStep
    source: TableSource

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        costs = self.step.document.costs
        values = {"step": _step_to_json(self.step, writer), "source": source_to_json(self.source, writer)}
        return values if costs is None else {**values, "costs": _costs_to_json(costs)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        step = _step_from_json(an_object(stored, "step"), reader, registry)
        step = _with_costs(step, _costs_from_json(stored.get("costs")))
        return cls(step, source_from_json(an_object(stored, "source"), reader))

    def apply(self, project: Project) -> None:
        project.steps, project.index, project.source = [self.step], 0, self.source


@dataclass(frozen=True, eq=False)
class DocumentChanged(ProjectChange):
    """The steps after the first ``kept`` were replaced; the first is the opened table, ``index`` the current one.

    ``costs`` has the costs after each of the steps that changes them, by its place among ``steps``.
    """

    do = "edit"
    kept: int
    steps: tuple[DocumentStep, ...]
    index: int
    costs: Mapping[int, CostMatrix | None] = field(default_factory=dict)

    @classmethod
    def after(cls, kept: Sequence[DocumentStep], steps: Sequence[DocumentStep], index: int) -> Self:
        """These steps after those that are kept."""
        costs = [step.document.costs for step in (kept[-1], *steps)]
        changes = {place: now for place, (before, now) in enumerate(pairwise(costs)) if now != before}
        return cls(len(kept), tuple(steps), index, changes)

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        steps = [_step_to_json(step, writer) for step in self.steps]
        values = {"kept": self.kept, "steps": steps, "index": self.index}
        costs = [[place, _costs_to_json(now)] for place, now in self.costs.items()]
        return {**values, "costs": costs} if costs else values

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        steps = tuple(_step_from_json(step, reader, registry) for step in a_list(stored, "steps"))
        changes = a_list(stored, "costs") if "costs" in stored else []
        costs = {int(place): _costs_from_json(now) for place, now in changes}
        return cls(an_integer(stored, "kept"), steps, an_integer(stored, "index"), costs)

    def apply(self, project: Project) -> None:
        steps = [*project.steps[: self.kept], *self.steps]
        if not 1 <= self.kept <= len(project.steps) or not 0 <= self.index < len(steps):
            raise ModelFileError("The file is damaged: its changes do not follow one another.")
        for place in range(len(self.steps)):
            before = steps[self.kept + place - 1].document.costs
            steps[self.kept + place] = _with_costs(self.steps[place], self.costs.get(place, before))
        project.steps, project.index = steps, self.index


def _with_costs(step: DocumentStep, costs: CostMatrix | None) -> DocumentStep:
    if step.document.costs == costs:
        return step
    return DocumentStep(step.text, replace(step.document, costs=costs))


def _cost(stored: Any) -> CostCell:
    return stored if isinstance(stored, str) else float(stored)


def _costs_to_json(costs: CostMatrix | None) -> dict[str, Any] | None:
    if costs is None:
        return None
    rows = [list(row) for row in costs.costs]
    return {"classes": list(costs.classes), "costs": rows, "currency": costs.currency}


def _costs_from_json(stored: Any) -> CostMatrix | None:
    if stored is None:
        return None
    rows = tuple(tuple(_cost(cost) for cost in row) for row in a_list(stored, "costs"))
    labels = tuple(str(label) for label in a_list(stored, "classes"))
    currency, amounts = (str(stored.get(name, "")) for name in ("currency", "amounts"))
    matrix = CostMatrix(labels, rows, currency)
    return matrix.times(amounts) if amounts else matrix  # amounts are from before formulas


@dataclass(frozen=True, eq=False)
class CostsChanged(ProjectChange):
    """The classes of interest changed.

    ``costs`` are those of the project. Before version 5 the steps had none: the costs were the same after all of them.
    """

    do = "choose"
    interest: Mapping[str, str]
    costs: CostMatrix | None

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        return {"interest": dict(self.interest), "costs": _costs_to_json(self.costs)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        interest = {str(name): str(label) for name, label in an_object(stored, "interest").items()}
        return cls(interest, _costs_from_json(stored.get("costs")))

    def apply(self, project: Project) -> None:
        project.interest = self.interest
        if self.costs != project.costs:
            project.steps = [_with_costs(step, self.costs) for step in project.steps]


@dataclass(frozen=True, eq=False)
class ComparisonChanged(ProjectChange):
    """The latest comparison of learners changed; None if there is none."""

    do = "try"
    trial: ComparisonRecord | None

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        if self.trial is None:
            return {"entries": None}
        entries = [list(entry) for entry in self.trial.entries]
        away = {"away": True} if self.trial.is_away else {}
        waiting, limit = self.trial.waiting, self.trial.time_limit
        return {
            "entries": entries,
            "unfinished": self.trial.unfinished,
            **away,
            **({} if waiting is None else {"waiting": [[burden, learner.to_json()] for burden, learner in waiting]}),
            **({} if limit is None else {"time_limit": limit}),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        if stored.get("entries") is None:
            return cls(None)
        entries = tuple(
            ComparisonMember(str(name), int(burden), int(run)) for name, burden, run in a_list(stored, "entries")
        )
        is_away = "away" in stored and a_flag(stored, "away")
        limit = finite_number(stored.get("time_limit"))
        return cls(ComparisonRecord(entries, a_text(stored, "unfinished"), is_away, _waiting(stored, registry), limit))

    def apply(self, project: Project) -> None:
        project.tried = self.trial


def _waiting(stored: Mapping[str, Any], registry: Registry) -> tuple[tuple[int, Learner], ...] | None:
    """Learners of a comparison that had not started; None if one of them is unknown here."""
    if "waiting" not in stored:
        return None
    try:
        return tuple(
            (int(burden), configurable_from(Learner, learner, registry))
            for burden, learner in a_list(stored, "waiting")
        )
    except CoppiceError:
        return None


@dataclass(frozen=True, eq=False)
class WindowPlaceChanged(ProjectChange):
    """The state of the window changed: tab, selection and the like."""

    do = "place"
    place: Mapping[str, Any]

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        return {"place": dict(self.place)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        return cls(an_object(stored, "place"))

    def apply(self, project: Project) -> None:
        project.place = self.place


@dataclass(frozen=True, eq=False)
class ProjectSaved(ProjectChange):
    """The project file, and the flags about unsaved edits, changed."""

    do = "save"
    path: str | None
    is_edited: bool
    is_saved: bool
    stamp: Stamp | None = None

    def to_json(self, writer: SharedWriter) -> dict[str, Any]:
        stamp = None if self.stamp is None else {"size": self.stamp.size, "modified": self.stamp.modified}
        return {"path": self.path, "is_edited": self.is_edited, "is_saved": self.is_saved, "stamp": stamp}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> Self:
        path = None if stored.get("path") is None else a_text(stored, "path")
        stored_stamp = None if stored.get("stamp") is None else an_object(stored, "stamp")
        stamp = (
            None
            if stored_stamp is None
            else Stamp(an_integer(stored_stamp, "size"), an_integer(stored_stamp, "modified"))
        )
        return cls(path, a_flag(stored, "is_edited"), a_flag(stored, "is_saved"), stamp)

    def apply(self, project: Project) -> None:
        project.path, project.is_edited, project.is_saved = self.path, self.is_edited, self.is_saved
        project.stamp = self.stamp


CHANGES: Final[Mapping[str, type[ProjectChange]]] = {
    change.do: change
    for change in (
        TableOpened,
        DocumentChanged,
        RunChanged,
        RunListChanged,
        RunNoteChanged,
        UndoneTreeNotesChanged,
        CostsChanged,
        DecisionRuleChanged,
        PermutationTestChanged,
        LearningCurvesChanged,
        RunAnalysesChanged,
        ComparisonChanged,
        WindowPlaceChanged,
        ProjectSaved,
    )
}


def changes_of(project: Project) -> list[ProjectChange]:
    """The shortest sequence of changes that creates this project."""
    first, *others = project.steps
    return [
        TableOpened(first, project.source),
        DocumentChanged.after([first], others, project.index),
        *(RunChanged(run) for run in project.runs.values()),
        RunListChanged(tuple(project.ledger), project.view),
        *([UndoneTreeNotesChanged(project.notes_aside)] if project.notes_aside else []),
        CostsChanged(project.interest, project.costs),
        *([] if project.tried is None else [ComparisonChanged(project.tried)]),
        WindowPlaceChanged(project.place),
        ProjectSaved(project.path, project.is_edited, project.is_saved, project.stamp),
    ]


def _step_to_json(step: DocumentStep, writer: SharedWriter) -> dict[str, Any]:
    text, document = step
    values = {"text": text, "data": writer.data(document.data), **steps_to_json(document.steps)}
    values |= {"trees": hand_edited_to_json(document.trees)} if document.trees else {}
    rules = [[number, choice_to_json(choice)] for number, choice in document.rules]
    return {**values, "rules": rules} if rules else values


def _step_from_json(stored: Mapping[str, Any], reader: SharedReader, registry: Registry) -> DocumentStep:
    data = reader.get(stored.get("data"), Dataset)
    trees = hand_edited_from_json(stored.get("trees", []), registry)
    document = Document(data, steps_from_json(stored, registry), trees)
    for number, rule in a_list(stored, "rules") if "rules" in stored else []:
        document = document.with_rule(int(number), choice_from_json(rule))
    return DocumentStep(a_text(stored, "text"), document)
