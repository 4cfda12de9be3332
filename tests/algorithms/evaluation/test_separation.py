"""The attributes that tell the classes apart come first, whatever their kind and however many values they have."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.evaluation.regions import SEPARATIONS, by_separation, separation_of


def table(n: int = 600) -> Dataset:
    random = np.random.default_rng(4)
    codes = np.arange(n) % 3
    schema = Schema(
        (
            Attribute("noise", AttributeKind.NUMERIC),
            Attribute("many", AttributeKind.NOMINAL, tuple(f"v{i}" for i in range(n))),
            Attribute("telling", AttributeKind.NUMERIC),
            Attribute("exact", AttributeKind.NOMINAL, ("p", "q", "r")),
            Attribute("left out", AttributeKind.NUMERIC, used=False),
            Attribute("class", AttributeKind.NOMINAL, ("a", "b", "c")),
        ),
        5,
    )
    telling = codes + random.normal(0, 0.4, n)
    return Dataset(schema, [random.normal(size=n), random.permutation(n), telling, codes, telling, codes])


def test_the_most_telling_come_first_and_the_class_last() -> None:
    names = [table().schema.attributes[i].name for i in by_separation(table())]
    assert names[:2] == ["exact", "telling"]
    assert names[-2:] == ["left out", "class"]


def test_an_exact_copy_of_the_class_tells_its_whole_entropy() -> None:
    codes = np.arange(3000) % 3
    assert separation_of(codes, codes, 3) == pytest.approx(np.log2(3), abs=0.002)


def test_a_value_for_each_record_tells_nothing() -> None:
    found = table().derived(SEPARATIONS, lambda: None)
    assert found[0] < 0.05 and found[1] < 0.2 < found[2]


def test_missing_values_and_no_class_are_no_obstacle() -> None:
    schema = Schema((Attribute("x", AttributeKind.NUMERIC), Attribute("c", AttributeKind.NOMINAL, ("a", "b"))), 1)
    lost = Dataset(schema, [[np.nan] * 4, [0, 1, 0, 1]])
    assert lost.derived(SEPARATIONS, lambda: None)[0] == 0.0
    alone = Dataset(
        Schema((Attribute("x", AttributeKind.NUMERIC), Attribute("id", AttributeKind.TEXT))), [[1.0, 2.0], ["a", "b"]]
    )
    assert by_separation(alone) == (0,)
