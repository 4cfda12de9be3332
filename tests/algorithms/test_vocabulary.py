"""Every name, label and help of the registries speaks the language of the field."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from algorithms.catalogue import builtin
from algorithms.core.parameters import Configurable
from algorithms.evaluation.curves.curve_kinds import CURVES
from algorithms.evaluation.measures.measure import Measure
from algorithms.evaluation.measures.metrics import MetricOptions
from algorithms.evaluation.measures.registry import MEASURES
from tests.expected_texts import vocabulary
from tests.pages.inspection import replaced_terms

REGISTRY = builtin()
KINDS = {
    "learners": (REGISTRY.learners, vocabulary.LEARNERS),
    "filters": (REGISTRY.filters, vocabulary.FILTERS),
    "methods": (REGISTRY.methods, vocabulary.METHODS),
    "curves": (CURVES, vocabulary.CURVES),
}
EVERY: list[type[Configurable]] = [cls for shelf, _ in KINDS.values() for cls in shelf] + [MetricOptions]
ROOT = Path(__file__).parents[2]
OF_WHOLE_TEXTS = {"right, wrong", "list of values (nominal)"}
"""Terms that are replaced where a text begins with them; a sentence of the code may be in parts."""
REPLACED_LABELS = {"Right", "Wrong", "Found", "Sure", "Cleared", "Missed", "Alarms", "Said", "By", "Judged by"}
"""Labels that a term of the field has replaced."""


def labels(cls: type[Configurable]) -> Iterator[tuple[str, frozenset[str]]]:
    """Every label of the parameters of a class, with the terms it may be."""
    for parameter in cls.parameters():
        yield parameter.label, vocabulary.PARAMETERS
        for option in parameter.options:
            yield option.label, vocabulary.CHOICES


def sentences(cls: type[Configurable]) -> Iterator[str]:
    """Every text of a class that a person reads."""
    yield from (cls.name, cls.sentence)
    for preset in cls.presets:
        yield from (preset.name, preset.help)
    for parameter in cls.parameters():
        yield from (parameter.label, parameter.help, parameter.none_label, parameter.unit)
        for option in parameter.options:
            yield from (option.label, option.help)


def measure_names(measure: Measure) -> Iterator[str]:
    yield from filter(None, (measure.name, measure.symbol, measure.term, measure.curve_name))
    if measure.column is not None:
        yield measure.column.head
    if measure.interval is not None:
        yield measure.interval.name


def measure_sentences(measure: Measure) -> Iterator[str]:
    yield from (*measure_names(measure), measure.sentence)
    if measure.column is not None:
        yield measure.column.tip
    if measure.interval is not None:
        yield measure.interval.sentence
    if measure.permutation is not None:
        yield from (measure.permutation.axis, measure.permutation.typical)


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_those_of_the_field(kind: str) -> None:
    shelf, terms = KINDS[kind]
    assert {cls.name for cls in shelf} == terms


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.id)
def test_labels_of_parameters_and_choices_are_in_the_vocabulary(cls: type[Configurable]) -> None:
    assert [label for label, terms in labels(cls) if label not in terms or label in REPLACED_LABELS] == []


def test_names_of_measures_are_in_the_vocabulary() -> None:
    names = {name for measure in MEASURES for name in measure_names(measure)}
    assert names == vocabulary.MEASURES and not names & REPLACED_LABELS


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.id)
def test_no_text_of_a_class_has_a_replaced_term(cls: type[Configurable]) -> None:
    assert [(term, text) for text in sentences(cls) for term in replaced_terms(text)] == []


def test_no_text_of_a_measure_has_a_replaced_term() -> None:
    texts = [text for measure in MEASURES for text in measure_sentences(measure)]
    assert [(term, text) for text in texts for term in replaced_terms(text)] == []


def sentences_of_code(path: Path) -> Iterator[tuple[int, str]]:
    """The lines and texts of the strings of a module that are words: not its docstrings, nor ids."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if node not in docstrings and (" " in text or text[:1].isupper()):
                yield node.lineno, text


def test_no_sentence_of_the_program_has_a_replaced_term() -> None:
    """Labels, tooltips, messages, errors and remedies, of the window and of the command line."""
    modules = [ROOT / "main.py", *(ROOT / "algorithms").rglob("*.py"), *(ROOT / "workbench").rglob("*.py")]
    texts = ((path, line, text) for path in modules for line, text in sentences_of_code(path))
    faults = [
        f"{path.relative_to(ROOT)}:{line} {term}: {text}"
        for path, line, text in texts
        for term in replaced_terms(text)
        if term not in OF_WHOLE_TEXTS
    ]
    assert faults == []


def test_no_page_of_the_help_has_a_replaced_term() -> None:
    pages = [ROOT / "README.md", *(ROOT / "resources/help").glob("*.md")]
    lines = [(page.name, line) for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    assert [
        f"{name}: {term}: {line}" for name, line in lines for term in replaced_terms(line) if term not in OF_WHOLE_TEXTS
    ] == []
