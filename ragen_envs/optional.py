"""require: import an optional dependency, or say which extra brings it."""

from __future__ import annotations

import importlib
from types import ModuleType


def require(module: str, *, extra: str) -> ModuleType:
    """Import `module` and return it.

    Args:
        module: The name to import, e.g. `"vllm"`.
        extra: The extra of this distribution that installs it.

    Raises:
        ImportError: The module is not installed; the message has the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A broken install (a dependency of the module is missing) must not look like an absent one.
        if error.name is None or error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise ImportError(
            f"{module} is not installed; run: pip install 'ragen-envs[{extra}]'"
        ) from error
