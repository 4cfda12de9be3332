"""Sequential covering: what each choice does to the rules."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.rule_set import RuleSet
from algorithms.core.schema import Schema, nominal, numeric
from algorithms.rules.learn_one_rule import RuleSearch, SearchOptions
from algorithms.rules.measures import Ground
from algorithms.rules.ranked import Ranked
from algorithms.rules.sequential_covering import SequentialCovering
from tests.algorithms.battery_data import mixed
from tests.algorithms.rules.hand_made import meets, sample


def fit(data: Dataset, **options: object) -> RuleSet:
    model = SequentialCovering(**options).fit(data, RunContext(seed=1))  # type: ignore[arg-type]
    rules = model.structure()
    assert isinstance(rules, RuleSet)
    return rules


def accuracy(data: Dataset, **options: object) -> float:
    model = SequentialCovering(**options).fit(data, RunContext(seed=1))  # type: ignore[arg-type]
    return float(np.mean(model.predict(data) == data.class_codes))


def test_classes_come_from_the_rarest_or_from_the_most_frequent() -> None:
    data = mixed(300, 2)
    counts = np.bincount(data.class_codes, minlength=4)
    rarest = [counts[c] for c in fit(data).decision]
    assert rarest == sorted(rarest)
    often = fit(data, class_order="most-frequent-first")
    assert counts[often.decision[0]] == counts.max()
    assert often.default_decision != int(np.argmax(counts))


def test_every_rule_of_a_list_is_better_than_guessing_on_what_is_left_to_it() -> None:
    data = mixed(400, 3, missing=0.1)
    rules = fit(data)
    left = np.ones(len(data), dtype=bool)
    for rule in range(rules.n_rules):
        target = int(rules.decision[rule])
        prior = np.mean(data.class_codes[left] == target)
        met = meets(rules, rule, data) & left
        assert np.mean(data.class_codes[met] == target) > prior
        assert met.sum() >= 2
        left &= ~met


def test_a_wider_beam_finds_what_greed_does_not() -> None:
    """Neither of two attributes tells anything alone: a third that tells little leads a greedy search astray."""
    random = np.random.default_rng(3)
    a, b = random.integers(0, 2, 400), random.integers(0, 2, 400)
    codes = np.where(a == b, 0, 1)
    lure = np.where(random.random(400) < 0.58, codes, 1 - codes)
    names = [nominal(n, ("no", "yes")) for n in ("a", "b", "lure")]
    data = Dataset(Schema((*names, nominal("class", ("same", "other"))), 3), [a, b, lure, codes])
    options = {"max_conditions": 2, "measure": "accuracy", "min_weight": 40.0}
    assert accuracy(data, beam=50, **options) >= accuracy(data, beam=1, **options)
    assert accuracy(data, beam=50, **options) > 0.7


def test_a_test_of_significance_leaves_out_what_chance_explains() -> None:
    random = np.random.default_rng(5)
    noise = [random.normal(size=200) for _ in range(3)]
    schema = Schema((*(numeric(f"x{i}") for i in range(3)), nominal("class", ("a", "b"))), 3)
    data = Dataset(schema, [*noise, random.integers(0, 2, 200)])
    assert fit(data, significance=1e-6).n_rules < fit(data).n_rules
    assert fit(sample("iris"), significance=1e-6).n_rules >= 2


def test_unordered_rules_keep_the_negative_records_and_vote() -> None:
    data = mixed(300, 4)
    rules = fit(data, order="unordered")
    assert not rules.is_ordered
    assert rules.votes.tolist() == rules.covered.tolist()
    assert set(rules.decision.tolist()) == {0, 1, 2}
    plain = fit(data, order="unordered", votes="plain")
    assert plain.votes.sum(axis=1).tolist() == [1.0] * plain.n_rules
    shares = fit(data, order="unordered", votes="accuracy")
    right = shares.covered[np.arange(shares.n_rules), shares.decision] / shares.covered.sum(axis=1)
    assert shares.votes.max(axis=1) == pytest.approx(right)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"order": "by-rule", "measure": "entropy"},
        {"order": "unordered"},
        {"measure": "m-estimate", "m": 20.0},
        {"measure": "foil"},
        {"measure": "likelihood-ratio"},
        {"beam": 1},
    ],
)
def test_every_setting_learns_iris(options: dict[str, object]) -> None:
    assert accuracy(sample("iris"), **options) > 0.93


def test_a_rule_can_come_about_by_dropping_the_conditions_of_a_record() -> None:
    data = sample("vertebrates")
    rules = fit(data, direction="specific-to-general", min_weight=1.0)
    assert accuracy(data, direction="specific-to-general", min_weight=1.0) > 0.8
    sizes = np.diff(rules.rule_start)
    assert sizes.max() < len(data.schema.predictors)


def test_a_stop_is_asked_for_at_every_condition_that_is_dropped() -> None:
    random = np.random.default_rng(1)
    schema = Schema((*(numeric(f"x{i}") for i in range(20)), nominal("c", ("a", "b"))), 20)
    data = Dataset(schema, [*random.normal(size=(20, 50)), np.arange(50) % 2])
    asked: list[int] = []
    search = RuleSearch(Ranked.of(data, lambda: None), SearchOptions(general_first=False), lambda: asked.append(1))
    rows = np.arange(50)
    bounds = tuple((place, 0, 40) for place in range(20))
    found = search._whole(bounds, rows, Ground(search.counts(rows), 0, 2.0))
    assert len(asked) == 20
    ranks = search._ranked.ranks[:20, rows]
    assert found.rows.tolist() == np.flatnonzero((ranks <= 40).all(axis=0)).tolist()
