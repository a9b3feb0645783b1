// One element after the other, wherever a layout says that it lies.
struct Layout {
    long long rank, offset;
    long long shape[8], strides[8];
};

// The slot of element i, counted in row-major order: the last axis first.
__device__ long long slot(const Layout &a, long long i)
{
    long long found = a.offset;
    for (long long axis = a.rank - 1; axis >= 0; axis--) {
        found += i % a.shape[axis] * a.strides[axis];
        i /= a.shape[axis];
    }
    return found;
}

$element
extern "C" __global__ void $name($parameters, $layouts, long long n)
{
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long threads = (long long)gridDim.x * blockDim.x;

    for (long long i = thread; i < n; i += threads)
        $call
}
