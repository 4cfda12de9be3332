"""Charts, and the parts that viewers share: legend, card, export, focus frame."""
