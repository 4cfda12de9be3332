"""A small map of a whole drawing, and where on it the part lies that a camera sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from workbench.geometry.camera import Camera

MARGIN: Final = 5.0
WHOLE: Final = 0.97
"""A camera that sees so much of the drawing in both directions needs no map."""


@dataclass(frozen=True)
class Overview:
    """A map of ``map_width`` x ``map_height`` pixels, stretched over a drawing of ``width`` x ``height``."""

    width: float
    height: float
    map_width: float
    map_height: float

    @property
    def scale_x(self) -> float:
        return max(1.0, self.map_width - 2 * MARGIN) / max(1.0, self.width)

    @property
    def scale_y(self) -> float:
        return max(1.0, self.map_height - 2 * MARGIN) / max(1.0, self.height)

    def to_drawing(self, px: float, py: float) -> tuple[float, float]:
        """The drawing's point at a pixel of the map."""
        return (px - MARGIN) / self.scale_x, (py - MARGIN) / self.scale_y

    def seen(self, camera: Camera) -> tuple[float, float, float, float]:
        """Left, top, right and bottom on the map of what the camera sees, kept on the map."""
        left, top = camera.to_drawing(0.0, 0.0)
        right, bottom = camera.to_drawing(camera.view_width, camera.view_height)
        return (
            max(1.0, left * self.scale_x + MARGIN),
            max(1.0, top * self.scale_y + MARGIN),
            min(self.map_width - 1.0, right * self.scale_x + MARGIN),
            min(self.map_height - 1.0, bottom * self.scale_y + MARGIN),
        )

    def is_needed(self, camera: Camera) -> bool:
        """Whether a part of the drawing worth mentioning is out of the camera's view."""
        left, top = camera.to_drawing(0.0, 0.0)
        right, bottom = camera.to_drawing(camera.view_width, camera.view_height)
        across = min(right, self.width) - max(left, 0.0)
        down = min(bottom, self.height) - max(top, 0.0)
        return across < WHOLE * self.width or down < WHOLE * self.height
