"""Tests that recordings are the same on every machine, in every process and for every hash seed, and equal to the stored ones."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from inplacelab.recording import load

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("hash_seed", ["12345", pytest.param("0", marks=pytest.mark.standard)])
def test_a_new_process_records_the_same_bytes(tmp_path: Path, hash_seed: str) -> None:
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "INPLACELAB_LANGUAGE": "en"}
    subprocess.run(
        [sys.executable, str(GOLDEN / "renew.py"), str(tmp_path)], env=environment, check=True, cwd=GOLDEN.parents[2]
    )
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.glob("*.json")}
    kept = {path.name: path.read_text(encoding="utf-8") for path in GOLDEN.glob("*.json")}
    assert made.keys() == kept.keys()
    for name, text in kept.items():
        assert made[name] == text, f"{name} differs; if that is wanted: python tests/recorders/golden/renew.py"


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_what_is_kept_can_be_read(path: Path) -> None:
    recording = load(path)
    assert recording.title == path.stem
    assert len(recording) > 0
