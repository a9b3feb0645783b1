"""Proposes ways to fix a program whose backward failed, cheapest first: writes elsewhere, clones, another order; and where updates of parameters are
what overwrote, other orders and the loss computed after them. Whether one works is found out by trying it (`recorders/fix_search.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.crossing import crossing, turn
from inplacelab.recording.fixes.kept_copies import copies_kept, copies_of_all
from inplacelab.recording.fixes.ordinary_form import NO_ORDINARY, Filled, in_form, ordinary, parameters
from inplacelab.recording.fixes.refused import refused_ways
from inplacelab.recording.fixes.second_pass import detached_states
from inplacelab.recording.fixes.spots import (
    OF_ONE_FILE,
    Lines,
    ParsedFiles,
    Proposal,
    Read,
    Spot,
    Trail,
    Where,
    augmented,
    name_in_place,
    replaced,
    together,
    written_by,
)
from inplacelab.recording.fixes.step_block import computed_after, in_each_turn
from inplacelab.recording.fixes.step_order import later_updates
from inplacelab.recording.source_tree import in_place_calls, package_of

_WRITE = Text("in {0} write `{1}`, which makes a new tensor", "把{0}改写为 `{1}`，它产生一个新张量")
_WRITE_BACK = Text(
    "in {0} write `{1}`: computed out of place, and copied into the tensor",
    "把{0}改写为 `{1}`：用非原地操作计算，再把结果复制到张量中",
)
_NOT_INPLACE = Text(
    "in {0} write `inplace=False`, so that the operation makes a new tensor",
    "把{0}的参数改为 `inplace=False`，使运算产生一个新张量",
)
_OTHER_FORM = Text("in {0} write `{1}`", "把{0}改写为 `{1}`")
_OWN_GRADIENT = Text("the framework computes a wrong gradient of what stands there", "框架对原来的写法求的梯度是错的")
_CLONE = Text("put `{0} = {0}.clone()` before {1}, so that {2}", "在{1}之前加上 `{0} = {0}.clone()`，{2}")
_CLONE_WRITTEN = Text("the clone is written", "让写入落在副本上")
_VIEW_OF_CLONE = Text("`{0}` is a view of the clone", "让 `{0}` 成为副本的视图")
_CALL_FIRST, _MOVE = Text("call `{0}`", "把 `{0}` 移到"), Text("move {0}", "把{0}移到")
_BEFORE = Text(" before {0}", "{0}之前")
_KEEP_GRAPH = Text("let {0} keep the graph: `{1}`", "让{0}保留反向图：`{1}`")
_GRAPH_KEPT = Text("what the graph has saved is kept until the second pass", "反向图保存的内容会保留到第二次反向传播")


def proposals(trails: Sequence[Trail], read: Read, lines: Lines = OF_ONE_FILE) -> list[Proposal]:
    """Returns what may fix a program, each once: first what concerns most of the values, and of that the cheapest.

    Args:
        trails: the values that the failed pass found overwritten or released, or would have found.
        read: returns the text of the program's files.
        lines: names lines.
    """
    if not trails:
        return []
    sources = ParsedFiles(read, trails, lines)
    if (updated := _updated(trails, sources)) is not None:
        return updated
    found: dict[frozenset[EditFacts], list[Proposal]] = {}
    for trail in dict.fromkeys(trails):
        mine: dict[frozenset[EditFacts], Proposal] = {}
        for each in _of_one(trail, sources):
            mine.setdefault(frozenset(each.edits), each)
        for key, each in mine.items():
            found.setdefault(key, []).append(each)
    many = len(dict.fromkeys(trails))
    ranked = [(many, each) for each in _pass_first(trails, sources)]
    ranked += [
        (len(each), replace(each[0], sure=len(each) == many and all(one.sure for one in each)))
        for each in found.values()
    ]
    ranked += [(many, each) for each in _of_all(trails, sources) if frozenset(each.edits) not in found]
    usual = max((each.bytes for trail in trails for each in trail.kept[:1]), default=0)

    if any(each.refusal is not None for each in trails):
        return [each for _, each in ranked]  # the best comes first

    def cost(each: Proposal) -> int:
        return 0 if each.way == "order" else each.bytes or usual

    ranked.sort(key=lambda each: (-each[0], cost(each[1]), _WAYS.index(each[1].way), each[1].lines))
    return [each for _, each in ranked]


def updates(trail: Trail) -> bool:
    """Whether updates of parameters, and nothing else, overwrote the value of a trail."""
    return bool(trail.writes) and all(write[0].updates for write in trail.writes)


def _updated(trails: Sequence[Trail], sources: ParsedFiles) -> list[Proposal] | None:
    """Returns what may fix a program in which updates of parameters have overwritten what a pass needs; None for any other.

    A copy is never proposed: backward would use parameters that are no longer those of the model.
    """
    stale = [each for each in dict.fromkeys(trails) if each.kind != "again"]
    spots = [write[0] for each in stale for write in each.writes]
    if not spots or not all(where.updates for each in spots for where in sources.at((each,))):
        return None
    cuts = [*detached_states(stale[0], sources)]
    found = crossing(stale, sources)
    if found is None:
        loop = turn(stale[0], sources)
        return cuts if loop is None else [*cuts, *in_each_turn(loop)]
    once = {frozenset(each.edits): each for each in (*later_updates(found), *cuts, *computed_after(found))}
    return [*once.values()]


_WAYS = ("order", "elsewhere", "carried", "again", "copy")
"""Of proposals that cost the same the first is that which changes least of what the program does."""


def _of_one(trail: Trail, sources: ParsedFiles) -> Iterator[Proposal]:
    """Yields what may fix a failure that concerns one value."""
    if trail.refusal is not None:
        yield from refused_ways(trail, sources)
        return
    if trail.kind == "again":
        if states := [*detached_states(trail, sources)]:
            yield from states
            return
        for where in sources.at(trail.released):
            yield from _keeping_the_graph(where)
        return
    places = [where for write in trail.writes for where in sources.at(write)]
    yield from _elsewhere(trail, places, sources)
    yield from _clones(trail, places, sources)
    yield from copies_kept(trail, sources)


def _elsewhere(trail: Trail, places: Sequence[Where], sources: ParsedFiles) -> Iterator[Proposal]:
    """Yields ways to have the operations that wrote make new tensors."""
    of_each = [list(out_of_place(where)) for where in places]
    if len(of_each) > 1 and all(of_each):
        yield together([each[0] for each in of_each])
    for each in of_each:
        yield from (replace(one, sure=one.sure and len(of_each) == 1) for one in each)
    for write in trail.writes:
        yield from _without_inplace(write, sources)


def _clones(trail: Trail, places: Sequence[Where], sources: ParsedFiles) -> Iterator[Proposal]:
    """Yields ways to have the writes go to a clone, which is sure only where it is made after the value was kept."""
    written = {(where.spot.filename, where.spot.line) for where in places}
    kept = {(each.filename, each.line) for each in trail.kept[:1]}
    views = [where for view in trail.views for where in sources.at((view,))]
    for where in (*views, *places):
        view = where in views
        file, statement = where.spot.filename, where.statement
        name = _bound_to(where) if view and (file, where.spot.line) not in written else ""
        lines = () if statement is None else range(statement.lineno, (statement.end_lineno or 0) + 1)
        first = (view or (where is places[0] and not views)) and not kept & {(file, line) for line in lines}
        yield from (replace(each, sure=each.sure and first) for each in _copying_target(where, name))


def _of_all(trails: Sequence[Trail], sources: ParsedFiles) -> Iterator[Proposal]:
    """Yields what concerns all values together."""
    stale = [each for each in dict.fromkeys(trails) if each.kind != "again"]
    spots = dict.fromkeys(write[0] for each in stale for write in each.writes)
    if len(stale) > 1:
        of_each = [list(out_of_place(where)) for spot in spots for where in sources.at((spot,))]
        if of_each and all(of_each):
            yield together([each[0] for each in of_each])
    if stale and (copies := copies_of_all(stale, sources)):
        yield replace(together(copies), sure=False)


# --- the write ---------------------------------------------------------------------------------------------------------


def out_of_place(where: Where) -> Iterator[Proposal]:
    """`x.mul_(2)` as `x = x.mul(2)`, `x += y` as `x = x + y`, `f(x, inplace=True)` without that."""
    program, statement, spot = where.program, where.statement, where.spot
    if statement is None:
        return
    line = where.line(statement.lineno)

    def written(edits: Sequence[EditFacts], target: str | None) -> Proposal:
        sure = spot.alone and target is not None and target in spot.names and program.may_bind(statement, target)
        text = program.text(statement, list(edits))
        says = _WRITE_BACK if target and target.endswith("]") else _WRITE
        return where.proposal(
            says.format(line, text), edits, way="elsewhere", bytes=where.bytes(target or ""), sure=sure
        )

    if isinstance(statement, ast.AugAssign):
        if isinstance(statement.target, ast.Name | ast.Attribute):
            target = ast.unparse(statement.target)
            yield written([replaced(program, statement, f"{target} = {augmented(statement)}")], target)
        return
    calls = in_place_calls(statement.value) if isinstance(statement, ast.Expr | ast.Assign) else []
    roots = [ast.unparse(each.func.value) for each in calls[-1:] if isinstance(each.func, ast.Attribute)]
    for name in dict.fromkeys((*spot.names, *roots)):
        if edits := ordinary(program, statement, name):
            yield written(edits, name)
    for call in where.nodes(ast.Call):
        yield from _called_in_place(where, call, statement)


def in_other_forms(spot: Spot, forms: Sequence[str], alias: str, read: Read, lines: Lines) -> Iterator[Proposal]:
    """Yields ways to write an operation to which the framework gives a wrong gradient.

    Args:
        spot: the operation.
        forms: expressions (see `Framework.right_forms`).
        alias: the framework's alias, by which they call it.
        read: returns the text of the program's files.
        lines: names lines.
    """
    for where in ParsedFiles(read, (), lines).at([spot]):
        package = ast.Name(package_of(where.program, alias) or alias)
        statement = where.statement
        for form in forms if statement is not None else ():
            expression = ast.parse(form, mode="eval").body
            names = parameters(expression, alias)
            filled = Filled({alias: package}).visit(expression)
            if statement is not None and (edits := in_form(where.program, statement, spot.op, filled, names)):
                says = _OTHER_FORM.format(where.line(statement.lineno), where.program.text(statement, edits))
                bound = edits[0].text.partition(" = ")[0]
                sure = not where.program.is_parameter(statement, bound)
                yield where.proposal(says, edits, way="form", reason=_OWN_GRADIENT, sure=sure)


def _called_in_place(where: Where, call: ast.Call, statement: ast.stmt) -> Iterator[Proposal]:
    program, spot = where.program, where.spot
    assigned = isinstance(statement, ast.Expr) and statement.value is call
    target = written_by(program, call)
    flags = [each for each in call.keywords if each.arg == "inplace"]
    if flags:
        edits = [replaced(program, flags[0].value, "False")]
    elif (name := name_in_place(call)) and name not in NO_ORDINARY:
        last = program.end(call.func)
        edits = [EditFacts(last[0], last[1] - 1, *last, "")]
    else:
        return
    if assigned and target is not None:
        edits.append(program.insert(call, f"{ast.unparse(target)} = "))
    elif assigned:
        return
    says = _WRITE.format(where.line(statement.lineno), program.text(statement, edits))
    yield where.proposal(says, edits, way="elsewhere", bytes=spot.bytes)


def _without_inplace(write: Sequence[Spot], sources: ParsedFiles) -> Iterator[Proposal]:
    """`nn.ReLU(inplace=True)` with `inplace=False`, anywhere in the files of a write that a module has done."""
    kind = write[0].op.rstrip("_").replace("_", "").lower()
    for spot in {each.filename: each for each in reversed(write)}.values():
        for where in sources.at((spot,)):
            for call in ast.walk(where.program.tree):
                if not isinstance(call, ast.Call):
                    continue
                name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
                flags = [each.value for each in call.keywords if each.arg == "inplace"]
                if name and kind.startswith(name.lower()[:4]) and flags and ast.unparse(flags[0]) == "True":
                    says = _NOT_INPLACE.format(where.line(flags[0].lineno))
                    edits = [replaced(where.program, flags[0], "False")]
                    yield where.proposal(says, edits, way="elsewhere", bytes=write[0].bytes)


def _copying_target(where: Where, view: str = "") -> Iterator[Proposal]:
    """`x = x.clone()` before a statement that writes to `x`, or makes the view that is written, or before the blocks around it."""
    statement, program, spot = where.statement, where.program, where.spot
    if statement is None or where.updates:
        return
    # Under `no_grad`, or in a loop, a clone is another one than before the block.
    blocks = [each for each in program.around(statement) if isinstance(each, ast.With | ast.For | ast.While | ast.Try)]
    what = _VIEW_OF_CLONE.format(view) if view else _CLONE_WRITTEN
    for target in _targets(_part_written(where, statement)):
        for place in (statement, *blocks):
            says = _CLONE.format(target, where.line(place.lineno), what)
            sure = spot.alone and place is statement and program.may_bind(statement, target)
            edit = program.line_before(place, f"{target} = {target}.clone()")
            yield where.proposal(says, [edit], way="elsewhere", bytes=where.bytes(target), sure=sure)


def _bound_to(where: Where) -> str:
    """Returns the name of the view that is made at a spot; "" if it gets none."""
    match where.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value in where.nodes(ast.expr):
            return name
    return where.spot.names[0] if where.spot.names else ""


def _part_written(where: Where, statement: ast.stmt) -> ast.expr | None:
    """Returns the expression that a statement writes to, such as `x[0]`, or that leads to it."""
    match statement:
        case ast.AugAssign():
            return statement.target
        case ast.Assign(targets=[ast.Subscript() as target, *_]):
            return target
        case (
            ast.Expr(value=ast.Call() | ast.Subscript() | ast.Attribute() as value)
            | ast.Assign(value=ast.Call() | ast.Subscript() | ast.Attribute() as value)
        ):
            for call in where.nodes(ast.Call)[:1]:
                return written_by(where.program, call) or value
            return value
    return None


def written_names(where: Where) -> list[str]:
    """Returns what may be copied so that the write at a spot goes elsewhere, if the text says that the operation writes it."""
    statement, op = where.statement, where.spot.op
    match statement:
        case ast.Assign(targets=[ast.Subscript(), *_]) | ast.AugAssign():
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=attr))) if attr == op:
            pass
        case _:
            return []
    return list(_targets(_part_written(where, statement)))


def _targets(expression: ast.expr | None) -> Iterator[str]:
    """Yields the expressions that may be copied so that a write to `expression` goes elsewhere: `self.h` of `self.h[0].t()`."""
    expression = _whole(expression)
    if isinstance(expression, ast.Attribute):
        yield ast.unparse(expression)
        expression = _whole(expression.value)
    if isinstance(expression, ast.Name | ast.Attribute) and ast.unparse(expression) != "self":
        yield ast.unparse(expression)


def _whole(expression: ast.expr | None) -> ast.expr | None:
    """Returns the expression of which another one is a part, or whose method it calls: `self.h` of `self.h[0].t()`."""
    while isinstance(expression, ast.Subscript | ast.Call):
        called = expression.func if isinstance(expression, ast.Call) else expression
        expression = called.value if isinstance(called, ast.Attribute | ast.Subscript) else None
    return expression


# --- the pass ------------------------------------------------------------------------------------------------------------


def _pass_first(trails: Sequence[Trail], sources: ParsedFiles) -> Iterator[Proposal]:
    """Moves the call of backward, or a block around it, before the first write, in the block in which both are."""
    frames = [spot for each in trails for write in each.writes for spot in write]
    for where in (where for spot in trails[0].needed for where in sources.at((spot,))):
        program, moved = where.program, where.statement
        lines = {each.line for each in frames if each.filename == where.spot.filename}
        for each in () if moved is None else (moved, *program.around(moved)):
            if not isinstance(each, _MOVABLE) or (text := program.whole_lines(each)) is None:
                break
            holds = [
                one
                for one in program.before(each)
                if not isinstance(one, _DEFINITIONS) and lines & {*range(one.lineno, (one.end_lineno or 0) + 1)}
            ]
            if not holds:
                continue
            if isinstance(holds[0], _MOVABLE) and program.whole_lines(holds[0]) is not None:
                first, last = each.lineno, each.end_lineno or each.lineno
                put = EditFacts(holds[0].lineno, 0, holds[0].lineno, 0, text)
                says = (
                    _CALL_FIRST.format(program.text(each)) if each is moved else _MOVE.format(where.line(first, last))
                )
                says += _BEFORE.format(where.line(holds[0].lineno))
                yield where.proposal(says, [put, EditFacts(first, 0, last + 1, 0, "")], way="order")
            return


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
"""What is in them runs where they are called."""
_MOVABLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.With, ast.For, ast.While, ast.If, ast.Try)


def _keeping_the_graph(where: Where) -> Iterator[Proposal]:
    program, statement = where.program, where.statement
    calls = where.nodes(ast.Call) or [
        each for each in ast.walk(statement or where.program.tree) if isinstance(each, ast.Call)
    ]
    calls = [each for each in calls if isinstance(each.func, ast.Attribute) and each.func.attr in ("backward", "grad")]
    for call in calls[:1] if statement is not None else ():
        if statement is not None and not any(each.arg == "retain_graph" for each in call.keywords):
            line, column = program.end(call)
            comma = ", " if call.args or call.keywords else ""
            edit = EditFacts(line, column - 1, line, column - 1, f"{comma}retain_graph=True")
            says = _KEEP_GRAPH.format(where.line(statement.lineno), program.text(statement, [edit]))
            yield where.proposal(says, [edit], way="order", price=_GRAPH_KEPT, sure=True)
