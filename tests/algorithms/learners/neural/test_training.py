"""Networks: slopes by differences, steps by their definitions, and the ways of other programs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

from algorithms.core.run_control import RunContext
from algorithms.learners.neural.forward_pass import (
    CROSS_ENTROPY,
    SQUARED,
    ForwardBackward,
    NetworkExamples,
    NetworkShape,
    Numbers,
    initial_weights,
)
from algorithms.learners.neural.training import (
    Steps,
    StopReason,
    _FullCost,
    evaluate_weights,
    lbfgs_points,
    train,
)
from algorithms.structures.layers import Activation, layer_views

HIDDEN = (Activation.LINEAR, Activation.LOGISTIC, Activation.TANH, Activation.RELU)


def problem(
    outputs: int, hidden: Activation, loss: str, last: Activation | None = None, n: int = 40
) -> tuple[NetworkShape, Numbers, NetworkExamples]:
    """Two hidden layers over three inputs, weights to begin with, and weighed records."""
    if last is None:
        last = Activation.LOGISTIC if outputs == 1 else Activation.SOFTMAX
    sizes = np.array([3, 4, 3, outputs], dtype=np.int32)
    shape = NetworkShape(sizes, np.array([hidden, hidden, last], dtype=np.int8), loss)
    random = np.random.default_rng(5)
    x = random.normal(size=(n, 3))
    codes = random.integers(0, max(2, outputs), n).astype(np.int32)
    start = initial_weights(shape, random) + random.normal(scale=0.1, size=shape.n_parameters)
    return shape, start, NetworkExamples(x, codes, random.uniform(0.5, 2, n))


CASES = [(outputs, hidden, CROSS_ENTROPY, None) for outputs, hidden in product((1, 3), HIDDEN)] + [
    (outputs, Activation.TANH, SQUARED, last)
    for outputs, last in product((1, 3), (Activation.LINEAR, Activation.LOGISTIC, Activation.TANH))
]


@pytest.mark.parametrize(("outputs", "hidden", "loss", "last"), CASES)
def test_the_slope_is_that_of_differences(outputs: int, hidden: Activation, loss: str, last: Activation | None) -> None:
    shape, start, examples = problem(outputs, hidden, loss, last)
    cost = _FullCost(ForwardBackward(shape), examples, 0.3, RunContext())
    error = check_grad(lambda p: cost(p)[0], lambda p: cost(p)[1], start, epsilon=1e-7)
    assert error < 1e-6


def by_hand(
    shape: NetworkShape, start: Numbers, examples: NetworkExamples, steps: Steps, orders: list[Numbers]
) -> Numbers:
    """The weights after steps in these orders, by the definitions of momentum and of Adam (section 2 of its paper)."""
    w, total = start.copy(), examples.total
    mask = np.zeros_like(w)
    for weight, _ in layer_views(mask, shape.sizes):
        weight[...] = 1
    speed, second, t = np.zeros_like(w), np.zeros_like(w), 0
    targets, slope = shape.targets(examples.codes), np.empty_like(w)
    assert examples.weights is not None
    for order in orders:
        for at in range(0, len(order), steps.batch):
            rows = order[at : at + steps.batch]
            part = examples.weights[rows]
            ForwardBackward(shape).slope(w, examples.x[rows], targets[rows], part, slope)
            g = slope / (total / len(order) * len(part)) + steps.decay / total * mask * w
            t += 1
            if steps.adam:
                speed = 0.9 * speed + 0.1 * g
                second = 0.999 * second + 0.001 * g * g
                w = w - steps.rate * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * speed / (np.sqrt(second) + 1e-8)
            else:
                speed = steps.momentum * speed - steps.rate * g
                w = w + speed
    return w


@pytest.mark.parametrize("adam", [True, False])
@pytest.mark.parametrize("batch", [1, 7, 40])
@pytest.mark.parametrize("outputs", [1, 3])
def test_steps_follow_their_definitions(adam: bool, batch: int, outputs: int) -> None:
    for hidden, loss, last in ((Activation.TANH, CROSS_ENTROPY, None), (Activation.RELU, SQUARED, Activation.LOGISTIC)):
        shape, start, examples = problem(outputs, hidden, loss, last)
        steps = Steps(batch, 0.01, adam, 0.8, 0.5, epochs=5, patience=50, shuffled=False)
        weights, course, _ = train(shape, start, examples, None, steps, RunContext(seed=3))
        expected = [by_hand(shape, start, examples, steps, [np.arange(40)] * e) for e in range(6)]
        assert course.epochs == 5
        assert np.abs(weights - expected[course.best]).max() < 1e-7
        if batch == 40:
            losses = [evaluate_weights(ForwardBackward(shape), w, examples, RunContext()).loss for w in expected]
            assert course.training_loss == pytest.approx(losses, abs=1e-9)
            assert course.best == np.argmin(
                [_FullCost(ForwardBackward(shape), examples, 0.5, RunContext())(w)[0] for w in expected]
            )


@pytest.mark.parametrize("batch", [1, 7, 40])
def test_too_large_steps_end_the_learning_with_the_best_weights_until_then(batch: int) -> None:
    shape, start, examples = problem(3, Activation.RELU, SQUARED, Activation.LINEAR)
    steps = Steps(batch, 30.0, adam=False, momentum=0.9, decay=0.0, epochs=500, patience=500)
    weights, course, _ = train(shape, start, examples, None, steps, RunContext(seed=3))
    assert course.ended == StopReason.DIVERGED
    assert np.all(np.isfinite(weights))
    assert np.all(np.isfinite(course.training_loss))
    assert evaluate_weights(ForwardBackward(shape), weights, examples, RunContext()).loss <= course.training_loss[0]


def test_the_loss_of_two_classes_does_not_leap_where_an_output_is_as_good_as_0_or_1() -> None:
    shape = NetworkShape(
        np.array([1, 1], dtype=np.int32), np.array([Activation.LOGISTIC], dtype=np.int8), CROSS_ENTROPY
    )
    x = np.linspace(0, 50, 501)[:, None]
    for kind, far in ((np.float64, 36.7), (np.float32, 16.6)):
        passes, parameters = ForwardBackward(shape, kind), np.array([1, 0], dtype=kind)
        outputs = passes.signals(parameters, x.astype(kind))[-1]
        losses = passes.losses(outputs, np.zeros((501, 1), dtype=kind))
        assert losses == pytest.approx(np.minimum(x[:, 0] + np.log1p(np.exp(-x[:, 0])), far), abs=0.8)


@pytest.mark.parametrize("outputs", [1, 3])
def test_limited_memory_goes_the_way_of_scipy(outputs: int) -> None:
    shape, start, examples = problem(outputs, Activation.TANH, CROSS_ENTROPY)
    cost = _FullCost(ForwardBackward(shape), examples, 0.5, RunContext())
    way: list[Numbers] = []
    theirs = minimize(cost, start, jac=True, method="L-BFGS-B", callback=lambda p: way.append(p.copy()),
                      options={"maxcor": 10, "ftol": 1e-15, "gtol": 1e-9, "maxiter": 30})  # fmt: skip
    ours = [
        place.copy() for place, _ in zip(lbfgs_points(cost, start, flat=1e-9, settled=1e-15), range(30), strict=False)
    ]
    assert np.abs(np.array(ours) - np.array(way)).max() < 1e-6
    assert cost(ours[-1])[0] == pytest.approx(theirs.fun, abs=1e-10)
    best, course, least = train(
        shape, start, examples, None, Steps(0, 1, False, 0, 0.5, 20, 50, by_lbfgs=True), RunContext()
    )
    assert course.epochs == course.best == 20
    assert least == pytest.approx(cost(way[19])[0], abs=1e-9)
    assert np.abs(best - way[19]).max() < 1e-6
