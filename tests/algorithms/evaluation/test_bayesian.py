"""The Bayesian signed-rank test against its closed form for one difference, a plain double loop, and symmetry."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.evaluation.compare.multi_comparison import bayesian_signed_rank


def test_one_difference_has_a_closed_form():
    """Only the pair of the prior's own 0 lies within: it wins where its weight, Beta(s, 1), is above sqrt 1/2."""
    for strength in (0.5, 1.0):
        found = bayesian_signed_rank([0.1], rope=0.01, strength=strength, samples=200_000)
        assert found.first == pytest.approx(np.sqrt(0.5) ** strength, abs=0.004)
        assert found.second == 0
        assert found.first + found.same + found.second == pytest.approx(1)


def test_it_is_what_a_plain_double_loop_finds():
    differences, rope, n_draws = [0.03, -0.02, 0.005, 0.04, 0.011], 0.01, 400
    random = np.random.default_rng(7)
    won = [0, 0, 0]
    seen = [0.0, *differences]
    for _ in range(n_draws):
        weights = random.dirichlet([0.5, 1, 1, 1, 1, 1])
        above = within = below = 0.0
        for one, u in zip(seen, weights, strict=True):
            for other, v in zip(seen, weights, strict=True):
                if one + other > 2 * rope:
                    above += u * v
                elif one + other < -2 * rope:
                    below += u * v
                else:
                    within += u * v
        won[int(np.argmax([above, within, below]))] += 1
    found = bayesian_signed_rank(differences, rope, samples=n_draws, seed=7)
    assert [found.first, found.same, found.second] == pytest.approx([each / n_draws for each in won])


def test_turned_round_it_says_the_same_of_the_other():
    differences = np.array([0.03, -0.02, 0.005, 0.04, 0.011, 0.02])
    one, other = bayesian_signed_rank(differences), bayesian_signed_rank(-differences)
    assert (one.first, one.same, one.second) == pytest.approx((other.second, other.same, other.first))


def test_many_differences_tell_and_no_difference_is_the_same():
    assert bayesian_signed_rank(np.linspace(0.02, 0.06, 30)).first > 0.999
    assert bayesian_signed_rank(np.zeros(10)).same == 1
    assert bayesian_signed_rank(np.linspace(-0.004, 0.004, 20)).same > 0.999
