"""Tables of what an experiment gave: values of cells, means by factors, and the comparison of competitors by tests.

A competitor is a combination of levels of the factors that vary besides data set and seed. A row is a data set, where
seeds are averaged. With a single data set the rows are its folds, and seeds are repeats. Tables of accuracies from
elsewhere are compared in the same way; where the numbers of records are known, by a pooled Z test in each row.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from algorithms.core.errors import DataError, ParameterError
from algorithms.core.files import write_text
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.evaluation.compare.multi_comparison import (
    Counts,
    MultiComparison,
    ScoreWords,
    compare_over_rows,
    significant_by_size,
)
from algorithms.evaluation.compare.significance_tests import (
    BASELINE_CORRECTION,
    DEFAULT_CORRECTION,
    FoldScores,
    PairedComparison,
    compared,
    corrected_p,
    paired_by_parts,
)
from algorithms.evaluation.costs.cost_matrix import CostMatrix, costs_text, read_costs
from algorithms.evaluation.costs.cost_workings import COST, TOTAL_COST, cost_per_record, total_cost
from algorithms.evaluation.measures.measure import Measure, Unit
from algorithms.evaluation.measures.metrics import confusion
from algorithms.evaluation.measures.registry import MEASURES
from algorithms.experiments.experiment import DATA, FACTORS, LEARNER, METHOD, RECIPE, SEED, Cell, Experiment, Factor
from algorithms.experiments.experiment_file import CellRecord, CellState, ExperimentFile
from algorithms.text.names import did_you_mean
from algorithms.text.numbers import bare_percent, coefficient

if TYPE_CHECKING:
    from algorithms.io.text.options import Style

ACCURACY: Final = "accuracy"
SHOWN: Final = (ACCURACY, "error-rate", "kappa", "auc", "f")
"""The measures of the table of cells where none is chosen."""
COSTS: Final = (COST.id, TOTAL_COST.id)
"""The measures that need a cost matrix."""
TRAINING, TESTING, STATE, NOTE = "training (s)", "testing (s)", "state", "note"
GAPS: Final = "missing values"
"""The head of the column that says why a row lacks values."""
SIZES: Final = ("size", "n", "records", "instances", "number of records", "number of instances")
"""Names of a column with the number of records of each data set, in lower case."""
LARGEST_PERCENT: Final = 100.0

UNENDED: Final = {CellState.WAITING: "Not computed yet.", CellState.LEFT_OUT: "Left out by the user."}
"""Why a cell that has not ended has no values."""

Where = Mapping[str, Collection[str]]
"""The levels to keep of factors, by the word of the factor; other factors keep all."""
TableCell = str | float | None
TableRows = Sequence[Sequence[TableCell]]
"""A header of names, then rows of texts and numbers; None is unknown."""


# ---- cells -----------------------------------------------------------------------------------------------------------


def factor_of(word: str) -> Factor:
    """The factor with this word; raises :class:`ParameterError`."""
    for factor in FACTORS:
        if factor.word == word:
            return factor
    words = [factor.word for factor in FACTORS]
    remedy = did_you_mean(word, words) or f"There are: {', '.join(words)}."
    raise ParameterError(f"There is no factor {word!r}.", remedy=remedy)


def chosen_records(
    file: ExperimentFile, where: Where, *, with_left_out: bool = False, costs: Sequence[str] = ()
) -> list[CellRecord]:
    """The records of the cells with these levels, left-out cells only ``with_left_out``.

    They have the measures of costs by the first of the files of ``costs`` that has the classes of their data; where
    none has, their message says why. Several files, or one for several lists of classes, must name their classes.
    Raises :class:`ParameterError` for an unknown factor or level, and :class:`DataError` if a file cannot be read, or
    no file has costs for any cell.
    """
    experiment = file.experiment
    kept: dict[str, set[int]] = {}
    for word, wanted in where.items():
        factor = factor_of(word)
        names = experiment.names(factor)
        for name in wanted:
            if name not in names:
                remedy = did_you_mean(name, names) or f"There are: {', '.join(names)}."
                raise ParameterError(f"There is no {factor.noun} {name!r} in the experiment.", remedy=remedy)
        kept[word] = {names.index(name) for name in wanted}
    factors = {word: factor_of(word) for word in kept}
    records = [
        record
        for record in file.records().values()
        if (with_left_out or record.state is not CellState.LEFT_OUT)
        and all(factors[word].level_of(experiment, record.cell) in levels for word, levels in kept.items())
    ]
    return _with_costs(file, records, costs) if costs else records


def _with_costs(file: ExperimentFile, records: Sequence[CellRecord], paths: Sequence[str]) -> list[CellRecord]:
    done = (record.cell for record in records if record.state is CellState.DONE)
    confusions = {cell: ((result := file.result(cell)).classes, confusion(result)) for cell in done}
    lists = [*dict.fromkeys(classes for classes, _ in confusions.values())]
    if not lists:
        for path in paths:
            costs_text(path)
    is_clear = len(paths) == len(lists) == 1  # else costs without labels may be those of another data set
    matrices = [(path, read_costs(path, lists[0] if is_clear else None)) for path in paths if lists]
    by_classes = {classes: _costs_of(classes, matrices) for classes in lists}
    errors = [costs for costs in by_classes.values() if isinstance(costs, DataError)]
    if errors and len(errors) == len(by_classes):
        raise errors[0]
    priced = list[CellRecord]()
    for record in records:
        if record.cell not in confusions:
            priced.append(record)
            continue
        classes, matrix = confusions[record.cell]
        costs = by_classes[classes]
        if isinstance(costs, DataError):
            priced.append(replace(record, message=f"{record.message} {costs}".strip()))
            continue
        workings = (COST.id, cost_per_record(matrix, costs)), (TOTAL_COST.id, total_cost(matrix, costs, classes))
        values = {id: working.value for id, working in workings if working.value is not None}
        priced.append(replace(record, measures={**record.measures, **values}))
    return priced


def _costs_of(classes: tuple[str, ...], matrices: Sequence[tuple[str, CostMatrix]]) -> FloatArray | DataError:
    """The costs (k, k) in the first file that has them for these classes, or why none has."""
    errors = list[str]()
    for path, matrix in matrices:
        try:
            return matrix.ordered(classes)
        except DataError as error:
            errors.append(f"{Path(path).name}: {error}")
    return DataError(" ".join(errors))


def measure_of(id: str) -> Measure:
    """The measure with this id, which must have a value for all classes together; raises on other ids."""
    measure = MEASURES.get(id)
    if not measure.has_whole:
        raise ParameterError(f"{measure.name} is a measure of one class.", remedy=f"Choose {ACCURACY}.")
    return measure


def cell_table(
    file: ExperimentFile,
    where: Where,
    measures: Sequence[str] = SHOWN,
    sort: str = "",
    group: Sequence[str] = (),
    *,
    whole: bool = False,
    costs: Sequence[str] = (),
) -> TableRows:
    """A row for each cell: levels, state, measures, seconds, sizes of the model, note. ``sort`` is a head, or "-head".

    ``whole`` names the levels of factors that do not vary too, the method with its options, as a file needs that is
    read elsewhere. With ``group`` a row is a combination of levels of these factors: means over the cells that are
    done, and their number. ``costs`` are files for the measures of costs. Raises :class:`CoppiceError`.
    """
    for id in measures:
        measure_of(id)
    records = chosen_records(file, where, with_left_out=not group, costs=costs)
    rows = _grouped(file, records, measures, [factor_of(word) for word in group]) if group else None
    if rows is None:
        facts = [*dict.fromkeys(name for record in records for name in record.facts)]
        experiment = file.experiment
        factors = [factor for factor in FACTORS if factor is DATA or whole or len(experiment.names(factor)) > 1]
        head = [factor.word for factor in factors]
        rows = [[*head, STATE, *measures, TRAINING, TESTING, *facts, NOTE]]
        for record in records:
            is_done = record.state is CellState.DONE
            levels = experiment.levels(record.cell)
            if whole:
                levels[METHOD.word] = experiment.methods[record.cell.method].summary()
            rows.append(
                [
                    *(levels[word] for word in head),
                    str(record.state),
                    *(record.measures.get(id) if is_done else None for id in measures),
                    *((record.fit_seconds, record.predict_seconds) if is_done else (None, None)),
                    *(record.facts.get(name) for name in facts),
                    _note(record, measures),
                ]
            )
    return _sorted(rows, sort)


def _note(record: CellRecord, measures: Sequence[str] = ()) -> str:
    """The message of a cell, and why it has no value of some measures; empty if all is usual."""
    if record.state in UNENDED:
        return UNENDED[record.state]
    undefined = [id for id in measures if id not in record.measures] if record.state is CellState.DONE else []
    lacks = [f"No value of {', '.join(undefined)} for these predictions."] if undefined else []
    return " ".join(filter(None, [record.message, *lacks]))


def _grouped(
    file: ExperimentFile, records: Sequence[CellRecord], measures: Sequence[str], factors: Sequence[Factor]
) -> list[list[TableCell]]:
    experiment = file.experiment
    groups: dict[tuple[str, ...], list[CellRecord]] = {}
    for record in records:
        levels = experiment.levels(record.cell)
        group = groups.setdefault(tuple(levels[factor.word] for factor in factors), [])
        group += [record] if record.state is CellState.DONE else []
    rows: list[list[TableCell]] = [[*(factor.word for factor in factors), "cells", *measures, TRAINING, TESTING]]
    for names, members in groups.items():
        values = [_mean(record.measures.get(id) for record in members) for id in measures]
        seconds = [_mean(r.fit_seconds for r in members), _mean(r.predict_seconds for r in members)]
        rows.append([*names, float(len(members)), *values, *seconds])
    return rows


def _mean(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None


def _sorted(rows: list[list[TableCell]], sort: str) -> TableRows:
    if not sort:
        return rows
    name, head = sort.removeprefix("-"), [str(cell) for cell in rows[0]]
    if name not in head:
        raise ParameterError(
            f"There is no column {name!r}.", remedy=did_you_mean(name, head) or f"There are: {', '.join(head)}."
        )
    index = head.index(name)
    there = [row for row in rows[1:] if row[index] not in (None, "")]
    absent = [row for row in rows[1:] if row[index] in (None, "")]
    return [rows[0], *sorted(there, key=lambda row: row[index], reverse=sort.startswith("-")), *absent]  # type: ignore[arg-type,return-value]


# ---- scores ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Values (n, k) of a measure: a row for each data set or fold, a column for each competitor, NaN where unknown.

    ``sizes`` (n,) are numbers of tested records, NaN where unknown. ``sure`` (n, k, k) is 1 if the first is
    significantly better in that row; None if nobody knows. ``test_share`` is that of folds (tested / training records);
    None if rows are data sets. ``seconds`` (n, k) are mean training times of cells, NaN where not all are done; a row
    of one fold has those of all. ``methods`` and ``seeds`` say how all of it was tested, and ``gaps`` (n,) why a row
    lacks values; empty where nobody knows.
    """

    rows: tuple[str, ...]
    competitors: tuple[str, ...]
    scores: FloatArray
    sizes: FloatArray
    measure: Measure
    sure: Counts | None = None
    test_share: float | None = None
    seconds: FloatArray | None = None
    methods: str = ""
    seeds: str = ""
    gaps: tuple[str, ...] = ()

    @property
    def corner(self) -> str:
        return "data set" if self.test_share is None else "fold"

    @property
    def words(self) -> ScoreWords:
        measure = self.measure
        return ScoreWords(measure.in_sentence.lower() if measure.id == ACCURACY else measure.in_sentence,
                          measure.unit is Unit.PERCENT, not measure.higher_is_better)  # fmt: skip

    def written(self, value: float) -> str:
        """A value for a table; empty if unknown."""
        if math.isnan(value):
            return ""
        return bare_percent(value) if self.measure.unit is Unit.PERCENT else coefficient(value)

    @property
    def whole(self) -> ScoreTable:
        """The competitors that have a value at all, and the rows that have one of each of these."""
        columns = np.flatnonzero(~np.isnan(self.scores).all(axis=0))
        table = replace(
            self,
            competitors=tuple(self.competitors[column] for column in columns),
            scores=self.scores[:, columns],
            sure=None if self.sure is None else self.sure[:, columns][:, :, columns],
            seconds=None if self.seconds is None else self.seconds[:, columns],
        )
        return table.of_rows(~np.isnan(table.scores).any(axis=1))

    @property
    def mean_seconds(self) -> list[float | None]:
        """The mean training time (s) of each competitor over the rows; None where a row lacks it."""
        if self.seconds is None or not len(self.seconds):
            return [None] * len(self.competitors)
        return [None if math.isnan(mean) else mean for mean in self.seconds.mean(axis=0).tolist()]

    def of_rows(self, rows: Any) -> ScoreTable:
        names = np.flatnonzero(rows)
        return replace(
            self,
            rows=tuple(self.rows[row] for row in names),
            scores=self.scores[names],
            sizes=self.sizes[names],
            sure=None if self.sure is None else self.sure[names],
            seconds=None if self.seconds is None else self.seconds[names],
            gaps=tuple(self.gaps[row] for row in names) if self.gaps else (),
        )

    def beside(self, other: ScoreTable) -> ScoreTable:
        """The accuracies in two tables, by the names of data sets; "NAME (2)" if a competitor is in both."""
        for measure in (self.measure, other.measure):
            if measure.id != ACCURACY:
                words = f"{measure.in_sentence} cannot be compared with published accuracies"
                raise DataError(f"{words[:1].upper()}{words[1:]}.", remedy="Compare accuracies.")
        if self.test_share is not None or other.test_share is not None:
            raise DataError("Folds cannot be compared with published accuracies.", remedy="Take more data sets.")
        rows = [*dict.fromkeys([*self.rows, *other.rows])]
        names = [name if name not in self.competitors else f"{name} (2)" for name in other.competitors]
        scores = np.full((len(rows), len(self.competitors) + len(names)), np.nan)
        sizes = np.full(len(rows), np.nan)
        for table, columns in ((self, slice(0, len(self.competitors))), (other, slice(len(self.competitors), None))):
            at = [rows.index(name) for name in table.rows]
            scores[at, columns] = table.scores
            sizes[at] = np.where(np.isnan(sizes[at]), table.sizes, sizes[at])
        return ScoreTable(tuple(rows), (*self.competitors, *names), scores, sizes, self.measure)

    def compared(self, rope: float = 0.01, correction: str = DEFAULT_CORRECTION) -> MultiComparison:
        """All tests over the rows without gaps; raises :class:`DataError` if there are too few."""
        table = self.whole
        sure = table.sure
        if sure is None and self.measure.id == ACCURACY and self.test_share is None and not np.isnan(table.sizes).any():
            sure = significant_by_size(table.scores, table.sizes)
        return compare_over_rows(
            table.competitors,
            table.rows,
            table.scores,
            rope=rope,
            correction=correction,
            sure=sure if self.test_share is None else None,
            test_share=self.test_share,
            words=self.words,
        )

    def score_rows(self) -> TableRows:
        """The values as numbers under a header, then the means and mean ranks over the rows without gaps."""
        rows: list[Sequence[TableCell]] = [[self.corner, *self.competitors]]
        for name, scores in zip(self.rows, self.scores.tolist(), strict=True):
            rows.append([name, *(None if math.isnan(score) else score for score in scores)])
        return rows

    def annotated(self, rows: TableRows, gaps: Sequence[str] = ()) -> TableRows:
        """Rows of this table for a file that is read elsewhere: each says how it was tested, and its ``gaps``."""
        if not self.methods:
            return rows
        gaps = gaps if any(gaps) else ()
        head = [*rows[0], METHOD.word, "seeds", *([GAPS] if gaps else [])]
        notes = [[gap] for gap in gaps] or [[] for _ in rows[1:]]
        return [head, *([*row, self.methods, self.seeds, *note] for row, note in zip(rows[1:], notes, strict=True))]

    def against(self, baseline: str, rope: float = 0.01) -> TableRows:
        """Each competitor against the ``baseline``: mean difference, wins, draws and losses, p alone and by Holm.

        Differences are positive where the competitor is better. Raises :class:`ParameterError` for an unknown name.
        """
        if baseline not in self.competitors:
            near = did_you_mean(baseline, self.competitors)
            raise ParameterError(
                f"There is no competitor {baseline!r}.",
                remedy=near or f"There are: {', '.join(self.competitors)}.",
            )
        overall = self.compared(rope)
        rows: list[Sequence[TableCell]] = []
        lines = []
        for pair in overall.pairs:
            names = overall.learners[pair.first], overall.learners[pair.second]
            if baseline not in names:
                continue
            is_first = names[1] == baseline
            won, lost = (pair.wins, pair.losses) if is_first else (pair.losses, pair.wins)
            p = 1.0 if pair.test.p_value is None else pair.test.p_value
            difference = pair.difference if is_first else -pair.difference
            lines.append((names[0] if is_first else names[1], difference, won, pair.draws, lost, p))
        lines.sort(key=lambda line: self.competitors.index(line[0]))
        adjusted = corrected_p([line[-1] for line in lines], [], len(lines), BASELINE_CORRECTION)
        test = overall.pairs[0].test.name
        rows.append([f"against {baseline}", "difference", "won", "drawn", "lost", f"p ({test})", "Holm p"])
        rows += [
            [name, difference, float(won), float(drawn), float(lost), p, q]
            for (name, difference, won, drawn, lost, p), q in zip(lines, adjusted, strict=True)
        ]
        return rows


