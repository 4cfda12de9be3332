"""The registry of viewers: the type of a structure chooses its viewer, never the learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, cast

from PySide6.QtWidgets import QWidget

from algorithms.structures.bayes_network import BayesNetwork
from algorithms.structures.conditionals import Conditionals
from algorithms.structures.hyperplanes import Gaussians, Hyperplanes
from algorithms.structures.layers import Layers
from algorithms.structures.members import CodedMembers, Members, ModelStructure, WrappedStructure
from algorithms.structures.prototypes import Prototypes
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.support_vectors import SupportVectors
from algorithms.structures.tree import Prior, Tree
from workbench.jobs.jobs import Jobs
from workbench.viewers.ensemble.code_matrix import CodeView
from workbench.viewers.ensemble.ensemble_view import EnsembleView
from workbench.viewers.layers import LayersView
from workbench.viewers.linear.coefficients import CoefficientsView
from workbench.viewers.linear.discriminants import GaussiansView
from workbench.viewers.margins import MarginsView
from workbench.viewers.neighbors import NeighboursView
from workbench.viewers.network.network_view import NetworkView
from workbench.viewers.nomogram.nomogram_view import NomogramView
from workbench.viewers.prior import PriorView
from workbench.viewers.rules.rules_view import RuleSetView
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.viewer import Viewer
from workbench.viewers.wrapped import WrappedStructureView


def viewer_for(structure: type[ModelStructure], jobs: Jobs | None = None) -> Viewer | None:
    """A new viewer for structures of this type, which is a :class:`QWidget`; None where no viewer shows them."""
    make = VIEWERS.get(structure)
    return None if make is None else cast(Viewer, make(jobs))


VIEWERS: Final[Mapping[type[ModelStructure], Callable[[Jobs | None], QWidget]]] = {
    Tree: TreeView,
    RuleSet: RuleSetView,
    Conditionals: NomogramView,
    Hyperplanes: CoefficientsView,
    BayesNetwork: NetworkView,
    Layers: LayersView,
    Gaussians: GaussiansView,
    SupportVectors: MarginsView,
    Prototypes: NeighboursView,
    Prior: PriorView,
    Members: partial(EnsembleView, viewer_for),
    CodedMembers: partial(CodeView, viewer_for),
    WrappedStructure: partial(WrappedStructureView, viewer_for),
}
