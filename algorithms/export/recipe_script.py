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
from algorithms.data.conditions import CellSearch
from algorithms.data.convert_kind import as_strings
from algorithms.data.dataset import Dataset, ReplayedEdit
from algorithms.data.dates import ISO, PARTS_OF_DATES, parse_dates
from algorithms.data.formula_functions import FormulaNode, pattern_of_regex
from algorithms.data.formulas import parse_formula
from algorithms.data.number_formats import PLAIN
from algorithms.data.schema import AttributeKind, Schema
from algorithms.export.script_functions import FURTHER_LIBRARIES, HEAD, HELPERS, MAIN, PREPARE, READ
from algorithms.filters.arrange_attributes import AttributeRenamed, AttributesMoved, AttributesRemoved, KindsChanged
from algorithms.filters.cleaning_rules import (
    AddFormula,
    ConvertColumn,
    CutColumn,
    MissingMarks,
    RemoveColumns,
    RenameColumn,
    RenameValues,
    ReplaceText,
)
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
from algorithms.filters.text_counts import WordsCounted

Lines = list[str]
StepWriter = Callable[[Any, Schema, Schema], Lines]
"""Writes a fitted filter as lines, given the schema before and after it; raises :class:`_UnsaidError`."""


class _UnsaidError(Exception):
    """The step cannot be written; the text says what of it ("nearest neighbours")."""


def recipe_script(recipe: Recipe, fitted: FittedRecipe, data: Dataset, raw: Dataset | None = None) -> str:
    """Write a recipe as a Python script; ``fitted`` has what its steps learned from ``data``.

    ``raw`` is the table before the cleaning rules of ``data``, which the script then carries out; without it a comment
    names them. Steps that change training records only are left out with a comment.

    Raises :class:`DataError` for the first step or rule that cannot be written.
    """
    sample, body = data.take(np.arange(min(1, len(data)))), Lines()
    learned = iter(fitted.filters)
    rules, schema = data.origin.cleaning, data.schema
    if rules and raw is not None:
        schema = raw.schema
        for rule in rules:
            changed, _ = rule.apply(raw, lambda: None)
            body += ["", f"# {_comment(rule.words)}", *_rule_lines(rule, raw, changed)]
            raw = changed
    elif rules:
        words = [f"#   {_comment(rule.words)}" for rule in rules]
        body += [
            "",
            "# The table must have been cleaned by these rules already, which this script leaves to you:",
            *words,
        ]
    for number, step in enumerate(recipe, start=1):
        if step.only_training:
            body += ["", f"# {number}. {step.name}: changes training records only, so it is left out"]
            continue
        own = next(learned)
        changed = own.transform(sample)
        body += ["", f"# {number}. {step.name}", *_step_lines(step, own, sample.schema, changed.schema)]
        sample = changed
    numbers = [a.name for a in schema.attributes if a.kind is AttributeKind.NUMERIC]
    texts = [a.name for a in schema.attributes if a.kind is not AttributeKind.NUMERIC]
    helpers = _helpers_of("\n".join(body))
    further = [name for name, needed_by in FURTHER_LIBRARIES.items() if needed_by in helpers]
    libraries = f"{', '.join(('pandas', *further))} and numpy"
    prepare = [*PREPARE.strip().split("\n"), *(f"    {line}".rstrip() for line in body), "    return table"]
    parts = [
        HEAD.format(data=_comment(data.origin.name), n=len(data), libraries=libraries),
        ("import re\n" if any("re." in HELPERS[name] for name in helpers) else "")
        + "import sys\n\nimport numpy as np\nimport pandas as pd\n",
        f"NUMBERS = {_literal(numbers)}\nTEXTS = {_literal(texts)}\n",
        *(f"\n{HELPERS[name].strip()}\n" for name in HELPERS if name in helpers),
        f"\n{READ.strip()}\n",
        "\n".join(["", *prepare]),
        f"\n\n{MAIN.strip()}\n",
    ]
    return "\n".join(parts)


def _helpers_of(text: str) -> set[str]:
    """The functions of the script that a text calls, and those that they call."""
    needed: set[str] = set()
    while more := {name for name in HELPERS if name not in needed and re.search(rf"\b{name}\b", text)}:
        needed |= more
        text = "\n".join(HELPERS[name] for name in more)
    return needed


