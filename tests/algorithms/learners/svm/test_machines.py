"""Support vector machines: the optimum that LIBSVM and LIBLINEAR find, the conditions of Karush, Kuhn and Tucker, and
what the two learners make of classes, costs and probabilities."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC, LinearSVC

from algorithms.core.errors import Cancelled, ModelFileError
from algorithms.core.learner import Learner, State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.io.reading import read
from algorithms.learners.svm import smo, support_vector_machine
from algorithms.learners.svm.binary_machines import learned_space
from algorithms.learners.svm.kernel_functions import KernelPoints, Similarity
from algorithms.learners.svm.model import SupportVectorModel
from algorithms.learners.svm.smo import BinaryProblem, KernelRows, Smo, SmoLimits, SmoSolution
from algorithms.learners.svm.support_vector_machine import (
    MOST_BY_NEWTON,
    LinearSupportVectorMachine,
    SupportVectorMachine,
    linear_solution,
    solve_by_coordinate_descent,
    solve_by_interior_points,
    solve_by_newton,
)
from algorithms.structures.hyperplanes import SupportVectors
from tests.algorithms.learners.linear.made import numbers
from tests.expected_texts import learners as wording

KERNELS: dict[str, tuple[Similarity, dict[str, Any]]] = {
    "linear": (Similarity("linear"), {}),
    "gaussian": (Similarity("gaussian", 0.2), {"kernel": "rbf", "gamma": 0.2}),
    "polynomial": (Similarity("polynomial", 0.3, 3, 1.0), {"kernel": "poly", "gamma": 0.3, "degree": 3, "coef0": 1.0}),
    "sigmoid": (Similarity("sigmoid", 0.02, 1, 0.1), {"kernel": "sigmoid", "gamma": 0.02, "coef0": 0.1}),
}
"""Each kernel, and what it is called by LIBSVM."""


def fit(data: Dataset, learner: type[Learner] = SupportVectorMachine, **options: Any) -> SupportVectorModel:
    model = learner(**options).fit(data, RunContext(seed=1))
    assert isinstance(model, SupportVectorModel)
    return model


def two_clouds(n: int = 300, t: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers (n, t) of two classes that overlap, and their sides (n,), 1 or -1."""
    random = np.random.default_rng(seed)
    y = np.where(random.random(n) < 0.4, 1.0, -1.0)
    return random.normal(size=(n, t)) + 0.6 * y[:, None] * np.linspace(1, 0, t), y


def dual(kernel: np.ndarray, beta: np.ndarray) -> float:
    return float(np.abs(beta).sum() - 0.5 * beta @ kernel @ beta)


def kernel_of(model: SupportVectorModel, data: Dataset) -> np.ndarray:
    x = model.space.of(data)
    return model.similarity.between(x, x)


# ---- the optimum -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "k"), [*((name, 2) for name in KERNELS), ("gaussian", 3)])
def test_objective_and_decisions_are_those_of_libsvm(name: str, k: int) -> None:
    data, table, codes = numbers(400, 5, k, apart=0.6)
    x = (table - table.mean(axis=0)) / table.std(axis=0)
    similarity, theirs = KERNELS[name]
    options = {{"coef0": "constant"}.get(key, key): value for key, value in theirs.items() if key != "kernel"}
    ours = fit(data, kernel=name, c=2.0, tolerance=1e-4, **options)
    svc = SVC(C=2.0, tol=1e-4, **{"kernel": "linear", **theirs}).fit(x, codes)
    decided = ours.predict(data)
    values = ours.sums(data) if k == 2 else np.zeros((1, 1))
    differ = decided != svc.predict(x)
    if k == 2:
        matrix = similarity.between(x, x)
        beta = np.zeros(400)
        beta[svc.support_] = svc.dual_coef_[0]
        held = ours.structure()
        mine = np.zeros(400)
        mine[held.row_ids[held.member]] = held.coefficient
        assert dual(matrix, mine) == pytest.approx(dual(matrix, beta), rel=1e-4)
        assert held.course_of(0)[-1, 2] == pytest.approx(dual(matrix, beta), rel=1e-4)
        assert np.all(np.abs(values[differ, 0]) < 1e-2)
        assert -values[:, 0] == pytest.approx(svc.decision_function(x), abs=5e-3)
    else:
        sums = ours.sums(data)  # of 0 against 1, 0 against 2, 1 against 2
        circular = np.all(np.sign(sums) == [1, -1, 1], axis=1) | np.all(np.sign(sums) == [-1, 1, -1], axis=1)
        assert not np.any(differ & ~circular & (np.abs(sums).min(axis=1) > 1e-2))


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("shrinking", [True, False])
def test_conditions_of_the_optimum_hold_to_the_tolerance(power: int, shrinking: bool) -> None:
    """Eq. 5.47 to 5.49: a multiplier is 0 beyond the margin, at its bound within it, and between only on it."""
    x, y = two_clouds()
    similarity, tolerance = Similarity("gaussian", 0.5), 1e-4
    random = np.random.default_rng(1)
    task = BinaryProblem(x, y, random.uniform(0.5, 5, len(y)), power)
    found = Smo(task, similarity, SmoLimits(tolerance, shrinking=shrinking), RunContext()).solve()
    alpha = y * found.beta
    sums = similarity.between(x, x) @ found.beta + found.bias + task.ridge * found.beta
    assert found.is_whole
    assert abs(found.beta.sum()) < 1e-9
    assert np.all((alpha >= 0) & (alpha <= task.upper))
    near = 2 * tolerance
    assert np.all((y * sums)[alpha == 0] >= 1 - near)
    assert np.all((y * sums)[alpha == task.upper] <= 1 + near)
    assert np.all(np.abs((y * sums)[(alpha > 0) & (alpha < task.upper)] - 1) < near)
    last = found.course.points[-1]
    assert 0 <= last[1] - last[2] < 1e-3 * last[1]


