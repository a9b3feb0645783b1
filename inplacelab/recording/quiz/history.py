"""Makes questions about the gradient history (what goes stale, from which grad node a tensor comes), errors, and origins: from which elements a number
will be computed, and on which elements the root of a pass does not depend.
"""

from __future__ import annotations

from math import prod

from inplacelab.language import Text
from inplacelab.recording.facts import BackwardAction, NodeFacts, SavedFacts, Step, TensorFacts, Values
from inplacelab.recording.naming import listing, namings, node_label, storage_label
from inplacelab.recording.origins.back import called, elements_in_step, operands_of
from inplacelab.recording.origins.elements import index_of, written_index
from inplacelab.recording.origins.gradients import Contributions, contributions, ran_node_of
from inplacelab.recording.origins.words import path_says
from inplacelab.recording.queries import kept_by, newly_stale
from inplacelab.recording.quiz.memory import (
    MOST_OPTIONS,
    Option,
    Question,
    a_question,
    learners_write,
    named,
)
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.sentences import sentence
from inplacelab.recording.sentences.phrases import StepContext, joined, quoted

Kept = tuple[int, int]
"""A node's saved tensors on one storage, as (node, storage): they go stale together."""


# --- stale ---------------------------------------------------------------------------------------------------------


def stale(context: StepContext) -> Question | None:
    """Asks which saved tensors will become stale.

    Asked about a write while any saved tensor is fresh, also if none goes stale: otherwise asking would give the
    answer away. The other options are saved tensors on other storages, and "none of them".
    """
    before = context.before
    if not learners_write(context):
        return None
    fresh = _fresh(before)
    spoilt = {(key, saved.storage) for key, saved in newly_stale(context.recording, context.index)}
    if not fresh or not spoilt <= fresh.keys():
        return None
    # Saved tensors that go stale come first, so the limit never drops them.
    shown = sorted([*sorted(spoilt), *(kept for kept in fresh if kept not in spoilt)][: MOST_OPTIONS - 1])
    options: list[Option] = [(_kept_label(context, before, kept, fresh[kept]), kept in spoilt) for kept in shown]
    options.append((Text("none of them", "都不会"), not spoilt))
    ask = Text("Which saved tensors will become stale?", "保存的张量中，哪些会过期？")
    about = [f"n{key}" for key, _ in shown if not spoilt or (key, _) in spoilt]
    return a_question(context, "stale", ask, options, _why_stale(context, before, fresh, spoilt), about, several=True)


def _fresh(state: State) -> dict[Kept, list[SavedFacts]]:
    """Returns the saved tensors that can still go stale; a copy is never written again."""
    found: dict[Kept, list[SavedFacts]] = {}
    for key in state.nodes:
        for saved in kept_by(state, key):
            if saved.counter in state.counters and not state.is_stale(saved) and not saved.copy:
                found.setdefault((key, saved.storage), []).append(saved)
    return found


def _kept_label(context: StepContext, state: State, kept: Kept, saved: list[SavedFacts]) -> Text:
    names = listing([each.phrase() for each in namings(context.recording, state, kept[0], saved)])
    pattern = Text("{names}, kept by {node}", "{names}，由 {node} 保存")
    return pattern.format(names=names, node=node_label(state, state.nodes[kept[0]]))


def _why_stale(context: StepContext, before: State, fresh: dict[Kept, list[SavedFacts]], spoilt: set[Kept]) -> Text:
    written = [write for write in context.step.writes if write.before != write.after]
    at_stake = [kept for kept in fresh if kept[1] in {write.storage for write in written}]
    fates: dict[Text, list[Text]] = {}
    for kept in at_stake:
        fates.setdefault(_fate(context, kept, kept in spoilt), []).append(node_label(before, before.nodes[kept[0]]))
    said = [_went_up(write.storage, write.before, write.after) for write in written]
    said += [pattern.format(listing(nodes)) for pattern, nodes in fates.items()]
    if not at_stake:
        said.append(Text("No saved tensor there is fresh.", "那里没有尚未过期的保存张量。"))
    return joined(said)


