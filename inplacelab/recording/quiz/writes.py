"""Makes questions about a write: which tensors see it, and what the version is afterwards."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from inplacelab.language import Text
from inplacelab.recording.facts import CounterFacts, TensorFacts, WriteFacts
from inplacelab.recording.naming import storage_label
from inplacelab.recording.queries import changed_values, tensors_counted_by, visible_values
from inplacelab.recording.quiz.question import (
    MOST_OPTIONS,
    Question,
    a_question,
    learners_write,
    named,
    on_storage,
)
from inplacelab.recording.sentences.phrases import Moment, joined, listing, slots
from inplacelab.recording.slots import common_runs, slot_runs

__all__ = ["values", "version"]


# --- values --------------------------------------------------------------------------------------------------------


def values(moment: Moment) -> Question | None:
    """Asks which tensors will show other values.

    Asked about a write that another named tensor on the same storage may see. The other options are tensors on other
    storages. Not asked if values were not recorded, if it is not known which slots were written, or if no tensor changes.
    """
    write = next((write for write in moment.step.writes if write.slots), None)
    if write is None or write.slots_are == "around" or not learners_write(moment):
        return None
    sharing = [tensor for tensor in named(moment) if tensor.storage == write.storage]
    seen_by_another = any(tensor.id != write.tensor for tensor in sharing)
    if not seen_by_another or not all(_recorded(moment, tensor) for tensor in sharing):
        return None
    shown = _shown(moment, sharing)
    changed = {*changed_values(moment.recording, moment.index)}
    options = [(moment.called_until_now(tensor.id), tensor.id in changed) for tensor in shown]
    ask = Text("Which of these tensors will show other values?", "其中哪些张量的值会改变？")
    about = [f"t{tensor.id}" for tensor in shown if tensor.id in changed]
    return a_question(
        moment,
        "values",
        moment.in_framework_words(ask),
        options,
        _who_sees(moment, write, shown, changed),
        about,
        several=True,
    )


def _recorded(moment: Moment, tensor: TensorFacts) -> bool:
    before, now = moment.before, moment.after.tensors.get(tensor.id)
    if now is None or visible_values(before, tensor) is None:
        return False
    return visible_values(moment.after, now) is not None


def _shown(moment: Moment, sharing: list[TensorFacts]) -> list[TensorFacts]:
    """Returns the tensors to offer, those on the storage before others, sorted by number so that none stands out."""
    ids = {tensor.id for tensor in sharing}
    others = [tensor for tensor in named(moment) if tensor.id not in ids and _recorded(moment, tensor)]
    return sorted([*sharing, *others][:MOST_OPTIONS], key=lambda tensor: tensor.id)


def _who_sees(moment: Moment, write: WriteFacts, shown: list[TensorFacts], changed: Collection[int]) -> Text:
    def listed(pattern: Text, tensors: Iterable[TensorFacts]) -> list[Text]:
        called = [moment.called_before(tensor.id) for tensor in tensors]
        return [pattern.format(listing(called), storage_label(write.storage))] if called else []

    still = [tensor for tensor in shown if tensor.id not in changed]
    here = [tensor for tensor in still if tensor.storage == write.storage]
    reaching = [tensor for tensor in here if common_runs(slot_runs(tensor), write.slots)]
    wrote = Text("{head} writes {slots} of {storage}.", "{head}写入 {storage} 的{slots}。")
    return joined(
        [
            wrote.format(head=moment.head, slots=slots(write.slots), storage=storage_label(write.storage)),
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


def version(moment: Moment) -> Question | None:
    """Asks what the version of the storage will be.

    Asked if a counter rises, and if it might be expected to: about the storage that a tensor leaves when an
    operation is in place in name only. The other options are the versions around it.
    """
    counter = _counted(moment)
    before = moment.before.counters.get(counter) if counter is not None else None
    after = moment.after.counters.get(counter) if counter is not None else None
    if before is None or after is None:
        return None
    is_raised = any(write.counter == counter and write.before != write.after for write in moment.step.writes)
    if is_raised != (before.version != after.version):
        return None  # the recording contradicts itself
    if not is_raised and moment.step.category != "reallocated":
        return None
    storage = after.storage
    found = sorted({before.version, before.version + 1, before.version + 2, after.version})
    options = [(Text(f"v{number}", f"v{number}"), number == after.version) for number in found]
    ask = Text("What will the version of {0} be?", "{0} 的版本号会是多少？")
    why = _raised(moment, after) if before.version != after.version else _spared(moment, storage)
    return a_question(moment, "version", ask.format(on_storage(moment, storage)), options, why, [f"s{storage}"])


def _counted(moment: Moment) -> int | None:
    """Returns the counter to ask about; None if there is none."""
    step = moment.step
    if learners_write(moment):
        return next((write.counter for write in step.writes if write.before != write.after), None)
    if step.kind == "operation" and step.category == "reallocated" and step.output is not None:
        was, now = moment.tensor_before(step.output), moment.after.tensors.get(step.output)
        return was.counter if was and now and now.storage not in moment.before.storages else None
    return None


def _raised(moment: Moment, counter: CounterFacts) -> Text:
    write = next(write for write in moment.step.writes if write.counter == counter.id and write.before != write.after)
    many = Text(
        "A write raises the counter once, however many slots it writes: {0} goes from v{1} to v{2}.",
        "无论写了多少个槽位，一次写入只使版本号增加一次：{0} 从 v{1} 变为 v{2}。",
    )
    none = Text(
        "No slot is written, but an in-place operation raises the counter all the same: {0} goes from v{1} to v{2}.",
        "虽然没有写任何槽位，原地操作仍会使版本号增加：{0} 从 v{1} 变为 v{2}。",
    )
    said = (many if write.slots else none).format(storage_label(write.storage), write.before, write.after)
    sharers = [moment.called_before(tensor.id) for tensor in tensors_counted_by(moment.after, counter.id)]
    if len(sharers) < 2:
        return said
    if len(moment.after.versions(counter.storage)) > 1:
        shared = Text("{0} share this counter.", "{0} 共享这个版本号。")
    else:
        shared = Text("The counter belongs to the storage: {0} share it.", "版本号属于存储，由 {0} 共享。")
    return joined([said, shared.format(listing(sharers))])


def _spared(moment: Moment, storage: int) -> Text:
    assert moment.step.output is not None  # checked by `_counted`
    pattern = Text(
        "{0} is in place in name only: {1} moves to a storage of its own, and {2} is not written.",
        "{0}只是名义上的原地操作：{1} 搬到自己的新存储，{2} 没有被写入。",
    )
    return pattern.format(moment.head, moment.called_before(moment.step.output), storage_label(storage))
