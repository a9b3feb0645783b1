"""Proposes to update parameters later: after the backward pass that still needs their old values, and with the same gradients.

A backward pass also adds to the gradients of the parameters that are updated then. So the statements that compute their gradients move along, or the pass
computes only the gradients that it is for. Whether every update is the same is found out by trying it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.crossing import Crossing, makers, root_of, stepped
from inplacelab.recording.fixes.spots import Proposal, listed
from inplacelab.recording.source_tree import SourceTree
from inplacelab.supported import frameworks

_CLEARS = ("zero_grad", "clear_grad", "clear_gradients")
_BESIDE = ("unscale_", "clip_grad_norm_", "clip_grad_value_")
"""What may stand between a backward pass and the step that uses its gradients."""
_ONLY_TELL = frozenset(
    {"print", "append", "extend", "add_scalar", "log", "log_dict", "info", "debug", "write", "set_postfix"}
)
"""Functions and methods that read no parameter that they are not given."""
_FEW = 4
"""So many statements are quoted; of more, the lines are named."""
_KEEPS = re.compile(r",?\s*retain_graph\s*=\s*True")

_MOVE = Text("move {0} below {1}", "把 {0} 移到{1}之后")
_MOVE_UP = Text("move {0} above {1}", "把 {0} 移到{1}之前")
_WRITE = Text(", and in {0} write `{1}`", "，并把{0}改写为 `{1}`")
_REASON = Text("the backward pass then runs before the update", "这样反向传播在更新之前进行")
_ONLY = Text(
    "the backward pass then runs before the update, and does not add to the gradients that the update uses",
    "这样反向传播在更新之前进行，也不会累加到更新所用的梯度中",
)


def later_updates(found: Crossing) -> Iterator[Proposal]:
    """Yields orders in which the backward pass comes before the update.

    Args:
        found: the block with both.
    """
    for updates in (found.all_updates, found.updates):
        whole = _with_gradients(updates, found)
        ends = _end_of_pass(found)
        yield from _moved(whole, ends, found)
        yield from _moved_up(whole, ends, found)
        yield from _only_its_gradients(updates, ends, found)
        yield from _moved(whole, found.passes, found)
        yield from _moved(updates, found.passes, found)


def _with_gradients(updates: Sequence[ast.stmt], found: Crossing) -> list[ast.stmt]:
    """Returns updates with the statements that compute the gradients which they use."""
    block, wanted = found.block, list(updates)
    for update in updates:
        optimizer = stepped(update)
        for each in reversed(block[: block.index(update)]):
            if each in wanted:
                continue
            if not (
                _calls(each, "backward", *_BESIDE)
                or (optimizer is None and _takes_gradients(each))
                or _calls(each, *_CLEARS)
            ):
                break
            wanted.append(each)
            if _calls(each, *_CLEARS):
                break
        clears = [
            each
            for each in block[: block.index(update)]
            if optimizer and _calls(each, *_CLEARS) and _receiver(each) == optimizer
        ]
        wanted += [each for each in clears[-1:] if each not in wanted]
    return [each for each in block if each in wanted]


def _end_of_pass(found: Crossing) -> ast.stmt:
    """Returns the statement after the pass that uses its gradients, with nothing between them that does something else; or else the pass."""
    after = found.block[found.block.index(found.passes) + 1 :]
    for each in after:
        if stepped(each) is not None or found.is_like_known(each):
            return each
        if not _calls(each, *_BESIDE):
            break
    return found.passes


def _moved(some: Sequence[ast.stmt], below: ast.stmt, found: Crossing) -> Iterator[Proposal]:
    """Yields the statements moved below another one."""
    program = found.program
    edits, says = (
        _taken_out(some, program),
        _MOVE.format(_quoted(some, found), found.where.line(below.lineno, below.end_lineno)),
    )
    texts = [program.whole_lines(each) or "" for each in some]
    keeps = any(_KEEPS.search(each) and _calls_any(one) for each, one in zip(texts, some, strict=True))
    if edits is None or _reads_between(some, below, found, {root_of(each) for each in found.parameters}):
        return
    if keeps and (kept := _keeping(found)) is not None:
        texts = [_KEEPS.sub("", each) if _calls_any(one) else each for each, one in zip(texts, some, strict=True)]
        edits.append(kept)
        says += _WRITE.format(found.where.line(found.passes.lineno), program.text(found.passes, [kept]))
    line = (below.end_lineno or below.lineno) + 1
    edits.append(EditFacts(line, 0, line, 0, "".join(texts)))
    yield found.where.proposal(says, edits, reason=_REASON, way="reorder")


def _moved_up(whole: Sequence[ast.stmt], ends: ast.stmt, found: Crossing) -> Iterator[Proposal]:
    """Yields the pass with its update moved above the other one."""
    program, block = found.program, found.block
    some = [*block[block.index(found.passes) : block.index(ends) + 1]]
    for each in reversed(block[: block.index(found.passes)]):
        if each in whole or not _calls(each, *_CLEARS):
            break
        some.insert(0, each)
    first = whole[0]
    edits = _taken_out(some, program)
    texts = [program.whole_lines(each) or "" for each in some]
    if edits is None or any(each in whole for each in some):
        return
    others = _names_given(stepped(ends) or "", program)
    if _reads_between([*whole, *some], found.passes, found, others):
        return
    says = _MOVE_UP.format(_quoted(some, found), found.where.line(first.lineno))
    keepers = [each for each in whole if _calls_any(each) and _KEEPS.search(program.code(each))]
    if keepers and _keeping(found) is not None:
        place = some.index(found.passes)
        last = texts[place].rstrip()
        texts[place] = last[:-1] + ("retain_graph=True" if last.endswith("()") else ", retain_graph=True") + ")\n"
        says += _WRITE.format(found.where.line(found.passes.lineno), texts[place].strip())
    edits.append(EditFacts(first.lineno, 0, first.lineno, 0, "".join(texts)))
    yield found.where.proposal(says, edits, reason=_REASON, way="reorder")


def _reads_between(some: Sequence[ast.stmt], last: ast.stmt, found: Crossing, roots: set[str]) -> bool:
    """Whether something between statements that change places may read what these update: a moving average, say, which would then be one step late.

    Args:
        some: statements that keep their order.
        last: where the others end.
        found: the block.
        roots: the variables through which the updated parameters are reached.
    """
    block = found.block
    between = block[block.index(some[0]) : block.index(last)]
    for each in between:
        is_known = each in some or stepped(each) is not None or found.is_like_known(each)
        if is_known or _calls(each, "backward", *_CLEARS, *_BESIDE):
            continue
        for node in ast.walk(each):
            if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in roots:
                return True
            if isinstance(node, ast.Expr) and not _names_all(node):
                return True
    return False


def _names_all(statement: ast.Expr) -> bool:
    """Whether a call reads only what it names: other functions may read any parameter."""
    match statement.value:
        case ast.Call(func=ast.Attribute(attr=attr)) if attr.endswith("_") and not attr.startswith("_"):
            return True
    return _calls(statement, *_ONLY_TELL) or "scaler" in ast.unparse(statement)


def _only_its_gradients(updates: Sequence[ast.stmt], ends: ast.stmt, found: Crossing) -> Iterator[Proposal]:
    """Yields the steps moved below a pass that computes the gradients of the other parameters only."""
    call, optimizer = _backward(found.passes), stepped(ends)
    edits = _taken_out(updates, found.program)
    if call is None or optimizer is None or edits is None or any(each.arg == "inputs" for each in call.keywords):
        return
    program = found.program
    if _reads_between(updates, found.passes, found, {root_of(each) for each in found.parameters}):
        return
    if not any(each.takes_inputs and each.name in program.imported for each in frameworks().values()):
        return
    given = _parameters(optimizer, program) or f'[p for group in {optimizer}.param_groups for p in group["params"]]'
    insert = _added(call, f"inputs={given}", program)
    line = (found.passes.end_lineno or found.passes.lineno) + 1
    put = EditFacts(line, 0, line, 0, "".join(program.whole_lines(each) or "" for each in updates))
    says = _MOVE.format(_quoted(updates, found), found.where.line(found.passes.lineno))
    says += _WRITE.format(found.where.line(found.passes.lineno), program.text(found.passes, [insert]))
    yield found.where.proposal(says, [*edits, insert, put], reason=_ONLY, way="reorder")


def _names_given(optimizer: str, program: SourceTree) -> set[str]:
    """Returns the variables in what an optimizer is made of, where the program makes it."""
    return {
        ast.unparse(name)
        for each in makers(optimizer, program)
        if isinstance(each.value, ast.Call)
        for given in each.value.args
        for name in ast.walk(given)
        if isinstance(name, ast.Name | ast.Attribute) and ast.unparse(name) != "self"
    }


def _parameters(optimizer: str, program: SourceTree) -> str | None:
    """Returns an optimizer's parameters as the program writes them where it makes the optimizer; None if other names may stand for them elsewhere."""
    made = makers(optimizer, program)
    if len(made) != 1 or not isinstance(made[0].value, ast.Call) or not made[0].value.args:
        return None
    given = made[0].value.args[0]
    names = {each.id for each in ast.walk(given) if isinstance(each, ast.Name)}
    inside = program.function(made[0]) is not None
    simple = isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr == "parameters"
    return f"list({ast.unparse(given)})" if simple and (not inside or names == {"self"}) else None


