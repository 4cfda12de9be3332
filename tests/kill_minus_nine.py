"""Kill the program at random moments and see that nothing is lost: ``python -m tests.kill_minus_nine --times 200``.

A scripted session runs in a process of its own: edits of every kind, undo and redo, runs, trees and rules changed by
hand, notes, costs. After each action it waits until the keeper says that the disk has it, and says so on its output. At
a random moment it gets SIGKILL. What it left is restored and compared, bit by bit, with what the same script gives when
nobody kills it: it must be the state after the last action that was acknowledged, or after one that came later. The
next process restores the same journal and goes on from there, until the script is at its end; then another begins.
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from algorithms.catalogue import builtin
from algorithms.core.data import Dataset, Origin
from algorithms.core.rule_set import RuleSet
from algorithms.core.schema import Attribute, Kind, Schema, nominal, numeric
from algorithms.core.structures import Tree
from algorithms.evaluation.costs import CostMatrix
from algorithms.evaluation.methods import CrossValidation
from algorithms.persistence.journal import SUFFIX, Journal
from algorithms.persistence.projects import load_project
from algorithms.preprocess.replace_missing import ReplaceMissing
from algorithms.rules.edited import EditedRules
from algorithms.rules.hand_edits import Do, RuleEdit, name_in
from algorithms.rules.ripper import Ripper
from algorithms.trees.c45 import C45
from algorithms.trees.edited import EditedTree
from algorithms.trees.hand_edits import Edit, Question
from algorithms.trees.paths import way_to
from algorithms.trees.zero_r import ZeroR
from workbench import keeper as keeping
from workbench.keeper import Keeper
from workbench.recovery import Recovery
from workbench.runs import Run, RunState
from workbench.session import Session

ACTIONS = 60
RECORDS = 20_000
LONGEST_LIFE = 2.0
LONGEST_AFTER = 0.01
"""Seconds after an acknowledgement, where the next action is likely to be on its way to the disk."""
ROOM = 2_000_000
"""Of the journal in bytes, so small that it is written anew several times a script."""
PROJECT = "script.coppice"


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


def table(seed: int) -> Dataset:
    random = np.random.default_rng(seed)
    codes = np.arange(RECORDS) % 3
    names = np.array([f"Zoë {i % 50}" if i % 7 else np.nan for i in range(RECORDS)], dtype=object)
    attributes = (numeric("size"), Attribute("name", Kind.TEXT), nominal("class", ["a", "b", "c"]))
    columns = [codes + random.normal(0, 0.5, RECORDS), names, codes]
    return Dataset(Schema(attributes, 2), columns, origin=Origin(f"script {seed}"))


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
        session.set_note(session.runs[int(random.integers(len(session.runs)))], f"note {step}")


def remove_run(session: Session, random: np.random.Generator, step: int) -> None:
    plain = [run for run in session.runs if isinstance(run.learner, ZeroR)]
    if len(plain) > 3:
        session.remove_run(plain[0])


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
        do = Do.REMOVE if random.random() < 0.3 else Do.MOVE
        session.hand_edits.change(lists[-1], RuleEdit(do, at=name, said=f"rule of {step}"))
    judged(session)


def judged(session: Session) -> None:
    turn(lambda: not any(run.is_running for run in session.runs))


def make_leaf(session: Session, random: np.random.Generator, step: int) -> None:
    def prune(run: Run, tree: Tree, node: int) -> None:
        if not tree.is_leaf(node):
            session.hand_edits.change(run, Edit(way_to(tree, node)))

    edit_tree(session, random, prune)


def ask_by_hand(session: Session, random: np.random.Generator, step: int) -> None:
    def ask(run: Run, tree: Tree, node: int) -> None:
        threshold = float(round(random.normal(1.0), 2))
        session.hand_edits.change(run, Edit(way_to(tree, node), Question("size", threshold), bool(step % 2)))

    edit_tree(session, random, ask)


def restore_tree(session: Session, random: np.random.Generator, step: int) -> None:
    def restore(run: Run, tree: Tree, node: int) -> None:
        edits = session.hand_edits.edits_of(run)
        if edits:
            session.hand_edits.restore(run, edits[int(random.integers(len(edits)))].at)

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


def state_of(session: Session) -> str:
    """A digest of everything that must not be lost; runs that were cut short are no part of it."""
    digest = hashlib.sha256()
    stack = session.undo_stack
    said = [[stack.text(at) for at in range(stack.count())], stack.index(), [repr(step) for step in session.recipe]]
    document = session.document
    made = [repr(each.edits) for each in (() if document is None else document.trees)]
    digest.update(json.dumps([*said, made, dict(session.interest), repr(session.costs)]).encode())
    for document in _documents(session):
        digest.update(repr(document.schema).encode())
        for index in range(len(document.schema)):
            column = document.column(index)
            plain = repr(column.tolist()).encode() if column.dtype.kind == "T" else np.ascontiguousarray(column)
            digest.update(plain)
    for each in session.runs:
        if each.state is RunState.DONE and each.result is not None and each.trained is not None:
            digest.update(json.dumps([each.seed, repr(each.learner), each.note, each.data_name]).encode())
            for array in (each.result.decision, each.result.probabilities, each.trained.predict_proba(each.data)):
                digest.update(np.ascontiguousarray(array))
    return digest.hexdigest()


def _documents(session: Session) -> list[Dataset]:
    """The table as opened, and as it is."""
    opened = session.opened
    assert opened is not None
    return [opened.data, current(session)]


def states(seed: int) -> list[str]:
    """The states after 0, 1, 2 ... actions where nobody kills anything."""
    session = Session(builtin())
    session.set_document(table(seed))
    found = [state_of(session)]
    with tempfile.TemporaryDirectory() as place:
        session.settings.set("project", str(Path(place) / PROJECT))
        for step in range(ACTIONS):
            act(session, seed, step)
            found.append(state_of(session))
        session.close()
    return found


def restored(session: Session, keeper: Keeper, folder: Path) -> bool:
    """Restore what was left in the folder, whether it is shown at once or offered; whether there was anything."""
    recovery = Recovery(session, keeper, folder, lambda act: act())
    recovery.begin()
    turn(lambda: not session.jobs.running)
    recovery._accept()
    if session.data is not None:
        judged(session)  # a tree that was changed when the program ended is judged again
        turn(lambda: keeper.is_kept)
    return session.data is not None


# ---- a life ----------------------------------------------------------------------------------------------------------


def live(folder: Path, seed: int, first: int) -> None:
    """The scripted session, from the action ``first`` on; says what is on the disk."""
    keeping.ROOM = ROOM  # type: ignore[misc]
    session = Session(builtin())
    session.settings.set("project", str(folder.parent / f"{seed}-{PROJECT}"))
    keeper = Keeper(session, folder)
    if not restored(session, keeper, folder):
        session.set_document(table(seed))
    for run in session.runs:
        if run.state is not RunState.DONE:  # the last life ended during it, and this one does it again
            session.remove_run(run)
    print("ready", flush=True)
    for step in range(first, ACTIONS):
        act(session, seed, step)
        turn(lambda: keeper.is_kept)
        print(f"kept {step + 1}", flush=True)
    turn(lambda: False, 3600)


@dataclass
class Figures:
    """What the lives were like."""

    lives: int = 0
    acknowledged: int = 0
    further: int = 0
    """Lives after which the journal held an action that was not acknowledged yet."""
    torn: int = 0
    """Lives that left a frame cut short."""
    before_ready: int = 0
    projects: int = 0
    """Lives after which there was a project file, which was whole."""
    lost: list[str] = field(default_factory=list)


def kill_once(folder: Path, seed: int, first: int, wanted: list[str], random: np.random.Generator, f: Figures) -> int:
    """One life and what it left; the number of actions that are there."""
    command = [sys.executable, "-m", "tests.kill_minus_nine", "--live", str(folder), str(seed), str(first)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines: list[str] = []
    ready = threading.Event()

    def read() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.strip())
            ready.set()
        ready.set()

    reader = threading.Thread(target=read)
    reader.start()
    if random.random() < 0.9:
        ready.wait(60)
    if random.random() < 0.5:
        time.sleep(random.uniform(0, LONGEST_LIFE))
    else:
        n = int(random.integers(1, 40))
        while len(lines) < min(n, ACTIONS - first) and process.poll() is None:
            time.sleep(0.0005)
        time.sleep(random.uniform(0, LONGEST_AFTER))
    process.kill()
    process.wait()
    reader.join()
    assert process.stdout is not None
    process.stdout.close()
    kept = [int(line.split()[1]) for line in lines if line.startswith("kept")]
    acknowledged = kept[-1] if kept else first
    f.lives += 1
    f.acknowledged += len(kept)
    f.before_ready += not lines
    there = look(folder, wanted, f)
    project = folder.parent / f"{seed}-{PROJECT}"
    if project.exists():
        load_project(project, builtin())  # whole, whenever the process was killed
        f.projects += 1
    if there is None or there < acknowledged:
        f.lost.append(f"seed {seed}, life {f.lives}: {acknowledged} actions were acknowledged, found: {there}")
        return ACTIONS
    f.further += there > acknowledged
    return there


def look(folder: Path, wanted: list[str], f: Figures) -> int | None:
    """Restore a copy of what was left: after how many actions it is; None where it is none of the wanted states."""
    with tempfile.TemporaryDirectory() as other:
        copy = Path(other) / "kept"
        if folder.exists():
            shutil.copytree(folder, copy)
        for path in copy.glob(f"*{SUFFIX}"):
            size = path.stat().st_size
            Journal.resume(path, builtin())[1].close()
            f.torn += path.stat().st_size < size
        session = Session(builtin())
        keeper = Keeper(session, copy)
        found = state_of(session) if restored(session, keeper, copy) else wanted[0]
        session.close()
    at = [step for step, state in enumerate(wanted) if state == found]
    return at[-1] if at else None


def kill(times: int, seed: int = 1) -> Figures:
    """So many lives, over as many scripts as it takes."""
    QApplication.instance() or QApplication(["kill-minus-nine"])
    random, figures, script = np.random.default_rng(seed), Figures(), seed
    wanted: list[str] = []
    first = ACTIONS
    with tempfile.TemporaryDirectory() as place:
        while figures.lives < times:
            if first >= ACTIONS:
                script += 1
                wanted, first = states(script), 0
            folder = Path(place) / f"kept-{script}"
            first = kill_once(folder, script, first, wanted, random, figures)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--live", nargs=3, metavar=("FOLDER", "SEED", "FIRST"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.live:
        QApplication(["kill-minus-nine"])
        folder, seed, first = given.live
        live(Path(folder), int(seed), int(first))
        return
    began = time.monotonic()
    figures = kill(given.times, given.seed)
    print(
        f"{figures.lives} processes killed in {time.monotonic() - began:.0f} s ({figures.before_ready} before they had"
        f" restored anything): {figures.acknowledged} actions acknowledged, {len(figures.lost)} lives lost some;"
        f" {figures.further} journals held an action not yet acknowledged, {figures.torn} a frame cut short;"
        f" {figures.projects} times there was a project file, always whole"
    )
    for line in figures.lost:
        print(line)
    if figures.lost:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
