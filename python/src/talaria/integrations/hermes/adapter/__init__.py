"""The tools of Hermes 0.16, served by Talaria under the names from which Hermes imports them:
`tools.environments.*`, `tools.terminal_tool`, `tools.process_registry`, `tools.file_tools` and
`tools.code_execution_tool`.

    from talaria.integrations.hermes import adapter
    adapter.install()          # before Hermes is imported

Where Hermes is installed, its own modules are loaded first and everything that runs, reads or
changes something is then replaced: schemas, the registry of tools and helpers stay those of Hermes.
Where it is not, the modules have only what is here.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

HERE = __name__
MODULES = {
    "tools.environments.base": "base",
    "tools.environments.local": "environments",
    "tools.environments.docker": "environments",
    "tools.environments.ssh": "environments",
    "tools.environments.singularity": "environments",
    "tools.environments.modal": "environments",
    "tools.environments.managed_modal": "environments",
    "tools.environments.daytona": "environments",
    "tools.process_registry": "processes",
    "tools.file_tools": "files",
    "tools.code_execution_tool": "code",
    "tools.terminal_tool": "terminal",
}
PACKAGES = ("tools", "tools.environments")


def lay_over(module: ModuleType) -> None:
    """Puts the names of Talaria over those of the module."""
    ours = importlib.import_module(f"{HERE}.{MODULES[module.__name__]}")
    for name in ours.names(module.__name__):
        setattr(module, name, getattr(ours, name))


class _Loader(importlib.abc.Loader):
    """Loads the module of Hermes, if there is one, and lays ours over it."""

    def __init__(self, upstream: importlib.abc.Loader | None) -> None:
        self._upstream = upstream

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._upstream.create_module(spec) if self._upstream is not None else None

    def exec_module(self, module: ModuleType) -> None:
        if self._upstream is not None:
            self._upstream.exec_module(module)
        if module.__name__ in MODULES:
            lay_over(module)


class _Finder(importlib.abc.MetaPathFinder):
    """Answers for the names above, before the finder of files does."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname in MODULES:
            spec = importlib.machinery.PathFinder.find_spec(fullname, path)
            if spec is None:
                return importlib.machinery.ModuleSpec(fullname, _Loader(None))
            spec.loader = _Loader(spec.loader)
            return spec
        if (
            fullname in PACKAGES
            and importlib.machinery.PathFinder.find_spec(fullname, path) is None
        ):
            return importlib.machinery.ModuleSpec(fullname, _Loader(None), is_package=True)
        return None


_finder = _Finder()


def install() -> None:
    """From here on Hermes' tools are those of Talaria. Again: does nothing."""
    if _finder in sys.meta_path:
        return
    sys.meta_path.insert(0, _finder)
    for name in MODULES:
        loaded = sys.modules.get(name)
        if loaded is not None:
            lay_over(loaded)
