"""Defines the error of a command that cannot be run."""

from __future__ import annotations

from inplacelab.language import Text


class CannotError(Exception):
    """Raised if a command cannot be run. `why` says why not, and `status` is the exit status of the process."""

    def __init__(self, why: Text, status: int = 2) -> None:
        super().__init__(str(why))
        self.why, self.status = why, status
