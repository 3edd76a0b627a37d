"""Searches written apart from the package's, on sets of (row, column), to check it against."""

from collections import deque

STEPS = {"Up": (-1, 0), "Down": (1, 0), "Left": (0, -1), "Right": (0, 1)}


def read(text):
    """Walls, targets, boxes and player of an XSB text."""
    walls, targets, boxes, player = set(), set(), set(), None
    for row, line in enumerate(text.splitlines()):
        for column, symbol in enumerate(line):
            cell = (row, column)
            if symbol == "#":
                walls.add(cell)
            if symbol in ".*+":
                targets.add(cell)
            if symbol in "$*":
                boxes.add(cell)
            if symbol in "@+":
                player = cell
    return frozenset(walls), frozenset(targets), frozenset(boxes), player


def successors(walls, boxes, player):
    """(boxes, player, pushed) after each move that has an effect."""
    for down, right in STEPS.values():
        cell = (player[0] + down, player[1] + right)
        behind = (cell[0] + down, cell[1] + right)
        if cell in walls:
            continue
        if cell not in boxes:
            yield boxes, cell, 0
        elif behind not in walls and behind not in boxes:
            yield boxes - {cell} | {behind}, cell, 1


def fewest(text, cost):
    """Least number of moves (`cost="moves"`) or pushes that solve a level, None if none do."""
    walls, targets, boxes, player = read(text)
    least = {(boxes, player): 0}
    queue = deque([(boxes, player)])
    while queue:
        state = queue.popleft()
        if state[0] == targets:
            return least[state]
        for boxes, player, pushed in successors(walls, *state):
            price = pushed if cost == "pushes" else 1
            total = least[state] + price
            if total < least.get((boxes, player), 10**9):
                least[boxes, player] = total
                # 0-1 breadth-first search: what costs nothing goes to the front.
                (queue.append if price else queue.appendleft)((boxes, player))
    return None


def replay(text, actions):
    """Whether the actions solve the level, and with how many pushes."""
    walls, targets, boxes, player = read(text)
    pushes = 0
    for action in actions:
        down, right = STEPS[action]
        cell = (player[0] + down, player[1] + right)
        behind = (cell[0] + down, cell[1] + right)
        assert cell not in walls
        if cell in boxes:
            assert behind not in walls and behind not in boxes
            boxes = boxes - {cell} | {behind}
            pushes += 1
        player = cell
    return boxes == targets, pushes
