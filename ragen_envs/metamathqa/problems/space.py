"""Competition-like problems with coordinates and solids."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import (
    PAIR,
    PI,
    RADICAL,
    WHOLE,
    simplest_root,
)
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

_IN_PI = r"Express your answer in terms of $\pi$."
_RADICAL = "Express your answer in simplest radical form."

TOPIC = Topic(
    "coordinates and solids",
    "MATH",
    (
        Template(
            name="midpoint",
            level=1,
            numbers=dict(a=ints(-19, 24), b=ints(-23, 28), c=ints(-27, 31), d=ints(-18, 35)),
            answer=lambda a, b, c, d: (Fraction(a + c, 2), Fraction(b + d, 2)),
            form=PAIR,
            note="Express your answer as an ordered pair.",
            when=lambda a, b, c, d: a < c,
            wordings=(
                Wording(
                    "", "What is the midpoint of the segment from $({a}, {b})$ to $({c}, {d})$?"
                ),
                Wording(
                    (
                        "A segment has the ends $({c}, {d})$ and $({a}, {b})$ and is cut into two "
                        "equal halves."
                    ),
                    "What are the coordinates of the point where it is cut?",
                ),
            ),
        ),
        Template(
            name="reflection",
            level=2,
            numbers=dict(a=ints(-17, 22), b=ints(-21, 26), line=ints(-13, 19)),
            answer=lambda a, b, line: (2 * line - a, b),
            form=PAIR,
            when=lambda a, b, line: a != line,
            note="Express your answer as an ordered pair.",
            wordings=(
                Wording(
                    "",
                    (
                        "What is the image of the point $({a}, {b})$ under reflection in the "
                        "vertical line $x = {line}$?"
                    ),
                ),
                Wording(
                    "The vertical line $x = {line}$ is a mirror, and $P = ({a}, {b})$ is a point.",
                    "At which point does the mirror image of $P$ lie?",
                ),
            ),
        ),
        Template(
            name="distance_of_points",
            level=2,
            numbers=dict(a=ints(-14, 17), b=ints(-16, 19), c=ints(-18, 21), d=ints(-12, 23)),
            answer=lambda a, b, c, d: simplest_root((a - c) ** 2 + (b - d) ** 2),
            form=RADICAL,
            note=_RADICAL,
            when=lambda a, b, c, d: a < c,
            wordings=(
                Wording(
                    "", "What is the distance between the points $({a}, {b})$ and $({c}, {d})$?"
                ),
                Wording(
                    "A circle with the centre $({c}, {d})$ passes through the point $({a}, {b})$.",
                    "What is the radius of the circle?",
                ),
            ),
        ),
        Template(
            name="box_surface",
            level=1,
            numbers=dict(length=wide(12, 48), width=ints(9, 36), height=ints(7, 29)),
            answer=lambda length, width, height: (
                2 * (length * width + length * height + width * height)
            ),
            form=WHOLE,
            unknowns=("length", "width", "height"),
            alike=("length", "width", "height"),
            wordings=(
                Wording(
                    (
                        "A box with rectangular faces is {length} centimetres long, {width} "
                        "centimetres wide and {height} centimetres high."
                    ),
                    "What is its surface area in square centimetres?",
                    "Its surface area is ${answer}$ square centimetres.",
                ),
                Wording(
                    "",
                    (
                        "How many square decimetres of board are needed for all six sides of a "
                        "closed chest with the edges {height}, {length} and {width} decimetres?"
                    ),
                    (
                        "For all six sides of a closed chest with the edges {height}, {length} and "
                        "{width} decimetres, ${answer}$ square decimetres of board are needed."
                    ),
                ),
            ),
        ),
        Template(
            name="cylinder_volume",
            level=2,
            numbers=dict(diameter=ints(6, 30, 2), height=wide(11, 48)),
            answer=lambda diameter, height: Fraction(diameter * diameter * height, 4),
            form=PI,
            unknowns=("height",),
            note=_IN_PI,
            wordings=(
                Wording(
                    (
                        "The base of a cylinder has a diameter of {diameter} centimetres. The "
                        "cylinder is {height} centimetres high."
                    ),
                    "What is its volume in cubic centimetres?",
                    "Its volume is ${answer}$ cubic centimetres.",
                ),
                Wording(
                    "",
                    (
                        "How many cubic metres of grain fit into a round silo with a height of "
                        "{height} metres, if it is {diameter} metres across on the inside?"
                    ),
                    (
                        "${answer}$ cubic metres of grain fit into a round silo with a height of "
                        "{height} metres, which is {diameter} metres across on the inside."
                    ),
                ),
            ),
        ),
        Template(
            name="domed_tower",
            level=3,
            numbers=dict(radius=ints(4, 33), height=wide(11, 60)),
            answer=lambda radius, height: radius**2 * height + Fraction(2, 3) * radius**3,
            form=PI,
            unknowns=("height",),
            note=_IN_PI,
            wordings=(
                Wording(
                    (
                        "A tower is a cylinder with a radius of {radius} metres and a height of "
                        "{height} metres. On top of it is a dome, which is one half of a sphere "
                        "with the same radius."
                    ),
                    "What is the volume of the tower with its dome, in cubic metres?",
                    "The volume of the tower with its dome is ${answer}$ cubic metres.",
                ),
                Wording(
                    (
                        "The bottom of a test tube is one half of a ball with a radius of {radius} "
                        "millimetres. The rest is a cylinder with the same radius that is {height} "
                        "millimetres long."
                    ),
                    "How many cubic millimetres does the tube hold?",
                    "The tube holds ${answer}$ cubic millimetres.",
                ),
            ),
        ),
    ),
)
