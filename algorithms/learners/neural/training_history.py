"""What is kept of a network while it learns: its course, the best weights so far, and when it is time to stop."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.learners.neural.forward_pass import ForwardBackward, NetworkExamples, Numbers, decided
from algorithms.structures.layers import NetworkTraining, TrainingHistory

BETWEEN: Final = 0.08
"""Seconds between two looks that are handed to whoever watches."""


class StopReason(StrEnum):
    """Why the learning ended."""

    LIMIT = "limit"
    SETTLED = "settled"
    VALIDATION = "validation"
    FINISHED = "finished"
    DIVERGED = "diverged"
    NO_ERRORS = "no errors"


@dataclass(frozen=True)
class LossAndError:
    """The mean loss of records and the share of them that is wrong."""

    loss: float
    error: float


def standing(
    passes: ForwardBackward, parameters: Numbers, examples: NetworkExamples, context: RunContext
) -> LossAndError:
    """How these weights do on records."""
    losses, wrong = np.empty(len(examples)), np.empty(len(examples), dtype=np.bool_)
    together = passes.shape.together
    for at in range(0, len(examples), together):
        context.checkpoint()
        rows = slice(at, at + together)
        outputs = passes.signals(parameters, examples.x[rows])[-1]
        targets = passes.shape.targets(examples.codes[rows], passes.dtype)
        losses[rows] = passes.losses(outputs, targets)
        wrong[rows] = decided(outputs, int(passes.shape.activation[-1])) != examples.codes[rows]
    weights, total = examples.weights, examples.total
    loss = float(losses.sum() if weights is None else losses @ weights) / max(total, 1e-300)
    return LossAndError(loss, examples.share_of(wrong))


class EpochMonitor:
    """Notes each epoch; ``best`` (p,) are the weights with the lowest loss of the records held out, or, where none
    are, with the lowest cost of all epochs."""

    def __init__(
        self, passes: ForwardBackward, start: Numbers, held_out: NetworkExamples | None, patience: int,
        context: RunContext, between: float = BETWEEN,
    ) -> None:  # fmt: skip
        self._passes, self._held_out, self._patience, self.context = passes, held_out, patience, context
        self.best = start.copy()
        self.best_cost, self._best_epoch = np.inf, 0
        self._training: list[LossAndError] = []
        self._validation: list[LossAndError] = []
        self._told, self._between = time.monotonic(), between

    def note(self, parameters: Numbers, training: LossAndError, cost: float) -> StopReason | None:
        """Take down an epoch; what the learning ends for, where it is not worth going on."""
        self._training.append(training)
        if self._held_out is not None:
            found = standing(self._passes, parameters, self._held_out, self.context)
            self._validation.append(found)
            cost = found.loss
        epoch = len(self._training) - 1
        if cost < self.best_cost:
            self.best_cost, self._best_epoch = cost, epoch
            np.copyto(self.best, parameters)
        self._tell(parameters)
        if self.context.finishing:
            self.context.checkpoint()
            return StopReason.FINISHED
        if self._held_out is not None and epoch - self._best_epoch >= self._patience:
            return StopReason.VALIDATION
        return None

    @property
    def last(self) -> LossAndError:
        """What was taken down last."""
        return self._training[-1]

    @property
    def epochs(self) -> int:
        """How many were taken down since the start."""
        return max(0, len(self._training) - 1)

    def waited(self, than: float) -> bool:
        """Whether ``patience`` epochs brought the training loss no further down than by this much."""
        losses = [each.loss for each in self._training]
        if len(losses) <= self._patience + 1:
            return False
        return min(losses[-self._patience :]) > min(losses[: -self._patience]) - than

    def course(self, ended: StopReason | None) -> TrainingHistory:
        """What there was so far."""
        held = self._validation
        return TrainingHistory(
            np.array([each.loss for each in self._training]),
            np.array([each.error for each in self._training]),
            np.array([each.loss for each in held]),
            np.array([each.error for each in held]),
            best=self._best_epoch,
            ended="" if ended is None else ended.value,
        )

    def _tell(self, parameters: Numbers) -> None:
        if time.monotonic() - self._told < self._between:
            return
        self.context.publish(NetworkTraining(self.course(None), parameters.astype(np.float64), self.context.can_finish))
        self._told = time.monotonic()
