"""Making one value of several."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.evaluation.runner import train
from algorithms.filters.arrange_attributes import ChangeKind, RenameAttribute
from algorithms.filters.nominal_values import MergeValues, ValuesMerged
from algorithms.learners.trees.stump import DecisionStump
from algorithms.project.models import load_model, save_model
from tests.expected_texts import core as core_wording
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import filters as wording


def table(codes: list[int], weights: list[float] | None = None) -> Dataset:
    schema = Schema((nominal("town", ("Bern", "Ulm", "Graz", "Linz")), nominal("y", "pq")), 1)
    return Dataset(schema, [codes, [i % 2 for i in range(len(codes))]], weights=weights)


def merged(filter: MergeValues, train: Dataset, other: Dataset | None = None) -> Dataset:
    return filter.fit(train, RunContext()).transform(other or train)


def test_values_rare_in_training_become_one() -> None:
    train = table([0, 0, 0, 1, 2, 2, 2, 3, -1])
    found = merged(MergeValues(at_least=2), train)
    assert found.schema.attributes[0].values == ("Bern", "other", "Graz")
    assert found.column(0).tolist() == [0, 0, 0, 1, 2, 2, 2, 1, -1]
    assert merged(MergeValues(at_least=2), train, table([3, 3, 3, 0])).column(0).tolist() == [1, 1, 1, 0]


def test_one_rare_value_alone_stays_and_weights_count() -> None:
    assert merged(MergeValues(at_least=2), table([0, 0, 1, 1, 2, 2, 3])).schema == table([]).schema
    found = merged(MergeValues(at_least=2), table([0, 1, 2, 3], [5, 1, 1, 5]))
    assert found.schema.attributes[0].values == ("Bern", "other", "Linz")


def test_values_that_are_named_become_one_also_under_the_name_of_another() -> None:
    filter = MergeValues(by="given", values_named="Graz; Linz", to="Austria")
    assert merged(filter, table([0, 2, 3])).column(0).tolist() == [0, 2, 2]
    found = merged(MergeValues(by="given", values_named="Graz", to="Bern"), table([0, 1, 2]))
    assert found.schema.attributes[0].values == ("Bern", "Ulm", "Linz") and found.column(0).tolist() == [0, 1, 0]


def test_a_name_that_is_one_of_the_others_takes_them_in() -> None:
    found = merged(MergeValues(at_least=2, to="Ulm"), table([0, 1, 1, 2, 2]))
    assert found.schema.attributes[0].values == ("Ulm", "Graz") and found.column(0).tolist() == [0, 0, 0, 1, 1]


def test_what_is_not_said_yet_is_asked_for() -> None:
    summary = summarize(table([0, 1]))
    assert [p.sentence for p in MergeValues(by="given").check(summary)] == [wording.NO_VALUES_TO_MERGE]
    assert [p.sentence for p in MergeValues(to=" ").check(summary)] == [wording.MERGED_HAS_NO_NAME]
    assert MergeValues(columns=("y",)).check(summary)[0].column == "y"


def test_damaged_file_is_refused() -> None:
    for values in ({}, {"names": ["x"], "values": [], "to": "o"}, {"names": ["x"], "values": [["a"]], "to": 1}):
        with pytest.raises(ModelFileError):
            ValuesMerged.from_state(State(values, {}))


@pytest.mark.parametrize("read_again", [False, True])
def test_a_value_never_seen_counts_as_the_rare_ones_do(read_again: bool, tmp_path: Path) -> None:
    steps = (RenameAttribute(column="town", to="place"), MergeValues(at_least=2))
    trained = train(DecisionStump(), table([0] * 20 + [2] * 20 + [1, 3]), steps, RunContext(seed=1))
    if read_again:
        save_model(tmp_path / "m", trained)
        trained = load_model(tmp_path / "m", builtin())
    fresh = Dataset(Schema((nominal("town", ("Bern", "Rome")), nominal("y", "pq")), 1), [[0, 1, -1], [0, 1, 0]])
    seen = trained.prepared(fresh)
    labels = [*seen.schema.attributes[0].values, None]
    assert [labels[code] for code in seen.column(0)] == ["Bern", "other", None]
    (said,) = [each.sentence for each in trained.differences(fresh) if each.column == "town"]
    assert wording.ROME_UNSEEN in said and wording.COUNTS_AS_OTHER in said


def test_a_value_never_seen_is_missing_where_none_was_rare_or_the_values_were_named() -> None:
    fresh = Dataset(Schema((nominal("town", ("Bern", "Rome")), nominal("y", "pq")), 1), [[0, 1], [0, 1]])
    for step in (MergeValues(at_least=1), MergeValues(by="given", values_named="Ulm; Linz")):
        trained = train(DecisionStump(), table([0, 1, 2, 3] * 10), (step,), RunContext(seed=1))
        assert trained.prepared(fresh).column(0).tolist() == [0, -1]
        assert any(core_wording.COUNTS_AS_MISSING in each.sentence for each in trained.differences(fresh))


def test_models_of_before_take_a_value_never_seen_for_missing() -> None:
    state = State({"names": ["town"], "values": [["Ulm", "Linz"]], "to": "other"}, {})
    assert ValuesMerged.from_state(state).rare_values() == {}


def test_a_number_never_seen_in_a_column_made_a_list_and_merged_is_told() -> None:
    schema = Schema((numeric("ward"), nominal("y", "pq")), 1)
    data = Dataset(schema, [[1.0] * 10 + [2.0] * 10 + [3.0, 3.0, 4.0, 4.0], [0, 1] * 12])
    steps = (ChangeKind(kind="nominal", columns=("ward",)), MergeValues(at_least=5))
    trained = train(DecisionStump(), data, steps, RunContext(seed=1))
    fresh = Dataset(schema, [[1.0, 7.0, 7.0, 3.0], [0, 1, 0, 1]])
    assert trained.prepared(fresh).column(0).tolist() == [0, -1, -1, 2]
    (difference,) = trained.differences(fresh)
    assert difference.column == "ward" and not difference.fatal
    assert evaluation_wording.each_counts_as_missing(7, 2, 4) in difference.sentence
    assert trained.differences(data) == []


def test_values_of_a_small_share_become_one() -> None:
    train = table([0] * 10 + [1] * 7 + [2] * 2 + [3] + [-1] * 20)  # of 20 known values
    found = merged(MergeValues(by="share", share=11), train)
    assert found.schema.attributes[0].values == ("Bern", "Ulm", "other")
    assert merged(MergeValues(by="share", share=10), train).schema == train.schema  # one rare value alone
    assert MergeValues(by="share", share=11).fit(train, RunContext()).rare_values()["town"].labels == ("Graz", "Linz")


def test_rare_shares_are_those_of_scikit_learn() -> None:
    from sklearn.preprocessing import OneHotEncoder

    codes = np.random.default_rng(0).choice(4, 300, p=(0.7, 0.26, 0.02, 0.02))
    peer = OneHotEncoder(min_frequency=0.05).fit(codes[:, None])
    fitted = MergeValues(by="share", share=5).fit(table(codes.tolist()), RunContext())
    (rare,) = peer.infrequent_categories_
    assert fitted.merged == {"town": tuple(("Bern", "Ulm", "Graz", "Linz")[code] for code in rare)}


@pytest.mark.parametrize("share", [7, 14, 28, 29])
def test_a_value_of_exactly_the_share_is_not_rare(share: int) -> None:
    data = table([0] * share + [1] * (100 - share - 3) + [2] * 2 + [3])
    assert MergeValues(by="share", share=share).fit(data, RunContext()).merged["town"] == ("Graz", "Linz")
