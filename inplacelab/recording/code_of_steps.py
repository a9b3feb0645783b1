"""Writes operations as the program wrote them: `x[0] = 5.` instead of `setitem`, `a * 2` instead of `scale`.

A recording has the framework's name of each operation, and the program has an expression. They are matched by line and name; where a
line has several such expressions, by their order. A call is written by its name alone, `relu_`. An operation that the line does not
show, such as those inside `net(x)`, keeps its name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from inplacelab.recording.facts import NodeFacts, Step
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import ATOMS, SourceTree, root_of, source_tree_of, tree_at

LONGEST = 24
"""The most characters of an expression that is written out; a longer one is cut to its outermost operator."""

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("+", "add radd iadd scale"), ast.Sub: ("-", "subtract sub rsub rsubtract isub scale"),
    ast.Mult: ("*", "multiply mul rmul imul scale"), ast.Div: ("/", "divide div rdiv rdivide true_divide truediv reciprocal scale"),
    ast.Pow: ("**", "pow rpow square"), ast.MatMult: ("@", "matmul mm bmm rmatmul"), ast.Mod: ("%", "remainder mod fmod"),
    ast.FloorDiv: ("//", "floor_divide floordiv"), ast.BitAnd: ("&", "bitwise_and logical_and and iand"),
    ast.BitOr: ("|", "bitwise_or logical_or or ior"), ast.BitXor: ("^", "bitwise_xor logical_xor xor ixor"),
    ast.LShift: ("<<", "bitwise_left_shift left_shift lshift ilshift"), ast.RShift: (">>", "bitwise_right_shift right_shift rshift irshift"),
    ast.USub: ("-", "neg negative scale"), ast.Invert: ("~", "invert bitwise_not logical_not"),
    ast.Gt: (">", "greater_than greater gt less_than less lt"), ast.Lt: ("<", "less_than less lt greater_than greater gt"),
    ast.GtE: (">=", "greater_equal ge less_equal le"), ast.LtE: ("<=", "less_equal le greater_equal ge"),
    ast.Eq: ("==", "equal eq"), ast.NotEq: ("!=", "not_equal ne"),
}  # fmt: skip
"""How an operator is written, and the names of operations that it may be recorded as (`2 > x` is recorded as `x < 2`)."""

_ATTRIBUTES = {"data": "detach"}
"""Attributes that are recorded as another operation."""

_PLAIN = {"getitem": "[...]", "setitem": "[...] = ..."}
"""How an indexing is written if the program does not show it."""


def plainly(op: str) -> str:
    """Returns how an operation is written where the program does not show it: "[...] = ..." for `setitem`."""
    return _PLAIN.get(_bare(op), op)


def code_of(recording: Recording, step: Step) -> str:
    """Returns the operation of a step as the program wrote it; "?" if it has none.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2])
    ...     x[0] = 5.
    >>> [code_of(rec.recording, step) for step in rec.recording.steps]
    ['ones', 'x[0] = 5.']
    """
    found = recording.once(spellings).get(step.index)
    if found is not None:
        return found[1]
    plain = _PLAIN.get(_bare(step.op))
    if plain is None:
        return step.op or "?"
    indexed = recording.state(step.index).called(step.inputs[0]) if step.inputs else None
    return indexed.first + plain if indexed is not None and indexed.bound else plain


def expression_of(recording: Recording, step: Step) -> ast.expr | ast.stmt | None:
    """Returns the expression or the statement of the program that ran as a step; None if the program does not show it."""
    found = recording.once(spellings).get(step.index, (None, ""))[0]
    return found if isinstance(found, ast.expr | ast.stmt) else None


def call_code(recording: Recording, step: Step) -> str:
    """Returns the same with the tensor whose method was called, or whose attribute was read: `m.t()` and not `t`; without it if that is long:
    `.t()`.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2, 3])
    ...     y = x.t()
    >>> [call_code(rec.recording, step) for step in rec.recording.steps]
    ['ones', 'x.t()']
    """
    node, program = recording.once(spellings).get(step.index, (None, ""))[0], tree_at(recording, step.place)
    match node:
        case ast.Call(func=ast.Attribute(value=receiver, attr=called)) if program is not None:
            root = root_of(receiver)
            if not step.inputs or root is None or not _is_value(recording, program, step, root):
                return code_of(recording, step)  # a function of a module, such as `torch.zeros`
            whole, plain = (each.replace("`", "'") for each in (program.code(node), program.code(receiver)))
            arguments = "(…)" if node.args or node.keywords else "()"
            shorter = f"{plain}.{called}{arguments}" if isinstance(receiver, ATOMS) else f".{called}{arguments}"
            return _cut(whole, shorter if len(shorter) <= LONGEST else f".{called}{arguments}")
        case ast.Attribute(attr=called) if program is not None:
            return _cut(program.code(node), f".{called}")
    return code_of(recording, step)


def _is_value(recording: Recording, program: SourceTree, step: Step, name: str) -> bool:
    """Whether a name is one that the program gave to a value, here or in an earlier cell, and not that of a module."""
    before = recording.before(step.index)
    return name in program.assigned or before.bound(name) is not None


def node_code(recording: Recording, number: int, node: NodeFacts) -> str:
    """Returns the operation that made a grad node, as the program wrote it; "" if none did."""
    op, code = recording.once(codes_of_nodes).get(number, ("", ""))
    return code if op == node.op else plainly(node.op)


def codes_of_nodes(recording: Recording) -> dict[int, tuple[str, str]]:
    """Returns the operation that made each node: its name, and as the program wrote it."""
    found: dict[int, tuple[str, str]] = {}
    for step in recording.steps:
        for key, node in step.nodes if step.kind == "operation" else ():
            if node is not None and node.op == step.op and key not in found:
                found[key] = node.op, code_of(recording, step)
    return found


def spellings(recording: Recording) -> Mapping[int, Candidate]:
    """Returns the expression of each operation, by the index of its step, where the program shows it."""
    statements: dict[
        tuple[int, int, int], dict[str, list[int]]
    ] = {}  # the steps of each operation, by turn, source and line
    for step in recording.steps:
        if step.module or step.ran_in is not None:  # a module of a library ran it: the program has no expression for it
            continue
        if step.kind == "operation" and step.op is not None and step.place is not None:
            where = step.turn, step.place.source, step.place.line
            statements.setdefault(where, {}).setdefault(step.op, []).append(step.index)
    known: dict[tuple[int, int, str], list[Candidate]] = {}
    found: dict[int, Candidate] = {}
    for (_, source, line), steps in statements.items():
        program = source_tree_of(recording, source)
        if program is None:
            continue
        for op in steps:
            if (source, line, op) not in known:
                known[source, line, op] = list(_candidates(program, line, op))
        found |= _matched({op: known[source, line, op] for op in steps}, steps)
    return found


def _matched(candidates: Mapping[str, Sequence[Candidate]], steps: Mapping[str, Sequence[int]]) -> dict[int, Candidate]:
    """Returns the expression of each step of a statement. In `(a + 1) * b` both operators may be a `scale`; once one is taken for a
    `multiply`, the other is left. `x[0] += 1` is three operations, since it also reads and writes.
    """
    found: dict[int, Candidate] = {}
    taken: set[ast.AST | None] = set()
    waiting = dict(candidates)
    while waiting:
        settled = []
        for op, each in waiting.items():
            free = [(node, spelled) for node, spelled in each if node not in taken or _bare(op) in _PLAIN]
            if len({spelled for _, spelled in free}) == 1 or len(free) == len(steps[op]):
                # Of `a.exp() if c else b.exp()` one ran, and it is not known which.
                same: list[Candidate] = [(free[0][0] if len(free) == 1 else None, free[0][1])] * len(steps[op])
                one_each = free if len(free) == len(steps[op]) else same
                found |= zip(steps[op], one_each, strict=True)
                taken.update(node for node, _ in free if _bare(op) not in _PLAIN)
                settled.append(op)
        if not settled:
            break
        waiting = {op: each for op, each in waiting.items() if op not in settled}
    return found


def _bare(op: str | None) -> str:
    """Returns a name without what marks it as Python's own or as in place: "add" for "__iadd__" and "add_"."""
    return (op or "").strip("_")


