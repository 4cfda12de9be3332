"""Rules that decide a record without a value in part, as SQL and as a Python module.

See :mod:`algorithms.rules.divided`: a rule takes the part of a record that meets its conditions from what the rules
before it left; the classes' shares of the rules add up by these parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from algorithms.core.errors import DataError
from algorithms.core.rule_set import RuleSet
from algorithms.export.as_sql import quoted_text

MOST_DIVIDED: Final = 100
"""The part that each rule leaves is a factor in all after it: more rules make a query too long for data bases."""

IN_PARTS: Final = """    left, sums, records, most, taker = 1.0, [0.0] * len(CLASSES), 0.0, 0.0, 0
    for meets, decision, weights in (*RULES, (lambda record: 1.0, *DEFAULT)):
        met = meets(record)
        part = left * met
        left *= 1.0 - met
        if part > most + 1e-12:
            most, taker = part, decision
        total = sum(weights)
        sums = [each + part * weight / total for each, weight in zip(sums, weights)]
        records += part * total
        if left <= 0.0:
            break
    counts = [each * records + {correction!r} for each in sums]
    shares = [each / sum(counts) for each in counts]
    code = taker if shares[taker] >= max(shares) - 1e-12 else shares.index(max(shares))
    return CLASSES[code], dict(zip(CLASSES, shares))"""
"""What a module's function does with ``RULES`` whose conditions return a part."""


def in_parts_sql(rules: RuleSet, whole: str, lacking: Sequence[str], met: Sequence[str]) -> str:
    """The decision as an expression: ``whole`` where no column is ``lacking``, else by the parts that rules take.

    ``met`` is the part that meets each rule's conditions. Raises :class:`DataError` for too many rules.
    """
    if rules.n_rules > MOST_DIVIDED:
        raise DataError(
            f"{rules.n_rules:,} rules that divide records without a value are too many for a query.",
            remedy="Write them as Python, or fill in missing values in a step before learning.",
        )
    evidence = rules.evidence()
    shares = evidence / evidence.sum(axis=1, keepdims=True)
    left = [" * ".join(f"(1.0 - m{i})" for i in range(rule)) for rule in range(rules.n_rules + 1)]
    parts = [" * ".join(filter(None, (f"m{rule}", left[rule]))) for rule in range(rules.n_rules)]
    parts = [*parts, left[-1]]
    sums = []
    for code in range(rules.n_classes):
        terms = [f"d{rule} * {share!r}" for rule, share in enumerate(shares[:, code].tolist()) if share > 0]
        sums.append(f"{' + '.join(terms) or '0.0'} AS p{code}")
    largest = []
    for code, label in enumerate(rules.schema.classes):
        others = [f"p{code} >= p{other} - 1e-12" for other in range(rules.n_classes) if other != code]
        largest.append(f"WHEN {' AND '.join(others) or '1 = 1'} THEN {quoted_text(label)}")
    inner = ",\n      ".join(f"{each} AS m{rule}" for rule, each in enumerate(met))
    middle = ",\n      ".join(f"{each} AS d{rule}" for rule, each in enumerate(parts))
    summed = ",\n      ".join(sums)
    return (
        f"CASE WHEN NOT ({' OR '.join(lacking)}) THEN {whole}\n"
        "  -- a value is missing: each rule decides its part, by the training records that met its conditions\n"
        f"  ELSE (SELECT CASE {' '.join(largest)} END\n"
        f"    FROM (SELECT\n      {summed}\n"
        f"    FROM (SELECT\n      {middle}\n"
        f"    FROM (SELECT\n      {inner}) AS met) AS parts) AS sums) END"
    )


def met_sql(conditions: Sequence[tuple[str, str, float]]) -> str:
    """The part of a record that meets conditions: each as what holds, what says that it is missing, and its share."""
    factors = [
        f"CASE WHEN {unknown} THEN {share!r} WHEN {known} THEN 1.0 ELSE 0.0 END" for known, unknown, share in conditions
    ]
    return " * ".join(factors) or "1.0"
