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
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from algorithms.core.errors import Cancelled, ClusterError, CoppiceError, DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner, Predictions
from algorithms.core.resampling import Method, Split
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.evaluation.compare.multi_comparison import listed_in_brief
from algorithms.evaluation.compare.significance_tests import PairedComparison, holm, paired_t
from algorithms.evaluation.fold_models import FoldTask, apart, each_fold, tested_rows
from algorithms.evaluation.measures.intervals import accuracy_interval
from algorithms.evaluation.measures.measure import Measure, Unit
from algorithms.evaluation.measures.metrics import report_without_intervals
from algorithms.evaluation.measures.ranking_measures import BRIER, LOG_LOSS
from algorithms.evaluation.measures.registry import MEASURES, of_permutation_test
from algorithms.evaluation.report import plain
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.names import shortened
from algorithms.text.numbers import UNDEFINED, coefficient, p_words, points, signed

if TYPE_CHECKING:
    from algorithms.evaluation.checks.overview import Associations

GROUPED: Final = 0.7
"""Least association of all pairs of a group: |Spearman's rho|, Cramér's V or correlation ratio."""
REPEATS: Final = 5
"""Usual number of permutations of each attribute in each fold."""
ALPHA: Final = 0.05
NO_SPREAD: Final = 1e-12
"""Falls of folds that differ by less are equal."""
LEAST_TESTED: Final = 2
"""Fewest test records of a fold among which values can be permuted."""


@dataclass(frozen=True, eq=False)
class GroupImportance:
    """How much worse the models do without what a group of attributes (usually one) tells.

    ``by_fold`` (f, r) has the fall of the measure in each fold and repeat, positive if the model does worse; NaN where
    the measure is undefined. ``test_share`` is the mean of tested / training records of a fold, and no fall exceeds
    ``limit``. ``p_adjusted`` is corrected by Holm. ``error`` is a sentence if the group could not be left out.
    """

    names: tuple[str, ...]
    by_fold: FloatArray
    test_share: float
    limit: float = math.inf
    p_adjusted: float | None = None
    error: str = ""

    @property
    def name(self) -> str:
        return " + ".join(self.names)

    @property
    def brief(self) -> str:
        """All names of a few, or the first two and the number of the others; long ones shortened."""
        return listed_in_brief([shortened(name) for name in self.names])

    @cached_property
    def of_folds(self) -> FloatArray:
        """The mean (f,) over the repeats of each fold; NaN where the measure is undefined."""
        known = ~np.isnan(self.by_fold)
        sums = np.where(known, self.by_fold, 0.0).sum(axis=1)
        return np.where(known.any(axis=1), sums / np.maximum(known.sum(axis=1), 1), np.nan)

    @cached_property
    def mean(self) -> float:
        """Mean over the folds; NaN if the measure is undefined in all."""
        known = self.of_folds[~np.isnan(self.of_folds)]
        return float(known.mean()) if len(known) else math.nan

    @cached_property
    def _paired(self) -> PairedComparison | None:
        """The corrected t test over folds; None for fewer than two folds, or for equal falls, which have no spread."""
        known = self.of_folds[~np.isnan(self.of_folds)]
        if len(known) < 2 or (np.ptp(known) < NO_SPREAD < abs(self.mean)):
            return None
        return paired_t(known, test_share=self.test_share, limit=self.limit)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95% confidence interval of the mean; None where the folds give none."""
        return None if self._paired is None else self._paired.interval

    @property
    def p_value(self) -> float | None:
        """Two-sided p-value that the mean is 0, not corrected for the number of attributes; None without interval."""
        return None if self._paired is None else self._paired.p_value

    @property
    def is_sure(self) -> bool:
        """Whether the models do significantly worse without it, after Holm's correction."""
        return self.mean > 0 and self.p_adjusted is not None and self.p_adjusted <= ALPHA

    @property
    def is_harmful(self) -> bool:
        """Whether the models do significantly better without it, after Holm's correction."""
        return self.mean < 0 and self.p_adjusted is not None and self.p_adjusted <= ALPHA


