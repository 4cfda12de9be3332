"""Tables of very many columns: each is looked at once, and beyond a limit they are refused before they are read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from algorithms.data import dates
from algorithms.data.schema import AttributeKind
from algorithms.io import arff
from algorithms.io.text import parsing
from algorithms.io.text.options import MOST_COLUMNS, ReadOptions
from tests.algorithms.io.helpers import cells, kinds, refused, table
from tests.expected_texts import core as core_wording
from tests.expected_texts import io as wording


def lines_run(work: Callable[[], object], file: str) -> int:
    """How many lines of the program's module ``file`` run while ``work`` does."""
    count = 0

    def trace(frame: object, event: str, _: object) -> object:
        nonlocal count
        if not frame.f_code.co_filename.endswith(file):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)  # type: ignore[arg-type]
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def declared(n: int) -> str:
    return "@relation r\n" + "".join(f"@attribute a{i} numeric\n" for i in range(n)) + "@data\n" + ",".join("1" * n)


def test_each_attribute_of_an_arff_header_costs_the_same(tmp_path: Path) -> None:
    few = lines_run(lambda: table(tmp_path, declared(200), name="table.arff"), "arff.py")
    many = lines_run(lambda: table(tmp_path, declared(800), name="table.arff"), "arff.py")
    assert few > 200
    assert many < 4.5 * few


def test_a_list_of_values_never_closed_is_looked_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looked_at: list[int] = []
    closes = arff._closes
    monkeypatch.setattr(arff, "_closes", lambda line, quote: looked_at.append(len(line)) or closes(line, quote))
    content = "@relation r\n@attribute a {x,\n" + "".join(f"v{i},\n" for i in range(3000))
    error = refused(tmp_path, content, name="table.arff")
    assert "not closed" in error.sentence and error.place == core_wording.at_line("table.arff", 2)
    assert sum(looked_at) < len(content)


@pytest.mark.parametrize(
    ("declared", "values"),
    [
        ("{x, y}", ("x", "y")),
        ("{x,\n y}", ("x", "y")),
        ("{'x}',\n y}", ("x}", "y")),
        ("{'x\n}', y}", ("x }", "y")),
        ('{"a\\"}",\n\'b\'\n}', ('a"}', "b")),
        ("{O'Brien, y}", ("O'Brien", "y")),
    ],
)
def test_a_list_of_values_may_go_over_lines(tmp_path: Path, declared: str, values: tuple[str, ...]) -> None:
    data = table(tmp_path, f"@relation r\n@attribute a {declared}\n@attribute b numeric\n@data\n?,1\n", name="t.arff")
    assert data.schema.attributes[0].values == values


def test_a_list_that_is_not_closed_ends_before_the_next_declaration(tmp_path: Path) -> None:
    error = refused(tmp_path, "@attribute a {x,\ny\n@attribute b {u,v}\n@data\nx,u\n", name="table.arff")
    assert error.place == core_wording.at_line("table.arff", 1)
    assert wording.A_IS_NOT_CLOSED in error.sentence


@pytest.mark.parametrize("name", ["table.csv", "table.arff"])
def test_more_columns_than_the_limit_are_refused_before_they_are_read(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("algorithms.io.text.options.MOST_COLUMNS", 300)
    names = [f"a{i}" for i in range(301)]
    content = declared(301) if name.endswith("arff") else f"{','.join(names)}\n{','.join('1' * 301)}\n"
    assert wording.MORE_THAN_300_COLUMNS in refused(tmp_path, content, name=name).sentence
    assert MOST_COLUMNS == 65_536


def test_a_wide_table_holds_numbers_codes_and_words(tmp_path: Path) -> None:
    n = 300
    rows = [[f"{i}.{row}" if i % 3 else f"w{row % 2}" for i in range(n)] for row in range(30)]
    rows[3][1], rows[4][2], rows[5][4] = "NA", "", "inf"
    content = ",".join(f"c{i}" for i in range(n)) + "\n" + "".join(",".join(row) + "\n" for row in rows)
    data = table(tmp_path, content)
    assert cells(data, "c0") == [f"w{row % 2}" for row in range(30)]
    assert cells(data, "c1") == [None if row == 3 else float(f"1.{row}") for row in range(30)]
    assert cells(data, "c2") == [None if row == 4 else float(f"2.{row}") for row in range(30)]
    assert cells(data, "c4") == [None if row == 5 else float(f"4.{row}") for row in range(30)]
    assert cells(data, "c299") == [float(f"299.{row}") for row in range(30)]


def wide(n: int, last: str) -> str:
    """A table of numbers that is longer than what is looked at first, and its ``last`` line."""
    lines = [",".join(f"c{i}" for i in range(n)), *(",".join([f"{row}.5"] * n) for row in range(400)), last]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("last", "n_identifiers"),
    [
        (",".join(["2.5", "word", *["2.5"] * 298]), 1),
        (",".join(["word"] * 300), 300),
        (",".join(["01", *['"2.5"'] * 299]), 1),
        (",".join(["01"] * 300), 300),
        (",".join(["TRUE", "1_0", "+1", "NaN", " 7", *["2.5"] * 295]), 2),
    ],
    ids=["a word", "words in all", "a code beside quotes", "codes in all", "no numbers to the parser"],
)
def test_columns_that_turn_out_to_be_no_numbers_are_sorted_out_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, last: str, n_identifiers: int
) -> None:
    parsed: list[int] = []
    frame = parsing._frame
    monkeypatch.setattr(
        parsing, "_frame", lambda data, *rest, **more: parsed.append(len(data)) or frame(data, *rest, **more)
    )
    content = wide(300, last)
    data = table(tmp_path, content)
    kinds = [attribute.kind for attribute in data.schema.attributes]
    assert sum(kind is not AttributeKind.NUMERIC for kind in kinds) == n_identifiers
    assert sum(parsed) < 40 * len(content)


