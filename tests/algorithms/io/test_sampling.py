"""A sample of a file with the exact statistics of all its records, from one pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from algorithms.cli import main
from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data import whole_file
from algorithms.data.column_statistics import NominalStatistics, NumericStatistics, statistics
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.whole_file import WholeFile, totals_of, with_totals
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.io.reading import read
from algorithms.io.text.large_files import measured, too_large
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.sampling import Drawing
from algorithms.learners.trees.cart import Cart
from algorithms.project.models import options_from_json, options_to_json
from tests.expected_texts import io as wording

N, SAMPLED = 30_000, 2_000


def table(n: int = N) -> pd.DataFrame:
    """Columns of all kinds with missing values; few and many distinct values, and a value that occurs once."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "ticket": 5000 + np.arange(n),
            "x": rng.normal(size=n),
            "few": rng.integers(1, 200, n) / 4,
            "colour": rng.choice(["red", "green", "blue"], n).astype(object),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, n), unit="D"),
            "note": [f"said {i} things" for i in range(n)],
            "class": rng.choice(["no", "yes"], n),
        }
    )
    frame.loc[7, "colour"] = "violet"
    frame.loc[::50, "x"] = np.nan
    frame.loc[::70, "colour"] = None
    frame.loc[::90, "day"] = pd.NaT
    frame.loc[::30, "note"] = None
    return frame


def as_csv(path: Path, frame: pd.DataFrame) -> Path:
    frame.to_csv(path.with_suffix(".csv"), index=False, date_format="%Y-%m-%d")
    return path.with_suffix(".csv")


def as_parquet(path: Path, frame: pd.DataFrame) -> Path:
    pytest.importorskip("pyarrow")
    frame.to_parquet(path.with_suffix(".parquet"), row_group_size=7000)
    return path.with_suffix(".parquet")


def as_feather(path: Path, frame: pd.DataFrame) -> Path:
    pytest.importorskip("pyarrow")
    frame.to_feather(path.with_suffix(".feather"), chunksize=7000)
    return path.with_suffix(".feather")


Writer = Callable[[Path, pd.DataFrame], Path]
WRITERS = [as_csv, as_parquet, as_feather]


def sampled(path: Path, seed: int = 1, most: int = SAMPLED) -> Dataset:
    return read(path, RunContext(), ReadOptions(sample=most, sample_seed=seed))


@pytest.mark.parametrize("write", WRITERS)
def test_the_statistics_are_those_of_the_whole_table(tmp_path: Path, write: Writer) -> None:
    path = write(tmp_path / "t", table())
    data, everything = sampled(path), read(path, RunContext())
    whole = data.origin.whole
    assert isinstance(whole, WholeFile) and (whole.n_records, whole.n_sampled) == (N, len(data) == SAMPLED and SAMPLED)
    assert data.schema == everything.schema
    for index, attribute in enumerate(data.schema.attributes):
        totals, exact = totals_of(data, index), statistics(everything, index)
        assert totals is not None, attribute.name
        assert totals.n_missing == exact.n_missing, attribute.name
        is_many = exact.n_distinct > whole_file.MOST_DISTINCT
        assert totals.n_distinct == (None if is_many else exact.n_distinct), attribute.name
        shown = with_totals(statistics(data, index), totals, whole.n_records)
        assert shown.n == N
        if isinstance(exact, NumericStatistics) and isinstance(shown, NumericStatistics):
            names = ["mean", "standard_deviation", "minimum", "maximum"]
            names += [] if is_many else ["lower_quartile", "median", "upper_quartile"]
            for name in names:
                assert getattr(shown, name) == pytest.approx(getattr(exact, name), rel=1e-12), (attribute.name, name)
        if isinstance(exact, NominalStatistics) and isinstance(shown, NominalStatistics):
            assert shown.counts.tolist() == exact.counts.tolist()


