"""Where two runs differ: which of both predicts each record correctly, how far they agree, and their settings.

Tests are paired by record and repeat. Of runs with other folds or seeds a record then has the same truth, but models of
other training records. Cohen's kappa is that of the decisions of both (Cohen 1960); the accuracy of an oracle that
always takes the correct one of two is an upper bound of their combination (Woods, Kegelmeyer and Bowyer 1997).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import IntEnum
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final, NamedTuple

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Codes
from algorithms.core.parameters import Configurable, Parameter
from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.evaluation.compare.significance_tests import SignificanceTest, mcnemar_exact
from algorithms.evaluation.measures.class_rates import kappa
from algorithms.evaluation.measures.intervals import Interval, accuracy_interval, matrix_intervals
from algorithms.evaluation.result import EvaluationResult, kish
from algorithms.evaluation.tuning.search_space import said_value
from algorithms.text.numbers import coefficient, interval_words, number, p_text, p_words, percent, percent_range, points
from algorithms.text.sentences import counted

NOT_THERE: Final = "–"
"""Stands for a setting that only the other run has."""


class Agreement(IntEnum):
    """How the decisions of two runs for a record relate."""

    BOTH_CORRECT = 0
    ONLY_FIRST = 1
    ONLY_SECOND = 2
    SAME_ERROR = 3
    OTHER_ERROR = 4
    """Both are wrong, by different classes."""


Kinds = frozenset[Agreement]
BOTH_WRONG: Final[Kinds] = frozenset({Agreement.SAME_ERROR, Agreement.OTHER_ERROR})
DISAGREE: Final[Kinds] = frozenset({Agreement.ONLY_FIRST, Agreement.ONLY_SECOND, Agreement.OTHER_ERROR})
CELLS: Final[tuple[tuple[Kinds, str, str], ...]] = (
    (frozenset({Agreement.BOTH_CORRECT}), "both_correct", "both correct"),
    (frozenset({Agreement.ONLY_FIRST}), "only_first", "only the first correct"),
    (frozenset({Agreement.ONLY_SECOND}), "only_second", "only the second correct"),
    (BOTH_WRONG, "both_wrong", "both wrong"),
    (frozenset({Agreement.OTHER_ERROR}), "both_wrong_differently", "both wrong, different classes"),
)
"""Kinds of records with their keys and words; the last is a part of the one before."""


@dataclass(frozen=True, eq=False)
class Disagreement:
    """The m tests that two runs have in common: ids of the records, kind and weight of each (m,).

    ``n`` is the number of different records, or Kish's effective one if they are weighted.
    """

    names: tuple[str, str]
    ids: IntArray
    kinds: Codes
    weights: FloatArray
    n: float
    is_weighted: bool
    n_apart: int
    """Tests of either run that the other lacks, or that have another class there."""
    is_same_tests: bool
    """Whether both were tested by the same method and seed on as many records."""
    decided: FloatArray
    """Weight (k, k) of the tests by the class that the first decides, and the second."""
    kappa_interval: Interval | None

    @cached_property
    def sums(self) -> FloatArray:
        """Weight of the tests of each kind (5,)."""
        return np.bincount(self.kinds, self.weights, minlength=len(Agreement)).astype(np.float64)

    @property
    def total(self) -> float:
        return float(self.sums.sum())

    def weight(self, kinds: Kinds) -> float:
        return float(sum(self.sums[kind] for kind in sorted(kinds)))

    def share(self, kinds: Kinds) -> float:
        return self.weight(kinds) / self.total

    def interval(self, kinds: Kinds) -> tuple[float, float]:
        """95% CI (Wilson) of a share."""
        return accuracy_interval(self.share(kinds), self.n)

    def records(self, kinds: Kinds) -> IntArray:
        """Ids of the records with a test of these kinds, ascending."""
        return np.unique(self.ids[self._is_of(kinds)])

    def most_frequent(self) -> tuple[IntArray, Codes]:
        """Ids of the records, ascending, and the place in :data:`CELLS` of the kind of most of their tests.

        Of equally frequent kinds the first counts; whether two wrong classes differ does not matter.
        """
        ids, record = np.unique(self.ids, return_inverse=True)
        n_kinds = int(Agreement.SAME_ERROR) + 1
        place = np.minimum(self.kinds, Agreement.SAME_ERROR)
        counts = np.bincount(record * n_kinds + place, minlength=n_kinds * len(ids)).reshape(-1, n_kinds)
        return ids, counts.argmax(axis=1).astype(np.int32)

    def _is_of(self, kinds: Kinds) -> Mask:
        wanted = np.zeros(len(Agreement), dtype=np.bool_)
        wanted[sorted(kinds)] = True
        return wanted[self.kinds]

    @property
    def accuracies(self) -> tuple[float, float]:
        """Of both runs on the common tests."""
        both, first, second = self.sums[:3] / self.total
        return float(both + first), float(both + second)

    @property
    def oracle(self) -> FormulaWorking:
        """The accuracy of always taking the correct one of both decisions."""
        both, first, second = (float(one) for one in self.sums[:3])
        terms = (
            Term("both", both, "both correct"),
            Term("first", first, f"only {self.names[0]} correct"),
            Term("second", second, f"only {self.names[1]} correct"),
            Term("N", self.total, "tests of both"),
        )
        value = (both + first + second) / self.total
        return FormulaWorking(
            "Oracle accuracy", "({both} + {first} + {second}) / {N}", terms, value, "Woods et al. 1997", percent(value)
        )

    @property
    def kappa(self) -> FormulaWorking:
        """Cohen's kappa between the decisions; undefined where both always decide the same class."""
        working = kappa(self.decided)
        agreed, chance = working.terms
        terms = Term("agreed", agreed.value, "share decided alike"), Term("chance", chance.value, chance.meaning)
        shown = "" if working.value is None else coefficient(working.value)
        return FormulaWorking(
            "Kappa", "({agreed} − {chance}) / (1 − {chance})", terms, working.value, working.source, shown
        )

    @cached_property
    def mcnemar(self) -> SignificanceTest:
        """McNemar's exact test; a record tested several times counts once, by its first test."""
        _, first = np.unique(self.ids, return_index=True)
        alone, together = (
            self.weights[first] * (self.kinds[first] == kind) for kind in (Agreement.ONLY_FIRST, Agreement.ONLY_SECOND)
        )
        whole = float(alone.sum() + together.sum())
        worth = kish(alone + together) / whole if self.is_weighted and whole else 1.0
        return mcnemar_exact(float(alone.sum()) * worth, float(together.sum()) * worth)

    @cached_property
    def unit(self) -> str:
        """What is counted: records, or tests if a record has several."""
        return "record" if len(self.records(frozenset(Agreement))) == len(self.ids) else "test"

    @property
    def headline(self) -> str:
        share, (low, high) = self.share(DISAGREE), self.interval(DISAGREE)
        one, other = self.names
        if not share:
            return f"{one} and {other} decide all {counted(len(self.ids), self.unit)} alike"
        return f"{one} and {other} disagree on {percent(share, self.n)} ({interval_words(low, high, self.n)})"

    @property
    def oracle_sentence(self) -> str:
        """Compares the oracle's accuracy with that of the better run."""
        value = self.oracle.value or 0.0
        low, high = accuracy_interval(value, self.n)
        place = int(self.accuracies[1] > self.accuracies[0])
        best = self.accuracies[place]
        gain = f"{points(value - best).lstrip('+')} above {self.names[place]} ({percent(best, self.n)})"
        beside = gain if value > best else f"as {self.names[place]} alone"
        return (
            f"An oracle that always takes the correct one of both would reach {percent(value, self.n)} accuracy "
            f"({interval_words(low, high, self.n)}), {beside}."
        )

    @property
    def kappa_words(self) -> str:
        """ "0.951 (95% CI 0.930 to 0.970)"."""
        if self.kappa.value is None:
            return "undefined"
        ends = self.kappa_ends
        return f"{coefficient(self.kappa.value)}{f' (95% CI {ends})' if ends else ''}"

    @property
    def kappa_ends(self) -> str:
        ends = self.kappa_interval
        return "" if ends is None else " to ".join(map(coefficient, ends.ends))

    @property
    def sentences(self) -> tuple[str, ...]:
        mcnemar = self.mcnemar
        tests = f"Kappa between the decisions is {self.kappa_words}. {mcnemar.name}: {p_words(mcnemar.p_value or 0.0)}."
        return self.oracle_sentence, tests, *self.remarks

    @property
    def remarks(self) -> tuple[str, ...]:
        """What limits the comparison of these two runs."""
        remarks = []
        if self.unit == "test":
            remarks.append("Records tested several times count once per repeat.")
        if not self.is_same_tests:
            remarks.append("The runs were not tested on the same folds, so their training records differ too.")
        if self.n_apart:
            remarks.append(f"{counted(self.n_apart, 'test')} of one run only, or with another class, left out.")
        return tuple(remarks)

    def rows(self) -> list[list[str]]:
        """A header, then count, share and 95% CI of each kind, and the measures of both runs together."""
        lines = [["", f"{self.unit}s", "share", "95% CI"]]
        for kinds, _, _ in CELLS:
            interval = percent_range(*self.interval(kinds), self.n)
            lines.append([self.words(kinds), number(self.weight(kinds)), percent(self.share(kinds), self.n), interval])
        oracle = self.oracle.value or 0.0
        ends = percent_range(*accuracy_interval(oracle, self.n), self.n)
        lines.append(["oracle accuracy", "", percent(oracle, self.n), ends])
        lines.append(["kappa", "", self.kappa.result if self.kappa.shown else "undefined", self.kappa_ends])
        lines.append([self.mcnemar.name, "", f"p {p_text(self.mcnemar.p_value)}", ""])
        return lines

    def words(self, kinds: Kinds) -> str:
        """Kinds that :data:`CELLS` has in words with the names of the runs: "only C4.5 (run 1) correct"."""
        words = next(words for cell, _, words in CELLS if cell == kinds)
        return words.replace("the first", self.names[0]).replace("the second", self.names[1])


