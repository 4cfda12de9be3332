"""Networks and perceptrons as learners: what is kept, what is held out, what goes in, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.neural.forward_pass import rows_of
from algorithms.learners.neural.model import NeuralModel, probabilities_by
from algorithms.learners.neural.neural_network import NeuralNetwork
from algorithms.learners.neural.perceptron import Perceptron
from algorithms.learners.neural.training_replay import error_surface, learning_steps, place_of_weight
from algorithms.structures.layers import Layers, NetworkTraining, layer_views
from tests.algorithms.learners.linear.made import numbers
from tests.expected_texts import learners as wording


def fit(learner: NeuralNetwork | Perceptron, data: Dataset, context: RunContext | None = None) -> NeuralModel:
    model = learner.fit(data, context or RunContext(seed=1))
    assert isinstance(model, NeuralModel)
    return model


def ring(n: int = 400) -> Dataset:
    """The book's circle: inside or outside a radius of 0.2."""
    x = np.random.default_rng(0).uniform(0.2, 0.8, (2, n))
    codes = (np.hypot(*(x - 0.5)) > 0.2).astype(int)
    return Dataset(Schema((numeric("x1"), numeric("x2"), nominal("y", ["in", "out"])), 2), [x[0], x[1], codes])


@pytest.mark.parametrize("activation", ["logistic", "tanh", "relu"])
@pytest.mark.parametrize("optimizer", ["lbfgs", "adam", "momentum"])
def test_a_closed_boundary_is_found(activation: str, optimizer: str) -> None:
    network = NeuralNetwork(
        hidden=(8,), activation=activation, optimizer=optimizer, weight_decay=0.01, batch_size=40, patience=200,
        learning_rate=None if optimizer == "lbfgs" else 0.05 if optimizer == "adam" else 0.5,
    )  # fmt: skip
    data = ring()
    model = fit(network, data)
    assert np.mean(model.predict(data) == data.class_codes) > 0.95
    assert model.facts()["hidden_nodes"] == 8


def test_the_weights_kept_are_those_of_the_epoch_with_the_least_loss_held_out() -> None:
    data, _, _ = numbers(120, 4, 3, apart=0.4)
    looks: list[NetworkTraining] = []
    context = RunContext(
        seed=1, listener=lambda event: looks.append(event) if isinstance(event, NetworkTraining) else None
    )
    network = NeuralNetwork(hidden=(30,), early_stopping=True, weight_decay=0, patience=5, optimizer="lbfgs")
    course = fit(network, data, context).layers.course
    assert course.is_validated
    assert course.best == np.argmin(course.validation_loss)
    assert course.ended == "validation"
    assert course.epochs == course.best + 5
    assert looks[-1].is_last
    assert looks[-1].course.epochs == course.epochs


def test_finished_early_it_keeps_the_best_weights_so_far() -> None:
    data, _, _ = numbers(6000, 4, 2, apart=0.5)

    def stop(event: object) -> None:
        if isinstance(event, NetworkTraining) and event.course.epochs >= 1:
            context.finish()

    context = RunContext(seed=1, listener=stop)
    model = fit(NeuralNetwork(epochs=100_000, patience=100_000), data, context)
    course = model.layers.course
    assert model.partial
    assert course.ended == "finished"
    assert 1 <= course.epochs < 100_000
    assert np.mean(model.predict(data) == data.class_codes) > np.bincount(data.class_codes).max() / 6000
    assert "finished early" in model.remark()


def test_more_starts_are_never_worse_and_the_same_seed_gives_the_same_weights() -> None:
    data = ring(150)
    least = []
    for restarts in (1, 4):
        layers = fit(NeuralNetwork(hidden=(3,), weight_decay=0, restarts=restarts), data).layers
        least.append(layers.course.training_loss[layers.course.best])
    assert least[1] <= least[0]
    twice = [fit(NeuralNetwork(hidden=(3,), restarts=2), data).layers.parameters for _ in range(2)]
    assert np.array_equal(*twice)