def pareto_front(seconds: Sequence[float], values: Sequence[float], *, higher_is_better: bool) -> list[bool]:
    """Whether each competitor is on the front: no other one is as quick and as good, and better in one of the two."""
    goods = [value if higher_is_better else -value for value in values]
    pairs = list(zip(seconds, goods, strict=True))
    return [not any(other != own and other[0] <= own[0] and other[1] >= own[1] for other in pairs) for own in pairs]


# ---- from an experiment ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Grouping:
    """Which cells belong to which row and competitor."""

    rows: tuple[str, ...]
    competitors: tuple[str, ...]
    cells: Mapping[tuple[int, int], Sequence[CellRecord]]
    factors: tuple[Factor, ...]
    """The factors whose levels compete."""

    @property
    def shares_folds(self) -> bool:
        """Whether competitors are tested on the same folds."""
        return METHOD not in self.factors and SEED not in self.factors

    def tests_of(self, cell: Cell) -> tuple[int, ...]:
        """What two cells must have in common to be compared fold by fold."""
        averaged = (
            cell.learner if LEARNER not in self.factors else 0,
            cell.recipe if RECIPE not in self.factors else 0,
        )
        return *averaged, *cell.tests


def score_table(
    file: ExperimentFile,
    where: Where | None = None,
    measure: str = ACCURACY,
    across: Sequence[str] = (),
    checkpoint: Callable[[], object] = int,
    names: Callable[[Experiment, Factor], Sequence[str]] = Experiment.names,
    records: Sequence[CellRecord] | None = None,
) -> ScoreTable:
    """The values of a measure by data set and competitor; by fold if a single data set is left.

    ``across`` are the words of the factors whose levels compete, by default all that vary but data set and seed; the
    others are averaged. ``names`` gives the levels their names. ``records`` are those of the cells with their costs, if
    these are known already (see :func:`chosen_records`). Raises :class:`CoppiceError`.
    """
    kind = measure_of(measure)
    chosen = chosen_records(file, where or {}, with_left_out=True) if records is None else records
    in_use = [record for record in chosen if record.state is not CellState.LEFT_OUT]
    grouping = _grouping(file.experiment, in_use, [factor_of(word) for word in across], names)
    n, k = len(grouping.rows), len(grouping.competitors)
    scores, seconds, sizes = np.full((n, k), np.nan), np.full((n, k), np.nan), np.full(n, np.nan)
    for (row, column), cells in grouping.cells.items():
        values = [record.measures.get(measure) for record in cells]
        if cells and all(r.state is CellState.DONE for r in cells) and None not in values:
            scores[row, column] = _mean(values)
            seconds[row, column] = _mean(record.fit_seconds for record in cells)
            sizes[row] = cells[0].n_records
    tested = dict.fromkeys(record.cell.method for record in in_use)
    table = ScoreTable(
        grouping.rows,
        grouping.competitors,
        scores,
        sizes,
        kind,
        seconds=seconds,
        methods="; ".join(file.experiment.methods[method].summary() for method in tested),
        seeds=", ".join(map(str, dict.fromkeys(record.cell.seed for record in in_use))),
        gaps=tuple(_gaps_of(grouping, row, measure) for row in range(n)),
    )
    if measure != ACCURACY or not grouping.shares_folds:
        return table
    if n == 1:
        return _over_folds(file, grouping, table, checkpoint)
    return replace(table, sure=_significant(file, grouping, table, checkpoint))


