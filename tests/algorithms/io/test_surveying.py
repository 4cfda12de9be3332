"""Text tables surveyed in one pass and read again piece by piece."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pandas as pd
import pytest

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import read
from algorithms.io.text import delimited, surveying, text_source
from algorithms.io.text.large_files import survey
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.parsing import Parsed, ParsingPlan, parse
from algorithms.io.text.sampling import scattered
from algorithms.io.text.surveying import Survey
from algorithms.io.text.text_source import TextBlock, TextFile, block_size
from tests.expected_texts import io as wording


def write(path: Path, n: int, *, late: str | None = None) -> pd.DataFrame:
    """A table of n records with every kind of column, a value that comes late, and missing values."""
    rng = np.random.default_rng(0)
    colours = rng.choice(["red", "green", "blue"], n).astype(object)
    if late is not None:
        colours[-3] = late
    frame = pd.DataFrame(
        {
            "ticket": 5000 + np.arange(n),
            "x": rng.normal(size=n).round(3),
            "few": rng.integers(1, 9, n),
            "colour": colours,
            "note": [f"said {i} things" for i in range(n)],
            "class": rng.choice(["no", "yes"], n),
        }
    )
    frame.loc[::50, "x"] = np.nan
    frame.to_csv(path, index=False)
    return frame


def whole(found: Survey, wanted: tuple[int, ...]) -> dict[int, np.ndarray]:
    pieces = list(found.rows(RunContext(), wanted, found.sample.schema))
    firsts = np.cumsum([0, *(piece.n for piece in pieces)])
    assert [piece.first for piece in pieces] == firsts[:-1].tolist()
    return {i: np.concatenate([piece.columns[i] for piece in pieces]) for i in wanted}


def test_the_sample_is_of_the_file_and_all_labels_are_known(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    frame = write(path, 60_000, late="violet")
    found = survey(path, RunContext(), most=2000)
    table = read(path, RunContext())
    assert found.n_records == 60_000
    assert 500 < len(found.sample) <= 2000
    assert not found.partial
    assert [a.kind for a in found.sample.schema.attributes] == [a.kind for a in table.schema.attributes]
    assert found.sample.schema.attributes[0].kind is AttributeKind.IDENTIFIER
    assert found.sample.schema.attributes[3].values == ("blue", "green", "red", "violet")
    assert found.sample.schema.class_index == 5
    at = found.sample.row_ids
    assert np.all(np.diff(at) > 0)
    np.testing.assert_array_equal(found.sample.column("x"), frame["x"].to_numpy()[at])
    np.testing.assert_array_equal(found.sample.column("colour"), table.column("colour")[at])
    assert abs(at.mean() / 60_000 - 0.5) < 0.05


@pytest.mark.parametrize("packed", [False, True])
def test_the_pieces_are_the_table(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "t.csv"
    write(path, 30_000)
    if packed:
        packed_path = tmp_path / "t.csv.gz"
        packed_path.write_bytes(gzip.compress(path.read_bytes()))
        path = packed_path
    table = read(path, RunContext())
    found = survey(path, RunContext(), most=900)
    for index, column in whole(found, (1, 2, 3, 5)).items():
        np.testing.assert_array_equal(column, table.column(index), err_msg=str(index))


def test_a_small_file_is_its_own_sample(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write(path, 300)
    found, table = survey(path, RunContext()), read(path, RunContext())
    assert found.n_records == len(found.sample) == 300
    assert found.sample.schema == table.schema


def test_numbers_that_turn_out_to_be_labels_late_are_labels_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(1)
    values = [str(v) for v in rng.integers(10, 40, 400_000)]
    values[-10] = "none of these"
    path.write_text("x,y\n" + "".join(f"{v},{'ab'[i % 2]}\n" for i, v in enumerate(values)), encoding="utf-8")
    found, table = survey(path, RunContext(), most=1000), read(path, RunContext())
    assert found.sample.schema == table.schema
    np.testing.assert_array_equal(whole(found, (0,))[0], table.column(0))
    np.testing.assert_array_equal(found.sample.column(0), table.column(0)[found.sample.row_ids])


def test_the_same_file_gives_the_same_sample_whatever_the_options_of_its_kinds(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write(path, 20_000)
    one = survey(path, RunContext(), most=500)
    other = survey(path, RunContext(), ReadOptions(kinds={"few": AttributeKind.NOMINAL}), most=500)
    np.testing.assert_array_equal(one.sample.row_ids, other.sample.row_ids)
    assert other.sample.schema.attributes[2].kind is AttributeKind.NOMINAL


def test_what_is_no_text_table_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute x numeric\n@data\n1\n", encoding="utf-8")
    with pytest.raises(DataError, match=wording.ONLY_THOSE_IN_PIECES):
        survey(path, RunContext())


def test_a_stop_ends_the_pass_and_a_finish_keeps_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write(path, 200_000)
    cancelled, finished = RunContext(), RunContext()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        survey(path, cancelled)
    finished.finish()
    found = survey(path, finished)
    assert found.partial
    assert 0 < found.n_records < 200_000


def test_a_stop_waits_for_small_pieces_only_however_large_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert block_size(cast(TextFile, SimpleNamespace(size=10**10)), 20, surveying.LARGEST_PIECE) == 1 << 22
    path = tmp_path / "t.csv"
    write(path, 60_000)
    most = 1 << 16
    monkeypatch.setattr(text_source, "READ_SIZE", most // 16)  # no piece is smaller than what is read at a time
    monkeypatch.setattr(surveying._InPieces, "largest_block", most)
    sizes: list[int] = []

    def parsing(block: TextBlock, plan: ParsingPlan, wanted: Sequence[int] | None = None) -> Parsed:
        sizes.append(len(block.data))
        return parse(block, plan, wanted)

    monkeypatch.setattr(surveying, "parse", parsing)
    monkeypatch.setattr(delimited, "parse", parsing)
    found = survey(path, RunContext(), most=2000)
    surveyed = len(sizes)
    whole(found, (1, 3))
    assert surveyed > path.stat().st_size // most and len(sizes) > 1.5 * surveyed
    assert max(sizes) <= 1.1 * most + 1000


def test_scattered_numbers_are_even_and_hang_on_the_seed() -> None:
    drawn = scattered(np.arange(100_000), 1)
    assert len(np.unique(drawn)) == 100_000
    for bit in (0, 17, 63):
        assert abs(np.mean((drawn >> np.uint64(bit)) & np.uint64(1)) - 0.5) < 0.01
    assert np.mean(drawn == scattered(np.arange(100_000), 2)) == 0
