"""The worked examples on rules: coverage and accuracy, which fire, measures, and what is left after a rule."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.model import RuleMatcher, RuleModel
from algorithms.learners.rules.rule_extraction import TreeRules
from algorithms.learners.rules.rule_measures import (
    RulePrior,
    accuracy,
    foil_gain,
    laplace,
    likelihood_ratio,
    m_estimate,
)
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.trees.c45 import C45
from algorithms.structures.rule_set import DEFAULT_RULE, Rule, RuleCondition, RuleSet, put_together, rule_words
from tests.algorithms.learners.rules.hand_made import rules_of, sample, values
from tests.expected_texts import learners as wording

R1, R2 = np.array([50.0, 5.0]), np.array([2.0, 0.0])
GROUND = RulePrior(np.array([60.0, 100.0]), target=0, m=2.0)


def test_coverage_and_accuracy_of_a_rule_about_mammals() -> None:
    data = sample("vertebrates")
    schema = data.schema
    born, warm = values(schema, "Gives Birth", "yes"), values(schema, "Body Temperature", "warm-blooded")
    rules = RuleMatcher(rules_of(data, ("Mammals", (born, warm)), default="Reptiles")).counted(data)
    covered = rules.covered[0]
    assert covered.sum() / len(data) == pytest.approx(0.33, abs=0.005)
    assert covered[schema.classes.index("Mammals")] / covered.sum() == 1.0


def five_rules() -> tuple[Dataset, RuleSet]:
    """r1 to r5 over the vertebrates of the first edition."""
    data = sample("vertebrates")
    s = data.schema
    no, yes = values(s, "Gives Birth", "no"), values(s, "Gives Birth", "yes")
    return data, rules_of(
        data,
        ("Birds", (no, values(s, "Aerial Creature", "yes"))),
        ("Fishes", (no, values(s, "Aquatic Creature", "yes"))),
        ("Mammals", (yes, values(s, "Body Temperature", "warm-blooded"))),
        ("Reptiles", (no, values(s, "Aerial Creature", "no"))),
        ("Amphibians", (values(s, "Aquatic Creature", "semi"),)),
        default="Mammals",
    )


@pytest.mark.parametrize(
    ("animal", "cells", "fired"),
    [
        ("lemur", ("warm-blooded", "yes", "no", "no"), [2]),
        ("turtle", ("cold-blooded", "no", "semi", "no"), [3, 4]),
        ("dogfish shark", ("cold-blooded", "yes", "yes", "no"), []),
    ],
)
def test_one_rule_fires_two_conflict_or_none_does(animal: str, cells: tuple[str, ...], fired: list[int]) -> None:
    data, rules = five_rules()
    names = ("Body Temperature", "Gives Birth", "Aquatic Creature", "Aerial Creature")
    record = data.take([0])
    for name, label in zip(names, cells, strict=True):
        index = data.schema.index_of(name)
        record = record.with_cells(index, [0], [data.schema.attributes[index].code_of(label)])
    assert RuleMatcher(rules).fired(record, 0).tolist() == fired, animal
    counted = RuleMatcher(rules).counted(data)
    explained = RuleModel(counted).explain(record, 0)
    assert explained.parts == tuple(fired)
    assert RuleModel(counted).predict(record)[0] == (rules.decision[fired[0]] if fired else rules.default_decision)


def test_accuracy_prefers_the_rule_of_two_records() -> None:
    assert accuracy(R1, GROUND) == pytest.approx(0.909, abs=0.0005)
    assert accuracy(R2, GROUND) == 1.0


def test_the_likelihood_ratio_statistic() -> None:
    """The book prints logarithms to base 2; the chi-square test needs natural ones."""
    found = np.array([likelihood_ratio(R1, GROUND), likelihood_ratio(R2, GROUND)])
    assert found == pytest.approx([69.27, 3.92], abs=0.005)
    assert found / np.log(2) == pytest.approx([99.9, 5.66], abs=0.05)


def test_laplace_and_the_m_estimate() -> None:
    assert [laplace(R1, GROUND), laplace(R2, GROUND)] == pytest.approx([0.8947, 0.75], abs=0.00005)
    assert [m_estimate(R1, GROUND), m_estimate(R2, GROUND)] == pytest.approx([0.8904, 0.6875], abs=0.00005)


def test_foils_information_gain_from_the_empty_rule() -> None:
    """43.12 and 2 are printed; the formula gives these."""
    assert [foil_gain(R1, GROUND), foil_gain(R2, GROUND)] == pytest.approx([63.88, 2.83], abs=0.005)


def hundred_and_sixty() -> Dataset:
    """60 positive and 100 negative records; r1 (one = yes) covers 50 and 5 of them, r2 (two = yes) 2 and none."""
    one, two = np.zeros(160, dtype=int), np.zeros(160, dtype=int)
    one[:50], one[60:65] = 1, 1
    two[50:52] = 1
    codes = np.where(np.arange(160) < 60, 0, 1)
    schema = Schema((nominal("one", ("no", "yes")), nominal("two", ("no", "yes")), nominal("class", ("+", "-"))), 2)
    return Dataset(schema, [one, two, codes])


@pytest.mark.parametrize(
    ("measure", "first"),
    [("accuracy", 1), ("laplace", 0), ("m-estimate", 0), ("foil", 0), ("likelihood-ratio", 0)],
)
def test_r1_is_learned_before_r2_by_each_measure_but_accuracy(measure: str, first: int) -> None:
    learner = SequentialCovering(measure=measure, max_conditions=1, beam=1)
    model = learner.fit(hundred_and_sixty(), RunContext(seed=1))
    rules = model.structure()
    assert isinstance(rules, RuleSet)
    assert rules.schema.classes[int(rules.decision[0])] == "+"
    assert int(rules.attribute[0]) == first
    assert rules.values_of(0) == (1,)


def figure_5_4() -> tuple[Dataset, RuleSet]:
    """29 positive and 21 negative records and three regions: R1 12+ 3-, R2 7+ 3-, R3 8+ 4-, of which 2+ 2- are R1's."""
    regions = np.zeros((50, 3), dtype=int)
    positive = np.arange(50) < 29
    plus, minus = np.flatnonzero(positive), np.flatnonzero(~positive)
    regions[plus[:12], 0], regions[minus[:3], 0] = 1, 1
    regions[plus[10:18], 2], regions[minus[1:5], 2] = 1, 1
    regions[plus[18:25], 1], regions[minus[5:8], 1] = 1, 1
    names = [nominal(f"R{i + 1}", ("out", "in")) for i in range(3)]
    schema = Schema((*names, nominal("class", ("+", "-"))), 3)
    data = Dataset(schema, [*regions.T, np.where(positive, 0, 1)])
    rules = [Rule((RuleCondition(region, values=(1,)),), 0) for region in range(3)]
    return data, put_together(schema, rules, 1)


