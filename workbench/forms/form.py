"""Forms made from declared parameters, with rows for few options, presets, and nested learners."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any, Final

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QStandardItemModel
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from algorithms.core.errors import CoppiceError, ParameterError
from algorithms.core.learner import Learner
from algorithms.core.parameters import Configurable, Parameter, ParameterKind
from algorithms.core.registry import Registry
from workbench.forms.costs import CostMatrixEditor
from workbench.forms.editors import (
    BooleanEditor,
    CalmComboBox,
    ChoiceEditor,
    ColumnEditor,
    Columns,
    ColumnsEditor,
    Editor,
    FileEditor,
    FormulaEditor,
    LineEditor,
    SuggestedEditor,
)
from workbench.style.motion import unfold
from workbench.style.theme import SPACE_1, SPACE_3, current_theme, themes
from workbench.widgets.buttons import link_button
from workbench.widgets.keyboard_focus import is_taken_away, set_there, tab_in_order
from workbench.widgets.labels import MARK, LinkLabel, TermLabel, ask_for_term, label, term_link
from workbench.widgets.layouts import ClearWidget, FlowLayout, add_items, column_layout, named, row_layout
from workbench.widgets.painting import draw_info_mark
from workbench.widgets.panes import ClearRow

CHARACTERS = 5
"""Digits that a number field shows."""


def _is_help_key(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_F1 and bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)


class OptionRow(ClearWidget):
    """Editors of the choices and numbers of ``subject``, named ``<prefix>.<parameter>``, in wrapping lines."""

    changed = Signal()

    def __init__(self, subject: Configurable, prefix: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value = subject
        self._editors: dict[str, tuple[QWidget, Editor]] = {}
        self._flow = FlowLayout(self, SPACE_3)
        for parameter in subject.parameters():
            editor = self._editor(parameter)
            editor.control.setObjectName(f"{prefix}.{parameter.name}")
            editor.control.setAccessibleName(parameter.label)
            editor.control.setAccessibleDescription(parameter.help)
            editor.show_value(getattr(subject, parameter.name))
            editor.changed.connect(self._edited)
            words = TermLabel(parameter.label, "dim", of=editor.control)
            named(words, f"{prefix}.{parameter.name}.term", parameter.label)
            words.set_note(parameter.help)
            holder = ClearRow(words, editor, spacing=SPACE_1)
            self._flow.addWidget(holder)
            self._editors[parameter.name] = (holder, editor)
        themes.follow_now(self._measure)
        self._show_those_that_count()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Shift+F1 opens the glossary at the focused option."""
        focus = self.focusWidget()
        holder = next((h for h, editor in self._editors.values() if focus and editor.isAncestorOf(focus)), None)
        if _is_help_key(event) and holder is not None:
            ask_for_term(self, holder.findChildren(TermLabel)[0].term)
        else:
            super().keyPressEvent(event)

    def value(self) -> Configurable:
        """The last valid values."""
        return self._value

    def sizeHint(self) -> QSize:
        """One line for all editors; narrower rows wrap."""
        shown = [holder.sizeHint() for holder, _ in self._editors.values() if not is_taken_away(holder)]
        gaps = self._flow.spacing() * max(0, len(shown) - 1)
        return QSize(sum(size.width() for size in shown) + gaps, max((size.height() for size in shown), default=0))

    def _editor(self, parameter: Parameter) -> Editor:
        if parameter.kind is ParameterKind.CHOICE:
            return ChoiceEditor(parameter, self)
        return LineEditor(parameter, self)

    def _edited(self) -> None:
        values: dict[str, Any] = {}
        for name, (_, editor) in self._editors.items():
            wrong = ""
            try:
                values[name] = editor.value()
            except ParameterError as error:
                wrong = error.sentence
            editor.mark(bool(wrong))
            if isinstance(editor, LineEditor):
                editor.control.setToolTip(wrong or editor.parameter.help)
                editor.control.setAccessibleDescription(wrong or editor.parameter.help)
        value = self._value.with_values(**values)
        if value != self._value:
            self._value = value
            self._show_those_that_count()
            self.changed.emit()

    def _show_those_that_count(self) -> None:
        for name, (holder, _) in self._editors.items():
            set_there(holder, self._value.enabled(name))

    def _measure(self) -> None:
        for _, editor in self._editors.values():
            metrics = editor.fontMetrics()
            if editor.parameter.kind is ParameterKind.CHOICE:
                words = max(metrics.horizontalAdvance(option.label) for option in editor.parameter.options)
                editor.setFixedWidth(words + themes.px(44))
            else:
                editor.setFixedWidth(metrics.horizontalAdvance("0") * CHARACTERS + themes.px(12))


