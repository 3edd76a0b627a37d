"""Text worlds for LLM agents; importing this package registers their `ragen/...` ids."""

from ragen_envs.core import Outcome, ServiceError, TextEnv
from ragen_envs.registration import ENVIRONMENTS, register_envs
from ragen_envs.spaces import TextSpace
from ragen_envs.vector import TextVectorEnv

__version__ = "0.1.0"

__all__ = [
    "ENVIRONMENTS",
    "Outcome",
    "ServiceError",
    "TextEnv",
    "TextSpace",
    "TextVectorEnv",
    "__version__",
    "register_envs",
]

register_envs()
