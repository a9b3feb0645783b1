"""Describes steps that are no operations: lines (names bound and unbound, flags set, storages freed), moments of backward, errors, a look at tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import (
    BackwardAction,
    BackwardFacts,
    ErrorFacts,
    NodeFacts,
    SavedFacts,
    StorageFacts,
    TensorFacts,
)
from inplacelab.recording.naming import (
    GRADIENT,
    is_gradient_of,
    label_alone,
    listing,
    naming,
    node_label,
    storage_label,
)
from inplacelab.recording.places import source_label
from inplacelab.recording.queries import called_by
from inplacelab.recording.relations import steps_of_pass
from inplacelab.recording.sentences.failures import headline, reasons
from inplacelab.recording.sentences.phrases import StepContext, byte_count, joined, quoted, shape, values
from inplacelab.supported import framework_named, terms_of


def plain_line(context: StepContext) -> Text:
    """Returns the sentences for a line that ran no operation, or for the end of one that did."""
    happened = [*changes_of_names(context), *written(context), *freed(context)]
    called = called_by(context.recording, context.index)
    if called is not None:
        function = quoted(called.function) if called.function else Text("code", "代码")
        there = function, source_label(context.recording.named_sources, called.source)
        if not happened:
            return Text("{0} calls {1} in {2}.", "{0}调用 {2} 中的 {1}。").format(context.line, *there)
        happened.append(Text("It calls {0} in {1}.", "它调用 {1} 中的 {0}。").format(*there))
    if not happened:
        return context.in_framework_words(Text("{0} changed no tensor.", "{0}没有改变任何张量。")).format(context.line)
    return Text("{0}: {1}", "{0}：{1}").format(context.line, joined(happened))


def changes_of_names(context: StepContext) -> list[Text]:
    """Describes names bound and unbound, flags set and gradients cleared."""
    return [*_bound(context), *_unbound(context), *_flags(context)]


def written(context: StepContext) -> list[Text]:
    """Describes writes by operations that are not steps, such as those in the `forward` of a `PyLayer`."""
    before = context.before.counters
    said = []
    for key, now in context.step.counters:
        if now is None or key not in before:
            continue
        wrote = terms_of(context.recording).written.format(storage_label(now.storage), before[key].version, now.version)
        seen = [tensor.id for tensor in context.after.tensors_on(now.storage)]
        by = Text(", seen by {0}.", "，可经由 {0} 看到。")
        said.append(wrote + (by.format(context.listed(seen, context.called_after)) if seen else Text(".", "。")))
    return said


def freed(context: StepContext) -> list[Text]:
    """Describes the storages that the step freed."""
    before = context.before.storages
    gone = [before[key] for key, facts in context.step.storages if facts is None and key in before]
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


def _bound(context: StepContext) -> list[Text]:
    """Describes names that are bound to another tensor than before, or are new."""
    found = [(key, facts) for key, facts in context.step.tensors if facts is not None]
    older = (
        [] if context.step.op else [facts for key, facts in found if facts.names and not _is_known(context, key, facts)]
    )
    older = older if len(older) > 1 else []  # one may be what the line has made, as `x = numpy.load(…)`
    bound = [pair for pair in found if pair[1] not in older]
    return [*_first_seen(context, older), *_other_names(context, bound), *_new_names(context, bound)]


def _is_known(context: StepContext, key: int, facts: TensorFacts) -> bool:
    """Whether a tensor, or one of its names, was seen before: else it is from before the recording, or what made it was not recorded."""
    names = {name for tensor in context.before.tensors.values() for name in tensor.names}
    return context.tensor_before(key) is not None or not names.isdisjoint(facts.names)


def _first_seen(context: StepContext, found: Sequence[TensorFacts]) -> list[Text]:
    pattern = Text("First seen here: {0}.", "这里首次见到 {0}。")
    return [pattern.format(listing([context.label(facts) for facts in found]))] if found else []


def _other_names(context: StepContext, found: Sequence[tuple[int, TensorFacts]]) -> list[Text]:
    """Describes further names of tensors that keep one: of at most `MOST_NAMED` tensors each."""
    new = {key: _split(context, key, facts) for key, facts in found}
    also = [(facts, *new[key]) for key, facts in found if all(new[key])]
    names = {name for _, bound, _ in also for name in bound}
    also = [each for each in also if not all(is_gradient_of(name, names) for name in each[1])]
    if len(also) > MOST_NAMED:
        return [context.in_framework_words(_MANY_NAMES).format(len(also))]
    return [_other_name(context, *each) for each in also]


def _new_names(context: StepContext, found: Sequence[tuple[int, TensorFacts]]) -> list[Text]:
    """Describes the names of tensors that had none, or others."""
    split = [(facts, *_split(context, key, facts)) for key, facts in found]
    return [_binding(context, name, facts) for facts, new, kept in split if not kept for name in new]


def _split(context: StepContext, key: int, facts: TensorFacts) -> tuple[list[str], list[str]]:
    """Returns which of a tensor's names are new, and which it had already."""
    before = _names_before(context, key)
    new, kept = ([name for name in facts.names if (name in before) is known] for known in (False, True))
    return new, kept


