"""Kernels as operations: a row of the table, or a chain of rows, with a CUDA kernel instead of NumPy's.

The engine writes data in one way only: check, save what backward needs, compute, raise the version, rebase the history, report. So a
kernel does not write tensors on its own. It replaces the kernel in a row, and the template generates the function from this row.

A chain is several element-wise rows, computed one after another as one operation. Its derivative is composed of theirs: backward goes
through the steps from the last to the first and calls the rule of each. The results between two steps were never in memory. If a rule needs
one, the steps before it are recomputed from the inputs with ordinary operations. So a chain saves only the inputs that a rule needs and its
own result. All of this consists of operations on tensors, so it can be differentiated again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import cached_property
from inspect import Parameter, Signature
from typing import Any

from inplacelab import dtypes, errors
from inplacelab.kernels import launching
from inplacelab.kernels.own_kernels import OwnKernel, named, result, step
from inplacelab.kernels.sources import Form, Source, Step, distinct
from inplacelab.language import Text
from inplacelab.ops import template
from inplacelab.ops.table.row import Row, Rule
from inplacelab.ops.template.parts import name_of
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor


def chained(rows: Sequence[Row], variant: str, dtypes: Sequence[str]) -> Row:
    """Combines several rows into one.

    Args:
        rows: the operations in order.
        variant: "in-place" or "ordinary".
        dtypes: the dtypes that all of them support.

    Returns:
        A row with the inputs and attributes of all steps, named as in the source of the kernel.

    Raises:
        ArgumentError: if a step cannot be fused: its result has another dtype, it checks the values of its operands, it does not
            use the result of the step before, or its derivative needs metadata, which a result between two steps does not have.
    """
    for row in rows:
        unfit = row.validate is not None or row.numbers or row.masks or row.kind == "overwrite"
        if unfit or not dtypes or result(row, dtypes[0]) != dtypes[0]:
            raise errors.cannot_fuse(name=name_of(row, variant))
    steps = [step(row, variant, dtypes[0]) for row in rows]
    links = [Link(*each) for each in zip(rows, steps, distinct(steps), strict=True)]
    for link in links:
        if link.needs_metadata:
            raise errors.cannot_fuse(name=name_of(link.row, variant))
    inputs = ("x", *(name for link in links for name in link.others.values()))
    attributes = [each for link in links for each in link.signature]
    names = ", ".join(f"`{name_of(row, variant)}`" for row in rows)
    return Row(
        name="_".join(row.name for row in rows), kind="elementwise", inputs=inputs,
        attrs="*, " * bool(attributes) + ", ".join(attributes), accepts="fi",
        prepare={link.attributes[old]: check for link in links for old, check in link.prepare.items()},
        rules=tuple(_rules(links)), node="FusedGradNode", method=False, function=False,
        says=Text("In one pass: {names}.", "一次遍历完成：{names}。").format(names=names),
    )  # fmt: skip


class Link:
    """One step of a chain.

    Attributes:
        row: the operation.
        first: the row's name of the input that is the result of the step before.
        others: the chain's names of the other inputs, by the row's names.
        attributes: the chain's names of the attributes, by the row's names.
        left_out: the defaults of the attributes that the kernel does not take; with other values it does not run.
    """

    def __init__(self, row: Row, before: Step, after: Step) -> None:
        self.row, self.first = row, row.inputs[0]
        self.others = dict(zip(row.inputs[1:], after.inputs[1:], strict=True))
        self.attributes = dict(zip(before.numbers, after.numbers, strict=True))
        self.left_out = {p.name: p.default for p in row.attributes if p.name not in self.attributes}
        self._parameters = {p.name: p for p in named(row, before.expression)}

    @property
    def signature(self) -> Iterator[str]:
        """Yields the attributes as they are written in the signature of the chain."""
        for old, new in self.attributes.items():
            default = self._parameters[old].default
            yield new if default is Parameter.empty else f"{new}={default!r}"

    @property
    def prepare(self) -> Mapping[str, Any]:
        """Returns the functions that convert the attributes for the kernel, by the row's names."""
        return {old: check for old, check in self.row.prepare.items() if old in self.attributes}

    @property
    def needs_metadata(self) -> bool:
        """Whether a rule of the row needs metadata."""
        return any(name.endswith(("_form", "_meta")) for rule in self.row.rules if rule for name in rule.asks)

    @property
    def names(self) -> dict[str, str]:
        """Returns the chain's names of the other inputs and the attributes, by the row's names."""
        return self.others | self.attributes

    def recompute(self, x: Tensor, given: Mapping[str, Any]) -> Tensor:
        """Computes the step again.

        Args:
            x: the result of the step before.
            given: the inputs and attributes of the chain by name.

        Returns:
            A new tensor.
        """
        made: Tensor = self._function(**{self.first: x}, **{old: given[new] for old, new in self.names.items()})
        return made

    @cached_property
    def _function(self) -> Any:
        return template.function(self.row, "ordinary")


