"""Words, stop words and stems, as Lucene has them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragen_envs.retrieval.analysis import analyse, stem, words


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("one two", ["one", "two"]),
        ("usb-c 3.5 1,299.00 u.s.a.", ["usb", "c", "3.5", "1,299.00", "u.s.a"]),
        ("o'clock tea\u2019s a:b a·b", ["o'clock", "tea\u2019s", "a:b", "a·b"]),
        ("a.1 1.a a,b 1;2 1:2", ["a", "1", "1", "a", "a", "b", "1;2", "1", "2"]),
        ("snake_case _x_ ___ 12v", ["snake_case", "_x_", "___", "12v"]),
        ("½ cup x² 10³", ["cup", "x", "10"]),
        ("naïve nai\u0308ve", ["naïve", "nai\u0308ve"]),
        ("soft\u00adhyphen", ["soft\u00adhyphen"]),
        ("☕ tea™ 🙂🙂 ❤️", ["☕", "tea", "™", "🙂", "🙂", "❤️"]),
        ("東京 カメラ ひら", ["東", "京", "カメラ", "ひ", "ら"]),
        ("white/grey (pack)", ["white", "grey", "pack"]),
        ("Ⅷ ª١٢", ["Ⅷ", "ª١٢"]),
    ],
)
def test_words_follow_unicodes_boundaries(text: str, wanted: list[str]):
    assert words(text) == wanted


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_fast_pattern_agrees_with_the_general_one(text: str):
    assert words(text) == words(text + " é")[:-1]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The cat's on a mat", ["cat", "mat"]),
        ("CAT\u2019S dog\uff07s", ["cat", "dog"]),
        ("It's", []),
        ("İstanbul ΣΊΓΜΑΣ", ["istanbul", "σίγμασ"]),
        ("___ x", ["x"]),
    ],
)
def test_possessives_case_and_stop_words(text: str, wanted: list[str]):
    assert analyse(text) == wanted


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("caresses", "caress"), ("ponies", "poni"), ("ties", "ti"), ("caress", "caress"),
        ("cats", "cat"), ("feed", "feed"), ("agreed", "agre"), ("plastered", "plaster"),
        ("bled", "bled"), ("motoring", "motor"), ("sing", "sing"), ("conflated", "conflat"),
        ("troubled", "troubl"), ("sized", "size"), ("hopping", "hop"), ("tanned", "tan"),
        ("falling", "fall"), ("hissing", "hiss"), ("fizzed", "fizz"), ("failing", "fail"),
        ("filing", "file"), ("happy", "happi"), ("sky", "sky"), ("relational", "relat"),
        ("conditional", "condit"), ("rational", "ration"), ("valenci", "valenc"),
        ("digitizer", "digit"), ("conformabli", "conform"), ("radicalli", "radic"),
        ("differentli", "differ"), ("vileli", "vile"), ("analogousli", "analog"),
        ("vietnamization", "vietnam"), ("predication", "predic"), ("operator", "oper"),
        ("feudalism", "feudal"), ("decisiveness", "decis"), ("hopefulness", "hope"),
        ("callousness", "callous"), ("formaliti", "formal"), ("sensitiviti", "sensit"),
        ("sensibiliti", "sensibl"), ("triplicate", "triplic"), ("formative", "form"),
        ("formalize", "formal"), ("electriciti", "electr"), ("electrical", "electr"),
        ("hopeful", "hope"), ("goodness", "good"), ("revival", "reviv"), ("allowance", "allow"),
        ("inference", "infer"), ("airliner", "airlin"), ("adjustable", "adjust"),
        ("irritant", "irrit"), ("replacement", "replac"), ("adjustment", "adjust"),
        ("dependent", "depend"), ("adoption", "adopt"), ("homologou", "homolog"),
        ("communism", "commun"), ("activate", "activ"), ("effective", "effect"),
        ("bowdlerize", "bowdler"), ("probate", "probat"), ("rate", "rate"), ("cease", "ceas"),
        ("controll", "control"), ("roll", "roll"), ("possibly", "possibl"), ("analogy", "analog"),
        ("analogi", "analog"), ("is", "is"), ("by", "by"), ("ion", "ion"), ("yes", "ye"),
        ("3.5s", "3.5"), ("ing", "ing"), ("ational", "ation"),
    ],
)  # fmt: skip
def test_stems_are_porters(word: str, wanted: str):
    assert stem(word) == wanted


def test_a_word_of_over_255_characters_is_cut_as_lucene_cuts_it():
    assert analyse("x" * 600) == ["x" * 255, "x" * 255, "x" * 90]


@given(st.text())
def test_any_text_can_be_analysed(text: str):
    assert all(term == term.strip() and term for term in analyse(text))


@pytest.mark.parametrize("piece", ["a", "a.", "1,", "_", "é", "\u0308", "🙂\ufe0f", "a'", "y"])
def test_a_long_text_is_analysed_in_linear_time(piece: str):
    start = time.monotonic()
    analyse(piece * 200_000)
    assert time.monotonic() - start < 20  # a guard against blow-up, no measurement
