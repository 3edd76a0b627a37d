"""The catalogue: all topics with their templates."""

from __future__ import annotations

from ragen_envs.metamathqa.problems import (
    amounts,
    comparison,
    counting,
    earning,
    equations,
    fractions,
    functions,
    integers,
    journeys,
    measures,
    plane,
    processes,
    rates,
    ratios,
    shopping,
    space,
)
from ragen_envs.metamathqa.problems.template import Template

TOPICS = (
    shopping.TOPIC,
    earning.TOPIC,
    amounts.TOPIC,
    processes.TOPIC,
    comparison.TOPIC,
    journeys.TOPIC,
    measures.TOPIC,
    fractions.TOPIC,
    ratios.TOPIC,
    rates.TOPIC,
    equations.TOPIC,
    functions.TOPIC,
    integers.TOPIC,
    counting.TOPIC,
    plane.TOPIC,
    space.TOPIC,
)
TEMPLATES: tuple[Template, ...] = tuple(
    template for topic in TOPICS for template in topic.templates
)
