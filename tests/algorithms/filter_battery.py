"""What every filter must do, whatever it changes: checks that take any filter."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import Filter
from algorithms.core.parameters import AllOf, AnyOf, Parameter, ParameterKind, from_json
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.data.summary import summarize
from algorithms.learners.trees.stump import DecisionStump
from tests.algorithms.battery_data import CLASS_AT, all_missing, constant, contents, mixed, same_state, through_disk

FilterCheck = Callable[[Filter, Registry], None]
SMALL: Final[Mapping[str, object]] = {"base": DecisionStump(), "folds": 2}
"""Values for filters that judge learners: as good for awkward data as larger ones."""


def context() -> RunContext:
    return RunContext(seed=1)


@cache
def variants(filter: type[Filter]) -> list[Filter]:
    """The filter as it comes but for :data:`SMALL`, with each word of each choice, each truth turned round, and with
    columns chosen."""
    small = SMALL if filter().values().keys() >= SMALL.keys() else {}
    found = [filter(**small)]
    for parameter in filter.parameters():
        others: list[object] = [option.word for option in parameter.options if option.word != parameter.default]
        if isinstance(parameter.default, bool):
            others.append(not parameter.default)
        if parameter.kind is ParameterKind.COLUMNS:
            others.append(("Length", "Colour"))
        for other in others:
            made = _at_ease(filter(**{**small, **_counting(filter, parameter, other)}))
            found += [made] if made not in found else []
    return found


def _at_ease(filter: Filter) -> Filter:
    """The filter, or where it refuses numbers below zero with columns that have none."""
    try:
        filter.fit(mixed(60), context())
    except DataError:
        return filter.with_values(columns=("Width", "Colour"))
    return filter


def _counting(filter: type[Filter], parameter: Parameter, value: object) -> dict[str, object]:
    """Values under which the parameter has this value and counts."""
    condition = parameter.enabled_if
    conditions = () if condition is None else (condition,)
    if isinstance(condition, AnyOf | AllOf):
        conditions = condition.conditions[: 1 if isinstance(condition, AnyOf) else None]
    needed: dict[str, object] = {}
    for each in conditions:
        needed |= _counting(filter, filter.parameter(each.parameter), each.values[0])
    return {**needed, parameter.name: value}


def title(filter: Filter) -> str:
    """The filter's id with what is chosen otherwise, but for :data:`SMALL`."""
    changed = {name: value for name, value in filter.changed().items() if name not in SMALL}
    return f"{filter.id} {changed or 'default'}"


def transformed(filter: Filter, train: Dataset, test: Dataset | None = None) -> Dataset:
    return filter.fit(train, context()).transform(train if test is None else test)


def learned(filter: Filter, data: Dataset, seed: int = 1) -> Dataset:
    """The training records as the filter leaves them."""
    return filter.learn(data, RunContext(seed=seed))[1]


def describes_itself(filter: Filter, registry: Registry) -> None:
    assert filter.name
    assert filter.family
    assert filter.sentence.endswith(".")
    assert all(p.label and p.help.endswith(".") for p in filter.parameters())
    assert registry.filters.get(filter.id) is type(filter)
    assert from_json(json.loads(json.dumps(filter.to_json())), registry.resolve) == filter


def keeps_records_weights_and_class(filter: Filter, registry: Registry) -> None:
    data = mixed(60, missing=0.2, weighted=True)
    changed = transformed(filter, data)
    assert changed.row_ids.tolist() == data.row_ids.tolist()
    assert changed.weight_array.tolist() == data.weight_array.tolist()
    assert changed.schema.class_attribute == data.schema.class_attribute
    assert changed.class_codes.tolist() == data.class_codes.tolist()


def takes_awkward_data(filter: Filter, registry: Registry) -> None:
    data = mixed(30)
    weightless = data.with_weights(np.zeros(30))
    for awkward in (
        data.take([0]),
        data.take([]),
        all_missing(data),
        constant(data),
        data.with_class(None),
        weightless,
    ):
        try:
            assert len(transformed(filter, awkward)) == len(awkward)
        except DataError:  # refused, and a person was told so before
            assert filter.check(summarize(awkward))
        assert len(transformed(filter, data, awkward)) == len(awkward)


