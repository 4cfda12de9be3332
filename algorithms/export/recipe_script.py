"""A fitted recipe as a Python script of pandas and numpy that gives the same table.

The script holds what the steps learned, so it prepares new records as the program does. A step that it cannot say is
refused by name. Names and values enter it as literals only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.files import write_text
from algorithms.core.filters import Filter, FittedFilter, FittedRecipe, Recipe, fit_recipe
from algorithms.core.run_control import RunContext
from algorithms.data.convert_kind import as_strings
from algorithms.data.dataset import Dataset
from algorithms.data.dates import PARTS_OF_DATES
from algorithms.data.formula_functions import FormulaNode
from algorithms.data.formulas import parse_formula
from algorithms.data.number_formats import PLAIN
from algorithms.data.schema import AttributeKind, Schema
from algorithms.filters.arrange_attributes import AttributeRenamed, AttributesMoved, AttributesRemoved, KindsChanged
from algorithms.filters.components import Components
from algorithms.filters.computed_columns import (
    LISTED_PARTS,
    PERIODS,
    UNITS,
    DatePartsAdded,
    DatesSubtracted,
    FittedFormula,
)
from algorithms.filters.discretize import ONE_RANGE, Discretized, range_labels
from algorithms.filters.nominal_values import Encoded, ValuesMerged
from algorithms.filters.replace_missing import MissingReplaced
from algorithms.filters.scale import Capped, DividedByNorm, Scaled
from algorithms.filters.second_table import SecondTableAdded
from algorithms.filters.text_counts import WORD, WordsCounted

Lines = list[str]
StepWriter = Callable[[Any, Schema, Schema], Lines]
"""Writes a fitted filter as lines, given the schema before and after it; raises :class:`_UnsaidError`."""


class _UnsaidError(Exception):
    """The step cannot be written; the text says what of it ("nearest neighbours")."""


def recipe_script(recipe: Recipe, fitted: FittedRecipe, data: Dataset) -> str:
    """Write a recipe as a Python script; ``fitted`` has what its steps learned from ``data``.

    Steps that change training records only are left out with a comment, and so are the cleaning rules of the data.

    Raises :class:`DataError` for the first step that cannot be written.
    """
    sample, body = data.take(np.arange(min(1, len(data)))), Lines()
    learned = iter(fitted.filters)
    if data.origin.cleaning:
        rules = [f"#   {_comment(rule.words)}" for rule in data.origin.cleaning]
        body += [
            "",
            "# The table must have been cleaned by these rules already, which this script leaves to you:",
            *rules,
        ]
    for number, step in enumerate(recipe, start=1):
        if step.only_training:
            body += ["", f"# {number}. {step.name}: changes training records only, so it is left out"]
            continue
        own = next(learned)
        changed = own.transform(sample)
        body += ["", f"# {number}. {step.name}", *_step_lines(step, own, sample.schema, changed.schema)]
        sample = changed
    schema = data.schema
    numbers = [a.name for a in schema.attributes if a.kind is AttributeKind.NUMERIC]
    texts = [a.name for a in schema.attributes if a.kind is not AttributeKind.NUMERIC]
    helpers = {name for name in _HELPERS if re.search(rf"\b{name}\b", "\n".join(body))}
    helpers |= {needed for name, own in _NEEDED.items() if name in helpers for needed in own}
    prepare = [*_PREPARE.strip().split("\n"), *(f"    {line}".rstrip() for line in body), "    return table"]
    parts = [
        _HEAD.format(data=_comment(data.origin.name), n=len(data)),
        ("import re\n" if "word_weights" in helpers else "")
        + "import sys\n\nimport numpy as np\nimport pandas as pd\n",
        f"NUMBERS = {_literal(numbers)}\nTEXTS = {_literal(texts)}\n",
        *(f"\n{_HELPERS[name].strip()}\n" for name in _HELPERS if name in helpers),
        f"\n{_READ.strip()}\n",
        "\n".join(["", *prepare]),
        f"\n\n{_MAIN.strip()}\n",
    ]
    return "\n".join(parts)


def write_recipe_script(path: str | Path, recipe: Recipe, data: Dataset, context: RunContext) -> FittedRecipe:
    """Fit the steps on the labelled records of ``data``, write their script, and return what they learned.

    Raises :class:`DataError` for a step that cannot be written or fitted; the file at ``path`` then stays.
    """
    steps = tuple(step for step in recipe if not step.only_training)
    fitted, _ = fit_recipe(steps, data.labelled(), context)
    write_text(path, recipe_script(recipe, fitted, data), commit=context.commit)
    return fitted


def _step_lines(step: Filter, fitted: FittedFilter, before: Schema, after: Schema) -> Lines:
    write = STEP_WRITERS.get(type(fitted))
    try:
        if write is None:
            raise _UnsaidError("")
        return write(fitted, before, after)
    except _UnsaidError as error:
        part = f" by {error}" if str(error) else ""
        raise DataError(
            f"The step {step.name!r}{part} cannot be written as a script.",
            remedy="Switch it off, or let the program write the table.",
            place=step.name,
        ) from None


def _literal(value: Any) -> str:
    """A value as a Python expression; text is escaped to ASCII, numbers keep all bits."""
    if isinstance(value, float):
        if value != value:
            return "np.nan"
        return repr(value) if abs(value) != np.inf else ("np.inf" if value > 0 else "-np.inf")
    if isinstance(value, str):
        return ascii(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(_literal, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    return repr(value)


def _comment(text: str) -> str:
    """A text that ends neither a line nor a docstring."""
    return " ".join("".join(c if c.isprintable() and c not in '"\\' else " " for c in text).split())


def _numeric(names: Sequence[str], schema: Schema) -> list[str]:
    """Those of the names that are numeric attributes."""
    kinds = {attribute.name: attribute.kind for attribute in schema.attributes}
    return [name for name in names if kinds.get(name) is AttributeKind.NUMERIC]


# ---- steps -----------------------------------------------------------------------------------------------------------


def _removed(fitted: AttributesRemoved, before: Schema, _after: Schema) -> Lines:
    return [f"table = table.drop(columns={_literal([n for n in before.names if n in fitted.names])})"]


def _renamed(fitted: AttributeRenamed, before: Schema, _after: Schema) -> Lines:
    return [f"table = table.rename(columns={_literal({fitted.old: fitted.new})})"] if fitted.old in before else []


def _moved(_fitted: AttributesMoved, _before: Schema, after: Schema) -> Lines:
    return [f"table = table[{_literal(list(after.names))}]"]


def _scaled(fitted: Scaled, before: Schema, _after: Schema) -> Lines:
    rows = dict(zip(fitted.names, fitted.learned.tolist(), strict=True))
    used = {name: rows[name] for name in _numeric(fitted.names, before) if rows[name][0] == rows[name][0]}
    if fitted.way == "log":
        logs = "np.copysign(np.log1p(table[name].abs()), table[name])"
        refused = [name for name, (refuses,) in used.items() if refuses]
        lines = [f"for name in {_literal(list(used))}:", f"    table[name] = {logs}"] if used else []
        cleared = [f"for name in {_literal(refused)}:", "    table[name] = table[name].where(table[name] >= 0)"]
        return [*(cleared if refused else []), *lines]
    function = {"line": "straight", "rank": "even_rank", "bell": "bell_rank"}[fitted.way]
    columns = {f"table[{_literal(name)}]": row for name, row in used.items()}
    return [f"{column} = {function}({column}, {_literal(row)})" for column, row in columns.items()]


def _of_unit_length(fitted: DividedByNorm, before: Schema, _after: Schema) -> Lines:
    names = _numeric(fitted.names, before)
    return [f"table = of_unit_length(table, {_literal(names)}, {_literal(fitted.way)})"] if names else []


def _filled(fitted: MissingReplaced, before: Schema, after: Schema) -> Lines:
    if fitted.near:
        raise _UnsaidError("nearest neighbours")
    there = [name for name in fitted.marks if name in before]
    marks = dict(zip(fitted.marks, after.names[len(before) :], strict=True))
    lines = [f"gone = table[{_literal(there)}].isna()"] if there else []
    for name, fill in fitted.fills.items():
        if name in before and (isinstance(fill, str) == before.attributes[before.index_of(name)].kind.is_coded):
            lines.append(f"table[{_literal(name)}] = table[{_literal(name)}].fillna({_literal(fill)})")
    for name, mark in marks.items():
        value = f'np.where(gone[{_literal(name)}], "missing", "known")' if name in there else '"missing"'
        lines.append(f"table[{_literal(mark)}] = {value}")
    return lines


def _ranges(fitted: Discretized, before: Schema, _after: Schema) -> Lines:
    lines = Lines()
    for name in _numeric(list(fitted.cuts), before):
        cuts = fitted.cuts[name]
        labels = list(range_labels(cuts) or (ONE_RANGE,))
        quoted = _literal(name)
        lines.append(f"table[{quoted}] = ranged(table[{quoted}], {_literal(list(cuts))}, {_literal(labels)})")
    return lines


def _encoded(fitted: Encoded, before: Schema, after: Schema) -> Lines:
    codes, named, specification = {code.name: code for code in fitted.codes}, iter(after.names), dict[str, Any]()
    for attribute in before.attributes:
        code = codes.get(attribute.name)
        if code is None or not attribute.kind.is_coded:
            next(named)
            continue
        columns = [next(named) for _ in code.columns]
        specification[attribute.name] = (list(code.values), columns, code.table.tolist())
    return [f"table = encoded(table, {_literal(specification)})"] if specification else []


def _merged(fitted: ValuesMerged, before: Schema, _after: Schema) -> Lines:
    lines = Lines()
    for name, labels in fitted.merged.items():
        attribute = before.attributes[before.index_of(name)] if name in before else None
        if attribute is None or not attribute.kind.is_coded:
            continue
        column = f"table[{_literal(name)}]"
        if fitted.are_rare:  # values that training never saw are rare too
            kept = [value for value in attribute.values if value not in labels]
            stays = f"{column}.isna() | {column}.isin({_literal(kept)})"
        else:
            stays = f"~{column}.isin({_literal(list(labels))})"
        lines.append(f"{column} = {column}.where({stays}, {_literal(fitted.to)})")
    return lines


def _components(fitted: Components, before: Schema, after: Schema) -> Lines:
    if not fitted.names:
        return []
    if _numeric(fitted.names, before) != list(fitted.names):
        raise _UnsaidError("attributes that are gone")
    arrays = (fitted.centres.tolist(), fitted.units.tolist(), fitted.loadings.T.tolist())
    parameters = zip(fitted.names, *arrays, strict=True)
    named = list(after.names[len(after) - len(fitted.loadings) :]) if len(fitted.loadings) else []
    return [f"table = components(table, {_literal([*map(tuple, parameters)])}, {_literal(named)})"]


def _changed_kinds(fitted: KindsChanged, before: Schema, _after: Schema) -> Lines:
    lines = Lines()
    for wanted in fitted.attributes:
        if wanted.name not in before:
            continue
        given, column = before.attributes[before.index_of(wanted.name)], f"table[{_literal(wanted.name)}]"
        from_number = given.kind is AttributeKind.NUMERIC
        if wanted.kind.is_coded and from_number:
            lines.append(f"{column} = {column}.map({_literal({float(label): label for label in wanted.values})})")
        elif wanted.kind.is_coded and not given.kind.is_float:
            lines.append(f"{column} = {column}.where({column}.isin({_literal(list(wanted.values))}))")
        elif wanted.kind.is_string and not given.kind.is_float:
            continue
        elif wanted.kind.is_string and from_number:
            lines.append(f"{column} = {column}.map(number_text)")
        elif wanted.kind is AttributeKind.NUMERIC and given.kind.is_coded:
            parse = fitted.forms.get(wanted.name, PLAIN).parse  # a value that training never saw counts as missing
            lines.append(f"{column} = {column}.map({_literal({value: parse(value) for value in given.values})})")
        elif wanted.kind is not given.kind:
            raise _UnsaidError(f"{given.kind.value} to {wanted.kind.value}")
    return lines


def _formula(fitted: FittedFormula, before: Schema, after: Schema) -> Lines:
    if not fitted.formula:
        return []
    tree = parse_formula(fitted.formula, before)
    there = all(name in before for name in tree.columns())
    values = _expression(tree, before, 0) if there else "np.nan"
    return [
        "with np.errstate(all='ignore'):",
        f"    table[{_literal(after.names[-1])}] = finite({values}, len(table))",
    ]


def _expression(part: FormulaNode, schema: Schema, depth: int) -> str:
    """A part of a formula as an expression of arrays; raises :class:`_UnsaidError` for dates and deep nesting."""
    if depth > _DEEPEST:
        raise _UnsaidError(f"more than {_DEEPEST} operations in a row")
    if part.what == "number":
        return f"np.float64({_literal(part.value)})"
    if part.what == "text" or (part.what == "call" and part.value not in (*_FUNCTIONS, *PARTS_OF_DATES)):
        raise _UnsaidError("texts in a formula")
    if part.what == "column" and schema.attributes[schema.index_of(part.value)].kind is not AttributeKind.NUMERIC:
        raise _UnsaidError("texts in a formula")
    if part.what == "column":
        return f"table[{_literal(part.value)}].to_numpy()"
    if part.what in ("=", "!=") and "text" in (part.parts[0].what, part.parts[1].what):
        text, column = part.parts if part.parts[0].what == "text" else part.parts[::-1]
        return f"same_text(table[{_literal(column.value)}], {_literal(text.value)}, {part.what == '='})"
    if part.what == "call" and part.value == "missing" and part.parts[0].what == "column":
        return f"table[{_literal(part.parts[0].value)}].isna().to_numpy().astype(float)"
    if part.what == "call" and part.value in PARTS_OF_DATES and part.parts[0].what == "column":
        return f"date_part(table[{_literal(part.parts[0].value)}], {_literal(part.value)})"
    values = [_expression(inner, schema, depth + 1) for inner in part.parts]
    if part.what == "negative":
        return f"np.negative({values[0]})"
    if part.what == "not":
        return f"known({values[0]} == 0, {values[0]})"
    function = _FUNCTIONS[part.value if part.what == "call" else part.what]
    if function in _COMPARISONS:
        return f"known({function.join(values)}, {', '.join(values)})"
    return f"{function}({', '.join(values)})"


def _date_parts(fitted: DatePartsAdded, before: Schema, after: Schema) -> Lines:
    named, lines = iter(after.names[len(before) :]), Lines()
    for name in fitted.names:
        is_date = name in before and before.attributes[before.index_of(name)].kind is AttributeKind.DATE
        for part in fitted.parts:
            numbers = (
                f"date_part(table[{_literal(name)}], {_literal(part)})" if is_date else "np.full(len(table), np.nan)"
            )
            if fitted.coding == "nominal" and part in LISTED_PARTS:
                lowest, values = LISTED_PARTS[part]
                lines.append(f"table[{_literal(next(named))}] = listed({numbers}, {lowest}, {_literal(list(values))})")
            elif fitted.coding == "cyclic" and part in PERIODS:
                lowest, period = PERIODS[part]
                angle = f"({numbers} - {lowest}) * (2 * np.pi / {_literal(period)})"
                lines += [f"table[{_literal(next(named))}] = np.{function}({angle})" for function in ("sin", "cos")]
            else:
                lines.append(f"table[{_literal(next(named))}] = {numbers}")
    return lines


def _date_difference(fitted: DatesSubtracted, before: Schema, after: Schema) -> Lines:
    if not fitted.name:
        return []
    dates = [f"seconds(table[{_literal(name)}])" if name in before else "np.nan" for name in fitted.read()]
    first, second = (*dates, _literal(fitted.given))[:2]
    column = f"table[{_literal(after.names[-1])}]"
    if fitted.unit in UNITS:
        return [f"{column} = ({first} - {second}) / {_literal(UNITS[fitted.unit])}"]
    return [f"{column} = np.trunc(completed_months({first}, {second}) / {12 if fitted.unit == 'years' else 1}) + 0.0"]


def _second_table(fitted: SecondTableAdded, before: Schema, after: Schema) -> Lines:
    if not fitted.key:
        return []
    rows, m = fitted.rows, int(fitted.rows.starts[-1])
    if m * max(1, len(rows.columns)) > _MOST_CELLS:
        raise _UnsaidError(f"a second table of {m:,} rows")
    names = after.names[len(before) :]
    columns = {}
    for name, attribute, own in zip(names, rows.attributes, rows.columns, strict=True):
        values = own.tolist()
        if attribute.kind.is_coded:
            values = [None if code < 0 else attribute.values[code] for code in values]
        elif not attribute.kind.is_float:
            values = [value if isinstance(value, str) else None for value in values]
        elif attribute.kind is AttributeKind.DATE:
            values = [label if isinstance(label, str) else None for label in as_strings(attribute, own).tolist()]
        columns[name] = (0.0 if attribute.name in rows.counts else None, values)
    if fitted.key not in before:
        keys = "[None] * len(table)"
    else:
        kind = before.attributes[before.index_of(fitted.key)].kind
        if kind is AttributeKind.DATE:
            raise _UnsaidError("a key of dates")
        column = f"table[{_literal(fitted.key)}]"
        keys = f"{column}.map(number_text)" if kind is AttributeKind.NUMERIC else column
    ends = {str(key): (start, end) for key, start, end in zip(rows.keys, rows.starts, rows.starts[1:], strict=False)}
    ends = {key: (int(start), int(end)) for key, (start, end) in ends.items()}
    dates = f"seconds(table[{_literal(fitted.date)}])" if fitted.date in before else "None"
    moments = "None" if rows.moments is None else _literal(rows.moments.tolist())
    return [
        f"places = rows_of({keys}, {_literal(ends)}, {dates}, {moments})",
        *(
            f"table[{_literal(name)}] = of_rows(places, {_literal(empty)}, {_literal(values)})"
            for name, (empty, values) in columns.items()
        ),
    ]


def _words(fitted: WordsCounted, before: Schema, after: Schema) -> Lines:
    lower, low, high, stop = fitted.options
    named, lines = iter(after.names[len(before) :]), Lines()
    for vocabulary in fitted.vocabularies:
        names = [next(named) for _ in vocabulary.words]
        is_text = vocabulary.name in before and before.attributes[before.index_of(vocabulary.name)].kind.is_string
        texts = f"table[{_literal(vocabulary.name)}]" if is_text else "[None] * len(table)"
        words = dict(zip(vocabulary.words, range(len(names)), strict=True))
        idf = vocabulary.idf.tolist() if fitted.by == "tf-idf" else []
        lines += [
            f"weights = word_weights({texts}, {_literal(words)}, {_literal(idf)}, {_literal(sorted(stop))}, "
            f"{lower}, {low}, {high}, {_literal(fitted.by)}, {_literal(fitted.norm)})",
            f"weights = pd.DataFrame(weights, columns={_literal(names)}, index=table.index)",
            "table = pd.concat([table, weights], axis=1)",
        ]
    return lines


_MOST_CELLS: Final = 200_000
"""Largest number of values of a second table that a script holds."""
_DEEPEST: Final = 60
_COMPARISONS: Final = (" < ", " <= ", " > ", " >= ", " == ", " != ")
_FUNCTIONS: Final = {
    **{name: f"np.{name}" for name in ("abs", "ceil", "exp", "floor", "log", "log10", "log2", "mod", "round", "sqrt")},
    "max": "np.maximum",
    "min": "np.minimum",
    "missing": "is_missing",
    "if": "chosen",
    "+": "np.add",
    "-": "np.subtract",
    "*": "np.multiply",
    "/": "np.divide",
    "^": "np.power",
    **dict(zip(("<", "<=", ">", ">=", "=", "!="), _COMPARISONS, strict=True)),
    "and": "both",
    "or": "either",
}
"""What stands for a function or an operator of a formula."""


STEP_WRITERS: Final[dict[type[FittedFilter], StepWriter]] = {
    AttributesRemoved: _removed,
    AttributeRenamed: _renamed,
    AttributesMoved: _moved,
    KindsChanged: _changed_kinds,
    Scaled: _scaled,
    Capped: _scaled,
    DividedByNorm: _of_unit_length,
    MissingReplaced: _filled,
    Discretized: _ranges,
    Encoded: _encoded,
    ValuesMerged: _merged,
    Components: _components,
    FittedFormula: _formula,
    DatePartsAdded: _date_parts,
    DatesSubtracted: _date_difference,
    SecondTableAdded: _second_table,
    WordsCounted: _words,
}
"""The writer of each kind of fitted filter. A step of another kind is refused by name."""

# ---- text of the script ----------------------------------------------------------------------------------------------

_HEAD: Final = '''"""Prepares tables as the steps of a recipe do. They learned from {data}, {n:,} records.

