"""One verdict on a pair of learners: Compare learners, Compare runs and the command line say the same sentence."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.core.run_control import RunContext
from algorithms.evaluation.compare.comparison import ComparedRun, compared_runs
from algorithms.evaluation.compare.ranking import (
    By,
    Contender,
    Ranking,
    in_words,
    lead_sentence,
    pair_sentence,
    ranked,
)
from algorithms.evaluation.compare.significance_tests import (
    FoldScores,
    LeadVerdict,
    PairedComparison,
    PairedLead,
    corrected_p,
    holm,
    other_p_values,
    tukey_holm,
)
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import CrossValidation, Holdout
from algorithms.evaluation.runner import evaluate
from tests.expected_texts import evaluation as wording

LEARNERS = ("zero-r", "one-r", "decision-stump", "naive-bayes", "c4.5", "linear-discriminant", "logistic-regression")

GIVEN = {"naive-bayes": "naive-bayes:numbers=gaussian"}


def judged_on_breast_cancer(method) -> tuple[Ranking, dict[str, ComparedRun]]:
    registry = builtin()
    data = registry.samples.get("breast-cancer").make(None, 1, RunContext(seed=1))
    contenders, runs = [], {}
    for burden, id in enumerate(LEARNERS):
        learner = registry.learners.get(id)(**({"numbers": "gaussian"} if id == "naive-bayes" else {}))
        result = evaluate(learner, data, method, RunContext(seed=1))
        runs[id] = ComparedRun(id, FoldScores.of(result))
        contenders.append(Contender(burden, id, burden, report(result), runs[id].scores))
    return ranked(contenders), runs


@pytest.mark.parametrize("method", [CrossValidation(), Holdout()], ids=["folds", "holdout"])
def test_on_breast_cancer_every_page_says_the_same_of_the_same_pair(method):
    ranking, runs = judged_on_breast_cancer(method)
    best = ranking.best.contender
    said = {each.contender.name: lead_sentence(best, each, By.RIGHT) for each in ranking.standings[1:]}
    compared = compared_runs(list(runs.values()))
    assert {pair.second.name: pair.sentence() for pair in compared.pairs} == said
    assert {pair.second.name: pair.lead.verdict for pair in compared.pairs} == {
        each.contender.name: each.verdict for each in ranking.standings[1:]
    }
    for name, sentence in said.items():  # two of them ticked alone
        two = compared_runs([runs[name], runs[best.name]], list(runs.values()))
        assert sentence in two.sentences and two.pairs[0].sentence() == sentence
    assert all(wording.CORRECTED_FOR_21 in sentence for sentence in said.values())
    if compared.overall is not None:  # the comparison over folds, which the command line prints
        names = compared.overall.learners
        over_folds = {frozenset((names[p.first], names[p.second])): p.lead.verdict for p in compared.overall.pairs}
        assert {pair.lead.verdict for pair in compared.pairs} > {LeadVerdict.REAL}
        for pair in compared.pairs:
            assert over_folds[frozenset((pair.first.name, pair.second.name))] is pair.lead.verdict
            assert pair.lead.interval is not None
            single_step = corrected_p([pair.p_value], [], 21)[0]
            assert (pair.lead.interval[0] > 0) == (single_step < 0.05), "the interval is that of the single step"
            assert pair.lead.corrected <= single_step + 1e-12, "which the step-down test is never stricter than"


def test_naive_bayes_on_breast_cancer_is_behind_by_what_may_be_chance_everywhere(capsys):
    """Compare learners called this lead sure (p = 0.009 alone), Compare runs chance."""
    ranking, runs = judged_on_breast_cancer(CrossValidation())
    (bayes,) = [each for each in ranking.standings if each.contender.name == "naive-bayes"]
    assert bayes.behind is not None and bayes.behind.p_value < 0.05 <= bayes.lead.corrected
    sentence = lead_sentence(ranking.best.contender, bayes, By.RIGHT)
    assert wording.MAY_BE_CHANCE_WITH_P in sentence
    words = in_words(ranking)
    assert wording.NAIVE_BAYES_IS_BEHIND not in " ".join(words.sentences)
    assert wording.CORRECTED_FOR_ALL_21 in words.caveat
    argv = ["compare", "sample:breast-cancer", *(word for id in LEARNERS for word in ("--learner", GIVEN.get(id, id)))]
    assert main([*argv, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert sentence in told["sentences"]
    assert told["headline"] == compared_runs(list(runs.values())).headline


def test_the_corrected_p_of_a_pair_never_rises_while_more_of_the_planned_learners_are_tested():
    """It was corrected for the learners tested so far, so that a difference could lose its significance."""
    ranking, runs = judged_on_breast_cancer(CrossValidation())
    n, everyone = len(LEARNERS), [place.contender for place in ranking.standings]
    last, last_above = dict[str, float](), dict[str, float]()
    for n_tested in range(2, n + 1):
        standings = ranked(everyone[:n_tested], n_planned=n).standings
        corrected = {place.contender.name: place.lead.corrected for place in standings if place.lead is not None}
        above = {p.contender.name: p.above_baseline.corrected for p in standings if p.above_baseline is not None}
        assert all(p <= last.get(name, 1.0) for name, p in corrected.items())
        assert all(p <= last_above.get(name, 1.0) for name, p in above.items())
        pairs = compared_runs([runs[each.name] for each in everyone[:n_tested]], n_planned=n).pairs
        assert {pair.second.name: pair.corrected for pair in pairs} == pytest.approx(corrected)
        assert {pair.lead.n_pairs for pair in pairs} == {21}
        last, last_above = corrected, above
    final = {place.contender.name: place.lead.corrected for place in ranking.standings if place.lead is not None}
    assert last == pytest.approx(final), "the correction of the whole family"
    so_far = in_words(ranked(everyone[:3], n_planned=n))
    assert wording.CORRECTED_FOR_ALL_21_OF_7 in so_far.caveat


def lead(low: float, high: float, corrected: float, n_pairs: int = 3) -> PairedLead:
    paired = PairedComparison((low + high) / 2, 0.01, (low, high), 0.95, 0.01, 10)
    return PairedLead(paired, 0.01, corrected, n_pairs)


def test_a_lead_is_real_chance_or_too_little_to_matter():
    assert lead(0.01, 0.03, 0.03).verdict is LeadVerdict.REAL
    assert lead(0.01, 0.03, 0.06).verdict is LeadVerdict.CHANCE
    assert lead(0.001, 0.004, 0.001).verdict is LeadVerdict.NEGLIGIBLE
    assert lead(-0.03, 0.02, 0.001).verdict is LeadVerdict.CHANCE, "no lead at all"
    assert PairedLead(None, 0.001, 0.001, is_ahead=True).verdict is LeadVerdict.REAL
    assert PairedLead(None, 0.001, 0.001, is_ahead=False).verdict is LeadVerdict.CHANCE
    words = lead(0.01, 0.03, 0.06).chance_words()
    assert words == wording.MAY_BE_CHANCE_CORRECTED
    assert lead(0.01, 0.03, 0.01, 1).chance_words() == wording.HARDLY_CHANCE_WITH_P


def test_a_family_of_pairs_is_corrected_as_a_whole():
    assert corrected_p([0.01, 0.2], [0.001], 3) == tukey_holm([0.01, 0.2, 0.001])[:2]
    assert corrected_p([0.01, 0.2], [0.001], 3, "holm") == holm([0.01, 0.2, 0.001])[:2]
    assert corrected_p([0.01], [], 3, "holm") == pytest.approx([0.03]), (
        "pairs that were not tested count as nothing found"
    )
    _, runs = judged_on_breast_cancer(CrossValidation())
    family = [run.scores for run in runs.values()]
    every = other_p_values(family, ())
    assert len(every) == 21 and np.isfinite(every).all()
    assert len(other_p_values(family, [(0, 1), (2, 5)])) == 19


def test_a_difference_that_is_zero_as_written_has_no_direction() -> None:
    none = lead(-0.02, 0.0201, 0.9)
    assert pair_sentence("A", "B", none).startswith(wording.DIFFER_BY_NO_POINTS)
    assert pair_sentence("A", "B", none, By.AUC).startswith(wording.DIFFER_BY_NO_AUC)
    assert pair_sentence("A", "B", lead(-0.02, 0.04, 0.9)).startswith(wording.A_LEADS_BY_A_POINT)


def test_the_p_of_a_pair_names_its_test() -> None:
    folds, records = lead(0.01, 0.03, 0.01, 1), replace(lead(0.01, 0.03, 0.01, 1), paired=ZERO_RECORDS)
    assert pair_sentence("A", "B", folds).endswith(f", {wording.BY_RESAMPLED_T}).")
    assert wording.BY_DELONG in pair_sentence("A", "B", records, By.AUC)
    assert wording.BY_RECORDS in pair_sentence("A", "B", records)
    assert wording.BY_INDEPENDENCE in pair_sentence("A", "B", PairedLead(None, 0.2, 0.2))


ZERO_RECORDS = PairedComparison(0.02, 0.01, (0.01, 0.03), 0.95, 0.01, 100, by_records=True)
