"""The slots that a thread accesses: `geometry` and `traffic` agree with the trace of the kernel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.kernels import geometry, launching, on_cpu, traffic
from inplacelab.kernels.launch import C_TYPES, Launch, Operand
from inplacelab.kernels.on_cpu import Trace
from inplacelab.layout import Layout, packed
from tests.backends.launched import compile_for
from tests.kernels.traces import of_thread, races
from tests.tiers import choose, examples, sample


def ramp(*shape: int, dtype: str = "float32") -> Any:
    return paddle.to_tensor(np.arange(1, np.prod(shape) + 1).reshape(shape).astype(dtype))


def _add_at() -> None:
    kernels.run("add_at_", ramp(9), paddle.to_tensor(np.arange(300) % 7), ramp(300))


PROGRAMS: dict[str, Callable[[], Any]] = {
    "in place": lambda: kernels.run("relu_", ramp(1029)),
    "in place, doubles": lambda: kernels.run("exp_", ramp(37, dtype="float64")),
    "out of place": lambda: kernels.run("relu", ramp(2050)),
    "two operands": lambda: kernels.run("add_", ramp(3, 41), ramp(3, 41)),
    "another dtype": lambda: kernels.run("greater_than", ramp(300), ramp(300)),
    "not aligned": lambda: kernels.run("relu_", ramp(300)[1:]),
    "every second": lambda: kernels.run("relu_", ramp(300)[::2]),
    "a column": lambda: kernels.run("relu_", ramp(40, 40)[:, 3]),
    "transposed": lambda: kernels.run("relu", ramp(20, 30).transpose([1, 0])),
    "four axes": lambda: kernels.run("relu_", ramp(3, 4, 5, 6).transpose([2, 0, 3, 1])[1:, :, ::2]),
    "broadcast": lambda: kernels.run("add_", ramp(30, 20), ramp(20)),
    "a number written": lambda: kernels.run("fill_", ramp(300), 2.0),
    "a copy written": lambda: kernels.run("copy_", ramp(20, 30)[:, ::2], ramp(15)),
    "broadcast along the last": lambda: kernels.run("add_", ramp(30, 7), ramp(30, 1)),
    "one number for all": lambda: kernels.run("multiply_", ramp(3, 43), ramp(1)),
    "one for every row": lambda: kernels.run("add_", ramp(30, 8), ramp(30, 1)),
    "one for every row, apart": lambda: kernels.run("add", ramp(5, 40)[:, :24], ramp(5, 1)),
    "two data types": lambda: kernels.run("add_", ramp(3, 41), ramp(3, 41, dtype="float16")),
    "two data types, strided": lambda: kernels.run("add", ramp(20, 40)[:, :24], ramp(24, dtype="float64")),
    "half precision": lambda: kernels.run("relu_", ramp(1029, dtype="float16")),
    "cast": lambda: kernels.run("cast", ramp(300), "int64"),
    "cast, strided": lambda: kernels.run("cast", ramp(20, 40, dtype="int8")[:, 8:24], "float32"),
    "chosen": lambda: kernels.run("where", ramp(50).greater_than(ramp(1)), ramp(50), ramp(50)),
    "rows of a wider matrix": lambda: kernels.run("relu_", ramp(20, 40)[2:, 8:24]),
    "rows, two operands": lambda: kernels.run("add", ramp(20, 40)[:, :24], ramp(24)),
    "rows, not aligned": lambda: kernels.run("relu_", ramp(20, 40)[:, 2:10]),
    "transposed, in place": lambda: kernels.run("relu_", ramp(20, 30).t()),
    "small integers": lambda: kernels.run("abs_", ramp(1000, dtype="int8")),
    "truth values": lambda: kernels.run("greater_than", ramp(20, 40)[:, 8:24], ramp(16)),
    "fused": lambda: kernels.fuse("scale_", "add_", "relu_")(ramp(515), ramp(515), scale=2.0),
    "normalized": lambda: kernels.run("normalize_", ramp(3, 700)),
    "transpose": lambda: kernels.run("transpose_tiled", ramp(45, 71)),
    "square transpose": lambda: kernels.run("transpose_square_", ramp(71, 71)),
    "scatter": _add_at,
}


def watched(program: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> tuple[Launch, Trace]:
    """The launch of a program, and what its threads did."""
    traces: list[Trace] = []
    plain = on_cpu.run

    def traced(*args: Any, **options: Any) -> Trace:
        traces.append(plain(*args, **options, trace=True))
        return traces[-1]

    monkeypatch.setattr(on_cpu, "run", traced)
    with kernels.launches() as seen:
        program()
    (launch,), (trace,) = seen, traces
    return launch, trace


TRIED = sample(PROGRAMS, one_in=choose(6, 1, 1))


@pytest.fixture(scope="session")
def all_compiled(compiler: str) -> None:
    compile_for(*(PROGRAMS[name] for name in TRIED))


@pytest.fixture(params=TRIED, ids=lambda name: name.replace(" ", "_"))
def launched(
    request: pytest.FixtureRequest, all_compiled: None, monkeypatch: pytest.MonkeyPatch
) -> tuple[Launch, Trace]:
    return watched(PROGRAMS[request.param], monkeypatch)


def by_operand(accesses: list[tuple[str, str, int, int]]) -> dict[str, list[tuple[str, int, int]]]:
    """The accesses to each operand, in order. (In which order two operands of one expression are read, C++ leaves open.)"""
    found: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    for operand, kind, byte, count in accesses:
        found[operand].append((kind, byte, count))
    return dict(found)


def test_every_thread_accesses_the_slots_of_geometry(launched: tuple[Launch, Trace]) -> None:
    launch, trace = launched
    sizes = {each.name: C_TYPES[each.dtype].size for each in launch.operands}
    known = [each.name for each in launch.operands if not (launch.kind == "scatter_add" and each.name == "x")]
    assert len(trace)
    for block in range(launch.blocks):
        for thread in range(launch.threads):
            done = by_operand([tuple(seen) for seen in of_thread(trace, block, thread) if seen.operand in known])  # type: ignore[misc]
            said = by_operand([
                (name, kind, slot * sizes[name], count * sizes[name])
                for name, kind, slot, count, _ in geometry.accesses(launch, block, thread) if slot is not None
            ])  # fmt: skip
            assert done == said, (block, thread)


def test_the_bytes_of_a_launch_are_those_that_its_threads_request(launched: tuple[Launch, Trace]) -> None:
    launch, trace = launched
    adds = trace.bytes("adds")  # an atomic addition reads and writes
    assert (launch.bytes_read, launch.bytes_written) == (trace.bytes("reads") + adds, trace.bytes("writes") + adds)


def test_numbers_of_64_bits_lead_to_the_same_slots(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAMS["four axes"]
    narrow, seen = watched(program, monkeypatch)
    monkeypatch.undo()
    monkeypatch.setattr(launching, "FITS", 100)
    launching.plan.cache_clear()
    wide, seen_wide = watched(program, monkeypatch)
    assert narrow == wide
    assert kernels.source_of(wide).name.endswith("_64_bits")
    assert np.array_equal(seen.records, seen_wide.records)
    launching.plan.cache_clear()


def test_no_two_threads_are_in_each_others_way(launched: tuple[Launch, Trace]) -> None:
    assert races(launched[1]) == []


@pytest.mark.parametrize("name", ["in place", "every second", "transposed", "two operands", "transpose"])
def test_the_requests_of_a_warp_are_those_of_its_threads(
    name: str, compiler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch, trace = watched(PROGRAMS[name], monkeypatch)
    records = trace.records[(trace.records["block"] == 0) & (trace.records["thread"] < geometry.WARP)]
    seen = set()
    for ordinal in np.unique(records["ordinal"]):
        for number, operand in enumerate(trace.operands):
            asked = records[(records["ordinal"] == ordinal) & (records["operand"] == number)]
            for kind in np.unique(asked["kind"]):
                some = asked[asked["kind"] == kind]
                ranges = [(int(r["byte"]), int(r["bytes"])) for r in some]
                seen.add((operand, int(some["bytes"].sum()), traffic.sectors(ranges)))
    assert {(r.operand, r.used, r.sectors) for r in traffic.requests(launch)} == seen


def looked_at(launch: Launch) -> int:
    """What is requested, request by request."""
    warps = range(-(-launch.threads // geometry.WARP))
    return sum(
        each.requested
        for block in range(launch.blocks)
        for warp in warps
        for each in traffic.requests(launch, block, warp)
    )


def test_what_a_launch_moves_is_counted_without_looking_at_its_requests(launched: tuple[Launch, Trace]) -> None:
    launch = launched[0]
    assert traffic.requested(launch) == (None if launch.kind == "scatter_add" else looked_at(launch))


@settings(deadline=None, max_examples=examples(30))
@given(
    shape=st.lists(st.integers(1, 12), min_size=1, max_size=3)
    | st.tuples(st.integers(1, 9), st.integers(30, 150)).map(list),
    gaps=st.lists(st.sampled_from([0, 1, 4, 5, 12]), min_size=3, max_size=3),
    inner=st.sampled_from([1, 1, 2, 3, 8, 9, -1, 0]),
    dtype=st.sampled_from(["float32", "float64", "int8"]),
    offset=st.integers(0, 40),
)
def test_sectors_of_any_layout(shape: list[int], gaps: list[int], inner: int, dtype: str, offset: int) -> None:
    strides, step = [inner], abs(inner) or 1
    for size, gap in zip(reversed(shape[1:]), gaps, strict=False):
        step = step * size + gap
        strides.insert(0, step)
    x = Operand("x", "reads", dtype, tuple(shape), tuple(strides), offset + 4096, 10**9)
    out = Operand("out", "writes", dtype, tuple(shape), packed(tuple(shape)), offset, 10**9)
    n = x.elements
    launch = Launch("relu", "strided", *geometry.elementwise(n), 1, dtype, (x, out), 0, 0)
    assert traffic.requested(launch) == looked_at(launch)
    in_a_row = Operand("x", "both", dtype, (n,), (1,), offset, 10**9)
    width = C_TYPES[dtype].width if offset % C_TYPES[dtype].width == 0 else 1
    launch = Launch("relu_", "contiguous", *geometry.elementwise(n, width), width, dtype, (in_a_row,), 0, 0)
    assert traffic.requested(launch) == looked_at(launch)


def test_a_layout_whose_rows_never_repeat_is_not_counted() -> None:
    x = Operand("x", "both", "float32", (3, 99_999, 7), (99_999 * 9, 9, 1), 0, 10**9)
    assert (
        traffic.requested(Launch("relu_", "strided", *geometry.elementwise(x.elements), 1, "float32", (x,), 0, 0))
        is None
    )


# ---- known answers --------------------------------------------------------------------------------------------------------


def launch_of(layout: Layout, width: int = 1) -> Launch:
    x = Operand("x", "reads", "float32", *layout, 4 * 4096)
    out = Operand("out", "writes", "float32", layout.shape, (1,), 0, 4 * layout.size)
    grid = geometry.elementwise(layout.size, width)
    kind = "contiguous" if width > 1 or layout.strides == (1,) else "strided"
    return Launch("relu", kind, *grid, width, "float32", (x, out), 0, 0)


@pytest.mark.parametrize(
    ("stride", "sectors", "efficiency"), [(1, 4, 1.0), (2, 8, 0.5), (8, 32, 0.125), (64, 32, 0.125), (0, 1, 4.0)]
)
def test_a_warp_pays_for_sectors(stride: int, sectors: int, efficiency: float) -> None:
    read, written = traffic.requests(launch_of(Layout((32,), (stride,), 0)))
    assert (len(read.sectors), read.efficiency, read.used) == (sectors, efficiency, 128)
    assert (len(written.sectors), written.efficiency) == (4, 1.0)


def test_an_offset_costs_a_sector() -> None:
    read, _ = traffic.requests(launch_of(Layout((32,), (1,), 1)))
    assert (read.sectors, read.requested) == ((0, 1, 2, 3, 4), 160)


def test_packs_are_wide_requests() -> None:
    read, _ = traffic.requests(launch_of(Layout((128,), (1,), 0), width=4))
    assert (read.used, len(read.sectors), read.efficiency) == (512, 16, 1.0)


def test_a_grid_covers_all_elements_and_repeats_beyond_its_largest() -> None:
    assert geometry.elementwise(0).blocks == (1, 1, 1)
    assert geometry.elementwise(257).blocks == (2, 1, 1)
    assert geometry.elementwise(2**40, 4).blocks == (geometry.MOST_BLOCKS, 1, 1)
    launch = launch_of(Layout((70_000,), (1,), 0), width=4)
    done = [
        e for block in range(launch.blocks) for thread in range(256) for e in geometry.elements(launch, block, thread)
    ]
    assert sorted(done) == list(range(70_000))


def test_in_place_saves_memory_and_fusion_saves_traffic(compiler: str) -> None:
    """A chain of three over n floats: 24 bytes an element in place and out of place alike; fused, 8."""
    n = 4096
    fused = kernels.fuse("scale_", "abs_", "relu_")
    bytes_of = {}
    for how, program in {
        "out of place": lambda: kernels.run("relu", kernels.run("abs", kernels.run("scale", ramp(n)))),
        "in place": lambda: kernels.run("relu_", kernels.run("abs_", kernels.run("scale_", ramp(n)))),
        "fused": lambda: fused(ramp(n)),
    }.items():
        with kernels.launches() as seen:
            program()
        bytes_of[how] = (traffic.total(seen).total, traffic.allocated(seen))
    assert bytes_of == {"out of place": (24 * n, 12 * n), "in place": (24 * n, 0), "fused": (8 * n, 0)}
