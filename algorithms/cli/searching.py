"""Several settings of a learner on the command line: what is tried, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from algorithms.cli.words import WrongUseError, assignments_of, id_and_assignments

if TYPE_CHECKING:
    from algorithms.core.filters import Recipe
    from algorithms.core.learned import Search
    from algorithms.core.learner import Learner
    from algorithms.core.trained import TrainedClassifier
    from algorithms.evaluation.result import EvaluationResult

MOST_LINES = 40


def with_search(learner: Learner, tried: Sequence[str], strategy: str | None) -> Learner:
    """The learner that tries these values of the learner's parameters; the learner itself where there are none."""
    if not tried:
        if strategy:
            raise WrongUseError("--strategy says how to search; say what with --search NAME=VALUES.")
        return learner
    from algorithms.evaluation.search_space import tried_text
    from algorithms.evaluation.tuned import Tuned

    id, assignments = id_and_assignments(strategy or "grid")
    refused = [name for name in assignments if name not in ("draws", "folds", "measure")]
    if refused:
        raise WrongUseError(f"--strategy: there is no {refused[0]!r}; a search has draws, folds and measure.")
    given = {name: Tuned.parameter(name).parsed(text) for name, text in assignments.items()}
    values = assignments_of(tried, "--search")
    if len(values) < len(tried):
        raise WrongUseError("--search: a parameter is named twice; give all its values at once: min_leaf=1,2,5.")
    text = tried_text(values)
    return Tuned(base=learner, tried=text, strategy=Tuned.parameter("strategy").parsed(id), **given)


def check_search(learner: Learner, recipe: Recipe) -> None:
    """Raise :class:`ParameterError` where the search asks for what the learner and the recipe do not have."""
    from algorithms.core.context import RunContext
    from algorithms.evaluation.tuned import Tuned

    if isinstance(learner, Tuned):
        learner.settings(recipe, RunContext())


def search_to_text(search: Search | None, result: EvaluationResult) -> str:
    """The settings tried on all records, the best first, and the numbers with what each of them is worth."""
    from algorithms.evaluation.presentation import number, table
    from algorithms.evaluation.search_figures import figures_of_run
    from algorithms.evaluation.search_words import ranked_settings

    if search is None:
        return ""
    ranked = ranked_settings(search)
    rows = [["setting", "lost", "error of that", "records"]]
    rows += [
        [search.words(at), number(_known(search.mean[at])), number(_known(search.spread[at])), f"{search.n_train[at]}"]
        for at in ranked[:MOST_LINES]
    ]
    more = [f"and {len(ranked) - MOST_LINES:,} more"] if len(ranked) > MOST_LINES else []
    said = [
        f"{number(each.value):<8} {each.name} [{each.mark}]\n         {each.sentence}"
        for each in figures_of_run(search, result)
    ]
    head = f"Settings tried on all {search.n_records:,} records, the best first:"
    return "\n".join([head, table(rows), *more, "", *said])


def searched_to_json(trained: TrainedClassifier, result: EvaluationResult) -> dict[str, Any] | None:
    """What was tried and chosen; null where nothing was. What flatters says so."""
    from algorithms.evaluation.search_figures import figures_of_run

    search = trained.search
    if search is None:
        return None
    return {
        "measure": search.measure,
        "strategy": search.strategy,
        "folds": search.n_folds,
        "parameters": list(search.names),
        "settings": [
            {
                "values": dict(zip(search.names, values, strict=True)),
                "loss": float(search.mean[at]),
                "standard_error": float(search.spread[at]),
                "records": int(search.n_train[at]),
                **({"failed": search.failures[at]} if search.failures[at] else {}),
            }
            for at, values in enumerate(search.settings)
        ],
        "chosen": dict(zip(search.names, search.settings[search.chosen], strict=True)),
        "chosen_in_folds": [dict(zip(s.names, s.settings[s.chosen], strict=True)) for s in result.searches],
        "estimates": [
            {"value": each.value, "what": each.name, "mark": each.mark, "sentence": each.sentence}
            for each in figures_of_run(search, result)
        ],
        "learner": trained.learner.to_json(),
        "filters": [step.to_json() for step in trained.filters],
    }


def _known(value: Any) -> float | None:
    return float(value) if value == value else None  # NaN is not itself
