"""Where numba keeps compiled loops, by the hash of their source: a public contract, named in numba's environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numba.core.caching import IndexDataCacheFile, UserProvidedCacheLocator

from algorithms.compiled.kernel_cache import PACKAGE, module_folder


class TolerantIndex(IndexDataCacheFile):
    """The index of a compiled function's versions; one that cannot be read counts as empty.

    Its entries name the classes of arguments, which stand in the callers' modules: where such a class was renamed, the
    index of the function, whose own source is the same, can be unpickled no more.
    """

    def _load_index(self) -> dict[Any, str]:
        try:
            versions: dict[Any, str] = super()._load_index()  # type: ignore[no-untyped-call]
        except Exception:  # unpickling raises whatever the pickled classes raise
            return {}
        return versions


class KernelLocator(UserProvidedCacheLocator):
    """The folder of the module in which a loop stands (see :mod:`algorithms.compiled.kernel_cache`).

    Takes no part for functions outside the package: numba's next locator serves those.
    """

    def __init__(self, function: Any, file: str) -> None:
        super().__init__(function, file)  # type: ignore[no-untyped-call]
        module = ".".join(Path(file).resolve().relative_to(PACKAGE.parent.resolve()).with_suffix("").parts)
        self._cache_path = str(module_folder(module))

    def get_source_stamp(self) -> str:
        """What stands for the freshness of the source: the folder's name, which holds the hash."""
        return Path(self._cache_path).name

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        """The locator for this function, or None where it is not of the package."""
        if not Path(file).resolve().is_relative_to(PACKAGE.resolve()):
            return None
        return super().from_function(function, file)  # type: ignore[no-untyped-call]
