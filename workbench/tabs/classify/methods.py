"""Choice of the test method and seed, and the settings of the next run as text for projects."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QWidget

from algorithms.core import plain_json
from algorithms.core.errors import CoppiceError, ParameterError
from algorithms.core.learner import Learner
from algorithms.core.parameters import Parameter, ParameterKind, from_json
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.data.schema import Schema
from algorithms.text.sentences import counted
from workbench.forms.editors import CalmComboBox, LineEditor
from workbench.forms.form import ParameterForm
from workbench.jobs.jobs import Job
from workbench.style.theme import SPACE_1, SPACE_2, themes
from workbench.widgets.buttons import accent_button, link_button, quiet_button, set_caption
from workbench.widgets.help_pages import meaning
from workbench.widgets.keyboard_focus import swap
from workbench.widgets.labels import label, show_text
from workbench.widgets.layouts import ClearWidget, column_layout, flowing, named, row_layout
from workbench.widgets.status_line import StopButton

PREFIX = "classify.method"
TEST_WITH: Final = "Test with"
SEED = Parameter(
    name="seed", kind=ParameterKind.INTEGER, default=1, label="Seed", help=meaning("seed"), lo=0, hi=2**32 - 1
)


class MethodChooser(QWidget):
    """The list of test methods, the options of the chosen one, which each keeps, and the seed."""

    changed = Signal()

    def __init__(self, registry: Registry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "classify.methods", TEST_WITH)
        self._registry = registry
        self._schema: Schema | None = None
        self._form: ParameterForm | None = None
        common_first = sorted(registry.methods, key=lambda method: method.rare)
        self._values: dict[type[Method], Method] = {method: method() for method in common_first}
        self._combo = named(CalmComboBox(self), PREFIX, TEST_WITH)
        for method in common_first:
            self._combo.add(method.name, method.id, method.sentence)
        self._sentence = label("", "small", wrap=True)
        self._place = column_layout()
        self._seed = parameter_line(SEED, "classify.seed", self)
        themes.set_length(QWidget.setFixedWidth, self._seed, 104)
        self._seed.control.setToolTip(SEED.help)
        self._seed.show_value(SEED.default)
        self._seed.changed.connect(self._seed_edited)
        seed = label(SEED.label, of=self._seed.control)
        seed.setToolTip(SEED.help)
        self._seed_error = label("", "small", wrap=True)
        self._seed_error.setProperty("tone", "bad")
        self._seed_error.hide()
        line = row_layout(seed, 1, self._seed)
        column_layout(self._combo, self._sentence, self._place, line, self._seed_error, inside=self, spacing=8)
        self._combo.currentIndexChanged.connect(self._chosen)
        self._open()

    @property
    def _method(self) -> type[Method]:
        return next(method for method in self._values if method.id == self._combo.currentData())

    def value(self) -> Method | None:
        """The chosen method; None while an option is wrong."""
        return None if self._form is None else cast("Method | None", self._form.value())

    def typed(self, kind: type[Method] | None = None) -> Method:
        """The last valid options of a method, of the chosen one by default."""
        return self._values.get(kind or self._method) or (kind or self._method)()

    def choose(self, method: type[Method]) -> None:
        self._combo.setCurrentIndex(self._combo.findData(method.id))
        self._combo.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focus_seed(self) -> None:
        self._seed.control.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def first(self) -> Method:
        return next(iter(self._values))()

    def set_schema(self, schema: Schema | None) -> None:
        """Sets the schema whose columns are offered; some methods may not suit it."""
        before, self._schema = self._columns(), schema
        if self._columns() != before:
            self._open()

    def _columns(self) -> tuple[str, ...]:
        return () if self._schema is None else self._values[self._method].offered_columns(self._schema)

    def seed(self) -> int | None:
        return None if error_in(self._seed) else int(self._seed.value())

    def error(self) -> str:
        """The first error in words; empty without errors."""
        method = self.value()
        problem = "" if method is None or self._schema is None else method.problem(self._schema)
        return ("" if self._form is None else self._form.error()) or error_in(self._seed) or problem

    def set_value(self, method: Method, seed: int) -> None:
        self._values[type(method)] = method
        self._seed.show_value(seed)
        with QSignalBlocker(self._combo):
            self._combo.setCurrentIndex(self._combo.findData(method.id))
        self._open()
        self._seed_edited()

    def _chosen(self) -> None:
        self._open()
        self.changed.emit()

    def _open(self) -> None:
        method = self._method
        if self._form is not None:
            self._place.removeWidget(self._form)
            self._form.hide()
            self._form.setParent(None)  # at once: another form with the same names comes now
            self._form.deleteLater()
        self._form = form = ParameterForm(
            self._values[method], registry=self._registry, columns=self._columns(), prefix=PREFIX, parent=self
        )
        form.changed.connect(self._edited)
        self._place.addWidget(form)
        form.setVisible(not form.is_empty)
        self._combo.setToolTip(method.sentence)
        self._combo.setAccessibleDescription(method.sentence)
        self._sentence.setText(method.sentence)

    def _edited(self) -> None:
        method = self.value()
        if method is not None:
            self._values[type(method)] = method
        self.changed.emit()

    def _seed_edited(self) -> None:
        sentence = error_in(self._seed)
        show_text(self._seed_error, sentence)
        self._seed.mark(bool(sentence))
        self.changed.emit()


def parameter_line(parameter: Parameter, name: str, parent: QWidget) -> LineEditor:
    """An editor of a parameter, with its object name and explanation."""
    editor = LineEditor(parameter, parent)
    named(editor.control, name, parameter.label).setAccessibleDescription(parameter.help)
    return editor


def error_in(editor: LineEditor) -> str:
    """What is wrong with the text of an editor; empty if it is valid."""
    try:
        editor.value()
    except ParameterError as error:
        return error.sentence
    return ""


PLACE: Final = "next_run"
"""Key of the settings in the session's view state."""
LIMIT: Final = Parameter(
    name="time_limit",
    kind=ParameterKind.INTEGER,
    default=None,
    label="Time limit per learner",
    help="A compared learner is stopped after so many seconds, and the next one starts.",
    lo=1,
    hi=86_400,
    optional=True,
    unit="s",
)
"""Time limit of each learner of a comparison, in seconds."""


