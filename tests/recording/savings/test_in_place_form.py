"""How operations are written in place."""

from __future__ import annotations

import ast

import pytest

from inplacelab.recording.savings.in_place_form import PLAIN, Form, Rewriting, has_form
from inplacelab.recording.source_tree import SourceTree, applied
from inplacelab.supported import InPlaceForms, framework_named

IMPORTS = "import torch\nimport paddle\nimport torch.nn.functional as F\nfrom torch import nn\nfrom torch.nn.functional import relu, dropout\n"


def forms(framework: str) -> InPlaceForms:
    known = framework_named(framework)
    assert known is not None
    return known.in_place


def rewritten(text: str, *codes: str, form: Form = PLAIN, framework: str = "torch") -> str:
    """The text with some of its expressions written in place."""
    program = SourceTree(IMPORTS + text)
    nodes = {ast.unparse(each): each for each in ast.walk(program.tree) if isinstance(each, ast.expr)}
    chosen: dict[ast.AST, Form] = {nodes[ast.unparse(ast.parse(each, mode="eval"))]: form for each in codes}
    assert all(has_form(program, each, forms(framework), form) for each in chosen)
    after = applied(program.source, Rewriting(program, forms(framework), chosen).edits())
    ast.parse(after)
    return after.removeprefix(IMPORTS).rstrip("\n")


