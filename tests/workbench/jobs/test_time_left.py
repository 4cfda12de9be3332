"""How long work still takes: by its pace, without what it waited, and never a time that has run out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from algorithms.core import run_control
from algorithms.core.run_control import PartDone, RunContext
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import time_left
from tests.expected_texts import session as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, small_data
from workbench.jobs import jobs as jobs_module
from workbench.jobs.jobs import STARTING_SECONDS, TimeEstimate
from workbench.session.learner_comparison import BURDEN_COSTS, ComparisonEntry, shares_of_work


def test_the_time_left_goes_down_between_two_steps_of_the_work() -> None:
    pace = TimeEstimate(100.0)
    assert pace.seconds_left(0.0, 101.0, False) is None
    assert pace.seconds_left(0.25, 104.0, False) == pytest.approx(12.0)
    assert pace.seconds_left(0.25, 107.0, False) == pytest.approx(9.0)


def test_work_that_stands_still_longer_than_was_foretold_has_no_time_left_until_it_moves() -> None:
    pace = TimeEstimate(0.0)
    assert pace.seconds_left(0.5, 4.0, False) == pytest.approx(4.0)
    assert pace.seconds_left(0.5, 8.1, False) is None
    assert pace.seconds_left(0.75, 9.0, False) == pytest.approx(3.0)


def test_waiting_for_something_else_has_no_pace_and_is_no_part_of_it() -> None:
    pace = TimeEstimate(0.0)
    assert pace.seconds_left(0.5, 4.0, False) == pytest.approx(4.0)
    assert pace.seconds_left(0.5, 4.5, True) is None
    assert pace.is_waiting
    assert pace.seconds_left(0.5, 204.5, True) is None
    assert pace.seconds_left(0.5, 205.5, False) == pytest.approx(3.5)
    left = pace.seconds_left(0.75, 206.5, False)
    assert left is not None and 5.5 / 3 < left < 2.5, "from what was foretold towards what 5.5 seconds of work tell"


def test_nothing_is_foretold_of_the_first_moments() -> None:
    pace = TimeEstimate(0.0)
    assert pace.seconds_left(0.5, 0.1, False) is None
    assert pace.seconds_left(-1.0, 5.0, False) is None


def test_of_work_that_goes_evenly_what_is_left_is_told_to_the_second() -> None:
    pace = TimeEstimate(0.0)
    for second in range(3, 100):
        assert pace.seconds_left(second / 100, float(second), False) == pytest.approx(100 - second)


def test_parts_that_are_slow_and_quick_in_turn_do_not_make_what_is_left_jump() -> None:
    """Ten parts, every other one eight times as slow: beside what the pace of all the work so far would tell."""
    pace, now = TimeEstimate(0.0), 0.0
    shown, bare = [], []
    for percent in range(1, 101):
        now += 4.0 if (percent // 10) % 2 else 0.5
        left = pace.seconds_left(percent / 100, now, False)
        if left is not None:
            shown.append(left)
            bare.append(now * (100 - percent) / percent)

    def rises(told: list[float]) -> list[float]:
        return [max(0.0, after - before) for before, after in pairwise(told)]

    assert max(rises(shown)) < 0.2 * max(rises(bare))
    assert sum(rises(shown)) < 0.4 * sum(rises(bare))
    assert shown[-1] < 2


SECONDS_BY_COMPLEXITY = (
    (0, 0.1),
    (1, 0.1),
    (2, 1.7),
    (3, 0.3),
    (3, 0.2),
    (3, 6.3),
    (5, 4.4),
    (5, 6.4),
    (5, 4.3),
    (5, 11.7),
    (5, 21.4),
)
"""Complexity and measured seconds of the learners that are usually compared, on 2,000 letters, in their order."""


def test_what_is_left_of_a_comparison_is_not_far_too_low_though_the_quick_learners_come_first() -> None:
    """As all pace so far, 7 s were told where the last learner had 21 s to go."""
    works = [BURDEN_COSTS**complexity for complexity, _ in SECONDS_BY_COMPLEXITY]
    weights, pace, now = [work / sum(works) for work in works], TimeEstimate(0.0), 0.0
    total, told = sum(seconds for _, seconds in SECONDS_BY_COMPLEXITY), []
    finished: list[PartDone] = []
    for weight, (_, seconds) in zip(weights, SECONDS_BY_COMPLEXITY, strict=True):
        steps = max(1, round(seconds / 0.1))
        for step in range(1, steps + 1):
            now += seconds / steps
            parts = [*finished, PartDone(weight, step / steps, seconds * step / steps)]
            share = sum(part.weight * part.done for part in parts)
            left = pace.seconds_left(share, now, False, parts)
            if left is not None and total - now > 1:
                told.append(left / (total - now))
        finished.append(PartDone(weight, 1.0, seconds))
    assert len(told) > 300 and min(told) > 0.5 and max(told) < 2.5


def test_a_comparison_foretells_nothing_while_only_quick_learners_were_tried() -> None:
    """After two quick ones, 4 s were told where the other three took 34 s."""
    quick, pace = [PartDone(0.05, 1.0, 0.1), PartDone(0.1, 1.0, 0.6)], TimeEstimate(0.0)
    slow = PartDone(0.4, 0.0, 0.1)
    assert pace.seconds_left(0.15, 0.8, False, [*quick, slow]) is None
    left = pace.seconds_left(0.19, 1.7, False, [*quick, slow._replace(done=0.1, seconds=1.0)])
    assert left is not None and left > 9


def test_learners_that_were_timed_on_the_table_have_shares_by_their_times(stage: Stage) -> None:
    run = stage.session(small_data()).ledger.new(ZeroR(), CrossValidation(folds=2), 1)
    entries = [ComparisonEntry(0, run, seconds_before=2.0), ComparisonEntry(1, run), ComparisonEntry(0, run)]
    assert shares_of_work(entries) == pytest.approx([0.25, 0.5, 0.25])
    assert shares_of_work([*entries[:2], replace(entries[2], seconds_before=18.0)]) == pytest.approx([0.05, 0.5, 0.45])


def test_parts_to_come_have_a_pace_between_the_mean_and_the_slowest_without_its_start() -> None:
    """All work at the mean pace would take 16 s, at that of the slowest part 25 s: the parts to come have 20 s."""
    first, slow = PartDone(0.25, 1.0, 2.53), PartDone(0.25, 0.6, 0.6 * (STARTING_SECONDS + 6.25))
    left = TimeEstimate(0.0).seconds_left(0.4, 6.4, False, [first, slow])
    assert left == pytest.approx(0.4 * (STARTING_SECONDS + 6.25) + 20 * 0.5)
    slow, begun = PartDone(0.25, 1.0, STARTING_SECONDS + 6.25), PartDone(0.25, 0.0, 0.1)
    left = TimeEstimate(0.0).seconds_left(0.5, 8.0, False, [first, slow, begun])
    assert left == pytest.approx(20 * 0.25 - 0.1 + 20 * 0.25)


def test_the_paces_of_the_parts_reach_the_estimate_of_a_run(
    stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[float]] = []

    class Noting(TimeEstimate):
        def seconds_left(
            self, share: float, now: float, is_waiting: bool, parts: Sequence[PartDone] = ()
        ) -> float | None:
            seen.append([part.weight for part in parts])
            return super().seconds_left(share, now, is_waiting, parts)

    monkeypatch.setattr(jobs_module, "TimeEstimate", Noting)
    jobs = stage.session().jobs
    goes_on = threading.Event()

    def work(context: RunContext) -> None:
        context.runs_parts_in_turn = True
        context.child(0.25, 0).complete()
        context.child(0.75, 1)
        goes_on.wait(20)

    job = jobs.start("two parts", work)
    wait_until(lambda: [0.25, 0.75] in seen)
    goes_on.set()
    wait_until(lambda: not job.is_running)


def test_evaluating_and_training_are_parts_in_turn_of_a_run(stage: Stage, wait_until: Wait) -> None:
    session = stage.session(small_data(60))
    run = judged(session, wait_until, ZeroR(), CrossValidation(folds=3))
    assert [part.weight for part in run.job.context.parts_in_turn()] == pytest.approx([0.9, 0.1])


def test_a_run_in_turn_knows_the_seconds_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(run_control.time, "monotonic", lambda: clock[0])
    whole = RunContext()
    assert whole.parts_in_turn() == []
    whole.runs_parts_in_turn = True
    first, _ = whole.child(0.25, 0), whole.child(0.0, 9)
    clock[0] = 103.0
    first.complete()
    second = whole.child(0.75, 1)
    clock[0] = 104.0
    second.say("Compiling", is_waiting=True)
    clock[0] = 110.0
    second.say("")
    second.advance(1, 4)
    clock[0] = 112.0
    assert whole.parts_in_turn() == [PartDone(0.25, 1.0, 3.0), PartDone(0.75, 0.25, 3.0)]


def test_what_is_left_is_told_no_finer_than_it_is_known() -> None:
    assert time_left(0.4) == wording.seconds_left(0.4) and time_left(19.0) == wording.seconds_left(19)
    assert time_left(44.0) == wording.about_seconds_left(40) and time_left(78.0) == wording.MINUTE_AND_20_LEFT
    assert time_left(59.0) == wording.MINUTE_LEFT and time_left(116.0) == wording.MINUTES_LEFT_2
    assert time_left(130.0) == wording.MINUTES_LEFT_2
