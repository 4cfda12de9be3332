"""What the verdict pane says of a run: headline, sentences, chips. Words only, no widgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from algorithms.core.filters import Recipe
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.result import chosen_words
from algorithms.evaluation.verdict import in_100, verdict
from algorithms.learners.neighbors.space import EXACT
from algorithms.structures.bayes_network import BayesNetwork
from algorithms.structures.conditionals import Conditionals
from algorithms.structures.hyperplanes import Gaussians, Hyperplanes
from algorithms.structures.layers import Layers
from algorithms.structures.members import CodedMembers, Members, ModelStructure, WrappedStructure
from algorithms.structures.prototypes import Prototypes
from algorithms.structures.rule_set import RuleSet
from algorithms.structures.support_vectors import SupportVectors
from algorithms.structures.tree import Tree
from algorithms.text.names import shortened
from algorithms.text.numbers import index, price, seconds
from algorithms.text.sentences import counted
from workbench.session.decision_reports import OF_THE_TESTS_ALONE
from workbench.session.decision_rules import code_among
from workbench.session.runs import Run, RunState, after_steps, changed_since
from workbench.widgets.help import meaning

MOST_FAILURES = 3


@dataclass(frozen=True)
class VerdictText:
    """A headline with what stands dim beside it, and sentences of HTML below."""

    headline: str
    beside: str = ""
    sentences: tuple[str, ...] = ()


def interest_in(report: Report, chosen: str) -> int:
    """The class of interest among the run's own classes."""
    return code_among(report.classes, chosen, [c.n for c in report.per_class])


@dataclass(frozen=True, eq=False)
class RunStatus:
    """How a run stands as it is decided now: by what, in words, its report, and what a record costs, where known."""

    by: str
    report: Report
    cost: float | None = None

    def headline(self) -> str:
        """What it comes to; the cost first, where there is one: "As decided now: costs 0.716 a record, right ..."."""
        right = f"right {in_100(self.report.accuracy)} times in 100"
        costs = "" if self.cost is None else f"costs {price(self.cost)} a record, "
        return f"As decided now: {costs}{right}"


def words_of(
    run: Run, interest: str, now: RunStatus | None = None, costs: str = "", leaks: Sequence[str] = ()
) -> VerdictText:
    """What to say of a run, whatever its state; as it is decided ``now``, where that is not as its model decides.

    ``costs`` is a sentence on what that costs, where costs are set; ``leaks`` are clauses on what was left in of the
    answer.
    """
    if run.report is not None:
        report = run.report if now is None else now.report
        said = verdict(report, interest_in(report, interest), leaks)
        beside = () if now is None else (_beside_itself(run, run.report, now),)
        sentence = _with_bold_classes(said.sentence, report, interest)
        headline = said.headline if now is None else now.headline()
        return VerdictText(headline, said.interval_words, (*beside, *((costs,) if costs else ()), sentence))
    if run.state is RunState.FAILED:
        return VerdictText(f"{run.learner.name} could not be judged", "", (escape(run.message),))
    if run.state is RunState.STOPPED:
        before = f"{escape(run.learner.name)} was stopped before it was judged; start it again."
        return VerdictText("Stopped", "", (*((escape(run.message),) if run.message else ()), before))
    waits = "What is known so far stands on the left." if run.folds else "The verdict comes here."
    return VerdictText(f"Judging {run.learner.name}", "", (waits,))


def words_to_beat(report: Report, done: int, n: int) -> VerdictText:
    """What to say of the guess that others are tried against, while ``done`` of ``n`` are judged."""
    return VerdictText(
        f"Guessing is right {in_100(report.accuracy)} times in 100",
        "what the others must beat",
        (
            f"That is what always saying <b>{escape(report.baseline_class)}</b> comes to; no learner's verdict yet. "
            f"{done} of {n} are judged so far, the ranking above says how.",
        ),
    )


def _beside_itself(run: Run, own: Report, now: RunStatus) -> str:
    """By what it is decided now, and how right the model itself is, by which runs are compared."""
    low, high = own.interval
    itself = f"right {in_100(own.accuracy)} times in 100 (between {in_100(low)} and {in_100(high)})"
    caution = f" {OF_THE_TESTS_ALONE}" if run.result is not None and run.result.estimate is not None else ""
    return (
        f"This is as you have it decide in Evaluate: it <b>{escape(now.by)}</b>. As the model itself decides it is "
        f"{itself}; by that runs are compared.{caution}"
    )


def about(run: Run) -> str:
    """Whose verdict it is: "CART, depth 7 - after 1 step: scale numbers - 10 folds - seed 1"."""
    parts = (run.learner.summary(), after_steps(run.recipe), run.method.described(), f"seed {run.seed}")
    return " · ".join(filter(None, parts))


