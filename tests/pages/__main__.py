"""``python -m tests.pages FOLDER``: see :mod:`tests.pages`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.linear.logistic_regression import LogisticRegression
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from tests.pages.inspection import Inspection, inspect
from tests.pages.states import RUNNING, states_of_experiments, states_with_runs, states_without_runs
from tests.pages.tables import TABLES, name_and_file, table_of_file
from tests.recording.pictures import SUFFIX, at_rest, at_work, pages_of_table
from tests.scripted_session import turn
from workbench.app.main_window import MainWindow
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes

NOTHING: Final = "nothing"
LEARNERS: Final[tuple[Learner, ...]] = (
    NaiveBayes(),
    LogisticRegression(),
    BayesianNetwork(),
    NeuralNetwork(),
    Ripper(),
    AdaBoost(members=10),
    RandomForest(members=10),
    C45(),
)
SIZES: Final = ("1280x720", "1440x900", "2560x1440")
SCALES: Final = (1.0, 1.5)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.pages", description="Pictures and an inspection of all pages."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", nargs="+", metavar="NAME", help=f"{NOTHING}, {', '.join(TABLES)}; all by default")
    parser.add_argument(
        "--table", action="append", default=[], type=name_and_file, metavar="NAME=FILE", help="a table from a file"
    )
    parser.add_argument("--class", dest="of_files", metavar="COLUMN", help="the class of the tables from files")
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), metavar="WIDTHxHEIGHT")
    parser.add_argument("--scales", nargs="+", type=float, default=list(SCALES))
    parser.add_argument("--themes", nargs="+", choices=[LIGHT_NAME, DARK_NAME], default=[LIGHT_NAME, DARK_NAME])
    parser.add_argument("--learners", nargs="+", default=None, metavar="ID", help="the runs to show; all by default")
    parser.add_argument("--no-states", dest="states", action="store_false", help="pages at rest only")
    parser.add_argument("--states-only", action="store_true", help="states of busy pages only")
    given = parser.parse_args(arguments)
    tables = {**TABLES, **{name: partial(table_of_file, path, given.of_files) for name, path in given.table}}
    names = given.tables or [NOTHING, *tables]
    if unknown := set(names) - {NOTHING, *tables}:
        parser.error(f"unknown tables: {', '.join(sorted(unknown))}")
    given.folder.mkdir(parents=True, exist_ok=True)
    learners = [learner for learner in LEARNERS if given.learners is None or learner.id in given.learners]
    application = QApplication.instance() or QApplication(["pages"])
    assert isinstance(application, QApplication)
    application.setCursorFlashTime(0)
    QCursor.setPos(QPoint(1, 1))
    for table in names:
        data = None if table == NOTHING else tables[table]()
        for page, seen in _seen(application, table, data, learners, given):
            print(f"{table} {page}: {seen.summary}", flush=True)
            for line in seen.lines():
                print(f"    {line}")
    return 0


def _seen(
    application: QApplication,
    table: str,
    data: Dataset | None,
    learners: Sequence[Learner],
    given: argparse.Namespace,
) -> Iterator[tuple[str, Inspection]]:
    """Shows each page in each size, scale and theme, saves its picture, and yields its name and inspection."""
    themes.install(application, LIGHT_NAME)
    window = MainWindow(Session(builtin(), Settings()))
    window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    window.show()
    session = window.session

    def pictures(pages: Callable[[], Iterator[str]]) -> Iterator[tuple[str, Inspection]]:
        for size, scale in product(given.sizes, given.scales):
            window.resize(*map(int, size.split("x")))
            window.set_text_scale(scale)
            for page in pages():
                for theme in given.themes:
                    themes.choose(theme)
                    name = f"{page}-{size}-{scale:g}-{theme}"
                    image = at_work(window) if page == RUNNING else at_rest(window)
                    image.save(str(given.folder / f"{table}-{name}{SUFFIX}"))
                    yield name, inspect(window, scale)

    if data is None:
        yield from pictures(lambda: iter(["start"]))
        if given.states:
            with TemporaryDirectory() as folder:
                yield from pictures(partial(states_of_experiments, window, Path(folder)))
    else:
        session.set_document(data)
        turn(lambda: session.summary is not None)
        if given.states:
            yield from pictures(partial(states_without_runs, window))
        for learner in learners:
            session.start_run(learner, CrossValidation(folds=3))
            turn(lambda: not any(run.is_running for run in session.runs))
        if given.states:
            yield from pictures(partial(states_with_runs, window))
        if not given.states_only:
            yield from pictures(partial(pages_of_table, window))
    window.set_text_scale(1.0)
    window.hide()
    session.close()


if __name__ == "__main__":
    raise SystemExit(main())
