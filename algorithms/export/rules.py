"""Export of rules as text, SQL, Python and PMML 4.4, including votes and divided records.

For divided records see :mod:`algorithms.learners.rules.model`: each rule decides the share of a record that satisfies
its conditions, out of what earlier rules left. The class shares of the rules are added with these weights.

JPMML and PMML4S evaluate the PMML document (Data Mining Group, pmml.org) as this program does. Neither computes class
probabilities for a ``RuleSetModel``. So a decision list is a ``TreeModel`` of one level, in which the first child whose
predicate is true decides. Rules that vote are a ``RegressionModel`` over the firing rules. A condition on a missing
value is false. A list that divides records with missing values is a ``MiningModel``: the list for complete records, and
for others a ``RegressionModel`` over the share that each rule decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, isqrt
from sys import float_info
from typing import Final

from algorithms.core.errors import DataError
from algorithms.data.schema import Attribute
from algorithms.export.model_view import ExportSubject, GiveWay, amount, largest_of, with_breaks
from algorithms.export.pmml import (
    Element,
    PmmlWriter,
    apply,
    compound,
    constant,
    derived,
    element,
    field_ref,
    folded,
    free_name,
    is_between,
    is_one_of,
    number_text,
    one_of,
    simple,
    sub,
    write_weighted_shares,
)
from algorithms.export.tree_code import (
    LABEL_READER,
    NUMBER_READERS,
    Query,
    added,
    as_tuple,
    choice_by_sums,
    comment,
    compared,
    filled,
    label_value,
    predicting,
    quoted_text,
)
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet, if_words

_NEVER: Final = "1 = 0"


@dataclass(frozen=True, eq=False)
class RuleSubject(ExportSubject[RuleSet]):
    """A rule set prepared for export."""

    kind, models, title = RuleSet, ("rules",), "Rules"

    @property
    def rules(self) -> RuleSet:
        return self.structure

    @property
    def used(self) -> tuple[Attribute, ...]:
        return tuple(self.rules.schema.attributes[index] for index in self.rules.asked)

    @property
    def n_records(self) -> float | None:
        rules = self.rules
        return float(rules.decided.sum() + rules.default_counts.sum()) if rules.is_ordered else None

    @cached_property
    def decisions(self) -> list[int]:
        """The class code of each rule and, last, the default rule, by the decision rule unless the rules vote."""
        rules = self.rules
        own = [rules.decision_of(rule) for rule in (*range(rules.n_rules), DEFAULT_RULE)]
        return self.rule.codes(rules.probabilities(), own) if self.rule is not None and rules.is_ordered else own

    def decision(self, rule: int) -> str:
        return self.classes[self.decisions[rule]]

    def size_words(self) -> list[str]:
        read = "the first that fires decides" if self.rules.is_ordered else "all that fire vote"
        return [f"Size: {self.rules.n_rules} rules, {self.rules.n_conditions} conditions; {read}."]

    def missing_words(self) -> list[str]:
        if self.rules.divides:
            return [
                "A record with a missing value meets a condition in part: by the share that stands with the rule.",
                "Each rule decides its part of what earlier rules left; class shares add up by these parts.",
            ]
        return ["A missing value fails every condition unless it is listed there."]

    def record_words(self, rule: int) -> str:
        """The numbers of training records that a rule decides and decides correctly, in words."""
        counts = self.rules.decided_by(rule)
        total, right = float(counts.sum()), float(counts[self.rules.decision_of(rule)])
        return f"{amount(right)} of {amount(total)} correct" if total > 0 else "decides no training record"


def rules_as_text(subject: RuleSubject, give_way: GiveWay) -> str:
    """The rules as lines of text, with the number of records that each decides."""
    lines, rules = [*subject.heading(), ""], subject.rules
    for rule in with_breaks((*range(rules.n_rules), DEFAULT_RULE), give_way):
        label = subject.decision(rule)
        words = " ".join(if_words(rules, rule, at_most=10_000).split())
        start = "" if rule == DEFAULT_RULE else f"{rule + 1}. if "
        lines.append(f"{start}{words}{':' if rule == DEFAULT_RULE else ' then'} {label} ({subject.record_words(rule)})")
        lines += [f"   (missing: {shares})" for shares in _share_words(rules, rule)]
    return "\n".join([*lines, ""])


def _share_words(rules: RuleSet, rule: int) -> list[str]:
    """The share of a record with a missing value that satisfies each condition of a rule, as one line or none."""
    if not rules.divides:
        return []
    shares = [
        f"{rules.schema.attributes[int(rules.attribute[c])].name} {100 * float(rules.missing_share[c]):.1f}%"
        for c in rules.conditions(rule)
        if rules.missing_share[c] > 0
    ]
    return [" ".join(", ".join(shares).split())] if shares else []


# ---- SQL -------------------------------------------------------------------------------------------------------------


def rules_as_sql(subject: RuleSubject, give_way: GiveWay) -> Query:
    """The query; raises :class:`DataError` if too many rules vote."""
    rules = subject.rules
    whens = [
        " AND ".join(_sql_condition(subject, c) for c in rules.conditions(rule)) or "1 = 1"
        for rule in range(rules.n_rules)
    ]
    last = quoted_text(subject.decision(DEFAULT_RULE))
    if not rules.n_rules:
        return Query(subject, lambda _: last)
    if not rules.is_ordered:
        return voted(subject, whens, give_way)
    cases = []
    for rule, conditions in with_breaks(enumerate(whens), give_way):
        label = quoted_text(subject.decision(rule))
        cases.append(f"    WHEN {conditions} THEN {label}  -- {subject.record_words(rule)}")
    decision = "\n".join(["CASE", *cases, f"    ELSE {last}", "  END"])
    if not rules.divides:
        return Query(subject, lambda _: decision)
    met = [met_sql([_sql_parts(subject, c) for c in rules.conditions(rule)]) for rule in range(rules.n_rules)]
    lacking = dict.fromkeys(_sql_parts(subject, c)[1] for c in range(rules.n_conditions))
    return in_parts_sql(subject, decision, list(lacking), met)


def _sql_condition(subject: RuleSubject, c: int) -> str:
    holds, is_missing, _ = _sql_parts(subject, c)
    if not subject.rules.takes_missing[c]:
        return holds
    return f"({holds} OR {is_missing})" if holds != _NEVER else is_missing


def _sql_parts(subject: RuleSubject, c: int) -> tuple[str, str, float]:
    """The SQL conditions that a rule condition holds, that its value is missing, and the share in the latter case."""
    rules = subject.rules
    attribute = rules.schema.attributes[int(rules.attribute[c])]
    column = filled(subject, attribute)
    share = 1.0 if rules.takes_missing[c] else float(rules.missing_share[c]) if rules.divides else 0.0
    if rules.is_numeric(c):
        holds, is_missing = _sql_range(rules, c, column), f"{column} IS NULL"
    else:
        labels = ", ".join(quoted_text(attribute.values[code]) for code in rules.values_of(c))
        every = ", ".join(quoted_text(label) for label in attribute.values)
        holds = f"{column} IN ({labels})" if labels else ""
        is_missing = f"({column} IS NULL OR {column} NOT IN ({every}))"
    return holds or _NEVER, is_missing, share


def _sql_range(rules: RuleSet, c: int, column: str) -> str:
    """The SQL condition on the numbers that satisfy a rule condition; empty if none do."""
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


{predict}
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
    code = shares.index(max(shares)) if total > 0 else DEFAULT[0]
    return CLASSES[code], dict(zip(CLASSES, shares))"""


