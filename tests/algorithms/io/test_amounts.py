"""Amounts and percents in files: read as numbers where they surely are such, asked about where not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.filters import FittedFilter
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.convert_kind import numbers_where_read, unread_numbers
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.checks.warnings import unread_amounts
from algorithms.filters.arrange_attributes import ChangeKind, KindsChanged
from algorithms.io.reading import ReadOptions, read, sniff
from algorithms.io.text.delimited import read_text
from algorithms.io.text.large_files import survey
from tests.algorithms.io.helpers import kinds, table, written
from tests.algorithms.io.workbook_files import xlsx
from tests.expected_texts import cli as cli_wording
from tests.expected_texts import io as wording


def german(value: float) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def bank(n: int = 200, seed: int = 1) -> str:
    """A bank's export: amounts before and behind their currency, percents, marks of missing values."""
    draw = np.random.default_rng(seed)
    lines = ["id;income;rate;price;grade;repaid"]
    for i in range(n):
        income, rate = draw.uniform(500, 9000), draw.uniform(1, 9)
        price = "-" if i % 20 == 7 else f"{german(draw.uniform(1, 2000))} EUR"
        grade = "AB-"[i % 3]
        repaid = "yes" if income > 1000 * rate - 800 else "no"
        percent = f"{rate:.1f}".replace(".", ",")
        lines.append(f"C{i:05d};€ {german(income)};{percent} %;{price};{grade};{repaid}")
    return "\n".join(lines) + "\n"


def test_amounts_and_percents_of_a_bank_are_numbers_and_their_units_are_said(tmp_path: Path) -> None:
    data = table(tmp_path, bank())
    assert [kinds(data)[name] for name in ("income", "rate", "price")] == [AttributeKind.NUMERIC] * 3
    first = bank().splitlines()[1].split(";")
    assert german(data.column("income")[0]) == first[1].removeprefix("€ ")
    assert data.column("rate")[0] == float(first[2].removesuffix(" %").replace(",", "."))
    assert cli_wording.INCOME_READ_AS_NUMBERS in data.origin.description
    assert wording.PRICE_READ_AS_NUMBERS in data.origin.description
    assert cli_wording.RATE_READ_AS_NUMBERS in data.origin.description


def test_a_mark_that_is_missing_in_one_column_and_a_value_in_another_is_told_by_column(tmp_path: Path) -> None:
    heard: list[object] = []
    data = read(written(tmp_path, bank()), RunContext(listener=heard.append))
    assert np.isnan(data.column("price")).sum() == 10
    assert "-" in data.schema.attributes[data.schema.index_of("grade")].values
    assert wording.MISSING_IN_ONE_VALUE_IN_OTHER in data.origin.description
    last = [event for event in heard if isinstance(event, ReadOptions)][-1]
    assert "-" not in (last.missing or ())


def test_what_is_pasted_or_stands_in_a_workbook_is_read_as_a_file_is(tmp_path: Path) -> None:
    data = table(tmp_path, bank())
    rows = [line.split(";") for line in bank().splitlines()]
    for other in (
        read_text("\n".join("\t".join(row) for row in rows), RunContext()),
        read(xlsx(tmp_path / "book.xlsx", rows), RunContext()),
    ):
        for name in ("income", "rate", "price"):
            assert np.array_equal(other.column(name), data.column(name), equal_nan=True)
        assert wording.MISSING_IN_ONE_VALUE_IN_OTHER in other.origin.description


def test_few_records_are_read_as_the_many_that_trained(tmp_path: Path) -> None:
    data = table(tmp_path, bank())
    few = table(tmp_path, "\n".join(bank().splitlines()[:3]) + "\n", name="few.csv")
    fitting = aligned(data.schema, few)
    for name in ("income", "rate", "price"):
        assert fitting.column(name)[:2].tolist() == data.column(name)[:2].tolist()


def test_records_in_pieces_have_the_numbers_of_the_table(tmp_path: Path) -> None:
    path = written(tmp_path, bank(500))
    data, found = read(path, RunContext()), survey(path, RunContext())
    wanted = tuple(data.schema.index_of(name) for name in ("income", "rate", "price"))
    rows = list(found.rows(RunContext(), wanted, found.sample.schema))
    for index in wanted:
        whole = np.concatenate([part.columns[index] for part in rows])
        assert np.array_equal(whole, data.column(index), equal_nan=True)


