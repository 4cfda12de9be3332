"""Where the lines of wrapped words may end."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QPushButton,
    QStyle,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from algorithms.text.sentences import typeset
from tests.expected_texts import widgets as wording
from tests.workbench.stage import Stage
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.widgets import labels
from workbench.widgets.labels import (
    BREAK,
    TOGETHER,
    BreakingLabel,
    ElidedLabel,
    LinkDelegate,
    LinkLabel,
    NamingLabel,
    WholeLabel,
    in_two_lines,
    label,
    link,
    term_link,
)
from workbench.widgets.layouts import as_high_as_needed, column_layout
from workbench.widgets.tables import TableLabel, TextModel, are_words

LINK = '<a href="0" style="color:#1b2430">217</a>'


def test_a_cut_name_does_not_end_with_an_opened_bracket(qapp: QApplication) -> None:
    label = ElidedLabel("Breast cancer (Wisconsin)")
    label.resize(label.fontMetrics().horizontalAdvance("Breast cancer (Wi…"), 30)
    assert label.shown() == "Breast cancer…"


def test_a_table_in_a_column_is_as_high_and_at_least_as_wide_as_a_label_lays_it_out(stage: Stage) -> None:
    cells = "".join(f"<td>{word}&nbsp;</td>" for word in ("petal", "length", "of the flower"))
    html = f'What adds to it: <table width="100%">{f"<tr>{cells}</tr>" * 5}</table>'
    usual, own = label("", "small", wrap=True, rich=True), TableLabel("small", "background")
    for each in (usual, own):
        stage.show(each, 400, 200)
        each.setText(html)
    assert own.minimumSizeHint() == usual.minimumSizeHint() and own.sizeHint().width() < usual.sizeHint().width()
    assert [own.heightForWidth(width) for width in (60, 150, 400)] == [
        usual.heightForWidth(width) for width in (60, 150, 400)
    ]
    assert own.grab().toImage() == usual.grab().toImage()
    own.setText("No table")
    assert own.heightForWidth(400) < usual.heightForWidth(400) and own.text() == "No table"


def test_of_rich_text_only_what_is_written_is_broken_and_never_a_number_in_a_link(qapp: QApplication) -> None:
    label = BreakingLabel()
    label.setTextFormat(Qt.TextFormat.RichText)
    label.setText(f"{LINK} records &lt;&amp; {'x' * 30}")
    raw = QLabel.text(label)
    broken = f"{LINK} records &lt;&amp; xxxxxx{BREAK}xxxxxx"
    assert raw.startswith(broken)
    assert label.text() == f"{LINK} records &lt;&amp; {'x' * 30}"


def test_no_line_ends_between_a_number_and_its_unit(qapp: QApplication) -> None:
    label = BreakingLabel("It took 0.5 s, 12 min in all, 34 % of 2 GB; 3 steps more")
    assert QLabel.text(label).count(TOGETHER) == 4
    assert label.text() == wording.IT_TOOK_SO_LONG


def test_a_sentence_that_was_narrow_is_as_low_as_its_width_needs_whenever_layouts_asked(stage: Stage) -> None:
    """The height for a width was kept from when the label was higher, and half a page below it stayed empty."""
    words = WholeLabel("Against the baseline: adjusted for all learners. " * 6)
    stage.show(words, 120, 300)
    high = words.minimumHeight()
    assert words.heightForWidth(700) == high, "Qt asks for no less than the least height"
    words.resize(700, 300)
    assert words.minimumHeight() < high / 2


def test_what_stands_below_words_gives_way_before_a_frame_is_painted(qapp: QApplication) -> None:
    holder, words, below = QWidget(), WholeLabel("Comparing the splits"), QLabel("Select its records")
    as_high_as_needed(words)
    column = QVBoxLayout(holder)
    for widget in (words, below, QWidget()):
        column.addWidget(widget)
    holder.resize(300, 400)
    holder.show()
    before = words.height()
    words.setText("Step by step is for tables of up to 1,000 records, and this one has 2,600. " * 3)
    assert words.height() > 2 * before
    assert below.geometry().top() > words.geometry().bottom()
    words.setText("Done")
    assert words.height() < 2 * before and below.geometry().top() < 2 * before + 30
    holder.close()
    holder.deleteLater()


def test_a_column_stands_at_the_right_for_its_figures_and_at_the_left_for_its_words(qapp: QApplication) -> None:
    model = TextModel()
    model.show_rows(
        (("from", "to", "weight", "certain"), ("age", "node 1", "−0.5", "ruled out"), ("age", "node 2", "", "< 0.1"))
    )
    sides = [
        Qt.AlignmentFlag(model.headerData(c, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole))
        for c in range(4)
    ]
    assert [bool(side & Qt.AlignmentFlag.AlignLeft) for side in sides] == [True, True, False, False]
    assert not are_words(["", "–"])


def test_conditions_are_printed_with_signs_of_their_own() -> None:
    written = "age <= 40.5 and 2 < size and kind >= b and x = -2"
    assert typeset(written) == wording.TYPESET


def test_a_cell_that_opens_something_is_underlined_under_the_pointer_only(qapp: QApplication) -> None:
    line = QFont()
    line.setUnderline(True)
    table = QTableWidget(1, 1)
    table.setItem(0, 0, cell := QTableWidgetItem("94.7%"))
    cell.setFont(line)
    delegate = LinkDelegate(table)
    underlined = {}
    for state in (QStyle.StateFlag.State_Enabled, QStyle.StateFlag.State_MouseOver, QStyle.StateFlag.State_HasFocus):
        option = QStyleOptionViewItem()
        option.state = state
        delegate.initStyleOption(option, table.model().index(0, 0))
        underlined[state.name] = option.font.underline()
    assert underlined == {"State_Enabled": False, "State_MouseOver": True, "State_HasFocus": True}


def test_a_long_name_in_two_lines_has_whole_words_and_its_end(qapp: QApplication) -> None:
    metrics = QFontMetrics(QFont())
    name = "Measurement 000 of the concentration in the left ventricle after 0 hours"
    room = metrics.horizontalAdvance("Measurement 000 of the")
    lines = in_two_lines(QFont(), name, room).split("\n")
    assert len(lines) == 2 and all(metrics.horizontalAdvance(line) <= room for line in lines)
    assert set(" ".join(lines).split()) <= {*name.split(), "…"} and lines[1].endswith("hours")
    assert in_two_lines(QFont(), "age", room) == "age"


def test_a_name_of_many_words_is_broken_into_lines_once_and_without_measuring_it_word_by_word(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []

    metrics = QFontMetrics(QFont())

    def advance(text: str) -> int:
        measured.append(len(text))
        return metrics.horizontalAdvance(text)

    counting = SimpleNamespace(horizontalAdvance=advance, elidedText=metrics.elidedText)
    monkeypatch.setattr(labels, "QFontMetrics", lambda _font: counting)
    name = " ".join(f"word{i}" for i in range(1000))
    first, second = "word0 word1", "… word999"
    room = metrics.horizontalAdvance(f"{first} ")
    assert in_two_lines(QFont(), name, room) == f"{first}\n{second}"
    assert 0 < sum(measured) < 5 * len(name)
    measured.clear()
    in_two_lines(QFont(), name, room)
    assert measured == []


def test_names_in_a_sentence_are_elided_anew_in_larger_text(stage: Stage, qapp: QApplication) -> None:
    """Also where the width of the label stays as it is."""
    themes.install(qapp, LIGHT_NAME)
    words, name = NamingLabel(share=0.5), "a class of many words, of which few have room"
    stage.show(words, 400, 60)
    words.set_sentence(lambda naming: naming(name))
    before = words.text()
    try:
        themes.set_scale(2.0)
        assert (
            words.fontMetrics().horizontalAdvance(words.text()) <= 200 < words.fontMetrics().horizontalAdvance(before)
        )
        assert words.toolTip() == name
    finally:
        themes.set_scale(1.0)
        qapp.setStyleSheet("")


def test_the_keyboard_stays_on_the_link_of_a_sentence_that_is_written_again(qapp: QApplication) -> None:
    words, after, followed = LinkLabel('12 of <a href="a">40 records</a>'), QPushButton("after"), list[str]()
    words.linkActivated.connect(followed.append)
    window = QWidget()
    column_layout(words, after, inside=window)
    window.show()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    after.setFocus()
    words.setFocus(Qt.FocusReason.TabFocusReason)
    words.setText(words.text())
    assert words.hasFocus()
    QTest.keyClick(words, Qt.Key.Key_Return)
    words.setText('13 of <a href="b">40 records</a>')
    assert words.hasFocus()
    QTest.keyClick(words, Qt.Key.Key_Return)
    assert followed == ["a", "b"]


def test_a_link_in_focus_has_the_frame_of_a_button_and_its_text_stays(stage: Stage, qapp: QApplication) -> None:
    """Qt dots it, which nothing else in the window is."""
    themes.install(qapp, LIGHT_NAME)
    words = LinkLabel(f"12 of {link('a', '40 records')} that were tested, and a second line of words")
    before, window = QPushButton("before"), QWidget()
    column_layout(before, words, inside=window)
    stage.show(window, 240, 120)
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    before.setFocus()
    shot = words.grab().toImage()
    words.setFocus(Qt.FocusReason.TabFocusReason)
    now = words.grab().toImage()
    changed = [(x, y) for y in range(now.height()) for x in range(now.width()) if now.pixel(x, y) != shot.pixel(x, y)]
    left, right = min(x for x, _ in changed), max(x for x, _ in changed)
    top, bottom = min(y for _, y in changed), max(y for _, y in changed)
    assert bottom - top < words.fontMetrics().lineSpacing() + 4 < words.height(), "not around the sentence"
    corner, accent = 5, current_theme().color("accent")
    assert all(now.pixelColor(x, top) == accent for x in range(left + corner, right - corner)), "not dotted"
    for x, y in changed:
        across, down = min(x - left, right - x), min(y - top, bottom - y)
        assert 0 in (across, down) or max(across, down) <= corner, "the words do not move"
    qapp.setStyleSheet("")


def test_links_take_the_colors_of_another_theme_and_tell_where_they_lead(stage: Stage, qapp: QApplication) -> None:
    themes.install(qapp, LIGHT_NAME)
    words = stage.show(LinkLabel(f"{link('all', 'A & B')}, {term_link('Accuracy')}"), 300, 40)
    before = current_theme()
    assert before.accent in words.text() and words.links() == [("all", "A & B")]
    for name in (DARK_NAME, LIGHT_NAME, DARK_NAME):
        themes.choose(name)
        colors = re.findall("#[0-9a-f]{6}", words.text())
        assert colors == [current_theme().accent, current_theme().text], name
    assert before.text not in words.text()
    themes.choose(LIGHT_NAME)
    qapp.setStyleSheet("")
