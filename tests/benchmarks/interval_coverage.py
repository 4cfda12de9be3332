"""How often the 95% interval of an accuracy holds the true one, over generated problems whose truth is known.

``python -m tests.benchmarks.interval_coverage [PROBLEMS] [SEED]`` (default 2000 and 1) prints the table of
``resources/docs/coverage.md``. Each problem has its own shape, size, noise and class shares; a model's true accuracy is
that on 10,000 new records of the same problem. Two truths are asked for: the model's own (of the tested model for
holdout, of the one made of all records otherwise), and that of the way of learning (the mean over the models that the
folds made).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Learner, Model
from algorithms.core.resampling import Method
from algorithms.core.schema import Schema, nominal, numeric
from algorithms.evaluation.bootstrap import Bootstrap632, Bootstrap632Plus
from algorithms.evaluation.methods import CrossValidation, Holdout, RepeatedHoldout
from algorithms.evaluation.metrics import report
from algorithms.evaluation.runner import evaluate
from algorithms.trees.c45 import C45
from algorithms.trees.cart import Cart
from algorithms.trees.stump import DecisionStump

NEW_RECORDS = 10_000
SIZES = (100, 200, 400)
RARELY = 7
"""What takes long is measured on one problem of so many."""

Draw = Callable[[int, np.random.Generator], Dataset]


def problem(random: np.random.Generator) -> Draw:
    """A generated problem: clouds of two or three classes in a few dimensions, and labels that are wrong at random."""
    n_classes, dimensions = int(random.integers(2, 4)), int(random.integers(2, 9))
    clouds = int(random.integers(1, 4))
    centres = random.normal(0, random.uniform(0.3, 1.6), (n_classes, clouds, dimensions))
    shares = random.dirichlet(np.full(n_classes, 6.0))
    wrong = random.uniform(0, 0.2)
    labels = tuple("abc"[:n_classes])
    schema = Schema((*(numeric(f"x{i}") for i in range(dimensions)), nominal("class", labels)), dimensions)

    def draw(n: int, chance: np.random.Generator) -> Dataset:
        codes = chance.choice(n_classes, n, p=shares)
        x = centres[codes, chance.integers(0, clouds, n)] + chance.normal(0, 1, (n, dimensions))
        said = np.where(chance.random(n) < wrong, chance.integers(0, n_classes, n), codes).astype(np.int8)
        return Dataset(schema, [*x.T.copy(), said])

    return draw


def remembering(learner: Learner) -> tuple[Learner, list[Model]]:
    """The learner, and a list to which each of its models is added as it is made."""
    made: list[Model] = []
    kind: Any = type(learner)

    class Remembering(kind):  # type: ignore[misc]
        models: ClassVar[list[Model]] = made

        def _fit(self, data: Dataset, context: RunContext) -> Model:
            model: Model = super()._fit(data, context)
            made.append(model)
            return model

    return Remembering(**learner.values()), made


def methods() -> dict[str, tuple[Method, int]]:
    """Each method, and on one of how many problems it is measured."""
    return {
        "34% held out": (Holdout(), 1),
        "10 folds": (CrossValidation(), 1),
        "10 folds, 3 times": (CrossValidation(repeats=3), RARELY),
        "34% held out, 10 times": (RepeatedHoldout(), RARELY),
        ".632 bootstrap": (Bootstrap632(samples=30), RARELY),
        ".632+ bootstrap": (Bootstrap632Plus(samples=30), RARELY),
    }


LEARNERS: dict[str, Learner] = {"C4.5": C45(), "CART, not pruned": Cart(pruning="none"), "stump": DecisionStump()}


@dataclass
class Tally:
    """How often the interval held the model's accuracy and that of the way of learning, and how wide it was."""

    held_model: list[bool] = field(default_factory=list)
    held_learning: list[bool] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    bias: list[float] = field(default_factory=list)

    def add(self, interval: tuple[float, float], accuracy: float, model: float, learning: float) -> None:
        low, high = interval
        self.held_model.append(low <= model <= high)
        self.held_learning.append(low <= learning <= high)
        self.width.append(high - low)
        self.bias.append(accuracy - model)


def measure(n_problems: int, seed: int) -> dict[tuple[str, str], Tally]:
    """Tallies by method and learner."""
    found: dict[tuple[str, str], Tally] = {}
    for number, seeds in enumerate(np.random.SeedSequence(seed).spawn(n_problems)):
        random = np.random.default_rng(seeds)
        draw = problem(random)
        data, new = draw(SIZES[number % len(SIZES)], random), draw(NEW_RECORDS, random)
        name, learner = list(LEARNERS.items())[(number // len(SIZES)) % len(LEARNERS)]
        whole = learner.fit(data, RunContext(seed=number))
        for method_name, (method, one_of) in methods().items():
            if number % one_of == 0:
                tally = found.setdefault((method_name, name), Tally())
                _judge(learner, method, data, new, whole, tally, number)
        if (number + 1) % 100 == 0:
            print(f"{number + 1} of {n_problems}", file=sys.stderr, flush=True)
    return found


def _judge(
    learner: Learner, method: Method, data: Dataset, new: Dataset, whole: Model, tally: Tally, seed: int
) -> None:
    watched, models = remembering(learner)
    result = evaluate(watched, data, method, RunContext(seed=seed))
    judged = report(result)
    tested = models[1:] if result.resubstitution is not None else models
    true = [float(np.mean(model.predict(new) == new.class_codes)) for model in tested[:10]]
    model = true[0] if len(tested) == 1 else float(np.mean(whole.predict(new) == new.class_codes))
    tally.add(judged.interval, judged.accuracy, model, float(np.mean(true)))


def table(found: dict[tuple[str, str], Tally]) -> str:
    """The tallies as lines of Markdown; each share with the standard error of its measuring."""
    lines = ["| judged by | learner | problems | holds the model's | holds the learning's | mean width | bias |"]
    lines.append("|---|---|---|---|---|---|---|")
    for method in dict.fromkeys(method for method, _ in found):
        tallies = {name: tally for (of, name), tally in found.items() if of == method}
        whole = Tally()
        for tally in tallies.values():
            for name in ("held_model", "held_learning", "width", "bias"):
                getattr(whole, name).extend(getattr(tally, name))
        for name, tally in {**tallies, "**all**": whole}.items():
            lines.append(_line(method, name, tally))
    return "\n".join(lines)


def _line(method: str, name: str, tally: Tally) -> str:
    n = len(tally.width)

    def share(held: list[bool]) -> str:
        p = float(np.mean(held))
        return f"{100 * p:.1f} ± {100 * np.sqrt(p * (1 - p) / n):.1f}"

    numbers = f"{100 * np.mean(tally.width):.1f} | {100 * np.mean(tally.bias):+.1f}"
    return f"| {method} | {name} | {n} | {share(tally.held_model)} | {share(tally.held_learning)} | {numbers} |"


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    print(table(measure(*(given or [2000]), *([1] if len(given) < 2 else []))))
