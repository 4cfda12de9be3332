"""Commands of the command line that are recorded, by name.

What there is comes from the registry, so that a new learner, filter, method or curve is recorded without a line here;
one that needs an option (the name of a column, a formula) has its options in :data:`FILTER_OPTIONS` or ``_methods``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from algorithms.core.parameters import ParameterKind
from algorithms.core.registry import Registry
from algorithms.evaluation.curves.curve_kinds import CURVES

Command = tuple[str, ...]
EXPORT_FORMATS: Final = ("text", "sql", "python", "pmml")
ALWAYS: Final = ("--seed", "7", "--threads", "1", "--json")
FOLDS: Final = ("--method", "cross-validation:folds=3")
HOLDOUT: Final = ("--method", "holdout")
CUT: Final = ("--filter", "discretize")
NEED_CUTS: Final = ("id3", "class-association-rules")
"""Learners that refuse numbers: ranges are made of them first."""


@dataclass(frozen=True)
class Table:
    """A table, and its columns for options that name one."""

    name: str
    source: str
    target: str
    positive: str
    number: str
    nominal: str
    order: str
    group: str
    mark: str = ""
    amounts: str = ""

    @property
    def costs(self) -> str:
        """The file of costs."""
        return f"{self.name}-costs.csv"

    def judge(self, learner: str, *options: str) -> Command:
        """The command that judges a learner."""
        return ("evaluate", self.source, "--class", self.target, "--learner", learner, *options, *ALWAYS)


IRIS: Final = Table(
    "iris", "sample:iris", "Species", "virginica", "Petal Width", "Species", "Petal Length", "Petal Width"
)
PATIENTS: Final = Table(
    "patients", "patients.csv", "risk", "high", "pressure", "town", "visit", "doctor", "part", "pressure"
)
"""Nominal, numeric and date columns with missing values, three classes."""
LOANS: Final = Table("loans", "loans.csv", "default", "yes", "income", "home", "amount", "years", "", "amount")
"""Two classes of unequal number and cost."""
ALL: Final = (IRIS, PATIENTS, LOANS)


@dataclass(frozen=True)
class Case:
    """Commands that are run one after the other in one folder, the first ``n_fast`` of them by the suite."""

    name: str
    commands: tuple[Command, ...]
    n_fast: int = 0


def cases(registry: Registry) -> list[Case]:
    """All of them."""
    return [
        *_lists(),
        *_learners(registry),
        *_learner_options(registry),
        *_filters(registry),
        *_methods(registry),
        *_curves(registry),
        *_rankings(),
        *_comparisons(),
        *_costs(),
        *_searches(),
        *_wrong_uses(),
    ]


def _ids(shelf: Iterable[Any]) -> list[str]:
    return [component.id for component in shelf]


def _lists() -> Iterator[Case]:
    for what in ("learners", "filters", "methods", "curves", "samples"):
        yield Case(f"list/{what}", (("list", what, "--json"),), n_fast=1)


def _learners(registry: Registry) -> Iterator[Case]:
    """Judged, saved, used and exported on each table; the suite takes the tables in turn."""
    for index, id in enumerate(_ids(registry.learners)):
        for place, table in enumerate(ALL):
            model = model_name(id, table)
            cut = CUT if id in NEED_CUTS else ()
            commands = [
                table.judge(id, *FOLDS, *cut, "--save", model),
                ("predict", model, table.source, "--json"),
                *(("export", model, "--as", format) for format in EXPORT_FORMATS),
                ("rules", model, table.source, "--json"),
            ]
            if id == "random-forest":
                commands += [("near", model, table.source, "--json")]
            yield Case(f"learner/{id}/{table.name}", tuple(commands), n_fast=int(index % len(ALL) == place))


def model_name(learner: str, table: Table) -> str:
    """The file that the model of a learner is saved in."""
    return f"{learner}-{table.name}.model"


def _settings(component: Any) -> Iterator[str]:
    """``NAME=VALUE`` of every choice and switch that is not the default."""
    for parameter in component.parameters():
        if parameter.kind is ParameterKind.CHOICE:
            values = [option.word for option in parameter.options]
        elif parameter.kind is ParameterKind.BOOLEAN:
            values = [True, False]
        else:
            continue
        for value in values:
            if value != parameter.default:
                yield f"{parameter.name}={str(value).lower() if isinstance(value, bool) else value}"


EDITS: Final = '[{"at": [], "do": "ask", "ask": {"attribute": "Petal Width", "threshold": 0.8}, "below": "grown"}]'
NUMBERS_AND_TEXTS: Final = (
    ("edited-tree", f"edits={EDITS}"),
    ("cut-back-tree", "leaves=2"),
    ("tuned", "tried=min_leaf=1,4,16"),
    ("k-nearest-neighbors", "k=7"),
    ("c4.5", "max_depth=2"),
    ("c4.5", "significance=0.05"),
    ("cart", "max_leaves=3"),
    ("random-forest", "members=5"),
    ("neural-network", "hidden=4,3"),
)
"""Options with numbers and texts."""


def _learner_options(registry: Registry) -> Iterator[Case]:
    for id in _ids(registry.learners):
        cut = CUT if id in NEED_CUTS else ()
        for setting in _settings(registry.learners.get(id)):
            yield Case(f"option/{id}/{setting}", (PATIENTS.judge(id, "-p", setting, *HOLDOUT, *cut),))
    for id, setting in NUMBERS_AND_TEXTS:
        yield Case(f"option/{id}/{setting.partition('=')[0]}", (IRIS.judge(id, "-p", setting, *HOLDOUT),))


FILTER_OPTIONS: Final = {
    "remove-attributes": "columns={number}",
    "keep-attributes": "columns={number}",
    "rename-attribute": "column={number},to=renamed",
    "move-attributes": "columns={number},to=first",
    "change-kind": "columns={number},kind=nominal",
    "derive": "to=doubled,formula=[{number}] * 2",
    "filter-records": "formula=[{number}] > 1",
    "merge-values": "at_least=20",
    "wrapper": "base=naive-bayes,folds=2",
    "select-attributes": "number=2",
}


def _without(options: str, setting: str) -> list[str]:
    """The options but for the one that the setting gives."""
    name = setting.partition("=")[0]
    return [option for option in options.split(",") if option and option.partition("=")[0] != name]


def _filters(registry: Registry) -> Iterator[Case]:
    for index, id in enumerate(_ids(registry.filters)):
        options = FILTER_OPTIONS.get(id, "")
        for place, table in enumerate(ALL):
            written = options.format(number=table.number)
            step = f"{id}:{written}" if written else id
            command = table.judge("naive-bayes", *FOLDS, "--filter", step)
            yield Case(f"filter/{id}/{table.name}", (command,), n_fast=int(index % len(ALL) == place))
        for setting in _settings(registry.filters.get(id)):
            written = ",".join((*_without(options.format(number=PATIENTS.number), setting), setting))
            command = PATIENTS.judge("naive-bayes", *HOLDOUT, "--filter", f"{id}:{written}")
            yield Case(f"filter/{id}/{setting}", (command,))


def _methods(registry: Registry) -> Iterator[Case]:
    for index, id in enumerate(_ids(registry.methods)):
        for place, table in enumerate(ALL):
            written = {
                "time-holdout": f"column={table.order}",
                "group-holdout": f"column={table.group}",
                "group-cross-validation": f"column={table.group},folds=3",
                "marked-parts": f"column={table.mark},train=train,test=test",
                "complete-cross-validation": "size=1",
                "bootstrap-632": "samples=10",
                "bootstrap-632-plus": "samples=10",
                "test-file": f"path={table.source}",
            }.get(id, "")
            if id == "marked-parts" and not table.mark:
                continue
            if id == "test-file" and table is IRIS:
                continue
            method = f"{id}:{written}" if written else id
            is_fast = place == (1 if id in ("marked-parts", "test-file") else index % len(ALL))
            yield Case(f"method/{id}/{table.name}", (table.judge("c4.5", "--method", method),), n_fast=int(is_fast))
        for setting in _settings(registry.methods.get(id)):
            written = f"column={PATIENTS.group},{setting}" if "group" in id else setting
            yield Case(f"method/{id}/{setting}", (PATIENTS.judge("c4.5", "--method", f"{id}:{written}"),))


def _curves(registry: Registry) -> Iterator[Case]:
    for index, id in enumerate(_ids(CURVES)):
        for place, table in enumerate(ALL):
            command = table.judge("naive-bayes", *FOLDS, "--curve", id, "--curve-class", table.positive)
            yield Case(f"curve/{id}/{table.name}", (command,), n_fast=int(index % len(ALL) == place))
        for setting in _settings(CURVES.get(id)):
            options = ("--curve", f"{id}:{setting}", "--curve-class", LOANS.positive, "--costs", LOANS.costs)
            yield Case(f"curve/{id}/{setting}", (LOANS.judge("naive-bayes", *HOLDOUT, *options),))


RANKED_BY: Final = (
    "information-gain", "gain-ratio", "gini", "chi-square", "symmetrical-uncertainty", "one-rule", "relieff", "cfs",
)  # fmt: skip


def _rankings() -> Iterator[Case]:
    for by in RANKED_BY:
        for table in ALL:
            options = ("--filter", f"select-attributes:by={by},number=2", "--seed", "7", "--json")
            command = ("rank", table.source, "--class", table.target, *options)
            yield Case(f"rank/{by}/{table.name}", (command,), n_fast=int(table is PATIENTS))


def _comparisons() -> Iterator[Case]:
    learners = ("--learner", "c4.5", "--learner", "naive-bayes", "--learner", "zero-r")
    for table in ALL:
        command = ("compare", table.source, "--class", table.target, *learners[:4], *FOLDS, *ALWAYS)
        yield Case(f"compare/{table.name}", (command,), n_fast=int(table is LOANS))
    several = ("sample:iris", "sample:wine", "sample:vertebrates", "sample:customers")
    for correction in ("tukey-holm", "holm", "hochberg", "hommel", "bonferroni", "sidak", "benjamini-hochberg"):
        command = ("compare", *several, *learners, *FOLDS, "--correction", correction, *ALWAYS)
        yield Case(f"compare/several/{correction}", (command,))


def _costs() -> Iterator[Case]:
    for table in ALL:
        for learner in ("naive-bayes", "c4.5"):
            plain = table.judge(learner, *FOLDS, "--costs", table.costs, "--curve", "cost")
            yield Case(f"costs/{learner}/{table.name}", (plain,), n_fast=int(learner == "c4.5"))
            if table.amounts:
                options = ("--costs", table.costs, "--cost-amounts", table.amounts, "--curve", "cost")
                yield Case(f"costs/{learner}/{table.name}/amounts", (table.judge(learner, *FOLDS, *options),))
    formulas = ("--costs", "loans-formulas.csv", "--curve", "threshold:measure=cost")
    yield Case("costs/naive-bayes/loans/formulas", (LOANS.judge("naive-bayes", *FOLDS, *formulas),))
    for learner in ("cost-sensitive", "metacost", "chosen-threshold"):
        own = ("-p", "costs=loans-formulas.csv", *formulas[:2])
        yield Case(f"costs/{learner}/formulas", (LOANS.judge(learner, *FOLDS, *own),))
    for learner in ("cost-sensitive", "metacost", "c4.5", "cart", "ripper"):
        options = ("-p", f"costs={LOANS.costs}")
        priors = {"ripper": "class_order=by-cost", "c4.5": "priors=by-cost", "cart": "priors=by-cost"}.get(learner)
        options += ("-p", priors) if priors else ()
        yield Case(f"costs/{learner}/its-own", (LOANS.judge(learner, *FOLDS, *options),))


def _searches() -> Iterator[Case]:
    for strategy in ("grid", "random:draws=3", "halving"):
        options = ("--search", "min_leaf=1,4,16", "--strategy", f"{strategy}{',' if ':' in strategy else ':'}folds=3")
        yield Case(f"search/{strategy.partition(':')[0]}", (PATIENTS.judge("c4.5", *FOLDS, *options),))
    for table in ALL:
        where = ("curve", table.source, "--class", table.target, "--learner", "c4.5", *FOLDS)
        sizes, over = (*where, "--sizes", "30%,60%,100%", *ALWAYS), (*where, "--over", "min_leaf=1,5,20", *ALWAYS)
        yield Case(f"sweep/{table.name}", (sizes, over), n_fast=int(table is LOANS))
        yield Case(f"shuffle/{table.name}", (table.judge("c4.5", *FOLDS, "--shuffle", "9"),), n_fast=int(table is IRIS))
    for penalty in ("none", "firth"):
        options = ("-p", f"penalty={penalty}", "-p", "likelihood_ratio=true", "--coefficients")
        yield Case(f"coefficients/{penalty}", (LOANS.judge("logistic-regression", *FOLDS, *options),))
    in_pieces = LOANS.judge("c4.5", *HOLDOUT, "--in-pieces")
    yield Case("in-pieces", (in_pieces, LOANS.judge("cart", *HOLDOUT, "--in-pieces")))


def _wrong_uses() -> Iterator[Case]:
    yield Case(
        "wrong-use",
        (
            IRIS.judge("c4.55"),
            IRIS.judge("c4.5", "-p", "min_leef=2"),
            IRIS.judge("c4.5", "-p", "min_leaf=0"),
            IRIS.judge("c4.5", "--method", "holdout:percent=200"),
            IRIS.judge("c4.5", "--curve", "roc", "--curve-class", "rose"),
            ("evaluate", "absent.csv", "--learner", "c4.5", *ALWAYS),
            ("evaluate", "sample:iris", "--class", "Petal", "--learner", "c4.5", *ALWAYS),
            ("predict", "loans.csv", "loans.csv", "--json"),
        ),
        n_fast=8,
    )
