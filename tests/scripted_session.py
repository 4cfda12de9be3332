"""A scripted session (edits of every kind, undo and redo, runs, models changed by hand, notes, costs), what it holds.

The actions of a script follow from its seed alone. :func:`state_of` says in named parts what there is, so that two
states that ought to be the same can be told apart by what differs.
"""

from __future__ import annotations

import faulthandler
import hashlib
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer
from shiboken6 import delete

from algorithms.catalogue import builtin
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.rules.edited_rules import EditedRules, RuleChange, RuleEdit, name_in
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.learners.trees.edits import EditedSplit, TreeEdit, way_to
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.tree import Tree
from workbench.autosave.autosave import Autosave
from workbench.autosave.recovery import Recovery
from workbench.session.runs import Run, RunState
from workbench.session.session import Session

ACTIONS: Final = 60
RECORDS: Final = 20_000
PROJECT: Final = "script.coppice"
State = dict[str, str]
"""A digest of each part of what a session holds, by the name of the part."""


def turn(condition: Callable[[], object], seconds: float = 600.0) -> None:
    """Run the event loop until the condition holds."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            faulthandler.dump_traceback()
            raise RuntimeError(f"still not so after {seconds:g} s")
        loop = QEventLoop()
        QTimer.singleShot(1, loop.quit)
        loop.exec()


def table(seed: int, records: int = RECORDS) -> Dataset:
    random = np.random.default_rng(seed)
    codes = np.arange(records) % 3
    names = np.array([f"Zoë {i % 50}" if i % 7 else np.nan for i in range(records)], dtype=object)
    attributes = (numeric("size"), Attribute("name", AttributeKind.TEXT), nominal("class", ["a", "b", "c"]))
    columns = [codes + random.normal(0, 0.5, records), names, codes]
    return Dataset(Schema(attributes, 2), columns, origin=DataOrigin(f"script {seed}"))


# ---- the script ------------------------------------------------------------------------------------------------------


def act(session: Session, seed: int, step: int) -> str:
    """One action, the same for the same seed, step and state, and one change of what is kept; its name."""
    random = np.random.default_rng((seed, step))
    kind = str(
        random.choice([*EDITS, *OTHERS, "undo", "undo", "make_leaf", "ask_by_hand", "restore_tree", "edit_rules"])
    )
    (EDITS.get(kind) or OTHERS[kind])(session, random, step)
    return kind


def edit_cells(session: Session, random: np.random.Generator, step: int) -> None:
    data = current(session)
    rows = random.choice(len(data), 5, replace=False)
    session.edit(f"{step}: change cells", data.with_cells(0, rows, random.normal(size=5)))


def edit_text(session: Session, random: np.random.Generator, step: int) -> None:
    data = current(session)
    words = np.array([f"ß {step}"], dtype=np.dtypes.StringDType(na_object=np.nan))
    session.edit(f"{step}: change a name", data.with_cells(1, [int(random.integers(len(data)))], words))


def add_records(session: Session, random: np.random.Generator, step: int) -> None:
    session.edit(f"{step}: add records", current(session).with_new_rows(int(random.integers(1, 4))))


def remove_records(session: Session, random: np.random.Generator, step: int) -> None:
    data = current(session)
    session.edit(f"{step}: remove records", data.without(random.choice(len(data), 7, replace=False)))


def new_column(session: Session, random: np.random.Generator, step: int) -> None:
    data = current(session)
    values = random.normal(size=len(data))
    session.edit(f"{step}: new column", data.with_new_column(numeric(f"new {step}"), values))


def whole_column(session: Session, random: np.random.Generator, step: int) -> None:
    data = current(session)
    session.edit(f"{step}: scale", data.with_column(0, data.schema.attributes[0], data.column(0) * random.normal()))


def leave_out(session: Session, random: np.random.Generator, step: int) -> None:
    attribute = current(session).schema.attributes[0]
    session.set_used([attribute.name], not attribute.used)


def change_recipe(session: Session, random: np.random.Generator, step: int) -> None:
    session.set_recipe(() if session.recipe else (ReplaceMissing(),), f"{step}: change the steps")


def undo(session: Session, random: np.random.Generator, step: int) -> None:
    session.undo_stack.undo()
    judged(session)


def redo(session: Session, random: np.random.Generator, step: int) -> None:
    session.undo_stack.redo()
    judged(session)


def run(session: Session, random: np.random.Generator, step: int) -> None:
    learner = C45() if random.random() < 0.3 else ZeroR()
    session.start_run(learner, CrossValidation(folds=3), seed=step)
    turn(lambda: not session.runs[-1].is_running)


def write_note(session: Session, random: np.random.Generator, step: int) -> None:
    if session.runs:
        session.ledger.set_note(session.runs[int(random.integers(len(session.runs)))], f"note {step}")


def remove_run(session: Session, random: np.random.Generator, step: int) -> None:
    plain = [run for run in session.runs if isinstance(run.learner, ZeroR)]
    if len(plain) > 3:
        session.remove_runs(plain[0])


def tree_run(session: Session) -> tuple[Run, Tree] | None:
    """The newest run of a tree; where there is none one is grown, and nothing else done."""
    if not any(isinstance(run.learner, C45 | EditedTree) for run in session.runs):
        session.start_run(C45(), CrossValidation(folds=3), seed=1)
        judged(session)
        return None
    for run in reversed(session.runs):
        structure = None if run.trained is None else run.trained.structure()
        if isinstance(run.learner, C45 | EditedTree) and isinstance(structure, Tree):
            return run, structure
    return None


def edit_tree(session: Session, random: np.random.Generator, edit: Callable[[Run, Tree, int], None]) -> None:
    """Do something at a node of the newest tree, and wait until what came of it is judged."""
    found = tree_run(session)
    if found is not None:
        run, tree = found
        edit(run, tree, int(random.integers(tree.n_nodes)))
        judged(session)


def edit_rules(session: Session, random: np.random.Generator, step: int) -> None:
    """Take a rule of the newest list away, or put it last; where there is no list one is learned."""
    lists = [run for run in session.runs if isinstance(run.learner, Ripper | EditedRules)]
    rules = None if not lists or lists[-1].trained is None else lists[-1].trained.structure()
    if not lists:
        session.start_run(Ripper(), CrossValidation(folds=3), seed=1)
    elif isinstance(rules, RuleSet) and rules.n_rules:
        name = name_in(rules, int(random.integers(rules.n_rules)))
        do = RuleChange.REMOVE if random.random() < 0.3 else RuleChange.MOVE
        session.analyses.edits.change(lists[-1], RuleEdit(do, at=name, said=f"rule of {step}"))
    judged(session)


def judged(session: Session) -> None:
    turn(lambda: not any(run.is_running for run in session.runs))


def make_leaf(session: Session, random: np.random.Generator, step: int) -> None:
    def prune(run: Run, tree: Tree, node: int) -> None:
        if not tree.is_leaf(node):
            session.analyses.edits.change(run, TreeEdit(way_to(tree, node)))

    edit_tree(session, random, prune)


def ask_by_hand(session: Session, random: np.random.Generator, step: int) -> None:
    def ask(run: Run, tree: Tree, node: int) -> None:
        threshold = float(round(random.normal(1.0), 2))
        session.analyses.edits.change(run, TreeEdit(way_to(tree, node), EditedSplit("size", threshold), bool(step % 2)))

    edit_tree(session, random, ask)


def restore_tree(session: Session, random: np.random.Generator, step: int) -> None:
    def restore(run: Run, tree: Tree, node: int) -> None:
        edits = session.analyses.edits.edits_of(run)
        if edits:
            session.analyses.edits.restore(run, edits[int(random.integers(len(edits)))].at)

    edit_tree(session, random, restore)


def save(session: Session, random: np.random.Generator, step: int) -> None:
    job = session.saving.save_project(session.settings.get("project", ""))
    turn(lambda: not job.is_running)


def choose_interest(session: Session, random: np.random.Generator, step: int) -> None:
    session.set_class_of_interest(int(random.integers(3)))


def choose_costs(session: Session, random: np.random.Generator, step: int) -> None:
    rows = tuple(tuple(float(i != j) * (1 + step) for j in range(3)) for i in range(3))
    session.set_costs(CostMatrix(("a", "b", "c"), rows))


Act = Callable[[Session, np.random.Generator, int], None]
EDITS: dict[str, Act] = {
    act.__name__: act
    for act in (
        edit_cells,
        edit_text,
        add_records,
        remove_records,
        new_column,
        whole_column,
        leave_out,
        change_recipe,
        undo,
        redo,
    )
}
OTHERS: dict[str, Act] = {
    act.__name__: act
    for act in (
        run,
        write_note,
        remove_run,
        make_leaf,
        ask_by_hand,
        restore_tree,
        edit_rules,
        choose_interest,
        choose_costs,
        save,
    )
}


def current(session: Session) -> Dataset:
    assert session.data is not None
    return session.data


# ---- what is there ---------------------------------------------------------------------------------------------------


def state_of(session: Session) -> State:
    """Everything that must not be lost; runs that were cut short are no part of it."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in _parts(session)}