def test_a_step_reads_new_records_in_the_form_that_it_learned(tmp_path: Path) -> None:
    as_text = ReadOptions(kinds={"income": AttributeKind.TEXT, "rate": AttributeKind.TEXT})
    data = table(tmp_path, bank(), as_text)
    fitted = ChangeKind(kind="numeric", columns=("income", "rate")).fit(data, RunContext())
    restored: FittedFilter = KindsChanged.from_state(fitted.to_state())
    one = table(tmp_path, "id;income;rate;price;grade;repaid\nC1;€ 1.234;7 %;1 EUR;A;yes\n", as_text, name="one.csv")
    changed: Dataset = restored.transform(one)
    assert changed.column("income").tolist() == [1234.0] and changed.column("rate").tolist() == [7.0]
    whole = restored.transform(data)
    assert np.array_equal(whole.column("income"), table(tmp_path, bank()).column("income"))


def test_values_that_are_not_surely_amounts_stay_and_can_be_read_when_asked(tmp_path: Path) -> None:
    lines = [
        f"{'$' if i % 2 else '€'} {i},50;{'on request' if i == 3 else f'{i},25 €'};{'xy'[i % 2]}" for i in range(60)
    ]
    data = table(tmp_path, "\n".join(["mixed;price;class", *lines]) + "\n")
    assert AttributeKind.NUMERIC not in {kinds(data)["mixed"], kinds(data)["price"]}
    found = unread_numbers(data)
    assert set(found) == {"mixed", "price"}
    assert "several units" in found["mixed"].doubt and "on request" in found["price"].doubt
    read_on = numbers_where_read(numbers_where_read(data, "mixed", found["mixed"]), "price", found["price"])
    assert read_on.column("mixed")[:3].tolist() == [0.5, 1.5, 2.5]
    assert np.flatnonzero(np.isnan(read_on.column("price"))).tolist() == [3]


def test_an_amount_with_two_readings_is_settled_by_the_decimal_mark_that_is_given(tmp_path: Path) -> None:
    content = "\n".join(["price;class", *(f"€ {i + 1},{100 + i};{'xy'[i % 2]}" for i in range(40))]) + "\n"
    assert kinds(table(tmp_path, content))["price"] is not AttributeKind.NUMERIC
    assert table(tmp_path, content, ReadOptions(decimal=".")).column("price")[0] == 1100.0
    assert table(tmp_path, content, ReadOptions(decimal=",")).column("price")[0] == 1.1


@pytest.mark.parametrize("labels", [["(1)", "(2)", "(3)"], ["1", "2-", "2", "3+"], ["3 kg", "5 kg", "7 kg"]])
def test_labels_with_digits_stay_labels(tmp_path: Path, labels: list[str]) -> None:
    content = (
        "\n".join(["label;y;class", *(f"{labels[i % len(labels)]};{i},5;{'xy'[i % 2]}" for i in range(60))]) + "\n"
    )
    assert kinds(table(tmp_path, content))["label"] is AttributeKind.NOMINAL


def test_a_percent_that_is_the_class_stays_a_list_of_values(tmp_path: Path) -> None:
    content = "\n".join(["x;rate", *(f"{i},5;{5 * (i % 3)} %" for i in range(60))]) + "\n"
    data = table(tmp_path, content)
    assert data.schema.class_attribute.values == ("0 %", "5 %", "10 %")


def test_marks_in_amounts_are_recognised_for_the_whole_file(tmp_path: Path) -> None:
    found = sniff(written(tmp_path, bank()))
    assert (found.decimal, found.thousands) == (",", ".")


@given(st.lists(st.integers(-(10**9), 10**9), min_size=30, max_size=60, unique=True))
def test_amounts_in_cents_come_back_from_a_file(cents: list[int]) -> None:
    lines = [f"{german(value / 100)} €;{'xy'[i % 2]}" for i, value in enumerate(cents)]
    data = read_text("\n".join(["price;class", *lines]).replace(";", "\t") + "\n", RunContext())
    assert data.column("price").tolist() == [value / 100 for value in cents]


