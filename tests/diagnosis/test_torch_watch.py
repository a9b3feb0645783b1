"""What a watch finds out about PyTorch programs whose backward fails, beside what anomaly mode says."""

from __future__ import annotations

import _thread
import gc
import multiprocessing
import os
import re
import shlex
import subprocess
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inplacelab.language import LANGUAGES, speak

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

import inplacelab  # noqa: E402
from inplacelab.diagnosis.findings import Finding, completed  # noqa: E402
from inplacelab.diagnosis.report import report  # noqa: E402
from inplacelab.diagnosis.watch_log import WRITES, StorageLog  # noqa: E402
from inplacelab.frameworks.torch.readings import SHOWS_SAVED  # noqa: E402
from inplacelab.frameworks.torch.watch import FAILURES, TorchWatch  # noqa: E402  # it imports PyTorch
from tests.diagnosis.anomaly_judge import Judge  # noqa: E402
from tests.recorders.torch_programs import program  # noqa: E402
from tests.recorders.torch_runs import needs_saved  # noqa: E402
from tests.tiers import examples  # noqa: E402

pytestmark = pytest.mark.oracle
FILE = "/programs/watched.py"


def watched(text: str, **names: Any) -> tuple[TorchWatch, BaseException | None]:
    """Runs a program under a watch."""
    watch, error = TorchWatch(), None
    code = compile(textwrap.dedent(text), FILE, "exec")
    watch.begin()
    try:
        exec(code, {"torch": torch, "__name__": "__main__", **names})
    except Exception as raised:  # noqa: BLE001  # whatever PyTorch raises
        error = raised
    finally:
        watch.end()
    return watch, error


def failure(text: str, **names: Any) -> Finding:
    watch, error = watched(text, **names)
    assert watch.failures, error
    return watch.failures[-1]


def lines(found: Finding, number: int = 0) -> tuple[int | None, list[int | None], int | None]:
    """The lines that kept, that overwrote, and that needed the value."""
    saved = found.facts.values[number]
    written = [each.sites[0].line if each.sites else None for each in saved.writes for _ in range(each.times)]
    kept = saved.sites[0].line if saved.sites else None
    return kept, written, found.facts.needed[0].line if found.facts.needed else None


@needs_saved
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("wide", [False, True], ids=["plain", "wide"])
@pytest.mark.parametrize("first", range(0, examples(1200), 300))
def test_random_programs_get_the_line_of_anomaly_mode_and_every_write(first: int, wide: bool) -> None:
    failing = certain = 0
    for seed in range(first, first + 300):
        text = program(seed, wide=wide)
        watch, error = watched(text)
        assert watch.remarks == [], (seed, watch.remarks)
        if "modified by an inplace" not in str(error):
            continue
        failing += 1
        found, judge = watch.failures[-1], Judge(text, FILE)
        assert judge.told is not None, seed
        assert not (false := judge.objects_to(found)), (seed, false, text)
        certain += found.facts.values[0].certain
        for each in found.facts.values:
            rises = sum(one.after - one.before for one in each.writes)
            assert rises + each.unseen == (each.found or 0) - (each.kept or 0), seed
    assert failing > 10
    assert certain >= 0.8 * failing  # the others are inside of a CopySlices, judged by versions and shape


def test_lines_of_functions_modules_and_views() -> None:
    found = failure("""\
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = torch.nn.Linear(3, 3)
            def forward(self, x):
                h = torch.sigmoid(self.inner(x))
                row = h[:, :2]
                row.mul_(2)
                return h
        net = Net()
        net(torch.ones(4, 3)).sum().backward()
        """)
    assert lines(found) == (6, [8], 11)
    saved = found.facts.values[0]
    if not SHOWS_SAVED:
        return
    assert (saved.node, saved.role == "result", saved.shape, saved.dtype) == (
        "SigmoidBackward0",
        True,
        (4, 3),
        "float32",
    )
    assert [site.line for site in saved.sites][:2] == [6, 11]
    assert saved.writes[0].made[0].line == 7


