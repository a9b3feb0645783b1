"""Tests `inplacelab.show` of PyTorch's tensors, against what PyTorch says of them."""

from __future__ import annotations

import gc
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab import shares_storage, show  # noqa: E402
from inplacelab.frameworks.torch.readings import is_outdated  # noqa: E402
from inplacelab.recorders import existing  # noqa: E402
from inplacelab_widgets.shown_tensors import look_svg, look_text  # noqa: E402
from tests.recorders.torch_runs import needs_saved  # noqa: E402
from tests.showing.looks import looked, programs, state_of  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]


# ---- random views ------------------------------------------------------------------------------------------------------------------

VIEWS = (
    "x.unbind()[0]",
    "x[0]",
    "x[1:]",
    "x[..., ::2]",
    "x.t()",
    "x.reshape(-1)",
    "x.detach()",
    "x.data",
    "x.clone()",
    "x * 2",
    "x.expand(2, *x.shape)",
)
WRITES = (
    "x.mul_(2)",
    "x.zero_()",
    "x[0] = 1",
    "x.data.add_(1)",
    "x.detach_()",
    "x.requires_grad_(False)",
    "x.detach().exp_()",
    "for y in x.unbind(): y.requires_grad",
)


def made(lines: list[str]) -> dict[str, Any]:
    """The tensors that a program makes. Lines that PyTorch refuses do nothing."""
    names: dict[str, Any] = {"torch": torch}
    exec("leaf = torch.arange(12.0).reshape(3, 4).requires_grad_(); t0 = leaf * 1", names)
    for line in lines:
        with suppress(RuntimeError, IndexError, NameError):
            exec(line, names)
    return {name: each for name, each in names.items() if isinstance(each, torch.Tensor)}


@given(programs(VIEWS, WRITES))
def test_what_is_shown_of_random_views_is_what_pytorch_says(lines: list[str]) -> None:
    tensors, twin = made(lines), made(lines)
    versions = {name: each._version for name, each in tensors.items()}
    outdated = {name: is_outdated(each) for name, each in tensors.items()}
    flags = {name: each.requires_grad for name, each in tensors.items()}
    random = torch.get_rng_state()
    state = state_of(**tensors)
    assert {name: each._version for name, each in tensors.items()} == versions
    assert {name: is_outdated(each) for name, each in tensors.items()} == outdated
    assert torch.equal(torch.get_rng_state(), random)
    for name, tensor in tensors.items():
        facts = state.tensor(name)
        assert (facts.shape, facts.strides, facts.offset) == (
            tuple(tensor.shape),
            tensor.stride(),
            tensor.storage_offset(),
        )
        assert (state.version(facts), facts.needs_gradient) == (versions[name], flags[name])
        for other, its in tensors.items():
            same = tensor.untyped_storage()._cdata == its.untyped_storage()._cdata
            assert (facts.storage == state.tensor(other).storage) == shares_storage(tensor, its) == same
        if not outdated[name]:
            node = None if facts.node is None else state.nodes[facts.node].name
            assert node == (None if tensor.grad_fn is None else tensor.grad_fn.name().rpartition("::")[2])
    assert gradient(tensors) == gradient(twin)


def gradient(tensors: dict[str, Any]) -> Any:
    """The gradient of the leaf, or what PyTorch says instead."""
    try:
        sum(
            (each.sum() * k for k, each in enumerate(tensors.values(), 1) if each.requires_grad), torch.zeros(1)
        ).backward()
    except RuntimeError as error:
        return str(error)
    return None if tensors["leaf"].grad is None else tensors["leaf"].grad.tolist()


# ---- the graph -----------------------------------------------------------------------------------------------------------------------


@needs_saved
def test_a_saved_value_is_stale_exactly_if_pytorch_refuses_it() -> None:
    for line, fails in (("h.mul_(2)", True), ("v.mul_(2)", True), ("h.data.mul_(2)", False), ("h = h * 2", False)):
        w = torch.ones(2, 3, requires_grad=True)
        names = {"h": w.exp()}
        names["v"] = names["h"][0]
        loss = (names["v"] * names["v"]).sum() + names["h"].square().sum()
        exec(line, names)
        state = state_of(w=w, loss=loss, h=names["h"], v=names["v"])
        assert any(state.is_stale(each) for node in state.nodes.values() for each in node.saved) == fails
        if fails:
            with pytest.raises(RuntimeError, match="modified by an inplace"):
                loss.backward()
        else:
            loss.backward()


