"""CART's surrogates, priors and twoing."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import ParameterError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.io.samples import samples
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.explain.node_reasons import SplitVerdict
from algorithms.learners.trees.explain.why_words import headline, workings
from algorithms.learners.trees.growth.split_criteria import gain, gini, twoing
from algorithms.learners.trees.growth.split_evaluation import surrogates_of
from algorithms.learners.trees.model import TreeModel, checked_tree
from algorithms.learners.trees.pruning.methods import with_leaves
from algorithms.learners.trees.routing import arrivals, branches, records_at, rows_reaching
from algorithms.learners.trees.tree_learner import why, with_priors
from algorithms.structures.tree import SplitTest
from tests.algorithms.battery_data import mixed
from tests.expected_texts import learners as wording

NAN = float("nan")


def fit(data: Dataset, learner: Cart | None = None) -> TreeModel:
    model = (learner or Cart(pruning="none")).fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    checked_tree(model.schema, model.tree.arrays(), model.tree.criterion)
    return model


def two_numbers(x: list[float], y: list[float], classes: list[int]) -> Dataset:
    return Dataset(Schema((numeric("x"), numeric("y"), nominal("class", "ab")), 2), [x, y, classes])


def test_a_surrogate_answers_where_the_value_is_missing() -> None:
    x = [1, 2, 3, 4, 5, 6, 7, 8, NAN, NAN]
    y = [10, 20, 30, 40, 50, 60, 70, 80, 15, 75]
    data = two_numbers(x, [float(v) for v in y], [0] * 4 + [1] * 4 + [0, 1])
    data = data.with_column(1, numeric("y"), np.array([10, 20, 30, 45, 40, 60, 70, 80, 15, 75.0]))
    tree = fit(data, Cart(pruning="none", max_depth=1)).tree
    assert tree.attribute[0] == 0 and tree.threshold[0] == 4.5
    (s,) = tree.surrogates(0)
    assert tree.surrogate_attribute[s] == 1
    assert tree.surrogate_threshold[s] in (35.0, 52.5)
    assert tree.surrogate_agreement[s] == pytest.approx((0.5 - 1 / 8) / 0.5)
    assert tree.counts[1:].tolist() == [[5, 0], [0, 5]]
    model = TreeModel(tree)
    asked = two_numbers([NAN, NAN, NAN], [0.0, 100.0, NAN], [0, 0, 0])
    assert model.predict(asked).tolist()[:2] == [0, 1]
    assert model.predict(asked)[2] == tree.decision[1 + tree.missing_to[0]]
    assert wording.JUDGED_BY_Y in model.explain(asked, 1).steps[0]


def test_predictive_measure_by_hand_of_every_kind() -> None:
    """Breiman et al., section 5.3.1: (min(pL, pR) - (1 - p)) / min(pL, pR)."""
    branch = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, -1])
    attributes = (
        numeric("own"),
        numeric("turned"),
        nominal("list", "abc"),
        nominal("order", ("S", "M", "L"), ordinal=True),
        nominal("useless", "xy"),
        nominal("class", "ab"),
    )
    columns = [
        np.arange(10.0),
        [9, 8, 7, 1, 4, 3, 2, 1, 0, 5],
        [0, 0, 1, 1, 2, 2, 2, 1, 2, 0],
        [0, 0, 0, 1, 2, 2, 1, 2, 2, -1],
        [0, 0, 1, 1, 0, 0, 1, 1, 1, 0],
        [0] * 10,
    ]
    found = {s.attribute: s for s in surrogates_of(branch, 0, Dataset(Schema(attributes, 5), columns), 9)}
    assert set(found) == {1, 2, 3}
    assert found[1].swapped and found[1].agreement == pytest.approx((4 - 1) / 4)
    assert found[2].branch_of.tolist() == [0, 0, 1]
    assert found[2].agreement == pytest.approx((4 - 1) / 4)
    assert found[3].agreement == pytest.approx((4 - 1) / 4)
    assert found[3].branch_of.tolist() in ([0, 1, 1], [0, 0, 1])


def iris_node(records: list[int]) -> Dataset:
    return next(s for s in samples() if s.id == "iris").make(None, 1, RunContext(seed=1)).take(records)


def test_surrogates_of_iris_are_those_that_rpart_prints() -> None:
    """``summary(rpart(Species ~ ., data = iris))`` of R, nodes 1 and 3: threshold, side, agree and adj of each."""
    printed = {
        ("Petal Length", 2.45): [
            ("Petal Width", 0.8, False, 1.0, 1.0),
            ("Sepal Length", 5.45, False, 0.920, 0.76),
            ("Sepal Width", 3.35, True, 0.833, 0.5),
        ],
        ("Petal Width", 1.75): [
            ("Petal Length", 4.75, False, 0.91, 0.804),
            ("Sepal Length", 6.15, False, 0.73, 0.413),
            ("Sepal Width", 2.95, False, 0.67, 0.283),
        ],
    }
    whole = iris_node(list(range(150)))
    for (name, threshold), expected in printed.items():
        rows = np.arange(150) if name == "Petal Length" else np.flatnonzero(whole.column("Petal Length") > 2.45)
        data = whole.take(rows)
        branch = (data.column(name) > threshold).astype(np.int64)
        found = surrogates_of(branch, data.schema.index_of(name), data, 5)
        lighter = min(np.bincount(branch)) / len(data)
        seen = [
            (
                data.schema.attributes[s.attribute].name,
                round(s.threshold, 2),
                s.swapped,
                round(1 - lighter * (1 - s.agreement), 3),
                round(s.agreement, 3),
            )
            for s in found
        ]
        assert seen == expected


@pytest.mark.parametrize("weighted", [False, True])
def test_the_tree_grows_the_surrogates_of_the_slow_twin(weighted: bool) -> None:
    for seed in range(3):
        data = mixed(150, seed, missing=0.2, weighted=weighted)
        tree = fit(data).tree
        compared = 0
        for node in np.flatnonzero(tree.test != SplitTest.LEAF).tolist():
            here, own = records_at(tree, node, data).here, int(tree.attribute[node])
            some_missing = any(bool(here.missing(i).any()) for i in here.schema.predictors)
            expected = surrogates_of(branches(tree, node, here.column(own)), own, here, 5) if some_missing else []
            found = list(tree.surrogates(node))
            assert tree.surrogate_attribute[found].tolist() == [s.attribute for s in expected]
            for s, twin in zip(found, expected, strict=True):
                assert tree.surrogate_agreement[s] == pytest.approx(twin.agreement)
                assert bool(tree.surrogate_swapped[s]) == twin.swapped
                offset, n = int(tree.surrogate_offset[s]), len(twin.branch_of)
                assert tree.branch_of[offset : offset + n].tolist() == twin.branch_of.tolist()
                assert tree.surrogate_threshold[s] == pytest.approx(twin.threshold, nan_ok=True)
                compared += 1
        assert compared > 15


def test_limited_leaves_have_surrogates_too() -> None:
    tree = fit(mixed(250, 6, missing=0.2), Cart(pruning="none", max_leaves=5)).tree
    assert tree.n_leaves == 5
    assert len(tree.surrogate_node)


def test_the_surrogate_named_is_the_one_that_can_tell() -> None:
    """A list's value that no record of the node had says nothing: the next surrogate is asked, and named."""
    x = np.array([*range(20), NAN, NAN], dtype=float)
    listed = np.array([*[0] * 9, 1, *[1] * 10, 0, 1])
    number = np.array([*range(9), 10.0, 9.0, *range(11, 20), 0.0, 19.0])
    schema = Schema((numeric("x"), nominal("list", "abz"), numeric("number"), nominal("class", "no")), 3)
    data = Dataset(schema, [x, listed, number, [*[0] * 10, *[1] * 10, 0, 1]])
    model = fit(data, Cart(pruning="none", max_depth=1))
    assert [data.schema.attributes[a].name for a in model.tree.surrogate_attribute] == ["list", "number"]
    asked = Dataset(schema, [[NAN, NAN, NAN], [0, 2, -1], [19.0, 19.0, NAN], [0, 0, 0]])
    surrogates = [model.explain(asked, row).steps[0].rpartition(", split by ")[2] for row in range(3)]
    assert surrogates[:2] == ["list (surrogate)", "number (surrogate)"]
    assert "surrogate" not in model.explain(asked, 2).steps[0]
    assert model.predict(asked).tolist()[:2] == [0, 1]


