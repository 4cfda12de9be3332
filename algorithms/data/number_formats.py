"""Parsing of numbers: the format of a column, and its values.

Files, typed cells, columns that change their kind and new data for a model all use this module. A format has a decimal
mark, a thousands mark, and one unit that is removed: a currency or the percent sign.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray

MINUS: Final = "\N{MINUS SIGN}"
"""The minus sign of typeset text."""
PERCENT: Final = "%"
PAIRS: Final = ((".", ""), (",", ""), (".", ","), (",", "."), (".", "'"), (",", "'"), (".", " "), (",", " "))
"""Valid pairs of decimal and thousands marks, the simplest first."""

LONGEST: Final = 60
"""Largest number of characters of a number with its unit."""
SAMPLE: Final = 200
"""Number of values inspected first, before all are."""
LEAST_SHARE: Final = 0.8
"""If a smaller share of the values fits, they are not taken for amounts."""
MOST_PLAIN: Final = 0.1
"""If a larger share of the amounts has no currency, the currency may differ."""
CLEAR_GROUPS: Final = 5
"""Number of distinct values that prove a thousands mark: three digits after it, and shorter ones without it."""

_CODE_NAME: Final = re.compile(
    r"(.*[\s_.\-])?(zip|zip[\s_\-]?code|zipcode|postal[\s_\-]?code|postcode|post[\s_\-]code|plz|tel|tel[\s_.\-]?(no|nr)|"
    r"(tele|mobile[\s_.\-]?|cell[\s_.\-]?)?phone([\s_.\-]?(no|nr|number))?|telefon|telefax|fax|iban|isbn|ssn|ean)\.?",
    re.I,
)
_UNITS: Final = {
    PERCENT: ("%", "\N{ARABIC PERCENT SIGN}", "\N{FULLWIDTH PERCENT SIGN}"),
    "$": ("$",),
    "\N{YEN SIGN}": ("\N{YEN SIGN}", "\N{FULLWIDTH YEN SIGN}"),
    "kr": ("kr", "kr.", "Kr", "Kr."),
    "EUR": ("€", "EUR", "Eur", "eur", "Euro", "euro", "Euros", "euros"),
    "GBP": ("£", "GBP"),
    "USD": ("US$", "USD"),
    "CAD": ("CA$", "C$", "CAD"),
    "AUD": ("A$", "AU$", "AUD"),
    "NZD": ("NZ$", "NZD"),
    "HKD": ("HK$", "HKD"),
    "SGD": ("S$", "SGD"),
    "BRL": ("R$", "BRL"),
    "CHF": ("CHF", "Fr.", "SFr.", "sFr."),
    "PLN": ("zł", "PLN"),
    "CZK": ("Kč", "CZK"),
    "HUF": ("Ft", "HUF"),
    "INR": ("₹", "Rs.", "Rs", "INR"),
    "RUB": ("₽", "RUB"),
    "TRY": ("₺", "TRY"),
    "UAH": ("₴", "UAH"),
    "ILS": ("₪", "ILS"),
    "KRW": ("₩", "KRW"),
    "THB": ("฿", "THB"),
    "VND": ("₫", "VND"),
    "PHP": ("₱", "PHP"),
    "NGN": ("₦", "NGN"),
    **{code: (code,) for code in ("SEK", "NOK", "DKK", "JPY", "CNY", "RON", "BGN", "ZAR", "MXN", "ARS", "AED", "SAR")},
}
"""The spellings of each unit. "$", "¥" and "kr" are used by several countries, so they are units of their own."""

UNIT_OF: Final = {spelling: unit for unit, spellings in _UNITS.items() for spelling in spellings}
_BLANK: Final = "[ \t\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}]"
_APOSTROPHES: Final = "'\N{RIGHT SINGLE QUOTATION MARK}"
_DASHES: Final = "\N{EN DASH}\N{EM DASH}-"
SAME_MARKS: Final = {"'": _APOSTROPHES, " ": _BLANK[1:-1]}
_ANY_DIGIT: Final = str.maketrans(dict.fromkeys("023456789", "1"))
_SIGN: Final = rf"[+{MINUS}-]"
_UNIT: Final = "|".join(re.escape(spelling) for spelling in sorted(UNIT_OF, key=len, reverse=True))
AMOUNT: Final = (
    rf"(?P<bracket>\()?{_BLANK}*(?P<sign>{_SIGN})?{_BLANK}*(?P<before>{_UNIT})?{_BLANK}*(?P<inner_sign>{_SIGN})?"
    rf"{_BLANK}*(?P<inner>\()?(?P<digits>[0-9][0-9.,{_APOSTROPHES}{_BLANK[1:-1]}]*|[.,][0-9]+)"
    rf"(?:(?<=[.,])(?P<dash>[{_DASHES}]{{1,2}})|(?<=[0-9])(?P<minus>[{MINUS}-]))?(?P<inner_end>\))?"
    rf"{_BLANK}*(?P<after>{_UNIT})?{_BLANK}*(?P<last_minus>[{MINUS}-])?(?P<bracket_end>\))?"
)
"""The pattern of a number with an optional currency or percent sign, signs and brackets."""
_AMOUNT: Final = re.compile(AMOUNT)


def says_code(name: str) -> bool:
    """Whether the name of a column says that its numbers are codes, such as postcodes or telephone numbers."""
    return _CODE_NAME.fullmatch(name.strip()) is not None


@dataclass(frozen=True)
class NumberFormat:
    """A number format: ``decimal`` mark, ``thousands`` mark or "", ``unit`` or "".

    With ``accounting``, (5.00) and 5.00- are negative, and 5.- is 5. A currency may be omitted, a percent sign only in
    0. 2.8 % parses to 2.8.
    """

    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    accounting: bool = False

    def to_state(self) -> tuple[str, str, str, str]:
        """The marks, the unit, and "accounting" or "", as strings."""
        return self.decimal, self.thousands, self.unit, "accounting" if self.accounting else ""

    @classmethod
    def from_state(cls, state: Sequence[str]) -> NumberFormat | None:
        """The format from the result of :meth:`to_state`; None if that is invalid."""
        if len(state) != 4 or (state[0], state[1]) not in PAIRS:
            return None
        if state[2] not in ("", *_UNITS) or state[3] not in ("", "accounting"):
            return None
        return cls(state[0], state[1], state[2], bool(state[3]))

    @property
    def is_plain(self) -> bool:
        """Whether only signs, digits, marks and exponents are parsed."""
        return not self.unit and not self.accounting

    @property
    def thousands_marks(self) -> str:
        """All characters accepted as thousands mark; empty if the format has none."""
        return SAME_MARKS.get(self.thousands, self.thousands)

    def matches(self, text: str) -> bool:
        text = text.strip()
        if _pattern(self.decimal, self.thousands).fullmatch(text) is not None and self.unit != PERCENT:
            return True
        return not self.is_plain and self._value(text) is not None

    def parse(self, text: str) -> float:
        """The exact value of the number; NaN if the text is no number or too large."""
        value = self._read(text.strip())
        return math.nan if value is None else value

    def match_all(self, texts: Sequence[str]) -> bool:
        """Whether :meth:`matches` holds for all texts; faster for plain formats."""
        return all(map(self.matches, texts)) if not self.is_plain or not texts else self._joined(texts) is not None

    def parse_all(self, texts: Sequence[str]) -> FloatArray | None:
        """The values (n,) of the texts, as :meth:`parse` returns them; None if one is no number in this format."""
        if not self.is_plain or not texts:
            read = [self._read(text.strip()) for text in texts]
            return None if None in read else np.array(read, dtype=np.float64)
        joined = self._joined(texts)
        if joined is None:
            return None
        values = np.array([float(text) for text in self._with_points(joined).split("\n")])
        values[np.isinf(values)] = math.nan
        return values

    def _joined(self, texts: Sequence[str]) -> str | None:
        """The texts joined by line ends; None if one is not a number of signs, digits and marks."""
        joined = "\n".join(map(str.strip, texts))
        if joined.count("\n") >= len(texts) or _all_pattern(self.decimal, self.thousands).fullmatch(joined) is None:
            return None
        return joined

    def _finite(self, text: str) -> float:
        value = float(self._with_points(text))
        return value if math.isfinite(value) else math.nan

    def _with_points(self, text: str) -> str:
        for mark in self.thousands_marks:
            text = text.replace(mark, "")
        text = text if self.decimal == "." else text.replace(self.decimal, ".")
        return text.replace(MINUS, "-")

    def _read(self, text: str) -> float | None:
        """The value of a text without blanks around it; None if it is no number in this format."""
        if self.unit != PERCENT and _pattern(self.decimal, self.thousands).fullmatch(text) is not None:
            return self._finite(text)
        return None if self.is_plain else self._value(text)

    def _value(self, text: str) -> float | None:
        amount = _torn(text)
        if amount is None or (amount.accounting and not self.accounting):
            return None
        if _pattern(self.decimal, self.thousands).fullmatch(amount.digits) is None:
            return None
        value = self._finite(amount.digits)
        if amount.unit != self.unit and (amount.unit or (self.unit == PERCENT and value != 0)):
            return None
        return -value if amount.negative else value


PLAIN: Final = NumberFormat()
"""The format of numbers with a decimal point, as programs write them."""


@cache
def number_pattern(decimal: str, thousands: str) -> str:
    """The pattern of a number with these marks, without a unit."""
    point = re.escape(decimal)
    digits = "[0-9]+"
    if thousands:
        mark = "".join(re.escape(character) for character in SAME_MARKS.get(thousands, thousands))
        digits = rf"(?:[1-9][0-9]{{0,2}}(?:[{mark}][0-9]{{3}})+|[0-9]+)"
    return rf"{_SIGN}?(?:{digits}(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE]{_SIGN}?[0-9]+)?"


@cache
def _pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    return re.compile(number_pattern(decimal, thousands))


@cache
def _all_pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{number_pattern(decimal, thousands)}\n)*{number_pattern(decimal, thousands)}")


@dataclass(frozen=True, slots=True)
class _Amount:
    """The parts of a written amount: its unit and the unit's spelling, digits with marks, and sign."""

    unit: str
    spelling: str
    digits: str
    negative: bool
    accounting: bool

    @property
    def is_marked(self) -> bool:
        """Whether it has a unit, or a decimal or thousands mark among its digits; numeric labels seldom have those."""
        return bool(self.unit) or not self.digits.isdigit()


