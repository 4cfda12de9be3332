"""The script of a cleaned table, run by a Python that knows no Coppice, cleans the raw table as the program does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.export.recipe_script import RULE_WRITERS, write_recipe_script
from algorithms.filters.cleaning_rules import (
    RULES,
    AddFormula,
    CleaningRule,
    ConvertColumn,
    CutColumn,
    MissingMarks,
    RemoveColumns,
    RenameColumn,
    RenameValues,
    ReplaceText,
    cleaned,
)
from algorithms.filters.computed_columns import FormulaColumn
from algorithms.io.writing import write_table
from tests.algorithms.export.test_recipe_script import EVIL, recipe, rows, run_python
from tests.expected_texts import export as wording

NAN = float("nan")
AMOUNTS = [
    "1.234,50",
    "€ 12,5",
    "-3",
    "(4,00)",
    "5,-",
    "12,5 %",
    "n/a",
    None,
    "1,2,3",
    "  7 ",
    "1e3",
    "\N{MINUS SIGN}8,25",
]
DAYS = ["31.01.2024", "1.2.2023", "30.02.2024", None, "soon", "29.02.2024"]
MOMENTS = ["2024-01-31", "2024-01-31 18:30", "2024-1-1", None, "2024-02-30", "2024-01-31T05:00:00.5"]
UNUSUAL = ["U\u0308ni\u0308 cafe\u0301", "a{e}", "x² 3½", "\u0967\u0968 हिन्दी", "a\u1680b\x1cc", "\U0001f130 z"]
"""Composed accents, braces, and characters that the libraries re and regex take for words, digits or blanks or not."""
ALL_FORMS = (
    "upper(note)",
    "lower(trim(note))",
    f'replace([{EVIL.replace("]", "")}], "x", "y")',
    'replace(note, "a", kind)',
    'split(note, "-", 2)',
    'split(note, "-", -1)',
    'extract(note, "([a-z]+)-?")',
    *(rf'extract(note, "{pattern}")' for pattern in (r"^\w+", r"\b\w+\b", r"\W+", r"\d+", r"\S+", r"[^\W\d_]{2,}$")),
    'extract(note, "a{e}")',
    'number(amount, ",")',
    'number("1,234.5 $") + size',
    "length(note) + length(kind)",
    'concat(note, "/", size, "/", came)',
    'date("31.01.2024", "%d.%m.%Y")',
    "date(moment)",
    "age(came, left)",
    'age(came, "2030-06-15")',
    'if(note = kind, upper(kind), "other")',
    "if(size > 2, came, left)",
    "if(missing(note), 1, length(note))",
    "year(date(moment)) + month(came)",
    'came < left or came = "1970-01-01"',
    "note != kind",
    "trim(concat(kind))",
)


def texts(values: list[str | None], n: int = 36) -> np.ndarray:
    return np.array([NAN if value is None else value for value in (values * n)[:n]], dtype=STRING)


def raw_table() -> Dataset:
    """Numbers, values and texts as a messy file has them; a name and a value would break out of their quotes."""
    rng = np.random.default_rng(5)
    n = 36
    size = rng.integers(-3, 9, n).astype(float)
    size[[3, 9]], size[[4, 5]] = np.nan, -999
    came, left = rng.integers(-800_000_000, 1_700_000_000, (2, n)).astype(float)
    came[5] = np.nan
    schema = Schema(
        (
            numeric("size"),
            numeric("count"),
            nominal("kind", ("a", " b", "n/a", EVIL, "Ωmega")),
            Attribute("note", AttributeKind.TEXT),
            Attribute("amount", AttributeKind.TEXT),
            Attribute("day", AttributeKind.TEXT),
            Attribute("moment", AttributeKind.TEXT),
            nominal("code", ("1", "2,5", "x")),
            Attribute(EVIL.replace("]", ""), AttributeKind.IDENTIFIER),
            Attribute("came", AttributeKind.DATE),
            Attribute("left", AttributeKind.DATE),
            nominal("class", ("no", "yes")),
        ),
        11,
    )
    columns = [
        *(size, rng.integers(0, 4, n).astype(float), rng.integers(-1, 5, n)),
        texts(["ab-cd", " A ", "n/a", None, EVIL, "Ünï-x-3", "-", *UNUSUAL], n),
        *(texts(AMOUNTS, n), texts(DAYS, n), texts(MOMENTS, n), rng.integers(-1, 3, n)),
        *(texts([f"x{i}" for i in range(n)], n), came, left, np.arange(n) % 2),
    ]
    return Dataset(schema, columns, origin=DataOrigin(EVIL))


NOTE = ("note",)
CHAINS: dict[str, tuple[CleaningRule, ...]] = {
    "rename": (RenameColumn(column="size", to='Größe "x"'), RenameColumn(column="gone", to="size")),
    "remove": (RemoveColumns(columns=("note", "gone", "count")),),
    "amounts": (ConvertColumn(column="amount", decimal="comma", thousands="point", accounting=True),),
    "plain amounts": (ConvertColumn(column="amount", decimal="comma", thousands="space", unit="EUR"),),
    "codes": (ConvertColumn(column="code", decimal="comma"), ConvertColumn(column="kind")),
    "days": (ConvertColumn(column="day", kind="date", format="%d.%m.%Y"),),
    "moments": (ConvertColumn(column="moment", kind="date"), ConvertColumn(column="moment", kind="numeric")),
    "labels": (
        ConvertColumn(column="count", kind="nominal"),
        ConvertColumn(column="size", kind="text"),
        ConvertColumn(column="came", kind="text"),
        ConvertColumn(column="left", kind="nominal"),
        ConvertColumn(column="note", kind="ordinal", order=("-", " A ")),
    ),
    "seconds": (ConvertColumn(column="count", kind="date"), ConvertColumn(column="came", kind="numeric")),
    "values": (
        RenameValues(column="kind", names=(("a", "A"), (" b", "A"), ("gone", "x"), (EVIL, "'; '"))),
        RenameValues(column="note", names=(("n/a", ""), (" A ", "A"))),
        RenameValues(column="count", names=(("1", "one"), ("3", "three"))),
        RenameValues(column="size", names=(("1234", "many"),)),
    ),
    "texts": (
        ReplaceText(old="A", new="", columns=("note", "kind")),
        ReplaceText(old="n/a", new="", whole=True),
        ReplaceText(old="-", new="+", columns=NOTE, match_case=True),
        ReplaceText(old="OMEGA", new="alpha", columns=("kind",)),
    ),
    "numbers": (
        ReplaceText(old="-999", new="", columns=("size",)),
        ReplaceText(old="1", new="2.5", columns=("count", "size")),
    ),
    "no numbers": (ReplaceText(old="1", new="one", columns=("count",)),),
    "marks": (MissingMarks(marks=("n/a", "-999", "-", "a")), MissingMarks(marks=("1",), columns=("count", "code"))),
    "cuts": (
        CutColumn(column="size", cuts=("0", "2.5"), keep=True),
        CutColumn(column="count", cuts=("2",)),
        ReplaceText(old="x", new="7", columns=("code",)),
        CutColumn(column="code", cuts=("2",)),
        CutColumn(column="note", cuts=("2",)),
    ),
    **{formula: (AddFormula(to='made "here"', formula=formula),) for formula in ALL_FORMS},
    "all": (
        RenameColumn(column="size", to="width"),
        MissingMarks(marks=("n/a", "-999")),
        ConvertColumn(column="amount", decimal="comma", thousands="point", accounting=True),
        ConvertColumn(column="day", kind="date", format="%d.%m.%Y"),
        AddFormula(to="age", formula='age(day, "2025-01-01") + amount'),
        AddFormula(to="part", formula='upper(split(note, "-", 1))'),
        RenameValues(column="part", names=(("AB", "Bern"),)),
        CutColumn(column="width", cuts=("2",), keep=True),
        RemoveColumns(columns=("note", "code")),
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_a_script_cleans_the_raw_table_as_the_program_does(tmp_path: Path, name: str) -> None:
    raw = raw_table()
    data, _ = cleaned(raw, CHAINS[name])
    source, want, got, script = (tmp_path / file for file in ("raw.csv", "want.csv", "got.csv", "steps.py"))
    write_table(source, raw)
    steps = recipe("remove-attributes:columns=left") if "left" in data.schema else ()
    fitted = write_recipe_script(script, steps, data, RunContext(seed=1), raw)
    write_table(want, fitted.transform(data))
    done = run_python(str(script), str(source), str(got))
    assert done.returncode == 0, done.stderr
    assert rows(got) == rows(want)


def test_every_kind_of_rule_has_a_writer_and_is_tried() -> None:
    assert set(RULE_WRITERS) == set(RULES)
    assert {type(rule) for rules in CHAINS.values() for rule in rules} == set(RULES)


@pytest.mark.parametrize("formula", ALL_FORMS)
def test_a_step_with_a_formula_gives_new_records_what_a_model_would_see(tmp_path: Path, formula: str) -> None:
    raw = raw_table()
    new = raw.take(np.arange(35, 5, -1))
    source, want, got, script = (tmp_path / file for file in ("raw.csv", "want.csv", "got.csv", "steps.py"))
    write_table(source, new)
    steps = (FormulaColumn(to="made", formula=formula),)
    fitted = write_recipe_script(script, steps, raw.take(np.arange(20)), RunContext(seed=1))
    write_table(want, fitted.transform(new))
    done = run_python(str(script), str(source), str(got))
    assert done.returncode == 0, done.stderr
    assert rows(got) == rows(want)


def test_without_the_raw_table_the_rules_are_named_alone(tmp_path: Path) -> None:
    data, _ = cleaned(raw_table(), CHAINS["rename"])
    write_recipe_script(tmp_path / "steps.py", (), data, RunContext())
    assert wording.MUST_HAVE_BEEN_CLEANED in (tmp_path / "steps.py").read_text(encoding="utf-8")


def test_a_rule_that_may_change_dates_as_text_is_refused_by_name(tmp_path: Path) -> None:
    raw = raw_table()
    data, _ = cleaned(raw, (ReplaceText(old="2024", new="2025", columns=("came",)),))
    with pytest.raises(DataError, match=wording.MAY_CHANGE_THE_DATES) as caught:
        write_recipe_script(tmp_path / "steps.py", (), data, RunContext(), raw)
    assert caught.value.remedy and not (tmp_path / "steps.py").exists()
