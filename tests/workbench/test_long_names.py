"""Words that are longer than their place: broken, counted or left away, never pushed beyond an edge."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QGridLayout, QSpinBox, QVBoxLayout, QWidget

from workbench.evaluate.figure_table import FigureTable
from workbench.evaluate.numbers import Figure
from workbench.parts import ElidedLabel, label, with_room
from workbench.preprocess.attribute_numbers import Numbers
from workbench.views.card import FloatingCard
from workbench.wording import opening

NAME = "the_attribute_with_a_very_long_name_" + "a" * 44


def test_a_long_name_in_rich_text_is_broken_and_its_markup_is_not() -> None:
    html = (
        f"because <span style='color:#123456;background-color:#ffffffffffffffffffffff'>{NAME}&amp;{NAME}</span> &lt; 1"
    )
    words = label(html, wrap=True, rich=True)
    assert words.text() == html
    box = QWidget()
    QVBoxLayout(box).addWidget(words)
    assert box.minimumSizeHint().width() < 200 < QFontMetrics(words.font()).horizontalAdvance(NAME)
    assert "&amp;" in words.property("text") and "#ffffffffffffffffffffff" in words.property("text")


def test_facts_are_left_away_whole_and_the_tooltip_has_them_all() -> None:
    facts = ElidedLabel("97 nodes · 49 leaves · 60 selected", "facts")
    across = facts.fontMetrics().horizontalAdvance
    facts.resize(across("97 nodes · 49 leaves · 60") + 4, 20)
    facts.show()
    assert facts.shown() == "97 nodes · 49 leaves"
    assert "60 selected" in facts.toolTip()
    facts.resize(across("97 nodes · 49 leaves · 60 selected") + 4, 20)
    assert facts.shown() == facts.text()


def test_a_card_says_less_until_it_is_no_higher_than_its_picture() -> None:
    picture = QWidget()
    picture.resize(500, 120)
    card = FloatingCard(picture, "card")
    lines = [f"{NAME} is {at}" for at in range(12)]
    card.show_what_fits(("<br>".join(lines[:n]) for n in (12, 3, 1)), QRectF(200, 40, 40, 20))
    assert card.html in ("<br>".join(lines[:3]), lines[0])
    assert picture.rect().contains(card.geometry())


def test_a_sentence_is_cut_at_its_end_between_words() -> None:
    sentence = "Puts ranges in the place of numbers, for learners that ask about lists."
    assert opening(sentence, 200) == sentence
    assert opening(sentence, 38) == "Puts ranges in the place of numbers…"


def test_the_text_of_a_field_with_arrows_begins_where_that_of_others_does() -> None:
    box = QSpinBox()
    with_room(box)
    assert box.lineEdit().textMargins().left() >= 6


def test_a_long_value_has_a_row_of_its_own_once_the_pane_is_too_narrow_for_two() -> None:
    numbers = Numbers()
    numbers.show_pairs([("Distinct", "467"), ("Quartiles", "-0.607123 to 0.689712")], 700)
    numbers.show()
    rows = {}
    for width in (640, 280):
        numbers.resize(width, 60)
        grid = numbers.layout()
        assert isinstance(grid, QGridLayout)
        rows[width] = [grid.getItemPosition(at)[0] for at in range(grid.count())]
    assert rows == {640: [0, 0, 0, 0], 280: [0, 0, 1, 1]}


def test_figures_stand_near_their_names_and_names_are_cut_only_where_there_is_no_room() -> None:
    table = FigureTable((("Class", ""), ("Found", "")), "table", "A table")
    table.show()
    for name, width, least, most in (("a", 1200, 300, 500), (NAME, 1200, 500, 1100), (NAME, 130, 40, 110)):
        table.set_rows([[Figure(name), Figure("94.7")]])
        table.resize(width, 90)
        assert least < table.columnWidth(0) < most
