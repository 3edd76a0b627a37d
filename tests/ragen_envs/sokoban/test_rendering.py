import re

import pytest

from ragen_envs.sokoban.env import SokobanEnv

OTHER = {
    "wall": "W",
    "floor": ".",
    "target": "t",
    "box_on_target": "B",
    "box": "b",
    "player": "p",
    "player_on_target": "+",
}
CELL = re.compile(r"\((\d+), (\d+)\)")


def grid_from_coordinates(text, rows, columns):
    """The grid that the coordinates describe, in the default symbols."""
    facts = dict(line.split(": ", 1) for line in text.split("\n"))
    cells = {
        name: {(int(r), int(c)) for r, c in CELL.findall(facts[name])}
        for name in ("Player", "Boxes", "Targets", "Walls")
    }
    assert facts["Walls"].startswith(
        f"all of rows 0 and {rows - 1} and of columns 0 and {columns - 1}"
    )

    def symbol(cell):
        on_target = cell in cells["Targets"]
        if cell[0] in (0, rows - 1) or cell[1] in (0, columns - 1) or cell in cells["Walls"]:
            return "#"
        if cell in cells["Player"]:
            return "S" if on_target else "P"
        if cell in cells["Boxes"]:
            return "√" if on_target else "X"
        return "O" if on_target else "_"

    return "\n".join("".join(symbol((r, c)) for c in range(columns)) for r in range(rows))


@pytest.mark.parametrize("arguments", [((6, 6), 1, 10), ((8, 9), 2, 40)])
def test_coordinates_tell_as_much_as_the_grid(arguments):
    size, num_boxes, max_moves = arguments
    kwargs = {"size": size, "num_boxes": num_boxes, "max_moves": max_moves}
    grid = SokobanEnv(**kwargs)
    coordinates = SokobanEnv(observation_format="coordinates", **kwargs)
    both = SokobanEnv(observation_format="grid+coordinates", **kwargs)
    for seed in range(15):
        seen = [env.reset(seed=seed)[0] for env in (grid, coordinates, both)]
        plan = grid.solution()
        for action in [*plan, None]:
            assert grid_from_coordinates(seen[1], *size) == seen[0]
            assert seen[2] == f"{seen[0]}\n\n{seen[1]}"
            if action:
                seen = [env.step(action)[0] for env in (grid, coordinates, both)]


def test_own_symbols_replace_all_and_are_explained():
    plain, own = SokobanEnv(), SokobanEnv(symbols=OTHER)
    translation = str.maketrans(dict(zip("#_O√XPS", OTHER.values(), strict=True)))
    for seed in range(10):
        plan = (plain.reset(seed=seed), own.reset(seed=seed)) and plain.solution()
        for action in plan:
            assert own.step(action)[0] == plain.step(action)[0].translate(translation)
    for name in ("W wall", "t target", "B box on a target", "p you", "+ you on a target"):
        assert name in own.instructions


def test_symbols_may_be_replaced_in_part():
    env = SokobanEnv(symbols={"floor": "."})
    observation, _ = env.reset(seed=0)
    assert set(observation) == set("#.OXP\n")


@pytest.mark.parametrize("observation_format", ["grid", "coordinates", "grid+coordinates"])
def test_instructions_explain_the_format_in_use_and_no_other(observation_format):
    instructions = SokobanEnv(observation_format=observation_format).instructions
    assert ("one symbol per cell" in instructions) == ("grid" in observation_format)
    assert ("counted from 0" in instructions) == ("coordinates" in observation_format)
    assert "Up, Down, Left, Right" in instructions
    assert "at most 10 moves" in instructions
    assert "<" not in instructions


def test_the_example_in_the_instructions_is_true():
    env = SokobanEnv(levels=["######\n#-@--#\n#--$.#\n######"])
    observation, _ = env.reset(seed=0)
    assert f"Example:\n{observation}\n\nDown" in env.instructions
    env.step("Down")
    observation, _, terminated, _, _ = env.step("Right")
    assert terminated
    assert env.instructions.endswith(observation)


def test_the_instructions_speak_of_given_levels_without_a_promise():
    instructions = SokobanEnv(levels=["#####\n#@$.#\n#####"]).instructions
    assert "can be solved in" not in instructions
