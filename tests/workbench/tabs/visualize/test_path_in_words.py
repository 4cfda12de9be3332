"""What is said of a followed record ends with its last step, and tells its first as long as there is room."""

from __future__ import annotations

from workbench.tabs.visualize.explain.record_path import with_steps


def test_fewer_steps_leave_out_those_between_then_the_first_ones() -> None:
    whole, *fewer = with_steps("says yes", ["age ≤ 3? Yes, 2.", "size ≤ 1? No, 4.", "hue? red."])
    assert whole == "says yes · age ≤ 3? Yes, 2. size ≤ 1? No, 4. hue? red."
    assert fewer == [
        "says yes · age ≤ 3? Yes, 2. … hue? red.",
        "says yes · … size ≤ 1? No, 4. hue? red.",
        "says yes · … hue? red.",
    ]
    assert with_steps("says yes", []) == ["says yes ·"]
