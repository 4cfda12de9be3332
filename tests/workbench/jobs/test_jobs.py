"""Jobs: results land in the window's thread, stopped ones never do, no thread is left."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from algorithms.core.errors import DataError
from algorithms.core.extras import CLUSTER
from algorithms.core.files import write_text
from algorithms.core.run_control import RunContext
from tests.algorithms.core.test_cluster import where
from tests.expected_texts import session as wording
from tests.workbench.window_helpers import Wait
from workbench.jobs.jobs import LEAST_SECONDS, NICENESS, Jobs, JobState, LatestTask
from workbench.widgets.labels import ElidedLabel
from workbench.widgets.status_line import JobRow, says_again

GOES_ON = threading.Event()


class Inputs:
    """What a job works with."""


def until_stopped(context: RunContext) -> str:
    while True:
        context.checkpoint()
        if context.finishing:
            return "so far"
        time.sleep(0.002)


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("coppice")]


def test_a_result_lands_in_the_windows_thread(jobs: Jobs, wait_until: Wait) -> None:
    landed: list[tuple[int, int, int]] = []
    job = jobs.start(
        "count", lambda context: threading.get_ident(), lambda where: landed.append((where, threading.get_ident(), 0))
    )
    wait_until(lambda: landed)
    assert landed[0][0] != threading.get_ident()
    assert landed[0][1] == threading.get_ident()
    assert job.state is JobState.DONE
    assert jobs.running == ()


def test_events_arrive_in_order_and_before_the_result(jobs: Jobs, wait_until: Wait) -> None:
    seen: list[object] = []

    def work(context: RunContext) -> str:
        for number in range(5000):
            context.publish(number)
        return "end"

    jobs.start("many events", work, on_done=seen.append, on_event=seen.append)
    wait_until(lambda: seen and seen[-1] == "end")
    assert seen == [*range(5000), "end"]


def test_ten_thousand_events_do_not_stall_the_window(jobs: Jobs, wait_until: Wait) -> None:
    from PySide6.QtCore import QTimer

    gaps: list[float] = []
    last = [time.monotonic()]

    def tick() -> None:
        now = time.monotonic()
        gaps.append(now - last[0])
        last[0] = now

    timer = QTimer()
    timer.setInterval(2)
    timer.timeout.connect(tick)
    ended: list[object] = []

    def slow_listener(_event: object) -> None:
        until = time.perf_counter() + 0.00005
        while time.perf_counter() < until:
            pass

    def work(context: RunContext) -> None:
        for number in range(10_000):
            context.publish(number)

    last[0] = time.monotonic()
    timer.start()
    jobs.start("flood", work, on_done=ended.append, on_event=slow_listener)
    wait_until(lambda: ended, 30)
    timer.stop()
    assert len(gaps) > 10, "the event loop was never free while the events came"


def test_a_stopped_job_says_so_at_once_and_its_result_never_lands(jobs: Jobs, wait_until: Wait) -> None:
    release = threading.Event()
    landed: list[object] = []
    stopped: list[bool] = []
    job = jobs.start("deaf", lambda context: release.wait(5), landed.append, on_stopped=lambda: stopped.append(True))
    began = time.monotonic()
    job.stop()
    assert time.monotonic() - began < 0.2
    assert stopped == [True]
    assert job.state is JobState.STOPPED
    release.set()
    wait_until(lambda: job.future is not None and job.future.done())
    after: list[object] = []
    jobs.start("after", lambda context: None, after.append)
    wait_until(lambda: after)
    assert landed == []


def test_a_file_that_was_replaced_before_the_stop_is_said_to_be_saved(
    jobs: Jobs, wait_until: Wait, tmp_path: Path
) -> None:
    path, replaced, go_on = tmp_path / "kept", threading.Event(), threading.Event()
    path.write_text("before")
    said: list[str] = []

    def save(context: RunContext) -> None:
        write_text(path, "after", commit=context.commit)
        replaced.set()
        go_on.wait(10)

    job = jobs.start("save", save, lambda _: said.append("saved"), on_stopped=lambda: said.append("stopped"))
    assert replaced.wait(10)
    job.stop()
    go_on.set()
    wait_until(lambda: not job.is_running)
    assert path.read_text() == "after" and said == ["saved"]


def test_the_end_of_the_window_hears_of_a_file_that_was_replaced(jobs: Jobs, tmp_path: Path) -> None:
    replaced = threading.Event()
    said: list[str] = []

    def save(context: RunContext) -> None:
        write_text(tmp_path / "kept", "after", commit=context.commit)
        replaced.set()

    jobs.start("save", save, lambda _: said.append("saved"), on_stopped=lambda: said.append("stopped"))
    assert replaced.wait(10)
    jobs.shutdown()
    assert said == ["saved"] and jobs.running == ()


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, BaseException])
def test_a_job_ends_whatever_it_raises(jobs: Jobs, wait_until: Wait, kind: type[BaseException]) -> None:
    def work(context: RunContext) -> None:
        raise kind("panic")

    failed: list[object] = []
    job = jobs.start("panics", work, on_failed=failed.append)
    wait_until(lambda: not job.is_running)
    assert job.state is JobState.FAILED and isinstance(failed[0], kind) and jobs.running == ()


def test_a_job_whose_callback_fails_has_ended(jobs: Jobs, wait_until: Wait) -> None:
    def fail(_value: object) -> None:
        raise ValueError("a bug of the window")

    job = jobs.start("done", lambda context: 1, on_done=fail)
    assert job.future is not None
    job.future.result(10)
    with pytest.raises(ValueError, match=wording.BUG_OF_THE_WINDOW):
        job.receive(JobState.DONE, 1)
    assert jobs.running == ()


def test_finishing_hands_over_what_there_is(jobs: Jobs, wait_until: Wait) -> None:
    landed: list[object] = []
    job = jobs.start("long", until_stopped, landed.append, can_finish=True)
    job.finish()
    assert job.state is JobState.FINISHING
    wait_until(lambda: landed)
    assert landed == ["so far"]


def test_a_job_that_cannot_finish_early_ignores_the_wish(jobs: Jobs, wait_until: Wait) -> None:
    job = jobs.start("long", until_stopped)
    job.finish()
    assert job.state is JobState.RUNNING
    job.stop()


def test_a_mistake_of_the_person_is_shown_in_the_messages(jobs: Jobs, wait_until: Wait) -> None:
    def work(context: RunContext) -> None:
        raise DataError("The file is empty.", remedy="Choose another.", place="a.csv")

    job = jobs.start("read", work)
    wait_until(lambda: job.state is JobState.FAILED)
    assert jobs.messages is not None
    assert [message.text for message in jobs.messages.open] == [wording.FILE_IS_EMPTY]


def test_a_bug_reaches_the_crash_funnel(jobs: Jobs, wait_until: Wait) -> None:
    crashes: list[object] = []
    jobs.crashed.connect(crashes.append)
    jobs.start("divide", lambda context: 1 / 0)
    wait_until(lambda: crashes)
    assert isinstance(crashes[0], ZeroDivisionError)


def test_progress_is_reported_with_words_and_time_left(jobs: Jobs, wait_until: Wait) -> None:
    seen: list[tuple[float, str]] = []

    def work(context: RunContext) -> str:
        context.say("Halfway")
        context.advance(1, 4)
        GOES_ON.wait(5)
        context.advance(2)
        return until_stopped(context)

    job = jobs.start("half", work)
    job.progressed.connect(lambda share, text: seen.append((share, text)))
    wait_until(lambda: (0.25, "Halfway") in seen and job.seconds > LEAST_SECONDS)
    GOES_ON.set()
    wait_until(lambda: (0.5, "Halfway") in seen)
    assert job.seconds_left is not None
    job.stop()


def test_a_job_that_waits_for_something_else_shows_no_time_left(jobs: Jobs, wait_until: Wait) -> None:
    def work(context: RunContext) -> str:
        context.advance(1, 2)
        context.child(0.5, 1).say("Waiting", is_waiting=True)
        return until_stopped(context)

    job = jobs.start("half", work)
    row = JobRow(job)
    wait_until(lambda: job.is_waiting)
    assert job.seconds_left is None
    assert [text.text() for text in row.findChildren(ElidedLabel)][1] == "Waiting"
    job.stop()


def test_what_a_job_does_is_not_said_twice(jobs: Jobs, wait_until: Wait) -> None:
    title = "Find the records"
    assert says_again("Rank attributes", "Ranking attributes") and says_again(title, "")
    message = "Looking for the smallest change"
    assert not says_again("Smallest change", message)

    def work(context: RunContext) -> str:
        context.say("Drawing decision regions")
        return until_stopped(context)

    job = jobs.start("Draw decision regions", work)
    wait_until(lambda: job.context.message == wording.DRAWING_REGIONS)
    row = JobRow(job)
    assert [text.text() for text in row.findChildren(ElidedLabel)] == [wording.DRAW_REGIONS, ""]
    job.stop()


def test_a_short_job_does_not_queue_behind_long_ones(jobs: Jobs, wait_until: Wait) -> None:
    for number in range(6):
        jobs.start(f"long {number}", lambda context: context.map(lambda _: until_stopped(context), range(20)))
    landed: list[object] = []
    jobs.start("short", lambda context: "here", landed.append)
    wait_until(lambda: landed, 5)


def test_shutting_down_stops_everything_and_leaves_no_thread(qapp: QApplication) -> None:
    before = len(workers())
    jobs = Jobs()
    for number in range(3):
        jobs.start(f"long {number}", lambda context: context.map(lambda _: until_stopped(context), range(8)))
    began = time.monotonic()
    assert jobs.shutdown()
    assert time.monotonic() - began < 2
    assert len(workers()) == before


@pytest.mark.skipif(not CLUSTER.is_installed, reason="the extra cluster (Dask) is not installed")
def test_parts_of_jobs_go_to_the_chosen_workers(qapp: QApplication, wait_until: Wait) -> None:
    jobs, processes = Jobs(), list[int]()
    for address in ("processes:1", ""):
        jobs.use_cluster(address)
        jobs.start("part", lambda context: context.call(where)[0], processes.append)
    wait_until(lambda: len(processes) == 2, 60)
    assert os.getpid() in processes and len(set(processes)) == 2
    assert jobs.shutdown(20)
    wait_until(lambda: not workers(), 20)


def test_nothing_starts_after_the_shutdown(qapp: QApplication) -> None:
    jobs = Jobs()
    jobs.shutdown()
    job = jobs.start("late", lambda context: None)
    assert job.state is JobState.STOPPED
    assert job.future is None
    assert jobs.running == ()


def niceness(_item: int = 0) -> int:
    """Of the thread that asks."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a niceness for each thread")