SINGLE = [
    ("y = F.relu(x)", "F.relu(x)", "y = F.relu(x, inplace=True)"),
    ("y = nn.functional.relu(x)", "nn.functional.relu(x)", "y = nn.functional.relu(x, inplace=True)"),
    ("y = relu(x)", "relu(x)", "y = relu(x, inplace=True)"),
    ("y = F.relu(x, False)", "F.relu(x, False)", "y = F.relu(x, True)"),
    ("y = F.relu(x, inplace=False)", "F.relu(x, inplace=False)", "y = F.relu(x, inplace=True)"),
    ("y = F.dropout(x, 0.5, True, False)", "F.dropout(x, 0.5, True, False)", "y = F.dropout(x, 0.5, True, True)"),
    ("y = F.relu(**given)", "F.relu(**given)", 'y = F.relu(**{**given, "inplace": True})'),
    ("y = torch.relu(x)", "torch.relu(x)", "y = torch.relu_(x)"),
    ("y = torch.clamp(x, min=0)", "torch.clamp(x, min=0)", "y = torch.clamp_(x, min=0)"),
    ("y = torch.mul(x, m)", "torch.mul(x, m)", "y = x.mul_(m)"),
    ("y = torch.add(x + 1, m, alpha=2)", "torch.add(x + 1, m, alpha=2)", "y = (x + 1).add_(m, alpha=2)"),
    ("y = x.relu()", "x.relu()", "y = x.relu_()"),
    ("y = torch.ones(3).triu(1)", "torch.ones(3).triu(1)", "y = torch.ones(3).triu_(1)"),
    ("y = x.masked_fill(m, 0.)", "x.masked_fill(m, 0.)", "y = x.masked_fill_(m, 0.)"),
    ("x = x + y", "x + y", "x += y"),
    ("net.x = net.x * y", "net.x * y", "net.x *= y"),
    ("x = x ** 2", "x ** 2", "x **= 2"),
    ("y = x - z", "x - z", "y = x.sub_(z)"),
    ("y = (a @ b) / z", "(a @ b) / z", "y = (a @ b).div_(z)"),
    ("y = -x", "-x", "y = x.neg_()"),
    ("y = -(a @ b)", "-(a @ b)", "y = (a @ b).neg_()"),
    ("y = -x[0] + 1", "-x[0]", "y = x[0].neg_() + 1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), SINGLE, ids=[each[0] for each in SINGLE])
def test_one_operation(text: str, code: str, expected: str) -> None:
    assert rewritten(text, code) == expected


def test_operations_inside_others() -> None:
    text = "y = F.relu(torch.sigmoid(x * 2) + 1)"
    all_of_it = "F.relu(torch.sigmoid(x * 2) + 1)", "torch.sigmoid(x * 2) + 1", "torch.sigmoid(x * 2)", "x * 2"
    assert rewritten(text, *all_of_it) == "y = F.relu(torch.sigmoid_(x.mul_(2)).add_(1), inplace=True)"
    assert rewritten(text, all_of_it[0], all_of_it[2]) == "y = F.relu(torch.sigmoid_(x * 2) + 1, inplace=True)"
    assert rewritten("x = x + y.relu()", "x + y.relu()", "y.relu()") == "x += y.relu_()"
    assert rewritten("y = net(a.relu(), b.tanh())", "a.relu()", "b.tanh()") == "y = net(a.relu_(), b.tanh_())"


def test_brackets_lines_and_comments() -> None:
    text = "y = F.relu(\n    (x @ w)  # the product\n    * 2,\n)"
    assert rewritten(text, "F.relu((x @ w) * 2)") == "y = F.relu((x @ w) * 2, inplace=True)"
    text = "y = (  # a sum\n    x\n    + z\n)"
    assert rewritten(text, "x + z") == "y = (  # a sum\n    x.add_(z)\n)"
    assert rewritten("y = (x + 1) * (x + 2)", "x + 2") == "y = (x + 1) * (x.add_(2))"
    text = "y = F.relu(net(\n    x,  # the input\n    # and more\n    z,\n))"
    assert rewritten(text, "F.relu(net(x, z))") == "y = F.relu(net( x, z, ), inplace=True)"
    text = "y = F.relu(x + \\\n    z)"
    assert rewritten(text, "F.relu(x + z)") == "y = F.relu(x + z, inplace=True)"
    assert rewritten('y = F.relu(x["#"] + 1)', "F.relu(x['#'] + 1)") == 'y = F.relu(x["#"] + 1, inplace=True)'


def test_the_second_operand() -> None:
    second = Form(second=True)
    assert rewritten("y = a + b", "a + b", form=second) == "y = b.add_(a)"
    assert rewritten("b = a + b", "a + b", form=second) == "b += a"
    assert rewritten("y = torch.add(a, b)", "torch.add(a, b)", form=second) == "y = b.add_(a)"
    program = SourceTree("y = a - b")
    difference = next(each for each in ast.walk(program.tree) if isinstance(each, ast.BinOp))
    assert has_form(program, difference, forms("torch"), PLAIN)
    assert not has_form(program, difference, forms("torch"), second)


def test_the_constructor_of_a_module() -> None:
    assert rewritten("act = nn.ReLU()", "nn.ReLU()", form=Form(flag=0)) == "act = nn.ReLU(inplace=True)"
    assert (
        rewritten("a = nn.LeakyReLU(0.2)", "nn.LeakyReLU(0.2)", form=Form(flag=1))
        == "a = nn.LeakyReLU(0.2, inplace=True)"
    )
    assert rewritten("a = nn.ReLU(False)", "nn.ReLU(False)", form=Form(flag=0)) == "a = nn.ReLU(True)"


@pytest.mark.parametrize("framework", ["inplacelab", "paddle"])
def test_paddles_names(framework: str) -> None:
    def of(text: str, code: str, form: Form = PLAIN) -> str:
        return rewritten(text, code, form=form, framework=framework)

    number = Form(number=True)
    assert of("x = x + y", "x + y") == "x = x.add_(y)"  # `x += y` makes a new tensor there
    assert of("x = x + 2", "x + 2", number) == "x = x.scale_(bias=2)"
    assert of("x = x - (a + 1)", "x - (a + 1)", number) == "x = x.scale_(bias=-(a + 1))"
    assert of("x = 2 * x", "2 * x", Form(second=True, number=True)) == "x = x.scale_(2)"
    assert of("x = F.softmax(x, axis=0)", "F.softmax(x, axis=0)") == "x = F.softmax_(x, axis=0)"
    assert of("x = paddle.tanh(x)", "paddle.tanh(x)") == "x = paddle.tanh_(x)"


@pytest.mark.parametrize("code", ["x / 3", "x % 3", "x // 3"])
def test_paddles_quotients_by_numbers_have_no_form(code: str) -> None:
    program = SourceTree(f"y = {code}")
    node = next(each for each in ast.walk(program.tree) if isinstance(each, ast.BinOp))
    assert not has_form(program, node, forms("paddle"), Form(number=True))
    assert has_form(program, node, forms("paddle"), PLAIN)


def test_what_has_no_form() -> None:
    program = SourceTree(IMPORTS + "F.gelu(x)\nF.relu(*given)\nx @ y\nx > y\nx.softmax(0)\nF.tanh(x)\nnet(x)")
    for statement in program.tree.body[5:-2]:
        assert isinstance(statement, ast.Expr)
        assert not has_form(program, statement.value, forms("torch"), PLAIN), ast.unparse(statement)


def test_a_part_of_a_tensor_that_is_joined_again() -> None:
    joined = Form(part=0)
    text = "x = torch.cat([x[:, :1] * 2, x[:, 1:]], 1)"
    assert rewritten(text, text[4:], form=joined) == "x[:, :1].mul_(2)"
    for other in (
        "y = torch.cat([x[:, :1] * 2, x[:, 1:]], 1)",
        "x = torch.cat([x[:, :1] * 2, z], 1)",
        "x = torch.cat([z * 2, x[1:]])",
    ):
        program = SourceTree(IMPORTS + other)
        call = next(each for each in ast.walk(program.tree) if isinstance(each, ast.Call))
        assert not has_form(program, call, forms("torch"), joined)
