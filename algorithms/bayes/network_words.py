"""What a Bayesian network found, in words."""

from __future__ import annotations

from algorithms.bayes.words import ONLY_RANGE
from algorithms.core.bayes_network import BayesNetwork
from algorithms.preprocess.ranges import range_labels

NO_VALUE = "(no value)"


def state_words(network: BayesNetwork, node: int) -> tuple[str, ...]:
    """What the states of a node are called: its values, or its ranges."""
    if network.is_number(node):
        return range_labels(tuple(network.cuts_of(node).tolist())) or (ONLY_RANGE,)
    values = network.schema.attributes[int(network.attribute[node])].values
    return values or (NO_VALUE,)
