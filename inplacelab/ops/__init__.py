"""The operations. Importing this package reads the table and gives `Tensor` its methods.

Each module of this folder is a chapter of the table: rows of one subject, with their kernels and derivatives, and functions that are
made of rows. The folders are the machinery:

    table/       the rows by name, and what is printed and generated from them
    template/    generates the Python functions of a row
    generated/   those functions, a file for each chapter: what runs when a program calls an operation
    arguments/   checks and converts what an operation is given
    results/     makes what it returns
    cuda/        launches a row's own kernel on a GPU
"""

from __future__ import annotations

from inplacelab.autograd import tensor_methods as _tensor_methods  # noqa: F401  # gives `Tensor` what it can do with its history
from inplacelab.ops import (  # noqa: F401  # importing a chapter adds its rows
    activations,
    along_axis,
    arithmetic,
    backward_operations,
    comparisons_and_logic,
    composed,
    creation,
    decompositions,
    elementary_functions,
    explicit_views,
    indexing,
    joining_and_splitting,
    masks_and_diagonals,
    matrices,
    products,
    random,
    reallocations,
    rearranging,
    reductions,
    scattering,
    sorting_and_counting,
    special_functions,
    statistics,
    tensor_methods,
    torch_variants,
    views,
)
from inplacelab.ops.table import FUNCTIONS, ROWS
from inplacelab.ops.table.row import BUILT_IN

__all__ = ["FUNCTIONS", "ROWS"]

_ORDER = """
    sigmoid relu relu6 silu softplus leaky_relu elu hardtanh thresholded_relu softmax _log_softmax _binary_cross_entropy take_along_axis
    _put_along _add_along _multiply_along _mean_along _extreme_along scatter_add add subtract multiply divide floor_divide remainder gcd
    lcm lerp addcmul addcdiv hypot atan2 logaddexp copysign nextafter ldexp _gamma_density gammainc gammaincc _inside _outside clip
    clamp_min clamp_max nan_to_num equal not_equal less_than less_equal greater_than greater_equal isnan isinf isfinite matmul clone
    cast conj inverse _det _logabsdet _solve _cholesky _eigvalsh _eigenvectors _q _r _svdvals _left _right tril triu fill_diagonal
    fill_diagonal_tensor diag dropout reshape flatten transpose t squeeze unsqueeze ravel unflatten swapaxes moveaxis _mT diagonal
    unfold slice strided_slice narrow _nth getitem _window _as_shape _as_dtype as_real as_complex real imag exp exp2 expm1 log log2
    log10 log1p logit flip roll tile _take gather_nd _put index_put addmm baddbmm bmm mv dot outer logical_and logical_or logical_xor
    logical_not bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift masked_fill masked_scatter cumsum
    cumprod logcumsumexp _recurrence sum mean prod all any expand max min amax amin argmax argmin maximum minimum fmax fmin heaviside
    where norm renorm embedding_renorm index_select gather index_add index_fill scatter _framed scale neg abs sign sgn square sqrt rsqrt
    reciprocal pow uniform normal log_normal exponential cauchy bernoulli geometric random _lengthened floor ceil trunc round frac
    argsort _first_places erf erfinv lgamma gammaln digamma polygamma multigammaln i0 i1 _bessel_i _spherical_bessel _part _place var
    std logsumexp fill zero copy setitem _relu _sign _sgn _abs _hardtanh _leaky_relu _leaky_relu_over _sqrt _hardswish _maximum _minimum
    _at_least _at_most _atan2 _lerp _max _min sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sinc
"""
"""The order of the rows in listings, whichever chapter they are in."""

for _name in _ORDER.split():
    ROWS[_name] = ROWS.pop(_name)
BUILT_IN.update(ROWS)
