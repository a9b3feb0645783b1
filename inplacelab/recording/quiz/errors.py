"""Makes questions about errors: will backward raise, and where; will this line be refused?"""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.recording.facts import BackwardAction, Step
from inplacelab.recording.naming import node_label
from inplacelab.recording.queries import kept_by
from inplacelab.recording.quiz.question import MOST_OPTIONS, Option, Question, a_question, learners_write
from inplacelab.recording.recording import State
from inplacelab.recording.sentences import sentence
from inplacelab.recording.sentences.phrases import Moment, joined

__all__ = ["raises"]


def raises(moment: Moment) -> Question | None:
    """Asks whether a step raises an error.

    Asked about a backward pass if the program has written in place before it; the options are the nodes with saved
    tensors. Also asked about a refused line, and about a write to a leaf that is allowed because gradients are not
    recorded: both look alike.
    """
    backward = moment.step.backward
    if backward is not None and backward.action == "begin":
        return _backward_raises(moment)
    return _line_raises(moment)


# --- backward ------------------------------------------------------------------------------------------------------


def _backward_raises(moment: Moment) -> Question | None:
    before, end = moment.before, _end(moment)
    if end is None or not _written_before(moment):
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
    why = _all_fresh(moment, end) if failed is None else sentence(moment.recording, end.index)
    return a_question(moment, "raises", ask, options, why, [f"n{key}" for key in first])


def _end(moment: Moment) -> Step | None:
    """Returns the step in which this backward pass ends or fails; None if the recording was cut before."""
    failed, inside = None, 0  # a hook may begin a pass inside, and catch its errors
    for step in moment.recording.steps[moment.step.index + 1 :]:
        action: BackwardAction | None = step.backward.action if step.backward else None
        if step.phase == "forward":
            break
        if action == "end" and not inside:
            return step
        inside += (action == "begin") - (action == "end")
        failed = step if step.error is not None else failed
    return failed


def _written_before(moment: Moment) -> bool:
    """Whether the learner has written in place since the last backward pass began."""
    for step in reversed(moment.recording.steps[: moment.step.index]):
        if step.backward is not None and step.backward.action == "begin":
            return False
        if step.writes and step.kind == "operation":
            return True
    return False


def _all_fresh(moment: Moment, end: Step) -> Text:
    moments = [step.backward for step in moment.recording.steps[moment.step.index : end.index]]
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


def _line_raises(moment: Moment) -> Question | None:
    step, before = moment.step, moment.before
    if step.phase != "forward" or not (_refused(step) or _writes_leaf(moment)):
        return None
    runs = step.error is None
    untouched = not runs and _as_it_was(before, moment.after)
    options = [
        (Text("it runs", "会照常执行"), runs),
        (Text("it is refused, and nothing has been written", "会被拒绝，什么也没有写"), untouched),
        (Text("it raises an error after it has written", "会先写入，再抛出异常"), not runs and not untouched),
    ]
    ask = Text("Will this line run?", "这一行能执行吗？")
    why = _why_it_runs(moment) if runs else sentence(moment.recording, step.index)
    return a_question(moment, "raises", ask, options, why, [f"t{tensor}" for tensor in _concerned(step)])


def _refused(step: Step) -> bool:
    """Whether the engine refused the step, with an explanation; other errors are not about tensors."""
    return step.error is not None and step.error.explanation is not None


def _writes_leaf(moment: Moment) -> bool:
    if not learners_write(moment):
        return False
    gradients = {tensor.grad for tensor in moment.before.tensors.values()}
    tensors = [moment.tensor_before(write.tensor) for write in moment.step.writes]
    return any(each and each.leaf and each.needs_gradient and each.id not in gradients for each in tensors)


def _as_it_was(before: State, after: State) -> bool:
    same = all(after.storages[key] == facts for key, facts in before.storages.items() if key in after.storages)
    return same and all(after.counters.get(key, facts) == facts for key, facts in before.counters.items())


def _concerned(step: Step) -> list[int]:
    if step.error is not None:
        return [] if step.error.tensor is None else [step.error.tensor]
    return [write.tensor for write in step.writes]


def _why_it_runs(moment: Moment) -> Text:
    x = moment.called_before(moment.step.writes[0].tensor)
    wrote = Text("{0} writes {1}, a leaf that requires a gradient.", "{0}写入 {1}，它是需要梯度的叶子张量。")
    if moment.step.kept is None:
        because = Text(
            "It made no grad node: gradients were not recorded here, and only then may a leaf be written.",
            "它没有产生梯度节点：此处没有记录梯度，只有这样才允许写入叶子张量。",
        )
        return joined([wrote.format(moment.head, x), because])
    return wrote.format(moment.head, x)
