"""Independence read off the graph, against moralised ancestral graphs and against the numbers themselves."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from algorithms.learners.bayes.directed_graph import connected, paths, separated, with_ancestors
from tests.algorithms.learners.bayes.networks import joint, random_network


def separated_when_moralised(parents: list[set[int]], one: int, other: int, known: set[int]) -> bool:
    """Lauritzen's criterion: keep the ancestors, marry the parents, forget the directions, take the known away."""
    kept = with_ancestors(parents, {one, other, *known})
    near: dict[int, set[int]] = {node: set() for node in kept}
    for node in kept:
        for a, b in combinations(sorted({node, *parents[node]}), 2):
            near[a].add(b)
            near[b].add(a)
    found, waiting = {one}, [one]
    while waiting:
        new = near[waiting.pop()] - found - known
        found |= new
        waiting += new
    return other not in found


@pytest.mark.parametrize("seed", range(40))
def test_it_agrees_with_moralised_ancestral_graphs_and_the_paths_say_why(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 9))
    order = random.permutation(n)
    parents: list[set[int]] = [set() for _ in range(n)]
    for at, node in enumerate(order):
        parents[node] = {int(each) for each in order[:at] if random.random() < 0.35}
    for _ in range(20):
        one, other = (int(node) for node in random.choice(n, 2, replace=False))
        known = {node for node in range(n) if node not in (one, other) and random.random() < 0.3}
        expected = separated_when_moralised(parents, one, other, known)
        assert separated(parents, one, other, known) == expected
        assert separated(parents, other, one, known) == expected
        ways = paths(parents, one, other, known, most=10_000)
        assert ways.whole
        assert any(path.is_open for path in ways.found) == (not expected)


def test_what_the_graph_separates_is_independent_in_the_numbers() -> None:
    network = random_network(6, 11, most_parents=2)
    whole = joint(network)
    checked = 0
    for one, other in combinations(range(6), 2):
        for given in [(), *((each,) for each in range(6) if each not in (one, other))]:
            if not separated(network.parents, one, other, given):
                continue
            checked += 1
            away = tuple(axis for axis in range(6) if axis not in (one, other, *given))
            table = np.moveaxis(whole.sum(axis=away, keepdims=True), (one, other), (-2, -1))
            table = table.reshape(-1, *table.shape[-2:])
            for part in table:
                assert part * part.sum() == pytest.approx(np.outer(part.sum(axis=1), part.sum(axis=0)), abs=1e-12)
    assert checked


def test_the_heart_network_is_read_as_in_the_book() -> None:
    """E, D -> HD; D -> Hb; HD, Hb -> CP; HD -> BP."""
    e, d, hd, hb, cp, bp = range(6)
    parents = [set(), set(), {e, d}, {d}, {hd, hb}, {hd}]
    assert separated(parents, e, d, set())
    assert not separated(parents, e, d, {bp})
    assert separated(parents, bp, cp, {hd})
    assert connected(parents, e, {hd}) == {e, d, hb, cp}
    found = paths(parents, e, d, set()).found
    assert [path.nodes for path in found] == [(e, hd, d), (e, hd, cp, hb, d)]
    assert [path.blocked_by for path in found] == [(hd,), (cp,)]
    assert found[0].meets_at(hd)
