// CUDA C on a CPU: enough of it to run the kernels of this folder, one thread after another, and to trace them.
//
// The text of a kernel is compiled with three changes: `float *x` becomes `Traced<float> x`, which checks every index before it is
// used, and records which thread reads or writes which bytes; `(Pack<float> *)x` becomes `packs<Pack<float>>(x)`; and the
// instructions that convert half precision become functions. Threads of a block are fibers (fibers.h): each runs until it ends or
// waits at a barrier, then the next one runs. This shows the results of a kernel and its accesses. It gives no information about
// speed, or about threads that run at the same time: for that, see `Trace.races`.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <type_traits>
#include <vector>

#define __global__
#define __device__ inline
#define __shared__ static

struct uint3 { unsigned x, y, z; };
static uint3 threadIdx, blockIdx, blockDim, gridDim;

// CUDA's mathematics: one name for float and double, as in <cmath>. Integers need `abs` only.
using std::abs, std::fabs, std::sqrt, std::exp, std::exp2, std::expm1, std::log, std::log2, std::log10, std::log1p, std::pow,
    std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2, std::sinh, std::cosh, std::tanh, std::asinh,
    std::acosh, std::atanh, std::erf, std::lgamma, std::floor, std::ceil, std::trunc, std::rint, std::fmod, std::fmax,
    std::fmin, std::hypot, std::copysign, std::nextafter, std::isnan, std::isinf, std::isfinite;

// The upper half of a product.
static unsigned __umulhi(unsigned x, unsigned y) { return (uint64_t)x * y >> 32; }

namespace cuda_on_cpu {

// ---- half precision: what PTX calls cvt.f32.f16, cvt.rn.f16.f64 and cvt.rn.f16.f32 ------------------------------------------------

static float cvt_f32_f16(unsigned short bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? std::ldexp(1024.0f + fraction, exponent - 25)
                                : std::ldexp((float)fraction, -24);
    return bits & 0x8000 ? -size : size;
}

static unsigned short cvt_f16_f64(double x)
{
    unsigned short sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isnan(x)) return 0x7fff;
    if (std::fabs(x) >= 65520) return sign | 0x7c00;       // from half way between the largest number, 65504, and 65536
    int exponent;
    std::frexp(x, &exponent);
    int last = std::fabs(x) < 0x1p-14 ? -24 : exponent - 11;       // the exponent of the last of 11 binary places
    return sign | (1024 * (last + 24) + (int)std::nearbyint(std::ldexp(std::fabs(x), -last)));
}

static unsigned short cvt_f16_f32(float x) { return cvt_f16_f64(x); }

// ---- a launch ---------------------------------------------------------------------------------------------------------------------

enum Kind : int32_t { READ, WRITE, ATOMIC };
enum Fault : int32_t { NONE, OUT_OF_BOUNDS, MISALIGNED, BARRIER };

// One access to the memory of an operand, as NumPy reads it.
struct Record {
    int64_t block, byte;
    int32_t thread, ordinal, barriers, operand, bytes, kind;
};

// The input of a launch, and its results.
struct Call {
    uint32_t grid[3], block[3];
    const int64_t *order;      // the order in which the threads of a block run
    int32_t trace;             // whether to record every access
    int32_t fault;             // the first fault, and where it happened
    int32_t operand, thread;
    int64_t at_block, byte;
    const Record *records;
    int64_t count;
};

static Call *call;
static std::vector<Record> records;
static std::vector<int32_t> ordinals;   // how many accesses each thread of the block has made
static int64_t block_number;
static int32_t thread_number, barriers_passed;

static void report(Fault fault, int32_t operand, int64_t byte)
{
    if (call->fault != NONE) return;
    call->fault = fault, call->operand = operand, call->byte = byte;
    call->at_block = block_number, call->thread = thread_number;
}

// ---- operands -------------------------------------------------------------------------------------------------------------

// The memory of an operand: its first element and its storage, which no access may leave.
struct Slots {
    char *first, *begin;
    int64_t bytes;
};

template <class T> struct Bare { using type = T; };
template <class T> struct Bare<const T> { using type = T; };

template <class T> struct Traced;

// One element of an operand: to use it is to read it, to assign to it is to write it.
template <class T> struct Element {
    using Value = typename Bare<T>::type;
    Traced<T> of;

    operator Value() const
    {
        Value value;
        memcpy(&value, of.look(READ), sizeof value);    // a pack may be aligned in its storage, but not on this machine
        return value;
    }
    // A type that the kernel defines (half) is converted explicitly: C++ applies one implicit conversion, not two.
    template <class U, class = typename std::enable_if<std::is_arithmetic<U>::value && !std::is_arithmetic<Value>::value>::type>
    operator U() const
    {
        return Value(*this);
    }
    Value operator=(Value value) const
    {
        memcpy(of.look(WRITE), &value, sizeof value);
        return value;
    }
    Value operator=(const Element &other) const { return *this = Value(other); }
    Traced<T> operator&() const { return of; }
};

