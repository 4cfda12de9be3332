"""Extensions of the viewers, chosen by the type of the model structure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, cast

from PySide6.QtWidgets import QWidget

from algorithms.structures.bayes_network import BayesNetwork
from algorithms.structures.conditionals import Conditionals
from algorithms.structures.hyperplanes import Gaussians, Hyperplanes
from algorithms.structures.layers import Layers
from algorithms.structures.members import CodedMembers, Members, ModelStructure
from algorithms.structures.prototypes import Prototypes
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.support_vectors import SupportVectors
from workbench.session.runs import Run
from workbench.session.session import Session

if TYPE_CHECKING:
    from workbench.tabs.visualize.scatter.records_views import RecordsViews
    from workbench.viewers.viewer import Viewer


class ViewerExtension(Protocol):
    """Follows the runs whose model is in view."""

    def show_run(self, run: Run | None) -> None:
        """The model in view is that of this run; None where a model of another kind, or none, is."""


@dataclass(frozen=True, eq=False)
class ViewerContext:
    """What the tab gives to those who stand in it."""

    session: Session
    pictures: Callable[[], RecordsViews | None]
    """The pictures of the records, where they are made already."""
    lend: Callable[[bool], None]
    """Gives the model the room of the whole tab for a while."""
    look_at_record: Callable[[dict[str, float | str | None]], None]
    """Shows a record that could be, by its values."""
    go_on_with: Callable[[int], None]
    """Shows the record at this place of the run's data in every pane."""


@dataclass(frozen=True, eq=False)
class ExtendedViewer:
    """A viewer with its companions: the widget of all, and the switches for the heading."""

    companions: tuple[ViewerExtension, ...]
    widget: QWidget
    switches: tuple[QWidget, ...] = ()
    again: Callable[[], None] | None = None
    """Says again what the pictures of the records are to show, which were made or changed their run since."""
    follow: Callable[[int], None] | None = None
    """Shows what the model says of the record at this place of the run's data, which is gone through with others."""


def accompanied(kind: type[ModelStructure], viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    """What stands in the tab for this viewer: itself with its companions, where its kind of structure has any."""
    make = _COMPANIONS.get(kind)
    return ExtendedViewer((), cast(QWidget, viewer)) if make is None else make(viewer, around)


def _rules(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.rules import RuleStage
    from workbench.viewers.rules.rules_view import RuleSetView

    stage = RuleStage(around.session, cast(RuleSetView, viewer))
    stage.record_asked.connect(around.look_at_record)
    stage.room_wanted.connect(around.lend)
    return ExtendedViewer((stage,), stage, (stage.steps_switch, stage.editor.switch), follow=stage.follow)


def _nomogram(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.linear import NomogramRecord
    from workbench.viewers.nomogram.nomogram_view import NomogramView

    view = cast(NomogramView, viewer)
    record = NomogramRecord(around.session, view)
    return ExtendedViewer((record,), view, follow=record.follow)


def _coefficients(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.linear import LinearInterest, ProjectionPane
    from workbench.viewers.linear.coefficients import CoefficientsView

    view = cast(CoefficientsView, viewer)
    pane = ProjectionPane(around.session, view, view.controls)
    return ExtendedViewer((LinearInterest(around.session, view), pane), pane, (pane.switch,))


def _clouds(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.linear import ProjectionPane

    pane = ProjectionPane(around.session, cast(QWidget, viewer), viewer.controls)
    return ExtendedViewer((pane,), pane, (pane.switch,))


def _network(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.network import NetworkStage
    from workbench.viewers.network.network_view import NetworkView

    stage = NetworkStage(around.session, cast(NetworkView, viewer))
    stage.room_wanted.connect(around.lend)
    return ExtendedViewer((stage,), stage, (stage.editor.switch,), follow=stage.follow)


def _layers(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.layers import LayersStage
    from workbench.viewers.layers import LayersView

    stage = LayersStage(around.session, cast(LayersView, viewer))
    stage.room_wanted.connect(around.lend)
    return ExtendedViewer((stage,), stage, (stage.switch,), follow=stage.follow)


def _margins(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.linear import MarginRecords
    from workbench.viewers.svm.margins_view import MarginsView

    view = cast(MarginsView, viewer)
    return ExtendedViewer((MarginRecords(around.session, view),), view)


def _neighbours(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.neighbors import NeighbourRecords
    from workbench.viewers.neighbors import NeighboursView

    view = cast(NeighboursView, viewer)
    records = NeighbourRecords(around.session, view, around.pictures)
    records.record_typed.connect(around.go_on_with)
    return ExtendedViewer((records,), view, again=records.again, follow=records.follow)


def _codes(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.ensemble import CodedRecord
    from workbench.viewers.ensemble.code_matrix import CodeView

    view = cast(CodeView, viewer)
    record = CodedRecord(around.session, view)
    return ExtendedViewer((record,), view, follow=record.follow)


def _committee(viewer: Viewer, around: ViewerContext) -> ExtendedViewer:
    from workbench.tabs.visualize.extensions.ensemble import CommitteeStage
    from workbench.viewers.ensemble.ensemble_view import EnsembleView

    view = cast(EnsembleView, viewer)
    stage = CommitteeStage(around.session, view, around.pictures)
    return ExtendedViewer((stage,), view, follow=stage.follow)


_COMPANIONS: Final[Mapping[type[ModelStructure], Callable[[Viewer, ViewerContext], ExtendedViewer]]] = {
    RuleSet: _rules,
    Conditionals: _nomogram,
    Hyperplanes: _coefficients,
    Gaussians: _clouds,
    BayesNetwork: _network,
    Layers: _layers,
    SupportVectors: _margins,
    Prototypes: _neighbours,
    CodedMembers: _codes,
    Members: _committee,
}
