"""Comparison of learners on the same folds, and the runs chosen for comparison in Evaluate."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Protocol

from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.learner import Learner, Variant
from algorithms.core.registry import Registry
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext, limited
from algorithms.project.run_record import ComparisonMember, ComparisonRecord
from workbench.jobs.jobs import Job, Jobs, LatestTask, give_way
from workbench.session.decision_rules import Decisions, costs_of_run
from workbench.session.document import History
from workbench.session.runs import PROGRAM_MISTAKE, Run, RunEvaluated, RunList, RunState, another_run, judge_and_train

if TYPE_CHECKING:
    from algorithms.core.record_costs import RecordCosts
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.columns import FloatArray
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.compare.ranking import Contender, Ranking
    from algorithms.evaluation.costs.cost_matrix import CostMatrix
    from algorithms.evaluation.costs.cost_workings import CostedResult
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True, eq=False)
class CostSnapshot:
    """Frozen costs and table of the session, for a worker."""

    costs: CostMatrix | None
    table: Dataset | None


class CostsHolder:
    """Latest snapshot of the costs: the window's thread sets it, a ranking worker reads it."""

    def __init__(self, snapshot: CostSnapshot) -> None:
        self.snapshot = snapshot


@dataclass(frozen=True, eq=False)
class RankingUnderCosts:
    """A ranking and its costs; None where all errors cost the same."""

    ranking: Ranking
    costs: CostMatrix | None


def ranked_under(
    under: CostSnapshot,
    contenders: Sequence[Contender],
    runs: Sequence[Run],
    checkpoint: Callable[[], object],
    n_planned: int = 0,
) -> RankingUnderCosts:
    """In a worker: rank the contenders of ``n_planned`` under these costs; each key is an index in ``runs``."""
    from algorithms.evaluation.compare.ranking import ranked, with_baseline

    held = [
        replace(
            contender,
            priced=priced_under(
                under, runs[contender.key], contender.scores.result, contender.report.confusion, checkpoint
            ),
        )
        for contender in contenders
    ]
    baseline_costs = costs_under(under, runs[held[0].key], held[0].scores.result)
    return RankingUnderCosts(ranked(with_baseline(held, baseline_costs), checkpoint, n_planned), under.costs)


def priced_under(
    under: CostSnapshot, run: Run, result: EvaluationResult, confusion: FloatArray, checkpoint: Callable[[], object]
) -> CostedResult | None:
    """In a worker: the result of a run under these costs; None where :func:`costs_under` is."""
    from algorithms.evaluation.costs.cost_workings import CostEvaluation, priced

    costs = costs_under(under, run, result)
    return None if costs is None else priced(CostEvaluation(result, confusion, costs), checkpoint)


def costs_under(under: CostSnapshot, run: Run, result: EvaluationResult) -> RecordCosts | None:
    """Costs of the tests of a run; None without any for its classes, or where those of its records are unknown."""
    if under.costs is None:
        return None
    try:
        return costs_of_run(under.costs, run, under.table, result)
    except DataError:
        return None


@dataclass(frozen=True, eq=False)
class EntryStarted:
    """An entry started ``at`` this time of the monotonic clock. Cancelling ``part`` skips it."""

    key: int
    at: float
    part: RunContext


@dataclass(frozen=True, eq=False)
class EntryPublished:
    """An event published by the run of an entry."""

    key: int
    event: object


@dataclass(frozen=True, eq=False)
class EntryEnded:
    """An entry ended with a classifier or an ``error``, or was stopped for the reason in ``message``."""

    key: int
    seconds: float
    trained: TrainedClassifier | None = None
    error: Exception | None = None
    message: str = ""


CUT_TRIAL: Final = "Stopped: only the tested learners are ranked."
FINISHED_EARLY: Final = "Finished early: not all learners were tested."
BURDEN_COSTS: Final = 2.0
"""Assumed ratio of training times between neighbouring complexities, for progress only."""
SKIPPED: Final = "Skipped in the comparison."
LEAST: Final = 2
"""Fewest learners of a comparison."""


@dataclass(eq=False)
class ComparisonEntry:
    """One compared learner. ``run`` is listed when it starts, or already was."""

    burden: int
    run: Run
    has_begun: bool = False
    was_begun_before: bool = False
    seconds_before: float = 0.0
    """What an earlier run of this learner took on this table by this method; 0 without one."""

    @property
    def is_at_work(self) -> bool:
        return self.has_begun and self.run.is_running and not self.was_begun_before

    @property
    def name(self) -> str:
        """The learner and its options that differ from the defaults, as in the list of runs."""
        return self.run.learner.summary()