@dataclass(frozen=True, eq=False)
class AttributeImportance:
    """The importance of every attribute and of groups of correlated ones, by one of m measures.

    ``changed`` (g) names what was permuted or dropped: each attribute, then the groups in ``associations``, which has
    the least association of the pairs of each. ``bases`` (f, m) are the measures of the unchanged models in the tested
    folds ``parts`` (f,), and ``falls`` (f, m, g, r) how much worse they get; NaN where undefined. ``n_folds`` folds
    were planned. ``errors`` says by the number of a group why it could not be left out, ``failures`` why folds failed.
    """

    measure: Measure
    is_dropped: bool
    n_folds: int
    n_repeats: int
    test_share: float
    changed: tuple[tuple[str, ...], ...]
    associations: Mapping[tuple[str, ...], float]
    parts: IntArray
    bases: FloatArray
    falls: FloatArray
    tallies: FloatArray
    """(f, 3 + k): weight of right and of all tests of a fold, its sum of squares, and the weight of each class."""
    errors: Mapping[int, str] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Sentences on the method and on what was left out."""

    def judged_by(self, measure: str) -> AttributeImportance:
        """The same by the measure with this id."""
        return replace(self, measure=MEASURES.get(measure))

    def by_fold(self) -> dict[int, _FoldFalls]:
        """The numbers of each tested fold by its number."""
        rows = zip(self.parts.tolist(), self.bases, self.falls, self.tallies, strict=True)
        return {part: _FoldFalls(base, falls, dict(self.errors), tally) for part, base, falls, tally in rows}

    @property
    def _place(self) -> int:
        return [one.id for one in importance_measures()].index(self.measure.id)

    @property
    def base(self) -> FloatArray:
        """The measure (f,) of the unchanged models in each tested fold."""
        return self.bases[:, self._place]

    @cached_property
    def _all(self) -> tuple[GroupImportance, ...]:
        """Everything that was changed, with p-values corrected together, in the order of ``changed``."""
        measure = self.measure
        limit = abs(measure.best - measure.worst)
        every = [
            GroupImportance(names, self.falls[:, self._place, g], self.test_share, limit, error=self.errors.get(g, ""))
            for g, names in enumerate(self.changed)
        ]
        known = [one for one in every if one.p_value is not None]
        adjusted = dict(zip((one.names for one in known), holm([one.p_value or 0.0 for one in known]), strict=True))
        return tuple(replace(one, p_adjusted=adjusted.get(one.names)) for one in every)

    @cached_property
    def attributes(self) -> tuple[GroupImportance, ...]:
        """The attributes, the most important first."""
        return _by_mean(self._all[: len(self.changed) - len(self.associations)])

    @cached_property
    def groups(self) -> tuple[GroupImportance, ...]:
        """The groups of correlated attributes, the most important first."""
        return _by_mean(self._all[len(self.changed) - len(self.associations) :])

    @property
    def is_whole(self) -> bool:
        return len(self.base) + len(self.failures) >= self.n_folds

    @property
    def title(self) -> str:
        return "Drop-column importance" if self.is_dropped else "Permutation importance"

    @cached_property
    def sentence(self) -> str:
        """What the numbers say, in words."""
        title, every = self.title, self.ranked
        if not every:
            return "The data have no attributes besides the class."
        known = [one for one in every if not math.isnan(one.mean)]
        if not known:
            return f"{self.measure.name} is undefined in every test part."
        if len(self.base) < 2:
            most = f"{known[0].brief} has the highest {title.lower()}. " if known[0].mean > 0 else ""
            return f"{most}One test part gives no interval: test with folds for intervals."
        sure = [one.brief for one in self.attributes if one.is_sure]
        if sure:
            have = f"{len(sure)} of {len(self.attributes)} attributes {'has' if len(sure) == 1 else 'have'}"
            return f"{have} a significant {title.lower()} (Holm, 5%): {listed_in_brief(sure)}."
        together = next((one for one in self.groups if one.is_sure), None)
        if together is not None:
            return f"{title} is significant for {together.brief} together, for no attribute alone (Holm, 5%)."
        harmful = [one.brief for one in self.ranked if one.is_harmful]
        if harmful:
            return f"Models without {listed_in_brief(harmful)} do significantly better (Holm, 5%). No attribute helps."
        return f"No {title.lower()} is significant (Holm, 5%)."

    @cached_property
    def ranked(self) -> tuple[GroupImportance, ...]:
        """Attributes and groups together, the most important first."""
        return _by_mean(self._all)

    @property
    def brief_remarks(self) -> tuple[str, ...]:
        """The remarks in a few sentences, with one on all groups."""
        n = len(self.groups)
        changed = "dropped" if self.is_dropped else "permuted"
        those = "A group of correlated attributes is" if n == 1 else f"{n} groups of correlated attributes are"
        grouped = f"{those} also {changed} together: a model may read one attribute where another is changed."
        return (*([grouped] if n else []), *self.remarks[n:])

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings of correlated attributes, of what could not be left out, and of folds that failed."""
        grouped = [
            f"{listed_in_brief([shortened(name) for name in names])} are correlated (association at least "
            f"{coefficient(least)}): the model may read one where the other is changed, so each alone looks less "
            "important than all together."
            for names, least in self.associations.items()
        ]
        left_out = [f"{one.brief} could not be left out: {one.error}" for one in self._all if one.error]
        return (*grouped, *self.notes, *left_out, *self.failures)

    def rows(self) -> list[list[object]]:
        """Header and a row for each attribute, then for each group, with plain numbers; unknown ones are empty."""
        head: list[object] = ["attributes", self.measure.id, "low_95", "high_95", "p", "p_holm", *self._part_names]
        rows = [head]
        for one in (*self.attributes, *self.groups):
            low, high = one.interval or (None, None)
            numbers = [one.mean, low, high, one.p_value, one.p_adjusted, *one.of_folds.tolist()]
            rows.append([one.name, *("" if value is None or value != value else value for value in numbers)])
        return rows

    @property
    def _part_names(self) -> list[str]:
        return [f"part_{number + 1}" for number in self.parts.tolist()]

    def written(self, value: float) -> str:
        """A fall of the measure with its sign: "+42.6 points"; a dash if undefined."""
        if value != value:
            return UNDEFINED
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


