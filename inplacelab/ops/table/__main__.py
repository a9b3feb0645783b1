"""Prints the table, or the operations whose names contain a word: `python -m inplacelab.ops.table [words ...]`.

In Chinese with `INPLACELAB_LANGUAGE=zh`.
"""

from __future__ import annotations

import signal
import sys

from inplacelab.ops.table.printed import listing


def main(words: list[str]) -> None:
    """Prints the table."""
    everything = listing()
    print(everything.about(*words) if words else everything)


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it, as it ends other commands
    main(sys.argv[1:])
