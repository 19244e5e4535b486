// Frames of all kinds are passed: memory of a size that is known when the program runs, large ones, many saved registers.
extern "C" int printf(const char *, ...); extern "C" void *memset(void *, int, unsigned long);
__attribute__((noinline)) static void throws(int k) { if (k % 3 == 0) throw k; }
__attribute__((noinline)) static int dynamic(int n) { char *room = (char *)__builtin_alloca(n * 17 + 1); for (int i = 0; i < n; i++) room[i] = (char)(i * n); int s = 0; try { throws(n); s = 1; } catch (int k) { s = 2; } for (int i = 0; i < n; i++) s += room[i]; return s; }
__attribute__((noinline)) static int passes(int n) { volatile char room[1]; char *more = (char *)__builtin_alloca(n * 8 + 8); more[0] = (char)n; room[0] = more[0]; throws(n); return room[0] + 1000; }
__attribute__((noinline)) static int large(int n) { volatile char room[70000]; room[0] = 1; room[69999] = (char)n; throws(n); return room[69999]; }
__attribute__((noinline)) static double saved(const int *a, const double *d, int n) {
    int x0 = a[0], x1 = a[1], x2 = a[2], x3 = a[3], x4 = a[4], x5 = a[5], x6 = a[6], x7 = a[7]; double y0 = d[0], y1 = d[1], y2 = d[2], y3 = d[3], y4 = d[4], y5 = d[5], y6 = d[6], y7 = d[7];
    for (int k = 0; k < n; k++) { try { throws(k); x0 += x7; y0 += y7; } catch (int i) { x1 += x0 + i; y1 += y0; x7 ^= x2; y7 -= y3; } x2 += x3; x4 -= x5; x6 ^= x1; y2 += y4; y5 -= y6; }
    return x0 + 2 * x1 + 3 * x2 + 4 * x3 + 5 * x4 + 6 * x5 + 7 * x6 + 8 * x7 + y0 + 2 * y1 + 3 * y2 + 4 * y3 + 5 * y4 + 6 * y5 + 7 * y6 + 8 * y7;
}
int main() {
    int a[8] = {3, 1, 4, 1, 5, 9, 2, 6}; double d[8] = {2.5, 7.25, 1.5, 8.125, 2.75, 8.5, 1.25, 8};
    for (int n = 1; n < 9; n++) {
        printf("%d ", dynamic(n));
        int before = n * 5; double f = n * 0.5;
        try { printf("%d ", passes(n)); } catch (int k) { printf("p%d %d %g ", k, before, f); }
        try { printf("%d ", large(n)); } catch (int k) { printf("l%d %d %g ", k, before, f); }
        printf("%g\n", saved(a, d, n));
    }
}
