"""Every line of the table does what PyTorch does: values, dtypes, versions, gradients, and the name of the grad node."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from inplacelab.errors import Refusal
from inplacelab.torch.generate import LINES, LINES_OF_FUNCTIONAL
from tests.torch_names.cases import CALLS, DRAWN, FUNCTIONAL, LEAVES, SETUP, calls_of, setup

names: Any = import_module("inplacelab.torch")
ALL = {
    **{name: calls_of(name, CALLS | DRAWN, f"x.{name}()") for name in {line.name: None for line in LINES}},
    **{f"F.{name}": calls_of(name, FUNCTIONAL, f"F.{name}(x)") for name in LINES_OF_FUNCTIONAL},
}
OTHER_NODES = {"torch.einsum('ij,kj->ik', x, y)", "F.linear(v, s, v)"}
"""PyTorch splits these differently; the gradients are compared all the same."""
ONLY_HERE = ("acosh_", "asinh_", "atanh_")
"""PyTorch has no derivatives of these in-place functions."""


def outcome(torch: Any, functional: Any, call: str, operands: str = SETUP) -> dict[str, Any]:
    """What a call gives, and what it does to its operands."""
    space: dict[str, Any] = {"torch": torch, "F": functional}
    exec(operands, space)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = list(flat(eval(call, space)))
        found: dict[str, Any] = {"versions": [space[name]._version for name in "xycbin"]}
        for k, result in enumerate(results):
            if not hasattr(result, "dtype"):
                found[f"{k} value"] = result
                continue
            found[f"{k} dtype"], found[f"{k} shape"] = str(result.dtype), tuple(result.shape)
            found[f"{k} value"] = np.array(result.detach().numpy())
            found[f"{k} needs"], found[f"{k} leaf"] = result.requires_grad, result.is_leaf
            found[f"{k} node"] = result.grad_fn.name() if result.grad_fn is not None else None
        total = sum((r * weights(torch, r)).sum() for r in results if getattr(r, "requires_grad", False))
        if not isinstance(total, int):
            total.backward()
            for name in ("a", "e"):
                found[f"gradient of {name}"] = (
                    None if space[name].grad is None else np.array((space[name].grad + 0).numpy())
                )
    return found


def weights(torch: Any, like: Any) -> Any:
    """Different numbers for different elements."""
    count = int(np.prod(tuple(like.shape), dtype=int))
    return torch.tensor((np.arange(count) * 3 % 7 + 1.0).reshape(tuple(like.shape))).to(like.dtype)


def flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for each in value:
            yield from flat(each)
    else:
        yield value


def differences(ours: dict[str, Any], theirs: dict[str, Any], call: str, *, drawn: bool) -> list[str]:
    """The facts that differ."""
    assert ours.keys() == theirs.keys(), (call, ours.keys() ^ theirs.keys())
    found = []
    for fact, value in theirs.items():
        mine = ours[fact]
        if fact.endswith("node") and call in OTHER_NODES:
            continue
        if drawn and (fact.endswith("value") or fact.startswith("gradient")):
            continue
        same = (
            np.allclose(mine, value, rtol=1e-6, atol=1e-6, equal_nan=True)
            if isinstance(value, np.ndarray) and mine is not None
            else mine == value
        )
        if not same:
            found.append(f"{call}: {fact} is {mine}, in PyTorch {value}")
    return found


@pytest.mark.oracle
@pytest.mark.parametrize("name", sorted(ALL.keys() - set(ONLY_HERE)))
def test_a_line_does_what_pytorch_does(name: str) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    found = []
    for call in ALL[name]:
        ours = outcome(names, names.nn.functional, call)
        theirs = outcome(torch, torch.nn.functional, call)
        found += differences(ours, theirs, call, drawn=name in DRAWN)
    assert not found, "\n".join(found)


OTHER = {
    **dict.fromkeys(("acosh", "cumprod", "cumprod_", "digamma", "digamma_", "logit", "logit_", "norm", "pow", "prod", "renorm", "renorm_", "sinc", "sinc_"),
                    ("gradient",)),
    "copysign": ("gradient", "0 value"), "copysign_": ("gradient", "0 value"),  # the sign of a NaN is not defined
    "F.max_pool2d": ("gradient", "1 value"),
}  # fmt: skip
"""What is not PyTorch's at NaN, infinity and -0.0: the printed table of names says so."""