@needs_saved
def test_a_parameter_has_its_name() -> None:
    found = failure("""\
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        loss = net(torch.ones(3, 2)).sum()
        loss.backward(retain_graph=True)
        opt.step()
        loss.backward()
        """)
    assert (found.facts.values[0].names, found.facts.values[0].is_view) == (("net.1.weight",), True)
    assert lines(found) == (3, [5], 6)


@needs_saved
def test_many_writes_of_one_line_are_one_remark() -> None:
    found = failure("""\
        a = torch.ones(3, requires_grad=True)
        h = torch.exp(a)
        for k in range(200):
            h.add_(1)
        h.sum().backward()
        """)
    saved = found.facts.values[0]
    assert lines(found)[0] == 2
    assert (sum(each.times for each in saved.writes), saved.forgotten, saved.unseen) == (WRITES, 200 - WRITES, 0)
    assert f"→ 200; {WRITES} times in all" in report(completed(found))
    assert f"rose by {200 - WRITES} before that, in writes that were seen" in report(completed(found))


@needs_saved
def test_a_function_of_the_program() -> None:
    found = failure("""\
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, gradient):
                return 2 * gradient * ctx.saved_tensors[0]
        a = torch.ones(3, requires_grad=True)
        x = a * 2
        y = Square.apply(x)
        x.zero_()
        y.sum().backward()
        """)
    assert found.facts.values[0].node == "SquareBackward"
    assert lines(found) == (11, [12], 13)


@needs_saved
def test_a_second_pass() -> None:
    found = failure("""\
        a = torch.ones(3, requires_grad=True)
        loss = (a * a).sum()
        loss.backward()
        loss.backward()
        """)
    assert found.facts.kind == "again"
    assert (found.facts.released[0].line, lines(found)[0], lines(found)[2]) == (3, 2, 4)


def in_raw_thread(do: Callable[[], object]) -> None:
    """Runs something in a thread of which no watch knows."""
    done = _thread.allocate_lock()
    done.acquire()

    def run() -> None:
        do()
        done.release()

    _thread.start_new_thread(run, ())
    done.acquire()


@needs_saved
def test_writes_before_and_after_one_that_cannot_be_seen_are_named() -> None:
    found = failure(
        """\
        a = torch.ones(3, requires_grad=True)
        h = a.exp()
        h.add_(1)
        unseen(lambda: h.detach().add_(1))
        h.sub_(1)
        (h * h).sum().backward()
        """,
        unseen=in_raw_thread,
    )
    assert lines(found) == (2, [3, 5], 6)
    assert (found.facts.values[0].node, found.facts.values[0].certain, found.facts.values[0].unseen) == (
        "ExpBackward0",
        True,
        1,
    )
    assert "rose by 1 more" in report(completed(found))


@needs_saved
def test_a_write_through_data_is_not_taken_for_one_that_raised_the_version() -> None:
    found = failure(
        """\
        a = torch.ones(3, requires_grad=True)
        h = a.exp()
        h.data.add_(1)
        unseen(lambda: h.detach().add_(1))
        unseen(lambda: h.detach().add_(1))
        h.sum().backward()
        """,
        unseen=in_raw_thread,
    )
    assert lines(found) == (2, [], 6)
    assert found.facts.values[0].unseen == 2


@needs_saved
def test_threads_of_the_program_are_watched() -> None:
    found = failure(
        """\
        a = torch.ones(3, requires_grad=True)
        def other():
            global u
            k = a * 1
            u = k.exp()
        h = a.reciprocal()
        in_thread(other)
        in_thread(lambda: u.detach().add_(1))
        in_thread(lambda: h.detach().add_(1))
        h.add_(1)
        u.sum().backward()
        """,
        in_thread=in_thread,
    )
    # Nodes are numbered by thread: `h` has node 0, as `k` has.
    assert lines(found) == (5, [8], 11)
    assert (found.facts.values[0].node, found.facts.values[0].unseen) == ("ExpBackward0", 0)


