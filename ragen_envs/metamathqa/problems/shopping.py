"""Word problems about shopping and sharing a bill."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import MONEY, WHOLE, dollars
from ragen_envs.metamathqa.problems.template import (
    Draw,
    Template,
    Topic,
    Wording,
    ints,
    money,
    wide,
)

TOPIC = Topic(
    "shopping",
    "GSM",
    (
        Template(
            name="change",
            level=1,
            numbers=dict(
                price=money(135, 585),
                count=ints(3, 9),
                paid=Draw((2000, 5000, 10000), dollars, "${}"),
            ),
            answer=lambda price, count, paid: paid - count * price,
            form=MONEY,
            unknowns=("price",),
            wordings=(
                Wording(
                    "{A} buys {count} {goods} that cost {price} each. {A.He} pays with {paid}.",
                    "How much change does {A.he} get?",
                    "{A.He} gets {answer} in change.",
                ),
                Wording(
                    "At the {shop} every one of the {goods} has the same price, {price}.",
                    (
                        "If {A} takes {count} of them and hands over {paid}, how much money comes "
                        "back?"
                    ),
                    "{A} takes {count} of them, hands over {paid} and {answer} comes back.",
                ),
                Wording(
                    "",
                    (
                        "What is left of the {paid} in {A}'s wallet after {A.he} has bought "
                        "{count} {goods} for {price} apiece?"
                    ),
                    (
                        "Of the {paid} in {A}'s wallet, {answer} is left after {A.he} has bought "
                        "{count} {goods} for {price} apiece."
                    ),
                ),
            ),
        ),
        Template(
            name="tickets",
            level=1,
            numbers=dict(
                adults=ints(11, 48),
                price=ints(9, 24),
                children=wide(12, 75),
                child_price=ints(4, 8),
            ),
            answer=lambda adults, price, children, child_price: (
                adults * price + children * child_price
            ),
            form=WHOLE,
            unknowns=("adults", "children"),
            wordings=(
                Wording(
                    (
                        "A cinema ticket costs {price} dollars for an adult and {child_price} "
                        "dollars for a child. A group of {adults} adults and {children} children "
                        "goes to see a film."
                    ),
                    "How many dollars do the tickets cost altogether?",
                    "Altogether the tickets cost {answer} dollars.",
                ),
                Wording(
                    (
                        "On Sunday a small zoo had {children} young visitors, who paid "
                        "{child_price} dollars each. The other {adults} visitors were grown-ups, "
                        "who paid {price} dollars each."
                    ),
                    "How many dollars did the zoo take that day?",
                    "The zoo took {answer} dollars that day.",
                ),
                Wording(
                    "",
                    (
                        "How many dollars does a school pay for a museum trip of {adults} adults "
                        "and {children} pupils, if it is {price} dollars for each adult and "
                        "{child_price} dollars for each pupil?"
                    ),
                    (
                        "A school pays {answer} dollars for a museum trip of {adults} adults and "
                        "{children} pupils. It is {price} dollars for each adult and {child_price} "
                        "dollars for each pupil."
                    ),
                ),
            ),
        ),
        Template(
            name="coat_and_shirt",
            level=2,
            numbers=dict(
                shirt=wide(17, 78), times=ints(2, 5), more=ints(6, 15), voucher=ints(20, 34)
            ),
            answer=lambda shirt, times, more, voucher: shirt + times * shirt + more - voucher,
            form=WHOLE,
            unknowns=("shirt", "voucher"),
            wordings=(
                Wording(
                    (
                        "A shirt costs {shirt} dollars. A coat costs {more} dollars more than "
                        "{times} times the price of the shirt. {A} buys both and uses a voucher "
                        "worth {voucher} dollars."
                    ),
                    "How many dollars does {A} pay?",
                    "{A} pays {answer} dollars.",
                ),
                Wording(
                    (
                        "{A} has a voucher that takes {voucher} dollars off {A.his} bill. {A.He} "
                        "chooses a shirt for {shirt} dollars and a coat. If the coat were {more} "
                        "dollars cheaper, it would cost exactly {times} shirts."
                    ),
                    "How many dollars are left to pay?",
                    "That leaves {answer} dollars to pay.",
                ),
                Wording(
                    (
                        "The price of a coat is {times} times the price of a shirt, plus {more} "
                        "dollars. The shirt is {shirt} dollars."
                    ),
                    (
                        "What is the bill for both, in dollars, after {voucher} dollars have been "
                        "taken off?"
                    ),
                    (
                        "After {voucher} dollars have been taken off, the bill for both is "
                        "{answer} dollars."
                    ),
                ),
            ),
        ),
        Template(
            name="joint_gift",
            level=2,
            numbers=dict(gift=money(2450, 8950, 25), card=money(195, 545), friends=ints(3, 8)),
            answer=lambda gift, card, friends: Fraction(gift + card, friends),
            form=MONEY,
            unknowns=("gift", "card"),
            wordings=(
                Wording(
                    (
                        "{friends} friends buy a present for {A}. The present costs {gift} and the "
                        "card {card}. They share the cost equally."
                    ),
                    "How much does each of them pay?",
                    "Each of them pays {answer}.",
                ),
                Wording(
                    (
                        "For {A}'s birthday a group of {friends} friends spends {card} on a card "
                        "and {gift} on a present, and everybody in the group gives the same amount."
                    ),
                    "What is each friend's share?",
                    "Each friend's share is {answer}.",
                ),
                Wording(
                    "",
                    (
                        "How much does each person have to give if {friends} people split the cost "
                        "of a present for {gift} and a card for {card} evenly?"
                    ),
                    (
                        "If {friends} people split the cost of a present for {gift} and a card for "
                        "{card} evenly, each person has to give {answer}."
                    ),
                ),
            ),
        ),
        Template(
            name="pen_and_folder",
            level=3,
            numbers=dict(
                pens=ints(3, 8), folders=ints(4, 9), more=money(35, 125), total=money(1850, 5950)
            ),
            answer=lambda pens, folders, more, total: Fraction(
                total - folders * more, pens + folders
            ),
            form=MONEY,
            unknowns=("total", "more"),
            wordings=(
                Wording(
                    (
                        "A folder costs {more} more than a pen. {A} pays {total} for {pens} pens "
                        "and {folders} folders."
                    ),
                    "What is the price of a pen?",
                    "The price of a pen is {answer}.",
                ),
                Wording(
                    (
                        "{A} buys {folders} folders and {pens} pens, and the bill is {total}. "
                        "Every pen is {more} cheaper than a folder."
                    ),
                    "How much does one pen cost?",
                    "One pen costs {answer}.",
                ),
                Wording(
                    "",
                    (
                        "What does a pen cost if {pens} pens together with {folders} folders cost "
                        "{total} and the difference between the price of a folder and that of a "
                        "pen is {more}, the folder being dearer?"
                    ),
                    (
                        "A pen costs {answer}. The difference between the price of a folder and "
                        "that of a pen is {more}, the folder being dearer, and {pens} pens "
                        "together with {folders} folders cost {total}."
                    ),
                ),
            ),
        ),
    ),
)
