"""Describes a line of the program as a whole: all of its steps as if they were one, from the state before it to the state after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inplacelab.language import Text
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.facts import SavedFacts, Step, TensorFacts
from inplacelab.recording.naming import listing
from inplacelab.recording.queries import stale
from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import relation_of, shown_relation
from inplacelab.recording.sentences.operations import (
    communicated,
    history,
    joins,
    kept_by_node,
    launched,
    place_of,
    several,
    slots_written,
    unchanged,
    versions,
    went_stale,
)
from inplacelab.recording.sentences.other_steps import changes_of_names, error_step, freed, listed_storages
from inplacelab.recording.sentences.phrases import StepContext, byte_count, joined, quoted
from inplacelab.recording.statements import joined_steps


def line_summary(recording: Recording, steps: range) -> Text:
    """Describes steps that follow each other, as if they were one step.

    Args:
        recording: the recording.
        steps: the indices of at least two steps of one line.
    """
    parts, context = [recording.steps[index] for index in steps], as_one(recording, steps)
    said = [
        *_ran(context, parts),
        *_made(context),
        *_wrote(context),
        *_backward(context, parts),
        *([] if _is_too_much(context) else versions(context)),
        *history(context),
        *_kept(context),
        *_stale(context),
        *_named(context, parts),
        *_freed(context, parts),
        *launched([launch for step in parts for launch in step.launches]),
        *communicated([step.collective for step in parts]),
    ]
    errors = [error_step(StepContext(recording, step.index)) for step in parts if step.error is not None]
    return joined([*said, *errors])


def as_one(recording: Recording, steps: range) -> StepContext:
    """Returns steps that follow each other as if they were one."""
    parts = [recording.steps[index] for index in steps]
    return StepContext(recording, steps[-1], steps[0], joined_steps(recording, parts))


MOST_TOLD = 8
"""The most writes of a line, and the most grad nodes, that are told one by one."""

# --- what is said of it --------------------------------------------------------------------------------------------------


def _ran(context: StepContext, parts: Sequence[Step]) -> list[Text]:
    """Names the operations, each once, and what they read."""
    ran = dict.fromkeys(code_of(context.recording, step) for step in parts if step.kind == "operation")
    if not ran:
        return [Text("{0}:", "{0}：").format(context.line)]
    pattern = Text("{0} ran {1}.", "{0}执行了 {1}。")
    if context.step.inputs:
        pattern = Text("{0} ran {1} on {2}.", "{0}对 {2} 执行了 {1}。")
    inputs = context.listed(context.step.inputs, context.called_before) if context.step.inputs else ""
    return [pattern.format(context.line, listing([quoted(each) for each in ran]), inputs)]


def _made(context: StepContext) -> list[Text]:
    """Describes the tensors that are new after the line, those without a name left out: nothing of the program leads to them."""
    gradients = {tensor.grad for tensor in context.after.tensors.values()}
    new = [facts for key, facts in context.step.tensors if facts is not None and key not in context.before.tensors]
    return [
        _new_tensor(context, each) for each in new if context.after.called(each.id).names and each.id not in gradients
    ]


def _new_tensor(context: StepContext, tensor: TensorFacts) -> Text:
    x, relation = context.called(tensor.id), relation_of(context.recording, context.after, tensor)
    if relation is None:
        return Text("It made {0} in {1}.", "产生 {0}，放在{1}中。").format(x, place_of(context, tensor))
    view = Text("It made {0}, a {1}.", "得到 {0}，它是 {1}。")
    shares = Text("It made {0}, which {1}.", "得到 {0}，它{1}。")
    return (view if relation.kind == "view" else shares).format(
        x, shown_relation(relation, lambda key: context.called_apart(key, tensor.id))
    )


def _wrote(context: StepContext) -> list[Text]:
    if _is_too_much(context):
        storages = dict.fromkeys(write.storage for write in context.step.writes)
        known = [context.after.storages.get(key) or context.before.storages.get(key) for key in sorted(storages)]
        there = [each for each in known if each is not None]
        temporary = len(storages) - len(there)
        if not there:
            return [Text("It wrote {0:,} temporary storages.", "写入了 {0:,} 个临时存储。").format(temporary)]
        also = Text(", and {0:,} temporary ones", "，以及 {0:,} 个临时存储") if temporary else Text("", "")
        pattern = Text("It wrote {0:,} storages: {1}{2}.", "写入了 {0:,} 个存储：{1}{2}。")
        return [pattern.format(len(there), listed_storages(there), also.format(temporary))]
    written = slots_written(context)
    return [Text("It {0}.", "{0}。").format(several(written)), *unchanged(context)] if written else []


def _is_too_much(context: StepContext) -> bool:
    """Whether the line wrote too much to tell each write: the steps have the slots and the versions."""
    return len(context.step.writes) > MOST_TOLD


def _backward(context: StepContext, parts: Sequence[Step]) -> list[Text]:
    """Sums up the steps of backward: the nodes that ran, the values that they found, the gradients that were filled."""
    facts = [(step, step.backward) for step in parts if step.backward is not None]
    if not facts:
        return []
    ran = sum(each.action == "run" for _, each in facts)
    found = [each.kept_at == each.found_at for _, each in facts if each.action == "unpack"]
    begun = next(((step, each.node) for step, each in facts if each.action == "begin"), None)
    said = [
        _count(ran, "Backward ran one grad node.", "Backward ran {0} grad nodes.", "反向传播执行了 {0} 个梯度节点。")
    ]
    if begun is not None and begun[1] is not None:
        called = StepContext(context.recording, begun[0].index).called_node(begun[1])
        start = Text("Backward began at {0}.", "反向传播从 {0} 开始。").format(called)
        said = [start, _count(ran, "One grad node ran.", "{0} grad nodes ran.", "执行了 {0} 个梯度节点。")]
    if any(found):
        fresh = sum(found)
        finders = "It" if ran == 1 else "They"
        one, many = f"{finders} found one kept value fresh.", f"{finders} found {{0}} kept values fresh."
        said.append(_count(fresh, one, many, "取用保存的值 {0} 次，未过期。"))
    filled = _filled(context)
    if filled:
        pattern = Text("{0} is filled." if len(filled) == 1 else "{0} are filled.", "梯度已写入 {0}。")
        said.append(pattern.format(listing(filled)))
    return said


def _count(number: int, one: str, many: str, zh: str) -> Text:
    return Text(one if number == 1 else many, zh).format(number)


def _filled(context: StepContext) -> list[Text]:
    """Names the gradients that a leaf has, and that backward has made or written to."""
    touched = context.step.touched_storages()
    found = []
    for key, tensor in context.after.tensors.items():
        gradient = None if tensor.grad is None else context.after.tensors.get(tensor.grad)
        was = context.before.tensors.get(key)
        if tensor.grad is None or not tensor.leaf:
            continue
        if was is None or was.grad != tensor.grad or (gradient is not None and gradient.storage in touched):
            found.append(quoted(f"{context.after.called(key).first}.grad"))
    return found


def _kept(context: StepContext) -> list[Text]:
    new = [node for key, node in context.step.nodes if node is not None and key not in context.before.nodes]
    keepers = [node for node in new if node.leaf is None and not node.released]
    keeping = [text for node in keepers for text in kept_by_node(context, node)]
    plain = [node for node in keepers if not node.saved]
    if len(keeping) > MOST_TOLD:
        count = sum(not saved.copy for node in keepers for saved in node.saved)
        pattern = Text(
            "{0:,} new grad nodes keep {1:,} values for backward.",
            "新增的 {0:,} 个梯度节点为反向传播保存了 {1:,} 个值。",
        )
        return [pattern.format(len(keeping), count)]
    if keeping or not plain:
        return keeping
    return [joins(context, plain)]


def _stale(context: StepContext) -> list[Text]:
    """Names what has gone stale on this line."""
    was = {(node, saved.name) for node, saved in stale(context.before)}
    spoilt: dict[int, list[SavedFacts]] = {}
    for node, saved in stale(context.after):
        if (node, saved.name) not in was:
            spoilt.setdefault(node, []).append(saved)
    return went_stale(context, spoilt)


def _named(context: StepContext, parts: Sequence[Step]) -> list[Text]:
    """Describes names and flags, where the line had them besides its operations."""
    old = tuple((key, facts) for key, facts in context.step.tensors if key in context.before.tensors)
    known = StepContext(context.recording, context.index, context.first, replace(context.step, tensors=old))
    return changes_of_names(known) if any(step.kind in ("line", "operation") for step in parts) else []


def _freed(context: StepContext, parts: Sequence[Step]) -> list[Text]:
    """Describes the storages that are gone, and sums up those that were made only for a while."""
    made = {key: facts for step in parts for key, facts in step.storages if facts is not None}
    gone = [
        facts for key, facts in made.items() if key not in context.before.storages and key not in context.after.storages
    ]
    said = freed(context)
    if gone:
        pattern = Text(
            "{0} was made and freed again ({1})." if len(gone) == 1 else "{0} were made and freed again ({1}).",
            "{0} 建立后又释放（{1}）。",
        )
        said.append(pattern.format(listed_storages(gone), byte_count(sum(each.bytes for each in gone))))
    return said
