"""MetaMathQA: word problems with one answer; the checker of answers.

`answers_match` says whether a response gives the gold answer, `compare_answers` also why, and
`extract_answer` which part of the response counts.
"""

from ragen_envs.metamathqa.answers import Comparison, answers_match, compare_answers
from ragen_envs.metamathqa.extraction import extract_answer

__all__ = ["Comparison", "answers_match", "compare_answers", "extract_answer"]
