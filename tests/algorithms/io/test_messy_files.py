"""Messy files open right with no click or with one; clean files are read as they stand."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from algorithms.cli import main
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.io.reading import ReadOptions, read, sniff
from algorithms.io.text.large_files import survey
from algorithms.io.text.options import Guess, read_options
from tests.algorithms.io.helpers import cells, kinds, refused, table, written
from tests.algorithms.io.messy_files import MESSY_FILES, MessyFile
from tests.algorithms.io.workbook_files import xlsx
from tests.expected_texts import core as core_wording
from tests.expected_texts import io as wording

MOST_CLICKS = 1
BUNDLED = sorted((Path(__file__).parents[3] / "resources" / "datasets").glob("*.csv"))


def read_with(path: Path, options: ReadOptions | None = None) -> tuple[Dataset, ReadOptions]:
    """The table, and the options with the guesses of the reading."""
    published: list[ReadOptions] = []
    data = read(
        path, RunContext(listener=lambda event: isinstance(event, ReadOptions) and published.append(event)), options
    )
    return data, published[-1]


def corrected(options: ReadOptions, guesses: tuple[Guess, ...], key: str, label: str) -> tuple[ReadOptions, str]:
    """The options after a click on a correction, and the same choice as a word of the command line."""
    choices = {(guess.key, each.label): each for guess in guesses for each in guess.corrections}
    return choices[key, label].applied(options), choices[key, label].argument


def test_there_are_twenty_files_and_each_takes_one_click_at_most() -> None:
    assert len(MESSY_FILES) >= 20
    assert max(len(messy.corrections) for messy in MESSY_FILES) <= MOST_CLICKS
    assert sum(not messy.corrections for messy in MESSY_FILES) >= 16


@pytest.mark.parametrize("messy", MESSY_FILES, ids=lambda messy: messy.name)
def test_a_messy_file_opens_right(tmp_path: Path, messy: MessyFile) -> None:
    path = tmp_path / messy.name
    messy.make(path)
    options, words = ReadOptions(), list[str]()
    data, recognised = read_with(path)
    for key, label in messy.corrections:
        options, word = corrected(options, recognised.guesses, key, label)
        words.append(word)
        data, recognised = read_with(path, options)
    attributes = data.schema.attributes
    seen = [(each.name, each.kind.value, cells(data, each.name)) for each in attributes]
    assert seen == [(name, kind, list(values)) for name, kind, values in messy.columns]
    units = {each.name: each.unit for each in attributes}
    assert all(units[name] == unit for name, unit in messy.units)
    for guess in recognised.guesses:
        assert guess.sentence.endswith(".") and guess.corrections
        for each in guess.corrections:
            assert (
                read_options([each.argument], ReadOptions()) == each.applied(ReadOptions()) or "kinds" in each.changes
            )
    if words:
        again, _ = read_with(path, read_options(words, ReadOptions()))
        assert [cells(again, name) for name in again.schema.names] == [cells(data, name) for name in data.schema.names]


@pytest.mark.parametrize("messy", [m for m in MESSY_FILES if not m.corrections], ids=lambda messy: messy.name)
def test_every_correction_of_a_guess_can_be_read(tmp_path: Path, messy: MessyFile) -> None:
    path = tmp_path / messy.name
    messy.make(path)
    data, recognised = read_with(path)
    for guess in recognised.guesses:
        for each in guess.corrections:
            other, _ = read_with(path, each.applied(ReadOptions()))
            assert len(other) and len(other.schema), each.label
            if guess.key in ("totals", "notes"):
                assert len(other) > len(data)


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.name)
def test_a_clean_file_raises_no_guess_that_is_not_usual(path: Path) -> None:
    _, recognised = read_with(path)
    assert [guess.sentence for guess in recognised.guesses if not guess.is_usual] == []
    assert recognised.first_row is None


def test_rows_that_only_resemble_mess_stay_records(tmp_path: Path) -> None:
    data = table(tmp_path, "shop,sales\nTotal Wine,10.5\nBest,2.5\nSum Co,3.5\nMean Ltd,7.25\n")
    assert cells(data, "shop") == ["Total Wine", "Best", "Sum Co", "Mean Ltd"]
    data = table(tmp_path, "sex,n,rate\nmale,10,0.5\nfemale,12,0.75\ntotal,9,0.25\nmale,8,0.5\n")
    assert len(data) == 4
    data = table(tmp_path, "part,width,mass\nbroken,worn,old\np1,20.5,3.5\np2,21.5,4.5\n")
    assert cells(data, "part") == ["broken", "p1", "p2"]
    data = table(tmp_path, "a,b\na,b\nc,d\n")
    assert len(data) == 3 and data.schema.names == ("Column 1", "Column 2")
    data = table(tmp_path, "id;x;y\nA1;1,5;2\nA2;2,5;3\nA3;;\n")
    assert cells(data, "id") == ["A1", "A2", "A3"]


def test_a_last_record_of_a_clean_table_stays(tmp_path: Path) -> None:
    data = table(tmp_path, "sector,n\nEnergy,5\nHealth,7\nMedia,4\n")
    assert cells(data, "sector") == ["Energy", "Health", "Media"]
    data = table(tmp_path, "kind,n\ndirect,1\ntotal,2\ndirect,3\ntotal,4\n")
    assert cells(data, "kind") == ["direct", "total", "direct", "total"]
    answers = "how are you doing my friend,good\nwhat did you say to me,bad\n"
    data = table(tmp_path, f"question,answer\n{answers}nobody ever told me that,\n")
    assert cells(data, "answer") == ["good", "bad", None]
    data = table(tmp_path, "sector,n\nEnergy,5\nHealth,7\nMean,6\n")
    assert cells(data, "sector") == ["Energy", "Health"]
    data = table(tmp_path, "sector,n\nEnergy,5\nHealth,7\nTotal,12\n")
    assert cells(data, "sector") == ["Energy", "Health"]


def test_a_total_without_other_words_ends_a_long_text(tmp_path: Path, small_blocks: int) -> None:
    n = 60_000
    records = "".join(f"{'ab'[i % 2]},{i % 10}.5\n" for i in range(n))
    assert len(records) > 5 * small_blocks
    for total, kept in ((5 * n, n), (7, n + 1)):
        data, _ = read_with(written(tmp_path, f"key,x\n{records}Total,{total}\n"))
        assert len(data) == kept


def test_a_fault_below_titles_is_told_with_its_line_of_the_file(tmp_path: Path) -> None:
    head = "Report,,\nof March,,\n\nname,x,y\n"
    records = "".join(f"a{i % 3},{i}.5,{i % 7}.25\n" for i in range(40))
    assert refused(tmp_path, f"{head}{records}a,1\n").place == core_wording.at_line("table.csv", 45)
    error = refused(tmp_path, f'{head}{records}"a,1,2\n')
    assert error.place == core_wording.at_line("table.csv", 45)


def test_a_long_text_with_titles_and_a_total_is_read_in_blocks(tmp_path: Path, small_blocks: int) -> None:
    n = 60_000
    records = "".join(f"{'ab'[i % 2]};{i};{i % 10},5\n" for i in range(n))
    assert len(records) > 10 * small_blocks
    content = f"Export\nof today\n\nkey;n;x\n{records}Total;{n * (n - 1) // 2};999\n\nSource: the till\n"
    for name in ("long.csv", "long.csv.gz"):
        path = written(tmp_path, gzip.compress(content.encode()) if name.endswith("gz") else content, name)
        data, recognised = read_with(path)
        assert len(data) == n and data.schema.names == ("key", "n", "x")
        assert {"first row", "totals", "notes"} <= {guess.key for guess in recognised.guesses}
        assert recognised.first_row == 4


def test_a_total_at_the_far_end_of_a_clean_text_is_left_out(tmp_path: Path, small_blocks: int) -> None:
    n = 60_000
    records = "".join(f"{'ab'[i % 2]},{'xy'[i % 2]},{i % 10}.5\n" for i in range(n))
    assert len(records) > 5 * small_blocks
    path = written(tmp_path, f"key,other,x\n{records}Total,,{5 * n}\n")
    data, recognised = read_with(path)
    assert len(data) == n and "totals" in {guess.key for guess in recognised.guesses}
    assert "totals" in {guess.key for guess in sniff(path).guesses}
    kept, _ = read_with(path, ReadOptions(totals=True))
    assert len(kept) == n + 1


def test_the_end_of_a_long_sheet_is_looked_at_too(tmp_path: Path) -> None:
    records = [[f"r{i}", "ab"[i % 2], i + 0.5] for i in range(3000)]
    path = xlsx(
        tmp_path / "long.xlsx", [["name", "kind", "x"], *records, ["Total", "", 4_500_000.0], ["printed by hand"]]
    )
    data, recognised = read_with(path)
    assert len(data) == 3000 and cells(data, "x")[-1] == 2999.5
    assert {"totals", "notes"} <= {guess.key for guess in recognised.guesses}
    titled = xlsx(
        tmp_path / "titled.xlsx", [["Title"], [], ["name", "kind", "x"], *records, ["Total", "", 4_500_000.0]]
    )
    data, recognised = read_with(titled)
    assert len(data) == 3000 and recognised.first_row == 3


def test_a_messy_file_can_be_surveyed_and_read_in_pieces(tmp_path: Path) -> None:
    records = "".join(f"{'ab'[i % 2]},{i % 10}.5\n" for i in range(1000))
    path = written(tmp_path, f"Made today\n\nkey,x\n{records}\nNote: all of it\n")
    seen = survey(path, RunContext())
    assert seen.sample.schema.names == ("key", "x")
    rows = sum(block.n for block in seen.rows(RunContext(), (1,), seen.sample.schema))
    assert rows == 1000


def test_dates_may_have_their_order_given_for_all_columns(tmp_path: Path) -> None:
    content = "start,end\n01/02/2024,03/04/2024\n05/06/2024,07/08/2024\n"
    data = table(tmp_path, content, ReadOptions(dates={"": "mdy"}))
    assert set(kinds(data).values()) == {"date"}
    data, recognised = read_with(written(tmp_path, content))
    assert [guess.key for guess in recognised.guesses if guess.is_question] == ["dates start", "dates end"]


def test_the_command_line_tells_guesses_and_takes_choices(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "totals.csv"
    next(messy for messy in MESSY_FILES if messy.name == "totals.csv").make(path)
    assert main(["convert", str(path), "--class", "Region"]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 5
    assert "--read totals=keep" in printed.err and wording.ROW_6_IS_A_TOTAL in printed.err
    assert main(["convert", str(path), "--class", "Region", "--read", "totals=keep"]) == 0
    assert capsys.readouterr().out.count("\n") == 6
    for word in ("totals", "totals=maybe", "first-row=0", "kind:Units=heavy", "dates:Day=ydm", "colour=red"):
        assert main(["convert", str(path), "--read", word]) == 2
        assert word in capsys.readouterr().err
    assert main(["convert", "sample:iris", "--read", "totals=keep"]) == 2