def rules_as_python(subject: RuleSubject, give_way: GiveWay) -> str:
    """A Python module with a function for each rule."""
    rules = subject.rules
    lines = [f"# {comment(line)}" for line in subject.heading()]
    body = _FIRST if rules.is_ordered else _VOTES
    if rules.divides:
        body = IN_PARTS.format(correction=rules.correction)
    frame = _FRAME.format(
        classes=repr(tuple(rules.schema.classes)),
        body=body,
        predict=predicting(subject.rule),
        numbers=NUMBER_READERS,
        labels=LABEL_READER,
    )
    lines.append(frame)
    class_values = rules.evidence() if rules.divides else rules.probabilities()
    items, functions = [], list[str]()
    for rule in with_breaks(range(rules.n_rules), give_way):
        tests = [_python_condition(subject, c) for c in rules.conditions(rule)] or ["True"]
        functions += [
            f"def _rule_{rule + 1}(record):",
            f"    # {comment(if_words(rules, rule))}: {comment(rules.schema.classes[rules.decision_of(rule)])},"
            f" {subject.record_words(rule)}",
            *_python_body(tests, rules.divides),
            "",
            "",
        ]
        numbers = (class_values if rules.is_ordered else rules.votes)[rule].tolist()
        items.append(f"    (_rule_{rule + 1}, {int(rules.decision[rule])}, {tuple(numbers)!r}),")
    last = f"DEFAULT = {(rules.default_decision, tuple(class_values[DEFAULT_RULE].tolist()))!r}"
    return "\n".join([*lines, *functions, "RULES = (", *items, ")", last, ""])


