"""Which attributes drive a model: permutation importance and drop-column importance on records it did not learn from.

Each fold of an evaluation method trains recipe and learner. Permutation importance is how much worse the model does on
the fold's test records if the values of an attribute are permuted among them, before the recipe (Breiman, Random
forests, 2001; Fisher, Rudin and Dominici, All models are wrong, but many are useful, 2019). Drop-column importance
trains again without the attribute. Intervals are those of the corrected resampled t test over folds (Nadeau and Bengio
2003), and the p-values of all attributes are corrected by Holm.

A model may read a correlated attribute where another is permuted, so both look unimportant. Groups of attributes with
a pairwise association of at least ``GROUPED`` are therefore permuted together too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from algorithms.core.errors import Cancelled, CoppiceError, DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner, Predictions
from algorithms.core.resampling import Method, Split
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.compare.multi_comparison import listed, listed_in_brief
from algorithms.evaluation.compare.significance_tests import holm, paired_t
from algorithms.evaluation.fold_models import FoldTask, apart, each_fold, tested_rows
from algorithms.evaluation.measures.measure import Measure, Unit
from algorithms.evaluation.measures.metrics import ranking_measure, report_without_intervals
from algorithms.evaluation.measures.ranking_measures import BRIER, LOG_LOSS
from algorithms.evaluation.measures.registry import MEASURES, of_permutation_test
from algorithms.evaluation.report import plain
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.numbers import coefficient, p_words, points, signed

if TYPE_CHECKING:
    from algorithms.evaluation.checks.overview import Associations

GROUPED: Final = 0.7
"""Least association of all pairs of a group: |Spearman's rho|, Cramér's V or correlation ratio."""
REPEATS: Final = 5
"""Usual number of permutations of each attribute in each fold."""
ALPHA: Final = 0.05
LEAST_TESTED: Final = 2
"""Fewest test records of a fold among which values can be permuted."""


@dataclass(frozen=True, eq=False)
class GroupImportance:
    """How much worse the models do without what a group of attributes (usually one) tells.

    ``by_fold`` (f, r) has the fall of the measure in each fold and repeat, positive if the model does worse; NaN where
    the measure is undefined. ``test_share`` is the mean of tested / training records of a fold. ``error`` is a sentence
    if the group could not be left out.
    """

    names: tuple[str, ...]
    by_fold: FloatArray
    test_share: float
    p_adjusted: float | None = None
    error: str = ""

    @property
    def name(self) -> str:
        return " + ".join(self.names)

    @property
    def brief(self) -> str:
        """All names of a few, or the first two and the number of the others."""
        return listed_in_brief(self.names)

    @property
    def folds(self) -> FloatArray:
        """The mean (f,) over the repeats of each fold in which the measure is defined."""
        known = ~np.isnan(self.by_fold).all(axis=1)
        return np.nanmean(self.by_fold[known], axis=1) if known.any() else np.empty(0)

    @property
    def mean(self) -> float:
        """Mean over the folds; NaN if the measure is undefined in all."""
        folds = self.folds
        return float(folds.mean()) if len(folds) else math.nan

    @property
    def interval(self) -> tuple[float, float] | None:
        """Its 95% confidence interval; None for fewer than two folds."""
        folds = self.folds
        return None if len(folds) < 2 else paired_t(folds, test_share=self.test_share, limit=math.inf).interval

    @property
    def p_value(self) -> float | None:
        """Two-sided p-value that it is 0, not corrected for the number of attributes; None for fewer than two folds."""
        folds = self.folds
        return None if len(folds) < 2 else paired_t(folds, test_share=self.test_share, limit=math.inf).p_value

    @property
    def is_sure(self) -> bool:
        """Whether the model surely does worse without it, after Holm's correction."""
        return self.mean > 0 and self.p_adjusted is not None and self.p_adjusted <= ALPHA


