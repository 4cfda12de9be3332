"""Runs compared in words, and the tests under them, over real runs and made ones."""

from __future__ import annotations

import traceback
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.record_costs import RecordCosts
from algorithms.core.resampling import Method
from algorithms.core.run_control import Cancelled, RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.compare import significance_tests
from algorithms.evaluation.compare.comparison import ComparedRun, Comparison, compared_runs, discordant_counts
from algorithms.evaluation.compare.ranking import (
    By,
    Contender,
    _ranked_by,
    area_difference,
    in_words,
    ranked,
    with_baseline,
)
from algorithms.evaluation.compare.significance_tests import FoldScores, compared, holm, part_area, tukey_holm
from algorithms.evaluation.costs.cost_workings import CostEvaluation, priced
from algorithms.evaluation.measures.metrics import auc_influences, report
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, TrainingSet
from algorithms.evaluation.runner import evaluate
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.zero_r import ZeroR
from tests.algorithms.evaluation.results import result_of
from tests.algorithms.evaluation.toys import Means, Rote, two_classes
from tests.expected_texts import evaluation as wording

TEN = CrossValidation()


def judged(learner, method: Method = TEN, seed: int = 1, n: int = 214) -> ComparedRun:
    result = evaluate(learner, two_classes(n), method, RunContext(seed=seed))
    return ComparedRun(learner.name, FoldScores.of(result))


def names(comparison: Comparison) -> list[str]:
    return [test.name for test in comparison.tests]


def test_two_that_chance_tells_apart_are_not_told_apart():
    found = compared_runs([judged(Means(digits=3)), judged(Means(digits=4))])
    assert found.headline in (
        wording.cannot_tell_apart(214),
        wording.PRACTICALLY_THE_SAME,
    )
    weak = compared_runs([judged(Means(), n=30), judged(Rote(), n=30)])
    assert weak.headline == wording.cannot_tell_apart(30)
    assert [sentence.count("p = ") for sentence in weak.sentences].count(1) == 1, "p is said once"


def test_a_clear_lead_is_called_one_whichever_is_named_first():
    better, worse = judged(Means()), judged(ZeroR())
    for runs in ([better, worse], [worse, better]):
        found = compared_runs(runs)
        assert found.headline == wording.NEAREST_MEAN_IS_BETTER
        assert found.pairs[0].p_value == compared(better.scores, worse.scores).p_value
        assert wording.LEAD_OF_NEAREST_MEAN in found.sentences[1]
        assert wording.WAYS_OF_LEARNING in found.sentences[-1]


def test_tied_leaders_are_not_counted_among_the_others_that_are_not_significantly_worse():
    best = judged(Means())
    twin, result = replace(best, name="Twin"), best.scores.result
    worst = ComparedRun("Worst", FoldScores.of(replace(result, decision=1 - result.decision)))
    of_three = compared_runs([best, twin, worst])
    assert of_three.headline == wording.TWO_TIED_OTHERS_WORSE
    first, *others = of_three.sentences
    assert wording.best_looks_better(3) in first, "the caveat stands beside the figure"
    assert not any(wording.best_looks_better(3) in sentence for sentence in others)
    decision = result.decision.copy()
    decision[np.flatnonzero(result.right)[0]] ^= 1
    near = ComparedRun("Near", FoldScores.of(replace(result, decision=decision)))
    assert compared_runs([best, twin, near, worst]).headline == wording.TWO_TIED_ONE_OTHER_NOT_WORSE
    many = [replace(best, name=f"Twin {number}") for number in range(3)]
    assert compared_runs([best, *many, worst]).headline == wording.FOUR_TIED_OTHERS_WORSE


def test_every_test_of_a_comparison_is_corrected_for_the_learners_that_are_still_to_come():
    runs = [judged(Means()), replace(judged(ZeroR()), burden=0), judged(Rote())]
    for n_planned, n_pairs, n_beside in ((0, 3, 2), (7, 21, 6)):
        found = compared_runs(runs, n_planned=n_planned)
        assert found.overall is not None
        assert {pair.lead.n_pairs for pair in (*found.pairs, *found.overall.pairs)} == {n_pairs}
        assert {pair.lead.n_pairs for pair in found.above_baseline} == {n_beside}


