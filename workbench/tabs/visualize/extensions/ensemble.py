"""Ensemble viewer: tested members, boosting rounds among the records, similar records, map of records, code words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, QSignalBlocker

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import free_name, numeric
from algorithms.evaluation.tested_records import RecordPredictions, judged
from algorithms.learners.ensembles.adaboost import first_members, was_boosted, weights_by_round
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.ensembles.random_forest import Landscape, is_of_trees, landscape, measured_rows, proximities
from algorithms.learners.multiclass.reductions import CodedModel
from algorithms.text.numbers import percent
from workbench.jobs.jobs import LatestTask
from workbench.layout.points import ScatterPoints, points_of
from workbench.session.decision_rules import DecisionQuery
from workbench.session.run_analyses import MemberErrorRuns, RunAnalysis
from workbench.session.runs import Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.visualize.explain.selected_record import SelectedRecord, numbered
from workbench.tabs.visualize.playback import MOST_STOPS, PlaybackControls, PlaybackLabels
from workbench.tabs.visualize.scatter.records_shown import NeighborLinks
from workbench.viewers.ensemble.code_matrix import Bits
from workbench.viewers.ensemble.ensemble_charts import RecordMap
from workbench.viewers.ensemble.ensemble_view import ALIKE, MAP, EnsembleView
from workbench.viewers.scatter.scatter_view import ScatterTableData

if TYPE_CHECKING:
    from workbench.tabs.visualize.scatter.records_views import RecordsViews


LISTED: Final = 100
JOINED: Final = 10
ALIKE_BY: Final = "the list of records that are alike"


class SimilarRecords(SelectedRecord):
    """Lists the records most similar to the one in view; opening one selects it."""

    kind = CommitteeModel

    def __init__(self, session: Session, view: EnsembleView, records: Callable[[], RecordsViews | None]) -> None:
        super().__init__(session, view)
        self._records = records
        self._rows: list[int] = []
        view.alike_opened.connect(self._opened)
        view.page_turned.connect(self._looked_at)
        view.record.valueChanged.connect(lambda number: self._select(number - 1))

    def show_run(self, run: Run | None) -> None:
        of_trees = run is not None and run.trained is not None and is_of_trees(run.trained.model)
        if not of_trees and self._rows:
            self._join(None)
        self._view.allow_alike(of_trees)
        if run is not None and run is not self._run:
            with QSignalBlocker(self._view.record):
                self._view.record.show_ids(run.data.row_ids)
        super().show_run(run if of_trees else None)

    def _looked_at(self, page: int) -> None:
        self._ask()
        if page != ALIKE:
            self._join(None)

    def _ask(self) -> None:
        """Asks only while the list is shown: it sends every record down every tree."""
        if self._view.page == ALIKE:
            super()._ask()
        else:
            self._task.stop()

    def _begin_with_selected(self) -> None:
        """Begins with the first record if none is selected."""
        super()._begin_with_selected()
        if self._followed is None and self._run is not None:
            self._followed = 0

    def _nothing(self) -> None:
        self._rows = []
        self._view.show_alike("", [])
        self._join(None)

    def _read(self, asked: CommitteeModel, record: Dataset, _name: str, context: RunContext) -> FloatArray:
        run = self._run
        assert run is not None and run.trained is not None
        data = aligned(asked.schema, run.trained.prepared(run.data, context.checkpoint))
        return proximities(asked, record, data, context)

    def _show_answer(self, answer: FloatArray, name: str) -> None:
        run, own = self._run, self._followed
        if run is None or own is None:
            return
        with QSignalBlocker(self._view.record):
            self._view.record.setValue(own + 1)
        order = np.argsort(-answer, kind="stable")
        order = order[(order != own) & (answer[order] > 0)][:LISTED]
        self._rows = order.tolist()
        label, *labels = (
            "" if code < 0 else run.data.schema.classes[code] for code in run.data.class_codes[[own, *order]]
        )
        rows = [
            (numbered(run.data, row), of_row, f"{100 * answer[row]:.0f}")
            for row, of_row in zip(self._rows, labels, strict=True)
        ]
        near = order[:JOINED]
        words = f"{name} shares its leaf with no other record in any tree: it lies apart from all others."
        if len(near):
            others, same = int(np.count_nonzero(answer > 0)) - 1, sum(other == label for other in labels[:JOINED])
            n_tied = int(np.count_nonzero(answer >= answer[near[-1]])) - 1
            joined = f"to the {len(near)} most similar records. {same} of these {len(near)} have the same class."
            if len(near) == 1:
                joined = f"to the most similar record, of {'the same' if same else 'another'} class."
            if n_tied > len(near):  # the last of them is no more alike than others that are left out
                joined = f"to {len(near)} of the {n_tied:,} most similar records, some of which are equally similar. "
                joined += f"{same} of these {len(near)} have the same class."
            words = (
                f"{name} ({label or 'of no known class'}): {others:,} others share a leaf with it in some tree. Lines "
                f"on the page Data join it {joined}"
            )
        self._view.show_alike(words, rows)
        self._join(NeighborLinks(own, near, tuple(answer[near].tolist())) if len(near) else None)

    def _join(self, links: NeighborLinks | None) -> None:
        pictures = self._records()
        if pictures is not None:
            pictures.show_links(links)

    def _opened(self, index: int) -> None:
        if 0 <= index < len(self._rows):
            self._select(self._rows[index])

    def _select(self, row: int) -> None:
        if self._run is not None:
            self._session.selection.select(self._run.data, np.array([row]), SelectionMode.REPLACE, ALIKE_BY)


MAP_BY: Final = "the map of the records"
FINDING: Final = "Placing the records: every one of them is sent down every tree …"
STOPPED: Final = "Stopped. Choose another page and come back to place the records after all."
ACROSS: Final = "MDS dimension 1"
UP: Final = "MDS dimension 2"
OUT: Final = "Outlier measure"
OUT_DECIMALS: Final = 1
LEARNED: Final = "The trees learned from these records, so the classes lie farther apart than those of new ones would."
LITTLE: Final = 0.25


@dataclass(frozen=True, eq=False)
class ProjectedRecords:
    """Rows (m,) of a run with two coordinates and outlyingness, as columns of ``data``."""

    rows: IntArray
    data: Dataset
    across: int
    up: int
    out: int
    farthest: IntArray
    words: str


@dataclass(frozen=True, eq=False)
class DecidedPoints:
    """Projected records as points and tables, with wrong predictions decided by ``asked``."""

    ground: ProjectedRecords
    asked: DecisionQuery | None
    points: ScatterPoints
    sheet: ScatterTableData
    far: ScatterTableData

    def is_decided_as(self, asked: DecisionQuery | None) -> bool:
        return asked is self.asked if self.asked is None else self.asked.asks_as(asked)


class RecordMapTask(RunAnalysis[DecidedPoints]):
    """Projects the records of a run once their page is shown, keeps the result, and shows the selection."""

    is_saved = False
    can_finish = False

    def __init__(self, session: Session, view: EnsembleView) -> None:
        super().__init__(session.jobs, session.ledger)
        self._session = session
        self._view = view
        self._map = RecordMap(session.jobs)
        self._run: Run | None = None
        self._shown: DecidedPoints | None = None
        self._kept: WeakKeyDictionary[Run, DecidedPoints] = WeakKeyDictionary()
        view.add_map(self._map)
        view.page_turned.connect(self._catch_up)
        self.changed.connect(self._changed)
        self._map.selected.connect(self._select)
        self._map.scatter.cleared.connect(session.selection.clear)
        session.selection.changed.connect(self._show_selection)
        session.decisions.reports.decided_anew.connect(self._mark_anew)

    def show_run(self, run: Run | None) -> None:
        of_trees = run is not None and run.trained is not None and is_of_trees(run.trained.model)
        shown = run if of_trees else None
        if shown is not self._run:
            self._run, self._shown = shown, None
            self._map.clear("")
            self._catch_up()
        else:
            self._mark_anew()

    def _mark_anew(self) -> None:
        if self._shown is not None and self._view.isVisible():
            self._catch_up()

    def _catch_up(self) -> None:
        """Shows the map of the run in view, or starts its job, while its page is shown."""
        run = self._run
        if run is None or run.trained is None or self._view.page != MAP:
            return
        kept, asked = self._kept.get(run), None if run.report is None else self._session.decisions.asked(run)
        if kept is not None and kept is not self._shown:
            self._show(kept)
        if self.job_of(run) is not None:
            if kept is None:
                self._map.clear(FINDING)
        elif kept is None or not kept.is_decided_as(asked):
            trained, ground = run.trained, None if kept is None else kept.ground

            def work(context: RunContext) -> DecidedPoints:
                return marked(run, ground or placed(run, trained, context), asked, context)

            self._begin(run, f"Place the records of run {run.number}", work)

    def _result_type(self) -> type[DecidedPoints]:
        return DecidedPoints

    def _keep(self, run: Run, result: DecidedPoints) -> None:
        self._kept[run] = result

    def _finish(self, run: Run, result: DecidedPoints) -> None:
        super()._finish(run, result)
        self._catch_up()  # the decision rule may have changed meanwhile

    def _changed(self, run: Run) -> None:
        if run is self._run and run not in self._kept:
            end = self.end_of(run)
            self._map.clear(FINDING if end is None else STOPPED if end.is_stop else end.sentence)

    def _show(self, points: DecidedPoints) -> None:
        self._shown = points
        decided = "" if points.asked is None or not points.asked.words else ", as decided now"
        self._map.show_records(
            points.points, points.sheet, points.far, points.ground.farthest, points.ground.words, decided
        )
        self._show_selection()

    def _select(self, rows: IntArray, how: SelectionMode) -> None:
        if self._run is not None and self._shown is not None:
            self._session.selection.select(self._run.data, self._shown.ground.rows[rows], how, MAP_BY)

    def _show_selection(self) -> None:
        if self._run is not None and self._shown is not None:
            selection = self._session.selection
            mask = selection.mask_of(self._run.data)[self._shown.ground.rows] if len(selection) else None
            self._map.scatter.set_selection(mask)


def placed(run: Run, trained: TrainedClassifier, context: RunContext) -> ProjectedRecords:
    """Projects the run's records, or a sample, by the proximities of the trees; raises :class:`Cancelled`."""
    context.say("Sending the records down the trees")
    measured = measured_rows(len(run.data), context)
    prepared = trained.prepared(run.data.take(measured), context.checkpoint)
    plane = landscape(trained.model, aligned(trained.model.schema, prepared), context)
    rows = measured[plane.rows]
    data, (across, up, out) = _with_places(run.data.take(rows), plane)
    return ProjectedRecords(rows, data, across, up, out, plane.farthest, _words(run, plane))


