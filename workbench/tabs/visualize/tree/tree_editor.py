"""Manual edits of the tree in view: make a leaf, ask another question, restore."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from algorithms.learners.trees.edits import EditedSplit, TreeEdit, Way, follow, is_below, way_to
from algorithms.structures.tree import NO_NODE, Tree
from algorithms.text.sentences import BRIEF_NAMES, in_brief
from workbench.session.runs import Run, structure_of
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, themes
from workbench.tabs.visualize.model_editor import AttributeForm, EditOutcome, editor_combo, number_in
from workbench.viewers.tree.tree_words import condition, question
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.labels import ElidedLabel, label, show_text
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout

if TYPE_CHECKING:
    from workbench.viewers.tree.tree_view import TreeView


BY_LEARNER: Final = "learner"
BY_HAND: Final = "hand"
SPACE: Final = 6
NAME_WIDTH, LEAST_NAME = 220, 140


class QuestionForm(AttributeForm):
    """Fields for a question; ``asked(question, grown)`` comes when the user submits it."""

    asked = Signal(object, bool)

    def __init__(self) -> None:
        super().__init__(
            "visualize.edit.attribute",
            "Attribute to split on",
            (
                "visualize.edit.group",
                "Values that go down the left branch",
                "Tick the values that go down the left branch; the others go right",
            ),
        )
        self._how = editor_combo("visualize.edit.how", "Threshold or groups of the split")
        self._threshold = named(
            QLineEdit(),
            "visualize.edit.threshold",
            "Threshold",
            "Values up to this threshold go down the left branch",
        )
        self._threshold.setPlaceholderText("number")
        self._threshold.setFixedWidth(themes.px(90))
        below = (("grow subtrees", True), ("end in leaves", False))
        self._below = editor_combo("visualize.edit.below", "What follows the new split", choices=below)
        self._below.setToolTip(
            "Grow subtrees: the learner splits the records of each branch further, with its options. End in leaves: "
            "each branch is a leaf."
        )
        self.apply = accent_button("Apply split", "visualize.edit.do", "Use this split at the node", self._ask)
        self._wrong = named(label("", "small", wrap=True), "visualize.edit.wrong")
        self._wrong.setProperty("tone", "warning")
        about = label("Split on", "dim")
        self._others: tuple[QWidget, ...] = (about, self._how, self._below, self.apply)
        fields = (about, self.attribute, self._how, self._threshold, self._below, self.apply, 1)
        column_layout(row_layout(*fields, spacing=SPACE), self.values, self._wrong, inside=self, spacing=4)
        self._how.currentIndexChanged.connect(self._check)
        self._threshold.textChanged.connect(self._check)
        self._threshold.returnPressed.connect(self.apply.click)
        self.values.itemChanged.connect(self._check)

    def _attribute_chosen(self) -> None:
        attribute = self._chosen()
        is_number = attribute is not None and not attribute.kind.is_coded
        self.attribute.setToolTip("" if attribute is None else attribute.name)
        with QSignalBlocker(self._how):
            self._how.clear()
            self._how.addItem("best threshold" if is_number else "best branches", BY_LEARNER)
            if is_number or (attribute is not None and len(attribute.values) > 1):
                self._how.addItem("at threshold:" if is_number else "in two groups:", BY_HAND)
        self._offer_values(() if attribute is None else attribute.values, has_tips=True)
        self._check()

    def question(self) -> EditedSplit | None:
        """The question in the fields; None while it is incomplete."""
        attribute = self._chosen()
        if attribute is None:
            return None
        if self._how.currentData() != BY_HAND:
            return EditedSplit(attribute.name)
        if attribute.kind.is_coded:
            ticked = self._ticked()
            rest = tuple(value for value in attribute.values if value not in ticked)
            return EditedSplit(attribute.name, groups=(ticked, rest)) if ticked and rest else None
        number = number_in(self._threshold.text())
        return None if number is None else EditedSplit(attribute.name, number)

    def _check(self) -> None:
        attribute, by_hand = self._chosen(), self._how.currentData() == BY_HAND
        is_coded = attribute is not None and attribute.kind.is_coded
        self._threshold.setVisible(by_hand and not is_coded)
        self.values.setVisible(by_hand and is_coded)
        ok = self.question() is not None
        self.apply.setEnabled(ok)
        wrong = ""
        if not ok and by_hand and is_coded:
            wrong = "Tick the values that go down the left branch, at least one and not all."
        elif not ok and by_hand and self._threshold.text().strip():
            wrong = "This is not a number."
        show_text(self._wrong, wrong)

    def _ask(self) -> None:
        question = self.question()
        if question is not None:
            self.asked.emit(question, bool(self._below.currentData()))

    def fits(self, room: int) -> bool:
        """Whether the line fits into so many pixels, number field included; the attribute's name may shrink."""
        name, most = self.attribute, themes.px(NAME_WIDTH)
        wanted = min(name.sizeHint().width(), most)
        others = sum(min(widget.sizeHint().width(), widget.maximumWidth()) + SPACE for widget in self._others)
        left = min(wanted, room - others - SPACE - self._threshold.maximumWidth())
        is_enough = left >= min(wanted, themes.px(LEAST_NAME))
        name.setMaximumWidth(left if is_enough and left < wanted else most)
        return is_enough


