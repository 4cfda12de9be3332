"""Choice of the test method and seed, and the settings of the next run as text for projects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from algorithms.core import plain_json
from algorithms.core.errors import CoppiceError, ParameterError
from algorithms.core.learner import Learner
from algorithms.core.parameters import Parameter, ParameterKind, from_json
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.data.schema import Schema
from algorithms.text.names import shortened
from workbench.forms.editors import LineEditor
from workbench.forms.form import ParameterForm
from workbench.style.theme import themes
from workbench.widgets.buttons import link_button
from workbench.widgets.help import meaning
from workbench.widgets.labels import label
from workbench.widgets.layouts import add_items, column_layout, named, row_layout

PREFIX = "classify.method"
SEED = Parameter(
    name="seed",
    kind=ParameterKind.INTEGER,
    default=1,
    label="Seed",
    help=meaning("seed"),
    lo=0,
    hi=2**32 - 1,
)
MORE, FEWER = "More ways ▸", "Fewer ways ▾"
INLINE_KINDS = (ParameterKind.REAL, ParameterKind.INTEGER)


def main_option(method: type[Method]) -> str | None:
    """The parameter shown beside the method\'s name with its unit for a label; None if none has a unit."""
    first = [p for p in method.parameters() if not p.advanced]
    return first[0].name if first and first[0].kind in INLINE_KINDS and first[0].unit else None


