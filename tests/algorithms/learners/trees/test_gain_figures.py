"""Gains that differ look different, in a table and in a sentence."""

from __future__ import annotations

import numpy as np

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.explain.node_reasons import SplitVerdict
from algorithms.learners.trees.explain.why_words import gain_decimals, gain_sum, ratio_sum, verdict_words
from algorithms.learners.trees.tree_learner import why
from algorithms.text.numbers import MINUS, fixed, telling_decimals
from tests.algorithms.learners.trees.test_why import grown


def test_as_many_decimals_as_tell_neighbours_apart() -> None:
    assert telling_decimals([0.918, 0.918, 0.2]) == 3, "equal ones need no more"
    assert telling_decimals([0.44012, 0.44021, 0.1]) == 4
    assert telling_decimals([0.5 + 1e-12, 0.5, float("nan")]) == 3, "but for the rounding of sums they are equal"
    assert telling_decimals([0.5, 0.5000001]) == 6
    assert fixed(0.44012, 4) == "0.4401" and fixed(float("nan"), 3) == "-"


def test_a_candidate_that_gains_a_little_less_than_the_chosen_one_is_not_said_to_gain_as_much() -> None:
    """Two numbers that part 20,000 records alike, but for one of them."""
    n = 20_000
    truth = np.arange(n) % 2
    clear = truth + 0.1 * np.sin(np.arange(n))
    flawed = clear.copy()
    clear[:400] = 1 - clear[:400]
    flawed[:401] = 1 - flawed[:401]
    schema = Schema((numeric("clear"), numeric("flawed"), nominal("class", ("a", "b"))), 2)
    data = Dataset(schema, [clear, flawed, truth])
    learner = C45(max_depth=1)
    reasons = why(grown(learner, data), 0, data, learner)
    chosen, other = reasons.candidates
    assert chosen.name == "clear" and other.verdict is SplitVerdict.LOWER
    assert fixed(chosen.value, 3) == fixed(other.value, 3), "in three decimals they look alike"
    decimals = gain_decimals(reasons)
    assert fixed(chosen.gain, decimals[0]) != fixed(other.gain, decimals[0])
    said = verdict_words(reasons, other)
    mine, _, rest = said.removeprefix("Its gain ratio of ").partition(" is less than the ")
    assert float(mine) < float(rest.removesuffix(" of clear."))


def test_many_candidates_are_written_with_the_decimals_of_the_best() -> None:
    random = np.random.default_rng(1)
    names = [f"x{i}" for i in range(200)]
    codes = random.integers(0, 2, 400)
    columns = [codes * (2.0 - 0.4 * i if i < 5 else 0.0) + random.normal(0, 1, 400) for i in range(200)]
    data = Dataset(Schema((*map(numeric, names), nominal("class", ("a", "b"))), 200), [*columns, codes])
    learner = C45(max_depth=1)
    reasons = why(grown(learner, data), 0, data, learner)
    assert len({round(candidate.gain, 3) for candidate in reasons.candidates}) < len(reasons.candidates)
    assert gain_decimals(reasons) == (3, 3)


def test_the_written_formula_of_a_gain_gives_its_written_value() -> None:
    """1.578 - (102/300 x 0.9346 + 198/300 x 1.450) - log2(281)/300 gave 0.276, and 0.275 was written."""
    schema = Schema((*(numeric(f"x{i}") for i in range(8)), nominal("class", ("a", "b", "c"))), 8)
    learner, n_longer = C45(max_depth=1), 0
    for seed in range(8):
        random = np.random.default_rng(seed)
        codes = random.integers(0, 3, 300)
        data = Dataset(schema, [*(random.normal(0.3 * i * codes, 1.0) for i in range(8)), codes])
        for candidate in (reasons := why(grown(learner, data), 0, data, learner)).candidates:
            if candidate.is_split:
                gain, ratio = gain_sum(reasons, candidate), ratio_sum(reasons, candidate)
                for working in (gain, ratio):
                    written = working.filled.replace(" x ", " * ").replace(MINUS, "-").replace("log2", "np.log2")
                    value = eval(written)  # noqa: S307  (the program's own)
                    assert fixed(value + 1e-9, 3) == fixed(working.value, 3)
                written_gain = float(ratio.filled.partition(" / ")[0].strip("()").replace(MINUS, "-"))
                assert fixed(written_gain + 1e-9, 3) == fixed(candidate.gain, 3)
                n_longer += gain.digits > 4
    assert n_longer
