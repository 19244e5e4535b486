// Exceptions through C's frames (`qsort` is built to be unwound) and through variadic functions.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
static int budget;
static int compare(const void *a, const void *b) { if (--budget == 0) throw budget; return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static double sum(int n, ...) { va_list all; va_start(all, n); double s = 0; for (int i = 0; i < n; i++) { double d = va_arg(all, double); if (d < 0) { va_end(all); throw d; } s += d; } va_end(all); return s; }
int main() {
    for (int n = 1; n < 14; n += 4) {
        int v[8] = {7, 2, 6, 4, 1, 8, 3, 5}; budget = n;
        try { for (int i = 0; i < 7; i++) for (int j = 0; j < 7 - i; j++) if (compare(&v[j], &v[j + 1]) > 0) { int t = v[j]; v[j] = v[j + 1]; v[j + 1] = t; } printf("sorted\n"); } catch (int) { printf("stopped at %d: %d %d %d\n", n, v[0], v[1], v[2]); }
        try { printf("%g\n", sum(4, 1.5, 2.5, n - 6.0, 4.0)); } catch (double d) { printf("negative %g\n", d); }
    }
}
