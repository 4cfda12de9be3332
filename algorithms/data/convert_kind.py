"""Conversion of an attribute from one kind to another, and its values as text.

A value that is invalid in the new kind raises :class:`DataError`, which names it; nothing is lost silently. Numbers
become labels in their shortest form (``0.1``, ``3``, not ``3.0``) that converts back bit for bit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.data.columns import STRING, Column, FloatArray, IntArray, smallest_code_dtype
from algorithms.data.dataset import Dataset
from algorithms.data.dates import ISO, fitting_formats, parse_dates
from algorithms.data.number_formats import PLAIN, NumberForm, NumberFormat, number_form, says_code
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import count_distinct
from algorithms.text.numbers import OWN_DIGITS

MAX_VALUES: Final = 10_000
"""Largest number of distinct values of a nominal attribute."""

Checkpoint = Callable[[], None]

MOST_CLASSES: Final = 100
"""Largest number of distinct values of a numeric or text column that becomes the class as labels."""
_BLOCK: Final = 8192
_FIRST: Final = 2000
"""Number of records or values inspected to decide whether a column looks like amounts."""
_SCALES: Final[tuple[tuple[str, ...], ...]] = (
    ("very low", "low", "medium low", "medium", "medium high", "high", "very high"),
    ("low", "med", "medium", "moderate", "high", "vhigh", "very high"),
    ("low", "normal", "high"),
    ("extra small", "small", "medium", "large", "extra large"),
    ("tiny", "small", "med", "medium", "big", "large", "huge"),
    ("xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"),
    ("none", "mild", "moderate", "severe"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    ("very bad", "bad", "ok", "good", "very good", "vgood"),
    ("unacc", "acc", "good", "vgood"),
    ("cold", "cool", "mild", "warm", "hot"),
    ("worse", "same", "better"),
    ("primary", "secondary", "tertiary"),
    ("first", "second", "third", "fourth", "fifth"),
    ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    (
        *("january", "february", "march", "april", "may", "june"),
        *("july", "august", "september", "october", "november", "december"),
    ),
)


def recast(data: Dataset, index: int, kind: AttributeKind, checkpoint: Checkpoint = lambda: None) -> Dataset:
    """``data`` with attribute ``index`` converted to ``kind``; the same object if it has that kind.

    A nominal attribute that becomes ordinal gets its values in :func:`natural_order`. Raises :class:`DataError` if a
    value is invalid in the new kind, or for more than ``MAX_VALUES`` distinct values.
    """
    attribute = data.schema.attributes[index]
    if attribute.kind is kind:
        return data
    if attribute.kind.is_string and kind.is_string:
        return data.with_schema(data.schema.with_attribute(index, replace(attribute, kind=kind)))
    if attribute.kind is AttributeKind.ORDINAL and kind is AttributeKind.NOMINAL:
        return data.with_schema(data.schema.with_attribute(index, replace(attribute, kind=kind)))
    column = data.column(index)
    if kind.is_coded:
        values, codes = _categories(attribute, column, checkpoint)
        nominal_data = data.with_column(index, replace(attribute, kind=AttributeKind.NOMINAL, values=values), codes)
        return nominal_data if kind is AttributeKind.NOMINAL else reordered(nominal_data, index, natural_order(values))
    changed = replace(attribute, kind=kind, values=())
    if kind.is_string:
        return data.with_column(index, changed, as_strings(attribute, column, checkpoint))
    return data.with_column(index, changed, _as_floats(attribute, column, kind, checkpoint))


def reordered(data: Dataset, index: int, order: Sequence[str]) -> Dataset:
    """The data with a nominal attribute made ordinal in this order of its values; else raises :class:`DataError`."""
    attribute = data.schema.attributes[index]
    if sorted(order) != sorted(attribute.values):
        raise DataError("The order must name every value once.", place=attribute.name)
    rank = {value: code for code, value in enumerate(order)}
    table = np.array([*(rank[value] for value in attribute.values), -1], dtype=smallest_code_dtype(len(order)))
    changed = replace(attribute, kind=AttributeKind.ORDINAL, values=tuple(order))
    return data.with_column(index, changed, table[data.column(index)])


def natural_order(values: Sequence[str]) -> tuple[str, ...]:
    """The values in expected order: by size, by known scale, or by first number; unchanged if none applies."""
    numbers = [read_number(value) for value in values]
    if all(number is not None for number in numbers):
        return _sorted_by(values, [float(number or 0.0) for number in numbers])
    words = [re.sub(r"[\s_-]+", " ", value).strip().lower() for value in values]
    for scale in _SCALES:
        if len(set(words)) == len(words) and set(words) <= set(scale):
            return _sorted_by(values, [scale.index(word) for word in words])
    first_numbers = [re.search(r"\d+(?:\.\d+)?", value) for value in values]
    if all(first_numbers):
        below = [value.lstrip().startswith("<") for value in values]
        keys = [
            (float(digits.group()) if digits else 0.0, not low)
            for digits, low in zip(first_numbers, below, strict=True)
        ]
        return _sorted_by(values, keys)
    return tuple(values)


def number_label(number: float) -> str:
    """The shortest text that parses to the same number; integers without a decimal point."""
    if abs(number) < 1e15 and number == int(number):
        return str(int(number))
    return repr(float(number))


def date_labels(seconds: FloatArray, checkpoint: Checkpoint = lambda: None) -> Column:
    """Dates (seconds since 1970, none missing) as ISO text; only the day if all are midnights (UTC)."""
    whole = bool(np.all(seconds == np.floor(seconds)))
    unit = "us" if not whole else "D" if np.all(seconds % 86400 == 0) else "s"
    text = np.empty(len(seconds), dtype=STRING)
    for start in range(0, len(seconds), _BLOCK):
        checkpoint()
        micros = np.round(seconds[start : start + _BLOCK] * 1e6).astype(np.int64).astype("datetime64[us]")
        text[start : start + _BLOCK] = np.datetime_as_string(micros.astype(f"datetime64[{unit}]"))
    return text


def _categories(attribute: Attribute, column: Column, checkpoint: Checkpoint) -> tuple[tuple[str, ...], Column]:
    """The values in order, and the code of every record."""
    if attribute.kind.is_coded:
        return attribute.values, column
    if attribute.kind.is_string:
        return _string_categories(attribute, column, checkpoint)
    missing = np.isnan(column)
    distinct, inverse = np.unique(column[~missing] + 0.0, return_inverse=True)
    _check_categories(attribute, len(distinct))
    if attribute.kind is AttributeKind.DATE:
        values = tuple(date_labels(distinct).tolist())
    else:
        values = tuple(number_label(number) for number in distinct.tolist())
    codes = np.full(len(column), -1, dtype=smallest_code_dtype(len(values)))
    codes[~missing] = inverse
    return values, codes


def distinct_texts(
    column: Column, checkpoint: Checkpoint, check: Callable[[int], None] = lambda n: None
) -> tuple[list[str], IntArray]:
    """The distinct texts of a column of strings in order of appearance, and the code of each record, -1 if missing.

    ``check`` gets the number of distinct texts after each block, and may raise.
    """
    code_of: dict[str, int] = {}
    codes = np.full(len(column), -1, dtype=np.int64)
    present = ~np.isnan(column)
    for start in range(0, len(column), _BLOCK):
        checkpoint()
        here = present[start : start + _BLOCK]
        block = column[start : start + _BLOCK][here].tolist()
        codes[start : start + _BLOCK][here] = [code_of.setdefault(value, len(code_of)) for value in block]
        check(len(code_of))
    return list(code_of), codes


def _string_categories(attribute: Attribute, column: Column, checkpoint: Checkpoint) -> tuple[tuple[str, ...], Column]:
    labels, codes = distinct_texts(column, checkpoint, partial(_check_categories, attribute))
    values = natural_order(sorted(labels))
    rank = {value: code for code, value in enumerate(values)}
    table = np.array([*(rank[value] for value in labels), -1], dtype=smallest_code_dtype(len(values)))
    return values, table[codes]


def _check_categories(attribute: Attribute, n_distinct: int) -> None:
    if n_distinct > MAX_VALUES:
        raise DataError(
            f"Column {attribute.name!r} has more than {MAX_VALUES:,} different values: too many for categories.",
            remedy="Leave it out, or keep it as it is.",
            place=attribute.name,
        )


def as_strings(attribute: Attribute, column: Column, checkpoint: Checkpoint = lambda: None) -> Column:
    """The labels, dates or numbers of a column as text; missing ones stay missing."""
    if attribute.kind.is_coded:
        return _labels_of(attribute, column, checkpoint)
    present = np.flatnonzero(~np.isnan(column))
    text = np.full(len(column), np.nan, dtype=STRING)
    if attribute.kind is AttributeKind.DATE:
        text[present] = date_labels(column[present], checkpoint)
        return text
    for start in range(0, len(present), _BLOCK):
        checkpoint()
        rows = present[start : start + _BLOCK]
        text[rows] = _number_labels(column[rows])
    return text


def _labels_of(attribute: Attribute, codes: Column, checkpoint: Checkpoint) -> Column:
    """The label of every code, in blocks, since numpy holds the interpreter lock while it copies strings."""
    table: Column = np.array([*attribute.values, np.nan], dtype=STRING)
    text = np.empty(len(codes), dtype=STRING)
    for start in range(0, len(codes), _BLOCK):
        checkpoint()
        text[start : start + _BLOCK] = table[codes[start : start + _BLOCK]]
    return text


def _number_labels(numbers: FloatArray) -> Column:
    whole = (numbers == np.floor(numbers)) & (np.abs(numbers) < 1e15)
    if np.all(whole):
        text: Column = numbers.astype(np.int64).astype(STRING)
        return text
    return np.array([number_label(number) for number in numbers.tolist()], dtype=STRING)


def _as_floats(attribute: Attribute, column: Column, kind: AttributeKind, checkpoint: Checkpoint) -> FloatArray:
    if attribute.kind.is_float:
        return column
    read = _read_numbers if kind is AttributeKind.NUMERIC else _read_dates
    if attribute.kind.is_coded:
        used = np.unique(column[column >= 0])
        table = np.full(len(attribute.values) + 1, np.nan)
        table[used] = read(attribute, np.array([attribute.values[code] for code in used.tolist()], dtype=STRING))
        floats: FloatArray = table[column]
        return floats
    present = np.flatnonzero(~np.isnan(column))
    numbers = np.full(len(column), np.nan)
    if kind is AttributeKind.DATE:
        numbers[present] = _read_dates(attribute, column[present], checkpoint)
        return numbers
    numbers[present] = _read_numbers(attribute, column[present], checkpoint)
    return numbers


def _read_numbers(attribute: Attribute, text: Column, checkpoint: Checkpoint = lambda: None) -> FloatArray:
    """Numbers (m,) of texts in one format, NaN if blank; raises :class:`DataError` if none fits or it is ambiguous."""
    numbers = np.full(len(text), np.nan)
    for start in range(0, len(text), _BLOCK):
        checkpoint()
        read = _plain_numbers(text[start : start + _BLOCK])
        if read is None:
            break
        numbers[start : start + _BLOCK] = read
    else:
        return numbers
    distinct: dict[str, float] = {}
    for start in range(0, len(text), _BLOCK):
        checkpoint()
        distinct.update(dict.fromkeys(text[start : start + _BLOCK].tolist(), np.nan))
    form = written_numbers(attribute, list(distinct), checkpoint)
    distinct = {label: form.parse(label) for label in distinct}
    too_large = [label for label, value in distinct.items() if np.isnan(value) and label.strip()]
    if too_large:
        raise _unreadable(attribute, too_large, "numbers", "Correct these values, or keep it nominal or text.")
    for start in range(0, len(text), _BLOCK):
        checkpoint()
        numbers[start : start + _BLOCK] = [distinct[label] for label in text[start : start + _BLOCK].tolist()]
    return numbers


def _plain_numbers(text: Column) -> FloatArray | None:
    """Numbers of the texts (m,), all with a decimal point; None if one is not such a number."""
    try:
        if np.any(np.strings.find(text, "_") >= 0):
            return None
        numbers: FloatArray = text.astype(np.float64)
    except ValueError:
        return None
    return numbers if np.all(np.isfinite(numbers)) else None


def written_numbers(attribute: Attribute, labels: Sequence[str], checkpoint: Checkpoint = lambda: None) -> NumberFormat:
    """The number format of all labels but blank ones; raises :class:`DataError` if none fits or it is ambiguous."""
    distinct = [label for label in dict.fromkeys(labels) if label.strip()]
    checkpoint()
    if not distinct:
        return PLAIN
    form = number_form(distinct)
    if form is None or form.misfits:
        wrong = [label for label in distinct if read_number(label) is None] if form is None else form.misfits
        raise _unreadable(attribute, wrong, "numbers", "Correct these values, or keep it nominal or text.")
    if not form.is_sure:
        remedy = "Convert them to one unit in the file." if form.mixed else "Read the file again with its decimal mark."
        raise DataError(
            f"The values of {attribute.name!r} may not be numbers. {form.doubt}", remedy=remedy, place=attribute.name
        )
    return form.numbers


def unread_numbers(data: Dataset, checkpoint: Checkpoint = lambda: None) -> dict[str, NumberForm]:
    """Columns that look like numbers in another format, with their form; not the class, nor codes by name."""
    forms: dict[str, NumberForm] = {}
    for index, attribute in enumerate(data.schema.attributes):
        if attribute.kind.is_float or index == data.schema.class_index or says_code(attribute.name):
            continue
        checkpoint()
        form = number_form([label for label in _first_labels(data, index) if label.strip()])
        if form is not None and (not form.is_sure if form.units else _is_in_other_marks(form)):
            forms[attribute.name] = form
    return forms


def _is_in_other_marks(form: NumberForm) -> bool:
    """Whether all values are numbers without a unit, in other decimal or thousands marks than programs write."""
    numbers = form.numbers
    has_marks = (numbers.decimal, numbers.thousands) != (PLAIN.decimal, PLAIN.thousands)
    return has_marks and not numbers.accounting and not form.misfits


def _first_labels(data: Dataset, index: int) -> list[str]:
    attribute = data.schema.attributes[index]
    if attribute.kind.is_coded:
        return list(attribute.values[:_FIRST])
    column = data.column(index)[:_FIRST]
    return list(dict.fromkeys(column[~np.isnan(column)].tolist()))


def numbers_where_read(data: Dataset, name: str, form: NumberForm, checkpoint: Checkpoint = lambda: None) -> Dataset:
    """``data`` with a column made numeric, whatever its units; texts that are no number in this form become missing."""
    index = data.schema.index_of(name)
    attribute = data.schema.attributes[index]
    column = data.column(index)
    text = column if attribute.kind.is_string else as_strings(attribute, column, checkpoint)
    numbers, value_of = np.full(len(text), np.nan), dict[str, float]()
    present = np.flatnonzero(~np.isnan(text))
    for start in range(0, len(present), _BLOCK):
        checkpoint()
        rows = present[start : start + _BLOCK]
        labels = text[rows].tolist()
        value_of.update({label: form.parse_any(label) for label in set(labels) - value_of.keys()})
        numbers[rows] = [value_of[label] for label in labels]
    return data.with_column(index, replace(attribute, kind=AttributeKind.NUMERIC, values=()), numbers)


def read_number(text: str) -> float | None:
    """The finite number that a text with a decimal point spells; None if it spells none."""
    number = PLAIN.parse(text)
    return None if np.isnan(number) else number


def read_date(attribute: Attribute, text: str) -> float:
    """Seconds since 1970 of a date in ISO or another unambiguous format; raises :class:`DataError` for other text."""
    formats = fitting_formats([text])
    if len(formats) == 1:
        return float(parse_dates([text], formats[0])[0])
    raise DataError(
        f"{text.strip()!r} can be read day first or month first." if formats else f"{text.strip()!r} is not a date.",
        remedy="Type it like 2024-01-31, or like 2024-01-31 18:30.",
        place=attribute.name,
    )


def _read_dates(attribute: Attribute, text: Column, checkpoint: Checkpoint = lambda: None) -> FloatArray:
    """Seconds since 1970 (m,), NaN if blank; raises :class:`DataError` unless exactly one format fits all texts."""
    return parse_dates(text.tolist(), written_format(attribute, text.tolist(), checkpoint), checkpoint)


def written_format(attribute: Attribute, labels: Sequence[str], checkpoint: Checkpoint = lambda: None) -> str:
    """The date format of all labels but blank ones; raises :class:`DataError` if none fits or it is ambiguous."""
    distinct = [label for label in dict.fromkeys(labels) if label.strip()]
    checkpoint()
    formats = fitting_formats(distinct) if distinct else (ISO,)
    if len(formats) == 1:
        return formats[0]
    if formats:
        raise DataError(
            f"The dates of {attribute.name!r}, such as {distinct[0]!r}, can be read day first or month first.",
            remedy="Write them like 2024-01-31 in the file.",
            place=attribute.name,
        )
    wrong = [label for label in distinct if np.isnan(parse_dates([label], ISO)[0])]
    raise _unreadable(attribute, wrong, "dates", "Dates are read like 2024-01-31 or 31.01.2024, all in one way.")


def _unreadable(attribute: Attribute, wrong: Sequence[str], what: str, remedy: str) -> DataError:
    distinct = list(dict.fromkeys(wrong))
    shown = ", ".join(repr(value) for value in distinct[:3]) + (" and others" if len(distinct) > 3 else "")
    return DataError(
        f"Not all values of {attribute.name!r} can be read as {what}: {shown}.", remedy=remedy, place=attribute.name
    )


def _sorted_by(values: Sequence[str], keys: Sequence[Any]) -> tuple[str, ...]:
    order = sorted(range(len(values)), key=keys.__getitem__)
    return tuple(values[i] for i in order)


LONG: Final = 11
"""Numbers of more characters than this are shortened for display."""


def briefly(text: str) -> str:
    """The text of a number, shortened for display: "0.30000000000000004" becomes "0.3". Integers are unchanged.

    At least two digits after the point are kept.
    """
    if len(text) <= LONG or ("." not in text and "e" not in text):
        return text
    whole = len(text.partition("e")[0].partition(".")[0].lstrip("-")) if "e" not in text else 0
    return min(f"{float(text):.{max(OWN_DIGITS, whole + 2)}g}", text, key=len)


def cell_texts(attribute: Attribute, values: Column) -> list[str | None]:
    """The displayed text of each value of a column; None for a missing value."""
    if attribute.kind.is_coded:
        return [attribute.values[code] if code >= 0 else None for code in values.tolist()]
    if attribute.kind.is_string:
        return [value if isinstance(value, str) else None for value in values.tolist()]
    missing = np.isnan(values)
    if attribute.kind.value == "date":
        texts: list[str | None] = [None] * len(values)
        for row, text in zip(np.flatnonzero(~missing).tolist(), date_labels(values[~missing]).tolist(), strict=True):
            texts[row] = text.replace("T", " ")
        return texts
    return [None if gone else number_label(v) for v, gone in zip(values.tolist(), missing.tolist(), strict=True)]


def with_class(data: Dataset, name: str) -> Dataset:
    """The data with this class column; integers and texts with few distinct values become labels.

    Raises :class:`DataError` without such a column.
    """
    if name not in data.schema:
        raise DataError(f"There is no column {name!r}.", remedy="Choose another class.", place=name)
    index = data.schema.index_of(name)
    attribute, column = data.schema.attributes[index], data.column(index)
    if not attribute.kind.is_coded and count_distinct(attribute, column) <= MOST_CLASSES:
        data = recast(data, index, AttributeKind.NOMINAL)
    return data.with_class(name)
