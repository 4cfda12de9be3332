"""Rules as a table, a row each, for spreadsheets."""

from __future__ import annotations

import numpy as np

from algorithms.core.data import Dataset
from algorithms.core.rule_set import DEFAULT_RULE, RuleSet
from algorithms.core.schema import Attribute, Kind, Schema, free_name, nominal, numeric
from algorithms.rules.words import if_words, name_of


def rules_as_table(rules: RuleSet) -> Dataset:
    """Of each rule, the default one last: its place, conditions and class, the weight of the training records that it
    covers, decides and is right about, the share of those, and of each class what it decides."""
    every = [*range(rules.n_rules), DEFAULT_RULE]
    decided = np.array([rules.decided_by(rule) for rule in every])
    said = np.array([rules.decision_of(rule) for rule in every])
    covered = np.append(rules.covered.sum(axis=1), rules.default_counts.sum())
    total, right = decided.sum(axis=1), decided[np.arange(len(every)), said]
    share = np.divide(right, total, out=np.full(len(every), np.nan), where=total > 0)
    heads = ["rule", "if", "then", "covers", "decides", "right", "share right"]
    attributes = [Attribute("rule", Kind.TEXT), Attribute("if", Kind.TEXT), nominal("then", rules.schema.classes)]
    attributes += [numeric(name) for name in heads[3:]]
    for label in rules.schema.classes:
        heads.append(free_name(f"decides {label}", heads))
        attributes.append(numeric(heads[-1]))
    places = np.array([name_of(rule) if rule == DEFAULT_RULE else str(rule + 1) for rule in every], dtype=object)
    conditions = np.array([if_words(rules, rule, at_most=10_000) for rule in every], dtype=object)
    numbers = [covered, total, right, share, *decided.T]
    columns = [places, conditions, said, *(np.asarray(each, dtype=np.float64) for each in numbers)]
    return Dataset(Schema(tuple(attributes)), columns)
