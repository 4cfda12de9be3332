"""Model files: a trained classifier with its decision rule and its parameter search, without code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import CoppiceError, ModelFileError, UnknownIdError
from algorithms.core.files import Commit
from algorithms.core.filters import Filter, FittedFilter, FittedRecipe
from algorithms.core.learner import Learner, State
from algorithms.core.parameters import Configurable, from_json
from algorithms.core.plain_json import a_flag, a_list, a_number, a_text, an_integer, an_object, strings_in
from algorithms.core.record_costs import Cell, FormulaCosts, RecordCosts, parse_cost
from algorithms.core.registry import Registry
from algorithms.core.training import SearchResult, TrainedClassifier
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, Choice, DecisionRule
from algorithms.evaluation.tuning.parameter_search import LOSSES
from algorithms.filters.cleaning_rules import rules_from_json
from algorithms.io.text.options import FileReading, ReadOptions
from algorithms.project import archive
from algorithms.project.archive import ArchiveContent


def choice_to_json(choice: Choice | None) -> dict[str, Any] | None:
    """The user's decision rule as JSON values: a threshold with its class, costs ({}), or None for the default."""
    if choice is None:
        return None
    return {"label": choice.label, "threshold": choice.threshold} if isinstance(choice, AtThreshold) else {}


def choice_from_json(stored: Any) -> Choice | None:
    """The user's decision rule from JSON values; raises one of ``NONSENSE`` or :class:`CoppiceError`."""
    if stored is None:
        return None
    return AtThreshold(a_text(stored, "label"), a_number(stored, "threshold")) if stored else ByCost()


def decision_rule_to_json(rule: DecisionRule) -> dict[str, Any]:
    """A decision rule as JSON values; a cost is a number, or a formula with its mean over the tests."""
    costs: list[list[Any]] | None = None
    if rule.costs is not None:
        costs = rule.costs.fixed.tolist()
        for (i, j), cell in rule.costs.formulas.items():
            costs[i][j] = {"formula": cell.formula, "mean": cell.usual}
    return {"choice": choice_to_json(rule.choice), "costs": costs}


def decision_rule_from_json(stored: Any, classes: tuple[str, ...]) -> DecisionRule:
    """The decision rule from JSON values; raises :class:`ModelFileError` or one of ``NONSENSE`` for other classes."""
    choice, costs = choice_from_json(stored["choice"]), None
    if isinstance(choice, ByCost):
        costs = _record_costs_from_json(a_list(stored, "costs"), len(classes))
    elif choice is None or choice.label not in classes:
        raise ModelFileError("The file is damaged: it decides for a class that it has not.")
    return DecisionRule(classes, choice, costs)


def _record_costs_from_json(rows: Sequence[Any], k: int) -> RecordCosts:
    formulas: dict[Cell, FormulaCosts] = {}
    numbers = [list(row) for row in rows]
    for i, row in enumerate(numbers):
        for j, cost in enumerate(row):
            if isinstance(cost, Mapping):
                formula = a_text(cost, "formula")
                parse_cost(formula)
                formulas[i, j] = FormulaCosts(formula, np.zeros(0), a_number(cost, "mean"))
                row[j] = 0.0
    fixed = np.array(numbers, dtype=np.float64)
    if fixed.shape != (k, k) or not np.isfinite(fixed).all():
        raise ModelFileError("The file is damaged: its costs are not for its classes.")
    return RecordCosts(fixed, formulas)


Put = Callable[[str, NDArray[Any]], Any]
"""A function that stores an array under a name and returns a JSON reference to it."""
Get = Callable[[Any], NDArray[Any]]
"""A function that returns the array of a JSON reference."""

_ARRAYS = {"losses": ("f8", 2), "weights": ("f8", 1), "n_train": ("i8", 1)}


def search_to_json(search: SearchResult, put: Put) -> dict[str, Any]:
    """A parameter search as JSON values; ``put`` stores its arrays and returns references."""
    return {
        "names": list(search.names),
        "labels": list(search.labels),
        "settings": [list(values) for values in search.settings],
        **({"said": [list(values) for values in search.labelled_settings]} if search.labelled_settings else {}),
        "arrays": {name: put(name, getattr(search, name)) for name in _ARRAYS},
        "chosen": search.chosen,
        "measure": search.measure,
        "strategy": search.strategy,
        "n_records": search.n_records,
        "failures": {str(place): why for place, why in enumerate(search.failures) if why},
        "partial": search.partial,
    }


