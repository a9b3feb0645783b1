"""Proposes `h = h.detach()` for a second backward pass that reached an earlier iteration through a state that the loop carries on, as a recurrent
network does. Then each pass ends where its own iteration began.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from inplacelab.language import Text
from inplacelab.recording.fixes.spots import ParsedFiles, Proposal, Trail, Where, listed
from inplacelab.recording.source_tree import SourceTree

_AFTER = Text("put {0} after {1}", "在{1}之后加上 {0}")
_BEFORE = Text("put {0} before {1}", "在{1}之前加上 {0}")
_REASON = Text(
    "through {0} this pass reaches the graphs of earlier iterations, which have been released; `retain_graph=True` would keep all of them, and "
    "every pass would go back to the first",
    "{0} 把之前各次迭代的反向图带到了这一次，使这次反向传播到达它们已释放的部分；`retain_graph=True` 会保留全部的图，每一次都要一直传回第一次迭代",
)  # fmt: skip
_UPDATED = Text(
    "through {0} this pass reaches the graphs of earlier iterations, whose parameters have been updated since",
    "{0} 把之前各次迭代的反向图带到了这一次，而那时所用的参数此后已经更新",
)
_PRICE = Text("no gradient flows into earlier iterations", "梯度不再流入之前的迭代")

_Loop = ast.For | ast.While


def detached_states(trail: Trail, sources: ParsedFiles) -> Iterator[Proposal]:
    """Yields ways to cut the graph between iterations; none if no state leads from one to the next.

    Args:
        trail: a pass that needed what an earlier one had released, or parameters as they were in an earlier iteration.
        sources: the files.
    """
    for spot in trail.needed:
        for where in sources.at((spot,)):
            found = [*_in_loop(trail, where)]
            yield from found
            if found:
                return
    yield from _in_method(trail, sources)


def _in_loop(trail: Trail, where: Where) -> Iterator[Proposal]:
    program, backward, file = where.program, where.statement, where.spot.filename
    if backward is None:
        return
    for loop in (each for each in program.around(backward) if isinstance(each, _Loop)):
        inside = range(loop.lineno, (loop.end_lineno or loop.lineno) + 1)
        made = [each.line for each in trail.kept if each.filename == file and each.line in inside]
        spots = (*trail.released, *(each for write in trail.writes for each in write))
        gone = [each.line for each in spots if each.filename == file and each.line in inside]
        if not made or not gone:
            continue
        body = [each for each in ast.walk(loop) if isinstance(each, ast.stmt) and not hasattr(each, "body")]
        body.sort(key=lambda each: (each.lineno, each.col_offset))
        starts_again = {name for each in _after(program, backward) for name in _stores(each) - _reads(each)}
        states = [
            name
            for name in _carried(body, backward, made[0])
            if name not in _bound_by(loop) and name not in starts_again
        ]
        if states and program.whole_lines(backward) is not None:
            yield from _detached(trail, where, backward, states)
        return


def _after(program: SourceTree, statement: ast.stmt) -> list[ast.stmt]:
    """Returns the simple statements after one in its block."""
    block = program.block(statement)
    return [each for each in block[block.index(statement) + 1 :] if not hasattr(each, "body")]


def _carried(body: Sequence[ast.stmt], backward: ast.stmt, made: int) -> list[str]:
    """Returns the names that lead from the line that made a node, through the end of an iteration, to the pass of the next one."""
    maker = next((each for each in body if each.lineno <= made <= (each.end_lineno or 0)), None)
    if maker is None:
        return []
    needed, derived = set(_reads(backward)), set(_stores(maker))
    for _ in body:  # what the pass needs, and what is made of the node's result, also across iterations
        for each in body:
            needed |= _reads(each) if _stores(each) & needed else set()
            derived |= _stores(each) if _reads(each) & derived and not _cuts(each) else set()
    return [each for each in _read_first(body) if each in needed and each in derived]


def _read_first(body: Sequence[ast.stmt]) -> list[str]:
    """Returns the names that an iteration binds, and reads before."""
    bound, read = set[str](), dict[str, None]()
    for each in body:
        read |= dict.fromkeys(sorted(_reads(each) - bound))
        bound |= _stores(each)
    return [each for each in read if each in bound]


def _detached(trail: Trail, where: Where, backward: ast.stmt, states: Sequence[str]) -> Iterator[Proposal]:
    program = where.program
    is_lstm = any(each.op.endswith("lstm") for each in trail.kept[:1])
    tuples = {name for name in states if _is_tuple(program, name, is_lstm=is_lstm)}
    for all_tuples in (False, True):
        lines = [_detach(name, is_tuple=all_tuples or name in tuples) for name in states]
        edit = program.line_after(backward, "\n".join(lines))
        says = _AFTER.format(listed(lines), where.line(backward.lineno))
        yield where.proposal(
            says, [edit], reason=(_UPDATED if trail.writes else _REASON).format(listed(states)), price=_PRICE, way="carried", sure=not all_tuples or bool(tuples), other=True
        )  # fmt: skip
        if tuples == set(states):
            return


def _in_method(trail: Trail, sources: ParsedFiles) -> Iterator[Proposal]:
    """The same for a state that an object keeps: `self.h`."""
    for spot in trail.kept:
        for where in sources.at((spot,)):
            program, maker = where.program, where.statement
            function = None if maker is None else program.function(maker)
            if maker is None or function is None:
                continue
            simple = [each for each in ast.walk(function) if isinstance(each, ast.stmt) and not hasattr(each, "body")]
            simple.sort(key=lambda each: (each.lineno, each.col_offset))
            for path in dict.fromkeys(path for each in simple for path in _attributes(each, ast.Store)):
                reads = [each for each in simple if path in _attributes(each, ast.Load)]
                writes = [each for each in simple if path in _attributes(each, ast.Store)]
                carries = reads and reads[0].lineno <= writes[-1].lineno and writes[-1].lineno >= maker.lineno
                if carries and program.whole_lines(reads[0]) is not None:
                    yield from _detached_attribute(trail, where, path, function, reads[0])
                    return


def _detached_attribute(trail: Trail, where: Where, path: str, function: ast.AST, read: ast.stmt) -> Iterator[Proposal]:
    """Yields the state of an object detached before a method reads it; if that is in a loop, which leads through the state itself, before the loop."""
    program = where.program
    loops = [each for each in program.around(read) if isinstance(each, _Loop) and each in ast.walk(function)]
    first = loops[-1] if loops else read
    is_lstm = "lstm" in program.code(read).lower() or any("lstm" in each.op for each in trail.kept[:1])
    starts = [
        each
        for each in ast.walk(program.tree)
        if isinstance(each, ast.Assign) and path in map(ast.unparse, each.targets)
    ]
    is_empty = any(isinstance(each.value, ast.Constant) and each.value.value is None for each in starts)
    for is_tuple in (True, False) if is_lstm else (False, True):
        line = _detach(path, is_tuple=is_tuple)
        shown = f"if {path} is not None: {line}" if is_empty else line
        lines = f"if {path} is not None:\n{' ' * (program.start(first)[1] + 4)}{line}" if is_empty else line
        says = _BEFORE.format(f"`{shown}`", where.line(first.lineno))
        yield where.proposal(
            says, [program.line_before(first, lines)], reason=_REASON.format(f"`{path}`"), price=_PRICE, way="carried", sure=is_tuple is is_lstm,
            other=True,
        )  # fmt: skip


def _detach(name: str, *, is_tuple: bool) -> str:
    return f"{name} = tuple(each.detach() for each in {name})" if is_tuple else f"{name} = {name}.detach()"


def _is_tuple(program: SourceTree, name: str, *, is_lstm: bool) -> bool:
    """Whether the text says that a state is a tuple, as that of an LSTM is: it is bound to one before the loop, or taken apart."""
    for each in ast.walk(program.tree):
        if isinstance(each, ast.Assign):
            targets = [ast.unparse(one) for one in each.targets]
            if name in targets and isinstance(each.value, ast.Tuple):
                return True
            if isinstance(each.value, ast.Name) and each.value.id == name and isinstance(each.targets[0], ast.Tuple):
                return True
            if is_lstm and isinstance(each.targets[0], ast.Tuple) and ast.unparse(each.targets[0].elts[-1]) == name:
                return True
    return False


def _bound_by(loop: ast.AST) -> set[str]:
    target = loop.target if isinstance(loop, ast.For) else None
    return set() if target is None else {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}


def _cuts(statement: ast.stmt) -> bool:
    """Whether a statement makes numbers, or a tensor without history."""
    text = ast.unparse(statement)
    return any(each in text for each in (".item()", ".detach()", "float(", ".numpy()", ".backward("))


def _reads(statement: ast.stmt) -> set[str]:
    found = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)}
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        found.add(statement.target.id)
    return found


def _stores(statement: ast.stmt) -> set[str]:
    return {each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _attributes(statement: ast.stmt, context: type[ast.expr_context]) -> list[str]:
    return [
        ast.unparse(each)
        for each in ast.walk(statement)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, context) and isinstance(each.value, ast.Name)
    ]
