"""Competition-like problems about speed, work and other rates."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import DECIMAL, FRACTION, WHOLE
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

_COMMON = "Express your answer as a common fraction in lowest terms."

TOPIC = Topic(
    "rates",
    "MATH",
    (
        Template(
            name="workers_and_days",
            level=1,
            numbers=dict(workers=ints(12, 48), days=ints(14, 60), others=ints(16, 72)),
            answer=lambda workers, days, others: Fraction(workers * days, others),
            form=WHOLE,
            unknowns=("workers", "days", "others"),
            wordings=(
                Wording(
                    (
                        "It takes {workers} workers {days} days to pave a square. All of them work "
                        "equally fast."
                    ),
                    "Exactly how many days would it take {others} workers?",
                    "It would take {others} workers exactly ${answer}$ days.",
                ),
                Wording(
                    (
                        "A store of hay lasts {days} days for {workers} horses, which all eat the "
                        "same amount."
                    ),
                    "For exactly how many days would it last if there were {others} horses?",
                    "It would last for exactly ${answer}$ days if there were {others} horses.",
                ),
            ),
        ),
        Template(
            name="fuel",
            level=1,
            numbers=dict(litres=ints(3, 9), route=ints(40, 90, 10), distance=wide(115, 690, 5)),
            answer=lambda litres, route, distance: Fraction(litres * distance, route),
            form=DECIMAL,
            note="Express your answer as a decimal.",
            unknowns=("distance", "route"),
            wordings=(
                Wording(
                    "A car uses {litres} litres of petrol for {route} kilometres.",
                    "At the same rate, how many litres does it use for {distance} kilometres?",
                    "At the same rate it uses ${answer}$ litres for {distance} kilometres.",
                ),
                Wording(
                    "",
                    (
                        "How many litres of paint does a road need for a stripe of {distance} "
                        "metres, when {litres} litres are enough for {route} metres of stripe?"
                    ),
                    (
                        "A road needs ${answer}$ litres of paint for a stripe of {distance} "
                        "metres, and {litres} litres are enough for {route} metres of stripe."
                    ),
                ),
            ),
        ),
        Template(
            name="working_together",
            level=2,
            numbers=dict(first=ints(8, 60), second=ints(11, 72)),
            answer=lambda first, second: Fraction(first * second, first + second),
            form=FRACTION,
            unknowns=("first", "second"),
            note=_COMMON,
            alike=("first", "second"),
            wordings=(
                Wording(
                    (
                        "{A} can paint a fence in {first} hours, and {B} can paint it in {second} "
                        "hours."
                    ),
                    (
                        "How many hours do they need if they paint it together, each at the usual "
                        "speed?"
                    ),
                    (
                        "If they paint it together, each at the usual speed, they need ${answer}$ "
                        "hours."
                    ),
                ),
                Wording(
                    (
                        "One pipe alone fills a pool in {second} hours. Another one alone fills it "
                        "in {first} hours."
                    ),
                    "In how many hours is the empty pool full if both pipes are open?",
                    "If both pipes are open, the empty pool is full in ${answer}$ hours.",
                ),
            ),
        ),
        Template(
            name="there_and_back",
            level=2,
            numbers=dict(out=ints(12, 96), back=ints(15, 99)),
            answer=lambda out, back: Fraction(2 * out * back, out + back),
            form=FRACTION,
            note=_COMMON,
            unknowns=("out", "back"),
            alike=("out", "back"),
            wordings=(
                Wording(
                    (
                        "A motorcyclist rides up to a pass at {out} kilometres an hour and comes "
                        "back on the same road at {back} kilometres an hour."
                    ),
                    "What is the average speed for the whole ride, in kilometres per hour?",
                    "The average speed for the whole ride is ${answer}$ kilometres per hour.",
                ),
                Wording(
                    (
                        "A boat travels from one town to another at {out} kilometres an hour and "
                        "returns at {back} kilometres an hour."
                    ),
                    "How many kilometres per hour does it make on average over the whole trip?",
                    "On average over the whole trip it makes ${answer}$ kilometres per hour.",
                ),
            ),
        ),
        Template(
            name="head_start",
            level=2,
            numbers=dict(slow=ints(36, 62), fast=ints(66, 98), head_start=ints(2, 7)),
            answer=lambda slow, fast, head_start: Fraction(slow * head_start * fast, fast - slow),
            form=WHOLE,
            unknowns=("slow", "fast"),
            wordings=(
                Wording(
                    (
                        "A lorry leaves a depot at {slow} kilometres an hour. A car leaves the "
                        "same depot {head_start} hours later and follows it at {fast} kilometres "
                        "an hour."
                    ),
                    "How many kilometres from the depot does the car catch up with the lorry?",
                    "The car catches up with the lorry ${answer}$ kilometres from the depot.",
                ),
                Wording(
                    (
                        "Two trains take the same line out of {town}. The second, at {fast} "
                        "kilometres an hour, starts {head_start} hours after the first, which goes "
                        "at {slow} kilometres an hour."
                    ),
                    "How far from {town}, in kilometres, does the second train reach the first?",
                    "The second train reaches the first ${answer}$ kilometres from {town}.",
                ),
            ),
        ),
        Template(
            name="filling_and_draining",
            level=3,
            numbers=dict(first=ints(6, 24), second=ints(8, 30), drain=ints(12, 60)),
            answer=lambda first, second, drain: (
                1 / (Fraction(1, first) + Fraction(1, second) - Fraction(1, drain))
            ),
            form=FRACTION,
            when=lambda first, second, drain: drain > first and drain > second,
            unknowns=("first", "second", "drain"),
            note=_COMMON,
            alike=("first", "second"),
            wordings=(
                Wording(
                    (
                        "Two taps fill a basin in {first} and in {second} minutes when each is "
                        "open alone. The drain empties the full basin in {drain} minutes."
                    ),
                    (
                        "How many minutes does it take to fill the empty basin with both taps and "
                        "the drain open?"
                    ),
                    (
                        "With both taps and the drain open it takes ${answer}$ minutes to fill the "
                        "empty basin."
                    ),
                ),
                Wording(
                    "A leak would empty a full tank in {drain} hours.",
                    (
                        "In how many hours do two pumps fill the empty tank in spite of the leak, "
                        "if without it one pump would need {first} hours and the other {second}?"
                    ),
                    (
                        "In spite of the leak two pumps fill the empty tank in ${answer}$ hours. "
                        "Without the leak one pump would need {first} hours and the other {second}."
                    ),
                ),
            ),
        ),
    ),
)