def in_thread(do: Callable[[], object]) -> None:
    thread = threading.Thread(target=do)
    thread.start()
    thread.join()


DIRTY = """\
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 3
a = torch.ones(3, requires_grad=True)
t = a.reciprocal()
apply = Dirty.apply
apply(t)
t.sub_(1)
t.sum().backward()
"""


@needs_saved
def test_what_a_function_marks_as_written_is_counted_once_more() -> None:
    found = failure(DIRTY)
    assert lines(found) == (11, [4, 13, 14], 15)
    assert [each.op for each in found.facts.values[0].writes] == ["mul_", "mark_dirty", "sub_"]
    assert found.facts.values[0].unseen == 0
    assert "counts this call as one more write: version 1 → 2" in report(completed(found))
    assert "apply" not in vars(torch.autograd.function._SingleLevelFunction)


@needs_saved
def test_a_function_inside_a_copy_slices_is_found() -> None:
    text = DIRTY.replace("ctx.mark_dirty(x)", "ctx.mark_dirty(x); ctx.save_for_backward(x)")
    text = text.replace("g * 3", "g * ctx.saved_tensors[0]").replace("apply(t)", "apply(t[1:])")
    found = failure(text.replace("t = a.reciprocal()", "t = a * 1"))
    assert lines(found) == (13, [14], 15)
    assert (found.facts.values[0].node, found.facts.values[0].certain) == ("DirtyBackward", False)
    assert "probably" in report(completed(found))


@needs_saved
@pytest.mark.parametrize(("reentrant", "kept"), [(True, 10), (False, 10)])
@pytest.mark.parametrize("also", ["", "y = y + u\n"])
def test_what_a_checkpoint_keeps_and_what_else_is_stale(reentrant: bool, kept: int, also: str) -> None:
    found = failure(
        f"from torch.utils.checkpoint import checkpoint\na = torch.ones(3, requires_grad=True)\n"
        f"def f(x):\n    z = x * 2\n    return z.exp()\nx = a * 1\nu = x * x\n\n\n"
        f"y = checkpoint(f, x, use_reentrant={reentrant})\nx.add_(1)\n{also or 'pass'}\ny.sum().backward()\n"
    )
    assert lines(found) == (kept, [11], 13 + bool(also))
    assert found.facts.values[0].certain
    assert "an input of the function, to run it again" in report(completed(found))


@needs_saved
def test_what_a_checkpoint_computes_again_and_overwrites() -> None:
    found = failure("""\
        from torch.utils.checkpoint import checkpoint
        def f(x):
            h = x.exp()
            h.add_(1)
            return h * 2
        a = torch.ones(3, requires_grad=True)
        checkpoint(f, a * 1, use_reentrant=True).sum().backward()
        """)
    assert lines(found) == (3, [4], 7)


@needs_saved
def test_a_tensor_that_was_given_another_storage_keeps_its_counter() -> None:
    found = failure("""\
        a = torch.ones(3, requires_grad=True)
        t = a.exp()
        t.data = torch.zeros(3)
        t.add_(1)
        t.detach().add_(1)
        t.sum().backward()
        """)
    assert lines(found) == (2, [4, 5], 6)
    assert found.facts.values[0].unseen == 0


def test_an_error_that_the_program_handles_is_kept() -> None:
    watch, error = watched("""\
        a = torch.ones(3, requires_grad=True)
        h = a.exp()
        h.add_(1)
        try:
            h.sum().backward()
        except RuntimeError:
            pass
        """)
    assert error is None
    assert lines(watch.failures[0]) == (2, [3], 5)


