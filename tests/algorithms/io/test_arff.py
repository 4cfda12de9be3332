"""ARFF: every part of the format, the published files, and errors with their line."""

from __future__ import annotations

import tracemalloc
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import ReadOptions, read, sniff
from tests.algorithms.io.helpers import cells, kinds, refused, table
from tests.expected_texts import core as wording

HEADER = """\
% a comment
@RELATION 'the weather'
@attribute outlook {sunny, overcast, 'light rain'}
@ATTRIBUTE 'temperature [C]' REAL
@Attribute windy\t{TRUE,FALSE}
@attribute remark string
@attribute day date "yyyy-MM-dd HH:mm"
@attribute play {yes, no}

@DATA
"""


def weather(folder: Path, rows: str, options: ReadOptions | None = None) -> Dataset:
    return table(folder, HEADER + rows, options, "weather.arff")


PUBLISHED = {
    "anneal": (898, 39, "class", 6),
    "autos": (205, 26, "symboling", 7),
    "breast.w": (699, 10, "Class", 2),
    "colic": (368, 23, "surgical_lesion", 2),
    "credit.a": (690, 16, "class", 2),
    "credit.g": (1000, 21, "class", 2),
    "diabetes": (768, 9, "class", 2),
    "glass": (214, 10, "Type", 7),
    "heart.c": (303, 14, "num", 5),
    "heart.statlog": (270, 14, "class", 2),
    "hepatitis": (155, 20, "Class", 2),
    "ionosphere": (351, 35, "class", 2),
    "iris": (150, 5, "class", 3),
    "labor": (57, 17, "class", 2),
    "lymph": (148, 19, "class", 4),
    "sonar": (208, 61, "Class", 2),
    "tic-tac-toe": (958, 10, "Class", 2),
    "vehicle": (846, 19, "Class", 4),
    "waveform5000": (5000, 41, "class", 3),
    "wine": (178, 14, "class", 3),
    "zoo": (101, 18, "type", 7),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_file_has_its_records_attributes_and_class(shared_datasets: Path, name: str) -> None:
    data = read(shared_datasets / f"{name}.arff", RunContext())
    n_records, n_attributes, class_name, n_classes = PUBLISHED[name]
    assert (len(data), len(data.schema)) == (n_records, n_attributes)
    assert data.schema.class_attribute.name == class_name
    assert len(data.schema.classes) == n_classes
    assert (data.class_codes >= 0).all()


def test_published_details(shared_datasets: Path) -> None:
    assert kinds(read(shared_datasets / "zoo.arff", RunContext()))["animal"] is AttributeKind.IDENTIFIER
    assert read(shared_datasets / "wine.arff", RunContext()).schema.class_index == 0
    anneal = read(shared_datasets / "anneal.arff", RunContext())
    family = anneal.schema.index_of("family")
    assert "?" in anneal.schema.attributes[family].values
    assert not anneal.missing(family).any()
    breast = read(shared_datasets / "breast.w.arff", RunContext())
    assert sum(int(breast.missing(i).sum()) for i in range(len(breast.schema))) == 16


def test_every_type_of_attribute_is_read(tmp_path: Path) -> None:
    data = weather(
        tmp_path,
        "sunny,21.5,TRUE,'nice, isn\\'t it',\"2024-01-31 10:30\",yes\n"
        "% between\n\n"
        "'light rain' ,\t?, FALSE , ? , ? ,no\n"
        'overcast,1e1,?,"a \\"quoted\\" one",\'1970-01-01 00:00\',?\n',
    )
    assert kinds(data) == {
        "outlook": AttributeKind.NOMINAL,
        "temperature [C]": AttributeKind.NUMERIC,
        "windy": AttributeKind.NOMINAL,
        "remark": AttributeKind.TEXT,
        "day": AttributeKind.DATE,
        "play": AttributeKind.NOMINAL,
    }
    assert data.schema.attributes[0].values == ("sunny", "overcast", "light rain")
    assert cells(data, "outlook") == ["sunny", "light rain", "overcast"]
    assert cells(data, "temperature [C]") == [21.5, None, 10.0]
    assert cells(data, "windy") == ["TRUE", "FALSE", None]
    escaped = "nice, isn't it"
    quoted = 'a "quoted" one'
    assert cells(data, "remark") == [escaped, None, quoted]
    assert cells(data, "day") == [datetime(2024, 1, 31, 10, 30, tzinfo=UTC).timestamp(), None, 0.0]
    assert data.schema.class_attribute.name == "play"
    assert data.origin.description == "the weather"


def test_a_quoted_question_mark_is_a_value(tmp_path: Path) -> None:
    header = "@relation r\n@attribute a {'?',x}\n@attribute b {p,q}\n@data\n"
    assert cells(table(tmp_path, header + "'?',p\n?,q\nx,p\n", name="r.arff"), "a") == ["?", None, "x"]
    assert cells(table(tmp_path, header + "?,p\n?,q\nx,p\n", name="r.arff"), "a") == [None, None, "x"]


def test_records_may_have_weights_and_be_sparse(tmp_path: Path) -> None:
    header = "@relation r\n@attribute a numeric\n@attribute b {p,q}\n@attribute c {x,y}\n@data\n"
    data = table(tmp_path, header + "1,p,x,{5}\n{0 2.5, 2 y},{0.5}\n{}\n{1 ?}\n", name="r.arff")
    assert cells(data, "a") == [1.0, 2.5, 0.0, 0.0]
    assert cells(data, "b") == ["p", "p", "p", None]
    assert cells(data, "c") == ["x", "y", "x", "x"]
    assert data.weights is not None
    assert data.weights.tolist() == [5.0, 0.5, 1.0, 1.0]


def test_tabs_and_blanks_may_stand_for_commas(tmp_path: Path) -> None:
    header = "@relation r\n@attribute a numeric\n@attribute b {p,'q r'}\n@data\n"
    assert cells(table(tmp_path, header + "1\tp\n2 'q r'\n", name="r.arff"), "b") == ["p", "q r"]


def test_lists_of_values_may_run_over_lines_and_hold_braces_in_quotes(tmp_path: Path) -> None:
    data = table(tmp_path, "@relation r\n@attribute a { 'x}',\n y }\n@data\n'x}'\ny\n", name="r.arff")
    assert data.schema.attributes[0].values == ("x}", "y")


def test_arff_is_known_by_its_first_lines_whatever_the_suffix(tmp_path: Path) -> None:
    data = table(tmp_path, HEADER + "sunny,1,TRUE,x,?,yes\n", name="weather.txt")
    assert data.schema.names[0] == "outlook"
    assert sniff(tmp_path / "weather.txt").missing == ("?",)


def test_the_class_is_the_one_named_class_or_the_last_nominal_or_the_given_one(tmp_path: Path) -> None:
    rows = "1,p,2\n2,q,3\n"
    header = "@relation r\n@attribute a numeric\n@attribute {} {{p,q}}\n@attribute c numeric\n@data\n"
    assert table(tmp_path, header.format("CLASS") + rows, name="r.arff").schema.class_index == 1
    assert table(tmp_path, header.format("b") + rows, name="r.arff").schema.class_index == 1
    given = ReadOptions(class_name="c", kinds={"c": AttributeKind.NOMINAL})
    assert table(tmp_path, header.format("b") + rows, given, name="r.arff").schema.classes == ("2", "3")


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_the_fast_way_and_the_careful_way_read_the_same(tmp_path: Path, quote: str) -> None:
    random = np.random.default_rng(1)
    header = "@relation r\n@attribute n numeric\n@attribute s string\n@attribute c {aa,bb,cc}\n@data\n"
    numbers, labels = random.normal(size=3000), random.integers(0, 3, 3000)
    lines = [
        f"{'?' if i % 17 == 0 else repr(float(n))},{quote}text {i // 3}{quote if quote else ''},{('aa', 'bb', 'cc')[k]}"
        for i, (n, k) in enumerate(zip(numbers, labels, strict=True))
    ]
    rows = "\n".join(line if quote else line.replace("text ", "text") for line in lines) + "\n"
    fast = table(tmp_path, header + rows, name="r.arff")
    careful = table(tmp_path, header + rows.replace("\n", ",{1}\n"), name="r.arff")
    assert fast.schema == careful.schema
    assert careful.weights is None
    for name in fast.schema.names:
        assert cells(fast, name) == cells(careful, name)
    assert cells(fast, "n")[1] == numbers[1]


@pytest.mark.parametrize("run", [",", " ", "x ", ", ", "?,", "'a ", "{"])
def test_a_record_of_very_many_marks_is_refused_at_once(tmp_path: Path, run: str) -> None:
    """Each was looked at once for every mark before it, which takes hours here."""
    header = "@relation r\n@attribute a numeric\n@attribute b {p,q}\n@attribute c string\n@data\n"
    assert refused(tmp_path, f"{header}1,p,{run * 1_000_000}x,p\n", name="r.arff").place == wording.at_line("r.arff", 6)


def test_very_many_blank_lines_take_little_memory_and_time(tmp_path: Path) -> None:
    header = "@relation r\n@attribute a numeric\n@attribute b {p,q}\n@data\n"
    content = header + "1,p\n" + "\n" * 5_000_000 + "2,q\n"
    tracemalloc.start()
    try:
        assert cells(table(tmp_path, content, name="r.arff"), "a") == [1.0, 2.0]
        assert tracemalloc.get_traced_memory()[1] < 8 * len(content)
    finally:
        tracemalloc.stop()
    assert refused(tmp_path, content + "3,x\n", name="r.arff").place == wording.at_line("r.arff", 5000007)


def test_a_sparse_record_lists_no_more_values_than_there_are_attributes(tmp_path: Path) -> None:
    header = "@relation r\n@attribute a numeric\n@attribute b {p,q}\n@data\n"
    assert "sparse" in refused(tmp_path, header + "{" + "0 1," * 300_000 + "0 1}\n", name="r.arff").sentence


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        ("sunny,1,TRUE,x,?,yes\nrainy,1,TRUE,x,?,yes\n", 12, ("'outlook'", "'rainy'", "declare")),
        ("sunny,1,TRUE,x,?,yes\n% c\nsunny,warm,TRUE,x,?,yes\n", 13, ("'temperature [C]'", "'warm'", "number")),
        ("sunny,1,TRUE,x,?\n", 11, ("5 values", "6 attributes")),
        ("sunny,1,TRUE,x,?,yes,no\n", 11, ("7 values", "6 attributes")),
        ("sunny,1,TRUE,x,31.1.2024,yes\n", 11, ("'day'", "date like yyyy-MM-dd HH:mm.")),
        ("{0 sunny, 9 x}\n", 11, ("sparse",)),
        ("sunny,1,TRUE,x,?,yes,{-1}\n", 11, ("weight",)),
        ("sunny,1,TRUE,x,?,yes\n" * 200_000 + "sunny,1,TRUE,x,?,maybe\n", 200_011, ("'play'", "'maybe'")),
    ],
)
def test_a_wrong_record_is_refused_with_line_column_and_value(
    tmp_path: Path, rows: str, line: int, words: tuple[str, ...]
) -> None:
    error = refused(tmp_path, HEADER + rows, name="weather.arff")
    assert error.place == f"weather.arff, line {line}"
    assert all(word in error.sentence for word in words)


