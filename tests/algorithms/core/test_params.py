"""Parameters: declared once; checked, typed, stored and shown from that one line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.catalogue import builtin
from algorithms.core.errors import ParameterError, UnknownIdError
from algorithms.core.parameters import (
    Configurable,
    Option,
    boolean,
    choice,
    column,
    columns,
    configured,
    cost_matrix,
    file,
    from_json,
    integer,
    integers,
    learner_parameter,
    real,
    reals,
    text,
    when,
)
from algorithms.evaluation.tuning.search_space import said_value, typed_value
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.trees.oblique import ObliqueTree
from tests.expected_texts import core as wording


@dataclass(frozen=True, kw_only=True)
class Inner(Configurable):
    id: ClassVar[str] = "inner"
    name: ClassVar[str] = "Inner"
    sentence: ClassVar[str] = "Within."

    depth: int | None = integer(None, lo=1, label="Depth", help="How deep.", optional=True)
    share: float = real(0.5, lo=0, hi=1, label="Share", help="How much.")


@dataclass(frozen=True, kw_only=True)
class Outer(Configurable):
    id: ClassVar[str] = "outer"
    name: ClassVar[str] = "Outer"
    sentence: ClassVar[str] = "Without."

    count: int = integer(10, lo=2, hi=99, label="Count", help="How many.")
    mode: str = choice("soft", Option("soft", "Soft"), Option("hard", "Hard"), label="Mode", help="Which way.")
    force: float = real(1.0, lo=0, label="Force", help="How hard.", enabled_if=when("mode", "hard"))
    careful: bool = boolean(True, label="Careful", help="Whether to look.")
    note: str = text("", label="Note", help="A word.")
    path: str = file("", label="File", help="A file.")
    key: str | None = column(None, label="Key", help="A column.")
    kept: tuple[str, ...] = columns((), label="Kept", help="Columns.")
    sizes: tuple[int, ...] = integers((5, 3), lo=1, label="Sizes", help="Sizes.")
    shares: tuple[float, ...] = reals((), lo=0, label="Shares", help="Shares.")
    costs: tuple[tuple[float, ...], ...] = cost_matrix((), label="Costs", help="Costs.")
    base: Inner = learner_parameter(Inner(), label="Base", help="What is within.")


CLASSES: dict[str, type[Configurable]] = {"inner": Inner, "outer": Outer}


def resolve(id: str) -> type[Configurable]:
    try:
        return CLASSES[id]
    except KeyError:
        raise UnknownIdError(f"There is no {id!r}.") from None


sizes_of_numbers = st.just(0.0) | st.floats(1e-100, 1e100)
outers = st.builds(
    Outer,
    count=st.integers(2, 99),
    mode=st.sampled_from(["soft", "hard"]),
    force=sizes_of_numbers,
    careful=st.booleans(),
    note=st.text(),
    path=st.text(),
    key=st.none() | st.text(),
    kept=st.lists(st.text()).map(tuple),
    sizes=st.lists(st.integers(1, 10**12)).map(tuple),
    shares=st.lists(sizes_of_numbers).map(tuple),
    costs=st.integers(0, 3)
    .flatmap(
        lambda k: st.lists(
            st.lists(st.integers(-36, 36).map(lambda n: n / 4), min_size=k, max_size=k).map(tuple),
            min_size=k,
            max_size=k,
        )
    )
    .map(tuple),
    base=st.builds(Inner, depth=st.none() | st.integers(1, 99), share=st.floats(1e-100, 1)),
)


@given(outers)
def test_parameters_come_back_from_json(outer):
    again = from_json(json.loads(json.dumps(outer.to_json())), resolve)
    assert again == outer
    assert hash(again) == hash(outer)


@given(outers)
def test_changed_values_rebuild_the_same(outer):
    assert Outer(**outer.changed()) == outer
    assert Outer().with_values(**outer.values()) == outer


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"count": 1}, wording.count_must_be_whole(1)),
        ({"count": 100}, wording.from_to(2, 99)),
        ({"count": 2.5}, "whole number"),
        ({"count": True}, "whole number"),
        ({"count": float("inf")}, "whole number"),
        ({"count": float("nan")}, "whole number"),
        ({"count": None}, wording.NEEDS_A_VALUE),
        ({"mode": "firm"}, wording.ONE_OF_SOFT_HARD),
        ({"mode": ["soft"]}, wording.ONE_OF_SOFT_HARD),
        ({"force": float("nan")}, wording.FORCE_FROM_0),
        ({"force": "1"}, wording.FORCE_IS_A_NUMBER),
        ({"careful": 1}, wording.TRUE_OR_FALSE),
        ({"note": 3}, wording.MUST_BE_TEXT),
        ({"kept": "a"}, wording.LIST_OF_COLUMN_NAMES),
        ({"kept": 3}, wording.LIST_OF_COLUMN_NAMES),
        ({"kept": [1]}, wording.LIST_OF_COLUMN_NAMES),
        ({"sizes": [0]}, wording.SIZES_MUST_BE),
        ({"sizes": 4}, wording.LIST_OF_WHOLE_NUMBERS),
        ({"shares": 4}, wording.LIST_OF_NUMBERS),
        ({"shares": [1, -1]}, wording.SHARES_FROM_0),
        ({"costs": [[1.0], [2.0]]}, "square"),
        ({"costs": [1, 2]}, "square"),
        ({"costs": 3}, "square"),
        ({"costs": [[0, 1, 5, 0]]}, wording.LIKE_A_SQUARE),
        ({"costs": [[float("nan")]]}, wording.COSTS_MUST_BE),
        ({"base": "inner"}, wording.MUST_BE_A_LEARNER),
    ],
)
def test_values_that_cannot_be_are_refused_in_a_sentence(values, message):
    with pytest.raises(ParameterError) as caught:
        Outer(**values)
    assert message in str(caught.value)
    assert caught.value.place == next(iter(values))


def test_whole_reals_become_integers_and_back():
    assert Outer(count=3.0).count == 3
    assert isinstance(Outer(count=3.0).count, int)
    assert isinstance(Outer(force=2).force, float)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ({"count": " 7 "}, Outer(count=7)),
        ({"force": "2.5e-1"}, Outer(force=0.25)),
        ({"careful": "no"}, Outer(careful=False)),
        ({"careful": "TRUE"}, Outer()),
        ({"mode": "hard"}, Outer(mode="hard")),
        ({"kept": "a, b"}, Outer(kept=("a", "b"))),
        ({"kept": "a, b; c"}, Outer(kept=("a, b", "c"))),
        ({"sizes": "4,5"}, Outer(sizes=(4, 5))),
        ({"costs": "0 1.5; -5, 0;"}, Outer(costs=((0.0, 1.5), (-5.0, 0.0)))),
        ({"shares": "90, 9.5"}, Outer(shares=(90.0, 9.5))),
        ({"costs": "[[0, 1], [2, 0]]"}, Outer(costs=((0.0, 1.0), (2.0, 0.0)))),
        ({"key": "none"}, Outer()),
        ({"base": "inner"}, Outer()),
        ({"base.share": "0.1"}, Outer(base=Inner(share=0.1))),
        ({"base": "inner", "base.depth": "4", "base.share": "1"}, Outer(base=Inner(depth=4, share=1.0))),
        ({"base.depth": "none"}, Outer()),
    ],
)
def test_what_is_typed_becomes_values(typed, expected):
    assert configured(Outer, typed, resolve) == expected


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"count": "many"}, wording.count_must_be_whole("'many'")),
        ({"careful": "perhaps"}, wording.TRUE_OR_FALSE),
        ({"unheard": "1"}, wording.no_parameter("unheard")),
        ({"unheard.depth": "1"}, wording.no_parameter("unheard.depth")),
        ({"count.a": "1"}, wording.NO_PARAMETERS_OF_ITS_OWN),
        ({"base.unheard": "1"}, wording.INNER_HAS_NO_UNHEARD),
        ({"costs": "[[1"}, "square"),
        ({"sizes": "a"}, wording.SIZES_NOT_A),
        ({"shares": "1, b"}, wording.SHARES_NOT_B),
    ],
)
def test_what_is_typed_wrongly_is_refused(typed, message):
    with pytest.raises(ParameterError) as caught:
        configured(Outer, typed, resolve)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "stored",
    [
        None,
        [],
        {},
        {"id": 3},
        {"id": "outer", "parameters": 3},
        {"id": "outer", "parameters": {"x": 1}},
        {"id": "outer", "parameters": {"base": "inner"}},
        {"id": "outer", "parameters": {"base": {"id": 1}}},
    ],
)
def test_json_that_is_none_of_ours_is_refused(stored: Any):
    with pytest.raises(ParameterError):
        from_json(stored, resolve)


def test_unknown_ids_in_json_are_named():
    with pytest.raises(UnknownIdError, match="'else'"):
        from_json({"id": "outer", "parameters": {"base": {"id": "else"}}}, resolve)


def test_a_parameter_counts_only_under_its_condition():
    assert not Outer().enabled("force")
    assert Outer(mode="hard").enabled("force")
    assert Outer().enabled("count")


def test_a_summary_shows_what_was_changed():
    assert Outer().summary() == "Outer"
    assert Outer(count=3, careful=False).summary() == wording.OUTER_CHANGED
    assert Outer(base=Inner(share=0.25)).summary() == wording.OUTER_WITH_BASE


def test_allowed_says_in_words_what_may_be_given():
    allowed = {p.name: p.allowed() for p in (*Outer.parameters(), *Inner.parameters())}
    assert allowed["count"] == wording.WHOLE_FROM_2_TO_99
    assert allowed["mode"] == "soft, hard"
    assert allowed["depth"] == wording.WHOLE_OR_NONE


def test_every_default_is_a_value_that_may_be_given():
    registry = builtin()
    for shelf in (registry.learners, registry.filters, registry.methods):
        for cls in shelf:
            for parameter in cls.parameters():
                assert parameter.validated(parameter.default) == parameter.default


@dataclass(frozen=True, kw_only=True)
class Unbounded(Configurable):
    id: ClassVar[str] = "unbounded"
    name: ClassVar[str] = "Unbounded"
    sentence: ClassVar[str] = "Takes any number."
    n: int = integer(1, label="N", help="A whole number.")
    x: float = real(1.0, label="X", help="A number.")
    table: tuple[tuple[float, ...], ...] = cost_matrix((), label="Table", help="Costs.")


@pytest.mark.parametrize(
    "number", [10**400, 10**5000, -(10**400), float("inf")], ids=["400", "5000", "negative", "inf"]
)
def test_a_number_that_no_float_can_hold_is_refused_in_a_sentence(number: Any) -> None:
    for values in ({"n": number}, {"x": number}, {"table": ((0.0, number), (1.0, 0.0))}):
        with pytest.raises(ParameterError) as refused:
            Unbounded(**values)
        assert len(str(refused.value)) < 200


@pytest.mark.parametrize("name", ["n", "x", "table"])
def test_a_number_of_many_digits_that_is_typed_is_refused_in_a_sentence(name: str) -> None:
    for digits in ("9" * 400, "9" * 5000):
        typed = f"0 {digits}; 1 0" if name == "table" else digits
        with pytest.raises(ParameterError) as refused:
            Unbounded.parameter(name).validated(Unbounded.parameter(name).parsed(typed))
        assert len(str(refused.value)) < 200


def test_a_changed_number_is_read_with_separated_thousands_but_a_seed_is_a_name() -> None:
    learner = Bagging(members=10_000)
    assert learner.summary().startswith(wording.MANY_BAGGED)
    oblique = ObliqueTree(min_leaf=10_000, seed=12_345)
    assert oblique.summary().endswith(wording.SEED_AND_LARGE_LEAVES)
    assert [said_value(oblique.parameter(name), 10_000) for name in ("min_leaf", "seed")] == ["10,000", "10000"]
    assert typed_value(10_000) == "10000"
