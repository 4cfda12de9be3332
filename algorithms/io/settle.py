"""The end of reading a column: what it means, decided from all of its values, and its values in that kind's type."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core.columns import IntArray, smallest_code_dtype
from algorithms.core.dates import ISO, date_format, parse_dates
from algorithms.core.errors import DataError
from algorithms.core.recast import as_strings, natural_order
from algorithms.core.schema import Attribute, Kind, nominal
from algorithms.io.inference import Facts, Meaning, meaning, numbers_the_records
from algorithms.io.marks import INFINITE, STRONG, WEAK, Numbers
from algorithms.io.options import ReadOptions
from algorithms.io.pieces import SLICE, Gathered, NumberPiece, StringPiece, distinct_hashes, taken
from algorithms.io.strays import SAMPLE, Stray, are_numbers_at_heart, strays_among
from algorithms.io.values import sorted_naturally

LISTED: Final = 20_000


@dataclass(frozen=True, eq=False)
class Column:
    """An attribute and its values in the type that its kind asks for."""

    attribute: Attribute
    values: NDArray[Any]
    infinite: bool = False
    """Whether infinite numbers were read as missing ones."""
    stray: Stray | None = None
    """What kept a column of numbers from being one."""


def settled(
    name: str,
    last: bool,
    gathered: Gathered,
    numbers: Numbers,
    options: ReadOptions,
    checkpoint: Callable[[], None],
) -> Column:
    """The column, its kind inferred or as the options say; raises :class:`DataError` where it cannot be that."""
    given = options.kinds.get(name)
    if gathered.stored_as(NumberPiece):
        return _numbers(name, gathered, numbers, options)
    if gathered.stored_as(StringPiece):
        return _from_strings(name, last, gathered.strings(), numbers, options, checkpoint)
    codes, spellings = gathered.codes(), gathered.spellings
    counts = gathered.counts_of(codes)
    used = [(s, int(c)) for s, c in zip(spellings, counts.tolist(), strict=True) if c]
    facts = Facts(name, last, len(codes), [s for s, _ in used], [c for _, c in used], len(used))
    found = _meaning(facts, numbers, options, given)
    if found.kind is Kind.NUMERIC:
        return _numbers(name, gathered, numbers, options)
    if found.kind is Kind.DATE:
        return Column(Attribute(name, Kind.DATE), _dates(spellings, found)[codes])
    stray = None
    if given is None:
        firsts = np.full(len(spellings) + 1, len(codes))
        firsts[codes[::-1]] = np.arange(len(codes))[::-1]
        stray = strays_among(name, spellings, counts, firsts[:-1], numbers, options.missing, checkpoint)
    if found.kind.is_coded:
        return replace(_coded(name, found, codes, spellings), stray=stray)
    return replace(_strings(name, found, gathered.strings()), stray=stray)


def _meaning(facts: Facts, numbers: Numbers, options: ReadOptions, given: Kind | None) -> Meaning:
    found = meaning(facts, numbers, options.missing)
    if given is None or given is found.kind:
        return found
    marks = {*STRONG, *WEAK} if options.missing is None else {"", *options.missing}
    if given is Kind.DATE:
        examples = [s for s in facts.spellings if s not in marks]
        format = date_format(examples) if examples else ISO
        if format is None:
            raise DataError(
                f"Column {facts.name!r} is to be a date, but its values are not all in one date format.",
                remedy="Choose another kind for it.",
                place=facts.name,
            )
        return Meaning(given, frozenset(marks), format)
    if given is Kind.NUMERIC:
        return Meaning(given, frozenset(marks))
    return Meaning(given, found.missing & frozenset({*STRONG, *(options.missing or ())}))


def _numbers(name: str, gathered: Gathered, numbers: Numbers, options: ReadOptions) -> Column:
    marks = {*STRONG, *WEAK} if options.missing is None else {"", *options.missing}
    for spelling in gathered.code_of:
        if spelling not in marks and not numbers.matches(spelling):
            raise DataError(
                f"Column {name!r} is to be numeric, but it holds {_shortened(spelling)!r}.",
                remedy="Choose another kind for it, or name the value among the marks for missing ones.",
                place=name,
            )
    values = gathered.numbers(lambda text: math.nan if text in marks else numbers.parse(text))
    return Column(Attribute(name, Kind.NUMERIC), values, gathered.is_infinite_somewhere)


def infinite_numbers(columns: Sequence[Column]) -> str:
    """A sentence about the columns in which infinite numbers are missing now; empty where there are none."""
    names = [column.attribute.name for column in columns if column.infinite]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"Infinite numbers in {shown} count as missing." if names else ""


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _dates(spellings: Sequence[str], found: Meaning) -> NDArray[np.float64]:
    """Seconds by code, NaN for marks and, at the end, for code -1."""
    plain = [s if s not in found.missing else "" for s in spellings]
    return np.append(parse_dates(plain, found.date_format), np.nan)


def _coded(name: str, found: Meaning, codes: NDArray[Any], spellings: Sequence[str]) -> Column:
    values = sorted_naturally(s for s in dict.fromkeys(spellings) if s not in found.missing)
    ordinal = found.kind is Kind.ORDINAL
    values = natural_order(values) if ordinal else values
    attribute = nominal(name, values, ordinal=ordinal)
    code_of = {value: code for code, value in enumerate(values)}
    table = np.array([*(code_of.get(s, -1) for s in spellings), -1], dtype=smallest_code_dtype(len(values)))
    return Column(attribute, table[codes])


def _strings(name: str, found: Meaning, strings: StringPiece) -> Column:
    values = strings.values
    values[_marked(strings, found.missing)] = np.nan
    return Column(Attribute(name, found.kind), values)


def _marked(strings: StringPiece, marks: frozenset[str]) -> NDArray[np.bool_]:
    """Mask of the strings that are missing or a mark."""
    hashes = pd.util.hash_array(np.array([*marks], dtype=object), categorize=False)
    found: NDArray[np.bool_] = np.isin(strings.hashes, hashes) | np.isnan(strings.values)
    return found


def _from_strings(
    name: str,
    last: bool,
    strings: StringPiece,
    numbers: Numbers,
    options: ReadOptions,
    checkpoint: Callable[[], None],
) -> Column:
    first, inverse = distinct_hashes(strings.hashes)
    checkpoint()
    counts = np.bincount(inverse)
    listed = np.argsort(first, kind="stable")[:LISTED]
    spellings = [v for v in strings.values[first[listed]].tolist() if isinstance(v, str)]
    listed_counts = [int(c) for c in counts[listed]][: len(spellings)]
    facts = Facts(name, last, len(inverse), spellings, listed_counts, len(first))
    found = _meaning(facts, numbers, options, options.kinds.get(name))
    stray = None
    if found.kind.is_coded:
        checkpoint()
        distinct = _listed(taken(strings.values, first, checkpoint), checkpoint)
        if name not in options.kinds:
            stray = _stray_string(name, distinct, counts, first, numbers, options, checkpoint)
        return replace(_coded(name, found, inverse, distinct), stray=stray)
    if found.kind.is_float:
        table = _floats(taken(strings.values, first, checkpoint), found, numbers, checkpoint)
        if table is not None:
            infinite = found.kind is Kind.NUMERIC and any(mark in spellings for mark in INFINITE)
            return Column(Attribute(name, found.kind), table[inverse], infinite)
        found = Meaning(Kind.TEXT, frozenset(STRONG) if options.missing is None else found.missing)
    sample = [v if isinstance(v, str) else "" for v in strings.values[first[listed[:SAMPLE]]].tolist()]
    if name not in options.kinds and are_numbers_at_heart(name, sample, numbers, options.missing):
        distinct = _listed(taken(strings.values, first, checkpoint), checkpoint)
        stray = _stray_string(name, distinct, counts, first, numbers, options, checkpoint)
    return replace(_strings(name, found, strings), stray=stray)


def _listed(values: NDArray[Any], checkpoint: Callable[[], None]) -> list[Any]:
    """The strings as a list, made a slice at a time: each is made with the interpreter lock held."""
    found: list[Any] = []
    for start in range(0, len(values), SLICE):
        checkpoint()
        found.extend(values[start : start + SLICE].tolist())
    return found


def _stray_string(
    name: str,
    distinct: list[Any],
    counts: IntArray,
    first: IntArray,
    numbers: Numbers,
    options: ReadOptions,
    checkpoint: Callable[[], None],
) -> Stray | None:
    spellings = [value if isinstance(value, str) else "" for value in distinct]
    order = np.argsort(first, kind="stable")
    ordered = [spellings[at] for at in order.tolist()]
    return strays_among(name, ordered, counts[order], first[order], numbers, options.missing, checkpoint)


def unless_it_counts(column: Column, name: str, checkpoint: Callable[[], None]) -> Column:
    """The column, made an identifier where it is numeric but only counts the records."""
    if column.attribute.kind is not Kind.NUMERIC or not numbers_the_records(name, column.values):
        return column
    strings = as_strings(column.attribute, column.values, checkpoint)
    return Column(replace(column.attribute, kind=Kind.IDENTIFIER), strings)


def _floats(
    values: NDArray[Any], found: Meaning, numbers: Numbers, checkpoint: Callable[[], None]
) -> NDArray[np.float64] | None:
    """The strings as numbers or dates, NaN for marks; None where one is neither."""
    parts = []
    for start in range(0, len(values), SLICE):
        checkpoint()
        texts = [v if isinstance(v, str) and v not in found.missing else "" for v in values[start : start + SLICE]]
        if found.kind is Kind.DATE:
            part = parse_dates(texts, found.date_format)
        else:
            part = np.array([numbers.parse(text) for text in texts])
        if any(text and bad for text, bad in zip(texts, np.isnan(part).tolist(), strict=True)):
            return None
        parts.append(part)
    return np.concatenate(parts)
