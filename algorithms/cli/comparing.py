"""The verb ``compare``: several learners on one file or on several, in words, then as tables."""

from __future__ import annotations

import argparse
import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.output import say
from algorithms.cli.recipes import recipe_of
from algorithms.cli.sources import source_of, with_class
from algorithms.cli.watching import watched
from algorithms.cli.words import WrongUseError, id_and_assignments, made, refuse_to_write_over
from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.registry import Registry
from algorithms.core.replacement import write_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from algorithms.core.context import RunContext
    from algorithms.core.data import Dataset
    from algorithms.core.filters import Recipe
    from algorithms.core.learner import Learner
    from algorithms.core.resampling import Method
    from algorithms.evaluation.comparing import Judged
    from algorithms.evaluation.contest import Contest
    from algorithms.evaluation.significance import Outcome

    PairTests = tuple[str, str, list[Outcome]]
    """What two are called, and what each test says of them."""

LEAST: Final = 2


def compare_learners(options: argparse.Namespace, registry: Registry) -> None:
    learners = [_learner(text, registry) for text in options.learner]
    if len(learners) < LEAST:
        raise WrongUseError("compare needs two learners at least: --learner ID --learner ID")
    id, assignments = id_and_assignments(options.method or "cross-validation")
    method: Method = made(registry.methods.get(id), assignments, registry)
    if method.needs_test_data or not method.honest:
        raise WrongUseError(f"{id} is no method to compare by: each learner must be tested on records it never saw.")
    recipe: Recipe = recipe_of(options, registry)
    sources = [source_of(text, registry) for text in options.data]
    for read in options.data:
        refuse_to_write_over(read, "--out", options.out)
    names, titles = named(learners), _titles(options.data)

    def work(context: RunContext) -> tuple[Contest, list[PairTests], list[str]]:
        found: list[list[Judged] | None] = []
        remarks: list[str] = []
        for at, (source, title) in enumerate(zip(sources, titles, strict=True)):
            part = context.child(1 / len(sources), at, same_seed=True)
            data = with_class(source(part.child(0.0, 0)), options.class_name)
            try:
                found.append(_judged(data, learners, names, method, recipe, title, part))
            except DataError as error:
                if len(sources) == 1:
                    raise
                found.append(None)
                remarks.append(f"{title} was left out: {error}")
            part.complete()
        contest = _contest(found, titles, names, options)
        alone = found[0] if len(found) == 1 else None
        return contest, [] if alone is None else _tests_of_pairs(contest, alone), remarks

    contest, tests, remarks = watched(work, options.seed, options.threads)
    corner = "fold" if len(sources) == 1 else "data set"
    if options.out is not None:
        _write(options.out, contest, corner)
    if options.json:
        say(_to_json(contest, tests, remarks))
    else:
        say(_to_text(contest, tests, remarks, corner, options.out))


def _learner(text: str, registry: Registry) -> Learner:
    id, assignments = id_and_assignments(text)
    learner: Learner = made(registry.learners.get(id), assignments, registry)
    return learner


def named(learners: list[Learner]) -> list[str]:
    """What each is called: by its id, with its options where two have the same; numbered where even these are."""
    ids = [learner.id for learner in learners]
    told = [learner.id if ids.count(learner.id) == 1 else learner.summary() for learner in learners]
    return [name if told.count(name) == 1 else f"{name} #{at + 1}" for at, name in enumerate(told)]


def _titles(paths: list[str]) -> list[str]:
    """The names of the files; whole paths where two have the same."""
    short = [path if path.startswith("sample:") else Path(path).stem for path in paths]
    return short if len(set(short)) == len(short) else [f"{path} #{at + 1}" for at, path in enumerate(paths)]


def _judged(
    data: Dataset,
    learners: list[Learner],
    names: list[str],
    method: Method,
    recipe: Recipe,
    title: str,
    context: RunContext,
) -> list[Judged]:
    from algorithms.evaluation.compare import PartScores
    from algorithms.evaluation.comparing import Judged
    from algorithms.evaluation.runner import evaluate

    found = []
    for at, (learner, name) in enumerate(zip(learners, names, strict=True)):
        judging = context.child(1 / len(learners), at + 1, same_seed=True)
        context.say(f"{title}: {name}")
        try:
            result = evaluate(learner, data, method, judging, recipe=recipe)
        except CoppiceError as error:
            raise DataError(f"{name}: {error.sentence}", remedy=error.remedy) from error
        found.append(Judged(name, PartScores.of(result)))
        judging.complete()
    return found


def _contest(
    found: list[list[Judged] | None], titles: list[str], names: list[str], options: argparse.Namespace
) -> Contest:
    import numpy as np

    from algorithms.evaluation.comparing import parts_of_all
    from algorithms.evaluation.contest import contested

    judged = [(title, runs) for title, runs in zip(titles, found, strict=True) if runs is not None]
    if len(found) == 1:
        rows, table = parts_of_all(judged[0][1])
        share = float(np.mean([run.scores.test_share for run in judged[0][1]]))
        return contested(names, rows, table, rope=options.rope, correction=options.correction, test_share=share)
    scores = np.array([[run.accuracy for run in runs] for _, runs in judged]).reshape(len(judged), len(names))
    sure = _surely_better([runs for _, runs in judged], len(names))
    rows = [title for title, _ in judged]
    return contested(names, rows, scores, rope=options.rope, correction=options.correction, sure=sure)


