// One element after the other, wherever a layout says that it lies.
struct Layout {
    $number rank, offset;
    $counter shape[8];
    $number strides[8];
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
        $counter rest = i;
        for (int axis = $target.rank - 1; axis > 0; axis--) {  // the last axis runs fastest
            $number along = rest % $target.shape[axis];
            rest /= $target.shape[axis];
            $steps
        }
        $last
$body
    }
}
