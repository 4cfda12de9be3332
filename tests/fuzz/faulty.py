"""Targets that do what none may do, so that tests see the harness notice each."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from algorithms.core.errors import DataError
from tests.fuzz.case import READ, Case
from tests.fuzz.rules import check_probabilities


class _Faulty:
    name: ClassVar[str]

    def make(self, random: Generator) -> Case:
        return Case(random.bytes(100), "faulty.bin")

    def run(self, case: Case, folder: Path) -> str:
        raise NotImplementedError


class Crash(_Faulty):
    """Ends its process by a signal."""

    name = "crash"

    def run(self, case: Case, folder: Path) -> str:
        os.kill(os.getpid(), signal.SIGSEGV)
        return READ


class Exit(_Faulty):
    """Ends its process by itself."""

    name = "exit"

    def run(self, case: Case, folder: Path) -> str:
        os._exit(3)


class Hang(_Faulty):
    """Computes without end."""

    name = "hang"

    def run(self, case: Case, folder: Path) -> str:
        while True:
            pass


class Hog(_Faulty):
    """Takes 100 MB."""

    name = "hog"

    def run(self, case: Case, folder: Path) -> str:
        return READ if np.ones(100 << 17).sum() > 0 else ""


class Bad(_Faulty):
    """Gives probabilities that do not sum to one."""

    name = "bad"

    def run(self, case: Case, folder: Path) -> str:
        check_probabilities(np.array([[0.5, 0.5], [0.5, 0.6]]), 2, 2)
        return READ


class NotANumber(_Faulty):
    """Gives a probability that is no number."""

    name = "not-a-number"

    def run(self, case: Case, folder: Path) -> str:
        check_probabilities(np.array([[0.5, 0.5], [0.5, np.nan]]), 2, 2)
        return READ


class Uncaught(_Faulty):
    """Raises what is no error of the program."""

    name = "uncaught"

    def run(self, case: Case, folder: Path) -> str:
        return str(int(case.content[:1] * 0))


class NoSentence(_Faulty):
    """Refuses without a sentence."""

    name = "no-sentence"

    def run(self, case: Case, folder: Path) -> str:
        raise DataError("bad file")


class Sound(_Faulty):
    """Does nothing wrong: reads most cases, and refuses those that begin with a large byte."""

    name = "sound"

    def run(self, case: Case, folder: Path) -> str:
        if case.content[0] > 127:
            raise DataError("The first byte is too large.")
        return READ