def test_the_accuracy_of_r3_after_r1_hangs_on_what_is_removed() -> None:
    data, rules = figure_5_4()

    def of_r3(kept: np.ndarray) -> float:
        covered = RuleMatcher(rules).counted(data.take(kept)).covered[2]
        return float(covered[0] / covered.sum())

    first = RuleMatcher(rules).first(data)
    in_r1, positive = first == 0, data.class_codes == 0
    everything = np.ones(50, dtype=bool)
    assert of_r3(everything) == pytest.approx(0.667, abs=0.0005)
    assert of_r3(~(in_r1 & positive)) == pytest.approx(0.60)
    assert of_r3(~(in_r1 & ~positive)) == pytest.approx(0.80)
    assert of_r3(~in_r1) == pytest.approx(0.75)
    r2 = RuleMatcher(rules).counted(data).covered[1]
    assert r2[0] / r2.sum() == pytest.approx(0.70)


def test_r1_with_r3_is_better_than_with_r2() -> None:
    data, rules = figure_5_4()
    covered = RuleMatcher(rules).counted(data).covered
    assert covered.tolist() == [[12, 3], [7, 3], [8, 4]]
    for other, right, total in ((2, 18, 23), (1, 19, 25)):
        pair = put_together(data.schema, [Rule((RuleCondition(i, values=(1,)),), 0) for i in (0, other)], 1)
        decided = RuleMatcher(pair).counted(data).decided
        assert (decided[:, 0].sum(), decided.sum()) == (right, total)


def test_what_a_list_decides_is_what_both_kinds_removed_leave() -> None:
    data, rules = figure_5_4()
    turned = put_together(data.schema, [Rule((RuleCondition(i, values=(1,)),), 0) for i in (0, 2, 1)], 1)
    decided = RuleMatcher(replace(turned)).counted(data).decided
    assert decided[1].tolist() == [6, 2]
    assert RuleMatcher(rules).counted(data).decided[1].tolist() == [7, 3]


def said(rules: RuleSet) -> list[str]:
    return [rule_words(rules, rule) for rule in [*range(rules.n_rules), DEFAULT_RULE]]


