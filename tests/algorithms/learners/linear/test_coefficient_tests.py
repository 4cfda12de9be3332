"""Standard errors, Wald's and likelihood-ratio tests of logistic regression, and Firth's penalty."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import chi2

from algorithms.cli import main
from algorithms.core.errors import ModelFileError, UnsuitableDataError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.learners.linear.logistic_regression import (
    PROFILE,
    WALD,
    LogisticRegression,
    attribute_tests,
    coefficients_to_json,
    coefficients_to_text,
    effect_words,
    effects,
    no_p_words,
)
from algorithms.learners.linear.model import LinearModel
from algorithms.learners.multiclass.reductions import OneVsRest
from tests.expected_texts import learners as wording

SPECTOR = np.array([
    (2.66, 20, 0, 0), (2.89, 22, 0, 0), (3.28, 24, 0, 0), (2.92, 12, 0, 0), (4.00, 21, 0, 1), (2.86, 17, 0, 0),
    (2.76, 17, 0, 0), (2.87, 21, 0, 0), (3.03, 25, 0, 0), (3.92, 29, 0, 1), (2.63, 20, 0, 0), (3.32, 23, 0, 0),
    (3.57, 23, 0, 0), (3.26, 25, 0, 1), (3.53, 26, 0, 0), (2.74, 19, 0, 0), (2.75, 25, 0, 0), (2.83, 19, 0, 0),
    (3.12, 23, 1, 0), (3.16, 25, 1, 1), (2.06, 22, 1, 0), (3.62, 28, 1, 1), (2.89, 14, 1, 0), (3.51, 26, 1, 0),
    (3.54, 24, 1, 1), (2.83, 27, 1, 1), (3.39, 17, 1, 1), (2.67, 24, 1, 0), (3.65, 21, 1, 1), (4.00, 23, 1, 1),
    (3.10, 21, 1, 0), (2.39, 19, 1, 1),
])  # fmt: skip
"""Spector and Mazzeo (1980), as in Greene, Econometric Analysis, table 21.1: GPA, TUCE, PSI, better grade."""


def spector() -> Dataset:
    schema = Schema(
        (numeric("GPA"), numeric("TUCE"), nominal("PSI", ("no", "yes")), nominal("better", ("no", "yes"))), 3
    )
    return Dataset(schema, [SPECTOR[:, 0], SPECTOR[:, 1], SPECTOR[:, 2].astype(int), SPECTOR[:, 3].astype(int)])


def fit(data: Dataset, **options: object) -> LinearModel:
    model = LogisticRegression(**options).fit(data, RunContext(seed=1))  # type: ignore[arg-type]
    assert isinstance(model, LinearModel)
    return model


def two_by_two(cells: tuple[int, int, int, int]) -> Dataset:
    """Counts of (no, a), (yes, a), (no, b), (yes, b) as records with weights."""
    schema = Schema((nominal("x", ("no", "yes")), nominal("y", ("a", "b"))), 1)
    kept = [at for at, n in enumerate(cells) if n]
    return Dataset(
        schema, [[at % 2 for at in kept], [at // 2 for at in kept]], weights=[float(cells[at]) for at in kept]
    )


def test_walds_figures_are_those_of_a_published_example() -> None:
    """Greene, Econometric Analysis, table 21.1; digits of statsmodels' Logit."""
    found = effects(fit(spector(), penalty="none").planes, 1, 0, by_deviation=False)
    assert [each.name for each in found] == ["GPA", "TUCE", wording.equals("PSI", "yes"), "Intercept"]
    assert [each.log_odds for each in found] == pytest.approx([2.82611259, 0.09515766, 2.37868766, -13.02134686])
    assert [each.error for each in found] == pytest.approx([1.26294108, 0.14155421, 1.06456425, 4.93132421], rel=1e-6)
    assert [each.z for each in found] == pytest.approx([2.23772324, 0.67223479, 2.23442375, -2.64053757], rel=1e-6)
    assert [each.p for each in found] == pytest.approx([0.02523911, 0.50143424, 0.0254552, 0.00827746], rel=1e-5)
    assert (found[0].low, found[0].high) == pytest.approx((0.35079357, 5.30143162), rel=1e-6)
    assert {each.p_by for each in found} == {WALD}
    assert effect_words(found[0], ("yes", "no")).endswith("p = 0.025).")
    step = SPECTOR[:, 0].std(ddof=1)  # as Preprocess shows it
    by_deviation = effects(fit(spector(), penalty="none").planes, 1, 0)[0]
    assert (by_deviation.step, by_deviation.log_odds) == pytest.approx((step, 2.82611259 * step), rel=1e-6)


