"""What a command says when it cannot be carried out."""

from __future__ import annotations

from inplacelab.language import Text


class CannotError(Exception):
    """The command cannot be carried out. `status` is the exit status of the process."""

    def __init__(self, why: Text, status: int = 2) -> None:
        super().__init__(str(why))
        self.status = status