@dataclass(frozen=True, eq=False)
class AttributeImportance:
    """The importance of every attribute and of groups of correlated ones, by one of m measures.

    ``changed`` (g) names what was permuted or dropped: each attribute, then the groups in ``associations``, which has
    the least association of the pairs of each. ``bases`` (f, m) are the measures of the unchanged models in the tested
    folds and ``falls`` (f, m, g, r) how much worse they get; NaN where undefined. ``n_folds`` folds were planned.
    ``errors`` says by the number of a group why it could not be left out, ``failures`` why folds failed.
    """

    measure: Measure
    is_dropped: bool
    n_folds: int
    n_repeats: int
    test_share: float
    changed: tuple[tuple[str, ...], ...]
    associations: Mapping[tuple[str, ...], float]
    bases: FloatArray
    falls: FloatArray
    errors: Mapping[int, str] = field(default_factory=dict)
    failures: tuple[str, ...] = ()

    def judged_by(self, measure: str) -> AttributeImportance:
        """The same by the measure with this id."""
        return replace(self, measure=MEASURES.get(measure))

    @property
    def _place(self) -> int:
        return [one.id for one in importance_measures()].index(self.measure.id)

    @property
    def base(self) -> FloatArray:
        """The measure (f,) of the unchanged models in each tested fold."""
        return self.bases[:, self._place]

    @cached_property
    def attributes(self) -> tuple[GroupImportance, ...]:
        """The attributes with their corrected p-values, the most important first."""
        return _corrected([self._of(number) for number in range(len(self.changed) - len(self.associations))])

    @cached_property
    def groups(self) -> tuple[GroupImportance, ...]:
        """The groups of correlated attributes with p-values corrected among themselves, the most important first."""
        n = len(self.changed)
        return _corrected([self._of(number) for number in range(n - len(self.associations), n)])

    def _of(self, number: int) -> GroupImportance:
        by_fold = self.falls[:, self._place, number]
        return GroupImportance(self.changed[number], by_fold, self.test_share, error=self.errors.get(number, ""))

    @property
    def is_whole(self) -> bool:
        return len(self.base) + len(self.failures) >= self.n_folds

    @property
    def title(self) -> str:
        return "Drop-column importance" if self.is_dropped else "Permutation importance"

    @property
    def sentence(self) -> str:
        """What the numbers say, in words."""
        if not self.attributes:
            return "The data have no attributes besides the class."
        sure = [one.name for one in self.attributes if one.is_sure]
        first = self.attributes[0]
        if len(self.base) < 2:
            return (
                f"{first.name} matters most here, but one test part gives no interval. Test with folds for intervals."
            )
        together = next((one for one in self.groups if one.is_sure), None)
        if not sure and together is not None:
            names = listed_in_brief(together.names)
            return f"{names} drive the model together. No attribute alone is significant (Holm, 5%)."
        if not sure:
            return f"No attribute drives the model significantly: no {self.title.lower()} differs from 0 (Holm, 5%)."
        rest = "" if len(sure) == 1 else f", then {', '.join(sure[1:4])}" + (" and others" if len(sure) > 4 else "")
        n = len(self.attributes)
        return f"{sure[0]} drives the model most{rest}. {len(sure)} of {n} attributes are significant (Holm, 5%)."

    @property
    def ranked(self) -> tuple[GroupImportance, ...]:
        """Attributes and groups together, the most important first."""
        return _by_mean((*self.attributes, *self.groups))

    @property
    def brief_remarks(self) -> tuple[str, ...]:
        """The remarks in a sentence or two, without the names."""
        n = len(self.groups)
        changed = "dropped" if self.is_dropped else "permuted"
        those = "A group of correlated attributes is" if n == 1 else f"{n} groups of correlated attributes are"
        grouped = f"{those} also {changed} together: a model may read one attribute where another is changed."
        return (*([grouped] if n else []), *self.remarks[n:])

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings of correlated attributes and of folds that failed."""
        grouped = [
            f"{listed(names)} are correlated (association at least {coefficient(least)}): the model may read one "
            "where the other is changed, so each alone looks less important than all together."
            for names, least in self.associations.items()
        ]
        left_out = [f"{one.name} could not be left out: {one.error}" for one in self.attributes if one.error]
        return (*grouped, *left_out, *self.failures)

    def rows(self) -> list[list[object]]:
        """Header and a row for each attribute, then for each group, with plain numbers; unknown ones are empty."""
        head: list[object] = ["attributes", self.measure.id, "low_95", "high_95", "p", "p_holm", *self._part_names]
        rows = [head]
        for one in (*self.attributes, *self.groups):
            low, high = one.interval or (None, None)
            numbers = [one.mean, low, high, one.p_value, one.p_adjusted, *np.nanmean(one.by_fold, axis=1).tolist()]
            rows.append([one.name, *("" if value is None or value != value else value for value in numbers)])
        return rows

    @property
    def _part_names(self) -> list[str]:
        return [f"part_{number + 1}" for number in range(len(self.base))]

    def written(self, value: float) -> str:
        """A fall of the measure with its sign: "+42.6 points"; a dash if unknown."""
        if value != value:
            return "-"
        return points(value) if self.measure.unit is Unit.PERCENT else signed(value, 3)

    def written_interval(self, one: GroupImportance) -> str:
        """The 95% CI of a group: "+43.6 to +57.4 points"; empty without one."""
        if one.interval is None:
            return ""
        low, high = map(self.written, one.interval)
        return f"{low.removesuffix(' points')} to {high}"

    def written_rows(self) -> list[list[str]]:
        """Header and rows as a person reads them."""
        rows = [["attribute", f"fall of {self.measure.in_sentence}", "95% CI", "p (Holm)"]]
        for one in (*self.attributes, *self.groups):
            low, high = map(self.written, one.interval or (math.nan, math.nan))
            ends = "" if one.interval is None else f"{low.removesuffix(' points')} to {high}"
            rows.append(
                [one.name, self.written(one.mean), ends, "" if one.p_adjusted is None else p_words(one.p_adjusted)]
            )
        return rows

    def to_json(self) -> dict[str, Any]:
        """All numbers by attribute and group; unknown ones are null."""

        def of(one: GroupImportance) -> dict[str, Any]:
            return {
                "attributes": list(one.names),
                "fall": one.mean,
                "interval": None if one.interval is None else list(one.interval),
                "p_value": one.p_value,
                "p_adjusted": one.p_adjusted,
                "by_part": one.by_fold.tolist(),
                **({"error": one.error} if one.error else {}),
            }

        values = {
            "importance": "drop-column" if self.is_dropped else "permutation",
            "measure": self.measure.id,
            "base_by_part": self.base.tolist(),
            "repeats": self.n_repeats,
            "whole": self.is_whole,
            "attributes": [of(one) for one in self.attributes],
            "groups": [{**of(one), "association": self.associations[one.names]} for one in self.groups],
            "words": self.sentence,
            "remarks": list(self.remarks),
        }
        return {name: plain(value) for name, value in values.items()}


def correlated_groups(pairs: Associations, class_name: str, least: float = GROUPED) -> dict[tuple[str, ...], float]:
    """Groups of at least two columns, with their least pairwise association, by complete-linkage clustering."""
    from scipy.cluster.hierarchy import fcluster, linkage

    own = [i for i, name in enumerate(pairs.names) if name != class_name]
    if len(own) < 2:
        return {}
    strength = np.nan_to_num(pairs.strength[np.ix_(own, own)])
    upper = np.triu_indices(len(own), 1)
    numbers = fcluster(linkage(1 - strength[upper], "complete"), 1 - least, "distance")
    groups = {}
    for number in dict.fromkeys(numbers.tolist()):
        members = np.flatnonzero(numbers == number)
        if len(members) > 1:
            within = strength[np.ix_(members, members)][np.triu_indices(len(members), 1)]
            groups[tuple(pairs.names[own[i]] for i in members)] = float(within.min())
    return groups


class _FoldFalls(NamedTuple):
    """The measures (m,) of a fold's model and their falls (m, g, r); ``errors`` by group.

    ``ranks`` is the id of the measure that ranks runs by this fold.
    """

    base: FloatArray
    falls: FloatArray
    errors: dict[int, str]
    ranks: str


def importance_measures() -> list[Measure]:
    """The measures whose fall can be shown."""
    return [*of_permutation_test(), LOG_LOSS, BRIER]


def attribute_importance(
    learner: Learner,
    data: Dataset,
    method: Method,
    context: RunContext,
    *,
    recipe: Recipe = (),
    measure: str = "",
    n_repeats: int = REPEATS,
    drops: bool = False,
    least: float | None = GROUPED,
) -> AttributeImportance:
    """Importance of every attribute of ``data`` to ``recipe`` and ``learner``, tested by ``method``.

    ``measure`` is the id of a measure; empty for accuracy or AUC, whichever ranks the runs. With ``drops`` the folds
    train again without each attribute, else its values are permuted ``n_repeats`` times. Attributes with an association
    of at least ``least`` are grouped too, None for no groups. Publishes an :class:`AttributeImportance` after each
    fold. Raises :class:`DataError` for unusable data or a method that tests a separate file or single records.
    """
    labelled = data.labelled()
    task = FoldTask.of(learner, recipe, method, labelled, context)
    if not drops and len(tested_rows(task.fold(labelled, 0))) < LEAST_TESTED:
        raise DataError("A single test record has no values to permute.", remedy="Test with cross-validation.")
    schema = labelled.schema
    names = [a.name for i, a in enumerate(schema.attributes) if i != schema.class_index]
    correlated = {}
    if least is not None and len(names) > 1:
        from algorithms.evaluation.checks.overview import look_over  # not needed to show importances

        context.say("Comparing pairs of attributes")
        pairs = look_over(labelled, context.child(0.1, 0)).pairs
        correlated = correlated_groups(pairs, schema.class_attribute.name, least)
    groups, repeats = (*((name,) for name in names), *correlated), 1 if drops else n_repeats
    n, share = task.n_folds(labelled), task.test_share(labelled)

    def made(done: Mapping[int, _FoldFalls], failures: Sequence[str]) -> AttributeImportance:
        folds = list(done.values())
        wanted = measure or Counter(fold.ranks for fold in folds).most_common(1)[0][0]
        return AttributeImportance(
            measure=MEASURES.get(wanted),
            is_dropped=drops,
            n_folds=n,
            n_repeats=repeats,
            test_share=share,
            changed=groups,
            associations=correlated,
            bases=np.array([fold.base for fold in folds]),
            falls=np.array([fold.falls for fold in folds]),
            errors={number: error for fold in folds for number, error in fold.errors.items()},
            failures=tuple(failures),
        )

    def keep(done: Mapping[int, _FoldFalls], failed: Mapping[int, str]) -> None:
        context.publish(made(done, tuple(failed.values())))

    return made(*each_fold(_fold_falls, task, labelled, context, groups, repeats, drops, keep=keep))


def _corrected(groups: Sequence[GroupImportance]) -> tuple[GroupImportance, ...]:
    """The groups with Holm's p-values, by descending importance; without numbers last."""
    known = [one for one in groups if one.p_value is not None]
    adjusted = dict(zip((one.names for one in known), holm([one.p_value or 0.0 for one in known]), strict=True))
    corrected = [replace(one, p_adjusted=adjusted.get(one.names)) for one in groups]
    return _by_mean(corrected)