def _torn(text: str) -> _Amount | None:
    """The parts of a number with optional unit, sign and brackets; None if the text is no number."""
    text = text.strip()
    return _short_torn(text) if len(text) <= LONGEST else None


@lru_cache(maxsize=4096)  # a column asks for the parts of a value many times
def _short_torn(text: str) -> _Amount | None:
    amount = _AMOUNT.fullmatch(text)
    if amount is None:
        return None
    (bracket, sign, left, inner_sign, inner, digits, dash, minus, inner_end, right, last_minus, bracket_end) = (
        amount.groups()
    )
    if (bracket is None) + (inner is None) != (bracket_end is None) + (inner_end is None):
        return None
    before, after = UNIT_OF.get(left or ""), UNIT_OF.get(right or "")
    if before and after and before != after:
        return None
    signs = (sign, inner_sign, minus, last_minus, bracket, inner)
    if len(signs) - signs.count(None) > 1:
        return None
    unit = before or after or ""
    behind = bool(minus or last_minus or bracket or inner)
    return _Amount(
        unit,
        left or right or "",
        digits.strip(),
        behind or "-" in signs or MINUS in signs,
        behind or (dash is not None and not unit),
    )


def may_be_labels(texts: Sequence[str], numbers: NumberFormat) -> bool:
    """Whether numbers may be labels in two parts (telephone numbers): ordinary blanks are their only marks."""
    if numbers.thousands != " " or numbers.accounting or numbers.unit:
        return False
    blanks = SAME_MARKS[" "].replace(" ", "")
    return not any(numbers.decimal in text or any(blank in text for blank in blanks) for text in texts)


