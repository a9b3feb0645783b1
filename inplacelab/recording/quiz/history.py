"""Makes questions about the gradient history: what goes stale, and which grad node a tensor comes from."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.recording.facts import NodeFacts, SavedFacts, TensorFacts
from inplacelab.recording.naming import namings, node_label, storage_label
from inplacelab.recording.queries import kept_by, newly_stale
from inplacelab.recording.quiz.question import (
    MOST_OPTIONS,
    Option,
    Question,
    a_question,
    learners_write,
    named,
)
from inplacelab.recording.recording import State
from inplacelab.recording.sentences.phrases import Moment, joined, listing, quoted

__all__ = ["node", "stale"]

Kept = tuple[int, int]
"""A node's saved tensors on one storage, as (node, storage): they go stale together."""


# --- stale ---------------------------------------------------------------------------------------------------------


def stale(moment: Moment) -> Question | None:
    """Asks which saved tensors will become stale.

    Asked about a write while any saved tensor is fresh, also if none goes stale: otherwise asking would give the
    answer away. The other options are saved tensors on other storages, and "none of them".
    """
    before = moment.before
    if not learners_write(moment):
        return None
    fresh = _fresh(before)
    spoilt = {(key, saved.storage) for key, saved in newly_stale(moment.recording, moment.index)}
    if not fresh or not spoilt <= fresh.keys():
        return None
    # Saved tensors that go stale come first, so the limit never drops them.
    shown = sorted([*sorted(spoilt), *(kept for kept in fresh if kept not in spoilt)][: MOST_OPTIONS - 1])
    options: list[Option] = [(_kept_label(moment, before, kept, fresh[kept]), kept in spoilt) for kept in shown]
    options.append((Text("none of them", "都不会"), not spoilt))
    ask = Text("Which saved tensors will become stale?", "保存的张量中，哪些会过期？")
    about = [f"n{key}" for key, _ in shown if not spoilt or (key, _) in spoilt]
    return a_question(moment, "stale", ask, options, _why_stale(moment, before, fresh, spoilt), about, several=True)


def _fresh(state: State) -> dict[Kept, list[SavedFacts]]:
    """Returns the saved tensors that can still go stale; a copy is never written again."""
    found: dict[Kept, list[SavedFacts]] = {}
    for key in state.nodes:
        for saved in kept_by(state, key):
            if saved.counter in state.counters and not state.is_stale(saved) and not saved.copy:
                found.setdefault((key, saved.storage), []).append(saved)
    return found


def _kept_label(moment: Moment, state: State, kept: Kept, saved: list[SavedFacts]) -> Text:
    names = listing([each.phrase() for each in namings(moment.recording, state, kept[0], saved)])
    pattern = Text("{names}, kept by {node}", "{names}，由 {node} 保存")
    return pattern.format(names=names, node=node_label(state, state.nodes[kept[0]]))


def _why_stale(moment: Moment, before: State, fresh: dict[Kept, list[SavedFacts]], spoilt: set[Kept]) -> Text:
    written = [write for write in moment.step.writes if write.before != write.after]
    at_stake = [kept for kept in fresh if kept[1] in {write.storage for write in written}]
    fates: dict[Text, list[Text]] = {}
    for kept in at_stake:
        fates.setdefault(_fate(moment, kept, kept in spoilt), []).append(node_label(before, before.nodes[kept[0]]))
    said = [_went_up(write.storage, write.before, write.after) for write in written]
    said += [pattern.format(listing(nodes)) for pattern, nodes in fates.items()]
    if not at_stake:
        said.append(Text("No saved tensor there is fresh.", "那里没有尚未过期的保存张量。"))
    return joined(said)