def _by_mean(groups: Sequence[GroupImportance]) -> tuple[GroupImportance, ...]:
    return tuple(sorted(groups, key=lambda one: math.inf if math.isnan(one.mean) else -one.mean))


def _fold_falls(
    task: FoldTask,
    data: Dataset,
    index: int,
    groups: tuple[tuple[str, ...], ...],
    n_repeats: int,
    is_dropped: bool,
    context: RunContext,
) -> _FoldFalls:
    """Trains a fold's model and measures the fall of every group."""
    split = task.fold(data, index)
    measured = _Measured(task, data, split)
    learned = task.trained(data, split, context.child(0.5, 0))
    context.checkpoint()
    test = apart(data, tested_rows(split))
    base, ranks = measured.values(learned, test, context)
    falls = np.full((len(base), len(groups), n_repeats), np.nan)
    errors: dict[int, str] = {}
    random = context.random()
    for number, names in enumerate(groups):
        if is_dropped:
            try:
                falls[:, number, 0] = measured.falls(base, measured.without(names, number, context))
            except Cancelled:
                raise
            except CoppiceError as error:  # a step of the recipe may need the attribute
                errors[number] = str(error)
        else:
            for repeat in range(n_repeats):
                permuted = _permuted(test, names, random.permutation(len(test)))
                falls[:, number, repeat] = measured.falls(base, measured.values(learned, permuted, context)[0])
        context.advance(number + 1, len(groups))
        context.checkpoint()
    return _FoldFalls(base, falls, errors, ranks)


