"""Extras that are not installed are named with the command that installs them."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from threading import Event

import pytest

from algorithms.core import extras
from algorithms.core.errors import MissingExtraError
from algorithms.core.extras import EXTRAS, Extra
from tests.house import ROOT


def test_extras_are_those_of_the_project() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for extra in EXTRAS:
        assert tuple(declared[extra.name]) == extra.requirements


def test_an_absent_extra_is_refused_with_one_command_of_this_python() -> None:
    extra = Extra("nothing", ("no-such-package>=1.5",), ("no_such_package",))
    assert not extra.is_installed
    with pytest.raises(MissingExtraError) as caught:
        extra.require("a.xyz is an XYZ file", "a.xyz")
    error = caught.value
    assert "XYZ file" in error.sentence and "no-such-package 1.5" in error.sentence and error.place == "a.xyz"
    command = re.sub(r".*: ", "", error.remedy)
    assert shlex.split(command) == [sys.executable, "-m", "pip", "install", "no-such-package>=1.5"]


def test_an_extra_that_is_too_old_or_cannot_be_imported_is_refused() -> None:
    assert not Extra("numbers", ("numpy>=9999",), ("numpy",)).is_installed
    assert not Extra("numbers", ("numpy>=2",), ("numpy.no_such_module",)).is_installed
    assert Extra("numbers", ("numpy>=1.9.10",), ("numpy",)).is_installed


def test_an_installed_extra_is_not_refused() -> None:
    extra = Extra("numbers", ("numpy",), ("numpy",))
    extra.require("a.npy is a NumPy file", "a.npy")
    assert extra.is_installed
    assert Extra("numbers", (f"numpy>={metadata.version('numpy')}",), ("numpy",)).is_installed


def test_caches_of_imports_are_emptied_by_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most = list[None](), list[int]()

    def emptied() -> None:
        inside.append(None)
        most.append(len(inside))
        Event().wait(0.02)
        inside.pop()

    monkeypatch.setattr(extras, "invalidate_caches", emptied)
    numbers = Extra("numbers", ("numpy>=1.9.10",), ("numpy",))
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(lambda _: numbers.is_installed, range(4)))
    assert max(most) == 1