@pytest.mark.parametrize("blank", [" ", "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}", "\N{THIN SPACE}"])
def test_blanks_of_any_kind_stand_between_thousands(tmp_path: Path, blank: str) -> None:
    lines = [f"{i + 1}{blank}{100 + i},5{i % 10};{i},5;{'xy'[i % 2]}" for i in range(60)]
    data = table(tmp_path, "\n".join(["price;y;class", *lines]) + "\n")
    assert data.column("price")[:2].tolist() == [1100.5, 2101.51]


def test_whole_numbers_with_typed_blanks_are_numbers_and_with_ordinary_ones_are_offered(tmp_path: Path) -> None:
    for blank, kind in (("\N{NO-BREAK SPACE}", AttributeKind.NUMERIC), (" ", AttributeKind.IDENTIFIER)):
        lines = [f"{i + 1}{blank}{100 + i};{i},5;{'xy'[i % 2]}" for i in range(60)]
        data = table(tmp_path, "\n".join(["price;y;class", *lines]) + "\n")
        assert kinds(data)["price"] is kind
    found = unread_numbers(data)
    assert numbers_where_read(data, "price", found["price"]).column("price")[:2].tolist() == [1100.0, 2101.0]
    [warning] = unread_amounts(found)
    assert warning.sentence == wording.PRICE_LOOKS_LIKE_NUMBERS and wording.BLANKS_BETWEEN_THOUSANDS in warning.why


def test_numbers_with_another_decimal_mark_than_the_file_s_are_offered(tmp_path: Path) -> None:
    lines = [f'"{i % 9},{10 + i}",{i}.5,{"xy"[i % 2]}' for i in range(60)]
    data = table(tmp_path, "\n".join(["p,y,class", *lines]) + "\n")
    assert kinds(data)["p"] is not AttributeKind.NUMERIC and kinds(data)["y"] is AttributeKind.NUMERIC
    found = unread_numbers(data)
    assert numbers_where_read(data, "p", found["p"]).column("p")[:3].tolist() == [0.10, 1.11, 2.12]
    [warning] = unread_amounts(found)
    assert warning.sentence == wording.P_LOOKS_LIKE_NUMBERS and wording.MARK_IS_A_COMMA in warning.why


def test_labels_in_figures_are_not_offered_as_numbers(tmp_path: Path) -> None:
    lines = [f"{i % 3};{i % 4}.{i % 2}.1;0{i % 7}0 {100 + i};{'xy'[i % 2]}" for i in range(60)]
    data = table(tmp_path, "\n".join(["grade;version;line;class", *lines]) + "\n")
    assert unread_numbers(data) == {}


@pytest.mark.parametrize("name", ["tel", "Tel.", "phone", "phone_number", "mobile phone", "Telefon", "fax"])
@pytest.mark.parametrize("blank", [" ", "\N{NO-BREAK SPACE}"])
def test_telephone_numbers_are_neither_numbers_nor_offered_as_such(tmp_path: Path, name: str, blank: str) -> None:
    lines = [f"{555 + i % 7}{blank}{100 + i};{i},5;{'xy'[i % 2]}" for i in range(60)]
    data = table(tmp_path, "\n".join([f"{name};y;class", *lines]) + "\n")
    assert kinds(data)[name] is not AttributeKind.NUMERIC and unread_numbers(data) == {}


def test_codes_that_begin_like_money_keep_their_zeros(tmp_path: Path) -> None:
    lines = [f"C${i % 20:03d};{i % 20:02d} %;€ 0,{i % 90 + 10};{i},5;{'xy'[i % 2]}" for i in range(200)]
    data = table(tmp_path, "\n".join(["code;rate;fee;y;class", *lines]) + "\n")
    assert kinds(data)["code"] is AttributeKind.NOMINAL and data.schema.attributes[0].values[1] == "C$001"
    assert kinds(data)["rate"] is kinds(data)["fee"] is AttributeKind.NUMERIC
