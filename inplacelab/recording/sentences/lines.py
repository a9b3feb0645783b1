"""Describes a line without an operation: names bound and unbound, flags set, storages freed."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import StorageFacts, TensorFacts
from inplacelab.recording.naming import is_gradient_of, storage_label
from inplacelab.recording.sentences.phrases import byte_count, joined, listing, quoted
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.supported import terms_of

__all__ = ["changes_of_names", "freed", "listed_storages", "plain_line", "written"]


def plain_line(moment: Moment) -> Text:
    """Returns the sentences for a line that ran no operation, or for the end of one that did."""
    happened = [*changes_of_names(moment), *written(moment), *freed(moment)]
    if not happened:
        return moment.in_framework_words(Text("{0} changed no tensor.", "{0}没有改变任何张量。")).format(moment.line)
    return Text("{0}: {1}", "{0}：{1}").format(moment.line, joined(happened))


def changes_of_names(moment: Moment) -> list[Text]:
    """Describes names bound and unbound, flags set and gradients cleared."""
    return [*_bound(moment), *_unbound(moment), *_flags(moment)]


def written(moment: Moment) -> list[Text]:
    """Describes writes by operations that are not steps, such as those in the `forward` of a `PyLayer`."""
    before = moment.before.counters
    said = []
    for key, now in moment.step.counters:
        if now is None or key not in before:
            continue
        wrote = terms_of(moment.recording).written.format(storage_label(now.storage), before[key].version, now.version)
        seen = [tensor.id for tensor in moment.after.tensors_on(now.storage)]
        by = Text(", seen by {0}.", "，可经由 {0} 看到。")
        said.append(wrote + (by.format(moment.listed(seen, moment.called_after)) if seen else Text(".", "。")))
    return said


def freed(moment: Moment) -> list[Text]:
    """Describes the storages that the step freed."""
    before = moment.before.storages
    gone = [before[key] for key, facts in moment.step.storages if facts is None and key in before]
    if not gone:
        return []
    verb = Text("{0} was freed ({1})." if len(gone) == 1 else "{0} were freed ({1}).", "{0} 已释放（{1}）。")
    return [verb.format(listed_storages(gone), byte_count(sum(storage.bytes for storage in gone)))]


MOST_STORAGES = 24
"""More storages are counted: the end of a function frees hundreds."""
MOST_NAMED = 6
"""Of more tensors, it is counted how many have lost a gradient, as by `zero_grad`, or have another name."""


def listed_storages(storages: Sequence[StorageFacts]) -> Text:
    """Names storages, or says how many there are."""
    if len(storages) > MOST_STORAGES:
        return Text("{0:,} storages", "{0:,} 个存储").format(len(storages))
    return listing([Text(label, label) for label in (storage_label(storage.id) for storage in storages)])


def _bound(moment: Moment) -> list[Text]:
    """Describes names that are bound to another tensor than before, or are new."""
    found = [(key, facts) for key, facts in moment.step.tensors if facts is not None]
    older = (
        [] if moment.step.op else [facts for key, facts in found if facts.names and not _is_known(moment, key, facts)]
    )
    older = older if len(older) > 1 else []  # one may be what the line has made, as `x = numpy.load(…)`
    bound = [pair for pair in found if pair[1] not in older]
    return [*_first_seen(moment, older), *_other_names(moment, bound), *_new_names(moment, bound)]


def _is_known(moment: Moment, key: int, facts: TensorFacts) -> bool:
    """Whether a tensor, or one of its names, was seen before: else it is from before the recording, or what made it was not recorded."""
    names = {name for tensor in moment.before.tensors.values() for name in tensor.names}
    return moment.tensor_before(key) is not None or not names.isdisjoint(facts.names)


def _first_seen(moment: Moment, found: Sequence[TensorFacts]) -> list[Text]:
    pattern = Text("First seen here: {0}.", "这里首次见到 {0}。")
    return [pattern.format(listing([moment.label(facts) for facts in found]))] if found else []


def _other_names(moment: Moment, found: Sequence[tuple[int, TensorFacts]]) -> list[Text]:
    """Describes further names of tensors that keep one: of at most `MOST_NAMED` tensors each."""
    new = {key: _split(moment, key, facts) for key, facts in found}
    also = [(facts, *new[key]) for key, facts in found if all(new[key])]
    names = {name for _, bound, _ in also for name in bound}
    also = [each for each in also if not all(is_gradient_of(name, names) for name in each[1])]
    if len(also) > MOST_NAMED:
        return [moment.in_framework_words(_MANY_NAMES).format(len(also))]
    return [_other_name(moment, *each) for each in also]


def _new_names(moment: Moment, found: Sequence[tuple[int, TensorFacts]]) -> list[Text]:
    """Describes the names of tensors that had none, or others."""
    split = [(facts, *_split(moment, key, facts)) for key, facts in found]
    return [_binding(moment, name, facts) for facts, new, kept in split if not kept for name in new]


def _split(moment: Moment, key: int, facts: TensorFacts) -> tuple[list[str], list[str]]:
    """Returns which of a tensor's names are new, and which it had already."""
    before = _names_before(moment, key)
    new, kept = ([name for name in facts.names if (name in before) is known] for known in (False, True))
    return new, kept