def test_ten_folds_bring_the_tests_that_fit_them():
    found = compared_runs([judged(Means()), judged(ZeroR())])
    assert names(found) == [
        wording.CORRECTED_RESAMPLED_T,
        "Paired t",
        wording.WILCOXON,
        "McNemar, exact",
        wording.MCNEMAR_CORRECTED,
    ]
    by_name = {test.name: test for test in found.tests}
    assert by_name["Paired t"].p_value < by_name[wording.CORRECTED_RESAMPLED_T].p_value
    assert wording.TOO_MANY_DIFFERENCES in by_name["Paired t"].caution
    posterior = found.pairs[0].posterior
    assert posterior is not None
    assert posterior.first + posterior.same + posterior.second == pytest.approx(1)
    assert posterior.first > 0.9


def test_it_is_said_which_test_the_headline_goes_by_and_how_the_others_stand():
    clear = compared_runs([judged(Means()), judged(ZeroR())])
    assert wording.ONE_TEST_COUNTS_OTHERS_AGREE in clear.sentences
    for at in range(1, 30):
        found = compared_runs([judged(Means(digits=0), seed=at, n=60), judged(ZeroR(), seed=at, n=60)])
        others = [test.p_value for test in found.tests[1:] if test.p_value is not None]
        same = sum((p < 0.05) == (found.pairs[0].p_value < 0.05) for p in others)
        said = next(sentence for sentence in found.sentences if sentence.startswith("The deciding test"))
        assert f"{same} of {len(others)} {wording.OTHERS_AGREE}" in said


def test_five_repeats_of_two_folds_bring_dietterich_and_alpaydin():
    method = CrossValidation(folds=2, repeats=5)
    found = compared_runs([judged(Means(), method), judged(ZeroR(), method)])
    assert {"5x2cv t", "5x2cv F"} <= set(names(found))


def test_one_test_part_is_compared_record_by_record():
    found = compared_runs([judged(Means(), Holdout()), judged(ZeroR(), Holdout())])
    assert names(found) == ["McNemar, exact", wording.MCNEMAR_CORRECTED]
    assert wording.THESE_TWO_MODELS in found.sentences[-1]
    assert found.pairs[0].posterior is None


def test_other_tests_are_taken_for_independent_and_that_is_said():
    """TSKK's example: errors .15 of 30 and .25 of 5000, Z = 1.527, not significant (Eq. 3.18)."""

    def errors(share: float, n: int) -> ComparedRun:
        truth = np.zeros(n, dtype=int)
        truth[: round(share * n)] = 1
        return ComparedRun(f"of {n}", FoldScores.of(result_of(truth, np.tile([1.0, 0.0], (n, 1)))))

    few, many = errors(0.15, 20), errors(0.25, 5000)
    few = ComparedRun("of 20", FoldScores.of(replace(few.scores.result, seed=2)))
    found = compared_runs([few, many])
    assert names(found) == [wording.DIFFERENCE_OF_ERRORS]
    expected = 0.1 / np.sqrt(0.15 * 0.85 / 20 + 0.25 * 0.75 / 5000)
    assert found.tests[0].statistic == pytest.approx(expected)
    assert found.headline.startswith(wording.CANNOT_TELL)
    assert wording.TAKEN_AS_INDEPENDENT in found.sentences[-1]


def test_several_are_compared_with_the_best_and_corrected_for_the_number_of_all_pairs():
    found = compared_runs([judged(each, n=1000) for each in (ZeroR(), Rote(), Means(), Means(digits=4))])
    assert found.pairs[0].first.name == "Nearest mean"
    assert len(found.pairs) == 3
    for pair in found.pairs:
        assert pair.p_value <= pair.corrected <= min(1, 6 * pair.p_value)
    assert names(found) == ["Friedman", "Iman-Davenport"]
    overall = found.overall
    assert overall is not None
    by_names = {
        frozenset((overall.learners[pair.first], overall.learners[pair.second])): pair for pair in overall.pairs
    }
    for pair in found.pairs:
        same = by_names[frozenset((pair.first.name, pair.second.name))]
        assert (pair.p_value, pair.corrected) == pytest.approx((same.test.p_value, same.corrected))
    ranked = [overall.ranks[at] for at in overall.order]
    assert ranked == sorted(ranked)
    assert sum(ranked) == pytest.approx(10)
    assert len(overall.pairs) == 6
    assert wording.TOO_MANY_DIFFERENCES in found.tests[0].caution
    assert wording.NOT_ALONE in found.headline
    assert any(sentence.endswith(wording.CORRECTED_FOR_6_OF_3_SHOWN) for sentence in found.sentences)