def _gaps_of(grouping: _Grouping, row: int, measure: str) -> str:
    """Why a row lacks values: each competitor without one, with the notes of its cells; empty if it has all."""
    gaps = []
    for column, name in enumerate(grouping.competitors):
        records = grouping.cells.get((row, column), ())
        lacking = [r for r in records if r.state is not CellState.DONE or measure not in r.measures]
        if lacking or not records:
            notes = dict.fromkeys(_note(record, (measure,)) for record in lacking)
            gaps.append(f"{name}: {' '.join(notes) or UNENDED[CellState.LEFT_OUT]}")
    return " ".join(gaps)


def _grouping(
    experiment: Experiment,
    records: Sequence[CellRecord],
    across: Sequence[Factor],
    names_of: Callable[[Experiment, Factor], Sequence[str]],
) -> _Grouping:
    named = {factor: names_of(experiment, factor) for factor in FACTORS}
    levels = {r.cell.key: {f.word: named[f][f.level_of(experiment, r.cell)] for f in FACTORS} for r in records}
    varying = [
        factor
        for factor in FACTORS
        if factor not in (DATA, SEED) and len({each[factor.word] for each in levels.values()}) > 1
    ]
    factors = across or varying or [LEARNER]
    if DATA in factors:
        raise ParameterError("Data sets do not compete.", remedy="Compare learners, recipes, methods or seeds.")
    rows, names, cells = list[str](), list[str](), dict[tuple[int, int], list[CellRecord]]()
    for record in records:
        of_cell = levels[record.cell.key]
        row, name = of_cell[DATA.word], ", ".join(of_cell[factor.word] for factor in factors)
        for value, known in ((row, rows), (name, names)):
            if value not in known:
                known.append(value)
        cells.setdefault((rows.index(row), names.index(name)), []).append(record)
    return _Grouping(tuple(rows), tuple(names), cells, tuple(factors))