def test_a_cache_of_a_few_rows_and_leaving_records_out_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = two_clouds(500)
    task = BinaryProblem(x, y, np.full(500, 3.0), 1)
    whole = Smo(task, Similarity("gaussian", 0.3), SmoLimits(1e-5, shrinking=False), RunContext()).solve()
    kept: list[int] = []
    lay_out = KernelRows._lay_out

    def watched(self: KernelRows, n: int) -> None:
        lay_out(self, n)
        kept.append(self.table.nbytes)

    monkeypatch.setattr(KernelRows, "_lay_out", watched)
    small = Smo(task, Similarity("gaussian", 0.3), SmoLimits(1e-5, megabytes=0.05), RunContext()).solve()
    assert max(kept) <= 50_000
    assert len(kept) > 1  # some were left out on the way
    assert small.course.points[-1][2] == pytest.approx(whole.course.points[-1][2], rel=1e-7)
    assert np.sign(small.slack).tolist() == np.sign(whole.slack).tolist()


@pytest.mark.parametrize("power", [1, 2])
def test_beginning_with_a_part_and_few_places_for_rows_changes_nothing(
    power: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = two_clouds(600)
    y[::4] = 1.0  # the part that is learned from first has one class only
    task = BinaryProblem(x, y, np.random.default_rng(1).uniform(0.5, 5, 600), power)
    whole = Smo(task, Similarity("gaussian", 0.3), SmoLimits(1e-5), RunContext()).solve()
    monkeypatch.setattr(smo, "_MANY", 300)
    monkeypatch.setattr(smo, "_FIRST_CELLS", 4000)
    for step in (4, 5):
        monkeypatch.setattr(smo, "_FIRST_PART", step)
        found = Smo(task, Similarity("gaussian", 0.3), SmoLimits(1e-5), RunContext()).solve()
        assert found.is_whole
        assert found.violation <= 1e-5
        assert found.course.points[-1][2] == pytest.approx(whole.course.points[-1][2], rel=1e-7)
        assert found.bias == pytest.approx(whole.bias, abs=1e-4)
        primal, dual = np.array(found.course.points)[:, 1:].T
        assert np.all(primal - dual >= -1e-9)  # whatever is known when some are left out, both are bounds
        assert np.all(np.diff(dual) >= -1e-9)


def test_single_precision_is_near_enough_for_many_records() -> None:
    random = np.random.default_rng(2)
    x = random.normal(size=(3100, 6))
    similarity = Similarity("gaussian", 1 / 6)
    points = KernelPoints(similarity, x, single=True)
    single = points.rows(points.left[:20], slice(None))
    assert single.dtype == np.float32
    assert np.abs(single - similarity.between(x[:20], x)).max() < 1e-5


# ---- straight boundaries ---------------------------------------------------------------------------------------------


def of_liblinear(x: np.ndarray, y: np.ndarray, c: float, loss: str) -> np.ndarray:
    """Weights and constant (t + 1,) where the constant costs next to nothing, as here."""
    options = {"loss": loss, "dual": loss == "hinge", "C": c, "tol": 1e-6, "max_iter": 1_000_000}
    found = LinearSVC(intercept_scaling=30.0, random_state=0, **options).fit(x, y)
    return np.append(found.coef_[0], found.intercept_)


def primal(x: np.ndarray, y: np.ndarray, c: float, power: int, weight: np.ndarray) -> float:
    slack = np.maximum(0.0, 1 - y * (x @ weight[:-1] + weight[-1]))
    return float(0.5 * weight[:-1] @ weight[:-1] + c * (slack**power).sum())


def objective(found: SmoSolution, x: np.ndarray, y: np.ndarray, c: float, power: int) -> float:
    assert found.weight is not None
    return primal(x, y, c, power, np.append(found.weight, found.bias))


@pytest.mark.parametrize(("power", "loss"), [(1, "hinge"), (2, "squared_hinge")])
def test_straight_boundaries_are_those_of_liblinear(power: int, loss: str) -> None:
    x, y = two_clouds(400, 6)
    task, effort = BinaryProblem(x, y, np.full(400, 0.5), power), SmoLimits(1e-4)
    best = primal(x, y, 0.5, power, of_liblinear(x, y, 0.5, loss))
    passes = solve_by_coordinate_descent(task, effort, RunContext(seed=1))
    assert objective(passes, x, y, 0.5, power) == pytest.approx(best, rel=1e-4)
    assert passes.beta @ x == pytest.approx(passes.weight, abs=1e-9)
    assert passes.is_whole
    pairs = Smo(task, Similarity("linear"), effort, RunContext()).solve()
    assert objective(replace(pairs, weight=pairs.beta @ x), x, y, 0.5, power) == pytest.approx(best, rel=1e-4)
    if power == 2:
        newton = solve_by_newton(task, effort, RunContext())
        assert newton.is_whole
        assert objective(newton, x, y, 0.5, power) <= best * (1 + 1e-9)
        assert newton.weight == pytest.approx(passes.weight, abs=1e-3)


def test_linear_learner_decides_as_liblinear_does() -> None:
    data, table, codes = numbers(600, 5, 3, apart=0.6)
    x = (table - table.mean(axis=0)) / table.std(axis=0)
    sums = np.column_stack([
        np.column_stack([x, np.ones(600)]) @ of_liblinear(x, np.where(codes == k, 1.0, -1.0), 1.5, "squared_hinge")
        for k in range(3)
    ])  # fmt: skip
    model = fit(data, LinearSupportVectorMachine, c=1.5, several="one-vs-rest")
    assert np.abs(model.sums(data) - sums).max() < 2e-2
    ordered = np.sort(sums, axis=1)
    clear = ordered[:, 2] - ordered[:, 1] > 4e-2
    assert np.array_equal(model.predict(data)[clear], np.argmax(sums, axis=1)[clear])


def task_of(path: Path, c: float) -> BinaryProblem:
    """Two classes of a data set, its numbers in standard deviations."""
    data = read(path, RunContext())
    x = learned_space(data, None, "standard", RunContext()).of(data)
    return BinaryProblem(np.ascontiguousarray(x), np.where(data.class_codes == 0, 1.0, -1.0), np.full(len(data), c), 1)


@pytest.mark.parametrize("name", ["sonar", "ionosphere", "diabetes"])
@pytest.mark.parametrize("c", [0.1, 1.0, 10.0])
def test_soft_margins_reach_the_optimum_of_published_sets(name: str, c: float, shared_datasets: Path) -> None:
    task = task_of(shared_datasets / f"{name}.arff", c)
    found = linear_solution(task, SmoLimits(1e-3), RunContext(seed=1))
    reached = objective(found, task.x, task.y, c, 1)
    theirs = SVC(kernel="linear", C=c, tol=1e-4, max_iter=1_000_000).fit(task.x, task.y)
    best = primal(task.x, task.y, c, 1, np.append(theirs.coef_[0], theirs.intercept_))
    assert found.is_whole
    assert found.violation <= 1e-3
    assert reached <= best * (1 + 1e-4)
    assert found.course.points[-1][1] == pytest.approx(reached, rel=1e-9)
    assert found.course.points[-1][2] <= reached * (1 + 1e-12)  # what no machine can be below


def test_a_smaller_tolerance_comes_nearer_to_the_optimum(shared_datasets: Path) -> None:
    task = task_of(shared_datasets / "sonar.arff", 10.0)
    gaps, steps = [], []
    for tolerance in (0.3, 1e-3, 1e-6):
        found = linear_solution(task, SmoLimits(tolerance), RunContext(seed=1))
        assert found.violation <= tolerance
        _, upper, lower = found.course.points[-1]
        gaps.append(upper - lower)
        steps.append(found.course.points[-1][0])
    assert gaps[0] > gaps[1] > gaps[2] >= -1e-9
    assert steps == sorted(set(steps))


def test_more_numbers_than_systems_can_be_solved_for_reach_the_optimum_too() -> None:
    random = np.random.default_rng(0)
    y = np.where(random.random(120) < 0.4, 1.0, -1.0)
    x = random.normal(size=(120, MOST_BY_NEWTON + 1)) * random.uniform(0.01, 1, MOST_BY_NEWTON + 1) + 0.02 * y[:, None]
    for power, c in ((1, 1e-4), (1, 1.0), (2, 1e-3)):
        task = BinaryProblem(x, y, np.full(120, c), power)
        found = linear_solution(task, SmoLimits(1e-6), RunContext(seed=1))
        best = (
            solve_by_newton(task, SmoLimits(), RunContext())
            if power == 2
            else solve_by_interior_points(task, SmoLimits(1e-6), RunContext())
        )
        reached = objective(found, x, y, c, power)
        assert found.is_whole
        assert reached == pytest.approx(objective(best, x, y, c, power), rel=1e-3)


def test_interior_points_hold_where_classes_are_rare_alike_apart_or_dear() -> None:
    random = np.random.default_rng(0)
    rare = np.where(np.arange(400) < 4, 1.0, -1.0)
    few = np.where(np.arange(30) < 10, 1.0, -1.0)
    tables = [(random.normal(size=(400, 3)), rare), (np.zeros((30, 2)), few), (random.normal(size=(30, 80)), few)]
    for x, y in tables:
        for c in (1e-6, 1.0, 1e4):
            task = BinaryProblem(x, y, random.uniform(0.5, 2.0, len(y)) * c, 1)
            found = solve_by_interior_points(task, SmoLimits(1e-4), RunContext())
            _, upper, lower = found.course.points[-1]
            assert found.is_whole
            assert upper - lower <= 1e-3 * upper
            assert np.all((y * found.beta >= 0) & (y * found.beta <= task.cost))


def test_a_machine_that_did_not_settle_says_so_and_was_not_finished_early(monkeypatch: pytest.MonkeyPatch) -> None:
    data = numbers(200, 4, 2, apart=0.3)[0]
    assert "still moving" not in fit(data, LinearSupportVectorMachine, margin="soft").remark()
    monkeypatch.setattr(support_vector_machine, "_MOST_INTERIOR", 2)
    model = fit(data, LinearSupportVectorMachine, margin="soft")
    assert not model.partial
    assert wording.STILL_MOVING in model.remark()


def test_a_linear_machine_is_cut_short_by_an_early_finish_alone() -> None:
    data, context = numbers(200, 4, 2, apart=0.3)[0], RunContext(seed=1)
    context.finish()
    assert LinearSupportVectorMachine(margin="soft").fit(data, context).partial
    context = RunContext(seed=1)
    context.cancel()
    with pytest.raises(Cancelled):
        LinearSupportVectorMachine(margin="soft").fit(data, context)


def test_several_classes_are_told_apart_by_pairs_unless_asked_otherwise() -> None:
    data, _, _ = numbers(300, 4, 4, apart=0.5)
    assert len(fit(data, LinearSupportVectorMachine).structure().first) == 6
    assert len(fit(data, LinearSupportVectorMachine, several="one-vs-rest").structure().first) == 4


# ---- what a person sets ----------------------------------------------------------------------------------------------


def test_weights_are_repetition_and_classes_may_cost_the_same_together() -> None:
    data, _, codes = numbers(200, 3, 2, apart=0.4)
    twice = data.take(np.concatenate([np.arange(200), np.flatnonzero(codes == 0)]))
    weighed = data.with_weights(np.where(codes == 0, 2.0, 1.0))
    assert fit(twice, c=1.0).sums(data) == pytest.approx(fit(weighed, c=1.0).sums(data), abs=1e-9)
    rare = data.take(np.concatenate([np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)[:15]]))
    plain, balanced = fit(rare, c=1.0), fit(rare, c=1.0, class_cost="balanced")
    hit = [float((m.predict(rare)[rare.class_codes == 1] == 1).mean()) for m in (plain, balanced)]
    assert hit[1] > hit[0] + 0.2


