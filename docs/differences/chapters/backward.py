"""Entries: what backward begins with, what it leaves in `.grad`, how often it may go through a graph."""

from __future__ import annotations

from differences.entry import difference
from inplacelab.language import Text
from inplacelab.lessons.differences import Chapter, Kind

CHAPTER = Chapter(
    "backward",
    Text("Backward and the gradients that it leaves", "反向传播及其留下的梯度"),
    Text(
        "Backward behaves as in Paddle, where Paddle's behavior is well defined.",
        "反向传播的行为方式以 Paddle 为准，只要它是明确定义的。",
    ),
    (
        difference(
            key="many-elements-seeded",
            kind=Kind.FOLLOWS,
            title=Text("Backward from a tensor of several elements", "从含多个元素的张量开始反向传播"),
            program="""
                b = a * a
                b.backward()
                answer = a.grad.tolist()
            """,
            why=Text(
                "Backward begins with ones, as if the elements had been added up. PyTorch wants the program to say so.",
                "以全一为起点，相当于先求和。PyTorch 要求明确写出。",
            ),
        ),
        difference(
            key="gradient-is-a-leaf",
            kind=Kind.FOLLOWS,
            title=Text("`.grad` is scaled in place", "原地缩放 `.grad`"),
            program="""
                a.sum().backward()
                a.grad.scale_(0.5)
                answer = a.grad.tolist()
            """,
            torch="""
                a.sum().backward()
                a.grad.mul_(0.5)
                answer = a.grad.tolist()
            """,
            why=Text(
                "`.grad` is a leaf with `stop_gradient=False`, so it is written under `no_grad` only. (Paddle has written it "
                "when it refuses.)",
                "`.grad` 是 `stop_gradient=False` 的叶子张量，因此只能在 `no_grad` 下写入。（Paddle 拒绝时已经写了。）",
            ),
        ),
        difference(
            key="retained-gradient",
            kind=Kind.FOLLOWS,
            title=Text("A retained gradient after an in-place operation", "原地操作之后保留的梯度"),
            program="""
                x = a * 2
                x.retain_grads()
                x.scale_(3.)
                (x * 7).sum().backward()
                answer = x.grad.tolist()
            """,
            torch="""
                x = a * 2
                x.retain_grad()
                x.mul_(3.)
                (x * 7).sum().backward()
                answer = x.grad.tolist()
            """,
            why=Text(
                "It belongs to the value that the tensor had when `retain_grads` was called (21 = 7 * 3). In PyTorch it moves with the "
                "tensor to the new value (7).",
                "它属于请求保留时张量所具有的值（21 = 7 × 3）。在 PyTorch 中，它随张量转到新的值（7）。",
            ),
        ),
        difference(
            key="retained-before-a-hook",
            kind=Kind.DESIGN,
            title=Text("A gradient is retained, and then a hook is registered", "先请求保留梯度，再注册钩子"),
            program="""
                x = a * 2
                x.retain_grads()
                x.register_hook(lambda g: g * 2)
                (x * 3).sum().backward()
                answer = x.grad.tolist()
            """,
            torch="""
                x = a * 2
                x.retain_grad()
                x.register_hook(lambda g: g * 2)
                (x * 3).sum().backward()
                answer = x.grad.tolist()
            """,
            why=Text(
                "The retained gradient is the one that is passed on, after all hooks, whatever the order: as in PyTorch. In Paddle "
                "a hook that is registered later does not count.",
                "保留的是经过所有钩子之后、继续往下传的梯度，与先后顺序无关：同 PyTorch。在 Paddle 中，后注册的钩子不计入。",
            ),
        ),
        difference(
            key="deepcopy-of-a-result",
            kind=Kind.FOLLOWS,
            title=Text("A deep copy of a result", "对计算结果做深拷贝"),
            program="""
                import copy
                x = copy.deepcopy(a * 2)
                answer = x.is_leaf, x.stop_gradient
            """,
            torch="""
                import copy
                x = copy.deepcopy(a * 2)
                answer = x.is_leaf, not x.requires_grad
            """,
            why=Text(
                "The copy is a leaf: no gradient goes from it to `a`. PyTorch refuses to make it. (Pickling is possible in all three.) "
                "`clone()` makes a copy with history.",
                "副本是叶子张量：没有梯度从它流向 `a`。PyTorch 拒绝做这样的副本。（三者都可以用 pickle 序列化。）`clone()` 得到带历史的副本。",
            ),
        ),
        difference(
            key="twice-without-saved",
            kind=Kind.DESIGN,
            title=Text("Backward twice through a graph that kept nothing", "对没有保存任何值的反向图做两次反向传播"),
            program="""
                s = (a * 2).sum()
                s.backward()
                s.backward()
                answer = a.grad.tolist()
            """,
            why=Text(
                "Nothing was kept, so nothing was freed: the second pass is right. Where something was kept, all three refuse.",
                "没有保存任何值，也就没有释放任何值：第二次是正确的。若保存过值，三个框架都会拒绝。",
            ),
        ),
        difference(
            key="grad-then-backward",
            kind=Kind.STRICTER,
            title=Text(
                "`paddle.grad`, and then backward through the same graph",
                "先 `paddle.grad`，再对同一个反向图做反向传播",
            ),
            program="""
                b = (a * a).sum()
                paddle.grad(b, a)
                loss = b
            """,
            torch="""
                b = (a * a).sum()
                torch.autograd.grad(b, a)
                loss = b
            """,
            why=Text(
                "`paddle.grad` frees what the graph has kept unless `retain_graph` is set, as Paddle's documentation has it, too. "
                "Paddle itself works on a copy of the graph, and frees nothing.",
                "除非要求保留，`paddle.grad` 会释放反向图保存的值，Paddle 的文档也是这样写的。Paddle 实际上在反向图的副本上运行，什么也没有释放。",
            ),
            fixed="""
                b = (a * a).sum()
                paddle.grad(b, a, retain_graph=True)
                loss = b
            """,
        ),
        difference(
            key="out-with-gradient",
            kind=Kind.ACCEPTED,
            title=Text("`out=` on tensors that need a gradient", "对需要梯度的张量使用 `out=`"),
            program="""
                b = a * 2
                paddle.add(b, b, out=b)
                loss = b.sum()
            """,
            torch="""
                b = a * 2
                torch.add(b, b, out=b)
                loss = b.sum()
            """,
            why=Text(
                "An in-place operation by another name, as in Paddle. PyTorch refuses `out=` wherever a gradient is needed.",
                "与 Paddle 相同，它是原地操作的另一种写法。PyTorch 在需要梯度时一律拒绝 `out=`。",
            ),
        ),
        difference(
            key="normalized-with-a-frozen-weight",
            kind=Kind.RIGHT,
            title=Text("`layer_norm` with a weight that needs no gradient", "`layer_norm` 的权重不需要梯度"),
            program="""
                b = a.reshape([1, 4])
                w = paddle.to_tensor([1., 2., 3., 4.], dtype="float64")
                loss = paddle.nn.functional.layer_norm(b, [4], w).square().sum()
            """,
            torch="""
                b = a.reshape([1, 4])
                w = torch.tensor([1., 2., 3., 4.], dtype=torch.float64)
                loss = torch.nn.functional.layer_norm(b, [4], w).square().sum()
            """,
            why=Text(
                "On the CPU, Paddle computes the gradient of the input as if the weight were all ones, unless the weight itself needs a "
                "gradient. The result of the operation is right.",
                "在 CPU 上，只要权重本身不需要梯度，Paddle 计算输入的梯度时就把权重当作全一。操作的结果是对的。",
            ),
        ),
    ),
)
