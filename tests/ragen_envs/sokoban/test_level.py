import pytest

from ragen_envs.sokoban import Level

LEVEL = "#####\n#@$.#\n#-*-#\n#####"


def test_text_survives_reading_and_writing():
    assert Level.from_text(LEVEL).to_text() == LEVEL


def test_player_and_box_on_targets_survive_reading_and_writing():
    text = "#####\n#+$*#\n#---#\n#####"
    assert Level.from_text(text).to_text() == text


def test_spaces_indentation_and_blank_lines_make_no_difference():
    spaced = "\n    #####\n    #@$.#   \n    # * #\n    #####\n\n"
    assert Level.from_text(spaced) == Level.from_text(LEVEL)


def test_what_lies_outside_the_room_becomes_wall():
    level = Level.from_text("  ####\n###  #\n#@$ .#\n######")
    assert level.to_text() == "######\n###--#\n#@$-.#\n######"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "1 player, got 0"),
        ("######\n#@@$.#\n######", "1 player, got 2"),
        ("#####\n#@x.#\n#####", "row 1 has the unknown symbol 'x'"),
        ("#####\n#@--#\n#####", "at least 1 box"),
        ("######\n#@$$.#\n######", "as many targets as boxes, got 2 boxes and 1 targets"),
        ("#####\n#@$.\n#####", "walls must enclose it"),
        ("#@###\n# $.#\n#####", "walls must enclose it"),
        ("#######\n#@-#$.#\n#######", "in the room of the player"),
        ("#####\n#@-*#\n#####", "must not be solved"),
    ],
)
def test_unplayable_text_is_refused_with_the_reason(text, reason):
    with pytest.raises(ValueError, match=reason):
        Level.from_text(text)
