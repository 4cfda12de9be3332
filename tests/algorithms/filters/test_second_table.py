"""Joins and aggregates of a second table, beside pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError, ModelFileError, UnreadFileError
from algorithms.core.filters import RecipeStep
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.evaluation.checks.warnings import step_warnings
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate, train
from algorithms.export.recipe_script import write_recipe_script
from algorithms.filters.second_table import (
    AggregateTable,
    JoinTable,
    SecondTable,
    SecondTableAdded,
    file_digest,
    second_tables_of,
    with_second_tables,
)
from algorithms.io.writing import write_table
from algorithms.learners.trees.stump import DecisionStump
from algorithms.project.models import load_model, save_model
from algorithms.project.recipes import load_recipe, save_recipe
from tests.algorithms.export.test_recipe_script import rows, run_python
from tests.expected_texts import filters as wording

DAY = 86400.0
SINCE = pd.Timestamp("2024-01-01")
EVERYTHING = {"total": True, "lowest": True, "highest": True, "latest": True, "distinct": True}


def transactions(m: int = 500) -> pd.DataFrame:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "customer": random.integers(0, 60, m),
            "amount": random.normal(size=m).round(2),
            "shop": random.choice(["north", "south", "east"], m),
            "when": SINCE + pd.to_timedelta(random.integers(0, 300, m), unit="D"),
        }
    )
    frame.loc[::9, "amount"] = np.nan
    return frame


def customers(n: int = 100) -> Dataset:
    """Customers with a date each; those from 60 on have no transaction, and one has no number."""
    random = np.random.default_rng(1)
    numbers, days = random.integers(0, 80, n).astype(float), random.integers(0, 300, n) * DAY
    numbers[3] = np.nan
    attributes = (numeric("customer"), Attribute("day", AttributeKind.DATE), nominal("y", "ab"))
    return Dataset(Schema(attributes, 2), [numbers, SINCE.timestamp() + days, np.arange(n) % 2])


def written(folder: Path, frame: pd.DataFrame, name: str = "tx.csv") -> str:
    frame.to_csv(folder / name, index=False)
    return str(folder / name)


def changed(filter: SecondTable, data: Dataset) -> Dataset:
    return filter.fit(data, RunContext(seed=1)).transform(data)


def labels(data: Dataset, name: str) -> list[str | None]:
    values = data.schema.attributes[data.schema.index_of(name)].values
    return [values[code] if code >= 0 else None for code in data.column(name).tolist()]


# ---- join ------------------------------------------------------------------------------------------------------------


def test_a_join_is_the_left_merge_of_pandas(tmp_path: Path) -> None:
    frame, data = transactions().drop_duplicates("customer"), customers()
    found = changed(JoinTable(path=written(tmp_path, frame), key="customer"), data)
    expected = pd.DataFrame({"customer": data.column(0)}).merge(frame, "left", "customer")
    assert found.schema.names == ("customer", "day", "y", "amount", "shop", "when")
    np.testing.assert_array_equal(found.column("amount"), expected.amount)
    assert labels(found, "shop") == [None if pd.isna(shop) else shop for shop in expected.shop]
    moments = (expected.when - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
    np.testing.assert_array_equal(found.column("when"), moments)


@pytest.mark.parametrize("which", ["first", "last"])
def test_several_rows_of_a_key_are_refused_unless_one_is_chosen(tmp_path: Path, which: str) -> None:
    frame, data = transactions(), customers()
    filter = JoinTable(path=written(tmp_path, frame), key="customer", take="amount")
    with pytest.raises(DataError, match=wording.SEVERAL_ROWS):
        filter.fit(data, RunContext())
    found = changed(filter.with_values(duplicates=which), data)
    one = frame.drop_duplicates("customer", keep=which).set_index("customer").amount
    np.testing.assert_array_equal(found.column("amount"), one.reindex(data.column(0)))
    assert found.schema.names[3:] == ("amount",)


def test_keys_match_as_text_and_the_class_is_not_joined(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [" a ", "b", None], "y": ["p", "q", "r"], "size": [1.5, 2.5, 3.5]})
    data = Dataset(Schema((nominal("key", ("b", "a", "c")), nominal("y", "ab")), 1), [[0, 1, 2, -1], [0, 1, 0, 1]])
    filter = JoinTable(path=written(tmp_path, frame), key="key", key_there="id")
    found = changed(filter, data)
    assert found.schema.names == ("key", "y", "size")
    np.testing.assert_array_equal(found.column("size"), [2.5, 1.5, np.nan, np.nan])
    assert changed(filter.with_values(take="y"), data).schema.names == ("key", "y", "y 2")
    assert changed(filter.with_values(take="size; size"), data).schema.names == ("key", "y", "size")


def test_matches_are_counted_and_new_records_without_a_row_are_told(tmp_path: Path) -> None:
    frame, data = transactions().drop_duplicates("customer"), customers()
    trained = train(
        DecisionStump(), data, (JoinTable(path=written(tmp_path, frame), key="customer"),), RunContext(seed=1)
    )
    (fitted,) = trained.recipe.filters
    n = int(np.isin(data.column(0), frame.customer).sum())
    assert wording.records_with_a_row(n, len(data)) in fitted.learned_rows()
    sentences = [difference.sentence for difference in trained.differences(data)]
    assert sentences == [wording.records_without_a_row(len(data) - n, len(data))]
    assert trained.left_out == ()


# ---- aggregates ------------------------------------------------------------------------------------------------------


def test_aggregates_are_those_of_groupby(tmp_path: Path) -> None:
    frame, data = transactions(), customers()
    found = changed(AggregateTable(path=written(tmp_path, frame), key="customer", **EVERYTHING), data)
    grouped, keys = frame.groupby("customer"), data.column(0)
    of_amount = grouped.amount.agg(["mean", "min", "max", "last", "nunique"]).reindex(keys)
    for name, column in {"mean": "mean", "min": "min", "max": "max", "latest": "last"}.items():
        np.testing.assert_allclose(found.column(f"amount: {name}"), of_amount[column], rtol=1e-9, atol=1e-12)
    total = grouped.amount.sum(min_count=1).reindex(keys)
    np.testing.assert_allclose(found.column("amount: sum"), total, rtol=1e-9, atol=1e-12)
    counts = grouped.size().reindex(keys, fill_value=0)
    np.testing.assert_array_equal(found.column("tx: count"), counts)
    for name in ("amount", "shop", "when"):
        different = grouped[name].nunique().reindex(keys, fill_value=0)
        np.testing.assert_array_equal(found.column(f"{name}: {wording.NUMBER_OF_VALUES}"), different)
    shops = grouped.shop.last().reindex(keys)
    assert labels(found, "shop: latest") == [None if pd.isna(shop) else shop for shop in shops]
    first = (grouped.when.min().reindex(keys) - pd.Timestamp(0)) / pd.Timedelta(seconds=1)
    np.testing.assert_array_equal(found.column("when: min"), first)
    assert found.schema.attributes[found.schema.index_of("when: min")].kind is AttributeKind.DATE


def test_only_rows_earlier_than_the_record_count_where_dates_are_given(tmp_path: Path) -> None:
    frame, data = transactions(), customers()
    filter = AggregateTable(
        path=written(tmp_path, frame), key="customer", record_date="day", date_there="when", **EVERYTHING
    )
    found, ordered = changed(filter, data), frame.sort_values("when", kind="stable")
    for record in range(len(data)):
        earlier = ordered.when < pd.Timestamp(data.column("day")[record], unit="s")
        own = ordered[(ordered.customer == data.column(0)[record]) & earlier]
        values = [found.column(name)[record] for name in ("tx: count", "amount: sum", "amount: max", "amount: latest")]
        known = own.amount.dropna()
        expected = [len(own), own.amount.sum(min_count=1), own.amount.max(), known.iloc[-1] if len(known) else np.nan]
        np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-12)
        assert found.column(f"shop: {wording.NUMBER_OF_VALUES}")[record] == own.shop.nunique()


def test_a_warning_tells_of_rows_later_than_their_records(tmp_path: Path) -> None:
    frame, data = transactions(), customers()
    path = written(tmp_path, frame)

    def told(filter: SecondTable) -> list[str]:
        recipe = train(DecisionStump(), data, (filter,), RunContext(seed=1)).recipe
        return [warning.sentence for warning in step_warnings(recipe)]

    dates: dict[str, Any] = {"record_date": "day", "date_there": "when"}
    last = JoinTable(path=path, key="customer", duplicates="last")
    joined = pd.DataFrame({"customer": data.column(0), "day": data.column(1)}).merge(
        frame.drop_duplicates("customer", keep="last"), "left", "customer"
    )
    later = int((joined.when > pd.to_datetime(joined.day, unit="s")).sum())
    assert told(last.with_values(**dates)) == [wording.later_rows(later, len(data))]
    assert told(last) == [wording.dates_not_told("Join table")]
    aggregate = AggregateTable(path=path, key="customer")
    assert told(aggregate) == [wording.dates_not_told("Aggregate table")]
    assert told(aggregate.with_values(**dates)) == []


# ---- files -----------------------------------------------------------------------------------------------------------


def test_the_folds_read_the_file_once_and_a_loaded_project_asks_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from algorithms.io import reading

    opened, read = list[str](), reading.read
    monkeypatch.setattr(reading, "read", lambda path, *more: opened.append(path) or read(path, *more))
    path, data = written(tmp_path, transactions()), customers()
    filter = AggregateTable(path=path, key="customer")
    evaluate(DecisionStump(), data, CrossValidation(folds=5), RunContext(seed=1), recipe=(filter,))
    assert opened == [path]
    context = RunContext()
    context.unread_files.add(path)
    with pytest.raises(UnreadFileError):
        filter.fit(customers(), context)


def test_a_saved_recipe_refuses_a_file_of_other_content(tmp_path: Path) -> None:
    path, data = written(tmp_path, transactions()), customers()
    place = tmp_path / "steps.coppice-recipe"
    save_recipe(place, (RecipeStep(AggregateTable(path=path, key="customer")),))
    (step,) = load_recipe(place, builtin())
    assert step.filter.values()["content"] == file_digest(path)
    assert step.filter.fit(data, RunContext()).transform(data).schema.names[3:] == ("tx: count", "amount: mean")
    written(tmp_path, transactions(400))
    with pytest.raises(DataError, match=wording.OTHER_CONTENT):
        step.filter.fit(data, RunContext())


@pytest.mark.parametrize("with_dates", [True, False])
def test_a_saved_model_needs_no_file_and_takes_a_newer_one(tmp_path: Path, with_dates: bool) -> None:
    frame, data = transactions(), customers()
    path = written(tmp_path, frame)
    filter = AggregateTable(path=path, key="customer", **EVERYTHING)
    if with_dates:
        filter = filter.with_values(record_date="day", date_there="when")
    trained = train(DecisionStump(), data, (filter,), RunContext(seed=1))
    save_model(tmp_path / "tx.coppice-model", trained)
    Path(path).unlink()
    again = load_model(tmp_path / "tx.coppice-model", builtin())
    assert second_tables_of(again) == ("tx.csv",)
    before, after = trained.recipe.transform(data), again.recipe.transform(data)
    assert before.schema == after.schema
    for index in range(len(before.schema)):
        np.testing.assert_array_equal(before.column(index), after.column(index))
    newer = frame.assign(amount=frame.amount + 1).replace("south", "west")
    with_newer = with_second_tables(again, [written(tmp_path, newer, "next month.csv")], data, RunContext())
    found = with_newer.recipe.transform(data)
    assert found.schema == before.schema and second_tables_of(with_newer) == ("next month.csv",)
    np.testing.assert_allclose(found.column("amount: mean"), before.column("amount: mean") + 1)
    np.testing.assert_array_equal(found.column("tx: count"), before.column("tx: count"))
    wests = [None if shop == "south" else shop for shop in labels(before, "shop: latest")]
    assert labels(found, "shop: latest") == wests
    with pytest.raises(DataError):
        with_second_tables(again, ["a.csv", "b.csv"], data, RunContext())
    with pytest.raises(DataError, match=wording.TABLE_WITHOUT_KEY):
        other = written(tmp_path, newer.drop(columns="customer"), "other.csv")
        with_second_tables(again, [other], data, RunContext())


@pytest.mark.parametrize(
    "filter",
    [
        JoinTable(key="customer", duplicates="last"),
        AggregateTable(key="customer", **EVERYTHING),
        AggregateTable(key="customer", record_date="day", date_there="when", **EVERYTHING),
    ],
    ids=["join", "aggregate", "aggregate-before"],
)
def test_a_script_adds_the_same_columns(tmp_path: Path, filter: SecondTable) -> None:
    data, filter = customers(), filter.with_values(path=written(tmp_path, transactions()))
    raw, want, got, script = (tmp_path / file for file in ("raw.csv", "want.csv", "got.csv", "steps.py"))
    write_table(raw, data)
    fitted = write_recipe_script(script, (filter,), data, RunContext(seed=1))
    write_table(want, fitted.transform(data))
    done = run_python(str(script), str(raw), str(got))
    assert done.returncode == 0, done.stderr
    assert rows(got) == rows(want)


def test_what_cannot_be_joined_is_told(tmp_path: Path) -> None:
    data = customers()
    summary, path = summarize(data), written(tmp_path, transactions())
    assert [p.sentence for p in JoinTable().check(summary)] == [wording.NO_SECOND_TABLE, wording.NO_KEY]
    assert [p.column for p in JoinTable(path=path, key="gone").check(summary)] == ["gone"]
    assert JoinTable(path=path, key="customer", record_date="y", date_there="when").check(summary)[0].column == "y"
    one = JoinTable(path=path, key="customer", record_date="day").check(summary)
    assert [p.sentence for p in one] == [wording.ONE_DATE]
    nothing = AggregateTable(path=path, key="customer", count=False, mean=False).check(summary)
    assert [p.sentence for p in nothing] == [wording.NO_AGGREGATE]
    for wrong in (
        JoinTable(path=str(tmp_path / "gone.csv"), key="customer"),
        JoinTable(path=path, key="customer", take="price"),
        JoinTable(path=path, key="customer", key_there="id"),
        JoinTable(path=path, key="customer", record_date="day", date_there="shop"),
    ):
        with pytest.raises(DataError):
            wrong.fit(data, RunContext())


def test_a_damaged_state_is_refused(tmp_path: Path) -> None:
    fitted = AggregateTable(path=written(tmp_path, transactions()), key="customer", latest=True).fit(
        customers(), RunContext()
    )
    state = fitted.to_state()
    assert SecondTableAdded.from_state(state).learned_rows() == fitted.learned_rows()
    starts, codes = state.arrays["starts"], next(a for a in state.arrays.values() if a.dtype == np.int8)
    code_name = next(name for name, a in state.arrays.items() if a is codes)
    for arrays in (
        {"starts": starts[1:]},
        {"starts": starts[::-1].copy()},
        {"keys-sizes": state.arrays["keys-sizes"] + 1},
        {code_name: np.full_like(codes, 7)},
        {code_name: codes[1:]},
        {"column-0": state.arrays["column-0"].astype(np.float32)},
    ):
        with pytest.raises(ModelFileError):
            SecondTableAdded.from_state(State(state.values, {**state.arrays, **arrays}))
    for values in ({"attributes": [{"name": "a"}]}, {"attributes": None}, {"facts": 3}, {"leak": None}):
        with pytest.raises(ModelFileError):
            SecondTableAdded.from_state(State({**state.values, **values}, state.arrays))


def test_rows_of_the_same_moment_are_neither_earlier_nor_later(tmp_path: Path) -> None:
    when = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-02", "2024-01-03"])
    path = written(tmp_path, pd.DataFrame({"customer": [7, 7, 8, 8], "amount": [1.0, 2.0, 4.0, 8.0], "when": when}))
    attributes = (numeric("customer"), Attribute("day", AttributeKind.DATE), nominal("y", "ab"))
    days = [when[1].timestamp(), when[1].timestamp(), when[3].timestamp()]
    data = Dataset(Schema(attributes, 2), [[7.0, 8.0, 8.0], days, [0, 1, 0]])
    dates = {"path": path, "key": "customer", "record_date": "day", "date_there": "when"}
    found = AggregateTable(**dates).fit(data, RunContext())
    np.testing.assert_array_equal(found.transform(data).column("tx: count"), [1, 0, 1])
    np.testing.assert_array_equal(found.transform(data).column("amount: mean"), [1, np.nan, 4])
    assert found.facts[-1][1] == "1 of 3"
    joined = JoinTable(duplicates="first", **dates).fit(data, RunContext())
    assert joined.facts[-1][1] == "0 of 3"
    assert JoinTable(duplicates="last", **dates).fit(data, RunContext()).facts[-1][1] == "1 of 3"
