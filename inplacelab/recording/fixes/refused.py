"""Proposes ways to fix what a framework refused at once: `no_grad` around an update, an ordinary operation where the value is computed with.

A write is taken for an update only if the text says so: it reads a gradient, it is in a function that initializes or updates, or in a loop over
parameters. A value that `forward` changes is computed with: under `no_grad`, its gradient would silently be lost. `.data` is never proposed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts, RefusalFacts
from inplacelab.recording.fixes.ordinary_form import ordinary
from inplacelab.recording.fixes.spots import (
    ParsedFiles,
    Proposal,
    Trail,
    Where,
    augmented,
    name_in_place,
    replaced,
    together,
)
from inplacelab.recording.source_tree import SourceTree, in_place_calls, package_of, root_of
from inplacelab.supported import frameworks

_UPDATES = re.compile(r"init|update|reset|clip|clamp|ema|prune|constrain|(^|_)step|load|fill|zero|project")
"""The names of functions that change parameters on purpose."""
_UPDATES_IN_FORWARD = re.compile(r"init|update|reset|ema")
"""Those that do so even if `forward` calls them: `project`, `clip` or `fill` may also be a part of what it computes."""
_FORWARD = ("forward", "__call__")
_CLEARS = re.compile(r"\.grad\s*=\s*None|grad(?:\.data)?\.zero_\(|zero_grad\(|clear_grad(?:ient)?s?\(")


@dataclass(frozen=True)
class _Calls:
    """How programs of a framework do things.

    Attributes:
        clears: clears the gradient of {0}.
        retains: the method that has a computed tensor keep its gradient.
        copies: the method that writes other values to a tensor.
        updates: the methods for augmented assignments, where these make a new tensor; None where they are in place.
    """

    clears: str
    retains: str
    copies: str
    updates: dict[type[ast.operator], str] | None = None


_CALLS = {
    "requires_grad": _Calls("{0}.grad = None", "retain_grad", "copy_"),
    "stop_gradient": _Calls(
        "{0}.clear_gradient()", "retain_grads", "set_value",
        {ast.Add: "add_", ast.Sub: "subtract_", ast.Mult: "multiply_", ast.Div: "divide_"},
    ),
}  # fmt: skip
"""By the name of a tensor's gradient flag (see `supported.Terms`)."""

_INSIDE = Text("put {0} inside `with {1}.no_grad()`", "把{0}放进 `with {1}.no_grad()`")
STAYS = Text(
    "the write is then not recorded, {0} stays a leaf, and its value changes for good",
    "这样写入不会被记录，{0} 仍是叶子张量，它的值从此改变",
)
_GRADIENT_STAYS = Text("the write is then not recorded", "这样写入不会被记录")
_ITSELF = Text("to change {0} itself, {1}", "若要改变 {0} 本身，{1}")
GO_ON = Text("to compute with the changed values, {0}", "若要用改变后的值继续计算，{0}")
WRITE = Text("in {0} write `{1}`, which makes a new tensor", "把{0}改写为 `{1}`，它产生一个新张量")
_LOCAL = Text(
    "in {0} write `{1}`, and `{2}` in place of `{3}` after it in this function",
    "把{0}改写为 `{1}`，并在本函数之后的代码中用 `{2}` 代替 `{3}`",
)
_GRADIENT_KEPT = Text(
    "this keeps the gradient of what the line computes, which `no_grad` would lose",
    "这样会保留这一行计算的梯度，而 `no_grad` 会丢失它",
)
_CLONE = Text("put `{0} = {0}.clone()` before {1}", "在{1}之前加上 `{0} = {0}.clone()`")
_CLONE_WHY = Text("the clone has a history of its own", "副本有自己的历史")
_NORMAL = Text("the clone is an ordinary tensor", "副本是普通张量")
_NO_INFERENCE = Text("in {0} use `no_grad` instead of `inference_mode`", "把{0}的 `inference_mode` 换成 `no_grad`")
_COUNTED = Text("the tensors made there are then ordinary ones", "这样建立的是普通张量")
_UPDATE = Text("update the leaf in place: in {0} write `{1}`", "原地更新叶子张量：把{0}改写为 `{1}`")
_UPDATE_INSIDE = Text(
    "update the leaf in place: in {0} write `{1}` inside `with {2}.no_grad()`",
    "原地更新叶子张量：在 `with {2}.no_grad()` 中把{0}改写为 `{1}`",
)
_CLEARED = Text(", and clear its gradient then", "，随后清除梯度")
_SAME_LEAF = Text("the name keeps referring to the leaf", "这个名字一直指向叶子张量")
_RETAIN = Text("put `{0}` after {1}", "在{1}之后加上 `{0}`")
_RETAIN_WHY = Text("a computed tensor keeps its gradient only if it is told to", "计算得到的张量只有声明后才会保留梯度")
_SKIP = Text("put `if {0}.grad is None: continue` before {1}", "在{1}之前加上 `if {0}.grad is None: continue`")
_SKIP_WHY = Text("the loss does not depend on some of these tensors", "损失不依赖其中的某些张量")
_GUARD = Text("run {1} only `if {0}.grad is not None:`", "仅在 `if {0}.grad is not None:` 时运行{1}")

