"""Random statements of a program: one function for each kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .random_programs import Author

NUMBERS = ("2.0", "0.5", "-1.5", "3", "0")
INDICES = (
    "0", "-1", "1:", ":1", "::2", "...", "None", "0, 0", ":, 1", ":, 0:1", "[0]", "[1, 0]", "[0, 0]", "..., 0", "None, 0", "1:0", "::-1",
)  # fmt: skip
UNARY = ("exp", "sin", "tanh", "square", "abs", "sigmoid", "sqrt", "relu", "reciprocal", "floor", "neg")
BINARY = ("add", "subtract", "multiply", "divide", "maximum", "pow")
VIEWS = (
    "{0}[{i}]", "{0}[{i}]", "{0}[{i}]", "{0}.reshape([-1])", "{0}.flatten()", "{0}.unsqueeze(0)", "{0}.unsqueeze(-1)", "{0}.squeeze()",
    "{0}.t()", "{0}.transpose([1, 0])", "{0}.detach()", "{0}.view([-1])", "{0}.expand([2, 2, 3])", "{0}.diagonal()", "{0}.view('int32')",
    "{0}.reshape([3, 2])", "{0}.unbind(0)[-1]", "{0}.split(2, -1)[0]", "{0}.chunk(2)[1]", "paddle.as_strided({0}, [2, 2], [1, 1])",
    "{0}.data", "{0}.real()", "{0}.unfold(-1, 2, 1)",
)  # fmt: skip
NEW = (
    "{0}.{u}()", "{0}.{u}()", "{0} * {n}", "{0} + {1}", "{0} * {1}", "{0} - {1}", "{0} / {1}", "{0} ** 2", "{n} - {0}", "{0}.clone()",
    "{0}.sum()", "{0}.mean(-1)", "{0}.astype('float64')", "{0}.scale({n})", "{0}.cast('float32')", "paddle.concat([{0}, {1}])",
    "paddle.stack([{0}, {0}])", "{0} @ {1}", "paddle.where({0} > 0, {0}, {1})", "{0}.gather(paddle.to_tensor([1, 0]))",
    "{0}.cumsum(-1)", "paddle.zeros_like({0})", "paddle.rand({0}.shape)", "{0}.expand([2, 2, 3]).clone()", "paddle.zeros([70, 70])",
    "{0}.max()", "{0} > 0", "{0}.tile([2, 1])", "{0}.detach().clone()", "paddle.nn.functional.softmax({0})", "{0}[{i}] * {n}",
    "paddle.assign({0})", "{0}[{0} > 0]", "-{0}", "{0}.logsumexp()", "{0}.norm()", "{0}.sin().exp()", "({0} * {0}).sum()",
)  # fmt: skip
WRITES = (
    "{0}.{u}_()", "{0}.{u}_()", "{0}.scale_({n})", "{0}.add_({1})", "{0}.multiply_({1})", "{0}.subtract_({1})", "{0}.divide_({1})",
    "{0}.zero_()", "{0}.fill_({n})", "{0}.copy_({1})", "{0}.set_value({1})", "{0}.clip_(-1., 1.)", "{0} += {1}", "{0} *= {n}",
    "{0} -= {0}", "{0} /= {1}", "{0}.pow_(2)", "{0}.uniform_()", "{0}.normal_()", "{0}.add_({1}[{i}])", "{0}[{i}].scale_({n})",
    "{0}[{i}].add_({1}[{j}])", "{0}.exp_().sin_()", "{0}.lerp_({1}, 0.5)", "{0}.masked_fill_({0} > 0, {n})", "{0}.fill_diagonal_({n})",
    "{0}.index_fill_(paddle.to_tensor([0]), 0, {n})", "{0}.cumsum_(-1)", "{0}.tril_()", "{0}.where_({0} > 0, {0}, {1})",
    "paddle.nn.functional.relu_({0})", "paddle.nn.functional.softmax_({0})", "paddle.tanh_({0})", "{0}.t().scale_({n})",
    "{0}.reshape([-1])[1:3].zero_()", "{0}.detach().add_({n})", "{0}.bernoulli_()",
)  # fmt: skip
ITEMS = (
    "{0}[{i}] = {n}", "{0}[{i}] = {n}", "{0}[{i}] = {1}", "{0}[{i}] = {1}[{j}]", "{0}[{0} > 0] = {n}", "{0}[{i}] += {n}",
    "{0}[{i}] *= {1}[{j}]", "{0}[[0, 1]] = {1}", "{0}[paddle.to_tensor([0])] = {n}", "{0}[{i}][{j}] = {n}", "{0}[:] = {0} * 2",
)  # fmt: skip
RELAID = (
    "{0}.reshape_([-1])", "{0}.reshape_([3, 2])", "{0}.unsqueeze_(0)", "{0}.squeeze_()", "{0}.flatten_()", "{0}.transpose_([1, 0])",
    "{0}.t_()", "{0}.cast_('float64')", "{0}.cast_('float32')", "{0}.reshape_([2, 3])", "{0}.t().reshape_([-1])", "{0}.set_({1})",
    "{0}.resize_([2, 2])",
)  # fmt: skip
NAMES = (
    "{new} = {0}", "{0}, {1} = {1}, {0}", "del {0}", "{0} = None", "{0} = 3", "pair = ({0}, {1})", "some = [{0}, {1}]",
    "some = [{0}, {0}[0]]", "some.append({0} * 2)", "some[0] = {0}", "some.pop()", "some[0].scale_({n})", "some[-1] = some[-1] * {n}",
    "{new} = some[0]", "{new}, {0} = pair", "first, *others = {0}, {1}, {0}", "known = {{'x': {0}}}", "known['x'].add_({1})",
    "del some", "some = [x * {n} for x in ({0}, {1})]", "some = [{0}[k] for k in range(2)]", "some = list({0}.unbind(0))",
    "for {new} in some: {new}.scale_({n})", "{new} = known.pop('x')", "{0} = {0}", "({new} := {0} * {n}).add_({1})",
    "some += [{0}]", "some = [{0}.grad, {0}]", "known = {{'g': {0}.grad, 'x': {1}}}", "{0} = some[0]", "{0}.grad = {1}.grad", "pair = pair[::-1]", "size = {0}.sum().item()", "{new} = {0} if {0}.sum() > 0 else {1}",
)  # fmt: skip
HISTORY = (
    "{0}.sum().backward()", "({0} * {0}).sum().backward()", "{0}.backward(retain_graph=True)", "({0} * {1}).backward()",
    "{0}.sum().backward(retain_graph=True)", "{0}.grad = None", "{0}.clear_grad()", "{0}.clear_gradient(False)",
    "{0}.stop_gradient = False", "{0}.stop_gradient = True", "{0}.detach_()", "{0}.retain_grads()", "{new} = {0}.grad",
    "{0}.grad.scale_({n})", "{0}.grad = {0}.detach() * {n}", "{0}.grad.zero_()", "a.grad.add_(a.detach())", "{new} = a.grad",
    "({new},) = paddle.grad({0}.sum(), {1})", "({new},) = paddle.grad({0}.sum(), a, create_graph=True)",
    "({new},) = paddle.grad(({0} * {1}).sum(), [a], retain_graph=True)", "paddle.grad(paddle.grad(({0} ** 3).sum(), a, create_graph=True)[0].sum(), a)",
    "handle = {0}.register_hook(lambda g: g * 2)", "handle.remove()", "loss = ({0} * {0}).mean()\nloss.backward()", "loss.backward()",
    "paddle.autograd.backward([{0}.sum(), {1}.sum()])", "kept = []; {0}.register_hook(lambda g: kept.append(g))", "kept = []",
    "{0}.register_hook(lambda g: g.scale_({n}))", "{0}.register_hook(lambda g: {1}.scale_(2.))", "{0}.register_hook(lambda g: g + {1}.sum())",
    "paddle.set_grad_enabled(True)", "{0} = {0}.detach()", "a = {0}", "{0}.grad[0] = {n}", "{new} = {0}.grad[0]",
)  # fmt: skip


def filled(author: Author, form: str) -> str:
    """A form with names and numbers in it."""
    return form.format(
        author.tensor(), author.tensor(), u=author.some(UNARY), n=author.some(NUMBERS), i=author.some(INDICES), j=author.some(INDICES),
        new=author.new() if "{new}" in form else "",
    )  # fmt: skip


def one_line(author: Author) -> str:
    """A simple statement."""
    kind = author.some(SIMPLE)
    form = author.some(kind)
    return filled(author, "{new} = " + form if kind in (VIEWS, NEW) else form)


def leaf(author: Author, name: str) -> str:
    """A new tensor; most ask for a gradient."""
    values = author.some(
        (
            "[[1., -2., 3.], [0.5, 2., -1.]]",
            "[[1., 2.], [3., 4.]]",
            "[1., 2., 3.]",
            "2.",
            "[[0., 1., 2.], [3., 4., 5.]]",
        )
    )
    stop = author.some((", stop_gradient=False", ", stop_gradient=False", ""))
    return f"{name} = paddle.to_tensor({values}{stop})"


def _body(author: Author, many: int, indent: str = "    ") -> str:
    return "".join(f"{indent}{line}\n" for _ in range(many) for line in one_line(author).splitlines())


def quiet(author: Author) -> str:
    return f"with paddle.no_grad():\n{_body(author, author.some((1, 2)))}"


def loop(author: Author) -> str:
    head = author.some(
        (
            "for k in range(2):",
            "for k in range(3):",
            f"for each in ({author.tensor()}, {author.tensor()}):",
            "count = 0\nwhile count < 2:\n    count += 1",
        )
    )
    tail = author.some(("", "", "    if k: break\n" if "for k" in head else "", "else:\n    note = 3\n"))
    return f"{head}\n{_body(author, author.some((1, 2, 3)))}{tail}"


def condition(author: Author) -> str:
    return f"if {author.tensor()}.sum() > 0:\n{_body(author, 1)}else:\n{_body(author, 1)}"


def function(author: Author) -> str:
    """A function with locals, and a call. Its parameters may shadow names of the program."""
    name, x = f"f{author.serial()}", author.tensor()
    p = author.some(("x", "y", x))
    form = author.some((
        "def {f}({p}):\n    inside = {p} * {n}\n    inside.add_({p})\n    return inside\n",
        "def {f}({p}):\n    {p}.scale_({n})\n    view = {p}[0]\n    view.zero_()\n    return view\n",
        "def {f}({p}):\n    {p} = {p}.{u}()\n    return {p}.scale_({n})\n",
        "def {f}({p}):\n    def deeper(y):\n        y.add_({n})\n        return y * {p}\n    return deeper({p}.clone())\n",
        "def {f}({p}):\n    global a\n    a = {p} * {n}\n    return {p}\n",
        "def {f}({p}):\n    for k in range(2):\n        part = {p}[k]\n        part.scale_({n})\n        yield part\n",
        "def {f}({p}):\n    if {p}.sum() > 0 or not {p}.size:\n        return {p}\n    return {f}({p}.square() + 1)\n",
        "def {f}({p}, many=[]):\n    many.append({p}.{u}())\n    return many[-1]\n",
        "def {f}({p}):\n    kept = {p} * {n}\n    def back():\n        nonlocal kept\n        kept = kept + 1\n        return kept\n    back()\n    return back()\n",
        "{f} = lambda {p}: {p}.{u}().scale_({n})\n",
        "def {f}({p}):\n    try:\n        {p}.add_({x}[{i}])\n    finally:\n        last = {p} * 2\n    return last\n",
        "def {f}({p}):\n    local = [{p}, {p} * 2]\n    local[1][0] = {n}\n    return local[1]\n",
    ))  # fmt: skip
    fields = {"f": name, "p": p, "n": author.some(NUMBERS), "u": author.some(UNARY), "x": x, "i": author.some(INDICES)}
    arguments = filled(author, author.some(("{0}", "{0} * 2", "{0}[{i}]", "{0}.clone()")))
    call = f"list({name}({arguments}))" if "yield" in form else f"{name}({arguments})"
    uses = (
        f"{author.new()} = {call}",
        call,
        f"{author.new()} = {call} + {author.tensor()}" if "yield" not in form else call,
    )
    return form.format(**fields) + author.some(uses) + "\n"


def generator(author: Author) -> str:
    """A generator that is left in the middle, or a generator expression."""
    n, x = author.serial(), author.tensor()
    return author.some((
        f"def g{n}(x):\n    y = x * 2\n    yield y\n    y.zero_()\n    yield y\nit{n} = g{n}({x})\n{author.new()} = next(it{n})\n",
        f"it{n} = ({x} * k for k in range(3))\n{author.new()} = next(it{n})\n",
        f"{author.new()} = sum({x} * k for k in range(1, 3))\n",
        f"held{n} = {{k: {x} * k for k in range(2)}}\nheld{n}[1].add_({x})\n",
    ))  # fmt: skip


def layer(author: Author) -> str:
    """A layer, and a step of training with it."""
    n, x = author.serial(), author.tensor()
    make = author.some((
        f"net{n} = paddle.nn.Linear(3, 2)\n",
        f"net{n} = paddle.nn.Sequential(paddle.nn.Linear(3, 3), paddle.nn.ReLU(), paddle.nn.Linear(3, 1))\n",
        f"class Net{n}(paddle.nn.Layer):\n    def __init__(self):\n        super().__init__()\n        self.scale = self.create_parameter([3])\n"
        f"        self.inner = paddle.nn.Linear(3, 3)\n    def forward(self, x):\n        h = self.inner(x)\n"
        f"        paddle.nn.functional.relu_(h)\n        return h * self.scale\nnet{n} = Net{n}()\n",
        f"class Held{n}:\n    kept = {x} * 2\n    def __init__(self, x):\n        self.x = x\nnet{n} = Held{n}({x})\nnet{n}.x.scale_(2.)\n",
    ))  # fmt: skip
    if "Held" in make:
        return make
    kind = author.some(("SGD", "Momentum", "Adam", "AdamW"))
    use = author.some((
        f"{author.new()} = net{n}({x})\n",
        f"net{n}({x}).sum().backward()\n",
        f"opt{n} = paddle.optimizer.{kind}(0.1, parameters=net{n}.parameters())\nfor _ in range(2):\n"
        f"    net{n}(paddle.ones([2, 3])).square().mean().backward()\n    opt{n}.step()\n    opt{n}.clear_grad()\n",
        f"with paddle.no_grad():\n    for w in net{n}.parameters():\n        w.scale_(0.5)\n",
        f"w = net{n}.parameters()[0]\nw.stop_gradient = True\nw.zero_()\n",
    ))  # fmt: skip
    return make + use


def own_operation(author: Author) -> str:
    """A custom operation (`PyLayer`)."""
    n, x = author.serial(), author.tensor()
    body = author.some((
        "        y = x.exp()\n        ctx.save_for_backward(y)\n        return y\n",
        "        ctx.save_for_backward(x)\n        return x.exp()\n",
        "        ctx.mark_dirty(x)\n        y = x.exp_()\n        ctx.save_for_backward(y)\n        return y\n",
        "        ctx.save_for_backward(x)\n        return x * 1, x * 2\n",
    ))  # fmt: skip
    two = "x * 2" in body
    grads = "dy, dz" if two else "dy"
    text = (
        f"class Own{n}(paddle.autograd.PyLayer):\n    @staticmethod\n    def forward(ctx, x):\n{body}"
        f"    @staticmethod\n    def backward(ctx, {grads}):\n        (y,) = ctx.saved_tensor()\n        grad = dy * y\n        return grad\n"
    )
    given = author.some((x, f"{x} * 2"))
    if two:
        text += f"p{n}, q{n} = Own{n}.apply({given})\n"
    else:
        text += f"p{n} = Own{n}.apply({given})\n"
    return text + author.some(("", f"p{n}.scale_(2.)\n", f"p{n}.sum().backward()\n", f"{x}.grad\n"))


SIMPLE = (VIEWS, VIEWS, NEW, NEW, WRITES, WRITES, WRITES, ITEMS, ITEMS, RELAID, NAMES, NAMES, HISTORY, HISTORY)
KINDS: tuple[Callable[[Author], str], ...] = (
    *(one_line,) * 16, quiet, quiet, loop, loop, condition, function, function, function, generator, layer, own_operation,
    lambda author: leaf(author, author.new()),
)  # fmt: skip
