"""An experiment that is killed and resumed, and one whose workers end and join, beside an undisturbed one.

``python -m tests.benchmarks.experiment_kills [FOLDER] [--sets 21] [--learners 8] [--folds 10] [--kills 10]``

Each part is ``coppice experiment`` in a process of its own. The first one runs undisturbed. The second gets SIGKILL at
random moments and is resumed each time. The third works on a Dask cluster of two worker processes, of which one gets
SIGKILL when half of the cells are done, while another one joins. Printed is how long each part took. Ends with 1 unless
all parts have the same cells, predictions and table to the last digit.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from algorithms.catalogue import builtin
from algorithms.core.errors import ModelFileError
from algorithms.experiments.experiment_file import CellState, ExperimentFile
from tests.algorithms.experiments.grids import numbers
from tests.benchmarks.published_sets import SHARED
from tests.house import ROOT
from tests.started_cluster import started_cluster

LEARNERS: Final = (
    "c4.5",
    "naive-bayes",
    "zero-r",
    "cart",
    "k-nearest-neighbors",
    "logistic-regression",
    "ripper",
    "random-forest:members=20",
)
LEAST_LIFE: Final = 1.5
"""Seconds; a shorter life would end before the program has started."""
LOOK_SECONDS: Final = 0.2


@dataclass(frozen=True)
class Grid:
    """The options of the command that begins the experiment."""

    data: Sequence[str]
    learners: Sequence[str]
    folds: int

    @property
    def n_cells(self) -> int:
        return len(self.data) * len(self.learners)

    def run(self, place: Path, *more: str) -> subprocess.Popen[bytes]:
        learners = [word for id in self.learners for word in ("--learner", id)]
        return _coppice("run", place, *self.data, *learners, "--method", f"cross-validation:folds={self.folds}", *more)


def _coppice(verb: str, place: Path, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(ROOT / "main.py"), "experiment", verb, str(place), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT)


def ended(process: subprocess.Popen[bytes]) -> bytes:
    """What the command printed; ends the program if it failed. Failed cells are no failure of the command."""
    printed, _ = process.communicate()
    if process.returncode not in (0, 1) or not printed:
        sys.exit(f"coppice experiment ended with {process.returncode}.")
    return printed


def undisturbed(grid: Grid, place: Path) -> str:
    """Run it in one go."""
    ended(grid.run(place))
    return "nothing happened"


def killed(grid: Grid, place: Path, n_kills: int, usual: float, random: np.random.Generator) -> str:
    """Run it with SIGKILL at random moments; ``usual`` are the seconds that it takes undisturbed."""
    n_killed = 0
    process = grid.run(place)
    while n_killed < n_kills:
        try:
            process.wait(max(LEAST_LIFE, random.uniform(0, usual / (n_kills + 1))))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            n_killed += 1
            is_begun = place.exists() and place.stat().st_size > 0
            process = _coppice("resume", place, "--allow") if is_begun else grid.run(place)
    ended(process)
    return f"killed {n_killed} times"


def on_cluster(grid: Grid, place: Path, folder: Path) -> str:
    """Run it on two workers; when half is done one of them is killed and another joins."""
    with started_cluster(folder) as cluster:
        first = cluster.add_worker()
        cluster.add_worker()
        process = grid.run(place, "--cluster", cluster.address)
        n_done = 0
        while process.poll() is None:
            threading.Event().wait(LOOK_SECONDS)
            if first.poll() is None and (n_done := _n_done(place)) >= grid.n_cells / 2:
                first.send_signal(signal.SIGKILL)
                first.wait()
                cluster.add_worker()
        ended(process)
    return f"a worker was killed after {n_done} of {grid.n_cells} cells, another joined"


def _n_done(place: Path) -> int:
    """How many cells ended, as another process may look at any time."""
    try:
        with ExperimentFile.open(place, builtin()) as file:
            return sum(record.state is not CellState.WAITING for record in file.records().values())
    except ModelFileError:  # not there yet
        return 0


def content(place: Path) -> tuple[dict[str, tuple[Any, ...]], bytes]:
    """All numbers of the cells with their predictions, and the table that the program prints."""
    with ExperimentFile.open(place, builtin()) as file:
        cells = numbers(file)
    return cells, ended(_coppice("show", place, "--table", "scores", "--json"))


def main() -> int:
    """Print how long each part took; 1 if one has other numbers."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--sets", type=int, default=21)
    parser.add_argument("--learners", type=int, default=len(LEARNERS))
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--data", type=Path, default=SHARED / "datasets")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    tables = sorted(options.data.glob("*.arff"), key=lambda path: path.stat().st_size)
    grid = Grid([*map(str, tables[: options.sets])], LEARNERS[: options.learners], options.folds)
    size = f"{len(grid.data)} sets x {len(grid.learners)} learners x {grid.folds} folds"
    print(f"{size}, seed {options.seed}", flush=True)
    random = np.random.default_rng(options.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(exist_ok=True)
        place = {name: folder / f"{name}.coppice-experiment" for name in ("undisturbed", "killed", "cluster")}
        usual = _timed("undisturbed", lambda: undisturbed(grid, place["undisturbed"]))
        _timed("killed", lambda: killed(grid, place["killed"], options.kills, usual, random))
        _timed("cluster", lambda: on_cluster(grid, place["cluster"], folder))
        expected, table = content(place["undisturbed"])
        same = {name: content(place[name]) == (expected, table) for name in ("killed", "cluster")}
    states = [str(state) for state, *_ in expected.values()]
    print(f"{len(states)} cells: {', '.join(f'{states.count(state)} {state}' for state in dict.fromkeys(states))}")
    for name, is_same in same.items():
        print(f"{name}: {'the same' if is_same else 'ANOTHER'} table and predictions")
    return 0 if all(same.values()) else 1


def _timed(name: str, work: Callable[[], str]) -> float:
    """Do a part and print what happened; the seconds that it took."""
    begin = time.perf_counter()
    what = work()
    seconds = time.perf_counter() - begin
    print(f"{name}: {seconds:.1f} s, {what}", flush=True)
    return seconds


if __name__ == "__main__":
    sys.exit(main())