FoldsOfCells = Mapping[tuple[int, ...], FoldScores]
"""Scores of folds by :meth:`_Grouping.tests_of`."""


def _folds(file: ExperimentFile, grouping: _Grouping, row: int, column: int) -> FoldsOfCells:
    scores: dict[tuple[int, ...], FoldScores] = {}
    for record in grouping.cells[row, column]:
        result = file.result(record.cell)
        if not result.test_is_training:
            scores[grouping.tests_of(record.cell)] = FoldScores.of(result)
    return scores


def _fold_difference(one: FoldsOfCells, other: FoldsOfCells) -> PairedComparison | None:
    """The corrected resampled t test over all folds that two competitors share; by records if these are too few."""
    both = [key for key in one if key in other]
    if not both:
        return None
    parts, shares = zip(*(one[key].differences(other[key]) for key in both), strict=True)
    by_parts = paired_by_parts(np.concatenate(parts), float(np.mean(shares)), 0.95)
    return by_parts or compared(one[both[0]], other[both[0]])


def _significant(
    file: ExperimentFile, grouping: _Grouping, table: ScoreTable, checkpoint: Callable[[], object]
) -> Counts | None:
    """Array (n, k, k): 1 if a competitor is significantly better on a data set by its folds, uncorrected."""
    n, k = table.scores.shape
    sure = np.zeros((n, k, k), dtype=np.int64)
    for row in range(n):
        checkpoint()
        there = [column for column in range(k) if not np.isnan(table.scores[row, column])]
        folds = {column: _folds(file, grouping, row, column) for column in there}
        for a in there:
            for b in there:
                paired = _fold_difference(folds[a], folds[b]) if a < b else None
                if paired is not None and paired.significant and paired.difference:
                    sure[row, a, b], sure[row, b, a] = paired.difference > 0, paired.difference < 0
    return sure