def rare(name: str, strength: float, seed: int, n: int = 900) -> ComparedRun:
    """81 of n records are of class b, which is never predicted; its scores lie ``strength`` higher."""
    truth = (np.arange(n) < 81).astype(int)
    score = np.random.default_rng(seed).normal(strength * truth, 1.0)
    share = 0.4 / (1 + np.exp(-score))
    result = result_of(truth, np.column_stack([1 - share, share]))
    return ComparedRun(name, FoldScores.of(result), report(result))


def test_runs_of_a_rare_class_are_compared_by_auc_alone_as_it_ranks_them():
    strong, near, weak = rare("strong", 2.0, 1), rare("near", 1.9, 2), rare("weak", 0.3, 3)
    found = compared_runs([weak, strong, near])
    assert strong.accuracy == weak.accuracy == 0.91
    assert (found.by, found.guess, found.overall) == (By.AUC, 0.5, None)
    assert found.headline == wording.STRONG_LEADS_NOT_ALONE
    assert found.sentences[0].endswith(wording.AUC_COUNTS_HERE)
    assert wording.WEAK_IS_WORSE in found.sentences and wording.NEAR_IS_NOT_WORSE in found.sentences
    assert {test.name for test in found.tests} == {wording.DELONG_PAIRED}
    assert [test.p_value for test in found.tests] == [pair.p_value for pair in found.pairs]
    assert compared_runs([weak, strong]).headline == wording.STRONG_HAS_HIGHER_AUC
    assert compared_runs([strong, near]).headline == wording.NO_DIFFERENCE_IN_AUC


def test_runs_on_different_tests_are_compared_by_auc_only_where_no_accuracy_tells():
    """The most accurate one guesses on its own tests, the other one is far above its baseline."""
    guessing, learned = rare("guessing", 0.5, 1), costly("learned", 0.12, RecordCosts(np.eye(2)), n=400)
    learned = replace(learned, priced=None)
    assert guessing.report is not None and learned.report is not None
    assert guessing.accuracy > learned.accuracy > learned.report.baseline_accuracy + 0.3
    for runs in ([guessing, learned], [learned, guessing]):
        found = compared_runs(runs)
        assert found.by is By.RIGHT and wording.AUC_COUNTS_HERE not in found.sentences[0]
    also = rare("also", 2.0, 2, n=800)
    found = compared_runs([guessing, also])
    assert found.by is By.AUC and found.sentences[0] == wording.NO_ACCURACY_ABOVE_ALWAYS_A
    assert [test.name for test in found.tests] == [wording.TEST_OF_AUCS]
    assert also.report is not None
    found = compared_runs([guessing, replace(also, report=replace(also.report, baseline_class="b"))])
    assert found.by is By.AUC and found.sentences[0] == wording.NO_ACCURACY_ABOVE_ITS_BASELINE