def _other_name(moment: Moment, facts: TensorFacts, new: Sequence[str], kept: Sequence[str]) -> Text:
    pattern = _OTHER_NAME if len(new) == 1 else _OTHER_NAMES
    names = listing([quoted(name) for name in new])
    return moment.in_framework_words(pattern).format(names, moment.label(facts, tuple(kept)))


_OTHER_NAME = Text(
    "{0} is another name for the tensor {1}: one object, nothing was copied.",
    "{0} 是张量 {1} 的又一个名字：同一个对象，没有任何复制。",
)
_OTHER_NAMES = Text(
    "{0} are other names for the tensor {1}: one object, nothing was copied.",
    "{0} 都是张量 {1} 的名字：同一个对象，没有任何复制。",
)
_MANY_NAMES = Text(
    "{0:,} tensors have further names now: nothing was copied.",
    "{0:,} 个张量有了新的名字：没有任何复制。",
)


def _binding(moment: Moment, name: str, facts: TensorFacts) -> Text:
    place = storage_label(facts.storage)
    if any(name in tensor.names for tensor in moment.before.tensors.values()):
        pattern = Text("`{0}` now names another tensor, in {1}.", "`{0}` 改为指向另一个张量，其存储是 {1}。")
    else:
        pattern = Text("The tensor in {1} is now called `{0}`.", "存储 {1} 上的张量现在名为 `{0}`。")
    return moment.in_framework_words(pattern).format(name, place)


def _unbound(moment: Moment) -> list[Text]:
    """Describes names that are no longer bound to a tensor."""
    bound = {name for tensor in moment.after.tensors.values() for name in tensor.names}
    cleared = {was.grad for was, _ in _cleared(moment)}  # said apart: a gradient is cleared
    touched = (moment.before.tensors[key] for key, _ in moment.step.tensors if key in moment.before.tensors)
    lost = [
        name
        for tensor in touched
        for name in tensor.names
        if name not in bound and not (tensor.id in cleared and name.endswith(".grad"))
    ]
    lost = [name for name in lost if not is_gradient_of(name, lost)]
    if not lost:
        return []
    verb = "names" if len(lost) == 1 else "name"
    pattern = Text(f"{{0}} no longer {verb} a tensor.", "{0} 不再指向任何张量。")
    return [moment.in_framework_words(pattern).format(listing([quoted(name) for name in lost]))]


def _flags(moment: Moment) -> list[Text]:
    said = []
    for key, now in moment.step.tensors:
        was = moment.tensor_before(key)
        if now is not None and was is not None and was.needs_gradient != now.needs_gradient:
            asks = Text("{0} now requires a gradient (`{1}`).", "{0} 现在需要梯度（`{1}`）。")
            declines = Text("{0} no longer requires a gradient (`{1}`).", "{0} 不再需要梯度（`{1}`）。")
            flag = terms_of(moment.recording).flagged(asks=now.needs_gradient)
            said.append((asks if now.needs_gradient else declines).format(moment.label(now), flag))
    return [*said, *_without_gradients(moment)]


def _without_gradients(moment: Moment) -> list[Text]:
    """Describes gradients that were cleared: at most `MOST_NAMED` by name, so that the headline stays short."""
    cleared = [moment.label(now) for _, now in _cleared(moment)]
    if len(cleared) > MOST_NAMED:
        return [Text("{0:,} gradients were cleared.", "清除了 {0:,} 个梯度。").format(len(cleared))]
    pattern = "The gradient of {0} was cleared." if len(cleared) == 1 else "The gradients of {0} were cleared."
    return [Text(pattern, "{0} 的梯度已清除。").format(listing(cleared))] if cleared else []


def _cleared(moment: Moment) -> list[tuple[TensorFacts, TensorFacts]]:
    """The tensors that have no gradient any more, before and after the step."""
    pairs = [(moment.tensor_before(key), now) for key, now in moment.step.tensors]
    return [(was, now) for was, now in pairs if was and now and was.grad is not None and now.grad is None]


def _names_before(moment: Moment, tensor: int) -> tuple[str, ...]:
    was = moment.tensor_before(tensor)
    return was.names if was else ()
