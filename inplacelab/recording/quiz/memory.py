"""What a question is, and questions about writes (who sees one, what the version is) and memory: in which storage a result is, how many bytes are live."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from inplacelab.language import Text
from inplacelab.recording.facts import CounterFacts, StorageFacts, TensorFacts, WriteFacts
from inplacelab.recording.naming import listing, storage_label
from inplacelab.recording.queries import changed_values, tensors_counted_by, visible_values
from inplacelab.recording.recording import State
from inplacelab.recording.sentences.phrases import StepContext, byte_count, closed_up, joined, quoted, slots
from inplacelab.recording.slots import common_runs, slot_runs

Kind = Literal["values", "stale", "raises", "version", "shares", "node", "bytes", "origins", "reaches"]
"""What a question is about:

* "values": which named tensors will show other values?
* "stale": which saved tensors will backward find overwritten?
* "raises": will backward raise, and at which node; or will this line be refused?
* "version": what will the storage's version be?
* "shares": in which storage will the result be: is it a view or a copy?
* "node": which grad node will a tensor come from?
* "bytes": how many bytes will be live?
* "origins": from which elements will a number be computed?
* "reaches": on which elements of a leaf does the root of the backward pass not depend?
"""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""All kinds, those that teach most first."""

MOST_OPTIONS = 6
"""A question has at most this many options, so that they can be read at a glance."""

Option = tuple[Text, bool]
"""An answer to choose, and whether it is right."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a step, asked before the step is shown.

    Attributes:
        step: the index of the step that the question is about.
        kind: what it is about; no step has two questions of one kind.
        ask: the question.
        options: the answers to choose from, in a fixed order.
        several: True if any number of the options may be right, False if exactly one is.
        right: the positions of the right options; never empty.
        why: the explanation, shown after the answer.
        about: what it concerns in the picture: "s1" is storage 1, "t2" tensor 2, "n3" grad node 3.
    """

    step: int
    kind: Kind
    ask: Text
    options: tuple[Text, ...]
    several: bool
    right: tuple[int, ...]
    why: Text
    about: tuple[str, ...]


def a_question(
    context: StepContext, kind: Kind, ask: Text, options: Sequence[Option], why: Text, about: Sequence[str], *,
    several: bool = False,
) -> Question | None:  # fmt: skip
    """Makes a question from its options.

    Returns:
        The question; None if there is only one option, none is right, or two have the same text.
    """
    texts = tuple(closed_up(text) for text, _ in options)
    right = tuple(position for position, (_, is_right) in enumerate(options) if is_right)
    readable = all(len({getattr(text, language) for text in texts}) == len(texts) for language in ("en", "zh"))
    if len(texts) < 2 or not right or not readable or (len(right) > 1 and not several):
        return None
    return Question(
        context.step.index, kind, closed_up(ask), texts, several, right, closed_up(why), tuple(dict.fromkeys(about))
    )


def named(context: StepContext) -> list[TensorFacts]:
    """Returns the tensors with a name before the step that are alive after it, with their facts before it."""
    return [tensor for tensor in context.before.tensors.values() if tensor.names and tensor.id in context.after.tensors]


def learners_write(context: StepContext) -> bool:
    """Whether the step is an in-place operation of the learner's program."""
    step = context.step
    return step.kind == "operation" and step.category in ("in-place", "relayout")


def on_storage(context: StepContext, storage: int) -> Text:
    """Labels a storage with the first name of each tensor on it: "S1 (`a` and `v`)"; with temporaries if no tensor has a name."""
    called = [context.before.called(tensor.id) for tensor in context.before.tensors_on(storage)]
    names = [each.first for each in called if each.names] or [each.first for each in called]
    label = storage_label(storage)
    if not names:
        return Text(label, label)
    return Text("{0} ({1})", "{0}（{1}）").format(label, listing([quoted(name) for name in names]))


# --- values --------------------------------------------------------------------------------------------------------


