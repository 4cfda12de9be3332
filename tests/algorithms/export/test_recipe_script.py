"""The script of a recipe, run by a Python that knows no Coppice, gives the same table."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe
from algorithms.core.parameters import configured
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.export.recipe_script import STEP_WRITERS, write_recipe_script
from algorithms.io.writing import write_table
from tests.expected_texts import export as wording

EVIL = '"""\'); raise SystemExit(7) #\n{0}\\'
FORMULA = 'if(size > 2 and not missing([width]), size / [width] ^ 2, max(-size, 1)) + (kind = "b") * 10'
REMOVED = "remove-attributes:columns=width"
RECIPES = {
    "filled": ["replace-missing:numeric=median,nominal=value,indicator=true", "encode"],
    "ranges": ["discretize:by=equal-frequency,ranges=3", "merge-values:at_least=4", "encode:by=ordinal"],
    "ranks": ["scale:by=rank", "replace-missing", "principal-components"],
    "bell": ["scale:by=rank,shape=bell", "select-attributes:number=2"],
    "clipped": ["scale:by=range,clip=true,high=3", "encode:by=target", "move-attributes:to=name"],
    "logs": [
        "scale:by=log",
        "scale:by=robust",
        "rename-attribute:column=size,to=Größe",
        "remove-attributes:columns=width",
    ],
    "kinds": ["change-kind:kind=nominal,columns=count", "encode:by=binary", "balance-classes"],
    "back": ["change-kind:kind=nominal,columns=count", "change-kind:kind=numeric,columns=count", "scale"],
    "words": ["text-to-words:min_documents=1,longest=2", "text-to-words:by=count,norm=l1,min_documents=1,stop=english"],
    "capped": ["cap-outliers", "cap-outliers:by=quantiles,lower=10,upper=80", "unit-length"],
    "lengths": ["unit-length:norm=l1,columns=size", "replace-missing", "unit-length:norm=max", "encode:by=frequency"],
    "shares": ["merge-values:by=share,share=20", "encode:by=frequency"],
    "dates": [
        "date-parts:year=false,weekend=true,quarter=true,week=true,day=true,yearday=true,hour=true,minute=true",
        "date-difference:end=came,start=left,unit=months,to=stay",
        "date-difference:end=came,start=left,unit=hours,to=stay",
        "derive:to=made,formula=year([came]) + days([left]) - days([came]) + week([left])",
    ],
    "coded dates": [
        "date-parts:coding=nominal,weekend=true,quarter=true,columns=came",
        "date-parts:coding=cyclic,hour=true,columns=left",
        "date-difference:end=came,since=given,date=1999-02-28 12:00,unit=years",
    ],
    "derived": [f"derive:to=made,formula={FORMULA}", "scale", "replace-missing"],
    "merged": ["merge-values:by=given,values_named=a; b,to=ab", "change-kind:kind=text,columns=count"],
}


