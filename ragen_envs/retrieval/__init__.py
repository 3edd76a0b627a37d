"""Search: an index that ranks as Lucene does, a client for search servers, and a server.

    from ragen_envs.retrieval import BM25Index, read_corpus

    index = BM25Index.build(read_corpus("corpus.jsonl.gz"), "corpus.index")  # once
    index = open_index("corpus.index")  # afterwards: milliseconds
    for hit in index.search_one("who wrote the trial", k=3):
        print(hit.id, hit.score, hit.title)

`RemoteRetriever` asks a server the same way; `ragen serve retrieval` is such a server.
"""

from ragen_envs.retrieval.corpus import Document, read_corpus
from ragen_envs.retrieval.index import BM25Index, open_index
from ragen_envs.retrieval.protocol import Hit, RetrievalError, Retriever
from ragen_envs.retrieval.remote import RemoteRetriever

__all__ = [
    "BM25Index",
    "Document",
    "Hit",
    "RemoteRetriever",
    "RetrievalError",
    "Retriever",
    "open_index",
    "read_corpus",
]
