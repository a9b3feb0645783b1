"""Tests `inplacelab.shares_storage`, which compares existing tensors, against the frameworks' own storages."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from typing import Any

import numpy as np
import pytest

import inplacelab as lab
import inplacelab.torch as names
from inplacelab import shares_storage
from inplacelab.recording import queries


class TestEngine:
    def test_views_share_also_where_they_have_no_element_in_common(self) -> None:
        x = lab.zeros([4])
        assert shares_storage(x[:2], x[2:])
        assert shares_storage(x, x.detach())
        assert shares_storage(x, x)
        assert not shares_storage(x, x.clone())

    def test_a_tensor_under_two_names_of_the_package_has_one_storage(self) -> None:
        x = names.zeros(4)
        assert shares_storage(x, x[1:])
        assert shares_storage(x, x._tensor)

    def test_tensors_without_elements_share_if_they_are_views_of_one(self) -> None:
        x, y = lab.zeros([0]), lab.zeros([0])
        assert shares_storage(x, x.detach())
        assert not shares_storage(x, y)

    def test_it_means_what_the_query_on_a_recording_means(self) -> None:
        with lab.record() as rec:
            x = lab.ones([2, 2])
            v = x[0]
            c = v.clone()
        assert rec.recording is not None
        state, made = rec.recording.state(), {"x": x, "v": v, "c": c}
        for (one, its), (other, others) in product(made.items(), repeat=2):
            assert shares_storage(its, others) == queries.shares_storage(state, one, other)


class TestNumPy:
    def test_arrays_share_the_memory_of_the_one_that_owns_it(self) -> None:
        x = np.zeros(8)
        assert shares_storage(x[:4], x[4:])
        assert shares_storage(x[::-1], x.reshape(2, 4).T)
        assert shares_storage(x, np.broadcast_to(x[:1], (3,)))
        assert not shares_storage(x, x.copy())

    def test_arrays_on_one_buffer_share_it(self) -> None:
        buffer = bytearray(32)
        one, other = np.frombuffer(buffer, count=2), np.frombuffer(buffer, offset=16)
        assert shares_storage(one, other)
        assert not shares_storage(one, np.frombuffer(bytearray(32)))

    def test_arrays_of_objects_and_without_elements_are_answered_too(self) -> None:
        x = np.array([[], []], dtype=object)
        assert shares_storage(x, x[:1])
        assert not shares_storage(x, np.zeros(0))


@pytest.mark.parametrize("other", [3, "x", None, [1.0], np.float64(1)])
def test_what_is_no_tensor_is_refused(other: Any) -> None:
    with pytest.raises(TypeError, match=f"type {type(other).__name__}"):
        shares_storage(lab.zeros([2]), other)


def test_no_framework_is_imported_to_ask_about_another_one() -> None:
    asks = "import inplacelab, numpy, sys; x = numpy.zeros(2); assert inplacelab.shares_storage(x, x[:1])"
    checks = "assert not {'torch', 'paddle'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", f"{asks}; {checks}"], check=True)


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
class TestTorch:
    torch: Any

    @pytest.fixture(autouse=True)
    def _real(self) -> None:
        type(self).torch = pytest.importorskip("torch")

    def test_views_aliases_and_copies(self) -> None:
        x = self.torch.zeros(4, requires_grad=True)
        assert shares_storage(x[:2], x[2:])
        assert shares_storage(x, x.data)
        assert shares_storage(self.torch.nn.Parameter(x.detach()), x)
        assert not shares_storage(x, x.clone())

    def test_looking_makes_no_node_and_raises_no_version(self) -> None:
        x = self.torch.ones(4, requires_grad=True) * 2
        v = x[:2]
        x.add_(1)
        before = self.torch._C._autograd._get_sequence_nr(), x._version
        assert shares_storage(v, x)
        assert (self.torch._C._autograd._get_sequence_nr(), x._version) == before

    def test_an_array_on_a_tensor_is_on_its_storage(self) -> None:
        x = self.torch.zeros(6)
        a, b = x[:3].numpy(), x[3:].numpy()
        assert shares_storage(a, x)
        assert shares_storage(x, a[1:])
        assert shares_storage(a, b)  # both on the tensor's storage, without an element in common
        assert not shares_storage(x.clone(), a)

    def test_a_tensor_on_an_array_shares_its_memory(self) -> None:
        a = np.zeros(6)
        x = self.torch.from_numpy(a)
        assert shares_storage(x, a)
        assert shares_storage(a[::2], x[1::2])
        assert shares_storage(x, self.torch.from_numpy(a))
        assert not shares_storage(x, a.copy())

    def test_tensors_without_memory_are_compared_by_their_storages(self) -> None:
        empty, meta = self.torch.empty(0), self.torch.empty(4, device="meta")
        freed = self.torch.zeros(4)
        alias = freed[:2]
        freed.untyped_storage().resize_(0)
        assert shares_storage(empty, empty.view(0, 1))
        assert not shares_storage(empty, self.torch.empty(0))
        assert shares_storage(meta, meta[1:])
        assert not shares_storage(meta, self.torch.empty(4, device="meta"))
        assert shares_storage(freed, alias)
        assert not shares_storage(freed, self.torch.zeros(4))

    def test_inference_and_quantized_tensors_and_conjugates_have_storages(self) -> None:
        with self.torch.inference_mode():
            x = self.torch.zeros(4)
        c = self.torch.zeros(2, dtype=self.torch.complex64)
        assert shares_storage(x, x[1:])
        assert shares_storage(c, c.conj())

    def test_tensors_without_a_storage_of_their_own_are_refused_with_a_way_out(self) -> None:
        torch = self.torch
        x = torch.eye(2)
        for sparse, part in ((x.to_sparse(), "_values()"), (x.to_sparse_csr(), "values()")):
            with pytest.raises(ValueError, match="no storage of its own") as refused:
                shares_storage(sparse, x)
            assert part in str(refused.value)
        with pytest.raises(ValueError, match="nested"):
            shares_storage(torch.nested.nested_tensor([x, x]), x)
        with pytest.raises(ValueError, match="vmap"):
            torch.func.vmap(lambda row: torch.tensor(shares_storage(row, row)))(x)


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
class TestPaddle:
    def test_views_and_copies(self) -> None:
        paddle = pytest.importorskip("paddle")
        x = paddle.zeros([4])
        assert shares_storage(x, x.detach())
        assert shares_storage(x, x.reshape([2, 2]).detach()) == (x.data_ptr() == x.reshape([2, 2]).detach().data_ptr())
        assert not shares_storage(x, x.clone())
        assert not shares_storage(x, lab.zeros([4]))
        empty = paddle.zeros([0])
        assert shares_storage(empty, empty)
        assert not shares_storage(empty, paddle.zeros([0]))
        with pytest.raises(ValueError, match="sparse"):
            shares_storage(paddle.eye(2).to_sparse_coo(2), x)