def marked(run: Run, ground: ProjectedRecords, asked: DecisionQuery | None, context: RunContext) -> DecidedPoints:
    """The projected records with their predictions when tested, decided by ``asked``."""
    predictions = None if asked is None else judged(asked.result, run.data, asked.decisions(context.checkpoint))
    part = None
    if predictions is not None:
        part = RecordPredictions(predictions.decision[ground.rows], predictions.wrong[ground.rows])
    data, class_index = ground.data, ground.data.schema.class_index
    assert class_index is not None
    points = points_of(data, ground.across, ground.up, None if part is None else part.wrong, spread=False)
    classes = data.schema.classes
    decimals = {ground.out: OUT_DECIMALS}
    sheet = ScatterTableData(data, (class_index, ground.out, ground.across, ground.up), part, classes, decimals)
    far = ScatterTableData(data, (class_index, ground.out), part, classes, decimals)
    return DecidedPoints(ground, asked, points, sheet, far)


def _with_places(data: Dataset, plane: Landscape) -> tuple[Dataset, tuple[int, int, int]]:
    """The records with coordinates and outlyingness as three more columns, and the indices of these."""
    places = plane.plane.places
    for name, values, digits in (
        (ACROSS, places[:, 0], 4),
        (UP, places[:, 1], 4),
        (OUT, plane.outlyingness, OUT_DECIMALS),
    ):
        rounded = np.asarray(np.round(values, digits) + 0.0)  # without negative zeros
        data = data.with_new_column(numeric(free_name(name, data.schema)), rounded)
    n = len(data.schema)
    return data, (n - 3, n - 2, n - 1)


