// x[index[i]] += y[i], in place. Several threads may write the same slot: an atomic addition
// reads, adds and writes without interruption. The order of the additions is undefined, and so is
// the last digit of a sum of floats.
extern "C" __global__ void $name($T *x, const long long *index, const $T *y, long long n)
{
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long threads = (long long)gridDim.x * blockDim.x;

    for (long long i = thread; i < n; i += threads)
        atomicAdd(&x[index[i]], y[i]);
}
