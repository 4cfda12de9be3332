"""The worked examples on perceptrons and networks: Figures 5.14 and 5.16 through the real learners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.neural.model import NeuralModel
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.neural.perceptron import Perceptron
from algorithms.structures.layers import Layers
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording


def exclusive_or() -> Dataset:
    schema = Schema((numeric("x1"), numeric("x2"), nominal("y", ["-1", "1"])), 2)
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    return Dataset(schema, [x[:, 0].copy(), x[:, 1].copy(), np.array([0, 1, 1, 0])])


def perceptron_of(data: Dataset, **options: object) -> tuple[NeuralModel, Layers]:
    model = Perceptron(standardise=False, **options).fit(data, RunContext(seed=1))  # type: ignore[arg-type]
    assert isinstance(model, NeuralModel)
    return model, model.layers


def test_a_network_learns_exclusive_or_as_it_comes() -> None:
    data = exclusive_or()
    for activation in ("logistic", "tanh", "relu"):
        for seed in (1, 2, 3, 4, 5, 6):
            model = NeuralNetwork(activation=activation).fit(data, RunContext(seed=seed))
            assert model.predict(data).tolist() == data.class_codes.tolist()


def test_the_printed_weights_are_right_about_the_majority_of_three() -> None:
    data = sample("majority-of-three")
    _, layers = perceptron_of(data)
    printed = NeuralModel(replace(layers, parameters=np.array([0.3, 0.3, 0.3, -0.4])))
    assert printed.predict(data).tolist() == data.class_codes.tolist()


def test_perceptron_learning_converges_on_the_majority_of_three() -> None:
    data = sample("majority-of-three")
    for options in ({}, {"schedule": "decreasing"}, {"shuffle": False}):
        model, layers = perceptron_of(data, **options)
        assert model.predict(data).tolist() == data.class_codes.tolist()
        assert layers.course.training_error[-1] == 0
        assert "it converged" in model.remark()


def test_a_perceptron_does_not_converge_on_exclusive_or_and_says_so() -> None:
    data = exclusive_or()
    model, layers = perceptron_of(data, epochs=50)
    assert layers.course.epochs == 50
    assert np.min(layers.course.training_error) >= 0.25
    assert wording.did_not_converge(50) in model.remark()


def test_a_network_of_two_layers_makes_no_error_on_exclusive_or() -> None:
    data = exclusive_or()
    for optimizer, rate in (("lbfgs", None), ("adam", 0.1), ("momentum", 0.3)):
        network = NeuralNetwork(
            hidden=(2,), activation="tanh", optimizer=optimizer, weight_decay=0, epochs=200, restarts=3, patience=200,
            learning_rate=rate,
        )  # fmt: skip
        model = network.fit(data, RunContext(seed=1))
        assert model.predict(data).tolist() == data.class_codes.tolist(), optimizer
