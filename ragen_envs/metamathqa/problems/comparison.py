"""Word problems about who has more: ages, shares, averages and equal amounts."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import WHOLE
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

TOPIC = Topic(
    "comparison",
    "GSM",
    (
        Template(
            name="three_collections",
            level=1,
            numbers=dict(first=wide(23, 95), times=ints(2, 6), fewer=ints(8, 22)),
            answer=lambda first, times, fewer: first + times * first + times * first - fewer,
            form=WHOLE,
            unknowns=("first", "fewer"),
            wordings=(
                Wording(
                    (
                        "{A} has {first} {things}. {B} has {times} times as many as {A}, and {C} "
                        "has {fewer} fewer than {B}."
                    ),
                    "How many {things} do the three have together?",
                    "Together the three have {answer} {things}.",
                ),
                Wording(
                    (
                        "{C} would need {fewer} more {things} to have as many as {B}. {B} has "
                        "{times} for each one that {A} has, and {A} has {first}."
                    ),
                    "What is the total number of {things} of {A}, {B} and {C}?",
                    "{A}, {B} and {C} have {answer} {things} in total.",
                ),
                Wording(
                    "",
                    (
                        "How many {things} are there if {A} brings {first}, {B} brings {times} "
                        "times that number and {C} brings {fewer} fewer than {B}?"
                    ),
                    (
                        "{A} brings {first} {things}, {B} brings {times} times that number, {C} "
                        "brings {fewer} fewer than {B}, and so there are {answer}."
                    ),
                ),
            ),
        ),
        Template(
            name="sum_and_difference",
            level=1,
            numbers=dict(total=wide(120, 460), more=wide(14, 58)),
            answer=lambda total, more: Fraction(total - more, 2),
            form=WHOLE,
            when=lambda total, more: total > 2 * more,
            unknowns=("total", "more"),
            wordings=(
                Wording(
                    (
                        "At a sports day there are {total} pupils from two schools. The first "
                        "school has sent {more} pupils more than the second."
                    ),
                    "How many pupils are from the second school?",
                    "{answer} of the pupils are from the second school.",
                ),
                Wording(
                    "{A} and {B} have picked {total} {fruit}.",
                    "How many did {B} pick, if {A} picked {more} more than {B}?",
                    "{A} picked {more} more than {B}, who picked {answer}.",
                ),
                Wording(
                    "On a farm there are {more} more {animals} in the meadow than in the barn.",
                    (
                        "How many {animals} are in the barn, when the farm has {total} {animals} "
                        "and all of them are in one of the two places?"
                    ),
                    (
                        "The farm has {total} {animals}, all of them are in one of the two places, "
                        "and {answer} are in the barn."
                    ),
                ),
            ),
        ),
        Template(
            name="seating",
            level=1,
            numbers=dict(
                rows=ints(14, 42), seats=wide(16, 58), empty=wide(21, 95), standing=ints(12, 30)
            ),
            answer=lambda rows, seats, empty, standing: rows * seats - empty + standing,
            form=WHOLE,
            unknowns=("rows", "seats", "empty"),
            wordings=(
                Wording(
                    (
                        "A hall has {rows} rows of {seats} seats. At a concert {empty} seats stay "
                        "empty, and {standing} people stand at the back."
                    ),
                    "How many people are at the concert?",
                    "There are {answer} people at the concert.",
                ),
                Wording(
                    (
                        "For a play by the drama group, {standing} tickets for standing room are "
                        "sold. Of the seats, which form {rows} rows of {seats}, all but {empty} "
                        "are sold."
                    ),
                    "How many tickets are sold in all?",
                    "In all, {answer} tickets are sold.",
                ),
                Wording(
                    "",
                    (
                        "What is the size of an audience in which {standing} people stand, and the "
                        "others sit in {rows} rows of {seats} seats, where {empty} seats are free?"
                    ),
                    (
                        "In an audience of {answer} people, {standing} stand and the others sit in "
                        "{rows} rows of {seats} seats, where {empty} seats are free."
                    ),
                ),
            ),
        ),
        Template(
            name="age_sum",
            level=2,
            numbers=dict(older=ints(3, 38), years=ints(2, 15), total=wide(48, 138)),
            answer=lambda older, years, total: Fraction(total - older, 2) - years,
            form=WHOLE,
            when=lambda older, years, total: total < 160 and 8 + older + 2 * years < total,
            unknowns=("older", "total"),
            wordings=(
                Wording(
                    (
                        "{A} is {older} years older than {B}. In {years} years the sum of their "
                        "ages will be {total}."
                    ),
                    "How old is {B} now?",
                    "{B} is {answer} years old now.",
                ),
                Wording(
                    (
                        "{years} years from now, {A} and {B} will be {total} years old together. "
                        "{B} was born {older} years after {A}, on the same day of the year."
                    ),
                    "What is {B}'s age today?",
                    "Today {B}'s age is {answer}.",
                ),
                Wording(
                    "",
                    (
                        "How old is {B} today if {A}, who is {older} years older, and {B} will "
                        "have the ages that add up to {total} in {years} years?"
                    ),
                    (
                        "{A} is {older} years older than {B}, in {years} years their ages will add "
                        "up to {total}, and {B} is {answer} today."
                    ),
                ),
            ),
        ),
        Template(
            name="three_shares",
            level=2,
            numbers=dict(total=wide(150, 640), more=ints(14, 46)),
            answer=lambda total, more: Fraction(total - more, 4),
            form=WHOLE,
            when=lambda total, more: total > 4 * more,
            unknowns=("total", "more"),
            wordings=(
                Wording(
                    (
                        "{A}, {B} and {C} share {total} dollars. {A} gets {more} dollars more than "
                        "{B}, and {C} gets twice as much as {B}."
                    ),
                    "How many dollars does {B} get?",
                    "{B} gets {answer} dollars.",
                ),
                Wording(
                    (
                        "{C} sold twice as many tickets for the {club} as {B} did, and {A} sold "
                        "{more} tickets more than {B}. Together they sold {total}."
                    ),
                    "How many tickets did {B} sell?",
                    "{B} sold {answer} tickets.",
                ),
                Wording(
                    (
                        "A rope of {total} centimetres is cut into three. The second piece is "
                        "{more} centimetres longer than the first, and the third is two times as "
                        "long as the first."
                    ),
                    "How long is the first piece, in centimetres?",
                    "The first piece is {answer} centimetres long.",
                ),
            ),
        ),
        Template(
            name="score_needed",
            level=2,
            numbers=dict(games=ints(4, 11), mean=wide(41, 88), target=wide(45, 96)),
            answer=lambda games, mean, target: target * (games + 1) - mean * games,
            form=WHOLE,
            when=lambda games, mean, target: mean < target < mean + 15,
            unknowns=("mean", "target"),
            wordings=(
                Wording(
                    "In {games} games {A} has scored {mean} points on average.",
                    (
                        "How many points does {A} need in the next game to bring the average to "
                        "{target}?"
                    ),
                    (
                        "With exactly {answer} points in the next game, {A} brings the average to "
                        "{target}."
                    ),
                ),
                Wording(
                    (
                        "{A} wants an average of {target} after one more round of a quiz. The "
                        "average of the {games} rounds so far is {mean}."
                    ),
                    "What must {A.he} score in that round?",
                    "For this {A.he} must score exactly {answer} in that round.",
                ),
                Wording(
                    "",
                    (
                        "Which number must be added to a list of {games} numbers with a mean of "
                        "{mean}, so that the mean of the longer list is {target}?"
                    ),
                    (
                        "If {answer} is added to a list of {games} numbers with a mean of {mean}, "
                        "then the mean of the longer list is {target}."
                    ),
                ),
            ),
        ),
        Template(
            name="working_back",
            level=2,
            numbers=dict(sold=wide(15, 64), left=wide(21, 92)),
            answer=lambda sold, left: 2 * (left + sold),
            form=WHOLE,
            unknowns=("sold", "left"),
            wordings=(
                Wording(
                    (
                        "{A} gives half of {A.his} {plants} to {B}. Then {A.he} sells {sold} "
                        "{plants} and has {left} left."
                    ),
                    "How many {plants} did {A} have at first?",
                    "At first {A} had {answer} {plants}.",
                ),
                Wording(
                    (
                        "At noon {left} {cakes} are left in a shop. In the hour before that, "
                        "{sold} were sold, and in the morning half of all the {cakes} had been "
                        "sold."
                    ),
                    "How many {cakes} were there when the shop opened?",
                    "When the shop opened there were {answer} {cakes}.",
                ),
                Wording(
                    "",
                    (
                        "How many {goods} were in a store room from which first one half and then "
                        "{sold} were taken, if {left} remain?"
                    ),
                    (
                        "From a store room with {answer} {goods}, first one half and then {sold} "
                        "were taken, and {left} remain."
                    ),
                ),
            ),
        ),
        Template(
            name="catching_up",
            level=3,
            numbers=dict(
                ahead=wide(240, 690, 5), behind=ints(20, 130), slow=ints(4, 11), fast=ints(13, 24)
            ),
            answer=lambda ahead, behind, slow, fast: Fraction(ahead - behind, fast - slow),
            form=WHOLE,
            when=lambda ahead, behind, slow, fast: ahead - behind < 160 * (fast - slow),
            unknowns=("ahead", "behind"),
            wordings=(
                Wording(
                    (
                        "{A} has {ahead} dollars and saves {slow} dollars a week. {B} has {behind} "
                        "dollars and saves {fast} dollars a week."
                    ),
                    "After how many weeks do they have the same amount?",
                    "After exactly {answer} weeks they have the same amount.",
                ),
                Wording(
                    "{B} saves {fast} dollars each week and {A} saves {slow}.",
                    (
                        "How many weeks does {B} need to draw exactly level, if {B} starts with "
                        "{behind} dollars and {A} with {ahead}?"
                    ),
                    (
                        "{B} starts with {behind} dollars and {A} with {ahead}, and {B} needs "
                        "exactly {answer} weeks to draw level."
                    ),
                ),
                Wording(
                    (
                        "Two tanks are being filled. One already holds {ahead} litres and gains "
                        "{slow} litres a minute; the other holds {behind} litres and gains {fast} "
                        "litres a minute."
                    ),
                    "In how many minutes will both hold the same number of litres?",
                    "In exactly {answer} minutes both will hold the same number of litres.",
                ),
            ),
        ),
    ),
)
