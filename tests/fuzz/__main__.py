"""Runs fuzzers: ``python -m tests.fuzz TARGET --seconds 600 --seed 1``, or ``all``; ``--list`` names the targets.

``--case N`` runs one case again. The exit code is 1 where anything failed; failing cases are in the folder ``--keep``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.harness import Report, fuzz
from tests.fuzz.targets import TARGETS


def main() -> int:
    """Run what is asked for, say what came of it, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="names from --list, or all")
    parser.add_argument("--list", action="store_true", help="name the targets")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long each target runs (default: 600)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, metavar="N", help="run this case alone")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="the case to begin with")
    parser.add_argument("--cases", type=int, metavar="N", help="at most so many cases")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="write failing cases here")
    asked = parser.parse_args()
    if asked.list:
        print("\n".join(TARGETS))
        return 0
    names = list(TARGETS) if asked.targets == ["all"] else asked.targets
    strange = [name for name in names if name not in TARGETS]
    if strange or not names:
        parser.error(f"the targets are {', '.join(TARGETS)} and all")
    reports = [_fuzzed(name, asked) for name in names]
    return int(any(report.kinds for report in reports))


def _fuzzed(name: str, asked: argparse.Namespace) -> Report:
    alone = asked.case is not None
    report = fuzz(
        TARGETS[name],
        seed=asked.seed,
        first=asked.case if alone else asked.first,
        cases=1 if alone else asked.cases,
        seconds=None if alone else asked.seconds,
        keep=asked.keep,
        tell=lambda line: print(line, flush=True),
    )
    print(report, flush=True)
    for kind, count in report.kinds.most_common():
        cases = ", ".join([str(failure.number) for failure in report.failures if failure.kind == kind][:8])
        print(f"    {count} x {kind} (cases {cases})", flush=True)
    return report


if __name__ == "__main__":
    sys.exit(main())
