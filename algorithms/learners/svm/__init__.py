"""Support vector machines: margins between two classes, wide as they can be, in a space that a kernel makes."""
