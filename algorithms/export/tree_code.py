"""Export of trees as Python, SQL and indented text.

Expressions are in standard SQL, tested on SQLite; names are quoted with "", texts with ''. NULL is a missing value.
:func:`mysql` rewrites a query for MySQL and MariaDB.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from sys import float_info
from typing import Any, Final

from algorithms.core.errors import DataError
from algorithms.data.schema import Attribute
from algorithms.export.model_view import (
    ColumnQuestion,
    ExportedRule,
    ExportSubject,
    GiveWay,
    Stage,
    TreeSubject,
    largest_of,
    with_breaks,
)
from algorithms.learners.trees.edits import Bounds
from algorithms.structures.tree import range_words, softness_words
from algorithms.text.sentences import listed

DEEP: Final = 600
"""Depth beyond which the tree exceeds Python's recursion limit."""

NUMBER_READERS: Final = '''def _number(record, name, fill=None):
    value = record.get(name)
    if isinstance(value, str):
        value = value.strip()
        value = None if value in ("", "?") else value
    value = None if value is None else float(value)
    return fill if value is None or value != value else value


def _range(record, name, cuts, labels, fill=None, instead=None):
    """The range that a number lies in: from one cut up to, but not including, the next."""
    value = _number(record, name, fill)
    return instead if value is None else labels[bisect_right(cuts, value)]
'''
"""Python source that reads a number, or a number discretized into a range, from a record."""

LABEL_READER: Final = """def _label(record, name, known, fill=None):
    value = record.get(name)
    if value is None or value != value:
        return fill
    if isinstance(value, float) and str(value) not in known and value.is_integer():
        value = int(value)
    value = str(value)
    return value if value in known else fill
"""
"""Python source that reads a label from a record."""

_PREDICT: Final = '''def predict(record):
    """The class of a record: a mapping from column names to values. None, nan, "" and "?" are missing values."""
    return predict_with_probabilities(record)[0]


def predict_with_probabilities(record):
    """The class of a record, and the probability of each class by its name."""'''
_DECIDED: Final = '''
    own, shares = _by_model(record)
    return _decided(own, shares), shares{decided}


def _by_model(record):
    """The most probable class by the model, and the probability of each class by its name."""'''


def predicting(rule: ExportedRule | None) -> str:
    """Python source of the functions that a user calls, without the body of the last one."""
    return _PREDICT if rule is None else _PREDICT + _DECIDED.format(decided=rule.python())


_FRAME: Final = '''
from bisect import bisect_right
from math import inf

CLASSES = {classes}


{predict}
    out = _Out()
    {start}
    if not out.divided:
        return CLASSES[out.decision], dict(zip(CLASSES, out.sums))
    total = sum(out.sums)
    shares = [each / total for each in out.sums]
    return CLASSES[shares.index(max(shares))], dict(zip(CLASSES, shares))


class _Out:
    """What the leaves say that a record reaches, whole or divided."""

    def __init__(self):
        self.sums = [0.0] * len(CLASSES)
        self.decision = 0
        self.divided = False


{numbers}

def _sum(record, terms):
    """The sum of coefficients times values, a stand-in for each missing one; None where all are missing."""
    total, known = 0.0, False
    for name, coefficient, stand_in, fill in terms:
        value = _number(record, name, fill)
        known = known or value is not None
        total += coefficient * (stand_in if value is None else value)
    return total if known and total == total else None


def _left(value, low, at, high):
    """The part of a number that goes down the left branch of a soft threshold: all up to low, none from high on."""
    if value is None:
        return None
    if value <= at:
        return 1.0 if value <= low else 1.0 - 0.5 * (value - low) / (at - low)
    return 0.0 if value >= high else 0.5 - 0.5 * (value - at) / (high - at)


{labels}

def _leaf(out, weight, decision, probabilities):
    out.decision = decision
    for code, probability in probabilities.items():
        out.sums[code] += weight * probability
'''


