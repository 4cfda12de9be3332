"""The command line: list what there is, evaluate a learner on data, predict with a saved model.

Wrong use ends with exit code 2, data that cannot be used with 1, a stop with 130, each with one line on standard error.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeVar

from algorithms.catalogue import builtin
from algorithms.core.errors import Cancelled, CoppiceError, ModelFileError, ParameterError, UnknownIdError
from algorithms.core.params import Configurable, configured
from algorithms.core.registry import Registry

if TYPE_CHECKING:
    from algorithms.core.context import RunContext
    from algorithms.core.data import Dataset
    from algorithms.core.learner import Learner
    from algorithms.core.resampling import Method
    from algorithms.core.trained import TrainedClassifier
    from algorithms.evaluation.costs import CostMatrix
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.io.writing import Style

VERBS: Final = ("list", "evaluate", "predict", "export")
WRONG_USE: Final = 2
UNUSABLE: Final = 1
STOPPED: Final = 130
SHARE_OF_JUDGING: Final = 0.9
MOST_CLASSES: Final = 100
"""A column of numbers or words with at most so many distinct values may be named as the class."""

EXPORTS: Final = ("text", "sql", "python", "pmml")
EXPORT_HELP: Final = "text: indented lines; sql: one query; python: a module; pmml: PMML 4.4"

T = TypeVar("T")


SHEET_HELP: Final = "which sheet of a workbook (default: the first that holds a table)"


class _WrongUseError(Exception):
    """The command cannot be understood; says why in one line."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _WrongUseError(f"{message} (see {self.prog} --help)")


def main(argv: Sequence[str], registry: Registry | None = None) -> int:
    """Run one verb with its arguments (without the program's name) and return the exit code."""
    _be_lenient_with(sys.stdout)
    _be_lenient_with(sys.stderr)
    try:
        options = _parser().parse_args(list(argv))
        verb: Callable[[argparse.Namespace, Registry], None] = options.run
        verb(options, registry or builtin())
        sys.stdout.flush()
    except SystemExit as done:  # --help and --version
        return int(done.code or 0)
    except (_WrongUseError, ParameterError, UnknownIdError) as error:
        return _end(WRONG_USE, str(error))
    except CoppiceError as error:
        return _end(UNUSABLE, str(error))
    except (KeyboardInterrupt, Cancelled):
        return _end(STOPPED, "Stopped.")
    except BrokenPipeError:  # whoever read the output has seen enough
        sys.stdout = None
        return 0
    return 0


def _end(code: int, sentence: str) -> int:
    print(" ".join(sentence.split()), file=sys.stderr)
    return code


