"""The registry of viewers (public contract): a structure's ``viewer_key`` chooses, never its learner."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, cast

from PySide6.QtWidgets import QWidget

from algorithms.structures.model_structure import ModelStructure
from workbench.jobs.jobs import Jobs
from workbench.viewers.ensemble.code_matrix import CodeView
from workbench.viewers.ensemble.ensemble_view import EnsembleView
from workbench.viewers.layers import LayersView
from workbench.viewers.linear import CoefficientsView, GaussiansView
from workbench.viewers.majority_class import PriorView
from workbench.viewers.margins import MarginsView
from workbench.viewers.neighbors import NeighboursView
from workbench.viewers.network_view import NetworkView
from workbench.viewers.nomogram_view import NomogramView
from workbench.viewers.rules_view import RuleSetView
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.viewer import Viewer, WrappedStructureView


def viewer_for(structure: type[ModelStructure], jobs: Jobs | None = None) -> Viewer:
    """A new viewer for structures of this type, which is a :class:`QWidget`."""
    return cast(Viewer, VIEWERS[structure.viewer_key](jobs))


VIEWERS: Final[dict[str, Callable[[Jobs | None], QWidget]]] = {
    "tree": TreeView,
    "rules": RuleSetView,
    "nomogram": NomogramView,
    "coefficients": CoefficientsView,
    "network": NetworkView,
    "layers": LayersView,
    "gaussians": GaussiansView,
    "margins": MarginsView,
    "neighbours": NeighboursView,
    "prior": PriorView,
    "ensemble": partial(EnsembleView, viewer_for),
    "code": partial(CodeView, viewer_for),
    "wrapped": partial(WrappedStructureView, viewer_for),
}
