"""A tree as one SQL query: a CASE with a line for each leaf, and, where missing values need it, the shares of leaves.

Standard SQL, tried on SQLite; names are quoted with "", texts with ''. NULL is a missing value. MySQL and MariaDB
take names for texts and read backslashes otherwise, unless they are told to follow the standard: the query says how.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from sys import float_info
from typing import Final

from algorithms.core.errors import DataError
from algorithms.core.schema import Attribute
from algorithms.export.as_python import comment
from algorithms.export.subject import Ask, Columns, Subject
from algorithms.trees.paths import Bounds

BREATH: Final = 50
MOST_SHARED: Final = 1500
"""Nodes of a tree whose missing values are shared out: each is a column of a query within the query."""
PREDICTED: Final = "predicted"
DIALECT: Final = (
    "-- Standard SQL, as SQLite and PostgreSQL read it: names in \"\", texts in '', \\ is a character like any.\n"
    "-- MySQL and MariaDB read it so after: SET SESSION sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'"
)


def as_sql(subject: Subject, give_way: Callable[[], None] = lambda: None, table: str = "data") -> str:
    """The query over the table of this name; raises :class:`DataError` where it would be too large, or where the tree
    has soft thresholds.

    ``give_way`` is called every few milliseconds.
    """
    subject.check_is_sharp()
    lines = [f"-- {comment(line)}" for line in subject.heading()]
    lines += [
        DIALECT,
        f"-- The table is called {quoted_name(comment(table))} here, and NULL is a missing value.",
        f'-- The query returns its columns and the predicted class as "{PREDICTED}".',
    ]
    decision = "\n  ".join(_case(subject, give_way))
    if subject.is_divided and subject.tree.n_nodes > 1:
        decision = f"COALESCE(\n  {decision},\n  {_shared(subject, give_way)}\n  )"
    name = quoted_name(table)
    return "\n".join([*lines, "SELECT", f"  t.*,\n  {decision} AS {quoted_name(PREDICTED)}", f"FROM {name} AS t;", ""])


def quoted_name(name: str) -> str:
    """A name as standard SQL has it; raises :class:`DataError` where no query can hold it."""
    return '"' + _without_nul(name).replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text as standard SQL has it; raises :class:`DataError` where no query can hold it."""
    return "'" + _without_nul(text).replace("'", "''") + "'"


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise DataError(
            f"SQL cannot hold the NUL character in {text!r}.", remedy="Rename it, or export the model as Python."
        )
    return text


# ---- whole records ---------------------------------------------------------------------------------------------------


def _case(subject: Subject, give_way: Callable[[], None]) -> list[str]:
    """A line for each leaf; NULL for a record that goes down several branches."""
    tree = subject.tree
    if tree.is_leaf(0):
        return [quoted_text(subject.decision(0))]
    lines, conditions = ["CASE"], {0: ""}
    for nth, node in enumerate(subject.depth_first()):
        if nth % BREATH == 0:
            give_way()
        way = conditions.pop(node)
        if tree.is_leaf(node):
            said = quoted_text(subject.decision(node))
            lines.append(f"  WHEN {way} THEN {said}  -- {comment(', '.join(subject.counted(node)) or 'no record')}")
            continue
        for child in tree.children(node):
            step = _goes_to(subject, node, child)
            conditions[child] = f"{way} AND {step}" if way else step
    return [*lines, "END"]


def _goes_to(subject: Subject, node: int, child: int) -> str:
    """Whether a record at a node goes whole to one of its children."""
    asks, branch = subject.asks(node), child - int(subject.tree.first_child[node])
    whole = subject.without_answer(node)
    if len(asks) > 1:
        return f"{_branch_number(subject, node)} = {branch}"
    own = asks[0]
    parts = [_answer(subject, own, answer) for answer, b in zip(own.answers, own.branches, strict=True) if b == branch]
    if whole == child:
        parts.append(f"{_is_open(subject, own)}")
    if not parts:
        return "1 = 0"
    return parts[0] if len(parts) == 1 else f"({' OR '.join(parts)})"


def _branch_number(subject: Subject, node: int) -> str:
    """The branch that a record goes down, by the first question that it has an answer to."""
    cases = []
    for ask in subject.asks(node):
        for answer, branch in zip(ask.answers, ask.branches, strict=True):
            cases.append(f"WHEN {_answer(subject, ask, answer)} THEN {branch}")
    whole = subject.without_answer(node)
    last = "" if whole is None else f" ELSE {whole - int(subject.tree.first_child[node])}"
    return f"CASE {' '.join(cases)}{last} END"


def _answer(subject: Subject, ask: Ask, answer: Bounds | tuple[str, ...]) -> str:
    column = _column(subject, ask)
    if not ask.is_number:
        return f"{column} IN ({', '.join(quoted_text(str(label)) for label in answer)})"
    low, high = answer
    parts = [] if low is None else [compared(column, ">", float(low))]
    parts += [] if high is None else [compared(column, "<=", float(high))]
    if len(parts) == 2:
        return f"({' AND '.join(parts)})"
    return parts[0] if parts else f"{column} IS NOT NULL"


