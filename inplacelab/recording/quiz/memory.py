"""Makes questions about memory: in which storage a result is, and how many bytes are live."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.recording.facts import StorageFacts, TensorFacts
from inplacelab.recording.naming import storage_label
from inplacelab.recording.quiz.question import Question, a_question, named, on_storage
from inplacelab.recording.recording import State
from inplacelab.recording.sentences.phrases import Moment, byte_count, joined, listing

__all__ = ["live_bytes", "shares"]

_LOOKALIKES = {
    "getitem", "__getitem__", "reshape", "flatten", "clone", "contiguous", "astype", "cast", "to", "gather",
    "index_select", "take_along_axis", "expand", "tile", "broadcast_to",
}  # fmt: skip
"""Operations that return the elements of their input and can be mistaken for views when they copy."""

_MOST_STORAGES = 3


# --- view or copy --------------------------------------------------------------------------------------------------


def shares(moment: Moment) -> Question | None:
    """Asks in which storage the result will be.

    Asked about views, copies that could be mistaken for views (`reshape`, indexing with a list), operations that return
    their input itself, and operations that are in place in name only. The other options are the storages of the inputs
    and of other named tensors, or a new one.
    """
    step, before = moment.step, moment.before
    result = moment.after.tensors.get(step.output) if step.output is not None else None
    if step.kind != "operation" or step.phase != "forward" or result is None or not step.inputs:
        return None
    if not _instructive(moment, before, result):
        return None
    old = _storages_to_choose(moment, before, result)
    options = [(_in_storage(moment, storage), storage == result.storage) for storage in old]
    options.append((Text("in a new storage", "在一个新存储中"), result.storage not in before.storages))
    if step.category == "reallocated":
        ask = Text("Where will the elements of {0} lie?", "{0} 的元素会在哪里？").format(
            moment.called_until_now(result.id)
        )
    else:
        ask = Text("Where will the elements of the result lie?", "结果的元素会在哪里？")
    about = [f"t{result.id}", f"s{result.storage}"]
    return a_question(moment, "shares", ask, options, _why_there(moment, before, result), about)


def _instructive(moment: Moment, before: State, result: TensorFacts) -> bool:
    step = moment.step
    if step.category == "ordinary":
        return result.storage in before.storages or step.op in _LOOKALIKES
    return step.category == "view" or (step.category == "reallocated" and result.storage not in before.storages)


def _storages_to_choose(moment: Moment, before: State, result: TensorFacts) -> list[int]:
    inputs = [before.tensors[key].storage for key in moment.step.inputs if key in before.tensors]
    shared = [result.storage] if result.storage in before.storages else []
    others = [tensor.storage for tensor in named(moment)]
    # The right option comes first, so the limit never drops it; sorting by number hides which it is.
    return sorted(list(dict.fromkeys([*shared, *inputs, *others]))[:_MOST_STORAGES])


def _in_storage(moment: Moment, storage: int) -> Text:
    return Text("in {0}", "在 {0} 中").format(on_storage(moment, storage))


def _why_there(moment: Moment, before: State, result: TensorFacts) -> Text:
    place = storage_label(result.storage)
    if result.id in moment.step.inputs and moment.step.category != "reallocated":
        pattern = Text(
            "{0} returns {1} itself: the same object, nothing is copied.",
            "{0}直接返回 {1} 本身：同一个对象，没有任何复制。",
        )
        return pattern.format(moment.head, moment.called_before(result.id))
    if result.storage in before.storages:
        pattern = Text(
            "{0} makes new metadata only: the elements stay in {1}, so a write through either tensor is seen by both.",
            "{0}只产生新的元数据，元素仍在 {1} 中，所以经由任何一个张量的写入，双方都看得到。",
        )
        return moment.in_framework_words(pattern).format(moment.head, place)
    storage = moment.after.storages.get(result.storage)
    pattern = Text(
        "{0} allocates {1} ({2}): from now on, a write to one storage is not seen in the other.",
        "{0}分配了新存储 {1}（{2}）：此后写入旧存储，这里看不到，反之亦然。",
    )
    return pattern.format(moment.head, place, byte_count(storage.bytes if storage else 0))


# --- bytes ---------------------------------------------------------------------------------------------------------


def live_bytes(moment: Moment) -> Question | None:
    """Asks how many bytes will be live.

    Asked about in-place operations, where the answer is often "as many as now" but not always (a copy saved for backward,
    a reallocation), and about operations after which storages are freed. The other options are the bytes if the operation
    allocated its result once or twice, or freed it. Asked only if the recorded storages account for every byte.
    """
    step, before = moment.step, moment.before
    if step.kind != "operation" or step.phase != "forward" or step.output is None:
        return None
    made = [facts for key, facts in step.storages if facts is not None and key not in before.storages]
    gone = [before.storages[key] for key, facts in step.storages if facts is None and key in before.storages]
    if not _accounted(moment, before, made, gone) or not (
        gone or step.category in ("in-place", "relayout", "reallocated")
    ):
        return None
    now, size = before.step.live, _size(moment)
    found = sorted({step.live, now, now + size, now + 2 * size, max(now - size, 0)})
    ask = Text("How many bytes will be live? Now there are {0:,}.", "存活的字节数会是多少？现在是 {0:,}。")
    options = [(byte_count(number), number == step.live) for number in found]
    about = [f"s{storage.id}" for storage in (*made, *gone)]
    return a_question(moment, "bytes", ask.format(now), options, _account(moment, made, gone), about)


def _accounted(moment: Moment, before: State, made: list[StorageFacts], gone: list[StorageFacts]) -> bool:
    """Whether the recorded storages explain the change in live bytes, which are counted per device and include unrecorded storages."""
    devices = {storage.device for state in (before, moment.after) for storage in state.storages.values()}
    difference = sum(storage.bytes for storage in made) - sum(storage.bytes for storage in gone)
    return len(devices) == 1 and before.step.live + difference == moment.step.live


def _size(moment: Moment) -> int:
    result = moment.after.tensors.get(moment.step.output) if moment.step.output is not None else None
    storage = moment.after.storages.get(result.storage) if result else None
    return storage.bytes if storage else 0


def _account(moment: Moment, made: list[StorageFacts], gone: list[StorageFacts]) -> Text:
    if not made and not gone:
        pattern = Text(
            "{0} makes no storage and frees none: {1:,} bytes, as before.",
            "{0}既没有新建存储，也没有释放存储：仍是 {1:,} 字节。",
        )
        return pattern.format(moment.head, moment.step.live)
    kept = {saved.storage for _, node in moment.step.nodes if node for saved in node.saved if saved.copy}
    said = [
        (Text("New: {0}.", "新建：{0}。"), [storage for storage in made if storage.id not in kept]),
        (Text("Copied for backward: {0}.", "为反向传播复制：{0}。"), [s for s in made if s.id in kept]),
        (Text("Freed: {0}.", "释放：{0}。"), gone),
    ]
    total = Text("Live: {0:,} bytes.", "存活：{0:,} 字节。").format(moment.step.live)
    return joined([*(pattern.format(_sizes(storages)) for pattern, storages in said if storages), total])


def _sizes(storages: list[StorageFacts]) -> Text:
    pattern = Text("{0} ({1})", "{0}（{1}）")
    return listing([pattern.format(storage_label(each.id), byte_count(each.bytes)) for each in storages])
