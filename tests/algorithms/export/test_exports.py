"""Trees written as Python, SQL, PMML and text say of every record what the model says."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema, nominal, numeric
from algorithms.evaluation.runner import train
from algorithms.export.formats import exported, exporters_of
from algorithms.export.model_view import TreeSubject
from algorithms.export.tree_code import TABLE_COLUMNS
from algorithms.filters.arrange_attributes import RemoveAttributes
from algorithms.filters.discretize import Discretize
from algorithms.filters.replace_missing import ReplaceMissing
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.neural.perceptron import Perceptron
from algorithms.learners.rules.part import Part
from algorithms.learners.rules.sequential_covering import SequentialCovering
from algorithms.learners.svm.support_vector_machine import LinearSupportVectorMachine, SupportVectorMachine
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.chaid import Chaid
from algorithms.learners.trees.edited_tree import EditedTree
from algorithms.learners.trees.edits import EditedSplit, TreeEdit
from algorithms.learners.trees.id3 import ID3
from algorithms.learners.trees.oblique import ObliqueTree
from algorithms.learners.trees.stump import DecisionStump
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree
from tests.algorithms.export.pmml_reader import Pmml
from tests.algorithms.export.pmml_schema import faults
from tests.algorithms.learners.trees.data import random_data
from tests.expected_texts import export as wording

ODD = ('a "quoted" name', "O'Brien; DROP TABLE x --", "línea\nzwei\t終", "50% {braces} \\back", "# -- /* */", "class")
HAND = (TreeEdit((), EditedSplit(ODD[0], 3.0)),)


def odd_data(seed: int, n: int = 150, missing: float = 0.15, line_end: str = "\r\n") -> Dataset:
    """Names and labels that would end a string, a comment or a quotation."""
    data = random_data(seed, n, missing=missing, levels=6)
    labels = ("it's", 'say "no"', f"new{line_end}line", "-- ;", "ünïcode 終", "\\n {0}")
    attributes: list[Attribute] = []
    for name, attribute in zip(ODD, data.schema.attributes, strict=True):
        values = labels if len(attribute.values) == 6 else attribute.values
        attributes.append(replace(attribute, name=name, values=values))
    return Dataset(Schema(tuple(attributes), 5), [data.column(i) for i in range(6)])


def rows(data: Dataset) -> list[dict[str, Any]]:
    """The records as another program has them: None where a value is missing."""
    columns: dict[str, list[Any]] = {}
    for index, attribute in enumerate(data.schema.attributes):
        if index == data.schema.class_index:
            continue
        column = data.column(index)
        if attribute.kind.is_coded:
            columns[attribute.name] = [attribute.values[code] if code >= 0 else None for code in column.tolist()]
        else:
            columns[attribute.name] = [None if value != value else value for value in column.tolist()]
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def by_python(trained: TrainedClassifier, records: list[dict[str, Any]]) -> list[tuple[str, list[float]]]:
    module: dict[str, Any] = {}
    exec(compile(exported(trained, "python"), "exported.py", "exec"), module)  # noqa: S102
    found = [module["predict_with_probabilities"](record) for record in records]
    assert [module["predict"](record) for record in records] == [label for label, _ in found]
    return [(label, list(shares.values())) for label, shares in found]


def by_sql(trained: TrainedClassifier, records: list[dict[str, Any]]) -> list[str]:
    text = exported(trained, "sql")
    names = list(records[0])
    quoted = ['"' + name.replace('"', '""') + '"' for name in names]
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE data (rank INTEGER PRIMARY KEY, {', '.join(quoted)})")
        marks = ", ".join("?" * (1 + len(names)))
        base.executemany(
            f"INSERT INTO data VALUES ({marks})",
            [(rank, *(record[name] for name in names)) for rank, record in enumerate(records)],
        )
        cursor = base.execute(text)
        assert [column[0] for column in cursor.description] == ["rank", *names, "predicted"]
        return [row[-1] for row in sorted(cursor.fetchall())]


LEARNERS: list[Learner] = [
    C45(pruning="none"),
    C45(nominal_splits="binary", thresholds="midpoint"),
    Cart(pruning="none"),
    Cart(pruning="none", surrogates=0),
    C45(pruning="none", numeric_splits="equal-frequency"),
    C45(pruning="none", criterion="chi-square", nominal_splits="grouped", numeric_splits="equal-width"),
    Cart(pruning="none", criterion="chi-square"),
    Chaid(min_split=5, min_leaf=2, alpha=0.5),
    Chaid(min_split=5, min_leaf=2, alpha=0.5, pruning="pessimistic", with_raising=True),
    DecisionStump(),
    DecisionStump(numeric_splits="entropy"),
    ObliqueTree(pruning="none"),
    EditedTree(base=C45(pruning="none"), edits=HAND),
    EditedTree(base=Cart(pruning="none"), edits=HAND),
    EditedTree(base=Chaid(min_split=5, min_leaf=2, alpha=0.5), edits=HAND),
]
RECIPES: list[Recipe] = [(), (RemoveAttributes(columns=(ODD[1],)), ReplaceMissing())]


@pytest.mark.parametrize("recipe", RECIPES, ids=["as it is", "filled"])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.summary()[:60])
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_written_says_what_the_model_says(learner: Learner, recipe: Recipe, seed: int) -> None:
    trained = train(learner, odd_data(seed), recipe, RunContext(seed=1))
    data = odd_data(seed + 50, 120, missing=0.25)
    records = rows(data)
    for nth, label in ((3, "never seen"), (7, "")):
        records[nth][ODD[2]] = label or None
    asked = Dataset(
        replace_values(data.schema, 2, (*data.schema.attributes[2].values, "never seen")),
        [with_code(data.column(i), i) for i in range(6)],
        row_ids=data.row_ids,
    )
    decisions = [trained.classes[code] for code in trained.predict(asked).tolist()]
    probabilities = trained.predict_proba(asked)
    python = by_python(trained, records)
    assert [label for label, _ in python] == decisions
    assert np.allclose([shares for _, shares in python], probabilities, atol=1e-12)
    assert by_sql(trained, records) == decisions
    text = exported(trained, "pmml")
    assert faults(text) == []
    pmml = Pmml(text)
    scored = [pmml.score(record) for record in records]
    assert np.allclose([shares for _, shares in scored], probabilities, atol=1e-9)
    close = np.sort(probabilities, axis=1)
    clear = close[:, -1] - close[:, -2] > 1e-9
    is_clear = clear.tolist()
    assert [label for (label, _), ok in zip(scored, is_clear, strict=True) if ok] == [
        label for label, ok in zip(decisions, is_clear, strict=True) if ok
    ]


@pytest.mark.parametrize(("learner", "sums_up"), [(Cart(), False), (C45(), True), (LogisticRegression(), True)])
def test_pmml_that_sums_up_probabilities_says_what_decides_a_tie(learner: Learner, sums_up: bool) -> None:
    trained = train(learner, odd_data(1, missing=0.0), (), RunContext(seed=1))
    header = ElementTree.fromstring(exported(trained, "pmml"))[0]
    assert (wording.TIES_IN_PMML in header.attrib["description"]) is sums_up


def replace_values(schema: Schema, index: int, values: tuple[str, ...]) -> Schema:
    return schema.with_attribute(index, replace(schema.attributes[index], values=values))


def with_code(column: Any, index: int) -> Any:
    if index != 2:
        return column
    changed = column.copy()
    changed[3], changed[7] = 6, -1
    return changed


def test_an_id3_tree_with_empty_branches_is_written(tmp_path: Any) -> None:
    data = odd_data(3, 60, missing=0.1)
    schema = data.schema
    for index in (0, 1):
        schema = schema.with_attribute(index, replace(schema.attributes[index], used=False))
    data = data.with_schema(schema)
    trained = train(ID3(), data, (), RunContext(seed=1))
    other = odd_data(77, 200, missing=0.2).with_schema(schema)
    records = rows(other)
    decisions = [trained.classes[code] for code in trained.predict(other).tolist()]
    assert [label for label, _ in by_python(trained, records)] == decisions
    assert by_sql(trained, records) == decisions
    pmml = Pmml(exported(trained, "pmml"))
    assert np.allclose(
        [pmml.score(record)[1] for record in records[:60]],
        trained.predict_proba(other)[:60],
    )


CUTS: list[Recipe] = [
    (Discretize(by="equal-width", ranges=4),),
    (Discretize(by="equal-frequency", ranges=3), ReplaceMissing()),
    (ReplaceMissing(), Discretize(by="equal-width", ranges=3)),
]


@pytest.mark.parametrize("learner", [ID3(), C45(pruning="none"), Cart(pruning="none")], ids=lambda each: each.id)
@pytest.mark.parametrize("recipe", CUTS, ids=["cut", "cut, filled", "filled, cut"])
def test_numbers_that_a_recipe_cuts_into_ranges_are_written(learner: Learner, recipe: Recipe) -> None:
    trained = train(learner, odd_data(6), recipe, RunContext(seed=1))
    other = odd_data(56, 200, missing=0.25)
    numbers = other.column(0).copy()
    numbers[:6] = [np.inf, -np.inf] * 3
    other = other.with_column(0, other.schema.attributes[0], numbers)
    records, probabilities = rows(other), trained.predict_proba(other)
    decisions = [trained.classes[code] for code in trained.predict(other).tolist()]
    assert [label for label, _ in by_python(trained, records)] == decisions
    assert by_sql(trained, records) == decisions
    pmml = Pmml(exported(trained, "pmml"))
    assert np.allclose([pmml.score(record)[1] for record in records], probabilities)


def test_a_single_leaf_is_written() -> None:
    data = random_data(1, 40)
    trained = train(C45(max_depth=1, min_gain=10.0), data, (), RunContext(seed=1))
    records = rows(data)
    decision = trained.classes[int(trained.predict(data)[0])]
    assert {label for label, _ in by_python(trained, records)} == {decision}
    assert set(by_sql(trained, records)) == {decision}
    assert Pmml(exported(trained, "pmml")).score(records[0])[0] == decision
    assert f"Always {decision}" in exported(trained, "text")


def test_thresholds_are_written_to_the_last_digit() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(size=400)
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    data = Dataset(schema, [values, (np.sin(9 * values) > 0).astype(np.int64)])
    trained = train(C45(pruning="none"), data, (), RunContext(seed=1))
    decisions = [trained.classes[code] for code in trained.predict(data).tolist()]
    records = rows(data)
    assert [label for label, _ in by_python(trained, records)] == decisions
    assert by_sql(trained, records) == decisions
    pmml = Pmml(exported(trained, "pmml"))
    assert [pmml.score(record)[0] for record in records[:50]] == decisions[:50]


def test_a_tree_that_shares_out_records_is_two_segments_in_pmml_and_any_other_one_tree() -> None:
    data = odd_data(4)
    shared = exported(train(C45(pruning="none"), data, (), RunContext(seed=1)), "pmml")
    assert "<MiningModel " in shared and "weightedConfidence" not in shared and "surrogate" not in shared
    surrogate = exported(train(Cart(pruning="none"), data, (), RunContext(seed=1)), "pmml")
    assert "<MiningModel " not in surrogate and 'missingValueStrategy="defaultChild"' in surrogate
    assert 'booleanOperator="surrogate"' in surrogate


@pytest.mark.parametrize("missing", [0.0, 0.15, 0.4])
def test_chaid_says_once_what_becomes_of_a_missing_answer_and_every_format_does_so(missing: float) -> None:
    trained = train(Chaid(min_split=5, min_leaf=2, alpha=0.5), odd_data(29, missing=missing), (), RunContext(seed=1))
    subject = TreeSubject.of(trained)
    places = subject.tree.missing_to[subject.tree.n_children > 0]
    (words,) = subject.missing_words()
    assert words.count(wording.RECORD_WITHOUT_ANSWER) == 1
    assert (wording.DOWN_ONE_BRANCH in words, wording.DOWN_EVERY_BRANCH in words) == (
        bool((places >= 0).any()),
        subject.is_divided,
    )
    asked = odd_data(79, 200, missing=0.3)
    records, probabilities = rows(asked), trained.predict_proba(asked)
    assert np.allclose([shares for _, shares in by_python(trained, records)], probabilities)
    assert by_sql(trained, records) == [trained.classes[code] for code in trained.predict(asked)]
    document = Pmml(exported(trained, "pmml"))
    assert np.allclose([document.score(record)[1] for record in records], probabilities)


def test_a_title_that_xml_cannot_hold_refuses_no_export() -> None:
    trained = train(C45(), random_data(1, 60), (), RunContext(seed=1))
    named = replace(trained, data_name="a\x00b\ud800")
    text = exported(named, "pmml")
    assert faults(text) == [] and "a\ufffdb\ufffd" in text


def test_text_tells_the_whole_tree() -> None:
    data = odd_data(4)
    trained = train(Cart(pruning="none"), data, (), RunContext(seed=1))
    text = exported(trained, "text")
    tree = TreeSubject.of(trained).tree
    lines = text.split("\n")
    assert wording.MISSING_AND_UNKNOWN in text and wording.WHERE_ANSWER_IS_MISSING in text
    starts = tuple(name[:4] for name in ODD)
    assert len([line for line in lines if line.lstrip("| ").startswith(starts)]) == tree.n_nodes - 1
    assert all(f"{label} " in text for label in trained.classes)


@pytest.mark.parametrize("recipe", RECIPES, ids=["as it is", "filled"])
def test_soft_thresholds_are_written_as_python_and_told_in_text(recipe: Recipe) -> None:
    trained = train(C45(soft_thresholds=True, min_leaf=5, pruning="none"), odd_data(1), recipe, RunContext(seed=1))
    data = odd_data(51, 300, missing=0.25)
    python = by_python(trained, rows(data))
    assert np.allclose([shares for _, shares in python], trained.predict_proba(data), atol=1e-12)
    assert [label for label, _ in python] == [trained.classes[code] for code in trained.predict(data).tolist()]
    assert wording.DOWN_BOTH_BRANCHES in exported(trained, "text")
    for id in ("sql", "mysql", "pmml"):
        with pytest.raises(DataError, match=wording.THRESHOLDS_ARE_SOFT):
            exported(trained, id)


def test_every_file_says_what_it_is() -> None:
    trained = train(C45(), random_data(2, 80, missing=0.1), (), RunContext(seed=1))
    for each in exporters_of(Tree):
        text = exported(trained, each.format.id)
        assert C45.name in text and "k0" in text and wording.MISSING_AND_UNKNOWN in text, each.format.id
        assert text.endswith("\n") and each.sentence.endswith(".")


def test_what_cannot_be_written_is_said() -> None:
    data = random_data(2, 80)
    refused = (ZeroR(), LinearSupportVectorMachine(), SupportVectorMachine(kernel="linear"), Perceptron())
    for learner in refused:  # three of them do weigh a sum: what is said must be true of each
        with pytest.raises(DataError, match=re.escape(wording.cannot_be_exported(learner.name))):
            exported(train(learner, data, (), RunContext(seed=1)), "sql")
    schema = data.schema
    odd = schema.with_attribute(0, replace(schema.attributes[0], name="bell\x07"))
    with pytest.raises(DataError, match=wording.CHARACTER_NOT_IN_PMML):
        exported(train(Cart(), data.with_schema(odd), (), RunContext(seed=1)), "pmml")


@pytest.mark.parametrize(
    "learner",
    [C45(pruning="none"), Cart(pruning="none"), Chaid(alpha=0.9, min_split=2, min_leaf=1)],
    ids=lambda x: x.id,
)
def test_lines_at_infinite_numbers_are_written(learner: Learner) -> None:
    rng = np.random.default_rng(8)
    x = rng.choice([-np.inf, 1.0, np.inf], 120)
    z = rng.choice([-np.inf, 0.0, 5.0], 120)
    y = (x == -np.inf).astype(np.int64) ^ (z == -np.inf)
    schema = Schema((numeric("x"), numeric("z"), nominal("class", ("a", "b"))), 2)
    trained = train(learner, Dataset(schema, [x, z, y]), (), RunContext(seed=1))
    thresholds = TreeSubject.of(trained).tree.threshold
    assert learner.id == "chaid" or np.any(np.isneginf(thresholds))
    lost = rng.random((2, 120)) < 0.2
    other = Dataset(schema, [np.where(lost[0], np.nan, x), np.where(lost[1], np.nan, z), y])
    records, probabilities = rows(other), trained.predict_proba(other)
    decisions = [trained.classes[code] for code in trained.predict(other).tolist()]
    assert [label for label, _ in by_python(trained, records)] == decisions
    assert by_sql(trained, records) == decisions
    pmml = exported(trained, "pmml")
    assert np.allclose([Pmml(pmml).score(record)[1] for record in records], probabilities)
    assert '"-inf"' not in pmml and ("-INF" in pmml) == bool(np.any(np.isneginf(thresholds)))


def test_labels_that_look_like_numbers_are_known_to_python_as_numbers() -> None:
    schema = Schema((nominal("x", ("1", "2.0", "0.5")), nominal("class", ("a", "b", "c"))), 1)
    data = Dataset(schema, [np.repeat([0, 1, 2], 10), np.repeat([0, 1, 2], 10)])
    module: dict[str, Any] = {}
    source = exported(train(C45(), data, (), RunContext(seed=1)), "python")
    exec(compile(source, "exported.py", "exec"), module)  # noqa: S102
    said = [module["predict"]({"x": value}) for value in (1, 1.0, 2.0, 0.5, "1", "2.0")]
    assert said == ["a", "a", "b", "c", "a", "b"]
    assert module["predict"]({"x": float("inf")}) == module["predict"]({"x": None})


def test_a_large_tree_becomes_many_small_tables_in_mysql() -> None:
    """MariaDB took 183 seconds for 5,000 records and a tree of 729 nodes while each stage was one table."""
    own = C45(pruning="none", min_leaf=1, numeric_correction=False, average_gain_rule=False, numeric_min_split=False)
    text = exported(train(own, odd_data(1, 400), (), RunContext(seed=1)), "mysql")
    tables = dict(re.findall(r"COLUMNS \(([^)]*)\)\) AS (\w+)", text))
    places = {f"{table}.{path.split()[0]}" for paths, table in tables.items() for path in paths.split(", ")}
    assert len(tables) > 5 and max(paths.count("PATH") for paths in tables) <= TABLE_COLUMNS
    assert set(re.findall(r"\b(?:steps|leaves|sums)\d*\.\w+", text)) == places


def test_pmml_keeps_a_carriage_return_in_a_label() -> None:
    text = exported(train(C45(pruning="none"), odd_data(1), (), RunContext(seed=1)), "pmml")
    assert "new\r\nline" in {element.text for element in ElementTree.fromstring(text).iter()}


def test_python_takes_a_long_integer_as_the_float_that_training_saw() -> None:
    column = np.repeat([2.0**53, 2.0**53 + 2], 20)
    data = Dataset(
        Schema((numeric("x"), nominal("class", ("a", "b"))), 1), [column, (column > 2.0**53).astype(np.int32)]
    )
    trained = train(C45(thresholds="data-value"), data, (), RunContext(seed=1))
    assert TreeSubject.of(trained).tree.threshold[0] == 2.0**53
    records: list[dict[str, Any]] = [{"x": 2**53 + 1}, {"x": "9007199254740993"}, {"x": 2**53 + 2}]
    assert [label for label, _ in by_python(trained, records)] == ["a", "a", "b"]


@pytest.mark.parametrize("learner", [C45(pruning="none"), Part(), SequentialCovering(order="unordered")])
def test_a_database_computes_each_stage_of_a_query_once_with_floats(learner: Learner) -> None:
    """PostgreSQL took over twenty minutes for 5,000 records of a tree of 729 nodes, and ties of decimals are others."""
    text = exported(train(learner, odd_data(1), (), RunContext(seed=1)), "sql")
    assert 0 < text.count("FROM (SELECT") == text.count(" LIMIT 1) AS ")
    first = text.rsplit("FROM (SELECT", 1)[1].rsplit(" LIMIT 1) AS ", text.count(" LIMIT 1) AS "))[0]
    assert 0 < first.count("CAST(") == first.count(" AS DOUBLE PRECISION) AS ")


def test_the_check_of_the_schema_finds_what_is_wrong() -> None:
    text = exported(train(Cart(), odd_data(1), (), RunContext(seed=1)), "pmml")
    assert faults(text) == []
    for right, wrong, words in (
        (' functionName="classification"', "", wording.LACKS_FUNCTION_NAME),
        ('missingValueStrategy="default', 'missingValueStrategy="by', wording.HAS_STRATEGY),
        ("<MiningSchema>", "<MiningSchema><Node/>", wording.SCHEMA_HAS_NODE),
        ('operator="lessOrEqual"', 'operator="atMost"', wording.OPERATOR_AT_MOST),
        ("<ScoreDistribution value=", "<ScoreDistribution label=", wording.LACKS_VALUE),
        ("<True />", "<True /><True />", wording.TWO_CHILDREN),
    ):
        assert right in text
        assert any(fault.startswith(words) for fault in faults(text.replace(right, wrong, 1)))


def test_a_query_says_in_which_sql_it_is_written() -> None:
    trained = train(DecisionStump(), odd_data(1), (), RunContext(seed=1))
    for id, words in (("sql", wording.SQLITE_AND_POSTGRESQL), ("mysql", wording.MYSQL_AND_MARIADB)):
        head = [line for line in exported(trained, id).splitlines() if line.startswith("--")]
        assert any(words in line for line in head)


LITERALS = {
    "sql": re.compile(r"""--[^\n]*|(?P<name>"(?:[^"]|"")*")|(?P<text>'(?:[^']|'')*')"""),
    "mysql": re.compile(
        r"""--[^\n]*|(?P<name>`(?:[^`]|``)*`)|_utf8mb4(?P<text>'(?:[^'\\]|''|\\.)*') COLLATE utf8mb4_bin"""
        r"""|PATH '\$\[\d+\]'|'\$' COLUMNS""",
        re.DOTALL,
    ),
}
"""Comments, names and texts as a database reads them; MySQL takes a backslash in a text for an escape."""