@pytest.mark.parametrize(
    ("content", "line", "word"),
    [
        ("@relation r\n@attribute bag relational\n@attribute x numeric\n@end bag\n@data\n1\n", 2, "tables within"),
        ("@relation r\n@attribute a numbers\n@data\n1\n", 2, "unknown type"),
        ("@relation r\n@attribute a {x,y\n@data\nx\n", 2, "not closed"),
        ("@relation r\n@attribute a {x,y,x}\n@data\nx\n", 2, "twice"),
        ("@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n", 3, "'a'"),
        ("@relation r\n@attribute a real\nnonsense\n@data\n1\n", 3, "nonsense"),
        ("@relation r\n@data\n1\n", 2, "No attribute"),
        ("@relation r\n@attribute a real\n", 2, "@data"),
    ],
)
def test_a_wrong_header_is_refused_with_its_line(tmp_path: Path, content: str, line: int, word: str) -> None:
    error = refused(tmp_path, content, name="r.arff")
    assert error.place == f"r.arff, line {line}"
    assert word in error.sentence


def test_lines_may_end_with_carriage_returns_alone(tmp_path: Path) -> None:
    content = HEADER + "sunny,1,TRUE,'x y',2024-01-31 12:00,yes\n% more\novercast,2.5,FALSE,z,?,no\n"
    data = table(tmp_path, content.replace("\n", "\r"), name="weather.arff")
    assert cells(data, "temperature [C]") == [1.0, 2.5]
    assert cells(data, "play") == ["yes", "no"]
    error = refused(tmp_path, (content + "foggy,1,TRUE,x,?,yes\n").replace("\n", "\r"), name="weather.arff")
    assert error.place == wording.at_line("weather.arff", 14)


