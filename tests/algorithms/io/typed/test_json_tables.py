"""JSON of every orientation becomes a table, as pandas reads it, and no text does harm."""

from __future__ import annotations

import gzip
import io
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.cli import main
from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.io.child_process import ProcessLimits
from algorithms.io.reading import ReadOptions, read, sheet_list, sheets, sniff
from algorithms.io.typed import json_reader, json_tables
from tests.algorithms.io.helpers import cells, kinds, refused, table, written
from tests.expected_texts import io as wording

ROWS = [{"n": k / 4, "c": "ab"[k % 2]} for k in range(40)]
FRAME = pd.DataFrame(ROWS)
SHOP = json.dumps({"customers": [{"a": 1}], "n": 3, "answer": {"orders": [{"b": 2.5}, {"b": 3}]}})
NAME = "table.json"


@pytest.mark.parametrize("orient", ["records", "split", "columns", "index", "values", "table"])
def test_every_orientation_of_pandas_is_read(tmp_path: Path, orient: Any) -> None:
    data = table(tmp_path, FRAME.to_json(orient=orient), name=NAME)
    assert cells(data, data.schema.names[-2]) == FRAME["n"].tolist()
    assert cells(data, data.schema.names[-1]) == FRAME["c"].tolist()
    assert {kind.value for kind in kinds(data).values()} <= {"numeric", "nominal", "identifier"}


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(map(json.dumps, ROWS)),
        ",\r\n".join(map(json.dumps, ROWS)) + ",\n",
        json.dumps({"n": FRAME["n"].tolist(), "c": FRAME["c"].tolist()}),
        json.dumps([["n", "c"], *FRAME.to_numpy().tolist()]),
        json.dumps({"status": "ok", "answer": {"rows": ROWS}}, indent=2),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("name", [NAME, "table.csv"])
def test_lines_lists_and_answers_are_read_by_their_content(
    tmp_path: Path, content: str, encoding: str, name: str
) -> None:
    data = table(tmp_path, content.encode(encoding), name=name)
    assert data.schema.names == ("n", "c") and data.schema.classes == ("a", "b")
    assert cells(data, "n") == FRAME["n"].tolist()


def test_nested_objects_and_lists_become_columns(tmp_path: Path) -> None:
    records = [
        {"a": {"b": k, "c": {"d": "xy"[k % 2]}}, "tags": ["p", str(k)], "pixels": [k, 0.5], "o": [{}], "m": [[1]]}
        for k in range(30)
    ]
    data = table(tmp_path, json.dumps(records), name=NAME)
    assert data.schema.names == ("a.b", "a.c.d", "tags", "pixels[0]", "pixels[1]")
    assert cells(data, "tags")[:2] == ["p, 0", "p, 1"] and cells(data, "pixels[1]")[0] in (0.5, "0.5")
    flat = pd.json_normalize(records)
    assert [str(cell) for cell in cells(data, "a.c.d")] == flat["a.c.d"].tolist()
    for sentence in (wording.JOINED, wording.SPREAD, wording.LEFT_OUT_OF_JSON):
        assert sentence in data.origin.description


def test_mixed_types_absent_keys_and_large_integers_are_kept_as_in_text_files(tmp_path: Path) -> None:
    records = '[{"a": 1, "i": 9007199254740993}, {"b": true, "a": "x", "i": 1}, {"b": null, "i": %s}]' % ("9" * 5000)
    data = table(tmp_path, records, name=NAME)
    assert cells(data, "a") == ["1", "x", None] and cells(data, "b") == [None, "TRUE", None]
    assert cells(data, "i") == ["9007199254740993", "1", "9" * 5000]


def test_a_later_key_becomes_a_column_whose_earlier_cells_are_missing(tmp_path: Path) -> None:
    records = [{"n": k / 3} for k in range(60_000)] + [{"late": 1.5, "n": 0.25}] + [{"n": 0.5}] * 60_000
    data = table(tmp_path, json.dumps(records), name=NAME)
    late = cells(data, "late")
    assert len(data) == 120_001 and late[60_000] in (1.5, "1.5") and late.count(None) == 120_000