def _other_name(context: StepContext, facts: TensorFacts, new: Sequence[str], kept: Sequence[str]) -> Text:
    pattern = _OTHER_NAME if len(new) == 1 else _OTHER_NAMES
    names = listing([quoted(name) for name in new])
    return context.in_framework_words(pattern).format(names, context.label(facts, tuple(kept)))


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


def _binding(context: StepContext, name: str, facts: TensorFacts) -> Text:
    place = storage_label(facts.storage)
    if any(name in tensor.names for tensor in context.before.tensors.values()):
        pattern = Text("`{0}` now names another tensor, in {1}.", "`{0}` 改为指向另一个张量，其存储是 {1}。")
    else:
        pattern = Text("The tensor in {1} is now called `{0}`.", "存储 {1} 上的张量现在名为 `{0}`。")
    return context.in_framework_words(pattern).format(name, place)


def _unbound(context: StepContext) -> list[Text]:
    """Describes names that are no longer bound to a tensor."""
    bound = {name for tensor in context.after.tensors.values() for name in tensor.names}
    cleared = {was.grad for was, _ in _cleared(context)}  # said apart: a gradient is cleared
    touched = (context.before.tensors[key] for key, _ in context.step.tensors if key in context.before.tensors)
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
    return [context.in_framework_words(pattern).format(listing([quoted(name) for name in lost]))]


def _flags(context: StepContext) -> list[Text]:
    said = []
    for key, now in context.step.tensors:
        was = context.tensor_before(key)
        if now is not None and was is not None and was.needs_gradient != now.needs_gradient:
            asks = Text("{0} now requires a gradient (`{1}`).", "{0} 现在需要梯度（`{1}`）。")
            declines = Text("{0} no longer requires a gradient (`{1}`).", "{0} 不再需要梯度（`{1}`）。")
            flag = terms_of(context.recording).flagged(asks=now.needs_gradient)
            said.append((asks if now.needs_gradient else declines).format(context.label(now), flag))
    return [*said, *_without_gradients(context)]


def _without_gradients(context: StepContext) -> list[Text]:
    """Describes gradients that were cleared: at most `MOST_NAMED` by name, so that the headline stays short."""
    cleared = [context.label(now) for _, now in _cleared(context)]
    if len(cleared) > MOST_NAMED:
        return [Text("{0:,} gradients were cleared.", "清除了 {0:,} 个梯度。").format(len(cleared))]
    pattern = "The gradient of {0} was cleared." if len(cleared) == 1 else "The gradients of {0} were cleared."
    return [Text(pattern, "{0} 的梯度已清除。").format(listing(cleared))] if cleared else []


def _cleared(context: StepContext) -> list[tuple[TensorFacts, TensorFacts]]:
    """The tensors that have no gradient any more, before and after the step."""
    pairs = [(context.tensor_before(key), now) for key, now in context.step.tensors]
    return [(was, now) for was, now in pairs if was and now and was.grad is not None and now.grad is None]


