"""Parquet and Feather files are what pandas reads as the same table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.io.writing import write_table

pytest.importorskip("pyarrow", reason="pyarrow (the extra parquet) is not installed")

NAMES = ("n", "x", "größe", "rank", "day", "moment", "note")


def table() -> Dataset:
    ranks = nominal("rank", ("low", "mid", "high"), ordinal=True)
    days, moments = (Attribute(name, AttributeKind.DATE) for name in ("day", "moment"))
    note = Attribute("note", AttributeKind.TEXT, description="what was said")
    schema = Schema((numeric("n"), numeric("x"), nominal("größe", ("a", "b")), ranks, days, moments, note))
    notes = np.array(["=1+1", np.nan, "日本"], dtype=object).astype(STRING)
    moments_ = [0.5, np.nan, -1.0]
    return Dataset(
        schema, [[1, np.nan, 3], [0.1, -0.0, np.nan], [0, 1, -1], [2, -1, 0], [0, 86400, np.nan], moments_, notes]
    )


@pytest.mark.parametrize(("suffix", "read"), [(".parquet", pd.read_parquet), (".feather", pd.read_feather)])
def test_pandas_reads_the_types_that_are_declared(tmp_path: Path, suffix: str, read: object) -> None:
    path = tmp_path / f"table{suffix}"
    write_table(path, table())
    frame = read(path)
    assert tuple(frame.columns) == NAMES
    assert frame["x"].tolist()[:2] == [0.1, -0.0] and frame["n"].isna().tolist() == [False, True, False]
    assert frame["größe"].cat.categories.tolist() == ["a", "b"] and not frame["größe"].cat.ordered
    assert frame["rank"].cat.ordered and frame["rank"].cat.codes.tolist() == [2, -1, 0]
    assert [str(day) for day in frame["day"][:2]] == ["1970-01-01", "1970-01-02"]
    assert frame["moment"][0] == pd.Timestamp("1970-01-01 00:00:00.5")
    assert frame["note"].isna().tolist() == [False, True, False]


def test_a_stop_between_two_row_groups_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.io.typed.parquet.ROW_GROUP", 10)
    path, context = tmp_path / "table.parquet", RunContext()
    write_table(path, table())
    before = path.read_bytes()
    shares = list[float]()
    original = context.advance

    def advance(done: int, total: int) -> None:
        shares.append(done)
        original(done, total)
        if done:
            context.cancel()

    context.advance = advance  # type: ignore[method-assign]
    with pytest.raises(Cancelled):
        write_table(path, table().take(np.zeros(100, dtype=np.int64)), context)
    assert shares == [0, 10]
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_infinite_numbers_are_written_without_a_warning(tmp_path: Path) -> None:
    path, data = tmp_path / "a.parquet", Dataset(Schema((numeric("x"),)), [np.array([np.inf, 1.0, np.nan])])
    with np.errstate(all="raise"):
        write_table(path, data)
    assert pd.read_parquet(path, dtype_backend="pyarrow")["x"].to_list()[:2] == [np.inf, 1.0]
