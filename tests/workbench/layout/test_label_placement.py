"""Where a card is laid: never over what it speaks of, over nothing else where there is free ground, else nearby."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.data.columns import FloatArray
from workbench.layout.label_placement import MARGIN, Box, LabelPosition, place_beside

VIEW = (880, 470)


def hidden(place: LabelPosition, size: tuple[int, int], boxes: FloatArray) -> FloatArray:
    """The square pixels of each box (n, 4) that something of this size hides there."""
    across = np.minimum(place.x + size[0], boxes[:, 2]) - np.maximum(place.x, boxes[:, 0])
    down = np.minimum(place.y + size[1], boxes[:, 3]) - np.maximum(place.y, boxes[:, 1])
    both: FloatArray = np.clip(across, 0, None) * np.clip(down, 0, None)
    return both


def full_rows(n_rows: int) -> FloatArray:
    """Nodes of 94 by 46 pixels in a tree whose row r has 2 ** r of them, over the whole width of the view."""
    boxes = []
    for row in range(n_rows):
        for at in range(2**row):
            middle, top = (at + 0.5) * VIEW[0] / 2**row, 60 + 96 * row
            boxes.append((middle - 47, top, middle + 47, top + 46))
    return np.array(boxes, dtype=np.float64)


def test_with_nothing_else_in_view_it_is_at_the_right_and_level_or_where_there_is_room() -> None:
    nothing = np.zeros((0, 4))
    place = place_beside((300, 160), (100, 200, 200, 240), VIEW, nothing)
    assert place is not None and 212 <= place.x <= 216 and abs(place.y + 80 - 220) <= 4
    place = place_beside((300, 160), (700, 0, 800, 40), VIEW, nothing)
    assert place is not None and place.x + 300 <= 688 and place.y == MARGIN
    assert place_beside((300, 460), (100, 100, 200, 140), (400, 464), nothing) is None, "too high"
    assert place_beside((300, 160), (10, 10, 390, 190), (400, 200), nothing) is None, "it would hide the box itself"


@pytest.mark.parametrize("node", range(15))
def test_in_a_full_tree_it_finds_the_ground_where_no_node_is(node: int) -> None:
    boxes, size = full_rows(4), (300, 140)
    box: Box = tuple(boxes[node].tolist())
    others = np.delete(boxes, node, axis=0)
    place = place_beside(size, box, VIEW, others)
    assert place is not None
    assert not hidden(place, size, boxes).any() and place.hidden == 0
    assert MARGIN <= place.x <= VIEW[0] - MARGIN - size[0] and MARGIN <= place.y <= VIEW[1] - MARGIN - size[1]


def test_free_ground_near_is_taken_before_a_corner_far_away() -> None:
    row = np.array([(90.0 * at, 400.0, 90.0 * at + 80, 440.0) for at in range(9)])
    place = place_beside((200, 120), tuple(row[3].tolist()), VIEW, np.delete(row, 3, axis=0))
    assert place is not None and place.distance < 40 and not hidden(place, (200, 120), row).any()


def test_where_all_ground_is_taken_it_hides_others_as_little_as_can_be_and_never_the_box_itself() -> None:
    rows = np.array([(100.0 * x, 50.0 * y, 100.0 * x + 90, 50.0 * y + 40) for x in range(9) for y in range(9)])
    place = place_beside((180, 44), tuple(rows[40].tolist()), VIEW, np.delete(rows, 40, axis=0))
    assert place is not None and hidden(place, (180, 44), rows)[40] == 0
    assert hidden(place, (180, 44), rows).sum() <= 180 * 44 * 0.8


def test_in_a_large_view_too_nothing_is_hidden_where_there_is_free_ground() -> None:
    random, view, size = np.random.default_rng(5), (2500, 1200), (310, 203)
    corner = np.c_[random.uniform(0, 2400, 60), random.uniform(0, 1150, 60)]
    boxes = np.c_[corner, corner + np.array([81.0, 43.0])]
    for node in range(0, 60, 6):
        place = place_beside(size, tuple(boxes[node].tolist()), view, np.delete(boxes, node, axis=0))
        assert place is not None and place.hidden == 0 and not hidden(place, size, boxes).any()
        assert place.x + size[0] <= view[0] - MARGIN and place.y + size[1] <= view[1] - MARGIN
