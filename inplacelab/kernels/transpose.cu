// The transpose of a matrix, out of place: a tile at a time through shared memory, so that
// neighboring threads read neighboring slots and write neighboring slots. A row of 33 puts the
// 32 elements of a tile's column into 32 different banks of the shared memory.
extern "C" __global__ void $name(const $T *x, $T *out, long long rows, long long columns)
{
    __shared__ $T tile[32][33];
    long long tiles = (rows + 31) / 32;

    for (long long down = blockIdx.y; down < tiles; down += gridDim.y) {
        long long row = down * 32 + threadIdx.y, column = (long long)blockIdx.x * 32 + threadIdx.x;
        for (int k = 0; k < 32; k += 8)
            if (row + k < rows && column < columns)
                tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * columns + column];
        __syncthreads();                        // the tile is full

        row = (long long)blockIdx.x * 32 + threadIdx.y, column = down * 32 + threadIdx.x;
        for (int k = 0; k < 32; k += 8)
            if (row + k < columns && column < rows)
                out[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
        __syncthreads();                        // the tile may be filled again
    }
}