def test_a_constant_among_the_runs_is_the_baseline_as_in_the_ranking():
    """Its folds differ, so its own AUC is not 0.5; the verdict was by accuracy here and by AUC in the ranking."""
    random = np.random.default_rng(0)
    n, apart = int(random.integers(60, 400)), random.random() * 1.2
    truth, values = (random.random(n) < 0.25).astype(int), random.normal(size=(n, 3))
    values[:, 0] += apart * truth
    attributes = (*(numeric(f"x{place}") for place in range(3)), nominal("class", ("a", "b")))
    data = Dataset(Schema(attributes, 3), [*values.T, truth])
    runs, contenders = [], []
    for key, learner in enumerate((ZeroR(), NaiveBayes())):
        result = evaluate(learner, data, TEN, RunContext(seed=1))
        own, scores, burden = report(result), FoldScores.of(result), learner.variants()[0].burden
        runs.append(ComparedRun(learner.name, scores, own, burden=burden))
        contenders.append(Contender(key, learner.name, burden, own, scores))
    constant, bayes = runs
    assert constant.report is not None and constant.report.auc != 0.5
    assert constant.figure(By.AUC) == 0.5 and constant.interval(By.AUC) == (0.5, 0.5)
    found, ranking = compared_runs(runs), ranked(with_baseline(contenders, None))
    assert found.by is ranking.by is By.AUC
    lead = ranking.standings[1].lead
    assert lead is not None and found.pairs[0].first is bayes and found.pairs[0].p_value == lead.p_value
    assert bayes.report is not None and lead.paired is not None
    assert not lead.paired.by_records
    assert lead.paired.difference == pytest.approx(np.mean(bayes.scores.areas.accuracy) - 0.5)
    without = ranked(with_baseline(contenders[1:], None))
    assert without.by is By.AUC and without.standings[1].behind is not None
    assert without.standings[1].behind.p_value == lead.p_value, "the added baseline is no other"