def test_a_key_that_occurs_twice_and_no_numbers_are_remarked(tmp_path: Path) -> None:
    data = table(tmp_path, '[{"a": NaN, "a": 2.5}, {"a": 1e999}, {"a": -Infinity}]', name=NAME)
    assert cells(data, "a") == [2.5, None, None] and wording.KEYS_TWICE in data.origin.description


@pytest.mark.parametrize(
    ("content", "why", "line"),
    [
        ('[{"a": 1}\n,{"a": 1,}]', "syntax", 2),
        ("[" * 100_000, "deep", 1),
        ('[{"a": 1},\n3]', "mixed", 2),
        ('{"a": [1], "b": [1, 2]}', "unequal", None),
        ("[]", "empty", None),
        ("[{}, null]", "empty", None),
    ],
)
def test_what_is_no_table_is_refused_with_its_line(tmp_path: Path, content: str, why: str, line: int | None) -> None:
    error = refused(tmp_path, content, name=NAME)
    assert error.sentence == wording.JSON_REFUSALS[why]
    assert error.place == (NAME if line is None else f"{NAME}, line {line}")


@pytest.mark.parametrize("end", [1, 2, 20, 300])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, end: int) -> None:
    assert wording.IT_ENDS_WITHIN in refused(tmp_path, json.dumps(ROWS)[:-end], name=NAME).sentence