@needs_saved
def test_what_a_custom_function_has_saved_is_told_with_its_versions() -> None:
    class Double(torch.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x * 2
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient * 2

    x = torch.ones(2, requires_grad=True) * 1
    x.add_(1)
    y = Double.apply(x)
    for expected in (
        {("tensors[0]", 1, False), ("tensors[1]", 0, False)},
        {("tensors[0]", 1, True), ("tensors[1]", 0, False)},
    ):
        state = state_of(x=x, y=y)
        (saved,) = (node.saved for node in state.nodes.values() if node.name == "DoubleBackward")
        assert {(each.name, each.version, state.is_stale(each)) for each in saved} == expected
        x.add_(1)


def test_hooks_that_pack_saved_tensors_are_not_called() -> None:
    called: list[str] = []
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), lambda a: called.append("unpack")):
        y = x.exp()
    x.grad_fn  # noqa: B018
    assert "saved_tensors_hooks" in " ".join(note.en for note in looked(x=x, y=y).notes)
    assert "ExpBackward0" in (picture := look_svg(looked(y=y), "en"))
    assert picture.count("keeps nothing") == 1  # that is the node of the leaf: of the other one it is not known
    assert not called


def test_a_graph_that_backward_has_released_is_shown_as_such() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x.exp().sum()
    y.backward()
    state = state_of(x=x, y=y)
    assert state.tensor("x").grad is not None
    assert look_svg(looked(y=y), "en").count("○ released") == 1  # at the node; the sentence says it, too
    assert {node.name: node.released for node in state.nodes.values()} == {
        "SumBackward0": False,
        "ExpBackward0": True,
        "AccumulateGrad": False,
    }
    said = "ExpBackward0 has released what it had saved, in an earlier backward pass"
    assert said in look_text(looked(y=y), "en")
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    z = (x * torch.ones(2)).exp().sum()  # `x` needs not be saved for this: nothing was released
    assert not any(node.released for node in state_of(z=z).nodes.values())


def test_whether_a_node_has_released_is_found_out_without_unpacking() -> None:
    called: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda _: None, called.append):
        y = x.exp()
    assert not any(node.released for node in state_of(y=y).nodes.values())
    assert not called


def test_a_tensor_shares_with_a_base_that_was_not_given() -> None:
    assert "view and T0 (unnamed) share storage S0." in look_text(looked(view=torch.ones(6).view(2, 3)), "en")


# ---- what leads to tensors ---------------------------------------------------------------------------------------------------------------


def test_modules_optimizers_and_subclasses() -> None:
    class Own(torch.Tensor):  # type: ignore[misc, name-defined]
        pass

    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    tied = torch.nn.Linear(2, 2)
    tied.weight = net[0].weight
    opt = torch.optim.Adam(net.parameters())
    net(torch.ones(3, 2)).sum().backward()
    opt.step()
    state = state_of(net=net, opt=opt, tied=tied, own=torch.ones(1).as_subclass(Own), state=net.state_dict())
    found = {each for tensor in state.tensors.values() for each in tensor.names}
    assert {
        "net.0.weight",
        "net.1.running_mean",
        "tied.weight",
        "opt.state[0]['exp_avg']",
        "own",
        "state['0.bias']",
    } <= found
    assert not any("param_groups" in each for each in found)
    assert state.tensor("net.0.weight").id == state.tensor("tied.weight").id
    assert state.tensor("net.0.bias").storage == state.tensor("state['0.bias']").storage
    assert "opt.param_groups[0]['params'][0]" in {each for t in state_of(opt=opt).tensors.values() for each in t.names}
    assert existing.find({"loss": torch.nn.MSELoss()}) == {}


