"""LENGTHS: the document lengths that Lucene can tell apart, by their one-byte codes."""

from __future__ import annotations

import numpy as np

_EXACT = 24


def _decoded(code: int) -> int:
    """Below 24 the length itself; above, 24 and a number of four significant bits."""
    if code < _EXACT:
        return code
    bits, exponent = (code - _EXACT) & 7, (code - _EXACT) >> 3
    return _EXACT + (bits if exponent == 0 else (bits | 8) << (exponent - 1))


# Ascending; a length is rounded down to the largest of these that it reaches.
LENGTHS = np.array([_decoded(code) for code in range(256)], dtype=np.int64)