Purpose = Literal["update", "activation", "unclear"]
"""What a write to a leaf is for."""


def refused_ways(trail: Trail, sources: ParsedFiles) -> Iterator[Proposal]:
    """Yields what may fix a program that was refused at once, the best first.

    Args:
        trail: what was refused.
        sources: the files.
    """
    for where in sources.at(trail.needed):
        package = _package(where.program)
        if trail.refusal is None or where.statement is None or package is None:
            continue
        case = _Case(trail.refusal, trail, where, where.statement, sources, *package)
        for each in _ways(case):
            yield replace(each, way="refused")


@dataclass(frozen=True)
class _Case:
    """A statement that was refused.

    Attributes:
        refusal, trail, where, statement, sources: what is known of it.
        calls: how programs of its framework do things.
        package: what the program calls it.
    """

    refusal: RefusalFacts
    trail: Trail
    where: Where
    statement: ast.stmt
    sources: ParsedFiles
    calls: _Calls
    package: str

    @property
    def program(self) -> SourceTree:
        """The file."""
        return self.where.program

    @property
    def line(self) -> Text:
        """The statement's line in words."""
        return self.where.line(self.statement.lineno)


def _package(program: SourceTree) -> tuple[_Calls, str] | None:
    """Returns the calls of the framework of a file, and what the file calls it; None if it does not import it as a whole."""
    for framework in frameworks().values():
        name = package_of(program, framework.alias)
        calls = _CALLS.get(framework.terms.flag)
        if name is not None and calls is not None and name in program.imported:
            return calls, name
    return None


def _ways(case: _Case) -> Iterator[Proposal]:
    rule = case.refusal.rule
    if rule == "no_gradient":
        yield from _without_gradient(case)
    elif rule in ("inference", "saved"):
        yield from _ordinary_tensor(case)
    elif rule == "several" or (rule == "no_grad" and not case.refusal.of_leaf):
        mine = [*_out_of_place(case, sure=not _base_is_read(case))]
        others = [one for each in _other_views(case) for one in [*_out_of_place(each, sure=False)][:1]]
        if mine and others:  # the next of the views would be refused, too
            yield replace(together([mine[0], *others]), sure=mine[0].sure)
        yield from mine
        yield from _of_clone(case, sure=not _base_is_read(case))
    else:
        yield from _written_leaf(case)


# --- leaves ------------------------------------------------------------------------------------------------------------


def purpose_of(case: _Case) -> Purpose:
    """Returns what a write to a leaf is for, as far as the text tells it."""
    if case.refusal.rule == "gradient" or _reads_gradient(case.statement):
        return "update"
    functions = [_function_name(case, k) for k in range(len(case.trail.needed))]
    is_forward = any(each in _FORWARD for each in functions)
    changes = [bool(_UPDATES.search(each.lower())) for each in functions]
    if is_forward:
        return "update" if _UPDATES_IN_FORWARD.search(functions[0].lower()) else "activation"
    updates = any(changes) or _in_loop_over_parameters(case) or (case.refusal.is_parameter and not functions[0])
    return "update" if updates else "unclear"


def _in_loop_over_parameters(case: _Case) -> bool:
    loops = (ast.unparse(each.iter) for each in case.program.around(case.statement) if isinstance(each, ast.For))
    return any("parameters()" in each or "state_dict" in each for each in loops)


def _function_name(case: _Case, number: int) -> str:
    spot = case.trail.needed[number]
    program = case.sources.program(spot.filename)
    return "" if program is None else program.function_at(spot.line).rpartition(".")[2]


def _reads_gradient(statement: ast.stmt) -> bool:
    return any(
        (isinstance(each, ast.Attribute) and each.attr in ("grad", "gradient"))
        or (isinstance(each, ast.Name) and "grad" in each.id.lower() and "no_grad" not in each.id)
        for each in ast.walk(statement)
    )