def _words(run: Run, proximity: Landscape) -> str:
    little = ", which is little: what lies together here may be far apart" if proximity.plane.share < LITTLE else ""
    words = (
        "The more trees send two records to the same leaf, the nearer they lie. The two axes explain "
        f"{percent(proximity.plane.share)} of the variance{little}. {LEARNED}"
    )
    n, shown = len(run.data), len(proximity.rows)
    if shown == n:
        return words
    of = f"{proximity.n_measured:,} drawn from the {n:,}" if proximity.n_measured < n else f"the {n:,}"
    return f"{words} Drawn are {shown:,} of {of} records, those farthest out among them."


class CodedRecord(SelectedRecord):
    kind = CodedModel

    def _nothing(self) -> None:
        self._view.set_bits(None, 0, "")

    def _read(self, asked: CodedModel, record: Dataset, _name: str, context: RunContext) -> tuple[Bits, int]:
        return asked.read(record, context)[0] >= 0.5, int(asked.predict(record)[0])

    def _show_answer(self, answer: tuple[Bits, int], name: str) -> None:
        self._view.set_bits(*answer, name)


MOST_RECORDS: Final = 20_000
"""Rounds are seen among the records of tables of so many at most."""
ROUND_MS: Final = 700
ROUNDS: Final = "visualize.committee.rounds"
ROUND_LABELS: Final = PlaybackLabels(
    "Round: in the scatter plot records are as large as they weigh; the background is what the rounds so far predict",
    "Play the rounds",
    "One round back",
    "One round on",
    "Round {} of {}",
)


