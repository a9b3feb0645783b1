"""Lists the architectures of the zoo, in a file for each field."""

from __future__ import annotations

from tests.zoo.entries import images, language, vision
from tests.zoo.entry import Entry

ENTRIES: tuple[Entry, ...] = (*images.ENTRIES, *language.ENTRIES, *vision.ENTRIES)
"""All of them."""
