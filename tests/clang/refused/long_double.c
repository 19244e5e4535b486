/* Long doubles, which are 128 bits on two of the machines: sums and products that doubles have exactly. */
#include <stdarg.h>
#include <stdio.h>

static long double scale = 0.25L;
static long double sum(int n, ...) {
    va_list list;
    long double sum = 0;
    va_start(list, n);
    for (int k = 0; k < n; k++) sum += va_arg(list, long double);
    va_end(list);
    return sum * scale;
}
static long double poly(long double x) { return ((x * 2 - 3) * x + 0.5L) * x; }

int main(void) {
    long double values[3] = {1.5L, -2, 1024};
    printf("%g %g\n", (double)sum(3, values[0], values[1], values[2]), (double)poly(4));
    printf("%d %d %lld\n", values[0] > values[1], values[0] == 1.5, (long long)(values[2] * 3));
    printf("%Lg\n", poly(-0.5L));
    return (int)poly(2.5L);
}