Candidate = tuple[ast.AST | None, str]
"""An expression, and how it is written; None if it may be one of several."""


def _candidates(program: SourceTree, line: int, op: str) -> Iterator[Candidate]:
    """Yields what a line may write for an operation, in the order in which it runs."""
    statement = program.statement(line)
    for node in () if statement is None else _in_order(statement):
        for spelled in _each_target(program, node, op) or [_spelled(program, node, op)]:
            if spelled is not None:
                yield node, spelled.replace("`", "'")


def _each_target(program: SourceTree, node: ast.AST, op: str) -> list[str | None]:
    """Returns the writes of an assignment to several places, as in `a[0], a[1] = a[1], a[0]`; none of another statement."""
    targets = node.targets if isinstance(node, ast.Assign) and _bare(op) == "setitem" else []
    stored = [each for target in targets for each in _stored(target)]
    return [_assigned(program, node, each) for each in stored] if isinstance(node, ast.stmt) and len(stored) > 1 else []


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Yields a node and the nodes inside it in the order in which Python evaluates them: operands first, targets last."""
    match node:
        case ast.Assign(targets=targets, value=value):
            inner: list[ast.AST] = [value, *targets]
        case ast.AugAssign(target=ast.Subscript() as target, value=value):
            read = ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
            inner = [read, value]  # it reads what it writes
        case ast.AugAssign(target=target, value=value):
            inner = [target, value]
        case ast.AnnAssign(target=target, value=value):
            inner = [*([value] if value else []), target]
        case _:
            inner = list(ast.iter_child_nodes(node))
    for each in inner:
        yield from _in_order(each)
    yield node


def _spelled(program: SourceTree, node: ast.AST, name: str) -> str | None:
    """Returns how a node writes an operation; None if it is another one."""
    op = _bare(name)
    match node:
        case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called)) if called == name:
            return called
        case ast.Attribute(attr=attribute, ctx=ast.Load()) if _ATTRIBUTES.get(attribute) == op:
            return attribute
        case ast.BinOp() if name == f"{op}_":  # a write inside a library: `norm(y) + x` adds to the count of batches
            return None
    return _indexed(program, node, op) if op in _PLAIN and _indexes(node, op) else _operated(program, node, op)


def _indexes(node: ast.AST, op: str) -> bool:
    """Whether a node reads, or writes, by an index."""
    match node:
        case ast.Subscript(ctx=ast.Load()):
            return op == "getitem"
        case ast.AugAssign(target=ast.Subscript()):
            return op == "setitem"
        case ast.Assign(targets=targets):
            return op == "setitem" and len([each for target in targets for each in _stored(target)]) == 1
    return False


def _indexed(program: SourceTree, node: ast.AST, op: str) -> str | None:
    """Returns how an indexing is written: `x[0]`, `x[0] = 5.`, `x[0] += 1`."""
    match node:
        case ast.Subscript() as read if op == "getitem":
            return _place(program, read)
        case ast.AugAssign(target=ast.Subscript() as target):
            return _assigned(program, node, target)
        case ast.Assign(targets=targets):
            return _assigned(program, node, *(each for target in targets for each in _stored(target)))
    return None


def _operated(program: SourceTree, node: ast.AST, op: str) -> str | None:
    """Returns how an operator is written: `a * 2`, `x += y`, `-x`."""
    match node:
        case ast.UnaryOp(operand=ast.Constant()):
            return None  # a negative number
        case ast.AugAssign(target=target, op=operator) if _may_be(operator, op):
            sign = f"{OPERATORS[type(operator)][0]}="
            return _cut(program.code(node), f"{_short(program.code(target))} {sign} ...")
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator) | ast.Compare(ops=[operator]) if _may_be(operator, op):
            return _cut(program.code(node), OPERATORS[type(operator)][0])
    return None


def _stored(target: ast.expr) -> list[ast.Subscript]:
    """Returns the subscripts that an assignment writes to."""
    if isinstance(target, ast.Tuple | ast.List):
        return [each for inner in target.elts for each in _stored(inner)]
    return [target] if isinstance(target, ast.Subscript) else []


def _assigned(program: SourceTree, statement: ast.stmt, target: ast.Subscript) -> str:
    simple = isinstance(statement, ast.AugAssign) or (
        isinstance(statement, ast.Assign) and statement.targets == [target]
    )
    sign = f"{OPERATORS[type(statement.op)][0]}=" if isinstance(statement, ast.AugAssign) else "="
    shortened = f"{_place(program, target)} {sign} ..."
    return _cut(program.code(statement), shortened) if simple else shortened


def _place(program: SourceTree, indexed: ast.Subscript) -> str:
    """Returns an indexing: `x[0, 1]`, or without its index `x[...]`; of a long expression the index alone, `…[0, 1]`."""
    name = _short(program.code(indexed.value))
    shorter = f"{name}[...]" if name else _cut(f"…[{program.code(indexed.slice)}]", "[...]")
    return _cut(program.code(indexed), shorter)


def _may_be(operator: ast.AST, op: str) -> bool:
    known = OPERATORS.get(type(operator))
    return known is not None and op in known[1].split()


def _cut(whole: str, shorter: str) -> str:
    return whole if len(whole) <= LONGEST else shorter


def _short(code: str) -> str:
    """Returns an expression, or nothing if it is too long to be part of another."""
    return code if len(code) <= LONGEST - len("[...]") else ""