def _parts(session: Session) -> Iterator[tuple[str, bytes]]:
    stack, document, opened = session.undo_stack, session.document, session.history.opened
    assert document is not None and opened is not None
    yield "undo stack", repr([[stack.text(at) for at in range(stack.count())], stack.index()]).encode()
    yield "recipe", repr(session.recipe).encode()
    yield "models changed by hand", repr([each.edits for each in document.trees]).encode()
    yield "class of interest", repr(dict(session.decisions.interest.chosen)).encode()
    yield "costs", repr(session.costs).encode()
    for whose, data in (("the table as opened", opened.data), ("the table", document.data)):
        yield f"{whose}: schema", repr(data.schema).encode()
        for index, attribute in enumerate(data.schema.attributes):
            yield f"{whose}: column {index}, {attribute.name}", _of_column(data, index)
    done = (each for each in session.runs if each.state is RunState.DONE)
    for nth, each in enumerate(done, 1):
        run = f"run {nth}"
        assert each.result is not None and each.trained is not None
        yield f"{run}: seed and learner", repr((each.seed, each.learner)).encode()
        yield f"{run}: note", each.note.encode()
        yield f"{run}: name of the data", each.data_name.encode()
        yield f"{run}: decisions", each.result.decision.tobytes()
        yield f"{run}: probabilities", each.result.probabilities.tobytes()
        yield f"{run}: predictions", each.trained.predict_proba(each.data).tobytes()


