"""A framework's call, as far as dependence is concerned, and what is found of one by running it again (`by_trial`): on the numbers of the elements, or on
one element after the other.

Only functions that are named here are run, on a few small arrays, before the program's own call. They read no random numbers and write nothing else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from inplacelab.dependence import MOST_PLACES, Dependence, listed
from inplacelab.recorders.positions import At

Found = Dependence | tuple[Dependence | None, ...] | None
"""The dependence of the result, or of each of several results; None if it is not known."""
Shape = tuple[int, ...]


@dataclass(slots=True)  # not frozen, as one is made for each call (see `events`)
class Call:
    """A call of a framework's function, as far as dependence is concerned.

    Attributes:
        name: the function's name.
        args, kwargs: its arguments.
        is_tensor: whether a value is a tensor of the framework.
        as_array: returns a tensor of indices or truth values as an array; None if it cannot be read.
        reads, writes: the framework's operations with an index or a mask.
        aliases: its other names of parameters.
        weight_has_rows: whether the weight of a linear layer has a row for each output, as in PyTorch, or a column.
        function: the function, as a recorder may call it beside the program; None if it may not.
        as_tensor: returns a tensor of the framework with the values of an array.
    """

    name: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    is_tensor: Callable[[Any], bool]
    as_array: Callable[[Any], Any]
    reads: Mapping[str, At]
    writes: Mapping[str, At]
    aliases: Mapping[str, str]
    weight_has_rows: bool
    function: Callable[..., Any] | None
    as_tensor: Callable[[Any], Any]

    def tensors(self) -> list[Any]:
        """Its tensors, also those in lists and tuples, in the order of its arguments."""
        values = (*self.args, *self.kwargs.values())
        flat = [each for value in values for each in (value if type(value) in (list, tuple) else (value,))]
        return [each for each in flat if self.is_tensor(each)]

    def told(self) -> str:
        """Its arguments that are no tensors, also those in lists and tuples."""
        return self._shown([*self.args, *(each for pair in self.kwargs.items() for each in pair)])

    # A function in a function that calls itself would keep the tensors alive until the garbage collector runs.
    def _shown(self, value: Any) -> str:
        if type(value) in (list, tuple):
            return f"[{', '.join(map(self._shown, value))}]"
        return "-" if self.is_tensor(value) else repr(value)

    def on(self, arrays: Sequence[Any]) -> Any:
        """Runs the function again, with arrays in the places of its first tensors; returns its result, or each of several, as arrays."""
        waiting = list(arrays)
        if self.function is None:
            raise TypeError
        args = [self._replaced(each, waiting) for each in self.args]
        kwargs = {name: self._replaced(each, waiting) for name, each in self.kwargs.items()}
        # `catch_warnings` would have Python show warnings of the program again that it has shown before.
        shown = warnings.showwarning
        warnings.showwarning = _not_shown  # type: ignore[assignment]
        try:
            made = self.function(*args, **kwargs)
        finally:
            warnings.showwarning = shown
        return tuple(map(self.as_array, made)) if isinstance(made, list | tuple) else self.as_array(made)

    def _replaced(self, value: Any, waiting: list[Any]) -> Any:
        if self.is_tensor(value) and waiting:
            return self.as_tensor(waiting.pop(0))
        return type(value)([self._replaced(each, waiting) for each in value]) if type(value) in (list, tuple) else value

    def named(self, *parameters: str) -> dict[str, Any]:
        """The arguments by the names of the parameters."""
        given = {self.aliases.get(name, name): value for name, value in self.kwargs.items()}
        return {**dict(zip(parameters, self.args, strict=False)), **given}


def _not_shown(*_: Any) -> None:
    """Takes the place of what shows a warning: the program's own call has warned."""


Rules = Mapping[str, Callable[[Call, str, Sequence[Shape]], Found]]
"""By the name of an operation without the underscore of an in-place one: what finds the dependence, from the call, that name, and the shapes of its tensors."""


def numbered(shape: Shape) -> Any:
    """The numbers of the elements of a tensor, in its shape.

    Raises:
        ValueError: if they are too many to report.
    """
    if prod(shape) > MOST_PLACES:
        raise ValueError
    return np.arange(prod(shape)).reshape(shape)