def test_words_below_the_numbers_of_all_columns_are_told_apart_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parsed: list[bytes] = []
    frame = parsing._frame
    monkeypatch.setattr(
        parsing, "_frame", lambda data, *rest, **more: parsed.append(data) or frame(data, *rest, **more)
    )
    content = wide(300, ",".join(f"2024-01-{i % 28 + 1:02}" for i in range(300)))
    data = table(tmp_path, content)
    assert all(attribute.kind is AttributeKind.IDENTIFIER for attribute in data.schema.attributes)
    assert len(parsed) < 10


def test_blank_lines_make_no_records_of_a_wide_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    widths: list[int] = []
    frame = parsing._frame

    def counted(texts: tuple[bytes, bytes], plan: parsing.ParsingPlan, *rest: object, **more: object) -> object:
        widths.append(len(plan.storage))
        return frame(texts, plan, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(parsing, "_frame", counted)
    line = ",".join(["1.5"] * 300)
    content = "\n".join([",".join(f"c{i}" for i in range(300)), line, *[""] * 500, line, ""])
    assert len(table(tmp_path, content)) == 2
    assert max(widths, default=0) < 300


def test_long_integers_of_all_arff_attributes_are_noticed_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    headers: list[object] = []
    read_header = arff.read_header
    monkeypatch.setattr(arff, "read_header", lambda *parts: headers.append(parts) or read_header(*parts))
    long = "9007199254740993"
    content = declared(30).rpartition("\n")[0] + "\n" + ",".join([long] * 30) + "\n"
    data = table(tmp_path, content, name="table.arff")
    assert cells(data, "a0") == cells(data, "a29") == [long]
    assert len(headers) == 2


@pytest.mark.parametrize("comment", ["", "% read line by line: \\\n"])
def test_dates_of_one_pattern_in_all_arff_attributes_are_parsed_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, comment: str
) -> None:
    parsed: list[int] = []
    by_pandas = dates._parsed
    monkeypatch.setattr(dates, "_parsed", lambda texts, form: parsed.append(len(texts)) or by_pandas(texts, form))
    dates.check_format.cache_clear()
    header = "@relation r\n" + "".join(f"@attribute a{i} date 'yyyy MM'\n" for i in range(100)) + "@data\n"
    rows = [[f"{2000 + i} {row:02}" if (i + row) % 7 else "?" for i in range(100)] for row in (1, 12)]
    data = table(tmp_path, header + comment + "".join(",".join(row) + "\n" for row in rows), name="table.arff")
    moments = [datetime(2099, month, 1, tzinfo=UTC).timestamp() for month in (1, 12)]
    assert cells(data, "a99") == moments and cells(data, "a6") == [None, cells(data, "a6")[1]]
    assert len(parsed) == 2


def test_dates_of_arff_attributes_that_are_none_are_refused_in_their_order(tmp_path: Path) -> None:
    header = "@relation r\n@attribute a date yyyy\n@attribute b date yyyy\n@attribute c string\n@data\n"
    assert "'b'" in refused(tmp_path, f"{header}2000,x,y\n", name="t.arff").sentence
    assert "'a'" in refused(tmp_path, f"{header}x,y,z\n", name="t.arff").sentence