def unit_of(text: str) -> str:
    """The spelling of the currency or percent sign of a number; "" without one, or if the text is no number."""
    amount = _torn(text)
    return "" if amount is None else amount.spelling


def without_unit(text: str) -> str:
    """The digits, marks and sign of a number with a unit; any other text unchanged."""
    amount = _torn(text)
    if amount is None or not amount.unit:
        return text
    return f"-{amount.digits}" if amount.negative else amount.digits


def amount_value(text: str, decimal: str) -> float | None:
    """The number that a text with any unit and sign spells with this decimal mark; None if the text is no number.

    All other marks between digits are taken for marks between thousands; NaN if that leaves no number.
    """
    amount = _torn(text)
    if amount is None:
        return None
    digits = "".join("." if mark == decimal else mark for mark in amount.digits if mark.isdigit() or mark == decimal)
    value = float(digits) if digits.count(".") < 2 and digits.strip(".") else math.nan
    return -value if amount.negative else value


@dataclass(frozen=True, slots=True)
class NumberForm:
    """The number format that fits most values of a column, and the reasons against it.

    ``units`` are their spellings, the most frequent first; ``misfits`` are the values that are no numbers in this
    format. ``mixed`` says that units differ or are absent from some. ``two_ways`` is a value that the other decimal
    mark would turn into another number.
    """

    numbers: NumberFormat
    units: tuple[str, ...]
    misfits: tuple[str, ...] = ()
    mixed: bool = False
    two_ways: str = ""

    @property
    def is_sure(self) -> bool:
        """Whether every value is a number in this format, and in no other."""
        return not self.misfits and not self.mixed and not self.two_ways

    @property
    def doubt(self) -> str:
        """A sentence on why the values are not certainly numbers in this format; empty if they are."""
        if self.misfits:
            shown = ", ".join(map(repr, self.misfits[:3])) + (" and others" if len(self.misfits) > 3 else "")
            return f"Not every value is a number: {shown}."
        if self.mixed:
            units = ", ".join(self.units)
            return f"They have several units: {units}." if len(self.units) > 1 else f"Some lack the unit {units}."
        if self.two_ways:
            first, second = (f"{reading:.15g}" for reading in self.readings)
            return f"{self.two_ways} can be read as {first} or as {second}."
        return ""

    @property
    def readings(self) -> tuple[float, float]:
        """The number that ``two_ways`` is in this format, and with the other decimal mark."""
        own = self.numbers.decimal
        other = "," if own == "." else "."
        return NumberFormat(own, other).parse(self.two_ways), NumberFormat(other, own).parse(self.two_ways)

    @property
    def what(self) -> str:
        """The noun for the values: "percents", "amounts" or "numbers"."""
        return "percents" if self.numbers.unit == PERCENT else "amounts" if self.units else "numbers"

    def parse_any(self, text: str) -> float:
        """The value of a text with any unit; NaN if it is no number in this format."""
        amount = _torn(text)
        return replace(self.numbers, unit="" if amount is None else amount.unit).parse(text)


