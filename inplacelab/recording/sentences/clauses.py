"""Says in one clause what an operation, or a statement of many, did: what it changed, made, filled and cleared; many names by what they belong to.

A statement such as `opt.step()` changes more tensors than a reader can take in: "updated 6 parameters of `net`". What an optimizer keeps for
itself is not counted among them; the detail has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab.recording.facts import Step, TensorFacts
from inplacelab.recording.naming import GRADIENT, listing
from inplacelab.recording.optimizer_steps import stepped
from inplacelab.recording.places import bare_name, is_statistic
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.sentences.phrases import StepContext, quoted
from inplacelab.recording.slots import Touched, common_runs, slots_reached
from inplacelab.recording.source_tree import line_text
from inplacelab.recording.statements import run_of

LONGEST_LIST = 30
"""The most characters of three and more names that are listed one by one."""
MOST_OWNERS = 3
"""The most owners of tensors that are named."""


class Noun(NamedTuple):
    """What some tensors are: one of them, and several."""

    one: Text
    many: Text


PARAMETERS = Noun(Text("parameter", "参数"), Text("parameters", "参数"))
GRADIENTS = Noun(Text("gradient", "梯度"), Text("gradients", "梯度"))
BUFFERS = Noun(Text("buffer", "缓冲区"), Text("buffers", "缓冲区"))
TENSORS = Noun(Text("tensor", "张量"), Text("tensors", "张量"))
MODULES = Noun(Text("module", "模块"), Text("modules", "模块"))

_OF_OPTIMIZER = re.compile(r"(.+)\.state\[[^\]]*\]\[[^\]]*\]")
_PART = re.compile(r"^[^.\[]+|\.[^.\[]+|\[[^\]]*\]")


def names(context: StepContext, tensors: Sequence[int]) -> Text:
    """Names tensors by their first names, all of them."""
    return listing([quoted(context.after.called(key).first) for key in tensors])


def changing(context: StepContext, what: Text, effects: Mapping[int, Touched], stale: AbstractSet[int]) -> Text:
    """Returns the clause of a write: the tensors whose values it changed, and those that backward still needs.

    Args:
        context: the step.
        what: what wrote.
        effects: what its writes did to each storage.
        stale: the storages on which it made a saved value stale.
    """
    did, overwriter = _changed(context, effects), overwriting(context)
    if did:
        clause = _clause(what, did)
    elif overwriter is not None:
        pattern = Text("{0} ({1}) overwrites the result of {2}", "{0}（{1}）原地覆盖 {2} 的结果")
        clause = pattern.format(quoted(overwriter[0]), what, quoted(overwriter[1]))
    else:
        clause = _changed_nothing(context, what, effects)
    return _with_needed(context, clause, stale)


def doing(
    context: StepContext, steps: range, what: Text, effects: Mapping[int, Touched], stale: AbstractSet[int]
) -> Text | None:
    """Returns the clause of a statement of several steps; None if what it did has no short form.

    Args:
        context: all of its steps, as one.
        steps: their indices.
        what: the statement.
        effects: what its writes did to each storage.
        stale: the storages on which it made a saved value stale.
    """
    parts = [context.recording.steps[index] for index in steps]
    made, shared = _made(context)
    changed = _changed(context, effects)
    did = [*changed, *made] if not _are_statistics(context, effects) else [*made, *changed]
    did = [*on_gradients(context, parts), *did]
    if not _optimizer(context):
        did += _overwritten(context, parts, alone=not did)
    if did:
        clause = _clause(what, [*did, *shared])
    elif shared:
        clause = listing_of_clauses(shared)
    elif any(write.storage in context.before.storages for write in context.step.writes):
        clause = _changed_nothing(context, what, effects)
    else:
        return None
    return _with_needed(context, clause, stale)


def state_of_optimizer(context: StepContext) -> Text | None:
    """Says how many tensors an optimizer keeps for itself that a statement has made or changed; None if there are none."""
    touched = context.step.touched_storages()
    called = (context.after.called(key) for key, each in context.after.tensors.items() if each.storage in touched)
    found = [owner for each in called if (owner := _optimizer_of(context, each.first))]
    if not found:
        return None
    pattern = Text("It also wrote {0} of the state of {1}.", "它还写入了 {1} 状态中的 {0}。")
    return pattern.format(_count(len(found), TENSORS), listing([quoted(each) for each in dict.fromkeys(found)]))


def listing_of_clauses(clauses: Sequence[Text]) -> Text:
    """Joins clauses: "a, b, and c"."""
    *firsts, last = clauses
    if not firsts:
        return last
    return Text(f"{', '.join(each.en for each in firsts)}, and {last.en}", "，".join(each.zh for each in clauses))


def _clause(what: Text, did: Sequence[Text]) -> Text:
    return Text("{0} {1}", "{0} {1}").format(what, listing_of_clauses(did))


def _with_needed(context: StepContext, clause: Text, stale: AbstractSet[int]) -> Text:
    needed = _still_needed(context, stale)
    if not needed:
        return clause
    pattern = Text("{0}, and backward needs the old {1}", "{0}，而反向传播还需要原来的 {1}")
    return pattern.format(clause, told(_called(context, needed), TENSORS))


# --- many names ---------------------------------------------------------------------------------------------------------


def told(called: Sequence[str], noun: Noun) -> Text:
    """Names tensors; if there are many, says how many of what they are.

    >>> told(["w", "b"], PARAMETERS).en
    '`w` and `b`'
    >>> told([f"net.{k}.{name}" for k in (0, 2) for name in ("weight", "bias")], PARAMETERS).en
    '4 parameters of `net`'
    """
    if _is_short(called):
        return listing([quoted(each) for each in called])
    owners = owners_of(called)
    if noun is BUFFERS or not owners:
        pattern = Text("{0} and {1} more {2}", "{0} 等 {3} 个{2}")
        return pattern.format(quoted(called[0]), len(called) - 1, noun.many, len(called))
    if len(owners) > MOST_OWNERS:
        return _count(len(called), noun)
    pattern = Text("{0} of {1}", "{1} 的 {0}")
    return pattern.format(_count(len(called), noun), listing([quoted(each) for each in owners]))


def _is_short(called: Sequence[str]) -> bool:
    return len(called) <= 2 or sum(map(len, called)) <= LONGEST_LIST


def owners_of(called: Iterable[str]) -> list[str]:
    """Returns what tensors belong to, by their names: for each root the longest path that they have in common.

    Returns:
        The paths; none if one of the names belongs to nothing.

    >>> owners_of(["net.0.weight", "net.0.bias", "head.weight"]), owners_of(["net.0.weight", "x"])
    (['net.0', 'head'], [])
    """
    found: dict[str, list[str]] = {}
    for name in called:
        bare = bare_name(name)
        *path, _ = _PART.findall(bare) or [""]
        if not path:
            return []
        root = name.removesuffix(bare) + path[0]
        found[root] = _common(found.get(root, path[1:]), path[1:])
    return [root + "".join(rest) for root, rest in found.items()]


def _common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    return [a for a, _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))]


def _count(number: int, noun: Noun) -> Text:
    return Text("{0} {1}", "{0} 个{1}").format(number, noun.one if number == 1 else noun.many)


# --- what was changed ---------------------------------------------------------------------------------------------------


def _changed(context: StepContext, effects: Mapping[int, Touched]) -> list[Text]:
    """What a write changed, as verbs: nothing if no tensor with a name shows another value."""
    changed = _with_other_values(context, effects)
    own = [key for key in changed if not _optimizer_of(context, context.after.called(key).first)]
    changed = own or changed
    writers = {write.tensor for write in context.step.writes}
    mine = [key for key in changed if key in writers]
    others = [key for key in changed if key not in writers]
    groups = [(noun, [key for key in mine if _kind(context, key) is noun]) for noun in (PARAMETERS, GRADIENTS, BUFFERS)]
    groups.append((TENSORS, [key for key in mine if _kind(context, key) is TENSORS]))
    too = Text("changed {0} too", "同时改变了 {0}") if mine else Text("changed {0}", "改变了 {0}")
    also = [too.format(told(_called(context, others), TENSORS))] if others else []
    if _is_short(_called(context, mine)):
        return also or ([Text("changed {0}", "改变了 {0}").format(names(context, mine))] if mine else [])
    return [_changed_group(context, noun, keys) for noun, keys in groups if keys] + also


def _changed_group(context: StepContext, noun: Noun, keys: Sequence[int]) -> Text:
    called = _called(context, keys)
    if noun is GRADIENTS:
        called = [each.removesuffix(GRADIENT) for each in called] if len(called) > 2 else called
        if all(_is_zero(context.after, key) for key in keys):
            return Text("set {0} to zero", "将 {0} 置零").format(told(called, noun))
    if noun is PARAMETERS and _optimizer(context):
        return Text("updated {0}", "更新了 {0}").format(told(called, noun))
    return Text("changed {0}", "改变了 {0}").format(told(called, noun))


def _optimizer(context: StepContext) -> str:
    """The optimizer that the statement calls; "" if it calls none."""
    return stepped(line_text(context.recording, context.step.place))


def _optimizer_of(context: StepContext, name: str) -> str:
    """The optimizer to whose state a name belongs; "" if it is not known to belong to one."""
    bare, called = bare_name(name), _optimizer(context)
    found = _OF_OPTIMIZER.fullmatch(bare)
    if found is not None:
        return found[1]
    return called if called and bare.startswith((f"{called}.", f"{called}[")) else ""


def _called(context: StepContext, keys: Iterable[int]) -> list[str]:
    return [context.after.called(key).first for key in keys]


def _kind(context: StepContext, key: int) -> Noun:
    facts = context.after.tensors[key]
    if context.after.owner_of_gradient(key) is not None:
        return GRADIENTS
    if facts.leaf and facts.needs_gradient:
        return PARAMETERS
    return BUFFERS if is_statistic(context.after.called(key).first) else TENSORS


def _are_statistics(context: StepContext, effects: Mapping[int, Touched]) -> bool:
    """Whether what a statement changed are only running statistics: what it made counts more."""
    return all(is_statistic(each) for each in _called(context, _with_other_values(context, effects)))


def _is_zero(state: State, tensor: int) -> bool:
    storage = state.storages.get(state.tensors[tensor].storage)
    return storage is not None and isinstance(storage.values, tuple) and not any(storage.values)


def _changed_nothing(context: StepContext, what: Text, effects: Mapping[int, Touched]) -> Text:
    if any(each.changed for each in effects.values()):
        pattern = Text("{0} changed no tensor that has a name", "{0} 没有改变任何具名张量的值")
    elif any(write.slots for write in context.step.writes):
        pattern = Text("{0} wrote the values that were already there", "{0} 写入的就是原来的值")
    elif _is_relaid(context):
        pattern = Text("{0} changed metadata, not values", "{0} 改变的是元数据，不是数值")
    else:
        pattern = Text("{0} changed nothing", "{0} 没有改变任何内容")
    return pattern.format(what)


def _is_relaid(context: StepContext) -> bool:
    """Whether a tensor has another shape, other strides or another offset than before."""
    pairs = ((context.tensor_before(key), facts) for key, facts in context.step.tensors)
    layouts = [[(each.shape, each.strides, each.offset) for each in pair if each is not None] for pair in pairs]
    return any(len(pair) == 2 and pair[0] != pair[1] for pair in layouts)


def _with_other_values(context: StepContext, effects: Mapping[int, Touched]) -> list[int]:
    """The tensors with a name, or that get one at the end of the line, that show another value than before, in the order in which they were made.

    A storage that the step has made had no value before.
    """
    state = context.after
    return sorted(
        tensor.id
        for storage, done in effects.items()
        if storage in context.before.storages
        for tensor in state.tensors_on(storage)
        if state.called(tensor.id).names
        and common_runs(slots_reached(state.storages[storage], tensor), done.changed or done.around)
    )


def _still_needed(context: StepContext, stale: AbstractSet[int]) -> list[int]:
    """The tensors with a name on the storages on which a saved value went stale: the first on each."""
    state = context.after
    named = ([each.id for each in state.tensors_on(key) if state.called(each.id).bound] for key in stale)
    return sorted(min(keys) for keys in named if keys)


def _overwritten(context: StepContext, parts: Sequence[Step], *, alone: bool) -> list[Text]:
    """The results of operations of the statement that another one overwrote in place, as a ReLU in a network does; `alone`: it did nothing else."""
    found = _overwriting(context, parts)
    if not found:
        return []
    of = (
        quoted(_whose(context, found[0][0]))
        if len(found) == 1
        else Text("{0} results", "{0} 个结果").format(len(found))
    )
    modules = dict.fromkeys(step.module for _, step in found)
    by = listing([quoted(op) for op in dict.fromkeys(str(step.op) for _, step in found)])
    if all(modules):
        who = (
            Text("ran {0} ({1}), which overwrote", "运行了 {0}（{1}），它原地覆盖了")
            if alone
            else Text("{0} ({1}) overwrote", "{0}（{1}）原地覆盖了")
        )
        what = Text("the result of {0}", "{0} 的结果").format(of) if len(found) == 1 else of
        return [Text("{0} {1}", "{0} {1}").format(who.format(told([*modules], MODULES), by), what)]
    pattern = Text("overwrote {0} in place ({1})", "原地覆盖了 {0}（{1}）")
    if len(found) == 1:
        pattern = Text("overwrote the result of {0} in place ({1})", "原地覆盖了 {0} 的结果（{1}）")
    return [pattern.format(of, by)]


def overwriting(context: StepContext) -> tuple[str, str] | None:
    """Returns what the program calls the module that overwrites, in a step, the result of another operation of its statement, and whose result that
    is: the module or the operation. None if the step does no such thing.
    """
    if not context.step.module:
        return None
    run = run_of(context.recording, context.index)
    parts = [context.recording.steps[index] for index in range(run.start, context.index + 1)]
    found = [maker for maker, step in _overwriting(context, parts) if step is parts[-1]]
    return (context.step.module, _whose(context, found[0])) if found else None


def _overwriting(context: StepContext, parts: Sequence[Step]) -> list[tuple[Step, Step]]:
    """Returns the operations of a statement whose results were overwritten in it, and those that did it."""
    there = context.recording.before(parts[0].index).storages
    makers = {step.output: step for step in parts if step.kind == "operation" and step.inputs and not step.writes}
    return [
        (makers[write.tensor], step)
        for step in parts
        for write in step.writes
        if write.slots and write.tensor in makers and write.storage not in there
    ]


def _whose(context: StepContext, maker: Step) -> str:
    """Returns what a result is named by: the owner of the weights that it was computed with, or the operation."""
    weights = [
        context.before.called(key).first
        for key in maker.inputs
        if (facts := context.before.tensors.get(key)) is not None and facts.leaf and facts.needs_gradient
    ]
    owners = owners_of(weights)
    return owners[0] if len(owners) == 1 else str(maker.op)


# --- what was made ------------------------------------------------------------------------------------------------------


def _made(context: StepContext) -> tuple[list[Text], list[Text]]:
    """The tensors that a statement made, as verbs, and those that share a storage, as clauses."""
    state = context.after
    new = [
        facts
        for key, facts in context.step.tensors
        if facts is not None and key not in context.before.tensors and state.owner_of_gradient(key) is None
    ]
    named = [each for each in new if state.called(each.id).bound and _made_as(context, each) is TENSORS]
    named = [each for each in named if not _optimizer_of(context, state.called(each.id).first)]
    alone = [each for each in named if not _sharers(state, each)]
    did = [_made_names(context, alone)] if alone else []
    return [*did, *_made_parts(context, new)], _shared(context, named)


def _made_names(context: StepContext, plain: Sequence[TensorFacts]) -> Text:
    called = _called(context, [each.id for each in plain])
    if len(called) == 1 and context.before.bound(called[0]) is not None:
        return Text("made a new {0}", "得到新的 {0}").format(quoted(called[0]))
    return Text("made {0}", "得到 {0}").format(told(called, TENSORS))


def _made_parts(context: StepContext, new: Sequence[TensorFacts]) -> list[Text]:
    """Counts the parameters and buffers of layers, and other tensors that get a name later: a layer may not yet be a part of its network."""
    kinds = [_made_as(context, each) for each in new]
    nameless = [each for each in new if not context.after.called(each.id).names and each.leaf]
    later = context.recording.once(_first_names)
    others = sum(each.id in later and _made_as(context, each) is TENSORS for each in nameless)
    found = ((kinds.count(PARAMETERS), PARAMETERS), (kinds.count(BUFFERS), BUFFERS), (others, TENSORS))
    counts = [_count(number, noun) for number, noun in found if number]
    return [Text("made {0}", "创建了 {0}").format(listing(counts))] if counts else []


def _made_as(context: StepContext, tensor: TensorFacts) -> Noun:
    """What a new tensor is, by the name that it gets first."""
    name = context.recording.once(_first_names).get(tensor.id, "")
    if tensor.leaf and tensor.needs_gradient and owners_of([name]):
        return PARAMETERS
    return BUFFERS if is_statistic(name) else TENSORS


def _first_names(recording: Recording) -> dict[int, str]:
    """Returns the first name that each tensor gets."""
    found: dict[int, str] = {}
    for step in recording.steps:
        for key, facts in step.tensors:
            if facts is not None and facts.names:
                found.setdefault(key, facts.names[0])
    return found


def _sharers(state: State, tensor: TensorFacts) -> list[int]:
    there = state.tensors_on(tensor.storage)
    return [each.id for each in there if each.id != tensor.id and state.called(each.id).bound]


def _shared(context: StepContext, named: Sequence[TensorFacts]) -> list[Text]:
    """The new tensors that share a storage: with each other, or with older ones."""
    found: dict[int, list[int]] = {}
    for each in named:
        if _sharers(context.after, each):
            found.setdefault(each.storage, []).append(each.id)
    return [_sharing(context, storage, keys) for storage, keys in found.items()]


def _sharing(context: StepContext, storage: int, keys: Sequence[int]) -> Text:
    others = [each.id for each in context.after.tensors_on(storage) if context.after.called(each.id).bound]
    older = [key for key in others if key not in keys]
    called = told(_called(context, keys), TENSORS)
    if not older:
        return Text("{0} share one storage", "{0} 共享同一存储").format(called)
    share = "share" if len(keys) > 1 else "shares"
    its = "their" if len(keys) > 1 else "its"
    pattern = Text(f"{{0}} {share} {its} storage with {{1}}", "{0} 与 {1} 共享同一存储")
    return pattern.format(called, told(_called(context, older), TENSORS))


# --- gradients ----------------------------------------------------------------------------------------------------------


def on_gradients(context: StepContext, parts: Sequence[Step]) -> list[Text]:
    """What a statement did to gradients, apart from writes of its operations: it filled them, added to them, or cleared them."""
    did = (
        (Text("filled {0}", "写入了 {0}"), _filled(context)),
        (Text("added to {0}", "累加到 {0}"), _added(context) if any(each.backward for each in parts) else []),
        (Text("cleared {0}", "清除了 {0}"), cleared(context)),
    )
    return [pattern.format(_gradients_of(context, keys)) for pattern, keys in did if keys]


def cleared(context: StepContext) -> list[int]:
    """Returns the tensors that had a gradient before the step and have none after it."""
    before, after = context.before.tensors, context.after.tensors
    return [
        key
        for key, facts in context.step.tensors
        if facts is not None and facts.grad is None and key in before and before[key].grad is not None and key in after
    ]


def _filled(context: StepContext) -> list[int]:
    before, after = context.before.tensors, context.after.tensors
    new = (key for key, each in after.items() if each.grad is not None)
    return [key for key in new if key not in before or before[key].grad is None]


def _added(context: StepContext) -> list[int]:
    before, after = context.before.tensors, context.after.tensors
    touched = context.step.touched_storages()
    pairs = ((key, before[key].grad, each.grad) for key, each in after.items() if key in before)
    return [
        key
        for key, was, now in pairs
        if was is not None and now is not None and (was != now or (now in after and after[now].storage in touched))
    ]


def _gradients_of(context: StepContext, keys: Sequence[int]) -> Text:
    called = [context.after.called(key) for key in keys]
    first = [each.first for each in called]
    if all(each.names for each in called):
        if _is_short(first):
            return listing([quoted(f"{each}{GRADIENT}") for each in first])
        if owners_of(first):
            return told(first, GRADIENTS)
    return _count(len(keys), GRADIENTS)
