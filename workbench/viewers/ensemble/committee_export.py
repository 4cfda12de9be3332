"""Taking away the page of a committee that is in view: its picture, and its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage, QPainter

from workbench.viewers.charts.bands import BandPlot
from workbench.viewers.charts.export import Drawing, Exported, ExportedDrawing, Table, rows_written
from workbench.viewers.ensemble.committee_words import ATTRIBUTES, ERROR, GALLERY, MAP, TOGETHER, VOTE, WEIGHTS

if TYPE_CHECKING:
    from workbench.viewers.ensemble.members import MembersView


class ExportedCommittee(ExportedDrawing):
    """The page in view, and its numbers."""

    name: ClassVar[str] = "committee"
    title: ClassVar[str] = "Committee"

    def __init__(self, view: MembersView) -> None:
        self._view = view

    def picture(self) -> QImage:
        taken = self._taken
        return super().picture() if taken is None else taken.picture()

    def drawing(self) -> Drawing | None:
        taken = self._taken
        return super().drawing() if taken is None else taken.drawing()

    @property
    def _taken(self) -> Exported | None:
        """What can be taken away of the records in a plane, while they are in view."""
        view = self._view
        return view.map.scatter.taken if view.page == MAP and view.map is not None else None

    def size(self) -> QSize:
        view = self._view
        if view.page == VOTE:
            return view.vote.sizeHint()
        if view.page == GALLERY:
            return view.gallery.taken.size()
        plot = _plot_of(view)
        shown = plot if plot is not None and plot.bands is not None else view.bars if view.page == ATTRIBUTES else None
        return QSize() if shown is None or view.members is None else shown.size()

    def paint(self, painter: QPainter) -> None:
        view, plot = self._view, _plot_of(self._view)
        if plot is not None:
            plot.paint(painter)
        elif view.page == ATTRIBUTES:
            view.bars.paint(painter, view.bars.rect())
        elif view.page == VOTE:
            view.vote.paint(painter, view.vote.rect())
        elif view.page == GALLERY:
            taken = view.gallery.taken
            painter.translate(-taken.topLeft())
            view.gallery.paint(painter, taken)

    def table(self) -> Table | None:
        taken, rows = self._taken, self._view.rows()
        if taken is not None:
            return taken.table()
        return rows_written(rows) if rows else None


def _plot_of(view: MembersView) -> BandPlot | None:
    """The curves in view, None where another picture is."""
    return {ERROR: view.plot, TOGETHER: view.together, WEIGHTS: view.weights}.get(view.page)
