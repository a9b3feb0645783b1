"""Lists the architectures of the zoo, in a file for each field."""

from __future__ import annotations

from tests.zoo.entries import agents, detection, diffusion, generative, graphs, images, language, segmentation, vision
from tests.zoo.entry import Entry

_FIELDS = images, language, vision, detection, segmentation, diffusion, generative, graphs, agents
ENTRIES: tuple[Entry, ...] = tuple(entry for field in _FIELDS for entry in field.ENTRIES)
"""All of them."""
