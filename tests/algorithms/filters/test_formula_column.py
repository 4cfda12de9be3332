"""A column from a formula: what it says, what it refuses, and that it is no way to run anything."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.learner import State
from algorithms.core.record_costs import FormulaCosts
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.formulas import (
    DEEPEST,
    LONGEST,
    column_formula,
    evaluate_formula,
    parse_formula,
    rename_in_formula,
)
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.filters.computed_columns import FittedFormula, FormulaColumn
from algorithms.filters.training_records import FilterRecords
from tests.expected_texts import core as core_wording
from tests.expected_texts import filters as wording

NAN = float("nan")


def table() -> Dataset:
    attributes = (
        numeric("a"),
        numeric("Body mass"),
        nominal("town", ("Bern", "Ulm")),
        Attribute("note", AttributeKind.TEXT),
        nominal("y", "pq"),
    )
    return Dataset(
        Schema(attributes, 4), [[1.0, -2.0, NAN, 4.0], [10.0, 20.0, 30.0, 0.0], [0, 1, -1, 1], ["x"] * 4, [0, 1, 0, 1]]
    )


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("a + 2 * 3", [7, 4, NAN, 10]),
        ("(a + 2) * 3", [9, 0, NAN, 18]),
        ("-a ^ 2", [-1, -4, NAN, -16]),
        ("2 ^ 3 ^ 2 + 0 * [Body mass]", [512] * 4),
        ("8 / 4 / 2", [1] * 4),
        ("10 - 3 - 2", [5] * 4),
        ("[Body mass] / a", [10, -10, NAN, 0]),
        ("a / [Body mass]", [0.1, -0.1, NAN, NAN]),
        ("log(a)", [0, NAN, NAN, np.log(4)]),
        ("sqrt(abs(a))", [1, np.sqrt(2), NAN, 2]),
        ("max(a, 0) + min([Body mass], 15)", [11, 15, NAN, 4]),
        ("a > 0 and [Body mass] >= 10", [1, 0, NAN, 0]),
        ("not a > 0 or a = 4", [0, 1, NAN, 1]),
        ('town = "Bern"', [1, 0, NAN, 0]),
        ('"Ulm" != town', [1, 0, NAN, 0]),
        ('if(town = "Bern", a, -1)', [1, -1, NAN, -1]),
        ("missing(a) + missing(town)", [0, 0, 2, 0]),
        ("1.5e1 + .5", [15.5] * 4),
        ("a <> 1", [0, 1, NAN, 1]),
        ("a > 0 or [Body mass] >= 10", [1, 1, 1, 1]),
        ("a > 0 or [Body mass] < 10", [1, 0, NAN, 1]),
        ("a > 0 and [Body mass] < 10", [0, 0, 0, 1]),
        ("mod(a, 3)", [1, 1, NAN, 1]),
        ("mod([Body mass], -7)", [-4, -1, -5, 0]),
        ("mod(a, 0)", [NAN] * 4),
        ("7 mod 3", [1] * 4),
        ("a Mod (1 + 2) = mod(a, 3)", [1, 1, NAN, 1]),
        ("2 * 7 mod 4 ^ 2 + 1", [15] * 4),
        ("true or a > 0", [1] * 4),
        ("if(False, a, 2) + TRUE", [3, 3, 3, 3]),
        ("+".join(["1"] * 1000), [1000] * 4),
        ("-".join(["a"] * 1000), [-998, 1996, NAN, -3992]),
    ],
)
def test_formulas_are_worked_out(formula: str, values: list[float]) -> None:
    np.testing.assert_allclose(evaluate_formula(parse_formula(formula), table()), values, rtol=1e-12)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("a +", wording.ENDS_TOO_EARLY),
        ("(a", re.escape(wording.BRACKET_IS_MISSING)),
        ("a b", wording.B_NOT_EXPECTED),
        ("a $ 2", core_wording.CANNOT_BE_READ),
        ("open(a)", wording.NO_FUNCTION_OPEN),
        ("__import__(a)", "no function"),
        ("max(a)", wording.TAKES_2_VALUES),
        ("* 2", "missing before"),
        ("a.b", core_wording.CANNOT_BE_READ),
        ("(" * (DEEPEST + 1) + "a" + ")" * (DEEPEST + 1), wording.NESTED_TOO_DEEPLY),
        ("-" * 1500 + "a", wording.NESTED_TOO_DEEPLY),
        ("1+" * LONGEST + "1", "longer than"),
    ],
)
def test_what_cannot_be_read_is_said(formula: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        parse_formula(formula)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("nothing + 1", "nothing"),
        ("y + 1", wording.GIVE_THE_ANSWER_AWAY),
        ("town + 1", "as a number"),
        ("note + 1", "as a number"),
        ('"x" + 1', "compared"),
        ('a = "x"', "compared"),
    ],
)
def test_what_cannot_be_worked_out_is_refused(formula: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        FormulaColumn(formula=formula).fit(table(), RunContext())


def test_the_column_stands_at_the_end_under_a_free_name() -> None:
    data = table()
    found = FormulaColumn(to="a", formula="a * 2").fit(data, RunContext()).transform(data)
    assert found.schema.names == (*data.schema.names, "a 2") and found.schema.class_attribute.name == "y"
    assert found.column("a 2").tolist()[0] == 2
    assert [p.sentence for p in FormulaColumn().check(summarize(data))] == [wording.NO_FORMULA_YET]
    assert not FormulaColumn(formula="a").check(summarize(data))


def test_true_and_false_are_columns_where_columns_have_these_names() -> None:
    schema = Schema((numeric("true"), nominal("False", ("no", "yes")), nominal("y", "pq")), 2)
    data = Dataset(schema, [[5.0, NAN], [0, 1], [0, 1]])
    for formula, values in (("true + 1", [6, NAN]), ('False = "yes"', [0, 1]), ("TRUE + 1", [2, 2])):
        step = FormulaColumn(to="new", formula=formula)
        assert step.check(summarize(data)) == []
        learned = FittedFormula.from_state(step.fit(data, RunContext()).to_state())
        np.testing.assert_array_equal(learned.transform(data).column("new"), values)
    above = FilterRecords(formula="true > 1").trained_on(data, RunContext())
    costs = FormulaCosts.of("true * 2", data)
    assert len(above) == 1 and costs.values.tolist() == [10, 10]
    with pytest.raises(DataError, match="true"):
        FormulaColumn(formula="[true] + 1").fit(table(), RunContext())


def test_data_without_a_column_of_the_formula_has_nothing_in_the_new_one() -> None:
    learned = FormulaColumn(formula="a + 1").fit(table(), RunContext())
    assert np.isnan(learned.transform(table().select_columns([1, 4])).column("result")).all()


def test_damaged_file_is_refused() -> None:
    for values in ({}, {"name": "x", "formula": "a +"}, {"name": 1, "formula": "a"}):
        with pytest.raises(ModelFileError):
            FittedFormula.from_state(State(values, {}))


@pytest.mark.parametrize(
    ("formula", "renamed"),
    [
        ("age + 2 * [Age at start]", "[years of age] + 2 * [Age at start]"),
        (
            'if(age >= 18 and town = "age", age, [age])',
            'if([years of age] >= 18 and town = "age", [years of age], [years of age])',
        ),
        ("ages + age", "ages + [years of age]"),
        ("max(max, 1)", "max([years of age], 1)"),
        ("mod mod 3 + mod(7, mod)", "[years of age] mod 3 + mod(7, [years of age])"),
        ("(2) mod mod", "(2) mod [years of age]"),
        ("age + ", "[years of age] + "),
    ],
)
def test_a_renamed_column_is_so_in_the_formula(formula: str, renamed: str) -> None:
    old = next((name for name in ("max", "mod") if name in formula), "age")
    step = FormulaColumn(formula=formula).with_columns_renamed(lambda name: "years of age" if name == old else name)
    assert step.formula == renamed


@pytest.mark.parametrize("name", ["size [EUR]", "]x[", "a b", "path\\to", "plain", "true", "mod"])
def test_a_formula_names_any_column_with_brackets_too(name: str) -> None:
    data = Dataset(Schema((numeric(name),)), [np.array([2.0, 3.0])])
    formula = f"2 * {column_formula(name)}"
    assert parse_formula(formula).columns() == (name,)
    assert evaluate_formula(parse_formula(formula), data).tolist() == [4, 6]
    renamed = rename_in_formula(formula, lambda old: "new [x]" if old == name else None)
    assert parse_formula(renamed).columns() == ("new [x]",)


def test_a_column_that_is_gone_stays_in_the_formula_which_then_says_so() -> None:
    formula = "age + 1"
    assert FormulaColumn(formula=formula).with_columns_renamed(lambda name: None).formula == formula
    named = "[the age] + 1"
    assert FormulaColumn(formula=named).with_columns_renamed(lambda name: "age").formula == formula


def test_dates_are_asked_for_their_parts() -> None:
    """Beside pandas, before 1970 too."""
    moments = pd.Series(
        pd.to_datetime(["2024-02-29 18:30", "1969-12-28 23:59", "1900-03-01 00:00", "2023-01-01 00:00"])
    )
    seconds = [*((moments - pd.Timestamp(0)).dt.total_seconds()), NAN]
    data = Dataset(Schema((Attribute("came", AttributeKind.DATE), nominal("y", "pq")), 1), [seconds, [0, 1, 0, 1, 0]])
    parts = {name: getattr(moments.dt, name) for name in ("year", "month", "day", "hour")}
    for name, expected in {**parts, "weekday": moments.dt.day_of_week + 1}.items():
        np.testing.assert_array_equal(evaluate_formula(parse_formula(f"{name}(came)"), data), [*expected, NAN])
    days = "days(came) - days(came) + 1"
    assert evaluate_formula(parse_formula(days), data).tolist()[:4] == [1, 1, 1, 1]
    step = FormulaColumn(to="of year", formula="year(came) - 2000")
    assert step.check(summarize(data)) == []
    assert step.fit(data, RunContext()).transform(data).column(2).tolist()[:2] == [24, -31]


@pytest.mark.parametrize("formula", ["year(a)", "year(1 + 2)", "year(town)"])
def test_only_dates_have_parts(formula: str) -> None:
    with pytest.raises(DataError, match=wording.NEEDS_A_DATE):
        evaluate_formula(parse_formula(formula), table())