class ChainRule(Rule):
    """The derivative of a chain with respect to one input of one of its steps.

    Args:
        links: all steps.
        at: the number of the step.
        position: the number of the input in this step.
    """

    __slots__ = ("_at", "_links", "_position")

    def __init__(self, links: Sequence[Link], at: int, position: int) -> None:
        self._links, self._at, self._position = links, at, position
        needed = {name for k, each in self._path() for name in self._needed_by(k, each)}
        self.asks = ("g", *sorted(needed))
        self.function = self._gradient

    def _path(self) -> Iterator[tuple[int, Rule | None]]:
        """The steps from the last one back to this one, with the rule that each applies."""
        for k in range(len(self._links) - 1, self._at, -1):
            yield k, self._links[k].row.rules[0]
        yield self._at, self._links[self._at].row.rules[self._position]

    @property
    def has_no_path(self) -> bool:
        """Whether a step on the path has no derivative."""
        return any(rule is None for _, rule in self._path())

    def _needed_by(self, k: int, rule: Rule | None) -> Iterator[str]:
        """The inputs and attributes of the chain, and its result, that a rule of step `k` needs."""
        link = self._links[k]
        for name in rule.asks if rule else ():
            if name == link.first:
                yield from self._needed_for(k)
            elif name == "out":
                yield from self._needed_for(k + 1)
            elif name in link.names:
                yield link.names[name]

    def _needed_for(self, count: int) -> Iterator[str]:
        """The names that the result of the first `count` steps needs."""
        if count == len(self._links):
            yield "out"
            return
        yield "x"
        for link in self._links[:count]:
            yield from link.names.values()

    def _gradient(self, *values: Any) -> Tensor | None:
        given = dict(zip(self.asks, values, strict=True))
        made: list[Tensor] = [given["x"]] if "x" in given else []  # the input, and the results of the first steps
        g: Tensor | None = given["g"]
        for k, rule in self._path():
            if rule is None or g is None:
                return None
            g = rule.function(*[self._value(name, k, g, given, made) for name in rule.asks])
        return g

    def _value(self, name: str, k: int, g: Tensor, given: Mapping[str, Any], made: list[Tensor]) -> Any:
        """The value of an argument of a rule of step `k`."""
        link = self._links[k]
        if name == "g":
            return g
        if name not in (link.first, "out"):
            return given[link.names[name]] if name in link.names else link.left_out[name]
        count = k + (name == "out")
        if count == len(self._links):
            return given["out"]
        while len(made) <= count:
            made.append(self._links[len(made) - 1].recompute(made[-1], given))
        return made[count]


def _rules(links: Sequence[Link]) -> Iterator[Rule | None]:
    """The derivative with respect to each input of the chain: the first of the first step, then the others of all steps."""
    for at, link in enumerate(links):
        for position in range(min(at, 1), len(link.row.inputs)):
            rule = ChainRule(links, at, position)
            yield None if rule.has_no_path else rule


_NONE: Mapping[int, Storage] = {}
_storages: ContextVar[Mapping[int, Storage]] = ContextVar("storages of the arguments", default=_NONE)
"""The storages of the arrays that a kernel was called with, by their `id`: the engine passes only the arrays on."""