@dataclass(eq=False)
class Trial:
    """A comparison of learners, the simplest first, and its results so far."""

    entries: tuple[ComparisonEntry, ...]
    method: Method
    seed: int
    time_limit: float | None = None
    """Seconds after which a learner is stopped; None for no limit."""
    job: Job | None = None
    ranking: Ranking | None = None
    costs: CostMatrix | None = None
    unfinished: str = ""
    """Why some learners were not evaluated; empty where all were."""
    shown: Run | None = field(default=None)
    """Run that the comparison showed or found in view; any other was chosen by the user."""
    is_away: bool = False
    """Whether the user closed the ranking."""
    is_whole: bool = True
    """Whether all its learners are known; not those of an older project that had not started."""

    @property
    def can_resume(self) -> bool:
        return self.is_whole and len(self.entries) >= LEAST

    @property
    def is_running(self) -> bool:
        return self.job is not None and self.job.is_running

    @property
    def was_stopped(self) -> bool:
        """Whether the user ended it before all learners were tested."""
        return self.unfinished in (CUT_TRIAL, FINISHED_EARLY)

    @property
    def n_judged(self) -> int:
        """Evaluated learners, which need not be ranked yet."""
        return sum(entry.has_begun and entry.run.is_judged for entry in self.entries)

    @property
    def n_planned(self) -> int:
        """Number of learners whose pairs p-values are corrected for: all but those that failed or were skipped."""
        return sum(not entry.has_begun or not entry.run.has_dropped_out for entry in self.entries)

    @property
    def all_are_judged(self) -> bool:
        """Whether every learner is evaluated; the last model may still be training."""
        return all(entry.has_begun and (entry.run.is_judged or not entry.run.is_running) for entry in self.entries)

    def has(self, run: Run) -> bool:
        return any(entry.run is run for entry in self.entries)

    def entry_of(self, contender: Contender) -> ComparisonEntry:
        """The entry of a learner; an added baseline has none."""
        return self.entries[contender.key]