STEPS = """\
model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.BatchNorm1d(4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
model[2].register_forward_hook(lambda module, given, made: made * 2)
optimizer = torch.optim.Adam(model.parameters())
for step in range(STEPS):
    square = lambda some: (some ** 2).sum()
    x = torch.randn(3, 2)
    optimizer.zero_grad()
    out = model(x)
    out.register_hook(lambda gradient: gradient * 1)
    noise = out.detach().clone().view(-1)
    noise[0] += 1
    square(out).backward(retain_graph=step % 2 == 0)
    optimizer.step()
    try:
        kept = torch.ones(2, requires_grad=True).exp()
        kept.add_(1)
        kept.sum().backward()
    except RuntimeError:
        pass
    try:
        torch.ones(1, requires_grad=True).add_(1)
    except RuntimeError:
        pass
"""


def sizes(watch: TorchWatch) -> dict[str, int]:
    """The number of entries in each table of a watch, and of what it consists of, but those of lines and operations, which have bounds."""
    parts = {"": watch, "places": watch._places, "log": watch._ledger}
    tables = {f"{part}.{name}": each for part, of in parts.items() for name, each in vars(of).items()}
    return {name: len(each) for name, each in tables.items() if isinstance(each, dict | set | list)}


def test_its_tables_do_not_grow_with_the_steps_of_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inplacelab.diagnosis.watch_log.UNSWEPT", 16)
    monkeypatch.setattr("inplacelab.frameworks.torch.watch.USED", 64)
    monkeypatch.setattr("inplacelab.frameworks.torch.watch.FAILURES", 4)
    found: list[dict[str, int]] = []
    for steps in (20, 60):
        watch = TorchWatch()
        watch.begin()
        try:
            exec(compile(STEPS, FILE, "exec"), {"torch": torch, "STEPS": steps})
            found.append(sizes(watch))
        finally:
            watch.end()
    few, many = found
    storages, used = few.pop("log._storages"), few.pop("._used")
    assert many.pop("log._storages") < storages + 40
    assert many.pop("._used") <= 64
    assert used
    assert few == many


def test_a_step_of_an_optimizer_is_one_operation_whatever_it_updates() -> None:
    counts = []
    for count in (2, 20):
        parameters = [torch.ones(1, requires_grad=True) for _ in range(count)]
        optimizer = torch.optim.AdamW(parameters)
        for each in parameters:
            each.grad = torch.ones(1)
        watch = TorchWatch()
        watch.begin()
        try:
            optimizer.step()
            optimizer.zero_grad()
            counts.append(watch.operations)
        finally:
            watch.end()
    assert counts == [1, 1]


@pytest.mark.parametrize("first", ["", "norm(x)"])
def test_statistics_that_training_overwrites_are_found_where_something_else_has_used_them(first: str) -> None:
    found = failure(f"""\
        norm, x = torch.nn.BatchNorm1d(2), torch.randn(3, 2)
        w = torch.ones(2, requires_grad=True)
        {first or "pass"}
        loss = (norm.running_mean * w).sum()
        norm(x)
        loss.backward()
        """)
    assert found.facts.kind == "silent"
    assert lines(found) == (4, [5], 6)


@pytest.mark.parametrize("then", ["optimizer.zero_grad()", "pass"])
def test_a_step_that_raises_ends_no_watch(then: str) -> None:
    found = failure(f"""\
        w = torch.ones(1, requires_grad=True)
        optimizer = torch.optim.SGD([w], 1)
        w.grad = torch.ones(1)
        w.grad.data = torch.ones(3)
        try:
            optimizer.step()
        except RuntimeError:
            pass
        {then}
        h = w.exp()
        h.add_(1)
        h.sum().backward()
        """)
    assert lines(found) == (10, [11], 12)


