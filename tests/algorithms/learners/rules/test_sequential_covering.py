"""Sequential covering: what each choice does to the rules."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import ParameterError
from algorithms.core.parameters import configured
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.learners.rules.model import RankedData
from algorithms.learners.rules.rule_measures import RulePrior
from algorithms.learners.rules.sequential_covering import RuleSearch, SequentialCovering
from algorithms.structures.rule_set import RuleSet
from tests.algorithms.battery_data import mixed
from tests.algorithms.learners.rules.hand_made import meets, sample
from tests.expected_texts import learners as wording


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


@pytest.mark.parametrize("name", ["cn2", "cn2-unordered"])
def test_pure_rules_of_next_to_no_records_do_not_crowd_out_those_that_chance_does_not_explain(name: str) -> None:
    random = np.random.default_rng(8)
    x = random.normal(size=(600, 6))
    right = (x[:, 0] + x[:, 1] > 0).astype(int)
    codes = np.where(random.random(600) < 0.15, 1 - right, right)
    schema = Schema((*(numeric(f"x{i}") for i in range(6)), nominal("class", ("a", "b"))), 6)
    data = Dataset(schema, [*x.T, codes])
    model = SequentialCovering(**SequentialCovering.preset(name).values).fit(data.take(np.arange(400)), RunContext())
    assert np.mean(model.predict(data)[400:] == right[400:]) > 0.7


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
        {"measure": "entropy"},
        {"pruning": "pessimistic"},
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
    ranked, rows = RankedData.of(data, lambda: None), np.arange(50)
    met = ranked.met(rows, [(place, 0, 40) for place in range(20)], lambda: asked.append(1))
    assert len(asked) == 20
    assert met.tolist() == np.flatnonzero((ranked.ranks[:20, rows] <= 40).all(axis=0)).tolist()


def test_rules_that_are_cut_back_on_records_held_out_are_fewer_and_better_on_new_ones() -> None:
    random = np.random.default_rng(7)
    x = random.normal(size=(900, 4)).round(2)
    codes = np.where(random.random(900) < 0.15, random.integers(0, 2, 900), (x[:, 0] > 0.3).astype(int))
    schema = Schema((*(numeric(f"x{i}") for i in range(4)), nominal("class", ("a", "b"))), 4)
    data = Dataset(schema, [*x.T, codes])
    old, new = data.take(np.arange(400)), data.take(np.arange(400, 900))
    models = [
        SequentialCovering(min_weight=1.0, pruning=pruning).fit(old, RunContext(seed=1))
        for pruning in ("none", "reduced-error")
    ]
    sizes = [model.facts()["conditions"] for model in models]
    right = [float(np.mean(model.predict(new) == new.class_codes)) for model in models]
    assert sizes[1] < sizes[0] / 2
    assert right[1] > right[0] + 0.02


def test_the_two_ends_of_a_range_are_cut_back_one_by_one() -> None:
    data = Dataset(
        Schema((numeric("x"), nominal("class", ("a", "b"))), 1),
        [np.arange(40.0), np.r_[np.zeros(20, int), np.ones(20, int)]],
    )
    learner = SequentialCovering(pruning="pessimistic")
    search = RuleSearch(RankedData.of(data, lambda: None), learner, lambda: None)
    rows = np.arange(40)
    bounds = ((0, 25, 30),)
    grown = search._judged(bounds, search._ranked.met(rows, bounds), RulePrior(search.counts(rows), 1, 2.0))
    (condition,) = search._cut_back(grown, rows, 1)
    assert condition[1] == 25 and condition[2] > 30


def test_the_dearest_class_has_its_rules_first() -> None:
    data = mixed(300, 2)
    k = len(data.schema.classes)
    for dear in range(3):
        costs = tuple(tuple(0.0 if i == j else 7.0 if i == dear else 1.0 for j in range(k)) for i in range(k))
        assert fit(data, class_order="by-cost", costs=costs).decision[0] == dear
    same = fit(data, class_order="by-cost")
    assert same.decision.tolist() == fit(data).decision.tolist()
    learner = SequentialCovering(class_order="by-cost", costs=((0.0, 1.0), (1.0, 0.0)))
    assert "2 classes" in learner.check(summarize(data))[0].sentence


def test_cn2_is_a_setting_by_its_name() -> None:
    registry = builtin()
    learner = configured(SequentialCovering, {"preset": "cn2", "beam": "3"}, registry.resolve)
    assert learner == SequentialCovering(order="by-rule", measure="entropy", significance=0.01, min_weight=1.0, beam=3)
    typed = {"base": "sequential-covering", "base.preset": "cn2"}
    inside = configured(registry.learners.get("extracted-rules"), typed, registry.resolve).values()["base"]
    assert inside.preset_in_force().word == "cn2"
    votes = SequentialCovering(**SequentialCovering.preset("cn2-unordered").values)
    assert votes.summary() == wording.CN2_THAT_VOTES
    assert not fit(sample("iris"), **SequentialCovering.preset("cn2-unordered").values).is_ordered
    with pytest.raises(ParameterError, match="no preset"):
        configured(SequentialCovering, {"preset": "aq"}, registry.resolve)
