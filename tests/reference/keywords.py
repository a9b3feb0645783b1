"""Paddle's alternative keywords (`dim=` for `axis=`), and its errors when both are given, or neither.

    python -m tests.reference.keywords        record the results of PaddlePaddle (which must be installed)

For every function and method that Paddle has too, each keyword is replaced by each name of a list: if the result is the same,
that name is an alternative. Calls with separate numbers instead of a list are recorded, too.
"""

from __future__ import annotations

import inspect
import json
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = Path(__file__).with_name("keywords.json")
SECONDS = 60
"""The time limit for the calls of one function, in seconds."""

_WORDS = """
    input other dim dims dim0 dim1 dim2 start_dim end_dim size sizes exponent tensors tensor vec vec2 mat mat1 mat2 batch1 batch2 ord A
    source src values value from to lambd n m k end steps num obj correction unbiased keepdim keepdims indices sections indices_or_sections
    split_size_or_sections dimension min max index mask p eps func fill_value shape condition x y stride storage_offset min_val max_val
    alpha diagonal repeats axes dtype rounding_mode replacement num_samples low high mean std
"""
WORDS = _WORDS.split()
"""Candidates for alternative keywords."""

SAMPLES: dict[str, str] = {
    "x": "M", "input": "M", "y": "N", "other": "N", "arr": "M", "condition": "M > 0.5", "tensor1": "N", "tensor2": "N", "axis": "1", "dim": "1", "keepdim": "True",
    "shape": "[3, 2]", "perm": "[1, 0]", "dtype": "'float64'", "repeat_times": "[1, 2]", "shifts": "1", "start_axis": "1", "stop_axis": "0",
    "num_or_sections": "2", "num_or_indices": "3", "chunks": "2", "axis0": "0", "axis1": "1", "axis2": "0", "offset": "1", "source": "0", "destination": "1",
    "size": "2", "step": "1", "axes": "[1]", "starts": "[1]", "ends": "[2]", "strides": "[1]", "start": "1", "length": "1", "index": "I([0, 1, 1])", "mask": "M > 0.5",
    "value": "2.0", "indices": "I([[0, 1, 0]])", "values": "N[:1]", "src": "N[:1]", "fill_value": "2.0", "min": "0.2", "max": "0.7", "p": "1.0", "n": "1",
    "weight": "0.5", "max_norm": "0.5", "alpha": "0.5", "beta": "0.5", "scale": "2.0", "bias": "1.0", "bias_after_scale": "False", "eps": "0.1",
    "nan": "1.0", "posinf": "2.0", "neginf": "3.0", "decimals": "1", "diagonal": "1", "num": "3", "stop": "5.0", "end": "4", "num_rows": "2", "num_columns": "3",
    "unbiased": "False", "correction": "0", "rtol": "0.5", "atol": "0.5", "equal_nan": "True", "vec": "N[0]", "accumulate": "True", "wrap": "True",
    "lam": "2.0", "loc": "1.0", "probs": "0.5", "mean": "1.0", "std": "2.0", "low": "1", "high": "9", "seed": "3", "num_samples": "2", "replacement": "True",
    "from_": "1", "to": "9", "shape_or_dtype": "[3, 2]", "stride": "[1, 1]", "k": "1", "broadcast": "False", "reduce": "'add'", "include_self": "False",
    "negative_slope": "0.3", "threshold": "0.4", "norm_type": "1.0", "is_arithmetic": "False", "rounding_mode": "'floor'", "as_tuple": "True",
    "data": "[1, 2]", "x_shape": "[2, 1]", "y_shape": "[1, 3]", "obj": "M", "exclusive": "True", "dim1": "1", "dim2": "0", "fill_zero": "True", "blocking": "False",
    "stop_gradient": "False", "descending": "True", "largest": "False",
}  # fmt: skip
"""What is given for a keyword, as Python: `M` and `N` are tensors of 2 x 3 numbers, `I(...)` one of indices."""