def search_from_json(stored: Any, get: Get) -> SearchResult:
    """The parameter search from JSON values; raises :class:`ModelFileError` or one of ``NONSENSE`` if invalid."""
    arrays = {name: get(where) for name, where in an_object(stored, "arrays").items() if name in _ARRAYS}
    if any(arrays[n].dtype != np.dtype(kind) or arrays[n].ndim != d for n, (kind, d) in _ARRAYS.items()):
        raise ModelFileError("The file is damaged: the numbers of a search are none.")
    names, labels = tuple(strings_in(stored, "names")), tuple(strings_in(stored, "labels"))
    settings = tuple(tuple(map(str, values)) for values in a_list(stored, "settings"))
    shown = tuple(tuple(map(str, values)) for values in stored.get("said", ()))
    c, chosen, measure = len(settings), an_integer(stored, "chosen"), a_text(stored, "measure")
    fit = arrays["losses"].shape == (c, len(arrays["weights"])) and arrays["n_train"].shape == (c,)
    named = len(labels) == len(names) and all(len(values) == len(names) for values in settings)
    named = named and (not shown or [len(values_shown) for values_shown in shown] == [len(names)] * c)
    if not fit or not named or not 0 <= chosen < c or measure not in LOSSES:
        raise ModelFileError("The file is damaged: the parts of a search do not fit together.")
    failures = an_object(stored, "failures")
    return SearchResult(
        names=names,
        labels=labels,
        settings=settings,
        losses=arrays["losses"],
        weights=arrays["weights"],
        n_train=arrays["n_train"],
        chosen=chosen,
        measure=measure,
        strategy=a_text(stored, "strategy"),
        n_records=an_integer(stored, "n_records"),
        failures=tuple(str(failures.get(str(place), "")) for place in range(c)),
        partial=a_flag(stored, "partial"),
        labelled_settings=shown,
    )


FORMAT: Final = "coppice-model"
VERSION: Final = 4
"""Format version of a model with cleaning rules, which older programs would leave out."""
FORMULAS: Final = 3
"""Format version of a decision rule with costs that are formulas of columns."""
NUMBERS: Final = 2
"""Format version of a decision rule with costs that are numbers, or with a threshold."""
WITHOUT: Final = 1
"""Format version of a model without a separate decision rule, which older programs can read."""
SUFFIX: Final = ".coppice-model"

NONSENSE: Final = (
    AttributeError,
    IndexError,
    KeyError,
    MemoryError,
    OverflowError,
    RecursionError,
    TypeError,
    ValueError,
)
"""The errors that reading values of an invalid file may raise."""


def save_model(path: str | Path, trained: TrainedClassifier, commit: Commit | None = None) -> None:
    """Write a trained classifier; raises :class:`ModelFileError` if the file cannot be written."""
    archive.write(path, content_of(trained), commit)


def content_of(trained: TrainedClassifier) -> ArchiveContent:
    """A trained classifier as JSON values and arrays."""
    decide = trained.deciding if isinstance(trained.deciding, DecisionRule) else None
    arrays: dict[str, Any] = {}
    varies = decide is not None and decide.costs is not None and decide.costs.varies
    version = WITHOUT if decide is None else FORMULAS if varies else NUMBERS
    values = {
        "format": FORMAT,
        "version": VERSION if trained.cleaning else version,
        "created": trained.created,
        "data_name": trained.data_name,
        "marks": list(trained.marks),
        "note": trained.note,
        "input_schema": schema_to_json(trained.input_schema),
        "filters": [step.to_json() for step in trained.filters],
        "fitted_filters": [
            {"id": fitted.id, **_state_to_json(fitted.to_state(), f"filter-{i}", arrays)}
            for i, fitted in enumerate(trained.recipe.filters)
        ],
        "learner": trained.learner.to_json(),
        "model": {
            "id": trained.model.id,
            "schema": schema_to_json(trained.model.schema),
            **_state_to_json(trained.model.to_state(), "model", arrays),
        },
    }
    if trained.cleaning:
        values["cleaning"] = [rule.to_json() for rule in trained.cleaning]
    if trained.reading is not None:
        values["reading"] = reading_to_json(trained.reading)
    if decide is not None:
        values["deciding"] = decision_rule_to_json(decide)
    if trained.search is not None:

        def put(name: str, array: Any) -> str:
            arrays[f"search/{name}"] = array
            return f"search/{name}"

        values["search"] = search_to_json(trained.search, put)
    return ArchiveContent(values, arrays)


def load_model(path: str | Path, registry: Registry) -> TrainedClassifier:
    """The classifier in a file, with bit for bit the same predictions.

    Raises :class:`ModelFileError` if the file cannot be read, is damaged or of a newer version, or needs an unknown
    learner or filter. No file can run code, write to disk or allocate more memory than its size.
    """
    content = archive.read(path)
    name = Path(path).name
    try:
        return trained_of(content, registry)
    except UnknownIdError as error:
        remedy = "Add the extension that it was made with."
        raise ModelFileError(
            f"The model needs something unknown here. {error.sentence}", remedy=remedy, place=name
        ) from error
    except CoppiceError as error:
        raise ModelFileError(f"The model cannot be used. {error.sentence}", remedy=error.remedy, place=name) from error
    except NONSENSE as error:
        raise ModelFileError("The file is damaged: its parts do not fit together.", place=name) from error