def odd_table() -> Dataset:
    """A table with missing values, a name and a value that would break out of their quotes, and a text."""
    rng = np.random.default_rng(3)
    n = 60
    size, width = rng.normal(2, 3, n), rng.integers(0, 5, n).astype(float)
    size[[3, 9]], width[[0, 3]] = np.nan, np.nan
    kinds = rng.integers(-1, 4, n)
    note = np.array(["=1+1", EVIL, np.nan] * (n // 3), dtype=object).astype(STRING)
    schema = Schema(
        (
            numeric("size"),
            numeric("width"),
            numeric("count"),
            nominal("kind", ("a", "b", EVIL, "Ωmega")),
            nominal(EVIL, ("x", "y")),
            Attribute("note", AttributeKind.TEXT),
            nominal("class", ("no", "yes")),
            Attribute("came", AttributeKind.DATE),
            Attribute("left", AttributeKind.DATE),
        ),
        6,
    )
    counts, flags, classes = rng.integers(0, 4, n).astype(float), rng.integers(-1, 2, n), np.nan_to_num(size) > 2
    came, left = rng.uniform(-3e9, 3e9, (2, n)).round()
    came[5], left[[5, 8]] = np.nan, np.nan
    columns = [size, width, counts, kinds, flags, note, classes.astype(int), came, left]
    return Dataset(schema, columns, origin=DataOrigin(EVIL))


def recipe(*texts: str) -> Recipe:
    registry = builtin()
    steps = []
    for text in texts:
        id, _, given = text.partition(":")
        parts = [] if not given else [given] if id == "derive" else given.split(",")
        options = dict(part.split("=", 1) for part in parts)
        if id == "derive":
            to, formula = given.removeprefix("to=").split(",formula=")
            options = {"to": to, "formula": formula}
        steps.append(configured(registry.filters.get(id), options, registry.resolve))
    return tuple(steps)


def rows(path: Path) -> list[list[object]]:
    """The cells of a CSV file, numbers as such: 5.0 is 5."""
    with path.open(encoding="utf-8", newline="") as file:
        return [[number_or(cell) for cell in row] for row in csv.reader(file)]


def number_or(cell: str) -> object:
    try:
        return float(cell)
    except ValueError:
        return cell


def run_python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-I", *words], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("name", RECIPES)
def test_a_script_gives_the_same_table(tmp_path: Path, name: str) -> None:
    data, steps = odd_table(), recipe(*RECIPES[name])
    raw, want, got, script = (tmp_path / file for file in ("raw.csv", "want.csv", "got.csv", "steps.py"))
    write_table(raw, data)
    fitted = write_recipe_script(script, steps, data, RunContext(seed=1))
    write_table(want, fitted.transform(data))
    done = run_python(str(script), str(raw), str(got))
    assert done.returncode == 0, done.stderr
    assert rows(got) == rows(want)


def test_a_number_that_training_never_saw_is_missing_as_where_a_model_predicts(tmp_path: Path) -> None:
    codes, classes = nominal("code", ("1", "-2.5", "007")), nominal("class", ("no", "yes"))
    data = Dataset(Schema((codes, classes), 1), [[0, 1, 2, -1], [0, 1, 0, 1]], origin=DataOrigin("codes"))
    new = Dataset(
        Schema((nominal("code", ("007", "4")), classes), 1), [[0, 1, -1], [0, 1, 0]], origin=DataOrigin("new")
    )
    raw, got, script = (tmp_path / file for file in ("raw.csv", "got.csv", "steps.py"))
    write_table(raw, new)
    write_recipe_script(script, recipe("change-kind:kind=numeric,columns=code"), data, RunContext(seed=1))
    done = run_python(str(script), str(raw), str(got))
    assert done.returncode == 0, done.stderr
    assert [row[0] for row in rows(got)] == ["code", 7.0, "", ""]


def test_a_script_clips_numbers_beyond_those_of_training(tmp_path: Path) -> None:
    schema = Schema((numeric("size"), nominal("class", ("no", "yes"))), 1)
    data = Dataset(schema, [[0.0, 1.0, 2.0], [0, 1, 0]], origin=DataOrigin("sizes"))
    new = Dataset(schema, [[-5.0, 1.0, 9.0], [0, 1, 0]], origin=DataOrigin("new"))
    raw, got, script = (tmp_path / file for file in ("raw.csv", "got.csv", "steps.py"))
    write_table(raw, new)
    write_recipe_script(script, recipe("scale:by=range,clip=true"), data, RunContext(seed=1))
    done = run_python(str(script), str(raw), str(got))
    assert done.returncode == 0, done.stderr
    assert [row[0] for row in rows(got)] == ["size", 0.0, 0.5, 1.0]


def test_values_that_training_never_saw_are_rare_in_a_script_too(tmp_path: Path) -> None:
    classes, own = nominal("class", ("no", "yes")), nominal("word", ("a", "b", "d"))
    data = Dataset(Schema((own, classes), 1), [[0, 0, 0, 1, 2], [0, 1, 0, 1, 0]], origin=DataOrigin("words"))
    new = Dataset(Schema((nominal("word", ("a", "c")), classes), 1), [[0, 1, -1], [0, 1, 0]], origin=DataOrigin("new"))
    raw, got, script = (tmp_path / file for file in ("raw.csv", "got.csv", "steps.py"))
    write_table(raw, new)
    write_recipe_script(script, recipe("merge-values:at_least=2"), data, RunContext(seed=1))
    done = run_python(str(script), str(raw), str(got))
    assert done.returncode == 0, done.stderr
    assert [row[0] for row in rows(got)] == ["word", "a", "other", ""]


def test_a_script_refuses_texts_that_become_numbers(tmp_path: Path) -> None:
    schema = Schema((Attribute("note", AttributeKind.TEXT), nominal("class", ("no", "yes"))), 1)
    data = Dataset(schema, [np.array(["1", "2"], dtype=object).astype(STRING), [0, 1]], origin=DataOrigin("notes"))
    with pytest.raises(DataError, match=wording.TEXT_TO_NUMERIC):
        write_recipe_script(tmp_path / "steps.py", recipe("change-kind:kind=numeric,columns=note"), data, RunContext())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sample", ["iris", "wine", "breast-cancer", "vertebrates", "customers"])
def test_a_script_prepares_a_sample_in_a_pipeline_of_scikit_learn(tmp_path: Path, sample: str) -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("pyarrow")
    data = builtin().samples.get(sample).make(None, 1, RunContext())
    steps = recipe("replace-missing", "discretize:by=equal-width", "encode", "scale")
    raw, want, got, script = (tmp_path / file for file in ("raw.parquet", "want.csv", "got.csv", "steps.py"))
    write_table(raw, data)
    fitted = write_recipe_script(script, steps, data, RunContext(seed=1))
    write_table(want, fitted.transform(data))
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import steps\n"
        "from sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import FunctionTransformer\n"
        f"table = make_pipeline(FunctionTransformer(steps.prepare)).fit_transform(steps.read({str(raw)!r}))\n"
        f"table.to_csv({str(got)!r}, index=False)\n"
    )
    done = run_python("-c", program)
    assert done.returncode == 0, done.stderr
    assert rows(got) == rows(want)


def test_every_filter_is_written_or_refused_by_name(tmp_path: Path) -> None:
    unwritten = {each.id for each in builtin().filters if not each.only_training and each.fitted not in STEP_WRITERS}
    assert unwritten == set()


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ("replace-missing:numeric=nearest", wording.NEAREST_IS_NOT_WRITTEN),
        ("derive:to=a,formula=" + "+".join(["size"] * 100), wording.LONG_FORMULA_IS_NOT_WRITTEN),
    ],
)
def test_a_step_that_no_script_can_say_is_refused_and_nothing_is_written(
    tmp_path: Path, step: str, sentence: str
) -> None:
    path = tmp_path / "steps.py"
    path.write_text("old", "utf-8")
    with pytest.raises(DataError, match=sentence) as caught:
        write_recipe_script(path, recipe("scale", step), odd_table(), RunContext(seed=1))
    assert caught.value.remedy
    assert path.read_text("utf-8") == "old"


def test_a_table_that_lacks_a_column_is_refused_by_the_script(tmp_path: Path) -> None:
    script, raw = tmp_path / "steps.py", tmp_path / "raw.csv"
    data = odd_table()
    write_recipe_script(script, recipe("scale"), data, RunContext())
    write_table(raw, data.select_columns([0, 6]))
    done = run_python(str(script), str(raw), str(tmp_path / "got.csv"))
    assert done.returncode != 0 and wording.NO_COLUMN_WIDTH in done.stderr