def values(context: StepContext) -> Question | None:
    """Asks which tensors will show other values.

    Asked about a write that another named tensor on the same storage may see. The other options are tensors on other
    storages. Not asked if values were not recorded, if it is not known which slots were written, or if no tensor changes.
    """
    write = next((write for write in context.step.writes if write.slots), None)
    if write is None or write.slots_are == "around" or not learners_write(context):
        return None
    sharing = [tensor for tensor in named(context) if tensor.storage == write.storage]
    seen_by_another = any(tensor.id != write.tensor for tensor in sharing)
    if not seen_by_another or not all(_recorded(context, tensor) for tensor in sharing):
        return None
    shown = _shown(context, sharing)
    changed = {*changed_values(context.recording, context.index)}
    options = [(context.called_until_now(tensor.id), tensor.id in changed) for tensor in shown]
    ask = Text("Which of these tensors will show other values?", "其中哪些张量的值会改变？")
    about = [f"t{tensor.id}" for tensor in shown if tensor.id in changed]
    return a_question(
        context,
        "values",
        context.in_framework_words(ask),
        options,
        _who_sees(context, write, shown, changed),
        about,
        several=True,
    )


def _recorded(context: StepContext, tensor: TensorFacts) -> bool:
    before, now = context.before, context.after.tensors.get(tensor.id)
    if now is None or visible_values(before, tensor) is None:
        return False
    return visible_values(context.after, now) is not None


def _shown(context: StepContext, sharing: list[TensorFacts]) -> list[TensorFacts]:
    """Returns the tensors to offer, those on the storage before others, sorted by number so that none stands out."""
    ids = {tensor.id for tensor in sharing}
    others = [tensor for tensor in named(context) if tensor.id not in ids and _recorded(context, tensor)]
    return sorted([*sharing, *others][:MOST_OPTIONS], key=lambda tensor: tensor.id)


def _who_sees(context: StepContext, write: WriteFacts, shown: list[TensorFacts], changed: Collection[int]) -> Text:
    def listed(pattern: Text, tensors: Iterable[TensorFacts]) -> list[Text]:
        called = [context.called_before(tensor.id) for tensor in tensors]
        return [pattern.format(listing(called), storage_label(write.storage))] if called else []

    still = [tensor for tensor in shown if tensor.id not in changed]
    here = [tensor for tensor in still if tensor.storage == write.storage]
    reaching = [tensor for tensor in here if common_runs(slot_runs(tensor), write.slots)]
    wrote = Text("{head} writes {slots} of {storage}.", "{head}写入 {storage} 的{slots}。")
    return joined(
        [
            wrote.format(head=context.head, slots=slots(write.slots), storage=storage_label(write.storage)),
            *listed(_THERE, (tensor for tensor in shown if tensor.id in changed)),
            *listed(_SAME_AGAIN, reaching),
            *listed(_BESIDE, (tensor for tensor in here if tensor not in reaching)),
            *listed(_ELSEWHERE, (tensor for tensor in still if tensor.storage != write.storage)),
        ]
    )


_THERE = Text("Elements of {0} lie there.", "{0} 有元素落在这些槽位上。")
_SAME_AGAIN = Text("What is written is what {0} showed already.", "写入的值与 {0} 原来的值相同。")
_BESIDE = Text(
    "No element of {0} lies there, though the storage is the same.", "{0} 虽在同一个存储上，却没有元素落在那里。"
)
_ELSEWHERE = Text("Not on {1} at all: {0}.", "{0} 不在 {1} 上。")


# --- version -------------------------------------------------------------------------------------------------------


def version(context: StepContext) -> Question | None:
    """Asks what the version of the storage will be.

    Asked if a counter rises, and if it might be expected to: about the storage that a tensor leaves when an
    operation is in place in name only. The other options are the versions around it.
    """
    counter = _counted(context)
    before = context.before.counters.get(counter) if counter is not None else None
    after = context.after.counters.get(counter) if counter is not None else None
    if before is None or after is None:
        return None
    is_raised = any(write.counter == counter and write.before != write.after for write in context.step.writes)
    if is_raised != (before.version != after.version):
        return None  # the recording contradicts itself
    if not is_raised and context.step.category != "reallocated":
        return None
    storage = after.storage
    found = sorted({before.version, before.version + 1, before.version + 2, after.version})
    options = [(Text(f"v{number}", f"v{number}"), number == after.version) for number in found]
    ask = Text("What will the version of {0} be?", "{0} 的版本号会是多少？")
    why = _raised(context, after) if before.version != after.version else _spared(context, storage)
    return a_question(context, "version", ask.format(on_storage(context, storage)), options, why, [f"s{storage}"])


