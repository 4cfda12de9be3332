"""Settings of the user, kept between starts in one small JSON file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QStandardPaths

from algorithms.core.errors import DataError
from algorithms.core.files import write_text
from algorithms.io.servers import is_address

if TYPE_CHECKING:
    from algorithms.io.text.options import ReadOptions

MOST_RECENT: Final = 8
MOST_READINGS: Final = 50
_MONTHS: Final = (
    "january|february|march|april|may|june|july|august|september|october|november|december|januar|februar|märz|mai|juni|"
    "juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|"
    "marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|"
    "okt|nov|dec|dez"
)
_VARYING: Final = re.compile(rf"\d+|(?<![^\W\d_])(?:{_MONTHS})(?![^\W\d_])")
CLUSTER: Final = "cluster"
"""Name of the setting with the address of the workers that jobs give their parts to; empty for none."""
HOME_VARIABLE: Final = "COPPICE_HOME"
SET_ASIDE: Final = ".unusable"
LEAST_SCALE: Final = 0.5
LARGEST_SCALE: Final = 4.0
WIDEST: Final = 1 << 16
"""Largest accepted size of a pane, in pixels."""


def state_folder() -> Path:
    """Folder of log and journals; the environment variable COPPICE_HOME overrides it."""
    return _folder(QStandardPaths.StandardLocation.GenericStateLocation)


def _folder(location: QStandardPaths.StandardLocation) -> Path:
    home = os.environ.get(HOME_VARIABLE)
    return Path(home) if home else Path(QStandardPaths.writableLocation(location)) / "coppice"


@dataclass(frozen=True)
class RememberedReading:
    """The choices by which the user corrected the reading of a ``file``, and the names of its columns."""

    file: str
    names: tuple[str, ...]
    options: ReadOptions


def name_pattern(path: str) -> str:
    """The name of a file with "#" for digits and names of months, which differ from one month's file to the next."""
    return re.sub(r"#[#\s._-]*#|#", "#", _VARYING.sub("#", Path(path).name.casefold()))


class Settings:
    """Named JSON values; without a path they are not written."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._values, self.problems = _read(path)
        """``problems`` lists in sentences what could not be used; the file is then set aside."""
        if self.problems:
            self._put_aside()

    @classmethod
    def of_this_person(cls) -> Settings:
        return cls(_folder(QStandardPaths.StandardLocation.GenericConfigLocation) / "settings.json")

    def get(self, name: str, default: Any) -> Any:
        """The value, or ``default`` where none of the default's type is stored."""
        value = self._values.get(name, default)
        return value if default is None or isinstance(value, type(default)) else default

    def set(self, name: str, value: Any) -> None:
        if self._values.get(name) != value:
            self._values[name] = value
            self._write()

    @property
    def recent_files(self) -> tuple[str, ...]:
        """Recently opened paths, the latest first."""
        return tuple(path for path in self.get("recent_files", []) if isinstance(path, str))

    def remember_file(self, path: str) -> None:
        """Put a file, or the address of a database, first among the recent ones."""
        is_elsewhere = is_address(path)
        whole = path if is_elsewhere else str(Path(path).resolve())
        others = [other for other in self.recent_files if other != whole]
        self.set("recent_files", [whole, *others][:MOST_RECENT])
        if not is_elsewhere:
            self.folder = str(Path(whole).parent)

    def remember_place(self, path: str, place: Mapping[str, object]) -> None:
        """Store the place in the window where a saved project was left, for as many projects as recent files."""
        whole = str(Path(path).resolve())
        kept = {other: there for other, there in self.get("places", {}).items() if other != whole}
        self.set("places", dict([*kept.items(), (whole, dict(place))][-MOST_RECENT:]))

    def place_of(self, path: str) -> Mapping[str, object]:
        """Place in the window where a project was left; empty if unknown."""
        place = self.get("places", {}).get(str(Path(path).resolve()))
        return place if isinstance(place, dict) else {}

    @property
    def folder(self) -> str:
        """Folder of the last opened or saved file; empty before the first."""
        folder: str = self.get("folder", "")
        return folder

    @folder.setter
    def folder(self, folder: str) -> None:
        self.set("folder", folder)

    def readings_of(self, path: str) -> tuple[RememberedReading, ...]:
        """The remembered readings of files whose names have the pattern of this one, the latest first."""
        stored = [each for each in self._readings() if each.get("pattern") == name_pattern(path)]
        return tuple(reading for each in stored if (reading := _reading_from(each)) is not None)

    def remember_reading(self, path: str, names: Sequence[str], options: ReadOptions) -> None:
        """Remember how a file was read; automatic options make the window forget it."""
        from algorithms.io.text.options import ReadOptions
        from algorithms.project.models import options_to_json

        pattern, own = name_pattern(path), set(names)
        others = [
            each
            for each in self._readings()
            if each.get("pattern") != pattern or not own & set(map(str, each.get("names", [])))
        ]
        if options != ReadOptions():
            kept = {"pattern": pattern, "file": Path(path).name, "names": list(names)}
            others.insert(0, {**kept, "options": options_to_json(options)})
        self.set("readings", others[:MOST_READINGS])

    def _readings(self) -> list[dict[str, Any]]:
        return [each for each in self.get("readings", []) if isinstance(each, dict)]

    def _put_aside(self) -> None:
        if self._path is None:
            return
        aside = self._path.with_name(f"{self._path.name}{SET_ASIDE}")
        with suppress(OSError):
            self._path.replace(aside)
            self.problems = (*self.problems, f"The file as it was is kept in {aside}.")
        self._write()

    def _write(self) -> None:
        """Write the file atomically; where the folder cannot be written, keep settings in memory only."""
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_text(self._path, json.dumps(self._values, indent=1), private=True, durable=False)
        except (OSError, DataError):
            self._path = None


def _read(path: Path | None) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Usable values of a file, and sentences about the others."""
    try:
        values = json.loads(path.read_text("utf-8")) if path is not None else {}
    except OSError:
        return {}, ()
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        return {}, ("The settings cannot be read; the usual ones are used.",)
    bad = [name for name, is_usable in USABLE.items() if name in values and not is_usable(values[name])]
    problems = tuple(f"The setting {name!r} cannot be used; it is as usual." for name in bad)
    return {name: value for name, value in values.items() if name not in bad}, problems


def _reading_from(stored: Mapping[str, Any]) -> RememberedReading | None:
    """A remembered reading from its JSON values; None if they make no sense."""
    from algorithms.core.errors import CoppiceError
    from algorithms.project.models import options_from_json

    try:
        return RememberedReading(
            str(stored["file"]), tuple(map(str, stored["names"])), options_from_json(stored["options"])
        )
    except (CoppiceError, KeyError, ValueError, TypeError, AttributeError):
        return None


def _is_path(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _are_places(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(place, dict) and all(isinstance(where, str | int) for where in place.values())
        for place in value.values()
    )


def _are_sizes(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(part, list) and all(type(size) is int and 0 <= size <= WIDEST for size in part) for part in value
    )


USABLE: Final[Mapping[str, Callable[[object], bool]]] = {
    "text_scale": lambda value: isinstance(value, float) and LEAST_SCALE <= value <= LARGEST_SCALE,
    "geometry": lambda value: isinstance(value, str) and value.isascii(),
    "folder": _is_path,
    "recent_files": lambda value: isinstance(value, list) and all(map(_is_path, value)),
    "places": _are_places,
    "visualize.sizes": _are_sizes,
}
"""Checks of the settings whose nonsensical values would stop the window."""
