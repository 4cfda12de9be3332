"""Runs: progress, the two stops, seeds, and parts on threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from algorithms.core import run_control
from algorithms.core.errors import Cancelled
from algorithms.core.run_control import CANCEL, FINISH, RUN, STOP, RunContext, limited, thread_pool, usable_cores

# ---- stopping --------------------------------------------------------------------------------------------------------


def test_cancel_raises_at_the_next_checkpoint_of_every_part():
    run = RunContext()
    part = run.child(0.5, 0).child(1.0, 0)
    part.checkpoint()
    run.cancel()
    for context in (run, part, run.child(0.5, 1)):
        assert context.cancelled
        with pytest.raises(Cancelled):
            context.checkpoint()


class Clock:
    """A clock that tests set."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(run_control, "time", clock)
    return clock


def test_waits_of_parts_at_once_count_once_and_stay_counted_after_the_parts(clock: Clock) -> None:
    run = RunContext()
    parts = [run.child(0.5, key) for key in range(2)]
    for begin, part in enumerate((*parts, run)):  # from 0, 1 and 2
        clock.now = begin
        part.say("waiting", is_waiting=True)
    clock.now = 5.0
    for part in (*parts, run):
        part.say("working")
    assert [part.waited for part in (*parts, run)] == [5.0, 4.0, 5.0]
    clock.now = 7.0
    run.complete()
    assert run.waited == 5.0


def test_waits_of_parts_in_turn_add_up(clock: Clock) -> None:
    run = RunContext()
    for key in range(2):
        part = run.child(0.5, key).child(1.0, 0)
        part.say("waiting", is_waiting=True)
        clock.now += 2.0
        part.say("working")
        clock.now += 1.0
    assert run.waited == 4.0


def test_a_wait_under_way_counts(clock: Clock) -> None:
    run = RunContext()
    part = run.child(1.0, 0)
    for clock.now in (1.0, 3.0):
        part.say("waiting", is_waiting=True)
    clock.now = 6.0
    assert run.waited == 5.0
    part.say("")
    clock.now = 9.0
    assert run.waited == 5.0


def test_a_wait_does_not_count_in_a_time_limit():
    run, waits = RunContext(), 0.5
    with limited(run, 0.3) as limit:
        run.say("Waiting for workers", is_waiting=True)
        threading.Event().wait(waits)
        run.say("")
        assert not limit.is_over and not run.cancelled
        begin = time.monotonic()
        while not run.cancelled:
            threading.Event().wait(0.005)
    assert limit.is_over and 0.2 < time.monotonic() - begin < 5


def test_a_part_may_begin_whole_after_a_finish_and_is_still_cut_by_a_later_one():
    run = RunContext()
    run.finish()
    part = run.child(0.5, 0, finish_forgotten=True)
    assert not part.finishing
    run.finish()
    assert part.control[STOP] == FINISH
    run.cancel()
    assert run.child(0.5, 1, finish_forgotten=True).cancelled


def test_a_part_may_have_the_seed_of_the_whole():
    run = RunContext(seed=7)
    assert run.child(1.0, 0, same_seed=True).random().random() == run.random().random()
    assert run.child(1.0, 0).random().random() != run.random().random()


def test_cancelled_is_no_exception_that_a_careless_handler_eats():
    assert not issubclass(Cancelled, Exception)


def test_finish_raises_nothing_but_asks_for_the_best_so_far():
    run = RunContext()
    part = run.child(1.0, 0)
    run.finish()
    part.checkpoint()
    assert part.finishing
    assert not part.cancelled


def test_finish_drops_the_parts_that_are_no_good_half_done():
    run = RunContext()
    fold = run.child(0.5, 0, finish_cancels=True)
    member = fold.child(1.0, 0)
    run.finish()
    assert fold.cancelled
    assert member.cancelled
    assert not run.cancelled
    assert run.child(0.5, 1, finish_cancels=True).cancelled


def test_a_finish_does_not_take_back_a_cancel():
    run = RunContext()
    run.cancel()
    run.finish()
    assert run.control[STOP] == CANCEL
    other = RunContext()
    other.finish()
    assert other.control[STOP] == FINISH > RUN
    other.cancel()
    assert other.cancelled


def test_stopping_a_part_does_not_stop_the_run():
    run = RunContext()
    part = run.child(1.0, 0)
    part.cancel()
    assert part.cancelled and not run.cancelled
    run.checkpoint()


# ---- progress --------------------------------------------------------------------------------------------------------


def test_progress_is_unknown_then_a_share():
    run = RunContext()
    assert run.progress() is None
    run.advance(3, 12)
    assert run.progress() == 0.25
    run.advance(20)
    assert run.progress() == 1.0