def number_form(texts: Sequence[str], usual: NumberFormat = PLAIN, *, certain: bool = False) -> NumberForm | None:
    """The format in which nearly all of these distinct texts are numbers; None if most are not.

    ``usual`` is the format of the other numbers in the data. ``certain`` says that it was given or recognised, so that
    it decides ambiguous cases.
    """
    if texts and usual.match_all(texts):
        return NumberForm(usual, ())
    if _share_torn(texts[:SAMPLE]) < LEAST_SHARE:
        return None
    amounts = {text: amount for text in texts if (amount := _torn(text)) is not None}
    others = [amount for amount in amounts.values() if not amount.accounting]
    accounting = len(others) < len(amounts)
    are_clear = any(amount.accounting and amount.is_marked for amount in amounts.values())
    if accounting and (not others or (not are_clear and 2 * sum(amount.is_marked for amount in others) < len(others))):
        accounting = False
        amounts = {text: amount for text, amount in amounts.items() if not amount.accounting}
    if not amounts:
        return None
    decimal, thousands, two_ways = _marks([amount.digits for amount in amounts.values()], usual, certain)
    units = Counter(amount.unit for amount in amounts.values() if amount.unit)
    spelled = tuple(dict.fromkeys(a.spelling for u, _ in units.most_common() for a in amounts.values() if a.unit == u))
    unit = units.most_common(1)[0][0] if units else ""
    numbers = NumberFormat(decimal, thousands, unit, accounting)
    any_unit = [NumberFormat(decimal, thousands, suffix, accounting) for suffix in (*units, "")]
    misfits = tuple(text for text in texts if not any(suffix.matches(text) for suffix in any_unit))
    if len(texts) - len(misfits) < LEAST_SHARE * len(texts):
        return None
    plain = [amount for text, amount in amounts.items() if not amount.unit and numbers.parse(text) != 0]
    most_plain = 0 if unit == PERCENT else MOST_PLAIN * len(texts)
    mixed = len(units) > 1 or (unit != "" and len(plain) > most_plain)
    return NumberForm(numbers, spelled, misfits, mixed, two_ways)


