"""Tables of results: means, competitors, tests, accuracies from elsewhere, and their export."""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError, ParameterError
from algorithms.core.run_control import RunContext
from algorithms.evaluation.compare.comparison import ComparedRun, compared_runs
from algorithms.evaluation.compare.multi_comparison import pooled_z
from algorithms.evaluation.compare.significance_tests import FoldScores
from algorithms.experiments.experiment_file import ExperimentFile
from algorithms.experiments.results import (
    cell_table,
    export_table,
    html_table,
    latex_table,
    pareto_front,
    read_score_table,
    score_table,
)
from algorithms.io.reading import read
from algorithms.io.text.options import Style
from tests.algorithms.experiments.grids import grid, run_all
from tests.expected_texts import experiments as wording

PUBLISHED = """data set,n,tree,bagging,boosting,forest
Anneal,898,92.09,94.43,95.43,95.43
Auto,205,81.95,85.37,85.37,84.39
Breast,699,95.14,96.42,97.28,96.14
Diabetes,768,72.40,76.30,73.18,75.13
German,1000,70.90,73.40,73.00,74.5
Glass,214,67.29,76.17,77.57,78.04
Iris,150,94.67,94.67,94.00,93.33
Tic-tac-toe,958,83.72,93.84,98.54,95.82
"""
"""Some rows of Table 5.5 of the book."""


@pytest.fixture(scope="module")
def done(tmp_path_factory) -> ExperimentFile:
    """Three sets, three learners, two seeds, all done."""
    place = tmp_path_factory.mktemp("done") / "done.coppice-experiment"
    file = ExperimentFile.create(place, grid(seeds=(1, 2)), builtin())
    run_all(file)
    return file


def test_a_row_is_a_data_set_and_seeds_are_averaged(done):
    table = score_table(done)
    assert table.rows == ("sample:iris", "sample:wine", "sample:vertebrates")
    assert table.competitors == ("c4.5", "naive-bayes", "zero-r")
    of_first = [r.measures["accuracy"] for r in done.records().values() if (r.cell.data, r.cell.learner) == (0, 0)]
    assert len(of_first) == 2 and table.scores[0, 0] == pytest.approx(sum(of_first) / 2, abs=1e-15)
    overall = table.compared()
    assert overall.ranks.sum() == 6 and table.sure is not None and table.sure[0, 0, 2] == 1
    assert [test.name for test in overall.tests] == ["Friedman", "Iman-Davenport"]


def test_with_one_data_set_its_folds_are_compared_as_on_the_page(done):
    where = {"data": ["sample:iris"], "seed": ["2"]}
    table = score_table(done, where)
    cells = [record.cell for record in done.records().values() if (record.cell.data, record.cell.seed) == (0, 2)]
    runs = [ComparedRun(str(c.learner), FoldScores.of(done.result(c))) for c in cells]
    assert len(table.rows) == 3 and table.test_share == pytest.approx(0.5)
    assert pytest.approx(np.array([run.scores.accuracy for run in runs])) == table.scores.T
    both = score_table(done, {"data": ["sample:iris"]})
    assert len(both.rows) == 6 and len(set(both.rows)) == 6, "seeds are repeats"
    overall = both.compared()
    assert overall.pairs[0].test.name == wording.CORRECTED_T
    assert compared_runs(runs[:2]).pairs


def test_a_measure_for_which_low_is_good_ranks_the_lowest_first(done):
    losses, shares = score_table(done, measure="error-rate").compared(), score_table(done).compared()
    assert losses.ranks == pytest.approx(shares.ranks)
    assert [(p.first, p.wins, p.losses) for p in losses.pairs] == [(p.first, p.wins, p.losses) for p in shares.pairs]
    assert losses.scores == pytest.approx(1 - shares.scores)
    with pytest.raises(ParameterError):
        score_table(done, measure="likelihood-ratio")


def test_any_factor_may_compete(done):
    by_seed = score_table(done, across=["seed"])
    assert by_seed.competitors == ("1", "2") and by_seed.sure is None
    with pytest.raises(ParameterError, match=wording.DO_NOT_COMPETE):
        score_table(done, across=["data"])
    with pytest.raises(ParameterError, match=wording.NO_FACTOR):
        score_table(done, across=["colour"])
    with pytest.raises(ParameterError, match=wording.NO_LEARNER_CART):
        score_table(done, {"learner": ["cart"]})


def test_cells_are_sorted_and_grouped(done):
    head, *rows = cell_table(done, {"seed": ["1"]}, ["accuracy", "kappa"], "-accuracy")
    at = head.index("accuracy")
    values = [row[at] for row in rows]
    assert len(rows) == 9 and values == sorted(values, reverse=True)
    head, *groups = cell_table(done, {}, ["accuracy"], group=["learner"])
    assert [row[0] for row in groups] == ["c4.5", "naive-bayes", "zero-r"] and {row[1] for row in groups} == {6.0}
    mean = score_table(done).scores.mean(axis=0)
    assert [row[head.index("accuracy")] for row in groups] == pytest.approx(mean)
    with pytest.raises(ParameterError, match=wording.NO_COLUMN):
        cell_table(done, {}, sort="colour")


def test_a_baseline_is_compared_with_each_other_one(done):
    table = score_table(done)
    head, *rows = table.against("zero-r")
    assert [row[0] for row in rows] == ["c4.5", "naive-bayes"] and head[-1] == wording.HOLM_P
    difference = (table.scores[:, 0] - table.scores[:, 2]).mean()
    assert rows[0][1] == pytest.approx(difference) and rows[0][2:5] == [3.0, 0.0, 0.0]
    assert all(row[-1] >= row[-2] for row in rows)
    with pytest.raises(ParameterError, match=wording.NO_COMPETITOR):
        table.against("cart")