def test_likelihood_ratio_tests_are_those_of_statsmodels() -> None:
    tests = attribute_tests(fit(spector(), penalty="none", likelihood_ratio=True).planes)
    assert [each.name for each in tests] == ["GPA", "TUCE", "PSI"]
    assert [each.statistic for each in tests] == pytest.approx([6.784213764, 0.473878829, 6.203697622], rel=1e-7)
    assert [each.freedom for each in tests] == [1, 1, 1]
    assert tests[0].p == pytest.approx(chi2.sf(6.784213764, 1), rel=1e-7)


def three_classes() -> Dataset:
    r = np.random.default_rng(5)
    x, g = r.normal(size=120).round(2), r.integers(0, 3, 120)
    scores = np.c_[np.zeros(120), 0.5 * x + 0.8 * (g == 1), -0.7 * x + 0.4 * (g == 2)] + r.gumbel(size=(120, 3))
    schema = Schema((numeric("x"), nominal("g", "abc"), nominal("y", "uvw")), 2)
    return Dataset(schema, [x, g, np.argmax(scores, axis=1)])


def test_tests_of_three_classes_and_of_a_nominal_attribute_are_those_of_statsmodels() -> None:
    """MNLogit with the first class as the reference: p of x, and both attributes as a whole."""
    planes = fit(three_classes(), penalty="none", likelihood_ratio=True).planes
    of_x = [effects(planes, code, 0, by_deviation=False)[0] for code in (1, 2)]
    assert [each.log_odds for each in of_x] == pytest.approx([0.46515345, -0.76528962], rel=1e-6)
    assert [each.p for each in of_x] == pytest.approx([0.12372999, 0.02105154], rel=1e-5)
    tests = attribute_tests(planes)
    assert [each.statistic for each in tests] == pytest.approx([19.237817494, 11.814374684], rel=1e-6)
    assert [each.freedom for each in tests] == [2, 4]


@pytest.mark.parametrize("penalty", ["ridge", "lasso"])
def test_a_penalty_leaves_no_p_and_says_why(penalty: str) -> None:
    planes = fit(spector(), penalty=penalty, likelihood_ratio=True).planes
    assert all(np.isnan(each.p) and np.isnan(each.z) for each in effects(planes, 1, 0))
    assert attribute_tests(planes) == []
    assert no_p_words(planes) == wording.no_p_under_penalty(penalty)


def test_classes_that_separate_have_no_p_and_firth_is_offered() -> None:
    schema = Schema((numeric("x"), nominal("y", "ab")), 1)
    data = Dataset(schema, [[1.0, 2, 3, 4, 6, 7, 8, 9], [0, 0, 0, 0, 1, 1, 1, 1]])
    model = fit(data, penalty="none")
    assert model.planes.is_separated
    assert np.isnan(effects(model.planes, 1, 0)[0].p)
    assert "Firth's penalty" in no_p_words(model.planes)
    assert "Firth's penalty" in model.remark()
    held = fit(data, penalty="firth", likelihood_ratio=True)
    assert not held.planes.is_separated
    found = effects(held.planes, 1, 0)[0]
    assert np.isfinite([found.log_odds, found.error, found.low]).all()
    assert 0 < found.p < 0.05


