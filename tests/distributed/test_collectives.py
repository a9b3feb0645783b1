"""Tests of the collectives: values, versions, the history, and what is recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplacelab.recording import from_json
from tests.distributed.ranks import needs_mpi, run

pytestmark = needs_mpi
on_many = pytest.mark.parametrize("ranks", [1, 2, 4])


@on_many
def test_values_versions_and_storages(ranks: int, tmp_path: Path) -> None:
    """All data types, sizes that do not divide by the number of ranks, no elements, and tensors whose elements do not lie in order."""
    ran = run(
        """
        from functools import reduce
        ops = {"SUM": np.add, "MAX": np.maximum, "MIN": np.minimum, "PROD": np.multiply}
        def values(of, shape, dtype):
            draw = np.random.default_rng(of)
            numbers = draw.normal(size=shape) * 3
            return (numbers + 1j * draw.normal(size=shape) if dtype.startswith("complex") else numbers).astype(dtype)
        wrong = []
        def check(what, found, expected):
            if not (np.allclose if "PROD complex" in what else np.array_equal)(found, expected):  # NumPy multiplies by FMA or not
                wrong.append([what, repr(found), repr(expected)])
        dtypes = ["float16", "float32", "float64", "int8", "uint8", "int32", "int64", "bool", "complex64", "complex128"]
        for dtype in dtypes:
            for shape in [(), (0,), (1,), (7,), (3, 5), (2, 3, 4)]:
                given = [values(k, shape, dtype) for k in range(ranks)]
                for name, combine in ops.items():
                    if dtype == "bool" and name in ("SUM", "PROD") or dtype.startswith("complex") and name in ("MAX", "MIN"):
                        continue
                    x = paddle.to_tensor(given[rank]); storage = x.storage
                    dist.all_reduce(x, getattr(dist.ReduceOp, name))
                    check(f"all_reduce {name} {dtype} {shape}", x.numpy(), reduce(combine, given))
                    check("storage", [x.storage is storage, x.inplace_version], [True, 1])
                x = paddle.to_tensor(given[rank])
                dist.broadcast(x, ranks - 1)
                check(f"broadcast {dtype} {shape}", [x.numpy(), x.inplace_version][0], given[-1])
                check("version", x.inplace_version, 1)
                made, into = [], [paddle.zeros(list(shape), dtype) for _ in range(ranks)]
                dist.all_gather(made, paddle.to_tensor(given[rank]))
                dist.all_gather(into, paddle.to_tensor(given[rank]))
                for k in range(ranks):
                    check(f"all_gather {dtype} {shape}", made[k].numpy(), given[k])
                    check(f"all_gather into {dtype} {shape}", into[k].numpy(), given[k])
                check("versions", [each.inplace_version for each in into], [1] * ranks)
                if dtype != "bool":
                    parts = [[values(10 * k + j, shape, dtype) for j in range(ranks)] for k in range(ranks)]
                    x = paddle.zeros(list(shape), dtype)
                    dist.reduce_scatter(x, [paddle.to_tensor(each) for each in parts[rank]])
                    check(f"reduce_scatter {dtype} {shape}", x.numpy(), reduce(np.add, [each[rank] for each in parts]))
        base = paddle.to_tensor(np.arange(12.).reshape(3, 4) + rank)
        view = base.t()[1:3]
        dist.all_reduce(view, dist.ReduceOp.AVG)
        expected = np.arange(12.).reshape(3, 4) + rank
        expected[:, 1:3] += (ranks - 1) / 2 - rank
        check("a view", base.numpy(), expected)
        check("one counter", [base.inplace_version, view.inplace_version], [1, 1])
        pair = [paddle.to_tensor([1., 2.]) * (rank + 1) for _ in range(ranks)]
        dist.reduce_scatter(pair[0], pair)                       # as in Paddle's example: the result goes into one of the parts
        check("into a part", pair[0].numpy(), np.array([1., 2.], "float32") * sum(range(1, ranks + 1)))
        tell(wrong)
        """,
        ranks,
        tmp_path,
    )
    assert ran.told == [[[]]] * ranks, (ran.told, ran.errors)


@on_many
def test_sums_are_computed_in_the_order_of_the_ranks(ranks: int, tmp_path: Path) -> None:
    ran = run(
        """
        draw = np.random.default_rng(0)
        for size in (1, 3, 1000, 100_003):
            given = [draw.normal(size=size) * 10.0 ** draw.integers(-8, 8, size) for _ in range(ranks)]
            x = paddle.to_tensor(given[rank])
            dist.all_reduce(x)
            total = given[0].copy()
            for each in given[1:]:
                total = total + each
            tell(bool(np.array_equal(x.numpy(), total)))
        """,
        ranks,
        tmp_path,
    )
    assert ran.told == [[True] * 4] * ranks


@on_many
def test_derivatives_are_those_of_the_sum_of_all_losses(ranks: int, tmp_path: Path) -> None:
    """Compared with finite differences of that sum, in one process."""
    ran = run(
        """
        from functools import reduce
        shape = (2, 3)
        draw = np.random.default_rng(1)
        leaves = [draw.normal(size=(ranks, *shape)) for _ in range(ranks)]
        weights = [draw.normal(size=(ranks, *shape)) for _ in range(ranks)]

        def on_this_rank(kind, leaf):
            x = leaf * 2.0
            if kind == "all_reduce":
                dist.all_reduce(x)
            elif kind == "average":
                dist.all_reduce(x, dist.ReduceOp.AVG)
            elif kind == "view":
                dist.all_reduce(x[0])
            elif kind == "broadcast":
                dist.broadcast(x, ranks - 1)
            elif kind == "all_gather":
                into = []
                dist.all_gather(into, x[0])
                x = paddle.stack(into)
            elif kind == "all_gather_into":
                into = [paddle.zeros(list(shape), "float64") for _ in range(ranks)]
                dist.all_gather(into, x[0])
                x = paddle.stack(into)
            else:
                out = paddle.zeros(list(shape), "float64")
                dist.reduce_scatter(out, [x[k] for k in range(ranks)], dist.ReduceOp.AVG if kind == "average_scatter" else dist.ReduceOp.SUM)
                x = out
            w = weights[rank] if tuple(x.shape) == (ranks, *shape) else weights[rank][0]
            return (x * x * paddle.to_tensor(w)).sum()

        def in_one_process(kind, given):
            xs = [2.0 * each for each in given]
            total = reduce(np.add, xs)
            results = {
                "all_reduce": [total] * ranks, "average": [total / ranks] * ranks, "broadcast": [xs[-1]] * ranks,
                "view": [np.concatenate([total[:1], each[1:]]) for each in xs],
                "all_gather": [np.stack([each[0] for each in xs])] * ranks,
                "all_gather_into": [np.stack([each[0] for each in xs])] * ranks,
                "reduce_scatter": [total[k] for k in range(ranks)], "average_scatter": [total[k] / ranks for k in range(ranks)],
            }[kind]
            return sum((r * r * (w if r.shape == w.shape else w[0])).sum() for r, w in zip(results, weights))

        for kind in ["all_reduce", "average", "view", "broadcast", "all_gather", "all_gather_into", "reduce_scatter", "average_scatter"]:
            leaf = paddle.to_tensor(leaves[rank], stop_gradient=False)
            on_this_rank(kind, leaf).backward()
            found = np.zeros_like(leaves[rank]) if leaf.grad is None else leaf.grad.numpy()
            expected = np.zeros_like(leaves[rank])
            for place in np.ndindex(expected.shape):
                moved = [[each.copy() for each in leaves] for _ in range(2)]
                moved[0][rank][place] += 1e-5; moved[1][rank][place] -= 1e-5
                expected[place] = (in_one_process(kind, moved[0]) - in_one_process(kind, moved[1])) / 2e-5
            tell([kind, float(np.abs(found - expected).max()) < 1e-6])
        """,
        ranks,
        tmp_path,
    )
    assert ran.told[0], ran.errors
    assert len(ran.told[0]) == 8
    assert all(right for told in ran.told for _, right in told), ran.told


@on_many
def test_the_rules_of_autograd_are_kept(ranks: int, tmp_path: Path) -> None:
    ran = run(
        """
        leaf = paddle.to_tensor([1., 2.], stop_gradient=False)
        x = leaf * 2.
        y = x * x                                       # has saved x
        dist.all_reduce(x)
        tell(refusal(y.sum().backward))                 # stale
        tell(refusal(dist.all_reduce, leaf))            # a leaf
        tell(leaf.inplace_version)
        with paddle.no_grad():
            dist.all_reduce(leaf)
        tell(leaf.inplace_version)
        tell(refusal(dist.all_reduce, leaf * 1., dist.ReduceOp.MAX))
        tell(refusal(dist.all_reduce, paddle.ones([1]).as_strided([3], [0])))
        tell(refusal(dist.all_gather, [leaf.detach()] * ranks, paddle.ones([2])) if ranks > 1 else "two of its tensors share a storage.")
        tell(refusal(dist.all_reduce, paddle.ones([2]), 7))
        tell(refusal(dist.broadcast, paddle.ones([2]), ranks))
        tell(refusal(dist.all_reduce, paddle.ones([2]), group=3))
        tell(refusal(dist.all_reduce, paddle.ones([2]), sync_op=False))
        tell(refusal(dist.reduce_scatter, paddle.ones([2]), []))
        tell(refusal(dist.all_reduce, paddle.ones([2], "int32"), dist.ReduceOp.AVG))
        """,
        ranks,
        tmp_path,
    )
    assert ran.status == 0, ran.errors
    for told in ran.told:
        stale, leaf, version, under_no_grad, maximum, overlap, shared, op, src, group, sync, empty, average = told
        assert "modified by an inplace operation" in stale
        assert "Leaf" in leaf
        assert (version, under_no_grad) == (0, 1)
        assert "all_reduce with MAX has no derivative" in maximum
        assert "all_reduce" in overlap
        assert "two of its tensors share a storage" in shared
        assert "op=7 is not a ReduceOp" in op
        assert f"there is no rank {ranks}" in src
        assert "group=3 is not supported" in group
        assert "sync_op=False is not supported" in sync
        assert "tensor_list has 0 tensors" in empty
        assert "AVG is not defined for int32" in average


def test_recordings_say_which_collective_a_step_is(tmp_path: Path) -> None:
    ran = run(
        """
        from inplacelab.recording import to_json
        with paddle.record() as rec:
            x = paddle.to_tensor([1., 2.], stop_gradient=False)
            y = x * float(rank + 1)
            dist.all_reduce(y)
            gathered = []
            dist.all_gather(gathered, y.detach())
            dist.barrier()
            (y * y).sum().backward()
        tell(to_json(rec.recording))
        """,
        2,
        tmp_path,
    )
    for rank, (text,) in enumerate(ran.told):
        recording = from_json(text)
        assert recording.notes == ()
        made = [(step.op, step.collective) for step in recording.steps if step.collective is not None]
        assert [(op, each.name, each.number) for op, each in made] == [
            ("all_reduce", "all_reduce", 1),
            ("all_gather", "all_gather", 2),
            (None, "barrier", 3),
            ("all_reduce", "all_reduce", 4),  # in backward
        ]
        assert {(each.rank, each.ranks) for _, each in made} == {(rank, 2)}
        (reduced,) = (step for step in recording.steps if step.op == "all_reduce" and step.phase == "forward")
        (write,) = reduced.writes
        assert (write.before, write.after, write.slots, write.slots_are) == (0, 1, ((0, 2),), "written")
        assert '"collective":null' not in text
