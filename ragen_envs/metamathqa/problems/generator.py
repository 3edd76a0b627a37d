"""Problems: a template, its numbers, and one of the eight ways in which MetaMath asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ragen_envs.metamathqa.problems.catalogue import TOPICS
from ragen_envs.metamathqa.problems.scenes import draw_scene
from ragen_envs.metamathqa.problems.template import Template, Topic, Values, Wording
from ragen_envs.splits import draw_in_split

SOURCES = ("GSM", "MATH")
METHODS = ("AnsAug", "Rephrased", "SV", "FOBAR")
TYPES = tuple(f"{source}_{method}" for source in SOURCES for method in METHODS)

_BACKWARD = ("SV", "FOBAR")
_LETTERS = {"GSM": "x", "MATH": "X"}
_ASK_UNKNOWN = "hat is the value of unknown variable {}?"


@dataclass(frozen=True, slots=True)
class Difficulty:
    """What is posed.

    Attributes:
        levels: Levels of the templates.
        scale: Factor of the ranges that grow.
        sources: Weights of `SOURCES`.
        methods: Weights of `METHODS`.
    """

    levels: tuple[int, ...]
    scale: int
    sources: tuple[int, ...] = (1, 1)
    methods: tuple[int, ...] = (1, 1, 1, 1)


DIFFICULTIES = {
    "easy": Difficulty((1,), 1, sources=(2, 1), methods=(2, 2, 1, 1)),
    "normal": Difficulty((1, 2), 2),
    "hard": Difficulty((2, 3), 4, sources=(1, 2), methods=(1, 1, 2, 2)),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """A question with its answer.

    Attributes:
        question: What the model reads.
        gold: The answer as text.
        type: One of MetaMath's eight types.
        topic: Topic of the template.
        template: Name of the template.
        level: Level of the template.
        content: The problem before rephrasing, masking and wording; it decides the split.
    """

    question: str
    gold: str
    type: str
    topic: str
    template: str
    level: int
    content: str


def generate(
    rng: np.random.Generator, difficulty: str, split: str, types: Sequence[str] = TYPES
) -> Problem:
    """Draw a problem of the split.

    The split is decided by the problem before it is worded, so the rephrasings and the backward
    versions of a problem are all in one split.

    Args:
        rng: The only source of randomness.
        difficulty: One of `DIFFICULTIES`.
        split: One of `ragen_envs.splits.SPLITS`.
        types: What to draw from, of `TYPES`; their weights are those of the difficulty.
    """
    setting = DIFFICULTIES[difficulty]
    names, chances = _type_chances(difficulty, tuple(types))
    question_type = names[int(np.searchsorted(chances, rng.random(), side="right"))]
    source, method = question_type.split("_")
    candidates = _candidates(difficulty, source, method in _BACKWARD)

    def draw() -> tuple[str, tuple[Topic, Template, Values]]:
        topic, template = candidates[int(rng.integers(len(candidates)))]
        values = template.draw(rng, setting.scale)
        return template.content(values), (topic, template, values)

    topic, template, values = draw_in_split(draw, split, "difficulty")
    question, gold = pose(rng, template, values, question_type)
    return Problem(
        question=question,
        gold=gold,
        type=question_type,
        topic=topic.name,
        template=template.name,
        level=template.level,
        content=template.content(values),
    )


def pose(
    rng: np.random.Generator, template: Template, values: Values, question_type: str
) -> tuple[str, str]:
    """Word a problem in one of the eight ways.

    Args:
        rng: Picks the wording, the people and things and, in the backward types, the unknown.
        template: The template, with unknowns where the type is a backward one.
        values: Numbers that fit it.
        question_type: One of `TYPES`, of the source of the template.

    Returns:
        `(question, gold answer)`.
    """
    source, method = question_type.split("_")
    answer = template.form.show(template.answer(**values))
    fields: dict[str, object] = {**draw_scene(rng), **template.fields(values), "answer": answer}
    if method not in _BACKWARD:
        first, *others = template.wordings
        wording = first if method == "AnsAug" else others[int(rng.integers(len(others)))]
        return _filled((wording.story, wording.question, template.note), fields), answer
    wording = template.wordings[int(rng.integers(len(template.wordings)))]
    unknown = template.unknowns[int(rng.integers(len(template.unknowns)))]
    hidden = template.numbers[unknown]
    fields[unknown] = hidden.unknown.format(_LETTERS[source])
    told = _statement(wording) if method == "SV" else _answered_question(wording, source)
    ask = _ASK_UNKNOWN.format(_LETTERS[source])
    return _filled((*told[:-1], told[-1] + ask), fields), hidden.gold(values[unknown])


def _statement(wording: Wording) -> tuple[str, ...]:
    """Self-verification: the question has become a statement with the answer in it."""
    return wording.story, wording.fact, "W"


def _answered_question(wording: Wording, source: str) -> tuple[str, ...]:
    """FOBAR: the question as it was, and then its answer."""
    answer = "${answer}$" if source == "MATH" else "{answer}"
    known = f"If we know the answer to the above question is {answer}, w"
    return wording.story, wording.question, known


def _filled(sentences: Sequence[str], fields: dict[str, object]) -> str:
    return " ".join(sentence for sentence in sentences if sentence).format_map(fields)


@lru_cache(maxsize=64)
def _type_chances(
    difficulty: str, types: tuple[str, ...]
) -> tuple[tuple[str, ...], npt.NDArray[np.float64]]:
    """The types with their cumulative chances."""
    setting = DIFFICULTIES[difficulty]
    weights = {
        f"{source}_{method}": by_source * by_method
        for source, by_source in zip(SOURCES, setting.sources, strict=True)
        for method, by_method in zip(METHODS, setting.methods, strict=True)
    }
    names = tuple(name for name in TYPES if name in types)
    cumulative = np.cumsum([weights[name] for name in names])
    return names, cumulative / cumulative[-1]


@lru_cache(maxsize=64)
def _candidates(difficulty: str, source: str, backward: bool) -> tuple[tuple[Topic, Template], ...]:
    """The templates of a source, for the backward types those with unknowns."""
    return tuple(
        (topic, template)
        for topic in TOPICS
        if topic.source == source
        for template in topic.templates
        if template.level in DIFFICULTIES[difficulty].levels and (template.unknowns or not backward)
    )