def _fate(moment: Moment, kept: Kept, spoilt: bool) -> Text:
    """Explains what happened to a saved tensor whose storage has a new version."""
    if spoilt:
        return Text(
            "What {0} kept is stale: it was kept at an earlier version.",
            "{0} 保存的值已过期：它是在之前的版本上保存的。",
        )
    node, storage = kept
    after = moment.after.nodes.get(node)
    if after is None or after.released:
        return Text("{0} no longer keeps it.", "{0} 已不再保存它。")
    if any(saved.copy for saved in after.saved if saved.storage != storage):
        return Text("A copy was made first for {0}.", "事先为 {0} 复制了一份。")
    return Text("What {0} kept is still fresh.", "{0} 保存的值没有过期。")


def _went_up(storage: int, before: int, after: int) -> Text:
    return Text("{0} goes from v{1} to v{2}.", "{0} 从 v{1} 变为 v{2}。").format(storage_label(storage), before, after)


# --- grad node -----------------------------------------------------------------------------------------------------


def node(moment: Moment) -> Question | None:
    """Asks which grad node a tensor will come from.

    Asked about a write that rewrites a history: about the base if the write was through a view, since that is the surprise,
    otherwise about the tensor written. Also asked about an unrecorded write, which leaves the history of what it
    overwrites unchanged. The other options are the tensor's current node and the nodes that the write makes;
    `CopySlices` is always among them.
    """
    before, tensor = moment.before, _rewritten(moment)
    now = moment.after.tensors.get(tensor.id) if tensor is not None else None
    if tensor is None or now is None or not learners_write(moment):
        return None
    made = moment.after.nodes.get(now.node) if now.node is not None else None
    as_before = now.node == tensor.node
    if not as_before and (made is None or made.id in before.nodes):
        return None
    new = {"CopySlices", *(each.name for each in _new_nodes(moment, before))}
    options: list[Option] = [(_as_before(before, tensor), as_before)]
    for name in sorted(new)[: MOST_OPTIONS - 1]:
        right = not as_before and made is not None and name == made.name
        options.append((Text("a new {0}", "新的 {0}").format(quoted(name)), right))
    ask = Text("Which grad node will {0} come from?", "{0} 的梯度节点会是哪一个？")
    about = [f"t{tensor.id}", *([f"n{made.id}"] if made else [])]
    why = _why_unchanged(moment, tensor) if as_before or made is None else _why_new(moment, tensor, made)
    return a_question(moment, "node", ask.format(moment.called_until_now(tensor.id)), options, why, about)


def _rewritten(moment: Moment) -> TensorFacts | None:
    """Returns the tensor whose history to ask about; None if there is none."""
    known = {tensor.id: tensor for tensor in named(moment)}
    written = {write.tensor for write in moment.step.writes}
    storages = {write.storage for write in moment.step.writes if write.slots}
    rewired = [known[each.tensor] for each in moment.step.rewired if each.tensor in known]
    bases = [tensor for tensor in rewired if tensor.id not in written and tensor.base is None]
    missed = [tensor for tensor in known.values() if tensor.storage in storages and tensor.node is not None]
    return next(iter([*bases, *rewired] or missed), None)


def _new_nodes(moment: Moment, before: State) -> list[NodeFacts]:
    changed = ((key, facts) for key, facts in moment.step.nodes if facts is not None and key not in before.nodes)
    return [facts for _, facts in changed if facts.leaf is None]


def _as_before(before: State, tensor: TensorFacts) -> Text:
    was = before.nodes.get(tensor.node) if tensor.node is not None else None
    if was is None:
        return Text("none, as now", "没有梯度节点，和现在一样")
    return Text("{0}, as now", "{0}，和现在一样").format(node_label(before, was))


def _why_unchanged(moment: Moment, tensor: TensorFacts) -> Text:
    pattern = Text(
        "{head} made no grad node: the values of {x} have changed, but its history does not contain the write.",
        "{head}没有产生梯度节点：{x} 的值虽被写入，它的梯度历史却不知道这次写入。",
    )
    return pattern.format(head=moment.head, x=moment.called_before(tensor.id))


def _why_new(moment: Moment, tensor: TensorFacts, made: NodeFacts) -> Text:
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
    return pattern.format(x=moment.called_before(tensor.id), node=quoted(made.name))
