"""What a watch finds out about PyTorch programs of many files: the calls that led to each line, the names of operands, and iterations of loops."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
import textwrap
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from inplacelab.language import speak

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.diagnosis.document import SCHEMA_FILE, Names, to_annotations, to_json  # noqa: E402
from inplacelab.diagnosis.findings import Finding, Report, completed  # noqa: E402
from inplacelab.diagnosis.places import DEEPEST  # noqa: E402
from inplacelab.diagnosis.report import report  # noqa: E402
from inplacelab.frameworks.torch.watch import TorchWatch  # noqa: E402  # it imports PyTorch
from inplacelab.recorders.own_code import OWNS  # noqa: E402
from inplacelab.recording.facts import SiteFacts, Sites  # noqa: E402
from inplacelab.recording.sentences.failures import Mark, marks  # noqa: E402
from tests.recorders.torch_runs import needs_saved  # noqa: E402

pytestmark = [pytest.mark.oracle, needs_saved]
Program = Callable[[Mapping[str, str]], Finding]

GAN = {
    "models.py": """\
        from torch import nn
        class GAN:
            def __init__(self):
                self.g = nn.Linear(2, 3)
                self.d = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
            def score(self, x):
                return self.d(x).mean()
        """,
    "losses.py": """\
        def d_loss(gan, real, fake):
            return gan.score(fake) - gan.score(real)
        def g_loss(gan, fake):
            return -gan.score(fake)
        """,
    "main.py": """\
        import torch
        from models import GAN
        from losses import d_loss, g_loss
        def step(optim, loss):
            optim.zero_grad()
            loss.backward(retain_graph=True)
            optim.step()
        def main():
            gan = GAN()
            opt_g, opt_d = (torch.optim.SGD(each.parameters(), 0.1) for each in (gan.g, gan.d))
            for epoch in range(2):
                fake = gan.g(torch.rand(5, 2))
                loss_d = d_loss(gan, torch.rand(5, 3), fake)
                loss_g = g_loss(gan, fake)
                step(opt_d, loss_d)
                step(opt_g, loss_g)
        main()
        """,
}
AGENT = {
    "model.py": """\
        import torch
        class Critic(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.q = torch.nn.Linear(5, 1)
            def forward(self, states, actions):
                return self.q(torch.cat([states, actions], 1))
        """,
    "utils.py": """\
        def update(optim, loss):
            optim.zero_grad()
            loss.backward()
            optim.step()
        """,
    "agent.py": """\
        import torch
        from model import Critic
        from utils import update
        class Agent:
            def __init__(self):
                self.critic, self.policy = Critic(), torch.nn.Linear(3, 2)
                self.q_optim = torch.optim.SGD(self.critic.parameters(), 0.1)
                self.policy_optim = torch.optim.SGD(self.policy.parameters(), 0.1)
            def critic_loss(self, batch):
                return self.critic(*batch).square().mean()
            def policy_loss(self, batch):
                return -self.critic(batch[0], self.policy(batch[0])).mean()
            def learn(self, batch):
                q_loss = self.critic_loss(batch)
                policy_loss = self.policy_loss(batch)
                update(self.q_optim, q_loss)
                update(self.policy_optim, policy_loss)
            def episode(self):
                self.learn((torch.rand(4, 3), torch.rand(4, 2)))
            def run(self):
                self.episode()
        """,
    "main.py": """\
        from agent import Agent
        def main():
            Agent().run()
        main()
        """,
}
U_NET = {
    "unet/__init__.py": "",
    "unet/parts.py": """\
        from torch import nn
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1), nn.ReLU())
            def forward(self, x):
                return self.block(x)
        class Up(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = Block()
            def forward(self, x, skip):
                x = self.conv(x)
                x += skip
                return x
        """,
    "unet/model.py": """\
        from torch import nn
        from .parts import Block, Up
        class UNet(nn.Module):
            def __init__(self):
                super().__init__()
                self.downs, self.ups = nn.ModuleList([Block(), Block()]), nn.ModuleList([Up(), Up()])
            def forward(self, x):
                skips = []
                for down in self.downs:
                    skips.append(x := down(x))
                for up in self.ups:
                    x = up(x, skips.pop())
                return x
        """,
    "main.py": """\
        import torch
        from unet.model import UNet
        net = UNet()
        net(torch.rand(1, 2, 4, 4)).sum().backward()
        """,
}
BLOCKS = {
    "main.py": """\
        import torch
        from torch import nn
        class Dense(nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = nn.Linear(4, 4)
            def forward(self, x):
                return self.lin(x).relu()
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.b, self.c = Dense(), Dense(), Dense()
            def forward(self, x):
                p = self.a(x)
                q = self.b(p)
                r = self.c(q)
                q += r
                return q
        Net()(torch.rand(2, 4)).sum().backward()
        """
}
RNN = {
    "cell.py": """\
        import torch
        class Cell(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.lin = torch.nn.Linear(3, 3)
            def forward(self, h):
                return self.lin(h).tanh()
        """,
    "main.py": """\
        import torch
        from cell import Cell
        def unroll(cell, h):
            for t in range(4):
                h[t + 1] = cell(h[t])
                if t > 1:
                    h[t - 1] *= 2
            return h.sum()
        unroll(Cell(), torch.zeros(5, 3)).backward()
        """,
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Runs the files of a program under a watch, and returns its last failure."""

    def run(files: Mapping[str, str]) -> Finding:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(textwrap.dedent(text), encoding="utf-8")
        before = {*sys.modules}
        watch = TorchWatch()
        torch.manual_seed(0)
        watch.begin()
        with suppress(RuntimeError):
            runpy.run_path(str(tmp_path / "main.py"), run_name="__main__")
        watch.end()
        for name in {*sys.modules} - before:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
                del sys.modules[name]
        return watch.failures[-1]

    monkeypatch.setitem(OWNS, __file__, False)  # this file is no part of the programs
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return run


def where(sites: Sites) -> list[str]:
    def one(site: SiteFacts) -> str:
        loops = ", ".join(f"{each.name or 'count'} = {each.value}" for each in site.loops)
        return f"{Path(site.file).name}:{site.line}" + (f" ({loops})" if loops else "")

    return [one(each) for each in sites]


CHAINS = {
    "GAN": (
        GAN,
        ["models.py:7", "losses.py:4", "main.py:14 (epoch = 0)", "main.py:17"],
        ["main.py:7", "main.py:15 (epoch = 0)", "main.py:17"],
        ["main.py:6", "main.py:16 (epoch = 0)", "main.py:17"],
    ),
    "agent": (
        AGENT,
        ["model.py:7", "agent.py:12", "agent.py:15", "agent.py:19", "agent.py:21", "main.py:3", "main.py:4"],
        ["utils.py:4", "agent.py:16", "agent.py:19", "agent.py:21", "main.py:3", "main.py:4"],
        ["utils.py:3", "agent.py:17", "agent.py:19", "agent.py:21", "main.py:3", "main.py:4"],
    ),
    "U-Net": (
        U_NET,
        ["parts.py:7", "parts.py:13", "model.py:12", "main.py:4"],
        ["parts.py:14", "model.py:12", "main.py:4"],
        ["main.py:4"],
    ),
    "recurrent": (
        RNN,
        ["cell.py:7", "main.py:5 (t = 3)", "main.py:9"],
        ["main.py:5 (t = 3)", "main.py:9"],
        ["main.py:9"],
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_every_place_has_the_calls_that_led_there(name: str, run: Program) -> None:
    files, *expected = CHAINS[name]
    found = run(files).facts
    assert [where(found.values[0].sites), where(found.values[0].writes[0].sites), where(found.needed)] == expected


NAMES = {
    "GAN": (GAN, "a view of `gan.d.2.weight`, its operand", ""),
    "agent": (AGENT, "a view of `self.critic.q.weight`, its operand", ""),
    "U-Net": (U_NET, "keeps its result", "the result is `x`"),
    "blocks": (BLOCKS, "`x`, its operand", "the operand is `q`"),
    "recurrent": (RNN, "`h`, its operand", ""),
}


@pytest.mark.parametrize("name", NAMES)
def test_operands_have_the_names_that_the_reader_gives_them(name: str, run: Program) -> None:
    files, expected, by_caller = NAMES[name]
    kept = marked(run(files), "kept")
    assert expected in kept.says.en
    assert "mat1" not in kept.says.en
    assert "mat2" not in kept.says.en
    assert kept.calls.en.partition("; ")[2] == by_caller


def marked(found: Finding, role: str) -> Mark:
    return next(each for each in marks(found.facts) if each.role == role)


def test_a_short_chain_is_shown_whole_and_of_a_long_one_what_tells_it_from_others(run: Program) -> None:
    found = run(BLOCKS)
    assert marked(found, "kept").calls.en == (
        "called from line 16, `r = self.c(q)` ← line 19, `Net()(torch.rand(2, 4)).sum().backward()`; the operand is `q`"
    )
    assert marked(found, "overwritten").calls.zh == "调用处：第 19 行 `Net()(torch.rand(2, 4)).sum().backward()`"
    assert marked(found, "needed").calls.en == ""
    found = run(AGENT)
    assert [marked(found, role).calls.en for role in ("kept", "overwritten", "needed")] == [
        "called from agent.py:12, `return -self.critic(batch[0], self.policy(batch[0])).mean()` ← agent.py:15, "
        "`policy_loss = self.policy_loss(batch)` ← … ← main.py:4, `main()`",
        "called from agent.py:16, `update(self.q_optim, q_loss)` ← … ← main.py:4, `main()`",
        "called from agent.py:17, `update(self.policy_optim, policy_loss)` ← … ← main.py:4, `main()`",
    ]
    for language in ("en", "zh"):
        with speak(language):
            assert len(report(completed(found)).splitlines()) < 20


def test_a_recursion_is_a_short_chain(run: Program) -> None:
    found = run(
        {
            "main.py": """\
        import torch
        def deep(n, x):
            if n:
                return deep(n - 1, x)
            return x.sigmoid()
        def main():
            h = deep(100, torch.ones(3, requires_grad=True))
            h.mul_(2)
            h.sum().backward()
        main()
        """
        }
    )
    assert marked(found, "kept").calls.en == (
        "called from line 4, `return deep(n - 1, x)` ← … ← line 7, `h = deep(100, torch.ones(3, requires_grad=True))` ← line 10, `main()`"
    )
    assert len(found.facts.values[0].sites) == DEEPEST


def test_a_comprehension_is_no_call(run: Program) -> None:
    found = run(
        {
            "main.py": """\
        import torch
        def main(hs):
            ys = [h.exp() for h in hs]
            ys[1] += 1
            sum(y.sum() for y in ys).backward()
        main([torch.ones(3, requires_grad=True) for _ in range(2)])
        """
        }
    )
    kept = marked(found, "kept")
    assert (kept.line, kept.calls.en) == (
        3,
        "called from line 6, `main([torch.ones(3, requires_grad=True) for _ in range(2)])`",
    )
    assert kept.says.en.endswith("at version 0, in `main`")


# --- iterations --------------------------------------------------------------------------------------------------------

ITERATIONS = {
    "the variable of a loop": (
        """\
        for i in range(4):
            h[i].add_(w * h[i - 1])
        """,
        ("kept for i = 3:", "other elements of its storage written for i = 3 by"),
    ),
    "other iterations": (
        """\
        for i in range(4):
            for key in ("a", "b"):
                if i == 1:
                    y = (w * h[0]).sum()
                if (i, key) == (2, "b"):
                    h[0].mul_(2)
        """,
        ("kept for i = 1, key = 'b':", "overwritten for i = 2, key = 'b' by"),
    ),
    "several iterations": (
        """\
        y = 0
        for i in range(4):
            if i:
                h.mul_(2)
            else:
                y = (h * w).sum()
        """,
        ("kept for i = 0:", "overwritten for i = 1 to i = 3 by"),
    ),
    "no simple variable": (
        """\
        for each in [w, w, w]:
            h.add_(each * h)
        """,
        ("kept (the 3rd time that this ran):", "overwritten (the 3rd time that this ran) by"),
    ),
    "while": (
        """\
        k = 0
        while k < 3:
            h.add_(w * h)
            k += 1
        """,
        ("kept for k = 2:", "overwritten for k = 2 by"),
    ),
    "while without a variable": (
        """\
        while h.max() < 4:
            h.add_(w * h + 1)
        """,
        ("kept (the 3rd time that this ran):", "overwritten (the 3rd time that this ran) by"),
    ),
    "a comprehension": (
        """\
        [h.add_(w * h) for n in range(3)]
        """,
        ("kept for n = 2:", "overwritten for n = 2 by"),
    ),
    "not in the loop": (
        """\
        for i in [1]:
            pass
        else:
            y = (w * h).sum()
            h.mul_(2)
        """,
        ("kept:", "overwritten by"),
    ),
    "one iteration of different lines": (
        """\
        for i in range(3):
            y = (w * h).sum()
            h.mul_(2)
        """,
        ("kept:", "overwritten by"),
    ),
    "a value that is no simple one": (
        """\
        for i in (10 ** 30, 1.5, None):
            h.add_(w * h)
        """,
        ("kept (the 3rd time that this ran):", "overwritten (the 3rd time that this ran) by"),
    ),
}


@pytest.mark.parametrize("inside", [False, True], ids=["module", "function"])
@pytest.mark.parametrize("name", ITERATIONS)
def test_iterations(name: str, inside: bool, run: Program) -> None:
    text, expected = ITERATIONS[name]
    begin = "w = torch.ones(3, requires_grad=True)\nh = torch.zeros(4, 3)\ny = 0\n"
    text = begin + textwrap.dedent(text) + "(y + h.sum()).backward()\n"
    if inside:
        text = f"def main():\n{textwrap.indent(text, '    ')}\nmain()\n"
    found = run({"main.py": f"import torch\n{text}"})
    for role, said in zip(("kept", "overwritten"), expected, strict=True):
        assert marked(found, role).says.en.startswith(said)


def test_to_read_the_variables_of_loops_has_no_effect(run: Program) -> None:
    """Before Python 3.13, the dictionary that `locals()` returns is the one in which a frame's names are read."""
    found = run(
        {
            "main.py": """\
        import torch, weakref
        def main():
            names = locals()
            w = torch.ones(3, requires_grad=True)
            for i in range(3):
                h = w * i
            assert "w" not in names and names == {}, names
            h = w.exp()
            gone = []
            for i in range(2):
                x = h * 1
                gone.append(weakref.ref(x))
                del x
            assert [each() for each in gone] == [None, None]
            h.mul_(2)
            h.sum().backward()
        main()
        """
        }
    )
    assert found.facts.needed[0].line == 16


# --- files that are not as one expects -----------------------------------------------------------------------------------

KEEPS = "def forward(x):\n    h = x.exp()\n    h.mul_(2)\n    return h\n"
BEGIN = "import torch\nfrom pathlib import Path\nfrom model import forward\nmodel = Path('model.py')\n"
NEEDS = "w = torch.ones(3, requires_grad=True)\ny = forward(w).sum()\n"


def said_of(found: Finding, language: str = "en") -> list[str]:
    with speak(language):
        return [each.strip() for each in report(completed(found)).splitlines()]


CHANGES = {
    "after its code ran": (
        NEEDS + "model.write_text('# new\\n# lines\\n' + model.read_text())\ny.backward()\n",
        ["2 |     h = x.exp()", "3 |     h.mul_(2)"],
        "`model.py` has changed since its code ran. The lines above are those that ran; the file is not edited.",
        "`model.py` 在代码运行之后被修改过。以上是运行时的行；不修改该文件。",
    ),
    "after it was imported": (
        "model.write_text('# new\\n# lines\\n' + model.read_text())\n" + NEEDS + "y.backward()\n",
        ["2 | (its text is not known)", "3 | (its text is not known)"],
        "`model.py` was changed after it was imported: its text does not fit the code that ran, so it is not shown, and not edited.",
        "`model.py` 在导入之后被修改过：它的内容与运行的代码不符，因此没有显示，也不修改它。",
    ),
    "removed": (
        NEEDS + "model.unlink()\ny.backward()\n",
        ["2 |     h = x.exp()", "3 |     h.mul_(2)"],
        "`{}model.py` cannot be read any more. The lines above are those that ran.",
        "`{}model.py` 已经无法读取。以上是运行时的行。",
    ),
    "no longer UTF-8": (
        "model.write_bytes(b'# \\xff\\n' * 9)\n" + NEEDS + "y.backward()\n",
        ["2 | (its text is not known)", "3 | (its text is not known)"],
        "`model.py` cannot be read as a Python program: its bytes are not in the encoding that it declares (UTF-8 if none). "
        "So only the numbers of its lines are known.",
        "`model.py` 无法作为 Python 程序读取：它的字节不符合声明的编码（没有声明时为 UTF-8）。因此只知道行号。",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_file_that_has_changed_is_said_and_not_edited(name: str, run: Program, tmp_path: Path) -> None:
    text, lines, *remarks = CHANGES[name]
    found = run({"model.py": KEEPS, "main.py": f"{BEGIN}{text}"})
    said = said_of(found)
    assert [each for each in said if "|" in each and each[0] in "23"] == lines
    prefix = f"{tmp_path}/" if "{}" in remarks[0] else ""
    for language, remark in zip(("en", "zh"), remarks, strict=True):
        assert remark.format(prefix) in said_of(found, language)
    assert not any(each.edits for each in completed(found).fixes)


def test_code_without_a_file_is_said(run: Program) -> None:
    text = f"import torch\nnames = {{}}\nexec(compile({KEEPS!r}, FILE, 'exec'), names)\nforward = names['forward']\n{NEEDS}y.backward()\n"
    found = run({"main.py": text.replace("FILE", "'<string>'")})
    assert [(each.line, each.says.en.endswith("in code without a file (forward of <string>)")) for each in marks(found.facts)] == [
        (6, True), (6, True), (7, False),
    ]  # fmt: skip
    found = run({"main.py": text.replace("FILE", "'/nowhere/made.py'")})
    said = said_of(found)
    assert [each for each in said if "|" in each and each[0] in "23"] == [
        "2 | (its text is not known)",
        "3 | (its text is not known)",
    ]
    assert (
        "`/nowhere/made.py` does not exist: its code was generated, so only the numbers of its lines are known." in said
    )


@pytest.mark.parametrize("declared", ["latin-1", "utf-8"])
def test_columns_are_those_of_the_encoding(declared: str, run: Program, tmp_path: Path) -> None:
    text = f"# -*- coding: {declared} -*-\ndef forward(x):\n    é = x.exp(); s = 'éé'; é.mul_(2)\n    return é\n"
    (tmp_path / "model.py").write_bytes(text.encode(declared))
    said = said_of(run({"main.py": f"import torch\nfrom model import forward\n{NEEDS}y.backward()\n"}))
    begin = next(k for k, each in enumerate(said) if each.startswith("3 |"))
    assert said[begin] == "3 |     é = x.exp(); s = 'éé'; é.mul_(2)"
    assert said[begin + 2].startswith("|" + " " * 28 + "~~~~~~~~~ overwritten")


def test_a_long_file(run: Program) -> None:
    found = run(
        {
            "model.py": "x = 1\n" * 20_000 + KEEPS,
            "main.py": f"import torch\nfrom model import forward\n{NEEDS}y.backward()\n",
        }
    )
    said = said_of(found)
    assert "20002 |     h = x.exp()" in said
    assert completed(found).fixes[0].edits[0].line == 20_002


def test_one_file_under_two_names(run: Program, tmp_path: Path) -> None:
    (tmp_path / "alias.py").symlink_to("model.py")
    files = {
        "model.py": "def keep(x):\n    return x.exp()\ndef write(x):\n    x.mul_(2)\n",
        "main.py": "import torch, model, alias\nh = model.keep(torch.ones(3, requires_grad=True))\nalias.write(h)\nh.sum().backward()\n",
    }
    said = said_of(run(files))
    assert [each for each in said if each.endswith(".py") or (each[:1].isdigit() and "|" in each)] == [
        "model.py", "2 |     return x.exp()", "4 |     x.mul_(2)", "main.py", "4 | h.sum().backward()",
    ]  # fmt: skip
    assert "`alias.py` is the same file as `model.py`." in said


def test_a_program_that_imports_itself(run: Program) -> None:
    text = """\
        import torch
        def keep(x):
            return x.exp()
        if __name__ == "__main__":
            import main
            h = main.keep(torch.ones(3, requires_grad=True))
            h.mul_(2)
            h.sum().backward()
        """
    said = said_of(run({"main.py": text}))
    assert said.count("main.py") == 1
    assert "|            called from line 6, `h = main.keep(torch.ones(3, requires_grad=True))`" in said


@pytest.mark.parametrize(("files", "line"), [(GAN, "line 15"), (AGENT, "line 16 of `agent.py`")], ids=["GAN", "agent"])
def test_advice_names_the_call_that_tells_an_update_from_others(
    files: Mapping[str, str], line: str, run: Program
) -> None:
    found = completed(run(files))
    said = found.fixes[0].says.en
    assert said.endswith("from the new values")
    assert f"after {line}" in said


def test_an_edit_names_the_file_of_a_package(run: Program, tmp_path: Path) -> None:
    fix = completed(run(U_NET)).fixes[0]
    assert fix.says.en.startswith("in line 14 of `unet/parts.py` write `x = x + skip`")
    assert {Path(each.file).relative_to(tmp_path) for each in fix.edits} <= {Path("unet/parts.py")}


def test_a_view_names_the_file_and_the_line_that_made_it(run: Program) -> None:
    found = run({
        "halves.py": "# a\n# b\ndef halves(t):\n    return t[:, :2], t[:, 2:]\n",
        "main.py": """\
            import torch
            from halves import halves
            head = torch.nn.Linear(2, 2)
            h = torch.nn.Linear(4, 4)(torch.rand(3, 4))
            a, b = halves(h)
            out = head(a)
            total = h[:, 2:].sum()
            b += out
            (h.square().sum() + total).backward()
            """,
    })  # fmt: skip
    assert "through a view of `h` (`t[:, 2:]`, line 4 of `halves.py`)" in marked(found, "overwritten").says.en


# --- other forms of the report -------------------------------------------------------------------------------------------


def test_the_document_has_the_whole_chain(run: Program, tmp_path: Path) -> None:
    found = run(AGENT)
    told = Report(tmp_path / "main.py", 1, "torch", findings=[found])
    names = Names(tmp_path, tmp_path)
    document = json.loads(to_json(told, names))
    Draft202012Validator(json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))).validate(document)
    kept, *_ = document["failures"][0]["places"]
    assert [(each["file"], each["line"], each["function"]) for each in kept["called_from"]] == [
        ("agent.py", 12, "Agent.policy_loss"), ("agent.py", 15, "Agent.learn"), ("agent.py", 19, "Agent.episode"),
        ("agent.py", 21, "Agent.run"), ("main.py", 3, "main"), ("main.py", 4, ""),
    ]  # fmt: skip
    assert kept["calls"] == marked(found, "kept").calls.en
    annotated = to_annotations(told, names).decode()
    assert kept["calls"] in annotated


def test_the_document_has_iterations_and_the_name_that_the_caller_gives(run: Program, tmp_path: Path) -> None:
    document = json.loads(
        to_json(Report(tmp_path / "main.py", 1, findings=[run(RNN), run(BLOCKS)]), Names(tmp_path, tmp_path))
    )
    recurrent, blocks = (next(each for each in one["places"] if each["role"] == "kept") for one in document["failures"])
    assert recurrent["called_from"][0]["loops"] == [{"line": 4, "variable": "t", "value": "3"}]
    assert (recurrent["tensor"], recurrent["tensor_of_caller"]) == (["h"], None)
    assert (blocks["tensor"], blocks["tensor_of_caller"], blocks["loops"]) == (["x"], "q", [])


def test_no_fix_is_written_to_a_file_that_has_changed(tmp_path: Path) -> None:
    text = BEGIN + NEEDS + "model.write_text('# a line\\n' + model.read_text())\ny.backward()\n"
    (tmp_path / "model.py").write_text(KEEPS, encoding="utf-8")
    (tmp_path / "main.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "inplacelab", "explain", "--fix", "main.py"]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=given)
    assert "No fix was tried: the text of model.py is not that which ran." in ran.stderr
    assert (tmp_path / "model.py").read_text(encoding="utf-8") == f"# a line\n{KEEPS}"
