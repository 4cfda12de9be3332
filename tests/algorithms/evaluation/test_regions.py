"""Decisions over two attributes, from coarse to fine, what the others are, and which attributes separate classes."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.filters import Recipe
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.evaluation.regions import (
    LEVELS,
    SEPARATIONS,
    TYPICAL,
    OneRecord,
    RegionAxis,
    beliefs,
    by_separation,
    refined,
    regions,
    separation_of,
)
from algorithms.evaluation.runner import train
from algorithms.filters.arrange_attributes import RemoveAttributes
from algorithms.learners.trees.cart import Cart
from tests.expected_texts import evaluation as wording


def table(n: int = 400) -> Dataset:
    """Class yes where x > 0.5 and color is red; ``other`` is noise and text is left out of learning."""
    random = np.random.default_rng(3)
    x, other = random.uniform(size=n), random.normal(size=n)
    color = random.integers(0, 3, n)
    codes = ((x > 0.5) & (color == 0)).astype(int)
    schema = Schema(
        (
            Attribute("x", AttributeKind.NUMERIC),
            Attribute("color", AttributeKind.NOMINAL, ("red", "green", "blue")),
            Attribute("other", AttributeKind.NUMERIC),
            Attribute("text", AttributeKind.TEXT),
            Attribute("class", AttributeKind.NOMINAL, ("no", "yes")),
        ),
        4,
    )
    return Dataset(schema, [x, color, other, np.array(["a"] * n, dtype=object), codes])


def trained(data: Dataset, context: RunContext, recipe: Recipe = ()) -> TrainedClassifier:
    return train(Cart(pruning="none"), data, recipe, context)


def test_every_cell_has_the_decision_of_a_record_at_its_middle(context: RunContext) -> None:
    data = table()
    model = trained(data, context)
    record = data.derived(TYPICAL)
    found = regions(model, OneRecord(record), RegionAxis(0, 0.0, 1.0), RegionAxis(1), 32, context)
    assert found.decision.shape == found.probability.shape == (3, 32)
    for row in range(3):
        for column in (0, 7, 16, 17, 31):
            single = record.with_cells(0, [0], [(column + 0.5) / 32]).with_cells(1, [0], [row])
            assert found.decision[row, column] == model.predict(single)[0]
            assert found.probability[row, column] == pytest.approx(model.predict_proba(single)[0].max())
    believed = beliefs(model, OneRecord(record), RegionAxis(0, 0.0, 1.0), RegionAxis(1), 32, context)
    assert believed.decision.tolist() == found.decision.tolist()
    assert believed.probabilities.shape == (3, 32, 2)
    assert believed.probabilities.max(axis=2).tolist() == found.probability.tolist()


def test_bands_of_a_nominal_axis_follow_the_order_of_its_values(context: RunContext) -> None:
    data = table()
    found = regions(
        trained(data, context), OneRecord(data.derived(TYPICAL)), RegionAxis(0, 0.0, 1.0), RegionAxis(1), 64, context
    )
    assert set(found.decision[0, 40:]) == {1}
    assert set(found.decision[0, :28]) == {0}
    assert not found.decision[1:].any()


def test_the_other_attributes_are_those_of_the_record(context: RunContext) -> None:
    data = table()
    model = trained(data, context)
    red, blue = (data.take([int(np.flatnonzero(data.column(1) == code)[0])]) for code in (0, 2))
    axes = RegionAxis(0, 0.0, 1.0), RegionAxis(2, -2.0, 2.0)
    assert regions(model, OneRecord(red), *axes, 16, context).decision[:, 12:].all()
    assert not regions(model, OneRecord(blue), *axes, 16, context).decision.any()


def test_a_typical_record_has_medians_and_most_frequent_values(context: RunContext) -> None:
    data = table()
    typical = data.derived(TYPICAL)
    assert len(typical) == 1
    assert typical.column(0)[0] == np.quantile(data.column(0), 0.5, method="lower")
    assert typical.column(1)[0] == np.argmax(np.bincount(data.column(1)))
    assert typical.missing(3)[0]


def test_an_attribute_without_any_value_stays_missing_in_the_typical_record() -> None:
    schema = Schema((Attribute("x", AttributeKind.NUMERIC), Attribute("c", AttributeKind.NOMINAL, ("a",))))
    typical = Dataset(schema, [[np.nan, np.nan], [-1, -1]]).derived(TYPICAL)
    assert typical.missing(0)[0] and typical.missing(1)[0]


def test_a_recipe_is_applied_before_the_model_decides(context: RunContext) -> None:
    data = table()
    model = trained(data, context, (RemoveAttributes(columns=("color",)),))
    found = regions(model, OneRecord(data.derived(TYPICAL)), RegionAxis(0, 0.0, 1.0), RegionAxis(1), 16, context)
    assert (found.decision == found.decision[0]).all()


def test_refining_goes_from_coarse_to_fine(context: RunContext) -> None:
    data = table()
    steps = list(
        refined(
            trained(data, context), OneRecord(data.derived(TYPICAL)), RegionAxis(0, 0, 1), RegionAxis(2, -2, 2), context
        )
    )
    assert [step.decision.shape for step in steps] == [(cells, cells) for cells in LEVELS]


def test_two_nominal_axes_have_one_fineness(context: RunContext) -> None:
    schema = Schema(
        (*(Attribute(name, AttributeKind.NOMINAL, ("u", "v", "w")) for name in "ab"), table().schema.attributes[4]), 2
    )
    random = np.random.default_rng(0)
    columns = [random.integers(0, 3, 60), random.integers(0, 3, 60)]
    data = Dataset(schema, [*columns, (columns[0] == 0).astype(int)])
    steps = list(
        refined(trained(data, context), OneRecord(data.derived(TYPICAL)), RegionAxis(0), RegionAxis(1), context)
    )
    assert [step.decision.tolist() for step in steps] == [[[1, 0, 0]] * 3]


def test_a_stop_is_heeded_between_blocks(context: RunContext) -> None:
    data = table()
    model = trained(data, context)
    steps = refined(model, OneRecord(data.derived(TYPICAL)), RegionAxis(0, 0, 1), RegionAxis(2, -2, 2), context)
    next(steps)
    context.cancel()
    with pytest.raises(Cancelled):
        next(steps)


def test_text_cannot_be_an_axis(context: RunContext) -> None:
    data = table()
    with pytest.raises(DataError, match=wording.TEXT_AS_AXIS):
        regions(trained(data, context), OneRecord(data.derived(TYPICAL)), RegionAxis(3), RegionAxis(0), 8, context)


def telling_table(n: int = 600) -> Dataset:
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
    names = [telling_table().schema.attributes[i].name for i in by_separation(telling_table())]
    assert names[:2] == ["exact", "telling"]
    assert names[-2:] == ["left out", "class"]


def test_an_exact_copy_of_the_class_tells_its_whole_entropy() -> None:
    codes = np.arange(3000) % 3
    assert separation_of(codes, codes, 3) == pytest.approx(np.log2(3), abs=0.002)


def test_a_value_for_each_record_tells_nothing() -> None:
    found = telling_table().derived(SEPARATIONS, lambda: None)
    assert found[0] < 0.05 and found[1] < 0.2 < found[2]


def test_missing_values_and_no_class_are_no_obstacle() -> None:
    schema = Schema((Attribute("x", AttributeKind.NUMERIC), Attribute("c", AttributeKind.NOMINAL, ("a", "b"))), 1)
    lost = Dataset(schema, [[np.nan] * 4, [0, 1, 0, 1]])
    assert lost.derived(SEPARATIONS, lambda: None)[0] == 0.0
    alone = Dataset(
        Schema((Attribute("x", AttributeKind.NUMERIC), Attribute("id", AttributeKind.TEXT))), [[1.0, 2.0], ["a", "b"]]
    )
    assert by_separation(alone) == (0,)
