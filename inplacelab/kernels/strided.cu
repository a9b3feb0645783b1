// One element after another, at the slots of a layout.

$divisor
struct Layout {
    $number offset;
    $counter shape[$axes];
    $number strides[$axes];$divisors
};

$element
$packs
extern "C" __global__ void $name($parameters,
    $layouts, $number n)
{
    $counter thread = ${wide}blockIdx.x * blockDim.x + threadIdx.x;
    $counter threads = ${wide}gridDim.x * blockDim.x;

    for ($counter i = thread; i < n; i += threads) {
        $number $offsets;
$walk
$body
    }
}