def write_recipe_script(
    path: str | Path, recipe: Recipe, data: Dataset, context: RunContext, raw: Dataset | None = None
) -> FittedRecipe:
    """Fit the steps on the labelled records of ``data``, write their script, and return what they learned.

    ``raw`` is the table before its cleaning rules. Raises :class:`DataError` for a step or a rule that cannot be
    written or fitted; the file at ``path`` then stays.
    """
    steps = tuple(step for step in recipe if not step.only_training)
    fitted, _ = fit_recipe(steps, data.labelled(), context)
    write_text(path, recipe_script(recipe, fitted, data, raw), commit=context.commit)
    return fitted


def _rule_lines(rule: ReplayedEdit, before: Dataset, after: Dataset) -> Lines:
    try:
        return RULE_WRITERS[type(rule)](rule, before, after)
    except _UnsaidError as error:
        raise DataError(
            f"The cleaning rule {rule.words!r} cannot be written as a script: {error}.",
            remedy="Remove the rule, or let the program write the table.",
        ) from None


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
    column = f"table[{_literal(after.names[-1])}]"
    allowed = f", {_literal(list(fitted.values))}" if fitted.kind.is_coded else ""
    tree = parse_formula(fitted.formula, before)
    if not all(name in before for name in tree.columns()):
        return [f"{column} = {'np.nan' if fitted.kind is AttributeKind.NUMERIC else 'None'}"]
    return _computed(column, tree, before, allowed)


def _computed(column: str, tree: FormulaNode, schema: Schema, allowed: str = "") -> Lines:
    """Lines that set a column to the values of a formula; ``allowed`` ends the call for texts with their values."""
    values, kind = _expression(tree, schema, 0)
    whole = {
        _NUMBER: f"finite({values}, len(table))",
        _DATE: f"moment_texts(finite({values}, len(table)))",
        _TEXT: f"text_column({values}, len(table){allowed})",
    }[kind]
    return ["with np.errstate(all='ignore'):", f"    {column} = {whole}"]


_NUMBER, _DATE, _TEXT = "number", "date", "text"
"""Kinds of expressions: an array of numbers or of seconds since 1970, and an array of texts and None, or one text."""


def _expression(part: FormulaNode, schema: Schema, depth: int) -> tuple[str, str]:
    """A part of a formula as an expression, and its kind; raises :class:`_UnsaidError` for deep nesting."""
    if depth > _DEEPEST:
        raise _UnsaidError(f"more than {_DEEPEST} operations in a row")
    if part.what == "number":
        return f"np.float64({_literal(part.value)})", _NUMBER
    if part.what == "text":
        return _literal(part.value), _TEXT
    if part.what == "column":
        column, kind = f"table[{_literal(part.value)}]", schema.attributes[schema.index_of(part.value)].kind
        if kind is AttributeKind.DATE:
            return f"seconds({column})", _DATE
        return (f"{column}.to_numpy()", _NUMBER) if kind.is_float else (f"plain_texts({column})", _TEXT)
    given = [_expression(inner, schema, depth + 1) for inner in part.parts]
    values, kinds = [value for value, _ in given], [kind for _, kind in given]
    if part.what == "call" and part.value in _TEXT_FUNCTIONS:
        return _TEXT_FUNCTIONS[part.value](part, values, kinds)
    if part.what == "call" and part.value in PARTS_OF_DATES:
        return f"date_part({_as_seconds(part.parts[0], values[0])}, {_literal(part.value)})", _NUMBER
    if part.what == "negative":
        return f"np.negative({values[0]})", _NUMBER
    if part.what == "not":
        return f"known({values[0]} == 0, {values[0]})", _NUMBER
    function = _FUNCTIONS[part.value if part.what == "call" else part.what]
    if function in _COMPARISONS and _DATE in kinds:
        values = [_as_seconds(inner, value) for inner, value in zip(part.parts, values, strict=True)]
    elif function in _COMPARISONS and _TEXT in kinds:
        return f"same_text({values[0]}, {values[1]}, {part.what == '='})", _NUMBER
    if function in _COMPARISONS:
        return f"known({function.join(values)}, {', '.join(values)})", _NUMBER
    return f"{function}({', '.join(values)})", _NUMBER


def _as_seconds(part: FormulaNode, value: str) -> str:
    """The expression of dates; a text in quotes is one."""
    return f"np.float64({_literal(float(parse_dates([part.value], ISO)[0]))})" if part.what == "text" else value


def _if_of(_part: FormulaNode, values: Sequence[str], kinds: Sequence[str]) -> tuple[str, str]:
    return f"{'chosen_text' if kinds[1] == _TEXT else 'chosen'}({', '.join(values)})", kinds[1]


