"""Random programs whose origins can be found by changing the inputs one at a time: no form hides an influence, as `x - x` or a clip would."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import inplacelab as paddle
from tests.witness.random_programs import Author

LEAVES = (
    "[[1.3, -2.1, 3.7], [0.6, 2.4, -1.77]]",
    "[[1.1, 2.3], [3.2, 4.7], [0.4, -1.9]]",
    "[0.7, 2.9, -3.1]",
    "[[0.9, 1.7, 2.6]]",
)
LARGE = (
    "[[(37 * (40 * i + j) % 97) * 0.07 - 3.1 for j in range(40)] for i in range(2)]",
    "[(29 * j % 101) * 0.06 - 2.9 for j in range(90)]",
    "[[(53 * (2 * i + j) % 89) * 0.08 - 3.3 for j in range(2)] for i in range(33)]",
    "[[1.3, -2.1, 3.7], [0.6, 2.4, -1.77]]",
)
"""Leaves of more elements than a moment of backward is recorded with."""
NEW = (
    "{0} * 1.7", "{0} * {1}", "{0} - {1} * 0.37", "{0} + {1} * 0.61", "{0} / ({1} + 7.3)", "{0} ** 2", "2.5 - {0} * 0.73", "{0}.clone()", "{0}.exp()", "{0}.sin()",
    "{0}.sum()", "{0}.sum(0)", "{0}.mean(-1)", "{0}.mean(0, keepdim=True)", "{0}.sum(-1, keepdim=True)", "{0}.max(-1)", "{0}.min()", "{0} @ {1}",
    "{0} @ {1}.t()", "paddle.concat([{0}, {1}])", "paddle.stack([{0}, {1}], 1)", "paddle.where({0} > 0.5, {0}, {1})", "{0}.gather(paddle.to_tensor([1, 0, 1]))",
    "{0}.cumsum(-1)", "{0}.cumsum()", "{0}[[1, 0]]", "{0}[{0} > 0]", "{0}.flip(0)", "{0}.roll(1, -1)", "{0}.tile([2, 1])", "{0}.expand([2, 2, 3]).clone()",
    "paddle.nn.functional.softmax(paddle.concat([{0}, {0} * 0.3], -1))", "paddle.maximum({0}, {1})", "{0}.sort(-1)", "{0}.astype('float64')", "{0}.astype('float32').astype('float64')",
    "paddle.rand({0}.shape).astype('float64')", "{0}.norm()", "{0}.logsumexp()", "paddle.assign({0})", "{0}.t().reshape([-1])", "{0}.diag() + 0.5", "{0}.prod(-1)",
    "{0}.tril() + 0.5", "paddle.einsum('ij,kj->ik', {0}, {1})", "{0}.index_select(paddle.to_tensor([0]), -1)", "{0}.split(2, -1)[1]", "{0}.topk(2)[0]", "paddle.concat([{0}, {0} * 0.3], -1).std()",
    "paddle.dot({0}[0], {1}[0])", "{0}.detach() * 3.", "paddle.outer({0}, {1})", "paddle.addmm({0}, {1}, {1})",
)  # fmt: skip
VIEWS = (
    "{0}[0]", "{0}[-1]", "{0}[1:]", "{0}[:, 1]", "{0}[..., ::2]", "{0}[None]", "{0}.reshape([-1])", "{0}.t()", "{0}.transpose([1, 0])",
    "{0}.unsqueeze(0)", "{0}.squeeze()", "{0}.diagonal()", "{0}.detach()", "{0}.flatten()", "{0}.unbind(0)[-1]", "{0}",
)  # fmt: skip
WRITES = (
    "{0}.scale_(1.9)", "{0}.add_({1})", "{0}.add_({1}.detach() * 0.7)", "{0}.multiply_({1})", "{0}.exp_()", "{0}.sin_()", "{0}.fill_(2.)",
    "{0}.copy_({1})", "{0}.set_value({1})", "{0}[0] = {1}", "{0}[0] = 4.", "{0}[:, 0] = {1}", "{0}[[0, 1]] = {1}", "{0}[1:] *= 0.3", "{0}[0].add_({1})",
    "{0}[{0} > 1] = 5.", "{0}.t().scale_(0.9)", "{0}.masked_fill_({0} > 1.5, 0.25)", "{0}.index_fill_(paddle.to_tensor([0]), 0, 1.5)",
    "{0}.index_add_(paddle.to_tensor([1, 0]), 0, {1})", "{0}.put_along_axis_(paddle.to_tensor([[0, 1]]), {1}, 0)", "{0}.cumsum_(-1)", "{0}.tril_().add_(paddle.to_tensor(0.5))",
    "{0}.uniform_()", "{0}.normal_()", "{0}.fill_diagonal_(3.)", "{0}.lerp_({1}, 0.35)", "{0}.reshape_([-1])", "{0}.t_()", "{0}.unsqueeze_(0)",
    "{0}[0] = {1}[1]", "{0}[..., 0] += {1}[0]", "{0}.index_put_((paddle.to_tensor([0, 0]),), {1}, True)", "{0}.scatter_(paddle.to_tensor([1, 0]), {1})",
)  # fmt: skip
HEAD = "import inplacelab as paddle\n"


def write(random: Random, statements: int = 12) -> str:
    """A random program over the leaves `a` and `b`: the same numbers from `random`, the same program."""
    return _written(random, statements, LEAVES).text


def _written(random: Random, statements: int, leaves: Sequence[str], *, differentiable: bool = False) -> Author:
    author = Author(random)
    author.begin()
    author.add(HEAD)
    for name in "ab":
        ask = ", stop_gradient=False" if differentiable else ""
        author.add(f"{name} = paddle.to_tensor({author.some(leaves)}, dtype='float64'{ask})")
    author.add("x = a * 1.3")
    kinds = ((NEW, "{2} = "), (NEW, "{2} = "), (VIEWS, "{2} = "), (WRITES, ""), (WRITES, ""))
    for _ in range(statements):
        forms, left = author.some(kinds)
        author.add((left + author.some(forms)).format(author.tensor(), author.tensor(), author.new()))
    paddle.set_grad_enabled(True)
    return author


LOSSES = ("({0} * 1.5).sum()", "({0} * {0}).mean()", "{0}.sum()", "{0} * 0.5")


def write_with_passes(random: Random) -> str:
    """A random program that runs backward twice, into gradients that may be large, and may hold what the first pass left there. What the second one
    begins with is called `objective`.
    """
    author = _written(random, 8, random.choice((LEAVES, LARGE, LARGE)), differentiable=True)
    text, names = author.text, author.tensors(lambda tensor: not tensor.stop_gradient and not tensor.is_leaf)

    def loss() -> str:
        return random.choice(LOSSES).format(random.choice(names))

    text += f"first = {loss()}\nfirst.backward(retain_graph=True)\n"
    text += random.choice(("", "", "", "a.clear_gradient()\n", "b.clear_gradient()\n"))
    text += random.choice(("", f"second = {loss()}\n", f"second = first.sum() + ({loss()}).sum()\n"))
    roots = ["first", "second"][: 1 + ("second = " in text)]
    asked = random.choice((roots[-1:], roots[-1:], roots))
    objective = " + ".join(f"{root}.sum()" for root in asked)
    return text + f"objective = {objective}\npaddle.autograd.backward([{', '.join(asked)}])\n"
