"""Values of options that a learner finds in the data, asked for in its form."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.core.learner import Learner, Suggestion
from workbench.forms.form import ParameterForm
from workbench.jobs.jobs import Job
from workbench.session.session import Session


class SuggestedValues(QObject):
    """Looks for what forms ask for in a job; only the latest wish counts, and only while its form is there."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._form: ParameterForm | None = None
        self._job: Job | None = None

    def follow(self, form: ParameterForm) -> None:
        """Answer this form from now on, and no other."""
        self._form = form
        form.suggestion_asked.connect(self._ask)

    def _ask(self, name: str) -> None:
        form, data = self._form, self._session.data
        learner = None if form is None else form.value()
        if form is None or data is None or data.schema.class_index is None or not isinstance(learner, Learner):
            self._session.messages.warn("There is nothing to suggest it from: open a table and choose what to predict.")
            return
        if self._job is not None:
            self._job.stop()

        def work(context: RunContext) -> Suggestion:
            context.say("Looking at the records")
            return learner.suggested(name, data, context)

        self._job = self._session.jobs.start(
            "Suggest an order", work, on_done=partial(self._found, form, name), on_failed=self._failed, can_finish=True
        )

    def _found(self, form: ParameterForm, name: str, found: Suggestion) -> None:
        self._job = None
        if form is self._form:
            form.show_suggestion(name, found.text, found.words)

    def _failed(self, error: object) -> None:
        self._job = None
        if isinstance(error, CoppiceError):
            self._session.messages.warn(str(error))
