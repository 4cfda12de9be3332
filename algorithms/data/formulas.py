"""Formulas over columns: their parser, their functions, and evaluation.

Examples: ``[Body mass] / height ^ 2``, ``if(age >= 18 and town = "Bern", 1, 0)``, ``upper(trim(split(name, ",", 1)))``.
A name that is no plain word needs square brackets, with a backslash before each of its own: ``[size \\[EUR\\]]``. Text
needs quotes; a quote within it is written twice. A formula gives numbers, texts or dates. Undefined results, such as
the logarithm of -1, are missing, and so is what a function makes of a missing value. Logic is three-valued as in SQL:
"true or missing" is true, "false and missing" is false. The words ``true`` and ``false`` are 1 and 0, unless a column
has that name. Texts are changed once for each distinct one. An empty text is a value within a formula; as the value of
a column it is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.data.columns import FloatArray, missing_column
from algorithms.data.convert_kind import distinct_texts
from algorithms.data.dataset import Dataset
from algorithms.data.formula_functions import (
    FUNCTIONS,
    LONGEST,
    Checkpoint,
    FormulaDates,
    FormulaFunction,
    FormulaNode,
    FormulaTexts,
    FormulaValues,
    FunctionCall,
    kind_of_values,
    same_texts,
    written_date,
)
from algorithms.data.schema import AttributeKind, Schema

DEEPEST: Final = 40

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|\[(?P<column>(?:\\[\[\]]|[^\[\]])+)\]"
    r"|\"(?P<text>(?:[^\"]|\"\")*)\"|(?P<word>[^\W\d]\w*)|(?P<sign><=|>=|!=|<>|[-+*/^(),<>=]))"
)


def _known(answers: Any, *parts: FloatArray) -> FloatArray:
    """``answers`` as 1 or 0, missing where one of ``parts`` is."""
    unknown = np.isnan(parts[0])
    for part in parts[1:]:
        unknown = unknown | np.isnan(part)
    return np.where(unknown, np.nan, np.asarray(answers, dtype=np.float64))


def _is_true(answers: FloatArray) -> Any:
    """Mask of the answers that are known and not 0."""
    return (answers != 0) & ~np.isnan(answers)


_SIGNS: Final[Mapping[str, Callable[[FloatArray, FloatArray], FloatArray]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "mod": np.mod,
    "^": np.power,
    "<": lambda a, b: _known(a < b, a, b),
    "<=": lambda a, b: _known(a <= b, a, b),
    ">": lambda a, b: _known(a > b, a, b),
    ">=": lambda a, b: _known(a >= b, a, b),
    "=": lambda a, b: _known(a == b, a, b),
    "!=": lambda a, b: _known(a != b, a, b),
    "and": lambda a, b: np.where((a == 0) | (b == 0), 0.0, _known(True, a, b)),
    "or": lambda a, b: np.where(_is_true(a) | _is_true(b), 1.0, _known(False, a, b)),
}
_LEVELS: Final = (("or",), ("and",), ("<", "<=", ">", ">=", "=", "!="), ("+", "-"), ("*", "/", "mod"))
"""Operators by increasing precedence."""
_WORDS: Final = ("and", "or", "not")
_TRUTHS: Final[Mapping[str, float]] = {"false": 0.0, "true": 1.0}
_COMPARING: Final = 2
"""Level of comparisons in ``_LEVELS``; the operand of "not" starts there."""


def parse_formula(text: str, there: Container[str] = ()) -> FormulaNode:
    """The syntax tree of a formula; "true" and "false" are columns only if ``there``. Raises :class:`DataError`."""
    if len(text) > LONGEST:
        raise DataError(f"The formula is longer than {LONGEST:,} characters.", remedy="Make two steps of it.")
    reader = _Reader(_tokens(text), there)
    tree = reader.level(0)
    if reader.kind:
        raise DataError(f"{reader.word!r} was not expected in the formula.", remedy="A sign such as + may be missing.")
    return tree


def rename_in_formula(text: str, rename: Callable[[str], str | None]) -> str:
    """The formula with renamed columns; columns without a new or writable name keep theirs."""
    written, copied, after_value = "", 0, False
    for match in _TOKEN.finditer(text):
        kind, old = match.lastgroup, _unescaped(match.group("column") or match.group("word") or "").strip()
        calls = kind == "word" and text[match.end() :].lstrip().startswith("(")
        divides = kind == "word" and old.lower() == "mod" and after_value
        is_column = kind in ("column", "word") and not calls and not divides and old.lower() not in _WORDS
        after_value = is_column or kind in ("number", "text") or match[0].endswith(")")
        if not is_column:
            continue
        new = rename(old)
        if new is None or new == old or not is_writable(new):
            continue
        begin = match.start() + len(match[0]) - len(match[0].lstrip())
        written += text[copied:begin] + column_formula(new)
        copied = match.end()
    return written + text[copied:]


def function_at(text: str, position: int) -> FormulaFunction | None:
    """Find the innermost function around a position of an unfinished formula; None outside all brackets."""
    opened: list[FormulaFunction | None] = []
    word = ""
    if len(text) > LONGEST:  # no formula; reading one takes quadratic time
        return None
    for match in _TOKEN.finditer(text[:position]):
        if match["sign"] == "(":
            opened.append(FUNCTIONS.get(word))
        elif match["sign"] == ")" and opened:
            opened.pop()
        word = (match["word"] or "").lower()
    return next((function for function in reversed(opened) if function is not None), None)


def is_writable(column: str) -> bool:
    """Whether a formula can name the column: a backslash before a bracket cannot be written."""
    return re.search(r"\\(?:[\[\]]|$)", column) is None


def column_formula(column: str) -> str:
    """The formula of a column alone: its name, in brackets if it is no plain word."""
    is_taken = column.lower() in (*_WORDS, *_TRUTHS, "mod")
    return f"[{_escaped(column)}]" if is_taken or not re.fullmatch(r"[^\W\d]\w*", column) else column


def _escaped(column: str) -> str:
    """The name with a backslash before each bracket."""
    return re.sub(r"([\[\]])", r"\\\1", column)


def _unescaped(column: str) -> str:
    return re.sub(r"\\([\[\]])", r"\1", column)


def _tokens(text: str) -> list[tuple[str, str, int]]:
    tokens, position, end = [], 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            rest = text[position:].strip()[:10]
            raise DataError(
                f"{rest!r} cannot be read in the formula.", remedy='Write names like [this], text like "this".'
            )
        value = match[match.lastgroup]
        value = _unescaped(value) if match.lastgroup == "column" else value
        value = value.replace('""', '"') if match.lastgroup == "text" else value
        tokens.append((match.lastgroup, value, match.start(match.lastgroup) + 1))
        position = match.end()
    return tokens


class _Reader:
    def __init__(self, tokens: list[tuple[str, str, int]], there: Container[str]) -> None:
        self._tokens, self._there = tokens, there
        self._at = self._depth = 0

    @property
    def kind(self) -> str:
        return self._tokens[self._at][0] if self._at < len(self._tokens) else ""

    @property
    def word(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _is(self, *signs: str) -> bool:
        return self.kind in ("sign", "word") and self.word.replace("<>", "!=").lower() in signs

    def level(self, level: int) -> FormulaNode:
        """Parse operators of this precedence level or higher."""
        if level == len(_LEVELS):
            return self._power()
        if level == _COMPARING and self._is("not"):
            self._at += 1
            return FormulaNode("not", None, (self._deeper(lambda: self.level(_COMPARING)),))
        node = self.level(level + 1)
        while self._is(*_LEVELS[level]):
            sign = self.word.replace("<>", "!=").lower()
            self._at += 1
            node = FormulaNode(sign, None, (node, self.level(level + 1)))
        return node

    def _power(self) -> FormulaNode:
        if self._is("-", "+"):
            sign = self.word
            self._at += 1
            inner = self._deeper(self._power)
            return inner if sign == "+" else FormulaNode("negative", None, (inner,))
        base = self._one()
        if self._is("^"):
            self._at += 1
            return FormulaNode("^", None, (base, self._deeper(self._power)))
        return base

    def _one(self) -> FormulaNode:
        kind, word = self.kind, self.word
        position = self._tokens[self._at][2] if kind else 0
        self._at += 1
        if kind == "number":
            return FormulaNode("number", float(word))
        if kind == "text":
            return FormulaNode("text", word)
        if kind == "column":
            return FormulaNode("column", word.strip())
        if kind == "word" and self._is("("):
            return self._call(word, position)
        if kind == "word" and word.lower() in _TRUTHS and word not in self._there:
            return FormulaNode("number", _TRUTHS[word.lower()])
        if kind == "word":
            return FormulaNode("column", word)
        if word == "(":
            node = self._deeper(lambda: self.level(0))
            self._expect(")")
            return node
        raise DataError(f"Something is missing before {word!r}." if word else "The formula ends too early.")

    def _call(self, name: str, position: int) -> FormulaNode:
        function = FUNCTIONS.get(name.lower())
        if function is None:
            raise DataError(f"There is no function {name!r}.", remedy=f"There are: {', '.join(FUNCTIONS)}.")
        self._at += 1
        given = [self._deeper(lambda: self.level(0))]
        while self._is(","):
            self._at += 1
            given.append(self._deeper(lambda: self.level(0)))
        self._expect(")")
        if not function.least <= len(given) <= function.most:
            sentence = f"{name} takes {function.taken}, not {len(given)}."
            raise DataError(sentence, remedy=f"It is written {function.usage}.")
        return FormulaNode("call", name.lower(), tuple(given), position)

    def _deeper(self, read: Callable[[], FormulaNode]) -> FormulaNode:
        self._depth += 1
        if self._depth > DEEPEST:
            raise DataError("The formula is nested too deeply.", remedy="Make two steps of it.")
        node = read()
        self._depth -= 1
        return node

    def _expect(self, sign: str) -> None:
        if not self._is(sign):
            raise DataError(f"A {sign!r} is missing in the formula.")
        self._at += 1


# ---- evaluation ------------------------------------------------------------------------------------------------------


def formula_values(part: FormulaNode, data: Dataset, checkpoint: Checkpoint = lambda: None) -> FormulaValues:
    """Numbers, texts or dates (n,) of the formula; infinite numbers are missing.

    Raises :class:`DataError` for a column or a value of the wrong kind. ``checkpoint`` is called often and may raise.
    """
    with np.errstate(all="ignore"):
        values = _Evaluator(data, checkpoint).values(part)
    if isinstance(values, FormulaTexts):
        return FormulaTexts(values.labels, np.broadcast_to(values.codes, (len(data),)))
    is_date = isinstance(values, FormulaDates)
    numbers = np.broadcast_to(values.seconds if isinstance(values, FormulaDates) else values, (len(data),))
    numbers = numbers.astype(np.float64)
    numbers[~np.isfinite(numbers)] = np.nan
    return FormulaDates(numbers) if is_date else numbers


def evaluate_formula(part: FormulaNode, data: Dataset, checkpoint: Checkpoint = lambda: None) -> FloatArray:
    """Number of the formula for each record (n,); raises :class:`DataError` if it gives texts or dates."""
    values = formula_values(part, data, checkpoint)
    if not isinstance(values, FormulaTexts | FormulaDates):
        return values
    if part.what == "text":
        raise DataError(f'"{part.value}" can only be compared with a column, by = or !=.')
    if part.what == "column":
        raise _no_number(part.value, data)
    remedy = "number(text) reads the number in a text, year(date) is one of a date."
    raise DataError(f"The formula gives {kind_of_values(values)} where a number is needed.", remedy=remedy)


class _Evaluator:
    """Evaluates the nodes of one formula; texts of a column are listed once."""

    def __init__(self, data: Dataset, checkpoint: Checkpoint) -> None:
        self._data, self._checkpoint = data, checkpoint
        self._columns: dict[str, FormulaValues] = {}

    def values(self, part: FormulaNode) -> FormulaValues:
        """The values of a node; chains of operators are evaluated from the left without recursion."""
        joined: list[FormulaNode] = []
        while part.what in _SIGNS:
            joined.append(part)
            part = part.parts[0]
        values, left = self._single(part), part
        for node in reversed(joined):
            right = self.values(node.parts[1])
            values, left = self._joined(node, left, values, right), node
        return values

    def _joined(self, node: FormulaNode, left: FormulaNode, one: FormulaValues, other: FormulaValues) -> FloatArray:
        sign, right = node.what, node.parts[1]
        if isinstance(one, FormulaDates) or isinstance(other, FormulaDates):
            if sign in _LEVELS[_COMPARING]:
                seconds = [
                    v.seconds
                    if isinstance(v, FormulaDates)
                    else written_date(p.value, sign)
                    if p.what == "text"
                    else None
                    for p, v in ((left, one), (right, other))
                ]
                if seconds[0] is not None and seconds[1] is not None:
                    return _SIGNS[sign](seconds[0], seconds[1])
        elif isinstance(one, FormulaTexts) and isinstance(other, FormulaTexts) and sign in ("=", "!="):
            return (
                same_texts(one, other, self._checkpoint)
                if sign == "="
                else 1 - same_texts(one, other, self._checkpoint)
            )
        elif sign in ("=", "!=") and "text" in (left.what, right.what):
            text = left if left.what == "text" else right
            raise DataError(f'"{text.value}" can only be compared with a column of values.')
        return np.asarray(_SIGNS[sign](self._number(left, one), self._number(right, other)), dtype=np.float64)

    def _number(self, part: FormulaNode, values: FormulaValues) -> FloatArray:
        if not isinstance(values, FormulaTexts | FormulaDates):
            return values
        if part.what == "column":
            raise _no_number(part.value, self._data)
        if part.what == "text":
            raise DataError(f'"{part.value}" can only be compared with a column, by = or !=.')
        remedy = "number(text) reads the number in a text, days(date) counts those since 1970."
        raise DataError(f"{part.value or part.what} gives {kind_of_values(values)}, not a number.", remedy=remedy)

    def _single(self, part: FormulaNode) -> FormulaValues:
        if part.what == "number":
            return np.array(part.value)
        if part.what == "text":
            return FormulaTexts([part.value], np.array(0))
        if part.what == "column":
            if part.value not in self._columns:
                self._columns[part.value] = self._column(self._data.schema.index_of(part.value))
            return self._columns[part.value]
        if part.what == "call" and part.value == "missing" and part.parts[0].what == "column":
            return self._data.missing(self._data.schema.index_of(part.parts[0].value)).astype(np.float64)
        values = tuple(self.values(inner) for inner in part.parts)
        if part.what == "call":
            return FUNCTIONS[part.value].compute(FunctionCall(part, values, self._data, self._checkpoint))
        number = self._number(part.parts[0], values[0])
        return -number if part.what == "negative" else _known(number == 0, number)

    def _column(self, index: int) -> FormulaValues:
        attribute, column = self._data.schema.attributes[index], self._data.column(index)
        if attribute.kind is AttributeKind.DATE:
            return FormulaDates(np.asarray(column, dtype=np.float64))
        if attribute.kind.is_float:
            return np.asarray(column, dtype=np.float64)
        if attribute.kind.is_coded:
            return FormulaTexts(attribute.values, column)
        return FormulaTexts(*distinct_texts(column, self._checkpoint))


def _no_number(name: str, data: Dataset) -> DataError:
    kind = data.schema.attributes[data.schema.index_of(name)].kind
    remedy = f'Compare it with a text, [{name}] = "value", or read its number: number([{name}]).'
    if kind is AttributeKind.DATE:
        remedy = f"Ask it for a part: year([{name}]), month, day, weekday, hour, or days since 1970."
    sentence = f"{name} is {kind.value}: a formula cannot use it as a number."
    return DataError(sentence, remedy=remedy, place=name)


def check_columns(formula: FormulaNode, schema: Schema, class_sentence: str) -> None:
    """Raise :class:`DataError` for an unknown column, for the class with ``class_sentence``."""
    for name in formula.columns():
        if schema.index_of(name) == schema.class_index:
            raise DataError(f"{name} is {class_sentence}", remedy="Leave it out.", place=name)


def without_records(schema: Schema) -> Dataset:
    """A data set of this schema without records, on which a formula can be checked."""
    return Dataset(schema, [missing_column(attribute, 0) for attribute in schema.attributes])


def constant_value(formula: FormulaNode) -> float | None:
    """Value of a formula without columns, NaN if undefined; None for one with columns."""
    return None if formula.columns() else float(evaluate_formula(formula, NO_COLUMNS)[0])


NO_COLUMNS: Final = Dataset(Schema((), None), [], row_ids=np.zeros(1, dtype=np.int64))
"""One record without columns."""