def _fate(context: StepContext, kept: Kept, spoilt: bool) -> Text:
    """Explains what happened to a saved tensor whose storage has a new version."""
    if spoilt:
        return Text(
            "What {0} kept is stale: it was kept at an earlier version.",
            "{0} 保存的值已过期：它是在之前的版本上保存的。",
        )
    node, storage = kept
    after = context.after.nodes.get(node)
    if after is None or after.released:
        return Text("{0} no longer keeps it.", "{0} 已不再保存它。")
    if any(saved.copy for saved in after.saved if saved.storage != storage):
        return Text("A copy was made first for {0}.", "事先为 {0} 复制了一份。")
    return Text("What {0} kept is still fresh.", "{0} 保存的值没有过期。")


def _went_up(storage: int, before: int, after: int) -> Text:
    return Text("{0} goes from v{1} to v{2}.", "{0} 从 v{1} 变为 v{2}。").format(storage_label(storage), before, after)


# --- grad node -----------------------------------------------------------------------------------------------------


def node(context: StepContext) -> Question | None:
    """Asks which grad node a tensor will come from.

    Asked about a write that rewrites a history: about the base if the write was through a view, since that is the surprise,
    otherwise about the tensor written. Also asked about an unrecorded write, which leaves the history of what it
    overwrites unchanged. The other options are the tensor's current node and the nodes that the write makes;
    `CopySlices` is always among them.
    """
    before, tensor = context.before, _rewritten(context)
    now = context.after.tensors.get(tensor.id) if tensor is not None else None
    if tensor is None or now is None or not learners_write(context):
        return None
    made = context.after.nodes.get(now.node) if now.node is not None else None
    as_before = now.node == tensor.node
    if not as_before and (made is None or made.id in before.nodes):
        return None
    new = {"CopySlices", *(each.name for each in _new_nodes(context, before))}
    options: list[Option] = [(_as_before(before, tensor), as_before)]
    for name in sorted(new)[: MOST_OPTIONS - 1]:
        right = not as_before and made is not None and name == made.name
        options.append((Text("a new {0}", "新的 {0}").format(quoted(name)), right))
    ask = Text("Which grad node will {0} come from?", "{0} 的梯度节点会是哪一个？")
    about = [f"t{tensor.id}", *([f"n{made.id}"] if made else [])]
    why = _why_unchanged(context, tensor) if as_before or made is None else _why_new(context, tensor, made)
    return a_question(context, "node", ask.format(context.called_until_now(tensor.id)), options, why, about)


def _rewritten(context: StepContext) -> TensorFacts | None:
    """Returns the tensor whose history to ask about; None if there is none."""
    known = {tensor.id: tensor for tensor in named(context)}
    written = {write.tensor for write in context.step.writes}
    storages = {write.storage for write in context.step.writes if write.slots}
    rewired = [known[each.tensor] for each in context.step.rewired if each.tensor in known]
    bases = [tensor for tensor in rewired if tensor.id not in written and tensor.base is None]
    missed = [tensor for tensor in known.values() if tensor.storage in storages and tensor.node is not None]
    return next(iter([*bases, *rewired] or missed), None)


def _new_nodes(context: StepContext, before: State) -> list[NodeFacts]:
    changed = ((key, facts) for key, facts in context.step.nodes if facts is not None and key not in before.nodes)
    return [facts for _, facts in changed if facts.leaf is None]


def _as_before(before: State, tensor: TensorFacts) -> Text:
    was = before.nodes.get(tensor.node) if tensor.node is not None else None
    if was is None:
        return Text("none, as now", "没有梯度节点，和现在一样")
    return Text("{0}, as now", "{0}，和现在一样").format(node_label(before, was))


def _why_unchanged(context: StepContext, tensor: TensorFacts) -> Text:
    pattern = Text(
        "{head} made no grad node: the values of {x} have changed, but its history does not contain the write.",
        "{head}没有产生梯度节点：{x} 的值虽被写入，它的梯度历史却不知道这次写入。",
    )
    return pattern.format(head=context.head, x=context.called_before(tensor.id))