def _names_before(context: StepContext, tensor: int) -> tuple[str, ...]:
    was = context.tensor_before(tensor)
    return was.names if was else ()


def backward_step(context: StepContext) -> Text:
    """Returns the sentences for a backward step."""
    facts = context.step.backward
    if facts is None:
        return Text("The backward pass goes on.", "反向传播继续进行。")
    return _MOMENTS[facts.action](context, facts)


def _begun(context: StepContext, facts: BackwardFacts) -> Text:
    pattern = Text("{0}: backward begins at {1} with {2}.", "{0}：反向传播从 {1} 开始，初始{2}。")
    return pattern.format(context.line, _node(context, facts), _gradient(facts))


def _arrived(context: StepContext, facts: BackwardFacts) -> Text:
    pattern = Text("{1} arrived at {0}.", "{0} 收到了{1}。")
    gradient = _gradient(facts)
    return pattern.format(_node(context, facts), Text(gradient.en[0].upper() + gradient.en[1:], gradient.zh))


def _unpacked(context: StepContext, facts: BackwardFacts) -> Text:
    node, saved = _node(context, facts), _saved(context, facts)
    name, place = Text("what it keeps", "它保存的值"), Text("its storage", "其存储")
    if facts.node is not None and saved is not None:
        from inplacelab.recording.trace import same_value  # noqa: PLC0415  # which imports this package

        name = naming(context.recording, context.after, facts.node, *same_value(context, facts.node, saved)).phrase()
        place = Text(storage_label(saved.storage), storage_label(saved.storage))
    if facts.kept_at == facts.found_at:
        fresh = Text(
            "{0} finds {1} fresh: {2} is at version {3}, as when it was kept.",
            "{0} 取用 {1}：{2} 仍是保存时的版本 {3}，没有过期。",
        )
        return fresh.format(node, name, place, facts.kept_at)
    stale = Text(
        "{0} finds {1} stale: kept at version {3} of {2}, found at version {4}. "
        "The value that backward needs has been overwritten.",
        "{0} 取用 {1}：保存时 {2} 是版本 {3}，现在是版本 {4}，已过期。反向传播需要的值被覆盖了。",
    )
    return stale.format(node, name, place, facts.kept_at, facts.found_at)


def _hook_called(context: StepContext, facts: BackwardFacts) -> Text:
    pattern = Text(
        "{0} is complete: {1}. The hook {2} is called with it, as {3}.",
        "{0}已全部到达：{1}。随即以它为参数调用钩子 {2}，在钩子里它是 {3}。",
    )
    return pattern.format(_whose_gradient(context, facts), _contents(facts), _function(context), _given(context))


def _hook_over(context: StepContext, facts: BackwardFacts) -> Text:
    step = context.step
    as_it_is = Text(
        "The hook {0} has returned. The gradient is passed on as it is now: {1}.",
        "钩子 {0} 执行完毕。梯度以现在的值继续传递：{1}。",
    )
    another = Text(
        "The hook {0} has returned. What it returned takes the gradient's place: {2}, {1}.",
        "钩子 {0} 执行完毕。它返回的 {2} 取代了原来的梯度：{1}。",
    )
    pattern = as_it_is if step.output in step.inputs or step.output is None else another
    now = Text("", "") if step.output is None else context.called_before(step.output)  # its names go with the hook
    return pattern.format(_function(context), _contents(facts), now)


def _custom_called(context: StepContext, facts: BackwardFacts) -> Text:
    node = _node(context, facts)
    if facts.shape is None:  # of several results, or of none
        pattern = Text(
            "{0} calls {1}, the derivative that the program has written for it, with the gradients of its results.",
            "{0} 调用程序为它写的求导函数 {1}，参数是各个结果的梯度。",
        )
        return pattern.format(node, _function(context))
    pattern = Text(
        "{0} calls {1}, the derivative that the program has written for it, with {2}, as {3}.",
        "{0} 调用程序为它写的求导函数 {1}，参数是{2}，在函数里它是 {3}。",
    )
    return pattern.format(node, _function(context), _gradient(facts), _given(context))