def _be_lenient_with(stream: Any) -> None:
    """Labels that the terminal cannot show are written as escapes."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


# ---- the words of a command ------------------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    prog = "main.py" if Path(sys.argv[0]).name == "main.py" else "coppice"
    parser = _Parser(
        prog=prog,
        usage=f"{prog} [FILE]\n       {prog} VERB ...",
        description="Without a verb Coppice opens its window, with the table in FILE (or sample:NAME) in it.",
    )
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB", parser_class=_Parser, prog=prog)

    lists = verbs.add_parser("list", help="what there is: learners, filters, methods, samples")
    lists.add_argument("what", choices=("learners", "filters", "methods", "samples"))
    lists.add_argument("--json", action="store_true", help="as JSON")
    lists.set_defaults(run=_list)

    judge = verbs.add_parser("evaluate", help="judge a learner on data")
    judge.add_argument("data", metavar="DATA", help="a file, or sample:NAME[:size=N,seed=N]")
    judge.add_argument("--sheet", metavar="NAME", help=SHEET_HELP)
    judge.add_argument("--learner", metavar="ID", required=True, help="see: list learners")
    judge.add_argument("-p", metavar="NAME=VALUE", action="append", default=[], help="a parameter of the learner")
    judge.add_argument("--class", metavar="COLUMN", dest="class_name", help="the column to predict")
    judge.add_argument(
        "--filter", metavar="ID[:NAME=VALUE,...]", action="append", default=[], help="learned in each fold"
    )
    judge.add_argument("--method", metavar="ID[:NAME=VALUE,...]", help="see: list methods (default: cross-validation)")
    judge.add_argument(
        "--in-pieces",
        action="store_true",
        help="grow a tree (c4.5 or cart) on a text file larger than memory; judged by holdout or training-set",
    )
    judge.add_argument("--seed", metavar="N", type=_whole, default=1, help="the same seed gives the same numbers")
    judge.add_argument("--costs", metavar="FILE", help="what each mistake costs: a labelled table")
    judge.add_argument("--save", metavar="MODEL", help="write the model of all records here")
    judge.add_argument("--threads", metavar="N", type=_positive, help="default: one a processor core")
    judge.add_argument("--json", action="store_true", help="one JSON object")
    judge.set_defaults(run=_evaluate)

    use = verbs.add_parser("predict", help="apply a saved model to data")
    use.add_argument("model", metavar="MODEL")
    use.add_argument("data", metavar="DATA", help="a file, or sample:NAME")
    use.add_argument("--sheet", metavar="NAME", help=SHEET_HELP)
    use.add_argument("--out", metavar="FILE", help="the CSV or .xlsx file to write (default: standard output)")
    use.add_argument("--json", action="store_true", help="one JSON object: decision and probabilities of each record")
    use.set_defaults(run=_predict)

    write = verbs.add_parser("export", help="write a saved tree for other programs")
    write.add_argument("model", metavar="MODEL")
    write.add_argument("--as", metavar="FORMAT", dest="format", required=True, choices=EXPORTS, help=EXPORT_HELP)
    write.add_argument("--out", metavar="FILE", help="the file to write (default: standard output)")
    write.set_defaults(run=_export)
    return parser


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)


def _positive(text: str) -> int:
    number = _whole(text)
    if not number:
        raise argparse.ArgumentTypeError("at least 1 is needed")
    return number


def _assignments(words: Sequence[str], where: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise _WrongUseError(f"{where}: {word!r} is not NAME=VALUE.")
        found[name.strip()] = value
    return found


def _id_and_assignments(text: str) -> tuple[str, dict[str, str]]:
    """ "id:a=1,b=2" in its parts; a comma inside a value is one that no name follows."""
    id, _, rest = text.partition(":")
    words = re.split(r",(?=[A-Za-z_.]+=)", rest) if rest else []
    return id, _assignments(words, id)


def _made(cls: type[Configurable], assignments: dict[str, str], registry: Registry) -> Any:
    return configured(cls, assignments, registry.resolve)


# ---- list ------------------------------------------------------------------------------------------------------------


def _list(options: argparse.Namespace, registry: Registry) -> None:
    if options.what == "samples":
        items = [
            {"id": s.id, "name": s.name, "question": s.question, "sentence": s.sentence, "records": s.n_records}
            for s in registry.samples
        ]
        lines = [f"{s['id']:<22} {s['question']} {s['sentence']} ({s['records']} records)" for s in items]
    else:
        shelf: Any = getattr(registry, options.what)
        items = [_described(thing) for thing in shelf]
        lines = [line for thing in shelf for line in _lines(thing)]
    print(json.dumps(items, indent=2) if options.json else "\n".join(lines))


def _described(thing: type[Configurable]) -> dict[str, Any]:
    described: dict[str, Any] = {"id": thing.id, "name": thing.name, "sentence": thing.sentence}
    family = getattr(thing, "family", None)
    if family:
        described["family"] = family
    described["parameters"] = [
        {
            "name": p.name,
            "kind": p.kind.value,
            "default": _plain(p.default),
            "allowed": p.allowed(),
            "label": p.label,
            "help": p.help,
        }
        for p in thing.parameters()
    ]
    return described


def _plain(default: Any) -> Any:
    return default.to_json() if isinstance(default, Configurable) else default


def _lines(thing: type[Configurable]) -> list[str]:
    lines = [f"{thing.id:<22} {thing.name}: {thing.sentence}"]
    for p in thing.parameters():
        default = p.default.id if isinstance(p.default, Configurable) else p.default
        lines.append(f"    {f'{p.name}={_typed(default)}':<24} {p.label}: {p.allowed()}")
    return lines


def _typed(default: Any) -> str:
    if isinstance(default, bool) or default is None:
        return str(default).lower()
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)


# ---- evaluate --------------------------------------------------------------------------------------------------------


def _evaluate(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.evaluation.costs import read_costs
    from algorithms.evaluation.metrics import report
    from algorithms.evaluation.presentation import plain, report_to_json, report_to_text
    from algorithms.evaluation.runner import evaluate, train
    from algorithms.persistence.models import save_model

    learner: Learner = _made(registry.learners.get(options.learner), _assignments(options.p, "-p"), registry)
    id, assignments = _id_and_assignments(options.method or ("holdout" if options.in_pieces else "cross-validation"))
    method: Method = _made(registry.methods.get(id), assignments, registry)
    recipe = tuple(
        _made(registry.filters.get(id), values, registry) for id, values in map(_id_and_assignments, options.filter)
    )
    source = _source(options.data, registry, options.sheet)
    if options.in_pieces and (recipe or options.data.startswith("sample:") or options.sheet):
        raise _WrongUseError("--in-pieces is for text files as they are: no --filter, no --sheet, no sample.")
    if method.needs_test_data and not method.values()["path"]:
        raise _WrongUseError(f"{id} needs a file: --method {id}:path=FILE")
    for read in (options.data, options.costs, method.values().get("path")):
        _refuse_to_write_over(read, "--save", options.save)
    if options.save and not Path(options.save).absolute().parent.is_dir():
        raise ModelFileError("The file cannot be written: there is no such folder.", place=options.save)
    begin = perf_counter()

    def costs_of(classes: tuple[str, ...]) -> CostMatrix | None:
        return None if options.costs is None else read_costs(options.costs, classes)

    def in_pieces(context: RunContext) -> tuple[EvaluationResult, TrainedClassifier, CostMatrix | None]:
        from algorithms.evaluation.in_pieces import grow_in_pieces

        found = grow_in_pieces(learner, options.data, method, context, class_name=options.class_name)
        return found.result, found.trained, costs_of(found.result.classes)

    def judged(context: RunContext) -> tuple[EvaluationResult, TrainedClassifier, CostMatrix | None]:
        data = _with_class(source(context), options.class_name)
        costs = costs_of(data.schema.classes)
        test_data = _source(method.values()["path"], registry)(context) if method.needs_test_data else None
        loaded = perf_counter()
        judging = context.child(SHARE_OF_JUDGING, key=0, same_seed=True)
        result = evaluate(learner, data, method, judging, recipe=recipe, test_data=test_data)
        result = replace(result, timings=replace(result.timings, load=loaded - begin))
        judging.complete()
        context.say("Training on all records")
        return result, train(learner, data, recipe, context.child(1 - SHARE_OF_JUDGING, key=1)), costs

    def work(context: RunContext) -> dict[str, Any] | str:
        result, trained, costs = in_pieces(context) if options.in_pieces else judged(context)
        if options.save:
            save_model(options.save, trained)
        summary = report(result, costs)
        if not options.json:
            return f"{report_to_text(result, summary)}\n\n{_model_line(trained, options.save)}"
        values = report_to_json(result, summary)
        values["data"] = trained.data_name
        values["model"] = plain({"id": trained.model.id, **trained.model.facts()})
        values["seconds"]["total"] = perf_counter() - begin
        return values

    found = _watched(work, options.seed, options.threads, may_finish=options.in_pieces)
    print(found if isinstance(found, str) else json.dumps(found, allow_nan=False))


def _model_line(trained: TrainedClassifier, saved: str | None) -> str:
    counted = trained.model.facts().items()
    facts = ", ".join(_counted(value, name) if name.endswith("s") else f"{name} {value:g}" for name, value in counted)
    where = f", saved as {saved}" if saved else ""
    return f"The model of all records: {facts or trained.learner.name}{where}."


def _counted(n: float, plural: str) -> str:
    """ "1 leaf", "5 leaves": a number of things whose plural is given."""
    if n != 1:
        return f"{n:g} {plural}"
    return f"1 {plural.removesuffix('aves') + 'af' if plural.endswith('aves') else plural.removesuffix('s')}"


def _with_class(data: Dataset, name: str | None) -> Dataset:
    """The data with this column as its class; whole numbers and words of few values are taken as labels."""
    from algorithms.core.errors import DataError
    from algorithms.core.recast import recast
    from algorithms.core.schema import Kind
    from algorithms.core.summary import count_distinct

    if name is None:
        if data.schema.class_index is None:
            raise DataError("No column can be the class.", remedy="Name it with --class COLUMN.")
        return data
    if name not in data.schema:
        raise ParameterError(f"There is no column {name!r}.", remedy=_other_columns(name, data), place="--class")
    index = data.schema.index_of(name)
    attribute, column = data.schema.attributes[index], data.column(index)
    if not attribute.kind.is_coded and count_distinct(attribute, column) <= MOST_CLASSES:
        data = recast(data, index, Kind.NOMINAL)
    return data.with_class(name)


def _other_columns(name: str, data: Dataset) -> str:
    """The columns whose names are like this one; where there is none, all of them, ten at most."""
    names = {other.casefold(): other for other in reversed(data.schema.names)}
    near = difflib.get_close_matches(name.casefold(), names, n=3, cutoff=0.6)
    if near:
        return f"Did you mean {' or '.join(names[other] for other in near)}?"
    return f"The columns are {', '.join(data.schema.names[:10])}{', ...' if len(data.schema) > 10 else ''}."


def _refuse_to_write_over(read: str | None, option: str, written: str | None) -> None:
    """Raise a wrong use where a file that is read is also the one to write, by whatever path."""
    if not read or not written or not Path(read).exists():
        return
    ours, theirs = Path(written), Path(read)
    if ours.resolve() == theirs.resolve() or (ours.exists() and ours.samefile(theirs)):
        raise _WrongUseError(f"{option} {written} would overwrite {read}, which is read here. Give it another name.")


# ---- export ----------------------------------------------------------------------------------------------------------


def _export(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.core.errors import DataError
    from algorithms.export.formats import exported
    from algorithms.persistence.models import load_model

    _refuse_to_write_over(options.model, "--out", options.out)
    text = exported(load_model(options.model, registry), options.format)
    if options.out is None:
        sys.stdout.write(text)
        return
    try:
        Path(options.out).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise DataError(f"The file cannot be written: {error.strerror or error}.", place=options.out) from error


# ---- predict ---------------------------------------------------------------------------------------------------------


def _predict(options: argparse.Namespace, registry: Registry) -> None:
    from algorithms.core.context import RunContext
    from algorithms.evaluation.presentation import predictions_to_json
    from algorithms.io.excel_writing import write_table
    from algorithms.io.options import ReadOptions
    from algorithms.io.writing import csv_texts, style_of
    from algorithms.persistence.models import load_model

    source = _source(options.data, registry, options.sheet)
    for read in (options.data, options.model):
        _refuse_to_write_over(read, "--out", options.out)
    heard: list[object] = []

    def work(context: RunContext) -> tuple[Dataset, TrainedClassifier, list[str]]:
        trained = load_model(options.model, registry)
        data = source(context)
        notes = [difference.sentence for difference in trained.differences(data)]
        context.say("Predicting")
        predicted = trained.with_predictions(data)
        context.checkpoint()
        if options.out is not None:
            write_table(options.out, predicted, context, style())
        known, right = trained.n_right(predicted)
        told = [f"Right on {right} of {known} records whose class is known."] if known else []
        return predicted, trained, [*notes, *told]

    def style() -> Style:
        return style_of(next((event for event in heard if isinstance(event, ReadOptions)), None))

    predicted, trained, notes = _watched(work, seed=0, threads=None, listener=heard.append)
    if options.json:
        print(json.dumps(predictions_to_json(predicted, trained.classes, notes), allow_nan=False))
        return
    for note in notes:
        print(note, file=sys.stderr)
    if options.out is None:
        for text in csv_texts(predicted, RunContext(), style()):
            sys.stdout.write(text)


# ---- data and threads ------------------------------------------------------------------------------------------------


def _source(text: str, registry: Registry, sheet: str | None = None) -> Callable[[RunContext], Dataset]:
    """What reads the data that a person named: a file and one of its sheets, or "sample:NAME[:size=N,seed=N]"."""
    if not text.startswith("sample:"):
        return partial(_read, text, sheet)
    if sheet is not None:
        raise _WrongUseError("--sheet is for workbooks; a sample has no sheets.")
    id, assignments = _id_and_assignments(text.removeprefix("sample:"))
    sample = registry.samples.get(id)
    unknown = [name for name in assignments if name not in ("size", "seed")]
    if unknown or (assignments and not sample.generated):
        has = "size and seed" if sample.generated else "nothing to set"
        raise _WrongUseError(f"The sample {id} has {has}.")
    size = _number(assignments["size"], "size", 1) if "size" in assignments else None
    seed = _number(assignments.get("seed", "1"), "seed", 0)
    return lambda context: sample.make(size, seed, context)


def _number(text: str, name: str, least: int) -> int:
    if not (text.isascii() and text.isdigit() and int(text) >= least):
        raise _WrongUseError(f"{name} must be a whole number from {least}, not {text!r}.")
    return int(text)


def _read(path: str, sheet: str | None, context: RunContext) -> Dataset:
    from algorithms.io.options import ReadOptions
    from algorithms.io.reading import read, sheets

    context.say("Reading")
    if sheet is not None and not sheets(path):
        raise _WrongUseError(f"--sheet is for workbooks; {Path(path).name} has no sheets.")
    return read(path, context, ReadOptions(sheet=sheet))


def _watched(
    work: Callable[[RunContext], T],
    seed: int,
    threads: int | None,
    listener: Callable[[object], None] | None = None,
    *,
    may_finish: bool = False,
) -> T:
    """Do the work on a pool of threads, with its progress on a terminal; the main thread stays free for Ctrl-C.

    Work that ``may_finish`` is finished early at the first Ctrl-C and stopped at the second.
    """
    from algorithms.core.context import RunContext
    from algorithms.core.executor import thread_pool

    with thread_pool(threads) as pool:
        context = RunContext(seed=seed, executor=pool, listener=listener)
        future: Future[T] = pool.submit(work, context)
        try:
            while not future.done():
                try:
                    wait_for([future], timeout=0.2)
                    _show_progress(context)
                except KeyboardInterrupt:
                    if not may_finish or context.finishing:
                        raise
                    context.finish()
                    _clear_line()
                    print("Finishing with what there is. Ctrl-C again stops.", file=sys.stderr)
            return future.result()
        except KeyboardInterrupt:
            context.cancel()
            raise
        finally:
            _clear_line()


def _show_progress(context: RunContext) -> None:
    if sys.stderr.isatty():
        share = context.progress()
        percent = "" if share is None else f"{100 * share:3.0f}% "
        sys.stderr.write(f"\r\x1b[K{percent}{context.message}")
        sys.stderr.flush()


def _clear_line() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
