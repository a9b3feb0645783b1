"""Tells by which names an expression reaches its operands, and which names of a function stand for the same thing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

_LOOPS = ast.For | ast.AsyncFor | ast.While
_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
_SAME = frozenset({"data", "T", "mT"})
"""Attributes that give the same elements."""


@dataclass(frozen=True, eq=False)
class Reference:
    """An expression that ran.

    Attributes:
        module: the text that it is in.
        around: the nodes that contain it, from the outside in; the last is the expression.
    """

    module: ast.Module
    around: Sequence[ast.AST]

    @cached_property
    def operands(self) -> frozenset[str]:
        """What it reaches its operands by: names, and what is reached from them without a call; not those inside its operands' calls."""
        return frozenset(_reached(self.around[-1])) if self.around else frozenset()

    @cached_property
    def statement(self) -> ast.stmt | None:
        """The statement that it is in."""
        return next((each for each in reversed(self.around) if isinstance(each, ast.stmt)), None)

    @cached_property
    def is_explicit(self) -> bool:
        """Whether its text shows that it writes: `x.mul_(2)`, `x += 1`, `x[0] = 1`, `out=x`."""
        match self.around[-1] if self.around else None:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), keywords=keywords):
                return name.endswith("_") or any(each.arg == "out" for each in keywords)
            case ast.Subscript(ctx=ast.Store()):
                return True
            case ast.AugAssign():
                return True
        return isinstance(self.statement, ast.AugAssign) and self.around[-1] is self.statement.target

    @property
    def targets(self) -> frozenset[str]:
        """What its statement assigns."""
        return frozenset(_targets(self.statement))

    @property
    def through(self) -> frozenset[str]:
        """The names through which it writes, if its text shows that it does."""
        return frozenset(_receiver(self.around[-1] if self.around else None))

    @cached_property
    def written(self) -> frozenset[str]:
        """The names of which a reader sees that they stand for what was written: those that the statement assigns, and, if the text shows that
        the expression writes or its value is dropped, those of its operands, with all that stands for them in the function.
        """
        names = set(_targets(self.statement))
        node = self.around[-1] if self.around else None
        if self.is_explicit:
            names |= _receiver(node)
        elif isinstance(self.statement, ast.Expr) and self.statement.value is node:
            names |= self.operands
        return frozenset(self._standing_for(names))

    @cached_property
    def containers(self) -> frozenset[str]:
        """The names of its operands, with those of which they are shortcuts: that of `f(h)` in `for h in states` is `states`, too."""
        return frozenset(self._standing_for(set(self.operands)))

    @cached_property
    def function(self) -> ast.AST:
        """The function that it is in."""
        return next((each for each in reversed(self.around) if isinstance(each, _SCOPES)), self.module)

    def _standing_for(self, names: set[str]) -> set[str]:
        """Returns names with those of which they are shortcuts: `cache = self.cache`, `for h in states`."""
        found, waiting = set[str](), [*names]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                parts = [
                    (bound, other)
                    for bound, other in self._shortcuts
                    if f"{name}.".startswith((f"{bound}.", f"{bound}["))
                ]
                waiting += [other for _, other in parts]
        return found

    @cached_property
    def _shortcuts(self) -> list[tuple[str, str]]:
        found = list[tuple[str, str]]()
        for node in _inside(self.function):
            match node:
                case ast.Assign(targets=targets, value=value) if not isinstance(value, ast.Name | ast.BinOp | ast.Call):
                    reached = [*_reached(value)]
                    found += [(name, other) for one in targets for name in _names(one) for other in reached]
                case ast.For(target=target, iter=over) | ast.comprehension(target=target, iter=over):
                    roots = {text for inner in ast.walk(over) for text in (_text(inner),) if text}
                    found += [(name, other) for name in _names(target) for other in roots]
        return found

    def is_after(self, earlier: Reference) -> bool:
        """Whether it may run after another of the same function without the function being called again: it stands below it, or in the same loop."""
        return _end(self) >= _end(earlier) or self._shared_loop(earlier) is not None

    def rebinds(self, name: str, since: Reference) -> bool:
        """Whether a name was certainly bound again between another expression of the same function and this one."""
        begin, end, loop = _begin(since.statement), _begin(self.statement), self._shared_loop(since)
        for node in _inside(self.function):
            bound = [] if isinstance(node, ast.AugAssign) else [*_targets(node)]
            if name not in bound or not self._follows(node):
                continue
            at = _begin(node)
            if begin <= at < end:
                return True
            if loop is not None and end <= begin and any(each is node for each in ast.walk(loop)):  # in a later round
                return at < end or at >= begin
        return False

    def _follows(self, node: ast.AST) -> bool:
        """Whether what runs here has also run a statement of the same function: it is in no branch and no loop that this is not in."""
        within: ast.AST | None = self.function
        while within is not None and within is not node:
            if isinstance(within, ast.If):
                branches = [each for each in (within.body, within.orelse) if _contains(each, node)]
                if not any(_contains(each, self.around[-1]) for each in branches):
                    return False
            elif isinstance(within, ast.Try | _LOOPS) and not any(each is within for each in self.around):
                return False
            within = next((each for each in ast.iter_child_nodes(within) if _contains([each], node)), None)
        return True

    def _shared_loop(self, other: Reference) -> ast.AST | None:
        inner = [each for each in self.around if isinstance(each, _LOOPS)]
        return next((each for each in reversed(inner) if any(each is one for one in other.around)), None)

    def stores(self, name: str) -> list[ast.stmt]:
        """Returns the statements of the function that write elements of what a name stands for: `name[:] = 0`, `name *= 2`, `name.fill(0)`."""
        return [each for each in _inside(self.function) if isinstance(each, ast.stmt) and name in _stored(each)]