def tree_as_python(subject: TreeSubject, give_way: GiveWay) -> str:
    """The source of the Python module; ``give_way`` is called every few milliseconds."""
    tree = subject.tree
    lines = [f"# {comment(line)}" for line in subject.heading()]
    if tree.depth > DEEP:
        lines += ["", "import sys", "", f"sys.setrecursionlimit(max(sys.getrecursionlimit(), {tree.depth + 500}))"]
    frame = _FRAME.format(
        classes=repr(tuple(subject.classes)),
        start=_call(subject, 0, "1.0"),
        predict=predicting(subject.rule),
        numbers=NUMBER_READERS,
        labels=LABEL_READER,
    )
    lines.append(frame)
    for node in with_breaks(subject.depth_first(), give_way):
        if not tree.is_leaf(node):
            lines += ["", *_function(subject, node), ""]
    lines += _known(subject)
    return "\n".join(lines).rstrip("\n") + "\n"


def _known(subject: TreeSubject) -> list[str]:
    """Python lines that define the known labels of each nominal column."""
    lines = ["", "# The values that training knew; any other counts as missing."]
    for nth, attribute in enumerate(subject.used):
        if attribute.kind.is_coded and attribute.name not in subject.cuts:
            lines.append(f"_KNOWN_{nth} = frozenset({as_tuple(subject.raw(attribute).values)})")
    return lines if len(lines) > 2 else []


def _function(subject: TreeSubject, node: int) -> list[str]:
    tree = subject.tree
    where = subject.way_words(node)
    lines = [f"def _node_{node}(record, weight, out):"]
    lines.append(f"    # {comment(f'{where}: ' if where else '')}{comment(subject.node_words(node))}")
    for nth, ask in enumerate(subject.asks(node)):
        if nth == 1:
            lines.append("    # surrogate splits")
        lines.append(f"    value = {_value(subject, ask)}")
        if nth == 0 and tree.is_soft(node):
            lines += _both_ways(subject, node)
        for answer, branch in zip(ask.answers, ask.branches, strict=True):
            child = int(tree.first_child[node]) + branch
            lines.append(f"    if {_condition(ask, answer)}:")
            lines.append(f"        return {_call(subject, child, 'weight')}")
    whole = subject.without_answer(node)
    if whole is not None:
        return [*lines, f"    return {_call(subject, whole, 'weight')}  # no answer"]
    lines.append("    out.divided = True  # no answer: every branch counts by its share")
    for child in reversed(tree.children(node)):
        share = float(subject.shares[child])
        if share > 0:
            lines.append(f"    {_call(subject, child, f'weight * {share!r}')}")
    return [*lines, "    return None"]


def _both_ways(subject: TreeSubject, node: int) -> list[str]:
    """Python lines that send a number near a soft threshold to both branches."""
    tree = subject.tree
    low, middle, high = (float(a[node]) for a in (tree.soft_from, tree.threshold, tree.soft_to))
    left, right = tree.children(node)
    return [
        f"    left = _left(value, {low!r}, {middle!r}, {high!r})",
        "    if left is not None and 0.0 < left < 1.0:  # near the threshold: it goes both ways",
        "        out.divided = True",
        f"        {_call(subject, left, 'weight * left')}",
        f"        {_call(subject, right, 'weight * (1.0 - left)')}",
        "        return None",
    ]


def _value(subject: TreeSubject, ask: ColumnQuestion) -> str:
    if ask.terms:
        return f"_sum(record, {tuple((a.name, c, s, subject.fills.get(a.name)) for a, c, s in ask.terms)!r})"
    name, fill = ask.attribute.name, subject.fills.get(ask.attribute.name)
    last = "" if fill is None else f", {fill!r}"
    if name in subject.cuts:
        return label_value(subject, ask.attribute)
    if ask.is_number:
        return f"_number(record, {name!r}{last})"
    return f"_label(record, {name!r}, _KNOWN_{subject.used.index(ask.attribute)}{last})"


