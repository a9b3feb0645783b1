// A floating-point number as an integer: the fraction is cut off. Beyond the range of $integer, C leaves the result undefined, and
// processors differ: GPUs and ARM give the integer that comes nearest, x86 the least there is. Here it is always the latter.
__device__ $integer whole_number($T x)
{
    return x >= -$bound && x < $bound ? ($integer)x : $least;
}
