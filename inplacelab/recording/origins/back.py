"""Answers where a number comes from: the elements that it was computed from in the last step that wrote its slot, with the arithmetic, `130 = 13 · 10`.

An operation without a pattern is written by its name: `5 = gcd(10, 15)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from inplacelab.dependence import Dependence, adds_first
from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.computed_from import (
    MOST_LOOKED_AT,
    MOST_OPERAND_ELEMENTS,
    OperandElement,
    for_element,
    operand_elements,
)
from inplacelab.recording.facts import Number, Step, TensorFacts
from inplacelab.recording.naming import number_label
from inplacelab.recording.origins.elements import (
    Arrival,
    How,
    arrival_at,
    asked_for,
    element_at,
    index_of,
    number_of,
    slots_of_element,
    value_in_slot,
    value_of,
    written_index,
)
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import common_runs

MOST_TERMS = 6
"""A sum of more terms is counted, not written out."""

DISTANCES = frozenset({"cdist", "pairwise_distance", "cosine_similarity"})
"""Depend on what sums of products depend on, and are none."""

PATTERNS: Mapping[str, str] = {
    "add": "{0} + {1}", "subtract": "{0} - {1}", "multiply": "{0} · {1}", "divide": "{0} / {1}", "rsub": "{1} - {0}", "rtruediv": "{1} / {0}",
    "scale": "{0} · {scale}", "neg": "-{0}", "square": "{0}²", "pow": "{0} ^ {1}", "rpow": "{1} ^ {0}", "sqrt": "√{0}", "reciprocal": "1 / {0}",
    "rsqrt": "1 / √{0}", "abs": "|{0}|", "maximum": "max({0})", "minimum": "min({0})", "lerp": "{0} + {2} · ({1} - {0})",
    **{name: f"{name}({{0}})" for name in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "relu")},
}  # fmt: skip
"""How an element-wise operation is written, with the operands as {0}, {1} and the numbers beside them by name."""
COPIES = frozenset({
    "clone", "copy", "assign", "cast", "to", "setitem", "set_value", "getitem", "reshape", "flatten", "expand", "expand_as", "contiguous", "astype", "type", "float", "double",
    "broadcast_to", "detach", "assign_out", "set_tensor", "copy_to",
})  # fmt: skip
"""Operations that leave numbers as they are."""
_OTHER_NAMES = {
    **{sign + ending: name for sign, name in {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "**": "pow"}.items() for ending in ("", "=")},
    "mul": "multiply", "imul": "multiply", "rmul": "multiply", "sub": "subtract", "isub": "subtract", "div": "divide", "truediv": "divide",
    "true_divide": "divide", "idiv": "divide", "itruediv": "divide", "iadd": "add", "radd": "add", "negative": "neg", "matmul": "matmul", "amax": "max",
    "amin": "min", "rdivide": "rtruediv", "rdiv": "rtruediv", "swish": "silu", "clamp": "clip", "clamp_min": "clip", "clamp_max": "clip", "absolute": "abs",
    "sgn": "sign", "p_norm": "norm", "vector_norm": "norm", "linalg_norm": "norm", "linalg_vector_norm": "norm", "mean_all": "mean", "log_sigmoid": "logsigmoid",
    "bce_loss": "binary_cross_entropy", "fmax": "maximum", "fmin": "minimum", "mod": "remainder", "fmod": "remainder", "rms_norm_": "rms_norm", "tanh_shrink": "tanhshrink", "special_expit": "sigmoid",
    "float_power": "pow", "threshold": "thresholded_relu", "_threshold": "thresholded_relu", "kldiv_loss": "kl_div",
}  # fmt: skip


def plain_name(op: str | None) -> str:
    """Returns the name of an operation without the underscore of an in-place one, and without a framework's other name for it.

    >>> plain_name("mul_"), plain_name("scale_")
    ('multiply', 'scale')
    """
    bare = (op or "?").rstrip("_").removeprefix("_foreach_")
    return _OTHER_NAMES.get(bare, bare)


def arithmetic(op: str | None, depends: Dependence, operands: Sequence[Number | None], result: Number | None) -> Text:
    """Returns how an element was computed: "130 = 13 · 10", "15 = 6 + 3 + 6", "70 = sum of 12 products".

    Args:
        op: the operation.
        depends: how it depends on its operands.
        operands: the values of its origins, in the order of the arithmetic; None for those that were not recorded.
        result: its value; None if it was not recorded.
    """
    shown = [_shown(each) for each in operands]
    left = Text("{0} = ", "{0} = ").format(_shown(result))
    return left + _right(plain_name(op), depends, shown)


def _shown(value: Number | None) -> str:
    return "?" if value is None else number_label(value)


def signed(value: str) -> str:
    """A number after an operator, in brackets if it is negative."""
    return f"({value})" if value.startswith("-") else value


_MOVES = ("moved", "written", "chosen", "reordered", "joined", "stacked")
"""Rules by which an element is another one, if it has one origin."""


def _right(op: str, depends: Dependence, shown: Sequence[str]) -> Text:
    if depends.how in ("constant", "drawn") or not shown:
        return _DRAWN if depends.how == "drawn" else _CONSTANT
    if len(shown) == 1 and (op in COPIES or depends.how in _MOVES):
        return _same(shown[0])
    if depends.weights and len(depends.weights) == len(shown) <= MOST_TERMS:
        return _same(_weighted(depends.weights, shown))
    if depends.how == "contracted" and op not in DISTANCES:
        return _products(depends, shown)
    if depends.how == "pointwise" and op in PATTERNS:
        return _same(_pointwise(op, depends, shown))
    return _collected(op, depends, shown)


def _collected(op: str, depends: Dependence, shown: Sequence[str]) -> Text:
    """Of an operation that makes one number of many."""
    if depends.how == "written" and op in ADDING:
        op = _combining(depends)
    if op in ("sum", "cumsum"):
        return _sum(shown)
    if op == "mean":
        return Text("({0}) / {1}", "({0}) / {1}").format(_sum(shown), len(shown))
    if op in ("prod", "cumprod") and len(shown) <= MOST_TERMS:
        return _same(" · ".join([shown[0], *map(signed, shown[1:])]))
    return _named(op, shown)


def _combining(depends: Dependence) -> str:
    """How the numbers that were written to one place were made one."""
    if depends.rule:
        return "max" if depends.rule == "largest" else "min"
    names = {each.name for each in depends.given}
    return "prod" if "product" in names else "mean" if "mean" in names else "sum"


_DRAWN = Text("drawn here", "在此处随机取得")
_CONSTANT = Text("a number of the program", "程序中给出的数")
ADDING = frozenset(
    {"index_add", "scatter_nd_add", "scatter_add", "put_along_axis", "index_put", "scatter", "put", "scatter_reduce"}
)


def _same(said: str) -> Text:
    return Text(said, said)


def _named(op: str, shown: Sequence[str]) -> Text:
    if len(shown) <= MOST_TERMS:
        return _same(f"{op}({', '.join(shown)})")
    return Text("{0} of {1} numbers", "{1} 个数的 {0}").format(op, len(shown))


def _sum(shown: Sequence[str]) -> Text:
    if len(shown) > MOST_TERMS:
        return Text("sum of {0} numbers", "{0} 个数之和").format(len(shown))
    return _same(" + ".join([shown[0], *map(signed, shown[1:])]))


def products_of(equation: str) -> tuple[int, int]:
    """Returns how many numbers are added to the products of an equation, 0 or 1, and how many factors a product has."""
    terms, added = equation.removeprefix("+").partition("->")[0].split(","), adds_first(equation)
    return int(added and terms[0] != "-"), len(terms) - added


def _weighted(weights: Sequence[Number], shown: Sequence[str]) -> str:
    first, *others = [
        value if weight == 1 else f"{number_label(weight)} · {signed(value)}"
        for weight, value in zip(weights, shown, strict=True)
    ]
    return " + ".join([first, *map(signed, others)])


def _products(depends: Dependence, shown: Sequence[str]) -> Text:
    added, factors = products_of(depends.text)
    each = [shown[k : k + factors] for k in range(added, len(shown), factors)]
    given = {each.name: each.value for each in depends.given}
    if factors == 1:
        return _sum(shown)
    if given.get("alpha", 1) != 1 or given.get("beta", 1) not in (0, 1) or len(each) * factors > MOST_TERMS:
        return Text("sum of {0} products", "{0} 个乘积之和").format(len(each))
    products = [" · ".join([first, *map(signed, others)]) for first, *others in each]
    return _same(" + ".join([*shown[:added], *products]))


def _pointwise(op: str, depends: Dependence, shown: Sequence[str]) -> str:
    given = {each.name: each.value for each in depends.given}
    extra = [number_label(value) for name, value in given.items() if name in ("y", "other", "exponent", "weight")]
    if op == "pow" and len(shown) == 1 and extra == ["2"]:
        op = "square"
    wanted = len(set(re.findall(r"\{\d\}", PATTERNS[op])))
    numbers = [*shown, *extra][: max(wanted, len(shown))]
    if op == "scale":
        return _scaled(shown[0], given)
    if op in ("maximum", "minimum"):
        return f"{op[:3]}({', '.join([*shown, *extra][:2])})"
    if op in ("add", "subtract") and given.get("alpha", 1) != 1 and len(numbers) > 1:
        numbers[1] = f"{number_label(given['alpha'])} · {signed(numbers[1])}"
    if op == "multiply" and len(numbers) > 2:
        return " · ".join(numbers)
    if len(numbers) != wanted:
        return f"{op}({', '.join(numbers)})"
    tight = op not in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "relu", "abs")
    return PATTERNS[op].format(
        *(
            [numbers[0], *map(signed, numbers[1:])]
            if len(numbers) > 1
            else [signed(numbers[0]) if tight else numbers[0]]
        )
    )


def _scaled(x: str, given: Mapping[str, Number]) -> str:
    factor, bias = given.get("scale", 1.0), given.get("bias", 0.0)
    after = bool(given.get("bias_after_scale", 1))
    if not after and bias:
        return f"({x} + {signed(number_label(bias))}) · {signed(number_label(factor))}"
    product = f"{x} · {signed(number_label(factor))}" if factor != 1 or not bias else x
    return f"{product} + {signed(number_label(bias))}" if bias else product


@dataclass(frozen=True, slots=True)
class Origin:
    """An element from which a number was computed, as it was before the step that computed it.

    Attributes:
        tensor: the number of the tensor through which it was read.
        index: its index in that tensor.
        storage, slot: where it is.
        step: the last step before it was read; -1 if it was read in the first one.
        version: the version counter then; None if it is not known.
        value: its value then; None if it was not recorded.
        called: how the program calls it: "`row[0]`".
    """

    tensor: int
    index: tuple[int, ...]
    storage: int
    slot: int
    step: int
    version: int | None
    value: Number | None
    called: Text


@dataclass(frozen=True, slots=True)
class Computed:
    """How the number in a slot came to be there.

    Attributes:
        storage, slot: the slot.
        step: the step that put it there; -1 if it was there before the recording.
        place: where that step was; None if it is not known.
        op: the operation; None if none put it there.
        version: the version of the storage after the step; None if it is not known.
        value: the number; None if it was not recorded.
        how: "computed" from the origins; "made" by an operation that reads no tensor, "drawn" at random, "written" as a number of the
            program; put there by a "backward" pass; there "before"; "unseen", written by what was not recorded; or "not known": the
            operation declares nothing.
        origins: the elements that it was computed from, in the order of the arithmetic.
        more: whether it has more origins than are listed.
        arithmetic: how it was computed: "130 = 13 · 10"; None if it was not.
    """

    storage: int
    slot: int
    step: int
    place: Place | None
    op: str | None
    version: int | None
    value: Number | None
    how: How | str
    origins: tuple[Origin, ...] = ()
    more: bool = False
    arithmetic: Text | None = None

    @property
    def line(self) -> int | None:
        """Its line; None if it is not known."""
        return None if self.place is None else self.place.line


def origins(recording: Recording, tensor: str | TensorFacts, index: Sequence[int], step: int = -1) -> Computed:
    """Returns where an element comes from.

    Args:
        recording: the recording.
        tensor: the learner's name for a tensor, or its facts.
        index: the element's index, one whole number for each axis.
        step: the step after which to look, counted from 0; negative numbers count from the end.

    Returns:
        How it was computed in the last step that wrote its slot. Its origins are elements that can influence it; where positions depend
        on values (an index, a mask, the largest element) they are taken as they were.

    Raises:
        IndexError: if there is no such step, or no such element.
        KeyError: if no tensor has that name at that step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.to_tensor([13., 2.])
    ...     y = x * 10.
    >>> found = origins(rec.recording, "y", (0,))
    >>> print(found.arithmetic.en, [each.called.en for each in found.origins])
    130 = 13 · 10 ['`x[0]`']
    """
    state, facts = asked_for(recording, tensor, step)
    number = number_of(state, facts, index)
    return computed(recording, facts.storage, slots_of_element(state, facts, number)[0], state.step.index)


def computed(
    recording: Recording, storage: int, slot: int, step: int, *, most: int = MOST_OPERAND_ELEMENTS
) -> Computed:
    """Returns how the number came to be there that a slot held after a step.

    Args:
        recording: the recording.
        storage: the storage's number.
        slot: the slot.
        step: the step's index; -1 for the time before the first step.
        most: how many origins are listed.
    """
    known, arrival = recording.once(_found), arrival_at(recording, storage, slot, step)
    came = storage, slot, -1 if arrival is None else arrival.step
    found = known.get((*came, MOST_OPERAND_ELEMENTS))
    if found is None or (found.more and most != MOST_OPERAND_ELEMENTS):
        found = known.get((*came, most)) or _computed(recording, storage, slot, arrival, step, most)
    if found.value is not None:  # a value that was not recorded at once may be known later
        known[*came, most] = found
    return found


def _found(_: Recording) -> dict[tuple[int, int, int, int], Computed]:
    return {}


def _computed(recording: Recording, storage: int, slot: int, arrival: Arrival | None, upto: int, most: int) -> Computed:
    if arrival is None or arrival.step < 0:
        return Computed(storage, slot, -1, None, None, None, value_in_slot(recording, storage, slot, upto), "before")
    step, after = recording.steps[arrival.step], recording.state(arrival.step)
    version = next(iter(after.versions(storage)), None)
    write = next((each for each in step.writes if each.storage == storage), None)
    value = value_in_slot(recording, storage, slot, arrival.step)
    op = step.op if arrival.how in ("computed", "made") else None
    if value is None:
        value = value_in_slot(recording, storage, slot, upto)
    found = partial(Computed, storage, slot, step.index, step.place, op, write.after if write else version, value)
    if arrival.how != "computed":
        return found(arrival.how)
    depends = step.depends
    used = None if depends is None else _elements_used(recording, step, arrival, slot)
    if depends is None or used is None:
        return found("not known")
    kept = tuple(each for one in used[:most] for each in _read(recording, step, one))
    how = "drawn" if depends.how == "drawn" else "computed" if kept else "made" if step.op in _UNFILLED else "written"
    if depends.rule or len(used) > min(most, MOST_OPERAND_ELEMENTS):
        compared = used if not depends.rule else _compared(recording, step, arrival, slot)
        values = _values(recording, step, compared)
    else:
        values = [each.value for each in kept]
    said = arithmetic(step.op, _of_slot(recording, step, arrival, slot), values, value)
    return found(how, kept, len(used) > most, said)


_UNFILLED = ("empty_like", "new_empty")
"""Operations that leave in memory what was there."""


def _of_slot(recording: Recording, step: Step, arrival: Arrival, slot: int) -> Dependence:
    """How what a step put into a slot depends on its operands, with the weights of this element."""
    assert step.depends is not None
    if not step.depends.weights or arrival.tensor is None:
        return step.depends
    after = recording.state(step.index)
    output = _facts(recording, step, arrival.tensor, after)
    element = None if output is None else element_at(after, output, slot)
    return step.depends if element is None else for_element(step.depends, element)


def _values(recording: Recording, step: Step, used: Sequence[OperandElement]) -> list[Number | None]:
    """The values of what a step used; of very many, which are only counted, none."""
    if len(used) > MOST_OPERAND_ELEMENTS:
        return [None] * len(used)
    return [each.value for one in used for each in _read(recording, step, one)]


def _compared(recording: Recording, step: Step, arrival: Arrival, slot: int) -> Sequence[OperandElement]:
    """The elements among which the largest, or smallest, was chosen."""
    assert step.depends is not None
    every = replace(step, depends=replace(step.depends, rule=""))
    return _elements_used(recording, every, arrival, slot) or ()


def _elements_used(recording: Recording, step: Step, arrival: Arrival, slot: int) -> Sequence[OperandElement] | None:
    """What a step used for what it put into a slot; None if that is not known."""
    after = recording.state(step.index)
    output = None if arrival.tensor is None else _facts(recording, step, arrival.tensor, after)
    element = None if output is None else element_at(after, output, slot)
    if output is None or element is None:
        return None
    return elements_in_step(recording, step, output, element)


def elements_in_step(
    recording: Recording, step: Step, output: TensorFacts, element: int
) -> tuple[OperandElement, ...] | None:
    """Returns the operands' elements from which a step computed an element; None if that is not known, or they are too many."""
    depends, operands = step.depends, operands_of(recording, step)
    if depends is None or has_unknown_operand(recording, step):
        return None

    def value(operand: int, number: int) -> Number | None:
        facts = operands[operand]
        return None if facts is None else _value_read(recording, step, facts, number)

    shapes = [() if each is None else each.shape for each in operands]
    try:
        result = value_of(recording.state(step.index), output, element) if depends.rule == "kept" else None
        found = operand_elements(depends, shapes, output.shape, element, value, result=result, most=MOST_LOOKED_AT)
        return None if found is None else tuple(each for each in found if operands[each.operand] is not None)
    except (IndexError, KeyError, ValueError):  # the facts of a file may disagree
        return None


