"""Names that have no room: each is told from the others by what is left of it."""

from __future__ import annotations

import re
from itertools import product

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QApplication, QHeaderView, QStyleOptionHeader, QStyleOptionViewItem, QToolTip

from algorithms.text import names as names_module
from algorithms.text.names import distinguishing_positions, fits_another, shortened
from algorithms.text.sentences import in_brief
from tests.expected_texts import widgets as wording
from workbench.style.theme import themes
from workbench.widgets.fields import SearchField
from workbench.widgets.labels import ElidedLabel, NameDelegate, NameHeader, elided, elided_at_end, elided_in_part
from workbench.widgets.tables import TextTable

COLOURS = tuple(
    f"a class label that goes on and on until at last it reaches {name}xxxxx" for name in ("blue", "green", "red")
)
NUMBERS = tuple(f"the_attribute_with_a_very_long_name_number_{n}_{'abcdefgh'[n] * 35}" for n in range(8))
ENDS = tuple(f"temperature measured in the morning of day {n:02}" for n in range(60))


@pytest.mark.parametrize(
    "names", [COLOURS, NUMBERS, ENDS, tuple(f"is {name}" for name in COLOURS), ("by record", "by class")]
)
def test_names_stay_different_whatever_room_they_have(names: tuple[str, ...]) -> None:
    metrics = QFontMetrics(themes.font())
    for room in range(60, 700, 40):
        shown = [elided(metrics, name, room, names) for name in names]
        assert len(set(shown)) == len(names)
        assert max(map(metrics.horizontalAdvance, shown)) <= room
    for most in range(8, 80, 3):
        short = [shortened(name, most, names) for name in names]
        assert len(set(short)) == len(names) and max(map(len, short)) <= most


def test_thousands_of_names_alike_at_both_ends_are_each_compared_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    names, looked_at = tuple(f"a measurement taken with number {n:04} of the same series" for n in range(3000)), [0]
    with_ends = names_module._with_ends

    def counted(first: str, last: str, among: tuple[str, ...]) -> list[str]:
        found = list(with_ends(first, last, among))
        assert sorted(found) == sorted(name for name in among if name.startswith(first) and name.endswith(last))
        looked_at[0] += len(found)
        return found

    monkeypatch.setattr(names_module, "_with_ends", counted)
    few = names[::100]
    assert len({shortened(name, 30, names) for name in few}) == len(few)
    assert looked_at[0] < 10 * len(few)
    assert distinguishing_positions(names) is distinguishing_positions((*names,))


def test_the_gap_comes_before_the_word_in_which_names_differ() -> None:
    assert shortened(COLOURS[1], 16, COLOURS) == "a…greenxxxxx"
    assert shortened(NUMBERS[3], 12, NUMBERS) == "the…3_ddddd…"
    assert shortened(ENDS[7], 20, ENDS) == shortened(ENDS[7], 20)  # its end is what tells it
    assert distinguishing_positions(("a", "ab", "b")) == {"a": 1, "ab": 1, "b": 0}


def test_names_are_told_by_their_first_words_where_these_differ() -> None:
    names = ("diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis")
    shown = ["diagnosis con…reader", "diagno…not confirmed", "sent away…diagnosis"]
    assert [shortened(name, 20, names) for name in names] == shown
    assert shortened(names[1], 16, names) == "…not confirmed"
    numbered = tuple(f"Measurement {i} of the left side" for i in range(20))
    assert shortened(numbered[12], 16, numbered) == "Measurement 12…"
    assert shortened(names[0], 28, names) == "diagnosis confirmed…reader"


def test_a_name_keeps_its_begin_where_its_end_tells_it_from_others() -> None:
    """ "…oints (worst)" stood for "Concave Points (worst)"."""
    bases = ("Concave Points", "Concavity", "Compactness")
    names = tuple(f"{base} ({kind})" for base in bases for kind in ("mean", "error", "worst"))
    for most in range(10, 20):
        shown = [shortened(name, most, names) for name in names]
        assert all(text.startswith(name[:3]) for text, name in zip(shown, names, strict=True)), shown
        assert len(set(shown)) == len(names)


def test_no_closing_bracket_stands_without_the_one_before_the_cut() -> None:
    """ "Recall…by a second reader)" read like a sentence of its own."""
    names = tuple(f"{rate} (diagnosis confirmed by a second reader)" for rate in ("Recall", "Precision"))
    assert shortened(names[0], 24, names).startswith("Recall (…")
    metrics = QFontMetrics(themes.font())
    for room in range(130, 300, 10):
        for name, among in product(names, (names, ())):
            shown = elided(metrics, name, room, among)
            assert ("(" in shown) is (")" in shown), shown
            assert metrics.horizontalAdvance(shown) <= room


