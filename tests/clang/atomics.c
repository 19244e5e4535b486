// Atomic accesses of all widths and orderings: loads, stores, updates, exchanges, fences; alone, and by threads.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#define WIDTH(T, name, format)                                                                                       \
    static _Atomic T shared_##name[3] = {1, 2, 3};                                                                   \
    __attribute__((noinline)) T add_##name(_Atomic T *p, T x) { return atomic_fetch_add(p, x); }                     \
    __attribute__((noinline)) T sub_##name(_Atomic T *p, T x) {                                                      \
        return atomic_fetch_sub_explicit(p, x, memory_order_acquire);                                                \
    }                                                                                                                \
    __attribute__((noinline)) T and_##name(_Atomic T *p, T x) {                                                      \
        return atomic_fetch_and_explicit(p, x, memory_order_release);                                                \
    }                                                                                                                \
    __attribute__((noinline)) T or_##name(_Atomic T *p, T x) {                                                       \
        return atomic_fetch_or_explicit(p, x, memory_order_acq_rel);                                                 \
    }                                                                                                                \
    __attribute__((noinline)) T xor_##name(_Atomic T *p, T x) {                                                      \
        return atomic_fetch_xor_explicit(p, x, memory_order_relaxed);                                                \
    }                                                                                                                \
    __attribute__((noinline)) T exchange_##name(_Atomic T *p, T x) { return atomic_exchange(p, x); }                 \
    __attribute__((noinline)) int compare_##name(_Atomic T *p, T *old, T x) {                                        \
        return atomic_compare_exchange_strong(p, old, x);                                                            \
    }                                                                                                                \
    __attribute__((noinline)) int weak_##name(_Atomic T *p, T old, T x) {                                            \
        int tries = 0;                                                                                               \
        while (!atomic_compare_exchange_weak_explicit(p, &old, x, memory_order_release, memory_order_relaxed))       \
            tries = 1;                                                                                               \
        return tries;                                                                                                \
    }                                                                                                                \
    __attribute__((noinline)) T nand_##name(_Atomic T *p, T x) { return __atomic_fetch_nand((T *)p, x, 5); }         \
    static void try_##name(T a, T b) {                                                                               \
        _Atomic T *p = shared_##name + 1;                                                                            \
        printf(#name " " format, atomic_load_explicit(p, memory_order_acquire));                                     \
        printf(" " format, add_##name(p, a));                                                                        \
        printf(" " format, sub_##name(p, b));                                                                        \
        printf(" " format, or_##name(p, b));                                                                         \
        printf(" " format, xor_##name(p, (T)(a * 3)));                                                               \
        printf(" " format, and_##name(p, (T)~b));                                                                    \
        printf(" " format, nand_##name(p, a));                                                                       \
        printf(" " format, exchange_##name(p, a));                                                                   \
        T old = b, same = a;                                                                                         \
        printf(" %d", compare_##name(p, &old, (T)7));                                                                \
        printf(" " format, old);                                                                                     \
        printf(" %d", compare_##name(p, &same, (T)-7));                                                              \
        printf(" " format, same);                                                                                    \
        printf(" %d", weak_##name(p, b, (T)(a - b)));                                                                \
        printf(" " format, atomic_load_explicit(p, memory_order_relaxed));                                           \
        atomic_store_explicit(p, b, memory_order_release);                                                           \
        printf(" " format, *p);                                                                                      \
        *p += a;                                                                                                     \
        printf(" " format, *p);                                                                                      \
        atomic_store_explicit(p, 5, memory_order_relaxed);                                                           \
        (*p)--;                                                                                                      \
        printf(" " format " " format " " format "\n", (T)++*p, shared_##name[0], shared_##name[2]);                  \
    }

WIDTH(int8_t, i8, "%d")
WIDTH(uint8_t, u8, "%d")
WIDTH(int16_t, i16, "%d")
WIDTH(uint16_t, u16, "%d")
WIDTH(int32_t, i32, "%d")
WIDTH(uint32_t, u32, "%u")
WIDTH(int64_t, i64, "%lld")
WIDTH(uint64_t, u64, "%llu")

static char places[4];
static char *_Atomic where = places;
static _Atomic float f = 1.5f;
static _Atomic double d = 2.25;
static atomic_bool flag;
static atomic_flag lock = ATOMIC_FLAG_INIT;

__attribute__((noinline)) int others(char *places) {
    char *was = atomic_exchange(&where, places + 2);
    char *expected = places + 1;
    int r = (int)(was - places) + 10 * atomic_compare_exchange_strong(&where, &expected, places);
    r += 100 * (int)(expected - places) + 1000 * (int)(atomic_load(&where) - places);
    atomic_store(&where, places + 3);
    atomic_store(&f, atomic_load(&f) + 2);
    atomic_store(&d, atomic_load(&d) * 3);
    double had = atomic_exchange(&d, 1.5);
    atomic_thread_fence(memory_order_seq_cst);
    atomic_thread_fence(memory_order_acquire);
    atomic_signal_fence(memory_order_release);
    r += 10000 * atomic_exchange(&flag, 1) + 20000 * flag + 40000 * (int)f + (int)(had * 1000);
    return r + (int)(where - places) + (int)(d * 2);
}

#ifndef __clang__
#define CHOSEN(p, x, less)                                                                                           \
    ({                                                                                                               \
        __typeof__(*(p)) was = *(p);                                                                                 \
        if (((x) < was) == less) *(p) = (x);                                                                         \
        was;                                                                                                         \
    })
#define __atomic_fetch_max(p, x, order) CHOSEN(p, x, 0)
#define __atomic_fetch_min(p, x, order) CHOSEN(p, x, 1)
#endif

// The least and the greatest, and updates that the C library has functions for.
__attribute__((noinline)) static long long extremes(int64_t a, int b, unsigned c) {
    static int64_t wide = 5;
    static int whole = -5;
    static unsigned natural = 5;
    static int8_t byte = -3;
    static uint16_t half = 500;
    long long r = __atomic_fetch_max(&wide, a, 5);
    r += __atomic_fetch_min(&whole, b, 5);
    r += __atomic_fetch_max(&natural, c, 0);
    r += __atomic_fetch_min(&byte, (int8_t)b, 5);
    r += __atomic_fetch_max(&byte, (int8_t)a, 5);
    r += __atomic_fetch_min(&half, (uint16_t)c, 5);
    return r * 3 + wide + whole + natural + byte + half;
}

enum { ROUNDS = 3000, THREADS = 3 };
static _Atomic uint8_t bytes[4];
static _Atomic uint16_t halves[2];
static atomic_int words;
static _Atomic int64_t doubles;
static int guarded;

static void *work(void *of) {
    int k = (int)(intptr_t)of;
    for (int t = 0; t < ROUNDS; t++) {
        atomic_fetch_add(&bytes[k], 1);
        atomic_fetch_xor(&bytes[3], (uint8_t)(1 << k));
        atomic_fetch_sub(&halves[k & 1], 3);
        atomic_fetch_add_explicit(&words, k, memory_order_relaxed);
        atomic_fetch_add(&doubles, 0x100000001);
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
        }
        guarded += 2;
        atomic_flag_clear_explicit(&lock, memory_order_release);
    }
    return 0;
}

int main(void) {
    try_i8(-100, 33);
    try_u8(200, 77);
    try_i16(-30000, 999);
    try_u16(60000, 1234);
    try_i32(-2000000000, 12345);
    try_u32(4000000000u, 7777777);
    try_i64(-9000000000000000000, 123456789012);
    try_u64(18000000000000000000u, 0xff00ff00ff00ff);
    printf("%d\n", others(where));
    printf("%lld\n", extremes(-9, 3, 700));
    printf("%lld\n", extremes(1LL << 40, -70, 2));
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) pthread_create(&threads[k], 0, work, (void *)(intptr_t)k);
    for (int k = 0; k < THREADS; k++) pthread_join(threads[k], 0);
    printf("%d %d %d %d %d %d\n", bytes[0], bytes[1], bytes[2], bytes[3], halves[0], halves[1]);
    printf("%d %llx %d\n", words, (long long)doubles, guarded);
    return 0;
}
