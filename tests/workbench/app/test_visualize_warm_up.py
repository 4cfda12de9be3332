"""The window is ready for its tabs soon after it stands, and a table that is opened meanwhile is shown after that."""

from __future__ import annotations

import subprocess
import sys

from tests.workbench.window_helpers import Wait
from workbench.app.background_preparation import FIRST_MODULES, FOR_FIRST, FOR_OTHERS, PAGE_MODULES, TAB_MODULES
from workbench.app.main_window import MainWindow
from workbench.viewers.tree.tree_view import TreeView


def test_all_tabs_are_made_while_the_welcome_page_stands(window: MainWindow, wait_until: Wait) -> None:
    window.warm_up()
    wait_until(lambda: len(window.findChildren(TreeView)) == 2, 30)  # small in Classify, large in Visualize
    assert all(window.tabs.is_whole(at) for at in range(4))
    assert {*FOR_FIRST, *FOR_OTHERS, *FIRST_MODULES, *TAB_MODULES, *PAGE_MODULES} <= set(sys.modules)
    assert window.welcome.isVisible()


def test_a_table_opened_during_the_warm_up_is_shown_when_it_is_over(window: MainWindow, wait_until: Wait) -> None:
    window.warm_up()
    window.open_sample("iris")
    wait_until(lambda: window.tabs.is_whole(0) and window.tabs.tab(0).isVisible(), 30)
    assert not window.welcome.isVisible()


def test_a_worker_imports_after_the_warm_up_only(window: MainWindow, wait_until: Wait) -> None:
    """Two threads in one cycle of imports see a partial module: pyqtgraph and numba share some."""
    window.warm_up()
    window.prepare()
    assert window._loading is None
    wait_until(lambda: window._loading is not None, 30)
    assert not window._warm_up.is_running


def test_the_thread_imports_all_that_needs_no_qt_and_nothing_of_qt() -> None:
    script = (
        "import sys; from importlib import import_module as load\n"
        "import workbench.app.main_window, workbench.app.start, workbench.app.background_preparation as steps\n"
        "begun = set(sys.modules)\n"
        "for name in (*steps.FOR_FIRST, *steps.FOR_OTHERS): load(name)\n"
        "first = set(sys.modules) - begun\n"
        "for step in steps.chart_imports(): step()\n"
        "charts = set(sys.modules) - begun - first\n"
        "for step in (*steps.first_imports(), *steps.imports()): step()\n"
        "later = set(sys.modules) - begun - first\n"
        "print(sorted(name for name in first if name.partition('.')[0] in ('workbench', 'pyqtgraph', 'PySide6')))\n"
        "print(sorted(name for name in charts if name.partition('.')[0] in ('algorithms', 'workbench')))\n"
        "print(sorted(name for name in later if name.partition('.')[0] in ('algorithms', 'scipy', 'pandas', 'numba')))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "[]\n[]\n[]\n", done.stdout + done.stderr


def test_a_curve_of_few_records_which_the_window_computes_imports_nothing() -> None:
    script = (
        "import sys; from importlib import import_module as load\n"
        "import workbench.app.main_window, workbench.app.background_preparation as steps\n"
        "for name in (*steps.FOR_FIRST, *steps.FOR_OTHERS): load(name)\n"
        "import numpy as np; from algorithms.evaluation.curves.roc import OperatingPoints\n"
        "begun = set(sys.modules)\n"
        "ends = np.array([0.2, 0.6, np.inf]), np.array([2.0, 1.0, 0.0]), np.array([2.0, 0.0, 0.0])\n"
        "OperatingPoints(*ends).hull()\n"
        "print(sorted(set(sys.modules) - begun))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "[]\n", done.stdout + done.stderr


MOST_AT_ONCE = 12
"""Modules of the window that one step may import."""


def test_each_step_imports_few_modules_so_that_the_window_never_waits_long() -> None:
    script = (
        "import sys; from importlib import import_module as load\n"
        "import workbench.app.main_window, workbench.app.background_preparation as steps\n"
        "for name in (*steps.FOR_FIRST, *steps.FOR_OTHERS): load(name)\n"
        "counts = []\n"
        "for step in (*steps.chart_imports(), *steps.first_imports(), *steps.imports()):\n"
        "    before = set(sys.modules)\n"
        "    step()\n"
        "    counts.append(sum(name.startswith('workbench') for name in set(sys.modules) - before))\n"
        "print(sum(counts), max(counts))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    n_modules, most = map(int, done.stdout.split())
    assert n_modules > 100 and most <= MOST_AT_ONCE
