"""How a gradient moves the weights: with momentum, or by Adam."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

from algorithms.neural.passing import Numbers

FIRST_DECAY: Final = 0.9
SECOND_DECAY: Final = 0.999
TINY: Final = 1e-8


class Update(Protocol):
    """Moves weights (p,) by gradients (p,), one after the other."""

    def step(self, parameters: Numbers, gradient: Numbers) -> None:
        """Move the weights in place; the gradient may be overwritten."""


class Momentum:
    """``velocity = momentum * velocity - rate * gradient``, by which the weights move (Rumelhart and others 1986)."""

    def __init__(self, like: Numbers, rate: float, momentum: float) -> None:
        self.rate, self.momentum = rate, momentum
        self.velocity = np.zeros_like(like)

    def step(self, parameters: Numbers, gradient: Numbers) -> None:
        self.velocity *= self.momentum
        gradient *= self.rate
        self.velocity -= gradient
        parameters += self.velocity


class Adam:
    """Steps by the running mean of the gradients over the root of that of their squares (Kingma and Ba 2015)."""

    def __init__(self, like: Numbers, rate: float) -> None:
        self.rate, self.steps = rate, 0
        self.first, self.second = np.zeros_like(like), np.zeros_like(like)
        self._room = np.empty_like(like)

    def step(self, parameters: Numbers, gradient: Numbers) -> None:
        self.steps += 1
        rate = self.rate * np.sqrt(1 - SECOND_DECAY**self.steps) / (1 - FIRST_DECAY**self.steps)
        room = self._room
        np.multiply(gradient, gradient, out=room)
        room *= 1 - SECOND_DECAY
        self.second *= SECOND_DECAY
        self.second += room
        gradient *= 1 - FIRST_DECAY
        self.first *= FIRST_DECAY
        self.first += gradient
        np.sqrt(self.second, out=room)
        room += TINY
        np.divide(self.first, room, out=room)
        room *= float(rate)
        parameters -= room
