"""Rules that vote as one SQL query: which fire, the sums of their votes, the class with the largest sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from algorithms.core.errors import DataError
from algorithms.export.as_sql import quoted_text

if TYPE_CHECKING:
    from algorithms.export.rules import RuleSubject

BREATH: Final = 100
MOST_VOTING: Final = 900
"""Each rule is a column of a query within the query, and a term of a sum: data bases allow about a thousand."""


def voted(subject: RuleSubject, conditions: Sequence[str], give_way: Callable[[], None]) -> str:
    """The decision as an expression of ``t``; ``conditions`` says in SQL when each rule fires.

    Raises :class:`DataError` where there are too many rules for a query.
    """
    rules = subject.rules
    classes, default = rules.schema.classes, quoted_text(rules.schema.classes[rules.default_decision])
    if rules.n_rules > MOST_VOTING:
        raise DataError(
            f"{rules.n_rules:,} rules that vote are too many for a query.", remedy="Write them as Python or PMML."
        )
    if not rules.n_rules:
        return default
    fires, sums = [], []
    for rule, condition in enumerate(conditions):
        if rule % BREATH == 0:
            give_way()
        said = quoted_text(classes[rules.decision_of(rule)])
        note = f"-- {subject.record_words(rule)}: {' '.join(said.split())}"
        last = "" if rule == rules.n_rules - 1 else ","
        fires.append(f"CASE WHEN {condition} THEN 1.0 ELSE 0.0 END AS r{rule + 1}{last}  {note}")
    for code in range(rules.n_classes):
        votes = rules.votes[:, code].tolist()
        terms = [f"r{rule + 1} * {vote!r}" for rule, vote in enumerate(votes) if vote > 0]
        sums.append(f"{' + '.join(terms) or '0.0'} AS p{code}")
    total = " + ".join(f"p{code}" for code in range(rules.n_classes))
    largest = [
        f"WHEN {' AND '.join(f'p{code} >= p{other}' for other in range(len(classes)) if other != code) or '1 = 1'} "
        f"THEN {quoted_text(label)}"
        for code, label in enumerate(classes)
    ]
    inner, summed = "\n    ".join(fires), ",\n    ".join(sums)
    return (
        f"(SELECT CASE WHEN {total} = 0 THEN {default} {' '.join(largest)} END\n"
        f"   FROM (SELECT\n    {summed}\n"
        f"   FROM (SELECT\n    {inner}\n   ) AS fired) AS sums)"
    )