def _python_body(tests: list[str], divides: bool) -> list[str]:
    """The body of a rule's function: whether all conditions hold, or the share that satisfies them."""
    if divides:
        return [f"    return {' * '.join(tests)}", ""]
    return [*(f"    if not {test}:\n        return False" for test in tests), "    return True", ""]


def _python_condition(subject: RuleSubject, c: int) -> str:
    rules = subject.rules
    attribute = rules.schema.attributes[int(rules.attribute[c])]
    name, missing = attribute.name, repr(bool(rules.takes_missing[c]))
    if rules.divides and not rules.takes_missing[c]:
        missing = repr(float(rules.missing_share[c]))
    if rules.is_numeric(c):
        low, high, is_open = float(rules.low[c]), float(rules.high[c]), bool(rules.low_is_open[c])
        number = f"_number(record, {name!r}, {subject.fills.get(name)!r})"
        return f"_between({number}, {low!r}, {is_open}, {high!r}, {missing})"
    labels = as_tuple(tuple(attribute.values[code] for code in rules.values_of(c)))
    return f"_among({label_value(subject, attribute)}, {labels}, {missing})"


SLACK: Final = " - 1e-12"
"""Parts of a record, and probabilities by them, are equal if they differ by less."""

MOST_DIVIDED: Final = 100
"""The share left by each rule is a factor in all later ones; longer queries exceed the limits of databases."""

IN_PARTS: Final = """    left, sums, records, parts = 1.0, [0.0] * len(CLASSES), 0.0, []
    for meets, decision, weights in (*RULES, (lambda record: 1.0, *DEFAULT)):
        met = meets(record)
        part = left * met
        left *= 1.0 - met
        parts.append((part, decision))
        total = sum(weights)
        sums = [each + part * weight / total for each, weight in zip(sums, weights)]
        records += part * total
        if left <= 0.0:
            break
    counts = [each * records + {correction!r} for each in sums]
    shares = [each / sum(counts) for each in counts]
    most, near = max(parts)[0], max(shares) - 1e-12
    code = next(decision for part, decision in parts if part > most - 1e-12)
    if most < 1.0 - 1e-12 and shares[code] < near:
        code = next(code for code, share in enumerate(shares) if share >= near)
    return CLASSES[code], dict(zip(CLASSES, shares))"""
"""The prediction function in Python if the conditions in ``RULES`` return shares."""


