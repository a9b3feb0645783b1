"""Every argument of every line of the table, replaced by something else: what PyTorch computes, or a refusal in words, and no bare error."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from importlib import import_module
from random import Random
from typing import Any

import numpy as np
import pytest

from inplacelab.errors import Refusal
from tests.tiers import choose
from tests.torch_names.cases import DRAWN, SETUP
from tests.torch_names.test_lines import ALL, ONLY_HERE, flat

names: Any = import_module("inplacelab.torch")

OTHERS = (
    "2", "0.5", "-1", "1j", "True", "None", "[1.0, 2.0]", "(1, 0)", "np.array([1.0, 2.0, 3.0])", "'text'", "object", "{}", "slice(1)", "n", "b",
    "torch.tensor(2.0)",
)  # fmt: skip
TRIED = choose(2, 4, len(OTHERS))
PYTHON = ("unsupported operand", "not supported between", "can only concatenate", "Concatenation operation")
"""What Python and NumPy say of an operator, also beside PyTorch's tensors."""
RANDOM = {*DRAWN, "F.dropout"}


def variants(call: str) -> Iterator[str]:
    """Yields the call with one argument or operand replaced, left out, or one too many."""
    node: Any = ast.parse(call, mode="eval").body
    places: list[tuple[str, Any]] = [("left", None), ("right", None)] if isinstance(node, ast.BinOp) else []
    if isinstance(node, ast.Call):
        places = [*(("args", k) for k in range(len(node.args))), *(("keywords", k) for k in range(len(node.keywords)))]
    draw = Random(call)
    for field, k in places:
        for other in draw.sample(OTHERS, TRIED):
            changed: Any = ast.parse(call, mode="eval").body
            new = ast.parse(other, mode="eval").body
            if field == "keywords":
                changed.keywords[k].value = new
            elif k is None:
                setattr(changed, field, new)
            else:
                changed.args[k] = new
            yield ast.unparse(changed)
    if isinstance(node, ast.Call):
        yield ast.unparse(ast.Call(node.func, [*node.args, ast.Constant(3)], node.keywords))
        yield ast.unparse(ast.Call(node.func, node.args[:-1], node.keywords))
        yield ast.unparse(ast.Call(node.func, node.args, [*node.keywords, ast.keyword("nonsense", ast.Constant(3))]))


def found(torch: Any, call: str) -> list[Any] | Exception:
    """The results of a call, or its error."""
    space: dict[str, Any] = {"torch": torch, "F": torch.nn.functional, "np": np}
    exec(SETUP, space)
    try:
        return [np.array(x.detach().numpy()) if hasattr(x, "detach") else x for x in flat(eval(call, space))]
    except Exception as error:  # noqa: BLE001  # any: it is looked at
        return error


def close(mine: Any, other: Any) -> bool:
    if not isinstance(mine, np.ndarray):
        return bool(mine == other)
    return (
        mine.shape == other.shape
        and mine.dtype == other.dtype
        and np.allclose(mine, other, rtol=1e-5, atol=1e-6, equal_nan=True)
    )


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(ALL.keys() - set(ONLY_HERE)))
def test_another_argument_is_computed_as_in_pytorch_or_refused_in_words(name: str) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in (each for listed in ALL[name] for each in variants(listed)):
            ours, theirs = found(names, call), found(torch, call)
            if isinstance(ours, Exception):
                if (
                    not isinstance(ours, Refusal)
                    and str(ours) != str(theirs)
                    and not any(each in str(ours) for each in PYTHON)
                ):
                    wrong.append(f"{call}: {ours!r}")
            elif name in RANDOM or isinstance(theirs, Exception):
                continue
            elif len(ours) != len(theirs) or not all(map(close, ours, theirs)):
                wrong.append(f"{call}: {ours}, in PyTorch {theirs}")
    assert not wrong, "\n".join(wrong)
