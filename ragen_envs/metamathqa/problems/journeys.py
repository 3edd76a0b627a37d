"""Word problems about distance, clock and calendar."""

from __future__ import annotations

from fractions import Fraction

from ragen_envs.metamathqa.problems.forms import (
    CLOCK,
    DECIMAL,
    WEEKDAY,
    WEEKDAYS,
    WHOLE,
)
from ragen_envs.metamathqa.problems.template import (
    Draw,
    Template,
    Topic,
    Wording,
    ints,
    tenths,
    wide,
)

TOPIC = Topic(
    "journeys",
    "GSM",
    (
        Template(
            name="two_stage_trip",
            level=1,
            numbers=dict(
                speed=ints(52, 98),
                hours=ints(2, 6),
                second_speed=ints(31, 49),
                second_hours=ints(2, 5),
            ),
            answer=lambda speed, hours, second_speed, second_hours: (
                speed * hours + second_speed * second_hours
            ),
            form=WHOLE,
            unknowns=("speed", "second_speed"),
            wordings=(
                Wording(
                    (
                        "{A} drives from {town} for {hours} hours at {speed} kilometres an hour on "
                        "the motorway. Then {A.he} drives for {second_hours} hours at "
                        "{second_speed} kilometres an hour on country roads."
                    ),
                    "How many kilometres does {A} drive?",
                    "{A} drives {answer} kilometres.",
                ),
                Wording(
                    (
                        "The last {second_hours} hours of a lorry's trip lead through hills, where "
                        "it goes {second_speed} kilometres an hour. Before that it goes {speed} "
                        "kilometres an hour for {hours} hours."
                    ),
                    "What is the length of the trip in kilometres?",
                    "The length of the trip is {answer} kilometres.",
                ),
                Wording(
                    "",
                    (
                        "How far, in kilometres, does a train go that travels {hours} hours at "
                        "{speed} kilometres an hour and another {second_hours} hours at "
                        "{second_speed} kilometres an hour?"
                    ),
                    (
                        "A train that travels {hours} hours at {speed} kilometres an hour and "
                        "another {second_hours} hours at {second_speed} kilometres an hour goes "
                        "{answer} kilometres."
                    ),
                ),
            ),
        ),
        Template(
            name="school_run",
            level=1,
            numbers=dict(distance=tenths(12, 98), days=wide(14, 48)),
            answer=lambda distance, days: 2 * distance * days,
            form=DECIMAL,
            unknowns=("distance", "days"),
            wordings=(
                Wording(
                    (
                        "It is {distance} kilometres from {A}'s home to school. {A.He} cycles to "
                        "school and back home on {days} days."
                    ),
                    "How many kilometres does {A} cycle in all?",
                    "In all, {A} cycles {answer} kilometres.",
                ),
                Wording(
                    (
                        "On each of {days} working days {A} walks to the office in the morning and "
                        "back in the evening. One way is {distance} kilometres long."
                    ),
                    "How many kilometres does {A.he} walk on those days?",
                    "On those days {A.he} walks {answer} kilometres.",
                ),
                Wording(
                    "",
                    (
                        "What distance in kilometres does a ferry cover in {days} crossings and as "
                        "many returns, if one crossing is {distance} kilometres?"
                    ),
                    (
                        "A ferry covers {answer} kilometres in {days} crossings and as many "
                        "returns. One crossing is {distance} kilometres."
                    ),
                ),
            ),
        ),
        Template(
            name="arrival",
            level=1,
            numbers=dict(
                hour=ints(6, 11), minute=ints(14, 56), trip=wide(75, 135), stop=ints(12, 38)
            ),
            answer=lambda hour, minute, trip, stop: 60 * hour + minute + trip + stop,
            form=CLOCK,
            when=lambda hour, minute, trip, stop: 60 * hour + minute + trip + stop < 24 * 60,
            note="Give the time on the 24-hour clock, such as 7:05 or 18:30.",
            wordings=(
                Wording(
                    (
                        "{A}'s coach leaves {town} at {hour}:{minute} in the morning. It is on the "
                        "road for {trip} minutes and also makes a stop of {stop} minutes."
                    ),
                    "When does it arrive?",
                ),
                Wording(
                    (
                        "A film of {trip} minutes is interrupted once, for {stop} minutes, and "
                        "begins at {hour}:{minute} in the morning."
                    ),
                    "At what time is it over?",
                ),
                Wording(
                    "",
                    (
                        "At what time does {A} get home from a hike that starts at {hour}:{minute} "
                        "in the morning, if {A.he} walks for {trip} minutes and rests for {stop} "
                        "minutes?"
                    ),
                ),
            ),
        ),
        Template(
            name="day_of_the_week",
            level=2,
            numbers=dict(start=Draw(range(7), lambda day: WEEKDAYS[day]), days=wide(24, 190)),
            answer=lambda start, days: (start + days) % 7,
            form=WEEKDAY,
            when=lambda start, days: days % 7 != 0,
            wordings=(
                Wording(
                    "Today is {start}. {A}'s holidays begin in {days} days.",
                    "On which day of the week do they begin?",
                ),
                Wording(
                    "{A} plants {plants} on a {start} and sees the first flower {days} days later.",
                    "What day of the week is it then?",
                ),
                Wording(
                    "",
                    "If today is {start}, which day of the week will it be {days} days from now?",
                ),
            ),
        ),
        Template(
            name="delivery_route",
            level=3,
            numbers=dict(
                distance=wide(36, 148),
                consumption=ints(5, 11),
                days=ints(4, 9),
                spare=ints(12, 26),
                price=ints(2, 3),
            ),
            answer=lambda distance, consumption, days, spare, price: (
                (Fraction(2 * distance * days * consumption, 100) + spare) * price
            ),
            form=DECIMAL,
            note="Give the number of dollars as a decimal.",
            unknowns=("distance", "spare"),
            wordings=(
                Wording(
                    (
                        "{A} drives from {town} to {village}, a distance of {distance} kilometres, "
                        "and back on each of {days} days. {A.His} van uses {consumption} litres of "
                        "petrol per 100 kilometres, and {A.he} also fills a can with {spare} "
                        "litres. Petrol is {price} dollars a litre."
                    ),
                    "How many dollars does the petrol cost?",
                    "The petrol costs {answer} dollars.",
                ),
                Wording(
                    (
                        "Petrol costs {price} dollars a litre. A driver fills a can of {spare} "
                        "litres and then the tank, with what the van uses in {days} days. On each "
                        "of them it goes {distance} kilometres out and the same way back, and it "
                        "uses {consumption} litres for every 100 kilometres."
                    ),
                    "How many dollars does the driver pay?",
                    "The driver pays {answer} dollars.",
                ),
            ),
        ),
    ),
)
