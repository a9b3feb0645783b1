"""Every kernel compiles for three generations of GPUs, without a GPU."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from operator import itemgetter

import pytest

from inplacelab import errors, kernels
from inplacelab.installing import command, requirement
from inplacelab.kernels import on_gpu as nvrtc
from inplacelab.kernels import sources
from inplacelab.kernels.launch import C_TYPES
from inplacelab.kernels.own_kernels import data_types
from inplacelab.kernels.sources import Form, Kind, Source
from inplacelab.ops import ROWS
from tests.tiers import choose, sample

needs_nvrtc = pytest.mark.skipif(
    not nvrtc.available(), reason="needs NVRTC: python -m pip install -e '.[nvrtc]' (no GPU needed)"
)
OWN_TEXT = (sources.normalize, sources.transpose, sources.transpose_square, sources.scatter_add)
SOME = [
    *(make("float32") for make in OWN_TEXT),
    kernels.source("relu_"),
    kernels.source("relu", "float64", "strided"),
    kernels.fuse("scale_", "add_", "relu_").source("float32"),
]
OTHERS = [
    *(make("float64") for make in OWN_TEXT),
    kernels.fuse("scale_", "add_", "relu_").source("float64", "strided"),
]


def together(sources: list[Source]) -> Source:
    """Many kernels in one text, each in a separate namespace."""
    text = "\n".join(f"namespace of_{each.name} {{\n{each.text}\n}}" for each in sources)
    return replace(sources[0], name="together", text=text)


def elementwise(dtype: str, layout: str) -> list[Source]:
    """All element-wise kernels for a data type, in place where there is such a variant."""
    rows = [row for row in ROWS.values() if dtype in data_types(row)]
    return [kernels.source(row.name + "_" * (dtype in data_types(row, in_place=True) and row.in_place), dtype, layout) for row in rows]  # fmt: skip


@needs_nvrtc
@pytest.mark.parametrize(
    "architecture",
    [nvrtc.ARCHITECTURES[-1], *(pytest.param(a, marks=pytest.mark.standard) for a in nvrtc.ARCHITECTURES[:-1])],
)
def test_kernels_compile(architecture: int) -> None:
    made = nvrtc.cubin(together(SOME), architecture)
    assert made[:4] == b"\x7fELF"
    assert all(each.name.encode() in made for each in SOME)


@needs_nvrtc
@pytest.mark.standard
@pytest.mark.parametrize(
    ("dtype", "layout", "architecture"),
    sample(
        product(C_TYPES, ("contiguous", "strided"), nvrtc.ARCHITECTURES),
        one_in=choose(100, 100, 1),
        by=[itemgetter(0), itemgetter(1), itemgetter(2)],
    ),
)
def test_every_expression_compiles(dtype: str, layout: str, architecture: int) -> None:
    every = elementwise(dtype, layout)
    made = nvrtc.cubin(together(every), architecture)
    assert all(each.name.encode() in made for each in every)


@needs_nvrtc
@pytest.mark.standard
@pytest.mark.parametrize("architecture", nvrtc.ARCHITECTURES)
def test_the_others_in_double_precision_compile(architecture: int) -> None:
    made = nvrtc.cubin(together(OTHERS), architecture)
    assert all(each.name.encode() in made for each in OTHERS)


@needs_nvrtc
def test_a_text_includes_no_headers() -> None:
    assert all("#include" not in each.text and "$" not in each.text for each in SOME)
    assert "ld.global.v4.f32" in nvrtc.ptx(kernels.source("relu_"), 80)  # one instruction for four floats
    assert "atom.global.add.f64" in nvrtc.ptx(sources.scatter_add("float64"), 80)


@needs_nvrtc
@pytest.mark.parametrize("axes", [1, 2, 5])
def test_layouts_are_read_where_they_lie(axes: int) -> None:
    """In the constant memory of the arguments: an index known only while the kernel runs would have every thread copy them."""
    made = nvrtc.ptx(kernels.get("relu_").source_for("float32", Form("strided", 1, 32, axes)), 80)  # type: ignore[attr-defined]
    assert ".local" not in made
    assert (made.count("mul.hi.u32"), "div.u32" in made) == (axes - 1, False)
    assert "u64" not in made.replace(".param .u64", "").replace("ld.param.u64", "").replace("cvta.to.global.u64", "")


@needs_nvrtc
@pytest.mark.parametrize(
    ("name", "dtype"), [("abs_", "int8"), ("add_", "int16"), ("greater_than", "uint8"), ("lgamma_", "float32")]
)
@pytest.mark.parametrize("kind", ["contiguous", "strided"])
def test_packs_of_any_type_are_one_instruction_and_stay_in_registers(name: str, dtype: str, kind: Kind) -> None:
    made = nvrtc.ptx(kernels.get(name).source_for(dtype, Form(kind, C_TYPES[dtype].width)), 80)  # type: ignore[attr-defined]
    assert "ld.global.v4" in made
    assert "st.global.v4" in made
    assert ".local" not in made


@needs_nvrtc
def test_what_does_not_compile_is_refused_with_the_compilers_words() -> None:
    broken = replace(kernels.source("relu_"), text="__global__ void broken() { nonsense; }")
    with pytest.raises(errors.KernelTextError, match=r'identifier "nonsense" is undefined'):
        nvrtc.cubin(broken, 80)


@needs_nvrtc
def test_a_gpu_is_given_machine_code_or_what_its_driver_compiles() -> None:
    kernel = kernels.source("relu_")
    known = nvrtc._found().architectures()
    assert {75, 80, 90} <= set(known)
    assert nvrtc.for_gpu(kernel, 90)[:4] == b"\x7fELF"
    assert f".target sm_{max(known)}".encode() in nvrtc.for_gpu(kernel, 999)
    with pytest.raises(RuntimeError, match=r"compute capability is 5\.2\.[\s\S]*for 7\.5 and later"):
        nvrtc.for_gpu(kernel, 52)


@needs_nvrtc
def test_half_precision_is_converted_by_instructions() -> None:
    made = nvrtc.ptx(kernels.source("exp_", "float16"), 80)
    assert ("cvt.f32.f16" in made, "cvt.rn.f16.f32" in made, ".local" in made) == (True, True, False)
    assert "ld.global.v4" in made
    assert "cvt.rn.f16.f64" in nvrtc.ptx(kernels.get("cast").source_for(("float64", "float16"), Form()), 80)  # type: ignore[attr-defined]


@needs_nvrtc
def test_the_smallest_numbers_are_kept() -> None:
    assert "ftz" not in nvrtc.ptx(kernels.source("add_"), 80)


def test_without_nvrtc_the_refusal_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc, "_nvrtc", lambda: None)
    with pytest.raises(ImportError, match=re.escape(command(requirement("nvrtc")))):
        nvrtc.cubin(kernels.source("relu_"), 80)
