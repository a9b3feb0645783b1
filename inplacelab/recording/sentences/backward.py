"""Describes the steps of a backward pass."""

from __future__ import annotations

from collections.abc import Callable

from inplacelab.language import Text
from inplacelab.recording.facts import BackwardAction, BackwardFacts, NodeFacts, SavedFacts
from inplacelab.recording.naming import naming, storage_label, tensor_label
from inplacelab.recording.relations import steps_of_pass
from inplacelab.recording.sentences.lines import written
from inplacelab.recording.sentences.phrases import joined, listing, quoted, shape, values
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.recording.trace import same_value

__all__ = ["backward_moment"]


def backward_moment(moment: Moment) -> Text:
    """Returns the sentences for a backward step."""
    facts = moment.step.backward
    if facts is None:
        return Text("The backward pass goes on.", "反向传播继续进行。")
    return _MOMENTS[facts.action](moment, facts)


def _begun(moment: Moment, facts: BackwardFacts) -> Text:
    pattern = Text("{0}: backward begins at {1} with {2}.", "{0}：反向传播从 {1} 开始，初始{2}。")
    return pattern.format(moment.line, _node(moment, facts), _gradient(facts))


def _arrived(moment: Moment, facts: BackwardFacts) -> Text:
    pattern = Text("{1} arrived at {0}.", "{0} 收到了{1}。")
    gradient = _gradient(facts)
    return pattern.format(_node(moment, facts), Text(gradient.en[0].upper() + gradient.en[1:], gradient.zh))


def _unpacked(moment: Moment, facts: BackwardFacts) -> Text:
    node, saved = _node(moment, facts), _saved(moment, facts)
    name, place = Text("what it keeps", "它保存的值"), Text("its storage", "其存储")
    if facts.node is not None and saved is not None:
        name = naming(moment.recording, moment.after, facts.node, *same_value(moment, facts.node, saved)).phrase()
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


def _hook_called(moment: Moment, facts: BackwardFacts) -> Text:
    pattern = Text(
        "{0} is complete: {1}. The hook {2} is called with it, as {3}.",
        "{0}已全部到达：{1}。随即以它为参数调用钩子 {2}，在钩子里它是 {3}。",
    )
    return pattern.format(_whose_gradient(moment, facts), _contents(facts), _function(moment), _given(moment))


def _hook_over(moment: Moment, facts: BackwardFacts) -> Text:
    step = moment.step
    as_it_is = Text(
        "The hook {0} has returned. The gradient is passed on as it is now: {1}.",
        "钩子 {0} 执行完毕。梯度以现在的值继续传递：{1}。",
    )
    another = Text(
        "The hook {0} has returned. What it returned takes the gradient's place: {2}, {1}.",
        "钩子 {0} 执行完毕。它返回的 {2} 取代了原来的梯度：{1}。",
    )
    pattern = as_it_is if step.output in step.inputs or step.output is None else another
    now = Text("", "") if step.output is None else moment.called_before(step.output)  # its names go with the hook
    return pattern.format(_function(moment), _contents(facts), now)


def _custom_called(moment: Moment, facts: BackwardFacts) -> Text:
    node = _node(moment, facts)
    if facts.shape is None:  # of several results, or of none
        pattern = Text(
            "{0} calls {1}, the derivative that the program has written for it, with the gradients of its results.",
            "{0} 调用程序为它写的求导函数 {1}，参数是各个结果的梯度。",
        )
        return pattern.format(node, _function(moment))
    pattern = Text(
        "{0} calls {1}, the derivative that the program has written for it, with {2}, as {3}.",
        "{0} 调用程序为它写的求导函数 {1}，参数是{2}，在函数里它是 {3}。",
    )
    return pattern.format(node, _function(moment), _gradient(facts), _given(moment))


def _function(moment: Moment) -> Text:
    return quoted(moment.step.op or "?")


def _given(moment: Moment) -> Text:
    """Returns what the program calls the gradient that it receives."""
    given = moment.step.inputs
    return moment.called(given[0]) if given else quoted("?")


def _whose_gradient(moment: Moment, facts: BackwardFacts) -> Text:
    """Names a gradient by the tensor that the node made, if the program has a name for it, otherwise by the node."""
    node = moment.node(facts.node) if facts.node is not None else None
    tensors = [*moment.after.tensors.values()] if node else []
    its_own = (t for t in tensors if t.id == node.leaf or (node.leaf is None and t.node == node.id))  # type: ignore[union-attr]
    called = next((called for t in its_own if (called := moment.after.called(t.id)).names), None)
    if called is None:
        return Text("The gradient that came to {0}", "传到 {0} 的梯度").format(_node(moment, facts))
    return Text("The gradient of {0}", "{0} 的梯度").format(quoted(called.first))