def test_words_are_cut_where_whole_ones_would_show_two_names_alike() -> None:
    ends = ("total yearly beta", "total delta beta", "delta beta")
    names = tuple(f"x yearly customer_account id income income {end}" for end in ends)
    shown = [shortened(name, 40, names) for name in names]
    assert shown[0].endswith("…yearly beta") and len(set(shown)) == 3 and max(map(len, shown)) <= 40


@pytest.mark.parametrize(
    ("name", "most", "shown"),
    [
        (ENDS[7], 24, "temperature measured…07"),
        (ENDS[7], 34, "temperature measured in the…day 07"),
        ("worst fractal dimension", 18, "worst…dimension"),
        ("worst_fractal_dimension", 18, "worst…dimension"),
        ("sent away without a diagnosis", 16, "sent…a diagnosis"),
        ("sent away without a diagnosis", 12, "sent awa…sis"),
        ("pneumonoultramicroscopic", 12, "pneumono…pic"),
    ],
)
def test_names_are_cut_between_words_where_enough_of_them_fits(name: str, most: int, shown: str) -> None:
    assert shortened(name, most) == shown
    metrics = QFontMetrics(themes.font())
    assert len(elided(metrics, name, 0)) <= 1 and len(elided(metrics, name, 12)) <= 1
    for room in range(metrics.horizontalAdvance(shown), metrics.horizontalAdvance(name), 7):
        head, _, tail = elided(metrics, name, room).partition("…")
        assert metrics.horizontalAdvance(f"{head}…{tail}") <= room
        if " " in name and most > 12:
            assert name.startswith(f"{head} ") and name.endswith(f" {tail}")


def test_a_sentence_that_does_not_fit_ends_with_a_word() -> None:
    words = ElidedLabel("The sentence goes on and on until the room ends")
    for width in range(60, 200, 7):
        words.resize(width, 20)
        shown = words.shown()
        assert words.text().startswith(f"{shown.removesuffix('…')} ")


def test_a_sentence_has_its_long_names_cut_and_nothing_else() -> None:
    said = f"says {COLOURS[0]} (99 in 100) · it is {COLOURS[2]}"
    assert in_brief(said, COLOURS, 16) == wording.NAMES_CUT
    assert in_brief(said, COLOURS, 100) == said


def test_titles_cells_choices_and_headings_are_cut_so_and_measured_whole() -> None:
    table = TextTable("table", "A table")
    table.show_rows([COLOURS, *([name, "1", "2"] for name in NUMBERS)])
    table.resize(300, 300)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    for column in range(3):
        table.setColumnWidth(column, 100)
    table.show()
    header, delegate = table.horizontalHeader(), table.itemDelegate()
    assert isinstance(header, NameHeader) and isinstance(delegate, NameDelegate)
    titles, cells = set(), set()
    for section in range(3):
        title = QStyleOptionHeader()
        header.initStyleOptionForIndex(title, section)
        titles.add(title.text)
    for row in range(len(NUMBERS)):
        cell = QStyleOptionViewItem()
        cell.initFrom(table)
        cell.rect = table.visualRect(table.model().index(row, 0))
        cell.widget = table
        delegate.initStyleOption(cell, table.model().index(row, 0))
        cells.add(cell.text)
        assert table.model().index(row, 0).data() == NUMBERS[row]
    assert len(titles) == 3 and len(cells) == len(NUMBERS)
    assert all(len(text) < 30 for text in (*titles, *cells))
    assert table.sizeHintForColumn(0) > 400
    table.setColumnWidth(0, table.sizeHintForColumn(0))
    delegate.initStyleOption(cell, table.model().index(7, 0))
    assert cell.text != NUMBERS[7]  # the place is the narrow one still
    cell.rect = table.visualRect(table.model().index(7, 0))
    delegate.initStyleOption(cell, table.model().index(7, 0))
    assert cell.text == NUMBERS[7]
    assert table.model().headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) == COLOURS[0]


def test_only_a_cell_that_is_cut_has_its_words_in_a_tooltip() -> None:
    table = TextTable("table", "A table")
    table.show_rows([["name", "n"], ["short", "1"], [COLOURS[0], "2"]])
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.setColumnWidth(0, 100)
    table.resize(300, 300)
    table.show()
    for row, is_told in ((0, False), (1, True)):
        at = table.visualRect(table.model().index(row, 0)).center()
        asked = QHelpEvent(QEvent.Type.ToolTip, at, table.viewport().mapToGlobal(at))
        QApplication.sendEvent(table.viewport(), asked)
        assert (QToolTip.text() == table.model().index(row, 0).data()) is is_told
    QToolTip.hideText()
    table.close()


def test_a_heading_that_is_a_name_is_cut_as_names_are_and_whole_in_its_tooltip() -> None:
    heading = ElidedLabel("", "heading")
    heading.resize(140, 20)
    shown = set()
    for name in NUMBERS:
        heading.set_name(name, NUMBERS)
        shown.add(heading.shown())
        assert heading.toolTip() == name
    assert len(shown) == len(NUMBERS)