class Trials(QObject):
    """Compares learners, and keeps the last comparison."""

    changed = Signal()

    def __init__(self, registry: Registry, jobs: Jobs, history: History, ledger: RunList, decisions: Decisions) -> None:
        super().__init__(ledger)
        self._registry = registry
        self._jobs = jobs
        self._history = history
        self._ledger = ledger
        self._decisions = decisions
        self.current: Trial | None = None
        self._ranking = LatestTask(jobs)
        self._latest_costs = CostsHolder(CostSnapshot(None, None))
        decisions.costs_changed.connect(self._take_costs)
        decisions.costs_changed.connect(self._rank_again)
        history.shown.connect(self._take_costs)

    @property
    def at_work(self) -> Run | None:
        if self.current is None or not self.current.is_running:
            return None
        return next((entry.run for entry in self.current.entries if entry.is_at_work), None)

    @property
    def n_to_come(self) -> int:
        """Number of learners that have not started yet."""
        if self.current is None or not self.current.is_running:
            return 0
        return sum(not entry.has_begun for entry in self.current.entries)

    def usual(self) -> frozenset[str]:
        """Ids of the learners that a comparison takes unless the user chooses others."""
        return frozenset(learner.id for learner in self._registry.learners if learner.tried_with_several)

    def candidates(
        self, ids: Collection[str] | None = None, options: Mapping[type[Learner], Learner] | None = None
    ) -> list[tuple[Variant, Learner]]:
        """Settings of these learners, :meth:`usual` by default, that can take the data, the simplest first.

        A learner takes part with its ``options`` where they differ from its defaults, else with its variants.
        """
        chosen, options = self.usual() if ids is None else ids, options or {}
        settings: list[tuple[Variant, Learner]] = []
        for kind in self._registry.learners:
            if kind.id not in chosen:
                continue
            usual, own = kind(), options.get(kind)
            if own is not None and own != usual:
                settings.append((kind.variants()[-1], own))
            else:
                settings += [(v, usual.with_values(**v.values) if v.values else usual) for v in kind.variants()]
        able = [(variant, learner) for variant, learner in settings if not self._history.summaries.problems(learner)]
        return sorted(able, key=lambda setting: setting[0].burden)

    def skip(self) -> None:
        if (run := self.at_work) is not None:
            run.stop()

    def start(
        self,
        method: Method,
        seed: int,
        time_limit: float | None = None,
        candidates: Sequence[tuple[Variant, Learner]] | None = None,
    ) -> Trial:
        """Compare the candidates, :meth:`candidates` by default, by this method and seed; equal runs are reused.

        A learner is stopped after ``time_limit`` seconds. Raises :class:`DataError` for too few candidates.
        """
        chosen = self.candidates() if candidates is None else candidates
        if len(chosen) < LEAST:
            raise DataError("There are too few learners for this table to compare.", remedy="Start one of them alone.")
        self.forget()
        entries = tuple(self._entry(variant, learner, method, seed) for variant, learner in chosen)
        trial = Trial(entries, method, seed, time_limit, shown=self._ledger.current)
        latest = self._latest_costs
        self._take_costs()
        trial.job = self._jobs.start(
            f"Compare {len(entries)} learners, {method.described()}",
            lambda context: _judge_in_turn(latest, entries, time_limit, context),
            on_done=lambda finished: self._done(trial, finished),
            on_failed=lambda error: self._crashed(trial, error),
            on_stopped=lambda: self._stopped(trial),
            on_event=lambda event: self._take(trial, event),
            can_finish=True,
            worth_asking=True,
            seed=seed,
        )
        for entry in entries:
            if not entry.was_begun_before:
                self._ledger.update(entry.run, job=trial.job)
        self.current = trial
        self.changed.emit()
        return trial

    def start_again(self) -> None:
        """Compare the same learners again; what was judged in full is not judged again."""
        trial = self.current
        if trial is not None and not trial.is_running:
            again = [(Variant(entry.burden), entry.run.learner) for entry in trial.entries]
            self.start(trial.method, trial.seed, trial.time_limit, again)

    def forget(self) -> None:
        """Stop and forget the comparison. Its runs stay listed."""
        trial, self.current = self.current, None
        if trial is not None:
            if trial.job is not None:
                trial.job.stop()
            self.changed.emit()

    def put_away(self) -> None:
        """Close the ranking; it can be shown again."""
        self._set_away(True)

    def bring_back(self) -> None:
        self._set_away(False)

    def _set_away(self, is_away: bool) -> None:
        if self.current is not None and self.current.is_away != is_away:
            self.current.is_away = is_away
            self.changed.emit()

    @property
    def out_of_sight(self) -> Trial | None:
        """The closed comparison, if it has a ranking and a run that is still listed."""
        trial = self.current
        if trial is None or not trial.is_away or trial.ranking is None:
            return None
        return trial if any(entry.run in self._ledger.runs for entry in trial.entries) else None

    @property
    def record(self) -> ComparisonRecord | None:
        """What a project keeps: the entries whose run is listed, or has not started; None where none has."""
        trial = self.current
        if trial is None:
            return None
        begun = [entry for entry in trial.entries if entry.has_begun and entry.run in self._ledger.runs]
        entries = tuple(ComparisonMember(entry.name, entry.burden, entry.run.number) for entry in begun)
        unfinished = CUT_TRIAL if trial.is_running else trial.unfinished
        if not entries:
            return None
        waiting = tuple((entry.burden, entry.run.learner) for entry in trial.entries if not entry.has_begun)
        known = waiting if trial.is_whole else None
        return ComparisonRecord(entries, unfinished, trial.is_away, known, trial.time_limit)

    def restore(self, trial: Trial | None) -> None:
        """Take the comparison of a project."""
        self.current = trial
        self.changed.emit()
        self._rank_again()

    def cost_snapshot(self) -> CostSnapshot:
        """Costs and table as they are now, for a worker."""
        document = self._history.document
        return CostSnapshot(self._decisions.costs, None if document is None else document.data)

    def _take_costs(self, *_shown: object) -> None:
        self._latest_costs.snapshot = self.cost_snapshot()

    def _rank_again(self) -> None:
        """Rank again under the current costs, unless the comparison is running, which ranks by itself."""
        trial = self.current
        if trial is None or trial.ranking is None or trial.is_running or trial.costs == self._decisions.costs:
            return
        if self.is_ranking:
            return
        contenders, runs = [item.contender for item in trial.ranking.learners], [item.run for item in trial.entries]
        under, n_planned = self.cost_snapshot(), trial.n_planned

        def done(result: RankingUnderCosts) -> None:
            if trial is self.current:
                trial.ranking, trial.costs = result.ranking, result.costs
                self.changed.emit()
            self._rank_again()

        self._ranking.run(
            "", lambda context: ranked_under(under, contenders, runs, context.checkpoint, n_planned), on_done=done
        )

    @property
    def is_ranking(self) -> bool:
        """Whether a ranking under changed costs is being computed."""
        return self._ranking.is_running

    def has_rule_by_rank(self, run: Run) -> bool:
        """Whether least expected cost ranked the runs, and this one has no rule of its own."""
        ranking = None if self.current is None else self.current.ranking
        return ranking is not None and ranking.by.is_cost and self._decisions.chosen(run) is None

    def use_ranking_rule(self, run: Run) -> None:
        """Decide by least expected cost, if that ranked a compared run that has no rule of its own."""
        from algorithms.evaluation.costs.decision_rules import ByCost  # late: only a ranking by costs needs it

        if self.has_rule_by_rank(run):
            self._decisions.choose(run, ByCost())
            self._jobs.messages.note(f"Run {run.number} decides by least expected cost now, as it was ranked.")

    def show(self, entry: ComparisonEntry) -> None:
        """Bring the run of an entry into view, if it is still listed."""
        if entry.run in self._ledger.runs:
            self._ledger.set_current(entry.run)

    def _entry(self, variant: Variant, learner: Learner, method: Method, seed: int) -> ComparisonEntry:
        run = self._ledger.new(learner, method, seed)
        old = self._ledger.same_as(run)
        if old is not None:
            return ComparisonEntry(variant.burden, old, has_begun=True, was_begun_before=True)
        before = self._ledger.seconds_before(run.data, method).get(type(learner), 0.0)
        return ComparisonEntry(variant.burden, run, seconds_before=before)

    def _take(self, trial: Trial, event: object) -> None:
        if isinstance(event, RankingUnderCosts):
            trial.ranking, trial.costs = event.ranking, event.costs
            if trial.job is not None:
                trial.job.set_has_something(True)
        elif isinstance(event, EntryStarted):
            self._begin(trial, trial.entries[event.key], event)
        elif isinstance(event, EntryPublished):
            self._ledger.take_event(trial.entries[event.key].run, event.event)
            if trial.job is not None and trial.ranking is not None:
                trial.job.set_has_something(True)
            if not isinstance(event.event, RunEvaluated):
                return
        elif isinstance(event, EntryEnded):
            run = trial.entries[event.key].run
            if event.trained is not None:
                self._ledger.complete(run, event.trained, event.seconds)
            elif event.error is not None:
                self._ledger.fail(run, event.error, event.seconds, said_elsewhere=True)
            else:
                self._ledger.update(run, message=event.message)
                self._ledger.end(run, RunState.STOPPED, event.seconds)
        self.changed.emit()

    def _begin(self, trial: Trial, entry: ComparisonEntry, begun: EntryStarted) -> None:
        """List a run that starts, and show it if no run is in view."""
        entry.has_begun = True
        began_at = 0.0 if trial.job is None else trial.job.seconds - (time.monotonic() - begun.at)
        self._ledger.update(entry.run, began_at=began_at, part=begun.part)
        self._ledger.enter(entry.run)
        if self._ledger.current is None:
            self._show(trial, entry.run)

    def _show(self, trial: Trial, run: Run) -> None:
        trial.shown = run
        self._ledger.set_current(run)

    def _done(self, trial: Trial, finished: bool) -> None:
        if not finished:
            trial.unfinished = FINISHED_EARLY
        self._end(trial)

    def _stopped(self, trial: Trial) -> None:
        trial.unfinished = CUT_TRIAL
        for entry in trial.entries:
            if entry.is_at_work:
                self._ledger.end(entry.run, RunState.STOPPED)
        self._end(trial)

    def _crashed(self, trial: Trial, error: object) -> None:
        trial.unfinished = PROGRAM_MISTAKE
        for entry in trial.entries:
            if entry.is_at_work:
                self._ledger.end(entry.run, RunState.FAILED)
        self._jobs.report_bug(error)
        self._end(trial)

    def _end(self, trial: Trial) -> None:
        """Show the recommended run, unless the user chose another one."""
        recommended = None if trial.ranking is None else trial.ranking.recommended or trial.ranking.best
        if trial.ranking is not None and recommended is not None and recommended.contender.is_baseline:
            recommended = trial.ranking.learners[0]
        if recommended is not None and trial is self.current:
            run = trial.entry_of(recommended.contender).run
            if run in self._ledger.runs and self._ledger.current in (None, trial.shown):
                self._show(trial, run)
        self.changed.emit()
        self._rank_again()