LABEL: Final = "Known as"
USUAL, OWN = "", "own"
_HELP: Final = "Settings that have a name in the field. Choosing one sets the options below; each can still be changed."


class PresetRow(QWidget):
    """The presets of a learner; ``chosen`` carries the learner of the chosen preset."""

    chosen = Signal(object)

    def __init__(self, kind: type[Configurable], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = kind
        self.combo = named(CalmComboBox(self), name, f"{LABEL}: settings with a name")
        self.combo.setAccessibleDescription(_HELP)
        self.combo.add("the usual settings", USUAL, "Every option as it is at first.")
        for preset in kind.presets:
            self.combo.add(preset.name, preset.word, preset.help)
        self.combo.add("your own settings", OWN, "Options are set as no named setting has them.")
        model = self.combo.model()
        assert isinstance(model, QStandardItemModel)
        model.item(self.combo.count() - 1).setEnabled(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        words = label(LABEL, of=self.combo)
        words.setToolTip(_HELP)
        row_layout(words, (self.combo, 1), inside=self)
        self.combo.activated.connect(self._choose)
        self.show_in_force(kind())

    def show_in_force(self, value: Configurable | None) -> None:
        """Shows the preset of these settings; None if they match none."""
        preset = None if value is None else value.preset_in_force()
        is_usual = value is not None and not value.changed()
        self.combo.setCurrentIndex(self.combo.findData(USUAL if is_usual else OWN if preset is None else preset.word))
        tip = self.combo.currentData(Qt.ItemDataRole.ToolTipRole)
        self.combo.setToolTip("\n".join((self.combo.currentText(), str(tip), _HELP)))

    def _choose(self, index: int) -> None:
        word = self.combo.itemData(index)
        if word != OWN:
            self.chosen.emit(self._kind(**(self._kind.preset(word).values if word else {})))


class InfoMark(QAbstractButton):
    """An "i" in a circle: the help of an option on hover, or pinned by a press or Shift+F1 on the option."""

    def __init__(self, subject: str, help: str) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setText("i")
        self.setToolTip(help)
        self.setAccessibleName(f"What is {subject.lower()}?")
        self.setAccessibleDescription(help)
        self.setCursor(Qt.CursorShape.WhatsThisCursor)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        themes.changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        size = themes.px(MARK) + 2
        return QSize(size, size)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        size = themes.px(MARK)
        circle = QRectF((self.width() - size) / 2, (self.height() - size) / 2, size, size)
        with QPainter(self) as painter:
            is_on = self.isChecked()
            draw_info_mark(painter, circle, is_on=is_on, is_lively=is_on or self.underMouse())


KINDS_OF_DATA = (ParameterKind.COLUMN, ParameterKind.COLUMNS, ParameterKind.COST_MATRIX, ParameterKind.LEARNER)
"""Parameter kinds for which a form is rebuilt for other columns or classes."""
LABEL_WIDTH = 130
"""Width from which a label beside its editor wraps."""
TRIED = "(several tried)"
"""Note below an option whose values are searched."""
ROWS_EACH = 4
"""Grid rows of a parameter: label with editor, wide editor, error, help."""


@dataclass(eq=False)
class FormRow:
    editor: Editor
    label: TermLabel
    info: InfoMark
    help: LinkLabel
    error: QLabel

    def show(self, counts: bool) -> None:
        """Shows the row only if the parameter applies."""
        set_there(self.editor, counts)
        for widget in (self.label, self.info):
            set_there(widget, counts)
        set_there(self.help, counts and self.info.isChecked())

    def explain(self, sentence: str) -> None:
        """Sets the sentence of the help, with a link to the glossary if the option is a term."""
        term, color = self.label.term, current_theme().accent
        entry = f" {term_link('Glossary', term, color=color)}" if term else ""
        self.help.setText(f"{escape(sentence)}{entry}")

    def show_tried(self, within: frozenset[str], is_tried: bool) -> None:
        """Marks an option whose values are searched, so that its own value does not apply."""
        self.editor.set_tried(within, is_tried)
        name = self.editor.parameter.label
        self.label.setText(f"{name}\n{TRIED}" if is_tried else name)

    def show_error(self, sentence: str) -> None:
        self.error.setText(sentence)
        set_there(self.error, bool(sentence))
        self.editor.mark(bool(sentence))
        parameter = self.editor.parameter
        empty = f"Leave it empty for: {parameter.none_label}." if parameter.optional else ""
        self.editor.control.setAccessibleDescription(" ".join(filter(None, (sentence, parameter.help, empty))))


class ParameterForm(QWidget):
    """A row for each parameter of a learner, filter or method, with help and errors in place.

    ``columns`` are the names that a column parameter may take, with their kinds if it asks for some, ``classes`` the
    labels of a cost matrix. The editor of
    parameter ``confidence`` is named ``<prefix>.option.confidence``, that of a nested learner
    ``<prefix>.option.base.confidence``.

    ``only`` limits the form to some parameters; the others keep their values.

    ``suggestion_asked(name)`` requests a value from the data, which :meth:`show_suggestion` receives. A row is made
    when it is first shown, because a tree learner has thirty and few apply at once.
    """

    changed = Signal()
    suggestion_asked = Signal(str)

    def __init__(
        self,
        subject: type[Configurable] | Configurable,
        *,
        registry: Registry,
        columns: Columns = (),
        classes: Sequence[str] = (),
        prefix: str = "classify",
        only: Sequence[str] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._type = subject if isinstance(subject, type) else type(subject)
        self._registry, self._columns, self._classes = registry, columns, tuple(classes)
        self._stem = prefix if prefix.endswith(".") else f"{prefix}.option."
        self._rows: dict[str, FormRow] = {}
        self._parameters = {p.name: p for p in self._type.parameters()}
        self._listed = [p.name for p in self._parameters.values() if only is None or p.name in only]
        self._given = {p.name: p.default for p in self._parameters.values()}
        self._tried: frozenset[str] = frozenset()
        self._error = ""
        self._build()
        if not isinstance(subject, type):
            self.set_value(subject)
        else:
            self._show(self._given)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Shift+F1 opens and closes the help of the focused option."""
        focus = self.focusWidget()
        for row in self._rows.values() if _is_help_key(event) and focus is not None else ():
            if row.editor.isAncestorOf(focus):
                row.info.toggle()
                return
        super().keyPressEvent(event)

    def value(self) -> Configurable | None:
        """The value of the form; None while :meth:`error` is not empty."""
        try:
            return self._configured()
        except CoppiceError:
            return None

    def error(self) -> str:
        """The first error in words; empty without errors."""
        return self._error

    def set_value(self, value: Configurable) -> None:
        """Shows the parameters of ``value``, which has the form's own type."""
        self._given = value.values()
        self._show(self._given)
        self.changed.emit()

    def editor(self, name: str) -> Editor:
        """The editor of a parameter, even if it is hidden."""
        if name not in self._rows:
            self._make([name])
            self._check()
        return self._rows[name].editor

    def options(self) -> dict[str, str]:
        """Names and labels of the options that apply."""
        values, _errors = self._read()
        return {name: self._parameters[name].label for name in self._listed if self._counts(name, values)}

    def focus_option(self, name: str) -> None:
        """Gives the keyboard to the editor of an option, which is unfolded."""
        if self._more is not None and name in self._further:
            self._more.setChecked(True)
        self.editor(name).control.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_suggestion(self, name: str, text: str, words: str) -> None:
        """Shows a suggested value, and below it how it was computed."""
        row = self._rows.get(name)
        if row is not None:
            row.editor.show_value(text)
            row.explain(words)
            row.info.setChecked(True)
            self._edited()

    def set_tried(self, names: frozenset[str]) -> None:
        """Marks the options whose values are searched; ``base.confidence`` is an option of a nested learner."""
        if names != self._tried:
            self._tried = names
            self._check()

    @property
    def is_empty(self) -> bool:
        return not self._listed

    def _configured(self) -> Configurable:
        values = dict(self._given)
        read, errors = self._read()
        for name in self._rows:
            if name in read:
                values[name] = read[name]
            elif self._counts(name, read):
                raise errors[name]
            else:
                values[name] = self._parameters[name].default
        return self._type(**values)

    def _read(self) -> tuple[dict[str, Any], dict[str, CoppiceError]]:
        values, errors = {k: v for k, v in self._given.items() if k not in self._rows}, {}
        for name, row in self._rows.items():
            try:
                values[name] = row.editor.value()
            except CoppiceError as error:
                errors[name] = error
        return values, errors

    def _counts(self, name: str, values: Mapping[str, Any]) -> bool:
        condition = self._parameters[name].enabled_if
        return condition is None or condition.holds(values)

    def _show(self, values: Mapping[str, Any]) -> None:
        for name, row in self._rows.items():
            row.editor.show_value(values[name])
        self._check()

    def _edited(self) -> None:
        self._check()
        self.changed.emit()

    def _check(self) -> None:
        values, errors = self._read()
        if self._make([name for name in self._listed if self._counts(name, values) and self._is_asked(name)]):
            values, errors = self._read()
        counting = {name: self._counts(name, values) for name in self._listed}
        shown = {name: error.sentence for name, error in errors.items() if counting[name]}
        if not shown:
            shown = self._refused()
        if self._more is not None:
            set_there(self._more, any(counting[name] for name in self._further))
            if any(name in self._further for name in shown):
                self._more.setChecked(True)
        for name, row in self._rows.items():
            row.show(counting[name])
            row.show_error(shown.get(name, ""))
            within = (tried.removeprefix(f"{name}.") for tried in self._tried if tried.startswith(f"{name}."))
            row.show_tried(frozenset(within), name in self._tried and name not in shown)
        self._whole.setText(shown.get("", ""))
        set_there(self._whole, "" in shown)
        self._error = next(iter(shown.values()), "")
        if self._presets is not None:
            self._presets.show_in_force(self.value())

    def _refused(self) -> dict[str, str]:
        try:
            self._configured()
        except ParameterError as error:
            return {error.place if error.place in self._listed else "": error.sentence}
        return {}

    def _is_asked(self, name: str) -> bool:
        """Whether the editor of an applicable parameter is needed: it is shown, or its value may not suit the data."""
        unfolded = self._more is not None and self._more.isChecked()
        return name not in self._further or unfolded or self._parameters[name].kind in KINDS_OF_DATA

    def _build(self) -> None:
        box = column_layout(inside=self, spacing=8)
        self._further = [name for name in self._listed if self._parameters[name].advanced]
        self._presets: PresetRow | None = None
        if self._type.presets and len(self._listed) == len(self._parameters):
            self._presets = PresetRow(self._type, f"{self._stem.removesuffix('option.')}preset", self)
            self._presets.chosen.connect(self.set_value)
            box.addWidget(self._presets)
        self._first_grid = self._grid()
        box.addWidget(self._first_grid)
        self._more: QPushButton | None = None
        if self._further:
            self._more = more = link_button("More options ▸", f"{self._stem.removesuffix('option.')}more")
            more.setCheckable(True)
            self._further_grid = self._grid()
            self._further_grid.setVisible(False)
            more.toggled.connect(self._unfold)
            add_items(box, (more, 0, Qt.AlignmentFlag.AlignLeft), self._further_grid)
        self._whole = _note("small", "bad")
        box.addWidget(self._whole)

    def _unfold(self, unfolded: bool) -> None:
        if self._more is not None:
            self._more.setText("Fewer options ▾" if unfolded else "More options ▸")
        self._check()
        unfold(self._further_grid, unfolded)

    def _grid(self) -> QWidget:
        holder = QWidget(self)
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 4)
        grid.setColumnStretch(1, 3)
        return holder

    def _make(self, names: Sequence[str]) -> bool:
        """Makes the missing rows of these parameters; returns whether any was made."""
        missing = [name for name in names if name not in self._rows]
        for name in missing:
            row = self._rows[name] = self._made_row(self._parameters[name])
            row.editor.show_value(self._given[name])
            row.editor.changed.connect(self._edited)
        if missing:
            tab_in_order(self)
        return bool(missing)

    def _made_row(self, parameter: Parameter) -> FormRow:
        holder = self._further_grid if parameter.name in self._further else self._first_grid
        editor = self._editor(parameter, holder)
        row = FormRow(
            editor,
            TermLabel(parameter.label, wrap=True, of=editor.control),
            InfoMark(parameter.label, parameter.help),
            LinkLabel("", "small"),
            _note("small", "bad"),
        )
        across = QFontMetricsF(themes.font(13)).horizontalAdvance(parameter.label) / themes.scale + 2
        themes.set_length(TermLabel.setMinimumWidth, row.label, across if editor.wide else min(across, LABEL_WIDTH))
        row.label.setObjectName(f"{self._stem}{parameter.name}.term")
        row.help.hide()
        row.explain(parameter.help)
        row.info.toggled.connect(partial(unfold, row.help))
        editor.control.setObjectName(f"{self._stem}{parameter.name}")
        repeats_label = parameter.unit and parameter.unit.lower() in parameter.label.lower()
        unit = f", {parameter.unit}" if parameter.unit and not repeats_label else ""
        editor.control.setAccessibleName(f"{parameter.label}{unit}")
        editor.control.setAccessibleDescription(parameter.help)
        row.label.set_note(parameter.help)
        if not editor.control.toolTip():
            editor.control.setToolTip(parameter.help)
        grid = holder.layout()
        assert isinstance(grid, QGridLayout)
        self._place(row, grid, ROWS_EACH * self._listed.index(parameter.name))
        return row

    def _place(self, row: FormRow, grid: QGridLayout, grid_row: int) -> None:
        grid.addWidget(row.error, grid_row + 2, 0, 1, 2)
        grid.addWidget(row.help, grid_row + 3, 0, 1, 2)
        heading = row_layout(row.label, row.info, 1, spacing=4)
        if row.editor.wide:
            grid.addLayout(heading, grid_row, 0, 1, 2)
            grid.addWidget(row.editor, grid_row + 1, 0, 1, 2)
        else:
            grid.addLayout(heading, grid_row, 0)
            grid.addWidget(row.editor, grid_row, 1)

    def _editor(self, parameter: Parameter, holder: QWidget) -> Editor:
        match parameter.kind:
            case ParameterKind.CHOICE:
                return ChoiceEditor(parameter, holder)
            case ParameterKind.BOOLEAN:
                return BooleanEditor(parameter, holder)
            case ParameterKind.COLUMN:
                return ColumnEditor(parameter, self._columns, holder)
            case ParameterKind.COLUMNS:
                return ColumnsEditor(parameter, self._columns, holder)
            case ParameterKind.FILE:
                return FileEditor(parameter, holder)
            case ParameterKind.COST_MATRIX:
                return CostMatrixEditor(parameter, self._classes, holder)
            case ParameterKind.LEARNER:
                form_of = partial(
                    ParameterForm,
                    registry=self._registry,
                    columns=self._columns,
                    classes=self._classes,
                    prefix=f"{self._stem}{parameter.name}.",
                )
                return LearnerEditor(parameter, self._registry, form_of, holder)
            case ParameterKind.TEXT if parameter.formulas:
                return FormulaEditor(parameter, tuple(self._columns), holder)
            case _ if parameter.suggested:
                editor = SuggestedEditor(parameter, holder)
                editor.suggest.setObjectName(f"{self._stem}{parameter.name}.suggest")
                editor.asked.connect(lambda: self.suggestion_asked.emit(parameter.name))
                return editor
            case _:
                return LineEditor(parameter, holder)


def _note(part: str, tone: str = "") -> QLabel:
    note = label("", part, wrap=True)
    note.setProperty("tone", tone)
    note.hide()
    return note


class LearnerEditor(Editor):
    """A combo box of learners, and the form of the chosen one."""

    wide = True

    def __init__(
        self, parameter: Parameter, registry: Registry, form_of: Callable[..., ParameterForm], parent: QWidget
    ) -> None:
        """``form_of`` makes the form of a learner."""
        super().__init__(parameter, parent)
        self._registry, self._form_of = registry, form_of
        self._box = column_layout(spacing=6)
        self._row.addLayout(self._box, 1)
        self.control = self.combo = CalmComboBox(self)
        for learner in (learner for family in registry.families().values() for learner in family):
            self.combo.add(learner.name, learner.id, learner.sentence)
        self.combo.currentIndexChanged.connect(self._chosen)
        self._box.addWidget(self.combo)
        self.form: ParameterForm | None = None
        self._tried: frozenset[str] = frozenset()

    def value(self) -> Any:
        value = None if self.form is None else self.form.value()
        if value is None:
            raise self.parameter.error("has an option that cannot be used" if self.form else "is not chosen")
        return self.parameter.validated(value)

    def show_value(self, value: Any) -> None:
        with QSignalBlocker(self.combo):
            self.combo.setCurrentIndex(-1 if value is None else self.combo.findData(value.id))
        self._show_form(value)

    def set_tried(self, within: frozenset[str], is_tried: bool) -> None:
        super().set_tried(within, is_tried)
        self._tried = within
        if self.form is not None:
            self.form.set_tried(within)

    def _chosen(self) -> None:
        self._show_form(self._registry.learners.get(self.combo.currentData()))
        self.changed.emit()

    def _show_form(self, subject: type[Learner] | Learner | None) -> None:
        if self.form is not None:
            self.form.hide()
            self._box.removeWidget(self.form)
            self.form.deleteLater()
            self.form = None
        if subject is None:
            return
        self.form = self._form_of(subject, parent=self)
        self.form.set_tried(self._tried)
        self.form.setContentsMargins(12, 0, 0, 0)
        self.form.changed.connect(self.changed)
        self._box.addWidget(self.form)