class MethodRow(QWidget):
    """A method's radio button and, while it is chosen, its options."""

    changed = Signal()

    def __init__(self, method: type[Method], registry: Registry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.method, self._registry = method, registry
        self._columns: tuple[str, ...] = ()
        self._value: Method = method()
        self._form: ParameterForm | None = None
        box = column_layout(inside=self, spacing=4)
        self._line = row_layout(spacing=8)
        self.button = named(QRadioButton(method.name, self), f"{PREFIX}.{method.id}", tip=method.sentence)
        self.button.setAccessibleDescription(method.sentence)
        self.button.toggled.connect(self._chosen)
        self._setting = label("", "dim")
        add_items(self._line, self.button, 1, self._setting)
        box.addLayout(self._line)
        self._box = box
        self._say()

    def value(self) -> Method | None:
        """The method with its options; None while one is wrong."""
        return self._value if self._form is None else cast("Method | None", self._form.value())

    def error(self) -> str:
        return "" if self._form is None else self._form.error()

    def set_schema(self, schema: Schema | None) -> None:
        """Offers the columns of this schema in options that name one."""
        columns = () if schema is None else self._value.offered_columns(schema)
        if columns == self._columns or not any(p.kind is ParameterKind.COLUMN for p in self.method.parameters()):
            return
        self._columns = columns
        if self._form is not None:
            self._close()
            self._open()
            self._say()

    def set_value(self, value: Method) -> None:
        self._value = value
        if self._form is not None:
            self._form.set_value(value)
        self._say()

    def _chosen(self, chosen: bool) -> None:
        if chosen and self._form is None:
            self._open()
        elif not chosen and self._form is not None:
            self._close()
        self._say()

    def _open(self) -> None:
        inline = main_option(self.method)
        self._form = form = ParameterForm(
            self._value,
            registry=self._registry,
            columns=self._columns,
            prefix=PREFIX,
            inline=inline,
            parent=self,
        )
        form.changed.connect(self._edited)
        form.setContentsMargins(22, 0, 0, 4)
        self._box.addWidget(form)
        form.setVisible(not form.is_empty)
        if inline is not None:
            editor = form.editor(inline)
            editor.setFixedWidth(themes.px(104))
            self._line.addWidget(editor)

    def _close(self) -> None:
        form, self._form = self._form, None
        if form is None:
            return
        method = form.value()
        if isinstance(method, Method):
            self._value = method
        inline = main_option(self.method)
        if inline is not None:
            editor = form.editor(inline)
            editor.hide()
            editor.setParent(form)
        form.hide()
        form.deleteLater()

    def _edited(self) -> None:
        method = self._form.value() if self._form is not None else None
        if isinstance(method, Method):
            self._value = method
        self.changed.emit()

    def _say(self) -> None:
        inline = main_option(self.method)
        shown = self._form is None and inline is not None
        self._setting.setVisible(shown)
        if shown and inline is not None:
            parameter = self.method.parameter(inline)
            value = getattr(self._value, inline)
            is_share = parameter.unit == "%"
            words = f"{parameter.label.lower()} {value:g}%" if is_share else f"{value:g} {parameter.unit}"
            self._setting.setText(words)


class MethodChooser(QWidget):
    """Radio buttons of the methods, and the seed; ``opened`` reports that other options are shown."""

    changed = Signal()
    opened = Signal()

    def __init__(self, registry: Registry, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, PREFIX, "Judge by")
        box = column_layout(inside=self, spacing=6)
        self._schema: Schema | None = None
        self._group = QButtonGroup(self)
        self._rows: list[MethodRow] = []
        self._add_rows(box, [method for method in registry.methods if not method.rare], registry)
        self._more = link_button(MORE, "classify.methods.more", "Other ways of judging", checkable=True)
        self._rest = QWidget(self)
        self._rest.setVisible(False)
        rest = column_layout(inside=self._rest, spacing=6)
        self._add_rows(rest, [method for method in registry.methods if method.rare], registry)
        self._more.toggled.connect(self._show_rest)
        self._more.setVisible(rest.count() > 0)
        add_items(box, self._rest, (self._more, 0, Qt.AlignmentFlag.AlignLeft))
        self._seed = LineEditor(SEED, self)
        self._seed.control.setObjectName("classify.seed")
        self._seed.control.setAccessibleName(SEED.label)
        self._seed.control.setAccessibleDescription(SEED.help)
        self._seed.control.setToolTip(SEED.help)
        self._seed.setFixedWidth(themes.px(104))
        self._seed.show_value(SEED.default)
        self._seed.changed.connect(self._seed_edited)
        line = QHBoxLayout()
        seed = label(SEED.label, of=self._seed.control)
        seed.setToolTip(SEED.help)
        add_items(line, seed, 1, self._seed)
        box.addLayout(line)
        self._seed_error = label("", "small", wrap=True)
        self._seed_error.setProperty("tone", "bad")
        self._seed_error.hide()
        box.addWidget(self._seed_error)
        if self._rows:
            self._rows[0].button.setChecked(True)
        self._group.buttonToggled.connect(self._toggled)

    def _add_rows(self, box: QVBoxLayout, methods: Sequence[type[Method]], registry: Registry) -> None:
        for method in methods:
            row = MethodRow(method, registry, self)
            row.changed.connect(self.changed)
            self._group.addButton(row.button)
            self._rows.append(row)
            box.addWidget(row)

    def _show_rest(self, shown: bool) -> None:
        """Shows or hides the advanced methods; the chosen one stays visible."""
        row = self._row()
        if not shown and row is not None and row.method.rare:
            self._more.setChecked(True)
            return
        self._rest.setVisible(shown)
        self._more.setText(FEWER if shown else MORE)

    def value(self) -> Method | None:
        """The chosen method; None while an option is wrong."""
        row = self._row()
        return None if row is None else row.value()

    def set_schema(self, schema: Schema | None) -> None:
        """Sets the schema whose columns are offered; some methods may not suit it."""
        self._schema = schema
        for row in self._rows:
            row.set_schema(schema)

    def seed(self) -> int | None:
        """The seed; None if it is no integer."""
        return None if self._seed_sentence() else int(self._seed.value())

    def error(self) -> str:
        """The first error in words; empty without errors."""
        row = self._row()
        if row is None:
            return "No method of judging is chosen."
        return row.error() or self._seed_sentence() or self._problem(row)

    def _problem(self, row: MethodRow) -> str:
        """Why the chosen method does not suit the table."""
        method = row.value()
        return "" if method is None or self._schema is None else method.problem(self._schema)

    def set_value(self, method: Method, seed: int) -> None:
        """Shows the method and seed of a run."""
        for row in self._rows:
            if row.method is type(method):
                row.set_value(method)
                self._more.setChecked(row.method.rare or self._more.isChecked())
                row.button.setChecked(True)
        self._seed.show_value(seed)
        self._seed_edited()

    def _row(self) -> MethodRow | None:
        return next((row for row in self._rows if row.button.isChecked()), None)

    def _toggled(self, _button: object, on: bool) -> None:
        if on:
            self.opened.emit()
            self.changed.emit()

    def _seed_sentence(self) -> str:
        try:
            self._seed.value()
        except ParameterError as error:
            return error.sentence
        return ""

    def _seed_edited(self) -> None:
        sentence = self._seed_sentence()
        self._seed_error.setText(sentence)
        self._seed_error.setVisible(bool(sentence))
        self._seed.mark(bool(sentence))
        self.changed.emit()


PLACE: Final = "next_run"
"""Key of the settings in the session's view state."""
LIMIT: Final = Parameter(
    name="time_limit",
    kind=ParameterKind.INTEGER,
    default=None,
    label="Time limit a learner (Try several)",
    help="After so many seconds a learner of Try several is stopped and listed so, and the next one has its turn.",
    lo=1,
    hi=86_400,
    optional=True,
    unit="s",
)
"""Time limit of each learner of a comparison, in seconds."""


LONGEST_NAME: Final = 32
"""Letters of a learner beside its tick box; the tooltip has it whole."""
LEFT_OUT: Final = "left_out"
"""Its name among the settings of the next run."""


class ComparedLearners(QWidget):
    """The learners that *Try several* compares, as tick boxes that unfold below a link saying how many these are.

    ``changed`` comes with the ticks, ``unfolded`` when the boxes come into view or go.
    """

    changed = Signal()
    unfolded = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.left_out: frozenset[str] = frozenset()
        """Ids of those that were unticked, also of some that this table is not for."""
        self._names: dict[str, str] = {}
        self._boxes: dict[str, QCheckBox] = {}
        self._link = link_button("", "classify.several.choose", "Which learners Try several compares")
        self._link.setCheckable(True)
        self._link.toggled.connect(self._show_boxes)
        self._all = link_button("Tick all", "classify.several.all", "Compare all of them", lambda: self.leave_out(()))
        self._folded = QWidget(self)
        self._folded.hide()
        self._column = column_layout(inside=self._folded, spacing=6)
        self._column.addWidget(self._all, 0, Qt.AlignmentFlag.AlignLeft)
        box = column_layout(inside=self, spacing=6)
        box.addWidget(self._link, 0, Qt.AlignmentFlag.AlignLeft)
        box.addWidget(self._folded)
        self._say()

    @property
    def n_chosen(self) -> int:
        return sum(id not in self.left_out for id in self._names)

    def offer(self, names: Mapping[str, str]) -> None:
        """The names of the learners that can take the table, by their ids, in the order in which they are compared."""
        if names == self._names:
            return
        self._names = dict(names)
        for box in self._boxes.values():
            self._column.removeWidget(box)
            box.setParent(None)  # at once: another box of this name comes now
            box.deleteLater()
        self._boxes = {id: self._made_box(id, name) for id, name in names.items()}
        self._say()
        self.unfolded.emit()

    def leave_out(self, ids: Iterable[str]) -> None:
        """Untick these and tick all others."""
        left_out = frozenset(ids)
        if left_out != self.left_out:
            self.left_out = left_out
            self._say()
            self.changed.emit()

    def _made_box(self, id: str, name: str) -> QCheckBox:
        box = QCheckBox(shortened(name, LONGEST_NAME, tuple(self._names.values())).replace("&", "&&"))
        box.setToolTip(name)
        box.setAccessibleName(name)
        box.setObjectName(f"classify.several.learner.{id}")
        box.clicked.connect(lambda: self.leave_out(self.left_out ^ {id}))
        self._column.addWidget(box)
        return box

    def _show_boxes(self, shown: bool) -> None:
        self._folded.setVisible(shown)
        self._say()
        self.unfolded.emit()

    def _say(self) -> None:
        for id, box in self._boxes.items():
            box.setChecked(id not in self.left_out)
        n, chosen, mark = len(self._names), self.n_chosen, "▾" if self._link.isChecked() else "▸"
        self._link.setText(f"Try several: {f'all {n}' if chosen == n else f'{chosen} of {n}'} learners {mark}")
        self._link.setVisible(n > 0)
        self._all.setEnabled(chosen < n)


@dataclass(frozen=True)
class NextRun:
    """Settings of the next run; ``time_limit`` in seconds applies to learners of a comparison, None for no limit.

    ``left_out`` has the ids of learners that the comparison leaves out.
    """

    learner: Learner
    method: Method
    seed: int
    time_limit: int | None = None
    left_out: frozenset[str] = frozenset()

    def to_text(self) -> str:
        """The settings as one line of JSON."""
        values = {"learner": self.learner.to_json(), "method": self.method.to_json(), "seed": self.seed}
        if self.left_out:
            values[LEFT_OUT] = sorted(self.left_out)
        return json.dumps({**values, LIMIT.name: self.time_limit}, sort_keys=True)


def next_run_from(text: object, registry: Registry) -> NextRun | None:
    """Reads the text of :meth:`NextRun.to_text`; None if it is invalid or names something unknown."""
    if not isinstance(text, str):
        return None
    try:
        values = plain_json.loads(text)
        learner, method = (from_json(values[name], registry.resolve) for name in ("learner", "method"))
        seed, limit = values["seed"], LIMIT.validated(values.get(LIMIT.name))
        left_out = values.get(LEFT_OUT, [])
    except (ValueError, KeyError, TypeError, RecursionError, CoppiceError):
        return None
    if not (isinstance(learner, Learner) and isinstance(method, Method) and type(seed) is int):
        return None
    if not (isinstance(left_out, list) and all(isinstance(id, str) for id in left_out)):
        return None
    return NextRun(learner, method, seed, limit, frozenset(left_out))