def operands_of(recording: Recording, step: Step) -> list[TensorFacts | None]:
    """Returns the operands of a step as they were before it; None for a number that was made a tensor for this step."""
    before, after = recording.before(step.index), recording.state(step.index)
    return [before.tensors.get(key) or after.tensors.get(key) for key in step.inputs]


def has_unknown_operand(recording: Recording, step: Step) -> bool:
    """Returns whether a step read a storage of the program through a tensor of which nothing was recorded."""
    before = recording.before(step.index)
    seen = {key for key, facts in zip(step.inputs, operands_of(recording, step), strict=True) if facts is not None}
    return any(each.tensor not in seen and each.storage in before.storages for each in step.reads)


def reads_what_it_overwrites(recording: Recording, step: Step) -> bool:
    """Returns whether a step wrote a tensor while it read the same slots through another one, as Paddle's `x.subtract_(x[0])` does."""
    first, *others = [*operands_of(recording, step), None]
    if step.category != "in-place" or step.depends is not None or first is None:
        return False
    return any(each is not None and each.id != first.id and each.storage == first.storage for each in others)


def _facts(recording: Recording, step: Step, tensor: int, after: State) -> TensorFacts | None:
    return after.tensors.get(tensor) or recording.before(step.index).tensors.get(tensor)