def same_columns_whatever_the_records(filter: Filter, registry: Registry) -> None:
    data = mixed(60, missing=0.2)
    learned = filter.fit(data, context())
    other = mixed(10, seed=3, missing=0.9)
    assert learned.transform(other).schema == learned.transform(data).schema


def each_record_is_changed_as_if_alone(filter: Filter, registry: Registry) -> None:
    learned = filter.fit(mixed(60, missing=0.2), context())
    other = mixed(30, seed=3, missing=0.3)
    rows = np.array([21, 4, 4, 17])
    assert contents(learned.transform(other).take(rows)) == contents(learned.transform(other.take(rows)))


def leaves_its_input_alone(filter: Filter, registry: Registry) -> None:
    data = mixed(60, missing=0.2)
    before = contents(data)
    transformed(filter, data)
    assert contents(data) == before


def is_saved_and_loaded_bit_for_bit(filter: Filter, registry: Registry) -> None:
    data, other = mixed(60, missing=0.2), mixed(30, seed=3, missing=0.3)
    learned = filter.fit(data, context())
    loaded = registry.fitted_filters.get(learned.id).from_state(through_disk(learned.to_state()))
    assert same_state(loaded.to_state(), learned.to_state())
    assert contents(loaded.transform(other)) == contents(learned.transform(other))


def learns_the_same_again(filter: Filter, registry: Registry) -> None:
    data = mixed(60, missing=0.2)
    one, other = (filter.fit(data, context()).to_state() for _ in range(2))
    assert same_state(one, other)


def training_records_stay_themselves(filter: Filter, registry: Registry) -> None:
    """One step per record, or fewer, more and others where it is for training records only; and never other columns."""
    data = mixed(60, missing=0.2, weighted=True)
    after = learned(filter, data)
    if not filter.only_training:
        assert after.row_ids.tolist() == data.row_ids.tolist()
        return
    assert after.schema == data.schema
    assert filter.fit(data, context()).transform(data) is data
    place = {id: at for at, id in enumerate(data.row_ids.tolist())}
    real = np.array([id for id in after.row_ids.tolist() if id >= 0])
    kept = after.take(after.row_ids >= 0)
    rows = [place[id] for id in real.tolist()]
    assert contents(kept.with_weights(None))[1] == contents(data.with_weights(None).take(rows))[1]
    made_up = after.row_ids[after.row_ids < 0]
    assert len(set(made_up.tolist())) == len(made_up)
    assert np.all(after.weight_array >= 0)


def training_records_follow_from_the_seed(filter: Filter, registry: Registry) -> None:
    data = mixed(60, missing=0.2)
    before = contents(data)
    assert contents(learned(filter, data)) == contents(learned(filter, data))
    assert contents(data) == before


def learns_from_awkward_data(filter: Filter, registry: Registry) -> None:
    data = mixed(30)
    some = data.with_weights(np.arange(30) % 2)
    for awkward in (data.take([0]), data.take([]), all_missing(data), constant(data), data.with_class(None), some):
        try:
            learned(filter, awkward)
        except DataError:
            assert filter.check(summarize(awkward))


def says_what_it_cannot_take(filter: Filter, registry: Registry) -> None:
    data = mixed(30)
    for given in (
        data,
        data.with_class(None),
        data.with_class("Length"),
        data.take([]),
        data.select_columns([CLASS_AT]),
    ):
        assert all(problem.sentence.endswith(".") for problem in filter.check(summarize(given)))
    filter.check(summarize(Dataset(Schema(()), [])))


FILTER_CHECKS: Final[Sequence[FilterCheck]] = (
    describes_itself,
    keeps_records_weights_and_class,
    takes_awkward_data,
    same_columns_whatever_the_records,
    each_record_is_changed_as_if_alone,
    leaves_its_input_alone,
    is_saved_and_loaded_bit_for_bit,
    learns_the_same_again,
    training_records_stay_themselves,
    training_records_follow_from_the_seed,
    learns_from_awkward_data,
    says_what_it_cannot_take,
)
