// Converts a floating-point number to an integer; the fraction is cut off. Outside the range of
// $integer, the result is undefined in C, and processors differ: GPUs and ARM return the nearest
// integer, x86 the smallest one. Here it is always the smallest.
__device__ $integer whole_number($T x)
{
    return x >= -$bound && x < $bound ? ($integer)x : $least;
}
