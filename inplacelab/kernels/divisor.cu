// n / by.size without a division, which takes a GPU about twenty instructions: a product, a sum
// and a shift, with numbers that the host computes (T. Granlund and P. L. Montgomery, 1994). For n
// below 2^31.
struct Divisor {
    unsigned magic, shift;
};

__device__ unsigned divided(unsigned n, Divisor by)
{
    return (__umulhi(n, by.magic) + n) >> by.shift;
}
