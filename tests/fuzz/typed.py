"""What a person types: formulas, options and whole commands, dates, cells and conditions, edits by hand."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
from pathlib import Path
from typing import Final

import numpy as np
from numpy.random import Generator

from algorithms.catalogue import builtin
from algorithms.cli import main
from algorithms.cli.arguments import WrongUseError, configure, id_and_assignments
from algorithms.core.errors import CoppiceError
from algorithms.core.filters import Filter
from algorithms.core.learner import Learner
from algorithms.core.model_editing import ModelEdit, edits_from, edits_to_text
from algorithms.core.parameters import Configurable, Parameter, from_json
from algorithms.data import dates
from algorithms.data.conditions import RecordCondition, Relation, matching
from algorithms.data.convert_kind import recast
from algorithms.data.editing import UnknownValueError, read_cell
from algorithms.data.formulas import evaluate_formula, parse_formula, rename_in_formula
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.summary import summarize
from algorithms.learners.bayes import edited_network as network_edits
from algorithms.learners.bayes.edited_network import NetworkEdit
from algorithms.learners.rules import edited_rules as rule_edits
from algorithms.learners.rules.edited_rules import EditedCondition, RuleEdit, RuleName
from algorithms.learners.trees.edits import EditedSplit, PathStep, TreeEdit
from tests.algorithms.battery_data import mixed
from tests.fuzz import bytes_mutators
from tests.fuzz.bytes_mutators import NUMBERS, PIECES, TEXT_CHANGES, soup
from tests.fuzz.case import READ, REFUSED, BrokenRuleError, Case
from tests.fuzz.rules import check_table
from tests.fuzz.structure_mutators import changed_json
from tests.fuzz.tables import DATES, WORDS


def _text(case: Case) -> str:
    return case.content.decode("utf-8", "surrogateescape")


class Formulas:
    """Formulas of new columns and of filtered records."""

    name = "formulas"
    _WHOLE: Final = (
        b"Length + 2 * Width", b"if(Colour = 'red', 1, 0)", b"sqrt(abs(Length)) ^ 2",
        b"not (Length > 3 or missing(Width))",
        b"year(Length)", b"log(Length) mod 3", b"`Length` / 0", b"-(-(-Length))", b"Colour != \"blue\" and Length <= 4",
    )  # fmt: skip
    _TOKENS: Final = (
        b"Length", b"Width", b"Colour", b"`Length`", b"'red'", b'"red"', b"(", b")", b"+", b"-", b"*", b"/", b"^",
        b" mod ",
        b" and ", b" or ", b" not ", b"<", b">=", b"=", b"!=", b",", b"if(", b"sqrt(", b"exp(", b"missing(", b"true",
        b"missing", b"1", b"2.5", b" ",
    )  # fmt: skip

    def __init__(self) -> None:
        self._data = mixed(40, missing=0.1)

    def make(self, random: Generator) -> Case:
        if random.random() < 0.5:
            return Case(soup(random, (*self._TOKENS, *NUMBERS), 400), "formula.txt", {}, "soup")
        whole = self._WHOLE[int(random.integers(len(self._WHOLE)))]
        content, told = bytes_mutators.mutated(whole, random, TEXT_CHANGES)
        return Case(content, "formula.txt", {}, told)

    def run(self, case: Case, folder: Path) -> str:
        text = _text(case)
        values = evaluate_formula(parse_formula(text), self._data)
        if values.shape != (len(self._data),):
            raise BrokenRuleError("a formula gives another number of values")
        rename_in_formula(text, lambda name: f"{name} 2")
        return READ


class Dates:
    """Dates and the patterns they are written in."""

    name = "dates"
    _PARTS: Final = (
        b"%Y", b"%m", b"%d", b"%b", b"%B", b"%H", b"%M", b"%S", b"%y", b"%j", b"%Z", b"%z", b"%f", b"%p", b"%I", b"%U",
        b"%w", b"%a", b"%G", b"%V", b"%u", b"%%", b"%", b"%Q", b"-", b"/", b".", b" ", b"(", b"[", b"*", b"+?",
        b"\\", b"(?P<Y>",
    )  # fmt: skip

    def make(self, random: Generator) -> Case:
        pattern = soup(random, self._PARTS, 12)
        texts = [DATES[int(random.integers(len(DATES)))] for _ in range(int(random.integers(1, 6)))]
        if random.random() < 0.6:
            texts = [bytes_mutators.mutated(text, random, TEXT_CHANGES)[0][:300] for text in texts]
        return Case(b"\n".join([pattern, *texts]), "dates.txt")

    def run(self, case: Case, folder: Path) -> str:
        pattern, *texts = _text(case).split("\n")
        dates.date_format(texts)
        attribute = Attribute("day", AttributeKind.DATE)
        for text in texts:
            with contextlib.suppress(CoppiceError):
                read_cell(attribute, text)
        dates.parse_dates(texts, dates.ISO)
        seconds = dates.parse_dates(texts, pattern)
        dates.check_format(pattern)
        if seconds.shape != (len(texts),) or np.any(np.isinf(seconds)):
            raise BrokenRuleError("dates that are no numbers")
        return READ


class Cells:
    """Cells that are typed, conditions on records, and columns that change their kind."""

    name = "cells"

    def __init__(self) -> None:
        self._data = mixed(40, missing=0.1)

    def make(self, random: Generator) -> Case:
        pieces = (*NUMBERS, *DATES, *WORDS, *PIECES)
        content = pieces[int(random.integers(len(pieces)))]
        if random.random() < 0.7:
            content = bytes_mutators.mutated(content, random, TEXT_CHANGES)[0]
        relation = str(random.choice([each.name for each in Relation]))
        options = {"relation": relation, "to": str(random.choice([kind.name for kind in AttributeKind]))}
        return Case(content[:100_000], "cell.txt", options)

    def run(self, case: Case, folder: Path) -> str:
        text, end = _text(case), REFUSED
        for index, attribute in enumerate(self._data.schema.attributes):
            with contextlib.suppress(UnknownValueError, CoppiceError):
                read_cell(attribute, text)
                end = READ
            with contextlib.suppress(CoppiceError):
                matching(self._data, [RecordCondition(attribute.name, Relation[case.options["relation"]], text)])
            texts = np.array([text.encode("utf-8", "replace").decode()] * len(self._data), dtype=object)
            data = self._data.with_column(index, Attribute(attribute.name, AttributeKind.TEXT), texts)
            with contextlib.suppress(CoppiceError):
                check_table(recast(data, index, AttributeKind[case.options["to"]]))
        return end


# ---- options and commands --------------------------------------------------------------------------------------------


def _assignment(parameter: Parameter, random: Generator) -> bytes:
    """ "name=value" with a value of the parameter's kind, or with one of any kind."""
    value: bytes
    if parameter.options and random.random() < 0.6:
        value = str(random.choice([option.word for option in parameter.options])).encode()
    elif random.random() < 0.5:
        value = NUMBERS[int(random.integers(len(NUMBERS)))]
    else:
        words = (b"true", b"false", b"none", b"c4.5", b"cart", b"Length", b"Length;Width", b"1,2,3", b"0 1; 1 0", b"")
        value = words[int(random.integers(len(words)))]
    return parameter.name.encode() + b"=" + value


