"""Competition-like problems of plane geometry."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import (
    FRACTION,
    PI,
    RADICAL,
    WHOLE,
    simplest_root,
)
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

_IN_PI = r"Express your answer in terms of $\pi$."
_RADICAL = "Express your answer in simplest radical form."

TOPIC = Topic(
    "plane geometry",
    "MATH",
    (
        Template(
            name="triangle_angle",
            level=1,
            numbers=dict(first=ints(23, 88), second=ints(31, 96)),
            answer=lambda first, second: 180 - first - second,
            form=WHOLE,
            when=lambda first, second: first + second < 170,
            unknowns=("first", "second"),
            alike=("first", "second"),
            wordings=(
                Wording(
                    "Two angles of a triangle measure {first} and {second} degrees.",
                    "How many degrees does the third angle measure?",
                    "The third angle measures ${answer}$ degrees.",
                ),
                Wording(
                    (
                        "In triangle $ABC$ the angle at $B$ is ${second}^\\circ$ and the angle at "
                        "$A$ is ${first}^\\circ$."
                    ),
                    "What is the angle at $C$, in degrees?",
                    "The angle at $C$ is ${answer}$ degrees.",
                ),
            ),
        ),
        Template(
            name="rectangle_perimeter",
            level=1,
            numbers=dict(width=ints(12, 48), area=wide(400, 2900, 4)),
            answer=lambda width, area: 2 * (width + Fraction(area, width)),
            form=WHOLE,
            when=lambda width, area: area % width == 0,
            unknowns=("area",),
            wordings=(
                Wording(
                    (
                        "A rectangle is {width} centimetres wide. Its area is {area} square "
                        "centimetres."
                    ),
                    "What is its perimeter in centimetres?",
                    "Its perimeter is ${answer}$ centimetres.",
                ),
                Wording(
                    (
                        "A field with four right angles covers {area} square metres, and one of "
                        "its sides is {width} metres long."
                    ),
                    "How many metres of fence go once around the field?",
                    "Once around the field go ${answer}$ metres of fence.",
                ),
            ),
        ),
        Template(
            name="sector",
            level=1,
            numbers=dict(radius=wide(7, 48), angle=ints(25, 170, 5)),
            answer=lambda radius, angle: Fraction(radius * radius * angle, 360),
            form=PI,
            unknowns=("radius", "angle"),
            note=_IN_PI,
            wordings=(
                Wording(
                    (
                        "A sector of a circle has an angle of {angle} degrees. The radius of the "
                        "circle is {radius} centimetres."
                    ),
                    "What is the area of the sector, in square centimetres?",
                    "The area of the sector is ${answer}$ square centimetres.",
                ),
                Wording(
                    "",
                    (
                        "How many square metres of grass are watered by a sprinkler that reaches "
                        "{radius} metres far and turns through {angle} degrees?"
                    ),
                    (
                        "A sprinkler that reaches {radius} metres far and turns through {angle} "
                        "degrees waters ${answer}$ square metres of grass."
                    ),
                ),
            ),
        ),
        Template(
            name="hypotenuse",
            level=2,
            numbers=dict(a=ints(2, 29), b=ints(3, 34)),
            answer=lambda a, b: simplest_root(a * a + b * b),
            form=RADICAL,
            unknowns=("a", "b"),
            note=_RADICAL,
            alike=("a", "b"),
            wordings=(
                Wording(
                    "The legs of a right triangle have the lengths {a} and {b}.",
                    "How long is its hypotenuse?",
                    "Its hypotenuse has the length ${answer}$.",
                ),
                Wording(
                    (
                        "A kite flies exactly {b} metres above a point on level ground that is {a} "
                        "metres away from the child who holds the string at ground level."
                    ),
                    "How long is the string in metres, if it is straight?",
                    "The string is straight and ${answer}$ metres long.",
                ),
            ),
        ),
        Template(
            name="triangular_prism",
            level=2,
            numbers=dict(perimeter=ints(18, 120, 6), height=wide(11, 60)),
            answer=lambda perimeter, height: (perimeter * perimeter // 36 * height, 3),
            form=RADICAL,
            unknowns=("height",),
            note=_RADICAL,
            wordings=(
                Wording(
                    (
                        "The base of an upright prism is an equilateral triangle with a perimeter "
                        "of {perimeter} centimetres. The prism is {height} centimetres high."
                    ),
                    "What is its volume in cubic centimetres?",
                    "Its volume is ${answer}$ cubic centimetres.",
                ),
                Wording(
                    (
                        "A beam is {height} decimetres long. Wherever it is sawn straight through, "
                        "the cut is a triangle with three equal sides that are {perimeter} "
                        "decimetres long together."
                    ),
                    "How many cubic decimetres of wood are in the beam?",
                    "There are ${answer}$ cubic decimetres of wood in the beam.",
                ),
            ),
        ),
        Template(
            name="ring",
            level=2,
            numbers=dict(outer=wide(15, 58), inner=ints(4, 38)),
            answer=lambda outer, inner: outer * outer - inner * inner,
            form=PI,
            when=lambda outer, inner: inner < outer - 1,
            unknowns=("outer", "inner"),
            note=_IN_PI,
            wordings=(
                Wording(
                    (
                        "Two circles have the same centre. The radius of the larger one is "
                        "{outer}, and the radius of the smaller one is {inner}."
                    ),
                    "What is the area of the region between the two circles?",
                    "The area of the region between the two circles is ${answer}$.",
                ),
                Wording(
                    (
                        "A round lawn with a radius of {outer} metres has a round flower bed in "
                        "the middle, which reaches {inner} metres from the centre."
                    ),
                    "How many square metres of the circle are grass?",
                    "${answer}$ square metres of the circle are grass.",
                ),
            ),
        ),
        Template(
            name="shadow",
            level=2,
            numbers=dict(pole=ints(3, 12), shadow=ints(4, 15), tree_shadow=wide(22, 75)),
            answer=lambda pole, shadow, tree_shadow: Fraction(pole * tree_shadow, shadow),
            form=FRACTION,
            unknowns=("tree_shadow",),
            note="Express your answer as a common fraction in lowest terms.",
            wordings=(
                Wording(
                    (
                        "A pole of {pole} metres casts a shadow of {shadow} metres. At the same "
                        "time the shadow of a tower is {tree_shadow} metres long."
                    ),
                    "How many metres high is the tower?",
                    "The tower is ${answer}$ metres high.",
                ),
                Wording(
                    (
                        "Two triangles are similar. In the small one, one side is {pole} and "
                        "another is {shadow}. In the large one, the side that corresponds to the "
                        "{shadow} is {tree_shadow}."
                    ),
                    (
                        "What is the length of the side of the large triangle that corresponds to "
                        "the {pole}?"
                    ),
                    (
                        "The side of the large triangle that corresponds to the {pole} has the "
                        "length ${answer}$."
                    ),
                ),
            ),
        ),
        Template(
            name="polygon_angles",
            level=2,
            numbers=dict(first=wide(9, 48), second=ints(5, 40)),
            answer=lambda first, second: (first + second - 4) * 180,
            form=WHOLE,
            unknowns=("first",),
            alike=("first", "second"),
            wordings=(
                Wording(
                    "One convex polygon has {first} sides, and another has {second} sides.",
                    "What is the sum of all their interior angles, in degrees?",
                    "The sum of all their interior angles is ${answer}$ degrees.",
                ),
                Wording(
                    (
                        "All the inside corners of two convex figures are measured. Of the "
                        "straight edges, {second} belong to one figure and {first} to the other."
                    ),
                    "How many degrees do the corners of both figures add up to?",
                    "The corners of both figures add up to ${answer}$ degrees.",
                ),
            ),
        ),
        Template(
            name="rhombus",
            level=3,
            numbers=dict(diagonal=ints(6, 58, 2), area=wide(60, 990, 3)),
            answer=lambda diagonal, area: simplest_root(
                (diagonal // 2) ** 2 + (area // diagonal) ** 2
            ),
            form=RADICAL,
            when=lambda diagonal, area: area % diagonal == 0,
            note=_RADICAL,
            wordings=(
                Wording(
                    (
                        "The area of a rhombus is {area}, and one of its diagonals has the length "
                        "{diagonal}."
                    ),
                    "How long is a side of the rhombus?",
                ),
                Wording(
                    "",
                    (
                        "What is the side of a rhombus with a diagonal of {diagonal} units that "
                        "encloses {area} square units?"
                    ),
                ),
            ),
        ),
        Template(
            name="chord",
            level=3,
            numbers=dict(radius=wide(11, 60), distance=ints(3, 40)),
            answer=lambda radius, distance: simplest_root(4 * (radius**2 - distance**2)),
            form=RADICAL,
            when=lambda radius, distance: distance < radius,
            unknowns=("radius", "distance"),
            note=_RADICAL,
            wordings=(
                Wording(
                    (
                        "In a circle of radius {radius}, a chord is {distance} units away from the "
                        "centre."
                    ),
                    "How long is the chord?",
                    "The length of the chord is ${answer}$.",
                ),
                Wording(
                    (
                        "A straight line passes the centre of a circle at a distance of {distance} "
                        "units. The radius of the circle is {radius} units."
                    ),
                    "What is the length of the part of the line that lies inside the circle?",
                    "The part of the line that lies inside the circle has the length ${answer}$.",
                ),
            ),
        ),
    ),
)
