// Each row minus its mean, divided by its standard deviation, in place. A block processes one row
// at a time.
//
// Two passes: first the mean, then the squares of the differences. The formula with one pass, mean of squares minus square of
// mean, would subtract two large numbers that are nearly equal.
__device__ $T over_the_block($T mine, $T *shared)
{
    shared[threadIdx.x] = mine;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();                        // all sums of the step before are written
        if (threadIdx.x < half)
            shared[threadIdx.x] += shared[threadIdx.x + half];
    }
    __syncthreads();
    $T sum = shared[0];
    __syncthreads();                            // all threads have read it: `shared` may be used again
    return sum;
}

extern "C" __global__ void $name($T *x, $T epsilon, long long rows, long long columns)
{
    __shared__ $T shared[256];

    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        long long first = row * columns;

        $T mine = 0;
        for (long long j = threadIdx.x; j < columns; j += blockDim.x)
            mine += x[first + j];
        $T mean = over_the_block(mine, shared) / columns;

        mine = 0;
        for (long long j = threadIdx.x; j < columns; j += blockDim.x) {
            $T apart = x[first + j] - mean;
            mine += apart * apart;
        }
        $T deviation = sqrt(over_the_block(mine, shared) / columns + epsilon);

        for (long long j = threadIdx.x; j < columns; j += blockDim.x)
            x[first + j] = (x[first + j] - mean) / deviation;
    }
}
