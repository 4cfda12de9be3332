"""Data, class and recipe that a command names; the subcommands ``sessions`` and ``convert``, which write tables."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.arguments import (
    LearnerArgument,
    WrongUseError,
    add_arguments,
    bounded,
    check_column,
    check_columns,
    check_output,
    configure,
    id_and_all_assignments,
    id_and_assignments,
    method_of,
    minutes,
    path_exists,
    without_effect,
)
from algorithms.cli.output import add_out, check_neutral, check_out, passwords_for, print_note, watched, write_out
from algorithms.core.plain_json import MOST
from algorithms.io.text.options import ReadOptions, read_options

if TYPE_CHECKING:
    from algorithms.core.filters import Recipe
    from algorithms.core.learner import Learner
    from algorithms.core.registry import Registry
    from algorithms.core.resampling import Method
    from algorithms.core.run_control import RunContext
    from algorithms.data.dataset import Dataset, ReplayedEdit
    from algorithms.evaluation.checks.warning import ResultWarning
    from algorithms.io.text.options import FileReading, Guess

MOST_RECORDS: Final = 10_000_000
"""Largest size of a generated sample."""
_READING: Final = 1 << 20
"""Key of the child context in which data are read."""
PLAIN_READING: Final = ReadOptions()


def source_of_options(
    options: argparse.Namespace, registry: Registry, like: Callable[[], FileReading | None] = lambda: None
) -> Callable[[RunContext], Dataset]:
    """A function that reads the data of a command: DATA and below it the files of ``--append``, after its rules.

    ``like`` tells how the file of a model was read, as which this one is read; without it that of a recipe counts.
    """
    saved = saved_reading(options, registry)
    return with_rules(_unclean_source(options, registry, lambda: like() or saved), rules_of(options, registry))


def with_rules(read: Callable[[RunContext], Dataset], rules: Sequence[ReplayedEdit]) -> Callable[[RunContext], Dataset]:
    """A function that reads a table and applies cleaning rules; it prints what does not fit them."""
    if not rules:
        return read

    def read_and_clean(context: RunContext) -> Dataset:
        from algorithms.filters.cleaning_rules import cleaned

        data, misfits = cleaned(read(context), rules, context.checkpoint)
        for misfit in misfits:
            print_note(f"{misfit.sentence} {misfit.remedy}")
        return data

    return read_and_clean


def _unclean_source(
    options: argparse.Namespace, registry: Registry, like: Callable[[], FileReading | None]
) -> Callable[[RunContext], Dataset]:
    given = reading_of(options)
    if not options.append:
        if options.file_column is not None:
            raise WrongUseError("--file-column needs a second file: --append FILE.")
        return source_of(options.data, registry, given, like=like, may_sample=hasattr(options, "sample"))
    if options.data.startswith("sample:"):
        raise WrongUseError("--append is for files; a sample has none.")
    paths = [options.data, *options.append]
    sources = [source_of(path, registry, given, with_notes=False, like=like) for path in paths]

    def read_all(context: RunContext) -> Dataset:
        from algorithms.io.stacking import distinct_file_names, stacked

        names = distinct_file_names(paths)
        tables = [(name, read(context)) for name, read in zip(names, sources, strict=True)]
        data = stacked(tables, options.file_column, context.checkpoint)
        if data.origin.description:
            print_note(data.origin.description)
        return data

    return read_all


def reading_of(options: argparse.Namespace) -> ReadOptions:
    """How the files of a command are read; raises :class:`WrongUseError` for a word that is no choice of reading."""
    given = ReadOptions(sheet=options.sheet, widths=options.widths, query=options.query, allows_http=options.http)
    if getattr(options, "sample", None) is not None:
        number, assignments = id_and_assignments(options.sample)
        if set(assignments) - {"seed"}:
            raise WrongUseError("--sample has nothing to set but the seed: --sample 100000:seed=2.")
        if options.append or getattr(options, "in_pieces", False):
            raise WrongUseError("--sample excludes --append and --in-pieces.")
        seed = bounded(assignments.get("seed", "1"), "seed", 0, MOST)
        given = replace(given, sample=bounded(number, "--sample", 1, MOST), sample_seed=seed)
    try:
        return read_options(options.read, given)
    except ValueError as error:
        raise WrongUseError(f"--read: {error}") from None


def source_of(
    text: str,
    registry: Registry,
    given: ReadOptions = PLAIN_READING,
    *,
    with_notes: bool = True,
    like: Callable[[], FileReading | None] = lambda: None,
    may_sample: bool = False,
) -> Callable[[RunContext], Dataset]:
    """A function that reads the named data: a file, a database, or "sample:NAME[:size=N,seed=N]".

    It asks for the password of a server, where one is wanted and a terminal is there.
    """
    if given.query is not None and given.sheet is not None:
        raise WrongUseError("--query and --sheet exclude each other: a query names its tables itself.")
    if not text.startswith("sample:"):
        reading = partial(_read, text, given, passwords_for(text), with_notes, like, may_sample)
        return partial(_without_progress, reading)
    if given.query is not None:
        raise WrongUseError("--query is for databases; a sample is none.")
    if given.widths is not None:
        raise WrongUseError("--widths is for text files; a sample has no lines.")
    if given.sample is not None:
        raise WrongUseError("--sample is for files; a generated table has its size.")
    if replace(given, sheet=None, allows_http=False) != ReadOptions():
        raise WrongUseError("--read is for files; a sample is no file.")
    if given.sheet is not None:
        raise WrongUseError("--sheet is for workbooks, databases and R files; a sample has no sheets.")
    id, assignments = id_and_assignments(text.removeprefix("sample:"))
    sample = registry.samples.get(id)
    unknown = [name for name in assignments if name not in ("size", "seed")]
    if unknown or (assignments and not sample.generated):
        has = "size and seed" if sample.generated else "nothing to set"
        raise WrongUseError(f"The sample {id} has {has}.")
    size = bounded(assignments["size"], "size", 1, MOST_RECORDS) if "size" in assignments else None
    seed = bounded(assignments.get("seed", "1"), "seed", 0, MOST)
    return partial(_without_progress, lambda context: sample.make(size, seed, context))


def _without_progress(make: Callable[[RunContext], Dataset], context: RunContext) -> Dataset:
    """Read the data in a child context that takes no share of the progress."""
    reading = context.child(0.0, _READING)
    try:
        return make(reading)
    finally:
        reading.complete()


def _read(
    path: str,
    given: ReadOptions,
    passwords: dict[str, str],
    with_notes: bool,
    like: Callable[[], FileReading | None],
    may_sample: bool,
    context: RunContext,
) -> Dataset:
    from algorithms.io.reading import TEXT, format_of_file, read_like, sheets
    from algorithms.io.servers import is_web_address, source_name

    context.say("Reading")
    context.passwords.update(passwords)
    name = source_name(path)
    if is_web_address(path):  # it would be fetched once more
        pass
    elif given.sheet is not None and not sheets(path, context):
        raise WrongUseError(f"--sheet is for workbooks, databases and R files; {name} has no sheets.")
    elif given.widths is not None and format_of_file(path) is not TEXT:
        raise WrongUseError(f"--widths is for text files; {name} is none.")
    guesses: tuple[Guess, ...] = ()

    def hear(event: object) -> None:
        nonlocal guesses
        guesses = event.guesses if isinstance(event, ReadOptions) else guesses
        context.publish(event)

    if may_sample and given.sample is None:
        _offer_sample(path, name)
    data, said = read_like(path, context.child(1.0, 0, listener=hear), like(), given)
    for sentence in said:
        print_note(sentence)
    if with_notes:
        _print_notes(name, data.origin.description, guesses)
    return data


def _offer_sample(path: str, name: str) -> None:
    """Print that a table exceeds the memory and a sample would fit, where that is so."""
    from algorithms.core.run_control import free_memory
    from algorithms.io.text.large_files import measured, too_large

    large = too_large(path, free_memory())
    large = None if large is None else measured(path, large)
    if large is not None and large.n_fitting:
        n = large.usual_sample
        print_note(f"{large.sentence(name)} --sample {n} reads {n:,} records at random, with the statistics of all.")


def _print_notes(name: str, description: str, guesses: Sequence[Guess]) -> None:
    """Print what was taken from a file, each guess with the options that read it otherwise."""
    told = [guess for guess in guesses if not guess.is_usual]
    for guess in told:
        description = description.replace(guess.sentence, "")
    if left := " ".join(description.split()):
        print_note(f"{name}: {left}")
    for guess in told:
        others = [f"--read {shlex.quote(each.argument)} ({each.label})" for each in guess.corrections]
        print_note(f"{name}: {guess.sentence} {'To decide' if guess.is_question else 'Otherwise'}: {', '.join(others)}")


def add_sessions(verbs: Any) -> None:
    log = verbs.add_parser("sessions", help="the sessions in the log of a web server, as a table")
    log.add_argument("log", metavar="LOG", help="a log: Common, Combined, W3C extended or JSON lines; also with gzip")
    log.add_argument(
        "--timeout",
        metavar="MINUTES",
        type=minutes,
        default=30.0,
        help="a session ends after so many minutes without a request (default: 30)",
    )
    add_out(log)
    log.set_defaults(run=write_sessions)


def write_sessions(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.core.errors import DataError
    from algorithms.io.reading import WEB_LOG, format_of_file, read
    from algorithms.io.text.options import ReadOptions, Style
    from algorithms.io.text.text_writing import csv_texts

    name, style = Path(options.log).name, Style(neutral=options.neutral)
    check_out(options, options.log, is_shown=True)
    if format_of_file(options.log) is not WEB_LOG:
        remedy = "Other tables need no such step: evaluate and the other verbs read them."
        raise DataError(f"{name} is no log of a web server.", remedy=remedy, place=name)

    def work(context: RunContext) -> Dataset:
        data = read(options.log, context.child(0.9, 0), ReadOptions(timeout=options.timeout))
        if options.out is not None:
            writing = context.child(0.1, 1)
            writing.say(f"Writing {Path(options.out).name}")
            write_out(options, data, writing)
        return data

    data = watched(work, seed=0, threads=None)
    print_note(f"{name}: {data.origin.description}")
    if options.out is None:
        from algorithms.core.run_control import RunContext

        for text in csv_texts(data, RunContext(), style):
            sys.stdout.write(text)


def add_convert(verbs: Any) -> None:
    convert = verbs.add_parser("convert", help="write a table in another format, after steps if there are any")
    add_arguments(convert, "data", "--sheet", "--query", "--http", "--widths", "--read", "--sample", "--append")
    add_arguments(convert, "--file-column", "--class")
    add_recipe(convert)
    add_out(convert)
    convert.add_argument(
        "--script",
        metavar="FILE.py",
        help="write the rules and steps, with what they learned, as a script of pandas and numpy",
    )
    convert.add_argument(
        "--save-recipe",
        metavar="FILE",
        help="write the rules and steps, and how DATA was read, as a recipe for the next file of the same make",
    )
    add_arguments(convert, "--seed")
    convert.set_defaults(run=convert_table)


def convert_table(options: argparse.Namespace, registry: Registry) -> None:
    """Write a table as it is, or after the steps of a recipe that learned from all of its records."""
    from algorithms.core.filters import fit_recipe
    from algorithms.io.text.options import Style
    from algorithms.io.text.text_writing import csv_texts

    is_shown = options.out is None and options.script is None and options.save_recipe is None
    check_out(options, options.data, *options.append, options.recipe, is_shown=is_shown)
    check_output("--script", options.script, options.data, *options.append, options.recipe, options.out)
    others = (options.recipe, options.out, options.script)
    check_output("--save-recipe", options.save_recipe, options.data, *options.append, *others)
    saved = saved_reading(options, registry)
    unclean = _unclean_source(options, registry, lambda: saved)
    rules, recipe = rules_of(options, registry), recipe_of(options, registry)
    if options.script is not None and not recipe and not rules:
        raise WrongUseError("--script writes steps: name some with --filter, --recipe or --clean.")
    raw: list[Dataset] = []

    def remembered(context: RunContext) -> Dataset:
        raw[:] = [unclean(context)]
        return raw[0]

    source = with_rules(remembered, rules)
    skipped = [step.name for step in recipe if step.only_training]

    def work(context: RunContext) -> Dataset:
        data = source(context)
        if recipe or options.class_name is not None:
            data = with_class(data, options.class_name)
        if recipe or options.script is not None:
            context.say("Applying the steps")
            if options.script is not None:
                from algorithms.export.recipe_script import write_recipe_script

                fitted = write_recipe_script(options.script, recipe, data, context.child(0.5, 0), raw[0])
            else:
                steps = tuple(step for step in recipe if not step.only_training)
                fitted, _ = fit_recipe(steps, data.labelled(), context.child(0.5, 0))
            data = fitted.transform(data, context.checkpoint)
        if options.out is not None:
            writing = context.child(0.5, 1)
            writing.say(f"Writing {Path(options.out).name}")
            write_out(options, data, writing)
        return data

    data = watched(work, seed=options.seed, threads=None)
    for name in skipped:
        print_note(f"{name} changes training records only: the table is written without this step.")
    if options.save_recipe is not None:
        from algorithms.core.filters import RecipeStep
        from algorithms.project.recipes import save_recipe

        steps = tuple(map(RecipeStep, recipe))
        save_recipe(options.save_recipe, steps, cleaning=rules, reading=raw[0].origin.reading)
    for path in filter(None, (options.script, options.save_recipe)):
        n = len(recipe) + len(rules)
        print(f"{n:,} {'step' if n == 1 else 'steps'}: saved as {path}")
    if options.out is not None:
        print(f"{len(data):,} records, {len(data.schema):,} columns: saved as {options.out}")
    if not is_shown:
        return
    from algorithms.core.run_control import RunContext

    for text in csv_texts(data, RunContext(), Style(neutral=options.neutral)):
        sys.stdout.write(text)


def with_class(data: Dataset, name: str | None) -> Dataset:
    """The data with this class column; integers and texts with few distinct values become labels."""
    from algorithms.core.errors import DataError
    from algorithms.data import convert_kind

    if name is None:
        if data.schema.class_index is None:
            raise DataError("No column can be the class.", remedy="Name it with --class COLUMN.")
        return data
    check_column(data.schema, name, "--class")
    return convert_kind.with_class(data, name)


def add_recipe(parser: argparse.ArgumentParser) -> None:
    """Declare the options for preprocessing steps."""
    parser.add_argument("--recipe", metavar="FILE", help="the steps saved in a file; those of --filter come after them")
    parser.add_argument(
        "--clean",
        metavar="RULE",
        action="append",
        default=[],
        help="apply a cleaning rule ID[:NAME=VALUE,...] (see: list cleaning), or the rules of a recipe or model",
    )
    parser.add_argument(
        "--filter", metavar="ID[:NAME=VALUE,...]", action="append", default=[], help="learned in each fold"
    )


def recipe_of(options: argparse.Namespace, registry: Registry) -> Recipe:
    """The enabled preprocessing steps in order; raises if the file or a step cannot be used."""
    from algorithms.core.filters import recipe_of as in_use
    from algorithms.project.recipes import load_recipe

    saved = () if options.recipe is None else in_use(load_recipe(options.recipe, registry))
    typed = (
        configure(registry.filters.get(id), given, registry) for id, given in map(id_and_assignments, options.filter)
    )
    return (*saved, *typed)


@dataclass(frozen=True)
class LearnerTask:
    """Holds the learner, recipe and method of a command that writes a table with ``--out``.

    ``given`` are the learner's parameters.

    ``idle`` warns of parameters without effect.
    """

    typed: LearnerArgument
    given: dict[str, str]
    method: Method
    recipe: Recipe
    idle: list[ResultWarning]

    @classmethod
    def of(cls, options: argparse.Namespace, registry: Registry) -> LearnerTask:
        learner_id, given = id_and_all_assignments(options.learner, options.p)
        typed = LearnerArgument(learner_id, given, registry)
        method, unread = method_of(options, registry)
        idle = [*without_effect(typed.unread, given), *unread]
        return cls(typed, given, method, recipe_of(options, registry), idle)

    def opened(
        self, options: argparse.Namespace, registry: Registry
    ) -> Callable[[RunContext], tuple[Dataset, Learner]]:
        """A function that reads the data with their class, and checks that the columns of all that is named exist."""
        source = source_of_options(options, registry)
        check_output("--out", options.out, options.data, *options.append, options.recipe, *self.typed.files)
        check_neutral(options, options.out)

        def read(context: RunContext) -> tuple[Dataset, Learner]:
            data = with_class(source(context.child(0.0, 1)), options.class_name)
            check_columns([self.method], data.schema)
            learner = self.typed.of(data.schema.classes)
            check_columns([*self.recipe, learner], data.schema)
            return data, learner

        return read


def rules_of(options: argparse.Namespace, registry: Registry) -> Sequence[ReplayedEdit]:
    """The cleaning rules for the data of a command, in order: those of the recipe, then those of ``--clean``."""
    words: list[str] = getattr(options, "clean", [])
    recipe: str | None = getattr(options, "recipe", None)
    if not words and recipe is None:
        return ()
    from algorithms.core.parameters import configured
    from algorithms.filters.cleaning_rules import RULES, CleaningRule
    from algorithms.project.models import SUFFIX, load_model
    from algorithms.project.recipes import load_rules

    rules: list[ReplayedEdit] = [] if recipe is None else [*load_rules(recipe)]
    for word in words:
        if word.endswith(SUFFIX):
            rules += load_model(word, registry).cleaning
        elif path_exists(word):
            rules += load_rules(word)
        else:
            id, assignments = id_and_assignments(word)
            rule = configured(RULES.get(id), assignments, RULES.get)
            rules += [rule] if isinstance(rule, CleaningRule) else []
    return rules


def saved_reading(options: argparse.Namespace, registry: Registry) -> FileReading | None:
    """How the table was read from which the recipe was saved, else the first recipe or model of ``--clean``."""
    from algorithms.project.models import SUFFIX, load_model
    from algorithms.project.recipes import load_reading

    recipe: str | None = getattr(options, "recipe", None)
    files = [*([] if recipe is None else [recipe]), *filter(path_exists, getattr(options, "clean", []))]
    readings = (load_model(path, registry).reading if path.endswith(SUFFIX) else load_reading(path) for path in files)
    return next((reading for reading in readings if reading is not None), None)
