"""Telling several learners apart on the command line."""

from __future__ import annotations

import csv
import json
import threading
from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from tests.algorithms.evaluation.toys import NearestMean, hooked
from tests.expected_texts import cli as wording
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as evaluation_wording

TWO = ["--learner", "c4.5", "--learner", "zero-r"]


def test_one_file_is_compared_over_its_folds_in_words_first(capsys):
    assert main(["compare", "sample:iris", *TWO, "--learner", "cart:min_leaf=5"]) == 0
    printed = capsys.readouterr()
    assert printed.err == "", "chance explains the one pair of equal records"
    assert printed.out.split("\n")[0].startswith(("c4.5 ", "cart ", evaluation_wording.CANNOT_TELL))
    assert wording.on_folds(10) in printed.out or wording.on_folds(4) in printed.out or "folds" in printed.out
    for words in (
        evaluation_wording.CORRECTED_RESAMPLED_T,
        "Friedman",
        "Nemenyi",
        wording.PROBABLY_THE_SAME,
        "mean rank",
        wording.FINDS_TOO_MANY,
    ):
        assert words in printed.out


def test_auc_leads_where_guessing_may_be_right_as_often_as_in_the_window(capsys, tmp_path):
    random = np.random.default_rng(2)
    rare = random.random(600) < 0.08
    lines = [f"{value:.3f},{'ill' if ill else 'well'}" for value, ill in zip(random.normal(rare, 1), rare, strict=True)]
    path = tmp_path / "rare.csv"
    path.write_text("\n".join(["x,class", *lines]) + "\n")
    argv = ["compare", str(path), "--learner", "naive-bayes", "--learner", "zero-r", "--json"]
    assert main(argv) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["headline"] == wording.NAIVE_BAYES_HAS_HIGHER_AUC
    assert any(wording.SO_AUC_COUNTS in sentence for sentence in found["sentences"])


def test_under_the_words_every_test_of_a_pair_stands_with_what_makes_it_doubtful(capsys):
    argv = ["compare", "sample:iris", *TWO, "--method", "cross-validation:folds=2,repeats=5"]
    names = [evaluation_wording.CORRECTED_RESAMPLED_T, "Paired t", evaluation_wording.WILCOXON, "5x2cv t", "5x2cv F"]
    names += ["McNemar, exact", evaluation_wording.MCNEMAR_CORRECTED]
    assert main(argv) == 0
    told = capsys.readouterr().out
    assert all(f" {name} " in told for name in names) and wording.FINDS_TOO_MANY in told
    assert main([*argv, "--json"]) == 0
    [pair] = json.loads(capsys.readouterr().out)["tests_of_pairs"]
    assert (pair["first"], pair["second"]) == ("c4.5", "zero-r")
    assert [test["name"] for test in pair["tests"]] == names and all(test["p_value"] < 0.05 for test in pair["tests"])


def test_several_files_are_rows_and_the_table_can_be_saved(capsys, tmp_path):
    out = tmp_path / "contest.csv"
    files = ["sample:iris", "sample:wine", "sample:vertebrates"]
    argv = ["compare", *files, *TWO, "--method", "cross-validation:folds=3", "--json", "--out", str(out)]
    assert main(argv) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["rows"] == files
    assert found["headline"] == evaluation_wording.cannot_tell_apart_on(3)
    assert [pair["test"] for pair in found["pairs"]] == [evaluation_wording.WILCOXON]
    assert found["pairs"][0]["sure_wins"] >= 2
    assert found["pairs"][0]["p_value"] >= 0.25
    assert sum(found["places"].values()) == pytest.approx(3)
    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["data set", "c4.5", "zero-r"]
    assert [row[0] for row in rows[1:6]] == [*files, "mean", "mean rank"]
    assert rows[6] == []
    assert float(rows[1][1]) == pytest.approx(100 * found["accuracy"][0][0], abs=0.005)


def test_the_saved_table_grows_by_each_data_set_while_the_others_are_evaluated(capsys, tmp_path):
    registry, out, seen = builtin(), tmp_path / "grow.csv", []

    def note(data: Dataset, context: RunContext) -> None:
        seen.append(out.read_text(encoding="utf-8") if out.is_file() else "")

    registry.add_learner(type(hooked(note)), NearestMean)
    files = ["sample:iris", "sample:wine", "sample:circle"]
    argv = ["compare", *files, "--learner", "means", "--learner", "zero-r", "--method", "cross-validation:folds=2"]
    assert main([*argv, "--threads", "1", "--out", str(out)], registry) == 0
    tables = [list(csv.reader(text.splitlines()))[1:] for text in dict.fromkeys(seen)]
    assert [[row[0] for row in rows] for rows in tables] == [[], files[:1], files[:2]]
    assert all(float(accuracy) > 0 for rows in tables for row in rows for accuracy in row[1:])


