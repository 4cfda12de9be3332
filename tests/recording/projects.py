"""Project files with edits, steps, runs, models edited by hand, costs, decision rules, notes and a permutation test.

Each must open in later versions with everything in it, and its models must predict the same to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from PySide6.QtWidgets import QApplication

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.data.dataset import Dataset
from algorithms.data.schema import numeric
from algorithms.evaluation.costs.cost_matrix import read_costs
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.filters.scale import Scale
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.costs.cost_sensitive import CostSensitive
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.linear.discriminant_analysis import LinearDiscriminant, QuadraticDiscriminant
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.multiclass.reductions import ErrorCorrectingCodes
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.rules.edited_rules import RuleChange, RuleEdit, name_in
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.svm.support_vector_machine import SupportVectorMachine
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.edits import EditedSplit, TreeEdit
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.project.models import choice_to_json
from algorithms.structures.rule_set import RuleSet
from tests.recording.command_line import folder_with_tables
from tests.recording.commands import LOANS, PATIENTS, Table
from tests.recording.storage import Entries
from tests.scripted_session import turn
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.session.settings import Settings

SUFFIX: Final = ".coppice"
LEARNERS: Final[tuple[Learner, ...]] = (
    NaiveBayes(),
    BayesianNetwork(),
    LogisticRegression(),
    LinearDiscriminant(),
    QuadraticDiscriminant(),
    NeuralNetwork(),
    SupportVectorMachine(),
    KNearestNeighbors(),
    RandomForest(members=6),
    ErrorCorrectingCodes(),
    CostSensitive(),
    ZeroR(),
)
"""One of each kind of picture, besides the trees and rules."""


@contextmanager
def open_session() -> Iterator[Session]:
    """A session without a table, whose settings nobody keeps."""
    application = QApplication.instance() or QApplication(["recording"])
    session = Session(builtin(), Settings())
    try:
        yield session
    finally:
        session.close()
        del application


def write_projects(folder: Path) -> None:
    """Work through both scripts and save what comes of them; a file that is there stays."""
    folder.mkdir(parents=True, exist_ok=True)
    for table, script in ((PATIENTS, _patients), (LOANS, _loans)):
        path = folder / f"{table.name}{SUFFIX}"
        if not path.exists():
            with folder_with_tables(), open_session() as session:
                _open(session, table)
                script(session)
                job = session.saving.save_project(path)
                turn(lambda job=job: not job.is_running)


def _open(session: Session, table: Table) -> None:
    session.open_file(table.source)
    turn(lambda: session.summary is not None)
    session.set_class(table.target)


def _run(session: Session, learner: Learner, folds: int = 3, seed: int = 7) -> Run:
    session.start_run(learner, CrossValidation(folds=folds), seed=seed)
    return _last(session)


def _last(session: Session) -> Run:
    turn(lambda: not any(run.is_running for run in session.runs))
    return session.runs[-1]


def _data(session: Session) -> Dataset:
    assert session.data is not None
    return session.data


def _patients(session: Session) -> None:
    session.set_used(["doctor", "part"], False)
    session.edit("Change two cells", _data(session).with_cells(1, [3, 5], np.array([120.5, 99.0])))
    session.edit("Remove records", _data(session).without([0, 17, 40]))
    values = np.sin(np.arange(len(_data(session))))
    session.edit("New column", _data(session).with_new_column(numeric("wave"), values))
    session.edit("Add a record", _data(session).with_new_rows(1))
    session.undo_stack.undo()
    session.set_recipe((ReplaceMissing(), Scale()), "Fill and scale")
    session.set_costs(read_costs(PATIENTS.costs, session.classes))
    session.set_class_of_interest(2)
    tree = _run(session, C45())
    session.analyses.edits.change(tree, TreeEdit((), EditedSplit("age", 0.5), True))
    _last(session)
    rules = _run(session, Ripper())
    structure = None if rules.trained is None else rules.trained.structure()
    assert isinstance(structure, RuleSet)
    session.analyses.edits.change(rules, RuleEdit(RuleChange.REMOVE, at=name_in(structure, 0), said="the first rule"))
    _last(session)
    for learner in LEARNERS:
        _run(session, learner)
    session.set_recipe((), "Use no steps")
    session.start_run(C45(min_leaf=5), Holdout(), seed=3)
    run = _last(session)
    session.ledger.set_note(run, "Held out, without the steps.")
    session.decisions.choose(session.runs[2], AtThreshold("high", 0.3))
    session.analyses.permutation_tests.start(run, 9)
    turn(lambda: session.analyses.permutation_tests.job_of(run) is None)
    session.set_current_run(tree)


def _loans(session: Session) -> None:
    session.set_costs(read_costs(LOANS.costs, session.classes))
    first = _run(session, NaiveBayes(), folds=5)
    session.ledger.set_note(first, "Ärgerlich: zu viele Fehlalarme.")
    second = _run(session, Cart(), folds=5)
    session.decisions.choose(first, ByCost())
    session.decisions.choose(second, AtThreshold("yes", 0.25))
    session.set_current_run(first)


# ---- what a file holds -----------------------------------------------------------------------------------------------


def read_projects(folder: Path) -> Entries:
    """What each project file of a folder holds once it is open, by the name of the file."""
    return {path.name: _content_of(path) for path in sorted(folder.glob(f"*{SUFFIX}"))}


def open_project(session: Session, path: Path) -> None:
    """Open a project file and wait until it is shown."""
    session.open_file(path)
    turn(lambda: session.summary is not None and not session.jobs.running)


def _content_of(path: Path) -> dict[str, Any]:
    with open_session() as session:
        open_project(session, path)
        assert session.history.opened is not None
        stack = session.undo_stack
        return {
            "history": [stack.text(step) for step in range(stack.count())],
            "step": stack.index(),
            "opened": _table_content(session.history.opened.data),
            "table": _table_content(_data(session)),
            "recipe": [step.to_json() for step in session.recipe],
            "interest": dict(session.decisions.interest.chosen),
            "costs": None if session.costs is None else [list(row) for row in session.costs.costs],
            "runs": [_run_content(session, run) for run in session.runs],
            "in view": None if session.current_run is None else session.current_run.number,
        }


def _table_content(data: Dataset) -> dict[str, Any]:
    columns = {}
    for index, attribute in enumerate(data.schema.attributes):
        columns[attribute.name] = {
            "kind": str(attribute.kind),
            "used": attribute.used,
            "labels": list(attribute.values),
            "values": [_plain(value) for value in data.column(index).tolist()],
        }
    return {"class": data.schema.class_attribute.name, "columns": columns, "ids": data.row_ids.tolist()}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _run_content(session: Session, run: Run) -> dict[str, Any]:
    choice, report = session.decisions.chosen(run), run.report
    assert run.result is not None and run.trained is not None and report is not None
    return {
        "number": run.number,
        "state": run.state.value,
        "learner": run.learner.to_json(),
        "method": run.method.to_json(),
        "recipe": [step.to_json() for step in run.recipe],
        "seed": run.seed,
        "note": run.note,
        "choice": choice_to_json(choice),
        "accuracy": report.accuracy,
        "decisions": run.result.decision.tolist(),
        "probabilities": run.result.probabilities.tolist(),
        "shuffled": None if run.shuffle is None else run.shuffle.scores.tolist(),
        "predicted": run.trained.predict_proba(run.data).tolist(),
    }
