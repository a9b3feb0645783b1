// The transpose of a square matrix, in place. A block takes two tiles that mirror each other and
// swaps them: no other block accesses them, so nothing is overwritten that is still needed. Blocks
// below the diagonal have nothing to do.
extern "C" __global__ void $name($T *x, long long n)
{
    __shared__ $T above[32][33], below[32][33];
    if (blockIdx.y > blockIdx.x)
        return;
    long long i = (long long)blockIdx.y * 32, j = (long long)blockIdx.x * 32;
    bool two = i != j;                          // a tile on the diagonal is its own mirror image

    for (int k = threadIdx.y; k < 32; k += 8) {
        if (i + k < n && j + threadIdx.x < n)
            above[k][threadIdx.x] = x[(i + k) * n + j + threadIdx.x];
        if (two && j + k < n && i + threadIdx.x < n)
            below[k][threadIdx.x] = x[(j + k) * n + i + threadIdx.x];
    }
    __syncthreads();                            // both tiles are read: now they may be overwritten
    for (int k = threadIdx.y; k < 32; k += 8) {
        if (i + k < n && j + threadIdx.x < n)
            x[(i + k) * n + j + threadIdx.x] = two ? below[threadIdx.x][k] : above[threadIdx.x][k];
        if (two && j + k < n && i + threadIdx.x < n)
            x[(j + k) * n + i + threadIdx.x] = above[threadIdx.x][k];
    }
}