def _stored(statement: ast.stmt) -> set[str]:
    """Returns the names of what a statement writes elements of."""
    match statement:
        case ast.Assign(targets=targets):
            return {name for each in targets if isinstance(each, ast.Subscript) for name in _reached(each)}
        case ast.AugAssign(target=target):
            return {*_reached(target)}
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="fill" | "sort" | "put", value=value))):
            return {*_reached(value)}
        case ast.Expr(value=ast.Call(keywords=words)):
            return {name for each in words if each.arg == "out" for name in _reached(each.value)}
    return set()


def _inside(function: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of a function, without those of functions in it."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, _SCOPES | ast.ClassDef):
            yield node
            yield from _inside(node)


def _contains(nodes: Sequence[ast.AST], node: ast.AST) -> bool:
    return any(each is node for one in nodes for each in ast.walk(one))


def _targets(statement: ast.AST | None) -> Iterator[str]:
    match statement:
        case ast.Assign(targets=targets):
            for each in targets:
                yield from _names(each)
        case (
            ast.AnnAssign(target=target)
            | ast.AugAssign(target=target)
            | ast.For(target=target)
            | ast.AsyncFor(target=target)
        ):
            yield from _names(target)


def _names(target: ast.AST) -> Iterator[str]:
    """Yields what an assignment binds."""
    if isinstance(target, ast.Tuple | ast.List):
        for each in target.elts:
            yield from _names(each)
    elif isinstance(target, ast.Starred):
        yield from _names(target.value)
    elif isinstance(target, ast.Name | ast.Attribute) and (text := _text(target)):
        yield text


def _receiver(node: ast.AST | None) -> set[str]:
    """Returns what a write is written through: that of `x.mul_(2).add_(y)` is `x`."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner), args=args, keywords=keywords):
            out = [each.value for each in keywords if each.arg == "out"]
            named = {each for one in out for each in _reached(one)}
            through = _chain(inner)
            return named | through if named or through else {each for one in args[:1] for each in _reached(one)}
        case ast.Call(args=[first, *_]):
            return set(_reached(first))
        case ast.AugAssign(target=target):
            return _chain(target)
        case ast.Subscript() | ast.Name() | ast.Attribute():
            return _chain(node)
    return set()


def _chain(node: ast.AST) -> set[str]:
    """Returns the names from which a chain of calls, attributes and subscripts begins."""
    if isinstance(node, ast.Call):
        return _chain(node.func.value) if isinstance(node.func, ast.Attribute) else set()
    if isinstance(node, ast.Attribute) and not _text(node):
        return _chain(node.value)
    return set(_reached(node))


def _reached(node: ast.AST) -> Iterator[str]:
    """Yields the names by which an expression reaches its operands."""
    if text := _text(node):
        yield text
    for each in _operands(node):
        yield from _reached(each)


def _operands(node: ast.AST) -> list[ast.expr]:
    """Returns the operands of an expression that are not computed, and where its element is found."""
    found = list[ast.expr]()
    match node:
        case ast.Subscript(value=value):
            return [value]
        case ast.Attribute(value=value, attr=name):
            return [value] if name in _SAME else []
        case (
            ast.ListComp(elt=ast.Name(), generators=generators)
            | ast.GeneratorExp(elt=ast.Name(), generators=generators)
        ):
            return [each.iter for each in generators]
        case ast.Call(func=func, args=args, keywords=keywords):
            found = [*args, *(each.value for each in keywords)]
            if isinstance(func, ast.Attribute):
                found.append(func.value)
        case ast.BinOp() | ast.UnaryOp() | ast.Starred() | ast.Compare() | ast.AugAssign() | ast.Tuple() | ast.List():
            found = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
    return [each for each in found if not isinstance(each, ast.Call | ast.BinOp)]


def _text(node: ast.AST) -> str:
    """Returns a name, or what is reached from it without a call and a variable key, as the program writes it; "" for anything else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=inner, attr=name) if name not in _SAME and (before := _text(inner)):
            return f"{before}.{name}"
        case ast.Subscript(value=inner, slice=ast.Constant(value=str() | int() as key)) if before := _text(inner):
            return f"{before}[{key!r}]"
    return ""


def _begin(node: ast.AST | None) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _end(reference: Reference) -> tuple[int, int]:
    node = reference.around[-1] if reference.around else None
    return getattr(node, "end_lineno", 0) or 0, getattr(node, "end_col_offset", 0) or 0