@pytest.mark.parametrize("cells", [(10, 4, 3, 9), (12, 0, 5, 7), (6, 0, 0, 8)])
def test_firth_of_a_table_of_two_by_two_adds_half_a_record_to_each_cell(cells: tuple[int, int, int, int]) -> None:
    """Heinze and Schemper (2002): a saturated model under Jeffreys' prior, whatever cell is empty."""
    model = fit(two_by_two(cells), penalty="firth")
    a, b, c, d = (n + 0.5 for n in cells)
    found = effects(model.planes, 1, 0, by_deviation=False)[0]
    sign = 1 if found.name == "x = yes" else -1
    assert sign * found.log_odds == pytest.approx(np.log(a * d / (b * c)), rel=1e-7)
    repeated = two_by_two(cells)
    rows = np.repeat(np.arange(len(repeated)), np.asarray(repeated.weight_array, dtype=int))
    again = fit(repeated.with_weights(np.ones(len(repeated))).take(rows), penalty="firth")
    assert np.sort(np.abs(again.planes.coefficient[:, 1])) == pytest.approx(np.abs(model.planes.coefficient[:, 1]))


def penalised(x: np.ndarray, y: np.ndarray, beta: np.ndarray) -> float:
    """The log likelihood plus half the log determinant of the information, as its definition has it."""
    p = 1 / (1 + np.exp(-x @ beta))
    return float(np.sum(y * np.log(p) + (1 - y) * np.log1p(-p)) + np.linalg.slogdet((x.T * (p * (1 - p))) @ x)[1] / 2)


def greatest(x: np.ndarray, y: np.ndarray, held: dict[int, float]) -> tuple[float, np.ndarray]:
    free = [at for at in range(x.shape[1]) if at not in held]

    def whole(values: np.ndarray) -> np.ndarray:
        beta = np.zeros(x.shape[1])
        beta[free] = values
        for at, value in held.items():
            beta[at] = value
        return beta

    found = minimize(lambda v: -penalised(x, y, whole(v)), np.zeros(len(free)), method="BFGS", options={"gtol": 1e-9})
    return -float(found.fun), whole(found.x)


def test_firth_and_its_profile_are_the_maxima_of_their_definition() -> None:
    data = spector()
    x = np.c_[SPECTOR[:, :3] - [3, 22, 0], np.ones(32)]
    y = SPECTOR[:, 3]
    best, beta = greatest(x, y, {})
    planes = fit(data, penalty="firth", likelihood_ratio=True).planes
    found = effects(planes, 1, 0, by_deviation=False)
    assert [each.log_odds for each in found[:3]] == pytest.approx(beta[:3], rel=1e-5)
    for at, (effect, test) in enumerate(zip(found[:3], attribute_tests(planes), strict=True)):
        statistic = 2 * (best - greatest(x, y, {at: 0.0})[0])
        assert test.statistic == pytest.approx(statistic, rel=1e-5)
        assert effect.p_by == PROFILE
        assert effect.p == pytest.approx(chi2.sf(statistic, 1), rel=1e-5)
        for end in (effect.low, effect.high):
            assert 2 * (best - greatest(x, y, {at: end})[0]) == pytest.approx(chi2.isf(0.05, 1), rel=1e-4)
    turned = effects(planes, 0, 1, by_deviation=False)[0]
    assert (turned.low, turned.high, turned.p) == pytest.approx((-found[0].high, -found[0].low, found[0].p))


def test_firths_penalty_is_refused_for_three_classes_in_words() -> None:
    with pytest.raises(UnsuitableDataError, match=wording.TWO_CLASSES_BUT_3):
        LogisticRegression(penalty="firth").fit(three_classes(), RunContext(seed=1))


