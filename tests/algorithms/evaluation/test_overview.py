"""The overview of a table: associations against scipy and slow twins, outliers, patterns, findings, noise."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from scipy import stats

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import MOST_POINTS, pair_picture
from algorithms.data.columns import as_column
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.evaluation.checks import overview as module
from algorithms.evaluation.checks.data_quality_checks import table_duplicates
from algorithms.evaluation.checks.overview import Associations, look_over, outliers_of, overview_of
from algorithms.evaluation.checks.overview_findings import check_table, overview_to_json, table_findings
from algorithms.evaluation.checks.warning import ResultWarning
from algorithms.evaluation.checks.warnings import MOST_LISTED, in_a_list
from algorithms.filters.scale import CapOutliers
from tests.algorithms.evaluation.arithmetic import reckoned
from tests.expected_texts import evaluation as wording

NUMERIC, NOMINAL, DATE = AttributeKind.NUMERIC, AttributeKind.NOMINAL, AttributeKind.DATE


def table(*columns: tuple[str, object], class_name: str | None = None, dates: Sequence[str] = ()) -> Dataset:
    """A data set of named columns: integers are codes of a nominal attribute, floats numbers."""
    attributes, arrays = [], []
    for name, given in columns:
        values = np.asarray(given)
        attribute = Attribute(name, DATE if name in dates else NUMERIC)
        if values.dtype.kind == "i":
            attribute = Attribute(name, NOMINAL, tuple(f"v{code}" for code in range(int(values.max(initial=0)) + 1)))
        attributes.append(attribute)
        arrays.append(as_column(attribute, values))
    names = [attribute.name for attribute in attributes]
    return Dataset(Schema(tuple(attributes), None if class_name is None else names.index(class_name)), tuple(arrays))


def mixed(n: int = 400, seed: int = 3) -> Dataset:
    random = np.random.default_rng(seed)
    base = random.normal(size=n)
    gaps = np.where(random.random(n) < 0.2, np.nan, np.round(base + random.normal(size=n), 1))
    other = np.where(random.random(n) < 0.1, np.nan, random.exponential(size=n))
    letter = np.digitize(base, [-0.5, 0.8]).astype(np.int64)
    lost = np.where(random.random(n) < 0.15, -1, (letter + random.integers(0, 2, n)) % 3)
    return table(("base", base), ("gaps", gaps), ("other", other), ("letter", letter), ("lost", lost))


def both_known(data: Dataset, i: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    known = ~data.missing(i) & ~data.missing(j)
    return data.column(i)[known], data.column(j)[known]


def pairs_of(data: Dataset) -> Associations:
    return overview_of(data, RunContext()).pairs


def each_pair(pairs: Associations) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(len(pairs.names)) for j in range(len(pairs.names)) if i != j)


def test_numeric_pairs_are_as_scipy_has_them_over_the_complete_records() -> None:
    data = mixed()
    pairs = pairs_of(data)
    for i, j in each_pair(pairs):
        if pairs.is_numeric[i] and pairs.is_numeric[j]:
            one, other = both_known(data, i, j)
            assert pairs.n[i, j] == len(one)
            assert pairs.pearson[i, j] == pytest.approx(stats.pearsonr(one, other).statistic, abs=1e-9)
            assert pairs.spearman[i, j] == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-9)


def test_cramers_v_is_that_of_scipy_and_its_correction_that_of_bergsma() -> None:
    data = mixed()
    pairs = pairs_of(data)
    one, other = both_known(data, 3, 4)
    counts = np.zeros((3, 3))
    np.add.at(counts, (one, other), 1)
    n = counts.sum()
    assert pairs.plain[3, 4] == pytest.approx(stats.contingency.association(counts.astype(int), method="cramer"))
    phi = stats.chi2_contingency(counts, correction=False).statistic / n
    size = 3 - 4 / (n - 1)
    assert pairs.strength[3, 4] == pytest.approx(math.sqrt(max(0.0, phi - 4 / (n - 1)) / (size - 1)))


def test_the_correlation_ratio_is_that_of_its_definition() -> None:
    data = mixed()
    pairs = pairs_of(data)
    for i, j in ((1, 3), (2, 4), (0, 4)):
        numbers, codes = both_known(data, i, j)
        groups = [numbers[codes == code] for code in np.unique(codes)]
        between = sum(len(group) * (group.mean() - numbers.mean()) ** 2 for group in groups)
        squared = between / ((numbers - numbers.mean()) ** 2).sum()
        n, k = len(numbers), len(groups)
        assert pairs.plain[i, j] == pytest.approx(math.sqrt(squared))
        assert pairs.strength[j, i] == pytest.approx(math.sqrt(max(0.0, 1 - (1 - squared) * (n - 1) / (n - k))))


def test_mutual_information_is_that_of_its_definition() -> None:
    data = mixed()
    pairs = pairs_of(data)
    one, other = both_known(data, 3, 4)
    shares = np.zeros((3, 3))
    np.add.at(shares, (one, other), 1 / len(one))
    chance = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0)
    plain = float((shares * np.log2(shares / chance, where=shares > 0, out=np.zeros((3, 3)))).sum())
    assert pairs.plain_information[3, 4] == pytest.approx(plain)
    assert pairs.information[3, 4] == pytest.approx(max(0.0, plain - 4 / (2 * len(one) * math.log(2))))


def test_p_values_are_those_of_scipy_corrected_by_holm() -> None:
    data = mixed()
    pairs = pairs_of(data)
    raw = {}
    for i, j in each_pair(pairs):
        one, other = both_known(data, i, j)
        if i < j and pairs.is_numeric[i] and pairs.is_numeric[j]:
            raw[i, j] = stats.spearmanr(one, other).pvalue
        elif i < j and pairs.is_numeric[i]:
            raw[i, j] = stats.f_oneway(*(one[other == code] for code in np.unique(other))).pvalue
        elif i < j:
            raw[i, j] = stats.chi2_contingency(stats.contingency.crosstab(one, other).count, correction=False).pvalue
    order, largest = sorted(raw, key=lambda pair: raw[pair]), 0.0
    for step, pair in enumerate(order):
        largest = max(largest, min(1.0, raw[pair] * (len(raw) - step)))
        assert pairs.p_values[pair] == pytest.approx(largest, abs=1e-9)


def test_each_working_gives_its_value_from_its_terms() -> None:
    pairs = pairs_of(mixed())
    workings = [working for i, j in each_pair(pairs) for working in pairs.workings(i, j)]
    assert len(workings) > 20
    for working in workings:
        assert reckoned(working) == pytest.approx(working.value, abs=1e-9)


def test_missing_values_are_counted_by_column_pair_pattern_and_part() -> None:
    n = 200
    one, other = np.arange(n, dtype=np.float64), np.ones(n)
    one[:40], other[20:50], other[::2] = np.nan, np.nan, 2.0
    other[20:50] = np.nan
    overview = overview_of(table(("one", one), ("other", other)), RunContext())
    assert [each.n_missing for each in overview.columns] == [40, 30]
    assert overview.pairs.missing_together[0, 1] == 20
    assert {(each.names, each.n) for each in overview.patterns} == {
        (("one",), 20),
        (("one", "other"), 20),
        (("other",), 10),
    }
    assert overview.columns[0].missing_parts.tolist() == [1.0] * 4 + [0.0] * 16


def test_outliers_follow_their_three_rules() -> None:
    values = np.sort(np.append(np.random.default_rng(1).normal(size=1000), [5.0, 40.0]))
    found = outliers_of(values)
    assert found is not None
    lower, upper = np.quantile(values, [0.25, 0.75])
    low, high = lower - 1.5 * (upper - lower), upper + 1.5 * (upper - lower)
    assert found.beyond_fences == np.count_nonzero((values < low) | (values > high))
    robust = np.abs(values - np.median(values)) / stats.median_abs_deviation(values, scale=1.4826**-1)
    assert found.robust == np.count_nonzero(robust > 3.5)
    assert found.extreme == 1


@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_tables_with_hardly_any_record_have_an_overview(n: int) -> None:
    data = mixed(max(n, 3)).take(np.arange(n))
    assert len(look_over(data, RunContext()).columns) == 5
    assert isinstance(table_findings(check_table(data, RunContext())), list)


def test_degenerate_columns_leave_their_pairs_undefined() -> None:
    n = 60
    infinite = np.arange(n, dtype=np.float64)
    infinite[3] = np.inf
    data = table(
        ("constant", np.ones(n)),
        ("missing", np.full(n, np.nan)),
        ("one value", np.zeros(n, dtype=np.int64)),
        ("infinite", infinite),
        ("numbers", np.arange(n)[::-1].astype(np.float64)),
    )
    pairs = pairs_of(data)
    assert np.isnan(pairs.strength[:3]).all()
    assert pairs.spearman[3, 4] == pytest.approx(stats.spearmanr(infinite, np.arange(n)[::-1]).statistic)
    assert pairs.pearson[3, 4] == pytest.approx(-1.0)


def test_a_large_table_shows_a_sample_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAMPLE", 100)
    published: list[module.TableOverview] = []
    exact = look_over(mixed(), RunContext(listener=published.append))
    assert [each.n_used for each in published] == [100]
    assert not published[0].is_exact and published[0].n_records == 400
    assert exact.is_exact


def test_a_stop_is_heard() -> None:
    context = RunContext()
    context.cancel()
    with pytest.raises(Cancelled):
        look_over(mixed(), context)


def planted(n: int = 600) -> Dataset:
    random = np.random.default_rng(5)
    width = random.normal(size=n)
    extreme = random.normal(size=n)
    extreme[7] = 999.0
    drifting = random.normal(size=n) + np.arange(n) / 100
    label = random.integers(0, 2, n)
    entered = np.where((label == 1) & (random.random(n) < 0.7), np.nan, random.normal(size=n))
    mostly = np.where(random.random(n) < 0.8, np.nan, random.normal(size=n))
    data = table(
        ("width", width),
        ("again", 2 * width + 1),
        ("extreme", extreme),
        ("drifting", drifting),
        ("entered", entered),
        ("mostly", mostly),
        ("same", np.zeros(n, dtype=np.int64)),
        ("leak", label.copy()),
        ("label", label),
        class_name="label",
    )
    return data.take(np.append(np.arange(n), [3, 3]))


def found_in(data: Dataset, **options: object) -> dict[str, ResultWarning]:
    return {each.id: each for each in table_findings(check_table(data, RunContext()), **options)}  # type: ignore[arg-type]


def test_what_was_planted_is_found_and_nothing_else() -> None:
    found = found_in(planted())
    assert {id: each.columns for id, each in found.items()} == {
        "giveaway": ("leak",),
        "constant": ("same",),
        "missing-by-class": ("entered",),
        "duplicates": (),
        "repeated": ("again",),
        "mostly-missing": ("mostly",),
        "missing-values": ("entered",),
        "outliers": ("extreme",),
        "change": ("drifting",),
    }
    assert all(each.remedy for each in found.values())
    assert found["duplicates"].sentence == wording.DUPLICATES_IN_A_TABLE
    assert found["repeated"].sentence == wording.A_REPEATED_ATTRIBUTE


@pytest.mark.parametrize("towns_first", [True, False])
def test_only_the_attribute_that_another_tells_is_said_to_repeat_it(towns_first: bool) -> None:
    random = np.random.default_rng(2)
    towns = random.integers(0, 40, 6000)
    told: dict[str, object] = {"region": towns % 3, "height": random.permutation(40.0 * np.arange(40))[towns]}
    for name, values in told.items():
        columns = [("town", towns), (name, values)]
        data = table(*(columns if towns_first else columns[::-1]), ("noise", random.normal(size=6000)))
        assert found_in(data)["repeated"].columns == (name,)


def test_an_attribute_with_gaps_is_left_out_rather_than_the_complete_one() -> None:
    random = np.random.default_rng(2)
    whole = random.normal(size=600)
    gaps = np.where(random.random(600) < 0.3, np.nan, 2 * whole)
    assert found_in(table(("gaps", gaps), ("whole", whole)))["repeated"].columns == ("gaps",)
    other = np.where(random.random(600) < 0.3, np.nan, 2 * whole)
    assert "repeated" not in found_in(table(("gaps", gaps), ("other", other)))


def test_extreme_values_are_capped_where_the_fences_reach_them() -> None:
    random = np.random.default_rng(6)
    high = np.append(random.normal(size=599), 999.123456)
    low = np.append(random.normal(size=599), -999.123456)
    zeros = np.append(np.where(random.random(599) < 0.8, 0.0, random.exponential(size=599)), 1e5)
    halves = np.append(np.where(np.arange(599) % 2, 0.0, 1.0) + random.normal(size=599) / 1e4, 1.5)
    skewed = np.append(random.exponential(size=599) ** 1.5, 1e4)
    found = found_in(table(("high", high), ("low", low), ("skewed", skewed), ("zeros", zeros), ("halves", halves)))
    assert found["outliers"].columns == ("high", "low", "skewed")
    assert found["outliers"].command.endswith("--filter cap-outliers:k=3,columns=high,low,skewed")
    assert found["outliers-in-fences"].columns == ()
    for name, where in (("high", "1 above "), ("low", "1 below −")):
        assert re.search(rf"{name} \({where}\d\d\.\d\d\)", found["outliers"].why)


def test_the_remedy_of_extreme_values_changes_all_of_them() -> None:
    random = np.random.default_rng(8)
    for _ in range(30):
        body = random.choice([0.0, 1.0, 1.0], 300) + random.normal(size=300) * 10 ** random.uniform(-4, 0)
        values = np.append(body, random.uniform(-8, 8, 3))
        outliers = outliers_of(np.sort(values))
        warning = found_in(table(("x", values))).get("outliers")
        if warning is not None and outliers is not None:
            capped = CapOutliers(k=3.0, columns=warning.columns).fit(table(("x", values)), RunContext())
            after = capped.transform(table(("x", values))).column("x")
            is_extreme = (values < outliers.limits[0]) | (values > outliers.limits[1])
            assert outliers.extreme == np.count_nonzero(is_extreme) and not np.any(
                after[is_extreme] == values[is_extreme]
            )
            n_changed = np.count_nonzero(after != values)
            assert n_changed == outliers.far_out >= outliers.extreme, "the extreme ones and others"
            assert n_changed == 1 or f"{n_changed} values" in warning.why


def test_what_the_recipe_does_is_not_found() -> None:
    found = found_in(planted(), left_out=("leak", "again", "mostly"), steps=("replace-missing", "cap-outliers"))
    assert set(found) == {"constant", "missing-by-class", "duplicates", "change"}


def test_a_table_sorted_by_class_is_said_to_be_without_alarm() -> None:
    data = planted()
    ordered = data.take(np.argsort(data.class_codes, kind="stable"))
    assert found_in(ordered)["change"].harmless


def test_change_follows_the_date_where_there_is_one() -> None:
    random = np.random.default_rng(2)
    n = 800
    days = random.permutation(n).astype(np.float64) * 86_400
    data = table(("day", days), ("drifting", random.normal(size=n) + days / 86_400 / 200), dates=["day"])
    overview = overview_of(data, RunContext())
    assert overview.order_by == "day"
    assert [each.name for each in overview.drifts] == ["drifting"]
    assert np.all(np.diff(overview.column("drifting").trend[::5]) > 0)


def test_duplicates_are_natural_where_values_are_few_with_or_without_class() -> None:
    random = np.random.default_rng(4)
    few = [(f"few {k}", random.integers(0, 2, 300)) for k in range(4)]
    for class_name in (None, "few 3"):
        found = table_duplicates(table(*few, class_name=class_name), lambda: None)
        assert found is not None and found.natural
    fine = table(("a", np.append(np.arange(99.0), 5.0) * 1.37), ("b", np.append(np.arange(99.0), 5.0) ** 1.5))
    found = table_duplicates(fine, lambda: None)
    assert found is not None and found.n_copies == 1 and not found.natural


def noise(seed: int) -> Dataset:
    """Independent columns of several distributions and numbers of values, some with missing values."""
    random = np.random.default_rng(seed)
    n = int(random.integers(60, 600))
    columns: list[tuple[str, object]] = []
    for k in range(12):
        kind = k % 6
        if kind < 2:
            values = random.normal(size=n)
            columns.append((f"normal {k}", np.round(values, 1) if kind else values))
        elif kind == 2:
            columns.append((f"uniform {k}", random.random(n)))
        elif kind == 3:
            columns.append((f"exponential {k}", random.exponential(size=n)))
        else:
            codes = random.integers(0, (2, 8)[kind - 4], n)
            columns.append((f"nominal {k}", codes))
    columns.append(("class", random.integers(0, 3, n)))
    return table(*columns, class_name="class")


def test_pure_noise_gives_no_finding() -> None:
    alarms = [seed for seed in range(40) if any(not each.harmless for each in found_in(noise(seed)).values())]
    assert len(alarms) <= 2, alarms


def test_json_names_every_pair_and_has_no_number_that_is_none() -> None:
    checks = check_table(planted(), RunContext())
    written = overview_to_json(checks, table_findings(checks))
    assert len(written["pairs"]) == 9 * 8 // 2
    assert {each["id"] for each in written["findings"]} >= {"repeated", "outliers"}
    assert all(value is None or math.isfinite(value) for pair in written["pairs"] for value in [pair["value"]])


def test_the_picture_of_a_pair_has_points_quartiles_or_counts() -> None:
    data = mixed(4000).with_class("letter")
    points = pair_picture(data, "base", "gaps")
    known = ~data.missing(1)
    assert points.n == known.sum() and len(points.x) == MOST_POINTS and points.is_sample
    boxes = pair_picture(data, "gaps", "letter")
    assert (boxes.across.name, boxes.up.name) == ("letter", "gaps")
    for code in range(3):
        values = data.column(1)[known & (data.column(3) == code)]
        assert boxes.boxes[code, 1:4] == pytest.approx(np.quantile(values, [0.25, 0.5, 0.75]))
    mosaic = pair_picture(data, "letter", "lost")
    assert mosaic.is_up_class and mosaic.across.name == "lost"
    both = ~data.missing(4)
    assert (
        mosaic.counts.tolist() == stats.contingency.crosstab(data.column(4)[both], data.column(3)[both]).count.tolist()
    )


def test_the_picture_keeps_the_most_frequent_values() -> None:
    random = np.random.default_rng(1)
    many = np.concatenate([np.arange(40), random.integers(0, 12, 600)])
    picture = pair_picture(table(("many", many), ("number", random.normal(size=640))), "many", "number")
    assert len(picture.x_values) == 12 and picture.n_left_out == 28 and picture.n == 612


def test_limits_of_findings_are_as_the_help_says() -> None:
    random = np.random.default_rng(3)
    body = np.arange(-50.0, 51.0)  # with two more the median absolute deviation is 26: 3.5 * 1.4826 * 26 = 134.9
    for far, n in ((135.0, 2), (134.8, 0)):
        outliers = outliers_of(np.sort(np.append(body, [far, -far])))
        assert outliers is not None and outliers.robust == n
    label = random.integers(0, 2, 2000)
    for share, name in ((0.45, "missing-values"), (0.55, "mostly-missing")):
        found = found_in(table(("x", np.where(random.random(2000) < share, np.nan, random.normal(size=2000)))))
        assert set(found) & {"missing-values", "mostly-missing"} == {name}
    for more, is_told in ((0.125, True), (0.05, False)):
        lost = 0.5 + np.where(label == 1, more, -more)
        entered = np.where(random.random(2000) < lost, np.nan, random.normal(size=2000))
        found = found_in(table(("entered", entered), ("label", label), class_name="label"))
        assert ("missing-by-class" in found) == is_told


def test_a_list_says_how_many_it_leaves_out() -> None:
    names = [f"x{index}" for index in range(MOST_LISTED + 2)]
    assert in_a_list(names[:MOST_LISTED]) == ", ".join(names[:MOST_LISTED])
    assert in_a_list(names) == ", ".join(names[:MOST_LISTED]) + wording.AND_2_MORE
