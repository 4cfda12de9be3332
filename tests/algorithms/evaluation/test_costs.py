"""Cost matrices from files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.evaluation.costs.cost_matrix import CostMatrix, cost_threshold, read_costs, write_costs
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as wording

CLASSES = ("no", "yes")


def written(folder: Path, text: str, name: str = "costs.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        ",no,yes\nno,0,1\nyes,10,0\n",
        ",yes,no\nyes,0,10\nno,1,0\n",
        "true/decided;yes;no\nno;1;0\nyes;0;10\n",
        "\tno\tyes\n\nyes\t10\t0\nno\t0\t1\n\n",
        "\ufeff ,no , yes\n no, 0, 1\n yes,10,0",
        "0,1\n10,0\n",
        "[[0, 1], [10, 0]]",
        '{"yes": {"no": 10, "yes": 0}, "no": {"yes": 1, "no": 0}}',
        '{"classes": ["yes", "no"], "costs": [[0, 10], [1, 0]]}',
        '"","no","yes"\n"no",0,1\n"yes",10,0\n',
    ],
)
def test_costs_are_read_by_label_or_in_class_order(tmp_path, text):
    costs = read_costs(written(tmp_path, text), CLASSES)
    assert costs.ordered(CLASSES).tolist() == [[0, 1], [10, 0]]
    assert costs.ordered(("yes", "no")).tolist() == [[0, 10], [1, 0]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (",no,yes\nno,0,1\n", wording.no_row_for("yes")),
        (",no,yes\nno,0,1\nyes,1,0\nmaybe,1,1\n", wording.NO_COLUMN_FOR_MAYBE),
        (",no,yes\nno,0,1\nno,1,0\n", wording.NO_HAS_TWO_ROWS),
        (",no,yes\nno,0,5 much\nyes,1,0\n", wording.MUCH_IS_NO_COST),
        (",no,yes\nno,0\nyes,1,0\n", wording.two_costs_not(1)),
        (",no,yes\nno,0,1,2\nyes,1,0\n", wording.two_costs_not(3)),
        (",no,maybe\nno,0,1\nmaybe,1,0\n", wording.no_costs_for("yes")),
        ("0,1\n", wording.TWO_ROWS_TWO_COLUMNS),
        ("0,1,2\n1,0,2\n1,1,0\n", wording.TWO_ROWS_TWO_COLUMNS),
        ("0,1\ninf,0\n", wording.inf_is_no_cost(2)),
        ("[[0, 1], [1]]", wording.TWO_ROWS_TWO_COLUMNS),
        ("[[0, NaN], [1, 0]]", wording.NOT_A_COST),
        ("[[0, true], [1, 0]]", wording.NOT_A_COST),
        (f"[[0, {'9' * 400}], [1, 0]]", wording.NOT_A_COST),
        (f"[[0, {'9' * 5000}], [1, 0]]", "not JSON"),
        (f"0,{'9' * 400}\n1,0\n", wording.inf_is_no_cost(1)),
        ("[1, 2]", wording.LIST_OF_ROWS),
        ("[[0, 1]", "not JSON"),
        ('{"no": {"no": 0}, "yes": {"no": 1, "yes": 0}}', wording.NO_COST_FOR_YES),
        ('{"no": {"no": 0, "yes": 1, "eh": 2}, "yes": {"no": 1, "yes": 0}}', wording.no_row_for("eh")),
        ('{"no": 3}', wording.COST_FOR_EACH_CLASS),
        ('{"classes": ["no", "no"], "costs": [[0, 1], [1, 0]]}', wording.NAMES_A_CLASS_TWICE),
        ('{"classes": [1, 2], "costs": [[0, 1], [1, 0]]}', wording.LIST_OF_LABELS),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_what_is_wrong_with_a_cost_file_is_named(tmp_path, text, message):
    with pytest.raises(DataError) as caught:
        read_costs(written(tmp_path, text), CLASSES)
    assert message in str(caught.value)
    assert "costs.csv" in str(caught.value)


def test_cost_file_that_is_absent_or_binary_is_refused(tmp_path):
    with pytest.raises(DataError, match=core_wording.CANNOT_BE_READ):
        read_costs(tmp_path / "none.csv", CLASSES)
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(DataError, match="not text"):
        read_costs(tmp_path / "b", CLASSES)


def test_costs_come_back_from_json_for_any_labels(tmp_path):
    classes = ('with "quotes"', "comma, here", "")
    costs = CostMatrix(classes, tuple(tuple(float(i * 3 + j) for j in range(3)) for i in range(3)))
    stored = json.dumps({"classes": list(classes), "costs": [list(row) for row in costs.costs]})
    assert read_costs(written(tmp_path, stored), classes) == costs
    np.testing.assert_array_equal(costs.ordered(classes), np.arange(9.0).reshape(3, 3))


def test_threshold_needs_a_cost():
    with pytest.raises(DataError):
        cost_threshold(0, 0)
    with pytest.raises(DataError):
        cost_threshold(-1, 2)


@pytest.mark.parametrize("name", ["costs.json", "costs.csv"])
def test_what_was_written_is_read_again_rewards_quotes_and_currency_too(tmp_path, name):
    costs = CostMatrix(('say "no", or', "ja; Ä"), ((0.0, 1.5), (-10.0, 1e-3)), "EUR" if name.endswith("json") else "")
    write_costs(tmp_path / name, costs)
    labels = 'say "no", or'
    assert read_costs(tmp_path / name, ("ja; Ä", labels)) == costs


def test_costs_that_cannot_be_written_say_so(tmp_path):
    with pytest.raises(DataError, match=core_wording.CANNOT_BE_WRITTEN):
        write_costs(tmp_path / "nowhere" / "costs.json", CostMatrix(("a",), ((0.0,),)))