def test_the_best_come_first_and_no_more_than_asked_for() -> None:
    data = mixed(200, 4, missing=0.15)
    for most in (0, 1, 3):
        tree = fit(data, Cart(pruning="none", surrogates=most)).tree
        for node in np.flatnonzero(tree.test != SplitTest.LEAF).tolist():
            agreement = tree.surrogate_agreement[list(tree.surrogates(node))]
            assert len(agreement) <= most
            assert np.all(np.diff(agreement) <= 1e-8) and np.all(agreement > 0)


@pytest.mark.parametrize("weighted", [False, True])
def test_all_ways_of_following_a_record_agree(weighted: bool) -> None:
    data = mixed(250, 6, missing=0.2, weighted=weighted)
    model = fit(data)
    tree = model.tree
    assert len(tree.surrogate_node)
    leaves = model.leaves_of(data)
    assert np.array_equal(arrivals(tree, data).leaf, leaves)
    for node in range(tree.n_nodes):
        reached = rows_reaching(tree, node, data)
        found = np.bincount(data.class_codes[reached], weights=data.weight_array[reached], minlength=4)
        np.testing.assert_allclose(found, tree.counts[node], atol=1e-9)
        assert np.array_equal(records_at(tree, node, data).rows, reached)
        if tree.is_leaf(node):
            assert np.array_equal(np.flatnonzero(leaves == node), reached)