def compared(column: str, operator: str, end: float) -> str:
    """Whether a number is larger than an end, or at most as large; SQL has no word for an infinite one."""
    if isfinite(end):
        return f"{column} {operator} {end!r}"
    if end > 0:
        return "1 = 0" if operator == ">" else f"{column} IS NOT NULL"
    return f"{column} {'>=' if operator == '>' else '<'} {-float_info.max!r}"


def _is_open(subject: Subject, ask: Ask) -> str:
    """Whether a record has no answer: its value is missing, or one that no branch is for."""
    column = _column(subject, ask)
    if ask.is_number:
        return f"{column} IS NULL"
    labels = ", ".join(quoted_text(label) for label in ask.labels)
    return f"({column} IS NULL OR {column} NOT IN ({labels}))"


def _column(subject: Subject, ask: Ask) -> str:
    """What a question is about: a column, or a sum of several that is NULL where all of them are missing."""
    if not ask.terms:
        return filled(subject, ask.attribute)
    columns = [filled(subject, attribute) for attribute, _, _ in ask.terms]
    none = " AND ".join(f"{column} IS NULL" for column in columns)
    terms = [f"{c!r} * COALESCE({column}, {s!r})" for column, (_, c, s) in zip(columns, ask.terms, strict=True)]
    return f"(CASE WHEN {none} THEN NULL ELSE {' + '.join(terms)} END)"


def filled(subject: Columns, attribute: Attribute) -> str:
    """A column, with what the recipe fills in where it is missing, and as a range where it cuts it."""
    column, fill = f"t.{quoted_name(attribute.name)}", subject.fills.get(attribute.name)
    if attribute.name in subject.cuts:
        column = column if fill is None else f"COALESCE({column}, {fill!r})"
        instead = subject.fills_of_ranges.get(attribute.name)
        missing = "NULL" if instead is None else quoted_text(instead)
        *lower, last = attribute.values
        cases = [
            f"WHEN {column} < {cut!r} THEN {quoted_text(label)}"
            for cut, label in zip(subject.cuts[attribute.name], lower, strict=True)
        ]
        return f"(CASE WHEN {column} IS NULL THEN {missing} {' '.join(cases)} ELSE {quoted_text(last)} END)"
    if fill is None:
        return column
    if not isinstance(fill, str):
        return f"COALESCE({column}, {fill!r})"
    known = ", ".join(quoted_text(label) for label in subject.raw(attribute).values)
    return f"CASE WHEN {column} IN ({known}) THEN {column} ELSE {quoted_text(fill)} END"


# ---- records that are shared out -------------------------------------------------------------------------------------


def _shared(subject: Subject, give_way: Callable[[], None]) -> str:
    """The class with the largest sum over the leaves, each counted by the share of the record that reaches it."""
    tree, k = subject.tree, len(subject.classes)
    if tree.n_nodes > MOST_SHARED:
        raise DataError(
            f"A tree of {tree.n_nodes:,} nodes that shares records with missing values out is too large for a query.",
            remedy="Cut the tree back, or take Python or PMML.",
        )
    steps, products, leaves = [], {0: ""}, []
    for nth, node in enumerate(subject.depth_first()):
        if nth % BREATH == 0:
            give_way()
        if node:
            steps.append(f"{_part(subject, node)} AS s{node}")
            above = products[int(tree.parent[node])]
            products[node] = f"{above} * s{node}" if above else f"s{node}"
        if tree.is_leaf(node):
            leaves.append(node)
    inner = ",\n    ".join(steps)
    weights = ", ".join(f"{products[leaf]} AS w{leaf}" for leaf in leaves)
    sums = []
    for code in range(k):
        terms = [f"w{n} * {float(subject.probabilities[n, code])!r}" for n in reversed(leaves)]
        kept = [term for term, n in zip(terms, reversed(leaves), strict=True) if subject.probabilities[n, code] > 0]
        sums.append(f"{' + '.join(kept) or '0.0'} AS p{code}")
    largest = [
        f"WHEN {' AND '.join(f'p{code} >= p{other}' for other in range(k) if other != code) or '1 = 1'} "
        f"THEN {quoted_text(label)}"
        for code, label in enumerate(subject.classes)
    ]
    sums_listed = ",\n    ".join(sums)
    return (
        "-- where an answer is missing: every branch counts by its share of the training records\n"
        f"(SELECT CASE {' '.join(largest)} END\n"
        f" FROM (SELECT\n    {sums_listed}\n"
        f"  FROM (SELECT {weights}\n"
        f"   FROM (SELECT\n    {inner}) AS steps) AS leaves) AS sums)"
    )


def _part(subject: Subject, node: int) -> str:
    """The part of a record at its parent that goes to a node: 1, 0 or a share."""
    parent = int(subject.tree.parent[node])
    branch, whole = node - int(subject.tree.first_child[parent]), subject.without_answer(parent)
    cases = [
        f"WHEN {_answer(subject, ask, answer)} THEN {1.0 if b == branch else 0.0}"
        for ask in subject.asks(parent)
        for answer, b in zip(ask.answers, ask.branches, strict=True)
    ]
    share = float(subject.shares[node]) if whole is None else float(whole == node)
    return f"CASE {' '.join(cases)} ELSE {share!r} END"
