#include "prelude.h"

static int counter;
static long long total;
static byte flag;
thread_local int own = hidden(5);
thread_local struct Kept { int x; Kept() : x(hidden(9)) {} } kept;
struct Lock {
    byte &at;
    explicit Lock(byte &at) : at(at) { while (__atomic_test_and_set(&at, __ATOMIC_ACQUIRE)) {} }
    ~Lock() { __atomic_clear(&at, __ATOMIC_RELEASE); }
};
int main() {
    for (int k = 0; k < hidden(10); k++) { Lock lock(flag); total += __atomic_fetch_add(&counter, k, __ATOMIC_SEQ_CST); }
    int expected = 45;
    num(__atomic_compare_exchange_n(&counter, &expected, 100, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)); num(counter);
    expected = 7;
    num(__atomic_compare_exchange_n(&counter, &expected, 1, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); num(expected);
    num(__atomic_exchange_n(&total, 5, __ATOMIC_SEQ_CST)); num(__atomic_or_fetch(&total, 8, __ATOMIC_SEQ_CST));
    num(__atomic_load_n(&flag, __ATOMIC_ACQUIRE));
    own += kept.x; num(own);
    asm volatile("" ::: "memory");
    int x = 3;
    asm volatile("" : "+r"(x));
    num(x);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); __atomic_thread_fence(__ATOMIC_SEQ_CST);
    line();
    return 0;
}
