"""Functions of texts and dates in formulas: their values, their kinds, what they refuse, and that they never hang."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier, learn
from algorithms.data import formula_functions
from algorithms.data.columns import STRING
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import Dataset
from algorithms.data.formula_functions import FUNCTIONS, FormulaDates, FormulaTexts
from algorithms.data.formulas import column_formula, formula_values, function_at, parse_formula
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.filters.cleaning_rules import AddFormula, cleaned, rules_from_json, rules_of_step
from algorithms.filters.computed_columns import FittedFormula, FormulaColumn
from algorithms.learners.trees.c45 import C45
from algorithms.project.models import load_model, save_model
from tests.expected_texts import filters as wording

NAN = float("nan")
QUOTED = 'the "own" [name]'
MILLION = 1_000_000


def day(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def texts(values: list[str | None]) -> np.ndarray:
    return np.array([NAN if value is None else value for value in values], dtype=STRING)


def table() -> Dataset:
    attributes = (
        numeric("a"),
        nominal("town", (" Bern ", "Ulm", "straße")),
        Attribute("code", AttributeKind.TEXT),
        Attribute(QUOTED, AttributeKind.IDENTIFIER),
        Attribute("born", AttributeKind.DATE),
        Attribute("came", AttributeKind.DATE),
        nominal("y", "pq"),
    )
    columns = [
        [1.0, -2.5, NAN, 4.0],
        [0, 1, -1, 2],
        texts(["AB-12-x", "C-7", None, "Ünï-3€-"]),
        texts(["one", None, "", 'q"q']),
        [day("2000-02-29"), day("1990-06-15"), NAN, day("2010-01-01")],
        [day("2024-02-28"), day("2024-06-15 08:30"), day("2024-01-01"), NAN],
        [0, 1, 0, 1],
    ]
    return Dataset(Schema(attributes, 6), columns)


def result(formula: str, data: Dataset | None = None) -> list[object]:
    """What a formula column holds: texts, numbers, or dates as displayed, None where missing."""
    data = table() if data is None else data
    added = FormulaColumn(to="new", formula=formula).fit(data, RunContext()).transform(data)
    attribute, column = added.schema.attributes[-1], added.column(len(added.schema) - 1)
    if attribute.kind is not AttributeKind.NUMERIC:
        return cell_texts(attribute, column)
    return [None if np.isnan(value) else value for value in column.tolist()]


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("trim(town)", ["Bern", "Ulm", None, "straße"]),
        ("upper(trim(town))", ["BERN", "ULM", None, "STRASSE"]),
        ("lower(code)", ["ab-12-x", "c-7", None, "ünï-3€-"]),
        ('replace(code, "-", "")', ["AB12x", "C7", None, "Ünï3€"]),
        ('replace(code, "-", town)', ["AB Bern 12 Bern x", "CUlm7", None, "Ünïstraße3€straße"]),
        ('split(code, "-", 2)', ["12", "7", None, "3€"]),
        ('split(code, "-", 3)', ["x", None, None, None]),
        ('split(code, "-", -1)', ["x", "7", None, None]),
        ('extract(code, "[0-9]+")', ["12", "7", None, "3"]),
        (r'extract(code, "(\w+)-\d+-x")', ["AB", None, None, None]),
        (r'extract(code, "^\w+")', ["AB", "C", None, "Ünï"]),
        ('number(extract(code, "[0-9]+")) * 2', [24.0, 14.0, None, 6.0]),
        ('number("1.234,50 €", ",")', [1234.5] * 4),
        ('number("1,234.50")', [1234.5] * 4),
        ('number("12,5 %", ",") + a', [13.5, 10.0, None, 16.5]),
        ('number("1,5")', [None] * 4),
        ('number("(3.5)")', [-3.5] * 4),
        ("number(town)", [None] * 4),
        ("length(town)", [6.0, 3.0, None, 6.0]),
        (f"length({column_formula(QUOTED)})", [3.0, None, 0.0, 3.0]),
        (f"missing({column_formula(QUOTED)}) + missing(upper(code))", [0.0, 1.0, 1.0, 0.0]),
        ('concat(trim(town), ", ", a)', ["Bern, 1", "Ulm, -2.5", None, "straße, 4"]),
        ('concat("born ", born)', ["born 2000-02-29", "born 1990-06-15", None, "born 2010-01-01"]),
        ("concat(came)", ["2024-02-28", "2024-06-15 08:30:00", "2024-01-01", None]),
        ('concat("", "")', [None] * 4),
        ("age(born, came)", [23.0, 34.0, None, None]),
        ('age(born, "2024-03-01")', [24.0, 33.0, None, 14.0]),
        ('age("2000-01-01", came)', [24.0, 24.0, 24.0, None]),
        ("year(born) + month(came)", [2002.0, 1996.0, None, None]),
        ('date(concat("2024-0", split(code, "-", 2)))', [None, None, None, None]),
        ('date("31.01.2024", "%d.%m.%Y")', ["2024-01-31"] * 4),
        ("if(a > 0, born, came)", ["2000-02-29 00:00:00", "2024-06-15 08:30:00", None, "2010-01-01 00:00:00"]),
        ('if(length(trim(town)) > 3, upper(trim(town)), "short")', ["BERN", "short", None, "STRASSE"]),
        ('if(trim(town) = "Bern", 1, 0)', [1.0, 0.0, None, 0.0]),
        ("upper(code) = code", [0.0, 1.0, None, 0.0]),
        ("town != code", [1.0, 1.0, None, 1.0]),
        ('came >= "2024-02-28" and born < came', [1.0, 1.0, 0.0, None]),
        ('"2024-01-01" = came', [0.0, 0.0, 1.0, None]),
        (f'{column_formula(QUOTED)} = "q""q"', [0.0, None, 0.0, 1.0]),
        ('trim(" ") = ""', [1.0] * 4),
        ("code", ["AB-12-x", "C-7", None, "Ünï-3€-"]),
        ("born", ["2000-02-29", "1990-06-15", None, "2010-01-01"]),
        ('upper("x")', ["X"] * 4),
    ],
)
def test_functions_of_texts_and_dates(formula: str, values: list[object]) -> None:
    assert result(formula) == values


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("1 + upper(a)", r"upper \(character 5\) needs a text as its first value, but a is numeric"),
        ("length(born)", wording.NEEDS_A_TEXT),
        ("length(1 + 2)", wording.NEEDS_A_TEXT),
        ("abs(town)", r"abs \(character 1\) needs a number as its first value, but town is nominal"),
        ('split(code, "-", 0)', wording.NEEDS_THE_NUMBER_OF_A_PART),
        ('split(code, "-", 1e400)', wording.NEEDS_THE_NUMBER_OF_A_PART),
        ('split(code, "-", 1.5)', wording.NEEDS_THE_NUMBER_OF_A_PART),
        ('split(code, "-", a)', wording.NEEDS_THE_NUMBER_OF_A_PART),
        ('split(code, "", 1)', wording.NO_SEPARATOR),
        ("split(code, town, 1)", wording.NEEDS_A_SEPARATOR),
        ('replace(code, "", "x")', wording.NO_TEXT_TO_REPLACE),
        ('extract(code, "(")', wording.CANNOT_READ_THE_EXPRESSION),
        ('extract(code, "[[:alpha:]")', wording.CANNOT_READ_THE_EXPRESSION),
        ("extract(code, town)", wording.NEEDS_AN_EXPRESSION),
        (f'extract(code, "{"a" * 201}")', wording.LONGER_THAN_200),
        ('number(code, ";")', wording.NO_DECIMAL_MARK),
        ('date(code, "%q")', wording.NO_DATE_FORMAT),
        ('age(born, "31.1.2024")', wording.IS_NO_DATE),
        ('came > "soon"', wording.IS_NO_DATE),
        ("age(a, came)", wording.NEEDS_A_DATE),
        ("if(a > 0, town, 1)", wording.ONE_CASE_AND_THE_OTHER),
        ("upper(town) + 1", "gives a text"),
        ("came - born", "as a number"),
        ('split(code, "-")', wording.TAKES_3_VALUES),
        ('number(code, ",", 1)', wording.TAKES_1_OR_2_VALUES),
        ("upper(y)", wording.GIVE_THE_ANSWER_AWAY),
    ],
)
def test_what_a_function_refuses_names_it_and_its_place(formula: str, words: str) -> None:
    step = FormulaColumn(formula=formula)
    with pytest.raises(DataError, match=words) as caught:
        step.fit(table(), RunContext())
    (problem,) = step.check(summarize(table()))
    assert problem.sentence == caught.value.sentence and caught.value.remedy


def test_a_pattern_that_would_never_end_is_stopped() -> None:
    slow = Dataset(Schema((Attribute("x", AttributeKind.TEXT),)), [texts(["a" * 60, "aaaa"])])
    with pytest.raises(DataError, match=wording.TAKES_TOO_LONG):
        FormulaColumn(formula='extract(x, "(a|aa)+$x|(.|..)+(.|..)+!")').fit(slow, RunContext())


def test_no_text_is_searched_longer_than_a_second_and_none_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[tuple[str, float, bool]]()

    class Endless:
        def search(self, text: str, timeout: float, concurrent: bool = False) -> None:
            asked.append((text, timeout, concurrent))
            raise TimeoutError

    monkeypatch.setattr(formula_functions, "_pattern", lambda _pattern: Endless())
    data = Dataset(Schema((Attribute("x", AttributeKind.TEXT),)), [texts(["a", "b"])])
    with pytest.raises(DataError, match=wording.TAKES_TOO_LONG):
        FormulaColumn(formula='extract(x, "a")').fit(data, RunContext())
    assert [text for text, _timeout, _concurrent in asked] == ["a", "a"], "no other text after the one that failed"
    assert sum(timeout for _text, timeout, _concurrent in asked) < 1.1
    assert all(concurrent for _text, timeout, concurrent in asked if timeout > 0.02), "others wait for the interpreter"


@pytest.mark.parametrize("pattern", ["(?:a{65000}){65000}", "(?x) (?: (?:a) {999} ) {999}", "(?:(?:b{99}){99}){99}"])
def test_a_pattern_whose_repeats_would_fill_memory_is_refused(pattern: str) -> None:
    with pytest.raises(DataError, match=wording.CANNOT_READ_THE_EXPRESSION):
        result(f'extract(code, "{pattern}")')
    uuid = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
    once = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    formula = f'extract("a {uuid}", "{once}")'
    assert result(formula) == [uuid] * 4


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("b", "a{e}"),
        ("b", "(?:a){e<=1}"),
        ("a{e}", "a{e}"),
        ("{", "[{]"),
        (r"\{s}", r"\\{s}"),
        ("aa", "a{,}"),
        ("a{}", "a{}"),
    ],
)
def test_braces_mean_what_they_mean_to_the_standard_library(text: str, pattern: str) -> None:
    match, formula = re.search(pattern, text), f'extract("{text}", "{pattern}")'
    assert result(formula) == [match and match[0]] * 4


def test_a_pattern_that_warns_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(DataError, match=wording.CANNOT_READ_THE_EXPRESSION):
            result('extract(code, "[[:alpha:]]")')


def test_a_stop_comes_between_two_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search may take a second, and a block of them would take an hour."""
    begun = list[str]()
    monkeypatch.setattr(formula_functions, "_pattern", lambda _pattern: SlowPattern(begun))
    asked = list[int]()
    data = Dataset(Schema((Attribute("x", AttributeKind.TEXT),)), [texts(list("abcdefgh"))])
    formula_values(parse_formula('extract(x, "a")'), data, lambda: asked.append(len(begun)))
    assert len(begun) == 16 and set(range(1, 16)) <= set(asked)