def _ran(moment: Moment, facts: BackwardFacts) -> Text:
    node = moment.node(facts.node) if facts.node is not None else None
    if node is None:
        return Text("A grad node ran.", "一个梯度节点执行完毕。")
    if node.leaf is not None:
        return _accumulated(moment, node.leaf)
    return joined(
        [*written(moment), _sent(moment, node), *_released(moment, node)]
    )  # its writes are not separate steps


def _accumulated(moment: Moment, leaf: int) -> Text:
    was = moment.tensor_before(leaf)
    grad = _grad_name(moment, leaf)
    if not _fills(moment, leaf):  # `paddle.grad` gives gradients to the program
        left = Text("The gradient is complete; {0} is left as it is.", "梯度已求得；{0} 保持不变。")
        return left.format(grad)
    if was is None or was.grad is None:
        return Text("The gradient is stored in {0}.", "梯度存入 {0}。").format(grad)
    if moment.step.writes:
        return Text("The gradient is added to {0} in place.", "梯度原地累加到 {0} 上。").format(grad)
    return Text("The gradient is added to {0}.", "梯度累加到 {0} 上。").format(grad)


def _fills(moment: Moment, leaf: int) -> bool:
    """Whether the step stored or added a gradient in the leaf's `.grad`."""
    was, now = moment.tensor_before(leaf), moment.after.tensors.get(leaf)
    if now is None or now.grad != (was.grad if was else None):
        return True
    if now.grad is None:
        return False
    gradient = moment.after.tensors.get(now.grad)
    return gradient is None or gradient.storage in moment.step.touched_storages()


def _sent(moment: Moment, node: NodeFacts) -> Text:
    reached = [edge.to for edge in node.edges if not _waits(moment, edge.to)]
    if not reached:
        return Text("{0} ran: no input needed a gradient.", "{0} 执行完毕，没有需要继续传递的梯度。").format(
            moment.called_node(node.id)
        )
    pattern = Text(
        "{0} turned the gradient of its result into gradients of its inputs and sent them to {1}.",
        "{0} 由结果的梯度算出各输入的梯度，传给 {1}。",
    )
    targets = listing([_target(moment, edge) for edge in dict.fromkeys(reached)])
    return pattern.format(moment.called_node(node.id), targets)


def _waits(moment: Moment, node: int) -> bool:
    """Whether a node has not received a gradient yet: not all inputs of an operation need one."""
    facts = moment.after.nodes.get(node)
    return facts is not None and facts.status == "waiting"


def _target(moment: Moment, node: int) -> Text:
    """Names the next node; an accumulation node by its leaf."""
    facts = moment.node(node)
    if facts is None or facts.leaf is None:
        return moment.called_node(node)
    leaf = moment.after.tensors.get(facts.leaf)
    return Text("the leaf {0}", "叶子张量 {0}").format(tensor_label(leaf)) if leaf else moment.called_node(node)


def _released(moment: Moment, node: NodeFacts) -> list[Text]:
    was = moment.before.nodes.get(node.id)
    if was is None or was.released or not was.saved or not node.released:
        return []
    return [Text("What it kept is released.", "它保存的张量随即释放。")]


def _failed(moment: Moment, facts: BackwardFacts) -> Text:
    pattern = Text("{0} cannot run, and backward stops here.", "{0} 无法执行，反向传播在此中止。")
    return pattern.format(_node(moment, facts))


def _ended(moment: Moment, _: BackwardFacts) -> Text:
    leaves = _filled(moment)
    filled = [_grad_name(moment, key) for key in moment.after.tensors if key in leaves]
    if not filled:
        return Text("Backward is done.", "反向传播结束。")
    return Text("Backward is done: {0} filled.", "反向传播结束：梯度已写入 {0}。").format(
        listing(filled) + Text(" is" if len(filled) == 1 else " are", "")
    )


def _filled(moment: Moment) -> set[int]:
    """Returns the leaves whose `.grad` was filled by the pass that ends at this step."""
    leaves = set()
    for step in steps_of_pass(moment.recording, moment.index):
        facts, then = step.backward, Moment(moment.recording, step.index)
        node = then.node(facts.node) if facts is not None and facts.action == "run" and facts.node is not None else None
        if node is not None and node.leaf is not None and _fills(then, node.leaf):
            leaves.add(node.leaf)
    return leaves


_MOMENTS: dict[BackwardAction, Callable[[Moment, BackwardFacts], Text]] = {
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


def _node(moment: Moment, facts: BackwardFacts) -> Text:
    return Text("a grad node", "某个梯度节点") if facts.node is None else moment.called_node(facts.node)


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


def _saved(moment: Moment, facts: BackwardFacts) -> SavedFacts | None:
    node = moment.node(facts.node) if facts.node is not None else None
    return next((saved for saved in node.saved if saved.name == facts.saved), None) if node else None


def _grad_name(moment: Moment, leaf: int) -> Text:
    there = moment.after if leaf in moment.after.tensors else moment.before
    return quoted(f"{there.called(leaf).first}.grad")
