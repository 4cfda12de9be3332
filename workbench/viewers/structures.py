"""Which viewer shows which structure: chosen by the structure's type, never by the learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, cast, runtime_checkable

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

from algorithms.structures.bayes_network import BayesNetwork
from algorithms.structures.conditionals import Conditionals
from algorithms.structures.hyperplanes import Gaussians, Hyperplanes
from algorithms.structures.layers import Layers
from algorithms.structures.members import CodedMembers, Members, ModelStructure, Wrapped
from algorithms.structures.prototypes import Prototypes
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.support_vectors import SupportVectors
from algorithms.structures.tree import Prior, Tree
from workbench.jobs.jobs import Jobs
from workbench.viewers.ensemble.code_matrix import CodeView
from workbench.viewers.ensemble.ensemble_view import MembersView
from workbench.viewers.layers import LayersView
from workbench.viewers.linear.coefficients import CoefficientsView
from workbench.viewers.linear.discriminants import CloudsView
from workbench.viewers.neighbors import NeighboursView
from workbench.viewers.network.network_view import NetworkView
from workbench.viewers.nomogram.nomogram_view import NomogramView
from workbench.viewers.prior import PriorView
from workbench.viewers.rules.rules_view import RuleSetView
from workbench.viewers.svm.margins_view import MarginsView
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.wrapped import WrappedView


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