def test_a_list_for_each_column_is_parsed_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_reader, "PIECE", 1 << 10)
    content = json.dumps({"n": list(range(100_000)), "c": ["ab"] * 100_000}).encode()
    asked: list[int] = []

    class Watched(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            asked.append(size or 0)
            return super().read(size)

    value = json_reader.Text(Watched(content)).value()
    assert value["n"][-1] == 99_999 and len(value["c"]) == 100_000
    assert asked == [1 << (10 + 3 * k) if k == 0 else 7 << (10 + 3 * (k - 1)) for k in range(len(asked))]
    assert len(asked) == 5 and sum(asked) < 8 * len(content)


@pytest.mark.parametrize("number", ["12.5", "-0.25", "7e2", "3E+05", "1.5e-7", "-120"])
def test_a_number_is_whole_wherever_a_piece_of_the_text_ends(monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    """A list of numbers of more than a piece was refused where a piece ended before a point or an exponent."""
    content = f"[{number}, {number}]".encode()
    for size in range(1, len(content) + 1):
        monkeypatch.setattr(json_reader, "PIECE", size)
        text = json_reader.Text(io.BytesIO(content))
        assert text.peek() == "[" and list(text.elements()) == [float(number)] * 2


def test_records_that_share_few_keys_are_read_in_halves(tmp_path: Path) -> None:
    records = [{"n": k / 4, f"k{k}": k + 0.5} for k in range(700)]
    data = table(tmp_path, json.dumps(records), name=NAME)
    assert cells(data, "n") == [k / 4 for k in range(700)] and len(data.schema) == 701
    for k in (0, 349, 350, 699):
        column = data.column(data.schema.index_of(f"k{k}"))
        assert np.flatnonzero(~data.missing(data.schema.index_of(f"k{k}"))).tolist() == [k] and len(column) == 700


def test_the_keys_of_records_are_a_column_and_the_first_of_two_values_stays(tmp_path: Path) -> None:
    people = {f"p{k}": {"x": k / 4, "a.b": 1.5, "a": {"b": 2.5, "c": k}} for k in range(30)}
    data = table(tmp_path, json.dumps(people), name=NAME)
    assert data.schema.names == ("key", "x", "a.b", "a.c")
    assert cells(data, "key")[:2] == ["p0", "p1"] and set(cells(data, "a.b")) == {1.5}
    assert wording.TWO_VALUES_OF_A_B in data.origin.description


@pytest.mark.parametrize("names", [["a", "a", "a [1]"], ["a", "", "Column 4"], ["", " ", "a"], ["a [2]", "a", "a"]])
def test_no_column_is_lost_to_another_of_its_name(tmp_path: Path, names: list[str]) -> None:
    rows = [[k + 0.25, k + 0.5, k + 0.75, k + 0.125] for k in range(30)]
    data = table(tmp_path, json.dumps([names, *rows]), ReadOptions(header=True), name=NAME)
    assert [data.column(index)[0] for index in range(len(data.schema))] == [0.25, 0.5, 0.75, 0.125]


def test_lists_of_objects_are_chosen_as_sheets(tmp_path: Path) -> None:
    path = written(tmp_path, SHOP, NAME)
    assert sheets(path) == ("customers", "answer.orders") and sheet_list(path, RunContext()).word == "list"
    assert sniff(path).sheet == "customers" and read(path, RunContext()).schema.names == ("a",)
    orders = read(path, RunContext(), ReadOptions(sheet="answer.orders"))
    assert cells(orders, "b") == [2.5, 3.0]
    assert refused(tmp_path, SHOP, ReadOptions(sheet="x"), NAME).remedy == wording.LISTS_OF_SHOP


def test_no_list_is_lost_to_another_of_its_path(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps({"a": {"b": [{"x": 1.5}]}, "a.b": [{"y": 2.5}], "c": [{"z": 3.5}]}), NAME)
    names = sheets(path)
    assert len(set(names)) == 3 and names[2] == "c" and all(name.startswith("a.b") for name in names[:2])
    tables = [read(path, RunContext(), ReadOptions(sheet=name)) for name in names]
    assert [(data.schema.names, data.column(0).tolist()) for data in tables] == [
        (("x",), [1.5]),
        (("y",), [2.5]),
        (("z",), [3.5]),
    ]


def test_packed_text_and_text_of_windows_are_read(tmp_path: Path) -> None:
    content = json.dumps([{"a": "Zoë"}, {"a": "x"}], ensure_ascii=False)
    assert cells(table(tmp_path, gzip.compress(content.encode()), name="t.json.gz"), "a") == ["Zoë", "x"]
    assert cells(table(tmp_path, content.encode("cp1252"), name=NAME), "a") == ["Zoë", "x"]


def test_the_command_line_reads_it_and_chooses_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(written(tmp_path, json.dumps({"x": ROWS, "y": ROWS[:20]}), NAME))
    assert main(["evaluate", path, "--sheet", "y", "--learner", "zero-r", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 20


def test_a_stop_ends_the_reading_of_a_large_file(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(ROWS * 20_000), NAME)
    context = RunContext()
    threading.Timer(0.2, context.cancel).start()
    with pytest.raises(Cancelled):
        read(path, context)


def test_a_text_that_takes_too_much_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_tables, "LIMITS", ProcessLimits(memory=300 << 20))
    content = '{"a": {"x": [' + "[]," * 8_000_000 + "[]]}}"
    assert wording.NEEDS_MORE_MEMORY in refused(tmp_path, content, name=NAME).sentence


_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_infinity=False), st.text(max_size=5)
)
_VALUES = st.recursive(
    _SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.dictionaries(st.sampled_from("abcd"), _VALUES, min_size=1), min_size=1, max_size=8))
def test_any_records_are_read_or_refused_with_a_sentence(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    path = written(tmp_path, json.dumps(records), NAME)
    if not any(_has_cells(value) for record in records for value in record.values()):
        return
    assert len(read(path, RunContext())) == len(records)


def _has_cells(value: Any) -> bool:
    """Whether a value is a scalar, or leads to one outside lists."""
    return any(map(_has_cells, value.values())) if isinstance(value, dict) else not isinstance(value, list)


def test_numbers_are_those_of_the_file_to_the_last_digit(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    numbers = [*(random.normal(size=200) * 10.0 ** random.integers(-300, 300, size=200)).tolist(), 5e-324, 0.1]
    data = table(tmp_path, json.dumps([{"x": x, "c": "ab"[k % 2]} for k, x in enumerate(numbers)]), name=NAME)
    assert cells(data, "x") == numbers