class SlowPattern:
    """A pattern whose short searches end without an answer; ``begun`` lists the texts of all searches."""

    def __init__(self, begun: list[str]) -> None:
        self._begun = begun

    def search(self, text: str, timeout: float, concurrent: bool = False) -> None:
        self._begun.append(text)
        if not concurrent:
            raise TimeoutError


def test_formulas_within_formulas_do_not_fill_memory() -> None:
    longer = "a"
    for _ in range(30):
        longer = f'replace({longer if longer != "a" else "code"}, "-", "----------")'
    with pytest.raises(DataError, match="1,000,000"):
        result(longer)
    joined = "code"
    for _ in range(7):
        joined = f"concat({', '.join([joined] * 2)})"
    assert len(str(result(joined)[0])) == 7 * 2**7


def test_only_the_beginning_of_a_long_text_is_searched() -> None:
    data = Dataset(Schema((Attribute("x", AttributeKind.TEXT),)), [texts(["-" * 20_000 + "7", "-7"])])
    assert result('extract(x, "[0-9]")', data) == [None, "7"]


ANY_TEXT = st.text(max_size=12).filter(lambda text: "\0" not in text)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | ANY_TEXT, min_size=1, max_size=12), ANY_TEXT.filter(bool), ANY_TEXT, st.integers(1, 4))
def test_each_record_gets_what_python_makes_of_its_own_text(
    values: list[str | None], old: str, new: str, n: int
) -> None:
    data = Dataset(Schema((Attribute("x", AttributeKind.TEXT), numeric("a"))), [texts(values), np.arange(len(values))])
    quoted, instead = (text.replace('"', '""') for text in (old, new))

    def part(text: str) -> str | None:
        parts = text.split(old)
        return parts[n - 1] if n <= len(parts) else None

    wanted = {
        "trim(x)": str.strip,
        "upper(x)": str.upper,
        "lower(x)": str.lower,
        "length(x)": lambda text: float(len(text)),
        f'replace(x, "{quoted}", "{instead}")': lambda text: text.replace(old, new),
        f'split(x, "{quoted}", {n})': part,
        f'concat(x, "{quoted}", x)': lambda text: f"{text}{old}{text}",
        f'x = "{quoted}"': lambda text: float(text == old),
    }
    for formula, function in wanted.items():
        expected = [None if value is None else function(value) for value in values]
        assert result(formula, data) == [None if value == "" else value for value in expected], formula
    joined = [None if value is None else f"{value}{number}" for number, value in enumerate(values)]
    assert result("concat(x, a)", data) == joined


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='abcx()[]",-+*/ 1.\\|?^$', max_size=40))
def test_no_text_of_a_formula_does_anything_but_count_or_be_refused(text: str) -> None:
    for formula in (text, f'extract(code, "{text}")', f'split(code, "{text}", 1)', f"concat({text})"):
        try:
            values = formula_values(parse_formula(formula), table())
        except DataError as error:
            assert error.sentence.endswith(".")
        else:
            numbers = values.seconds if isinstance(values, FormulaDates) else values
            assert len(numbers.codes if isinstance(numbers, FormulaTexts) else numbers) == 4