def _option(kinds: list[type[Configurable]], random: Generator) -> tuple[str, bytes]:
    """An id, and its options as they are typed."""
    kind = kinds[int(random.integers(len(kinds)))]
    parameters = list(kind.parameters())
    n = min(len(parameters), int(random.integers(0, 4)))
    chosen = [parameters[int(at)] for at in random.choice(len(parameters), n, replace=False)] if n else []
    typed = b",".join(_assignment(parameter, random) for parameter in chosen)
    whole = kind.id.encode() + (b":" + typed if typed else b"")
    if random.random() < 0.4:
        whole, _ = bytes_mutators.mutated(whole, random, TEXT_CHANGES)
    return kind.id, whole[:20_000]


class Options:
    """Options of learners, filters and methods as one word of the command line."""

    name = "options"

    def __init__(self) -> None:
        registry = self._registry = builtin()
        self._kinds: list[type[Configurable]] = [*registry.learners, *registry.filters, *registry.methods]
        self._summary = summarize(mixed(40, missing=0.1))

    def make(self, random: Generator) -> Case:
        id, typed = _option(self._kinds, random)
        return Case(typed, "options.txt", {"id": id})

    def run(self, case: Case, folder: Path) -> str:
        try:
            _, assignments = id_and_assignments(_text(case))
            thing = configure(self._registry.resolve(case.options["id"]), assignments, self._registry)
        except WrongUseError:
            return REFUSED
        if from_json(json.loads(json.dumps(thing.to_json())), self._registry.resolve) != thing:
            raise BrokenRuleError("options that are others when they are stored")
        if isinstance(thing, Learner | Filter):
            thing.check(self._summary)
        return READ