def _counted(context: StepContext) -> int | None:
    """Returns the counter to ask about; None if there is none."""
    step = context.step
    if learners_write(context):
        return next((write.counter for write in step.writes if write.before != write.after), None)
    if step.kind == "operation" and step.category == "reallocated" and step.output is not None:
        was, now = context.tensor_before(step.output), context.after.tensors.get(step.output)
        return was.counter if was and now and now.storage not in context.before.storages else None
    return None


def _raised(context: StepContext, counter: CounterFacts) -> Text:
    write = next(write for write in context.step.writes if write.counter == counter.id and write.before != write.after)
    many = Text(
        "A write raises the counter once, however many slots it writes: {0} goes from v{1} to v{2}.",
        "无论写了多少个槽位，一次写入只使版本号增加一次：{0} 从 v{1} 变为 v{2}。",
    )
    none = Text(
        "No slot is written, but an in-place operation raises the counter all the same: {0} goes from v{1} to v{2}.",
        "虽然没有写任何槽位，原地操作仍会使版本号增加：{0} 从 v{1} 变为 v{2}。",
    )
    said = (many if write.slots else none).format(storage_label(write.storage), write.before, write.after)
    sharers = [context.called_before(tensor.id) for tensor in tensors_counted_by(context.after, counter.id)]
    if len(sharers) < 2:
        return said
    if len(context.after.versions(counter.storage)) > 1:
        shared = Text("{0} share this counter.", "{0} 共享这个版本号。")
    else:
        shared = Text("The counter belongs to the storage: {0} share it.", "版本号属于存储，由 {0} 共享。")
    return joined([said, shared.format(listing(sharers))])


def _spared(context: StepContext, storage: int) -> Text:
    assert context.step.output is not None  # checked by `_counted`
    pattern = Text(
        "{0} is in place in name only: {1} moves to a storage of its own, and {2} is not written.",
        "{0}只是名义上的原地操作：{1} 搬到自己的新存储，{2} 没有被写入。",
    )
    return pattern.format(context.head, context.called_before(context.step.output), storage_label(storage))


_LOOKALIKES = {
    "getitem", "__getitem__", "reshape", "flatten", "clone", "contiguous", "astype", "cast", "to", "gather",
    "index_select", "take_along_axis", "expand", "tile", "broadcast_to",
}  # fmt: skip
"""Operations that return the elements of their input and can be mistaken for views when they copy."""

_MOST_STORAGES = 3


# --- view or copy --------------------------------------------------------------------------------------------------


def shares(context: StepContext) -> Question | None:
    """Asks in which storage the result will be.

    Asked about views, copies that could be mistaken for views (`reshape`, indexing with a list), operations that return
    their input itself, and operations that are in place in name only. The other options are the storages of the inputs
    and of other named tensors, or a new one.
    """
    step, before = context.step, context.before
    result = context.after.tensors.get(step.output) if step.output is not None else None
    if step.kind != "operation" or step.phase != "forward" or result is None or not step.inputs:
        return None
    if not _instructive(context, before, result):
        return None
    old = _storages_to_choose(context, before, result)
    options = [
        (Text("in {0}", "在 {0} 中").format(on_storage(context, storage)), storage == result.storage) for storage in old
    ]
    options.append((Text("in a new storage", "在一个新存储中"), result.storage not in before.storages))
    if step.category == "reallocated":
        ask = Text("Where will the elements of {0} lie?", "{0} 的元素会在哪里？").format(
            context.called_until_now(result.id)
        )
    else:
        ask = Text("Where will the elements of the result lie?", "结果的元素会在哪里？")
    about = [f"t{result.id}", f"s{result.storage}"]
    return a_question(context, "shares", ask, options, _why_there(context, before, result), about)


def _instructive(context: StepContext, before: State, result: TensorFacts) -> bool:
    step = context.step
    if step.category == "ordinary":
        return result.storage in before.storages or step.op in _LOOKALIKES
    return step.category == "view" or (step.category == "reallocated" and result.storage not in before.storages)


def _storages_to_choose(context: StepContext, before: State, result: TensorFacts) -> list[int]:
    inputs = [before.tensors[key].storage for key in context.step.inputs if key in before.tensors]
    shared = [result.storage] if result.storage in before.storages else []
    others = [tensor.storage for tensor in named(context)]
    # The right option comes first, so the limit never drops it; sorting by number hides which it is.
    return sorted(list(dict.fromkeys([*shared, *inputs, *others]))[:_MOST_STORAGES])