def restored_trial(kept: ComparisonRecord | None, runs: Sequence[Run], checkpoint: Callable[[], None]) -> Trial | None:
    """In a worker: a comparison from a project, ranked by its listed runs; None without any."""
    numbered = {run.number: run for run in runs}
    if kept is None:
        return None
    entries = tuple(
        ComparisonEntry(entry.burden, numbered[entry.run], has_begun=True)
        for entry in kept.entries
        if entry.run in numbered
    )
    contenders = []
    for key, entry in enumerate(entries):
        checkpoint()
        if entry.run.result is not None and entry.run.report is not None:
            contenders.append(_contender(key, entry, entry.run.result, entry.run.report))
    if not contenders:
        return None
    from algorithms.evaluation.compare.ranking import ranked, with_baseline

    first = entries[0].run
    waiting = tuple(  # last, as the contenders have the places of the others
        ComparisonEntry(burden, another_run(first, learner, first.method, first.recipe))
        for burden, learner in kept.waiting or ()
    )
    trial = Trial(
        entries + waiting,
        first.method,
        first.seed,
        kept.time_limit,
        unfinished=kept.unfinished,
        is_away=kept.is_away,
        is_whole=kept.waiting is not None,
    )
    trial.ranking = ranked(with_baseline(contenders, None), checkpoint, trial.n_planned)
    return trial


