"""Hidden nodes taken away one by one, as long as the records held out are no more often wrong for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.layers import layer_views
from algorithms.neural.examples import Examples
from algorithms.neural.fitting import Found, Way
from algorithms.neural.passing import Numbers, Passes, Shape
from algorithms.neural.watching import standing

AGAIN: Final = 0.2
"""Share of the epochs that a network learns on after it lost a node."""


def pruned(found: Found, examples: Examples, held_out: Examples, way: Way, context: RunContext) -> Found:
    """The smallest network on the way down from ``found`` that errs no more on the records held out.

    In turn the node whose going raises their loss least is taken away, what it said on average going to the biases
    after it, and the rest learns on for a while. The first network that errs more than the best before ends it.
    ``course`` gets the errors of the records held out (``pruned_error``).
    """
    best, least = found, standing(Passes(found.shape), found.parameters, held_out, context).error
    errors, shorter = [least], way.shorter(AGAIN)
    most = int(np.maximum(found.shape.sizes[1:-1] - 1, 0).sum())
    for number in range(most):
        context.advance(number, most)
        if context.finishing:
            context.checkpoint()
            break
        shape, start = _without_the_least(best, examples, held_out, context)
        tried = shorter.learned(shape, start, examples, held_out, context.child(0.0, number))
        error = standing(Passes(shape), tried.parameters, held_out, context).error
        errors.append(error)
        if error > least:
            break
        best, least = tried, error
    return replace(best, course=replace(found.course, pruned_error=np.array(errors)))


def _without_the_least(
    found: Found, examples: Examples, held_out: Examples, context: RunContext
) -> tuple[Shape, Numbers]:
    """The network without the hidden node that the records held out miss least."""
    means = [signal.mean(axis=0) for signal in Passes(found.shape).signals(found.parameters, examples.x)]
    best: tuple[float, Shape, Numbers] | None = None
    for layer in range(1, len(found.shape.sizes) - 1):
        if found.shape.sizes[layer] < 2:
            continue
        shape = found.shape.without(layer)
        passes = Passes(shape)
        for node in range(int(found.shape.sizes[layer])):
            left = without_node(found.shape, found.parameters, layer, node, float(means[layer][node]))
            loss = standing(passes, left, held_out, context).loss
            if best is None or loss < best[0]:
                best = loss, shape, left
    assert best is not None
    return best[1], best[2]


def without_node(shape: Shape, parameters: Numbers, layer: int, node: int, mean: float) -> Numbers:
    """The weights left when a node of a hidden layer (1 the first) goes; ``mean`` is what it says on average."""
    kept = []
    for at, (weight, bias) in enumerate(layer_views(parameters, shape.sizes)):
        if at == layer:
            bias = bias + mean * weight[node]
            weight = np.delete(weight, node, axis=0)
        if at == layer - 1:
            weight, bias = np.delete(weight, node, axis=1), np.delete(bias, node)
        kept += [weight.ravel(), bias]
    return np.concatenate(kept)