def test_hidden_nodes_go_as_long_as_held_out_records_are_no_more_often_wrong() -> None:
    data = ring(300)
    model = fit(NeuralNetwork(hidden=(12,), prune=True, weight_decay=0.1, epochs=100), data)
    errors = model.layers.course.pruned_error
    assert model.layers.n_hidden < 12
    gone = 12 - model.layers.n_hidden
    assert np.all(errors[1 : gone + 1] <= errors[0])
    assert len(errors) == gone + 1 or errors[-1] > errors[0] - 1e-12
    assert wording.LEFT_AFTER_PRUNING in model.remark()


def test_lists_become_a_node_for_each_value_or_binary_digits() -> None:
    random = np.random.default_rng(0)
    codes = np.concatenate([np.arange(5), random.integers(0, 5, 95)])
    pair = random.integers(0, 2, 100)
    schema = Schema((nominal("five", list("abcde")), nominal("two", ["p", "q"]), nominal("y", ["n", "j"])), 2)
    data = Dataset(schema, [codes, pair, (codes % 2).astype(int)])
    inputs = {}
    for way in ("one-of-k", "binary"):
        model = fit(NeuralNetwork(hidden=(4,), inputs=way, weight_decay=0.01), data)
        inputs[way] = rows_of(model.layers.terms, data, True)
        assert np.mean(model.predict(data) == data.class_codes) == 1
    assert inputs["one-of-k"].shape == (100, 6)
    assert inputs["binary"].shape == (100, 4)
    digits = (inputs["binary"][:, :3] > 0).astype(int)
    assert np.array_equal(digits @ 2 ** np.argsort(np.argsort([0, 1, 2])), codes)


def test_perceptrons_against_the_rest_tell_three_classes() -> None:
    data, _, _ = numbers(150, 3, 3, apart=6.0)
    model = fit(Perceptron(), data)
    assert model.layers.sizes.tolist() == [3, 3]
    assert np.mean(model.predict(data) == data.class_codes) > 0.97


def test_the_pocket_keeps_the_pass_with_the_fewest_errors() -> None:
    data, _, _ = numbers(200, 3, 2, apart=0.4)
    with_pocket, without = fit(Perceptron(epochs=40), data), fit(Perceptron(epochs=40, pocket=False), data)
    errors = with_pocket.layers.course.training_error
    assert np.mean(with_pocket.predict(data) != data.class_codes) == pytest.approx(errors.min())
    assert with_pocket.layers.course.best == np.argmin(errors)
    assert np.mean(without.predict(data) != data.class_codes) == pytest.approx(errors[-1])
    assert wording.did_not_converge(40) in without.remark()


def test_a_records_explanation_says_what_would_change_without_each_attribute() -> None:
    data = ring(200)
    model = fit(NeuralNetwork(hidden=(6,), weight_decay=0.05), data)
    explanation = model.explain(data, 3)
    layers = model.structure()
    assert isinstance(layers, Layers)
    x = rows_of(layers.terms, data.take([3]), False)
    x[0, 0] = 0
    p, without = model.predict_proba(data.take([3]))[0], probabilities_by(layers, layers.parameters, x)[0]
    code = explanation.decision
    change = np.log(p[code] / p[1 - code]) - np.log(without[code] / without[1 - code])
    assert model.effects(data, 3, code, 1 - code)[0] == pytest.approx(change)
    assert set(explanation.parts) == {0, 1}
    assert len(explanation.steps) == 3


def test_an_explanation_counts_from_the_sums_where_probabilities_are_as_good_as_0_and_1() -> None:
    data, _, _ = numbers(60, 2, 3, apart=30.0)
    for k in (2, 3):
        some = data.take(np.flatnonzero(data.class_codes < k))
        layers = fit(NeuralNetwork(hidden=(), weight_decay=0.01, epochs=30), some).layers
        model = NeuralModel(replace(layers, parameters=layers.parameters * 1000))
        explanation = model.explain(some, 0)
        other = next(code for code in range(k) if code != explanation.decision)
        assert max(explanation.probabilities) == 1.0
        assert "only class" not in explanation.steps[0]
        x = rows_of(layers.terms, some.take([0]), False)[0]
        weight, _ = layer_views(model.layers.parameters, layers.sizes)[0]
        towards = weight[:, explanation.decision] - weight[:, other] if k == 3 else weight[:, 0] * (1 - 2 * other)
        changes = model.effects(some, 0, explanation.decision, other)
        assert [changes[at] for at in range(2)] == pytest.approx(x * towards, rel=1e-9)


