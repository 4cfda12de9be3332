"""Many classes by members that tell two sides apart: codes, decoding, and the learners over any other."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError, UnsuitableDataError
from algorithms.core.parameters import configured
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.gradient_boosting import GradientBoosting
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.multiclass import codes
from algorithms.learners.multiclass.reductions import (
    BinaryReduction,
    CodedModel,
    ErrorCorrectingCodes,
    OneVsOne,
    OneVsRest,
)
from algorithms.learners.probability_scaling import coupled
from algorithms.learners.trees.c45 import C45
from algorithms.structures.members import CodedMembers
from tests.algorithms.battery_data import mixed, same_bits, same_state
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording


def words(code: codes.Code) -> list[str]:
    return ["".join("1" if bit == 1 else "0" for bit in row) for row in code]


# ---- codes -----------------------------------------------------------------------------------------------------------


def test_the_exhaustive_code_is_that_of_dietterich_and_bakiri() -> None:
    assert words(codes.exhaustive(4)) == ["1111111", "0000111", "0011001", "0101010"]
    five = codes.exhaustive(5)
    assert five.shape == (5, 15)
    assert codes.separation(five) == 8
    assert codes.useful_columns(five).shape == five.shape
    with pytest.raises(DataError, match="2,047 models"):
        codes.exhaustive(12)


@pytest.mark.parametrize(("degree", "k", "distance"), [(4, 16, 7), (4, 60, 5), (4, 1000, 3), (5, 40, 11)])
def test_words_of_a_bch_code_differ_in_as_many_bits_as_the_tables_say(degree: int, k: int, distance: int) -> None:
    """BCH (15, 5), (15, 7), (15, 11) and (31, 11) have distances 7, 5, 3 and 11 (Lin and Costello, Table 6.1)."""
    found = codes._bch_words(degree, k)
    weights = found.sum(axis=1)
    assert weights.min() == distance  # of a linear code the smallest weight is the smallest distance
    assert len(found) >= min(2 * k - 1, 4000)


def test_codes_drawn_by_chance_tell_all_classes_apart_and_repeat_no_column() -> None:
    random = np.random.default_rng(1)
    for code in (
        codes.bch(10, 15, random),
        codes.random_code(10, 15, random),
        codes.random_code(6, 15, random, sparse=True),
    ):
        assert codes.separation(code) >= 2
        assert codes.useful_columns(code).shape == code.shape
    assert codes.separation(codes.bch(10, 15, random)) >= 6


@pytest.mark.parametrize(("k", "length", "sparse"), [(26, 4, False), (26, 15, True), (7, 3, False), (7, 15, True)])
def test_every_two_classes_stand_on_two_sides_of_some_bit_however_few_were_asked_for(
    k: int, length: int, sparse: bool
) -> None:
    """Else no member would ever tell them apart, and the later one would never be said."""
    code = codes.random_code(k, length, np.random.default_rng(1), sparse=sparse)
    assert codes.opposed(code) >= 1
    assert all(np.any(code[i] * code[j] < 0) for i in range(k) for j in range(i))


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("a = 01; b = 10", wording.C_HAS_NO_CODE),
        ("a = 01; b = 10; c = 110", wording.NOT_EQUALLY_LONG),
        ("a = 01; b = 10; d = 11", wording.NO_CLASS_D),
        ("a = 01; b = 10; c = 01", wording.SAME_CODE_WORD),
        ("a = 01; b = 1x; c = 01", wording.NOT_CLASS_AND_CODE),
    ],
)
def test_typed_words_that_make_no_code_are_refused_in_words(typed: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        codes.given_code(typed, ("a", "b", "c"))


# ---- decoding --------------------------------------------------------------------------------------------------------


def pairs_of(p: np.ndarray) -> np.ndarray:
    return np.asarray(p[:, :, None] / (p[:, :, None] + p[:, None, :]))


def test_coupling_gives_back_the_probabilities_whose_pairs_agree() -> None:
    p = np.random.default_rng(3).dirichlet(np.ones(5), 40)
    assert coupled(pairs_of(p)) == pytest.approx(p, abs=1e-9)
    assert codes.coupled_in_rounds(pairs_of(p), np.ones((5, 5))) == pytest.approx(p, abs=1e-7)


def test_coupling_does_not_depend_on_the_order_of_the_classes() -> None:
    """Nearly all records that are alike but for the names of their classes are tied exactly."""
    random = np.random.default_rng(5)
    r = random.choice([1e-6, 0.02, 0.25, 1 / 3, 0.5, 0.9, 1 - 1e-6], (500, 4, 4))
    r = np.triu(r, 1) + np.tril(1 - r.swapaxes(1, 2), -1) + np.eye(4) / 2
    for order in permutations(range(4)):
        turned = r[:, order][:, :, order]
        assert np.mean(coupled(turned) == coupled(r)[:, order]) > 0.999
        together = codes.coupled_in_rounds(turned, np.ones((4, 4)))
        assert np.mean(together == codes.coupled_in_rounds(r, np.ones((4, 4)))[:, order]) > 0.999


def test_coupling_minimises_what_it_says_where_pairs_disagree() -> None:
    """No step along the simplex from the solution makes the sum of Wu, Lin and Weng smaller."""
    random = np.random.default_rng(4)
    r = random.uniform(0.05, 0.95, (4, 4))
    r = np.triu(r, 1) + np.tril(1 - r.T, -1) + np.eye(4) / 2

    def disagreement(p: np.ndarray) -> float:
        return float(sum((r[j, i] * p[i] - r[i, j] * p[j]) ** 2 for i in range(4) for j in range(4) if i != j))

    best = coupled(r[None])[0]
    assert best.sum() == pytest.approx(1)
    for _ in range(50):
        step = random.normal(size=4)
        assert disagreement(best + 0.01 * (step - step.mean())) >= disagreement(best)


def test_a_bit_left_out_of_a_word_counts_half_and_sure_bits_count_more() -> None:
    code = np.array([[1, 1, 0], [-1, 1, 1], [-1, -1, -1]], dtype=np.int8)
    assert codes.hamming_distances(np.array([[1.0, 0.0, 1.0]]), code).tolist() == [[1.5, 2.0, 2.0]]
    lost = codes.losses(np.array([[0.9, 0.4, 0.5]]), code, "logistic")[0]
    assert lost == pytest.approx(-np.log([0.9 * 0.4 * 0.5, 0.1 * 0.4 * 0.5, 0.1 * 0.6 * 0.5]))


# ---- learners --------------------------------------------------------------------------------------------------------

LEARNERS = [OneVsRest(), OneVsOne(), OneVsOne(combine="votes"), ErrorCorrectingCodes()]


def coded(learner: OneVsRest | OneVsOne | ErrorCorrectingCodes, name: str = "iris") -> CodedModel:
    model = learner.fit(sample(name), RunContext(seed=1))
    assert isinstance(model, CodedModel)
    return model


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda each: each.summary())
def test_any_number_of_threads_makes_the_same_members(learner: OneVsRest) -> None:
    data = mixed(100, missing=0.1)
    alone = learner.fit(data, RunContext(seed=1))
    with thread_pool(3) as pool:
        together = learner.fit(data, RunContext(seed=1, executor=pool))
        judged = together.judged(data, RunContext(executor=pool))
    assert same_state(alone.to_state(), together.to_state())
    assert same_bits(judged.probabilities, alone.predict_proba(data))
    assert same_bits(judged.decisions, alone.predict(data))


def test_a_member_of_each_pair_is_what_the_base_learns_from_their_records() -> None:
    data = sample("iris")
    pair = data.take(data.class_codes != 1)
    at = data.schema.class_index or 0
    other = pair.with_column(at, data.schema.class_attribute, np.where(pair.class_codes == 2, 2, 0))
    alone = LogisticRegression().fit(other, RunContext(seed=1)).predict_proba(pair)
    model = coded(OneVsOne(base=LogisticRegression()))
    assert model.structure().names == tuple(
        f"{a} or {b}" for a, b in (data.schema.classes[:2], data.schema.classes[::2], data.schema.classes[1:])
    )
    assert model.read(pair, RunContext())[:, 1] == pytest.approx(alone[:, 0], abs=1e-6)


def test_the_bits_that_failed_are_named_and_do_no_harm() -> None:
    """The record of the textbook: 0111111 is read, and the word of y1 is 1111111."""
    code = codes.exhaustive(4)
    members = CodedMembers(
        **{
            name: getattr(coded(OneVsRest()).structure(), name)
            for name in ("schema", "parts", "names", "weights", "averaged", "known")
        },
        code=code,
        accuracy=np.ones(7),
        tested=False,
        decoding="",
    )
    read = np.array([0, 1, 1, 1, 1, 1, 1])
    assert members.failed_bits(read == 1, 0).tolist() == [True] + [False] * 6
    assert codes.hamming_distances(read[None].astype(float), code).tolist() == [[1, 3, 3, 3]]


def test_what_a_record_is_told_by_its_bits_is_explained() -> None:
    model = coded(ErrorCorrectingCodes(decode="hamming", given="setosa = 0011; versicolor = 0101; virginica = 1000"))
    data = sample("iris")
    found = model.explain(data, 0)
    assert found.steps[-2].startswith(wording.ANSWERS_IN_A_ROW) and found.steps[-2][-4:] == "0011"
    assert found.steps[-1] == wording.THOSE_OF_SETOSA
    assert np.mean(model.predict(data) == data.class_codes) > 0.95


def test_each_member_says_how_often_it_is_right_where_it_did_not_learn() -> None:
    flattered, honest = (
        coded(OneVsRest(base=C45(pruning="none"))),
        coded(OneVsRest(base=C45(pruning="none"), test_members=True)),
    )
    assert flattered.accuracy.min() > honest.accuracy.min() > 0.85
    assert honest.tested
    assert wording.DID_NOT_LEARN_FROM in honest.remark()


def test_members_that_were_not_made_leave_an_answer_all_the_same() -> None:
    data = mixed(80)
    for learner in LEARNERS:
        finishing = RunContext(seed=1)
        finishing.finish()
        model = learner.fit(data, finishing)
        assert model.partial
        assert len(model.members) == 1  # type: ignore[attr-defined]
        assert model.predict_proba(data).sum(axis=1) == pytest.approx(np.ones(80))


def test_they_nest_in_committees_and_are_typed_on_the_command_line() -> None:
    learner = configured(Bagging, {"base": "one-vs-one", "base.combine": "votes", "members": "2"}, builtin().resolve)
    assert learner == Bagging(base=OneVsOne(combine="votes"), members=2)


@pytest.mark.parametrize("classes", ["ab", "abc"])
@pytest.mark.parametrize("learner", [OneVsRest, OneVsOne, ErrorCorrectingCodes])
def test_a_base_with_monotone_attributes_is_refused_as_the_members_order_the_classes_otherwise(
    learner: type[BinaryReduction], classes: str
) -> None:
    x = np.arange(60.0)
    codes = (np.arange(60) * len(classes) // 60).astype(np.int8)
    data = Dataset(Schema((numeric("x"), nominal("class", classes)), 1), [x, codes])
    for base in (GradientBoosting(rising=("x",)), Bagging(base=GradientBoosting(falling=("x",)))):
        with pytest.raises(UnsuitableDataError, match=wording.CANNOT_BE_MONOTONE):
            learner(base=base).fit(data, RunContext())
    assert not learner(base=GradientBoosting()).check(summarize(data))
