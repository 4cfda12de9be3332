"""Tables of saved web pages are read as pandas reads them; nothing in a page runs, and no page does harm."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.cli import main
from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.io.reading import ReadOptions, read, sheet_list, sheets, sniff
from tests.algorithms.io.helpers import cells, refused, table, written
from tests.expected_texts import io as wording

NAME = "table.html"
FRAME = pd.DataFrame({"n": [k / 8 for k in range(40)], "c": ["ab"[k % 2] for k in range(40)]})
START, END = "<!DOCTYPE html><html><head><title>t</title></head><body>", "</body></html>"
SALES = (
    "<table><caption>Sales <b>of 2019</b></caption><thead><tr><th rowspan=2>City</th><th colspan=2>Sum</th></tr>"
    "<tr><th>a</th><th>b</th></tr></thead><tbody><tr><td rowspan=2>Aber&amp;Co<td>1,5<td>2<tr><td>2,5<td>3"
    "<script>document.write('9')</script><tr><td>x<br>y<td>3,5<td>&nbsp;</tbody></table>"
)
MENU = "<table><tr><td>Home</td><td>Help</td></tr><tr><td>1</td><td>2</td></tr></table>"


@pytest.mark.parametrize("name", [NAME, "table.csv", "table.xls", "page"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
def test_a_table_is_read_by_its_content_as_pandas_wrote_it(tmp_path: Path, name: str, encoding: str) -> None:
    data = table(tmp_path, (START + FRAME.to_html(index=False) + "<p>\u00e9</p>" + END).encode(encoding), name=name)
    assert data.schema.names == ("n", "c") and data.schema.classes == ("a", "b")
    assert cells(data, "n") == FRAME["n"].tolist() and cells(data, "c") == FRAME["c"].tolist()


def test_spans_headings_entities_and_scripts(tmp_path: Path) -> None:
    data = table(tmp_path, START + SALES + END, name=NAME)
    assert data.schema.names == ("City", "Sum a", "Sum b")
    assert cells(data, "City") == ["Aber&Co", "Aber&Co", "x y"]
    assert cells(data, "Sum a") == [1.5, 2.5, 3.5] and cells(data, "Sum b") == [2.0, 3.0, None]


def test_of_several_tables_the_largest_is_read_and_any_is_chosen_by_its_caption(tmp_path: Path) -> None:
    inner = "<table><tr><td>outside<table><tr><th>u<th>v<tr><td>5.5<td>p</table></td></tr></table>"
    hidden = "<div style='display: none'><table><tr><th>h<tr><td>1</table></div>"
    path = written(tmp_path, START + MENU + SALES.replace(" <b>of 2019</b>", "") + hidden + inner + END, NAME)
    assert sheets(path) == ("Table 1", "Sales", "Table 3", "Table 4") and sniff(path).sheet == "Sales"
    listed = sheet_list(path, RunContext())
    assert listed.word == "table" and listed.sizes == {"Sales": 3, "Table 4": 1}
    assert read(path, RunContext()).schema.names[0] == "City"
    assert read(path, RunContext(), ReadOptions(sheet="Table 1")).schema.names == ("Home", "Help")
    assert cells(read(path, RunContext(), ReadOptions(sheet="Table 4")), "u") in ([5.5], ["5.5"])
    error = refused(tmp_path, path.read_bytes(), ReadOptions(sheet="x"), NAME)
    assert error.remedy == wording.TABLES_OF_PAGE


def test_no_table_is_lost_to_a_caption_like_the_name_of_another(tmp_path: Path) -> None:
    captioned = [
        FRAME[:5].to_html(index=False).replace("<thead>", f"<caption>{name}</caption><thead>")
        for name in ("Table 2", "Table 2", "A", "A")
    ]
    path = written(tmp_path, START + "".join(captioned) + MENU + END, NAME)
    assert len(sheets(path)) == 5 and sheets(path)[0] == "Table 2" and "A" in sheets(path)


@pytest.mark.parametrize(
    "hidden",
    [
        "<td hidden>9<td>x",
        "<td hidden>9</td><td>x",
        "<td style='display:none'><table><tr><td>9</table></td><td>x",
        "<td hidden><table><tr><td>9<tr><td>8</table><td>x",
        "<td>x<tr hidden><td>9<td>9",
        "<td>x<td hidden>9",
        "<td>x<td hidden>9</tr>",
    ],
)
def test_a_hidden_cell_without_an_end_hides_no_other(tmp_path: Path, hidden: str) -> None:
    page = START + f"<table><tr><th>a<th>b<tr><td>1.5{hidden}<tr><td>2.5<td>y<tr><td>3.5<td hidden>z</table>" + END
    data = table(tmp_path, page + MENU, name=NAME)
    assert cells(data, "a") == [1.5, 2.5, 3.5] and cells(data, "b")[:2] == ["x", "y"]


@pytest.mark.parametrize(
    "head",
    [
        "<thead><tr><th></th><th></th></tr><tr><th>a</th><th>b</th></tr></thead>",
        "<thead><tr></tr><tr><td>a</td><td>b</td></tr></thead>",
        "<tr></tr><thead><tr><td>a</td><td>b</td></tr></thead>",
        "<thead><tr><th rowspan=2>a</th><th rowspan=3>b</th></tr></thead>",
        "<thead><tr><th rowspan=2>a</th><th>b</th></tr><tbody>",
    ],
)
def test_no_record_is_lost_to_the_headings_or_shifted_by_them(tmp_path: Path, head: str) -> None:
    """An empty row of headings took the first record for one; a heading spanned rows of the body."""
    rows = "".join(f"<tr><td>{k + 0.5}</td><td>{word}</td></tr>" for k, word in enumerate(["x", "y", "x", "y"]))
    again = "<thead><tr><th>a</th><th>b</th></tr></thead><tr><td>4.5</td><td>y</td></tr>"
    data = table(tmp_path, START + f"<table>{head}{rows}</table>" + END, name=NAME)
    assert data.schema.names == ("a", "b") and cells(data, "b") == ["x", "y", "x", "y"]
    assert cells(data, "a") == [0.5, 1.5, 2.5, 3.5]
    repeated = table(tmp_path, START + f"<table>{head}{rows}{again}</table>" + END, name=NAME)
    assert repeated.schema.names == ("a", "b") and cells(repeated, "b") == ["x", "y", "x", "y", "b", "y"]


def test_a_given_header_holds_empty_columns_are_left_out_and_a_cell_spans_many_rows(tmp_path: Path) -> None:
    rows = "".join(f"<tr>{'<td rowspan=4>p' if k % 4 == 0 else ''}<td>{k + 0.5}<td></td></tr>" for k in range(8))
    page = START + f"<table><tr><td>name<td>1.5<td></td></tr>{rows}</table>" + END
    named = table(tmp_path, page, ReadOptions(header=True), NAME)
    assert named.schema.names == ("name", "1.5") and cells(named, "1.5") == [k + 0.5 for k in range(8)]
    assert cells(named, "name") == ["p"] * 8
    assert len(table(tmp_path, page, ReadOptions(header=False), NAME)) == 9


def test_a_cell_that_spans_beside_a_short_row_ends_with_its_span(tmp_path: Path) -> None:
    """It was repeated one row further down, whose cells moved to the right."""
    rows = "<tr><td>1.5<td>x<td rowspan=2>p<tr><td>2.5<tr><td>3.5<td>y<td>q"
    data = table(tmp_path, START + f"<table><tr><th>a<th>b<th>c{rows}</table>" + END, name=NAME)
    assert data.schema.names == ("a", "b", "c") and cells(data, "c") == ["p", "p", "q"]
    assert cells(data, "a") == [1.5, 2.5, 3.5] and cells(data, "b") == ["x", None, "y"]


def test_markup_as_text_stays_text(tmp_path: Path) -> None:
    page = START + "<table><tr><th>a<th>b<tr><td>&lt;b&gt;x&lt;/b&gt;<td>1.5<tr><td><i>y</i><td>2.5</table>" + END
    assert cells(table(tmp_path, page, name=NAME), "a") == ["<b>x</b>", "y"]


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("<p>Hello, world</p>", wording.NO_TABLE_IN_PAGE),
        ("<table></table>", wording.NO_TABLE_IN_PAGE),
        ("<table><tr><th>a<th>b</table>", wording.NO_TABLE_IN_PAGE),
        ("<table><tr><th>a<tr><td colspan=1000>" + "x" * 5000 + "</table>", wording.CELLS_SPAN_TOO_MUCH),
        ("<table>" + "<tr><td colspan=1000>1" * 300 + "</table>", wording.CELLS_SPAN_TOO_MUCH),
    ],
)
def test_a_page_without_a_table_or_with_a_bomb_is_refused(tmp_path: Path, body: str, sentence: str) -> None:
    assert refused(tmp_path, START + body + END, name=NAME).sentence == sentence


def test_the_command_line_chooses_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(written(tmp_path, START + SALES + FRAME[:20].to_html(index=False) + MENU * 9 + END, NAME))
    assert main(["evaluate", path, "--sheet", "Table 2", "--learner", "zero-r", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 20


def test_numbers_and_texts_come_back_as_pandas_wrote_them(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    frame = pd.DataFrame({"x": random.normal(size=200).tolist(), "word": [f'<{k}> & "q" {k % 7}' for k in range(200)]})
    data = table(tmp_path, START + frame.to_html(index=False, float_format="{:.17g}".format) + END, name=NAME)
    assert cells(data, "x") == frame["x"].tolist() and cells(data, "word") == frame["word"].tolist()


_PARTS = st.sampled_from(
    ["<table>", "</table>", "<tr>", "<td>", "<th rowspan=3>", "<td colspan=2>", "1", "x", "<!--", "<![x", "&#",
     "<thead>", "</td>", "<script>", "<div hidden>", "</div>", "<caption>", '<a b="']
)  # fmt: skip


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_PARTS, max_size=40))
def test_any_markup_is_read_or_refused_with_a_sentence(tmp_path: Path, parts: list[str]) -> None:
    try:
        read(written(tmp_path, START + "".join(parts), NAME), RunContext())
    except DataError as error:
        assert error.sentence.endswith(".")
