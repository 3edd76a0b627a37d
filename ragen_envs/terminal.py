"""What the commands print: tables, and text that is never read as markup."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

# In a pipe each row is one line, however long.
PIPE_WIDTH = 10_000


def print_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int]
) -> None:
    """Print an aligned table to standard output; without control codes unless it is a terminal.

    Args:
        columns: Headings.
        rows: Cells, as many a row as there are columns.
        right: Numbers of the columns that are aligned to the right.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout.isatty()
    table = Table(box=SIMPLE_HEAD if terminal else None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(
            Text(column),
            justify="right" if number in right else "left",
            # In a narrow terminal cells are folded, so that nothing is cut off; names stay whole.
            overflow="fold",
            no_wrap=number == 0,
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=sys.stdout, width=None if terminal else PIPE_WIDTH).print(table)


def printable(text: str) -> str:
    """Text of a model or a world as a terminal may show it: control characters are escaped."""
    return "".join(
        character if character == "\n" or character.isprintable() else _escape(character)
        for character in text
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