def test_the_windows_thread_goes_first(jobs: Jobs, wait_until: Callable[..., None]) -> None:
    found: list[int] = []

    def work(context: RunContext) -> None:
        found.extend(context.map(niceness, range(4)))

    here = niceness()
    jobs.start("Look", work)
    wait_until(lambda: len(found) == 4)
    assert set(found) == {here + NICENESS}
    assert niceness() == here


def test_a_task_keeps_nothing_of_its_inputs_once_its_job_has_ended(jobs: Jobs, wait_until: Wait) -> None:
    """A run that was removed stayed in memory with all its records."""

    def fails(_context: RunContext) -> None:
        raise DataError("There is no record.")

    for work in (lambda _context: None, fails):
        task, inputs = LatestTask(jobs), Inputs()
        task.run("look", work, key=(inputs,))
        wait_until(lambda task=task: not task.is_running and not jobs.running)
        gone = weakref.ref(inputs)
        del inputs
        gc.collect()
        assert gone() is None


def test_the_latest_request_of_a_task_wins_and_the_same_one_goes_on(jobs: Jobs, wait_until: Wait) -> None:
    landed: list[str] = []
    task, starts = LatestTask(jobs), list[str]()

    def work(name: str) -> Callable[[RunContext], str]:
        def wait(context: RunContext) -> str:
            starts.append(name)
            return until_stopped(context) if name == "first" else name

        return wait

    task.run("one", work("first"), landed.append, key=(1,))
    wait_until(lambda: starts)
    task.run("one", work("first"), landed.append, key=(1,))
    assert len(jobs.running) == 1
    task.run("one", work("second"), landed.append, key=(2,))
    wait_until(lambda: not jobs.running)
    assert landed == ["second"] and starts == ["first", "second"]


def test_short_work_of_a_task_is_done_at_once_and_its_expected_errors_are_passed_on(jobs: Jobs) -> None:
    def refuses(_context: RunContext) -> None:
        raise DataError("There is no record.")

    seen: list[object] = []
    for task, at_once in ((LatestTask(None), False), (LatestTask(jobs), True)):
        task.run("look", lambda context: context.publish("part"), seen.append, on_event=seen.append, at_once=at_once)
        task.run("look", refuses, seen.append, lambda error: seen.append(str(error)), at_once=at_once)
        assert seen == ["part", None, wording.THERE_IS_NO_RECORD] and not jobs.running
        seen.clear()
