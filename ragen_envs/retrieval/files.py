"""The files of an index: arrays that grow while they are written, and the manifest.

An index is a directory of one-dimensional `.npy` files and `manifest.json`. The manifest is written
last, and the directory gets its name only then, so a build that was killed leaves nothing that
opens.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from ragen_envs.retrieval.protocol import RetrievalError

FORMAT = "ragen-bm25"
VERSION = 1
_MANIFEST = "manifest.json"
_HEADER_BYTES = 128

# name -> numpy type; the type of "frequencies" depends on the largest one.
ARRAYS: dict[str, tuple[str, ...]] = {
    "documents": ("|u1",),  # JSON arrays [id, title, text], one after the other
    "document_starts": ("<i8",),  # document d is documents[starts[d]:starts[d + 1]]
    "ranks": ("<i4",),  # place of each document in the order of ids
    "lengths": ("|u1",),  # Lucene's one-byte code of each document's number of terms
    "terms": ("|u1",),  # UTF-8, ascending
    "term_starts": ("<i8",),
    "term_rows": ("<i4",),  # the row of postings of each term
    "posting_starts": ("<i8",),  # by row
    "postings": ("<i4",),  # for each term the documents that hold it, ascending
    "frequencies": ("|u1", "<i4"),  # and how often
}


class ArrayWriter:
    """A one-dimensional `.npy` file that is appended to; its length is filled in at the end."""

    def __init__(self, path: Path, dtype: str) -> None:
        self._dtype = np.dtype(dtype)
        self._file = path.open("wb")
        self._file.write(bytes(_HEADER_BYTES))
        self.count = 0

    def __enter__(self) -> ArrayWriter:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the header and close, also after an error: the build removes the file then."""
        fields = (
            f"{{'descr': {self._dtype.str!r}, 'fortran_order': False, 'shape': ({self.count},)}}"
        )
        start = b"\x93NUMPY\x01\x00" + (_HEADER_BYTES - 10).to_bytes(2, "little")
        self._file.seek(0)
        self._file.write(start + fields.ljust(_HEADER_BYTES - 11).encode("ascii") + b"\n")
        self._file.close()

    def append(self, values: bytes | npt.ArrayLike) -> None:
        """Add bytes as they are, or values converted to the file's type."""
        if isinstance(values, bytes):
            data = values
            self.count += len(values) // self._dtype.itemsize
        else:
            array = np.asarray(values, dtype=self._dtype)
            data = array.tobytes()
            self.count += array.size
        self._file.write(data)


def array_path(directory: Path, name: str) -> Path:
    """Where an array lies."""
    return directory / f"{name}.npy"


def write_manifest(directory: Path, facts: dict[str, Any]) -> None:
    """Describe the finished arrays of `directory`; `facts` are the index's own numbers."""
    sizes = {name: array_path(directory, name).stat().st_size for name in ARRAYS}
    manifest = {"format": FORMAT, "version": VERSION, **facts, "bytes": sizes}
    (directory / _MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def manifest_path(directory: Path) -> Path:
    """Where the manifest lies."""
    return directory / _MANIFEST


def open_arrays(directory: Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Open an index by memory map.

    Returns:
        `(manifest, arrays)`, the arrays read-only.

    Raises:
        RetrievalError: The directory or a file of it is missing, truncated, foreign or of another
            version.
    """
    manifest = _manifest(directory)
    arrays = {name: _array(directory, name, manifest["bytes"][name]) for name in ARRAYS}
    documents, terms = manifest["documents"], manifest["terms"]
    starts = {
        "document_starts": (documents, arrays["documents"]),
        "term_starts": (terms, arrays["terms"]),
        "posting_starts": (terms, arrays["postings"]),
    }
    for name, (count, target) in starts.items():
        array = arrays[name]
        if len(array) != count + 1 or array[0] != 0 or array[-1] != len(target):
            raise _broken(directory, f"{name}.npy does not fit the other files")
    same = len(arrays["ranks"]) == len(arrays["lengths"]) == documents
    same = same and len(arrays["term_rows"]) == terms
    if not same or len(arrays["frequencies"]) != len(arrays["postings"]):
        raise _broken(directory, "its arrays differ in length")
    return manifest, arrays


def _broken(directory: Path, reason: str) -> RetrievalError:
    return RetrievalError(f"{directory} is not a usable index: {reason}; build it again")


def _manifest(directory: Path) -> dict[str, Any]:
    if not directory.is_dir():
        raise RetrievalError(f"{directory} is not a usable index: there is no such directory")
    try:
        manifest = json.loads(manifest_path(directory).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise _broken(directory, f"it has no {_MANIFEST}") from error
    except (OSError, ValueError) as error:
        raise _broken(directory, f"{_MANIFEST} cannot be read ({error})") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise _broken(directory, f"{_MANIFEST} is not of format {FORMAT!r}")
    if manifest.get("version") != VERSION:
        found = manifest.get("version")
        raise _broken(directory, f"it has version {found!r}, this program reads {VERSION}")
    numbers = [manifest.get(name) for name in ("documents", "documents_with_terms", "terms")]
    numbers += [manifest.get("tokens")]
    sizes = manifest.get("bytes")
    if not isinstance(sizes, dict) or set(sizes) != set(ARRAYS):
        raise _broken(directory, f"{_MANIFEST} does not list the files {list(ARRAYS)}")
    if any(not isinstance(number, int) or number < 1 for number in numbers):
        raise _broken(directory, f"{_MANIFEST} lacks its counts")
    return manifest


def _array(directory: Path, name: str, size: Any) -> npt.NDArray[Any]:
    path = array_path(directory, name)
    try:
        found = path.stat().st_size
        if found != size:
            raise _broken(directory, f"{path.name} must have {size} bytes, got {found}")
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:
        raise _broken(directory, f"{path.name} is missing") from error
    except (OSError, ValueError) as error:
        raise _broken(directory, f"{path.name} cannot be read ({error})") from error
    if array.dtype.str not in ARRAYS[name] or array.ndim != 1:
        raise _broken(directory, f"{path.name} holds {array.dtype.str} of shape {array.shape}")
    # A plain array over the map: numpy's memmap class is slow to slice.
    return np.asarray(array)