def _why_new(context: StepContext, tensor: TensorFacts, made: NodeFacts) -> Text:
    if tensor.base is not None:
        pattern = Text(
            "{x} is a view: the write is recorded in the history of its base, and the new {node} leads from {x} to it.",
            "{x} 是视图：写入记在它的基张量的梯度历史里，新的 {node} 从 {x} 通向那里。",
        )
    elif made.name == "CopySlices":
        pattern = Text(
            "For the slots that were written, {node} sends the gradient of {x} through the operation; for the other slots, "
            "it sends it where it went before.",
            "{x} 被写入的槽位，其梯度由 {node} 送去经过该操作；其余槽位的梯度仍送往原处。",
        )
    else:
        pattern = Text(
            "The operation computed the values that {x} has now, so its history continues from {node}.",
            "{x} 现在的值由该操作给出，所以它的梯度历史从 {node} 接续。",
        )
    return pattern.format(x=context.called_before(tensor.id), node=quoted(made.name))


def raises(context: StepContext) -> Question | None:
    """Asks whether a step raises an error.

    Asked about a backward pass if the program has written in place before it; the options are the nodes with saved
    tensors. Also asked about a refused line, and about a write to a leaf that is allowed because gradients are not
    recorded: both look alike.
    """
    backward = context.step.backward
    if backward is not None and backward.action == "begin":
        return _backward_raises(context)
    return _line_raises(context)


# --- backward ------------------------------------------------------------------------------------------------------


def _backward_raises(context: StepContext) -> Question | None:
    before, end = context.before, _end(context)
    if end is None or not _written_before(context):
        return None
    failed = None
    if end.error is not None:
        failed = end.error.node
        if failed is None or failed not in before.nodes:
            return None
    keeping = [key for key in before.nodes if kept_by(before, key)]
    first = [] if failed is None else [failed]
    shown = sorted([*first, *(key for key in keeping if key != failed)][: MOST_OPTIONS - 1])
    options: list[Option] = [(Text("no, it runs to its end", "不会，能执行完毕"), failed is None)]
    at = Text("yes, at {0}", "会，在 {0} 处")
    options += [(at.format(node_label(before, before.nodes[key])), key == failed) for key in shown]
    ask = Text("Will this backward pass raise an error?", "这次反向传播会抛出异常吗？")
    why = _all_fresh(context, end) if failed is None else sentence(context.recording, end.index)
    return a_question(context, "raises", ask, options, why, [f"n{key}" for key in first])


def _end(context: StepContext) -> Step | None:
    """Returns the step in which this backward pass ends or fails; None if the recording was cut before."""
    failed, inside = None, 0  # a hook may begin a pass inside, and catch its errors
    for step in context.recording.steps[context.step.index + 1 :]:
        action: BackwardAction | None = step.backward.action if step.backward else None
        if step.phase == "forward":
            break
        if action == "end" and not inside:
            return step
        inside += (action == "begin") - (action == "end")
        failed = step if step.error is not None else failed
    return failed


def _written_before(context: StepContext) -> bool:
    """Whether the learner has written in place since the last backward pass began."""
    for step in reversed(context.recording.steps[: context.step.index]):
        if step.backward is not None and step.backward.action == "begin":
            return False
        if step.writes and step.kind == "operation":
            return True
    return False


def _all_fresh(context: StepContext, end: Step) -> Text:
    moments = [step.backward for step in context.recording.steps[context.step.index : end.index]]
    unpacked = sum(backward is not None and backward.action == "unpack" for backward in moments)
    if not unpacked:
        return Text(
            "No node on the way needs what was kept, so nothing that was overwritten is missed.",
            "途中没有节点需要取用保存的张量，所以被覆盖的值都用不着。",
        )
    pattern = Text(
        "Saved tensors found on the way: {0}, each at the version at which it was kept.",
        "途中取用保存的张量 {0} 次，每一次的版本都与保存时相同。",
    )
    return pattern.format(unpacked)


