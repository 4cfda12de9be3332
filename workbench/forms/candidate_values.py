"""Form of a parameter search: the options, their candidate values and how settings are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from algorithms.core.errors import CoppiceError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.parameters import ParameterKind
from algorithms.core.registry import Registry
from algorithms.evaluation.tuning.search_space import suggested
from algorithms.text.sentences import counted
from workbench.forms.editors import CalmComboBox
from workbench.forms.form import ParameterForm
from workbench.style.theme import SPACE_2, set_property
from workbench.widgets.buttons import IconButton, link_button
from workbench.widgets.keyboard_focus import set_there
from workbench.widgets.labels import label
from workbench.widgets.layouts import add_items, column_layout, named, row_layout

if TYPE_CHECKING:
    from algorithms.evaluation.tuning.parameter_search import Tuned
    from algorithms.evaluation.tuning.search_space import SearchAxis

TRY: Final = "Tune…"
ANOTHER: Final = "Another option…"
HOW, HOW_LESS = "Search settings ▸", "Search settings ▾"
OPTIONS: Final = ("strategy", "draws", "folds", "measure")
MOST_COUNTED: Final = 60
"""Up to so many combinations, equal settings are recognized while the user types."""
VALUES_TIP: Final = "Values as 1, 2, 5 or a range as 1..20; 1..20/4 takes four values of it"


class CandidateValuesRow(QWidget):
    changed = Signal()
    removed = Signal()

    def __init__(self, prefix: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._prefix = prefix
        self._axes: dict[str, SearchAxis] = {}
        says = tip = "Option to tune"
        self.option = named(CalmComboBox(self), "", says, tip)
        self.values = named(QLineEdit(self), "", "Values to try", VALUES_TIP)
        self.values.setAccessibleDescription(VALUES_TIP)
        self.remove = IconButton("close", "Do not tune this option", plain=True, on_click=self.removed.emit)
        column_layout(row_layout((self.option, 1), self.remove, spacing=6), self.values, inside=self, spacing=4)
        self.option.currentIndexChanged.connect(self._chosen)
        self.values.textEdited.connect(self.changed)

    def set_number(self, number: int) -> None:
        """Sets the position among the rows, from 1, which is part of the object names; 0 for a removed row."""
        for purpose, widget in (("option", self.option), ("values", self.values), ("remove", self.remove)):
            widget.setObjectName(f"{self._prefix}.{number}.{purpose}" if number else "")

    def offer(self, axes: Mapping[str, SearchAxis]) -> None:
        """Offers these options; a chosen option stays even if it does not apply now."""
        name = self.name
        if list(axes) == list(self._axes):
            return
        kept = {name: self._axes[name]} if name in self._axes and name not in axes else {}
        self._axes = {**axes, **kept}
        with QSignalBlocker(self.option):
            self.option.clear()
            for option, axis in self._axes.items():
                self.option.add(axis.label, option, axis.parameter.help)
            self.option.setCurrentIndex(self.option.findData(name) if name in self._axes else -1)

    def choose(self, name: str, values: str | None = None) -> None:
        """Shows an option with the given values, else with suggested ones."""
        with QSignalBlocker(self.option):
            self.option.setCurrentIndex(self.option.findData(name))
        self.values.setText(suggested(self._axes[name].parameter) if values is None else values)

    @property
    def name(self) -> str:
        return cast(str, self.option.currentData() or "")

    def _chosen(self) -> None:
        if self.name in self._axes:
            self.choose(self.name)
            self.changed.emit()


class CandidateValuesForm(QWidget):
    """A link that adds a row for each option whose values are searched."""

    changed = Signal()

    def __init__(self, registry: Registry, prefix: str = "classify.tried", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._registry, self._prefix = registry, prefix
        self._learner: Learner | None = None
        self._recipe: Recipe = ()
        self._rows: list[CandidateValuesRow] = []
        self._kept: dict[type[Learner], Tuned] = {}
        self._form: ParameterForm | None = None
        self._axes_cache: tuple[Learner, Recipe, dict[str, SearchAxis]] | None = None
        self._error = ""
        box = column_layout(inside=self, spacing=SPACE_2)
        self._head = label("Tuning", "heading")
        self._place = column_layout(spacing=SPACE_2)
        tip = "Search values of an option by inner folds of the training records, and use the best"
        self.add = link_button(TRY, f"{prefix}.add", tip, self._add)
        self._summary = named(label("", "small", wrap=True), f"{prefix}.said")
        self._how = link_button(HOW, f"{prefix}.how", "Search strategy, inner folds and measure", checkable=True)
        self._how.toggled.connect(self._open_how)
        add_items(
            box,
            self._head,
            self._place,
            (self.add, 0, Qt.AlignmentFlag.AlignLeft),
            self._summary,
            (self._how, 0, Qt.AlignmentFlag.AlignLeft),
        )
        self._box = box
        self._check()

    # ---- what it says ----------------------------------------------------------------------------------------------

    @property
    def names(self) -> frozenset[str]:
        return frozenset(row.name for row in self._rows)

    def error(self) -> str:
        """The first error in words; empty without errors."""
        return self._error

    def value(self, learner: Learner) -> Learner:
        """The learner with its search, or the learner itself; raises :class:`CoppiceError`."""
        if not self._rows:
            return learner
        from algorithms.core.errors import ParameterError
        from algorithms.evaluation.tuning.parameter_search import Tuned
        from algorithms.evaluation.tuning.search_space import space_of, tried_text

        names = [row.name for row in self._rows]
        if len(set(names)) < len(names):
            raise ParameterError("An option stands here twice: give all its values at once.")
        tried = tried_text({row.name: row.values.text() for row in self._rows})
        if ";" in "".join(row.values.text() for row in self._rows):
            raise ParameterError("Values are parted by commas.")
        space_of(learner, self._recipe, tried)
        how = self._how_compared()
        return Tuned(base=learner, tried=tried, **{name: getattr(how, name) for name in OPTIONS})

    def _how_compared(self) -> Tuned:
        """The search settings of the form; raises :class:`ParameterError` if they are incomplete."""
        from algorithms.core.errors import ParameterError
        from algorithms.evaluation.tuning.parameter_search import Tuned

        kept = self._kept.get(type(self._learner)) if self._learner is not None else None
        if self._form is None:
            return kept or Tuned()
        learner = self._form.value()
        if not isinstance(learner, Tuned):
            raise ParameterError(self._form.error())
        return learner

    # ---- what it is about ------------------------------------------------------------------------------------------

    def set_subject(self, learner: Learner | None, recipe: Recipe) -> None:
        """Sets the learner of the options form, None while that is wrong, and the recipe before it."""
        if learner is None:
            return
        is_other = type(learner) is not type(self._learner)
        if not is_other and (learner, recipe) == (self._learner, self._recipe):
            return
        if is_other:
            self._keep()
        self._learner, self._recipe = learner, recipe
        if is_other:
            self._show(self._kept.get(type(learner)))
        else:
            axes = self._axes()
            for row in self._rows:
                row.offer(axes)
        self._check()

    def set_value(self, learner: Learner) -> None:
        """Shows the search of a learner; clears the form without a search."""
        from algorithms.evaluation.tuning.parameter_search import Tuned

        if isinstance(learner, Tuned):
            self._learner = learner.base
            self._kept[type(learner.base)] = learner
            self._show(learner)
        else:
            self._kept.pop(type(learner), None)
            self._learner = learner
            self._show(None)
        self._check()

    def kept(self, learner: Learner) -> Learner:
        """A learner that is not shown, with the search that was set for it."""
        return self._kept.get(type(learner), learner)

    def _keep(self) -> None:
        from algorithms.evaluation.tuning.parameter_search import Tuned

        if self._learner is None:
            return
        try:
            search = self.value(self._learner)
        except CoppiceError:
            return
        if isinstance(search, Tuned):
            self._kept[type(self._learner)] = search
        else:
            self._kept.pop(type(self._learner), None)

    def _show(self, tuned: Tuned | None) -> None:
        from algorithms.evaluation.tuning.search_space import tried_values

        for row in list(self._rows):
            self._take_away(row)
        self._how.setChecked(False)
        if self._form is not None:  # it says how another learner's settings are compared
            self._form.hide()
            self._form.deleteLater()
            self._form = None
        for name, values in tried_values(tuned.tried).items() if tuned is not None else ():
            row = self._new_row()
            if row.option.findData(name) >= 0:
                row.choose(name, values)
            else:
                self._take_away(row)

    # ---- rows ------------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        """Adds a row for the first numeric option that has none."""
        row = self._new_row()
        taken = {other.name for other in self._rows if other is not row}
        free = [axis for axis in self._axes().values() if axis.name not in taken]
        numbers = [axis for axis in free if axis.parameter.kind in (ParameterKind.REAL, ParameterKind.INTEGER)]
        usual = [axis for axis in numbers if not axis.parameter.advanced]
        row.choose((usual or numbers or free)[0].name)
        row.values.setFocus(Qt.FocusReason.TabFocusReason)
        self._edited()

    def _axes(self) -> dict[str, SearchAxis]:
        from algorithms.evaluation.tuning.search_space import searchable

        if self._learner is None:
            return {}
        if self._axes_cache is None or self._axes_cache[:2] != (self._learner, self._recipe):
            axes = {axis.name: axis for axis in searchable(self._learner, self._recipe)}
            self._axes_cache = (self._learner, self._recipe, axes)
        return self._axes_cache[2]

    def _new_row(self) -> CandidateValuesRow:
        row = CandidateValuesRow(self._prefix, self)
        self._rows.append(row)
        row.set_number(len(self._rows))
        row.offer(self._axes())
        row.changed.connect(self._edited)
        row.removed.connect(self._row_removed)
        self._place.addWidget(row)
        return row

    def _row_removed(self) -> None:
        row = self.sender()
        if isinstance(row, CandidateValuesRow) and row in self._rows:
            self._take_away(row)
            self.add.setFocus(Qt.FocusReason.OtherFocusReason)
            self._edited()

    def _take_away(self, row: CandidateValuesRow) -> None:
        self._rows.remove(row)
        self._place.removeWidget(row)
        row.set_number(0)
        row.hide()
        row.deleteLater()
        for number, other in enumerate(self._rows, 1):
            other.set_number(number)

    def _edited(self) -> None:
        self._check()
        self.changed.emit()

    # ---- words -----------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        used = bool(self._rows)
        self._error = ""
        words = ""
        if used and self._learner is not None:
            try:
                words = self._words(self.value(self._learner))
            except CoppiceError as error:
                self._error = words = error.sentence
        axes = self._axes() if self._learner is not None else {}
        set_there(self._head, used)
        set_there(self._summary, bool(words))
        set_there(self._how, used)
        if self._form is not None:
            set_there(self._form, used and self._how.isChecked())
        self._summary.setText(words)
        set_property(self._summary, "tone", "bad" if self._error else "")
        self.add.setText(ANOTHER if used else TRY)
        self.add.setAccessibleName(self.add.text())
        set_there(self.add, len(axes) > len(self._rows))

    def _words(self, learner: Learner) -> str:
        from algorithms.evaluation.tuning.parameter_search import GRID, Tuned
        from algorithms.evaluation.tuning.search_space import space_of

        assert isinstance(learner, Tuned)
        space = space_of(learner.base, self._recipe, learner.tried)
        n = len(space.grid()) if space.n_grid <= MOST_COUNTED else space.n_grid
        if learner.strategy != GRID:
            is_endless = any(axis.values.is_range for axis in space.axes)
            n = learner.draws if is_endless else min(n, learner.draws)
        where = f"by {counted(learner.folds, 'fold')} inside the training records"
        return f"{counted(n, 'setting')} compared {where}; the best is then tested on records that took no part in it."

    def _open_how(self, opened: bool) -> None:
        from algorithms.evaluation.tuning.parameter_search import Tuned

        self._how.setText(HOW_LESS if opened else HOW)
        if self._form is None and not opened:
            return
        if self._form is None:
            kept = self._kept.get(type(self._learner)) if self._learner is not None else None
            subject = kept or Tuned()
            self._form = ParameterForm(subject, registry=self._registry, prefix=self._prefix, only=OPTIONS, parent=self)
            self._form.changed.connect(self._edited)
            self._box.addWidget(self._form)
        set_there(self._form, opened)
