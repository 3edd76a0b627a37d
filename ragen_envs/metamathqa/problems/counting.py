"""Competition-like problems about counting and chance."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, lcm

from ragen_envs.metamathqa.problems.forms import FRACTION, WHOLE
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

TOPIC = Topic(
    "counting",
    "MATH",
    (
        Template(
            name="menus",
            level=1,
            numbers=dict(desserts=ints(3, 12), starters=ints(5, 18), mains=ints(11, 38)),
            answer=lambda desserts, starters, mains: desserts * starters * mains,
            form=WHOLE,
            unknowns=("mains",),
            wordings=(
                Wording(
                    (
                        "A restaurant offers {starters} starters, {mains} main dishes and "
                        "{desserts} desserts. A menu is one of each."
                    ),
                    "How many different menus are possible?",
                    "${answer}$ different menus are possible.",
                ),
                Wording(
                    "",
                    (
                        "In how many ways can {A} get dressed with one of {mains} shirts, one of "
                        "{starters} pairs of trousers and one of {desserts} hats?"
                    ),
                    (
                        "{A} can get dressed in ${answer}$ ways with one of {mains} shirts, one of "
                        "{starters} pairs of trousers and one of {desserts} hats."
                    ),
                ),
            ),
        ),
        Template(
            name="survey",
            level=1,
            numbers=dict(
                asked=wide(160, 480), tea=ints(61, 120), coffee=ints(55, 130), both=ints(12, 54)
            ),
            answer=lambda asked, tea, coffee, both: asked - tea - coffee + both,
            form=WHOLE,
            unknowns=("asked", "tea", "coffee", "both"),
            alike=("tea", "coffee"),
            wordings=(
                Wording(
                    "Of {asked} people, {tea} like tea, {coffee} like coffee and {both} like both.",
                    "How many of the people like neither tea nor coffee?",
                    "${answer}$ of the people like neither tea nor coffee.",
                ),
                Wording(
                    (
                        "At a school with {asked} pupils, {both} play football and also sing in "
                        "the choir. Counting these, there are {coffee} pupils in the choir and "
                        "{tea} who play football."
                    ),
                    "How many pupils do neither of the two?",
                    "${answer}$ pupils do neither of the two.",
                ),
            ),
        ),
        Template(
            name="handshakes",
            level=2,
            numbers=dict(people=wide(24, 70), family=ints(4, 16)),
            answer=lambda people, family: comb(people, 2) - comb(family, 2),
            form=WHOLE,
            unknowns=("people",),
            wordings=(
                Wording(
                    (
                        "At a party of {people} people, each person shakes hands with every other "
                        "person once. Only the {family} members of one family do not shake hands "
                        "with each other."
                    ),
                    "How many handshakes are there?",
                    "There are ${answer}$ handshakes.",
                ),
                Wording(
                    (
                        "In a league of {people} teams any two teams play exactly one match "
                        "against each other, except that teams from the capital do not meet."
                    ),
                    "What is the number of matches, if {family} of the teams are from the capital?",
                    (
                        "If {family} of the teams are from the capital, the number of matches is "
                        "${answer}$."
                    ),
                ),
                Wording(
                    "Of the {people} computers in an office, {family} are old.",
                    (
                        "How many cables are needed to link every pair of computers in which at "
                        "least one of the two is not old?"
                    ),
                    (
                        "To link every pair of computers in which at least one of the two is not "
                        "old, ${answer}$ cables are needed."
                    ),
                ),
            ),
        ),
        Template(
            name="committees",
            level=2,
            numbers=dict(
                women=ints(5, 18), men=ints(6, 20), from_women=ints(2, 3), from_men=ints(2, 4)
            ),
            answer=lambda women, men, from_women, from_men: (
                comb(women, from_women) * comb(men, from_men)
            ),
            form=WHOLE,
            wordings=(
                Wording(
                    (
                        "A committee of {from_women} women and {from_men} men is chosen from "
                        "{women} women and {men} men."
                    ),
                    "How many different committees are possible?",
                ),
                Wording(
                    (
                        "{A} has {men} novels and {women} travel guides. {A.He} wants to take "
                        "{from_men} of the novels and {from_women} of the travel guides on holiday."
                    ),
                    "In how many ways can {A.he} choose them?",
                ),
            ),
        ),
        Template(
            name="same_colour",
            level=2,
            numbers=dict(red=ints(4, 19), blue=ints(5, 23)),
            answer=lambda red, blue: Fraction(comb(red, 2) + comb(blue, 2), comb(red + blue, 2)),
            form=FRACTION,
            note="Express your answer as a common fraction in lowest terms.",
            alike=("red", "blue"),
            wordings=(
                Wording(
                    (
                        "A bag holds {red} red balls and {blue} blue balls. Two balls are drawn at "
                        "random without putting the first one back."
                    ),
                    "What is the probability that they have the same colour?",
                ),
                Wording(
                    (
                        "In a drawer there are {blue} black socks and {red} white ones, and {A} "
                        "takes out two of them at once in the dark."
                    ),
                    "How likely is it that the two socks match?",
                ),
            ),
        ),
        Template(
            name="codes_without_repeats",
            level=2,
            numbers=dict(letters=ints(6, 26), length=ints(2, 3), digits=ints(4, 10)),
            answer=lambda letters, length, digits: (
                factorial(letters) // factorial(letters - length) * digits
            ),
            form=WHOLE,
            unknowns=("letters",),
            wordings=(
                Wording(
                    (
                        "A code has {length} different letters followed by one digit. There are "
                        "{letters} letters to choose from and {digits} digits."
                    ),
                    "How many codes are possible?",
                    "${answer}$ codes are possible.",
                ),
                Wording(
                    (
                        "The first {length} places of a race go to {length} of {letters} runners, "
                        "and one of {digits} spectators wins a raffle."
                    ),
                    (
                        "In how many ways can the places and the raffle turn out, if no two "
                        "runners are level?"
                    ),
                    (
                        "If no two runners are level, the places and the raffle can turn out in "
                        "${answer}$ ways."
                    ),
                ),
            ),
        ),
        Template(
            name="grid_paths",
            level=3,
            numbers=dict(
                right=ints(2, 7), up=ints(2, 7), then_right=ints(2, 8), then_up=ints(2, 8)
            ),
            answer=lambda right, up, then_right, then_up: (
                comb(right + up, up) * comb(then_right + then_up, then_up)
            ),
            form=WHOLE,
            wordings=(
                Wording(
                    (
                        "On a grid {A} walks from home to a shop that is {right} steps to the "
                        "right and {up} steps up from there. Then {A.he} goes on to a park that is "
                        "{then_right} steps to the right and {then_up} steps up from the shop. "
                        "Every step goes one unit to the right or one unit up."
                    ),
                    "How many different paths are there from home to the park by way of the shop?",
                ),
                Wording(
                    (
                        "A word is made of {up} letters U and {right} letters R in some order. A "
                        "second word is made of {then_up} letters U and {then_right} letters R in "
                        "some order."
                    ),
                    "In how many ways can the two words be made?",
                ),
            ),
        ),
        Template(
            name="multiples_of_either",
            level=3,
            numbers=dict(limit=wide(300, 990), a=ints(4, 14), b=ints(6, 19)),
            answer=lambda limit, a, b: limit // a + limit // b - limit // lcm(a, b),
            form=WHOLE,
            when=lambda limit, a, b: a % b != 0 and b % a != 0,
            alike=("a", "b"),
            wordings=(
                Wording(
                    "",
                    (
                        "How many of the integers from 1 to {limit} are divisible by {a} or by {b} "
                        "(or by both)?"
                    ),
                ),
                Wording(
                    (
                        "The lockers of a station have the numbers 1 to {limit}. A red dot is put "
                        "on every locker whose number is a multiple of {a}, and another on each "
                        "whose number is a multiple of {b}."
                    ),
                    "How many lockers have at least one dot?",
                ),
            ),
        ),
        Template(
            name="no_two_together",
            level=3,
            numbers=dict(chairs=ints(9, 24), painted=ints(3, 5), colours=ints(2, 9)),
            answer=lambda chairs, painted, colours: (
                comb(chairs - painted + 1, painted) * colours**painted
            ),
            form=WHOLE,
            wordings=(
                Wording(
                    (
                        "There are {chairs} chairs in a row. Exactly {painted} of them are to be "
                        "painted, each in one of {colours} colours, and no two painted chairs may "
                        "be next to each other."
                    ),
                    "In how many ways can this be done?",
                ),
                Wording(
                    (
                        "A string of {chairs} lamps hangs over a street. A lamp that is lit shines "
                        "in one of {colours} colours."
                    ),
                    (
                        "How many patterns are there in which exactly {painted} of the lamps are "
                        "lit and no two neighbours are both lit?"
                    ),
                ),
            ),
        ),
    ),
)
