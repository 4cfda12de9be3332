"""A new file format takes one class and one entry of the list, and is read, offered and refused like the others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from algorithms.cli import main
from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.io.reading import FORMATS, is_named_as_text, listed_formats, read, sheets, sniff
from algorithms.io.text.large_files import survey
from tests.expected_texts import toys as wording
from tests.workbench.stage import Stage
from tests.workbench.toys.card_file import CARDS
from tests.workbench.toys.reading import check_texts
from tests.workbench.window_helpers import Wait
from workbench.files.opening_and_saving import table_filters, table_patterns
from workbench.tabs.preprocess.reading import ImportOptionsBar


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    FORMATS.append(CARDS)
    yield
    FORMATS.remove(CARDS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "flowers.cards"
    cards = [f"size: {n}.5\ncolour: {('red', 'blue')[n % 2]}\nclass: {('yes', 'no')[n % 2]}" for n in range(40)]
    path.write_text("\n\n".join(cards), encoding="utf-8")
    return path


def test_it_is_read_by_its_name_and_other_files_as_before(path: Path, tmp_path: Path) -> None:
    data = read(path, RunContext())
    assert data.schema.names == ("size", "colour", "class") and len(data) == 40
    assert data.origin.name == "flowers" and sheets(path) == () and sniff(path) is not None
    other = tmp_path / "a.csv"
    other.write_text("a,class\n1,x\n2,y\n", encoding="utf-8")
    assert read(other, RunContext()).schema.names == ("a", "class")


def test_dialogs_offer_it_and_nothing_takes_it_for_text(path: Path) -> None:
    assert "Cards (*.cards)" in table_filters().split(";;") and "*.cards" in table_patterns().split()
    check_texts(table_filters().split(";;"))
    assert not is_named_as_text(path)
    picture = path.with_suffix(".png")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    with pytest.raises(DataError) as caught:
        read(picture, RunContext())
    assert caught.value.remedy == wording.open_a_table(listed_formats()) and "Cards" in listed_formats()
    with pytest.raises(DataError) as caught:
        survey(picture, RunContext())
    assert caught.value.remedy == wording.open_a_table(listed_formats())
    with pytest.raises(DataError, match=wording.IS_NO_TEXT_TABLE):
        survey(path, RunContext())


def test_the_window_opens_it_without_import_options(path: Path, stage: Stage, wait_until: Wait) -> None:
    session = stage.session()
    bar = stage.show(ImportOptionsBar(session), 900, 60)
    session.open_file(str(path))
    wait_until(lambda: session.summary is not None)
    assert session.classes == ("no", "yes") or session.classes == ("yes", "no")
    assert bar.isHidden()


def test_the_command_line_reads_it_and_names_the_file_of_an_error(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", str(path), "--learner", "zero-r", "--method", "holdout", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"] == "flowers"
    path.write_text("size: 1\n\ncolour: red", encoding="utf-8")
    assert main(["evaluate", str(path), "--learner", "zero-r"]) == 1
    assert wording.CARD_2_DIFFERS in capsys.readouterr().err
