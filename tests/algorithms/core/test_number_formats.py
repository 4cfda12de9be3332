"""Numbers as text: round trips through every form, and what is no number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from algorithms.data.number_formats import MINUS, PLAIN, NumberFormat, number_form

MARKS = [(".", ""), (",", ""), (".", ","), (",", "."), (".", "'"), (",", " ")]
UNITS = {"EUR": "€", "USD": "US$", "CHF": "CHF", "%": "%", "$": "$"}


def written(text: str, decimal: str, thousands: str) -> str:
    """The shortest text of a number, without exponent, with other marks."""
    whole, _, rest = text.partition(".")
    groups = f"{int(whole):,}".replace(",", thousands)
    return groups + (decimal + rest if rest else "")


@given(
    values=st.lists(st.floats(0, 1e9).map(lambda value: f"{value:.12f}".rstrip("0").rstrip(".")), min_size=1),
    marks=st.sampled_from(MARKS),
    unit=st.sampled_from(sorted(UNITS)),
    before=st.booleans(),
    negative=st.booleans(),
    blank=st.sampled_from(["", " ", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"]),
)
def test_a_number_written_in_any_form_comes_back_to_the_last_bit(
    values: list[str], marks: tuple[str, str], unit: str, before: bool, negative: bool, blank: str
) -> None:
    decimal, thousands = marks
    sign = "-" if negative else ""
    digits = [written(value, decimal, thousands) for value in values]
    texts = [f"{sign}{UNITS[unit]}{blank}{d}" if before else f"{sign}{d}{blank}{UNITS[unit]}" for d in digits]
    expected = [float(sign + value) for value in values]
    own = NumberFormat(decimal, thousands, unit)
    assert [own.parse(text) for text in texts] == expected
    found = number_form(list(dict.fromkeys(texts)), NumberFormat(decimal, thousands), certain=True)
    assume(found is not None and found.is_sure)
    assert found is not None
    assert [found.numbers.parse(text) for text in texts] == expected
    plain = NumberFormat(decimal, thousands)
    all_at_once = plain.parse_all(digits)
    assert all_at_once is not None and all_at_once.tolist() == [float(value) for value in values]


@given(
    st.lists(st.text(alphabet="019.,-+eE \n\u2212", max_size=6), max_size=5),
    st.sampled_from([PLAIN, NumberFormat(",", "."), NumberFormat(".", ","), NumberFormat(",", " ")]),
)
def test_all_texts_at_once_are_numbers_where_each_of_them_is(texts: list[str], numbers: NumberFormat) -> None:
    each = all(map(numbers.matches, texts))
    assert numbers.match_all(texts) is each
    values = numbers.parse_all(texts)
    assert (values is not None) is each
    if values is not None:
        assert np.array_equal(values, [numbers.parse(text) for text in texts], equal_nan=True)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_reads_back_from_its_shortest_text(value: float) -> None:
    assert PLAIN.parse(repr(value)) == value
    assert NumberFormat(",", ".").parse(repr(value).replace(".", ",")) == value


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["€ 6.554,62", "€ 100,00"], [6554.62, 100.0]),
        (["$1,234.50", "$7"], [1234.5, 7.0]),
        (["6554.62 EUR", "12 €"], [6554.62, 12.0]),
        (["CHF 1'200.–", "CHF 3.50"], [1200.0, 3.5]),
        (["CHF 1\N{RIGHT SINGLE QUOTATION MARK}234.50", "CHF 12.--"], [1234.5, 12.0]),
        (["2,8 %", "3 %"], [2.8, 3.0]),
        (["-€5.20", "€-3", f"{MINUS}€2"], [-5.2, -3.0, -2.0]),
        (["(1,200.50)", "3.00"], [-1200.5, 3.0]),
        (["1.234,56-", "2,00"], [-1234.56, 2.0]),
        (["1 234,50 €", "12 €"], [1234.5, 12.0]),
        (["0,500 €", "1,250 €"], [0.5, 1.25]),
    ],
)
def test_amounts_and_percents_are_read(texts: list[str], values: list[float]) -> None:
    found = number_form(texts)
    assert found is not None and found.is_sure
    assert [found.numbers.parse(text) for text in texts] == values


@pytest.mark.parametrize("texts", [["(1)", "(2)"], ["2-", "1", "3+"], ["3 kg", "5 kg"], ["€"], ["++5 €", "1e5 €"]])
def test_labels_are_no_numbers(texts: list[str]) -> None:
    assert number_form(texts) is None


@pytest.mark.parametrize("texts", [["US$ 5", "EUR 5"], ["€ 1,234", "€ 2,500"], ["5 %", "0.5"], ["€ 5"] * 9 + ["n.v."]])
def test_where_units_or_marks_are_in_doubt_no_form_is_sure(texts: list[str]) -> None:
    found = number_form(texts)
    assert found is not None and not found.is_sure and found.doubt


def test_a_known_decimal_mark_settles_what_has_two_readings() -> None:
    texts = ["€ 1,234", "€ 2,500"]
    for usual, values in ((NumberFormat(".", ","), [1234.0, 2500.0]), (NumberFormat(","), [1.234, 2.5])):
        found = number_form(texts, usual, certain=True)
        assert found is not None and found.is_sure
        assert [found.numbers.parse(text) for text in texts] == values


@given(st.text(max_size=80))
def test_any_text_is_a_finite_number_or_none_in_every_form(text: str) -> None:
    for form in (PLAIN, NumberFormat(",", ".", "EUR", accounting=True), NumberFormat(".", "", "%")):
        assert math.isfinite(form.parse(text)) or math.isnan(form.parse(text))


def test_a_form_is_kept_as_plain_values() -> None:
    form = NumberFormat(",", ".", "EUR", accounting=True)
    assert NumberFormat.from_state(form.to_state()) == form
    assert NumberFormat.from_state([",", ",", "", ""]) is None
    assert NumberFormat.from_state([".", "", "bananas", ""]) is None
