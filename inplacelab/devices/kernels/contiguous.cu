// One element after the other, in slots that lie side by side.

$element
$packs
extern "C" __global__ void $name($parameters, long long n)
{
    // A thread takes every `threads`-th turn: whatever the grid, all turns are taken.
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long threads = (long long)gridDim.x * blockDim.x;

$loops
}