@pytest.mark.parametrize("write", WRITERS)
def test_the_sample_is_of_the_file_uniform_and_hangs_on_the_seed(tmp_path: Path, write: Writer) -> None:
    path = write(tmp_path / "t", table())
    everything, first, same, other = read(path, RunContext()), sampled(path), sampled(path), sampled(path, seed=2)
    assert len(first) == len(other) == SAMPLED
    assert np.array_equal(first.row_ids, same.row_ids) and not np.array_equal(first.row_ids, other.row_ids)
    for index in range(len(first.schema)):
        drawn = everything.take(first.row_ids).column(index)
        if first.schema.attributes[index].kind.is_string:
            assert [str(v) for v in first.column(index)] == [str(v) for v in drawn]
        else:
            assert np.array_equal(first.column(index), drawn, equal_nan=first.schema.attributes[index].kind.is_float)
    tenths = np.bincount(first.row_ids * 10 // N, minlength=10)
    assert np.abs(tenths - SAMPLED / 10).max() < 5 * np.sqrt(SAMPLED / 10)


def test_a_sample_is_the_same_however_it_is_drawn() -> None:
    block, known = Drawing(700, 3), Drawing(700, 3)
    kept = np.empty(0, dtype=np.int64)
    for numbers in np.array_split(np.arange(50_000), 23):
        kept = np.concatenate([kept, numbers[block.chosen(numbers)]])
        block.tighten(kept)
        kept = kept[block.chosen(kept)]
    assert np.array_equal(kept, known.numbers(50_000, lambda: None)) and len(kept) == 700


@pytest.mark.parametrize("write", WRITERS)
def test_a_file_with_fewer_records_is_read_whole(tmp_path: Path, write: Writer) -> None:
    path = write(tmp_path / "t", table(300))
    data = sampled(path)
    assert len(data) == 300 and data.origin.whole is None and data.schema == read(path, RunContext()).schema


def test_merged_answers_and_marks_are_counted_where_they_add_up(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [f"{rng.choice(['1', '2,5', '-', ''])};{rng.choice(['ja', 'nein'])};999" for _ in range(5000)]
    rows[4000] = "7,25;?;1"
    (tmp_path / "t.csv").write_text("a;b;c\n" + "\n".join(rows) + "\n", "utf-8")
    options = ReadOptions(missing_in={"c": ("999",)}, kinds={"a": AttributeKind.NUMERIC, "c": AttributeKind.NUMERIC})
    data = read(tmp_path / "t.csv", RunContext(), options.sampled_as(ReadOptions(sample=400)))
    everything = read(tmp_path / "t.csv", RunContext(), options)
    for index in range(3):
        totals, exact = totals_of(data, index), statistics(everything, index)
        assert totals is not None and (totals.n_missing, totals.n_distinct) == (exact.n_missing, exact.n_distinct)


def test_a_column_of_numbers_that_holds_a_word_late_is_counted_as_read(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    values = [str(v) for v in rng.integers(10, 40, 400_000)]
    values[-10] = "odd"
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{v},{'ab'[i % 2]}\n" for i, v in enumerate(values)), encoding="utf-8")
    data = sampled(path, most=1000)
    totals = totals_of(data, 0)
    assert totals is not None and totals.counts is not None and sum(totals.counts) == 400_000
    assert totals.counts[totals.values.index("odd")] == 1


def test_what_was_changed_is_no_longer_described_by_the_file(tmp_path: Path) -> None:
    data = sampled(as_csv(tmp_path / "t", table()))
    colour = data.schema.index_of("colour")
    renamed = data.schema.attributes[colour].values[::-1]
    from dataclasses import replace

    schema = data.schema.with_attribute(colour, replace(data.schema.attributes[colour], values=renamed))
    assert totals_of(data, colour) is not None and totals_of(data.with_schema(schema), colour) is None


def test_totals_come_back_from_json(tmp_path: Path) -> None:
    whole = sampled(as_csv(tmp_path / "t", table())).origin.whole
    assert isinstance(whole, WholeFile)
    stored = json.loads(json.dumps(whole.to_json()))
    again = WholeFile.from_json(stored)
    assert again.to_json() == whole.to_json() and again.sentence == whole.sentence
    stored["columns"]["colour"]["counts"] = [1]
    with pytest.raises(ValueError, match="counts"):
        WholeFile.from_json(stored)
    options = ReadOptions(sample=5, sample_seed=9)
    assert options_from_json(options_to_json(options)) == options


def test_a_sample_of_another_format_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute x numeric\n@data\n1\n", encoding="utf-8")
    with pytest.raises(DataError, match=wording.NO_SAMPLE_OF_IT):
        sampled(path)


@pytest.mark.parametrize("write", WRITERS)
def test_a_stop_ends_the_pass(tmp_path: Path, write: Writer) -> None:
    path, context = write(tmp_path / "t", table()), RunContext()
    context.cancel()
    with pytest.raises(Cancelled):
        read(path, context, ReadOptions(sample=SAMPLED))


def test_what_is_learned_from_a_sample_says_so_and_its_model_reads_whole_files(tmp_path: Path) -> None:
    data = sampled(as_csv(tmp_path / "t", table())).with_class("class")
    result = evaluate(Cart(max_depth=2), data, CrossValidation(folds=3), RunContext(seed=1))
    assert any(wording.LEARNED_FROM_SAMPLE in remark for remark in result.remarks())
    assert data.origin.reading.options.sample is None


@pytest.mark.parametrize("write", [as_csv, as_parquet])
def test_a_file_beyond_a_limit_of_memory_has_a_sample_that_fits(tmp_path: Path, write: Writer) -> None:
    path = write(tmp_path / "t", table())
    assert too_large(str(path), 10**10) is None
    large = too_large(str(path), 300_000)
    assert large is not None
    exact = measured(str(path), large)
    assert exact is not None and 1000 <= exact.n_fitting < N / 2
    assert "memory" in exact.sentence(path.name)


def test_the_command_line_reads_a_sample_and_shows_the_statistics_of_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(as_csv(tmp_path / "t", table()))
    assert main(["overview", path, "--sample", "1500:seed=4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["records"] == 1500 and told["whole_file"]["records"] == N and told["whole_file"]["seed"] == 4
    assert told["whole_file"]["columns"]["x"]["missing"] == N // 50
    assert main(["overview", path, "--sample", "1500"]) == 0
    assert wording.ALL_RECORDS_OF_T in capsys.readouterr().out
    judge = ["evaluate", path, "--learner", "zero-r", "--method", "holdout"]
    assert main([*judge, "--sample", "1500"]) == 0
    assert wording.LEARNED_FROM_SAMPLE in "".join(capsys.readouterr())
    for wrong in (["--sample", "0"], ["--sample", "9:size=3"], ["--sample", "9", "--append", path]):
        assert main([*judge, *wrong]) == 2
    assert main(["evaluate", "sample:iris", "--learner", "zero-r", "--sample", "9"]) == 2
    capsys.readouterr()
    monkeypatch.setattr("algorithms.core.run_control.free_memory", lambda: 300_000)
    assert main(judge) == 0
    assert "--sample" in capsys.readouterr().err