def three_questions() -> Dataset:
    """The vertebrates with what Figure 5.6 asks about, and the class."""
    data = sample("vertebrates")
    names = ("Gives Birth", "Aquatic Creature", "Aerial Creature", data.schema.class_attribute.name)
    return data.select_columns([data.schema.index_of(name) for name in names])


FIGURE_5_6 = (
    wording.rule(wording.both(wording.equals("Gives Birth", "no"), wording.equals("Aerial Creature", "yes")), "Birds"),
    wording.rule(
        wording.both(wording.equals("Gives Birth", "no"), wording.equals("Aquatic Creature", "yes")), "Fishes"
    ),
    wording.rule(
        wording.both(
            wording.both(wording.equals("Gives Birth", "no"), wording.equals("Aquatic Creature", "no")),
            wording.equals("Aerial Creature", "no"),
        ),
        "Reptiles",
    ),
    wording.rule(wording.equals("Gives Birth", "yes"), "Mammals"),
)


def learned_from_three_questions(class_order: str) -> tuple[RuleModel, Dataset]:
    data = three_questions()
    learner = TreeRules(base=C45(min_leaf=1), form="simplified", class_order=class_order)
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, RuleModel)
    return model, data


@pytest.mark.parametrize("class_order", ["description-length", "false-positives"])
def test_the_rules_of_figure_5_6_come_from_a_pruned_tree(class_order: str) -> None:
    """The figure ends with all others being amphibians: what is left are those that live half in the water."""
    model, _ = learned_from_three_questions(class_order)
    assert set(said(model.rules)[:-1]) == {
        *FIGURE_5_6,
        wording.rule(wording.equals("Aquatic Creature", "semi"), "Amphibians"),
    }


def test_the_rules_of_figure_5_6_say_the_same_of_every_animal_there_can_be() -> None:
    model, data = learned_from_three_questions("false-positives")
    for cells in product(("no", "yes"), ("no", "yes", "semi"), ("no", "yes")):
        record = data.take([0])
        for column, label in enumerate(cells):
            record = record.with_cells(column, [0], [data.schema.attributes[column].code_of(label)])
        born, water, air = cells
        figure = "Birds" if born == "no" and air == "yes" else "Fishes" if born == "no" and water == "yes" else ""
        figure = figure or ("Mammals" if born == "yes" else "Reptiles" if water == "no" else "Amphibians")
        assert data.schema.classes[int(model.predict(record)[0])] == figure, cells


def example_5_2() -> Dataset:
    """Records of which those are positive that have Q, or P but not R, as many as make a tree ask for P, Q and R."""
    kinds = {
        (0, 0, 0): 10,
        (0, 0, 1): 10,
        (0, 1, 0): 2,
        (0, 1, 1): 2,
        (1, 0, 0): 10,
        (1, 0, 1): 2,
        (1, 1, 0): 2,
        (1, 1, 1): 2,
    }
    records = np.array([kind for kind, times in kinds.items() for _ in range(times)])
    positive = (records[:, 1] == 1) | ((records[:, 0] == 1) & (records[:, 2] == 0))
    questions = [nominal(name, ("No", "Yes")) for name in "PQR"]
    schema = Schema((*questions, nominal("class", ("+", "-"))), 3)
    return Dataset(schema, [*records.T, np.where(positive, 0, 1)])


def test_the_simplification_of_example_5_2() -> None:
    data = example_5_2()
    as_grown = TreeRules(base=C45(pruning="none")).fit(data, RunContext(seed=1)).structure()
    assert isinstance(as_grown, RuleSet)
    assert [words for words in said(as_grown) if words.startswith("if") and words.endswith("then +")] == [
        wording.rule(wording.both(wording.equals("P", "No"), wording.equals("Q", "Yes")), "+"),
        wording.rule(wording.both(wording.equals("P", "Yes"), wording.equals("R", "No")), "+"),
        wording.rule(
            wording.both(
                wording.both(wording.equals("P", "Yes"), wording.equals("R", "Yes")), wording.equals("Q", "Yes")
            ),
            "+",
        ),
    ]
    shorter = C45Rules().fit(data, RunContext(seed=1)).structure()
    assert isinstance(shorter, RuleSet)
    assert sorted(words for words in said(shorter) if words.endswith("then +")) == [
        wording.rule(wording.both(wording.equals("P", "Yes"), wording.equals("R", "No")), "+"),
        wording.rule(wording.equals("Q", "Yes"), "+"),
    ]
