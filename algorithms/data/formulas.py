"""Formulas over columns: their parser and evaluation.

Examples: ``[Body mass] / height ^ 2``, ``if(age >= 18 and town = "Bern", 1, 0)``, ``days(left) - days(came)``. A name
that is no plain word needs square brackets, with a backslash before each of its own: ``[size \\[EUR\\]]``. Text needs
quotes. Undefined results, such as the logarithm of -1, are missing. Logic is three-valued as in SQL: "true or missing"
is true, "false and missing" is false. The words ``true`` and ``false`` are 1 and 0, unless a column has that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.dates import PARTS_OF_DATES
from algorithms.data.schema import AttributeKind, Schema

LONGEST: Final = 2000
DEEPEST: Final = 40

_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|\[(?P<column>(?:\\[\[\]]|[^\[\]])+)\]"
    r"|\"(?P<text>[^\"]*)\"|(?P<word>[^\W\d]\w*)|(?P<sign><=|>=|!=|<>|[-+*/^(),<>=]))"
)

_FUNCTIONS: Final[Mapping[str, tuple[int, Callable[..., FloatArray]]]] = {
    "abs": (1, np.abs),
    "ceil": (1, np.ceil),
    "exp": (1, np.exp),
    "floor": (1, np.floor),
    "if": (3, lambda asked, yes, no: np.where(np.isnan(asked), np.nan, np.where(asked != 0, yes, no))),
    "log": (1, np.log),
    "log10": (1, np.log10),
    "log2": (1, np.log2),
    "max": (2, np.maximum),
    "min": (2, np.minimum),
    "missing": (1, lambda a: np.isnan(a).astype(np.float64)),
    "mod": (2, np.mod),
    "round": (1, np.round),
    "sqrt": (1, np.sqrt),
}


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


@dataclass(frozen=True)
class FormulaNode:
    """Node of a syntax tree: a ``number``, ``column`` or ``text``, or an operator or function with its ``parts``."""

    what: str
    value: Any = None
    parts: tuple[FormulaNode, ...] = ()

    def columns(self) -> tuple[str, ...]:
        """The columns of the formula, in order of appearance."""
        names: list[str] = []
        waiting = [self]
        while waiting:  # no recursion: a sum of a thousand terms is a thousand levels deep
            part = waiting.pop()
            names += [part.value] if part.what == "column" else []
            waiting += reversed(part.parts)
        return tuple(dict.fromkeys(names))


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


def is_writable(column: str) -> bool:
    """Whether a formula can name the column: a backslash before a bracket cannot be written."""
    return re.search(r"\\(?:[\[\]]|$)", column) is None


def column_formula(column: str) -> str:
    """The formula of a column alone: its name, in brackets if it is no plain word."""
    is_taken = column.lower() in (*_WORDS, *_TRUTHS, *_FUNCTIONS, *PARTS_OF_DATES)
    return f"[{_escaped(column)}]" if is_taken or not re.fullmatch(r"[^\W\d]\w*", column) else column


def _escaped(column: str) -> str:
    """The name with a backslash before each bracket."""
    return re.sub(r"([\[\]])", r"\\\1", column)


def _unescaped(column: str) -> str:
    return re.sub(r"\\([\[\]])", r"\1", column)


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, position, end = [], 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            rest = text[position:].strip()[:10]
            raise DataError(
                f"{rest!r} cannot be read in the formula.", remedy='Write names like [this], text like "this".'
            )
        value = match[match.lastgroup]
        tokens.append((match.lastgroup, _unescaped(value) if match.lastgroup == "column" else value))
        position = match.end()
    return tokens


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]], there: Container[str]) -> None:
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
        self._at += 1
        if kind == "number":
            return FormulaNode("number", float(word))
        if kind == "text":
            return FormulaNode("text", word)
        if kind == "column":
            return FormulaNode("column", word.strip())
        if kind == "word" and self._is("("):
            return self._call(word)
        if kind == "word" and word.lower() in _TRUTHS and word not in self._there:
            return FormulaNode("number", _TRUTHS[word.lower()])
        if kind == "word":
            return FormulaNode("column", word)
        if word == "(":
            node = self._deeper(lambda: self.level(0))
            self._expect(")")
            return node
        raise DataError(f"Something is missing before {word!r}." if word else "The formula ends too early.")

    def _call(self, name: str) -> FormulaNode:
        if name.lower() not in (*_FUNCTIONS, *PARTS_OF_DATES):
            there = ", ".join((*_FUNCTIONS, *PARTS_OF_DATES))
            raise DataError(f"There is no function {name!r}.", remedy=f"There are: {there}.")
        self._at += 1
        given = [self._deeper(lambda: self.level(0))]
        while self._is(","):
            self._at += 1
            given.append(self._deeper(lambda: self.level(0)))
        self._expect(")")
        needed = _FUNCTIONS[name.lower()][0] if name.lower() in _FUNCTIONS else 1
        if len(given) != needed:
            raise DataError(f"{name} takes {needed} {'value' if needed == 1 else 'values'}, not {len(given)}.")
        if name.lower() in PARTS_OF_DATES and given[0].what != "column":
            raise DataError(f"{name} asks a column of dates.", remedy=f"Write {name.lower()}([name of the column]).")
        return FormulaNode("call", name.lower(), tuple(given))

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


def evaluate_formula(part: FormulaNode, data: Dataset) -> FloatArray:
    """Value of the formula for each record (n,); raises :class:`DataError` for a column of the wrong kind."""
    with np.errstate(all="ignore"):
        values = np.broadcast_to(_value(part, data), (len(data),)).astype(np.float64)
    values[~np.isfinite(values)] = np.nan
    return values


def _value(part: FormulaNode, data: Dataset) -> FloatArray:
    """The value of a node; chains of operators are evaluated from the left without recursion."""
    joined: list[FormulaNode] = []
    while part.what in _SIGNS and not _compares_text(part):
        joined.append(part)
        part = part.parts[0]
    values = _single(part, data)
    for node in reversed(joined):
        values = np.asarray(_SIGNS[node.what](values, _value(node.parts[1], data)), dtype=np.float64)
    return values


def _compares_text(part: FormulaNode) -> bool:
    return part.what in ("=", "!=") and "text" in (part.parts[0].what, part.parts[1].what)


def _single(part: FormulaNode, data: Dataset) -> FloatArray:
    if part.what == "number":
        return np.array(part.value)
    if part.what == "column":
        return _numbers(part.value, data)
    if part.what == "text":
        raise DataError(f'"{part.value}" can only be compared with a column, by = or !=.')
    if _compares_text(part):
        return _is_text(part, data)
    if part.what == "call" and part.value == "missing" and part.parts[0].what == "column":
        return data.missing(data.schema.index_of(part.parts[0].value)).astype(np.float64)
    if part.what == "call" and part.value in PARTS_OF_DATES:
        name = part.parts[0].value
        index = data.schema.index_of(name)
        if data.schema.attributes[index].kind is not AttributeKind.DATE:
            sentence = f"{name} is {data.schema.attributes[index].kind.value}: {part.value} asks a column of dates."
            raise DataError(sentence, remedy="Make it dates before, by the step Change kind.", place=name)
        return PARTS_OF_DATES[part.value](np.asarray(data.column(index), dtype=np.float64))
    values = [_value(inner, data) for inner in part.parts]
    if part.what == "negative":
        return -values[0]
    if part.what == "not":
        return _known(values[0] == 0, values[0])
    return np.asarray(_FUNCTIONS[part.value][1](*values), dtype=np.float64)


def _numbers(name: str, data: Dataset) -> FloatArray:
    index = data.schema.index_of(name)
    if data.schema.attributes[index].kind is not AttributeKind.NUMERIC:
        kind = data.schema.attributes[index].kind.value
        remedy = f'Compare it with a text: [{name}] = "value".'
        if data.schema.attributes[index].kind is AttributeKind.DATE:
            remedy = f"Ask it for a part: year([{name}]), month, day, weekday, hour, or days since 1970."
        raise DataError(f"{name} is {kind}: a formula cannot use it as a number.", remedy=remedy, place=name)
    return np.asarray(data.column(index), dtype=np.float64)


def _is_text(part: FormulaNode, data: Dataset) -> FloatArray:
    """Comparison of a nominal column with a text: 1 or 0, missing if the value is."""
    first, second = part.parts
    text, column = (first, second) if first.what == "text" else (second, first)
    index = data.schema.index_of(column.value) if column.what == "column" else -1
    if index < 0 or not data.schema.attributes[index].kind.is_coded:
        raise DataError(f'"{text.value}" can only be compared with a column of values.')
    codes = data.column(index)
    same = codes == data.schema.attributes[index].code_of(text.value)
    return np.where(codes < 0, np.nan, (same == (part.what == "=")).astype(np.float64))


KINDS: Final = (AttributeKind.NUMERIC, AttributeKind.NOMINAL, AttributeKind.ORDINAL, AttributeKind.DATE)
"""Kinds of columns that a formula can use."""


def check_columns(formula: FormulaNode, schema: Schema, class_sentence: str) -> None:
    """Raise :class:`DataError` for an unknown or unusable column, for the class with ``class_sentence``."""
    for name in formula.columns():
        index = schema.index_of(name)
        if index == schema.class_index:
            raise DataError(f"{name} is {class_sentence}", remedy="Leave it out.", place=name)
        kind = schema.attributes[index].kind
        if kind not in KINDS:
            raise DataError(f"{name} is {kind.value}: a formula cannot use it.", place=name)


def constant_value(formula: FormulaNode) -> float | None:
    """Value of a formula without columns, NaN if undefined; None for one with columns."""
    return None if formula.columns() else float(evaluate_formula(formula, NO_COLUMNS)[0])


NO_COLUMNS: Final = Dataset(Schema((), None), [], row_ids=np.zeros(1, dtype=np.int64))
"""One record without columns."""
