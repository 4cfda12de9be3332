"""Search in a tree: the query, the matching nodes, and the bar that steps through them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QWidget

from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.structures.tree import NO_NODE
from algorithms.text.numbers import MINUS
from algorithms.text.sentences import without_thousands
from workbench.jobs.jobs import Jobs, LatestTask, give_way
from workbench.jobs.ui_scheduling import single_shot
from workbench.style.theme import themes
from workbench.viewers.tree.tree_canvas import TreeCanvas
from workbench.viewers.tree.tree_drawing import DIRECT_NODES, TreePlan
from workbench.viewers.tree.tree_words import condition, question
from workbench.widgets.buttons import IconButton
from workbench.widgets.fields import SearchField
from workbench.widgets.labels import label
from workbench.widgets.layouts import named, row_layout

_LEAF: Final = re.compile(r"(?:leaf|#)\s*(\d[\d,]*)")
_OPERATOR: Final = re.compile(r"\s*(<=|>=|≤|≥|<|>|=)\s*")
_TYPED: Final = {"≤": "<=", "≥": ">="}
MOST_VALUES: Final = 1000
BREATH: Final = 400
"""Number of nodes indexed between two calls of ``give_way``, some milliseconds apart."""


def normalized(words: str) -> str:
    """Words in the form that is compared: lower case, with typed operators and no spaces around them."""
    words = without_thousands(words.casefold().replace(MINUS, "-"))
    return _OPERATOR.sub(lambda match: _TYPED.get(match[1], match[1]), words).strip()


class TreeIndex:
    """An index of the nodes of a tree by their words.

    A node matches by its question (``age <= 30``) or class, a leaf also by its number (``leaf 17``). Everything below a
    condition matches that condition (``age > 30``, ``colour = red``, or ``red``). Words that occur nowhere together are
    searched one by one. Building takes tenths of a second for large trees; ``give_way`` is called every few
    milliseconds.
    """

    def __init__(self, plan: TreePlan, give_way: Callable[[], None] = lambda: None) -> None:
        tree = plan.worded
        self._order = plan.order.tolist()
        self._leaf_at: dict[int, int] = {}
        self._says: list[str] = []
        self._above: list[tuple[int, str]] = []
        self._values: list[tuple[int, str, int]] = []
        names = [normalized(attribute.name) for attribute in tree.schema.attributes]
        classes = [normalized(label) for label in tree.schema.classes]
        attributes, decisions, parents = tree.attribute.tolist(), tree.decision.tolist(), tree.parent.tolist()
        first_children, numbers = tree.first_child.tolist(), plan.leaf_number.tolist()
        for place, node in enumerate(self._order):
            if place % BREATH == BREATH - 1:
                give_way()
            if tree.is_leaf(node):
                self._leaf_at[numbers[node]] = node
                self._says.append(f"{classes[decisions[node]]}\nleaf {numbers[node]}")
            else:
                self._says.append(normalized(question(tree, node)))
            parent = parents[node]
            if parent == NO_NODE:
                continue
            if not tree.has_threshold(parent) or node > first_children[parent] + 1:
                way = normalized(condition(tree, node, at_most=MOST_VALUES))
                self._values.append((place, way, len(names[attributes[parent]])))
            elif node != first_children[parent]:
                self._above.append((place, normalized(condition(tree, node))))

    def find(self, wanted: str) -> IntArray:
        """The matching nodes in reading order; none for an empty query."""
        words = normalized(wanted)
        if not words:
            return np.zeros(0, dtype=np.int64)
        by_number = _LEAF.fullmatch(words)
        if by_number is not None:
            leaf = self._leaf_at.get(int(by_number[1].replace(",", "")))
            return np.array([] if leaf is None else [leaf], dtype=np.int64)
        places = self._meant(words)
        if not places and " " in words:
            parts = [self._meant(word) for word in words.split()]
            places = set.intersection(*parts)
        return np.array([self._order[place] for place in sorted(places)], dtype=np.int64)

    def _meant(self, words: str) -> set[int]:
        """The places that contain the words in this order."""
        places = {place for place, says in enumerate(self._says) if words in says}
        if ">" in words:  # the other branch matches by the question itself
            places.update(place for place, above in self._above if words in above)
        # The name of an attribute alone must not match, or all its branches would.
        places.update(
            place
            for place, way, length in self._values
            if words in way and way.find(words, max(0, length + 1 - len(words))) >= 0
        )
        return places


TYPING_MS: Final = 60
HELP: Final = "An attribute, a test (age > 30), a value, a class, or a leaf by its number (leaf 17)"


class TreeFindBar(QFrame):
    """The search bar. ``asked(words)`` follows typing, ``stepped(+1 or -1)`` asks for the next match."""

    asked = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("part", "card")
        self.setObjectName("visualize.find.bar")
        self.field = SearchField("Find in the tree", "visualize.find")
        self.field.setToolTip(HELP)
        self.field.setMinimumWidth(themes.px(190))
        self.count = named(label("", "small"), "visualize.find.count")
        self.count.setMinimumWidth(themes.px(96))
        back, on = partial(self._step, -1), partial(self._step, 1)
        self._previous = IconButton(
            "chevron-up", "The match before (Shift+Enter)", "visualize.find.previous", back, plain=True
        )
        self._next = IconButton("chevron-down", "The next match (Enter)", "visualize.find.next", on, plain=True)
        close = IconButton("close", "Stop looking (Escape)", "visualize.find.close", self.closed.emit, plain=True)
        row_layout(
            self.field, self.count, self._previous, self._next, close, inside=self, spacing=4, margins=(6, 4, 6, 4)
        )
        self._soon = single_shot(self, TYPING_MS, lambda: self.asked.emit(self.field.text()))
        self.field.textChanged.connect(lambda _text: self._soon.start())
        self.field.installEventFilter(self)
        QShortcut(QKeySequence("F3"), self, lambda: self._step(1))
        QShortcut(QKeySequence("Shift+F3"), self, lambda: self._step(-1))
        self.hide()

    def _step(self, by: int) -> None:
        if self._soon.isActive():
            self.asked.emit(self.typed())
        else:
            self.stepped.emit(by)

    def typed(self) -> str:
        """The text of the field; cancels the query that is due."""
        self._soon.stop()
        return self.field.text()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handles Enter, the arrows and Escape in the field."""
        if watched is self.field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key, back = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._step(-1 if back else 1)
            elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                self._step(1 if key == Qt.Key.Key_Down else -1)
            elif key == Qt.Key.Key_Escape:
                self.closed.emit()
            else:
                return False
            return True
        return super().eventFilter(watched, event)

    def say(self, words: str, has_matches: bool) -> None:
        """Shows a text beside the field, and enables stepping."""
        self.count.setText(words)
        self.count.setAccessibleName(words)
        for button in (self._previous, self._next):
            button.setEnabled(has_matches)