# --- one line ------------------------------------------------------------------------------------------------------


def _line_raises(context: StepContext) -> Question | None:
    step, before = context.step, context.before
    if step.phase != "forward" or not (_refused(step) or _writes_leaf(context)):
        return None
    runs = step.error is None
    untouched = not runs and _as_it_was(before, context.after)
    options = [
        (Text("it runs", "会照常执行"), runs),
        (Text("it is refused, and nothing has been written", "会被拒绝，什么也没有写"), untouched),
        (Text("it raises an error after it has written", "会先写入，再抛出异常"), not runs and not untouched),
    ]
    ask = Text("Will this line run?", "这一行能执行吗？")
    why = _why_it_runs(context) if runs else sentence(context.recording, step.index)
    return a_question(context, "raises", ask, options, why, [f"t{tensor}" for tensor in _concerned(step)])


def _refused(step: Step) -> bool:
    """Whether the engine refused the step, with an explanation; other errors are not about tensors."""
    return step.error is not None and step.error.explanation is not None


def _writes_leaf(context: StepContext) -> bool:
    if not learners_write(context):
        return False
    gradients = {tensor.grad for tensor in context.before.tensors.values()}
    tensors = [context.tensor_before(write.tensor) for write in context.step.writes]
    return any(each and each.leaf and each.needs_gradient and each.id not in gradients for each in tensors)


def _as_it_was(before: State, after: State) -> bool:
    same = all(after.storages[key] == facts for key, facts in before.storages.items() if key in after.storages)
    return same and all(after.counters.get(key, facts) == facts for key, facts in before.counters.items())


def _concerned(step: Step) -> list[int]:
    if step.error is not None:
        return [] if step.error.tensor is None else [step.error.tensor]
    return [write.tensor for write in step.writes]


def _why_it_runs(context: StepContext) -> Text:
    x = context.called_before(context.step.writes[0].tensor)
    wrote = Text("{0} writes {1}, a leaf that requires a gradient.", "{0}写入 {1}，它是需要梯度的叶子张量。")
    if context.step.kept is None:
        because = Text(
            "It made no grad node: gradients were not recorded here, and only then may a leaf be written.",
            "它没有产生梯度节点：此处没有记录梯度，只有这样才允许写入叶子张量。",
        )
        return joined([wrote.format(context.head, x), because])
    return wrote.format(context.head, x)


_TELLING = ("reduced", "running", "contracted", "moved", "written")
"""The rules by which an element depends on some elements of an operand, and not just on those at its position."""


def origins(context: StepContext) -> Question | None:
    """Asks from which elements of an operand an element of the result will be computed.

    Asked of sums along an axis, products, and indexing, if an operand with a name has few elements and not all of them count. The element
    in the middle of the result is meant, since the first one is often special.
    """
    step = context.step
    result = None if step.output is None else context.after.tensors.get(step.output)
    if step.depends is None or result is None or step.depends.how not in _TELLING or not prod(result.shape):
        return None
    element = prod(result.shape) // 2
    found = elements_in_step(context.recording, step, result, element)
    for place, operand in enumerate(operands_of(context.recording, step)):
        if found is None or operand is None or not operand.names or not 2 <= prod(operand.shape) <= MOST_OPTIONS:
            continue
        counting = {each.element for each in found if each.operand == place}
        if 0 < len(counting) < prod(operand.shape):
            return _asked(context, result, element, operand, counting)
    return None


def _asked(
    context: StepContext, result: TensorFacts, element: int, operand: TensorFacts, counting: set[int]
) -> Question | None:
    indices = [index_of(operand.shape, number) for number in range(prod(operand.shape))]
    options: list[Option] = [(called(context.before, operand, index), k in counting) for k, index in enumerate(indices)]
    index = written_index(index_of(result.shape, element))
    name = context.called_until_now(result.id) if result.id in context.before.tensors else _RESULT
    ask = Text(
        "From which elements of {0} will element {1} of {2} be computed?", "{2} 的元素 {1} 会由 {0} 的哪些元素算出？"
    )
    why = Text("It is computed from {0}.", "它由 {0} 算出。").format(
        listing([text for text, is_right in options if is_right])
    )
    return a_question(
        context, "origins", ask.format(quoted(context.before.called(operand.id).first), f"`{index}`", name), options, why,
        [f"t{operand.id}", f"s{operand.storage}"], several=True,
    )  # fmt: skip


