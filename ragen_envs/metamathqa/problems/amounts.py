"""Word problems about how many things there are."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import WHOLE
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

TOPIC = Topic(
    "amounts",
    "GSM",
    (
        Template(
            name="library_shelves",
            level=1,
            numbers=dict(shelves=ints(12, 48), books=wide(21, 68), lent=wide(25, 160)),
            answer=lambda shelves, books, lent: shelves * books - lent,
            form=WHOLE,
            unknowns=("shelves", "books", "lent"),
            wordings=(
                Wording(
                    (
                        "A library has {shelves} shelves with {books} books on each of them. Then "
                        "{lent} books are lent out."
                    ),
                    "How many books are left on the shelves?",
                    "There are {answer} books left on the shelves.",
                ),
                Wording(
                    (
                        "Readers have {lent} books of a library at home. When every book is back, "
                        "each of the {shelves} shelves holds {books} books."
                    ),
                    "How many books are in the library at the moment?",
                    "At the moment {answer} books are in the library.",
                ),
                Wording(
                    "",
                    (
                        "How many books stay in a library that owns {shelves} full shelves of "
                        "{books} books each and lends out {lent} books?"
                    ),
                    (
                        "A library that owns {shelves} full shelves of {books} books each lends "
                        "out {lent} books, and {answer} books stay."
                    ),
                ),
            ),
        ),
        Template(
            name="collection",
            level=1,
            numbers=dict(start=wide(140, 420), given=ints(35, 95), found=wide(22, 88)),
            answer=lambda start, given, found: start - given + found,
            form=WHOLE,
            unknowns=("start", "given", "found"),
            wordings=(
                Wording(
                    (
                        "{A} has {start} {things}. {A.He} gives {given} of them to {B} and later "
                        "gets {found} new ones from {C}."
                    ),
                    "How many {things} does {A} have in the end?",
                    "In the end {A} has {answer} {things}.",
                ),
                Wording(
                    (
                        "This year {A} added {found} {things} to {A.his} collection and let {B} "
                        "have {given}. At the start of the year there were {start}."
                    ),
                    "How large is {A}'s collection at the end of the year?",
                    "At the end of the year {A}'s collection counts {answer} {things}.",
                ),
                Wording(
                    "",
                    (
                        "With how many {things} does {A} end up if {A.he} starts with {start}, "
                        "loses {given} to {B} in a game and wins {found} from {C}?"
                    ),
                    (
                        "{A} starts with {start} {things}, loses {given} to {B} in a game, wins "
                        "{found} from {C} and ends up with {answer}."
                    ),
                ),
            ),
        ),
        Template(
            name="orchard",
            level=1,
            numbers=dict(rows=ints(11, 39), trees=ints(12, 45), kilograms=wide(14, 65)),
            answer=lambda rows, trees, kilograms: rows * trees * kilograms,
            form=WHOLE,
            unknowns=("rows", "trees", "kilograms"),
            wordings=(
                Wording(
                    (
                        "An orchard has {rows} rows of {trees} trees. Every tree gives {kilograms} "
                        "kilograms of {fruit}."
                    ),
                    "How many kilograms of {fruit} does the orchard give?",
                    "The orchard gives {answer} kilograms of {fruit}.",
                ),
                Wording(
                    (
                        "{A} picks {kilograms} kilograms of {fruit} from each tree in {A.his} "
                        "orchard. The trees stand in {rows} rows, {trees} to a row."
                    ),
                    "What does the whole harvest weigh, in kilograms?",
                    "The whole harvest weighs {answer} kilograms.",
                ),
                Wording(
                    "",
                    (
                        "If one tree bears {kilograms} kilograms of {fruit}, how many kilograms do "
                        "{rows} rows with {trees} trees in each bear together?"
                    ),
                    (
                        "One tree bears {kilograms} kilograms of {fruit}, and {rows} rows with "
                        "{trees} trees in each bear {answer} kilograms together."
                    ),
                ),
            ),
        ),
        Template(
            name="packed_boxes",
            level=1,
            numbers=dict(boxes=wide(14, 75), each=ints(12, 48), loose=ints(3, 11)),
            answer=lambda boxes, each, loose: boxes * each + loose,
            form=WHOLE,
            unknowns=("boxes", "each"),
            wordings=(
                Wording(
                    (
                        "{A} packs {cakes} into boxes of {each}. {A.He} fills {boxes} boxes, and "
                        "{loose} {cakes} are left over."
                    ),
                    "How many {cakes} were there?",
                    "There were {answer} {cakes}.",
                ),
                Wording(
                    (
                        "A bakery delivers {boxes} full boxes and a bag with {loose} more {cakes}. "
                        "Each full box holds {each}."
                    ),
                    "How many {cakes} does the bakery deliver in all?",
                    "In all, the bakery delivers {answer} {cakes}.",
                ),
                Wording(
                    "",
                    (
                        "How many {cakes} have been baked if they fill {boxes} trays of {each} and "
                        "{loose} do not fit on any tray?"
                    ),
                    (
                        "The {answer} {cakes} that have been baked fill {boxes} trays of {each}, "
                        "and {loose} do not fit on any tray."
                    ),
                ),
            ),
        ),
        Template(
            name="heads_and_legs",
            level=3,
            numbers=dict(heads=wide(35, 120), legs=wide(90, 420, 2)),
            answer=lambda heads, legs: Fraction(legs - 2 * heads, 2),
            form=WHOLE,
            when=lambda heads, legs: 2 * heads + 6 < legs < 4 * heads - 6,
            unknowns=("heads", "legs"),
            wordings=(
                Wording(
                    (
                        "A farmer has only hens and rabbits. Together the animals have {heads} "
                        "heads and {legs} legs. Every hen has two legs and every rabbit four."
                    ),
                    "How many rabbits are there?",
                    "There are {answer} rabbits.",
                ),
                Wording(
                    (
                        "In a car park there are motorcycles with two wheels and cars with four "
                        "wheels. {A} counts {legs} wheels on {heads} vehicles."
                    ),
                    "How many of the vehicles are cars?",
                    "{answer} of the vehicles are cars.",
                ),
                Wording(
                    "The {heads} tables of a restaurant seat either two or four guests.",
                    (
                        "If all tables are full with {legs} guests, how many tables are there for "
                        "four?"
                    ),
                    (
                        "All tables are full with {legs} guests, and {answer} of the tables are "
                        "for four."
                    ),
                ),
            ),
        ),
    ),
)
