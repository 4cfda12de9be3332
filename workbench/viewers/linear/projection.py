"""The records on the discriminant axes, coloured by class."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.jobs.jobs import Jobs
from workbench.viewers.scatter.scatter import ScatterView
from workbench.widgets.buttons import quiet_button
from workbench.widgets.fields import ElidedComboBox, drop_down
from workbench.widgets.labels import label


class ProjectionView(QWidget):
    """The axes across and upwards, in words what they mean, and the records as points.

    ``axes_chosen`` comes when a person chooses other axes.
    """

    axes_chosen = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("visualize.projection")
        self.setProperty("part", "clear")
        self.scatter = ScatterView(jobs)
        self.scatter.canvas.setObjectName("visualize.projection.scatter")
        self.scatter.canvas.setAccessibleName("The records on the discriminant axes")
        self.scatter.table.setObjectName("visualize.projection.scatter-table")
        self.across = self._choice("visualize.projection.across", "Axis across")
        self.up = self._choice("visualize.projection.up", "Axis upwards")
        self.as_table = quiet_button("As table", "visualize.projection.as-table", "The same as a table (T)")
        self.as_table.setCheckable(True)
        self.as_table.toggled.connect(self.scatter.show_table)
        self.scatter.canvas.table_wanted.connect(self.as_table.toggle)
        save = self.scatter.export.button("visualize.projection.save")
        self._words = label("", "", wrap=True)
        self._words.setObjectName("visualize.projection.words")
        line = QHBoxLayout()
        for widget in (label("Across", "dim"), self.across, label("upwards", "dim"), self.up):
            line.addWidget(widget)
        line.addStretch(1)
        line.addWidget(self.as_table)
        line.addWidget(save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(line)
        column.addWidget(self._words)
        column.addWidget(self.scatter, 1)

    def _choice(self, name: str, says: str) -> ElidedComboBox:
        made = drop_down(name, says, f"{says}: the first has most of the differences between the classes", 14)
        made.activated.connect(self.axes_chosen)
        return made

    def offer(self, names: list[str], up: list[str]) -> None:
        """Offer these axes; at first the first two."""
        for box, offered in ((self.across, names), (self.up, up)):
            box.clear()
            box.addItems(offered)
        self.up.setCurrentIndex(min(1, len(up) - 1) if len(names) > 1 else 0)

    def say(self, words: str) -> None:
        """Say what the axes mean."""
        self._words.setText(words)
