"""Kernels that learn record by record: passes of perceptrons, and back-propagation of single records."""

from __future__ import annotations

from math import exp, log, sqrt, tanh
from typing import Any

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled, stop_word

_POLL = 256
_LEAST = 1.1102230246251565e-16
"""Least distance of a logistic output from 0 and 1 in double precision."""


@called_by_loops
def _signal(kind: Any, total: Any) -> Any:
    """Output of a node from its weighted sum; kinds as in :class:`algorithms.structures.layers.Activation`."""
    if kind == 2:
        return tanh(total)
    if kind == 3:
        return max(total, 0.0)
    if kind == 1:
        return 0.5 * (1.0 + tanh(0.5 * total))
    return total


@called_by_loops
def _forward(x: Any, sizes: Any, activation: Any, parameters: Any, signals: Any) -> None:
    """Write the outputs of all nodes for a record (t,) into ``signals``, layer after layer, the inputs first."""
    for i in range(sizes[0]):
        signals[i] = x[i]
    before, place = 0, 0
    for layer in range(len(activation)):
        n, m = sizes[layer], sizes[layer + 1]
        here = before + n
        for j in range(m):
            signals[here + j] = parameters[place + n * m + j]
        for i in range(n):
            signal, row = signals[before + i], place + i * m
            for j in range(m):
                signals[here + j] += signal * parameters[row + j]
        if activation[layer] == 4:
            highest, total = -np.inf, 0.0
            for j in range(m):
                highest = max(highest, signals[here + j])
            for j in range(m):
                signals[here + j] = exp(signals[here + j] - highest)
                total += signals[here + j]
            for j in range(m):
                signals[here + j] /= total
        else:
            for j in range(m):
                signals[here + j] = _signal(activation[layer], signals[here + j])
        before = here
        place += (n + 1) * m


@called_by_loops
def _pull_back(
    sizes: Any, activation: Any, squared: Any, target: Any, parameters: Any, signals: Any, deltas: Any, gradient: Any
) -> None:
    """Write the gradient (p,) of a record's loss from all outputs; ``deltas`` is a buffer like ``signals``."""
    last = len(activation)
    start, place = 0, 0
    for layer in range(last):
        start += sizes[layer]
        place += (sizes[layer] + 1) * sizes[layer + 1]
    for j in range(sizes[last]):
        deltas[start + j] = signals[start + j] - target[j]
    for layer in range(last - 1, -1, -1):
        n, m, kind = sizes[layer], sizes[layer + 1], activation[layer]
        place -= (n + 1) * m
        before = start - n
        if layer < last - 1 or squared:
            for j in range(m):
                signal = signals[start + j]
                if kind == 2:
                    deltas[start + j] *= 1.0 - signal * signal
                elif kind == 1:
                    deltas[start + j] *= signal * (1.0 - signal)
                elif kind == 3 and signal <= 0.0:
                    deltas[start + j] = 0.0
        for i in range(n):
            signal, total, row = signals[before + i], 0.0, place + i * m
            for j in range(m):
                gradient[row + j] = signal * deltas[start + j]
                total += parameters[row + j] * deltas[start + j]
            deltas[before + i] = total
        for j in range(m):
            gradient[place + n * m + j] = deltas[start + j]
        start = before