def correlated_groups(
    pairs: Associations, names: Collection[str], least: float = GROUPED
) -> dict[tuple[str, ...], float]:
    """Groups of at least two of these columns with their least association, by complete-linkage clustering."""
    from scipy.cluster.hierarchy import fcluster, linkage

    own = [i for i, name in enumerate(pairs.names) if name in names]
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

    ``tally`` has the weight of right and of all tests, its sum of squares, and the weight of each class.
    """

    base: FloatArray
    falls: FloatArray
    errors: dict[int, str]
    tally: FloatArray


def importance_measures() -> list[Measure]:
    """The measures by which importance can be computed."""
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
    begun: AttributeImportance | None = None,
) -> AttributeImportance:
    """Importance of every attribute of ``data`` to ``recipe`` and ``learner``, tested by ``method``.

    ``measure`` is the id of a measure; empty for accuracy or AUC, whichever ranks the runs. With ``drops`` the folds
    train again without each attribute, else its values are permuted ``n_repeats`` times. Attributes with an association
    of at least ``least`` are grouped too, None for no groups. The folds of ``begun``, made with the same arguments, are
    taken over. Publishes an :class:`AttributeImportance` after each fold. Raises :class:`DataError` for unusable data
    or a method that tests a separate file or single records.
    """
    labelled = data.labelled()
    task = FoldTask.of(learner, recipe, method, labelled, context)
    if not drops and len(tested_rows(task.fold(labelled, 0))) < LEAST_TESTED:
        raise DataError("A single test record has no values to permute.", remedy="Test with cross-validation.")
    schema = labelled.schema
    names = [
        a.name for i, a in enumerate(schema.attributes) if i in schema.predictors or (recipe and _is_used(schema, i))
    ]
    correlated: dict[tuple[str, ...], float] = {}
    notes = [] if method.honest else ["Tested on training records, so the importances are optimistic."]
    if least is not None and len(names) > 1:
        from algorithms.evaluation.checks.overview import look_over  # not needed to show importances

        context.say("Comparing pairs of attributes")
        pairs = look_over(labelled, context.child(0.1, 0)).pairs
        correlated = correlated_groups(pairs, names, least)
        if pairs.n_left_out:
            notes.append(f"Groups were looked for among the first {len(pairs.names):,} columns.")
    groups, repeats = (*((name,) for name in names), *correlated), 1 if drops else n_repeats
    n, share = task.n_folds(labelled), task.test_share(labelled)

    def made(done: Mapping[int, _FoldFalls], failures: Sequence[str]) -> AttributeImportance:
        folds = list(done.values())
        every = Counter(number for fold in folds for number in fold.errors)
        errors = {number: error for fold in folds for number, error in fold.errors.items()}
        return AttributeImportance(
            measure=MEASURES.get(measure or _ranking_measure(folds)),
            is_dropped=drops,
            n_folds=n,
            n_repeats=repeats,
            test_share=share,
            changed=groups,
            associations=correlated,
            parts=np.array(list(done), dtype=np.int64),
            bases=np.array([fold.base for fold in folds]),
            falls=np.array([fold.falls for fold in folds]),
            tallies=np.array([fold.tally for fold in folds]),
            errors={number: error for number, error in errors.items() if every[number] == len(folds)},
            failures=tuple(failures),
            notes=tuple(notes),
        )

    def keep(done: Mapping[int, _FoldFalls], failures: Sequence[str]) -> None:
        context.publish(made(done, failures))

    fits = begun is not None and (begun.changed, begun.is_dropped, begun.n_folds) == (groups, drops, n)
    earlier = begun.by_fold() if begun is not None and fits and begun.n_repeats == repeats else {}
    values = groups, repeats, drops
    return made(*each_fold(_fold_falls, task, labelled, context, *values, keep=keep, begun=earlier))


def _is_used(schema: Schema, index: int) -> bool:
    """Whether a step may read this column: a text too, but not the class or a column that was switched off."""
    return index != schema.class_index and schema.attributes[index].used


def _ranking_measure(folds: Sequence[_FoldFalls]) -> str:
    """The measure that ranks runs, by the tests of all folds (see :func:`metrics.ranking_measure`)."""
    tally = np.sum([fold.tally for fold in folds], axis=0)
    right, total, squares = tally[:3]
    baseline = float(tally[3:].max()) / total
    return "accuracy" if accuracy_interval(right / total, total**2 / squares)[0] > baseline else "auc"


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
    measured = _Measured(task, data, index, split, int(np.argmax(data.take(split.train).class_weights)))
    learned = task.trained(data, index, context.child(0.3, 0))
    context.checkpoint()
    test, measuring = apart(data, tested_rows(split)), context.child(0.7, 1)
    base, tally = measured.values(learned, test, context)
    falls = np.full((len(base), len(groups), n_repeats), np.nan)
    errors: dict[int, str] = {}
    random = measuring.random()
    for number, names in enumerate(groups):
        if is_dropped:
            try:
                falls[:, number, 0] = measured.falls(base, measured.without(names, context))
            except (Cancelled, ClusterError):
                raise
            except CoppiceError as error:  # a step of the recipe may need the attribute
                errors[number] = str(error)
        elif len(test) >= LEAST_TESTED:
            for repeat in range(n_repeats):
                permuted = _permuted(test, names, random.permutation(len(test)))
                falls[:, number, repeat] = measured.falls(base, measured.values(learned, permuted, context)[0])
        measuring.advance(number + 1, len(groups))
        context.checkpoint()
    return _FoldFalls(base, falls, errors, tally)


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
    index: int
    split: Split
    baseline_class: int

    def values(self, learned: LearnedModel, test: Dataset, context: RunContext) -> tuple[FloatArray, FloatArray]:
        """The measures (m,) of the model on these test records, NaN if undefined, and the tally of its tests."""
        judgement = learned.model.judged(learned.recipe.transform(test, context.checkpoint), context)
        result = self.result(judgement)
        report = report_without_intervals(result, context.checkpoint)
        values = [measure.value(report) for measure in importance_measures()]
        weights = result.weight_array
        classes = np.bincount(result.truth, weights, minlength=len(result.classes))
        sums = [weights[result.right].sum(), weights.sum(), weights @ weights]
        return np.array([math.nan if value is None else value for value in values]), np.concatenate([sums, classes])

    def without(self, names: Sequence[str], context: RunContext) -> FloatArray:
        """The measures (m,) of the fold's model trained without these attributes, with the same seed."""
        attributes = self.data.schema.attributes
        rest = self.data.select_columns([i for i, attribute in enumerate(attributes) if attribute.name not in names])
        part = context.child(0.0, 0)
        learned = self.task.trained(rest, self.index, part)
        part.complete()
        return self.values(learned, rest.take(tested_rows(self.split)), context)[0]

    def falls(self, base: FloatArray, values: FloatArray) -> FloatArray:
        """How much worse ``values`` (m,) are than ``base`` (m,), where an undefined measure counts as by chance."""
        measures = importance_measures()
        signs = np.array([1.0 if measure.higher_is_better else -1.0 for measure in measures])
        chance = np.array([math.nan if not m.higher_is_better else m.chance or 0.0 for m in measures])
        return np.asarray(signs * (base - np.where(np.isnan(values), chance, values)))

    def result(self, judgement: Predictions) -> EvaluationResult:
        """The evaluation of this fold alone."""
        rows = tested_rows(self.split)
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
            baseline_class=self.baseline_class,
            n_training=len(self.data),
            n_without_class=0,
            test_is_training=not self.task.method.honest,
            n_folds=1,
        )