@pytest.mark.parametrize(
    ("formula", "texts_become", "kind"),
    [
        ("upper(town)", "auto", AttributeKind.NOMINAL),
        ("upper(town)", "text", AttributeKind.TEXT),
        ("concat(a, code)", "auto", AttributeKind.TEXT),
        ("concat(a, code)", "nominal", AttributeKind.NOMINAL),
        ("length(code)", "nominal", AttributeKind.NUMERIC),
        ("if(a > 0, born, came)", "text", AttributeKind.DATE),
    ],
)
def test_the_column_has_the_kind_of_its_values(formula: str, texts_become: str, kind: AttributeKind) -> None:
    data = table().take(np.tile(np.arange(4), 8)).with_column(0, numeric("a"), np.arange(32.0))
    step = FormulaColumn(to="new", formula=formula, texts=texts_become)
    fitted = step.fit(data, RunContext())
    again = FittedFormula.from_state(fitted.to_state())
    added, same = fitted.transform(data), again.transform(data)
    assert added.schema.attributes[-1].kind is kind and added.schema == same.schema
    assert added.same_column(7, same, 7) or cell_texts(added.schema.attributes[-1], added.column(7)) == cell_texts(
        same.schema.attributes[-1], same.column(7)
    )
    assert "kind" in fitted.to_state().values or kind is AttributeKind.NUMERIC  # an older file says none: numbers