def _written_leaf(case: _Case) -> Iterator[Proposal]:
    purpose, name = purpose_of(case), f"`{case.refusal.base or case.refusal.name}`"
    if purpose == "activation":
        yield from (replace(each, reason=_GRADIENT_KEPT) for each in _out_of_place(case, sure=True))
        yield from (replace(each, reason=_GRADIENT_KEPT) for each in _as_local(case))
        yield from _of_clone(case, sure=False)
        return
    if purpose == "unclear":  # under `no_grad`, the program might run and compute something else
        others = [*_out_of_place(case, sure=True), *_of_clone(case, sure=True)]
        yield from (replace(each, says=GO_ON.format(each.says)) for each in others[:1])
    inside = _inside_no_grad(case)
    if inside is not None:
        stays = _GRADIENT_STAYS if case.refusal.rule == "gradient" else STAYS.format(name)
        says = inside.says if purpose == "update" else _ITSELF.format(name, inside.says)
        yield replace(inside, says=says, reason=stays)


def _inside_no_grad(case: _Case) -> Proposal | None:
    """Puts the statement inside `with no_grad():`, with those right beside it that write to the same tensor."""
    program = case.program
    group = _beside(case)
    if any(program.whole_lines(each) is None for each in group):
        return None
    column = program.start(case.statement)[1]
    first = program.insert(group[0], f"with {case.package}.no_grad():\n{' ' * (column + 4)}")
    others = [program.insert(each, "    ") for each in group[1:]]
    lines = case.where.line(group[0].lineno, group[-1].end_lineno if len(group) > 1 else None)
    return case.where.proposal(_INSIDE.format(lines, case.package), [first, *others], sure=True)


def _beside(case: _Case) -> list[ast.stmt]:
    """Returns the statement, with the others that follow each other there and write to the same tensor."""
    block, root = case.program.block(case.statement), _root_written(case.statement)
    first = last = block.index(case.statement)
    while first and root and _root_written(block[first - 1]) == root:
        first -= 1
    while last + 1 < len(block) and root and _root_written(block[last + 1]) == root:
        last += 1
    return block[first : last + 1]


def _root_written(statement: ast.stmt) -> str | None:
    """Returns the name at the root of what a statement writes in place; None if it does not say so."""
    match statement:
        case ast.AugAssign(target=target):
            return root_of(target)
        case ast.Assign(targets=[ast.Subscript() as target]):
            return root_of(target)
        case ast.Expr(value=ast.Call() as call) if name_in_place(call):
            return root_of(call)
    return None


def _out_of_place(case: _Case, *, sure: bool) -> Iterator[Proposal]:
    """`x *= 2` as `x = x * 2`, if that name is read later: else the new value would be lost."""
    program, statement = case.program, case.statement
    match statement:
        case ast.AugAssign(target=ast.Name(id=name)):
            edits = [replaced(program, statement, f"{name} = {augmented(statement)}")]
        case ast.Expr(value=ast.Call() as call):
            calls = in_place_calls(call)
            written = calls[-1].func.value if calls and isinstance(calls[-1].func, ast.Attribute) else None
            given = written or (call.args[0] if call.args else None)
            if not isinstance(given, ast.Name):
                return
            name = given.id
            edits = ordinary(program, statement, name)
        case _:
            return
    if edits and program.may_bind(statement, name) and is_read_later(program, statement, name):
        says = WRITE.format(case.line, program.text(statement, edits))
        yield case.where.proposal(says, edits, sure=sure)


def _other_views(case: _Case) -> Iterator[_Case]:
    """Yields the statements that write to the other views, which were made with the written one: `i, f = gates.chunk(2)`."""
    written = _root_written(case.statement)
    for made in (each.statement for each in case.sources.at(case.trail.views)):
        match made:
            case ast.Assign(targets=[ast.Tuple() as target]):
                views = _names(target) - {written}
                for each in case.program.block(case.statement):
                    if each.lineno > case.statement.lineno and _root_written(each) in views:
                        yield replace(case, statement=each)