def test_nothing_is_kept_alive_and_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inplacelab.diagnosis.watch_log.UNSWEPT", 16)
    watch = TorchWatch()
    watch.begin()
    try:
        tensor = torch.ones(3)
        tensor.add_(1)
        alive = weakref.ref(tensor)
        del tensor
        gc.collect()
        assert alive() is None
        for _ in range(3000):
            torch.ones(3).add_(1)
        assert watch.storages < 3000
    finally:
        watch.end()


def test_the_watch_changes_nothing() -> None:
    text = """\
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.ReLU(inplace=True), torch.nn.Linear(8, 1))
        opt = torch.optim.Adam(net.parameters())
        for _ in range(3):
            opt.zero_grad()
            net(torch.randn(5, 4)).square().mean().backward()
            opt.step()
        out.extend(each.detach().clone() for each in net.parameters())
        """
    results: list[list[Any]] = [[], []]
    watched(text, out=results[0])
    exec(textwrap.dedent(text), {"torch": torch, "out": results[1]})
    assert results[0]
    assert all(torch.equal(one, other) for one, other in zip(*results, strict=True))


def test_a_block_adds_a_note() -> None:
    a = torch.ones(3, requires_grad=True)
    h = a.exp()
    with pytest.raises(RuntimeError) as caught, inplacelab.explain() as found:
        h.add_(1).sum().backward()
    assert "h.add_(1)" in "".join(caught.value.__notes__)
    assert len(found.failures) == 1
    with pytest.raises(ValueError, match="record them"):
        inplacelab.explain("numpy")
    with inplacelab.explain() as nothing:
        (a * 2).sum().backward()
    assert "No backward pass failed" in str(nothing)


SCRIPT = """\
import sys
import torch
print(sys.argv[1:], __name__)
a = torch.ones(3, requires_grad=True)
h = torch.exp(a)
h += 1
h.sum().backward()
"""


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inplacelab", "explain", *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_command(tmp_path: Path, language: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    page = tmp_path / "page.html"
    for more in ((), ("--html", str(page))):
        ran = command("--lang", language, *more, str(script), "--epochs", "3")
        assert (ran.returncode, ran.stdout) == (1, "['--epochs', '3'] __main__\n")
        assert "ExpBackward0" in ran.stderr
        (advised,) = re.findall(r"inplacelab (explain --try .*)\n", ran.stderr)
        assert shlex.split(advised) == ["explain", "--try", "--lang", language, *more, str(script), "--epochs", "3"]
        with speak(language):
            assert ("kept" if language == "en" else "保存") in ran.stderr
        told = [line for line in ran.stderr.splitlines() if re.match(r"\s+\d+ \| ", line)]
        assert [int(line.split("|")[0]) for line in told] == [5, 6, 7]
    assert "inplacelab" in page.read_text()


def test_the_command_for_a_script_whose_modules_use_the_framework(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "__init__.py").write_text("")
    (tmp_path / "parts" / "loss.py").write_text(
        "import torch\ndef loss(a):\n    h = torch.exp(a)\n    h += 1\n    return h.sum()\ndef leaf():\n"
        "    return torch.ones(3, requires_grad=True)\n"
    )
    script = tmp_path / "main.py"
    script.write_text("from parts.loss import leaf, loss\nloss(leaf()).backward()\n")
    ran = command(str(script))
    assert ran.returncode == 1
    assert "loss.py" in ran.stderr
    assert "overwritten by `add_`" in ran.stderr or "overwritten by `iadd`" in ran.stderr, ran.stderr


def test_a_line_of_another_file_is_said_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "halves.py").write_text("\n\n\ndef right(t):\n    return t[:, 1:]\n")
    script = tmp_path / "main.py"
    start = "import torch\nfrom halves import right\nout = torch.ones(2, 2, requires_grad=True).exp()\n"
    script.write_text(start + "b = right(out)\nb += 1\nout.sum().backward()\n")
    assert re.search(
        r"through a view of `out` \(`t\[:, 1:\]`, line 5 of `\S*halves.py`\): ", command(str(script)).stderr
    )
    script.write_text(start + "right(out)\nb = out[:1]\nb += 1\nout.sum().backward()\n")
    assert "through `b`, a view of `out` (`out[:1]`, line 5): " in command(str(script)).stderr


