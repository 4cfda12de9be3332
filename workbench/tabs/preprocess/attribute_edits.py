"""Undoable changes of attributes, run in a job for large tables, and the bar that shows their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame

from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.filters import Steps, reconciled, with_columns_renamed
from algorithms.data.convert_kind import Checkpoint, number_label, reordered
from algorithms.data.dataset import Dataset
from algorithms.data.editing import relabelled
from algorithms.data.schema import AttributeKind, renamed
from algorithms.filters.cleaning_rules import (
    ConvertColumn,
    CutColumn,
    RemoveColumns,
    RenameColumn,
    RenameValues,
    Rules,
    converted,
    is_replayed,
    kept_with,
    rebuilt,
    rules_of_step,
)
from algorithms.text.names import shortened
from algorithms.text.sentences import MOST_OF_A_NAME, in_brief
from workbench.jobs.jobs import LatestTask
from workbench.session.session import Session
from workbench.widgets.buttons import IconButton
from workbench.widgets.labels import label
from workbench.widgets.layouts import row_layout

SMALL: Final = 20_000
"""Up to this number of cells, a change runs at once; above it, in a job."""

Change = Callable[[Dataset, Checkpoint], Dataset]


class Changes(QObject):
    """Changes the attributes of the session's data. Impossible changes emit ``refused`` with the error."""

    refused = Signal(object)
    done = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._task, self._permanent = LatestTask(session.jobs), LatestTask(session.jobs)
        self._failed = partial(session.jobs.show_error, instead=self.refused.emit)

    def change_kind(self, names: Sequence[str], kind: AttributeKind) -> None:
        """Convert all these attributes to another kind, or none of them."""
        data = self._session.data
        if data is None:
            return
        todo = [n for n in names if data.schema.attributes[data.schema.index_of(n)].kind is not kind]
        if not todo:
            return

        def change(data: Dataset, checkpoint: Checkpoint) -> Dataset:
            for name in todo:
                data = converted(data, data.schema.index_of(name), kind, checkpoint)
            return data

        self.apply(f"Change kind of {_listed(todo)} to {kind.value}", change, len(data) * len(todo))

    def reorder(self, name: str, order: Sequence[str]) -> None:
        rule = ConvertColumn(column=name, kind=AttributeKind.ORDINAL.value, order=tuple(order))

        def change(data: Dataset, _checkpoint: Checkpoint) -> Dataset:
            return kept_with(reordered(data, data.schema.index_of(name), order), (rule,))

        self.apply(f"Reorder the values of {name}", change)

    def cut(self, name: str, cuts: tuple[float, ...], keep: bool, found_in_data: bool) -> None:
        """Discretize a numeric attribute at ``cuts``, as a new attribute or in place."""
        from algorithms.filters.discretize import discretize_column

        def change(data: Dataset, checkpoint: Checkpoint) -> Dataset:
            checkpoint()
            index = data.schema.index_of(name)
            changed = discretize_column(data, index, cuts, keep=keep, found_in_data=found_in_data)
            return kept_with(changed, (CutColumn(column=name, cuts=tuple(map(number_label, cuts)), keep=keep),))

        self.apply(f"Cut {name} into {len(cuts) + 1} ranges", change)

    def relabel(self, name: str, names: Mapping[str, str]) -> None:
        """Rename values of a nominal or ordinal attribute; values with the same new name are merged."""
        data, session = self._session.data, self._session
        if data is None or not names:
            return
        attribute = data.schema.attributes[data.schema.index_of(name)]
        kept = {value for value in attribute.values if value not in names}
        new = next(iter(names.values()))
        if len(names) > 1:
            text = f"Merge {len(names):,} values of {name} into {shortened(new, 30)}"
        elif new in kept:
            text = f"Merge {shortened(next(iter(names)), 30)} into {shortened(new, 30)} in {name}"
        else:
            text = f"Rename {shortened(next(iter(names)), 30)} of {name} to {shortened(new, 30)}"
        is_class = data.schema.class_index == data.schema.index_of(name)
        positive = session.classes[session.class_of_interest] if is_class and session.classes else None
        cheap = len(names) == 1 and new not in kept

        def keep_interest() -> None:
            if positive is not None and names.get(positive) in session.classes:
                session.set_class_of_interest(session.classes.index(names[positive]))

        def change(data: Dataset, _checkpoint: Checkpoint) -> Dataset:
            rule = RenameValues(column=name, names=tuple(names.items()))
            return kept_with(relabelled(data, data.schema.index_of(name), names), (rule,))

        self.apply(text, change, 0 if cheap else None, then=keep_interest)

    def rename(self, name: str, new: str) -> None:
        new = " ".join(new.split())
        data = self._session.data
        if data is None or new == name:
            return
        if not new:
            self.refused.emit(DataError("A column needs a name.", remedy=f"It stays {name!r}."))
        elif new in data.schema:
            self.refused.emit(DataError(f"Another column is named {new!r}.", remedy="Choose another name."))
        else:
            index = data.schema.index_of(name)
            schema = data.schema.with_attribute(index, renamed(data.schema.attributes[index], new))
            steps = self._session.history.needed.steps
            steps = with_columns_renamed(steps, lambda column: new if column == name else column)
            positive = self._session.class_of_interest if name in self._session.decisions.interest.chosen else None
            rule = RenameColumn(column=name, to=new)
            self._edit(f"Rename {name} to {new}", kept_with(data.with_schema(schema), (rule,)), steps)
            if positive is not None and schema.class_index == index:
                self._session.set_class_of_interest(positive)

    def make_permanent(self, position: int) -> None:
        """Apply the recipe up to ``position`` to the table in a job; steps for training records stay."""
        from algorithms.filters.step_effects import apply_permanently

        data, recipe = self._session.data, self._session.recipe
        if data is None or not 0 <= position < len(recipe):
            return
        done = tuple(step for step in recipe[: position + 1] if not step.only_training)
        left = (*(step for step in recipe[: position + 1] if step.only_training), *recipe[position + 1 :])
        text = f"Make {recipe[position].name.lower()} permanent"

        def landed(changed: Dataset) -> None:
            if self._session.data is data and self._session.recipe == recipe:
                rules = [rule for step in done for rule in rules_of_step(step)]
                changed = kept_with(changed, rules)
                self._edit(text, changed, reconciled(self._session.history.needed.steps, left))
            else:
                self.refused.emit(DataError("The table changed meanwhile; nothing was done.", remedy="Do it again."))

        work = partial(apply_permanently, done, data)
        self._permanent.run(text, work, on_done=landed, on_failed=self._failed, says=text)

    def remove(self, names: Sequence[str]) -> None:
        data = self._session.data
        if data is None or not names:
            return
        gone = set(names)
        if len(gone) == len(data.schema):
            self.refused.emit(DataError("The last columns cannot be removed.", remedy="Keep at least one."))
            return
        keep = [i for i, name in enumerate(data.schema.names) if name not in gone]
        steps = with_columns_renamed(self._session.history.needed.steps, lambda n: None if n in gone else n)
        rule = RemoveColumns(columns=tuple(names))
        self._edit(f"Remove {_listed(names)}", kept_with(data.select_columns(keep), (rule,)), steps)

    def set_rules(self, rules: Rules, text: str) -> None:
        """Make the table anew by other cleaning rules, in a job; refused if single cells were edited since the first.

        The latest step of the history is taken that has the rules before the first other one.
        """
        history, data = self._session.history, self._session.data
        if data is None or rules == data.origin.cleaning:
            return
        base: Dataset | None = data
        for step in range(history.stack.index(), -1, -1):
            document = history.document_at(step)
            if base is None or document is None or not is_replayed(document.data, base):
                base = None
                break
            base, kept = document.data, document.data.origin.cleaning
            if rules[: len(kept)] == kept:
                break
        kept = () if base is None else base.origin.cleaning
        if base is None or rules[: len(kept)] != kept:
            remedy = "Undo those edits first."
            self.refused.emit(DataError("Cells or records were edited after this rule.", remedy=remedy))
            return
        more = rules[len(kept) :]
        self.apply(text, partial(_rebuilt, base, more), len(data) * max(1, len(more)), once=True)

    def predict(self, name: str) -> None:
        data = self._session.data
        if data is not None and data.schema.class_index != data.schema.index_of(name):
            self._session.set_class(name)

    def use(self, names: Sequence[str], used: bool) -> None:
        """Use attributes for learning, or leave them out; the class is not changed."""
        self._use(dict.fromkeys(names, used), "Use" if used else "Leave out")

    def use_only(self, names: Sequence[str]) -> None:
        """Use these attributes for learning and no others, as one edit; the class is not changed."""
        data = self._session.data
        if data is not None:
            self._use({name: name in set(names) for name in data.schema.names}, "Use or leave out")

    def _use(self, wanted: Mapping[str, bool], what: str) -> None:
        data = self._session.data
        if data is None:
            return
        schema, todo = data.schema, []
        for index, attribute in enumerate(schema.attributes):
            if index != schema.class_index and wanted.get(attribute.name, attribute.used) is not attribute.used:
                schema = schema.with_attribute(index, replace(attribute, used=not attribute.used))
                todo.append(attribute.name)
        if todo:
            self._edit(f"{what} {_listed(todo)}", data.with_schema(schema))

    def _edit(self, text: str, data: Dataset, steps: Steps | None = None) -> None:
        """Push one undo step with the data and, if given, the steps of the recipe."""
        now = self._session.history.needed
        self._session.history.push(text, replace(now, data=data, steps=now.steps if steps is None else steps))
        self.done.emit()

    def apply(
        self,
        text: str,
        change: Change,
        n_cells: int | None = None,
        *,
        once: bool = False,
        then: Callable[[], None] | None = None,
    ) -> None:
        """Change the data at once if it reads few cells (default: one column), else in a job; call ``then`` afterwards.

        If the data changed meanwhile, the change runs again, unless ``once`` (it refers to certain records): then it
        is refused.
        """
        data = self._session.data
        if data is None:
            return
        if (len(data) if n_cells is None else n_cells) <= SMALL:
            try:
                changed = change(data, no_checkpoint)
            except CoppiceError as error:
                self.refused.emit(error)
                return
            self._edit(text, changed)
            if then is not None:
                then()
            return
        title = in_brief(text, data.schema.names, MOST_OF_A_NAME)

        def landed(changed: Dataset) -> None:
            if self._session.data is data:
                self._edit(text, changed)
                if then is not None:
                    then()
            elif once:
                self.refused.emit(DataError("The table changed meanwhile; nothing was done.", remedy="Do it again."))
            else:
                self.apply(text, change, n_cells, then=then)

        self._task.run(
            title, lambda context: change(data, context.checkpoint), on_done=landed, on_failed=self._failed, says=title
        )


def _rebuilt(base: Dataset, rules: Rules, now: Dataset, checkpoint: Checkpoint) -> Dataset:
    return rebuilt(base, now, rules, checkpoint)


def no_checkpoint() -> None:
    """Checkpoint of short work that nothing stops."""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names):,} attributes"


class NoticeBar(QFrame):
    """Error sentence with its remedy above a table; hidden while there is no error."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("part", "chip")
        self.setProperty("tone", "bad")
        self._text = label("", wrap=True)
        close = IconButton("close", "Close", f"{name}.close", self.hide, plain=True)
        row_layout((self._text, 1), close, inside=self, margins=(12, 6, 6, 6))
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def show_error(self, error: CoppiceError) -> None:
        self._text.setText(f"{error.sentence} {error.remedy}".strip())
        self.setAccessibleName(self._text.text())
        self.show()
