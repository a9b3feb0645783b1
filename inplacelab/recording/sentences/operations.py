"""Describes operations: what one made or wrote, and what follows for names, versions, history and backward; kernels and collectives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from inplacelab.language import Text
from inplacelab.place import same_line
from inplacelab.recording.facts import (
    Category,
    CollectiveFacts,
    LaunchFacts,
    NodeFacts,
    RewireFacts,
    SavedFacts,
    TensorFacts,
    WriteFacts,
)
from inplacelab.recording.naming import Naming, is_constant, label_alone, listing, namings, storage_label
from inplacelab.recording.places import line_of, said_line
from inplacelab.recording.queries import newly_stale, tensors_counted_by
from inplacelab.recording.relations import relation_of, shown_relation, written_aliases
from inplacelab.recording.sentences.other_steps import freed
from inplacelab.recording.sentences.phrases import MOST_ITEMS, StepContext, byte_count, joined, quoted, shape, slots
from inplacelab.recording.slots import Runs, Touched, effect
from inplacelab.supported import terms_of


def consequences(context: StepContext) -> list[Text]:
    """Returns what follows from an operation step, a sentence each."""
    return [
        *_named_later(context),
        *_renamed(context),
        *_copied(context),
        *versions(context),
        *history(context),
        *_kept(context),
        *_stale(context),
        *freed(context),
    ]


def _named_later(context: StepContext) -> list[Text]:
    """Explains the arrow: in `y = x.exp().relu_()` the result of `exp` is called `y` when the line is done."""
    result, before = context.result, context.before
    called = None if result is None else context.after.called(result.id)
    if called is None or not called.coming or before.called(called.tensor).coming:
        return []
    here = same_line(called.place, context.step.place)
    line = (
        Text("the line", "这一行")
        if here
        else said_line(context.recording.named_sources, called.place, context.step.place)
    )
    elsewhere = context.after.bound(called.names[0])
    pattern = _NAMED_LATER if elsewhere is None else _REBOUND_LATER
    where = "" if elsewhere is None else storage_label(context.after.tensors[elsewhere].storage)
    return [context.in_framework_words(pattern).format(called.first, called.names[0], line, where)]


_NAMED_LATER = Text("`{0}` will be named `{1}` when {2} is done.", "`{0}` 要到{2}执行完才得名 `{1}`。")
_REBOUND_LATER = Text(
    "`{0}` will be named `{1}` when {2} is done; until then `{1}` is still the tensor in {3}.",
    "`{0}` 要到{2}执行完才得名 `{1}`，在此之前 `{1}` 仍是 {3} 上的张量。",
)


def _renamed(context: StepContext) -> list[Text]:
    """Names tensors that lose a name to the result but keep another: `y = x; x = x + 1.` writes nothing to `y`."""
    pattern = Text(
        "From now on `{name}` is the name of the result; {old} is as it was.",
        "从此 `{name}` 是结果的名字；{old} 保持原样。",
    )
    result, before = context.result, context.before
    if result is None:
        return []
    taken = {*result.names}.difference(before.called(result.id).names if before.called(result.id).bound else ())
    losers = [old for old in before.tensors.values() if not taken.isdisjoint(old.names)] if taken else []
    said = []
    for old in losers:
        left = context.names_by_line_end(old.id)
        if old.id != result.id and left:
            lost = next(name for name in old.names if name in taken)
            said.append(pattern.format(name=lost, old=context.label(old, left)))
    return said


def _copied(context: StepContext) -> list[Text]:
    pattern = Text(
        "The overwritten value was copied first ({0}), because backward needs it.",
        "被覆盖的值事先复制了一份（{0}），因为反向传播要用到它。",
    )
    made = {key for key, _ in context.step.storages if key not in context.before.storages}
    copies = {saved.storage for _, node in context.step.nodes if node for saved in node.saved if saved.copy} & made
    total = sum(context.after.storages[copy].bytes for copy in copies if copy in context.after.storages)
    return [pattern.format(byte_count(total))] if copies else []


def versions(context: StepContext) -> list[Text]:
    """Describes the versions that a step raised, and the tensors that share them. Some kernels of PyTorch and Paddle raise none."""
    raised = [write for write in context.step.writes if write.before != write.after]
    rose = terms_of(context.recording).rose
    return [
        joined(
            [
                rose.format(_counted(context, write), write.before, write.after) + _seen_by(context, write),
                *_unseen_by(context, write),
            ]
        )
        for write in raised
    ] + [
        _STAYS.format(storage_label(write.storage), write.after)
        for write in context.step.writes
        if write.slots and write.before == write.after
    ]


def _counted(context: StepContext, write: WriteFacts) -> Text | str:
    """The storage whose version a write raises; the tensor, if others on the storage do not share its counter."""
    others = {each.counter for each in context.after.tensors_on(write.storage)} - {write.counter}
    return context.called(write.tensor) if others else storage_label(write.storage)


_STAYS = Text("The version of {0} stays {1}.", "{0} 的版本号仍为 {1}。")


def _unseen_by(context: StepContext, write: WriteFacts) -> list[Text]:
    """Names the tensors on the storage whose own counter does not count the write, as one through `x.data` in PyTorch."""
    there = context.after.tensors_on(write.storage)
    others = [each.id for each in there if each.counter != write.counter and context.after.called(each.id).bound]
    if not others:
        return []
    pattern = Text("The counter of {0} does not count this write.", "{0} 的版本号不计入这次写入。")
    return [pattern.format(context.listed(others, context.called))]


def _seen_by(context: StepContext, write: WriteFacts) -> Text:
    """Names all tensors that share the storage, if others do besides the one that was written through."""
    sharers = [tensor.id for tensor in tensors_counted_by(context.after, write.counter)]
    if not {*sharers} - {write.tensor}:
        return joined([Text(".", "。"), *_other_names(context, write.tensor)])
    if len(sharers) == 1:
        return Text(", seen by {0}.", "，可经由 {0} 看到。").format(context.called(sharers[0]))
    in_order = sorted(sharers, key=lambda tensor: tensor != write.tensor)
    pattern = terms_of(context.recording).shared
    return pattern.format(storage_label(write.storage), context.listed(in_order, context.called))


def _other_names(context: StepContext, tensor: int) -> list[Text]:
    """Names what a tensor is called from the end of the line on, if that is something else: `y = x.scale_(2.)`."""
    was, now = context.before.called(tensor).names, context.after.called(tensor).names
    new = [quoted(name) for name in now if name not in was]
    if not was or not new or context.after.called(tensor).coming:
        return []
    if {*was} & {*now}:
        also = Text("From now on {0} is called {1}, too.", "此后 {0} 又名 {1}。")
        return [also.format(quoted(was[0]), listing(new))]
    return [Text("From now on {0} is called {1}.", "此后 {0} 名为 {1}。").format(quoted(was[0]), listing(new))]


def history(context: StepContext) -> list[Text]:
    """Describes the tensors that have another grad node now."""
    # A temporary that is freed with the statement takes its new node along: there is nothing left to describe.
    lasting = (each for each in context.step.rewired if each.after is None or context.node(each.after) is not None)
    return [_rewired(context, each) for each in lasting]


def _rewired(context: StepContext, rewire: RewireFacts) -> Text:
    x, tensor = context.called_shortly(rewire.tensor), context.after.tensors.get(rewire.tensor)
    if rewire.after is None:
        return Text("{0} no longer has a history.", "{0} 不再有梯度历史。").format(x)
    new = context.called_node(rewire.after)
    if rewire.before is None:
        return Text("{0} now has a history: it comes from {1}.", "{0} 从此有了梯度历史，梯度节点是 {1}。").format(
            x, new
        )
    old = context.called_node(rewire.before)
    if tensor is not None and tensor.base is not None:
        pattern = Text("The view {0} was given a new grad node, {1}.", "视图 {0} 的梯度节点重新生成：{1}。")
        return pattern.format(x if context.after.called(tensor.id).names else label_alone(tensor), new)
    return Text("{0} now comes from the new {1} instead of {2}.", "{0} 的梯度节点由 {2} 换成了新的 {1}。").format(
        x, new, old
    )


def _kept(context: StepContext) -> list[Text]:
    step = context.step
    node = context.node(step.kept) if step.kept is not None else None
    if node is None:
        return []
    said = kept_by_node(context, node)
    return said or ([joins(context, [node])] if step.category == "ordinary" and not node.saved else [])


def kept_by_node(context: StepContext, node: NodeFacts) -> list[Text]:
    """Names what a node keeps; nothing if it keeps nothing, or only a copy."""
    kept = [saved for saved in node.saved if not saved.copy]
    if not kept:
        return []
    names = [_kept_there(each) for each in namings(context.recording, context.after, node.id, kept)]
    pattern = Text("{0} keeps {1} for backward.", "{0} 为反向传播保存了 {1}。")
    return [pattern.format(context.called_node(node.id), listing(names))]


def joins(context: StepContext, nodes: Sequence[NodeFacts]) -> Text:
    """Names new nodes that keep nothing."""
    one = Text("{0} joins the graph and keeps no tensor.", "反向图中加入了 {0}，它不保存任何张量。")
    many = Text("{0} join the graph and keep no tensor.", "反向图中加入了 {0}，它们不保存任何张量。")
    return (one if len(nodes) == 1 else many).format(listing([context.called_node(node.id) for node in nodes]))


def _kept_there(naming: Naming) -> Text:
    saved = naming.saved[0]
    there = Text("{0} at version {1}", "{0} 的版本 {1}").format(storage_label(saved.storage), saved.version)
    return naming.phrase(there)


def _stale(context: StepContext) -> list[Text]:
    spoilt: dict[int, list[SavedFacts]] = {}
    for node, saved in newly_stale(context.recording, context.index):
        spoilt.setdefault(node, []).append(saved)
    return went_stale(context, spoilt)


def went_stale(context: StepContext, spoilt: Mapping[int, Sequence[SavedFacts]]) -> list[Text]:
    """Names the values that are stale now, by the node that keeps them; of very many only the number of nodes."""
    if len(spoilt) > MOST_ITEMS:
        pattern = Text("What {0} grad nodes kept is now stale.", "{0} 个梯度节点保存的值已过期。")
        return [pattern.format(len(spoilt))]
    return [_went_stale(context, node, saved) for node, saved in spoilt.items()]


def _went_stale(context: StepContext, node: int, saved: Sequence[SavedFacts]) -> Text:
    pattern = Text("What {0} kept is now stale: {1}.", "{0} 保存的值已过期：{1}。")
    names = [each.phrase() for each in namings(context.recording, context.after, node, saved)]
    return pattern.format(context.called_node(node), listing(names))


def operation(context: StepContext) -> Text:
    """Returns the sentences for an operation step."""
    describe = _DESCRIBE[context.step.category or "ordinary"]
    return joined([describe(context), *consequences(context)])


def _created(context: StepContext) -> Text:
    result = context.result
    if result is None:
        return _nothing(context)
    made = Text("{head} made {x} in {place}.", "{head}创建了 {x}，数据放在{place}中。")
    made = made.format(head=context.head, x=context.called(result.id), place=place_of(context, result))
    if not (result.leaf and result.needs_gradient):
        return made
    asks = Text("It is a leaf that requires a gradient (`{0}`).", "它是需要梯度的叶子张量（`{0}`）。")
    return joined([made, asks.format(terms_of(context.recording).flagged(asks=True))])


def _computed(context: StepContext) -> Text:
    result = context.result
    if result is None:
        return _nothing(context)
    if result.id in context.step.inputs:
        return _returned_itself(context, result)
    if not context.step.inputs:
        return _created(context)
    x_in_chinese = " {x} " if context.names_by_line_end(result.id) else "（{x}）"
    pattern = Text(
        "{head} read {inputs} and put its result, {x}, into {place}.",
        "{head}读取 {inputs}，把结果" + x_in_chinese + "放在{place}中。",
    )
    inputs = context.listed(context.step.inputs, context.called_before)
    return pattern.format(
        head=context.head, inputs=inputs, x=context.called(result.id), place=place_of(context, result)
    )


def _viewed(context: StepContext) -> Text:
    result = context.result
    if result is None:
        return _nothing(context)
    if result.id in context.step.inputs:
        return _returned_itself(context, result)
    found = relation_of(context.recording, context.after, result)
    if found is None:
        return _created(context)
    x, storage = context.called(result.id), storage_label(result.storage)
    if found.kind == "shares" and found.via is not None:
        return _SHARES.format(head=context.head, x=x, other=context.called_apart(found.via, result.id), storage=storage)
    return _VIEW.format(
        head=context.head,
        x=x,
        view=shown_relation(found, lambda key: context.called_apart(key, result.id)),
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


def _wrote(context: StepContext) -> Text:
    if not any(write.slots for write in context.step.writes):
        return Text("{0} wrote no slot.", "{0}没有写入任何槽位。").format(context.head)
    said = Text("{0} {1}{2}.", "{0}{1}{2}。").format(context.head, several(slots_written(context)), _source(context))
    return joined([said, *unchanged(context)])


def unchanged(context: StepContext) -> list[Text]:
    """Names the slots that were written with the values that they had."""
    effects = [(write.storage, _effect(context, write)) for write in context.step.writes if write.slots]
    same = [(storage, slots(done.same)) for storage, done in effects if done.same]
    if len({storage for storage, _ in effects}) == 1:
        return [_SAME.format(where) for _, where in same]
    return [_SAME_OF.format(where, storage_label(storage)) for storage, where in same]


def several(written: Sequence[Text]) -> Text:
    """Joins what was written, each with its tensor."""
    return Text(listing(written).en, "；".join(each.zh for each in written))


def slots_written(context: StepContext) -> list[Text]:
    """Returns the slots that a step wrote, by storage, and the tensor through which: "wrote slots 0-1 of S1 through `h`"."""
    return [_written(context, write, _effect(context, write)) for write in context.step.writes if write.slots]


_SAME = Text("The values in {0} are the same as before.", "{0}的值没有变。")
_SAME_OF = Text("The values in {0} of {1} are the same as before.", "{1} 的{0}的值没有变。")
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


def _effect(context: StepContext, write: WriteFacts) -> Touched:
    return effect(write, context.before.storages.get(write.storage), context.after.storages.get(write.storage))


def _written(context: StepContext, write: WriteFacts, done: Touched) -> Text:
    pattern = {"written": _WROTE_AT, "changed": _CHANGED}.get(
        write.slots_are, _WROTE_SOME if done.around else _CHANGED_SOME
    )
    return pattern.format(
        slots=slots(write.slots),
        changed=_count(done.changed),
        all=_count(write.slots),
        storage=storage_label(write.storage),
        x=_through(context, write),
    )


def _through(context: StepContext, write: WriteFacts) -> Text:
    """What was written through: a tensor by its name, or by how it was made of one with a name: `w.data`."""
    known, last = written_aliases(context.recording), context.after.step.index
    first = last if context.first is None else context.first
    aliases = (each for index in range(first, last + 1) for each in known.get(index, ()))
    alias = next((each for each in aliases if each.facts.id == write.tensor), None)
    if alias is None:
        return context.called_before(write.tensor)
    return quoted(context.before.called(alias.of).first + alias.call)


def _count(runs: Runs) -> int:
    return sum(stop - start for start, stop in runs)


def _source(context: StepContext) -> Text:
    """Where the values come from, if they were copied from slots of a tensor of the program."""
    for read in context.step.reads:
        storage = context.before.storages.get(read.storage)
        if read.copied and storage is not None and not is_constant(storage):
            pattern = Text(", with the values of {0} of {1}", "，值取自 {1} 的{0}")
            return pattern.format(slots(read.slots), storage_label(read.storage))
    return Text("", "")


def _relaid(context: StepContext) -> Text:
    result = context.result
    was = context.tensor_before(result.id) if result else None
    if result is None or was is None:
        return _nothing(context)
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
        return pattern.format(context.head, context.called_before(result.id))
    pattern = Text(
        "{0} changed only the metadata of {1}: {2}; no bytes moved.", "{0}只改了 {1} 的元数据：{2}；没有搬动任何字节。"
    )
    return pattern.format(context.head, context.called_before(result.id), listing(moves))


def _reallocated(context: StepContext) -> Text:
    result = context.result
    was = context.tensor_before(result.id) if result else None
    if result is None or was is None:
        return _nothing(context)
    pattern, x = terms_of(context.recording).moved, context.called_before(result.id)
    if context.step.op == "swap_tensors":
        other = context.called_before(context.step.inputs[1])
        return _SWAPPED.format(context.head, x, other, place_of(context, result), storage_label(was.storage))
    return pattern.format(head=context.head, x=x, place=place_of(context, result), old=storage_label(was.storage))


_SWAPPED = Text(
    "{0} swapped {1} and {2}: {1} now points into {3}, {2} into {4}. No bytes moved, and no version rose.",
    "{0}交换了 {1} 和 {2}：{1} 现在指向{3}，{2} 指向 {4}。没有搬动任何字节，版本号也没有增加。",
)


def _nothing(context: StepContext) -> Text:
    if context.step.output is not None:  # `x.sum().item()`: the sum is freed immediately
        return context.in_framework_words(_ONE_MORE_GONE if _goes_on(context) else _ONE_GONE).format(context.head)
    return context.in_framework_words(Text("{0} ran and made no tensor.", "{0}已执行，没有产生张量。")).format(
        context.head
    )


_ONE_GONE = Text(
    "{0} made a tensor that was freed before the next step.", "{0}产生了一个张量，它在下一步之前就已释放。"
)
_ONE_MORE_GONE = Text(
    "{0} made one more tensor, which was freed before the next step.",
    "{0}又产生了一个张量，它在下一步之前就已释放。",
)


def _goes_on(context: StepContext) -> bool:
    """Whether the step before is part of the same operation: `x.split(2)[0]` makes two tensors and drops one."""
    if context.index == 0:
        return False
    earlier, now = context.recording.steps[context.index - 1], context.step
    return (earlier.op, line_of(earlier.place), earlier.inputs) == (now.op, line_of(now.place), now.inputs)


def _returned_itself(context: StepContext, result: TensorFacts) -> Text:
    pattern = Text("{0} returned {1} itself: nothing was copied.", "{0}直接返回 {1} 本身：没有任何复制。")
    return pattern.format(context.head, context.called_before(result.id))


def place_of(context: StepContext, tensor: TensorFacts) -> Text:
    """Returns the storage of a tensor: "a new storage S1 (8 bytes)"."""
    label = storage_label(tensor.storage)
    storage = context.after.storages.get(tensor.storage)
    if storage is None or tensor.storage in context.before.storages:
        return Text("the storage {0}", "已有的存储 {0} ").format(label)
    return Text("a new storage {0} ({1})", "新存储 {0}（{1}）").format(label, byte_count(storage.bytes))


_DESCRIBE: dict[Category, Callable[[StepContext], Text]] = {
    "create": _created,
    "ordinary": _computed,
    "view": _viewed,
    "in-place": _wrote,
    "relayout": _relaid,
    "reallocated": _reallocated,
}


def launched(launches: Sequence[LaunchFacts]) -> list[Text]:
    """Describes which kernels ran, where, with how many threads, and the bytes that these requested; nothing if none ran.

    >>> print(launched([LaunchFacts("relu_", "contiguous", (2, 1, 1), (256, 1, 1), 4, "float32", (), 4000, 4000, "", True)])[0].en)
    Kernel `relu_` (simulated): 2 blocks × 256 threads, 4,000 bytes read and 4,000 written.
    """
    if not launches:
        return []
    return [_one(launches[0]) if len(launches) == 1 else _several(launches)]


def _one(launch: LaunchFacts) -> Text:
    blocks = prod(launch.grid)
    pattern = Text(
        f"Kernel {{0}} ({{1}}): {{2:,}} block{'s' * (blocks != 1)} × {{3:,}} threads, {{4:,}} bytes read and {{5:,}} written.",
        "核函数 {0}（{1}）：{2:,} 个线程块 × {3:,} 个线程，读 {4:,} 字节，写 {5:,} 字节。",
    )
    return pattern.format(
        quoted(launch.kernel), _where(launch), blocks, prod(launch.block), launch.bytes_read, launch.bytes_written
    )


def _several(launches: Sequence[LaunchFacts]) -> Text:
    pattern = Text(
        "{0} kernels ({1}): {2}; together {3:,} bytes read and {4:,} written.",
        "{0} 个核函数（{1}）：{2}；共读 {3:,} 字节，写 {4:,} 字节。",
    )
    return pattern.format(
        len(launches), _where(launches[0]), _kernels(launches),
        sum(each.bytes_read for each in launches), sum(each.bytes_written for each in launches),
    )  # fmt: skip


def _kernels(launches: Sequence[LaunchFacts]) -> Text:
    """Names the first kernels, and counts the others."""
    shown = [quoted(each.kernel) for each in launches]
    if len(shown) > MOST_ITEMS:
        shown[MOST_ITEMS - 1 :] = [Text("{0} others", "另外 {0} 个").format(len(shown) - MOST_ITEMS + 1)]
    return listing(shown)


def _where(launch: LaunchFacts) -> Text:
    """Returns the name of the GPU, or "simulated"."""
    return Text(launch.device, launch.device) if launch.device else Text("simulated", "模拟")


_SAYS = Text(
    "Collective {0} of the program: {1} on all {2} ranks at once.", "程序的第 {0} 次集合通信：{2} 个进程同时做 {1}。"
)


def communicated(collectives: Sequence[CollectiveFacts | None]) -> list[Text]:
    """Describes which collectives they were; nothing if there was none. They are counted from 1, as steps are for a reader.

    >>> print(communicated([CollectiveFacts("all_reduce", 2, 0, 4)])[0].en)
    Collective 2 of the program: `all_reduce` on all 4 ranks at once.
    """
    return [_SAYS.format(each.number, quoted(each.name), each.ranks) for each in collectives if each is not None]
