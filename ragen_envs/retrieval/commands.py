"""`ragen serve`: servers over the library's parts."""

from __future__ import annotations

import socket
from pathlib import Path

import click


@click.group()
def serve() -> None:
    """Run a server: retrieval."""


@serve.command()
@click.option(
    "--corpus",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="JSON lines, gzipped or not: id, and contents or title and text.",
)
@click.option(
    "--index",
    "directory",
    type=click.Path(path_type=Path),
    help="An index; with --corpus, where to write it.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0: a free one."
)
@click.option(
    "--topk",
    default=3,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Documents per query where a request does not say.",
)
def retrieval(corpus: Path | None, directory: Path | None, host: str, port: int, topk: int) -> None:
    """Serve a corpus or an index to Search-R1, SkyRL, RAGEN and rLLM clients.

    POST /retrieve searches, GET /health tells whether the server is up. SIGTERM and Ctrl-C finish
    the requests that have begun. A corpus is indexed first, in a temporary directory unless --index
    names one.
    """
    from ragen_envs.optional import require
    from ragen_envs.retrieval.server import bound_socket

    if corpus is None and directory is None:
        raise click.UsageError("give --corpus FILE or --index DIR")
    try:
        # What can fail at once is tried before an index is built.
        for module in ("fastapi", "uvicorn"):
            require(module, extra="serve")
        bound = bound_socket(host, port)
    except ImportError as error:
        raise click.ClickException(str(error)) from error
    with bound:
        _serve(corpus, directory, bound, topk)


def _serve(corpus: Path | None, directory: Path | None, bound: socket.socket, topk: int) -> None:
    from ragen_envs.retrieval.corpus import read_corpus
    from ragen_envs.retrieval.index import BM25Index
    from ragen_envs.retrieval.protocol import RetrievalError
    from ragen_envs.retrieval.server import create_app, run_server

    try:
        if corpus is None:
            assert directory is not None
            index = BM25Index(directory)
        elif directory is None:
            index = BM25Index.temporary(read_corpus(corpus))
        else:
            index = BM25Index.build(read_corpus(corpus), directory)
    except (RetrievalError, ValueError) as error:
        raise click.ClickException(str(error)) from error
    name, port = bound.getsockname()[:2]
    shown = f"[{name}]" if ":" in name else name
    line = f"{len(index):,} documents at http://{shown}:{port}/retrieve"
    run_server(create_app(index, default_k=topk), bound, lambda: click.echo(line))
