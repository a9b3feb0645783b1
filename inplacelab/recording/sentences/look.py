"""Describes existing tensors as they were at one moment: which of them share a storage, and which saved values are stale."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.recording.facts import NodeFacts, TensorFacts
from inplacelab.recording.naming import node_label, storage_label
from inplacelab.recording.sentences.phrases import joined, listing
from inplacelab.recording.sentences.step_context import Moment

__all__ = ["seen_at_once"]

MOST_STORAGES = 6
"""Of so many storages it is said which tensors share them, and of so many saved values that they are stale."""

_SHARED = Text("{0} share storage {1}.", "{0} 共享存储 {1}。")
_ALONE = Text("No two of these tensors share a storage.", "这些张量互不共享存储。")
_ONE = Text("{0} shares its storage {1} with no other tensor shown here.", "{0} 的存储 {1} 没有与这里的其他张量共享。")
_MORE = Text("So do those of {0:,} further storages.", "另有 {0:,} 个存储也由多个张量共享。")
_STALE = Text(
    "{0} saved version {1} of {2}, which is at version {3} now: that is stale, and backward will refuse it.",
    "{0} 保存了 {2} 的版本 {1}，而它现在是版本 {3}：保存的值已经过期，反向传播会拒绝使用。",
)
_MORE_STALE = Text("{0:,} further saved values are stale.", "另有 {0:,} 个保存的值已经过期。")


def seen_at_once(moment: Moment) -> Text:
    """Returns the sentences for a look at existing tensors."""
    return joined([*_sharing(moment), *_freed(moment), *_stale(moment)])


def _sharing(moment: Moment) -> list[Text]:
    by_storage: dict[int, list[TensorFacts]] = {}
    named = [each for each in moment.after.tensors.values() if each.names]
    for each in named:
        by_storage.setdefault(each.storage, []).append(each)
    several = {storage: tensors for storage, tensors in by_storage.items() if len(tensors) > 1}
    shared, alone = moment.in_framework_words(_SHARED), moment.in_framework_words(_ALONE)
    if len(named) == 1:
        return [moment.in_framework_words(_ONE).format(moment.label(named[0]), storage_label(named[0].storage))]
    if not several:
        return [alone]
    said = [
        shared.format(listing([moment.label(each) for each in tensors]), storage_label(storage))
        for storage, tensors in [*several.items()][:MOST_STORAGES]
    ]
    return [*said, *([_MORE.format(len(several) - MOST_STORAGES)] if len(several) > MOST_STORAGES else [])]


def _freed(moment: Moment) -> list[Text]:
    """Names the tensors whose elements are no longer in their storage, as after `untyped_storage().resize_(0)`."""
    storages = moment.after.storages
    gone = [
        each
        for each in moment.after.tensors.values()
        if each.names and 0 not in each.shape and not storages[each.storage].bytes
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
