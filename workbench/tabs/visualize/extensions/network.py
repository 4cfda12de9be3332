"""Bayesian network viewer: the record in view, and manual edits of arcs and tables."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtWidgets import QPushButton

from algorithms.learners.bayes.edited_network import ArcChange, NetworkEdit
from algorithms.structures.bayes_network import BayesNetwork
from workbench.session.runs import Run, structure_of
from workbench.session.session import Session
from workbench.style.theme import set_property
from workbench.tabs.visualize.explain.selected_record import RecordValues
from workbench.tabs.visualize.model_editor import ModelEditor
from workbench.viewers.network_view import NetworkView
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import ElidedComboBox, drop_down
from workbench.widgets.keyboard_focus import set_visible, show_or_hide
from workbench.widgets.labels import WholeLabel, label
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout

HOW: Final = (
    "Drag from one box to another to draw an arrow; click an arrow to choose it. By keyboard, press A on the first "
    "box, go to the second with the arrow keys, and press A. Click a name for its table; double-click a probability "
    "to edit it."
)


class NetworkEditor(ModelEditor):
    def __init__(self, session: Session, view: NetworkView) -> None:
        super().__init__(
            session,
            "visualize.network-edit",
            "Change the network by hand: arrows and tables",
        )
        self._view = view
        self._network: BayesNetwork | None = None
        self._from = self._choice("from", "Where the arrow begins")
        self._to = self._choice("to", "Where the arrow leads")
        self._draw = self._button("Draw", "Draw an arrow from the one to the other", ArcChange.ADD)
        self._remove = self._button("Remove", "Take this arrow away", ArcChange.REMOVE)
        self._turn = self._button("Turn round", "Let this arrow lead the other way", ArcChange.TURN)
        self._words = named(WholeLabel(HOW, "dim"), "visualize.network-edit.words")
        ends = (label("Arrow from", "dim"), self._from, label("to", "dim"), self._to)
        line = row_layout(*ends, self._draw, self._remove, self._turn, 1, spacing=6)
        column_layout(line, self._words, self._outcome, inside=self, spacing=4, margins=(0, 0, 0, 8))
        self.switch.toggled.connect(self._switched)
        view.canvas.arrow_drawn.connect(partial(self._change_arrow, ArcChange.ADD))
        view.canvas.arrow_chosen.connect(self._choose)
        view.canvas.arrow_dropped.connect(partial(self._change_arrow, ArcChange.REMOVE))
        view.node_table.probabilities.written.connect(self._write)
        view.node_table.probabilities.refused.connect(self._say)

    def _choice(self, name: str, tip: str) -> ElidedComboBox:
        box = drop_down(f"visualize.network-edit.{name}", tip, tip, 12)
        box.setPlaceholderText("choose")
        box.currentIndexChanged.connect(self._pair_chosen)
        return box

    def _button(self, text: str, tip: str, do: ArcChange) -> QPushButton:
        name = text.lower().partition(" ")[0]
        return quiet_button(text, f"visualize.network-edit.{name}", tip, lambda: self._do(do))

    def set_run(self, run: Run | None) -> None:
        network = structure_of(run, BayesNetwork)
        self._follow(run, network is not None)
        if network is not self._network:
            self._network = network
            names = [] if self._network is None else [self._network.name(node) for node in self._network.nodes]
            for box in (self._from, self._to):
                chosen = box.currentText()
                box.offer(names, names.index(chosen) if chosen in names else -1)
            self._say("")
        self._enable()

    def _switched(self, wanted: bool) -> None:
        self._view.set_editing(wanted)
        self.setVisible(wanted and self._network is not None)
        self._outcome.set_wanted(wanted)
        self._say("")

    def _choose(self, parent: int, node: int) -> None:
        self._from.setCurrentIndex(parent)
        self._to.setCurrentIndex(node)

    def _pair_chosen(self) -> None:
        self._say("")
        pair = self._from.currentIndex(), self._to.currentIndex()
        self._view.canvas.hand.choose(pair if self._has_arrow else None)
        self._enable()

    @property
    def _has_arrow(self) -> bool:
        node, network = self._to.currentIndex(), self._network
        return network is not None and node >= 0 and self._from.currentIndex() in network.parents[node]

    def _enable(self) -> None:
        is_pair = self._network is not None and self._from.currentIndex() >= 0 and self._to.currentIndex() >= 0
        self._draw.setEnabled(is_pair)
        offered, others = [self._draw], [self._remove, self._turn]
        if self._has_arrow:
            offered, others = others, offered
        set_visible(True, *offered)
        for button in others:
            show_or_hide(button, False, instead=offered[0])

    def _change_arrow(self, do: ArcChange, parent: int, node: int) -> None:
        self._choose(parent, node)
        self._do(do)

    def _do(self, do: ArcChange) -> None:
        """Makes this change of the chosen arc, or says why it is impossible."""
        from algorithms.learners.bayes.edited_network import refusal

        if self._network is None:
            return
        edit = NetworkEdit(do, self._to.currentText(), self._from.currentText())
        why_not = refusal(self._network, edit)
        if why_not:
            self._say(why_not)
        else:
            self._push(edit)

    def _write(self, row: tuple[int, ...], state: int, share: float) -> None:
        from algorithms.learners.bayes.edited_network import row_edit

        node = self._view.open_node
        if self._network is not None and node is not None:
            self._push(row_edit(self._network, node, row, state, share))

    def _push(self, edit: NetworkEdit) -> None:
        if self._run is not None:
            self._session.analyses.edits.change(self._run, edit)

    def _say(self, refused: str) -> None:
        self._words.setText(refused or HOW)
        set_property(self._words, "part", "" if refused else "dim")


class NetworkExtension(ClearWidget):
    """Adds the record in view and the editor."""

    def __init__(self, session: Session, view: NetworkView) -> None:
        super().__init__()
        self._values = RecordValues(session, view)
        self.editor = NetworkEditor(session, view)
        column_layout(self.editor, (view, 1), inside=self, spacing=0)

    def show_run(self, run: Run | None) -> None:
        self._values.show_run(run)
        self.editor.set_run(None if run is not None and run.of_fold is not None else run)

    def follow(self, row: int) -> None:
        self._values.follow(row)