def _over_folds(
    file: ExperimentFile, grouping: _Grouping, table: ScoreTable, checkpoint: Callable[[], object]
) -> ScoreTable:
    """The accuracies of the competitors that are done in the folds that they share, seeds as repeats."""
    done = [column for column in range(len(table.competitors)) if not np.isnan(table.scores[0, column])]
    checkpoint()
    folds = [_folds(file, grouping, 0, column) for column in done]
    common = [key for key in (folds[0] if folds else ()) if all(key in other for other in folds)]
    names, parts, shares = list[str](), list[FloatArray](), list[float]()
    for key in common:
        keys = folds[0][key].keys
        for other in folds[1:]:
            keys = np.intersect1d(keys, other[key].keys)
        parts.append(np.column_stack([of[key].accuracy[np.searchsorted(of[key].keys, keys)] for of in folds]))
        shares += [of[key].test_share for of in folds]
        repeats, numbers = (keys >> 32).tolist(), (keys & 0xFFFFFFFF).tolist()
        seed = f"{key[-1]}." if len(common) > 1 else ""
        several = len(set(repeats)) > 1
        names += [f"{seed}{f'{r + 1}.' if several else ''}{f + 1}" for r, f in zip(repeats, numbers, strict=True)]
    if not parts:
        return table
    scores = np.concatenate(parts)
    return replace(
        table,
        rows=tuple(names),
        competitors=tuple(table.competitors[column] for column in done),
        scores=scores,
        sizes=np.full(len(scores), np.nan),
        test_share=float(np.mean(shares)),
        seconds=None if table.seconds is None else np.tile(table.seconds[0, done], (len(scores), 1)),
        gaps=(),
    )