def moved(numbers: Any, first: int = 0) -> Dependence | None:
    """The dependence of elements that are those with these numbers; None if they are too many to report."""
    if numbers.size > MOST_PLACES:
        return None
    return Dependence("moved", places=tuple(np.asarray(numbers).reshape(-1).tolist()), first=first)


_MOVING = frozenset({
    "block_diag", "cartesian_prod", "channel_shuffle", "column_stack", "combinations", "crop", "diag", "diag_embed", "diagflat", "diagonal_scatter", "dstack",
    "flip", "fliplr", "flipud", "hstack", "meshgrid", "nearest_interp", "pad", "pad3d", "pixel_shuffle", "pixel_unshuffle", "repeat", "roll", "rot90",
    "row_stack", "set_value_with_tensor", "select_scatter", "slice_scatter", "split", "split_with_num", "squeeze_copy", "temporal_shift", "tile", "tril", "triu", "unfold", "unstack", "vstack",
})  # fmt: skip
"""Functions whose results are elements of their tensors in other places, or constants."""
_MOVING_FIRST = frozenset({"repeat_interleave", "repeat_interleave_with_tensor_index"})
"""The same of the first tensor: the others are indices."""
_ADDING = frozenset({
    "bicubic_interp", "bilinear_interp", "cumulative_trapezoid", "diff", "fold", "linear_interp", "sum_to_size", "trace", "trapezoid", "trilinear_interp",
})  # fmt: skip
"""Functions whose results are sums of elements of their first tensor, times numbers."""
_ENLARGING = frozenset({"interpolate", "upsample"})
"""Functions that do either, as their `mode` says."""
_MIXING = frozenset({
    "affine_grid", "bicubic", "bilinear", "binary_cross_entropy", "binary_cross_entropy_with_logits", "cdist", "cholesky", "corrcoef", "cosine_similarity", "cov",
    "cross", "cross_entropy", "det", "eigh", "eigvalsh", "embedding_bag", "fft_c2c", "fft_c2r", "fft_fft", "fft_ifft", "fft_irfft", "fft_r2c", "fft_rfft", "gaussian_nll_loss", "glu", "gru_cell",
    "hinge_embedding_loss", "instance_norm", "inverse", "kron", "linalg_cholesky",
    "linalg_cross", "linalg_det", "linalg_eigh", "linalg_eigvalsh", "linalg_inv", "linalg_matrix_norm", "linalg_matrix_power", "linalg_pinv", "linalg_qr",
    "linalg_slogdet", "linalg_solve", "linalg_svd", "local_response_norm", "logdet", "lp_pool1d", "lp_pool2d", "lstm_cell",
    "margin_ranking_loss", "matrix_exp", "matrix_power", "multilabel_soft_margin_loss", "nll_loss", "pairwise_distance", "poisson_nll_loss", "qr", "rnn_relu_cell", "rnn_tanh_cell", "sigmoid_cross_entropy_with_logits", "slogdet", "soft_margin_loss", "solve", "svd", "triplet_margin_loss", "vander",
})  # fmt: skip
"""Functions whose results are made of many elements in a way that is the same whatever their values are."""
_BY_VALUE = frozenset(
    {"cummin", "grid_sample", "grid_sampler", "maxout", "mode", "nanmedian", "nanquantile", "quantile", "renorm"}
)
"""Functions whose values decide which elements they use. These are taken as they were."""
_DROPPING = {**dict.fromkeys(("gru", "lstm", "rnn", "rnn_relu", "rnn_tanh"), 5), "multi_head_attention_forward": 10}
"""The same, if nothing is dropped at random: which argument tells how much."""
_SMALL = 1e-6
_FIRST = 1 << 40
"""Numbers of elements begin here, so that a constant that a function writes is none of them."""
MOST_RUNS = 256
"""Of a tensor with more elements, not each one is tried."""
MOST_MIXED = 256
"""The same of all tensors of a function that mixes their elements."""
MOST_KNOWN = 64
"""Of so many functions that mix elements it is remembered what was found."""


