"""The changes that runs bring: what was judged, noted, decided and found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from algorithms.core.errors import ModelFileError
from algorithms.core.registry import Registry
from algorithms.evaluation.choices import Choice
from algorithms.evaluation.shuffling import ShuffleTest
from algorithms.persistence.change import Change
from algorithms.persistence.choices import choice_from_json, choice_to_json
from algorithms.persistence.findings import Findings, findings_from_json, findings_to_json, n_classes_of
from algorithms.persistence.kept_project import Project
from algorithms.persistence.kept_runs import (
    KeptRun,
    run_from_json,
    run_to_json,
    shuffle_from_json,
    shuffle_to_json,
)
from algorithms.persistence.shared import Reader, Writer
from algorithms.persistence.stored import a_list, a_text, an_integer, an_object
from algorithms.persistence.sweeps import Sweeps, sweeps_from_json, sweeps_to_json


@dataclass(frozen=True, eq=False)
class RunChanged(Change):
    """A run began or came further."""

    do = "run"
    run: KeptRun

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return run_to_json(self.run, writer)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        return cls(run_from_json(stored, reader, registry))

    def apply(self, project: Project) -> None:
        project.runs[self.run.number] = self.run


@dataclass(frozen=True, eq=False)
class LedgerChanged(Change):
    """Which runs are shown, and which of them is in view; their notes."""

    do = "ledger"
    ledger: tuple[int, ...]
    view: int | None

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"ledger": list(self.ledger), "view": self.view}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        ledger = tuple(int(number) for number in a_list(stored, "ledger"))
        return cls(ledger, None if stored.get("view") is None else an_integer(stored, "view"))

    def apply(self, project: Project) -> None:
        project.ledger, project.view = list(dict.fromkeys(self.ledger)), self.view


@dataclass(frozen=True, eq=False)
class Noted(Change):
    """A note was written on a run."""

    do = "note"
    number: int
    note: str

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"number": self.number, "note": self.note}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        return cls(an_integer(stored, "number"), a_text(stored, "note"))

    def apply(self, project: Project) -> None:
        if self.number in project.runs:
            project.runs[self.number] = replace(project.runs[self.number], note=self.note)


@dataclass(frozen=True, eq=False)
class NotesAside(Change):
    """The notes on trees that were undone, by the numbers of their runs."""

    do = "notes aside"
    notes: Mapping[int, str]

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"notes": [[number, note] for number, note in self.notes.items()]}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        return cls({int(number): str(note) for number, note in a_list(stored, "notes")})

    def apply(self, project: Project) -> None:
        project.notes_aside = self.notes


@dataclass(frozen=True, eq=False)
class Decided(Change):
    """A run decides by something else, or by its model again."""

    do = "decide"
    number: int
    choice: Choice | None

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"number": self.number, "choice": choice_to_json(self.choice)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        return cls(an_integer(stored, "number"), choice_from_json(stored.get("choice")))

    def apply(self, project: Project) -> None:
        if self.number in project.runs:
            project.runs[self.number] = replace(project.runs[self.number], choice=self.choice)


@dataclass(frozen=True, eq=False)
class Shuffled(Change):
    """A run was tested on shuffled classes."""

    do = "shuffle"
    number: int
    test: ShuffleTest | None

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"number": self.number, "test": shuffle_to_json(self.test, writer)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        return cls(an_integer(stored, "number"), shuffle_from_json(stored.get("test"), reader))

    def apply(self, project: Project) -> None:
        if self.number in project.runs:
            project.runs[self.number] = replace(project.runs[self.number], shuffle=self.test)


@dataclass(frozen=True, eq=False)
class Swept(Change):
    """The learning and complexity curves of a run as they are now."""

    do = "sweep"
    number: int
    sweeps: Sweeps

    def to_json(self, writer: Writer) -> dict[str, Any]:
        return {"number": self.number, "sweeps": sweeps_to_json(self.sweeps, writer)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        return cls(an_integer(stored, "number"), sweeps_from_json(stored.get("sweeps"), reader, registry))

    def apply(self, project: Project) -> None:
        if self.number in project.runs:
            project.runs[self.number] = replace(project.runs[self.number], sweeps=self.sweeps)


@dataclass(frozen=True, eq=False)
class Found(Change):
    """What was found about a run as it is now: how its members err, where its error comes from."""

    do = "find"
    number: int
    findings: Findings | None
    n_classes: int
    n_attributes: int

    def to_json(self, writer: Writer) -> dict[str, Any]:
        of = {"classes": self.n_classes, "attributes": self.n_attributes}
        findings = None if self.findings is None else findings_to_json(self.findings, writer)
        return {"number": self.number, "of": of, "findings": findings}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any], reader: Reader, registry: Registry) -> Self:
        of = an_object(stored, "of")
        k, n = an_integer(of, "classes"), an_integer(of, "attributes")
        found = findings_from_json(stored.get("findings"), reader, registry, k, n)
        return cls(an_integer(stored, "number"), found, k, n)

    def apply(self, project: Project) -> None:
        run = project.runs.get(self.number)
        if run is None:
            return
        if (self.n_classes, self.n_attributes) != (n_classes_of(run.data), len(run.data.schema)):
            raise ModelFileError("The file is damaged: what was found about a run is of another table.")
        project.runs[self.number] = replace(run, findings=self.findings)
