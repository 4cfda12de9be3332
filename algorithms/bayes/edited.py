"""A Bayesian network that a learner found and a person changed: a learner of its own, judged like any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from algorithms.bayes.bayesian_network import BayesianNetwork
from algorithms.bayes.hand_edits import NetworkEdits, network_edits_from_text, network_edits_to_text
from algorithms.bayes.network_model import BayesianNetworkModel
from algorithms.bayes.network_records import nodes_in, records_of
from algorithms.bayes.redrawn import redrawn, with_rows
from algorithms.core.bayes_network import BayesNetwork
from algorithms.core.by_hand import EditedByHand, EditsMade
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model
from algorithms.core.params import learner as learner_parameter
from algorithms.core.params import text


@dataclass(frozen=True, kw_only=True)
class EditedNetwork(EditedByHand):
    """The network of ``base``, its arcs and tables changed by hand.

    ``edits`` is JSON text (:mod:`algorithms.bayes.hand_edits`). On any records ``base`` finds its network first; then
    each change is made in turn between the attributes of the same names, and where arcs were changed the tables are
    found anew from these records. A row that was written by hand is taken as it was written, for as long as the
    attribute hangs on the same others. What would close a circle on these records is left out.
    """

    id: ClassVar[str] = "edited-network"
    name: ClassVar[str] = "Network edited by hand"
    sentence: ClassVar[str] = "A Bayesian network that another learner found and a person then changed, arc by arc."
    family: ClassVar[str] = "Bayes"
    kind: ClassVar[str] = "network"
    whole: ClassVar[str] = "network"
    came_about: ClassVar[str] = "was found"
    leads_there: ClassVar[str] = "where that closed no circle and the values were the same"

    base: Learner = learner_parameter(
        BayesianNetwork(), label="Found by", help="The learner whose network was changed."
    )
    edits: str = text("[]", label="Changes", help="What was changed by hand, as plain data.")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "edits", network_edits_to_text(network_edits_from_text(self.edits)))

    @property
    def grower(self) -> Learner:
        return self.base

    @cached_property
    def changes(self) -> NetworkEdits:
        """What was changed, in turn."""
        return network_edits_from_text(self.edits)

    def changed_model(self, model: Model, edits: Sequence[Any], data: Dataset, context: RunContext) -> Model:
        """A model of ``base`` on ``data`` with these changes made; tells which by :class:`EditsMade`."""
        network = model.structure()
        if not isinstance(network, BayesNetwork) or not isinstance(self.base, BayesianNetwork):
            raise DataError(
                f"{self.base.name} finds no network that could be changed.", remedy="Choose a Bayesian network."
            )
        found, made = redrawn(network, edits)
        partial = model.partial
        if any(own != set(before) for own, before in zip(found.parents, network.parents, strict=True)):
            weights = data.weights
            weighty = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
            records = records_of(weighty, nodes_in(network), context.checkpoint)
            network, stopped = self.base.tabled(network.schema, records, found.parents, context)
            partial = partial or stopped
        context.publish(EditsMade(tuple(made)))
        return BayesianNetworkModel(with_rows(network, found.rows), partial=partial)