NUMBERS = ("1.5", "-2", "007", "", "NA", "inf", "1e5")
WORDS = ("a b", 'say ""yes""', "x,y", "two\nlines", "2024-01-31", "31 Jan 2024")


@settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.lists(st.sampled_from(NUMBERS + WORDS), min_size=3, max_size=3), min_size=1, max_size=4),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
    st.booleans(),
)
def test_a_wide_table_is_read_as_a_narrow_one(
    tmp_path: Path, rows: list[list[str]], line_end: str, quoted: bool
) -> None:
    def content(times: int) -> str:
        header = ",".join(f"{name}{i}" for i in range(times) for name in ("a", "b", "c"))
        written = [[f'"{c}"' if quoted or set(c) & set(',"\n') else c for c in row] * times for row in rows]
        return header + ",end" + "\n" + "".join(",".join([*row, "0"]) + line_end for row in written)

    wide, narrow = table(tmp_path, content(100)), table(tmp_path, content(1), name="narrow.csv")
    assert len(wide.schema) > parsing.MANY_FIELDS > len(narrow.schema)
    for first, last in (("a0", "a99"), ("b0", "b99"), ("c0", "c99")):
        assert kinds(wide)[last] is kinds(wide)[first] is kinds(narrow)[first]
        assert cells(wide, last) == cells(wide, first) == cells(narrow, first)


SPELLED = (*NUMBERS, *WORDS, " 7", "€ 3.50", "12 %", "1,000", "TRUE", "n/a", "-", "9007199254740993", "0x1", "(5.00)")


@settings(
    max_examples=40,
    deadline=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data(), st.integers(1, 5), st.integers(2, 8), st.sampled_from([0, 1, 8]))
def test_a_table_is_the_same_whether_it_counts_as_wide_or_not(
    tmp_path: Path, draw: st.DataObject, n: int, m: int, repeats: int
) -> None:
    row = st.lists(st.sampled_from(SPELLED), min_size=m, max_size=m)
    rows = [[f"c{i}" for i in range(m)], *draw.draw(st.lists(row, min_size=n, max_size=n))]
    quoted = [",".join('"{}"'.format(c.replace('"', '""')) if set(c) & set(',"\n') else c for c in r) for r in rows]
    content = "\n".join([*quoted, *quoted[1:] * repeats, ""])
    with pytest.MonkeyPatch.context() as patch:
        ordinary = table(tmp_path, content)
        patch.setattr(parsing, "MANY_FIELDS", 1)
        wide = table(tmp_path, content)
    assert wide.schema == ordinary.schema and wide.origin == ordinary.origin
    for attribute in ordinary.schema.attributes:
        assert cells(wide, attribute.name) == cells(ordinary, attribute.name)


def test_a_quote_left_open_in_a_wide_table_is_refused_with_its_line(tmp_path: Path) -> None:
    fields = [f"v{i}" for i in range(300)]
    error = refused(tmp_path, f'{",".join(fields)}\n{",".join(fields)}\n{",".join(fields[:-1])},"open\n')
    assert "never closed" in error.sentence and error.place == core_wording.at_line("table.csv", 3)


@pytest.mark.parametrize("n", [15, 300])
def test_a_long_and_a_short_record_of_a_wide_table_are_refused_with_their_line(tmp_path: Path, n: int) -> None:
    lines = [",".join(["ab"[i % 2], *[f"{i % 5}.5"] * 249]) for i in range(n)]
    lines[5], lines[6] = f"{lines[5]},1.5", lines[6].rpartition(",")[0]
    error = refused(tmp_path, "\n".join([",".join(f"c{i}" for i in range(250)), *lines, ""]))
    assert error.place == core_wording.at_line("table.csv", 7)


@pytest.mark.parametrize("n", [150, 250])
def test_lines_of_nothing_are_no_records_of_a_wide_table_of_any_length(tmp_path: Path, n: int) -> None:
    line = ",".join(["1.5"] * 250)
    odd = ['""', "\N{NO-BREAK SPACE}", " "]
    content = "\n".join([",".join(f"c{i}" for i in range(250)), *[line] * n, *odd, ""])
    assert len(table(tmp_path, content)) == n


def test_a_marker_that_is_a_number_is_compared_as_it_is_spelled(tmp_path: Path) -> None:
    line = ",".join(["x"] * 249)
    content = "\n".join([",".join(f"c{i}" for i in range(250)), *(f"{c},{line}" for c in ("0.5", "-9.0", "-9")), ""])
    assert cells(table(tmp_path, content, ReadOptions(missing=("-9",))), "c0") == [0.5, -9.0, None]