def _of_column(data: Dataset, index: int) -> bytes:
    column = data.column(index)
    return repr(column.tolist()).encode() if column.dtype.kind == "T" else np.ascontiguousarray(column).tobytes()


def differing(one: State, other: State) -> list[str]:
    """The parts that are not the same in both, or only in one."""
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]


def states(seed: int, actions: int = ACTIONS, records: int = RECORDS) -> list[State]:
    """The states after 0, 1, 2 ... actions where nobody kills anything."""
    session = Session(builtin())
    session.set_document(table(seed, records))
    found = [state_of(session)]
    with tempfile.TemporaryDirectory() as place:
        session.settings.set("project", str(Path(place) / PROJECT))
        for step in range(actions):
            act(session, seed, step)
            found.append(state_of(session))
        session.close()
    return found


# ---- a process that keeps it -----------------------------------------------------------------------------------------


class Life:
    """A session with its keeper, as a process has them, restored from what is in a folder."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.session = Session(builtin())
        self.session.settings.set("project", str(folder.parent / f"{seed}-{PROJECT}"))
        self.keeper = Autosave(self.session, folder)
        self.folder, self.seed = folder, seed
        self.is_restored = self._restore()
        """Whether there was anything, shown at once or offered."""

    def _restore(self) -> bool:
        recovery = Recovery(self.session, self.keeper, self.folder, lambda act: act())
        recovery.begin()
        turn(lambda: not self.session.jobs.running)
        recovery._accept()
        if self.session.data is not None:
            judged(self.session)  # a model that was changed when the program ended is judged again
            self.kept()
        return self.session.data is not None

    def remove_cut_short(self) -> None:
        """The last life ended during these runs, and this one does them again."""
        for run in self.session.runs:
            if run.state is not RunState.DONE:
                self.session.remove_runs(run)

    def act(self, step: int) -> None:
        """One action, until it is kept."""
        act(self.session, self.seed, step)
        self.kept()

    def kept(self) -> None:
        """Wait until the disk has everything."""
        turn(lambda: self.keeper.is_kept)

    def close(self) -> None:
        """End as a process does: nothing of it can happen later."""
        if self.session.close():
            delete(self.session)
