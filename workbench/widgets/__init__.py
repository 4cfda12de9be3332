"""Small widgets that all tabs use."""

from workbench.widgets.buttons import (
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
from workbench.widgets.chips import Chip, ClassSwatch, FlowFrame, FlowLayout
from workbench.widgets.fields import SearchField, with_room
from workbench.widgets.labels import ElidedLabel, WholeLabel, label, rule, strong
from workbench.widgets.panes import Pane

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
