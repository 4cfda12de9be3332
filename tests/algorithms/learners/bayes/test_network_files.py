"""Networks in BIF and XMLBIF, in and out."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.schema import Schema, nominal
from algorithms.learners.bayes.bayesian_network import BayesianNetwork, BayesianNetworkModel
from algorithms.learners.bayes.network_files import (
    Variable,
    read_bif,
    read_network,
    read_xmlbif,
    variables_of,
    write_bif,
    write_xmlbif,
)
from tests.algorithms.learners.bayes.networks import arcs_of, network_of, random_network
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording

DOG = """
// the example of the format's own description
network "Dog-Problem" { property "credal set"; }
variable "light-on" { type discrete [2] { "true", "false" }; property position = (1, 2); }
variable family-out { type discrete[2] { true false }; }
probability ( "family-out" ) { table 0.15 0.85 ; }
probability ( light-on | family-out ) { table 0.6 0.05 0.4 0.95 ; }
"""
DOG_XML = """<?xml version="1.0"?>
<!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> ]>
<BIF VERSION="0.3"><NETWORK><NAME>Dog</NAME>
<VARIABLE TYPE="nature"><NAME>light-on</NAME><OUTCOME>true</OUTCOME><OUTCOME>false</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>family-out</NAME><OUTCOME>true</OUTCOME><OUTCOME>false</OUTCOME></VARIABLE>
<DEFINITION><FOR>family-out</FOR><TABLE>0.15 0.85</TABLE></DEFINITION>
<DEFINITION><FOR>light-on</FOR><GIVEN>family-out</GIVEN><TABLE>0.6 0.4 <!-- out --> 0.05 0.95</TABLE></DEFINITION>
</NETWORK></BIF>"""


def same(one: list[Variable], other: list[Variable]) -> bool:
    return len(one) == len(other) and all(
        (a.name, a.values, a.parents) == (b.name, b.values, b.parents) and np.array_equal(a.table, b.table)
        for a, b in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("found", [read_bif(DOG), read_xmlbif(DOG_XML)], ids=["bif", "xmlbif"])
def test_the_example_of_the_formats_is_read(found: list[Variable]) -> None:
    light, out = found
    assert light.name == "light-on"
    assert light.parents == ("family-out",)
    assert light.table.tolist() == [[0.6, 0.4], [0.05, 0.95]]
    assert out.table.tolist() == [0.15, 0.85]


def _bif_with_parents(n: int, values: int) -> str:
    listed = ", ".join(f"v{i}" for i in range(values))
    lines = [f"variable p{i} {{ type discrete [ {values} ] {{ {listed} }}; }}" for i in range(n)]
    given = ", ".join(f"p{i}" for i in range(1, n))
    return "\n".join([*lines, f"probability ( p0 | {given} ) {{ default {', '.join(['0'] * values)}; }}"])


def _xmlbif_with_parents(n: int, values: int) -> str:
    outcomes = "".join(f"<OUTCOME>v{i}</OUTCOME>" for i in range(values))
    variables = "".join(f"<VARIABLE><NAME>p{i}</NAME>{outcomes}</VARIABLE>" for i in range(n))
    given = "".join(f"<GIVEN>p{i}</GIVEN>" for i in range(1, n))
    return f"<BIF>{variables}<DEFINITION><FOR>p0</FOR>{given}<TABLE>1</TABLE></DEFINITION></BIF>"


@pytest.mark.parametrize(("n", "values", "words"), [(31, 2, "cells"), (80, 1, "parents"), (4, 1000, "cells")])
def test_a_table_that_would_be_too_large_is_refused_by_its_size(n: int, values: int, words: str) -> None:
    for text, read in ((_bif_with_parents(n, values), read_bif), (_xmlbif_with_parents(n, values), read_xmlbif)):
        tracemalloc.start()
        with pytest.raises(DataError, match=words):
            read(text)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 50_000_000


def test_many_tables_that_are_too_large_together_are_refused() -> None:
    listed = ", ".join(f"v{i}" for i in range(1000))
    lines = [f"variable p{i} {{ type discrete [ 1000 ] {{ {listed} }}; }}" for i in range(2)]
    ones = ", ".join(["0.001"] * 1000)
    text = "\n".join([*lines, *[f"probability ( p0 | p1 ) {{ default {ones}; }}"] * 9])
    with pytest.raises(DataError, match="together"):
        read_bif(text)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_written_is_read_again_bit_for_bit(seed: int) -> None:
    network = random_network(7, seed)
    assert same(read_bif(write_bif(network)), variables_of(network))
    assert same(read_xmlbif(write_xmlbif(network)), variables_of(network))


def test_names_may_hold_any_sign_of_the_format() -> None:
    odd = network_of(["a|b", "x; {"], [2, 2], [[], [0]], [np.array([0.5, 0.5]), np.array([[0.1, 0.9], [0.3, 0.7]])])
    values = nominal("a|b", (")", "table"))
    odd = replace(odd, schema=Schema((values, odd.schema.attributes[1]), 0))
    assert same(read_bif(write_bif(odd)), variables_of(odd))
    assert same(read_xmlbif(write_xmlbif(odd)), variables_of(odd))


def test_ranges_and_odd_names_are_written_too(tmp_path: Path) -> None:
    model = BayesianNetwork().fit(sample("iris"), RunContext())
    assert isinstance(model, BayesianNetworkModel)
    for name, text in (("n.bif", write_bif(model.network)), ("n.xml", write_xmlbif(model.network))):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert same(read_network(str(tmp_path / name)), variables_of(model.network))


def test_the_arcs_of_a_file_are_taken_and_its_tables_learned_anew(tmp_path: Path) -> None:
    data = sample("vertebrates")
    first = BayesianNetwork(structure="hill-climbing", on_class=False, score="aic").fit(data, RunContext())
    assert isinstance(first, BayesianNetworkModel)
    path = tmp_path / "vertebrates.bif"
    path.write_text(write_bif(first.network), encoding="utf-8")
    again = BayesianNetwork(structure="file", network_file=str(path)).fit(data, RunContext())
    assert isinstance(again, BayesianNetworkModel)
    assert arcs_of(again.network) == arcs_of(first.network)
    assert again.network.table == pytest.approx(first.network.table)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a table of numbers, 1, 2",
        "variable a { type discrete [2] { x, y }; }",
        "variable a { type discrete [2] { x, y }; } probability ( a ) { table 0.2, 0.3, 0.5; }",
        "variable a { type discrete [2] { x, y }; } probability ( a ) { table 0.2, 0.3; }",
        "variable a { type discrete [2] { x, y }; } probability ( a | b ) { table 0.2, 0.8; }",
        "variable a { type discrete [2] { x, y }; } probability ( a | a ) { (x) 0.2, 0.8; (y) 0.5, 0.5; }",
        "variable a { type discrete [2] { x,",
        "<BIF><NETWORK>",
        '<!DOCTYPE b [<!ENTITY a "b">]><BIF/>',
        "<BIF/>",
    ],
)
def test_what_is_no_network_is_refused_in_words(tmp_path: Path, text: str) -> None:
    path = tmp_path / "n.bif"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError):
        read_network(str(path))


@pytest.mark.timeout(30)
def test_comments_that_are_never_closed_are_read_in_linear_time() -> None:
    with pytest.raises(DataError, match=wording.NOT_EXPECTED_IN_BIF):
        read_bif("nan/* c ," * 200_000)
