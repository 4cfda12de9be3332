"""Recipe of preprocessing steps applied inside each fold, and the chooser of new steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.filters import Filter, RecipeStep, Steps, moved, recipe_of, removed, replaced, switched
from algorithms.core.parameters import Configurable, Parameter
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.tuning.search_space import said_value
from algorithms.filters.cleaning_rules import CleaningRule, Rules, cleaned
from algorithms.filters.select_attributes import AttributeSelection
from algorithms.filters.step_effects import StepEffect
from algorithms.project.recipes import SUFFIX, load_recipe, load_rules, save_recipe
from algorithms.text.names import shortened
from algorithms.text.sentences import within_sentence
from workbench.forms.editors import SteppingLineEdit
from workbench.forms.form import ParameterForm
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.document import unfit_reading
from workbench.session.session import Session
from workbench.style.motion import Reordering
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, current_theme, set_property, themes
from workbench.widgets.buttons import IconButton, accent_button, add_entry, quiet_button, switch
from workbench.widgets.dialogs import ask_for_file, ask_where_to_save, show_under
from workbench.widgets.fields import SearchField
from workbench.widgets.keyboard_focus import past_heading
from workbench.widgets.labels import ElidedLabel, elided_at_end, label, show_text
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout
from workbench.widgets.painting import draw_row_ground, draw_text, saved
from workbench.widgets.panes import HighScrollArea, Pane
from workbench.widgets.tables import Index, TextTable

FILTER: Final = Qt.ItemDataRole.UserRole
SENTENCE: Final = Qt.ItemDataRole.UserRole + 1
WIDTH: Final = 560
CHOOSER_HEIGHT: Final = 460
SAVED: Final = "Use a saved recipe…"
SAVED_SENTENCE: Final = "Cleans the table by the rules of a file, and replaces the steps by its steps"
_ARROWS: Final = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


def matches(filter: type[Filter], search: str) -> bool:
    """Whether the texts of the step (name, id, family, sentence, options) contain every word of the search."""
    choices = (f"{option.word} {option.label}" for parameter in filter.parameters() for option in parameter.options)
    text = " ".join((filter.name, filter.id, filter.family, filter.sentence, *choices)).lower()
    return all(word in text for word in search.lower().split())


def is_named(filter: type[Filter], search: str) -> bool:
    """Whether name and id of the step contain every word of the search; such steps come first."""
    return all(word in f"{filter.name} {filter.id}".lower() for word in search.lower().split())


class _Lines(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        lines = sum(QFontMetrics(font).height() for font in (themes.font(bold=True), themes.font(12)))
        return QSize(10, themes.px(26) if index.data(SENTENCE) is None else lines + themes.px(10))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, area, sentence, left = current_theme(), option.rect, index.data(SENTENCE), Qt.AlignmentFlag.AlignLeft
        with saved(painter):
            if sentence is None:
                place, bottom = area.adjusted(SPACE_2, 0, 0, -4), left | Qt.AlignmentFlag.AlignBottom
                draw_text(painter, place, str(index.data()).upper(), theme.color("dim"), themes.font(11), bottom)
                return
            chosen = draw_row_ground(painter, option)
            inner = area.adjusted(SPACE_2, themes.px(5), -SPACE_2, 0)
            for text, font, colour in (
                (str(index.data()), themes.font(bold=True), "accent" if chosen else "text"),
                (sentence, themes.font(12), "dim"),
            ):
                fits = elided_at_end(QFontMetrics(font), text, inner.width())
                draw_text(painter, inner, fits, theme.color(colour), font, left | Qt.AlignmentFlag.AlignTop)
                inner.adjust(0, QFontMetrics(font).height(), 0, 0)


class _StepList(QListWidget):
    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        return past_heading(super().moveCursor(action, modifiers))


class StepChooser(QFrame):
    """Popup of all steps by family, with search. ``chosen`` carries the class of the step."""

    chosen = Signal(object)
    saved_asked = Signal()

    def __init__(self, registry: Registry, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self._registry = registry
        self.setProperty("part", "popover")
        named(self, "preprocess.filters", "Steps that can be added")
        self.search = SearchField("Search steps…", "preprocess.filters.search")
        self.search.setToolTip("Name or task of a step: impute, normalize, select")
        self.search.textChanged.connect(self._fill)
        self.search.installEventFilter(self)
        self.list = named(
            _StepList(),
            "preprocess.filters.list",
            "Steps by family; Enter adds the one chosen",
            "A click or Enter adds the step at the end of the recipe",
        )
        self.list.setItemDelegate(_Lines(self.list))
        self.list.setMouseTracking(True)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._take)
        self.list.installEventFilter(self)
        self._nothing = label("No step matches.", "small")
        column_layout(self.search, self.list, self._nothing, inside=self, spacing=SPACE_2, margins=SPACE_3)
        self._fill("")

    def show_under(self, button: QWidget) -> None:
        """Show all steps under the button, with the keyboard in the search field."""
        self.search.clear()
        _show_popup(self, button, CHOOSER_HEIGHT)
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def _fill(self, search: str) -> None:
        families: dict[str, list[type[Filter]]] = {}
        matching = [filter for filter in self._registry.filters if matches(filter, search)]
        for filter in sorted(matching, key=lambda filter: not is_named(filter, search)):
            families.setdefault(filter.family, []).append(filter)
        self.list.clear()
        for family, filters in families.items():
            self._add_heading(family)
            for filter in filters:
                self._add(filter.name, filter.id, filter.sentence)
        if all(word in f"{SAVED} {SAVED_SENTENCE}".lower() for word in search.lower().split()):
            self._add_heading("Files")
            self._add(SAVED, SAVED, SAVED_SENTENCE)
        self._nothing.setVisible(not self.list.count())
        self.list.setCurrentRow(1 if self.list.count() else -1)
        self.list.scrollToTop()

    def _add_heading(self, words: str) -> None:
        heading = QListWidgetItem(words)
        heading.setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.addItem(heading)

    def _add(self, name: str, id: str, sentence: str) -> None:
        item = QListWidgetItem(name)
        item.setData(FILTER, id)
        item.setData(SENTENCE, sentence)
        item.setToolTip(sentence)
        item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, sentence)
        self.list.addItem(item)

    def _take(self, item: QListWidgetItem | None) -> None:
        id = None if item is None else item.data(FILTER)
        if id == SAVED:
            self.hide()
            self.saved_asked.emit()
        elif id is not None:
            self.hide()
            self.chosen.emit(self._registry.filters.get(id))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter adds the step; arrow keys in the search field move through the list."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.currentItem())
                return True
            if watched is self.search and event.key() in _ARROWS:
                self.list.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)


FORM_HEIGHT: Final = 380
NAMES: Final = 190


class FoundPopover(QFrame):
    """Popup with a table of what a step learned; Ctrl+C copies it, Esc closes it."""

    def __init__(self, name: str, rows: Sequence[Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        named(self, "preprocess.found", f"What {name} found")
        words = label(f"{name}: learned from all records. Each fold learns its own. Ctrl+C copies.", "small")
        self.table = TextTable("preprocess.found.table", f"What {name} found", least_words=NAMES)
        self.table.show_rows(rows)
        column_layout(words, (self.table, 1), inside=self, spacing=SPACE_2, margins=SPACE_3)


def show_found(name: str, rows: Sequence[Sequence[str]], beside: QWidget) -> FoundPopover:
    """Show what a step learned under ``beside``, with the keyboard in the table."""
    popover = FoundPopover(name, rows, beside)
    _show_popup(popover, beside, FORM_HEIGHT)
    popover.table.setFocus(Qt.FocusReason.PopupFocusReason)
    return popover


def _show_popup(popup: QWidget, anchor: QWidget, height: int) -> None:
    """Shows a popup below ``anchor`` (unscaled ``height``), moved and shrunk to fit the screen."""
    screen = anchor.screen().availableGeometry()
    popup.resize(min(themes.px(WIDTH), screen.width()), min(themes.px(height), screen.height()))
    show_under(popup, anchor)


EDIT_WAIT_MS = 350
PERMANENT = (
    "Apply this step, and those above it, to the table. The step then learns from all records, also the test records, "
    "and a warning is shown with every result."
)
RULE_TIP: Final = "A cleaning rule. A model or recipe keeps it, and new files are cleaned by it. Click for its values."
LONGEST_RULE: Final = 40
WITHOUT: Final = (
    "No steps: the learners use the table as it is. Steps impute missing values, normalize, discretize or select "
    "attributes."
)
NARROWEST = 190
LEAST_NAME: Final = 160
"""The name of a step has so much room at normal text size, if it needs it."""
WIDEST = 380


class StepCard(QFrame):
    """A step of the recipe in one line with its switch; opened (click, Enter, Space) with its options and effect."""

    def __init__(self, pane: RecipePane, position: int, step: RecipeStep, problem: str, opened: bool) -> None:
        super().__init__()
        self._pane, self._position, self.step = pane, position, step
        stem, name = f"preprocess.step.{position}", step.filter.name
        self.setProperty("part", "card" if opened else "step")
        named(self, stem, f"Step {position + 1}: {name}", "Hide its options" if opened else "Show its options")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        tip = "On. Switch it off to skip the step." if step.on else "Off."
        self._on = named(switch(), f"{stem}.on", f"Use step {position + 1}, {name}", tip)
        self._on.setChecked(step.on)
        self._on.toggled.connect(lambda: pane.switch(position))
        self._rows: Sequence[Sequence[str]] = ()
        self.menu = self._made_menu()
        self._name = named(ElidedLabel(name, "heading" if step.on else "dim"), f"{stem}.name")
        self._name.ensurePolished()
        self._name.setMinimumWidth(min(self._name.sizeHint().width(), themes.px(LEAST_NAME)))
        self._detail = named(ElidedLabel("", "dim"), f"{stem}.detail")
        self._detail.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # it gives way to the name
        self._inside = ClearWidget()
        if not opened:
            self._inside.hide()
        self.form: ParameterForm | None = None
        self._fill(opened)
        head = row_layout(self._name, (self._detail, 1), self._on, spacing=SPACE_2)
        column_layout(head, self._inside, inside=self, spacing=SPACE_1, margins=(SPACE_2, 5, SPACE_2, 5))
        self.show_problem(problem)

    def _fill(self, opened: bool) -> None:
        """Make what an opened step shows; the effect is below the options, so that these never move."""
        filter, words = self.step.filter, column_layout(inside=self._inside, spacing=SPACE_1)
        if filter.only_training:
            only = label("training records only", "small")
            only.setToolTip("The step does not change test records.")
            words.addWidget(only)
        words.addWidget(label(filter.sentence, "small", wrap=True))
        if opened and filter.parameters():
            self._open(words)
        self._effect = named(label("", "small", wrap=True), f"preprocess.step.{self._position}.effect")
        self._wrong = label("", "small", wrap=True)
        self._wrong.setProperty("tone", "bad")
        add_items(words, self._effect, self._wrong)

    def show_effect(self, effect: StepEffect | None) -> None:
        """Show the effect on the records; the tooltip lists columns or classes. None shows nothing."""
        self._effect.setText("" if effect is None else effect.sentence)
        self._effect.setToolTip("" if effect is None else "\n".join(effect.lines))
        self._effect.setVisible(effect is not None)
        self._rows = () if effect is None else effect.found
        self._found.setVisible(bool(self._rows))

    def show_problem(self, problem: str) -> None:
        """Show why the step cannot be applied, in place of its options where it is closed; empty if it can."""
        show_text(self._wrong, problem)
        is_shown = bool(problem) and self._inside.isHidden()
        detail = _detail(self.step) if self._inside.isHidden() else ""  # an open step has its options below
        self._detail.setText(problem if is_shown else detail)
        self._detail.set_note("" if is_shown else _options(self.step))
        set_property(self._detail, "tone", "bad" if is_shown else "")

    def _toggle(self) -> None:
        self._pane.toggle(self._position)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        end = self.height() if self._inside.isHidden() else self._inside.y()
        if event.button() == Qt.MouseButton.LeftButton and 0 <= event.position().y() < end:
            QTimer.singleShot(0, self, self._toggle)  # the card is made anew, so the event must have ended

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            QTimer.singleShot(0, self, self._toggle)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu.popup(event.globalPos())

    def _made_menu(self) -> QMenu:
        menu, pane, position = QMenu(f"{self._position + 1}  {self.step.filter.name}", self), self._pane, self._position
        menu.setObjectName(f"preprocess.step.{position}.menu")
        menu.addAction("Options", self._toggle)
        tip = "Values learned from all records; each fold learns its own"
        name = self.step.filter.name
        self._found = add_entry(
            menu, f"preprocess.step.{position}.found", "Learned values", tip, lambda: show_found(name, self._rows, self)
        )
        self._found.setVisible(False)
        if isinstance(self.step.filter, AttributeSelection) and self.step.on:
            menu.addAction("Show the ranking", lambda: pane.rank(position))
        if self.step.on and not self.step.filter.only_training:
            permanent = menu.addAction("Make permanent", lambda: pane.make_permanent(position))
            permanent.setToolTip(PERMANENT)
        menu.setToolTipsVisible(True)
        menu.addAction("Move up", lambda: pane.move_step(position, -1)).setEnabled(position > 0)
        menu.addAction("Move down", lambda: pane.move_step(position, 1)).setEnabled(position < pane.n_steps - 1)
        menu.addAction("Remove", lambda: pane.remove(position))
        return menu

    def _open(self, column: QVBoxLayout) -> None:
        self.form = ParameterForm(
            self.step.filter,
            registry=self._pane.session.registry,
            columns=self._pane.columns_before(self.step),
            prefix="preprocess",
            parent=self,
        )
        self.form.changed.connect(self._pane.edited)
        self.form.setCursor(Qt.CursorShape.ArrowCursor)
        column.addWidget(self.form)


class RuleLine(QFrame):
    """A cleaning rule in one line, before the steps; opened (click, Enter, Space) with its values."""

    def __init__(self, pane: RecipePane, position: int, rule: CleaningRule, opened: bool) -> None:
        super().__init__()
        self._pane, self.position, self.rule = pane, position, rule
        stem = f"preprocess.rule.{position}"
        self.setProperty("part", "card" if opened else "step")
        named(self, stem, f"Cleaning rule {position + 1}: {rule.words}", "Hide its values" if opened else RULE_TIP)
        self.setToolTip(RULE_TIP)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        words = named(ElidedLabel(rule.words), f"{stem}.words")
        words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        inside = ClearWidget()
        if not opened:
            inside.hide()
        self._inside, self.form = (
            inside,
            ParameterForm(
                rule, registry=pane.session.registry, columns=pane.columns, prefix=f"{stem}.form", parent=self
            )
            if opened
            else None,
        )
        column = column_layout(label(rule.sentence, "small", wrap=True), inside=inside, spacing=SPACE_1)
        if self.form is not None:
            self.form.setCursor(Qt.CursorShape.ArrowCursor)
            column.addWidget(self.form)
            apply = quiet_button("Change the rule", f"{stem}.change", "Apply the rule with these values to the table")
            apply.clicked.connect(self._change)
            column.addWidget(apply)
        column_layout(words, inside, inside=self, spacing=SPACE_1, margins=(SPACE_2, 5, SPACE_2, 5))
        self.menu = self._made_menu(f"{stem}.menu")

    def _made_menu(self, name: str) -> QMenu:
        menu, pane, position = QMenu(shortened(self.rule.words, LONGEST_RULE), self), self._pane, self.position
        menu.setObjectName(name)
        menu.addAction("Values", self._toggle)
        menu.addAction("Move up", lambda: pane.move_rule(position, -1)).setEnabled(position > 0)
        menu.addAction("Move down", lambda: pane.move_rule(position, 1)).setEnabled(position < pane.n_rules - 1)
        menu.addAction("Remove", lambda: pane.remove_rule(position))
        return menu

    def _change(self) -> None:
        value = None if self.form is None else self.form.value()
        if isinstance(value, CleaningRule):
            self._pane.change_rule(self.position, value)

    def _toggle(self) -> None:
        self._pane.toggle_rule(self.position)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        end = self.height() if self._inside.isHidden() else self._inside.y()
        if event.button() == Qt.MouseButton.LeftButton and 0 <= event.position().y() < end:
            QTimer.singleShot(0, self, self._toggle)  # the line is made anew, so the event must have ended

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            QTimer.singleShot(0, self, self._toggle)
        elif event.key() == Qt.Key.Key_Delete:
            QTimer.singleShot(0, self, lambda: self._pane.remove_rule(self.position))
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu.popup(event.globalPos())


class RecipePane(Pane):
    """Cleaning rules and recipe as cards from top to bottom. Every change can be undone."""

    rules_asked = Signal(object, str)
    """Other cleaning rules for the table, and the name of the change."""

    permanent_asked = Signal(int)
    """Position of a step among the enabled steps, to be applied to the table itself."""
    ranking_asked = Signal(int)
    """Position of an attribute selection among the enabled steps."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Recipe", parent=parent)
        self.set_facts("")
        self.session = session
        self._steps: Steps = ()
        self.opened: int | None = None
        self._cards: list[StepCard] = []
        self._rules: Rules = ()
        self._opened_rule: int | None = None
        self._lines: list[RuleLine] = []
        self.setMinimumWidth(NARROWEST)
        self._edit_timer = single_shot(self, EDIT_WAIT_MS, self._take_edit)
        self._build()
        session.recipe_changed.connect(self._recipe_changed)
        session.data_changed.connect(self._rules_changed)
        session.summary_changed.connect(self._show_problems)
        session.document_replaced.connect(self._forget)
        self._recipe_changed()

    @property
    def n_steps(self) -> int:
        return len(self._steps)

    @property
    def n_rules(self) -> int:
        return len(self._rules)

    @property
    def columns(self) -> dict[str, AttributeKind]:
        """The columns as they are now, with their kinds."""
        data = self.session.data
        return {} if data is None else data.schema.kinds

    def remove_rule(self, position: int) -> None:
        rules = (*self._rules[:position], *self._rules[position + 1 :])
        self.rules_asked.emit(rules, f"Remove rule: {self._rules[position].words}")

    def move_rule(self, position: int, by: int) -> None:
        rules, to = list(self._rules), position + by
        if 0 <= to < len(rules):
            rules.insert(to, rules.pop(position))
            self.rules_asked.emit(tuple(rules), f"Move rule: {self._rules[position].words}")

    def change_rule(self, position: int, rule: CleaningRule) -> None:
        rules = (*self._rules[:position], rule, *self._rules[position + 1 :])
        self.rules_asked.emit(rules, f"Change rule: {rule.words}")

    def toggle_rule(self, position: int) -> None:
        """Open the values of one rule, or close them."""
        self._opened_rule = None if self._opened_rule == position else position
        self._show_rules()
        self._lines[position].setFocus()

    def _rules_changed(self) -> None:
        data = self.session.data
        rules: Rules = () if data is None else tuple(r for r in data.origin.cleaning if isinstance(r, CleaningRule))
        if rules != self._rules:
            self._rules, self._opened_rule = rules, None
            self._show_rules()

    def _show_rules(self) -> None:
        for line in self._lines:
            self._rule_list.removeWidget(line)
            self._more.menu().removeAction(line.menu.menuAction())
            line.hide()
            line.deleteLater()
        opened = self._opened_rule
        self._lines = [RuleLine(self, place, rule, opened == place) for place, rule in enumerate(self._rules)]
        before = self._cards[0].menu.menuAction() if self._cards else None
        for line in self._lines:
            self._rule_list.addWidget(line)
            self._more.menu().insertMenu(before, line.menu) if before else self._more.menu().addMenu(line.menu)
        self._show_whether_any()
        QTimer.singleShot(0, self, self._make_room)

    def _show_whether_any(self) -> None:
        self._without.setVisible(not self._cards)
        self._save.setEnabled(bool(self._steps or self._rules))
        self._more.setVisible(bool(self._steps or self._rules))

    def add(self, filter: type[Filter]) -> None:
        """Append a step and open its options, if it has any."""
        try:
            step = RecipeStep(filter())
        except CoppiceError as error:
            self.session.messages.error(error)
            return
        self.opened = len(self._steps)
        self._set((*self._steps, step), f"Add step {filter.name}")

    def switch(self, position: int) -> None:
        name = self._steps[position].filter.name
        self._set(switched(self._steps, position), f"Switch {'off' if self._steps[position].on else 'on'} step {name}")

    def remove(self, position: int) -> None:
        name = self._steps[position].filter.name
        self.opened = None
        self._set(removed(self._steps, position), f"Remove step {name}")

    def move_step(self, position: int, by: int) -> None:
        self.opened = None
        self._set(moved(self._steps, position, by), f"Move step {self._steps[position].filter.name}")

    def toggle(self, position: int) -> None:
        """Open the options of one step, or close them."""
        self._take_edit()
        self.opened = None if self.opened == position else position
        self._rebuild()
        self._cards[position].setFocus()

    def make_permanent(self, position: int) -> None:
        self._emit_place(self.permanent_asked, position)

    def rank(self, position: int) -> None:
        self._emit_place(self.ranking_asked, position)

    def _emit_place(self, asked: SignalInstance, position: int) -> None:
        self._take_edit()
        asked.emit(self._place(self._steps[position]))

    def edited(self) -> None:
        """Take the changed options of the opened step once typing pauses."""
        self._edit_timer.start()

    def _take_edit(self) -> None:
        self._edit_timer.stop()
        if self.opened is None or self.opened >= len(self._cards):
            return
        form = self._cards[self.opened].form
        value = None if form is None else form.value()
        if isinstance(value, Filter) and value != self._steps[self.opened].filter:
            steps = replaced(self._steps, self.opened, value)
            self._steps = steps
            self._push(f"Change options of step {value.name}")
            for line in form.findChildren(SteppingLineEdit) if form is not None else ():
                line.forget_typing()

    def _ask_where_to_save(self) -> None:
        self._take_edit()
        kinds, name = f"Recipes (*{SUFFIX});;Python scripts with what the steps learned (*.py)", f"recipe{SUFFIX}"
        ask_where_to_save(self, "Save the recipe", kinds, name, self.save)

    def _ask_for_saved(self) -> None:
        ask_for_file(self, "Use a saved recipe", f"Recipes (*{SUFFIX})", self.use)

    def save(self, path: str) -> None:
        """Save all steps, disabled ones too, to a file; a name that ends in .py gives a script of those in use."""
        steps, data, raw = self._steps, self.session.data, self.session.history.before_cleaning()

        def work(context: RunContext) -> None:
            if data is None or not path.lower().endswith(".py"):
                cleaning, reading = ((), None) if data is None else (data.origin.cleaning, data.origin.reading)
                save_recipe(path, steps, context.commit, cleaning, reading)
                return
            from algorithms.export.recipe_script import write_recipe_script

            write_recipe_script(path, recipe_of(steps), data, context, raw)

        self.session.jobs.start(f"Save {Path(path).name}", work)

    def use(self, path: str) -> None:
        """Clean the table by the rules of a file and replace the recipe by its steps, undoably.

        A table that nobody has changed is read first as the one that the recipe was saved from. Cards show which steps
        do not fit the table, and a message which rules do not. Rules that the table has had already are not applied
        again.
        """
        registry, data, name = self.session.registry, self.session.data, shortened(Path(path).stem, 40)
        if data is None:
            return

        source, opened = self.session.reading_of_unchanged(), self.session.history.opened

        def work(context: RunContext) -> tuple[Steps, Dataset, Dataset, list[str]]:
            steps, rules = load_recipe(path, registry), load_rules(path)
            if source is not None:
                read, said = source.read_like_recipe(data, path, context)
            else:
                read, said = data, [] if opened is None else unfit_reading(opened.data, path)
            if read.origin.cleaning[: len(rules)] == rules:
                return steps, read, read, said
            context.say(f"Cleaning by {name}")
            changed, misfits = cleaned(read, rules, context.checkpoint)
            return steps, read, changed, [*said, *(f"{misfit.sentence} {misfit.remedy}".strip() for misfit in misfits)]

        def landed(result: tuple[Steps, Dataset, Dataset, list[str]]) -> None:
            steps, read, changed, said = result
            if self.session.data is not data:
                self.session.messages.error(DataError("The table changed meanwhile; nothing was done."))
                return
            self.opened = None
            if read is not data:
                self.session.set_document(read, reading=source)
            document = self.session.history.needed
            if changed is not read or steps != document.steps:
                self.session.history.push(f"Use the recipe {name}", replace(document, data=changed, steps=steps))
            for sentence in said:
                self.session.messages.warn(sentence)

        hear = None if source is None else source.hear
        self.session.jobs.start(f"Open {Path(path).name}", work, on_done=landed, on_event=hear)

    def _set(self, steps: Steps, text: str) -> None:
        self._steps = steps
        self._rebuild()
        self._push(text)

    def _push(self, text: str) -> None:
        document = self.session.document
        if document is not None and self._steps != document.steps:
            self.session.history.push(text, replace(document, steps=self._steps))

    def _recipe_changed(self) -> None:
        document = self.session.document
        steps = () if document is None else document.steps
        if self._steps != steps:
            self._steps = steps
            if self.opened is not None and self.opened >= len(steps):
                self.opened = None
            self._rebuild()

    def _forget(self) -> None:
        document = self.session.document
        self._steps = () if document is None else document.steps
        self.opened = None
        self._rules_changed()
        self._rebuild()

    def _build(self) -> None:
        self._list = column_layout(spacing=SPACE_2)
        holder = self._holder = ClearWidget()
        self._reordering = Reordering(holder, lambda: {id(card.step): card.geometry() for card in self._cards})
        self._without = named(label(WITHOUT, "small", wrap=True), "preprocess.recipe.without")
        self._rule_list = column_layout(spacing=SPACE_1)
        column_layout(self._rule_list, self._list, self._without, inside=holder, spacing=SPACE_2)
        self._chooser = StepChooser(self.session.registry, self)
        self._chooser.chosen.connect(self.add)
        self._add = quiet_button("+  Add a step", "preprocess.add_step", "Add a preprocessing step")
        self._add.clicked.connect(lambda: self._chooser.show_under(self._add))
        says = "Change a step, save the recipe, or use a saved one"
        self._more = IconButton("more", says, "preprocess.recipe.more", plain=True)
        menu = named(QMenu(self._more), "preprocess.recipe.menu")
        self._save = menu.addAction("Save the recipe…", self._ask_where_to_save)
        menu.addAction(SAVED, self._ask_for_saved)
        self._chooser.saved_asked.connect(self._ask_for_saved)
        menu.addSeparator()
        self._more.set_menu(menu)
        self.add_action(self._more)
        scroll = self._scroll = HighScrollArea(holder)
        scroll.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        scroll.viewport().setProperty("part", "clear")
        scroll.keep_room_for_bar()
        words = "Steps run from top to bottom. Each step is fitted on the training records only."
        # the button is outside the scroll area, so that it is always visible
        add_items(self.body, scroll, self._add, label(words, "small", wrap=True), 1, self._made_onward())

    def _made_onward(self) -> QWidget:
        """The way on to Classify, at the foot; its room stays while it is hidden."""
        go = partial(self.session.ask_for_tab, "classify")
        tip = "Choose a learner and test it on this table"
        self.onward = accent_button("Continue to Classify →", "preprocess.onward", tip, go)
        self.onward.setAccessibleName("Continue to Classify")
        policy = self.onward.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.onward.setSizePolicy(policy)
        self.onward.hide()
        return self.onward

    def show_onward(self, is_settled: bool, is_alone: bool) -> None:
        """Offer Classify once the class is settled; it is a quiet button beside another main action."""
        self.onward.setVisible(is_settled)
        set_property(self.onward, "part", "accent" if is_alone else "quiet")

    def _rebuild(self) -> None:
        self._reordering.begin()
        for card in self._cards:
            self._list.removeWidget(card)
            self._more.menu().removeAction(card.menu.menuAction())
            card.hide()
            card.deleteLater()
        self._cards = [
            StepCard(self, position, step, self._problem(step), self.opened == position)
            for position, step in enumerate(self._steps)
        ]
        for card in self._cards:
            card.show_effect(self._effect(card.step))
            self._list.addWidget(card)
            self._more.menu().addMenu(card.menu)
        self._add.setEnabled(self.session.data is not None)
        self._show_whether_any()
        self._reordering.end()
        QTimer.singleShot(0, self, self._make_room)

    def _make_room(self) -> None:
        inside = self._holder.minimumSizeHint().width()
        margins = self.width() - self._scroll.viewport().width()
        self.setMinimumWidth(max(NARROWEST, min(themes.px(WIDEST), inside + max(0, margins))))

    def _show_problems(self) -> None:
        for card, step in zip(self._cards, self._steps, strict=False):
            card.show_problem(self._problem(step))
            card.show_effect(self._effect(step))

    def _problem(self, step: RecipeStep) -> str:
        """Why the step cannot be applied to the output of the steps before it; empty if it can."""
        summary = self.session.history.summaries.before(self._place(step))
        if summary is None or not step.on:
            return ""
        problems = step.filter.check(summary)
        if problems:
            return f"{problems[0].sentence} {problems[0].remedy}".strip()
        return self.session.history.summaries.refusal(self._place(step))

    def _effect(self, step: RecipeStep) -> StepEffect | None:
        """Effect of the step on all records; None while unknown."""
        return self.session.history.summaries.effect(self._place(step)) if step.on else None

    def _place(self, step: RecipeStep) -> int:
        """Position of the step among the enabled steps."""
        index = next(i for i, other in enumerate(self._steps) if other is step)
        return sum(other.on for other in self._steps[:index])

    def columns_before(self, step: RecipeStep) -> dict[str, AttributeKind]:
        """The attributes before this step with their kinds, without the class where its filter refuses that one."""
        summary = self.session.history.summaries.before(self._place(step))
        if summary is None:
            return self.columns
        kinds, names, class_index = summary.schema.kinds, summary.schema.names, summary.schema.class_index
        if class_index is None or not hasattr(step.filter, "columns"):
            return kinds
        name, asked = names[class_index], cast(Any, replace)(step.filter, columns=(names[class_index],))
        refused = {problem.column for problem in asked.check(summary)}
        return {other: kind for other, kind in kinds.items() if other != name or name not in refused}


def _value_text(parameter: Parameter, value: Any) -> str:
    """Value of a parameter as its form shows it; several values are separated by commas."""
    if isinstance(value, Configurable):
        return value.summary()
    return ", ".join(said_value(parameter, item) for item in (value if isinstance(value, tuple) else (value,)))


def _options(step: RecipeStep) -> str:
    """Options that differ from their defaults, with their labels."""
    changed = ((step.filter.parameter(name), value) for name, value in step.filter.changed().items())
    return ", ".join(f"{within_sentence(option.label)} {_value_text(option, value)}" for option, value in changed)


def _detail(step: RecipeStep) -> str:
    """Options that differ from their defaults; else the value of the first one with a choice."""
    choices = [parameter for parameter in step.filter.parameters() if parameter.options]
    first = _value_text(choices[0], getattr(step.filter, choices[0].name)) if choices else ""
    return _options(step) or first