def test_reasons_are_those_by_which_the_tree_grew() -> None:
    for how in ({"missing": 0.2}, {"missing": 0.15, "weighted": True}):
        data = mixed(150, 3, **how)  # type: ignore[arg-type]
        for learner in (
            Cart(pruning="none"),
            Cart(pruning="none", criterion="twoing"),
            Cart(pruning="none", priors="equal"),
            Cart(pruning="none", priors="equal", criterion="twoing"),
        ):
            tree = fit(data, learner).tree
            for node in np.flatnonzero(tree.test != SplitTest.LEAF).tolist():
                reasons = why(tree, node, data, learner)
                chosen = reasons.chosen
                assert chosen is not None and not reasons.moved and chosen.verdict is SplitVerdict.CHOSEN
                np.testing.assert_allclose(reasons.counts, tree.counts[node], atol=1e-9)
                assert max(chosen.value, 0.0) == pytest.approx(float(tree.gain[node]), abs=1e-9)
                assert headline(reasons)
                for working in workings(reasons, chosen):
                    values = {term.symbol: repr(term.value) for term in working.terms}
                    formula = working.formula.replace(" x ", " * ").replace("^", "**").format(**values)
                    assert eval(formula) == pytest.approx(working.value, abs=1e-9)  # noqa: S307  (the program's own)


def test_without_missing_values_the_tree_is_the_same_as_ever() -> None:
    data = mixed(200, 8)
    with_them, without = fit(data).tree, fit(data, Cart(pruning="none", surrogates=0)).tree
    for name in ("test", "attribute", "counts", "decision", "missing_to"):
        assert np.array_equal(getattr(with_them, name), getattr(without, name)), name