def _contender(key: int, entry: ComparisonEntry, result: EvaluationResult, report: Report) -> Contender:
    from algorithms.evaluation.compare.ranking import Contender
    from algorithms.evaluation.compare.significance_tests import FoldScores

    return Contender(key, entry.name, entry.burden, report, FoldScores.of(result))


def shares_of_work(entries: Sequence[ComparisonEntry]) -> list[float]:
    """Estimated share of the work of each entry: by its time before, else by its complexity; 0 for reused runs."""
    works = [0.0 if entry.was_begun_before else BURDEN_COSTS**entry.burden for entry in entries]
    known = [(entry.seconds_before, work) for entry, work in zip(entries, works, strict=True) if entry.seconds_before]
    pace = sum(seconds for seconds, _ in known) / (sum(work for _, work in known) or 1.0) or 1.0
    works = [entry.seconds_before or pace * work for entry, work in zip(entries, works, strict=True)]
    return [work / (sum(works) or 1.0) for work in works]


def _has_result(key: int, contenders: list[Contender]) -> bool:
    return any(contender.key == key for contender in contenders)


def _gave_up(key: int, contenders: list[Contender], context: RunContext) -> bool:
    """Whether a run ended without a result because the comparison was finished early."""
    return context.finishing and not _has_result(key, contenders)


def _judge_in_turn(
    latest: CostsHolder, entries: tuple[ComparisonEntry, ...], time_limit: float | None, context: RunContext
) -> bool:
    """In a worker: evaluate the entries in turn, ranking after each; False where it was finished early."""
    contenders: list[Contender] = []
    dropped: set[int] = set()
    context.runs_parts_in_turn = True
    runs, shares = [entry.run for entry in entries], shares_of_work(entries)

    def rank() -> None:
        n_planned = len(entries) - len(dropped)
        context.publish(ranked_under(latest.snapshot, contenders, runs, context.checkpoint, n_planned))

    def enter(key: int, result: EvaluationResult, report: Report) -> None:
        contenders.append(_contender(key, entries[key], result, report))
        rank()

    def drop(key: int) -> None:
        """Ranks the others without a learner that failed or was skipped."""
        dropped.add(key)
        if contenders:
            rank()

    for key, entry in enumerate(entries):
        if context.finishing:
            context.checkpoint()
            return False
        if entry.was_begun_before:
            has_time = _await(entry.run, context)
            if entry.run.result is not None and entry.run.report is not None:
                enter(key, entry.run.result, entry.run.report)
            elif not has_time:
                return False
            elif entry.run.has_dropped_out:
                drop(key)
            continue
        start = time.monotonic()
        part = context.child(shares[key], key, same_seed=True, listener=_teller(key, context, enter))
        context.publish(EntryStarted(key, start, part))
        trained, failure, message = None, None, ""
        try:
            with limited(part, time_limit) as limit:
                trained = judge_and_train(entry.run, part)
        except Cancelled:
            context.checkpoint()  # raises where the whole comparison was stopped
            message = f"Stopped at the time limit of {time_limit or 0.0:g} s." if limit.is_over else SKIPPED
        except Exception as error:  # one learner's failure must not stop the others; its run records it
            failure = None if _gave_up(key, contenders, context) else error
        context.publish(EntryEnded(key, time.monotonic() - start, trained, failure, message))
        if (failure is not None or message) and not _has_result(key, contenders):
            drop(key)
        part.complete()
    return True


