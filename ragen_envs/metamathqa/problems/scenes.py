"""Scenes: the people, things and places that a problem is told with; they never change it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Person(NamedTuple):
    """A person with the pronouns, so that `{A.he}` in a wording agrees with `{A}`."""

    name: str
    he: str
    his: str
    him: str

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)

    @property
    def He(self) -> str:
        """The pronoun at the start of a sentence."""
        return self.he.capitalize()

    @property
    def His(self) -> str:
        """The possessive at the start of a sentence."""
        return self.his.capitalize()


_WOMEN = (
    "Amina Bea Carla Dina Elif Fiona Greta Hana Ines Jana Keiko Lena Mira Nadia Olga Priya Rosa "
    "Sana Tessa Uma Vera Wanda Yara Zoe"
)
_MEN = (
    "Arun Boris Carlos David Emil Farid Goran Hugo Ivan Jonas Karim Leo Marek Nils Omar Pablo "
    "Quentin Rafael Samir Tomas Umar Viktor Wei Yusuf"
)
PEOPLE = tuple(Person(name, "she", "her", "her") for name in _WOMEN.split()) + tuple(
    Person(name, "he", "his", "him") for name in _MEN.split()
)

# All plural: a wording never has one of them.
THINGS = {
    "things": (
        "stickers",
        "marbles",
        "stamps",
        "postcards",
        "shells",
        "beads",
        "badges",
        "buttons",
    ),
    "fruit": ("apples", "pears", "peaches", "lemons", "oranges", "plums", "mangoes", "apricots"),
    "cakes": ("muffins", "scones", "pretzels", "bagels", "waffles", "cupcakes", "rolls", "tarts"),
    "goods": ("notebooks", "mugs", "candles", "puzzles", "lanterns", "scarves", "posters", "caps"),
    "animals": ("sheep", "goats", "cows", "ducks", "hens", "geese", "ponies", "llamas"),
    "plants": ("tulips", "roses", "cabbages", "tomato plants", "bean plants", "sunflowers"),
    "crop": ("rice", "wheat", "maize", "oats", "barley", "lentils"),
    "drink": ("lemonade", "apple juice", "iced tea", "cocoa", "soup", "fruit punch"),
    "town": ("Arden", "Brook", "Castor", "Dunmore", "Elmsea", "Farley", "Garth", "Holm"),
    "village": ("Ilton", "Jessop", "Kirby", "Lund", "Marrow", "Norby", "Otter", "Pell"),
    "club": ("chess club", "drama group", "choir", "swimming team", "robotics club", "band"),
    "shop": ("market stall", "corner shop", "school shop", "gift shop", "kiosk", "online shop"),
}


def draw_scene(rng: np.random.Generator) -> dict[str, Person | str]:
    """Three different people A, B and C, and one of each of `THINGS`."""
    a, b, c = rng.choice(len(PEOPLE), size=3, replace=False).tolist()
    scene: dict[str, Person | str] = {"A": PEOPLE[a], "B": PEOPLE[b], "C": PEOPLE[c]}
    picks = rng.random(len(THINGS)).tolist()
    for (name, options), pick in zip(THINGS.items(), picks, strict=True):
        scene[name] = options[int(pick * len(options))]
    return scene
