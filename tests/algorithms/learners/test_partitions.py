"""Tables in several files that are never brought together: one schema, and sentences on files that differ."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema, nominal, numeric
from algorithms.io.reading import read
from algorithms.io.text.options import ReadOptions
from algorithms.io.typed.parquet import write_parquet
from algorithms.learners.partitions import is_pattern, matching_files, partitioned
from tests.expected_texts import io as wording


def frame(n: int = 600, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n, 2)).round(3), columns=["a", "b"])
    table["colour"] = rng.choice(["red", "green", "blue"], n)
    table["note"] = [f"written by hand {i}" for i in range(n)]
    table["class"] = np.where(table["a"] > 0.2, "yes", "no")
    return table


def files(folder: Path, table: pd.DataFrame, n_parts: int) -> list[Path]:
    for number, rows in enumerate(np.array_split(np.arange(len(table)), n_parts)):
        table.iloc[rows].to_csv(folder / f"part-{number}.csv", index=False)
    return list(matching_files(str(folder / "part-*.csv")))


def test_the_parts_hold_the_records_of_the_whole_in_order(tmp_path: Path) -> None:
    table = frame()
    table.loc[::50, "class"], table.loc[::7, "b"] = None, np.nan
    table.to_csv(tmp_path / "whole.csv", index=False)
    paths = files(tmp_path, table, 12)
    assert [path.name for path in paths] == [f"part-{number}.csv" for number in range(12)]
    whole = read(tmp_path / "whole.csv", RunContext()).labelled()
    with partitioned(paths, RunContext(), folder=tmp_path) as parts:
        assert parts.schema == whole.schema
        assert (parts.n_records, parts.n_without_class) == (588, 12)
        tables = parts.each(_dataset, None, RunContext())
        for index, name in enumerate(whole.schema.names):
            if name != "note":
                column = np.concatenate([own.column(index) for own in tables])
                np.testing.assert_array_equal(column, whole.column(index))
        np.testing.assert_array_equal(np.concatenate([own.row_ids for own in tables]), np.arange(588))
        (counts,) = parts.combined(_class_counts, None, RunContext())
        np.testing.assert_array_equal(counts, whole.class_weights)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def _dataset(message: None, part):
    return part.dataset()


def _class_counts(message: None, part):
    return (np.bincount(part.class_codes, minlength=2),)


def test_labels_of_all_files_stand_in_one_order(tmp_path: Path) -> None:
    table = frame(400).sort_values("colour")
    table["class"] = np.where(np.arange(400) < 200, "no", np.where(np.arange(400) < 300, "maybe", "yes"))
    paths = files(tmp_path, table, 4)
    for ordered in (paths, paths[::-1]):
        with partitioned(ordered, RunContext()) as parts:
            assert parts.schema.classes == ("maybe", "no", "yes")
            assert parts.schema.attributes[2].values == ("blue", "green", "red")
            labels = [np.array(parts.schema.classes)[part.class_codes] for part in parts.parts]
        assert sorted(np.concatenate(labels)) == sorted(table["class"])


def test_a_declared_order_stays_where_all_files_have_it(tmp_path: Path) -> None:
    paths = []
    for number in range(3):
        schema = Schema((numeric("x"), nominal("size", ("small", "large"), ordinal=True), nominal("class", "ba")), 2)
        codes = np.zeros(50, np.int8) if number else np.arange(50) % 2
        data = Dataset(schema, [np.arange(50) + 0.5, codes, np.arange(50) % 2])
        paths.append(tmp_path / f"{number}.parquet")
        write_parquet(paths[-1], data)
    with partitioned(paths, RunContext()) as parts:
        assert parts.schema.classes == ("b", "a")
        assert parts.schema.attributes[1].values == ("small", "large")
        assert parts.schema.attributes[1].kind is AttributeKind.ORDINAL


def test_columns_agree_by_name_in_any_order(tmp_path: Path) -> None:
    table = frame(300)
    paths = files(tmp_path, table, 3)
    pd.read_csv(paths[1])[["class", "note", "b", "colour", "a"]].to_csv(paths[1], index=False)
    with partitioned(paths, RunContext()) as parts:
        column = np.concatenate([part.column(parts.schema.index_of("a")) for part in parts.parts])
        np.testing.assert_array_equal(column, table["a"])


def _without_b(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="b")


def _with_another(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(another=1.5)


def _with_words(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(b=[f"word{i % 7}" for i in range(len(table))])


@pytest.mark.parametrize(
    ("change", "words"),
    [(_without_b, wording.PART_LACKS), (_with_another, wording.PART_HAS_MORE), (_with_words, wording.PART_HAS_WORDS)],
)
def test_a_file_that_differs_is_named(tmp_path: Path, change, words: str) -> None:
    paths = files(tmp_path, frame(900), 3)
    change(pd.read_csv(paths[1]).head(60)).to_csv(paths[1], index=False)
    with pytest.raises(DataError, match=words) as raised, partitioned(paths, RunContext()):
        pass
    assert raised.value.place == "part-1.csv"
    assert raised.value.remedy


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    paths = files(tmp_path, frame(), 3)
    paths[2].unlink()
    with pytest.raises(DataError, match=r"part-2\.csv"), partitioned(paths, RunContext()):
        pass


def test_a_full_disk_is_said_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = files(tmp_path, frame(), 3)

    def full(*arguments: object, **more: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "save", full)
    with (
        pytest.raises(DataError, match=os.strerror(errno.ENOSPC)) as raised,
        partitioned(paths, RunContext(), folder=tmp_path),
    ):
        pass
    assert "TMPDIR" in raised.value.remedy
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_a_kind_that_is_named_counts_in_all_files(tmp_path: Path) -> None:
    table = frame(300).assign(code=np.arange(300) % 40)
    options = ReadOptions(kinds={"code": AttributeKind.NOMINAL}, class_name="colour")
    with partitioned(files(tmp_path, table, 3), RunContext(), options) as parts:
        assert parts.schema.attributes[parts.schema.index_of("code")].kind is AttributeKind.NOMINAL
        assert parts.schema.classes == ("blue", "green", "red")


def test_patterns(tmp_path: Path) -> None:
    assert is_pattern("part-*.csv")
    assert not is_pattern("table.csv")
    assert not is_pattern("https://example.org/a?b=*")
    (tmp_path / "odd[1].csv").write_text("a,class\n1,x\n", encoding="utf-8")
    assert not is_pattern(str(tmp_path / "odd[1].csv"))
    with pytest.raises(DataError, match="named"):
        matching_files(str(tmp_path / "nothing-*.csv"))