def in_parts_sql(subject: RuleSubject, whole: str, lacking: Sequence[str], met: Sequence[str]) -> Query:
    """The query of the decision: ``whole`` unless a column is ``lacking``, else by the rules' shares.

    ``met`` is the share that satisfies each rule's conditions. Raises :class:`DataError` for too many rules.
    """
    rules = subject.rules
    if rules.n_rules > MOST_DIVIDED:
        raise DataError(
            f"{rules.n_rules:,} rules that divide records without a value are too many for a query.",
            remedy="Write them as Python, or fill in missing values in a step before learning.",
        )
    evidence, rows = rules.evidence(), range(rules.n_rules + 1)
    shares = evidence / evidence.sum(axis=1, keepdims=True)
    left = [" * ".join(f"(1.0 - met.m{i})" for i in range(rule)) for rule in rows]
    parts = [" * ".join(filter(None, (f"met.m{rule}", left[rule]))) for rule in rows[:-1]]
    sums = {}
    for code in range(rules.n_classes):
        terms = [f"parts.d{rule} * {share!r}" for rule, share in enumerate(shares[:, code].tolist()) if share > 0]
        sums[f"p{code}"] = added(terms) or "0.0"
    sizes = evidence.sum(axis=1).tolist()
    sums["records"] = added([f"parts.d{rule} * {size!r}" for rule, size in enumerate(sizes)])
    decisions = [str(rules.decision_of(rule)) for rule in (*rows[:-1], DEFAULT_RULE)]
    chunks = [rows[start : start + isqrt(len(rows)) + 1] for start in rows[:: isqrt(len(rows)) + 1]]
    for nth, chunk in enumerate(chunks):  # all parts at once would take as many comparisons as their square
        sums[f"most{nth}"] = largest_of([f"parts.d{rule}" for rule in rows], "parts.d", SLACK, among=chunk)
        sums[f"own{nth}"] = largest_of(decisions, "parts.d", SLACK, among=chunk)
    counts = f"(sums.records + {rules.correction * rules.n_classes!r})"
    probabilities = {
        f"p{code}": f"(sums.p{code} * sums.records + {rules.correction!r}) / {counts}"
        for code in range(rules.n_classes)
    }
    for name in ("most", "own"):
        probabilities[name] = largest_of([f"sums.{name}{nth}" for nth in range(len(chunks))], "sums.most", SLACK)
    stages = [
        ("met", {f"m{rule}": expression for rule, expression in enumerate(met)}),
        ("parts", {f"d{rule}": expression for rule, expression in enumerate([*parts, left[-1]])}),
        ("sums", sums),
        ("shares", probabilities),
    ]

    def own(outcomes: Sequence[str], share: str) -> str:
        """The class of the rule with the largest part if it is among the most probable ones, else the first of these.

        A rule with the whole record decides alone.
        """
        alone = " ".join(f"WHEN {code} THEN {outcome}" for code, outcome in enumerate(outcomes))
        among = largest_of(outcomes, share, SLACK, "shares.own")
        return f"CASE WHEN shares.most >= 1.0{SLACK} THEN CASE shares.own {alone} END ELSE {among} END"

    return Query(
        subject,
        lambda choice: (
            f"CASE WHEN NOT ({' OR '.join(lacking)}) THEN {whole}\n"
            "  -- a value is missing: each rule decides its part, by the training records that met its conditions\n"
            f"  ELSE {choice} END"
        ),
        *choice_by_sums(subject, stages, own),
    )


def met_sql(conditions: Sequence[tuple[str, str, float]]) -> str:
    """The SQL expression of the share that satisfies conditions, each given as in :func:`_sql_parts`."""
    factors = [
        f"CASE WHEN {is_missing} THEN {share!r} WHEN {holds} THEN 1.0 ELSE 0.0 END"
        for holds, is_missing, share in conditions
    ]
    return " * ".join(factors) or "1.0"


MOST_VOTING: Final = 900
"""Each rule is a column of a subquery and a term of a sum; databases allow about a thousand."""


def voted(subject: RuleSubject, conditions: Sequence[str], give_way: GiveWay) -> Query:
    """The query of the class with most votes; raises :class:`DataError` for too many ``conditions``."""
    rules = subject.rules
    classes = rules.schema.classes
    if rules.n_rules > MOST_VOTING:
        raise DataError(
            f"{rules.n_rules:,} rules that vote are too many for a query.", remedy="Write them as Python or PMML."
        )
    fires, sums = {}, {}
    for rule, condition in with_breaks(enumerate(conditions), give_way):
        note = f"-- {subject.record_words(rule)}: {comment(classes[rules.decision_of(rule)])}"
        fires[f"r{rule + 1}"] = f"{note}\n    CASE WHEN {condition} THEN 1.0 ELSE 0.0 END"
    for code in range(rules.n_classes):
        votes = rules.votes[:, code].tolist()
        terms = [f"fired.r{rule + 1} * {vote!r}" for rule, vote in enumerate(votes) if vote > 0]
        sums[f"p{code}"] = added(terms) or "0.0"
    total = added([f"sums.p{code}" for code in range(rules.n_classes)])
    shares = {
        f"p{code}": f"CASE WHEN {total} = 0 THEN {share!r} ELSE sums.p{code} / ({total}) END"
        for code, share in enumerate(rules.probabilities()[DEFAULT_RULE].tolist())
    }
    stages = [("fired", fires), ("sums", sums), ("shares", {**shares, "votes": total})]

    def own(outcomes: Sequence[str], share: str) -> str:
        silent = outcomes[rules.default_decision]
        return f"CASE WHEN shares.votes = 0 THEN {silent} ELSE {largest_of(outcomes, share)} END"

    return Query(subject, lambda choice: choice, *choice_by_sums(subject, stages, own))


def rules_as_pmml(subject: RuleSubject, give_way: GiveWay) -> str:
    """The document of a rule set; raises :class:`DataError` for a name that XML cannot contain."""
    return _RulesWriter(subject, give_way).written()


