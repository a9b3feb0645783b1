"""Describes operations: what one made or wrote."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import Category, TensorFacts, WriteFacts
from inplacelab.recording.naming import is_constant, storage_label
from inplacelab.recording.relations import relation_of, shown_relation
from inplacelab.recording.sentences.consequences import consequences
from inplacelab.recording.sentences.phrases import byte_count, joined, listing, shape, slots
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.recording.slots import Runs, Touched, effect
from inplacelab.supported import terms_of

__all__ = ["operation", "place_of", "several", "slots_written", "unchanged"]


def operation(moment: Moment) -> Text:
    """Returns the sentences for an operation step."""
    describe = _DESCRIBE[moment.step.category or "ordinary"]
    return joined([describe(moment), *consequences(moment)])


def _created(moment: Moment) -> Text:
    result = moment.result
    if result is None:
        return _nothing(moment)
    made = Text("{head} made {x} in {place}.", "{head}创建了 {x}，数据放在{place}中。")
    made = made.format(head=moment.head, x=moment.called(result.id), place=place_of(moment, result))
    if not (result.leaf and result.needs_gradient):
        return made
    asks = Text("It is a leaf that requires a gradient (`{0}`).", "它是需要梯度的叶子张量（`{0}`）。")
    return joined([made, asks.format(terms_of(moment.recording).flagged(asks=True))])


def _computed(moment: Moment) -> Text:
    result = moment.result
    if result is None:
        return _nothing(moment)
    if result.id in moment.step.inputs:
        return _returned_itself(moment, result)
    if not moment.step.inputs:
        return _created(moment)
    x_in_chinese = " {x} " if moment.names_by_line_end(result.id) else "（{x}）"
    pattern = Text(
        "{head} read {inputs} and put its result, {x}, into {place}.",
        "{head}读取 {inputs}，把结果" + x_in_chinese + "放在{place}中。",
    )
    inputs = moment.listed(moment.step.inputs, moment.called_before)
    return pattern.format(head=moment.head, inputs=inputs, x=moment.called(result.id), place=place_of(moment, result))


def _viewed(moment: Moment) -> Text:
    result = moment.result
    if result is None:
        return _nothing(moment)
    if result.id in moment.step.inputs:
        return _returned_itself(moment, result)
    found = relation_of(moment.recording, moment.after, result)
    if found is None:
        return _created(moment)
    x, storage = moment.called(result.id), storage_label(result.storage)
    if found.kind == "shares" and found.via is not None:
        return _SHARES.format(head=moment.head, x=x, other=moment.called_apart(found.via, result.id), storage=storage)
    return _VIEW.format(
        head=moment.head,
        x=x,
        view=shown_relation(found, lambda key: moment.called_apart(key, result.id)),
        storage=storage,
    )


_VIEW = Text(
    "{head} made {x}, a {view}: new metadata, same storage {storage}, no bytes moved.",
    "{head}得到 {x}，它是 {view}：元数据是新的，存储仍是 {storage}，没有搬动任何字节。",
)
_SHARES = Text(
    "{head} made {x}, which shares storage {storage} with {other}: new metadata, no bytes moved.",
    "{head}得到 {x}，它与 {other} 共享存储 {storage}：元数据是新的，没有搬动任何字节。",
)


def _wrote(moment: Moment) -> Text:
    if not any(write.slots for write in moment.step.writes):
        return Text("{0} wrote no slot.", "{0}没有写入任何槽位。").format(moment.head)
    said = Text("{0} {1}{2}.", "{0}{1}{2}。").format(moment.head, several(slots_written(moment)), _source(moment))
    return joined([said, *unchanged(moment)])


def unchanged(moment: Moment) -> list[Text]:
    """Names the slots that were written with the values that they had."""
    effects = [_effect(moment, write) for write in moment.step.writes if write.slots]
    return [_SAME.format(slots(done.same)) for done in effects if done.same]


def several(written: Sequence[Text]) -> Text:
    """Joins what was written, each with its tensor."""
    return Text(listing(written).en, "；".join(each.zh for each in written))


def slots_written(moment: Moment) -> list[Text]:
    """Returns the slots that a step wrote, by storage, and the tensor through which: "wrote slots 0-1 of S1 through `h`"."""
    return [_written(moment, write, _effect(moment, write)) for write in moment.step.writes if write.slots]


_SAME = Text("The values in {0} are the same as before.", "{0}的值没有变。")
_WROTE_AT = Text("wrote {slots} of {storage} through {x}", "经由 {x} 写入了 {storage} 的{slots}")
_CHANGED = Text("changed {slots} of {storage} through {x}", "经由 {x} 改变了 {storage} 的{slots}")
_CHANGED_SOME = Text(
    "changed {changed:,} of {all:,} slots of {storage} through {x}; which it wrote is not known",
    "经由 {x} 改变了 {storage} 的 {all:,} 个槽位中的 {changed:,} 个，具体写入了哪些不得而知",
)
_WROTE_SOME = Text(
    "wrote some of {slots} of {storage} through {x}; which is not known",
    "经由 {x} 写入了 {storage} 的{slots}中的一部分，具体是哪些不得而知",
)


def _effect(moment: Moment, write: WriteFacts) -> Touched:
    return effect(write, moment.before.storages.get(write.storage), moment.after.storages.get(write.storage))


def _written(moment: Moment, write: WriteFacts, done: Touched) -> Text:
    pattern = {"written": _WROTE_AT, "changed": _CHANGED}.get(
        write.slots_are, _WROTE_SOME if done.around else _CHANGED_SOME
    )
    return pattern.format(
        slots=slots(write.slots),
        changed=_count(done.changed),
        all=_count(write.slots),
        storage=storage_label(write.storage),
        x=moment.called_before(write.tensor),
    )


def _count(runs: Runs) -> int:
    return sum(stop - start for start, stop in runs)


def _source(moment: Moment) -> Text:
    """Where the values come from, if they were copied from slots of a tensor of the program."""
    for read in moment.step.reads:
        storage = moment.before.storages.get(read.storage)
        if read.copied and storage is not None and not is_constant(storage):
            pattern = Text(", with the values of {0} of {1}", "，值取自 {1} 的{0}")
            return pattern.format(slots(read.slots), storage_label(read.storage))
    return Text("", "")


def _relaid(moment: Moment) -> Text:
    result = moment.result
    was = moment.tensor_before(result.id) if result else None
    if result is None or was is None:
        return _nothing(moment)
    fields = [
        (Text("shape", "形状"), shape(was.shape), shape(result.shape)),
        (Text("strides", "步幅"), shape(was.strides), shape(result.strides)),
        (Text("offset", "偏移"), str(was.offset), str(result.offset)),
    ]
    moves = [Text("{0} {1} → {2}", "{0} {1} → {2}").format(*field) for field in fields if field[1] != field[2]]
    if not moves:
        pattern = Text(
            "{0} left the metadata of {1} as it was; no bytes moved.", "{0}没有改变 {1} 的元数据，也没有搬动任何字节。"
        )
        return pattern.format(moment.head, moment.called_before(result.id))
    pattern = Text(
        "{0} changed only the metadata of {1}: {2}; no bytes moved.", "{0}只改了 {1} 的元数据：{2}；没有搬动任何字节。"
    )
    return pattern.format(moment.head, moment.called_before(result.id), listing(moves))


def _reallocated(moment: Moment) -> Text:
    result = moment.result
    was = moment.tensor_before(result.id) if result else None
    if result is None or was is None:
        return _nothing(moment)
    pattern, x = terms_of(moment.recording).moved, moment.called_before(result.id)
    if moment.step.op == "swap_tensors":
        other = moment.called_before(moment.step.inputs[1])
        return _SWAPPED.format(moment.head, x, other, place_of(moment, result), storage_label(was.storage))
    return pattern.format(head=moment.head, x=x, place=place_of(moment, result), old=storage_label(was.storage))


_SWAPPED = Text(
    "{0} swapped {1} and {2}: {1} now points into {3}, {2} into {4}. No bytes moved, and no version rose.",
    "{0}交换了 {1} 和 {2}：{1} 现在指向{3}，{2} 指向 {4}。没有搬动任何字节，版本号也没有增加。",
)


def _nothing(moment: Moment) -> Text:
    if moment.step.output is not None:  # `x.sum().item()`: the sum is freed immediately
        return moment.in_framework_words(_ONE_MORE_GONE if _goes_on(moment) else _ONE_GONE).format(moment.head)
    return moment.in_framework_words(Text("{0} ran and made no tensor.", "{0}已执行，没有产生张量。")).format(
        moment.head
    )


_ONE_GONE = Text(
    "{0} made a tensor that was freed before the next step.", "{0}产生了一个张量，它在下一步之前就已释放。"
)
_ONE_MORE_GONE = Text(
    "{0} made one more tensor, which was freed before the next step.",
    "{0}又产生了一个张量，它在下一步之前就已释放。",
)


def _goes_on(moment: Moment) -> bool:
    """Whether the step before is part of the same operation: `x.split(2)[0]` makes two tensors and drops one."""
    if moment.index == 0:
        return False
    earlier, now = moment.recording.steps[moment.index - 1], moment.step
    return (earlier.op, earlier.line, earlier.inputs) == (now.op, now.line, now.inputs)


def _returned_itself(moment: Moment, result: TensorFacts) -> Text:
    pattern = Text("{0} returned {1} itself: nothing was copied.", "{0}直接返回 {1} 本身：没有任何复制。")
    return pattern.format(moment.head, moment.called_before(result.id))


def place_of(moment: Moment, tensor: TensorFacts) -> Text:
    """Returns the storage of a tensor: "a new storage S1 (8 bytes)"."""
    label = storage_label(tensor.storage)
    storage = moment.after.storages.get(tensor.storage)
    if storage is None or tensor.storage in moment.before.storages:
        return Text("the storage {0}", "已有的存储 {0} ").format(label)
    return Text("a new storage {0} ({1})", "新存储 {0}（{1}）").format(label, byte_count(storage.bytes))


_DESCRIBE: dict[Category, Callable[[Moment], Text]] = {
    "create": _created,
    "ordinary": _computed,
    "view": _viewed,
    "in-place": _wrote,
    "relayout": _relaid,
    "reallocated": _reallocated,
}
