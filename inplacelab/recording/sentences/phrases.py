"""A step with the states before and after it, for sentences and questions, and the parts of a sentence: lists, slots, bytes, shapes, values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from inplacelab.language import Text
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.facts import NodeFacts, Step, TensorFacts, Values
from inplacelab.recording.naming import TEMPORARY, listing, node_label, number_label, tensor_label
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import made
from inplacelab.recording.slots import Runs
from inplacelab.supported import terms_of

MOST_ITEMS = 4
"""A sentence names at most this many runs of slots or kernels, and counts the rest."""
MOST_VALUES = 8

_BLANK = re.compile(r"(?<=）) |(?<=[一-鿿]) (?=[一-鿿])")


def joined(parts: Sequence[Text]) -> Text:
    """Joins sentences. In English, each begins with a capital letter ("The temporary `T5`")."""
    return Text(" ".join(part.en[:1].upper() + part.en[1:] for part in parts), "".join(part.zh for part in parts))


def closed_up(said: Text) -> Text:
    """Removes blanks between Chinese characters: patterns have them around placeholders, which are usually code."""
    return Text(said.en, _BLANK.sub("", said.zh))


def quoted(code: str) -> Text:
    """Puts a name of the program in backticks."""
    return Text(f"`{code}`", f"`{code}`")


def byte_count(number: int) -> Text:
    """Formats a number of bytes: "1 byte", "134,217,728 bytes"."""
    return Text("{0:,} byte" if number == 1 else "{0:,} bytes", "{0:,} 字节").format(number)


def shape(sizes: Sequence[int]) -> str:
    """Formats a shape or strides: "[2, 3]"."""
    return str(list(sizes))


def slots(runs: Runs) -> Text:
    """Formats runs of slots: "slot 3", "slots 0-1 and 4-5"; many scattered slots by their number and range."""
    if len(runs) > MOST_ITEMS:
        count = sum(stop - start for start, stop in runs)
        pattern = Text("{0:,} slots between {1:,} and {2:,}", "第 {1:,} 到 {2:,} 号槽位中的 {0:,} 个")
        return pattern.format(count, runs[0][0], runs[-1][1] - 1)
    spans = [f"{start:,}" if stop - start == 1 else f"{start:,}-{stop - 1:,}" for start, stop in runs]
    which = listing([Text(span, span) for span in spans])
    single = len(runs) == 1 and runs[0][1] - runs[0][0] == 1
    return Text("slot {0}" if single else "slots {0}", "第 {0} 号槽位").format(which)


def values(numbers: Values) -> str:
    """Formats values: "[1, 0.5, ...]", in three significant digits, at most `MOST_VALUES` of them."""
    shown = [number_label(number) for number in numbers[:MOST_VALUES]]
    return f"[{', '.join([*shown, '...'] if len(numbers) > MOST_VALUES else shown)}]"


@dataclass(frozen=True)
class StepContext:
    """Step `index` of `recording`, with the states around it. Several steps may be taken as one, which is then given, with the index of
    the `first`.
    """

    recording: Recording
    index: int
    first: int | None = None
    as_one: Step | None = None

    @cached_property
    def after(self) -> State:
        """What was alive after the step."""
        return self.recording.state(self.index)

    @cached_property
    def before(self) -> State:
        """What was alive before it: nothing before the first step."""
        return self.recording.before(self.after.step.index if self.first is None else self.first)

    @property
    def step(self) -> Step:
        """The step itself."""
        return self.as_one or self.after.step

    @property
    def result(self) -> TensorFacts | None:
        """The result of an operation; the tensor written, if it returned none (`x[0] = 5`)."""
        written = (write.tensor for write in self.step.writes)
        output = self.step.output if self.step.output is not None else next(written, None)
        return None if output is None else self.after.tensors.get(output)

    def in_framework_words(self, pattern: Text) -> Text:
        """Returns a text in the framework's terms (see `Terms.in_framework_words`)."""
        return terms_of(self.recording).in_framework_words(pattern)

    def label(self, tensor: TensorFacts, names: tuple[str, ...] | None = None) -> Text:
        """Returns `tensor_label` in the framework's terms."""
        named = tensor.names if names is None else names
        return tensor_label(tensor, named) if named else self.in_framework_words(tensor_label(tensor, named))

    def tensor_before(self, tensor: int) -> TensorFacts | None:
        """Returns a tensor's facts before the step; None if it is new."""
        return self.before.tensors.get(tensor)

    def node(self, node: int) -> NodeFacts | None:
        """Returns a node's facts after the step, or before it if the node is gone; None if it is unknown."""
        return self.after.nodes.get(node) or self.before.nodes.get(node)

    @property
    def head(self) -> Text:
        """The beginning of a sentence: "Line 5 `scale_`"."""
        line, op = self.step.line, code_of(self.recording, self.step)
        if line is None:
            return Text("`{0}`", "`{0}` ").format(op)
        return Text("Line {0} `{1}`", "第 {0} 行的 `{1}` ").format(line, op) if self.step.op else self.line

    @property
    def line(self) -> Text:
        """The line, as "Line 5"."""
        number = self.step.line
        return Text("This step", "这一步") if number is None else Text("Line {0}", "第 {0} 行").format(number)

    def listed(self, tensors: Iterable[int], called: Callable[[int], Text]) -> Text:
        """Names tensors, all of them, those without a name last: "`a`, `b` and the temporaries `T3`, `T5` and `T6`".

        Args:
            tensors: their numbers, at least one.
            called: what one of them is called.
        """
        all_of_them = dict.fromkeys(tensors)
        temporary = self.in_framework_words(TEMPORARY)
        nameless = [key for key in all_of_them if called(key) == temporary.format(key)]
        if len(nameless) < 2:  # one is named like any other
            return listing([called(key) for key in all_of_them])
        pattern = self.in_framework_words(Text("the temporaries {0}", "临时张量 {0}"))
        labels = [quoted(f"T{key}") for key in nameless]
        temporaries = pattern.format(Text(listing(labels).en, "、".join(label.zh for label in labels)))
        return listing([*(called(key) for key in all_of_them if key not in nameless), temporaries])

    def called_apart(self, tensor: int, result: int) -> Text:
        """Returns what a tensor is called before the step, told apart from a result that takes over its name: "the former `x`"."""
        called = self.called_before(tensor)
        return Text("the former {0}", "原来的 {0}").format(called) if called == self.called(result) else called

    def called_after(self, tensor: int) -> Text:
        """Returns what a tensor is called after the step."""
        facts = self.after.tensors.get(tensor)
        return self.called_before(tensor) if facts is None else self.label(facts)

    def called_before(self, tensor: int) -> Text:
        """Returns the tensor's names when the step began. A temporary has the name that its line will bind: in
        `y = x.exp().relu_()` every operation works on `y`.
        """
        facts = self.tensor_before(tensor) or self.after.tensors.get(tensor)
        if facts is None and tensor in made(self.recording):  # it lived only during the steps that are taken as one
            return self.in_framework_words(TEMPORARY).format(tensor)
        if facts is None:  # tensors of the program are recorded before they are used, so this is the 2 of `x * 2`
            return Text("a constant", "一个常数")
        return self.label(facts, facts.names or self._shown_by_line_end(tensor))

    def called_until_now(self, tensor: int) -> Text:
        """Returns what a tensor is called before the step is shown, for a question about it."""
        facts, called = self.tensor_before(tensor), self.before.called(tensor)
        if facts is None:
            return self.called_before(tensor)
        return self.label(facts, called.shown if called.names else ())

    def called(self, tensor: int) -> Text:
        """Returns what a tensor is called when the current line is done: in `v = b[0]` the view is `v` as soon as it exists.

        A name that another step of the line has yet to bind is written as pending: `→v`.
        """
        facts, was = self.after.tensors.get(tensor), self.tensor_before(tensor)
        if facts is None:
            return self.called_before(tensor)
        now = self._shown_by_line_end(tensor)
        if was is None or not was.names or not now or {*was.names} & {*now}:
            return self.label(facts, now)
        return Text("{0} (from now on {1})", "{0}（此后名为 {1}）").format(self.label(was), self.label(facts, now[:1]))

    def called_shortly(self, tensor: int) -> Text:
        """Returns the first of a tensor's names, for a second mention."""
        facts = self.tensor_before(tensor) or self.after.tensors.get(tensor)
        return self.label(facts, facts.names[:1]) if facts and facts.names else self.called(tensor)

    def called_node(self, node: int) -> Text:
        """Returns a node's name, and its line if that is not the current one."""
        facts = self.node(node)
        return node_label(self.after, facts, self.step.place) if facts else Text("a grad node", "某个梯度节点")

    def names_by_line_end(self, tensor: int) -> tuple[str, ...]:
        """Returns a tensor's names after the last step of this operation's line."""
        called = self.after.called(tensor)
        if not called.bound or self.step.kind != "operation":
            return called.names
        facts = self.recording.tensor_by_line_end(tensor, self.step.index)
        return (facts.names or called.names) if facts else called.names

    def _shown_by_line_end(self, tensor: int) -> tuple[str, ...]:
        """Returns these names as shown, with arrows for pending ones."""
        called = self.after.called(tensor)
        return called.shown if called.coming else self.names_by_line_end(tensor)