def _tests_of_pairs(contest: Contest, judged: list[Judged]) -> list[PairTests]:
    """Of each pair of the contest over one file, the better first, every test that fits."""
    from algorithms.evaluation.comparing import tests_of

    pairs = [(judged[duel.first], judged[duel.second]) for duel in contest.duels]
    return [(one.name, other.name, tests_of(one, other)) for one, other in pairs]


def _surely_better(judged: list[list[Judged]], k: int) -> NDArray[np.int64]:
    """(n, k, k): 1 where the first is better on a data set by the corrected resampled t test, for each pair alone."""
    import numpy as np

    from algorithms.evaluation.compare import compared

    sure = np.zeros((len(judged), k, k), dtype=np.int64)
    for at, runs in enumerate(judged):
        for a in range(k):
            for b in range(k):
                if a != b:
                    found = compared(runs[a].scores, runs[b].scores)
                    sure[at, a, b] = found.significant and found.difference > 0
    return sure


# ---- what is written -------------------------------------------------------------------------------------------------


def _to_text(contest: Contest, pairs: list[PairTests], remarks: list[str], corner: str, written: str | None) -> str:
    from algorithms.evaluation.contest import FOLDS_AS_SETS, duel_rows, score_rows
    from algorithms.evaluation.presentation import number, table

    parts = [f"{contest.headline}. {' '.join(contest.sentences)}", table(score_rows(contest, corner))]
    tests = [["", "statistic", "p"]]
    tests += [[t.name, f"{t.symbol} = {number(t.statistic)}", number(t.p_value)] for t in contest.tests]
    if contest.tests:
        parts.append(table(tests))
    caution = f" {FOLDS_AS_SETS}" if corner == "fold" else ""
    parts.append(f"Mean places further apart than {contest.critical:.2f} differ (Nemenyi).{caution}")
    parts.append(table(duel_rows(contest)))
    if pairs:
        rows = [["each pair alone", "test", "statistic", "p"]]
        rows += [
            [f"{one}, {other}", t.name, f"{t.symbol} = {number(t.statistic)}" if t.symbol else "", number(t.p_value)]
            for one, other, tests_of_pair in pairs
            for t in tests_of_pair
        ]
        parts.append(table(rows))
        parts.extend(dict.fromkeys(f"Note: {t.name}: {t.caution}" for _, _, own in pairs for t in own if t.caution))
    parts.extend(f"Note: {words}" for words in dict.fromkeys(_cautions(contest)))
    parts.extend(f"Note: {remark}" for remark in remarks)
    parts.extend([f"Saved as {written}."] if written else [])
    return "\n\n".join(parts)


def _cautions(contest: Contest) -> list[str]:
    """What makes the tests of single pairs doubtful, with the test's name."""
    return [f"{duel.test.name}: {duel.test.caution}" for duel in contest.duels if duel.test.caution]


def _write(path: str, contest: Contest, corner: str) -> None:
    """Accuracies and places, an empty line, and the pairs, as CSV."""
    from algorithms.evaluation.contest import duel_rows, score_rows

    text = io.StringIO()
    csv.writer(text).writerows([*score_rows(contest, corner), [], *duel_rows(contest)])
    write_text(path, text.getvalue())


def _outcome(test: Outcome) -> dict[str, Any]:
    return {"name": test.name, "statistic": test.statistic, "p_value": test.p_value, "caution": test.caution}


def _to_json(contest: Contest, pairs: list[PairTests], remarks: list[str]) -> dict[str, Any]:
    names = contest.learners
    return {
        "headline": contest.headline,
        "sentences": list(contest.sentences),
        "learners": list(names),
        "rows": list(contest.rows),
        "accuracy": contest.scores.tolist(),
        "places": dict(zip(names, contest.places.tolist(), strict=True)),
        "critical_difference": contest.critical,
        "not_told_apart": [[names[contest.order[at]] for at in range(a, b + 1)] for a, b in contest.bars],
        "tests": [_outcome(test) for test in contest.tests],
        "correction": contest.correction,
        "pairs": [
            {
                "first": names[duel.first],
                "second": names[duel.second],
                "wins": duel.wins,
                "draws": duel.draws,
                "losses": duel.losses,
                "sure_wins": duel.sure_wins,
                "sure_losses": duel.sure_losses,
                "difference": duel.difference,
                "test": duel.test.name,
                "p_value": duel.test.p_value,
                "corrected": duel.corrected,
                "nemenyi": duel.nemenyi,
                "belief": {"first": duel.belief.first, "same": duel.belief.same, "second": duel.belief.second},
                "rope": duel.belief.rope,
            }
            for duel in contest.duels
        ],
        "tests_of_pairs": [
            {"first": one, "second": other, "tests": [_outcome(test) for test in tests]} for one, other, tests in pairs
        ],
        "warnings": remarks,
    }
