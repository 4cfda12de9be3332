"""A line that says how manual edits of a model changed its error rate and cost."""

from __future__ import annotations

from PySide6.QtCore import Signal

from algorithms.core.errors import CoppiceError
from algorithms.core.model_editing import EditedModel
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.text.sentences import counted
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.widgets.labels import WholeLabel

BY_HAND = "Edited by hand"


class EditOutcome(WholeLabel):
    """Follows an edited run and words the change in its errors; ``changed`` comes with new text."""

    changed = Signal()

    def __init__(self, session: Session, name: str) -> None:
        super().__init__("", "small")
        self.setObjectName(name)
        self._session = session
        self._run: Run | None = None
        self._wanted = False
        self._task = LatestTask(session.jobs)
        self._told_of: tuple[object, ...] = ()
        self._soon = single_shot(self, 0, self._tell)
        session.runs_changed.connect(self._soon.start)
        session.costs_changed.connect(self._soon.start)
        self.hide()

    def set_run(self, run: Run | None) -> None:
        self._run = run
        self._soon.start()

    def set_wanted(self, wanted: bool) -> None:
        self._wanted = wanted
        self._soon.start()

    def _tell(self) -> None:
        """Computes the effect of the edits in a job."""
        run = self._run
        if run is None or not isinstance(run.learner, EditedModel) or not self._wanted:
            self.setVisible(False)
            return
        edits, whole = self._session.analyses.edits, run.learner.edit.kind
        before, origin, costs = edits.before(run), edits.origin_of(run), self._session.costs
        about = (run, run.state, run.result, None if before is None else before.result, origin, costs)
        if about == self._told_of:
            self.setVisible(bool(self.text()))
            return
        amounts = self._session.decisions.amounts_of(run)
        if not self._session.decisions.is_priced(run):
            costs = None
        self._told_of = about
        self._task.stop()
        n = counted(len(run.learner.edits), "change")
        if run.result is None:
            waits = "Judging it in each fold..." if run.is_running else run.message or "It was not judged."
            self._say(f"{n} by hand. {waits}")
            return

        def work(context: RunContext) -> str:
            context.say("Comparing")
            return outcome_words(run, before, origin, session_costs=costs, amounts=amounts, whole=whole)

        self._task.run("", work, on_done=self._show_outcome, on_failed=self._on_failed)

    def _show_outcome(self, words: str) -> None:
        run = self._run
        if run is not None and isinstance(run.learner, EditedModel):
            self._say(f"{counted(len(run.learner.edits), 'change')} by hand. {words}")

    def _on_failed(self, error: object) -> None:
        self._say(str(error) if isinstance(error, CoppiceError) else "")

    def _say(self, words: str) -> None:
        result = None if self._run is None else self._run.result
        how = [warning for warning in (() if result is None else result.warnings) if BY_HAND in warning]
        self.setText(words)
        self.setToolTip("\n".join(how))
        self.setVisible(bool(words))
        self.changed.emit()


def outcome_words(
    run: Run,
    before: Run | None,
    origin: Run | None,
    *,
    session_costs: object,
    amounts: FloatArray | None = None,
    whole: str = "tree",
) -> str:
    """The effect of the last edit and of all edits on error rate and cost, as text."""
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.evaluation.edited_models import changed

    assert run.result is not None
    costs = session_costs if isinstance(session_costs, CostMatrix) else None
    sentences = []
    if before is not None and before.result is not None:
        sentences.append(changed(before.result, run.result, costs, amounts).words())
    if origin is not None and origin is not before and origin.result is not None:
        words = changed(origin.result, run.result, costs, amounts).words()
        words = words.replace("than before", f"than the learner's own {whole}")
        sentences.append(
            f"Together: {words[0].lower()}{words[1:].replace('as before', f'as the own {whole} of the learner')}"
        )
    return " ".join(sentences)