def _function(context: StepContext) -> Text:
    return quoted(context.step.op or "?")


def _given(context: StepContext) -> Text:
    """Returns what the program calls the gradient that it receives."""
    given = context.step.inputs
    return context.called(given[0]) if given else quoted("?")


def _whose_gradient(context: StepContext, facts: BackwardFacts) -> Text:
    """Names a gradient by the tensor that the node made, if the program has a name for it, otherwise by the node."""
    node = context.node(facts.node) if facts.node is not None else None
    tensors = [*context.after.tensors.values()] if node else []
    its_own = (t for t in tensors if t.id == node.leaf or (node.leaf is None and t.node == node.id))  # type: ignore[union-attr]
    called = next((called for t in its_own if (called := context.after.called(t.id)).names), None)
    if called is None:
        return Text("The gradient that came to {0}", "传到 {0} 的梯度").format(_node(context, facts))
    return Text("The gradient of {0}", "{0} 的梯度").format(quoted(called.first))


def _ran(context: StepContext, facts: BackwardFacts) -> Text:
    node = context.node(facts.node) if facts.node is not None else None
    if node is None:
        return Text("A grad node ran.", "一个梯度节点执行完毕。")
    if node.leaf is not None:
        return _accumulated(context, node.leaf)
    return joined(
        [*written(context), _sent(context, node), *_released(context, node)]
    )  # its writes are not separate steps


def _accumulated(context: StepContext, leaf: int) -> Text:
    was = context.tensor_before(leaf)
    grad = _grad_name(context, leaf)
    if not _fills(context, leaf):  # `paddle.grad` gives gradients to the program
        left = Text("The gradient is complete; {0} is left as it is.", "梯度已求得；{0} 保持不变。")
        return left.format(grad)
    if was is None or was.grad is None:
        return Text("The gradient is stored in {0}.", "梯度存入 {0}。").format(grad)
    if context.step.writes:
        added = Text("The gradient is added to {0} in place.", "梯度原地累加到 {0} 上。").format(grad)
        rose = terms_of(context.recording).rose + Text(".", "。")
        raised = [each for each in context.step.writes if each.before != each.after]
        return joined([added, *(rose.format(storage_label(each.storage), each.before, each.after) for each in raised)])
    return Text("The gradient is added to {0}.", "梯度累加到 {0} 上。").format(grad)


def _fills(context: StepContext, leaf: int) -> bool:
    """Whether the step stored or added a gradient in the leaf's `.grad`."""
    was, now = context.tensor_before(leaf), context.after.tensors.get(leaf)
    if now is None or now.grad != (was.grad if was else None):
        return True
    if now.grad is None:
        return False
    gradient = context.after.tensors.get(now.grad)
    return gradient is None or gradient.storage in context.step.touched_storages()


def _sent(context: StepContext, node: NodeFacts) -> Text:
    reached = [edge.to for edge in node.edges if not _waits(context, edge.to)]
    if not reached:
        return Text("{0} ran: no input needed a gradient.", "{0} 执行完毕，没有需要继续传递的梯度。").format(
            context.called_node(node.id)
        )
    pattern = Text(
        "{0} turned the gradient of its result into gradients of its inputs and sent them to {1}.",
        "{0} 由结果的梯度算出各输入的梯度，传给 {1}。",
    )
    targets = listing([_target(context, edge) for edge in dict.fromkeys(reached)])
    return pattern.format(context.called_node(node.id), targets)


def _waits(context: StepContext, node: int) -> bool:
    """Whether a node has not received a gradient yet: not all inputs of an operation need one."""
    facts = context.after.nodes.get(node)
    return facts is not None and facts.status == "waiting"


def _target(context: StepContext, node: int) -> Text:
    """Names the next node; an accumulation node by its leaf."""
    facts = context.node(node)
    if facts is None or facts.leaf is None:
        return context.called_node(node)
    leaf = context.after.tensors.get(facts.leaf)
    return Text("the leaf {0}", "叶子张量 {0}").format(label_alone(leaf)) if leaf else context.called_node(node)


