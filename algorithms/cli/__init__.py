"""The command line: list components, evaluate and compare learners, predict with a saved model.

Exit codes: 2 for wrong use, 1 for unusable data, 130 for a stop. Each comes with one line on standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from algorithms.cli.arguments import (
    METHOD_FORM,
    PARAMETER_HELP,
    AddLearner,
    AddParameter,
    Parser,
    WrongUseError,
    add_arguments,
    seconds,
    share,
)
from algorithms.cli.comparing import compare_learners
from algorithms.cli.evaluating import evaluate_learner
from algorithms.cli.experiments import add_experiment
from algorithms.cli.explaining import add_explain
from algorithms.cli.output import STOPPED, add_neutral, add_out, list_what_there_is, print_note
from algorithms.cli.predicting import add_near, add_rules, export_tree, predict_with_model
from algorithms.cli.sources import add_convert, add_recipe, add_sessions
from algorithms.cli.sweeping import add_overview, add_rank, draw_curve
from algorithms.core.errors import Cancelled, CoppiceError, ParameterError, UnknownIdError
from algorithms.core.extras import program_version

if TYPE_CHECKING:
    from algorithms.core.registry import Registry

WRONG_USE: Final = 2
UNUSABLE: Final = 1
KEPT_WHERE: Final = "Make the cache folder of the user writable, or write the loops elsewhere: --into FOLDER."

SEARCH_HELP: Final = "tune values inside each training part: min_leaf=1,2,5 or max_depth=1..20 or recipe.1.ranges=3,5"


class _PermutationMeasures:
    """Ids of the measures of the permutation test, imported only when the help is printed."""

    def __str__(self) -> str:
        from algorithms.evaluation.measures.registry import of_permutation_test

        return ", ".join(measure.id for measure in of_permutation_test())


class _ExportFormats:
    """Ids of the export formats, imported only when they are checked or printed."""

    def __iter__(self) -> Iterator[str]:
        from algorithms.export.formats import formats

        return (format.id for format in formats())

    def __str__(self) -> str:
        from algorithms.export.formats import formats

        return "; ".join(f"{format.id}: {format.brief}" for format in formats())


CORRECTION_IDS = ("tukey-holm", "holm", "hochberg", "hommel", "bonferroni", "sidak", "benjamini-hochberg")
"""Ids of the corrections for multiple tests, repeated so that the help imports no numeric code."""


def main(argv: Sequence[str], registry: Registry | None = None) -> int:
    """Run one subcommand with its arguments (without the program's name) and return the exit code."""
    _escape_unencodable(sys.stdout)
    _escape_unencodable(sys.stderr)
    try:
        options = _parser().parse_args(list(argv))
        from algorithms.catalogue import builtin  # late: --help and --version start without it

        verb: Callable[[argparse.Namespace, Registry], int | None] = options.run
        code = verb(options, registry or builtin())
        sys.stdout.flush()
    except SystemExit as done:  # --help and --version
        return int(done.code or 0)
    except (WrongUseError, ParameterError, UnknownIdError) as error:
        return _end(WRONG_USE, str(error))
    except CoppiceError as error:
        return _end(UNUSABLE, str(error))
    except (KeyboardInterrupt, Cancelled):
        return _end(STOPPED, "Stopped.")
    except BrokenPipeError:  # the reading process closed the pipe, as "head" does
        sys.stdout = None
        return 0
    return code or 0


def _end(code: int, sentence: str) -> int:
    print_note(" ".join(sentence.split()))
    return code


def _escape_unencodable(stream: Any) -> None:
    """Write characters that the stream cannot encode as backslash escapes."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


class Version(argparse.Action):
    """Prints the version and exits."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        print(f"coppice {program_version()}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    prog = "main.py" if Path(sys.argv[0]).name == "main.py" else "coppice"
    parser = Parser(
        prog=prog,
        usage=f"{prog} [FILE]\n       {prog} VERB ...",
        description="Without a verb Coppice opens its window, with the table in FILE (or sample:NAME) in it.",
    )
    parser.add_argument("--version", action=Version, nargs=0, help="show the version")
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB", parser_class=Parser, prog=prog)

    lists = verbs.add_parser("list", help="what there is: learners, filters, functions, methods, curves, samples")
    kinds = ("learners", "filters", "functions", "cleaning", "methods", "curves", "samples")
    lists.add_argument("what", choices=kinds)
    lists.add_argument("id", metavar="ID", nargs="?", help="only this one, with what each of its parameters means")
    lists.add_argument("--json", action="store_true", help="one JSON object")
    lists.set_defaults(run=list_what_there_is)

    judge = verbs.add_parser(
        "evaluate", help="test a learner on data; files named by a pattern ('part-*.parquet') are learned from in parts"
    )
    add_arguments(judge, "data", "--sheet", "--query", "--http", "--widths", "--read", "--sample", "--append")
    add_arguments(judge, "--file-column")
    add_arguments(judge, "--learner", "-p", "--class")
    add_recipe(judge)
    add_arguments(judge, "--method")
    judge.add_argument("--search", metavar="NAME=VALUES", action="append", default=[], help=SEARCH_HELP)
    judge.add_argument(
        "--strategy",
        metavar=METHOD_FORM,
        help="how to search: grid, random or halving, with draws, folds, measure (default: grid:folds=5,measure=error)",
    )
    judge.add_argument(
        "--in-pieces",
        action="store_true",
        help="grow a tree (c4.5 or cart) on a text file larger than memory; tested with holdout or training-set",
    )
    shuffle = judge.add_argument(
        "--shuffle",
        metavar="N[:measure=ID]",
        help="permutation test: the same run on N tables with permuted classes (99); measure: AUC if the baseline "
        "may be as accurate, else accuracy, or %(measures)s",
    )
    vars(shuffle)["measures"] = _PermutationMeasures()
    judge.add_argument(
        "--coefficients",
        action="store_true",
        help="the coefficients of logistic-regression with standard error, z, p and 95%% CI (-p penalty=none or firth; "
        "-p likelihood_ratio=true tests each attribute too)",
    )
    add_arguments(judge, "--seed")
    judge.add_argument(
        "--costs",
        metavar="FILE",
        help="the cost matrix: a labelled table of numbers or formulas; without it the learner's costs, if it has any",
    )
    judge.add_argument("--cost-amounts", metavar="COLUMN", help="multiply each cost by a column: cost * [COLUMN]")
    judge.add_argument(
        "--measure",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="beta of F, or found, alarm, missed, cleared: weights of the weighted accuracy (in --json)",
    )
    judge.add_argument("--curve", metavar=METHOD_FORM, action="append", default=[], help="see: list curves")
    judge.add_argument(
        "--curve-class", metavar="LABEL", action="append", default=[], help="of this class (default: that of interest)"
    )
    judge.add_argument("--curve-out", metavar="FOLDER", help="write the curves here, a CSV file for each kind")
    add_neutral(judge)
    judge.add_argument("--save", metavar="MODEL", help="write the model of all records here")
    add_arguments(judge, "--threads", "--cluster", "--json")
    judge.set_defaults(run=evaluate_learner)

    _add_compare(verbs)
    add_experiment(verbs, CORRECTION_IDS)
    _add_curve(verbs)
    add_explain(verbs)
    add_rank(verbs)
    add_overview(verbs)

    use = verbs.add_parser("predict", help="apply a saved model to data")
    add_arguments(use, "model")
    use.add_argument("data", metavar="DATA", help="a file, or sample:NAME")
    add_arguments(use, "--sheet", "--query", "--http", "--widths", "--read", "--append", "--file-column")
    add_out(use)
    use.add_argument(
        "--absent-as-missing",
        action="store_true",
        help="treat a column that DATA lacks as missing in every record; predictions may be worse",
    )
    use.add_argument(
        "--second-table",
        metavar="FILE",
        action="append",
        default=[],
        help="the table that a step joins or aggregates, instead of the one of training; once a step, in their order",
    )
    use.add_argument("--json", action="store_true", help="one JSON object: decision and probabilities of each record")
    use.set_defaults(run=predict_with_model)

    add_rules(verbs)
    add_near(verbs)
    add_sessions(verbs)
    add_convert(verbs)

    write = verbs.add_parser("export", help="write a saved tree, or rules, for other programs")
    add_arguments(write, "model")
    formats: Any = _ExportFormats()
    as_format = write.add_argument(
        "--as", metavar="FORMAT", dest="format", required=True, choices=formats, help="%(formats)s"
    )
    vars(as_format)["formats"] = formats
    write.add_argument("--out", metavar="FILE", help="the file to write (default: standard output)")
    write.set_defaults(run=export_tree)

    ready = verbs.add_parser("prepare", help="compile all loops now, so that no first use waits for them")
    ready.add_argument(
        "--into",
        metavar="FOLDER",
        type=Path,
        help="also write the compiled loops to FOLDER, for packages to ship. A program with the same system, "
        "Python, numba and numpy compiles nothing if COPPICE_KERNELS names this folder",
    )
    ready.set_defaults(run=_prepare)
    return parser


def _prepare(options: argparse.Namespace, registry: Registry) -> None:
    """Compile all loops, report the progress, and write them to the folder if one is given."""
    from algorithms.compiled.ahead_of_time import compile_all, parts_ready, preparing_words
    from algorithms.compiled.kernel_cache import cache_folder, is_kept, ship_kernels
    from algorithms.core.files import unwritable

    reported = set[tuple[int, int]]()

    def report() -> None:
        if (parts := parts_ready()) not in reported:
            reported.add(parts)
            print_note(preparing_words())

    if not is_kept() and options.into is None:
        raise CoppiceError("The compiled loops cannot be kept: the cache folder cannot be written.", remedy=KEPT_WHERE)
    if not compile_all(report):
        raise CoppiceError(
            "Some loops cannot be compiled.", remedy=f"The traces are in the files failure.txt below {cache_folder()}."
        )
    print("All loops are compiled.")
    if options.into is not None:
        try:
            print(f"Written to {ship_kernels(options.into)}.")
        except OSError as error:
            raise unwritable(options.into, error) from error


def _add_curve(verbs: Any) -> None:
    curve = verbs.add_parser("curve", help="the error by the number of training records or by an option's value")
    add_arguments(curve, "data", "--sheet", "--query", "--http", "--widths", "--read", "--sample", "--append")
    add_arguments(curve, "--file-column")
    add_arguments(curve, "--learner", "-p", "--class")
    add_recipe(curve)
    add_arguments(curve, "--method")
    curve.add_argument("--sizes", metavar="SHARES", help="shares of the training part: 10%%,30%%,100%%")
    curve.add_argument("--over", metavar="NAME=VALUES", help="an option and its values: min_leaf=1,2,5 or 1..50")
    add_arguments(curve, "--seed", "--threads")
    curve.add_argument("--out", metavar="FILE", help="write the curve here as CSV")
    add_neutral(curve)
    add_arguments(curve, "--json")
    curve.set_defaults(run=draw_curve)


def _add_compare(verbs: Any) -> None:
    compare = verbs.add_parser("compare", help="compare several learners on one file or several")
    compare.add_argument("data", metavar="DATA", nargs="+", help="files, or sample:NAME[:size=N,seed=N]")
    learners = "two or more; see: list learners"
    compare.add_argument("--learner", metavar=METHOD_FORM, action=AddLearner, required=True, help=learners)
    parameter = f"of the learner before it: {PARAMETER_HELP}"
    compare.add_argument("-p", metavar="NAME=VALUE", action=AddParameter, dest="learner", help=parameter)
    compare.add_argument("--class", metavar="COLUMN", dest="class_name", help="the column to predict, in every file")
    add_recipe(compare)
    add_arguments(compare, "--method")
    compare.add_argument(
        "--correction", choices=CORRECTION_IDS, default="tukey-holm", help="for many comparisons (default: tukey-holm)"
    )
    compare.add_argument(
        "--rope", metavar="SHARE", type=share, default=0.01, help="smaller differences do not matter (default: 0.01)"
    )
    add_arguments(compare, "--seed", "--threads", "--cluster")
    compare.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=seconds,
        help="stop a learner that takes longer on a file, report it, and go on (default: no limit)",
    )
    compare.add_argument(
        "--disagreement",
        metavar=("A", "B"),
        nargs=2,
        help="where two of the learners differ, by name or place (1 is the first): counts, oracle, kappa, settings",
    )
    compare.add_argument("--out", metavar="FILE", help="write accuracies, places and pairs here as CSV")
    compare.add_argument("--keep", metavar="FILE", help="keep all results in a new experiment (see: experiment)")
    add_neutral(compare)
    add_arguments(compare, "--json")
    compare.set_defaults(run=compare_learners)
