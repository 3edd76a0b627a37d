"""Word problems about temperature, weight, volume and working time."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import (
    DECIMAL,
    MIXED,
    SIGNED,
    WHOLE,
)
from ragen_envs.metamathqa.problems.template import (
    Template,
    Topic,
    Wording,
    ints,
    one_of,
    proper,
    tenths,
    wide,
)

TOPIC = Topic(
    "measures",
    "GSM",
    (
        Template(
            name="temperature",
            level=1,
            numbers=dict(start=ints(3, 19), fall=wide(21, 38), rise=ints(2, 14)),
            answer=lambda start, fall, rise: start - fall + rise,
            form=SIGNED,
            when=lambda start, fall, rise: -40 < start - fall + rise < 0,
            unknowns=("start", "fall"),
            wordings=(
                Wording(
                    (
                        "In the afternoon it is {start} degrees Celsius at a mountain hut. "
                        "Overnight the temperature falls by {fall} degrees, and by morning it has "
                        "risen again by {rise} degrees."
                    ),
                    "What is the temperature in the morning, in degrees Celsius?",
                    "In the morning the temperature is {answer} degrees Celsius.",
                ),
                Wording(
                    (
                        "A cold store warms up by {rise} degrees while its door is open. Before "
                        "the door was opened, the store had been cooled by {fall} degrees from "
                        "{start} degrees Celsius."
                    ),
                    "How many degrees Celsius does its thermometer show in the end?",
                    "In the end its thermometer shows {answer} degrees Celsius.",
                ),
                Wording(
                    "",
                    (
                        "What does a thermometer show that starts at {start} degrees, drops by "
                        "{fall} degrees and then climbs by {rise} degrees?"
                    ),
                    (
                        "A thermometer that starts at {start} degrees, drops by {fall} degrees and "
                        "then climbs by {rise} degrees shows {answer} degrees."
                    ),
                ),
            ),
        ),
        Template(
            name="batches",
            level=1,
            numbers=dict(cups=proper(12), batches=ints(3, 29)),
            answer=lambda cups, batches: cups * batches,
            form=MIXED,
            unknowns=("cups",),
            note="Give the answer as a mixed number.",
            wordings=(
                Wording(
                    (
                        "One batch of {cakes} takes {cups} of a cup of sugar. {A} bakes {batches} "
                        "batches."
                    ),
                    "How many cups of sugar does {A} need?",
                    "{A} needs {answer} cups of sugar.",
                ),
                Wording(
                    "{A} pours {drink} into {batches} glasses. Each glass takes {cups} of a litre.",
                    "How many litres of {drink} are poured?",
                    "{answer} litres of {drink} are poured.",
                ),
                Wording(
                    "",
                    (
                        "How many kilograms of {crop} are in {batches} bags, if one bag weighs "
                        "{cups} of a kilogram?"
                    ),
                    (
                        "There are {answer} kilograms of {crop} in {batches} bags, and one bag "
                        "weighs {cups} of a kilogram."
                    ),
                ),
            ),
        ),
        Template(
            name="parcels",
            level=2,
            numbers=dict(
                small=ints(12, 38), light=tenths(11, 39), large=wide(14, 62), heavy=tenths(41, 95)
            ),
            answer=lambda small, light, large, heavy: small * light + large * heavy,
            form=DECIMAL,
            unknowns=("large", "heavy"),
            wordings=(
                Wording(
                    (
                        "A van carries {small} small parcels of {light} kilograms each and {large} "
                        "large parcels of {heavy} kilograms each."
                    ),
                    "How many kilograms do all the parcels weigh?",
                    "All the parcels weigh {answer} kilograms.",
                ),
                Wording(
                    (
                        "{A} loads a lift with {large} sacks of {crop} and {small} tins of paint. "
                        "A sack weighs {heavy} kilograms and a tin {light} kilograms."
                    ),
                    "What is the weight of the load, in kilograms?",
                    "The weight of the load is {answer} kilograms.",
                ),
                Wording(
                    "",
                    (
                        "How many metres of cable go into {small} short leads, which take {light} "
                        "metres each, and {large} long leads, which take {heavy} metres each?"
                    ),
                    (
                        "{answer} metres of cable go into {small} short leads, which take {light} "
                        "metres each, and {large} long leads, which take {heavy} metres each."
                    ),
                ),
            ),
        ),
        Template(
            name="hours_of_work",
            level=2,
            numbers=dict(
                first=wide(14, 62),
                minutes=ints(8, 26),
                second=ints(11, 48),
                longer=one_of(3, 4, 5, 6, 7),
            ),
            answer=lambda first, minutes, second, longer: Fraction(
                first * minutes + second * (minutes + longer), 60
            ),
            form=DECIMAL,
            unknowns=("first", "second"),
            note="Give the answer as a decimal.",
            wordings=(
                Wording(
                    (
                        "{A} mends {first} chairs and {second} tables. A chair takes {minutes} "
                        "minutes, and a table takes {longer} minutes longer than a chair."
                    ),
                    "How many hours does {A} work?",
                    "{A} works for {answer} hours.",
                ),
                Wording(
                    (
                        "A clinic sees {second} new patients and {first} patients who have been "
                        "there before. A new patient needs {longer} minutes more than the others, "
                        "who need {minutes} minutes each."
                    ),
                    "How many hours are spent on all of these patients?",
                    "{answer} hours are spent on all of these patients.",
                ),
                Wording(
                    "",
                    (
                        "How many hours does it take to record {first} short talks of {minutes} "
                        "minutes and {second} talks that are {longer} minutes longer, one after "
                        "the other?"
                    ),
                    (
                        "It takes {answer} hours to record {first} short talks of {minutes} "
                        "minutes and {second} talks that are {longer} minutes longer, one after "
                        "the other."
                    ),
                ),
            ),
        ),
        Template(
            name="candle",
            level=2,
            numbers=dict(
                length=wide(210, 420), per_hour=ints(11, 29), hours=ints(3, 8), later=ints(31, 74)
            ),
            answer=lambda length, per_hour, hours, later: length - per_hour * hours - later,
            form=WHOLE,
            when=lambda length, per_hour, hours, later: length > per_hour * hours + later + 10,
            unknowns=("length", "per_hour", "later"),
            wordings=(
                Wording(
                    (
                        "A candle is {length} millimetres tall. It burns down by {per_hour} "
                        "millimetres an hour. {A} lets it burn for {hours} hours on one day, and "
                        "on the next day it gets another {later} millimetres shorter."
                    ),
                    "How tall is the candle then, in millimetres?",
                    "Then the candle is {answer} millimetres tall.",
                ),
                Wording(
                    (
                        "{A} uses up {later} grams of {crop} on Friday and {per_hour} grams on "
                        "each of the {hours} days before Friday. The bag had {length} grams in it."
                    ),
                    "How many grams remain in the bag?",
                    "{answer} grams remain in the bag.",
                ),
                Wording(
                    (
                        "After climbing for {hours} hours at a rate of {per_hour} metres of height "
                        "an hour, a walker has {later} metres more to climb before the hut. The "
                        "peak is {length} metres above the start."
                    ),
                    "How many metres above the hut is the peak?",
                    "The peak is {answer} metres above the hut.",
                ),
            ),
        ),
        Template(
            name="two_machines",
            level=3,
            numbers=dict(
                slow=ints(13, 29), fast=ints(31, 54), alone=ints(2, 6), total=wide(640, 1900, 4)
            ),
            answer=lambda slow, fast, alone, total: (
                alone + Fraction(total - alone * slow, slow + fast)
            ),
            form=WHOLE,
            unknowns=("total",),
            wordings=(
                Wording(
                    (
                        "An old machine makes {slow} {goods} an hour and a new one {fast} an hour. "
                        "The old one runs alone for {alone} hours. Then both run until there are "
                        "{total} {goods}."
                    ),
                    "For how many hours does the old machine run in all?",
                    "The old machine runs for {answer} hours in all.",
                ),
                Wording(
                    (
                        "{A} types {slow} addresses an hour and {B} types {fast}. {A} begins "
                        "{alone} hours before {B}, and they stop as soon as all {total} addresses "
                        "are typed."
                    ),
                    "How many hours has {A} been typing by then?",
                    "By then {A} has been typing for exactly {answer} hours.",
                ),
                Wording(
                    "",
                    (
                        "How long does a small pump run, in hours, that lifts {slow} cubic metres "
                        "an hour and is joined after {alone} hours by one that lifts {fast}, until "
                        "{total} cubic metres have been lifted?"
                    ),
                    (
                        "A small pump lifts {slow} cubic metres an hour and is joined after "
                        "{alone} hours by one that lifts {fast}; it has run for {answer} hours "
                        "when {total} cubic metres have been lifted."
                    ),
                ),
            ),
        ),
    ),
)
