"""Which of several learners is best, which is recommended, and how that is said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit

from algorithms.catalogue import builtin
from algorithms.core.record_costs import RecordCosts
from algorithms.evaluation.compare.comparison import (
    compared_runs,
    difference_from_best,
    interval_title,
    signed_difference,
)
from algorithms.evaluation.compare.ranking import (
    BASELINE,
    NOTICEABLE_AUC,
    By,
    Contender,
    brief_lead_sentence,
    in_words,
    lead,
    lead_sentence,
    ranked,
    with_baseline,
)
from algorithms.evaluation.compare.significance_tests import (
    LEAST_PARTS,
    FoldScores,
    LeadVerdict,
    PairedComparison,
    PairedLead,
    compared,
    paired_t,
)
from algorithms.evaluation.costs.cost_workings import CostEvaluation, priced, standing
from algorithms.evaluation.measures.metrics import report
from algorithms.text.sentences import within_sentence
from tests.algorithms.evaluation.results import result_of
from tests.expected_texts import evaluation as wording

N = 400
SENTENCES = (lead_sentence, brief_lead_sentence)


def contender(key: int, name: str, burden: int, wrong: int, *, seed: int = 0, on_training: bool = False) -> Contender:
    """Wrong on ``wrong`` of 400 records chosen by the seed, in 10 folds."""
    right = np.ones(N)
    right[np.random.default_rng(seed).permutation(N)[:wrong]] = 0
    folds = (np.arange(N) % 10).astype(np.int32)
    result = replace(
        result_of(np.zeros(N), np.column_stack([right, 1 - right])), folds=folds, test_is_training=on_training
    )
    return Contender(key, name, burden, report(result), FoldScores.of(result))


def test_the_simplest_that_may_be_as_good_as_the_best_is_recommended():
    ranking = ranked(
        [contender(0, "Guess", 0, 160), contender(1, "Small", 2, 23, seed=1), contender(2, "Large", 4, 20, seed=2)]
    )
    assert [s.contender.name for s in ranking.standings] == ["Large", "Small", "Guess"]
    assert ranking.recommended is ranking.standings[1]
    words = in_words(ranking)
    assert words.headline == wording.TAKE_SMALL_LEAD_MAY_BE_CHANCE
    assert [place.verdict for place in ranking.standings[1:]] == [LeadVerdict.CHANCE, LeadVerdict.REAL]
    assert wording.best_chosen_by_its_tests(3) in words.caveat
    assert words.caveat.startswith(wording.COMPARED_WITH_BEST_ONLY) and "(Tukey-Holm)" in words.caveat


def test_a_lead_that_is_proven_but_too_small_to_matter_does_not_make_the_larger_model_better():
    """200,000 records: 1 in 1000 more often right, in every fold."""

    def of(key: int, name: str, burden: int, wrong: float) -> Contender:
        n = 200_000
        right = (np.random.default_rng(0).random(n) >= wrong).astype(float)
        result = replace(
            result_of(np.zeros(n), np.column_stack([right, 1 - right])), folds=(np.arange(n) % 10).astype(np.int32)
        )
        return Contender(key, name, burden, report(result), FoldScores.of(result))

    ranking = ranked([of(0, "One question", 1, 0.011), of(1, "Huge", 4, 0.010)])
    assert ranking.best.contender.name == "Huge"
    behind = ranking.standings[1]
    assert behind.verdict is not LeadVerdict.CHANCE
    assert behind.is_negligible
    assert in_words(ranking).headline == (wording.TAKE_ONE_QUESTION_TOO_LITTLE)


def test_a_lead_beyond_chance_makes_the_best_the_one_to_take():
    ranking = ranked([contender(0, "Guess", 0, 160), contender(1, "Large", 4, 20, seed=2)])
    assert ranking.recommended is ranking.best
    words = in_words(ranking)
    assert words.headline == wording.TAKE_LARGE_BEATS_SIMPLER


def test_the_headline_names_the_simpler_ones_and_those_that_the_best_is_not_surely_ahead_of():
    """It said "significantly better than the simpler one", which was the baseline, and nothing of the rivals."""
    guess, large = contender(0, "Guess", 0, 160), contender(1, "Large", 4, 20, seed=2)
    words = in_words(ranked([guess, large, contender(2, "Huge", 5, 21, seed=3)]))
    assert words.headline == wording.TAKE_LARGE_BUT_HUGE_IS_LEVEL


def test_the_best_is_taken_where_every_simpler_one_is_surely_worse():
    many = [contender(at, f"Small {at}", 1, 160 + at, seed=at + 3) for at in range(6)]
    words = in_words(ranked([*many, contender(9, "Large", 4, 20, seed=2)]))
    assert words.headline == wording.TAKE_LARGE_BEATS_ALL


def ranking_contender(key: int, name: str, burden: int, wrong: int, shift: float) -> Contender:
    """Of two classes, wrong on ``wrong`` of 400 records; the shares of the second class lie ``shift`` deviations
    higher for its records, so that the AUC is that of two normal clouds so far apart."""
    random = np.random.default_rng(key)
    truth = np.arange(N) % 4 == 0
    share = 1 / (1 + np.exp(-random.normal(0, 1, N) - shift * truth))
    said = truth.copy()
    said[random.permutation(N)[:wrong]] ^= True
    result = replace(
        result_of(truth.astype(float), np.column_stack([1 - share, share]), decision=said.astype(np.int64)),
        folds=(np.arange(N) % 10).astype(np.int32),
    )
    return Contender(key, name, burden, report(result), FoldScores.of(result))


def test_what_is_right_as_often_but_ranks_the_records_worse_is_not_recommended_and_that_is_said():
    ranking = ranked(
        [
            ranking_contender(1, "One rule, on one attribute", 1, 97, 0.3),
            ranking_contender(2, "Weights", 2, 98, 1.5),
            ranking_contender(3, "Forest", 4, 96, 1.5),
        ]
    )
    assert [s.contender.name for s in ranking.standings if s.may_be_as_good] == [
        "Forest",
        wording.ONE_RULE_ON_ONE,
        "Weights",
    ]
    assert ranking.recommended is not None and ranking.recommended.contender.name == "Weights"
    assert [s.contender.name for s in ranking.poorer] == [wording.ONE_RULE_ON_ONE]
    words = in_words(ranking)
    assert words.headline == wording.TAKE_WEIGHTS_LEAD_MAY_BE_CHANCE
    assert words.sentences == (wording.RANKED_BY_RIGHT,)


def test_where_guessing_is_right_as_often_they_are_ranked_by_auc_and_none_is_said_to_beat_it():
    ranking = ranked(
        [
            ranking_contender(1, "Guess", 0, 97, 0.0),
            ranking_contender(2, "Tree", 2, 110, 0.3),
            ranking_contender(3, "Forest", 4, 96, 1.5),
        ]
    )
    assert ranking.by is By.AUC
    assert [standing.contender.name for standing in ranking.standings] == ["Forest", "Tree", "Guess"]
    assert ranking.recommended is ranking.best, "the tree is simpler, but tells the classes apart much worse"
    assert not ranking.standings[1].may_be_as_good
    words = in_words(ranking)
    assert words.headline == (wording.TAKE_FOREST_BY_AUC)
    assert words.sentences[0].startswith(wording.GUESS_IS_RIGHT_SO_OFTEN)
    assert wording.SET_COSTS in words.sentences[1]
    assert words.sentences[2].startswith(wording.RANKED_BY_AUC)


def test_where_a_range_lies_above_the_guess_that_none_surely_beats_it_is_said_why():
    guess, forest = ranking_contender(1, "Guess", 0, 97, 0.0), ranking_contender(3, "Forest", 4, 78, 1.5)
    assert forest.report.interval[0] > guess.report.accuracy
    assert not compared(forest.scores, guess.scores).significant
    words = in_words(ranked([guess, forest]))
    assert wording.NONE_SURELY_BEATS_GUESS in words.headline
    assert words.sentences[1] == (wording.RANGE_ABOVE_GUESS_ALONE)


def priced_contenders(*made_of: tuple[int, int, float]) -> list[tuple[Contender, CostEvaluation]]:
    """Contenders (key, burden, how far apart they see the classes) where overlooking the rarer class costs 10."""
    costs = np.array([[0.0, 1.0], [10.0, 0.0]])
    made = []
    truth = np.arange(N) % 4 == 0
    for key, burden, shift in made_of:
        seen = np.random.default_rng(key).normal(0, 1, N) + shift * truth
        share = 1 / (1 + 3 * np.exp(shift**2 / 2 - shift * seen))
        result = result_of(truth.astype(float), np.column_stack([1 - share, share]))
        result = replace(result, folds=(np.arange(N) % 10).astype(np.int32))
        each = Contender(key, f"L{key}", burden, report(result), FoldScores.of(result))
        weighing = CostEvaluation(each.scores.result, each.report.confusion, RecordCosts(costs))
        made.append((replace(each, priced=priced(weighing)), weighing))
    return made


def test_under_costs_they_are_ranked_by_what_a_record_costs_decided_by_least_expected_cost():
    """All figures are those of the costs page."""
    made = priced_contenders((1, 0, 0.0), (2, 2, 1.0), (3, 4, 4.0))
    ranking = ranked([each for each, _ in made])
    assert ranking.by is By.COST
    caveat = in_words(ranking).caveat
    assert caveat.startswith(wording.COMPARED_WITH_BEST_ONLY) and "Compare runs" not in caveat
    assert ranking.best.contender.name == "L3"
    for each, weighing in made:
        assert each.figure(By.COST) == standing(weighing).cheapest.mean
    behind = ranking.standings[1].behind
    assert behind is not None
    assert behind.difference == pytest.approx(
        ranking.standings[1].contender.figure(By.COST) - ranking.best.contender.figure(By.COST)
    )
    assert made[0][0].priced is not None and made[0][0].priced.guessed == "b"
    assert made[0][0].priced.guess == pytest.approx(0.75)
    words = in_words(ranking)
    assert words.headline == wording.TAKE_L3_COSTS_LEAST
    assert words.sentences[-1].startswith(wording.RANKED_BY_COST)


def test_under_costs_it_is_said_that_none_costs_surely_less_than_always_one_answer_and_which_leads():
    ranking = ranked([each for each, _ in priced_contenders((1, 0, 0.0), (4, 4, 0.6))])
    assert ranking.best.contender.name == "L4" and ranking.recommended.contender.name == "L1"
    assert in_words(ranking).headline == wording.L4_LEADS_NOT_SURELY
    ranking = ranked([each for each, _ in priced_contenders((1, 0, 0.0), (3, 4, 0.0))])
    assert in_words(ranking).headline == wording.NONE_COSTS_LESS_THAN_B


def test_all_sentences_give_one_interval_for_one_difference():
    ranking = ranked(
        [contender(1, "Small", 1, 30, seed=1), contender(2, "Mid", 3, 40, seed=5), contender(3, "Large", 4, 20)]
    )
    small = next(place for place in ranking.standings if place.contender.name == "Small")
    shown = small.lead.corrected_comparison
    assert ranking.recommended is small and shown.interval == small.lead.interval != small.behind.interval
    best = ranking.best.contender
    difference = lead(shown, By.RIGHT, small.lead.interval_name)
    for sentence in (of(best, small, By.RIGHT) for of in SENTENCES):
        assert difference in sentence


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_headline_names_all_rivals_of_up_to_five_learners(n: int) -> None:
    """The one of five learners that "and 1 more" hid was the tree."""
    others = [contender(2 + nth, f"Rival {nth}", 4, 21, seed=2 + nth) for nth in range(n - 1)]
    ranking = ranked([contender(1, "Best", 3, 20, seed=1), *others])
    words = in_words(ranking).headline
    assert ranking.recommended is ranking.best
    assert all(within_sentence(one.name) in words for one in others) is (n <= 5) and ("more" in words) is (n > 5)


def test_settings_stand_in_brackets_in_a_list_of_learners():
    names = ("k-nearest neighbours, choose k automatically", "Random forest")
    others = [contender(2 + nth, name, 4, 21, seed=2 + nth) for nth, name in enumerate(names)]
    words = in_words(ranked([contender(1, "Best", 3, 20, seed=1), *others])).headline
    assert wording.NEIGHBOURS_WITH_SETTINGS in words and "neighbours," not in words


def test_the_headline_calls_no_difference_significant_that_the_table_does_not():
    ranking = ranked(
        [contender(1, "Small", 1, 42, seed=1), contender(2, "Large", 4, 20, seed=2), contender(3, "Huge", 5, 21)]
    )
    small = ranking.standings[2]
    assert small.behind.p_value < 0.05 <= small.lead.corrected and ranking.recommended is ranking.best
    assert in_words(ranking).headline == wording.TAKE_LARGE_NOT_SURELY_AHEAD


def test_the_auc_of_every_learner_that_is_not_significantly_worse_is_tested():
    ranking = ranked(
        [
            ranking_contender(1, "One rule", 1, 97, 0.3),
            ranking_contender(2, "Weights", 2, 98, 1.5),
            ranking_contender(3, "Forest", 4, 96, 1.5),
            ranking_contender(4, "Neighbours", 5, 97, 0.3),
        ]
    )
    assert [place.contender.name for place in ranking.poorer] == ["One rule", "Neighbours"]


def test_the_auc_of_a_learner_is_called_lower_by_the_corrected_p_that_the_page_compare_shows():
    """Every other learner had a "significantly lower AUC" by p alone, which no pair of the same runs had by Compare."""
    learners = [
        ranking_contender(15, "One rule", 1, 97, 1.1),
        ranking_contender(2, "Weights", 2, 98, 1.5),
        ranking_contender(3, "Forest", 4, 96, 1.5),
        ranking_contender(5, "Neighbours", 4, 97, 1.3),
    ]
    ranking = ranked(learners)
    compared_by_auc = compared_runs(learners, by=By.AUC)
    assert ranking.best_ranking.contender is compared_by_auc.pairs[0].first
    for pair in compared_by_auc.pairs:
        of_best = ranking.area_leads[pair.second.key]
        assert (of_best.p_value, of_best.corrected) == (pair.p_value, pair.corrected)
    rule = next(place for place in ranking.standings if place.contender.key == 15)
    of_rule = ranking.area_leads[15]
    assert of_rule.p_value < 0.05 <= of_rule.corrected and ranking.poorer == ()
    assert ranking.may_rank_worse(rule) and ranking.recommended is not rule


def test_a_planned_learner_that_is_the_baseline_is_not_compared_with_itself():
    learners = [ranking_contender(key, f"Learner {key}", key, 60 + key, 1.0) for key in (1, 2, 3)]
    for of_baseline, n_pairs in ((ranking_contender(9, "Constant", 0, 100, 0.0), 5), (None, 6)):
        everyone = with_baseline([*learners, *filter(None, [of_baseline])], None)
        above = [place.above_baseline for place in ranked(everyone, n_planned=6).standings]
        assert [lead.n_pairs for lead in above if lead is not None] == [n_pairs] * 3


@pytest.mark.parametrize(
    ("difference", "low", "is_worse"),
    [(0.05, 0.01, True), (0.05, -0.01, False), (NOTICEABLE_AUC / 2, NOTICEABLE_AUC / 4, False), (-0.05, -0.09, False)],
)
def test_an_auc_may_be_lower_if_the_difference_is_significant_alone_and_relevant(
    difference: float, low: float, is_worse: bool
):
    ranking = ranked([ranking_contender(1, "One rule", 1, 97, 0.3), ranking_contender(3, "Forest", 4, 96, 1.5)])
    paired = PairedComparison(difference, 0.02, (low, 2 * difference - low), 0.95, 0.03, 10)
    for of_best, expected in ((PairedLead(paired, 0.03, 0.2), is_worse), (PairedLead(None, 0.03, 0.2), False)):
        changed = replace(ranking, area_leads={place.contender.key: of_best for place in ranking.standings})
        assert [changed.may_rank_worse(place) for place in ranking.standings] == [expected] * 2


def test_the_auc_of_all_others_is_compared_with_the_best_one_the_baseline_and_planned_learners_included():
    learners = []
    for key in (1, 2, 3):
        own = ranking_contender(key, f"Learner {key}", key, 30 + key, 1.0)
        result = replace(own.scores.result, folds=(np.arange(N) // 4 % 10).astype(np.int32))
        learners.append(replace(own, report=report(result), scores=FoldScores.of(result)))
    for n_planned, n_pairs, n_beside in ((0, 3, 3), (6, 15, 6)):
        ranking = ranked(with_baseline(learners, None), n_planned=n_planned)
        best = ranking.best_ranking.contender.key
        assert {key: lead.n_pairs for key, lead in ranking.area_leads.items()} == {
            **dict.fromkeys({1, 2, 3} - {best}, n_pairs), BASELINE: n_beside,
        }  # fmt: skip


def test_the_headline_says_which_simpler_learners_have_a_lower_auc_and_which_a_lower_accuracy():
    rule, forest = ranking_contender(1, "One rule", 1, 97, 0.3), ranking_contender(3, "Forest", 4, 96, 1.5)
    assert in_words(ranked([rule, forest])).headline == wording.TAKE_FOREST_BEYOND_ONE_RULE
    ranking = ranked([rule, ranking_contender(2, "Guesses", 2, 190, 0.1), forest])
    guesses = next(place for place in ranking.standings if place.contender.name == "Guesses")
    assert guesses.verdict is LeadVerdict.REAL
    assert in_words(ranking).headline == wording.TAKE_FOREST_BEYOND_BOTH


@pytest.mark.parametrize(("sign", "words"), [(1, "128 less (−11 to 268)"), (-1, "128 more (−11 to 268)")])
def test_a_difference_of_costs_has_one_direction(sign: int, words: str):
    low, high = sorted((sign * -11.47, sign * 268.2))
    assert lead(PairedComparison(sign * 128.3, 50.0, (low, high), 0.95, 0.07, 10), By.COST) == words


@pytest.mark.parametrize(
    ("by", "ahead", "words"),
    [
        (By.RIGHT, 0.04, "−4.0 points (−9.0 to 1.0)"),
        (By.AUC, 0.04, "−0.040 (−0.090 to 0.010)"),
        (By.COST, 0.04, "+0.04 (−0.01 to 0.09)"),
        (By.RIGHT, 0.0, "0.0 points (−5.0 to 5.0)"),
    ],
)
def test_a_difference_from_the_best_has_the_sign_of_the_other_learner(by: By, ahead: float, words: str):
    """The row of Naive Bayes said "0.039 higher", meaning that the best one is."""
    of_best = PairedLead(PairedComparison(ahead, 0.02, (ahead - 0.05, ahead + 0.05), 0.95, 0.1, 10), 0.1, 0.1)
    assert signed_difference(difference_from_best(of_best, by), by) == words


def test_a_difference_of_large_costs_has_no_decimals():
    of_best = PairedLead(PairedComparison(128.34, 20.0, (80.21, 170.66), 0.95, 0.01, 10), 0.01, 0.01)
    assert signed_difference(difference_from_best(of_best, By.COST), By.COST) == "+128 (80 to 171)"


def test_the_error_of_an_auc_is_that_of_its_interval_where_delong_gives_none():
    own = ranking_contender(1, "One rule", 1, 97, 0.3).report
    assert own.auc_interval is not None
    low, high = own.auc_interval.ends
    by_interval = replace(own, auc_interval=replace(own.auc_interval, error=None))
    assert by_interval.auc_error == pytest.approx((high - low) / (2 * 1.959964), rel=1e-5)
    assert replace(own, auc_interval=None).auc_error == pytest.approx(12**-0.5)


def test_a_learner_that_costs_no_less_than_the_baseline_is_never_recommended():
    costs = RecordCosts(np.array([[0.0, 1.0], [10.0, 0.0]]))
    contenders = [contender for contender, _ in priced_contenders((2, 2, 0.6), (3, 2, 0.0), (4, 4, 0.6))]
    ranking = ranked(with_baseline(contenders, costs))
    baseline = ranking.guessing
    assert baseline is not None and baseline.contender.is_baseline and baseline.contender.name == wording.BASELINE_B
    assert baseline.contender.figure(By.COST) == pytest.approx(0.75)
    assert ranking.recommended is baseline
    none_cheaper = f"{wording.NONE_COSTS_LESS_THAN_B}{wording.ADJUSTED_FOR_3_LEARNERS}"
    assert in_words(ranking).headline.endswith(none_cheaper.removeprefix("No learner"))
    telling = ranked(with_baseline([*contenders, priced_contenders((5, 5, 4.0))[0][0]], costs))
    assert telling.recommended is telling.best and telling.best.contender.name == "L5"
    assert [place.contender.key for place in telling.learners] == [5, *(p.contender.key for p in ranking.learners)]


def test_what_is_not_significantly_worse_than_the_best_but_no_better_than_the_baseline_is_not_recommended():
    small, large = contender(1, "Small", 1, 150, seed=5), contender(2, "Large", 4, 110, seed=22)
    assert ranked([small, large]).recommended.contender is small
    ranking = ranked([contender(0, "Guess", 0, 180, seed=9), small, large])
    assert ranking.standings[1].contender is small and ranking.standings[1].may_be_as_good
    assert ranking.recommended is ranking.best


def test_all_numbers_of_a_ranking_by_cost_are_under_least_expected_cost():
    (one, evaluation), _ = priced_contenders((2, 2, 1.0), (3, 4, 4.0))
    assert one.report_by(By.COST).confusion.tolist() == standing(evaluation).confusion.tolist()
    assert one.report_by(By.COST).confusion.tolist() != one.report.confusion.tolist()
    assert one.report_by(By.RIGHT) is one.report


def test_the_baseline_is_added_once_and_has_the_accuracy_that_reports_give_it():
    one = contender(1, "Large", 4, 20, seed=2)
    *_, baseline = with_baseline([one], None)
    assert baseline.report.accuracy == one.report.baseline_accuracy and baseline.report.auc in (None, 0.5)
    assert with_baseline([one, baseline], None) == [one, baseline]


def test_the_interval_of_a_cost_is_that_of_the_corrected_test_over_the_folds():
    """It was that over the records: intervals lay apart whose difference was not significant."""
    (one, _), *_ = priced_contenders((2, 2, 1.0), (3, 4, 4.0))
    assert one.priced is not None
    scores, (low, high) = one.priced.scores, one.priced.interval
    half = one.priced.scale * corrected_t_margin(scores.accuracy, scores.test_share)
    ends = min(low, max(one.priced.standing.cheapest.least, one.priced.mean - half)), one.priced.mean + half
    assert one.interval(By.COST) == pytest.approx(ends) and ends[1] > high
    assert interval_title([one], By.COST) == wording.CI, "the wider of both"
    for n in (LEAST_PARTS - 1, LEAST_PARTS):
        some = replace(one.priced, scores=replace(scores, accuracy=scores.accuracy[:n]))
        assert some.has_enough_folds is (n == LEAST_PARTS)
    in_one = replace(scores, keys=scores.keys[:1], accuracy=scores.accuracy[:1])
    whole = replace(one, priced=replace(one.priced, scores=in_one))
    assert whole.interval(By.COST) == (low, high), "without folds that over the records"
    assert interval_title([whole], By.COST) == wording.CI_RECORDS


def corrected_t_margin(of_folds: np.ndarray, test_share: float) -> float:
    """Half of the 95% interval by Nadeau and Bengio (2003)."""
    k = len(of_folds)
    return float(stdtrit(k - 1, 0.975) * np.sqrt((1 / k + test_share) * of_folds.var(ddof=1)))


def test_a_ranking_by_auc_shows_the_mean_of_the_folds_or_the_very_interval_of_the_run():
    folds = ranking_contender(3, "Forest", 4, 96, 1.2)
    mean = paired_t(folds.scores.areas.accuracy, 0.95, folds.scores.test_share)
    assert folds.figure(By.AUC) == mean.difference and folds.interval(By.AUC) == mean.interval
    assert folds.noun(By.AUC) == wording.MEAN_AUC_OF_FOLDS
    result = folds.scores.result
    whole = replace(folds, scores=FoldScores.of(replace(result, folds=np.zeros_like(result.folds))))
    interval = whole.report.auc_interval
    assert interval is not None and interval.error is not None and whole.figure(By.AUC) == whole.report.auc
    assert whole.interval(By.AUC) == interval.ends and whole.report.auc_error == interval.error
    kinds = [interval_title([one], by) for one in (folds, whole) for by in (By.AUC, By.RIGHT)]
    assert kinds == [wording.CI_FOLDS, wording.CI_RECORDS, wording.CI_RECORDS, wording.CI_RECORDS]


def test_where_nothing_beats_guessing_that_is_said():
    ranking = ranked([contender(0, "Guess", 0, 100, seed=1), contender(1, "Large", 4, 96, seed=2)])
    assert in_words(ranking).headline == wording.TAKE_NONE
    blind = ranked([ranking_contender(1, "Guess", 0, 97, 0.0), ranking_contender(2, "Large", 4, 96, 0.0)])
    words = in_words(blind)
    assert words.headline == wording.TAKE_NONE
    assert any(each.startswith(wording.NOR_TELLS_CLASSES_APART) for each in words.sentences)


def test_of_equals_the_simpler_is_the_best():
    ranking = ranked([contender(0, "Large", 4, 20), contender(1, "Small", 1, 20)])
    assert ranking.best.contender.name == "Small"
    assert in_words(ranking).headline == wording.TAKE_SMALL_NOTHING_SIMPLER
    assert in_words(ranking).sentences == (wording.RANKED_BY_RIGHT,)


def test_on_training_records_nothing_is_recommended():
    ranking = ranked([contender(0, "A", 0, 40, on_training=True), contender(1, "B", 1, 0, on_training=True)])
    assert ranking.recommended is None
    assert wording.FITS_ITS_TRAINING_RECORDS in in_words(ranking).headline


def test_a_lead_in_words():
    behind = ranked([contender(0, "A", 0, 60, seed=3), contender(1, "B", 1, 20)]).standings[1].behind
    assert behind is not None
    low, high = behind.interval
    assert lead(behind) == wording.lead_with_interval(100 * low, 100 * high)


@pytest.mark.parametrize("learner", list(builtin().learners), ids=lambda learner: learner.id)
def test_what_a_learner_declares_for_trying_several_can_be_made(learner):
    for variant in learner.tried_with_several:
        made = learner().with_values(**variant.values)
        assert {name: made.values()[name] for name in variant.values} == dict(variant.values)
        assert 0 <= variant.burden <= 5


def test_where_only_one_was_judged_it_is_not_recommended():
    ranking = ranked([contender(0, "Guess", 0, 160)])
    assert ranking.recommended is None
    assert in_words(ranking).headline == wording.ONLY_GUESS_JUDGED
