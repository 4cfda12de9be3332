"""Ranking the columns in Preprocess, by mouse and keys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QMenu, QPushButton, QSpinBox, QStyleOptionViewItem

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.tuning.wrapper import WrapperSelection
from algorithms.filters.select_attributes import SelectAttributes, score_words
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, Wait, choose_entry, press
from workbench.session.session import Session
from workbench.style.theme import LIGHT_NAME, themes
from workbench.tabs.preprocess.attributes.ranking_pane import RankingColumn
from workbench.tabs.preprocess.tab import PreprocessTab


def flowers(n: int = 90) -> Dataset:
    random = np.random.default_rng(1)
    codes = random.integers(0, 2, n)
    names = ("noise", "petal", "sepal", "other noise")
    columns = [random.normal(size=n), random.normal(codes * 4.0), random.normal(codes * 1.2), random.normal(size=n)]
    return Dataset(
        Schema((*map(numeric, names), nominal("kind", ("a", "b"))), 4), [*columns, codes], origin=DataOrigin("flowers")
    )


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1280, 720)
    stage.open(session, flowers())
    return tab


@pytest.fixture
def ranked(tab: PreprocessTab, wait_until: Wait) -> PreprocessTab:
    choose_entry(tab, "preprocess.rank")
    wait_until(lambda: tab.ranking.ranking is not None, 60)
    return tab


def column(tab: PreprocessTab, at: int) -> list[str]:
    model = tab.ranking.table.ranked
    return [str(model.index(row, at).data()) for row in range(model.rowCount())]


def test_columns_are_ranked_where_the_attributes_stand(ranked: PreprocessTab) -> None:
    assert ranked.ranking.isVisible() and not ranked.attributes.isVisible()
    assert column(ranked, RankingColumn.NAME)[:2] == ["petal", "sepal"]
    assert column(ranked, RankingColumn.KEPT) == ["yes", "yes", "no", "no"]
    assert column(ranked, RankingColumn.SHARE)[0] == "100%"
    assert wording.KEPT_IN_EVERY_FOLD in ranked.findChild(QLabel, "preprocess.ranking.words").text()


def test_a_row_shows_its_attribute_and_a_head_sorts(ranked: PreprocessTab) -> None:
    table = ranked.ranking.table
    at = table.visualRect(table.ranked.index(1, RankingColumn.NAME)).center()
    QTest.mouseClick(table.viewport(), LEFT, pos=at)
    assert ranked.attributes.chosen == ["sepal"]
    QTest.keyClick(table, Qt.Key.Key_Up)
    assert ranked.attributes.chosen == ["petal"]
    header = table.horizontalHeader()
    middle = QPoint(header.sectionViewportPosition(RankingColumn.NAME) + 20, header.height() // 2)
    QTest.mouseClick(header.viewport(), LEFT, pos=middle)
    assert column(ranked, RankingColumn.NAME) == sorted(["noise", "other noise", "petal", "sepal"])


def test_the_table_is_copied_as_it_is_sorted(ranked: PreprocessTab) -> None:
    ranked.ranking.table.setFocus()
    QTest.keyClick(ranked.ranking.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:2] == ["Rank", "Attribute"] and lines[1].split("\t")[1] == "petal"
    assert len(lines) == 5


def test_another_measure_ranks_anew_and_becomes_a_step_that_undo_takes_back(
    ranked: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    first = ranked.ranking.ranking
    by = ranked.findChild(QComboBox, "preprocess.ranking.by")
    by.setFocus()
    QTest.keyClick(by, Qt.Key.Key_Down)
    number = ranked.findChild(QSpinBox, "preprocess.ranking.number")
    number.setFocus()
    QTest.keyClick(number, Qt.Key.Key_Down)
    wait_until(lambda: ranked.ranking.ranking is not first and not session.jobs.running, 60)
    assert column(ranked, RankingColumn.KEPT).count("yes") == 1
    QTest.mouseClick(ranked.findChild(QPushButton, "preprocess.ranking.add"), LEFT)
    assert session.recipe == (SelectAttributes(by="gain-ratio", number=1),)
    assert session.undo_stack.undoText() == wording.UNDO_KEEP_BEST
    assert ranked.attributes.isVisible() and not ranked.ranking.isVisible()
    session.undo_stack.undo()
    assert session.recipe == ()


def test_scores_however_small_are_written_out_and_never_cut(tab: PreprocessTab, wait_until: Wait) -> None:
    assert [score_words(score) for score in (0.22212, 0.0217, 7.2e-06, -3e-9, 0.0, 12345.6, 0.56, 999.7)] == [
        "0.222", "0.0217", "0.000007", "< 0.000001", "0", "12,346", "0.560", "1,000",
    ]  # fmt: skip
    choose_entry(tab, "preprocess.rank")
    wait_until(lambda: tab.ranking.ranking is not None, 60)
    table = tab.ranking.table
    found = tab.ranking.ranking
    assert found is not None
    table.show_ranking(replace(found, scores=found.scores * 1e-9))
    assert column(tab, RankingColumn.SCORE)[0] == "< 0.000001"
    assert table.columnWidth(RankingColumn.SCORE) >= table.sizeHintForColumn(RankingColumn.SCORE)


@pytest.mark.parametrize("is_dressed", [False, True])
def test_whether_a_column_is_kept_is_seen_whole_where_there_is_little_room(
    qapp: QApplication, ranked: PreprocessTab, wait_until: Wait, is_dressed: bool
) -> None:
    if is_dressed:
        themes.install(qapp, LIGHT_NAME)
        wait_until(lambda: not themes._updater.is_busy)
    table = ranked.ranking.table
    table.setFixedWidth(themes.px(542))
    wait_until(lambda: table.viewport().width() <= themes.px(542))
    header = table.horizontalHeader()
    wait_until(lambda: table.horizontalScrollBar().maximum() == 0)
    assert header.length() <= table.viewport().width()
    assert header.sectionSize(RankingColumn.NAME) >= themes.px(64) and header.sectionSize(
        RankingColumn.KEPT
    ) >= themes.px(50)


def test_until_another_ranking_is_there_the_table_says_what_it_shows(ranked: PreprocessTab, wait_until: Wait) -> None:
    by = ranked.findChild(QComboBox, "preprocess.ranking.by")
    words = ranked.findChild(QLabel, "preprocess.ranking.words")
    said: list[str] = []
    first = ranked.ranking.ranking
    ranked.ranking.told.connect(said.append)
    by.setFocus()
    QTest.keyClick(by, Qt.Key.Key_Down)
    wait_until(lambda: ranked.ranking.ranking is not first, 60)
    assert said[0].endswith(wording.OLD_RANKING_UNTIL_THEN)
    assert words.text() == said[-1] and "Until" not in words.text()


def test_a_stopped_ranking_is_made_by_try_again(ranked: PreprocessTab, session: Session, wait_until: Wait) -> None:
    pane = ranked.ranking
    before = pane.ranking
    pane._rank()
    next(job for job in session.jobs.running if job.title.startswith("Rank")).stop()
    wait_until(pane.failure.isVisible)
    press(ranked, "preprocess.ranking.again")
    wait_until(lambda: pane.ranking is not before and not pane.failure.isVisible(), 60)


def test_escape_gives_the_attributes_back(ranked: PreprocessTab) -> None:
    QTest.keyClick(ranked.ranking.table, Qt.Key.Key_Escape)
    assert ranked.attributes.isVisible() and not ranked.ranking.isVisible() and ranked.ranking.ranking is None


def test_the_ranking_of_a_step_is_shown_from_its_card(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    session.set_recipe((SelectAttributes(number=3), WrapperSelection(folds=2)), "steps")
    menu = tab.recipe.findChild(QMenu, "preprocess.step.1.menu")
    next(action for action in menu.actions() if action.text() == "Show the ranking").trigger()
    wait_until(lambda: tab.ranking.ranking is not None, 60)
    assert len(column(tab, RankingColumn.NAME)) == 3 and "petal" in column(tab, RankingColumn.NAME)
    assert not tab.findChild(QPushButton, "preprocess.ranking.add").isVisible()
    session.undo_stack.undo()
    assert not tab.ranking.isVisible() and tab.attributes.isVisible()


def test_the_ranking_is_taken_away(ranked: PreprocessTab, session: Session, wait_until: Wait, tmp_path: Path) -> None:
    export = ranked.ranking.export
    picture = export.picture()
    assert picture.width() > 400 and picture.height() > 80
    for suffix, save in (("svg", export.save_picture), ("png", export.save_picture), ("csv", export.save_csv)):
        save(str(tmp_path / f"ranking.{suffix}"))
    wait_until(lambda: not session.jobs.running)
    assert "petal" in (tmp_path / "ranking.svg").read_text() and (tmp_path / "ranking.png").stat().st_size > 1000
    assert (tmp_path / "ranking.csv").read_text().splitlines()[1].startswith("1,petal,")


def test_long_names_in_a_narrow_pane_are_told_apart(session: Session, stage: Stage, wait_until: Wait) -> None:
    """The table scrolls before names are cut to what they share; 300 places make their column wide."""
    tab = stage.show(PreprocessTab(session), 1280, 560)
    random, n = np.random.default_rng(1), 60
    names = [f"Concentration of metabolite number {i + 1} in plasma, fasting, visit {i % 4}" for i in range(300)]
    columns = [*random.normal(size=(300, n)), np.arange(n) % 2]
    schema = Schema((*map(numeric, names), nominal("kind", ("a", "b"))), 300)
    stage.open(session, Dataset(schema, columns, origin=DataOrigin("wide")))
    choose_entry(tab, "preprocess.rank")
    wait_until(lambda: tab.ranking.ranking is not None, 60)
    table, shown = tab.ranking.table, []
    delegate = table.itemDelegateForColumn(RankingColumn.NAME)
    for row in range(20):
        index, option = table.model().index(row, RankingColumn.NAME), QStyleOptionViewItem()
        table.initViewItemOption(option)
        option.rect = table.visualRect(index)
        delegate.initStyleOption(option, index)
        shown.append(option.text)
    assert len(set(shown)) == 20 and all("…" in text for text in shown)


def test_columns_of_a_narrow_table_come_to_rest(ranked: PreprocessTab) -> None:
    table = ranked.ranking.table

    def columns() -> list[tuple[bool, int]]:
        return [(table.isColumnHidden(at), table.columnWidth(at)) for at in range(len(RankingColumn))]

    for width in range(700, 300, -10):
        table.resize(width, 300)
        fitted = columns()
        table._fit()
        assert columns() == fitted, width