def trained_of(content: ArchiveContent, registry: Registry) -> TrainedClassifier:
    """The classifier from JSON values and arrays; raises :class:`CoppiceError` or one of ``NONSENSE``."""
    values = content.values
    if values.get("format") != FORMAT:
        raise ModelFileError("This is not a saved model.", remedy="Choose a file that was saved as a model.")
    version = values.get("version")
    if version not in (WITHOUT, NUMBERS, FORMULAS, VERSION) or isinstance(version, bool):
        raise ModelFileError(
            f"It is of format version {version!r}; this program reads version {VERSION}.",
            remedy="Update the program, or save the model again.",
        )
    stored = an_object(values, "model")
    model = registry.models.get(a_text(stored, "id"))
    schema = schema_from_json(an_object(stored, "schema"))
    if not schema.class_attribute.kind.is_coded or not schema.classes:
        raise ModelFileError("Its class has no values.")
    return TrainedClassifier(
        input_schema=schema_from_json(an_object(values, "input_schema")),
        recipe=FittedRecipe(_fitted_filters(content, registry)),
        model=model.from_state(schema, replace(_state(stored, "model", content), kinds=registry.models.get)),
        learner=configurable_from(Learner, an_object(values, "learner"), registry),
        filters=tuple(configurable_from(Filter, step, registry) for step in a_list(values, "filters")),
        data_name=a_text(values, "data_name"),
        created=a_text(values, "created"),
        marks=tuple(strings_in(values, "marks")),
        note=a_text(values, "note"),
        search=search_from_json(values["search"], content.arrays.__getitem__) if values.get("search") else None,
        deciding=decision_rule_from_json(values["deciding"], schema.classes) if needs_rule(values) else None,
        cleaning=rules_from_json(a_list(values, "cleaning")) if version == VERSION else (),
        reading=reading_from_json(an_object(values, "reading")) if "reading" in values else None,
    )


def needs_rule(values: Mapping[str, Any]) -> bool:
    """Whether the file of a model has a decision rule: from version 2 on always, with cleaning rules maybe."""
    return "deciding" in values if values["version"] == VERSION else values["version"] != WITHOUT


def _fitted_filters(content: ArchiveContent, registry: Registry) -> tuple[FittedFilter, ...]:
    filters = []
    for i, stored in enumerate(a_list(content.values, "fitted_filters")):
        fitted = registry.fitted_filters.get(a_text(stored, "id"))
        filters.append(fitted.from_state(_state(stored, f"filter-{i}", content)))
    return tuple(filters)


def configurable_from(kind: type[Any], stored: Any, registry: Registry) -> Any:
    """The learner, filter or method from its JSON form; raises :class:`CoppiceError` if it is not of this kind."""
    component: Configurable = from_json(stored, registry.resolve)
    if not isinstance(component, kind):
        raise ModelFileError(f"{component.id!r} is not a {kind.__name__.lower()}.")
    return component


# ---- states and schemas ----------------------------------------------------------------------------------------------


def _state_to_json(state: State, folder: str, arrays: dict[str, Any]) -> dict[str, Any]:
    """The values and array names of a state; its arrays are added to ``arrays`` under ``folder``."""
    arrays.update({f"{folder}/{name}": array for name, array in state.arrays.items()})
    return {"values": dict(state.values), "arrays": list(state.arrays)}


def _state(stored: Mapping[str, Any], folder: str, content: ArchiveContent) -> State:
    names = strings_in(stored, "arrays")
    absent = [name for name in names if f"{folder}/{name}" not in content.arrays]
    if absent:
        raise ModelFileError(f"The file is damaged: its part {absent[0][:80]!r} is missing.")
    return State(an_object(stored, "values"), {name: content.arrays[f"{folder}/{name}"] for name in names})


def schema_to_json(schema: Schema) -> dict[str, Any]:
    attributes = [{**attribute_to_json(a), "values": list(a.values)} for a in schema.attributes]
    return {"attributes": attributes, "class": schema.class_index}


def schema_from_json(stored: Mapping[str, Any]) -> Schema:
    """The schema from JSON values; raises :class:`ModelFileError` or :class:`DataError` if invalid."""
    class_index = stored.get("class")
    if isinstance(class_index, bool) or not isinstance(class_index, int | None):
        raise ModelFileError("The file is damaged: its class is not a column.")
    attributes = a_list(stored, "attributes")
    return Schema(tuple(described_attribute(a, tuple(strings_in(a, "values"))) for a in attributes), class_index)