def label_value(subject: ExportSubject[Any], attribute: Attribute) -> str:
    """The Python expression of a record's label, or the range of its number, after imputation."""
    name = attribute.name
    fill = subject.fills.get(name)
    if name not in subject.cuts:
        return f"_label(record, {name!r}, {as_tuple(subject.raw(attribute).values)}, {fill!r})"
    instead = subject.fills_of_ranges.get(name)
    return f"_range(record, {name!r}, {subject.cuts[name]!r}, {as_tuple(attribute.values)}, {fill!r}, {instead!r})"


def _condition(ask: ColumnQuestion, answer: Bounds | tuple[str, ...]) -> str:
    if not ask.is_number:
        labels = tuple(str(label) for label in answer)
        return f"value == {labels[0]!r}" if len(labels) == 1 else f"value in {as_tuple(labels)}"
    low, high = answer
    above, up_to = "" if low is None else f" and value > {low!r}", "" if high is None else f" and value <= {high!r}"
    return f"value is not None{above}{up_to}"


def _call(subject: TreeSubject, node: int, weight: str) -> str:
    tree = subject.tree
    if not tree.is_leaf(node):
        return f"_node_{node}(record, {weight}, out)"
    row = subject.probabilities[node]
    by_class = ", ".join(f"{code}: {float(row[code])!r}" for code in row.nonzero()[0].tolist())
    return f"_leaf(out, {weight}, {int(tree.decision[node])}, {{{by_class}}})"


def as_tuple(values: tuple[str, ...]) -> str:
    return repr(tuple(values))


def comment(text: str) -> str:
    """The text as a single printable line, safe in a comment."""
    return "".join(c if c.isprintable() else " " for c in " ".join(text.split()))


SQL_BREATH: Final = 50
MOST_SHARED: Final = 1500
"""Largest number of nodes of a tree that divides records: each is a column of a subquery."""
PREDICTED: Final = "predicted"


@dataclass(frozen=True, eq=False)
class Query:
    """A query over a table ``t``: ``decision`` is the SQL expression of the predicted class.

    With ``stages``, ``decision`` completes an expression of the class that uses their columns. Each stage has an alias,
    and an expression for each column, which may use the columns ``alias.column`` of the stage before.
    """

    subject: ExportSubject[Any]
    decision: Callable[[str], str]
    choice: str = ""
    stages: Sequence[Stage] = ()

    def text(self, dialect: str, decision: str, source: str) -> str:
        """The query with its heading; ``source`` is what follows FROM."""
        lines = [*map(comment, self.subject.heading()), dialect, *_TABLE]
        return "".join(f"-- {line}\n" for line in lines) + f"SELECT\n  t.*,\n  {decision}\nFROM {source};\n"


_TABLE: Final = (
    'The table is called "data" here, and NULL is a missing value.',
    f'The query returns its columns and the predicted class as "{PREDICTED}".',
)


def standard_sql(query: Query) -> str:
    """The query as SQLite and PostgreSQL read it."""
    source = ""
    for alias, columns in query.stages:
        listed = ",\n    ".join(f"{_cast(expression, source)} AS {column}" for column, expression in columns.items())
        source = f"\n  FROM (SELECT\n    {listed}{source} LIMIT 1) AS {alias}"  # or SQLite repeats columns where used
    dialect = "Standard SQL, as SQLite and PostgreSQL read it: names in \"\", texts in '', \\ is a character like any."
    return query.text(dialect, f'{query.decision(f"(SELECT {query.choice}{source})")} AS "{PREDICTED}"', '"data" AS t')


def _cast(expression: str, source: str) -> str:
    """An expression of the first stage as a float: PostgreSQL computes with decimal fractions, which tie otherwise."""
    return expression if source else f"CAST({expression} AS DOUBLE PRECISION)"