def by_trial(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Returns the dependence of a call that moves or adds elements; None of any other, or if they are too many.

    Args:
        call: the call.
        plain: its name without the underscore of an in-place operation.
        shapes: the shapes of its tensors.
    """
    if plain in _ENLARGING:
        mode = str(call.named("x", "size", "scale", "mode").get("mode", "nearest"))
        return _moved(call, shapes[:1]) if mode.startswith("nearest") else _added(call, shapes[0])
    if plain in _MOVING or plain in _MOVING_FIRST:
        return _moved(call, shapes if plain in _MOVING else shapes[:1])
    if plain in _ADDING:
        return _added(call, shapes[0])
    mixes = plain in _MIXING or plain in _BY_VALUE or (plain in _DROPPING and call.args[_DROPPING[plain]] == 0)
    return _mixed(call, shapes, as_they_are=plain in _BY_VALUE) if mixes else None


def _moved(call: Call, shapes: Sequence[Shape]) -> Found:
    ends = np.cumsum([prod(shape) for shape in shapes])
    if ends[-1] > MOST_PLACES:
        return None
    numbers = np.split(np.arange(_FIRST, _FIRST + ends[-1], dtype=np.float64), ends[:-1])
    found = call.on([each.reshape(shape) for each, shape in zip(numbers, shapes, strict=True)])
    if isinstance(found, tuple):
        return tuple(_places(each, ends[-1]) for each in found)
    return _places(found, ends[-1])


def _places(found: Any, count: int) -> Dependence | None:
    known = (found >= _FIRST) & (found < _FIRST + count)
    places = np.where(known, found - _FIRST, -1).astype(int).reshape(-1)
    return None if places.size > MOST_PLACES else Dependence("moved", places=tuple(places.tolist()))


def _added(call: Call, shape: Shape) -> Dependence | None:
    if prod(shape) > MOST_RUNS:
        return None
    ones = np.eye(prod(shape)).reshape(-1, *shape)
    weights = np.array([call.on([each]).reshape(-1) for each in ones]).T
    if weights.size > MOST_RUNS * MOST_PLACES:
        return None
    groups = [np.flatnonzero(row) for row in weights]
    return listed(
        [each.tolist() for each in groups], [row[group].tolist() for row, group in zip(weights, groups, strict=True)]
    )


def _mixed(call: Call, shapes: Sequence[Shape], *, as_they_are: bool) -> Found:
    """Which elements of the results change with each element of the tensors, found by changing one after the other."""
    tensors = call.tensors() if sum(map(prod, shapes)) <= MOST_MIXED else []
    given = [np.asarray(call.as_array(each)) for each in tensors[: len(shapes)]]
    if [each.shape for each in given] != [*shapes]:
        return None
    given += [np.zeros((), np.uint8)] * (len(tensors) - len(given))  # those without memory are written
    if as_they_are:
        return _changes(call, [each.astype(float) if each.dtype.kind == "f" else each for each in given])
    arrays = [_some_numbers(each.shape, k) if each.dtype.kind == "f" else each for k, each in enumerate(given)]
    asked = call.name, call.told(), *((each.shape, each.dtype.str, each.tobytes()) for each in arrays)
    if asked not in _KNOWN:
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[asked] = _changes(call, arrays)
    return _KNOWN[asked]


_KNOWN: dict[tuple[object, ...], Found] = {}
"""What was found of functions that do the same whatever the values are: a loop calls one again and again."""


def _changes(call: Call, arrays: Sequence[Any]) -> Found:
    """Which elements of the results of a call change with each element of some arrays."""
    before = _results(call.on(arrays))
    groups: list[list[list[int]]] = [[[] for _ in range(result.size)] for result in before]
    first = 0
    for k, array in enumerate(arrays):
        for element in range(array.size if array.dtype.kind == "f" else 0):
            changed = array.copy()
            changed.reshape(-1)[element] += _SMALL
            after = _results(call.on([*arrays[:k], changed, *arrays[k + 1 :]]))
            for result, was, found in zip(after, before, groups, strict=True):
                for at in np.flatnonzero(result != was):
                    found[at].append(first + element)
        first += array.size
    known = tuple(listed(each) for each in groups)
    return known if len(known) > 1 else known[0]


def _results(results: Any) -> list[Any]:
    return [np.asarray(each).reshape(-1) for each in (results if isinstance(results, tuple) else (results,))]


def _some_numbers(shape: Shape, seed: int) -> Any:
    """Numbers between 0 and 1 that are all different; the matrices of square ones can be inverted, and have square roots."""
    numbers = 0.3 + 0.4 * np.modf((np.arange(prod(shape)) + 7.0 * seed + 1) * 0.6180339887)[0].reshape(shape)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        numbers = 0.1 * numbers + 0.8 * np.eye(shape[-1])
    return numbers
