"""Models edited by hand: each edit is a step of the history, each edited model a run of its own.

The document holds the edits of every such tree, rule set or network as plain data. Undo and redo change them, and the
run follows: its model at once, its evaluation when the job is done.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from PySide6.QtCore import QObject, Signal

from algorithms.core.learner import Model
from algorithms.core.model_editing import EditedModel, ModelEdits
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.learners.trees.edits import TreeEdit, Way, with_edit, without_edits_at
from algorithms.project.run_record import Document
from workbench.jobs.messages import Message, Messages
from workbench.session.document import History, steps_of
from workbench.session.runs import (
    CUT_SHORT,
    SHARE_OF_JUDGING,
    ModelTrained,
    Run,
    RunEvaluated,
    RunList,
    RunState,
    another_run,
    learned_from,
    learner_of_model,
    recipe_of_model,
    test_table,
)

if TYPE_CHECKING:
    from algorithms.core.training import TrainedClassifier
    from algorithms.learners.bayes.edited_network import NetworkEdit
    from algorithms.learners.rules.edited_rules import RuleEdit

Edits = tuple[Any, ...]
T = TypeVar("T")
MOST_KEPT: Final = 24
"""Most edited models kept with their results, so that undo restores them at once."""

MOST_REMEMBERED: Final = 400
"""Most edits whose predecessor is remembered; for older ones it is the edit before."""


class ModelEditing(QObject):
    """Keeps a run for each edited model of the document."""

    changed = Signal()

    def __init__(self, registry: Registry, history: History, ledger: RunList, messages: Messages) -> None:
        super().__init__(ledger)
        self._registry = registry
        self._history = history
        self._ledger = ledger
        self._messages = messages
        self._kept: OrderedDict[tuple[int, Edits], Run] = OrderedDict()
        self._edits_before: OrderedDict[tuple[int, Edits], Edits] = OrderedDict()
        self._notes: dict[int, str] = {}
        self._gone_with: dict[int, Callable[[], None]] = {}
        """By the number of a removed edited run: the call that restores the runs removed with it."""
        history.shown.connect(self._shown)

    # ---- edits -------------------------------------------------------------------------------------------------------

    def change(self, run: Run, edit: TreeEdit | RuleEdit | NetworkEdit) -> None:
        """Apply an edit to the tree, the rules or the network of a run."""
        if isinstance(edit, TreeEdit):
            self._push(run, with_edit(self.edits_of(run), edit), f"{edit.words()}: {_shortly(edit.at)}")
        else:
            self._push(run, (*self.edits_of(run), edit), edit.words())

    def restore_all(self, run: Run) -> None:
        """Undo all edits of the rules or the network of a run, as one step."""
        if isinstance(run.learner, EditedModel):
            self._push(run, (), f"Restore the {run.learner.edit.kind}")

    def restore(self, run: Run, at: Way) -> None:
        """Undo the edits at a node of the tree and below it, as one step."""
        self._push(run, without_edits_at(self.edits_of(run), at), f"Restore the tree: {_shortly(at)}")

    def remove(self, *runs: Run) -> list[Run]:
        """Remove these runs undoably if edited models are among them; else remove none and return all."""
        by_hand = {run.number: tree for run in runs if (tree := self.hand_tree(run)) is not None}
        plain = [run for run in runs if run.number not in by_hand]
        if not by_hand:
            return plain
        history = self._history
        others = tuple(tree for tree in history.needed.trees if tree not in by_hand.values())
        is_one = len(by_hand) == 1
        what = f"run {next(iter(by_hand))}" if is_one else f"{len(by_hand)} runs"
        history.push(f"Remove {what}, changed by hand", replace(history.needed, trees=others))
        were, them = ("was", "it") if is_one else ("were", "them")
        whole = f"{what.capitalize()} {were} removed with the changes made in {them}."
        if plain:
            self._gone_with[next(iter(by_hand))] = self._ledger.take_out(*plain)
            whole = f"{len(runs)} runs were removed, {what} with the changes made in {them}."
        self._messages.add(Message(f"{whole} Undo takes that back."))
        return []

    def edits_of(self, run: Run) -> Edits:
        return run.learner.edits if isinstance(run.learner, EditedModel) else ()

    def hand_tree(self, run: Run | None) -> ModelEdits | None:
        """The document's edits that this run shows; None where its model is not an edited one."""
        document = self._history.document
        if run is None or document is None:
            return None
        return next((tree for tree in document.trees if tree.run == run.number and run in self._ledger.runs), None)

    def origin_of(self, run: Run | None) -> Run | None:
        """The run whose model was edited, if it is still listed."""
        tree = self.hand_tree(run)
        return None if tree is None else self._numbered(tree.origin)

    def before(self, run: Run) -> Run | None:
        """The run before its last edit; None where it is no longer known."""
        tree = self.hand_tree(run)
        if tree is None:
            return None
        edits = self._edits_before.get((tree.run, tree.edits), tree.edits[:-1])
        return self._kept.get((tree.run, edits)) if edits else self._numbered(tree.origin)

    def _push(self, run: Run, edits: Edits, words: str) -> None:
        history, ledger = self._history, self._ledger
        model = self.hand_tree(run)
        others = tuple(tree for tree in history.needed.trees if tree != model)
        if model is None:
            model = ModelEdits(ledger.next_number, run.number, ())
            _keep(self._kept, (run.number, self.edits_of(run)), run, MOST_KEPT)
        _keep(self._edits_before, (model.run, edits), model.edits, MOST_REMEMBERED)
        edited = (replace(model, edits=edits),) if edits else ()
        history.push(words, replace(history.needed, trees=(*others, *edited)))

    # ---- notes of undone models --------------------------------------------------------------------------------------

    @property
    def notes(self) -> dict[int, str]:
        """Notes of undone models by run number, for redo to restore."""
        if not self._notes:
            return {}
        steps = steps_of(self._history.stack)
        within_reach = {tree.run for _, document in steps for tree in document.trees}
        shown = {run.number for run in self._ledger.runs}
        return {number: note for number, note in self._notes.items() if number in within_reach - shown}

    def restore_notes(self, notes: Mapping[int, str]) -> None:
        """Take the notes of undone models from a project."""
        self._notes = dict(notes)

    # ---- following the history ---------------------------------------------------------------------------------------

    def _shown(self, before: Document | None, now: Document) -> None:
        if before is None:
            self._kept.clear()
            self._edits_before.clear()
            self._gone_with.clear()
            self._go_on_with(now)
            return
        if before.trees == now.trees:
            return
        was, is_now = ({tree.run: tree for tree in document.trees} for document in (before, now))
        for number, tree in was.items():
            if number not in is_now:
                self._take_away(tree)
        for number, tree in is_now.items():
            if number not in was and number in self._gone_with:
                self._gone_with.pop(number)()  # before it: it may have been changed from one of them
            if was.get(number) != tree:
                self._bring(tree)
        self.changed.emit()

    def _go_on_with(self, restored: Document) -> None:
        """Evaluate again what was cut short or not begun when the program ended; remove what was undone."""
        ledger = self._ledger
        view = self._ledger.current
        undone = {tree.run: tree.origin for _, document in steps_of(self._history.stack) for tree in document.trees}
        for number in undone.keys() - {tree.run for tree in restored.trees}:
            run = self._numbered(number)
            if run is not None and isinstance(run.learner, EditedModel):
                self._notes[number] = run.note
                ledger.exchange(run, None)
                view = self._numbered(undone[number]) if run is view else view
        for tree in restored.trees:
            run = self._numbered(tree.run)
            if run is None or run.message == CUT_SHORT or self.edits_of(run) != tree.edits:
                self._bring(tree)
                view = self._numbered(tree.run) if run is view else view
        ledger.set_current(view)

    def _take_away(self, tree: ModelEdits) -> None:
        """Remove the run of a model whose edits were undone, and show the run it came from."""
        ledger, run = self._ledger, self._numbered(tree.run)
        if run is None:
            return
        self._put_aside(run)
        self._notes[run.number] = run.note
        ledger.exchange(run, None)
        if ledger.current is run:
            ledger.set_current(self._numbered(tree.origin) or (ledger.runs[-1] if ledger.runs else None))

    def _bring(self, tree: ModelEdits) -> None:
        """Show the run with these edits in the row of the model, and evaluate it where needed."""
        ledger, old = self._ledger, self._numbered(tree.run)
        if old is not None:
            self._put_aside(old)
        run = self._kept.get((tree.run, tree.edits))
        if run is None or run.state in (RunState.STOPPED, RunState.FAILED):  # stopped after its folds were judged too
            template = old or self._numbered(tree.origin) or self._of_the_same(tree)
            if template is None:
                self._messages.add(Message(f"Run {tree.origin}, whose tree was edited, was removed from the runs."))
                return
            run = self._started(tree, template)
        ledger.update(run, note=old.note if old is not None else self._notes.get(tree.run, run.note))
        ledger.exchange(old, run)
        ledger.set_current(run)

    def _put_aside(self, run: Run) -> None:
        run.stop()
        _keep(self._kept, (run.number, self.edits_of(run)), run, MOST_KEPT)

    def _numbered(self, number: int) -> Run | None:
        return next((run for run in self._ledger.runs if run.number == number), None)

    def _of_the_same(self, tree: ModelEdits) -> Run | None:
        return next((run for (number, _), run in self._kept.items() if number in (tree.run, tree.origin)), None)

    def _started(self, tree: ModelEdits, template: Run) -> Run:
        old = learner_of_model(template)
        unedited = old.base if isinstance(old, EditedModel) else old
        make: Any = EditedModel.of_kind(tree.kind, self._registry)
        learner: EditedModel = make(base=unedited, edits=tree.edits)
        run = another_run(template, learner, template.method, recipe_of_model(template))
        self._ledger.update(run, number=tree.run)
        grown = self._numbered(tree.origin) or self._kept.get((tree.origin, ()))
        base = None if grown is None or isinstance(grown.learner, EditedModel) else grown.trained
        title = f"Evaluate the edited {learner.edit.kind}, {run.method.described()}"
        self._ledger.launch(run, title, lambda context: edit_and_judge(run, learner, base, context))
        return run


