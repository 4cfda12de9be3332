"""Principal components, beside scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.filters.components import Components, PrincipalComponents


def table(x: np.ndarray, weights: np.ndarray | None = None) -> Dataset:
    d = x.shape[1]
    schema = Schema((nominal("y", "ab"), *(numeric(f"x{i}") for i in range(d))), 0)
    return Dataset(schema, [np.arange(len(x)) % 2, *x.T.copy()], weights=weights)


def related(n: int = 120, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.normal(size=(n, 3)) @ random.normal(size=(3, 6)) * [1, 5, 0.1, 2, 1, 3] + random.normal(size=(n, 6))


def scores(filter: PrincipalComponents, train: np.ndarray, other: np.ndarray | None = None) -> np.ndarray:
    found = filter.fit(table(train), RunContext()).transform(table(train if other is None else other))
    return np.column_stack([found.column(i) for i in range(1, len(found.schema))])


@pytest.mark.parametrize("shape", [(120, 6), (5, 6)])
@pytest.mark.parametrize("same_scale", [False, True])
def test_components_are_those_of_scikit_learn(shape: tuple[int, int], same_scale: bool) -> None:
    from sklearn import decomposition

    train, test = related()[: shape[0]], related(40, 2)
    centre, unit = train.mean(axis=0), train.std(axis=0) if same_scale else np.ones(6)
    number = min(4, shape[0] - 1)
    peer = decomposition.PCA(n_components=number).fit((train - centre) / unit)
    filter = PrincipalComponents(keep="number", components=number, same_scale=same_scale)
    for other in (train, test):
        np.testing.assert_allclose(scores(filter, train, other), peer.transform((other - centre) / unit), atol=1e-9)
    learned = filter.fit(table(train), RunContext())
    np.testing.assert_allclose(learned.loadings, peer.components_, atol=1e-9)
    np.testing.assert_allclose(learned.shares, peer.explained_variance_ratio_, atol=1e-9)


@pytest.mark.parametrize("share", [0.3, 0.8, 0.95, 0.999])
def test_as_many_components_as_the_share_needs(share: float) -> None:
    from sklearn import decomposition

    peer = decomposition.PCA(n_components=share, svd_solver="full").fit(related())
    found = PrincipalComponents(share=share, same_scale=False).fit(table(related()), RunContext())
    assert len(found.loadings) == peer.n_components_


def test_all_of_the_variance_is_all_of_the_components() -> None:
    assert len(PrincipalComponents(share=1.0).fit(table(related()), RunContext()).loadings) == 6


def test_numbers_come_back_from_all_components() -> None:
    x = related()
    learned = PrincipalComponents(keep="number", components=6).fit(table(x), RunContext())
    back = scores(PrincipalComponents(keep="number", components=6), x) @ learned.loadings
    np.testing.assert_allclose(back * learned.units + learned.centres, x, atol=1e-9)


def test_weights_are_repetition() -> None:
    x, weights = related(50), np.random.default_rng(3).integers(0, 4, 50)
    weighted = PrincipalComponents().fit(table(x, weights.astype(float)), RunContext())
    repeated = PrincipalComponents().fit(table(np.repeat(x, weights, axis=0)), RunContext())
    np.testing.assert_allclose(weighted.loadings, repeated.loadings, atol=1e-9)
    np.testing.assert_allclose(weighted.centres, repeated.centres, atol=1e-9)


def test_a_missing_number_counts_as_the_mean_and_a_constant_column_adds_nothing() -> None:
    x = related()
    x[:, 2] = 0.1
    filter = PrincipalComponents(keep="number", components=3)
    other = x[:2].copy()
    other[0] = np.nan
    assert scores(filter, x, other)[0].tolist() == [0, 0, 0]
    np.testing.assert_allclose(filter.fit(table(x), RunContext()).loadings[:, 2], 0, atol=1e-9)


def test_other_columns_and_the_class_stay() -> None:
    found = PrincipalComponents(columns=("x1", "x3")).fit(table(related()), RunContext()).transform(table(related()))
    assert found.schema.names == ("y", "x0", "x2", "x4", "x5", "component 1", "component 2")
    assert found.schema.class_attribute.name == "y"


def test_damaged_file_is_refused() -> None:
    state = PrincipalComponents().fit(table(related()), RunContext()).to_state()
    for key, wrong in (("units", np.zeros(6)), ("loadings", np.ones((2, 5))), ("shares", np.ones(9))):
        with pytest.raises(ModelFileError):
            Components.from_state(State(state.values, {**state.arrays, key: wrong}))