def test_pruned_trees_keep_the_surrogates_of_what_is_left() -> None:
    data = mixed(250, 6, missing=0.2)
    tree = fit(data).tree
    inner = np.flatnonzero(tree.test != SplitTest.LEAF)
    cut = np.zeros(tree.n_nodes, dtype=np.bool_)
    cut[inner[len(inner) // 2 :]] = True
    pruned = with_leaves(tree, cut)
    checked_tree(pruned.schema, pruned.arrays(), pruned.criterion)
    assert 0 < len(pruned.surrogate_node) < len(tree.surrogate_node)
    for node in range(pruned.n_nodes):
        reached = rows_reaching(pruned, node, data)
        np.testing.assert_allclose(np.bincount(data.class_codes[reached], minlength=4), pruned.counts[node])


def test_surrogates_help_where_values_are_missing() -> None:
    random = np.random.default_rng(5)
    x = random.normal(size=600)
    columns = [x.copy(), x + random.normal(size=600) * 0.1, (x > 0).astype(int)]
    columns[0][random.random(600) < 0.4] = NAN
    data = Dataset(Schema((numeric("x"), numeric("twin"), nominal("class", "ab")), 2), columns)
    one = Cart(pruning="none", max_depth=1, surrogates=5).fit(data, RunContext()).predict(data)
    none = Cart(pruning="none", max_depth=1, surrogates=0).fit(data, RunContext()).predict(data)
    assert np.mean(one == data.class_codes) >= np.mean(none == data.class_codes)


# ---- priors ----------------------------------------------------------------------------------------------------------


def test_equal_priors_weigh_every_class_the_same() -> None:
    data = two_numbers([1, 2, 3, 4, 5, 6], [0.0] * 6, [0, 0, 0, 0, 0, 1])
    weighed = with_priors(data, [1, 1])
    assert np.bincount(data.class_codes, weights=weighed.weight_array).tolist() == [3, 3]
    model = fit(data, Cart(pruning="none", priors="equal"))
    assert model.tree.counts[0].tolist() == [3, 3]
    assert np.array_equal(model.predict(data), data.class_codes)


def test_equal_priors_find_more_of_the_rare_class() -> None:
    random = np.random.default_rng(2)
    y = (random.random(800) < 0.1).astype(int)
    x = random.normal(size=800) + y
    data = two_numbers(x.tolist(), [0.0] * 800, y.tolist())
    found = [
        int(np.count_nonzero(fit(data, Cart(pruning="none", max_depth=2, priors=priors)).predict(data) == 1))
        for priors in ("data", "equal")
    ]
    assert found[1] > found[0]


@pytest.mark.parametrize("learner", [Cart, C45], ids=lambda learner: learner.id)
def test_given_shares_are_the_weights_of_the_classes(learner: type[Cart] | type[C45]) -> None:
    """Breiman et al., section 4.4: p(j given t) is the prior of j times its share of class j, over their sum."""
    random = np.random.default_rng(2)
    y = (random.random(400) < 0.25).astype(int)
    data = two_numbers((random.normal(size=400) + y).tolist(), random.normal(size=400).tolist(), y.tolist())
    model = learner(priors="given", class_shares=(10, 90), max_depth=1, pruning="none").fit(data, RunContext(seed=1))
    assert isinstance(model, TreeModel)
    tree = model.tree
    assert tree.counts[0] == pytest.approx([40, 360])
    plain = np.bincount(y)
    for node in (1, 2):
        reached = np.bincount(y[rows_reaching(tree, node, data)], minlength=2)
        terms = np.array([0.1, 0.9]) * reached / plain
        assert tree.counts[node] / tree.counts[node].sum() == pytest.approx(terms / terms.sum())
    again = learner(priors="given", class_shares=(1, 9), max_depth=1, pruning="none").fit(data, RunContext(seed=1))
    assert np.array_equal(again.predict_proba(data), model.predict_proba(data))


@pytest.mark.parametrize("learner", [Cart, C45], ids=lambda learner: learner.id)
def test_what_mistakes_cost_multiplies_the_priors(learner: type[Cart] | type[C45]) -> None:
    """Breiman et al., section 4.4.3: the altered prior of j is its cost times its prior, over their sum."""
    random = np.random.default_rng(3)
    y = (random.random(400) < 0.1).astype(int)
    data = two_numbers((random.normal(size=400) + y).tolist(), random.normal(size=400).tolist(), y.tolist())
    costs = ((0.0, 1.0), (20.0, 0.0))
    model = learner(priors="by-cost", costs=costs).fit(data, RunContext(seed=1))
    altered = tuple((np.bincount(y) * np.array([1.0, 20.0])).tolist())
    given = learner(priors="given", class_shares=altered).fit(data, RunContext(seed=1))
    plain = learner().fit(data, RunContext(seed=1))
    assert np.array_equal(model.predict_proba(data), given.predict_proba(data))

    table = np.array(costs)
    assert table[y, model.predict(data)].sum() < table[y, plain.predict(data)].sum() / 2
    assert learner(priors="by-cost", costs=((0.0,),)).check(summarize(data))


def test_shares_that_do_not_fit_the_classes_are_refused_in_words() -> None:
    summary = summarize(two_numbers([1, 2], [1, 2], [0, 1]))
    assert Cart().check(summary) == []
    (problem,) = Cart(priors="given", class_shares=(1, 2, 3)).check(summary)
    assert problem.sentence == wording.THREE_SHARES_FOR_TWO_CLASSES
    assert problem.remedy == wording.GIVE_ONE_NUMBER_EACH
    assert Cart(priors="given", class_shares=(0, 0)).check(summary)
    assert Cart(priors="given").check(summary) == []
    assert Cart(priors="given", class_shares=(1, 0)).check(summary) == []
    with pytest.raises(ParameterError):
        Cart(priors="given", class_shares=(-1, 1))
    assert Cart.parameter("class_shares").parsed("90, 10.5") == (90.0, 10.5)


# ---- twoing ----------------------------------------------------------------------------------------------------------


def test_twoing_by_hand_and_beside_gini_of_two_classes() -> None:
    """Breiman et al., section 4.3.2: pL pR / 4 (sum of |p(j|tL) - p(j|tR)|)^2; for two classes half the Gini gain."""
    assert float(twoing([[3, 0, 1], [0, 4, 0]])) == pytest.approx(0.25 / 4 * (0.75 + 1 + 0.25) ** 2)
    assert float(twoing([[0, 0], [4, 2]])) == 0
    children = np.random.default_rng(1).integers(1, 20, (30, 2, 2))
    assert twoing(children) == pytest.approx(gain(children, gini) / 2)


@pytest.mark.parametrize("how", [{}, {"weighted": True}, {"missing": 0.2}], ids=str)
def test_the_root_is_the_best_split_by_twoing(how: dict[str, float]) -> None:
    data = mixed(120, 5, **how)  # type: ignore[arg-type]
    tree = fit(data, Cart(pruning="none", criterion="twoing", max_depth=1)).tree
    best = 0.0
    for index in (0, 1):
        column, known = data.column(index), ~data.missing(index)
        for threshold in np.unique(column[known])[:-1]:
            table = np.zeros((2, 4))
            np.add.at(
                table, ((column[known] > threshold).astype(int), data.class_codes[known]), data.weight_array[known]
            )
            share = data.weight_array[known].sum() / data.weight_array.sum()
            best = max(best, float(twoing(table)) * share)
    assert float(tree.gain[0]) >= best - 1e-9
    if tree.test[0] == SplitTest.NUMERIC:
        assert float(tree.gain[0]) == pytest.approx(best)


def test_twoing_of_two_classes_is_the_tree_of_gini() -> None:
    random = np.random.default_rng(7)
    data = two_numbers(
        random.normal(size=200).tolist(), random.normal(size=200).tolist(), random.integers(0, 2, 200).tolist()
    )
    one, other = fit(data, Cart(pruning="none", criterion="twoing")).tree, fit(data).tree
    assert np.array_equal(one.threshold, other.threshold, equal_nan=True)