def test_the_same_learner_with_other_options_has_another_name(capsys):
    argv = ["compare", "sample:iris", "--learner", "c4.5:min_leaf=2", "--learner", "c4.5:min_leaf=40", "--json"]
    assert main(argv) == 0
    names = json.loads(capsys.readouterr().out)["learners"]
    assert len(set(names)) == 2
    assert any("40" in name for name in names)


@pytest.fixture
def alike(tmp_path) -> str:
    """A file with one class, which nothing can learn."""
    path = tmp_path / "alike.csv"
    path.write_text("x,class\n" + "\n".join(f"{i},same" for i in range(12)) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture
def absent(tmp_path) -> str:
    """A file that is not there."""
    return str(tmp_path / "absent.csv")


@pytest.fixture
def valued(tmp_path) -> str:
    """A file without numbers, which ID3 takes; it takes no numbers."""
    path = tmp_path / "valued.csv"
    rows = [f"{('red', 'blue')[at % 2]},{('yes', 'no')[at % 2 if at % 7 else 0]}" for at in range(60)]
    path.write_text("\n".join(["colour,class", *rows, ""]), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("bad", ["alike", "absent"])
def test_a_file_that_cannot_be_used_loses_nothing_of_the_others(capsys, tmp_path, request, bad):
    out = tmp_path / "contest.csv"
    argv = ["compare", "sample:iris", request.getfixturevalue(bad), "sample:wine", *TWO, "--out", str(out)]
    argv += ["--method", "cross-validation:folds=2"]
    assert main([*argv, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == ["sample:iris", "sample:wine"]
    assert {each["data"] for each in found["failures"]} == {bad}
    assert any(wording.was_left_out(bad) in each["sentence"] for each in found["warnings"]) or bad == "alike"
    assert main(argv) == 1
    printed = capsys.readouterr()
    assert wording.WAS_LEFT_OUT in printed.err and "sample:wine" in printed.out
    assert wording.C45_ON_IRIS in printed.err  # said as soon as it was known
    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert [row[0] for row in rows[:5] if row[0] != "alike"][:3] == ["data set", "sample:iris", "sample:wine"]


def test_a_learner_that_cannot_take_one_file_keeps_the_others_accuracy_there(capsys, tmp_path, valued):
    out = tmp_path / "contest.csv"
    argv = ["compare", "sample:vertebrates", "sample:iris", valued, *TWO, "--learner", "id3", "--out", str(out)]
    assert main([*argv, "--method", "cross-validation:folds=2", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == ["sample:vertebrates", "valued"]
    [failure] = found["failures"]
    assert (failure["data"], failure["learner"]) == ("sample:iris", "id3")
    accuracies = {each["data"]: each["accuracy"] for each in found["data_sets"]}
    assert accuracies["sample:iris"]["c4.5"] > 0.9 and accuracies["sample:iris"]["id3"] is None
    with out.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    assert rows[0] == ["data set", "c4.5", "zero-r", "id3"]
    assert rows[2][0] == "sample:iris" and float(rows[2][1]) > 90 and rows[2][3] == ""


def test_of_one_file_what_can_be_judged_is_compared(capsys):
    assert main(["compare", "sample:iris", *TWO, "--learner", "id3", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["learners"] == ["c4.5", "zero-r"] and found["headline"]
    assert main(["compare", "sample:iris", "--learner", "c4.5", "--learner", "id3", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["headline"] is None and found["data_sets"][0]["accuracy"]["c4.5"] > 0.9


def test_where_nothing_can_be_judged_every_error_is_told(capsys, alike, absent):
    assert main(["compare", absent, alike, *TWO]) == 1
    printed = capsys.readouterr()
    assert wording.ABSENT_WAS_LEFT_OUT in printed.err and wording.ZERO_R_ON_ALIKE_LEFT_OUT in printed.err
    assert printed.err.splitlines()[-1] == wording.NOTHING_TO_COMPARE
    assert printed.out == ""


def test_of_one_file_that_no_learner_takes_every_error_is_told(capsys):
    def refuse(data: Dataset, context: RunContext) -> None:
        raise DataError("These are no means.")

    registry = builtin()
    registry.add_learner(type(hooked(refuse)), NearestMean)
    assert main(["compare", "sample:iris", "--learner", "id3", "--learner", "means"], registry) == 1
    printed = capsys.readouterr().err
    assert wording.ID3_ON_IRIS_LEFT_OUT in printed
    assert wording.MEANS_ON_IRIS_LEFT_OUT in printed


def test_a_wrong_name_for_every_data_set_is_a_wrong_use(capsys):
    assert main(["compare", "sample:iris", "sample:wine", *TWO, "--class", "colour"]) == 2
    printed = capsys.readouterr().err
    assert printed.count(core_wording.there_is_no_column("colour")) == 2


def test_every_data_set_is_read_and_checked_before_the_first_fit(capsys, absent):
    registry, printed = builtin(), []

    def note(data: Dataset, context: RunContext) -> None:
        printed.append(capsys.readouterr().err)

    registry.add_learner(type(hooked(note)), NearestMean)
    argv = ["compare", "sample:iris", "sample:wine", absent, "--learner", "means", "--learner", "zero-r"]
    assert main([*argv, "--method", "cross-validation:folds=2", "--threads", "1"], registry) == 1
    assert wording.ABSENT_WAS_LEFT_OUT in printed[0]
    assert wording.ABSENT_WAS_LEFT_OUT not in "".join(printed[1:]) + capsys.readouterr().err


def test_a_data_set_is_told_once_whatever_follows_it(capsys, absent):
    assert main(["compare", "sample:iris", absent, *TWO, "--method", "cross-validation:folds=2"]) == 1
    assert capsys.readouterr().err.count("sample:iris: c4.5 ") == 1


def test_the_same_data_set_counts_once(capsys, alike):
    twice = str(Path(alike).parent / "." / ".." / Path(alike).parent.name / "alike.csv")
    assert main(["compare", "sample:iris", "sample:wine", *TWO, "--disagreement", "1", "2"]) == 2
    assert wording.RECORDS_OF_ONE_DATA_SET in capsys.readouterr().err
    for first, second in (("sample:iris", "sample:iris"), (alike, twice)):
        assert main(["compare", first, second, *TWO]) == 2
        assert wording.GIVEN_TWICE in capsys.readouterr().err


def test_a_limit_below_a_second_is_said_as_it_was_typed(capsys):
    assert main(["compare", "sample:iris", *TWO, "--time-limit", "0.01"]) == 1
    assert wording.TOOK_LONGER in capsys.readouterr().err


def test_where_two_learners_differ_is_printed_with_their_settings(capsys):
    learners = ["--learner", "c4.5", "--learner", "zero-r", "--learner", "c4.5", "-p", "min_leaf=40"]
    argv = ["compare", "sample:iris", *learners, "--method", "cross-validation:folds=3", "--disagreement", "1", "3"]
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    apart, accuracy = found["disagreement"], found["data_sets"][0]["accuracy"]
    assert [apart["first"], apart["second"]] == [found["learners"][0], found["learners"][2]]
    shares = {key: cell["share"] for key, cell in apart["cells"].items()}
    assert shares["both_correct"] + shares["only_first"] == pytest.approx(accuracy[apart["first"]])
    assert shares["both_correct"] + shares["only_second"] == pytest.approx(accuracy[apart["second"]])
    assert apart["oracle_accuracy"] == pytest.approx(1 - shares["both_wrong"])
    assert [(one["first"], one["second"]) for one in apart["settings"]] == [("2", "40")]
    assert main(argv) == 0
    printed = capsys.readouterr().out
    assert apart["headline"] in printed and apart["sentences"][0] in printed
    assert main(argv[:-3]) == 0
    assert evaluation_wording.ORACLE not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["--learner", "c4.5"], 2, "two learners"),
        ([*TWO, "--method", "training-set"], 2, "never saw"),
        ([*TWO, "--correction", "luck"], 2, "luck"),
        ([*TWO, "--rope", "2"], 2, wording.FROM_0_UP_TO_1),
        ([*TWO, "--method", "holdout"], 1, evaluation_wording.ONE_TEST_PART),
        ([*TWO, "--class", "colour"], 2, "no column"),
        ([*TWO, "--disagreement", "c4.5", "cart"], 2, "no learner 'cart'"),
        ([*TWO, "--disagreement", "c4.5", "1"], 2, "two different learners"),
    ],
)
def test_what_cannot_be_compared_ends_in_one_line(capsys, argv, code, words):
    assert main(["compare", "sample:iris", *argv]) == code
    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_learner_that_takes_longer_than_the_limit_is_left_and_the_others_are_compared(capsys):
    registry, passed = builtin(), threading.Event()

    def wait(data: Dataset, context: RunContext) -> None:
        while True:
            context.checkpoint()
            passed.wait(0.005)

    registry.add_learner(type(hooked(wait)), NearestMean)
    argv = ["compare", "sample:iris", "--learner", "zero-r", "--learner", "means", "--learner", "one-r"]
    assert main([*argv, "--time-limit", "3", "--method", "cross-validation:folds=3", "--json"], registry) == 1
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["learners"] == ["zero-r", "one-r"]
    assert found["partial"] is False
    sentence = "It took longer than 3 s. Give --time-limit more seconds."
    assert found["failures"] == [{"data": "sample:iris", "learner": "means", "sentence": sentence}]


@pytest.mark.parametrize("wrong", ["0", "-1", "soon", "nan", "1e300"])
def test_a_time_limit_is_a_number_of_seconds(capsys, wrong):
    assert main(["compare", "sample:iris", *TWO, f"--time-limit={wrong}"]) == 2
    assert wording.NOT_A_NUMBER_OF_SECONDS in capsys.readouterr().err