Written by Coppice. Needs pandas and numpy. Use it as a program: python THIS_FILE SOURCE.csv RESULT.csv, where the
source is a table as "coppice convert DATA --out SOURCE.csv" writes it (or .parquet), or from Python:

    table = prepare(read("source.csv"))  # pandas.read_csv takes a value such as NA for a missing one
    steps = sklearn.preprocessing.FunctionTransformer(prepare)  # the first step of a pipeline of scikit-learn
"""
'''
_READ: Final = '''
def read(path):
    """The table in a file of CSV or Parquet."""
    if path.lower().endswith((".parquet", ".pq")):
        return pd.read_parquet(path)
    types = {**dict.fromkeys(NUMBERS, float), **dict.fromkeys(TEXTS, str)}
    return pd.read_csv(path, dtype=types, keep_default_na=False, na_values=[""])

'''
_PREPARE: Final = '''
def prepare(table):
    """The table after all steps; raises ValueError if a column is missing."""
    absent = [name for name in [*NUMBERS, *TEXTS] if name not in table.columns]
    if absent:
        raise ValueError(f"the table has no column {', '.join(map(repr, absent))}")
    table = table.copy()
    for name in NUMBERS:
        table[name] = table[name].astype(float)
    for name in TEXTS:
        column = table[name].astype(object)
        table[name] = column.map(str, na_action="ignore").where(column.notna(), None)
'''
_MAIN: Final = """
if __name__ == "__main__":
    source, result = sys.argv[1:]
    prepare(read(source)).to_csv(result, index=False)