def _why_there(context: StepContext, before: State, result: TensorFacts) -> Text:
    place = storage_label(result.storage)
    if result.id in context.step.inputs and context.step.category != "reallocated":
        pattern = Text(
            "{0} returns {1} itself: the same object, nothing is copied.",
            "{0}直接返回 {1} 本身：同一个对象，没有任何复制。",
        )
        return pattern.format(context.head, context.called_before(result.id))
    if result.storage in before.storages:
        pattern = Text(
            "{0} makes new metadata only: the elements stay in {1}, so a write through either tensor is seen by both.",
            "{0}只产生新的元数据，元素仍在 {1} 中，所以经由任何一个张量的写入，双方都看得到。",
        )
        return context.in_framework_words(pattern).format(context.head, place)
    storage = context.after.storages.get(result.storage)
    pattern = Text(
        "{0} allocates {1} ({2}): from now on, a write to one storage is not seen in the other.",
        "{0}分配了新存储 {1}（{2}）：此后写入旧存储，这里看不到，反之亦然。",
    )
    return pattern.format(context.head, place, byte_count(storage.bytes if storage else 0))


# --- bytes ---------------------------------------------------------------------------------------------------------


def live_bytes(context: StepContext) -> Question | None:
    """Asks how many bytes will be live.

    Asked about in-place operations, where the answer is often "as many as now" but not always (a copy saved for backward,
    a reallocation), and about operations after which storages are freed. The other options are the bytes if the operation
    allocated its result once or twice, or freed it. Asked only if the recorded storages account for every byte.
    """
    step, before = context.step, context.before
    if step.kind != "operation" or step.phase != "forward" or step.output is None:
        return None
    made = [facts for key, facts in step.storages if facts is not None and key not in before.storages]
    gone = [before.storages[key] for key, facts in step.storages if facts is None and key in before.storages]
    if not _accounted(context, before, made, gone) or not (
        gone or step.category in ("in-place", "relayout", "reallocated")
    ):
        return None
    now, size = before.step.live, _size(context)
    found = sorted({step.live, now, now + size, now + 2 * size, max(now - size, 0)})
    ask = Text("How many bytes will be live? Now there are {0:,}.", "存活的字节数会是多少？现在是 {0:,}。")
    options = [(byte_count(number), number == step.live) for number in found]
    about = [f"s{storage.id}" for storage in (*made, *gone)]
    return a_question(context, "bytes", ask.format(now), options, _account(context, made, gone), about)


def _accounted(context: StepContext, before: State, made: list[StorageFacts], gone: list[StorageFacts]) -> bool:
    """Whether the recorded storages explain the change in live bytes, which are counted per device and include unrecorded storages."""
    devices = {storage.device for state in (before, context.after) for storage in state.storages.values()}
    difference = sum(storage.bytes for storage in made) - sum(storage.bytes for storage in gone)
    return len(devices) == 1 and before.step.live + difference == context.step.live


def _size(context: StepContext) -> int:
    result = context.after.tensors.get(context.step.output) if context.step.output is not None else None
    storage = context.after.storages.get(result.storage) if result else None
    return storage.bytes if storage else 0


def _account(context: StepContext, made: list[StorageFacts], gone: list[StorageFacts]) -> Text:
    if not made and not gone:
        pattern = Text(
            "{0} makes no storage and frees none: {1:,} bytes, as before.",
            "{0}既没有新建存储，也没有释放存储：仍是 {1:,} 字节。",
        )
        return pattern.format(context.head, context.step.live)
    kept = {saved.storage for _, node in context.step.nodes if node for saved in node.saved if saved.copy}
    said = [
        (Text("New: {0}.", "新建：{0}。"), [storage for storage in made if storage.id not in kept]),
        (Text("Copied for backward: {0}.", "为反向传播复制：{0}。"), [s for s in made if s.id in kept]),
        (Text("Freed: {0}.", "释放：{0}。"), gone),
    ]
    total = Text("Live: {0:,} bytes.", "存活：{0:,} 字节。").format(context.step.live)
    return joined([*(pattern.format(_sizes(storages)) for pattern, storages in said if storages), total])


def _sizes(storages: list[StorageFacts]) -> Text:
    pattern = Text("{0} ({1})", "{0}（{1}）")
    return listing([pattern.format(storage_label(each.id), byte_count(each.bytes)) for each in storages])
