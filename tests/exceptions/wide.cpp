// What lives over a call that throws: integers of 64 and floats of 64 bits, in more than there are registers.
extern "C" int printf(const char *, ...);
__attribute__((noinline)) static long long next(long long x) { if (x % 6 == 5) throw x / 2; return x * 3 + 1; }
int main() {
    long long a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9, j = 10, k = 11, l = 12; double p = 1.5, q = 2.5, r = 3.5, s = 4.5, t = 5.5, u = 6.5, v = 7.5, w = 8.5, x = 9.5, y = 10.5;
    for (int n = 0; n < 30; n++) {
        try { a = next(a + n) & 0xffffff; b += a; p += (double)a; c ^= b; q -= p; } catch (long long z) { a += z; d += c; r += q; e -= d; s *= 0.5; }
        try { f = next(f ^ n) & 0xffffff; g += f + e; t += (double)g; } catch (long long z) { h += z - g; u += t; i ^= h; v -= u; }
        j += i; k ^= j; l += k; w += v; x -= w * 0.25; y += x * 0.125;
    }
    printf("%lld %lld %lld %lld %lld %lld %lld %lld %lld %lld %lld %lld\n", a, b, c, d, e, f, g, h, i, j, k, l);
    printf("%.6g %.6g %.6g %.6g %.6g %.6g %.6g %.6g %.6g %.6g\n", p, q, r, s, t, u, v, w, x, y);
}