class EnsembleExtension(QObject):
    """Tests the members of a run, at most one job a run, and replays boosting rounds among the records."""

    def __init__(self, session: Session, view: EnsembleView, records: Callable[[], RecordsViews | None]) -> None:
        """``records`` returns the pictures of the records, once they exist."""
        super().__init__(session)
        self._tests = MemberErrorRuns(session.jobs, session.ledger)
        self._view, self._records = view, records
        self._weights: list[FloatArray] = []
        self._weighing = LatestTask(session.jobs)
        self.playback = PlaybackControls(ROUNDS, ROUND_LABELS, ROUND_MS)
        self.playback.moved.connect(self._step)
        view.add_rounds(self.playback)
        view.round_looked_at.connect(self._looked_at)
        self._alike = SimilarRecords(session, view, records)
        self._placed = RecordMapTask(session, view)
        self._run: Run | None = None
        view.test_asked.connect(self._asked)
        self._tests.changed.connect(self._changed)

    def show_run(self, run: Run | None) -> None:
        if run is not self._run:
            self._run = run
            self._let_go()
            self._offer_rounds()
        self._alike.show_run(run)
        self._placed.show_run(run)
        can_test = run is not None and run.result is not None and run.of_fold is None
        self._view.allow_testing(can_test)
        self._tell()

    def follow(self, row: int) -> None:
        self._alike.follow(row)

    def _offer_rounds(self) -> None:
        trained = None if self._run is None else self._run.trained
        model = None if trained is None else trained.model
        last = len(model.members) - 1 if was_boosted(model) else 0
        few = self._run is not None and len(self._run.data) <= MOST_RECORDS
        whole = trained is not None and not any(step.only_training for step in trained.filters)
        self.playback.set_stops(np.unique(np.linspace(0, last, min(last + 1, MOST_STOPS)).astype(int)).tolist(), last)
        self._view.allow_steps(last > 0 and few and whole)

    def _step(self, number: int) -> None:
        self._view.show_round(number)
        self._show_round(number)

    def _looked_at(self, number: int) -> None:
        if number < 0:
            self.playback.stop()
            self._let_go()
        elif self.playback.isVisible() and number != self.playback.position:
            self.playback.stop()
            self.playback.show_position(number)
            self._step(number)

    def _let_go(self) -> None:
        """Restores the records' own weights and the regions of the whole ensemble."""
        self._weighing.stop()
        pictures = self._records()
        if self._weights and pictures is not None:
            pictures.show_weights(None)
            pictures.show_stand_in(None)
        self._weights = []

    def _show_round(self, number: int) -> None:
        run = self._run
        trained = None if run is None else run.trained
        if run is None or trained is None or not isinstance(trained.model, CommitteeModel):
            return
        if not self._weights:
            self._weigh(run, trained, trained.model)
            return
        pictures = self._records()
        if pictures is not None:
            pictures.show_weights(self._weights[number], f"large: weighs much in round {number + 1}")
            whole = number + 1 == len(trained.model.members)
            so_far = None if whole else replace(trained, model=first_members(trained.model, number + 1))
            pictures.show_stand_in(so_far)

    def _weigh(self, run: Run, trained: TrainedClassifier, model: CommitteeModel) -> None:
        if self._weighing.is_running:
            return

        def work(context: RunContext) -> list[FloatArray]:
            return list(weights_by_round(model, trained.prepared(run.data, context.checkpoint), context))

        def done(weights: list[FloatArray]) -> None:
            self._weights = weights
            self._show_round(self.playback.position)

        says = "Weighing the records round by round"
        self._weighing.run("Weigh the records round by round", work, on_done=done, says=says)

    def _asked(self) -> None:
        run = self._run
        if run is None:
            return
        if self._tests.job_of(run) is not None:
            self._tests.end_early(run)
        else:
            self._tests.start(run)

    def _changed(self, run: object) -> None:
        if run is self._run:
            self._tell()

    def _tell(self) -> None:
        run = self._run
        errors = None if run is None else self._tests.result_of(run)
        end = None if run is None else self._tests.end_of(run)
        is_running = run is not None and self._tests.job_of(run) is not None
        self._view.show_tested(errors, is_running=is_running, end="" if end is None else end.sentence)