def test_the_front_has_those_that_nothing_beats_in_both():
    seconds, values = [1.0, 2.0, 3.0, 2.0, 1.0], [0.8, 0.9, 0.85, 0.9, 0.7]
    assert pareto_front(seconds, values, higher_is_better=True) == [True, True, False, True, False]
    assert pareto_front(seconds, values, higher_is_better=False) == [False, False, False, False, True]


def test_times_are_those_of_the_rows_that_are_compared(done):
    table = score_table(done)
    assert table.seconds is not None and table.seconds.shape == table.scores.shape
    gap = table.scores.copy()
    gap[1, 0] = np.nan
    slow = table.seconds.copy()
    slow[1] = 1e6
    whole = replace(table, scores=gap, seconds=slow).whole
    assert whole.rows == (table.rows[0], *table.rows[2:])
    np.testing.assert_array_equal(whole.seconds, np.delete(slow, 1, axis=0))
    assert whole.mean_seconds == pytest.approx(np.delete(table.seconds, 1, axis=0).mean(axis=0).tolist())


def test_a_file_names_method_and_seed_and_why_values_lack(done, tmp_path):
    table = score_table(done)
    head, *rows = table.annotated(table.score_rows(), table.gaps)
    assert head[-2:] == ["method", "seeds"] and {row[-1] for row in rows} == {"1, 2"}
    assert {row[-2] for row in rows} == {done.experiment.methods[0].summary()}
    file = ExperimentFile.create(tmp_path / "new.coppice-experiment", grid(seeds=(1, 2)), builtin())
    waiting = score_table(file)
    head, *rows = waiting.annotated(waiting.score_rows(), waiting.gaps)
    assert head[-1] == "missing values" and all(wording.NOT_COMPUTED in row[-1] for row in rows)
    head, *rows = cell_table(file, {}, whole=True)
    assert {"method", "seed", "recipe"} <= set(head) and {row[-1] for row in rows} == {wording.NOT_COMPUTED}
    file.close()


# ---- from elsewhere --------------------------------------------------------------------------------------------------


def test_pooled_z_is_the_formula_of_the_book():
    p = (0.9209 + 0.9543) / 2
    expected = (0.9209 - 0.9543) / math.sqrt(2 * p * (1 - p) / 898)
    assert pooled_z([0.9209, 1.0, 0.5], [0.9543, 1.0, 0.5], [898, 50, 10]) == pytest.approx([expected, 0, 0])


def test_published_accuracies_are_compared_by_wins_draws_and_losses(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text(PUBLISHED)
    table = read_score_table(path, RunContext())
    assert table.competitors == ("tree", "bagging", "boosting", "forest") and table.rows[0] == "Anneal"
    assert table.sizes.tolist()[:2] == [898, 205] and table.scores[0, 0] == pytest.approx(0.9209)
    overall = table.compared()
    # by hand: |Z| of tree against forest is 2.95, 0.67, 0.94, 1.22, 1.81, 2.50, 0.49, 8.76
    by_name = {row[0]: row[1:] for row in overall.records_of_sure_wins[1:]}
    assert by_name["forest"][0] == "3-5-0" and by_name["tree"][3] == "0-5-3"
    by_sign = {row[0]: row[1:] for row in overall.records_of_wins[1:]}
    assert by_sign["bagging"][0] == "7-1-0" and by_sign["tree"][0] == "0-8-0"


def test_published_accuracies_stand_beside_own_ones(done, tmp_path):
    path = tmp_path / "published.csv"
    path.write_text("name,c4.5,svm\nsample:iris,94.7,96\nsample:wine,,97\nother,50,60\n")
    table = score_table(done).beside(read_score_table(path, RunContext()))
    assert table.competitors == ("c4.5", "naive-bayes", "zero-r", "c4.5 (2)", "svm")
    assert len(table.rows) == 4 and table.whole.rows == ("sample:iris",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name,a\nx,90\n", wording.FEWER_THAN_TWO),
        ("name,a,b\nx,90,150\n", wording.NOT_BETWEEN),
        ("n,a,b\n0,1,1\n", "below 1"),
    ],
)
def test_a_table_that_holds_no_accuracies_is_refused(tmp_path, text, words):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=words):
        read_score_table(path, RunContext())


# ---- export ----------------------------------------------------------------------------------------------------------

ROWS = [["data set", "a & b", "=c"], ["<i>x</i>", 0.125, "=1+1"], ["50% _y", None, "-2"]]


def test_latex_and_html_escape_what_means_something_there():
    tex = latex_table(ROWS, "A_1")
    assert r"a \& b" in tex and r"50\% \_y" in tex and r"\caption{A\_1}" in tex and "0.1250" in tex
    assert r"\begin{tabular}{lrl}" in tex and tex.count(r"\\") == 3
    page = html_table(ROWS)
    assert "&lt;i&gt;x" in page and "<i>" not in page and '<td class="number">0.1250</td>' in page
    assert "<script" not in page and "http" not in page


@pytest.mark.parametrize("suffix", [".csv", ".xlsx", ".tsv"])
def test_exported_tables_are_read_back_as_they_were(tmp_path, suffix):
    path = tmp_path / f"out{suffix}"
    export_table(path, ROWS, RunContext(), Style(delimiter=","))
    data = read(path, RunContext())
    assert data.schema.names == ("data set", "a & b", "=c")
    column = data.column(1)
    assert column[0] == 0.125 and math.isnan(column[1])


def test_formulas_of_spreadsheets_are_neutralised_where_asked(tmp_path):
    path = tmp_path / "out.csv"
    export_table(path, ROWS, RunContext(), Style(neutral=True))
    with Path(path).open(newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0][2] == "'=c" and rows[1][2] == "'=1+1" and rows[2][2] == "-2"
