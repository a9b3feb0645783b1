"""Parses the learner's program: finds the statement on a line and the expression of an operation, and edits the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from inplacelab.place import Place
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.recording import Recording
from inplacelab.supported import frameworks

# --- changes ----------------------------------------------------------------------------------------------------------


def applied(source: str, edits: Sequence[EditFacts]) -> str:
    """Returns the source with these edits, which must not overlap."""
    lines = source_lines(source)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    for edit in sorted(set(edits), reverse=True):
        first, last = edit.line - 1, edit.end_line - 1
        before = lines[first][: edit.column] if first < len(lines) else ""
        after = lines[last][edit.end_column :] if last < len(lines) else ""
        lines[first : last + 1] = source_lines(before + edit.text + after)
    return "".join(lines)


def source_lines(source: str) -> list[str]:
    """Returns the lines of a program with their ends, as Python counts them: `str.splitlines` also breaks at form feeds and others."""
    return _LINE.findall(source)


_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")


# --- the program ------------------------------------------------------------------------------------------------------


_OPERATORS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("add", "scale"), ast.Sub: ("subtract", "sub", "scale"), ast.Mult: ("multiply", "mul", "scale"),
    ast.Div: ("divide", "div", "true_divide", "scale"), ast.Pow: ("pow",), ast.MatMult: ("matmul",), ast.Mod: ("remainder", "mod"),
    ast.FloorDiv: ("floor_divide",),
}  # fmt: skip
"""Which operation an operator may be recorded as."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)
"""Expressions that need no brackets before `.clone()`."""