def attribute_to_json(attribute: Attribute) -> dict[str, Any]:
    """All of an attribute but its values, as JSON."""
    described = {"name": attribute.name, "kind": attribute.kind.value, "used": attribute.used}
    return {**described, "description": attribute.description} if attribute.description else described


def described_attribute(stored: Mapping[str, Any], values: tuple[str, ...]) -> Attribute:
    """The attribute from its JSON form, with these values; raises :class:`ModelFileError` if invalid."""
    name, used, kind = a_text(stored, "name"), a_flag(stored, "used"), AttributeKind(a_text(stored, "kind"))
    description = a_text(stored, "description") if "description" in stored else ""
    is_text = all(map(_can_be_written, (name, *values, description)))
    if len(set(values)) < len(values) or (values and not kind.is_coded) or not is_text:
        raise ModelFileError(f"The file is damaged: its column {name[:80]!r} makes no sense.")
    return Attribute(name, kind, values, used, description)


def _can_be_written(text: str) -> bool:
    """Whether a text can be encoded in UTF-8; lone surrogates, which JSON can spell, cannot."""
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


# ---- how files are read ----------------------------------------------------------------------------------------------

_WORDS: Final = ("delimiter", "decimal", "thousands", "encoding", "quote", "class_name", "sheet")

_NUMBERS: Final = ("first_row", "head_rows", "table")
_CHOICES: Final = ("units", "totals", "notes")


def reading_to_json(reading: FileReading) -> dict[str, Any]:
    """How a file was read as JSON values."""
    kinds = {name: kind.value for name, kind in reading.kinds.items()}
    return {"options": options_to_json(reading.options), "kinds": kinds}


def reading_from_json(stored: Mapping[str, Any]) -> FileReading:
    """How a file was read, from its JSON values; raises :class:`ModelFileError` or one of ``NONSENSE``."""
    kinds = {str(name): AttributeKind(kind) for name, kind in an_object(stored, "kinds").items()}
    options = options_from_json(an_object(stored, "options"))
    return FileReading(options.for_other_files, kinds)


def options_to_json(options: ReadOptions) -> dict[str, Any]:
    """The options of a reading as JSON values; guesses are no choices and left out."""
    return {
        **{name: getattr(options, name) for name in _WORDS},
        "header": options.header,
        "missing": None if options.missing is None else list(options.missing),
        "kinds": {name: kind.value for name, kind in options.kinds.items()},
        "ragged": options.ragged,
        **({} if options.query is None else {"query": options.query}),
        **({"allows_http": True} if options.allows_http else {}),
        **({} if options.timeout is None else {"timeout": options.timeout}),
        **({} if options.widths is None else {"widths": list(options.widths)}),
        **{name: value for name in (*_NUMBERS, *_CHOICES) if (value := getattr(options, name)) is not None},
        **({} if options.sample is None else {"sample": options.sample, "sample_seed": options.sample_seed}),
        **({"dates": dict(options.dates)} if options.dates else {}),
        **({"missing_in": {k: list(marks) for k, marks in options.missing_in.items()}} if options.missing_in else {}),
    }


def options_from_json(stored: Mapping[str, Any]) -> ReadOptions:
    """The options from their JSON values; raises :class:`ModelFileError` or one of ``NONSENSE``."""
    fields: dict[str, Any] = {name: None if stored.get(name) is None else a_text(stored, name) for name in _WORDS}
    for name in ("header", *_CHOICES):
        fields[name] = stored.get(name)
        if not isinstance(fields[name], bool | None):
            raise ModelFileError("The file is damaged: how its table was read makes no sense.")
    for name in _NUMBERS:
        fields[name] = None if stored.get(name) is None else an_integer(stored, name)
    dates = an_object(stored, "dates") if "dates" in stored else {}
    marks = an_object(stored, "missing_in") if "missing_in" in stored else {}
    return ReadOptions(
        **fields,
        dates={str(name): a_text(dates, name) for name in dates},
        missing_in={str(name): tuple(strings_in(marks, name)) for name in marks},
        missing=None if stored.get("missing") is None else tuple(strings_in(stored, "missing")),
        kinds={str(name): AttributeKind(kind) for name, kind in an_object(stored, "kinds").items()},
        ragged=a_text(stored, "ragged"),
        allows_http=stored.get("allows_http") is True,
        query=None if stored.get("query") is None else a_text(stored, "query"),
        sample=None if stored.get("sample") is None else an_integer(stored, "sample"),
        sample_seed=an_integer(stored, "sample_seed") if "sample_seed" in stored else 1,
        timeout=None if stored.get("timeout") is None else a_number(stored, "timeout"),
        widths=None if stored.get("widths") is None else _widths_from(stored),
    )


def _widths_from(stored: Mapping[str, Any]) -> tuple[int, ...]:
    return tuple(an_integer({"widths": width}, "widths") for width in a_list(stored, "widths"))
