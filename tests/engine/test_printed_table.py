"""The table of operations, as the command prints it."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "inplacelab.ops.table"]


def test_words_choose_rows() -> None:
    heading, *rows = subprocess.run([*COMMAND, "relu"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert heading.startswith("operation")
    assert rows[0].split()[0] == "relu_"
    assert all("relu" in row.split()[0] for row in rows)


@pytest.mark.skipif(sys.platform == "win32", reason="needs pipes that tell a writer of their end")
def test_a_reader_that_stops_early_ends_the_command_quietly() -> None:
    with subprocess.Popen(COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as printing:
        assert printing.stdout is not None
        assert printing.stderr is not None
        printing.stdout.close()
        assert printing.stderr.read() == b""
