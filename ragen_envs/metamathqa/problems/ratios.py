"""Competition-like problems about ratios, percent and mixtures."""

from __future__ import annotations

from fractions import Fraction
from math import gcd

from ragen_envs.metamathqa.problems.forms import DECIMAL, FRACTION, PERCENT, WHOLE
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

TOPIC = Topic(
    "ratios and percent",
    "MATH",
    (
        Template(
            name="ratio_share",
            level=1,
            numbers=dict(a=ints(2, 9), b=ints(3, 11), total=wide(120, 900)),
            answer=lambda a, b, total: Fraction(total * a, a + b),
            form=WHOLE,
            when=lambda a, b, total: gcd(a, b) == 1,
            unknowns=("total",),
            wordings=(
                Wording(
                    (
                        "In a bag the ratio of red counters to blue counters is {a} to {b}. There "
                        "are {total} counters in all, and each is red or blue."
                    ),
                    "How many of them are red?",
                    "${answer}$ of them are red.",
                ),
                Wording(
                    (
                        "A wire of {total} centimetres is cut into two parts whose lengths are in "
                        "the ratio {a}:{b}, in this order."
                    ),
                    "How many centimetres long is the first part?",
                    "The first part is ${answer}$ centimetres long.",
                ),
            ),
        ),
        Template(
            name="percent_of_percent",
            level=1,
            numbers=dict(first=ints(15, 85, 5), second=ints(12, 88, 4), total=wide(200, 2400, 25)),
            answer=lambda first, second, total: Fraction(first * second * total, 10_000),
            form=WHOLE,
            unknowns=("total",),
            wordings=(
                Wording(
                    (
                        "In a town {first} percent of the {total} inhabitants have a library card. "
                        "Of those, {second} percent used it last month."
                    ),
                    "How many inhabitants used their library card last month?",
                    "${answer}$ inhabitants used their library card last month.",
                ),
                Wording(
                    "",
                    r"What is ${second}\%$ of ${first}\%$ of ${total}$?",
                    r"The number ${answer}$ is ${second}\%$ of ${first}\%$ of ${total}$.",
                ),
            ),
        ),
        Template(
            name="percent_increase",
            level=1,
            numbers=dict(old=wide(40, 500, 4), new=wide(60, 990, 2)),
            answer=lambda old, new: Fraction(100 * (new - old), old),
            form=PERCENT,
            when=lambda old, new: old < new < 3 * old,
            note=r"Answer with a percentage, such as $7\%$.",
            unknowns=("old", "new"),
            wordings=(
                Wording(
                    "The number of members of a club has grown from {old} to {new}.",
                    "By what percent has it grown?",
                    "It has grown by ${answer}$.",
                ),
                Wording(
                    "A plant that was {old} millimetres high is {new} millimetres high today.",
                    "What is the percent increase of its height?",
                    "The percent increase of its height is ${answer}$.",
                ),
            ),
        ),
        Template(
            name="discount_then_tax",
            level=2,
            numbers=dict(price=wide(60, 640, 5), discount=ints(15, 45, 5), tax=ints(6, 12)),
            answer=lambda price, discount, tax: Fraction(
                price * (100 - discount) * (100 + tax), 10_000
            ),
            form=DECIMAL,
            unknowns=("price",),
            note="Express your answer in dollars, as a decimal.",
            wordings=(
                Wording(
                    (
                        "The price of a desk is {price} dollars. In a sale {discount} percent is "
                        "taken off, and then a tax of {tax} percent is added to the lower price."
                    ),
                    "What does a buyer pay for the desk?",
                    "A buyer pays ${answer}$ dollars for the desk.",
                ),
                Wording(
                    "A tax of {tax} percent has to be paid on everything that a shop sells.",
                    (
                        "How many dollars are paid in all for a lamp that is marked {price} "
                        "dollars, if it is sold at {discount} percent below the marked price and "
                        "the tax is on the reduced price?"
                    ),
                    (
                        "In all, ${answer}$ dollars are paid for a lamp that is marked {price} "
                        "dollars. It is sold at {discount} percent below the marked price, and the "
                        "tax is on the reduced price."
                    ),
                ),
            ),
        ),
        Template(
            name="two_percent_changes",
            level=2,
            numbers=dict(start=wide(80, 950, 10), up=ints(10, 90, 5), down=ints(4, 48, 2)),
            answer=lambda start, up, down: start * Fraction((100 + up) * (100 - down), 10_000),
            form=DECIMAL,
            note="Express your answer as a decimal.",
            unknowns=("start",),
            wordings=(
                Wording(
                    (
                        "A share is worth {start} dollars. Its price rises by {up} percent in one "
                        "year and falls by {down} percent in the next."
                    ),
                    "How many dollars is the share worth then?",
                    "Then the share is worth ${answer}$ dollars.",
                ),
                Wording(
                    (
                        "One side of a rectangle is made {down} percent shorter, and the other is "
                        "made {up} percent longer. Before that the area was {start} square metres."
                    ),
                    "What is the new area in square metres?",
                    "The new area is ${answer}$ square metres.",
                ),
            ),
        ),
        Template(
            name="chained_ratio",
            level=2,
            numbers=dict(a=ints(2, 19), b=ints(3, 16), c=ints(4, 17), d=ints(11, 40)),
            answer=lambda a, b, c, d: Fraction(a * c, b * d),
            form=FRACTION,
            when=lambda a, b, c, d: gcd(a, b) == gcd(c, d) == 1,
            unknowns=("d",),
            note="Express your answer as a common fraction in lowest terms.",
            wordings=(
                Wording(
                    (
                        r"The numbers $p$, $q$ and $r$ satisfy $p : q = {a} : {b}$ and $q : r = "
                        r"{c} : {d}$."
                    ),
                    r"What is $\frac{{p}}{{r}}$?",
                    r"The value of $\frac{{p}}{{r}}$ is ${answer}$.",
                ),
                Wording(
                    (
                        "There are {a} cats for every {b} dogs in a town, and {c} dogs for every "
                        "{d} birds."
                    ),
                    "What is the number of cats divided by the number of birds?",
                    "The number of cats divided by the number of birds is ${answer}$.",
                ),
            ),
        ),
        Template(
            name="mixture",
            level=3,
            numbers=dict(
                weak=ints(11, 29),
                weak_litres=ints(12, 60),
                strong=ints(42, 88),
                strong_litres=ints(8, 52),
            ),
            answer=lambda weak, weak_litres, strong, strong_litres: Fraction(
                weak * weak_litres + strong * strong_litres, weak_litres + strong_litres
            ),
            form=PERCENT,
            note=r"Answer with a percentage, such as $7\%$.",
            unknowns=("weak", "strong", "weak_litres", "strong_litres"),
            wordings=(
                Wording(
                    (
                        r"A chemist mixes {weak_litres} litres of a solution that is ${weak}\%$ "
                        r"acid with {strong_litres} litres of one that is ${strong}\%$ acid."
                    ),
                    "What percent of the mixture is acid?",
                    "In the mixture the share of acid is ${answer}$.",
                ),
                Wording(
                    "",
                    (
                        r"What is the sugar content of the drink that is made of {strong_litres} "
                        r"litres of syrup with ${strong}\%$ sugar and {weak_litres} litres of "
                        r"juice with ${weak}\%$ sugar?"
                    ),
                    (
                        r"The sugar content is ${answer}$ for the drink that is made of "
                        r"{strong_litres} litres of syrup with ${strong}\%$ sugar and "
                        r"{weak_litres} litres of juice with ${weak}\%$ sugar."
                    ),
                ),
            ),
        ),
        Template(
            name="compound_growth",
            level=3,
            numbers=dict(start=wide(500, 6000, 250), percent=ints(2, 20, 2), years=ints(2, 3)),
            answer=lambda start, percent, years: start * Fraction(100 + percent, 100) ** years,
            form=DECIMAL,
            unknowns=("start",),
            note="Express your answer in dollars, as a decimal.",
            wordings=(
                Wording(
                    (
                        r"{A} puts {start} dollars into an account that pays ${percent}\%$ "
                        r"interest at the end of every year, and takes nothing out."
                    ),
                    "How many dollars are in the account after {years} years?",
                    "After {years} years there are ${answer}$ dollars in the account.",
                ),
                Wording(
                    (
                        "For {years} years in a row the value of a painting grows by {percent} "
                        "percent of what it was at the beginning of the year. At first it is worth "
                        "{start} dollars."
                    ),
                    "What is it worth in the end?",
                    "In the end it is worth ${answer}$ dollars.",
                ),
            ),
        ),
    ),
)
