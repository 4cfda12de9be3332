"""Compiled loops that read decimal numbers to the last bit.

Numbers of few digits are a product or quotient of two exact floats (Clinger, How to read floating point numbers
accurately, 1990); others are multiplied by a power of five of 128 bits and rounded (Lemire, Number parsing at a
gigabyte per second, 2021; Mushtak and Lemire, Fast number parsing without fallback, 2023). What neither can is handed
back: more than 19 digits, and numbers near the ends of what a float can hold.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.jit import compiled, upper_half, zeros_above

LEAST_POWER: Final = -330
LARGEST_POWER: Final = 308

_PLUS: Final = 43
_MINUS: Final = 45
_ZERO: Final = 48
_SMALL_E: Final = 101
_MOST_DIGITS: Final = 19
_LARGEST_EXACT: Final = np.uint64(1 << 53)
_MOST_EXACT_TENS: Final = 22
_LEAST_ROUNDED_UP: Final = -27

_ZERO_DIGIT: Final = np.uint64(_ZERO)
_ONE: Final = np.uint64(1)
_THREE: Final = np.uint64(3)
_NINE: Final = np.uint64(9)
_TEN: Final = np.uint64(10)
_SIGN_PLACE: Final = np.uint64(63)
_FRACTION_BITS: Final = np.uint64(52)
_BELOW_FRACTION: Final = np.uint64(9)
_UNSURE: Final = np.uint64((1 << 9) - 1)
_ALL: Final = np.uint64((1 << 64) - 1)
_FRACTION: Final = np.uint64((1 << 52) - 1)


class Powers(NamedTuple):
    """Powers of five from :data:`LEAST_POWER` on: the upper and lower half of their first 128 bits; and of ten."""

    upper: NDArray[np.uint64]
    lower: NDArray[np.uint64]
    tens: NDArray[np.float64]


def powers() -> Powers:
    """The tables that :func:`read_numbers` uses; made of whole numbers, so exact."""
    fives = [_power_of_five(q) for q in range(LEAST_POWER, LARGEST_POWER + 1)]
    half = 1 << 64
    return Powers(
        np.array([five // half for five in fives], dtype=np.uint64),
        np.array([five % half for five in fives], dtype=np.uint64),
        np.array([10.0**q for q in range(_MOST_EXACT_TENS + 1)]),
    )


def _power_of_five(q: int) -> int:
    """The first 128 bits of 5 to the power q, those of small fractions rounded up, so that a half is seen to be one."""
    power: int = 5 ** abs(q)
    if q >= 0:
        excess = power.bit_length() - 128
        return power >> excess if excess > 0 else power << -excess
    if q >= _LEAST_ROUNDED_UP:
        return (1 << (power.bit_length() + 127)) // power + 1
    quotient = (1 << (2 * power.bit_length() + 128)) // power + 1
    return quotient >> (quotient.bit_length() - 128)


@compiled
def _rounded(digits: Any, power: Any, upper: Any, lower: Any) -> Any:
    """The bits of the float nearest to ``digits`` times 10 to the ``power``; all of them set where it is not known.

    ``digits`` is a uint64 above 0, ``upper`` and ``lower`` are those of the power of five.
    """
    shift = zeros_above(digits)
    word = digits << shift
    high, low = upper_half(word, upper), word * upper
    if high & _UNSURE == _UNSURE:
        more = upper_half(word, lower)
        low += more
        if more > low:
            high += _ONE
    if low == _ALL:
        return _ALL
    top = high >> _SIGN_PLACE
    places = top + _BELOW_FRACTION
    fraction = high >> places
    exponent = ((217706 * power) >> 16) + 1086 + np.int64(top) - np.int64(shift)
    if exponent <= 0 or exponent >= 2046:
        return _ALL
    halfway = low <= _ONE and -4 <= power <= 23 and (fraction & _THREE) == _ONE
    if halfway and (fraction << places) == high:
        fraction &= ~_ONE
    fraction += fraction & _ONE
    fraction >>= _ONE
    if fraction >> _FRACTION_BITS > _ONE:
        fraction = _ONE << _FRACTION_BITS
        exponent += 1
    return (fraction & _FRACTION) | (np.uint64(exponent) << _FRACTION_BITS)


@compiled
def _power_of_ten(raw: Any, at: Any, end: Any) -> Any:
    """The number after an e, 99999 at most; -100000 where none fills the rest of the field."""
    down = raw[at] == _MINUS
    if down or raw[at] == _PLUS:
        at += 1
    if at == end:
        return -100_000
    power: Any = 0
    while at < end:
        digit = np.int64(raw[at]) - _ZERO
        if digit < 0 or digit > 9:
            return -100_000
        power = min(10 * power + digit, 99_999)
        at += 1
    return -power if down else power


@compiled
def _too_many(raw: Any, at: Any, decimal: Any, n_digits: Any) -> Any:
    """Whether there are too many digits for a uint64 even without those zeros that come first."""
    while raw[at] == _ZERO or raw[at] == decimal:
        n_digits -= raw[at] == _ZERO
        at += 1
    return n_digits > _MOST_DIGITS


@compiled
def read_numbers(
    raw: Any, starts: Any, ends: Any, decimal: Any, upper: Any, lower: Any, tens: Any, values: Any, bits: Any, odd: Any
) -> Any:
    """Reads a number from each field ``raw[starts[i]:ends[i]]`` to ``values[i]``; returns how many fields are odd.

    ``bits`` is the memory of ``values`` as uint64; ``upper``, ``lower`` and ``tens`` are the :class:`Powers`. The odd
    fields are listed in ``odd``, for others to look at: empty ones, no numbers, numbers that begin with a zero they do
    not need, and those that take more than a word. A byte that belongs to no number must follow each field.
    """
    n_odd = 0
    for i in range(len(starts)):
        at, end = starts[i], ends[i]
        odd[n_odd] = i
        negative = raw[at] == _MINUS
        at += negative or raw[at] == _PLUS
        first = at
        digits = np.uint64(0)
        digit = np.uint64(raw[at]) - _ZERO_DIGIT
        while digit <= _NINE:
            digits = digits * _TEN + digit
            at += 1
            digit = np.uint64(raw[at]) - _ZERO_DIGIT
        n_digits, power = at - first, 0
        if n_digits > 1 and raw[first] == _ZERO:
            n_odd += 1
            continue
        if raw[at] == decimal and at < end:
            at += 1
            point = at
            digit = np.uint64(raw[at]) - _ZERO_DIGIT
            while digit <= _NINE:
                digits = digits * _TEN + digit
                at += 1
                digit = np.uint64(raw[at]) - _ZERO_DIGIT
            power = point - at
            n_digits -= power
        if at < end and raw[at] | 32 == _SMALL_E:
            power += _power_of_ten(raw, at + 1, end)
            at = end
        unknown = at != end or n_digits == 0 or power < LEAST_POWER or power > LARGEST_POWER
        if unknown or (n_digits > _MOST_DIGITS and _too_many(raw, first, decimal, n_digits)):
            n_odd += 1
            continue
        if digits <= _LARGEST_EXACT and -_MOST_EXACT_TENS <= power <= _MOST_EXACT_TENS:
            value = np.float64(digits)
            value = value / tens[-power] if power < 0 else value * tens[power]
            values[i] = -value if negative else value
            continue
        word = np.uint64(0)
        if digits != word:
            word = _rounded(digits, power, upper[power - LEAST_POWER], lower[power - LEAST_POWER])
        bits[i] = word | (np.uint64(negative) << _SIGN_PLACE)
        n_odd += word == _ALL
    return n_odd


def warm_up() -> None:
    """Compile, or load, the kernels by reading one number."""
    values, places = np.zeros((2, 2)), np.zeros((2, 2), dtype=np.int64)
    text = np.frombuffer(b"1.5\n", dtype=np.uint8)
    bits, odd = values.view(np.uint64), np.zeros(2, dtype=np.int64)
    read_numbers(text, places[0, :1], places[1, :1] + 3, ord("."), *powers(), values[0, :1], bits[0, :1], odd)
