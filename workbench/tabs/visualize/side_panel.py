"""The panel beside the records: why the tree asks a question, or what if values were others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from algorithms.structures.tree import NO_NODE, Tree
from workbench.session.runs import Run, structure_of
from workbench.session.session import Session
from workbench.tabs.visualize.tree.why_pane import WhyPane
from workbench.viewers.tree.gain_and_pruning_curves import GainPlot
from workbench.viewers.tree.tree_words import HighlightedPath
from workbench.widgets.buttons import pill_button
from workbench.widgets.panes import Pane

if TYPE_CHECKING:
    from workbench.tabs.visualize.explain.what_if_pane import WhatIfPane

WHY_TIP: Final = "Why the tree asks what it asks at the node in focus"


class SidePanel(QStackedWidget):
    """Switches between "Why this split" and "What if".

    ``path_changed`` carries the :class:`HighlightedPath` to light in the tree; ``record_changed`` the row of the record
    to edit. ``plot`` is the plot of the gain curve, if it exists already.
    """

    path_changed = Signal(object)
    record_changed = Signal(int)

    def __init__(
        self, session: Session, made_expander: Callable[[str], QWidget] | None = None, plot: GainPlot | None = None
    ) -> None:
        super().__init__()
        self._made_expander = made_expander
        self._session = session
        self._run: Run | None = None
        self._record: int | None = None
        """The id of the record that is followed: another run's table may have it at another place."""
        self._awaited = ""
        self._came_by_itself = False
        """Whether the record is in view only since the model before was no tree."""
        self.why = WhyPane(session, plot)
        self.why.add_action(
            pill_button("What if", "visualize.to-what-if", "Change a record's values", self.show_what_if)
        )
        self.what_if: WhatIfPane | None = None
        self._add(self.why)
        session.document_replaced.connect(self._let_go)

    def _add(self, pane: Pane, says: str = "") -> None:
        """Adds a pane with the button that maximizes it; ``says`` replaces the words of the button."""
        if self._made_expander is not None:
            pane.add_action(self._made_expander(says))
        self.addWidget(pane)

    def show_run(self, run: Run | None, awaited: str = "") -> None:
        """Shows this run; *What if* says only what is ``awaited``, in a sentence, where another model is trained."""
        self._run, self._awaited = run, awaited
        is_tree = structure_of(run, Tree) is not None
        self.why.show_run(run)
        if self.what_if is not None:
            self._to_why.setVisible(is_tree)
            if self.currentWidget() is self.what_if and awaited:
                self.what_if.wait(awaited)
            elif self.currentWidget() is self.what_if:
                self.what_if.show_run(run, self.followed)
                if self.followed is None:
                    self.what_if.begin_with_selected()
        if run is None or run.trained is None:
            return
        if not is_tree and self.currentWidget() is not self.what_if:
            self.show_what_if()
            self._came_by_itself = True
        elif is_tree and self._came_by_itself:
            self.show_why()

    def show_node(self, node: int) -> None:
        if node != NO_NODE:
            self.why.show_node(node)

    def show_what_if(self) -> None:
        if self.what_if is None:
            from workbench.tabs.visualize.explain.what_if_pane import WhatIfPane

            self.what_if = WhatIfPane(self._session)
            self._to_why = pill_button("Why this split", "visualize.to-why", WHY_TIP, self.show_why)
            self.what_if.add_action(self._to_why)
            self.what_if.path_changed.connect(self.path_changed)
            self.what_if.record_changed.connect(self.record_changed)
            self._add(self.what_if, "Show only what would change the prediction")
            self._to_why.setVisible(structure_of(self._run, Tree) is not None)
        self._came_by_itself = False
        self.setCurrentWidget(self.what_if)
        self._session.turns.later(self._fill_what_if)

    @property
    def followed(self) -> int | None:
        """The row of the record in view in the current run's data; None if that does not have it."""
        run = self._session.current_run
        if run is None or self._record is None:
            return None
        places = np.flatnonzero(run.data.row_ids == self._record)
        return int(places[0]) if len(places) else None

    def follow(self, row: int | None) -> None:
        """Makes the record in this row of the run's data the one to edit; None for none."""
        run = self._session.current_run
        self._record = None if run is None or row is None or row >= len(run.data) else int(run.data.row_ids[row])
        if row is not None and self.what_if is not None and self.currentWidget() is self.what_if:
            self.what_if.show_record(row)

    def _let_go(self) -> None:
        """Forgets the record: another table may have records with the same ids."""
        self._record = None

    def show_record_of(self, values: Mapping[str, float | str | None]) -> None:
        """Shows a record with these values by attribute name; None is a missing value."""
        self.show_what_if()
        self._session.turns.later(partial(self._put_values, values))

    def _put_values(self, values: Mapping[str, float | str | None]) -> None:
        if self.what_if is not None:
            self.what_if.put_values(values)

    def _fill_what_if(self) -> None:
        if self.what_if is not None and self.currentWidget() is self.what_if:
            if self._awaited:
                self.what_if.wait(self._awaited)
                return
            self.what_if.show_run(self._run, self.followed)
            if (row := self.followed) is not None:
                self.what_if.show_record(row)
            else:
                self.what_if.begin_with_selected()
            self.what_if.light()

    def show_why(self) -> None:
        if self.currentWidget() is self.why:
            return
        self._came_by_itself = False
        self.setCurrentWidget(self.why)
        self.path_changed.emit(HighlightedPath())