def test_the_command_for_scripts_that_do_not_fail_in_backward(tmp_path: Path) -> None:
    script = tmp_path / "fine.py"
    script.write_text(
        "import torch\nimport sys\n(torch.ones(2, requires_grad=True) * 2).sum().backward()\nsys.exit(3)\n"
    )
    ran = command(str(script))
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "No backward pass failed" in ran.stderr
    script.write_text("import torch\n1 / 0\n")
    ran = command(str(script))
    assert ran.returncode == 1
    assert "ZeroDivisionError" in ran.stderr
    assert command(str(tmp_path / "none.py")).returncode == 2
    script.write_text("import torch\n(\n")
    assert command(str(script)).returncode == 1


@needs_saved
def test_a_write_through_data_makes_a_gradient_wrong_silently() -> None:
    watch, error = watched("""\
        a = torch.ones(3, requires_grad=True)
        x = a * 1
        h = x.exp()
        h.data.mul_(2)
        h.sum().backward()
        """)
    assert error is None
    (found,) = watch.failures
    assert (found.facts.kind, found.facts.wrong) == ("silent", ("a",))
    assert lines(found) == (3, [4], 5)
    said = report(completed(found))
    assert "gradient of `a` is wrong" in said
    assert "raises no version" in said


@needs_saved
def test_a_fused_optimizer_between_two_passes() -> None:
    watch, error = watched("""\
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        opt = torch.optim.Adam(net.parameters(), lr=0.1, fused=True)
        loss = net(torch.ones(3, 2)).sum()
        loss.backward(retain_graph=True)
        opt.step()
        loss.backward()
        """)
    assert error is None
    assert [found.facts.kind for found in watch.failures] == ["silent"]
    assert lines(watch.failures[0]) == (3, [5], 6)


def test_usual_training_with_data_and_fused_optimizers_is_not_warned_of() -> None:
    watch, error = watched("""\
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        slow = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        opt = torch.optim.Adam(net.parameters(), lr=0.1, fused=True)
        for _ in range(3):
            opt.zero_grad()
            with torch.no_grad():
                aim = slow(torch.ones(3, 2))
            (net(torch.ones(3, 2)) - aim).square().mean().backward()
            opt.step()
            for one, other in zip(slow.parameters(), net.parameters()):
                one.data.mul_(0.9).add_(0.1 * other.data)
        """)
    assert error is None
    assert watch.failures == []
    assert watch.remarks == []


@needs_saved
def test_statistics_of_batch_norm_that_were_updated_between_the_passes() -> None:
    text = """\
        norm = torch.nn.BatchNorm1d(2)
        x = torch.arange(6.0).reshape(3, 2).requires_grad_()
        {}
        y = norm(x)
        norm.train()
        norm(x * 5)
        y.square().sum().backward()
        """
    watch, error = watched(text.format("norm.eval()"))
    assert error is None
    assert {found.facts.kind for found in watch.failures} == {"silent"}
    assert lines(watch.failures[0]) == (4, [6], 7)
    watch, error = watched(text.format("norm.train()"))  # backward in training uses the statistics of the batch
    assert (watch.failures, watch.remarks) == ([], [])


@pytest.mark.filterwarnings("ignore")
def test_compiled_functions_run_as_they_do_unwatched() -> None:
    before = torch.compile
    torch.compiler.reset()  # after some compilations PyTorch compiles no more of them in a process
    watch, error = watched("""\
        seen = []
        def backend(graph, inputs):
            seen.append(len(graph.graph.nodes))
            return graph.forward
        @torch.compile(backend=backend)
        def f(x):
            return x.sin() * 2
        a = torch.ones(3, requires_grad=True)
        h = f(a)
        net = torch.compile(torch.nn.Linear(3, 3), backend=backend)
        net(h).sum().backward()
        assert len(seen) == 2, seen
        k = a.exp()
        k.add_(1)
        k.sum().backward()
        """)
    assert "modified by an inplace" in str(error)
    assert any("torch.compile" in note.en for note in watch.remarks)
    assert torch.compile is before
    if SHOWS_SAVED:
        assert lines(watch.failures[-1]) == (13, [14], 15)


