"""Prints what is there, or what contains a word: `python -m inplacelab.torch [words ...]`. In Chinese with `INPLACELAB_LANGUAGE=zh`."""

from __future__ import annotations

import sys

from inplacelab.torch.listed import listing

if __name__ == "__main__":
    everything = listing()
    print(everything.about(*sys.argv[1:]) if sys.argv[1:] else everything)  # noqa: T201
