"""Builds the row of a fused chain: several element-wise rows, computed one after another as one operation.

Its derivative is composed of theirs: backward goes through the steps from the last to the first and calls the rule of each. The
results between two steps were never in memory. If a rule needs one, the steps before it are recomputed from the inputs with ordinary
operations. So a chain saves only the inputs that a rule needs and its own result. All of this consists of operations on tensors, so
it can be differentiated again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from inspect import Parameter
from typing import Any

from inplacelab import errors
from inplacelab.devices.kernels.elementwise import Step, distinct
from inplacelab.language import Text
from inplacelab.ops import template
from inplacelab.ops.cuda.expressions import named, result, step
from inplacelab.ops.table.row import Row, Rule
from inplacelab.ops.template.parts import name_of
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
