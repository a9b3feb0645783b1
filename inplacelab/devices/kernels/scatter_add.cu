// x[index[i]] += y[i], in place. Several threads may mean the same slot: an atomic addition reads, adds and writes with
// nobody in between. In which order they come is left open, and with it the last digit of a sum of floats.
extern "C" __global__ void $name($T *x, const long long *index, const $T *y, long long n)
{
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long threads = (long long)gridDim.x * blockDim.x;

    for (long long i = thread; i < n; i += threads)
        atomicAdd(&x[index[i]], y[i]);
}