def test_a_value_that_training_did_not_have_is_missing() -> None:
    fitted = FormulaColumn(to="new", formula="trim(town)").fit(table().take([0, 1, 2]), RunContext())
    added = fitted.transform(table())
    assert cell_texts(added.schema.attributes[-1], added.column(7)) == ["Bern", "Ulm", None, None]
    without = fitted.transform(table().select_columns([0, 6]))
    assert without.schema.attributes[-1].values == ("Bern", "Ulm") and set(without.column(2).tolist()) == {-1}


def test_too_many_values_for_a_list_are_refused_with_a_remedy() -> None:
    many = Dataset(Schema((numeric("a"),)), [np.arange(10_001.0)])
    with pytest.raises(DataError, match="10,001") as caught:
        FormulaColumn(formula="concat(a)", texts="nominal").fit(many, RunContext())
    assert "text" in caught.value.remedy


@pytest.mark.parametrize(
    "changes", [{"kind": "ordinal"}, {"kind": 3}, {"kind": "nominal"}, {"kind": "nominal", "values": ["a", "a"]}]
)
def test_damaged_kinds_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ModelFileError):
        FittedFormula.from_state(State({"name": "x", "formula": "upper(a)", **changes}, {}))


def test_a_rule_and_a_step_do_the_same_to_the_next_file(tmp_path: Path) -> None:
    step = FormulaColumn(to="district", formula='upper(split(code, "-", 1))', texts="nominal")
    (rule,) = rules_of_step(step)
    assert rules_from_json([rule.to_json()]) == (rule,) and isinstance(rule, AddFormula)
    data, misfits = cleaned(table(), (rule,))
    assert not misfits and data.schema.attributes[-1].values == ("AB", "C", "ÜNÏ")
    _absent, misfits = cleaned(table().select_columns([0, 1, 6]), (rule,))
    assert [misfit.column for misfit in misfits] == ["district"] and misfits[0].remedy
    learned = learn(C45(), (step,), table(), RunContext(seed=1))
    trained = TrainedClassifier(table().schema, learned.recipe, learned.model, C45(), (step,))
    save_model(tmp_path / "model", trained)
    again = load_model(tmp_path / "model", builtin())
    new = table().take([3, 1, 0])
    np.testing.assert_array_equal(again.predict_proba(new), trained.predict_proba(new))


