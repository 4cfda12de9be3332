"""The card of a node: its path, counts and classes."""

from __future__ import annotations

from html import escape
from itertools import chain
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from algorithms.data.columns import FloatArray
from algorithms.structures.tree import NO_NODE, SplitTest, Tree, softness_words
from algorithms.text.names import shortened
from algorithms.text.numbers import percent, records_words, weight_text
from algorithms.text.sentences import counted
from workbench.jobs.ui_scheduling import single_shot
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import NO_BOXES, FloatingCard, LeaderLine
from workbench.viewers.original_units import reworded
from workbench.viewers.tree.tree_canvas import TreeCanvas
from workbench.viewers.tree.tree_drawing import Boxes, DetailLevel, TreePlan, View
from workbench.viewers.tree.tree_words import name_of_leaf, parts_words, path_conditions, question, tested_words

MOST_CLASSES: Final = 8
MOST_CONDITIONS: Final = 12
FEWER_AND_FEWER: Final = ((MOST_CLASSES, MOST_CONDITIONS), (5, 4), (2, 0))
"""Numbers of classes and conditions, tried until the card fits without hiding anything."""
BRIEF: Final = 40
"""Characters of a text with a name in it, on a card that would be too high."""
UNDECIDED: Final = "Not decided yet"
"""Heading of a node of a growing tree that may still be split."""
BAR: Final = 90
DELAY_MS: Final = 160
APART: Final = 6.0
"""Pixels between a card and the nodes it is not about."""
MOST_KEPT_CLEAR: Final = 400
"""With more visible nodes than this, a card may cover some."""
LABEL, SIGN = 22.0, 14.0
"""Heights of a branch label above a node and of the fold button below, in units of the drawing."""


def card_html(
    plan: TreePlan,
    node: int,
    hidden: int = 0,
    selected: float = 0.0,
    note: str = "",
    offers_reasons: bool = False,
    most: tuple[int, int] = (MOST_CLASSES, MOST_CONDITIONS),
    is_waiting: bool = False,
    colored: frozenset[int] | None = None,
    is_corrected: bool = False,
) -> str:
    """A node's path, counts and question as rich text, at most ``most``; ``is_waiting`` may be split.

    Only classes ``colored`` have their colours; None for all. ``is_corrected`` says that gains of numbers are those
    after the MDL correction of C4.5.
    """
    most_classes, most_conditions = most
    theme = current_theme()
    tree = plan.worded
    is_rescaled = bool(reworded(plan.tree, plan.own, plan.tree.path(node)))
    dim = f'style="color:{theme.dim}"'
    total = float(plan.records[node])
    is_brief = most_conditions < MOST_CONDITIONS
    decision = escape(_briefly(tree.schema.classes[int(tree.decision[node])], is_brief))
    is_leaf = tree.is_leaf(node) and not is_waiting
    asked = UNDECIDED if is_waiting else escape(_briefly(question(tree, node), is_brief))
    heading = f"Predicts {decision}" if is_leaf else asked
    of_all = escape(percent(float(plan.share[node]), float(plan.records[0])))
    share = f" <span {dim}>· {of_all} of all</span>" if node and total > 0 else ""
    tested = tested_words(plan, node)
    parts = [
        f"<b>{heading}</b><br>{tested or records_words(total)}{share}",
        _classes_html(plan, node, total, most_classes, colored),
    ]
    facts = [name_of_leaf(plan, node).capitalize()] if is_leaf else [f"would predict {decision}"]
    if not tree.is_leaf(node) and np.isfinite(tree.gain[node]):
        corrected = " (MDL)" if is_corrected and int(tree.test[node]) == SplitTest.NUMERIC else ""
        facts.append(f"{escape(_criterion(tree))}{corrected} {tree.gain[node]:.4g}")
    if soft := softness_words(tree, node):
        facts.append(soft)
    if selected > 0:
        facts.append(f"{weight_text(selected)} selected")
    if offers_reasons:
        asks = "candidate splits" if is_waiting else "why this split"
        facts.append(f"click: {'why it ends here' if is_leaf else asks}")
    if hidden:
        facts.append(f"{hidden:,} nodes folded away")
    parts.append(f"<span {dim}>{' · '.join(facts)}</span>")
    if is_rescaled:
        scaled = "" if tree.is_leaf(node) else f": {escape(_briefly(question(plan.tree, node).rstrip('?'), is_brief))}"
        parts.append(f"<span {dim}>Numbers as the table has them; the tree tests them after scaling{scaled}.</span>")
    if note:
        parts.append(escape(note))
    if not tested and (in_parts := parts_words(plan, [node])):
        parts.append(f"<span {dim}>{escape(in_parts)}</span>")
    conditions = path_conditions(tree, node)
    if conditions:
        left = max(0, len(conditions) - most_conditions)
        shown = [escape(_briefly(condition, is_brief)) for condition in conditions[left:]]
        others = counted(left, f"{'more ' if shown else ''}condition")
        before = f" {others} hold{'' if left > 1 else 's'}{', and' if shown else ''}" if left else ""
        parts.append("<br>".join([f"<span {dim}>Records come here where{before}</span>", *shown]))
    return "".join(part if part.startswith("<table") else f'<p style="margin:0 0 7px 0">{part}</p>' for part in parts)


