"""The row of a fused chain: several element-wise rows, one after the other, as one operation.

Its derivative is composed of theirs. Backward calls the rules of the steps from the last to the first. The values between two
steps were never in memory; where a rule needs one, the previous steps are computed again, with ordinary operations, from the
inputs. So a chain saves only the inputs that a rule needs, and its result. Since all of this is operations on tensors, it can
be differentiated again.
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
    """Returns one row for several. Its inputs and attributes are those of all steps, with the names in the text of the kernel.

    Raises:
        ArgumentError: if a step cannot be fused: its results have another data type, it has to check its operands, it takes no input
            from the previous step, or its derivative needs metadata, which do not exist for values between two steps.
    """
    for row in rows:
        looks = row.validate is not None or row.numbers or row.masks or row.kind == "overwrite"
        if looks or not dtypes or result(row, dtypes[0]) != dtypes[0]:
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
        first: the row's name of the input that comes from the previous step.
        others: the chain's names of the other inputs, by those of the row.
        attributes: the chain's names of the attributes, by those of the row.
        left_out: the attributes that the kernel does not have; it runs only if they have their defaults.
    """

    def __init__(self, row: Row, before: Step, after: Step) -> None:
        self.row, self.first = row, row.inputs[0]
        self.others = dict(zip(row.inputs[1:], after.inputs[1:], strict=True))
        self.attributes = dict(zip(before.numbers, after.numbers, strict=True))
        self.left_out = {p.name: p.default for p in row.attributes if p.name not in self.attributes}
        self._parameters = {p.name: p for p in named(row, before.expression)}

    @property
    def signature(self) -> Iterator[str]:
        """The attributes, as in the signature of the chain."""
        for old, new in self.attributes.items():
            default = self._parameters[old].default
            yield new if default is Parameter.empty else f"{new}={default!r}"

    @property
    def prepare(self) -> Mapping[str, Any]:
        """The functions that convert the attributes to the kernel's form."""
        return {old: check for old, check in self.row.prepare.items() if old in self.attributes}

    @property
    def needs_metadata(self) -> bool:
        """Whether a rule of the row needs metadata."""
        return any(name.endswith("_meta") for rule in self.row.rules if rule for name in rule.asks)

    @property
    def names(self) -> dict[str, str]:
        """The chain's names of the arguments of this step."""
        return self.others | self.attributes

    def again(self, x: Tensor, given: Mapping[str, Any]) -> Tensor:
        """Computes the result of the step again, in a new storage."""
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
        position: the position of the input among those of the step.
    """

    __slots__ = ("_at", "_links", "_position")

    def __init__(self, links: Sequence[Link], at: int, position: int) -> None:
        self._links, self._at, self._position = links, at, position
        asked = {name for k, each in self._way() for name in self._needed_by(k, each)}
        self.asks = ("g", *sorted(asked))
        self.function = self._gradient

    def _way(self) -> Iterator[tuple[int, Rule | None]]:
        """The steps of backward, from the last one, and the rule of each."""
        for k in range(len(self._links) - 1, self._at, -1):
            yield k, self._links[k].row.rules[0]
        yield self._at, self._links[self._at].row.rules[self._position]

    @property
    def has_no_path(self) -> bool:
        """True if there is no path for a gradient."""
        return any(rule is None for _, rule in self._way())

    def _needed_by(self, k: int, rule: Rule | None) -> Iterator[str]:
        """The chain's inputs, attributes and result that a rule of step `k` needs."""
        link = self._links[k]
        for name in rule.asks if rule else ():
            if name == link.first:
                yield from self._needed_for(k)
            elif name == "out":
                yield from self._needed_for(k + 1)
            elif name in link.names:
                yield link.names[name]

    def _needed_for(self, count: int) -> Iterator[str]:
        """The inputs and attributes that the result of the first `count` steps needs."""
        if count == len(self._links):
            yield "out"
            return
        yield "x"
        for link in self._links[:count]:
            yield from link.names.values()

    def _gradient(self, *values: Any) -> Tensor | None:
        given = dict(zip(self.asks, values, strict=True))
        made: list[Tensor] = [given["x"]] if "x" in given else []  # the results of no step, of one, of two, ...
        g: Tensor | None = given["g"]
        for k, rule in self._way():
            if rule is None or g is None:
                return None
            g = rule.function(*[self._value(name, k, g, given, made) for name in rule.asks])
        return g

    def _value(self, name: str, k: int, g: Tensor, given: Mapping[str, Any], made: list[Tensor]) -> Any:
        """The argument `name` of a rule of step `k`."""
        link = self._links[k]
        if name == "g":
            return g
        if name not in (link.first, "out"):
            return given[link.names[name]] if name in link.names else link.left_out[name]
        count = k + (name == "out")
        if count == len(self._links):
            return given["out"]
        while len(made) <= count:
            made.append(self._links[len(made) - 1].again(made[-1], given))
        return made[count]


def _rules(links: Sequence[Link]) -> Iterator[Rule | None]:
    """The derivative with respect to each input of the chain: the first of the first step, then the others of all steps."""
    for at, link in enumerate(links):
        for position in range(min(at, 1), len(link.row.inputs)):
            rule = ChainRule(links, at, position)
            yield None if rule.has_no_path else rule
