"""Which viewer shows which structure: chosen by the structure's type, never by the learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, cast, runtime_checkable

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from algorithms.core.bayes_network import BayesNetwork
from algorithms.core.coded_members import CodedMembers
from algorithms.core.conditionals import Conditionals
from algorithms.core.gaussians import Gaussians
from algorithms.core.hyperplanes import Hyperplanes
from algorithms.core.layers import Layers
from algorithms.core.members import Members, ModelStructure
from algorithms.core.prototypes import Prototypes
from algorithms.core.rule_set import RuleSet
from algorithms.core.structures import Prior, Tree
from algorithms.core.support_vectors import SupportVectors
from algorithms.core.wrapped import Wrapped
from workbench.jobs import Jobs
from workbench.views.clouds import CloudsView
from workbench.views.code_matrix import CodeView
from workbench.views.coefficients import CoefficientsView
from workbench.views.layers import LayersView
from workbench.views.margins import MarginsView
from workbench.views.members import MembersView
from workbench.views.neighbours import NeighboursView
from workbench.views.network import NetworkView
from workbench.views.nomogram import NomogramView
from workbench.views.prior import PriorView
from workbench.views.rules import RuleSetView
from workbench.views.tree import TreeView
from workbench.views.wrapped import WrappedView


@runtime_checkable
class SpeaksForAClass(Protocol):
    """A viewer of a structure with a schema that shows what speaks for one class."""

    def set_interest(self, code: int) -> None:
        """Show what speaks for the class of this code."""


class Viewer(Protocol):
    """A widget that shows one kind of structure.

    ``title`` heads the pane it stands in, :meth:`facts` follows it in a few words and may change (``facts_changed``);
    ``controls`` are its buttons, placed at the right of the heading.
    """

    title: str

    @property
    def controls(self) -> QWidget: ...

    @property
    def facts_changed(self) -> SignalInstance: ...

    def set_structure(self, structure: Any) -> None:
        """Show this structure instead of what was shown."""

    def facts(self) -> str: ...


VIEWERS: Final[Mapping[type[ModelStructure], Callable[[Jobs | None], QWidget]]] = {
    Tree: TreeView,
    RuleSet: RuleSetView,
    Conditionals: NomogramView,
    Hyperplanes: CoefficientsView,
    BayesNetwork: NetworkView,
    Layers: LayersView,
    Gaussians: CloudsView,
    SupportVectors: MarginsView,
    Prototypes: NeighboursView,
    Prior: PriorView,
    Members: MembersView,
    CodedMembers: CodeView,
    Wrapped: WrappedView,
}


def viewer_for(structure: type[ModelStructure], jobs: Jobs | None = None) -> Viewer | None:
    """A new viewer for structures of this type, None where there is none yet; it is a :class:`QWidget`."""
    make = VIEWERS.get(structure)
    return None if make is None else cast(Viewer, make(jobs))
