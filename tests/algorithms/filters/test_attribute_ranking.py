"""Ranking attributes with its steadiness, and the wrapper, against slow computations."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.errors import Cancelled, DataError, UnsuitableDataError
from algorithms.core.resampling import fold_numbers, inner_fold_numbers
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.evaluation.tuning.wrapper import WrapperSelection
from algorithms.filters.attribute_ranking import TITLES, kuncheva, nogueira, ranked, rows_of
from algorithms.filters.select_attributes import MEASURES, SelectAttributes, contingency_table
from algorithms.io.samples import samples
from algorithms.learners.ensembles.gradient_boosting import GradientBoosting
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import filters as wording


def telling(n: int = 150, noise: int = 4, seed: int = 0) -> Dataset:
    """Two numbers that tell the class, the first more than the second, and some that do not."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, n)
    columns = [random.normal(codes * 2.0, 1.0), random.normal(codes * 1.0, 1.0)]
    columns += [random.normal(size=n) for _ in range(noise)]
    names = ["strong", "weak", *(f"noise {at}" for at in range(noise))]
    return Dataset(Schema((*map(numeric, names), nominal("class", ("a", "b"))), len(names)), [*columns, codes])


def either_or(n: int = 120) -> Dataset:
    """Two lists of values that tell the class together, and neither alone; two more tell nothing."""
    random = np.random.default_rng(3)
    parts = [random.integers(0, 2, n) for _ in range(4)]
    schema = Schema((*(nominal(f"v{at}", "pq") for at in range(4)), nominal("class", "ab")), 4)
    return Dataset(schema, [*parts, parts[1] ^ parts[3]])


# ---- how steady sets are ---------------------------------------------------------------------------------------------


def test_the_same_sets_are_steady_and_sets_by_chance_are_not() -> None:
    same = np.tile([True, True, False, False, False], (6, 1))
    assert nogueira(same) == kuncheva(same) == 1.0
    random = np.random.default_rng(0)
    chance = np.array([random.permutation(40) < 10 for _ in range(400)])
    assert abs(nogueira(chance) or 9) < 0.01 and abs(kuncheva(chance) or 9) < 0.01


def test_kuncheva_by_hand() -> None:
    """Two sets of 3 out of 10 with 2 in common: (2 * 10 - 9) / (3 * 7)."""
    kept = np.zeros((2, 10), dtype=bool)
    kept[0, [0, 1, 2]] = kept[1, [0, 1, 5]] = True
    assert kuncheva(kept) == pytest.approx(11 / 21, abs=1e-12)


def test_for_sets_of_one_size_both_indices_agree() -> None:
    """Nogueira et al. 2018, theorem 2: theirs is Kuncheva's where all sets are of one size."""
    random = np.random.default_rng(1)
    kept = np.array([random.permutation(12) < 5 for _ in range(7)])
    assert nogueira(kept) == pytest.approx(kuncheva(kept), abs=1e-12)


def test_nogueira_by_its_definition() -> None:
    random = np.random.default_rng(2)
    kept = random.random((6, 9)) < 0.4
    d = kept.shape[1]
    spread = np.mean([np.var(kept[:, f], ddof=1) for f in range(d)])
    size = kept.sum(axis=1).mean()
    assert nogueira(kept) == pytest.approx(1 - spread / (size / d * (1 - size / d)), abs=1e-12)
    assert nogueira(np.ones((4, 3), dtype=bool)) is None and nogueira(np.zeros((4, 3), dtype=bool)) is None


# ---- the ranking -----------------------------------------------------------------------------------------------------


def test_each_fold_ranks_without_its_own_records() -> None:
    data, step = telling(), SelectAttributes(number=2)
    found = ranked(step, data, RunContext(seed=5), folds=5)
    of = fold_numbers(data.class_codes.astype(np.int64), len(data), 5, RunContext(seed=5).random())
    places: list[Any] = []
    kept: list[Any] = []
    for fold in range(5):
        part = data.take(of != fold)
        scores = step.scores(part, list(range(6)), RunContext())
        places.append([1 + sum(s > one for s in scores) + (sum(s == one for s in scores) - 1) / 2 for one in scores])
        kept.append([at in np.argsort(-scores, kind="stable")[:2] for at in range(6)])
    assert np.allclose(found.mean_place, np.mean(places, axis=0))
    assert np.allclose(found.spread, np.std(places, axis=0, ddof=1))
    assert np.allclose(found.share, np.mean(kept, axis=0))
    assert found.stability == pytest.approx(nogueira(np.array(kept)))
    assert [found.names[at] for at in found.order][:2] == ["strong", "weak"]
    assert found.share[0] == 1.0 and found.n_folds == 5