class SourceTree:
    """A parsed program.

    Raises:
        SyntaxError: if the source is not plain Python, such as a cell with shell commands.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = ast.parse(source)
        self._lines = source_lines(source)
        if _deeper(self.tree, DEEPEST):
            raise RecursionError
        self._parents = {child: parent for parent in ast.walk(self.tree) for child in ast.iter_child_nodes(parent)}

    @cached_property
    def _simple(self) -> list[ast.stmt]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt) and not hasattr(node, "body")]

    @cached_property
    def imported(self) -> frozenset[str]:
        """The names that the program binds by imports."""
        imports = (node.names for node in ast.walk(self.tree) if isinstance(node, ast.Import | ast.ImportFrom))
        return frozenset((each.asname or each.name).partition(".")[0] for names in imports for each in names)

    @cached_property
    def assigned(self) -> frozenset[str]:
        """The names that the program binds otherwise: by assignments, loops and parameters."""
        stored = (
            node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        )
        return frozenset((*stored, *(node.arg for node in ast.walk(self.tree) if isinstance(node, ast.arg))))

    def statement(self, line: int | None) -> ast.stmt | None:
        """Returns the only simple statement on a line; None if there are none or several."""
        found = [each for each in self._simple if line is not None and each.lineno <= line <= (each.end_lineno or 0)]
        return found[0] if len(found) == 1 else None

    def largest_on(self, statement: ast.stmt, line: int) -> ast.expr | None:
        """Returns the first of the largest expressions of a statement that are on one line; None if there is none."""
        inside = [each for each in ast.walk(statement) if isinstance(each, ast.expr)]
        return next((each for each in inside if each.lineno == each.end_lineno == line), None)

    def function_at(self, line: int) -> str:
        """Returns the function, or the class, whose body runs a line, with those that it is in: "Net.forward"; "" for a module."""
        scopes = [
            each
            for each in ast.walk(self.tree)
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
        around = [each for each in scopes if each.body[0].lineno <= line <= (each.end_lineno or 0)]
        return ".".join(each.name for each in around)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yields the nodes around a node, from the inside out."""
        while node in self._parents:
            node = self._parents[node]
            yield node

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """Returns the block that contains a statement."""
        parent = self._parents[statement]
        lists = (value for _, value in ast.iter_fields(parent) if isinstance(value, list))
        return next(found for found in lists if statement in found)

    def before(self, statement: ast.stmt) -> list[ast.stmt]:
        """Returns the statements before one in its block."""
        block = self.block(statement)
        return block[: block.index(statement)]

    def repeats(self, statement: ast.stmt) -> bool:
        """Whether a statement is in a loop."""
        return any(isinstance(each, ast.For | ast.While | ast.AsyncFor) for each in self.around(statement))

    def function(self, statement: ast.stmt) -> ast.AST | None:
        """Returns the function that contains a statement."""
        return next((each for each in self.around(statement) if isinstance(each, _Function)), None)

    def may_bind(self, statement: ast.stmt, name: str) -> bool:
        """Whether `name = ...` beside a statement binds the name that the statement reads, and no other."""
        around = next(
            (each for each in self.around(statement) if isinstance(each, (*_Function.__args__, ast.ClassDef))), None
        )
        if around is None:
            return name.isidentifier()
        if not isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef):
            return False
        parameters = [each.arg for each in ast.walk(around.args) if isinstance(each, ast.arg)]
        stored = [n.id for n in ast.walk(around) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        foreign = [n for n in ast.walk(around) if isinstance(n, ast.Global | ast.Nonlocal) and name in n.names]
        return name in (*parameters, *stored) and not foreign

    def is_parameter(self, statement: ast.stmt, name: str) -> bool:
        """Whether a name in a statement is a parameter of the function around it: the caller has the tensor, too."""
        around = next((each for each in self.around(statement) if isinstance(each, _Function)), None)
        return around is not None and any(
            isinstance(each, ast.arg) and each.arg == name for each in ast.walk(around.args)
        )

    # ---- text ------------------------------------------------------------------------------------------------------------

    def _column(self, line: int, offset: int) -> int:
        """Converts a column from bytes, as in the tree, to characters."""
        return len(self._lines[line - 1].encode()[:offset].decode(errors="ignore"))

    def start(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Returns the line and column where a node begins."""
        return node.lineno, self._column(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Returns the line and column just after a node."""
        line = node.end_lineno or node.lineno
        return line, self._column(line, node.end_col_offset or 0)

    def whole_lines(self, statement: ast.stmt) -> str | None:
        """Returns the lines of a statement, with the comment behind it; None if something else stands in them, too."""
        first, last = self.start(statement), self.end(statement)
        before, behind = self._lines[first[0] - 1][: first[1]], self._lines[last[0] - 1][last[1] :].strip()
        if before.strip() or (behind and not behind.startswith("#")):
            return None
        text = "".join(self._lines[first[0] - 1 : last[0]])
        return text if text.endswith("\n") else text + "\n"

    def insert(self, node: ast.expr | ast.stmt, text: str) -> EditFacts:
        """Returns an edit that inserts text before a node."""
        place = self.start(node)
        return EditFacts(*place, *place, text)

    def append(self, node: ast.expr | ast.stmt, text: str) -> EditFacts:
        """Returns an edit that inserts text after a node."""
        place = self.end(node)
        return EditFacts(*place, *place, text)

    def line_before(self, statement: ast.stmt, text: str) -> EditFacts:
        """Returns an edit that inserts a line before a statement."""
        line, column = self.start(statement)
        return EditFacts(line, 0, line, 0, " " * column + text + "\n")

    def line_after(self, statement: ast.stmt, text: str) -> EditFacts:
        """Returns an edit that inserts lines after a statement, and after the comment behind it; the later ones of `text` are indented as it is."""
        line, column = self.end(statement)[0], self.start(statement)[1]
        indented = "".join(f"{' ' * column}{each}\n" for each in text.split("\n"))
        return EditFacts(line + 1, 0, line + 1, 0, indented)

    def cloned(self, expression: ast.expr) -> list[EditFacts]:
        """Returns an edit that replaces an expression by its clone."""
        if isinstance(expression, ATOMS):
            return [self.append(expression, ".clone()")]
        return [self.insert(expression, "("), self.append(expression, ").clone()")]

    def copied_once(self, statement: ast.stmt, reads: Sequence[ast.expr]) -> list[EditFacts]:
        """Returns edits that have several equal expressions in a statement read one clone; a clone of each if no line fits before it."""
        inside = [
            n for n in ast.walk(statement) if isinstance(n, ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.DictComp)
        ]
        if len(reads) < 2 or inside or self.whole_lines(statement) is None:
            return [edit for each in reads for edit in self.cloned(each)]
        taken = self.assigned | self.imported | {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name)}
        stem = re.sub(r"\W+", "_", ast.unparse(reads[0]).removeprefix("self.")).strip("_") + "_kept"
        name = next(each for k in range(1, len(taken) + 2) if (each := stem if k == 1 else f"{stem}{k}") not in taken)
        edits = [EditFacts(*self.start(each), *self.end(each), name) for each in reads]
        return [self.line_before(statement, f"{name} = {self.code(reads[0])}.clone()"), *edits]

    def text(self, statement: ast.stmt, edits: list[EditFacts] | None = None) -> str:
        """Returns a statement as one line, with edits applied if any are given."""
        shown = applied(self.source, edits or ())
        lines = source_lines(shown)[statement.lineno - 1 : statement.end_lineno]
        return " ".join(line.strip() for line in lines).partition("  #")[0]

    def code(self, node: ast.expr | ast.stmt) -> str:
        """Returns an expression or a statement as it is written, on one line."""
        (first, left), (last, right) = self.start(node), self.end(node)
        lines = self._lines[first - 1 : last]
        if first == last:
            return lines[0][left:right]
        return " ".join(part.strip() for part in (lines[0][left:], *lines[1:-1], lines[-1][:right]))

    # ---- expressions -----------------------------------------------------------------------------------------------------

    def did(self, statement: ast.stmt, op: str | None) -> ast.expr | None:
        """Returns the expression in a statement that ran an operation; None if there are none or several candidates."""
        found = [node for node in ast.walk(statement) if isinstance(node, ast.expr) and _may_be(node, op)]
        return found[0] if len(found) == 1 else None

    def reads(self, where: ast.AST, name: str) -> list[ast.expr]:
        """Returns the expressions in a part of the program that read `name`: a plain name, or a path such as `net.weight`."""
        nodes = (node for node in ast.walk(where) if isinstance(node, ast.Name | ast.Attribute | ast.Subscript))
        return [node for node in nodes if isinstance(node.ctx, ast.Load) and ast.unparse(node) == name]


def _may_be(node: ast.expr, op: str | None) -> bool:
    if isinstance(node, ast.BinOp):
        return op in _OPERATORS.get(type(node.op), ())
    if not isinstance(node, ast.Call):
        return False
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    return called == op


DEEPEST = 100
"""How deep a program may be nested: Python formats an expression with recursive functions."""


def _deeper(tree: ast.AST, most: int) -> bool:
    """Whether a tree has more levels than `most`, without recursion."""
    level = [tree]
    for _ in range(most):
        level = [child for parent in level for child in ast.iter_child_nodes(parent)]
    return bool(level)


def source_tree_of(recording: Recording, source: int = 0) -> SourceTree | None:
    """Returns a parsed source of a recording, by number; None if it is not plain Python, such as a cell with shell commands."""
    trees = recording.once(_trees)
    if source not in trees:
        trees[source] = _parsed(recording.text_of(source))
    return trees[source]


def tree_at(recording: Recording, place: Place | None) -> SourceTree | None:
    """Returns the parsed source of a place; None if the place is not known, or its source is not plain Python."""
    return None if place is None else source_tree_of(recording, place.source)


def statement_at(recording: Recording, place: Place | None) -> ast.stmt | None:
    """Returns the only simple statement on the line of a place; None if there are none or several, or it is not known."""
    program = tree_at(recording, place)
    return None if program is None or place is None else program.statement(place.line)


def line_text(recording: Recording, place: Place | None) -> str:
    """Returns the line of a place, without its end; "" if it is not known."""
    if place is None:
        return ""
    known = recording.once(_lines)
    if place.source not in known:
        known[place.source] = recording.text_of(place.source).splitlines()
    lines = known[place.source]
    return lines[place.line - 1] if 0 < place.line <= len(lines) else ""


def _lines(_: Recording) -> dict[int, list[str]]:
    return {}


def _trees(_: Recording) -> dict[int, SourceTree | None]:
    return {}  # each is parsed when it is asked for


def _parsed(text: str) -> SourceTree | None:
    try:
        return SourceTree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # such as a null byte, or brackets nested too deeply
        return None


def in_place_calls(value: ast.expr) -> list[ast.Call]:
    """Returns the calls of a chain, outermost first, if all of them have names of in-place operations: `a.exp_().add_(b)`."""
    found = []
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr.endswith("_"):
        found.append(value)
        value = value.func.value
    return found if isinstance(value, ast.Name | ast.Attribute) else []


def root_of(expression: ast.expr) -> str | None:
    """Returns the name at the root of an expression: `a` for `a[0].t().relu_()`."""
    while not isinstance(expression, ast.Name):
        if isinstance(expression, ast.Call):
            expression = expression.func
        elif isinstance(expression, ast.Attribute | ast.Subscript | ast.Starred):
            expression = expression.value
        else:
            return None
    return expression.id


def package_of(program: SourceTree, alias: str) -> str | None:
    """Returns the name under which the program imports a framework with an alias (see `Framework`), or uses it without an import."""
    like = {each.name for each in frameworks().values() if each.alias == alias}
    aliases = [each for n in ast.walk(program.tree) if isinstance(n, ast.Import) for each in n.names]
    imported = [each.asname or each.name for each in aliases if each.name in like]
    used = [n.id for n in ast.walk(program.tree) if isinstance(n, ast.Name) and n.id == alias]
    return next(iter([*imported, *used]), None)
