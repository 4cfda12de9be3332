"""Bayesian network viewer: the record in view, and manual edits of arcs and tables."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal

from algorithms.learners.bayes.edits import ArcChange, NetworkEdit
from algorithms.structures.bayes_network import BayesNetwork
from workbench.session.runs import Run, structure_of
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.edit_outcome import EditOutcome
from workbench.tabs.visualize.explain.selected_record import RecordValues
from workbench.viewers.network.network_view import NetworkView
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import ElidedComboBox, drop_down
from workbench.widgets.labels import WholeLabel, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout

HOW: Final = (
    "Drag from one box to another to draw an arrow; click an arrow to choose it. By keys: A where it begins, then the "
    "arrow keys, then A where it leads. Click a name for its table; a double click on a probability writes another."
)


class NetworkEditor(ClearWidget):
    """Edits arcs and tables, while ``switch`` is on; ``room_wanted`` says whether it is open."""

    room_wanted = Signal(bool)

    def __init__(self, session: Session, view: NetworkView) -> None:
        super().__init__()
        self._session, self._view = session, view
        self._run: Run | None = None
        self._network: BayesNetwork | None = None
        self._make_widgets()
        self._lay_out()
        self.switch.toggled.connect(self._switched)
        view.canvas.arrow_drawn.connect(self._drawn)
        view.canvas.arrow_chosen.connect(self._choose)
        view.canvas.arrow_dropped.connect(self._dropped)
        view.node_table.probabilities.written.connect(self._write)
        view.node_table.probabilities.refused.connect(self._say)
        self.hide()

    def _make_widgets(self) -> None:
        self.switch = quiet_button(
            "Edit", "visualize.network-edit", "Change the network by hand: arrows and tables", checkable=True
        )
        self._from = self._choice("from", "Where the arrow begins")
        self._to = self._choice("to", "Where the arrow leads")
        self._draw = quiet_button("Draw", "visualize.network-edit.draw", "Draw an arrow from the one to the other",
                                  lambda: self._do(ArcChange.ADD))  # fmt: skip
        self._remove = quiet_button("Remove", "visualize.network-edit.remove", "Take this arrow away",
                                    lambda: self._do(ArcChange.REMOVE))  # fmt: skip
        self._turn = quiet_button("Turn round", "visualize.network-edit.turn", "Let this arrow lead the other way",
                                  lambda: self._do(ArcChange.TURN))  # fmt: skip
        self._restore = quiet_button(
            "Restore all", "visualize.network-edit.restore", "Take back all changes: the network as it was learned",
            self._restore_all,
        )  # fmt: skip
        self._words = named(WholeLabel(HOW, "dim"), "visualize.network-edit.words")
        self._outcome = EditOutcome(self._session, "visualize.network-edit.outcome")

    def _choice(self, name: str, tip: str) -> ElidedComboBox:
        box = drop_down(f"visualize.network-edit.{name}", tip, tip, 12)
        box.currentIndexChanged.connect(self._pair_chosen)
        return box

    def _lay_out(self) -> None:
        line = row_layout(spacing=6)
        add_items(
            line,
            label("Arrow from", "dim"),
            self._from,
            label("to", "dim"),
            self._to,
            self._draw,
            self._remove,
            self._turn,
            1,
            self._restore,
        )
        column_layout(line, self._words, self._outcome, inside=self, spacing=4, margins=(0, 0, 0, 8))

    def set_run(self, run: Run | None) -> None:
        network = structure_of(run, BayesNetwork)
        is_same = run is self._run  # whoever puts the editor away while a run is judged does not want it back
        if not is_same and self._run is not None and self._session.analyses.edits.hand_tree(run) is not None:
            self.switch.setChecked(True)
        self._run = run
        if network is not self._network:
            self._network = network
            self._fill()
            self._say("")
        self.switch.setVisible(network is not None)
        self.setVisible(network is not None and self.switch.isChecked())
        self._outcome.set_run(run)
        self._outcome.set_wanted(not self.isHidden())
        self._restore.setEnabled(self._session.analyses.edits.hand_tree(run) is not None)
        self._enable()

    def _fill(self) -> None:
        """Offers the attributes of this network and keeps the choice."""
        names = [] if self._network is None else [self._network.name(node) for node in self._network.nodes]
        for box in (self._from, self._to):
            chosen = box.currentText()
            box.offer(names, names.index(chosen) if chosen in names else -1)

    def _switched(self, wanted: bool) -> None:
        self._view.set_editing(wanted)
        self.room_wanted.emit(wanted)
        self.setVisible(wanted and self._network is not None)
        self._outcome.set_wanted(wanted)
        self._say("")

    def _choose(self, parent: int, node: int) -> None:
        self._from.setCurrentIndex(parent)
        self._to.setCurrentIndex(node)

    def _pair_chosen(self) -> None:
        self._say("")
        parent, node = self._from.currentIndex(), self._to.currentIndex()
        exists = self._network is not None and node >= 0 and parent in self._network.parents[node]
        self._view.canvas.hand.choose((parent, node) if exists else None)
        self._enable()

    def _enable(self) -> None:
        parent, node, network = self._from.currentIndex(), self._to.currentIndex(), self._network
        pair = network is not None and parent >= 0 and node >= 0
        exists = pair and network is not None and parent in network.parents[node]
        self._draw.setEnabled(pair and not exists)
        for button in (self._remove, self._turn):
            button.setEnabled(exists)

    def _drawn(self, parent: int, node: int) -> None:
        self._choose(parent, node)
        self._do(ArcChange.ADD)

    def _dropped(self, parent: int, node: int) -> None:
        self._choose(parent, node)
        self._do(ArcChange.REMOVE)

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

    def _restore_all(self) -> None:
        if self._run is not None:
            self._session.analyses.edits.restore_all(self._run)

    def _say(self, refused: str) -> None:
        """Shows why something is impossible, or how to edit."""
        self._words.setProperty("part", "" if refused else "dim")
        self._words.setText(refused or HOW)
        self._words.style().polish(self._words)


LEAST_HEIGHT: Final = 520
"""With less, the network gets all the room of the tab while it is edited."""


class NetworkExtension(ClearWidget):
    """Adds the record in view and the editor; ``room_wanted`` asks for the whole tab."""

    room_wanted = Signal(bool)

    def __init__(self, session: Session, view: NetworkView) -> None:
        super().__init__()
        self._values = RecordValues(session, view, BayesNetwork, self)
        self.editor = NetworkEditor(session, view)
        self.editor.room_wanted.connect(self._want_room)
        column_layout(self.editor, (view, 1), inside=self, spacing=0)

    def show_run(self, run: Run | None) -> None:
        self._values.show_run(run)
        self.editor.set_run(None if run is not None and run.of_fold is not None else run)

    def follow(self, row: int) -> None:
        self._values.follow(row)

    def _want_room(self, wanted: bool) -> None:
        if not wanted or self.height() < themes.px(LEAST_HEIGHT):
            self.room_wanted.emit(wanted)
