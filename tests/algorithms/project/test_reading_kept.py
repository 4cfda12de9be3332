"""A model remembers how the file of its training data was read, and the next file is read alike."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.runner import train
from algorithms.io.reading import read, read_like
from algorithms.io.text.options import FileReading, ReadOptions
from algorithms.learners.trees.c45 import C45
from algorithms.project.models import content_of, load_model, save_model, trained_of
from tests.expected_texts import io as wording
from workbench.files.apply_model import used_on

HEAD = "Bericht;;\n;;\nBetrag;Tag;kauft\n"


def month(path: Path, rows: list[tuple[str, str, str]], head: str = HEAD, by: str = ";") -> Path:
    path.write_text(head + "".join(f"{by.join(row)}\n" for row in rows), encoding="utf-8")
    return path


def january(tmp_path: Path) -> Path:
    """Amounts with a decimal comma that a file of few records leaves open, marks for missing ones, and days."""
    rows = [(f"{n % 7},5", f"0{n % 9 + 1}/02/2024", "ja" if n % 7 > 3 else "nein") for n in range(40)]
    return month(tmp_path / "january.csv", [*rows, ("999", "03/04/2024", "nein")])


OPTIONS = ReadOptions(dates={"Tag": "dmy"}, missing_in={"Betrag": ("999",)}, first_row=3)


def model(tmp_path: Path) -> Path:
    data = read(january(tmp_path), RunContext(), OPTIONS)
    assert data.schema.attributes[0].kind is AttributeKind.NUMERIC and data.missing(0).sum() == 1
    path = tmp_path / "model.coppice-model"
    save_model(path, train(C45(), data, (), RunContext(seed=1)))
    return path


def values(data: Dataset) -> list[object]:
    return data.column(0).tolist()


def test_the_next_file_is_read_as_the_first_one(tmp_path: Path) -> None:
    trained = load_model(model(tmp_path), builtin())
    assert isinstance(trained.reading, FileReading) and trained.reading.options.dates == {"Tag": "dmy"}
    assert trained.reading.options.decimal == "," and trained.reading.kinds["Tag"] is AttributeKind.DATE
    february = month(tmp_path / "february.csv", [("1,500", "03/04/2024", "ja"), ("999", "04/05/2024", "nein")])
    by_itself = read(february, RunContext())
    alike, said = read_like(february, RunContext(), trained.reading)
    assert said == [] and values(alike)[0] == 1.5 and alike.missing(0).tolist() == [False, True]
    assert alike.schema.attributes[1].kind is AttributeKind.DATE
    assert by_itself.schema.attributes[1].kind is not AttributeKind.DATE or values(by_itself) != values(alike)


def test_options_that_are_given_count_first(tmp_path: Path) -> None:
    trained = load_model(model(tmp_path), builtin())
    february = month(tmp_path / "february.csv", [("1.500", "03/04/2024", "ja"), ("2.25", "05/04/2024", "nein")])
    alike, _ = read_like(february, RunContext(), trained.reading, ReadOptions(decimal="."))
    assert values(alike) == [1.5, 2.25]


def test_a_file_of_another_make_is_read_by_itself_and_that_is_said(tmp_path: Path) -> None:
    trained = load_model(model(tmp_path), builtin())
    other = month(
        tmp_path / "march.csv", [("1.5", "2024-03-01", "ja"), ("2.5", "2024-03-02", "nein")], "Betrag,Tag,kauft\n", ","
    )
    alike, said = read_like(other, RunContext(), trained.reading)
    assert values(alike) == [1.5, 2.5] and len(said) == 1
    assert wording.NOT_READ_AS_EARLIER in said[0] and wording.READ_BY_ITSELF in said[0]


def test_a_column_that_no_reading_finds_is_left_to_the_model(tmp_path: Path) -> None:
    trained = load_model(model(tmp_path), builtin())
    short = month(tmp_path / "april.csv", [("03/04/2024", "ja"), ("04/04/2024", "nein")], "Bericht;\n;\nTag;kauft\n")
    alike, said = read_like(short, RunContext(), trained.reading)
    assert said == [] and alike.schema.names == ("Tag", "kauft")
    assert [difference.column for difference in trained.differences(alike)] == ["Betrag"]


def test_command_line_and_window_read_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = model(tmp_path)
    february = month(tmp_path / "february.csv", [("1,500", "03/04/2024", ""), ("6,500", "04/05/2024", "")])
    assert main(["predict", str(path), str(february), "--json"]) == 0
    records = json.loads(capsys.readouterr().out)["records"]
    applied = used_on(load_model(path, builtin()), "model", str(february), RunContext())
    predicted = applied.predicted
    index = predicted.schema.index_of("predicted")
    labels = [predicted.schema.attributes[index].values[code] for code in predicted.column(index)]
    assert [record["decision"] for record in records] == labels == ["nein", "ja"]
    march = month(
        tmp_path / "march.csv", [("1.5", "2024-03-01", ""), ("6.5", "2024-03-02", "")], "Betrag,Tag,kauft\n", ","
    )
    assert main(["predict", str(path), str(march)]) == 0
    assert wording.READ_BY_ITSELF in capsys.readouterr().err
    assert any(
        wording.READ_BY_ITSELF in note
        for note in used_on(load_model(path, builtin()), "m", str(march), RunContext()).notes
    )


def test_an_older_model_has_no_reading_and_a_strangers_asks_no_server(tmp_path: Path) -> None:
    trained = load_model(model(tmp_path), builtin())
    assert trained.reading is not None
    old = content_of(dataclasses.replace(trained, reading=None))
    assert "reading" not in old.values and trained_of(old, builtin()).reading is None
    risky = dataclasses.replace(trained.reading.options, query="SELECT 1", allows_http=True)
    stranger = content_of(dataclasses.replace(trained, reading=FileReading(risky, trained.reading.kinds)))
    options = trained_of(stranger, builtin()).reading.options
    assert options.query is None and not options.allows_http
