"""Tests of ranks that fail: what can be found out is said on every rank that lives, and nothing hangs or is left behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inplacelab.installing import command, requirement
from tests.distributed.ranks import needs_mpi, run

SIZES = (2, 4)
on_both = pytest.mark.parametrize("ranks", SIZES)


@needs_mpi
@on_both
def test_unequal_collectives_are_refused_with_the_same_error_on_all_ranks_which_can_go_on(
    ranks: int, tmp_path: Path
) -> None:
    ran = run(
        """
        last = rank == ranks - 1
        ones = lambda shape, dtype="float32": paddle.ones(shape, dtype)
        x = ones([3] if last else [4])
        tell(refusal(dist.all_reduce, x))                                      # unequal shapes
        tell(x.inplace_version)
        tell(refusal(dist.all_reduce, ones([2], "float64" if last else "float32")))
        tell(refusal(dist.broadcast if last else dist.all_reduce, ones([2]), 0))    # unequal order
        tell(refusal(dist.barrier) if last else refusal(dist.all_reduce, ones([2])))
        tell(refusal(dist.all_reduce, ones([2]), dist.ReduceOp.MAX if last else dist.ReduceOp.SUM))
        tell(refusal(dist.all_reduce, "no tensor" if last else ones([2])))          # refused on one rank
        leaf = paddle.ones([2]); leaf.stop_gradient = not last
        tell(refusal(dist.all_reduce, leaf))
        total = ones([2])
        dist.all_reduce(total)
        tell(total.tolist())
        """,
        ranks,
        tmp_path,
    )
    assert (ran.status, ran.survivors) == (0, []), ran.errors
    shapes, version, dtypes, names, barrier, reductions, kind, leaf, total = zip(*ran.told, strict=True)
    for said in (shapes, dtypes, names, barrier, reductions):
        assert len(set(said)) == 1, said
        assert "is not the same on all ranks" in said[0]
    others = "rank 0" if ranks == 2 else "ranks 0, 1, 2"
    assert f"{others}: all_reduce(float32[4], SUM) at program.py:" in shapes[0]
    assert f"rank {ranks - 1}: all_reduce(float32[3], SUM) at program.py:" in shapes[0]
    assert "float64[2]" in dtypes[0]
    assert "broadcast(float32[2], src=0)" in names[0]
    assert "barrier()" in barrier[0]
    assert "MAX" in reductions[0]
    assert "all_reduce" in kind[-1]
    assert all(f"was refused on rank {ranks - 1}: {kind[-1]}" in each for each in kind[:-1])
    assert "Leaf" in leaf[-1]
    assert all(f"was refused on rank {ranks - 1}: {leaf[-1]}" in each for each in leaf[:-1])
    assert set(version) == {0}
    assert all(each == [float(ranks)] * 2 for each in total)


@needs_mpi
@on_both
def test_a_rank_that_skips_a_collective_and_ends_is_named_by_all_others(ranks: int, tmp_path: Path) -> None:
    ran = run(
        """
        x = paddle.ones([2])
        dist.all_reduce(x)
        if rank:
            tell(refusal(dist.all_reduce, x))
            tell(refusal(dist.barrier))
        """,
        ranks,
        tmp_path,
    )
    assert ran.survivors == []
    for first, second in ran.told[1:]:
        assert first.startswith("Rank 0 will not take part in all_reduce (collective 2, at program.py:")
        assert first.endswith("it has finished the program")
        assert first in second


@needs_mpi
@on_both
def test_a_rank_that_raises_ends_the_others_with_its_reason(ranks: int, tmp_path: Path) -> None:
    ran = run(
        """
        dist.barrier()
        if rank == 1:
            raise ValueError("no data")
        dist.all_reduce(paddle.ones([2]))
        """,
        ranks,
        tmp_path,
    )
    assert ran.status != 0
    assert ran.survivors == []
    said = "Rank 1 will not take part in all_reduce (collective 2, at program.py:"
    assert ran.errors.count(said) == ranks - 1, ran.errors
    assert ran.errors.count("it ended with ValueError: no data") == ranks - 1
    assert ran.errors.count("\nValueError: no data") == 1


@needs_mpi
@on_both
def test_a_rank_that_does_not_come_is_named_after_the_timeout(ranks: int, tmp_path: Path) -> None:
    ran = run(
        """
        import time
        dist.set_timeout(1)
        if rank:
            tell(refusal(dist.all_reduce, paddle.ones([2])))
            tell(refusal(dist.all_reduce, paddle.ones([2])))
        else:
            time.sleep(4)
            tell(refusal(dist.all_reduce, paddle.ones([2])))
        """,
        ranks,
        tmp_path,
    )
    assert ran.survivors == []
    for first, second in ran.told[1:]:
        assert first.startswith("Rank 0 did not reach all_reduce (collective 1, at program.py:")
        assert first in second
    (late,) = ran.told[0]
    assert "will not take part in all_reduce" in late
    assert "it gave up" in late


@needs_mpi
@on_both
def test_a_rank_that_is_killed_leaves_no_process_behind(ranks: int, tmp_path: Path) -> None:
    ran = run(
        """
        import os, signal
        dist.barrier()
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        dist.all_reduce(paddle.ones([2]))
        """,
        ranks,
        tmp_path,
    )
    assert ran.status != 0
    assert ran.survivors == []


@needs_mpi
@pytest.mark.standard
def test_a_rank_that_is_stopped_is_named_by_the_others_and_ended(tmp_path: Path) -> None:
    ran = run(
        """
        import os, signal
        dist.environment.GRACE = 0.5
        dist.set_timeout(1)
        dist.barrier()
        if rank == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
        tell(refusal(dist.all_reduce, paddle.ones([2])))
        """,
        2,
        tmp_path,
    )
    assert ran.status != 0
    assert ran.survivors == []
    (said,) = ran.told[0]
    assert said.startswith("Rank 1 did not reach all_reduce (collective 2, at program.py:")


@needs_mpi
@pytest.mark.standard
def test_a_rank_that_never_ends_does_not_keep_the_failed_ones_waiting(tmp_path: Path) -> None:
    ran = run(
        """
        import time
        dist.environment.GRACE = 0.5
        dist.barrier()
        if rank == 1:
            time.sleep(10_000)
        raise ValueError("no data")
        """,
        2,
        tmp_path,
    )
    assert ran.status != 0
    assert ran.survivors == []
    assert "Rank 0 has failed, and rank 1 was still running 0.5 seconds later" in ran.errors


def test_a_collective_without_the_other_ranks_says_how_to_start() -> None:
    said = _alone("import inplacelab as paddle; paddle.distributed.all_reduce(paddle.ones([2]))")
    assert "all_reduce needs the other ranks, and init_parallel_env() has not been called." in said
    assert "mpiexec -n 2 python program.py" in said


def test_without_mpi4py_one_sentence_says_what_to_install() -> None:
    hidden = "import sys; sys.modules['mpi4py'] = None; import inplacelab.distributed as dist; dist.init_parallel_env()"
    assert command(requirement("mpi")) in _alone(hidden)


@needs_mpi
def test_without_a_launcher_there_is_one_rank_and_a_warning() -> None:
    said = _alone(
        "import inplacelab as paddle, inplacelab.distributed as dist; dist.init_parallel_env()\n"
        "x = paddle.ones([2]); dist.all_reduce(x); print(dist.get_rank(), dist.get_world_size(), x.inplace_version)"
    )
    assert "There is only one rank. To start several: mpiexec -n 2 python program.py" in said
    assert "0 1 1" in said


def _alone(program: str) -> str:
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    return ran.stdout + ran.stderr