@needs_saved
@pytest.mark.filterwarnings("ignore")
def test_what_is_not_compiled_because_the_compiler_is_off_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHDYNAMO_DISABLE", "1")
    watch, error = watched("""\
        @torch.compile
        def f(x):
            k = x.exp()
            k.add_(1)
            return k
        a = torch.ones(3, requires_grad=True)
        f(a).sum().backward()
        """)
    assert "modified by an inplace" in str(error)
    assert watch.remarks == []
    assert lines(watch.failures[-1]) == (3, [4], 7)


@needs_saved
def test_a_silent_write_in_a_loop_is_said_once() -> None:
    watch, error = watched("""\
        w = torch.ones(3, requires_grad=True)
        for k in range(5):
            loss = (w * w).sum()
            w.data.mul_(0.5)
            loss.backward()
        """)
    assert error is None
    (found,) = watch.failures
    assert lines(found) == (3, [4], 5)
    assert "The version rose" not in report(completed(found))


def test_of_many_errors_that_the_program_handles_the_last_ones_are_kept() -> None:
    block = inplacelab.explain()
    code = """\
w = torch.ones(3, requires_grad=True)
for k in range(200):
    h = w.exp()
    h += 1
    try:
        h.sum().backward()
    except RuntimeError:
        pass
"""
    with block:
        exec(compile(code, FILE, "exec"), {"torch": torch})
    assert len(block.failures) == FAILURES
    assert str(block).count("Backward needed a value") == 1  # they are alike


@needs_saved
@pytest.mark.parametrize(
    "call", ["torch.func.grad(f)(x)", "torch.func.jacrev(g)(x)", "torch.vmap(torch.func.grad(f))(x.repeat(2, 1))"]
)
def test_programs_of_torch_func(call: str) -> None:
    found = failure(f"""\
        def g(x):
            h = x.exp()
            h[:2].mul_(2)
            return h * 3
        def f(x):
            return g(x).sum()
        x = torch.ones(3)
        {call}
        """)
    assert lines(found) == (2, [3], 8)


@needs_saved
@pytest.mark.filterwarnings("ignore")  # sparse and nested tensors are said to be new
def test_tensors_without_storages_do_not_stop_the_watch() -> None:
    found = failure("""\
        s = torch.eye(3).to_sparse()
        s.mul_(2)
        torch.eye(3).to_sparse_csr().mul_(2)
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]).mul_(2)
        p = torch.sparse.softmax(torch.eye(3).to_sparse().requires_grad_(), 1)
        torch.sparse.sum(p).backward()
        h = torch.ones(3, requires_grad=True).exp()
        h.add_(1)
        h.sum().backward()
        """)
    assert lines(found) == (7, [8], 9)


@needs_saved
def test_what_a_sparse_tensor_was_overwritten_by_is_said_to_be_unseen() -> None:
    found = failure("""\
        p = torch.sparse.softmax(torch.eye(3).to_sparse().requires_grad_(), 1)
        p.mul_(2)
        torch.sparse.sum(p).backward()
        """)
    assert lines(found) == (1, [], 3)
    assert found.facts.values[0].unseen == 1


