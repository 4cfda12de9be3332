"""Output of JSON, tables, CSV, warnings and lists; the main thread shows the progress of runs and handles Ctrl-C."""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import socket
import sys
import textwrap
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from algorithms.cli.arguments import COST_FILE, WrongUseError, check_output, condition_words
from algorithms.core.errors import UnknownIdError
from algorithms.core.files import CsvWriter, neutralised_csv, write_text
from algorithms.core.parameters import PRESET, Configurable, Parameter, ParameterKind
from algorithms.evaluation.checks.warning import ON_TRAINING, ResultWarning
from algorithms.io.writing import OUT_SUFFIXES, SERVER, SQLITE, TEXTS, usable_format, written_format
from algorithms.text.numbers import duration_words

if TYPE_CHECKING:
    from algorithms.core.filters import Recipe
    from algorithms.core.registry import Registry
    from algorithms.core.run_control import RunContext, Workers
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.dataset import Dataset
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.io.text.options import Style


def print_result(result: Any, indent: int | None = None) -> None:
    """Print a text as it is and any other value as JSON; raises ``ValueError`` for NaN and infinity."""
    print(result if isinstance(result, str) else json.dumps(result, indent=indent, allow_nan=False))


def print_note(text: str) -> None:
    """Print a line to standard error in place of the progress line."""
    clear_progress()
    print(text, file=sys.stderr, flush=True)


def clear_progress() -> None:
    """Clear the terminal's progress line."""
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


def write_rows(path: str, rows: Iterable[Sequence[object]], neutral: bool) -> None:
    """Write rows as CSV; raises :class:`DataError` if the file cannot be written."""
    text = io.StringIO()
    CsvWriter(text).writerows(rows)
    write_csv_text(path, text.getvalue(), neutral)


def add_neutral(verb: argparse.ArgumentParser) -> None:
    """Declare the option that neutralises spreadsheet formulas in CSV."""
    verb.add_argument(
        "--neutralise-formulas",
        dest="neutral",
        action="store_true",
        help="put an apostrophe before CSV text that a spreadsheet takes for a formula (= + - @ tab CR); numbers stay",
    )


def check_neutral(options: argparse.Namespace, out: str | None, option: str = "--out FILE.csv") -> None:
    """Raise :class:`WrongUseError` if formulas are to be neutralised but ``out`` is no CSV file."""
    if options.neutral and (out is None or (out and written_format(out) not in TEXTS)):
        raise WrongUseError(f"--neutralise-formulas changes CSV only: write some with {option}.")


def add_out(
    verb: argparse.ArgumentParser, what: str = "the file to write (default: standard output)", *, required: bool = False
) -> None:
    """Declare the file that a table is written to, with its options."""
    help = f"{what}; its name says how: {OUT_SUFFIXES}, else CSV; or the address of a database, as in DATA"
    verb.add_argument("--out", metavar="FILE", required=required, help=help)
    verb.add_argument("--table", metavar="NAME", help="table of the database that --out names (default: as the data)")
    verb.add_argument(
        "--if-exists",
        dest="existing",
        choices=("refuse", "replace", "append", "rename"),
        help="if the database has that table: write nothing (refuse, the default), replace it, append the records in "
        "one transaction, or give the new one a free name (rename)",
    )
    add_neutral(verb)


def write_out(
    options: argparse.Namespace, data: Dataset, context: RunContext | None = None, style: Style | None = None
) -> None:
    """Write a table to the file of :func:`add_out`; raises :class:`DataError` if it cannot be written."""
    from algorithms.core.run_control import RunContext
    from algorithms.io.text.options import PLAIN
    from algorithms.io.writing import write_table

    own = replace(style or PLAIN, neutral=options.neutral)
    own = replace(own, table=options.table or "", existing=options.existing or "refuse")
    context = context or RunContext()
    context.passwords.update(options.passwords)
    write_table(options.out, data, context, own)


def check_out(options: argparse.Namespace, *read: str | None, is_shown: bool = False) -> None:
    """Check the file of :func:`add_out` and its options before the work; see :func:`check_output`.

    ``is_shown`` says that a table is printed without it. Raises :class:`DataError` for a suffix that is not written.
    """
    format = None if options.out is None else usable_format(options.out)
    if format is not SERVER:
        check_output("--out", options.out, *read)
    if format not in (SQLITE, SERVER) and (options.table is not None or options.existing is not None):
        raise WrongUseError("--table and --if-exists are for databases: write one with --out FILE.sqlite.")
    options.passwords = {} if options.out is None else passwords_for(options.out)
    check_neutral(options, "" if options.out is None and is_shown else options.out)


