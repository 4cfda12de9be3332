"""Small widgets that every tab uses."""

from workbench.parts.buttons import (
    IconButton,
    accent_button,
    icon,
    link_button,
    pill_button,
    plain_button,
    quiet_button,
    set_icon,
    spacer,
)
from workbench.parts.chips import Chip, ClassSwatch, FlowFrame, FlowLayout
from workbench.parts.fields import SearchField, with_room
from workbench.parts.labels import ElidedLabel, WholeLabel, label, rule, strong
from workbench.parts.pane import Pane

__all__ = [
    "Chip",
    "ClassSwatch",
    "ElidedLabel",
    "FlowFrame",
    "FlowLayout",
    "IconButton",
    "Pane",
    "SearchField",
    "WholeLabel",
    "accent_button",
    "icon",
    "label",
    "link_button",
    "pill_button",
    "plain_button",
    "quiet_button",
    "rule",
    "set_icon",
    "spacer",
    "strong",
    "with_room",
]
