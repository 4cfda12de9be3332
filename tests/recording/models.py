"""Model files, one a learner: each must open in later versions and predict the same to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from algorithms.catalogue import builtin
from algorithms.core.registry import Registry
from algorithms.core.run_control import RunContext
from algorithms.io.reading import read
from algorithms.project.models import load_model
from tests.recording.command_line import folder_with_tables, run_command
from tests.recording.commands import CUT, EXPORT_FORMATS, NEED_CUTS, PATIENTS, model_name
from tests.recording.storage import Entries

SUFFIX: Final = ".model"
SMALLER: Final = {
    "random-forest": ("-p", "members=8"),
    "bagging": ("-p", "members=5"),
    "gradient-boosting": ("-p", "members=8"),
    "adaboost": ("-p", "members=5"),
}
"""Options that keep the files of large models small."""


def write_models(folder: Path) -> None:
    """Train each learner on the patients and save its model; a file that is there stays."""
    folder.mkdir(parents=True, exist_ok=True)
    with folder_with_tables():
        for learner in builtin().learners:
            path = folder / model_name(learner.id, PATIENTS)
            options = (*SMALLER.get(learner.id, ()), *(CUT if learner.id in NEED_CUTS else ()))
            if not path.exists():
                command = PATIENTS.judge(learner.id, "--method", "holdout", *options, "--save", str(path))
                entry = run_command(command)
                if not path.exists():
                    raise RuntimeError(f"{learner.id} saved no model: {entry.get('errors')}")


def read_models(folder: Path) -> Entries:
    """What each model file of a folder says, by the name of the file."""
    registry = builtin()
    with folder_with_tables():
        return {path.name: _content_of(path, registry) for path in sorted(folder.glob(f"*{SUFFIX}"))}


def _content_of(path: Path, registry: Registry) -> dict[str, Any]:
    """What the model is, its predictions for the patients, and its exports."""
    trained = load_model(path, registry)
    predictions = trained.judged(read(PATIENTS.source, RunContext()), RunContext(seed=0))
    exports: Sequence[dict[str, Any]] = [run_command(("export", str(path), "--as", id)) for id in EXPORT_FORMATS]
    return {
        "learner": trained.learner.to_json(),
        "filters": [step.to_json() for step in trained.filters],
        "facts": dict(trained.model.facts()),
        "classes": list(trained.classes),
        "decisions": predictions.decisions.tolist(),
        "probabilities": predictions.probabilities.tolist(),
        "exports": [{name: value for name, value in export.items() if name != "command"} for export in exports],
    }