def disagreement(
    names: tuple[str, str],
    first: EvaluationResult,
    second: EvaluationResult,
    checkpoint: Callable[[], object] = int,
) -> Disagreement:
    """Pairs the tests of two results by record and repeat.

    Raises :class:`DataError` if they have no common test, other classes, or tests of training records.
    """
    is_same = _check_pairable(names, first, second)
    mine, theirs = _paired(first, second, is_same, checkpoint)
    is_alike = first.truth[mine] == second.truth[theirs]
    mine, theirs = mine[is_alike], theirs[is_alike]
    if not len(mine):
        raise DataError(
            f"{names[0]} and {names[1]} have no tested record in common.",
            remedy="Evaluate both on the same table.",
        )
    checkpoint()
    truth, one, other = first.truth[mine], first.decision[mine], second.decision[theirs]
    is_first, is_second = one == truth, other == truth
    kinds = np.where(one == other, Agreement.SAME_ERROR, Agreement.OTHER_ERROR).astype(np.int32)
    kinds[is_first & is_second] = Agreement.BOTH_CORRECT
    kinds[is_first & ~is_second] = Agreement.ONLY_FIRST
    kinds[~is_first & is_second] = Agreement.ONLY_SECOND
    ids, weights = first.row_ids[mine], first.weight_array[mine]
    checkpoint()
    distinct_ids, place = np.unique(ids, return_index=True)
    n = float(len(distinct_ids)) if first.weights is None else kish(weights[place])
    k = len(first.classes)
    decided = np.zeros((k, k))
    np.add.at(decided, (one, other), weights)
    interval = matrix_intervals(decided, n, checkpoint).kappa
    n_apart = len(first) + len(second) - 2 * len(mine)
    is_weighted = first.weights is not None
    return Disagreement(names, ids, kinds, weights, n, is_weighted, n_apart, is_same, decided, interval)