def _read(recording: Recording, step: Step, used: OperandElement) -> Iterator[Origin]:
    """What a step read: the slots of an element of an operand."""
    before, after = recording.before(step.index), recording.state(step.index)
    facts = operands_of(recording, step)[used.operand]
    assert facts is not None  # checked by `elements_in_step`
    there = before if facts.storage in before.storages else after
    index = index_of(facts.shape, used.element)
    raised = next((each for each in step.writes if each.counter == facts.counter), None)
    counter = there.counters.get(facts.counter)
    version = raised.before if raised is not None else None if counter is None else counter.version
    value = _value_read(recording, step, facts, used.element)
    for slot in slots_of_element(there, facts, used.element):
        yield Origin(facts.id, index, facts.storage, slot, step.index - 1, version, value, called(there, facts, index))


def _value_read(recording: Recording, step: Step, facts: TensorFacts, element: int) -> Number | None:
    """An element's value as a step read it; None if it was not recorded, because the step that first saw its storage wrote it, too."""
    before = recording.before(step.index)
    if facts.storage in before.storages:
        return value_of(before, facts, element)
    after = recording.state(step.index)
    slots = slots_of_element(after, facts, element)
    written = (each.slots for each in step.writes if each.storage == facts.storage)
    overwritten = any(common_runs(((slots.start, slots.stop),), runs) for runs in written)
    return None if overwritten else value_of(after, facts, element)


def called(state: State, tensor: TensorFacts, index: Sequence[int]) -> Text:
    """Returns how the program calls an element: "`row[0]`"; of a tensor without a name "`T5[0]`"."""
    name = f"`{state.called(tensor.id).first}{written_index(index)}`"
    return Text(name, name)
