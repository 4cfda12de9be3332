"""How often the 95% interval of an accuracy holds the true one, over generated problems whose truth is known.

``python -m tests.benchmarks.interval_coverage [PROBLEMS] [SEED] [METHOD ...]`` (default 2000, 1 and all) prints the
table of ``resources/docs/coverage.md``; methods that are named are measured on every problem. Each problem has its own
shape, size, noise and class shares; a model's true accuracy is that on 10,000 new records of the same problem. Two
truths are asked for: the model's own (of the tested model for holdout, of the one made of all records otherwise), and
that of the way of learning (the mean over the first models that the folds made). Folds by groups are measured on
records in groups that differ from one another, and the truth is that of records of other groups; complete
cross-validation on very few records.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from algorithms.core.learner import Learner, Model
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.by_column import GroupCrossValidation
from algorithms.evaluation.methods.methods import (
    Bootstrap632,
    Bootstrap632Plus,
    CompleteCrossValidation,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    RepeatedHoldout,
)
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.stump import DecisionStump

NEW_RECORDS = 10_000
SIZES = (100, 200, 400)
TINY_SIZES = (16, 24, 32)
GROUP_SIZES = (2, 8)
"""How many records a group has, from and to."""
RARELY = 7
"""What takes long is measured on one problem of so many."""

Draw = Callable[[int, np.random.Generator], Dataset]


def problem(random: np.random.Generator) -> Draw:
    """A generated problem: clouds of two or three classes in a few dimensions, and labels that are wrong at random."""
    return _problem(random)[0]


def grouped_problem(random: np.random.Generator) -> Draw:
    """As :func:`problem`, of records in groups: each lies elsewhere, by up to the clouds' own width, and has its own
    share of the classes. Every draw is of new groups, which the column ``group`` names."""
    return _problem(random)[1]


def _problem(random: np.random.Generator) -> tuple[Draw, Draw]:
    n_classes, dimensions = int(random.integers(2, 4)), int(random.integers(2, 9))
    clouds = int(random.integers(1, 4))
    centres = random.normal(0, random.uniform(0.3, 1.6), (n_classes, clouds, dimensions))
    shares = random.dirichlet(np.full(n_classes, 6.0))
    wrong = random.uniform(0, 0.2)
    apart = wrong / 0.2  # from none to the width of a cloud; no draw of its own: all else stays as it was measured
    labels = tuple("abc"[:n_classes])
    schema = Schema((*(numeric(f"x{i}") for i in range(dimensions)), nominal("class", labels)), dimensions)
    with_groups = Schema((*schema.attributes, Attribute("group", AttributeKind.IDENTIFIER)), dimensions)

    def draw(n: int, chance: np.random.Generator) -> Dataset:
        codes = chance.choice(n_classes, n, p=shares)
        x = centres[codes, chance.integers(0, clouds, n)] + chance.normal(0, 1, (n, dimensions))
        said = np.where(chance.random(n) < wrong, chance.integers(0, n_classes, n), codes).astype(np.int8)
        return Dataset(schema, [*x.T.copy(), said])

    def draw_groups(n: int, chance: np.random.Generator) -> Dataset:
        sizes = chance.integers(GROUP_SIZES[0], GROUP_SIZES[1] + 1, n)
        groups = np.repeat(np.arange(n), sizes)[:n]
        own_shares = chance.dirichlet(4 * shares, n).cumsum(axis=1)
        codes = np.minimum((chance.random(n)[:, None] > own_shares[groups]).sum(axis=1), n_classes - 1)
        elsewhere = chance.normal(0, 1, (n, dimensions)) * apart
        x = centres[codes, chance.integers(0, clouds, n)] + elsewhere[groups] + chance.normal(0, 1, (n, dimensions))
        said = np.where(chance.random(n) < wrong, chance.integers(0, n_classes, n), codes).astype(np.int8)
        return Dataset(with_groups, [*x.T.copy(), said, np.array([f"g{each}" for each in groups], dtype=object)])

    return draw, draw_groups


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


@dataclass(frozen=True)
class Case:
    """A method, on one of how many problems it is measured, on what kind of problem and how many records."""

    method: Method
    one_of: int = RARELY
    problem: Callable[[np.random.Generator], Draw] = problem
    sizes: tuple[int, ...] = SIZES


CASES = {
    "34% held out": Case(Holdout(), 1),
    "10 folds": Case(CrossValidation(), 1),
    "2 folds": Case(CrossValidation(folds=2)),
    "3 folds": Case(CrossValidation(folds=3)),
    "5 folds": Case(CrossValidation(folds=5)),
    "10 folds, 3 times": Case(CrossValidation(repeats=3)),
    "34% held out, 10 times": Case(RepeatedHoldout()),
    ".632 bootstrap": Case(Bootstrap632(samples=30)),
    ".632+ bootstrap": Case(Bootstrap632Plus(samples=30)),
    "leave one out": Case(LeaveOneOut()),
    "10 folds by groups": Case(GroupCrossValidation(column="group"), problem=grouped_problem),
    "all pairs of few records": Case(CompleteCrossValidation(), sizes=TINY_SIZES),
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


def measure(n_problems: int, seed: int, names: Sequence[str] = ()) -> dict[tuple[str, str], Tally]:
    """Tallies by method and learner; ``names`` are the methods to measure on every problem, all of them by default."""
    found: dict[tuple[str, str], Tally] = {}
    for number, seeds in enumerate(np.random.SeedSequence(seed).spawn(n_problems)):
        name, learner = list(LEARNERS.items())[(number // len(SIZES)) % len(LEARNERS)]
        drawn: dict[object, tuple[Dataset, Dataset, Model]] = {}
        for method_name, case in CASES.items():
            if method_name in names if names else number % case.one_of == 0:
                kind = case.problem, case.sizes
                if kind not in drawn:
                    drawn[kind] = _drawn(case, number, np.random.default_rng(seeds), learner)
                tally = found.setdefault((method_name, name), Tally())
                _judge(learner, case.method, *drawn[kind], tally, number)
        if (number + 1) % 100 == 0:
            print(f"{number + 1} of {n_problems}", file=sys.stderr, flush=True)
    return found


def _drawn(case: Case, number: int, random: np.random.Generator, learner: Learner) -> tuple[Dataset, Dataset, Model]:
    """The records, new ones of the same problem, and the model of all records."""
    draw = case.problem(random)
    data, new = draw(case.sizes[number % len(case.sizes)], random), draw(NEW_RECORDS, random)
    return data, new, learner.fit(data, RunContext(seed=number))


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
    lines = ["| method | learner | problems | holds the model's | holds the learning's | mean width | bias |"]
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
    n_problems, seed, *names = [*sys.argv[1:], *["2000", "1"][len(sys.argv) - 1 :]]
    print(table(measure(int(n_problems), int(seed), names)))
