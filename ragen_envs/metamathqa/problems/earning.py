"""Word problems about earning, saving and running costs."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import MONEY, WHOLE
from ragen_envs.metamathqa.problems.template import (
    Template,
    Topic,
    Wording,
    ints,
    money,
    wide,
)

TOPIC = Topic(
    "earning",
    "GSM",
    (
        Template(
            name="bake_sale",
            level=1,
            numbers=dict(sold=wide(32, 120), price=money(65, 295), cost=money(1250, 4990)),
            answer=lambda sold, price, cost: sold * price - cost,
            form=MONEY,
            unknowns=("sold", "cost"),
            wordings=(
                Wording(
                    (
                        "For the {club}, {A} bakes {cakes}. The ingredients cost {cost}. {A.He} "
                        "sells {sold} {cakes} at {price} each."
                    ),
                    "How much money does the {club} earn, once the ingredients are paid for?",
                    "Once the ingredients are paid for, the {club} has earned {answer}.",
                ),
                Wording(
                    (
                        "The {club} sold {sold} {cakes} for {price} apiece to pay for a trip. "
                        "Before that, {A} had spent {cost} on flour, sugar and butter."
                    ),
                    "What was the profit?",
                    "The profit was {answer}.",
                ),
                Wording(
                    "",
                    (
                        "How much profit do {sold} {cakes} bring in if each is sold for {price} "
                        "and it took {cost} to make all of them?"
                    ),
                    (
                        "It took {cost} to make {sold} {cakes}, each is sold for {price}, and the "
                        "profit is {answer}."
                    ),
                ),
            ),
        ),
        Template(
            name="saving_up",
            level=1,
            numbers=dict(goal=wide(240, 640, 5), saved=ints(15, 120), weekly=ints(6, 14)),
            answer=lambda goal, saved, weekly: Fraction(goal - saved, weekly),
            form=WHOLE,
            unknowns=("goal", "saved"),
            wordings=(
                Wording(
                    (
                        "{A} wants a bicycle that costs {goal} dollars. {A.He} already has {saved} "
                        "dollars and puts {weekly} dollars aside every week."
                    ),
                    "After how many weeks does {A.he} have exactly the price of the bicycle?",
                    "After {answer} weeks {A.he} has exactly the price of the bicycle.",
                ),
                Wording(
                    (
                        "Every week {A} earns {weekly} dollars by walking dogs and spends none of "
                        "it. {A.He} began with {saved} dollars from {A.his} birthday."
                    ),
                    "How many weeks of walking dogs does it take to have exactly {goal} dollars?",
                    "It takes {answer} weeks of walking dogs to have exactly {goal} dollars.",
                ),
                Wording(
                    "",
                    (
                        "How many weekly payments of {weekly} dollars must {A} still make to pay "
                        "exactly {goal} dollars for a camera, if {saved} dollars have been paid?"
                    ),
                    (
                        "{A} has paid {saved} dollars and must still make {answer} weekly payments "
                        "of {weekly} dollars to pay exactly {goal} dollars for a camera."
                    ),
                ),
            ),
        ),
        Template(
            name="overtime",
            level=2,
            numbers=dict(rate=ints(14, 58, 2), hours=ints(24, 40), extra=ints(3, 12)),
            answer=lambda rate, hours, extra: rate * hours + Fraction(3, 2) * rate * extra,
            form=WHOLE,
            unknowns=("rate", "hours"),
            wordings=(
                Wording(
                    (
                        "{A} earns {rate} dollars an hour. For overtime {A.he} is paid one and a "
                        "half times as much. This week {A.he} worked {hours} regular hours and "
                        "{extra} hours of overtime."
                    ),
                    "How many dollars did {A} earn this week?",
                    "{A} earned {answer} dollars this week.",
                ),
                Wording(
                    (
                        "Last week {A} did {extra} hours of overtime on top of {hours} ordinary "
                        "hours. The ordinary wage is {rate} dollars an hour, and the wage for "
                        "overtime is half as much again."
                    ),
                    "What was {A}'s pay for the week, in dollars?",
                    "{A}'s pay for the week was {answer} dollars.",
                ),
                Wording(
                    (
                        "A workshop pays {rate} dollars for each of the first {hours} hours in a "
                        "week and 50 percent more for each hour after that."
                    ),
                    "How many dollars does someone get who stays {extra} hours longer than that?",
                    "Someone who stays {extra} hours longer than that gets {answer} dollars.",
                ),
            ),
        ),
        Template(
            name="phone_bill",
            level=2,
            numbers=dict(
                fee=money(905, 2995, 10),
                free=ints(60, 120, 10),
                minutes=wide(145, 320),
                cents=ints(4, 19),
            ),
            answer=lambda fee, free, minutes, cents: fee + (minutes - free) * cents,
            form=MONEY,
            unknowns=("fee", "minutes"),
            wordings=(
                Wording(
                    (
                        "A telephone company charges {fee} a month. The first {free} minutes are "
                        "free, and every further minute costs {cents} cents. In May {A} talked for "
                        "{minutes} minutes."
                    ),
                    "How much was {A}'s bill for May?",
                    "{A}'s bill for May was {answer}.",
                ),
                Wording(
                    (
                        "{A} talked for {minutes} minutes in March. Only minutes beyond the first "
                        "{free} are paid for, at {cents} cents each; to that a fee of {fee} is "
                        "added."
                    ),
                    "What does {A} owe for March?",
                    "{A} owes {answer} for March.",
                ),
                Wording(
                    "",
                    (
                        "What does it cost to use a rented scooter for {minutes} minutes, when "
                        "there is a fee of {fee}, the first {free} minutes are included and each "
                        "minute after them costs {cents} cents?"
                    ),
                    (
                        "It costs {answer} to use a rented scooter for {minutes} minutes. There is "
                        "a fee of {fee}, the first {free} minutes are included and each minute "
                        "after them costs {cents} cents."
                    ),
                ),
            ),
        ),
        Template(
            name="crates_resold",
            level=3,
            numbers=dict(
                crates=ints(6, 14),
                each=ints(25, 60, 5),
                cost=ints(12, 28),
                bad=wide(11, 38),
                price=ints(2, 5),
            ),
            answer=lambda crates, each, cost, bad, price: (
                (crates * each - bad) * price - crates * cost
            ),
            form=WHOLE,
            unknowns=("bad", "cost"),
            wordings=(
                Wording(
                    (
                        "A trader buys {crates} crates of {fruit} for {cost} dollars a crate. "
                        "There are {each} {fruit} in each crate, but {bad} of the {fruit} turn out "
                        "to be rotten. The trader sells all the others for {price} dollars each."
                    ),
                    "How many dollars of profit does the trader make?",
                    "The trader makes a profit of {answer} dollars.",
                ),
                Wording(
                    (
                        "At {price} dollars each, {A} sells all {A.his} {fruit} except {bad}, "
                        "which are spoilt and are thrown away. {A.He} had bought them in {crates} "
                        "crates of {each}, and each crate had cost {cost} dollars."
                    ),
                    "What profit in dollars is left for {A}?",
                    "A profit of {answer} dollars is left for {A}.",
                ),
                Wording(
                    "Each of {crates} crates holds {each} {fruit} and costs {cost} dollars.",
                    (
                        "If {bad} of the {fruit} cannot be sold and the rest go for {price} "
                        "dollars apiece, how many dollars more come in than were spent?"
                    ),
                    (
                        "If {bad} of the {fruit} cannot be sold and the rest go for {price} "
                        "dollars apiece, {answer} dollars more come in than were spent."
                    ),
                ),
            ),
        ),
    ),
)
