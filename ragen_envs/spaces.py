"""TextSpace: the space of every string, for observations and actions that are text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt

_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_MAX_SAMPLE_LENGTH = 8


class TextSpace(gym.Space[str]):
    """Every `str`, of any length and in any script.

    `gymnasium.spaces.Text` refuses spaces, newlines and characters outside its charset, and in the
    shared memory of `AsyncVectorEnv` it silently returns garbage; hence a space of our own that is
    not a subclass of it. With this space, shared memory fails loudly: pass `shared_memory=False`.

    Args:
        examples: Strings that `sample` draws from; without any it makes up short ASCII words.
        seed: Seed of the generator that `sample` uses.

    Raises:
        TypeError: An example is not a `str`.
    """

    def __init__(
        self, examples: Sequence[str] = (), seed: int | np.random.Generator | None = None
    ) -> None:
        for example in examples:
            if not isinstance(example, str):
                raise TypeError(f"examples must be strings, got {example!r}")
        self.examples = tuple(examples)
        super().__init__(shape=None, dtype=None, seed=seed)

    @property
    def is_np_flattenable(self) -> bool:
        """False: text has no fixed-size array form."""
        return False

    def sample(
        self,
        mask: npt.NDArray[np.int8] | None = None,
        probability: npt.NDArray[np.float64] | None = None,
    ) -> str:
        """Draw one of the examples, or a short lower-case word where there are none.

        Args:
            mask: Shape `(len(examples),)`, 1 where an example may be drawn.
            probability: Shape `(len(examples),)`, summing to 1.

        Raises:
            ValueError: Both are given, or one has the wrong shape, allows nothing or does not
                sum to 1.
        """
        weights = self._weights(mask, probability)
        if self.examples:
            return self.examples[int(self.np_random.choice(len(self.examples), p=weights))]
        length = int(self.np_random.integers(1, _MAX_SAMPLE_LENGTH + 1))
        return "".join(_ALPHABET[i] for i in self.np_random.integers(0, len(_ALPHABET), length))

    def _weights(
        self,
        mask: npt.NDArray[np.int8] | None,
        probability: npt.NDArray[np.float64] | None,
    ) -> npt.NDArray[np.float64] | None:
        if mask is not None and probability is not None:
            raise ValueError("give mask or probability, not both")
        given = mask if mask is not None else probability
        if given is None:
            return None
        name = "mask" if mask is not None else "probability"
        weights = np.asarray(given, dtype=np.float64)
        if weights.shape != (len(self.examples),):
            raise ValueError(
                f"{name} must have shape ({len(self.examples)},), one entry an example, "
                f"got {weights.shape}"
            )
        total = float(weights.sum())
        if (weights < 0).any() or total <= 0:
            raise ValueError(f"{name} must be >= 0 and allow at least one example, got {given}")
        if mask is None and abs(total - 1.0) > 1e-8:
            raise ValueError(f"probability must sum to 1, got {total}")
        return weights / total

    def contains(self, x: Any) -> bool:
        """Whether `x` is a string."""
        return isinstance(x, str)

    def to_jsonable(self, sample_n: Any) -> list[str]:
        """Strings are JSON already."""
        return list(sample_n)

    def from_jsonable(self, sample_n: Any) -> list[str]:
        """Strings are JSON already."""
        return list(sample_n)

    def __eq__(self, other: object) -> bool:
        """Any two text spaces are equal: they contain the same strings."""
        return isinstance(other, TextSpace)

    def __hash__(self) -> int:
        """Equal spaces share one hash."""
        return 0x7E7

    def __repr__(self) -> str:
        """`TextSpace()`, whatever the examples, as any two are equal."""
        return "TextSpace()"