class Commands:
    """Whole commands on small tables, with learners that take no time."""

    name = "commands"
    _LINES: Final = (
        "list learners", "list learners c4.5", "list filters --json", "list methods", "list curves",
        "list samples --json",
        "evaluate t.csv --learner zero-r --json", "evaluate t.csv --learner one-r --method holdout:percent=66 --seed 3",
        "evaluate t.csv --learner c4.5:min_leaf=3 --class c --costs costs.csv", "evaluate sample:weather --learner id3",
        "evaluate t.csv --learner decision-stump -p criterion=gini --filter scale --measure beta=2",
        "evaluate t.csv --learner naive-bayes --curve roc --curve-class yes --json", "rank t.csv --json",
        "evaluate t.csv --learner zero-r --search min_leaf=1,2", "rank t.csv --filter select-attributes:by=gain-ratio",
        "compare t.csv --learner zero-r --learner one-r --method cross-validation:folds=2,repeats=2",
        "evaluate t.csv --learner zero-r --recipe r.coppice-recipe --threads 1", "predict m.coppice-model t.csv",
        "rules t.csv --json", "near t.csv --json", "curve t.csv --learner one-r --sizes 10%,50%,100%",
        "export m.coppice-model --as text", "evaluate t.csv --learner zero-r --shuffle 2 --cost-amounts a",
    )  # fmt: skip
    _TABLE: Final = "a,b,c\n" + "".join(f"{at % 7},{'xyz'[at % 3]},{('yes', 'no')[at % 2]}\n" for at in range(24))

    def __init__(self) -> None:
        self._registry = builtin()

    def make(self, random: Generator) -> Case:
        line = self._LINES[int(random.integers(len(self._LINES)))].encode()
        told = "as it is"
        if random.random() < 0.95:
            line, told = bytes_mutators.mutated(line, random, _COMMAND_CHANGES)
        return Case(in_time(line[:20_000]), "command.txt", {}, told)

    def run(self, case: Case, folder: Path) -> str:
        text = case.content.decode("utf-8", "replace")
        try:
            words = shlex.split(text)
        except ValueError:
            words = text.split()
        if any(word.startswith(("/", "..")) or "size=" in word for word in words):
            return REFUSED  # nothing is written outside, and large samples take as long as they are large
        (folder / "t.csv").write_text(self._TABLE, encoding="utf-8")
        (folder / "costs.csv").write_text(",yes,no\nyes,0,1\nno,5,0\n", encoding="utf-8")
        output, errors, before = io.StringIO(), io.StringIO(), Path.cwd()
        os.chdir(folder)
        try:
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
                code = main(words, self._registry)
        finally:
            os.chdir(before)
        told = errors.getvalue()
        if code not in (0, 1, 2):
            raise BrokenRuleError(f"the exit code {code}")
        if code and (not told.strip() or "Traceback" in told):
            raise BrokenRuleError(f"exit code {code} with {told[:100]!r}")
        if not code and "--json" in words and "--help" not in words and "-h" not in words:
            json.loads(output.getvalue())
        return READ if code == 0 else REFUSED