template <class T> struct Traced {
    char *address, *begin;
    int64_t bytes;
    int32_t operand;

    Element<T> operator[](long long i) const
    {
        return {{address + i * (long long)sizeof(T), begin, bytes, operand}};
    }

    // Checks and records an access, and returns its memory; an access out of bounds gets a separate buffer.
    [[gnu::noinline]] char *look(Kind kind) const
    {
        static char nowhere[sizeof(T)];
        int64_t byte = address - begin;
        if (byte < 0 || byte + (int64_t)sizeof(T) > bytes) {
            report(OUT_OF_BOUNDS, operand, byte < 0 || byte > bytes ? byte : bytes);  // the first byte outside
            return nowhere;
        }
        if (byte % sizeof(T)) report(MISALIGNED, operand, byte);
        if (call->trace)
            records.push_back({block_number, byte, thread_number, ordinals[thread_number]++, barriers_passed, operand,
                               (int32_t)sizeof(T), kind});
        return address;
    }
};

template <class T> static Traced<T> operand(void *argument, int32_t number)
{
    auto *at = (Slots *)argument;
    return {at->first, at->begin, at->bytes, number};
}

// The same slots as packs, like a cast of a pointer.
template <class P, class T> static Traced<P> packs(Traced<T> x)
{
    return {x.address, x.begin, x.bytes, x.operand};
}

// No other thread runs, so this is atomic.
template <class T, class U> static T atomicAdd(Traced<T> at, U value)
{
    char *memory = at.look(ATOMIC);
    T before, after;
    memcpy(&before, memory, sizeof before);
    after = before + (T)value;
    memcpy(memory, &after, sizeof after);
    return before;
}

// ---- threads --------------------------------------------------------------------------------------------------------------

static void become(int32_t thread)
{
    thread_number = thread;
    threadIdx.x = thread % blockDim.x;
    threadIdx.y = thread / blockDim.x % blockDim.y;
    threadIdx.z = thread / (blockDim.x * blockDim.y);
}

// A kernel, with its arguments unpacked.
using Kernel = void (*)(void **arguments);

// Threads without barriers: each runs to its end.
static void run_block(Kernel kernel, void **arguments, int32_t threads)
{
    for (int32_t turn = 0; turn < threads; turn++) {
        become(call->order[turn]);
        kernel(arguments);
    }
}

static std::deque<Fiber> fibers;
static Kernel body;
static void **body_arguments;

static void barrier(int line) { fibers[thread_number].wait(line); }

// After a round, all threads must wait at the same barrier, or all must be done.
static bool all_alike()
{
    for (int32_t k = 0; k < (int32_t)fibers.size(); k++)
        if (fibers[k].done != fibers[0].done || fibers[k].waiting_at != fibers[0].waiting_at) {
            thread_number = k;
            report(BARRIER, -1, 0);
            return false;
        }
    return true;
}

// Threads with barriers: a round is from one barrier to the next.
static void run_fibers(Kernel kernel, void **arguments, int32_t threads)
{
    body = kernel, body_arguments = arguments;
    while ((int32_t)fibers.size() < threads) fibers.emplace_back();
    for (auto &fiber : fibers) fiber.start([] { body(body_arguments); });
    do {
        for (int32_t turn = 0; turn < threads; turn++) {
            become(call->order[turn]);
            fibers[thread_number].go_on();
        }
        barriers_passed++;
    } while (all_alike() && !fibers[0].done);
}

#define __syncthreads() cuda_on_cpu::barrier(__LINE__)

static void launch(Call *what, bool waits, Kernel kernel, void **arguments)
{
    call = what;
    records.clear();
    blockDim = {call->block[0], call->block[1], call->block[2]};
    gridDim = {call->grid[0], call->grid[1], call->grid[2]};
    int32_t threads = blockDim.x * blockDim.y * blockDim.z;
    int64_t blocks = (int64_t)gridDim.x * gridDim.y * gridDim.z;
    for (block_number = 0; block_number < blocks && call->fault == NONE; block_number++) {
        blockIdx.x = block_number % gridDim.x;
        blockIdx.y = block_number / gridDim.x % gridDim.y;
        blockIdx.z = block_number / gridDim.x / gridDim.y;
        ordinals.assign(threads, 0);
        barriers_passed = 0;
        (waits ? run_fibers : run_block)(kernel, arguments, threads);
    }
    fibers.clear();
    call->records = records.data(), call->count = (int64_t)records.size();
}

}  // namespace cuda_on_cpu
