"""Drawing, balancing and weighing training records, against slow computations of their definitions."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.filters import TrainingFilter, fit_recipe
from algorithms.core.resampling import inner_fold_numbers, inner_parts
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.data.synthetic_ids import parents_of
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.filters import balance_classes
from algorithms.filters.balance_classes import BalanceClasses, TomekLinks, links, nearest_others, synthetic_records
from algorithms.filters.training_records import ClassWeights, FilterRecords, SampleRecords
from algorithms.learners.trees.c45 import C45
from tests.expected_texts import filters as wording

NAN = float("nan")


def rare(n: int = 120, n_rare: int = 15, d: int = 2, *, lists: int = 0, seed: int = 0, apart: float = 1.5) -> Dataset:
    """``d`` numbers of different sizes and ``lists`` lists of values that tell a rare class from a frequent one."""
    random = np.random.default_rng(seed)
    codes = (np.arange(n) < n_rare).astype(int)
    numbers = [random.normal(codes * apart, 1.0) * 10.0**at for at in range(d)]
    values = [np.where(random.random(n) < 0.6, codes, random.integers(0, 3, n)) for _ in range(lists)]
    schema = Schema(
        (
            *(numeric(f"x{at}") for at in range(d)),
            *(nominal(f"v{at}", ("p", "q", "r")) for at in range(lists)),
            nominal("class", ("often", "rare")),
        ),
        d + lists,
    )
    return Dataset(schema, [*numbers, *values, codes])


def learned(step: TrainingFilter, data: Dataset, seed: int = 1) -> Dataset:
    return step.learn(data, RunContext(seed=seed))[1]


def counts(data: Dataset) -> list[int]:
    return np.bincount(data.class_codes, minlength=len(data.schema.classes)).tolist()


# ---- drawing ---------------------------------------------------------------------------------------------------------


def test_a_share_is_drawn_of_each_class_and_none_twice() -> None:
    data = rare(200, 20)
    drawn = learned(SampleRecords(share=35), data)
    assert counts(drawn) == [63, 7]
    assert len(set(drawn.row_ids.tolist())) == 70
    assert drawn.row_ids.tolist() == sorted(drawn.row_ids.tolist())
    assert drawn.row_ids.tolist() != learned(SampleRecords(share=35), data, seed=2).row_ids.tolist()


def test_with_replacement_more_can_be_drawn_than_there_are() -> None:
    data = rare(200, 20)
    drawn = learned(SampleRecords(share=300, replacement=True), data)
    assert counts(drawn) == [540, 60]
    assert max(Counter(drawn.row_ids.tolist()).values()) > 1
    assert len(learned(SampleRecords(share=300), data)) == 200


def test_without_strata_each_record_is_as_likely_as_any_other() -> None:
    data = rare(40, 4)
    step = SampleRecords(size="number", number=10, stratified=False)
    times = Counter(id for seed in range(800) for id in learned(step, data, seed).row_ids.tolist())
    assert set(times) == set(range(40))
    assert all(120 < times[id] < 290 for id in range(40))  # 200 expected, deviation 12


def test_a_number_is_shared_out_by_the_largest_remainders() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b", "c"))), 1)
    codes = np.repeat([0, 1, 2], [50, 31, 19])
    data = Dataset(schema, [np.arange(100.0), codes])
    assert counts(learned(SampleRecords(size="number", number=7), data)) == [4, 2, 1]  # 3.5, 2.17, 1.33


# ---- balancing -------------------------------------------------------------------------------------------------------


def test_rare_records_come_several_times_and_each_about_as_often() -> None:
    data = rare(120, 15)
    balanced = learned(BalanceClasses(), data)
    assert counts(balanced) == [105, 105]
    times = Counter(balanced.row_ids.tolist())
    assert {times[id] for id in range(15, 120)} == {1}
    assert {times[id] for id in range(15)} == {7}
    uneven = learned(BalanceClasses(evenness=50), data)
    assert counts(uneven) == [105, 52]
    assert {Counter(uneven.row_ids.tolist())[id] for id in range(15)} == {3, 4}


def test_frequent_records_are_left_out() -> None:
    data = rare(120, 15)
    assert counts(learned(BalanceClasses(by="undersample"), data)) == [15, 15]
    assert counts(learned(BalanceClasses(by="undersample", evenness=50), data)) == [30, 15]
    left = learned(BalanceClasses(by="undersample"), data)
    assert len(set(left.row_ids.tolist())) == 30
    assert set(range(15)) <= set(left.row_ids.tolist())


def test_a_class_without_records_stays_without() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b", "never"))), 1)
    data = Dataset(schema, [np.arange(10.0), np.repeat([0, 1], [7, 3])])
    for by in ("oversample", "undersample", "smote"):
        assert counts(learned(BalanceClasses(by=by), data))[2] == 0


@pytest.mark.parametrize("same_scale", [True, False])
@pytest.mark.parametrize("lists", [0, 2])
@pytest.mark.parametrize("d", [2, 14])
def test_new_records_are_those_of_smote(d: int, lists: int, same_scale: bool) -> None:
    """Chawla et al. 2002, slowly: each new record lies on the way to one of the k nearest of its class."""
    data = rare(90, 20, d, lists=lists)
    rows, k = np.arange(20), 5
    base, _, columns = synthetic_records(data, rows, 50, k, same_scale, RunContext(seed=3))
    assert sorted(Counter(base.tolist()).values()) == [2] * 10 + [3] * 10
    units = [np.std(data.column(i)) if same_scale else 1.0 for i in range(d)]
    numbers = np.column_stack([data.column(i)[:20] / unit for i, unit in enumerate(units)])
    median = float(np.median([numbers[:, i].std() for i in range(d)]))
    for at, row in enumerate(base.tolist()):
        far = []
        for other in range(20):
            gap = sum((numbers[row, i] - numbers[other, i]) ** 2 for i in range(d))
            gap += sum(median**2 for i in range(d, d + lists) if data.column(i)[row] != data.column(i)[other])
            far.append((gap if other != row else np.inf, other))
        near = [other for _, other in sorted(far)[:k]]
        new = np.array([columns[i][at] for i in range(d)])
        old = np.array([data.column(i)[row] for i in range(d)])
        on_the_way = []
        for other in near:
            step = np.array([data.column(i)[other] for i in range(d)]) - old
            along = (new - old) / step
            on_the_way.append(bool(np.allclose(along, along[0], atol=1e-9) and -1e-9 <= along[0] <= 1 + 1e-9))
        assert any(on_the_way)
        for i in range(d, d + lists):
            votes = Counter(int(data.column(i)[other]) for other in near)
            most = [value for value, n in votes.items() if n == max(votes.values())]
            own = int(data.column(i)[row])
            assert columns[i][at] == (own if own in most else min(most))


def test_a_record_made_up_is_none_of_the_table() -> None:
    data = rare(60, 6, lists=1)
    data = data.with_weights(np.where(data.class_codes == 1, 2.0, 1.0))
    balanced = learned(BalanceClasses(by="smote"), data)
    assert counts(balanced) == [54, 54]
    made = balanced.row_ids[60:]
    assert made.max() < 0 and len(set(made.tolist())) == 48
    rare_ids = set(data.row_ids[data.class_codes == 1].tolist())
    assert {id for parents in parents_of(made) for id in parents.tolist()} <= rare_ids
    assert set(balanced.weight_array[60:].tolist()) == {2.0}
    again = learned(BalanceClasses(by="smote"), balanced.take(balanced.class_codes != 0))
    assert len(again) == 54  # nothing to balance, and no id is given twice


def test_new_records_of_one_record_are_that_record() -> None:
    data = rare(20, 1)
    balanced = learned(BalanceClasses(by="smote"), data)
    assert counts(balanced) == [19, 19]
    assert set(balanced.column(0)[20:].tolist()) == {data.column(0)[0]}


def test_a_missing_number_is_that_of_the_other_record() -> None:
    data = rare(30, 2).with_cells(0, [0], [NAN])
    balanced = learned(BalanceClasses(by="smote"), data)
    assert set(balanced.column(0)[30:].tolist()) == {data.column(0)[1]}


# ---- the border ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("d", "lists"), [(2, 0), (3, 2), (14, 0)])
@pytest.mark.parametrize("same_scale", [True, False])
def test_links_are_those_of_tomek(d: int, lists: int, same_scale: bool) -> None:
    """Tomek 1976, slowly: two of different classes with no third record nearer to either."""
    data = rare(80, 25, d, lists=lists, seed=4, apart=0.3)
    units = [np.std(data.column(i)) if same_scale else 1.0 for i in range(d)]

    def gap(a: int, b: int) -> float:
        numbers = sum(((data.column(i)[a] - data.column(i)[b]) / unit) ** 2 for i, unit in enumerate(units))
        return float(numbers + sum(data.column(i)[a] != data.column(i)[b] for i in range(d, d + lists)))

    found = set()
    for a in range(80):
        for b in range(a):
            nearer = (min(gap(a, c), gap(b, c)) < gap(a, b) - 1e-12 for c in range(80) if c not in (a, b))
            if data.class_codes[a] != data.class_codes[b] and not any(nearer):
                found |= {a, b}
    assert found and set(links(data, same_scale, RunContext()).tolist()) == found
    step = TomekLinks(same_scale=same_scale)
    assert set(range(80)) - set(learned(step, data).row_ids.tolist()) == {a for a in found if data.class_codes[a] == 0}
    both = TomekLinks(same_scale=same_scale, remove="both")
    assert set(range(80)) - set(learned(both, data).row_ids.tolist()) == found


def test_the_nearest_are_the_same_by_a_tree_of_points_and_by_products() -> None:
    random = np.random.default_rng(0)
    points = random.normal(size=(300, 3))
    wide = np.hstack([points, np.zeros((300, 20))])
    near = nearest_others(points, 4, lambda done, total: None)
    assert np.array_equal(near, nearest_others(wide, 4, lambda done, total: None))
    slow = [
        [j for _, j in sorted((np.sum((p - q) ** 2), j) for j, q in enumerate(points) if j != i)[:4]]
        for i, p in enumerate(points[:40])
    ]
    assert near[:40].tolist() == slow


def test_of_equal_points_none_is_its_own_neighbour() -> None:
    points = np.zeros((30, 2))
    near = nearest_others(points, 3, lambda done, total: None)
    assert not np.any(near == np.arange(30)[:, None])


# ---- weights ---------------------------------------------------------------------------------------------------------


def test_balanced_weights_are_scikit_learns() -> None:
    from sklearn.utils.class_weight import compute_sample_weight

    data = rare(120, 15)
    weighed = learned(ClassWeights(), data)
    expected = compute_sample_weight("balanced", data.class_codes)
    assert np.allclose(weighed.weight_array, expected, rtol=1e-12)
    assert weighed.row_ids.tolist() == data.row_ids.tolist()


def test_given_weights_multiply_those_of_the_records() -> None:
    data = rare(10, 4).with_weights(np.full(10, 3.0))
    weighed = learned(ClassWeights(weights="given", given="rare = 2.5"), data)
    assert weighed.weight_array.tolist() == [7.5] * 4 + [3.0] * 6


@pytest.mark.parametrize("given", ["rare", "rare = many", "seldom = 2", "often=0; rare=0", "rare = -1", "rare = inf"])
def test_what_is_no_weight_is_said(given: str) -> None:
    step, data = ClassWeights(weights="given", given=given), rare(10, 4)
    problems = step.check(summarize(data))
    assert len(problems) == 1 and problems[0].remedy
    with pytest.raises(DataError):
        learned(step, data)


# ---- in a run --------------------------------------------------------------------------------------------------------

STEPS = [
    SampleRecords(),
    BalanceClasses(),
    BalanceClasses(by="undersample"),
    BalanceClasses(by="smote"),
    TomekLinks(),
    ClassWeights(),
]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.summary())
def test_the_same_seed_gives_the_same_on_any_number_of_threads(step: TrainingFilter) -> None:
    data, method = rare(90, 15, lists=1), CrossValidation(folds=4)
    alone = evaluate(C45(), data, method, RunContext(seed=5), recipe=(step, SampleRecords(share=90)))
    with ThreadPoolExecutor(3) as pool:
        shared = evaluate(
            C45(), data, method, RunContext(seed=5, executor=pool), recipe=(step, SampleRecords(share=90))
        )
    assert np.array_equal(alone.probabilities, shared.probabilities)
    assert np.array_equal(alone.decision, shared.decision)


def test_tested_records_keep_their_classes_and_weights() -> None:
    data = rare(90, 15)
    for step in STEPS:
        result = evaluate(C45(), data, CrossValidation(folds=3), RunContext(seed=5), recipe=(step,))
        assert sorted(result.row_ids.tolist()) == list(range(90))
        assert np.bincount(result.truth).tolist() == [75, 15]
        assert result.weights is None
        assert result.baseline_class == 0


def test_balancing_finds_more_of_the_rare_class() -> None:
    data = rare(600, 40, seed=2)
    plain = evaluate(C45(), data, CrossValidation(), RunContext(seed=1))
    for step in (BalanceClasses(), BalanceClasses(by="smote"), BalanceClasses(by="undersample"), ClassWeights()):
        balanced = evaluate(C45(), data, CrossValidation(), RunContext(seed=1), recipe=(step,))
        found = [float(np.mean(r.decision[r.truth == 1] == 1)) for r in (plain, balanced)]
        assert found[1] > found[0] + 0.1


def test_two_steps_that_draw_do_not_draw_alike() -> None:
    data = rare(100, 50)
    _, after = fit_recipe((SampleRecords(share=50), SampleRecords(share=100)), data, RunContext(seed=1))
    first = SampleRecords(share=50).learn(data, RunContext(seed=1).child(0.5, 0))[1]
    assert after.row_ids.tolist() == first.row_ids.tolist()


def test_making_up_many_records_is_stopped() -> None:
    context = RunContext(seed=1)
    context.cancel()
    for step in (BalanceClasses(by="smote"), TomekLinks()):
        with pytest.raises(Cancelled):
            step.learn(rare(3000, 300), context)


def test_records_are_chosen_by_a_formula_for_learning_only() -> None:
    x = np.array([1.0, 2.0, np.nan, 4.0, 5.0, 6.0])
    schema = Schema((numeric("x y"), nominal("c", ("a", "b"))), 1)
    data = Dataset(schema, [x, np.array([0, 1, 0, 1, 0, 1])])
    step = FilterRecords(formula='[x y] >= 2 and c = "b"')
    assert learned(step, data).row_ids.tolist() == [1, 3, 5]
    formula = "not [x y] >= 2"
    assert learned(FilterRecords(formula=formula), data).row_ids.tolist() == [0]
    assert learned(FilterRecords(), data) is data
    assert step.fit(data, RunContext()).transform(data) is data
    renamed = step.with_columns_renamed({"x y": "z"}.get)
    formula = 'z >= 2 and c = "b"'
    assert renamed.formula == formula
    assert [problem.column for problem in renamed.check(summarize(data))] == ["z"]
    assert FilterRecords().check(summarize(data))
    assert not step.check(summarize(data))
    assert wording.C_IS_NOMINAL in FilterRecords(formula="c > 1").check(summarize(data))[0].sentence
    with pytest.raises(DataError, match=wording.NONE_OF_TRAINING_RECORDS):
        learned(FilterRecords(formula="[x y] > 9"), data)


# ---- testing inside the training part --------------------------------------------------------------------------------


def test_copies_are_never_parted_and_made_up_records_never_tested() -> None:
    data = rare(60, 6)
    repeated = learned(BalanceClasses(), data)
    fold = inner_fold_numbers(repeated, 5, np.random.default_rng(0), stratified=True)
    assert all(len(set(fold[repeated.row_ids == id].tolist())) == 1 for id in range(60))
    assert set(fold.tolist()) == set(range(5))
    made = learned(BalanceClasses(by="smote"), data)
    numbers = inner_fold_numbers(made, 5, np.random.default_rng(0))
    assert set(numbers[made.row_ids < 0].tolist()) == {-1} and numbers[made.row_ids >= 0].min() == 0
    for each in (repeated, made):
        learns, tests = inner_parts(each, 0.66, np.random.default_rng(0))
        assert not np.any(learns & tests)
        assert not set(each.row_ids[learns].tolist()) & set(each.row_ids[tests].tolist())
        assert np.all(each.row_ids[tests] >= 0) and np.all(each.row_ids[~learns & ~tests] < 0)
        assert 0.5 < len(set(each.row_ids[learns & (each.row_ids >= 0)].tolist())) / 60 < 0.8


@pytest.mark.parametrize("same_scale", [False, True])
def test_numbers_too_large_to_be_squared_have_near_records_too(same_scale: bool) -> None:
    codes = (np.arange(50) < 10).astype(int)
    data = Dataset(Schema((numeric("x"), nominal("c", ("a", "b"))), 1), [1e200 * np.arange(50), codes])
    balanced = learned(BalanceClasses(by="smote", k=2, same_scale=same_scale), data)
    assert len(balanced) == 80 and np.isfinite(balanced.column(0)).all()
    assert balanced.column(0)[50:].max() <= 9e200
    assert len(learned(TomekLinks(same_scale=same_scale), data)) in (49, 50)  # equally far to both sides


def test_many_near_records_vote_in_little_room() -> None:
    import tracemalloc

    random = np.random.default_rng(1)
    values, near = random.integers(-1, 5, 1500), random.integers(0, 1500, (1500, 1000))
    tracemalloc.start()
    said = balance_classes._modes_of_neighbors(values, near, lambda: None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    for row in range(0, 1500, 100):
        counts = Counter(values[near[row]].tolist())
        best = max(counts.values())
        tied = [value for value, n in counts.items() if n == best]
        assert said[row] == (values[row] if values[row] in tied else min(tied))
    assert peak < 100_000_000
