"""Every tree learner on every published data set, by the command line.

``python -m tests.benchmarks.trees_on_all_sets [seed] [learner ...]`` prints the accuracy of ten-fold cross-validation
in percent, the leaves of the tree on all records, and what failed. ID3 is given its numbers cut into ranges inside the
folds.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
from pathlib import Path
from statistics import mean

from algorithms.cli import main as command_line

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
LEARNERS = ("decision-stump", "id3", "chaid", "cart", "c4.5")
MORE = {"id3": ["--filter", "discretize"]}


def evaluated(learner: str, path: Path, seed: int) -> dict[str, object] | str:
    """What ``evaluate --json`` prints, or why it failed."""
    out, error = io.StringIO(), io.StringIO()
    argv = ["evaluate", str(path), "--learner", learner, *MORE.get(learner, []), "--seed", str(seed), "--json"]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = command_line(argv)
    found: dict[str, object] = json.loads(out.getvalue()) if code == 0 else {}
    return found if code == 0 else f"exit {code}: {error.getvalue().strip()}"


def main(seed: int, learners: list[str]) -> int:
    """Print the table; 1 where anything failed."""
    with (SHARED / "reference" / "weka-cv.csv").open(newline="") as file:
        reference = {row["dataset"]: float(row["J48_accuracy"]) for row in csv.DictReader(file)}
    print(f"{'data set':14s} {'J48':>6s}  " + "  ".join(f"{learner:>14s}" for learner in learners))
    failures, accuracies = list[str](), {learner: list[float]() for learner in learners}
    for name, theirs in reference.items():
        cells = []
        for learner in learners:
            found = evaluated(learner, SHARED / "datasets" / f"{name}.arff", seed)
            if isinstance(found, str):
                failures.append(f"{learner} on {name}: {found}")
                cells.append(f"{'failed':>14s}")
                continue
            accuracy, model = found["accuracy"], found["model"]
            assert isinstance(accuracy, float) and isinstance(model, dict)
            accuracies[learner].append(100 * accuracy)
            cells.append(f"{100 * accuracy:6.2f} ({model['leaves']:5d})")
        print(f"{name:14s} {theirs:6.2f}  " + "  ".join(cells), flush=True)
    print(
        f"{'mean':14s} {mean(reference.values()):6.2f}  " + "  ".join(f"{mean(a):14.2f}" for a in accuracies.values())
    )
    print("\n".join(failures) or "nothing failed")
    return 1 if failures else 0


if __name__ == "__main__":
    given = sys.argv[1:]
    chosen_seed = int(given.pop(0)) if given and given[0].isdigit() else 1
    sys.exit(main(chosen_seed, given or list(LEARNERS)))
