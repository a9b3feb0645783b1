"""`python -m inplacelab`: the same as the command `inplacelab`."""

from __future__ import annotations

import sys

from inplacelab.cli import main

if __name__ == "__main__":
    sys.exit(main())