def areas_of(*scores: float, folds: int = 1) -> ComparedRun:
    """As many records of class b, first, as of class a with these probabilities of b, the whole ``folds`` times."""
    truth = np.tile(np.repeat([1, 0], len(scores) // 2), folds)
    given = np.concatenate([np.array(scores) + 0.3 * fold * (fold % 2) for fold in range(folds)])
    result = replace(
        result_of(truth, np.column_stack([-given, given])),
        folds=np.repeat(np.arange(folds, dtype=np.int32), len(scores)),
    )
    return ComparedRun(str(scores[0]), FoldScores.of(result), report(result))


def fourfold(*scores: float) -> ComparedRun:
    """:func:`areas_of` with four records of each score."""
    return areas_of(*np.repeat(scores, 4).tolist())


def test_aucs_of_the_same_records_are_compared_by_delongs_paired_test():
    """AUCs 8/9 and 7/9; the shares won differ by -1/9, 5/9, -4/9 and -1/9, 2/9, -1/9 about their means, four times."""
    one, other = fourfold(0.9, 0.8, 0.4, 0.5, 0.3, 0.2), fourfold(0.7, 0.3, 0.6, 0.5, 0.4, 0.1)
    apart = area_difference(one, other)
    assert apart.difference == pytest.approx(1 / 9) and apart.standard_error == pytest.approx(np.sqrt(16 / 891))
    assert apart.p_value == pytest.approx(0.4070, abs=1e-4) and apart.is_paired
    found = compared_runs([other, one], by=By.AUC)
    assert found.pairs[0].first is one and [test.name for test in found.tests] == [wording.DELONG_PAIRED]
    shuffled = np.random.default_rng(1).permutation(24)
    result = other.scores.result
    moved = replace(
        result,
        row_ids=result.row_ids[shuffled],
        truth=result.truth[shuffled],
        probabilities=result.probabilities[shuffled],
    )
    again = area_difference(one, replace(other, scores=FoldScores.of(moved)))
    assert again.standard_error == pytest.approx(apart.standard_error), "the order of the records does not matter"


def test_few_records_of_a_class_never_give_a_smaller_p_than_an_exact_test():
    """Of 2 against 2 records a third of the orders are perfect or reversed, though DeLong's error is 0."""
    perfect, constant = areas_of(0.9, 0.8, 0.2, 0.1), areas_of(0.5, 0.5, 0.5, 0.5)
    assert np.linalg.norm(perfect.scores.influences - constant.scores.influences) == 0
    for other in (constant, replace(constant, burden=0)):
        apart = area_difference(perfect, other)
        assert apart.difference == 0.5 and apart.p_value == pytest.approx(1 / 3) and not apart.significant
        assert area_difference(other, perfect).p_value == apart.p_value
    found = compared_runs([perfect, constant], by=By.AUC)
    assert not found.pairs[0].differs and not any(pair.lead.is_significant for pair in found.above_baseline)
    single = area_difference(areas_of(0.9, 0.1), areas_of(0.5, 0.4999))
    assert single.difference == 0 and single.p_value == 1
    opposite = area_difference(areas_of(0.9, 0.1), areas_of(0.1, 0.9))
    assert opposite.difference == 1 and opposite.p_value > 0.99 and not opposite.significant


def test_few_records_of_a_class_are_compared_by_the_larger_error():
    """With 3 of 6 records the errors of both AUCs as if independent, and beside a constant that of a random ranking."""
    one, other = areas_of(0.9, 0.8, 0.4, 0.5, 0.3, 0.2), areas_of(0.7, 0.3, 0.6, 0.5, 0.4, 0.1)
    delong = np.linalg.norm(one.scores.influences - other.scores.influences)
    independent = np.hypot(one.auc[1], other.auc[1])
    assert area_difference(one, other).standard_error == pytest.approx(max(delong, independent))
    random = area_difference(one, replace(other, burden=0))
    assert random.standard_error == pytest.approx(np.sqrt(7 / (12 * 9)))


def test_leave_one_out_has_no_areas_of_parts(monkeypatch):
    one = areas_of(0.9, 0.8, 0.4, 0.5, 0.3, 0.2)
    single = replace(one.scores.result, folds=np.arange(6, dtype=np.int32))
    monkeypatch.setattr(significance_tests, "part_area", lambda *_: pytest.fail("no part holds two classes"))
    assert len(FoldScores.of(single).areas.keys) == 0


def test_aucs_of_five_folds_are_compared_fold_by_fold():
    """Each fold has the AUC of its own records, however the folds differ in level."""
    one, other = (
        areas_of(*scores, folds=6) for scores in ((0.9, 0.8, 0.4, 0.5, 0.3, 0.2), (0.7, 0.3, 0.6, 0.5, 0.4, 0.1))
    )
    assert one.scores.areas.accuracy == pytest.approx([8 / 9] * 6) and one.report.auc < 8 / 9
    assert other.scores.areas.accuracy == pytest.approx([7 / 9] * 6)
    probabilities = other.scores.result.probabilities.copy()
    probabilities[:3] = probabilities[3:6] = 0.5
    mixed = FoldScores.of(replace(other.scores.result, probabilities=probabilities))
    apart = area_difference(one, replace(other, scores=mixed))
    values = np.array([8 / 9 - 1 / 2, *[1 / 9] * 5])
    error = np.sqrt((1 / 6 + mixed.test_share) * values.var(ddof=1))
    assert (apart.difference, apart.standard_error) == pytest.approx((values.mean(), error))
    assert apart.n == 6 and not apart.by_records


@pytest.mark.parametrize("method", [TEN, Holdout()])
def test_a_stop_is_answered_between_the_folds_and_the_classes_of_the_areas(method: Method):
    runs = [judged(learner, method) for learner in (ZeroR(), Means(), Rote())]
    runs = [replace(run, report=report(run.scores.result), burden=place) for place, run in enumerate(runs)]
    asked = list[str]()

    def checkpoint() -> None:
        asked.append("".join(frame.name for frame in traceback.extract_stack()))
        if len(asked) > n_asked:
            raise Cancelled

    for n_asked in (0, 3, 1_000_000):
        compare = partial(compared_runs, [replace(run, scores=replace(run.scores)) for run in runs], by=By.AUC)
        if n_asked < 1_000:
            with pytest.raises(Cancelled):
                compare(checkpoint=checkpoint)
        asked.clear()
    compare(checkpoint=checkpoint)
    of_areas = [names for names in asked if part_area.__name__ in names]
    n_parts = runs[0].scores.result.n_judged
    assert len(of_areas) == len(runs) * n_parts * 2, "once for each class of each part"
    assert any(auc_influences.__name__ in names for names in asked) is (n_parts == 1)
    assert len(asked) > len(of_areas) + len(runs), "between the pairs"


def test_what_the_window_shows_of_a_ranking_is_computed_with_it():
    """The recommendation tested the AUCs when it was first shown: 2 s in the window's thread for 200,000 records."""
    runs = [judged(learner) for learner in (Means(), Rote())]
    contenders = [
        Contender(key, run.name, key + 1, report(run.scores.result), run.scores) for key, run in enumerate(runs)
    ]
    ranking = ranked(with_baseline(contenders, None))
    assert {"recommended", "poorer"} <= vars(ranking).keys()
    assert all("areas" in vars(place.contender.scores) for place in ranking.standings)


@pytest.mark.parametrize("method", [TrainingSet(), TEN], ids=["on training data", "by cost"])
def test_aucs_that_a_ranking_does_not_compare_are_not_computed(method: Method):
    runs = [judged(learner, method) for learner in (Means(), Rote())]
    contenders = [
        Contender(key, run.name, key + 1, report(run.scores.result), run.scores) for key, run in enumerate(runs)
    ]
    costs = None
    if method is TEN:
        costs = RecordCosts(np.array([[0.0, 1.0], [1.0, 0.0]]))
        contenders = [
            replace(each, priced=priced(CostEvaluation(each.scores.result, each.report.confusion, costs)))
            for each in contenders
        ]
    ranking = ranked(with_baseline(contenders, costs))
    assert (ranking.flatters, ranking.by) == ((False, By.COST) if costs else (True, By.RIGHT))
    in_words(ranking)
    assert not any({"areas", "influences"} & vars(place.contender.scores).keys() for place in ranking.standings)


def test_the_auc_that_is_tested_is_the_one_that_ranks_and_is_shown():
    """The folds of the one differ in level only, so its AUC over all tests is the lower one, in each fold the higher.

    The leader, the shown values and the sign of the difference are those of the folds.
    """
    folds, random = np.arange(10).repeat(6), np.random.default_rng(5)
    truth = np.tile([1, 1, 1, 0, 0, 0], 10)
    level = truth + random.normal(0, 0.7, 60)
    runs = []
    for name, scores in (("level", level), ("in folds", 4 * truth + random.normal(0, 0.8, 60) + 30.0 * (folds % 5))):
        result = replace(result_of(truth, np.column_stack([-scores, scores])), folds=folds.astype(np.int32))
        runs.append(ComparedRun(name, FoldScores.of(result), report(result)))
    assert runs[0].report.auc > runs[1].report.auc
    found = compared_runs(runs, by=By.AUC)
    first, second = found.pairs[0].first, found.pairs[0].second
    assert first is runs[1] and found.pairs[0].lead.paired is not None
    shown = first.figure(By.AUC) - second.figure(By.AUC)
    assert found.pairs[0].lead.paired.difference == pytest.approx(shown) and shown > 0
    assert found.sentences[0].startswith(wording.MEAN_AUC_OF_FOLDS)
    third = replace(areas_of(0.9, 0.8, 0.4, 0.5, 0.3, 0.2, folds=10), name="third")
    contenders = [Contender(key, run.name, key + 1, run.report, run.scores) for key, run in enumerate([*runs, third])]
    ranking = _ranked_by(By.AUC, contenders)
    figures = [place.contender.figure(By.AUC) for place in ranking.standings]
    assert figures == sorted(figures, reverse=True) and ranking.best.contender.name == "in folds"
    for place, figure in zip(ranking.standings[1:], figures[1:], strict=True):
        assert place.behind is not None and place.behind.difference == pytest.approx(figures[0] - figure)


def barely(name: str, n_found: int, seed: int) -> ComparedRun:
    """Of 20,000 records in ten folds 40 in each are of class b; ``n_found`` of these are predicted, no other one."""
    truth, folds = np.tile(np.arange(2000) < 40, 10).astype(int), np.repeat(np.arange(10, dtype=np.int32), 2000)
    random = np.random.default_rng(seed)
    share = 0.4 * random.random(20_000) + 0.05 * truth
    for fold in range(10):
        share[2000 * fold + random.permutation(40)[: n_found + fold % 2]] = 0.9
    result = replace(result_of(truth, np.column_stack([1 - share, share])), folds=folds)
    return ComparedRun(name, FoldScores.of(result), report(result))


def test_a_significant_lead_over_the_baseline_by_less_than_a_point_is_ranked_by_accuracy():
    """The lead of 0.5 points was significant, yet the reason given was that no accuracy is significantly above."""
    one, other = barely("one", 10, 1), barely("other", 4, 2)
    found = compared_runs([one, other])
    ranking = ranked(with_baseline([Contender(0, "one", 1, one.report, one.scores)], None))
    above = ranking.best.above_baseline
    assert above.is_significant and 0 < above.paired.difference < 0.01 and ranking.by is found.by is By.RIGHT
    assert compared_runs([barely("none", 0, 3), rare("strong", 2.0, 1)]).by is By.AUC


def test_each_run_is_compared_with_the_baseline_corrected_for_the_number_of_runs():
    runs = [costly(name, wrong, RecordCosts(np.eye(2))) for name, wrong in (("a", 0.4), ("b", 0.43), ("c", 0.45))]
    runs = [replace(run, priced=None) for run in runs]
    found, alone = compared_runs(runs), compared_runs(runs[1:], runs[:1])
    p_values = [pair.p_value for pair in found.above_baseline]
    assert [pair.first.name for pair in found.above_baseline] == ["a", "b", "c"]
    assert [pair.corrected for pair in found.above_baseline] == holm(p_values)
    assert [pair.corrected for pair in alone.above_baseline] == holm(p_values)[1:], "those tried with them count"
    contenders = [Contender(key, run.name, 1, run.report, run.scores) for key, run in enumerate(runs)]
    standings = ranked(with_baseline(contenders, None)).standings
    assert [place.above_baseline.corrected for place in standings[:3]] == holm(p_values)
    assert standings[3].lead.correction == "holm" and standings[3].lead.corrected == holm(p_values)[0]


def test_another_measure_can_be_asked_for():
    strong, weak = rare("strong", 2.0, 1), rare("weak", 0.3, 3)
    found = compared_runs([weak, strong], by=By.RIGHT)
    assert found.by is By.RIGHT and "AUC" not in " ".join((found.headline, *found.sentences))
    assert found.available == (By.RIGHT, By.AUC)
    assert compared_runs([weak, strong], by=By.COST).by is By.AUC, "there are no costs"


def test_the_verdict_by_auc_is_corrected_for_all_that_were_tried():
    strong, less = rare("strong", 0.9, 1), rare("less", 0.5, 2)
    others = [rare("other", 0.8, seed) for seed in range(10, 20)]
    assert compared_runs([strong, less]).headline == wording.STRONG_HAS_HIGHER_AUC
    assert compared_runs([strong, less], others).headline == wording.NO_DIFFERENCE_IN_AUC


def costly(name: str, wrong: float, costs: RecordCosts, seed: int = 1, n: int = 500, every: int = 2) -> ComparedRun:
    """A run of ten folds that errs in this share of n records, one in ``every`` of which is of class b."""
    random, folds = np.random.default_rng(seed), np.arange(n, dtype=np.int32) * 10 // n
    truth = (np.arange(n) % every == every - 1).astype(int)
    said = np.where(random.random(n) < wrong, 1 - truth, truth).astype(float)
    result = replace(result_of(truth, np.column_stack([1 - said, said])), folds=folds)
    own = report(result)
    return ComparedRun(name, FoldScores.of(result), own, priced(CostEvaluation(result, own.confusion, costs)))


def test_with_costs_runs_are_compared_by_cost_and_with_the_cheapest_constant():
    costs = RecordCosts(np.array([[0.0, 1.0], [4.0, 0.0]]))
    cheaper, dearer = costly("cheaper", 0.02, costs), costly("dearer", 0.12, costs)
    found = compared_runs([dearer, cheaper])
    assert (found.by, found.headline) == (By.COST, wording.CHEAPER_COSTS_LESS)
    assert found.guess == pytest.approx(0.5)
    assert found.sentences[0] == wording.BASELINE_COSTS
    assert found.pairs[0].first is cheaper and cheaper.priced is not None and dearer.priced is not None
    paired = found.pairs[0].paired
    assert paired is not None and paired.difference == pytest.approx(dearer.priced.mean - cheaper.priced.mean)
    assert found.tests[0].name == wording.CORRECTED_RESAMPLED_T and found.tests[0].p_value == paired.p_value
    poor, poorer = costly("poor", 0.45, costs), costly("poorer", 0.48, costs, 2)
    assert compared_runs([poor, poorer]).headline == wording.NONE_CHEAPER_THAN_BASELINE


def test_a_run_outside_without_a_value_takes_the_measure_from_none():
    costs = RecordCosts(np.array([[0.0, 1.0], [4.0, 0.0]]))
    runs, other = [costly("cheaper", 0.02, costs), costly("dearer", 0.12, costs)], costly("other", 0.3, costs)
    alone, known = compared_runs(runs), compared_runs(runs, [other])
    for unknown in (replace(other, priced=None), replace(other, priced=None, report=None)):
        found = compared_runs(runs, [unknown])
        assert (found.by, found.available) == (By.COST, alone.available) == (known.by, known.available)
        assert found.pairs[0].lead.n_pairs == 3
        assert found.pairs[0].corrected == tukey_holm([alone.pairs[0].p_value, 1.0, 1.0])[0], "the others count as 1"
    strong, weak = rare("strong", 2.0, 1), rare("weak", 0.3, 3)
    unmeasured = replace(rare("other", 1.0, 4), report=None)
    assert compared_runs([strong, weak], [unmeasured]).by is By.AUC


def test_the_best_of_runs_on_different_tests_is_compared_with_the_baseline_on_its_own():
    costs = RecordCosts(np.array([[0.0, 1.0], [1.0, 0.0]]))
    dear, cheap = costly("dear", 0.4, costs), costly("cheap", 0.25, costs, n=400, every=20)
    assert cheap.priced is not None and cheap.priced.guess == pytest.approx(0.05)
    for runs in ([dear, cheap], [cheap, dear]):
        found = compared_runs(runs)
        assert found.pairs[0].paired is None and found.pairs[0].differs
        assert (found.headline, found.guess) == (wording.NONE_CHEAPER_THAN_BASELINE_A, cheap.priced.guess)


def test_the_best_of_many_that_are_alike_is_seldom_called_better():
    """Which is the best the same tests say: corrected for the others alone this happened 15 times in 100."""
    random = np.random.default_rng(3)
    truth, repeats = np.zeros(400, dtype=int), 60
    called = 0
    for _ in range(repeats):
        runs = []
        for name in "abcdefghij":
            said = (random.random(400) < 0.3).astype(float)
            runs.append(ComparedRun(name, FoldScores.of(result_of(truth, np.column_stack([1 - said, said])))))
        called += any(pair.differs for pair in compared_runs(runs).pairs)
    assert called <= 0.1 * repeats


def test_where_places_tell_less_apart_than_leads_it_is_said_which_counts():
    """Six steady leads of three in 100 are beyond chance; over ten folds no two neighbours are by their places."""
    truth, folds = np.zeros(1000, dtype=int), np.repeat(np.arange(10, dtype=np.int32), 100)
    random, runs = np.random.default_rng(5), []
    for name, n_wrong in zip("abcdef", (10, 13, 16, 19, 22, 25), strict=True):
        given = np.repeat([1.0, 0.0], [n_wrong, 100 - n_wrong])
        said = np.concatenate([random.permutation(given) for _ in range(10)])
        result = replace(result_of(truth, np.column_stack([1 - said, said])), folds=folds)
        runs.append(ComparedRun(name, FoldScores.of(result)))
    found = compared_runs(runs)
    assert found.pairs[0].differs
    assert found.sentences[-1].startswith(wording.LEADS_AND_PLACES_DIFFER)
    alike = compared_runs([judged(each) for each in (Means(), Means(digits=3), Means(digits=4))])
    assert not any(wording.LEADS_AND_PLACES_DIFFER in sentence for sentence in alike.sentences)


def test_a_record_tested_several_times_counts_once_for_mcnemar():
    method = CrossValidation(folds=3, repeats=4)
    one, other = judged(Means(), method), judged(ZeroR(), method)
    assert sum(discordant_counts(one.scores, other.scores)) <= 214


def test_what_flatters_itself_is_not_compared():
    with pytest.raises(DataError, match=wording.OWN_TRAINING_RECORDS):
        compared_runs([judged(Means()), judged(ZeroR(), TrainingSet())])
    with pytest.raises(DataError, match=wording.ONLY_ONE_RUN):
        compared_runs([judged(Means())])