def test_an_array_on_a_tensor_is_said_to_share_its_memory(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.zeros(4)
    a, b = x.numpy(), np.zeros(4)
    show(x, a, b)
    said = capsys.readouterr().out
    assert "x and a share memory, although they belong to two frameworks" in said
    assert "b share memory" not in said


def test_of_many_pairs_that_share_memory_the_first_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.ones(4)
    show([x[k:] for k in range(4)], [x.numpy()[k:] for k in range(4)])
    said = capsys.readouterr().out
    assert said.count("share memory, although") == 8
    assert "So do 8 further pairs." in said


# ---- unusual tensors -----------------------------------------------------------------------------------------------------------------------


def test_tensors_of_unusual_kinds_are_shown() -> None:
    from torch._subclasses import FakeTensorMode  # noqa: PLC0415

    with FakeTensorMode():
        fake = torch.ones(3)
    freed = torch.ones(4)
    alias = freed[1:]
    freed.untyped_storage().resize_(0)
    unusual = {
        "freed": freed, "alias": alias, "meta": torch.empty(3, device="meta"), "empty": torch.empty(0, 3), "fake": fake,
        "conjugate": torch.ones(2, dtype=torch.complex64).conj(), "truths": torch.tensor([True, False]),
        "quantized": torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8), "scalar": torch.tensor(1.0),
        "half": torch.ones(2, dtype=torch.float16), "brain": torch.ones(5000, dtype=torch.bfloat16), "bits": torch.ones(2).view(torch.int32),
        "wide": torch.ones(1).expand(1000, 1000),
    }  # fmt: skip
    recording = looked(**unusual)
    state = recording.state()
    assert {each for tensor in state.tensors.values() for each in tensor.names} >= {*unusual}
    for language in ("en", "zh"):
        assert look_svg(recording, language).startswith("<svg")
        assert all(name in look_text(recording, language) for name in unusual)
    assert "freed and alias have no memory any more: the storage was freed." in look_text(recording, "en")


@pytest.mark.parametrize(
    "make", ["x.to_sparse()", "x.to_sparse_csr()", "torch.nested.nested_tensor([x, x])", "inference(x)"]
)
def test_tensors_that_cannot_be_shown_are_refused_and_named(make: str, capsys: pytest.CaptureFixture[str]) -> None:
    x = torch.eye(2)
    odd = eval(make, {"x": x, "torch": torch, "inference": torch.inference_mode()(lambda x: x * 2)})
    with pytest.raises(ValueError, match="Not shown: `odd`"):
        show(odd)
    show(x, odd)
    said = capsys.readouterr().out
    assert "Not shown: odd." in said
    assert "left out" in said
    assert "S0" in said


def test_inside_a_transformation_it_is_refused() -> None:
    def inside(row: Any) -> Any:
        with pytest.raises(ValueError, match="vmap"):
            show(row)
        return row

    torch.func.vmap(inside)(torch.eye(2))


# ---- unchanged -------------------------------------------------------------------------------------------------------------------------------


def test_nothing_is_kept_counted_or_copied() -> None:
    big = torch.zeros(1 << 20, dtype=torch.bfloat16, requires_grad=True)
    y = big[:4] * 2
    storages = torch._C._storage_Use_Count(big.untyped_storage()._cdata)
    looked(big=big, y=y)
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(10):
        looked(big=big, y=y)
    gc.collect()
    assert len(gc.get_objects()) - before < 50
    assert torch._C._storage_Use_Count(big.untyped_storage()._cdata) == storages
    assert big.grad is None


def test_modes_of_the_program_do_not_see_it() -> None:
    from torch.overrides import TorchFunctionMode  # noqa: PLC0415
    from torch.utils._python_dispatch import TorchDispatchMode  # noqa: PLC0415

    seen: list[str] = []

    class Functions(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    class Dispatched(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(func))
            return func(*args, **(kwargs or {}))

    x = torch.ones(2, requires_grad=True) * 2
    v = x[0]
    x.add_(1)
    with Functions(), Dispatched():
        looked(x=x, v=v)
        shares_storage(x, v)
    assert not seen


def test_a_parameter_and_the_view_of_it_that_a_node_has_saved_count_as_one() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
    loss = net(torch.ones(3, 2)).sum()
    state = state_of(loss=loss, net=net)  # the graph comes first, with a view of the weight
    assert state.versions(state.tensor("net.1.weight").storage) == (net[1].weight._version,)