def _missing_of(_part: FormulaNode, values: Sequence[str], kinds: Sequence[str]) -> tuple[str, str]:
    return f"{'is_none' if kinds[0] == _TEXT else 'is_missing'}({values[0]})", _NUMBER


def _split_of(part: FormulaNode, values: Sequence[str], _kinds: Sequence[str]) -> tuple[str, str]:
    third = part.parts[2]
    n = -third.parts[0].value if third.what == "negative" else third.value
    return f"each(lambda text: part_of(text, {values[1]}, {int(n)}), {values[0]})", _TEXT


def _number_of(_part: FormulaNode, values: Sequence[str], _kinds: Sequence[str]) -> tuple[str, str]:
    mark = values[1] if len(values) > 1 else "'.'"
    forms = {
        "'.'": ("point-comma", "point-apostrophe", "point-space"),
        "','": ("comma-point", "comma-apostrophe", "comma-space"),
    }
    return f"numbers_of({values[0]}, {_literal([*map(_marks, forms[mark])])})", _NUMBER


def _marks(form: str) -> tuple[str, str]:
    signs = {"point": ".", "comma": ",", "apostrophe": "'", "space": " "}
    decimal, thousands = form.split("-")
    return signs[decimal], signs[thousands]


def _concat_of(_part: FormulaNode, values: Sequence[str], kinds: Sequence[str]) -> tuple[str, str]:
    as_text = {_NUMBER: "number_texts({})", _DATE: "date_texts({})", _TEXT: "{}"}
    parts = [as_text[kind].format(value) for value, kind in zip(values, kinds, strict=True)]
    return f"each(lambda *parts: ''.join(parts), {', '.join(parts)})", _TEXT


def _extract_of(part: FormulaNode, values: Sequence[str], _kinds: Sequence[str]) -> tuple[str, str]:
    pattern = _literal(pattern_of_regex(str(part.parts[1].value)))
    return f"each(lambda text: first_match(text, {pattern}), {values[0]})", _TEXT


def _age_of(part: FormulaNode, values: Sequence[str], _kinds: Sequence[str]) -> tuple[str, str]:
    born, date = (_as_seconds(inner, value) for inner, value in zip(part.parts, values, strict=True))
    return f"np.trunc(completed_months({date}, {born}) / 12) + 0.0", _NUMBER


_TEXT_FUNCTIONS: Final[dict[str, Callable[[FormulaNode, Sequence[str], Sequence[str]], tuple[str, str]]]] = {
    "trim": lambda _part, values, _kinds: (f"each(str.strip, {values[0]})", _TEXT),
    "upper": lambda _part, values, _kinds: (f"each(str.upper, {values[0]})", _TEXT),
    "lower": lambda _part, values, _kinds: (f"each(str.lower, {values[0]})", _TEXT),
    "length": lambda _part, values, _kinds: (f"each(len, {values[0]}).astype(float)", _NUMBER),
    "replace": lambda _part, values, _kinds: (f"each(replaced, {', '.join(values)})", _TEXT),
    "extract": _extract_of,
    "date": lambda _part, values, _kinds: (f"dates_of({', '.join(values)})", _DATE),
    "split": _split_of,
    "number": _number_of,
    "concat": _concat_of,
    "age": _age_of,
    "if": _if_of,
    "missing": _missing_of,
}
"""Functions whose values are not all numbers; each gets the expressions of its values and their kinds."""


# ---- cleaning rules --------------------------------------------------------------------------------------------------


def _rename_rule(rule: RenameColumn, before: Dataset, after: Dataset) -> Lines:
    if before.schema.names == after.schema.names:
        return []
    return [f"table = table.rename(columns={_literal({rule.column or '': rule.to})})"]


def _remove_rule(_rule: RemoveColumns, before: Dataset, after: Dataset) -> Lines:
    gone = [name for name in before.schema.names if name not in after.schema]
    return [f"table = table.drop(columns={_literal(gone)})"] if gone else []


def _kind_in(data: Dataset, name: str) -> AttributeKind | None:
    return data.schema.attributes[data.schema.index_of(name)].kind if name in data.schema else None