def _released(context: StepContext, node: NodeFacts) -> list[Text]:
    was = context.before.nodes.get(node.id)
    if was is None or was.released or not was.saved or not node.released:
        return []
    return [Text("What it kept is released.", "它保存的张量随即释放。")]


def _failed(context: StepContext, facts: BackwardFacts) -> Text:
    pattern = Text("{0} cannot run, and backward stops here.", "{0} 无法执行，反向传播在此中止。")
    return pattern.format(_node(context, facts))


def _ended(context: StepContext, _: BackwardFacts) -> Text:
    leaves = _filled(context)
    filled = [_grad_name(context, key) for key in context.after.tensors if key in leaves]
    if not filled:
        return Text("Backward is done.", "反向传播结束。")
    return Text("Backward is done: {0} filled.", "反向传播结束：梯度已写入 {0}。").format(
        listing(filled) + Text(" is" if len(filled) == 1 else " are", "")
    )


def _filled(context: StepContext) -> set[int]:
    """Returns the leaves whose `.grad` was filled by the pass that ends at this step."""
    leaves = set()
    for step in steps_of_pass(context.recording, context.index):
        facts, then = step.backward, StepContext(context.recording, step.index)
        node = then.node(facts.node) if facts is not None and facts.action == "run" and facts.node is not None else None
        if node is not None and node.leaf is not None and _fills(then, node.leaf):
            leaves.add(node.leaf)
    return leaves


_MOMENTS: dict[BackwardAction, Callable[[StepContext, BackwardFacts], Text]] = {
    "begin": _begun,
    "arrived": _arrived,
    "hook": _hook_called,
    "hooked": _hook_over,
    "custom": _custom_called,
    "unpack": _unpacked,
    "run": _ran,
    "failed": _failed,
    "end": _ended,
}


def _node(context: StepContext, facts: BackwardFacts) -> Text:
    return Text("a grad node", "某个梯度节点") if facts.node is None else context.called_node(facts.node)


def _gradient(facts: BackwardFacts) -> Text:
    if facts.gradient is not None:
        return Text("the gradient {0}", "梯度 {0}").format(values(facts.gradient))
    if facts.shape is not None:
        return Text("a gradient of shape {0}", "梯度（形状 {0}）").format(shape(facts.shape))
    return Text("a gradient", "梯度")


def _contents(facts: BackwardFacts) -> Text:
    """Describes the contents of a gradient: its values if there are few, otherwise its shape."""
    if facts.gradient is not None:
        return Text("{0}", "{0}").format(values(facts.gradient))
    return Text("its shape is {0}", "形状是 {0}").format(shape(facts.shape or ()))


def _saved(context: StepContext, facts: BackwardFacts) -> SavedFacts | None:
    node = context.node(facts.node) if facts.node is not None else None
    return next((saved for saved in node.saved if saved.name == facts.saved), None) if node else None


def _grad_name(context: StepContext, leaf: int) -> Text:
    there = context.after if leaf in context.after.tensors else context.before
    return quoted(f"{there.called(leaf).first}.grad")


def error_step(context: StepContext) -> Text:
    """Returns the sentences for a step that raised an error."""
    error = context.step.error
    if error is None:
        return Text("{0} raised an error.", "{0}抛出了异常。").format(context.line)
    from inplacelab.recording.trace import failure_at, told_notes  # noqa: PLC0415

    facts = failure_at(context.recording, context.index)
    # Where the value was needed is the line of this step, and its mark says what it found.
    said = [*error.notes]
    if facts is not None and facts.refusal is not None:
        happened = Text("{0}.", "{0}。").format(headline(facts))
        said = [happened, *told_notes(context.recording, facts, but="refused"), *reasons(facts)]
    elif facts is not None and facts.values:
        said = [*told_notes(context.recording, facts, but="needed")]
    reason = [error.explanation] if error.explanation and not said else []
    instead = [Text("Instead, {0}", "改法：{0}").format(error.fix)] if error.fix else []
    raised = Text("{0}.", "{0}。").format(quoted(error.type)) if said else _raised(context, error)
    return joined([raised, *reason, *said, *instead])


