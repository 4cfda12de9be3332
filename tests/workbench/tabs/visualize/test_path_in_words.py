"""What is said of a followed record ends with its last step, and tells its first as long as there is room."""

from __future__ import annotations

from tests.expected_texts import tabs_visualize as wording
from workbench.tabs.visualize.explain.record_path import with_steps


def test_fewer_steps_leave_out_those_between_then_the_first_ones() -> None:
    whole, *fewer = with_steps("says yes", ["age ≤ 3? Yes, 2.", "size ≤ 1? No, 4.", "hue? red."])
    assert whole == wording.WHOLE_PATH
    assert fewer == [
        wording.PATH_WITHOUT_MIDDLE,
        wording.PATH_OF_LAST_TWO,
        wording.PATH_OF_LAST,
    ]
    assert with_steps("says yes", []) == [wording.PATH_OF_NONE]
