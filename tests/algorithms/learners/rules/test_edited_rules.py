"""Rules edited by hand: plain data, replayed on any rules of the same learner."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import ParameterError, UnknownIdError
from algorithms.core.model_editing import EditsApplied, ModelEdits, edits_from, edits_to_text
from algorithms.core.run_control import RunContext
from algorithms.data.schema import Schema
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import judge_edited
from algorithms.learners.rules.edited_rules import (
    EditedCondition,
    EditedRules,
    RuleChange,
    RuleEdit,
    RuleName,
    asked_of,
    changed,
    name_in,
    place_of,
    rules_listed,
)
from algorithms.learners.rules.model import RuleMatcher
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.project.changes import hand_edited_from_json, hand_edited_to_json
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording

IRIS = sample("iris")


def found() -> RuleSet:
    rules = Ripper().fit(IRIS, RunContext(seed=1)).structure()
    assert isinstance(rules, RuleSet)
    return rules


def listed() -> list[Rule]:
    return rules_listed(found())


def fit(*edits: RuleEdit, base: Ripper | SequentialCovering | None = None) -> RuleSet:
    learner = EditedRules(base=base or Ripper(), edits=edits)
    rules = learner.fit(IRIS, RunContext(seed=1)).structure()
    assert isinstance(rules, RuleSet)
    return rules


def name_at(schema: Schema, rules: Sequence[Rule], place: int) -> RuleName:
    """The name of a rule, by comparing it with all rules before it."""
    names = [
        RuleName(schema.classes[rule.decision], tuple(asked_of(schema, condition) for condition in rule.conditions))
        for rule in rules[: place + 1]
    ]
    return replace(names[-1], nth=sum(earlier.way == names[-1].way for earlier in names[:-1]))


def name(place: int) -> RuleName:
    return name_at(IRIS.schema, listed(), place)


def every_edit() -> tuple[RuleEdit, ...]:
    second = name(1)
    new = RuleName(
        "virginica",
        (EditedCondition("Petal Width", 1.7, None, True), EditedCondition("Petal Length", 5.0, 6.5, missing=True)),
    )
    return (
        RuleEdit(RuleChange.WRITE, new=new, before=name(0)),
        RuleEdit(RuleChange.DROP, second, second.conditions[0], said="rule 2"),
        RuleEdit(
            RuleChange.SET, name(0), name(0).conditions[0], EditedCondition("Petal Length", high=2.5), said="rule 1"
        ),
        RuleEdit(RuleChange.SET, name(0), None, EditedCondition("Sepal Width", low=1.0), said="rule 1"),
        RuleEdit(RuleChange.MOVE, second, before=name(0), said="rule 2"),
        RuleEdit(RuleChange.REMOVE, second, said="rule 2"),
    )


def test_no_edit_is_the_base_itself() -> None:
    plain, edited = found(), fit()
    assert all(np.array_equal(plain.arrays()[key], edited.arrays()[key], equal_nan=True) for key in plain.arrays())


def test_each_change_does_what_it_says() -> None:
    rules, schema = listed(), IRIS.schema
    write, drop, change, add, move, remove = every_edit()
    written = changed(schema, rules, write)
    assert written is not None and written[1:] == rules
    assert asked_of(schema, written[0].conditions[1]) == EditedCondition("Petal Length", 5.0, 6.5, missing=True)
    dropped = changed(schema, rules, drop)
    assert dropped is not None and dropped[1].conditions == rules[1].conditions[1:]
    other = changed(schema, rules, change)
    assert other is not None and other[0].conditions[0].high == 2.5
    more = changed(schema, rules, add)
    assert more is not None and len(more[0].conditions) == len(rules[0].conditions) + 1
    assert changed(schema, rules, move) == [rules[1], rules[0], *rules[2:]]
    assert changed(schema, rules, remove) == [rules[0], *rules[2:]]


def test_what_no_rule_covers_can_be_decided_for_another_class() -> None:
    plain = found()
    other = next(label for label in IRIS.schema.classes if label != IRIS.schema.classes[plain.default_decision])
    edit = RuleEdit(RuleChange.OTHERWISE, new=RuleName(other, ()), said="the default rule")
    rules = fit(edit, RuleEdit(RuleChange.REMOVE, name(0), said="rule 1"))
    assert IRIS.schema.classes[rules.default_decision] == other
    assert rules.n_rules == plain.n_rules - 1
    assert edit.words() == wording.undo_default_class(other)
    assert edits_from(RuleEdit, edits_to_text((edit,))) == (edit,)
    nowhere = RuleEdit(RuleChange.OTHERWISE, new=RuleName("rose", ()), said="the default rule")
    assert changed(IRIS.schema, listed(), nowhere) is None
    assert fit(nowhere).default_decision == plain.default_decision


def test_a_change_is_left_out_where_there_is_no_such_rule() -> None:
    rules, schema = listed(), IRIS.schema
    stranger = RuleName("setosa", (EditedCondition("Sepal Length", high=1.0), EditedCondition("Sepal Width", high=1.0)))
    for edit in (
        RuleEdit(RuleChange.REMOVE, stranger),
        RuleEdit(RuleChange.MOVE, name(0), before=stranger),
        RuleEdit(RuleChange.DROP, name(0), EditedCondition("Sepal Width", low=3.0)),
        RuleEdit(RuleChange.SET, name(0), name(0).conditions[0], EditedCondition("no such column", high=1.0)),
        RuleEdit(RuleChange.WRITE, new=RuleName("no such class", ())),
    ):
        assert changed(schema, rules, edit) is None
    heard: list[object] = []
    learner = EditedRules(edits=(RuleEdit(RuleChange.REMOVE, stranger), every_edit()[5]))
    learner.fit(IRIS, RunContext(seed=1, listener=heard.append))
    assert EditsApplied((False, True)) in heard


def test_a_rule_is_found_again_by_what_it_says_whatever_its_numbers() -> None:
    rules, schema = listed(), IRIS.schema
    moved = changed(schema, rules, every_edit()[2])
    assert moved is not None
    assert place_of(schema, moved, name(0)) == 0
    twice = [*rules, rules[0]]
    assert place_of(schema, twice, name_at(schema, twice, len(rules))) == len(rules)
    whole = put_together(schema, [*twice, rules[1], rules[0]], 0)
    for place in range(whole.n_rules):
        assert name_in(whole, place) == name_at(schema, rules_listed(whole), place)


def test_edited_rules_are_counted_anew_and_keep_their_classes() -> None:
    rules = fit(
        RuleEdit(
            RuleChange.WRITE, new=RuleName("virginica", (EditedCondition("Petal Length", high=1.9),)), before=name(0)
        )
    )
    assert rules.schema.classes[int(rules.decision[0])] == "virginica"
    assert rules.decided[0].sum() == 50 and rules.decided[1].sum() == 0
    counted = RuleMatcher(rules).counted(IRIS)
    assert np.array_equal(counted.decided, rules.decided)
    assert np.array_equal(counted.default_counts, rules.default_counts)


def test_rules_that_vote_get_votes_as_their_learner_gives_them() -> None:
    base = SequentialCovering(order="unordered")
    plain = base.fit(IRIS, RunContext(seed=1)).structure()
    assert isinstance(plain, RuleSet)
    gone = fit(RuleEdit(RuleChange.REMOVE, name_at(IRIS.schema, rules_listed(plain), 0)), base=base)
    assert np.allclose(gone.votes, plain.votes[1:])


def test_edits_are_plain_text_and_nonsense_is_refused() -> None:
    text = edits_to_text(every_edit())
    assert edits_from(RuleEdit, text) == every_edit()
    made = (ModelEdits(3, 1, every_edit()), ModelEdits(4, 2, ()))
    assert hand_edited_from_json(json.loads(json.dumps(hand_edited_to_json(made))), builtin()) == made
    for nonsense in ('{"do": 1}', '[{"do": "fly", "said": ""}]', "[[]]", "{", '[{"do": "set", "said": "", "at": {}}]'):
        with pytest.raises(ParameterError):
            edits_from(RuleEdit, nonsense)
    with pytest.raises(UnknownIdError):
        hand_edited_from_json([{"run": 1, "origin": 1, "edits": "[]", "kind": "forest"}], builtin())


def test_it_is_judged_in_each_fold_and_says_how_often_the_change_could_be_made() -> None:
    learner = EditedRules(edits=(RuleEdit(RuleChange.REMOVE, name(0), said="rule 1"),))
    result = judge_edited(learner, IRIS, CrossValidation(folds=5), RunContext(seed=1))
    assert len(result.decision) == 150
    said = next(warning for warning in result.warnings if wording.EDITED_BY_HAND in warning)
    assert wording.EACH_RULES_CHANGED in said


@pytest.mark.parametrize(
    ("nth", "words"),
    [
        (0, wording.EDIT_WRITES_RULE),
        (2, wording.EDIT_CHANGES_CONDITION),
        (3, wording.EDIT_ADDS_CONDITION),
        (4, wording.EDIT_MOVES_RULE),
        (5, wording.remove_rule(2)),
    ],
)
def test_changes_are_named_in_words(nth: int, words: str) -> None:
    assert every_edit()[nth].words() == words


def test_of_two_conditions_that_ask_alike_the_one_that_is_meant_is_changed() -> None:
    conditions = (RuleCondition(2, high=3.0), RuleCondition(2, high=5.0))
    first, second = (asked_of(IRIS.schema, condition) for condition in conditions)
    rule = Rule(conditions, 0)
    at = name_at(IRIS.schema, [rule], 0)
    for part, left in ((first, conditions[1]), (second, conditions[0])):
        found = changed(IRIS.schema, [rule], RuleEdit(RuleChange.DROP, at, part))
        assert found is not None and found[0].conditions == (left,)
    elsewhere = EditedCondition(first.attribute, high=4.0)
    found = changed(IRIS.schema, [rule], RuleEdit(RuleChange.DROP, at, elsewhere))
    assert found is not None and found[0].conditions == (conditions[1],)