def _as_local(case: _Case) -> Iterator[Proposal]:
    """`self.weight /= n` as `weight = self.weight / n`, and `weight` in what follows in the function."""
    program, statement = case.program, case.statement
    match statement:
        case ast.AugAssign(target=ast.Attribute() as target):
            value = augmented(statement)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Attribute() as target)) as call) if name_in_place(
            call
        ):
            value = f"{ast.unparse(target)}.{name_in_place(call)}({', '.join(map(ast.unparse, [*call.args, *call.keywords]))})"
        case _:
            return
    function = program.function(statement)
    if function is None:
        return
    written, name = ast.unparse(target), target.attr
    taken = {each.id for each in ast.walk(function) if isinstance(each, ast.Name)}
    later = [
        each
        for each in ast.walk(function)
        if isinstance(each, ast.Attribute)
        and ast.unparse(each) == written
        and each.lineno > (statement.end_lineno or 0)
    ]
    if name in taken or not later or any(not isinstance(each.ctx, ast.Load) for each in later):
        return
    shown = f"{name} = {value}"
    edits = [replaced(program, statement, shown), *(replaced(program, each, name) for each in later)]
    yield case.where.proposal(_LOCAL.format(case.line, shown, name, written), edits, sure=True)


def _of_clone(case: _Case, *, sure: bool) -> Iterator[Proposal]:
    """`x = x.clone()` before a write to a part of `x`."""
    root = _root_written(case.statement)
    program, statement = case.program, case.statement
    target: ast.expr | None = statement.target if isinstance(statement, ast.AugAssign) else None
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
    whole = isinstance(target, ast.Name)
    if root is None or whole or not program.may_bind(statement, root) or not is_read_later(program, statement, root):
        return
    if isinstance(target, ast.Subscript) and not isinstance(target.value, ast.Name):
        return
    edit = program.line_before(_beside(case)[0], f"{root} = {root}.clone()")
    yield case.where.proposal(_CLONE.format(root, case.line), [edit], sure=sure, reason=_CLONE_WHY)


def _base_is_read(case: _Case) -> bool:
    """Whether the tensor of which the written one is a view is read later: it would not have the new values."""
    base = case.refusal.base
    return base.isidentifier() and is_read_later(case.program, case.statement, base)


def is_read_later(program: SourceTree, statement: ast.stmt, name: str) -> bool:
    """Whether a name is read after a statement in its function, or before it in a loop that does not bind it each time."""
    inside = program.function(statement) or program.tree
    loops = [each for each in program.around(statement) if isinstance(each, ast.For | ast.While)]
    around = [each for each in loops if not (isinstance(each, ast.For) and name in _names(each.target))]
    reads = [each for each in program.reads(inside, name) if each not in ast.walk(statement)]
    if len(around) < len(loops):  # it is bound by the loop: what follows the loop reads the last one only
        last = next(each for each in loops if each not in around).end_lineno or 0
        return any((statement.end_lineno or 0) < each.lineno <= last for each in reads)
    return any(
        each.lineno > (statement.end_lineno or 0) or any(each in ast.walk(one) for one in around) for each in reads
    )


def _names(target: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}


# --- inference tensors -------------------------------------------------------------------------------------------------


def _ordinary_tensor(case: _Case) -> Iterator[Proposal]:
    """Has the tensor made as an ordinary one, or clones it."""
    places = [*case.sources.at(case.trail.views), case.where]
    for where in dict.fromkeys(places):
        found = _inference_modes(where)
        if len(found) == 1:
            line, column = where.program.end(found[0])
            edit = EditFacts(line, column - len("inference_mode"), line, column, "no_grad")
            says = _NO_INFERENCE.format(where.line(line))
            yield where.proposal(says, [edit], sure=True, reason=_COUNTED)
            break
    name, program = case.refusal.name, case.program
    root = name.partition(".")[0]
    if root and (("." in name and case.refusal.rule == "saved") or program.may_bind(case.statement, name)):
        edit = program.line_before(case.statement, f"{name} = {name}.clone()")
        says = _CLONE.format(name, case.line)
        yield case.where.proposal(says, [edit], sure="." not in name, reason=_NORMAL)


def _inference_modes(where: Where) -> list[ast.Attribute]:
    """Returns `torch.inference_mode` around a place, or in the function that it calls, or else all of the file."""
    mine = [
        each
        for each in ast.walk(where.program.tree)
        if isinstance(each, ast.Attribute) and each.attr == "inference_mode"
    ]
    if where.statement is None:
        return mine
    line = where.statement.lineno
    around = [
        each
        for each in mine
        for block in where.program.around(each)
        if isinstance(block, ast.With | ast.FunctionDef)
        and each.lineno <= line <= (block.end_lineno or 0)
        and (each.lineno == block.lineno or each in _heads(block))
    ]
    return around[-1:] or mine


def _heads(block: ast.With | ast.FunctionDef) -> set[ast.AST]:
    heads = [each.context_expr for each in block.items] if isinstance(block, ast.With) else block.decorator_list
    return {node for each in heads for node in ast.walk(each)}