def _with_bold_classes(sentence: str, report: Report, interest: str) -> str:
    text = escape(sentence)
    chosen = escape(report.classes[interest_in(report, interest)])
    guessed = escape(report.baseline_class)
    text = text.replace(f"guessing {guessed} would", f"guessing <b>{guessed}</b> would", 1)
    return text.replace(f"Of those that are {chosen} it", f"Of those that are <b>{chosen}</b> it", 1)


def warnings_of(run: Run, data: Dataset | None, recipe: Recipe) -> Iterator[str]:
    """What a person should know of how this run came about, as plain sentences."""
    if run.is_judged and (changed := changed_since(run, data, recipe)):
        yield changed
    if run.state is RunState.FAILED and run.is_judged:
        yield f"The model to look at could not be trained. {run.message}"
    if run.state is RunState.STOPPED and run.is_judged:
        yield "Stopped before the model to look at was trained."
    result = run.result
    if result is None:
        return
    if result.partial:
        yield f"{result.finished_early()}."
    for failure in result.failures[:MOST_FAILURES]:
        yield f"{result.named(failure)} could not be judged: {failure.sentence}"
    if len(result.failures) > MOST_FAILURES:
        yield f"{len(result.failures) - MOST_FAILURES} more {result.method.part_name}s could not be judged."
    if result.estimate_remark:
        yield result.estimate_remark
    if result.searches:
        yield chosen_words(result.searches, result.method.part_name)
    yield from result.own_warnings


def chips_of(run: Run, interest: str, now: RunStatus | None = None) -> Iterator[tuple[str, str, str]]:
    """Name, figure and explanation of the numbers below the verdict, as it is decided ``now``."""
    report = run.report if now is None else now.report
    if report is None:
        return
    chosen = report.per_class[interest_in(report, interest)]
    yield (
        "Kappa",
        index(report.kappa),
        meaning("kappa"),
    )
    yield (
        "AUC",
        index(report.auc),
        meaning("AUC"),
    )
    yield (
        f"F ({shortened(chosen.label, 20, tuple(one.label for one in report.per_class))})",
        index(chosen.f),
        meaning("F"),
    )
    if run.result is not None:
        fit = run.result.timings.fit
        name = "fit, folds side by side added up" if run.result.n_folds > 1 else "fit"
        yield (
            name,
            seconds(fit),
            "Time spent learning, the sum over the folds: with several at once, more than the run took.",
        )
    yield "seed", str(run.seed), meaning("seed")


def structure_facts(structure: ModelStructure, n_records: int) -> tuple[str, str]:
    """Title and facts of what there is to look at."""
    on = f"on all {counted(n_records, 'record')}"
    if isinstance(structure, Tree):
        leaves = counted(structure.n_leaves, "leaf", "leaves")
        return "The tree", f"{on} · {leaves} · depth {structure.depth}"
    if isinstance(structure, RuleSet):
        rules, conditions = counted(structure.n_rules, "rule"), counted(structure.n_conditions, "condition")
        return "The rules", f"{on} · {rules} · {conditions}"
    if isinstance(structure, Conditionals):
        return "The model", f"{on} · {counted(structure.n_attributes, 'attribute')} weighed each by itself"
    if isinstance(structure, BayesNetwork):
        inner = f"{counted(structure.n_nodes, 'node')} · {counted(structure.n_arcs, 'arrow')}"
        return "The network", f"{on} · {inner}"
    if isinstance(structure, Hyperplanes):
        return "The model", f"{on} · {counted(structure.n_terms, 'term')} weighed together"
    if isinstance(structure, Layers):
        return "The network", f"{on} · {structure.in_words}"
    if isinstance(structure, SupportVectors):
        vectors = counted(int(structure.n_support.sum()), "support vector")
        machines = "" if structure.n_machines == 1 else f" of {structure.n_machines} machines"
        return "The margin", f"{on} · {vectors}{machines}"
    if isinstance(structure, Gaussians):
        return "The model", f"{on} · {structure.n_classes} classes with a shape of their own"
    if isinstance(structure, Prototypes):
        kept = f"{counted(structure.n_records, 'record')} kept"
        asked = "" if structure.distance == EXACT else f" · {counted(structure.k, 'neighbour')} asked"
        return "The records", f"{on} · {kept}{asked}"
    if isinstance(structure, WrappedStructure):
        return structure_facts(structure.parts[0], n_records)
    if isinstance(structure, CodedMembers):
        return "The members", f"{on} · {counted(structure.n_members, 'member')}, each for two sides"
    if isinstance(structure, Members):
        return "The committee", f"{on} · {counted(structure.n_members, 'member')}{_out_of_bag(structure)}"
    return "The model", f"{on} · knows only how frequent each class is"


def _out_of_bag(committee: Members) -> str:
    """How often the members are right about training records that they did not learn from, where that is known."""
    if not committee.known.is_tested:
        return ""
    return f" · right {100 * (1 - committee.known.out_of_bag):.0f} times in 100 on records that members left out"
