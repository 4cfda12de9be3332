"""The structure of the source keeps within limits that may only fall (see ``tests/house.py``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import FEW_BUT_LONG
from tests.expected_texts import core as wording
from tests.house import ROOT, House, cycles_of, layers, loose_sentences, measured, report, unused_texts

MOST_LINES = 197_905
MOST_FILES = 566
LEAST_MEDIAN = 180
MOST_LONE_IMPORTERS = 60
MOST_CYCLES_WITH_TYPES = 1


@pytest.fixture(scope="module")
def house() -> House:
    return measured()


def test_public_class_names_are_unique(house: House) -> None:
    assert house.duplicated_classes == {}


def test_no_folder_is_crowded(house: House) -> None:
    assert house.crowded_folders == {}


def test_no_file_is_long(house: House) -> None:
    assert house.long_files == []


def test_files_and_lines_only_become_fewer(house: House) -> None:
    assert len(house.modules) <= MOST_FILES
    assert house.lines <= MOST_LINES
    assert house.median > LEAST_MEDIAN


def test_short_files_only_become_fewer(house: House) -> None:
    assert house.short_files == []
    assert len(house.lone_importers) <= MOST_LONE_IMPORTERS, house.lone_importers


def test_cycles_only_become_fewer(house: House) -> None:
    assert house.cycles == []
    assert len(house.cycles_with_types) <= MOST_CYCLES_WITH_TYPES, house.cycles_with_types


def test_files_of_few_but_long_tests_are_there_once() -> None:
    there = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert [there.count(name) for name in FEW_BUT_LONG] == [1] * len(FEW_BUT_LONG)


def test_the_page_on_architecture_is_short_and_shows_the_layers_of_the_contracts() -> None:
    page = (ROOT / "resources" / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert len(page.split()) <= 2000
    assert f"```\n{layers()}\n```" in page


def test_sentences_that_tests_assert_stand_in_one_place() -> None:
    """A sentence of three words or more belongs into ``tests/expected_texts``, an input into a variable."""
    assert loose_sentences() == []
    assert unused_texts() == []


def test_sentences_are_found_in_asserts_matches_and_awaited_conditions(tmp_path: Path) -> None:
    texts = tmp_path / "tests" / "expected_texts"
    texts.mkdir(parents=True)
    (texts / "cli.py").write_text('USED = "a b c"\nLONE = "d e f"\n\ndef call(n: int) -> str:\n    return f"{n}"\n')
    (tmp_path / "tests" / "test_cli.py").write_text(
        "from tests.expected_texts import cli as wording\n"
        "assert wording.USED == wording.call(3), 'the message of an assert'\n"
        "assert 'two words' in told and ['but these are three'] == told\n"
        "with pytest.raises(ValueError, match=f'{name} is not known'):\n"
        "    wait_until(lambda: label.text() == 'All is done.')\n"
        "content = 'what a test writes is its own'\n"
    )
    places = [line.partition(" ")[0] for line in loose_sentences(tmp_path)]
    assert places == [f"tests/test_cli.py:{line}" for line in (3, 4, 5)]
    assert unused_texts(tmp_path) == ["cli.LONE"]


def test_late_imports_make_cycles_and_type_imports_are_counted_apart(tmp_path: Path) -> None:
    folder = tmp_path / "algorithms"
    folder.mkdir()
    texts = {
        "low": "class Low: ...\n\ndef f():\n    from algorithms.high import High\n",
        "high": "from algorithms import low\n\nclass High: ...\n",
        "typed": (
            "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .user import User\n\nclass Low: ...\n"
        ),
        "user": '"""A registry entry."""\nfrom .typed import Low\n\nclass User: ...\n',
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    house = measured(tmp_path)
    assert house.cycles == [["algorithms.high", "algorithms.low"]]
    assert house.cycles_with_types == [
        ["algorithms.high", "algorithms.low"],
        ["algorithms.typed", "algorithms.user"],
    ]
    assert house.duplicated_classes == {"Low": ["algorithms.low", "algorithms.typed"]}
    assert house.short_files == ["algorithms.high", "algorithms.low", "algorithms.typed"]
    assert house.lone_importers["algorithms.high"] == "algorithms.low"
    assert wording.DUPLICATED_CLASS_NAME in report(house)


def test_a_cycle_has_all_modules_that_reach_each_other() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert cycles_of({name: frozenset(targets) for name, targets in graph.items()}) == [["a", "b", "c"], ["d", "e"]]