def _keep(store: OrderedDict[tuple[int, Edits], T], key: tuple[int, Edits], value: T, most: int) -> None:
    store[key] = value
    store.move_to_end(key)
    while len(store) > most:
        store.popitem(last=False)


def _shortly(at: Way) -> str:
    """Place of a node in a few words: the last condition on its path."""
    return f"{at[-1].attribute} {at[-1].words}" if at else "at the root"


# ---- in a worker -----------------------------------------------------------------------------------------------------


def edit_and_judge(
    run: Run, learner: EditedModel, base: TrainedClassifier | None, context: RunContext
) -> TrainedClassifier:
    """Edit the model on all records, publish and evaluate it; ``base`` is the unedited classifier, if known."""
    from algorithms.compiled.ahead_of_time import ensure_compiled
    from algorithms.evaluation.measures.metrics import report
    from algorithms.evaluation.runner import judge_edited

    ensure_compiled(learner.kernels, context)
    context.say(f"Changing the {learner.edit.kind}")
    training = context.child(1 - SHARE_OF_JUDGING, key=1, finish_forgotten=True)
    trained = _changed(run, learner, base, training)
    context.publish(ModelTrained(trained))
    test_data = test_table(run, context, key=2)
    context.say("Evaluating")
    judging = context.child(SHARE_OF_JUDGING, key=0, same_seed=True)
    result = judge_edited(learner, run.data, run.method, judging, recipe=run.recipe, test_data=test_data)
    context.publish(RunEvaluated(result, report(result, checkpoint=context.checkpoint)))
    judging.complete()
    return trained


def _changed(run: Run, learner: EditedModel, base: TrainedClassifier | None, context: RunContext) -> TrainedClassifier:
    """The classifier with its edits, trained again where the unedited one is not at hand."""
    from algorithms.evaluation.runner import train

    if base is None:
        return train(learner, run.data, run.recipe, context)
    prepared = learned_from(run, base, run.data.labelled(), context)
    model: Model = learner.changed_model(base.model, prepared, learner.changing(context.child(0.9, 1)))
    created = datetime.now(UTC).isoformat(timespec="seconds")
    return replace(base, model=model, learner=learner, created=created, note="")