def test_a_pass_of_another_thread_is_said_not_to_be_watched() -> None:
    block = inplacelab.explain()
    raised: list[BaseException] = []

    def train() -> None:
        h = torch.ones(3, requires_grad=True).exp()
        h += 1
        try:
            h.sum().backward()
        except RuntimeError as error:
            raised.append(error)

    with block:
        in_raw_thread(train)
    assert raised
    assert "failed in what was watched" in str(block)
    assert "threads that had begun before were not watched" in str(block)
    with block:
        in_thread(train)
    found = block.of(raised[-1])
    assert isinstance(found, Finding)
    assert found.facts.needed[0].text.strip() == "h.sum().backward()"


@needs_saved
def test_an_error_like_one_that_was_handled_has_lines_of_its_own() -> None:
    block = inplacelab.explain()
    code = """\
def fails(w):
    h = w.exp()
    h += 1
    h.sum().backward()
w = torch.ones(3, requires_grad=True)
for k in range(9):
    try:
        fails(w)
    except RuntimeError:
        pass
k = w.exp()
k += 1
k.sum().backward()
"""
    with pytest.raises(RuntimeError) as caught, block:
        exec(compile(code, FILE, "exec"), {"torch": torch})
    found = block.of(caught.value)
    assert isinstance(found, Finding)
    assert lines(found) == (11, [12], 13)


@needs_saved
def test_passes_inside_others() -> None:
    watch, error = watched("""\
        @torch.enable_grad()
        def inner(g):
            k = torch.ones(3, requires_grad=True).exp()
            k += 1
            try:
                k.sum().backward()
            except RuntimeError:
                if again:
                    raise
        for again in (False, True):
            h = torch.ones(3, requires_grad=True).exp()
            y = h * 2
            y.register_hook(inner)
            h += 1
            try:
                y.sum().backward()
            except RuntimeError:
                pass
        """)
    assert error is None
    assert [each.facts.needed[0].line for each in watch.failures] == [6, 16, 6]


CHILD = """\
import multiprocessing, sys, torch
def fails():
    h = torch.ones(2, requires_grad=True).exp()
    h.add_(1)
    h.sum().backward()
if __name__ == "__main__":
    child = multiprocessing.get_context(sys.argv[1]).Process(target=fails)
    child.start()
    child.join()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_child_processes_run_as_they_do_unwatched_and_it_is_said_that_nobody_looked(tmp_path: Path, way: str) -> None:
    (tmp_path / "train.py").write_text(CHILD, encoding="utf-8")
    plainly, watched = (
        subprocess.run(
            [sys.executable, *words, "train.py", way], capture_output=True, text=True, check=False, cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))},
        ).stderr
        for words in ([], ["-m", "inplacelab", "explain"])
    )  # fmt: skip
    paths = str(tmp_path / "train.py")
    assert "modified by an inplace operation" in plainly
    assert watched.replace(paths, "train.py").startswith(plainly.replace(paths, "train.py"))
    assert "No backward pass failed in what was watched" in watched
    assert "child processes, which were not watched" in watched


def test_child_processes_that_load_data_are_no_matter_in_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None, raising=False)  # an IPython in this process has none
    watch = TorchWatch()
    watch.begin()
    try:
        child = multiprocessing.get_context("spawn").Process(target=int)
        child.start()
        child.join()
        before = [each.en for each in watch.remarks]
        h = torch.ones(2, requires_grad=True).exp()
        h.add_(1)
        with pytest.raises(RuntimeError):
            h.sum().backward()
    finally:
        watch.end()
    assert any("child processes" in each for each in before)
    assert watch.failures
    assert watch.remarks == []


@needs_saved
def test_a_view_is_found_when_a_later_one_gets_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    made_view = StorageLog.made_view
    monkeypatch.setattr(StorageLog, "made_view", lambda log, _, layout, place: made_view(log, 1, layout, place))
    found = failure(
        """
        gates = torch.ones(4, 8, requires_grad=True) * 1
        gates[:, :6].sigmoid_()
        gates[:, 6:].tanh_()
        (gates * 2).sum().backward()
        """
    )
    assert lines(found) == (3, [4], 5)