def _keeping(found: Crossing) -> EditFacts | None:
    """Returns an edit with which the pass keeps the graph; None if it is inside a call, or keeps it already."""
    call = _backward(found.passes)
    if call is None or any(each.arg == "retain_graph" for each in call.keywords):
        return None
    return _added(call, "retain_graph=True", found.program)


def _added(call: ast.Call, argument: str, program: SourceTree) -> EditFacts:
    line, column = program.end(call)
    comma = ", " if call.args or call.keywords else ""
    return EditFacts(line, column - 1, line, column - 1, comma + argument)


def _backward(statement: ast.stmt) -> ast.Call | None:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="backward")) as call):
            return call
    return None


def _calls_any(statement: ast.stmt) -> bool:
    return _backward(statement) is not None


def _calls(statement: ast.stmt, *names: str) -> bool:
    """Whether a statement does nothing but call one of these methods or functions."""
    call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    if not isinstance(call, ast.Call):
        return False
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return called in names


def _takes_gradients(statement: ast.stmt) -> bool:
    """Whether a statement computes gradients and gives them a name."""
    return isinstance(statement, ast.Assign) and _calls(statement, "grad")


def _receiver(statement: ast.stmt) -> str:
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner))):
            return ast.unparse(owner)
    return ""


def _taken_out(some: Sequence[ast.stmt], program: SourceTree) -> list[EditFacts] | None:
    """Returns edits that leave statements out; None if something else stands in their lines."""
    if not some or any(program.whole_lines(each) is None for each in some):
        return None
    return [EditFacts(each.lineno, 0, (each.end_lineno or each.lineno) + 1, 0, "") for each in some]


def _quoted(some: Sequence[ast.stmt], found: Crossing) -> Text:
    """Returns statements as a sentence names them."""
    if len(some) > _FEW or any(hasattr(each, "body") for each in some):
        return found.where.line(some[0].lineno, some[-1].end_lineno)
    return listed([found.program.text(each) for each in some])