# --- gradients that are None -------------------------------------------------------------------------------------------


def _without_gradient(case: _Case) -> Iterator[Proposal]:
    match case.refusal.missing:
        case "rebound":
            for where in case.sources.at(case.trail.views):
                yield from _updated_in_place(case, where)
        case "computed":
            for where in case.sources.at(case.trail.views):
                yield from _retained(case, where)
        case "unreached":
            yield from _skipped(case)


def _updated_in_place(case: _Case, where: Where) -> Iterator[Proposal]:
    """`w = w - lr * w.grad` as `w -= lr * w.grad` under `no_grad`, and so with those beside it."""
    program, statement = where.program, where.statement
    if statement is None:
        return
    block = program.block(statement)
    group = [statement]
    for following in block[block.index(statement) + 1 :]:
        if _rebound(case, following) is None:
            break
        group.append(following)
    edits, shown = list[EditFacts](), list[str]()
    clears = not _CLEARS.search(_loop_text(program, statement)) and program.repeats(statement)
    column = " " * program.start(statement)[1]
    wraps = not where.unrecorded
    indent = f"{column}    " if wraps else column
    for number, each in enumerate(group):
        found = _rebound(case, each)
        if found is None or program.whole_lines(each) is None:
            return
        name, text = found
        shown.append(text)
        clear = f"\n{indent}{case.calls.clears.format(name)}" if clears else ""
        before = (f"with {case.package}.no_grad():\n{indent}" if number == 0 else "    ") if wraps else ""
        edits.append(replaced(program, each, f"{before}{text}{clear}"))
    line = where.line(group[0].lineno, group[-1].lineno if len(group) > 1 else None)
    says = (_UPDATE_INSIDE if wraps else _UPDATE).format(line, "; ".join(shown), case.package)
    says = says + _CLEARED if clears else says
    sure = all(map(_reads_gradient, group))
    yield where.proposal(says, edits, sure=sure, reason=_SAME_LEAF)


def _loop_text(program: SourceTree, statement: ast.stmt) -> str:
    loops = [each for each in program.around(statement) if isinstance(each, ast.For | ast.While)]
    return ast.unparse(loops[-1]) if loops else ast.unparse(program.function(statement) or program.tree)


def _rebound(case: _Case, statement: ast.stmt) -> tuple[str, str] | None:
    """Returns the name that a statement binds to what is computed of its value, and the update in place; None for another statement."""
    match statement:
        case ast.AugAssign(target=ast.Name(id=name), op=operator, value=value):
            left: ast.expr | None = statement.target
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=root) as left, op=operator, right=value)
        ) if root == name:
            pass
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in _names(value):
            return name, f"{name}.{case.calls.copies}({ast.unparse(value)})"
        case _:
            return None
    if not _reads_gradient(statement) or left is None:
        return None
    if case.calls.updates is not None:
        method = case.calls.updates.get(type(operator), "")
        return (name, f"{name}.{method}({ast.unparse(value)})") if method else None
    update = ast.AugAssign(ast.Name(name, ast.Store()), operator, value)
    return name, ast.unparse(ast.fix_missing_locations(update))


def _retained(case: _Case, where: Where) -> Iterator[Proposal]:
    program, statement, name = where.program, where.statement, case.refusal.name
    if statement is None or program.whole_lines(statement) is None:
        return
    call = f"{name}.{case.calls.retains}()"
    edit = program.line_after(statement, call)
    yield where.proposal(_RETAIN.format(call, where.line(statement.lineno)), [edit], sure=True, reason=_RETAIN_WHY)


def _skipped(case: _Case) -> Iterator[Proposal]:
    program, statement, name = case.program, case.statement, case.refusal.name
    loops = [each for each in program.around(statement) if isinstance(each, ast.For) and name in _names(each.target)]
    column = " " * program.start(statement)[1]
    if program.whole_lines(statement) is None:
        return
    if loops:
        edit = program.line_before(statement, f"if {name}.grad is None:\n{column}    continue")
        yield case.where.proposal(_SKIP.format(name, case.line), [edit], sure=True, reason=_SKIP_WHY)
    elif _CLEARS.search(ast.unparse(statement)):
        edit = program.insert(statement, f"if {name}.grad is not None:\n{column}    ")
        yield case.where.proposal(_GUARD.format(name, case.line), [edit], sure=True)


def covers(trails: Sequence[Trail]) -> bool:
    """Whether what failed was refused at once, so that there is no run of the original to compare a fix with."""
    return any(each.refusal is not None for each in trails)