def _raised(context: StepContext, error: ErrorFacts) -> Text:
    raised = Text("{0} raised {1}", "{0}抛出 {1}").format(context.line, quoted(error.type))
    first_line = (error.message.splitlines() or [""])[0].strip().removesuffix(".")
    if error.explanation is not None or not first_line:
        return raised + Text(".", "。")
    return Text("{0}: {1}.", "{0}：{1}。").format(raised, Text(first_line, first_line))


MOST_SEEN = 6
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


def seen_at_once(context: StepContext) -> Text:
    """Returns the sentences for a look at existing tensors."""
    return joined([*_sharing(context), *_freed(context), *_stale(context), *_released_nodes(context)])


def _sharing(context: StepContext) -> list[Text]:
    by_storage: dict[int, list[TensorFacts]] = {}
    tensors = sorted(context.after.tensors.values(), key=lambda each: not each.names)
    for each in tensors:
        by_storage.setdefault(each.storage, []).append(each)
    named = [each for each in tensors if each.names]
    several = {storage: on for storage, on in by_storage.items() if len(on) > 1 and on[0].names}
    shared, alone, one = (context.in_framework_words(each) for each in (_SHARED, _ALONE, _ONE))
    known = framework_named(context.recording.framework)
    framework = "" if known is None else known.title
    its = Text(f"{framework} " if framework else "", f" {framework} " if framework else "")
    if not several and len(named) == 1:
        return [one.format(_label(context, named[0]), storage_label(named[0].storage), its)]
    same = [
        each
        for each in named
        if len(each.names) > 1
        and each.storage not in several
        and not all(name.endswith(GRADIENT) for name in each.names)
    ]
    said = [
        context.in_framework_words(_SAME).format(listing([quoted(name) for name in each.names]))
        for each in same[:MOST_SEEN]
    ]
    if not several:
        return [*said, alone.format(its)]
    said += [
        shared.format(listing([_label(context, each) for each in on]), storage_label(storage))
        for storage, on in [*several.items()][:MOST_SEEN]
    ]
    return [*said, *([_MORE.format(len(several) - MOST_SEEN)] if len(several) > MOST_SEEN else [])]


def _label(context: StepContext, tensor: TensorFacts) -> Text:
    """Names a tensor. One that was not given is there because it is the base of a view, or because a node has saved it."""
    return context.label(tensor) if tensor.names else _UNNAMED.format(tensor.id)


def _released_nodes(context: StepContext) -> list[Text]:
    state = context.after
    nodes = [node_label(state, node) for node in state.nodes.values() if node.released]
    if not nodes:
        return []
    words = ("has", "it") if len(nodes) == 1 else ("have", "they")
    return [_RELEASED.format(listing(nodes), *words)]


def _freed(context: StepContext) -> list[Text]:
    """Names the tensors whose elements are no longer in their storage, as after `untyped_storage().resize_(0)`."""
    storages = context.after.storages
    gone = [
        each
        for each in context.after.tensors.values()
        if each.names and 0 not in each.shape and (on := storages.get(each.storage)) is not None and not on.bytes
    ]
    verb = "has" if len(gone) == 1 else "have"
    pattern = Text(f"{{0}} {verb} no memory any more: the storage was freed.", "{0} 已经没有内存：存储已被释放。")
    return [pattern.format(listing([context.label(each) for each in gone]))] if gone else []


def _stale(context: StepContext) -> list[Text]:
    state = context.after
    keepers: dict[tuple[int, int, int], dict[int, NodeFacts]] = {}
    for node in state.nodes.values():
        for saved in node.saved:
            if state.is_stale(saved):
                keepers.setdefault((saved.storage, saved.counter, saved.version), {})[node.id] = node
    said = []
    for (storage, counter, version), nodes in [*keepers.items()][:MOST_SEEN]:
        names = listing([node_label(state, node) for node in nodes.values()])
        said.append(_STALE.format(names, version, storage_label(storage), state.counters[counter].version))
    return [*said, *([_MORE_STALE.format(len(keepers) - MOST_SEEN)] if len(keepers) > MOST_SEEN else [])]