def slim_html(plan: TreePlan, node: int, is_waiting: bool = False) -> str:
    """The card of a node in two short lines."""
    tree, total = plan.worded, float(plan.records[node])
    classes = tree.schema.classes
    decision = escape(shortened(classes[int(tree.decision[node])], BRIEF, classes))
    asked = UNDECIDED if is_waiting else escape(shortened(question(tree, node), BRIEF))
    is_leaf = tree.is_leaf(node) and not is_waiting
    heading, which = (f"Predicts {decision}", "of this class") if is_leaf else (asked, decision)
    share = float(plan.counted.counts[node, int(tree.decision[node])]) / total if total > 0 else 0.0
    dim = f'style="color:{current_theme().dim}"'
    return f"<b>{heading}</b><br><span {dim}>{records_words(total)} · {escape(percent(share, total))} {which}</span>"


def _briefly(words: str, is_brief: bool) -> str:
    return shortened(words, BRIEF) if is_brief else words


def _criterion(tree: Tree) -> str:
    words = tree.criterion.replace("-", " ") or "gain"
    return {"gini": "Gini decrease", "error": "error decrease"}.get(words, words)


def _classes_html(plan: TreePlan, node: int, total: float, most: int, colored: frozenset[int] | None) -> str:
    theme, tree, counts = current_theme().only(colored), plan.tree, plan.counted.counts[node]
    order = [code for code in np.argsort(-counts, kind="stable").tolist() if counts[code] > 0]
    rows = []
    for code in order[:most]:
        share = float(counts[code]) / total
        color = theme.class_color(code).name()
        width = max(2, round(BAR * share))
        bar = (
            f'<table cellspacing="0" cellpadding="0"><tr><td width="{width}" bgcolor="{color}">&nbsp;</td></tr></table>'
        )
        label = escape(shortened(tree.schema.classes[code], 32, tree.schema.classes))
        rows.append(
            f'<tr><td>{label}&nbsp;&nbsp;</td><td width="{BAR}" style="font-size:5px" valign="middle">{bar}</td>'
            f'<td align="right">&nbsp;&nbsp;{escape(percent(share, total))}</td>'
            f'<td align="right" style="color:{theme.dim}">&nbsp;&nbsp;{weight_text(float(counts[code]))}</td></tr>'
        )
    if len(order) > most:
        rest = float(sum(counts[code] for code in order[most:]))
        rows.append(
            f'<tr><td style="color:{theme.dim}">{len(order) - most} others</td><td></td>'
            f'<td align="right">&nbsp;&nbsp;{escape(percent(rest / total, total))}</td>'
            f'<td align="right" style="color:{theme.dim}">&nbsp;&nbsp;{weight_text(rest)}</td></tr>'
        )
    return f'<table cellspacing="0" cellpadding="1" style="margin-bottom:7px">{"".join(rows)}</table>'


