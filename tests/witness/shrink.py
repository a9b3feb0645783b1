"""Makes a program shorter while what was found in it stays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator


def shrink(text: str, still: Callable[[str], bool]) -> str:
    """The shortest program that can be reached by leaving out statements, or the frame around some."""
    text = _in_pieces(text, still)
    shorter: str | None = text
    while shorter is not None:
        text = shorter
        shorter = next((each for each in _shorter(text) if still(each)), None)
    return text


def _in_pieces(text: str, still: Callable[[str], bool]) -> str:
    """Leave out many statements at once, then fewer."""
    many = len(ast.parse(text).body)
    while many:
        end = len(ast.parse(text).body)
        while end > 0:
            tree = ast.parse(text)
            del tree.body[max(end - many, 0) : end]
            less = ast.unparse(tree) + "\n"
            text = less if still(less) else text
            end -= many
        many //= 2
    return text


def _shorter(text: str) -> Iterator[str]:
    blocks = [path for path, _ in _blocks(ast.parse(text), ())]
    for path in reversed(blocks):
        count = len(_at(ast.parse(text), path))
        for position in reversed(range(count)):
            for unwrap in (False, True):
                tree = ast.parse(text)
                body = _at(tree, path)
                inside: list[ast.stmt] = getattr(body[position], "body", []) if unwrap else []
                if unwrap and not inside:
                    continue
                body[position : position + 1] = inside
                yield ast.unparse(_whole(tree)) + "\n"


def _blocks(node: ast.AST, path: tuple[int | str, ...]) -> Iterator[tuple[tuple[int | str, ...], list[ast.stmt]]]:
    for field in ("body", "orelse", "finalbody"):
        body = getattr(node, field, None)
        if isinstance(body, list) and body:
            yield (*path, field), body
            for k, each in enumerate(body):
                yield from _blocks(each, (*path, field, k))


def _at(tree: ast.AST, path: tuple[int | str, ...]) -> list[ast.stmt]:
    found: object = tree
    for step in path:
        found = found[step] if isinstance(step, int) else getattr(found, step)  # type: ignore[index]
    assert isinstance(found, list)
    return found


def _whole(tree: ast.Module) -> ast.Module:
    """No block but the outermost may be empty."""
    for node in ast.walk(tree):
        if hasattr(node, "body") and isinstance(node.body, list) and not node.body and not isinstance(node, ast.Module):
            node.body.append(ast.Pass())
    return ast.fix_missing_locations(tree)
