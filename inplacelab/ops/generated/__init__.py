"""The functions of the rows, as the template makes them: a file for each chapter of `ops/`.

`python -m inplacelab.ops.table.generate` writes them. Do not edit them; but read them, and set breakpoints in them: they are what runs.
"""

_ROWS = {
    "activations": "sigmoid relu relu6 silu softplus leaky_relu elu hardtanh thresholded_relu softmax _log_softmax _binary_cross_entropy dropout",
    "along_axis": "take_along_axis _put_along _add_along _multiply_along _mean_along _extreme_along scatter_add",
    "arithmetic": "add subtract multiply divide floor_divide remainder gcd lcm lerp addcmul addcdiv _inside _outside clip clamp_min clamp_max nan_to_num floor ceil trunc round frac",
    "comparisons_and_logic": "equal not_equal less_than less_equal greater_than greater_equal isnan isinf isfinite logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift maximum minimum fmax fmin heaviside where",
    "creation": "clone cast conj",
    "decompositions": "inverse _det _logabsdet _solve _cholesky _eigvalsh _eigenvectors _q _r _svdvals _left _right norm renorm embedding_renorm",
    "elementary_functions": "exp exp2 expm1 log log2 log10 log1p logit scale neg abs sign sgn square sqrt rsqrt reciprocal pow sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sinc",
    "explicit_views": "_as_shape _as_dtype as_real as_complex real imag",
    "indexing": "_take gather_nd _put index_put fill zero copy setitem",
    "joining_and_splitting": "_part _place",
    "masks_and_diagonals": "tril triu fill_diagonal fill_diagonal_tensor diag masked_fill masked_scatter",
    "products": "matmul addmm baddbmm bmm mv dot outer",
    "random": "uniform normal log_normal exponential cauchy bernoulli geometric random",
    "reallocations": "_lengthened",
    "rearranging": "flip roll tile _framed",
    "reductions": "cumsum cumprod logcumsumexp _recurrence sum mean prod all any expand max min amax amin argmax argmin",
    "scattering": "index_select gather index_add index_fill scatter",
    "sorting_and_counting": "argsort _first_places",
    "special_functions": "hypot atan2 logaddexp copysign nextafter ldexp _gamma_density gammainc gammaincc erf erfinv lgamma gammaln digamma polygamma multigammaln i0 i1 _bessel_i _spherical_bessel",
    "statistics": "var std logsumexp",
    "torch_variants": "_relu _sign _sgn _abs _hardtanh _leaky_relu _leaky_relu_over _sqrt _hardswish _maximum _minimum _at_least _at_most _atan2 _lerp _max _min",
    "views": "reshape flatten transpose t squeeze unsqueeze ravel unflatten swapaxes moveaxis _mT diagonal unfold slice strided_slice narrow _nth getitem _window",
}
CHAPTER_OF = {row: chapter for chapter, rows in _ROWS.items() for row in rows.split()}
"""The file in which the functions of a row are."""
