"""Values of formulas (numbers, texts, dates), and the functions of formulas with their help.

A function gets the values of all records at once. Texts are distinct labels with a code for each record, so that a
function of texts works once on each distinct text; a missing value gives a missing one.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.data.columns import STRING, Column, FloatArray, IntArray
from algorithms.data.convert_kind import date_labels, number_label
from algorithms.data.dataset import Dataset
from algorithms.data.dates import ISO, KNOWN_FORMATS, PARTS_OF_DATES, completed_months, parse_dates
from algorithms.data.number_formats import NumberForm, NumberFormat

LONGEST: Final = 2000
"""Largest number of characters of a formula."""
LONGEST_PATTERN: Final = 200
"""Largest number of characters of a regular expression."""
LONGEST_SEARCHED: Final = 10_000
"""So many characters of a text are searched for a regular expression."""
_SHORT_SEARCH: Final = 0.01
_LONG_SEARCH: Final = 1.0
"""Seconds for a search that holds the interpreter lock, and for one that releases it; no text may take longer."""
LONGEST_MADE: Final = 1_000_000
"""Largest number of characters of a text that a formula makes."""
MOST_REPEATED: Final = 10_000
"""Most parts of a regular expression with its counted repeats written out, as its compiler does."""
_BLOCK: Final = 4096
Checkpoint = Callable[[], None]


@dataclass(frozen=True)
class FormulaNode:
    """Node of a syntax tree: a ``number``, ``column`` or ``text``, or an operator or function with its ``parts``.

    ``position`` is the place of a function in the formula, counted in characters from 1.
    """

    what: str
    value: Any = None
    parts: tuple[FormulaNode, ...] = ()
    position: int = field(default=0, compare=False)

    def columns(self) -> tuple[str, ...]:
        """The columns of the formula, in order of appearance."""
        names: list[str] = []
        waiting = [self]
        while waiting:  # no recursion: a sum of a thousand terms is a thousand levels deep
            part = waiting.pop()
            names += [part.value] if part.what == "column" else []
            waiting += reversed(part.parts)
        return tuple(dict.fromkeys(names))


# ---- values ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FormulaTexts:
    """Texts of n records: ``codes`` (n,) of ``labels``, -1 where missing, or one code () for all."""

    labels: Sequence[str]
    codes: IntArray

    def distinct(self) -> tuple[str, ...]:
        """The texts that some record has, without the empty one."""
        used = np.unique(self.codes[self.codes >= 0]).tolist()
        return tuple(dict.fromkeys(self.labels[code] for code in used if self.labels[code]))

    def codes_in(self, values: Sequence[str]) -> IntArray:
        """The code of each record (n,) in a list of values, -1 for other texts and missing ones."""
        code_of = {value: code for code, value in enumerate(values)}
        table = np.array([*(code_of.get(label, -1) for label in self.labels), -1], dtype=np.int64)
        return table[self.codes]

    def column(self, checkpoint: Checkpoint) -> Column:
        """The texts (n,) of a text column; empty ones are missing."""
        table: Column = np.array([*(label or np.nan for label in self.labels), np.nan], dtype=STRING)
        texts = np.empty(len(self.codes), dtype=STRING)
        for start in range(0, len(texts), _BLOCK):
            checkpoint()
            texts[start : start + _BLOCK] = table[self.codes[start : start + _BLOCK]]
        return texts


@dataclass(frozen=True, eq=False)
class FormulaDates:
    """Dates of n records as ``seconds`` (n,) or () since 1970, NaN where missing."""

    seconds: FloatArray


FormulaValues = FloatArray | FormulaTexts | FormulaDates


def kind_of_values(values: FormulaValues) -> str:
    return {FormulaTexts: "a text", FormulaDates: "a date"}.get(type(values), "a number")


def _blocks(labels: Sequence[Any], checkpoint: Checkpoint) -> Iterator[Sequence[Any]]:
    for start in range(0, len(labels), _BLOCK):
        checkpoint()
        yield labels[start : start + _BLOCK]


def _joint(parts: Sequence[FormulaTexts]) -> tuple[list[Sequence[int]], IntArray]:
    """The codes of each part in each of m distinct combinations, and the combination of each record, -1 if missing."""
    varying = [part for part in parts if part.codes.ndim]
    if any(not part.codes.ndim and part.codes < 0 for part in parts):
        return [[] for _ in parts], np.full(np.broadcast_shapes(*(part.codes.shape for part in parts)), -1)
    if len(varying) < 2:
        m = len(varying[0].labels) if varying else 1
        rows: list[Sequence[int]] = [range(m) if part.codes.ndim else [int(part.codes)] * m for part in parts]
        return rows, varying[0].codes if varying else np.array(0)
    joined = np.zeros(len(varying[0].codes), dtype=np.int64)
    first = np.zeros(0, dtype=np.int64)
    for part in varying:
        own = part.codes.astype(np.int64)
        joined = np.where((joined < 0) | (own < 0), -1, joined * len(part.labels) + own)
        distinct, first, joined = np.unique(joined, return_index=True, return_inverse=True)
        if len(distinct) and distinct[0] < 0:
            first, joined = first[1:], joined - 1
    m = len(first)
    return [part.codes[first].tolist() if part.codes.ndim else [int(part.codes)] * m for part in parts], joined


def _combinations(
    parts: Sequence[FormulaTexts], rows: Sequence[Sequence[int]], checkpoint: Checkpoint
) -> Iterator[tuple[str, ...]]:
    for block in _blocks(range(len(rows[0])), checkpoint):
        for place in block:
            yield tuple(part.labels[codes[place]] for part, codes in zip(parts, rows, strict=True))


def _texts_by(parts: Sequence[FormulaTexts], change: Callable[..., str | None], checkpoint: Checkpoint) -> FormulaTexts:
    """What ``change`` makes of the texts of each record; missing where one of them is, or for None."""
    rows, codes = _joint(parts)
    code_of: dict[str, int] = {}
    table = np.full(len(rows[0]) + 1, -1, dtype=np.int64)
    for place, combination in enumerate(_combinations(parts, rows, checkpoint)):
        text = change(*combination)
        if text is not None:
            table[place] = code_of.setdefault(text, len(code_of))
    return FormulaTexts(list(code_of), table[codes])


def _numbers_by(texts: FormulaTexts, read: Callable[[Sequence[str]], Any], checkpoint: Checkpoint) -> FloatArray:
    """The numbers that ``read`` returns for blocks of distinct texts, for each record; missing where the text is."""
    blocks = [np.asarray(read(block), dtype=np.float64) for block in _blocks(texts.labels, checkpoint)]
    table = np.concatenate([*blocks, [np.nan]])
    return np.asarray(table[texts.codes])


# ---- functions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FunctionCall:
    """A function with the values given to it, which are checked as it asks for them; errors name it and its place."""

    node: FormulaNode
    values: tuple[FormulaValues, ...]
    data: Dataset
    checkpoint: Checkpoint

    def numbers(self, place: int) -> FloatArray:
        values = self.values[place]
        if isinstance(values, FormulaTexts | FormulaDates):
            raise self.error(place, "a number", "number(text) reads the number in a text, year(date) is one of a date.")
        return values

    def texts(self, place: int) -> FormulaTexts:
        values = self.values[place]
        if not isinstance(values, FormulaTexts):
            raise self.error(place, "a text", "concat(value) makes a text of a number or a date.")
        return values

    def dates(self, place: int) -> FloatArray:
        """Seconds since 1970; a text in quotes is a date of ISO 8601."""
        values, node = self.values[place], self.node.parts[place]
        if isinstance(values, FormulaDates):
            return values.seconds
        if node.what == "text":
            return written_date(node.value, self.name)
        raise self.error(place, "a date", "date(text) reads one, and so does the step Change kind.")

    def constant(self, place: int, needed: str) -> str:
        """A text in quotes."""
        if self.node.parts[place].what != "text":
            raise self.error(place, needed, "Write it in quotes.")
        return str(self.node.parts[place].value)

    @property
    def name(self) -> str:
        return f"{self.node.value} (character {self.node.position})"

    def error(self, place: int, needed: str, remedy: str) -> DataError:
        part, given = self.node.parts[place], self.values[place]
        if part.what == "column":
            kind = self.data.schema.attributes[self.data.schema.index_of(part.value)].kind.value
            what = f"{part.value} is {kind}"
        else:
            what = f'"{part.value}" is not' if part.what == "text" else f"this is {kind_of_values(given)}"
        sentence = f"{self.name} needs {needed} as its {_ORDINALS[place]} value, but {what}."
        return DataError(sentence, remedy=remedy, place=part.value if part.what == "column" else "")


_ORDINALS: Final = ("first", "second", "third")
"""Places of values that may be of the wrong kind; concat takes any."""


def written_date(text: str, where: str) -> FloatArray:
    seconds = parse_dates([text], ISO)
    if np.isnan(seconds[0]):
        raise DataError(f'{where}: "{text}" is no date.', remedy="Write it as 2024-01-31, or 2024-01-31 18:30.")
    return np.asarray(seconds[0])


@dataclass(frozen=True)
class FormulaFunction:
    """A function of formulas: its ``usage`` such as "upper(text)", a sentence of help, and how it is computed.

    It takes ``least`` to ``most`` values.
    """

    usage: str
    help: str
    least: int
    most: int
    compute: Callable[[FunctionCall], FormulaValues]

    @property
    def taken(self) -> str:
        """How many values it takes, in words."""
        if self.most > self.least + 1:
            return f"{self.least} or more values"
        both = f"{self.least} or {self.most}" if self.most > self.least else str(self.least)
        return f"{both} {'value' if self.most == 1 else 'values'}"


def _of_numbers(usage: str, help: str, function: Callable[..., FloatArray]) -> FormulaFunction:
    n = usage.count(",") + 1
    return FormulaFunction(usage, help, n, n, lambda call: function(*(call.numbers(i) for i in range(n))))


def _of_text(usage: str, help: str, change: Callable[[str], str]) -> FormulaFunction:
    return FormulaFunction(usage, help, 1, 1, lambda call: _texts_by([call.texts(0)], change, call.checkpoint))


def _of_date(part: str, help: str) -> FormulaFunction:
    return FormulaFunction(f"{part}(date)", help, 1, 1, lambda call: PARTS_OF_DATES[part](call.dates(0)))


def _if(call: FunctionCall) -> FormulaValues:
    asked, yes, no = call.numbers(0), call.values[1], call.values[2]
    if isinstance(yes, FormulaTexts) and isinstance(no, FormulaTexts):
        other = np.where(no.codes < 0, -1, no.codes.astype(np.int64) + len(yes.labels))
        codes = np.where(np.isnan(asked), -1, np.where(asked != 0, yes.codes.astype(np.int64), other))
        return FormulaTexts([*yes.labels, *no.labels], codes)
    if isinstance(yes, FormulaDates) and isinstance(no, FormulaDates):
        return FormulaDates(_chosen(asked, yes.seconds, no.seconds))
    if isinstance(yes, FormulaTexts | FormulaDates) or isinstance(no, FormulaTexts | FormulaDates):
        sentence = f"{call.name} gives {kind_of_values(yes)} in one case and {kind_of_values(no)} in the other."
        raise DataError(sentence, remedy="Give both cases one kind; concat(value) makes a text, number(text) a number.")
    return _chosen(asked, yes, no)


def _chosen(asked: FloatArray, yes: FloatArray, no: FloatArray) -> FloatArray:
    return np.where(np.isnan(asked), np.nan, np.where(asked != 0, yes, no))


def _missing(call: FunctionCall) -> FloatArray:
    values = call.values[0]
    if isinstance(values, FormulaTexts):
        return (values.codes < 0).astype(np.float64)
    return np.isnan(values.seconds if isinstance(values, FormulaDates) else values).astype(np.float64)


def _replace(call: FunctionCall) -> FormulaTexts:
    if call.node.parts[1].what == "text" and not call.node.parts[1].value:
        raise DataError(
            f"{call.name} has no text to replace.", remedy='Write it in quotes, as in replace(code, "-", "").'
        )

    def changed(text: str, old: str, new: str) -> str:
        if not old:
            return text
        if len(new) > len(old):
            _check_length(call, len(text) + text.count(old) * (len(new) - len(old)))
        return text.replace(old, new)

    return _texts_by([call.texts(0), call.texts(1), call.texts(2)], changed, call.checkpoint)


def _check_length(call: FunctionCall, n: int) -> None:
    """Raise :class:`DataError` if a text of ``n`` characters is too long: some functions in one another fill memory."""
    if n > LONGEST_MADE:
        sentence = f"{call.name} would make a text of more than {LONGEST_MADE:,} characters."
        raise DataError(sentence, remedy="Replace or join less.")


def _split(call: FunctionCall) -> FormulaTexts:
    separator, third = call.constant(1, "a separator"), call.node.parts[2]
    number = third.parts[0] if third.what == "negative" else third
    if not separator:
        raise DataError(f"{call.name} has no separator.", remedy='Write one in quotes, as in split(name, ",", 1).')
    if number.what != "number" or number.value not in range(1, LONGEST_MADE + 1):
        remedy = "1 is the first part, -1 the last one."
        raise DataError(f"{call.name} needs the number of a part as its third value.", remedy=remedy)
    n = int(number.value) * (-1 if third.what == "negative" else 1)

    def part(text: str) -> str | None:
        parts = text.split(separator)
        return parts[n - 1 if n > 0 else n] if abs(n) <= len(parts) else None

    return _texts_by([call.texts(0)], part, call.checkpoint)


_BRACE: Final = re.compile(r"(\\N\{[^}]*\}|\\.)|\{(?!\d+(?:,\d*)?\}|,\d*\})", re.DOTALL)
"""An escaped character, or a brace that begins no count of repeats: the library regex would search it fuzzily."""
_REPEATED: Final = re.compile(r"(.?)\{(\d+)", re.DOTALL)


def pattern_of_regex(pattern: str) -> str:
    """A pattern of the standard library as one of the library regex in its version 0."""
    return _BRACE.sub(lambda found: found[1] or r"\{", pattern)


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> Any:
    """The compiled pattern; the standard library must read it too, since its documentation says what patterns are.

    The library regex searches, here and in scripts of recipes: to it alone a combining accent is part of a word.
    """
    import regex  # late: few formulas need it

    with warnings.catch_warnings():
        # a warning refuses the pattern, as for [[:alpha:]]; warnings of other modules stay warnings
        warnings.filterwarnings("error", module=re.escape(__name__))
        re.compile(pattern)
    parts = len(pattern)
    for before, digits in _REPEATED.findall(pattern):  # only those of groups can lie within one another
        n = max(1, int(digits))
        parts = parts * n if before == ")" or not before.strip() else parts + n
    if parts > MOST_REPEATED:
        raise ValueError("It repeats too much")
    try:
        return regex.compile(pattern_of_regex(pattern), regex.VERSION0)
    except regex.error as error:
        raise ValueError(str(error)) from None


def _extract(call: FunctionCall) -> FormulaTexts:
    pattern = call.constant(1, "a regular expression")
    if len(pattern) > LONGEST_PATTERN:
        sentence = f"The regular expression of {call.name} is longer than {LONGEST_PATTERN} characters."
        raise DataError(sentence, remedy="Make two steps of it.")
    try:
        search = _pattern(pattern).search
    except (re.error, ValueError, OverflowError, RecursionError, Warning) as error:
        sentence = f"{call.name} cannot read the regular expression {pattern!r}: {str(error).rstrip('.')}."
        raise DataError(sentence, remedy=r"Write one such as \d+ for digits, or ^\w+ for the first word.") from None

    def first(text: str) -> str | None:
        text = text[:LONGEST_SEARCHED]
        call.checkpoint()
        try:
            match = search(text, timeout=_SHORT_SEARCH)
        except TimeoutError:
            call.checkpoint()
            match = _long_search(call, search, text)
        return None if match is None else match[1 if match.re.groups else 0]

    return _texts_by([call.texts(0)], first, call.checkpoint)


def _long_search(call: FunctionCall, search: Callable[..., Any], text: str) -> Any:
    """The match in a text that takes long; raises :class:`DataError` after a second."""
    try:
        return search(text, timeout=_LONG_SEARCH, concurrent=True)
    except TimeoutError:
        shown = f"{text[:20]}..." if len(text) > 20 else text
        sentence = f"The regular expression of {call.name} takes too long on {shown!r}."
        raise DataError(sentence, remedy="Repeat no part that has a repeated part itself, as in (a+)+.") from None


def _number(call: FunctionCall) -> FloatArray:
    mark = call.constant(1, "a decimal mark") if len(call.values) > 1 else "."
    if mark not in (".", ","):
        raise DataError(f'{call.name}: "{mark}" is no decimal mark.', remedy='Write "." or ",".')
    others = ("," if mark == "." else ".", "'", " ")
    forms = [NumberForm(NumberFormat(mark, thousands, "", True), ()) for thousands in others]

    def parsed(text: str) -> float:
        return next((value for form in forms if (value := form.parse_any(text)) == value), np.nan)

    return _numbers_by(call.texts(0), lambda texts: [parsed(text) for text in texts], call.checkpoint)


def _length(call: FunctionCall) -> FloatArray:
    return _numbers_by(call.texts(0), lambda texts: [len(text) for text in texts], call.checkpoint)


def _as_texts(values: FormulaValues, checkpoint: Checkpoint) -> FormulaTexts:
    """Numbers in their shortest form and dates of ISO 8601, each as it stands alone in a column."""
    if isinstance(values, FormulaTexts):
        return values
    numbers = values.seconds if isinstance(values, FormulaDates) else values
    distinct, codes = np.unique(np.where(np.isfinite(numbers), numbers, np.nan) + 0.0, return_inverse=True)
    if len(distinct) and np.isnan(distinct[-1]):
        distinct, codes = distinct[:-1], np.where(codes == len(distinct) - 1, -1, codes)
    labels: list[str] = []
    for start in range(0, len(distinct), _BLOCK):
        checkpoint()
        block = distinct[start : start + _BLOCK]
        if isinstance(values, FormulaDates):
            whole = block % 86400 == 0
            days, moments = (iter(date_labels(block[mask]).tolist()) for mask in (whole, ~whole))
            labels += [next(days) if is_day else next(moments).replace("T", " ") for is_day in whole.tolist()]
        else:
            labels += [number_label(number) for number in block.tolist()]
    return FormulaTexts(labels, codes.reshape(numbers.shape).astype(np.int64))


def _concat(call: FunctionCall) -> FormulaTexts:
    parts = [_as_texts(values, call.checkpoint) for values in call.values]

    def joined(*texts: str) -> str:
        _check_length(call, sum(map(len, texts)))
        return "".join(texts)

    return _texts_by(parts, joined, call.checkpoint)


def _age(call: FunctionCall) -> FloatArray:
    months = completed_months(*np.broadcast_arrays(call.dates(1), call.dates(0)))
    return np.trunc(months / 12) + 0.0


def _date(call: FunctionCall) -> FormulaDates:
    format = call.constant(1, "a date format") if len(call.values) > 1 else ISO
    if format not in KNOWN_FORMATS:
        known = ", ".join(sorted(KNOWN_FORMATS - {ISO})[:8])
        raise DataError(f'{call.name}: "{format}" is no known date format.', remedy=f"There are {known} and others.")
    return FormulaDates(_numbers_by(call.texts(0), lambda texts: parse_dates(texts, format), call.checkpoint))


FUNCTIONS: Final[Mapping[str, FormulaFunction]] = {
    "abs": _of_numbers("abs(number)", "The number without its sign.", np.abs),
    "ceil": _of_numbers("ceil(number)", "The next whole number above.", np.ceil),
    "exp": _of_numbers("exp(number)", "e to the power of the number.", np.exp),
    "floor": _of_numbers("floor(number)", "The next whole number below.", np.floor),
    "if": FormulaFunction(
        "if(condition, value, other)", "The value where the condition is true, else the other one.", 3, 3, _if
    ),
    "log": _of_numbers("log(number)", "The natural logarithm.", np.log),
    "log10": _of_numbers("log10(number)", "The logarithm to base 10.", np.log10),
    "log2": _of_numbers("log2(number)", "The logarithm to base 2.", np.log2),
    "max": _of_numbers("max(number, number)", "The larger of two numbers.", np.maximum),
    "min": _of_numbers("min(number, number)", "The smaller of two numbers.", np.minimum),
    "missing": FormulaFunction("missing(value)", "1 where the value is missing, else 0.", 1, 1, _missing),
    "mod": _of_numbers("mod(number, divisor)", "The remainder of a division.", np.mod),
    "round": _of_numbers("round(number)", "The nearest whole number.", np.round),
    "sqrt": _of_numbers("sqrt(number)", "The square root.", np.sqrt),
    "trim": _of_text("trim(text)", "The text without blanks at its ends.", str.strip),
    "upper": _of_text("upper(text)", "The text in capitals.", str.upper),
    "lower": _of_text("lower(text)", "The text in small letters.", str.lower),
    "replace": FormulaFunction(
        "replace(text, old, new)", "The text with another text in place of each old one.", 3, 3, _replace
    ),
    "split": FormulaFunction(
        "split(text, separator, n)", "The part number n between separators; -1 is the last one.", 3, 3, _split
    ),
    "extract": FormulaFunction(
        "extract(text, pattern)",
        r"The first match of a regular expression such as \d+, or of its first group in brackets.",
        2,
        2,
        _extract,
    ),
    "number": FormulaFunction(
        "number(text, decimal mark)",
        'The number in a text such as 1,234.50 or 12 %; "," for numbers such as 1.234,50.',
        1,
        2,
        _number,
    ),
    "length": FormulaFunction("length(text)", "The number of characters.", 1, 1, _length),
    "concat": FormulaFunction("concat(value, value, ...)", "The values as one text.", 1, LONGEST, _concat),
    "date": FormulaFunction(
        "date(text, format)", "The date in a text such as 2024-01-31, or in a format such as %d.%m.%Y.", 1, 2, _date
    ),
    "age": FormulaFunction(
        "age(born, date)", 'The completed years between two dates, such as age(born, "2024-12-31").', 2, 2, _age
    ),
    "year": _of_date("year", "The year of a date, such as 2024."),
    "quarter": _of_date("quarter", "The quarter of a date, 1 to 4."),
    "month": _of_date("month", "The month of a date, 1 to 12."),
    "week": _of_date("week", "The week of a date by ISO 8601, 1 to 53."),
    "day": _of_date("day", "The day of the month, 1 to 31."),
    "weekday": _of_date("weekday", "The day of the week, 1 (Monday) to 7."),
    "yearday": _of_date("yearday", "The day of the year, 1 to 366."),
    "hour": _of_date("hour", "The hour of a date, 0 to 23."),
    "minute": _of_date("minute", "The minute of a date, 0 to 59."),
    "days": _of_date("days", "The days since 1970, so that two dates can be subtracted."),
}
"""All functions by name, in the order of lists."""


def same_texts(one: FormulaTexts, other: FormulaTexts, checkpoint: Checkpoint) -> FloatArray:
    """1 or 0 where two texts are equal or not; missing where one of them is."""
    id_of: dict[str, int] = {}
    tables = []
    for texts in (one, other):
        ids = [id_of.setdefault(label, len(id_of)) for block in _blocks(texts.labels, checkpoint) for label in block]
        tables.append(np.array([*ids, -1], dtype=np.int64))
    unknown = (one.codes < 0) | (other.codes < 0)
    return np.where(unknown, np.nan, (tables[0][one.codes] == tables[1][other.codes]).astype(np.float64))


def help_on_formulas() -> str:
    """What a formula may consist of, in one sentence."""
    usages = [function.usage for name, function in FUNCTIONS.items() if name not in PARTS_OF_DATES]
    return (
        "Columns by name, in [brackets] if not one word; + - * / mod ^, < <= = != > >=, and, or, not, true, false; "
        f'"texts" in quotes; {", ".join(usages)}; of dates {", ".join(PARTS_OF_DATES)}.'
    )