class Kernel(ABC):
    """A kernel whose source can be read, and which can be called like an operation.

    Attributes:
        name: the operation ("relu_"), or the steps of a chain ("scale_ add_ relu_").
        in_place: whether the result is written over the first input.
        dtypes: the dtypes that it supports.
        parameters: the names of its parameters: tensors first, then attributes.
        row: the row of the operation.
    """

    name: str
    in_place: bool
    dtypes: tuple[str, ...]
    row: Row

    @abstractmethod
    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        """Returns the source of the kernel in CUDA C; print it to read it.

        Args:
            dtype: the dtype of the elements.
            layout: "contiguous" or "strided", for element-wise kernels.

        Raises:
            KernelError: if the kernel does not support the dtype.
        """

    @abstractmethod
    def plan(self, given: Mapping[str, Any], storages: Mapping[str, Storage | None]) -> launching.Plan:
        """Returns what to launch. The engine calls it before anything is written, so it may refuse.

        Args:
            given: the arrays and attributes by name, with `out` (the array of the result) and `device`.
            storages: the storages of the input arrays by name.
        """

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters: tensors first, then attributes."""
        return tuple(p.name for p in self.row.parameters if p.name not in {"name", "out"})

    def __call__(self, *args: Any, **kwargs: Any) -> Tensor:
        """Runs the kernel as an operation; an in-place kernel returns its first argument."""
        tensors = [each for each in (*args, *kwargs.values()) if isinstance(each, Tensor)]
        before = _storages.set({id(each.array): each.storage for each in tensors})
        try:
            made: Tensor = self._function(*args, **kwargs)
        finally:
            _storages.reset(before)
        return made

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(self.parameters)})>"

    @cached_property
    def _function(self) -> Callable[..., Any]:
        """The function that the template generates from the row with this kernel."""
        names = ("out", *self.row.inputs, *(p.name for p in self.row.attributes), "device")

        def plan(*arguments: Any) -> launching.Plan:
            given = dict(zip(names, arguments, strict=True))
            if self.in_place and given["out"] is not given[self.row.inputs[0]]:  # in place in name only
                raise errors.kernel_cannot_hold_result(name=self.name)
            storages = _storages.get()
            planned = self.plan(given, {n: storages.get(id(given[n])) for n in self.row.inputs})
            launching.prepare(planned)
            return planned

        def kernel(planned: launching.Plan) -> None:
            launching.run(planned)
            launching.report(planned)

        plan.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in names])  # type: ignore[attr-defined]
        row = replace(self.row, plan=plan, kernel=kernel, ufunc=None, plain="", cuda="")
        return template.function(row, "in-place" if self.in_place else "ordinary")


class Elementwise(Kernel):
    """The kernel of one element-wise row, or of a chain of rows in one pass over the elements.

    Attributes:
        rows: the rows, in order.
    """

    def __init__(self, rows: Sequence[Row], *, in_place: bool) -> None:
        self._own = OwnKernel(rows, in_place=in_place)
        self.in_place, self.name, self.dtypes = in_place, self._own.name, self._own.dtypes
        variant = "in-place" if in_place else "ordinary"
        self.row = rows[0] if len(rows) == 1 else chained(rows, variant, self.dtypes)
        self.rows = self._own.rows

    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        """Returns the source in one of its two layouts; see `Kernel.source`."""
        return self.source_for(_dtype_name(dtype), Form("strided" if layout == "strided" else "contiguous"))

    def source_for(self, dtypes: str | tuple[str, ...], form: Form) -> Source:
        """Returns the source in one form.

        Args:
            dtypes: the dtypes of the operands, or one dtype for all.
            form: the form of the kernel.
        """
        return self._own.source_for(dtypes, form)

    def plan(self, given: Mapping[str, Any], storages: Mapping[str, Storage | None]) -> launching.Plan:
        """Returns what to launch; see `Kernel.plan`."""
        plan = self._own.plan(given, storages, given["device"])
        if not isinstance(plan, launching.Plan):
            raise plan()
        return plan


class Whole(Kernel):
    """A kernel with a `.cu` file for itself, for packed operands.

    Args:
        row: the row of the operation.
        in_place: whether the result is written over the first input.
        text: makes the source for a dtype.
        sizes: makes the size arguments from the shapes of the operands.
    """

    def __init__(
        self, row: Row, *, in_place: bool, text: Callable[[str], Source], sizes: Callable[..., Sequence[Any]]
    ) -> None:
        self.row, self.in_place, self.dtypes = row, in_place, ("float32", "float64")
        self.name = name_of(row, "in-place" if in_place else "ordinary")
        self._text, self._sizes = text, sizes

    def source(self, dtype: Any = "float32", layout: str = "contiguous") -> Source:
        """Returns the source; see `Kernel.source`."""
        named_dtype = _dtype_name(dtype)
        if named_dtype not in self.dtypes:
            raise errors.kernel_lacks_dtype(name=self.name, dtype=named_dtype, known=self.dtypes)
        return self._text(named_dtype)

    def plan(self, given: Mapping[str, Any], storages: Mapping[str, Storage | None]) -> launching.Plan:
        """Returns what to launch; see `Kernel.plan`."""
        source, device = self.source(given[self.row.inputs[0]].dtype), given["device"]
        windows = [
            launching.window(p.name, p.role, given[p.name], storages.get(p.name), device) for p in source.operands
        ]
        attributes = [given[p.name] for p in self.row.attributes]
        sizes = self._sizes(*(each.layout.shape for each in windows))
        return launching.whole(self.name, source, windows, [*attributes, *sizes], device)


def _dtype_name(dtype: Any) -> str:
    return dtypes.as_numpy(dtype).name