@pytest.mark.parametrize("several", ["one-vs-one", "one-vs-rest"])
def test_calibrated_probabilities_are_nearer_to_the_truth(several: str) -> None:
    train, test = numbers(600, 2, 3, seed=1, apart=0.5)[0], numbers(2000, 2, 3, seed=2, apart=0.5)[0]
    losses = []
    for how in ("plain", "platt"):
        said = fit(train, probabilities=how, several=several).predict_proba(test)
        losses.append(-np.log(said[np.arange(len(test)), test.class_codes]).mean())
    assert losses[1] < losses[0]


def test_what_could_not_be_calibrated_is_said() -> None:
    data = numbers(60, 2, 3, apart=0.5)[0]
    lone = data.take(np.concatenate([np.flatnonzero(data.class_codes != 2), np.flatnonzero(data.class_codes == 2)[:1]]))
    said = fit(lone, probabilities="platt").remark()
    assert wording.FOLLOW_FROM_DISTANCE in said
    assert "distance alone" not in fit(data, probabilities="platt").remark() + fit(lone).remark()


def test_a_margin_without_slack_where_there_is_none_is_said_to_have_some() -> None:
    data, _, _ = numbers(100, 2, 2, apart=0.2)
    model = fit(data, kernel="linear", margin="hard")
    assert wording.KEEPS_APART in model.remark()


