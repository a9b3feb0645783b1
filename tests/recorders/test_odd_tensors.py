"""Tests that PyTorch programs with tensors of unusual kinds run as unwatched, and that recorders and watches go on after them."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.frameworks.torch import watch as torch_watch  # noqa: E402
from inplacelab.frameworks.torch.watch import TorchWatch  # noqa: E402
from tests.recorders.torch_runs import needs_saved, plain, run  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

ODD = {
    "made in inference mode, with the data of another": """\
        with torch.inference_mode(): t = torch.ones(3) * 2
        t.data = torch.ones(3)
        y = (t * 2).tolist()
        """,
    "given the data of one made in inference mode": """\
        with torch.inference_mode(): t = torch.ones(3) * 2
        u = torch.ones(3)
        u.data = t
        u.add_(1)
        y = (u * 2).tolist()
        """,
    "without memory": """\
        t = torch.ones(3, device="meta", requires_grad=True) * 2
        t.add_(1)
        y = t.sum().shape
        """,
    "whose memory was freed": """\
        t = torch.ones(3)
        t.untyped_storage().resize_(0)
        y = t.shape
        """,
    "sparse": """\
        t = torch.eye(3).to_sparse()
        t.mul_(2)
        y = t.to_dense().tolist()
        """,
    "quantized": """\
        t = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)
        t[0] = 2
        y = t.dequantize().tolist()
        """,
    "nested": """\
        t = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
        t.mul_(2)
        y = [each.tolist() for each in t.unbind()]
        """,
    "of MKL-DNN": """\
        t = torch.ones(3, 3).to_mkldnn()
        y = t.to_dense().tolist()
        """,
    "inside vmap": "y = torch.func.vmap(lambda x: x.exp().add_(1))(torch.ones(3, 2)).tolist()",
    "that outlive torch.func.grad": """\
        held = []
        y = torch.func.grad(lambda x: (held.append(x.exp()), x.exp().sum())[1])(torch.ones(3)).tolist()
        z = held[0] * 2
        """,
    "of a FakeTensorMode": """\
        from torch._subclasses import FakeTensorMode
        with FakeTensorMode():
            t = torch.ones(3, requires_grad=True) * 2
            t.add_(1)
            t.sum().backward()
        """,
    "whose functions raise": """\
        class Odd(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None):
                y.append(str(function))
                raise KeyError("odd")
        y = []
        t = torch.ones(3).as_subclass(Odd)
        for do in (lambda: t * 2, lambda: t.add_(1), lambda: t[1:]):
            try:
                do()
            except KeyError as error:
                y.append(str(error))
        """,
    "whose properties raise": """\
        class Odd(torch.Tensor):
            _version = grad_fn = requires_grad = shape = dtype = device = layout = _base = property(lambda self: 1 / 0)
            def untyped_storage(self): raise KeyError("storage")
            def data_ptr(self): raise KeyError("pointer")
            def stride(self): raise KeyError("stride")
            def __eq__(self, other): raise KeyError("eq")
            def __bool__(self): raise KeyError("bool")
            def __hash__(self): raise KeyError("hash")
            def __getattr__(self, name): raise KeyError(name)
        t = torch.ones(3).as_subclass(Odd)
        t.add_(1)
        u, z = torch.Tensor.mul(t, 2), t[1:]
        """,
    "that are wrappers whose operations raise": """\
        class Odd(torch.Tensor):
            @staticmethod
            def __new__(cls): return torch.Tensor._make_wrapper_subclass(cls, (3,), dtype=torch.float32)
            @classmethod
            def __torch_dispatch__(cls, function, types, args=(), kwargs=None): raise KeyError("odd")
        t, y = Odd(), []
        for do in (lambda: t * 2, lambda: t.add_(1)):
            try:
                do()
            except KeyError as error:
                y.append(str(error))
        """,
}
THEN = """
a = torch.ones(2, requires_grad=True)
h = a.exp()
h.add_(1)
h.sum().backward()
"""


def program(body: str) -> str:
    lines = body.rstrip().splitlines()
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(line[margin:] for line in lines) + THEN


def under_a_watch(text: str) -> tuple[TorchWatch, dict[str, Any], BaseException | None]:
    watch, names, error = TorchWatch(), {"torch": torch, "__name__": "__main__"}, None
    watch.begin()
    try:
        exec(compile(text, "/programs/odd.py", "exec"), names)
    except Exception as raised:  # noqa: BLE001  # whatever PyTorch raises
        error = raised
    finally:
        watch.end()
    return watch, names, error


def lines_of(watch: TorchWatch) -> list[int]:
    """The lines that kept, overwrote and needed a value, from the end of the program."""
    (found,) = watch.failures
    saved = found.facts.values[0]
    places = [saved.sites, *(each.sites for each in saved.writes), found.facts.needed]
    return [each[0].line for each in places if each]


@needs_saved
@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
def test_programs_with_unusual_tensors_run_as_unwatched(body: str) -> None:
    text = program(body)
    names, error = plain(text)
    assert "modified by an inplace" in str(error)
    end = text.count("\n")
    watch, watched, raised = under_a_watch(text)
    assert (str(raised), watched.get("y")) == (str(error), names.get("y"))
    assert lines_of(watch) == [end - 2, end - 1, end]
    found = run(text)
    assert (str(found.failure), found.names.get("y")) == (str(error), names.get("y"))
    assert found.recording.steps[-1].line == end
    assert not any("stopped" in note.en for note in found.recording.notes)


@needs_saved
@pytest.mark.parametrize(
    "name", ["_tensors", "_flat", "_at", "storage_of", "layout_of", "version_of", "packed", "_written_silently"]
)
def test_a_watch_that_fails_inside_leaves_the_program_alone_and_goes_on(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = program("""\
        w = torch.ones(3, requires_grad=True) * 2
        x = torch.ones(3) * 2
        torch.nn.functional.batch_norm(torch.ones(3, 2), torch.zeros(2), torch.ones(2), training=True)
        v = x[1:]
        v.add_(1)
        spoiled.clear()
        y = x.tolist()
        """)
    spoiled = [True]
    right = getattr(torch_watch, name)

    def fails(*args: Any) -> Any:
        if spoiled:
            raise ZeroDivisionError
        return right(*args)

    monkeypatch.setattr(torch_watch, name, fails)
    watch, names = TorchWatch(), {"torch": torch, "__name__": "__main__", "spoiled": spoiled}
    watch.begin()
    try:
        with pytest.raises(RuntimeError, match="modified by an inplace"):
            exec(compile(text, "/programs/odd.py", "exec"), names)
    finally:
        watch.end()
    assert names["y"] == [2, 3, 3]
    assert [note.en.split(":")[0] for note in watch.remarks] == ["Something was not watched"]
    end = text.count("\n")
    assert lines_of(watch) == [end - 2, end - 1, end]