def _convert_rule(rule: ConvertColumn, before: Dataset, after: Dataset) -> Lines:
    name = rule.column or ""
    given, kind, column = _kind_in(before, name), _kind_in(after, name), f"table[{_literal(name)}]"
    if given is kind or kind is None or given is None:
        return []
    if given is AttributeKind.DATE:
        own = f"seconds({column})"
        return [f"{column} = {own if kind is AttributeKind.NUMERIC else f'moment_texts({own})'}"]
    if kind is AttributeKind.NUMERIC:
        form = rule.numbers
        return [f"{column} = column_numbers({column}, {_literal((form.decimal, form.thousands))}, {form.accounting})"]
    if kind is AttributeKind.DATE:
        own = (
            f"{column}.to_numpy()"
            if given is AttributeKind.NUMERIC
            else f"dates_of(plain_texts({column}), {_literal(rule.format)})"
        )
        return [f"{column} = moment_texts({own})"]
    return [f"{column} = number_column({column})"] if given is AttributeKind.NUMERIC else []


def _values_rule(rule: RenameValues, before: Dataset, _after: Dataset) -> Lines:
    name = rule.column or ""
    kind, column = _kind_in(before, name), f"table[{_literal(name)}]"
    if kind is None:
        return []
    given = f"pd.Series(moment_texts(seconds({column})), index=table.index)" if kind is AttributeKind.DATE else column
    return [f"{column} = renamed_values({given}, {_literal(dict(rule.names))})"]


def _replace_rule(rule: ReplaceText, before: Dataset, _after: Dataset) -> Lines:
    lines = Lines()
    search = CellSearch(rule.old, None, rule.whole, rule.match_case)
    for name in rule.columns or before.schema.names:
        kind = _kind_in(before, name)
        if (
            kind is None
            or not rule.old
            or not search.could_be_in(before.schema.attributes[before.schema.index_of(name)])
        ):
            continue
        if kind is AttributeKind.DATE:
            raise _UnsaidError(f"it may change the dates of {name!r}")
        column = f"table[{_literal(name)}]"
        options = f"{_literal(rule.old)}, {_literal(rule.new)}, {rule.whole}, {rule.match_case}"
        lines.append(f"{column} = replaced_cells({column}, {options}, {kind.is_coded})")
    return lines


def _marks_rule(rule: MissingMarks, before: Dataset, _after: Dataset) -> Lines:
    names = [
        name for name in rule.columns or before.schema.names if _kind_in(before, name) not in (None, AttributeKind.DATE)
    ]
    numbers = [number for number in map(PLAIN.parse, rule.marks) if not np.isnan(number)]
    column = "table[name]"
    marks = f"{_literal(list(rule.marks))}, {_literal(numbers)}"
    return [f"for name in {_literal(names)}:", f"    {column} = without_marks({column}, {marks})"] if names else []


def _cut_rule(rule: CutColumn, before: Dataset, after: Dataset) -> Lines:
    name, lines = rule.column or "", Lines()
    if before is after or name not in before.schema:
        return lines
    if _kind_in(before, name) is not AttributeKind.NUMERIC:
        first = ConvertColumn.of(before, before.schema.index_of(name), AttributeKind.NUMERIC, lambda: None)
        numbers, _ = first.apply(before, lambda: None)
        lines += _convert_rule(first, before, numbers)
    cuts = tuple(map(float, rule.cuts))
    ranges = f"ranged(table[{_literal(name)}], {_literal(list(cuts))}, {_literal(list(range_labels(cuts)))})"
    if not rule.keep:
        return [*lines, f"table[{_literal(name)}] = {ranges}"]
    place = after.schema.index_of(name) + 1
    return [*lines, f"table.insert({place}, {_literal(after.schema.names[place])}, {ranges})"]


def _formula_rule(rule: AddFormula, before: Dataset, after: Dataset) -> Lines:
    if len(after.schema) == len(before.schema):
        return []
    tree = parse_formula(rule.formula, before.schema)
    return _computed(f"table[{_literal(after.schema.names[-1])}]", tree, before.schema)


RULE_WRITERS: Final[dict[type[Any], Callable[[Any, Dataset, Dataset], Lines]]] = {
    RenameColumn: _rename_rule,
    RemoveColumns: _remove_rule,
    ConvertColumn: _convert_rule,
    RenameValues: _values_rule,
    ReplaceText: _replace_rule,
    MissingMarks: _marks_rule,
    CutColumn: _cut_rule,
    AddFormula: _formula_rule,
}
"""The writer of each kind of cleaning rule, given the table before and after it."""


# ---- dates, second tables and words ----------------------------------------------------------------------------------


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
