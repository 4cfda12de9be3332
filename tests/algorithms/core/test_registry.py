"""Finding things by id."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from algorithms.catalogue import builtin
from algorithms.core.errors import UnknownIdError
from algorithms.core.registry import Registry, RegistryShelf
from tests.algorithms.evaluation.toys import Centre, Centred, Means, NearestMean
from tests.expected_texts import core as wording


def test_things_are_found_by_id_in_the_order_of_registration():
    shelf: RegistryShelf[int] = RegistryShelf("thing")
    shelf.add("b", 1)
    shelf.add("a", 2)
    assert list(shelf) == [1, 2]
    assert (len(shelf), "a" in shelf, "c" in shelf, shelf.get("a")) == (2, True, False, 2)


def test_an_id_is_taken_once():
    shelf: RegistryShelf[int] = RegistryShelf("thing")
    shelf.add("a", 1)
    with pytest.raises(ValueError, match=wording.TWO_THINGS_WITH_ID):
        shelf.add("a", 2)


def test_an_unknown_id_names_the_nearest_or_all():
    with pytest.raises(UnknownIdError, match=wording.NO_LEARNER_C45) as caught:
        builtin().learners.get("c45")
    assert "c4.5" in caught.value.remedy
    with pytest.raises(UnknownIdError) as caught:
        builtin().methods.get("xyzzy")
    assert "cross-validation" in caught.value.remedy


def test_a_learner_brings_its_models_and_a_filter_what_it_yields():
    registry = Registry()
    registry.add_learner(Means, NearestMean)
    registry.add_filter(Centre)
    assert registry.models.get("nearest-mean") is NearestMean
    assert registry.fitted_filters.get("centred") is Centred
    assert registry.resolve("means") is Means
    assert registry.resolve("centre") is Centre
    assert dict(registry.families()) == {"Toys": [Means]}


def test_two_learners_may_yield_one_kind_of_model():
    class Other(Means):
        id = "other"

    registry = Registry()
    registry.add_learner(Means, NearestMean)
    registry.add_learner(Other, NearestMean)
    assert list(registry.models) == [NearestMean]


def test_every_call_makes_a_registry_of_its_own():
    first, second = builtin(), builtin()
    first.add_learner(Means, NearestMean)
    assert "means" not in second.learners


def test_everything_builtin_can_be_made_with_its_defaults_and_says_what_it_is():
    registry = builtin()
    for shelf in (registry.learners, registry.filters, registry.methods):
        for cls in shelf:
            made = cls()
            assert made.id == made.id.lower()
            assert " " not in made.id
            assert made.name
            assert made.sentence.endswith((".", "?"))
            for parameter in cls.parameters():
                assert parameter.label
                assert parameter.help
                assert parameter.allowed()


def test_what_comes_later_is_registered_once_by_the_first_who_asks():
    calls = []

    def later(registry: Registry) -> None:
        calls.append(registry)
        registry.add_learner(Means, NearestMean)
        assert "means" in registry.learners, "what registers may ask for what it registered"

    registry = Registry(later)
    assert not len(registry.samples)
    assert not calls, "the samples are there without"
    with pytest.raises(ValueError, match=wording.TWO_LEARNERS_WITH_ID):
        registry.add_learner(Means, NearestMean)
    assert list(registry.models) == [NearestMean]
    assert calls == [registry]


def test_who_asks_while_another_thread_registers_waits_for_all():
    begun, go_on = threading.Event(), threading.Event()

    def later(registry: Registry) -> None:
        registry.add_filter(Centre)
        begun.set()
        assert go_on.wait(10)
        registry.add_learner(Means, NearestMean)

    registry = Registry(later)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(len, registry.filters)
        assert begun.wait(10)
        second = pool.submit(len, registry.learners)
        with pytest.raises(TimeoutError):
            second.result(0.05)
        go_on.set()
        assert (first.result(10), second.result(10)) == (1, 1)