def _share_torn(texts: Sequence[str]) -> float:
    return sum(_torn(text) is not None for text in texts) / len(texts) if texts else 0.0


def _marks(digits: Sequence[str], usual: NumberFormat, certain: bool) -> tuple[str, str, str]:
    """The decimal and thousands marks that fit most of the digits, and an example if they are ambiguous ("" if not)."""
    fits = [sum(column) for column in zip(*map(_pairs_that_fit, digits), strict=True)]
    fitting = [pair for pair, count in zip(PAIRS, fits, strict=True) if count == max(fits)]
    decimals = {decimal for decimal, _ in fitting}
    marked = [text for text in digits if "." in text or "," in text]
    two_ways = ""
    if len(decimals) == 1:
        decimal = decimals.pop()
    else:
        decimal = usual.decimal
        if marked and not certain:
            if _are_groups(digits, marked):
                decimal = "." if "," in marked[0] else ","
            else:
                two_ways = marked[0]
    choices = [thousands for mark, thousands in fitting if mark == decimal]
    if choices and "" not in choices:
        return decimal, choices[0], two_ways
    is_known = certain or bool(marked)
    other = "," if decimal == "." else "."
    thousands = usual.thousands if usual.decimal == decimal and usual.thousands else other if is_known else ""
    return decimal, thousands, two_ways


def _pairs_that_fit(digits: str) -> tuple[bool, ...]:
    """Whether the digits are a number with each of the pairs of marks."""
    shape = digits.translate(_ANY_DIGIT)  # only a leading zero matters
    return _pairs_that_fit_shape(f"0{shape[1:]}" if digits.startswith("0") else shape)


@lru_cache(maxsize=4096)
def _pairs_that_fit_shape(shape: str) -> tuple[bool, ...]:
    return tuple(_pattern(*pair).fullmatch(shape) is not None for pair in PAIRS)


def _are_groups(digits: Sequence[str], marked: Sequence[str]) -> bool:
    """Whether three digits after a mark are certainly thousands: numbers below 1,000 have no mark."""
    plain = [text for text in digits if text.isdigit()]
    return len(marked) >= CLEAR_GROUPS and bool(plain) and all(len(text) <= 3 for text in plain)