OWN: dict[str, dict[str, str]] = {
    "matmul": {"y": "N.t()"}, "mm": {"y": "N.t()"}, "bmm": {"x": "M.reshape([1, 2, 3])", "y": "N.reshape([1, 3, 2])"},
    "addmm": {"input": "M.t() @ N", "x": "M.t()", "y": "N"}, "outer": {"x": "M[0]", "y": "N[1]"}, "concat": {"x": "[M, N]"}, "cat": {"x": "[M, N]"},
    "stack": {"x": "[M, N]"}, "hstack": {"x": "[M, N]"}, "vstack": {"x": "[M, N]"}, "where": {"x": "M", "y": "N"}, "squeeze": {"x": "M.reshape([2, 1, 3])"},
    "baddbmm": {"input": "M.reshape([1, 2, 3])", "x": "(M @ N.t()).reshape([1, 2, 2])", "y": "N.reshape([1, 2, 3])"}, "expand": {"x": "M[:, :1]", "shape": "[2, 4]"},
    "broadcast_to": {"x": "M[:, :1]", "shape": "[2, 4]"}, "expand_as": {"x": "M[:, :1]"}, "view_as": {"other": "N.t()"}, "as_complex": {"x": "M[:, :2]"},
    "diagonal": {"x": "M.reshape([1, 2, 3])", "axis1": "2", "axis2": "2"}, "unflatten": {"x": "M.reshape([6])", "axis": "0", "shape": "[3, 2]"}, "index_add": {"index": "I([0, 1])", "axis": "0", "value": "N"},
    "index_put": {"indices": "(I([0, 1]), I([2, 0]))", "value": "N[0, :2]"}, "put_along_axis": {"axis": "0"}, "take_along_axis": {"axis": "0"},
    "scatter_add": {"dim": "0", "index": "I([[0, 1, 0]])"}, "scatter": {"index": "I([1])", "updates": "N[:1]"}, "gather": {"index": "I([1])"}, "gather_nd": {"index": "I([[1, 2], [0, 0]])"},
    "masked_scatter": {"value": "N"}, "fill_diagonal_tensor": {"y": "N[:, 0]"}, "rot90": {"axes": "[0, 1]"}, "dsplit": {"x": "M.reshape([1, 2, 3])"},
    "vsplit": {"num_or_indices": "2"}, "uniform": {"min": "0.25", "max": "0.5"}, "randint": {"low": "1"},
    "embedding_renorm": {"x": "I([0, 1])", "weight": "M", "max_norm": "0.5"}, "set": {"source": "N"}, "stride": {"dim": "0"},
    "multigammaln": {"x": "M + 2.0", "p": "1"}, "acosh": {"x": "M + 2.0"}, "arccosh": {"x": "M + 2.0"}, "norm": {"p": "1.0"}, "unfold": {"axis": "1"},
    "slice": {"input": "M"}, "randperm": {"n": "4"}, "linspace": {"start": "1.0"},
    "arange": {"start": "1", "end": "9", "step": "2"}, "normal": {"shape": "[2]"}, "pow": {"y": "2.0"}, "split": {"axis": "0"}, "chunk": {"axis": "0"},
    "renorm": {"p": "2.0"}, "increment": {"x": "N[0, :1]"}, "bernoulli": {"p": "0.5"}, "gcd": {"x": "K", "y": "I([2, 4])"}, "lcm": {"x": "K", "y": "I([2, 4])"},
    "shape": {"input": "M"}, "flatten": {"start_axis": "0", "stop_axis": "1"},
    **{name: {"x": "K", "y": "I([2, 4])"} for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift")},
    **{name: {"x": "K"} for name in ("bitwise_not", "bitwise_invert")},
    **{name: {"x": "M.astype('complex64')"} for name in ("real", "imag", "conj", "as_real")},
}  # fmt: skip
"""Where a function needs something else. In place: the same."""

UNFILLED = {"empty", "empty_like", "resize"}
"""Functions for which only shape and dtype are compared."""

CALLS = (
    "X.reshape(6, 4)", "paddle.reshape(X, 6, 4)", "X.reshape(24)", "X.reshape(-1)", "X.reshape(6, 4, name='r')", "X.reshape([6, 4], None)",
    "X.reshape(6, 4, None)", "X.reshape(I(6), 4)", "X.reshape(6, shape=[6, 4])", "X.reshape(2.0, 12)", "X.reshape(True, 24)",
    "X.reshape_(6, 4)", "X.reshape_(24)", "X.transpose(1, 0)", "X.transpose(0, 2)", "paddle.transpose(X, -1, 0)", "X.transpose(0, 1, 2)",
    "X.transpose(dim0=0, dim1=2)", "X.transpose(axis0=0, axis1=2)", "X.transpose(0, dim1=1)", "X.transpose(1, 1)", "X.transpose_(1, 0)",
    "X.expand(5, 2, 3, 4)", "paddle.expand(X, 5, 2, 3, 4)", "X.expand(-1, -1, -1)", "X.tile(2, 1, 1)", "X.tile(2)", "X.view(6, 4)",
    "paddle.zeros(2, 3)", "paddle.ones(2, 3)", "paddle.empty(2, 3)", "paddle.rand(2, 3)", "paddle.randn(2, 3)", "paddle.zeros(2)",
    "paddle.zeros(2, 3, dtype='int32')", "paddle.standard_normal(2, 3)", "paddle.full(2, 3)", "paddle.full(2, 3, 4)",
    "paddle.zeros([2], size=[3])", "X.unflatten(0, 1, 2)", "X.resize_(6, 4)",
    "paddle.t(input=M)", "paddle.t_(input=M)", "paddle.ravel(input=X)", "paddle.mm(input=M, mat2=N.t())", "paddle.mm(M, mat2=N.t())",
    "paddle.narrow(input=X, dim=0, start=0, length=1)", "paddle.slice(input=X, axes=[0], starts=[0], ends=[1])",
    "paddle.where(M > 0.5, input=M, other=N)", "paddle.normal(1.0, 1.0, size=[2])", "X.diagonal(dim1=0, dim2=2)", "paddle.diagonal(input=X, axis1=0, axis2=2)",
)  # fmt: skip
"""Calls with separate numbers, on a tensor `X` of 2 x 3 x 4 numbers, and some under names that ours do not have."""

Answer = dict[str, Any]


def recorded() -> dict[str, Any]:
    """The recorded answers: by target, and by call."""
    found: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return found


def targets() -> list[str]:
    """What is asked about: "function add", "method add_", "functional relu"."""
    from inplacelab import Tensor  # noqa: PLC0415  # only the recorder needs our names
    from inplacelab.ops.table import FUNCTIONAL, FUNCTIONS  # noqa: PLC0415

    methods = [n for n in dir(Tensor) if not n.startswith("_") and callable(getattr(Tensor, n))]
    named = {"function": FUNCTIONS, "functional": FUNCTIONAL, "method": methods}
    return [f"{kind} {name}" for kind, names in named.items() for name in sorted(names)]


def find(paddle: Any, target: str) -> Callable[..., Any] | None:
    """The function or method of a target in a package."""
    kind, name = target.split()
    found = getattr({"function": paddle, "functional": paddle.nn.functional, "method": paddle.Tensor}[kind], name, None)
    return found if callable(found) else None


def parameters(target: str) -> dict[str, bool]:
    """The parameters of ours under their own names, and whether each is needed."""
    import inplacelab  # noqa: PLC0415

    found = find(inplacelab, target)
    assert found is not None
    words = inspect.signature(found).parameters.values()
    named = [p for p in words if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name not in ("name", "out")]
    return {p.name: p.default is p.empty for p in named if type(p.default).__name__ != "Alias"}


def sample(target: str, parameter: str) -> str | None:
    """What is given for a parameter."""
    return OWN.get(target.split()[1].rstrip("_"), {}).get(parameter) or SAMPLES.get(parameter)


def required(target: str) -> dict[str, str] | None:
    """The arguments that a call needs; None if there are no samples, or no parameters."""
    given = {name: sample(target, name) for name, needed in parameters(target).items() if needed}
    return None if None in given.values() or not given else given  # type: ignore[return-value]  # None is not in it


def attempt(paddle: Any, target: str, given: dict[str, str]) -> list[Any]:
    """The outcome of a call: ["ok", result], or the name of the exception."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ["ok", _called(paddle, target, given)]
    except Exception as error:  # noqa: BLE001  # any exception is the result
        return [type(error).__mro__[0].__name__]


def _called(paddle: Any, target: str, given: dict[str, str]) -> Any:
    kind, name = target.split()
    paddle.seed(7)
    meant = Names(paddle)
    arguments = {word: eval(text, {}, meant) for word, text in given.items()}
    if kind == "method":
        owner = arguments.pop(next(iter(arguments)))
        result = getattr(owner, name)(**arguments)
    else:
        result = find(paddle, target)(**arguments)  # type: ignore[misc]  # it was found before
    return plain(result, unfilled=name.rstrip("_") in UNFILLED)


class Names(dict[str, Any]):
    """The names in the texts, each made again on first use: some calls write."""

    def __init__(self, paddle: Any) -> None:
        super().__init__(paddle=paddle, I=lambda values: paddle.to_tensor(np.array(values, "int64")))
        self._paddle = paddle

    def __missing__(self, name: str) -> Any:
        if name not in _TENSORS:
            raise KeyError(name)
        self[name] = self._paddle.to_tensor(_TENSORS[name].copy())
        return self[name]


_TENSORS = {
    "M": np.array([[0.9, 0.3, 0.6], [0.8, 0.4, 0.7]], "float32"), "N": np.array([[0.2, 0.5, 0.1], [0.65, 0.35, 0.95]], "float32"),
    "K": np.array([6, 8]), "X": np.arange(24, dtype="float32").reshape(2, 3, 4),
}  # fmt: skip


def plain(value: Any, *, unfilled: bool) -> Any:
    """A result as JSON has it."""
    if isinstance(value, list | tuple) and not (value and isinstance(value[0], int)):
        return [plain(each, unfilled=unfilled) for each in value]
    if hasattr(value, "numpy"):
        return [str(value.dtype), list(value.shape), None if unfilled else _rounded(value)]
    return str(value)


def _rounded(tensor: Any) -> list[str]:
    return [f"{v:.4g}" for v in np.asarray(tensor.numpy()).reshape(-1)]


# ---- recording ----------------------------------------------------------------------------------------------------------------


def ask(paddle: Any, target: str) -> Answer:
    """The alternative keywords of a function, and the results of invalid calls."""
    needed = required(target)
    if needed is None or attempt(paddle, target, needed)[0] != "ok":
        return {}
    own = list(parameters(target))[target.startswith("method") :]
    found: Answer = {"aliases": {}, "both": {}}
    for parameter in own:
        for word in _other_names(paddle, target, needed, parameter):
            found["aliases"][word] = parameter
            text = sample(target, parameter)
            found["both"][word] = attempt(paddle, target, {**needed, parameter: text, word: text})[0]  # type: ignore[dict-item]
    found["unknown"] = attempt(paddle, target, {**needed, "no_such": "1"})[0]
    if (last := list(needed)[-1]) in own and (len(needed) > 1 or not target.startswith("method")):
        found["missing"] = attempt(paddle, target, {w: t for w, t in needed.items() if w != last})[0]
    return found


def _other_names(paddle: Any, target: str, needed: dict[str, str], parameter: str) -> Iterator[str]:
    text = sample(target, parameter)
    if text is None:
        return
    full = {**needed, parameter: text}
    wanted = attempt(paddle, target, full)
    if wanted[0] != "ok" or attempt(paddle, target, _renamed(full, parameter, "no_such"))[0] == "ok":
        return
    for word in WORDS:
        if word not in parameters(target) and attempt(paddle, target, _renamed(full, parameter, word)) == wanted:
            yield word


def _renamed(given: dict[str, str], parameter: str, word: str) -> dict[str, str]:
    return {word if name == parameter else name: text for name, text in given.items()}


def ask_call(paddle: Any, text: str) -> list[Any]:
    """The shape of a result, or the name of the exception."""
    try:
        return ["ok", list(eval(text, {}, Names(paddle)).shape)]
    except Exception as error:  # noqa: BLE001
        return [type(error).__mro__[0].__name__]


def in_child(question: Callable[[], Any]) -> Any:
    """The result from a separate process, since some calls crash; None if this one did."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(SECONDS)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os.write(write, json.dumps(question()).encode())
        os._exit(0)
    os.close(write)
    with open(read, "rb") as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def main(chosen: list[str]) -> None:
    import paddle  # noqa: PLC0415  # only the recorder needs it

    asked = [t for t in targets() if find(paddle, t) and (not chosen or t.split()[1] in chosen)]
    found = {t: answer for t in asked if (answer := in_child(lambda t=t: ask(paddle, t)))}  # type: ignore[misc]
    calls = {text: in_child(lambda text=text: ask_call(paddle, text)) for text in CALLS}  # type: ignore[misc]
    answers = {"paddle": paddle.__version__, "targets": found, "calls": calls}
    written = json.dumps(answers, separators=(",", ":")).replace('},"', '},\n"')
    if chosen:
        sys.stdout.write(written)
    else:
        ANSWERS.write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