def test_no_number_is_shown_in_part() -> None:
    metrics = QFontMetrics(themes.font())
    ranges = ("-1.84713 to -1.221315", "-0.094559 to 0.485843", "under -1.84713", "≤ -0.54853", "1,234,567 or more")
    whole = re.compile(r"-?[\d,]+(?:\.\d+)?")
    for text in ranges:
        numbers = set(whole.findall(text))
        for room in range(metrics.horizontalAdvance(text) + 9):
            label = ElidedLabel(text)
            label.resize(room, 20)
            for shown in (
                elided(metrics, text, room),
                elided(metrics, text, room, ranges),
                elided_at_end(metrics, text, room),
                label.shown(),
            ):
                assert set(whole.findall(shown)) <= numbers
        for most in range(2, len(text)):
            assert set(whole.findall(shortened(text, most))) <= numbers
    identifiers = tuple(f"{10_000_000_001 + n}" for n in range(9))
    assert len({shortened(name, 8, identifiers) for name in identifiers}) == 9


def test_names_keep_their_last_word_and_their_number_whole() -> None:
    """They were cut at their ends, and of a number that differs in its last digit none was left."""
    names = ("diagnosis confirmed by a second reader", "diagnosis not confirmed", "sent away without a diagnosis")
    assert shortened(names[0], 25, names) == "diagnosis confirme…reader"
    numbered = tuple(f"Measurement {i} of the concentration in the left ventricle" for i in range(280, 300))
    assert [shortened(name, 9, numbered) for name in numbered[14:16]] == ["…294 of…", "…295 of…"]


def test_of_a_column_half_in_view_the_title_is_cut_in_its_middle_or_at_its_end() -> None:
    """Its end was cut, down to a letter with an ellipsis."""
    names = tuple(f"Concave Points ({kind})" for kind in ("mean", "error", "worst"))
    table = TextTable("table", "A table")
    table.show_rows([names, ["1", "2", "3"]])
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    table.resize(600, 200)
    table.show()
    header = table.horizontalHeader()
    assert isinstance(header, NameHeader)
    for width, shown in ((260, "Co…worst)"), (275, "Con…")):
        for column in range(3):
            table.setColumnWidth(column, width)
        title = QStyleOptionHeader()
        header.initStyleOptionForIndex(title, 2)
        assert title.text == shown


def test_a_name_in_a_column_half_in_view_is_cut_at_its_end_where_it_cannot_differ(qapp: QApplication) -> None:
    metrics = QFontMetrics(qapp.font())
    names = ("Sepal Length", "Sepal Width", "Petal Length", "Petal Width")
    room = metrics.horizontalAdvance("Sepal…") + 1
    assert elided_in_part(metrics, names[0], room, names) == "Sepal…"
    assert elided_in_part(metrics, names[0], metrics.horizontalAdvance("Se…"), names) == "Se…", "numbers stand below"
    assert elided_in_part(metrics, names[0], metrics.horizontalAdvance("S…"), names) == ""


def test_the_placeholder_of_a_search_field_is_whole_or_one_word() -> None:
    """ "Search learners…" had lost its end beside a list in larger text."""
    field = SearchField("Search learners…")
    for width, shown in ((300, "Search learners…"), (90, "Search…")):
        field.resize(width, 30)
        field.show()
        QApplication.sendPostedEvents()
        assert field.placeholderText() == shown
    field.close()


def test_a_shortened_name_of_a_run_keeps_the_number_of_the_run(qapp: QApplication) -> None:
    """It was "Logistic regression (…1)", which may be run 1 or 11."""
    names = "Logistic regression (run 1)", "Logistic regression (run 11)", "Logistic model tree (run 2)"
    assert shortened(names[0], 22, names) == wording.LOGISTIC_OF_RUN_1
    assert shortened(names[1], 22, names) == wording.LOGISTIC_OF_RUN_11 and shortened(names[0], 27, names) == names[0]
    metrics = QFontMetrics(qapp.font())
    for name in names:
        shown = elided(metrics, name, metrics.horizontalAdvance("Logistic… (run 11)"), names)
        assert shown.endswith(name[name.index(" (run") :]) and shown.startswith("Log") and "…" in shown


@pytest.mark.parametrize("most", range(8, 40))
def test_a_shortened_name_cannot_stand_for_another_of_its_table(most: int) -> None:
    """ "dia…confirmed…" was the class "diagnosis not confirmed" as well."""
    classes = "diagnosis confirmed by a second reader", "diagnosis not confirmed"
    features = "Compactness (worst)", "Concavity (worst)", "Concave Points (worst)", "Area (worst)", "Area (mean)"
    for names in (classes, features):
        for name in names:
            shown = shortened(name, most, names)
            assert len(shown) <= most
            assert most < 11 or not fits_another(name, shown, names), shown
    assert not any(fits_another(name, shortened(name, most, classes), classes) for name in classes)
