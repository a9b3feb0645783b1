// One element after another, in neighboring slots.

$element
$packs
extern "C" __global__ void $name($parameters, long long n)
{
    // A thread takes every `threads`-th turn, so any grid covers all turns.
    long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long threads = (long long)gridDim.x * blockDim.x;

$loops
}
