"""Files of a recording: JSON that is compressed, and by which libraries and processor it was made."""

from __future__ import annotations

import json
import lzma
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

DATA: Final = Path(__file__).parent / "data"
"""The recording that the repository keeps."""
TABLES: Final = (
    "patients.csv",
    "loans.csv",
    "iris-costs.csv",
    "patients-costs.csv",
    "loans-costs.csv",
    "loans-formulas.csv",
)
LIBRARIES: Final = ("numpy", "scipy", "numba", "pandas")
SUFFIX: Final = ".json.xz"
ENVIRONMENT: Final = "environment"

Entries = dict[str, Any]
"""What was recorded, by the name of the case; under :data:`ENVIRONMENT` what it was recorded with."""


@cache
def environment() -> dict[str, str]:
    """What the last bits of a number depend on besides the program."""
    import numpy as np
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))  # loads the library that multiplies matrices
    kernels = {str(pool.get("architecture", "")) for pool in threadpool_info()}
    return {
        "python": ".".join(platform.python_version_tuple()[:2]),
        "system": f"{platform.system()} {platform.machine()}",
        "kernels": " ".join(sorted(filter(None, kernels))),
        **{name: version(name) for name in LIBRARIES},
    }


def text_of(entries: Entries) -> str:
    """One line a case, in the order of their names."""
    whole = {**entries, ENVIRONMENT: environment()}
    lines = (f"{json.dumps(name)}: {json.dumps(whole[name], sort_keys=True)}" for name in sorted(whole))
    return "{\n" + ",\n".join(lines) + "\n}\n"


def write_entries(path: Path, entries: Entries) -> None:
    """Write the entries compressed."""
    path.write_bytes(lzma.compress(text_of(entries).encode(), preset=9))


def read_entries(path: Path) -> Entries:
    """What :func:`write_entries` wrote."""
    entries: Entries = json.loads(lzma.decompress(path.read_bytes()))
    return entries
