"""No filter ever sees a tested record while it learns, whatever it is."""

from __future__ import annotations

from typing import Any

import pytest

from algorithms.catalogue import builtin
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.filters import Filter
from algorithms.evaluation.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.trees.zero_r import ZeroR
from tests.algorithms.battery_data import mixed
from tests.algorithms.filter_battery import variants

FILTERS = [variant for filter in builtin().filters for variant in variants(filter)]


def watched(filter: Filter, seen: list[frozenset[int]]) -> Filter:
    """The filter, keeping the ids of the records that each fit was given."""

    def fit(self: Filter, data: Dataset, context: RunContext) -> Any:
        seen.append(frozenset(data.row_ids.tolist()))
        return type(filter).fit(self, data, context)

    return type("Watched", (type(filter),), {"fit": fit})(**filter.values())


@pytest.mark.parametrize("filter", FILTERS, ids=lambda filter: f"{filter.id} {filter.changed() or 'default'}")
def test_a_filter_learns_from_training_records_only(filter: Filter) -> None:
    data, seen = mixed(60, missing=0.1), list[frozenset[int]]()
    result = evaluate(ZeroR(), data, CrossValidation(folds=3), RunContext(seed=4), recipe=(watched(filter, seen),))
    everyone = set(data.row_ids.tolist())
    tested = [frozenset(result.row_ids[result.folds == fold].tolist()) for fold in range(3)]
    assert sorted(map(sorted, seen)) == sorted(sorted(everyone - part) for part in tested)
