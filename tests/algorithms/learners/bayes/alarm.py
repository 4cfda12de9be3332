"""The graph of the ALARM network (Beinlich, Suermondt, Chavez and Cooper 1989), with tables that are drawn."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from algorithms.structures.bayes_network import BayesNetwork
from tests.algorithms.learners.bayes.networks import network_of, order_of

ALARM: Final = """
HISTORY 2 LVFAILURE | CVP 3 LVEDVOLUME | PCWP 3 LVEDVOLUME | HYPOVOLEMIA 2 | LVEDVOLUME 3 HYPOVOLEMIA LVFAILURE |
LVFAILURE 2 | STROKEVOLUME 3 HYPOVOLEMIA LVFAILURE | ERRLOWOUTPUT 2 | HRBP 3 ERRLOWOUTPUT HR | HREKG 3 ERRCAUTER HR |
ERRCAUTER 2 | HRSAT 3 ERRCAUTER HR | INSUFFANESTH 2 | ANAPHYLAXIS 2 | TPR 3 ANAPHYLAXIS | EXPCO2 4 ARTCO2 VENTLUNG |
KINKEDTUBE 2 | MINVOL 4 INTUBATION VENTLUNG | FIO2 2 | PVSAT 3 FIO2 VENTALV | SAO2 3 PVSAT SHUNT | PAP 3 PULMEMBOLUS |
PULMEMBOLUS 2 | SHUNT 2 INTUBATION PULMEMBOLUS | INTUBATION 3 | PRESS 4 INTUBATION KINKEDTUBE VENTTUBE | DISCONNECT 2 |
MINVOLSET 3 | VENTMACH 4 MINVOLSET | VENTTUBE 4 DISCONNECT VENTMACH | VENTLUNG 4 INTUBATION KINKEDTUBE VENTTUBE |
VENTALV 4 INTUBATION VENTLUNG | ARTCO2 3 VENTALV | CATECHOL 2 ARTCO2 INSUFFANESTH SAO2 TPR | HR 3 CATECHOL |
CO 3 HR STROKEVOLUME | BP 3 CO TPR
"""
"""Of each of the 37 variables its number of states and what it hangs on: 46 arcs."""


def alarm(seed: int, sharp: float = 0.5) -> BayesNetwork:
    """The graph with tables from a Dirichlet distribution: the lower ``sharp``, the clearer each row decides."""
    random = np.random.default_rng(seed)
    said = [each.split() for each in ALARM.split("|")]
    number = {words[0]: node for node, words in enumerate(said)}
    sizes = [int(words[1]) for words in said]
    parents = [sorted(number[name] for name in words[2:]) for words in said]
    tables = [
        random.dirichlet(np.full(size, sharp), prod(sizes[parent] for parent in own)) if own
        else random.dirichlet(np.full(size, 5.0), 1)
        for own, size in zip(parents, sizes, strict=True)
    ]  # fmt: skip
    return network_of(list(number), sizes, parents, tables, number["HYPOVOLEMIA"])


def order_words(network: BayesNetwork) -> str:
    """The variables by name, causes first."""
    return ", ".join(network.name(node) for node in order_of(network.parents))