def _check_pairable(names: tuple[str, str], first: EvaluationResult, second: EvaluationResult) -> bool:
    """Whether two results have the same tests; raises :class:`DataError` if no test can be paired."""
    for name, result in zip(names, (first, second), strict=True):
        if result.test_is_training:
            raise DataError(
                f"{name} was tested on its training data, so it cannot be compared.",
                remedy="Test it with cross-validation.",
            )
        if result.weights_are_counts:
            raise DataError(f"{name} has groups of records only, since its table is larger than memory.")
    if first.classes != second.classes:
        raise DataError(f"{names[0]} and {names[1]} predict different classes.", remedy="Choose another run.")
    is_same = (first.method, first.seed, first.n_training) == (second.method, second.seed, second.n_training)
    by_file = first.method.needs_test_data, second.method.needs_test_data
    if any(by_file) and first.method != second.method:
        raise DataError(
            f"{names[0]} and {names[1]} were tested on different tables.", remedy="Test both with the same file."
        )
    return is_same


def _paired(
    first: EvaluationResult, second: EvaluationResult, is_same: bool, checkpoint: Callable[[], object]
) -> tuple[IntArray, IntArray]:
    """Places of the common tests in both results, in the order of the first.

    Where a record is tested several times in a repeat, tests of the same method and seed are paired by fold too.
    """
    for columns in (("row_ids", "repeats"), ("row_ids", "repeats", "folds")):
        one, other = _keys(first, second, columns, checkpoint)
        checkpoint()
        if all(len(np.unique(keys)) == len(keys) for keys in (one, other)):
            _, mine, theirs = np.intersect1d(one, other, assume_unique=True, return_indices=True)
            order = np.argsort(mine, kind="stable")
            return mine[order], theirs[order]
        if not is_same:
            break
    raise DataError(
        "The two runs test a record several times in different parts.",
        remedy="Evaluate both with the same method and seed.",
    )