def test_hundreds_of_digits_beside_what_is_no_number_are_read(tmp_path: Path) -> None:
    long = "9" * 420
    head = "@relation r\n@attribute a integer\n@attribute class {yes}\n@data\n"
    data = table(tmp_path, f"{head}8,yes\n{long},yes\n1_000,yes\n", name="r.arff")
    assert cells(data, "a") == ["8", long, "1_000"]


def test_integers_too_long_for_a_float_are_strings(tmp_path: Path) -> None:
    numbers = [str(9007199254740993 + i) for i in range(40)]
    rows = "".join(
        f"{i},{number},{'ab'[at % 2]}\n" for at, (i, number) in enumerate(zip(range(40), numbers, strict=True))
    )
    head = "@relation r\n@attribute x numeric\n@attribute account integer\n@attribute class {a,b}\n@data\n"
    data = table(tmp_path, head + rows, name="r.arff")
    assert kinds(data) == {
        "x": AttributeKind.NUMERIC,
        "account": AttributeKind.IDENTIFIER,
        "class": AttributeKind.NOMINAL,
    }
    assert cells(data, "account") == numbers
    large = table(tmp_path, head + "1,1e300,a\n2,9007199254740993.5,b\n", name="r.arff")
    assert cells(large, "account") == [1e300, 9007199254740993.5]


def test_a_header_without_records_is_refused(tmp_path: Path) -> None:
    assert "no records" in refused(tmp_path, HEADER, name="weather.arff").sentence