def test_a_ranking_of_noise_is_called_unsteady_and_a_clear_one_steady() -> None:
    clear = ranked(SelectAttributes(number=2), telling(600), RunContext(seed=1))
    assert wording.RANKING_IS_STEADY in clear.sentence()
    random = np.random.default_rng(5)
    columns = [random.normal(size=80) for _ in range(60)]
    schema = Schema((*(numeric(f"x{at}") for at in range(60)), nominal("class", ("a", "b"))), 60)
    noise = ranked(
        SelectAttributes(by="relieff", number=5),
        Dataset(schema, [*columns, random.integers(0, 2, 80)]),
        RunContext(seed=1),
    )
    assert noise.stability is not None and noise.stability < 0.75
    assert "is steady" not in noise.sentence()


def test_columns_kept_only_because_they_come_first_are_said() -> None:
    data = telling()
    for at in (1, 2, 3, 4, 5):
        data = data.with_column(at, data.schema.attributes[at], np.full(len(data), 1.0))
    step = SelectAttributes(by="information-gain", number=2)
    found = ranked(step, data, RunContext(seed=1))
    assert wording.SCORES_NO_BETTER in found.sentence()
    assert [row[0] for row in rows_of(found)] == ["1", *(5 * ["2–6"])]
    assert "no better" not in ranked(step, telling(), RunContext(seed=1)).sentence()


def test_ranking_is_the_same_on_any_number_of_threads() -> None:
    for step in (SelectAttributes(by="relieff", number=2), WrapperSelection(base=C45(), folds=3)):
        alone = ranked(step, telling(90), RunContext(seed=2), folds=4)
        with ThreadPoolExecutor(3) as pool:
            shared = ranked(step, telling(90), RunContext(seed=2, executor=pool), folds=4)
        assert rows_of(alone) == rows_of(shared) and alone.stability == shared.stability


def test_what_cannot_be_ranked_is_refused_in_words() -> None:
    data = telling()
    with pytest.raises(DataError, match="No class"):
        ranked(SelectAttributes(), data.with_class(None), RunContext())
    with pytest.raises(DataError, match="too few"):
        ranked(SelectAttributes(), data.take([0]), RunContext())
    with pytest.raises(DataError, match="no column"):
        ranked(SelectAttributes(), data.select_columns([6]), RunContext())
    stopped = RunContext()
    stopped.cancel()
    with pytest.raises(Cancelled):
        ranked(SelectAttributes(), data, stopped)


def test_columns_are_ranked_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "sample:iris", "--filter", "select-attributes:by=gain-ratio,number=2"]) == 0
    said = capsys.readouterr().out
    assert all(title in said for title in TITLES) and wording.THE_CHOICE_IS in said
    assert main(["rank", "sample:iris", "--folds", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["folds"] == 5 and len(found["attributes"]) == 4
    assert {each["name"] for each in found["attributes"][:2]} == {"Petal Length", "Petal Width"}
    assert main(["rank", "sample:iris", "--filter", "scale"]) == 2
    assert wording.THESE_DO in capsys.readouterr().err


# ---- the wrapper -----------------------------------------------------------------------------------------------------


def accuracy(data: Dataset, subset: tuple[int, ...], folds: int, seed: int) -> float:
    """How often C4.5 is right with these columns on the folds that the wrapper makes."""
    fold = inner_fold_numbers(data, folds, RunContext(seed=seed).random(), stratified=True)
    chosen = data.select_columns([*subset, len(data.schema) - 1])
    right = 0
    for number in range(folds):
        model = C45().fit(chosen.take(fold != number), RunContext())
        tested = chosen.take(fold == number)
        right += int(np.sum(model.predict(tested) == tested.class_codes))
    return right / len(data)


def test_forward_search_adds_what_helps_most() -> None:
    data = telling(90, noise=3)
    found = WrapperSelection(folds=4).judged(data, RunContext(seed=6))
    best: tuple[int, ...] = ()
    while True:
        grown = [tuple(sorted((*best, more))) for more in range(5) if more not in best]
        worth = {subset: accuracy(data, subset, 4, 6) for subset in grown}
        first = max(grown, key=lambda subset: worth[subset])
        if best and worth[first] <= accuracy(data, best, 4, 6):
            break
        best = first
    assert set(np.flatnonzero(found.kept).tolist()) == set(best)
    assert found.scores.tolist() == [accuracy(data, (at,), 4, 6) for at in range(5)]


def test_what_tells_only_together_is_found_backwards() -> None:
    data = either_or()
    backward = WrapperSelection(search="backward", folds=4).judged(data, RunContext(seed=1))
    assert backward.kept.tolist() == [False, True, False, True]
    every = {subset: accuracy(data, subset, 4, 1) for n in (1, 2, 3, 4) for subset in combinations(range(4), n)}
    assert max(every.values()) == every[(1, 3)] == 1.0
    without = [every[tuple(at for at in range(4) if at != gone)] for gone in range(4)]
    assert backward.scores == pytest.approx(every[(0, 1, 2, 3)] - np.array(without), abs=1e-12)
    assert backward.scores[1] > 0 < backward.scores[3]


def test_best_first_search_goes_back_where_adding_leads_nowhere() -> None:
    found = WrapperSelection(search="best-first", folds=4).judged(either_or(), RunContext(seed=1))
    assert {1, 3} <= set(np.flatnonzero(found.kept).tolist())


def test_balanced_judging_counts_rare_classes_as_much() -> None:
    random = np.random.default_rng(4)
    codes = (np.arange(200) < 16).astype(int)
    columns = [random.normal(size=200), random.normal(codes * 1.6, 1.0)]
    data = Dataset(Schema((numeric("noise"), numeric("rare"), nominal("class", ("a", "b"))), 2), [*columns, codes])
    found = WrapperSelection(measure="balanced").judged(data, RunContext(seed=1))
    assert found.kept[1] and found.scores[1] > 0.5


def test_a_learner_that_gains_nothing_keeps_one_column_and_one_that_cannot_learn_says_why() -> None:
    assert WrapperSelection(base=ZeroR()).judged(telling(40), RunContext(seed=1)).kept.sum() == 1
    id3 = builtin().learners.get("id3")
    with pytest.raises(UnsuitableDataError, match=wording.ASKS_ONLY_ABOUT_LISTS):
        WrapperSelection(base=id3()).judged(telling(40), RunContext(seed=1))


def test_a_wrapper_refuses_a_learner_with_monotone_attributes_as_its_sets_of_columns_lack_them() -> None:
    data = telling(40)
    name = data.schema.names[data.schema.predictors[0]]
    problem, *_ = WrapperSelection(base=GradientBoosting(rising=(name,))).check(summarize(data))
    assert problem.sentence.startswith(wording.cannot_be_monotone(name))


def test_the_search_is_stopped_and_finished_early() -> None:
    cancelled, finished = RunContext(seed=1), RunContext(seed=1)
    cancelled.cancel()
    with pytest.raises(Cancelled):
        WrapperSelection().judged(telling(), cancelled)
    finished.finish()
    assert WrapperSelection().judged(telling(), finished).kept.any()


def test_the_wrapper_runs_inside_the_folds() -> None:
    result = evaluate(
        C45(), telling(90), CrossValidation(folds=3), RunContext(seed=1), recipe=(WrapperSelection(folds=3),)
    )
    assert np.mean(result.right) > 0.65


def test_one_fold_is_refused_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "sample:iris", "--folds", "1"]) == 2
    assert wording.NOT_WHOLE_FROM_2 in capsys.readouterr().err


