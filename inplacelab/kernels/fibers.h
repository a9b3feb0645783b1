// Fibers: functions that can be suspended where they wait, and resumed later. One runs at a time.
//
// On Linux each has a context (a stack and a position in the code). On systems without contexts, or where they are deprecated, each
// is a thread of the operating system, and a mutex lets one run at a time, which is slower. -DONE_THREAD_EACH selects this on Linux.

#include <cstdlib>

#if defined(__linux__) && !defined(ONE_THREAD_EACH)

#include <ucontext.h>

class Fiber {
public:
    bool done = false;
    int waiting_at = 0;             // where it was suspended: not 0

    // Prepares to run a function from its beginning.
    void start(void (*function)())
    {
        does = function, done = false, waiting_at = 0;
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = STACK;
        context.uc_link = &caller;  // when it ends, the caller of `go_on` continues
        makecontext(&context, enter, 0);
    }
    // Runs until it waits or is done.
    void go_on()
    {
        current = this, waiting_at = 0;
        swapcontext(&caller, &context);
    }
    // Called by the function: waits until a caller calls `go_on`.
    void wait(int where)
    {
        waiting_at = where;
        swapcontext(&context, &caller);
    }
    Fiber() : stack((char *)malloc(STACK)) {}
    ~Fiber() { free(stack); }

private:
    static const size_t STACK = 64 * 1024;
    static ucontext_t caller;
    static Fiber *current;

    void (*does)() = nullptr;
    char *stack;
    ucontext_t context;

    static void enter()
    {
        current->does();
        current->done = true;
    }
};

ucontext_t Fiber::caller;
Fiber *Fiber::current;

#else

#include <condition_variable>
#include <mutex>
#include <thread>

class Fiber {
public:
    bool done = false;
    int waiting_at = 0;

    void start(void (*function)())
    {
        end();
        done = given_up = has_baton = false, waiting_at = 0;
        thread = std::thread([this, function] {
            std::unique_lock<std::mutex> lock(mutex);
            changed.wait(lock, [this] { return has_baton; });
            try {
                if (!given_up) function();
            } catch (GivenUp) {
            }
            done = true, has_baton = false;
            changed.notify_all();
        });
    }
    void go_on()
    {
        std::unique_lock<std::mutex> lock(mutex);
        waiting_at = 0;
        pass_baton(lock, true);
    }
    void wait(int where)
    {
        std::unique_lock<std::mutex> lock(mutex, std::adopt_lock);  // the running fiber holds it already, and keeps it
        waiting_at = where;
        pass_baton(lock, false);
        lock.release();
        if (given_up) throw GivenUp();
    }
    ~Fiber() { end(); }

private:
    struct GivenUp {};

    std::thread thread;
    std::mutex mutex;
    std::condition_variable changed;
    bool has_baton = false, given_up = false;

    void pass_baton(std::unique_lock<std::mutex> &lock, bool to_fiber)
    {
        has_baton = to_fiber;
        changed.notify_all();
        changed.wait(lock, [this, to_fiber] { return has_baton != to_fiber; });
    }
    // A function that would wait forever is woken once more, to unwind its stack.
    void end()
    {
        if (!thread.joinable()) return;
        {
            std::unique_lock<std::mutex> lock(mutex);
            given_up = has_baton = true;
            changed.notify_all();
        }
        thread.join();
    }
};

#endif
