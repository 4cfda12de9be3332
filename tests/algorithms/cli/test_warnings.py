"""What the command line warns of: the same as the window's strip, with the option that follows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from algorithms.cli import main
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.evaluation.checks.warnings import CheckedData, identifiers, numeric_class
from tests.expected_texts import cli as wording
from tests.expected_texts import evaluation as evaluation_wording


def write(path: Path, heads: str, rows: list[str]) -> str:
    path.write_text("\n".join([heads, *rows, ""]), encoding="utf-8")
    return str(path)


@pytest.fixture
def noisy(tmp_path) -> str:
    """120 records of two numbers that tell little of the class, no two alike."""
    rows = [f"{at * 7919 % 997 / 8},{at * 31 % 113 / 4},{'ny'[at * 17 % 5 % 2]}" for at in range(120)]
    return write(tmp_path / "noisy.csv", "a,b,class", rows)


def warnings(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, dict[str, str]]:
    """The warnings of a command in JSON by id; standard error is empty."""
    assert main([*argv, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    found = json.loads(printed.out)["warnings"]
    assert all(set(each) - {"data"} == {"id", "sentence", "why", "remedy"} for each in found)
    return {each["id"]: each for each in found}


def test_a_test_file_that_is_the_training_file_is_warned_of(capsys, noisy):
    argv = ["evaluate", noisy, "--learner", "cart", "--method", f"test-file:path={noisy}"]
    found = warnings(capsys, *argv)["shared"]
    assert found["sentence"] == wording.TEST_FILE_IS_TRAINING_FILE
    assert wording.LEARNED_BY_HEART in found["why"] and found["remedy"]
    assert main(argv) == 0
    assert f"Warning: {found['sentence']}. {found['why']}" in capsys.readouterr().err


def test_a_column_that_is_the_class_is_warned_of_unless_a_filter_removes_it(capsys, tmp_path):
    rows = [f"{at * 7919 % 997},{'ny'[at % 3 == 0]},{('low', 'high')[at % 3 == 0]}" for at in range(90)]
    path = write(tmp_path / "copied.csv", "a,copy,class", rows)
    argv = ["evaluate", path, "--learner", "zero-r"]
    found = warnings(capsys, *argv)["giveaway"]
    assert found["sentence"] == wording.COPY_PREDICTS_CLASS
    assert found["remedy"] == wording.LEAVE_COPY_OUT
    assert "giveaway" not in warnings(capsys, *argv, "--filter", "remove-attributes:columns=copy")


def test_duplicates_between_training_and_test_records_are_warned_of(capsys, tmp_path):
    rows = [f"{at // 2 * 7919 % 997},{at // 2 * 31 % 113},{'ny'[at // 2 % 2]}" for at in range(100)]
    path = write(tmp_path / "twice.csv", "a,b,class", rows)
    found = warnings(capsys, "evaluate", path, "--learner", "cart")["twins"]
    assert found["sentence"].endswith(evaluation_wording.EXACT_TWIN)
    assert warnings(capsys, "compare", path, "--learner", "cart", "--learner", "zero-r")["twins"]["why"] == found["why"]


def test_a_leak_stands_in_the_verdict(capsys, tmp_path):
    rows = [f"{at * 7919 % 997},{at * 31 % 113},{'ny'[at % 3 == 0]},{('low', 'high')[at % 3 == 0]}" for at in range(90)]
    path = write(tmp_path / "leaky.csv", "a,b,copy,class", [*rows, *rows[:20]])
    assert main(["evaluate", path, "--learner", "zero-r"]) == 0
    first = capsys.readouterr().out.split("\n")[0]
    assert wording.LEAK_IN_VERDICT in first
    assert main(["evaluate", path, "--learner", "zero-r", "--filter", "remove-attributes:columns=copy"]) == 0
    first = capsys.readouterr().out.split("\n")[0]
    assert ". Leak: " in first and "copy" not in first


def test_equal_records_of_coarse_columns_are_no_warning(capsys, tmp_path):
    rows = [f"{at * 7919 % 5},{at * 31 % 4},{at * 17 % 3},{'ny'[at * 7 % 11 % 2]}" for at in range(300)]
    path = write(tmp_path / "answers.csv", "a,b,c,class", rows)
    assert "twins" not in warnings(capsys, "evaluate", path, "--learner", "zero-r")


def test_identifiers_constants_and_rare_classes_are_warned_of(capsys, tmp_path):
    rows = [f"n{at},{at * 7919 % 997},same,{'ny'[at % 2] if at > 2 else 'rare'}" for at in range(60)]
    path = write(tmp_path / "named.csv", "name,a,b,class", rows)
    found = warnings(capsys, "evaluate", path, "--learner", "zero-r")
    assert found["constant"]["sentence"] == wording.SAME_EVERYWHERE
    assert found["few"]["sentence"] == wording.ONLY_3_ARE_RARE


def test_a_column_of_costs_that_is_an_attribute_is_warned_of_unless_it_is_left_out(capsys, noisy):
    command = "evaluate", noisy, "--learner", "zero-r", "--cost-amounts", "b"
    found = warnings(capsys, *command)["cost-attribute"]
    assert found["sentence"] == wording.B_IS_A_COST and found["remedy"].endswith("remove-attributes:columns=b")
    assert "cost-attribute" not in warnings(capsys, *command, "--filter", "remove-attributes:columns=b")


@pytest.mark.parametrize(
    "options",
    [
        ("cost-sensitive", "-p", "costs=FILE"),
        ("cost-sensitive", "-p", "by=weights", "-p", "amounts=b"),
        ("metacost", "-p", "costs=FILE"),
        ("bagging", "-p", "members=2", "-p", "base=cost-sensitive", "-p", "base.costs=FILE"),
    ],
)
def test_a_column_of_the_costs_of_a_learner_is_warned_of_as_well(capsys, noisy, tmp_path, options):
    costs = write(tmp_path / "costs.csv", ",n,y", ["n,0,[b]", "y,1,0"])
    options = (option.replace("FILE", costs) for option in options)
    command = "evaluate", noisy, "--method", "holdout", "--learner", *options
    assert warnings(capsys, *command)["cost-attribute"]["sentence"] == wording.B_IS_A_COST
    assert "cost-attribute" not in warnings(capsys, *command, "--filter", "remove-attributes:columns=b")


def test_text_values_of_their_own_look_like_an_identifier_under_any_recipe_but_one_that_removes_them():
    schema = Schema((nominal("code", [f"c{at}" for at in range(40)]), numeric("a"), nominal("class", ["n", "y"])), 2)
    data = Dataset(schema, [list(range(40)), [0.5] * 40, [0, 1] * 20])
    [found] = identifiers(CheckedData(summarize(data)))
    assert (found.sentence, found.columns) == (wording.CODE_LOOKS_LIKE_IDENTIFIER, ("code",))
    assert list(identifiers(CheckedData(summarize(data), left_out=("code",)))) == []


def test_a_class_of_many_numbers_is_warned_of(capsys, tmp_path):
    rows = [f"{at * 7919 % 997},{at % 35 / 10}" for at in range(140)]
    path = write(tmp_path / "prices.csv", "a,price", rows)
    found = warnings(capsys, "evaluate", path, "--learner", "zero-r", "--class", "price")["numeric-class"]
    assert found["sentence"] == wording.PRICE_IS_NO_CLASS
    assert "--class" in found["remedy"]
    few = Schema((numeric("a"), nominal("grade", [str(at) for at in range(1, 11)])), 1)
    assert not list(numeric_class(CheckedData(summarize(Dataset(few, [[0.0] * 20, list(range(10)) * 2])))))


def test_drift_names_no_column_that_a_filter_removed(capsys, tmp_path):
    lines = [f"{at / 8},{at % 7 + 40 * (at >= 60)},{at * 31 % 113},{'ny'[at % 2]}" for at in range(100)]
    path = write(tmp_path / "drifting.csv", "day,level,other,class", lines)
    argv = ["evaluate", path, "--learner", "zero-r", "--method", "time-holdout:column=day,percent=60"]
    assert "level" in warnings(capsys, *argv)["drift"]["sentence"]
    assert "drift" not in warnings(capsys, *argv, "--filter", "remove-attributes:columns=level")
    renamed = [*argv, "--filter", "rename-attribute:column=level,to=height"]
    assert "level" in warnings(capsys, *renamed)["drift"]["sentence"]
    assert "drift" not in warnings(capsys, *renamed, "--filter", "remove-attributes:columns=height")
    derived = [*argv, "--filter", "derive:to=twice,formula=level * 2"]
    assert "level" in warnings(capsys, *derived, "--filter", "remove-attributes:columns=level")["drift"]["sentence"]


def test_a_curve_warns_of_the_data(capsys, tmp_path):
    rows = [f"{at * 7919 % 997},same,{'ny'[at % 2]}" for at in range(60)]
    path = write(tmp_path / "plain.csv", "a,b,class", rows)
    argv = ["curve", path, "--learner", "zero-r", "--sizes", "50%,100%", "--method", "cross-validation:folds=2"]
    assert warnings(capsys, *argv)["constant"]["sentence"] == wording.SAME_EVERYWHERE
    assert main(argv) == 0
    assert wording.WARNING_OF_CONSTANT in capsys.readouterr().err


def test_a_test_on_training_records_is_warned_of_once_in_json(capsys, noisy):
    argv = ["evaluate", noisy, "--learner", "cart", "--method", "training-set"]
    assert main(argv) == 0
    assert wording.WARNING_OF_TRAINING_RECORDS in capsys.readouterr().err
    assert main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["warnings"]
    assert [each["id"] for each in found if evaluation_wording.OWN_TRAINING_RECORDS in each["sentence"]] == [
        "tested-on-training"
    ]
    assert found[0]["remedy"] == wording.TEST_BY_FOLDS


def test_a_bank_s_amounts_are_numbers_from_training_to_the_prediction_of_new_records(capsys, tmp_path):
    def amount(value: float) -> str:
        return f"€ {value:,.2f}".translate(str.maketrans(",.", ".,"))

    rows = [(1000 + 37.25 * at % 4000, 1 + at % 90 / 10) for at in range(200)]
    spelled = []
    for income, rate in rows:
        percent, repaid = f"{rate:.1f}".replace(".", ","), "yes" if income > 500 * rate else "no"
        spelled.append(f"{amount(income)};{percent} %;{repaid}")
    bank = write(tmp_path / "bank.csv", "income;rate;repaid", spelled)
    model = str(tmp_path / "bank.model")
    argv = ["evaluate", bank, "--learner", "cart", "--save", model, "--json"]
    assert main(argv) == 0
    told = json.loads(capsys.readouterr().out)
    assert wording.INCOME_READ_AS_NUMBERS in told["reading"]
    assert wording.RATE_READ_AS_NUMBERS in told["reading"]
    assert told["model"]["leaves"] > 1 and told["accuracy"] > 0.8
    whole, alone = tmp_path / "whole.csv", tmp_path / "alone.csv"
    assert main(["predict", model, bank, "--out", str(whole)]) == 0
    few = write(tmp_path / "few.csv", "income;rate;repaid", spelled[:3])
    assert main(["predict", model, few, "--out", str(alone)]) == 0
    assert (
        alone.read_text(encoding="utf-8-sig").splitlines()[1:]
        == whole.read_text(encoding="utf-8-sig").splitlines()[1:4]
    )


def test_an_overview_says_what_evaluate_warns_of_and_lists_columns_and_pairs(capsys, tmp_path):
    table = tmp_path / "t.csv"
    rows = [f"{i % 7},{2 * (i % 7)},same,{'yes' if i % 3 else 'no'}" for i in range(60)]
    table.write_text("\n".join(["width,twice,constant,label", *rows, ""]), encoding="utf-8")
    assert main(["overview", str(table)]) == 0
    text = capsys.readouterr().out
    assert main(["overview", str(table), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert main(["evaluate", str(table), "--learner", "zero-r", "--json"]) == 0
    warned = {each["sentence"] for each in json.loads(capsys.readouterr().out)["warnings"] if each["id"] == "constant"}
    found = {each["id"]: each for each in written["findings"]}
    assert found["constant"]["sentence"] in warned
    assert found["repeated"]["columns"] == ["twice"]
    assert all(each["sentence"] in text for each in written["findings"])
    assert {each["name"] for each in written["columns"]} == {"width", "twice", "constant", "label"}
    assert len(written["pairs"]) == 6
    assert main(["overview", str(table), "--filter", "remove-attributes:columns=twice", "--json"]) == 0
    assert "repeated" not in {each["id"] for each in json.loads(capsys.readouterr().out)["findings"]}