TICKED: Final = "compared_learners"
"""Its name among the settings of the next run."""


class ComparisonForm(QWidget):
    """Foot of the list with tick boxes: what ticks all, none or the usual learners, the time limit, and the buttons."""

    ticked = Signal(str)
    """A link was clicked: ``all``, ``none`` or ``usual``."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job: Job | None = None
        self.limit = parameter_line(LIMIT, "classify.several.limit", self)
        limit = label(LIMIT.label, wrap=True, of=self.limit.control)
        limit.setToolTip(LIMIT.help)
        self._words = named(label("", "small", wrap=True), "classify.several.method")
        self._why_not = named(label("", "small", wrap=True), "classify.several.why-not")
        self._why_not.setProperty("tone", "warning")
        self.start = accent_button("", "classify.several.start")
        tip = "Train one learner; the comparison can be shown again"
        self.stop = StopButton("classify.several.stop", "Stop and keep the finished learners", self._stop)
        self.stop.hide()
        self.back = quiet_button("Back", "classify.compare.back", tip)
        self._links = {
            what: link_button(text, f"classify.several.{what}", tip, partial(self.ticked.emit, what))
            for what, text, tip in (
                ("all", "All", "Tick all learners that suit the table"),
                ("none", "None", "Untick all learners"),
                ("usual", "Suggested", "Tick a few learners of each kind"),
            )
        }
        self.count = named(label("", "small", wrap=True), "classify.several.count")
        self.above = ClearWidget()
        links = flowing(*self._links.values(), spacing=SPACE_2)
        column_layout(self.count, links, inside=self.above, spacing=SPACE_1)
        buttons = (self._why_not, self.start, self.stop, self.back)
        limits = column_layout(limit, self.limit, spacing=SPACE_1)
        column_layout(limits, self._words, *buttons, inside=self, spacing=SPACE_2)

    def show_job(self, job: Job | None) -> None:
        """Offers to stop the comparison that runs, else to start one."""
        self._job = job
        self.stop.follow(job)
        swap(self.start, self.stop, job is not None)

    def _stop(self) -> None:
        if self._job is not None:
            self._job.stop()

    def show_state(self, n: int, count: str, useful: Collection[str], method: str, why_not: str) -> None:
        """Shows the ticked learners, the ``useful`` links, the method, and why nothing can be trained."""
        for what, link in self._links.items():
            link.setVisible(what in useful or link.hasFocus())  # else Enter again would press another
        self.count.setText(count)
        self._words.setText(method)
        show_text(self._why_not, why_not)
        set_caption(self.start, f"Train {counted(n, 'learner')}")
        tip = why_not or f"Train and test {counted(n, 'learner')} on the same folds and rank them (Ctrl+Enter)"
        self.start.setEnabled(not why_not)
        self.start.setToolTip(tip)
        self.start.setAccessibleDescription(tip)


@dataclass(frozen=True)
class NextRun:
    """Settings of the next run; None for no ``time_limit`` (s) and for the usual ``ticked`` learners."""

    learner: Learner
    method: Method
    seed: int
    time_limit: int | None = None
    ticked: frozenset[str] | None = None

    def to_text(self) -> str:
        values = {"learner": self.learner.to_json(), "method": self.method.to_json(), "seed": self.seed}
        if self.ticked is not None:
            values[TICKED] = sorted(self.ticked)
        return json.dumps({**values, LIMIT.name: self.time_limit}, sort_keys=True)


def next_run_from(text: object, registry: Registry) -> NextRun | None:
    """Reads the text of :meth:`NextRun.to_text`; None if it is invalid or names something unknown."""
    if not isinstance(text, str):
        return None
    try:
        values = plain_json.loads(text)
        learner, method = (from_json(values[name], registry.resolve) for name in ("learner", "method"))
        seed, limit = values["seed"], LIMIT.validated(values.get(LIMIT.name))
        ticked = values.get(TICKED)
    except (ValueError, KeyError, TypeError, RecursionError, CoppiceError):
        return None
    if not (isinstance(learner, Learner) and isinstance(method, Method) and type(seed) is int):
        return None
    if ticked is not None and not (isinstance(ticked, list) and all(isinstance(id, str) for id in ticked)):
        return None
    return NextRun(learner, method, seed, limit, None if ticked is None else frozenset(ticked))
