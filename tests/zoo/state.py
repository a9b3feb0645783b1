"""Reads what a program has left, so that two runs can be compared to the bit."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator, Mapping
from hashlib import sha256
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch

DEEPEST = 4
"""How deep objects of the program are searched for tensors, modules and optimizers."""
_LEFT_OUT = ModuleType, FunctionType, MethodType, type
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def state_of(names: Mapping[str, Any]) -> dict[str, str]:
    """Returns digests of all that a program's names lead to, and of the states of the generators of random numbers, by what they are of."""
    found: dict[str, str] = {}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # of `.grad` of tensors that are no leaves
        seen: dict[int, Any] = {}  # with the objects, so that no other gets their addresses
        for name, value in list(names.items()):
            if not name.startswith("__") and name != "clock":
                found |= dict(_digests(name, value, 0, seen))
        found["torch's random numbers"] = _hashed(bytes(torch.get_rng_state().numpy()))
    found["Python's random numbers"] = _hashed(repr(random.getstate()).encode())
    found["NumPy's random numbers"] = _hashed(repr(np.random.get_state(legacy=False)).encode())  # noqa: NPY002
    return found


def parameters_of(names: Mapping[str, Any]) -> int:
    """Returns how many parameters the modules have that a program has names for."""
    modules = [each for each in names.values() if isinstance(each, torch.nn.Module)]
    return sum({id(each): each.numel() for module in modules for each in module.parameters()}.values())


def bytes_of(tensor: Any) -> bytes:
    """Returns the bytes of the elements of a tensor, in row-major order."""
    with torch.no_grad():
        plain = tensor.detach().resolve_conj().resolve_neg().to("cpu")
        whole = torch.empty(plain.shape, dtype=plain.dtype).copy_(plain).reshape(-1)
        return bytes(whole.view(torch.uint8).numpy().tobytes())


def _hashed(data: bytes) -> str:
    return sha256(data).hexdigest()[:16]


def _digest(tensor: Any) -> str:
    about = type(tensor).__name__, tuple(tensor.shape), tensor.dtype, tensor.requires_grad
    if tensor.layout is not torch.strided or tensor.device.type == "meta":
        return _hashed(repr((*about, tensor if tensor.device.type != "meta" else "")).encode())
    version = None if tensor.is_inference() else tensor._version
    return _hashed(repr((*about, tensor.stride(), version)).encode() + bytes_of(tensor))


def _of_tensor(path: str, tensor: Any) -> Iterator[tuple[str, str]]:
    yield path, _digest(tensor)
    if tensor.grad is not None:
        yield f"{path}.grad", _digest(tensor.grad)


def _parts(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yields the objects that an object leads to."""
    if isinstance(value, torch.nn.Module):
        yield from ((f"{path}.{name}", each) for name, each in value.named_parameters(remove_duplicate=False))
        yield from ((f"{path}.{name}", each) for name, each in value.named_buffers(remove_duplicate=False))
        yield from ((f"{path}.{name}.training", each.training) for name, each in value.named_modules())
    elif isinstance(value, torch.optim.Optimizer):
        yield f"{path} state", value.state_dict()
    elif isinstance(value, Mapping):
        yield from ((f"{path}[{key!r}]", each) for key, each in list(value.items()))
    elif isinstance(value, list | tuple):
        yield from ((f"{path}[{number}]", each) for number, each in enumerate(value))
    elif isinstance(getattr(value, "__dict__", None), dict):  # its numbers may be times
        yield from (
            (f"{path}.{name}", each) for name, each in list(vars(value).items()) if not isinstance(each, _PLAIN)
        )


def _digests(path: str, value: Any, depth: int, seen: dict[int, Any]) -> Iterator[tuple[str, str]]:
    if isinstance(value, torch.Tensor):
        yield from _of_tensor(path, value)
    elif isinstance(value, np.ndarray):
        yield path, _hashed(repr((value.shape, value.dtype)).encode() + value.tobytes())
    elif isinstance(value, _PLAIN):
        yield path, repr(value)[:200]
    elif depth < DEEPEST and id(value) not in seen and not isinstance(value, _LEFT_OUT):
        seen[id(value)] = value
        for name, each in _parts(path, value):
            yield from _digests(name, each, depth + 1, seen)
