"""How many arcs of generated networks are found again: ``python -m tests.benchmarks.structure_recovery [networks]``.

The graph is that of ALARM (37 variables, 46 arcs) with drawn tables, and for TAN a tree of 20 attributes below a class.
Published: K2 found 45 of the 46 arcs of ALARM and one more from 10,000 records in its order (Cooper and Herskovits
1992); hill climbing finds most edges and some more (Tsamardinos, Brown and Aliferis 2006).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import mean
from time import perf_counter

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.structures.bayes_network import BayesNetwork
from tests.algorithms.learners.bayes.alarm import alarm, order_words
from tests.algorithms.learners.bayes.networks import arcs_of, drawn, edges, network_of

RECORDS = (500, 3_000, 10_000)
Learner = Callable[[BayesNetwork], BayesianNetwork]
WAYS: dict[str, Learner] = {
    "k2, K2 score": lambda true: _ordered(true, "k2"),
    "k2, BIC": lambda true: _ordered(true, "bic"),
    "hill climbing, BDeu": lambda _true: _free("hill-climbing", "bdeu"),
    "hill climbing, BIC": lambda _true: _free("hill-climbing", "bic"),
    "tabu, BDeu": lambda _true: _free("tabu", "bdeu"),
}


def _ordered(true: BayesNetwork, score: str) -> BayesianNetwork:
    return BayesianNetwork(structure="k2", score=score, on_class=False, max_parents=4, order=order_words(true))


def _free(structure: str, score: str) -> BayesianNetwork:
    return BayesianNetwork(structure=structure, score=score, on_class=False, max_parents=4)


def augmented(seed: int, attributes: int = 20) -> BayesNetwork:
    """A class of three, and a tree of attributes of three values each that all hang on it."""
    random = np.random.default_rng(seed)
    parents = [[], [0], *([0, int(random.integers(1, node))] for node in range(2, attributes + 1))]
    tables = [random.dirichlet(np.full(3, 0.5), 3 ** len(own)) for own in parents[1:]]
    sizes = [3] * len(parents)
    return network_of([f"x{node}" for node in range(len(parents))], sizes, parents, [np.full(3, 1 / 3), *tables])


def found_by(learner: BayesianNetwork, true: BayesNetwork, n: int, seed: int) -> tuple[BayesNetwork, float]:
    """The network from so many records, and the seconds that took."""
    data = drawn(true, n, 1000 + seed)
    begun = perf_counter()
    found = learner.fit(data, RunContext(seed=1)).structure()
    assert isinstance(found, BayesNetwork)
    return found, perf_counter() - begun


def main(networks: int) -> None:
    """Print the tables."""
    print(f"the graph of ALARM, 46 arcs, mean of {networks} drawings of its tables")
    print("way                   records  found  more  as directed  seconds")
    for name, learner in WAYS.items():
        for n in RECORDS:
            rows = []
            for seed in range(networks):
                true = alarm(seed)
                found, seconds = found_by(learner(true), true, n, seed)
                hit, more = len(edges(found) & edges(true)), len(edges(found) - edges(true))
                rows.append((hit, more, len(arcs_of(found) & arcs_of(true)), seconds))
            hit, more, directed, seconds = (mean(each) for each in zip(*rows, strict=True))
            print(f"{name:20s} {n:8,d} {hit:6.1f} {more:5.1f} {directed:12.1f} {seconds:8.2f}", flush=True)
    print(f"\nTAN: a tree of 20 attributes, 19 edges, mean of {networks}")
    for n in RECORDS:
        hits = []
        for seed in range(networks):
            true = augmented(seed)
            found, _ = found_by(BayesianNetwork(structure="tan"), true, n, seed)
            own = {each for each in edges(true) if "x0" not in each}
            hits.append(len(own & edges(found)))
        print(f"{n:8,d} records: {mean(hits):.1f} found", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