def _await(run: Run, context: RunContext) -> bool:
    """Wait until a separately started run is evaluated or ends; False where the comparison is finished first."""
    while run.is_running and run.report is None and not context.finishing:
        context.checkpoint()
        context.say(f"Waiting for run {run.number}, which was started before", is_waiting=True)
        give_way()
    context.say("")
    return not context.finishing


def _teller(key: int, context: RunContext, enter: Callable[..., None]) -> Callable[[object], None]:
    """Listener that forwards the events of a run, and ranks it once it is evaluated."""

    def tell(event: object) -> None:
        context.publish(EntryPublished(key, event))
        if isinstance(event, RunEvaluated):
            enter(key, event.result, event.report)

    return tell


FEWEST: Final = 2


class WindowPlace(Protocol):
    """What remembers and changes where the user is in the window."""

    place: Mapping[str, object]

    def set_place(self, **changed: object) -> None: ...

    def ask_for_tab(self, name: str) -> None: ...


class ComparisonSelection(QObject):
    """Runs chosen for comparison: the list of runs chooses them, Evaluate shows them."""

    asked = Signal()

    def __init__(self, ledger: RunList, trials: Trials, window: WindowPlace) -> None:
        super().__init__(ledger)
        self._ledger = ledger
        self._trials = trials
        self._window = window

    @property
    def judged(self) -> list[Run]:
        """Runs with a result, in the order of starting."""
        return [run for run in self._ledger.runs if run.report is not None]

    def runs(self) -> list[Run]:
        """Compared runs, in the order of starting."""
        place, in_view = self._window.place, self._ledger.judged
        numbers = place.get("runs_compared")
        ticked = None if "runs_compared" in place else place.get("compared")
        if isinstance(ticked, list) and in_view is not None:
            numbers = [*ticked, in_view.number]  # older projects did not list the run in view
        if not isinstance(numbers, list):
            return self.usual()
        return [run for run in self.judged if run.number in numbers]

    def usual(self) -> list[Run]:
        """Default choice: runs with the same tests as the run in view, else all runs not tested on training data."""
        honest = [run for run in self.judged if run.result is not None and not run.result.test_is_training]
        in_view = self._ledger.judged
        alike = [run for run in honest if in_view is not None and _has_same_tests(run, in_view)]
        return alike if len(alike) >= FEWEST else honest

    def n_planned_with(self, runs: Sequence[Run]) -> int:
        """Number of learners asked for by the comparison that all of these runs came from; 0 without one."""
        trial = self._trials.current
        return 0 if trial is None or not all(map(trial.has, runs)) else trial.n_planned

    def tried_with(self, runs: Iterable[Run]) -> list[Run]:
        """Runs counted by the correction for multiple tests: the whole comparison, if all of these came from one."""
        compared, trial = list(runs), self._trials.current
        tried = [] if trial is None else [entry.run for entry in trial.entries if entry.run.is_judged]
        return tried if all(run in tried for run in compared) else compared

    def choose(self, runs: Iterable[Run] | None) -> None:
        """Choose the runs to compare; None restores the default."""
        self._window.set_place(runs_compared=None if runs is None else sorted(run.number for run in runs))

    def ask(self, runs: Iterable[Run] | None) -> None:
        """Choose the runs and show their comparison in Evaluate; None stands for :meth:`usual`."""
        self.choose(runs)
        self._window.ask_for_tab("evaluate")
        self.asked.emit()


def _has_same_tests(run: Run, other: Run) -> bool:
    one, two = run.result, other.result
    if one is None or two is None:
        return False
    same = (one.method, one.seed, one.classes) == (two.method, two.seed, two.classes)
    return same and one.n_training == two.n_training