@compiled
def single_records(
    x: Any, targets: Any, codes: Any, weights: Any, rows: Any, sizes: Any, activation: Any, squared: Any,
    parameters: Any, gradient: Any, room: Any, decay: Any, rate: Any, first: Any, second: Any, first_decay: Any,
    second_decay: Any, tiny: Any, done: Any, control: Any,
) -> Any:  # fmt: skip
    """Make a step for each record in the order of ``rows``; returns summed loss, misclassified and total weight.

    Loss and errors are those before each step. With ``second_decay`` of at least 0 the steps are those of Adam after
    ``done`` earlier ones, else those of momentum ``first_decay``.
    """
    loss, wrong, seen, m = 0.0, 0.0, 0.0, sizes[-1]
    start = np.sum(sizes) - m
    signals, deltas = room[0], room[1]
    power1, power2 = first_decay**done, second_decay**done if second_decay >= 0.0 else 0.0
    for number in range(len(rows)):
        if number % _POLL == 0 and stop_word(control) != 0:
            break
        row = rows[number]
        _forward(x[row], sizes, activation, parameters, signals)
        best = 0
        for j in range(m):
            if signals[start + j] > signals[start + best]:
                best = j
        if m == 1:
            middle = 0.0 if activation[-1] == 2 else 0.5
            best = 1 if signals[start] > middle else 0
        weight = weights[row]
        seen += weight
        if best != codes[row]:
            wrong += weight
        for j in range(m):
            signal, wanted = signals[start + j], targets[row, j]
            if squared:
                loss += 0.5 * weight * (signal - wanted) * (signal - wanted)
            elif wanted > 0.0:
                loss -= weight * log(max(signal, _LEAST if m == 1 else 1e-300))
            elif m == 1:
                loss -= weight * log(max(1.0 - signal, _LEAST))
        _pull_back(sizes, activation, squared, targets[row], parameters, signals, deltas, gradient)
        if second_decay >= 0.0:
            power1 *= first_decay
            power2 *= second_decay
            step = rate * sqrt(1.0 - power2) / (1.0 - power1)
            for p in range(len(parameters)):
                slope = weight * gradient[p] + decay[p] * parameters[p]
                first[p] = first_decay * first[p] + (1.0 - first_decay) * slope
                second[p] = second_decay * second[p] + (1.0 - second_decay) * slope * slope
                parameters[p] -= step * first[p] / (sqrt(second[p]) + tiny)
        else:
            for p in range(len(parameters)):
                slope = weight * gradient[p] + decay[p] * parameters[p]
                first[p] = first_decay * first[p] - rate * slope
                parameters[p] += first[p]
    return loss, wrong, seen


@compiled
def perceptron_pass(
    x: Any, signs: Any, weights: Any, rows: Any, rate: Any, parameters: Any, updates: Any, control: Any
) -> Any:
    """Pass the records through m perceptrons (TSKK Algorithm 5.4); returns the number of updates.

    ``signs`` (n, m) are the wanted answers, ``parameters`` (t + 1, m) the weights with the biases in the last row. A
    perceptron whose answer ``sign(w x + b)`` is wrong moves by ``rate (wanted - answered) x``. ``updates`` (u, 2)
    receives the record and the perceptron of the first u updates.
    """
    t, m, count = x.shape[1], signs.shape[1], 0
    sums = np.empty(m)
    for number in range(len(rows)):
        if number % _POLL == 0 and stop_word(control) != 0:
            break
        row = rows[number]
        for j in range(m):
            sums[j] = parameters[t, j]
        for i in range(t):
            value = x[row, i]
            if value != 0.0:
                for j in range(m):
                    sums[j] += value * parameters[i, j]
        for j in range(m):
            answered = 1.0 if sums[j] > 0.0 else -1.0
            wanted = signs[row, j]
            if answered != wanted:
                if count < len(updates):
                    updates[count, 0] = row
                    updates[count, 1] = j
                count += 1
                step = rate * weights[row] * (wanted - answered)
                for i in range(t):
                    parameters[i, j] += step * x[row, i]
                parameters[t, j] += step
    return count


def warm_up() -> None:
    """Compile or load each kernel by a tiny call."""
    control, rows = np.zeros(3, dtype=np.int64), np.arange(1)
    sizes, activation = np.array([1, 1], dtype=np.int32), np.array([1], dtype=np.int8)
    single_records(
        np.ones((1, 1)), np.ones((1, 1)), np.ones(1, dtype=np.int32), np.ones(1), rows, sizes, activation, False,
        np.zeros(2), np.zeros(2), np.zeros((2, 2)), np.zeros(2), 0.1, np.zeros(2), np.zeros(2), 0.9, 0.999, 1e-8, 0,
        control,
    )  # fmt: skip
    updates = np.zeros((0, 2), dtype=np.int64)
    perceptron_pass(np.ones((1, 1)), np.ones((1, 1)), np.ones(1), rows, 0.1, np.zeros((2, 1)), updates, control)