def _permuted(test: Dataset, names: Sequence[str], order: Any) -> Dataset:
    """The records with the values of these attributes from other records, all from the same one."""
    attributes = test.schema.attributes
    indices = [test.schema.index_of(name) for name in names]
    return test.with_columns({index: (attributes[index], test.column(index)[order]) for index in indices})


@dataclass(frozen=True)
class _Measured:
    """The measures of a fold's predictions."""

    task: FoldTask
    data: Dataset
    split: Split

    def values(self, learned: LearnedModel, test: Dataset, context: RunContext) -> tuple[FloatArray, str]:
        """The measures (m,) of the model on these test records, NaN if undefined, and which of them ranks runs."""
        judgement = learned.model.judged(learned.recipe.transform(test, context.checkpoint), context)
        report = report_without_intervals(self.result(judgement), context.checkpoint)
        values = [measure.value(report) for measure in importance_measures()]
        return np.array([math.nan if value is None else value for value in values]), ranking_measure(report)

    def without(self, names: Sequence[str], number: int, context: RunContext) -> FloatArray:
        """The measures (m,) of the fold's model trained without these attributes; ``number`` makes its seed."""
        attributes = self.data.schema.attributes
        rest = self.data.select_columns([i for i, attribute in enumerate(attributes) if attribute.name not in names])
        part = context.child(0.0, 1 + number)
        return self.values(self.task.trained(rest, self.split, part), rest.take(tested_rows(self.split)), context)[0]

    def falls(self, base: FloatArray, values: FloatArray) -> FloatArray:
        """How much worse ``values`` (m,) are than ``base`` (m,)."""
        signs = np.array([1.0 if measure.higher_is_better else -1.0 for measure in importance_measures()])
        return signs * (base - values)

    def result(self, judgement: Predictions) -> EvaluationResult:
        """The evaluation of this fold alone."""
        rows = tested_rows(self.split)
        train = self.data.take(self.split.train)
        return EvaluationResult(
            learner=self.task.learner,
            method=self.task.method,
            recipe=self.task.recipe,
            seed=0,
            schema=self.data.schema,
            classes=self.data.schema.classes,
            row_ids=self.data.row_ids[rows],
            repeats=np.zeros(len(rows), dtype=np.int32),
            folds=np.zeros(len(rows), dtype=np.int32),
            truth=self.data.class_codes[rows].astype(np.int32),
            decision=judgement.decisions,
            probabilities=judgement.probabilities,
            weights=None if self.data.weights is None else self.data.weights[rows],
            baseline_class=int(np.argmax(train.class_weights)),
            n_training=len(self.data),
            n_without_class=0,
            test_is_training=not self.task.method.honest,
            n_folds=1,
        )