_REPEATED: Final = re.compile(rb"(--sh\w*[ =]+|(?:repeats|samples|draws)=)(\d_?\d)(?:_?\d){1,4}(?![\d_])")
"""A number of times that is allowed, and takes as long as it is large."""


def in_time(line: bytes) -> bytes:
    """The command with two digits of each :data:`_REPEATED` number; what is refused as too large stays."""
    return _REPEATED.sub(rb"\1\2", line)


def _other_word(content: bytes, random: Generator) -> bytes:
    words = content.split(b" ")
    pieces = (
        b"--json", b"--seed", b"-p", b"--class", b"c", b"--filter", b"--method", b"--help", b"--learner",
        b"zero-r", b"--",
        b"--threads", b"2", b"-1", b"t.csv", b"nothing.csv", b"costs.csv", b".", b"", b"--sheet", b"=", b"a=b",
        b":", b"@t.csv",
    )  # fmt: skip
    piece, at = pieces[int(random.integers(len(pieces)))], int(random.integers(len(words) + 1))
    how = int(random.integers(3))
    if how == 0:
        words.insert(at, piece)
    elif how == 1 and at < len(words):
        words[at] = piece
    elif at < len(words):
        del words[at]
    return b" ".join(words)


_COMMAND_CHANGES: Final = {
    "word": _other_word, "another word": _other_word, "number": TEXT_CHANGES["number"], "set": TEXT_CHANGES["set"],
    "insert": TEXT_CHANGES["insert"],
}  # fmt: skip


class Edits:
    """Edits by hand of trees, rules and networks, as models and projects keep them."""

    name = "edits"
    _KINDS: Final[tuple[type[ModelEdit], ...]] = (TreeEdit, RuleEdit, NetworkEdit)

    def __init__(self) -> None:
        steps = (PathStep("size", 0, 2, (), "<= 0.6"), PathStep("colour", 1, 3, ("red", "blue"), "= red"))
        tree = [
            TreeEdit(steps),
            TreeEdit(steps[:1], EditedSplit("size", 0.5)),
            TreeEdit((), EditedSplit("colour", None, (("red",),)), False),
        ]
        asked, listed = (
            EditedCondition("size", 0.5, 2.0, True),
            EditedCondition("colour", values=("red",), missing=True),
        )
        name = RuleName("yes", (asked, listed), 1)
        rules = [
            RuleEdit(do, name, asked, listed, RuleName("no", (listed,)), name, "rule 3") for do in rule_edits.RuleChange
        ]
        given, shares = (("size", "<= 0.5"),), (("yes", 0.25), ("no", 0.75))
        network = [NetworkEdit(do, "colour", "size", given, shares) for do in network_edits.ArcChange]
        self._texts = (
            edits_to_text(tree),
            edits_to_text(rules),
            edits_to_text(network),
        )

    def make(self, random: Generator) -> Case:
        which = int(random.integers(len(self._KINDS)))
        content = self._texts[which].encode()
        for _ in range(int(random.choice([1, 1, 2, 3]))):
            content = changed_json(content, random)
        return Case(content, "edits.json", {"which": which})

    def run(self, case: Case, folder: Path) -> str:
        kind = self._KINDS[case.options["which"]]
        found = edits_from(kind, case.content.decode("utf-8", "surrogateescape"))
        if edits_from(kind, edits_to_text(found)) != found:
            raise BrokenRuleError("edits that are others when they are read again")
        for edit in found:
            if not edit.words():
                raise BrokenRuleError("an edit without words")
        return READ