def passwords_for(text: str) -> dict[str, str]:
    """The password of a server by its address: of the environment, or asked for at a terminal if it is wanted."""
    from algorithms.io.servers import PASSWORD_VARIABLE, ServerAddress, is_server_address

    if not is_server_address(text):
        return {}
    from algorithms.core.errors import PasswordNeededError
    from algorithms.core.run_control import RunContext
    from algorithms.io.databases import ServerSource, opened_database

    address = str(ServerAddress.of(text))
    if password := os.environ.get(PASSWORD_VARIABLE):
        return {address: password}
    if not sys.stdin.isatty():
        return {}
    try:
        with opened_database(ServerSource(text), RunContext()):
            return {}
    except PasswordNeededError as needed:
        import getpass

        return {address: getpass.getpass(f"{needed.sentence} Password: ")}


def write_csv_text(path: str | Path, text: str, neutral: bool) -> None:
    """Write CSV text, with spreadsheet formulas neutralised if ``neutral``."""
    write_text(path, neutralised_csv(text) if neutral else text)


REMARK: Final = "remark"
"""The id of a remark that belongs to the result itself."""


def warnings_about_data(
    data: Dataset, context: RunContext, left_out: Iterable[str] = (), of_costs: Collection[str] = ()
) -> list[ResultWarning]:
    """Warnings about the data alone, without those on the ``left_out`` columns; the costs use those ``of_costs``."""
    from algorithms.data.convert_kind import unread_numbers
    from algorithms.data.summary import summarize
    from algorithms.evaluation.checks.data_quality_checks import giveaways
    from algorithms.evaluation.checks.warnings import CheckedData, data_warnings, unread_amounts

    context.say("Looking at each column alone")
    left_out = tuple(left_out)
    found = giveaways(data, context.checkpoint)
    unread = {name: form for name, form in unread_numbers(data, context.checkpoint).items() if name not in left_out}
    checked = CheckedData(summarize(data, context.checkpoint), found, left_out, of_costs)
    return [*data_warnings(checked), *unread_amounts(unread)]


def warnings_about_table(
    data: Dataset, recipe: Recipe, context: RunContext, result: EvaluationResult | None = None
) -> list[ResultWarning]:
    """Warnings about the data and records of a table; ``result`` is that of any model of it, or None."""
    from algorithms.core.filters import fit_recipe
    from algorithms.evaluation.checks.data_quality_checks import check_run
    from algorithms.evaluation.checks.warnings import record_warnings

    left_out = fit_recipe(recipe, data.labelled(), context)[0].left_out(data.schema) if recipe else ()
    found: list[ResultWarning] = []
    if result is not None:
        found = record_warnings(check_run(result, data, None, context, left_out))
    return [each for each in (*found, *warnings_about_data(data, context, left_out)) if not each.harmless]


def warnings_about_run(
    result: EvaluationResult,
    report: Report,
    data: Dataset,
    test_data: Dataset | None,
    trained: TrainedClassifier,
    context: RunContext,
    of_costs: Collection[str] = (),
) -> list[ResultWarning]:
    """Warnings about the evaluation of a result, then those about its data; the costs use columns ``of_costs``."""
    from algorithms.evaluation.checks.data_quality_checks import check_run
    from algorithms.evaluation.checks.warnings import evaluation_warnings, step_warnings

    checks = check_run(result, data, test_data, context, trained.left_out)
    return [
        *evaluation_warnings(result, report, checks),
        *step_warnings(trained.recipe),
        *warnings_about_data(data, context, trained.recipe.left_out(trained.input_schema), of_costs),
    ]


