"""The gallery's PyTorch programs with only their imports changed: they fail on the same line, with PyTorch's words, and run repaired."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.gallery.programs import GALLERY, Program
from tests.gallery.running import lines_of, run

CANNOT = {
    "autocast_masked_scores": "autocast",
    "checkpoint_not_reentrant": "torch.utils.checkpoint",
    "checkpoint_reentrant": "torch.utils.checkpoint",
    "checkpointed_block_inside": "torch.utils.checkpoint",
    "foreach_weight_decay": "torch._foreach_mul_",
    "gru_state_masked_at_done": "GRUCell",
    "lstm_state_reused": "LSTM",
    "out_into_one_buffer": "Conv1d",
    "parametrized_weight_projected": "parametrize",
    "positional_encoding_add": "TransformerEncoderLayer",
    "ppo_clamped_ratio": "distributions",
    "recurrent_state_in_a_buffer": "RNNCell",
    "skip_connection_add": "Conv1d",
    "weight_norm_rescaled": "torch.nn.utils.parametrizations",
}
"""The programs that cannot run, and the part of PyTorch that is not here."""
PROGRAMS = [each for each in GALLERY if each.framework == "torch"]
RUNNING = [each for each in PROGRAMS if each.path.stem not in CANNOT]


def here(text: str) -> str:
    """A program with its imports changed."""
    text = re.sub(r"^import torch$", "import inplacelab.torch as torch", text, flags=re.MULTILINE)
    text = re.sub(r"^import torch\.(.* as )", r"import inplacelab.torch.\1", text, flags=re.MULTILINE)
    return re.sub(r"^from torch(?=[. ])", "from inplacelab.torch", text, flags=re.MULTILINE)


def raised(program: Program, text: str) -> BaseException | None:
    """What a text raises, run as the file of a program."""
    try:
        run(program, text)
    except (RuntimeError, AttributeError, ImportError) as error:
        return error
    return None


def test_most_programs_run() -> None:
    assert len(RUNNING) > 3 * len(PROGRAMS) / 4
    assert CANNOT.keys() <= {each.path.stem for each in PROGRAMS}


@pytest.mark.parametrize("program", RUNNING, ids=lambda each: each.path.stem)
def test_it_fails_where_and_as_in_pytorch(program: Program) -> None:
    error = raised(program, here(program.text))
    assert isinstance(error, RuntimeError)
    assert program.fails in lines_of(error, program)
    assert raised(program, here(program.fixed)) is None


@pytest.mark.oracle
@pytest.mark.parametrize("program", RUNNING, ids=lambda each: each.path.stem)
def test_it_fails_in_pytorchs_words(program: Program) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    ours, theirs = raised(program, here(program.text)), raised(program, program.text)
    assert _told(program, ours) == _told(program, theirs)


def _told(program: Program, error: Any) -> tuple[str, str, list[int]]:
    return type(error).__name__, str(error).split("\n")[0], lines_of(error, program)


@pytest.mark.parametrize("name", CANNOT)
def test_what_cannot_run_says_what_is_missing(name: str) -> None:
    program = next(each for each in PROGRAMS if each.path.stem == name)
    error = raised(program, here(program.text))
    assert isinstance(error, AttributeError | ImportError)
    assert CANNOT[name].split(".")[-1].removesuffix("s") in str(error) or "utils" in str(error)