def literals(trained: TrainedClassifier, id: str) -> tuple[dict[str, set[str]], str]:
    """The names and texts that the exported query means, and the rest of it."""
    text, meant = exported(trained, id), {"name": set(), "text": set()}
    for match in LITERALS[id].finditer(text):
        if match.lastgroup is not None:
            quote, inner = match[match.lastgroup][0], match[match.lastgroup][1:-1].replace('""', '"')
            inner = inner.replace(quote * 2, quote)
            meant[match.lastgroup].add(re.sub(r"\\(.)", r"\1", inner) if id == "mysql" and quote == "'" else inner)
    return meant, LITERALS[id].sub("", text)


@pytest.mark.parametrize(
    "learner",
    [C45(pruning="none"), Cart(pruning="none"), Part(), SequentialCovering(order="unordered"), LogisticRegression()],
    ids=lambda learner: learner.id,
)
def test_a_query_means_the_same_in_mysql_by_default(learner: Learner) -> None:
    """Checked by hand with MariaDB 10.11: 114 models of these tests decide every record as the program does."""
    data = odd_data(1)
    schema = data.schema
    for index in (0, 1, 2):
        schema = schema.with_attribute(index, replace(schema.attributes[index], name=f"`{ODD[index]}\\"))
    values = ("it's", "back\\slash", "\\'; --", "50% %s\n", "ünïcode 終", 'say "`no`"')
    trained = train(learner, data.with_schema(replace_values(schema, 2, values)), (), RunContext(seed=1))
    standard, _ = literals(trained, "sql")
    meant, rest = literals(trained, "mysql")
    assert meant == standard and standard["text"] >= set(values)
    assert not {"'", '"', "`", "\\"} & set(rest)
    assert "FROM (" not in rest  # a subquery in FROM cannot use the columns of a row in MariaDB
    assert not re.search(r"(?<![\w.])\d+\.\d+(?![\w.])", rest)  # such a number is no double there


@pytest.mark.parametrize("where", ["name", "label"])
def test_no_query_is_written_that_would_end_at_a_nul(where: str) -> None:
    data = odd_data(1)
    attributes = [
        replace(a, name=f"{a.name}\0") if where == "name" else replace(a, values=tuple(f"{v}\0" for v in a.values))
        for a in data.schema.attributes
    ]
    odd = Dataset(Schema(tuple(attributes), 5), [data.column(i) for i in range(6)])
    with pytest.raises(DataError, match=wording.CANNOT_HOLD_NUL):
        exported(train(C45(pruning="none"), odd, (), RunContext(seed=1)), "sql")
