"""What is said of a followed record ends with its last step, however few of them there is room for."""

from __future__ import annotations

from workbench.visualize.record_path import with_steps


def test_fewer_steps_leave_out_the_first_ones() -> None:
    whole, *ends = with_steps("says yes", ["age ≤ 3? Yes, 2.", "size ≤ 1? No, 4.", "hue? red."])
    assert whole == "says yes · age ≤ 3? Yes, 2. size ≤ 1? No, 4. hue? red."
    assert ends == ["says yes · … size ≤ 1? No, 4. hue? red.", "says yes · … hue? red."]
    assert with_steps("says yes", []) == ["says yes ·"]