class _RulesWriter(PmmlWriter):
    """Writer of a rule set; calls ``give_way`` every few milliseconds."""

    subject: RuleSubject

    def __init__(self, subject: RuleSubject, give_way: GiveWay) -> None:
        super().__init__(subject)
        self.rules, self.give_way = subject.rules, give_way
        self.trained, self.said = subject.trained, subject.rules.probabilities()

    def write_model(self, root: Element) -> None:
        if not self.rules.is_ordered:
            self._write_votes(root)
        elif self.rules.divides:
            self._write_segments(root)
        else:
            self._write_list(root)

    def _write_segments(self, root: Element) -> None:
        model = self.write_head(root, "MiningModel")
        segmentation = sub(model, "Segmentation", multipleModelMethod="selectFirst")
        complete = sub(segmentation, "Segment", id="all values")
        tests = [simple(attribute.name, "isNotMissing") for attribute in self.fields()]
        complete.append(compound("and", tests) if tests else Element("True"))
        self._write_list(complete)
        divided = sub(segmentation, "Segment", id="some value is missing")
        divided.append(Element("True"))
        self._write_parts(divided)

    # ---- a list ------------------------------------------------------------------------------------------------------

    def _write_list(self, root: Element) -> None:
        rules = self.rules
        model = self.write_head(
            root,
            "TreeModel",
            missingValueStrategy="none",
            noTrueChildStrategy="returnNullPrediction",
            splitCharacteristic="multiSplit",
        )
        self.write_range_fields(model)
        weight = float(rules.decided.sum() + rules.default_counts.sum())
        top = sub(model, "Node", id="rules", score=self._label(DEFAULT_RULE), recordCount=repr(weight))
        sub(top, "True")
        for rule in with_breaks(range(rules.n_rules), self.give_way):
            self._leaf(top, rule, f"{rule + 1}", self._predicate(rule))
        self._leaf(top, DEFAULT_RULE, "otherwise", Element("True"))

    def _label(self, rule: int) -> str:
        return self.subject.decision(rule)

    def _leaf(self, parent: Element, rule: int, id: str, predicate: Element) -> None:
        counts, shares = self.rules.decided_by(rule), self.said[rule]
        leaf = sub(parent, "Node", id=id, score=self._label(rule), recordCount=repr(float(counts.sum())))
        leaf.append(predicate)
        for code, label in enumerate(self.subject.classes):
            share, count = repr(float(shares[code])), repr(float(counts[code]))
            sub(leaf, "ScoreDistribution", value=label, recordCount=count, confidence=share, probability=share)

    # ---- a list that divides records ---------------------------------------------------------------------------------

    def _write_parts(self, parent: Element) -> None:
        """Add the RegressionModel over rules' shares of a record; see :mod:`algorithms.learners.rules.model`."""
        rules, (model, local) = self.rules, self._regression(parent)
        taken = self._taken()
        parts, left = [], ""
        for rule in with_breaks(range(rules.n_rules), self.give_way):
            met = free_name(f"part that meets rule {rule + 1}", taken)
            part = free_name(f"part that rule {rule + 1} decides", taken)
            rest = free_name(f"part that rule {rule + 1} leaves", taken)
            factors = [self._fires(c) for c in rules.conditions(rule)]
            derived(local, met, folded("*", factors) if factors else constant(1.0))
            unmet = apply("-", constant(1.0), field_ref(met))
            derived(local, part, apply("*", field_ref(met), field_ref(left)) if left else field_ref(met))
            derived(local, rest, apply("*", unmet, field_ref(left)) if left else unmet)
            parts.append(part)
            left = rest
        if not left:
            left = free_name("part that no rule decides", taken)
            derived(local, left, constant(1.0))
        parts.append(left)
        evidence = rules.evidence()
        sizes = evidence.sum(axis=1)
        if not rules.correction:
            rows = (evidence / sizes[:, None]).tolist()
            write_weighted_shares(model, self.subject.classes, list(zip(parts, rows, strict=True)))
            return
        records = free_name("training records of these parts", taken)
        derived(local, records, _weighted(parts, sizes.tolist()))
        counts = []
        for code in range(rules.n_classes):
            count = free_name(f"training records of class {code + 1}", taken)
            shares = _weighted(parts, (evidence[:, code] / sizes).tolist())
            total = apply("+", apply("*", shares, field_ref(records)), constant(float(rules.correction)))
            derived(local, count, total)
            counts.append((count, [float(code == other) for other in range(rules.n_classes)]))
        write_weighted_shares(model, self.subject.classes, counts)

    # ---- votes -------------------------------------------------------------------------------------------------------

    def _write_votes(self, root: Element) -> None:
        rules, (model, local) = self.rules, self._regression(root)
        taken = self._taken()
        weights = []
        for rule in with_breaks(range(rules.n_rules), self.give_way):
            fires = free_name(f"rule {rule + 1} fires", taken)
            factors = [self._fires(c) for c in rules.conditions(rule)]
            derived(local, fires, folded("*", factors) if factors else constant(1.0))
            if rules.votes[rule].any():
                weights.append((fires, rules.votes[rule].tolist()))
        none = free_name("no rule fires", taken)
        silent = [apply("-", constant(1.0), field_ref(fires)) for fires, _ in weights]
        derived(local, none, folded("*", silent) if silent else constant(1.0))
        write_weighted_shares(model, self.subject.classes, [*weights, (none, self.said[DEFAULT_RULE].tolist())])

    def _regression(self, parent: Element) -> tuple[Element, Element]:
        """A RegressionModel without RegressionTables, and the element for its derived fields."""
        model = self.write_head(parent, "RegressionModel", normalizationMethod="simplemax")
        local = self.write_range_fields(model)
        return model, sub(model, "LocalTransformations") if local is None else local

    def _taken(self) -> set[str]:
        """The names of fields in use."""
        return {attribute.name for attribute in self.fields()} | {self.subject.class_name, *self.ranges.values()}

    def _fires(self, c: int) -> Element:
        """The PMML expression of the share of a record that satisfies a condition; 1 or 0 if its value is known."""
        rules = self.rules
        attribute = rules.schema.attributes[int(rules.attribute[c])]
        field = self.ranges.get(attribute.name, attribute.name)
        test: Element | None
        if rules.is_numeric(c):
            low, high = float(rules.low[c]), float(rules.high[c])
            is_open = bool(rules.low_is_open[c])
            fires = constant(0.0)
            if low <= high:
                low_end = low if low > -inf or is_open else None
                test = is_between(field, low_end, high if high < inf else None, with_low=not is_open)
                fires = constant(1.0) if test is None else apply("if", test, constant(1.0), constant(0.0))
        else:
            labels = [attribute.values[code] for code in rules.values_of(c)]
            fires = apply("if", is_one_of(field, labels), constant(1.0), constant(0.0)) if labels else constant(0.0)
        share = 1.0 if rules.takes_missing[c] else float(rules.missing_share[c]) if rules.divides else 0.0
        return apply("if", apply("isMissing", field_ref(field)), constant(share), fires)

    # ---- conditions --------------------------------------------------------------------------------------------------

    def _predicate(self, rule: int) -> Element:
        parts = [part for c in self.rules.conditions(rule) for part in self._condition(c)]
        return compound("and", parts) if parts else Element("True")

    def _condition(self, c: int) -> list[Element]:
        rules = self.rules
        attribute = rules.schema.attributes[int(rules.attribute[c])]
        field = self.ranges.get(attribute.name, attribute.name)
        tests = self._range(c, field) if rules.is_numeric(c) else self._labels(c, attribute, field)
        if not rules.takes_missing[c]:
            return tests
        missing = simple(field, "isMissing")
        return [compound("or", [missing, compound("and", tests)])]

    def _labels(self, c: int, attribute: Attribute, field: str) -> list[Element]:
        labels = [attribute.values[code] for code in self.rules.values_of(c)]
        if not labels:
            return [Element("False")]
        return [one_of(field, labels)]

    def _range(self, c: int, field: str) -> list[Element]:
        low, high = float(self.rules.low[c]), float(self.rules.high[c])
        if low > high:
            return [element("False", {})]
        is_open = bool(self.rules.low_is_open[c])
        operator = "greaterThan" if is_open else "greaterOrEqual"
        parts = [simple(field, operator, number_text(low))] if low > -inf or is_open else []
        parts += [simple(field, "lessOrEqual", number_text(high))] if high < inf else []
        return parts or [simple(field, "isNotMissing")]


def _weighted(fields: Sequence[str], weights: Sequence[float]) -> Element:
    """The PMML expression of the weighted sum of fields; 0 if all weights are 0."""
    products = [apply("*", constant(w), field_ref(name)) for name, w in zip(fields, weights, strict=True) if w]
    return folded("+", products) if products else constant(0.0)
