"""Bayesian networks of other programs: BIF and XMLBIF."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from numpy.random import Generator

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.network_files import read_network, write_bif, write_xmlbif
from algorithms.structures.bayes_network import BayesNetwork
from tests.algorithms.battery import suiting
from tests.fuzz import bytes_mutators
from tests.fuzz.bytes_mutators import NUMBERS, TEXT_CHANGES, soup
from tests.fuzz.case import READ, BrokenRuleError, Case, written
from tests.fuzz.rules import check_probabilities
from tests.fuzz.structure_mutators import changed_xml

_STRUCTURES: Final = ("naive", "tan", "k2")
_TOKENS: Final = (
    b"network ", b"unknown ", b"variable ", b"a ", b"b ", b'"a b" ', b"{ ", b"}\n", b"type ", b"discrete ", b"[ ",
    b"] ",
    b"2 ", b"{ x, y };\n", b"probability ", b"( a ) ", b"( a | b ) ", b"( a | b, b, a ) ", b"table ", b"0.5, 0.5;\n",
    b"(x) 1, 0;\n", b"default ", b"property ", b"; ", b"| ", b", ", b"// c\n", b"/* c ",
)  # fmt: skip


@lru_cache(maxsize=1)
def _data() -> Dataset:
    return suiting(BayesianNetwork(), 60, missing=0.1)


@lru_cache(maxsize=len(_STRUCTURES))
def _network(structure: str) -> BayesNetwork:
    found = BayesianNetwork(structure=structure).fit(_data(), RunContext(seed=1)).structure()
    if not isinstance(found, BayesNetwork):
        raise TypeError(type(found).__name__)
    return found


class _Networks:
    suffix: ClassVar[str]

    def run(self, case: Case, folder: Path) -> str:
        path = written(case, folder)
        for variable in read_network(str(path)):
            if np.any(variable.table < 0) or not np.allclose(variable.table.sum(axis=-1), 1.0, atol=0.02):
                raise BrokenRuleError("a table that holds no probabilities")
        data = _data()
        model = BayesianNetwork(structure="file", network_file=str(path)).fit(data, RunContext(seed=1))
        check_probabilities(model.predict_proba(data), len(data), len(model.classes))
        return READ

    def prepare(self) -> None:
        """Have everything loaded that any case needs."""
        model = BayesianNetwork(structure="k2").fit(_data(), RunContext(seed=1))
        model.predict_proba(_data())


class Bif(_Networks):
    """Networks in BIF."""

    name = "bif"

    def __init__(self) -> None:
        self.prepare()

    def make(self, random: Generator) -> Case:
        if random.random() < 0.25:
            content, told = soup(random, (*_TOKENS, *NUMBERS)), "soup"
        else:
            content, told = write_bif(_network(str(random.choice(_STRUCTURES)))).encode(), "network"
        if random.random() < 0.95:
            content, changes = bytes_mutators.mutated(content, random, TEXT_CHANGES)
            told = f"{told}, {changes}"
        return Case(content, "network.bif", {}, told)


class Xmlbif(_Networks):
    """Networks in XMLBIF."""

    name = "xmlbif"

    def __init__(self) -> None:
        self.prepare()

    def make(self, random: Generator) -> Case:
        content = write_xmlbif(_network(str(random.choice(_STRUCTURES)))).encode()
        told = "xml"
        for _ in range(int(random.choice([1, 1, 2]))):
            content = changed_xml(content, random)
        if random.random() < 0.4:
            content, told = bytes_mutators.mutated(content, random, TEXT_CHANGES)
        return Case(content, "network.xml", {}, told)
