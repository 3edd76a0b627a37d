"""Word problems about amounts that change step by step."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import WHOLE
from ragen_envs.metamathqa.problems.template import Template, Topic, Wording, ints, wide

TOPIC = Topic(
    "processes",
    "GSM",
    (
        Template(
            name="train_stops",
            level=1,
            numbers=dict(
                start=wide(130, 360), off=ints(41, 98), on=ints(17, 76), second=ints(12, 38)
            ),
            answer=lambda start, off, on, second: start - off + on - second,
            form=WHOLE,
            unknowns=("start", "off", "on"),
            wordings=(
                Wording(
                    (
                        "A train leaves {town} with {start} passengers. At {village} {off} "
                        "passengers get off and {on} get on. At the next stop {second} get off and "
                        "nobody gets on."
                    ),
                    "How many passengers are on the train then?",
                    "Then there are {answer} passengers on the train.",
                ),
                Wording(
                    (
                        "{start} people are on a ferry. At the first island {on} people come "
                        "aboard after {off} have gone ashore. At the second island another "
                        "{second} go ashore."
                    ),
                    "How many people does the ferry carry when it leaves the second island?",
                    "When it leaves the second island, the ferry carries {answer} people.",
                ),
                Wording(
                    (
                        "At two stops a bus line counted {off} and then {second} people who got "
                        "off. Only at the first of the two did anybody get on: {on} people."
                    ),
                    (
                        "If all the buses together had {start} riders before the two stops, how "
                        "many did they have after them?"
                    ),
                    (
                        "All the buses together had {start} riders before the two stops and "
                        "{answer} after them."
                    ),
                ),
            ),
        ),
        Template(
            name="egg_boxes",
            level=2,
            numbers=dict(hens=wide(24, 96), eggs=ints(4, 6), weeks=ints(3, 9), used=ints(18, 66)),
            answer=lambda hens, eggs, weeks, used: Fraction(hens * eggs * weeks - used, 10),
            form=WHOLE,
            unknowns=("hens", "used"),
            wordings=(
                Wording(
                    (
                        "{A} keeps {hens} hens. Each hen lays {eggs} eggs a week. In {weeks} weeks "
                        "{A}'s family eats {used} of the eggs, and {A.he} sells all the others in "
                        "full boxes of ten, with no egg left over."
                    ),
                    "How many boxes does {A} sell in that time?",
                    "In that time {A} sells {answer} boxes.",
                ),
                Wording(
                    (
                        "Eggs are sold in boxes of ten. A farm has {hens} hens that lay {eggs} "
                        "eggs each per week. Over {weeks} weeks, {used} eggs are broken or eaten "
                        "on the farm."
                    ),
                    "How many boxes do the other eggs fill, with no egg left over?",
                    "The other eggs fill {answer} boxes, with no egg left over.",
                ),
                Wording(
                    "",
                    (
                        "Exactly how many boxes of ten eggs do {hens} hens fill in {weeks} weeks, "
                        "if a hen lays {eggs} eggs a week, {used} of all the eggs are kept back "
                        "and none is left over?"
                    ),
                    (
                        "In {weeks} weeks {hens} hens fill exactly {answer} boxes of ten eggs. A "
                        "hen lays {eggs} eggs a week, {used} of all the eggs are kept back and "
                        "none is left over."
                    ),
                ),
            ),
        ),
        Template(
            name="reading_days",
            level=2,
            numbers=dict(pages=wide(260, 620), first=ints(31, 74), daily=ints(7, 16)),
            answer=lambda pages, first, daily: Fraction(pages - first, daily),
            form=WHOLE,
            unknowns=("pages", "first"),
            wordings=(
                Wording(
                    (
                        "{A} has a book of {pages} pages. On Saturday {A.he} reads {first} pages. "
                        "From Sunday on {A.he} reads exactly {daily} pages a day, also on the last "
                        "day."
                    ),
                    "How many days after Saturday does {A} finish the book?",
                    "{A} finishes the book {answer} days after Saturday.",
                ),
                Wording(
                    (
                        "{A} reads exactly {daily} pages of a novel every day, up to the last one. "
                        "That is after a long train ride, on which {A.he} read the first {first} "
                        "pages."
                    ),
                    (
                        "How many days does {A} need for the rest of the novel, which has {pages} "
                        "pages in all?"
                    ),
                    (
                        "For the rest of the novel, which has {pages} pages in all, {A} needs "
                        "{answer} days."
                    ),
                ),
                Wording(
                    "",
                    (
                        "A document of {pages} pages has to be translated and {first} pages are "
                        "done; how many full days will the rest take at exactly {daily} pages on "
                        "each of them?"
                    ),
                    (
                        "A document of {pages} pages has to be translated and {first} pages are "
                        "done; the rest will take {answer} full days at exactly {daily} pages on "
                        "each of them."
                    ),
                ),
            ),
        ),
        Template(
            name="water_tank",
            level=2,
            numbers=dict(
                start=wide(220, 780), inflow=ints(16, 45), outflow=ints(4, 13), minutes=ints(12, 58)
            ),
            answer=lambda start, inflow, outflow, minutes: start + (inflow - outflow) * minutes,
            form=WHOLE,
            unknowns=("start", "inflow", "minutes"),
            wordings=(
                Wording(
                    (
                        "There are {start} litres of water in a tank. A pump adds {inflow} litres "
                        "a minute, while {outflow} litres a minute run out through a leak."
                    ),
                    "How many litres are in the tank after {minutes} minutes?",
                    "After {minutes} minutes there are {answer} litres in the tank.",
                ),
                Wording(
                    (
                        "For {minutes} minutes a pool loses {outflow} litres a minute through a "
                        "crack and gains {inflow} litres a minute from a hose. It held {start} "
                        "litres before."
                    ),
                    "How many litres does it hold afterwards?",
                    "It holds {answer} litres afterwards.",
                ),
                Wording(
                    "",
                    (
                        "What number of litres does a cistern hold that started with {start} "
                        "litres and for {minutes} minutes took in {inflow} and gave off {outflow} "
                        "litres a minute?"
                    ),
                    (
                        "A cistern that started with {start} litres and for {minutes} minutes took "
                        "in {inflow} and gave off {outflow} litres a minute holds {answer} litres."
                    ),
                ),
            ),
        ),
        Template(
            name="factory_days",
            level=3,
            numbers=dict(
                rate=wide(24, 85),
                hours=ints(6, 12),
                days=ints(3, 7),
                lost=ints(14, 22),
                faulty=wide(25, 140),
            ),
            answer=lambda rate, hours, days, lost, faulty: rate * (hours * days - lost) - faulty,
            form=WHOLE,
            when=lambda rate, hours, days, lost, faulty: hours * days > lost + 10,
            unknowns=("rate", "faulty", "lost"),
            wordings=(
                Wording(
                    (
                        "A machine makes {rate} {goods} an hour and runs {hours} hours a day. "
                        "During the last {days} days it stood still for {lost} of those hours, and "
                        "{faulty} of the {goods} that it made were faulty."
                    ),
                    "How many good {goods} did it make?",
                    "It made {answer} good {goods}.",
                ),
                Wording(
                    (
                        "Of everything that a machine made in {days} days, {faulty} pieces had to "
                        "be thrown away. It was meant to run for {hours} hours each day, but lost "
                        "{lost} hours in all to repairs. Each hour that it does run yields {rate} "
                        "pieces."
                    ),
                    "How many pieces were kept?",
                    "{answer} pieces were kept.",
                ),
                Wording(
                    (
                        "A press should work for {hours} hours on each of {days} days and print "
                        "{rate} {goods} an hour."
                    ),
                    (
                        "How many usable {goods} come out if the press is switched off for {lost} "
                        "of these hours and {faulty} of the {goods} are spoilt?"
                    ),
                    (
                        "The press is switched off for {lost} of these hours and {faulty} of the "
                        "{goods} are spoilt, so {answer} usable {goods} come out."
                    ),
                ),
            ),
        ),
    ),
)