def test_a_saved_model_keeps_its_tests_and_an_older_one_has_none() -> None:
    model = fit(spector(), penalty="firth", likelihood_ratio=True)
    state = model.to_state()
    again = LinearModel.from_state(model.schema, state)
    assert coefficients_to_json(again.planes) == coefficients_to_json(model.planes)
    older = {name: array for name, array in state.arrays.items() if name not in ("tested", "profile")}
    assert attribute_tests(LinearModel.from_state(model.schema, State(state.values, older)).planes) == []
    for name, array in (
        ("tested", [[9.0, 1.0, 1.0]]),
        ("tested", [[0.0, -1.0, 1.0]]),
        ("profile", [[2.0, 0.0, 1.0]] * 3),
    ):
        with pytest.raises(ModelFileError):
            LinearModel.from_state(model.schema, State(state.values, {**state.arrays, name: np.array(array)}))


def test_finished_early_only_whole_tests_are_kept() -> None:
    context = RunContext(seed=1)
    context.finish()
    model = LogisticRegression(penalty="none", likelihood_ratio=True).fit(spector(), context)
    assert model.partial
    assert attribute_tests(model.planes) == []  # type: ignore[attr-defined]


def test_firths_tests_finish_early_wherever_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    learner, seen = LogisticRegression(penalty="firth", likelihood_ratio=True), RunContext.checkpoint

    def finished_at(last: int | None) -> tuple[list[int], int]:
        """The attributes tested where the run is finished at this checkpoint, and the number of checkpoints."""
        context, n = RunContext(seed=1), 0

        def checkpoint(each: RunContext) -> None:
            nonlocal n
            n += 1
            if n == last:
                context.finish()
            seen(each)

        monkeypatch.setattr(RunContext, "checkpoint", checkpoint)
        model = learner.fit(spector(), context)
        monkeypatch.undo()
        return model.planes.tested.tolist(), n

    whole, n = finished_at(None)
    ends = [finished_at(last)[0] for last in (1, n // 5, n // 2, 4 * n // 5)]
    assert all(tested == whole[: len(tested)] for tested in ends)
    assert {len(tested) for tested in ends} == set(range(len(whole)))


def test_the_command_line_prints_the_coefficients(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "grades.csv"
    rows = [f"{a},{b:.0f},{'yes' if c else 'no'},{'better' if d else 'same'}" for a, b, c, d in SPECTOR]
    file.write_text("\n".join(["GPA,TUCE,PSI,grade", *rows, ""]))
    run = ["evaluate", str(file), "--learner", "logistic-regression", "-p", "penalty=none", "--class", "grade"]
    run += ["--method", "training-set", "--coefficients"]
    assert main([*run, "-p", "likelihood_ratio=true", "--json"]) == 0
    model = json.loads(capsys.readouterr().out)["model"]
    row = next(each for each in model["coefficients"] if each["term"] == "GPA")
    assert abs(row["coefficient"]) == pytest.approx(2.82611259)
    assert row["p"] == pytest.approx(0.02523911, rel=1e-5)
    assert [each["attribute"] for each in model["likelihood_ratio"]] == ["GPA", "TUCE", "PSI"]
    assert model["no_p"] is None
    assert main(run) == 0
    text = capsys.readouterr().out
    assert "std. error" in text and "0.025" in text and "Wald's test" in text
    assert main(["evaluate", str(file), "--learner", "c4.5", "--coefficients"]) == 2


def test_a_table_of_text_says_why_there_is_no_p() -> None:
    assert coefficients_to_text(fit(spector()).planes).endswith(wording.CHOOSE_NO_PENALTY)


def test_one_against_the_rest_takes_firths_penalty_to_three_classes() -> None:
    data = three_classes()
    learner = OneVsRest(base=LogisticRegression(penalty="firth"))
    assert learner.check(summarize(data)) == []
    assert np.allclose(learner.fit(data, RunContext(seed=1)).predict_proba(data).sum(axis=1), 1)