_RESULT = Text("the result", "结果")


def reaches(context: StepContext) -> Question | None:
    """Asks on which elements of a leaf the root of a pass does not depend.

    Asked as the pass begins, of a leaf with a name and few elements to which the pass leads, if its gradient will be zero in some of them
    because no path leads to the root: it was read without history, met a slope of zero, or was overwritten.
    """
    facts = context.step.backward
    if facts is None or facts.action != "begin":
        return None
    end = _end_of_pass(context.recording, context.index)
    for leaf in context.before.tensors.values():
        if not leaf.names or not leaf.leaf or not leaf.needs_gradient or not 2 <= prod(leaf.shape) <= MOST_OPTIONS:
            continue
        gradient = _gradient_of(context.recording, leaf, context.index, end)
        if gradient is not None and (all(gradient) or not any(gradient)):
            continue  # the paths, of which there may be very many, would tell the same
        found = [_paths(context.recording, leaf, number, end) for number in range(prod(leaf.shape))]
        known = [each for each in found if each is not None and each.step > context.index and _is_clear(each)]
        missing = [not _reaches_root(each) for each in known]
        if len(known) == len(found) and any(missing) and not all(missing):
            return _asked_of_leaf(context, leaf, known, missing)
    return None


def _is_clear(found: Contributions) -> bool:
    """Whether all paths are known, and the gradient is zero exactly if none leads to the root: paths may cancel each other."""
    known = found.right is not None and found.gradient is not None and not found.wrong
    return known and (found.gradient != 0) == _reaches_root(found)


def _reaches_root(found: Contributions) -> bool:
    return any(path.end == "root" for path in found.paths)


def _end_of_pass(recording: Recording, begun: int) -> int:
    later = recording.steps[begun:]
    return next(
        (step.index for step in later if step.backward and step.backward.action in ("end", "failed")), later[-1].index
    )


def _gradient_of(recording: Recording, leaf: TensorFacts, begun: int, end: int) -> Values | None:
    """The gradient that a pass gave a leaf; None if it is not known."""
    ran = (recording.steps[k].backward for k in range(end, begun, -1) if ran_node_of(recording, k, leaf.id))
    return next((moment.gradient for moment in ran if moment is not None), None)


def _paths(recording: Recording, leaf: TensorFacts, number: int, end: int) -> Contributions | None:
    try:
        return contributions(recording, leaf, index_of(leaf.shape, number), end)
    except LookupError:
        return None


def _asked_of_leaf(
    context: StepContext, leaf: TensorFacts, found: list[Contributions], missing: list[bool]
) -> Question | None:
    indices = [index_of(leaf.shape, number) for number in range(len(found))]
    options: list[Option] = [
        (called(context.before, leaf, index), gone) for index, gone in zip(indices, missing, strict=True)
    ]
    name = context.before.called(leaf.id).first
    reasons = [
        path_says(f"{name}{written_index(index)}", each.paths[0], context.recording.named_sources)
        for index, each, gone in zip(indices, found, missing, strict=True)
        if gone and each.paths
    ]
    ask = Text(
        "On which elements of {0} does the root of this pass not depend?", "反向传播的起点不依赖于 {0} 的哪些元素？"
    )
    full = [reason + Text(".", "。") for reason in reasons] or [
        Text("Nothing was computed from them.", "没有由它们算出任何数。")
    ]
    return a_question(
        context,
        "reaches",
        ask.format(quoted(name)),
        options,
        joined(full),
        [f"t{leaf.id}", f"s{leaf.storage}"],
        several=True,
    )
