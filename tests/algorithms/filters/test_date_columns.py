"""Parts of dates and differences between them, beside pandas."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.filters import Filter
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.dates import completed_months
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal
from algorithms.data.summary import summarize
from algorithms.evaluation.runner import train
from algorithms.filters.computed_columns import DateDifference, DateParts, DatePartsAdded, DatesSubtracted
from algorithms.learners.trees.stump import DecisionStump
from algorithms.project.models import load_model, save_model
from tests.expected_texts import filters as wording

NAN = float("nan")


def seconds(*texts: str) -> FloatArray:
    return np.array([NAN if not text else np.datetime64(text, "s").astype(float) for text in texts])


def table(came: FloatArray, left: FloatArray | None = None) -> Dataset:
    attributes = (Attribute("came", AttributeKind.DATE), Attribute("left", AttributeKind.DATE), nominal("y", "ab"))
    columns = [came, came if left is None else left, np.arange(len(came)) % 2]
    return Dataset(Schema(attributes, 2), columns)


def changed(filter: Filter, data: Dataset) -> Dataset:
    return filter.fit(data, RunContext()).transform(data)


def some_dates(n: int = 3000) -> FloatArray:
    dates = np.random.default_rng(4).uniform(-4e9, 6e9, n).round()
    dates[::50] = NAN
    dates[1:5] = seconds("1970-01-01", "2020-12-31T23:59:59", "2021-01-03T00:00:00", "1600-02-29T12:30:00")
    return dates


EVERY_PART = DateParts(quarter=True, week=True, day=True, weekend=True, yearday=True, hour=True, minute=True)


def test_parts_are_those_of_pandas() -> None:
    dates = some_dates()
    found = changed(EVERY_PART.with_values(columns=("came",)), table(dates))
    moments = pd.Series(pd.to_datetime(np.where(np.isnan(dates), 0, dates), unit="s")).where(~np.isnan(dates))
    at = moments.dt
    expected = {
        "year": at.year,
        "quarter": at.quarter,
        "month": at.month,
        "ISO week": at.isocalendar().week.astype(float),
        "day of month": at.day,
        "weekday": at.day_of_week + 1,
        "weekend": (at.day_of_week > 4).where(moments.notna()).astype(float),
        "day of year": at.day_of_year,
        "hour": at.hour,
        "minute": at.minute,
    }
    assert found.schema.names[3:] == tuple(f"came: {part}" for part in expected)
    for part, values in expected.items():
        np.testing.assert_array_equal(found.column(f"came: {part}"), values.to_numpy(float), err_msg=part)


def test_parts_may_be_values_of_a_list_or_lie_on_a_circle() -> None:
    dates = seconds("2024-12-29", "", "2024-01-01T13:00")
    found = changed(DateParts(coding="nominal", columns=("came",), weekend=True), table(dates))
    month, weekday, weekend = found.schema.attributes[4:]
    assert month.kind is AttributeKind.ORDINAL and month.values[found.column(4)[0]] == "December"
    assert [weekday.values[code] if code >= 0 else None for code in found.column(5)] == ["Sunday", None, "Monday"]
    assert [weekend.values[code] if code >= 0 else None for code in found.column(6)] == ["yes", None, "no"]
    round_the_year = changed(DateParts(coding="cyclic", columns=("came",), year=False, weekday=False), table(dates))
    assert round_the_year.schema.names[3:] == wording.CYCLIC_MONTHS
    np.testing.assert_allclose(round_the_year.column(3), [-0.5, NAN, 0], atol=1e-15)
    np.testing.assert_allclose(round_the_year.column(4), [np.sqrt(0.75), NAN, 1], rtol=1e-12)


@pytest.mark.parametrize(
    ("unit", "length"), [("seconds", 1), ("minutes", 60), ("hours", 3600), ("days", 86400), ("weeks", 604800)]
)
def test_differences_are_numbers_of_units(unit: str, length: int) -> None:
    first, second = some_dates(200), some_dates(200)[::-1]
    found = changed(DateDifference(end="came", start="left", unit=unit), table(first, second))
    np.testing.assert_allclose(found.column("difference"), (first - second) / length, rtol=1e-15)


AGES = [
    ("2024-05-01", "2000-05-01", 24, 288),
    ("2024-04-30T23:59:59", "2000-05-01", 23, 287),
    ("2001-02-28", "2000-02-29", 0, 11),
    ("2001-03-01", "2000-02-29", 1, 12),
    ("2004-02-29", "2000-02-29", 4, 48),
    ("2000-05-01", "2024-05-01", -24, -288),
    ("2024-03-01T11:00", "2024-02-01T12:00", 0, 0),
    ("1960-01-15", "1959-12-16", 0, 0),
]


@pytest.mark.parametrize(("later", "earlier", "years", "months"), AGES)
def test_months_and_years_are_completed_as_an_age_is(later: str, earlier: str, years: int, months: int) -> None:
    data = table(seconds(later), seconds(earlier))
    for unit, expected in (("years", years), ("months", months)):
        assert changed(DateDifference(end="came", start="left", unit=unit), data).column(3).tolist() == [expected]
    since = DateDifference(end="came", since="given", date=earlier, unit="months")
    assert changed(since, data).column(3).tolist() == [months]


def test_completed_months_are_counted_as_birthdays_are() -> None:
    rng = np.random.default_rng(6)
    for first, second in rng.integers(-3_000_000_000, 3_000_000_000, (300, 2)).tolist():
        low, high = (datetime.fromtimestamp(0) + pd.Timedelta(seconds=s) for s in sorted((first, second)))
        months = 12 * (high.year - low.year) + high.month - low.month
        months -= (high.day, high.time()) < (low.day, low.time())
        pair = [np.array([float(value)]) for value in (max(first, second), min(first, second))]
        assert completed_months(*pair).tolist() == [months]
        assert completed_months(*pair[::-1]).tolist() == [-months]


def test_a_column_that_is_gone_gives_missing_parts_and_differences() -> None:
    data = table(seconds("2024-12-29", "2024-01-01"))
    for filter in (DateParts(columns=("came",)), DateDifference(end="came", start="left")):
        fitted = filter.fit(data, RunContext())
        there, without = fitted.transform(data), fitted.transform(data.select_columns([2]))
        assert without.schema.names == ("y", *there.schema.names[3:])
        assert all(np.isnan(without.column(index)).all() for index in range(1, len(without.schema)))
        assert set(fitted.read()) <= {"came", "left"}


def test_what_cannot_be_computed_is_told() -> None:
    data = table(seconds("2024-12-29", ""))
    summary = summarize(data)
    assert [p.sentence for p in DateParts(year=False, month=False, weekday=False).check(summary)] == [wording.NO_PART]
    assert [p.sentence for p in DateDifference().check(summary)] == [wording.NO_DATES_YET]
    assert DateDifference(end="came", start="y").check(summary)[0].column == "y"
    assert [p.column for p in DateDifference(end="gone", start="left").check(summary)] == ["gone"]
    wrong = DateDifference(end="came", since="given", date="31.12.2024")
    assert [p.sentence for p in wrong.check(summary)] == [wording.NO_DATE]
    for filter in (wrong, DateDifference(end="came", start="y")):
        with pytest.raises(DataError):
            filter.fit(data, RunContext())
    assert not DateDifference(end="came", start="left").check(summary)


def test_a_saved_model_adds_the_same_columns(tmp_path: Path) -> None:
    data = table(some_dates(80), some_dates(80)[::-1])
    recipe = (EVERY_PART, DateDifference(end="came", since="given", unit="years"))
    trained = train(DecisionStump(), data, recipe, RunContext(seed=1))
    path = tmp_path / "dates.coppice-model"
    save_model(path, trained)
    again = load_model(path, builtin())
    before, after = trained.recipe.transform(data), again.recipe.transform(data)
    assert before.schema == after.schema
    for index in range(len(before.schema)):
        np.testing.assert_array_equal(before.column(index), after.column(index))


@pytest.mark.parametrize(
    ("cls", "state"),
    [
        (DatePartsAdded, State({"names": ["a"], "parts": ["century"], "coding": "number"}, {})),
        (DatePartsAdded, State({"names": ["a"], "parts": ["year"], "coding": "roman"}, {})),
        (DatesSubtracted, State({"to": "d", "name": "a", "other": "", "unit": "ages"}, {"given": np.zeros(1)})),
        (DatesSubtracted, State({"to": "d", "name": "a", "other": "", "unit": "days"}, {})),
    ],
)
def test_a_damaged_state_is_refused(cls: type[DatePartsAdded | DatesSubtracted], state: State) -> None:
    with pytest.raises(ModelFileError):
        cls.from_state(state)


def test_circles_close_after_a_mean_year_and_weekends_have_no_order() -> None:
    data = table(seconds("2024-01-01", "2024-07-01"))
    found = changed(DateParts(year=False, month=False, weekday=False, week=True, yearday=True, coding="cyclic"), data)
    for name, place, period in (("ISO week", 26, 365.2425 / 7), ("day of year", 182, 365.2425)):
        np.testing.assert_allclose(found.column(f"came: {name} (sin)"), [0, np.sin(2 * np.pi * place / period)])
    found = changed(DateParts(weekend=True, coding="nominal"), data)
    kinds = {a.name: a.kind for a in found.schema.attributes}
    assert kinds["came: weekend"] is AttributeKind.NOMINAL and kinds["came: month"] is AttributeKind.ORDINAL
