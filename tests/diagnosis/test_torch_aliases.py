"""What is read under one name after it was written under another: programs that are wrong without an error, and healthy ones."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import pytest

from inplacelab.language import speak

pytest.importorskip("torch")

from jsonschema import Draft202012Validator

import inplacelab
from inplacelab.diagnosis.document import SCHEMA_FILE
from inplacelab.diagnosis.report import report_of_aliases
from inplacelab.recorders.own_code import program_is
from inplacelab.recording.facts import AliasFacts

BEGIN = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\ntorch.manual_seed(0)\n"
FIRST = BEGIN.count("\n") + 1


def found_in(text: str, folder: Path) -> Sequence[AliasFacts]:
    """Runs a program, and returns what was collected."""
    file = folder / "program.py"
    file.write_text(BEGIN + textwrap.dedent(text))
    watching = inplacelab.explain(aliases=True)
    code = compile(file.read_text(), str(file), "exec")
    with watching:
        program_is(file)
        exec(code, {"__name__": "__main__"})
    assert not watching.remarks
    assert watching.aliases is not None
    return watching.aliases


SILENT = {
    "an in-place ReLU in a branch": ("""\
        class Res(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(4, 4))
            def forward(self, x):
                return x + self.body(x)
        nn.Sequential(nn.Linear(4, 4), Res())(torch.randn(2, 4)).sum().backward()
        """, "library", "x", 6, 6),
    "an in-place ReLU whose result has another name": ("""\
        def block(x, relu, lin):
            out = relu(x)
            out = lin(out)
            return out + x
        block(nn.Linear(4, 4)(torch.randn(2, 4)), nn.ReLU(inplace=True), nn.Linear(4, 4)).sum().backward()
        """, "library", "x", 2, 4),
    "a buffer in a list": ("""\
        frame, history = torch.zeros(4), []
        for t in range(3):
            frame.copy_(torch.rand(4))
            history.append(frame)
        batch = torch.stack(history)
        """, "container", "history[0]", 3, 5),
    "memory that NumPy has": ("""\
        w = torch.ones(3, requires_grad=True)
        h = (w * w).exp()
        array = h.detach().numpy()
        array[:] = 0
        h.sum().backward()
        """, "array", "h", 4, 5),
    "memory of NumPy": ("""\
        import numpy as np
        seen, batch = np.zeros(3, dtype=np.float32), []
        for t in range(3):
            seen += 1
            batch.append(torch.from_numpy(seen))
        x = torch.stack(batch)
        """, "array", "batch[0]", 4, 6),
    "an earlier state": ("""\
        h = torch.zeros(4)
        for t in range(3):
            before = h
            h.mul_(0.5).add_(torch.rand(4))
            delta = (h - before).abs().sum()
        """, "name", "before", 4, 5),
    "a gradient as velocity": ("""\
        w, velocity = torch.ones(3, requires_grad=True), None
        for t in range(3):
            if w.grad is not None:
                w.grad.zero_()
            (w * w).sum().backward()
            if velocity is None:
                velocity = w.grad
            else:
                velocity.mul_(0.9).add_(w.grad)
        """, "name", "velocity", 4, 9),
    "the best weights": ("""\
        net = nn.Linear(3, 1)
        opt = torch.optim.SGD(net.parameters(), 0.5)
        best = net.state_dict()
        net(torch.rand(2, 3)).sum().backward()
        opt.step()
        net.load_state_dict(best)
        """, "container", "best['weight']", 5, 6),
    "a row that is scaled": ("""\
        batch = torch.rand(4, 3)
        first = batch[0]
        first.mul_(255.0)
        loss = nn.Linear(3, 1)(batch).sum()
        """, "name", "batch", 3, 4),
    "a function of the program": ("""\
        def act(t):
            return t.clamp_(min=0)
        def forward(h, w):
            y = act(h)
            return y @ w + h
        forward(torch.randn(3, 3), torch.randn(3, 3))
        """, "library", "h", 2, 5),
}  # fmt: skip


@pytest.mark.parametrize("name", SILENT)
def test_silent_aliasing_is_listed(name: str, tmp_path: Path) -> None:
    text, kind, label, wrote, read = SILENT[name]
    found = found_in(text, tmp_path)
    assert [(each.kind, each.name) for each in found] == [(kind, label)]
    lines = found[0].written[0].line - FIRST + 1, found[0].read[0].line - FIRST + 1
    assert lines == (wrote, read)
    for language in ("en", "zh"):
        with speak(language):
            assert f"`{label}`" in report_of_aliases(found)


HEALTHY = {
    "batch norm and Adam": """\
        net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(inplace=True), nn.Linear(4, 2))
        opt = torch.optim.Adam(net.parameters())
        for _ in range(3):
            loss = net(torch.randn(5, 4)).square().mean()
            opt.zero_grad(); loss.backward(); opt.step()
        """,
    "residual blocks": """\
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.two, self.relu = nn.Linear(4, 4), nn.Linear(4, 4), nn.ReLU(inplace=True)
            def forward(self, x):
                identity = x
                out = self.one(x)
                out = self.relu(out)
                out = self.two(out)
                out += identity
                return self.relu(out)
        net = nn.Sequential(Block(), Block(), Block())
        for _ in range(2):
            net(torch.randn(2, 4)).sum().backward()
        """,
    "blocks that return what they wrote under one name": """\
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin, self.relu = nn.Linear(4, 4), nn.ReLU(inplace=True)
            def forward(self, x):
                x = x + self.lin(x)
                return self.relu(x)
        net = nn.Sequential(Block(), Block(), Block())
        for _ in range(2):
            net(torch.randn(2, 4)).sum().backward()
        """,
    "a running mean": """\
        class Norm(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("mean", torch.zeros(4))
            def forward(self, x):
                with torch.no_grad():
                    self.mean.mul_(0.9).add_(0.1 * x.mean(0))
                return x - self.mean
        norm = Norm()
        for _ in range(3):
            norm(torch.rand(2, 4, requires_grad=True)).sum().backward()
        """,
    "a cache": """\
        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.q, self.k, self.cache = nn.Linear(4, 4), nn.Linear(4, 4), torch.zeros(8, 4)
            def forward(self, x, t):
                cache = self.cache
                cache[t] = self.k(x).detach()
                return self.q(x) @ self.cache[: t + 1].T
        attention = Attention()
        for t in range(4):
            attention(torch.randn(4), t).sum().backward()
        """,
    "momentum by hand": """\
        w, b = torch.ones(3, requires_grad=True), torch.zeros(1, requires_grad=True)
        params = [w, b]
        velocities = [torch.zeros_like(p) for p in params]
        for _ in range(3):
            ((w * torch.rand(3)).sum() + b).square().sum().backward()
            with torch.no_grad():
                for p, v in zip(params, velocities):
                    g = p.grad
                    v.mul_(0.9).add_(g)
                    p -= 0.1 * v
                    p.grad.zero_()
            norm = velocities[0].norm()
        """,
    "EMA": """\
        net = nn.Linear(3, 3)
        opt = torch.optim.SGD(net.parameters(), 0.1)
        shadow = {n: p.detach().clone() for n, p in net.named_parameters()}
        for _ in range(3):
            net(torch.rand(2, 3)).sum().backward()
            opt.step()
            for n, p in net.named_parameters():
                shadow[n].mul_(0.9).add_(p.detach(), alpha=0.1)
        total = sum(s.norm() for s in shadow.values())
        """,
    "sums under one name": """\
        w, total = torch.ones(4, requires_grad=True), torch.zeros(4)
        for x in torch.rand(3, 4):
            total += (x * w).detach()
        mean = total / 3
        (w * mean).sum().backward()
        """,
    "gates of an LSTM": """\
        lin, h, c = nn.Linear(6, 16), torch.zeros(2, 4), torch.zeros(2, 4)
        for x in torch.rand(3, 2, 2):
            i, f, g, o = lin(torch.cat([x, h], 1)).detach().chunk(4, 1)
            i.sigmoid_(); f.sigmoid_(); g.tanh_(); o.sigmoid_()
            c = f * c + i * g
            h = o * c.tanh()
        """,
    "arrays that are only read, or filled at once": """\
        lin, log = nn.Linear(3, 2), []
        for _ in range(3):
            y = lin(torch.rand(4, 3))
            log.append(y.detach().numpy().mean())
            y.sum().backward()
            a = torch.zeros(3)
            a.numpy()[:] = 1
            total = a.sum()
        """,
}  # fmt: skip


@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_listed_of_a_healthy_program(name: str, tmp_path: Path) -> None:
    assert not found_in(HEALTHY[name], tmp_path)


def test_nothing_is_collected_unless_asked_for() -> None:
    with inplacelab.explain() as watching:
        pass
    assert watching.aliases is None


def test_the_least_likely_meant_comes_first(tmp_path: Path) -> None:
    both = SILENT["a gradient as velocity"][0], SILENT["a buffer in a list"][0]
    found = found_in("".join(map(textwrap.dedent, both)), tmp_path)
    assert [each.name for each in found] == ["history[0]", "velocity"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_says_it_and_writes_it(tmp_path: Path, language: str) -> None:
    script = tmp_path / "program.py"
    script.write_text(BEGIN + textwrap.dedent(SILENT["an in-place ReLU in a branch"][0]))
    command = [
        sys.executable,
        "-m",
        "inplacelab",
        "explain",
        "--aliases",
        "--lang",
        language,
        "-o",
        "out.json",
        script.name,
    ]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True).stderr
    assert "return x + self.body(x)" in said
    assert "x.clone()" in said
    document = json.loads((tmp_path / "out.json").read_text("utf-8"))
    Draft202012Validator(json.loads(SCHEMA_FILE.read_text("utf-8"))).validate(document)
    (alias,) = document["aliases"]
    assert (alias["kind"], alias["name"], alias["written_through"]) == ("library", "x", "self.body(x)")
    assert [(each["role"], each["line"]) for each in alias["places"]] == [("overwritten", 10), ("read", 10)]
