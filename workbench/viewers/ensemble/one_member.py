"""One member of a committee in the viewer of its kind, with a way to the next and back to all."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from algorithms.structures.members import Members, ModelStructure
from workbench.jobs.jobs import Jobs
from workbench.viewers.ensemble.members_table import row_of
from workbench.viewers.original_units import Unscaled, show_structure
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import ElidedLabel, label

if TYPE_CHECKING:
    from workbench.viewers.structures import Viewer


class OneMember(QWidget):
    """The member that was opened; ``left`` asks for the list of all again."""

    left = Signal()

    def __init__(self, jobs: Jobs | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.at = 0
        self._jobs = jobs
        self.unscaled: Unscaled | None = None
        self._members: Members | None = None
        self._viewers: dict[type[ModelStructure], QWidget] = {}
        self._controls: dict[type[ModelStructure], QWidget] = {}
        self._words = ElidedLabel("", "facts")
        self._words.setObjectName("visualize.member.words")
        self._nothing = label("There is no picture of this kind of member.", "dim")
        self._stack = QStackedWidget()
        self._stack.addWidget(self._nothing)
        self._row = QHBoxLayout()
        self._row.setSpacing(6)
        self._row.addWidget(quiet_button("All members", "visualize.member.all", "Back to the list", self.left.emit))
        self._before = quiet_button("Before", "visualize.member.before", "The member before this one", self._go_back)
        self._next = quiet_button("Next", "visualize.member.next", "The member after this one", self._go_on)
        self._row.addWidget(self._before)
        self._row.addWidget(self._next)
        self._row.addWidget(self._words, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self._row)
        column.addWidget(self._stack, 1)

    def show_member(self, members: Members, at: int) -> None:
        """Show one of these members."""
        self._members, self.at = members, at
        part = members.parts[at]
        name, what, *_ = row_of(members, at)
        self._words.setText(f"{name} of {members.n_members:,} · {what}")
        self._before.setEnabled(at > 0)
        self._next.setEnabled(at + 1 < members.n_members)
        viewer = self._viewer(type(part))
        for kind, controls in self._controls.items():
            controls.setVisible(kind is type(part))
        self._stack.setCurrentWidget(viewer or self._nothing)
        if viewer is not None:
            show_structure(cast("Viewer", viewer), part, self.unscaled)

    @property
    def viewer(self) -> QWidget | None:
        """What shows the member."""
        return self._stack.currentWidget()

    def _go_back(self) -> None:
        if self._members is not None and self.at > 0:
            self.show_member(self._members, self.at - 1)

    def _go_on(self) -> None:
        if self._members is not None and self.at + 1 < self._members.n_members:
            self.show_member(self._members, self.at + 1)

    def _viewer(self, kind: type[ModelStructure]) -> QWidget | None:
        """The viewer of this kind of member, with its buttons in the row above; None where there is none."""
        if kind not in self._viewers:
            from workbench.viewers.structures import viewer_for  # late: it names this very viewer of committees

            made = viewer_for(kind, self._jobs)
            if made is None:
                return None
            self._viewers[kind] = cast(QWidget, made)
            self._controls[kind] = made.controls
            self._stack.addWidget(self._viewers[kind])
            self._row.addWidget(made.controls)
        return self._viewers[kind]