# ---- how numbers are cut ---------------------------------------------------------------------------------------------


def loan() -> Dataset:
    return next(s for s in samples() if s.id == "loan").make(None, 1, RunContext(seed=1))


def test_a_number_is_ranked_by_its_best_binary_split_as_in_the_book() -> None:
    """Tan et al., table 3.3: income at 97.5 gains 0.281 bits, more than both lists of values."""
    found = ranked(SelectAttributes(), loan(), RunContext(seed=1))
    assert [found.names[at] for at in found.order] == ["Annual Income", "Marital Status", "Home Owner"]
    assert found.scores[found.order[0]] == pytest.approx(0.281, abs=5e-4)
    assert found.sentence().endswith(wording.BEST_BINARY_SPLIT)
    by_length = ranked(SelectAttributes(numeric_splits="mdl"), loan(), RunContext(seed=1))
    assert by_length.scores[by_length.names.index("Annual Income")] == 0.0
    assert by_length.sentence().endswith(wording.BY_MDL)


def test_a_ranking_says_as_json_how_numbers_were_cut(capsys: pytest.CaptureFixture[str]) -> None:
    for given, wanted in (("", "binary"), (":numeric_splits=mdl", "mdl"), (":by=cfs", "mdl"), (":by=relieff", None)):
        assert main(["rank", "sample:loan", "--filter", f"select-attributes{given}", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["numeric_splits"] == wanted
    lists = ranked(SelectAttributes(), either_or(), RunContext(seed=1))
    assert lists.splits == "" and "Numeric splits" not in lists.sentence()


@pytest.mark.parametrize("by", list(MEASURES))
def test_the_binary_split_is_the_best_of_all_by_the_measure(by: str) -> None:
    random = np.random.default_rng(8)
    codes = random.integers(0, 3, 120)
    numbers = np.round(random.normal(codes % 2, 1.0), 1)
    data = Dataset(Schema((numeric("x"), nominal("c", "pqr")), 1), [numbers, codes])
    splits = [contingency_table((numbers > cut).astype(np.int64), 2, codes, 3, None) for cut in np.unique(numbers)[:-1]]
    chosen = "information-gain" if by in ("gain-ratio", "symmetrical-uncertainty") else by
    best = max(splits, key=lambda counts: MEASURES[chosen](counts))
    assert SelectAttributes(by=by).scores(data, [0], RunContext())[0] == pytest.approx(MEASURES[by](best), abs=1e-12)