def test_what_went_wrong_in_the_learning_is_said() -> None:
    data, _, _ = numbers(60, 2, 2, apart=0.2)
    network = NeuralNetwork(loss="squared", output="linear", activation="relu", optimizer="momentum", learning_rate=50)
    model = fit(network, data)
    assert wording.GREW_BEYOND_BOUNDS in model.remark()
    state = model.to_state()
    assert NeuralModel.from_state(data.schema, state).remark() == model.remark()
    stuck = NeuralNetwork(hidden=(3,), optimizer="adam", learning_rate=1000, weight_decay=0, epochs=5)
    assert wording.NO_EPOCH_SMALLER in fit(stuck, data).remark()


def test_the_rate_of_a_perceptron_that_begins_at_zero_moves_no_boundary() -> None:
    data, _, _ = numbers(90, 3, 3, apart=0.4)
    slow, quick = (fit(Perceptron(learning_rate=rate, epochs=20), data).layers.parameters for rate in (0.25, 2.0))
    assert np.array_equal(8 * slow, quick)


def test_an_option_that_does_not_hold_does_nothing() -> None:
    data, _, _ = numbers(4200, 2, 2, apart=0.4)
    plain = NeuralNetwork(hidden=(2,), epochs=2)
    left = replace(plain, batch="single", batch_size=7, learning_rate=0.3, momentum=0.1, output="tanh")
    assert np.array_equal(fit(left, data).layers.parameters, fit(plain, data).layers.parameters)


def test_the_steps_of_the_learning_end_where_it_ended() -> None:
    data, _, _ = numbers(150, 3, 3, apart=6.0)
    for learner in (Perceptron(pocket=False, epochs=20), NeuralNetwork(hidden=(3,), epochs=25, restarts=2)):
        steps = learning_steps(learner, data, RunContext(seed=4))
        assert steps is not None
        layers = learner.fit(data, RunContext(seed=4)).structure()
        assert isinstance(layers, Layers)
        if isinstance(learner, NeuralNetwork):
            best = int(np.flatnonzero(steps.epoch == layers.course.best)[0])
            assert np.array_equal(steps.parameters[best], layers.parameters)
            assert steps.error == pytest.approx(layers.course.training_error[steps.epoch])
            continue
        assert steps.is_whole
        assert steps.parameters[-1] == pytest.approx(layers.parameters, abs=1e-9)
        assert steps.node[1] == data.class_codes[steps.row[1]]  # before the first update every perceptron says no


def test_the_error_over_two_weights_is_the_loss_with_these_weights() -> None:
    data, _, _ = numbers(80, 3, 2, apart=0.6)
    for learner in (NeuralNetwork(hidden=(3,), epochs=20), Perceptron(epochs=5)):
        layers = fit(learner, data).layers
        surface = error_surface(layers, data, 1, 2, (np.zeros(1), np.zeros(1)), RunContext())
        assert surface.across.min() < min(0, layers.parameters[1]) < surface.across.max()
        changed = layers.parameters.copy()
        changed[[1, 2]] = surface.across[4], surface.up[9]
        p = probabilities_by(layers, changed, rows_of(layers.terms, data, False))
        expected = -np.mean(np.log(p[np.arange(80), data.class_codes]))
        if isinstance(learner, Perceptron):
            expected = np.mean(p.argmax(axis=1) != data.class_codes)
        assert surface.loss[4, 9] == pytest.approx(expected)
    assert place_of_weight(layers, 1) == (0, 1, 0)
    assert place_of_weight(layers, 3) == (0, -1, 0)