def test_a_margin_without_slack_where_there_is_none_has_the_least_slack() -> None:
    data, table, codes = numbers(200, 3, 2, apart=0.4)
    model = fit(data, kernel="linear", margin="hard")
    x = (table - table.mean(axis=0)) / table.std(axis=0)
    slack = np.maximum(0.0, 1 - np.where(codes == 0, 1.0, -1.0) * model.sums(data)[:, 0]).sum()
    least = SVC(kernel="linear", C=100.0, max_iter=1_000_000).fit(x, codes)
    theirs = np.maximum(0.0, 1 + np.where(codes == 0, 1.0, -1.0) * least.decision_function(x)).sum()
    assert slack <= theirs * (1 + 1e-3)


def test_a_kernel_that_is_no_product_is_warned_of() -> None:
    data, table, _ = numbers(150, 4, 2)
    assert wording.NOT_POSITIVE_SEMIDEFINITE in fit(data, kernel="sigmoid", gamma=1.0, constant=-1.0).remark()
    assert "semidefinite" not in fit(data, kernel="polynomial").remark()
    x = (table - table.mean(axis=0)) / table.std(axis=0)
    assert np.linalg.eigvalsh(np.tanh(x @ x.T - 1.0))[0] < -1


def test_a_damaged_file_is_refused() -> None:
    data, _, _ = numbers(60, 2, 3)
    state = fit(data).to_state()
    for name, wrong in (("member", 10**6), ("first", 7), ("bias", np.nan), ("start", -1)):
        array = state.arrays[name].copy()
        array[-1] = wrong
        with pytest.raises(ModelFileError):
            SupportVectorModel.from_state(data.schema, State(state.values, {**state.arrays, name: array}))
    assert isinstance(SupportVectorModel.from_state(data.schema, state).structure(), SupportVectors)


@pytest.mark.parametrize(("solve", "power"), [(solve_by_newton, 2), (solve_by_interior_points, 1)])
def test_a_stop_is_looked_for_within_the_products_of_many_numbers(
    solve: Any, power: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = two_clouds(1000, 12)
    task, context, looks, most = BinaryProblem(x, y, np.full(1000, 1.0), power), RunContext(), 0, 0
    dealt = RunContext.map

    def looked() -> None:
        nonlocal looks
        looks += 1

    def counted(self: RunContext, work: Any, parts: Any) -> Any:
        nonlocal looks, most
        looks = 0
        found = dealt(self, work, parts)
        most = max(most, looks)
        return found

    monkeypatch.setattr(context, "checkpoint", looked)
    monkeypatch.setattr(RunContext, "map", counted)
    whole = solve(task, SmoLimits(1e-6), context)
    monkeypatch.setattr(support_vector_machine, "_PRODUCTS", 100 * 13**2, raising=False)
    parted = solve(task, SmoLimits(1e-6), context)
    assert most >= 10
    assert np.abs(parted.beta - whole.beta).max() < 1e-6
