"""Lists the architectures of the zoo, in a file for each field."""

from __future__ import annotations

from tests.zoo.entries import detection, graphs, images, language, segmentation, vision
from tests.zoo.entry import Entry

ENTRIES: tuple[Entry, ...] = (*images.ENTRIES, *language.ENTRIES, *vision.ENTRIES, *detection.ENTRIES, *graphs.ENTRIES, *segmentation.ENTRIES)
"""All of them."""
