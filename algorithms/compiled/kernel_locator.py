"""Locator of compiled kernels for numba, by the hash of their source (public contract in numba's environment)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile, UserProvidedCacheLocator

from algorithms.compiled.kernel_cache import PACKAGE, is_shipped, module_folder


class TolerantIndex(IndexDataCacheFile):
    """Index of compiled versions; an unreadable one, as after a class of arguments was renamed, counts as empty."""

    def _load_index(self) -> dict[Any, str]:
        try:
            versions: dict[Any, str] = super()._load_index()  # type: ignore[no-untyped-call]
        except Exception:  # unpickling can raise anything
            return {}
        return versions

    def save(self, key: Any, data: Any) -> None:
        """Store a version, unless the folder is shipped or cannot be written: then the next process compiles it."""
        if is_shipped(Path(self._index_path).parent):
            return
        with suppress(OSError):
            super().save(key, data)  # type: ignore[no-untyped-call]


class KernelLocator(UserProvidedCacheLocator):
    """Locates the folder of a kernel's module; numba's next locator serves functions outside the package."""

    def __init__(self, function: Any, file: str) -> None:
        super().__init__(function, file)  # type: ignore[no-untyped-call]
        module = ".".join(Path(file).resolve().relative_to(PACKAGE.parent.resolve()).with_suffix("").parts)
        self._cache_path = str(module_folder(module))

    def get_source_stamp(self) -> str:
        """The stamp of the source: the folder's name, which holds the hash."""
        return Path(self._cache_path).name

    def ensure_cache_path(self) -> None:
        """Make the folder, unless it is a shipped one, which need not be writable."""
        if not is_shipped(Path(self._cache_path)):
            super().ensure_cache_path()  # type: ignore[no-untyped-call]

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        """The locator for a function; None outside the package."""
        if not Path(file).resolve().is_relative_to(PACKAGE.resolve()):
            return None
        return super().from_function(function, file)  # type: ignore[no-untyped-call]