"""
_HELPERS: Final = {
    "straight": '''
def straight(column, learned):
    """Linear map with bounds; halves avoid overflow of differences."""
    centre, half, factor, shift, lowest, highest = learned
    return ((column / 2 - centre / 2) / half * factor + shift).clip(lowest, highest)

''',
    "of_unit_length": '''
def of_unit_length(table, names, norm):
    """The table with the numbers of each record divided by their norm; a missing number counts as 0."""
    largest = np.zeros(len(table))
    for name in names:
        largest = np.fmax(largest, np.abs(table[name].to_numpy()))
    largest[largest == 0] = 1.0
    total = np.zeros(len(table))
    for name in names:
        share = np.nan_to_num(np.abs(table[name].to_numpy()) / largest)
        total += share if norm == "l1" else share * share
    total[total == 0] = 1.0
    lengths = {"max": 1.0, "l1": total, "l2": np.sqrt(total)}
    for name in names:
        table[name] = table[name] / largest / lengths[norm]
    return table

''',
    "even_rank": '''
def even_rank(column, learned):
    """The share of training numbers below, interpolated between quantiles; ties get the middle."""
    x, learned = column.to_numpy(), np.array(learned)
    shares, half, places = np.linspace(0, 1, len(learned)), x / 2, learned / 2
    rank = 0.5 * (np.interp(half, places, shares) - np.interp(-half, -places[::-1], -shares[::-1]))
    rank[x == learned[-1]] = 1.0
    rank[x == learned[0]] = 0.0
    return np.where(np.isnan(x), np.nan, rank)

''',
    "bell_rank": '''
def bell_rank(column, learned):
    """The normal score of the rank; needs scipy."""
    from scipy.special import ndtri

    near, x, rank = 1e-7, column.to_numpy(), even_rank(column, learned)
    rank[x + near > learned[-1]] = 1.0
    rank[x - near < learned[0]] = 0.0
    ends = ndtri(near - np.spacing(1)), ndtri(1 - (near - np.spacing(1)))
    return np.where(np.isnan(x), np.nan, np.clip(ndtri(rank), *ends))

''',
    "moments": '''
def moments(column):
    """The dates of a column (Timestamps, or texts like 2024-01-31 18:30) as numbers of microseconds, or NaT."""
    texts = ["NaT" if value is None or value != value else str(value) for value in column]
    return np.array(texts, dtype="datetime64[us]")

''',
    "seconds": '''
def seconds(column):
    """Seconds since 1970, missing where the date is."""
    dates = moments(column)
    return np.where(np.isnat(dates), np.nan, dates.astype(np.int64) / 1e6)

''',
    "date_part": '''
def date_part(column, part):
    """A part of each date, missing where the date is; 1 is Monday, weeks are those of ISO 8601."""
    dates = moments(column)
    there = ~np.isnat(dates)
    day = np.where(there, dates, np.datetime64(0, "us")).astype("datetime64[D]")
    month, year, time = day.astype("datetime64[M]"), day.astype("datetime64[Y]"), seconds(column)
    weekday = (day.astype(int) + 3) % 7 + 1
    thursday = day + (4 - weekday)
    parts = {
        "year": year.astype(int) + 1970,
        "quarter": month.astype(int) % 12 // 3 + 1,
        "month": month.astype(int) % 12 + 1,
        "week": (thursday - thursday.astype("datetime64[Y]")).astype(int) // 7 + 1,
        "day": (day - month).astype(int) + 1,
        "weekday": weekday,
        "weekend": weekday > 5,
        "yearday": (day - year).astype(int) + 1,
        "hour": np.floor(time % 86400 / 3600),
        "minute": np.floor(time % 3600 / 60),
        "days": time / 86400,
    }
    return np.where(there, parts[part], np.nan)

''',
    "listed": '''
def listed(numbers, lowest, values):
    """The value of each number in a list that begins with the lowest one; missing stays missing."""
    there = ~np.isnan(numbers)
    places = np.where(there, numbers - lowest, 0).astype(int)
    return np.where(there, np.array(values, dtype=object)[places], None)

''',
    "completed_months": '''
def completed_months(later, earlier):
    """Completed months of the calendar between dates in seconds; negative where the later one comes first."""
    later, earlier = np.broadcast_arrays(later, earlier)
    there = ~np.isnan(later) & ~np.isnan(earlier)
    high, low = np.maximum(later, earlier), np.minimum(later, earlier)

    def months_and_rest(dates):
        whole = np.floor(np.where(there, dates, 0.0)).astype(int).astype("datetime64[s]")
        start = whole.astype("datetime64[M]")
        return start.astype(int), (whole - start.astype("datetime64[s]")).astype(int) + dates % 1

    (months, rest), (first, first_rest) = months_and_rest(high), months_and_rest(low)
    completed = months - first - (rest < first_rest)
    return np.where(there, np.where(later >= earlier, completed, -completed), np.nan)

''',
    "word_weights": '''
def word_weights(texts, places, idf, stop, lower, low, high, by, norm):
    """The weights of the words of each text (n, words): counts, 1 or 0, or TF-IDF, divided by their norm."""
    find, stop, weights = re.compile(WORD).findall, set(stop), np.zeros((len(texts), len(places)))
    for record, text in enumerate(texts):
        if not isinstance(text, str):
            continue
        words = [word for word in find(text.lower() if lower else text) if word not in stop]
        for n in range(low, high + 1):
            for first in range(len(words) - n + 1):
                place = places.get(" ".join(words[first : first + n]))
                if place is not None:
                    weights[record, place] += 1.0
    if by == "binary":
        weights = (weights > 0).astype(float)
    if by == "tf-idf":
        weights *= np.array(idf)
    lengths = {"none": 1.0, "l1": weights.sum(axis=1, keepdims=True)}
    lengths["l2"] = np.sqrt((weights * weights).sum(axis=1, keepdims=True))
    return weights / np.where(lengths[norm] > 0, lengths[norm], 1.0)

'''.replace("WORD", repr(WORD)),
    "rows_of": '''
def rows_of(keys, rows, dates, moments):
    """The last row of each key in a second table, of those earlier than the date if rows have moments; -1 for none."""
    places = np.full(len(keys), -1)
    for record, key in enumerate(keys):
        first, end = rows.get(key.strip(), (0, 0)) if isinstance(key, str) else (0, 0)
        if moments is not None:
            date = np.nan if dates is None else dates[record]
            end = first if np.isnan(date) else first + np.searchsorted(moments[first:end], date, side="left")
        places[record] = end - 1 if end > first else -1
    return places

''',
    "of_rows": '''
def of_rows(places, empty, values):
    """The value of each row; ``empty`` where there is none."""
    return [values[place] if place >= 0 else empty for place in places]

''',
    "ranged": '''
def ranged(column, cuts, labels):
    """The label of the range of each number; a range excludes its upper cut."""
    named = np.array(labels, dtype=object)[np.searchsorted(np.array(cuts), column.to_numpy(), side="right")]
    return pd.Series(named, index=column.index, dtype=object).where(column.notna(), None)

''',
    "encoded": '''
def encoded(table, codes):
    """The table with numbers in place of nominal columns; the last row of numbers is that of all other values."""
    columns = {}
    for name in table.columns:
        if name not in codes:
            columns[name] = table[name]
            continue
        values, names, numbers = codes[name]
        place = table[name].map({value: i for i, value in enumerate(values)}).astype(float).fillna(len(values))
        rows = np.array(numbers, dtype=float)[place.astype(int).to_numpy()]
        columns.update(zip(names, rows.T))
    return pd.DataFrame(columns, index=table.index)

''',
    "components": '''
def components(table, parameters, names):
    """The table with principal components in place of numbers; a missing number counts as the mean."""
    scores = np.zeros((len(names), len(table)))
    for name, centre, unit, loadings in parameters:
        moved = (table[name].to_numpy() - centre) / unit
        moved[~np.isfinite(moved)] = 0.0
        scores += np.array(loadings)[:, None] * moved
    rest = table.drop(columns=[name for name, *_ in parameters])
    return pd.concat([rest, pd.DataFrame(dict(zip(names, scores)), index=table.index)], axis=1)

''',
    "known": '''
def known(answers, *parts):
    """The answers as 1 or 0, missing where one of the parts is."""
    return np.where(np.any([np.isnan(part) for part in np.broadcast_arrays(*parts)], axis=0), np.nan, answers)

''',
    "both": """
