"""Editing a model by hand: its switch, a form that begins with an attribute, and what the changes did to the errors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from html import escape
from math import isfinite
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from algorithms.core.errors import CoppiceError
from algorithms.core.model_editing import EditedModel
from algorithms.core.plain_json import typed_number
from algorithms.data.schema import Attribute, Schema
from algorithms.text.sentences import counted
from workbench.forms.editors import CalmComboBox
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import LinkLabel, link
from workbench.widgets.layouts import ClearWidget, named

if TYPE_CHECKING:
    from algorithms.core.record_costs import RecordCosts

BY_HAND = "Edited by hand"
ROWS: Final = 4
"""Values in view in a list of them."""


RESTORE: Final = "restore"


class EditOutcome(LinkLabel):
    """Follows an edited run and words the change in its errors, with a link that takes changes back."""

    def __init__(self, session: Session, name: str, restore: Callable[[], object]) -> None:
        super().__init__("", "small")
        self.setObjectName(name)
        self._words = self._restoring = ""
        self.linkActivated.connect(lambda _link: restore())
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

    def offer_restoring(self, words: str) -> None:
        """Offers a link of these words that takes changes back; none without words."""
        self._restoring = words
        self._show_words()

    def _show_words(self) -> None:
        offer = link(RESTORE, self._restoring) if self._words and self._restoring else ""
        self.setText(f"{escape(self._words, quote=False)} {offer}".rstrip())

    def _tell(self) -> None:
        """Computes the effect of the edits in a job."""
        run = self._run
        if run is None or not isinstance(run.learner, EditedModel) or not self._wanted:
            self.setVisible(False)
            return
        edits, whole = self._session.analyses.edits, run.learner.edit.kind
        before, origin, costs = edits.before(run), edits.origin_of(run), self._session.decisions.costs_of(run)
        about = (run, run.state, run.result, None if before is None else before.result, origin, costs)
        if about == self._told_of:
            self.setVisible(bool(self.text()))
            return
        is_other, self._told_of = self._told_of[:1] != (run,), about
        self._task.stop()
        n = counted(len(run.learner.edits), "change")
        if run.result is None:
            waits = "Testing it in each fold..." if run.is_running else run.message or "It was not tested."
            self._say(f"{n} by hand. {waits}")
            return

        def done(words: str) -> None:
            if self._run is run:
                self._say(f"{n} by hand. {words}")

        def failed(error: object) -> None:
            done(str(error) if isinstance(error, CoppiceError) else "The program made a mistake.")
            if not isinstance(error, CoppiceError):
                self._session.jobs.report_bug(error)

        if is_other:
            done("Computing the effect...")
        self._task.run(
            "", lambda _context: outcome_words(run, before, origin, costs, whole), on_done=done, on_failed=failed
        )

    def _say(self, words: str) -> None:
        result = None if self._run is None else self._run.result
        how = [warning for warning in (() if result is None else result.warnings) if BY_HAND in warning]
        self.setToolTip("\n".join(how))
        self._words = words
        self._show_words()
        self.setVisible(bool(words))


class ModelEditor(ClearWidget):
    """Edits the model in view by hand, while ``switch`` is on."""

    def __init__(self, session: Session, name: str, tip: str) -> None:
        super().__init__()
        self._session = session
        self._run: Run | None = None
        self.switch = quiet_button("Edit", name, tip, checkable=True)
        self._outcome = EditOutcome(session, f"{name}.outcome", self._restore_all)
        self.hide()

    def _follow(self, run: Run | None, can_edit: bool) -> None:
        """Follows a run; it opens by itself where the model was edited by hand."""
        is_by_hand = self._session.analyses.edits.hand_tree(run) is not None
        # whoever puts the editor away while a run is judged does not want it back
        if run is not self._run and self._run is not None and is_by_hand:
            self.switch.setChecked(True)
        self._run = run
        self.switch.setVisible(can_edit)
        self.setVisible(can_edit and self.switch.isChecked())
        self._outcome.set_run(run)
        self._outcome.set_wanted(not self.isHidden())
        self._outcome.offer_restoring("Restore all" if is_by_hand else "")

    def _restore_all(self) -> None:
        if self._run is not None:
            self._session.analyses.edits.restore_all(self._run)


class AttributeForm(ClearWidget):
    """Fields that begin with an attribute; the values of a nominal one are ticked in a list."""

    def __init__(self, name: str, tip: str, values: tuple[str, str, str]) -> None:
        """``values`` are the object name, the accessible name and the tooltip of the list."""
        super().__init__()
        self._schema: Schema | None = None
        self.attribute = editor_combo(name, tip)
        self.values = named(QListWidget(), *values)
        self.values.setFixedHeight(themes.px(24 * ROWS))
        self.attribute.currentIndexChanged.connect(self._attribute_chosen)

    def set_schema(self, schema: Schema | None) -> None:
        if schema is self._schema:
            return
        self._schema = schema
        with QSignalBlocker(self.attribute):
            self.attribute.clear()
            if schema is not None:
                for index in schema.predictors:
                    self.attribute.addItem(schema.attributes[index].name, index)
        self._attribute_chosen()

    def _chosen(self) -> Attribute | None:
        index = self.attribute.currentData()
        return None if self._schema is None or index is None else self._schema.attributes[int(index)]

    @abstractmethod
    def _attribute_chosen(self) -> None:
        """Shows the fields for another attribute."""

    def _offer_values(self, values: Sequence[str], has_tips: bool = False) -> None:
        with QSignalBlocker(self.values):
            self.values.clear()
            for value in values:
                item = QListWidgetItem(value)
                item.setToolTip(value if has_tips else "")
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Unchecked)
                self.values.addItem(item)

    def _ticked(self) -> tuple[str, ...]:
        items = [self.values.item(row) for row in range(self.values.count())]
        return tuple(item.text() for item in items if item.checkState() == Qt.CheckState.Checked)


def editor_combo(
    name: str, tip: str, most_width: int = 220, choices: Iterable[tuple[str, object]] = ()
) -> CalmComboBox:
    """A combo box as wide as its line has room, at most so many unscaled pixels."""
    box = named(CalmComboBox(choices=choices), name, tip, tip)
    box.setSizeAdjustPolicy(CalmComboBox.SizeAdjustPolicy.AdjustToContents)
    box.setMaximumWidth(themes.px(most_width))
    return box


def number_in(text: str) -> float | None:
    """The finite number in a text with point or comma; None if it is none."""
    try:
        number = typed_number(text.strip().replace(",", "."))
    except ValueError:
        return None
    return number if isfinite(number) else None


def outcome_words(
    run: Run, before: Run | None, origin: Run | None, costs: RecordCosts | None, whole: str = "tree"
) -> str:
    """The effect of the last edit and of all edits on error rate and cost, as text."""
    from algorithms.evaluation.runner import changed

    assert run.result is not None
    sentences = []
    if before is not None and before.result is not None:
        sentences.append(changed(before.result, run.result, costs).words())
    if origin is not None and origin is not before and origin.result is not None:
        words = changed(origin.result, run.result, costs).words()
        words = words.replace("than before", f"than the learner's own {whole}")
        words = words.replace("as before", f"as with the learner's own {whole}")
        sentences.append(f"All edits together: {words[0].lower()}{words[1:]}")
    return " ".join(sentences)