# ---- from elsewhere --------------------------------------------------------------------------------------------------


def read_score_table(path: str | Path, context: RunContext) -> ScoreTable:
    """A table of accuracies from elsewhere: names of data sets, then a column for each learner, as shares or percent.

    A numeric column named size, n, records or instances has the numbers of records. Raises :class:`DataError`.
    """
    from algorithms.io.reading import read
    from algorithms.io.text.options import ReadOptions

    data = read(path, context, ReadOptions(class_name=""))
    attributes, place = data.schema.attributes, Path(path).name
    numbers = [i for i, attribute in enumerate(attributes) if attribute.kind is AttributeKind.NUMERIC]
    sizes_at = next((i for i in numbers if attributes[i].name.strip().lower() in SIZES), None)
    learners = [i for i in numbers if i != sizes_at]
    named = next((i for i in range(len(attributes)) if i not in numbers), None)
    if len(learners) < 2:
        raise DataError(
            "There are fewer than two columns of accuracies.",
            remedy="Give each learner a column of numbers, and each data set a row.",
            place=place,
        )
    scores = np.column_stack([data.column(i) for i in learners]).astype(np.float64)
    if np.nanmax(scores, initial=0.0) > 1:
        scores = scores / LARGEST_PERCENT
    if np.any((scores < 0) | (scores > 1)):
        raise DataError("An accuracy is not between 0 and 100%.", remedy="Correct it in the file.", place=place)
    sizes = np.full(len(data), np.nan) if sizes_at is None else data.column(sizes_at).astype(np.float64)
    if np.any(sizes < 1):
        raise DataError("A number of records is below 1.", remedy="Correct it in the file.", place=place)
    names = _row_names(data, named)
    return ScoreTable(names, tuple(attributes[i].name for i in learners), scores, sizes, MEASURES.get(ACCURACY))