@pytest.mark.parametrize(
    ("text", "position", "usage"),
    [
        ("", 0, None),
        ("upper(", 6, "upper"),
        ("upper(x)", 8, None),
        ('1 + replace(trim(x), "(", ', 26, "replace"),
        ('1 + replace(trim(x), "(", ', 18, "trim"),
        ("(a + ", 5, None),
        ("if((a", 5, "if"),
        ('extract(x, "(a', 14, "extract"),
    ],
)
def test_the_function_in_hand(text: str, position: int, usage: str | None) -> None:
    function = function_at(text, position)
    assert (function and function.usage) == (usage and FUNCTIONS[usage].usage)


def test_every_function_says_how_it_is_written() -> None:
    for name, function in FUNCTIONS.items():
        assert re.match(rf"{name}\(.+\)$", function.usage) and function.help.endswith((".", ").")), name
        assert 1 <= function.least <= function.most


def test_a_million_records_are_changed_once_each_and_can_be_stopped_often() -> None:
    """Each distinct text is changed once; between two checkpoints the work is short."""
    n = MILLION
    distinct = np.array([f"{i}-{'ab' * (i % 5)}-x" for i in range(n)], dtype=STRING)
    few = np.arange(n) % 7
    schema = Schema((Attribute("x", AttributeKind.TEXT), nominal("town", tuple("abcdefg")), numeric("a")))
    data = Dataset(schema, [distinct, few, np.arange(n, dtype=float)])
    checkpoints = list[None]()
    tree = parse_formula('concat(upper(split(x, "-", 2)), town)')
    values = formula_values(tree, data, lambda: checkpoints.append(None))
    assert isinstance(values, FormulaTexts) and len(values.distinct()) == 35
    assert len(checkpoints) > n / 8192, "at least one for each 8,192 records"
    checkpoints.clear()
    formula_values(parse_formula("length(upper(town)) + a"), data, lambda: checkpoints.append(None))
    assert len(checkpoints) < n / 8192, "seven distinct values are changed, not a million texts"