def _keys(
    first: EvaluationResult, second: EvaluationResult, columns: Sequence[str], checkpoint: Callable[[], object]
) -> tuple[IntArray, IntArray]:
    """A number for each test of both results, equal where these columns are."""
    key = np.zeros(len(first) + len(second), dtype=np.int64)
    for name in columns:
        checkpoint()
        values, code = np.unique(np.concatenate([getattr(first, name), getattr(second, name)]), return_inverse=True)
        _, key = np.unique(key * len(values) + code, return_inverse=True)
    return key[: len(first)], key[len(first) :]


# ---- settings --------------------------------------------------------------------------------------------------------


class SettingDifference(NamedTuple):
    """A setting by its label in the form, and its value in both runs."""

    label: str
    first: str
    second: str


def differing_settings(first: EvaluationResult, second: EvaluationResult) -> list[SettingDifference]:
    """What differs in learner, recipe, test method and seed; empty if nothing does."""
    rows = list(_between(first.learner, second.learner, "Learner", ""))
    rows += _between_recipes(first.recipe, second.recipe)
    rows += _between(first.method, second.method, "Test with", "Test with: ")
    if first.seed != second.seed:
        rows.append(SettingDifference("Seed", str(first.seed), str(second.seed)))
    return rows


def _between(first: Configurable, second: Configurable, title: str, prefix: str) -> Iterator[SettingDifference]:
    """The names if they differ; then parameters that differ, and changed ones that only one has and uses."""
    if type(first) is not type(second):
        yield SettingDifference(title, first.name, second.name)
    both = [{one.name: one for one in part.parameters()} for part in (first, second)]
    for name in dict.fromkeys([*both[0], *both[1]]):
        declared = [part.get(name) for part in both]
        values: list[Any] = [getattr(part, name, None) for part in (first, second)]
        mine, theirs = declared
        if mine is not None and theirs is not None and (mine.label, mine.kind) == (theirs.label, theirs.kind):
            if values[0] == values[1]:
                continue
            if all(isinstance(value, Configurable) for value in values):
                yield from _between(values[0], values[1], f"{prefix}{mine.label}", f"{prefix}{mine.label}: ")
            else:
                cells = [_words(one, value) for one, value in zip((mine, theirs), values, strict=True)]
                yield SettingDifference(f"{prefix}{mine.label}", *cells)
            continue
        for place, parameter in enumerate(declared):
            if parameter is not None and name in (first, second)[place].changed():
                cells = [NOT_THERE, NOT_THERE]
                cells[place] = _words(parameter, values[place])
                yield SettingDifference(f"{prefix}{parameter.label}", *cells)


def _words(parameter: Parameter, value: Any) -> str:
    """The value as the form has it; an empty choice is what ``none_label`` says."""
    return said_value(parameter, value) or parameter.none_label or NOT_THERE


def _between_recipes(first: Recipe, second: Recipe) -> Iterator[SettingDifference]:
    """Steps that only one recipe has, and parameters of steps of one kind that differ."""
    one_kinds, other_kinds = ([type(step).id for step in recipe] for recipe in (first, second))
    for tag, a, b, c, d in SequenceMatcher(None, one_kinds, other_kinds, autojunk=False).get_opcodes():
        for one, other in zip_longest(first[a:b], second[c:d]):
            if tag == "equal":
                yield from _between(one, other, "Step", f"{one.name}: ")
            else:
                cells = [NOT_THERE if step is None else step.summary() for step in (one, other)]
                yield SettingDifference("Step", *cells)