def test_progress_of_parts_is_weighed():
    run = RunContext()
    first, second = run.child(0.75, 0), run.child(0.25, 1)
    first.advance(1, 2)
    assert run.progress() == pytest.approx(0.375)
    second.complete()
    assert run.progress() == pytest.approx(0.625)
    first.complete()
    assert run.progress() == pytest.approx(1.0)


def test_a_part_that_is_no_share_of_the_work_does_not_hide_how_far_the_run_is():
    run = RunContext()
    run.child(0.0, 1)
    assert run.progress() is None
    run.advance(1, 4)
    assert run.progress() == 0.25


def test_a_completed_part_forgets_its_parts():
    run = RunContext()
    part = run.child(1.0, 0)
    part.child(0.5, 0)
    part.complete()
    assert run.progress() == 1.0


def test_messages_and_events_reach_whoever_watches():
    events: list[object] = []
    run = RunContext(listener=events.append)
    run.say("Sorting")
    assert run.message == "Sorting"
    run.child(1.0, 0).child(1.0, 0).publish("fold")
    assert events == ["fold"]
    RunContext().publish("nobody listens")


# ---- seeds -----------------------------------------------------------------------------------------------------------


def test_a_part_has_its_own_seed_by_its_key_alone():
    def draw(*keys: int) -> float:
        context = RunContext(seed=4)
        for key in keys:
            context = context.child(0.5, key)
        return float(context.random().random())

    assert draw(0) == draw(0)
    assert len({draw(), draw(0), draw(1), draw(0, 0), draw(0, 1), draw(1, 0)}) == 6
    run = RunContext(seed=4)
    run.child(0.1, 9)
    assert run.child(0.5, 0).random().random() == draw(0)


def test_the_same_generator_each_time_it_is_asked_for():
    run = RunContext(seed=np.random.SeedSequence(3))
    assert run.random().random() == run.random().random()


# ---- parts on threads ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [None, 1, 2, 4])
def test_map_keeps_the_order(threads):
    pool = None if threads is None else thread_pool(threads)
    assert RunContext(executor=pool).map(lambda i: i * i, range(50)) == [i * i for i in range(50)]
    assert RunContext(executor=pool).map(str, []) == []
    if pool is not None:
        pool.shutdown()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_nested_maps_do_not_wait_for_each_other_forever(threads):
    """Folds that wait for ensemble members in the same pool would: whoever waits works."""

    def count(context: RunContext, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(context.map(lambda i: count(context.child(0.3, i), depth - 1), range(3)))

    with thread_pool(threads) as pool:
        run = RunContext(executor=pool)
        job = pool.submit(count, run, 4)
        assert job.result(timeout=60) == 81


def test_map_uses_the_threads():
    meeting = threading.Barrier(2)
    with thread_pool(2) as pool:
        run = RunContext(executor=pool)
        assert run.map(lambda i: meeting.wait(20) >= 0, range(2)) == [True, True]


@pytest.mark.parametrize("threads", [None, 1, 2])
def test_the_first_error_in_order_is_raised_and_nothing_runs_on(threads):
    pool = None if threads is None else thread_pool(threads)
    running, done = [0], threading.Lock()

    def work(i: int) -> int:
        with done:
            running[0] += 1
        try:
            if i in (2, 5):
                raise ValueError(f"item {i}")
            return i
        finally:
            with done:
                running[0] -= 1

    with pytest.raises(ValueError, match="item"):
        RunContext(executor=pool).map(work, range(8))
    assert running == [0]
    if pool is not None:
        pool.shutdown()


def test_a_cancelled_map_starts_no_further_part():
    begun: list[int] = []
    run = RunContext()

    def work(i: int) -> None:
        begun.append(i)
        run.cancel()
        run.checkpoint()

    with thread_pool(1) as pool, pytest.raises(Cancelled):
        run.executor = pool
        run.map(work, range(100))
    assert len(begun) <= 2


def test_pool_has_the_threads_asked_for_and_one_a_core_by_default():
    assert usable_cores() >= 1
    with thread_pool() as pool:
        assert pool._max_workers == usable_cores()
    with thread_pool(3) as pool:
        assert pool._max_workers == 3


def test_libraries_loaded_after_a_pool_have_one_blas_thread_too():
    program = (
        "from algorithms.core.run_control import thread_pool; thread_pool();"
        "import scipy.linalg, threadpoolctl, json;"
        "print(json.dumps([pool['num_threads'] for pool in threadpoolctl.threadpool_info()]))"
    )
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "4"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) <= {1}
