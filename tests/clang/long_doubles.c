// Numbers that every `long double` has exactly, from 53 bits on.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    long double value;
    int number;
} Pair;

typedef union {
    long double d;
    double e;
    void *p;
} Most;

static long double table[4] = {1, 2.5L, -3, 0.125L};
long double scale = 1.25L;

__attribute__((noinline)) static long double sum(int a, long double b, int c, long double d, double e, long double f, long double g,
                                                 long double h, long double i, long double j, long double k, long double l, int m,
                                                 long double n, float o) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n + 15 * o;
}

__attribute__((noinline)) static int order(long double a, long double b) {
    return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5 | !(a < b) << 6 | !(a <= b) << 7 |
           !(a > b) << 8 | !(a >= b) << 9 | __builtin_isunordered(a, b) << 10 | __builtin_islessgreater(a, b) << 11;
}

__attribute__((noinline)) static Pair pair(long double value, int number) {
    Pair made = {value, number};
    return made;
}

__attribute__((noinline)) static long double all(int count, ...) {
    va_list list;
    va_start(list, count);
    long double total = 0;
    for (int k = 0; k < count; k++) {
        total += va_arg(list, int) * va_arg(list, long double);
        total -= va_arg(list, double);
    }
    va_end(list);
    return total;
}

__attribute__((noinline)) static long double (*chosen(int k))(long double) { return k ? fabsl : sqrtl; }

int main(int count, char **arguments) {
    volatile long double quarter = 0.25L, big = 1099511627776.0L, none = NAN;
    printf("%Lg %Lg\n", quarter * big - 1, -quarter / 2);
    printf("%g %g\n", (double)(quarter + 1), (float)(big + quarter));
    printf("%ld %lld %d %d %u\n", (long)-quarter, (long long)-(big * 1024), (int)(quarter * 10), (short)(quarter * -300), (unsigned)(quarter * 16e9L));
    volatile int less = -5;
    volatile unsigned more = 4000000000u;
    volatile long long wide = -(1LL << 45);
    volatile unsigned long long high = 1ULL << 63;
    volatile unsigned char byte = 200;
    printf("%Lg %Lg %Lg %Lg %Lg\n", (long double)less, (long double)more, (long double)wide, (long double)high, (long double)byte + quarter);
    printf("%llu\n", (unsigned long long)(long double)high);
    printf("%x %x %x %x\n", order(1, 2), order(quarter, 0.25L), order(big, quarter), order(none, 1));
    Pair made = pair(quarter * 3, 7);
    printf("%Lg %d\n", made.value, made.number);
    printf("%Lg\n", sum(1, 2, 3, 4, 5.5, 6, 7, 8, 9, 10, 11, 12, 13, 14.25L, 15.5f));
    printf("%Lg\n", all(7, 1, quarter, 1.5, 2, big, 2.5, -3, scale, 3.5, 4, table[1], 4.5, 5, 5.5L, 5.5, 6, -quarter, 6.5, 7, 8.0L, 7.5));
    long double running = 0;
    for (int k = 0; k < count + 9; k++) {
        running += table[k & 3] * k;
        if (running > 10) running -= scale;
    }
    printf("%Lg %Lg\n", running, copysignl(running, -1));
    printf("%Lg %Lg %Lg\n", chosen(0)(quarter), chosen(1)(-big), fmodl(big + 5, 8));
    printf("%d %d %d\n", signbit(-quarter) != 0, isnan(none) != 0, isinf(big * HUGE_VALL) != 0);
    Most most = {.e = 1.5};
    printf("%g %Lg\n", most.e, strtold("12.5e1", 0));
    table[count & 3] = count > 5 ? quarter : big;
    for (int k = 0; k < 4; k++) printf("%d %Lf ", k, table[k]);
    puts("");
    return (int)(quarter * 44);
}