def mysql(query: Query) -> str:
    """The query for MySQL and MariaDB in their default sql_mode.

    Subqueries in FROM cannot use columns of ``t`` there, but JSON_TABLE can.
    """
    source, place_of = "`data` AS t", dict[str, str]()
    size = max(TABLE_COLUMNS, -(-sum(len(columns) for _, columns in query.stages) // MOST_TABLES))
    for alias, columns in query.stages:
        names, places = list(columns), dict[str, str]()
        for start in range(0, len(names), size):
            table, part = f"{alias}{start // size or ''}", names[start : start + size]
            listed = ",\n    ".join(_in_mysql(columns[name], place_of) for name in part)
            paths = ", ".join(f"{name} DOUBLE PATH '$[{place}]'" for place, name in enumerate(part))
            source += f",\n  JSON_TABLE(JSON_ARRAY(\n    {listed}),\n    '$' COLUMNS ({paths})) AS {table}"
            places |= {f"{alias}.{name}": f"{table}.{name}" for name in part}
        place_of |= places
    dialect = (
        "SQL for MySQL 8.0, MariaDB 10.6 and later: names in ``, \\ doubled in texts. "
        "Blanks at the end of a text do not count."
    )
    return query.text(dialect, f"{_in_mysql(query.decision(query.choice), place_of)} AS `{PREDICTED}`", source)


TABLE_COLUMNS: Final = 50
"""Columns of a JSON_TABLE: MariaDB reads its array from the start for each of them."""
MOST_TABLES: Final = 40
"""Tables of a query, but for one more of each stage: MySQL and MariaDB join 61 at most."""


_LITERAL: Final = re.compile(
    r"""--[^\n]*|"[^"]*(?:""[^"]*)*"|'[^']*(?:''[^']*)*'|(?<![\w.])\d+\.\d+(?![\w.])|\b[a-z]+\.\w+"""
)
"""A comment, name, text, column of a stage, or number: MySQL takes one without exponent as a decimal fraction."""


def _in_mysql(expression: str, place_of: Mapping[str, str]) -> str:
    """An expression of standard SQL with names, columns of stages and literals that mean the same in MySQL."""

    def rewritten(match: re.Match[str]) -> str:
        literal = match[0]
        if literal.startswith("--"):
            return literal
        if literal.startswith('"'):
            return "`" + literal[1:-1].replace('""', '"').replace("`", "``") + "`"
        if literal.startswith("'"):
            return "_utf8mb4" + literal.replace("\\", "\\\\") + " COLLATE utf8mb4_bin"
        return place_of[literal] if literal[0].isalpha() else f"{literal}e0"

    return _LITERAL.sub(rewritten, expression)


def tree_as_sql(subject: TreeSubject, give_way: GiveWay) -> Query:
    """The query; raises :class:`DataError` if it would be too large, or for soft thresholds."""
    subject.check_is_sharp()
    decision = "\n  ".join(_case(subject, give_way))
    if not subject.is_divided or subject.tree.n_nodes == 1:
        return Query(subject, lambda _: decision)
    return Query(
        subject,
        lambda choice: (
            f"COALESCE(\n  {decision},\n"
            "  -- where an answer is missing: every branch counts by its share of the training records\n"
            f"  {choice}\n  )"
        ),
        *choice_by_sums(subject, _shared(subject, give_way)),
    )


def quoted_name(name: str) -> str:
    """A name quoted for SQL; raises :class:`DataError` if SQL cannot contain it."""
    return '"' + _without_nul(name).replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text quoted for SQL; raises :class:`DataError` if SQL cannot contain it."""
    return "'" + _without_nul(text).replace("'", "''") + "'"


def choice_by_sums(
    subject: ExportSubject[Any],
    stages: Sequence[Stage],
    own: Callable[[Sequence[str], str], str] = largest_of,
    shares: Sequence[str] = (),
) -> tuple[str, Sequence[Stage]]:
    """The SQL expression of the class by the columns p0, p1 ... of the last stage, and all stages that it needs.

    ``own`` gives that of the model's own decision, from the outcomes and the name of these columns without number. A
    decision rule needs probabilities: ``shares`` are their expressions, unless the columns are probabilities.
    """
    labels, rule = list(map(quoted_text, subject.classes)), subject.rule
    if rule is None:
        return own(labels, f"{stages[-1][0]}.p"), stages
    if shares:
        stages = [*stages, ("shares", {f"p{code}": share for code, share in enumerate(shares)})]
    share = f"{stages[-1][0]}.p"
    more, choice = rule.chosen(labels, share, own(list(map(str, range(len(labels)))), share))
    return choice, [*stages, *more]


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise DataError(
            f"SQL cannot hold the NUL character in {text!r}.", remedy="Rename it, or export the model as Python."
        )
    return text


# ---- whole records ---------------------------------------------------------------------------------------------------


def _case(subject: TreeSubject, give_way: GiveWay) -> list[str]:
    """A CASE expression with a line for each leaf; NULL for a record that goes to several branches."""
    tree = subject.tree
    if tree.is_leaf(0):
        return [quoted_text(subject.decision(0))]
    lines, conditions = ["CASE"], {0: ""}
    for node in with_breaks(subject.depth_first(), give_way, SQL_BREATH):
        way = conditions.pop(node)
        if tree.is_leaf(node):
            label = quoted_text(subject.decision(node))
            lines.append(f"  WHEN {way} THEN {label}  -- {comment(', '.join(subject.counted(node)) or 'no record')}")
            continue
        for child in tree.children(node):
            step = _goes_to(subject, node, child)
            conditions[child] = f"{way} AND {step}" if way else step
    return [*lines, "END"]


def _goes_to(subject: TreeSubject, node: int, child: int) -> str:
    """The SQL condition that a record at a node goes undivided to one of its children."""
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


def _branch_number(subject: TreeSubject, node: int) -> str:
    """The SQL expression of the branch of a record, by the first of test and surrogates with a known value."""
    cases = []
    for ask in subject.asks(node):
        for answer, branch in zip(ask.answers, ask.branches, strict=True):
            cases.append(f"WHEN {_answer(subject, ask, answer)} THEN {branch}")
    whole = subject.without_answer(node)
    last = "" if whole is None else f" ELSE {whole - int(subject.tree.first_child[node])}"
    return f"CASE {' '.join(cases)}{last} END"


def _answer(subject: TreeSubject, ask: ColumnQuestion, answer: Bounds | tuple[str, ...]) -> str:
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
    """The SQL condition that compares a column with a bound; SQL has no literal for infinity."""
    if isfinite(end):
        return f"{column} {operator} {end!r}"
    if end > 0:
        return "1 = 0" if operator == ">" else f"{column} IS NOT NULL"
    return f"{column} {'>=' if operator == '>' else '<'} {-float_info.max!r}"


def _is_open(subject: TreeSubject, ask: ColumnQuestion) -> str:
    """The SQL condition that a tested value is missing or has no branch."""
    column = _column(subject, ask)
    if ask.is_number:
        return f"{column} IS NULL"
    labels = ", ".join(quoted_text(label) for label in ask.labels)
    return f"({column} IS NULL OR {column} NOT IN ({labels}))"


def _column(subject: TreeSubject, ask: ColumnQuestion) -> str:
    """The SQL expression that a test uses: a column, or a linear combination that is NULL if all columns are."""
    if not ask.terms:
        return filled(subject, ask.attribute)
    columns = [filled(subject, attribute) for attribute, _, _ in ask.terms]
    none = " AND ".join(f"{column} IS NULL" for column in columns)
    terms = [f"{c!r} * COALESCE({column}, {s!r})" for column, (_, c, s) in zip(columns, ask.terms, strict=True)]
    return f"(CASE WHEN {none} THEN NULL ELSE {' + '.join(terms)} END)"


AT_ONCE: Final = 200
"""Number of terms in one level of a sum: databases limit nesting, and parse a long sum as nested."""


def added(terms: Sequence[str], plus: str = " + ") -> str:
    """The SQL sum of all terms, with limited nesting."""
    if len(terms) <= AT_ONCE:
        return plus.join(terms)
    size = max(AT_ONCE, -(-len(terms) // AT_ONCE))
    return added([f"({added(terms[start : start + size], plus)})" for start in range(0, len(terms), size)], plus)


def filled(subject: ExportSubject[Any], attribute: Attribute) -> str:
    """The SQL expression of a column after the recipe's imputation and discretization."""
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
    labels = ", ".join(quoted_text(label) for label in subject.raw(attribute).values)
    return f"CASE WHEN {column} IN ({labels}) THEN {column} ELSE {quoted_text(fill)} END"


# ---- records that are shared out -------------------------------------------------------------------------------------


def _shared(subject: TreeSubject, give_way: GiveWay) -> Sequence[Stage]:
    """The stages up to the sum of each class over leaves, weighted by the record's share in each."""
    tree = subject.tree
    if tree.n_nodes > MOST_SHARED:
        raise DataError(
            f"A tree of {tree.n_nodes:,} nodes that shares records with missing values out is too large for a query.",
            remedy="Cut the tree back, or take Python or PMML.",
        )
    steps, products, leaves = {}, {0: ""}, []
    for node in with_breaks(subject.depth_first(), give_way, SQL_BREATH):
        if node:
            steps[f"s{node}"] = _part(subject, node)
            above = products[int(tree.parent[node])]
            products[node] = f"{above} * steps.s{node}" if above else f"steps.s{node}"
        if tree.is_leaf(node):
            leaves.append(node)
    weights = {f"w{leaf}": products[leaf] for leaf in leaves}
    sums = {}
    for code in range(len(subject.classes)):
        shares = [(leaf, float(subject.probabilities[leaf, code])) for leaf in reversed(leaves)]
        sums[f"p{code}"] = added([f"leaves.w{leaf} * {share!r}" for leaf, share in shares if share > 0]) or "0.0"
    return ("steps", steps), ("leaves", weights), ("sums", sums)


def _part(subject: TreeSubject, node: int) -> str:
    """The SQL expression of the share of a record at the parent that goes to a node: 1, 0 or a fraction."""
    parent = int(subject.tree.parent[node])
    branch, whole = node - int(subject.tree.first_child[parent]), subject.without_answer(parent)
    cases = [
        f"WHEN {_answer(subject, ask, answer)} THEN {1.0 if b == branch else 0.0}"
        for ask in subject.asks(parent)
        for answer, b in zip(ask.answers, ask.branches, strict=True)
    ]
    share = float(subject.shares[node]) if whole is None else float(whole == node)
    return f"CASE {' '.join(cases)} ELSE {share!r} END"


TEXT_BREATH = 200


def tree_as_text(subject: TreeSubject, give_way: GiveWay) -> str:
    """The heading and the tree as indented lines; ``give_way`` is called every few milliseconds."""
    tree = subject.tree
    lines = [*subject.heading(), ""]
    if tree.is_leaf(0):
        return "\n".join([*lines, f"Always {subject.node_words(0)}", ""])
    depths = tree.depths
    for node in with_breaks(subject.depth_first(), give_way, TEXT_BREATH):
        if node:
            ends = f": {subject.node_words(node)}" if tree.is_leaf(node) else ""
            lines.append(f"{'|   ' * (int(depths[node]) - 1)}{_one_line(subject.way_words(node))}{ends}")
        indent = "|   " * int(depths[node])
        if soft := softness_words(tree, node):
            lines.append(f"{indent}(a number near the threshold goes down both branches: {soft})")
        lines += [f"{indent}({words})" for words in _stand_ins(subject, node)]
    return "\n".join([*lines, ""])


def _stand_ins(subject: TreeSubject, node: int) -> list[str]:
    """The surrogate splits of a node, in words."""
    if subject.tree.is_leaf(node):
        return []
    sentences = []
    for ask in subject.asks(node)[1:]:
        parts = []
        for answer, branch in zip(ask.answers, ask.branches, strict=True):
            if ask.is_number:
                low, high = answer
                condition = range_words(-inf if low is None else float(low), inf if high is None else float(high))
            else:
                condition = f"= {listed([str(label) for label in answer], 1000)}"
            child = int(subject.tree.first_child[node]) + branch
            parts.append(f"{condition} counts as {subject.way_words(child)}")
        sentences.append(_one_line(f"where the answer is missing, {ask.attribute.name} {', '.join(parts)}"))
    return sentences


def _one_line(words: str) -> str:
    return " ".join(words.split())
