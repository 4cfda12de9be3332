"""Extensions of the viewers, chosen by the ``viewer_key`` of the structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, cast

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from algorithms.structures.model_structure import ModelStructure
from workbench.session.runs import Run, structure_of
from workbench.session.session import Session

if TYPE_CHECKING:
    from workbench.tabs.visualize.scatter.records_views import RecordsViews
    from workbench.viewers.viewer import ShowsOneClass, Viewer


class ViewerExtension(Protocol):
    """Follows the runs whose model is in view."""

    def show_run(self, run: Run | None) -> None:
        """The model in view is that of this run; None if another kind of model is in view."""


@dataclass(frozen=True, eq=False)
class ViewerContext:
    """What the tab gives to extensions."""

    session: Session
    pictures: Callable[[], RecordsViews | None]
    """The pictures of the records, where they are made already."""
    look_at_record: Callable[[dict[str, float | str | None]], None]
    """Shows a record that could be, by its values."""
    go_on_with: Callable[[int], None]
    """Shows the record at this place of the run's data in every pane."""


@dataclass(frozen=True, eq=False)
class ExtendedViewer:
    """A viewer with its extensions: the widget of all, and the switches for the pane's heading."""

    extensions: tuple[ViewerExtension, ...]
    widget: QWidget
    switches: tuple[QWidget, ...] = ()
    refresh: Callable[[], None] | None = None
    """Says refresh what the pictures of the records are to show, which were made or changed their run since."""
    follow: Callable[[int], None] | None = None
    """Shows what the model says of the record at this place of the run's data, which is gone through with others."""


class InterestInView(QObject):
    """Passes the class of interest to a view of structures of one kind."""

    def __init__(self, session: Session, view: ShowsOneClass, kind: type[ModelStructure]) -> None:
        super().__init__(cast(QObject, view))
        self._session, self._view, self._kind = session, view, kind
        self._run: Run | None = None
        session.class_of_interest_changed.connect(self._follow)

    def show_run(self, run: Run | None) -> None:
        if run is not self._run:
            self._run = run
            self._follow()

    def _follow(self) -> None:
        structure = structure_of(self._run, self._kind)
        classes, code = self._session.classes, self._session.class_of_interest
        if structure is not None and code < len(classes) and classes[code] in structure.schema.classes:
            self._view.set_interest(structure.schema.classes.index(classes[code]))


def extended_viewer(kind: type[ModelStructure], viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    """The viewer with the extensions for its kind of structure, if there are any."""
    make = _EXTENSIONS.get(kind.viewer_key)
    return ExtendedViewer((), cast(QWidget, viewer)) if make is None else make(viewer, context)


def _rules(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.rules import RulesExtension
    from workbench.viewers.rules_view import RuleSetView

    stage = RulesExtension(context.session, cast(RuleSetView, viewer))
    stage.record_asked.connect(context.look_at_record)
    return ExtendedViewer((stage,), stage, (stage.steps_switch, stage.editor.switch), follow=stage.follow)


def _nomogram(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.linear import NomogramRecord
    from workbench.viewers.nomogram_view import NomogramView

    view = cast(NomogramView, viewer)
    record = NomogramRecord(context.session, view)
    return ExtendedViewer((record,), view, follow=record.follow)


def _coefficients(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.linear import ProjectionPane
    from workbench.viewers.linear import CoefficientsView

    view = cast(CoefficientsView, viewer)
    pane = ProjectionPane(context.session, view, view.controls)
    return ExtendedViewer((pane,), pane, (pane.switch,))


def _clouds(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.linear import ProjectionPane

    pane = ProjectionPane(context.session, cast(QWidget, viewer), viewer.controls)
    return ExtendedViewer((pane,), pane, (pane.switch,))


def _network(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.network import NetworkExtension
    from workbench.viewers.network_view import NetworkView

    stage = NetworkExtension(context.session, cast(NetworkView, viewer))
    return ExtendedViewer((stage,), stage, (stage.editor.switch,), follow=stage.follow)


def _layers(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.layers import LayersExtension
    from workbench.viewers.layers import LayersView

    stage = LayersExtension(context.session, cast(LayersView, viewer))
    return ExtendedViewer((stage,), stage, (stage.switch,), follow=stage.follow)


def _margins(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.linear import MarginRecords
    from workbench.viewers.margins import MarginsView

    view = cast(MarginsView, viewer)
    return ExtendedViewer((MarginRecords(context.session, view),), view)


def _neighbours(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.neighbors import NeighbourRecords
    from workbench.viewers.neighbors import NeighboursView

    view = cast(NeighboursView, viewer)
    records = NeighbourRecords(context.session, view, context.pictures)
    records.record_typed.connect(context.go_on_with)
    return ExtendedViewer((records,), view, refresh=records.refresh, follow=records.follow)


def _codes(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.ensemble import CodedRecord
    from workbench.viewers.ensemble.code_matrix import CodeView

    view = cast(CodeView, viewer)
    record = CodedRecord(context.session, view)
    return ExtendedViewer((record,), view, follow=record.follow)


def _committee(viewer: Viewer, context: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.ensemble import EnsembleExtension
    from workbench.viewers.ensemble.ensemble_view import EnsembleView

    view = cast(EnsembleView, viewer)
    stage = EnsembleExtension(context.session, view, context.pictures)
    return ExtendedViewer((stage,), view, follow=stage.follow)


_EXTENSIONS: Final[Mapping[str, Callable[[Viewer, ViewerContext], ExtendedViewer]]] = {
    "rules": _rules,
    "nomogram": _nomogram,
    "coefficients": _coefficients,
    "gaussians": _clouds,
    "network": _network,
    "layers": _layers,
    "margins": _margins,
    "neighbours": _neighbours,
    "code": _codes,
    "ensemble": _committee,
}
