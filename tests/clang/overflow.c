/* Sums, differences and products that say whether they fit. */
#include <limits.h>
#include <stdio.h>

#define TRY(T, f, op, a, b)                                                                                            \
    do {                                                                                                               \
        T r;                                                                                                           \
        int o = __builtin_##op##_overflow((T)(a), (T)(b), &r);                                                         \
        printf(f " %d\n", r, o);                                                                                       \
    } while (0)

static long long big[] = {0, 1, -1, 2, -2, INT_MAX, INT_MIN, LLONG_MAX, LLONG_MIN, 3037000500LL, -3037000500LL, 1LL << 32};
static int small[] = {0, 1, -1, 127, -128, 255, 32767, -32768, 65535, 46341, INT_MAX, INT_MIN};

int main(void) {
    for (unsigned i = 0; i < sizeof big / sizeof *big; i++)
        for (unsigned j = 0; j < sizeof big / sizeof *big; j++) {
            TRY(long long, "%lld", add, big[i], big[j]);
            TRY(long long, "%lld", sub, big[i], big[j]);
            TRY(long long, "%lld", mul, big[i], big[j]);
            TRY(unsigned long long, "%llu", add, big[i], big[j]);
            TRY(unsigned long long, "%llu", sub, big[i], big[j]);
            TRY(unsigned long long, "%llu", mul, big[i], big[j]);
        }
    for (unsigned i = 0; i < sizeof small / sizeof *small; i++)
        for (unsigned j = 0; j < sizeof small / sizeof *small; j++) {
            TRY(int, "%d", add, small[i], small[j]);
            TRY(int, "%d", sub, small[i], small[j]);
            TRY(int, "%d", mul, small[i], small[j]);
            TRY(unsigned, "%u", mul, small[i], small[j]);
            TRY(short, "%d", mul, small[i], small[j]);
            TRY(unsigned char, "%d", add, small[i], small[j]);
            TRY(signed char, "%d", sub, small[i], small[j]);
        }
    return 0;
}