class TreeFinder(QObject):
    """Finds nodes of a tree, highlights them on its canvas, and steps from one to the next."""

    reached = Signal(int)
    closed = Signal()

    def __init__(self, canvas: TreeCanvas, jobs: Jobs | None, parent: QWidget) -> None:
        super().__init__(parent)
        self._canvas, self._task = canvas, LatestTask(jobs)
        self.bar = TreeFindBar(parent)
        self._plan: TreePlan | None = None
        self._index: TreeIndex | None = None
        self.matches: IntArray = np.zeros(0, dtype=np.int64)
        self._current = 0
        self.words = ""
        self.bar.asked.connect(self._find)
        self.bar.stepped.connect(self._step)
        self.bar.closed.connect(self.close)
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), parent, self.open)
        find.setWhatsThis("Find in the tree")

    def open(self) -> None:
        self.bar.show()
        self.bar.raise_()
        self.bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.bar.field.selectAll()
        self._prepare()
        if self.bar.field.text():
            self._find(self.bar.field.text())

    def close(self) -> None:
        if self.bar.isHidden():
            return
        self.bar.hide()
        self._light(np.zeros(0, dtype=np.int64))
        self.closed.emit()

    def set_plan(self, plan: TreePlan | None) -> None:
        is_same = plan is not None and self._plan is not None and plan.tree is self._plan.tree
        self._plan = plan
        if is_same:
            return
        self._index = None
        self._light(np.zeros(0, dtype=np.int64))
        if not self.bar.isHidden():
            self._prepare()

    def _prepare(self) -> None:
        """Builds the index once, in a job for a large tree, then searches what was typed meanwhile."""
        plan = self._plan
        if plan is None or self._index is not None:
            return
        self.bar.say("reading the tree" if self.bar.field.text() else "", False)

        def done(index: TreeIndex) -> None:
            if self._index is None and self._plan is not None and self._plan.tree is plan.tree:
                self._index = index
                if words := self.bar.typed():
                    self._find(words)

        def work(context: RunContext) -> TreeIndex:
            context.say("Read the tree")
            return TreeIndex(plan, give_way)

        self._task.run("Read the tree", work, done, key=(plan,), at_once=plan.tree.n_nodes <= DIRECT_NODES)

    def _find(self, words: str) -> None:
        if self._index is None:
            self._prepare()
            return
        self._current, self.words = 0, words
        self._light(self._index.find(words))
        if len(self.matches):
            self._go()
        else:
            self.bar.say("nothing found" if words.strip() else "", False)

    def _step(self, by: int) -> None:
        if len(self.matches):
            self._current = (self._current + by) % len(self.matches)
            self._go()

    def _go(self) -> None:
        self.bar.say(f"{self._current + 1:,} of {len(self.matches):,}", True)
        self.reached.emit(int(self.matches[self._current]))

    def _light(self, nodes: IntArray) -> None:
        """Highlights the nodes, and counts the matches under folded ones."""
        self.matches = nodes
        plan = self._plan
        if plan is None or not len(nodes):
            self._canvas.set_matches(None, None)
            if plan is None:
                self.bar.say("", False)
            return
        is_match = np.zeros(plan.tree.n_nodes, dtype=np.int64)
        is_match[nodes] = 1
        self._canvas.set_matches(is_match > 0, plan.tree.summed_below(is_match))
