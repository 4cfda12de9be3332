"""The shipped tables are the book's, cell by cell, and the generators follow their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import ParameterError
from algorithms.core.registry import Sample
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io.samples import samples, xor

SAMPLES = {sample.id: sample for sample in samples()}

VERTEBRATES = """\
human,warm-blooded,hair,yes,no,no,yes,no,Mammals
python,cold-blooded,scales,no,no,no,no,yes,Reptiles
salmon,cold-blooded,scales,no,yes,no,no,no,Fishes
whale,warm-blooded,hair,yes,yes,no,no,no,Mammals
frog,cold-blooded,none,no,semi,no,yes,yes,Amphibians
komodo dragon,cold-blooded,scales,no,no,no,yes,no,Reptiles
bat,warm-blooded,hair,yes,no,yes,yes,yes,Mammals
pigeon,warm-blooded,feathers,no,no,yes,yes,no,Birds
cat,warm-blooded,fur,yes,no,no,yes,no,Mammals
guppy,cold-blooded,scales,yes,yes,no,no,no,Fishes
alligator,cold-blooded,scales,no,semi,no,yes,no,Reptiles
penguin,warm-blooded,feathers,no,semi,no,yes,no,Birds
porcupine,warm-blooded,quills,yes,no,no,yes,yes,Mammals
eel,cold-blooded,scales,no,yes,no,no,no,Fishes
salamander,cold-blooded,none,no,semi,no,yes,yes,Amphibians"""

LOAN = """\
1,Yes,Single,125000,No
2,No,Married,100000,No
3,No,Single,70000,No
4,Yes,Married,120000,No
5,No,Divorced,95000,Yes
6,No,Single,60000,No
7,Yes,Divorced,220000,No
8,No,Single,85000,Yes
9,No,Married,75000,No
10,No,Single,90000,Yes"""

CUSTOMERS = """\
1,M,Family,Small,C0
2,M,Sports,Medium,C0
3,M,Sports,Medium,C0
4,M,Sports,Large,C0
5,M,Sports,Extra Large,C0
6,M,Sports,Extra Large,C0
7,F,Sports,Small,C0
8,F,Sports,Small,C0
9,F,Sports,Medium,C0
10,F,Luxury,Large,C0
11,M,Family,Large,C1
12,M,Family,Extra Large,C1
13,M,Family,Medium,C1
14,M,Luxury,Extra Large,C1
15,F,Luxury,Small,C1
16,F,Luxury,Small,C1
17,F,Luxury,Medium,C1
18,F,Luxury,Medium,C1
19,F,Luxury,Medium,C1
20,F,Luxury,Large,C1"""

STUMPS = """\
0.1,+1
0.2,+1
0.3,+1
0.4,-1
0.5,-1
0.6,-1
0.7,-1
0.8,+1
0.9,+1
1,+1"""

EIGHT_POINTS = """\
0.3858,0.4687,+1
0.4871,0.611,-1
0.9218,0.4103,-1
0.7382,0.8936,-1
0.1763,0.0579,+1
0.4057,0.3529,+1
0.9355,0.8132,-1
0.2146,0.0099,+1"""

MAJORITY = "1,0,0,-1\n1,0,1,+1\n1,1,0,+1\n1,1,1,+1\n0,0,1,-1\n0,1,0,-1\n0,1,1,+1\n0,0,0,-1"
XOR = "0,0,-1\n0,1,+1\n1,0,+1\n1,1,-1"


def made(id: str, size: int | None = None, seed: int = 1) -> Dataset:
    return SAMPLES[id].make(size, seed, RunContext())


def rows(data: Dataset) -> str:
    """The data as lines of text."""
    cells = []
    for index, attribute in enumerate(data.schema.attributes):
        column = data.column(index).tolist()
        if attribute.kind.is_coded:
            cells.append([attribute.values[code] for code in column])
        else:
            cells.append(
                [f"{value:g}" if isinstance(value, float) and value < 1000 else _plain(value) for value in column]
            )
    return "\n".join(",".join(row) for row in zip(*cells, strict=True))


def _plain(value: object) -> str:
    return str(int(value)) if isinstance(value, float) else str(value)


def second_edition() -> str:
    text = VERTEBRATES.replace("guppy,", "leopard shark,").replace("alligator,", "turtle,")
    names = {"Mammals": "mammal", "Reptiles": "reptile", "Fishes": "fish", "Amphibians": "amphibian", "Birds": "bird"}
    for plural, singular in names.items():
        text = text.replace(plural, singular)
    return text


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("vertebrates", VERTEBRATES),
        ("vertebrates-2", second_edition()),
        ("loan", LOAN),
        ("loan-1", LOAN.replace("6,No,Single,60000", "6,No,Married,60000")),
        ("customers", CUSTOMERS),
        ("stumps", STUMPS),
        ("eight-points", EIGHT_POINTS),
        ("majority-of-three", MAJORITY),
        ("xor-truth-table", XOR),
    ],
)
def test_the_tables_of_the_book_are_exact(id: str, expected: str) -> None:
    assert rows(made(id)) == expected


def test_the_columns_of_the_book_have_their_names_and_kinds() -> None:
    loan = made("loan").schema
    assert loan.names == ("ID", "Home Owner", "Marital Status", "Annual Income", "Defaulted")
    assert [a.kind for a in loan.attributes] == [
        AttributeKind.IDENTIFIER,
        AttributeKind.NOMINAL,
        AttributeKind.NOMINAL,
        AttributeKind.NUMERIC,
        AttributeKind.NOMINAL,
    ]
    assert loan.class_attribute.name == "Defaulted"
    vertebrates = made("vertebrates").schema
    assert vertebrates.attributes[0].kind is AttributeKind.IDENTIFIER
    assert {a.kind for a in vertebrates.attributes[1:]} == {AttributeKind.NOMINAL}
    sizes = made("customers").schema.attributes[3]
    assert sizes.kind is AttributeKind.ORDINAL
    assert sizes.values == ("Small", "Medium", "Large", "Extra Large")


@pytest.mark.parametrize(
    ("id", "counts"),
    [
        ("iris", {"setosa": 50, "versicolor": 50, "virginica": 50}),
        ("wine", {"cultivar 1": 59, "cultivar 2": 71, "cultivar 3": 48}),
        ("breast-cancer", {"malignant": 212, "benign": 357}),
        ("gaussian-in-noise", {"+": 5400, "o": 5400}),
        ("xor", {"+": 500, "o": 500}),
    ],
)
def test_the_classes_are_as_frequent_as_published(id: str, counts: dict[str, int]) -> None:
    data = made(id)
    found = np.bincount(data.class_codes, minlength=len(data.schema.classes))
    assert dict(zip(data.schema.classes, found.tolist(), strict=True)) == counts


def test_the_public_sets_are_those_that_scikit_learn_ships() -> None:
    from sklearn import datasets as sklearn

    for id, loader in (
        ("iris", sklearn.load_iris),
        ("wine", sklearn.load_wine),
        ("breast-cancer", sklearn.load_breast_cancer),
        ("digits", sklearn.load_digits),
    ):
        truth, data = loader(), made(id)
        found = np.stack([data.column(i) for i in data.schema.predictors], axis=1)
        assert np.array_equal(found, truth.data), id
        pairs = set(zip(truth.target.tolist(), data.class_codes.tolist(), strict=True))
        assert len(pairs) == len(data.schema.classes), id


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.id)
def test_a_sample_has_the_records_it_promises_and_a_question(sample: Sample) -> None:
    data = sample.make(None, 1, RunContext())
    assert (len(data), len(data.schema.classes)) == (sample.n_records, sample.n_classes)
    assert sample.question.strip() and sample.sentence.strip()
    assert data.origin.name == sample.name
    assert data.class_codes.min() == 0


def test_the_welcome_shows_seven_samples_in_the_order_of_the_picture() -> None:
    shown = [sample.id for sample in samples() if sample.on_welcome]
    assert shown == [
        "loan",
        "vertebrates",
        "breast-cancer",
        "iris",
        "gaussian-in-noise",
        "xor-with-bystanders",
        "digits",
    ]


@pytest.mark.parametrize("id", [sample.id for sample in samples() if sample.generated])
def test_a_generator_gives_the_asked_size_and_the_same_data_for_the_same_seed(id: str) -> None:
    first, again, other = made(id, 301, 7), made(id, 301, 7), made(id, 301, 8)
    assert len(first) == 301
    assert rows(first) == rows(again)
    assert rows(first) != rows(other)
    assert len(made(id, 1)) == 1
    with pytest.raises(ParameterError):
        made(id, 0)


def test_gaussian_in_noise_is_a_round_cloud_in_a_uniform_square() -> None:
    data = made("gaussian-in-noise")
    x, y = data.column("x1"), data.column("x2")
    near = np.hypot(x - 10, y - 10) < 3
    plus = data.class_codes == data.schema.class_attribute.code_of("+")
    assert 4900 < np.count_nonzero(near & plus) < 5050
    assert np.count_nonzero(near & ~plus) == pytest.approx(5400 * np.pi * 9 / 400, rel=0.25)
    assert x[~plus].min() >= 0 and x[~plus].max() <= 20


def test_xor_puts_the_classes_in_opposite_quadrants_and_the_bystanders_tell_nothing() -> None:
    data = xor(4000, 1, RunContext(), irrelevant=3)
    assert data.schema.names == ("x1", "x2", "x3", "x4", "x5", "Class")
    plus = data.class_codes == 0
    same_side = (data.column("x1") > 10) == (data.column("x2") > 10)
    assert np.mean(same_side == plus) > 0.97
    bystander = data.column("x4")
    assert abs(bystander[plus].mean() - bystander[~plus].mean()) < 1
    assert len(made("xor-with-bystanders").schema) == 103


def test_the_skewed_gaussians_are_parted_by_the_line_x_plus_y_is_20() -> None:
    data = made("skewed-gaussians", 4000)
    x, y = data.column("x1"), data.column("x2")
    plus = data.class_codes == 0
    assert np.mean((x + y < 20) == plus) > 0.98
    assert max(np.mean((x < cut) == plus) for cut in range(20)) < 0.9
    assert np.allclose([x[plus].mean(), y[plus].mean()], 8, atol=0.3)
    assert np.allclose([x[~plus].mean(), y[~plus].mean()], 12, atol=0.3)


def test_circle_is_minus_exactly_inside_the_radius() -> None:
    data = made("circle")
    outside = np.sqrt((data.column("x1") - 0.5) ** 2 + (data.column("x2") - 0.5) ** 2) > 0.2
    assert np.array_equal(outside, data.class_codes == data.schema.class_attribute.code_of("+1"))


def test_the_mean_of_each_wave_is_the_mean_of_its_two_triangles() -> None:
    data = made("waveform", 30000)
    at = np.arange(1, 22)
    triangles = [np.maximum(6 - np.abs(at - peak), 0) for peak in (11, 15, 7)]
    for code, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        chosen = data.class_codes == code
        found = [data.column(k)[chosen].mean() for k in range(21)]
        assert np.allclose(found, (triangles[i] + triangles[j]) / 2, atol=0.1)


def test_each_light_of_the_display_is_wrong_one_time_in_ten() -> None:
    data = made("led-7", 20000)
    eight = data.take(data.class_codes == 8)
    for index in range(7):
        assert np.mean(eight.column(index)) == pytest.approx(0.9, abs=0.03)
    four = data.take(data.class_codes == 4)
    assert [round(float(np.mean(four.column(i)))) for i in range(7)] == [0, 1, 1, 1, 0, 1, 0]
