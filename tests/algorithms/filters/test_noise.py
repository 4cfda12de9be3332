"""On pure noise the way that is offered reports chance; the leaky order wears its mark."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from algorithms.cli import main
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.runner import evaluate, train
from algorithms.filters.arrange_attributes import KeepAttributes
from algorithms.filters.balance_classes import BalanceClasses
from algorithms.filters.select_attributes import SelectAttributes
from algorithms.filters.step_effects import apply_permanently, mark_of
from algorithms.learners.trees.c45 import C45
from tests.expected_texts import filters as wording

N, D = 200, 2000
CHANCE = (0.37, 0.63)
"""Around a half, with 200 records four standard deviations are 0.14."""


def noise(seed: int = 1) -> Dataset:
    random = np.random.default_rng(seed)
    schema = Schema((*(nominal(f"x{at}", ("p", "q", "r")) for at in range(D)), nominal("class", ("a", "b"))), D)
    return Dataset(schema, [*random.integers(0, 3, size=(D, N)), np.arange(N) % 2])


STEP = SelectAttributes(by="chi-square", number=10)


@cache
def honest() -> EvaluationResult:
    """C4.5 on the ten best columns, chosen in each training part."""
    return evaluate(C45(), noise(), CrossValidation(folds=5), RunContext(seed=1), recipe=(STEP,))


def test_the_ten_best_of_two_thousand_columns_of_noise_are_no_better_than_chance() -> None:
    result = honest()
    assert CHANCE[0] < float(np.mean(result.right)) < CHANCE[1]
    assert result.marks == ()


def test_chosen_from_all_records_they_look_good_and_the_result_says_why() -> None:
    leaky = apply_permanently((STEP,), noise(), RunContext(seed=1))
    assert len(leaky.schema) == 11
    result = evaluate(C45(), leaky, CrossValidation(folds=5), RunContext(seed=1))
    assert float(np.mean(result.right)) > float(np.mean(honest().right)) + 0.1
    assert result.marks == (mark_of(STEP),) and wording.LEARNED_FROM_ALL in result.remarks()[0]
    assert train(C45(), leaky, (), RunContext(seed=1)).marks == result.marks


def test_the_command_line_reports_chance_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = noise(2)
    rows = [",".join(data.schema.names)]
    rows += [",".join([*("pqr"[data.column(i)[r]] for i in range(D)), "ab"[r % 2]]) for r in range(N)]
    path = tmp_path / "noise.csv"
    path.write_text("\n".join(rows))
    argv = ["evaluate", str(path), "--class", "class", "--learner", "c4.5", "--json"]
    argv += ["--method", "cross-validation:folds=5"]
    assert main([*argv, "--filter", "select-attributes:by=chi-square,number=10"]) == 0
    assert CHANCE[0] < json.loads(capsys.readouterr().out)["accuracy"] < CHANCE[1]


def test_what_looks_at_no_record_leaves_no_mark_and_training_steps_are_not_made_permanent() -> None:
    data = noise().select_columns([0, 1, 2, D])
    kept = apply_permanently(
        (KeepAttributes(columns=("x0",)), BalanceClasses()), data.take(np.arange(150)), RunContext()
    )
    assert kept.origin.marks == () and kept.schema.names == ("x0", "class") and len(kept) == 150