def _row_names(data: Dataset, index: int | None) -> tuple[str, ...]:
    """The names in a column, numbered where they repeat or are missing; the numbers of the rows without a column."""
    from algorithms.data.convert_kind import as_strings

    if index is None:
        return tuple(str(row + 1) for row in range(len(data)))
    column, attribute = data.column(index), data.schema.attributes[index]
    texts = column if attribute.kind.is_string else as_strings(attribute, column)
    names = [text if isinstance(text, str) and text else str(row + 1) for row, text in enumerate(texts.tolist())]
    return tuple(name if names.count(name) == 1 else f"{name} #{row + 1}" for row, name in enumerate(names))


# ---- export ----------------------------------------------------------------------------------------------------------

TEX: Final = (".tex",)
HTML: Final = (".html", ".htm")
_LATEX: Final = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}  # fmt: skip
EXPORT_SUFFIXES: Final = ".csv .tsv .xlsx .tex .html"


def written_cell(cell: TableCell) -> str:
    """A cell as text; numbers with their shortest digits that read back the same."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else repr(cell)


def export_table(
    path: str | Path, rows: TableRows, context: RunContext, style: Style | None = None, caption: str = ""
) -> None:
    """Write rows under a header in the format that the suffix names: LaTeX, HTML, or one of the formats of tables.

    Raises :class:`DataError` if the file cannot be written.
    """
    from algorithms.io.writing import write_table

    suffix = Path(path).suffix.lower()
    if suffix in TEX:
        write_text(path, latex_table(rows, caption))
    elif suffix in HTML:
        write_text(path, html_table(rows, caption))
    else:
        write_table(path, _as_data(rows, caption or "Experiment"), context, style)


def figure(cell: TableCell) -> str:
    """A cell of a table to be read: numbers with four significant decimals at most."""
    if not isinstance(cell, float):
        return written_cell(cell)
    return written_cell(cell) if cell.is_integer() else f"{cell:.4f}"


def latex_table(rows: TableRows, caption: str = "") -> str:
    """A ``tabular`` of the package booktabs with all special characters escaped."""

    def line(row: Sequence[TableCell]) -> str:
        texts = ("".join(_LATEX.get(c, c) for c in figure(cell).replace("\n", " ")) for cell in row)
        return f"{' & '.join(texts)} \\\\"

    columns = "".join("r" if is_numeric else "l" for is_numeric in _numeric_columns(rows))
    head, *body = map(line, rows)
    title = "".join(_LATEX.get(c, c) for c in caption)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        *([f"\\caption{{{title}}}"] if caption else []),
        f"\\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        head,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def html_table(rows: TableRows, caption: str = "") -> str:
    """A page with one table, all texts escaped, without scripts and references to elsewhere."""
    numeric = _numeric_columns(rows)
    head, *body = rows

    def line(row: Sequence[TableCell], tag: str) -> str:
        opened = [f'<{tag} class="number">' if number else f"<{tag}>" for number in numeric]
        cells = (f"{tags}{html.escape(figure(cell))}</{tag}>" for tags, cell in zip(opened, row, strict=True))
        return f"<tr>{''.join(cells)}</tr>"

    title = html.escape(caption or "Experiment")
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{title}</title>",
        "<style>table{border-collapse:collapse;font-family:sans-serif}"
        "th,td{padding:2px 10px;border-bottom:1px solid #bbb;text-align:left}.number{text-align:right}</style>",
        "</head><body>",
        f"<table><caption>{title}</caption>",
        f"<thead>{line(head, 'th')}</thead>",
        "<tbody>",
        *(line(row, "td") for row in body),
        "</tbody></table></body></html>",
    ]
    return "\n".join(parts) + "\n"


def _numeric_columns(rows: TableRows) -> list[bool]:
    """Whether each column holds numbers only, gaps aside."""
    width = len(rows[0])
    columns = [[row[i] for row in rows[1:] if row[i] is not None and row[i] != ""] for i in range(width)]
    return [bool(column) and all(isinstance(cell, float | int) for cell in column) for column in columns]


def _as_data(rows: TableRows, name: str) -> Dataset:
    """The rows as a table of numbers and texts, for the writers of tables."""
    head, *body = rows
    attributes, columns = list[Attribute](), list[Any]()
    taken = list[str]()
    for index, (label, is_numeric) in enumerate(zip(head, _numeric_columns(rows), strict=True)):
        own = str(label) or f"column {index + 1}"
        taken.append(own if own not in taken else f"{own} #{index + 1}")
        cells = [row[index] for row in body]
        kind = AttributeKind.NUMERIC if is_numeric else AttributeKind.TEXT
        attributes.append(Attribute(taken[-1], kind))
        if is_numeric:
            columns.append(np.array([np.nan if cell in (None, "") else cell for cell in cells], dtype=np.float64))
        else:
            columns.append([np.nan if cell is None else written_cell(cell) for cell in cells])
    return Dataset(Schema(tuple(attributes)), columns, origin=DataOrigin(name))