class NodeCard(FloatingCard):
    """The card of a node on a canvas, shown soon after the mouse rests on the node or the focus reaches it."""

    def __init__(self, canvas: TreeCanvas) -> None:
        super().__init__(canvas, "visualize.card")
        self._canvas = canvas
        self._leader = LeaderLine(canvas, "visualize.leader")
        self._tells_of_focus = True
        self.offers_reasons = False
        self.is_corrected = False
        """Whether gains of numbers are those after the MDL correction of C4.5."""
        self._for: tuple[int, QPointF | None] = (NO_NODE, None)
        self._soon = single_shot(self, DELAY_MS, self._show)
        canvas.hovered.connect(self._hovered)
        canvas.resized.connect(self._follow)
        canvas.scale_changed.connect(self._follow)
        themes.changed.connect(self.put_away)

    def put_away(self) -> None:
        """Hides the card, and cancels a card that is due."""
        self._soon.stop()
        self.take_down()

    def take_down(self) -> None:
        """Hides the card; a card that is due still comes."""
        self.hide()
        self._leader.hide()

    def tell_of_focus(self, wanted: bool) -> None:
        """Whether the focused node gets a card; without, only the node under the mouse does."""
        self._tells_of_focus = wanted
        if not wanted:
            self.put_away()

    def show_focused(self, node: int, by_keys: bool) -> None:
        """Shows the card of the focused node soon if the keyboard led there, else hides that of another node."""
        if by_keys and self._tells_of_focus:
            self._for = (node, None)
            self._soon.start()
        elif node != self._for[0] or self._for[1] is None:
            self.put_away()

    def _hovered(self, node: int, position: QPointF) -> None:
        if node == NO_NODE:
            self.put_away()
        elif node != self._for[0] or self.isHidden():
            self._for = (node, position)
            self._soon.start()

    def _follow(self) -> None:
        if not self.isHidden():
            self.put_away()
            if self._for[1] is None:
                self._soon.start()

    def _show(self) -> None:
        node, position = self._for
        drawing, camera = self._canvas.drawing, self._canvas.camera
        if drawing is None or node == NO_NODE or drawing.layout.depth[node] < 0:
            return
        left, top, right, bottom = drawing.box(node)
        x0, y0 = camera.to_view(left, top)
        x1, y1 = camera.to_view(right, bottom)
        if position is not None and x1 - x0 < 12:
            x0, x1 = position.x() - 8, position.x() + 8
        marks, plan, hidden = self._canvas.item.marks, drawing.plan, int(drawing.hidden[node])
        selected = 0.0 if marks.selected is None else float(marks.selected[node])
        waits = marks.waiting is not None and bool(marks.waiting[node])
        note, offers, colored = marks.notes.get(node, ""), self.offers_reasons, self._canvas.colored
        offers = offers and position is not None  # the keyboard focus shows them at once
        texts = (
            card_html(plan, node, hidden, selected, note, offers, most, waits, colored, self.is_corrected)
            for most in FEWER_AND_FEWER
        )
        box = QRectF(x0, y0, x1 - x0, y1 - y0)
        others = self._others()
        self.show_what_fits(chain(texts, [slim_html(plan, node, waits)]), box, others)
        self._leader.join(self.geometry(), box, others)

    def _others(self) -> FloatArray:
        """Boxes (n, 4) to keep visible: visible nodes with their labels, unless too many, and the overview."""
        canvas = self._canvas
        if canvas.drawing is None:
            return NO_BOXES
        view = View.through(canvas.camera)
        boxes = Boxes(canvas.drawing, view)
        right, bottom = boxes.left + boxes.width, boxes.top + boxes.height
        scale = view.scale_x if view.detail >= DetailLevel.NAMES else 0.0
        boxes_kept = np.column_stack((boxes.left, boxes.top - LABEL * scale, right, bottom + SIGN * scale))
        boxes_kept += (-APART, -APART, APART, APART)  # a card that touches a node seems to belong to it
        if len(boxes_kept) > MOST_KEPT_CLEAR:
            boxes_kept = NO_BOXES
        if canvas.overview.isHidden():
            return boxes_kept
        overview = canvas.overview.geometry()
        return np.vstack((boxes_kept, (overview.left(), overview.top(), overview.right() + 1, overview.bottom() + 1)))