def tried(torch: Any, functional: Any, call: str, operands: str) -> dict[str, Any] | Exception:
    """The outcome of a call, or the error that it ends with."""
    try:
        return outcome(torch, functional, call, operands)
    except Exception as error:  # noqa: BLE001  # any: it is looked at
        return error


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(ALL.keys() - set(ONLY_HERE) - set(DRAWN)))
def test_it_does_so_with_nan_infinity_zeros_bounds_equal_elements_and_integers(name: str) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    found = []
    for call, leaves in ((call, leaves) for call in ALL[name] for leaves in LEAVES):
        ours = tried(names, names.nn.functional, call, setup(leaves))
        theirs = tried(torch, torch.nn.functional, call, setup(leaves))
        if isinstance(ours, Exception):
            if not isinstance(ours, Refusal) or (leaves != "integers" and not isinstance(theirs, Exception)):
                found.append(f"{call} with {leaves}: {ours!r}")
        elif isinstance(theirs, Exception):
            if not isinstance(theirs, NotImplementedError) and "could not infer output dtype" not in str(theirs):
                found.append(f"{call} with {leaves}: not refused, in PyTorch {theirs!r}")
        else:
            found += [
                f"{each} with {leaves}"
                for each in differences(ours, theirs, call, drawn=False)
                if not _other(name, each)
            ]
    assert not found, "\n".join(found)


def _other(name: str, difference: str) -> bool:
    fact = difference.partition(": ")[2]
    return fact.startswith(OTHER.get(name, ())) or " node is " in fact


OVERWRITTEN = (
    ("x[i[0]]", "i"), ("x[:, i[1]]", "i"), ("x[1, i[0]]", "i"), ("x[b]", "b"), ("x[i[0, 0]]", "i"), ("x.masked_select(b)", "b"),
    ("x.masked_fill(b, 0)", "b"), ("torch.where(b, x, y)", "b"), ("F.cross_entropy(x, i[0, :2])", "i"),
    ("F.cross_entropy(x, i[0, :2], label_smoothing=0.1)", "i"), ("F.cross_entropy(x, i[0, :2], weight=c[0])", "c"),
    ("F.conv2d(p, p[..., :2, :3] * 1)", "p"), ("F.conv2d(p[0], p[..., :2, :3] * 1)", "p"), ("F.pad(x, (1, 1))", "x"),
    ("F.pad(p, (1, 1, 1, 1), mode='reflect')", "p"), ("F.pad(p, (1, 1, 1, 1), mode='replicate')", "p"),
    ("F.pad(p, (1, 1, 1, 1), mode='circular')", "p"),
)  # fmt: skip
"""Calls, and the operand that is overwritten before backward."""


def refused(torch: Any, functional: Any, call: str, operand: str) -> str | None:
    """What backward says if an operand was overwritten after the call; None if it does not need it."""
    space: dict[str, Any] = {"torch": torch, "F": functional}
    exec(SETUP, space)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = eval(call, space)
        space[operand].zero_()
        try:
            result.sum().backward()
        except RuntimeError as error:
            return str(error).split("\n")[0]
    return None


@pytest.mark.oracle
@pytest.mark.parametrize(("call", "operand"), OVERWRITTEN)
def test_an_overwritten_operand_is_refused_as_in_pytorch(call: str, operand: str) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    theirs = refused(torch, torch.nn.functional, call, operand)
    assert refused(names, names.nn.functional, call, operand) == theirs
