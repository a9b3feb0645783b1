"""Describes existing tensors as they were at one moment: which of them share a storage, and which saved values are stale."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.recording.facts import NodeFacts, TensorFacts
from inplacelab.recording.naming import GRADIENT, node_label, storage_label
from inplacelab.recording.sentences.phrases import joined, listing, quoted
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.supported import framework_named

__all__ = ["seen_at_once"]

MOST_STORAGES = 6
"""Of so many storages it is said which tensors share them, and of so many saved values that they are stale."""

_SHARED = Text("{0} share storage {1}.", "{0} 共享存储 {1}。")
_ALONE = Text("No two of these {0}tensors share a storage.", "这些{0}张量互不共享存储。")
_ONE = Text(
    "{0} shares its storage {1} with no other {2}tensor shown here.", "{0} 的存储 {1} 没有与这里的其他{2}张量共享。"
)
_SAME = Text("{0} are one and the same tensor.", "{0} 是同一个张量。")
_UNNAMED = Text("`T{0}` (unnamed)", "`T{0}`（未命名）")
_RELEASED = Text(
    "{0} {1} released what {2} had saved, in an earlier backward pass: another one that needs it will be refused.",
    "{0} 保存的张量已在此前的反向传播中释放：再次反向传播若需要它们，会被拒绝。",
)
_MORE = Text("So do those of {0:,} further storages.", "另有 {0:,} 个存储也由多个张量共享。")
_STALE = Text(
    "{0} saved version {1} of {2}, which is at version {3} now: that is stale, and backward will refuse it.",
    "{0} 保存了 {2} 的版本 {1}，而它现在是版本 {3}：保存的值已经过期，反向传播会拒绝使用。",
)
_MORE_STALE = Text("{0:,} further saved values are stale.", "另有 {0:,} 个保存的值已经过期。")


def seen_at_once(moment: Moment) -> Text:
    """Returns the sentences for a look at existing tensors."""
    return joined([*_sharing(moment), *_freed(moment), *_stale(moment), *_released(moment)])


def _sharing(moment: Moment) -> list[Text]:
    by_storage: dict[int, list[TensorFacts]] = {}
    tensors = sorted(moment.after.tensors.values(), key=lambda each: not each.names)
    for each in tensors:
        by_storage.setdefault(each.storage, []).append(each)
    named = [each for each in tensors if each.names]
    several = {storage: on for storage, on in by_storage.items() if len(on) > 1 and on[0].names}
    shared, alone, one = (moment.in_framework_words(each) for each in (_SHARED, _ALONE, _ONE))
    known = framework_named(moment.recording.framework)
    framework = "" if known is None else known.title
    its = Text(f"{framework} " if framework else "", f" {framework} " if framework else "")
    if not several and len(named) == 1:
        return [one.format(_label(moment, named[0]), storage_label(named[0].storage), its)]
    same = [each for each in named if len(each.names) > 1 and each.storage not in several and not _is_gradient(each)]
    said = [
        moment.in_framework_words(_SAME).format(listing([quoted(name) for name in each.names]))
        for each in same[:MOST_STORAGES]
    ]
    if not several:
        return [*said, alone.format(its)]
    said += [
        shared.format(listing([_label(moment, each) for each in on]), storage_label(storage))
        for storage, on in [*several.items()][:MOST_STORAGES]
    ]
    return [*said, *([_MORE.format(len(several) - MOST_STORAGES)] if len(several) > MOST_STORAGES else [])]


def _label(moment: Moment, tensor: TensorFacts) -> Text:
    """Names a tensor. One that was not given is there because it is the base of a view, or because a node has saved it."""
    return moment.label(tensor) if tensor.names else _UNNAMED.format(tensor.id)


def _is_gradient(tensor: TensorFacts) -> bool:
    return all(name.endswith(GRADIENT) for name in tensor.names)


def _released(moment: Moment) -> list[Text]:
    state = moment.after
    nodes = [node_label(state, node) for node in state.nodes.values() if node.released]
    if not nodes:
        return []
    words = ("has", "it") if len(nodes) == 1 else ("have", "they")
    return [_RELEASED.format(listing(nodes), *words)]


def _freed(moment: Moment) -> list[Text]:
    """Names the tensors whose elements are no longer in their storage, as after `untyped_storage().resize_(0)`."""
    storages = moment.after.storages
    gone = [
        each
        for each in moment.after.tensors.values()
        if each.names and 0 not in each.shape and (on := storages.get(each.storage)) is not None and not on.bytes
    ]
    verb = "has" if len(gone) == 1 else "have"
    pattern = Text(f"{{0}} {verb} no memory any more: the storage was freed.", "{0} 已经没有内存：存储已被释放。")
    return [pattern.format(listing([moment.label(each) for each in gone]))] if gone else []


def _stale(moment: Moment) -> list[Text]:
    state = moment.after
    keepers: dict[tuple[int, int, int], dict[int, NodeFacts]] = {}
    for node in state.nodes.values():
        for saved in node.saved:
            if state.is_stale(saved):
                keepers.setdefault((saved.storage, saved.counter, saved.version), {})[node.id] = node
    said = []
    for (storage, counter, version), nodes in [*keepers.items()][:MOST_STORAGES]:
        names = listing([node_label(state, node) for node in nodes.values()])
        said.append(_STALE.format(names, version, storage_label(storage), state.counters[counter].version))
    return [*said, *([_MORE_STALE.format(len(keepers) - MOST_STORAGES)] if len(keepers) > MOST_STORAGES else [])]
