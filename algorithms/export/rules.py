"""Rules for other programs: as lines of text, as one SQL query, as a Python module, as PMML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from sys import float_info
from typing import Final

from algorithms.core.rule_set import DEFAULT_RULE, RuleSet
from algorithms.core.schema import Attribute
from algorithms.core.trained import TrainedClassifier
from algorithms.export.as_python import LABEL_READER, NUMBER_READERS, as_tuple, comment
from algorithms.export.as_sql import DIALECT, PREDICTED, compared, filled, quoted_name, quoted_text
from algorithms.export.rules_divided import IN_PARTS, in_parts_sql, met_sql
from algorithms.export.rules_pmml import RulesWriter
from algorithms.export.rules_votes import voted
from algorithms.export.subject import amount, recipe_of
from algorithms.rules.words import if_words

GiveWay = Callable[[], None]
BREATH = 100
_NEVER: Final = "1 = 0"


@dataclass(frozen=True, eq=False)
class RuleSubject:
    """Trained rules; see :class:`algorithms.export.subject.Subject` for the rest."""

    trained: TrainedClassifier
    rules: RuleSet
    fills: dict[str, float | str]
    cuts: dict[str, tuple[float, ...]]
    fills_of_ranges: dict[str, str]

    def raw(self, attribute: Attribute) -> Attribute:
        """The column as the raw data has it."""
        schema = self.trained.input_schema
        return schema.attributes[schema.index_of(attribute.name)]

    @property
    def classes(self) -> tuple[str, ...]:
        return self.rules.schema.classes

    @property
    def class_name(self) -> str:
        return self.target.name

    @property
    def target(self) -> Attribute:
        """The class attribute."""
        return self.rules.schema.class_attribute

    @property
    def used(self) -> tuple[Attribute, ...]:
        """The columns that the rules ask for."""
        return tuple(self.rules.schema.attributes[index] for index in self.rules.asked)

    def heading(self) -> list[str]:
        """What it is, in lines of plain words for a comment."""
        trained, rules = self.trained, self.rules
        read = "the first that fires decides" if rules.is_ordered else "all that fire vote"
        n = float(rules.decided.sum() + rules.default_counts.sum()) if rules.is_ordered else None
        records = "" if n is None else f", {amount(n)} records"
        lines = [
            f"Rules for {rules.schema.class_attribute.name}, written by Coppice.",
            f"Learned by: {trained.learner.summary()}.",
            f"From: {trained.data_name or 'a table'}{records}"
            + (f", on {trained.created[:10]}." if trained.created else "."),
            f"Size: {rules.n_rules} rules, {rules.n_conditions} conditions; {read}.",
        ]
        lines += [f"Filled in: {name} is {fill} where it is missing." for name, fill in self.fills.items()]
        lines += [f"Cut into ranges: {name}." for name in self.cuts]
        lines += [f"Done to the data before: {mark}" for mark in trained.marks]
        if rules.divides:
            return [
                *lines,
                "A record without a value meets a condition in part: by the share that stands with the rule.",
                "Each rule decides its part of what the rules before it left; shares of classes add up by these parts.",
            ]
        return [*lines, "A value that is missing fails every condition that does not say otherwise."]

    def record_words(self, rule: int) -> str:
        """How many training records a rule decides, and how many of them are right."""
        counts = self.rules.decided_by(rule)
        total, right = float(counts.sum()), float(counts[self.rules.decision_of(rule)])
        return f"right for {amount(right)} of {amount(total)}" if total > 0 else "decides no training record"


def rules_exported(trained: TrainedClassifier, rules: RuleSet, id: str, give_way: GiveWay = lambda: None) -> str:
    """Trained rules in the format with this id; raises :class:`DataError` where they cannot be written so.

    That is a name that XML cannot hold, or too many rules that vote for a query.
    """
    subject = RuleSubject(trained, rules, *recipe_of(trained))
    if id == "text":
        return _as_text(subject, give_way)
    if id == "python":
        return _as_python(subject, give_way)
    if id == "sql":
        return _as_sql(subject, give_way)
    return RulesWriter(subject, give_way).written()


def _as_text(subject: RuleSubject, give_way: GiveWay) -> str:
    lines, rules = [*subject.heading(), ""], subject.rules
    for rule in (*range(rules.n_rules), DEFAULT_RULE):
        if rule % BREATH == 0:
            give_way()
        said = rules.schema.classes[rules.decision_of(rule)]
        words = " ".join(if_words(rules, rule, at_most=10_000).split())
        start = "" if rule == DEFAULT_RULE else f"{rule + 1}. if "
        lines.append(f"{start}{words}{':' if rule == DEFAULT_RULE else ' then'} {said} ({subject.record_words(rule)})")
        lines += [f"   (missing: {shares})" for shares in _share_words(rules, rule)]
    return "\n".join([*lines, ""])


def _share_words(rules: RuleSet, rule: int) -> list[str]:
    """Which part of a record without a value meets each condition of a rule that divides, as one line or none."""
    if not rules.divides:
        return []
    shares = [
        f"{rules.schema.attributes[int(rules.attribute[c])].name} {100 * float(rules.missing_share[c]):.1f}%"
        for c in rules.conditions(rule)
        if rules.missing_share[c] > 0
    ]
    return [" ".join(", ".join(shares).split())] if shares else []


# ---- SQL -------------------------------------------------------------------------------------------------------------


def _as_sql(subject: RuleSubject, give_way: GiveWay, table: str = "data") -> str:
    rules = subject.rules
    lines = [f"-- {comment(line)}" for line in subject.heading()]
    lines += [
        DIALECT,
        f"-- The table is called {quoted_name(table)} here, and NULL is a missing value.",
        f'-- The query returns its columns and the predicted class as "{PREDICTED}".',
    ]
    name = quoted_name(table)
    start, end = "SELECT\n  t.*,\n  ", f" AS {quoted_name(PREDICTED)}\nFROM {name} AS t;\n"
    whens = [
        " AND ".join(_sql_condition(subject, c) for c in rules.conditions(rule)) or "1 = 1"
        for rule in range(rules.n_rules)
    ]
    if not rules.is_ordered:
        return "\n".join([*lines, f"{start}{voted(subject, whens, give_way)}{end}"])
    cases = []
    for rule, conditions in enumerate(whens):
        if rule % BREATH == 0:
            give_way()
        said = quoted_text(rules.schema.classes[rules.decision_of(rule)])
        cases.append(f"    WHEN {conditions} THEN {said}  -- {subject.record_words(rule)}")
    last = quoted_text(rules.schema.classes[rules.default_decision])
    decision = "\n".join(["CASE", *cases, f"    ELSE {last}", "  END"]) if cases else last
    if rules.divides:
        met = [met_sql([_sql_parts(subject, c) for c in rules.conditions(rule)]) for rule in range(rules.n_rules)]
        lacking = dict.fromkeys(_sql_parts(subject, c)[1] for c in range(rules.n_conditions))
        decision = in_parts_sql(rules, decision, list(lacking), met)
    return "\n".join([*lines, f"{start}{decision}{end}"])


def _sql_condition(subject: RuleSubject, c: int) -> str:
    known, unknown, _ = _sql_parts(subject, c)
    if not subject.rules.takes_missing[c]:
        return known
    return f"({known} OR {unknown})" if known != _NEVER else unknown


def _sql_parts(subject: RuleSubject, c: int) -> tuple[str, str, float]:
    """When a condition is met, when its value is missing, and the part of such a record that meets it."""
    rules = subject.rules
    attribute = rules.schema.attributes[int(rules.attribute[c])]
    column = filled(subject, attribute)
    share = 1.0 if rules.takes_missing[c] else float(rules.missing_share[c]) if rules.divides else 0.0
    if rules.is_numeric(c):
        known, unknown = _sql_range(rules, c, column), f"{column} IS NULL"
    else:
        labels = ", ".join(quoted_text(attribute.values[code]) for code in rules.values_of(c))
        every = ", ".join(quoted_text(label) for label in attribute.values)
        known, unknown = f"{column} IN ({labels})" if labels else "", f"({column} IS NULL OR {column} NOT IN ({every}))"
    return known or _NEVER, unknown, share


def _sql_range(rules: RuleSet, c: int, column: str) -> str:
    """The numbers that meet a condition; empty where none does."""
    low, high, is_open = float(rules.low[c]), float(rules.high[c]), bool(rules.low_is_open[c])
    if low > high:
        return ""
    parts = []
    if is_open:
        parts.append(compared(column, ">", low))
    elif low > -inf:
        parts.append(f"{column} >= {low!r}" if isfinite(low) else f"{column} > {float_info.max!r}")
    if high < inf:
        parts.append(compared(column, "<=", high))
    return f"({' AND '.join(parts)})" if len(parts) > 1 else parts[0] if parts else f"{column} IS NOT NULL"


# ---- Python ----------------------------------------------------------------------------------------------------------

_FRAME = '''
from bisect import bisect_right
from math import inf

CLASSES = {classes}


def predict(record):
    """The class of a record: a mapping from column names to values. None, nan, "" and "?" are missing values."""
    return predict_with_probabilities(record)[0]


def predict_with_probabilities(record):
    """The class of a record, and the probability of each class by its name."""
{body}


{numbers}

{labels}

def _between(value, low, is_open, high, missing):
    """Whether a number lies in a range; ``missing`` where it is missing."""
    if value is None:
        return missing
    return (value > low if is_open else value >= low) and value <= high


def _among(value, labels, missing):
    """Whether a label is one of several; ``missing`` where it is missing."""
    return missing if value is None else value in labels

'''
_FIRST = """    for conditions, decision, probabilities in RULES:
        if conditions(record):
            return CLASSES[decision], dict(zip(CLASSES, probabilities))
    decision, probabilities = DEFAULT
    return CLASSES[decision], dict(zip(CLASSES, probabilities))"""
_VOTES = """    sums = [0.0] * len(CLASSES)
    for conditions, _, votes in RULES:
        if conditions(record):
            sums = [each + vote for each, vote in zip(sums, votes)]
    total = sum(sums)
    shares = [each / total for each in sums] if total > 0 else DEFAULT[1]
    return CLASSES[shares.index(max(shares))], dict(zip(CLASSES, shares))"""


def _as_python(subject: RuleSubject, give_way: GiveWay) -> str:
    rules = subject.rules
    lines = [f"# {comment(line)}" for line in subject.heading()]
    body = _FIRST if rules.is_ordered else _VOTES
    if rules.divides:
        body = IN_PARTS.format(correction=rules.correction)
    frame = _FRAME.format(
        classes=repr(tuple(rules.schema.classes)), body=body, numbers=NUMBER_READERS, labels=LABEL_READER
    )
    lines.append(frame)
    said = rules.evidence() if rules.divides else rules.probabilities()
    items, functions = [], list[str]()
    for rule in range(rules.n_rules):
        if rule % BREATH == 0:
            give_way()
        tests = [_python_condition(subject, c) for c in rules.conditions(rule)] or ["True"]
        functions += [
            f"def _rule_{rule + 1}(record):",
            f"    # {comment(if_words(rules, rule))}: {comment(rules.schema.classes[rules.decision_of(rule)])},"
            f" {subject.record_words(rule)}",
            *_python_body(tests, rules.divides),
            "",
            "",
        ]
        numbers = (said if rules.is_ordered else rules.votes)[rule].tolist()
        items.append(f"    (_rule_{rule + 1}, {int(rules.decision[rule])}, {tuple(numbers)!r}),")
    last = f"DEFAULT = {(rules.default_decision, tuple(said[DEFAULT_RULE].tolist()))!r}"
    return "\n".join([*lines, *functions, "RULES = (", *items, ")", last, ""])


def _python_body(tests: list[str], divides: bool) -> list[str]:
    """The lines of a rule's function: whether all conditions are met, or which part meets them."""
    if divides:
        return [f"    return {' * '.join(tests)}", ""]
    return [*(f"    if not {test}:\n        return False" for test in tests), "    return True", ""]


def _python_condition(subject: RuleSubject, c: int) -> str:
    rules = subject.rules
    attribute = rules.schema.attributes[int(rules.attribute[c])]
    name, missing = attribute.name, repr(bool(rules.takes_missing[c]))
    if rules.divides and not rules.takes_missing[c]:
        missing = repr(float(rules.missing_share[c]))
    fill = subject.fills.get(name)
    if rules.is_numeric(c):
        low, high, is_open = float(rules.low[c]), float(rules.high[c]), bool(rules.low_is_open[c])
        return f"_between(_number(record, {name!r}, {fill!r}), {low!r}, {is_open}, {high!r}, {missing})"
    labels = as_tuple(tuple(attribute.values[code] for code in rules.values_of(c)))
    if name in subject.cuts:
        instead = subject.fills_of_ranges.get(name)
        every = as_tuple(attribute.values)
        value = f"_range(record, {name!r}, {subject.cuts[name]!r}, {every}, {fill!r}, {instead!r})"
        return f"_among({value}, {labels}, {missing})"
    known = as_tuple(subject.raw(attribute).values)
    return f"_among(_label(record, {name!r}, {known}, {fill!r}), {labels}, {missing})"