def as_json(warnings: Sequence[ResultWarning], remarks: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Warnings, then the remarks of the result, as objects with id, sentence, why and remedy."""
    found = [warning.to_json() for warning in warnings]
    said = {ON_TRAINING} if any(warning.id == "tested-on-training" for warning in warnings) else set()
    rest = [ResultWarning(REMARK, (remark,)) for remark in remarks if remark not in said]
    return [*found, *(each.to_json() for each in rest)]


def print_warnings(warnings: Iterable[ResultWarning], title: str = "") -> None:
    """Print each warning on a line of standard error; ``title`` names its data set if there are several."""
    about = f"{title}: " if title else ""
    for sentences in sentences_of(warnings):
        print_note(f"Warning: {about}{sentences}")


def sentences_of(warnings: Iterable[ResultWarning]) -> list[str]:
    """Each warning with its reason and its remedy."""
    return [" ".join(filter(None, (_ended(each.sentence), each.why, _ended(each.command)))) for each in warnings]


def _ended(sentence: str) -> str:
    return sentence if not sentence or sentence[-1] in ".?!" else f"{sentence}."


T = TypeVar("T")
STOPPED: Final = 130
"""Exit code after Ctrl-C, also if the partial result is printed."""
LEAST_SECONDS: Final = 2.0
LEAST_SHARE: Final = 0.05
"""No remaining time is shown before this time has passed and this share is done."""
FIRST_LINE: Final = 10.0
LINE_EVERY: Final = 30.0
"""Seconds until the first line of progress and between two, where standard error is no terminal."""


def watched(
    work: Callable[[RunContext], T],
    seed: int,
    threads: int | None,
    listener: Callable[[object], None] | None = None,
    *,
    may_finish: bool | Callable[[], bool] = False,
    about: Callable[[], str] = lambda: "",
    cluster: str | None = None,
) -> T:
    """Run the work in a thread pool and show its progress; the main thread stays free for Ctrl-C.

    If ``may_finish`` is or returns True, the first Ctrl-C finishes the work early and the second stops it. The work
    reads that from ``context.finishing``. ``about`` names the current item before the progress. The workers at the
    address ``cluster`` do what can be given away.
    """
    from algorithms.core.run_control import RunContext, thread_pool

    with _workers_at(cluster) as workers, thread_pool(threads) as pool, _interrupt_counter() as pressed:
        context = RunContext(seed=seed, executor=pool, listener=listener, workers=workers)
        future: Future[T] = pool.submit(work, context)
        pace, next_line = Pace(), perf_counter() + FIRST_LINE
        try:
            while not future.done():
                try:
                    wait_for([future], timeout=0.2)
                    next_line = _show_progress(context, pace, about(), next_line)
                except KeyboardInterrupt:
                    keeps = may_finish() if callable(may_finish) else may_finish
                    if not keeps or context.finishing or pressed() > 1:
                        raise
                    context.finish()
                    print_note("Finishing with what there is. Ctrl-C again stops.")
            return future.result()
        except KeyboardInterrupt:
            context.cancel()
            raise
        finally:
            clear_progress()


@contextmanager
def _workers_at(address: str | None) -> Iterator[Workers | None]:
    """The workers at an address; versions that differ are printed."""
    if address is None:
        yield None
        return
    from algorithms.core.cluster import cluster_at

    with cluster_at(address, print_note) as cluster:
        yield cluster


@contextmanager
def _interrupt_counter() -> Iterator[Callable[[], int]]:
    """Counts Ctrl-C since the last call, as one ``KeyboardInterrupt`` may hide two; 0 outside the main thread."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    heard, ended = socket.socketpair()
    with heard, ended:
        heard.setblocking(False)
        ended.setblocking(False)
        before = signal.set_wakeup_fd(ended.fileno(), warn_on_full_buffer=False)

        def pressed() -> int:
            try:
                return heard.recv(4096).count(bytes([signal.SIGINT]))
            except BlockingIOError:
                return 0

        try:
            yield pressed
        finally:
            signal.set_wakeup_fd(before)


class Pace:
    """Estimates the remaining time from the pace since the first progress."""

    def __init__(self) -> None:
        self._begin: tuple[float, float] | None = None
        """Last time at which the share done was known to be at most the second number."""

    def left(self, share: float, now: float) -> float | None:
        """Remaining seconds when ``share`` (0 to 1) is done; None while too little is done for an estimate."""
        if self._begin is None or share <= self._begin[1]:
            self._begin = (now, share) if self._begin is None or share < self._begin[1] or share == 0 else self._begin
            return None
        begin, before = self._begin
        if now - begin < LEAST_SECONDS or share - before < LEAST_SHARE or share >= 1:
            return None
        return (now - begin) * (1 - share) / (share - before)


def _show_progress(context: RunContext, pace: Pace, about: str, next_line: float) -> float:
    """Show the progress on a terminal, elsewhere print it if ``next_line`` has come; returns the time of the next."""
    share, now = None if context.is_waiting else context.progress(), perf_counter()
    left = None if share is None else pace.left(share, now)
    words = progress_words(share, ", ".join(filter(None, (about, context.message))), left)
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{words}")
        sys.stderr.flush()
    elif words and now >= next_line:
        print_note(words)
        return now + LINE_EVERY
    return next_line


def progress_words(share: float | None, message: str, seconds_left: float | None) -> str:
    """The progress line, as in " 40% 4 of 10 folds judged, about 12 s left"; None as ``share`` is unknown."""
    if share is None:
        return message
    left = "" if seconds_left is None else f"about {duration_words(seconds_left)} left"
    return f"{100 * share:3.0f}% {', '.join(filter(None, (message, left)))}".rstrip()


# ---- lists of components --------------------------------------------------------------------------------------------

WIDTH: Final = 110
NESTED: Final = "its own parameters follow a dot: {name}={id},{name}.{parameter}=..."


def list_what_there_is(options: argparse.Namespace, registry: Registry) -> None:
    """Print all components of one kind, or one in full; JSON is an object with the kind as its key."""
    if options.what == "samples":
        samples = [sample for sample in registry.samples if options.id in (None, sample.id)]
        if not samples:
            registry.samples.get(options.id)
        items = [
            {"id": s.id, "name": s.name, "question": s.question, "sentence": s.sentence, "records": s.n_records}
            for s in samples
        ]
        lines = [f"{s['id']:<22} {s['question']} {s['sentence']} ({s['records']} records)" for s in items]
    elif options.what == "functions":
        from algorithms.data.formula_functions import FUNCTIONS  # late: it needs numpy, which "--version" does not load

        chosen = {name: FUNCTIONS[name] for name in FUNCTIONS if options.id in (None, name)}
        if not chosen:
            raise UnknownIdError(f"There is no function {options.id!r}.", remedy=f"There are: {', '.join(FUNCTIONS)}.")
        items = [{"id": name, "usage": function.usage, "help": function.help} for name, function in chosen.items()]
        lines = [f"{item['usage']:<30} {item['help']}" for item in items]
    else:
        components = _components(options.what, registry)
        things = list(components) if options.id is None else [components.get(options.id)]
        items = [_described(thing) for thing in things]
        lines = [line for thing in things for line in (_lines(thing) if options.id is None else _whole(thing))]
    print_result({options.what: items} if options.json else "\n".join(lines), indent=2)


def _components(what: str, registry: Registry) -> Any:
    if what == "cleaning":
        from algorithms.filters.cleaning_rules import RULES

        return RULES
    if what != "curves":
        return getattr(registry, what)
    from algorithms.evaluation.curves.curve_kinds import CURVES

    return CURVES


def _described(thing: type[Configurable]) -> dict[str, Any]:
    described: dict[str, Any] = {"id": thing.id, "name": thing.name, "sentence": thing.sentence}
    family = getattr(thing, "family", None)
    if family:
        described["family"] = family
    if getattr(thing, "only_training", False):
        described["only_training"] = True
    if thing.presets:
        described["presets"] = [
            {"word": p.word, "name": p.name, "help": p.help, "values": dict(p.values)} for p in thing.presets
        ]
    described["parameters"] = [
        {
            "name": p.name,
            "kind": p.kind.value,
            "default": p.plain(p.default),
            "allowed": _allowed(p),
            "label": p.label,
            "help": p.help,
        }
        for p in thing.parameters()
    ]
    return described


def _lines(thing: type[Configurable]) -> list[str]:
    lines = [f"{thing.id:<22} {thing.name}: {thing.sentence}"]
    lines += [f"    {f'{PRESET}={preset.word}':<24} {preset.name}: {preset.help}" for preset in thing.presets]
    lines += [f"    {_assignment(p):<24} {p.label}: {_allowed(p)}" for p in thing.parameters()]
    return lines


def _whole(thing: type[Configurable]) -> list[str]:
    """One component with the meaning of each parameter and the condition under which it has an effect."""
    lines = _wrapped(f"{thing.id}   {thing.name}: {thing.sentence}", 0)
    for preset in thing.presets:
        lines += ["", f"  {PRESET}={preset.word}", *_wrapped(f"{preset.name}: {preset.help}", 6)]
    for p in thing.parameters():
        lines += ["", f"  {_assignment(p)}", *_wrapped(f"{p.label}: {p.help}", 6)]
        if p.kind is ParameterKind.CHOICE:
            lines += [
                line
                for option in p.options
                for line in _wrapped(": ".join(filter(None, [f"{option.word} ({option.label})", option.help])), 8)
            ]
        else:
            lines += _wrapped(f"{_allowed(p)}.", 6)
        if p.enabled_if is not None:
            lines += _wrapped(f"Counts only with {condition_words(p.enabled_if)}.", 6)
        if isinstance(p.default, Configurable):
            lines += _wrapped(_nested_words(p.name, p.default), 6)
    return lines


def _allowed(parameter: Parameter) -> str:
    """The values that a user may type for a parameter, as text."""
    also = f", or {COST_FILE}" if parameter.kind is ParameterKind.COST_MATRIX else ""
    return f"{parameter.allowed()}{also}"


def _nested_words(name: str, default: Configurable) -> str:
    inner = default.parameters()
    example = inner[0].name if inner else "NAME"
    listed = f"list learners {default.id}"
    words = NESTED.format(name=name, id=default.id, parameter=example)
    return f"{words[:1].upper()}{words[1:]} (see: {listed})"


def _wrapped(text: str, indent: int) -> list[str]:
    margin = " " * indent
    return textwrap.wrap(text, WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)


def _assignment(parameter: Parameter) -> str:
    default = parameter.default
    return f"{parameter.name}={_typed(default.id if isinstance(default, Configurable) else parameter.plain(default))}"


def _typed(default: Any) -> str:
    if isinstance(default, bool) or default is None:
        return str(default).lower()
    return ",".join(map(str, default)) if isinstance(default, list) else str(default)