def both(a, b):
    return np.where((a == 0) | (b == 0), 0.0, known(1.0, a, b))

""",
    "either": """
def either(a, b):
    return np.where(((a != 0) & ~np.isnan(a)) | ((b != 0) & ~np.isnan(b)), 1.0, known(0.0, a, b))

""",
    "chosen": """
def chosen(asked, yes, no):
    return np.where(np.isnan(asked), np.nan, np.where(asked != 0, yes, no))

""",
    "is_missing": """
def is_missing(values):
    return np.isnan(values).astype(float)

""",
    "same_text": '''
def same_text(column, text, is_same):
    """1 or 0 where the value is, or is not, the text; missing where the value is."""
    return np.where(column.isna(), np.nan, ((column == text) == is_same).astype(float))

''',
    "finite": '''
def finite(values, n):
    """The numbers of n records; infinite ones are missing."""
    values = np.array(np.broadcast_to(values, (n,)), dtype=float)
    values[~np.isfinite(values)] = np.nan
    return values

''',
    "number_text": '''
def number_text(number):
    """The shortest text that reads as the same number."""
    if number != number:
        return None
    return str(int(number)) if abs(number) < 1e15 and number == int(number) else repr(float(number))

''',
}
"""Functions of the script by name; it gets those that its steps call."""
_NEEDED: Final = {
    "bell_rank": ("even_rank",),
    "both": ("known",),
    "either": ("known",),
    "date_part": ("moments", "seconds"),
    "seconds": ("moments",),
}
"""Functions that others call."""
