"""Describes each step of a recording in a sentence or two, in both languages, from recorded facts alone; and in one clause.

operations.py     operations, the kernels that they launch, what follows from a write
other_steps.py    lines without an operation, backward, errors, a look at tensors
line_summary.py   all steps of a line                failures.py   why backward failed, line by line
clauses.py        what a step or a statement did, in one clause
phrases.py        a step with its states; lists, slots, bytes, shapes and values, as parts of a sentence
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab.place import Place, same_line
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.facts import BackwardFacts, Step, StepKind
from inplacelab.recording.naming import kept_values, listing
from inplacelab.recording.places import line_of, said_line, said_one_by_one
from inplacelab.recording.queries import newly_stale
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.sentences.clauses import changing, cleared, doing, names, on_gradients, state_of_optimizer
from inplacelab.recording.sentences.line_summary import as_one, line_summary
from inplacelab.recording.sentences.operations import communicated, launched, operation
from inplacelab.recording.sentences.other_steps import backward_step, error_step, plain_line, seen_at_once
from inplacelab.recording.sentences.phrases import StepContext, closed_up, joined, quoted
from inplacelab.recording.slots import Touched, effect, touched
from inplacelab.recording.slots import joined as joined_runs
from inplacelab.recording.source_tree import SourceTree, line_text, statement_at, tree_at
from inplacelab.recording.statements import run_of

MOST_LINES = 3
"""The most lines that a headline lists."""
LONGEST_STATEMENT = 40
"""The most characters of a statement that is quoted as a whole."""
LONGEST_CLAUSE = 110
"""The most characters of a clause that quotes the message of an error: two lines on a projector."""

_FIRST_EN = re.compile(r"((?:`[^`]*`|[^`])*?[.])(?:\s+|$)")
_FIRST_ZH = re.compile(r"((?:`[^`]*`|[^`])*?。)")


class Headline(NamedTuple):
    """What a step did.

    Attributes:
        clause: the most important of it, without a full stop.
        detail: the rest: slots, versions, bytes. It may be empty.
    """

    clause: Text
    detail: Text


def headline_of(recording: Recording, index: int, said: Text) -> Headline:
    """Returns the headline of a step.

    Args:
        recording: the recording.
        index: the step, counted from 0.
        said: the whole sentence about it, which the headline shortens.
    """
    context = StepContext(recording, index)
    step = context.step
    clause: Text | None = None
    if step.kind == "error":
        clause = _refused(context)
    elif step.kind == "operation" and step.writes:
        clause = _changed(context)
    elif step.kind == "operation" and step.output is not None and step.output not in step.inputs:
        clause = _made(context, step.output)
    elif step.backward is not None:
        clause = _in_backward(context, step.backward)
    if clause is None:
        found = split(said)
        if step.error is None or len(found.clause.en) <= LONGEST_CLAUSE:
            return found
        # The message is long: it stands below.
        clause = Text("{0} raised {1}", "{0} 引发了 {1}").format(_statement(context), quoted(step.error.type))
    return Headline(closed_up(Text(clause.en[:1].upper() + clause.en[1:], clause.zh)), said)


def split(said: Text) -> Headline:
    """Returns the first sentence of a text as a headline, and the others as its detail."""
    first = [_FIRST_EN.match(said.en), _FIRST_ZH.match(said.zh)]
    if first[0] is None or first[1] is None:
        return Headline(said, Text("", ""))
    en, zh = first[0], first[1]
    return Headline(
        Text(en[1].removesuffix("."), zh[1].removesuffix("。")), Text(said.en[en.end() :], said.zh[zh.end() :])
    )


def _changed(context: StepContext) -> Text:
    """A write: the tensors whose values it changed, and those that backward still needs."""
    step, done = context.step, touched(context.recording)
    effects = {each.storage: done.get(each.storage, {}).get(context.index, Touched()) for each in step.writes}
    stale = {saved.storage for _, saved in newly_stale(context.recording, context.index)}
    return changing(context, _statement(context), effects, stale)


def line_clause(context: StepContext, steps: range) -> Text | None:
    """Returns in one clause what a line of several steps did.

    Args:
        context: all steps of the line, as one.
        steps: their indices.

    Returns:
        The clause; None if the sentence about it says it as shortly.
    """
    recording, step = context.recording, context.step
    ran = [each for each in steps if recording.steps[each].kind in ("operation", "backward")]
    if not ran:
        return None
    effects: dict[int, Touched] = {}
    for write in step.writes:
        known = [state.storages.get(write.storage) for state in (context.before, context.after)]
        found = effect(write, *known)
        before = effects.get(write.storage, Touched())
        effects[write.storage] = Touched(
            *(joined_runs(sorted(one + other)) for one, other in zip(before, found, strict=True))
        )
    stale = {saved.storage for index in steps for _, saved in newly_stale(recording, index)}
    return doing(context, steps, whole_statement(context), effects, stale) or _ran(context, steps)


MOST_RAN = 2
"""The most operations of a statement that its clause lists."""


def _ran(context: StepContext, steps: range) -> Text | None:
    parts = [context.recording.steps[index] for index in steps]
    ran = [*dict.fromkeys(code_of(context.recording, each) for each in parts if each.kind == "operation")]
    if not ran:
        return None
    shown = [quoted(each) for each in ran[:MOST_RAN]]
    if len(ran) > MOST_RAN:
        shown.append(Text("{0} more operations", "另外 {0} 个操作").format(len(ran) - MOST_RAN))
    return Text("{0} ran {1}", "{0} 执行了 {1}").format(whole_statement(context), listing(shown))


def whole_statement(context: StepContext) -> Text:
    """Returns what ran in a step, or several, as it is written, or shortened: the statement, the head of a block, or of a statement of several lines
    the expression that begins on this line.
    """
    program, place = tree_at(context.recording, context.step.place), context.step.place
    if program is None or place is None:
        return context.line
    statement = program.statement(place.line)
    if statement is None:
        head = line_text(context.recording, place).partition("  #")[0].strip().removesuffix(":")
        return quoted(head) if 0 < len(head) <= LONGEST_STATEMENT else context.line
    part: ast.stmt | ast.expr = statement
    if statement.lineno != statement.end_lineno and len(program.code(statement)) > LONGEST_STATEMENT:
        part = program.largest_on(statement, place.line) or statement
    written = program.code(part)
    shown = written if len(written) <= LONGEST_STATEMENT else shortened(program, part)
    return context.line if shown is None or len(shown) > LONGEST_STATEMENT else quoted(shown)


def _made(context: StepContext, result: int) -> Text | None:
    """A new tensor: what it shares its storage with, or that its storage is new."""
    state = context.after
    tensor = state.tensors.get(result)
    if tensor is None:
        return None
    there = state.tensors_on(tensor.storage)
    sharers = [each.id for each in there if each.id != result and _named(state, each.id)]
    if sharers:
        pattern = Text("{0} shares its storage with {1}", "{0} 与 {1} 共享同一存储")
        return pattern.format(context.called(result), names(context, sharers))
    if context.step.category in ("view", "relayout") or tensor.storage not in dict(context.step.storages):
        return None
    if not context.step.inputs:
        return Text("{0} was made, in a new storage", "创建了 {0}，放在新存储中").format(context.called(result))
    pattern = Text("{0} has a storage of its own", "{0} 有自己的新存储")
    return pattern.format(context.called(result))


def _named(state: State, key: int) -> bool:
    return state.called(key).bound


def _in_backward(context: StepContext, facts: BackwardFacts) -> Text | None:
    """A moment of a backward pass, if its sentence is long."""
    if facts.node is None:
        return None
    node = context.node(facts.node)
    name = quoted(node.name) if node is not None else Text("a grad node", "某个梯度节点")
    if facts.action == "unpack":
        fresh = facts.kept_at == facts.found_at
        finds = Text("{0} finds what it kept unchanged", "{0} 保存的值没有过期")
        return (finds if fresh else Text("{0} finds what it kept overwritten", "{0} 保存的值已被覆盖")).format(name)
    if facts.action == "run" and node is not None and node.leaf is None and not context.step.writes:
        return Text("{0} computed the gradients of its inputs", "{0} 算出了各输入的梯度").format(name)
    return None


def _refused(context: StepContext) -> Text | None:
    """An error: what was refused, and the line that overwrote what backward needs."""
    from inplacelab.recording.trace import spoilt  # noqa: PLC0415  # which imports this package

    found = spoilt(context)
    if found is None or not found.writes:
        error = context.step.error
        refusal = None if error is None or error.failure is None else error.failure.refusal
        known = refusal is not None or (error is not None and error.explanation is not None)
        if not known or not _statement_of(context.recording, context.step):
            return None
        failed = refusal is not None and refusal.rule == "no_gradient"
        pattern = Text("{0} failed", "{0} 出错") if failed else Text("{0} was refused", "{0} 被拒绝")
        return pattern.format(_statement(context))
    there = context.after.tensors_on(found.saved.storage)
    named = [each.id for each in there if _named(context.after, each.id)]
    # The function that kept the value may have ended: then no tensor has its name any more.
    kept = kept_values(context.recording).get((found.node, found.saved.name))
    name = quoted(kept.name) if kept is not None and kept.name else names(context, named[:1]) if named else None
    where = _lines(context, [step.place for step, _ in found.writes if step.place is not None])
    if name is None:
        return Text("{0} was refused: {1} overwrote what it needs", "{0} 被拒绝：{1}覆盖了它需要的值").format(
            _statement(context), where
        )
    pattern = Text("{0} was refused: {1} had overwritten {2}", "{0} 被拒绝：{1}已覆盖 {2}")
    return pattern.format(_statement(context), where, name)


def _lines(context: StepContext, places: Iterable[Place]) -> Text:
    """The lines of all writes to a value: to leave out one of them would not help."""
    sources, here = context.recording.named_sources, context.step.place
    found: dict[tuple[int, int] | None, Place] = {}
    for each in places:
        found.setdefault(line_of(each), each)
    lines = list(found.values())
    if not lines:
        return Text("an earlier step", "之前的一步")
    if len(lines) > MOST_LINES:
        pattern = Text("{0} and {1} other lines", "{0}和另外 {1} 行")
        return pattern.format(said_line(sources, lines[0], here), len(lines) - 1)
    return said_one_by_one(sources, lines, here)


def _statement(context: StepContext) -> Text:
    """The statement of a step, whole if it is short; the operation if the statement did something else that counts."""
    step, program = context.step, tree_at(context.recording, context.step.place)
    statement = _statement_of(context.recording, step)
    if program is not None and statement is not None and _is_all_of_it(context, statement):
        written = program.code(statement)
        if len(written) > LONGEST_STATEMENT:
            written = _short_call(program, statement) or written
        if len(written) <= LONGEST_STATEMENT:
            return quoted(written)
    return quoted(code_of(context.recording, step)) if step.op else context.line


def _is_all_of_it(context: StepContext, statement: ast.stmt) -> bool:
    """Whether a statement says what its step did: it ran no other operation; or it is a call, and this is its only write, or one of those
    that `opt.step()` makes inside.
    """
    step = context.step
    of_line = [
        other
        for other in context.recording.steps[max(0, context.index - 8) : context.index + 9]
        if other.turn == step.turn and same_line(other.place, step.place) and other.kind == "operation"
    ]
    if len(of_line) <= 1:
        return True
    writes = [other for other in of_line if other.writes]
    is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return is_call and bool(step.writes) and (writes == [step] or not _names_an_operation(statement, of_line))


def _names_an_operation(statement: ast.stmt, of_line: Sequence[Step]) -> bool:
    """Whether a statement calls one of its operations by name."""
    called = [node.func for node in ast.walk(statement) if isinstance(node, ast.Call)]
    names = {func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", None) for func in called}
    return any(other.op in names for other in of_line)


def _short_call(program: SourceTree, statement: ast.stmt) -> str | None:
    """Returns a statement that is a call without its arguments: `hist.index_add_(…)`; None if it is none."""
    return shortened(program, statement) if isinstance(statement, ast.Expr) else None


def shortened(program: SourceTree, node: ast.AST | None) -> str | None:
    """Returns a call, or what is assigned or returned, without what is in it: `hist.index_add_(…)`, `x = net(…)`, `x += …`; None for anything else."""
    match node:
        case ast.Expr(value=value):
            return shortened(program, value)
        case ast.Call(func=func):
            return f"{program.code(func)}(…)"
        case ast.Assign(targets=[target], value=value):
            return f"{program.code(target)} = {_short_value(program, value)}"
        case ast.AugAssign(target=target, value=value):
            operator = program.code(node)[len(program.code(target)) :].strip().partition("=")[0]
            return f"{program.code(target)} {operator}= {_short_value(program, value)}"
        case ast.Return(value=value):
            return f"return {_short_value(program, value)}"
    return None


def _short_value(program: SourceTree, value: ast.expr | None) -> str:
    """Returns a call without its arguments, or at least the end of it: "net(…)", "….cross_entropy(…)"; "…" for anything else."""
    if not isinstance(value, ast.Call):
        return "…"
    called = f"{program.code(value.func)}(…)"
    if len(called) <= LONGEST_STATEMENT // 2 or not isinstance(value.func, ast.Attribute):
        return called
    return f"….{value.func.attr}(…)"


def _statement_of(recording: Recording, step: Step) -> ast.Expr | ast.Assign | ast.AugAssign | None:
    """The one simple statement on the line of a step; None if there is another one, or it has several lines."""
    statement = statement_at(recording, step.place)
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AugAssign)):
        return None
    return None if statement.lineno != statement.end_lineno else statement


_BY_KIND: dict[StepKind, Callable[[StepContext], Text]] = {
    "operation": operation,
    "line": plain_line,
    "backward": backward_step,
    "error": error_step,
    "look": seen_at_once,
}


def sentence(recording: Recording, index: int) -> Text:
    """Describes step `index`: slots written, versions raised, tensors that see it, values gone stale, kernels launched.

    Args:
        recording: the recording.
        index: the step, counted from 0; negative numbers count from the end.

    Returns:
        The text in both languages. Names of the program are in backticks; the terms are those of the recorded framework.

    Raises:
        IndexError: if there is no such step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2])
    ...     _ = x.scale_(0.5)
    >>> print(sentence(rec.recording, 1).en)
    Line 2 `scale_` wrote slots 0-1 of S0 through `x`. Version of S0: 0 → 1. From now on `x` is called `_`, too.
    """
    context = StepContext(recording, index)
    step = context.step
    return closed_up(joined([_BY_KIND[step.kind](context), *launched(step.launches), *communicated([step.collective])]))


def line_sentence(recording: Recording, index: int) -> Text:
    """Describes the line of step `index` as a whole: all of its steps, from the state before the first to the state after the last.

    Args:
        recording: the recording.
        index: the step, counted from 0; negative numbers count from the end.

    Returns:
        The text in both languages; for a line of one step, the sentence of that step.

    Raises:
        IndexError: if there is no such step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2])
    ...     y = (x * 2).exp()
    >>> print(line_sentence(rec.recording, -1).en)
    Line 2 ran `x * 2` and `exp` on `x`. It made `y` in a new storage S2 (8 bytes). S1 was made and freed again (8 bytes).
    """
    here = recording.state(index).step.index
    steps = run_of(recording, here)
    return sentence(recording, here) if len(steps) == 1 else closed_up(line_summary(recording, steps))


def headline(recording: Recording, index: int) -> Headline:
    """Says what step `index` did in one clause, and the rest in a detail.

    The clause of a write names every tensor that shows other values now, whatever its name; that of a refusal the line to blame.

    Args:
        recording: the recording.
        index: the step, counted from 0; negative numbers count from the end.

    Returns:
        The clause, without a full stop, and the detail, which may be empty.

    Raises:
        IndexError: if there is no such step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2])
    ...     v = x[1:]
    ...     v[0] = 5.
    >>> for step in range(3):
    ...     print(headline(rec.recording, step).clause.en)
    `x` was made, in a new storage
    `v` shares its storage with `x`
    `v[0] = 5.` changed `x` too
    """
    here = recording.state(index).step.index
    return headline_of(recording, here, sentence(recording, here))


def line_headline(recording: Recording, index: int) -> Headline:
    """Says what the line of step `index` did: as `headline` for a line of one step, unless that clears many gradients. Of several steps the clause is
    what they changed, made and filled together, and the operations that ran if that is nothing with a name.

    Args:
        recording: the recording.
        index: the step, counted from 0; negative numbers count from the end.

    Raises:
        IndexError: if there is no such step.
    """
    here = recording.state(index).step.index
    steps = run_of(recording, here)
    failed = next((each for each in steps if recording.steps[each].error is not None), None)
    if failed is not None:  # what else the statement did does not matter then
        return headline(recording, failed)
    context = as_one(recording, steps)
    if len(steps) == 1:
        many = context.step.kind == "line" and len(cleared(context)) > MOST_LINES
        told = headline(recording, here)
        return Headline(_cleared(context), line_sentence(recording, here)) if many else told
    said, clause = line_sentence(recording, here), line_clause(context, steps)
    plain = split(said)
    if clause is None:
        return plain
    # The clause has the statement in place of the list of the operations that it ran.
    ran = recording.steps[steps[0]].kind == "operation"
    more = state_of_optimizer(context)
    detail = plain.detail if ran and plain.detail.en else said
    return Headline(closed_up(clause), detail if more is None else joined([more, detail]))


def _cleared(context: StepContext) -> Text:
    return closed_up(
        Text("{0} {1}", "{0} {1}").format(whole_statement(context), on_gradients(context, [context.step])[0])
    )