CHOOSE: Final = "Choose a node of the tree."
ROOM_OF_WHERE: Final = 110
"""Beside a form, the words for the node need so many pixels."""


class TreeEditor(ClearWidget):
    """Edits the tree, while ``switch`` is on; :meth:`follow_view` connects it to the viewer."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._run: Run | None = None
        self._tree: Tree | None = None
        self._view: TreeView | None = None
        self._node = NO_NODE
        self._way: Way | None = None
        self._back_to: tuple[Tree, Way] | None = None
        self._make_widgets()
        self.switch.toggled.connect(self._switched)
        self._ask.toggled.connect(self._show_form)
        self.form.asked.connect(self.ask)
        self.hide()

    def _make_widgets(self) -> None:
        tip = "Edit the tree by hand: prune it, change a split"
        self.switch = quiet_button("Edit", "visualize.edit", tip, checkable=True)
        self._where = named(ElidedLabel(CHOOSE, "dim"), "visualize.edit.where")
        tip = "Turn this node into a leaf that predicts its most frequent class"
        self._leaf = quiet_button("Make it a leaf", "visualize.edit.leaf", tip, partial(self._change, None, True))
        tip = "Use another split at this node"
        self._ask = quiet_button("Change the split", "visualize.edit.ask", tip, checkable=True)
        self.form = named(QuestionForm(), "visualize.edit.form")
        self.form.hide()
        self._outcome = EditOutcome(self._session, "visualize.edit.outcome", self.restore)
        top = Qt.AlignmentFlag.AlignTop  # where values are put in groups the form is high, and nothing else moves
        buttons = ((button, 0, top) for button in (self._leaf, self._ask))
        self._line = row_layout((self._where, 1, top), *buttons, spacing=6)
        lines = self._line, self.form, self._outcome
        self._column = column_layout(*lines, inside=self, spacing=SPACE_1, margins=(0, 0, 0, SPACE_1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_form()

    def _place_form(self) -> None:
        """Puts the form before the buttons if the line has room, else below."""
        height = self.form.attribute.sizeHint().height()
        for button in (self._leaf, self._ask, self.form.apply):
            button.setFixedHeight(height)
        self._where.setMinimumHeight(height)
        taken = sum(button.sizeHint().width() for button in (self._leaf, self._ask))
        fits = self.form.fits(self.width() - taken - themes.px(ROOM_OF_WHERE))
        if fits != (self._line.indexOf(self.form) >= 0):
            (self._column if fits else self._line).removeWidget(self.form)
            if fits:
                self._line.insertWidget(1, self.form)
            else:
                self._column.insertWidget(1, self.form)

    def follow_view(self, view: TreeView) -> None:
        self._view = view
        view.node_focused.connect(self.set_node)
        view.drawn.connect(self._drawn)

    def set_run(self, run: Run | None) -> None:
        tree = structure_of(run, Tree)
        if tree is not self._tree:
            self._tree, self._node = tree, NO_NODE
            self.form.set_schema(None if tree is None else tree.schema)
        if run is not None and self._run is not None and self._session.analyses.edits.hand_tree(run) is not None:
            self.switch.setChecked(True)
        self._run = run
        self.switch.setVisible(tree is not None)
        self.setVisible(tree is not None and self.switch.isChecked())
        self._show_node()
        self._mark()
        self._outcome.set_run(run)
        self._outcome.set_wanted(not self.isHidden())
        self._go_back()

    def set_node(self, node: int) -> None:
        self._node = node
        if self._tree is not None and 0 <= node < self._tree.n_nodes:
            self._way = way_to(self._tree, node)
        self._show_node()

    def _drawn(self) -> None:
        self._mark()
        self._go_back()

    def _go_back(self) -> None:
        """Reveals the edited node once the new tree is both set and drawn."""
        back, view, tree = self._back_to, self._view, self._tree
        if back is None or tree is None or view is None or back[0] is tree:
            return
        if view.tree is not tree or view.drawing is None:
            return
        self._back_to, way = None, back[1]
        nodes = (follow(tree, way[:n]) for n in range(len(way), -1, -1))
        node = next((node for node in nodes if node is not None), None)
        if node is not None:
            view.reveal(node)

    def _show_node(self) -> None:
        tree, node = self._tree, self._node
        is_node = self._is_at_node
        self._leaf.setEnabled(bool(is_node and tree is not None and not tree.is_leaf(node)))
        self._ask.setEnabled(is_node)
        is_edited = is_node and any(is_below(edit.at, self._way or ()) for edit in self._edits())
        self._outcome.offer_restoring("Restore this subtree" if is_edited else "")
        if tree is None or not is_node:
            self._where.setText(CHOOSE)
            return
        name = tree.schema.classes[int(tree.decision[node])]
        if not tree.is_leaf(node):
            name = tree.schema.names[int(tree.attribute[node])]
        what = question(tree, node) or f"leaf, {name}"
        whole, names = f"{condition(tree, node) or 'all records'}: {what}", (*tree.schema.names, *tree.schema.classes)
        shorter = [in_brief(words, names, most) for words in (whole, what) for most in BRIEF_NAMES]
        self._where.set_wordings(whole, *shorter, "root" if node == 0 else in_brief(name, names, BRIEF_NAMES[-1]))

    def _edits(self) -> tuple[TreeEdit, ...]:
        return () if self._run is None else self._session.analyses.edits.edits_of(self._run)

    def _mark(self) -> None:
        tree, view = self._tree, self._view
        if view is None or tree is None or view.tree is not tree:
            return
        nodes = [follow(tree, edit.at) for edit in self._edits()]
        view.canvas.set_by_hand(frozenset(node for node in nodes if node is not None))

    def _switched(self, wanted: bool) -> None:
        self.setVisible(wanted)
        view = self._view
        if view is not None:
            view.card.tell_of_focus(not wanted)
        if wanted and view is not None and self._node == NO_NODE and view.canvas.focus_node != NO_NODE:
            self.set_node(view.canvas.focus_node)
        self._outcome.set_wanted(wanted)
        if wanted:
            self._session.turns.later(self._bring_into_view)  # once the picture has given way to this row

    def _bring_into_view(self) -> None:
        """Shows the node in focus, else the root, at a readable size."""
        view, tree, node = self._view, self._tree, self._node
        if view is None or tree is None or view.tree is not tree or view.drawing is None or node >= tree.n_nodes:
            return
        if node != NO_NODE and view.drawing.layout.depth[node] < 0:
            view.reveal(node)
        else:
            view.canvas.look_closely_at(node)

    def _show_form(self, wanted: bool) -> None:
        if wanted:
            self._place_form()
        self.form.setVisible(wanted)
        if wanted:
            self.form.attribute.setFocus()

    @property
    def _is_at_node(self) -> bool:
        return self._tree is not None and 0 <= self._node < self._tree.n_nodes

    def ask(self, asked: EditedSplit, grown: bool) -> None:
        self._change(asked, grown)
        self._ask.setChecked(False)

    def adopt(self, node: int, asked: EditedSplit) -> None:
        self.set_node(node)
        self.switch.setChecked(True)
        self._change(asked, True)

    def _change(self, asked: EditedSplit | None, grown: bool) -> None:
        run, tree = self._run, self._tree
        if run is not None and tree is not None and self._is_at_node:
            self._back_to = tree, way_to(tree, self._node)
            self._session.analyses.edits.change(run, TreeEdit(self._back_to[1], asked, grown))

    def restore(self) -> None:
        """Undoes the edits of the node in focus and below."""
        run, tree = self._run, self._tree
        if run is not None and tree is not None and self._is_at_node:
            self._back_to = tree, way_to(tree, self._node)
            self._session.analyses.edits.restore(run, self._back_to[1])
