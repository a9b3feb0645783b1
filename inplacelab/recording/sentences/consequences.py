"""Describes what follows from an operation: for names, versions, history and backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import NodeFacts, RewireFacts, SavedFacts, WriteFacts
from inplacelab.recording.naming import Naming, namings, storage_label
from inplacelab.recording.queries import newly_stale, tensors_counted_by
from inplacelab.recording.sentences.lines import freed
from inplacelab.recording.sentences.phrases import MOST_ITEMS, byte_count, joined, listing, quoted
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.supported import terms_of

__all__ = ["consequences", "history", "joins", "kept_by_node", "versions", "went_stale"]


def consequences(moment: Moment) -> list[Text]:
    """Returns what follows from an operation step, a sentence each."""
    return [
        *_named_later(moment),
        *_renamed(moment),
        *_copied(moment),
        *versions(moment),
        *history(moment),
        *_kept(moment),
        *_stale(moment),
        *freed(moment),
    ]


def _named_later(moment: Moment) -> list[Text]:
    """Explains the arrow: in `y = x.exp().relu_()` the result of `exp` is called `y` when the line is done."""
    result, before = moment.result, moment.before
    called = None if result is None else moment.after.called(result.id)
    if called is None or not called.coming or before.called(called.tensor).coming:
        return []
    here = called.line == moment.step.line
    line = Text("the line", "这一行") if here else Text("line {0}", "第 {0} 行").format(called.line)
    elsewhere = moment.after.bound(called.names[0])
    pattern = _NAMED_LATER if elsewhere is None else _REBOUND_LATER
    where = "" if elsewhere is None else storage_label(moment.after.tensors[elsewhere].storage)
    return [moment.in_framework_words(pattern).format(called.first, called.names[0], line, where)]


_NAMED_LATER = Text("`{0}` will be named `{1}` when {2} is done.", "`{0}` 要到{2}执行完才得名 `{1}`。")
_REBOUND_LATER = Text(
    "`{0}` will be named `{1}` when {2} is done; until then `{1}` is still the tensor in {3}.",
    "`{0}` 要到{2}执行完才得名 `{1}`，在此之前 `{1}` 仍是 {3} 上的张量。",
)


def _renamed(moment: Moment) -> list[Text]:
    """Names tensors that lose a name to the result but keep another: `y = x; x = x + 1.` writes nothing to `y`."""
    pattern = Text(
        "From now on `{name}` is the name of the result; {old} is as it was.",
        "从此 `{name}` 是结果的名字；{old} 保持原样。",
    )
    result, before = moment.result, moment.before
    if result is None:
        return []
    taken = {*result.names}.difference(before.called(result.id).names if before.called(result.id).bound else ())
    losers = [old for old in before.tensors.values() if not taken.isdisjoint(old.names)] if taken else []
    said = []
    for old in losers:
        left = moment.names_by_line_end(old.id)
        if old.id != result.id and left:
            lost = next(name for name in old.names if name in taken)
            said.append(pattern.format(name=lost, old=moment.label(old, left)))
    return said


def _copied(moment: Moment) -> list[Text]:
    pattern = Text(
        "The overwritten value was copied first ({0}), because backward needs it.",
        "被覆盖的值事先复制了一份（{0}），因为反向传播要用到它。",
    )
    made = {key for key, _ in moment.step.storages if key not in moment.before.storages}
    copies = {saved.storage for _, node in moment.step.nodes if node for saved in node.saved if saved.copy} & made
    total = sum(moment.after.storages[copy].bytes for copy in copies if copy in moment.after.storages)
    return [pattern.format(byte_count(total))] if copies else []


def versions(moment: Moment) -> list[Text]:
    """Describes the versions that a step raised, and the tensors that share them."""
    raised = [write for write in moment.step.writes if write.before != write.after]
    rose = terms_of(moment.recording).rose
    return [
        joined(
            [
                rose.format(storage_label(write.storage), write.before, write.after) + _seen_by(moment, write),
                *_unseen_by(moment, write),
            ]
        )
        for write in raised
    ] + [_STAYS.format(storage_label(write.storage), write.after) for write in moment.step.writes if _is_silent(write)]


_STAYS = Text("The version of {0} stays {1}.", "{0} 的版本号仍为 {1}。")


def _is_silent(write: WriteFacts) -> bool:
    """Whether a write does not raise the version, as some kernels of PyTorch and Paddle."""
    return bool(write.slots) and write.before == write.after


def _unseen_by(moment: Moment, write: WriteFacts) -> list[Text]:
    """Names the tensors on the storage whose own counter does not count the write, as one through `x.data` in PyTorch."""
    there = moment.after.tensors_on(write.storage)
    others = [each.id for each in there if each.counter != write.counter and moment.after.called(each.id).bound]
    if not others:
        return []
    pattern = Text("The counter of {0} does not count this write.", "{0} 的版本号不计入这次写入。")
    return [pattern.format(moment.listed(others, moment.called))]


def _seen_by(moment: Moment, write: WriteFacts) -> Text:
    """Names all tensors that share the storage, if others do besides the one that was written through."""
    sharers = [tensor.id for tensor in tensors_counted_by(moment.after, write.counter)]
    if not {*sharers} - {write.tensor}:
        return joined([Text(".", "。"), *_other_names(moment, write.tensor)])
    if len(sharers) == 1:
        return Text(", seen by {0}.", "，可经由 {0} 看到。").format(moment.called(sharers[0]))
    in_order = sorted(sharers, key=lambda tensor: tensor != write.tensor)
    pattern = terms_of(moment.recording).shared
    return pattern.format(storage_label(write.storage), moment.listed(in_order, moment.called))


def _other_names(moment: Moment, tensor: int) -> list[Text]:
    """Names what a tensor is called from the end of the line on, if that is something else: `y = x.scale_(2.)`."""
    was, now = moment.before.called(tensor).names, moment.after.called(tensor).names
    new = [quoted(name) for name in now if name not in was]
    if not was or not new or moment.after.called(tensor).coming:
        return []
    if {*was} & {*now}:
        also = Text("From now on {0} is called {1}, too.", "此后 {0} 又名 {1}。")
        return [also.format(quoted(was[0]), listing(new))]
    return [Text("From now on {0} is called {1}.", "此后 {0} 名为 {1}。").format(quoted(was[0]), listing(new))]


def history(moment: Moment) -> list[Text]:
    """Describes the tensors that have another grad node now."""
    # A temporary that is freed with the statement takes its new node along: there is nothing left to describe.
    lasting = (each for each in moment.step.rewired if each.after is None or moment.node(each.after) is not None)
    return [_rewired(moment, each) for each in lasting]


def _rewired(moment: Moment, rewire: RewireFacts) -> Text:
    x, tensor = moment.called_shortly(rewire.tensor), moment.after.tensors.get(rewire.tensor)
    if rewire.after is None:
        return Text("{0} no longer has a history.", "{0} 不再有梯度历史。").format(x)
    new = moment.called_node(rewire.after)
    if rewire.before is None:
        return Text("{0} now has a history: it comes from {1}.", "{0} 从此有了梯度历史，梯度节点是 {1}。").format(
            x, new
        )
    old = moment.called_node(rewire.before)
    if tensor is not None and tensor.base is not None:
        pattern = Text("The view {0} was given a new grad node, {1}.", "视图 {0} 的梯度节点重新生成：{1}。")
        return pattern.format(x, new)
    return Text("{0} now comes from the new {1} instead of {2}.", "{0} 的梯度节点由 {2} 换成了新的 {1}。").format(
        x, new, old
    )


def _kept(moment: Moment) -> list[Text]:
    step = moment.step
    node = moment.node(step.kept) if step.kept is not None else None
    if node is None:
        return []
    said = kept_by_node(moment, node)
    return said or ([joins(moment, [node])] if step.category == "ordinary" and not node.saved else [])


def kept_by_node(moment: Moment, node: NodeFacts) -> list[Text]:
    """Names what a node keeps; nothing if it keeps nothing, or only a copy."""
    kept = [saved for saved in node.saved if not saved.copy]
    if not kept:
        return []
    names = [_kept_there(each) for each in namings(moment.recording, moment.after, node.id, kept)]
    pattern = Text("{0} keeps {1} for backward.", "{0} 为反向传播保存了 {1}。")
    return [pattern.format(moment.called_node(node.id), listing(names))]


def joins(moment: Moment, nodes: Sequence[NodeFacts]) -> Text:
    """Names new nodes that keep nothing."""
    one = Text("{0} joins the graph and keeps no tensor.", "反向图中加入了 {0}，它不保存任何张量。")
    many = Text("{0} join the graph and keep no tensor.", "反向图中加入了 {0}，它们不保存任何张量。")
    return (one if len(nodes) == 1 else many).format(listing([moment.called_node(node.id) for node in nodes]))


def _kept_there(naming: Naming) -> Text:
    saved = naming.saved[0]
    there = Text("{0} at version {1}", "{0} 的版本 {1}").format(storage_label(saved.storage), saved.version)
    return naming.phrase(there)


def _stale(moment: Moment) -> list[Text]:
    spoilt: dict[int, list[SavedFacts]] = {}
    for node, saved in newly_stale(moment.recording, moment.index):
        spoilt.setdefault(node, []).append(saved)
    return went_stale(moment, spoilt)


def went_stale(moment: Moment, spoilt: Mapping[int, Sequence[SavedFacts]]) -> list[Text]:
    """Names the values that are stale now, by the node that keeps them; of very many only the number of nodes."""
    if len(spoilt) > MOST_ITEMS:
        pattern = Text("What {0} grad nodes kept is now stale.", "{0} 个梯度节点保存的值已过期。")
        return [pattern.format(len(spoilt))]
    return [_went_stale(moment, node, saved) for node, saved in spoilt.items()]


def _went_stale(moment: Moment, node: int, saved: Sequence[SavedFacts]) -> Text:
    pattern = Text("What {0} kept is now stale: {1}.", "{0} 保存的值已过期：{1}。")
    names = [each.phrase() for each in namings(moment.recording, moment.after, node, saved)]
    return pattern.format(moment.called_node(node), listing(names))
